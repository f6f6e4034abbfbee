//! Errors as JSON: one document on standard output whatever goes wrong, the same words as ever on standard error.

use serde_json::{Value, json};

use crate::support::{LOG, Sandbox};

fn error(sandbox: &Sandbox, args: &[&str]) -> Value {
    let plain = sandbox.run(args);
    let ran = sandbox.run(&[args, &["--json"]].concat());
    // How the command is used may be said with or without the flag.
    let words = |text: &str| text.split("\n\nUsage:").next().map(str::to_owned);
    assert_eq!((ran.code, words(&ran.stderr)), (plain.code, words(&plain.stderr)), "{args:?}");
    assert_eq!((ran.code, plain.stdout.as_str()), (2, ""), "{args:?}");
    let document = ran.json();
    let error = document["error"].clone();
    assert!(throng_core::error::CODES.contains(&error["code"].as_str().unwrap()), "{error}");
    assert!(error["message"].is_string() && !ran.stdout.contains("SECRET"), "{args:?}: {error}");
    error
}

#[test]
fn every_sort_of_error_is_a_document() {
    let sandbox = Sandbox::with_log();
    sandbox.write("bad.tsv", format!("{LOG}SECRETzoe\tSECRET query\tSECRETday\n"));
    sandbox.snapshot("error-json", &["inspect", "bad.tsv", "--json"]);
    sandbox.snapshot("error-json-usage", &["protect", "log.tsv", "--outt", "x", "--json"]);
    let found = error(&sandbox, &["inspect", "bad.tsv"]);
    assert_eq!(found["place"], json!({"file": "bad.tsv", "line": 14, "column": "QueryTime"}));
    let codes = [
        ("usage", &["protect", "log.tsv", "--nonsense"][..]),
        ("usage", &["protect"]),
        ("parameter", &["protect", "log.tsv", "--out", "out", "--k", "1"]),
        ("parameter", &["inspect", "log.tsv", "--threads", "0"]),
        ("unknown-name", &["protect", "log.tsv", "--out", "out", "--method", "kindrd"]),
        ("unknown-name", &["explain", "nothing"]),
        ("refused", &["protect", "log.tsv", "--out", ".", "--k", "2"]),
        ("not-found", &["inspect", "nowhere.tsv"]),
        ("data", &["check", "bad.tsv"]),
    ];
    for (code, args) in codes {
        assert_eq!(error(&sandbox, args)["code"], code, "{args:?}");
    }
}

#[test]
fn the_value_is_there_on_request_only() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.tsv", format!("{LOG}SECRETzoe\tSECRET query\tSECRETday\n"));
    let ran = sandbox.run(&["inspect", "bad.tsv", "--json", "--show-values"]);
    assert_eq!(ran.json()["error"]["value"], "SECRETday");
}

#[test]
fn several_wrong_parameters_are_all_named() {
    let sandbox = Sandbox::with_log();
    let found = error(&sandbox, &["protect", "log.tsv", "--out", "out", "--k", "x", "--min-persons", "y"]);
    assert_eq!(found["code"], "parameter");
    assert_eq!(found["errors"].as_array().map(Vec::len), Some(2), "{found}");
}
