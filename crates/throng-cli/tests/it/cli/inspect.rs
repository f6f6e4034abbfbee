//! `throng inspect`, and flags that a command shares with others and cannot use.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{LOG, Sandbox};

#[test]
fn inspect() {
    let sandbox = Sandbox::with_log();
    sandbox.snapshot("inspect", &["inspect", "log.tsv"]);
    let found = sandbox.done(&["inspect", "log.tsv", "--json"]);
    assert_eq!(found.stderr, "");
    let found = found.json();
    assert_eq!((&found["kind"], &found["persons"], &found["rows"]), (&json!("queries"), &json!(7), &json!(12)));
    for known in ["1", "2", "3"] {
        assert!(found["unique_by"][known].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)), "{found}");
    }
    // The same seed, the same draws; a flag that means nothing is noted.
    assert_eq!(found, sandbox.done(&["inspect", "log.tsv", "--json", "--seed", "0"]).json());
    sandbox
        .snapshot("inspect-ignored-flags", &["inspect", "log.tsv", "--rho", "0.5", "--taxonomy", "wordnet", "--quiet"]);
    let noted = sandbox.done(&["inspect", "log.tsv", "--rho", "0.5", "--taxonomy", "wordnet"]);
    assert!(noted.stderr.contains("`--rho`") && noted.stderr.contains("`--taxonomy`"), "{}", noted.stderr);
}

/// A flag that a command shares with others and cannot use is not in its help, and is noted when it is given.
#[test]
fn flags_that_mean_nothing_to_a_command() {
    let sandbox = Sandbox::with_log();
    let model = ["--model", "user-k-anonymity"];
    for (args, flags) in [
        (&["inspect", "log.tsv"][..], &["--key", "--exact"][..]),
        (&[&["check", "log.tsv"], &model[..]].concat(), &["--seed", "--exact"]),
        (&["measure", "log.tsv", "log.tsv", "--measure", "query-frequency"], &["--exact"]),
    ] {
        let help = sandbox.done(&[args[0], "--help"]).stdout;
        for flag in flags {
            let value: &[&str] = if *flag == "--exact" { &[] } else { &["3"] };
            let ran = sandbox.run(&[args, &[flag], value].concat());
            assert!(ran.stderr.contains(&format!("`{flag}` means nothing here")), "{args:?} {flag}: {ran:?}");
            assert!(!help.contains(&format!("{flag} ")), "{help}");
        }
    }
}

#[test]
fn inspect_reads_standard_input() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["inspect", "-", "--json"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(LOG.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["persons"], 7);
}

#[test]
fn inspect_distance() {
    let sandbox = Sandbox::with_log();
    let args = ["inspect", "log.tsv", "--distance", "SECRETann", "SECRETcid"];
    sandbox.snapshot("distance", &args);
    let found = sandbox.done(&[&args[..], &["--json"]].concat()).json();
    assert!(found["distance"].as_f64().is_some_and(|distance| distance > 0.0 && distance < 1.0));
    assert!(found["parts"]["deciding"]["words"].is_number(), "{found}");
    sandbox.snapshot("distance-printed", &[&args[..], &["--query-weights", "printed"]].concat());
    sandbox.snapshot("distance-to-oneself", &["inspect", "log.tsv", "--distance", "SECRETann", "SECRETann"]);
    let unknown =
        sandbox.snapshot("distance-unknown-person", &["inspect", "log.tsv", "--distance", "SECRETann", "SECRETzoe"]);
    assert!(unknown.code == 2 && !unknown.stderr.contains("SECRET"));
}
