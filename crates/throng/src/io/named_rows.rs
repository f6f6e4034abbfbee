//! Small files whose columns are known by their names: references of addresses, points, answers.
//!
//! Any format that has rows is read, and whatever of it belongs to no row is kept, for a check to fail on.

use std::path::Path;

use throng_core::data::Strings;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::{Opened, ReadOptions, ReadTable, read_opened_table, resolve};

/// Rows with named columns.
#[derive(Debug)]
pub struct NamedRows {
    /// The file as the user named it.
    pub file: String,
    columns: Vec<(String, Strings, Vec<u32>, bool)>,
    lines: Vec<u64>,
    /// Whatever is in the file beside its rows, in words.
    pub beside: Vec<String>,
}

impl NamedRows {
    /// Reads a file.
    pub fn read(path: &Path, progress: &dyn Progress) -> Result<Self> {
        let location = resolve(path)?;
        let file = location.to_string();
        let options = ReadOptions::default();
        let read = Opened::open(&location, &options).and_then(|opened| read_opened_table(opened, &options, progress));
        let ReadTable { columns, lines, uncompared, .. } = read.map_err(|error| error.in_file(file.clone()))?;
        Ok(Self { file, columns, lines, beside: uncompared })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.0.as_str())
    }

    /// The column with a name, whatever its case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.0.trim().eq_ignore_ascii_case(name))
    }

    /// The columns with these names, all of which must be there.
    pub fn columns<const N: usize>(&self, names: [&str; N], what: &str) -> Result<[usize; N]> {
        let missing: Vec<String> =
            names.iter().filter(|name| self.column(name).is_none()).map(|name| format!("`{name}`")).collect();
        if !missing.is_empty() {
            let all: Vec<&str> = names.to_vec();
            return Err(Error::data(format!("{what} has no column {}", missing.join(", ")))
                .in_file(&self.file)
                .with_hint(format!("its columns are {}", all.join(", "))));
        }
        Ok(names.map(|name| self.column(name).unwrap_or_default()))
    }

    /// A cell; empty where nothing is written.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        let (_, values, cells, _) = &self.columns[column];
        cells.get(row).map_or("", |&cell| values.get(cell))
    }

    /// A cell that must be a number.
    pub fn number(&self, row: usize, column: usize) -> Result<f64> {
        let text = self.cell(row, column).trim();
        text.parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .ok_or_else(|| self.wrong("not a number", row, column).with_value(text))
    }

    /// A latitude and a longitude in degrees.
    pub fn place(&self, row: usize, lat: usize, lon: usize) -> Result<(f64, f64)> {
        let place = (self.number(row, lat)?, self.number(row, lon)?);
        if !(-90.0..=90.0).contains(&place.0) {
            return Err(self.wrong("a latitude that is not from -90 to 90", row, lat).with_value(place.0.to_string()));
        }
        if !(-180.0..=180.0).contains(&place.1) {
            return Err(self
                .wrong("a longitude that is not from -180 to 180", row, lon)
                .with_value(place.1.to_string()));
        }
        Ok(place)
    }

    /// What is wrong with a cell.
    pub fn wrong(&self, problem: &str, row: usize, column: usize) -> Error {
        self.wrong_row(problem, row).in_column(self.columns[column].0.clone())
    }

    /// The line that a row stands in.
    pub fn line(&self, row: usize) -> u64 {
        self.lines[row]
    }

    /// What is wrong with a row.
    pub fn wrong_row(&self, problem: &str, row: usize) -> Error {
        Error::data(problem).at_line(self.lines[row]).in_file(&self.file)
    }
}
