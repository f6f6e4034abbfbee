//! Average length: how many items a record has on average.
//!
//! Paper      002 (thesis on Clump), section 6.2.2.
//!
//! # Formula
//! Items of all records, copies included, over persons. A person of the original who is not in the release counts as an
//! empty record.
//!
//! # Cost
//! Time O(persons).

use serde_json::json;

use super::super::items::{over_records, persons};
use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::data::Baskets;
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "average-length",
        summary: "how many items a person's record has on average",
        paper: "Milani Fard. Clustering-based Web Query Log Anonymization. Thesis, Simon Fraser University (2010), \
                section 6.2.2",
        details: "Items of all records, copies included, over persons. A person of the original who is not in the release \
            counts as an empty record. Parts: `original`, the same number before; `share`, after as a share of before; \
            `distinct` and `original_distinct`, the same without copies. Items that are published for a group only are \
            not counted.",
        parameters: &[],
    },
    unit: "items",
    better: "higher",
    says: "A published basket has {} on average.",
    undefined: "there are no persons",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct AverageLength;

impl Measure<Baskets> for AverageLength {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Baskets>, _context: &Context<'_>) -> Result<Measured> {
        let distinct = |basket: &[u32]| basket.chunk_by(|left, right| left == right).count() as u64;
        let before = pair.original.persons() as u64;
        let after = before.max(persons(pair));
        let mean = |sum: u64, persons: u64| (persons > 0).then(|| sum as f64 / persons as f64);
        let original = mean(pair.original.rows() as u64, before);
        let release = mean(over_records(pair, |record| pair.release.basket(record).len() as u64), after);
        let share = release.zip(original).filter(|&(_, original)| original > 0.0).map(|(after, before)| after / before);
        Ok(self.measured(
            release,
            json!({
                "original": original,
                "share": share,
                "distinct": mean(over_records(pair, |record| distinct(pair.release.basket(record))), after),
                "original_distinct":
                    mean((0..pair.original.persons()).map(|person| distinct(pair.original.basket(person))).sum(), before),
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
    fn by_hand() {
        let food = Arc::new(food());
        let original = baskets(&food, &["Orange Beef Cheese", "Apple Banana", "Milk"]);
        let release = baskets(&food, &["Food Food", "Fruit"]);
        let result = measure_baskets(&AverageLength, &original, &release, false).unwrap();
        assert_eq!(result.value, Some(1.0));
        assert_eq!(
            result.parts,
            json!({"original": 2.0, "share": 0.5, "distinct": 2.0 / 3.0, "original_distinct": 2.0})
        );
        // One record that stands for three persons.
        let pair = Pair { original: &original, release: &release, multiplicity: vec![3, 0], link: None };
        let context = super::super::super::testing::CONTEXT;
        assert_eq!(AverageLength.measure(&pair, &context).unwrap().value, Some(2.0));
        let nobody = baskets(&food, &[]);
        assert_eq!(measure_baskets(&AverageLength, &nobody, &nobody, false).unwrap().value, None);
    }
}
