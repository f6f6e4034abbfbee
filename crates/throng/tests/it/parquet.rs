//! Parquet files as other tools write them: every type in every role, or an error that says what to do.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tempfile::TempDir;
use throng::io::{BadLines, Location, ReadLog, ReadOptions, read_digests, read_log};
use throng::run::{self, ProtectRequest};
use throng_core::progress::Silent;
use throng_core::{Result, Rng};

/// A file of two rows in a folder of its own.
struct Table {
    folder: TempDir,
    options: ReadOptions,
}

impl Table {
    /// The columns `user`, `query` and `time`, with others in their places or beside them.
    fn with(others: Vec<(&str, ArrayRef)>) -> Self {
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("user", Arc::new(StringArray::from(vec!["17", "23"]))),
            ("query", Arc::new(StringArray::from(vec!["roses", "roses"]))),
            ("time", Arc::new(Int64Array::from(vec![1_149_116_452, 1_149_116_452]))),
        ];
        for (name, array) in others {
            match columns.iter_mut().find(|(known, _)| *known == name) {
                Some(column) => column.1 = array,
                None => columns.push((name, array)),
            }
        }
        let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema.clone(), columns.into_iter().map(|(_, array)| array).collect());
        let table = Self { folder: tempfile::tempdir().unwrap(), options: ReadOptions::default() };
        let mut writer = ArrowWriter::try_new(File::create(table.path("log.parquet")).unwrap(), schema, None).unwrap();
        writer.write(&batch.unwrap()).unwrap();
        writer.close().unwrap();
        table
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn location(&self) -> Location {
        Location::File(self.path("log.parquet"))
    }

    fn read(&self) -> Result<ReadLog> {
        read_log(&self.location(), &self.options, &Silent)
    }

    /// Whether the checker sees the same record for both persons.
    fn is_alike(&self) -> Result<bool> {
        let checked = read_digests(&self.location(), &self.options, &mut Rng::seeded(1), &Silent)?;
        let tallies = checked.digests.tallies();
        Ok(tallies.len() == 2 && tallies[0].digest == tallies[1].digest)
    }

    fn protect(&self, keep_ids: bool) -> Schema {
        let request = ProtectRequest {
            file: self.path("log.parquet").into(),
            out: self.path("out"),
            method: Some("user-microaggregation".to_owned()),
            parameters: vec![("k".to_owned(), "2".to_owned())],
            seed: Some(1),
            keep_ids,
            ..ProtectRequest::default()
        };
        run::protect(&request, &Silent).map_err(|error| error.describe(true)).unwrap();
        let file = File::open(self.path("out").join("data.parquet")).unwrap();
        ParquetRecordBatchReaderBuilder::try_new(file).unwrap().schema().as_ref().clone()
    }
}

fn names(read: &ReadLog) -> Vec<&str> {
    read.log.names().iter().collect()
}

fn strings(values: [&str; 2]) -> Vec<ArrayRef> {
    let dictionary = |keys: Vec<i8>, values: ArrayRef| -> ArrayRef {
        Arc::new(DictionaryArray::<Int8Type>::try_new(Int8Array::from(keys), values).unwrap())
    };
    let plain = values.to_vec();
    vec![
        Arc::new(StringArray::from(plain.clone())),
        Arc::new(LargeStringArray::from(plain.clone())),
        Arc::new(StringViewArray::from(plain.clone())),
        Arc::new(BinaryArray::from(values.map(str::as_bytes).to_vec())),
        Arc::new(LargeBinaryArray::from(values.map(str::as_bytes).to_vec())),
        Arc::new(BinaryViewArray::from(values.map(str::as_bytes).to_vec())),
        Arc::new(plain.iter().copied().collect::<DictionaryArray<Int32Type>>()),
        dictionary(vec![0, 1], Arc::new(LargeStringArray::from(plain.clone()))),
        dictionary(vec![1, 0], Arc::new(StringArray::from(vec![values[1], values[0]]))),
        dictionary(vec![1, 2], Arc::new(StringArray::from(vec![None, Some(values[0]), Some(values[1])]))),
    ]
}

/// The same two small numbers in every numeric type.
fn numbers(values: [i8; 2]) -> Vec<ArrayRef> {
    macro_rules! of {
        ($($array:ident $native:ty),*) => { vec![$(Arc::new($array::from(values.map(|value| value as $native).to_vec())) as ArrayRef),*] };
    }
    let mut arrays = of!(
        Int8Array i8, Int16Array i16, Int32Array i32, Int64Array i64, UInt8Array u8, UInt16Array u16, UInt32Array u32,
        UInt64Array u64, Float32Array f32, Float64Array f64
    );
    let scaled = |scale: u32| values.map(|value| i128::from(value) * 10i128.pow(scale)).to_vec();
    arrays.push(Arc::new(Decimal128Array::from(scaled(0)).with_precision_and_scale(38, 0).unwrap()));
    let keys = Int32Array::from(vec![0, 1]);
    let values = Arc::new(Int64Array::from(values.map(i64::from).to_vec()));
    arrays.push(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, values).unwrap()));
    arrays
}

#[test]
fn ids_above_the_signed_numbers() {
    let ids = [u64::MAX, i64::MAX as u64 + 1];
    let table = Table::with(vec![("user", Arc::new(UInt64Array::from(ids.to_vec())))]);
    assert_eq!(names(&table.read().unwrap()), ["18446744073709551615", "9223372036854775808"]);
    // Kept, they are text: a release has signed numbers.
    let schema = table.protect(true);
    assert_eq!(schema.field_with_name("user").unwrap().data_type(), &DataType::Utf8);
    let options = ReadOptions::default();
    let published = read_log(&Location::File(table.path("out").join("data.parquet")), &options, &Silent).unwrap();
    let mut kept = names(&published);
    kept.sort_unstable();
    assert_eq!(kept, ["18446744073709551615", "9223372036854775808"]);
}

#[test]
fn ids_of_every_type() {
    for array in strings(["17", "23"]) {
        let kind = array.data_type().clone();
        let table = Table::with(vec![("user", array)]);
        assert_eq!(names(&table.read().unwrap()), ["17", "23"], "{kind}");
        assert_eq!(table.protect(false).field_with_name("user").unwrap().data_type(), &DataType::Utf8, "{kind}");
    }
    for array in numbers([17, 23]) {
        let kind = array.data_type().clone();
        let table = Table::with(vec![("user", array)]);
        assert_eq!(names(&table.read().unwrap()), ["17", "23"], "{kind}");
        assert_eq!(table.protect(true).field_with_name("user").unwrap().data_type(), &DataType::Int64, "{kind}");
    }
    let uuids = FixedSizeBinaryArray::try_from_iter([[0x11; 16], [0xfe; 16]].into_iter()).unwrap();
    let table = Table::with(vec![("user", Arc::new(uuids))]);
    let expected = ["11111111-1111-1111-1111-111111111111", "fefefefe-fefe-fefe-fefe-fefefefefefe"];
    assert_eq!(names(&table.read().unwrap()), expected);
    assert!(table.is_alike().unwrap());
}

#[test]
fn queries_and_urls_of_every_type() {
    for array in strings(["roses", "x.org"]) {
        let kind = array.data_type().clone();
        let read = Table::with(vec![("query", array.clone()), ("url", array)]).read().unwrap();
        assert_eq!(read.log.queries().iter().collect::<Vec<_>>(), ["roses", "x.org"], "{kind}");
        assert_eq!(read.log.urls().iter().collect::<Vec<_>>(), ["roses", "x.org"], "{kind}");
    }
    for array in numbers([7, 9]) {
        let read = Table::with(vec![("query", array)]).read().unwrap();
        assert_eq!(read.log.queries().iter().collect::<Vec<_>>(), ["7", "9"]);
    }
    // A column of which nothing is known but that it is empty.
    let nothing = Table::with(vec![("url", Arc::new(NullArray::new(2))), ("rank", Arc::new(NullArray::new(2)))]);
    let read = nothing.read().unwrap();
    assert!(read.log.lines(0).all(|line| line.url.is_none() && line.rank.is_none()));
    assert!(nothing.is_alike().unwrap());
}

#[test]
fn ranks_of_every_type() {
    let of = |array: ArrayRef| {
        let read = Table::with(vec![("rank", array)]).read().map_err(|error| error.describe(true)).unwrap();
        [0, 1].map(|person| read.log.lines(person).next().unwrap().rank)
    };
    for array in numbers([0, 12]).into_iter().chain(strings(["0", "12"])) {
        let kind = array.data_type().clone();
        assert_eq!(of(array), [Some(0), Some(12)], "{kind}");
    }
    assert_eq!(of(Arc::new(Float64Array::from(vec![f64::NAN, 3.0]))), [None, Some(3)]);
    assert_eq!(of(Arc::new(Float32Array::from(vec![None, Some(3.0)]))), [None, Some(3)]);
    let decimal = Decimal128Array::from(vec![Some(300), None]).with_precision_and_scale(10, 2).unwrap();
    assert_eq!(of(Arc::new(decimal)), [Some(3), None]);
    let gaps: DictionaryArray<Int32Type> = [None, Some("4")].into_iter().collect();
    assert_eq!(of(Arc::new(gaps)), [None, Some(4)]);
    let only_gaps: DictionaryArray<Int32Type> = [None::<&str>, None].into_iter().collect();
    assert_eq!(of(Arc::new(only_gaps)), [None, None]);
    let error = Table::with(vec![("rank", Arc::new(Float64Array::from(vec![1.0, 2.5])))]).read().unwrap_err();
    assert!(error.describe(true).contains("log.parquet:2, column `rank`"), "{}", error.describe(true));
}

#[test]
fn times_of_every_type() {
    let seconds = [1_149_116_452i64, 1_149_120_000];
    let scaled = |factor: i64| seconds.map(|time| time * factor).to_vec();
    let mut arrays: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(seconds.map(|time| time as i32).to_vec())),
        Arc::new(Int64Array::from(scaled(1))),
        Arc::new(Int64Array::from(scaled(1000))),
        Arc::new(UInt32Array::from(seconds.map(|time| time as u32).to_vec())),
        Arc::new(UInt64Array::from(seconds.map(|time| time as u64).to_vec())),
        Arc::new(Float64Array::from(seconds.map(|time| time as f64).to_vec())),
        Arc::new(Date64Array::from(scaled(1000))),
    ];
    // A zone says where a clock hung; the point in time is the same.
    for zone in [None, Some("UTC"), Some("+02:00"), Some("America/New_York")] {
        arrays.extend([
            Arc::new(TimestampSecondArray::from(scaled(1)).with_timezone_opt(zone)) as ArrayRef,
            Arc::new(TimestampMillisecondArray::from(scaled(1000)).with_timezone_opt(zone)),
            Arc::new(TimestampMicrosecondArray::from(scaled(1_000_000)).with_timezone_opt(zone)),
            Arc::new(TimestampNanosecondArray::from(scaled(1_000_000_000)).with_timezone_opt(zone)),
        ]);
    }
    arrays.extend(strings(["2006-05-31 23:00:52", "2006-06-01T02:00:00+02:00"]));
    for array in arrays {
        let kind = array.data_type().clone();
        let table = Table::with(vec![("time", array)]);
        let read = table.read().map_err(|error| error.describe(true)).unwrap();
        let times = [0, 1].map(|person| read.log.lines(person).next().unwrap().time);
        assert_eq!(times, seconds.map(|time| time * 1000), "{kind}");
        assert!(!table.is_alike().unwrap(), "{kind}");
    }
    let days = Table::with(vec![("time", Arc::new(Date32Array::from(vec![0, 13_299])))]).read().unwrap();
    let times = [0, 1].map(|person| days.log.lines(person).next().unwrap().time);
    assert_eq!(times, [0, 13_299 * 86_400_000]);
}

/// The type of a release's times follows the original's.
#[test]
fn text_stays_text_and_timestamps_stay_timestamps() {
    let is_kept = |array: ArrayRef, expected: fn(&DataType) -> bool| {
        let from = array.data_type().clone();
        let schema = Table::with(vec![("time", array)]).protect(false);
        let to = schema.field_with_name("time").unwrap().data_type();
        assert!(expected(to), "{from} became {to}");
    };
    let text = StringArray::from(vec!["2006-05-31 23:00:52"; 2]);
    is_kept(Arc::new(text), |to| *to == DataType::Utf8);
    is_kept(Arc::new(Int64Array::from(vec![1_149_116_452; 2])), |to| *to == DataType::Int64);
    let stamps = TimestampNanosecondArray::from(vec![1_149_116_452_000_000_000; 2]);
    is_kept(Arc::new(stamps), |to| matches!(to, DataType::Timestamp(..)));
    is_kept(Arc::new(Date32Array::from(vec![13_299; 2])), |to| matches!(to, DataType::Timestamp(..)));
}

#[test]
fn finer_times_are_told_apart_by_the_checker() {
    let base = 1_149_116_452_000_000_000;
    let alike = |first: i64, second: i64| {
        let times = TimestampNanosecondArray::from(vec![base + first, base + second]);
        Table::with(vec![("time", Arc::new(times))]).is_alike().unwrap()
    };
    assert!(alike(5, 5) && !alike(5, 6) && !alike(0, 1_000_000));
}

#[test]
fn times_out_of_reach_are_malformed() {
    for ticks in [i64::MAX, i64::MIN, 253_402_300_800] {
        let times = TimestampSecondArray::from(vec![1_149_116_452, ticks]);
        let mut table = Table::with(vec![("time", Arc::new(times))]);
        let error = table.read().unwrap_err().describe(false);
        assert!(error.contains("log.parquet:2, column `time`") && !error.contains(&ticks.to_string()), "{error}");
        table.options.bad_lines = BadLines::Skip;
        assert_eq!(table.read().unwrap().scanned.refused, 1);
    }
}

fn list() -> ArrayRef {
    let mut builder = ListBuilder::new(Int32Builder::new());
    builder.append_value([Some(1)]);
    builder.append_value([Some(2)]);
    Arc::new(builder.finish())
}

#[test]
fn types_that_do_not_suit_a_role() {
    let truth = || Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef;
    let stamp = || Arc::new(TimestampMillisecondArray::from(vec![1, 2]).with_timezone("UTC")) as ArrayRef;
    let of_day = || Arc::new(Time64MicrosecondArray::from(vec![1, 2])) as ArrayRef;
    let cases = [
        ("user", stamp(), "a column of type Timestamp(ms, \"UTC\") cannot be the user"),
        ("user", truth(), "a column of type Boolean cannot be the user"),
        ("user", list(), "cannot be the user"),
        ("query", stamp(), "cannot be the query"),
        ("query", list(), "cannot be the query"),
        ("time", truth(), "cannot be the time"),
        ("time", of_day(), "a column of type Time64(µs) cannot be the time"),
        ("rank", stamp(), "cannot be the rank"),
        ("rank", truth(), "cannot be the rank"),
        ("url", Arc::new(Int64Array::from(vec![1, 2])), "a column of type Int64 cannot be the url"),
    ];
    for (role, array, problem) in cases {
        let table = Table::with(vec![(role, array)]);
        let error = table.read().unwrap_err();
        let text = error.describe(false);
        assert!(error.is_data() && text.contains(problem), "{text}");
        assert!(text.contains(&format!("log.parquet, column `{role}`")), "{text}");
        assert!(error.hint().is_some_and(|hint| hint.contains(&format!("--column {role}="))), "{text}");
        assert_eq!(table.is_alike().unwrap_err().describe(false), text);
    }
}

#[test]
fn bytes_that_are_no_text_are_malformed() {
    let bytes = BinaryArray::from(vec![b"roses".as_slice(), b"\xff\xfe"]);
    let mut table = Table::with(vec![("query", Arc::new(bytes))]);
    let error = table.read().unwrap_err().describe(false);
    assert!(error.contains("not UTF-8") && error.contains("log.parquet:2, column `query`"), "{error}");
    table.options.bad_lines = BadLines::Skip;
    assert_eq!(table.read().unwrap().scanned.refused, 1);
}

/// A column without a role is nobody's business but the checker's, who must be able to compare it.
#[test]
fn columns_without_a_role() {
    let plain: Vec<(ArrayRef, ArrayRef)> = vec![
        (Arc::new(BooleanArray::from(vec![true, true])), Arc::new(BooleanArray::from(vec![true, false]))),
        (Arc::new(Float64Array::from(vec![f64::NAN; 2])), Arc::new(Float64Array::from(vec![None, Some(f64::NAN)]))),
        (Arc::new(Float64Array::from(vec![0.5, 0.5])), Arc::new(Float64Array::from(vec![0.0, -0.0]))),
        (Arc::new(UInt64Array::from(vec![7, 7])), Arc::new(UInt64Array::from(vec![u64::MAX, u64::MAX - 1]))),
        (Arc::new(StringArray::from(vec!["", ""])), Arc::new(StringArray::from(vec![Some(""), None]))),
        (Arc::new(Time64NanosecondArray::from(vec![1, 1])), Arc::new(Time64NanosecondArray::from(vec![1, 2]))),
        (
            Arc::new(TimestampSecondArray::from(vec![i64::MAX; 2])),
            Arc::new(TimestampSecondArray::from(vec![i64::MAX, i64::MAX - 1])),
        ),
        (Arc::new(DurationMicrosecondArray::from(vec![1, 1])), Arc::new(DurationMicrosecondArray::from(vec![1, 2]))),
        (
            Arc::new(BinaryArray::from(vec![b"\xff".as_slice(); 2])),
            Arc::new(BinaryArray::from(vec![b"\xff".as_slice(), b"\xfe"])),
        ),
    ];
    for (same, different) in plain {
        let kind = same.data_type().clone();
        assert!(Table::with(vec![("more", same)]).is_alike().unwrap(), "{kind}");
        let table = Table::with(vec![("more", different)]);
        assert!(!table.is_alike().unwrap(), "{kind}");
        assert_eq!(table.read().unwrap().scanned.layout.unmapped, ["more"]);
    }
    let table = Table::with(vec![("more", list())]);
    assert_eq!(table.read().unwrap().log.rows(), 2);
    let error = table.is_alike().unwrap_err();
    assert!(error.describe(false).contains("column `more`") && error.hint().is_some(), "{}", error.describe(false));
}

/// Where a writer repeats values, or says something of itself, a release says nothing.
#[test]
fn a_release_has_nothing_beside_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let row = |at: usize| format!("u{at},roses,2024-03-07 12:20:02\n");
    std::fs::write(path("log.csv"), "user,query,time\n".to_owned() + &(0..6).map(row).collect::<String>()).unwrap();
    let request = ProtectRequest {
        file: path("log.csv").into(),
        out: path("out"),
        method: Some("user-microaggregation".to_owned()),
        parameters: vec![("k".to_owned(), "2".to_owned())],
        format: Some(throng::io::Format::parse("parquet").unwrap()),
        ask: throng::kinds::Ask { one_row_per_person: true, ..Default::default() },
        ..ProtectRequest::default()
    };
    run::protect(&request, &Silent).unwrap();
    let check = || {
        let request = run::CheckRequest { file: path("out").into(), ..Default::default() };
        run::check(&request, &Silent).unwrap()
    };
    assert_eq!((check().verdict, check().not_compared.len()), ("holds", 0));
    let data = path("out/data.parquet");
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&data).unwrap()).unwrap().build().unwrap();
    let batches: Vec<RecordBatch> = reader.map(|batch| batch.unwrap()).collect();
    let usual = || parquet::file::properties::WriterProperties::builder();
    let plain = || {
        let none = parquet::file::properties::EnabledStatistics::None;
        usual().set_statistics_enabled(none).set_offset_index_disabled(true).set_created_by("throng 0.1.0".to_owned())
    };
    for (properties, says) in [
        (plain(), None),
        (plain().set_created_by("ann".to_owned()), Some("a name of the program")),
        (usual().set_created_by("throng 0.1.0".to_owned()), Some("statistics")),
        (plain().set_bloom_filter_enabled(true), Some("statistics")),
        (
            plain()
                .set_statistics_enabled(parquet::file::properties::EnabledStatistics::Page)
                .set_write_page_header_statistics(true),
            Some("statistics or something else in the header of a page"),
        ),
    ] {
        let file = File::create(&data).unwrap();
        let mut writer = ArrowWriter::try_new(file, batches[0].schema(), Some(properties.build())).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.close().unwrap();
        let found = check().not_compared;
        assert_eq!(
            found.iter().any(|found| says.is_some_and(|says| found.starts_with(says))),
            says.is_some(),
            "{found:?}"
        );
        assert!(says.is_some() || found.is_empty(), "{found:?}");
    }
}
