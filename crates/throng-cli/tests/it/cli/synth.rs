//! `throng synth` and `throng demo`.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::Sandbox;

#[test]
fn synth() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("synth", &["synth", "queries", "--persons", "12", "--seed", "3", "--out", "made.tsv"]);
    let again = sandbox.done(&["synth", "queries", "--persons", "12", "--seed", "3", "--out", "-"]);
    assert_eq!(again.stdout, sandbox.read("made.tsv"));
    sandbox.snapshot("synth-exists", &["synth", "queries", "--persons", "12", "--out", "made.tsv"]);
    sandbox.snapshot("synth-no-format", &["synth", "queries", "--out", "made"]);
    sandbox.snapshot("synth-unknown-kind", &["synth", "query", "--out", "x.tsv"]);
    sandbox.snapshot("synth-nobody", &["synth", "queries", "--persons", "0", "--out", "x.tsv"]);
    for format in ["csv", "jsonl", "parquet", "tsv.gz", "csv.zst"] {
        let file = format!("made.{format}");
        sandbox.done(&["synth", "queries", "--persons", "12", "--seed", "3", "--out", &file]);
        let found = sandbox.done(&["inspect", &file, "--json"]).json();
        assert_eq!((&found["persons"], &found["format"]), (&json!(12), &json!(format)));
    }
}

#[test]
fn the_shape_of_a_log() {
    let sandbox = Sandbox::new();
    let made = ["synth", "queries", "--persons", "40", "--seed", "3", "--clicks-only", "--out", "made.tsv"];
    sandbox.done(&made);
    sandbox.snapshot("synth-profile", &["synth", "queries", "--profile", "made.tsv"]);
    let found = sandbox.done(&["synth", "queries", "--profile", "made.tsv", "--json"]).json();
    assert_eq!(found["persons"], json!(40));
    assert!(found["dictionary"]["occurrences"].as_f64().is_some_and(|share| (50.0..75.0).contains(&share)), "{found}");
    // Every line has a click, and no word of anybody is in the figures.
    let clicked = sandbox.done(&["inspect", "made.tsv", "--json"]).json();
    assert_eq!(clicked["rows"], found["lines"]);
    assert!(sandbox.read("made.tsv").lines().all(|line| !line.ends_with('\t')));
    sandbox.snapshot("synth-profile-baskets", &["synth", "baskets", "--profile", "made.tsv"]);
    sandbox.snapshot("synth-clicks-only-baskets", &["synth", "baskets", "--clicks-only", "--out", "x.csv"]);
    sandbox.snapshot("synth-no-out", &["synth", "queries"]);
}

#[test]
fn demo() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("demo", &["demo", "--seed", "1"]);
    sandbox.snapshot("audit-demo", &["audit", "throng-demo/searches.tsv"]);
    sandbox.snapshot("demo-exists", &["demo", "--out", "throng-demo"]);
}

/// What the README shows of the demo, and of an audit of its log, is what the commands say.
#[test]
fn the_readme_shows_the_demo() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("../../README.md")).unwrap();
    for (snapshot, first, least) in [("demo", "1. Made-up", 10), ("audit-demo", "who  ", 5)] {
        let text = fs::read_to_string(root.join(format!("tests/snapshots/{snapshot}.txt"))).unwrap();
        let blocks = || readme.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
        let block = blocks().find(|block| block.starts_with(first)).unwrap();
        assert!(block.lines().count() > least, "{block}");
        let mut said = text.lines();
        for line in block.lines() {
            assert!(said.any(|other| other == line), "{snapshot} does not say, or not in this order: {line}");
        }
    }
}
