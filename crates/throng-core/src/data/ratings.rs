//! Ratings: who gave which item how many stars, and when.
//!
//! Every rating stands twice: with the others of its person, and with the others of its item, both times in the order of the
//! file. Persons and items have the numbers of their first appearance, so that whoever appears earlier comes first in ties.
//!
//! # Cost
//! 24 bytes a rating, 32 with times, beside the distinct ids.

mod dataset;

use std::ops::Range;

use super::strings::{Interner, Strings};
use crate::error::{Error, Result};

/// A time that is not there.
const NO_TIME: i64 = i64::MIN;

/// The ratings of some persons.
#[derive(Debug, Clone)]
pub struct Ratings {
    persons: Strings,
    items: Strings,
    /// Where the ratings of each person begin, and where the last ends.
    starts: Vec<usize>,
    item: Vec<u32>,
    value: Vec<f64>,
    /// Milliseconds, [`NO_TIME`] where there is none; nothing where no rating has one.
    time: Vec<i64>,
    /// Where the ratings of each item begin, and where the last ends.
    item_starts: Vec<usize>,
    rater: Vec<u32>,
    rater_value: Vec<f64>,
    scale: Scale,
    /// Whether each rating, person by person, is one that a method has not seen and that is to be predicted; nothing where none is.
    held_out: Vec<bool>,
}

/// What ratings there may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// How far apart they are: 1, 0.5, or any number if it is not said.
    pub step: Option<f64>,
}

impl Scale {
    /// The smallest and the largest of some values, and their step; within bounds, if those are given.
    pub fn of(values: &[f64], bounds: Option<(f64, f64)>) -> Self {
        let (low, high) = bounds.unwrap_or_else(|| {
            let fold = |start: f64, pick: fn(f64, f64) -> f64| values.iter().copied().fold(start, pick);
            (fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max))
        });
        let is_even = |step: f64| values.iter().all(|value| (value / step).fract() == 0.0);
        let step = [1.0, 0.5].into_iter().find(|&step| is_even(step) && (low / step).fract() == 0.0);
        Self { low, high, step }
    }

    /// Reads `1..5`.
    pub fn parse_bounds(text: &str) -> Result<(f64, f64)> {
        let problem = || {
            Error::parameter("scale", format!("is `{text}`, but must be the lowest and the highest rating"))
                .with_hint("for example `--scale 1..5`")
        };
        let (low, high) = text.split_once("..").ok_or_else(problem)?;
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        match (number(low), number(high)) {
            (Some(low), Some(high)) if low < high => Ok((low, high)),
            _ => Err(problem()),
        }
    }

    /// Which fifth of the scale a value lies in, from 0 to 4: the lowest fifth with its end, the highest with its beginning, and
    /// the others by their distance from the middle. `None` if there is only one value.
    pub fn fifth(&self, value: f64) -> Option<u8> {
        let range = self.high - self.low;
        if range <= 0.0 {
            return None;
        }
        let (up, down) = (5.0 * (value - self.low), 5.0 * (self.high - value));
        Some(match () {
            () if up <= range => 0,
            () if down <= range => 4,
            () if up <= 2.0 * range => 1,
            () if down <= 2.0 * range => 3,
            () => 2,
        })
    }

    /// Whether a value is in the lowest two fifths.
    pub fn is_low(&self, value: f64) -> bool {
        self.fifth(value).is_some_and(|fifth| fifth < 2)
    }

    /// Whether a value is in the highest two fifths.
    pub fn is_high(&self, value: f64) -> bool {
        self.fifth(value).is_some_and(|fifth| fifth > 2)
    }

    /// The nearest value of the scale.
    pub fn nearest(&self, value: f64) -> f64 {
        let value = match self.step {
            Some(step) => ((value - self.low) / step + 0.5).floor() * step + self.low,
            None => value,
        };
        self.clamp(value)
    }

    /// The value, or the end of the scale that it lies beyond.
    pub fn clamp(&self, value: f64) -> f64 {
        value.max(self.low).min(self.high)
    }
}

/// One rating of a person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// What.
    pub item: u32,
    /// How much they liked it.
    pub value: f64,
    /// When, in milliseconds.
    pub time: Option<i64>,
}

/// Ratings while they are read.
#[derive(Debug, Default)]
pub struct RatingsBuilder {
    persons: Interner,
    items: Interner,
    person: Vec<u32>,
    item: Vec<u32>,
    value: Vec<f64>,
    time: Vec<i64>,
    line: Vec<u64>,
}

/// What to do with a second rating of the same item by the same person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeated {
    /// Refuse the data.
    Refuse,
    /// Keep the first.
    Skip,
}

impl RatingsBuilder {
    /// The number of a person, new if they were not there.
    pub fn person(&mut self, id: &str) -> u32 {
        self.persons.intern(id)
    }

    /// The number of an item, new if it was not there.
    pub fn item(&mut self, id: &str) -> u32 {
        self.items.intern(id)
    }

    /// Adds a rating that stands in a line.
    pub fn push(&mut self, person: u32, rating: Rating, line: u64) {
        self.person.push(person);
        self.item.push(rating.item);
        self.value.push(rating.value);
        self.line.push(line);
        // A file without times needs no memory for them.
        if rating.time.is_some() && self.time.is_empty() {
            self.time.resize(self.person.len() - 1, NO_TIME);
        }
        if rating.time.is_some() || !self.time.is_empty() {
            self.time.push(rating.time.unwrap_or(NO_TIME));
        }
    }

    /// The ratings, on a scale that is given or the one that they have, and how many repeated ones were left out.
    pub fn finish(self, bounds: Option<(f64, f64)>, repeated: Repeated) -> Result<(Ratings, u64)> {
        let Self { persons, items, person, item, value, time, line } = self;
        if let (Some((low, high)), Some(row)) =
            (bounds, bounds.and_then(|(low, high)| value.iter().position(|value| !(low..=high).contains(value))))
        {
            return Err(Error::data(format!("the rating is outside of the scale, which goes from {low} to {high}"))
                .at_line(line[row])
                .with_value(value[row].to_string())
                .with_hint("`--scale` says what ratings there may be; without it, it is what the file has"));
        }
        let (persons, items) = (persons.into_strings(), items.into_strings());
        let (starts, rows) = grouped(&person, persons.len());
        let mut is_repeated = vec![false; if repeated == Repeated::Skip { item.len() } else { 0 }];
        // For each item the last person who rated it, and in which row.
        let mut last: Vec<(u32, usize)> = vec![(u32::MAX, 0); items.len()];
        let mut skipped = 0;
        for &row in &rows {
            let row = row as usize;
            let (whose, first) = last[item[row] as usize];
            if whose != person[row] {
                last[item[row] as usize] = (person[row], row);
            } else if repeated == Repeated::Skip {
                is_repeated[row] = true;
                skipped += 1;
            } else {
                return Err(Error::data(format!(
                    "the person rates an item a second time, which they rated in line {} already",
                    line[first]
                ))
                .at_line(line[row])
                .with_hint("`--bad-lines skip` keeps the first of them"));
            }
        }
        drop(line);
        if skipped == 0 {
            return Ok((Ratings::of_rows(persons, items, &person, &item, &value, &time, (starts, rows), bounds), 0));
        }
        let keep = |row: &usize| !is_repeated[*row];
        let kept: Vec<usize> = (0..item.len()).filter(keep).collect();
        let person: Vec<u32> = kept.iter().map(|&row| person[row]).collect();
        let item: Vec<u32> = kept.iter().map(|&row| item[row]).collect();
        let value: Vec<f64> = kept.iter().map(|&row| value[row]).collect();
        let time: Vec<i64> = if time.is_empty() { time } else { kept.iter().map(|&row| time[row]).collect() };
        let places = grouped(&person, persons.len());
        Ok((Ratings::of_rows(persons, items, &person, &item, &value, &time, places, bounds), skipped))
    }
}

/// Where each of so many groups begins, and the rows group by group, each in its order.
fn grouped(group: &[u32], groups: usize) -> (Vec<usize>, Vec<u32>) {
    assert!(u32::try_from(group.len()).is_ok(), "more than four billion ratings");
    let mut starts = vec![0; groups + 1];
    for &group in group {
        starts[group as usize + 1] += 1;
    }
    for group in 1..starts.len() {
        starts[group] += starts[group - 1];
    }
    let mut next = starts.clone();
    let mut rows = vec![0; group.len()];
    for (row, &group) in (0..).zip(group) {
        rows[next[group as usize]] = row;
        next[group as usize] += 1;
    }
    (starts, rows)
}

impl Ratings {
    #[expect(clippy::too_many_arguments, reason = "the columns of a data set, from one caller")]
    fn of_rows(
        persons: Strings,
        items: Strings,
        person: &[u32],
        item: &[u32],
        value: &[f64],
        time: &[i64],
        (starts, rows): (Vec<usize>, Vec<u32>),
        bounds: Option<(f64, f64)>,
    ) -> Self {
        let scale = Scale::of(value, bounds);
        let (item_starts, by_item) = grouped(item, items.len());
        Self {
            persons,
            items,
            starts,
            item: rows.iter().map(|&row| item[row as usize]).collect(),
            value: rows.iter().map(|&row| value[row as usize]).collect(),
            time: if time.is_empty() { Vec::new() } else { rows.iter().map(|&row| time[row as usize]).collect() },
            item_starts,
            rater: by_item.iter().map(|&row| person[row as usize]).collect(),
            rater_value: by_item.iter().map(|&row| value[row as usize]).collect(),
            scale,
            held_out: Vec::new(),
        }
    }

    /// The same ratings with more persons, whose ratings come after all others. They have no times, and the scale stays.
    pub fn with_more(&self, more: &[Vec<(u32, f64)>]) -> Self {
        let added: usize = more.iter().map(Vec::len).sum();
        let mut whole = Self { held_out: Vec::new(), ..self.clone() };
        let mut per_item = vec![0; self.items.len()];
        for ratings in more {
            whole.persons.push("");
            for &(item, value) in ratings {
                whole.item.push(item);
                whole.value.push(value);
                per_item[item as usize] += 1;
            }
            whole.starts.push(whole.item.len());
        }
        if !whole.time.is_empty() {
            whole.time.resize(whole.item.len(), NO_TIME);
        }
        let mut starts = vec![0; self.items.len() + 1];
        for (item, more) in per_item.into_iter().enumerate() {
            starts[item + 1] = starts[item] + self.count_of_item(item as u32) + more;
        }
        whole.rater = vec![0; self.rater.len() + added];
        whole.rater_value = vec![0.0; self.rater.len() + added];
        let mut next = starts.clone();
        for (item, next) in next.iter_mut().take(self.items.len()).enumerate() {
            let own = self.item_range(item as u32);
            let place = *next..*next + own.len();
            *next = place.end;
            whole.rater[place.clone()].copy_from_slice(&self.rater[own.clone()]);
            whole.rater_value[place].copy_from_slice(&self.rater_value[own]);
        }
        for (person, ratings) in (self.persons.len() as u32..).zip(more) {
            for &(item, value) in ratings {
                let place = next[item as usize];
                whole.rater[place] = person;
                whole.rater_value[place] = value;
                next[item as usize] += 1;
            }
        }
        whole.item_starts = starts;
        whole
    }

    /// The ratings without some, which are told by their place among all, person by person; and those. Persons and items keep their
    /// numbers, also if they are left without a rating, and the scale stays.
    pub fn without(&self, is_out: impl Fn(usize) -> bool) -> (Self, Vec<(u32, u32, f64)>) {
        let by_person = self.raters_by_person();
        let mut next: Vec<usize> = self.item_starts[..self.items.len()].to_vec();
        let mut rater_is_out = vec![false; self.rater.len()];
        let mut rest = Self {
            persons: self.persons.clone(),
            items: self.items.clone(),
            starts: vec![0],
            item: Vec::new(),
            value: Vec::new(),
            time: Vec::new(),
            item_starts: vec![0],
            rater: Vec::new(),
            rater_value: Vec::new(),
            scale: self.scale,
            held_out: Vec::new(),
        };
        let mut out = Vec::new();
        for person in 0..self.persons.len() as u32 {
            for at in self.range(person) {
                let item = self.item[at];
                let place = by_person[next[item as usize]] as usize;
                next[item as usize] += 1;
                rater_is_out[place] = is_out(at);
                if rater_is_out[place] {
                    out.push((person, item, self.value[at]));
                    continue;
                }
                rest.item.push(item);
                rest.value.push(self.value[at]);
                if let Some(&time) = self.time.get(at) {
                    rest.time.push(time);
                }
            }
            rest.starts.push(rest.item.len());
        }
        for item in 0..self.items.len() as u32 {
            for at in self.item_range(item).filter(|&at| !rater_is_out[at]) {
                rest.rater.push(self.rater[at]);
                rest.rater_value.push(self.rater_value[at]);
            }
            rest.item_starts.push(rest.rater.len());
        }
        (rest, out)
    }

    /// For each item the places of its raters in the order of persons, so that both places of a rating are met together by whoever walks
    /// through the persons.
    fn raters_by_person(&self) -> Vec<u32> {
        let mut by_person: Vec<u32> = (0..self.rater.len() as u32).collect();
        for item in 0..self.items.len() {
            by_person[self.item_range(item as u32)].sort_unstable_by_key(|&at| self.rater[at as usize]);
        }
        by_person
    }

    /// How many persons there are.
    pub fn persons(&self) -> usize {
        self.persons.len()
    }

    /// How many items there are.
    pub fn items(&self) -> usize {
        self.items.len()
    }

    /// How many ratings there are.
    pub fn len(&self) -> usize {
        self.item.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.item.is_empty()
    }

    /// The ids of persons, in the order of their numbers.
    pub fn person_ids(&self) -> &Strings {
        &self.persons
    }

    /// The ids of items, in the order of their numbers.
    pub fn item_ids(&self) -> &Strings {
        &self.items
    }

    /// What ratings there may be.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    fn range(&self, person: u32) -> Range<usize> {
        self.starts[person as usize]..self.starts[person as usize + 1]
    }

    fn item_range(&self, item: u32) -> Range<usize> {
        self.item_starts[item as usize]..self.item_starts[item as usize + 1]
    }

    /// How many ratings a person has.
    pub fn count_of_person(&self, person: u32) -> usize {
        self.range(person).len()
    }

    /// How many ratings an item has.
    pub fn count_of_item(&self, item: u32) -> usize {
        self.item_range(item).len()
    }

    /// The items that a person rated, with the ratings, in the order of the file.
    pub fn of_person(&self, person: u32) -> impl ExactSizeIterator<Item = (u32, f64)> + Clone {
        let range = self.range(person);
        self.item[range.clone()].iter().copied().zip(self.value[range].iter().copied())
    }

    /// The ratings of a person with their times, in the order of the file.
    pub fn timed_of_person(&self, person: u32) -> impl Iterator<Item = Rating> {
        self.range(person).map(|at| Rating {
            item: self.item[at],
            value: self.value[at],
            time: self.time.get(at).copied().filter(|&time| time != NO_TIME),
        })
    }

    /// The persons who rated an item, with the ratings, in the order of the file.
    pub fn of_item(&self, item: u32) -> impl ExactSizeIterator<Item = (u32, f64)> + Clone {
        let range = self.item_range(item);
        self.rater[range.clone()].iter().copied().zip(self.rater_value[range].iter().copied())
    }

    /// What a person gave an item.
    pub fn get(&self, person: u32, item: u32) -> Option<f64> {
        self.of_person(person).find(|&(other, _)| other == item).map(|(_, value)| value)
    }

    /// The mean of all ratings.
    pub fn mean(&self) -> f64 {
        mean(self.value.iter().copied())
    }

    /// The mean of a person's ratings.
    pub fn mean_of_person(&self, person: u32) -> f64 {
        mean(self.value[self.range(person)].iter().copied())
    }

    /// The mean of an item's ratings.
    pub fn mean_of_item(&self, item: u32) -> f64 {
        mean(self.rater_value[self.item_range(item)].iter().copied())
    }

    /// The deviation of all ratings from their mean.
    pub fn deviation(&self) -> f64 {
        deviation(self.value.iter().copied())
    }

    /// The deviation of an item's ratings from their mean.
    pub fn deviation_of_item(&self, item: u32) -> f64 {
        deviation(self.rater_value[self.item_range(item)].iter().copied())
    }
}

/// The mean of some values. Equal values have exactly that mean, so that none of them seems to deviate from it.
pub fn mean(values: impl ExactSizeIterator<Item = f64> + Clone) -> f64 {
    let count = values.len() as f64;
    let mut others = values.clone();
    match others.next() {
        Some(first) if others.all(|value| value == first) => first,
        _ => values.sum::<f64>() / count,
    }
}

fn deviation(values: impl ExactSizeIterator<Item = f64> + Clone) -> f64 {
    let (mean, count) = (mean(values.clone()), values.len() as f64);
    (values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / count).sqrt()
}

/// Ratings from rows of person, item and value: for tests.
#[cfg(test)]
pub(crate) fn of_rows(rows: &[(&str, &str, f64)]) -> Ratings {
    let mut builder = RatingsBuilder::default();
    for (line, &(person, item, value)) in (1..).zip(rows) {
        let (person, item) = (builder.person(person), builder.item(item));
        builder.push(person, Rating { item, value, time: None }, line);
    }
    builder.finish(None, Repeated::Refuse).unwrap().0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_in_the_order_of_the_file() {
        let ratings = of_rows(&[("b", "x", 3.0), ("a", "y", 4.0), ("b", "y", 1.0), ("a", "x", 5.0), ("c", "z", 2.0)]);
        assert_eq!(ratings.person_ids().iter().collect::<Vec<_>>(), ["b", "a", "c"]);
        assert_eq!(ratings.of_person(0).collect::<Vec<_>>(), [(0, 3.0), (1, 1.0)]);
        assert_eq!(ratings.of_person(1).collect::<Vec<_>>(), [(1, 4.0), (0, 5.0)]);
        assert_eq!(ratings.of_item(1).collect::<Vec<_>>(), [(1, 4.0), (0, 1.0)]);
        assert_eq!(ratings.get(1, 0), Some(5.0));
        assert_eq!(ratings.get(2, 0), None);
        assert_eq!(ratings.scale(), Scale { low: 1.0, high: 5.0, step: Some(1.0) });
        assert_eq!((ratings.mean(), ratings.mean_of_item(0)), (3.0, 4.0));
        assert_eq!(ratings.deviation(), 2f64.sqrt());
    }

    #[test]
    fn more_persons_come_last() {
        let rows = [("b", "x", 3.0), ("a", "y", 4.0), ("b", "y", 1.0)];
        let whole = of_rows(&rows).with_more(&[vec![(1, 5.0), (0, 2.0)], vec![(1, 4.5)]]);
        let mut all = rows.to_vec();
        all.extend([("c", "y", 5.0), ("c", "x", 2.0), ("d", "y", 4.5)]);
        let expected = of_rows(&all);
        assert_eq!((whole.persons(), whole.len()), (4, 6));
        for person in 0..4 {
            assert!(whole.of_person(person).eq(expected.of_person(person)));
        }
        for item in 0..2 {
            assert!(whole.of_item(item).eq(expected.of_item(item)));
        }
        assert_eq!(whole.scale(), of_rows(&rows).scale());
    }

    #[test]
    fn a_second_rating_is_refused_or_left_out() {
        let build = |repeated| {
            let mut builder = RatingsBuilder::default();
            for (line, value) in [(2, 4.0), (3, 1.0), (5, 2.0)] {
                let (person, item) = (builder.person("a"), builder.item(if line == 3 { "y" } else { "x" }));
                builder.push(person, Rating { item, value, time: (line == 5).then_some(7) }, line);
            }
            builder.finish(None, repeated)
        };
        let error = build(Repeated::Refuse).unwrap_err();
        assert_eq!(error.place().unwrap().line, Some(5));
        assert!(error.describe(false).contains("in line 2"));
        let (ratings, skipped) = build(Repeated::Skip).unwrap();
        assert_eq!(skipped, 1);
        assert_eq!(ratings.of_person(0).collect::<Vec<_>>(), [(0, 4.0), (1, 1.0)]);
        assert!(ratings.timed_of_person(0).all(|rating| rating.time.is_none()));
    }

    #[test]
    fn scales() {
        let scale = |values: &[f64]| Scale::of(values, None);
        assert_eq!(scale(&[0.5, 3.0, 5.0]).step, Some(0.5));
        assert_eq!(scale(&[1.0, 3.25]).step, None);
        let whole = scale(&[1.0, 2.0, 5.0]);
        assert_eq!([1.0, 2.0, 3.0, 4.0, 5.0].map(|value| whole.fifth(value).unwrap()), [0, 1, 2, 3, 4]);
        let halves = scale(&[0.5, 5.0]);
        let low: Vec<f64> = (1..=10).map(|half| f64::from(half) / 2.0).filter(|&value| halves.is_low(value)).collect();
        let high: Vec<f64> =
            (1..=10).map(|half| f64::from(half) / 2.0).filter(|&value| halves.is_high(value)).collect();
        assert_eq!(low, [0.5, 1.0, 1.5, 2.0]);
        assert_eq!(high, [3.5, 4.0, 4.5, 5.0]);
        assert_eq!((whole.nearest(2.5), whole.nearest(9.0), halves.nearest(2.3)), (3.0, 5.0, 2.5));
        assert_eq!(scale(&[3.0, 3.0]).fifth(3.0), None);
        assert_eq!(Scale::parse_bounds("-10..10").unwrap(), (-10.0, 10.0));
        for bad in ["5..1", "1-5", "a..b", "1..inf", "1..1"] {
            assert!(Scale::parse_bounds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn equal_values_have_that_mean() {
        assert_eq!(mean([3.3, 3.3, 3.3].into_iter()), 3.3);
        assert_eq!(mean([1.0, 2.0].into_iter()), 1.5);
    }
}
