//! Semantic loss: how far the meaning of persons' records was moved.
//!
//! Paper      004 (Batet, Erola, Sánchez, Castellà-Roca 2014), section 4.1, equation 8; readings S2, S3, S5, S6, S10, S11.
//!
//! # Formula
//! L = sum over persons of D(C, C')², with C and C' the sets of concepts of their original and released records, D the mean
//! of delta over all pairs of concepts, one of each set, and delta(c, c') = 1 - |T(c) ∩ T(c')| / |T(c) ∪ T(c')|, where T(c)
//! is the concept with everything that generalises it.
//!
//! # Readings
//! S2: the sum of squares, as the text says; `printed` is the square of the sum, as printed. S3: D is not 0 from a record to
//! itself, so L is above 0 for untouched data. S11: D is 0 if neither record has a concept, 1 if one has none. Ours: a person
//! who is not in the release has a record without concepts.
//!
//! # Cost
//! Time O(|C| |C'|) a person.

use rayon::prelude::*;
use serde_json::json;

use super::super::meanings::{meanings, records};
use super::super::{
    Context, Headline, Lost, MOST_COMPARED, Measure, MeasureInfo, Measured, Memory, Pair, distribution, mean,
};
use crate::concepts::Texts;
use crate::distance::semantic_distance::{SemanticDistance, SetDistance};
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "semantic-loss",
        summary: "how far the meaning of persons' records was moved, sum of squares over persons",
        paper: "Batet, Erola, Sánchez, Castellà-Roca. Semantic anonymisation of set-valued data. ICAART 2014, section 4.1",
        details: "L = sum over persons of D², with D the mean distance between a concept of their original record and one of \
            their released record, over all pairs. Two concepts are 1 - (what generalises both) / (what generalises either) \
            apart: 0 for the same concept, 1 for concepts with nothing in common.\n\
            0 if nobody has more than one concept and all stay; even untouched records with several concepts lose \
            something, for D compares each with all. A person who is not in the release, or has no concept there, counts as 1; \
            one who has none before and after as 0.\n\
            Parts: the mean of D, its distribution over persons in hundredths, L over the number of persons, and `printed`, \
            the square of the sum of D, which the paper prints. Needs the link between persons (--key, or kept ids).",
        parameters: &[],
    },
    unit: "",
    better: "lower",
    undefined: "there are no persons",
    needs: &[Need::Link, Need::Meaning],
    memory: Memory::Sample,
    headline: Some(Headline::Loss(Lost::Part("mean_square"))),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct SemanticLoss;

impl<D: Texts + Sync> Measure<D> for SemanticLoss {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn most_persons(&self) -> usize {
        MOST_COMPARED
    }

    fn measure(&self, pair: &Pair<'_, D>, context: &Context<'_>) -> Result<Measured> {
        let [own, _] = meanings(pair)?;
        let before: Vec<Vec<u32>> =
            (0..pair.original.persons()).map(|person| pair.original.concepts_of(person)).collect();
        let after: Vec<Vec<u32>> = (0..pair.release.persons()).map(|person| pair.release.concepts_of(person)).collect();
        let pairs: Vec<(&[u32], &[u32])> = before
            .iter()
            .zip(records(pair))
            .map(|(before, record)| (before.as_slice(), record.map_or(&[][..], |record| after[record].as_slice())))
            .collect();
        let concepts = pairs.iter().flat_map(|(before, after)| before.iter().chain(*after)).copied();
        let space = SemanticDistance::new(own.taxonomy(), concepts);
        let distance = |&(before, after): &(&[u32], &[u32])| space.set_distance(SetDistance::Average, before, after);
        let distances: Vec<f64> = pairs.par_iter().map(distance).collect();
        let squares: Vec<f64> = distances.iter().map(|distance| distance * distance).collect();
        let loss = mean(&squares).map(|_| squares.iter().sum::<f64>());
        let sum: f64 = distances.iter().sum();
        let hundredths: Vec<f64> = distances.iter().map(|distance| 100.0 * distance).collect();
        let parts = json!({
            "printed": sum * sum,
            "mean_distance": mean(&distances),
            "mean_square": mean(&squares),
            "persons": distances.len(),
            "distribution": distribution(&hundredths, context.shared_by),
        });
        Ok(Measure::<D>::measured(self, loss, parts))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::meanings::tests::{directory, meaning_of, meaning_of_nodes};
    use super::super::super::testing::{log, measure, measure_baskets};
    use super::*;
    use crate::data::baskets::tests::baskets;

    fn loss(before: &[&[&str]], after: &[&[&str]]) -> Measured {
        let [before, after] = meaning_of(&directory(), log(before), log(after));
        measure(&SemanticLoss, &before, &after)
    }

    #[test]
    fn the_example_of_the_paper() {
        // Swimming is 0.5 from Windsurfing and 1 from Mediterranean: (0.5 + 1 + 1 + 0) / 4.
        let result = loss(&[&["Swimming", "Mediterranean"]], &[&["Windsurfing", "Mediterranean"]]);
        assert_eq!(result.value, Some(0.625 * 0.625));
        assert_eq!(result.parts["mean_distance"], 0.625);
    }

    #[test]
    fn untouched_data_lose_something() {
        let own: &[&[&str]] = &[&["Swimming", "Mediterranean"], &["Swimming", "Swimming"]];
        let result = loss(own, own);
        assert_eq!(result.value, Some(0.25));
        assert_eq!((&result.parts["printed"], &result.parts["mean_square"]), (&json!(0.25), &json!(0.125)));
    }

    #[test]
    fn both_readings_of_equation_8() {
        let result = loss(
            &[&["Swimming"], &["Swimming"], &["x"], &["x"]],
            &[&["Windsurfing"], &["Europe"], &["x"], &["Europe"]],
        );
        // 0.5, 1, 0 and 1: both without a concept are the same, one without has lost or won all.
        assert_eq!(result.value, Some(2.25));
        assert_eq!(result.parts["printed"], 6.25);
        assert_eq!(result.parts["persons"], 4);
    }

    #[test]
    fn who_is_not_in_the_release_has_lost_all() {
        let food = std::sync::Arc::new(crate::taxonomy::tests::food());
        let [before, after] =
            [&["Apple", "Milk Milk", ""][..], &["Orange"][..]].map(|rows| meaning_of_nodes(baskets(&food, rows)));
        // Food and Fruit of four: 1/2. The second is gone, the third had nothing.
        let result = measure_baskets(&SemanticLoss, &before, &after, true).unwrap();
        assert_eq!(result.value, Some(0.25 + 1.0));
    }
}
