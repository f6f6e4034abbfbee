//! The record that is nearest to what is known of a person: words and concepts, mixed as for `interests-kept`.
//!
//! # Formula
//! Near is a small JSD(words) + JSD(concepts), each between 0 and 1; words alone where nothing says what strings mean. Only what two mixes have in
//! common counts: JSD = 1 − (sum over common things) / 2.
//!
//! # Readings
//! Ours: who has no concept is looked for by words alone, and the other way round. Distances that differ by less than 1e-9 are equal.
//!
//! # Cost
//! Time of a person: the records that share a word or concept with them, once for each. Memory 16 bytes for each different word and concept of a
//! record.

use std::sync::Arc;

use rayon::prelude::*;

use super::Released;
use super::candidates::{Candidates, Matched};
use super::query_index::different_records;
use crate::concepts::Texts as _;
use crate::concepts::mixes::{DEPTH, Mix, Words, concept_mix};
use crate::data::queries::MISSING;
use crate::data::{Interner, QueryLog, Strings};
use crate::distance::divergence::common;
use crate::error::{Error, Result};
use crate::taxonomy::Taxonomy;

/// Distances that differ by less are equal; in common is twice as much.
const EQUAL: f64 = 2.0 * 1e-9;

/// What is known of some persons: the words and concepts of their lines, and how often each occurs.
pub(super) struct Profiles {
    vocabulary: Strings,
    taxonomy: Option<Arc<Taxonomy>>,
    mixes: Vec<[Mix; 2]>,
}

impl Profiles {
    /// Of some persons of a log.
    pub(super) fn of(log: &QueryLog, persons: &[u32]) -> Self {
        let mut vocabulary = Interner::new();
        let words = Words::of(log, &mut vocabulary);
        let mixes = |&person: &u32| {
            let concepts = log.meaning().map(|meaning| concept_mix(log, meaning, person as usize, DEPTH));
            [words.mix(log, person as usize), concepts.unwrap_or_default()]
        };
        Self {
            mixes: persons.par_iter().map(mixes).collect(),
            vocabulary: vocabulary.into_strings(),
            taxonomy: log.meaning().map(|meaning| Arc::clone(meaning.taxonomy())),
        }
    }
}

/// An index of the records of a release.
pub(super) struct Nearest {
    /// By words and by concepts.
    indices: [Index; 2],
    record_of: Vec<u32>,
    multiplicity: Vec<u32>,
    persons: u64,
}

impl Nearest {
    /// For looking for these persons.
    pub(super) fn new(released: Released<'_, QueryLog>, profiles: &Profiles) -> Result<Self> {
        let release = released.data;
        let meaning = release.meaning().filter(|_| profiles.taxonomy.is_some());
        if let (Some(own), Some(meaning)) = (&profiles.taxonomy, meaning)
            && !Arc::ptr_eq(own, meaning.taxonomy())
            && !own.labels().iter().eq(meaning.taxonomy().labels().iter())
        {
            return Err(Error::refused("original and release were looked up in different taxonomies"));
        }
        let (first, record_of, multiplicity) = different_records(release, released.multiplicity);
        let words = Words::of(release, &mut Interner::from(&profiles.vocabulary));
        let index = |mix: &(dyn Fn(usize) -> Mix + Sync)| {
            Index::of(&first.par_iter().map(|&record| mix(record)).collect::<Vec<_>>())
        };
        let by_words = index(&|record| words.mix(release, record));
        let concepts = |record| meaning.map(|meaning| concept_mix(release, meaning, record, DEPTH)).unwrap_or_default();
        let by_concepts = index(&concepts);
        let persons = released.persons();
        Ok(Self { indices: [by_words, by_concepts], record_of, multiplicity, persons })
    }

    /// How many persons the release has.
    pub(super) fn persons(&self) -> u64 {
        self.persons
    }

    /// The number that a person or record of the release has here: that of [`different_records`].
    pub(super) fn record(&self, released: u32) -> Option<u32> {
        self.record_of.get(released as usize).copied().filter(|&record| record != MISSING)
    }

    /// The records that are nearest to a person. Everybody, if there is nothing in common with anybody.
    pub(super) fn candidates(&self, profiles: &Profiles, person: usize) -> Candidates {
        let mut in_common = vec![0.0; self.multiplicity.len()];
        for (index, mix) in self.indices.iter().zip(&profiles.mixes[person]) {
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
    /// Thing `t` is in the records `entries[starts[t]..starts[t + 1]]`, with its share of each.
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

fn total(mix: &[(u32, u64)]) -> f64 {
    mix.iter().map(|&(_, count)| count).sum::<u64>() as f64
}

impl Index {
    fn of(records: &[Mix]) -> Self {
        let things = records.iter().flatten().map(|&(thing, _)| thing as usize + 1).max().unwrap_or(0);
        let mut starts = vec![0; things + 1];
        for &(thing, _) in records.iter().flatten() {
            starts[thing as usize + 1] += 1;
        }
        for thing in 0..things {
            starts[thing + 1] += starts[thing];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); starts[things]];
        for (record, mix) in (0..).zip(records) {
            let all = total(mix);
            for &(thing, count) in mix {
                entries[next[thing as usize]] = (record, count as f64 / all);
                next[thing as usize] += 1;
            }
        }
        Self { starts, entries }
    }

    /// Adds to each record what it has in common with a mix: 2 - 2 JSD.
    fn add(&self, mix: &[(u32, u64)], in_common: &mut [f64]) {
        let all = total(mix);
        for &(thing, count) in mix.iter().filter(|(thing, _)| (*thing as usize) < self.starts.len() - 1) {
            let share = count as f64 / all;
            for &(record, other) in &self.entries[self.starts[thing as usize]..self.starts[thing as usize + 1]] {
                in_common[record as usize] += common(share, other);
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
            Index::of(&records).add(&own, &mut in_common);
            for (record, found) in records.iter().zip(in_common) {
                let divergence = (1.0 - kept(&own, record)).powi(2);
                prop_assert!((2.0 - 2.0 * divergence - found).abs() < 1e-9, "{found} {divergence}");
            }
        }
    }
}
