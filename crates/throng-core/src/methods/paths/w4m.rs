//! W4M, wait for me: groups of at least k by edit distance, each path edited to the times of the one in the middle, and moved near it.
//!
//! Paper      Abul, Bonchi, Nanni. Anonymization of moving objects databases by clustering and perturbation. Information Systems 35 (2010).
//! Claims     k-delta-anonymity(k, delta).
//! Does not   make k records equal. Paths of a group have the times of one real path.
//!
//! # Idea
//! 1. Paths are as far apart as the edit distance on real sequences (EDR) says, divided by the longer one's points: points match within delta
//!    and within a period. Groups around pivots (`cylinder`).
//! 2. The axis of a group is its middle path. By the fewest edits that make it a member's path, each of the axis's points has a point of that
//!    member, or none.
//! 3. The middle at a point of the axis is the mean of the points that match it, the axis's own one of them. Every member has a point at
//!    that time: its own one, moved the least way into the disc around the middle, or, where it has none, the middle.
//! 4. Points of a member that none of the axis has are left out, and so are points of the axis at the time of an earlier one.
//!
//! # Readings
//! The paper puts points that a member does not have at random into the disc; here they are in its middle, so that nothing is made up beyond
//! that. Its axis is the pivot; the middle path needs fewer edits.
//!
//! # Cost
//! Time O(n² · points² / 64) up to 2,000 persons, above that in blocks of neighbours; memory a matrix of a block.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::cylinder::{self, DELTA, TRASH, blocks, groups, mean, most_trash, pulled};
use super::floored;
use super::nwa::PERIOD;
use crate::data::paths::Point;
use crate::data::paths::tracks::Tracks;
use crate::data::{Paths, PathsBuilder};
use crate::distance::DistanceMatrix;
use crate::distance::paths::edit::{Edit, Edits, Sort, Within, script};
use crate::error::{Error, Result};
use crate::info::{self, Info};
use crate::methods::queries::user_microaggregation::TIME_RESOLUTION;
use crate::methods::refusals::{PERSONS, check_enough};
use crate::methods::{Method, shown_parameters};
use crate::partition::mdav::medoid;
use crate::progress::{Progress, Quiet};
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "w4m",
    summary: "groups of at least k by edit distance, edited to the times of the middle path and moved near it",
    paper: "Abul, Bonchi, Nanni. Anonymization of moving objects databases by clustering and perturbation. Information Systems 35 (2010)",
    details: "Two paths are as far apart as the edit distance on real sequences says: points match if they are within `--delta` metres and within \
        `--period` of each other. Pivots that are far from each other take their k - 1 nearest within a distance, which grows until at most `--trash` \
        of the paths are left out. In a group everybody gets the times of the middle path: a point that the edits put beside one of its points is \
        moved the least way into a disc with the diameter `--delta` around the mean of the points that match there; where there is none the mean \
        stands; all others go. Names of places, cells, trips and labels are left out.\n\
        It claims k-delta-anonymity, which is weaker than k equal records: whoever knows a place better than to delta tells paths of a group \
        apart. Where nobody else was near a point of the middle path, that point is published as it was.",
    parameters: &[info::K, DELTA, TRASH, PERIOD, TIME_RESOLUTION],
};

/// The share of edits with which the search for groups begins.
const FIRST_RADIUS: f64 = 0.1;

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The least size of a group.
    pub k: usize,
    /// The diameter of the cylinder, in metres.
    pub delta: f64,
    /// The share of the paths that may be left out.
    pub trash: f64,
    /// Points match within so many seconds.
    pub period: u64,
    /// Times are rounded down to multiples of so many seconds.
    pub time_resolution: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, delta: 2000.0, trash: 0.1, period: 86_400, time_resolution: 1 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct W4m {
    params: Params,
}

impl W4m {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors = cylinder::check(params.k, params.delta, params.trash, params.period);
        errors.extend(super::check_resolution(params.time_resolution));
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }

    /// The paths of the members of a group around its axis; members and axis are places in the space.
    fn edited(
        &self,
        paths: &Paths,
        tracks: &Tracks,
        space: &Edits,
        members: &[u32],
        axis: u32,
    ) -> Vec<Vec<Point<'static>>> {
        let within = self.within();
        let place = |track: u32, point: usize| paths.place(tracks.range(track as usize).start + point);
        let kept = self.kept(paths, tracks, axis);
        // For each member, what of it stands beside each point of the axis, and whether that matches.
        let beside = |&member: &u32| -> Vec<Option<(usize, bool)>> {
            let mut beside = vec![None; space.spots(axis as usize).len()];
            for edit in script(space.spots(member as usize), space.spots(axis as usize), within) {
                match edit {
                    Edit::Match(own, at) => beside[at] = Some((own, true)),
                    Edit::Replace(own, at) => beside[at] = Some((own, false)),
                    Edit::Delete(_) | Edit::Insert(..) => {}
                }
            }
            beside
        };
        let all: Vec<Vec<Option<(usize, bool)>>> = members.iter().map(beside).collect();
        let middles: Vec<(f64, f64)> = kept
            .iter()
            .map(|&(at, _)| {
                let matching = members.iter().zip(&all).filter_map(|(&member, beside)| match beside[at] {
                    Some((own, true)) => Some(place(member, own)),
                    _ => None,
                });
                mean(matching)
            })
            .collect();
        let path = |(&member, beside): (&u32, &Vec<Option<(usize, bool)>>)| {
            let point = |(&(at, time), &middle): (&(usize, i64), &(f64, f64))| {
                let own = beside[at].map_or(middle, |(own, _)| place(member, own));
                let (lat, lon) = pulled(middle, own, self.params.delta);
                Point { time, lat, lon, marks: [""; 4] }
            };
            kept.iter().zip(&middles).map(point).collect()
        };
        members.iter().zip(&all).map(path).collect()
    }

    /// The points of an axis with their times as they are published, each later than the one before.
    fn kept(&self, paths: &Paths, tracks: &Tracks, axis: u32) -> Vec<(usize, i64)> {
        let range = tracks.range(axis as usize);
        let time = |at: usize| floored(paths.time(range.start + at), self.params.time_resolution);
        let mut kept: Vec<(usize, i64)> = (0..range.len()).map(|at| (at, time(at))).collect();
        kept.dedup_by_key(|(_, time)| *time);
        kept
    }

    fn within(&self) -> Within {
        Within { metres: self.params.delta, millis: (self.params.period as i64).saturating_mul(1000) }
    }
}

impl Method<Paths> for W4m {
    fn protect(&self, original: &Paths, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Paths>> {
        let Params { k, delta, trash, .. } = self.params;
        check_enough(original.persons(), k, PERSONS)?;
        progress.stage("groups", original.persons() as u64);
        let everybody: Vec<u32> = (0..original.persons() as u32).collect();
        let mut builder = PathsBuilder::default();
        let mut record_of = vec![None; original.persons()];
        let mut records = 0;
        for block in blocks(original, &everybody, k) {
            let tracks = Tracks::of(original, &block);
            let space = Edits::of(original, &tracks, Sort::Edr, self.within());
            let distances = DistanceMatrix::compute(&space, &Quiet(progress));
            progress.go_on()?;
            let found = groups(&distances, k, FIRST_RADIUS, most_trash(trash, block.len()));
            let edited =
                |members: &Vec<u32>| self.edited(original, &tracks, &space, members, medoid(&distances, members));
            let paths: Vec<Vec<Vec<Point<'static>>>> = found.members.par_iter().map(edited).collect();
            for (members, paths) in found.members.iter().zip(paths) {
                for (&member, points) in members.iter().zip(paths) {
                    let name = records.to_string();
                    points.into_iter().for_each(|point| builder.push(&name, point));
                    record_of[block[member as usize] as usize] = Some(records);
                    records += 1;
                }
            }
            progress.advance(block.len() as u64);
        }
        Ok(Protected::new(builder.finish(), record_of, vec![cylinder::claim(k, delta)]))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Model;
    use crate::models::digests::Digests;
    use crate::models::k_delta_anonymity::{self, KDeltaAnonymity};
    use crate::models::written_paths::WrittenPaths;
    use crate::progress::Silent;
    use crate::synth::paths::PathsSynth;

    const MINUTE: i64 = 60_000;

    fn paths(points: &[(&str, i64, f64)]) -> Paths {
        let mut builder = PathsBuilder::default();
        for &(person, minute, metres) in points {
            let point = Point { time: minute * MINUTE, lat: metres / 111_195.08, lon: 0.0, marks: ["x", "", "", ""] };
            builder.push(person, point);
        }
        builder.finish()
    }

    /// Two go to 0, 1000 and 2000 m; the second five minutes later, 80 m beside, and by a stop far away. Within 100 m: the stop goes, the
    /// middle is 40 m away, and both come to 50 m of it. The first is the axis, for both are as far from each other.
    #[test]
    fn by_hand() {
        let original = paths(&[
            ("a", 0, 0.0),
            ("a", 10, 1000.0),
            ("a", 20, 2000.0),
            ("b", 5, 80.0),
            ("b", 12, 9000.0),
            ("b", 15, 1080.0),
            ("b", 25, 2180.0),
        ]);
        let params = Params { k: 2, delta: 100.0, ..Params::default() };
        let released = W4m::new(params).unwrap().protect(&original, &mut Rng::seeded(1), &Silent).unwrap();
        let records = &released.records;
        let found = |person: usize| -> Vec<(i64, f64)> {
            let record = released.record_of[person].unwrap() as usize;
            let metres = |point: usize| (records.place(point).0 * 111_195.08).round();
            records.range(record).map(|point| (records.time(point) / MINUTE, metres(point))).collect()
        };
        assert_eq!(found(0), [(0, 0.0), (10, 1000.0), (20, 2000.0)]);
        // The last one is 180 m away and does not match: it is replaced, and comes to 50 m of the axis.
        assert_eq!(found(1), [(0, 80.0), (10, 1080.0), (20, 2050.0)]);
    }

    /// Of made-up people: the claim holds as the model sees it, and no more than a tenth is left out.
    #[test]
    fn the_claim_holds() {
        let params = crate::synth::paths::Params { persons: 40, days: 3, seed: 6 };
        let original = PathsSynth::new(params).unwrap().block(0..40);
        for (k, delta) in [(2, 50.0), (5, 2000.0), (10, 100_000.0)] {
            let method = W4m::new(Params { k, delta, ..Params::default() }).unwrap();
            let released = method.protect(&original, &mut Rng::seeded(1), &Silent).unwrap();
            assert!(released.record_of.iter().filter(|record| record.is_none()).count() <= 4);
            let written = WrittenPaths { digests: Digests::new(), paths: released.records };
            let model = KDeltaAnonymity::new(k_delta_anonymity::Params { k, delta }).unwrap();
            let verdict = model.check(&written).unwrap();
            assert!(verdict.holds, "{k} {delta} {:?}", verdict.achieved);
        }
    }
}
