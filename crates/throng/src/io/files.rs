//! Several files as one data set: read one after the other into the same consumer, as if one file went on in the next.
//!
//! Each file is opened when its turn comes and has a format, a compression and a header of its own. Lines are counted on from file to
//! file, and [`Files`] brings a number back to its file.

use throng_core::{Error, Result};

use super::Location;
use super::documents::hash_folder;
use super::opened::Opened;
use super::scan::ReadOptions;
use super::source::{hash_bytes, hash_file};

/// Where the lines of several files begin if they are counted one after the other; nothing for a single file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files(Vec<(u64, String)>);

impl Files {
    /// The file of a line, if there are several, and its number in that file.
    pub fn place(&self, line: u64) -> (Option<&str>, u64) {
        match self.0.iter().rev().find(|(before, _)| *before < line) {
            Some((before, file)) => (Some(file), line - before),
            None => (None, line),
        }
    }
}

/// What was read of several files so far.
#[derive(Debug, Default)]
pub(super) struct Joined {
    /// The lines of the files so far.
    pub(super) lines: u64,
    files: Files,
    is_several: bool,
}

impl Joined {
    /// Reads every file. What is wrong with one names it; what is strange about one of several names it too.
    pub(super) fn read(
        opened: Opened,
        options: &ReadOptions,
        mut each: impl FnMut(Opened, &mut Joined) -> Result<()>,
    ) -> Result<Files> {
        let others = opened.others.clone();
        let mut joined = Self { is_several: !others.is_empty(), ..Self::default() };
        let at_once = opened.source.at_once;
        let mut next = Some(opened);
        let mut others = others.into_iter();
        while let Some(opened) = next {
            let location = opened.location().to_string();
            if joined.is_several {
                joined.files.0.push((joined.lines, location.clone()));
            }
            each(opened, &mut joined).map_err(|error| error.in_file(location))?;
            next = match others.next() {
                Some(other) => {
                    let mut opened = Opened::open(&other, options)?;
                    opened.limit(Some(at_once));
                    Some(opened)
                }
                None => None,
            };
        }
        Ok(joined.files)
    }

    /// Sentences about the file that was read last, with its name if there are several.
    pub(super) fn told(&self, sentences: Vec<String>) -> Vec<String> {
        match self.files.0.last() {
            Some((_, file)) => sentences.into_iter().map(|sentence| format!("{file}: {sentence}")).collect(),
            None => sentences,
        }
    }

    /// Refuses a file whose columns hold something else than those of the first.
    pub(super) fn agree(&self, first: &[&'static str], other: &[&'static str]) -> Result<()> {
        let sorted = |roles: &[&'static str]| {
            let mut roles = roles.to_vec();
            roles.sort_unstable();
            roles
        };
        if sorted(first) == sorted(other) {
            return Ok(());
        }
        let name = |at: Option<&(u64, String)>| at.map(|(_, file)| file.clone()).unwrap_or_default();
        let listed = |roles: &[&'static str]| if roles.is_empty() { "no columns".to_owned() } else { roles.join(", ") };
        Err(Error::data(format!(
            "the files do not have the same columns: {} has {}, and {} has {}",
            name(self.files.0.first()),
            listed(first),
            name(self.files.0.last()),
            listed(other)
        ))
        .with_hint(
            "files of one data set have the same roles, whatever their columns are called: name them with `--column`",
        ))
    }
}

/// Columns without a role of one more file, each once.
pub(super) fn add_new(known: &mut Vec<String>, others: Vec<String>) {
    for other in others {
        if !known.contains(&other) {
            known.push(other);
        }
    }
}

/// The SHA-256 of what is read: of a file its own, of a folder that of its documents, of several that of a line for each with its
/// hash, in their order; `None` for standard input and for batches in memory.
pub fn hash_of(location: &Location) -> Result<Option<String>> {
    match location {
        Location::File(file) => hash_file(file).map(Some),
        Location::Folder(folder) => hash_folder(folder).map(Some),
        Location::Held(held) => Ok(Some(hash_bytes(held.bytes()))),
        Location::Stdin | Location::Frame(_) => Ok(None),
        Location::Several(places) => {
            let hashes = places.iter().map(hash_of).collect::<Result<Option<Vec<String>>>>()?;
            Ok(hashes
                .map(|hashes| hash_bytes(hashes.iter().map(|hash| format!("{hash}\n")).collect::<String>().as_bytes())))
        }
    }
}

impl Location {
    /// The places that it is made of: itself, or several.
    pub(crate) fn each(&self) -> &[Location] {
        match self {
            Self::Several(places) => places,
            one => std::slice::from_ref(one),
        }
    }
}
