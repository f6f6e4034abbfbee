//! Labelled files: two folders, or a list with labels; and what was counted of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::detectors::files::counting::{self, Counts};
use throng_core::detectors::files::ranking::{self, Ranked};
use throng_core::detectors::files::selection::{Representation, Table};
use throng_core::learn::svm::Rows;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::{FilesSettings, grams_of};
use crate::io::{BadLines, ByteFileOptions, ByteFiles, NamedRows};

/// Where labelled files are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LabelledFiles {
    /// A folder of positive files.
    pub positive: Option<PathBuf>,
    /// A folder of negative files.
    pub negative: Option<PathBuf>,
    /// Instead of both: a CSV `path,label` with `positive` or `negative`, 1 or 0; paths begin at its folder.
    pub train: Option<PathBuf>,
    /// How many bytes a file may have.
    pub largest: u64,
    /// Whether to stop at a file that cannot be read.
    pub bad_lines: BadLines,
}

impl Default for LabelledFiles {
    fn default() -> Self {
        Self { positive: None, negative: None, train: None, largest: 64 << 20, bad_lines: BadLines::Fail }
    }
}

impl LabelledFiles {
    pub(super) fn options(&self) -> ByteFileOptions {
        ByteFileOptions { largest: self.largest, bad: self.bad_lines }
    }

    /// Whether any are named.
    pub(super) fn is_named(&self) -> bool {
        self.positive.is_some() || self.negative.is_some() || self.train.is_some()
    }

    /// Reads them all once.
    pub(super) fn read(&self, progress: &dyn Progress) -> Result<Corpus> {
        let (positive, negative, place) = match (&self.positive, &self.negative, &self.train) {
            (Some(positive), Some(negative), None) => {
                let below = |folder: &PathBuf| ByteFiles::below(std::slice::from_ref(folder), self.options(), progress);
                (below(positive)?, below(negative)?, [positive, negative])
            }
            (None, None, Some(list)) => {
                let (positive, negative) = listed(list, progress)?;
                let of = |paths| ByteFiles::of(paths, self.options(), progress);
                (of(positive)?, of(negative)?, [list, list])
            }
            _ => {
                return Err(Error::parameter(
                    "positive",
                    "and `negative` name a folder each, or a list names all files",
                )
                .with_hint("give `--positive DIR --negative DIR`, or a CSV with the columns `path,label`"));
            }
        };
        for (files, place, class) in [(&positive, place[0], "positive"), (&negative, place[1], "negative")] {
            if files.files.is_empty() {
                return Err(Error::data(format!("there is no {class} file: there is nothing to tell apart"))
                    .in_file(place.display().to_string())
                    .with_hint("give regular files of both classes"));
            }
        }
        Corpus::of(positive, negative)
    }
}

/// The paths of the positive and of the negative files of a list.
fn listed(list: &Path, progress: &dyn Progress) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let rows = NamedRows::read(list, progress)?;
    let [path, label] = rows.columns(["path", "label"], "the list of files")?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    for row in 0..rows.len() {
        let class = match rows.cell(row, label).trim() {
            "positive" | "1" => &mut positive,
            "negative" | "0" => &mut negative,
            _ => {
                return Err(rows
                    .wrong("a label that is none of `positive`, `negative`, `1` and `0`", row, label)
                    .with_value(rows.cell(row, label)));
            }
        };
        if rows.cell(row, path).is_empty() {
            return Err(rows.wrong("no path", row, path));
        }
        class.push(folder.join(rows.cell(row, path)));
    }
    Ok((positive, negative))
}

/// Labelled files in the order of their hashes.
#[derive(Debug)]
pub(super) struct Corpus {
    pub(super) files: ByteFiles,
    pub(super) is_positive: Vec<bool>,
}

impl Corpus {
    fn of(positive: ByteFiles, negative: ByteFiles) -> Result<Self> {
        let known: BTreeMap<&str, &Path> =
            positive.files.iter().map(|file| (file.sha256.as_str(), file.path.as_path())).collect();
        if let Some((file, other)) =
            negative.files.iter().find_map(|file| Some((file, known.get(file.sha256.as_str())?)))
        {
            return Err(Error::data("the same bytes are in both classes")
                .in_file(file.path.display().to_string())
                .with_value(other.display().to_string())
                .with_hint(format!("it is in both, sha256 {}: take it out of one of them", file.sha256)));
        }
        let (links, skipped) = (positive.links + negative.links, positive.skipped + negative.skipped);
        let mut all: Vec<_> = positive.files.into_iter().map(|file| (file, true)).collect();
        all.extend(negative.files.into_iter().map(|file| (file, false)));
        all.sort_unstable();
        let (files, is_positive) = all.into_iter().unzip();
        Ok(Self { files: ByteFiles { files, links, skipped }, is_positive })
    }

    pub(super) fn len(&self) -> usize {
        self.is_positive.len()
    }

    pub(super) fn positives(&self) -> usize {
        self.is_positive.iter().filter(|&&is| is).count()
    }

    /// The distinct hashes, in order.
    pub(super) fn known(&self) -> Vec<String> {
        let mut known: Vec<String> = self.files.files.iter().map(|file| file.sha256.clone()).collect();
        known.dedup();
        known
    }

    /// All of them, by number.
    pub(super) fn all(&self) -> Vec<u32> {
        (0..self.len() as u32).collect()
    }

    /// The classes of some of them.
    pub(super) fn classes(&self, files: &[u32]) -> Vec<bool> {
        files.iter().map(|&file| self.is_positive[file as usize]).collect()
    }

    /// What should be said of files that were left out.
    pub(super) fn notes(&self, n: usize) -> Vec<String> {
        notes(&self.files, n)
    }

    /// Counts the n-grams of the list that ends with a rank.
    pub(super) fn count(&self, n: usize, last: usize, progress: &dyn Progress) -> Result<Counted> {
        let list = ranking::most_frequent(&self.files, n, last, progress)?;
        let counts = counting::count(&self.files, n, &grams_of(&list), progress)?;
        Ok(Counted { list, counts })
    }
}

/// What should be said of files that were left out, or are too short.
pub(super) fn notes(files: &ByteFiles, n: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let mut say = |count: u64, one: &str, many: &str, what: &str| {
        if count > 0 {
            notes.push(format!("{} {what}", crate::words::counted(count, one, many)));
        }
    };
    say(files.links, "link was", "links were", "not followed");
    say(files.skipped, "file was", "files were", "left out: they cannot be read or are too long");
    let short = files.shorter_than(n);
    say(short, "file is", "files are", "shorter than an n-gram: all of their features are 0");
    notes
}

/// The list, and the counts of its n-grams in every file.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) list: Vec<Ranked>,
    pub(super) counts: Vec<Counts>,
}

impl Counted {
    /// What they are, represented in one way.
    pub(super) fn weights(&self, represent: Representation) -> Vec<f64> {
        represent.weights(&self.list, self.counts.len())
    }

    /// The features that tell some files apart: their places in the list, the best first.
    pub(super) fn select(
        &self,
        settings: &FilesSettings,
        weights: &[f64],
        files: &[u32],
        is_positive: &[bool],
    ) -> Result<Vec<usize>> {
        let table = Table { list: &self.list, weights, counts: &self.counts };
        let places = table.select(settings.range()?, settings.select, settings.features, files, is_positive);
        if places.is_empty() {
            return Err(Error::data(format!(
                "the files have only {} different n-grams, none of the ranks {}",
                self.list.len(),
                settings.top
            ))
            .with_hint("give more or longer files, or ranks that begin with 1: `--top 1..5500`"));
        }
        Ok(places)
    }

    /// The features of some files.
    pub(super) fn rows(&self, weights: &[f64], files: &[u32], places: &[usize]) -> Result<Rows> {
        let table = Table { list: &self.list, weights, counts: &self.counts };
        let values = files.iter().flat_map(|&file| table.vector(file, places)).collect();
        Rows::new(places.len(), values)
    }
}
