//! Normalised certainty penalty (NCP): how many leaves an item might be after the release, as a share of all.
//!
//! Paper      Xu et al., KDD 2006; for sets of items Terrovitis, Mamoulis, Kalnis, VLDB 2008; paper 002, section 2.5;
//!            reading C18.
//!
//! # Formula
//! NCP(i) = leaves under i / all leaves, 0 for a leaf. The headline is the mean over all items of the original, copies
//! included, of the NCP of the lowest item of the person's record at or above it; 1 where there is none.
//!
//! Records are read as sets: one general item stands for everything under it, as under global recoding. This is what sets
//! NCP apart from `group-generalisation-distortion`, where an item stands for one.
//!
//! # Cost
//! Time O(items), memory O(length of a basket).

use serde_json::json;

use super::super::items::{lowest_above, release_as_original, taxonomy};
use super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use crate::data::Baskets;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "normalised-certainty-penalty",
        summary: "how many leaves an item might be after the release, as a share of all leaves, mean over items (NCP)",
        paper: "Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data. VLDB 2008; as reviewed \
                in Milani Fard's thesis (Simon Fraser University, 2010), section 2.5",
        details: "Every item of the original is charged the share of all leaves that lie under the lowest item of the person's \
            record at or above it: 0 for a leaf, 1 for the root, 1 where there is none. The headline is the mean over all \
            items of the original, copies included. Records are read as sets: one general item stands for everything under \
            it. Parts: `untouched`, `generalised` and `suppressed`, numbers of items of the original that became themselves, \
            something above them, and nothing.\n\
            Needs the link between persons (--key, or kept ids) and the taxonomy.",
        parameters: &[],
    },
    unit: "share",
    better: "lower",
    undefined: "the original has no items",
    needs: &[Need::Link, Need::Taxonomy],
    headline: Some(Headline::Loss(Lost::Share)),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct NormalisedCertaintyPenalty;

impl Measure<Baskets> for NormalisedCertaintyPenalty {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Baskets>, _context: &Context<'_>) -> Result<Measured> {
        let taxonomy = taxonomy(pair)?;
        let release = release_as_original(pair)?;
        let link = pair.link.as_deref().unwrap_or_default();
        let all = u64::from(taxonomy.leaves(crate::taxonomy::ROOT));
        // In whole leaves.
        let (mut penalty, mut untouched, mut generalised, mut suppressed) = (0, 0, 0, 0);
        for person in 0..pair.original.persons() {
            let record = link.get(person).copied().flatten().map_or(&[][..], |record| release.basket(record as usize));
            for (item, above) in lowest_above(Some(taxonomy), pair.original.basket(person), record) {
                let Some(above) = above else {
                    suppressed += 1;
                    penalty += all;
                    continue;
                };
                *(if above == item { &mut untouched } else { &mut generalised }) += 1u64;
                penalty += if taxonomy.is_leaf(above) { 0 } else { u64::from(taxonomy.leaves(above)) };
            }
        }
        let items = pair.original.rows() as u64;
        Ok(self.measured(
            (items > 0).then(|| penalty as f64 / (items * all) as f64),
            json!({"items": items, "untouched": untouched, "generalised": generalised, "suppressed": suppressed}),
        ))
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

    #[test]
    fn by_hand() {
        let food = Arc::new(food());
        let original = baskets(&food, &["Orange Beef Cheese", "Apple Banana", "Milk"]);
        // Example 2.5.1's rule on the first two, the third left out: three items of 3/8, two of 0, one of 1.
        let release = baskets(&food, &["Fruit Beef Cheese", "Fruit"]);
        let result = measure_baskets(&NormalisedCertaintyPenalty, &original, &release, true).unwrap();
        assert_eq!(result.value, Some((3.0 * 3.0 + 8.0) / 48.0));
        assert_eq!(result.parts, json!({"items": 6, "untouched": 2, "generalised": 3, "suppressed": 1}));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn a_share((original, release) in generalised()) {
            let result = measure_baskets(&NormalisedCertaintyPenalty, &original, &release, true).unwrap();
            prop_assert!(result.value.is_none_or(|value| (0.0..=1.0).contains(&value)));
            // Everything as it was costs what the items cost by themselves.
            let same = measure_baskets(&NormalisedCertaintyPenalty, &original, &original, true).unwrap();
            let leaves = original.items().iter().all(|&item| original.taxonomy().unwrap().is_leaf(item));
            prop_assert!(!leaves || same.value.is_none_or(|value| value == 0.0));
        }
    }
}
