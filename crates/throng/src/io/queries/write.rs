//! Writing a log in the form of a layout: persons in the order given, rows formatted and compressed in parallel.
//!
//! Rows are cut into pieces by their number, never by the number of threads, so the bytes are the same on any machine.
//! A gzip or zstd file is one member or frame a piece. A Parquet file has text, 64-bit whole numbers and UTC milliseconds.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray, UInt32Array};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use rayon::prelude::*;
use throng_core::data::time::{self, TimeStyle};
use throng_core::data::{Line, QueryLog, Strings};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::cells::Cells;
use super::super::write::{Person, compress, failed, parquet_failed, parquet_properties};
use super::super::{Format, FormatKind};
use super::{Layout, Role};

/// Room made for a row beforehand: about as long as one of AOL's.
const BYTES_A_ROW: usize = 80;
/// Rows in a piece, about.
const PIECE: usize = 1 << 15;
/// Persons whose strings are fetched at once.
const NEAR: usize = 16;

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
        if format.kind == FormatKind::Fimi {
            return Err(Error::parameter("format", "is one basket a line, which cannot hold a search log")
                .with_hint("a search log is written as tsv, csv, jsonl or parquet; text also as .gz or .zst"));
        }
        let target = if format.kind == FormatKind::Parquet {
            let schema = schema_of(layout);
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
                    progress.go_on()?;
                    let batch = batch_of(log, piece, layout, schema)?;
                    writer.write(&batch).map_err(parquet_failed)?;
                    progress.advance(batch.num_rows() as u64);
                }
            }
            Target::Text(out, header) => {
                let rows = Rows::new(format.kind, layout, log);
                // Some pieces at a time, so that formatted rows do not pile up; the ones before are written meanwhile.
                let mut formatted = Vec::new();
                for batch in pieces.chunks(4 * rayon::current_num_threads().max(1)) {
                    progress.go_on()?;
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

/// The schema of a Parquet file with this layout.
fn schema_of(layout: &Layout) -> Arc<Schema> {
    let field = |(role, name): &(Role, String)| {
        let kind = match role {
            Role::User if layout.typed_person => DataType::Int64,
            Role::User | Role::Query | Role::Url => DataType::Utf8,
            Role::Time if !layout.typed_time => DataType::Utf8,
            Role::Time => match layout.time_style {
                TimeStyle::Calendar { .. } => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
                TimeStyle::EpochSeconds | TimeStyle::EpochMillis => DataType::Int64,
            },
            Role::Rank => DataType::UInt32,
        };
        Field::new(name, kind, matches!(role, Role::Rank | Role::Url))
    };
    Arc::new(Schema::new(layout.columns.iter().map(field).collect::<Vec<_>>()))
}

/// Some persons of a log as a batch.
fn batch_of(log: &QueryLog, persons: &[Person<'_>], layout: &Layout, schema: &Arc<Schema>) -> Result<RecordBatch> {
    let lines = || persons.iter().flat_map(|person| log.lines(person.person as usize).map(|line| (person.name, line)));
    let array = |role: Role| -> Result<ArrayRef> {
        Ok(match role {
            Role::User if layout.typed_person => {
                let number =
                    |(name, _): (&str, _)| name.parse::<i64>().map_err(|_| Error::internal("a pseudonym is no number"));
                Arc::new(Int64Array::from(lines().map(number).collect::<Result<Vec<_>>>()?))
            }
            Role::User => Arc::new(lines().map(|(name, _)| Some(name)).collect::<StringArray>()),
            Role::Query => {
                Arc::new(lines().map(|(_, line)| Some(log.queries().get(line.query))).collect::<StringArray>())
            }
            Role::Url => {
                Arc::new(lines().map(|(_, line)| line.url.map(|url| log.urls().get(url))).collect::<StringArray>())
            }
            Role::Rank => Arc::new(lines().map(|(_, line)| line.rank).collect::<UInt32Array>()),
            Role::Time if !layout.typed_time => {
                let written = |(_, line): (_, Line)| Some(time::to_text(line.time, layout.time_style));
                Arc::new(lines().map(written).collect::<StringArray>())
            }
            Role::Time => {
                let times = lines().map(|(_, line)| line.time);
                match layout.time_style {
                    TimeStyle::Calendar { .. } => {
                        Arc::new(TimestampMillisecondArray::from_iter_values(times).with_timezone("UTC"))
                    }
                    TimeStyle::EpochSeconds => {
                        Arc::new(Int64Array::from_iter_values(times.map(|time| time.div_euclid(1000))))
                    }
                    TimeStyle::EpochMillis => Arc::new(Int64Array::from_iter_values(times)),
                }
            }
        })
    };
    let arrays = layout.columns.iter().map(|(role, _)| array(*role)).collect::<Result<Vec<_>>>()?;
    RecordBatch::try_new(schema.clone(), arrays)
        .map_err(|cause| Error::internal(format!("a batch does not fit: {cause}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_no_list_of_baskets() {
        let mut out = Vec::new();
        let format = Format::parse("fimi").unwrap();
        let error = LogWriter::new(&mut out, format, &Layout::aol()).err().unwrap();
        assert!(error.describe(false).contains("tsv, csv, jsonl or parquet"), "{}", error.describe(false));
        assert!(!error.describe(false).contains("internal") && out.is_empty());
    }
}
