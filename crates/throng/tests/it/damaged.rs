//! Damaged and overgrown files: whoever asks, and for whatever kind, the answer is data or an error that says what is wrong,
//! never a panic, and never gigabytes from a small file.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use throng::io::{
    BasketLayout, Form, Format, Layout, Location, Person, ReadOptions, read_baskets, read_documents, read_log,
    write_baskets, write_persons,
};
use throng::kinds::{Ask, kind_of};
use throng_core::data::{BasketsBuilder, QueryLogBuilder};
use throng_core::progress::Silent;
use throng_core::taxonomy::Taxonomy;
use throng_core::{Error, Result};

/// Reads a file as every kind, and as what it looks like.
fn read_as_all(path: &Path) -> Vec<(&'static str, Result<()>)> {
    let location = Location::File(path.to_owned());
    let options = ReadOptions::default();
    let taxonomy = || -> Result<Arc<Taxonomy>> { Err(Error::refused("texts need a taxonomy")) };
    vec![
        ("recognised", kind_of(&location, &Ask::default()).map(drop)),
        ("queries", read_log(&location, &options, &Silent).map(drop)),
        ("baskets", read_baskets(&location, &options, &Silent).map(drop)),
        ("documents", read_documents(&location, &options, taxonomy, &Silent).map(drop)),
    ]
}

fn log(path: &Path) {
    let mut log = QueryLogBuilder::new();
    for person in ["ann", "bob"] {
        log.push(person, "roses", 1_149_116_452_000, Some(1), Some("http://x.org"));
    }
    let persons = [Person { name: "1", person: 0 }, Person { name: "2", person: 1 }];
    let layout = Layout { typed_time: true, typed_person: true, ..Layout::aol() };
    let mut file = fs::File::create(path).unwrap();
    let format = Format::of_path(path).unwrap();
    write_persons(&mut file, format, &layout, &log.finish(), &persons, &Silent).unwrap();
}

fn baskets(path: &Path, form: Form) {
    let mut builder = BasketsBuilder::new(None, true);
    for (person, items) in [("ann", ["bread", "milk"]), ("bob", ["beer", "bread"])] {
        let person = builder.person(person);
        for item in items {
            let item = builder.label(item);
            builder.push(person, item);
        }
    }
    let baskets = builder.finish();
    let persons = [Person { name: "1", person: 0 }, Person { name: "2", person: 1 }];
    let layout = BasketLayout { typed_person: true, ..BasketLayout::new(form, true) };
    let mut file = fs::File::create(path).unwrap();
    write_baskets(&mut file, Format::of_path(path).unwrap(), &layout, &baskets, &persons, &Silent).unwrap();
}

/// Bytes inside the embedded Arrow schema, the text of which the library decodes without looking, are damaged one by one.
#[test]
fn damaged_arrow_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.parquet");
    let makers: [&dyn Fn(); 3] = [&|| log(&path), &|| baskets(&path, Form::Long), &|| baskets(&path, Form::Lists)];
    for (number, make) in makers.into_iter().enumerate() {
        make();
        let whole = fs::read(&path).unwrap();
        let key = b"ARROW:schema";
        let start = whole.windows(key.len()).position(|bytes| bytes == key).unwrap() + key.len() + 3;
        let end = (start..whole.len()).find(|&at| !is_base64(whole[at])).unwrap_or(whole.len());
        assert!(end - start > 100, "file {number}");
        let mut refused = 0;
        for at in (start..end).step_by(3) {
            for byte in [b'A', b'/', whole[at] ^ 1].into_iter().filter(|byte| is_base64(*byte)) {
                let mut bytes = whole.clone();
                bytes[at] = byte;
                fs::write(&path, &bytes).unwrap();
                for (asked, outcome) in read_as_all(&path) {
                    if let Err(error) = outcome {
                        refused += u32::from(asked == "recognised");
                        assert!(error.is_data(), "file {number}, byte {at}, {asked}: {}", error.describe(true));
                    }
                }
            }
        }
        assert!(refused > 0, "file {number}");
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Every byte of small files in every format, damaged and cut off.
#[test]
fn damaged_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    for name in
        ["log.parquet", "long.parquet", "lists.parquet", "log.tsv.gz", "log.csv.zst", "log.jsonl", "lists.jsonl.gz"]
    {
        let path = folder.path().join(name);
        match name.split_once('.').unwrap().0 {
            "log" => log(&path),
            "long" => baskets(&path, Form::Long),
            _ => baskets(&path, Form::Lists),
        }
        let whole = fs::read(&path).unwrap();
        let step = whole.len().div_ceil(400);
        for at in (0..whole.len()).step_by(step) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            for bytes in [&damaged[..], &whole[..at]] {
                fs::write(&path, bytes).unwrap();
                for (asked, outcome) in read_as_all(&path) {
                    let words = outcome.err().map(|error| error.describe(true)).unwrap_or_default();
                    assert!(!words.contains("internal"), "{name}, byte {at}, {asked}: {words}");
                }
            }
        }
    }
}

/// A Parquet file with a column of texts beside person and time.
fn parquet_of(path: &Path, texts: &[&str]) {
    let names = |_| Some("ann");
    let mut queries = StringViewBuilder::new().with_deduplicate_strings();
    texts.iter().for_each(|text| queries.append_value(text));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("user", Arc::new((0..texts.len()).map(names).collect::<StringArray>())),
        ("query", Arc::new(queries.finish())),
        ("time", Arc::new(Int64Array::from(vec![1_149_116_452; texts.len()]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3).unwrap()))
        .set_dictionary_page_size_limit(1 << 30)
        .build();
    let mut writer = ArrowWriter::try_new(fs::File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The most memory this process has had, in MiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: 0 kB");
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
}

#[test]
fn large_values_in_small_parquet_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.parquet");
    let read = |path: &Path| read_log(&Location::File(path.to_owned()), &ReadOptions::default(), &Silent);

    // A value that a file holds once and repeats takes its room once: this would be 600 MiB.
    let long = "x".repeat(10 << 20);
    parquet_of(&path, &vec![long.as_str(); 60]);
    let before = peak();
    assert_eq!(read(&path).unwrap().log.rows(), 60);
    assert!(peak() - before < 200, "{} MiB", peak() - before);

    // A page above the limit is never unpacked.
    let huge = "x".repeat(300 << 20);
    parquet_of(&path, &[&huge, "roses"]);
    drop(huge);
    assert!(fs::metadata(&path).unwrap().len() < 100_000);
    let error = read(&path).unwrap_err().describe(false);
    assert!(error.contains("a page unpacks to more than 256 MiB"), "{error}");

    // A value above the limit of a line is a malformed line.
    parquet_of(&path, &["roses", &"x".repeat((16 << 20) + 1)]);
    let error = read(&path).unwrap_err();
    assert!(error.to_string().contains("longer than 16 MiB"), "{}", error.describe(false));
    assert_eq!(error.place().and_then(|place| place.line), Some(2));
    assert_eq!(error.place().and_then(|place| place.column.clone()).as_deref(), Some("query"));
}

/// A few bytes that unpack to many are refused on the way, whoever reads them.
#[test]
fn compressed_files_that_unpack_to_far_more() {
    let folder = tempfile::tempdir().unwrap();
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |bytes: &[u8]| zstd::stream::encode_all(bytes, 3).unwrap();
    let read = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        read_baskets(&Location::File(path), &ReadOptions::default(), &Silent)
    };
    let many = vec![b'\n'; 20 << 20];
    for (name, bytes) in [("bomb.dat.gz", gzip(&many)), ("bomb.dat.zst", zstd(&many))] {
        assert!(bytes.len() < 50_000);
        let error = read(name, &bytes).unwrap_err();
        let words = error.describe(false);
        assert!(error.is_data() && words.contains("at most 500 times") && words.contains("unpack it first"), "{words}");
        assert!(words.contains(&format!("{} compressed bytes", bytes.len())), "{words}");
    }
    // A little of it, and much of something that does not become so short, are files like any other.
    assert_eq!(read("few.dat.gz", &gzip(&many[..100_000])).unwrap().baskets.persons(), 100_000);
    let mut lines: Vec<u8> = (0..200_000u32).flat_map(|line| format!("{} ", line * 7919).into_bytes()).collect();
    lines.push(b'\n');
    let more = lines.repeat(12);
    assert!(more.len() > 17 << 20);
    assert_eq!(read("more.dat.gz", &gzip(&more)).unwrap().baskets.persons(), 12);
}

#[test]
fn kinds_of_whole_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.parquet");
    let kind = || kind_of(&Location::File(path.clone()), &Ask::default()).unwrap();
    log(&path);
    assert_eq!(kind(), "queries");
    baskets(&path, Form::Lists);
    assert_eq!(kind(), "baskets");
}

/// Lists in lists, as deep as a line is long.
#[test]
fn nested_without_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep.jsonl");
    let depth = 200_000;
    for (start, end) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", start.repeat(depth), end.repeat(depth));
        for line in [
            format!("{{\"user\":1,\"query\":\"x\",\"time\":1149116452,\"more\":{deep}}}\n"),
            format!("{{\"user\":1,\"query\":{deep},\"time\":1149116452}}\n"),
            format!("{{\"person\":1,\"items\":{deep}}}\n"),
            format!("{{\"id\":1,\"terms\":{deep}}}\n"),
            format!("{deep}\n"),
        ] {
            fs::write(&path, &line).unwrap();
            for (asked, outcome) in read_as_all(&path) {
                let words = outcome.err().map(|error| error.describe(false)).unwrap_or_default();
                assert!(!words.contains("internal"), "{asked}: {words}");
            }
        }
    }
}

/// Columns in columns in columns: no file makes the library go down until there is no stack left.
#[test]
fn deep_columns_of_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep.parquet");
    for (depth, is_refused) in [(3, false), (100, true), (200_000, true)] {
        // In Thrift's compact protocol: version 1, then a list of columns with their names and numbers of children.
        let count = depth as u32 + 2;
        let groups = b"\x35\x02\x18\x01g\x15\x02\x00".repeat(depth);
        let mut about = vec![0x15, 0x02, 0x19, 0xfc];
        about.extend([count & 0x7f | 0x80, count >> 7 & 0x7f | 0x80, count >> 14].map(|part| part as u8));
        about.extend(b"\x48\x01r\x15\x02\x00");
        about.extend(groups);
        about.extend(b"\x15\x02\x25\x02\x18\x01l\x00\x16\x00\x19\x0c\x00");
        let length = about.len() as u32;
        fs::write(&path, [&b"PAR1"[..], &about, &length.to_le_bytes(), b"PAR1"].concat()).unwrap();
        for (asked, outcome) in read_as_all(&path) {
            let words = outcome.unwrap_err().describe(false);
            assert_eq!(words.contains("nested deeper than 64 levels"), is_refused, "{asked}: {words}");
        }
    }
}
