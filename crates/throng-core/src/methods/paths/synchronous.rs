//! Paths at the same moments: each resampled along its own time, so that paths of other spans can be compared and averaged.

use crate::data::Paths;
use crate::data::paths::tracks::place_at;
use crate::distance::{DistanceMatrix, Pairwise, Selected};
use crate::error::Result;
use crate::geo::Vector;
use crate::partition::Partition;
use crate::partition::blocks::Sketches;
use crate::partition::grouping::{Comparable, How, microaggregated};
use crate::partition::mdav::medoid;
use crate::progress::Progress;

/// At so many moments paths are compared.
const MOMENTS: usize = 20;

/// The paths of all persons at the same shares of their own time.
pub(super) struct Synchronous {
    places: Vec<[Vector; MOMENTS]>,
}

impl Synchronous {
    /// All of them; nobody is without points.
    pub(super) fn of(paths: &Paths) -> Self {
        let place =
            |person: usize, moment: usize| Vector::of(at(paths, person, time_of(paths, person, moment, MOMENTS)));
        let places = |person: usize| std::array::from_fn(|moment| place(person, moment));
        Self { places: (0..paths.persons()).map(places).collect() }
    }
}

/// The time of a moment of a person, of so many that are as far apart from the first to the last point.
pub(super) fn time_of(paths: &Paths, person: usize, moment: usize, moments: usize) -> i64 {
    let range = paths.range(person);
    let (Some(first), Some(last)) = (range.clone().next(), range.last()) else { return 0 };
    let (from, to) = (paths.time(first), paths.time(last));
    let steps = moments.max(2) as i128 - 1;
    from + (i128::from(to - from) * moment as i128 / steps) as i64
}

/// Where a person was at a time.
pub(super) fn at(paths: &Paths, person: usize, time: i64) -> (f64, f64) {
    place_at(paths, paths.range(person), time)
}

impl Pairwise for Synchronous {
    type Scratch = ();

    fn len(&self) -> usize {
        self.places.len()
    }

    fn scratch(&self) {}

    fn distance(&self, left: usize, right: usize, (): &mut ()) -> f64 {
        let pairs = self.places[left].iter().zip(&self.places[right]);
        pairs.map(|(own, other)| own.chord(*other)).sum::<f64>() / MOMENTS as f64
    }
}

impl Sketches for Synchronous {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn dimensions(&self) -> usize {
        3 * MOMENTS
    }

    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        into.extend(
            (0..).zip(self.places[record].iter().flat_map(|place| place.0)).map(|(at, value)| (at, value as f32)),
        );
    }

    fn work(&self, _record: usize) -> u64 {
        MOMENTS as u64
    }
}

impl Comparable for Synchronous {
    type Compared = DistanceMatrix;

    const WHOLE: usize = 3_000;
    const BLOCK: usize = 1_000;
    const WORK: u64 = u64::MAX;
    const IS_REFINED: bool = false;

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

    #[test]
    fn moments_of_a_person() {
        let mut builder = PathsBuilder::default();
        for (time, lon) in [(0, 0.0), (100, 10.0), (100, 20.0), (200, 40.0)] {
            builder.push("a", Point { time, lat: 0.0, lon, marks: [""; 4] });
        }
        let paths = builder.finish();
        assert_eq!([0, 1, 2].map(|moment| time_of(&paths, 0, moment, 3)), [0, 100, 200]);
        assert_eq!(time_of(&paths, 0, 0, 1), 0);
    }
}
