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

use super::super::scan::BadLines;
use super::super::source::{Source, open_file};
use super::super::{Compression, Encoding, Location, Opened, ReadOptions};
use super::log::read_opened_log;

/// How many pieces are read.
const PIECES: u64 = 32;
/// The bytes of a piece.
const PIECE: u64 = 256 << 10;

/// The size of a search log: as it is, or as it probably will be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogSize {
    /// Bytes of text; 0 if the log did not come from any.
    pub text: f64,
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
            text: 0.0,
            rows: log.rows() as f64,
            persons: table(log.names()),
            queries: table(log.queries()),
            urls: table(log.urls()),
        }
    }

    /// The size of two logs as one, if they have no string in common: rather too much than too little.
    fn and(self, other: Self) -> Self {
        let table = |one: TableSize, other: TableSize| TableSize {
            strings: one.strings + other.strings,
            bytes: one.bytes + other.bytes,
        };
        Self {
            text: self.text + other.text,
            rows: self.rows + other.rows,
            persons: table(self.persons, other.persons),
            queries: table(self.queries, other.queries),
            urls: table(self.urls, other.urls),
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
            text: self.text * factor,
            rows: self.rows * factor,
            persons: table(self.persons, half.persons),
            queries: table(self.queries, half.queries),
            urls: table(self.urls, half.urls),
        }
    }
}

/// The probable number of bytes of a file's text, or of all files of a folder; of several, of all of them.
pub fn estimate_bytes(opened: &Opened, options: &ReadOptions) -> Result<f64> {
    let mut bytes = bytes_of(opened)?;
    for other in &opened.others {
        bytes += bytes_of(&Opened::open(other, options)?)?;
    }
    Ok(bytes)
}

fn bytes_of(opened: &Opened) -> Result<f64> {
    let location = &opened.source.location;
    let failed = |cause| Error::io(format!("read {location}"), cause);
    match location {
        Location::Stdin | Location::Held(_) | Location::Several(_) => Err(not_known()),
        Location::Frame(frame) => Ok(frame.batches().iter().map(|batch| batch.get_array_memory_size() as f64).sum()),
        Location::Folder(folder) => Ok(bytes_below(folder).map_err(failed)? as f64),
        Location::File(path) => {
            let length = path.metadata().map_err(failed)?.len();
            if opened.format.compression == Compression::None {
                return Ok(length as f64);
            }
            let (pieces, packed) = first_pieces(path, location, length, opened.encoding())?;
            let read: usize = pieces.iter().map(Vec::len).sum();
            Ok(read as f64 * length as f64 / packed.max(1) as f64)
        }
    }
}

fn not_known() -> Error {
    Error::refused("how large the data are cannot be judged before they are read").with_hint(
        "`--memory` needs a text file, also .gz or .zst, or a folder: not standard input, and no query log in Parquet",
    )
}

fn bytes_below(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in folder.read_dir()? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { bytes_below(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}

/// The probable size of a search log in a file, or in several. Its lines need not be well-formed.
pub fn estimate_log(opened: &Opened, options: &ReadOptions) -> Result<LogSize> {
    let mut size = log_of(opened, options)?;
    for other in &opened.others {
        size = size.and(log_of(&Opened::open(other, options)?, options)?);
    }
    Ok(size)
}

fn log_of(opened: &Opened, options: &ReadOptions) -> Result<LogSize> {
    let location = &opened.source.location;
    let (Location::File(path), false) = (location, opened.format.kind.has_typed_columns()) else {
        return Err(not_known());
    };
    let failed = |cause| Error::io(format!("read {location}"), cause);
    let file = open_file(path)?;
    let length = file.metadata().map_err(failed)?.len();
    let is_plain = opened.format.compression == Compression::None && opened.encoding() == Some(Encoding::UTF_8);
    let (pieces, factor) = if is_plain {
        let pieces = spread_pieces(file, length, PIECES, PIECE).map_err(failed)?;
        let read: usize = pieces.iter().map(Vec::len).sum();
        (pieces, length as f64 / read.max(1) as f64)
    } else {
        let (pieces, packed) = first_pieces(path, location, length, opened.encoding())?;
        (pieces, length as f64 / packed.max(1) as f64)
    };
    let options = ReadOptions { bad_lines: BadLines::Skip, is_sample: true, ..options.clone() };
    let size = |head: Vec<u8>| -> Result<LogSize> {
        let text = head.len() as f64;
        let source = Source::of_bytes(location, head);
        let opened = Opened { kind: opened.kind, ..Opened::new(source, opened.format) };
        Ok(LogSize { text, ..LogSize::of(&read_opened_log(opened, &options, &Silent)?.log) })
    };
    let half = size(pieces.iter().step_by(2).map(Vec::as_slice).collect::<Vec<_>>().concat())?;
    let all = size(pieces.concat())?;
    Ok(all.grown(half, factor.max(1.0)))
}

/// So many pieces of whole lines of about so many bytes, spread over a file; all of a small one.
fn spread_pieces(mut file: File, length: u64, count: u64, size: u64) -> std::io::Result<Vec<Vec<u8>>> {
    let is_whole = length <= 2 * count * size;
    let places: Vec<u64> = if is_whole {
        (0..length.div_ceil(size)).map(|number| number * size).collect()
    } else {
        (0..count).map(|number| number * ((length - size) / (count - 1))).collect()
    };
    let mut pieces = Vec::new();
    for start in places {
        // A piece has the lines that begin in it: the byte before it tells whether one begins with its first.
        file.seek(SeekFrom::Start(start.saturating_sub(1)))?;
        let mut bytes = Vec::new();
        (&mut file).take(2 * size).read_to_end(&mut bytes)?;
        let line_end = |from: usize| {
            let rest = bytes.get(from..).unwrap_or_default();
            memchr::memchr(b'\n', rest).map_or(bytes.len(), |at| from + at + 1)
        };
        let (first, end) = if start == 0 { (0, size - 1) } else { (line_end(0), size) };
        pieces.push(bytes[first..line_end(end as usize).max(first)].to_vec());
    }
    Ok(pieces)
}

/// The beginning of a file that must be unpacked or decoded, in pieces, and how many of its bytes that took.
fn first_pieces(
    path: &Path,
    location: &Location,
    length: u64,
    encoding: Option<Encoding>,
) -> Result<(Vec<Vec<u8>>, u64)> {
    let (source, taken) = Source::open_counted(path, location, encoding)?;
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn pieces_are_whole_lines() {
        let text: String = (0..2000).map(|line| format!("{}\n", "x".repeat(line % 17))).collect();
        for (count, size) in [(8, 64), (5, 100), (200, 64), (2, 5000)] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let pieces = spread_pieces(file, text.len() as u64, count, size).unwrap();
            let is_whole = text.len() as u64 <= 2 * count * size;
            let mut from = 0;
            for piece in &pieces {
                let piece = std::str::from_utf8(piece).unwrap();
                assert!(piece.ends_with('\n') || piece.is_empty(), "{piece:?}");
                let marked = format!("\n{piece}");
                assert!(from == 0 || text.contains(&marked));
                from += piece.len();
            }
            assert_eq!(is_whole, from == text.len(), "{count} pieces of {size}");
            if is_whole {
                assert_eq!(pieces.concat(), text.as_bytes());
            } else {
                assert_eq!(pieces.len() as u64, count);
            }
        }
    }

    #[test]
    fn strings_go_on_as_they_grew() {
        let table = |strings: f64| TableSize { strings, bytes: 20.0 * strings };
        let size = |rows: f64, persons: f64, queries: f64| LogSize {
            text: 80.0 * rows,
            rows,
            persons: table(persons),
            queries: table(queries),
            urls: table(10.0),
        };
        // Persons double with the lines, queries grow by the square root of two, and the URLs are all known.
        let grown = size(100.0, 50.0, 20.0).grown(size(50.0, 25.0, 20.0 / 2f64.sqrt()), 16.0);
        assert_eq!((grown.rows, grown.persons.strings, grown.urls.strings), (1600.0, 800.0, 10.0));
        assert!((grown.queries.strings - 80.0).abs() < 1e-9 && (grown.queries.bytes - 1600.0).abs() < 1e-6);
    }
}
