//! Suppressed items: how many items of the original have nothing in the release to stand for them.
//!
//! Paper      002 (thesis on Clump), Definition 3.1.1.
//!
//! # Formula
//! With the link: items of a person's basket, copies included, less those that an item of their record stands for, one
//! each, at or above it. Without: items of the original less items of the release. Items that are published for a group
//! are not suppressed. A distinct item is lost if no record (with the link: of a person who has it) has an item at or above
//! it.
//!
//! # Cost
//! Time O(items), memory O(distinct items).

use serde_json::json;

use super::super::items::{end, lowest_above, matched, over_records, release_as_original};
use super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use crate::data::Baskets;
use crate::error::Result;
use crate::info::Info;
use crate::taxonomy::Taxonomy;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "suppressed-items",
        summary: "how many items of the original have nothing in the release to stand for them",
        paper: "Milani Fard. Clustering-based Web Query Log Anonymization. Thesis, Simon Fraser University (2010), \
                Definition 3.1.1",
        details: "With the link between persons: the items of each basket, copies included, less those that an item of the \
            person's record stands for, one each, at or above it in the taxonomy. A person who is not in the release loses \
            all. Without the link: the items of the original less those of the release, and `exact` is false. Items that \
            are published for a group are not suppressed; `by_group` counts them.\n\
            Parts: `share` of all items; `distinct`, the number of different items of which nothing is left: no record \
            (with the link: no record of a person who has it) holds it or an item above it; `distinct_share`.",
        parameters: &[],
    },
    unit: "items",
    better: "lower",
    headline: Some(Headline::Loss(Lost::Part("share"))),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct SuppressedItems;

impl Measure<Baskets> for SuppressedItems {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Baskets>, _context: &Context<'_>) -> Result<Measured> {
        let original = pair.original;
        let taxonomy = original.taxonomy().map(AsRef::as_ref);
        let release = release_as_original(pair)?;
        let all = original.rows() as u64;
        // What is left of each item of the original; 1 where it occurs and nothing is.
        let mut lost = vec![false; original.item_count()];
        original.items().iter().for_each(|&item| lost[item as usize] = true);
        let occurring = lost.iter().filter(|&&occurs| occurs).count();
        let published = release.grouping().map_or(&[][..], |grouping| &grouping.sensitive);
        let mut by_group = 0;
        for &(item, count) in published.iter().flatten() {
            by_group += u64::from(count);
            keep(&mut lost, taxonomy, item);
        }
        let mut suppressed = 0;
        if let Some(link) = &pair.link {
            for (person, record) in link.iter().enumerate() {
                let own = original.basket(person);
                let record = record.map_or(&[][..], |record| release.basket(record as usize));
                suppressed += matched(taxonomy, own, record).suppressed;
                for (item, above) in lowest_above(taxonomy, own, record) {
                    lost[item as usize] &= above.is_none();
                }
            }
        } else {
            let mut items = release.items().to_vec();
            items.sort_unstable();
            items.dedup();
            items.into_iter().for_each(|item| keep(&mut lost, taxonomy, item));
            suppressed = all.saturating_sub(over_records(pair, |record| release.basket(record).len() as u64));
        }
        let suppressed = suppressed.saturating_sub(by_group);
        let distinct = lost.iter().filter(|&&lost| lost).count();
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        Ok(self.measured(
            Some(suppressed as f64),
            json!({
                "share": share(suppressed, all),
                "distinct": distinct,
                "distinct_share": share(distinct as u64, occurring as u64),
                "by_group": by_group,
                "exact": pair.link.is_some(),
            }),
        ))
    }
}

/// Something at or above these items is left.
fn keep(lost: &mut [bool], taxonomy: Option<&Taxonomy>, item: u32) {
    // Items that are new in the release lie beyond the original's.
    let range = item as usize..(end(taxonomy, item) as usize).min(lost.len());
    if let Some(under) = lost.get_mut(range) {
        under.fill(false);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::items::tests::generalised;
    use super::super::super::testing::measure_baskets;
    use super::*;
    use crate::data::baskets::Grouping;
    use crate::data::baskets::tests::baskets;
    use crate::taxonomy::tests::food;
    use proptest::prelude::*;
    use std::sync::Arc;

    #[test]
    fn by_hand() {
        let food = Arc::new(food());
        let original = baskets(&food, &["Orange Beef Cheese", "Apple Banana", "Milk Orange"]);
        let release = baskets(&food, &["Fruit Beef", "Fruit", "Fruit Fruit"]);
        // With the link: Cheese, one of Apple and Banana, Milk; the second Fruit of the third stands for nothing.
        let result = measure_baskets(&SuppressedItems, &original, &release, true).unwrap();
        assert_eq!(result.value, Some(3.0));
        let expected =
            json!({"share": 3.0 / 7.0, "distinct": 2, "distinct_share": 2.0 / 6.0, "by_group": 0, "exact": true});
        assert_eq!(result.parts, expected);
        // Without: seven items became five.
        let result = measure_baskets(&SuppressedItems, &original, &release, false).unwrap();
        assert_eq!((result.value, &result.parts["exact"]), (Some(2.0), &json!(false)));
        assert_eq!(result.parts["distinct"], 2);
        // Somebody who is left out loses all.
        let result =
            measure_baskets(&SuppressedItems, &original, &baskets(&food, &["Orange Beef Cheese"]), true).unwrap();
        assert_eq!(result.value, Some(4.0));
    }

    #[test]
    fn what_a_group_publishes_is_not_lost() {
        let food = Arc::new(food());
        let original = baskets(&food, &["Orange Beef", "Apple Milk"]);
        let beef = food.find("Beef").unwrap();
        let release = baskets(&food, &["Orange", "Apple"])
            .with_grouping(Grouping { group_of: vec![0, 0], sensitive: vec![vec![(beef, 1)]] });
        for linked in [true, false] {
            let result = measure_baskets(&SuppressedItems, &original, &release, linked).unwrap();
            assert_eq!((result.value, &result.parts["by_group"]), (Some(1.0), &json!(1)));
            assert_eq!(result.parts["distinct"], 1);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn generalising_suppresses_nothing_more((original, release) in generalised()) {
            let lost = (original.rows() - release.rows()) as f64;
            for linked in [true, false] {
                prop_assert_eq!(measure_baskets(&SuppressedItems, &original, &release, linked).unwrap().value, Some(lost));
            }
        }
    }
}
