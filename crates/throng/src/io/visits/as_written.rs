//! Whether the lines of a release are, byte for byte, as throng writes the values that were read from them: a server's line has many places
//! that say nothing of a visit, and nobody looks there.

use std::io::{self, BufRead as _, BufReader, Write};

use throng_core::data::visits::Part;
use throng_core::models::digests::{DigestKey, RowHasher};
use throng_core::progress::Silent;
use throng_core::{Error, Result, Rng};

use super::super::encoding::Encoding;
use super::super::source::Source;
use super::super::write::Person;
use super::super::{Compression, Format, Location};
use super::read::ReadVisits;
use super::write::write_visits;
use super::{LogForm, VisitsLayout};

/// Whether it is so. The order of lines says nothing here, nor does what a format of columns holds, which is looked at elsewhere.
pub(crate) fn is_as_written(read: &ReadVisits, location: &Location) -> Result<bool> {
    let layout: &VisitsLayout = &read.layout;
    if layout.form == LogForm::Rows || !matches!(location, Location::File(_)) {
        return Ok(true);
    }
    let key = DigestKey::new(&mut Rng::secure()?);
    let mut found = Lines::new(&key);
    let mut reader = BufReader::new(Source::open(location, Some(Encoding::UTF_8))?.into_reader());
    let mut line = Vec::new();
    let failed = |cause| Error::io(format!("read {location}"), cause);
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
        found.write_all(&line).map_err(failed)?;
        line.clear();
    }
    let visits = &read.visits;
    let name = |person: usize| visits.range(person).next().and_then(|row| visits.text(Part::Address, row));
    let persons: Vec<Person<'_>> = (0..visits.persons())
        .map(|person| Person { name: name(person).unwrap_or("-"), person: person as u32 })
        .collect();
    let mut meant = Lines::new(&key);
    let format = Format { compression: Compression::None, ..read.format };
    write_visits(&mut meant, format, layout, visits, &persons, &Silent)?;
    Ok(found.sum() == meant.sum())
}

/// A writer that keeps of every line its hash, and of all of them the sum: under a key that nobody knows before.
struct Lines {
    hasher: RowHasher,
    line: Vec<u8>,
    sum: u128,
    count: u64,
}

impl Lines {
    fn new(key: &DigestKey) -> Self {
        Self { hasher: key.hasher(), line: Vec::new(), sum: 0, count: 0 }
    }

    /// The sum, the number of lines, and what comes after the last.
    fn sum(self) -> (u128, u64, Vec<u8>) {
        (self.sum, self.count, self.line)
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.hasher.value(Some(&self.line));
                self.sum = self.sum.wrapping_add(self.hasher.finish());
                self.count += 1;
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
