//! Parquet: columns of any sensible type, in batches.
//!
//! Ids may be text or whole numbers; times text, whole numbers, dates or timestamps; ranks whole or floating-point numbers
//! (tools with gaps in a column make floats of them), or text.

use std::sync::Arc;

use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use ::parquet::file::reader::ChunkReader;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray, UInt32Array};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use throng_core::data::QueryLog;
use throng_core::data::time::{Instant, TimeStyle};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::columns::{self, Role};
use super::rows::{Texts, When, push_rest};
use super::scan::{BlockResult, Consumer, ReadOptions, Scanned, Totals};
use super::source::{Source, open_file};
use super::write::Person;
use super::{Compression, Format, FormatKind, Layout, Location, Row};

/// Rows in a batch.
const BATCH: usize = 1 << 16;

/// Reads a file into a consumer.
pub(super) fn scan<C: Consumer>(
    source: Source,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<Scanned> {
    if source.compression != Compression::None {
        return Err(Error::data("a Parquet file inside gzip or zstd is not read")
            .with_hint("unpack it first; Parquet has its own compression"));
    }
    match source.location.clone() {
        Location::File(path) => read(open_file(&path)?, options, consumer, progress),
        Location::Stdin => read(parquet_bytes(source.into_bytes()?), options, consumer, progress),
    }
}

fn parquet_bytes(bytes: Vec<u8>) -> bytes::Bytes {
    bytes::Bytes::from(bytes)
}

fn read<R: ChunkReader + 'static, C: Consumer>(
    file: R,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<Scanned> {
    let damaged = |cause: &dyn std::fmt::Display| {
        Error::data(format!("the Parquet file cannot be read: {cause}"))
            .with_hint("the file was cut off or changed: fetch it again")
    };
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|cause| damaged(&cause))?;
    let total = builder.metadata().file_metadata().num_rows();
    progress.stage("reading", total.try_into().unwrap_or(0));
    let schema = builder.schema().clone();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let Some(roles) = columns::assign(&names, &options.columns)? else {
        return Err(columns::missing_column(&names, &options.columns));
    };
    let place = Role::ALL.map(|role| roles.iter().position(|&other| other == Some(role)));
    let type_of = |role: Role| place[role as usize].map(|at| schema.field(at).data_type());
    let (columns, unmapped) = columns::by_role(&roles, &names);
    let layout = |style: Option<TimeStyle>| Layout {
        columns,
        header: true,
        time_style: style.unwrap_or(TimeStyle::ISO),
        typed_time: type_of(Role::Time).is_some_and(|kind| !is_text(kind)),
        typed_person: type_of(Role::User).is_some_and(|kind| !is_text(kind)),
        unmapped,
    };
    let mut totals = Totals::default();
    let reader = builder.with_batch_size(BATCH).build().map_err(|cause| damaged(&cause))?;
    for batch in reader {
        let batch = batch.map_err(|cause| damaged(&cause))?;
        let column = |role: Role| {
            let read = |at: usize| Column::new(batch.column(at), names[at]);
            place[role as usize].map(read).transpose()
        };
        let columns =
            [column(Role::User)?, column(Role::Query)?, column(Role::Time)?, column(Role::Rank)?, column(Role::Url)?];
        let rest: Vec<Column<'_>> = if consumer.wants_rest() {
            let others = (0..names.len()).filter(|&at| roles[at].is_none());
            others.map(|at| Column::new(batch.column(at), names[at])).collect::<Result<_>>()?
        } else {
            Vec::new()
        };
        let mut result = BlockResult::new(consumer.part());
        let mut cells = Cells::default();
        for at in 0..batch.num_rows() {
            result.lines += 1;
            let line = result.lines;
            let row = cells.row(&columns, &rest, at);
            if !result.take(row, line, consumer, options.bad_lines) {
                break;
            }
        }
        progress.advance(result.lines);
        consumer.absorb(vec![totals.add(result)?]);
    }
    totals.finish(Format { kind: FormatKind::Parquet, compression: Compression::None }, layout)
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, value) => is_text(value),
        _ => false,
    }
}

/// A column of a batch, reduced to the few types that matter.
enum Column<'a> {
    Text(Box<dyn Fn(usize) -> &'a str + 'a>, &'a dyn Array),
    Number(Vec<i64>, &'a dyn Array),
    Float(Vec<f64>, &'a dyn Array),
    /// Milliseconds and nanoseconds beyond them.
    Time(Vec<Instant>, &'a dyn Array),
}

impl<'a> Column<'a> {
    fn new(array: &'a ArrayRef, name: &str) -> Result<Self> {
        macro_rules! numbers {
            ($kind:ty) => {
                Self::Number(array.as_primitive::<$kind>().values().iter().map(|&value| value as i64).collect(), array)
            };
        }
        macro_rules! times {
            ($kind:ty, $second:expr) => {
                Self::Time(
                    array.as_primitive::<$kind>().values().iter().map(|&value| instant(value, $second)).collect(),
                    array,
                )
            };
        }
        Ok(match array.data_type() {
            DataType::Utf8 => Self::Text(Box::new(|at| array.as_string::<i32>().value(at)), array),
            DataType::LargeUtf8 => Self::Text(Box::new(|at| array.as_string::<i64>().value(at)), array),
            DataType::Utf8View => Self::Text(Box::new(|at| array.as_string_view().value(at)), array),
            DataType::Dictionary(_, value) if **value == DataType::Utf8 => {
                let dictionary = array.as_any_dictionary();
                let keys = dictionary.normalized_keys();
                let values = dictionary.values().as_string::<i32>();
                Self::Text(Box::new(move |at| values.value(keys[at])), array)
            }
            DataType::Int8 => numbers!(Int8Type),
            DataType::Int16 => numbers!(Int16Type),
            DataType::Int32 => numbers!(Int32Type),
            DataType::Int64 => numbers!(Int64Type),
            DataType::UInt8 => numbers!(UInt8Type),
            DataType::UInt16 => numbers!(UInt16Type),
            DataType::UInt32 => numbers!(UInt32Type),
            DataType::UInt64 => numbers!(UInt64Type),
            DataType::Float32 => Self::Float(
                array.as_primitive::<Float32Type>().values().iter().map(|&value| value.into()).collect(),
                array,
            ),
            DataType::Float64 => Self::Float(array.as_primitive::<Float64Type>().values().to_vec(), array),
            DataType::Date32 => {
                let days = array.as_primitive::<Date32Type>().values();
                Self::Time(days.iter().map(|&days| instant(i64::from(days) * 86_400, 1)).collect(), array)
            }
            DataType::Timestamp(TimeUnit::Second, _) => times!(TimestampSecondType, 1),
            DataType::Timestamp(TimeUnit::Millisecond, _) => times!(TimestampMillisecondType, 1000),
            DataType::Timestamp(TimeUnit::Microsecond, _) => times!(TimestampMicrosecondType, 1_000_000),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => times!(TimestampNanosecondType, 1_000_000_000),
            other => {
                return Err(Error::data(format!("columns of type {other} are not read"))
                    .in_column(name)
                    .with_hint("text, whole and floating-point numbers, dates and timestamps are"));
            }
        })
    }

    fn is_missing(&self, at: usize) -> bool {
        let (Self::Text(_, array) | Self::Number(_, array) | Self::Float(_, array) | Self::Time(_, array)) = self;
        array.is_null(at) || matches!(self, Self::Float(values, _) if values[at].is_nan())
    }

    /// The value as text, into a buffer where it is none.
    fn text<'b>(&'b self, at: usize, buffer: &'b mut String) -> Option<&'b str> {
        if self.is_missing(at) {
            return None;
        }
        match self {
            Self::Text(value, _) => return Some(value(at)),
            Self::Number(values, _) => *buffer = values[at].to_string(),
            Self::Float(values, _) => *buffer = values[at].to_string(),
            Self::Time(values, _) => *buffer = format!("{}.{}", values[at].millis, values[at].nanos),
        }
        Some(buffer)
    }
}

/// A number of ticks since 1970, so many to the second, as an instant.
fn instant(ticks: i64, per_second: i64) -> Instant {
    let (seconds, rest) = (ticks.div_euclid(per_second), ticks.rem_euclid(per_second));
    let nanos = rest * (1_000_000_000 / per_second);
    Instant {
        millis: seconds.saturating_mul(1000).saturating_add(nanos / 1_000_000),
        nanos: (nanos % 1_000_000) as u32,
    }
}

/// Buffers for the texts of one row.
#[derive(Default)]
struct Cells {
    person: String,
    query: String,
    time: String,
    rank: String,
    url: String,
    rest: Vec<u8>,
}

impl Cells {
    fn row<'a>(
        &'a mut self,
        columns: &'a [Option<Column<'_>>; 5],
        rest: &[Column<'_>],
        at: usize,
    ) -> Result<(Row<'a>, TimeStyle)> {
        let [person, query, when, rank, url] = columns;
        let text = |column: &'a Option<Column<'_>>, buffer: &'a mut String| {
            column.as_ref().and_then(|column| column.text(at, buffer))
        };
        let time = match when {
            Some(Column::Time(values, _)) if when.as_ref().is_some_and(|when| !when.is_missing(at)) => {
                When::Instant(values[at])
            }
            _ => When::Text(text(when, &mut self.time).unwrap_or_default()),
        };
        self.rest.clear();
        let mut buffer = String::new();
        for (number, column) in rest.iter().enumerate() {
            if let Some(text) = column.text(at, &mut buffer) {
                push_rest(&mut self.rest, number, text.as_bytes());
            }
        }
        let texts = Texts {
            person: text(person, &mut self.person).unwrap_or_default(),
            query: text(query, &mut self.query).unwrap_or_default(),
            time,
            rank: text(rank, &mut self.rank).unwrap_or_default(),
            url: text(url, &mut self.url).unwrap_or_default(),
            rest: &self.rest,
        };
        texts.row(Role::name)
    }
}

/// The schema of a Parquet file with this layout.
pub(super) fn schema(layout: &Layout) -> Arc<Schema> {
    let field = |(role, name): &(Role, String)| {
        let kind = match role {
            Role::User if layout.typed_person => DataType::Int64,
            Role::User | Role::Query | Role::Url => DataType::Utf8,
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
pub(super) fn batch(
    log: &QueryLog,
    persons: &[Person<'_>],
    layout: &Layout,
    schema: &Arc<Schema>,
) -> Result<RecordBatch> {
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
