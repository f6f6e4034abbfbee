//! The mean path of a cluster: every person one voice.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::data::Paths;
use crate::data::paths::tracks::{Tracks, place_at};
use crate::distance::paths::clock::Clock;
use crate::geo::{Vector, between, distance};

/// So many points has a summary without times.
const SHARES: usize = 20;

/// A point of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SummaryPoint {
    /// When, in milliseconds since 1970; nothing, if the distance ignores time.
    pub time: Option<i64>,
    /// The latitude.
    pub lat: f64,
    /// The longitude.
    pub lon: f64,
}

/// Where the persons of some tracks were on average at each moment.
pub(super) fn on_clock(paths: &Paths, tracks: &Tracks, members: &[usize], clock: Clock) -> Vec<SummaryPoint> {
    let point = |moment: usize| {
        let time = clock.time(moment);
        let place = |&track: &usize| (tracks.person(track), place_at(paths, tracks.range(track), time));
        let (lat, lon) = mean(members.iter().map(place));
        SummaryPoint { time: Some(time), lat, lon }
    };
    (0..clock.moments).map(point).collect()
}

/// Where they were on average at each share of their way. Ways may be turned to the direction of one of them.
pub(super) fn along_the_way(
    paths: &Paths,
    tracks: &Tracks,
    members: &[usize],
    medoid: usize,
    may_be_turned: bool,
) -> Vec<SummaryPoint> {
    let middle = shares(paths, tracks, medoid);
    let directed = |&track: &usize| {
        let mut way = shares(paths, tracks, track);
        let apart =
            |way: &[(f64, f64)]| way.iter().zip(&middle).map(|(own, other)| distance(*own, *other)).sum::<f64>();
        if may_be_turned {
            let ahead = apart(&way);
            way.reverse();
            if apart(&way) >= ahead {
                way.reverse();
            }
        }
        (tracks.person(track), way)
    };
    let ways: Vec<(u32, Vec<(f64, f64)>)> = members.iter().map(directed).collect();
    let point = |share: usize| {
        let (lat, lon) = mean(ways.iter().map(|(person, way)| (*person, way[share])));
        SummaryPoint { time: None, lat, lon }
    };
    (0..SHARES).map(point).collect()
}

/// The mean of places, those of each person counting once together.
fn mean(places: impl Iterator<Item = (u32, (f64, f64))>) -> (f64, f64) {
    let mut sums: BTreeMap<u32, (Vector, f64)> = BTreeMap::new();
    for (person, place) in places {
        let sum = sums.entry(person).or_insert((Vector([0.0; 3]), 0.0));
        sum.0.add(Vector::of(place));
        sum.1 += 1.0;
    }
    let mut all = Vector([0.0; 3]);
    sums.values().for_each(|(sum, count)| all.add(Vector(sum.0.map(|part| part / count))));
    all.place()
}

/// Where a track was at each share of its way.
fn shares(paths: &Paths, tracks: &Tracks, track: usize) -> Vec<(f64, f64)> {
    let places: Vec<(f64, f64)> = tracks.range(track).map(|point| paths.place(point)).collect();
    let mut gone = vec![0.0];
    for pair in places.windows(2) {
        gone.push(gone[gone.len() - 1] + distance(pair[0], pair[1]));
    }
    let all = gone[gone.len() - 1];
    let place = |share: usize| {
        let way = all * share as f64 / (SHARES - 1) as f64;
        let after = gone.partition_point(|&gone| gone <= way).min(places.len() - 1);
        let before = after.saturating_sub(1);
        let step = gone[after] - gone[before];
        let part = if step > 0.0 { ((way - gone[before]) / step).clamp(0.0, 1.0) } else { 1.0 };
        between(places[before], places[after], part)
    };
    (0..SHARES).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::paths::{PathsBuilder, Point};

    /// Two go north side by side, one of them the other way; one of them twice.
    #[test]
    fn turned() {
        let mut builder = PathsBuilder::default();
        for (person, trip, lats, lon) in
            [("a", "1", [0.0, 1.0, 2.0], 0.0), ("b", "1", [2.0, 1.5, 0.0], 0.2), ("b", "2", [0.0, 0.5, 2.0], 0.2)]
        {
            for lat in lats {
                builder.push(person, Point { time: trip.parse().unwrap(), lat, lon, marks: ["", "", trip, ""] });
            }
        }
        let paths = builder.finish();
        let tracks = Tracks::of_trips(&paths);
        let found = along_the_way(&paths, &tracks, &[0, 1, 2], 0, true);
        assert_eq!(found.len(), SHARES);
        for (share, point) in found.iter().enumerate() {
            assert!(
                (point.lat - 2.0 * share as f64 / 19.0).abs() < 1e-4 && (point.lon - 0.1).abs() < 1e-6,
                "{point:?}"
            );
        }
        assert_eq!(found[0].time, None);
    }
}
