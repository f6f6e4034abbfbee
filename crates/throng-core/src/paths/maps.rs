//! What maps of a report show: where people were before and after, how they moved, and the release over time; nothing of fewer than k people.
//!
//! # Idea
//! 1. Cells are the rows of an adaptive cube of the original over all times: each is of k persons or more, and so is every difference of
//!    them. The points of the release are counted in the same cells.
//! 2. Flows are moves between tiles, as coarse as it takes for some to be of k persons of the original; the greatest of these.
//! 3. Over time only the release is shown, which everybody has: counts of the original by time would tell, beside the map of all times, of
//!    fewer than k.
//!
//! # Cost
//! That of a cube, and O(points) for the rest.

use std::collections::{BTreeMap, HashMap};

use super::cube::{Bins, Cells, Params, Part, cube};
use crate::data::Paths;
use crate::data::time::HOUR;
use crate::error::Result;
use crate::geo::tile::Tile;

/// A cell of the map: shares of all points that lie in it, before and after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Where it is.
    pub tile: Tile,
    /// Whether it is what is left of the tile without the cells inside of it.
    pub is_rest: bool,
    /// The share of the original's points.
    pub before: f64,
    /// That of the release.
    pub after: f64,
}

/// Moves from a tile to another one: their shares of all moves between tiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// From where.
    pub from: Tile,
    /// To where.
    pub to: Tile,
    /// The share of the original's moves.
    pub before: f64,
    /// That of the release.
    pub after: f64,
}

/// The release in a bin of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// When it begins, in milliseconds since 1970.
    pub start: i64,
    /// Cells, by their numbers, with the share of all points of the release that lie in them then.
    pub cells: Vec<(u32, f64)>,
}

/// What maps show.
#[derive(Debug, Clone, PartialEq)]
pub struct Maps {
    /// The cells, coarse ones first.
    pub cells: Vec<Cell>,
    /// The greatest flows, the greatest first.
    pub flows: Vec<Flow>,
    /// How long a frame is, in hours.
    pub hours: i64,
    /// The frames in order.
    pub frames: Vec<Frame>,
}

/// The finest zoom of a map: about half a kilometre.
const FINEST: u8 = 16;
/// The zooms of flows, from fine to coarse; the first with enough flows is taken.
const FLOW_ZOOMS: [u8; 5] = [13, 12, 11, 10, 8];
/// So many flows are enough, and so many are shown at most.
const FLOWS: (usize, usize) = (12, 40);
/// No more frames than these.
const FRAMES: i64 = 48;

/// The maps of an original and its release, whose records stand for so many persons each; nothing if fewer than k persons were anywhere.
pub fn maps(original: &Paths, release: &Paths, multiplicity: &[u32], k: u64) -> Result<Option<Maps>> {
    let params = Params { cells: Cells::Quad(0, FINEST), bins: Bins(None), k };
    if k < 2 || (original.persons() as u64) < k || release.points() == 0 {
        return Ok(None);
    }
    let rows = cube(original, &params)?.rows;
    let all: u64 = rows.iter().map(|row| row.observations).sum();
    let mut cells: Vec<Cell> = rows
        .iter()
        .filter_map(|row| {
            let before = row.observations as f64 / all as f64;
            Some(Cell { tile: Tile::parse(&row.cell)?, is_rest: row.part == Part::Rest, before, after: 0.0 })
        })
        .collect();
    cells.sort_by_key(|cell| (cell.tile.zoom(), cell.tile.code()));
    let number_of: HashMap<Tile, u32> = (0..).zip(&cells).map(|(number, cell)| (cell.tile, number)).collect();
    let cell_at = |(lat, lon): (f64, f64)| {
        let finest = Tile::at(lat, lon, FINEST);
        (0..=FINEST).rev().find_map(|zoom| number_of.get(&finest.inside(zoom)).copied())
    };
    let (first, last) = release.time_span().unwrap_or_default();
    let days = (last - first).div_euclid(24 * HOUR) + 1;
    let length = 24 * HOUR * (days / FRAMES + i64::from(days % FRAMES > 0));
    let (mut counts, mut frames) = (vec![0_u64; cells.len()], BTreeMap::<i64, BTreeMap<u32, u64>>::new());
    let mut points = 0_u64;
    for (record, &times) in multiplicity.iter().enumerate() {
        for point in release.range(record) {
            points += u64::from(times);
            if let Some(cell) = cell_at(release.place(point)) {
                counts[cell as usize] += u64::from(times);
                let frame = frames.entry(release.time(point).div_euclid(length)).or_default();
                *frame.entry(cell).or_default() += u64::from(times);
            }
        }
    }
    let share = |count: u64| count as f64 / points.max(1) as f64;
    cells.iter_mut().zip(counts).for_each(|(cell, count)| cell.after = share(count));
    let frame = |(bin, own): (i64, BTreeMap<u32, u64>)| Frame {
        start: bin * length,
        cells: own.into_iter().map(|(cell, count)| (cell, share(count))).collect(),
    };
    let frames = frames.into_iter().map(frame).collect();
    Ok(Some(Maps { cells, flows: flows(original, release, multiplicity, k), hours: length / HOUR, frames }))
}

/// Moves from a tile to another, and how many persons made them.
type Moves = BTreeMap<(u64, u64), (u64, u64)>;

/// Moves between tiles of a zoom, and how many there are in all.
fn moves(paths: &Paths, multiplicity: Option<&[u32]>, zoom: u8) -> (Moves, u64) {
    let mut found = Moves::new();
    let mut all = 0;
    for person in 0..paths.persons() {
        let times = multiplicity.map_or(1, |multiplicity| u64::from(multiplicity[person]));
        let tile = |point: usize| {
            let (lat, lon) = paths.place(point);
            Tile::at(lat, lon, zoom).code()
        };
        let tiles: Vec<u64> = paths.range(person).map(tile).collect();
        let mut own: Vec<(u64, u64)> =
            tiles.windows(2).filter(|pair| pair[0] != pair[1]).map(|pair| (pair[0], pair[1])).collect();
        all += own.len() as u64 * times;
        own.sort_unstable();
        for same in own.chunk_by(|left, right| left == right) {
            let (moves, persons) = found.entry(same[0]).or_default();
            *moves += same.len() as u64 * times;
            *persons += times;
        }
    }
    (found, all)
}

fn flows(original: &Paths, release: &Paths, multiplicity: &[u32], k: u64) -> Vec<Flow> {
    let mut best: Vec<Flow> = Vec::new();
    for zoom in FLOW_ZOOMS {
        let (mut before, all_before) = moves(original, None, zoom);
        before.retain(|_, (_, persons)| *persons >= k);
        if before.len() <= best.len() {
            continue;
        }
        let (after, all_after) = moves(release, Some(multiplicity), zoom);
        let flow = |(&(from, to), &(count, _)): (&(u64, u64), &(u64, u64))| Flow {
            from: Tile::from_code(from, zoom),
            to: Tile::from_code(to, zoom),
            before: count as f64 / all_before.max(1) as f64,
            after: after.get(&(from, to)).map_or(0, |own| own.0) as f64 / all_after.max(1) as f64,
        };
        best = before.iter().map(flow).collect();
        if best.len() >= FLOWS.0 {
            break;
        }
    }
    best.sort_by(|left, right| {
        right.before.total_cmp(&left.before).then((left.from, left.to).cmp(&(right.from, right.to)))
    });
    best.truncate(FLOWS.1);
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::PathsBuilder;
    use crate::data::paths::Point;

    fn paths(points: &[(&str, i64, f64, f64)]) -> Paths {
        let mut builder = PathsBuilder::default();
        for &(person, hour, lat, lon) in points {
            builder.push(person, Point { time: hour * HOUR, lat, lon, marks: [""; 4] });
        }
        builder.finish()
    }

    /// Two persons go from one place to another, a third is elsewhere alone: their place is in no cell of its own, and their move in no flow.
    #[test]
    fn nobody_is_shown_alone() {
        let original = paths(&[
            ("a", 0, 10.0, 10.0),
            ("a", 1, 20.0, 20.0),
            ("b", 0, 10.0, 10.0),
            ("b", 2, 20.0, 20.0),
            ("c", 0, -40.0, -40.0),
            ("c", 30, -50.0, -60.0),
        ]);
        let release = paths(&[("x", 0, 10.0, 10.0), ("x", 26, 20.0, 20.0), ("y", 0, -40.0, -40.0)]);
        let found = maps(&original, &release, &[2, 1], 2).unwrap().unwrap();
        let alone = Tile::at(-40.0, -40.0, FINEST);
        for cell in &found.cells {
            let inside = original
                .range(2)
                .filter(|&point| {
                    let (lat, lon) = original.place(point);
                    cell.tile.holds(Tile::at(lat, lon, FINEST))
                })
                .count();
            assert!(inside == 0 || cell.tile.zoom() < 2, "{cell:?}");
        }
        assert!((found.cells.iter().map(|cell| cell.before).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((found.cells.iter().map(|cell| cell.after).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(found.flows.iter().all(|flow| !flow.from.holds(alone)));
        assert_eq!((found.flows.len(), found.flows[0].before, found.flows[0].after), (1, 2.0 / 3.0, 1.0));
        assert_eq!((found.hours, found.frames.len()), (24, 2));
        assert_eq!(found.frames[1].cells.len(), 1);
        assert!(maps(&original, &release, &[2, 1], 4).unwrap().is_none());
    }
}
