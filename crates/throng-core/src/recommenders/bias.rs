//! The bias model: what an item and a person have above the mean of all ratings.
//!
//! # Formula
//! g + b(i) + b(u), with b(i) = Σ (r - g) / (n(i) + 10) and b(u) = Σ (r - g - b(i)) / (n(u) + 5).
//!
//! # Cost
//! Two passes over the ratings.

use crate::data::ratings::Ratings;

/// Pseudo-ratings that hold items and persons to the mean.
const ITEM: f64 = 10.0;
const PERSON: f64 = 5.0;

/// A fitted model.
#[derive(Debug, Clone)]
pub struct Bias {
    mean: f64,
    item: Vec<f64>,
    person: Vec<f64>,
}

impl Bias {
    /// Learns from ratings.
    pub fn fit(ratings: &Ratings) -> Self {
        let mean = ratings.mean();
        let item: Vec<f64> = (0..ratings.items() as u32)
            .map(|item| {
                let above: f64 = ratings.of_item(item).map(|(_, value)| value - mean).sum();
                above / (ratings.count_of_item(item) as f64 + ITEM)
            })
            .collect();
        let person = (0..ratings.persons() as u32)
            .map(|person| {
                let above: f64 = ratings.of_person(person).map(|(at, value)| value - mean - item[at as usize]).sum();
                above / (ratings.count_of_person(person) as f64 + PERSON)
            })
            .collect();
        Self { mean, item, person }
    }

    /// What a person with these ratings would give an item: nothing is learned from what they gave it, but for its share in all other means.
    pub fn predict_without(&self, ratings: &Ratings, own: &[(u32, f64)], item: u32, given: Option<f64>) -> f64 {
        let others = ratings.count_of_item(item) - usize::from(given.is_some());
        let all = self.item[item as usize] * (ratings.count_of_item(item) as f64 + ITEM);
        let of_item = (all - given.map_or(0.0, |given| given - self.mean)) / (others as f64 + ITEM);
        let rest = own.iter().filter(|&&(at, _)| at != item);
        let above: f64 = rest.clone().map(|&(at, value)| value - self.mean - self.item[at as usize]).sum();
        self.mean + of_item + above / (rest.count() as f64 + PERSON)
    }

    /// What a person would give an item.
    pub fn predict(&self, person: u32, item: u32) -> f64 {
        self.mean + self.item[item as usize] + self.person[person as usize]
    }
}
