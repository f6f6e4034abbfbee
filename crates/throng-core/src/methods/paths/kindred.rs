//! Kindred paths: groups of persons with places in common, each published with real points of its members, as centres of tiles that
//! enough persons visited.
//!
//! Paper      Ours. The groups are microaggregation's (Domingo-Ferrer, Mateo-Sanz 2002); the paper behind this kind, Giannotti and others
//!            (Mobility, Data Mining and Privacy), names anonymous trajectories and gives no rule.
//! Claims     user-k-anonymity(k), content-threshold(min-persons).
//! Does not   make it hard to find the right *group* of somebody of whom points are known: the record keeps places where its members were.
//!
//! # Idea
//! 1. Persons are grouped by tiles and hours of the week (`habits`): MDAV, then exchanges; above some thousand persons in blocks.
//! 2. A group gets one record, chosen among its members' real points: first those near to many of its members' (`choice`), then those that
//!    the release as a whole lacks (`fill`).
//! 3. A point is published as the centre of the finest tile of zoom 16, 14, 12, 10 that at least `min-persons` persons of the data visited,
//!    its time as the start of its bin of `time-resolution`. The name of its place stays if as many persons have it; cells, trips and labels
//!    are left out.
//!
//! # Cost
//! Time O(n²) comparisons of persons up to 3,000, above that in blocks of 1,000, and the choice; memory a matrix of a block a thread.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::choice::{self, Allowed};
use super::fill::{Begun, fill};
use super::habits::Habits;
use crate::accounts::GROUPS_EMPTY;
use crate::data::paths::Point;
use crate::data::{Paths, PathsBuilder};
use crate::distance::DistanceMatrix;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter};
use crate::methods::queries::user_microaggregation::TIME_RESOLUTION;
use crate::methods::refusals::{PERSONS, check_enough, check_k};
use crate::methods::{Method, shown_parameters};
use crate::models::{content_threshold, content_threshold_paths, k_anonymity};
use crate::partition::grouping::{BLOCK_SIZE, EXACT, Least, Plan};
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "kindred",
    summary: "groups of at least k persons with places in common, published with real points, only where enough persons were",
    paper: "Ours. After microaggregation: Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation for statistical \
            disclosure control. IEEE TKDE 14 (2002)",
    details: "1. Persons are grouped by where and when they are: tiles of zoom 16, 14 and 12 and hours of the week, rare ones weighing more; \
        MDAV, then exchanges of members. Above 3,000 persons this is done in blocks of alike ones.\n\
        2. The record of a group has as many points as its members on average. They are real points of the members, at most \
        ceil(length / k) of each, taken one after the other so that the members' mean distance to the nearest one falls most, every member \
        one voice; where hardly anything is gained, so that over all records places keep their share of visits, and moves theirs.\n\
        3. A point is published as the centre of the finest tile of zoom 16 (about 460 m at 41 degrees), 14, 12, 10 that at least \
        `min-persons` persons of the data visited, or left out. Its time is the start of its bin of `time-resolution`, an hour. The name of \
        its place is published if as many persons have it; cells, trips and labels are not.\n\
        It claims user-k-anonymity and, with min-persons of 2 or more, content-threshold. What it does not hide: the record keeps places of \
        its members, so whoever knows some of them finds the right group more often than with mean paths; the person is then one of k.",
    parameters: &[info::K, MIN_PERSONS, Parameter { default: "1h", ..TIME_RESOLUTION }, EXACT, BLOCK_SIZE],
};

const MIN_PERSONS: Parameter = Parameter {
    summary: "so many persons must have been where a published point is, at least; 1 for no threshold",
    default: "3",
    ..content_threshold::MIN_PERSONS
};

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The least size of a group.
    pub k: usize,
    /// So many persons were where a published point is, at least.
    pub min_persons: usize,
    /// Times are rounded down to multiples of so many seconds.
    pub time_resolution: u64,
    /// The whole data at once.
    pub exact: bool,
    /// The size of blocks; 0 leaves it to us.
    pub block_size: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, min_persons: 3, time_resolution: 3600, exact: false, block_size: 0 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct Kindred {
    params: Params,
}

impl Kindred {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        errors.extend(plan(&params).check(params.k));
        if params.min_persons == 0 {
            errors.push(Error::parameter("min-persons", "is 0, but must be at least 1"));
        }
        errors.extend(super::check_resolution(params.time_resolution));
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

fn plan(params: &Params) -> Plan {
    Plan { is_exact: params.exact, block_size: params.block_size }
}

impl Method<Paths> for Kindred {
    fn protect(&self, original: &Paths, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Paths>> {
        let Params { k, min_persons, time_resolution, .. } = self.params;
        check_enough(original.persons(), k, PERSONS)?;
        plan(&self.params).refuse_too_many::<Habits>(original.persons(), k, DistanceMatrix::bytes)?;
        let habits = Habits::of(original);
        let groups = plan(&self.params).groups(&habits, Least { k, wishes: &[] }, progress)?;
        drop(habits);
        let allowed = Allowed::of(original, min_persons);
        progress.stage("choosing points", groups.members.len() as u64);
        let seed = rng.bits();
        let begin = |(group, members): (usize, &Vec<u32>)| -> Begun {
            if progress.is_stopped() {
                return Begun::default();
            }
            let mut rng = Rng::seeded_stream(seed, group as u64);
            let begun = choice::begin(original, members, &allowed, (k, time_resolution), &mut rng);
            progress.advance(1);
            begun
        };
        let mut chosen: Vec<Begun> = groups.members.par_iter().enumerate().map(begin).collect();
        progress.go_on()?;
        fill(original, &mut chosen, progress);
        progress.go_on()?;
        let mut builder = PathsBuilder::default();
        let mut number_of: Vec<Option<u32>> = Vec::with_capacity(chosen.len());
        let mut records = 0;
        for begun in &chosen {
            if begun.record.is_empty() {
                number_of.push(None);
                continue;
            }
            for &at in &begun.record {
                let candidate = begun.candidates[at as usize];
                let point = candidate.point as usize;
                let (lat, lon) = candidate.published();
                let time = super::floored(original.time(point), time_resolution);
                builder.push(
                    &records.to_string(),
                    Point { time, lat, lon, marks: [allowed.place(original, point), "", "", ""] },
                );
            }
            number_of.push(Some(records));
            records += 1;
        }
        if records == 0 {
            return Err(Error::data(format!(
                "nothing could be published: nowhere, in no tile of zoom {}, were {min_persons} persons",
                choice::ZOOMS[choice::ZOOMS.len() - 1]
            ))
            .with_hint("choose a smaller `--min-persons`, or data of more persons"));
        }
        let group_of = groups.record_of(original.persons());
        let record_of = group_of.into_iter().map(|group| number_of[group? as usize]).collect();
        let mut claims = vec![Claim::new(&k_anonymity::USER, [("k", json!(k))])];
        if min_persons > 1 {
            claims.push(Claim::new(&content_threshold_paths::INFO, [("min-persons", json!(min_persons))]));
        }
        let empty = chosen.iter().filter(|begun| begun.record.is_empty()).count() as u64;
        let protected = Protected::new(builder.finish(), record_of, claims).grouped(groups.grouped);
        Ok(if empty > 0 { protected.counted(GROUPS_EMPTY, empty) } else { protected })
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}
