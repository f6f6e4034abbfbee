//! Concept frequency: whether the whole release is about what the whole original was about.
//!
//! Paper      Ours, after 001 (Navarro-Arribas et al. 2012), section 4.5, with concepts in the place of words.
//!
//! # Formula
//! The frequency of a concept is its share of all occurrences of concepts, over all persons; a record that several persons
//! share counts once for each of them. A concept deeper than level 6 (the root is 1) counts as its ancestor there. The
//! headline is 1 minus the Jensen-Shannon distance, the square root of the divergence in bits, between the frequencies
//! before and after; `exact` is the same without bringing concepts up.
//!
//! # Readings
//! Ours: a concept may be shown if at least k persons of the original have it; one that nobody has, for a release may
//! generalise, if at least k have something under it. Items that a release gives for a group as a whole are left out.
//!
//! # Cost
//! Time O(l log l) for l lines or items.

use serde_json::{Value, json};

use super::super::meanings::{DEPTH, Mix, at_depth, kept, meanings, merged, total, total_variation};
use super::super::{Context, Headline, Lost, MOST_COMPARED, Measure, MeasureInfo, Measured, Memory, Pair};
use super::frequency::{Counted, Popularity, compare};
use crate::concepts::{Meaning, Texts};
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "concept-frequency",
        summary: "how well the frequencies of concepts over all persons are kept",
        paper: "ours, after Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining \
                of query logs. Information Processing and Management 48 (2012), section 4.5",
        details: "A concept's frequency is its share of all concepts of all persons' lines or items; deeper ones count as their \
            ancestor at level 6 of the taxonomy (the root is 1). The headline is 1 - sqrt(JSD), with JSD the Jensen-Shannon \
            divergence, in bits, of the frequencies before and after. 1: the same frequencies; 0: no concept in common.\n\
            Parts: the total variation (the share of occurrences that would have to be others), the same numbers for the \
            concepts as they are (`exact`), and the ten most frequent concepts before and after. A concept that fewer than k \
            persons of the original have is not shown, nor one that only the release has if fewer than k have something under it.",
        parameters: &[],
    },
    unit: "",
    better: "higher",
    says: "How often topics occur, over all people, is kept to {%}.",
    undefined: "no concept was found in the original",
    needs: &[Need::Meaning],
    headline: Some(Headline::Loss(Lost::Kept)),
    memory: Memory::Sample,
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct ConceptFrequency;

impl<D: Texts + Sync> Measure<D> for ConceptFrequency {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn most_persons(&self) -> usize {
        MOST_COMPARED
    }

    fn measure(&self, pair: &Pair<'_, D>, context: &Context<'_>) -> Result<Measured> {
        let [own, released] = meanings(pair)?;
        let taxonomy = own.taxonomy();
        let before = frequencies(pair.original, own, |_| 1);
        let after = frequencies(pair.release, released, |record| u64::from(pair.multiplicity[record]));
        let brought_up = |exact: &Mix| {
            let mut counts: Mix =
                exact.iter().map(|&(concept, count)| (at_depth(taxonomy, concept, DEPTH), count)).collect();
            add_up(&mut counts);
            counts
        };
        let (high_before, high_after) = (brought_up(&before), brought_up(&after));
        let (having, having_under) = holders(pair.original, own);
        let values: Vec<Popularity<'_>> = merged(&high_before, &high_after)
            .map(|(concept, before, after)| Popularity {
                text: taxonomy.label(concept),
                before,
                after,
                persons: if before > 0 { having[concept as usize] } else { having_under[concept as usize] },
            })
            .collect();
        let mut parts = compare(&values, total(&high_before), total(&high_after), context).parts;
        let kept = |before: &Mix, after: &Mix| (!before.is_empty()).then(|| kept(before, after));
        parts["depth"] = json!(DEPTH);
        parts["total_variation"] = variation(&high_before, &high_after);
        parts["exact"] = json!({"kept": kept(&before, &after), "total_variation": variation(&before, &after)});
        Ok(Measure::<D>::measured(self, kept(&high_before, &high_after), parts))
    }
}

fn variation(before: &Mix, after: &Mix) -> Value {
    if before.is_empty() { Value::Null } else { json!(total_variation(before, after)) }
}

/// How often each concept occurs, every record as often as `copies` says.
fn frequencies<D: Texts>(data: &D, meaning: &Meaning, copies: impl Fn(usize) -> u64) -> Mix {
    let mut counts = vec![0; meaning.taxonomy().len()];
    for person in 0..data.persons() {
        for &concept in data.strings_of(person).iter().flat_map(|&string| meaning.concepts(string)) {
            counts[concept as usize] += copies(person);
        }
    }
    (0..).zip(counts).filter(|&(_, count)| count > 0).collect()
}

/// Puts equal numbers together.
fn add_up(counts: &mut Mix) {
    counts.sort_unstable();
    counts.dedup_by(|later, first| {
        let same = later.0 == first.0;
        first.1 += if same { later.1 } else { 0 };
        same
    });
}

/// For each concept how many persons have it, deeper ones brought up, and how many have it or something under it.
fn holders<D: Texts>(data: &D, meaning: &Meaning) -> (Vec<u32>, Vec<u32>) {
    let taxonomy = meaning.taxonomy();
    let (mut having, mut having_under) = (Counted::new(taxonomy.len()), Counted::new(taxonomy.len()));
    for person in 0..data.persons() {
        for &concept in data.strings_of(person).iter().flat_map(|&string| meaning.concepts(string)) {
            having.count(at_depth(taxonomy, concept, DEPTH), person);
            // What is above one that the person was counted at, they were counted at too.
            let _ = taxonomy.ancestors(concept).find(|&node| !having_under.count(node, person));
        }
    }
    (having.persons, having_under.persons)
}

#[cfg(test)]
mod tests {
    use super::super::super::meanings::tests::{directory, meaning_of, meaning_of_nodes};
    use super::super::super::testing::{CONTEXT, log, measure, measure_baskets};
    use super::*;
    use crate::data::baskets::tests::baskets;
    use crate::taxonomy::Taxonomy;
    use std::sync::Arc;

    #[test]
    fn by_hand() {
        let before = log(&[&["Swimming", "Swimming"], &["Swimming"], &["Europe"]]);
        let after = log(&[&["Swimming"], &["Europe"]]);
        let [before, after] = meaning_of(&directory(), before, after);
        // Three in four before; two records stand for three persons and one: three in four after.
        let pair = Pair { original: &before, release: &after, multiplicity: vec![3, 1], link: None };
        let result = ConceptFrequency.measure(&pair, &CONTEXT).unwrap();
        assert_eq!((result.value, &result.parts["total_variation"]), (Some(1.0), &json!(0.0)));
        // As it is: a half after.
        let pair = Pair { original: &before, release: &after, multiplicity: vec![1, 1], link: None };
        let result = ConceptFrequency.measure(&pair, &CONTEXT).unwrap();
        assert_eq!(result.parts["total_variation"], 0.25);
        let expected: Value = json!([
            {"value": "Swimming", "before": 0.75, "after": 0.5},
            // One person only.
            {"value": null, "before": 0.25, "after": 0.5},
        ]);
        assert_eq!(result.parts["top_before"], expected);
        assert_eq!((&result.parts["total_before"], &result.parts["total_after"]), (&json!(4), &json!(2)));
    }

    #[test]
    fn what_lies_under_a_concept_may_show_it() {
        let food = Arc::new(crate::taxonomy::tests::food());
        let before = meaning_of_nodes(baskets(&food, &["Apple", "Orange", "Milk"]));
        let after = meaning_of_nodes(baskets(&food, &["Fruit", "Fruit", "Dairy"]));
        let result = measure_baskets(&ConceptFrequency, &before, &after, false).unwrap();
        assert_eq!(result.value, Some(0.0));
        assert_eq!(result.parts["top_after"][0]["value"], "Fruit");
        assert_eq!(result.parts["top_after"][1]["value"], Value::Null);
        // One person is a fruit themselves: their share is not shown, though others have fruit.
        let before = meaning_of_nodes(baskets(&food, &["Apple", "Orange", "Fruit"]));
        let result = measure_baskets(&ConceptFrequency, &before, &after, false).unwrap();
        assert_eq!(result.parts["top_after"][0]["value"], Value::Null);
        let nothing = meaning_of_nodes(baskets(&food, &["", ""]));
        let result = measure_baskets(&ConceptFrequency, &before, &nothing, false).unwrap();
        assert_eq!(result.value, Some(0.0));
        assert_eq!(measure_baskets(&ConceptFrequency, &nothing, &before, false).unwrap().value, None);
    }

    #[test]
    fn deep_concepts_meet_at_their_ancestor() {
        let edges = [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d"), ("f", "e"), ("g", "f"), ("h", "f")];
        let chain = Arc::new(Taxonomy::from_edges(edges).unwrap());
        let [before, after] = [["g", "g"], ["h", "h"]].map(|rows| meaning_of_nodes(baskets(&chain, &rows)));
        let result = measure_baskets(&ConceptFrequency, &before, &after, false).unwrap();
        assert_eq!((result.value, &result.parts["exact"]["kept"]), (Some(1.0), &json!(0.0)));
        let [before, after] = [["e", "e"], ["f", "f"]].map(|rows| meaning_of_nodes(baskets(&chain, &rows)));
        assert_eq!(measure_baskets(&ConceptFrequency, &before, &after, false).unwrap().value, Some(0.0));
        let same = [["e", "g"], ["h", "e"]].map(|rows| log(&[&rows]));
        let [before, after] = same;
        let [before, after] = meaning_of(&chain, before, after);
        assert_eq!(measure(&ConceptFrequency, &before, &after).value, Some(1.0));
    }
}
