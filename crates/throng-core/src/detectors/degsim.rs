//! DegSim: how similar a person is to those most similar to them.
//!
//! Paper      Chirita, Nejdl, Zamfir. Preventing Shilling Attacks in Online Recommender Systems. WIDM 2005.
//! Does not   tell a profile from a person with common taste; it is here to be compared with.
//!
//! # Formula
//! The mean of Pearson's similarity to the 20 most similar persons with at least 3 co-rated items; 0 where there is nobody.
//!
//! # Cost
//! For each person the raters of their items: time O(Σ raters²) over items, memory O(persons) a thread.

use rayon::prelude::*;

use super::rdma::far_above;
use super::seen::Seen;
use super::{Detector, Found};
use crate::data::ratings::Ratings;
use crate::error::Result;
use crate::info::Info;
use crate::progress::Progress;

/// How many most similar persons count.
const NEIGHBOURS: usize = 20;
/// How many items two persons have both rated, at least.
const COMMON: u32 = 3;

/// The card.
pub const INFO: Info = Info {
    name: "degsim",
    summary: "persons who are much like those most like them",
    paper: "Chirita, Nejdl, Zamfir. Preventing Shilling Attacks in Online Recommender Systems. WIDM 2005",
    details: "The mean of Pearson's similarity to the 20 most similar persons with at least 3 items that both rated; 0 where there is nobody. High is suspect.\n\
              Made-up profiles agree with everybody, and with each other. So do persons with common taste and few ratings: it is a feature, not a verdict.\n\
              Flagged is who is more than 3 robust deviations above the median. Time: for each person all raters of their items.",
    parameters: &[],
};

/// The detector.
#[derive(Debug, Clone, Copy)]
pub struct Degsim;

/// Sums over what two persons have both rated, in steps of the scale.
#[derive(Clone, Copy, Default)]
struct Sums {
    n: u32,
    x: u64,
    y: u64,
    xx: u64,
    yy: u64,
    xy: u64,
}

impl Detector<Ratings> for Degsim {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn detect(&self, ratings: &Ratings, progress: &dyn Progress) -> Result<Found> {
        let seen = Seen::of(ratings);
        let persons = ratings.persons();
        progress.stage("comparing persons", persons as u64);
        let fresh = || (vec![Sums::default(); persons], Vec::new());
        let scores = (0..persons as u32).into_par_iter().map_init(fresh, |(sums, touched), person| {
            if !progress.is_stopped() {
                progress.advance(1);
                return score(ratings, &seen, person, sums, touched);
            }
            0.0
        });
        let scores = scores.collect();
        progress.go_on()?;
        Ok(far_above(scores))
    }
}

fn score(ratings: &Ratings, seen: &Seen, person: u32, sums: &mut [Sums], touched: &mut Vec<u32>) -> f64 {
    for (item, value) in ratings.of_person(person) {
        let x = u64::from(seen.step(value));
        for (other, value) in ratings.of_item(item).filter(|&(other, _)| other != person) {
            let y = u64::from(seen.step(value));
            let sums = &mut sums[other as usize];
            if sums.n == 0 {
                touched.push(other);
            }
            *sums = Sums {
                n: sums.n + 1,
                x: sums.x + x,
                y: sums.y + y,
                xx: sums.xx + x * x,
                yy: sums.yy + y * y,
                xy: sums.xy + x * y,
            };
        }
    }
    let mut similar: Vec<f64> = Vec::new();
    for other in touched.drain(..) {
        let of_both = std::mem::take(&mut sums[other as usize]);
        if of_both.n >= COMMON {
            similar.extend(of_both.pearson());
        }
    }
    similar.sort_by(|left, right| right.total_cmp(left));
    similar.truncate(NEIGHBOURS);
    similar.iter().sum::<f64>() / similar.len().max(1) as f64
}

impl Sums {
    /// Pearson's similarity; of whole numbers, so that it is exact up to the last division.
    fn pearson(&self) -> Option<f64> {
        let n = u64::from(self.n);
        let (left, right) = (n * self.xx - self.x * self.x, n * self.yy - self.y * self.y);
        if left == 0 || right == 0 {
            return None;
        }
        let both = (n * self.xy) as i64 - (self.x * self.y) as i64;
        Some(both as f64 / ((left as f64) * (right as f64)).sqrt())
    }
}
