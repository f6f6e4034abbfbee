//! Rating distribution: whether as many ratings have one star, two stars and so on as before.
//!
//! Paper      Ours.
//!
//! # Formula
//! Values are rounded to the step of the original's scale, to a twentieth of it where it has none. Total variation of the shares of values: half the
//! sum of their absolute differences. Part `item_means`: over the items that both have, the root of the mean squared difference of their means.
//! Every record counts as often as it stands for persons.
//!
//! # Cost
//! One pass over both.

use std::collections::BTreeMap;

use serde_json::json;

use super::super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use crate::data::Ratings;
use crate::data::ratings::Scale;
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "rating-distribution",
        summary: "how much the shares of one star, two stars and so on change",
        paper: "Ours",
        details: "Values are rounded to the step of the original's scale, to a twentieth of it where it has none; the headline is the total variation of \
            the shares of values, half the sum of their absolute differences. Part `item_means`: over the items that both have, the root of the \
            mean squared difference of their means; `items` is their number.",
        parameters: &[],
    },
    unit: "of 1",
    better: "lower",
    says: "The shares of one star, two stars and so on differ by {%} in all.",
    headline: Some(Headline::Loss(Lost::Share)),
    ..MeasureInfo::DEFAULT
};

/// Into so many parts a scale without steps is cut.
const PARTS: f64 = 20.0;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct RatingDistribution;

impl Measure<Ratings> for RatingDistribution {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Ratings>, context: &Context<'_>) -> Result<Measured> {
        let scale = pair.original.scale();
        let ones = vec![1; pair.original.persons()];
        let (before, after) =
            (Shares::of(pair.original, &ones, scale), Shares::of(pair.release, &pair.multiplicity, scale));
        context.progress.go_on()?;
        let items = pair.original.item_ids().ids_in(pair.release.item_ids());
        let both = before
            .means
            .iter()
            .zip(items)
            .filter_map(|(before, item)| Some(((*before)?, after.means[item? as usize]?)));
        let squares: Vec<f64> = both.map(|(before, after)| (before - after) * (before - after)).collect();
        let means = (!squares.is_empty()).then(|| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt());
        let parts = json!({"item_means": means, "items": squares.len()});
        Ok(self.measured(before.apart(&after), parts))
    }
}

/// How often each value was given, and the mean of each item.
struct Shares {
    counts: BTreeMap<i64, f64>,
    all: f64,
    means: Vec<Option<f64>>,
}

impl Shares {
    fn of(ratings: &Ratings, multiplicity: &[u32], scale: Scale) -> Self {
        let step = scale.step.unwrap_or((scale.high - scale.low) / PARTS);
        let mut shares = Self { counts: BTreeMap::new(), all: 0.0, means: Vec::new() };
        for item in 0..ratings.items() as u32 {
            let (mut sum, mut persons) = (0.0, 0.0);
            for (rater, value) in ratings.of_item(item) {
                let times = f64::from(multiplicity[rater as usize]);
                let number = if step > 0.0 { ((value - scale.low) / step + 0.5).floor() as i64 } else { 0 };
                *shares.counts.entry(number).or_default() += times;
                sum += times * value;
                persons += times;
            }
            shares.all += persons;
            shares.means.push((persons > 0.0).then(|| sum / persons));
        }
        shares
    }

    /// The total variation; `None` if one of both has nothing.
    fn apart(&self, other: &Self) -> Option<f64> {
        if self.all == 0.0 || other.all == 0.0 {
            return None;
        }
        let values: std::collections::BTreeSet<i64> = self.counts.keys().chain(other.counts.keys()).copied().collect();
        let share = |of: &Self, value: &i64| of.counts.get(value).copied().unwrap_or(0.0) / of.all;
        Some(values.iter().map(|value| (share(self, value) - share(other, value)).abs()).sum::<f64>() / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::measure;
    use super::*;

    #[test]
    fn by_hand() {
        let original = [("ann", "x", 5.0), ("ann", "y", 3.0), ("ben", "x", 1.0), ("cid", "z", 1.0)];
        // 1: 2/4, 3: 1/4, 5: 1/4 before; 2: 1/2 (of 1.6), 3: 1/2 (of 2.5) after. Apart by (1/2 + 1/2 + 1/4 + 1/4) / 2.
        let release = [("ann", "x", 1.6), ("ben", "y", 2.5)];
        let found = measure(&RatingDistribution, &original, &release, false);
        assert_eq!(found.value, Some(0.75));
        // Means of x: 3 and 1.6, of y: 3 and 2.5.
        let means = ((1.4f64.powi(2) + 0.25) / 2.0).sqrt();
        assert!((found.parts["item_means"].as_f64().unwrap() - means).abs() < 1e-12);
        assert_eq!(measure(&RatingDistribution, &original, &original, false).value, Some(0.0));
    }

    #[test]
    fn a_scale_without_steps_and_one_value() {
        let original = [("ann", "x", 0.0), ("ann", "y", 10.0), ("ben", "x", 3.3)];
        let release = [("ann", "x", 0.1), ("ann", "y", 10.0), ("ben", "x", 3.4)];
        // Steps of a half: 0.1 and 0 are the same, 3.3 and 3.4 too.
        assert_eq!(measure(&RatingDistribution, &original, &release, false).value, Some(0.0));
        assert_eq!(measure(&RatingDistribution, &[("a", "x", 3.0)], &[("b", "x", 3.0)], false).value, Some(0.0));
    }
}
