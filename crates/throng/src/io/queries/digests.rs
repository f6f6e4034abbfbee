//! Reading a file for the checker: one digest a person, never the whole log.

use throng_core::models::digests::{DigestKey, Digests, RowHasher};
use throng_core::progress::Progress;
use throng_core::{Result, Rng};

use super::super::{Location, Opened, ReadOptions};
use super::{Consumer, Row, Scanned, scan, scan_opened};

/// The digests of a file, and what was learned while reading.
#[derive(Debug)]
pub struct Checked {
    /// One digest a person.
    pub digests: Digests,
    /// Format, rows, refused lines.
    pub scanned: Scanned,
}

/// Reads a file into digests, with a fresh key. All columns count but the person's: one without a role is compared byte
/// for byte.
pub fn read_digests(
    location: &Location,
    options: &ReadOptions,
    rng: &mut Rng,
    progress: &dyn Progress,
) -> Result<Checked> {
    let mut reading = Reading { key: DigestKey::new(rng), digests: Digests::new() };
    let scanned = scan(location, options, &mut reading, progress)?;
    Ok(Checked { digests: reading.digests, scanned })
}

/// Reads a file that is open already into digests, with a fresh key.
pub fn read_opened_digests(
    opened: Opened,
    options: &ReadOptions,
    rng: &mut Rng,
    progress: &dyn Progress,
) -> Result<Checked> {
    let mut reading = Reading { key: DigestKey::new(rng), digests: Digests::new() };
    let scanned = scan_opened(opened, options, &mut reading, progress)?;
    Ok(Checked { digests: reading.digests, scanned })
}

struct Reading {
    key: DigestKey,
    digests: Digests,
}

impl Consumer for Reading {
    type Part = (Digests, RowHasher);

    fn wants_rest(&self) -> bool {
        true
    }

    fn part(&self) -> Self::Part {
        (Digests::new(), self.key.hasher())
    }

    fn row(&self, (digests, hasher): &mut Self::Part, row: &Row<'_>, line: u64) {
        hasher.value(Some(row.query.as_bytes()));
        hasher.number(Some(row.time.millis));
        hasher.number(Some(i64::from(row.time.nanos)));
        hasher.number(row.rank.map(i64::from));
        hasher.value(row.url.map(str::as_bytes));
        hasher.value(Some(row.rest));
        digests.add(row.person, hasher.finish(), line);
    }

    fn absorb(&mut self, parts: Vec<(Self::Part, u64)>) {
        for ((part, _), lines_before) in parts {
            self.digests.append(&part, lines_before);
        }
    }
}
