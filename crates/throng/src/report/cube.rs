//! A published cube as a page: a map with a slider over its times, drawn from its rows and from nothing beside them.
//!
//! Colours are points for each square kilometre, on one scale for all times. Tiles of an adaptive cube that were split show their rest below the
//! finer ones. Without scripts the first time is shown; the table has the others.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use throng_core::data::time::{self, HOUR, TimeStyle};
use throng_core::paths::cube::{Bins, Cells, Part, Row};
use throng_core::paths::outline::outline;
use throng_core::{Error, Result};

use super::maps::{COLOURS, EQUATOR, Square, View, colour, least, shrink};
use super::page::{STYLE, render};
use super::published::three_digits;
use crate::words::{counted, thousands};

const TEMPLATE: &str = include_str!("cube.html");
/// A page has no more rows than these: a browser draws each.
const MOST_ROWS: usize = 200_000;

/// What the template shows.
#[derive(Debug, Serialize)]
struct Page {
    style: &'static str,
    cells: String,
    bins: String,
    k: u64,
    rows: String,
    points: String,
    frames: Vec<Frame>,
    map: String,
    /// Colours and from how many points on they stand.
    legend: Vec<(usize, f64)>,
    has_rest: bool,
    version: &'static str,
}

/// A time.
#[derive(Debug, Serialize)]
struct Frame {
    name: String,
    rows: String,
    points: String,
    entries: String,
    exits: String,
    /// The cell with the most points.
    most: String,
}

/// A row on the map.
struct Drawn<'a> {
    row: &'a Row,
    corners: Vec<(f64, f64)>,
    /// In square kilometres, without what finer rows have of it.
    area: f64,
}

/// A cube as a page.
pub(crate) fn cube_page(rows: &[Row], cells: Cells, bins: Bins, k: u64) -> Result<String> {
    if cells == Cells::Place {
        return Err(Error::refused("the cells of this cube are names of places, which lie nowhere on a map")
            .with_hint("a cube with `--cell tile:Z`, `quad:A-B` or `h3:R` can be drawn"));
    }
    // Totals of a time say nothing of a place; totals of a cell are the map of all times.
    let mut frames: BTreeMap<Option<i64>, Vec<Drawn<'_>>> = BTreeMap::new();
    let mut count = 0;
    for row in rows.iter().filter(|row| !(row.part == Part::Total && row.cell.is_empty())) {
        let corners = outline(cells, &row.cell)
            .ok_or_else(|| Error::data("a cell of the cube is none of its grid").with_value(&row.cell))?;
        let area = area(&corners);
        frames.entry(row.time).or_default().push(Drawn { row, corners, area });
        count += 1;
    }
    if count == 0 {
        return Err(Error::refused("the cube has no row of a cell: there is nothing to draw")
            .with_hint("coarser cells, longer times or a smaller k leave more"));
    }
    if count > MOST_ROWS {
        return Err(Error::refused(format!(
            "the cube has {} rows, and a page has at most {}",
            thousands(count as u64),
            thousands(MOST_ROWS as u64)
        ))
        .with_hint("count coarser cells or longer times: `--cell quad:8-12`, `--time 7d`"));
    }
    frames.values_mut().for_each(|drawn| take_out_finer(drawn));
    let all = || frames.values().flatten();
    let density = |own: &Drawn<'_>| own.row.observations as f64 / own.area;
    let densest = all().map(density).fold(0.0, f64::max);
    let squares: Vec<Square> = all().map(Drawn::square).collect();
    let view = View::of(&squares).ok_or_else(|| Error::internal("rows lie nowhere"))?;
    let map = view.picture("points by place, at the chosen time", |out| {
        for (number, drawn) in frames.values().enumerate() {
            let _ = write!(out, "<g class=\"frame{}\">", if number == 0 { " on" } else { "" });
            drawn.iter().for_each(|own| own.draw(&view, colour(density(own), densest), out));
            out.push_str("</g>");
        }
    });
    let map = map.replacen("role=\"img\"", "role=\"img\" aria-describedby=\"times\"", 1);
    let points: u64 = rows.iter().filter(|row| row.part != Part::Total).map(|row| row.observations).sum();
    let page = Page {
        style: STYLE,
        cells: cells.to_string(),
        bins: bins.to_string(),
        k,
        rows: counted(rows.len() as u64, "row", "rows"),
        points: counted(points, "point", "points"),
        legend: (0..COLOURS).rev().map(|number| (number, three_digits(least(number, densest)))).collect(),
        has_rest: all().any(|own| own.row.part == Part::Rest),
        frames: frames.iter().map(|(time, drawn)| Frame::of(*time, bins, drawn)).collect(),
        map,
        version: env!("CARGO_PKG_VERSION"),
    };
    render(TEMPLATE, &page)
}

/// Coarse rows first, and the area of a rest without the rows that lie in it.
fn take_out_finer(drawn: &mut [Drawn<'_>]) {
    drawn.sort_by(|one, other| (one.row.cell.len(), &one.row.cell).cmp(&(other.row.cell.len(), &other.row.cell)));
    // By name, those inside of a tile stand one behind the other; with the area of all before each.
    let mut whole: Vec<(&str, f64)> =
        drawn.iter().filter(|own| own.row.part == Part::Whole).map(|own| (own.row.cell.as_str(), own.area)).collect();
    whole.sort_unstable_by_key(|(name, _)| *name);
    let mut before = vec![0.0];
    whole.iter().for_each(|(_, area)| before.push(before[before.len() - 1] + area));
    for own in drawn.iter_mut().filter(|own| own.row.part == Part::Rest) {
        let (name, past) = (own.row.cell.as_str(), format!("{}4", own.row.cell));
        let from = whole.partition_point(|(other, _)| *other < name);
        let to = whole.partition_point(|(other, _)| *other < past.as_str());
        own.area = (own.area - (before[to] - before[from])).max(own.area / 1e6);
    }
}

/// How large the land between some corners is, in square kilometres.
fn area(corners: &[(f64, f64)]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    let twice: f64 = corners.iter().zip(next).map(|(one, other)| one.0 * other.1 - other.0 * one.1).sum();
    let middle = corners.iter().map(|corner| corner.1).sum::<f64>() / corners.len().max(1) as f64;
    (twice.abs() / 2.0 * (EQUATOR * shrink(middle)).powi(2)).max(1e-12)
}

impl Drawn<'_> {
    /// The square around it, by which it is decided what part of the world is shown.
    fn square(&self) -> Square {
        let ends = |of: fn(&(f64, f64)) -> f64| {
            let all = self.corners.iter().map(of);
            (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max))
        };
        let ((west, east), (north, south)) = (ends(|corner| corner.0), ends(|corner| corner.1));
        Square {
            x: west,
            y: north,
            side: (east - west).max(south - north),
            before: self.row.observations as f64,
            after: 0.0,
            is_rest: self.row.part == Part::Rest,
        }
    }

    fn draw(&self, view: &View, colour: Option<usize>, out: &mut String) {
        let row = self.row;
        let class = colour.map_or_else(|| "none".to_owned(), |number| format!("m{number}"));
        let (broken, rest) = if row.part == Part::Rest { (" rest", "the rest of ") } else { ("", "") };
        let _ = write!(out, "<path class=\"area {class}{broken}\" d=\"");
        for (number, &(x, y)) in self.corners.iter().enumerate() {
            let (x, y) = view.point(x, y);
            let _ = write!(out, "{}{x:.1} {y:.1}", if number == 0 { 'M' } else { 'L' });
        }
        let name = if row.cell.is_empty() { "the whole world" } else { &row.cell };
        let persons = row.persons.map_or_else(String::new, |persons| counted(persons, "person", "persons") + ", ");
        let _ = write!(
            out,
            "Z\"><title>{rest}{name}: {persons}{}, {} in, {} out</title></path>",
            counted(row.observations, "point", "points"),
            thousands(row.entries),
            thousands(row.exits)
        );
    }
}

impl Frame {
    fn of(time: Option<i64>, bins: Bins, drawn: &[Drawn<'_>]) -> Self {
        let sum = |of: fn(&Row) -> u64| thousands(drawn.iter().map(|own| of(own.row)).sum());
        let name = match (time, bins.0) {
            (None, _) => "all times".to_owned(),
            (Some(time), Some(length)) if length % (24 * HOUR) == 0 => time::day_text(time),
            (Some(time), _) => time::to_text(time, TimeStyle::ISO),
        };
        // Of equal ones the first, which is the coarsest.
        let most = drawn.iter().rev().max_by_key(|own| own.row.observations);
        Self {
            name,
            rows: thousands(drawn.len() as u64),
            points: sum(|row| row.observations),
            entries: sum(|row| row.entries),
            exits: sum(|row| row.exits),
            most: most.map_or_else(String::new, |own| match own.row.part {
                Part::Rest => format!("the rest of {}", own.row.cell),
                _ => own.row.cell.clone(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use throng_core::geo::tile::Tile;

    use super::*;

    fn row(cell: &str, part: Part, time: Option<i64>, observations: u64) -> Row {
        Row { cell: cell.to_owned(), part, time, persons: Some(5), observations, entries: 1, exits: 2 }
    }

    /// A frame a time, the rest below the finer tiles, and nothing that a row does not say.
    #[test]
    fn drawn() {
        let day = 24 * HOUR;
        let rows = [
            row("0213", Part::Whole, Some(day), 40),
            row("021", Part::Rest, Some(day), 12),
            row("0213", Part::Whole, Some(2 * day), 9),
        ];
        let page = cube_page(&rows, Cells::Quad(3, 4), Bins(Some(day)), 5).unwrap();
        assert_eq!((page.matches("<g class=\"frame").count(), page.matches("<path class=\"area ").count()), (2, 3));
        assert_eq!(page.matches("<g class=\"frame on\">").count(), 1);
        assert!(
            page.contains("max=\"1\"") && page.contains("<th>1970-01-02</th>") && page.contains("<th>1970-01-03</th>")
        );
        assert!(
            page.find("the rest of 021: 5 persons, 12 points").unwrap()
                < page.find("<title>0213: 5 persons, 40").unwrap()
        );
        assert!(!page.contains("NaN") && !page.contains("inf"));
    }

    /// The totals of cells are the map of all times; those of times, and of everything, are on no map.
    #[test]
    fn totals() {
        let rows = [
            row("", Part::Total, None, 30),
            row("", Part::Total, Some(0), 30),
            row("8928308280fffff", Part::Total, None, 30),
            row("8928308280fffff", Part::Whole, Some(0), 30),
        ];
        let page = cube_page(&rows, Cells::H3(9), Bins(Some(HOUR)), 5).unwrap();
        assert_eq!(page.matches("<path class=\"area ").count(), 2);
        assert!(page.contains("<th>all times</th>") && page.contains("<th>1970-01-01T00:00:00Z</th>"));
        assert!(page.contains("4 rows with 30 points"), "{page}");
        for bad in [
            cube_page(&rows[..2], Cells::H3(9), Bins(None), 5),
            cube_page(&rows, Cells::Tile(4), Bins(None), 5),
            cube_page(&rows, Cells::Place, Bins(None), 5),
        ] {
            assert!(bad.is_err());
        }
    }

    /// A square of zoom 10 at the equator has a side of 39.1 km.
    #[test]
    fn areas() {
        let tile = outline(Cells::Tile(10), &Tile::new(512, 511, 10).to_string()).unwrap();
        let side = EQUATOR / 1024.0;
        assert!((area(&tile) / (side * side) - 1.0).abs() < 1e-3, "{}", area(&tile));
    }
}
