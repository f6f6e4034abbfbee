//! A third party who has data of other people, a release say, and the ratings of one person, and predicts what that person would give.
//!
//! # Idea
//! `user-pearson` with 20 neighbours and significance 25, the best of its kind; a neighbour is a different record of the data, however many persons it
//! stands for (who k persons are the same says nothing k times), and one record (that of the person's own group) may be left out. The rating that is
//! predicted is not looked at.
//!
//! # Cost
//! For one person the raters of their items; for one prediction the raters of the item.

use super::similarity::Sums;
use crate::data::ratings::Ratings;

/// How many neighbours count.
const NEIGHBOURS: usize = 20;
/// From how many common ratings a similarity counts in full.
const SIGNIFICANCE: u32 = 25;

/// Data of other people, as a third party sees them.
pub struct ThirdParty<'a> {
    data: &'a Ratings,
    /// Whether a record stands for anybody, and is not the same as an earlier one.
    counts: Vec<bool>,
    /// The first record that is the same as each.
    first_of: Vec<u32>,
    means: Vec<f64>,
    mean: f64,
    /// For each item of whoever is predicted its number here.
    items: Vec<Option<u32>>,
}

/// What somebody has in common with every record; one is used for many persons.
pub struct Common {
    sums: Vec<Sums>,
    touched: Vec<u32>,
}

/// What is known of the person who is predicted.
pub struct Profile<'p> {
    /// Their ratings, by the numbers of their own data.
    pub ratings: &'p [(u32, f64)],
    /// The record that is left out.
    pub own: Option<u32>,
}

impl<'a> ThirdParty<'a> {
    /// Looks at data, each record of which stands for so many persons; those that are the same are one, if it is said. Items are told by their
    /// ids in the data of whoever is predicted.
    pub fn new(data: &'a Ratings, multiplicity: &[u32], are_merged: bool, of: &Ratings) -> Self {
        let first_of = if are_merged { data.first_of_same() } else { (0..data.persons() as u32).collect() };
        let mut counts = vec![false; data.persons()];
        for (record, &first) in first_of.iter().enumerate() {
            counts[first as usize] |= multiplicity[record] > 0;
        }
        let means = (0..data.persons() as u32).map(|record| data.mean_of_person(record)).collect();
        let all: f64 = (0..)
            .zip(multiplicity)
            .map(|(record, &times)| f64::from(times) * data.count_of_person(record) as f64)
            .sum();
        let sum: f64 = (0..)
            .zip(multiplicity)
            .map(|(record, &times)| f64::from(times) * data.of_person(record).map(|(_, value)| value).sum::<f64>())
            .sum();
        Self { data, counts, first_of, means, mean: sum / all, items: of.item_ids().ids_in(data.item_ids()) }
    }

    /// Room for what somebody has in common with these.
    pub fn common(&self) -> Common {
        Common { sums: vec![Sums::default(); self.data.persons()], touched: Vec::new() }
    }

    /// The record that a person's record is the same as.
    pub fn record(&self, record: u32) -> u32 {
        self.first_of[record as usize]
    }

    /// Compares somebody with everybody.
    pub fn meet(&self, profile: &Profile<'_>, common: &mut Common) {
        for record in common.touched.drain(..) {
            common.sums[record as usize] = Sums::default();
        }
        for &(item, value) in profile.ratings {
            let Some(item) = self.items[item as usize] else { continue };
            for (record, other) in self.data.of_item(item) {
                if !self.counts[record as usize] {
                    continue;
                }
                let sums = &mut common.sums[record as usize];
                if sums.is_empty() {
                    common.touched.push(record);
                }
                sums.add(value, other);
            }
        }
    }

    /// What somebody who was compared with everybody would give an item; `None` if nobody is a neighbour. What they gave it, if that is a part of
    /// their profile, is left out of everything.
    pub fn predict(&self, profile: &Profile<'_>, common: &Common, item: u32, given: Option<f64>) -> Option<f64> {
        let mut near: Vec<(f64, usize, u32, f64)> = Vec::new();
        for (order, (record, value)) in self.data.of_item(self.items[item as usize]?).enumerate() {
            if !self.counts[record as usize] || profile.own == Some(record) {
                continue;
            }
            let sums = match given {
                Some(given) => common.sums[record as usize].without(given, value),
                None => common.sums[record as usize],
            };
            if let Some(similarity) = sums.pearson_of(SIGNIFICANCE).filter(|&similarity| similarity > 0.0) {
                near.push((similarity, order, record, value));
            }
        }
        near.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        near.truncate(NEIGHBOURS);
        let (mut above, mut weights) = (0.0, 0.0);
        for (similarity, _, record, value) in near {
            above += similarity * (value - self.means[record as usize]);
            weights += similarity;
        }
        (weights > 0.0).then(|| mean_without(profile.ratings, given, self.mean) + above / weights)
    }

    /// What stands in where nobody is a neighbour: the person's mean, or that of everybody.
    pub fn without_neighbours(&self, profile: &Profile<'_>, given: Option<f64>) -> f64 {
        mean_without(profile.ratings, given, self.mean)
    }
}

/// The mean of some ratings without one; of none, another.
fn mean_without(ratings: &[(u32, f64)], given: Option<f64>, other: f64) -> f64 {
    let count = ratings.len() - usize::from(given.is_some());
    if count == 0 {
        return other;
    }
    let sum: f64 = ratings.iter().map(|(_, value)| value).sum();
    (sum - given.unwrap_or(0.0)) / count as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Fallback, Name, Params, Recommender};
    use super::*;
    use crate::data::ratings::{Rating, RatingsBuilder, Repeated};
    use crate::progress::Silent;

    type Rows = Vec<(u32, u32, u8)>;

    fn ratings(rows: &Rows) -> Ratings {
        let mut builder = RatingsBuilder::default();
        for (line, &(person, item, halves)) in (1..).zip(rows) {
            let (person, item) = (builder.person(&person.to_string()), builder.item(&item.to_string()));
            builder.push(person, Rating { item, value: f64::from(halves) / 2.0, time: None }, line);
        }
        builder.finish(None, Repeated::Skip).unwrap().0
    }

    proptest! {
        /// As the recommender predicts from a file to which the person was added with what else they rated.
        #[test]
        fn as_the_recommender_from_one_file(
            others in prop::collection::vec((0..30u32, 0..8u32, 1..11u8), 1..160),
            own in prop::collection::vec((0..8u32, 1..11u8), 2..8),
            left_out in prop::option::of(0..30u32),
        ) {
            let mut own = own;
            own.sort_unstable();
            own.dedup_by_key(|rating| rating.0);
            let person: Rows = own.iter().map(|&(item, halves)| (99, item, halves)).collect();
            let (data, person) = (ratings(&others), ratings(&person));
            let number = |name: u32| data.person_ids().iter().position(|id| id == name.to_string()).map(|at| at as u32);
            let out = left_out.and_then(number);
            let third = ThirdParty::new(&data, &vec![1; data.persons()], false, &person);
            let mut common = third.common();
            let profile = Profile { ratings: &person.of_person(0).collect::<Vec<_>>(), own: out };
            third.meet(&profile, &mut common);
            for (item, given) in person.of_person(0) {
                let name = person.item_ids().get(item);
                let found = third.predict(&profile, &common, item, Some(given));
                let mut whole: Rows = others.iter().copied().filter(|row| left_out != Some(row.0) || out.is_none()).collect();
                let rest = own.iter().filter(|one| one.0.to_string() != name).map(|&(item, halves)| (99, item, halves));
                whole.extend(rest);
                let whole = ratings(&whole);
                let params = Params { significance: 25, fallback: Fallback::None, ..Params::usual(Name::UserPearson) };
                let pair = (
                    whole.person_ids().iter().position(|id| id == "99").map(|at| at as u32),
                    whole.item_ids().iter().position(|id| id == name).map(|at| at as u32),
                );
                let expected = Recommender::new(params).unwrap().predict(&whole, &[pair], &Silent).unwrap()[0].value;
                prop_assert_eq!(found.is_some(), expected.is_some());
                if let (Some(found), Some(expected)) = (found, expected) {
                    prop_assert!((found - expected).abs() < 1e-9, "{} {}", found, expected);
                }
            }
        }

        /// A record that several persons have counts once.
        #[test]
        fn merged_as_apart(
            records in prop::collection::vec((0..12u32, 0..8u32, 1..11u8), 1..80),
            own in prop::collection::vec((0..8u32, 1..11u8), 2..8),
            times in 1..6u32,
        ) {
            let mut own = own;
            own.sort_unstable();
            own.dedup_by_key(|rating| rating.0);
            let person = ratings(&own.iter().map(|&(item, halves)| (99, item, halves)).collect());
            let data = ratings(&records);
            let apart: Rows = (0..times).flat_map(|copy| records.iter().map(move |&(one, item, value)| (one + 100 * copy, item, value))).collect();
            let apart = ratings(&apart);
            let profile = Profile { ratings: &person.of_person(0).collect::<Vec<_>>(), own: None };
            let predicted = |data: &Ratings, times: u32, are_merged: bool| {
                let third = ThirdParty::new(data, &vec![times; data.persons()], are_merged, &person);
                let mut common = third.common();
                third.meet(&profile, &mut common);
                person.of_person(0).map(|(item, given)| third.predict(&profile, &common, item, Some(given))).collect::<Vec<_>>()
            };
            let (once, many) = (predicted(&data, times, true), predicted(&apart, 1, true));
            for (left, right) in once.into_iter().zip(many) {
                prop_assert_eq!(left.is_some(), right.is_some());
                prop_assert!((left.unwrap_or(0.0) - right.unwrap_or(0.0)).abs() < 1e-9);
            }
        }
    }
}
