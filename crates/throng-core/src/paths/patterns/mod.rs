//! Patterns: sequences of cells that many people go through, with the times that it usually takes.
//!
//! Paper      Giannotti, Nanni, Pinelli, Pedreschi. Trajectory pattern mining. KDD 2007 (T-patterns). The search is that of Pei and others.
//!            PrefixSpan. ICDE 2001.
//! Promises   every pattern that is said has at least k persons, and every typical time is the mean of at least k persons'.
//! Does not   protect what several patterns say together.
//!
//! # Idea
//! 1. A track (a trip, or a person where there are none) is the sequence of its cells, repeated ones merged: when it entered each, and when
//!    it left.
//! 2. A track follows a sequence of cells if it goes through them in this order, others between them or not, and enters each at most
//!    `within` after it left the one before. A pattern has two cells or more, at most `longest`, none twice in a row.
//! 3. Patterns grow cell by cell as long as at least so many persons follow them: the support, or k if that is more.
//! 4. Typical times: step by step the interval of the width `tolerance`, on a grid of quarters of it, in which most persons' steps are, of
//!    those who were in the intervals before. If at the end there are as many persons as the support asks, these are the typical times.
//!    Of several ways in which a track follows a pattern to the same end, the one with the latest cells counts.
//!
//! # Cost
//! Time O(patterns · cells of tracks · cells within reach), memory that of the longest chain of patterns.

mod typical;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

pub use typical::Transition;

use super::cells::CellKeys;
use super::cube::Cells;
use crate::data::Paths;
use crate::data::paths::tracks::Tracks;
use crate::data::time::HOUR;
use crate::progress::Progress;
use crate::{Error, Result};

/// More patterns than this say nothing.
const MOST_PATTERNS: usize = 100_000;

/// How many persons follow a pattern, at least.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Support {
    /// So many.
    Persons(usize),
    /// That share of all.
    Share(f64),
}

/// What to look for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The cells.
    pub cells: Cells,
    /// How many persons follow a pattern, at least.
    pub support: Support,
    /// Never fewer than these.
    pub k: usize,
    /// A pattern has so many cells, at most.
    pub longest: usize,
    /// A step takes so many milliseconds, at most.
    pub within: i64,
    /// Typical times are intervals of so many milliseconds.
    pub tolerance: i64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            cells: Cells::Tile(14),
            support: Support::Share(0.05),
            k: 5,
            longest: 4,
            within: 24 * HOUR,
            tolerance: HOUR / 2,
        }
    }
}

/// A sequence of cells that many people go through.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pattern {
    /// The cells.
    pub cells: Vec<String>,
    /// How many persons follow it.
    pub persons: usize,
    /// How many of them in the typical times; nothing, if there are none.
    pub timed_persons: Option<usize>,
    /// How long each step usually takes, if enough persons take about as long.
    pub transitions: Option<Vec<Transition>>,
}

/// The patterns, the most followed first, then the shorter, then by the names of their cells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Patterns {
    /// So many persons had to follow each.
    pub support: usize,
    /// How many persons there are.
    pub persons: usize,
    /// How many tracks were looked at.
    pub tracks: usize,
    /// What was found.
    pub patterns: Vec<Pattern>,
}

/// Finds patterns.
pub fn patterns(paths: &Paths, params: &Params, progress: &dyn Progress) -> Result<Patterns> {
    check(params)?;
    let keys = CellKeys::of(paths, params.cells)?;
    let tracks = Tracks::natural(paths);
    let support = match params.support {
        Support::Persons(persons) => persons,
        Support::Share(share) => (share * paths.persons() as f64 - 1e-9).ceil() as usize,
    }
    .max(params.k);
    let sequences = (0..tracks.len()).into_par_iter().map(|track| Sequence::of(paths, &tracks, track, &keys)).collect();
    let search = Search { sequences, support, longest: params.longest, within: params.within };
    let starts = search.starts();
    progress.stage("patterns", starts.len() as u64);
    let grown = |(cell, ends): (u64, Vec<End>)| -> Result<Vec<Found>> {
        let mut found = Vec::new();
        search.grow(&mut vec![cell], &ends, &mut found)?;
        progress.advance(1);
        progress.go_on()?;
        Ok(found)
    };
    let found: Vec<Vec<Found>> = starts.into_par_iter().map(grown).collect::<Result<_>>()?;
    let found: Vec<Found> = found.into_iter().flatten().collect();
    if found.len() > MOST_PATTERNS {
        return Err(too_many());
    }
    let pattern = |found: &Found| {
        let typical = typical::typical(&found.times, params.tolerance, support);
        Pattern {
            cells: found.cells.iter().map(|&cell| keys.name(cell)).collect(),
            persons: found.persons,
            timed_persons: typical.as_ref().map(|(persons, _)| *persons),
            transitions: typical.map(|(_, transitions)| transitions),
        }
    };
    let mut patterns: Vec<Pattern> = found.par_iter().map(pattern).collect();
    patterns.sort_by(|left, right| {
        let order = |pattern: &Pattern| (std::cmp::Reverse(pattern.persons), pattern.cells.len());
        order(left).cmp(&order(right)).then_with(|| left.cells.cmp(&right.cells))
    });
    Ok(Patterns { support, persons: paths.persons(), tracks: tracks.len(), patterns })
}

/// Refuses what makes no sense, all of it at once.
fn check(params: &Params) -> Result<()> {
    let mut errors = Vec::new();
    if params.k < 2 {
        errors.push(Error::parameter("k", format!("is {}, but must be at least 2", params.k)));
    }
    match params.support {
        Support::Persons(0) => errors.push(Error::parameter("support", "is 0, but must be at least one person")),
        Support::Share(share) if !(share > 0.0 && share <= 1.0) => {
            errors.push(Error::parameter("support", format!("is {share}, but a share is above 0, at most 1")));
        }
        _ => {}
    }
    if !(2..=16).contains(&params.longest) {
        errors.push(Error::parameter("longest", format!("is {}, but must be from 2 to 16 cells", params.longest)));
    }
    for (name, millis) in [("within", params.within), ("tolerance", params.tolerance)] {
        if millis <= 0 {
            errors.push(Error::parameter(name, "must be more than 0"));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Error::parameters(errors)) }
}

fn too_many() -> Error {
    Error::refused(format!("there are more than {MOST_PATTERNS} patterns"))
        .with_hint("ask for more `--support`, coarser cells (`--cell tile:12`), or shorter patterns (`--longest 3`)")
}

/// A visit to a cell: which, when it was entered, and when it was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Visit {
    cell: u64,
    entered: i64,
    left: i64,
}

/// The visits of a track, in the order of time.
#[derive(Debug)]
struct Sequence {
    person: u32,
    visits: Vec<Visit>,
}

impl Sequence {
    fn of(paths: &Paths, tracks: &Tracks, track: usize, keys: &CellKeys<'_>) -> Self {
        let mut visits: Vec<Visit> = Vec::new();
        for point in tracks.range(track) {
            let Some(cell) = keys.key(point) else { continue };
            let time = paths.time(point);
            match visits.last_mut().filter(|visit| visit.cell == cell) {
                Some(visit) => visit.left = time,
                None => visits.push(Visit { cell, entered: time, left: time }),
            }
        }
        Self { person: tracks.person(track), visits }
    }
}

/// A visit of a sequence at which it has followed a pattern, and how long each step took.
#[derive(Debug, Clone)]
struct End {
    sequence: u32,
    visit: u32,
    times: Vec<i64>,
}

/// A pattern before its cells have names.
#[derive(Debug)]
struct Found {
    cells: Vec<u64>,
    persons: usize,
    /// Who, and how long each step took.
    times: Vec<(u32, Vec<i64>)>,
}

struct Search {
    sequences: Vec<Sequence>,
    support: usize,
    longest: usize,
    within: i64,
}

impl Search {
    /// The cells that enough persons visit, with their visits.
    fn starts(&self) -> Vec<(u64, Vec<End>)> {
        let mut ends: BTreeMap<u64, Vec<End>> = BTreeMap::new();
        for (sequence, at) in self.sequences.iter().zip(0..) {
            for (visit, place) in sequence.visits.iter().zip(0..) {
                ends.entry(visit.cell).or_default().push(End { sequence: at, visit: place, times: Vec::new() });
            }
        }
        ends.into_iter().filter(|(_, ends)| self.persons(ends) >= self.support).collect()
    }

    /// How many persons some ends are of; they come in the order of sequences, and these in that of persons.
    fn persons(&self, ends: &[End]) -> usize {
        let mut persons: Vec<u32> = ends.iter().map(|end| self.sequences[end.sequence as usize].person).collect();
        persons.dedup();
        persons.len()
    }

    /// All patterns that begin with some cells, which enough persons follow.
    fn grow(&self, cells: &mut Vec<u64>, ends: &[End], found: &mut Vec<Found>) -> Result<()> {
        if cells.len() == self.longest {
            return Ok(());
        }
        for (cell, ends) in self.next(cells[cells.len() - 1], ends) {
            let persons = self.persons(&ends);
            if persons < self.support {
                continue;
            }
            cells.push(cell);
            let person = |end: &End| (self.sequences[end.sequence as usize].person, end.times.clone());
            found.push(Found { cells: cells.clone(), persons, times: ends.iter().map(person).collect() });
            if found.len() > MOST_PATTERNS {
                return Err(too_many());
            }
            self.grow(cells, &ends, found)?;
            cells.pop();
        }
        Ok(())
    }

    /// Where sequences go from the ends of a pattern, by cell. Each visit is reached once, from the latest end before it.
    fn next(&self, last: u64, ends: &[End]) -> BTreeMap<u64, Vec<End>> {
        let mut next: BTreeMap<u64, Vec<End>> = BTreeMap::new();
        for own in ends.chunk_by(|left, right| left.sequence == right.sequence) {
            let visits = &self.sequences[own[0].sequence as usize].visits;
            let mut reached = Vec::new();
            for end in own {
                let from = visits[end.visit as usize];
                for (to, at) in visits.iter().zip(0_u32..).skip(end.visit as usize + 1) {
                    let took = to.entered - from.left;
                    if took > self.within {
                        break;
                    }
                    if to.cell != last {
                        reached.push((at, std::cmp::Reverse(end.visit), took, end));
                    }
                }
            }
            reached.sort_by_key(|&(at, from, _, _)| (at, from));
            reached.dedup_by_key(|(at, _, _, _)| *at);
            for (visit, _, took, end) in reached {
                let times = end.times.iter().copied().chain([took]).collect();
                let reached = End { sequence: end.sequence, visit, times };
                next.entry(visits[visit as usize].cell).or_default().push(reached);
            }
        }
        next
    }
}

#[cfg(test)]
mod tests;
