//! Cubes worked out by hand, and against plain counting.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::answer::{Question, answer};
use super::*;
use crate::data::paths::{PathsBuilder, Point};

/// Points of persons, given by their hour, and a place in one of the tiles of zoom 2 by its quadkey.
fn paths(points: &[(&str, i64, &str)]) -> Paths {
    let mut builder = PathsBuilder::default();
    for &(person, hour, key) in points {
        let digit = |at: usize| u32::from(key.as_bytes()[at] - b'0');
        let (x, y) = (2 * (digit(0) & 1) + (digit(1) & 1), 2 * (digit(0) >> 1) + (digit(1) >> 1));
        let lon = f64::from(x) * 90.0 - 180.0 + 45.0;
        let lat = [75.0, 30.0, -30.0, -75.0][y as usize];
        builder.push(person, Point { time: hour * HOUR + 60_000, lat, lon, marks: [""; 4] });
    }
    builder.finish()
}

fn params(cells: &str, bins: &str, k: u64) -> Params {
    Params { cells: Cells::parse(cells).unwrap(), bins: Bins::parse(bins).unwrap(), k }
}

/// Rows as `cell part hour persons observations entries exits`.
fn shown(rows: &[Row]) -> Vec<String> {
    let time = |row: &Row| row.time.map_or("-".to_owned(), |time| (time / HOUR).to_string());
    let persons = |row: &Row| row.persons.map_or("-".to_owned(), |persons| persons.to_string());
    rows.iter()
        .map(|row| {
            let Row { cell, observations, entries, exits, .. } = row;
            format!("{cell} {} {} {} {observations} {entries} {exits}", row.part.name(), time(row), persons(row))
        })
        .collect()
}

/// Twelve points, k = 2, two cells by two hours. In hour 0 cell `00` has a, b, a and cell `01` only c, twice; in hour 1 `00` has only a, and `01` has
/// b, c, d, b, d, and b comes once more.
///
/// |      | hour 0        | hour 1                 | total        |
/// | `00` | 3 of a, b     | 1 of a (hidden)        | 4 of a, b    |
/// | `01` | 2 of c hidden | 6 of b, c, d           | 8 of b, c, d |
/// | all  | 5 of a, b, c  | 7 of a, b, c, d        | 12           |
///
/// Each total of a cell or an hour has a remainder of one person: they are left out. The total of all has the remainder 3 of a and c, which is two
/// persons, and each of the hidden cells may have 0 to 3 of it: 2 is possible, so it stays.
#[test]
fn twelve_points_by_hand() {
    let points = [
        ("a", 0, "00"),
        ("b", 0, "00"),
        ("a", 0, "00"),
        ("c", 0, "01"),
        ("c", 0, "01"),
        ("a", 1, "00"),
        ("b", 1, "01"),
        ("c", 1, "01"),
        ("d", 1, "01"),
        ("b", 1, "01"),
        ("d", 1, "01"),
        ("b", 1, "01"),
    ];
    let paths = paths(&points);
    let found = cube(&paths, &params("tile:2", "1h", 2)).unwrap();
    // b moves once from `00` in hour 0 to `01` in hour 1.
    assert_eq!(shown(&found.rows), [" total - - 12 1 1", "00 whole 0 2 3 0 1", "01 whole 1 3 6 1 0"]);
    assert_eq!((found.observations, found.left_out), (9, LeftOut { observations: 3, cells: 2, totals: 4 }));
    // Without the second person in the remainder there is no total either.
    let alone = super::cube(&self::paths(&points[..9]), &params("tile:2", "all", 3)).unwrap();
    assert_eq!(shown(&alone.rows), ["01 whole - 3 5 1 0"]);
}

/// k = 2, zooms 0 to 2: the north-western quarter has a, b, c in `00` and one of them in `01`; c alone is in the east. The east's one
/// person would be the rest, so the quarter joins it, and the map is not split.
#[test]
fn a_tree_by_hand() {
    let west = [("a", 0, "00"), ("b", 0, "00"), ("c", 0, "00"), ("a", 0, "01"), ("b", 0, "01")];
    let split = cube(&paths(&west), &params("quad:0-2", "all", 2)).unwrap();
    assert_eq!(shown(&split.rows), ["00 whole - 3 3 0 2", "01 whole - 2 2 2 0"]);
    assert_eq!(split.mean_zoom, Some(2.0));
    let mut east = west.to_vec();
    east.push(("c", 0, "11"));
    let whole = cube(&paths(&east), &params("quad:0-2", "all", 2)).unwrap();
    assert_eq!(shown(&whole.rows), [" whole - 3 6 0 0"]);
    // Two persons in the east are a cell of their own; two in different cells of it are its whole.
    east.push(("d", 0, "12"));
    let both = cube(&paths(&east), &params("quad:0-2", "all", 2)).unwrap();
    assert_eq!(shown(&both.rows), ["00 whole - 3 3 0 3", "01 whole - 2 2 2 0", "1 whole - 2 2 1 0"]);
    // Three children, one of them with one person: the one with the fewest persons joins it.
    let mixed = [("a", 0, "00"), ("b", 0, "00"), ("c", 0, "00"), ("a", 0, "01"), ("b", 0, "01"), ("c", 0, "02")];
    let rest = cube(&paths(&mixed), &params("quad:0-2", "all", 2)).unwrap();
    assert_eq!(shown(&rest.rows), ["0 rest - - 3 3 0", "00 whole - 3 3 0 3"]);
}

#[test]
fn questions() {
    let points = [
        ("a", 0, "00"),
        ("b", 0, "00"),
        ("a", 1, "01"),
        ("b", 1, "01"),
        ("a", 25, "31"),
        ("b", 25, "31"),
        ("a", 25, "00"),
        ("b", 25, "00"),
    ];
    let bins = Bins::parse("1h").unwrap();
    let rows = cube(&paths(&points), &params("tile:2", "1h", 2)).unwrap().rows;
    let ask = |question: Question| shown(&answer(&rows, bins, &question).unwrap());
    assert_eq!(
        ask(Question::RollUpCells(1)),
        ["0 sum 0 - 2 0 2", "0 sum 1 - 2 2 2", "0 sum 25 - 2 2 0", "3 sum 25 - 2 2 2"]
    );
    assert_eq!(
        ask(Question::RollUpTime(Bins::parse("1d").unwrap())),
        ["00 sum 0 - 2 0 2", "01 sum 0 - 2 2 2", "00 sum 24 - 2 2 0", "31 sum 24 - 2 2 2"]
    );
    assert_eq!(ask(Question::DrillDown(Tile::parse("0").unwrap())).len(), 3);
    assert_eq!(
        ask(Question::SliceCell("00".to_owned())),
        ["00 total - - 4 2 2", "00 whole 0 2 2 0 2", "00 whole 25 2 2 2 0"]
    );
    assert_eq!(ask(Question::SliceTime(Some(HOUR))), [" total 1 - 2 2 2", "01 whole 1 2 2 2 2"]);
    assert!(answer(&rows, bins, &Question::RollUpTime(Bins::parse("90m").unwrap())).is_err());
}

#[test]
fn refused() {
    for wrong in ["tile:30", "tile:x", "tile", "quad:9-4", "quad:3", "h3:16", "hex:3", ""] {
        assert!(Cells::parse(wrong).is_err(), "{wrong}");
    }
    for wrong in ["", "1", "0h", "-1d", "1w", "hour", "99999999999d"] {
        assert!(Bins::parse(wrong).is_err(), "{wrong}");
    }
    for right in ["1h", "1d", "7d", "90m", "all"] {
        assert_eq!(Bins::parse(right).unwrap().to_string(), right);
    }
    let two = paths(&[("a", 0, "00"), ("b", 0, "00")]);
    assert!(cube(&two, &params("tile:2", "1h", 3)).is_err() && cube(&two, &params("tile:2", "1h", 1)).is_err());
    assert!(cube(&two, &params("place", "1h", 2)).is_err());
}

/// The cell of the documentation of H3.
#[test]
fn h3() {
    let mut builder = PathsBuilder::default();
    for person in ["a", "b"] {
        let (lat, lon) = (37.775_938_728_915_946, -122.417_950_630_187_99);
        builder.push(person, Point { time: 0, lat, lon, marks: [""; 4] });
    }
    let rows = cube(&builder.finish(), &params("h3:9", "all", 2)).unwrap().rows;
    assert_eq!(shown(&rows), [" total - - 2 0 0", "8928308280fffff whole - 2 2 0 0"]);
}

/// Points as numbers: person, hour, x and y of zoom 3.
type Drawn = Vec<(u8, i64, u8, u8)>;

fn drawn_paths(drawn: &Drawn) -> Paths {
    let mut builder = PathsBuilder::default();
    for &(person, hour, x, y) in drawn {
        let lon = f64::from(x) * 45.0 - 180.0 + 20.0;
        let lat = (std::f64::consts::PI * (1.0 - 2.0 * (f64::from(y) + 0.5) / 8.0)).sinh().atan().to_degrees();
        builder.push(&person.to_string(), Point { time: hour * HOUR, lat, lon, marks: [""; 4] });
    }
    builder.finish()
}

fn drawn() -> impl Strategy<Value = Drawn> {
    prop::collection::vec((0..7_u8, 0..4_i64, 0..8_u8, 0..8_u8), 8..80)
}

/// A row's region by a plain rule: the point's quadkey goes on from the row's, and for a rest no other row of the bin does better.
fn is_in(row: &Row, rows: &[Row], key: &str) -> bool {
    let begins = |row: &&Row| key.starts_with(&row.cell);
    let longest = rows.iter().filter(|other| other.time == row.time).filter(begins).map(|other| other.cell.len()).max();
    begins(&row) && longest == Some(row.cell.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every row of a tree has k persons and the counts of a plain look; only coarsest tiles without k persons are lost; and a tile is not
    /// split only if its children allow nothing, by the rule, tried plainly.
    #[test]
    fn trees(drawn in drawn(), coarsest in 0..2_u8, bins in prop::sample::select(vec!["1h", "2h", "all"]), k in 2..4_u64) {
        let paths = drawn_paths(&drawn);
        let params = params(&format!("quad:{coarsest}-3"), bins, k);
        let Ok(found) = cube(&paths, &params) else { return Ok(()) };
        let points: Vec<(usize, usize)> = (0..paths.persons()).flat_map(|person| paths.range(person).map(move |point| (person, point))).collect();
        let key = |point: usize| Tile::at(paths.place(point).0, paths.place(point).1, 3).to_string();
        let bin = |point: usize| params.bins.0.map(|_| params.bins.start(paths.time(point)));
        let mut covered = 0;
        for row in &found.rows {
            let own: Vec<&(usize, usize)> = points.iter().filter(|(_, point)| bin(*point) == row.time && is_in(row, &found.rows, &key(*point))).collect();
            let persons: BTreeSet<usize> = own.iter().map(|(person, _)| *person).collect();
            prop_assert!(persons.len() as u64 >= k);
            prop_assert_eq!(row.persons, (row.part == Part::Whole).then_some(persons.len() as u64));
            prop_assert_eq!(row.observations, own.len() as u64);
            covered += own.len();
            let steps = |own: usize, other: usize| bin(own) == row.time && is_in(row, &found.rows, &key(own)) && !is_in(row, &found.rows, &key(other));
            let pairs = || points.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1));
            prop_assert_eq!(row.exits, pairs().filter(|&(from, to)| steps(from, to)).count() as u64);
            prop_assert_eq!(row.entries, pairs().filter(|&(from, to)| steps(to, from)).count() as u64);
        }
        let mut lost: BTreeMap<(Option<i64>, String), Vec<usize>> = BTreeMap::new();
        for &(person, point) in &points {
            lost.entry((bin(point), key(point)[..usize::from(coarsest)].to_owned())).or_default().push(person);
        }
        let of_small = lost.values().filter(|own| (own.iter().collect::<BTreeSet<_>>().len() as u64) < k).map(Vec::len).sum::<usize>();
        prop_assert_eq!(points.len() - covered, of_small);
        for row in found.rows.iter().filter(|row| row.part == Part::Whole && row.cell.len() < 3) {
            let persons = |child: char| -> BTreeSet<usize> {
                let begin = format!("{}{child}", row.cell);
                points.iter().filter(|(_, point)| bin(*point) == row.time && key(*point).starts_with(&begin)).map(|(person, _)| *person).collect()
            };
            let mut children: Vec<BTreeSet<usize>> = ['0', '1', '2', '3'].map(persons).to_vec();
            children.retain(|own| !own.is_empty());
            let (open, closed): (Vec<_>, Vec<_>) = children.into_iter().partition(|own| own.len() as u64 >= k);
            let rest: BTreeSet<usize> = closed.into_iter().flatten().collect();
            prop_assert!(open.is_empty() || (open.len() == 1 && !rest.is_empty() && (rest.len() as u64) < k));
        }
    }

    /// Every row of a grid has k persons and the counts of a plain look; every cell with k persons is there; no total has a remainder of
    /// 1 to k − 1 persons. (What totals say of hidden cells is tried in `interval`.)
    #[test]
    fn grids(drawn in drawn(), zoom in 0..4_u8, bins in prop::sample::select(vec!["1h", "2h", "all"]), k in 2..4_u64) {
        let paths = drawn_paths(&drawn);
        let params = params(&format!("tile:{zoom}"), bins, k);
        let Ok(found) = cube(&paths, &params) else { return Ok(()) };
        let points: Vec<(usize, usize)> = (0..paths.persons()).flat_map(|person| paths.range(person).map(move |point| (person, point))).collect();
        let key = |point: usize| Tile::at(paths.place(point).0, paths.place(point).1, zoom).to_string();
        let bin = |point: usize| params.bins.0.map(|_| params.bins.start(paths.time(point)));
        let wholes: BTreeMap<(Option<i64>, String), &Row> =
            found.rows.iter().filter(|row| row.part == Part::Whole).map(|row| ((row.time, row.cell.clone()), row)).collect();
        let mut cells: BTreeMap<(Option<i64>, String), BTreeSet<usize>> = BTreeMap::new();
        for &(person, point) in &points {
            cells.entry((bin(point), key(point))).or_default().insert(person);
        }
        for (cell, persons) in &cells {
            prop_assert_eq!(wholes.get(cell).map(|row| row.persons), (persons.len() as u64 >= k).then_some(Some(persons.len() as u64)));
        }
        for row in &found.rows {
            let is_total = row.part == Part::Total;
            let is_own = |point: usize| {
                (row.time == bin(point) || (is_total && row.time.is_none())) && (row.cell == key(point) || (is_total && row.cell.is_empty()))
            };
            let own: Vec<&(usize, usize)> = points.iter().filter(|(_, point)| is_own(*point)).collect();
            prop_assert_eq!(row.observations, own.len() as u64);
            prop_assert!(own.iter().map(|(person, _)| person).collect::<BTreeSet<_>>().len() as u64 >= k);
            let pairs = || points.windows(2).filter(|pair| pair[0].0 == pair[1].0 && key(pair[0].1) != key(pair[1].1));
            prop_assert_eq!(row.exits, pairs().filter(|pair| is_own(pair[0].1)).count() as u64);
            prop_assert_eq!(row.entries, pairs().filter(|pair| is_own(pair[1].1)).count() as u64);
            let hidden = own.iter().filter(|(_, point)| !wholes.contains_key(&(bin(*point), key(*point))));
            let rest = hidden.map(|(person, _)| person).collect::<BTreeSet<_>>().len() as u64;
            prop_assert!(rest == 0 || rest >= k);
        }
    }
}
