//! Which n-grams of the list tell two classes of files apart.
//!
//! Papers     Golub et al. Molecular Classification of Cancer. Science 286 (1999): `fisher` (reading M5). Quinlan. C4.5. 1993: `gain-ratio`. Kolter,
//!            Maloof. Learning to Detect Malicious Executables. 2006: `information-gain`. Readings M5 and M6.
//!
//! # Formula
//! fisher: |m1 - m0| / (s1 + s0), means and population deviations of a feature in both classes; where no class varies, 0 if the means agree, else
//! infinite. information-gain: H(class) - H(class | side of a cut), for the best cut between two values; gain-ratio: that divided by H(side), for the
//! cut where this is best; in bits. df: the number of files.
//! Equal scores stand in the order of the list.
//!
//! # Cost
//! Time O(files · features), times log(files) for the gains; memory O(files) beside the counts.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::counting::{Counts, inverse_document_frequency};
use super::ranking::Ranked;

/// How many features are looked at side by side.
const SIDE_BY_SIDE: usize = 64;

/// What features are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// The difference of means beside the deviations.
    #[default]
    Fisher,
    /// Information of the best cut, beside that of the cut itself.
    GainRatio,
    /// Information of the best cut.
    InformationGain,
    /// The number of files.
    Df,
}

/// What a feature of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Representation {
    /// Term frequency.
    #[default]
    Tf,
    /// Term frequency times inverse document frequency.
    Tfidf,
}

impl Representation {
    /// What term frequencies are multiplied by.
    pub fn weights(self, list: &[Ranked], files: usize) -> Vec<f64> {
        let of = |ranked: &Ranked| match self {
            Self::Tf => 1.0,
            Self::Tfidf => inverse_document_frequency(ranked.files, files),
        };
        list.iter().map(of).collect()
    }
}

/// Files whose features are known: counts over one list.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    /// The n-grams, by document frequency.
    pub list: &'a [Ranked],
    /// What their term frequencies are multiplied by.
    pub weights: &'a [f64],
    /// The counts of every file.
    pub counts: &'a [Counts],
}

impl Table<'_> {
    /// The places in the list of the best features within a range of it, the best first.
    pub fn select(
        &self,
        range: Range<usize>,
        selection: Selection,
        features: usize,
        files: &[u32],
        is_positive: &[bool],
    ) -> Vec<usize> {
        let range = range.start.min(self.list.len())..range.end.min(self.list.len());
        let scores = self.scores(range.clone(), selection, files, is_positive);
        let mut order: Vec<usize> = range.clone().collect();
        // The sort keeps the order of the list where scores are equal.
        order.sort_by(|&left, &right| scores[right - range.start].total_cmp(&scores[left - range.start]));
        order.truncate(features);
        order
    }

    /// The scores of a range of features, over some files with their classes.
    pub fn scores(&self, range: Range<usize>, selection: Selection, files: &[u32], is_positive: &[bool]) -> Vec<f64> {
        match selection {
            Selection::Df => self.list[range].iter().map(|ranked| f64::from(ranked.files)).collect(),
            Selection::Fisher => self.fisher(range, files, is_positive),
            Selection::GainRatio => self.gains(range, files, is_positive, true),
            Selection::InformationGain => self.gains(range, files, is_positive, false),
        }
    }

    /// The features of a file that were chosen, in their order.
    pub fn vector(&self, file: u32, places: &[usize]) -> Vec<f64> {
        let all: Vec<f64> = self.values(file, &(0..self.list.len())).collect();
        places.iter().map(|&place| all[place]).collect()
    }

    fn values(&self, file: u32, range: &Range<usize>) -> impl Iterator<Item = f64> {
        let terms = self.counts[file as usize].term_frequencies();
        terms.zip(self.weights).map(|(term, weight)| term * weight).skip(range.start).take(range.len())
    }

    fn fisher(&self, range: Range<usize>, files: &[u32], is_positive: &[bool]) -> Vec<f64> {
        #[derive(Clone)]
        struct Side {
            mean: f64,
            deviation: f64,
            least: f64,
            greatest: f64,
        }
        let of_side = |positive: bool| {
            let none = Side { mean: 0.0, deviation: 0.0, least: f64::INFINITY, greatest: f64::NEG_INFINITY };
            let mut sides = vec![none; range.len()];
            let chosen = || files.iter().zip(is_positive).filter(|&(_, &is)| is == positive).map(|(&file, _)| file);
            let count = chosen().count().max(1) as f64;
            for file in chosen() {
                for (side, value) in sides.iter_mut().zip(self.values(file, &range)) {
                    side.mean += value;
                    side.least = side.least.min(value);
                    side.greatest = side.greatest.max(value);
                }
            }
            // What does not vary has exactly its own mean: a rounded one would make a deviation of it.
            for side in &mut sides {
                side.mean = if side.least < side.greatest { side.mean / count } else { side.least };
            }
            for file in chosen() {
                for (side, value) in sides.iter_mut().zip(self.values(file, &range)) {
                    side.deviation += (value - side.mean).powi(2);
                }
            }
            sides.iter_mut().for_each(|side| side.deviation = (side.deviation / count).sqrt());
            sides
        };
        let (ones, others) = rayon::join(|| of_side(true), || of_side(false));
        let score = |(one, other): (&Side, &Side)| {
            let (apart, spread) = ((one.mean - other.mean).abs(), one.deviation + other.deviation);
            if apart == 0.0 { 0.0 } else { apart / spread }
        };
        ones.iter().zip(&others).map(score).collect()
    }

    fn gains(&self, range: Range<usize>, files: &[u32], is_positive: &[bool], by_ratio: bool) -> Vec<f64> {
        let mut rows: Vec<_> = files.iter().map(|&file| self.values(file, &range)).collect();
        let mut scores = Vec::with_capacity(range.len());
        while scores.len() < range.len() {
            let width = SIDE_BY_SIDE.min(range.len() - scores.len());
            let mut columns = vec![Vec::with_capacity(files.len()); width];
            for (row, &positive) in rows.iter_mut().zip(is_positive) {
                for (column, value) in columns.iter_mut().zip(row) {
                    column.push((value, positive));
                }
            }
            scores.par_extend(columns.into_par_iter().map(|column| best_cut(column, by_ratio)));
        }
        scores
    }
}

/// The gain, or its ratio, of the best cut between two values.
fn best_cut(mut column: Vec<(f64, bool)>, by_ratio: bool) -> f64 {
    column.sort_unstable_by(|left, right| left.0.total_cmp(&right.0));
    let (all, positive) = (column.len(), column.iter().filter(|(_, is)| *is).count());
    let whole = entropy(positive, all);
    let (mut best, mut below_positive) = (0.0f64, 0);
    for below in 1..all {
        below_positive += usize::from(column[below - 1].1);
        if column[below - 1].0 == column[below].0 {
            continue;
        }
        let above = all - below;
        let share = below as f64 / all as f64;
        let left = share * entropy(below_positive, below);
        let right = (1.0 - share) * entropy(positive - below_positive, above);
        let gain = (whole - (left + right)).max(0.0);
        best = best.max(if by_ratio { gain / entropy(below, all) } else { gain });
    }
    best
}

/// The entropy of two parts, in bits.
fn entropy(part: usize, all: usize) -> f64 {
    let of = |part: usize| {
        let share = part as f64 / all as f64;
        if part == 0 { 0.0 } else { -share * share.log2() }
    };
    if all == 0 { 0.0 } else { of(part) + of(all - part) }
}

#[cfg(test)]
mod tests {
    use super::super::counting;
    use super::*;
    use crate::progress::Silent;

    fn gram(text: &[u8; 3]) -> u64 {
        text.iter().fold(0, |gram, &byte| gram << 8 | u64::from(byte))
    }

    /// Four files whose greatest count is that of "aaa" (4): "bbb" is in them 2, 1, 0, 0 times, "ccc" 1, 0, 1, 0 times.
    fn files() -> (Vec<Ranked>, Vec<Counts>) {
        let files = [&b"aaaaaabbbb"[..], b"aaaaaabbb", b"aaaaaaccc", b"aaaaaa"];
        let mut files: Vec<Vec<u8>> = files.iter().map(|file| file.to_vec()).collect();
        files[0].extend(b"ccc");
        let list: Vec<Ranked> = [(b"aaa", 4), (b"bbb", 2), (b"ccc", 2)]
            .iter()
            .map(|&(text, files)| Ranked { gram: gram(text), files })
            .collect();
        let grams: Vec<u64> = list.iter().map(|one| one.gram).collect();
        let counts = counting::count(&files[..], 3, &grams, &Silent).unwrap();
        (list, counts)
    }

    #[test]
    fn scores_by_hand() {
        let (list, counts) = files();
        let weights = Representation::Tf.weights(&list, 4);
        let table = Table { list: &list, weights: &weights, counts: &counts };
        assert_eq!(table.vector(0, &[2, 1, 0]), [0.25, 0.5, 1.0]);
        let labels = [true, true, false, false];
        let scores = |selection| table.scores(0..3, selection, &[0, 1, 2, 3], &labels);
        // bbb: 0.5 and 0.25 against 0 and 0: means 0.375 and 0, deviations 0.125 and 0. ccc: 0.25 and 0 in both classes.
        assert_eq!(scores(Selection::Fisher), [0.0, 3.0, 0.0]);
        // bbb is cut without a rest; ccc tells nothing; aaa has no cut.
        assert_eq!(scores(Selection::InformationGain), [0.0, 1.0, 0.0]);
        assert_eq!(scores(Selection::GainRatio), [0.0, 1.0, 0.0]);
        assert_eq!(scores(Selection::Df), [4.0, 2.0, 2.0]);
        let select = |selection, most| table.select(0..3, selection, most, &[0, 1, 2, 3], &labels);
        assert_eq!(select(Selection::Fisher, 3), [1, 0, 2]);
        assert_eq!(select(Selection::Df, 2), [0, 1]);
        assert_eq!(table.select(1..9, Selection::Df, 9, &[0], &[true]), [1, 2]);
    }

    #[test]
    fn inverse_document_frequency_silences_what_all_have() {
        let (list, counts) = files();
        let weights = Representation::Tfidf.weights(&list, 4);
        let table = Table { list: &list, weights: &weights, counts: &counts };
        let vector = table.vector(0, &[0, 1, 2]);
        assert_eq!(vector[0], 0.0);
        assert!((vector[1] - 0.5 * 2f64.ln()).abs() < 1e-15 && (vector[2] - 0.25 * 2f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn cuts_by_hand() {
        let column = |classes: &str| -> Vec<(f64, bool)> {
            classes.chars().enumerate().map(|(at, class)| (at as f64, class == '+')).collect()
        };
        // ++-+: behind the second, 1 bit is left of 1/2 of the examples: 0.8112781 - 0.5; behind the third 3/4 times 0.9182958: 0.1225562.
        let close = |left: f64, right: f64| assert!((left - right).abs() < 1e-7, "{left} {right}");
        close(best_cut(column("++-+"), false), 0.311_278_1);
        close(best_cut(column("++-+"), true), 0.311_278_1);
        // +---: behind the first everything is told; the cut itself has 0.8112781 bits.
        close(best_cut(column("+---"), false), 0.811_278_1);
        close(best_cut(column("+---"), true), 1.0);
        // Among equal values there is no cut.
        assert_eq!(best_cut(vec![(1.0, true), (1.0, false)], true), 0.0);
        // Where no class varies and the means differ, nothing is better.
        let (list, counts) = files();
        let table = Table { list: &list, weights: &[1.0, 1.0, 1.0], counts: &counts };
        assert_eq!(table.scores(2..3, Selection::Fisher, &[0, 1], &[true, false]), [f64::INFINITY]);
    }
}
