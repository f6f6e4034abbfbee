//! Interests kept: how much of a person's mix of interests is still in their released record.
//!
//! Paper      Ours. The divergence is that of Lin, Divergence measures based on the Shannon entropy, IEEE Transactions on
//!            Information Theory 37 (1991).
//!
//! # Idea
//! 1. What a person's lines or items mean, each concept as often as it occurs: their mix of interests.
//! 2. A concept deeper than level 6 (the root is 1) counts as its ancestor there, so that a poodle is a dog; what is
//!    shallower stays.
//! 3. How much two mixes have in common: 1 - sqrt(JSD), with JSD the Jensen-Shannon divergence in bits.
//! 4. The same over words: what a person typed, not what it means.
//!
//! # Readings
//! Ours: a person without a concept in the original has no interests to keep; they are left out and counted. One who has some,
//! but none in the release, or is not in it, keeps 0. Items that a release gives for a group as a whole are nobody's.
//!
//! # Cost
//! Time O(l log l) for l lines or items.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::super::meanings::{DEPTH, Mix, Words, concept_mix, kept, meanings, records};
use super::super::{
    Context, Drawn, Headline, Lost, MOST_COMPARED, Measure, MeasureInfo, Measured, Memory, Pair, distribution, mean,
    percentile,
};
use crate::concepts::Texts;
use crate::concepts::mixes::mix_of;
use crate::data::Interner;
use crate::error::Result;
use crate::info::{Info, Need};
use crate::rng::Rng;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "interests-kept",
        summary: "how close a released record's mix of concepts is to the person's own, mean over persons",
        paper: "ours; the distance is that of Lin. Divergence measures based on the Shannon entropy. IEEE Transactions on \
                Information Theory 37 (1991)",
        details: "For each person the concepts of their lines or items, each as often as it occurs; deeper ones count as their \
            ancestor at level 6 of the taxonomy (the root is 1). Kept = 1 - sqrt(JSD), with JSD the Jensen-Shannon \
            divergence, in bits, of the mix before and the mix after.\n\
            The part random is what would be kept if the same records were dealt out to the same persons at random: the other end \
            of the scale.\n\
            1: the same mix; 0: nothing in common, or nothing there any more. Persons without a concept before are left out; \
            parts.undefined says how many.\n\
            Parts: words (in lower case, stop words left out), concepts, categories (concepts at level 3) and, in search logs, hours \
            of the week, each with the mean, the 10th percentile (p10: nine persons in ten keep more) and the distribution over persons in \
            hundredths. Needs the link between persons (--key, or kept ids).",
        parameters: &[],
    },
    unit: "",
    better: "higher",
    says: "What people are interested in can still be read from their records: {%} of it, on average.",
    undefined: "no concept was found in the original",
    needs: &[Need::Link, Need::Meaning],
    judges_held_out: true,
    by_person: true,
    memory: Memory::Sample,
    headline: Some(Headline::Loss(Lost::Kept)),
    drawn: Drawn::WithParts(&["words", "categories", "hours"]),
    ..MeasureInfo::DEFAULT
};

/// The level of the coarse categories; the root is at 1.
const COARSE: u32 = 3;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct InterestsKept;

impl<D: Texts + Sync> Measure<D> for InterestsKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn most_persons(&self) -> usize {
        MOST_COMPARED
    }

    fn measure(&self, pair: &Pair<'_, D>, context: &Context<'_>) -> Result<Measured> {
        let [own, released] = meanings(pair)?;
        let linked = records(pair);
        let concepts = kept_by_persons(
            pair,
            &linked,
            |person| concept_mix(pair.original, own, person, DEPTH),
            |record| concept_mix(pair.release, released, record, DEPTH),
        );
        let mut vocabulary = Interner::new();
        let before = Words::of(pair.original, &mut vocabulary);
        let after = Words::of(pair.release, &mut vocabulary);
        let words = kept_by_persons(
            pair,
            &linked,
            |person| before.mix(pair.original, person),
            |record| after.mix(pair.release, record),
        );
        let categories = kept_by_persons(
            pair,
            &linked,
            |person| concept_mix(pair.original, own, person, COARSE),
            |record| concept_mix(pair.release, released, record, COARSE),
        );
        let hours = kept_by_persons(
            pair,
            &linked,
            |person| mix_of(pair.original.hours_of(person)),
            |record| mix_of(pair.release.hours_of(record)),
        );
        let mut parts = summary(&concepts, context.shared_by);
        let random = kept_by_persons(
            pair,
            &drawn(&linked, context.seed),
            |person| concept_mix(pair.original, own, person, DEPTH),
            |record| concept_mix(pair.release, released, record, DEPTH),
        );
        parts["random"] = json!(mean(&defined(&random)));
        parts["depth"] = json!(DEPTH);
        for (name, values) in
            [("concepts", &concepts), ("words", &words), ("categories", &categories), ("hours", &hours)]
        {
            // Baskets have no hours.
            if values.iter().any(Option::is_some) {
                parts[name] = summary(values, context.shared_by);
                parts[name]["mean"] = json!(mean(&defined(values)));
            }
        }
        let measured = Measure::<D>::measured(self, mean(&defined(&concepts)), parts);
        let by_person = [("concepts", concepts), ("words", words)].map(|(name, values)| (name.to_owned(), values));
        Ok(Measured { by_person: by_person.into(), ..measured })
    }
}

/// What is kept of the mix of every person; `None` for one who has none.
fn kept_by_persons<D: Texts + Sync>(
    pair: &Pair<'_, D>,
    records: &[Option<usize>],
    before: impl Fn(usize) -> Mix + Send + Sync,
    after: impl Fn(usize) -> Mix + Send + Sync,
) -> Vec<Option<f64>> {
    let released: Vec<Mix> = (0..pair.release.persons()).into_par_iter().map(after).collect();
    let of_person = |(person, &record): (usize, &Option<usize>)| {
        let own = before(person);
        let other = record.map_or(&[][..], |record| &released[record]);
        (!own.is_empty()).then(|| kept(&own, other))
    };
    records.par_iter().enumerate().map(of_person).collect()
}

/// The records of the same persons, dealt out to them at random.
fn drawn(records: &[Option<usize>], seed: u64) -> Vec<Option<usize>> {
    let mut dealt: Vec<usize> = records.iter().copied().flatten().collect();
    Rng::seeded(seed).shuffle(&mut dealt);
    let mut next = dealt.into_iter();
    records.iter().map(|record| record.and_then(|_| next.next())).collect()
}

fn defined(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().copied().flatten().collect()
}

fn summary(all: &[Option<f64>], k: usize) -> Value {
    let values = defined(all);
    let hundredths: Vec<f64> = values.iter().map(|value| 100.0 * value).collect();
    json!({
        "p10": percentile(&values, 0.1, k),
        "persons": values.len(),
        "undefined": all.len() - values.len(),
        "distribution": distribution(&hundredths, k),
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::meanings::tests::{directory, meaning_of, meaning_of_nodes};
    use super::super::super::testing::{log, measure, measure_baskets};
    use super::*;
    use crate::data::baskets::tests::baskets;

    #[test]
    fn by_hand() {
        let before = log(&[&["Swimming", "swimming"], &["Mediterranean"], &["Windsurfing"], &["nonsense"]]);
        let after = log(&[&["Swimming", "Europe"], &["Mediterranean"], &["Europe"], &["Europe"]]);
        let [before, after] = meaning_of(&directory(), before, after);
        let result = measure(&InterestsKept, &before, &after);
        let half = 1.0 - 0.311_278_124_459_132_8f64.sqrt();
        assert!((result.value.unwrap() - (half + 1.0 + 0.0) / 3.0).abs() < 1e-12, "{result:?}");
        assert_eq!((&result.parts["persons"], &result.parts["undefined"]), (&json!(3), &json!(1)));
        // The tenth percentile is the mean of the two lowest.
        assert!((result.parts["p10"].as_f64().unwrap() - half / 2.0).abs() < 1e-12);
        // Person by person: the fourth has no concept.
        assert_eq!(result.by_person["concepts"], [Some(half), Some(1.0), Some(0.0), None]);
        // Words: the fourth has one too, and loses it.
        assert_eq!(result.parts["words"]["persons"], 4);
        assert!((result.parts["words"]["mean"].as_f64().unwrap() - (half + 1.0) / 4.0).abs() < 1e-12);
    }

    #[test]
    fn records_dealt_out_at_random_are_the_other_end_of_the_scale() {
        let interests: [&[&str]; 2] = [&["Swimming"], &["Mediterranean"]];
        let log = log(&interests.repeat(8));
        let [before, after] = meaning_of(&directory(), log.clone(), log);
        let result = measure(&InterestsKept, &before, &after);
        let random = result.parts["random"].as_f64().unwrap();
        assert_eq!(result.value, Some(1.0));
        assert!((0.2..0.8).contains(&random), "{random}");
        assert_eq!(drawn(&[Some(0), None, Some(1)], 0).iter().flatten().count(), 2);
    }

    #[test]
    fn nothing_changed_keeps_all_and_who_is_gone_keeps_nothing() {
        let food = std::sync::Arc::new(crate::taxonomy::tests::food());
        let before = meaning_of_nodes(baskets(&food, &["Milk Apple Apple", "Beef", ""]));
        let result = measure_baskets(&InterestsKept, &before, &before, true).unwrap();
        assert_eq!((result.value, &result.parts["undefined"]), (Some(1.0), &json!(1)));
        let after = meaning_of_nodes(baskets(&food, &["Apple Apple Milk"]));
        let result = measure_baskets(&InterestsKept, &before, &after, true).unwrap();
        assert_eq!(result.value, Some(0.5));
        // Fewer than k persons: no percentile is anybody's.
        let one = meaning_of_nodes(baskets(&food, &["Milk"]));
        let result = measure_baskets(&InterestsKept, &one, &one, true).unwrap();
        assert_eq!((result.value, &result.parts["p10"]), (Some(1.0), &Value::Null));
    }
}
