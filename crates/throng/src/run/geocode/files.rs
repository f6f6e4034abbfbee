//! Files that `throng geocode` makes: CSV with a few columns, whole or not at all.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use throng_core::{Error, Result};

use crate::io::csv_field;
use crate::pending::{self, Pending};
use crate::run::synth::refuse_existing;

/// A file of text that is made in memory and written at the end.
#[derive(Debug)]
pub(super) struct TextFile {
    place: PathBuf,
    text: Vec<u8>,
    is_private: bool,
}

impl TextFile {
    /// CSV with these columns; the file must not exist.
    pub(super) fn csv(place: &Path, header: &str) -> Result<Self> {
        let mut file = Self::of(place, Vec::new())?;
        file.text.extend_from_slice(header.as_bytes());
        file.text.push(b'\n');
        Ok(file)
    }

    /// These bytes; the file must not exist.
    pub(super) fn of(place: &Path, text: Vec<u8>) -> Result<Self> {
        if place == Path::new("-") {
            return Err(Error::parameter("out", "is `-`, but must be the name of a file"));
        }
        refuse_existing(place)?;
        Ok(Self { place: place.to_owned(), text, is_private: false })
    }

    /// The same place with these bytes.
    pub(super) fn with(self, text: Vec<u8>) -> Self {
        Self { text, ..self }
    }

    /// For its owner alone.
    pub(super) fn private(self) -> Self {
        Self { is_private: true, ..self }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: &[&str]) {
        csv_row(cells, &mut self.text);
    }

    /// Where it will be.
    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// Writes all of them, or none.
    pub(super) fn publish(files: Vec<Self>) -> Result<()> {
        for (at, file) in files.iter().enumerate() {
            if files[..at].iter().any(|other| pending::is_same_place(&other.place, &file.place)) {
                return Err(Error::refused(format!("{} would be written twice", file.place.display())));
            }
        }
        let mut made = Vec::with_capacity(files.len());
        for file in files {
            let failed = |cause| Error::io(format!("write into {}", pending::folder_of(&file.place).display()), cause);
            let (mut out, unfinished) = Pending::file(&file.place, file.is_private).map_err(failed)?;
            out.write_all(&file.text).map_err(failed)?;
            made.push((unfinished, file.place));
        }
        pending::publish(made)
    }
}

/// Adds a row of CSV.
pub(super) fn csv_row(cells: &[&str], into: &mut Vec<u8>) {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            into.push(b',');
        }
        csv_field(cell.as_bytes(), into);
    }
    into.push(b'\n');
}

/// A latitude or longitude as it is written: seven decimals, about a centimetre.
pub(super) fn degrees(value: f64) -> String {
    format!("{:.7}", throng_core::geo::rounded(value))
}

/// A distance as it is written: centimetres.
pub(super) fn metres(value: f64) -> String {
    format!("{value:.2}")
}
