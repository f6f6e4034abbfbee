//! Opening a file: where it is, how it is compressed, and its bytes in blocks that end at record borders.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use memchr::memchr;
use sha2::{Digest as _, Sha256};
use throng_core::{Error, Result};

use super::arrow_stream;
use super::decompress::{Bounded, Counted, Gzip, TooMuch, Zstd, is_zstd};
use super::deid;
use super::encoding::{Decoded, Encoding, NotInEncoding};
use super::uncompared::Uncompared;
use super::{Compression, Delimiter, Format, FormatKind, Location};

/// No line may be longer than this many bytes.
pub const LONGEST_LINE: usize = 16 << 20;
/// Blocks hold about this many bytes: the larger, the more of its strings a block has more than once, which it meets in its
/// own small dictionary first.
const BLOCK: usize = 4 << 20;
/// The first bytes, from which a file is recognised, hold its first line and at least this much of what there is.
pub(super) const HEAD: usize = 64 << 10;

/// Whether a path is a release folder: one with a certificate.
pub fn is_release(path: &Path) -> bool {
    path.is_dir() && certificate_path(path).symlink_metadata().is_ok()
}

/// The data that `FILE` means: a file itself, a release folder's data, a folder of documents, or standard input for `-`.
pub fn resolve(path: &Path) -> Result<Location> {
    if path == Path::new("-") {
        return Ok(Location::Stdin);
    }
    if path.is_dir() && !is_release(path) {
        return Ok(Location::Folder(path.to_owned()));
    }
    if path.is_dir() {
        let certificate = read_release_certificate(path)?;
        let file = certificate["output"]["file"].as_str().filter(|name| Path::new(name).components().count() == 1);
        let Some(file) = file else {
            return Err(Error::data("the certificate does not name the data file")
                .in_file(certificate_path(path).display().to_string()));
        };
        return Ok(Location::File(path.join(file)));
    }
    Ok(Location::File(path.to_owned()))
}

fn certificate_path(folder: &Path) -> PathBuf {
    folder.join("certificate.json")
}

/// The certificate of a release folder.
pub fn read_release_certificate(folder: &Path) -> Result<serde_json::Value> {
    let path = certificate_path(folder);
    let bytes = std::fs::read(&path).map_err(|cause| {
        let doing = format!("read {}", path.display());
        Error::io(doing, cause)
            .with_hint("a release folder holds `certificate.json`; give a data file or a release folder")
    })?;
    serde_json::from_slice(&bytes).map_err(|cause| {
        Error::data("the certificate is not JSON").with_cause(cause).in_file(path.display().to_string())
    })
}

/// The SHA-256 of a file, in lower-case hexadecimal.
pub fn hash_file(path: &Path) -> Result<String> {
    let mut file = open_file(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = file.read(&mut buffer).map_err(|cause| Error::io(format!("read {}", path.display()), cause))?;
        if count == 0 {
            return Ok(hex(&hasher.finalize()));
        }
        hasher.update(&buffer[..count]);
    }
}

/// The SHA-256 of bytes, in lower-case hexadecimal.
pub(crate) fn hash_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn open_file(path: &Path) -> Result<File> {
    let file = File::open(path).map_err(|cause| Error::io(format!("open {}", path.display()), cause))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Error::data("this is a folder, not a file").in_file(path.display().to_string()));
    }
    Ok(file)
}

/// An open file, decompressed, with its first bytes to look at.
pub(crate) struct Source {
    pub(super) location: Location,
    pub(super) compression: Compression,
    /// What it is written in; what is read is UTF-8.
    pub(super) encoding: Encoding,
    /// Whether its lines end with a carriage return alone; what is read has line ends as usual.
    pub(super) has_old_ends: bool,
    /// What Excel's first line says of it, which is not in the head.
    pub(super) excel: Option<Delimiter>,
    /// The first bytes of the text, without the mark that some programs put before it.
    pub(crate) head: Vec<u8>,
    /// Whether nothing comes after them.
    pub(super) is_whole: bool,
    rest: Box<dyn Read + Send>,
    /// How many blocks are read at once.
    pub(super) at_once: usize,
    /// What the file holds beside its rows, as far as it was read.
    pub(super) uncompared: Uncompared,
}

/// So many blocks at once that threads seldom wait for each other, so few that they stay small beside the data.
pub(crate) fn blocks_at_once() -> usize {
    (4 * rayon::current_num_threads()).clamp(8, 64)
}

impl Source {
    /// Opens a file whose encoding is what it looks like, unless it is given.
    pub(crate) fn open(location: &Location, encoding: Option<Encoding>) -> Result<Self> {
        Self::from_raw(location, Self::raw(location)?, encoding)
    }

    /// All bytes of a file as they are when it is unpacked, also those that no reader of rows sees: marks, what Excel puts before them.
    pub(crate) fn unpacked(location: &Location) -> Result<Vec<u8>> {
        let failed = |cause| read_failed(location, cause);
        let (_, mut rest) = unpacking(Self::raw(location)?, &Uncompared::default()).map_err(failed)?;
        let mut bytes = Vec::new();
        rest.read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    fn raw(location: &Location) -> Result<Box<dyn Read + Send>> {
        Ok(match location {
            Location::Stdin => Box::new(io::stdin()),
            Location::Held(held) => Box::new(io::Cursor::new(held.bytes().clone())),
            Location::File(path) if deid::is_project(path) => Box::new(io::Cursor::new(deid::data(path)?)),
            Location::File(path) | Location::Folder(path) => Box::new(open_file(path)?),
            Location::Frame(_) => return Err(Error::internal("what is in memory has no bytes")),
            Location::Several(_) => return Err(Error::internal("several files are opened one after the other")),
        })
    }

    /// A file, and how many of its bytes were read so far, before they were decompressed.
    pub(super) fn open_counted(
        path: &Path,
        location: &Location,
        encoding: Option<Encoding>,
    ) -> Result<(Self, Arc<AtomicU64>)> {
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted { inner: open_file(path)?, taken: Arc::clone(&taken) };
        Ok((Self::from_raw(location, Box::new(counted), encoding)?, taken))
    }

    /// UTF-8 that is in memory, of a file that need not be there.
    pub(super) fn of_bytes(location: &Location, head: Vec<u8>) -> Self {
        let source = Self {
            location: location.clone(),
            compression: Compression::None,
            encoding: Encoding::UTF_8,
            has_old_ends: false,
            excel: None,
            head,
            is_whole: true,
            rest: Box::new(io::empty()),
            at_once: blocks_at_once(),
            uncompared: Uncompared::default(),
        };
        source.starting_at_first_row()
    }

    pub(super) fn from_raw(location: &Location, raw: Box<dyn Read + Send>, encoding: Option<Encoding>) -> Result<Self> {
        let failed = |cause| read_failed(location, cause);
        let uncompared = Uncompared::default();
        let (compression, mut rest) = unpacking(raw, &uncompared).map_err(failed)?;
        let (mut head, mut is_whole) = read_head(&mut rest).map_err(failed)?;
        if let Some((what, hint)) = archive(&head) {
            return Err(Error::data(format!("this is {what}, not data")).with_hint(hint).in_file(location.to_string()));
        }
        if head.is_empty() {
            let error = Error::data("the file is empty").with_hint("there is nobody to protect in it");
            return Err(error.in_file(location.to_string()));
        }
        let encoding = match encoding {
            _ if is_binary(&head) => Encoding::UTF_8,
            Some(encoding) => encoding.as_marked(&head),
            None => Encoding::sniff(&head),
        };
        if encoding != Encoding::UTF_8 {
            rest = Box::new(Decoded::new(Cursor::new(head).chain(rest), encoding));
            (head, is_whole) = read_head(&mut rest).map_err(failed)?;
        }
        let has_old_ends = has_old_ends(&head);
        if has_old_ends {
            rest = Box::new(NewEnds(Cursor::new(head).chain(rest)));
            (head, is_whole) = read_head(&mut rest).map_err(failed)?;
        }
        let (location, at_once, excel) = (location.clone(), blocks_at_once(), None);
        let source =
            Self { location, compression, encoding, has_old_ends, excel, is_whole, head, rest, at_once, uncompared };
        Ok(source.starting_at_first_row())
    }

    /// The same without what stands before the first row: a mark, and a line `sep=;`.
    fn starting_at_first_row(mut self) -> Self {
        let mark = if self.head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        self.excel = Delimiter::of_first_line(&self.head[mark..]).map(|(delimiter, _)| delimiter);
        let line = Delimiter::of_first_line(&self.head[mark..]).map_or(0, |(_, bytes)| bytes);
        self.uncompared.note_many("a first line `sep=`, as Excel has it", u64::from(self.excel.is_some()));
        self.head.drain(..mark + line);
        self
    }

    /// How many lines stand before the head.
    pub(super) fn lines_before(&self) -> u64 {
        u64::from(self.excel.is_some())
    }

    /// Whether it is of a format that is no text.
    pub(super) fn is_binary(&self) -> bool {
        is_binary(&self.head)
    }

    /// Batches in memory, which have no bytes of their own.
    pub(super) fn frame(location: &Location) -> Self {
        Self::of_bytes(location, arrow_stream::MARK.to_vec())
    }

    /// A folder, which has no bytes of its own.
    pub(super) fn folder(location: &Location) -> Self {
        Self::of_bytes(location, Vec::new())
    }

    /// The rest of the file after `skip` bytes of its head, in blocks.
    pub(super) fn into_blocks(self, skip: usize, format: Format) -> Blocks {
        let Self { location, head, rest, .. } = self;
        let carry = head[skip..].to_vec();
        Blocks {
            location,
            rest,
            carry,
            quoted: (format.kind == FormatKind::Csv).then_some(format.delimiter),
            skipping: false,
            ended: false,
            stop: Arc::default(),
        }
    }

    /// Reads all of it into the head, for formats whose end must be looked at.
    pub(super) fn read_all(&mut self) -> Result<()> {
        self.rest.read_to_end(&mut self.head).map_err(|cause| read_failed(&self.location, cause)).map(drop)
    }

    /// Everything as a stream.
    pub(crate) fn into_reader(self) -> impl Read {
        Cursor::new(self.head).chain(self.rest)
    }

    /// Everything, for formats that are not read in a stream.
    pub(crate) fn into_bytes(mut self) -> Result<Vec<u8>> {
        let mut bytes = self.head;
        self.rest.read_to_end(&mut bytes).map_err(|cause| read_failed(&self.location, cause))?;
        Ok(bytes)
    }
}

/// How something is packed, and what it is when it is unpacked; what stands in it beside that is noted.
fn unpacking(
    mut raw: Box<dyn Read + Send>,
    uncompared: &Uncompared,
) -> io::Result<(Compression, Box<dyn Read + Send>)> {
    let mut magic = Vec::new();
    raw.by_ref().take(4).read_to_end(&mut magic)?;
    let compression = match magic.as_slice() {
        [0x1f, 0x8b, ..] => Compression::Gzip,
        magic if is_zstd(magic) => Compression::Zstd,
        [b'B', b'Z', b'h', b'1'..=b'9'] => Compression::Bzip2,
        _ => Compression::None,
    };
    let packed = Arc::new(AtomicU64::new(0));
    let raw = Cursor::new(magic).chain(raw);
    let counted = |raw| Counted { inner: raw, taken: Arc::clone(&packed) };
    let rest: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(raw),
        Compression::Gzip => Box::new(Bounded::new(Gzip::new(counted(raw), uncompared), packed)),
        Compression::Zstd => Box::new(Bounded::new(Zstd::new(counted(raw), uncompared), packed)),
        Compression::Bzip2 => Box::new(Bounded::new(bzip2::read::MultiBzDecoder::new(counted(raw)), packed)),
    };
    Ok((compression, rest))
}

/// The first bytes: the first line, and whatever else comes with it. Also whether that is all.
fn read_head(rest: &mut Box<dyn Read + Send>) -> io::Result<(Vec<u8>, bool)> {
    let mut head = Vec::new();
    loop {
        let before = head.len();
        rest.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        let is_whole = head.len() < before + HEAD;
        if is_whole || memchr(b'\n', &head).is_some() || head.len() > LONGEST_LINE {
            return Ok((head, is_whole));
        }
    }
}

/// Whether these are the first bytes of a format that is no text.
fn is_binary(head: &[u8]) -> bool {
    head.starts_with(b"PAR1") || arrow_stream::begins(head)
}

/// Whether lines end with a carriage return alone, as on old Macs and in what Excel calls CSV (Macintosh): there are some, and no
/// line end of another sort.
fn has_old_ends(head: &[u8]) -> bool {
    !is_binary(head) && memchr(b'\n', head).is_none() && memchr(b'\r', head.trim_ascii()).is_some()
}

/// Carriage returns as line ends.
struct NewEnds<R>(R);

impl<R: Read> Read for NewEnds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        buffer[..count].iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        Ok(count)
    }
}

/// What a file is whose first bytes say that something else must be done with it first, and what.
fn archive(head: &[u8]) -> Option<(&'static str, &'static str)> {
    const SPREADSHEET: &str = "save it as CSV UTF-8 in the program that made it";
    const DOCUMENT: &str = "save documents as .txt or .pdf, put them into a folder and give the folder";
    const PICTURE: (&str, &str) = ("a picture", "is it the file that was meant?");
    let has = |name: &[u8]| memchr::memmem::find(head, name).is_some();
    match head {
        [b'P', b'K', 3, 4, ..] if has(b"opendocument.spreadsheet") => {
            Some(("an OpenDocument spreadsheet", SPREADSHEET))
        }
        [b'P', b'K', 3, 4, ..] if has(b"word/") || has(b"opendocument.text") => Some(("a text document", DOCUMENT)),
        [b'P', b'K', 3, 4, ..] if has(b"xl/") || has(b"[Content_Types]") => Some(("an Excel file", SPREADSHEET)),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => {
            Some(("a ZIP archive", "unpack it: `unzip FILE`; a spreadsheet is saved as CSV instead"))
        }
        [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => Some(("an old Excel or Word file", SPREADSHEET)),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            Some(("an xz file", "unpack it: `xz -dk FILE`, or `xz -dc FILE | throng … -`"))
        }
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Some(("a 7z archive", "unpack it: `7z x FILE`")),
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => Some(("a RAR archive", "unpack it: `unrar x FILE`")),
        _ if head.get(257..262) == Some(b"ustar") => Some(("a tar archive", "unpack it: `tar xf FILE`")),
        [b'O', b'R', b'C', ..] if head.contains(&0) => Some(("an ORC file", "write it as Parquet or CSV")),
        [b'O', b'b', b'j', 1, ..] => Some(("an Avro file", "write it as Parquet or JSON lines")),
        [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] | [b'G', b'I', b'F', b'8', ..] => Some(PICTURE),
        [b'S', b'Q', b'L', b'i', b't', b'e', b' ', b'f', ..] => {
            Some(("an SQLite database", "export the table as CSV: `sqlite3 -header -csv FILE 'select * from …'`"))
        }
        [b'%', b'P', b'D', b'F', b'-', ..] => Some(("a PDF file", "documents are given as a folder: put it into one")),
        _ => None,
    }
}

/// What went wrong while reading, in words for people.
fn read_failed(location: &Location, cause: io::Error) -> Error {
    if let Some(too_much) = cause.get_ref().and_then(|cause| cause.downcast_ref::<TooMuch>()) {
        return Error::data(too_much.to_string())
            .with_hint("is it the file that was meant? If it is, unpack it first: `gzip -d FILE` or `zstd -d FILE`")
            .in_file(location.to_string());
    }
    if let Some(other) = cause.get_ref().and_then(|cause| cause.downcast_ref::<NotInEncoding>()) {
        return Error::data(other.to_string())
            .with_hint("`--encoding` says what it is; was the file cut off?")
            .in_file(location.to_string());
    }
    let broken = matches!(
        cause.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other
    );
    if broken {
        Error::data("the compressed data are damaged or end too early")
            .with_cause(cause)
            .with_hint("the file was cut off or changed: fetch it again, or unpack it as far as it goes")
            .in_file(location.to_string())
    } else {
        Error::io(format!("read {location}"), cause)
    }
}

/// A piece of a file, in its order.
pub(super) enum Event {
    /// Whole records.
    Block(Vec<u8>),
    /// A line above the limit, which was left out.
    TooLong,
    /// Nothing more can be read.
    Failed(Error),
}

/// The blocks of a file.
pub(super) struct Blocks {
    location: Location,
    rest: Box<dyn Read + Send>,
    /// Bytes read but not yet given out.
    carry: Vec<u8>,
    /// Where a line end can be inside quotes, what stands between cells.
    quoted: Option<Delimiter>,
    /// Whether what comes next is the rest of a line that is too long.
    skipping: bool,
    ended: bool,
    /// Set when nobody wants more, for a line can go on without end.
    stop: Arc<AtomicBool>,
}

impl Iterator for Blocks {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if std::mem::take(&mut self.skipping)
            && let Err(cause) = self.skip_line()
        {
            self.ended = true;
            return Some(Event::Failed(read_failed(&self.location, cause)));
        }
        let mut block = std::mem::take(&mut self.carry);
        let mut wanted = BLOCK;
        loop {
            while !self.ended && block.len() < wanted {
                let before = block.len();
                block.reserve(wanted - before);
                match self.rest.by_ref().take((wanted - before) as u64).read_to_end(&mut block) {
                    Ok(0) => self.ended = true,
                    Ok(_) => {}
                    Err(cause) => {
                        self.ended = true;
                        return Some(Event::Failed(read_failed(&self.location, cause)));
                    }
                }
            }
            if self.ended {
                // The last record may lack its line end.
                return if begins_too_long(&block) {
                    Some(self.too_long(block))
                } else {
                    (!block.is_empty()).then_some(Event::Block(block))
                };
            }
            // Only the first line can be that long: a block grows no further than its first border.
            if begins_too_long(&block) {
                return Some(self.too_long(block));
            }
            if let Some(border) = self.border(&block) {
                self.carry = block.split_off(border);
                return Some(Event::Block(block));
            }
            if block.len() > LONGEST_LINE {
                return Some(self.too_long(block));
            }
            wanted = block.len() + BLOCK;
        }
    }
}

/// Keeps blocks from being read once it is dropped.
pub(super) struct Stopper(Arc<AtomicBool>);

impl Drop for Stopper {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Whether the first line of a block is above the limit.
fn begins_too_long(block: &[u8]) -> bool {
    block.len() > LONGEST_LINE && memchr(b'\n', block).unwrap_or(block.len()) > LONGEST_LINE
}

impl Blocks {
    /// Something that, once dropped, keeps it from reading on.
    pub(super) fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stop))
    }

    /// The end of the last whole record of a block that begins with a record.
    fn border(&self, block: &[u8]) -> Option<usize> {
        let Some(delimiter) = self.quoted.filter(|_| memchr(b'"', block).is_some()) else {
            return memchr::memrchr(b'\n', block).map(|at| at + 1);
        };
        let mut border = None;
        let mut state = QuoteState { inside: false, delimiter: delimiter.byte() };
        let mut start = 0;
        while let Some(length) = memchr(b'\n', &block[start..]) {
            let line = &block[start..=start + length];
            state.advance(line);
            start += line.len();
            if !state.inside {
                border = Some(start);
            }
        }
        border
    }

    /// Drops what is read of a line that is too long. The rest is read only if somebody wants what comes after it.
    fn too_long(&mut self, mut block: Vec<u8>) -> Event {
        match memchr(b'\n', &block) {
            Some(end) => self.carry = block.split_off(end + 1),
            None => self.skipping = true,
        }
        Event::TooLong
    }

    /// Reads up to the end of a line.
    fn skip_line(&mut self) -> io::Result<()> {
        let mut block = Vec::new();
        while !self.ended && !self.stop.load(Ordering::Relaxed) {
            block.clear();
            self.ended = self.rest.by_ref().take(BLOCK as u64).read_to_end(&mut block)? == 0;
            if let Some(end) = memchr(b'\n', &block) {
                self.carry = block.split_off(end + 1);
                break;
            }
        }
        Ok(())
    }
}

/// Whether a place in a CSV file is inside quotes. A quote opens only at the start of a field.
struct QuoteState {
    inside: bool,
    /// What stands between fields.
    delimiter: u8,
}

impl QuoteState {
    /// Goes over a line, its end included.
    fn advance(&mut self, line: &[u8]) {
        if !self.inside && memchr(b'"', line).is_none() {
            return;
        }
        let mut field_start = !self.inside;
        let mut at = 0;
        while at < line.len() {
            match line[at] {
                b'"' if self.inside => {
                    // A doubled quote stays inside.
                    if line.get(at + 1) == Some(&b'"') {
                        at += 1;
                    } else {
                        self.inside = false;
                    }
                    field_start = false;
                }
                b'"' if field_start => {
                    self.inside = true;
                    field_start = false;
                }
                byte => field_start = !self.inside && (byte == self.delimiter || matches!(byte, b'\n' | b'\r')),
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::csv_records;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A CSV file cut at a border has the records of the whole file.
        #[test]
        fn borders_are_between_records(pieces in prop::collection::vec(prop::sample::select(vec!["\"", ",", "\n", "\r", "a"]), 0..24)) {
            let text = pieces.concat();
            let blocks = Blocks {
                location: Location::Stdin,
                rest: Box::new(io::empty()),
                carry: Vec::new(),
                quoted: Some(Delimiter::COMMA),
                skipping: false,
                ended: false,
                stop: Arc::default(),
            };
            if let Some(border) = blocks.border(text.as_bytes()) {
                let records = |text: &str| csv_records(text.as_bytes()).into_iter().map(|(_, record)| record).collect::<Vec<_>>();
                let (first, second) = text.split_at(border);
                prop_assert_eq!([records(first), records(second)].concat(), records(&text), "{:?} | {:?}", first, second);
            }
        }
    }
}
