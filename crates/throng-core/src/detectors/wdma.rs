//! WDMA: RDMA with little-known items weighing still more.
//!
//! Paper      Burke, Mobasher, Williams, Bhaumik. Classification Features for Attack Detection in Collaborative Recommender Systems. KDD 2006.
//!
//! # Formula
//! Σ |r(u,i) - m(i)| / c(i)² over the items of u, divided by n(u).
//!
//! # Cost
//! Time O(ratings).

use super::rdma::{deviations, far_above};
use super::{Detector, Found};
use crate::data::ratings::Ratings;
use crate::error::Result;
use crate::info::Info;
use crate::progress::Progress;

/// The card.
pub const INFO: Info = Info {
    name: "wdma",
    summary: "as rdma, with little-known items weighing still more",
    paper: "Burke, Mobasher, Williams, Bhaumik. Classification Features for Attack Detection in Collaborative Recommender Systems. KDD 2006",
    details: "The sum over a person's items of |rating - mean of the item| / (raters of the item)², divided by the number of items. High is suspect.\n\
              Flagged is who is more than 3 robust deviations above the median. Time O(ratings).",
    parameters: &[],
};

/// The detector.
#[derive(Debug, Clone, Copy)]
pub struct Wdma;

impl Detector<Ratings> for Wdma {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn detect(&self, ratings: &Ratings, _progress: &dyn Progress) -> Result<Found> {
        Ok(far_above(deviations(ratings, 2)))
    }
}
