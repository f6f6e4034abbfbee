//! What is in a file and compared by nobody is told: comments, names in headers, frames that are skipped, keys twice.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterVersion};
use throng::io::{
    BadLines, BasketLayout, Form, Format, Layout, Location, Person, ReadOptions, read_baskets, read_digests,
    read_documents, read_log, write_baskets, write_documents, write_persons,
};
use throng_core::data::{BasketsBuilder, DocumentsBuilder, QueryLogBuilder};
use throng_core::progress::Silent;
use throng_core::taxonomy::Taxonomy;
use throng_core::{Error, Result, Rng};

const LOG: &str = "AnonID\tQuery\tQueryTime\n1\troses\t2006-03-01 10:00:00\n";

fn of_log(path: &Path) -> Vec<String> {
    read_log(&Location::File(path.to_owned()), &ReadOptions::default(), &Silent).unwrap().scanned.uncompared
}

fn written(path: &Path, bytes: &[u8]) -> Location {
    fs::write(path, bytes).unwrap();
    Location::File(path.to_owned())
}

fn no_taxonomy() -> Result<Arc<Taxonomy>> {
    Err(Error::refused("texts need a taxonomy"))
}

#[test]
fn headers_of_gzip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.tsv.gz");
    let pack = |builder: flate2::GzBuilder| {
        let mut encoder = builder.write(Vec::new(), flate2::Compression::new(6));
        encoder.write_all(LOG.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let plain = pack(flate2::GzBuilder::new());
    let cases: [(flate2::GzBuilder, &str); 4] = [
        (flate2::GzBuilder::new().filename("ann.tsv"), "a file name in a gzip header"),
        (flate2::GzBuilder::new().comment("about ann"), "a comment in a gzip header"),
        (flate2::GzBuilder::new().extra("about ann"), "an extra field in a gzip header"),
        (flate2::GzBuilder::new().mtime(1_149_116_452), "a time in a gzip header"),
    ];
    fs::write(&path, &plain).unwrap();
    assert!(of_log(&path).is_empty());
    for (builder, what) in cases {
        let packed = pack(builder);
        fs::write(&path, &packed).unwrap();
        assert_eq!(of_log(&path), [what]);
        // Also of members after the first, one without a line among them.
        let mut empty = packed.clone();
        empty.splice(.., [&plain[..], &pack(flate2::GzBuilder::new().comment("x"))[..0], &packed[..]].concat());
        fs::write(&path, &empty).unwrap();
        let options = ReadOptions { bad_lines: BadLines::Skip, ..ReadOptions::default() };
        let read = read_log(&Location::File(path.clone()), &options, &Silent).unwrap();
        assert_eq!(read.scanned.uncompared, [what]);
    }
    // Bytes after the last member.
    let error = read_log(&written(&path, &[&plain[..], b"about ann"].concat()), &ReadOptions::default(), &Silent);
    assert!(error.unwrap_err().to_string().contains("damaged"));
}

#[test]
fn frames_that_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.tsv.zst");
    let frame = |text: &str| zstd::stream::encode_all(text.as_bytes(), 3).unwrap();
    let skipped =
        |text: &str| [&[0x5a, 0x2a, 0x4d, 0x18], &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
    let more = "2\troses\t2006-03-01 10:00:00\n";
    let what = "a part of the zstd file that is skipped when it is unpacked";
    for (bytes, found) in [
        ([frame(LOG), frame(more)].concat(), vec![]),
        ([frame(LOG), skipped("about ann"), frame(more)].concat(), vec![what.to_owned()]),
        ([skipped(""), frame(LOG), frame(more), skipped("x")].concat(), vec![format!("{what} (2 times)")]),
    ] {
        let read = read_log(&written(&path, &bytes), &ReadOptions::default(), &Silent).unwrap();
        assert_eq!((read.log.rows(), read.scanned.uncompared), (2, found));
    }
    for end in [b"about ann".to_vec(), skipped("about ann")[..9].to_vec()] {
        let bytes = [frame(LOG), end].concat();
        let error = read_log(&written(&path, &bytes), &ReadOptions::default(), &Silent).unwrap_err();
        assert!(error.to_string().contains("damaged"), "{error}");
    }
}

#[test]
fn comments_of_baskets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("baskets.dat");
    let read = |text: &str| read_baskets(&written(&path, text.as_bytes()), &ReadOptions::default(), &Silent).unwrap();
    assert!(read("1 2\n2 3\n").uncompared.is_empty());
    assert_eq!(read("1 2\n# ann\n2 3\n%\n").uncompared, ["a comment line (2 times)"]);
    // Where the marks of SPMF stand could tell something, too.
    assert_eq!(read("1 -1 2 -2\n2 3\n").uncompared, ["a mark -1 or -2 between items (2 times)"]);
}

#[test]
fn times_beyond_the_nanosecond() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.tsv");
    let what = "a time with digits beyond the nanoseconds";
    for (time, is_told) in [
        ("2006-03-01T10:00:00.123456789Z", false),
        ("2006-03-01T10:00:00.1234567890Z", true),
        ("2006-03-01 10:00:00,000000000042+02:00", true),
        ("2006-03-01T10:00:00.123456789+02:00", false),
    ] {
        fs::write(&path, format!("user\tquery\ttime\n1\troses\t{time}\n")).unwrap();
        assert_eq!(of_log(&path), if is_told { vec![what] } else { vec![] }, "{time}");
    }
}

#[test]
fn words_beside_the_columns_of_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.parquet");
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("user", Arc::new(StringArray::from(vec!["ann"]))),
        ("query", Arc::new(StringArray::from(vec!["roses"]))),
        ("time", Arc::new(Int64Array::from(vec![1_149_116_452]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let write = |key: Option<&str>, batch: &RecordBatch| {
        let file = fs::File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(batch).unwrap();
        if let Some(key) = key {
            writer.append_key_value_metadata(KeyValue::new(key.to_owned(), "about ann".to_owned()));
        }
        writer.close().unwrap();
    };
    write(None, &batch);
    assert!(of_log(&path).is_empty());
    write(Some("note"), &batch);
    assert_eq!(of_log(&path), ["a key with a value in the description of the Parquet file"]);
    // Words inside the schema of Arrow.
    let schema = batch.schema().as_ref().clone().with_metadata([("note".to_owned(), "ann".to_owned())].into());
    write(None, &batch.clone().with_schema(Arc::new(schema)).unwrap());
    assert_eq!(of_log(&path), ["a key with a value in the description of the Parquet file"]);
    // Bytes between the columns and the description of the file.
    write(None, &batch);
    let mut bytes = fs::read(&path).unwrap();
    let length = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap()) as usize;
    let start = bytes.len() - 8 - length;
    bytes.splice(start..start, *b"about ann");
    fs::write(&path, bytes).unwrap();
    assert_eq!(of_log(&path), ["a byte that belongs to no column of the Parquet file (9 times)"]);
}

/// A dictionary may hold values that no row has.
#[test]
fn entries_of_dictionaries_that_no_row_uses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.parquet");
    let what = "an entry in a dictionary of the Parquet file that no row uses";
    let texts = |texts: [Option<&str>; 3]| -> ArrayRef { Arc::new(StringArray::from(texts.to_vec())) };
    let columns = vec![
        ("user", texts([Some("1"); 3]), true),
        ("query", texts([Some("flu"), None, Some("Anna Lindqvist")]), true),
        ("time", Arc::new(Int64Array::from(vec![1_149_116_452; 3])) as ArrayRef, false),
        // A column without a role.
        ("note", texts([Some("a"), Some("b"), Some("Anna Lindqvist")]), false),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let properties = WriterProperties::builder().set_writer_version(version).build();
        let mut whole = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut whole, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        let metadata = writer.close().unwrap();
        let of = |bytes: &[u8]| {
            let location = written(&path, bytes);
            let skip = ReadOptions { bad_lines: BadLines::Skip, ..ReadOptions::default() };
            read_log(&location, &skip, &Silent).unwrap().scanned.uncompared
        };
        assert!(of(&whole).is_empty());
        // The numbers of the entries are the last byte of a column: with one bit 0 and 1, with two bits 0, 1 and 2.
        let mut bytes = whole.clone();
        for (column, numbers, entries) in [(1, 0b10, 1), (3, 0b10_01_00, 3)] {
            let (start, length) = metadata.row_group(0).column(column).byte_range();
            // Version 1 writes a byte for each group of eight; here the numbers are in the first, with two bits in two.
            let end = (start + length) as usize;
            let at = (start as usize..end).rev().find(|&at| whole[at] == numbers).unwrap();
            assert!(end - at <= 2);
            bytes[at] = 0;
            assert_eq!(
                of(&bytes).join(" "),
                if entries == 1 { what.to_owned() } else { format!("{what} ({entries} times)") }
            );
        }
        // A name of an entry that is not there.
        let (start, length) = metadata.row_group(0).column(3).byte_range();
        let at = ((start as usize)..(start + length) as usize).rev().find(|&at| whole[at] == 0b10_01_00).unwrap();
        bytes[at] = 0xff;
        assert!(of(&bytes).contains(&"a part of a column without a role that cannot be read".to_owned()));
        let error = read_digests(&Location::File(path.clone()), &ReadOptions::default(), &mut Rng::seeded(1), &Silent);
        assert!(error.unwrap_err().is_data());
    }
}

#[test]
fn labels_of_documents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.jsonl");
    let text = "{\"id\":1,\"terms\":{\"dog\":1}}\n{\"id\":2,\"label\":\"ann\",\"terms\":{\"dog\":1}}\n";
    let read = read_documents(&written(&path, text.as_bytes()), &ReadOptions::default(), no_taxonomy, &Silent).unwrap();
    assert!(read.uncompared.is_empty());
    assert_eq!(read.uncompared_with_labels(), ["a label of a document"]);
}

/// Digits that change nothing could hold anything.
#[test]
fn weights_with_more_digits_than_count() {
    let folder = tempfile::tempdir().unwrap();
    let (lines, rows) = (folder.path().join("vectors.jsonl"), folder.path().join("vectors.csv"));
    let what = "a weight with digits that do not count";
    for (weight, is_told) in [
        ("0.4", false),
        ("0.40000000000000000000000000123", true),
        ("0.00000000000000000000000012345678901234566", false),
        ("0.00000000000000000000000012345678901234567", true),
        ("1.2345678901234568e-300", false),
        ("1.23456789012345678e-300", true),
        ("0.4000000000000000000000000000", true),
        ("300000000000000000000000000000", false),
        ("300000000000000000000000000001", true),
        ("9007199254740992", false),
        ("9007199254740993", true),
        ("0.30000000000000004", false),
        ("0.30000000000000003", true),
        ("4e-324", true),
        ("0.50", false),
        ("1e3", false),
    ] {
        let expected = if is_told { vec![what] } else { vec![] };
        for (path, text) in [
            (&lines, format!("{{\"id\":1,\"terms\":{{\"dog\":{weight}}}}}\n")),
            (&rows, format!("id,term,weight\n1,dog,{weight}\n")),
        ] {
            let location = written(path, text.as_bytes());
            let read = read_documents(&location, &ReadOptions::default(), no_taxonomy, &Silent).unwrap();
            assert_eq!(read.uncompared, expected, "{weight}");
        }
    }
}

/// A key twice hides a value, whichever of the two counts.
#[test]
fn keys_twice_are_malformed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.jsonl");
    let fail = ReadOptions::default();
    let skip = ReadOptions { bad_lines: BadLines::Skip, ..ReadOptions::default() };
    let good = "{\"user\":1,\"query\":\"cat\",\"time\":1149116452,\"x\":1,\"y\":1}\n";
    for bad in [
        "{\"user\":1,\"query\":\"cat\",\"query\":\"dog\",\"time\":1149116452}\n",
        "{\"user\":1,\"query\":\"cat\",\"qu\\u0065ry\":\"dog\",\"time\":1149116452}\n",
        "{\"user\":1,\"user\":1,\"query\":\"cat\",\"time\":1149116452}\n",
        "{\"user\":1,\"query\":\"cat\",\"time\":1149116452,\"url\":null,\"url\":\"x\"}\n",
        "{\"user\":1,\"query\":\"cat\",\"time\":1149116452,\"x\":1,\"y\":2,\"x\":1}\n",
    ] {
        for (text, line) in [(format!("{good}{bad}"), 2), (format!("{bad}{good}"), 1)] {
            let location = written(&path, text.as_bytes());
            let error = read_log(&location, &fail, &Silent).unwrap_err();
            assert_eq!(
                (error.to_string().as_str(), error.place().unwrap().line),
                ("the line has a key twice", Some(line)),
                "{text}"
            );
            let read = read_log(&location, &skip, &Silent).unwrap();
            assert_eq!((read.log.rows(), read.scanned.refused), (1, 1), "{text}");
        }
    }
    let good = "{\"person\":1,\"group\":1,\"items\":[\"a\"]}\n";
    for bad in [
        "{\"person\":1,\"group\":1,\"items\":[\"a\"],\"items\":[\"b\"]}\n",
        "{\"group\":1,\"sensitive\":{\"hiv\":1,\"hiv\":2}}\n",
        "{\"group\":1,\"sensitive\":{\"hiv\":1},\"sensitive\":{}}\n",
        "{\"person\":1,\"group\":1,\"items\":[\"a\"],\"z\":1,\"z\":2}\n",
    ] {
        for text in [format!("{good}{bad}"), format!("{bad}{good}")] {
            let location = written(&path, text.as_bytes());
            let error = read_baskets(&location, &fail, &Silent).unwrap_err();
            assert_eq!(error.to_string(), "the line has a key twice", "{text}");
            assert_eq!(read_baskets(&location, &skip, &Silent).unwrap().refused, 1, "{text}");
        }
    }
    let good = "{\"id\":1,\"terms\":{\"dog\":1}}\n";
    for (bad, words) in [
        ("{\"id\":2,\"id\":3,\"terms\":{\"dog\":1}}\n", "the line has a key twice"),
        ("{\"id\":2,\"terms\":{\"dog\":1},\"terms\":{\"cat\":1}}\n", "the line has a key twice"),
        ("{\"id\":2,\"terms\":{\"dog\":1,\"d\\u006fg\":2}}\n", "the document has a term twice"),
    ] {
        for text in [format!("{good}{bad}"), format!("{bad}{good}")] {
            let location = written(&path, text.as_bytes());
            let error = read_documents(&location, &fail, no_taxonomy, &Silent).unwrap_err();
            assert_eq!(error.to_string(), words, "{text}");
            assert_eq!(read_documents(&location, &skip, no_taxonomy, &Silent).unwrap().refused, 1, "{text}");
        }
    }
}

/// A release of ours has nothing that is not compared, in any format.
#[test]
fn releases_have_nothing_beside() {
    let folder = tempfile::tempdir().unwrap();
    let persons = [Person { name: "1", person: 0 }];
    let mut log = QueryLogBuilder::new();
    log.push("ann", "roses", 1_149_116_452_000, Some(1), Some("http://x.org"));
    let log = log.finish();
    let mut baskets = BasketsBuilder::new(None, true);
    let person = baskets.person("ann");
    let item = baskets.label("bread");
    baskets.push(person, item);
    let baskets = baskets.finish();
    let mut documents = DocumentsBuilder::new(None);
    documents.push_vector("ann", [("dog", 1.0)], Some("pets"));
    let documents = documents.finish();
    for name in ["tsv", "csv", "jsonl", "parquet", "fimi"] {
        for compression in ["", ".gz", ".zst"] {
            let path = folder.path().join(format!("data.{name}{compression}"));
            let Ok(format) = Format::parse(&format!("{name}{compression}")) else { continue };
            let location = Location::File(path.clone());
            let file = || fs::File::create(&path).unwrap();
            if name != "fimi" {
                write_persons(&mut file(), format, &Layout::aol(), &log, &persons, &Silent).unwrap();
                assert!(of_log(&path).is_empty(), "{format}");
            }
            for form in [Form::Lines, Form::Long, Form::Lists] {
                let Ok(layout) = BasketLayout::new(form, form != Form::Lines).fitted(format.kind) else { continue };
                write_baskets(&mut file(), format, &layout, &baskets, &persons, &Silent).unwrap();
                let read =
                    read_baskets(&location, &ReadOptions { format: Some(format), ..ReadOptions::default() }, &Silent);
                assert!(read.unwrap().uncompared.is_empty(), "{format}, {form:?}");
            }
            if matches!(name, "csv" | "jsonl") {
                write_documents(&mut file(), format, false, &documents, &persons, &Silent).unwrap();
                let read = read_documents(&location, &ReadOptions::default(), no_taxonomy, &Silent).unwrap();
                assert!(read.uncompared.is_empty(), "{format}");
            }
        }
    }
}

/// Where a header runs into the data, values stand in the place of names: they are shown by their numbers.
#[test]
fn values_are_not_shown_as_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.tsv");
    let text = "user\tquery\ttime\tcountry\tann smith\t\rbob\tcarol\n1\troses\t2006-03-01 10:00:00\tde\tann smith\t\n";
    let read = read_log(&written(&path, text.as_bytes()), &ReadOptions::default(), &Silent).unwrap();
    assert_eq!(read.scanned.layout.unmapped, ["country", "column 5", "column 6", "column 7"]);
    let text = "person,item,=x,ann\n1,milk,2,ann\n";
    let path = folder.path().join("baskets.csv");
    let read = read_baskets(&written(&path, text.as_bytes()), &ReadOptions::default(), &Silent).unwrap();
    assert_eq!(read.layout.unmapped, ["=x", "column 4"]);
    let text = "id,term,weight,ann\n1,dog,1,ann\n";
    let read = read_documents(&written(&path, text.as_bytes()), &ReadOptions::default(), no_taxonomy, &Silent).unwrap();
    assert_eq!(read.unmapped, ["column 4"]);
}

/// A server's line has many places that say nothing of a visit: whoever writes something there, and mends the hash, is found out.
#[test]
fn places_of_access_logs_that_nobody_reads() {
    use throng::prelude::{CheckRequest, ProtectRequest, check, protect};
    let folder = tempfile::tempdir().unwrap();
    let (file, ask) = crate::support::fixtures::data("visits", folder.path());
    let forms = [
        ("combined", " - - [", " 192.0.2.7 - ["),
        ("common", " - - [", " x - ["),
        ("vhost-combined", " - - [", " x - ["),
        ("gandi", "(0 s)", "(7 s)"),
        ("main", "\"-\"\n", "\"192.0.2.7\"\n"),
        ("icecast", " 0\n", " 17\n"),
        ("alb", "https ", "h2 "),
        ("elb", ":443/", ":444/"),
        ("s3", " -\n", " ann\n"),
        ("haproxy", " ---- ", " CD-- "),
        ("w3c", "#Version: 1.0", "#Version: 1.1"),
        ("jsonl", "{\"", "{ \""),
    ];
    for (form, there, other) in forms {
        let out = folder.path().join(form);
        let request = ProtectRequest {
            file: file.clone().into(),
            out: out.clone(),
            parameters: vec![("k".to_owned(), "4".to_owned())],
            format: Some(Format::parse(form).unwrap()),
            ask: ask.clone(),
            ..ProtectRequest::default()
        };
        let outcome = protect(&request, &Silent).unwrap_or_else(|error| panic!("{form}: {}", error.describe(true)));
        let verdict = || {
            let request = CheckRequest { file: out.clone().into(), ..CheckRequest::default() };
            check(&request, &Silent).unwrap_or_else(|error| panic!("{form}: {}", error.describe(true)))
        };
        let found = verdict();
        assert_eq!((found.verdict, found.not_compared.len()), ("partly", 0), "{form}: {found:?}");
        let data = out.join(&outcome.certificate.output.file);
        let text = fs::read_to_string(&data).unwrap();
        assert!(text.contains(there), "{form}: {}", text.lines().take(3).collect::<Vec<_>>().join("\n"));
        fs::write(&data, text.replacen(there, other, 1)).unwrap();
        let certificate = fs::read_to_string(out.join("certificate.json")).unwrap();
        let hash = throng::io::hash_file(&data).unwrap();
        fs::write(out.join("certificate.json"), certificate.replace(&outcome.certificate.output.sha256, &hash))
            .unwrap();
        for report in ["report.html", "report.json"] {
            fs::remove_file(out.join(report)).unwrap();
        }
        let found = verdict();
        assert_eq!(found.hash_matches, Some(true), "{form}");
        assert_eq!(found.verdict, "fails", "{form}: {other}");
    }
}
