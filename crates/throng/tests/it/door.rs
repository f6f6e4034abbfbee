//! Data in memory: what goes in as record batches comes out as through files, is checked on its bytes, and can be saved.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{Field, Schema};
use serde_json::Value;
use throng::held_release::HeldRelease;
use throng::io::{Format, Frame};
use throng::prelude::*;

use crate::support::fixtures::{PARAMETERS, PERSONS, data, kinds_of_one_file, parameters};

/// The rows of a fixture as record batches of texts, several of them.
fn frame_of(path: &Path) -> Frame {
    let text = fs::read_to_string(path).unwrap();
    let columns: Vec<(String, ArrayRef)> = match path.extension().unwrap().to_str().unwrap() {
        "dat" => {
            let mut lists = ListBuilder::new(StringBuilder::new());
            text.lines().for_each(|line| lists.append_value(line.split_whitespace().map(Some)));
            vec![("items".to_owned(), Arc::new(lists.finish()))]
        }
        "csv" => {
            let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
            let header = rows.next().unwrap();
            let rows: Vec<Vec<&str>> = rows.collect();
            let column =
                |at: usize| Arc::new(rows.iter().map(|row| Some(row[at])).collect::<StringArray>()) as ArrayRef;
            header.iter().enumerate().map(|(at, name)| ((*name).to_owned(), column(at))).collect()
        }
        _ => {
            let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let names: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
            let cell = |row: &Value, name: &str| match &row[name] {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            };
            let column = |name: &str| Arc::new(rows.iter().map(|row| cell(row, name)).collect::<StringArray>());
            names.into_iter().map(|name| (name.clone(), column(name) as ArrayRef)).collect()
        }
    };
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(name, array.data_type().clone(), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let whole =
        RecordBatch::try_new(Arc::clone(&schema), columns.into_iter().map(|(_, array)| array).collect()).unwrap();
    // Slices of one batch: offsets, as polars and Spark hand them over.
    let third = whole.num_rows() / 3;
    let batches = vec![whole.slice(0, third), whole.slice(third, 0), whole.slice(third, whole.num_rows() - third)];
    Frame::new(schema, batches).unwrap()
}

fn written(frame: &Frame, path: &Path) {
    let mut writer = StreamWriter::try_new(File::create(path).unwrap(), frame.schema()).unwrap();
    frame.batches().iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
}

fn held(request: &ProtectRequest) -> HeldRelease {
    let request = ProtectRequest { in_memory: true, out: Default::default(), ..request.clone() };
    let outcome = protect(&request, &Silent).unwrap_or_else(|error| panic!("{}", error.describe(true)));
    outcome.held.expect("a release in memory")
}

fn verdict(file: Inputs, original: Option<Inputs>, ask: &Ask) -> &'static str {
    let ask = Ask { taxonomies: Vec::new(), unknown: None, ..ask.clone() };
    let checked = check(&CheckRequest { file, original, ask, ..CheckRequest::default() }, &Silent);
    let checked = checked.unwrap_or_else(|error| panic!("{}", error.describe(true)));
    assert_eq!(checked.hash_matches, Some(true));
    assert!(checked.not_compared.is_empty() && checked.other_files.is_empty(), "{:?}", checked.not_compared);
    checked.verdict
}

/// Every method of every kind gives the bytes that it gives through files.
#[test]
fn batches_give_what_files_give() {
    for kind in kinds_of_one_file() {
        let name = kind.card().name;
        let folder = tempfile::tempdir().unwrap();
        let (file, ask) = data(name, folder.path());
        let frame = frame_of(&file);
        let stream = folder.path().join("original.arrow");
        written(&frame, &stream);
        let ask = Ask { kind: Some(name.to_owned()), ..ask };
        for method in kind.listed().iter().filter(|listed| listed.role == Role::Method).map(|listed| listed.info.name) {
            let out = folder.path().join(method);
            let request = ProtectRequest {
                file: stream.clone().into(),
                out: out.clone(),
                method: Some(method.to_owned()),
                parameters: parameters(method, &PARAMETERS),
                seed: Some(1),
                no_attacks: true,
                measures: kind
                    .listed()
                    .iter()
                    .filter(|listed| listed.role == Role::Measure)
                    .take(1)
                    .map(|listed| listed.info.name.to_owned())
                    .collect(),
                ask: ask.clone(),
                ..ProtectRequest::default()
            };
            let through_files = protect(&request, &Silent);
            let through_files = through_files.unwrap_or_else(|error| panic!("{method}: {}", error.describe(true)));
            let request = ProtectRequest { file: frame.clone().into(), ..request };
            if through_files.certificate.output.file != "data.arrow" {
                // Sensitive items by group have no columns.
                let request = ProtectRequest { in_memory: true, out: Default::default(), ..request };
                let error = protect(&request, &Silent).unwrap_err().describe(true);
                assert!(error.contains("cannot be written as arrow"), "{method}: {error}");
                continue;
            }
            let held = held(&request);
            let (own, other) = (held.certificate(), &through_files.certificate);
            assert!(held.bytes() == fs::read(out.join("data.arrow")).unwrap(), "{name} {method}");
            assert_eq!((&own.output.sha256, &own.claims), (&other.output.sha256, &other.claims), "{name} {method}");
            assert_eq!(
                (own.output.file.as_str(), own.output.format.as_deref()),
                ("", Some("arrow")),
                "{name} {method}"
            );
            let told: Value = serde_json::from_slice(&own.text().unwrap()).unwrap();
            assert!(told["output"]["file"].is_null());
            assert!(held.batches().unwrap().1.iter().map(RecordBatch::num_rows).sum::<usize>() > 0, "{name} {method}");
            assert!(held.key().is_none() && held.html().contains("<html"));
        }
    }
}

/// A release in memory is checked, measured, attacked, audited and saved like a folder.
#[test]
fn a_release_in_memory_is_a_release() {
    for kind in kinds_of_one_file() {
        let name = kind.card().name;
        let folder = tempfile::tempdir().unwrap();
        let (file, ask) = data(name, folder.path());
        let frame = frame_of(&file);
        let ask = Ask { kind: Some(name.to_owned()), ..ask };
        let request = ProtectRequest {
            file: frame.clone().into(),
            parameters: vec![("k".to_owned(), "4".to_owned())],
            with_key: true,
            ask: ask.clone(),
            ..ProtectRequest::default()
        };
        let held = held(&request);
        let key = folder.path().join("key.csv");
        fs::write(&key, held.key().unwrap()).unwrap();
        assert_eq!(held.certificate().input.persons, PERSONS as u64);
        assert_eq!(verdict(held.clone().into(), Some(frame.clone().into()), &ask), "holds", "{name}");

        let released = || Inputs::from(held.clone());
        let measured = MeasureRequest {
            original: frame.clone().into(),
            release: released(),
            key: Some(key.clone()),
            ask: ask.clone(),
            ..MeasureRequest::default()
        };
        let has_measures = kind.listed().iter().any(|listed| listed.role == Role::Measure);
        assert_eq!(!measure(&measured, &Silent).unwrap().measures.is_empty(), has_measures, "{name}");
        let attacked = AttackRequest {
            original: frame.clone().into(),
            release: released(),
            key: Some(key),
            ask: ask.clone(),
            ..AttackRequest::default()
        };
        let attacked = attack(&attacked, &Silent).unwrap_or_else(|error| panic!("{name}: {}", error.describe(true)));
        assert!(!attacked.attacks.is_empty() || !attacked.skipped.is_empty(), "{name}");
        let audited =
            audit(&AuditRequest { file: released(), ask: Ask::default(), ..AuditRequest::default() }, &Silent);
        assert!(audited.unwrap_or_else(|error| panic!("{name}: {}", error.describe(true))).persons > 0);
        let inspected = InspectRequest { file: frame.clone().into(), ask: ask.clone(), ..InspectRequest::default() };
        assert_eq!(inspect(&inspected, &Silent).unwrap().kind, name);

        let formats = ["arrow", "parquet", "jsonl"];
        for format in formats {
            let place = folder.path().join(format!("saved-{format}"));
            held.save(&place, Some(Format::parse(format).unwrap()), &Silent)
                .unwrap_or_else(|error| panic!("{name} {format}: {}", error.describe(true)));
            let saved = verdict(place.as_path().into(), Some(frame.clone().into()), &ask);
            assert_eq!(saved, "holds", "{name} {format}");
            let again = held.save(&place, None, &Silent).unwrap_err();
            assert!(again.describe(true).contains("exists already"), "{}", again.describe(true));
            assert!(!fs::read_dir(&place).unwrap().any(|entry| entry.unwrap().file_name() == "key.csv"));
        }
    }
}

/// A log whose columns are texts, saved in the format of its file, is what the command writes.
#[test]
fn saved_texts_are_the_bytes_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.tsv");
    let made = SynthRequest { persons: 60, seed: 2, out: file.clone(), ..SynthRequest::default() };
    synth(&SynthRequest { kind: "queries".to_owned(), mean_lines: 20.0, ..made }, &mut Vec::new(), &Silent).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let mut rows = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let rows: Vec<Vec<&str>> = rows.collect();
    let column = |at: usize| {
        let cells = rows.iter().map(|row| row.get(at).copied().filter(|cell| !cell.is_empty()));
        Arc::new(cells.collect::<StringArray>()) as ArrayRef
    };
    let fields: Vec<Field> = header.iter().map(|name| Field::new(*name, arrow_schema::DataType::Utf8, true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), (0..header.len()).map(column).collect()).unwrap();
    let frame = Frame::new(schema, vec![batch]).unwrap();
    let request = ProtectRequest {
        file: file.into(),
        out: folder.path().join("by-file"),
        seed: Some(3),
        ..ProtectRequest::default()
    };
    protect(&request, &Silent).unwrap();
    let held = held(&ProtectRequest { file: frame.into(), ..request });
    let saved = folder.path().join("saved");
    held.save(&saved, Some(Format::parse("tsv").unwrap()), &Silent).unwrap();
    let read = |place: &str| fs::read_to_string(folder.path().join(place).join("data.tsv")).unwrap();
    assert_eq!(read("saved"), read("by-file"));
}

/// What a release in memory cannot have is refused, and one that was changed on the way is not taken back.
#[test]
fn what_memory_cannot_have_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (file, ask) = data("queries", folder.path());
    let request =
        ProtectRequest { file: file.into(), in_memory: true, ask, seed: Some(1), ..ProtectRequest::default() };
    for refused in [
        ProtectRequest { out: folder.path().join("out"), ..request.clone() },
        ProtectRequest { key: Some(folder.path().join("key.csv")), ..request.clone() },
        ProtectRequest { overwrite: true, ..request.clone() },
        ProtectRequest { format: Some(Format::parse("tsv").unwrap()), ..request.clone() },
        ProtectRequest { in_memory: false, with_key: true, out: folder.path().join("out"), ..request.clone() },
    ] {
        let error = protect(&refused, &Silent).unwrap_err();
        assert!(error.describe(true).contains("memory"), "{}", error.describe(true));
    }
    let held = held(&request);
    let (certificate, report) = (held.certificate().text().unwrap(), held.report_text().to_vec());
    let back = HeldRelease::from_parts(held.bytes().to_vec(), &certificate, report.clone(), held.html().to_owned());
    assert_eq!(back.unwrap(), held);
    let mut changed = held.bytes().to_vec();
    let last = changed.len() - 9;
    changed[last] ^= 1;
    assert!(HeldRelease::from_parts(changed, &certificate, report, String::new()).is_err());
}
