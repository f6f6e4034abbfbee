//! Filters of bits: Dice of two, and all pairs of two files that reach a threshold.
//!
//! # Formula
//! Dice = 2 · |both| / (|one| + |other|), from counts of ones.
//!
//! # Cost
//! All pairs: rows · rows · words, in tiles that stay in the nearest memory. Where a look at the first quarter of some pairs shows that it
//! decides most of them, a pair is given up when the ones behind cannot lift it to the threshold.

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

/// A threshold in whole numbers: 2 · common · UNIT must reach `scaled` · (ones of both). Rounded down, so that nothing is lost; the quotient decides
/// afterwards.
#[derive(Clone, Copy)]
struct Threshold {
    exact: f64,
    scaled: u64,
}

const UNIT: f64 = (1u64 << 32) as f64;

impl Threshold {
    fn new(exact: f64) -> Self {
        Self { exact, scaled: (exact.clamp(0.0, 2.0) * UNIT).floor() as u64 }
    }

    /// Whether so many common bits may be enough.
    #[inline(always)]
    fn may_reach(self, common: u32, all: u32) -> bool {
        u64::from(common) << 33 >= self.scaled * u64::from(all)
    }
}

/// The rows of a file, with how many ones each has at its beginning and behind it.
struct Counted<'a> {
    filters: &'a Filters,
    ones: Vec<u32>,
    behind: Vec<u32>,
}

impl<'a> Counted<'a> {
    fn new(filters: &'a Filters, prefix: usize) -> Self {
        let behind = |row: usize| filters.get(row)[prefix..].iter().map(|word| word.count_ones()).sum();
        Self { filters, ones: filters.ones(), behind: (0..filters.len()).map(behind).collect() }
    }
}

/// All pairs of a row of each file whose Dice reaches a threshold, by row of the first and then of the second. `None` if there are
/// more than `most`.
pub fn similar_pairs(one: &Filters, other: &Filters, threshold: f64, most: usize) -> Option<Vec<Similar>> {
    const TILE: usize = 64;
    let limit = Threshold::new(threshold);
    let prefix = one.words / 4;
    let (left, right) = (Counted::new(one, prefix), Counted::new(other, prefix));
    let is_cut = prefix > 0 && most_are_cut(&left, &right, prefix, limit);
    let found: Vec<Vec<Similar>> = (0..one.len().div_ceil(TILE))
        .into_par_iter()
        .map(|tile| {
            let rows = tile * TILE..((tile + 1) * TILE).min(one.len());
            let mut own = Vec::new();
            let mut from = 0;
            while from < other.len() {
                let to = (from + TILE).min(other.len());
                for row in rows.clone() {
                    let (filter, ones, behind) = (one.get(row), left.ones[row], left.behind[row]);
                    for column in from..to {
                        let all = ones + right.ones[column];
                        let theirs = other.get(column);
                        let common = if is_cut {
                            let common = common(&filter[..prefix], &theirs[..prefix]);
                            if !limit.may_reach(common + behind.min(right.behind[column]), all) {
                                continue;
                            }
                            common + self::common(&filter[prefix..], &theirs[prefix..])
                        } else {
                            common(filter, theirs)
                        };
                        if limit.may_reach(common, all) && all > 0 {
                            let dice = 2.0 * f64::from(common) / f64::from(all);
                            if dice >= limit.exact {
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

/// Whether a look at the first words is worth it: whether it decides most of some pairs that stand for all.
fn most_are_cut(one: &Counted<'_>, other: &Counted<'_>, prefix: usize, limit: Threshold) -> bool {
    let pairs = 500.min(one.ones.len() * other.ones.len());
    let is_decided = |pair: &usize| {
        // Steps that are prime to most sizes: rows from all over both files.
        let (row, column) = (pair * 7919 % one.ones.len(), pair * 6101 % other.ones.len());
        let common = common(&one.filters.get(row)[..prefix], &other.filters.get(column)[..prefix]);
        !limit.may_reach(common + one.behind[row].min(other.behind[column]), one.ones[row] + other.ones[column])
    };
    2 * (0..pairs).filter(is_decided).count() > pairs
}

/// How many bits two filters have in common. Words are counted four at a time, which compilers turn into straight code.
#[inline(always)]
fn common(one: &[u64], other: &[u64]) -> u32 {
    let (ones, others) = (one.as_chunks::<4>(), other.as_chunks::<4>());
    let mut sum: u32 = ones.1.iter().zip(others.1).map(|(one, other)| (one & other).count_ones()).sum();
    for (one, other) in ones.0.iter().zip(others.0) {
        for at in 0..4 {
            sum += (one[at] & other[at]).count_ones();
        }
    }
    sum
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
            for threshold in [0.0, 0.7, 0.75, 0.8, 0.95, 1.0] {
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
