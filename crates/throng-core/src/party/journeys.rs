//! Squared distances between the paths of several holders, on additive shares modulo 2^64.
//!
//! Papers     Giannotti and others. Mobility, Data Mining and Privacy (GeoPKDD), section 4.1: clustering by secret sharing, without a formula. Inan,
//!            Saygin. Privacy preserving spatio-temporal clustering on horizontally partitioned data. DaWaK 2006: a third party has the distances.
//!
//! # Idea
//! 1. A path is its places at D moments of a common clock, in whole metres east and north of a common origin: 2 D numbers below 2^20.
//! 2. Two holders get shares of all products of their paths with a dealer's help ([`product`](super::product)).
//! 3. Each turns its share into one of the squared distances with the norms of its own paths. Whoever has both shares has the distances.
//!
//! # Formula
//! |x − y|² = |x|² + |y|² − 2 x·y: alice's share is |x|² − 2 a, bob's |y|² − 2 b, with a + b = x·y modulo 2^64. It is below 2^53 for D = 1024, so nothing wraps.
//!
//! Does not   hide the distances from whoever is given both shares: with three of its own paths more than there are coordinates it could place all others.

use super::product::Matrix;
use crate::data::Paths;
use crate::data::paths::tracks::Tracks;
use crate::distance::DistanceMatrix;
use crate::distance::paths::clock::{Clock, MOST_METRES, from_squares, resampled};
use crate::{Error, Result};

/// The paths of a holder as numbers, a row each.
pub fn places(paths: &Paths, tracks: &Tracks, clock: Clock, origin: (f64, f64)) -> Result<Matrix> {
    let mut cells = Vec::with_capacity(tracks.len() * clock.moments * 2);
    for track in 0..tracks.len() {
        for metres in resampled(paths, tracks, track, clock, origin).into_iter().flatten() {
            if metres.abs() >= MOST_METRES {
                return Err(Error::refused(format!("a place is {MOST_METRES} m or more from the origin"))
                    .with_hint("distances on shares are of one region: take fewer places, or say where its middle is with `--origin LAT,LON`"));
            }
            cells.push(metres as u64);
        }
    }
    Ok(Matrix::new(clock.moments * 2, cells))
}

/// The squared length of a row.
fn norm(row: &[u64]) -> u64 {
    row.iter().fold(0u64, |sum, cell| sum.wrapping_add(cell.wrapping_mul(*cell)))
}

/// A holder's share of squared distances, from its share of products: rows are alice's paths, columns bob's.
pub fn distance_shares(own: &Matrix, products: &Matrix, own_are_rows: bool) -> Matrix {
    let norms: Vec<u64> = (0..own.rows()).map(|row| norm(own.row(row))).collect();
    let columns = products.columns();
    let share = |(at, product): (usize, &u64)| {
        let norm = norms[if own_are_rows { at / columns } else { at % columns }];
        norm.wrapping_sub(product.wrapping_mul(2))
    };
    Matrix::new(columns, products.cells().iter().enumerate().map(share).collect())
}

/// A holder's squared distances among its own paths: row `i` has those to `i + 1 ..`, rows one after the other.
pub fn own_distances(own: &Matrix) -> Vec<u64> {
    let products = own.times_rows_of(own);
    let norms: Vec<u64> = (0..own.rows()).map(|row| norm(own.row(row))).collect();
    let pairs = (0..own.rows()).flat_map(|one| (one + 1..own.rows()).map(move |other| (one, other)));
    pairs
        .map(|(one, other)| {
            norms[one].wrapping_add(norms[other]).wrapping_sub(products.row(one)[other].wrapping_mul(2))
        })
        .collect()
}

/// What carol has: squared distances within each holder, and between each two, holders in order.
#[derive(Debug)]
pub struct Squares {
    /// How many paths each holder has.
    pub sizes: Vec<usize>,
    /// Within each holder.
    pub within: Vec<Vec<u64>>,
    /// Between two holders, the earlier one's paths as rows.
    pub between: Vec<((usize, usize), Matrix)>,
}

impl Squares {
    /// The distances of all paths, those of the first holder first. `None` if a square is larger than any two paths can have.
    pub fn distances(&self, moments: usize) -> Option<DistanceMatrix> {
        let most = (2 * MOST_METRES as u64).pow(2) * 2 * moments as u64;
        let largest =
            self.within.iter().flatten().chain(self.between.iter().flat_map(|(_, squares)| squares.cells())).max();
        if largest.is_some_and(|&largest| largest > most) {
            return None;
        }
        let place = |track: usize| {
            let mut left = track;
            for (holder, &size) in self.sizes.iter().enumerate() {
                if left < size {
                    return (holder, left);
                }
                left -= size;
            }
            (self.sizes.len(), left)
        };
        let places: Vec<(usize, usize)> = (0..self.sizes.iter().sum()).map(place).collect();
        let squares = |one: usize, other: usize| {
            let ((holder, row), (second, column)) = (places[one], places[other]);
            if holder == second {
                // Rows before this one have one cell less each.
                return self.within[holder][row * self.sizes[holder] - row * (row + 1) / 2 + column - row - 1];
            }
            let found = self.between.iter().find(|(pair, _)| *pair == (holder, second));
            found.map_or(0, |(_, squares)| squares.row(row)[column])
        };
        Some(DistanceMatrix::from_fn(places.len(), |one, other| from_squares(squares(one, other), moments)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::product::tests::chi_squared;
    use super::super::product::{Help, KEY, deal};
    use super::*;
    use crate::data::paths::{PathsBuilder, Point};
    use crate::distance::paths::clock::{Extent, OnClock};
    use crate::progress::Silent;
    use crate::rng::Rng;

    fn walks(rng: &mut Rng, persons: usize, first: usize, spread: f64) -> PathsBuilder {
        let mut builder = PathsBuilder::default();
        for person in first..first + persons {
            for step in 0..1 + rng.below(6) as i64 {
                let place = [48.0, 11.0].map(|middle| middle + (rng.unit() - 0.5) * spread);
                let point = Point {
                    time: step * 60_000 + rng.below(50_000) as i64,
                    lat: place[0],
                    lon: place[1],
                    marks: [""; 4],
                };
                builder.push(&person.to_string(), point);
            }
        }
        builder
    }

    /// Shares of two holders that carol adds up are the distances of the pooled paths, to the last bit.
    #[test]
    fn distances_are_the_pooled_ones() {
        for seed in 0..8 {
            let mut rng = Rng::seeded(seed);
            let [one, other] = [walks(&mut rng, 5, 0, 2.0).finish(), walks(&mut rng, 7, 100, 2.0).finish()];
            let mut rng_again = Rng::seeded(seed);
            let mut pooled = walks(&mut rng_again, 5, 0, 2.0);
            pooled.append(walks(&mut rng_again, 7, 100, 2.0));
            let pooled = pooled.finish();
            let mut extent = Extent::of(&one);
            extent.add(Extent::of(&other));
            let origin = extent.origin();
            assert_eq!(origin, crate::distance::paths::clock::origin(&pooled));
            let (from, to) = pooled.time_span().unwrap();
            let clock = Clock { from, to, moments: 16 };
            let tracks = [&one, &other].map(Tracks::of_persons);
            let x = places(&one, &tracks[0], clock, origin).unwrap();
            let y = places(&other, &tracks[1], clock, origin).unwrap();
            let mut keys = [[0; KEY]; 2];
            keys.iter_mut().for_each(|key| rng.fill(key));
            let rows = [x.rows(), y.rows()];
            let alice = Help::of_alice(&keys[0], rows, x.columns());
            let bob = Help::of_bob(&keys[1], rows[1], x.columns(), deal(&keys[0], &keys[1], rows, x.columns()));
            let hers = distance_shares(&x, &alice.share_of_alice(&x, &bob.masked(&y)), true);
            let his = distance_shares(&y, &bob.share_of_bob(&alice.masked(&x)), false);
            let squares = Squares {
                sizes: rows.to_vec(),
                within: vec![own_distances(&x), own_distances(&y)],
                between: vec![((0, 1), hers.plus(&his))],
            };
            let found = squares.distances(clock.moments).unwrap();
            let expected =
                DistanceMatrix::compute(&OnClock::of(&pooled, &Tracks::of_persons(&pooled), clock, origin), &Silent);
            for left in 0..12 {
                for right in 0..12 {
                    assert_eq!(found.get(left, right), expected.get(left, right), "{left} {right}");
                }
            }
        }
    }

    /// What a holder sends carol is uniform, whether all paths are the same or not.
    #[test]
    fn shares_are_uniform() {
        let mut rng = Rng::seeded(2);
        for value in [0u64, 500_000] {
            let x = Matrix::new(4, vec![value; 4 * 60]);
            let mut keys = [[0; KEY]; 2];
            keys.iter_mut().for_each(|key| rng.fill(key));
            let alice = Help::of_alice(&keys[0], [60, 60], 4);
            let bob = Help::of_bob(&keys[1], 60, 4, deal(&keys[0], &keys[1], [60, 60], 4));
            let hers = distance_shares(&x, &alice.share_of_alice(&x, &bob.masked(&x)), true);
            let his = distance_shares(&x, &bob.share_of_bob(&alice.masked(&x)), false);
            assert!(hers.clone().plus(&his).cells().iter().all(|&square| square == 0));
            for share in [hers, his] {
                // Twice a uniform number: its lowest bit is the norm's.
                let halves: Vec<u64> = share.cells().iter().map(|cell| cell.rotate_right(1)).collect();
                let without_lowest: Vec<u64> = halves.iter().map(|cell| cell & !(0xff << 56)).collect();
                let chi = chi_squared(
                    &without_lowest
                        .iter()
                        .flat_map(|cell| cell.to_le_bytes()[..7].to_vec())
                        .collect::<Vec<u8>>()
                        .as_chunks::<8>()
                        .0
                        .iter()
                        .map(|bytes| u64::from_le_bytes(*bytes))
                        .collect::<Vec<u64>>(),
                );
                assert!(chi < 347.0, "{value} {chi}");
            }
        }
    }

    #[test]
    fn places_far_away_are_refused() {
        let paths = walks(&mut Rng::seeded(1), 2, 0, 0.1).finish();
        let clock = Clock { from: 0, to: 1, moments: 2 };
        assert!(places(&paths, &Tracks::of_persons(&paths), clock, (0.0, 0.0)).is_err());
    }
}
