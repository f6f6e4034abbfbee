//! What rules may ask of a track: numbers, and the cells that it begins in, ends in and goes through.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use super::super::cells::CellKeys;
use crate::data::Paths;
use crate::data::paths::tracks::Tracks;
use crate::data::time::HOUR;
use crate::geo::distance;

/// Somebody stops who is within so many kilometres of a point …
const STOP_RADIUS: f64 = 0.1;
/// … for so many milliseconds.
const STOP_TIME: i64 = 2 * HOUR / 60;
const DAY: i64 = 24 * HOUR;

/// A number that a track has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// How long the way is, point by point.
    LengthKm,
    /// From the first to the last point.
    DurationMin,
    /// Length by duration; 0 without duration.
    SpeedKmh,
    /// The speed that a tenth of the steps exceed.
    FastestKmh,
    /// How often it stays within 100 metres of a point for two minutes or more.
    Stops,
    /// In how many different cells it is.
    Cells,
    /// When it begins, in hours of the day in UTC, 7.5 for half past seven.
    StartHour,
    /// When it ends.
    EndHour,
    /// The day on which it begins, from 1 for Monday to 7 for Sunday.
    Weekday,
}

impl Feature {
    /// Every number.
    pub const ALL: [Self; 9] = [
        Self::LengthKm,
        Self::DurationMin,
        Self::SpeedKmh,
        Self::FastestKmh,
        Self::Stops,
        Self::Cells,
        Self::StartHour,
        Self::EndHour,
        Self::Weekday,
    ];

    /// Its name and its unit.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::LengthKm => ("length", " km"),
            Self::DurationMin => ("duration", " min"),
            Self::SpeedKmh => ("speed", " km/h"),
            Self::FastestKmh => ("fastest", " km/h"),
            Self::Stops => ("stops", ""),
            Self::Cells => ("cells", ""),
            Self::StartHour => ("starts at hour", ""),
            Self::EndHour => ("ends at hour", ""),
            Self::Weekday => ("weekday", ""),
        }
    }
}

/// Which cell of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The first.
    From,
    /// The last.
    To,
    /// Any.
    Through,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 3] = [Self::From, Self::To, Self::Through];
}

/// Something that must be so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Condition {
    /// A number is in an interval.
    Number {
        /// Which.
        feature: Feature,
        /// More than this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        above: Option<f64>,
        /// At most this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_most: Option<f64>,
    },
    /// A cell is one of the track, or not.
    Cell {
        /// Which of the track's.
        part: Part,
        /// The name of the cell.
        cell: String,
        /// Whether it is.
        is: bool,
    },
}

impl Condition {
    /// Whether it is so.
    pub(super) fn holds(&self, example: &Example, keys: &CellKeys<'_>) -> bool {
        match self {
            Self::Number { feature, above, at_most } => {
                let number = example.numbers[*feature as usize];
                above.is_none_or(|above| number > above) && at_most.is_none_or(|most| number <= most)
            }
            Self::Cell { part, cell, is } => example.cells_of(*part).iter().any(|&key| keys.name(key) == *cell) == *is,
        }
    }
}

/// As a reader says it.
impl Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { feature, above, at_most } => {
                let (name, unit) = feature.words();
                match (above, at_most) {
                    (Some(above), Some(most)) => write!(f, "{name} above {above} and at most {most}{unit}"),
                    (Some(above), None) => write!(f, "{name} above {above}{unit}"),
                    (None, Some(most)) => write!(f, "{name} at most {most}{unit}"),
                    (None, None) => write!(f, "any {name}"),
                }
            }
            Self::Cell { part, cell, is } => {
                let not = if *is { "" } else { "not " };
                let part = match part {
                    Part::From => "from",
                    Part::To => "to",
                    Part::Through => "through",
                };
                write!(f, "{not}{part} {cell}")
            }
        }
    }
}

/// A question with its answer, before cells have names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Asked {
    /// Whether a number is at most this.
    Number(Feature, f64, bool),
    /// Whether a cell is one of the track.
    Cell(Part, u64, bool),
}

/// Conditions, those of one number together.
pub(super) fn merged(asked: Vec<Asked>, keys: &CellKeys<'_>) -> Vec<Condition> {
    let mut conditions: Vec<Condition> = Vec::new();
    for asked in asked {
        match asked {
            Asked::Cell(part, cell, is) => conditions.push(Condition::Cell { part, cell: keys.name(cell), is }),
            Asked::Number(own, limit, is_at_most) => {
                // The later question is asked of what the earlier one left: its limit is the tighter one.
                let known = conditions.iter_mut().find_map(|condition| match condition {
                    Condition::Number { feature, above, at_most } if *feature == own => Some((above, at_most)),
                    _ => None,
                });
                match known {
                    Some((_, at_most)) if is_at_most => *at_most = Some(limit),
                    Some((above, _)) => *above = Some(limit),
                    None => conditions.push(Condition::Number {
                        feature: own,
                        above: (!is_at_most).then_some(limit),
                        at_most: is_at_most.then_some(limit),
                    }),
                }
            }
        }
    }
    conditions
}

/// What is known of a track.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Example {
    pub(super) numbers: [f64; Feature::ALL.len()],
    from: Option<u64>,
    to: Option<u64>,
    /// All cells, in rising order.
    through: Vec<u64>,
}

impl Example {
    pub(super) fn of(paths: &Paths, tracks: &Tracks, track: usize, keys: &CellKeys<'_>) -> Self {
        let range = tracks.range(track);
        let steps = || range.clone().zip(range.clone().skip(1));
        let far = |(from, to): (usize, usize)| distance(paths.place(from), paths.place(to));
        let length: f64 = steps().map(far).sum();
        let (first, last) = (paths.time(range.start), paths.time(range.end - 1));
        let hours = (last - first) as f64 / HOUR as f64;
        let mut speeds: Vec<f64> = steps()
            .filter(|&(from, to)| paths.time(to) > paths.time(from))
            .map(|(from, to)| far((from, to)) / ((paths.time(to) - paths.time(from)) as f64 / HOUR as f64))
            .collect();
        speeds.sort_unstable_by(f64::total_cmp);
        let fastest = speeds.get((speeds.len() * 9 / 10).min(speeds.len().saturating_sub(1))).copied().unwrap_or(0.0);
        let in_order: Vec<u64> = range.clone().filter_map(|point| keys.key(point)).collect();
        let (from, to) = (in_order.first().copied(), in_order.last().copied());
        let mut through = in_order;
        through.sort_unstable();
        through.dedup();
        let hour = |time: i64| time.rem_euclid(DAY) as f64 / HOUR as f64;
        // The first of January 1970 was a Thursday.
        let weekday = (first.div_euclid(DAY) + 3).rem_euclid(7) + 1;
        let numbers = [
            length,
            hours * 60.0,
            if hours > 0.0 { length / hours } else { 0.0 },
            fastest,
            stops(paths, range) as f64,
            through.len() as f64,
            hour(first),
            hour(last),
            weekday as f64,
        ];
        Self { numbers, from, to, through }
    }

    /// The cells of a part of the track.
    pub(super) fn cells_of(&self, part: Part) -> &[u64] {
        match part {
            Part::From => self.from.as_slice(),
            Part::To => self.to.as_slice(),
            Part::Through => &self.through,
        }
    }

    pub(super) fn answer(&self, part: Part, cell: u64) -> bool {
        self.cells_of(part).binary_search(&cell).is_ok()
    }
}

/// How often a track stays near a point for a while.
fn stops(paths: &Paths, range: std::ops::Range<usize>) -> usize {
    let (mut start, mut stops) = (range.start, 0);
    while start < range.end {
        let is_near = |&point: &usize| distance(paths.place(start), paths.place(point)) <= STOP_RADIUS;
        let last = (start..range.end).take_while(is_near).last().unwrap_or(start);
        if paths.time(last) - paths.time(start) >= STOP_TIME {
            stops += 1;
            start = last + 1;
        } else {
            start += 1;
        }
    }
    stops
}
