//! Held-out linkage: how often what a person does on other days leads to the record of their own group.
//!
//! Paper      Ours. The divergence is that of Lin, Divergence measures based on the Shannon entropy, IEEE Transactions on
//!            Information Theory 37 (1991).
//!
//! # Idea
//! 1. Somebody knows lines of a person that the release was not made from: here they are the original.
//! 2. They look for the record that is nearest to these lines: words and concepts, mixed as for `interests-kept`.
//! 3. It is a hit if that is the record of the person's own group. Records that are equal line by line count once.
//!
//! # Formula
//! Near is a small JSD(words) + JSD(concepts). If n records are nearest and the own one is among them, that is 1/n of a hit.
//! rate = hits / attempts; baseline = 1 / records, what blind guessing hits.
//!
//! # Readings
//! Ours: who is not in the release is no attempt. Who has no concept is looked for by words alone, and the other way round.
//! Distances that differ by less than 1e-9 are equal, so that the order of sums decides nothing.
//!
//! # Cost
//! At most 2,000 persons, a seeded sample if there are more, against all records. Time of a person: the records that share a
//! word or concept with them, once for each; memory 16 bytes for each different word and concept of a record.

use hashbrown::HashMap;
use rayon::prelude::*;
use serde_json::json;

use super::super::meanings::{DEPTH, Mix, Words, concept_mix, meanings, total};
use super::super::{Context, Measure, MeasureInfo, Measured, Memory, Pair, mean};
use crate::data::{Interner, Line, QueryLog};
use crate::distance::divergence::common;
use crate::error::Result;
use crate::info::{Info, Need};
use crate::rng::Rng;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "held-out-linkage",
        summary: "how often the record nearest to a person's lines of other days is that of their own group",
        paper: "ours; the distance is that of Lin. Divergence measures based on the Shannon entropy. IEEE Transactions on \
                Information Theory 37 (1991)",
        details: "For each person of the original, the released record with the least divergence of words plus divergence of concepts \
            (Jensen-Shannon, mixes as for interests-kept). A hit if it is the record of their own group; where several are \
            nearest, a part of one. Equal records count once.\n\
            1: everybody is led to their group. parts.baseline is what blind guessing hits: 1 / parts.records.\n\
            The original must be lines that the release was not made from, as `compare --held-out` takes them: against the lines that \
            it was made from, the rate is that of an attacker who knows these already. So it runs only if it is asked for. At most \
            2,000 persons are looked for (parts.attempts), a seeded sample if there are more (parts.sampled). Needs the link \
            between persons (--key, or kept ids).",
        parameters: &[],
    },
    unit: "",
    better: "lower",
    undefined: "nobody of the original is in the release",
    needs: &[Need::Link, Need::Meaning],
    costly: true,
    on_request: true,
    judges_held_out: true,
    memory: Memory::Meaning,
    ..MeasureInfo::DEFAULT
};

const MOST_ATTEMPTS: usize = 2000;

/// Distances that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct HeldOutLinkage;

impl Measure<QueryLog> for HeldOutLinkage {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, context: &Context<'_>) -> Result<Measured> {
        let (original, release) = (pair.original, pair.release);
        let [own, released] = meanings(pair)?;
        let (different, number_of) = different_records(release);
        let mut vocabulary = Interner::new();
        let after = Words::of(release, &mut vocabulary);
        let before = Words::of(original, &mut vocabulary);
        let index = |mix: &(dyn Fn(usize) -> Mix + Sync)| {
            Index::of(&different.par_iter().map(|&record| mix(record)).collect::<Vec<_>>())
        };
        let words = index(&|record| after.mix(release, record));
        let concepts = index(&|record| concept_mix(release, released, record, DEPTH));
        let linked = pair.linked();
        let hit = |&at: &u32| {
            let (person, record) = linked[at as usize];
            let mut in_common = vec![0.0; different.len()];
            words.add(&before.mix(original, person), &mut in_common);
            concepts.add(&concept_mix(original, own, person, DEPTH), &mut in_common);
            hit(&in_common, number_of[record] as usize)
        };
        let persons = Rng::seeded(context.seed).sample(linked.len(), MOST_ATTEMPTS);
        let hits: Vec<f64> = persons.par_iter().map(hit).collect();
        let rate = mean(&hits);
        let baseline = (!different.is_empty()).then(|| 1.0 / different.len() as f64);
        let mut parts = json!({"rate": rate, "baseline": baseline, "attempts": hits.len(), "records": different.len()});
        if hits.len() < linked.len() {
            parts["sampled"] = json!({"persons": hits.len(), "of": linked.len()});
        }
        Ok(self.measured(rate, parts))
    }
}

/// The records that differ in a line from those before them, and for each record the number of its like among these.
fn different_records(release: &QueryLog) -> (Vec<usize>, Vec<u32>) {
    let mut numbers: HashMap<Vec<Line>, u32, foldhash::fast::FixedState> = HashMap::default();
    let mut different = Vec::new();
    let number_of = (0..release.persons()).map(|record| {
        let mut lines: Vec<Line> = release.lines(record).collect();
        lines.sort_unstable();
        *numbers.entry(lines).or_insert_with(|| {
            different.push(record);
            different.len() as u32 - 1
        })
    });
    let number_of = number_of.collect();
    (different, number_of)
}

/// What a guess at the record with most in common hits.
fn hit(in_common: &[f64], own: usize) -> f64 {
    let most = in_common.iter().copied().fold(0.0, f64::max);
    let is_nearest = |common: f64| common > most - EQUAL;
    if !is_nearest(in_common[own]) {
        return 0.0;
    }
    1.0 / in_common.iter().filter(|&&common| is_nearest(common)).count() as f64
}

/// For each word or concept the records that have it.
struct Index {
    /// Thing `t` is in the records `entries[starts[t]..starts[t + 1]]`, with its share of each.
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
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
            let all = total(mix) as f64;
            for &(thing, count) in mix {
                entries[next[thing as usize]] = (record, count as f64 / all);
                next[thing as usize] += 1;
            }
        }
        Self { starts, entries }
    }

    /// Adds to each record what it has in common with a mix: 2 - 2 JSD.
    fn add(&self, mix: &[(u32, u64)], in_common: &mut [f64]) {
        let all = total(mix) as f64;
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

    use super::super::super::meanings::kept;
    use super::super::super::meanings::tests::{directory, meaning_of};
    use super::super::super::testing::{CONTEXT, log};
    use super::*;
    use crate::concepts::mixes::mix_of;

    fn linkage(before: &[&[&str]], after: &[&[&str]], link: &[Option<u32>]) -> Measured {
        let [original, release] = meaning_of(&directory(), log(before), log(after));
        let multiplicity = vec![1; release.persons()];
        let pair = Pair { original: &original, release: &release, multiplicity, link: Some(link.to_vec()) };
        HeldOutLinkage.measure(&pair, &CONTEXT).unwrap()
    }

    #[test]
    fn by_hand() {
        let swimmer: &[&str] = &["Swimming", "Swimming"];
        let traveller: &[&str] = &["Europe", "Mediterranean"];
        let result = linkage(
            &[&["Swimming"], &["Mediterranean"], &["Windsurfing"], &["Mediterranean"], &["Swimming"], &["nonsense"]],
            // The third record is that of the first person's group again.
            &[swimmer, traveller, swimmer],
            &[Some(0), Some(1), Some(2), Some(0), None, Some(1)],
        );
        // A hit; a hit; nothing in common with either of two records: half a hit; led to the others; not in the release; half.
        assert_eq!(result.value, Some(3.0 / 5.0));
        assert_eq!(result.parts, json!({"rate": 0.6, "baseline": 0.5, "attempts": 5, "records": 2}));
        let nobody = linkage(&[&["Swimming"]], &[], &[None]);
        assert_eq!((nobody.value, &nobody.parts["baseline"]), (None, &json!(null)));
    }

    #[test]
    fn words_and_concepts_count_alike() {
        // Divergence of words 0.549 and 0.459, of concepts 0 and 0.311: the second is nearer by words, the first by both.
        let records: [&[&str]; 2] = [&["swimming", "x", "y", "z"], &["Water Sports", "Swimming"]];
        assert_eq!(linkage(&[&["swimming"]], &records, &[Some(0)]).value, Some(1.0));
        // With other concepts beside it the first is farther by both.
        let records: [&[&str]; 2] = [&["swimming", "Europe", "Sports", "Regions"], &["Water Sports", "Swimming"]];
        assert_eq!(linkage(&[&["swimming"]], &records, &[Some(0)]).value, Some(0.0));
    }

    #[test]
    fn equal_words_at_other_times_are_other_records() {
        let records: [&[&str]; 2] = [&["Swimming", "Europe"], &["Europe", "Swimming"]];
        let result = linkage(&[&["Swimming"]], &records, &[Some(1)]);
        assert_eq!((result.value, &result.parts["records"]), (Some(0.5), &json!(2)));
    }

    #[test]
    fn more_persons_are_a_sample() {
        let one: &[&str] = &["Swimming"];
        let persons = MOST_ATTEMPTS + 1;
        let result = linkage(&vec![one; persons], &[one], &vec![Some(0); persons]);
        assert_eq!((result.value, &result.parts["attempts"]), (Some(1.0), &json!(MOST_ATTEMPTS)));
        assert_eq!(result.parts["sampled"], json!({"persons": MOST_ATTEMPTS, "of": persons}));
    }

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
