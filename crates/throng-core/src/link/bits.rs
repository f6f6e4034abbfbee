//! Filters of bits: Dice of two, and all pairs of two files that reach a threshold.
//!
//! # Formula
//! Dice = 2 · |both| / (|one| + |other|), from counts of ones.
//!
//! # Cost
//! All pairs: rows · rows · words, in tiles that stay in the nearest memory; a pair is given up when the ones that are
//! left cannot lift it to the threshold.

use rayon::prelude::*;

/// Dice of two filters of equal length; 0 if both are empty.
pub fn dice(one: &[u64], other: &[u64]) -> f64 {
    let common: u32 = one.iter().zip(other).map(|(one, other)| (one & other).count_ones()).sum();
    let ones: u32 = one.iter().chain(other).map(|word| word.count_ones()).sum();
    if ones == 0 { 0.0 } else { 2.0 * f64::from(common) / f64::from(ones) }
}

/// Filters of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// How many words a filter has.
    pub words: usize,
    /// The words of all filters, one filter behind the other.
    pub bits: Vec<u64>,
}

impl Filters {
    /// How many filters there are.
    pub fn len(&self) -> usize {
        self.bits.len() / self.words.max(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A filter.
    pub fn get(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }

    /// How many ones each has.
    pub fn ones(&self) -> Vec<u32> {
        self.bits.chunks_exact(self.words.max(1)).map(|row| row.iter().map(|word| word.count_ones()).sum()).collect()
    }
}

/// A pair of rows and its Dice.
pub type Similar = (u32, u32, f32);

/// All pairs of a row of each file whose Dice reaches a threshold, by row of the first and then of the second. `None` if there are
/// more than `most`.
pub fn similar_pairs(one: &Filters, other: &Filters, threshold: f64, most: usize) -> Option<Vec<Similar>> {
    const TILE: usize = 64;
    let (ones, others) = (one.ones(), other.ones());
    let found: Vec<Vec<Similar>> = (0..one.len().div_ceil(TILE))
        .into_par_iter()
        .map(|tile| {
            let rows = tile * TILE..((tile + 1) * TILE).min(one.len());
            let mut own = Vec::new();
            let mut from = 0;
            while from < other.len() {
                let to = (from + TILE).min(other.len());
                for row in rows.clone() {
                    let filter = one.get(row);
                    for (column, &bits) in (from..to).zip(&others[from..to]) {
                        // So many bits must be common; rounded down, and decided by the quotient afterwards.
                        let all = ones[row] + bits;
                        let least = (threshold * f64::from(all) / 2.0 - 1e-6).ceil().max(0.0) as u32;
                        if ones[row].min(bits) < least {
                            continue;
                        }
                        let common = common(filter, other.get(column));
                        if common >= least && all > 0 {
                            let dice = 2.0 * f64::from(common) / f64::from(all);
                            if dice >= threshold {
                                own.push((row as u32, column as u32, dice as f32));
                            }
                        }
                    }
                }
                if own.len() > most {
                    break;
                }
                from = to;
            }
            own.sort_unstable_by_key(|&(row, column, _)| (row, column));
            own
        })
        .collect();
    let count: usize = found.iter().map(Vec::len).sum();
    (count <= most).then(|| found.concat())
}

/// How many bits two filters have in common. Words are counted sixteen at a time, which compilers turn into straight code.
fn common(one: &[u64], other: &[u64]) -> u32 {
    let mut sum = 0;
    let (ones, others) = (one.chunks_exact(16), other.chunks_exact(16));
    let rest: u32 =
        ones.remainder().iter().zip(others.remainder()).map(|(one, other)| (one & other).count_ones()).sum();
    for (one, other) in ones.zip(others) {
        for at in 0..16 {
            sum += (one[at] & other[at]).count_ones();
        }
    }
    sum + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn all_pairs_are_those_of_a_slow_look() {
        let mut rng = Rng::seeded(3);
        for words in [1, 16, 17] {
            let mut make = |rows: usize| {
                let bits = (0..rows * words).map(|_| rng.bits() | rng.bits()).collect();
                Filters { words, bits }
            };
            let (one, other) = (make(150), make(70));
            for threshold in [0.0, 0.7, 0.75, 0.8] {
                let mut slow = Vec::new();
                for row in 0..one.len() {
                    for column in 0..other.len() {
                        let dice = dice(one.get(row), other.get(column));
                        if dice >= threshold {
                            slow.push((row as u32, column as u32, dice as f32));
                        }
                    }
                }
                assert_eq!(similar_pairs(&one, &other, threshold, usize::MAX), Some(slow));
            }
            assert_eq!(similar_pairs(&one, &other, 0.0, 10), None);
        }
    }
}
