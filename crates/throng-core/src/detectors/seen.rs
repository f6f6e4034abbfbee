//! Ratings as detectors see them: without fractions, and without an order.
//!
//! An attacker who fills in means of items gives themself away by fractions among whole ratings, and one who knows that rounds them.
//! So no detector may look at the fraction: every value is put on the step that nearly all ratings keep to. A scale of any number is
//! seen in twenty parts.

use crate::data::ratings::Ratings;

/// What share of ratings may be off the step.
const MAY_BE_OFF: f64 = 0.2;

/// Where values are put.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    low: f64,
    high: f64,
    step: f64,
}

impl Seen {
    /// The step of these ratings: 1, a half, or a twentieth of the scale.
    pub fn of(ratings: &Ratings) -> Self {
        let scale = ratings.scale();
        let off = |step: f64| {
            let items = 0..ratings.items() as u32;
            items.flat_map(|item| ratings.of_item(item)).filter(|(_, value)| (value / step).fract() != 0.0).count()
        };
        let may_be_off = (MAY_BE_OFF * ratings.len() as f64) as usize;
        let known = scale.step.or_else(|| [1.0, 0.5].into_iter().find(|&step| off(step) <= may_be_off));
        Self {
            low: scale.low,
            high: scale.high,
            step: known.unwrap_or_else(|| ((scale.high - scale.low) / 20.0).max(f64::MIN_POSITIVE)),
        }
    }

    /// The number of the step that a value is on, from 0.
    pub fn step(&self, value: f64) -> u32 {
        ((value - self.low) / self.step + 0.5).floor().max(0.0) as u32
    }

    /// The value without its fraction.
    pub fn value(&self, value: f64) -> f64 {
        (self.low + f64::from(self.step(value)) * self.step).min(self.high)
    }

    /// Whether a value is the end of the scale.
    pub fn is_end(&self, value: f64, is_high: bool) -> bool {
        self.step(value) == self.step(if is_high { self.high } else { self.low })
    }

    /// For each item how many rated it, and their mean.
    pub fn items(&self, ratings: &Ratings) -> Vec<(usize, f64)> {
        let item = |item: u32| {
            let values = ratings.of_item(item);
            let count = values.len();
            // Whole steps, so that the sum does not hang on the order.
            let sum: u64 = values.map(|(_, value)| u64::from(self.step(value))).sum();
            (count, self.low + self.step * sum as f64 / count.max(1) as f64)
        };
        (0..ratings.items() as u32).map(item).collect()
    }
}
