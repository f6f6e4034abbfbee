//! Where output goes: JSON, a full disk, a closed pipe.

use std::fs;
use std::process::Stdio;

use serde_json::json;
use throng::catalog;

use crate::support::{LOG, Sandbox};

#[test]
fn json_outputs() {
    let sandbox = Sandbox::with_log();
    let protect = ["protect", "log.tsv", "--out", "out", "--k", "2", "--seed", "5", "--key", "key.csv", "--json"];
    let protected = sandbox.done(&protect).json();
    assert_eq!(protected["certificate"], sandbox.json("out/certificate.json"));

    let measured = sandbox.done(&["measure", "log.tsv", "out", "--key", "key.csv", "--json"]).json();
    let measures = measured["measures"].as_array().unwrap();
    let own = catalog::QUERIES.measures(&[], true).unwrap();
    assert_eq!(measures.len(), own.len());
    for measure in measures {
        assert!(measure["name"].is_string() && measure["unit"].is_string() && measure["parts"].is_object());
        assert!(measure["value"].is_number() || measure["value"].is_null());
        assert!(measure["better"] == "lower" || measure["better"] == "higher");
    }
    assert_eq!(measured["skipped"], json!([]));
    let skipped = sandbox.done(&["measure", "log.tsv", "out", "--json"]).json();
    assert!(skipped["skipped"].as_array().is_some_and(|skipped| {
        !skipped.is_empty() && skipped.iter().all(|one| one["name"].is_string() && one["reason"].is_string())
    }));

    let partly = sandbox.run(&["check", "out", "--json"]);
    assert_eq!((partly.code, &partly.json()["verdict"]), (3, &json!("partly")));
    let holds = sandbox.done(&["check", "out", "--original", "log.tsv", "--json"]).json();
    assert_eq!((&holds["model"], &holds["verdict"]), (&json!("user-k-anonymity"), &json!("holds")));
    assert!(holds["achieved"]["k"].as_u64() >= Some(2) && holds["witness"].is_null());
    let fails = sandbox.run(&["check", "log.tsv", "--model", "user-k-anonymity", "--k", "2", "--json"]);
    assert_eq!(fails.code, 1);
    let fails = fails.json();
    assert_eq!((&fails["verdict"], &fails["achieved"]["k"]), (&json!("fails"), &json!(1)));
    assert_eq!(fails["witness"], json!({"group_size": 1, "line": 2}));

    let made = sandbox.done(&["synth", "queries", "--persons", "3", "--out", "made.csv", "--json"]).json();
    assert_eq!((&made["file"], &made["persons"]), (&json!("made.csv"), &json!(3)));
    let list = sandbox.done(&["list", "--json"]).json();
    for section in ["methods", "models", "measures", "attacks", "formats", "kinds"] {
        assert!(list[section].is_array(), "{section}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let sandbox = Sandbox::with_log();
    for args in
        [&["list"][..], &["inspect", "log.tsv", "--json"], &["synth", "queries", "--persons", "5", "--out", "-"]]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = sandbox.command(args).stdout(full).output().unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {words}");
        assert!(words.contains("No space left") && words.contains("hint: make room"), "{words}");
    }
}

/// Runs a command that may write files of so many blocks of 512 or 1024 bytes, and no more: the next write fails as on a
/// full disk. Works for every user.
#[cfg(target_os = "linux")]
fn on_a_full_disk(sandbox: &Sandbox, blocks: u32, args: &[&str], what: &str) {
    let before = sandbox.listing();
    let command = sandbox.command(args);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"")]);
    shell.arg(command.get_program()).args(command.get_args());
    let output = shell.current_dir(sandbox.path("")).stdin(Stdio::null()).output().unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {words}");
    assert_eq!(words.matches("error: ").count(), 1, "{args:?}: {words}");
    assert!(words.contains(&format!("could not write {what}")), "{args:?}: {words}");
    assert!(words.contains("File too large") && words.contains("hint: make room"), "{args:?}: {words}");
    assert_eq!(sandbox.listing(), before, "{args:?} left something behind");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "40", "--out", "log.tsv"]);
    for format in ["tsv", "csv", "jsonl", "parquet", "tsv.gz", "csv.zst"] {
        let protect = ["protect", "log.tsv", "--out", "out", "--key", "key.csv", "--format", format];
        on_a_full_disk(&sandbox, 4, &protect, "the data");
        on_a_full_disk(&sandbox, 4, &["synth", "queries", "--out", &format!("made.{format}")], "the data");
    }
    on_a_full_disk(&sandbox, 4, &["demo"], "the data");
    on_a_full_disk(&sandbox, 4, &["demo", "--out", "here"], "the data");
    // The data fit and the report does not.
    let sandbox = Sandbox::with_log();
    let protect =
        ["protect", "log.tsv", "--out", "out", "--method", "user-microaggregation", "--k", "2", "--key", "key.csv"];
    on_a_full_disk(&sandbox, 2, &protect, "report.json");
    // All but the key fits, for ids are long: there is no release without it.
    let (header, lines) = LOG.split_once('\n').unwrap();
    let long: String = lines.lines().map(|line| format!("{}{line}\n", "long".repeat(100_000))).collect();
    sandbox.write("log.tsv", format!("{header}\n{long}"));
    on_a_full_disk(&sandbox, 1000, &protect, "the key file key.csv");
    sandbox.done(&protect);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let sandbox = Sandbox::with_log();
    for args in [
        &["list"][..],
        &["--help"],
        &["man"],
        &["explain", "user-distance", "--json"],
        &["inspect", "log.tsv"],
        &["check", "log.tsv", "--model", "user-k-anonymity", "--json"],
        &["synth", "queries", "--persons", "50", "--out", "-"],
        &["synth", "queries", "--persons", "50", "--out", "-", "--format", "csv.gz"],
        &["synth", "queries", "--persons", "50", "--out", "-", "--format", "parquet"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = sandbox.command(args).stdout(writer).output().unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), words.as_str()), (Some(0), ""), "{args:?}");
    }
}
