//! How large a search log is, judged from pieces of its file before it is read.
//!
//! # Idea
//! 1. Pieces spread over the file are read as the file will be; of a compressed one, its beginning. 2. The number of lines goes
//!    with the bytes. 3. The number of different strings grows more slowly the more are known (Heaps' law): from how it grew
//!    from half of the pieces to all, it is taken on to the whole file, which is rather too much than too little.

use std::fs::File;
use std::io::{Read, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::atomic::Ordering;

use throng_core::data::{QueryLog, Strings};
use throng_core::progress::Silent;
use throng_core::{Error, Result};

use super::kind::Opened;
use super::log::read_opened_log;
use super::scan::{BadLines, ReadOptions};
use super::source::{Source, open_file};
use super::{Compression, FormatKind, Location};

/// How many pieces are read.
const PIECES: u64 = 64;
/// The bytes of a piece.
const PIECE: u64 = 256 << 10;

/// The size of a search log: as it is, or as it probably will be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogSize {
    /// Lines.
    pub rows: f64,
    /// Persons and the bytes of their names.
    pub persons: TableSize,
    /// Different query strings.
    pub queries: TableSize,
    /// Different URLs.
    pub urls: TableSize,
}

/// The size of a table of strings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableSize {
    /// How many strings.
    pub strings: f64,
    /// All their bytes.
    pub bytes: f64,
}

impl LogSize {
    /// The size of a log that is there.
    pub fn of(log: &QueryLog) -> Self {
        let table = |strings: &Strings| TableSize { strings: strings.len() as f64, bytes: strings.text().len() as f64 };
        Self {
            rows: log.rows() as f64,
            persons: table(log.names()),
            queries: table(log.queries()),
            urls: table(log.urls()),
        }
    }

    /// The size of a log of `factor` times the lines, given that of about half of this one.
    fn grown(self, half: Self, factor: f64) -> Self {
        let share = (self.rows / half.rows.max(1.0)).log2().max(0.5);
        let table = |all: TableSize, half: TableSize| {
            let exponent = ((all.strings / half.strings.max(1.0)).log2() / share).clamp(0.0, 1.0);
            let strings = all.strings * factor.powf(exponent);
            TableSize { strings, bytes: all.bytes * strings / all.strings.max(1.0) }
        };
        Self {
            rows: self.rows * factor,
            persons: table(self.persons, half.persons),
            queries: table(self.queries, half.queries),
            urls: table(self.urls, half.urls),
        }
    }
}

/// The probable size of a search log in a file. Its lines need not be well-formed.
pub fn estimate_log(opened: &Opened, options: &ReadOptions) -> Result<LogSize> {
    let location = &opened.source.location;
    let (Location::File(path), false) = (location, opened.format.kind == FormatKind::Parquet) else {
        return Err(Error::refused("how large the data are cannot be judged before they are read")
            .with_hint("`--memory` needs a text file, also .gz or .zst: not standard input, and not Parquet"));
    };
    let failed = |cause| Error::io(format!("read {location}"), cause);
    let file = open_file(path)?;
    let length = file.metadata().map_err(failed)?.len();
    let (pieces, factor) = if opened.format.compression == Compression::None {
        let pieces = spread_pieces(file, length).map_err(failed)?;
        let read: usize = pieces.iter().map(Vec::len).sum();
        (pieces, length as f64 / read.max(1) as f64)
    } else {
        let (pieces, packed) = first_pieces(path, location, length)?;
        (pieces, length as f64 / packed.max(1) as f64)
    };
    let options = ReadOptions { bad_lines: BadLines::Skip, ..options.clone() };
    let size = |step: usize| -> Result<LogSize> {
        let head = pieces.iter().step_by(step).flatten().copied().collect();
        let source = Source::of_bytes(location, head);
        let opened = Opened { source, format: opened.format, kind: opened.kind };
        Ok(LogSize::of(&read_opened_log(opened, &options, &Silent)?.log))
    };
    let (all, half) = (size(1)?, size(2)?);
    Ok(all.grown(half, factor.max(1.0)))
}

/// Pieces of whole lines, spread over a file; all of a small one.
fn spread_pieces(mut file: File, length: u64) -> std::io::Result<Vec<Vec<u8>>> {
    let count = if length <= 2 * PIECES * PIECE { length.div_ceil(PIECE).max(1) } else { PIECES };
    let mut pieces = Vec::new();
    for number in 0..count {
        // A piece begins after the line end before its place, and ends with the line that holds its last byte.
        let start = if count == PIECES { number * ((length - PIECE) / (PIECES - 1)) } else { number * PIECE };
        file.seek(SeekFrom::Start(start.saturating_sub(1)))?;
        let mut piece = Vec::new();
        (&mut file).take(2 * PIECE).read_to_end(&mut piece)?;
        let line_end = |from: usize| {
            let rest = piece.get(from..).unwrap_or_default();
            memchr::memchr(b'\n', rest).map_or(piece.len(), |at| from + at + 1)
        };
        let first = if start == 0 { 0 } else { line_end(0) };
        let last = line_end((PIECE as usize).saturating_sub(1));
        pieces.push(piece[first.min(last)..last].to_vec());
    }
    Ok(pieces)
}

/// The beginning of a compressed file in pieces, and how many of its bytes that took.
fn first_pieces(path: &Path, location: &Location, length: u64) -> Result<(Vec<Vec<u8>>, u64)> {
    let (source, taken) = Source::open_counted(path, location)?;
    let mut text = Vec::new();
    let most = PIECES * PIECE;
    source
        .into_reader()
        .take(most)
        .read_to_end(&mut text)
        .map_err(|cause| Error::io(format!("read {location}"), cause))?;
    let is_whole = (text.len() as u64) < most;
    let packed = if is_whole { length } else { taken.load(Ordering::Relaxed) };
    if !is_whole {
        text.truncate(memchr::memrchr(b'\n', &text).map_or(text.len(), |at| at + 1));
    }
    let mut pieces = Vec::new();
    let mut rest = text.as_slice();
    while !rest.is_empty() {
        let end = rest.len().min(PIECE as usize);
        let end = memchr::memchr(b'\n', &rest[end..]).map_or(rest.len(), |at| end + at + 1);
        let (piece, next) = rest.split_at(end);
        pieces.push(piece.to_vec());
        rest = next;
    }
    Ok((pieces, packed))
}
