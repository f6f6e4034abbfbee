//! Products of vectors of two holders on additive shares, with the help of a dealer.
//!
//! Paper      Beaver. Commodity-based cryptography. STOC 1997: a dealer hands out randomness, and learns nothing.
//!
//! # Idea
//! Alice has X (n x d), bob Y (m x d), all modulo 2^64. 1. The dealer draws A (n x d), B (m x d) and C1 (n x m), gives alice A and C1, bob B
//!    and C2 = A·Bᵀ − C1. 2. Alice sends E = X − A, bob sends F = Y − B: uniform, whatever X and Y are. 3. Alice's share of the product is
//!    X·Fᵀ + C1, bob's E·Bᵀ + C2.
//!
//! # Formula
//! X·(Y − B)ᵀ + (X − A)·Bᵀ + A·Bᵀ = X·Yᵀ, modulo 2^64.
//!
//! # Cost
//! n · m · d multiplications for each of the three; n·d + m·d + n·m numbers are sent. A and C1 are drawn from a key of 32 bytes, and so is B.
//!
//! Does not   hold if the dealer helps one of the two: with A they read X off E. Sums beyond 2^64 wrap: whoever calls bounds the values.

use rayon::prelude::*;

use crate::rng::Rng;

/// Rows of numbers modulo 2^64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    cells: Vec<u64>,
}

impl Matrix {
    /// From rows that stand one behind the other.
    pub fn new(columns: usize, cells: Vec<u64>) -> Self {
        let rows = cells.len().checked_div(columns).unwrap_or(0);
        Self { rows, columns, cells }
    }

    /// Uniform numbers.
    pub fn draw(rows: usize, columns: usize, rng: &mut Rng) -> Self {
        Self { rows, columns, cells: (0..rows * columns).map(|_| rng.bits()).collect() }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[u64] {
        &self.cells[row * self.columns..(row + 1) * self.columns]
    }

    /// All numbers, row by row.
    pub fn cells(&self) -> &[u64] {
        &self.cells
    }

    /// This plus another of the same size.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.cells.iter_mut().zip(&other.cells).for_each(|(one, other)| *one = one.wrapping_add(*other));
        self
    }

    /// This minus another of the same size.
    #[must_use]
    pub fn minus(mut self, other: &Self) -> Self {
        self.cells.iter_mut().zip(&other.cells).for_each(|(one, other)| *one = one.wrapping_sub(*other));
        self
    }

    /// The scalar products of its rows with those of another: this times the other transposed.
    #[must_use]
    pub fn times_rows_of(&self, other: &Self) -> Self {
        // A few rows of the one against all of the other: what is read often stays near.
        const ROWS: usize = 8;
        let mut cells = vec![0u64; self.rows * other.rows];
        if other.rows > 0 {
            cells.par_chunks_mut(ROWS * other.rows).enumerate().for_each(|(chunk, cells)| {
                for (column, right) in (0..other.rows).map(|row| (row, other.row(row))) {
                    for (at, line) in cells.chunks_mut(other.rows).enumerate() {
                        line[column] = dot(self.row(chunk * ROWS + at), right);
                    }
                }
            });
        }
        Self { rows: self.rows, columns: other.rows, cells }
    }
}

fn dot(one: &[u64], other: &[u64]) -> u64 {
    one.iter().zip(other).fold(0u64, |sum, (one, other)| sum.wrapping_add(one.wrapping_mul(*other)))
}

/// How many bytes the key of a holder's numbers has.
pub const KEY: usize = 32;

/// What a holder has of the dealer: a mask for its vectors, and a share of the product of the masks.
#[derive(Debug)]
pub struct Help {
    mask: Matrix,
    share: Matrix,
}

impl Help {
    /// Alice's, for her rows and bob's of so many columns.
    pub fn of_alice(key: &[u8; KEY], [own, other]: [usize; 2], columns: usize) -> Self {
        let mut rng = Rng::of_key(key);
        Self { mask: Matrix::draw(own, columns, &mut rng), share: Matrix::draw(own, other, &mut rng) }
    }

    /// Bob's, with the share that the dealer worked out.
    pub fn of_bob(key: &[u8; KEY], own: usize, columns: usize, share: Matrix) -> Self {
        Self { mask: Matrix::draw(own, columns, &mut Rng::of_key(key)), share }
    }

    /// A holder's vectors under the mask: what it sends to the other.
    pub fn masked(&self, own: &Matrix) -> Matrix {
        own.clone().minus(&self.mask)
    }

    /// Alice's share of the products of her vectors with bob's.
    pub fn share_of_alice(&self, own: &Matrix, masked_other: &Matrix) -> Matrix {
        own.times_rows_of(masked_other).plus(&self.share)
    }

    /// Bob's share.
    pub fn share_of_bob(&self, masked_other: &Matrix) -> Matrix {
        masked_other.times_rows_of(&self.mask).plus(&self.share)
    }
}

/// The dealer's work: bob's share of the product of the masks that the two keys stand for.
pub fn deal(alice: &[u8; KEY], bob: &[u8; KEY], rows: [usize; 2], columns: usize) -> Matrix {
    let of_alice = Help::of_alice(alice, rows, columns);
    let mask = Matrix::draw(rows[1], columns, &mut Rng::of_key(bob));
    of_alice.mask.times_rows_of(&mask).minus(&of_alice.share)
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rng::Rng;

    fn shared(x: &Matrix, y: &Matrix, keys: [[u8; KEY]; 2]) -> (Matrix, [Matrix; 2]) {
        let rows = [x.rows(), y.rows()];
        let dealt = deal(&keys[0], &keys[1], rows, x.columns());
        let alice = Help::of_alice(&keys[0], rows, x.columns());
        let bob = Help::of_bob(&keys[1], y.rows(), x.columns(), dealt);
        let (e, f) = (alice.masked(x), bob.masked(y));
        (alice.share_of_alice(x, &f).plus(&bob.share_of_bob(&e)), [e, f])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// The shares add up to the product, whatever the numbers are.
        #[test]
        fn shares_add_up(rows in (0usize..12, 0usize..12), columns in 1usize..9, seed: u64) {
            let mut rng = Rng::seeded(seed);
            let (x, y) = (Matrix::draw(rows.0, columns, &mut rng), Matrix::draw(rows.1, columns, &mut rng));
            let mut keys = [[0; KEY]; 2];
            keys.iter_mut().for_each(|key| rng.fill(key));
            let (found, _) = shared(&x, &y, keys);
            for a in 0..rows.0 {
                for b in 0..rows.1 {
                    let plain = (0..columns).map(|at| x.row(a)[at].wrapping_mul(y.row(b)[at])).fold(0, u64::wrapping_add);
                    prop_assert_eq!(found.row(a)[b], plain);
                }
            }
        }
    }

    /// The chi-squared statistic of the bytes of numbers, 255 degrees of freedom.
    pub(crate) fn chi_squared(numbers: &[u64]) -> f64 {
        let mut counts = [0u32; 256];
        numbers.iter().flat_map(|number| number.to_le_bytes()).for_each(|byte| counts[usize::from(byte)] += 1);
        let expected = numbers.len() as f64 * 8.0 / 256.0;
        counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum()
    }

    /// What is sent is uniform, for vectors of noughts as for any others.
    #[test]
    fn what_is_sent_is_uniform() {
        let mut rng = Rng::seeded(3);
        for value in [0, u64::MAX, 12_345] {
            let x = Matrix::new(16, vec![value; 16 * 100]);
            let mut keys = [[0; KEY]; 2];
            keys.iter_mut().for_each(|key| rng.fill(key));
            let (_, sent) = shared(&x, &x, keys);
            let dealt = deal(&keys[0], &keys[1], [100, 100], 16);
            for matrix in sent.iter().chain([&dealt]) {
                // The chance to be above 347 is one in ten thousand.
                let chi = chi_squared(matrix.cells());
                assert!(chi < 347.0, "{value} {chi}");
            }
        }
    }
}
