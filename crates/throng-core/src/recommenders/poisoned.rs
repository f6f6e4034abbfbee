//! What some persons are predicted for an item when made-up profiles stand behind the ratings, without a second data set.
//!
//! # Idea
//! Made-up persons change nothing between those who were there before: neither their means nor what any two have in common. So what a person
//! has in common with the genuine raters of an item (`user-pearson`), or an item with all others (the item recommenders), is counted once,
//! and each attack adds its profiles to that. The order of every sum is that of [`Ratings::with_more`], so results are the same to the bit.
//!
//! # Cost
//! Once: a row of similarities a person or an item. For each attack, what a person rated times the profiles, or the ratings of the profiles.
//!
//! Does not   keep sums for `bias` or for the nearest of all: those look at the whole again.

use rayon::prelude::*;

use super::neighbours::Neighbours;
use super::similarity::{Row, Sums};
use super::{Candidates, Fallback, Fitted, Name, Params, Recommender, amplified};
use crate::data::ratings::Ratings;
use crate::error::Result;
use crate::progress::{Progress, Silent};

/// A made-up profile: items with ratings.
type Profile = Vec<(u32, f64)>;

/// Persons and an item that none of them rated, with what attacks do not change.
pub struct Poisoned<'a> {
    ratings: &'a Ratings,
    recommender: Recommender,
    item: u32,
    persons: &'a [u32],
    means: Vec<f64>,
    known: Known,
}

/// What genuine persons have in common.
enum Known {
    /// For each person the genuine raters of the item who are similar: how much, their place among the raters, and how far the rating is from their mean.
    Persons(Vec<Vec<(f64, usize, f64)>>),
    /// The sums of the item with all others.
    Item(Row),
    /// Nothing that can be kept.
    Nothing,
}

impl<'a> Poisoned<'a> {
    /// Looks at some items for the same persons, of whom nobody rated any of them.
    pub fn of(ratings: &'a Ratings, persons: &'a [u32], items: &[u32], params: Params) -> Result<Vec<Self>> {
        let recommender = Recommender::new(Params { fallback: Fallback::None, clip: false, ..params })?;
        let fitted = Fitted::new(ratings);
        let with =
            |item: u32, known: Known| Self { ratings, recommender, item, persons, means: fitted.means.clone(), known };
        Ok(match params.name {
            Name::UserPearson if params.candidates == Candidates::Raters => {
                let similar: Vec<Vec<Vec<(f64, usize, f64)>>> = persons
                    .par_iter()
                    .map_init(
                        || Row::new(ratings.persons()),
                        |row, &person| {
                            recommender.fill(&fitted, row, person);
                            let near = |&item: &u32| similar_raters(&recommender, &fitted, row, item);
                            items.iter().map(near).collect()
                        },
                    )
                    .collect();
                // One list a person and item, put together by item.
                let mut by_item: Vec<Vec<Vec<(f64, usize, f64)>>> = items.iter().map(|_| Vec::new()).collect();
                for lists in similar {
                    lists.into_iter().zip(&mut by_item).for_each(|(list, of_item)| of_item.push(list));
                }
                items.iter().zip(by_item).map(|(&item, lists)| with(item, Known::Persons(lists))).collect()
            }
            Name::ItemAdjustedCosine | Name::ItemCosine => {
                let row = |&item: &u32| {
                    let mut row = Row::new(ratings.items());
                    recommender.fill(&fitted, &mut row, item);
                    with(item, Known::Item(row))
                };
                items.par_iter().map(row).collect()
            }
            Name::UserPearson | Name::Bias => items.iter().map(|&item| with(item, Known::Nothing)).collect(),
        })
    }

    /// What each person is predicted, with these profiles behind the ratings; none where nothing can be said.
    pub fn predict(&self, profiles: &[Profile]) -> Result<Vec<Option<f64>>> {
        match &self.known {
            Known::Persons(lists) => {
                let profiles: Vec<Dense> =
                    profiles.iter().map(|profile| Dense::new(profile, self.ratings.items())).collect();
                let predict =
                    |(&person, genuine): (&u32, &Vec<(f64, usize, f64)>)| self.by_persons(person, genuine, &profiles);
                Ok(self.persons.iter().zip(lists).map(predict).collect())
            }
            Known::Item(row) => {
                let mut row = row.clone();
                for profile in profiles {
                    let Some(own) = rating_of(profile, self.item) else { continue };
                    let mean = if self.params().name == Name::ItemAdjustedCosine { mean_of(profile) } else { 0.0 };
                    profile.iter().for_each(|&(other, value)| row.add(other, own - mean, value - mean));
                }
                Ok(self.persons.iter().map(|&person| self.by_items(person, &row)).collect())
            }
            Known::Nothing => {
                let whole = self.ratings.with_more(profiles);
                let pairs: Vec<super::Pair> =
                    self.persons.iter().map(|&person| (Some(person), Some(self.item))).collect();
                let found = self.recommender.predict(&whole, &pairs, &Silent as &dyn Progress)?;
                Ok(found.into_iter().map(|prediction| prediction.value).collect())
            }
        }
    }

    fn params(&self) -> &Params {
        self.recommender.params()
    }

    fn by_persons(&self, person: u32, genuine: &[(f64, usize, f64)], profiles: &[Dense]) -> Option<f64> {
        let mut near = Neighbours::new(self.params().neighbours);
        for &(similarity, order, deviation) in genuine {
            near.offer(Some(similarity), order, deviation);
        }
        let raters = self.ratings.count_of_item(self.item);
        let are_from_means = self.params().means == super::Means::All;
        let own_mean = if are_from_means { self.means[person as usize] } else { 0.0 };
        for (order, profile) in (raters..).zip(profiles) {
            let Some(given) = profile.get(self.item) else { continue };
            let mean = if are_from_means { profile.mean } else { 0.0 };
            let mut sums = Sums::default();
            for (item, value) in self.ratings.of_person(person) {
                if let Some(other) = profile.get(item) {
                    sums.add(value - own_mean, other - mean);
                }
            }
            near.offer(sums.similarity(self.params()), order, given - profile.mean);
        }
        let (mut above, mut weights) = (0.0, 0.0);
        for (similarity, deviation) in near.best() {
            let weight = amplified(similarity, self.params().amplification);
            above += weight * deviation;
            weights += weight;
        }
        (weights > 0.0).then(|| self.means[person as usize] + above / weights)
    }

    fn by_items(&self, person: u32, row: &Row) -> Option<f64> {
        let mut near = Neighbours::new(self.params().neighbours);
        for (order, (item, value)) in self.ratings.of_person(person).enumerate() {
            near.offer(row.similarity(item, self.params()), order, value);
        }
        let (mut above, mut weights) = (0.0, 0.0);
        for (similarity, value) in near.best() {
            let weight = amplified(similarity, self.params().amplification);
            above += weight * value;
            weights += weight;
        }
        (weights > 0.0).then(|| above / weights)
    }
}

/// The genuine raters of an item that are similar to whoever the row is of.
fn similar_raters(recommender: &Recommender, fitted: &Fitted<'_>, row: &Row, item: u32) -> Vec<(f64, usize, f64)> {
    let raters = fitted.ratings.of_item(item).enumerate();
    let similar = raters.filter_map(|(order, (rater, value))| {
        let similarity = row.similarity(rater, recommender.params()).filter(|&similarity| similarity > 0.0)?;
        Some((similarity, order, value - fitted.means[rater as usize]))
    });
    similar.collect()
}

/// A profile by items.
struct Dense {
    values: Vec<f64>,
    mean: f64,
}

impl Dense {
    fn new(profile: &Profile, items: usize) -> Self {
        let mut values = vec![f64::NAN; items];
        profile.iter().for_each(|&(item, value)| values[item as usize] = value);
        Self { values, mean: mean_of(profile) }
    }

    fn get(&self, item: u32) -> Option<f64> {
        let value = self.values[item as usize];
        (!value.is_nan()).then_some(value)
    }
}

fn rating_of(profile: &Profile, item: u32) -> Option<f64> {
    profile.iter().find(|rating| rating.0 == item).map(|rating| rating.1)
}

/// As of a person of a data set.
fn mean_of(profile: &Profile) -> f64 {
    crate::data::ratings::mean(profile.iter().map(|rating| rating.1))
}
