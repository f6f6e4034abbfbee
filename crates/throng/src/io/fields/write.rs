//! Rows of any kind, written: text with separators, JSON lines, and the columns of Parquet and Arrow, each in one place.
//!
//! A kind says which columns it has and gives the values of a person's rows in their order; persons come in the order given.
//! Rows are cut into pieces by their number, never by the number of threads, so the bytes are the same on any machine. A gzip
//! or zstd file is one member or frame a piece. A file of columns has text, whole numbers, and UTC milliseconds.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder, TimestampMillisecondBuilder, UInt32Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use throng_core::data::Strings;
use throng_core::data::time::{self, TimeStyle};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::cells::Cells;
use super::super::columns::{self, BatchWriter};
use super::super::time_zone::TimeZone;
use super::super::write::{Person, Pieces, cut, push_json, push_typed};
use super::super::{Format, FormatKind};

/// Room made for a row beforehand: about as long as one of AOL's.
const BYTES_A_ROW: usize = 80;
/// Persons whose values are fetched at once.
const NEAR: usize = 16;

/// A column to be written.
#[derive(Debug, Clone)]
pub(in super::super) struct Column {
    /// Its name.
    pub(in super::super) name: String,
    /// What it holds.
    pub(in super::super) sort: Sort,
    /// Whether a row may have nothing in it.
    pub(in super::super) optional: bool,
}

/// What a column holds, and how a typed format writes it.
#[derive(Debug, Clone)]
pub(in super::super) enum Sort {
    /// Whose the row is: a number of the format itself, or text.
    Person {
        typed: bool,
    },
    Text,
    /// A whole number from 0.
    Count,
    /// A number that may have a fraction.
    Weight,
    /// Texts that are numbers, whole or not: numbers where the format has such.
    Number {
        whole: bool,
    },
    /// A point in time.
    Time(TimeForm),
}

/// How a column writes times.
#[derive(Debug, Clone)]
pub(in super::super) struct TimeForm {
    pub(in super::super) style: TimeStyle,
    /// The zone that they are local in, where one is named.
    pub(in super::super) zone: Option<TimeZone>,
    pub(in super::super) part: TimePart,
    /// Whether they are values of the format itself, not text.
    pub(in super::super) typed: bool,
}

/// What of a time stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum TimePart {
    Whole,
    /// The day, which has so many blanks.
    Date(usize),
    /// What comes after a day with so many blanks.
    TimeOfDay(usize),
}

impl TimeForm {
    /// Writes a time, given what clocks show.
    fn push(&self, local: i64, out: &mut Vec<u8>) {
        let start = out.len();
        match &self.zone {
            None => time::format(local, self.style, out),
            Some(zone) => zone.format(local, self.style, out),
        }
        let end_of_date =
            |blanks: usize, text: &[u8]| memchr::memchr_iter(b' ', text).nth(blanks).unwrap_or(text.len());
        match self.part {
            TimePart::Whole => {}
            TimePart::Date(blanks) => out.truncate(start + end_of_date(blanks, &out[start..])),
            TimePart::TimeOfDay(blanks) => {
                let end = start + end_of_date(blanks, &out[start..]);
                out.drain(start..out.len().min(end + 1));
            }
        }
    }

    pub(in super::super) fn text(&self, local: i64) -> String {
        let mut text = Vec::new();
        self.push(local, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// What a format with types of its own writes.
    fn value_type(&self) -> DataType {
        match self.style {
            _ if !self.typed => DataType::Utf8,
            TimeStyle::Number(_) if self.style.has_point() => DataType::Float64,
            TimeStyle::Number(_) => DataType::Int64,
            TimeStyle::Calendar { .. } | TimeStyle::Pattern(_) => {
                DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))
            }
        }
    }

    /// The point in time.
    fn instant(&self, local: i64) -> i64 {
        self.zone.as_ref().map_or(local, |zone| zone.instant(local))
    }
}

/// A value of a row.
#[derive(Clone, Copy)]
pub(in super::super) enum Value<'a> {
    Nothing,
    /// The name of the person whose row it is.
    Person,
    Text(&'a str),
    /// A string of a table, and whether all of them are written as they are.
    String(&'a Strings, u32, bool),
    Count(u32),
    Weight(f64),
    /// Degrees, written with seven decimals where they are text.
    Degrees(f64),
    /// A text that is a number, written as it is where the format has numbers.
    Number(&'a str),
    /// In milliseconds.
    Time(i64),
}

/// Where rows come from.
pub(in super::super) trait RowSource: Sync {
    /// How many rows a person has.
    fn rows_of(&self, person: u32) -> usize;
    /// How much of a piece the rows of a person are.
    fn weight_of(&self, person: u32) -> usize {
        self.rows_of(person)
    }
    /// Brings near what the rows of a person need; they are written soon.
    fn touch(&self, _person: u32) {}
    /// Gives the rows of a person, a value for each column.
    fn each<'s>(&'s self, person: u32, take: impl FnMut(&[Value<'s>]));
}

/// A file of rows that is being written.
pub(in super::super) struct RowWriter<'a, W: Write + Send> {
    columns: Vec<Column>,
    cells: Cells,
    /// Before the value of each column of a JSON object.
    keys: Vec<Vec<u8>>,
    /// How much is in a piece, about.
    piece: usize,
    rows: u64,
    target: Target<'a, W>,
}

enum Target<'a, W: Write + Send> {
    Text(Pieces<'a, W>),
    Columns(BatchWriter<'a, W>, Arc<Schema>),
}

impl<'a, W: Write + Send> RowWriter<'a, W> {
    /// Begins a file. The header is left out on request, where a format can be without one.
    pub(in super::super) fn new(
        out: &'a mut W,
        format: Format,
        columns: Vec<Column>,
        has_header: bool,
        raw_cells: bool,
        piece: usize,
    ) -> Result<Self> {
        let cells = Cells::of(format, raw_cells);
        let target = match format.kind {
            FormatKind::Log(_) => {
                return Err(Error::refused("only visits can be written as an access log")
                    .with_hint("choose tsv, csv, jsonl (also .gz, .zst) or parquet"));
            }
            FormatKind::Fimi => {
                return Err(Error::refused(
                    "rows with several columns cannot be written as fimi, which has one basket a line",
                )
                .with_hint("choose tsv, csv, jsonl (also .gz, .zst) or parquet"));
            }
            FormatKind::GraphMl | FormatKind::Gml => {
                return Err(Error::refused("only graphs can be written as graphml")
                    .with_hint("choose tsv, csv, jsonl (also .gz, .zst) or parquet"));
            }
            FormatKind::Points(_) => {
                return Err(Error::refused("only paths can be written as gpx or geojson")
                    .with_hint("choose tsv, csv, jsonl (also .gz, .zst) or parquet"));
            }
            FormatKind::Parquet | FormatKind::Arrow => {
                let schema = schema_of(&columns);
                Target::Columns(BatchWriter::new(out, format.kind, &schema)?, schema)
            }
            FormatKind::Tsv | FormatKind::Csv | FormatKind::JsonLines => {
                let first = if has_header { header(cells, &columns) } else { Vec::new() };
                Target::Text(Pieces::new(out, format.compression, first))
            }
        };
        let key = |(at, column): (usize, &Column)| {
            let mut key = if at > 0 { b",".to_vec() } else { b"{".to_vec() };
            push_json(&column.name, &mut key);
            key.push(b':');
            key
        };
        let keys = columns.iter().enumerate().map(key).collect();
        Ok(Self { columns, cells, keys, piece, rows: 0, target })
    }

    /// How cells are written.
    pub(in super::super) fn cells(&self) -> Cells {
        self.cells
    }

    /// Writes the rows of persons.
    pub(in super::super) fn append(
        &mut self,
        source: &impl RowSource,
        persons: &[Person<'_>],
        progress: &dyn Progress,
    ) -> Result<()> {
        let rows_of = |person: &Person<'_>| source.rows_of(person.person);
        let pieces = cut(persons, self.piece, |person| source.weight_of(person.person));
        let (columns, cells, keys) = (&self.columns, self.cells, &self.keys);
        let count = |piece: &[Person<'_>]| piece.iter().map(rows_of).sum::<usize>();
        match &mut self.target {
            Target::Columns(writer, schema) => {
                for piece in pieces {
                    progress.go_on()?;
                    let batch = batch_of(source, piece, columns, schema)?;
                    writer.write(&batch)?;
                    progress.advance(batch.num_rows() as u64);
                }
            }
            Target::Text(text) => {
                let format = |piece: &&[Person<'_>], out: &mut Vec<u8>| {
                    out.reserve(BYTES_A_ROW * count(piece));
                    for near in piece.chunks(NEAR) {
                        near.iter().for_each(|person| source.touch(person.person));
                        for person in near {
                            let name = name_field(cells, columns, person.name);
                            source.each(person.person, |values| match cells.kind {
                                FormatKind::JsonLines => push_object(keys, columns, &name, values, out),
                                _ => push_row(cells, columns, &name, values, out),
                            });
                        }
                    }
                    Ok(())
                };
                text.append(&pieces, |piece| count(piece) as u64, format, progress)?;
            }
        }
        self.rows += count(persons) as u64;
        Ok(())
    }

    /// Ends the file. Gives the number of rows.
    pub(in super::super) fn finish(self) -> Result<u64> {
        match self.target {
            Target::Text(text) => text.finish(Vec::new())?,
            Target::Columns(writer, _) => writer.finish()?,
        }
        Ok(self.rows)
    }
}

fn header(cells: Cells, columns: &[Column]) -> Vec<u8> {
    let mut text = Vec::new();
    if cells.kind == FormatKind::JsonLines {
        return text;
    }
    for (at, column) in columns.iter().enumerate() {
        if at > 0 {
            text.push(cells.separator());
        }
        cells.push(column.name.as_bytes(), &mut text);
    }
    text.push(b'\n');
    text
}

/// The field of a person, the same in all their rows.
fn name_field(cells: Cells, columns: &[Column], name: &str) -> Vec<u8> {
    let mut field = Vec::new();
    match cells.kind {
        FormatKind::JsonLines => {
            let typed = columns.iter().any(|column| matches!(column.sort, Sort::Person { typed: true }));
            push_typed(name, typed, &mut field);
        }
        _ => cells.push(name.as_bytes(), &mut field),
    }
    field
}

/// A row of cells, given the field of its person.
fn push_row(cells: Cells, columns: &[Column], name: &[u8], values: &[Value<'_>], out: &mut Vec<u8>) {
    for (at, (value, column)) in values.iter().zip(columns).enumerate() {
        if at > 0 {
            out.push(cells.separator());
        }
        match *value {
            Value::Nothing => {}
            Value::Person => out.extend_from_slice(name),
            Value::Text(text) => cells.push(text.as_bytes(), out),
            Value::String(strings, id, true) => strings.push_to(id, out),
            Value::String(strings, id, false) => cells.push(strings.get(id).as_bytes(), out),
            Value::Count(count) => push_number(count, out),
            Value::Weight(weight) => out.extend_from_slice(weight.to_string().as_bytes()),
            Value::Degrees(degrees) => out.extend_from_slice(format!("{degrees:.7}").as_bytes()),
            Value::Number(text) => cells.push(text.as_bytes(), out),
            Value::Time(time) => push_time(time, column, cells, out),
        }
    }
    out.push(b'\n');
}

/// A row as an object, given the value of its person.
fn push_object(keys: &[Vec<u8>], columns: &[Column], name: &[u8], values: &[Value<'_>], out: &mut Vec<u8>) {
    for ((value, key), column) in values.iter().zip(keys).zip(columns) {
        out.extend_from_slice(key);
        match *value {
            Value::Nothing => out.extend_from_slice(b"null"),
            Value::Person => out.extend_from_slice(name),
            Value::Text(text) => push_json(text, out),
            Value::String(strings, id, _) => push_json(strings.get(id), out),
            Value::Count(count) => push_number(count, out),
            Value::Weight(weight) => out.extend_from_slice(weight.to_string().as_bytes()),
            Value::Degrees(degrees) => out.extend_from_slice(format!("{degrees:.7}").as_bytes()),
            Value::Number(text) => out.extend_from_slice(text.as_bytes()),
            Value::Time(time) => {
                if let Sort::Time(form) = &column.sort {
                    match form.style {
                        TimeStyle::Number(_) if form.typed => form.push(time, out),
                        TimeStyle::Pattern(_) => push_json(&form.text(time), out),
                        _ => {
                            out.push(b'"');
                            form.push(time, out);
                            out.push(b'"');
                        }
                    }
                }
            }
        }
    }
    out.extend_from_slice(b"}\n");
}

/// A time as a cell. Only a form that somebody says can have characters that need quotes.
fn push_time(time: i64, column: &Column, cells: Cells, out: &mut Vec<u8>) {
    let Sort::Time(form) = &column.sort else { return };
    match form.style {
        TimeStyle::Pattern(_) => cells.push(form.text(time).as_bytes(), out),
        _ => form.push(time, out),
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

/// The schema of a Parquet file with these columns.
fn schema_of(columns: &[Column]) -> Arc<Schema> {
    let field = |column: &Column| {
        let kind = match &column.sort {
            Sort::Person { typed: true } => DataType::Int64,
            Sort::Person { typed: false } | Sort::Text => DataType::Utf8,
            Sort::Count => DataType::UInt32,
            Sort::Weight | Sort::Number { whole: false } => DataType::Float64,
            Sort::Number { whole: true } => DataType::Int64,
            Sort::Time(form) => form.value_type(),
        };
        Field::new(&column.name, kind, column.optional)
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// A column of a batch that is being filled.
enum Filling {
    Text(StringBuilder),
    Number(Int64Builder),
    Count(UInt32Builder),
    Weight(Float64Builder),
    Time(TimestampMillisecondBuilder),
}

impl Filling {
    fn new(column: &Column) -> Self {
        match &column.sort {
            Sort::Person { typed: true } => Self::Number(Int64Builder::new()),
            Sort::Person { typed: false } | Sort::Text => Self::Text(StringBuilder::new()),
            Sort::Count => Self::Count(UInt32Builder::new()),
            Sort::Weight | Sort::Number { whole: false } => Self::Weight(Float64Builder::new()),
            Sort::Number { whole: true } => Self::Number(Int64Builder::new()),
            Sort::Time(form) => match form.value_type() {
                DataType::Utf8 => Self::Text(StringBuilder::new()),
                DataType::Float64 => Self::Weight(Float64Builder::new()),
                DataType::Int64 => Self::Number(Int64Builder::new()),
                _ => Self::Time(TimestampMillisecondBuilder::new().with_timezone("UTC")),
            },
        }
    }

    fn push(&mut self, value: Value<'_>, name: &str, column: &Column) -> Result<()> {
        let misfit = || Error::internal("a value is not of its column's type");
        if let (Value::Time(time), Sort::Time(form)) = (value, &column.sort) {
            match self {
                Self::Text(texts) => texts.append_value(form.text(time)),
                Self::Number(numbers) => numbers.append_value(form.text(time).parse().map_err(|_| misfit())?),
                Self::Weight(weights) => weights.append_value(form.text(time).parse().map_err(|_| misfit())?),
                Self::Time(times) => times.append_value(form.instant(time)),
                Self::Count(_) => return Err(misfit()),
            }
            return Ok(());
        }
        match (self, value) {
            (Self::Text(texts), Value::Nothing) => texts.append_null(),
            (Self::Text(texts), Value::Person) => texts.append_value(name),
            (Self::Text(texts), Value::Text(text)) => texts.append_value(text),
            (Self::Text(texts), Value::String(strings, id, _)) => texts.append_value(strings.get(id)),
            (Self::Number(numbers), Value::Person) => {
                numbers.append_value(name.parse().map_err(|_| Error::internal("a pseudonym is no number"))?);
            }
            (Self::Number(numbers), Value::Nothing) => numbers.append_null(),
            (Self::Number(numbers), Value::Number(text)) => numbers.append_value(text.parse().map_err(|_| misfit())?),
            (Self::Weight(weights), Value::Number(text)) => weights.append_value(text.parse().map_err(|_| misfit())?),
            (Self::Count(counts), Value::Nothing) => counts.append_null(),
            (Self::Count(counts), Value::Count(count)) => counts.append_value(count),
            (Self::Weight(weights), Value::Nothing) => weights.append_null(),
            (Self::Time(times), Value::Nothing) => times.append_null(),
            (Self::Weight(weights), Value::Weight(weight) | Value::Degrees(weight)) => weights.append_value(weight),
            _ => return Err(misfit()),
        }
        Ok(())
    }

    fn finish(mut self) -> ArrayRef {
        match &mut self {
            Self::Text(texts) => Arc::new(texts.finish()),
            Self::Number(numbers) => Arc::new(numbers.finish()),
            Self::Count(counts) => Arc::new(counts.finish()),
            Self::Weight(weights) => Arc::new(weights.finish()),
            Self::Time(times) => Arc::new(times.finish()),
        }
    }
}

/// The rows of some persons as a batch.
fn batch_of(
    source: &impl RowSource,
    persons: &[Person<'_>],
    columns: &[Column],
    schema: &Arc<Schema>,
) -> Result<RecordBatch> {
    let mut filling: Vec<Filling> = columns.iter().map(Filling::new).collect();
    for person in persons {
        let mut pushed = Ok(());
        source.each(person.person, |values| {
            for ((filling, column), value) in filling.iter_mut().zip(columns).zip(values) {
                if pushed.is_ok() {
                    pushed = filling.push(*value, person.name, column);
                }
            }
        });
        pushed?;
    }
    let arrays = filling.into_iter().map(Filling::finish).collect();
    columns::batch(schema, arrays)
}
