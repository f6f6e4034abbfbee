//! Popularity fit: items too little known for so few ratings.
//!
//! Idea       ours. Who rates a few things rates what everybody knows; fillers drawn at random are not that.
//! Does not   see fillers that are favourites of many (il, ih).
//!
//! # Formula
//! p(u) = mean of c(i) / persons over the items of u. Score: what a parabola in ln n(u) expects of p(u), less p(u), in 1.4826 median
//! absolute deviations of what is left; the parabola is fitted again three times without those beyond 2.5.
//!
//! # Cost
//! Time O(ratings).

use super::{Detector, Found, Suspect, robust};
use crate::data::ratings::Ratings;
use crate::error::Result;
use crate::info::Info;
use crate::progress::Progress;

/// Beyond how many deviations a person is flagged, and left out of the next fit.
pub const LIMIT: f64 = 2.5;

/// The card.
pub const INFO: Info = Info {
    name: "popularity-fit",
    summary: "items that are too little known for so few ratings",
    paper: "Own. Beside the features of Burke et al. (KDD 2006)",
    details: "Who rates a few things rates what everybody knows, and who rates many goes on to what few know. So the mean popularity of a person's items (raters / \
              persons) has a place for every number of ratings: a parabola in its logarithm, fitted to all persons, and three times again without those further off than 2.5. \
              The score is how many robust deviations a person is below it. High is suspect.\n\
              It sees fillers drawn at random, whatever their values. It does not see favourites of many as fillers (il, ih), and it flags persons with a rare taste.\n\
              Flagged is who is above 2.5. Time O(ratings).",
    parameters: &[],
};

/// The detector.
#[derive(Debug, Clone, Copy)]
pub struct PopularityFit;

impl Detector<Ratings> for PopularityFit {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn detect(&self, ratings: &Ratings, _progress: &dyn Progress) -> Result<Found> {
        Ok(Found::beyond(scores(ratings, |share| share), LIMIT, Suspect::High))
    }
}

/// For each person how far the mean of something made of the shares of persons who rated their items is below what their number
/// of ratings lets expect.
pub(super) fn scores(ratings: &Ratings, of_share: impl Fn(f64) -> f64) -> Vec<f64> {
    let persons = ratings.persons() as f64;
    let of_items: Vec<f64> =
        (0..ratings.items() as u32).map(|item| of_share(ratings.count_of_item(item) as f64 / persons)).collect();
    // Who has rated nothing any more (a person of whom everything was left out) is as expected.
    let is_there = |person: &u32| ratings.count_of_person(*person) > 0;
    let there: Vec<u32> = (0..ratings.persons() as u32).filter(is_there).collect();
    let lengths: Vec<f64> = there.iter().map(|&person| (ratings.count_of_person(person) as f64).ln()).collect();
    let means: Vec<f64> = there
        .iter()
        .map(|&person| {
            let sum: f64 = ratings.of_person(person).map(|(item, _)| of_items[item as usize]).sum();
            sum / ratings.count_of_person(person) as f64
        })
        .collect();
    let mut scores = vec![0.0; ratings.persons()];
    for (&person, beside) in there.iter().zip(robust::beside_parabola(&lengths, &means, LIMIT)) {
        scores[person as usize] = -beside;
    }
    scores
}
