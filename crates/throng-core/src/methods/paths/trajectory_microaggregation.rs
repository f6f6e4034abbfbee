//! Microaggregation of trajectories: groups by MDAV over synchronised paths, each published with its mean path.
//!
//! Paper      Domingo-Ferrer, Trujillo-Rasua. Microaggregation- and permutation-based anonymization of movement data. Information Sciences
//!            208 (2012).
//! Claims     user-k-anonymity(k).
//! Does not   keep places: the mean of several paths is where nobody was, unless they went the same way at the same time.
//!
//! # Idea
//! 1. Two paths are as far apart as their positions on average, at 20 moments from the first to the last point of each.
//! 2. MDAV makes groups of k to 2k − 1.
//! 3. A group's record has as many points as its members on average: at each share of their own time the mean of their positions and of
//!    their times.
//!
//! # Readings
//! Ours: the paper's distance for paths of different spans goes over a graph of paths that overlap in time; here each path is resampled
//! along its own time, so that every two can be compared. Means are of points on the sphere.
//!
//! # Cost
//! Time O(n²) comparisons up to 3,000 persons, above that in blocks of 1,000; memory a matrix of a block a thread.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::synchronous::{Synchronous, at, time_of};
use crate::data::paths::Point;
use crate::data::{Paths, PathsBuilder};
use crate::distance::DistanceMatrix;
use crate::error::{Error, Result};
use crate::geo::Vector;
use crate::info::{self, Info};
use crate::methods::queries::user_microaggregation::TIME_RESOLUTION;
use crate::methods::refusals::{PERSONS, check_enough, check_k};
use crate::methods::{Method, shown_parameters};
use crate::models::k_anonymity;
use crate::partition::grouping::{BLOCK_SIZE, EXACT, Least, Plan};
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "trajectory-microaggregation",
    summary: "groups of at least k whose paths are near each other at the same moments, all published with their mean path",
    paper: "Domingo-Ferrer, Trujillo-Rasua. Microaggregation- and permutation-based anonymization of movement data. Information Sciences \
            208 (2012)",
    details: "Two paths are compared at 20 moments, from the first to the last point of each; MDAV makes groups of k to 2k - 1. A group's record \
        has as many points as its members on average, each the mean of where the members were at that share of their time, and of when. Names \
        of places, cells, trips and labels are left out.\n\
        It claims user-k-anonymity. The mean of several paths is a place where nobody was, unless they went the same way: heat maps and flows \
        of a release say little. It is here to compare with.",
    parameters: &[info::K, TIME_RESOLUTION, EXACT, BLOCK_SIZE],
};

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The least size of a group.
    pub k: usize,
    /// Times are rounded down to multiples of so many seconds.
    pub time_resolution: u64,
    /// The whole data at once.
    pub exact: bool,
    /// The size of blocks; 0 leaves it to us.
    pub block_size: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, time_resolution: 1, exact: false, block_size: 0 }
    }
}

impl Params {
    fn plan(&self) -> Plan {
        Plan { is_exact: self.exact, block_size: self.block_size }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct TrajectoryMicroaggregation {
    params: Params,
}

impl TrajectoryMicroaggregation {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        errors.extend(params.plan().check(params.k));
        errors.extend(super::check_resolution(params.time_resolution));
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Paths> for TrajectoryMicroaggregation {
    fn protect(&self, original: &Paths, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Paths>> {
        let Params { k, time_resolution, .. } = self.params;
        check_enough(original.persons(), k, PERSONS)?;
        self.params.plan().refuse_too_many::<Synchronous>(original.persons(), k, DistanceMatrix::bytes)?;
        let groups = self.params.plan().groups(&Synchronous::of(original), Least { k, wishes: &[] }, progress)?;
        let means: Vec<Vec<Point<'_>>> =
            groups.members.par_iter().map(|members| mean_path(original, members, time_resolution)).collect();
        progress.go_on()?;
        let mut builder = PathsBuilder::default();
        for (record, points) in means.iter().enumerate() {
            points.iter().for_each(|point| builder.push(&record.to_string(), *point));
        }
        let claims = vec![Claim::new(&k_anonymity::USER, [("k", json!(k))])];
        let record_of = groups.record_of(original.persons());
        Ok(Protected::new(builder.finish(), record_of, claims).grouped(groups.grouped))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

/// The mean path of some persons.
fn mean_path(paths: &Paths, members: &[u32], resolution: u64) -> Vec<Point<'static>> {
    let points: usize = members.iter().map(|&member| paths.range(member as usize).len()).sum();
    let length = ((2 * points + members.len()) / (2 * members.len())).max(1);
    let point = |moment: usize| {
        let (mut place, mut times) = (Vector([0.0; 3]), 0_i128);
        for &member in members {
            let time = time_of(paths, member as usize, moment, length);
            place.add(Vector::of(at(paths, member as usize, time)));
            times += i128::from(time);
        }
        let (lat, lon) = place.place();
        let time = super::floored(times.div_euclid(members.len() as i128) as i64, resolution);
        Point { time, lat, lon, marks: [""; 4] }
    };
    (0..length).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    /// Two straight ways side by side have the one between them as their mean, at the mean times.
    #[test]
    fn the_mean_of_two_ways() {
        let mut builder = PathsBuilder::default();
        for (person, lat, start) in [("a", 0.0, 0), ("b", 1.0, 20_000), ("c", 40.0, 0), ("d", 41.0, 0)] {
            for step in 0..3 {
                let point = Point { time: start + step * 10_000, lat, lon: step as f64, marks: ["x", "", "", ""] };
                builder.push(person, point);
            }
        }
        let original = builder.finish();
        let method = TrajectoryMicroaggregation::new(Params { k: 2, ..Params::default() }).unwrap();
        let protected = method.protect(&original, &mut Rng::seeded(1), &Silent).unwrap();
        assert_eq!(protected.record_of[0], protected.record_of[1]);
        let record = protected.record_of[0].unwrap() as usize;
        let found: Vec<(i64, (f64, f64))> = protected
            .records
            .range(record)
            .map(|point| (protected.records.time(point), protected.records.place(point)))
            .collect();
        assert_eq!(found.iter().map(|point| point.0).collect::<Vec<_>>(), [10_000, 20_000, 30_000]);
        for (step, (_, (lat, lon))) in found.iter().enumerate() {
            assert!((lat - 0.5).abs() < 1e-3 && (lon - step as f64).abs() < 1e-6, "{lat} {lon}");
        }
    }

    #[test]
    fn refused() {
        let said =
            TrajectoryMicroaggregation::new(Params { k: 1, time_resolution: 0, ..Params::default() }).unwrap_err();
        assert!(said.to_string().contains("`k`") && said.to_string().contains("time-resolution"), "{said}");
    }
}
