//! How exposed people are today: how many are singled out by a few of their own queries, items or terms.
//!
//! # Idea
//! Somebody knows p distinct facts of a person, all of one sort: query strings, items, hours. If no other person has all of
//! them, the person is singled out. For each of at most 10,000 persons, every fact of theirs is tried for p = 1; for p = 2 and 3, p of
//! their distinct facts are drawn 20 times. The mean over persons of the share that single out is `unique_by` p. A person with fewer
//! facts is known by all of them; one without any is never found. Draws go by the order of what facts say: a release in memory and
//! the same release in a file give the same numbers.
//!
//! # Cost
//! One pass over the lines of different records; memory O(distinct facts) and 8 bytes for each record and drawn fact of its.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use crate::data::{Dataset, Facts};
use crate::rng::Rng;

/// How often two or three facts of each person are drawn.
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

/// How exposed persons are who share records: person `p` has record `record_of[p]`.
pub fn exposure_of_records(facts: &Facts<'_>, record_of: &[u32], k: usize, rng: &mut Rng) -> Exposure {
    of_traces(&Traces { facts, persons: record_of.len(), record_of: Some(record_of) }, k, rng)
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

    /// How many persons have each record.
    fn multiplicity(&self) -> Vec<u32> {
        let Some(record_of) = self.record_of else { return vec![1; self.persons] };
        let mut multiplicity = vec![0; record_of.iter().max().map_or(0, |&last| last as usize + 1)];
        record_of.iter().for_each(|&record| multiplicity[record as usize] += 1);
        multiplicity
    }
}

fn of_traces(traces: &Traces<'_, '_>, k: usize, rng: &mut Rng) -> Exposure {
    let persons = rng.sample(traces.persons, MOST_PERSONS);
    // All draws first, then one pass over the lines that collects who has the drawn facts.
    let mut drawn = vec![false; traces.facts.count()];
    let mut draws: Vec<[Tried; 3]> = Vec::with_capacity(persons.len());
    let in_order = |&person: &u32| {
        let mut facts = traces.of(person as usize).into_owned();
        // Once each first: numbers are compared faster than what they stand for.
        facts.sort_unstable();
        facts.dedup();
        facts.sort_by(|&left, &right| traces.facts.compare(left, right));
        facts
    };
    for facts in persons.par_iter().map(in_order).collect::<Vec<_>>() {
        let mut several = |known: usize| {
            let mut all = Vec::with_capacity(DRAWS * known);
            for _ in 0..DRAWS {
                all.extend(rng.sample(facts.len(), known).into_iter().map(|at| facts[at as usize]));
            }
            Tried { facts: all, known: known.min(facts.len()) }
        };
        let (two, three) = (several(2), several(3));
        facts.iter().for_each(|&fact| drawn[fact as usize] = true);
        draws.push([Tried { facts, known: 1 }, two, three]);
    }
    let holders = Holders::of(traces, &drawn);
    let (mut alone, mut below_k) = ([0.0; 3], [0.0; 3]);
    let shares = |tried: &Tried| {
        if tried.facts.is_empty() {
            return (0.0, 0.0);
        }
        let several = tried.facts.chunks_exact(tried.known);
        let crowds: Vec<usize> = several.map(|facts| holders.crowd(facts, k.max(2))).collect();
        let share = |is_so: &dyn Fn(usize) -> bool| {
            crowds.iter().filter(|&&crowd| is_so(crowd)).count() as f64 / crowds.len() as f64
        };
        (share(&|crowd| crowd == 1), share(&|crowd| crowd < k))
    };
    // Summed one after the other: the same for any number of threads.
    for of_person in draws.par_iter().map(|of_person| of_person.each_ref().map(shares)).collect::<Vec<_>>() {
        for (known, (is_alone, is_below_k)) in of_person.into_iter().enumerate() {
            alone[known] += is_alone;
            below_k[known] += is_below_k;
        }
    }
    let mean = |sums: [f64; 3]| sums.map(|sum| sum / persons.len().max(1) as f64);
    Exposure { alone: mean(alone), below_k: mean(below_k), persons: persons.len() }
}

/// What is tried for a person: so many facts at a time, one after the other.
struct Tried {
    facts: Vec<u32>,
    known: usize,
}

/// Who has each of the drawn facts.
struct Holders {
    /// Drawn facts are numbered in their order.
    number: Vec<u32>,
    starts: Vec<usize>,
    /// Records in rising order.
    records: Vec<u32>,
    /// How many persons have each record.
    multiplicity: Vec<u32>,
}

impl Holders {
    fn of(traces: &Traces<'_, '_>, drawn: &[bool]) -> Self {
        let mut number = vec![u32::MAX; drawn.len()];
        let mut count = 0;
        for (fact, _) in drawn.iter().enumerate().filter(|&(_, &drawn)| drawn) {
            number[fact] = count;
            count += 1;
        }
        let multiplicity = traces.multiplicity();
        // The drawn facts of some records, one record after the other, and how many each has.
        let drawn_of = |records: Range<usize>| {
            let (mut facts, mut own, mut counts) = (Vec::new(), Vec::new(), Vec::with_capacity(records.len()));
            for record in records {
                if multiplicity[record] > 0 {
                    let numbers = traces.facts.of(record);
                    own.extend(numbers.iter().map(|&fact| number[fact as usize]).filter(|&number| number != u32::MAX));
                    own.sort_unstable();
                    own.dedup();
                }
                counts.push(own.len());
                facts.append(&mut own);
            }
            (facts, counts)
        };
        const PIECE: usize = 1 << 10;
        let piece = |piece: usize| drawn_of(piece * PIECE..multiplicity.len().min((piece + 1) * PIECE));
        let pieces: Vec<(Vec<u32>, Vec<usize>)> =
            (0..multiplicity.len().div_ceil(PIECE)).into_par_iter().map(piece).collect();
        let mut starts = vec![0; count as usize + 1];
        pieces.iter().flat_map(|(facts, _)| facts).for_each(|&fact| starts[fact as usize + 1] += 1);
        for fact in 1..starts.len() {
            starts[fact] += starts[fact - 1];
        }
        // Records come in rising order, and so does every list of them.
        let mut next = starts.clone();
        let mut records = vec![0; starts[count as usize]];
        let mut record = 0;
        for (facts, counts) in pieces {
            let mut facts = facts.into_iter();
            for count in counts {
                for fact in facts.by_ref().take(count) {
                    records[next[fact as usize]] = record;
                    next[fact as usize] += 1;
                }
                record += 1;
            }
        }
        Self { number, starts, records, multiplicity }
    }

    fn of_fact(&self, fact: u32) -> &[u32] {
        let number = self.number[fact as usize] as usize;
        &self.records[self.starts[number]..self.starts[number + 1]]
    }

    /// How many persons have all of these facts, counted up to `most`.
    fn crowd(&self, facts: &[u32], most: usize) -> usize {
        let mut lists: Vec<&[u32]> = facts.iter().map(|&fact| self.of_fact(fact)).collect();
        lists.sort_by_key(|list| list.len());
        let Some((rarest, others)) = lists.split_first() else { return most };
        let all = |record: &&u32| others.iter().all(|list| list.binary_search(record).is_ok());
        let mut persons = 0;
        for &record in rarest.iter().filter(all) {
            persons += self.multiplicity[record as usize] as usize;
            if persons >= most {
                return most;
            }
        }
        persons
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

    /// The same lines under other numbers, as a file has them that is read again.
    #[test]
    fn numbers_of_facts_mean_nothing() {
        let persons: Vec<Vec<String>> = (0..40usize)
            .map(|person| (0..9).map(|at| format!("q{}", (person * 7 + at * at) % (11 + 5 * at))).collect())
            .collect();
        let of = |reversed: bool| {
            let lines: Vec<Vec<&str>> = persons
                .iter()
                .map(|own| {
                    let own = own.iter().map(String::as_str);
                    if reversed { own.rev().collect() } else { own.collect() }
                })
                .collect();
            log(&lines.iter().map(Vec::as_slice).collect::<Vec<_>>())
        };
        let found = [false, true].map(|reversed| {
            let log = of(reversed);
            exposure(&log.facts(0), log.persons(), 5, &mut Rng::seeded(0))
        });
        assert_eq!(found[0], found[1]);
        assert!(found[0].alone[1] > 0.0 && found[0].alone[1] < 1.0, "{:?}", found[0]);
    }

    #[test]
    fn crowds_below_k() {
        // Three share a, two of them b: one fact leaves two or three, both leave two.
        let log = log(&[&["a", "b"], &["a", "b"], &["a"]]);
        let by = |k: usize| exposure(&log.facts(0), log.persons(), k, &mut Rng::seeded(1));
        assert_eq!((by(2).alone, by(2).below_k), ([0.0; 3], [0.0; 3]));
        let [one, two, three] = by(3).below_k;
        assert_eq!(one, 1.0 / 3.0);
        assert_eq!([two, three], [2.0 / 3.0; 2]);
        assert_eq!((by(4).below_k, by(4).persons), ([1.0; 3], 3));
        // Nobody, and no facts.
        assert_eq!(exposure(&log.facts(0), 0, 5, &mut Rng::seeded(1)).alone, [0.0; 3]);
        assert_eq!(exposure(&log.facts(2), log.persons(), 5, &mut Rng::seeded(1)).below_k, [0.0; 3]);
    }
}
