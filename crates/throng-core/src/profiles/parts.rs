//! Topics that are learned: the parts of a factorisation of who uses which word, one part a word.
//!
//! Paper      Lee, Seung. Algorithms for Non-negative Matrix Factorization. NIPS 2000: the multiplicative rule for the divergence, which is
//!            Hofmann's latent semantic analysis by probabilities (1999).
//!
//! # Idea
//! 1. V (persons by words, how often) is nearly W H: a person is made of parts, a part of words. Both begin with seeded numbers.
//! 2. W and H take turns: each entry is multiplied by what its row or column lacks.
//! 3. A word belongs to the part that most of its occurrences come from; ties go to the lower number.
//!
//! # Formula
//! W_pa ← W_pa Σ_w H_aw V_pw/(WH)_pw / Σ_w H_aw, and the same for H.
//!
//! # Cost
//! Time O(turns · entries · parts); memory (persons + words) · parts numbers. Rows and columns are worked out each on its own, in a fixed order:
//! the same result for any number of threads.

use rayon::prelude::*;

use crate::concepts::mixes::Mix;
use crate::error::Result;
use crate::progress::Progress;
use crate::rng::Rng;

/// How often the factors take turns.
const TURNS: usize = 80;
/// Parts that nothing belongs to any more stay above nothing.
const LEAST: f64 = 1e-12;

/// For each of so many words its part, of so many; [`crate::data::queries::MISSING`] never.
pub(super) fn parts_of_words(
    mixes: &[Mix],
    words: usize,
    parts: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<u32>> {
    // A person who says a word ten times says hardly more about its topic than one who says it five times.
    let weigh = |count: u64| (count as f64).sqrt();
    let rows: Vec<Vec<(u32, f64)>> =
        mixes.iter().map(|mix| mix.iter().map(|&(word, count)| (word, weigh(count))).collect()).collect();
    let mut columns = vec![Vec::new(); words];
    for (person, row) in (0u32..).zip(&rows) {
        row.iter().for_each(|&(word, value)| columns[word as usize].push((person, value)));
    }
    let mut rng = Rng::seeded(seed);
    let mut drawn = |lines: usize| (0..lines * parts).map(|_| 0.5 + rng.unit()).collect::<Vec<f64>>();
    let (mut left, mut right) = (drawn(rows.len()), drawn(words));
    for _ in 0..TURNS {
        progress.go_on()?;
        turn(&mut left, &rows, &right, parts);
        turn(&mut right, &columns, &left, parts);
    }
    let sums = sums(&left, parts);
    let part_of = |word: &[f64]| {
        let mut best = (f64::NEG_INFINITY, 0);
        for (part, (own, sum)) in (0u32..).zip(word.iter().zip(&sums)) {
            if own * sum > best.0 {
                best = (own * sum, part);
            }
        }
        best.1
    };
    Ok(right.chunks_exact(parts).map(part_of).collect())
}

/// One turn of a factor: `lines` has the entries of each of its lines, by the lines of the other one.
fn turn(factor: &mut [f64], lines: &[Vec<(u32, f64)>], other: &[f64], parts: usize) {
    let sums = sums(other, parts);
    factor.par_chunks_mut(parts).zip(lines).for_each_init(
        || vec![0.0; parts],
        |lacks, (own, entries)| {
            lacks.fill(0.0);
            for &(at, value) in entries {
                let other = &other[at as usize * parts..][..parts];
                let product: f64 = own.iter().zip(other).map(|(own, other)| own * other).sum();
                let ratio = value / product.max(LEAST);
                lacks.iter_mut().zip(other).for_each(|(lacks, other)| *lacks += ratio * other);
            }
            for ((own, lacks), sum) in own.iter_mut().zip(lacks.iter()).zip(&sums) {
                *own = (*own * lacks / sum.max(LEAST)).max(LEAST);
            }
        },
    );
}

/// For each part the sum over all lines of a factor.
fn sums(factor: &[f64], parts: usize) -> Vec<f64> {
    factor.chunks_exact(parts).fold(vec![0.0; parts], |mut sums, line| {
        sums.iter_mut().zip(line).for_each(|(sum, own)| *sum += own);
        sums
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    /// Three sorts of persons with words of their own, and one word that all have.
    #[test]
    fn sorts_of_persons_are_found_for_any_threads() {
        let person = |sort: u32, at: u32| -> Mix { vec![(3 * sort + at % 3, 4), (3 * sort + (at + 1) % 3, 2), (9, 1)] };
        let mixes: Vec<Mix> = (0..30).map(|at| person(at % 3, at / 3)).collect();
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| parts_of_words(&mixes, 10, 3, 1, &Silent)).unwrap()
        };
        let parts = of(1);
        for sort in 0..3 {
            assert!(parts[3 * sort..][..3].iter().all(|&part| part == parts[3 * sort]), "{parts:?}");
        }
        assert!(parts[0] != parts[3] && parts[3] != parts[6] && parts[0] != parts[6], "{parts:?}");
        assert_eq!(parts, of(3));
    }
}
