//! An open Parquet file: whatever is asked of it is guarded, and what it unpacks to has limits.
//!
//! # Idea
//! 1. The library panics on some damaged files: every call is caught, and a panic is an error like any other. 2. A file says
//!    in the header of each page how large the page is when unpacked. That is read before the library makes room for it, so
//!    that a small file cannot ask for gigabytes. 3. Texts are read as views into the pages, so that a value which a file
//!    holds once and repeats many times takes its room once. 4. A batch has fewer rows where rows are long. 5. What the file
//!    holds and no row shows is noted: words beside the columns, bytes between them, entries of dictionaries.
//!
//! # Cost
//! At most [`LARGEST_BATCH`] of unpacked pages at once.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::arrow::{ARROW_SCHEMA_META_KEY, ProjectionMask, encode_arrow_schema};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ColumnChunkMetaData, KeyValue, ParquetMetaData, RowGroupMetaData};
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::file::serialized_reader::SerializedPageReader;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, FieldRef, Schema};
use throng_core::{Error, Result};

use super::guarded::unreadable;
use super::parquet_dictionary::{Unused, unused};
use super::parquet_footer::{beside, depth_of, page_header};
use super::source::{Source, open_file};
use super::uncompared::Uncompared;
use super::{Compression, Location};

/// What it is called in errors.
const FORM: &str = "Parquet file";
/// Rows in a batch.
const BATCH: usize = 1 << 16;
/// Rows of a batch are fewer where their pages would be larger than this, by what the file says of itself.
const USUAL_BATCH: u64 = 256 << 20;
/// No page may be larger than this when it is unpacked.
const LARGEST_PAGE: u64 = 256 << 20;
/// No column may lie deeper than this in others.
const DEEPEST: usize = 64;
/// Nor may the pages of a batch together.
const LARGEST_BATCH: u64 = 1 << 30;

/// An open Parquet file.
pub(super) struct ParquetFile {
    input: Input,
    metadata: ArrowReaderMetadata,
}

impl ParquetFile {
    /// Opens a file and reads what it says of itself.
    pub(super) fn open(source: &mut Source) -> Result<Self> {
        if source.compression != Compression::None {
            return Err(Error::data("a Parquet file inside gzip or zstd is not read")
                .with_hint("unpack it first; Parquet has its own compression"));
        }
        if !source.head.starts_with(b"PAR1") {
            return Err(Error::data("this is no Parquet file")
                .with_hint("leave out `--format` (in protect, `--input-format`): throng sees what it is"));
        }
        let input = match &source.location {
            Location::File(path) | Location::Folder(path) => Input::File(open_file(path)?),
            Location::Stdin | Location::Held(_) | Location::Frame(_) | Location::Several(_) => {
                source.read_all()?;
                Input::Memory(bytes::Bytes::copy_from_slice(&source.head))
            }
        };
        check_depth(&input)?;
        let read = guarded(|| ArrowReaderMetadata::load(&input, ArrowReaderOptions::new()))?;
        let views = ArrowReaderOptions::new().with_schema(Arc::new(with_views(read.schema())));
        let metadata = guarded(|| ArrowReaderMetadata::try_new(read.metadata().clone(), views))?;
        Ok(Self { input, metadata })
    }

    /// Its columns. Texts are of the type of views.
    pub(super) fn schema(&self) -> &Schema {
        self.metadata.schema()
    }

    /// How many rows it says that it has.
    pub(super) fn rows(&self) -> u64 {
        self.metadata.metadata().file_metadata().num_rows().try_into().unwrap_or(0)
    }

    /// What it holds beside its columns that throng does not write into a release, in words. Files of others have such things, and
    /// they are none of a model's business; but in a release nobody would look for somebody's name there.
    pub(super) fn more_than_throng_writes(&self) -> Result<Vec<&'static str>> {
        let read = guarded(|| ArrowReaderMetadata::load(&self.input, ArrowReaderOptions::new()))?;
        let (about, mut more) = (read.metadata().file_metadata(), Vec::new());
        let is_version =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && text.len() <= 20;
        let is_throng = |text: &str| text.strip_prefix("throng ").is_some_and(is_version);
        if !about.created_by().is_some_and(is_throng) {
            more.push("a name of the program that wrote the Parquet file, which is not throng");
        }
        let own = encode_arrow_schema(&read.schema().as_ref().clone().with_metadata(HashMap::default()));
        let is_own = |pair: &KeyValue| pair.key == ARROW_SCHEMA_META_KEY && pair.value.as_ref() == Some(&own);
        if !about.key_value_metadata().is_none_or(|pairs| pairs.iter().all(is_own)) {
            more.push("a description of the columns of the Parquet file that is not their own");
        }
        let mut chunks = read.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns);
        let has_more = |chunk: &ColumnChunkMetaData| {
            chunk.statistics().is_some()
                || chunk.column_index_offset().is_some()
                || chunk.offset_index_offset().is_some()
                || chunk.bloom_filter_offset().is_some()
        };
        if chunks.any(has_more) {
            more.push("statistics or an index of the Parquet file");
        }
        let mut chunks = read.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns);
        if guarded(|| Ok::<_, String>(chunks.any(|chunk| self.headers_hold_more(chunk) != Some(false))))? {
            more.push("statistics or something else in the header of a page of the Parquet file");
        }
        Ok(more)
    }

    /// Whether the header of a page of a column holds anything beside what is needed to read it; `None` if that cannot be told.
    fn headers_hold_more(&self, chunk: &ColumnChunkMetaData) -> Option<bool> {
        let (start, length) = chunk.byte_range();
        let (mut at, end) = (start, start.checked_add(length)?);
        while at < end {
            // Headers are short, unless they hold more.
            let mut bytes = 256;
            let header = loop {
                let taken = bytes.min(end - at);
                match page_header(&self.input.get_bytes(at, usize::try_from(taken).ok()?).ok()?) {
                    Some(header) => break header,
                    None if taken < end - at => bytes *= 16,
                    None => return None,
                }
            };
            if header.has_more {
                return Some(true);
            }
            at = at.checked_add(header.length)?.checked_add(header.page)?;
        }
        Some(false)
    }

    /// Reads some columns, given by their numbers in rising order. The others are not even unpacked. What the file holds
    /// beside its columns is noted.
    pub(super) fn batches(self, wanted: &[usize], uncompared: &Uncompared) -> Result<Batches> {
        guarded(|| {
            self.note(uncompared);
            Ok::<_, String>(())
        })?;
        let metadata = self.metadata.metadata().clone();
        let parquet_schema = metadata.file_metadata().schema_descr();
        // For each group its rows, and the columns that are wanted.
        let chunks = |group: &RowGroupMetaData| {
            let wanted = |(at, _): &(usize, _)| wanted.contains(&parquet_schema.get_column_root_idx(*at));
            let chunks = group.columns().iter().enumerate().filter(wanted);
            let chunks = chunks.map(|(_, chunk)| (chunk.compression(), chunk.uncompressed_size().max(0) as u64));
            (group.num_rows().max(1) as u64, chunks.collect::<Vec<_>>())
        };
        let groups: Vec<_> = guarded(|| Ok::<_, String>(metadata.row_groups().iter().map(chunks).collect()))?;
        groups.iter().flat_map(|(_, chunks)| chunks).try_for_each(|(packed, _)| check_compression(*packed))?;
        let limits = Arc::new(Limits::default());
        let pages = Arc::new(Pages { input: self.input, limits: Arc::clone(&limits) });
        note_dictionaries(&pages, &metadata, wanted, uncompared)?;
        // The longest row of a group, on average.
        let row = |(rows, chunks): &(u64, Vec<(_, u64)>)| chunks.iter().map(|(_, bytes)| bytes / rows).sum::<u64>();
        let longest = groups.iter().map(row).max().unwrap_or(0).max(1);
        let rows = (USUAL_BATCH / longest).clamp(1, BATCH as u64) as usize;
        let mask = ProjectionMask::roots(parquet_schema, wanted.iter().copied());
        // The library takes it whole.
        let pages = Arc::into_inner(pages).ok_or_else(|| Error::internal("a file that is still read"))?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(pages, self.metadata);
        let reader = guarded(|| builder.with_batch_size(rows).with_projection(mask).build())?;
        Ok(Batches { reader, limits })
    }

    /// Notes what the file holds beside its columns.
    fn note(&self, uncompared: &Uncompared) {
        let metadata = self.metadata.metadata();
        let about = metadata.file_metadata();
        let pairs = about.key_value_metadata().map_or(&[][..], Vec::as_slice);
        // The library adds the file's own pairs to those of the schema.
        let is_own = |key: &String| pairs.iter().any(|pair| pair.key == *key);
        let has_more = self.schema().metadata().keys().any(|key| !is_own(key))
            || self.schema().fields().iter().any(|field| has_metadata(field));
        let usual = 2 * encode_arrow_schema(self.schema()).len() + 1024;
        for pair in pairs {
            // The types of the columns as Arrow writes them down, once more; it can hold other things too.
            let is_schema = pair.key == ARROW_SCHEMA_META_KEY && !has_more;
            if !is_schema || pair.value.as_ref().is_some_and(|value| value.len() > usual) {
                uncompared.note("a key with a value in the description of the Parquet file");
            }
        }
        if about.created_by().is_some_and(|text| text.len() > 128) {
            uncompared.note("a long name of the program that wrote the Parquet file");
        }
        let beside =
            footer_of(&self.input).and_then(|footer| beside(&footer).map(|(bytes, root)| (bytes, root.to_vec())));
        match beside {
            Some((bytes, root)) => {
                uncompared.note_many("a byte after the description of the Parquet file", bytes as u64);
                // Names that writers give it: of Spark, of the specification, of pandas and of Arrow.
                let known: [&[u8]; 4] = [b"spark_schema", b"root", b"schema", b"arrow_schema"];
                if !known.contains(&root.as_slice()) {
                    uncompared.note("a name of all columns together in the Parquet file");
                }
            }
            None => uncompared.note("a description of the Parquet file that cannot be told from what comes after it"),
        }
        if let Some(bytes) = bytes_of_nobody(metadata, &self.input).filter(|&bytes| bytes > 0) {
            uncompared.note_many("a byte that belongs to no column of the Parquet file", bytes);
        }
    }
}

/// Notes what the dictionaries of a file hold that no row shows. A column that is not wanted need not be readable.
fn note_dictionaries(
    pages: &Arc<Pages>,
    metadata: &ParquetMetaData,
    wanted: &[usize],
    uncompared: &Uncompared,
) -> Result<()> {
    let schema = metadata.file_metadata().schema_descr();
    for group in metadata.row_groups() {
        for (at, chunk) in group.columns().iter().enumerate() {
            let is_wanted = guarded(|| Ok::<_, String>(wanted.contains(&schema.get_column_root_idx(at))))?;
            match dictionary_of(pages, chunk) {
                Ok(found) => {
                    uncompared
                        .note_many("an entry in a dictionary of the Parquet file that no row uses", found.entries);
                    uncompared.note_many("a byte after a dictionary of the Parquet file", found.bytes);
                    uncompared.note_many("a page of the Parquet file in an old way of writing", found.old_pages);
                }
                Err(error) if is_wanted => return Err(error),
                Err(_) => uncompared.note("a part of a column without a role that cannot be read"),
            }
            pages.limits.reset();
        }
    }
    Ok(())
}

fn dictionary_of(pages: &Arc<Pages>, chunk: &ColumnChunkMetaData) -> Result<Unused> {
    let found = guarded(|| -> std::result::Result<Unused, String> {
        // How many rows there are is asked only of files with an index of pages.
        let mut reader =
            SerializedPageReader::new(Arc::clone(pages), chunk, 0, None).map_err(|cause| cause.to_string())?;
        // Pages are looked at one by one, not held.
        unused(&mut reader, chunk.column_descr(), || pages.limits.unpacked.store(0, Ordering::Relaxed))
    });
    pages.limits.broken().map_or(found, Err)
}

/// Whether a column has words beside its name and type. Numbers of columns, which other writers give them, are none.
pub(super) fn has_metadata(field: &Field) -> bool {
    let is_number = |key: &str| key == ::parquet::arrow::PARQUET_FIELD_ID_META_KEY;
    let nested = match field.data_type() {
        DataType::List(inner) | DataType::LargeList(inner) | DataType::FixedSizeList(inner, _) => has_metadata(inner),
        DataType::Struct(fields) => fields.iter().any(|field| has_metadata(field)),
        _ => false,
    };
    nested || field.metadata().iter().any(|(key, _)| !is_number(key))
}

/// What a file says of itself: its last bytes, before their length and a mark; `None` if it does not end so.
fn footer_of(input: &Input) -> Option<bytes::Bytes> {
    let length = input.len();
    let tail = input.get_bytes(length.checked_sub(8)?, 8).ok().filter(|tail| tail.ends_with(b"PAR1"))?;
    let about = u32::from_le_bytes(tail[..4].try_into().ok()?);
    input.get_bytes(length.checked_sub(8 + u64::from(about))?, about as usize).ok()
}

/// Refuses columns that are nested deeper than the library can go.
fn check_depth(input: &Input) -> Result<()> {
    // A file without its end is the library's to refuse.
    let Some(footer) = footer_of(input) else { return Ok(()) };
    match depth_of(&footer) {
        Some(depth) if depth > DEEPEST => {
            Err(Error::data(format!("the columns of the Parquet file are nested deeper than {DEEPEST} levels"))
                .with_hint("write the file again with plain columns"))
        }
        Some(_) => Ok(()),
        None => Err(damaged("what it says of itself is no list of columns")),
    }
}

/// How many bytes of a file lie in no column, index or description; `None` if that cannot be told.
fn bytes_of_nobody(metadata: &ParquetMetaData, input: &Input) -> Option<u64> {
    let length = input.len();
    let about = footer_of(input)?.len() as u64;
    let mut known: Vec<Range<u64>> = vec![0..4, length.checked_sub(8 + about)?..length];
    let range = |offset: Option<i64>, length: Option<i32>| -> Option<Range<u64>> {
        let start = u64::try_from(offset?).ok()?;
        Some(start..start.checked_add(u64::try_from(length?).ok()?)?)
    };
    for chunk in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let (start, bytes) = chunk.byte_range();
        known.push(start..start.checked_add(bytes)?);
        known.extend(range(chunk.column_index_offset(), chunk.column_index_length()));
        known.extend(range(chunk.offset_index_offset(), chunk.offset_index_length()));
        known.extend(range(chunk.bloom_filter_offset(), chunk.bloom_filter_length()));
    }
    known.sort_by_key(|range| range.start);
    let (mut end, mut gaps) = (0, 0);
    for range in known {
        gaps += range.start.saturating_sub(end);
        end = end.max(range.end);
    }
    Some(gaps)
}

/// The batches of a file.
pub(super) struct Batches {
    reader: ParquetRecordBatchReader,
    limits: Arc<Limits>,
}

impl Batches {
    /// The next batch, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        self.limits.unpacked.store(0, Ordering::Relaxed);
        let batch = guarded(|| self.reader.next().transpose());
        match self.limits.broken() {
            Some(error) => Err(error),
            None => batch,
        }
    }
}

/// The same columns with texts as views.
fn with_views(schema: &Schema) -> Schema {
    fn field(given: &FieldRef) -> FieldRef {
        let kind = match given.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
            DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
            DataType::List(inner) => DataType::List(field(inner)),
            DataType::LargeList(inner) => DataType::LargeList(field(inner)),
            DataType::FixedSizeList(inner, size) => DataType::FixedSizeList(field(inner), *size),
            _ => return Arc::clone(given),
        };
        Arc::new(given.as_ref().clone().with_data_type(kind))
    }
    Schema::new_with_metadata(schema.fields().iter().map(field).collect::<Vec<_>>(), schema.metadata().clone())
}

/// Where the bytes are. It says so where it ends: else a damaged length keeps the library reading nothing for hours, or has
/// it ask for more memory than there is.
enum Input {
    File(File),
    Memory(bytes::Bytes),
}

impl Length for Input {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => Length::len(file),
            Self::Memory(bytes) => Length::len(bytes),
        }
    }
}

impl ChunkReader for Input {
    type T = UntilEnd;

    fn get_read(&self, start: u64) -> ::parquet::errors::Result<UntilEnd> {
        Ok(UntilEnd(match self {
            Self::File(file) => Box::new(file.get_read(start)?),
            Self::Memory(bytes) => Box::new(bytes.get_read(start)?),
        }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ::parquet::errors::Result<bytes::Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF("a part of it would lie beyond its end".to_owned()));
        }
        match self {
            Self::File(file) => file.get_bytes(start, length),
            Self::Memory(bytes) => bytes.get_bytes(start, length),
        }
    }
}

/// Reading beyond the end is an error.
struct UntilEnd(Box<dyn Read>);

impl Read for UntilEnd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 if !buffer.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}

/// The same bytes, read page by page.
struct Pages {
    input: Input,
    limits: Arc<Limits>,
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.input.len()
    }
}

impl ChunkReader for Pages {
    type T = PageHeader;

    /// The library reads the headers of pages so, and nothing else.
    fn get_read(&self, start: u64) -> ::parquet::errors::Result<PageHeader> {
        let rest = self.input.get_read(start)?;
        Ok(PageHeader { rest, seen: Vec::new(), is_known: false, limits: Arc::clone(&self.limits) })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ::parquet::errors::Result<bytes::Bytes> {
        self.input.get_bytes(start, length)
    }
}

/// What has been unpacked for a batch, and whether that was too much.
#[derive(Default)]
struct Limits {
    unpacked: AtomicU64,
    broken: AtomicU8,
}

impl Limits {
    /// Takes a page of so many bytes. Whether that is within the limits.
    fn take(&self, page: u64) -> bool {
        let before = self.unpacked.fetch_add(page, Ordering::Relaxed);
        let broken = u8::from(page > LARGEST_PAGE) + 2 * u8::from(before + page > LARGEST_BATCH);
        self.broken.fetch_or(broken, Ordering::Relaxed);
        broken == 0
    }

    /// Begins anew.
    fn reset(&self) {
        self.unpacked.store(0, Ordering::Relaxed);
        self.broken.store(0, Ordering::Relaxed);
    }

    fn broken(&self) -> Option<Error> {
        let (what, limit) = match self.broken.load(Ordering::Relaxed) {
            0 => return None,
            2 => ("some pages that belong together unpack", LARGEST_BATCH),
            _ => ("a page unpacks", LARGEST_PAGE),
        };
        Some(Error::data(format!("the Parquet file is not read: {what} to more than {} MiB", limit >> 20)).with_hint(
            "no value may be longer than 16 MiB; if none is, write the file again with smaller pages or row groups",
        ))
    }
}

/// The header of a page, whose size is looked at while the library reads it.
struct PageHeader {
    rest: UntilEnd,
    /// Its first bytes, until the size is known.
    seen: Vec<u8>,
    is_known: bool,
    limits: Arc<Limits>,
}

impl Read for PageHeader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.rest.read(buffer)?;
        if !self.is_known {
            self.seen.extend_from_slice(&buffer[..count]);
            match size_of_page(&self.seen) {
                Size::Known(page) if self.limits.take(page) => self.is_known = true,
                Size::Unknown => {}
                Size::Known(_) | Size::Odd => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        Ok(count)
    }
}

/// What the first bytes of a page's header tell of its size when unpacked.
#[derive(Debug, PartialEq)]
enum Size {
    Known(u64),
    /// More bytes are needed.
    Unknown,
    /// No writer begins a page so.
    Odd,
}

/// A header is a structure of Thrift's compact protocol. Its first two fields, both 32-bit numbers, are the sort of page and
/// the size; each is a byte 0x15 (the next field, a 32-bit number) and the number in groups of seven bits, zigzag.
fn size_of_page(header: &[u8]) -> Size {
    let mut rest = header.iter();
    let mut number = 0;
    for _field in 0..2 {
        match rest.next() {
            Some(0x15) => {}
            Some(_) => return Size::Odd,
            None => return Size::Unknown,
        }
        number = 0u64;
        for shift in [0, 7, 14, 21, 28, 35] {
            match rest.next() {
                None => return Size::Unknown,
                Some(_) if shift == 35 => return Size::Odd,
                Some(byte) => {
                    number |= u64::from(byte & 0x7f) << shift;
                    if byte & 0x80 == 0 {
                        break;
                    }
                }
            }
        }
    }
    // A negative size is the library's to refuse.
    Size::Known(if number & 1 == 0 { number >> 1 } else { 0 })
}

/// Calls the library, which panics on some damaged files.
fn guarded<T, E: Display>(call: impl FnOnce() -> std::result::Result<T, E>) -> Result<T> {
    super::guarded::guarded(FORM, call)
}

fn damaged(cause: &str) -> Error {
    unreadable(FORM, cause)
}

/// Refuses a compression of Parquet that throng is built without.
fn check_compression(compression: ::parquet::basic::Compression) -> Result<()> {
    use ::parquet::basic::Compression;
    match compression {
        Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::ZSTD(_) => Ok(()),
        other => {
            let name = other.to_string();
            let name = name.split(['(', '_']).next().unwrap_or_default().to_lowercase();
            Err(Error::data(format!("the Parquet file is compressed with {name}, which is not read"))
                .with_hint("write it again with zstd, snappy or gzip, or without compression"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_lies_beyond_the_end() {
        let file = Input::Memory(bytes::Bytes::from_static(b"PAR1"));
        assert_eq!(file.get_bytes(1, 3).unwrap().as_ref(), b"AR1");
        for (start, length) in [(0, 5), (4, 1), (0, usize::MAX), (u64::MAX, 1)] {
            assert!(file.get_bytes(start, length).is_err());
        }
        let mut rest = file.get_read(2).unwrap();
        assert_eq!(rest.read(&mut [0; 8]).unwrap(), 2);
        assert_eq!(rest.read(&mut [0; 8]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn sizes_of_pages() {
        assert_eq!(size_of_page(&[0x15, 0x00, 0x15, 0x14, 0x15]), Size::Known(10));
        assert_eq!(size_of_page(&[0x15, 0x04, 0x15, 0x80, 0x80, 0x80, 0x80, 0x02]), Size::Known(1 << 28));
        assert_eq!(size_of_page(&[0x15, 0x00, 0x15, 0x01]), Size::Known(0));
        assert_eq!(size_of_page(&[0x15, 0x00, 0x15, 0x80]), Size::Unknown);
        assert_eq!(size_of_page(&[]), Size::Unknown);
        assert_eq!(size_of_page(&[0x25]), Size::Odd);
        assert_eq!(size_of_page(&[0x15, 0x00, 0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), Size::Odd);
    }

    #[test]
    fn pages_have_limits() {
        let limits = Limits::default();
        assert!(limits.take(LARGEST_PAGE) && limits.broken().is_none());
        assert!(!limits.take(LARGEST_PAGE + 1));
        assert!(limits.broken().unwrap().to_string().contains("256 MiB"));
        let limits = Limits::default();
        assert!((0..4).all(|_| limits.take(LARGEST_PAGE)) && !limits.take(1));
        assert!(limits.broken().unwrap().to_string().contains("1024 MiB"));
    }

    #[test]
    fn compressions_that_are_not_read_are_named() {
        use ::parquet::basic::{BrotliLevel, Compression, ZstdLevel};
        assert!(check_compression(Compression::ZSTD(ZstdLevel::default())).is_ok());
        let refused = |compression| check_compression(compression).unwrap_err().describe(false);
        assert!(refused(Compression::LZ4_RAW).contains("with lz4, which"));
        assert!(refused(Compression::BROTLI(BrotliLevel::default())).contains("with brotli, which"));
    }
}
