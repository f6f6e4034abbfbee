//! How much memory protecting a search log takes, judged before it is read.
//!
//! # Idea
//! Every stage holds some of the same things: lines, tables of strings, hashes of strings, buffers. Their sizes follow from the
//! size of the log; what a run needs is what its greediest stage holds at once. The numbers for each thing are those of its
//! data structures; what is left over (code, stacks, memory that the system has not taken back) was measured, on made-up logs
//! of 10 thousand and 65 thousand persons.

use serde_json::Value;
use throng_core::data::QueryLog;
use throng_core::measures::{MOST_COMPARED, Measure, MeasureInfo, Memory};
use throng_core::methods::Method;
use throng_core::{Error, Need, Result};

use crate::io::{LogSize, TableSize, blocks_at_once};
use crate::run::Skipped;

/// What a run holds whatever its data are.
const BASE: f64 = 20e6;
/// A person of a sample who is compared with their record, by distance or by meaning.
const COMPARED: f64 = 22e3;
/// What other data than a log take for a byte of their text: as measured on 50 thousand and 200 thousand baskets with `flock`,
/// and on 300 documents.
const BYTES_A_BYTE: f64 = 12.0;
/// A taxonomy with its lexicon.
const TAXONOMY: f64 = 60e6;
/// What a query string means.
const MEANING: f64 = 48.0;
/// What a query string is made of, words and concepts.
const MADE_OF: f64 = 30.0;
/// A query string that was cut: its text, what it means and is made of, and its number.
const CUT: f64 = 24.0;
/// The words of a query string while it is cut, in all their orders.
const CUTTING: f64 = 110.0;
/// A block of text while it is read, one that waits for its turn, and what becomes of them.
const BLOCK: f64 = 14e6;
/// The pairs and strings of the persons of a block, for each thread.
const GROUPING: f64 = 24e6;
/// Rows that were formatted and wait to be written, for each thread.
const WRITING: f64 = 24e6;
/// What was freed and not given back: as a share of all, and of the first blocks of text.
const UNUSED: f64 = 0.15;
const UNUSED_BLOCKS: f64 = 100e6;

/// A number of bytes as people write it: `4G`, `500M`, `1.5G`, also `4GB`; `GiB` and the like are powers of two.
pub fn parse(text: &str) -> Result<u64> {
    let wrong = || {
        Error::parameter("memory", format!("is `{text}`, but must be a number of bytes"))
            .with_hint("for example `--memory 4G`, `500M` or `1.5G`")
    };
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let unit = unit.trim().to_ascii_lowercase();
    let (letter, is_binary) = match unit.strip_suffix("ib") {
        Some(letter) => (letter, true),
        None => (unit.strip_suffix('b').unwrap_or(&unit), false),
    };
    let power = match letter {
        "" if !is_binary => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(wrong()),
    };
    let bytes = number * if is_binary { 1024f64 } else { 1000f64 }.powi(power);
    if bytes < 1.0 { Err(wrong()) } else { Ok(bytes as u64) }
}

/// A number of bytes in words: millions, or thousands of millions.
pub fn shown(bytes: f64) -> String {
    if bytes < 950e6 {
        format!("{:.0} MB", (bytes / 1e6).ceil())
    } else {
        format!("{:.1} GB", (bytes / 1e8).ceil() / 10.0)
    }
}

/// What a run is asked to do, as far as it takes memory.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// The size of the log.
    pub log: LogSize,
    /// The least size of groups.
    pub k: usize,
    /// How many threads there are.
    pub threads: usize,
    /// How many blocks of text are read at once.
    pub blocks: usize,
    /// Whether all pairs of persons are compared.
    pub is_whole: bool,
    /// The size of blocks that was asked for, else 0.
    pub block_size: usize,
    /// Whether a taxonomy is loaded.
    pub has_taxonomy: bool,
    /// Whether the method must know what all strings mean.
    pub by_meaning: bool,
    /// Whether it holds a copy of the log that was cut to what several persons say.
    pub is_cut: bool,
}

impl Work {
    /// What the run needs, in bytes.
    pub fn needs(&self) -> f64 {
        let stages = [
            self.reading(),
            self.accounts(),
            self.cutting(),
            self.grouping(),
            self.records(),
            self.writing(),
            self.checking(),
            self.comparing(),
            self.measuring(),
        ];
        self.in_all(stages.into_iter().fold(0.0, f64::max))
    }

    /// What is needed where so much is held by the data.
    fn in_all(&self, data: f64) -> f64 {
        let taxonomy = if self.has_taxonomy { TAXONOMY } else { 0.0 };
        BASE + taxonomy + (4.0 * self.log.text).min(UNUSED_BLOCKS) + (1.0 + UNUSED) * data
    }

    /// What the run needs while a measure is taken.
    pub fn with_measure(&self, card: &MeasureInfo) -> f64 {
        let (strings, records) = (self.log.queries, self.released(self.log.queries));
        let own = match card.memory {
            Memory::Little => 0.0,
            Memory::Strings { original, release, hashed } => {
                let hashes = if hashed { hashes(records) } else { 0.0 };
                f64::from(original) * strings.strings + f64::from(release) * records.strings + hashes
            }
            Memory::Sample => COMPARED * self.log.persons.strings.min(MOST_COMPARED as f64),
            Memory::Meaning => MEANING * (strings.strings + records.strings),
        };
        self.in_all(self.published() + own)
    }

    fn reading(&self) -> f64 {
        let LogSize { persons, queries, urls, .. } = self.log;
        original(self.log) + hashes(queries) + hashes(urls) + hashes(persons) + self.buffers()
    }

    /// Finding alike accounts: a hash and a number for each string, and an index of those that are rare.
    fn accounts(&self) -> f64 {
        let shared = 4.0 * self.threads as f64 * self.log.persons.strings;
        original(self.log) + 24.0 * self.log.queries.strings + 8.0 * self.log.rows + shared
    }

    /// Cutting to what several persons say: the words of each string in several orders, and who issued it.
    fn cutting(&self) -> f64 {
        let cut = CUTTING * self.log.queries.strings + 4.0 * self.log.rows;
        self.original() + if self.is_cut { cut } else { 0.0 }
    }

    /// Checking that against the original: the forms and words of its strings, who has which, and which accounts share them.
    fn comparing(&self) -> f64 {
        let LogSize { queries, rows, .. } = self.log;
        let compared = table(queries) + hashes(queries) + 8.0 * queries.strings + 16.0 * rows;
        self.published() + self.release() + if self.is_cut { compared } else { 0.0 }
    }

    fn grouping(&self) -> f64 {
        let persons = self.log.persons.strings;
        // In blocks: the distances of one for each thread, and as much again for refining its groups.
        let block = self.block_size.max(8 * self.k).min(self.log.persons.strings as usize) as f64;
        let in_blocks = self.threads as f64 * GROUPING.max(8.0 * block * block);
        let pairs = if self.is_whole { 4.0 * persons * persons } else { in_blocks };
        // The host of each URL twice, for distances and for records; a sketch and a group for each person.
        self.original() + self.beside() + 3.0 * table(self.log.urls) + 64.0 * persons + pairs
    }

    fn records(&self) -> f64 {
        // Times are twice as long while the log of records grows.
        let growing = 8.0 * self.record_rows() + 4.0 * self.log.queries.strings;
        self.original() + self.beside() + table(self.log.urls) + self.release() + growing
    }

    fn writing(&self) -> f64 {
        self.published() + self.threads as f64 * WRITING
    }

    fn checking(&self) -> f64 {
        self.published() + 48.0 * self.log.persons.strings + hashes(self.log.persons) + self.buffers()
    }

    fn measuring(&self) -> f64 {
        // Who issued the strings that were drawn to see how exposed people are.
        self.published() + 5.0 * self.log.queries.strings + 2.0 * self.log.rows
    }

    fn buffers(&self) -> f64 {
        self.blocks as f64 * BLOCK
    }

    /// The log, with what it means if the method wants to know.
    fn original(&self) -> f64 {
        original(self.log) + self.meaning()
    }

    fn meaning(&self) -> f64 {
        if self.by_meaning { MEANING * self.log.queries.strings } else { 0.0 }
    }

    /// What the method holds beside the log while it works: what strings are made of, and a copy that was cut.
    fn beside(&self) -> f64 {
        let made_of = if self.by_meaning { MADE_OF * self.log.queries.strings } else { 0.0 };
        let cut = if self.is_cut { CUT * self.log.queries.strings + 16.0 * self.log.rows } else { 0.0 };
        made_of + cut
    }

    /// Original and release, and who becomes whom.
    fn published(&self) -> f64 {
        self.original() + self.release() + 120.0 * self.log.persons.strings
    }

    fn record_rows(&self) -> f64 {
        self.log.rows / self.k.max(1) as f64
    }

    /// The strings of a table that are in the release, at most.
    fn released(&self, table: TableSize) -> TableSize {
        let share = (self.record_rows() / table.strings.max(1.0)).min(1.0);
        TableSize { strings: share * table.strings, bytes: share * table.bytes }
    }

    fn release(&self) -> f64 {
        16.0 * self.record_rows() + table(self.released(self.log.queries)) + table(self.released(self.log.urls))
    }
}

/// The persons that every method compares all with all.
const COMPARED_AT_ONCE: f64 = 5_000.0;
/// The fewest blocks of text that are read at once.
const FEWEST_BLOCKS: usize = 2;

/// How a run fits into the memory that it is allowed.
#[derive(Debug, Default)]
pub struct Fit {
    /// How many blocks of text may be read at once, if that is limited.
    pub at_once: Option<usize>,
    /// Measures that do not fit.
    pub skipped: Vec<Skipped>,
}

/// Judges data by the bytes of their text.
pub(crate) fn fit_bytes(limit: u64, text: f64) -> Result<Fit> {
    refuse_above(limit, needs_of_bytes(text), ALLOW)?;
    Ok(Fit::default())
}

/// What a run on other data than a log needs, by the bytes of their text.
pub(crate) fn needs_of_bytes(text: f64) -> f64 {
    BASE + TAXONOMY + BYTES_A_BYTE * text
}

/// What a run on a search log of this size needs.
pub(crate) fn needs_of_log(
    log: LogSize,
    method: &dyn Method<QueryLog>,
    measures: &[&'static dyn Measure<QueryLog>],
) -> f64 {
    let work = usual_work(log, method, measures);
    measures.iter().map(|measure| work.with_measure(measure.info())).fold(work.needs(), f64::max)
}

const ALLOW: &str = "allow that much, or protect a part of the persons";

fn refuse_above(limit: u64, needed: f64, hint: &str) -> Result<()> {
    if needed <= limit as f64 {
        return Ok(());
    }
    let (needed, allowed) = (shown(needed), shown(limit as f64));
    Err(Error::refused(format!("this needs about {needed} of memory, and `--memory` allows {allowed}")).with_hint(hint))
}

/// Judges a run on a search log of this size. Refuses one that does not fit; takes away measures that do not.
pub(crate) fn fit_log(
    limit: u64,
    log: LogSize,
    method: &dyn Method<QueryLog>,
    measures: &mut Vec<&'static dyn Measure<QueryLog>>,
) -> Result<Fit> {
    let usual = usual_work(log, method, measures);
    let (by_meaning, is_exact) = (usual.by_meaning, is_exact(method));
    // First fewer blocks at once, then no measures that need a taxonomy.
    let fewer = Work { blocks: FEWEST_BLOCKS, ..usual };
    let least = Work { has_taxonomy: by_meaning, ..fewer };
    refuse_above(limit, least.needs(), if is_exact { "allow that much, or leave out `--exact`" } else { ALLOW })?;
    let work = [usual, fewer].into_iter().find(|work| work.needs() <= limit as f64).unwrap_or(least);
    let mut skipped = Vec::new();
    measures.retain(|measure| {
        let card = measure.info();
        let has_taxonomy = work.has_taxonomy || card.needs.contains(&Need::Meaning);
        let with_measure = Work { has_taxonomy, ..work };
        let needed = with_measure.needs().max(with_measure.with_measure(card));
        let fits = needed <= limit as f64;
        if !fits {
            let reason = format!("needs about {} of memory, above what `--memory` allows", shown(needed));
            skipped.push(Skipped { name: card.info.name, reason });
        }
        fits
    });
    Ok(Fit { at_once: Some(work.blocks), skipped })
}

fn is_exact(method: &dyn Method<QueryLog>) -> bool {
    method.parameters().get("exact").and_then(Value::as_bool).unwrap_or(false)
}

/// A run with all measures, and as many blocks of text at once as threads can use.
fn usual_work(log: LogSize, method: &dyn Method<QueryLog>, measures: &[&'static dyn Measure<QueryLog>]) -> Work {
    let (parameters, by_meaning) = (method.parameters(), method.needs_meaning());
    Work {
        log,
        k: parameters.get("k").and_then(Value::as_u64).unwrap_or(5) as usize,
        threads: rayon::current_num_threads(),
        blocks: blocks_at_once(),
        is_whole: is_exact(method) || log.persons.strings <= COMPARED_AT_ONCE,
        block_size: parameters.get("block-size").and_then(Value::as_u64).unwrap_or(0) as usize,
        has_taxonomy: by_meaning || measures.iter().any(|measure| measure.info().needs.contains(&Need::Meaning)),
        by_meaning,
        is_cut: method.cuts_content(),
    }
}

/// A log in memory.
fn original(log: LogSize) -> f64 {
    16.0 * log.rows + 8.0 * log.persons.strings + table(log.persons) + table(log.queries) + table(log.urls)
}

fn table(size: TableSize) -> f64 {
    size.bytes + 4.0 * size.strings
}

/// The hashes of the strings of a table while it grows.
fn hashes(size: TableSize) -> f64 {
    let places = (8.0 * size.strings / 7.0).max(4.0).log2().ceil().exp2();
    9.0 * places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_as_people_write_them() {
        for (text, bytes) in [
            ("4G", 4_000_000_000),
            ("500M", 500_000_000),
            ("1.5g", 1_500_000_000),
            ("2GiB", 2 << 30),
            ("64 kB", 64_000),
            ("7", 7),
        ] {
            assert_eq!(parse(text).unwrap(), bytes, "{text}");
        }
        for text in ["", "G", "4X", "0", "-1G", "1.5.2G", "4 iB", "many"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!((shown(1.2e6), shown(2.31e9)), ("2 MB".to_owned(), "2.4 GB".to_owned()));
    }
}
