//! Ratings kept: how much of what a person rated is still in their record, and how far its value is from theirs.
//!
//! Paper      Ours.
//!
//! # Formula
//! The share of all pairs of a person and an item they rated of which the person's record has the item. Part `difference`: over those, the mean
//! absolute difference of the record's value and the rating.
//!
//! # Cost
//! One pass over the ratings and over the records of their persons.

use serde_json::json;

use super::super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use crate::data::Ratings;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "ratings-kept",
        summary: "how many of the ratings of persons are still in their record",
        paper: "Ours",
        details: "The share of all pairs of a person and an item that they rated of which the person's record still has the item; of a person without \
            a record none. Part `difference`: over those the mean absolute difference of the published value and the person's. A release that keeps \
            fewer may still teach more: see prediction-error.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    says: "Of what people rated, {%} is still in their record.",
    undefined: "nobody rated anything",
    needs: &[Need::Link],
    headline: Some(Headline::Loss(Lost::Kept)),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct RatingsKept;

impl Measure<Ratings> for RatingsKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Ratings>, context: &Context<'_>) -> Result<Measured> {
        let items = pair.original.item_ids().ids_in(pair.release.item_ids());
        // What the record of the person at hand gives each item.
        let mut shown: Vec<Option<f64>> = vec![None; pair.release.items()];
        let (mut kept, mut difference) = (0_u64, 0.0);
        for (person, record) in pair.linked() {
            let of_record = || pair.release.of_person(record as u32);
            of_record().for_each(|(item, value)| shown[item as usize] = Some(value));
            for (item, value) in pair.original.of_person(person as u32) {
                if let Some(other) = items[item as usize].and_then(|item| shown[item as usize]) {
                    kept += 1;
                    difference += (other - value).abs();
                }
            }
            of_record().for_each(|(item, _)| shown[item as usize] = None);
        }
        context.progress.go_on()?;
        let all = pair.original.len();
        let share = (all > 0).then(|| kept as f64 / all as f64);
        let difference = (kept > 0).then(|| difference / kept as f64);
        Ok(self.measured(share, json!({"difference": difference, "kept": kept, "ratings": all})))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::measure;
    use super::*;

    #[test]
    fn by_hand() {
        let original = [("ann", "x", 5.0), ("ann", "y", 3.0), ("ben", "x", 1.0), ("cid", "z", 2.0)];
        // Ann keeps x, half a star below; ben keeps x as it was; cid has no record.
        let release = [("ann", "x", 4.5), ("ann", "z", 1.0), ("ben", "x", 1.0)];
        let found = measure(&RatingsKept, &original, &release, true);
        assert_eq!((found.value, &found.parts["difference"]), (Some(0.5), &json!(0.25)));
        assert_eq!((&found.parts["kept"], &found.parts["ratings"]), (&json!(2), &json!(4)));
        let found = measure(&RatingsKept, &original, &original, true);
        assert_eq!((found.value, &found.parts["difference"]), (Some(1.0), &json!(0.0)));
        assert_eq!(measure(&RatingsKept, &original, &[("ann", "w", 1.0)], true).parts["difference"], json!(null));
    }
}
