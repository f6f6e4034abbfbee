//! (k, delta)-anonymity: every path has at least k - 1 others with the same times, never farther away than delta.
//!
//! Paper      Abul, Bonchi, Nanni. Never walk alone: uncertainty for anonymity in moving objects databases. ICDE 2008, definition 3.
//!            What it does not promise: Trujillo-Rasua, Domingo-Ferrer. On the privacy offered by (k, delta)-anonymity. Information Systems 38
//!            (2013).
//! Promises   whoever knows of somebody, at any of the published times, no more than a disc of diameter delta is left with k paths.
//! Does not   make k paths equal: whoever knows the place of a published point better than to delta tells them apart.
//!
//! # Idea
//! Two paths are near if they have the same times, the same texts beside their points, and at no time a distance of more than delta. What a
//! path achieves is the number of paths that are near to it, with itself; the smallest is the k of the file.
//!
//! # Readings
//! The definition asks for sets of k paths that are near each other, all of them. Here each path has k - 1 others near to itself, which is
//! what can be decided plainly; methods make the former.
//!
//! # Cost
//! Paths of equal times are compared with those whose first point is within delta in latitude: at worst O(n² · points), and most pairs
//! part at their first points. Memory O(n).

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::written_paths::WrittenPaths;
use super::{Model, Verdict, Witness};
use crate::data::Paths;
use crate::data::paths::Mark;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};

/// The card of the model.
pub const INFO: Info = Info {
    name: "k-delta-anonymity",
    summary: "every path has at least k - 1 others with the same times, never farther away than delta",
    paper: "Abul, Bonchi, Nanni. Never walk alone: uncertainty for anonymity in moving objects databases. ICDE 2008; and Trujillo-Rasua, \
            Domingo-Ferrer. On the privacy offered by (k, delta)-anonymity. Information Systems 38 (2013)",
    details: "Two paths are near if they have the same times and texts, and are at each of these times at most delta metres apart, along the great \
        circle. The k achieved is the smallest number of paths that are near to one of them, with itself.\n\
        It reads the file alone: who made it, and how, does not matter.\n\
        Promises: whoever knows of somebody only where they were to within delta, at any of the published times, is left with k paths.\n\
        Does not promise: that k records are equal, as user-k-anonymity does. Paths of a group stay different, and whoever knows a place better \
        than to delta can tell them apart; the smaller delta, the more that is true to places and the weaker the promise against such knowledge.",
    parameters: &[info::K, DELTA],
};

/// How far apart paths may be.
pub(crate) const DELTA: Parameter = Parameter {
    name: "delta",
    summary: "how far apart paths of a group are, at most, in metres",
    kind: ParameterKind::Weight,
    default: "2000",
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// So many paths are near each other, at least.
    pub k: usize,
    /// So many metres, at most.
    pub delta: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, delta: 2000.0 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct KDeltaAnonymity {
    params: Params,
}

impl KDeltaAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors = Vec::new();
        if params.k < 2 {
            let error = Error::parameter("k", format!("is {}, but must be at least 2", params.k));
            errors.push(error.with_hint("every path is near to itself: there is nothing to check"));
        }
        errors.extend(check_delta(params.delta));
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

/// What is wrong with a delta.
pub(crate) fn check_delta(delta: f64) -> Option<Error> {
    let is_right = (1.0..=40_075_000.0).contains(&delta);
    (!is_right).then(|| {
        let error =
            Error::parameter("delta", format!("is {delta} m, but must be at least 1, at most once around the earth"));
        error.with_hint("for k equal records, which is what 0 would mean, `--method trajectory-microaggregation`")
    })
}

impl Model<WrittenPaths> for KDeltaAnonymity {
    fn check(&self, evidence: &WrittenPaths) -> Result<Verdict> {
        let paths = &evidence.paths;
        let near = persons_near(paths, self.params.delta);
        let worst = near.iter().zip(0..).min().map(|(&count, person)| (count, person));
        let achieved = worst.map_or(0, |(count, _)| count);
        let holds = achieved >= self.params.k;
        Ok(Verdict {
            holds,
            achieved: Map::from_iter([("k".into(), json!(achieved))]),
            witness: worst.filter(|_| !holds).map(|(count, person)| Witness::of_group(person, count)),
        })
    }
}

/// For each person how many paths are near to theirs, with their own.
fn persons_near(paths: &Paths, delta: f64) -> Vec<usize> {
    let mut of_times: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
    for person in 0..paths.persons() {
        let times = paths.range(person).map(|point| paths.time(point)).collect();
        of_times.entry(times).or_default().push(person);
    }
    let mut near = vec![0; paths.persons()];
    for persons in of_times.values_mut() {
        let lat = |person: usize| paths.range(person).next().map_or(0.0, |point| paths.place(point).0);
        persons.sort_unstable_by(|&left, &right| lat(left).total_cmp(&lat(right)));
        // A little more than a degree of latitude has, so that nothing is missed.
        let degrees = delta / 111_000.0;
        let count = |&person: &usize| {
            let start = persons.partition_point(|&other| lat(other) < lat(person) - degrees);
            let others = persons[start..].iter().take_while(|&&other| lat(other) <= lat(person) + degrees);
            others.filter(|&&other| are_near(paths, person, other, delta)).count()
        };
        let counts: Vec<usize> = persons.par_iter().map(count).collect();
        persons.iter().zip(counts).for_each(|(&person, count)| near[person] = count);
    }
    near
}

/// Whether two paths of the same times are near each other.
fn are_near(paths: &Paths, own: usize, other: usize, delta: f64) -> bool {
    paths.range(own).zip(paths.range(other)).all(|(left, right)| {
        Mark::ALL.iter().all(|&mark| paths.mark(mark, left) == paths.mark(mark, right))
            && metres(paths.place(left), paths.place(right)) <= delta
    })
}

/// The distance along the great circle, in metres.
fn metres((from_lat, from_lon): (f64, f64), (to_lat, to_lon): (f64, f64)) -> f64 {
    let [from_lat, from_lon, to_lat, to_lon] = [from_lat, from_lon, to_lat, to_lon].map(f64::to_radians);
    let square = ((to_lat - from_lat) / 2.0).sin().powi(2)
        + from_lat.cos() * to_lat.cos() * ((to_lon - from_lon) / 2.0).sin().powi(2);
    2.0 * 6_371_008.8 * square.sqrt().min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::PathsBuilder;
    use crate::data::paths::Point;
    use crate::models::digests::Digests;

    fn written(points: &[(usize, i64, f64, &str)]) -> WrittenPaths {
        let mut builder = PathsBuilder::default();
        for &(person, time, metres, place) in points {
            let lat = 47.0 + metres / 111_195.08;
            builder.push(&person.to_string(), Point { time, lat, lon: 8.0, marks: [place, "", "", ""] });
        }
        WrittenPaths { digests: Digests::new(), paths: builder.finish() }
    }

    fn check(k: usize, delta: f64, points: &[(usize, i64, f64, &str)]) -> (bool, u64, Option<u32>) {
        let model = KDeltaAnonymity::new(Params { k, delta }).unwrap();
        let verdict = model.check(&written(points)).unwrap();
        (verdict.holds, verdict.achieved["k"].as_u64().unwrap(), verdict.witness.map(|witness| witness.person))
    }

    /// Three walk north side by side, 0, 60 and 120 metres to the north: within 130 m all are near each other, within 100 m only the
    /// middle one has two others. A step later, a text, a point more: near to nobody.
    #[test]
    fn by_hand() {
        let walk = |person: usize, ahead: f64| [(person, 0, ahead, ""), (person, 60, 1000.0 + ahead, "")];
        let three: Vec<_> = [walk(0, 0.0), walk(1, 60.0), walk(2, 120.0)].concat();
        assert_eq!(check(3, 130.0, &three), (true, 3, None));
        assert_eq!(check(3, 100.0, &three), (false, 2, Some(0)));
        assert_eq!(check(2, 100.0, &three), (true, 2, None));
        for odd in [[(3, 0, 0.0, ""), (3, 61, 1000.0, "")], [(3, 0, 0.0, "inn"), (3, 60, 1000.0, "")]] {
            assert_eq!(check(2, 130.0, &[&three[..], &odd].concat()), (false, 1, Some(3)));
        }
        assert_eq!(check(2, 130.0, &[&three[..], &[(3, 0, 0.0, "")]].concat()), (false, 1, Some(3)));
        assert_eq!(check(2, 130.0, &[]), (false, 0, None));
    }

    #[test]
    fn refused() {
        for (k, delta) in [(1, 5.0), (2, 0.0), (2, -3.0), (2, f64::NAN), (2, f64::INFINITY)] {
            assert!(KDeltaAnonymity::new(Params { k, delta }).is_err(), "{k} {delta}");
        }
    }

    proptest! {
        /// As by comparing everybody with everybody.
        #[test]
        fn as_by_every_pair(places in prop::collection::vec((0..3_i64, 0..300_u32, 0..300_u32), 1..12), delta in 1..200_u32) {
            let points: Vec<_> = places
                .iter()
                .zip(0..)
                .flat_map(|(&(start, first, second), person)| {
                    [(person, start, f64::from(first), ""), (person, 9, f64::from(second), "")]
                })
                .collect();
            let near = |own: usize, other: usize| {
                let ((time, first, second), (start, third, fourth)) = (places[own], places[other]);
                time == start && first.abs_diff(third) <= delta && second.abs_diff(fourth) <= delta
            };
            let least = (0..places.len()).map(|own| (0..places.len()).filter(|&other| near(own, other)).count()).min();
            prop_assert_eq!(check(2, f64::from(delta) + 0.01, &points).1 as usize, least.unwrap());
        }
    }
}
