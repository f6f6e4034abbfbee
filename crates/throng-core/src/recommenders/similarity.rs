//! How similar one person is to all others, or one item to all others: one row at a time, from the ratings that they share.
//!
//! # Formula
//! Pearson over the n co-rated items: (n Σxy - Σx Σy) / sqrt((n Σxx - (Σx)²) (n Σyy - (Σy)²)). In this form all sums of whole and
//! half ratings are exact, so that equal similarities are equal bits. Cosine: Σxy / sqrt(Σxx Σyy), of ratings or of deviations.
//! Significance N: the similarity times min(n, N) / N.

use super::{Means, Name, Params};
use crate::data::ratings::Ratings;

/// Somebody or something similar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similar {
    /// The number of the person or item.
    pub number: u32,
    /// How similar, from -1 to 1.
    pub similarity: f64,
    /// How many ratings the similarity is made of.
    pub common: u32,
}

/// Sums over what two have in common.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    n: u32,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

/// The sums of one person or item with all others.
#[derive(Clone)]
pub(super) struct Row {
    sums: Vec<Sums>,
    touched: Vec<u32>,
}

impl Row {
    /// With so many others.
    pub(super) fn new(others: usize) -> Self {
        Self { sums: vec![Sums::default(); others], touched: Vec::new() }
    }

    /// Those that share something, in the order of their numbers.
    pub(super) fn touched(&self) -> impl Iterator<Item = u32> {
        self.touched.iter().copied()
    }

    /// How much they share.
    pub(super) fn common(&self, other: u32) -> u32 {
        self.sums[other as usize].n
    }

    fn clear(&mut self) {
        for other in self.touched.drain(..) {
            self.sums[other as usize] = Sums::default();
        }
    }

    /// Adds a pair of ratings to what is shared with another one.
    #[inline]
    pub(super) fn add(&mut self, other: u32, x: f64, y: f64) {
        let sums = &mut self.sums[other as usize];
        if sums.is_empty() {
            self.touched.push(other);
        }
        sums.add(x, y);
    }

    /// Takes a person; deviations from the means of persons, if those are given.
    pub(super) fn fill_persons(&mut self, ratings: &Ratings, person: u32, means: Option<&[f64]>) {
        self.clear();
        let mean = |person: u32| means.map_or(0.0, |means| means[person as usize]);
        for (item, value) in ratings.of_person(person) {
            for (other, other_value) in ratings.of_item(item) {
                self.add(other, value - mean(person), other_value - mean(other));
            }
        }
        self.touched.sort_unstable();
    }

    /// Takes an item; deviations from the means of persons, if those are given.
    pub(super) fn fill_items(&mut self, ratings: &Ratings, item: u32, means: Option<&[f64]>) {
        self.clear();
        for (person, value) in ratings.of_item(item) {
            let mean = means.map_or(0.0, |means| means[person as usize]);
            for (other, other_value) in ratings.of_person(person) {
                self.add(other, value - mean, other_value - mean);
            }
        }
        self.touched.sort_unstable();
    }

    /// How similar another one is; `None` where that is not defined.
    pub(super) fn similarity(&self, other: u32, params: &Params) -> Option<f64> {
        self.sums[other as usize].similarity(params)
    }
}

/// The share of a sum of squares below which a variance is an error of rounding: of ratings with fractions that are all equal.
const NOISE: f64 = 1e-13;

impl Sums {
    pub(super) fn is_empty(&self) -> bool {
        self.n == 0
    }

    #[inline]
    pub(super) fn add(&mut self, x: f64, y: f64) {
        self.n += 1;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.yy += y * y;
        self.xy += x * y;
    }

    /// How similar the two are; `None` where that is not defined.
    pub(super) fn similarity(self, params: &Params) -> Option<f64> {
        if self.n == 0 {
            return None;
        }
        let plain = match params.name {
            Name::UserPearson if params.means == Means::CoRated => self.pearson(),
            _ => self.cosine(),
        }?;
        Some(self.weighed(plain, params.significance))
    }

    /// The same without two ratings that are in it.
    pub(super) fn without(self, x: f64, y: f64) -> Self {
        match self.n {
            0 | 1 => Self::default(),
            n => Self {
                n: n - 1,
                x: self.x - x,
                y: self.y - y,
                xx: self.xx - x * x,
                yy: self.yy - y * y,
                xy: self.xy - x * y,
            },
        }
    }

    /// A similarity that counts for less if it is of few ratings.
    fn weighed(&self, similarity: f64, significance: u32) -> f64 {
        match significance {
            0 => similarity,
            most => similarity * f64::from(self.n.min(most)) / f64::from(most),
        }
    }

    /// Pearson's correlation, which counts for less if it is of few ratings.
    pub(super) fn pearson_of(&self, significance: u32) -> Option<f64> {
        Some(self.weighed(self.pearson()?, significance))
    }

    fn pearson(&self) -> Option<f64> {
        let n = f64::from(self.n);
        let (left, right) = (n * self.xx - self.x * self.x, n * self.yy - self.y * self.y);
        if left <= NOISE * n * self.xx || right <= NOISE * n * self.yy {
            return None;
        }
        Some((n * self.xy - self.x * self.y) / (left * right).sqrt()).filter(|similarity| similarity.is_finite())
    }

    fn cosine(&self) -> Option<f64> {
        Some(self.xy / (self.xx * self.yy).sqrt()).filter(|similarity| similarity.is_finite())
    }
}
