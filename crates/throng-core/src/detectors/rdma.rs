//! RDMA: how far a person's ratings are from the means of items, most where few rated them.
//!
//! Paper      Chirita, Nejdl, Zamfir. Preventing Shilling Attacks in Online Recommender Systems. WIDM 2005.
//! Does not   see a profile whose fillers are the means of items.
//!
//! # Formula
//! Σ |r(u,i) - m(i)| / c(i) over the items of u, divided by n(u); c(i) raters and m(i) mean of an item.
//!
//! # Cost
//! Time O(ratings).

use super::seen::Seen;
use super::{Detector, Found, Suspect, robust};
use crate::data::ratings::Ratings;
use crate::error::Result;
use crate::info::Info;
use crate::progress::Progress;

/// The card.
pub const INFO: Info = Info {
    name: "rdma",
    summary: "ratings that deviate from the mean of an item, most where few rated it",
    paper: "Chirita, Nejdl, Zamfir. Preventing Shilling Attacks in Online Recommender Systems. WIDM 2005",
    details: "The sum over a person's items of |rating - mean of the item| / raters of the item, divided by the number of items. High is suspect.\n\
              It sees made-up ratings of little-known items that nobody else would give. It does not see fillers that are the means of items, as the attacks \
              average, ul and uh use them.\n\
              Flagged is who is more than 3 robust deviations above the median. Time O(ratings).",
    parameters: &[],
};

/// How many robust deviations from the median are suspect, of detectors that look at one thing.
pub(super) const USUAL: f64 = 3.0;

/// The detector.
#[derive(Debug, Clone, Copy)]
pub struct Rdma;

impl Detector<Ratings> for Rdma {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn detect(&self, ratings: &Ratings, _progress: &dyn Progress) -> Result<Found> {
        Ok(far_above(deviations(ratings, 1)))
    }
}

/// For each person the mean deviation from the means of items, weighed by a power of the number of raters.
pub(super) fn deviations(ratings: &Ratings, power: i32) -> Vec<f64> {
    let seen = Seen::of(ratings);
    let items = seen.items(ratings);
    let score = |person: u32| {
        let deviations = ratings.of_person(person).map(|(item, value)| {
            let (count, mean) = items[item as usize];
            (seen.value(value) - mean).abs() / (count as f64).powi(power)
        });
        deviations.sum::<f64>() / ratings.count_of_person(person).max(1) as f64
    };
    (0..ratings.persons() as u32).map(score).collect()
}

/// Flags scores far above the median.
pub(super) fn far_above(scores: Vec<f64>) -> Found {
    let centre = robust::median(scores.clone());
    let threshold = centre + USUAL * robust::spread(&scores, centre);
    Found::beyond(scores, threshold, Suspect::High)
}
