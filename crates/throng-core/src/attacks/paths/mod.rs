//! What attacks on paths have in common: cells with times that are known of persons, draws of them, and what comes of that.
//!
//! Nothing is guessed where no record fits: an attacker who finds nobody has no hit, and so a rate is the mean of 1 / candidates over the draws
//! in which the person's record is among them. Every person has one voice, however many draws.
//!
//! # Cost
//! Memory 20 bytes for each different fact of a record.

pub mod group;
pub mod home_work;
pub mod points;
pub mod sequence;
pub mod trip_link;

use serde_json::{Map, Value, json};

use super::{Asked, AttackInfo, Attempt, Outcome, Released, Setting, Truth};
use crate::data::paths::Mark;
use crate::data::time::HOUR;
use crate::data::{Paths, Strings};
use crate::error::{Error, Result};
use crate::models::k_anonymity;
use crate::paths::cube::Cells;
use crate::rng::Rng;

/// How finely somebody is known to have been somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacesKnown {
    /// The cells.
    pub cell: Cells,
    /// The times.
    pub time: TimeKnown,
}

/// How finely it is known when somebody was somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeKnown {
    /// The hour.
    Hour,
    /// The day.
    Day,
    /// Not at all.
    None,
}

impl Default for PlacesKnown {
    fn default() -> Self {
        Self { cell: Cells::Tile(15), time: TimeKnown::Day }
    }
}

impl PlacesKnown {
    /// Reads `tile:15` and `day`; what is not given is as usual.
    pub fn parse(cell: Option<&str>, time: Option<&str>) -> Result<Self> {
        let usual = Self::default();
        let cell = cell.map(Cells::parse).transpose()?.unwrap_or(usual.cell);
        if let Cells::Quad(..) = cell {
            return Err(Error::parameter("cell", format!("is `{cell}`, but what is known are cells of one size"))
                .with_hint("for example `--cell tile:15`, `--cell h3:8` or `--cell place`"));
        }
        let time = match time {
            None => usual.time,
            Some("hour") => TimeKnown::Hour,
            Some("day") => TimeKnown::Day,
            Some("none") => TimeKnown::None,
            Some(other) => return Err(Error::unknown("time to know", other, ["hour", "day", "none"])),
        };
        Ok(Self { cell, time })
    }
}

impl TimeKnown {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::None => "none",
        }
    }

    /// The number of the hour or day of a time since 1970; always the same where no time is known.
    fn bin(self, time: i64) -> i64 {
        match self {
            Self::Hour => time.div_euclid(HOUR),
            Self::Day => time.div_euclid(24 * HOUR),
            Self::None => 0,
        }
    }
}

/// A cell, and the bin of time in which somebody was there.
type Fact = (u64, i64);

/// What no cell of an original is called.
const ELSEWHERE: u64 = 1 << 63;

/// The numbers of cells, the same in the original and in a release: places are called by their numbers in the original.
struct Numbering {
    cells: Cells,
    /// The names of places of the original.
    places: Strings,
}

impl Numbering {
    fn of(original: &Paths, cells: Cells) -> Result<Self> {
        if cells == Cells::Place && !original.has(Mark::Place) {
            return Err(Error::parameter("cell", "is `place`, but no point of the original has one")
                .with_hint("`--column place=…` names the column of places"));
        }
        let places = if cells == Cells::Place { original.texts(Mark::Place).clone() } else { Strings::new() };
        Ok(Self { cells, places })
    }

    /// The cell of a point of the original, if it has one.
    fn before(&self, original: &Paths, point: usize) -> Option<u64> {
        self.cells.of(original, point)
    }

    /// The cells of points of the release.
    fn after<'p>(&self, release: &'p Paths) -> impl Fn(usize) -> Option<u64> + Sync + use<'p> {
        let cells = self.cells;
        let places = match cells {
            Cells::Place => release.texts(Mark::Place).ids_in(&self.places),
            _ => Vec::new(),
        };
        move |point| {
            let cell = cells.of(release, point)?;
            match cells {
                Cells::Place => Some(places[cell as usize].map_or(ELSEWHERE | cell, u64::from)),
                _ => Some(cell),
            }
        }
    }
}

/// The different facts of a person, in rising order.
fn facts_of(paths: &Paths, person: usize, time: TimeKnown, cell: impl Fn(usize) -> Option<u64>) -> Vec<Fact> {
    let fact = |point: usize| Some((cell(point)?, time.bin(paths.time(point))));
    let mut facts: Vec<Fact> = paths.range(person).filter_map(fact).collect();
    facts.sort_unstable();
    facts.dedup();
    facts
}

/// Which records of a release have which facts.
struct Index<F> {
    /// Facts with the numbers of records that have them, in rising order, each once.
    entries: Vec<(F, u32)>,
    multiplicity: Vec<u32>,
}

impl<F: Ord + Copy> Index<F> {
    fn new(released: Released<'_, Paths>, facts_of: impl Fn(usize) -> Vec<F>) -> Self {
        let mut entries = Vec::new();
        for record in 0..released.data.persons() {
            entries.extend(facts_of(record).into_iter().map(|fact| (fact, record as u32)));
        }
        entries.sort_unstable();
        entries.dedup();
        Self { entries, multiplicity: released.multiplicity.to_vec() }
    }

    fn with(&self, fact: F) -> &[(F, u32)] {
        let start = self.entries.partition_point(|entry| entry.0 < fact);
        let length = self.entries[start..].partition_point(|entry| entry.0 == fact);
        &self.entries[start..start + length]
    }

    /// The records that have all of some facts.
    fn candidates(&self, facts: &[F]) -> Vec<u32> {
        let mut lists: Vec<&[(F, u32)]> = facts.iter().map(|&fact| self.with(fact)).collect();
        lists.sort_by_key(|list| list.len());
        let Some((fewest, others)) = lists.split_first() else { return Vec::new() };
        let has = |list: &[(F, u32)], record: u32| list.binary_search_by_key(&record, |entry| entry.1).is_ok();
        let in_all = |record: &u32| others.iter().all(|list| has(list, *record));
        fewest.iter().map(|entry| entry.1).filter(in_all).collect()
    }
}

/// What came of one draw.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Drawn {
    attempt: Attempt,
    /// Whether it leads to one candidate.
    is_unique: bool,
}

impl Drawn {
    /// Of candidates, each of whom stands for so many persons.
    fn of(truth: Truth<'_, Paths>, person: u32, candidates: &[u32], multiplicity: &[u32]) -> Self {
        let all: u64 = candidates.iter().map(|&record| u64::from(multiplicity[record as usize])).sum();
        let own = truth.records_of(person).filter(|record| candidates.binary_search(record).is_ok()).count();
        let hit = if all > 0 { own as f64 / all as f64 } else { 0.0 };
        Self { attempt: Attempt { hit, found: if own > 0 { 1.0 } else { 0.0 } }, is_unique: all == 1 }
    }
}

/// The outcome of draws on persons, of whom so many others had too little to be known.
fn outcome(card: &AttackInfo, drawn: &[&[Drawn]], left_out: usize, knowledge: Value) -> Outcome {
    let attempts: Vec<Attempt> =
        drawn.iter().map(|draws| Attempt::mean(draws.iter().map(|draw| draw.attempt))).collect();
    let unique =
        |draws: &&[Drawn]| draws.iter().filter(|draw| draw.is_unique).count() as f64 / draws.len().max(1) as f64;
    let unique: f64 = drawn.iter().map(unique).sum();
    let unique = (!drawn.is_empty()).then(|| unique / drawn.len() as f64);
    let own = Map::from_iter([("unique".to_owned(), json!(unique)), ("left_out".to_owned(), json!(left_out))]);
    Outcome { own, ..Outcome::of(card, &attempts) }.with_knowledge(knowledge)
}

/// One outcome for each setting. The draws on a target stand one setting after the other; `counts` says how many there are of a target in a
/// setting, none of those who are left out.
fn outcomes(
    card: &AttackInfo,
    settings: &[Setting],
    drawn: &[Vec<Drawn>],
    counts: impl Fn(usize, usize) -> usize,
    knowledge: impl Fn(usize) -> Value,
) -> Vec<Outcome> {
    let mut starts = vec![0; drawn.len()];
    let mut of = |(number, setting): (usize, &Setting)| {
        let mut of_persons = Vec::new();
        for (target, start) in starts.iter_mut().enumerate() {
            let end = *start + counts(target, number);
            if end > *start {
                of_persons.push(&drawn[target][*start..end]);
            }
            *start = end;
        }
        outcome(card, &of_persons, drawn.len() - of_persons.len(), knowledge(setting.p))
    };
    settings.iter().enumerate().map(&mut of).collect()
}

/// The same with what guessing blindly among the persons of a release achieves, and what a claim promises.
fn compared(outcome: Outcome, persons: u64, asked: &Asked) -> Outcome {
    outcome
        .with_baseline((persons > 0).then(|| 1.0 / persons as f64))
        .with_bound(asked.one_in_k(k_anonymity::USER.name))
}

/// Draws of `p` of `count` things: all that there are, if they are no more than so many draws; else as many at random. None if there are
/// fewer than `p`.
fn draws(count: usize, p: usize, most: usize, rng: &mut Rng) -> Vec<Vec<u32>> {
    if count < p {
        return Vec::new();
    }
    match ways(count, p, most) {
        Some(_) => combinations(count as u32, p),
        None => (0..most).map(|_| rng.sample(count, p)).collect(),
    }
}

/// In how many ways `p` of `count` things can be chosen, if not in more than so many.
fn ways(count: usize, p: usize, most: usize) -> Option<usize> {
    let p = p.min(count - p);
    let mut ways = 1_usize;
    for step in 0..p {
        // Exact at every step: a product of step + 1 numbers in a row.
        ways = ways * (count - step) / (step + 1);
        if ways > most {
            return None;
        }
    }
    Some(ways)
}

/// All choices of `p` of `count` things.
fn combinations(count: u32, p: usize) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    let mut chosen: Vec<u32> = (0..p as u32).collect();
    loop {
        all.push(chosen.clone());
        let can_rise = |at: &usize| chosen[*at] < count - (p - at) as u32;
        let Some(at) = (0..p).rev().find(can_rise) else { return all };
        chosen[at] += 1;
        for later in at + 1..p {
            chosen[later] = chosen[later - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests;
