//! `throng synth`: made-up data in any format.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng_core::progress::Progress;
use throng_core::taxonomy::Taxonomy;
use throng_core::{Error, Result};

use crate::io::Format;
use crate::kinds::{self, KindCard, Made};
use crate::pending::{self, Pending};
use crate::taxonomy;

/// What to make up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SynthRequest {
    /// The kind of data.
    pub kind: String,
    /// How many persons, or documents.
    pub persons: usize,
    /// How many lines a person of a search log has on average.
    pub mean_lines: f64,
    /// Search logs: whether every line has a click, as in logs of which only those were kept.
    pub clicks_only: bool,
    /// Search logs: how many persons are planted beside the others, who type what gives them away.
    pub plant: usize,
    /// How many accounts each of those has.
    pub accounts: usize,
    /// How many items a basket has on average.
    pub mean_items: f64,
    /// Baskets of things bought (`shopping`), or of words searched for (`searches`).
    pub style: String,
    /// Tables: `census`, `patients` or `numeric`; graphs: `friends`, `random` or `rmat`; the first when empty.
    pub shape: String,
    /// Graphs: how many neighbours a person has on average.
    pub degree: f64,
    /// Graphs: the file to write what is known of nodes into.
    pub nodes_out: Option<PathBuf>,
    /// Graphs: whether the graphs of a paper's experiment are made, in a folder.
    pub paper: bool,
    /// Access logs: `uniform`, about ten pages, or `irregular`, thousands.
    pub site: String,
    /// Access logs: the share of visitors who are declared bots.
    pub bots: f64,
    /// Access logs: over how many days.
    pub days: u32,
    /// Ratings: how many items there are.
    pub items: usize,
    /// Ratings: how many a person has on average.
    pub mean_ratings: f64,
    /// Ratings: whether there are half stars.
    pub half_stars: bool,
    /// Ratings: the file to write titles and genres of the items into, which must not exist.
    pub items_file: Option<PathBuf>,
    /// Tables and graphs: the folder to write the hierarchies of their columns into.
    pub hierarchies_out: Option<PathBuf>,
    /// Baskets and documents are made of the items of these taxonomies; of WordNet's when none is given.
    pub taxonomies: Vec<String>,
    /// The same seed makes up the same data.
    pub seed: u64,
    /// The file or folder to make, which must not exist, or `-`.
    pub out: PathBuf,
    /// The format, if the file's ending does not say it.
    pub format: Option<Format>,
}

impl Default for SynthRequest {
    fn default() -> Self {
        Self {
            kind: String::new(),
            persons: 1000,
            mean_lines: 55.0,
            clicks_only: false,
            plant: 0,
            accounts: 1,
            mean_items: 5.0,
            style: "shopping".to_owned(),
            shape: String::new(),
            degree: 10.0,
            nodes_out: None,
            paper: false,
            site: "irregular".to_owned(),
            bots: 0.2,
            days: 7,
            items: 1700,
            mean_ratings: 100.0,
            half_stars: false,
            items_file: None,
            hierarchies_out: None,
            taxonomies: Vec::new(),
            seed: 0,
            out: PathBuf::new(),
            format: None,
        }
    }
}

/// Makes up data, in a file or on standard output.
pub fn synth(request: &SynthRequest, stdout: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Made> {
    let kind = kinds::named(&request.kind)?;
    if request.plant > 0 && !kind.card().can_be_planted {
        return Err(Error::parameter("plant", format!("plants persons in a search log, not in {}", kind.card().name)));
    }
    if request.plant > 0 && request.to_stdout() {
        return Err(Error::parameter(
            "plant",
            "writes what is planted beside the file, and standard output has no place beside it",
        )
        .with_hint("name a file: `--out searches.tsv` also makes `searches.tsv.facts.jsonl`"));
    }
    if request.items_file.is_some() && !kind.card().has_items_file {
        return Err(Error::parameter("items-file", "is about the items of ratings"));
    }
    if request.clicks_only && !kind.card().can_be_planted {
        return Err(Error::parameter(
            "clicks-only",
            format!("is for search logs, and {} have no clicks", kind.card().name),
        ));
    }
    kind.synth(request, stdout, progress)
}

impl SynthRequest {
    /// Whether the data go to standard output.
    pub fn to_stdout(&self) -> bool {
        self.out == Path::new("-")
    }

    /// Where the facts of planted persons are written: beside the data.
    pub fn facts_place(&self) -> PathBuf {
        let mut name = self.out.as_os_str().to_owned();
        name.push(".facts.jsonl");
        PathBuf::from(name)
    }

    /// The taxonomy whose items the data are made of.
    pub(crate) fn taxonomy(&self) -> Result<Arc<Taxonomy>> {
        let wordnet = ["wordnet".to_owned()];
        taxonomy::load_all(if self.taxonomies.is_empty() { &wordnet } else { &self.taxonomies })
    }

    /// What was asked for, else what the file's name says.
    pub(crate) fn format_of(&self, card: &KindCard) -> Result<Format> {
        let [usual, endings] = card.made_up;
        match (self.format, Format::of_path(&self.out)) {
            (Some(format), _) | (None, Some(format)) => Ok(format),
            (None, None) if self.to_stdout() => Format::parse(usual),
            (None, None) => {
                Err(Error::parameter("out", format!("is `{}`, whose ending says no format", self.out.display()))
                    .with_hint(format!("end it with {endings}, or say `--format`")))
            }
        }
    }

    /// Writes what was planted beside the data, JSON lines, before the data get their name.
    pub(crate) fn write_facts(&self, lines: &str) -> Result<()> {
        self.write_beside(&self.facts_place(), lines.as_bytes())
    }

    /// Writes a further file, which must not exist, before the data get their name.
    pub(crate) fn write_beside(&self, place: &Path, bytes: &[u8]) -> Result<()> {
        refuse_existing(&self.out)?;
        refuse_existing(place)?;
        let failed = |cause| Error::io(format!("write {}", place.display()), cause);
        let (mut file, unfinished) = Pending::file(place, false).map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        pending::publish(vec![(unfinished, place.to_owned())])
    }

    /// Writes to the file, which must not exist, or to standard output.
    pub(crate) fn to_file(
        &self,
        stdout: &mut (dyn Write + Send),
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<u64>,
    ) -> Result<u64> {
        if self.to_stdout() {
            return write(stdout);
        }
        refuse_existing(&self.out)?;
        let failed = |cause| Error::io(format!("write {}", self.out.display()), cause);
        let (file, unfinished) = Pending::file(&self.out, false).map_err(failed)?;
        let mut writer = BufWriter::with_capacity(1 << 20, file);
        let rows = write(&mut writer)?;
        writer.flush().map_err(failed)?;
        pending::publish(vec![(unfinished, self.out.clone())])?;
        Ok(rows)
    }
}

/// Refuses a place where something stands.
pub(crate) fn refuse_existing(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(
            Error::refused(format!("{} exists already", path.display())).with_hint("choose another name, or remove it")
        );
    }
    Ok(())
}
