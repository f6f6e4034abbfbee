//! Parquet: columns of any sensible type, in batches.
//!
//! Ids may be text or numbers; times text, numbers, dates or timestamps; ranks whole or floating-point numbers (tools with
//! gaps in a column make floats of them), or text. A release has text, 64-bit whole numbers and UTC milliseconds.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray, UInt32Array};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use throng_core::data::time::{self, TimeStyle};
use throng_core::data::{Line, QueryLog};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::arrow_column::{Column, check_role, is_number, is_text};
use super::columns::{self, Role};
use super::parquet_file::ParquetFile;
use super::rows::{Texts, Told, When, push_rest};
use super::scan::{BlockResult, Consumer, ReadOptions, Scanned, Totals};
use super::source::Source;
use super::write::Person;
use super::{Compression, Format, FormatKind, Layout, Row};

/// Reads a file into a consumer.
pub(super) fn scan<C: Consumer>(
    mut source: Source,
    options: &ReadOptions,
    consumer: &mut C,
    progress: &dyn Progress,
) -> Result<Scanned> {
    let file = ParquetFile::open(&mut source)?;
    progress.stage("reading", file.rows());
    let schema = file.schema().clone();
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
    let (columns, unmapped) = columns::by_role(&roles, &names, &columns::shown(&names, |_| false));
    let layout = |style: Option<TimeStyle>| Layout {
        columns,
        header: true,
        time_style: style.unwrap_or(TimeStyle::ISO),
        typed_time: type_of(Role::Time).is_some_and(|kind| !is_text(kind)),
        typed_person: type_of(Role::User).is_some_and(is_number),
        raw_cells: false,
        unmapped,
    };
    // Columns that nobody asks for are not even unpacked.
    let wanted: Vec<usize> = (0..names.len()).filter(|&at| consumer.wants_rest() || roles[at].is_some()).collect();
    let mut batches = file.batches(&wanted, &source.uncompared)?;
    let mut totals = Totals::default();
    while let Some(batch) = batches.next()? {
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
        progress.go_on()?;
        consumer.absorb(vec![totals.add(result)?]);
    }
    let format = Format { kind: FormatKind::Parquet, compression: Compression::None };
    totals.finish(format, &source.uncompared, layout)
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
    ) -> Result<(Row<'a>, Told)> {
        let [person, query, time, rank, url] = columns;
        let text = |column: &'a Option<Column<'_>>, buffer: &'a mut String| {
            column.as_ref().map_or(Ok(""), |column| column.text(at, buffer))
        };
        self.rest.clear();
        let mut buffer = String::new();
        for (number, column) in rest.iter().enumerate() {
            if let Some(bytes) = column.bytes(at, &mut buffer)? {
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
