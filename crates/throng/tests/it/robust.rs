//! Whatever the bytes are, reading ends with a log or with an error that names a line of the file, never with a panic;
//! and the reader and the checker see the same rows.

use std::fs;

use proptest::prelude::*;
use throng::io::{BadLines, Format, Layout, Location, LogWriter, Person, ReadOptions, read_digests, read_log};
use throng_core::Rng;
use throng_core::data::QueryLogBuilder;
use throng_core::progress::Silent;

/// Pieces that files are made of, put together at random.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "\t", ",", "\n", "\n", "\r\n", "\"", "\"\"", " ", "{", "}", ":", "[", "null", "\\", "\u{feff}", "\0",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        2 => prop::sample::select(vec![
            "user,query,time\n", "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", "ann\troses\t2006-03-01 10:00:00\n",
            "ann,roses,1149116452\n", "bob,\"two\nlines\",1149116452\n", "bob\tx\t1149116452000\t3\thttp://x.org\n",
            "{\"user\":\"ann\",\"query\":\"x\",\"time\":\"2006-03-01T10:00:00Z\"}\n",
            "{\"user\":7,\"query\":\"\\u00e4\\\"\",\"time\":1149116452,\"rank\":2,\"url\":null,\"more\":[1]}\n",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::sample::select(vec!["-1", "99999999999999999999", "2006-02-30", "4294967295", "1e5", "ä", "x"])
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn check(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, bytes).unwrap();
    let location = Location::File(path);
    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    for format in [None, Some("tsv"), Some("csv"), Some("jsonl"), Some("parquet")] {
        for bad_lines in [BadLines::Fail, BadLines::Skip] {
            let format = format.map(|name| Format::parse(name).unwrap());
            let options = ReadOptions { format, bad_lines, ..ReadOptions::default() };
            let read = read_log(&location, &options, &Silent);
            let checked = read_digests(&location, &options, &mut Rng::seeded(1), &Silent);
            match (read, checked) {
                (Ok(read), Ok(checked)) => {
                    assert_eq!(read.log.rows() as u64, checked.digests.rows());
                    assert_eq!(read.log.names(), checked.digests.names());
                    assert_eq!(read.scanned.refused, checked.scanned.refused);
                    assert!(bad_lines == BadLines::Skip || read.scanned.refused == 0);
                    let tallies = checked.digests.tallies();
                    assert!(tallies.iter().all(|tally| (1..=lines).contains(&tally.first_line)), "{format:?}");
                    for (person, tally) in tallies.iter().enumerate() {
                        assert_eq!(read.log.range(person).len() as u64, tally.rows);
                    }
                }
                (Err(read), Err(checked)) => {
                    assert_eq!(read.describe(true), checked.describe(true));
                    assert!(!read.describe(true).contains("internal"), "{}", read.describe(true));
                    let line = read.place().and_then(|place| place.line).unwrap_or(1);
                    assert!((1..=lines).contains(&line), "line {line} of {lines}, {format:?}");
                }
                (read, checked) => panic!("{:?}, but {:?}", read.map(drop), checked.map(drop)),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes(bytes in bytes()) {
        check(&bytes);
    }
}

/// A small Parquet file in which every byte is damaged in turn, its description of itself included. The library that reads
/// it panics on some of these (fuzzing found the first: an integer of no bits).
#[test]
fn damaged_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.parquet");
    let mut file = fs::File::create(&path).unwrap();
    let layout = Layout { typed_time: true, ..Layout::aol() };
    let mut writer = LogWriter::new(&mut file, Format::parse("parquet").unwrap(), &layout).unwrap();
    let mut log = QueryLogBuilder::new();
    for person in ["ann", "bob"] {
        log.push(person, "roses", 1_149_116_452_000, Some(1), Some("http://x.org"));
    }
    let persons = [Person { name: "ann", person: 0 }, Person { name: "bob", person: 1 }];
    writer.append(&log.finish(), &persons, &Silent).unwrap();
    writer.finish().unwrap();
    let whole = fs::read(&path).unwrap();
    let location = Location::File(path.clone());
    let options = ReadOptions { format: Some(Format::parse("parquet").unwrap()), ..ReadOptions::default() };
    let (mut read, mut refused) = (0, 0);
    for at in 0..whole.len() {
        for byte in [0, b'A', whole[at] ^ 1] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            fs::write(&path, &bytes).unwrap();
            match read_log(&location, &options, &Silent) {
                Ok(_) => read += 1,
                Err(error) => {
                    refused += 1;
                    assert!(error.is_data(), "byte {at}: {}", error.describe(true));
                }
            }
        }
    }
    assert!(read > 0 && refused > 0);
}

/// The line of an error does not depend on how the file is cut into blocks: here the bad line is beyond the first of them.
#[test]
fn errors_far_into_a_file_name_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let lines = 200_000u64;
    for (name, header, good, bad) in [
        ("log.tsv", "AnonID\tQuery\tQueryTime\n", "ann\tgarden roses\t2006-03-01 10:00:00\n", "ann\tx\tnever\n"),
        ("log.csv", "user,query,time\r\n", "ann,garden roses,2006-03-01 10:00:00\r\n", "ann,x,never\r\n"),
        ("log.jsonl", "", "{\"user\":1,\"query\":\"garden roses\",\"time\":1149116452}\n", "{\"user\":1}\n"),
    ] {
        let path = folder.path().join(name);
        let text = format!("{header}{}{bad}{good}", good.repeat(lines as usize));
        fs::write(&path, text).unwrap();
        let location = Location::File(path);
        let expected = lines + 1 + u64::from(!header.is_empty());
        let error = read_log(&location, &ReadOptions::default(), &Silent).unwrap_err();
        assert_eq!(error.place().and_then(|place| place.line), Some(expected), "{name}");
        let options = ReadOptions { bad_lines: BadLines::Skip, ..ReadOptions::default() };
        let read = read_log(&location, &options, &Silent).unwrap();
        assert_eq!((read.log.rows() as u64, read.scanned.refused), (lines + 1, 1), "{name}");
    }
}
