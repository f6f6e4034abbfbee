//! The old ways on the command line: what they say, what is refused, and secret sharing from end to end.

use crate::support::Sandbox;

#[test]
fn methods_that_promise_nothing() {
    let sandbox = Sandbox::with_log();
    let protect = ["protect", "log.tsv", "--method", "token-hashing", "--seed", "5", "--measure", "query-frequency"];
    sandbox.snapshot("old-ways-protect", &[&protect[..], &["--out", "out", "--token-key", "token.key"]].concat());
    sandbox.snapshot("old-ways-check", &["check", "out"]);
    sandbox.snapshot("old-ways-check-json", &["check", "out", "--json"]);
    sandbox.snapshot("old-ways-audit", &["audit", "out"]);
    sandbox.snapshot("old-ways-dry-run-k", &[&protect[..], &["--out", "other", "--k", "5"]].concat());
    sandbox.snapshot(
        "old-ways-token-key-exists",
        &[&protect[..], &["--out", "other", "--token-key", "token.key"]].concat(),
    );
    let sessions = ["protect", "log.tsv", "--method", "shorten-sessions", "--out", "other", "--timeout", "soon"];
    sandbox.snapshot("old-ways-bad-timeout", &sessions);
    assert!(!sandbox.path("other").exists());
}

#[test]
fn secret_sharing() {
    let sandbox = Sandbox::with_log();
    let protect =
        ["protect", "log.tsv", "--method", "query-threshold", "--min-persons", "2", "--shares", "--seed", "5"];
    sandbox.snapshot("shares-protect", &[&protect[..], &["--out", "shared", "--measure", "rare-content"]].concat());
    sandbox.snapshot("shares-open", &["shares", "open", "shared", "--out", "opened.tsv"]);
    sandbox.snapshot("shares-open-exists", &["shares", "open", "shared", "--out", "opened.tsv"]);
    sandbox.snapshot("shares-open-json", &["shares", "open", "shared", "--out", "opened.csv", "--json"]);
    sandbox.snapshot("shares-open-no-shares", &["shares", "open", "log.tsv", "--out", "x.tsv"]);
    sandbox.snapshot("shares-check", &["check", "shared", "--original", "log.tsv"]);
    let plain =
        ["protect", "log.tsv", "--method", "query-threshold", "--min-persons", "2", "--out", "plain", "--seed", "5"];
    sandbox.done(&[&plain[..], &["--measure", "rare-content"]].concat());
    // But for pseudonyms the opened file is the release without shares.
    let rows = |file: &str| {
        let text = sandbox.read(file);
        let mut rows: Vec<String> = text.lines().map(|row| row.split_once('\t').unwrap().1.to_owned()).collect();
        rows.sort();
        rows
    };
    assert_eq!(rows("opened.tsv"), rows("plain/data.tsv"));
}

#[test]
fn planted_persons() {
    let sandbox = Sandbox::new();
    let plant = ["synth", "queries", "--persons", "20", "--plant", "2", "--accounts", "3", "--seed", "3"];
    sandbox.snapshot("synth-plant", &[&plant[..], &["--out", "made.tsv"]].concat());
    sandbox.snapshot("synth-plant-stdout", &[&plant[..], &["--out", "-"]].concat());
    sandbox.snapshot("synth-plant-baskets", &["synth", "baskets", "--plant", "2", "--out", "made.dat"]);
    let facts = sandbox.read("made.tsv.facts.jsonl");
    let log = sandbox.read("made.tsv");
    assert_eq!(facts.lines().count(), 6);
    for line in facts.lines() {
        let account: serde_json::Value = serde_json::from_str(line).unwrap();
        let id = account["person"].as_str().unwrap();
        for fact in account["facts"].as_array().unwrap() {
            let typed = format!("{id}\t{}\t", fact["query"].as_str().unwrap());
            assert_eq!(log.matches(&typed).count(), 3, "{fact}");
        }
    }
}
