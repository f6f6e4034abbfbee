//! What places and hours people have in common: how alike two persons are, for groups.
//!
//! # Idea
//! A person is a vector over tiles of zoom 16, 14 and 12 and the hours of the week: the square root of how often they were there, times
//! the logarithm of how few others ever were, so that a rare place counts more than the main station. Persons are as far apart as their
//! vectors' cosine is from 1.
//!
//! # Cost
//! A number for each different tile and hour of a person; a comparison goes through two persons' numbers once.

use rayon::prelude::*;

use crate::data::Paths;
use crate::data::time::HOUR;
use crate::distance::{DistanceMatrix, Pairwise, Selected};
use crate::error::Result;
use crate::geo::tile::Tile;
use crate::partition::Partition;
use crate::partition::blocks::Sketches;
use crate::partition::grouping::{Comparable, How, microaggregated};
use crate::partition::mdav::medoid;
use crate::progress::Progress;

/// The zooms that are compared, with what each counts.
const ZOOMS: [(u8, f32); 3] = [(16, 0.5), (14, 1.0), (12, 1.0)];
/// What hours of the week count.
const HOURS: f32 = 0.25;

/// The vectors of all persons.
pub(super) struct Habits {
    vectors: Vec<Vec<(u32, f32)>>,
    dimensions: usize,
}

/// A tile of a zoom, or an hour of the week under a zoom that there is not.
type Feature = (u8, u64);

impl Habits {
    pub(super) fn of(paths: &Paths) -> Self {
        let counts = |person: usize| counts_of(paths, person);
        let counts: Vec<Vec<(Feature, u32)>> =
            (0..paths.persons()).into_par_iter().with_min_len(16).map(counts).collect();
        let mut features: Vec<Feature> = counts.iter().flatten().map(|&(feature, _)| feature).collect();
        features.par_sort_unstable();
        // How many persons have each; what one alone has is in no other's vector.
        let (mut shared, mut persons_with) = (Vec::new(), Vec::new());
        for same in features.chunk_by(|left, right| left == right).filter(|same| same.len() > 1) {
            shared.push(same[0]);
            persons_with.push(same.len());
        }
        let all = paths.persons().max(1) as f32;
        let weighed = |own: &Vec<(Feature, u32)>| {
            let mut vector = Vec::with_capacity(own.len());
            let mut norm = 0.0_f32;
            for &(feature, count) in own {
                let at = shared.binary_search(&feature).ok();
                let with = at.map_or(1, |at| persons_with[at]) as f32;
                let scale = ZOOMS.iter().find(|(zoom, _)| *zoom == feature.0).map_or(HOURS, |(_, scale)| *scale);
                let value = scale * (count as f32).sqrt() * (1.0 + all / with).ln();
                norm += value * value;
                vector.extend(at.map(|at| (at as u32, value)));
            }
            let norm = norm.sqrt().max(f32::MIN_POSITIVE);
            vector.iter_mut().for_each(|(_, value)| *value /= norm);
            vector
        };
        Self { vectors: counts.par_iter().map(weighed).collect(), dimensions: shared.len().max(1) }
    }
}

/// How often a person was where and when, in the order of features.
fn counts_of(paths: &Paths, person: usize) -> Vec<(Feature, u32)> {
    let mut features: Vec<Feature> = Vec::with_capacity(4 * paths.range(person).len());
    for point in paths.range(person) {
        let (lat, lon) = paths.place(point);
        let finest = Tile::at(lat, lon, ZOOMS[0].0);
        features.extend(ZOOMS.map(|(zoom, _)| (zoom, finest.inside(zoom).code())));
        // 1970 began on a Thursday; where a week begins does not matter.
        features.push((u8::MAX, paths.time(point).div_euclid(HOUR).rem_euclid(168) as u64));
    }
    features.sort_unstable();
    features.chunk_by(|left, right| left == right).map(|same| (same[0], same.len() as u32)).collect()
}

impl Pairwise for Habits {
    type Scratch = ();

    fn len(&self) -> usize {
        self.vectors.len()
    }

    fn scratch(&self) {}

    fn distance(&self, left: usize, right: usize, (): &mut ()) -> f64 {
        let (mut own, mut other) = (self.vectors[left].as_slice(), self.vectors[right].as_slice());
        let mut product = 0.0_f32;
        while let ([(own_at, own_value), own_rest @ ..], [(other_at, other_value), other_rest @ ..]) = (own, other) {
            match own_at.cmp(other_at) {
                std::cmp::Ordering::Less => own = own_rest,
                std::cmp::Ordering::Greater => other = other_rest,
                std::cmp::Ordering::Equal => {
                    product += own_value * other_value;
                    (own, other) = (own_rest, other_rest);
                }
            }
        }
        f64::from((1.0 - product).clamp(0.0, 1.0))
    }
}

impl Sketches for Habits {
    fn len(&self) -> usize {
        self.vectors.len()
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        into.extend_from_slice(&self.vectors[record]);
    }

    fn work(&self, record: usize) -> u64 {
        self.vectors[record].len() as u64 + 8
    }
}

impl Comparable for Habits {
    type Compared = DistanceMatrix;

    const WHOLE: usize = 3_000;
    const BLOCK: usize = 1_000;
    const WORK: u64 = 400_000_000;
    const IS_REFINED: bool = true;

    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<DistanceMatrix> {
        Ok(DistanceMatrix::compute(&Selected { space: self, records: block }, progress))
    }

    fn group(&self, compared: &DistanceMatrix, how: How<'_>, progress: &dyn Progress) -> Partition {
        microaggregated(compared, how, progress)
    }

    fn centre(&self, compared: &DistanceMatrix, members: &[u32]) -> u32 {
        medoid(compared, members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::paths::{PathsBuilder, Point};

    /// Whoever shares a rare place is nearer than whoever shares a common one; nothing shared is 1 apart but for the hours.
    #[test]
    fn rare_places_count_more() {
        let mut builder = PathsBuilder::default();
        for (person, places) in [[1.0, 2.0], [1.0, 2.5], [3.0, 2.0], [4.0, 2.5], [5.0, 2.5]].iter().enumerate() {
            for (hour, &lat) in places.iter().enumerate() {
                let time = (person as i64 * 2 + hour as i64) * HOUR;
                builder.push(&person.to_string(), Point { time, lat, lon: 0.0, marks: [""; 4] });
            }
        }
        let habits = Habits::of(&builder.finish());
        let between = |left, right| habits.distance(left, right, &mut ());
        assert!(between(0, 1) < between(1, 3) - 0.01, "{} {}", between(0, 1), between(1, 3));
        assert!(between(0, 0) < 1.0);
        assert_eq!(between(0, 3), 1.0);
        assert_eq!(between(1, 0), between(0, 1));
    }
}
