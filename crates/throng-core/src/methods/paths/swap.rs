//! Swapping: whoever meets exchanges the rest of their paths.
//!
//! Paper      Salas, Megías, Torra. SwapMob: swapping trajectories for mobility anonymization. Privacy in Statistical Databases 2018.
//! Claims     nothing.
//! Does not   change a single point: whoever knows the rule, and where people met, can exchange back.
//!
//! # Idea
//! All points are gone through in the order of time (of persons, at the same time). If at a point of somebody another person's last point is
//! at most so many metres away and at most so much earlier, they meet: whatever either does after this belongs to the other's record. They
//! meet once until for so long neither has a point near the other's.
//!
//! # Cost
//! Time O(n log n) and the meetings, memory O(n).

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::check_metres;
use crate::data::paths::{Mark, Point};
use crate::data::{Paths, PathsBuilder};
use crate::error::{Error, Result};
use crate::geo::{RADIUS, distance};
use crate::info::{Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "swap",
    summary: "whoever meets exchanges the rest of the path; promises nothing",
    paper: "Salas, Megías, Torra. SwapMob: swapping trajectories for mobility anonymization. Privacy in Statistical Databases 2018",
    details: "Points are gone through in the order of time. If somebody is where another person was, within `--meet` (200m,10m: 200 metres and ten \
        minutes), both exchange the rest of their paths; once a meeting. With `--swap-chance` below 1 only some meetings are exchanges, drawn by \
        chance. Points, their times and the names of their places and cells stay as they are, so that every count of points is exact; trips and \
        labels are left out.\n\
        It claims nothing: nobody is one of k, people who meet nobody keep their path, and the points around a home stay together. It is here to be \
        attacked, and to compare with.",
    parameters: &[MEET, CHANCE],
};

const MEET: Parameter = Parameter {
    name: "meet",
    summary: "who is so near a place where another person was so little earlier meets them: a distance and a span of time",
    kind: ParameterKind::Text,
    default: "200m,10m",
};
const CHANCE: Parameter = Parameter {
    name: "swap-chance",
    summary: "the share of the meetings that are exchanges",
    kind: ParameterKind::Share,
    default: "1",
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// A distance and a span of time, `200m,10m`.
    pub meet: String,
    /// The share of the meetings that are exchanges.
    pub swap_chance: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { meet: MEET.default.to_owned(), swap_chance: 1.0 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Swap {
    params: Params,
    /// So many kilometres.
    near: f64,
    /// So many milliseconds.
    soon: i64,
}

impl Swap {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors = Vec::new();
        let meeting = meeting(&params.meet);
        if let Some((metres, _)) = meeting {
            errors.extend(check_metres("meet", metres));
        } else {
            let error = Error::parameter("meet", "must be a distance and a span of time");
            errors.push(error.with_hint("for example `--meet 200m,10m` or `--meet 1km,1h`"));
        }
        if !(params.swap_chance > 0.0 && params.swap_chance <= 1.0) {
            errors.push(Error::parameter(
                "swap-chance",
                format!("is {}, but must be above 0, at most 1", params.swap_chance),
            ));
        }
        let (metres, soon) = meeting.unwrap_or_default();
        if errors.is_empty() {
            Ok(Self { params, near: metres / 1000.0, soon })
        } else {
            Err(Error::parameters(errors))
        }
    }

    /// The record of each point, and how many exchanges there were.
    fn records(&self, paths: &Paths, rng: &mut Rng, progress: &dyn Progress) -> Result<(Vec<u32>, u64)> {
        let mut owner = vec![0_u32; paths.points()];
        for person in 0..paths.persons() {
            owner[paths.range(person)].fill(person as u32);
        }
        let mut order: Vec<u32> = (0..paths.points() as u32).collect();
        order.sort_unstable_by_key(|&point| (paths.time(point as usize), point));
        progress.stage("meetings", order.len() as u64);
        let mut record: Vec<u32> = (0..paths.persons() as u32).collect();
        let mut records = vec![0; paths.points()];
        let mut last: Vec<Option<u32>> = vec![None; paths.persons()];
        let mut around = Around::new(self.near, self.soon);
        let mut in_touch: HashMap<(u32, u32), i64> = HashMap::new();
        let mut exchanges = 0;
        for (done, &point) in order.iter().enumerate() {
            if done % (1 << 16) == 0 {
                progress.go_on()?;
                progress.advance(1 << 16);
                let now = paths.time(point as usize);
                in_touch.retain(|_, time| now - *time <= self.soon);
            }
            let (person, time) = (owner[point as usize], paths.time(point as usize));
            records[point as usize] = record[person as usize];
            last[person as usize] = Some(point);
            for other in around.near(paths, point, time) {
                let stranger = owner[other as usize];
                if stranger == person || last[stranger as usize] != Some(other) {
                    continue;
                }
                let pair = (person.min(stranger), person.max(stranger));
                let before = in_touch.insert(pair, time);
                let is_new = before.is_none_or(|before| time - before > self.soon);
                if is_new && (self.params.swap_chance >= 1.0 || rng.unit() < self.params.swap_chance) {
                    record.swap(person as usize, stranger as usize);
                    exchanges += 1;
                }
            }
            around.add(paths, point);
        }
        Ok((records, exchanges))
    }
}

/// `200m,10m` as metres and milliseconds.
fn meeting(text: &str) -> Option<(f64, i64)> {
    let (far, long) = text.split_once(',')?;
    let (number, scale) = match far.strip_suffix("km") {
        Some(number) => (number, 1000.0),
        None => (far.strip_suffix('m')?, 1.0),
    };
    let metres = number.parse::<f64>().ok().filter(|number| number.is_finite())? * scale;
    let unit = match long.chars().next_back()? {
        's' => 1000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        _ => return None,
    };
    let count = long[..long.len() - 1].parse::<u32>().ok()?;
    Some((metres, i64::from(count) * unit))
}

/// Points of the last while, by squares that are as wide as somebody is near.
struct Around {
    near: f64,
    soon: i64,
    squares: HashMap<(i64, i64), VecDeque<u32>>,
}

impl Around {
    fn new(near: f64, soon: i64) -> Self {
        Self { near, soon, squares: HashMap::new() }
    }

    /// The band of latitude of a place, and how many squares it has.
    fn band(&self, lat: f64) -> i64 {
        (lat.to_radians() * RADIUS / self.near).floor() as i64
    }

    /// How many squares a band has: none is narrower than somebody is near, anywhere in it or in those beside it.
    fn squares_of(&self, band: i64) -> i64 {
        let farthest = ((band.abs() + 2) as f64 * self.near / RADIUS).min(std::f64::consts::FRAC_PI_2);
        ((std::f64::consts::TAU * RADIUS * farthest.cos() / self.near).floor() as i64).max(1)
    }

    fn column(&self, band: i64, lon: f64) -> i64 {
        let squares = self.squares_of(band);
        (((lon + 180.0) / 360.0 * squares as f64).floor() as i64).rem_euclid(squares)
    }

    fn add(&mut self, paths: &Paths, point: u32) {
        let (lat, lon) = paths.place(point as usize);
        let band = self.band(lat);
        self.squares.entry((band, self.column(band, lon))).or_default().push_back(point);
    }

    /// The points near one and not long before it, in the order in which they came.
    fn near(&mut self, paths: &Paths, point: u32, time: i64) -> Vec<u32> {
        let place = paths.place(point as usize);
        let mut found = Vec::new();
        for band in self.band(place.0) - 1..=self.band(place.0) + 1 {
            let (squares, column) = (self.squares_of(band), self.column(band, place.1));
            let mut columns = [column - 1, column, column + 1].map(|column| column.rem_euclid(squares)).to_vec();
            columns.sort_unstable();
            columns.dedup();
            for column in columns {
                let Some(square) = self.squares.get_mut(&(band, column)) else { continue };
                while square.front().is_some_and(|&old| time - paths.time(old as usize) > self.soon) {
                    square.pop_front();
                }
                found.extend(square.iter().filter(|&&other| distance(place, paths.place(other as usize)) <= self.near));
            }
        }
        found.sort_unstable_by_key(|&other| (paths.time(other as usize), other));
        found
    }
}

impl Method<Paths> for Swap {
    fn protect(&self, original: &Paths, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Paths>> {
        let (records, exchanges) = self.records(original, rng, progress)?;
        let mut order: Vec<u32> = (0..original.points() as u32).collect();
        order.sort_by_key(|&point| (records[point as usize], original.time(point as usize)));
        let mut builder = PathsBuilder::default();
        let mut record_of = vec![None; original.persons()];
        let of_one = order.chunk_by(|&left, &right| records[left as usize] == records[right as usize]);
        for (count, points) in of_one.enumerate() {
            let name = count.to_string();
            for &point in points {
                let point = point as usize;
                let ((lat, lon), text) = (original.place(point), |mark| original.text(mark, point).unwrap_or_default());
                let marks = [text(Mark::Place), text(Mark::Cell), "", ""];
                builder.push(&name, Point { time: original.time(point), lat, lon, marks });
            }
            record_of[records[points[0] as usize] as usize] = Some(count as u32);
        }
        Ok(Protected::new(builder.finish(), record_of, Vec::new()).counted(crate::accounts::PATHS_EXCHANGED, exchanges))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn promises(&self) -> bool {
        false
    }

    fn makes_crowds(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::progress::Silent;
    use crate::rng::Rng;

    fn paths(points: &[(&str, i64, f64, f64)]) -> Paths {
        let mut builder = PathsBuilder::default();
        for &(person, minute, lat, lon) in points {
            builder.push(person, Point { time: minute * 60_000, lat, lon, marks: ["inn", "", "7", "tram"] });
        }
        builder.finish()
    }

    /// The latitudes of each person's record.
    fn swapped(params: Params, paths: &Paths) -> Vec<Vec<f64>> {
        let released = Swap::new(params).unwrap().protect(paths, &mut Rng::seeded(1), &Silent).unwrap();
        let records = released.records;
        assert!(!records.has(Mark::Trip) && !records.has(Mark::Label) && records.has(Mark::Place));
        let lats = |record: u32| records.range(record as usize).map(|point| records.place(point).0).collect();
        released.record_of.into_iter().map(|record| lats(record.unwrap())).collect()
    }

    /// Ann goes from 47.1 to 47.2, Ben from 47.9 to 47.8; both are at the inn (47.5) at about the same time. Cid was there an hour before.
    #[test]
    fn one_swap_by_hand() {
        let original = paths(&[
            ("ann", 0, 47.1, 8.0),
            ("ann", 60, 47.5, 8.0),
            ("ann", 64, 47.5, 8.0),
            ("ann", 120, 47.2, 8.0),
            ("ben", 0, 47.9, 8.0),
            ("ben", 62, 47.5, 8.001),
            ("ben", 120, 47.8, 8.0),
            ("cid", 0, 47.5, 8.0),
            ("cid", 130, 46.0, 8.0),
        ]);
        let found = swapped(Params::default(), &original);
        // They meet when Ben comes, once: what Ann does from then on is in Ben's record.
        assert_eq!(found, [vec![47.1, 47.5, 47.8], vec![47.9, 47.5, 47.5, 47.2], vec![47.5, 46.0]]);
        let far = Params { meet: "50m,10m".to_owned(), ..Params::default() };
        assert_eq!(swapped(far, &original)[0], [47.1, 47.5, 47.5, 47.2]);
        // Within an hour Ann meets Cid first, and then each of them meets Ben.
        let long = Params { meet: "0.2km,1h".to_owned(), ..Params::default() };
        assert_ne!(swapped(long, &original)[2], [47.5, 46.0]);
    }

    #[test]
    fn refused() {
        for meet in ["", "200m", "0m,5m", "200,10m", "200m,10", "NaNm,1h", "200m,ä"] {
            assert!(Swap::new(Params { meet: meet.to_owned(), swap_chance: 1.0 }).is_err(), "{meet}");
        }
        assert!(Swap::new(Params { swap_chance: 0.0, ..Params::default() }).is_err());
        assert_eq!(meeting("1.5km,2h"), Some((1500.0, 7_200_000)));
    }

    /// Everybody looked at, in the order of time.
    fn plainly(paths: &Paths, near: f64, soon: i64) -> Vec<u32> {
        let owner = |point: usize| (0..paths.persons()).find(|&person| paths.range(person).contains(&point)).unwrap();
        let mut order: Vec<usize> = (0..paths.points()).collect();
        order.sort_by_key(|&point| (paths.time(point), point));
        let mut record: Vec<u32> = (0..paths.persons() as u32).collect();
        let mut records = vec![0; paths.points()];
        let mut touched: HashMap<(usize, usize), i64> = HashMap::new();
        for at in 0..order.len() {
            let (point, own) = (order[at], owner(order[at]));
            records[point] = record[own];
            for before in 0..at {
                let (other, stranger) = (order[before], owner(order[before]));
                let is_last = order[before + 1..at].iter().all(|&later| owner(later) != stranger);
                let apart = paths.time(point) - paths.time(other);
                if stranger == own
                    || !is_last
                    || apart > soon
                    || distance(paths.place(point), paths.place(other)) > near
                {
                    continue;
                }
                let met = touched.insert((own.min(stranger), own.max(stranger)), paths.time(point));
                if met.is_none_or(|met| paths.time(point) - met > soon) {
                    record.swap(own, stranger);
                }
            }
        }
        records
    }

    proptest! {
        /// As by looking at everybody, near the equator, in the north and at the pole, and over the date line.
        #[test]
        fn as_plainly(
            points in prop::collection::vec((0..4_usize, 0..40_i64, -40..40_i32, -40..40_i32), 1..40),
            middle in prop::sample::select(vec![(0.0, 0.0), (70.0, 179.9999), (89.999, 10.0), (-33.0, -180.0)]),
        ) {
            let place = |&(person, minute, lat, lon): &(usize, i64, i32, i32)| {
                let lon: f64 = middle.1 + f64::from(lon) / 1e4;
                let lon = if lon > 180.0 { lon - 360.0 } else if lon < -180.0 { lon + 360.0 } else { lon };
                (["a", "b", "c", "d"][person], minute, (middle.0 + f64::from(lat) / 1e4).min(90.0), lon)
            };
            let original = paths(&points.iter().map(place).collect::<Vec<_>>());
            let method = Swap::new(Params::default()).unwrap();
            let (records, _) = method.records(&original, &mut Rng::seeded(1), &Silent).unwrap();
            prop_assert_eq!(records, plainly(&original, 0.2, 600_000));
        }
    }
}
