//! Filters of bits: Dice of two, and all pairs of two files that reach a threshold.
//!
//! # Idea
//! Bits are put in another order, those first in which different records differ most. A pair is given up after the first words if the ones
//! behind them cannot lift it to the threshold. How many words are first is chosen on some pairs; where no beginning is worth a look,
//! none is taken.
//!
//! # Formula
//! Dice = 2 · |both| / (|one| + |other|), from counts of ones. A pair may reach t only if |both so far| + min(ones behind) ≥ t (|one| + |other|) / 2.
//!
//! # Cost
//! All pairs: rows · rows · the words that are looked at, in tiles that stay in the nearest memory; a copy of both files.

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

/// The rows of a file, with how many ones each has, and how many behind its beginning.
struct Counted {
    filters: Filters,
    ones: Vec<u32>,
    behind: Vec<u32>,
}

impl Counted {
    fn new(filters: Filters, prefix: usize) -> Self {
        let behind = |row: usize| filters.get(row)[prefix..].iter().map(|word| word.count_ones()).sum();
        let behind = (0..filters.len()).map(behind).collect();
        Self { ones: filters.ones(), behind, filters }
    }
}

/// How many rows are compared with as many others while they are near.
const TILE: usize = 64;

/// All pairs of a row of each file whose Dice reaches a threshold, by row of the first and then of the second. `None` if there are
/// more than `most`.
pub fn similar_pairs(one: &Filters, other: &Filters, threshold: f64, most: usize) -> Option<Vec<Similar>> {
    let limit = Threshold::new(threshold);
    let (one, other) = telling_first(one, other);
    let prefix = best_prefix(&one, &other, limit);
    let (left, right) = (Counted::new(one, prefix), Counted::new(other, prefix));
    // The usual lengths are known to the compiler, which then counts without loops.
    let tile = match (left.filters.words, prefix) {
        (16, 1) => tile::<1, 16>,
        (16, 2) => tile::<2, 16>,
        (16, 3) => tile::<3, 16>,
        (16, 4) => tile::<4, 16>,
        (16, 5) => tile::<5, 16>,
        (16, 6) => tile::<6, 16>,
        (16, 7) => tile::<7, 16>,
        (16, 8) => tile::<8, 16>,
        (16, 9) => tile::<9, 16>,
        (16, 10) => tile::<10, 16>,
        (16, 11) => tile::<11, 16>,
        (16, 12) => tile::<12, 16>,
        (16, 13) => tile::<13, 16>,
        (16, _) => tile::<0, 16>,
        _ => tile::<0, 0>,
    };
    let found: Vec<Vec<Similar>> = (0..left.filters.len().div_ceil(TILE))
        .into_par_iter()
        .map(|number| {
            let rows = number * TILE..((number + 1) * TILE).min(left.filters.len());
            let mut own = Vec::new();
            let mut from = 0;
            while from < right.filters.len() && own.len() <= most {
                let to = (from + TILE).min(right.filters.len());
                tile(&left, &right, [rows.clone(), from..to], prefix, limit, &mut own);
                from = to;
            }
            own.sort_unstable_by_key(|&(row, column, _)| (row, column));
            own
        })
        .collect();
    let count: usize = found.iter().map(Vec::len).sum();
    (count <= most).then(|| found.concat())
}

/// Compares some rows with some others. The lengths of beginnings and filters are known to the compiler, or 0 and told.
fn tile<const PREFIX: usize, const WORDS: usize>(
    left: &Counted,
    right: &Counted,
    [rows, columns]: [std::ops::Range<usize>; 2],
    prefix: usize,
    limit: Threshold,
    found: &mut Vec<Similar>,
) {
    let prefix = if PREFIX > 0 { PREFIX } else { prefix };
    let words = if WORDS > 0 { WORDS } else { left.filters.words };
    for row in rows {
        let (filter, ones, behind) = (&left.filters.get(row)[..words], left.ones[row], left.behind[row]);
        for column in columns.clone() {
            let all = ones + right.ones[column];
            let theirs = &right.filters.get(column)[..words];
            let mut common = 0;
            if prefix > 0 {
                common = self::common(&filter[..prefix], &theirs[..prefix]);
                if !limit.may_reach(common + behind.min(right.behind[column]), all) {
                    continue;
                }
            }
            common += self::common(&filter[prefix..], &theirs[prefix..]);
            if limit.may_reach(common, all) && all > 0 {
                let dice = 2.0 * f64::from(common) / f64::from(all);
                if dice >= limit.exact {
                    found.push((row as u32, column as u32, dice as f32));
                }
            }
        }
    }
}

/// Pairs that stand for all: rows from all over both files, by steps that are prime to most numbers of rows.
fn some_pairs(one: &Filters, other: &Filters, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let (rows, columns) = (one.len(), other.len());
    (0..most.min(rows * columns)).map(move |pair| (pair * 7919 % rows, pair * 6101 % columns))
}

/// The same filters with their bits in another order: first those that are set in about half of the rows, where different records differ most;
/// last those that nearly all have, or nearly none.
fn telling_first(one: &Filters, other: &Filters) -> (Filters, Filters) {
    /// Fewer pairs are compared sooner than put in order.
    const MANY: usize = 1 << 20;
    const ROWS: usize = 1000;
    if one.len() * other.len() < MANY {
        return (one.clone(), other.clone());
    }
    let mut counts = vec![0usize; one.words * 64];
    for filters in [one, other] {
        for row in (0..filters.len()).step_by((filters.len() / ROWS).max(1)) {
            for (at, &word) in filters.get(row).iter().enumerate() {
                ones_of(word, |bit| counts[64 * at + bit] += 1);
            }
        }
    }
    let sampled = |filters: &Filters| filters.len().div_ceil((filters.len() / ROWS).max(1));
    let rows = sampled(one) + sampled(other);
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&bit| (std::cmp::Reverse(counts[bit] * (rows - counts[bit])), bit));
    let mut place = vec![0u32; order.len()];
    (0..).zip(&order).for_each(|(to, &bit)| place[bit] = to);
    let reordered = |filters: &Filters| {
        let mut bits = vec![0u64; filters.bits.len()];
        let rows = bits.par_chunks_mut(filters.words).zip(filters.bits.par_chunks(filters.words));
        rows.for_each(|(to, from)| {
            for (at, &word) in from.iter().enumerate() {
                ones_of(word, |bit| {
                    let place = place[64 * at + bit] as usize;
                    to[place / 64] |= 1 << (place % 64);
                });
            }
        });
        Filters { words: filters.words, bits }
    };
    (reordered(one), reordered(other))
}

/// The places of the ones of a word.
fn ones_of(mut word: u64, mut take: impl FnMut(usize)) {
    while word != 0 {
        take(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

/// How many words are looked at first: as many as make a pair cheapest, seen on some pairs; 0 if none are worth it.
fn best_prefix(one: &Filters, other: &Filters, limit: Threshold) -> usize {
    const PAIRS: usize = 2000;
    /// What it costs to ask, in words.
    const ASKING: f64 = 0.75;
    let words = one.words;
    let step = (words / 16).max(1);
    let mut undecided = vec![0usize; words];
    let mut pairs = 0;
    for (row, column) in some_pairs(one, other, PAIRS) {
        pairs += 1;
        let (own, theirs) = (one.get(row), other.get(column));
        let ones = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
        let all = ones(own) + ones(theirs);
        let mut seen = 0;
        for prefix in (step..words).step_by(step) {
            seen += common(&own[prefix - step..prefix], &theirs[prefix - step..prefix]);
            if limit.may_reach(seen + ones(&own[prefix..]).min(ones(&theirs[prefix..])), all) {
                undecided[prefix] += 1;
            }
        }
    }
    let cost = |prefix: usize| {
        let rest = undecided[prefix] as f64 / pairs.max(1) as f64;
        prefix as f64 + ASKING + rest * (words - prefix) as f64
    };
    let best = (step..words).step_by(step).min_by(|&left, &right| cost(left).total_cmp(&cost(right)));
    best.filter(|&prefix| pairs > 0 && cost(prefix) < words as f64).unwrap_or(0)
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

    /// Enough pairs for another order of the bits, with few bits that tell, and copies that reach every threshold.
    #[test]
    fn another_order_of_bits_changes_nothing() {
        let mut rng = Rng::seeded(5);
        let rows = 1100;
        for words in [2, 16, 17] {
            let mut one = Filters { words, bits: Vec::new() };
            for _ in 0..rows * words {
                one.bits.push(if one.bits.len().is_multiple_of(words) { u64::MAX } else { rng.bits() & rng.bits() });
            }
            let mut other = one.clone();
            other.bits.iter_mut().for_each(|word| *word &= rng.bits() | rng.bits() | rng.bits());
            for threshold in [0.7, 0.9] {
                let found = similar_pairs(&one, &other, threshold, usize::MAX).unwrap();
                assert!(found.len() > 100, "{words} {threshold} {}", found.len());
                let mut found = found.into_iter().peekable();
                for row in 0..rows {
                    for column in 0..rows {
                        let dice = dice(one.get(row), other.get(column));
                        let own = found.next_if(|pair| (pair.0, pair.1) == (row as u32, column as u32));
                        assert_eq!(own.map(|pair| pair.2), (dice >= threshold).then_some(dice as f32));
                    }
                }
            }
        }
    }

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
