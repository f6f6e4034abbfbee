//! How well profiles tell persons apart: first halves of their lines against second halves, everybody's against everybody's.
//!
//! Paper      Fawcett. An introduction to ROC analysis. Pattern Recognition Letters 27 (2006).
//!
//! # Idea
//! The lines of everybody with at least 40 of them are cut in two in the order of time, the first half rounded down. The first halves are the
//! profiles, and topics are learned from them alone; each second half is compared with every profile. One's own should be near, another's far.
//!
//! # Formula
//! - `auc`: the chance that a second half is nearer to its own profile than a second half to another's; of equal ones half.
//! - `equal_error`: the limit is moved to where the share of own halves beyond it (false alarms) is that of others' within it (misses); where
//!   they pass each other between two limits, the mean at the limit where they are nearest, the lower limit of several.
//! - `named`: the share of second halves whose nearest profile is their own, 1/c of c that are within 1e-9.
//!
//! # Cost
//! Every pair is compared. Of more than [`MOST_PERSONS`] persons so many are drawn.

use rayon::prelude::*;
use serde::Serialize;

use super::lines::LineWords;
use super::topics::{LinesOf, Source, Topics};
use super::{Distance, LEAST_LINES, Profile};
use crate::error::Result;
use crate::progress::Progress;
use crate::rng::Rng;

/// How many persons are compared with each other, at most.
pub const MOST_PERSONS: usize = 2000;
/// Distances that differ by less are equal.
pub(crate) const EQUAL: f64 = 1e-9;

/// How well profiles of some topics tell persons apart by a distance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// Where the topics come from.
    pub topics: String,
    /// The distance.
    pub distance: Distance,
    /// The chance that one's own is nearer than another's; nothing of fewer than two persons.
    pub auc: Option<f64>,
    /// The share of errors where false alarms and misses are as many.
    pub equal_error: Option<f64>,
    /// The share of second halves that are nearest to their own first half.
    pub named: Option<f64>,
    /// How many persons have a profile of each half.
    pub persons: usize,
}

/// The persons with two halves of enough lines: as many as asked, drawn by a seed.
pub fn halved(words: &LineWords, most: usize, seed: u64) -> Vec<usize> {
    let all: Vec<usize> = (0..words.persons()).filter(|&person| words.lines(person) >= 2 * LEAST_LINES).collect();
    Rng::seeded(seed).sample(all.len(), most).into_iter().map(|at| all[at as usize]).collect()
}

/// Tries profiles of some topics by every distance.
pub fn trial(
    words: &LineWords,
    persons: &[usize],
    source: &Source,
    least_persons: usize,
    progress: &dyn Progress,
) -> Result<Vec<Trial>> {
    let first: Vec<LinesOf> = persons.iter().map(|&person| (person, 0..words.lines(person) / 2)).collect();
    let topics = Topics::build(source, words, &first, least_persons, progress)?;
    let topic_of = topics.of_words(words.vocabulary());
    let of = |(person, lines): LinesOf| Profile::of(&words.counts(person, lines, |word| topic_of[word as usize]));
    let halves = first.into_par_iter().filter_map(|(person, lines)| {
        let later = lines.end..words.lines(person);
        Some([of((person, lines))?, of((person, later))?])
    });
    let halves: Vec<[Profile; 2]> = halves.collect();
    Distance::ALL
        .into_iter()
        .map(|distance| {
            progress.go_on()?;
            Ok(judged(&halves, topics.source(), distance))
        })
        .collect()
}

fn judged(halves: &[[Profile; 2]], topics: &str, distance: Distance) -> Trial {
    let row = |[_, later]: &[Profile; 2]| halves.iter().map(|[first, _]| distance.of(first, later)).collect();
    let distances: Vec<Vec<f64>> = halves.par_iter().map(row).collect();
    let mut own: Vec<f64> = distances.iter().enumerate().map(|(at, row)| row[at]).collect();
    let others = distances.iter().enumerate().flat_map(|(at, row)| row[..at].iter().chain(&row[at + 1..]));
    let mut others: Vec<f64> = others.copied().collect();
    let named: f64 = distances.iter().enumerate().map(|(at, row)| named(row, at)).sum();
    own.sort_by(f64::total_cmp);
    others.par_sort_by(f64::total_cmp);
    Trial {
        topics: topics.to_owned(),
        distance,
        auc: auc(&own, &others),
        equal_error: equal_error(&own, &others),
        named: (!own.is_empty()).then(|| named / own.len() as f64),
        persons: own.len(),
    }
}

/// How much of a hit it is to take the nearest.
fn named(row: &[f64], own: usize) -> f64 {
    let nearest = row.iter().copied().fold(f64::INFINITY, f64::min);
    let is_nearest = |distance: &&f64| **distance < nearest + EQUAL;
    if is_nearest(&&row[own]) { 1.0 / row.iter().filter(is_nearest).count() as f64 } else { 0.0 }
}

/// The chance that one of the first is below one of the second; both in rising order.
fn auc(own: &[f64], others: &[f64]) -> Option<f64> {
    let above = |distance: &f64| {
        let equal = others.partition_point(|other| other < distance)..others.partition_point(|other| other <= distance);
        (others.len() - equal.end) as f64 + equal.len() as f64 / 2.0
    };
    (!own.is_empty() && !others.is_empty())
        .then(|| own.iter().map(above).sum::<f64>() / (own.len() as f64 * others.len() as f64))
}

/// The share of errors at the limit where false alarms and misses are nearest to each other; both in rising order.
fn equal_error(own: &[f64], others: &[f64]) -> Option<f64> {
    if own.is_empty() || others.is_empty() {
        return None;
    }
    // With a limit below everything all own halves are alarms, and nothing is missed.
    let (mut best, mut within) = ((1.0, 0.5), [0, 0]);
    while within[0] < own.len() || within[1] < others.len() {
        let next = |all: &[f64], at: usize| all.get(at).copied().unwrap_or(f64::INFINITY);
        let limit = next(own, within[0]).min(next(others, within[1]));
        for (all, within) in [own, others].into_iter().zip(&mut within) {
            *within += all[*within..].iter().take_while(|distance| **distance <= limit).count();
        }
        let alarms = 1.0 - within[0] as f64 / own.len() as f64;
        let misses = within[1] as f64 / others.len() as f64;
        if (alarms - misses).abs() < best.0 {
            best = ((alarms - misses).abs(), (alarms + misses) / 2.0);
        }
    }
    Some(best.1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{QueryLog, QueryLogBuilder};
    use crate::profiles::lines::Pages;
    use crate::progress::Silent;

    #[test]
    fn by_hand() {
        let (own, others) = ([0.1, 0.2, 0.6, 0.8], [0.3, 0.5, 0.7, 0.9]);
        // Others above: 4, 4, 2, 1 of 4 each.
        assert_eq!(auc(&own, &others), Some(11.0 / 16.0));
        assert_eq!(auc(&[0.3], &[0.3, 0.5]), Some(0.75));
        // At .5: two quarters beyond, two quarters within.
        assert_eq!(equal_error(&own, &others), Some(0.5));
        assert_eq!(equal_error(&[0.1, 0.2], &[0.3, 0.4]), Some(0.0));
        assert_eq!((named(&[0.5, 0.4, 0.4], 1), named(&[0.5, 0.4, 0.3], 1), named(&[0.2], 0)), (0.5, 0.0, 1.0));
        assert_eq!((auc(&[], &[]), equal_error(&[0.1], &[])), (None, None));
    }

    /// Persons with a word of their own that some others have, too, and many that all have.
    fn log(persons: u32, lines: u32) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for person in 0..persons {
            for line in 0..lines {
                let text = if line % 4 == 0 {
                    format!("topic{}", person % 3)
                } else {
                    format!("word{}", (line * 7 + person) % 5)
                };
                builder.push(&person.to_string(), &text, i64::from(line) * 1000, None, None);
            }
        }
        builder.finish()
    }

    #[test]
    fn own_halves_are_nearer() {
        let words = LineWords::of(&log(18, 40), &Pages::new());
        let persons = halved(&words, 1000, 0);
        let found = trial(&words, &persons, &Source::Words, 5, &Silent).unwrap();
        assert_eq!((found.len(), found[0].persons, found[0].distance), (2, 18, Distance::Jsd));
        assert!(found[0].auc.unwrap() > 0.8, "{found:?}");
        assert!(found[0].named.unwrap() > 1.0 / 18.0, "{found:?}");
        assert_eq!(halved(&words, 5, 3), halved(&words, 5, 3));
        assert_eq!(halved(&words, 5, 3).len(), 5);
        let short = LineWords::of(&log(9, 39), &Pages::new());
        let found = trial(&short, &halved(&short, 1000, 0), &Source::Words, 5, &Silent).unwrap();
        assert_eq!((found[0].persons, found[0].auc, found[0].named), (0, None, None));
    }

    proptest! {
        /// Every pair is looked at, and every limit.
        #[test]
        fn as_the_slow_way(own in prop::collection::vec(0..12u32, 1..9), others in prop::collection::vec(0..12u32, 1..9)) {
            let sorted = |numbers: &[u32]| {
                let mut all: Vec<f64> = numbers.iter().map(|&number| f64::from(number)).collect();
                all.sort_by(f64::total_cmp);
                all
            };
            let (own, others) = (sorted(&own), sorted(&others));
            let mut wins = 0.0;
            for one in &own {
                for other in &others {
                    wins += if one < other { 1.0 } else if one == other { 0.5 } else { 0.0 };
                }
            }
            prop_assert!((auc(&own, &others).unwrap() - wins / (own.len() * others.len()) as f64).abs() < 1e-12);
            let share = |all: &[f64], is: &dyn Fn(f64) -> bool| all.iter().filter(|&&one| is(one)).count() as f64 / all.len() as f64;
            let least = (-1..26).map(|limit| {
                let limit = f64::from(limit) / 2.0;
                let (alarms, misses) = (share(&own, &|one| one > limit), share(&others, &|other| other <= limit));
                ((alarms - misses).abs() * 1e6).round()
            }).fold(f64::INFINITY, f64::min);
            let found = equal_error(&own, &others).unwrap();
            // The error found is that of a limit at which they are as near as anywhere.
            let fits = (-1..26).any(|limit| {
                let limit = f64::from(limit) / 2.0;
                let (alarms, misses) = (share(&own, &|one| one > limit), share(&others, &|other| other <= limit));
                ((alarms - misses).abs() * 1e6).round() == least && ((alarms + misses) / 2.0 - found).abs() < 1e-9
            });
            prop_assert!(fits, "{found}");
        }
    }
}
