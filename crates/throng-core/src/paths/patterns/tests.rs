//! Patterns worked out by hand, and as by trying every sequence.

use proptest::prelude::*;

use super::*;
use crate::data::PathsBuilder;
use crate::data::paths::Point;
use crate::progress::Silent;

/// Points of persons at places with names, at minutes; a trip if it has a name.
fn paths(points: &[(&str, i64, &str, &str)]) -> Paths {
    let mut builder = PathsBuilder::default();
    for &(person, minute, place, trip) in points {
        builder.push(person, Point { time: minute * 60_000, lat: 47.0, lon: 8.0, marks: [place, "", trip, ""] });
    }
    builder.finish()
}

fn params(support: usize, longest: usize) -> Params {
    Params { cells: Cells::Place, support: Support::Persons(support), k: 2, longest, ..Params::default() }
}

fn found(paths: &Paths, params: &Params) -> Vec<(String, usize)> {
    let found = patterns(paths, params, &Silent).unwrap();
    found.patterns.iter().map(|pattern| (pattern.cells.join(" "), pattern.persons)).collect()
}

/// Two go from home to work by the station, one directly; two of them back.
#[test]
fn by_hand() {
    let paths = paths(&[
        ("ann", 0, "home", ""),
        ("ann", 5, "home", ""),
        ("ann", 15, "station", ""),
        ("ann", 45, "work", ""),
        ("ann", 500, "home", ""),
        ("ben", 0, "home", ""),
        ("ben", 12, "station", ""),
        ("ben", 40, "work", ""),
        ("cid", 0, "home", ""),
        ("cid", 30, "work", ""),
        ("cid", 480, "home", ""),
    ]);
    let expected = [("home work", 3), ("home station", 2), ("station work", 2), ("work home", 2)];
    let threes = [("home station work", 2), ("home work home", 2)];
    let all: Vec<(String, usize)> =
        expected.iter().chain(&threes).map(|&(cells, persons)| (cells.to_owned(), persons)).collect();
    assert_eq!(found(&paths, &params(2, 4)), all);
    assert_eq!(found(&paths, &params(2, 2)), all[..4]);
    assert_eq!(found(&paths, &params(3, 4)), all[..1]);
    // Nobody gets home within an hour.
    let soon = Params { within: 3_600_000, ..params(2, 4) };
    assert!(found(&paths, &soon).iter().all(|(cells, _)| !cells.ends_with("work home")));
    // The way to the station took ann ten minutes and ben twelve, in the quarter of an hour that begins at 0 on a grid of 225 s.
    let timed = patterns(&paths, &Params { tolerance: 900_000, ..params(2, 2) }, &Silent).unwrap();
    let station = &timed.patterns[1];
    assert_eq!((station.persons, station.timed_persons), (2, Some(2)));
    assert_eq!(station.transitions, Some(vec![Transition { from: 0, to: 900, typical: 660 }]));
    // Within a minute there are no times that two take.
    let exact = patterns(&paths, &Params { tolerance: 60_000, ..params(2, 2) }, &Silent).unwrap();
    assert_eq!((exact.patterns[1].timed_persons, exact.patterns[1].transitions.as_ref()), (None, None));
}

/// A step from one trip to another is none.
#[test]
fn trips() {
    let points = |trips: [&'static str; 2]| {
        [("a", 0, "x", trips[0]), ("a", 5, "y", trips[1]), ("b", 0, "x", trips[0]), ("b", 5, "y", trips[1])]
    };
    assert_eq!(found(&paths(&points(["1", "1"])), &params(2, 2)).len(), 1);
    assert_eq!(found(&paths(&points(["1", "2"])), &params(2, 2)).len(), 0);
    assert_eq!(found(&paths(&points(["", "1"])), &params(2, 2)).len(), 0);
}

#[test]
fn refused() {
    let paths = paths(&[("a", 0, "", "1")]);
    for params in [
        Params { k: 1, ..Params::default() },
        Params { support: Support::Persons(0), ..Params::default() },
        Params { support: Support::Share(1.5), ..Params::default() },
        Params { longest: 1, ..Params::default() },
        Params { within: 0, ..Params::default() },
        Params { cells: Cells::Quad(3, 4), ..Params::default() },
        params(2, 2),
    ] {
        assert!(patterns(&paths, &params, &Silent).is_err(), "{params:?}");
    }
}

/// A visit as when it was entered, when it was left, and the cell.
type Stay = (i64, i64, usize);

/// Whether a sequence of visits follows some cells, tried one by one.
fn follows(visits: &[Stay], cells: &[usize], within: i64) -> bool {
    fn from(visits: &[Stay], left: Option<i64>, cells: &[usize], within: i64) -> bool {
        let Some((&cell, rest)) = cells.split_first() else { return true };
        (0..visits.len()).any(|at| {
            let (entered, leaves, own) = visits[at];
            let is_soon = left.is_none_or(|left| entered - left <= within);
            own == cell && is_soon && from(&visits[at + 1..], Some(leaves), rest, within)
        })
    }
    from(visits, None, cells, within)
}

proptest! {
    /// Every sequence of up to three cells, tried with everybody.
    #[test]
    fn as_by_trying_all(
        visits in prop::collection::vec((0..4_usize, 0..60_i64, 0..3_usize), 1..30),
        support in 1..4_usize,
        within in 1..40_i64,
    ) {
        const NAMES: [&str; 3] = ["x", "y", "z"];
        let points: Vec<_> = visits.iter().map(|&(person, minute, cell)| (["a", "b", "c", "d"][person], minute, NAMES[cell], "")).collect();
        let paths = paths(&points);
        let params = Params { within: within * 60_000, ..params(support, 3) };
        let least = support.max(2);
        let of_person = |person: usize| -> Vec<Stay> {
            let mut own: Vec<Stay> = Vec::new();
            for point in paths.range(person) {
                let place = paths.text(crate::data::paths::Mark::Place, point);
                let (cell, time) =
                    (NAMES.iter().position(|name| Some(*name) == place).unwrap(), paths.time(point) / 60_000);
                match own.last_mut().filter(|stay| stay.2 == cell) {
                    Some(stay) => stay.1 = time,
                    None => own.push((time, time, cell)),
                }
            }
            own
        };
        let everybody: Vec<Vec<Stay>> = (0..paths.persons()).map(of_person).collect();
        let mut expected = Vec::new();
        for first in 0..3 {
            for second in 0..3 {
                for third in 0..4 {
                    let cells: Vec<usize> = [first, second, third].into_iter().filter(|&cell| cell < 3).collect();
                    if cells.windows(2).any(|pair| pair[0] == pair[1]) {
                        continue;
                    }
                    let persons = everybody.iter().filter(|own| follows(own, &cells, within)).count();
                    if persons >= least {
                        expected.push((cells.iter().map(|&cell| NAMES[cell]).collect::<Vec<_>>().join(" "), persons));
                    }
                }
            }
        }
        let mut found = found(&paths, &params);
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);
    }
}
