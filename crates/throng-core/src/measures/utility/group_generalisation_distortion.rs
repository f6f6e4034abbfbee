//! Group generalisation distortion (GGD): what generalising and leaving out cost, item by item.
//!
//! Paper      002 (thesis on Clump), Definitions 3.1.1, 3.2.2 and 3.2.3; readings C7 to C10.
//!
//! # Idea
//! Every item of a person's record stands for one distinct item of theirs, at or under it, and costs its loss metric. Every
//! item of the original that none stands for is suppressed and costs 1, as much as the root. As many items of a record as
//! can be stand for one; in a tree that is found in one pass from the leaves up.
//!
//! # Formula
//! GGD = sum over persons of (sum over items i of the record of LM(i)) + suppressed; LM(i) = (leaves under i - 1) / (all
//! leaves - 1). The worst case is every item at the root: the number of items of the original. An item of a record that
//! stands for none (not a generalisation: the thesis has no such thing) is added, and costs 1 too.
//!
//! # Cost
//! Time O(items), memory O(persons). Sums are whole numbers of 1 / (all leaves - 1).

use serde_json::json;

use super::super::items::{matched, release_as_original, taxonomy};
use super::super::{Context, Drawn, Headline, Lost, Measure, MeasureInfo, Measured, Pair, distribution};
use crate::data::Baskets;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "group-generalisation-distortion",
        summary: "what generalising and leaving out items cost (GGD): 0 for an item that stays a leaf, 1 for one that is lost",
        paper: "Milani Fard. Clustering-based Web Query Log Anonymization. Thesis, Simon Fraser University (2010), \
                Definitions 3.2.2 and 3.2.3",
        details: "Every item of a record stands for one distinct item of the person's basket, at or under it in the taxonomy, \
            and costs the share of other leaves that it might be as well: (leaves under it - 1) / (all leaves - 1). Every \
            item of the original that no item of the record stands for costs 1, and so does an item of the record that stands \
            for none. A person who is not in the release loses everything.\n\
            Parts: `share` of the worst case, which is the number of items of the original; `generalised`, the part of the sum \
            that comes from general items; `suppressed` and `added`, numbers of items; the distribution over persons of \
            their own share in percent. An item of the original that is no leaf costs something even if it stays as it is. \
            Items that are published for a group only count as suppressed.\n\
            Needs the link between persons (--key, or kept ids) and the taxonomy.",
        parameters: &[],
    },
    unit: "items",
    better: "lower",
    needs: &[Need::Link, Need::Taxonomy],
    headline: Some(Headline::Loss(Lost::Part("share"))),
    drawn: Drawn::Share,
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct GroupGeneralisationDistortion;

impl Measure<Baskets> for GroupGeneralisationDistortion {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Baskets>, context: &Context<'_>) -> Result<Measured> {
        let taxonomy = taxonomy(pair)?;
        let release = release_as_original(pair)?;
        let link = pair.link.as_deref().unwrap_or_default();
        let unit = u64::from(taxonomy.loss_unit());
        let (mut generalised, mut suppressed, mut added, mut persons) = (0, 0, 0, Vec::new());
        let mut exposed = vec![None; pair.original.persons()];
        for (person, exposed) in exposed.iter_mut().enumerate() {
            let own = pair.original.basket(person);
            let record = link.get(person).copied().flatten().map_or(&[][..], |record| release.basket(record as usize));
            let matched = matched(Some(taxonomy), own, record);
            generalised += matched.loss;
            suppressed += matched.suppressed;
            added += matched.added;
            if !own.is_empty() {
                let loss = matched.loss + (matched.suppressed + matched.added) * unit;
                let lost = 100.0 * loss as f64 / (own.len() as u64 * unit) as f64;
                persons.push(lost);
                let is_in_release = link.get(person).copied().flatten().is_some();
                *exposed = is_in_release.then(|| (100.0 - lost).max(0.0));
            }
        }
        let loss = generalised + (suppressed + added) * unit;
        let worst = pair.original.rows() as u64;
        let parts = json!({
            "share": (worst > 0).then(|| loss as f64 / (worst * unit) as f64),
            "worst": worst,
            "generalised": generalised as f64 / unit as f64,
            "suppressed": suppressed,
            "added": added,
            "distribution": distribution(&persons, context.shared_by),
        });
        Ok(Measured { exposed, ..self.measured(Some(loss as f64 / unit as f64), parts) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::items::tests::generalised;
    use super::super::super::testing::measure_baskets;
    use super::*;
    use crate::data::baskets::tests::baskets;
    use crate::taxonomy::tests::food;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn ggd(original: &[&str], release: &[&str]) -> Measured {
        let food = Arc::new(food());
        let (original, release) = (baskets(&food, original), baskets(&food, release));
        measure_baskets(&GroupGeneralisationDistortion, &original, &release, true).unwrap()
    }

    #[test]
    fn example_3_2_3() {
        let result = ggd(&["Orange Beef", "Apple Chicken Beef"], &["Fruit Beef", "Fruit Beef"]);
        assert_eq!(result.value, Some(11.0 / 7.0));
        assert_eq!((&result.parts["suppressed"], &result.parts["generalised"]), (&json!(1), &json!(4.0 / 7.0)));
    }

    #[test]
    fn table_5_1() {
        let original =
            ["Orange Chicken Beef", "Banana Beef Cheese", "Chicken Milk Butter", "Apple Chicken", "Chicken Beef"];
        let clump = ["Fruit Beef Food", "Fruit Beef Food", "Chicken Food", "Chicken Food", "Chicken Food"];
        let result = ggd(&original, &clump);
        // Printed as 6.57.
        assert_eq!(result.value, Some(46.0 / 7.0));
        assert_eq!(result.parts["share"], 46.0 / 7.0 / 13.0);
        // Printed as 8.85, but the printed expression is 69/7 (reading C3).
        let partition = ["Fruit Meat", "Food", "Food", "Fruit Meat", "Food"];
        assert_eq!(ggd(&original, &partition).value, Some(69.0 / 7.0));
        // Two steps of section 5.2, printed as 2.57 and 2.85 (truncated).
        assert_eq!(ggd(&original[..2], &clump[..2]).value, Some(18.0 / 7.0));
        assert_eq!(ggd(&original[1..3], &["Meat Dairy Food"; 2]).value, Some(20.0 / 7.0));
    }

    #[test]
    fn extremes() {
        // Everything at the root, or everything left out, is the worst case.
        assert_eq!(ggd(&["Orange Beef"], &["Food Food"]).parts["share"], 1.0);
        assert_eq!(ggd(&["Orange Beef"], &[""]).parts["share"], 1.0);
        assert_eq!(ggd(&["Orange Beef", "Milk"], &["Orange Beef"]).value, Some(1.0));
        assert!(ggd(&[""], &[""]).parts["share"].is_null());
        // What stands for nothing is as bad as what is lost.
        let result = ggd(&["Orange"], &["Orange Milk"]);
        assert_eq!((result.value, &result.parts["added"]), (Some(1.0), &json!(1)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn between_nothing_and_the_worst((original, release) in generalised()) {
            let result = measure_baskets(&GroupGeneralisationDistortion, &original, &release, true).unwrap();
            let tree = original.taxonomy().unwrap();
            // One leaf in all: everything is known whatever the node (reading C7).
            prop_assume!(tree.leaves(0) > 1);
            let costs_nothing = original.rows() == release.rows()
                && release.items().iter().all(|&item| tree.leaves(item) == 1);
            prop_assert_eq!(result.value == Some(0.0), costs_nothing);
            // Where no node has a single child, that is: everything is a leaf and as it was.
            let is_single = |node: u32| tree.children(node).count() == 1;
            if costs_nothing && !(0..tree.len() as u32).any(is_single) {
                prop_assert_eq!(original.items(), release.items());
                prop_assert!(original.items().iter().all(|&item| tree.is_leaf(item)));
            }
            // As by the definition for the record as it was made.
            let lost = original.rows() - release.rows();
            let made: f64 = release.items().iter().map(|&item| tree.loss(item)).sum::<f64>() + lost as f64;
            prop_assert!((result.value.unwrap() - made).abs() < 1e-9);
            if original.rows() > 0 {
                let share = result.parts["share"].as_f64().unwrap();
                prop_assert!((0.0..=1.0).contains(&share));
            }
        }
    }
}
