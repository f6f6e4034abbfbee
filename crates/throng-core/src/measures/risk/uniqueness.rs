//! How exposed people are today: how many are singled out by a few of their own queries, items or terms.
//!
//! # Idea
//! Somebody knows p distinct query strings, or items, of a person. If no other person has all of them, the person is
//! singled out. For each of at most 10,000 persons, p of their distinct strings are drawn 20 times; the share of draws
//! that single out, over all persons and draws, is `unique_by` p. A person with fewer strings is known by all of them.
//!
//! # Cost
//! Two passes over the lines; memory O(distinct strings) and 4 bytes for each person and drawn string of theirs.

use std::borrow::Cow;

use crate::data::Dataset;
use crate::rng::Rng;

/// How often each person's strings are drawn.
pub const DRAWS: usize = 20;
/// How many persons are looked at, at the most.
pub const MOST_PERSONS: usize = 10_000;

/// For p = 1, 2, 3 known strings, items or terms the share of persons who are singled out by them.
pub fn unique_by<D: Dataset>(data: &D, rng: &mut Rng) -> [f64; 3] {
    unique(&Traces { data, record_of: None }, rng)
}

/// The same for persons who share records: person `p` has record `record_of[p]`.
pub fn unique_by_records<D: Dataset>(records: &D, record_of: &[u32], rng: &mut Rng) -> [f64; 3] {
    unique(&Traces { data: records, record_of: Some(record_of) }, rng)
}

/// Persons with what may be known of them.
struct Traces<'a, D> {
    data: &'a D,
    /// The record of each person; without, everybody has their own.
    record_of: Option<&'a [u32]>,
}

impl<D: Dataset> Traces<'_, D> {
    fn persons(&self) -> usize {
        self.record_of.map_or_else(|| self.data.persons(), <[u32]>::len)
    }

    fn of(&self, person: usize) -> Cow<'_, [u32]> {
        self.data.facts_of(self.record_of.map_or(person, |record_of| record_of[person] as usize))
    }
}

fn unique<D: Dataset>(traces: &Traces<'_, D>, rng: &mut Rng) -> [f64; 3] {
    if traces.persons() == 0 {
        return [0.0; 3];
    }
    let persons = rng.sample(traces.persons(), MOST_PERSONS);
    // All draws first, then one pass over the lines that collects who issued the drawn strings.
    let mut drawn = vec![false; traces.data.facts()];
    let mut draws: Vec<(usize, Vec<u32>)> = Vec::with_capacity(persons.len() * DRAWS * 3);
    for &person in &persons {
        let mut strings = traces.of(person as usize).into_owned();
        strings.sort_unstable();
        strings.dedup();
        for known in 1..=3 {
            for _ in 0..DRAWS {
                let chosen = rng.sample(strings.len(), known);
                let chosen: Vec<u32> = chosen.into_iter().map(|at| strings[at as usize]).collect();
                for &string in &chosen {
                    drawn[string as usize] = true;
                }
                draws.push((known, chosen));
            }
        }
    }
    let issuers = Issuers::of(traces, &drawn);
    let mut unique = [0usize; 3];
    for (known, strings) in &draws {
        unique[known - 1] += usize::from(issuers.is_unique(strings));
    }
    unique.map(|count| count as f64 / (persons.len() * DRAWS) as f64)
}

/// Who issued each of the drawn strings.
struct Issuers {
    /// Drawn strings are numbered in the order of their ids.
    number: Vec<u32>,
    starts: Vec<usize>,
    persons: Vec<u32>,
}

impl Issuers {
    fn of<D: Dataset>(traces: &Traces<'_, D>, drawn: &[bool]) -> Self {
        let mut number = vec![u32::MAX; drawn.len()];
        let mut count = 0;
        for (string, _) in drawn.iter().enumerate().filter(|&(_, &drawn)| drawn) {
            number[string] = count;
            count += 1;
        }
        // Twice over the lines, once for the counts and once for the persons, so that no list of pairs is needed.
        let drawn_of = |person: usize| {
            let strings = traces.of(person);
            let numbers = strings.iter().map(|&string| number[string as usize]);
            let mut own: Vec<u32> = numbers.filter(|&number| number != u32::MAX).collect();
            own.sort_unstable();
            own.dedup();
            own
        };
        let mut starts = vec![0; count as usize + 1];
        for person in 0..traces.persons() {
            drawn_of(person).iter().for_each(|&string| starts[string as usize + 1] += 1);
        }
        for string in 1..starts.len() {
            starts[string] += starts[string - 1];
        }
        // Persons come in rising order, and so does every list of them.
        let mut next = starts.clone();
        let mut persons = vec![0; starts[count as usize]];
        for person in 0..traces.persons() {
            for string in drawn_of(person) {
                persons[next[string as usize]] = person as u32;
                next[string as usize] += 1;
            }
        }
        Self { number, starts, persons }
    }

    fn of_string(&self, string: u32) -> &[u32] {
        let number = self.number[string as usize] as usize;
        &self.persons[self.starts[number]..self.starts[number + 1]]
    }

    /// Whether a single person issued all of these strings.
    fn is_unique(&self, strings: &[u32]) -> bool {
        let mut lists: Vec<&[u32]> = strings.iter().map(|&string| self.of_string(string)).collect();
        lists.sort_by_key(|list| list.len());
        let Some((rarest, others)) = lists.split_first() else { return false };
        let all = |person: &&u32| others.iter().all(|list| list.binary_search(person).is_ok());
        rarest.iter().filter(all).take(2).count() == 1
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
}
