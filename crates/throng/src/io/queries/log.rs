//! Reading a file into a [`QueryLog`]: strings interned in parallel, lines grouped by person.
//!
//! # Idea
//! 1. Each block interns its own strings. 2. The strings of several blocks are looked for in the table of the whole, blocks in
//!    parallel; those that are new are added one block after the other, so that ids are the same for any number of threads.
//!    3. The columns grow line by line. At the end the lines are laid side by side for each person, one column after the
//!    other; where the file is grouped by person already, as AOL's is, there is nothing to do.
//!
//! # Cost
//! 16 bytes a line beside the distinct strings. While reading, 12 more for each distinct string, and up to 4 a line where
//! persons alternate; in a file that is not grouped by person, 8 a line at the end.

use rayon::prelude::*;
use throng_core::Result;
use throng_core::data::queries::{Columns, MISSING, Times};
use throng_core::data::time::exchange;
use throng_core::data::{Interner, QueryLog};
use throng_core::progress::Progress;

use super::super::{ColumnChoice, Location, Opened, ReadOptions};
use super::{Consumer, Row, Scanned, scan, scan_opened};

/// A log as read from a file.
#[derive(Debug)]
pub struct ReadLog {
    /// The log.
    pub log: QueryLog,
    /// Format, layout, refused lines.
    pub scanned: Scanned,
    /// The first line of each person.
    pub first_lines: Vec<u64>,
}

/// Reads a file into memory.
pub fn read_log(location: &Location, options: &ReadOptions, progress: &dyn Progress) -> Result<ReadLog> {
    let mut reading = Reading::new(options);
    let scanned = scan(location, options, &mut reading, progress)?;
    let first_lines = std::mem::take(&mut reading.first_lines);
    Ok(ReadLog { log: reading.finish(scanned.is_exchanged), scanned, first_lines })
}

/// Reads a file that is open already into memory.
pub fn read_opened_log(opened: Opened, options: &ReadOptions, progress: &dyn Progress) -> Result<ReadLog> {
    let mut reading = Reading::new(options);
    let scanned = scan_opened(opened, options, &mut reading, progress)?;
    let first_lines = std::mem::take(&mut reading.first_lines);
    Ok(ReadLog { log: reading.finish(scanned.is_exchanged), scanned, first_lines })
}

#[derive(Default)]
struct Reading {
    persons: Interner,
    queries: Interner,
    urls: Interner,
    /// Whose the lines are, block by block.
    owners: Vec<Owners>,
    query: Vec<u32>,
    time: Times,
    rank: Vec<u32>,
    url: Vec<u32>,
    /// The most lines of a block so far: the next will have about as many.
    most: usize,
    /// For each person the most that they ask for, 0 if they do not say; where it is read.
    wishes: Option<Vec<u32>>,
    /// The first line of each person.
    first_lines: Vec<u64>,
}

/// A block: its lines, with ids of its own dictionaries.
#[derive(Default)]
struct Block {
    persons: Interner,
    queries: Dictionary,
    urls: Dictionary,
    person: Vec<u32>,
    query: Vec<u32>,
    time: Vec<i64>,
    rank: Vec<u32>,
    url: Vec<u32>,
    /// Persons with what they ask for in a line.
    wishes: Vec<(u32, u32)>,
    /// For each person the first line of theirs in the block.
    first_lines: Vec<u64>,
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

    fn row(&self, block: &mut Block, row: &Row<'_>, line: u64) {
        // Lines of one person usually follow each other.
        let same = block.person.last().copied().filter(|&last| block.persons.strings().get(last) == row.person);
        let person = same.unwrap_or_else(|| block.persons.intern(row.person));
        if person as usize == block.first_lines.len() {
            block.first_lines.push(line);
        }
        block.person.push(person);
        block.query.push(block.queries.intern(row.query));
        block.time.push(row.local);
        block.rank.push(row.rank.unwrap_or(MISSING));
        block.url.push(row.url.map_or(MISSING, |url| block.urls.intern(url)));
        if let Some(wish) = row.wish.filter(|&wish| block.wishes.last() != Some(&(person, wish))) {
            block.wishes.push((person, wish));
        }
    }

    fn absorb(&mut self, blocks: Vec<(Block, u64)>) {
        self.most = blocks.iter().map(|(block, _)| block.person.len()).fold(self.most, usize::max);
        let (queries, urls) = rayon::join(
            || absorb(&mut self.queries, &blocks.iter().map(|(block, _)| &block.queries).collect::<Vec<_>>()),
            || absorb(&mut self.urls, &blocks.iter().map(|(block, _)| &block.urls).collect::<Vec<_>>()),
        );
        let persons: Vec<Vec<u32>> = blocks
            .iter()
            .map(|(block, _)| block.persons.strings().iter().map(|name| self.persons.intern(name)).collect())
            .collect();
        for ((block, before), numbers) in blocks.iter().zip(&persons) {
            for (&person, line) in numbers.iter().zip(&block.first_lines) {
                if person as usize == self.first_lines.len() {
                    self.first_lines.push(before + line);
                }
            }
        }
        if let Some(wishes) = &mut self.wishes {
            wishes.resize(self.persons.strings().len(), 0);
            for ((block, _), numbers) in blocks.iter().zip(&persons) {
                for &(person, wish) in &block.wishes {
                    let own = &mut wishes[numbers[person as usize] as usize];
                    *own = wish.max(*own);
                }
            }
        }
        let renumbered = blocks.into_par_iter().enumerate().map(|(at, (mut block, _))| {
            renumber(&mut block.query, &queries[at]);
            renumber(&mut block.url, &urls[at]);
            renumber(&mut block.person, &persons[at]);
            let Block { person, query, time, rank, url, .. } = block;
            (Owners::of(person), query, time, rank, url)
        });
        for (owners, query, time, rank, url) in renumbered.collect::<Vec<_>>() {
            self.owners.push(owners);
            self.query.extend_from_slice(&query);
            self.time.extend_from_slice(&time);
            self.rank.extend_from_slice(&rank);
            self.url.extend_from_slice(&url);
        }
    }
}

impl Reading {
    fn new(options: &ReadOptions) -> Self {
        let reads_wishes = options.columns.iter().any(ColumnChoice::is_of_wishes);
        Self { wishes: reads_wishes.then(Vec::new), ..Self::default() }
    }

    /// The log. Days and months of its times change places if they were read so.
    fn finish(self, is_exchanged: bool) -> QueryLog {
        let Self { persons, queries, urls, owners, query, time, rank, url, wishes, .. } = self;
        let time = if is_exchanged {
            (0..time.len()).map(|row| exchange(time.get(row))).collect::<Vec<_>>().into()
        } else {
            time
        };
        let (starts, grouped) = starts(&owners, persons.strings().len());
        // Where each line goes; nothing to do where the file is grouped by person already, as AOL's is.
        let places: Option<Vec<u32>> = (!grouped).then(|| {
            assert!(u32::try_from(query.len()).is_ok(), "more than four billion lines");
            let mut next: Vec<u32> = starts.iter().map(|&start| start as u32).collect();
            let mut places = Vec::with_capacity(query.len());
            for (person, lines) in owners.iter().flat_map(Owners::runs) {
                let first = next[person as usize];
                places.extend(first..first + lines);
                next[person as usize] += lines;
            }
            places
        });
        drop(owners);
        let place = |column: Vec<u32>| placed(column, places.as_deref());
        let (query, rank, url) = (place(query), place(rank), place(url));
        let time = match time.settled() {
            Times::Seconds { base, offsets } => Times::Seconds { base, offsets: place(offsets) },
            Times::Millis(millis) => Times::Millis(placed(millis, places.as_deref())),
        };
        let log = QueryLog::from_columns(Columns {
            persons: persons.into_strings(),
            queries: queries.into_strings(),
            urls: urls.into_strings(),
            starts,
            query,
            time,
            rank,
            url,
        });
        match wishes {
            Some(mut wishes) => {
                wishes.resize(log.persons(), 0);
                log.with_wishes(wishes)
            }
            None => log,
        }
    }
}

/// Whose the lines of a block are, in the smaller of two forms.
enum Owners {
    /// A person for each line.
    Each(Vec<u32>),
    /// Persons with the number of their lines that follow each other.
    Runs(Vec<(u32, u32)>),
}

impl Owners {
    fn of(persons: Vec<u32>) -> Self {
        let runs = persons.chunk_by(|left, right| left == right);
        if 2 * runs.clone().count() > persons.len() {
            return Self::Each(persons);
        }
        Self::Runs(runs.map(|run| (run[0], run.len() as u32)).collect())
    }

    /// Persons with the number of their lines that follow each other.
    fn runs(&self) -> impl Iterator<Item = (u32, u32)> {
        let (each, runs): (&[u32], &[(u32, u32)]) = match self {
            Self::Each(persons) => (persons, &[]),
            Self::Runs(runs) => (&[], runs),
        };
        each.iter().map(|&person| (person, 1)).chain(runs.iter().copied())
    }
}

/// Where the lines of each person start, and whether the lines are grouped by person already, in the order of persons.
fn starts(owners: &[Owners], persons: usize) -> (Vec<usize>, bool) {
    let mut starts = vec![0; persons + 1];
    let (mut grouped, mut last) = (true, 0);
    for (person, lines) in owners.iter().flat_map(Owners::runs) {
        starts[person as usize + 1] += lines as usize;
        grouped &= person >= last;
        last = person;
    }
    for person in 1..starts.len() {
        starts[person] += starts[person - 1];
    }
    (starts, grouped)
}

/// The values of a column, each line at its place; without places, as they are.
fn placed<T: Copy + Default>(mut column: Vec<T>, places: Option<&[u32]>) -> Vec<T> {
    let Some(places) = places else {
        column.shrink_to_fit();
        return column;
    };
    let mut at_places = vec![T::default(); column.len()];
    for (value, &place) in column.into_iter().zip(places) {
        at_places[place as usize] = value;
    }
    at_places
}

/// The strings of a block, with their hashes.
#[derive(Default)]
struct Dictionary {
    strings: Interner,
    hashes: Vec<u64>,
}

impl Dictionary {
    fn intern(&mut self, text: &str) -> u32 {
        let hash = Interner::hash(text);
        let number = self.strings.intern_hashed(text, hash);
        if number as usize == self.hashes.len() {
            self.hashes.push(hash);
        }
        number
    }
}

/// How many strings are looked for at once.
const NEAR: usize = 64;

/// Takes the strings of some blocks into the table of the whole, in order. Gives for each block the ids of its strings.
fn absorb(table: &mut Interner, blocks: &[&Dictionary]) -> Vec<Vec<u32>> {
    let known: &Interner = table;
    // Nearly all of the work: it waits for memory, so that many at once are many times faster.
    let look = |block: &&Dictionary| -> Vec<u32> {
        let mut ids = Vec::with_capacity(block.hashes.len());
        let mut texts = block.strings.strings().iter();
        for hashes in block.hashes.chunks(NEAR) {
            known.touch(hashes);
            ids.extend(
                hashes.iter().zip(&mut texts).map(|(&hash, text)| known.find_hashed(text, hash).unwrap_or(MISSING)),
            );
        }
        ids
    };
    let mut found: Vec<Vec<u32>> = blocks.par_iter().with_max_len(1).map(look).collect();
    for (ids, block) in found.iter_mut().zip(blocks) {
        for (at, id) in (0..).zip(ids).filter(|(_, id)| **id == MISSING) {
            *id = table.intern_hashed(block.strings.strings().get(at), block.hashes[at as usize]);
        }
    }
    found
}

/// Gives the ids of a column other numbers.
fn renumber(column: &mut [u32], numbers: &[u32]) {
    for id in column.iter_mut().filter(|id| **id != MISSING) {
        *id = numbers[*id as usize];
    }
}
