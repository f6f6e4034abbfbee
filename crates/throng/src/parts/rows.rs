//! Rows that travel between machines: person, query, time, rank, URL; to which part they go, and their block.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array as _, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use throng_core::data::queries::MISSING;
use throng_core::data::{Line, QueryLog, QueryLogBuilder};
use throng_core::{Error, Result};

/// The columns of rows that travel.
pub fn schema() -> SchemaRef {
    let field = |name: &str, kind: DataType, is_optional: bool| Field::new(name, kind, is_optional);
    Arc::new(Schema::new(vec![
        field("person", DataType::Utf8, false),
        field("query", DataType::Utf8, false),
        field("time", DataType::Int64, false),
        // Other engines have no numbers without a sign.
        field("rank", DataType::Int64, true),
        field("url", DataType::Utf8, true),
        field("part", DataType::Int64, false),
        field("block", DataType::Int64, false),
    ]))
}

/// A row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row<'a> {
    block: i64,
    person: &'a str,
    time: i64,
    query: &'a str,
    rank: Option<i64>,
    url: Option<&'a str>,
}

impl Row<'_> {
    pub(super) fn block(&self) -> i64 {
        self.block
    }

    /// The id; of baskets and tables empty where there is none.
    pub(super) fn person(&self) -> &str {
        self.person
    }

    /// The query; of baskets and tables the cells.
    pub(super) fn query(&self) -> &str {
        self.query
    }
}

/// Rows of some batches.
pub(super) struct Rows(Vec<Columns>);

struct Columns {
    person: StringArray,
    query: StringArray,
    time: Int64Array,
    rank: Int64Array,
    url: StringArray,
    block: Int64Array,
}

impl Rows {
    /// Of batches with the columns of [`schema`], whatever their types are called by an engine.
    pub(super) fn of(batches: &[RecordBatch]) -> Result<Self> {
        let columns = |batch: &RecordBatch| -> Result<Columns> {
            let column = |name: &str| -> Result<ArrayRef> {
                let own = batch.column_by_name(name).ok_or_else(|| internal(format!("there is no column `{name}`")))?;
                let schema = schema();
                let kind =
                    schema.field_with_name(name).map_err(|cause: ArrowError| internal(cause.to_string()))?.data_type();
                if own.data_type() == kind {
                    return Ok(Arc::clone(own));
                }
                Err(internal(format!("the column `{name}` came back as {}", own.data_type())))
            };
            Ok(Columns {
                person: column("person")?.as_string::<i32>().clone(),
                query: column("query")?.as_string::<i32>().clone(),
                time: column("time")?.as_primitive::<Int64Type>().clone(),
                rank: column("rank")?.as_primitive::<Int64Type>().clone(),
                url: column("url")?.as_string::<i32>().clone(),
                block: column("block")?.as_primitive::<Int64Type>().clone(),
            })
        };
        batches.iter().map(columns).collect::<Result<_>>().map(Self)
    }

    /// All rows, in an order that says nothing of how they came: by block, person, time, query, rank, URL.
    pub(super) fn sorted(&self) -> Vec<Row<'_>> {
        let mut rows: Vec<Row<'_>> = Vec::new();
        for columns in &self.0 {
            rows.extend((0..columns.person.len()).map(|at| columns.row(at)));
        }
        rows.sort_unstable();
        rows
    }

    /// The rows of each block.
    pub(super) fn blocks(&self) -> Vec<Vec<Row<'_>>> {
        self.sorted().chunk_by(|left, right| left.block == right.block).map(<[Row<'_>]>::to_vec).collect()
    }
}

impl Columns {
    fn row(&self, at: usize) -> Row<'_> {
        Row {
            block: self.block.value(at),
            person: self.person.value(at),
            time: self.time.value(at),
            query: self.query.value(at),
            rank: self.rank.is_valid(at).then(|| self.rank.value(at)),
            url: self.url.is_valid(at).then(|| self.url.value(at)),
        }
    }
}

fn internal(says: String) -> Error {
    Error::internal(says)
}

/// A log of rows in their order.
pub(super) fn log_of(rows: &[Row<'_>]) -> QueryLog {
    let mut builder = QueryLogBuilder::new();
    for row in rows {
        builder.push(row.person, row.query, row.time, row.rank.map(|rank| rank as u32), row.url);
    }
    builder.finish()
}

/// Columns while they grow.
#[derive(Default)]
struct Growing {
    person: Vec<String>,
    query: Vec<String>,
    time: Vec<i64>,
    rank: Vec<Option<i64>>,
    url: Vec<Option<String>>,
    part: Vec<i64>,
    block: Vec<i64>,
}

impl Growing {
    fn push(&mut self, log: &QueryLog, line: &Line, (person, part, block): &(String, u32, u32)) {
        self.person.push(person.clone());
        self.query.push(log.queries().get(line.query).to_owned());
        self.time.push(line.time);
        self.rank.push(line.rank.filter(|&rank| rank != MISSING).map(i64::from));
        self.url.push(line.url.map(|url| log.urls().get(url).to_owned()));
        self.part.push(i64::from(*part));
        self.block.push(i64::from(*block));
    }

    fn batch(self) -> Result<RecordBatch> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from(self.person)),
            Arc::new(StringArray::from(self.query)),
            Arc::new(Int64Array::from(self.time)),
            Arc::new(Int64Array::from(self.rank)),
            Arc::new(StringArray::from(self.url)),
            Arc::new(Int64Array::from(self.part)),
            Arc::new(Int64Array::from(self.block)),
        ];
        RecordBatch::try_new(schema(), columns).map_err(|cause| internal(cause.to_string()))
    }
}

/// The rows of a log: `to` says under which name each person goes to which part and block.
pub(super) fn of_log(log: &QueryLog, to: &dyn Fn(u32) -> (String, u32, u32)) -> Result<RecordBatch> {
    let mut rows = Growing::default();
    for person in 0..log.persons() {
        let to = to(person as u32);
        log.lines(person).for_each(|line| rows.push(log, &line, &to));
    }
    rows.batch()
}

/// Rows of cells: id, cells as JSON, part and block.
pub(super) fn of_cells(each: impl Iterator<Item = (String, String, u32, u32)>) -> Result<RecordBatch> {
    let mut rows = Growing::default();
    for (person, cells, part, block) in each {
        rows.person.push(person);
        rows.query.push(cells);
        rows.time.push(0);
        rows.rank.push(None);
        rows.url.push(None);
        rows.part.push(i64::from(part));
        rows.block.push(i64::from(block));
    }
    rows.batch()
}

/// The file of a pseudonym, of so many: numbers of one width, whose first four digits say where they stand among all.
pub(super) fn file_of(name: &str, files: u32) -> u32 {
    let beginning: u64 = name[..4].parse().unwrap_or(1000);
    ((beginning - 1000) * u64::from(files) / 9000) as u32
}

/// The rows of records, each under the pseudonyms of those who have it, which go to the file of their beginning, of so many.
pub(super) fn of_records(records: &QueryLog, names: &[(u32, String)], files: u32) -> Result<RecordBatch> {
    let mut rows = Growing::default();
    for (record, name) in names {
        let to = (name.clone(), file_of(name, files), 0);
        records.lines(*record as usize).for_each(|line| rows.push(records, &line, &to));
    }
    rows.batch()
}
