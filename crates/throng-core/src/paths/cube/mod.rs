//! A warehouse with a threshold: how many people, points and moves there were by cell and time, published only where enough people are.
//!
//! Paper      Giannotti and others. Mobility, Data Mining and Privacy (GeoPKDD), section 4: a privacy-aware trajectory warehouse. It names
//!            it and gives no rule; the rules are ours.
//! Does not   hide that a cell has many people, and says nothing of who they are; counts are exact, not noisy.
//!
//! # Idea
//! A grid is *fixed* (tiles of one zoom, H3 cells of one resolution, or named places), with totals of which some are left out
//! (`fixed`), or *adaptive*, a quad-tree for each bin of time (`adaptive`). `answer` asks a published cube, and never the original.
//!
//! A move is a step between consecutive points of a trip (of a person, where there are no trips): it leaves the cell of the first
//! point in the bin of that point, and enters the cell of the second in the bin of that one, if they are not the same.

mod adaptive;
pub mod answer;
mod fixed;
mod interval;

use std::fmt::{self, Display};

use h3o::{LatLng, Resolution};
use serde::Serialize;

use crate::data::paths::{MISSING, Mark, Paths};
use crate::data::time::HOUR;
use crate::geo::tile::{FINEST, Tile};
use crate::{Error, Result};

/// What the cells are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// Tiles of a zoom.
    Tile(u8),
    /// Tiles from a zoom to another, as fine as people allow.
    Quad(u8, u8),
    /// H3 cells of a resolution.
    H3(u8),
    /// The places that points name.
    Place,
}

impl Cells {
    /// Reads `tile:14`, `quad:4-16`, `h3:8` or `place`.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |problem: String| {
            Err(Error::parameter("cell", format!("is `{text}`, but {problem}"))
                .with_hint("for example `--cell tile:14`, `--cell quad:4-16`, `--cell h3:8` or `--cell place`"))
        };
        let number = |digits: &str| digits.parse::<u8>().ok();
        match text.split_once(':') {
            None if text == "place" => Ok(Self::Place),
            Some(("tile", zoom)) => match number(zoom) {
                Some(zoom) if zoom <= FINEST => Ok(Self::Tile(zoom)),
                _ => wrong(format!("the zoom of a tile is a whole number from 0 to {FINEST}")),
            },
            Some(("quad", zooms)) => match zooms.split_once('-').map(|(from, to)| (number(from), number(to))) {
                Some((Some(from), Some(to))) if from <= to && to <= FINEST => Ok(Self::Quad(from, to)),
                Some((Some(from), Some(to))) if from > to => {
                    wrong("the coarser zoom, which is the smaller number, comes first".to_owned())
                }
                _ => wrong(format!("a quad has two zooms from 0 to {FINEST}, the coarser one first")),
            },
            Some(("h3", resolution)) => match number(resolution) {
                Some(resolution) if resolution <= 15 => Ok(Self::H3(resolution)),
                _ => wrong("the resolution of H3 is a whole number from 0 to 15".to_owned()),
            },
            _ => wrong("cells are tile:Z, quad:A-B, h3:R or place".to_owned()),
        }
    }
}

impl Cells {
    /// The number of the cell of a point: the code of a tile, an H3 cell, the number of a place. None where a point names no place, and of
    /// tiles of several zooms.
    pub(crate) fn of(self, paths: &Paths, point: usize) -> Option<u64> {
        let (lat, lon) = paths.place(point);
        match self {
            Self::Tile(zoom) => Some(Tile::at(lat, lon, zoom).code()),
            Self::Quad(..) => None,
            Self::H3(resolution) => {
                let resolution = Resolution::try_from(resolution).ok()?;
                // Coordinates that were read are finite.
                LatLng::new(lat, lon).ok().map(|place| u64::from(place.to_cell(resolution)))
            }
            Self::Place => match paths.mark(Mark::Place, point) {
                MISSING => None,
                place => Some(u64::from(place)),
            },
        }
    }
}

impl Display for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tile(zoom) => write!(f, "tile:{zoom}"),
            Self::Quad(from, to) => write!(f, "quad:{from}-{to}"),
            Self::H3(resolution) => write!(f, "h3:{resolution}"),
            Self::Place => f.write_str("place"),
        }
    }
}

/// How long a bin of time is; `None` for all time in one. Bins are counted from 1970-01-01 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bins(pub Option<i64>);

impl Bins {
    /// Reads `15m`, `1h`, `1d`, `7d` or `all`.
    pub fn parse(text: &str) -> Result<Self> {
        if text == "all" {
            return Ok(Self(None));
        }
        let unit = |unit: char| match unit {
            'm' => Some(HOUR / 60),
            'h' => Some(HOUR),
            'd' => Some(24 * HOUR),
            _ => None,
        };
        let mut digits = text.chars();
        let millis = digits.next_back().and_then(unit).and_then(|unit| {
            let count = digits.as_str().parse::<i64>().ok().filter(|count| (1..=36_525).contains(count))?;
            Some(count * unit)
        });
        match millis {
            Some(millis) => Ok(Self(Some(millis))),
            None => Err(Error::parameter("time", format!("is `{text}`, but must be a length of time or `all`"))
                .with_hint("for example `--time 1h`, `--time 1d`, `--time 7d` or `--time all`")),
        }
    }

    /// The start of the bin that a time is in; 0 where all time is one.
    fn start(self, time: i64) -> i64 {
        self.0.map_or(0, |length| time.div_euclid(length) * length)
    }
}

impl Display for Bins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("all"),
            Some(length) if length % (24 * HOUR) == 0 => write!(f, "{}d", length / (24 * HOUR)),
            Some(length) if length % HOUR == 0 => write!(f, "{}h", length / HOUR),
            Some(length) => write!(f, "{}m", length / (HOUR / 60)),
        }
    }
}

/// What a row is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// A whole cell in a bin.
    Whole,
    /// What is left of a tile without its published tiles.
    Rest,
    /// A cell over all times, a bin over all cells, or everything.
    Total,
    /// Published rows that were added up.
    Sum,
}

impl Part {
    /// Its name, as in a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Rest => "rest",
            Self::Total => "total",
            Self::Sum => "sum",
        }
    }
}

/// A row of a cube.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The cell; empty for all.
    pub cell: String,
    /// What it is of.
    pub part: Part,
    /// The start of the bin; `None` for all times.
    pub time: Option<i64>,
    /// Different persons; only whole cells say so, for the persons of a union give away how many were in several of its parts.
    pub persons: Option<u64>,
    /// Points.
    pub observations: u64,
    /// Moves into the cell; of several cells, the sum of theirs.
    pub entries: u64,
    /// Moves out of it.
    pub exits: u64,
}

/// What to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// The cells.
    pub cells: Cells,
    /// The bins of time.
    pub bins: Bins,
    /// How many persons a row has at least.
    pub k: u64,
}

/// A cube, and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Cube {
    /// The rows, by time, cell and part; all times first.
    pub rows: Vec<Row>,
    /// The points of all rows that are not totals.
    pub observations: u64,
    /// The mean zoom of those points' rows; none where cells are no tiles.
    pub mean_zoom: Option<f64>,
    /// What is not in it.
    pub left_out: LeftOut,
}

/// What a cube leaves out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Points in no row but totals.
    pub observations: u64,
    /// Cells in a bin with people, but too few of them.
    pub cells: u64,
    /// Totals with enough people that would give away what is left out.
    pub totals: u64,
}

/// Counts people, points and moves.
pub fn cube(paths: &Paths, params: &Params) -> Result<Cube> {
    if params.k < 2 {
        return Err(Error::parameter("k", format!("is {}, but must be at least 2", params.k)));
    }
    if (paths.persons() as u64) < params.k {
        return Err(Error::refused(format!("there are fewer than k = {} persons", params.k))
            .with_hint("nothing could be published: a row needs k persons"));
    }
    let key = |point: usize| params.cells.of(paths, point);
    let mut cube = match params.cells {
        Cells::Tile(zoom) => {
            let name = |code: u64| Tile::from_code(code, zoom).to_string();
            Cube { mean_zoom: Some(f64::from(zoom)), ..fixed::cube(paths, key, name, params, zoom == 0) }
        }
        Cells::H3(_) => fixed::cube(paths, key, |cell| format!("{cell:x}"), params, false),
        Cells::Place => {
            if !paths.has(Mark::Place) {
                return Err(Error::parameter("cell", "is `place`, but no point has one")
                    .with_hint("`--column place=…` names the column of places"));
            }
            let name = |place: u64| paths.texts(Mark::Place).get(place as u32).to_owned();
            fixed::cube(paths, key, name, params, false)
        }
        Cells::Quad(from, to) => adaptive::cube(paths, from, to, params),
    };
    cube.rows.sort_by(|left, right| (left.time, &left.cell, left.part).cmp(&(right.time, &right.cell, right.part)));
    cube.left_out.observations = paths.points() as u64 - cube.observations;
    Ok(cube)
}

/// Whether the step from a point to the next one of the same person is part of a trip.
fn is_step(paths: &Paths, from: usize) -> bool {
    let trip = paths.mark(Mark::Trip, from);
    !paths.has(Mark::Trip) || (trip != MISSING && trip == paths.mark(Mark::Trip, from + 1))
}

#[cfg(test)]
mod tests;
