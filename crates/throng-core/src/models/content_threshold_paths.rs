//! Content threshold of paths: every published point is the centre of a tile in which enough persons of the original were.
//!
//! Paper      Ours.
//! Promises   whoever reads a point of the release reads a tile that at least m persons of the original visited.
//! Does not   hide who is who, nor say anything about times. It cannot be checked without the original.
//!
//! # Idea
//! A place is the centre of a tile of at most one zoom, for centres are corners at every finer zoom. For every different place of the
//! release: of which tile it is the centre, to the seventh decimal, and how many persons of the original have a point in it; nobody, if
//! it is no centre. The same for every text that stands beside a point: how many persons have it. The smallest number is what the
//! release achieves.
//!
//! # Cost
//! Time O((points of the original + places) · zooms that occur), memory O(different places).

use std::collections::{BTreeMap, HashMap};
use std::f64::consts::PI;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{ModelWithOriginal, Verdict, Witness};
use crate::data::Paths;
use crate::data::paths::{MISSING, Mark};
use crate::error::{Error, Result};
use crate::info::{Info, Parameter};
use crate::models::content_threshold::{self, MIN_PERSONS};

/// The card of the model.
pub const INFO: Info = Info {
    name: content_threshold::INFO.name,
    summary: "every released point is the centre of a tile in which at least m persons were",
    paper: "Ours",
    details: "Every different place of the release is the centre of a tile of the Web Mercator map, of some zoom from 0 to 24, to the seventh \
        decimal; at least m persons of the original have a point in that tile. Every name of a place, cell, trip or label beside a point is one \
        that as many persons have. The number achieved is the smallest; 0 for a place that is no centre.\n\
        It needs the original: `throng check RELEASE --model content-threshold --original FILE`.\n\
        Promises: no point says that somebody was where fewer than m persons were.\n\
        Does not promise: that a person is one of k (user-k-anonymity says that), or anything about times.",
    parameters: &[Parameter {
        default: "3",
        summary: "so many persons were in the tile of a published point, at least",
        ..MIN_PERSONS
    }],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// So many persons were there, at least.
    pub min_persons: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { min_persons: 3 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct ContentThresholdPaths {
    min_persons: usize,
}

impl ContentThresholdPaths {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.min_persons < 2 {
            return Err(Error::parameter("min-persons", format!("is {}, but must be at least 2", params.min_persons))
                .with_hint("wherever somebody was, one person was: there is nothing to check"));
        }
        Ok(Self { min_persons: params.min_persons })
    }
}

/// A tile: zoom, and its numbers from the west and from the north.
type Square = (u8, u32, u32);

/// The tile of a zoom that a place is in.
fn square(lat: f64, lon: f64, zoom: u8) -> Square {
    let side = 2_f64.powi(i32::from(zoom));
    let lat = lat.clamp(-85.051_128_78, 85.051_128_78).to_radians();
    let number = |share: f64| (share * side).floor().clamp(0.0, side - 1.0) as u32;
    (zoom, number((lon + 180.0) / 360.0), number((1.0 - lat.tan().asinh() / PI) / 2.0))
}

/// The tile whose centre a place is, as it is written.
fn square_around(lat: f64, lon: f64) -> Option<Square> {
    (0..=24).map(|zoom| square(lat, lon, zoom)).find(|&(zoom, x, y)| {
        let side = 2_f64.powi(i32::from(zoom));
        let centre_lon = (f64::from(x) + 0.5) / side * 360.0 - 180.0;
        let centre_lat = (PI * (1.0 - 2.0 * (f64::from(y) + 0.5) / side)).sinh().atan().to_degrees();
        // Both are numbers of seven decimals.
        let is_near = |own: f64, other: f64| (own - other).abs() < 0.500_001e-7;
        is_near(lat, centre_lat) && is_near(lon, centre_lon)
    })
}

impl ModelWithOriginal<Paths> for ContentThresholdPaths {
    fn check(&self, original: &Paths, release: &Paths) -> Result<Verdict> {
        let mut squares: HashMap<(u64, u64), Option<Square>> = HashMap::new();
        let mut persons_in: HashMap<Square, (usize, usize)> = HashMap::new();
        let mut zooms = BTreeMap::new();
        for point in 0..release.points() {
            let (lat, lon) = release.place(point);
            let found = *squares.entry((lat.to_bits(), lon.to_bits())).or_insert_with(|| square_around(lat, lon));
            if let Some(found) = found {
                persons_in.insert(found, (0, usize::MAX));
                zooms.insert(found.0, ());
            }
        }
        let mut persons_with: [Vec<(usize, usize)>; 4] =
            Mark::ALL.map(|mark| vec![(0, usize::MAX); original.texts(mark).len()]);
        // Persons with the last of them, so that nobody counts twice.
        let count = |(persons, last): &mut (usize, usize), person: usize| {
            if *last != person {
                (*persons, *last) = (*persons + 1, person);
            }
        };
        for person in 0..original.persons() {
            for point in original.range(person) {
                let (lat, lon) = original.place(point);
                for &zoom in zooms.keys() {
                    if let Some(own) = persons_in.get_mut(&square(lat, lon, zoom)) {
                        count(own, person);
                    }
                }
                for (mark, persons) in Mark::ALL.into_iter().zip(&mut persons_with) {
                    let id = original.mark(mark, point);
                    if id != MISSING {
                        count(&mut persons[id as usize], person);
                    }
                }
            }
        }
        let texts = Mark::ALL.map(|mark| release.texts(mark).ids_in(original.texts(mark)));
        let mut rarest: Option<(usize, Witness)> = None;
        for person in 0..release.persons() {
            for point in release.range(person) {
                let (lat, lon) = release.place(point);
                let square = squares.get(&(lat.to_bits(), lon.to_bits())).copied().flatten();
                let place = (square.map_or(0, |square| persons_in[&square].0), "lat", 0);
                let beside = Mark::ALL.into_iter().filter_map(|mark| {
                    let id = release.mark(mark, point);
                    let persons = |id: u32| persons_with[mark as usize][id as usize].0;
                    (id != MISSING)
                        .then(|| (texts[mark as usize][id as usize].map_or(0, persons), NAMES[mark as usize], id))
                });
                let Some((persons, column, value)) = std::iter::once(place).chain(beside).min_by_key(|found| found.0)
                else {
                    continue;
                };
                if rarest.as_ref().is_none_or(|(fewest, _)| persons < *fewest) {
                    let mut numbers = Map::from_iter([("column".into(), json!(column))]);
                    if column == "lat" && square.is_none() {
                        numbers.insert("centre".into(), json!(false));
                    }
                    let items = if column == "lat" { Vec::new() } else { vec![value] };
                    rarest = Some((persons, Witness { person: person as u32, group_size: persons, items, numbers }));
                }
            }
        }
        let achieved = rarest.as_ref().map_or(0, |&(fewest, _)| fewest);
        let holds = achieved >= self.min_persons;
        Ok(Verdict {
            holds,
            achieved: Map::from_iter([("min-persons".into(), json!(achieved))]),
            witness: rarest.filter(|_| !holds).map(|(_, witness)| witness),
        })
    }

    fn value<'a>(&self, release: &'a Paths, witness: &Witness) -> Option<&'a str> {
        let mark = Mark::ALL.into_iter().find(|&mark| witness.numbers["column"] == NAMES[mark as usize])?;
        witness.items.first().map(|&id| release.texts(mark).get(id))
    }
}

/// The columns of [`Mark::ALL`].
const NAMES: [&str; 4] = ["place", "cell", "trip", "label"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::PathsBuilder;
    use crate::data::paths::Point;

    fn paths(points: &[(&str, f64, f64, &str)]) -> Paths {
        let mut builder = PathsBuilder::default();
        for (time, &(person, lat, lon, place)) in (0..).zip(points) {
            builder.push(person, Point { time, lat, lon, marks: [place, "", "", ""] });
        }
        builder.finish()
    }

    fn achieved(release: &[(&str, f64, f64, &str)]) -> (u64, serde_json::Value) {
        let original = paths(&[
            ("a", 10.0, 20.0, "inn"),
            ("b", 10.0, 20.0, "inn"),
            ("b", 10.0, 20.0, "mill"),
            ("c", 50.0, 60.0, "inn"),
        ]);
        let model = ContentThresholdPaths::new(Params { min_persons: 2 }).unwrap();
        let verdict = model.check(&original, &paths(release)).unwrap();
        assert_eq!(verdict.holds, verdict.witness.is_none());
        let column = verdict.witness.map(|witness| witness.numbers["column"].clone());
        (verdict.achieved["min-persons"].as_u64().unwrap(), column.unwrap_or_default())
    }

    /// The centre of the map's tile of zoom 1 that holds 10, 20 (and 50, 60) is 66.5132604, 90; all three persons were in it.
    #[test]
    fn centres() {
        assert_eq!(achieved(&[("x", 66.513_260_4, 90.0, "")]), (3, json!(null)));
        assert_eq!(achieved(&[("x", 66.513_260_4, 90.0, "inn")]), (3, json!(null)));
        assert_eq!(achieved(&[("x", 66.513_260_4, 90.0, "mill")]), (1, json!("place")));
        assert_eq!(achieved(&[("x", 66.513_260_4, 90.0, "palace")]), (0, json!("place")));
        // A little beside it is no centre; a tile where nobody was is.
        assert_eq!(achieved(&[("x", 66.513_260_5, 90.0, "")]), (0, json!("lat")));
        assert_eq!(achieved(&[("x", -66.513_260_4, 90.0, "")]), (0, json!("lat")));
        // Where they really were is no centre either.
        assert_eq!(achieved(&[("x", 66.513_260_4, 90.0, ""), ("x", 10.0, 20.0, "")]), (0, json!("lat")));
    }
}
