//! Ratings as a data set: persons with rows, what an attacker may know of them, and ratings that a method makes.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashMap;

use super::super::content::{Content, Field, Replaced};
use super::super::{Dataset, FactSort, Facts, Strings};
use super::{NO_TIME, Rating, Ratings, Scale, grouped};
use crate::finders::mask::Form;
use crate::info::Need;
use crate::models::digests::{RowHasher, Rows};
use crate::rng::Rng;

/// The number of the sort of facts that are an item with what it was given.
const WITH_VALUES: usize = 0;
/// The seed by which fifths are held out.
const FIFTHS: u64 = 24;

impl Dataset for Ratings {
    const FACTS: &'static [FactSort] = &[
        FactSort {
            names: ["rating", "ratings"],
            means: "the item and what the person gave it",
            known: ["one rating of a person", "{} ratings of a person"],
        },
        FactSort {
            names: ["rated item", "rated items"],
            means: "that they rated it",
            known: ["one item that a person rated", "{} items that a person rated"],
        },
    ];

    fn persons(&self) -> usize {
        self.persons()
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn names(&self) -> &Strings {
        self.person_ids()
    }

    fn of_persons(&self, persons: &[u32]) -> Self {
        let records: Vec<Vec<Rating>> = persons.iter().map(|&person| self.timed_of_person(person).collect()).collect();
        let names = persons.iter().map(|&person| self.person_ids().get(person)).collect();
        let mut some = self.records(names, &records, self.scale());
        if self.has_held_out() {
            some.held_out = persons.iter().flat_map(|&person| &self.held_out[self.range(person)]).copied().collect();
        }
        some
    }

    fn in_release_order(self) -> Self {
        let by_id = |left: &Rating, right: &Rating| {
            let ids = [left.item, right.item].map(|item| self.item_ids().get(item));
            ids[0].len().cmp(&ids[1].len()).then(ids[0].cmp(ids[1]))
        };
        let of = |person: u32| -> Vec<Rating> {
            let mut ratings: Vec<Rating> = self.timed_of_person(person).collect();
            ratings.sort_by(by_id);
            ratings
        };
        let records: Vec<Vec<Rating>> = (0..self.persons() as u32).map(of).collect();
        self.records(self.person_ids().clone(), &records, self.scale())
    }

    fn facts(&self, sort: usize) -> Facts<'_> {
        if sort != WITH_VALUES {
            return Facts::new(self.items(), |person| {
                Cow::Owned(self.of_person(person as u32).map(|(item, _)| item).collect())
            });
        }
        let given = self.different();
        let count = given.count();
        Facts::new(count, move |person| {
            Cow::Owned(self.of_person(person as u32).filter_map(|(item, value)| given.number(item, value)).collect())
        })
    }

    fn has(&self, _need: Need) -> bool {
        false
    }
}

/// Every item with every value that somebody gave it: facts are numbered by item, then by value.
struct Different {
    starts: Vec<u32>,
    values: Vec<f64>,
}

impl Different {
    fn count(&self) -> usize {
        self.values.len()
    }

    fn number(&self, item: u32, value: f64) -> Option<u32> {
        let start = self.starts[item as usize];
        let own = &self.values[start as usize..self.starts[item as usize + 1] as usize];
        own.binary_search_by(|other| other.total_cmp(&value)).ok().map(|at| start + at as u32)
    }
}

impl Ratings {
    fn different(&self) -> Different {
        let mut different = Different { starts: vec![0], values: Vec::new() };
        for item in 0..self.items() as u32 {
            let mut values: Vec<f64> = self.of_item(item).map(|(_, value)| value).collect();
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            different.values.extend(values);
            different.starts.push(different.values.len() as u32);
        }
        different
    }

    /// The item and the value that a fact of the first sort is.
    pub fn fact(&self, fact: u32) -> (u32, f64) {
        let different = self.different();
        let item = different.starts.partition_point(|&start| start <= fact).saturating_sub(1);
        (item as u32, different.values.get(fact as usize).copied().unwrap_or(f64::NAN))
    }

    /// The places of a person's ratings among all, person by person.
    pub fn places_of(&self, person: u32) -> Range<usize> {
        self.range(person)
    }

    /// The places of an item's ratings among all, item by item.
    pub fn places_of_item(&self, item: u32) -> Range<usize> {
        self.item_range(item)
    }

    /// The times of all ratings, item by item, each in the place of its rater.
    pub fn times_by_item(&self) -> Vec<Option<i64>> {
        let mut times = vec![None; self.len()];
        let by_person = self.raters_by_person();
        let mut next: Vec<usize> = self.item_starts[..self.items()].to_vec();
        for at in 0..self.len() {
            let next = &mut next[self.item[at] as usize];
            times[by_person[*next] as usize] = self.time.get(at).copied().filter(|&time| time != NO_TIME);
            *next += 1;
        }
        times
    }

    /// The person whose rating is at a place.
    pub fn person_at(&self, place: usize) -> u32 {
        self.starts.partition_point(|&start| start <= place) as u32 - 1
    }

    /// For each person the first who has the same ratings at the same times, in whatever order.
    pub fn first_of_same(&self) -> Vec<u32> {
        let content = |person: u32| {
            let mut own: Vec<_> =
                self.timed_of_person(person).map(|rating| (rating.item, rating.value.to_bits(), rating.time)).collect();
            own.sort_unstable();
            own
        };
        let hasher = foldhash::fast::FixedState::default();
        // The first persons of those who hash alike, of whom few are not the same.
        let mut alike: HashMap<u64, Vec<u32>, foldhash::fast::FixedState> = HashMap::default();
        let first = |person: u32| {
            let own = content(person);
            let others = alike.entry(hasher.hash_one(&own)).or_default();
            let same = others.iter().copied().find(|&other| content(other) == own);
            same.unwrap_or_else(|| {
                others.push(person);
                person
            })
        };
        (0..self.persons() as u32).map(first).collect()
    }

    /// The same with a fifth of every person's ratings held out, drawn by a fixed seed: what a method is given, and everything, with marks on
    /// what it is not.
    pub fn with_fifths_held_out(&self) -> [Self; 2] {
        let mut held_out = vec![false; self.len()];
        for person in 0..self.persons() as u32 {
            let range = self.range(person);
            let fifth = (range.len() + 2) / 5;
            for at in Rng::seeded_stream(FIFTHS, u64::from(person)).sample(range.len(), fifth) {
                held_out[range.start + at as usize] = true;
            }
        }
        let (rest, _) = self.without(|at| held_out[at]);
        [rest, Self { held_out, ..self.clone() }]
    }

    /// Whether some ratings are held out.
    pub fn has_held_out(&self) -> bool {
        !self.held_out.is_empty()
    }

    /// Whether the rating at a place is held out.
    pub fn is_held_out(&self, place: usize) -> bool {
        self.held_out.get(place).copied().unwrap_or(false)
    }

    /// The ratings without those that are held out, if some are.
    pub fn without_held_out(&self) -> Option<Self> {
        self.has_held_out().then(|| self.without(|at| self.held_out[at]).0)
    }

    /// How many ratings are held out.
    pub fn count_held_out(&self) -> usize {
        self.held_out.iter().filter(|&&is| is).count()
    }

    /// The rating at a place.
    pub fn at(&self, place: usize) -> Rating {
        let time = self.time.get(place).copied().filter(|&time| time != NO_TIME);
        Rating { item: self.item[place], value: self.value[place], time }
    }

    /// Whether any rating has a time.
    pub fn has_times(&self) -> bool {
        self.time.iter().any(|&time| time != NO_TIME)
    }

    /// Other persons with ratings of the same items. Items keep their numbers, also if nobody rated them.
    #[must_use]
    pub fn records(&self, names: Strings, records: &[Vec<Rating>], scale: Scale) -> Self {
        Self::of_records(self.items.clone(), names, records, scale)
    }

    /// Persons with ratings of these items, each of them once a person.
    pub fn of_records(items: Strings, names: Strings, records: &[Vec<Rating>], scale: Scale) -> Self {
        let count = records.iter().map(Vec::len).sum();
        let (mut item, mut value, mut person) =
            (Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(count));
        let has_times = records.iter().flatten().any(|rating| rating.time.is_some());
        let (mut time, mut starts) = (Vec::new(), vec![0]);
        for (number, record) in (0..).zip(records) {
            for rating in record {
                item.push(rating.item);
                value.push(rating.value);
                person.push(number);
                if has_times {
                    time.push(rating.time.unwrap_or(NO_TIME));
                }
            }
            starts.push(item.len());
        }
        let (item_starts, by_item) = grouped(&item, items.len());
        Self {
            persons: names,
            items,
            starts,
            rater: by_item.iter().map(|&row| person[row as usize]).collect(),
            rater_value: by_item.iter().map(|&row| value[row as usize]).collect(),
            item,
            value,
            time,
            item_starts,
            scale,
            held_out: Vec::new(),
        }
    }

    /// The same ratings without some items.
    #[must_use]
    pub fn without_items(&self, is_out: impl Fn(u32) -> bool) -> Self {
        let kept = |person: u32| -> Vec<Rating> {
            self.timed_of_person(person).filter(|rating| !is_out(rating.item)).collect()
        };
        let records: Vec<Vec<Rating>> = (0..self.persons() as u32).map(kept).collect();
        let has_some = |person: &u32| !records[*person as usize].is_empty() || self.count_of_person(*person) == 0;
        let left: Vec<u32> = (0..self.persons() as u32).filter(has_some).collect();
        let names = left.iter().map(|&person| self.person_ids().get(person)).collect();
        let records: Vec<Vec<Rating>> = left.iter().map(|&person| records[person as usize].clone()).collect();
        self.records(names, &records, self.scale())
    }
}

impl Content for Ratings {
    const NEEDS_ROWS: bool = true;

    fn fields(&self) -> Vec<Field<'_>> {
        vec![Field { role: "item", form: Form::Words, texts: self.item_ids() }]
    }

    fn texts_of_rows(&self, person: usize) -> impl Iterator<Item = impl AsRef<[u32]>> {
        self.of_person(person as u32).map(|(item, _)| [item])
    }

    /// An item stands for itself: one whose text changed is left out.
    fn with_texts(&self, fields: Vec<Replaced>) -> Self {
        let is_changed = fields.into_iter().next().expect("items").is_changed;
        let kept = |person: u32| -> Vec<Rating> {
            self.timed_of_person(person).filter(|rating| !is_changed[rating.item as usize]).collect()
        };
        let records: Vec<Vec<Rating>> = (0..self.persons() as u32).map(kept).collect();
        self.records(self.person_ids().clone(), &records, self.scale())
    }
}

impl Rows for Ratings {
    fn rows_of(&self, person: usize) -> Range<usize> {
        self.range(person as u32)
    }

    fn hash(&self, row: usize, hasher: &mut RowHasher) {
        let Rating { item, value, time } = self.at(row);
        hasher.value(Some(self.item_ids().get(item).as_bytes()));
        hasher.value(Some(&value.to_bits().to_le_bytes()));
        hasher.number(time);
    }
}

#[cfg(test)]
mod tests {
    use super::super::of_rows;
    use super::*;

    fn sample() -> Ratings {
        of_rows(&[("b", "x", 3.0), ("a", "y", 4.0), ("b", "y", 1.0), ("a", "x", 3.0), ("c", "z", 2.0)])
    }

    #[test]
    fn facts_are_items_with_values() {
        let ratings = sample();
        let facts = ratings.facts(0);
        // x: 3; y: 1, 4; z: 2.
        assert_eq!(facts.count(), 4);
        assert_eq!(facts.of(0).as_ref(), [0, 1]);
        assert_eq!(facts.of(1).as_ref(), [2, 0]);
        assert_eq!([0, 1, 2, 3].map(|fact| ratings.fact(fact)), [(0, 3.0), (1, 1.0), (1, 4.0), (2, 2.0)]);
        assert_eq!(ratings.facts(1).of(1).as_ref(), [1, 0]);
    }

    #[test]
    fn some_persons_and_some_items() {
        let ratings = sample();
        let some = ratings.of_persons(&[2, 0]);
        assert_eq!(some.person_ids().iter().collect::<Vec<_>>(), ["c", "b"]);
        assert_eq!(some.of_person(1).collect::<Vec<_>>(), [(0, 3.0), (1, 1.0)]);
        assert_eq!(some.of_item(0).collect::<Vec<_>>(), [(1, 3.0)]);
        let without = ratings.without_items(|item| item == 2);
        assert_eq!((without.persons(), without.len()), (2, 4));
    }

    #[test]
    fn a_release_is_in_the_order_of_items() {
        let ratings = of_rows(&[("a", "10", 3.0), ("a", "9", 4.0), ("a", "1", 1.0)]).in_release_order();
        let ids: Vec<&str> = ratings.of_person(0).map(|(item, _)| ratings.item_ids().get(item)).collect();
        assert_eq!(ids, ["1", "9", "10"]);
    }
}
