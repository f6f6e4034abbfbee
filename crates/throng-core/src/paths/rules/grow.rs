//! The tree whose leaves are rules.
//!
//! # Idea
//! Of all questions whose both answers have tracks of at least k persons the one is asked that lowers the Gini impurity most, if it lowers
//! it by at least a two-hundredth of the number of tracks that there are in all; ties go to the question that is tried first. Limits are
//! the middles between neighbouring values, up to 64 of them, rounded to two digits. Cells are those in which at least k persons of the node were,
//! the 200 with most tracks. Leaves of one question with the same label are one.
//!
//! # Formula
//! Impurity of n tracks with n_c of label c: n − Σ n_c² / n.

use std::collections::BTreeMap;

use super::features::{Asked, Feature, Part};
use super::{Params, Taught};

const MOST_LIMITS: usize = 64;
const MOST_CELLS: usize = 200;
/// The share of all tracks by which a question lowers the impurity, at least.
const LEAST_GAIN: f64 = 0.005;

/// A rule before its label and cells have names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf {
    pub(super) asked: Vec<Asked>,
    pub(super) label: u32,
    pub(super) tracks: usize,
    pub(super) persons: usize,
    pub(super) right: usize,
}

/// The rules that some examples teach, those on most tracks first, and the most frequent label; none, if they are of fewer than k persons.
pub(super) fn rules(taught: &Taught<'_>, rows: &[usize], params: &Params) -> Option<(Vec<Leaf>, u32)> {
    if rows.is_empty() || taught.persons(rows) < params.k {
        return None;
    }
    let growing = Growing { taught, params, least_gain: LEAST_GAIN * rows.len() as f64 };
    let (otherwise, _) = growing.majority(rows);
    let mut leaves = growing.grow(rows, &mut Vec::new());
    leaves.sort_by_key(|leaf| std::cmp::Reverse(leaf.tracks));
    Some((leaves, otherwise))
}

struct Growing<'a> {
    taught: &'a Taught<'a>,
    params: &'a Params,
    least_gain: f64,
}

impl Growing<'_> {
    fn grow(&self, rows: &[usize], asked: &mut Vec<Asked>) -> Vec<Leaf> {
        let question = if asked.len() < self.params.depth { self.best(rows) } else { None };
        let Some(question) = question else { return vec![self.leaf(rows, asked)] };
        let (yes, no): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&row| self.is_yes(question, row));
        let mut side = |answer: bool, rows: &[usize]| {
            asked.push(match question {
                Asked::Number(feature, limit, _) => Asked::Number(feature, limit, answer),
                Asked::Cell(part, cell, _) => Asked::Cell(part, cell, answer),
            });
            let leaves = self.grow(rows, asked);
            asked.pop();
            leaves
        };
        let (mut leaves, others) = (side(true, &yes), side(false, &no));
        if let ([one], [other]) = (&leaves[..], &others[..])
            && one.label == other.label
        {
            return vec![self.leaf(rows, asked)];
        }
        leaves.extend(others);
        leaves
    }

    fn leaf(&self, rows: &[usize], asked: &[Asked]) -> Leaf {
        let (label, right) = self.majority(rows);
        Leaf { asked: asked.to_vec(), label, tracks: rows.len(), persons: self.taught.persons(rows), right }
    }

    /// The most frequent label, the first of equally frequent ones, and how often.
    fn majority(&self, rows: &[usize]) -> (u32, usize) {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        rows.iter().for_each(|&row| *counts.entry(self.taught.labels[row]).or_default() += 1);
        counts.into_iter().max_by_key(|&(label, count)| (count, std::cmp::Reverse(label))).unwrap_or_default()
    }

    fn is_yes(&self, question: Asked, row: usize) -> bool {
        let example = &self.taught.examples[row];
        match question {
            Asked::Number(feature, limit, _) => example.numbers[feature as usize] <= limit,
            Asked::Cell(part, cell, _) => example.answer(part, cell),
        }
    }

    /// The question that lowers the impurity most.
    fn best(&self, rows: &[usize]) -> Option<Asked> {
        use rayon::prelude::*;
        let questions = self.questions(rows);
        let before = impurity(rows.iter().map(|&row| self.taught.labels[row]));
        if before < self.least_gain {
            return None;
        }
        let gain = |&question: &Asked| -> f64 {
            let (yes, no): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&row| self.is_yes(question, row));
            if yes.len() < self.params.k || no.len() < self.params.k {
                return 0.0;
            }
            let after = |rows: &[usize]| impurity(rows.iter().map(|&row| self.taught.labels[row]));
            let gain = before - after(&yes) - after(&no);
            let has_crowds = || [&yes, &no].iter().all(|rows| self.taught.persons(rows) >= self.params.k);
            if gain >= self.least_gain && has_crowds() { gain } else { 0.0 }
        };
        let gains: Vec<f64> = questions.par_iter().map(gain).collect();
        let mut best: Option<(f64, Asked)> = None;
        for (gain, question) in gains.into_iter().zip(questions) {
            if gain > best.map_or(0.0, |(most, _)| most) {
                best = Some((gain, question));
            }
        }
        best.map(|(_, question)| question)
    }

    /// Everything that may be asked.
    fn questions(&self, rows: &[usize]) -> Vec<Asked> {
        let mut questions = Vec::new();
        for feature in Feature::ALL {
            let mut values: Vec<f64> =
                rows.iter().map(|&row| self.taught.examples[row].numbers[feature as usize]).collect();
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            let pairs = values.len() - 1;
            let places = MOST_LIMITS.min(pairs);
            let limit = |place: usize| {
                let at = place * pairs / places;
                round(f64::midpoint(values[at], values[at + 1]))
            };
            let mut limits: Vec<f64> = (0..places).map(limit).collect();
            limits.dedup();
            questions.extend(limits.into_iter().map(|limit| Asked::Number(feature, limit, true)));
        }
        for part in Part::ALL {
            let mut tracks: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
            for &row in rows {
                let cells = self.taught.examples[row].cells_of(part);
                cells.iter().for_each(|&cell| tracks.entry(cell).or_default().push(row));
            }
            let mut cells: Vec<(usize, u64)> = tracks
                .into_iter()
                .filter(|(_, rows)| rows.len() >= self.params.k && self.taught.persons(rows) >= self.params.k)
                .map(|(cell, rows)| (rows.len(), cell))
                .collect();
            cells.sort_unstable_by_key(|&(tracks, cell)| (std::cmp::Reverse(tracks), cell));
            questions.extend(cells.into_iter().take(MOST_CELLS).map(|(_, cell)| Asked::Cell(part, cell, true)));
        }
        questions
    }
}

/// How mixed some labels are.
fn impurity(labels: impl Iterator<Item = u32>) -> f64 {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    let mut all = 0;
    for label in labels {
        *counts.entry(label).or_default() += 1;
        all += 1;
    }
    let squares: u64 = counts.values().map(|count| count * count).sum();
    if all == 0 { 0.0 } else { f64::from(all) - squares as f64 / f64::from(all) }
}

/// A number with two digits that count.
fn round(number: f64) -> f64 {
    // The shortest decimal form of it, so that readers see the number that is compared.
    format!("{number:.1e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits() {
        assert_eq!([0.0, 12.345, 0.0678, 99.7, 1234.0].map(round), [0.0, 12.0, 0.068, 100.0, 1200.0]);
    }

    #[test]
    fn impurities() {
        assert_eq!(impurity([1, 1, 2, 2].into_iter()), 2.0);
        assert_eq!(impurity([1, 1].into_iter()), 0.0);
        assert_eq!(impurity([].into_iter()), 0.0);
    }
}
