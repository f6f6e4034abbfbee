//! Route distance: how far apart two ways are, whenever they were gone.
//!
//! Paper      Ours, after the modified Hausdorff distance of Dubuisson, Jain (ICPR 1994).
//!
//! # Formula
//! The mean distance from a point of one path to the nearest point of the other, averaged over both directions, in metres.
//!
//! # Cost
//! Time O(points · points) a pair; whole rows of points that are too far away are skipped. Memory 24 bytes a point.

use super::super::Pairwise;
use crate::data::Paths;
use crate::data::paths::tracks::Tracks;
use crate::geo::Vector;

/// Paths as points on the sphere; a place that follows itself counts once with its number of times.
#[derive(Debug)]
pub struct Routes {
    paths: Vec<Vec<(Vector, f64)>>,
}

impl Routes {
    /// All tracks.
    pub fn of(paths: &Paths, tracks: &Tracks) -> Self {
        let route = |track: usize| {
            let mut places: Vec<(f64, f64)> = tracks.range(track).map(|point| paths.place(point)).collect();
            places.sort_unstable_by(|left, right| left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1)));
            places.chunk_by(|left, right| left == right).map(|same| (Vector::of(same[0]), same.len() as f64)).collect()
        };
        Self { paths: (0..tracks.len()).map(route).collect() }
    }

    /// The mean distance from a point of one path to the nearest of another, in kilometres.
    fn one_way(from: &[(Vector, f64)], to: &[(Vector, f64)]) -> f64 {
        let square = |left: Vector, right: Vector| -> f64 {
            left.0.iter().zip(right.0).map(|(own, other)| (own - other).powi(2)).sum()
        };
        let nearest = |own: Vector| {
            // Places are in the order of latitude, which is the third direction: whatever is farther away in it alone is too far.
            let start = to.partition_point(|other| other.0.0[2] < own.0[2]);
            let mut least = f64::INFINITY;
            for &(other, _) in &to[start..] {
                if (other.0[2] - own.0[2]).powi(2) >= least {
                    break;
                }
                least = least.min(square(own, other));
            }
            for &(other, _) in to[..start].iter().rev() {
                if (other.0[2] - own.0[2]).powi(2) >= least {
                    break;
                }
                least = least.min(square(own, other));
            }
            least.sqrt() * crate::geo::RADIUS
        };
        let all: f64 = from.iter().map(|(_, times)| times).sum();
        from.iter().map(|&(own, times)| times * nearest(own)).sum::<f64>() / all
    }
}

impl Pairwise for Routes {
    type Scratch = ();

    fn len(&self) -> usize {
        self.paths.len()
    }

    fn scratch(&self) {}

    fn distance(&self, left: usize, right: usize, (): &mut ()) -> f64 {
        let (left, right) = (&self.paths[left.min(right)], &self.paths[left.max(right)]);
        1000.0 * f64::midpoint(Self::one_way(left, right), Self::one_way(right, left))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::paths::{PathsBuilder, Point};

    proptest! {
        /// The same as by looking at every pair of points.
        #[test]
        fn as_by_every_pair(points in prop::collection::vec((0..2_usize, -900..900_i32, -900..900_i32), 2..24)) {
            let mut builder = PathsBuilder::default();
            for (time, (person, lat, lon)) in (0..).zip(&points) {
                let (lat, lon) = (f64::from(*lat) / 1e5 + 47.0, f64::from(*lon) / 1e5);
                builder.push(["a", "b"][*person], Point { time, lat, lon, marks: [""; 4] });
            }
            let paths = builder.finish();
            prop_assume!(paths.persons() == 2);
            let nearest = |point: usize, other: usize| {
                paths.range(other).map(|to| Vector::of(paths.place(point)).chord(Vector::of(paths.place(to)))).fold(f64::MAX, f64::min)
            };
            let one_way = |own: usize, other: usize| {
                paths.range(own).map(|point| nearest(point, other)).sum::<f64>() / paths.range(own).len() as f64
            };
            let plain = 500.0 * (one_way(0, 1) + one_way(1, 0));
            let found = Routes::of(&paths, &Tracks::of_persons(&paths)).distance(0, 1, &mut ());
            prop_assert!((found - plain).abs() < 1e-6 * plain.max(1.0), "{found} {plain}");
        }
    }
}
