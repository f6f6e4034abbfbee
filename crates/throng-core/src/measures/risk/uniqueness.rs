//! How exposed people are today: how many are singled out by a few of their own queries, items or terms.
//!
//! # Idea
//! Somebody knows p distinct facts of a person, all of one sort: query strings, items, hours. If no other person has all of
//! them, the person is singled out. For each of at most 10,000 persons, p of their distinct facts are drawn 20 times; the share of
//! draws that single out, over all persons and draws, is `unique_by` p. A person with fewer facts is known by all of them; one
//! without any is never found.
//!
//! # Cost
//! Two passes over the lines; memory O(distinct facts) and 4 bytes for each person and drawn fact of theirs.

use std::borrow::Cow;

use crate::data::{Dataset, Facts};
use crate::rng::Rng;

/// How often each person's facts are drawn.
pub const DRAWS: usize = 20;
/// How many persons are looked at, at the most.
pub const MOST_PERSONS: usize = 10_000;

/// What somebody who knows one, two or three facts of a person makes of the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exposure {
    /// The share of persons who are singled out.
    pub alone: [f64; 3],
    /// The share of persons who are left among fewer than k, themselves included.
    pub below_k: [f64; 3],
    /// How many persons were looked at.
    pub persons: usize,
}

/// For 1, 2, 3 known facts of the data's first sort the share of persons who are singled out by them.
pub fn unique_by<D: Dataset>(data: &D, rng: &mut Rng) -> [f64; 3] {
    exposure(&data.facts(0), data.persons(), 2, rng).alone
}

/// The same for persons who share records: person `p` has record `record_of[p]`.
pub fn unique_by_records<D: Dataset>(records: &D, record_of: &[u32], rng: &mut Rng) -> [f64; 3] {
    let facts = records.facts(0);
    of_traces(&Traces { facts: &facts, persons: record_of.len(), record_of: Some(record_of) }, 2, rng).alone
}

/// How exposed so many persons are to somebody who knows facts of this sort.
pub fn exposure(facts: &Facts<'_>, persons: usize, k: usize, rng: &mut Rng) -> Exposure {
    of_traces(&Traces { facts, persons, record_of: None }, k, rng)
}

/// Persons with what may be known of them.
struct Traces<'a, 'd> {
    facts: &'a Facts<'d>,
    persons: usize,
    /// The record of each person; without, everybody has their own.
    record_of: Option<&'a [u32]>,
}

impl<'d> Traces<'_, 'd> {
    fn of(&self, person: usize) -> Cow<'d, [u32]> {
        self.facts.of(self.record_of.map_or(person, |record_of| record_of[person] as usize))
    }
}

fn of_traces(traces: &Traces<'_, '_>, k: usize, rng: &mut Rng) -> Exposure {
    let persons = rng.sample(traces.persons, MOST_PERSONS);
    // All draws first, then one pass over the lines that collects who has the drawn facts.
    let mut drawn = vec![false; traces.facts.count()];
    let mut draws: Vec<(usize, Vec<u32>)> = Vec::with_capacity(persons.len() * DRAWS * 3);
    for &person in &persons {
        let mut facts = traces.of(person as usize).into_owned();
        facts.sort_unstable();
        facts.dedup();
        for known in 1..=3 {
            for _ in 0..DRAWS {
                let chosen = rng.sample(facts.len(), known);
                let chosen: Vec<u32> = chosen.into_iter().map(|at| facts[at as usize]).collect();
                for &fact in &chosen {
                    drawn[fact as usize] = true;
                }
                draws.push((known, chosen));
            }
        }
    }
    let holders = Holders::of(traces, &drawn);
    let (mut alone, mut below_k) = ([0usize; 3], [0usize; 3]);
    for (known, facts) in draws.iter().filter(|(_, facts)| !facts.is_empty()) {
        let crowd = holders.crowd(facts, k.max(2));
        alone[known - 1] += usize::from(crowd == 1);
        below_k[known - 1] += usize::from(crowd < k);
    }
    let shares = |counts: [usize; 3]| counts.map(|count| count as f64 / (persons.len() * DRAWS).max(1) as f64);
    Exposure { alone: shares(alone), below_k: shares(below_k), persons: persons.len() }
}

/// Who has each of the drawn facts.
struct Holders {
    /// Drawn facts are numbered in their order.
    number: Vec<u32>,
    starts: Vec<usize>,
    persons: Vec<u32>,
}

impl Holders {
    fn of(traces: &Traces<'_, '_>, drawn: &[bool]) -> Self {
        let mut number = vec![u32::MAX; drawn.len()];
        let mut count = 0;
        for (fact, _) in drawn.iter().enumerate().filter(|&(_, &drawn)| drawn) {
            number[fact] = count;
            count += 1;
        }
        // Twice over the lines, once for the counts and once for the persons, so that no list of pairs is needed.
        let drawn_of = |person: usize| {
            let facts = traces.of(person);
            let numbers = facts.iter().map(|&fact| number[fact as usize]);
            let mut own: Vec<u32> = numbers.filter(|&number| number != u32::MAX).collect();
            own.sort_unstable();
            own.dedup();
            own
        };
        let mut starts = vec![0; count as usize + 1];
        for person in 0..traces.persons {
            drawn_of(person).iter().for_each(|&fact| starts[fact as usize + 1] += 1);
        }
        for fact in 1..starts.len() {
            starts[fact] += starts[fact - 1];
        }
        // Persons come in rising order, and so does every list of them.
        let mut next = starts.clone();
        let mut persons = vec![0; starts[count as usize]];
        for person in 0..traces.persons {
            for fact in drawn_of(person) {
                persons[next[fact as usize]] = person as u32;
                next[fact as usize] += 1;
            }
        }
        Self { number, starts, persons }
    }

    fn of_fact(&self, fact: u32) -> &[u32] {
        let number = self.number[fact as usize] as usize;
        &self.persons[self.starts[number]..self.starts[number + 1]]
    }

    /// How many persons have all of these facts, counted up to `most`.
    fn crowd(&self, facts: &[u32], most: usize) -> usize {
        let mut lists: Vec<&[u32]> = facts.iter().map(|&fact| self.of_fact(fact)).collect();
        lists.sort_by_key(|list| list.len());
        let Some((rarest, others)) = lists.split_first() else { return most };
        let all = |person: &&u32| others.iter().all(|list| list.binary_search(person).is_ok());
        rarest.iter().filter(all).take(most).count()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::log;
    use super::*;

    #[test]
    fn by_hand() {
        // Everybody issues the same: nobody is singled out.
        assert_eq!(unique_by(&log(&[&["a", "b"], &["a", "b"]]), &mut Rng::seeded(1)), [0.0; 3]);
        // Nobody shares anything: everybody is.
        assert_eq!(unique_by(&log(&[&["a"], &["b"]]), &mut Rng::seeded(1)), [1.0; 3]);
        // Each string is shared, no pair is: one string never singles out, two always do.
        let log = log(&[&["a", "b"], &["b", "c"], &["c", "a"]]);
        assert_eq!(unique_by(&log, &mut Rng::seeded(1)), [0.0, 1.0, 1.0]);
        // Who has nothing is never singled out.
        let food = std::sync::Arc::new(crate::taxonomy::tests::food());
        let baskets = crate::data::baskets::tests::baskets(&food, &["Milk Apple Apple", "", "Apple", "Milk"]);
        assert_eq!(unique_by(&baskets, &mut Rng::seeded(1)), [0.0, 0.25, 0.25]);
    }

    #[test]
    fn crowds_below_k() {
        // Three share a, two of them b: one fact leaves two or three, both leave two.
        let log = log(&[&["a", "b"], &["a", "b"], &["a"]]);
        let by = |k: usize| exposure(&log.facts(0), log.persons(), k, &mut Rng::seeded(1));
        assert_eq!((by(2).alone, by(2).below_k), ([0.0; 3], [0.0; 3]));
        let [one, two, three] = by(3).below_k;
        assert!(one > 0.2 && one < 0.5, "{one}");
        assert_eq!([two, three], [2.0 / 3.0; 2]);
        assert_eq!((by(4).below_k, by(4).persons), ([1.0; 3], 3));
        // Nobody, and no facts.
        assert_eq!(exposure(&log.facts(0), 0, 5, &mut Rng::seeded(1)).alone, [0.0; 3]);
        assert_eq!(exposure(&log.facts(2), log.persons(), 5, &mut Rng::seeded(1)).below_k, [0.0; 3]);
    }
}
