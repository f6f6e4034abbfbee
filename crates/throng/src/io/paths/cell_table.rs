//! A table of cells: where the antennas of a telephone network are.

use std::collections::HashMap;
use std::path::Path;

use throng_core::{Error, Result};

use super::super::csv_records;
use crate::limits;

/// Where each cell is.
#[derive(Debug, Default)]
pub(super) struct CellTable(HashMap<String, (f64, f64)>);

impl CellTable {
    /// Reads a CSV file with the header `cell,lat,lon`.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let named = |error: Error| error.in_file(path.display().to_string());
        let bytes = limits::read_file(path, "", limits::MOST_LIST_BYTES)?;
        Self::parse(&bytes).map_err(named)
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let mut cells = HashMap::new();
        let mut columns: Option<[usize; 3]> = None;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for (line, record) in csv_records(bytes) {
            let Some([cell, lat, lon]) = columns else {
                let place =
                    |name: &str| record.iter().position(|cell| cell.trim_ascii().eq_ignore_ascii_case(name.as_bytes()));
                let found = [place("cell"), place("lat"), place("lon")];
                let [Some(cell), Some(lat), Some(lon)] = found else {
                    return Err(Error::data("the table of cells has no header `cell,lat,lon`").at_line(line));
                };
                columns = Some([cell, lat, lon]);
                continue;
            };
            let text =
                |at: usize| std::str::from_utf8(record.get(at).map_or(&[], Vec::as_slice)).unwrap_or_default().trim();
            let place = super::read::degrees(text(lat), text(lon)).map_err(|(error, _)| error.at_line(line))?;
            if text(cell).is_empty() || cells.insert(text(cell).to_owned(), place).is_some() {
                return Err(Error::data("a cell has no name, or stands twice in the table of cells").at_line(line));
            }
        }
        if cells.is_empty() {
            return Err(
                Error::data("the table of cells has no cell").with_hint("a CSV file with the header `cell,lat,lon`")
            );
        }
        Ok(Self(cells))
    }

    /// Where a cell is.
    pub(super) fn place(&self, cell: &str) -> Result<(f64, f64)> {
        self.0.get(cell).copied().ok_or_else(|| {
            Error::data("the cell is not in the table of cells").with_value(cell).with_hint(
                "add it to the table that `--cells` names; `--bad-lines skip` leaves such lines out and counts them",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables() {
        let table = CellTable::parse(b"lon,cell,lat\n8.5,A1,47.1\n\"8.6\",\"B,2\",-47\n").unwrap();
        assert_eq!(table.place("B,2").unwrap(), (-47.0, 8.6));
        assert!(table.place("C").is_err());
        for (wrong, says) in [
            (&b"cell,lat\nA,1\n"[..], "no header"),
            (b"cell,lat,lon\n", "has no cell"),
            (b"cell,lat,lon\nA,1,2\nA,1,2\n", "stands twice"),
            (b"cell,lat,lon\nA,91,2\n", "beyond 90"),
        ] {
            let said = CellTable::parse(wrong).unwrap_err().to_string();
            assert!(said.contains(says), "{said}");
        }
    }
}
