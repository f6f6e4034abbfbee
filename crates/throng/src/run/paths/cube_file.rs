//! The form of a published cube: a CSV file of counts, and beside it what it was counted with.
//!
//! Bytes are fixed by the rows: whoever reads a cube writes it again and compares, so that nothing in the file goes unread.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::data::time::{self, TimeStyle};
use throng_core::models::cube_threshold::PublishedRow;
use throng_core::paths::cube::{Bins, Part, Row};
use throng_core::{Error, Result};

use crate::io::{csv_field, csv_records};
use crate::limits;

/// The columns.
const HEADER: &str = "cell,part,time,persons,observations,entries,exits";
/// A cube is read whole.
const MOST_BYTES: u64 = 4 << 30;

/// What a cube was counted with; `C.csv.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedOfCube {
    /// The cells, as `--cell` takes them.
    pub cell: String,
    /// The bins, as `--time` takes them.
    pub time: String,
    /// How many persons a row has at least.
    pub k: u64,
    /// The hash of the CSV file.
    pub sha256: String,
}

impl AskedOfCube {
    /// Where it lies.
    pub(super) fn place(cube: &Path) -> PathBuf {
        let mut name = cube.as_os_str().to_owned();
        name.push(".json");
        PathBuf::from(name)
    }

    /// That of a cube, if there is one.
    pub(super) fn beside(cube: &Path) -> Result<Option<Self>> {
        let place = Self::place(cube);
        if !place.is_file() {
            return Ok(None);
        }
        let bytes = limits::read_file(&place, "", limits::MOST_LIST_BYTES)?;
        let wrong = |cause| {
            Error::data("this is not what throng writes beside a cube")
                .in_file(place.display().to_string())
                .with_cause(cause)
        };
        serde_json::from_slice(&bytes).map(Some).map_err(wrong)
    }

    pub(super) fn bins(&self) -> Result<Bins> {
        Bins::parse(&self.time)
    }
}

/// The lines of a cube.
pub(super) fn text_of(rows: &[Row]) -> Vec<u8> {
    let mut text = format!("{HEADER}\n").into_bytes();
    for row in rows {
        csv_field(row.cell.as_bytes(), &mut text);
        let time = row.time.map_or_else(String::new, |time| time::to_text(time, TimeStyle::ISO));
        let persons = row.persons.map_or_else(String::new, |persons| persons.to_string());
        let rest =
            format!(",{},{time},{persons},{},{},{}\n", row.part.name(), row.observations, row.entries, row.exits);
        text.extend_from_slice(rest.as_bytes());
    }
    text
}

/// A cube as it is read: its bytes, and its rows.
pub(super) struct ReadCube {
    pub(super) bytes: Vec<u8>,
    pub(super) rows: Vec<PublishedRow>,
    /// The first line, from 1, that is not written as throng writes the same row.
    pub(super) odd_line: Option<u64>,
}

/// Reads a cube.
pub(super) fn read(place: &Path) -> Result<ReadCube> {
    let bytes = limits::read_file(place, "", MOST_BYTES)?;
    let rows = parse(&bytes).map_err(|error| error.in_file(place.display().to_string()))?;
    let plain: Vec<Row> = rows.iter().filter_map(plain).collect();
    let again = text_of(&plain);
    let odd_line = (again != bytes).then(|| {
        let lines = |text: &[u8]| text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
        let (own, other) = (lines(&bytes), lines(&again));
        let same = own.iter().zip(&other).take_while(|(own, other)| own == other).count();
        same as u64 + 1
    });
    Ok(ReadCube { bytes, rows, odd_line })
}

fn parse(bytes: &[u8]) -> Result<Vec<PublishedRow>> {
    let mut rows = Vec::new();
    let mut has_header = false;
    for (line, record) in csv_records(bytes) {
        let cells: Vec<&str> = record.iter().map(|cell| std::str::from_utf8(cell).unwrap_or("\u{fffd}")).collect();
        if !has_header {
            if cells.join(",") != HEADER {
                return Err(Error::data("this is no cube of throng's")
                    .at_line(line)
                    .with_hint(format!("its header is `{HEADER}`")));
            }
            has_header = true;
            continue;
        }
        let [cell, part, time, persons, observations, entries, exits] = cells[..] else {
            return Err(Error::data("a row of a cube has seven cells").at_line(line));
        };
        let number = |text: &str, what: &str| {
            text.parse::<u64>()
                .map_err(|_| Error::data(format!("{what} is no whole number")).at_line(line).with_value(text))
        };
        let time = match time {
            "" => None,
            text => match time::parse(text) {
                Some((instant, _)) => Some(instant.millis),
                None => return Err(Error::data("the time cannot be read").at_line(line).with_value(text)),
            },
        };
        // Names that look like formulas are marked.
        let cell = cell.strip_prefix('\'').filter(|rest| rest.starts_with(['=', '+', '-', '@', '\''])).unwrap_or(cell);
        rows.push(PublishedRow {
            line,
            cell: cell.to_owned(),
            part: part.to_owned(),
            time,
            persons: if persons.is_empty() { None } else { Some(number(persons, "persons")?) },
            observations: number(observations, "observations")?,
            entries: number(entries, "entries")?,
            exits: number(exits, "exits")?,
        });
    }
    if !has_header {
        return Err(Error::data("the file is empty, and no cube"));
    }
    Ok(rows)
}

/// A row as it was counted; nothing for one of a part that there is not.
pub(super) fn plain(row: &PublishedRow) -> Option<Row> {
    let part = [Part::Whole, Part::Rest, Part::Total, Part::Sum].into_iter().find(|part| part.name() == row.part)?;
    Some(Row {
        cell: row.cell.clone(),
        part,
        time: row.time,
        persons: row.persons,
        observations: row.observations,
        entries: row.entries,
        exits: row.exits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written is read as it was, whatever cells are called; a change of any byte is seen.
    #[test]
    fn there_and_back() {
        let row = |cell: &str, part, time, persons| Row {
            cell: cell.to_owned(),
            part,
            time,
            persons,
            observations: 12,
            entries: 0,
            exits: 3,
        };
        let rows = vec![
            row("", Part::Total, None, None),
            row("0213", Part::Rest, Some(1_709_510_400_000), None),
            row("an inn, by the \"sea\"", Part::Whole, Some(-86_400_000), Some(5)),
        ];
        let text = text_of(&rows);
        let read: Vec<Row> = parse(&text).unwrap().iter().filter_map(plain).collect();
        assert_eq!(read, rows);
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("c.csv");
        let odd = |bytes: &[u8]| {
            std::fs::write(&place, bytes).unwrap();
            super::read(&place).unwrap().odd_line
        };
        assert_eq!(odd(&text), None);
        let changed = String::from_utf8(text).unwrap();
        assert_eq!(odd(changed.replace(",12,", ",012,").as_bytes()), Some(2));
        assert_eq!(odd(changed.replace("0213", "\"0213\"").as_bytes()), Some(3));
        assert_eq!(odd(format!("{changed}\n").as_bytes()), Some(5));
        assert!(parse(b"cell,part\n").is_err() && parse(b"").is_err());
    }
}
