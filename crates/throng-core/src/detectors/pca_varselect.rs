//! PCA VarSelect: persons who have no part in what most persons vary by.
//!
//! Paper      Mehta, Nejdl. Unsupervised Strategies for Shilling Detection and Robust Collaborative Filtering. UMUAI 2009.
//! Does not   say how many are suspect; the paper flags as many as somebody asks for.
//!
//! # Idea
//! 1. Each person's ratings are standardised over all items, a missing one being 0. 2. Persons are what varies: the covariance of
//!    each two of them over items. 3. A person's share in its first three eigenvectors is small for who rates at random.
//!
//! # Formula
//! Σ v(j, u)² over the first three eigenvectors v(j); low is suspect.
//!
//! # Cost
//! Subspace iteration: a step is two passes over the ratings. The matrix of persons is never made.

use super::seen::Seen;
use super::{Detector, Found, Suspect, robust};
use crate::data::ratings::Ratings;
use crate::error::Result;
use crate::info::Info;
use crate::progress::Progress;

/// How many eigenvectors count.
const VECTORS: usize = 3;
/// How many are iterated, so that the first come out well.
const ITERATED: usize = 8;
/// How many steps there are, at most.
const STEPS: usize = 300;

/// The card.
pub const INFO: Info = Info {
    name: "pca-varselect",
    summary: "persons who have no part in what most persons vary by",
    paper: "Mehta, Nejdl. Unsupervised Strategies for Shilling Detection and Robust Collaborative Filtering. UMUAI 2009",
    details: "Persons are standardised over all items (what they have not rated is 0), and the score is the sum of squares of a person's entries in the first \
              three eigenvectors of the covariance of persons. Low is suspect.\n\
              It sees random and average fillers, and persons with few ratings that nobody shares. It does not see segment or ih.\n\
              Flagged is whose logarithm of the score is more than 3 robust deviations below the median. Time: a few hundred passes over the ratings.",
    parameters: &[],
};

/// The detector.
#[derive(Debug, Clone, Copy)]
pub struct PcaVarselect;

impl Detector<Ratings> for PcaVarselect {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn detect(&self, ratings: &Ratings, progress: &dyn Progress) -> Result<Found> {
        let scores = shares(ratings, progress)?;
        let least = scores.iter().copied().filter(|&score| score > 0.0).fold(f64::INFINITY, f64::min);
        if least == f64::INFINITY {
            return Ok(Found::beyond(scores, 0.0, Suspect::Low));
        }
        let logarithms: Vec<f64> = scores.iter().map(|score| score.max(least).ln()).collect();
        let centre = robust::median(logarithms.clone());
        let threshold = (centre - super::rdma::USUAL * robust::spread(&logarithms, centre)).exp();
        Ok(Found::beyond(scores, threshold, Suspect::Low))
    }
}

/// For each person the sum of squares of their entries in the first eigenvectors.
fn shares(ratings: &Ratings, progress: &dyn Progress) -> Result<Vec<f64>> {
    let seen = Seen::of(ratings);
    let (persons, items) = (ratings.persons(), ratings.items());
    // Mean and deviation over all items, those that are missing being 0.
    let standard: Vec<(f64, f64)> = (0..persons as u32)
        .map(|person| {
            let values = ratings.of_person(person).map(|(_, value)| seen.value(value));
            let (sum, squares) =
                values.fold((0.0, 0.0), |(sum, squares), value| (sum + value, squares + value * value));
            let mean = sum / items as f64;
            let variance = squares / items as f64 - mean * mean;
            (mean, if variance > 1e-12 { variance.sqrt() } else { 0.0 })
        })
        .collect();
    let vectors = ITERATED.min(persons).min(items);
    // Plain waves to begin with: nothing is drawn.
    let mut space: Vec<Vec<f64>> = (0..vectors)
        .map(|vector| (0..persons).map(|at| ((at * (vector + 1)) as f64 * 0.7 + vector as f64).cos()).collect())
        .collect();
    orthonormalise(&mut space);
    progress.stage("finding what persons vary by", STEPS as u64);
    let mut values = vec![0.0; vectors];
    for _ in 0..STEPS {
        progress.go_on()?;
        progress.advance(1);
        let images: Vec<Vec<f64>> = space.iter().map(|vector| image(ratings, &seen, &standard, vector)).collect();
        let mut next = rotated(&space, images);
        let found: Vec<f64> = next.iter().map(|vector| norm(vector)).collect();
        orthonormalise(&mut next);
        space = next;
        let is_still =
            found.iter().zip(&values).take(VECTORS).all(|(now, before)| (now - before).abs() <= 1e-13 * now.abs());
        values = found;
        if is_still {
            break;
        }
    }
    let share = |person: usize| space.iter().take(VECTORS).map(|vector| vector[person] * vector[person]).sum();
    Ok((0..persons).map(share).collect())
}

/// The covariance of persons times a vector of persons, but for a factor.
fn image(ratings: &Ratings, seen: &Seen, standard: &[(f64, f64)], vector: &[f64]) -> Vec<f64> {
    // Z'x: what a missing rating gives is the same for all items.
    let weight = |person: usize| if standard[person].1 > 0.0 { vector[person] / standard[person].1 } else { 0.0 };
    let missing: f64 = -(0..vector.len()).map(|person| weight(person) * standard[person].0).sum::<f64>();
    let mut of_items = vec![missing; ratings.items()];
    for (person, _) in standard.iter().enumerate() {
        let weight = weight(person);
        for (item, value) in ratings.of_person(person as u32) {
            of_items[item as usize] += weight * seen.value(value);
        }
    }
    let sum: f64 = of_items.iter().sum();
    let of_person = |(person, &(mean, deviation)): (usize, &(f64, f64))| {
        if deviation == 0.0 {
            return 0.0;
        }
        let rated: f64 =
            ratings.of_person(person as u32).map(|(item, value)| seen.value(value) * of_items[item as usize]).sum();
        (rated - mean * sum) / deviation
    };
    standard.iter().enumerate().map(of_person).collect()
}

/// Images of a space turned so that they belong to eigenvectors, the greatest first (Rayleigh and Ritz).
fn rotated(space: &[Vec<f64>], images: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = space.len();
    let mut matrix: Vec<Vec<f64>> =
        (0..size).map(|row| (0..size).map(|column| dot(&space[row], &images[column])).collect()).collect();
    let mut turn: Vec<Vec<f64>> =
        (0..size).map(|row| (0..size).map(|at| f64::from(u8::from(at == row))).collect()).collect();
    // Jacobi's rotations of a small symmetric matrix.
    for _ in 0..60 {
        for row in 0..size {
            for column in row + 1..size {
                let off = f64::midpoint(matrix[row][column], matrix[column][row]);
                if off.abs() < 1e-300 {
                    continue;
                }
                let angle = 0.5 * (2.0 * off).atan2(matrix[row][row] - matrix[column][column]);
                let (sine, cosine) = angle.sin_cos();
                for at in 0..size {
                    let (left, right) = (matrix[at][row], matrix[at][column]);
                    matrix[at][row] = cosine * left + sine * right;
                    matrix[at][column] = cosine * right - sine * left;
                    let (left, right) = (turn[at][row], turn[at][column]);
                    turn[at][row] = cosine * left + sine * right;
                    turn[at][column] = cosine * right - sine * left;
                }
                let (above, below) = matrix.split_at_mut(column);
                for (first, second) in above[row].iter_mut().zip(&mut below[0]) {
                    let (left, right) = (*first, *second);
                    *first = cosine * left + sine * right;
                    *second = cosine * right - sine * left;
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&left, &right| matrix[right][right].total_cmp(&matrix[left][left]));
    let turned = |&column: &usize| {
        let mut vector = vec![0.0; images[0].len()];
        for (row, image) in images.iter().enumerate() {
            let share = turn[row][column];
            vector.iter_mut().zip(image).for_each(|(own, image)| *own += share * image);
        }
        vector
    };
    order.iter().map(turned).collect()
}

/// Gram and Schmidt, twice. A vector that is nothing beside the others becomes nothing.
fn orthonormalise(space: &mut [Vec<f64>]) {
    for at in 0..space.len() {
        for _ in 0..2 {
            for before in 0..at {
                let (head, tail) = space.split_at_mut(at);
                let share = dot(&head[before], &tail[0]);
                tail[0].iter_mut().zip(&head[before]).for_each(|(own, other)| *own -= share * other);
            }
        }
        let norm = norm(&space[at]);
        space[at].iter_mut().for_each(|value| *value = if norm > 1e-150 { *value / norm } else { 0.0 });
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}
