//! Questions to a published cube: its rows added up, looked into, or picked out. Nothing else than the published rows is asked, so an
//! answer says nothing that they do not say.

use super::{Bins, Part, Row};
use crate::geo::tile::Tile;
use crate::{Error, Result};

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// The sums of rows in each tile of a zoom; rows of coarser tiles stay as they are.
    RollUpCells(u8),
    /// The sums of rows of each cell in longer bins.
    RollUpTime(Bins),
    /// The quarters of a tile, each the sum of the rows in it.
    DrillDown(Tile),
    /// The rows of a bin, by its start; of all times, if `None`.
    SliceTime(Option<i64>),
    /// The rows of a cell, and of those inside of it.
    SliceCell(String),
}

/// Answers a question from the rows of a cube alone; `bins` are those of the cube.
pub fn answer(rows: &[Row], bins: Bins, question: &Question) -> Result<Vec<Row>> {
    let pieces = || rows.iter().filter(|row| matches!(row.part, Part::Whole | Part::Rest));
    let tile = |row: &Row| Tile::parse(&row.cell);
    let no_tiles = || {
        Error::refused("the cells of this cube are no tiles, which alone lie exactly in each other")
            .with_hint("ask for longer times, or slice it; a cube with `--cell tile:Z` or `--cell quad:A-B` has tiles")
    };
    match question {
        Question::RollUpCells(zoom) => {
            let coarser = |row: &Row| tile(row).map(|own| own.inside((*zoom).min(own.zoom())).to_string());
            let key = |row: &Row| Some((row.time, coarser(row)?, tile(row)?.zoom() < *zoom));
            summed(pieces(), key, no_tiles)
        }
        Question::DrillDown(cell) => {
            let zoom = cell.zoom() + 1;
            let inside = pieces().filter(|row| tile(row).is_none_or(|own| cell.holds(own)));
            let coarser = |row: &Row| tile(row).map(|own| own.inside(zoom.min(own.zoom())).to_string());
            let key = |row: &Row| Some((row.time, coarser(row)?, tile(row)?.zoom() < zoom));
            summed(inside, key, no_tiles)
        }
        Question::RollUpTime(longer) => {
            let fits = match (bins.0, longer.0) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(own), Some(longer)) => longer % own == 0,
            };
            if !fits {
                return Err(Error::parameter(
                    "roll-up",
                    format!("is `{longer}`, but the bins of the cube are `{bins}`"),
                )
                .with_hint("a longer time is a whole number of bins"));
            }
            let start = |row: &Row| row.time.filter(|_| longer.0.is_some()).map(|time| longer.start(time));
            // A rest is of another area in every bin: it is added to what is of the same tile.
            summed(pieces(), |row| Some((start(row), row.cell.clone(), false)), no_tiles)
        }
        Question::SliceTime(time) => Ok(rows.iter().filter(|row| row.time == *time).cloned().collect()),
        Question::SliceCell(cell) => {
            let is_inside = |row: &&Row| match (Tile::parse(cell), Tile::parse(&row.cell)) {
                (Some(cell), Some(own)) if row.part != Part::Total => cell.holds(own),
                _ => row.cell == *cell,
            };
            Ok(rows.iter().filter(is_inside).cloned().collect())
        }
    }
}

/// What rows that are added up have in common: time, cell, and the part of one that is kept as it is.
type Key = (Option<i64>, String, Option<Part>);

/// Rows with the same key added up, in the order of keys. One that is kept as it is has a key of its own.
fn summed<'r>(
    rows: impl Iterator<Item = &'r Row>,
    key: impl Fn(&Row) -> Option<(Option<i64>, String, bool)>,
    no_key: impl Fn() -> Error,
) -> Result<Vec<Row>> {
    let mut keyed = Vec::new();
    for row in rows {
        let (time, cell, is_kept) = key(row).ok_or_else(&no_key)?;
        keyed.push(((time, cell, is_kept.then_some(row.part)), row));
    }
    keyed.sort_by(|(left, _), (right, _)| left.cmp(right));
    let sum = |own: &[(Key, &Row)]| {
        let (time, cell, kept) = own[0].0.clone();
        let add = |count: fn(&Row) -> u64| own.iter().map(|(_, row)| count(row)).sum();
        Row {
            cell,
            part: kept.unwrap_or(Part::Sum),
            time,
            persons: kept.and(own[0].1.persons),
            observations: add(|row| row.observations),
            entries: add(|row| row.entries),
            exits: add(|row| row.exits),
        }
    };
    Ok(keyed.chunk_by(|left, right| left.0 == right.0).map(sum).collect())
}
