//! Where the data of one data set are: in files, paths, folders, patterns such as `logs/2026-*.csv.gz`, or standard input; or in memory,
//! as record batches or as a release that was handed out there.
//!
//! Patterns are expanded here, so that they mean the same in a shell, in a settings file and in another program. The order is that
//! of the arguments; the files of a pattern are sorted by name. Hidden files and settings are no data, and left out; folders are meant
//! only by a pattern that matches no file.

use std::path::{Path, PathBuf};

use glob::MatchOptions;
use serde::{Deserialize, Serialize};
use throng_core::{Error, Result};

use crate::held_release::HeldRelease;
use crate::io::Frame;

/// The name of a settings file that lies beside the data.
pub const SETTINGS: &str = "throng.toml";

/// The data of one data set. Files are written down as one text, or as a list of several; what is in memory is not written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "OneOrMany", into = "OneOrMany")]
pub struct Inputs(Source);

/// Where data are.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// In files, as they were named.
    Files(Vec<PathBuf>),
    /// In memory, as record batches.
    Batches(Frame),
    /// In memory, as a release with its certificate.
    Release(HeldRelease),
}

impl Default for Inputs {
    fn default() -> Self {
        Self(Source::Files(Vec::new()))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(PathBuf),
    Many(Vec<PathBuf>),
}

impl From<OneOrMany> for Inputs {
    fn from(named: OneOrMany) -> Self {
        match named {
            OneOrMany::One(path) => path.into(),
            OneOrMany::Many(paths) => paths.into(),
        }
    }
}

impl From<Inputs> for OneOrMany {
    fn from(inputs: Inputs) -> Self {
        let Source::Files(paths) = inputs.0 else { return Self::Many(Vec::new()) };
        match <[PathBuf; 1]>::try_from(paths) {
            Ok([only]) => Self::One(only),
            Err(paths) => Self::Many(paths),
        }
    }
}

impl From<PathBuf> for Inputs {
    fn from(path: PathBuf) -> Self {
        Self(Source::Files(vec![path]))
    }
}

impl From<&Path> for Inputs {
    fn from(path: &Path) -> Self {
        Self(Source::Files(vec![path.to_owned()]))
    }
}

impl From<Vec<PathBuf>> for Inputs {
    fn from(paths: Vec<PathBuf>) -> Self {
        Self(Source::Files(paths))
    }
}

impl From<Frame> for Inputs {
    fn from(frame: Frame) -> Self {
        Self(Source::Batches(frame))
    }
}

impl From<HeldRelease> for Inputs {
    fn from(release: HeldRelease) -> Self {
        Self(Source::Release(release))
    }
}

impl Inputs {
    /// Where the data are.
    pub fn source(&self) -> &Source {
        &self.0
    }

    /// Every file, patterns expanded; none where the data are in memory. None of them twice: the same rows would count twice.
    pub fn paths(&self) -> Result<Vec<PathBuf>> {
        let Source::Files(files) = &self.0 else { return Ok(Vec::new()) };
        let mut paths = Vec::new();
        for named in files {
            match pattern(named) {
                Some(pattern) => paths.extend(matches_of(pattern)?),
                None => paths.push(named.clone()),
            }
        }
        if paths.is_empty() {
            return Err(Error::refused("no file is named").with_hint("name a file, a folder of documents, or `-`"));
        }
        refuse_twice(&paths)?;
        Ok(paths)
    }

    /// The files as they were named.
    pub fn as_named(&self) -> Vec<String> {
        self.files().iter().map(|path| path.display().to_string()).collect()
    }

    /// The names of the files without their folders.
    pub fn names(&self) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        self.files().iter().map(name).collect()
    }

    fn files(&self) -> &[PathBuf] {
        match &self.0 {
            Source::Files(files) => files,
            Source::Batches(_) | Source::Release(_) => &[],
        }
    }
}

/// The pattern that a path is, unless a file is called exactly so.
fn pattern(path: &Path) -> Option<&str> {
    let text = path.to_str().filter(|text| text.contains(['*', '?', '[']))?;
    path.symlink_metadata().is_err().then_some(text)
}

fn matches_of(pattern: &str) -> Result<Vec<PathBuf>> {
    let options = MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        // Hidden files are not meant by `*`.
        require_literal_leading_dot: true,
    };
    let wrong = |cause| {
        Error::data("the pattern cannot be understood").in_file(pattern).with_cause(cause).with_hint(
            "`*` stands for any letters of a name, `?` for one, `[ab]` for one of some, `**` for any folders",
        )
    };
    let found = glob::glob_with(pattern, options).map_err(wrong)?;
    let paths = found
        .map(|path| {
            path.map_err(|error| {
                let place = error.path().display().to_string();
                Error::io(format!("read the folder {place}"), error.into())
            })
        })
        .collect::<Result<Vec<PathBuf>>>()?;
    let is_settings = |path: &Path| path.file_name().is_some_and(|name| name == SETTINGS);
    let (folders, mut paths): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.into_iter().filter(|path| !is_settings(path)).partition(|path| path.is_dir());
    if paths.is_empty() {
        paths = folders;
    }
    if paths.is_empty() {
        return Err(Error::data("no file matches the pattern")
            .in_file(pattern)
            .with_hint("hidden files are left out; `ls` with the same pattern, without quotes, shows what is there"));
    }
    Ok(paths)
}

fn refuse_twice(paths: &[PathBuf]) -> Result<()> {
    let mut real: Vec<(PathBuf, &PathBuf)> = paths.iter().map(|path| (itself(path), path)).collect();
    real.sort();
    match real.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(()),
        Some(pair) => Err(Error::refused("the same file is given twice")
            .in_file(pair[1].1.display().to_string())
            .with_hint("its rows would count twice: name it once; a pattern may match it as well")),
    }
}

/// What tells a file from others: one that has several names by its number, where the system has such numbers; else its place, links
/// and dots resolved.
fn itself(path: &Path) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        if let Ok(about) = path.metadata()
            && about.is_file()
        {
            return PathBuf::from(format!("{}:{}", about.dev(), about.ino()));
        }
    }
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path, inputs: &[&str]) -> Result<Vec<String>> {
        let inputs = Inputs::from(inputs.iter().map(|name| folder.join(name)).collect::<Vec<_>>());
        let name = |path: PathBuf| path.strip_prefix(folder).unwrap().display().to_string();
        Ok(inputs.paths()?.into_iter().map(name).collect())
    }

    #[test]
    fn patterns_are_sorted_and_leave_out_hidden_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.csv", "a.csv", ".hidden.csv", "c.tsv", "odd[1].csv", SETTINGS] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        std::fs::write(folder.path().join("deep/d.csv"), "x").unwrap();
        let names = |inputs: &[&str]| names(folder.path(), inputs);
        assert_eq!(names(&["*.csv"]).unwrap(), ["a.csv", "b.csv", "odd[1].csv"]);
        assert_eq!(names(&["[a-d]*"]).unwrap(), ["a.csv", "b.csv", "c.tsv"]);
        assert_eq!(names(&["d*"]).unwrap(), ["deep"]);
        assert_eq!(names(&["[st]*", "a.csv"]).unwrap_err().to_string(), "no file matches the pattern");
        assert_eq!(names(&["c.tsv", "[ab].csv"]).unwrap(), ["c.tsv", "a.csv", "b.csv"]);
        assert_eq!(names(&["**/d.csv"]).unwrap(), ["deep/d.csv"]);
        // A file that is called like a pattern is itself.
        assert_eq!(names(&["odd[1].csv"]).unwrap(), ["odd[1].csv"]);
        assert_eq!(names(&["*.parquet"]).unwrap_err().to_string(), "no file matches the pattern");
        assert_eq!(names(&["a.csv", "?.csv"]).unwrap_err().to_string(), "the same file is given twice");
        #[cfg(unix)]
        {
            std::fs::hard_link(folder.path().join("a.csv"), folder.path().join("z.csv")).unwrap();
            assert_eq!(names(&["a.csv", "z.csv"]).unwrap_err().to_string(), "the same file is given twice");
        }
        assert!(names(&["[a.csv"]).is_err() && names(&[]).is_err());
    }

    #[test]
    fn written_down_as_one_text_or_a_list() {
        let one = Inputs::from(PathBuf::from("a.csv"));
        let two = Inputs::from(vec![PathBuf::from("a.csv"), PathBuf::from("b.csv")]);
        for (inputs, text) in [(one, r#""a.csv""#), (two, r#"["a.csv","b.csv"]"#)] {
            assert_eq!(serde_json::to_string(&inputs).unwrap(), text);
            assert_eq!(serde_json::from_str::<Inputs>(text).unwrap(), inputs);
        }
    }
}
