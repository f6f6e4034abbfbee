//! Generalised paths: each group is published with the finest cells and times in which all of its members were.
//!
//! Paper      Ours; after the generalisation of cells and times that reviews of published mobility data describe.
//! Claims     user-k-anonymity(k).
//! Does not   keep how often anybody was anywhere, nor anything that one member did not do.
//!
//! # Idea
//! 1. Cells and bins of time are coarsened together: 1 hour in a tile of zoom 16, 6 hours in 15, 1 day in 14, 1 day in 12, 7 days in 10,
//!    28 days in 8, 364 days in 6, ten years in the whole map. Each step lies in the next.
//! 2. Persons are grouped by places and hours (`habits`).
//! 3. A group is published with the finest steps in which all of its members were: those of which no finer part is one too. So every
//!    published point is true of each of k persons.
//!
//! # Cost
//! That of the groups, and time O(points · steps).

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::habits::Habits;
use crate::data::paths::Point;
use crate::data::time::HOUR;
use crate::data::{Paths, PathsBuilder};
use crate::distance::DistanceMatrix;
use crate::error::{Error, Result};
use crate::geo::tile::Tile;
use crate::info::{self, Info};
use crate::methods::refusals::{PERSONS, check_enough, check_k};
use crate::methods::{Method, shown_parameters};
use crate::models::k_anonymity;
use crate::partition::grouping::{BLOCK_SIZE, EXACT, Least, Plan};
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "generalise",
    summary: "groups of at least k, published with the finest cells and times in which all of their members were",
    paper: "Ours, after the generalisation of cells and times in the literature on published paths",
    details: "Cells and times are coarsened together: an hour in a tile of zoom 16, 6 hours in 15, a day in 14, a day in 12, 7 days in 10, 28 days \
        in 8, 364 days in 6, ten years in the whole map. Persons are grouped as by `kindred`, and each group is published with the finest steps \
        in which all of its members were: the centre of the tile, the start of the bin. Every point of a record is true of each member; how \
        often, and what only some did, is lost. Names of places, cells, trips and labels are left out.\n\
        It claims user-k-anonymity.",
    parameters: &[info::K, EXACT, BLOCK_SIZE],
};

const DAY: i64 = 24 * HOUR;

/// Zooms with lengths of bins, the finest first; each bin is a whole number of those before it.
const STEPS: [(u8, i64); 8] =
    [(16, HOUR), (15, 6 * HOUR), (14, DAY), (12, DAY), (10, 7 * DAY), (8, 28 * DAY), (6, 364 * DAY), (0, 3640 * DAY)];

/// A step: which, the code of the tile, the number of the bin.
type Node = (usize, u64, i64);

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The least size of a group.
    pub k: usize,
    /// The whole data at once.
    pub exact: bool,
    /// The size of blocks; 0 leaves it to us.
    pub block_size: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, exact: false, block_size: 0 }
    }
}

impl Params {
    fn plan(&self) -> Plan {
        Plan { is_exact: self.exact, block_size: self.block_size }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct Generalise {
    params: Params,
}

impl Generalise {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        errors.extend(params.plan().check(params.k));
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Paths> for Generalise {
    fn protect(&self, original: &Paths, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Paths>> {
        let k = self.params.k;
        check_enough(original.persons(), k, PERSONS)?;
        self.params.plan().refuse_too_many::<Habits>(original.persons(), k, DistanceMatrix::bytes)?;
        let groups = self.params.plan().groups(&Habits::of(original), Least { k, wishes: &[] }, progress)?;
        let records: Vec<Vec<Node>> = groups.members.par_iter().map(|members| common(original, members)).collect();
        progress.go_on()?;
        let is_empty = |group: u32| records[group as usize].is_empty();
        let mut builder = PathsBuilder::default();
        let mut number_of = vec![None; records.len()];
        let with_points = records.iter().enumerate().filter(|(_, nodes)| !nodes.is_empty());
        for (count, (group, nodes)) in (0_u32..).zip(with_points) {
            for &(step, code, bin) in nodes {
                let (zoom, length) = STEPS[step];
                let (lat, lon) = Tile::from_code(code, zoom).centre();
                builder.push(&count.to_string(), Point { time: bin * length, lat, lon, marks: [""; 4] });
            }
            number_of[group] = Some(count);
        }
        let group_of = groups.record_of(original.persons());
        let empty = (0..records.len() as u32).filter(|&group| is_empty(group)).count() as u64;
        let record_of = group_of.into_iter().map(|group| number_of[group? as usize]).collect();
        let claims = vec![Claim::new(&k_anonymity::USER, [("k", json!(k))])];
        let protected = Protected::new(builder.finish(), record_of, claims).grouped(groups.grouped);
        Ok(if empty > 0 { protected.counted(crate::accounts::GROUPS_EMPTY, empty) } else { protected })
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

/// The finest steps in which all of some persons were. Nothing if they have not even ten years in common.
fn common(paths: &Paths, members: &[u32]) -> Vec<Node> {
    let nodes_of = |member: &u32| -> BTreeSet<Node> {
        let nodes = |point: usize| {
            let (lat, lon) = paths.place(point);
            let finest = Tile::at(lat, lon, STEPS[0].0);
            let time = paths.time(point);
            let node = move |(step, &(zoom, length)): (usize, &(u8, i64))| {
                (step, finest.inside(zoom).code(), time.div_euclid(length))
            };
            STEPS.iter().enumerate().map(node)
        };
        paths.range(*member as usize).flat_map(nodes).collect()
    };
    let mut shared = members.iter().map(nodes_of);
    let first = shared.next().unwrap_or_default();
    let shared = shared.fold(first, |shared, own| shared.intersection(&own).copied().collect());
    // Whatever is around a finer one says nothing more.
    let mut around = BTreeSet::new();
    for &(step, code, bin) in &shared {
        if let (Some(&(coarser, longer)), (zoom, length)) = (STEPS.get(step + 1), STEPS[step]) {
            around.insert((step + 1, code >> (2 * (zoom - coarser)), bin.div_euclid(longer / length)));
        }
    }
    shared.difference(&around).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn steps_lie_in_each_other() {
        for pair in STEPS.windows(2) {
            assert!(pair[1].0 < pair[0].0 && pair[1].1 % pair[0].1 == 0);
        }
    }

    /// Both were at one place in the same hour, and in another tile of zoom 14 on one day; what one did alone is not there.
    #[test]
    fn what_both_did() {
        let mut builder = PathsBuilder::default();
        let mut push = |person: &str, hour: i64, lat: f64| {
            builder.push(person, Point { time: hour * HOUR + 60_000, lat, lon: 8.0001, marks: [""; 4] });
        };
        let near = Tile::at(48.0, 8.0001, 14);
        let lats = (0..400).map(|step| 47.98 + f64::from(step) / 10_000.0);
        let apart: Vec<f64> = lats.filter(|&lat| near == Tile::at(lat, 8.0001, 14)).collect();
        let (low, high) = (apart[0], apart[apart.len() - 1]);
        assert_ne!(Tile::at(low, 8.0001, 15), Tile::at(high, 8.0001, 15));
        push("a", 5, 47.0);
        push("b", 5, 47.0);
        push("a", 30, low);
        push("b", 40, high);
        push("b", 41, 10.0);
        let original = builder.finish();
        let method = Generalise::new(Params { k: 2, ..Params::default() }).unwrap();
        let records = method.protect(&original, &mut Rng::seeded(1), &Silent).unwrap().records;
        let found: Vec<(i64, (f64, f64))> =
            records.range(0).map(|point| (records.time(point), records.place(point))).collect();
        assert_eq!(found, [(5 * HOUR, Tile::at(47.0, 8.0001, 16).centre()), (DAY, near.centre())]);
    }
}
