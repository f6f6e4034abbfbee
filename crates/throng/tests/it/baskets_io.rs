//! Baskets in every format: what is written is read again, the kind is recognised, and bad lines are named.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use throng::io::{
    BadLines, BasketLayout, Form, Format, Location, Person, ReadBaskets, ReadOptions, read_baskets, write_baskets,
};
use throng::kinds::{Ask, kind_of};
use throng_core::Result;
use throng_core::data::baskets::Grouping;
use throng_core::data::{Baskets, BasketsBuilder, Dataset as _};
use throng_core::progress::Silent;

/// Persons with their items, sorted.
type Plain = Vec<(String, Vec<String>)>;

fn plain(baskets: &Baskets) -> Plain {
    let items = |person: usize| {
        let mut items: Vec<String> =
            baskets.basket(person).iter().map(|&item| baskets.label(item).to_owned()).collect();
        items.sort();
        items
    };
    (0..baskets.persons()).map(|person| (baskets.names().get(person as u32).to_owned(), items(person))).collect()
}

fn baskets(rows: &[Vec<String>], has_ids: bool) -> Baskets {
    let mut builder = BasketsBuilder::new(None, has_ids);
    for (at, row) in rows.iter().enumerate() {
        let name = if has_ids { format!("p,\"{at}") } else { (at + 1).to_string() };
        let person = builder.person(&name);
        for item in row {
            let item = builder.label(item);
            builder.push(person, item);
        }
    }
    builder.finish()
}

fn write(baskets: &Baskets, path: &Path, format: &str, layout: &BasketLayout) -> Result<u64> {
    let person = |person: u32| Person { name: baskets.names().get(person), person };
    let persons: Vec<Person<'_>> = (0..baskets.persons() as u32).map(person).collect();
    write_baskets(
        &mut fs::File::create(path).unwrap(),
        Format::parse(format).unwrap(),
        layout,
        baskets,
        &persons,
        &Silent,
    )
}

fn read(path: &Path, options: &ReadOptions) -> Result<ReadBaskets> {
    read_baskets(&Location::File(path.to_owned()), options, &Silent)
}

fn kind(path: &Path) -> &'static str {
    kind_of(&Location::File(path.to_owned()), &Ask::default()).unwrap()
}

/// A file of its own.
fn file(name: &str, text: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    (folder, path)
}

fn rows_of(name: &str, text: &str) -> Plain {
    let (_folder, path) = file(name, text);
    assert_eq!(kind(&path), "baskets", "{name}: {text}");
    plain(&read(&path, &ReadOptions::default()).map_err(|error| error.describe(true)).unwrap().baskets)
}

fn persons(rows: &[(&str, &[&str])]) -> Plain {
    rows.iter()
        .map(|(name, items)| ((*name).to_owned(), items.iter().map(|item| (*item).to_owned()).collect()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn what_is_written_is_read_again(
        rows in prop::collection::vec(prop::collection::vec("[a-c1-3\"', #@{-]{1,3}|-1|ä b", 0..5), 1..8),
        has_ids in any::<bool>(),
    ) {
        let trimmed = |item: &String| Some(item.trim().to_owned()).filter(|item| !item.is_empty());
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().filter_map(trimmed).collect()).collect();
        let original = baskets(&rows, has_ids);
        let folder = tempfile::tempdir().unwrap();
        for format in ["fimi", "fimi.gz", "csv", "csv.zst", "tsv", "jsonl", "jsonl.gz", "parquet"] {
            for form in [Form::Lines, Form::Long, Form::Lists] {
                let kind = Format::parse(format).unwrap().kind;
                let Ok(layout) = BasketLayout::new(form, has_ids).fitted(kind) else { continue };
                let path = folder.path().join(format!("data.{format}"));
                match write(&original, &path, format, &layout) {
                    Ok(items) => prop_assert_eq!(items, original.rows() as u64),
                    Err(error) => {
                        // Only blanks, marks and comments, which lines of words cannot hold.
                        prop_assert!(format.starts_with("fimi"), "{}", error);
                        continue;
                    }
                }
                let mut options = ReadOptions { format: Some(Format::parse(format).unwrap()), ..ReadOptions::default() };
                for (role, name) in layout.columns() {
                    options.choose_column(&format!("{role}={name}")).unwrap();
                }
                let again = read(&path, &options).unwrap();
                prop_assert_eq!(again.layout.form, layout.form);
                prop_assert_eq!(again.baskets.has_ids(), layout.person.is_some());
                let expected = if layout.person.is_some() { plain(&original) } else {
                    let named = |(at, (_, items)): (usize, (String, Vec<String>))| ((at + 1).to_string(), items);
                    plain(&original).into_iter().enumerate().map(named).collect()
                };
                prop_assert_eq!(plain(&again.baskets), expected, "{} {:?}", format, form);
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(pieces in prop::collection::vec(prop::sample::select(vec![
        "a", "b c", ",", "\n", "\r\n", "\"", "\t", "-1", "-2", "#", "{\"items\":[\"a\",1]}\n", "{\"group\":1,", "person,item\n",
        "{\"group\":1,\"items\":[]}\n", "{\"group\":1,\"sensitive\":{\"x\":2}}\n", "[", "]", "}", "\u{feff}", "é", "\0", " ",
    ]), 0..20), broken in any::<bool>()) {
        let mut bytes = pieces.concat().into_bytes();
        if broken { bytes.push(0xff); }
        let (_folder, path) = file("file", &bytes);
        let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
        for format in [None, Some("fimi"), Some("csv"), Some("tsv"), Some("jsonl"), Some("parquet")] {
            for bad_lines in [BadLines::Fail, BadLines::Skip] {
                let format = format.map(|name| Format::parse(name).unwrap());
                let options = ReadOptions { format, bad_lines, ..ReadOptions::default() };
                match read(&path, &options) {
                    Ok(read) => {
                        prop_assert_eq!(read.first_lines.len(), read.baskets.persons());
                        prop_assert!(read.first_lines.iter().all(|line| (1..=lines).contains(line)));
                        prop_assert!(bad_lines == BadLines::Skip || read.refused == 0);
                    }
                    Err(error) => {
                        prop_assert!(!error.describe(true).contains("internal"), "{}", error.describe(true));
                        let line = error.place().and_then(|place| place.line).unwrap_or(1);
                        prop_assert!((1..=lines).contains(&line), "line {} of {}", line, lines);
                    }
                }
            }
        }
    }
}

#[test]
fn lines_of_words() {
    let expected = persons(&[("1", &["1", "2", "7"]), ("2", &[]), ("4", &["2", "2"])]);
    for name in ["x.dat", "x.fimi", "x.basket", "x.txt", "x"] {
        assert_eq!(rows_of(name, "1 2  7 \r\n\n# no basket\n2 2"), expected, "{name}");
    }
    let spmf = "@CONVERTED_FROM_TEXT\n@ITEM=1=milk\n1 -1 2 -1 -2\n3 -1 -2\n";
    assert_eq!(rows_of("spmf.dat", spmf), persons(&[("3", &["1", "2"]), ("4", &["3"])]));
    let (_folder, path) = file("x.dat", "# nothing\n");
    assert_eq!(read(&path, &ReadOptions::default()).unwrap_err().to_string(), "the file has no rows");
}

#[test]
fn lines_of_cells() {
    let text = "citrus fruit, semi-finished bread ,,\n\n\"a,\n\"\"b\"\"\",c\r\nmilk\n";
    let cells =
        [("1", &["citrus fruit", "semi-finished bread"][..]), ("2", &[]), ("3", &["a,\n\"b\"", "c"]), ("5", &["milk"])];
    assert_eq!(rows_of("groceries.csv", text), persons(&cells));
    assert_eq!(rows_of("groceries", "bread,milk\nmilk\n"), persons(&[("1", &["bread", "milk"]), ("2", &["milk"])]));
    // Bad text in a line names it.
    let (_folder, path) = file("x.csv", b"a,b\n\n\"x\ny\",\xff\nc\n");
    let error = read(&path, &ReadOptions::default()).unwrap_err();
    assert_eq!(error.place().and_then(|place| place.line), Some(3));
    let skip = ReadOptions { bad_lines: BadLines::Skip, ..ReadOptions::default() };
    let skipped = read(&path, &skip).unwrap();
    assert_eq!((plain(&skipped.baskets).len(), skipped.refused, skipped.first_lines), (3, 1, vec![1, 2, 5]));
}

#[test]
fn rows_with_person_and_item() {
    let expected = persons(&[("ann", &["milk", "tea"]), ("bob", &[]), ("cid", &["milk"])]);
    let text = "city,Item,user_id\nx,tea,ann\ny,,bob\nz, milk ,ann\nz,milk,cid\n";
    assert_eq!(rows_of("long.csv", text), expected);
    assert_eq!(rows_of("long.tsv", &text.replace(',', "\t")), expected);
    assert_eq!(rows_of("long.txt", &text.replace(',', "\t")), expected);
    let (_folder, path) = file("long.csv", "who,what,city\nann,tea,x\n");
    let mut options = ReadOptions::default();
    options.choose_column("user=who").unwrap();
    options.choose_column("item=what").unwrap();
    let read_again = read(&path, &options).unwrap();
    assert_eq!(plain(&read_again.baskets), persons(&[("ann", &["tea"])]));
    assert_eq!(read_again.layout.unmapped, ["city"]);
    for (columns, problem) in [
        (&["person=who", "item=nothing"][..], "there is no column `nothing`, which `--column item` names"),
        (&["person=who", "item=who"], "`column` gives the column `who` two roles"),
        (&["query=who", "item=what"], "`column` names the query, which baskets do not have"),
        (&["item=what"], "cannot tell which column is the person"),
    ] {
        let mut options = ReadOptions::default();
        columns.iter().for_each(|text| options.choose_column(text).unwrap());
        assert_eq!(read(&path, &options).unwrap_err().to_string(), problem);
    }
    // Lines with too few or too many columns, and without an id.
    for line in ["a", "a,b,c,d", ",tea,x"] {
        let (_folder, path) = file("long.csv", format!("person,item,city\nann,tea,x\n{line}\n"));
        assert_eq!(read(&path, &ReadOptions::default()).unwrap_err().place().unwrap().line, Some(3), "{line}");
    }
}

#[test]
fn objects_with_lists_and_groups() {
    let text = "{\"person\":7,\"items\":[\"tea\",5,null]}\n\n{\"items\":[],\"person\":\"x\"}\n{\"person\":7,\"items\":[\"tea\"]}\n";
    assert_eq!(rows_of("x.jsonl", text), persons(&[("7", &["5", "tea", "tea"]), ("x", &[])]));
    assert_eq!(rows_of("x", "{\"basket\":[1,2]}\n{\"basket\":null}\n"), persons(&[("1", &["1", "2"]), ("2", &[])]));
    let groups =
        "{\"group\":4,\"sensitive\":{\"flu\":2}}\n{\"group\":4,\"items\":[\"a\"]}\n{\"group\":\"x\",\"items\":[]}\n";
    let (_folder, path) = file("cahd.jsonl", groups);
    assert_eq!(kind(&path), "baskets");
    let read_groups = read(&path, &ReadOptions::default()).unwrap();
    let baskets = &read_groups.baskets;
    let flu = baskets.sensitive()[0];
    assert_eq!(baskets.label(flu), "flu");
    assert_eq!(
        baskets.grouping().unwrap(),
        &Grouping { group_of: vec![0, 1], sensitive: vec![vec![(flu, 2)], vec![]] }
    );
    // Written and read again, groups are numbered by their first persons.
    let again = path.with_file_name("again.jsonl");
    write(baskets, &again, "jsonl", &read_groups.layout).unwrap();
    let expected = "{\"group\":1,\"items\":[\"a\"]}\n{\"group\":2,\"items\":[]}\n{\"group\":1,\"sensitive\":{\"flu\":2}}\n{\"group\":2,\"sensitive\":{}}\n";
    assert_eq!(fs::read_to_string(&again).unwrap(), expected);
    for (line, text) in [
        (2, "{\"person\":1,\"items\":[]}\n{\"person\":2}\n"),
        (1, "{\"person\":1,\"items\":{}}\n"),
        (2, "{\"person\":1,\"items\":[]}\n{\"items\":[]}\n"),
        (1, "{\"person\":1,\"items\":[[1]]}\n"),
    ] {
        let (_folder, path) = file("x.jsonl", text);
        assert_eq!(read(&path, &ReadOptions::default()).unwrap_err().place().unwrap().line, Some(line), "{text}");
    }
    let (_folder, path) = file("x.jsonl", "{\"group\":1,\"items\":[]}\n{\"items\":[]}\n");
    assert!(read(&path, &ReadOptions::default()).unwrap_err().to_string().contains("two groups, or in none"));
}

#[test]
fn query_logs_stay_query_logs() {
    for (name, text) in [
        ("log.tsv", "AnonID\tQuery\tQueryTime\n1\ta\t2006-03-01 10:00:00\n"),
        ("log.txt", "1\troses\t2006-03-01 10:00:00\n"),
        ("log.csv", "user,query,time,item\n1,a,2006-03-01,x\n"),
        ("log.csv", "who,what,when\n1,a,2006-03-01 10:00:00\n"),
        ("log.csv", "user,query\n1,a\n"),
        ("log.jsonl", "{\"user\":1,\"query\":\"a\",\"time\":5,\"items\":[]}\n"),
        ("log", "1,roses,2006-03-01 10:00:00\n"),
    ] {
        let (_folder, path) = file(name, text);
        assert_eq!(kind(&path), "queries", "{name}: {text}");
    }
}

#[test]
fn numbers_stay_numbers_where_they_were() {
    let (_folder, path) = file("x.jsonl", "{\"items\":[3,\"x\"],\"id\":12}\n");
    let found = read(&path, &ReadOptions::default()).unwrap();
    let again = path.with_file_name("again.jsonl");
    write(&found.baskets, &again, "jsonl", &found.layout).unwrap();
    assert_eq!(fs::read_to_string(&again).unwrap(), "{\"items\":[3,\"x\"],\"id\":12}\n");
}

/// A name that nobody has would be read by people and compared by nobody.
#[test]
fn sensitive_items_that_nobody_has_are_malformed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("groups.jsonl");
    let text = |count: &str| {
        format!(
            "{{\"items\":[\"bread\"],\"group\":1}}\n{{\"items\":[\"milk\"],\"group\":1}}\n{{\"group\":1,\"sensitive\":{{\"flu\":1{count}}}}}\n"
        )
    };
    fs::write(&path, text(",\"cold\":1")).unwrap();
    assert!(read(&path, &ReadOptions::default()).is_ok());
    for count in [",\"Anna has HIV\":0", ",\" \":1", ",\"cold\":-1", ",\"cold\":0.0"] {
        fs::write(&path, text(count)).unwrap();
        let error = read(&path, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.place().and_then(|place| place.line), Some(3), "{count}");
        let skip = ReadOptions { bad_lines: BadLines::Skip, ..ReadOptions::default() };
        assert_eq!(read(&path, &skip).unwrap().refused, 1, "{count}");
    }
}
