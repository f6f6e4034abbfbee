//! Journeys from raw points: stays, trips between them, and gaps that belong to neither.
//!
//! Paper      Giannotti and others. Mobility, Data Mining and Privacy (GeoPKDD): its first step. It names the step and no rule; the
//!            rules are ours, each of them one sentence below.
//! Does not   protect anybody: the result is as personal as the points.
//!
//! # Idea
//! 1. Coordinates are taken as they will be written, with seven decimals, so that a second run finds the same.
//! 2. A point with the time, the coordinates and the texts of an earlier one is a repeat, and dropped.
//! 3. A point that could be reached from the last one kept only faster than `max_speed` is dropped; the first is always kept.
//! 4. A step that takes longer than `gap` ends the trip and the stay; it belongs to neither. One exactly as long does not.
//! 5. A stay begins at the first point from which all following ones, for at least `stay_time`, are within `stay_radius` of it. It
//!    lasts from its first to its last point.
//! 6. Whatever is outside of stays is a trip, a new one after each stay and each gap; trips and stays of a person are numbered from 1.
//! 7. Of points that come as cells, repeated cells of a trip are merged: the first point of a run of one cell is kept, and of the
//!    others as few as it takes for the step to the next cell not to become a gap.
//!
//! # Cost
//! Time O(n · w) for n points and w points within the time of a stay, persons in parallel; memory O(n).

use std::collections::HashSet;
use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::paths::{Mark, Paths};
use crate::geo::{distance, rounded};
use crate::{Error, Result};

/// The rules.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// What needs more than this is dropped, in kilometres an hour.
    pub max_speed: f64,
    /// How far from the first point of a stay its others may be, in metres.
    pub stay_radius: f64,
    /// How long a stay is at least, in milliseconds.
    pub stay_time: i64,
    /// A longer step than this ends a trip and a stay, in milliseconds.
    pub gap: i64,
    /// Whether points are cells, of which repeated ones are merged.
    pub merge_cells: bool,
}

impl Default for Params {
    fn default() -> Self {
        let minute = 60_000;
        Self { max_speed: 200.0, stay_radius: 200.0, stay_time: 20 * minute, gap: 30 * minute, merge_cells: false }
    }
}

/// A stay of a person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stay {
    /// Whose it is.
    pub person: u32,
    /// Its number, from 1.
    pub number: u32,
    /// When its first point was.
    pub from: i64,
    /// When its last point was.
    pub to: i64,
    /// The mean latitude of its points.
    pub lat: f64,
    /// Their mean longitude.
    pub lon: f64,
    /// How many there are.
    pub points: u32,
}

/// Points with their trips and stays.
#[derive(Debug, Clone, PartialEq)]
pub struct Journeys {
    /// The points that were kept.
    pub paths: Paths,
    /// The trip of each point, from 1; 0 inside of a stay.
    pub trips: Vec<u32>,
    /// The stay of each point, from 1; 0 outside.
    pub stays_of: Vec<u32>,
    /// The stays, in the order of persons and time.
    pub stays: Vec<Stay>,
    /// What became of the points.
    pub counts: Counts,
}

/// What became of the points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Points that were kept.
    pub points: u64,
    /// Persons.
    pub persons: u64,
    /// Trips.
    pub trips: u64,
    /// Stays.
    pub stays: u64,
    /// Points that were exact repeats.
    pub dropped_repeats: u64,
    /// Points that could be reached only too fast.
    pub dropped_speed: u64,
    /// Points in the same cell as the one before.
    pub merged_cells: u64,
    /// Points that came after a later one of their person.
    pub resorted: u64,
    /// Steps that took too long.
    pub gaps: u64,
}

/// Journeys from points.
pub fn reconstruct(paths: &Paths, params: &Params) -> Result<Journeys> {
    let problems = [
        ("max-speed", !(params.max_speed > 0.0 && params.max_speed.is_finite()), "must be more than 0 km/h"),
        ("stay", !(params.stay_radius > 0.0 && params.stay_radius.is_finite()), "must have a radius of more than 0 m"),
        ("stay", params.stay_time <= 0, "must have a time of more than 0"),
        ("gap", params.gap <= 0, "must be more than 0"),
    ];
    let wrong: Vec<Error> = problems
        .iter()
        .filter(|(_, is_wrong, _)| *is_wrong)
        .map(|(name, _, problem)| Error::parameter(*name, *problem))
        .collect();
    if !wrong.is_empty() {
        return Err(Error::parameters(wrong));
    }
    let persons: Vec<OfPerson> =
        (0..paths.persons()).into_par_iter().with_min_len(16).map(|person| of_person(paths, person, params)).collect();
    let mut counts = Counts { persons: paths.persons() as u64, resorted: paths.resorted(), ..Counts::default() };
    let total = persons.iter().map(|own| own.points.len()).sum();
    let (mut points, mut trips, mut stays_of) =
        (Vec::with_capacity(total), Vec::with_capacity(total), Vec::with_capacity(total));
    let mut stays = Vec::new();
    for own in persons {
        counts.points += own.points.len() as u64;
        counts.trips += u64::from(own.trips.iter().copied().max().unwrap_or(0));
        counts.stays += own.stays.len() as u64;
        counts.dropped_repeats += own.counts.dropped_repeats;
        counts.dropped_speed += own.counts.dropped_speed;
        counts.merged_cells += own.counts.merged_cells;
        counts.gaps += own.counts.gaps;
        points.extend(own.points);
        trips.extend(own.trips);
        stays_of.extend(own.stays_of);
        stays.extend(own.stays);
    }
    Ok(Journeys { paths: paths.kept(&points, rounded), trips, stays_of, stays, counts })
}

#[derive(Default)]
struct OfPerson {
    points: Vec<usize>,
    trips: Vec<u32>,
    stays_of: Vec<u32>,
    stays: Vec<Stay>,
    counts: Counts,
}

fn of_person(paths: &Paths, person: usize, params: &Params) -> OfPerson {
    let mut own = OfPerson::default();
    let single = without_repeats(paths, paths.range(person));
    own.counts.dropped_repeats = (paths.range(person).len() - single.len()) as u64;
    let place = |point: usize| {
        let (lat, lon) = paths.place(point);
        (rounded(lat), rounded(lon))
    };
    let mut kept: Vec<Kept> = Vec::with_capacity(single.len());
    for point in single {
        let next = Kept { point, time: paths.time(point), place: place(point) };
        match kept.last() {
            Some(last) if is_too_fast(last, &next, params.max_speed) => own.counts.dropped_speed += 1,
            _ => kept.push(next),
        }
    }
    let (mut trip, mut stay) = (0, 0);
    for part in kept.chunk_by(|left, right| right.time - left.time <= params.gap) {
        let mut next = 0;
        for range in stays_of(part, params) {
            if next < range.start {
                trip += 1;
                own.add_trip(paths, &part[next..range.start], Some(part[range.start].time), trip, params);
            }
            stay += 1;
            own.add_stay(&part[range.clone()], person as u32, stay);
            next = range.end;
        }
        if next < part.len() {
            trip += 1;
            own.add_trip(paths, &part[next..], None, trip, params);
        }
        own.counts.gaps += 1;
    }
    own.counts.gaps = own.counts.gaps.saturating_sub(1);
    own
}

/// A point that was not dropped.
struct Kept {
    point: usize,
    time: i64,
    place: (f64, f64),
}

/// The points without exact repeats.
fn without_repeats(paths: &Paths, range: Range<usize>) -> Vec<usize> {
    let points: Vec<usize> = range.collect();
    let mut single = Vec::with_capacity(points.len());
    let mut seen = HashSet::new();
    for same_time in points.chunk_by(|&left, &right| paths.time(left) == paths.time(right)) {
        if let &[only] = same_time {
            single.push(only);
            continue;
        }
        seen.clear();
        single.extend(same_time.iter().filter(|&&point| {
            let (lat, lon) = paths.place(point);
            let marks = [Mark::Place, Mark::Cell, Mark::Label].map(|mark| paths.mark(mark, point));
            seen.insert((rounded(lat).to_bits(), rounded(lon).to_bits(), marks))
        }));
    }
    single
}

fn is_too_fast(from: &Kept, to: &Kept, most: f64) -> bool {
    let hours = (to.time - from.time) as f64 / 3_600_000.0;
    from.place != to.place && distance(from.place, to.place) > most * hours
}

/// The stays among points without a gap, in order.
fn stays_of(points: &[Kept], params: &Params) -> Vec<Range<usize>> {
    let radius = params.stay_radius / 1000.0;
    let mut stays = Vec::new();
    let mut first = 0;
    while first < points.len() {
        let centre = points[first].place;
        let is_near = |other: &Kept| other.place == centre || distance(centre, other.place) <= radius;
        let near = points[first..].iter().take_while(|other| is_near(other)).count();
        let end = first + near;
        if points[end - 1].time - points[first].time >= params.stay_time {
            stays.push(first..end);
            first = end;
        } else if end == points.len() {
            // Whatever begins later is shorter still.
            break;
        } else {
            // The next points at the same place see the same others, for a shorter time.
            first += points[first..end].iter().take_while(|other| other.place == centre).count();
        }
    }
    stays
}

impl OfPerson {
    fn add_stay(&mut self, points: &[Kept], person: u32, number: u32) {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
        let count = points.len() as f64;
        let lat = points.iter().map(|point| point.place.0).sum::<f64>() / count;
        // Relative to the first point, so that a stay may lie on the date line.
        let aside = |point: &Kept| wrapped(point.place.1 - first.place.1);
        let lon = wrapped(first.place.1 + points.iter().map(aside).sum::<f64>() / count);
        self.stays.push(Stay {
            person,
            number,
            from: first.time,
            to: last.time,
            lat: rounded(lat),
            lon: rounded(lon),
            points: points.len() as u32,
        });
        self.points.extend(points.iter().map(|point| point.point));
        self.trips.resize(self.points.len(), 0);
        self.stays_of.resize(self.points.len(), number);
    }

    /// Adds the points of a trip; `after` is the time of the point after it, if there is no gap before that.
    fn add_trip(&mut self, paths: &Paths, points: &[Kept], after: Option<i64>, number: u32, params: &Params) {
        let cell = |point: &Kept| paths.mark(Mark::Cell, point.point);
        let mut next = 0;
        for same in points.chunk_by(|left, right| params.merge_cells && cell(left) == cell(right)) {
            next += same.len();
            let before = self.points.len();
            self.points.push(same[0].point);
            // As few of the others as it takes, so that no step becomes a gap.
            let mut last = 0;
            if let Some(after) = points.get(next).map(|next| next.time).or(after) {
                while after - same[last].time > params.gap && last + 1 < same.len() {
                    let far = same.partition_point(|other| other.time - same[last].time <= params.gap);
                    last = (far - 1).max(last + 1);
                    self.points.push(same[last].point);
                }
            }
            self.counts.merged_cells += (same.len() - (self.points.len() - before)) as u64;
        }
        self.trips.resize(self.points.len(), number);
        self.stays_of.resize(self.points.len(), 0);
    }
}

/// A difference of longitudes, or a longitude, from −180 to 180.
fn wrapped(degrees: f64) -> f64 {
    if degrees > 180.0 {
        degrees - 360.0
    } else if degrees < -180.0 {
        degrees + 360.0
    } else {
        degrees
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::paths::{PathsBuilder, Point};

    const MINUTE: i64 = 60_000;

    /// Paths of one person: minutes, and metres to the north of the equator.
    fn walk(points: &[(i64, f64)]) -> Paths {
        let mut builder = PathsBuilder::default();
        for &(minutes, metres) in points {
            let lat = metres / 1000.0 / 111.195_080;
            builder.push("ann", Point { time: minutes * MINUTE, lat, lon: 10.0, marks: [""; 4] });
        }
        builder.finish()
    }

    fn found(points: &[(i64, f64)]) -> (Vec<u32>, Vec<u32>, Counts) {
        let journeys = reconstruct(&walk(points), &Params::default()).unwrap();
        (journeys.trips, journeys.stays_of, journeys.counts)
    }

    fn counts(points: u64, trips: u64, stays: u64) -> Counts {
        Counts { points, trips, stays, persons: 1, ..Counts::default() }
    }

    /// One point is a trip of its own, two near ones are one trip, and two at one place for long enough a stay.
    #[test]
    fn few_points() {
        assert_eq!(found(&[(0, 0.0)]), (vec![1], vec![0], counts(1, 1, 0)));
        assert_eq!(found(&[(0, 0.0), (10, 500.0)]), (vec![1, 1], vec![0, 0], counts(2, 1, 0)));
        assert_eq!(found(&[(0, 0.0), (19, 100.0)]), (vec![1, 1], vec![0, 0], counts(2, 1, 0)));
        assert_eq!(found(&[(0, 0.0), (20, 100.0)]), (vec![0, 0], vec![1, 1], counts(2, 0, 1)));
    }

    /// A trip, a stay and a trip; the first point and the last one belong to trips.
    #[test]
    fn a_stay_between_trips() {
        let points = [(0, 0.0), (5, 1000.0), (10, 2000.0), (20, 2100.0), (30, 2000.0), (35, 4000.0), (40, 6000.0)];
        let (trips, stays, found) = found(&points);
        assert_eq!(trips, [1, 1, 0, 0, 0, 2, 2]);
        assert_eq!(stays, [0, 0, 1, 1, 1, 0, 0]);
        assert_eq!(found, counts(7, 2, 1));
        let stay = reconstruct(&walk(&points), &Params::default()).unwrap().stays[0];
        assert_eq!((stay.from, stay.to, stay.points, stay.number), (10 * MINUTE, 30 * MINUTE, 3, 1));
        assert!((stay.lat * 111.195_080 * 1000.0 - 2033.333).abs() < 0.01 && stay.lon == 10.0);
    }

    /// The first point and the last one belong to stays if they are of one.
    #[test]
    fn stays_at_both_ends() {
        let points = [(0, 0.0), (25, 0.0), (30, 3000.0), (35, 5000.0), (60, 5000.0)];
        assert_eq!(found(&points), (vec![0, 0, 1, 0, 0], vec![1, 1, 0, 2, 2], counts(5, 1, 2)));
    }

    /// A gap inside a stay makes two of it, and neither lasts into the gap.
    #[test]
    fn a_gap_inside_a_stay() {
        let points = [(0, 0.0), (20, 0.0), (51, 0.0), (71, 0.0), (75, 0.0)];
        let journeys = reconstruct(&walk(&points), &Params::default()).unwrap();
        assert_eq!(journeys.stays_of, [1, 1, 2, 2, 2]);
        let spans: Vec<(i64, i64)> = journeys.stays.iter().map(|stay| (stay.from / MINUTE, stay.to / MINUTE)).collect();
        assert_eq!(spans, [(0, 20), (51, 75)]);
        assert_eq!(journeys.counts, Counts { gaps: 1, ..counts(5, 0, 2) });
        // Both sides are too short for a stay: nobody counts the gap as time spent.
        let (trips, stays, found) = found(&[(0, 0.0), (10, 0.0), (45, 0.0), (55, 0.0)]);
        assert_eq!((trips, stays), (vec![1, 1, 2, 2], vec![0; 4]));
        assert_eq!(found, Counts { gaps: 1, ..counts(4, 2, 0) });
    }

    /// A gap exactly as long as the limit ends nothing; one a millisecond longer does.
    #[test]
    fn a_gap_as_long_as_the_limit() {
        assert_eq!(found(&[(0, 0.0), (30, 3000.0)]).2, counts(2, 1, 0));
        assert_eq!(found(&[(0, 0.0), (30, 0.0)]).2, counts(2, 0, 1));
        let paths = walk(&[(0, 0.0), (30, 3000.0)]);
        let shorter = Params { gap: 30 * MINUTE - 1, ..Params::default() };
        let journeys = reconstruct(&paths, &shorter).unwrap();
        assert_eq!((journeys.trips, journeys.counts.gaps), (vec![1, 2], 1));
    }

    /// Repeats, what is too fast, and the same time at two places.
    #[test]
    fn dropped() {
        let points = [(0, 0.0), (0, 0.0), (1, 60_000.0), (1, 500.0), (1, 900.0), (2, 1000.0), (2, 1000.0)];
        let (trips, _, found) = found(&points);
        assert_eq!(trips, [1, 1, 1]);
        assert_eq!(found, Counts { dropped_repeats: 2, dropped_speed: 2, ..counts(3, 1, 0) });
        // A little less than 200 km/h, and a little more.
        assert_eq!(self::found(&[(0, 0.0), (60, 199_999.0)]).2.dropped_speed, 0);
        assert_eq!(self::found(&[(0, 0.0), (60, 200_001.0)]).2.dropped_speed, 1);
    }

    /// Times that go back are sorted and counted, and a step over the date line is short.
    #[test]
    fn back_in_time_and_over_the_date_line() {
        let mut builder = PathsBuilder::default();
        for (minutes, lon) in [(10, -179.999), (0, 179.999), (20, -179.999)] {
            builder.push("ann", Point { time: minutes * MINUTE, lat: 0.0, lon, marks: [""; 4] });
        }
        let params = Params { stay_radius: 500.0, ..Params::default() };
        let journeys = reconstruct(&builder.finish(), &params).unwrap();
        assert_eq!((journeys.counts.resorted, journeys.counts.stays), (1, 1));
        // 0.002 degrees of 360 to the east of the first point, twice, and once not.
        assert_eq!(journeys.stays[0].lon, rounded(-179.999 - 0.002 / 3.0));
    }

    #[test]
    fn cells_are_merged() {
        let mut builder = PathsBuilder::default();
        for (minutes, cell, lat) in [
            (0, "A", 0.0),
            (5, "A", 0.0),
            (10, "B", 0.01),
            (15, "C", 0.02),
            (25, "C", 0.02),
            (30, "A", 0.0),
            (31, "A", 0.0),
        ] {
            builder.push("ann", Point { time: minutes * MINUTE, lat, lon: 0.0, marks: ["", cell, "", ""] });
        }
        let params = Params { merge_cells: true, ..Params::default() };
        let journeys = reconstruct(&builder.finish(), &params).unwrap();
        let paths = &journeys.paths;
        let cell = |point: usize| paths.texts(Mark::Cell).get(paths.mark(Mark::Cell, point)).to_owned();
        assert_eq!(paths.range(0).map(cell).collect::<Vec<_>>(), ["A", "B", "C", "A"]);
        assert_eq!(journeys.counts.merged_cells, 3);
    }

    #[test]
    fn refused() {
        let wrong = Params { max_speed: 0.0, gap: 0, ..Params::default() };
        let said = reconstruct(&walk(&[(0, 0.0)]), &wrong).unwrap_err().to_string();
        assert!(said.contains("max-speed") && said.contains("gap"), "{said}");
    }

    proptest! {
        /// What was reconstructed stays as it is if it is reconstructed once more; stays are as the rule says, by a plain look.
        #[test]
        fn idempotent(
            points in prop::collection::vec((0..3_u8, 0..200_i64, -400..400_i32, -300..300_i32, 0..3_usize), 1..60),
            merge_cells: bool,
            gap in 5..60_i64,
            stay_time in 5..60_i64,
        ) {
            let mut builder = PathsBuilder::default();
            for (person, time, lat, lon, cell) in points {
                let (lat, lon) = if merge_cells { (cell as f64 / 500.0, 0.0) } else { (f64::from(lat) / 100_000.3, f64::from(lon) / 99_999.7) };
                let marks = ["", if merge_cells { ["A", "B", "C"][cell] } else { "" }, "", ""];
                builder.push(["a", "b", "c"][usize::from(person)], Point { time: time * MINUTE, lat, lon, marks });
            }
            let params = Params { merge_cells, gap: gap * MINUTE, stay_time: stay_time * MINUTE, max_speed: 30.0, ..Params::default() };
            let once = reconstruct(&builder.finish(), &params).unwrap();
            let twice = reconstruct(&once.paths, &params).unwrap();
            prop_assert_eq!(&once.paths, &twice.paths);
            prop_assert_eq!((&once.trips, &once.stays_of, &once.stays), (&twice.trips, &twice.stays_of, &twice.stays));
            let counts = twice.counts;
            prop_assert_eq!((counts.dropped_repeats, counts.dropped_speed, counts.merged_cells, counts.resorted), (0, 0, 0, 0));
            for stay in &once.stays {
                prop_assert!(stay.to - stay.from >= params.stay_time);
                let own: Vec<usize> = once.paths.range(stay.person as usize).filter(|&point| once.stays_of[point] == stay.number).collect();
                prop_assert_eq!(own.len() as u32, stay.points);
                let first = once.paths.place(own[0]);
                prop_assert!(own.iter().all(|&point| distance(first, once.paths.place(point)) <= 0.2));
            }
            prop_assert!(once.trips.iter().zip(&once.stays_of).all(|(&trip, &stay)| (trip == 0) != (stay == 0)));
        }
    }
}
