//! Cube threshold: every published row of a cube is of at least k persons, and its numbers of points give away no cell that is not published.
//!
//! Claims     by `throng paths cube`. Looked at with the original beside it, by other code than that which wrote the cube.
//! Does not   hide that many people were somewhere, nor say anything of a second cube of the same people. Moves (entries and exits) are those
//!            of the rows as they are: a number of moves may be one person's, and totals may tell the moves of a cell that is not published.
//!
//! # Idea
//! 1. Every point of the original is counted again, plainly, and every row must have the counts that it says, and k persons.
//! 2. A quad-tree: rows of a bin do not overlap, but for a rest, which is what the tiles inside of it leave.
//! 3. A fixed grid: of every published total, the points in no published cell come from nobody or from k persons; and for every unpublished
//!    cell of 1 to k − 1 persons, the numbers that all published totals leave for its points reach k, and are more than one.
//!
//! # Cost
//! Time O(n log n) for n points, and for each cell with few persons a search that nearly always ends after a few steps.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use h3o::{LatLng, Resolution};

use crate::data::paths::{MISSING, Mark, Paths};
use crate::info::{self, Info};
use crate::paths::cube::{Bins, Cells};

/// The card of the model.
pub const INFO: Info = Info {
    name: "cube-threshold",
    summary: "every row of a cube of paths is of at least k persons, and no number of points gives away what is not published",
    paper: "Ours. After Giannotti and others, Mobility, Data Mining and Privacy, which names a privacy-aware trajectory warehouse and gives no rule",
    details: "Looks at a file of `throng paths cube` beside its original, as an attacker reads it. Every row has the counts of the original and at \
        least k persons. Of a quad-tree, no two rows of a bin overlap, but for a rest, which is what the tiles inside of it leave. Of a fixed grid, \
        the points of a published total that lie in no published cell come from nobody or from k persons, and for every unpublished cell of 1 to \
        k - 1 persons the numbers that all published totals leave for its points reach k and are more than one. Rows are in the order \
        of throng's, cells are named as throng names them.\n\
        Does not promise: anything of moves. Entries and exits are counted of the rows that are published, and may be of one person.\n\
        Cells and times are those of the file beside the cube, or `--cell` and `--time`.",
    parameters: &[info::K],
};

/// The model's name.
pub const NAME: &str = INFO.name;

/// A row as published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedRow {
    /// The line that it stands in.
    pub line: u64,
    /// The cell; empty for all.
    pub cell: String,
    /// `whole`, `rest` or `total`.
    pub part: String,
    /// The start of the bin; `None` for all times.
    pub time: Option<i64>,
    /// Different persons, where it says so.
    pub persons: Option<u64>,
    /// Points.
    pub observations: u64,
    /// Moves into the cell.
    pub entries: u64,
    /// Moves out of it.
    pub exits: u64,
}

/// Why it fails, and what shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The line of the row that shows it; none for a cell that is not published.
    pub line: Option<u64>,
    /// The cell; empty for all.
    pub cell: String,
    /// The start of the bin; `None` for all times.
    pub time: Option<i64>,
    /// What is wrong, in words.
    pub problem: String,
}

/// The fewest persons of a row, or what shows that it fails.
pub type Found = std::result::Result<u64, Witness>;

/// Looks at a published cube beside its original.
pub fn check(rows: &[PublishedRow], original: &Paths, cells: Cells, bins: Bins, k: u64) -> Found {
    let mut seen = BTreeSet::new();
    for row in rows {
        if !seen.insert((&row.cell, row.time, &row.part)) {
            return Err(at(row, "the row stands there twice"));
        }
    }
    let looking = Looking { original, cells, length: bins.0, k };
    let least = match cells {
        Cells::Quad(coarsest, finest) => looking.tree(rows, coarsest, finest),
        Cells::Tile(_) | Cells::H3(_) | Cells::Place => looking.grid(rows),
    }?;
    // Rows in another order than the writer's could say something.
    let order =
        |row: &PublishedRow| (row.time, row.cell.clone(), ["whole", "rest", "total"].map(|part| row.part != part));
    match rows.windows(2).find(|pair| order(&pair[0]) > order(&pair[1])) {
        Some(pair) => Err(at(&pair[1], "the row is not in its place: rows go by time, cell and part")),
        None => Ok(least),
    }
}

fn at(row: &PublishedRow, problem: &str) -> Witness {
    Witness { line: Some(row.line), cell: row.cell.clone(), time: row.time, problem: problem.to_owned() }
}

struct Looking<'a> {
    original: &'a Paths,
    cells: Cells,
    length: Option<i64>,
    k: u64,
}

/// What was counted of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Counted {
    persons: u64,
    observations: u64,
    entries: u64,
    exits: u64,
}

impl Looking<'_> {
    fn bin(&self, point: usize) -> i64 {
        self.length.map_or(0, |length| self.original.time(point).div_euclid(length) * length)
    }

    /// The cell of a point: digits of a quadkey, the number of an H3 cell, or that of a place.
    fn cell(&self, point: usize) -> Option<u64> {
        let (lat, lon) = self.original.place(point);
        match self.cells {
            Cells::Tile(zoom) | Cells::Quad(_, zoom) => Some(digits(lat, lon, zoom)),
            Cells::H3(resolution) => {
                let place = LatLng::new(lat, lon).ok()?;
                Some(u64::from(place.to_cell(Resolution::try_from(resolution).ok()?)))
            }
            Cells::Place => {
                Some(self.original.mark(Mark::Place, point)).filter(|&place| place != MISSING).map(u64::from)
            }
        }
    }

    /// The cell with a name.
    fn named(&self, name: &str) -> Option<u64> {
        match self.cells {
            Cells::Tile(zoom) => (name.len() == usize::from(zoom)).then(|| of_digits(name)).flatten(),
            Cells::Quad(..) => of_digits(name),
            Cells::H3(_) => u64::from_str_radix(name, 16).ok().filter(|cell| format!("{cell:x}") == name),
            Cells::Place => {
                let place = self.original.texts(Mark::Place).iter().position(|place| place == name)?;
                Some(place as u64)
            }
        }
    }

    /// The name of a cell.
    fn name(&self, cell: u64) -> String {
        match self.cells {
            Cells::Tile(zoom) | Cells::Quad(_, zoom) => {
                (0..zoom).rev().map(|digit| char::from(b'0' + (cell >> (2 * digit) & 3) as u8)).collect()
            }
            Cells::H3(_) => format!("{cell:x}"),
            Cells::Place => self.original.texts(Mark::Place).get(cell as u32).to_owned(),
        }
    }

    /// Steps between consecutive points of a trip.
    fn steps(&self) -> impl Iterator<Item = (usize, usize)> {
        let original = self.original;
        let of_person = move |person: usize| {
            let range = original.range(person);
            (range.start..range.end).zip(range.start + 1..range.end)
        };
        (0..original.persons()).flat_map(of_person).filter(move |&(from, to)| {
            let trip = |point: usize| original.mark(Mark::Trip, point);
            !original.has(Mark::Trip) || (trip(from) != MISSING && trip(from) == trip(to))
        })
    }

    /// Whether a row says what was counted, of enough persons.
    fn compare(&self, row: &PublishedRow, counted: &Counted) -> Found {
        let says_persons = row.part == "whole";
        if row.observations != counted.observations {
            return Err(at(row, "its observations are not those of the original"));
        }
        if row.persons.is_some() != says_persons {
            return Err(at(row, "rows of whole cells say how many persons they have, and no others"));
        }
        if row.persons.is_some_and(|persons| persons != counted.persons) {
            return Err(at(row, "its persons are not those of the original"));
        }
        if (row.entries, row.exits) != (counted.entries, counted.exits) {
            return Err(at(row, "its moves are not those of the original"));
        }
        if counted.persons < self.k {
            return Err(at(row, &format!("it has fewer than k = {} persons", self.k)));
        }
        Ok(counted.persons)
    }

    /// A quad-tree for each bin.
    fn tree(&self, rows: &[PublishedRow], coarsest: u8, finest: u8) -> Found {
        let mut by_place: HashMap<(i64, u64, usize), usize> = HashMap::new();
        for (number, row) in rows.iter().enumerate() {
            let zoom = row.cell.len();
            let Some(cell) =
                of_digits(&row.cell).filter(|_| (usize::from(coarsest)..=usize::from(finest)).contains(&zoom))
            else {
                return Err(at(row, &format!("its cell is no tile of {}", self.cells)));
            };
            if !["whole", "rest"].contains(&row.part.as_str()) {
                return Err(at(row, "a cube of this sort has rows of wholes and rests only"));
            }
            if row.time.is_some() != self.length.is_some() {
                return Err(at(row, "its time is not one of the cube's"));
            }
            if by_place.insert((row.time.unwrap_or(0), cell, zoom), number).is_some() {
                return Err(at(row, "a tile is a whole or a rest, not both"));
            }
        }
        // The row with the longest quadkey that a place's begins with.
        let row_at = |bin: i64, cell: u64| {
            let zooms = (usize::from(coarsest)..=usize::from(finest)).rev();
            zooms
                .filter_map(|zoom| by_place.get(&(bin, cell >> (2 * (usize::from(finest) - zoom)), zoom)))
                .next()
                .copied()
        };
        for row in rows {
            for zoom in usize::from(coarsest)..row.cell.len() {
                let around = of_digits(&row.cell[..zoom]).unwrap_or(0);
                let number = by_place.get(&(row.time.unwrap_or(0), around, zoom));
                if number.is_some_and(|&number| rows[number].part == "whole") {
                    return Err(at(row, "it lies in a whole tile that is published too"));
                }
            }
        }
        let cells: Vec<u64> = (0..self.original.points()).map(|point| self.cell(point).unwrap_or(0)).collect();
        let mut counted = vec![Counted::default(); rows.len()];
        for person in 0..self.original.persons() {
            let mut own = BTreeSet::new();
            for point in self.original.range(person) {
                if let Some(row) = row_at(self.bin(point), cells[point]) {
                    counted[row].observations += 1;
                    own.insert(row);
                }
            }
            own.into_iter().for_each(|row| counted[row].persons += 1);
        }
        for (from, to) in self.steps() {
            let leaves = |own: usize, other: usize| {
                let row = row_at(self.bin(own), cells[own])?;
                (row_at(self.bin(own), cells[other]) != Some(row)).then_some(row)
            };
            if let Some(row) = leaves(from, to) {
                counted[row].exits += 1;
            }
            if let Some(row) = leaves(to, from) {
                counted[row].entries += 1;
            }
        }
        let mut least = self.original.persons() as u64;
        for (row, counted) in rows.iter().zip(&counted) {
            least = least.min(self.compare(row, counted)?);
        }
        Ok(least)
    }

    /// A fixed grid with totals.
    fn grid(&self, rows: &[PublishedRow]) -> Found {
        let mut table: BTreeMap<(u64, i64), Counted> = BTreeMap::new();
        // Who was where: a cell, a bin and a person, each once.
        let mut presences: Vec<(u64, i64, u32)> = Vec::new();
        for person in 0..self.original.persons() {
            for point in self.original.range(person) {
                if let Some(cell) = self.cell(point) {
                    table.entry((cell, self.bin(point))).or_default().observations += 1;
                    presences.push((cell, self.bin(point), person as u32));
                }
            }
        }
        presences.sort_unstable();
        presences.dedup();
        for &(cell, bin, _) in &presences {
            table.entry((cell, bin)).or_default().persons += 1;
        }
        for (from, to) in self.steps() {
            if let (Some(left), Some(entered)) = (self.cell(from), self.cell(to))
                && left != entered
            {
                table.entry((left, self.bin(from))).or_default().exits += 1;
                table.entry((entered, self.bin(to))).or_default().entries += 1;
            }
        }
        let mut published = BTreeSet::new();
        let mut least = self.original.persons() as u64;
        for row in rows.iter().filter(|row| row.part == "whole") {
            let place = self.named(&row.cell).map(|cell| (cell, row.time.unwrap_or(0)));
            let place = place.filter(|_| row.time.is_some() == self.length.is_some());
            let Some((place, counted)) = place.and_then(|place| Some((place, table.get(&place)?))) else {
                return Err(at(row, "nobody was there in the original"));
            };
            least = least.min(self.compare(row, counted)?);
            published.insert(place);
        }
        let mut totals = Totals::default();
        for row in rows.iter().filter(|row| row.part != "whole") {
            if row.part != "total" {
                return Err(at(row, "a cube of this sort has rows of wholes and totals only"));
            }
            let is_of = |cell: u64, bin: i64| {
                (row.cell.is_empty() || self.named(&row.cell) == Some(cell)) && row.time.is_none_or(|time| time == bin)
            };
            let mut counted = Counted::default();
            for own in table.iter().filter(|((cell, bin), _)| is_of(*cell, *bin)).map(|(_, own)| own) {
                counted.observations += own.observations;
                counted.entries += own.entries;
                counted.exits += own.exits;
            }
            let of = || presences.iter().filter(|(cell, bin, _)| is_of(*cell, *bin));
            let persons = |own: &mut dyn Iterator<Item = &(u64, i64, u32)>| {
                own.map(|(_, _, person)| *person).collect::<BTreeSet<u32>>().len() as u64
            };
            counted.persons = persons(&mut of());
            least = least.min(self.compare(row, &counted)?);
            let rest = persons(&mut of().filter(|(cell, bin, _)| !published.contains(&(*cell, *bin))));
            if rest > 0 && rest < self.k {
                return Err(at(
                    row,
                    &format!("what no published cell has of it comes from fewer than k = {} persons", self.k),
                ));
            }
            match (row.cell.is_empty(), row.time) {
                (false, None) => drop(totals.cells.insert(self.named(&row.cell).unwrap_or(u64::MAX))),
                (true, Some(time)) => drop(totals.bins.insert(time)),
                (true, None) => totals.everything = Some(row),
                (false, Some(_)) => return Err(at(row, "a total is of a cell, of a time, or of everything")),
            }
        }
        if let Some(row) = totals.everything {
            for of_cells in [true, false] {
                let is_outside = |cell: &u64, bin: &i64| {
                    if of_cells { !totals.cells.contains(cell) } else { !totals.bins.contains(bin) }
                };
                let has_any = if of_cells { !totals.cells.is_empty() } else { !totals.bins.is_empty() };
                let outside = presences.iter().filter(|(cell, bin, _)| is_outside(cell, bin));
                let persons = outside.map(|(_, _, person)| *person).collect::<BTreeSet<u32>>().len() as u64;
                if has_any && persons > 0 && persons < self.k {
                    return Err(at(
                        row,
                        &format!("what the other totals leave of it comes from fewer than k = {} persons", self.k),
                    ));
                }
            }
        }
        let hidden: BTreeMap<(u64, i64), u64> = table
            .iter()
            .filter(|(place, own)| own.observations > 0 && !published.contains(place))
            .map(|(place, own)| (*place, own.observations))
            .collect();
        let mut tables = Tables::new(&hidden, &totals);
        let mut answers: HashMap<(Option<u64>, Option<i64>, u64), bool> = HashMap::new();
        for (&(cell, bin), &own) in &hidden {
            if table[&(cell, bin)].persons >= self.k {
                continue;
            }
            let node = (totals.cells.get(&cell).copied(), totals.bins.get(&bin).copied(), own);
            let is_safe = *answers.entry(node).or_insert_with(|| tables.is_safe(cell, bin, own, self.k));
            if !is_safe {
                let problem = format!(
                    "it is not published, and has fewer than k = {} persons, but the published totals tell its number of points, or that it is \
                     below k",
                    self.k
                );
                let time = self.length.map(|_| bin);
                return Err(Witness { line: None, cell: self.name(cell), time, problem });
            }
        }
        Ok(least)
    }
}

/// Which totals are published.
#[derive(Default)]
struct Totals<'r> {
    cells: BTreeSet<u64>,
    bins: BTreeSet<i64>,
    everything: Option<&'r PublishedRow>,
}

/// Tables that have the same totals as the right one. Going from a column to a row takes points of the cell between them away, going from
/// a row to a column gives the cell between them more. Rows and columns without a total need not be right: one can go from each to each through a
/// hub, which is one for both where the total of everything is not published.
struct Tables<'h> {
    table: BTreeMap<(u64, i64), u64>,
    columns_of: HashMap<u64, Vec<i64>>,
    rows_of: HashMap<i64, Vec<u64>>,
    free_rows: Vec<u64>,
    free_columns: Vec<i64>,
    totals: &'h Totals<'h>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stop {
    Row(u64),
    Column(i64),
    Rows,
    Columns,
}

impl<'h> Tables<'h> {
    fn new(hidden: &BTreeMap<(u64, i64), u64>, totals: &'h Totals<'h>) -> Self {
        let (mut columns_of, mut rows_of): (HashMap<u64, Vec<i64>>, HashMap<i64, Vec<u64>>) = Default::default();
        for &(row, column) in hidden.keys() {
            columns_of.entry(row).or_default().push(column);
            rows_of.entry(column).or_default().push(row);
        }
        let rows: BTreeSet<u64> = hidden.keys().map(|(row, _)| *row).collect();
        let columns: BTreeSet<i64> = hidden.keys().map(|(_, column)| *column).collect();
        Self {
            table: hidden.clone(),
            columns_of,
            rows_of,
            free_rows: rows.difference(&totals.cells).copied().collect(),
            free_columns: columns.difference(&totals.bins).copied().collect(),
            totals,
        }
    }

    /// Whether the cell may have k points or more, and may have another number than it has.
    fn is_safe(&mut self, row: u64, column: i64, own: u64, k: u64) -> bool {
        let needed = k.saturating_sub(own).max(1);
        let more = self.passes(Stop::Column(column), Stop::Row(row), (row, column), needed);
        more || (own >= k && self.passes(Stop::Row(row), Stop::Column(column), (row, column), 1))
    }

    /// Whether so much can go from one stop to another, one point after the other, without the cell itself.
    fn passes(&mut self, from: Stop, to: Stop, without: (u64, i64), needed: u64) -> bool {
        let mut gone: Vec<((u64, i64), bool)> = Vec::new();
        let mut is_possible = true;
        for _ in 0..needed {
            let Some(way) = self.way(from, to, without) else {
                is_possible = false;
                break;
            };
            for pair in way.windows(2) {
                let change = match (pair[0], pair[1]) {
                    (Stop::Column(column), Stop::Row(row)) => ((row, column), false),
                    (Stop::Row(row), Stop::Column(column)) => ((row, column), true),
                    _ => continue,
                };
                self.change(change.0, change.1);
                gone.push(change);
            }
        }
        gone.into_iter().rev().for_each(|(place, is_more)| self.change(place, !is_more));
        is_possible
    }

    fn change(&mut self, place: (u64, i64), is_more: bool) {
        if let Some(points) = self.table.get_mut(&place) {
            *points = if is_more { *points + 1 } else { points.saturating_sub(1) };
        }
    }

    /// A way, found by going as deep as it goes, but for the last step: whoever can see where it ends goes there.
    fn way(&self, from: Stop, to: Stop, without: (u64, i64)) -> Option<Vec<Stop>> {
        let mut visited = BTreeSet::from([from]);
        let mut way = vec![(from, self.next(from, without))];
        while let Some((_, nexts)) = way.last_mut() {
            if nexts.contains(&to) {
                return Some(way.into_iter().map(|(stop, _)| stop).chain([to]).collect());
            }
            match nexts.pop() {
                Some(next) if visited.insert(next) => way.push((next, self.next(next, without))),
                Some(_) => {}
                None => drop(way.pop()),
            }
        }
        None
    }

    /// Where one can go from a stop.
    fn next(&self, stop: Stop, without: (u64, i64)) -> Vec<Stop> {
        let mut next = Vec::new();
        match stop {
            Stop::Column(column) => {
                let rows = self.rows_of.get(&column).into_iter().flatten();
                let has_some = |row: &&u64| (**row, column) != without && self.table[&(**row, column)] > 0;
                next.extend(rows.filter(has_some).map(|row| Stop::Row(*row)));
                if !self.totals.bins.contains(&column) {
                    next.push(Stop::Columns);
                }
            }
            Stop::Row(row) => {
                let columns = self.columns_of.get(&row).into_iter().flatten();
                next.extend(columns.filter(|column| (row, **column) != without).map(|column| Stop::Column(*column)));
                if !self.totals.cells.contains(&row) {
                    next.push(Stop::Rows);
                }
            }
            Stop::Rows => next.extend(self.free_rows.iter().map(|row| Stop::Row(*row))),
            Stop::Columns => next.extend(self.free_columns.iter().map(|column| Stop::Column(*column))),
        }
        if self.totals.everything.is_none() && matches!(stop, Stop::Rows | Stop::Columns) {
            next.push(if stop == Stop::Rows { Stop::Columns } else { Stop::Rows });
        }
        next
    }
}

/// The digits of the quadkey of a place, as a number.
fn digits(lat: f64, lon: f64, zoom: u8) -> u64 {
    let side = 2_f64.powi(i32::from(zoom));
    let lat = lat.clamp(-85.051_128_78, 85.051_128_78).to_radians();
    let x = ((lon + 180.0) / 360.0 * side).floor().clamp(0.0, side - 1.0) as u64;
    let y = ((1.0 - lat.tan().asinh() / std::f64::consts::PI) / 2.0 * side).floor().clamp(0.0, side - 1.0) as u64;
    (0..zoom).rev().fold(0, |digits, bit| 4 * digits + (x >> bit & 1) + 2 * (y >> bit & 1))
}

/// A quadkey as a number.
fn of_digits(quadkey: &str) -> Option<u64> {
    quadkey.bytes().try_fold(0_u64, |digits, digit| match digit {
        b'0'..=b'3' => Some(4 * digits + u64::from(digit - b'0')),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::paths::{PathsBuilder, Point};
    use crate::paths::cube::{self, Params, Row};

    fn published(rows: &[Row]) -> Vec<PublishedRow> {
        let row = |(line, row): (u64, &Row)| PublishedRow {
            line,
            cell: row.cell.clone(),
            part: row.part.name().to_owned(),
            time: row.time,
            persons: row.persons,
            observations: row.observations,
            entries: row.entries,
            exits: row.exits,
        };
        (2..).zip(rows).map(row).collect()
    }

    fn drawn_paths(drawn: &[(u8, i64, u8, u8)]) -> Paths {
        let mut builder = PathsBuilder::default();
        for &(person, hour, x, y) in drawn {
            let (lat, lon) = (f64::from(y) * 20.0 - 70.0, f64::from(x) * 45.0 - 170.0);
            builder.push(&person.to_string(), Point { time: hour * 3_600_000, lat, lon, marks: [""; 4] });
        }
        builder.finish()
    }

    /// Two persons in each of two cells, of which one is published; the hidden one is of two persons, where k is 3, and the total tells its points.
    #[test]
    fn witnesses() {
        let paths = drawn_paths(&[(0, 0, 0, 0), (1, 0, 0, 0), (2, 0, 0, 0), (0, 0, 5, 5), (1, 0, 5, 5)]);
        let (cells, bins) = (Cells::parse("tile:2").unwrap(), Bins::parse("1h").unwrap());
        let rows = published(&cube::cube(&paths, &Params { cells, bins, k: 3 }).unwrap().rows);
        assert_eq!(check(&rows, &paths, cells, bins, 3), Ok(3));
        let look = |rows: &[PublishedRow]| check(rows, &paths, cells, bins, 3).unwrap_err();
        for edit in [
            |row: &mut PublishedRow| row.observations += 1,
            |row: &mut PublishedRow| row.persons = row.persons.map(|persons| persons + 1),
            |row: &mut PublishedRow| row.exits += 1,
            |row: &mut PublishedRow| row.cell = "11".to_owned(),
            |row: &mut PublishedRow| row.cell = "x".to_owned(),
            |row: &mut PublishedRow| row.part = "rest".to_owned(),
            |row: &mut PublishedRow| row.time = None,
        ] {
            let mut edited = rows.clone();
            let whole = edited.iter_mut().find(|row| row.part == "whole").unwrap();
            let line = whole.line;
            edit(whole);
            assert_eq!(look(&edited).line, Some(line));
        }
        let total = PublishedRow {
            line: 9,
            cell: String::new(),
            part: "total".to_owned(),
            time: None,
            persons: None,
            observations: 5,
            entries: 2,
            exits: 2,
        };
        let found = look(&[rows.clone(), vec![total.clone()]].concat());
        assert_eq!((found.line, found.problem.contains("what no published cell")), (Some(9), true));
        // Two rows that changed places, and a cell by another name.
        let two = drawn_paths(&[(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (1, 1, 0, 0)]);
        let asked = |cells: &str| (Cells::parse(cells).unwrap(), Bins::parse("1h").unwrap());
        for (cells, bins) in [asked("tile:2"), asked("h3:2")] {
            let rows = published(&cube::cube(&two, &Params { cells, bins, k: 2 }).unwrap().rows);
            assert_eq!(check(&rows, &two, cells, bins, 2), Ok(2));
            let mut turned = rows.clone();
            turned.reverse();
            assert!(check(&turned, &two, cells, bins, 2).unwrap_err().problem.contains("not in its place"));
            let mut renamed = rows.clone();
            renamed.iter_mut().for_each(|row| row.cell = row.cell.to_uppercase());
            assert_eq!(check(&renamed, &two, cells, bins, 2).is_ok(), renamed == rows);
        }
        // Nobody is alone in the remainder of two persons where k is 2, but its one cell of one person has a known number.
        let alone = drawn_paths(&[(0, 0, 0, 0), (1, 0, 0, 0), (0, 0, 5, 5), (1, 0, 7, 7), (1, 0, 7, 7)]);
        let look = |rows: &[PublishedRow]| check(rows, &alone, cells, bins, 2);
        let rows = published(&cube::cube(&alone, &Params { cells, bins, k: 2 }).unwrap().rows);
        assert_eq!(look(&rows), Ok(2));
        let lonely = PublishedRow { observations: 1, cell: "12".to_owned(), entries: 1, exits: 0, ..total };
        let wrong = look(&[rows, vec![lonely]].concat()).unwrap_err();
        assert!(wrong.problem.contains("fewer than k"), "{wrong:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        /// Whatever the writer writes holds; with a total added that it left out, it does not, or the total was left out for another's sake.
        #[test]
        fn what_is_written_holds(
            drawn in prop::collection::vec((0..7_u8, 0..3_i64, 0..6_u8, 0..6_u8), 8..80),
            cells in prop::sample::select(vec!["tile:0", "tile:1", "tile:2", "tile:3", "quad:0-3", "quad:1-2", "h3:0"]),
            bins in prop::sample::select(vec!["1h", "2h", "all"]),
            k in 2..5_u64,
        ) {
            let paths = drawn_paths(&drawn);
            let (cells, bins) = (Cells::parse(cells).unwrap(), Bins::parse(bins).unwrap());
            let Ok(cube) = cube::cube(&paths, &Params { cells, bins, k }) else { return Ok(()) };
            let rows = published(&cube.rows);
            let found = check(&rows, &paths, cells, bins, k);
            prop_assert!(found.is_ok(), "{:?}", found);
            for edited in 0..rows.len() {
                let mut wrong = rows.clone();
                wrong[edited].observations += 1;
                prop_assert_eq!(check(&wrong, &paths, cells, bins, k).unwrap_err().line, Some(rows[edited].line));
            }
        }
    }
}
