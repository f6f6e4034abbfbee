//! Average level: how deep in the taxonomy the items of the release are.
//!
//! Paper      002 (thesis on Clump), section 6.2.3; reading C11.
//!
//! # Formula
//! The mean level of all items of all records, copies included. The root has level 1, so a larger number is deeper, and
//! better.
//!
//! # Cost
//! Time O(items).

use serde_json::json;

use super::super::items::{over_records, release_as_original, taxonomy};
use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::data::Baskets;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "average-level",
        summary: "how deep in the taxonomy the items of the release are on average; the root is level 1",
        paper: "Milani Fard. Clustering-based Web Query Log Anonymization. Thesis, Simon Fraser University (2010), \
                section 6.2.3",
        details: "The mean level of all items of all records, copies included. The root has level 1: a larger number is \
            deeper, and better (Milani Fard calls it lower). What is left out has no level, so a release that leaves out \
            what it cannot keep deep scores well: look at `suppressed-items` beside it. Parts: `original`, the same number \
            before; `root_share`, which share of the items is the root and says nothing.\n\
            Needs the taxonomy.",
        parameters: &[],
    },
    unit: "levels",
    better: "higher",
    undefined: "the release has no items",
    needs: &[Need::Taxonomy],
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct AverageLevel;

impl Measure<Baskets> for AverageLevel {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Baskets>, _context: &Context<'_>) -> Result<Measured> {
        let taxonomy = taxonomy(pair)?;
        let release = release_as_original(pair)?;
        let items = over_records(pair, |record| release.basket(record).len() as u64);
        let over_items = |of_item: &dyn Fn(u32) -> u64| {
            let sum = over_records(pair, |record| release.basket(record).iter().map(|&item| of_item(item)).sum());
            (items > 0).then(|| sum as f64 / items as f64)
        };
        let own = pair.original.items();
        let original: u64 = own.iter().map(|&item| u64::from(taxonomy.level(item))).sum();
        Ok(self.measured(
            over_items(&|item| u64::from(taxonomy.level(item))),
            json!({
                "original": (!own.is_empty()).then(|| original as f64 / own.len() as f64),
                "root_share": over_items(&|item| u64::from(item == crate::taxonomy::ROOT)),
            }),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::measure_baskets;
    use super::*;
    use crate::data::baskets::tests::baskets;
    use crate::taxonomy::tests::food;
    use std::sync::Arc;

    #[test]
    fn the_root_is_level_one() {
        let food = Arc::new(food());
        let original = baskets(&food, &["Orange Beef", "Apple Banana"]);
        let release = baskets(&food, &["Food Fruit", "Fruit Apple"]);
        let result = measure_baskets(&AverageLevel, &original, &release, false).unwrap();
        assert_eq!(result.value, Some(2.0));
        assert_eq!(result.parts, json!({"original": 3.0, "root_share": 0.25}));
        let nothing = baskets(&food, &["", ""]);
        assert_eq!(measure_baskets(&AverageLevel, &original, &nothing, false).unwrap().value, None);
    }
}
