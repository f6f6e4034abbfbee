//! Reading a file into a [`QueryLog`]: strings interned in parallel, lines grouped by person.
//!
//! # Idea
//! 1. Each block interns its own strings, dealt to shards by hash. 2. The strings of several blocks go into the shards of
//!    the whole, shards in parallel, blocks in order, so that ids are the same for any number of threads. 3. At the end the
//!    lines are laid side by side for each person, one column after the other, so that only one column is held twice.
//!
//! # Cost
//! 20 bytes a line while reading, 16 after, beside the distinct strings.

use rayon::prelude::*;
use throng_core::Result;
use throng_core::data::queries::{Columns, MISSING, Times};
use throng_core::data::{Interner, QueryLog, Strings};
use throng_core::progress::Progress;

use super::scan::{Consumer, ReadOptions, Scanned, scan, scan_opened};
use super::{Location, Opened, Row};

/// A log as read from a file.
#[derive(Debug)]
pub struct ReadLog {
    /// The log.
    pub log: QueryLog,
    /// Format, layout, refused lines.
    pub scanned: Scanned,
}

/// Reads a file into memory.
pub fn read_log(location: &Location, options: &ReadOptions, progress: &dyn Progress) -> Result<ReadLog> {
    let mut reading = Reading::default();
    let scanned = scan(location, options, &mut reading, progress)?;
    Ok(ReadLog { log: reading.finish(), scanned })
}

/// Reads a file that is open already into memory.
pub fn read_opened_log(opened: Opened, options: &ReadOptions, progress: &dyn Progress) -> Result<ReadLog> {
    let mut reading = Reading::default();
    let scanned = scan_opened(opened, options, &mut reading, progress)?;
    Ok(ReadLog { log: reading.finish(), scanned })
}

/// How many shards the strings are dealt to. More than any number of threads is worth, few enough to stay cheap.
const SHARDS: usize = 32;

#[derive(Default)]
struct Reading {
    persons: Interner,
    queries: Shards<Interner>,
    urls: Shards<Interner>,
    blocks: Vec<Lines>,
    /// The most lines of a block so far: the next will have about as many.
    most: usize,
}

/// A block: its lines, with ids of its own dictionaries.
#[derive(Default)]
struct Block {
    persons: Interner,
    queries: Shards<Dictionary>,
    urls: Shards<Dictionary>,
    person: Vec<u32>,
    query: Vec<u32>,
    time: Vec<i64>,
    rank: Vec<u32>,
    url: Vec<u32>,
}

/// The lines of a block, with ids of the whole.
struct Lines {
    person: Vec<u32>,
    query: Vec<u32>,
    time: Times,
    rank: Vec<u32>,
    url: Vec<u32>,
}

impl Consumer for Reading {
    type Part = Block;

    fn part(&self) -> Block {
        Block {
            person: Vec::with_capacity(self.most),
            query: Vec::with_capacity(self.most),
            time: Vec::with_capacity(self.most),
            rank: Vec::with_capacity(self.most),
            url: Vec::with_capacity(self.most),
            ..Block::default()
        }
    }

    fn row(&self, block: &mut Block, row: &Row<'_>, _line: u64) {
        // Lines of one person usually follow each other.
        let same = block.person.last().copied().filter(|&last| block.persons.strings().get(last) == row.person);
        let person = same.unwrap_or_else(|| block.persons.intern(row.person));
        block.person.push(person);
        block.query.push(block.queries.intern(row.query));
        block.time.push(row.time.millis);
        block.rank.push(row.rank.unwrap_or(MISSING));
        block.url.push(row.url.map_or(MISSING, |url| block.urls.intern(url)));
    }

    fn absorb(&mut self, blocks: Vec<(Block, u64)>) {
        self.most = blocks.iter().map(|(block, _)| block.person.len()).fold(self.most, usize::max);
        let queries = self.queries.absorb(&blocks.iter().map(|(block, _)| &block.queries).collect::<Vec<_>>());
        let urls = self.urls.absorb(&blocks.iter().map(|(block, _)| &block.urls).collect::<Vec<_>>());
        // Persons are numbered by first appearance: one after the other.
        let persons: Vec<Vec<u32>> = blocks
            .iter()
            .map(|(block, _)| block.persons.strings().iter().map(|name| self.persons.intern(name)).collect())
            .collect();
        let renumbered = blocks.into_par_iter().enumerate().map(|(at, (mut block, _))| {
            for person in &mut block.person {
                *person = persons[at][*person as usize];
            }
            renumber(&mut block.query, |shard, number| queries[shard][at][number]);
            renumber(&mut block.url, |shard, number| urls[shard][at][number]);
            let Block { person, query, time, rank, url, .. } = block;
            Lines { person, query, time: time.into(), rank, url }
        });
        self.blocks.par_extend(renumbered);
    }
}

impl Reading {
    fn finish(self) -> QueryLog {
        let Self { persons, queries, urls, mut blocks, .. } = self;
        let ((queries, query_ids), ((urls, url_ids), (starts, grouped))) =
            rayon::join(|| queries.finish(), || (urls.finish(), starts(&blocks, persons.strings().len())));
        // Where each line goes; nothing to do where the file is grouped by person already, as AOL's is.
        let places: Option<Vec<Vec<u32>>> = (!grouped).then(|| {
            assert!(starts.last().is_some_and(|&rows| u32::try_from(rows).is_ok()), "more than four billion lines");
            let mut next: Vec<u32> = starts.iter().map(|&start| start as u32).collect();
            let place = |block: &Lines| {
                let place = |&person: &u32| {
                    let place = next[person as usize];
                    next[person as usize] += 1;
                    place
                };
                block.person.iter().map(place).collect()
            };
            blocks.iter().map(place).collect()
        });
        let places = places.as_deref();
        let mut take = |column: fn(&mut Lines) -> &mut Vec<u32>| -> Vec<Vec<u32>> {
            blocks.iter_mut().map(|block| std::mem::take(column(block))).collect()
        };
        drop(take(|block| &mut block.person));
        let query = gather(take(|block| &mut block.query), places, |_, id| query_ids.renumber(id));
        let url = gather(take(|block| &mut block.url), places, |_, id| url_ids.renumber(id));
        let rank = gather(take(|block| &mut block.rank), places, |_, rank| rank);
        let time = gather_times(blocks.into_iter().map(|block| block.time).collect(), places);
        QueryLog::from_columns(Columns {
            persons: persons.into_strings(),
            queries,
            urls,
            starts,
            query,
            time,
            rank,
            url,
        })
    }
}

/// Where the lines of each person start, and whether the lines are grouped by person already, in the order of persons.
fn starts(blocks: &[Lines], persons: usize) -> (Vec<usize>, bool) {
    let mut starts = vec![0; persons + 1];
    let (mut grouped, mut last) = (true, 0);
    for &person in blocks.iter().flat_map(|block| &block.person) {
        starts[person as usize + 1] += 1;
        grouped &= person >= last;
        last = person;
    }
    for person in 1..starts.len() {
        starts[person] += starts[person - 1];
    }
    (starts, grouped)
}

/// Lays the values of all blocks into one column, each line at its place; without places, one after the other.
/// `change` is given the number of the block and the value.
fn gather<T: Copy + Default + Send>(
    blocks: Vec<Vec<T>>,
    places: Option<&[Vec<u32>]>,
    change: impl Fn(usize, T) -> T + Sync,
) -> Vec<T> {
    let mut column = vec![T::default(); blocks.iter().map(Vec::len).sum()];
    if let Some(places) = places {
        for (at, block) in blocks.into_iter().enumerate() {
            for (value, &place) in block.into_iter().zip(&places[at]) {
                column[place as usize] = change(at, value);
            }
        }
        return column;
    }
    let mut rest = column.as_mut_slice();
    let targets: Vec<(&mut [T], Vec<T>)> = blocks
        .into_iter()
        .map(|block| (rest.split_off_mut(..block.len()).expect("the column holds all blocks"), block))
        .collect();
    targets.into_par_iter().enumerate().for_each(|(at, (target, block))| {
        for (to, value) in target.iter_mut().zip(block) {
            *to = change(at, value);
        }
    });
    column
}

fn gather_times(blocks: Vec<Times>, places: Option<&[Vec<u32>]>) -> Times {
    let spans = blocks.iter().filter_map(Times::span);
    let Some((first, last)) = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else { return Times::default() };
    let whole = blocks.iter().all(|block| block.is_empty() || matches!(block, Times::Seconds { .. }));
    match Times::for_span(first, last, whole, 0) {
        Times::Seconds { base, .. } => {
            let split = |block| match block {
                Times::Seconds { base: own, offsets } => ((own - base) as u32, offsets),
                Times::Millis(_) => (0, Vec::new()),
            };
            let (shifts, blocks): (Vec<u32>, Vec<Vec<u32>>) = blocks.into_iter().map(split).unzip();
            Times::Seconds { base, offsets: gather(blocks, places, |at, offset| shifts[at] + offset) }
        }
        Times::Millis(_) => {
            let millis = |block: Times| (0..block.len()).map(|row| block.get(row)).collect();
            Times::Millis(gather(blocks.into_iter().map(millis).collect(), places, |_, time| time))
        }
    }
}

/// Strings dealt to shards by hash. An id is `number in shard * SHARDS + shard`.
struct Shards<T>(Vec<T>);

impl<T: Default> Default for Shards<T> {
    fn default() -> Self {
        Self((0..SHARDS).map(|_| T::default()).collect())
    }
}

/// The strings of a block that belong to a shard, with their hashes.
struct Dictionary {
    strings: Interner,
    hashes: Vec<u64>,
}

impl Default for Dictionary {
    fn default() -> Self {
        // Room for about what a shard gets of a block.
        let (strings, bytes) = (1 << 10, 1 << 15);
        Self { strings: Interner::with_capacity(strings, bytes), hashes: Vec::with_capacity(strings) }
    }
}

impl Shards<Dictionary> {
    fn intern(&mut self, text: &str) -> u32 {
        let hash = Interner::hash(text);
        // The table uses the low bits and its tags the high ones: take bits of the middle.
        let shard = (hash >> 20) as usize % SHARDS;
        let Dictionary { strings, hashes } = &mut self.0[shard];
        let number = strings.intern_hashed(text, hash);
        if number as usize == hashes.len() {
            hashes.push(hash);
        }
        number * SHARDS as u32 + shard as u32
    }
}

impl Shards<Interner> {
    /// Takes the strings of some blocks, in order. Gives their numbers by shard, block and number in the block.
    fn absorb(&mut self, blocks: &[&Shards<Dictionary>]) -> Vec<Vec<Vec<u32>>> {
        let absorb = |(shard, interner): (usize, &mut Interner)| {
            let absorb = |block: &&Shards<Dictionary>| {
                let Dictionary { strings, hashes } = &block.0[shard];
                interner.touch(hashes);
                let texts = strings.strings().iter().zip(hashes);
                texts.map(|(text, &hash)| interner.intern_hashed(text, hash)).collect()
            };
            blocks.iter().map(absorb).collect()
        };
        self.0.par_iter_mut().enumerate().map(absorb).collect()
    }

    /// One table for all shards, and how ids become final ones.
    fn finish(self) -> (Strings, FinalIds) {
        let mut all = Strings::new();
        let tables: Vec<Strings> = self.0.into_iter().map(Interner::into_strings).collect();
        all.reserve(tables.iter().map(Strings::len).sum(), tables.iter().map(|table| table.text().len()).sum());
        let mut bases = [0; SHARDS];
        for (shard, table) in tables.into_iter().enumerate() {
            bases[shard] = all.len() as u32;
            all.append(&table);
        }
        (all, FinalIds(bases))
    }
}

/// Gives the ids of a column other numbers in their shards.
fn renumber(column: &mut [u32], number: impl Fn(usize, usize) -> u32) {
    for id in column.iter_mut().filter(|id| **id != MISSING) {
        let shard = *id as usize % SHARDS;
        let number = number(shard, *id as usize / SHARDS) as usize;
        *id = u32::try_from(number * SHARDS + shard).expect("too many distinct strings");
    }
}

struct FinalIds([u32; SHARDS]);

impl FinalIds {
    fn renumber(&self, id: u32) -> u32 {
        if id == MISSING { MISSING } else { self.0[id as usize % SHARDS] + id / SHARDS as u32 }
    }
}
