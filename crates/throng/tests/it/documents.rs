//! Documents from folders and files: what is read, what is refused, and what a release of them gives away.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;
use throng::io::{
    self, BadLines, Format, Location, Person, ReadDocuments, ReadOptions, read_documents, write_documents,
};
use throng::kinds::{Ask, kind_of};
use throng::run::{self, CheckRequest, InspectRequest, MeasureRequest, ProtectOutcome, ProtectRequest, SynthRequest};
use throng::taxonomy;
use throng_core::accounts::{ITEMS_UNKNOWN, OCCURRENCES_UNKNOWN, PERSONS_DROPPED, PERSONS_WITHOUT_CONCEPT};
use throng_core::data::{Documents, DocumentsBuilder};
use throng_core::progress::Silent;
use throng_core::taxonomy::fit::Unknown;
use throng_core::{Error, Result};

/// A number that stands nowhere by chance.
const SEED: u64 = 918_273_645_546_372_819;

/// A small PDF with one page that shows the operators given.
fn pdf(operators: &str) -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{operators}\nendstream", operators.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (at, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", file.len());
        file.extend_from_slice(format!("{} 0 obj\n{object}\nendobj\n", at + 1).as_bytes());
    }
    let trailer = format!("trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n", file.len());
    file.extend_from_slice(table.as_bytes());
    file.extend_from_slice(trailer.as_bytes());
    file
}

fn pdf_of(text: &str) -> Vec<u8> {
    pdf(&format!("BT /F 12 Tf 50 700 Td ({text}) Tj ET"))
}

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

/// A file, or a folder of documents.
fn place(path: &Path) -> Location {
    if path.is_dir() { Location::Folder(path.to_owned()) } else { Location::File(path.to_owned()) }
}

fn read(path: &Path, options: &ReadOptions) -> Result<ReadDocuments> {
    read_documents(&place(path), options, taxonomy::wordnet, &Silent)
}

fn read_plain(path: &Path) -> ReadDocuments {
    read(path, &ReadOptions::default()).map_err(|error| error.describe(true)).unwrap()
}

/// Every document: id, label, terms with weights.
type Plain = Vec<(String, Option<String>, Vec<(String, f64)>)>;

fn plain(documents: &Documents) -> Plain {
    let vector = |at: usize| {
        documents.vector(at).iter().map(|&(term, weight)| (documents.terms().get(term).to_owned(), weight)).collect()
    };
    let label = |at: usize| documents.class(at).map(|class| documents.classes().get(class).to_owned());
    (0..documents.persons()).map(|at| (documents.names().get(at as u32).to_owned(), label(at), vector(at))).collect()
}

fn document(id: &str, label: Option<&str>, terms: &[(&str, f64)]) -> (String, Option<String>, Vec<(String, f64)>) {
    let terms = terms.iter().map(|&(term, weight)| (term.to_owned(), weight)).collect();
    (id.to_owned(), label.map(str::to_owned), terms)
}

fn kind(path: &Path) -> Result<&'static str> {
    kind_of(&place(path), &Ask::default())
}

fn request(file: &Path, out: PathBuf, parameters: &[(&str, &str)]) -> ProtectRequest {
    ProtectRequest {
        file: file.into(),
        out,
        parameters: parameters.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
        seed: Some(SEED),
        ..ProtectRequest::default()
    }
}

fn protect(file: &Path, out: PathBuf, parameters: &[(&str, &str)]) -> Result<ProtectOutcome> {
    run::protect(&request(file, out, parameters), &Silent)
}

/// Made-up documents as a file of JSON lines.
fn made(folder: &Path, persons: usize) -> PathBuf {
    let path = folder.join("made.jsonl");
    synth(persons, &path, None).unwrap();
    path
}

fn synth(persons: usize, out: &Path, format: Option<&str>) -> Result<()> {
    let request = SynthRequest {
        kind: "documents".to_owned(),
        persons,
        seed: 4,
        out: out.to_owned(),
        format: format.map(|format| Format::parse(format).unwrap()),
        ..SynthRequest::default()
    };
    run::synth(&request, &mut std::io::sink(), &Silent).map(drop)
}

#[test]
fn a_folder_of_every_ending() {
    let folder = folder(&[
        ("b.txt", b"The cats and the dog. Cats! xyzzyx"),
        ("animals/c.MD", b"# A [horse](http://dog.example)\n```\ncat\n```\n"),
        ("animals/deep/d.html", b"<p>A <b>li</b>on<script>cat</script>"),
        ("plants/e.pdf", &pdf_of("The oak and the elm")),
        ("plants/f.txt", b""),
        ("plants/g.txt", b"caf\xe9 tree"),
        (".hidden.txt", b"cat"),
        (".git/x.txt", b"cat"),
        ("picture.png", b"cat"),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("link.txt")).unwrap();
    let found = read_plain(folder.path());
    assert_eq!(
        plain(&found.documents),
        [
            document("animals/c.MD", Some("animals"), &[("horse", 1.0)]),
            document("animals/deep/d.html", Some("animals"), &[("lion", 1.0)]),
            document("b.txt", None, &[("cat", 2.0 / 3.0), ("dog", 1.0 / 3.0)]),
            document("plants/e.pdf", Some("plants"), &[("elm", 0.5), ("oak", 0.5)]),
            document("plants/f.txt", Some("plants"), &[]),
            document("plants/g.txt", Some("plants"), &[("tree", 1.0)]),
        ]
    );
    // Two are hidden, one is a picture, one a link.
    assert_eq!((found.left_out, found.refused, found.without_terms()), (if cfg!(unix) { 4 } else { 3 }, 0, 1));
    assert_eq!((found.documents.words_unknown(), found.documents.occurrences_unknown()), (2, 2));
    assert_eq!(kind(folder.path()).unwrap(), "documents");
    let other = Ask { kind: Some("queries".to_owned()), ..Ask::default() };
    let error = kind_of(&Location::Folder(folder.path().to_owned()), &other).unwrap_err();
    assert_eq!(error.to_string(), "this is a folder, not a file");
}

#[test]
fn texts_in_lines() {
    let expected = [
        document("a", Some("x"), &[("cat", 2.0 / 3.0), ("dog", 1.0 / 3.0)]),
        document("7", None, &[]),
        document("c", Some("y"), &[("horse", 1.0)]),
    ];
    for (name, text) in [
        (
            "x.jsonl",
            "{\"id\":\"a\",\"text\":\"Cats, a cat\\nand a dog\",\"label\":\"x\"}\n\n{\"text\":\"\",\"id\":7}\n\
             {\"id\":\"c\",\"text\":\"horses\",\"label\":\"y\",\"more\":[1]}\n",
        ),
        ("x.csv", "label,id,text\nx,a,\"Cats, a cat\nand a dog\"\n,7,\ny,c,horses\n"),
        ("x.tsv", "doc_id\tbody\tclass\na\tCats, a cat and a dog\tx\n7\t\t\nc\thorses\ty\n"),
    ] {
        let folder = folder(&[(name, text.as_bytes())]);
        let path = folder.path().join(name);
        assert_eq!(kind(&path).unwrap(), "documents", "{name}");
        let found = read_plain(&path);
        assert_eq!(plain(&found.documents), expected, "{name}");
        assert_eq!(found.unmapped, if name == "x.jsonl" { vec!["other keys"] } else { vec![] });
    }
    let text = "{\"who\":1,\"what\":\"cat\",\"topic\":2}\n{\"who\":2,\"what\":\"dog\"}\n";
    let folder = folder(&[("x.jsonl", text.as_bytes())]);
    let path = folder.path().join("x.jsonl");
    let mut options = ReadOptions::default();
    ["id=who", "text=what"].iter().for_each(|column| options.choose_column(column).unwrap());
    let found = read(&path, &options).unwrap();
    let (one, two) = (document("1", Some("2"), &[("cat", 1.0)]), document("2", None, &[("dog", 1.0)]));
    assert_eq!(plain(&found.documents), [one, two]);
    assert_eq!(found.first_lines, [1, 2]);
    // Without ids, a document is its line.
    let text = "{\"text\":\"cat\"}\n\n{\"text\":\"dog\"}\n";
    fs::write(&path, text).unwrap();
    assert_eq!(plain(&read_plain(&path).documents)[1].0, "3");
}

#[test]
fn the_kind_is_recognised() {
    for (name, text, expected) in [
        ("a.jsonl", "{\"id\":1,\"terms\":{\"cat\":0.5}}\n", "documents"),
        ("a.csv", "id,term,weight\n1,cat,0.5\n", "documents"),
        ("a.csv", "weight,term,doc_id\n0.5,cat,1\n", "documents"),
        ("a.jsonl", "{\"id\":1,\"text\":\"a\",\"date\":\"2020-01-01\"}\n", "documents"),
        ("a.jsonl", "{\"user\":1,\"query\":\"a\",\"time\":5,\"text\":\"b\"}\n", "queries"),
        ("a.jsonl", "{\"user\":1,\"query\":\"a\",\"text\":\"b\"}\n", "queries"),
        ("a.jsonl", "{\"id\":1,\"terms\":[\"a\"]}\n", "queries"),
        ("a.csv", "id,item\n1,a\n", "baskets"),
        ("a.csv", "milk,bread\nbread\n", "baskets"),
        ("a.tsv", "a\tb\n1\t2\n", "table"),
    ] {
        let folder = folder(&[(name, text.as_bytes())]);
        assert_eq!(kind(&folder.path().join(name)).unwrap(), expected, "{text}");
    }
    // What two kinds could be, and what none is, is not guessed.
    for (name, text, words) in [
        ("a.jsonl", "{\"id\":1,\"items\":[\"a\"],\"text\":\"b\"}\n", "the file could be baskets or documents"),
        ("a.jsonl", "{\"a\":1,\"b\":2}\n", "cannot tell what kind of data this is"),
        ("a.csv", "30,40\n40,30\n", "the file could be baskets, one a line, or a table with a row for each person"),
    ] {
        let folder = folder(&[(name, text.as_bytes())]);
        assert_eq!(kind(&folder.path().join(name)).unwrap_err().to_string(), words, "{text}");
    }
}

fn builder(rows: &[Vec<(String, f64)>]) -> Documents {
    let mut builder = DocumentsBuilder::new(None);
    for (at, row) in rows.iter().enumerate() {
        let mut row = row.clone();
        row.sort_by(|left, right| left.0.cmp(&right.0));
        row.dedup_by(|next, first| next.0 == first.0);
        builder.push_vector(&format!("d,\"{at}"), row.iter().map(|(term, weight)| (term.as_str(), *weight)), None);
    }
    builder.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn vectors_are_read_as_they_were_written(
        rows in prop::collection::vec(prop::collection::vec(("[a-c\"', é{]{1,3}", 1e-9f64..2.0), 0..6), 1..8),
    ) {
        let original = builder(&rows);
        let folder = tempfile::tempdir().unwrap();
        for format in ["jsonl", "csv", "parquet", "jsonl.gz", "csv.zst"] {
            let path = folder.path().join(format!("data.{format}"));
            let persons: Vec<Person<'_>> =
                (0..original.persons() as u32).map(|person| Person { name: original.names().get(person), person }).collect();
            let mut file = fs::File::create(&path).unwrap();
            let rows = write_documents(&mut file, Format::parse(format).unwrap(), false, &original, &persons, &Silent).unwrap();
            prop_assert_eq!(rows, original.rows() as u64);
            prop_assert_eq!(kind(&path).unwrap(), "documents");
            let no_taxonomy = || Err(Error::internal("vectors need none"));
            let found = read_documents(&Location::File(path), &ReadOptions::default(), no_taxonomy, &Silent).unwrap();
            prop_assert_eq!(plain(&found.documents), plain(&original), "{}", format);
        }
    }
}

/// A Parquet file with columns of texts.
fn parquet_of(path: &Path, columns: &[(&str, &[Option<&str>])]) {
    let array = |values: &[Option<&str>]| Arc::new(values.iter().copied().collect::<StringArray>()) as ArrayRef;
    let batch = RecordBatch::try_from_iter(columns.iter().map(|&(name, values)| (name, array(values)))).unwrap();
    let mut writer = ArrowWriter::try_new(fs::File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The same documents are the same whatever the format: texts, and rows of terms.
#[test]
fn every_format_has_the_same_documents() {
    let folder = folder(&[
        ("texts.csv", b"id,body,topic\na,The cat and a dog.,animals\nb,,plants\n"),
        ("texts.tsv", b"id\tbody\ttopic\na\tThe cat and a dog.\tanimals\nb\t\tplants\n"),
        ("texts.jsonl", b"{\"id\":\"a\",\"body\":\"The cat and a dog.\",\"topic\":\"animals\"}\n{\"id\":\"b\",\"body\":\"\",\"topic\":\"plants\"}\n"),
        ("terms.csv", b"id,term,weight\na,cat,0.5\na,dog,2\nb,,\n"),
        ("terms.jsonl", b"{\"id\":\"a\",\"term\":\"cat\",\"weight\":0.5}\n{\"id\":\"a\",\"term\":\"dog\",\"weight\":2}\n{\"id\":\"b\",\"term\":null,\"weight\":null}\n"),
        ("objects.jsonl", b"{\"id\":\"a\",\"terms\":{\"cat\":0.5,\"dog\":2}}\n{\"id\":\"b\",\"terms\":{}}\n"),
    ]);
    let path = |name: &str| folder.path().join(name);
    parquet_of(
        &path("texts.parquet"),
        &[
            ("id", &[Some("a"), Some("b")]),
            ("body", &[Some("The cat and a dog."), Some("")]),
            ("topic", &[Some("animals"), Some("plants")]),
        ],
    );
    parquet_of(
        &path("terms.parquet"),
        &[
            ("id", &[Some("a"), Some("a"), Some("b")]),
            ("term", &[Some("cat"), Some("dog"), None]),
            ("weight", &[Some("0.5"), Some("2"), None]),
        ],
    );
    for files in [
        &["texts.csv", "texts.tsv", "texts.jsonl", "texts.parquet"][..],
        &["terms.csv", "terms.jsonl", "objects.jsonl", "terms.parquet"],
    ] {
        let first = plain(&read_plain(&path(files[0])).documents);
        assert_eq!(first.len(), 2);
        for name in files {
            assert_eq!(kind(&path(name)).unwrap(), "documents", "{name}");
            let found = read_plain(&path(name));
            assert_eq!(plain(&found.documents), first, "{name}");
            assert_eq!(found.uncompared, Vec::<String>::new(), "{name}");
        }
    }
    // A text that is not there is no empty text.
    parquet_of(&path("gap.parquet"), &[("id", &[Some("a"), Some("b")]), ("text", &[Some("cat"), None])]);
    let error = read(&path("gap.parquet"), &ReadOptions::default()).unwrap_err();
    assert_eq!((error.to_string().as_str(), error.place().unwrap().line), ("the line has no text", Some(2)));
}

#[test]
fn bad_lines_and_files_are_named_or_counted() {
    // What is in the file, the name of the file at fault if it is a folder, the line at fault, and the message.
    let good = "{\"id\":1,\"text\":\"cat\"}\n";
    for (bad, line, message) in [
        ("{\"id\":2}\n", 2, "the line has no text"),
        ("{\"id\":2,\"text\":null}\n", 2, "the line has no text"),
        ("{\"id\":1,\"text\":\"secretword\"}\n", 2, "there is a document with this id already"),
        ("{\"text\":\"secretword\"}\n", 2, "the value is missing"),
        ("secretword\n", 2, "the line is no JSON object with plain values"),
        ("{\"id\":2,\"text\":[\"secretword\"]}\n", 2, "the line is no JSON object with plain values"),
        ("{\"id\":2,\"text\":\"\u{0}\"}\n", 2, "the line is no JSON object with plain values"),
    ] {
        let folder = folder(&[("x.jsonl", format!("{good}{bad}{}", good.replace('1', "3")).as_bytes())]);
        let path = folder.path().join("x.jsonl");
        let error = read(&path, &ReadOptions::default()).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.place().unwrap().line), (message, Some(line)), "{bad}");
        assert!(!error.describe(false).contains("secretword") && error.hint().is_some(), "{bad}");
        let skip = ReadOptions { bad_lines: BadLines::Skip, ..ReadOptions::default() };
        let found = read(&path, &skip).unwrap();
        assert_eq!((found.documents.persons(), found.refused), (2, 1), "{bad}");
    }
    for (bad, message) in [
        ("1,cat,0.5\n", "the document has a term twice"),
        ("1,dog,-1\n", "the weight of a term must be a number above 0"),
        ("1,dog,nan\n", "the weight of a term must be a number above 0"),
        ("1,dog\n", "the line has 2 columns, not 3"),
        ("1,,2\n", "the value is missing"),
        (",dog,2\n", "the value is missing"),
    ] {
        let folder = folder(&[("x.csv", format!("id,term,weight\n1,cat,0.5\n{bad}2,dog,1\n").as_bytes())]);
        let path = folder.path().join("x.csv");
        let error = read(&path, &ReadOptions::default()).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.place().unwrap().line), (message, Some(3)), "{bad}");
        let skip = ReadOptions { bad_lines: BadLines::Skip, ..ReadOptions::default() };
        let found = read(&path, &skip).unwrap();
        assert_eq!((plain(&found.documents).len(), found.refused, found.documents.rows()), (2, 1, 2), "{bad}");
    }
    let damaged = b"%PDF-1.4\nsecretword";
    for (name, bytes, message) in [
        ("scan.pdf", pdf("0 0 m 9 9 l S"), "the PDF holds no text"),
        ("broken.pdf", damaged.to_vec(), "the PDF is damaged and cannot be read"),
        ("binary.txt", b"secretword\0".to_vec(), "the file is not text, whatever its name says"),
    ] {
        let folder = folder(&[("a.txt", b"cat"), (name, &bytes)]);
        let error = read(folder.path(), &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.place().unwrap().file.ends_with(name) && error.hint().is_some());
        assert!(!error.describe(false).contains("secretword"));
        let skip = ReadOptions { bad_lines: BadLines::Skip, ..ReadOptions::default() };
        let found = read(folder.path(), &skip).unwrap();
        assert_eq!((found.documents.persons(), found.refused), (1, 1));
    }
}

#[test]
fn what_holds_no_documents_is_refused() {
    let message = |files: &[(&str, &[u8])], options: &ReadOptions| {
        let folder = folder(files);
        let error = read(folder.path(), options).unwrap_err();
        assert!(error.hint().is_some());
        error.to_string()
    };
    let plain = ReadOptions::default();
    assert_eq!(message(&[], &plain), "the folder holds no documents");
    assert_eq!(
        message(&[("a.doc", b"x"), ("b/c.png", b"x"), (".d.txt", b"x")], &plain),
        "the folder holds no documents: 3 files are hidden, or of other endings"
    );
    let skip = ReadOptions { bad_lines: BadLines::Skip, ..ReadOptions::default() };
    assert_eq!(message(&[("a.pdf", b"x")], &skip), "no file of the folder could be read");
    let mut labelled = ReadOptions::default();
    labelled.choose_column("label=secret").unwrap();
    assert_eq!(message(&[("a.txt", b"x")], &labelled), "`column` names the label, but a folder has no columns");

    let folder =
        folder(&[("x.jsonl", b"{\"id\":1,\"text\":\"cat\"}\n"), ("x.dat", b"cat dog\n"), ("y.csv", b"a,b\n1,2\n")]);
    let error = |name: &str, options: &ReadOptions| read(&folder.path().join(name), options).unwrap_err().to_string();
    assert_eq!(error("x.jsonl", &labelled), "there is no column `secret`, which `--column label` names");
    assert_eq!(error("x.dat", &plain), "the file has no columns, so it holds no documents");
    assert_eq!(error("y.csv", &plain), "cannot tell which column is the text");
    let mut log = ReadOptions::default();
    log.choose_column("query=text").unwrap();
    assert_eq!(error("x.jsonl", &log), "`column` names the query, which texts do not have");
    let mut twice = ReadOptions::default();
    ["id=text", "text=text"].iter().for_each(|column| twice.choose_column(column).unwrap());
    assert_eq!(error("x.jsonl", &twice), "`column` gives the column `text` two roles");
    let mut queries = ReadOptions::default();
    queries.choose_column("text=text").unwrap();
    let location = Location::File(folder.path().join("x.jsonl"));
    let error = io::read_log(&location, &queries, &Silent).unwrap_err().to_string();
    assert_eq!(error, "`column` names the text, which a query log does not have");
}

#[test]
fn threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = made(folder.path(), 120);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let found = read_plain(&path);
            let out = folder.path().join(format!("release{threads}"));
            protect(&path, out.clone(), &[("k", "4")]).unwrap();
            let files: Vec<Vec<u8>> = ["data.jsonl", "certificate.json", "report.json", "report.html"]
                .map(|name| fs::read(out.join(name)).unwrap())
                .to_vec();
            (plain(&found.documents), files)
        })
    };
    assert_eq!(with(1), with(4));
}

/// Table 2.1 of paper 000, from file to file.
#[test]
fn table_2_1() {
    let folder = folder(&[(
        "x.jsonl",
        br#"{"id":"d1","terms":{"keyboard":0.3,"laptop":0.4,"software":0.3}}
{"id":"d2","terms":{"horse":0.7,"dog":0.2,"cat":0.1}}
{"id":"d3","terms":{"hardware":0.3,"screen":0.3,"computer":0.4}}
{"id":"d4","terms":{"lion":0.5,"monkey":0.3,"tiger":0.2}}
"#,
    )]);
    let out = folder.path().join("out");
    let mut wanted = request(&folder.path().join("x.jsonl"), out.clone(), &[("k", "2")]);
    wanted.keep_ids = true;
    run::protect(&wanted, &Silent).map_err(|error| error.describe(true)).unwrap();
    let lines = fs::read_to_string(out.join("data.jsonl")).unwrap();
    let found: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let computers = [("abstraction", 0.3), ("computer", 0.4), ("instrumentality", 0.3)];
    let animals = [("big_cat", 0.3), ("carnivore", 0.2), ("placental", 0.5)];
    for (line, (id, expected)) in
        found.iter().zip([("d1", computers), ("d2", animals), ("d3", computers), ("d4", animals)])
    {
        assert_eq!(line["id"], id);
        let terms = line["terms"].as_object().unwrap();
        assert_eq!(terms.len(), 3, "{line}");
        for (term, weight) in expected {
            let found = terms.iter().find(|(name, _)| name.replace(' ', "_") == term);
            let found = found.unwrap_or_else(|| panic!("{term} is not in {line}")).1.as_f64().unwrap();
            assert!((found - weight).abs() < 1e-12, "{term}: {found}");
        }
    }
}

#[test]
fn a_release_gives_nothing_away() {
    let folder = tempfile::tempdir().unwrap();
    let texts = folder.path().join("texts");
    let words = ["cat", "dog", "horse", "oak", "elm", "rose", "computer", "keyboard", "screen", "lion"];
    for at in 0..24 {
        let place = texts.join(format!("labelzq{}", at % 3));
        fs::create_dir_all(&place).unwrap();
        let text = format!("{} {} {} secretname{at}", words[at % 10], words[at * 3 % 10], words[at * 7 % 10]);
        fs::write(place.join(format!("filezq{at:02}.txt")), text).unwrap();
    }
    fs::write(texts.join("labelzq0/empty.txt"), "").unwrap();
    for format in [None, Some("csv"), Some("tsv"), Some("parquet"), Some("jsonl.gz")] {
        let name = format.unwrap_or("none");
        let out = folder.path().join(format!("out-{name}"));
        let key = folder.path().join(format!("key-{name}.csv"));
        let mut wanted = request(&texts, out.clone(), &[("k", "4")]);
        wanted.key = Some(key.clone());
        wanted.format = format.map(|format| Format::parse(format).unwrap());
        let outcome = run::protect(&wanted, &Silent).map_err(|error| error.describe(true)).unwrap();
        let certificate = &outcome.certificate;
        assert_eq!(certificate.output.file, format!("data.{}", format.unwrap_or("jsonl")));
        assert_eq!((certificate.input.persons, certificate.output.persons), (25, 24));
        let counted = [PERSONS_DROPPED, PERSONS_WITHOUT_CONCEPT, ITEMS_UNKNOWN, OCCURRENCES_UNKNOWN];
        assert_eq!(counted.map(|account| certificate.accounting.get(account).unwrap()), [1, 1, 24, 24]);
        assert_eq!(certificate.claims[0].model, "record-k-anonymity");
        assert!(outcome.notes.iter().any(|note| note.contains("labels")), "{:?}", outcome.notes);
        assert!(outcome.measures.iter().any(|measure| measure.name == "sum-of-squares"));

        let mut all = String::new();
        for entry in fs::read_dir(&out).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = fs::read(&path).unwrap();
            if bytes.starts_with(&[0x1f, 0x8b]) {
                let mut plain = Vec::new();
                std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(bytes.as_slice()), &mut plain)
                    .unwrap();
                bytes = plain;
            }
            all += &String::from_utf8_lossy(&bytes);
        }
        for secret in ["zq", "secretname", ".txt", &SEED.to_string(), folder.path().to_str().unwrap()] {
            assert!(!all.contains(secret), "{name}: {secret}");
        }
        let data = out.join(&certificate.output.file);
        let found = read_plain(&data);
        assert!(!found.documents.has_classes() && found.unmapped.is_empty());
        let names: Vec<&str> = found.documents.names().iter().collect();
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]));

        let check = |file: &Path, k: &str| {
            let parameters = vec![("k".to_owned(), k.to_owned())];
            let request = CheckRequest {
                only_checkable: false,
                file: file.into(),
                model: Some("record-k-anonymity".to_owned()),
                parameters,
                original: None,
                show_values: false,
                ask: Ask::default(),
                ..CheckRequest::default()
            };
            run::check(&request, &Silent).map_err(|error| error.describe(false))
        };
        assert!(check(&out, "4").unwrap().holds() && check(&data, "4").unwrap().holds());
        // What a model sees of a text is not all that it says.
        let refused = check(&texts, "2").unwrap_err();
        assert!(refused.contains("these are texts") && !refused.contains("zq"), "{refused}");

        let measure = |key: Option<PathBuf>, original: &Path| {
            let request = MeasureRequest {
                held_out: false,
                attacks: false,
                force: false,
                original: original.into(),
                release: out.clone().into(),
                measures: Vec::new(),
                key,
                k: None,
                show_values: false,
                seed: 0,
                ask: Ask::default(),
            };
            run::measure(&request, &Silent).map_err(|error| error.describe(true)).unwrap()
        };
        let linked = measure(Some(key), &texts);
        let value = |measures: &[throng_core::measures::Measured]| {
            measures.iter().find(|measure| measure.name == "sum-of-squares").and_then(|measure| measure.value)
        };
        assert_eq!(value(&linked.measures), value(&outcome.measures));
        assert!(value(&linked.measures).is_some());
        let unlinked = measure(None, &texts);
        assert!(unlinked.skipped.iter().any(|skipped| skipped.name == "sum-of-squares"));
        let request = InspectRequest { file: out.clone().into(), ..InspectRequest::default() };
        let inspected = run::inspect(&request, &Silent).unwrap();
        let value = |key: &str| inspected.value(key).and_then(Value::as_u64);
        assert_eq!((inspected.kind, value("persons"), value("distinct_labels")), ("documents", Some(24), Some(0)));
    }
}

#[test]
fn no_labels_no_classification() {
    let folder = tempfile::tempdir().unwrap();
    let path = made(folder.path(), 30);
    let without: String = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("label");
            format!("{line}\n")
        })
        .collect();
    let bare = folder.path().join("bare.jsonl");
    fs::write(&bare, without).unwrap();
    let out = folder.path().join("out");
    let mut wanted = request(&bare, out, &[("k", "3")]);
    wanted.measures = vec!["classification-kept".to_owned()];
    let outcome = run::protect(&wanted, &Silent).map_err(|error| error.describe(true)).unwrap();
    assert_eq!(outcome.skipped.len(), 1);
    assert!(outcome.skipped[0].reason.contains("labels"));
    let mut wanted = request(&path, folder.path().join("labelled"), &[("k", "3")]);
    wanted.measures = vec!["classification-kept".to_owned()];
    let outcome = run::protect(&wanted, &Silent).map_err(|error| error.describe(true)).unwrap();
    assert_eq!((outcome.measures.len(), outcome.skipped.len()), (1, 0));
}

#[test]
fn what_cannot_be_protected_is_refused() {
    let folder = folder(&[
        ("few.jsonl", b"{\"id\":1,\"text\":\"cat\"}\n{\"id\":2,\"text\":\"dog\"}\n"),
        ("strange.jsonl", b"{\"id\":1,\"text\":\"xyzzyx\"}\n{\"id\":2,\"text\":\"qwertz\"}\n"),
        ("plants.csv", b"child,parent\noak,tree\nelm,tree\n"),
    ]);
    let path = |name: &str| folder.path().join(name);
    let refused = |wanted: &ProtectRequest| {
        let error = run::protect(wanted, &Silent).unwrap_err();
        assert!(!wanted.out.exists(), "something was left behind");
        assert!(!error.describe(false).contains("xyzzyx"));
        (error.to_string(), error.hint().unwrap_or_default().to_owned())
    };
    let few = request(&path("few.jsonl"), path("out"), &[("k", "3")]);
    assert!(refused(&few).0.contains('2'), "{:?}", refused(&few));
    let strange = request(&path("strange.jsonl"), path("out"), &[("k", "2")]);
    assert_eq!(refused(&strange).0, "the taxonomy has none of the words of the 2 documents");
    let mut other = request(&path("few.jsonl"), path("out"), &[("k", "2")]);
    other.ask.taxonomies = vec![path("plants.csv").display().to_string()];
    assert!(refused(&other).0.starts_with("the taxonomy has none of the words of the"));
    other.ask.unknown = Some(Unknown::Error);
    assert_eq!(refused(&other).0, "2 words are not in the taxonomy");
    other.ask.unknown = Some(Unknown::OwnLeaf);
    assert_eq!(refused(&other).0, "`unknown` must be drop or error for documents");
    let mut format = request(&path("few.jsonl"), path("out"), &[("k", "2")]);
    format.format = Some(Format::parse("fimi").unwrap());
    assert_eq!(refused(&format).0, "documents cannot be written as fimi");
    let mut words = request(&path("few.jsonl"), path("out"), &[("k", "2")]);
    words.ask.as_kind = Some("baskets".to_owned());
    assert!(refused(&words).0.contains("documents cannot be taken as baskets"));
}

#[test]
fn made_up_documents_are_documents_with_labels() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, format: Option<&str>| {
        let path = folder.path().join(name);
        synth(40, &path, format).unwrap();
        path
    };
    let paths = [write("texts", None), write("a.jsonl", Some("jsonl")), write("a.jsonl.zst", Some("jsonl.zst"))];
    let mut all: Vec<Plain> = Vec::new();
    for path in paths {
        let found = read_plain(&path);
        assert_eq!((found.documents.persons(), found.documents.classes().len()), (40, 8), "{}", path.display());
        // A file is called by its folder and its number.
        let mut documents = plain(&found.documents);
        for document in &mut documents {
            let name = document.0.rsplit('/').next().unwrap().trim_end_matches(".txt").to_owned();
            document.0 = name;
        }
        documents.sort_by(|left, right| left.0.cmp(&right.0));
        all.push(documents);
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    assert!(all[0].iter().all(|document| !document.2.is_empty()));
    let text = fs::read_to_string(folder.path().join("a.jsonl")).unwrap();
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(first["id"], json!("01"));
    let path = folder.path().join("a.csv");
    assert!(synth(40, &path, Some("csv")).is_err());
    assert!(!path.exists());
}

/// Arc is what readers are given: the taxonomy is loaded once.
#[test]
fn the_taxonomy_is_asked_for_only_by_texts() {
    let folder = folder(&[("x.jsonl", b"{\"id\":1,\"text\":\"cat\"}\n")]);
    let path = folder.path().join("x.jsonl");
    let tree: Arc<_> = taxonomy::wordnet().unwrap();
    let mut asked = 0;
    let ask = || {
        asked += 1;
        Ok(tree)
    };
    read_documents(&Location::File(path), &ReadOptions::default(), ask, &Silent).unwrap();
    assert_eq!(asked, 1);
}
