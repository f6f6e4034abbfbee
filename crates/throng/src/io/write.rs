//! Writing a log in the form of a layout: persons in the order given, rows formatted and compressed in parallel.
//!
//! Rows are cut into pieces by their number, never by the number of threads, so the bytes are the same on any machine.
//! A gzip or zstd file is one member or frame a piece.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression as ParquetCompression, ZstdLevel};
use ::parquet::file::properties::WriterProperties;
use arrow_schema::Schema;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use throng_core::data::time::{self, TimeStyle};
use throng_core::data::{Line, QueryLog, Strings};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::cells::Cells;
use super::columns::Role;
use super::source::hex;
use super::{Compression, Format, FormatKind, Layout, parquet as parquet_format};

/// Room made for a row beforehand: about as long as one of AOL's.
const BYTES_A_ROW: usize = 80;
/// Rows in a piece, about.
const PIECE: usize = 1 << 15;
/// Persons whose strings are fetched at once.
const NEAR: usize = 16;

/// A person to be written.
#[derive(Debug, Clone, Copy)]
pub struct Person<'a> {
    /// The name to write.
    pub name: &'a str,
    /// Whose lines to write: a person of the log.
    pub person: u32,
}

/// A writer that knows the SHA-256 of what went through it.
#[derive(Debug)]
pub struct HashingWriter<W> {
    inner: W,
    hasher: Sha256,
}

impl<W: Write> HashingWriter<W> {
    /// Writes to `inner`.
    pub fn new(inner: W) -> Self {
        Self { inner, hasher: Sha256::new() }
    }

    /// The writer below, and the hash in lower-case hexadecimal.
    pub fn finish(self) -> (W, String) {
        (self.inner, hex(&self.hasher.finalize()))
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes a whole log's persons at once. Gives the number of rows.
pub fn write_persons<W: Write + Send>(
    out: &mut W,
    format: Format,
    layout: &Layout,
    log: &QueryLog,
    persons: &[Person<'_>],
    progress: &dyn Progress,
) -> Result<u64> {
    let mut writer = LogWriter::new(out, format, layout)?;
    writer.append(log, persons, progress)?;
    writer.finish()
}

/// Writes logs one after the other into one file.
pub struct LogWriter<'a, W: Write + Send> {
    format: Format,
    layout: &'a Layout,
    rows: u64,
    target: Target<'a, W>,
}

enum Target<'a, W: Write + Send> {
    /// Text, with the header while it is not yet written.
    Text(&'a mut W, Option<Vec<u8>>),
    Parquet(Box<ArrowWriter<&'a mut W>>, Arc<Schema>),
}

impl<'a, W: Write + Send> LogWriter<'a, W> {
    /// Begins a file.
    pub fn new(out: &'a mut W, format: Format, layout: &'a Layout) -> Result<Self> {
        let target = if format.kind == FormatKind::Parquet {
            let schema = parquet_format::schema(layout);
            let writer =
                ArrowWriter::try_new(out, schema.clone(), Some(parquet_properties()?)).map_err(parquet_failed)?;
            Target::Parquet(Box::new(writer), schema)
        } else {
            Target::Text(out, Some(header(Cells { kind: format.kind, raw: layout.raw_cells }, layout)))
        };
        Ok(Self { format, layout, rows: 0, target })
    }

    /// Writes persons of a log.
    pub fn append(&mut self, log: &QueryLog, persons: &[Person<'_>], progress: &dyn Progress) -> Result<()> {
        let (format, layout) = (self.format, self.layout);
        let pieces = pieces(log, persons);
        match &mut self.target {
            Target::Parquet(writer, schema) => {
                for piece in pieces {
                    let batch = parquet_format::batch(log, piece, layout, schema)?;
                    writer.write(&batch).map_err(parquet_failed)?;
                    progress.advance(batch.num_rows() as u64);
                    progress.go_on()?;
                }
            }
            Target::Text(out, header) => {
                let rows = Rows::new(format.kind, layout, log);
                // Some pieces at a time, so that formatted rows do not pile up; the ones before are written meanwhile.
                let mut formatted = Vec::new();
                for batch in pieces.chunks(4 * rayon::current_num_threads().max(1)) {
                    let first = header.take().unwrap_or_default();
                    let format_piece = |(at, piece): (usize, &&[Person<'_>])| {
                        let mut text = if at == 0 { first.clone() } else { Vec::new() };
                        text.reserve(BYTES_A_ROW * count_rows(log, piece));
                        for near in piece.chunks(NEAR) {
                            near.iter().for_each(|person| log.touch(log.range(person.person as usize)));
                            for person in near {
                                let name = rows.name(person.name);
                                log.lines(person.person as usize).for_each(|line| rows.format(&name, &line, &mut text));
                            }
                        }
                        compress(text, format.compression)
                    };
                    let (next, written) = rayon::join(
                        || batch.par_iter().with_max_len(1).enumerate().map(format_piece).collect(),
                        || write_pieces(out, std::mem::take(&mut formatted)),
                    );
                    written?;
                    formatted = next;
                    progress.advance(batch.iter().map(|piece| count_rows(log, piece)).sum::<usize>() as u64);
                    progress.go_on()?;
                }
                write_pieces(out, formatted)?;
            }
        }
        self.rows += count_rows(log, persons) as u64;
        Ok(())
    }

    /// Ends the file. Gives the number of rows.
    pub fn finish(self) -> Result<u64> {
        match self.target {
            Target::Text(out, header) => {
                if let Some(header) = header {
                    out.write_all(&compress(header, self.format.compression).map_err(failed)?).map_err(failed)?;
                }
                out.flush().map_err(failed)?;
            }
            Target::Parquet(mut writer, _) => {
                writer.finish().map_err(parquet_failed)?;
                writer.inner_mut().flush().map_err(failed)?;
            }
        }
        Ok(self.rows)
    }
}

/// How Parquet files are written.
pub(super) fn parquet_properties() -> Result<WriterProperties> {
    let compression = ParquetCompression::ZSTD(ZstdLevel::try_new(3).map_err(parquet_failed)?);
    let builder = WriterProperties::builder().set_compression(compression);
    Ok(builder.set_created_by(format!("throng {}", env!("CARGO_PKG_VERSION"))).build())
}

pub(super) fn failed(cause: io::Error) -> Error {
    Error::io("write the data", cause)
}

/// The library wraps the cause of a failed write; without it a full disk would look like a damaged file.
pub(super) fn parquet_failed(cause: ::parquet::errors::ParquetError) -> Error {
    match cause {
        ::parquet::errors::ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => failed(*cause),
            Err(cause) => failed(io::Error::other(cause)),
        },
        cause => failed(io::Error::other(cause)),
    }
}

fn count_rows(log: &QueryLog, persons: &[Person<'_>]) -> usize {
    persons.iter().map(|person| log.range(person.person as usize).len()).sum()
}

fn write_pieces(out: &mut impl Write, pieces: Vec<io::Result<Vec<u8>>>) -> Result<()> {
    pieces.into_iter().try_for_each(|piece| out.write_all(&piece?)).map_err(failed)
}

/// Cuts persons into pieces of about [`PIECE`] rows.
fn pieces<'p, 'a>(log: &QueryLog, persons: &'p [Person<'a>]) -> Vec<&'p [Person<'a>]> {
    let mut pieces = Vec::new();
    let (mut start, mut rows) = (0, 0);
    for (at, person) in persons.iter().enumerate() {
        rows += log.range(person.person as usize).len();
        if rows >= PIECE {
            pieces.push(&persons[start..=at]);
            (start, rows) = (at + 1, 0);
        }
    }
    if start < persons.len() {
        pieces.push(&persons[start..]);
    }
    pieces
}

pub(super) fn compress(text: Vec<u8>, compression: Compression) -> io::Result<Vec<u8>> {
    match compression {
        Compression::None => Ok(text),
        Compression::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
            encoder.write_all(&text)?;
            encoder.finish()
        }
        Compression::Zstd => zstd::stream::encode_all(text.as_slice(), 3),
    }
}

fn header(cells: Cells, layout: &Layout) -> Vec<u8> {
    let mut text = Vec::new();
    if !layout.header || cells.kind == FormatKind::JsonLines {
        return text;
    }
    for (at, (_, name)) in layout.columns.iter().enumerate() {
        if at > 0 {
            text.push(cells.separator());
        }
        cells.push(name.as_bytes(), &mut text);
    }
    text.push(b'\n');
    text
}

/// What rows of a log look like in a text.
struct Rows<'a> {
    cells: Cells,
    layout: &'a Layout,
    log: &'a QueryLog,
    /// Whether no query, and no URL, needs a closer look: true of nearly every log, and known from one look at all.
    plain_queries: bool,
    plain_urls: bool,
}

impl<'a> Rows<'a> {
    fn new(kind: FormatKind, layout: &'a Layout, log: &'a QueryLog) -> Self {
        let cells = Cells { kind, raw: layout.raw_cells };
        let plain = |strings: &Strings| cells.are_plain(strings.text(), strings.iter());
        Self { cells, layout, log, plain_queries: plain(log.queries()), plain_urls: plain(log.urls()) }
    }

    /// The field of a person.
    fn name(&self, name: &str) -> Vec<u8> {
        let mut field = Vec::new();
        match self.cells.kind {
            // A number stays a number where a pseudonym, or a kept id, can be written as one.
            FormatKind::JsonLines
                if self.layout.typed_person && name.parse::<i64>().is_ok_and(|id| id.to_string() == name) =>
            {
                field.extend_from_slice(name.as_bytes());
            }
            FormatKind::JsonLines => push_json(name, &mut field),
            _ => self.cells.push(name.as_bytes(), &mut field),
        }
        field
    }

    /// A row, given the field of its person.
    fn format(&self, name: &[u8], line: &Line, out: &mut Vec<u8>) {
        if self.cells.kind == FormatKind::JsonLines {
            return format_json(self.layout, self.log, name, line, out);
        }
        let row = out.len();
        let push = |plain: bool, strings: &Strings, id: u32, out: &mut Vec<u8>| {
            if plain { strings.push_to(id, out) } else { self.cells.push(strings.get(id).as_bytes(), out) }
        };
        for (at, (role, _)) in self.layout.columns.iter().enumerate() {
            if at > 0 {
                out.push(self.cells.separator());
            }
            match role {
                Role::User => out.extend_from_slice(name),
                Role::Query => push(self.plain_queries, self.log.queries(), line.query, out),
                Role::Time => time::format(line.time, self.layout.time_style, out),
                Role::Rank => {
                    if let Some(rank) = line.rank {
                        push_number(rank, out);
                    }
                }
                Role::Url => {
                    if let Some(url) = line.url {
                        push(self.plain_urls, self.log.urls(), url, out);
                    }
                }
            }
        }
        debug_assert!(out.len() > row, "a row is never empty: a person has a name");
        out.push(b'\n');
    }
}

fn push_number(number: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

fn push_json(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
}

fn format_json(layout: &Layout, log: &QueryLog, name: &[u8], line: &Line, out: &mut Vec<u8>) {
    out.push(b'{');
    for (at, (role, key)) in layout.columns.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        push_json(key, out);
        out.push(b':');
        match role {
            Role::User => out.extend_from_slice(name),
            Role::Query => push_json(log.queries().get(line.query), out),
            Role::Time => {
                let typed = layout.typed_time && !matches!(layout.time_style, TimeStyle::Calendar { .. });
                let quote: &[u8] = if typed { b"" } else { b"\"" };
                out.extend_from_slice(quote);
                time::format(line.time, layout.time_style, out);
                out.extend_from_slice(quote);
            }
            Role::Rank => match line.rank {
                Some(rank) => push_number(rank, out),
                None => out.extend_from_slice(b"null"),
            },
            Role::Url => match line.url {
                Some(url) => push_json(log.urls().get(url), out),
                None => out.extend_from_slice(b"null"),
            },
        }
    }
    out.extend_from_slice(b"}\n");
}

/// A writer that ends what it has begun.
pub(crate) trait Finish: Write {
    /// Writes what is left.
    fn end(self: Box<Self>) -> std::io::Result<()>;
}

impl Finish for &mut (dyn Write + Send) {
    fn end(mut self: Box<Self>) -> std::io::Result<()> {
        self.flush()
    }
}

impl<W: Write> Finish for flate2::write::GzEncoder<W> {
    fn end(self: Box<Self>) -> std::io::Result<()> {
        self.finish().map(drop)
    }
}

impl<W: Write> Finish for zstd::stream::write::Encoder<'_, W> {
    fn end(self: Box<Self>) -> std::io::Result<()> {
        self.finish().map(drop)
    }
}

/// A writer that compresses as it goes.
pub(crate) fn compressed<'w>(
    out: &'w mut (dyn Write + Send),
    compression: Compression,
) -> std::io::Result<Box<dyn Finish + 'w>> {
    Ok(match compression {
        Compression::None => Box::new(out),
        Compression::Gzip => Box::new(flate2::write::GzEncoder::new(out, flate2::Compression::new(6))),
        Compression::Zstd => Box::new(zstd::stream::write::Encoder::new(out, 3)?),
    })
}
