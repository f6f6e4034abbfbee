//! How right a detector of files is, and how well it asks: equations 10 to 17 of the paper.
//!
//! Paper      Moskovitch, Nissim, Elovici 2008, sections 4.1 and 4.2, with readings M8 to M10.
//!
//! # Formula
//! TPR = TP / (TP + FN), FPR = FP / (FP + TN), accuracy = (TP + TN) / all (eqs 10, 11).
//! Of a stream with new files N, acquired files A, positives M and negatives B (eqs 14 to 17): precision of the new positives = |A ∩ M ∩ N| / |A ∩ M|, recall
//! = |A ∩ M ∩ N| / |N ∩ M|; the same with B. A share of nothing has no value.
//! Folds: the files of each class in a drawn order, one after the other to the next fold; files with the same bytes are one.

use serde::Serialize;

use crate::rng::Rng;

/// What was said of files whose class is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// Positives called so.
    pub true_positives: u64,
    /// Negatives called positive.
    pub false_positives: u64,
    /// Negatives called so.
    pub true_negatives: u64,
    /// Positives called negative.
    pub false_negatives: u64,
}

impl Confusion {
    /// One more file.
    pub fn count(&mut self, is_positive: bool, said_positive: bool) {
        *match (is_positive, said_positive) {
            (true, true) => &mut self.true_positives,
            (true, false) => &mut self.false_negatives,
            (false, true) => &mut self.false_positives,
            (false, false) => &mut self.true_negatives,
        } += 1;
    }

    /// Scores above 0 say positive.
    pub fn of(scores: impl IntoIterator<Item = f64>, is_positive: impl IntoIterator<Item = bool>) -> Self {
        let mut confusion = Self::default();
        scores.into_iter().zip(is_positive).for_each(|(score, is_positive)| confusion.count(is_positive, score > 0.0));
        confusion
    }

    /// The counts of both.
    pub fn and(self, other: Self) -> Self {
        Self {
            true_positives: self.true_positives + other.true_positives,
            false_positives: self.false_positives + other.false_positives,
            true_negatives: self.true_negatives + other.true_negatives,
            false_negatives: self.false_negatives + other.false_negatives,
        }
    }

    /// Eq 10: the share of the positives that was found.
    pub fn true_positive_rate(&self) -> Option<f64> {
        share(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// Eq 10: the share of the negatives that was called positive.
    pub fn false_positive_rate(&self) -> Option<f64> {
        share(self.false_positives, self.false_positives + self.true_negatives)
    }

    /// The share of the positives that was not found.
    pub fn false_negative_rate(&self) -> Option<f64> {
        share(self.false_negatives, self.true_positives + self.false_negatives)
    }

    /// Eq 11: the share of all that was right.
    pub fn accuracy(&self) -> Option<f64> {
        let right = self.true_positives + self.true_negatives;
        share(right, right + self.false_positives + self.false_negatives)
    }
}

/// How well files of a stream were asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    new: [u64; 2],
    acquired: [u64; 2],
    both: [u64; 2],
}

impl Asked {
    /// One more file of the stream.
    pub fn count(&mut self, is_positive: bool, is_new: bool, is_acquired: bool) {
        let class = usize::from(is_positive);
        self.new[class] += u64::from(is_new);
        self.acquired[class] += u64::from(is_acquired);
        self.both[class] += u64::from(is_new && is_acquired);
    }

    /// Eq 14, and eq 15 for positives: the share of the acquired files of a class that were new.
    pub fn precision(&self, positive: bool) -> Option<f64> {
        share(self.both[usize::from(positive)], self.acquired[usize::from(positive)])
    }

    /// Eq 16, and eq 17 for positives: the share of the new files of a class that were acquired.
    pub fn recall(&self, positive: bool) -> Option<f64> {
        share(self.both[usize::from(positive)], self.new[usize::from(positive)])
    }

    /// How many new files there were.
    pub fn new_files(&self) -> u64 {
        self.new.iter().sum()
    }

    /// How many were acquired.
    pub fn acquired(&self) -> u64 {
        self.acquired.iter().sum()
    }

    /// How many of these were positive.
    pub fn acquired_positives(&self) -> u64 {
        self.acquired[1]
    }
}

fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

/// The fold of each file. Files with the same number in `same` have the same bytes, and go together.
pub fn folds(same: &[u32], is_positive: &[bool], folds: usize, rng: &mut Rng) -> Vec<u32> {
    let groups = same.iter().copied().max().map_or(0, |last| last as usize + 1);
    let mut class = vec![false; groups];
    same.iter().zip(is_positive).for_each(|(&group, &is_positive)| class[group as usize] = is_positive);
    let mut fold_of = vec![0; groups];
    let mut next = 0;
    for positive in [true, false] {
        let mut members: Vec<usize> = (0..groups).filter(|&group| class[group] == positive).collect();
        rng.shuffle(&mut members);
        for group in members {
            fold_of[group] = (next % folds.max(1)) as u32;
            next += 1;
        }
    }
    same.iter().map(|&group| fold_of[group as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_by_hand() {
        let confusion = Confusion::of([0.5, -0.5, 0.0, 2.0, -1.0], [true, true, false, false, false]);
        let (tp, fp, tn, fnn) = (1, 1, 2, 1);
        assert_eq!(
            confusion,
            Confusion { true_positives: tp, false_positives: fp, true_negatives: tn, false_negatives: fnn }
        );
        assert_eq!(confusion.true_positive_rate(), Some(0.5));
        assert_eq!(confusion.false_positive_rate(), Some(1.0 / 3.0));
        assert_eq!(confusion.false_negative_rate(), Some(0.5));
        assert_eq!(confusion.accuracy(), Some(0.6));
        assert_eq!(confusion.and(confusion).accuracy(), Some(0.6));
        assert_eq!(Confusion::default().accuracy(), None);
    }

    #[test]
    fn asking_by_hand() {
        // Positives: 4 new, 3 acquired, 2 of them new. Negatives: 5 new, 1 acquired, new.
        let mut asked = Asked::default();
        for (is_positive, is_new, is_acquired, times) in [
            (true, true, true, 2),
            (true, false, true, 1),
            (true, true, false, 2),
            (false, true, true, 1),
            (false, true, false, 4),
            (false, false, false, 7),
        ] {
            (0..times).for_each(|_| asked.count(is_positive, is_new, is_acquired));
        }
        assert_eq!(asked.precision(true), Some(2.0 / 3.0));
        assert_eq!(asked.recall(true), Some(0.5));
        assert_eq!(asked.precision(false), Some(1.0));
        assert_eq!(asked.recall(false), Some(0.2));
        assert_eq!((asked.new_files(), asked.acquired(), asked.acquired_positives()), (9, 4, 3));
        assert_eq!(Asked::default().recall(true), None);
    }

    #[test]
    fn copies_share_a_fold_and_classes_are_spread() {
        // Files 0 and 4 have the same bytes.
        let same = [0, 1, 2, 3, 0, 4, 5, 6, 7, 8, 9];
        let is_positive: Vec<bool> = (0..11).map(|file| file < 5).collect();
        let found = folds(&same, &is_positive, 5, &mut Rng::seeded(1));
        assert_eq!(found[0], found[4]);
        for fold in 0..5u32 {
            let members: Vec<usize> = (0..11).filter(|&file| found[file] == fold && file != 4).collect();
            assert_eq!(members.len(), 2, "{found:?}");
            assert!(members.iter().filter(|&&file| is_positive[file]).count() <= 1);
        }
        assert_eq!(found, folds(&same, &is_positive, 5, &mut Rng::seeded(1)));
    }
}
