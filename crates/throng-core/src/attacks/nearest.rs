//! The record that is nearest to what is known of a person, by mixes: words alone, or words and concepts as for `interests-kept`.
//!
//! # Formula
//! Near is a small sum of JSD(mixes), each between 0 and 1. Only what two mixes have in common counts: JSD = 1 − (sum over common things) / 2.
//!
//! # Readings
//! Ours: who has no concept is looked for by words alone, and the other way round. Distances that differ by less than 1e-9 are equal.
//!
//! # Cost
//! Time of a person: the records that share a word or concept with them, once for each. Memory 8 bytes for each different word and concept of a
//! record.

use std::hash::BuildHasher as _;
use std::sync::Arc;

use hashbrown::HashTable;
use rayon::prelude::*;

use super::candidates::{Candidates, Matched};
use super::{Attempt, Knowing, Released};
use crate::concepts::mixes::Mix;
use crate::data::Dataset;
use crate::data::queries::MISSING;
use crate::distance::divergence::weighted_log;
use crate::error::Result;

/// Distances that differ by less are equal; in common is twice as much.
const EQUAL: f64 = 2.0 * 1e-9;

/// Some persons, and what is known of each: so many mixes, as an index has.
pub(super) trait KnownMixes: Sync {
    /// The persons of the original.
    fn targets(&self) -> &[u32];
    /// What is known of one of them, by their place.
    fn mixes(&self, target: usize) -> &[Mix];
}

/// Takes the nearest record for that of each target: the index of the release, what is known, and what became of each target.
pub(super) fn take_nearest<D: Dataset, K: KnownMixes, T>(
    knowing: Knowing<'_, D, K>,
    look: impl FnOnce(Released<'_, D>, &K) -> Result<Nearest>,
    result: impl FnOnce(&Nearest, &K, &[Attempt]) -> T,
) -> Result<T> {
    knowing.looking(look)?.all(
        |known| known.targets().len(),
        |nearest, known, target, say| say(nearest.candidates(known.mixes(target))),
        |truth, nearest, known, target, candidates: Candidates| {
            // Each of several pseudonyms of a person is a hit.
            let records = truth.records_of(known.targets()[target]).filter_map(|record| nearest.record(record));
            records.fold(Attempt::default(), |sum, record| {
                let own = candidates.attempt(Some(record), nearest.persons());
                Attempt { hit: sum.hit + own.hit, found: sum.found.max(own.found) }
            })
        },
        |nearest, known, attempts| {
            let persons: Vec<Attempt> = attempts.iter().flatten().copied().collect();
            result(nearest, known, &persons)
        },
    )
}

/// An index of records.
pub(super) struct Nearest {
    /// By each sort of mix.
    indices: Vec<Index>,
    record_of: Vec<u32>,
    multiplicity: Vec<u32>,
    persons: u64,
}

impl Nearest {
    /// Of different records with their mixes, each sort by sort: the number that each record of a release has among them, or [`MISSING`] for
    /// one that is nobody's, and for how many persons each of them stands.
    pub(super) fn new(mixes: &[&[Mix]], record_of: Vec<u32>, multiplicity: Vec<u32>) -> Self {
        let sorts = mixes.first().map_or(0, |mixes| mixes.len());
        let index = |sort: usize| Index::of(&mixes.iter().map(|mixes| &mixes[sort]).collect::<Vec<_>>());
        Self {
            indices: (0..sorts).map(index).collect(),
            record_of,
            persons: multiplicity.iter().map(|&persons| u64::from(persons)).sum(),
            multiplicity,
        }
    }

    /// Of the records of a release, which stand for so many persons each: those with equal mixes are one.
    pub(super) fn of_equal(mixes: &[[Mix; 1]], multiplicity: &[u32]) -> Self {
        let hasher = foldhash::fast::FixedState::default();
        let hashes: Vec<u64> = mixes.par_iter().map(|mixes| hasher.hash_one(mixes)).collect();
        let mut numbers: HashTable<(u64, u32)> = HashTable::new();
        let (mut different, mut persons): (Vec<&[Mix]>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut record_of = vec![MISSING; multiplicity.len()];
        for (record, &stands_for) in multiplicity.iter().enumerate().filter(|(_, stands_for)| **stands_for > 0) {
            let (hash, own) = (hashes[record], &mixes[record][..]);
            let is_same = |&(other, number): &(u64, u32)| other == hash && different[number as usize] == own;
            let number = match numbers.find(hash, is_same) {
                Some(&(_, number)) => number,
                None => {
                    let number = different.len() as u32;
                    numbers.insert_unique(hash, (hash, number), |&(hash, _)| hash);
                    different.push(own);
                    persons.push(0);
                    number
                }
            };
            persons[number as usize] += stands_for;
            record_of[record] = number;
        }
        Self::new(&different, record_of, persons)
    }

    /// How many persons there are.
    pub(super) fn persons(&self) -> u64 {
        self.persons
    }

    /// The number that a record has here, if it is somebody's.
    pub(super) fn record(&self, record: u32) -> Option<u32> {
        self.record_of.get(record as usize).copied().filter(|&record| record != MISSING)
    }

    /// The records that are nearest to some mixes. Everybody, if there is nothing in common with anybody.
    pub(super) fn candidates(&self, mixes: &[Mix]) -> Candidates {
        let mut in_common = vec![0.0; self.multiplicity.len()];
        for (index, mix) in self.indices.iter().zip(mixes) {
            index.add(mix, &mut in_common);
        }
        let most = in_common.iter().copied().fold(0.0, f64::max);
        if most == 0.0 {
            return Candidates::Everybody;
        }
        let nearest = (0u32..).zip(in_common).filter(|(_, common)| *common > most - EQUAL).map(|(record, _)| record);
        Candidates::Singled(Arc::new(Matched::new(nearest.collect(), &self.multiplicity)))
    }
}

/// For each word or concept the records that have it.
struct Index {
    /// Thing `t` is in the records `entries[starts[t]..starts[t + 1]]`, each with how often.
    starts: Vec<usize>,
    entries: Vec<(u32, u32)>,
    /// For each record one by how many things it has.
    unit: Vec<f64>,
}

fn total(mix: &[(u32, u64)]) -> f64 {
    mix.iter().map(|&(_, count)| count).sum::<u64>() as f64
}

impl Index {
    fn of(records: &[&Mix]) -> Self {
        let things = records.iter().flat_map(|mix| mix.iter()).map(|&(thing, _)| thing as usize + 1).max().unwrap_or(0);
        let mut starts = vec![0; things + 1];
        for &(thing, _) in records.iter().flat_map(|mix| mix.iter()) {
            starts[thing as usize + 1] += 1;
        }
        for thing in 0..things {
            starts[thing + 1] += starts[thing];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0); starts[things]];
        for (record, mix) in (0..).zip(records) {
            for &(thing, count) in *mix {
                entries[next[thing as usize]] = (record, u32::try_from(count).expect("more than four billion times"));
                next[thing as usize] += 1;
            }
        }
        Self { starts, entries, unit: records.iter().map(|mix| 1.0 / total(mix)).collect() }
    }

    /// Adds to each record what it has in common with a mix: 2 - 2 JSD.
    fn add(&self, mix: &[(u32, u64)], in_common: &mut [f64]) {
        let all = total(mix);
        for &(thing, count) in mix.iter().filter(|(thing, _)| (*thing as usize) < self.starts.len() - 1) {
            let share = count as f64 / all;
            let own = weighted_log(share);
            for &(record, other) in &self.entries[self.starts[thing as usize]..self.starts[thing as usize + 1]] {
                let other = f64::from(other) * self.unit[record as usize];
                in_common[record as usize] += weighted_log(share + other) - own - weighted_log(other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::concepts::mixes::mix_of;
    use crate::measures::meanings::kept;

    proptest! {
        #[test]
        fn in_common_is_what_does_not_diverge(
            records in prop::collection::vec(prop::collection::vec(0..9u32, 1..30), 1..6),
            own in prop::collection::vec(0..12u32, 1..30),
        ) {
            let records: Vec<Mix> = records.into_iter().map(mix_of).collect();
            let own = mix_of(own);
            let mut in_common = vec![0.0; records.len()];
            Index::of(&records.iter().collect::<Vec<_>>()).add(&own, &mut in_common);
            for (record, found) in records.iter().zip(in_common) {
                let divergence = (1.0 - kept(&own, record)).powi(2);
                prop_assert!((2.0 - 2.0 * divergence - found).abs() < 1e-9, "{found} {divergence}");
            }
        }
    }
}
