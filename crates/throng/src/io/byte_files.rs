//! Files as nothing but bytes: every regular file below some folders, or of a list, read again and again and known by its hash.
//!
//! Opened for reading only, never run or mapped. Links are not followed, and counted; a device, a pipe or a socket is an error, for reading
//! it may never end. What is read must have the bytes that it had at first: a file that grew or changed is an error, for a detector that
//! looks twice would see two files.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use throng_core::detectors::files::Files;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::BadLines;
use super::source::hex;

/// What to do with files that cannot be used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByteFileOptions {
    /// How many bytes a file may have.
    pub(crate) largest: u64,
    /// Whether to stop at a file that cannot be read, or is too long.
    pub(crate) bad: BadLines,
}

/// A file, as it was when it was first read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ByteFile {
    /// The SHA-256 of its bytes.
    pub(crate) sha256: String,
    /// Where it is.
    pub(crate) path: PathBuf,
    /// How many bytes it has.
    pub(crate) length: u64,
}

/// Files in the order of their hashes.
#[derive(Debug, Default)]
pub(crate) struct ByteFiles {
    /// The files.
    pub(crate) files: Vec<ByteFile>,
    /// How many links were not followed.
    pub(crate) links: u64,
    /// How many files were left out because they cannot be read, or are too long.
    pub(crate) skipped: u64,
}

impl ByteFiles {
    /// All regular files below some folders, and files that are named themselves.
    pub(crate) fn below(places: &[PathBuf], options: ByteFileOptions, progress: &dyn Progress) -> Result<Self> {
        let mut found = Self::default();
        let mut paths = Vec::new();
        for place in places {
            found.walk(place, true, options, &mut paths)?;
        }
        found.read_all(paths, options, progress)
    }

    /// These files.
    pub(crate) fn of(paths: Vec<PathBuf>, options: ByteFileOptions, progress: &dyn Progress) -> Result<Self> {
        let mut found = Self::default();
        let mut regular = Vec::new();
        for path in paths {
            if path.is_dir() {
                return Err(Error::data("this is a folder, not a file").in_file(path.display().to_string()));
            }
            found.walk(&path, true, options, &mut regular)?;
        }
        found.read_all(regular, options, progress)
    }

    fn walk(&mut self, place: &Path, is_named: bool, options: ByteFileOptions, paths: &mut Vec<PathBuf>) -> Result<()> {
        let mut left = vec![(place.to_owned(), is_named)];
        while let Some((path, is_named)) = left.pop() {
            let looked = path.symlink_metadata().map_err(|cause| failed("open", &path, cause)).and_then(|metadata| {
                let kind = metadata.file_type();
                if kind.is_file() {
                    paths.push(path.clone());
                } else if kind.is_dir() {
                    for entry in std::fs::read_dir(&path).map_err(|cause| failed("open the folder", &path, cause))? {
                        let entry = entry.map_err(|cause| failed("open the folder", &path, cause))?;
                        left.push((entry.path(), false));
                    }
                } else if kind.is_symlink() && !is_named {
                    self.links += 1;
                } else {
                    let what = if kind.is_symlink() {
                        "a link, and links are not followed"
                    } else {
                        "a device, a pipe or a socket"
                    };
                    return Err(Error::refused(format!("this is {what}"))
                        .in_file(path.display().to_string())
                        .with_hint("give regular files, or folders of them"));
                }
                Ok(())
            });
            match looked {
                Err(error) if is_named || options.bad == BadLines::Fail => return Err(error.with_skip_hint(is_named)),
                Err(_) => self.skipped += 1,
                Ok(()) => {}
            }
        }
        Ok(())
    }

    fn read_all(mut self, paths: Vec<PathBuf>, options: ByteFileOptions, progress: &dyn Progress) -> Result<Self> {
        progress.stage("reading files", paths.len() as u64);
        let read: Vec<Result<ByteFile>> = paths
            .into_par_iter()
            .map(|path| {
                progress.go_on()?;
                let read = first_look(path, options.largest);
                progress.advance(1);
                read
            })
            .collect();
        progress.go_on()?;
        let mut wrong: Vec<Error> = Vec::new();
        for one in read {
            match one {
                Ok(file) => self.files.push(file),
                Err(error) => wrong.push(error),
            }
        }
        if options.bad == BadLines::Fail && !wrong.is_empty() {
            // The same one whatever the order of the folder.
            let place = |error: &Error| error.place().map(|place| place.file.clone());
            let first = wrong.into_iter().min_by_key(place);
            return Err(first.unwrap_or_else(Error::stopped).with_skip_hint(false));
        }
        self.skipped += wrong.len() as u64;
        self.files.sort_unstable();
        Ok(self)
    }

    /// For each file the number of its content: files with the same bytes have the same.
    pub(crate) fn contents(&self) -> Vec<u32> {
        let mut number = 0;
        let mut numbers = Vec::with_capacity(self.files.len());
        for (at, file) in self.files.iter().enumerate() {
            number += u32::from(at > 0 && self.files[at - 1].sha256 != file.sha256);
            numbers.push(number);
        }
        numbers
    }

    /// How many are shorter than this.
    pub(crate) fn shorter_than(&self, bytes: usize) -> u64 {
        self.files.iter().filter(|file| file.length < bytes as u64).count() as u64
    }
}

impl Files for ByteFiles {
    fn count(&self) -> usize {
        self.files.len()
    }

    fn length(&self, file: usize) -> u64 {
        self.files[file].length
    }

    fn bytes<'a>(&'a self, file: usize, buffer: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        let known = &self.files[file];
        read(&known.path, known.length, buffer)?;
        if buffer.len() as u64 != known.length || hex(&Sha256::digest(&buffer)) != known.sha256 {
            return Err(Error::data("the file changed while it was read")
                .in_file(known.path.display().to_string())
                .with_hint("work on a copy that nobody writes to"));
        }
        Ok(buffer)
    }
}

trait SkipHint {
    fn with_skip_hint(self, is_named: bool) -> Self;
}

impl SkipHint for Error {
    fn with_skip_hint(self, is_named: bool) -> Self {
        if is_named || self.is_stopped() {
            return self;
        }
        let hint = self.hint().map(|hint| format!("{hint}; ")).unwrap_or_default();
        self.with_hint(format!("{hint}`--bad-lines skip` leaves such files out, and counts them"))
    }
}

fn failed(doing: &str, path: &Path, cause: std::io::Error) -> Error {
    Error::io(format!("{doing} {}", path.display()), cause).in_file(path.display().to_string())
}

fn first_look(path: PathBuf, largest: u64) -> Result<ByteFile> {
    let mut buffer = Vec::new();
    read(&path, largest, &mut buffer)?;
    if buffer.len() as u64 > largest {
        return Err(Error::data(format!("the file has more than {largest} bytes"))
            .in_file(path.display().to_string())
            .with_hint("`--largest` says how long a file may be"));
    }
    Ok(ByteFile { sha256: hex(&Sha256::digest(&buffer)), length: buffer.len() as u64, path })
}

/// Reads so many bytes of a regular file, and one more if there is one.
fn read(path: &Path, most: u64, buffer: &mut Vec<u8>) -> Result<()> {
    buffer.clear();
    let is_regular = |metadata: std::io::Result<std::fs::Metadata>| metadata.is_ok_and(|metadata| metadata.is_file());
    let file = File::open(path).map_err(|cause| failed("open", path, cause))?;
    // What took the place of the file in the meantime may be a device.
    if !is_regular(path.symlink_metadata()) || !is_regular(file.metadata()) {
        return Err(Error::refused("this is no regular file any more").in_file(path.display().to_string()));
    }
    file.take(most.saturating_add(1)).read_to_end(buffer).map_err(|cause| failed("read", path, cause))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use throng_core::progress::Silent;

    use super::*;

    const FAIL: ByteFileOptions = ByteFileOptions { largest: 100, bad: BadLines::Fail };
    const SKIP: ByteFileOptions = ByteFileOptions { largest: 100, bad: BadLines::Skip };

    #[test]
    fn files_below_a_folder_are_sorted_by_hash_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("inner")).unwrap();
        std::fs::write(folder.path().join("a"), "same").unwrap();
        std::fs::write(folder.path().join("inner/b"), "same").unwrap();
        std::fs::write(folder.path().join("c"), "").unwrap();
        let found = ByteFiles::below(&[folder.path().to_owned()], FAIL, &Silent).unwrap();
        assert_eq!(found.files.len(), 3);
        assert!(found.files.is_sorted());
        let mut contents = found.contents();
        contents.dedup();
        assert_eq!(contents, [0, 1]);
        assert_eq!(found.shorter_than(3), 1);
        let same = found.files.iter().position(|file| file.path.ends_with("a")).unwrap();
        assert_eq!(found.bytes(same, &mut Vec::new()).unwrap(), b"same");
        // It grows, or keeps its length and changes.
        for bytes in ["same and more", "Same"] {
            std::fs::write(folder.path().join("a"), bytes).unwrap();
            let error = found.bytes(same, &mut Vec::new()).unwrap_err().describe(false);
            assert!(error.contains("changed while it was read"), "{error}");
        }
    }

    #[test]
    fn long_and_missing_files_are_named_or_counted() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("short"), "x").unwrap();
        std::fs::write(folder.path().join("long"), [0; 101]).unwrap();
        let places = [folder.path().to_owned()];
        let error = ByteFiles::below(&places, FAIL, &Silent).unwrap_err().describe(false);
        assert!(error.contains("more than 100 bytes") && error.contains("--bad-lines skip"), "{error}");
        let found = ByteFiles::below(&places, SKIP, &Silent).unwrap();
        assert_eq!((found.files.len(), found.skipped), (1, 1));
        let missing = ByteFiles::below(&[folder.path().join("none")], SKIP, &Silent).unwrap_err();
        assert!(missing.describe(false).contains("none"));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_devices_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "x").unwrap();
        std::os::unix::fs::symlink("file", folder.path().join("link")).unwrap();
        let found = ByteFiles::below(&[folder.path().to_owned()], FAIL, &Silent).unwrap();
        assert_eq!((found.files.len(), found.links), (1, 1));
        let named = ByteFiles::of(vec![folder.path().join("link")], SKIP, &Silent).unwrap_err();
        assert!(named.describe(false).contains("links are not followed"));
        let device = ByteFiles::below(&["/dev/null".into()], SKIP, &Silent).unwrap_err();
        assert!(device.describe(false).contains("a device"));
        assert!(std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap().success());
        let error = ByteFiles::below(&[folder.path().to_owned()], FAIL, &Silent).unwrap_err().describe(false);
        assert!(error.contains("a pipe or a socket"), "{error}");
        assert_eq!(ByteFiles::below(&[folder.path().to_owned()], SKIP, &Silent).unwrap().skipped, 1);
    }
}
