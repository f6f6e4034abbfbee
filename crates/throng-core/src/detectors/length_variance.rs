//! Length variance: a number of ratings that is far from the mean.
//!
//! Paper      Burke, Mobasher, Williams, Bhaumik. Classification Features for Attack Detection in Collaborative Recommender Systems. KDD 2006.
//! Does not   see a profile of usual length.
//!
//! # Formula
//! |n(u) - mean n| / Σ (n - mean n)².
//!
//! # Cost
//! Time O(persons).

use super::rdma::far_above;
use super::{Detector, Found};
use crate::data::ratings::Ratings;
use crate::error::Result;
use crate::info::Info;
use crate::progress::Progress;

/// The card.
pub const INFO: Info = Info {
    name: "length-variance",
    summary: "a number of ratings that is far from everybody's",
    paper: "Burke, Mobasher, Williams, Bhaumik. Classification Features for Attack Detection in Collaborative Recommender Systems. KDD 2006",
    details: "|ratings of the person - mean| / sum over all of (ratings - mean)². High is suspect.\n\
              It sees profiles with very many ratings, and the most eager of genuine persons. It does not see profiles of usual length.\n\
              Flagged is who is more than 3 robust deviations above the median. Time O(persons).",
    parameters: &[],
};

/// The detector.
#[derive(Debug, Clone, Copy)]
pub struct LengthVariance;

impl Detector<Ratings> for LengthVariance {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn detect(&self, ratings: &Ratings, _progress: &dyn Progress) -> Result<Found> {
        let counts: Vec<f64> =
            (0..ratings.persons() as u32).map(|person| ratings.count_of_person(person) as f64).collect();
        let mean = ratings.len() as f64 / counts.len().max(1) as f64;
        let whole: f64 = counts.iter().map(|count| (count - mean) * (count - mean)).sum();
        let score = |count: &f64| if whole > 0.0 { (count - mean).abs() / whole } else { 0.0 };
        Ok(far_above(counts.iter().map(score).collect()))
    }
}
