//! Paths: where people were and when, the points of each person side by side in the order of time.
//!
//! Points of equal time stay in the order of the file; "consecutive" always means in that order. Latitudes and longitudes are
//! kept as they were read. A place, a cell, a trip and a label are texts that a point may have.
//!
//! # Cost
//! 24 bytes a point, 4 more for each sort of text that any point has.

mod dataset;
pub mod tracks;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::strings::{Interner, Strings};

/// What stands for a text that a point does not have.
pub const MISSING: u32 = u32::MAX;

/// A sort of text that points may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The name of the place.
    Place,
    /// The cell of a telephone network.
    Cell,
    /// The trip that it belongs to.
    Trip,
    /// What somebody said of it.
    Label,
}

impl Mark {
    /// Every sort.
    pub const ALL: [Self; 4] = [Self::Place, Self::Cell, Self::Trip, Self::Label];
}

/// A point as it comes in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point<'a> {
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// The latitude in degrees.
    pub lat: f64,
    /// The longitude in degrees.
    pub lon: f64,
    /// The texts that it has, in the order of [`Mark::ALL`]; empty ones are none.
    pub marks: [&'a str; 4],
}

/// Paths of people.
#[derive(Debug, Clone, PartialEq)]
pub struct Paths {
    names: Strings,
    starts: Vec<usize>,
    times: Vec<i64>,
    lats: Vec<f64>,
    lons: Vec<f64>,
    marks: [Texts; 4],
    resorted: u64,
    known: Known,
}

/// The facts that may be known of people, once somebody asks; the same for paths that are equal.
#[derive(Clone, Default)]
struct Known(Arc<OnceLock<dataset::FactTable>>);

impl PartialEq for Known {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Known")
    }
}

/// One sort of text: the strings, and which of them each point has. No ids at all if no point has one.
#[derive(Debug, Clone, Default, PartialEq)]
struct Texts {
    strings: Strings,
    ids: Vec<u32>,
}

impl Paths {
    /// The number of persons.
    pub fn persons(&self) -> usize {
        self.names.len()
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.times.len()
    }

    /// The ids of the persons.
    pub fn names(&self) -> &Strings {
        &self.names
    }

    /// The points of a person, which are in the order of time.
    pub fn range(&self, person: usize) -> Range<usize> {
        self.starts[person]..self.starts[person + 1]
    }

    /// When a point was.
    pub fn time(&self, point: usize) -> i64 {
        self.times[point]
    }

    /// The latitude and the longitude of a point.
    pub fn place(&self, point: usize) -> (f64, f64) {
        (self.lats[point], self.lons[point])
    }

    /// Whether any point has a text of a sort.
    pub fn has(&self, mark: Mark) -> bool {
        !self.marks[mark as usize].ids.is_empty()
    }

    /// The number of a point's text of a sort, [`MISSING`] if it has none: points with the same text have the same number.
    pub fn mark(&self, mark: Mark, point: usize) -> u32 {
        self.marks[mark as usize].ids.get(point).copied().unwrap_or(MISSING)
    }

    /// The texts of a sort.
    pub fn texts(&self, mark: Mark) -> &Strings {
        &self.marks[mark as usize].strings
    }

    /// How many points came after a later one of the same person.
    pub fn resorted(&self) -> u64 {
        self.resorted
    }

    /// Some of the points, in the order of persons and time; everybody keeps one at least. Coordinates are as they are written.
    pub(crate) fn kept(&self, points: &[usize], coordinate: impl Fn(f64) -> f64) -> Self {
        let ends = (0..=self.persons()).map(|person| points.partition_point(|&point| point < self.starts[person]));
        let texts = |texts: &Texts| Texts {
            strings: texts.strings.clone(),
            ids: if texts.ids.is_empty() { Vec::new() } else { points.iter().map(|&point| texts.ids[point]).collect() },
        };
        Self {
            names: self.names.clone(),
            starts: ends.collect(),
            times: points.iter().map(|&point| self.times[point]).collect(),
            lats: points.iter().map(|&point| coordinate(self.lats[point])).collect(),
            lons: points.iter().map(|&point| coordinate(self.lons[point])).collect(),
            marks: std::array::from_fn(|mark| texts(&self.marks[mark])),
            resorted: 0,
            known: Known::default(),
        }
    }

    /// Points of some persons, by their numbers, in this order: those of the person with the name `p` are `starts[p]..starts[p + 1]` of them,
    /// and must be in the order of time.
    pub(crate) fn picked(&self, names: Strings, starts: Vec<usize>, points: &[usize]) -> Self {
        Self { names, starts, ..self.kept(points, |degrees| degrees) }
    }

    /// The points of the even days (`false`) or odd days, of persons who have both.
    pub fn of_days(&self, are_odd: bool) -> Self {
        let is_odd = |point: usize| super::time::day(self.times[point]) % 2 != 0;
        let has = |person: usize, odd: bool| self.range(person).any(|point| is_odd(point) == odd);
        let (mut names, mut starts, mut points) = (Strings::new(), vec![0], Vec::new());
        for person in (0..self.persons()).filter(|&person| has(person, false) && has(person, true)) {
            names.push(self.names.get(person as u32));
            points.extend(self.range(person).filter(|&point| is_odd(point) == are_odd));
            starts.push(points.len());
        }
        self.picked(names, starts, &points)
    }

    /// The text of a point of a sort, if it has one.
    pub fn text(&self, mark: Mark, point: usize) -> Option<&str> {
        match self.mark(mark, point) {
            MISSING => None,
            id => Some(self.marks[mark as usize].strings.get(id)),
        }
    }

    /// The same points, with trips by their numbers; 0 is none.
    #[must_use]
    pub fn with_trips(mut self, trips: &[u32]) -> Self {
        let (mut strings, mut ids) = (Interner::new(), Vec::with_capacity(trips.len()));
        for &trip in trips {
            ids.push(if trip == 0 { MISSING } else { strings.intern(&trip.to_string()) });
        }
        self.marks[Mark::Trip as usize] = Texts { strings: strings.into_strings(), ids };
        self
    }

    /// The first and the last point in time; nothing where there is no point.
    pub fn time_span(&self) -> Option<(i64, i64)> {
        Some((*self.times.iter().min()?, *self.times.iter().max()?))
    }
}

/// Paths while they are read: points of any persons, in the order of the file.
#[derive(Debug, Default)]
pub struct PathsBuilder {
    names: Interner,
    owners: Vec<u32>,
    times: Vec<i64>,
    lats: Vec<f64>,
    lons: Vec<f64>,
    marks: [(Interner, Vec<u32>); 4],
}

impl PathsBuilder {
    /// Adds a point of a person.
    pub fn push(&mut self, person: &str, point: Point<'_>) {
        let same = self.owners.last().copied().filter(|&last| self.names.strings().get(last) == person);
        let owner = same.unwrap_or_else(|| self.names.intern(person));
        for ((strings, ids), text) in self.marks.iter_mut().zip(point.marks) {
            if !text.is_empty() || !ids.is_empty() {
                ids.resize(self.times.len(), MISSING);
                ids.push(if text.is_empty() { MISSING } else { strings.intern(text) });
            }
        }
        self.owners.push(owner);
        self.times.push(point.time);
        self.lats.push(point.lat);
        self.lons.push(point.lon);
    }

    /// The number of points so far.
    pub fn points(&self) -> usize {
        self.times.len()
    }

    /// Changes every time.
    pub fn change_times(&mut self, change: impl Fn(i64) -> i64) {
        self.times.iter_mut().for_each(|time| *time = change(*time));
    }

    /// Takes the points of a later part of the file.
    pub fn append(&mut self, part: Self) {
        let before = self.times.len();
        let names: Vec<u32> = part.names.strings().iter().map(|name| self.names.intern(name)).collect();
        self.owners.extend(part.owners.iter().map(|&owner| names[owner as usize]));
        for ((strings, ids), (part_strings, part_ids)) in self.marks.iter_mut().zip(&part.marks) {
            if ids.is_empty() && part_ids.is_empty() {
                continue;
            }
            let numbers: Vec<u32> = part_strings.strings().iter().map(|text| strings.intern(text)).collect();
            ids.resize(before, MISSING);
            ids.extend(part_ids.iter().map(|&id| if id == MISSING { MISSING } else { numbers[id as usize] }));
            ids.resize(before + part.times.len(), MISSING);
        }
        self.times.extend_from_slice(&part.times);
        self.lats.extend_from_slice(&part.lats);
        self.lons.extend_from_slice(&part.lons);
    }

    /// The paths: points side by side for each person, in the order of time, those of equal time in the order of the file.
    pub fn finish(self) -> Paths {
        let Self { names, owners, times, lats, lons, marks } = self;
        let names = names.into_strings();
        let mut starts = vec![0_usize; names.len() + 1];
        owners.iter().for_each(|&owner| starts[owner as usize + 1] += 1);
        for person in 1..starts.len() {
            starts[person] += starts[person - 1];
        }
        // Which point of the file stands where.
        let mut order = vec![0_u32; owners.len()];
        let mut next = starts.clone();
        assert!(u32::try_from(owners.len()).is_ok(), "more than four billion points");
        for (point, &owner) in (0..).zip(&owners) {
            order[next[owner as usize]] = point;
            next[owner as usize] += 1;
        }
        drop((next, owners));
        let mut rest = order.as_mut_slice();
        let mut persons = Vec::with_capacity(names.len());
        for ends in starts.windows(2) {
            let (own, others) = rest.split_at_mut(ends[1] - ends[0]);
            persons.push(own);
            rest = others;
        }
        let time = |point: u32| times[point as usize];
        let sort = |own: &mut [u32]| {
            let back = own.windows(2).filter(|pair| time(pair[1]) < time(pair[0])).count() as u64;
            if back > 0 {
                own.sort_by_key(|&point| time(point));
            }
            back
        };
        let resorted = persons.into_par_iter().with_min_len(256).map(sort).sum();
        let texts = |(strings, ids): (Interner, Vec<u32>)| Texts {
            strings: strings.into_strings(),
            ids: if ids.is_empty() { ids } else { placed(&ids, &order) },
        };
        Paths {
            names,
            starts,
            times: placed(&times, &order),
            lats: placed(&lats, &order),
            lons: placed(&lons, &order),
            marks: marks.map(texts),
            resorted,
            known: Known::default(),
        }
    }
}

fn placed<T: Copy + Send + Sync>(column: &[T], order: &[u32]) -> Vec<T> {
    order.par_iter().with_min_len(1 << 14).map(|&point| column[point as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: i64, lat: f64) -> Point<'static> {
        Point { time, lat, lon: 0.0, marks: [""; 4] }
    }

    /// By time, those of equal time in the order of the file; counted if they went back.
    #[test]
    fn order() {
        let mut builder = PathsBuilder::default();
        for (person, time, lat) in [("b", 5, 1.0), ("a", 9, 2.0), ("b", 3, 3.0), ("b", 5, 4.0), ("a", 9, 5.0)] {
            builder.push(person, at(time, lat));
        }
        let paths = builder.finish();
        assert_eq!(paths.names().iter().collect::<Vec<_>>(), ["b", "a"]);
        let lats = |person: usize| paths.range(person).map(|point| paths.place(point).0).collect::<Vec<_>>();
        assert_eq!((lats(0), lats(1)), (vec![3.0, 1.0, 4.0], vec![2.0, 5.0]));
        assert_eq!(paths.resorted(), 1);
    }

    /// Parts put together are the whole, whichever of them has texts.
    #[test]
    fn parts() {
        let points = [
            ("a", Point { marks: ["", "", "", ""], ..at(1, 1.0) }),
            ("b", Point { marks: ["home", "", "", ""], ..at(2, 2.0) }),
            ("a", Point { marks: ["", "", "7", ""], ..at(3, 3.0) }),
            ("c", Point { marks: ["home", "", "", ""], ..at(4, 4.0) }),
            ("a", at(0, 5.0)),
        ];
        let built = |points: &[(&str, Point<'_>)]| {
            let mut builder = PathsBuilder::default();
            points.iter().for_each(|(person, point)| builder.push(person, *point));
            builder
        };
        let whole = built(&points).finish();
        for cut in 0..=points.len() {
            let mut joined = built(&points[..cut]);
            joined.append(built(&points[cut..]));
            assert_eq!(joined.finish(), whole, "{cut}");
        }
        assert!(whole.has(Mark::Place) && whole.has(Mark::Trip) && !whole.has(Mark::Label));
        let trips: Vec<u32> = whole.range(0).map(|point| whole.mark(Mark::Trip, point)).collect();
        assert_eq!(trips, [MISSING, MISSING, 0]);
    }
}
