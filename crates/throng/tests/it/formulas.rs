//! Cells of CSV that a spreadsheet would compute: marked when written, and the same data with and without the mark.

use std::fs;
use std::path::Path;

use throng::io::{
    BasketLayout, Form, Format, Layout, Location, Person, ReadOptions, read_baskets, read_digests, read_documents,
    read_log, write_baskets, write_documents, write_persons,
};
use throng_core::data::{BasketsBuilder, DocumentsBuilder, QueryLogBuilder};
use throng_core::progress::Silent;
use throng_core::{Error, Rng};

const VALUES: [&str; 6] = ["=HYPERLINK(\"x\")", "@a", "-73.97", "+49 30", "'=x", "roses"];
const PERSONS: [Person<'static>; 1] = [Person { name: "=1", person: 0 }];

fn location(path: &Path) -> Location {
    Location::File(path.to_owned())
}

#[test]
fn logs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    let mut log = QueryLogBuilder::new();
    VALUES.iter().for_each(|value| log.push("ann", value, 1_149_116_452_000, None, Some(value)));
    let log = log.finish();
    let format = Format::parse("csv").unwrap();
    let written = |raw_cells: bool| {
        let layout = Layout { raw_cells, ..Layout::aol() };
        write_persons(&mut fs::File::create(&path).unwrap(), format, &layout, &log, &PERSONS, &Silent).unwrap();
        let read = read_log(&location(&path), &ReadOptions::default(), &Silent).unwrap().log;
        assert_eq!(read.queries(), log.queries());
        assert_eq!(read.urls(), log.urls());
        assert_eq!(read.names().get(0), "=1");
        let checked = read_digests(&location(&path), &ReadOptions::default(), &mut Rng::seeded(1), &Silent).unwrap();
        (fs::read_to_string(&path).unwrap(), checked.digests.tallies()[0].first_line, checked.digests)
    };
    let (marked, _, digests) = written(false);
    let lines: Vec<&str> = marked.lines().collect();
    assert!(lines[1].starts_with("'=1,\"'=HYPERLINK(\"\"x\"\")\","), "{}", lines[1]);
    assert!(lines[2].starts_with("'=1,'@a,") && lines[3].starts_with("'=1,-73.97,"), "{marked}");
    let (raw, _, raw_digests) = written(true);
    assert!(raw.lines().nth(2).unwrap().starts_with("=1,@a,"), "{raw}");
    // The checker sees the same rows.
    assert_eq!(format!("{:?}", digests.tallies()), format!("{:?}", raw_digests.tallies()));
}

#[test]
fn baskets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("baskets.csv");
    let mut builder = BasketsBuilder::new(None, true);
    let person = builder.person("ann");
    for value in VALUES {
        let item = builder.label(value);
        builder.push(person, item);
    }
    let baskets = builder.finish();
    let options = ReadOptions::default();
    for form in [Form::Lines, Form::Long] {
        for raw_cells in [false, true] {
            let layout = BasketLayout { raw_cells, ..BasketLayout::new(form, form == Form::Long) };
            let format = Format::parse("csv").unwrap();
            let mut file = fs::File::create(&path).unwrap();
            write_baskets(&mut file, format, &layout, &baskets, &PERSONS, &Silent).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap().contains("'@a"), !raw_cells);
            let read = read_baskets(&location(&path), &options, &Silent).unwrap().baskets;
            let mut labels: Vec<&str> = read.basket(0).iter().map(|&item| read.label(item)).collect();
            labels.sort_unstable();
            let mut expected = VALUES;
            expected.sort_unstable();
            assert_eq!(labels, expected, "{form:?}");
        }
    }
}

#[test]
fn documents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.csv");
    let mut documents = DocumentsBuilder::new(None);
    documents.push_vector("ann", [("=1+1", 1.0)], None);
    let documents = documents.finish();
    for (raw_cells, text) in [(false, "id,term,weight\n'=1,'=1+1,1\n"), (true, "id,term,weight\n=1,=1+1,1\n")] {
        let format = Format::parse("csv").unwrap();
        let mut file = fs::File::create(&path).unwrap();
        write_documents(&mut file, format, raw_cells, &documents, &PERSONS, &Silent).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let taxonomy = || Err(Error::refused("texts need a taxonomy"));
        let read = read_documents(&location(&path), &ReadOptions::default(), taxonomy, &Silent).unwrap().documents;
        assert_eq!((read.names().get(0), read.terms().get(0)), ("=1", "=1+1"));
    }
}
