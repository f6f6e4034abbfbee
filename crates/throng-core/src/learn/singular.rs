//! The leading singular vectors of a large sparse matrix, by block power iteration.
//!
//! Paper      Halko, Martinsson, Tropp. Finding Structure with Randomness. SIAM Review 53 (2011), algorithm 4.4; the eigenvalues of the small
//!            matrix by Jacobi's rotations.
//!
//! # Idea
//! 1. Some columns of numbers from a fixed seed are multiplied by the matrix and by its transpose in turn, and made orthonormal in between by the
//!    eigenvectors of their products with each other.
//! 2. What is left are the directions in which the rows are largest; each row is given by its coordinates along them.
//!
//! # Cost
//! Time O(turns · entries · (rank + 8)), memory O((rows + columns) · (rank + 8)). The result is the same for any number of threads: sums are taken
//! in pieces of fixed size, and added in their order.

use rayon::prelude::*;

use crate::rng::Rng;

/// A matrix that gives its rows and columns entry by entry.
pub trait Sparse: Sync {
    /// How many rows there are.
    fn rows(&self) -> usize;
    /// How many columns there are.
    fn columns(&self) -> usize;
    /// Gives the entries of a row with their columns.
    fn row(&self, row: usize, take: &mut dyn FnMut(usize, f64));
    /// Gives the entries of a column with their rows.
    fn column(&self, column: usize, take: &mut dyn FnMut(usize, f64));
}

/// So many more directions are followed than are wanted.
const MORE: usize = 8;
/// How often the directions are turned.
const TURNS: usize = 5;
/// Rows whose products are summed as one piece.
const PIECE: usize = 2048;
/// The part of the greatest eigenvalue below which a direction is nothing but rounding.
const NOISE: f64 = 1e-12;

/// For each row its coordinates along so many directions, the largest first: left singular vectors times singular values, `rank` numbers a row.
/// Where the matrix has fewer directions the rest is 0.
pub fn coordinates(matrix: &impl Sparse, rank: usize) -> Vec<f64> {
    let width = (rank + MORE).min(matrix.rows()).min(matrix.columns());
    if width == 0 {
        return vec![0.0; matrix.rows() * rank];
    }
    let mut rng = Rng::seeded(0);
    let mut right: Vec<f64> = (0..matrix.columns() * width).map(|_| rng.normal()).collect();
    for _ in 0..TURNS {
        let mut left = product(matrix.rows(), width, |row, take| matrix.row(row, take), &right);
        orthonormal(&mut left, width);
        right = product(matrix.columns(), width, |column, take| matrix.column(column, take), &left);
        orthonormal(&mut right, width);
    }
    let left = product(matrix.rows(), width, |row, take| matrix.row(row, take), &right);
    let (_, vectors) = eigen(gram(&left, width), width);
    let kept = rank.min(width);
    let mut found = vec![0.0; matrix.rows() * rank];
    found.par_chunks_mut(rank).zip(left.par_chunks(width)).for_each(|(found, row)| {
        for (at, found) in found.iter_mut().take(kept).enumerate() {
            *found = (0..width).map(|from| row[from] * vectors[from * width + at]).sum();
        }
    });
    found
}

/// For each of so many lines the sum of the rows of `factor` that its entries name, weighed.
fn product(
    lines: usize,
    width: usize,
    entries: impl Fn(usize, &mut dyn FnMut(usize, f64)) + Sync,
    factor: &[f64],
) -> Vec<f64> {
    let mut sums = vec![0.0; lines * width];
    sums.par_chunks_mut(width).enumerate().for_each(|(line, sum)| {
        entries(line, &mut |at, value| {
            for (sum, factor) in sum.iter_mut().zip(&factor[at * width..][..width]) {
                *sum += value * factor;
            }
        });
    });
    sums
}

/// The products of the columns of some rows with each other.
fn gram(rows: &[f64], width: usize) -> Vec<f64> {
    let piece = |piece: &[f64]| {
        let mut sums = vec![0.0; width * width];
        for row in piece.chunks_exact(width) {
            for (left, sums) in row.iter().zip(sums.chunks_exact_mut(width)) {
                for (sum, right) in sums.iter_mut().zip(row) {
                    *sum += left * right;
                }
            }
        }
        sums
    };
    let pieces: Vec<Vec<f64>> = rows.par_chunks(PIECE * width).map(piece).collect();
    pieces.into_iter().fold(vec![0.0; width * width], |mut whole, piece| {
        whole.iter_mut().zip(piece).for_each(|(whole, piece)| *whole += piece);
        whole
    })
}

/// Turns the columns of some rows into orthonormal ones with the same span; what is nothing but rounding becomes 0.
fn orthonormal(rows: &mut [f64], width: usize) {
    let (values, vectors) = eigen(gram(rows, width), width);
    let least = values[0] * NOISE;
    let scale: Vec<f64> =
        values.iter().map(|&value| if value > least && value > 0.0 { 1.0 / value.sqrt() } else { 0.0 }).collect();
    rows.par_chunks_mut(width).for_each_init(
        || vec![0.0; width],
        |own, row| {
            own.copy_from_slice(row);
            for (at, value) in row.iter_mut().enumerate() {
                *value = scale[at] * (0..width).map(|from| own[from] * vectors[from * width + at]).sum::<f64>();
            }
        },
    );
}

/// The eigenvalues of a symmetric matrix, the greatest first, and its eigenvectors as columns, by Jacobi's rotations.
pub fn eigen(mut matrix: Vec<f64>, size: usize) -> (Vec<f64>, Vec<f64>) {
    let mut vectors = vec![0.0; size * size];
    (0..size).for_each(|at| vectors[at * size + at] = 1.0);
    for _ in 0..60 {
        let off = |matrix: &[f64], diagonal: bool| -> f64 {
            (0..size * size).filter(|at| (at / size == at % size) == diagonal).map(|at| matrix[at] * matrix[at]).sum()
        };
        if off(&matrix, false) <= 1e-30 * off(&matrix, true) {
            break;
        }
        for p in 0..size {
            for q in p + 1..size {
                let apq = matrix[p * size + q];
                if apq == 0.0 {
                    continue;
                }
                let theta = (matrix[q * size + q] - matrix[p * size + p]) / (2.0 * apq);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for at in 0..size {
                    let (left, right) = (matrix[at * size + p], matrix[at * size + q]);
                    matrix[at * size + p] = c * left - s * right;
                    matrix[at * size + q] = s * left + c * right;
                }
                for at in 0..size {
                    let (left, right) = (matrix[p * size + at], matrix[q * size + at]);
                    matrix[p * size + at] = c * left - s * right;
                    matrix[q * size + at] = s * left + c * right;
                }
                for at in 0..size {
                    let (left, right) = (vectors[at * size + p], vectors[at * size + q]);
                    vectors[at * size + p] = c * left - s * right;
                    vectors[at * size + q] = s * left + c * right;
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&left, &right| {
        matrix[right * size + right].total_cmp(&matrix[left * size + left]).then(left.cmp(&right))
    });
    let values = order.iter().map(|&at| matrix[at * size + at]).collect();
    let sorted = (0..size * size).map(|at| vectors[at / size * size + order[at % size]]).collect();
    (values, sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Dense {
        columns: usize,
        entries: Vec<f64>,
    }

    impl Sparse for Dense {
        fn rows(&self) -> usize {
            self.entries.len() / self.columns
        }

        fn columns(&self) -> usize {
            self.columns
        }

        fn row(&self, row: usize, take: &mut dyn FnMut(usize, f64)) {
            (0..self.columns).for_each(|column| take(column, self.entries[row * self.columns + column]));
        }

        fn column(&self, column: usize, take: &mut dyn FnMut(usize, f64)) {
            (0..self.rows()).for_each(|row| take(row, self.entries[row * self.columns + column]));
        }
    }

    #[test]
    fn eigenvalues_by_hand() {
        let (values, vectors) = eigen(vec![2.0, 1.0, 1.0, 2.0], 2);
        assert!((values[0] - 3.0).abs() < 1e-12 && (values[1] - 1.0).abs() < 1e-12);
        assert!((vectors[0] - vectors[2]).abs() < 1e-12);
    }

    /// Rows with as many directions as are asked for keep their distances.
    #[test]
    fn distances_are_kept() {
        let mut rng = Rng::seeded(5);
        let basis: Vec<f64> = (0..3 * 20).map(|_| rng.normal()).collect();
        let weights: Vec<f64> = (0..30 * 3).map(|_| rng.normal()).collect();
        let entry = |row: usize, column: usize| -> f64 {
            (0..3).map(|at| weights[row * 3 + at] * basis[at * 20 + column]).sum()
        };
        let entries: Vec<f64> = (0..30 * 20).map(|at| entry(at / 20, at % 20)).collect();
        let dense = Dense { columns: 20, entries };
        let found = coordinates(&dense, 3);
        let apart = |points: &[f64], width: usize, left: usize, right: usize| -> f64 {
            (0..width).map(|at| (points[left * width + at] - points[right * width + at]).powi(2)).sum()
        };
        for (left, right) in [(0, 1), (2, 7), (29, 4)] {
            let (exact, found) = (apart(&dense.entries, 20, left, right), apart(&found, 3, left, right));
            assert!((exact - found).abs() < 1e-6 * exact, "{exact} {found}");
        }
        assert_eq!(coordinates(&Dense { columns: 2, entries: vec![0.0; 8] }, 3), [0.0; 12]);
    }
}
