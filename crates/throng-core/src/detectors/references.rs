//! Slow and obvious: what each score says, word by word.

use crate::data::ratings::Ratings;

fn count(ratings: &Ratings, item: u32) -> f64 {
    ratings.of_item(item).len() as f64
}

fn mean(ratings: &Ratings, item: u32) -> f64 {
    ratings.of_item(item).map(|(_, value)| value).sum::<f64>() / count(ratings, item)
}

pub(super) fn weighed_deviation(ratings: &Ratings, power: i32) -> Vec<f64> {
    let score = |person: u32| {
        let own: Vec<(u32, f64)> = ratings.of_person(person).collect();
        let sum: f64 = own
            .iter()
            .map(|&(item, value)| (value - mean(ratings, item)).abs() / count(ratings, item).powi(power))
            .sum();
        sum / own.len() as f64
    };
    (0..ratings.persons() as u32).map(score).collect()
}

pub(super) fn degsim(ratings: &Ratings) -> Vec<f64> {
    let score = |person: u32| {
        let mut similar: Vec<f64> = Vec::new();
        for other in (0..ratings.persons() as u32).filter(|&other| other != person) {
            let both: Vec<(f64, f64)> = ratings
                .of_person(person)
                .filter_map(|(item, value)| Some((value, ratings.get(other, item)?)))
                .collect();
            if both.len() < 3 {
                continue;
            }
            let count = both.len() as f64;
            let (left, right) = (
                both.iter().map(|pair| pair.0).sum::<f64>() / count,
                both.iter().map(|pair| pair.1).sum::<f64>() / count,
            );
            let product: f64 = both.iter().map(|pair| (pair.0 - left) * (pair.1 - right)).sum();
            let squares: (f64, f64) = (
                both.iter().map(|pair| (pair.0 - left).powi(2)).sum(),
                both.iter().map(|pair| (pair.1 - right).powi(2)).sum(),
            );
            if squares.0 > 1e-9 && squares.1 > 1e-9 {
                similar.push(product / (squares.0 * squares.1).sqrt());
            }
        }
        similar.sort_by(|left, right| right.total_cmp(left));
        similar.truncate(20);
        if similar.is_empty() { 0.0 } else { similar.iter().sum::<f64>() / similar.len() as f64 }
    };
    (0..ratings.persons() as u32).map(score).collect()
}

pub(super) fn alike(ratings: &Ratings, person: u32, other: u32) -> f64 {
    let mut union: Vec<u32> = ratings.of_person(person).chain(ratings.of_person(other)).map(|(item, _)| item).collect();
    union.sort_unstable();
    union.dedup();
    let equal = union
        .iter()
        .filter(|&&item| ratings.get(person, item).is_some() && ratings.get(person, item) == ratings.get(other, item))
        .count();
    equal as f64 / union.len() as f64
}

pub(super) fn triples(ratings: &Ratings) -> Vec<f64> {
    let persons = ratings.persons() as u32;
    let score = |person: u32| {
        let mut best: f64 = 0.0;
        for other in (0..persons).filter(|&other| other != person) {
            for third in (0..persons).filter(|&third| third != person && third != other) {
                let least =
                    alike(ratings, person, other).min(alike(ratings, person, third)).min(alike(ratings, other, third));
                best = best.max(least);
            }
        }
        best
    };
    (0..persons).map(score).collect()
}

/// The covariance of persons over all items, what is missing being 0, and the first three eigenvectors by plain power iteration.
pub(super) fn first_shares(ratings: &Ratings) -> Vec<f64> {
    let (persons, items) = (ratings.persons(), ratings.items());
    let rows: Vec<Vec<f64>> = (0..persons as u32)
        .map(|person| {
            let mut row = vec![0.0; items];
            ratings.of_person(person).for_each(|(item, value)| row[item as usize] = value);
            let mean = row.iter().sum::<f64>() / items as f64;
            let deviation = (row.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / items as f64).sqrt();
            row.iter().map(|value| if deviation > 0.0 { (value - mean) / deviation } else { 0.0 }).collect()
        })
        .collect();
    let mut matrix: Vec<Vec<f64>> = rows
        .iter()
        .map(|left| {
            rows.iter().map(|right| left.iter().zip(right).map(|(l, r)| l * r).sum::<f64>() / items as f64).collect()
        })
        .collect();
    let mut shares = vec![0.0; persons];
    for _ in 0..3 {
        let mut vector: Vec<f64> = (0..persons).map(|at| 1.0 + (at as f64).sin()).collect();
        for _ in 0..20_000 {
            let next: Vec<f64> = matrix.iter().map(|row| row.iter().zip(&vector).map(|(l, r)| l * r).sum()).collect();
            let norm = next.iter().map(|value: &f64| value * value).sum::<f64>().sqrt();
            vector = next.iter().map(|value| value / norm).collect();
        }
        let image: Vec<f64> = matrix.iter().map(|row| row.iter().zip(&vector).map(|(l, r)| l * r).sum()).collect();
        let value: f64 = image.iter().zip(&vector).map(|(l, r)| l * r).sum();
        for row in 0..persons {
            shares[row] += vector[row] * vector[row];
            for column in 0..persons {
                matrix[row][column] -= value * vector[row] * vector[column];
            }
        }
    }
    shares
}
