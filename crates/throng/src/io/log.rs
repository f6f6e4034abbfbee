//! Reading a file into a [`QueryLog`]: strings interned in parallel, lines grouped by person.
//!
//! # Idea
//! 1. Each block interns its own strings. 2. The strings of several blocks go into shards by hash, shards in parallel, blocks
//!    in order, so that ids are the same for any number of threads. 3. At the end the lines are laid side by side for each
//!    person, one column after the other, so that only one column is held twice.
//!
//! # Cost
//! 24 bytes a line while reading, 16 after, beside the distinct strings.

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
    queries: Shards,
    urls: Shards,
    parts: Vec<Part>,
}

/// The lines of a block, ids of its own dictionaries; after [`Reading::absorb`] ids of the whole.
#[derive(Default)]
struct Part {
    persons: Interner,
    queries: Dictionary,
    urls: Dictionary,
    person: Vec<u32>,
    query: Vec<u32>,
    time: Vec<i64>,
    rank: Vec<u32>,
    url: Vec<u32>,
}

impl Consumer for Reading {
    type Part = Part;

    fn part(&self) -> Part {
        Part::default()
    }

    fn row(&self, part: &mut Part, row: &Row<'_>, _line: u64) {
        // Lines of one person usually follow each other.
        let same = part.person.last().copied().filter(|&last| part.persons.strings().get(last) == row.person);
        let person = same.unwrap_or_else(|| part.persons.intern(row.person));
        part.person.push(person);
        part.query.push(part.queries.intern(row.query));
        part.time.push(row.time.millis);
        part.rank.push(row.rank.unwrap_or(MISSING));
        part.url.push(row.url.map_or(MISSING, |url| part.urls.intern(url)));
    }

    fn absorb(&mut self, parts: Vec<(Part, u64)>) {
        let mut parts: Vec<Part> = parts.into_iter().map(|(part, _)| part).collect();
        let queries = self.queries.absorb(parts.iter().map(|part| &part.queries).collect());
        let urls = self.urls.absorb(parts.iter().map(|part| &part.urls).collect());
        // Persons are numbered by first appearance: one after the other.
        let persons: Vec<Vec<u32>> = parts
            .iter()
            .map(|part| part.persons.strings().iter().map(|name| self.persons.intern(name)).collect())
            .collect();
        parts.par_iter_mut().enumerate().for_each(|(at, part)| {
            let renumber = |column: &mut [u32], ids: &[u32]| {
                for id in column.iter_mut().filter(|id| **id != MISSING) {
                    *id = ids[*id as usize];
                }
            };
            renumber(&mut part.person, &persons[at]);
            renumber(&mut part.query, &queries[at]);
            renumber(&mut part.url, &urls[at]);
            part.persons = Interner::new();
            part.queries = Dictionary::default();
            part.urls = Dictionary::default();
        });
        self.parts.append(&mut parts);
    }
}

impl Reading {
    fn finish(self) -> QueryLog {
        let Self { persons, queries, urls, mut parts } = self;
        let rows: usize = parts.iter().map(|part| part.person.len()).sum();
        let mut starts = vec![0usize; persons.strings().len() + 1];
        let mut grouped = true;
        let mut last = 0;
        for part in &parts {
            for &person in &part.person {
                starts[person as usize + 1] += 1;
                grouped &= person >= last;
                last = person;
            }
        }
        for person in 1..starts.len() {
            starts[person] += starts[person - 1];
        }
        // Where each line goes; nothing to do where the file is grouped by person already, as AOL's is.
        let places: Option<Vec<Vec<u32>>> = (!grouped).then(|| {
            assert!(u32::try_from(rows).is_ok(), "more than four billion lines");
            let mut next: Vec<u32> = starts.iter().map(|&start| start as u32).collect();
            let place = |part: &Part| {
                let place = |&person: &u32| {
                    let place = next[person as usize];
                    next[person as usize] += 1;
                    place
                };
                part.person.iter().map(place).collect()
            };
            parts.iter().map(place).collect()
        });
        for part in &mut parts {
            part.person = Vec::new();
        }
        let (queries, query_ids) = queries.finish();
        let (urls, url_ids) = urls.finish();
        let mut gather = |take: fn(&mut Part) -> Vec<u32>, renumber: &(dyn Fn(u32) -> u32 + Sync)| {
            let mut column = vec![0u32; rows];
            let mut start = 0;
            for (at, part) in parts.iter_mut().enumerate() {
                let values = take(part);
                match &places {
                    None => {
                        let target = &mut column[start..start + values.len()];
                        target
                            .par_iter_mut()
                            .with_min_len(1 << 14)
                            .zip(&values)
                            .for_each(|(to, &id)| *to = renumber(id));
                    }
                    Some(places) => {
                        for (&value, &place) in values.iter().zip(&places[at]) {
                            column[place as usize] = renumber(value);
                        }
                    }
                }
                start += values.len();
            }
            column
        };
        let query = gather(|part| std::mem::take(&mut part.query), &|id| query_ids.renumber(id));
        let url = gather(|part| std::mem::take(&mut part.url), &|id| url_ids.renumber(id));
        let rank = gather(|part| std::mem::take(&mut part.rank), &|rank| rank);
        let time = gather_times(&mut parts, places.as_deref(), rows);
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

fn gather_times(parts: &mut [Part], places: Option<&[Vec<u32>]>, rows: usize) -> Times {
    let spans = parts.par_iter().map(|part| {
        let (mut first, mut last, mut whole) = (i64::MAX, i64::MIN, true);
        for &time in &part.time {
            (first, last, whole) = (first.min(time), last.max(time), whole & (time % 1000 == 0));
        }
        (first, last, whole)
    });
    let merge = |a: (i64, i64, bool), b: (i64, i64, bool)| (a.0.min(b.0), a.1.max(b.1), a.2 & b.2);
    let (first, last, whole) = spans.reduce(|| (i64::MAX, i64::MIN, true), merge);
    if rows == 0 {
        return Times::default();
    }
    let mut times = Times::for_span(first, last, whole, rows);
    let mut start = 0;
    for (at, part) in parts.iter_mut().enumerate() {
        let values = std::mem::take(&mut part.time);
        for (offset, &time) in values.iter().enumerate() {
            let row = places.map_or(start + offset, |places| places[at][offset] as usize);
            times.set(row, time);
        }
        start += values.len();
    }
    times
}

/// The strings of a block with their hashes.
#[derive(Default)]
struct Dictionary {
    strings: Interner,
    hashes: Vec<u64>,
}

impl Dictionary {
    fn intern(&mut self, text: &str) -> u32 {
        let hash = Interner::hash(text);
        let id = self.strings.intern_hashed(text, hash);
        if id as usize == self.hashes.len() {
            self.hashes.push(hash);
        }
        id
    }
}

/// The strings of all blocks, dealt to shards by hash. A provisional id is `number in shard * SHARDS + shard`.
struct Shards(Vec<Interner>);

impl Default for Shards {
    fn default() -> Self {
        Self(vec![Interner::new(); SHARDS])
    }
}

impl Shards {
    fn shard_of(hash: u64) -> usize {
        // The table uses the low bits and its tags the high ones: take bits of the middle.
        (hash >> 20) as usize % SHARDS
    }

    /// Takes the strings of some blocks, in order, and gives each block the ids of its strings.
    fn absorb(&mut self, blocks: Vec<&Dictionary>) -> Vec<Vec<u32>> {
        let dealt: Vec<Vec<Vec<u32>>> = blocks
            .par_iter()
            .map(|block| {
                let capacity = block.hashes.len() / SHARDS * 2;
                let mut dealt: Vec<Vec<u32>> = (0..SHARDS).map(|_| Vec::with_capacity(capacity)).collect();
                for (id, &hash) in (0u32..).zip(&block.hashes) {
                    dealt[Self::shard_of(hash)].push(id);
                }
                dealt
            })
            .collect();
        let numbers: Vec<Vec<Vec<u32>>> = self
            .0
            .par_iter_mut()
            .enumerate()
            .map(|(shard, interner)| {
                let intern = |block: usize, &id: &u32| {
                    let dictionary = blocks[block];
                    let text = dictionary.strings.strings().get(id);
                    let number = interner.intern_hashed(text, dictionary.hashes[id as usize]) as usize;
                    u32::try_from(number * SHARDS + shard).expect("too many distinct strings")
                };
                let mut intern = intern;
                (0..blocks.len())
                    .map(|block| dealt[block][shard].iter().map(|id| intern(block, id)).collect())
                    .collect()
            })
            .collect();
        let ids = |block: usize| {
            let mut ids = vec![0; blocks[block].hashes.len()];
            for (shard, numbers) in numbers.iter().enumerate() {
                for (&id, &number) in dealt[block][shard].iter().zip(&numbers[block]) {
                    ids[id as usize] = number;
                }
            }
            ids
        };
        (0..blocks.len()).into_par_iter().map(ids).collect()
    }

    /// One table for all shards, and how provisional ids become final ones.
    fn finish(self) -> (Strings, FinalIds) {
        let mut all = Strings::new();
        let tables: Vec<Strings> = self.0.into_iter().map(Interner::into_strings).collect();
        all.reserve(tables.iter().map(Strings::len).sum(), tables.iter().map(Strings::byte_len).sum());
        let mut bases = [0; SHARDS];
        for (shard, table) in tables.into_iter().enumerate() {
            bases[shard] = all.len() as u32;
            all.append(&table);
        }
        (all, FinalIds(bases))
    }
}

struct FinalIds([u32; SHARDS]);

impl FinalIds {
    fn renumber(&self, id: u32) -> u32 {
        if id == MISSING { MISSING } else { self.0[id as usize % SHARDS] + id / SHARDS as u32 }
    }
}
