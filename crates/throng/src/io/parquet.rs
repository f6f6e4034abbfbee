//! Parquet: columns of any sensible type, in batches.
//!
//! Ids may be text or numbers; times text, numbers, dates or timestamps; ranks whole or floating-point numbers (tools with
//! gaps in a column make floats of them), or text. A release has text, 64-bit whole numbers and UTC milliseconds.

use std::cell::Cell;
use std::fmt::Display;
use std::io::Read;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Once};

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{ChunkReader, Length};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray, UInt32Array};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use throng_core::data::time::{self, TimeStyle};
use throng_core::data::{Line, QueryLog};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::arrow_column::{Column, check_role, is_number, is_text};
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
    if !source.head.starts_with(b"PAR1") {
        return Err(Error::data("this is no Parquet file")
            .with_hint("leave out `--format` (in protect, `--input-format`): throng sees what it is"));
    }
    match source.location.clone() {
        Location::File(path) | Location::Folder(path) => read(open_file(&path)?, options, consumer, progress),
        Location::Stdin => read(bytes::Bytes::from(source.into_bytes()?), options, consumer, progress),
    }
}

fn read<R: ChunkReader + 'static, C: Consumer>(
    file: R,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<Scanned> {
    let builder = guarded(|| ParquetRecordBatchReaderBuilder::try_new(Whole(file)))?;
    let total = builder.metadata().file_metadata().num_rows();
    progress.stage("reading", total.try_into().unwrap_or(0));
    let schema = builder.schema().clone();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let Some(roles) = columns::assign(&names, &options.columns)? else {
        return Err(columns::missing_column(&names, &options.columns));
    };
    let place = Role::ALL.map(|role| roles.iter().position(|&other| other == Some(role)));
    let type_of = |role: Role| place[role as usize].map(|at| schema.field(at).data_type());
    for role in Role::ALL {
        if let (Some(at), Some(kind)) = (place[role as usize], type_of(role)) {
            check_role(role, kind, names[at])?;
        }
    }
    let (columns, unmapped) = columns::by_role(&roles, &names);
    let layout = |style: Option<TimeStyle>| Layout {
        columns,
        header: true,
        time_style: style.unwrap_or(TimeStyle::ISO),
        typed_time: type_of(Role::Time).is_some_and(|kind| !is_text(kind)),
        typed_person: type_of(Role::User).is_some_and(is_number),
        unmapped,
    };
    // Columns that nobody asks for are not even unpacked.
    let wanted: Vec<usize> = (0..names.len()).filter(|&at| consumer.wants_rest() || roles[at].is_some()).collect();
    let parquet_schema = builder.parquet_schema();
    for group in builder.metadata().row_groups() {
        for (at, chunk) in group.columns().iter().enumerate() {
            if wanted.contains(&parquet_schema.get_column_root_idx(at)) {
                check_compression(chunk.compression())?;
            }
        }
    }
    let mask = ProjectionMask::roots(parquet_schema, wanted.iter().copied());
    let mut reader = guarded(|| builder.with_batch_size(BATCH).with_projection(mask).build())?;
    let mut totals = Totals::default();
    while let Some(batch) = guarded(|| reader.next().transpose())? {
        let (mut columns, mut rest) = ([None, None, None, None, None], Vec::new());
        for (array, &at) in batch.columns().iter().zip(&wanted) {
            let column = Column::new(array, names[at])?;
            match roles[at] {
                Some(role) => columns[role as usize] = Some(column),
                None => rest.push(column),
            }
        }
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

/// A file that says so where it ends. Without it a damaged length keeps the library reading nothing for hours, or has it
/// ask for more memory than there is.
struct Whole<R>(R);

impl<R: Length> Length for Whole<R> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<R: ChunkReader> ChunkReader for Whole<R> {
    type T = UntilEnd<R::T>;

    fn get_read(&self, start: u64) -> ::parquet::errors::Result<Self::T> {
        Ok(UntilEnd(self.0.get_read(start)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ::parquet::errors::Result<bytes::Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF("a part of it would lie beyond its end".to_owned()));
        }
        self.0.get_bytes(start, length)
    }
}

/// Reading beyond the end is an error.
struct UntilEnd<R>(R);

impl<R: Read> Read for UntilEnd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 if !buffer.is_empty() => Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}

/// Calls the library, which panics on some damaged files: that too is an error like any other.
fn guarded<T, E: Display>(call: impl FnOnce() -> std::result::Result<T, E>) -> Result<T> {
    thread_local! {
        static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                hook(panic);
            }
        }));
    });
    let before = IS_GUARDED.replace(true);
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(call));
    IS_GUARDED.set(before);
    let damaged = |cause: String| {
        Error::data(format!("the Parquet file cannot be read: {cause}"))
            .with_hint("the file was cut off or changed: fetch it again")
    };
    match outcome {
        Ok(done) => done.map_err(|cause| {
            // The layers of the library each put a word before it.
            let (cause, layers) = (cause.to_string(), ["Parquet argument error: ", "Parquet error: ", "External: "]);
            let mut rest = cause.as_str();
            while let Some(inner) = layers.iter().find_map(|layer| rest.strip_prefix(layer)) {
                rest = inner;
            }
            damaged(rest.to_owned())
        }),
        Err(_) => Err(damaged("its parts contradict each other".to_owned())),
    }
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
        let [person, query, time, rank, url] = columns;
        let text = |column: &'a Option<Column<'_>>, buffer: &'a mut String| {
            column.as_ref().map_or(Ok(""), |column| column.text(at, buffer))
        };
        self.rest.clear();
        let mut buffer = String::new();
        for (number, column) in rest.iter().enumerate() {
            if let Some(bytes) = column.bytes(at, &mut buffer) {
                push_rest(&mut self.rest, number, bytes);
            }
        }
        let texts = Texts {
            person: text(person, &mut self.person)?,
            query: text(query, &mut self.query)?,
            time: time.as_ref().map_or(Ok(When::Text("")), |time| time.time(at, &mut self.time))?,
            rank: text(rank, &mut self.rank)?,
            url: text(url, &mut self.url)?,
            rest: &self.rest,
        };
        texts.row(|role| columns[role as usize].as_ref().map_or(role.name(), |column| column.name))
    }
}

/// The schema of a Parquet file with this layout.
pub(super) fn schema(layout: &Layout) -> Arc<Schema> {
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
    fn nothing_lies_beyond_the_end() {
        let file = Whole(bytes::Bytes::from_static(b"PAR1"));
        assert_eq!(file.get_bytes(1, 3).unwrap().as_ref(), b"AR1");
        for (start, length) in [(0, 5), (4, 1), (0, usize::MAX), (u64::MAX, 1)] {
            assert!(file.get_bytes(start, length).is_err());
        }
        let mut rest = file.get_read(2).unwrap();
        assert_eq!(rest.read(&mut [0; 8]).unwrap(), 2);
        assert_eq!(rest.read(&mut [0; 8]).unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
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
