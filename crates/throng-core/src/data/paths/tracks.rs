//! Tracks: the stretches of paths that are compared with each other, all points of a person or those of a trip.

use std::ops::Range;

use super::{MISSING, Mark, Paths};
use crate::geo::between;

/// Stretches of paths, in the order of persons and time; none is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracks {
    ranges: Vec<Range<usize>>,
    persons: Vec<u32>,
}

impl Tracks {
    /// All points of each person who has any.
    pub fn of_persons(paths: &Paths) -> Self {
        let with_points = (0..paths.persons()).filter(|&person| !paths.range(person).is_empty());
        let (persons, ranges) = with_points.map(|person| (person as u32, paths.range(person))).unzip();
        Self { ranges, persons }
    }

    /// All points of each of some persons, of whom nobody is without.
    pub fn of(paths: &Paths, persons: &[u32]) -> Self {
        Self { ranges: persons.iter().map(|&person| paths.range(person as usize)).collect(), persons: persons.to_vec() }
    }

    /// The trips of each person: points that follow each other and have the same trip. Points without a trip belong to none.
    pub fn of_trips(paths: &Paths) -> Self {
        let (mut ranges, mut persons) = (Vec::new(), Vec::new());
        for person in 0..paths.persons() {
            let range = paths.range(person);
            let mut start = range.start;
            for point in range.clone() {
                let trip = paths.mark(Mark::Trip, point);
                let is_last = point + 1 == range.end || paths.mark(Mark::Trip, point + 1) != trip;
                if is_last {
                    if trip != MISSING {
                        ranges.push(start..point + 1);
                        persons.push(person as u32);
                    }
                    start = point + 1;
                }
            }
        }
        Self { ranges, persons }
    }

    /// Trips where any point has one, else persons.
    pub fn natural(paths: &Paths) -> Self {
        if paths.has(Mark::Trip) { Self::of_trips(paths) } else { Self::of_persons(paths) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The points of a track.
    pub fn range(&self, track: usize) -> Range<usize> {
        self.ranges[track].clone()
    }

    /// Whose it is.
    pub fn person(&self, track: usize) -> u32 {
        self.persons[track]
    }

    /// How many different persons some tracks are of.
    pub fn persons_of(&self, tracks: impl Iterator<Item = usize>) -> usize {
        let mut persons: Vec<u32> = tracks.map(|track| self.persons[track]).collect();
        persons.sort_unstable();
        persons.dedup();
        persons.len()
    }
}

/// Where somebody was at a time, by points in the order of time, of which there is one at least: on the straight way between the points
/// around it; before the first and after the last, there.
pub fn place_at(paths: &Paths, points: Range<usize>, time: i64) -> (f64, f64) {
    let (mut low, mut high) = (points.start, points.end);
    while low < high {
        let middle = low.midpoint(high);
        if paths.time(middle) <= time { low = middle + 1 } else { high = middle }
    }
    let after = low;
    if after == points.start {
        return paths.place(after);
    }
    let (from, to) = (after - 1, after);
    if to == points.end || paths.time(from) == time {
        return paths.place(from);
    }
    let share = (time - paths.time(from)) as f64 / (paths.time(to) - paths.time(from)) as f64;
    between(paths.place(from), paths.place(to), share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::paths::{PathsBuilder, Point};

    fn paths(points: &[(&str, i64, f64, &str)]) -> Paths {
        let mut builder = PathsBuilder::default();
        for &(person, time, lon, trip) in points {
            builder.push(person, Point { time, lat: 0.0, lon, marks: ["", "", trip, ""] });
        }
        builder.finish()
    }

    #[test]
    fn trips_and_persons() {
        let paths = paths(&[
            ("a", 0, 0.0, "1"),
            ("a", 1, 0.0, "1"),
            ("a", 2, 0.0, ""),
            ("a", 3, 0.0, "2"),
            ("b", 0, 0.0, ""),
            ("c", 0, 0.0, "1"),
        ]);
        let trips = Tracks::natural(&paths);
        let found: Vec<_> = (0..trips.len()).map(|track| (trips.person(track), trips.range(track))).collect();
        assert_eq!(found, [(0, 0..2), (0, 3..4), (2, 5..6)]);
        assert_eq!(Tracks::of_persons(&paths).len(), 3);
        assert_eq!((trips.persons_of(0..2), trips.persons_of(0..3)), (1, 2));
    }

    #[test]
    fn places_between_points() {
        let paths = paths(&[("a", 0, 0.0, ""), ("a", 100, 10.0, ""), ("a", 100, 20.0, ""), ("a", 200, 40.0, "")]);
        let lon = |time| place_at(&paths, 0..4, time).1;
        assert_eq!(
            [lon(-5), lon(0), lon(50), lon(100), lon(150), lon(200), lon(999)],
            [0.0, 0.0, 5.0, 20.0, 30.0, 40.0, 40.0]
        );
    }
}
