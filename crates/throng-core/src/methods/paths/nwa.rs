//! NWA, never walk alone: paths of equal time spans in groups of at least k, moved into a cylinder around the group's mean.
//!
//! Paper      Abul, Bonchi, Nanni. Never walk alone: uncertainty for anonymity in moving objects databases. ICDE 2008.
//! Claims     k-delta-anonymity(k, delta).
//! Does not   make k records equal, and does not suit points that are seldom: between them people are thought to go straight.
//!
//! # Idea
//! 1. A path lasts from the beginning of the period of its first point to the end of that of its last one, where it stands still.
//! 2. Paths of the same span are a class. The smallest class, while it has fewer than k, joins the one for which both together have to be
//!    made longer least.
//! 3. In a class all paths have the same moments, and are as far apart as they are at these: groups around pivots (`cylinder`).
//! 4. At each moment the members of a group are moved the least way into a disc with the diameter delta around their mean.
//!
//! # Readings
//! The paper cuts spans to whole periods and throws classes of fewer than k away; of persons who are seen on some days only that would be
//! nearly everybody, so that spans are made longer instead. Its moments are those of the data; here they are a step apart, as many as there
//! were points, if nobody says.
//!
//! # Cost
//! Time O(n² · moments) up to 2,000 persons of a class, above that in blocks of neighbours; memory a matrix of a block.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::cylinder::{self, DELTA, TRASH, blocks, groups, mean, most_trash, pulled};
use crate::data::paths::Point;
use crate::data::paths::tracks::{Tracks, place_at};
use crate::data::{Paths, PathsBuilder};
use crate::distance::DistanceMatrix;
use crate::distance::paths::clock::{Clock, OnClock, origin};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::refusals::{PERSONS, check_enough};
use crate::methods::{Method, shown_parameters};
use crate::progress::{Progress, Quiet};
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "nwa",
    summary: "groups of at least k with the same time span, moved into a cylinder around the group's mean",
    paper: "Abul, Bonchi, Nanni. Never walk alone: uncertainty for anonymity in moving objects databases. ICDE 2008",
    details: "Paths last from the beginning of the period of their first point to the end of that of their last; those of the same span are a class, \
        and classes of fewer than k join others. A path is where it is on the straight way between its points, at moments a `--step` apart (as many \
        as there were points, if none is given). Pivots that are far from each other take their k - 1 nearest within a radius, which grows until \
        at most `--trash` of the paths are left out. At each moment the members of a group are moved the least way into a disc with the diameter \
        `--delta` around their mean. Names of places, cells, trips and labels are left out.\n\
        It claims k-delta-anonymity, which is weaker than k equal records: whoever knows a place better than to delta tells paths of a group \
        apart. It does not suit points that are days apart: between them it thinks that people go straight.",
    parameters: &[info::K, DELTA, TRASH, PERIOD, STEP],
};

pub(super) const PERIOD: Parameter = Parameter {
    name: "period",
    summary: "a path begins and ends at multiples of this; w4m: points that are farther apart in time do not match",
    kind: ParameterKind::Duration,
    default: "1d",
};
const STEP: Parameter = Parameter {
    name: "step",
    summary: "moments are so far apart; 0s: so that there are as many points as before",
    kind: ParameterKind::Duration,
    default: "0s",
};

/// Paths are compared at so many moments, at most.
const MOST_COMPARED: usize = 256;

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
    /// Spans are whole multiples of so many seconds.
    pub period: u64,
    /// Moments are so many seconds apart; 0 leaves it to us.
    pub step: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, delta: 2000.0, trash: 0.1, period: 86_400, step: 0 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct Nwa {
    params: Params,
}

impl Nwa {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let errors = cylinder::check(params.k, params.delta, params.trash, params.period);
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }

    /// Moments are so many milliseconds apart.
    fn step(&self, paths: &Paths, spans: &[Span]) -> i64 {
        if self.params.step > 0 {
            return self.params.step as i64 * 1000;
        }
        let all: i128 = spans.iter().map(|span| i128::from(span.1 - span.0)).sum();
        let step = all / (paths.points().max(1) as i128) / 1000 * 1000;
        (step as i64).max(1000)
    }
}

/// From when to when a path lasts.
type Span = (i64, i64);

impl Method<Paths> for Nwa {
    fn protect(&self, original: &Paths, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Paths>> {
        let Params { k, delta, trash, period, .. } = self.params;
        check_enough(original.persons(), k, PERSONS)?;
        let spans: Vec<Span> =
            (0..original.persons()).map(|person| span(original, person, period as i64 * 1000)).collect();
        let step = self.step(original, &spans);
        let classes = classes(&spans, k);
        progress.stage("groups", original.persons() as u64);
        let mut builder = PathsBuilder::default();
        let mut record_of = vec![None; original.persons()];
        let mut records = 0;
        for (span, persons) in &classes {
            for block in blocks(original, persons, k) {
                let moments = ((span.1 - span.0) / step + 1) as usize;
                let clock = Clock { from: span.0, to: span.0 + (moments as i64 - 1) * step, moments };
                let compared = Clock { moments: moments.min(MOST_COMPARED), ..clock };
                let space = OnClock::of(original, &Tracks::of(original, &block), compared, origin(original));
                let distances = DistanceMatrix::compute(&space, &Quiet(progress));
                progress.go_on()?;
                let found = groups(&distances, k, delta, most_trash(trash, block.len()));
                for members in &found.members {
                    let members: Vec<u32> = members.iter().map(|&member| block[member as usize]).collect();
                    for (member, points) in members.iter().zip(together(original, &members, clock, delta)) {
                        let name = records.to_string();
                        points.into_iter().for_each(|point| builder.push(&name, point));
                        record_of[*member as usize] = Some(records);
                        records += 1;
                    }
                }
                progress.advance(block.len() as u64);
            }
        }
        Ok(Protected::new(builder.finish(), record_of, vec![cylinder::claim(k, delta)]))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

/// From the beginning of the period of somebody's first point to the end of that of the last.
fn span(paths: &Paths, person: usize, period: i64) -> Span {
    let mut times = paths.range(person).map(|point| paths.time(point));
    let first = times.next().unwrap_or_default();
    let last = times.next_back().unwrap_or(first);
    (first.div_euclid(period) * period, (last.div_euclid(period) + 1) * period)
}

/// Persons of the same span, at least k: the smallest class joins the one for which both have to be made longer least.
fn classes(spans: &[Span], k: usize) -> BTreeMap<Span, Vec<u32>> {
    let mut classes: BTreeMap<Span, Vec<u32>> = BTreeMap::new();
    for (person, span) in (0..).zip(spans) {
        classes.entry(*span).or_default().push(person);
    }
    let mut small: BTreeSet<(usize, Span)> = classes.iter().map(|(span, persons)| (persons.len(), *span)).collect();
    while let Some(&(count, own)) = small.first()
        && count < k
        && classes.len() > 1
    {
        let longer = |other: &Span, persons: usize| {
            let joined = (own.0.min(other.0), own.1.max(other.1));
            let more = |span: Span| i128::from(joined.1 - joined.0) - i128::from(span.1 - span.0);
            more(own) * count as i128 + more(*other) * persons as i128
        };
        let others = classes.iter().filter(|(other, _)| **other != own);
        let Some((other, _)) = others.min_by_key(|(other, persons)| longer(other, persons.len())) else { break };
        let other = *other;
        let joined = (own.0.min(other.0), own.1.max(other.1));
        let mut persons = Vec::new();
        for span in [own, other, joined] {
            if let Some(members) = classes.remove(&span) {
                small.remove(&(members.len(), span));
                persons.extend(members);
            }
        }
        persons.sort_unstable();
        small.insert((persons.len(), joined));
        classes.insert(joined, persons);
    }
    classes
}

/// The paths of the members of a group, moved into the cylinder around their mean.
fn together(paths: &Paths, members: &[u32], clock: Clock, delta: f64) -> Vec<Vec<Point<'static>>> {
    let at = |moment: usize| -> Vec<Point<'static>> {
        let time = clock.time(moment);
        let places: Vec<(f64, f64)> =
            members.iter().map(|&member| place_at(paths, paths.range(member as usize), time)).collect();
        let middle = mean(places.iter().copied());
        let point = |&place: &(f64, f64)| {
            let (lat, lon) = pulled(middle, place, delta);
            Point { time, lat, lon, marks: [""; 4] }
        };
        places.iter().map(point).collect()
    };
    let moments: Vec<Vec<Point<'static>>> = (0..clock.moments).into_par_iter().map(at).collect();
    (0..members.len()).map(|member| moments.iter().map(|places| places[member]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::distance;
    use crate::models::Model;
    use crate::models::digests::Digests;
    use crate::models::k_delta_anonymity::KDeltaAnonymity;
    use crate::models::written_paths::WrittenPaths;
    use crate::progress::Silent;
    use crate::synth::paths::PathsSynth;

    const DAY: i64 = 86_400_000;

    #[test]
    fn spans_and_classes() {
        let mut builder = PathsBuilder::default();
        for (person, time) in [("a", 5), ("a", 2 * DAY - 1), ("b", DAY), ("c", 2 * DAY)] {
            builder.push(person, Point { time, lat: 0.0, lon: 0.0, marks: [""; 4] });
        }
        let paths = builder.finish();
        let spans: Vec<Span> = (0..3).map(|person| span(&paths, person, DAY)).collect();
        assert_eq!(spans, [(0, 2 * DAY), (DAY, 2 * DAY), (2 * DAY, 3 * DAY)]);
        // The second joins the first, for one day more; then the third needs two, and both of the first one.
        assert_eq!(classes(&spans, 2).into_iter().collect::<Vec<_>>(), [((0, 3 * DAY), vec![0, 1, 2])]);
        assert_eq!(classes(&spans, 1).len(), 3);
    }

    /// Three walk to the north for two hours, 1 km apart, with delta = 500 m: the outer ones come to 250 m from the one in the middle.
    #[test]
    fn by_hand() {
        let mut builder = PathsBuilder::default();
        let kilometre = 1.0 / 111.195_08;
        for (person, east) in [("a", -kilometre), ("b", 0.0), ("c", kilometre)] {
            for (hour, north) in [(0, 0.0), (2, 0.1)] {
                let point = Point { time: hour * 3_600_000, lat: north, lon: east, marks: ["x", "", "", ""] };
                builder.push(person, point);
            }
        }
        let original = builder.finish();
        let params = Params { k: 3, delta: 500.0, period: 7200, step: 3600, ..Params::default() };
        let released = Nwa::new(params).unwrap().protect(&original, &mut Rng::seeded(1), &Silent).unwrap();
        let records = &released.records;
        assert_eq!((records.persons(), released.record_of.clone()), (3, vec![Some(0), Some(1), Some(2)]));
        let times: Vec<i64> = records.range(0).map(|point| records.time(point)).collect();
        // The last point is at the beginning of a period, which is still whole.
        assert_eq!(times, [0, 1, 2, 3, 4].map(|hour| hour * 3_600_000));
        for (record, east) in [(0, -0.25), (1, 0.0), (2, 0.25)] {
            let (lat, lon) = records.place(records.range(record).nth(1).unwrap());
            assert!((lat - 0.05).abs() < 1e-6 && (lon / kilometre - east).abs() < 1e-4, "{lat} {lon}");
        }
        assert!(distance(records.place(0), records.place(10)) <= 0.5);
    }

    /// Of made-up people: the claim holds as the model sees it, and no more than a tenth is left out.
    #[test]
    fn the_claim_holds() {
        let original =
            PathsSynth::new(crate::synth::paths::Params { persons: 40, days: 3, seed: 5 }).unwrap().block(0..40);
        for (k, delta) in [(2, 50.0), (5, 2000.0), (10, 100_000.0)] {
            let method = Nwa::new(Params { k, delta, ..Params::default() }).unwrap();
            let released = method.protect(&original, &mut Rng::seeded(1), &Silent).unwrap();
            assert!(released.record_of.iter().filter(|record| record.is_none()).count() <= 4);
            let written = WrittenPaths { digests: Digests::new(), paths: released.records };
            let verdict = KDeltaAnonymity::new(k_delta(k, delta)).unwrap().check(&written).unwrap();
            assert!(verdict.holds, "{k} {delta} {:?}", verdict.achieved);
        }
    }

    fn k_delta(k: usize, delta: f64) -> crate::models::k_delta_anonymity::Params {
        crate::models::k_delta_anonymity::Params { k, delta }
    }

    #[test]
    fn refused() {
        let said = Nwa::new(Params { k: 1, delta: 0.0, trash: 1.0, period: 0, step: 0 }).unwrap_err().to_string();
        for name in ["`k`", "`delta`", "`trash`", "`period`"] {
            assert!(said.contains(name), "{said}");
        }
    }
}
