//! Arrow streams: read and written like every other format, and nothing hides in one.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, StringArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{Field, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use throng::io::{self, Format, Location, ReadOptions, read_log};
use throng::prelude::*;

use crate::support::fixtures::{PARAMETERS, data, kinds_of_one_file, parameters};

/// Protects a file with a seed, in a format.
fn protected(file: &Path, out: &Path, format: &str, ask: &Ask) -> ProtectOutcome {
    let request = ProtectRequest {
        file: file.into(),
        out: out.to_owned(),
        parameters: vec![("k".to_owned(), "4".to_owned())],
        format: Some(Format::parse(format).unwrap()),
        seed: Some(1),
        ask: ask.clone(),
        ..ProtectRequest::default()
    };
    protect(&request, &Silent).unwrap_or_else(|error| panic!("{format}: {}", error.describe(true)))
}

fn is_fine(release: &Path) -> bool {
    let request = CheckRequest { file: release.into(), ..CheckRequest::default() };
    check(&request, &Silent).is_ok_and(|checked| checked.hash_matches == Some(true) && checked.verdict != "fails")
}

#[test]
fn every_kind_is_written_read_and_checked() {
    for kind in kinds_of_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let (file, ask) = data(kind.card().name, folder.path());
        let out = folder.path().join("out");
        let outcome = protected(&file, &out, "arrow", &ask);
        assert_eq!(outcome.certificate.output.file, "data.arrow");
        let stream = StreamReader::try_new(File::open(out.join("data.arrow")).unwrap(), None).unwrap();
        let rows: usize = stream.map(|batch| batch.unwrap().num_rows()).sum();
        assert!(rows > 0, "{}", kind.card().name);
        assert!(is_fine(&out), "{}", kind.card().name);
    }
}

/// The same rows in Parquet and in Arrow give the same release.
#[test]
fn arrow_is_read_as_parquet_is() {
    for kind in kinds_of_one_file() {
        let name = kind.card().name;
        let folder = tempfile::tempdir().unwrap();
        let (file, ask) = data(name, folder.path());
        let method = kind.listed().iter().find(|listed| listed.role == Role::Method).unwrap().info.name;
        let first = ProtectRequest {
            file: file.into(),
            out: folder.path().join("first"),
            method: Some(method.to_owned()),
            parameters: parameters(method, &PARAMETERS),
            format: Some(Format::parse("parquet").unwrap()),
            seed: Some(1),
            ask,
            ..ProtectRequest::default()
        };
        protect(&first, &Silent).unwrap();
        let parquet = folder.path().join("first/data.parquet");
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&parquet).unwrap()).unwrap().build().unwrap();
        let batches: Vec<RecordBatch> = reader.map(|batch| batch.unwrap()).collect();
        let (stream, feather) = (folder.path().join("again.arrow"), folder.path().join("again.feather"));
        let schema = batches[0].schema();
        let mut writer = StreamWriter::try_new(File::create(&stream).unwrap(), &schema).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
        let mut writer = FileWriter::try_new(File::create(&feather).unwrap(), &schema).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
        let inspected = |path: &Path| {
            let ask = Ask { kind: Some(name.to_owned()), ..Ask::default() };
            let request = InspectRequest { file: path.into(), ask, ..InspectRequest::default() };
            let found = inspect(&request, &Silent).unwrap_or_else(|error| panic!("{name}: {}", error.describe(true)));
            ["persons", "rows", "unique_by"].map(|key| found.value(key).cloned())
        };
        let expected = inspected(&parquet);
        assert_eq!(inspected(&stream), expected, "{name}");
        assert_eq!(inspected(&feather), expected, "{name}");
    }
}

fn stream(columns: &[(&str, ArrayRef)], words: &[(&str, &str)]) -> Vec<u8> {
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let words = words.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, words));
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns.iter().map(|(_, array)| Arc::clone(array)).collect());
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).unwrap();
    writer.write(&batch.unwrap()).unwrap();
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}

fn log() -> Vec<(&'static str, ArrayRef)> {
    let texts = |texts: [&str; 2]| Arc::new(StringArray::from(texts.to_vec())) as ArrayRef;
    vec![
        ("user", texts(["17", "23"])),
        ("query", texts(["roses", "roses"])),
        ("time", texts(["2006-03-01 10:00:00", "2006-03-01 10:00:00"])),
    ]
}

fn uncompared(bytes: &[u8]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.arrow");
    fs::write(&path, bytes).unwrap();
    read_log(&Location::File(path), &ReadOptions::default(), &Silent).unwrap().scanned.uncompared
}

#[test]
fn what_no_row_shows_is_told() {
    assert!(uncompared(&stream(&log(), &[])).is_empty());
    let told = uncompared(&stream(&log(), &[("about", "ann")]));
    assert_eq!(told, ["a key with a value in the description of the Arrow stream"]);
    let told = uncompared(&[&stream(&log(), &[])[..], b"ann"].concat());
    assert_eq!(told, ["something after the end of the Arrow stream"]);
    // An entry of a dictionary that no row has.
    let keys = arrow_array::Int32Array::from(vec![0, 0]);
    let values = Arc::new(StringArray::from(vec!["roses", "ann's address"]));
    let mut columns = log();
    columns[1].1 = Arc::new(DictionaryArray::<Int32Type>::try_new(keys, values).unwrap());
    assert_eq!(uncompared(&stream(&columns, &[])), ["a value of the Arrow stream that no row shows"]);
    // A text under a row that has none.
    let mut columns = log();
    let hidden = StringArray::from(vec!["x", "ann"]);
    let (offsets, values, _) = hidden.into_parts();
    let nulls = arrow_buffer::NullBuffer::from(vec![true, false]);
    columns.push(("url", Arc::new(StringArray::new(offsets, values, Some(nulls)))));
    assert_eq!(uncompared(&stream(&columns, &[])), ["a value of the Arrow stream that no row shows"]);
}

/// Whoever changes a byte of a release and mends its hash is found out, or has changed a value that is judged.
#[test]
fn releases_are_as_throng_writes_them() {
    let folder = tempfile::tempdir().unwrap();
    let (file, ask) = data("queries", folder.path());
    let out = folder.path().join("out");
    protected(&file, &out, "arrow", &ask);
    assert!(is_fine(&out));
    let bytes = fs::read(out.join("data.arrow")).unwrap();
    let certificate = fs::read_to_string(out.join("certificate.json")).unwrap();
    let hash = io::hash_file(&out.join("data.arrow")).unwrap();
    let mut unseen = 0;
    let values = |bytes: &[u8]| -> Option<Vec<RecordBatch>> {
        StreamReader::try_new(Cursor::new(bytes), None).ok()?.collect::<std::result::Result<_, _>>().ok()
    };
    let before = values(&bytes).unwrap();
    for at in (0..bytes.len()).step_by(1 + bytes.len() / 60) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        fs::write(out.join("data.arrow"), &changed).unwrap();
        let mended = certificate.replace(&hash, &io::hash_file(&out.join("data.arrow")).unwrap());
        fs::write(out.join("certificate.json"), mended).unwrap();
        let is_same = std::panic::catch_unwind(|| values(&changed)).ok().flatten().is_some_and(|after| after == before);
        if is_same {
            unseen += 1;
            assert!(!is_fine(&out), "byte {at} says something that no row shows");
        }
    }
    assert!(unseen > 0, "no byte was changed that no row shows");
}

#[test]
fn damaged_streams_are_errors() {
    let bytes = stream(&log(), &[]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.arrow");
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        read_log(&Location::File(path.clone()), &ReadOptions::default(), &Silent).map(drop)
    };
    for length in (4..bytes.len()).step_by(7) {
        let error = read(&bytes[..length]).unwrap_err().describe(true);
        assert!(error.contains("Arrow stream"), "{length}: {error}");
    }
    // A message that says that it is huge.
    let mut huge = bytes.clone();
    huge[4..8].copy_from_slice(&0x7fff_ffffu32.to_le_bytes());
    assert!(read(&huge).unwrap_err().describe(true).contains("larger than 1024 MiB"));
}
