//! What is known of all persons before any is compared: how many there are, how active they are, from when to when.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Piece;
use crate::data::QueryLog;
use crate::distance::user_distance;
use crate::text::words;

/// Least and greatest of some numbers; `None` of none.
type Span = Option<(i64, i64)>;

/// The scales of some persons.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scales {
    /// How many persons have so many lines: exact, whatever the order in which it is added up.
    persons_of_lines: BTreeMap<u64, u64>,
    time: Span,
    rank: Span,
    /// The numbers of words of queries.
    terms: Span,
    /// The numbers of digits of those ids that are nothing but digits.
    digits: BTreeSet<usize>,
}

impl Scales {
    /// The scales of a log.
    pub fn of(log: &QueryLog) -> Self {
        let mut scales = Self::default();
        let terms: Vec<i64> = log.queries().iter().map(|query| words(query).count() as i64).collect();
        for person in 0..log.persons() {
            *scales.persons_of_lines.entry(log.range(person).len() as u64).or_default() += 1;
            for line in log.lines(person) {
                widen(&mut scales.time, line.time);
                line.rank.into_iter().for_each(|rank| widen(&mut scales.rank, i64::from(rank)));
                widen(&mut scales.terms, terms[line.query as usize]);
            }
        }
        let is_number = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        scales.digits = log.names().iter().filter(is_number).map(str::len).collect();
        scales
    }

    /// How many persons there are.
    pub fn persons(&self) -> u64 {
        self.persons_of_lines.values().sum()
    }

    /// How many lines there are.
    pub fn rows(&self) -> u64 {
        self.persons_of_lines.iter().map(|(lines, persons)| lines * persons).sum()
    }

    /// The first and last time.
    pub fn time(&self) -> Span {
        self.time
    }

    /// The numbers of digits of ids that are numbers.
    pub fn digits(&self) -> &BTreeSet<usize> {
        &self.digits
    }

    /// The mean logarithm of the number of lines of a person, and twice its standard deviation, or 1 if all have as many.
    pub fn activity(&self) -> (f64, f64) {
        let count = self.persons() as f64;
        let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
            let each = |(&lines, &persons): (&u64, &u64)| persons as f64 * of((lines.max(1) as f64).ln());
            self.persons_of_lines.iter().map(each).sum()
        };
        let mean = sum(&|own| own) / count;
        let spread = (sum(&|own| (own - mean) * (own - mean)) / count).sqrt();
        (mean, if spread > 0.0 && self.persons_of_lines.len() > 1 { 2.0 * spread } else { 1.0 })
    }

    /// The scales of the user distance.
    pub fn of_users(&self) -> user_distance::Scales {
        let lines = self.persons_of_lines.keys().next().zip(self.persons_of_lines.keys().next_back());
        let lines = lines.map(|(&least, &most)| (least as i64, most as i64));
        user_distance::Scales::between(self.time, self.rank, self.terms, lines)
    }
}

fn widen(span: &mut Span, value: i64) {
    *span = Some(span.map_or((value, value), |(least, most)| (least.min(value), most.max(value))));
}

impl Piece for Scales {
    const NAME: &'static str = "scales";

    fn merge(mut self, other: Self) -> Self {
        for (lines, persons) in other.persons_of_lines {
            *self.persons_of_lines.entry(lines).or_default() += persons;
        }
        let spans = [(&mut self.time, other.time), (&mut self.rank, other.rank), (&mut self.terms, other.terms)];
        for (own, other) in spans {
            if let Some((least, most)) = other {
                widen(own, least);
                widen(own, most);
            }
        }
        self.digits.extend(other.digits);
        self
    }
}
