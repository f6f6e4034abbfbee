//! How far apart two records are.
//!
//! A distance over many records is a [`Pairwise`]: records are numbers, and the distance of any two can be asked for.
//! [`DistanceMatrix`] is all of them computed at once, in parallel, which is what partitions work on.

pub mod assignment;
pub(crate) mod divergence;
pub mod document_distance;
mod hausdorff;
pub mod paths;
pub mod semantic_distance;
pub mod user_distance;
pub mod user_sketch;
mod vocabulary;
pub mod wu_palmer;

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::progress::Progress;

/// A set of records with a distance between any two of them.
pub trait Pairwise: Sync {
    /// What one thread keeps between two questions: caches, orders, buffers. It never changes an answer.
    type Scratch: Send;
    /// The number of records.
    fn len(&self) -> usize;
    /// Whether there is no record.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Fresh scratch space.
    fn scratch(&self) -> Self::Scratch;
    /// The distance of two records: symmetric, not negative, 0 from a record to itself.
    fn distance(&self, left: usize, right: usize, scratch: &mut Self::Scratch) -> f64;
    /// The distances of a record to those that come after it, for all that there is room for.
    fn distances_after(&self, left: usize, into: &mut [f64], scratch: &mut Self::Scratch) {
        for (distance, right) in into.iter_mut().zip(left + 1..) {
            *distance = self.distance(left, right, scratch);
        }
    }
}

/// Some of the records of a space, in an order of their own.
#[derive(Debug, Clone, Copy)]
pub struct Selected<'a, P> {
    /// All records.
    pub space: &'a P,
    /// Which.
    pub records: &'a [u32],
}

impl<P: Pairwise> Pairwise for Selected<'_, P> {
    type Scratch = P::Scratch;

    fn len(&self) -> usize {
        self.records.len()
    }

    fn scratch(&self) -> P::Scratch {
        self.space.scratch()
    }

    fn distance(&self, left: usize, right: usize, scratch: &mut P::Scratch) -> f64 {
        self.space.distance(self.records[left] as usize, self.records[right] as usize, scratch)
    }
}

/// The distances of some pairs of records, in parallel.
pub fn distances_of<P: Pairwise>(space: &P, pairs: &[(usize, usize)]) -> Vec<f64> {
    let distance = |scratch: &mut P::Scratch, &(left, right): &(usize, usize)| space.distance(left, right, scratch);
    pairs.par_iter().with_min_len(16).map_init(|| space.scratch(), distance).collect()
}

/// All distances between n records: n(n - 1)/2 numbers of 8 bytes.
#[derive(Debug, Clone)]
pub struct DistanceMatrix {
    len: usize,
    /// Row `i` holds the distances to `i + 1 ..`, rows one after the other.
    upper: Vec<f64>,
    /// The distance of each record to itself; empty where all are 0.
    diagonal: Vec<f64>,
}

/// The rows of an upper triangle of `len` records: row `i` has `len - 1 - i` cells.
fn rows_of<T>(len: usize, upper: &mut [T]) -> Vec<&mut [T]> {
    let mut rows = Vec::with_capacity(len);
    let mut rest = upper;
    for row in 0..len {
        let (own, others) = rest.split_at_mut(len - 1 - row);
        rows.push(own);
        rest = others;
    }
    rows
}

impl DistanceMatrix {
    /// How many bytes the matrix of `len` records takes.
    pub fn bytes(len: usize) -> u64 {
        (len as u64 * (len as u64).saturating_sub(1) / 2).saturating_mul(8)
    }

    /// Computes all distances, in parallel. The result does not depend on the number of threads.
    pub fn compute<P: Pairwise>(space: &P, progress: &dyn Progress) -> Self {
        let len = space.len();
        let pairs = len * len.saturating_sub(1) / 2;
        progress.stage("distances", pairs as u64);
        let mut upper = vec![0.0; pairs];
        // Rows are dealt one by one: the work of a row varies a thousandfold with the activity of its person.
        let rows = Mutex::new(rows_of(len, &mut upper).into_iter().enumerate());
        let deal = || rows.lock().unwrap_or_else(PoisonError::into_inner).next();
        rayon::broadcast(|_| {
            let mut scratch = space.scratch();
            while !progress.is_stopped()
                && let Some((row, distances)) = deal()
            {
                space.distances_after(row, distances, &mut scratch);
                progress.advance(distances.len() as u64);
            }
        });
        Self { len, upper, diagonal: Vec::new() }
    }

    /// Computes all distances on this thread: for one of many blocks, while others keep the other threads busy.
    pub fn compute_here<P: Pairwise>(space: &P) -> Self {
        let (len, mut scratch) = (space.len(), space.scratch());
        let mut upper = vec![0.0; len * len.saturating_sub(1) / 2];
        for (row, distances) in rows_of(len, &mut upper).into_iter().enumerate() {
            space.distances_after(row, distances, &mut scratch);
        }
        Self { len, upper, diagonal: Vec::new() }
    }

    /// A matrix whose rows are filled one by one, in parallel: row `i` holds the distances to `i + 1 ..`, at first 0.
    /// `diagonal` has the distance of each record to itself.
    fn from_rows(diagonal: Vec<f64>, progress: &dyn Progress, fill: impl Fn(usize, &mut [f64]) + Sync) -> Self {
        let len = diagonal.len();
        let mut upper = vec![0.0; len * len.saturating_sub(1) / 2];
        progress.stage("distances", upper.len() as u64);
        rows_of(len, &mut upper).into_par_iter().enumerate().for_each(|(row, cells)| {
            if !progress.is_stopped() {
                fill(row, cells);
            }
            progress.advance(cells.len() as u64);
        });
        Self { len, upper, diagonal }
    }

    /// A matrix from a function, for small cases and tests.
    pub fn from_fn(len: usize, mut distance: impl FnMut(usize, usize) -> f64) -> Self {
        let mut upper = Vec::with_capacity(len * len.saturating_sub(1) / 2);
        for row in 0..len {
            for column in row + 1..len {
                upper.push(distance(row, column));
            }
        }
        Self { len, upper, diagonal: Vec::new() }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The distance of two records. From a record to itself it is 0 under most distances, not under all.
    pub fn get(&self, left: usize, right: usize) -> f64 {
        let (low, high) = if left < right { (left, right) } else { (right, left) };
        if low == high {
            return self.diagonal.get(low).copied().unwrap_or(0.0);
        }
        // Rows before `low` hold (len - 1) + (len - 2) + … numbers.
        self.upper[low * (2 * self.len - low - 1) / 2 + (high - low - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_is_symmetric() {
        let matrix = DistanceMatrix::from_fn(5, |left, right| (left * 10 + right) as f64);
        for left in 0..5 {
            for right in 0..5 {
                let expected = if left == right { 0 } else { left.min(right) * 10 + left.max(right) };
                assert_eq!(matrix.get(left, right), expected as f64);
            }
        }
        assert_eq!(DistanceMatrix::bytes(5), 80);
    }
}
