//! The command as people meet it: help, success and failure of every command, by exit code, output and what lies in the
//! folder afterwards. `UPDATE=1 cargo test` rewrites the expectations in `snapshots/`; review the difference.

mod support;

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{LOG, Sandbox};
use throng::catalog;

// Help.

#[test]
fn help() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("help", &["--help"]);
    sandbox.snapshot("help-short", &["-h"]);
    sandbox.snapshot("version", &["--version"]);
    for command in [
        "demo",
        "inspect",
        "protect",
        "check",
        "measure",
        "compare",
        "report",
        "list",
        "explain",
        "synth",
        "completions",
        "man",
    ] {
        sandbox.snapshot(&format!("help-{command}"), &[command, "--help"]);
    }
    sandbox.snapshot("help-taxonomy", &["taxonomy", "--help"]);
    for command in ["import", "show", "path", "generate"] {
        sandbox.snapshot(&format!("help-taxonomy-{command}"), &["taxonomy", command, "--help"]);
    }
    let none = sandbox.run(&[]);
    assert_eq!((none.code, none.stdout.as_str()), (2, ""));
}

#[test]
fn completions_and_the_manual_page() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.done(&["completions", shell]).stdout;
        for word in ["protect", "--time-resolution", "--bad-lines"] {
            assert!(script.contains(word.trim_start_matches('-')), "{shell} does not complete {word}");
        }
    }
    let page = sandbox.done(&["man"]).stdout;
    assert!(page.contains(".TH") && page.contains("protect") && page.contains("keep\\-ids"));
    sandbox.snapshot("completions-unknown", &["completions", "tcsh"]);
}

// Success.

#[test]
fn list_and_explain() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("list", &["list"]);
    sandbox.snapshot("list-json", &["list", "--json"]);
    sandbox.snapshot("list-measures", &["list", "measures"]);
    for item in catalog::items() {
        let name = item.info().name;
        sandbox.snapshot(&format!("explain-{name}"), &["explain", name]);
        let card = sandbox.done(&["explain", name, "--json"]).json();
        let cards = card.as_array().cloned().unwrap_or_else(|| vec![card]);
        assert!(cards.iter().all(|card| card["name"] == name) && cards.iter().any(|card| card["role"] == item.role()));
    }
    sandbox.snapshot("explain-unknown", &["explain", "user-distanse"]);
    sandbox.snapshot("list-unknown", &["list", "method"]);
}

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
        (&[&["check", "log.tsv"], &model[..]].concat(), &["--seed", "--key", "--exact"]),
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

/// Figure 1.3 of paper 002, as pairs.
const FOOD: &str = "child,parent\nFruit,Food\nApple,Fruit\nOrange,Fruit\nBanana,Fruit\nMeat,Food\nBeef,Meat\n\
                    Chicken,Meat\nDairy,Food\nMilk,Dairy\nCheese,Dairy\nButter,Dairy\n";

#[test]
fn taxonomy() {
    let sandbox = Sandbox::new();
    sandbox.write("food.csv", FOOD.as_bytes());
    sandbox.snapshot("taxonomy-import", &["taxonomy", "import", "food.csv", "--out", "food.taxonomy"]);
    sandbox.snapshot("taxonomy-import-exists", &["taxonomy", "import", "food.csv", "--out", "food.taxonomy"]);
    sandbox.snapshot("taxonomy-show", &["taxonomy", "show", "food.taxonomy"]);
    sandbox.snapshot("taxonomy-show-item", &["taxonomy", "show", "Fruit", "--taxonomy", "food.taxonomy"]);
    sandbox.snapshot("taxonomy-show-json", &["taxonomy", "show", "food.taxonomy", "Meat", "Milk", "--json"]);
    sandbox.snapshot("taxonomy-path", &["taxonomy", "path", "food.csv", "Apple", "Milk"]);
    let path = sandbox.done(&["taxonomy", "path", "Beef", "Chicken", "--taxonomy", "food.csv", "--json"]).json();
    assert_eq!((&path["common_ancestor"], &path["path"]), (&json!("Meat"), &json!(["Beef", "Meat", "Chicken"])));
    assert_eq!(path["loss"], 1.0 / 7.0);
    sandbox.done(&["taxonomy", "import", "food.taxonomy", "--out", "back.csv", "--quiet"]);
    assert_eq!(sandbox.read("back.csv"), FOOD);
}

#[test]
fn taxonomy_wordnet() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("taxonomy-wordnet", &["taxonomy", "show"]);
    sandbox.snapshot("taxonomy-wordnet-word", &["taxonomy", "show", "mice"]);
    sandbox.snapshot("taxonomy-wordnet-path", &["taxonomy", "path", "dogs", "cat"]);
    sandbox.snapshot("taxonomy-wordnet-unknown", &["taxonomy", "show", "elefant"]);
    let shown = sandbox.done(&["taxonomy", "show", "domestic dog", "--json"]).json();
    assert_eq!((&shown["item"], &shown["level"]), (&json!("dog"), &json!(14)));
    assert_eq!(sandbox.done(&["taxonomy", "show", "dogs", "--json"]).json()["senses"][1], "frump");
}

#[test]
fn taxonomy_generate() {
    let sandbox = Sandbox::new();
    sandbox.write("baskets.dat", b"1 2 30\n2 10\n4 5 6\n10 11 12 1\n");
    let generate = ["taxonomy", "generate", "baskets.dat", "--fanout", "4", "--out"];
    sandbox.snapshot("taxonomy-generate", &[&generate[..], &["tree.csv"]].concat());
    let csv = sandbox.read("tree.csv");
    assert!(csv.starts_with("child,parent\n1..4,all\n1,1..4\n2,1..4\n4,1..4\n5..10,all\n"), "{csv}");
    sandbox.snapshot("taxonomy-generate-intervals", &[&generate[..], &["wide.taxonomy", "--width", "10"]].concat());
    sandbox.snapshot("taxonomy-generate-from-data", &[&generate[..], &["data.taxonomy", "--from-data"]].concat());
    let made = sandbox.done(&[&generate[..], &["other.taxonomy", "--json"]].concat()).json();
    assert_eq!((&made["leaves"], &made["file"]), (&json!(9), &json!("other.taxonomy")));
    let failed = ["taxonomy", "generate", "baskets.dat", "--fanout", "1", "--out", "no.csv"];
    sandbox.snapshot("taxonomy-generate-fanout", &failed);
    sandbox.write("words.dat", b"1 two\n");
    let failed = ["taxonomy", "generate", "words.dat", "--fanout", "2", "--width", "5", "--out", "no.csv"];
    sandbox.snapshot("taxonomy-generate-words", &failed);
}

#[test]
fn taxonomy_refusals() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("circle.csv", "child,parent\na,r\nb,c\nc,b\n"),
        ("two-parents.csv", "child,parent\na,r\nb,r\na,b\n"),
        ("roots.txt", "Top/Arts\nTop/Sports\nTpo/Games\n"),
        ("twice.json", "{\"Food\": {\n \"Fruit\": [\"Kiwi\"],\n \"Birds\": [\"Kiwi\"]}}\n"),
        ("ragged.arx", "1;low;*\n9;*\n"),
        ("unknown.txt", "hello\n"),
    ] {
        sandbox.write(name, text.as_bytes());
        let failed = sandbox.snapshot(
            &format!("taxonomy-bad-{}", name.replace('.', "-")),
            &["taxonomy", "import", name, "--out", "x.taxonomy"],
        );
        assert_eq!(failed.code, 2);
    }
    sandbox.snapshot("taxonomy-bad-shown", &["taxonomy", "show", "circle.csv", "--show-values"]);
    sandbox.snapshot("taxonomy-bad-form", &["taxonomy", "import", "unknown.txt", "--format", "arxx", "--out", "x"]);
    sandbox.snapshot("taxonomy-bad-path", &["taxonomy", "path", "dog"]);
}

#[test]
fn protect_check_measure() {
    let sandbox = Sandbox::with_log();
    let protect =
        ["protect", "log.tsv", "--out", "out", "--method", "user-microaggregation", "--k", "3", "--seed", "5"];
    sandbox.snapshot("protect", &[&protect[..], &["--key", "key.csv"]].concat());
    sandbox.snapshot("check-release", &["check", "out"]);
    sandbox.snapshot("check-release-greater-k", &["check", "out", "--k", "5"]);
    sandbox.snapshot("check-data-alone", &["check", "out/data.tsv", "--model", "user-k-anonymity", "--k", "3"]);
    sandbox.snapshot("measure-with-key", &["measure", "log.tsv", "out", "--key", "key.csv"]);
    sandbox.snapshot("measure-without-key", &["measure", "log.tsv", "out"]);
    sandbox.snapshot("measure-one", &["measure", "log.tsv", "out", "--measure", "query-frequency,word-frequency"]);

    // Only what the contract says is in the folder, and nothing secret in the certificate.
    let certificate = sandbox.json("out/certificate.json");
    for key in ["format", "throng", "input", "output", "method", "claims", "randomness", "accounting"] {
        assert!(!certificate[key].is_null(), "no {key}");
    }
    assert_eq!(certificate["input"], json!({"kind": "queries", "persons": 7, "rows": 12}));
    assert_eq!(certificate["output"]["file"], "data.tsv");
    assert_eq!(certificate["output"]["sha256"].as_str().map(str::len), Some(64));
    let grouping = json!({"blocks": 1, "largest_block": 7, "refined": true});
    let method = json!({"name": "user-microaggregation", "parameters": {"k": 3}, "grouping": grouping});
    assert_eq!(certificate["method"], method);
    let claim = json!({"model": "user-k-anonymity", "parameters": {"k": 3}, "verdict": "holds", "achieved": {"k": 3}});
    assert_eq!(certificate["claims"], json!([claim]));
    assert_eq!(certificate["randomness"], "seeded");
    let accounting = json!({"persons_dropped": 0, "rows_dropped": 0, "rows_refused": 0});
    assert_eq!(certificate["accounting"], accounting);
    assert!(!sandbox.read("out/report.json").contains("SECRET"));
    assert!(!sandbox.read("out/report.html").contains("SECRET"));
    assert!(!sandbox.read("out/data.tsv").contains("SECRETann"));

    // The key: a header, everybody once, tied to input and release.
    let key = sandbox.read("key.csv");
    assert!(key.starts_with("person,pseudonym,group\nSECRETann,"), "{key}");
    assert_eq!(key.lines().count(), 8);
    let tie = sandbox.json("key.csv.json");
    assert_eq!(tie["release"]["sha256"], certificate["output"]["sha256"]);
    assert_eq!(tie["input"]["sha256"].as_str().map(str::len), Some(64));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |name| fs::metadata(sandbox.path(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("key.csv"), mode("key.csv.json")), (0o600, 0o600));
        assert_eq!(mode("out"), 0o755);
    }
}

#[test]
fn a_threshold_on_what_lines_say() {
    let sandbox = Sandbox::new();
    let mut log = "user,query,time,rank,url\n".to_owned();
    for person in ["ann", "bob", "cid", "dan", "eve", "fay"] {
        let own = match person {
            "ann" => "anna lind",
            "fay" => "12 elm st",
            _ => "tulip",
        };
        for (minute, query) in ["tulip bulbs", "buy Tulip", "red tulip bulbs", own, own, own].iter().enumerate() {
            let url = if minute == 0 { format!("1,https://{person}.bulbs.example/{person}") } else { ",".to_owned() };
            log += &format!("{person},{query},2024-03-01 09:0{minute}:00,{url}\n");
        }
    }
    sandbox.write("log.csv", &log);
    let protect = ["protect", "log.csv", "--method", "user-microaggregation", "--k", "3", "--seed", "5"];
    sandbox.snapshot("content-protect", &[&protect[..], &["--min-persons", "3", "--out", "out"]].concat());
    let released = sandbox.read("out/data.csv");
    assert!(
        !released.contains("anna") && !released.contains("elm") && released.contains("bulbs.example"),
        "{released}"
    );
    let claim = &sandbox.json("out/certificate.json")["claims"][1];
    assert_eq!((&claim["model"], &claim["needs"]), (&json!("content-threshold"), &json!("original")));

    sandbox.snapshot("content-check-unchecked", &["check", "out"]);
    sandbox.snapshot("content-check-holds", &["check", "out", "--original", "log.csv"]);
    sandbox.snapshot("content-check-greater", &["check", "out", "--original", "log.csv", "--min-persons", "7"]);
    let model = ["--model", "content-threshold"];
    sandbox.snapshot("content-check-no-original", &[&["check", "out"], &model[..]].concat());

    // Without a threshold the name is published, and the check says in which line.
    sandbox.done(&[&protect[..], &["--out", "plain"]].concat());
    let beside = [&["check", "plain/data.csv", "--original", "log.csv"], &model[..]].concat();
    let fails = sandbox.snapshot("content-check-fails", &beside);
    assert_eq!(fails.code, 1);
    let witness = sandbox.run(&[&beside[..], &["--json"]].concat()).json()["witness"].clone();
    let line = witness["line"].as_u64().unwrap() as usize;
    let shown = sandbox.run(&[&beside[..], &["--json", "--show-values"]].concat()).json()["witness"].clone();
    assert!(witness["value"].is_null() && witness["persons"].as_u64() < Some(3), "{witness}");
    let plain = sandbox.read("plain/data.csv");
    assert!(plain.lines().nth(line - 1).unwrap().contains(shown["value"].as_str().unwrap()), "{shown} {plain}");
    sandbox.snapshot("content-check-stdin", &[&["check", "-", "--original", "log.csv"], &model[..]].concat());
    sandbox.snapshot("content-nothing-left", &[&protect[..], &["--min-persons", "9", "--out", "none"]].concat());
    sandbox.snapshot("content-min-persons-0", &[&protect[..], &["--min-persons", "0", "--out", "none"]].concat());
    sandbox.snapshot("content-original-unused", &["check", "plain", "--original", "log.csv"]);
}

#[test]
fn json_outputs() {
    let sandbox = Sandbox::with_log();
    let protect = ["protect", "log.tsv", "--out", "out", "--k", "2", "--seed", "5", "--key", "key.csv", "--json"];
    let protected = sandbox.done(&protect).json();
    assert_eq!(protected["certificate"], sandbox.json("out/certificate.json"));

    let measured = sandbox.done(&["measure", "log.tsv", "out", "--key", "key.csv", "--json"]).json();
    let measures = measured["measures"].as_array().unwrap();
    let own = catalog::measures_for(throng_core::Kind::Queries, &[], true).unwrap();
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

    let holds = sandbox.done(&["check", "out", "--json"]).json();
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

#[test]
fn the_same_seed_gives_the_same_bytes_and_threads_do_not_matter() {
    let sandbox = Sandbox::with_log();
    for (out, threads) in [("one", "1"), ("two", "2")] {
        sandbox.done(&["protect", "log.tsv", "--out", out, "--k", "2", "--seed", "9", "--threads", threads, "--quiet"]);
    }
    for file in ["data.tsv", "certificate.json", "report.json", "report.html"] {
        assert_eq!(sandbox.read(&format!("one/{file}")), sandbox.read(&format!("two/{file}")), "{file}");
    }
    let quiet = sandbox.run(&["protect", "log.tsv", "--out", "three", "--k", "2", "--quiet"]);
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
    assert_eq!(sandbox.json("three/certificate.json")["randomness"], "secure");
    assert_ne!(sandbox.read("one/data.tsv"), sandbox.read("three/data.tsv"));
}

#[test]
fn protect_notes_what_it_leaves_out() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", "who,what,when,town\nann,roses,1149116452,SECRETville\nbob,roses,1149116453,SECRETham\n");
    let args = ["protect", "log.csv", "--out", "out", "--k", "2", "--seed", "1", "--keep-ids", "--exact", "--m", "3"];
    let columns = ["--method", "user-microaggregation", "--column", "user=who", "query=what", "time=when"];
    let ran = sandbox.snapshot("protect-notes", &[&args[..], &columns].concat());
    assert_eq!(ran.code, 0);
    assert!(!sandbox.read("out/data.csv").contains("SECRET"));
    assert_eq!(sandbox.json("out/certificate.json")["ids"], "kept");
    sandbox.snapshot(
        "measure-kept-ids",
        &["measure", "log.csv", "out", "--column", "user=who", "query=what", "time=when"],
    );
}

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
fn demo() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("demo", &["demo", "--seed", "1"]);
    sandbox.snapshot("demo-exists", &["demo", "--out", "throng-demo"]);
}

/// What the README shows of the demo is what the demo says.
#[test]
fn the_readme_shows_the_demo() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("../../README.md")).unwrap();
    let demo = fs::read_to_string(root.join("tests/snapshots/demo.txt")).unwrap();
    let block = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(block.lines().count() > 10, "{block}");
    let mut said = demo.lines();
    for line in block.lines() {
        assert!(said.any(|other| other == line), "the demo does not say, or not in this order: {line}");
    }
}

// Checks.

#[test]
fn a_tampered_release_fails() {
    let sandbox = Sandbox::with_log();
    sandbox.done(&[
        "protect",
        "log.tsv",
        "--out",
        "out",
        "--method",
        "user-microaggregation",
        "--k",
        "3",
        "--seed",
        "5",
    ]);
    let data = sandbox.read("out/data.tsv");
    // A row twice: the hash differs, and one person's record is no longer that of the others.
    let last = data.lines().last().unwrap();
    sandbox.write("out/data.tsv", format!("{data}{last}\n"));
    let ran = sandbox.snapshot("check-tampered", &["check", "out"]);
    assert_eq!(ran.code, 1);
    let found = sandbox.run(&["check", "out", "--json"]).json();
    assert_eq!((&found["verdict"], &found["hash_matches"]), (&json!("fails"), &json!(false)));
    assert_eq!(found["witness"]["pseudonym"].as_str(), last.split('\t').next());
    // Rows in another order: every claim holds, but these are not the certified bytes.
    let (header, rows) = data.split_once('\n').unwrap();
    let reversed: Vec<&str> = rows.lines().rev().collect();
    sandbox.write("out/data.tsv", format!("{header}\n{}\n", reversed.join("\n")));
    let ran = sandbox.snapshot("check-reordered", &["check", "out"]);
    assert_eq!(ran.code, 1);
    sandbox.write("out/certificate.json", "{");
    sandbox.snapshot("check-certificate-damaged", &["check", "out"]);
    fs::remove_file(sandbox.path("out/certificate.json")).unwrap();
    sandbox.snapshot("check-certificate-gone", &["check", "out"]);
}

#[test]
fn a_check_does_not_vouch_for_lines_it_could_not_read() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", "id,q,t\na,x,1\nb,x,1\nc,a name,no time\n");
    let ran =
        sandbox.run(&["check", "log.csv", "--model", "user-k-anonymity", "--k", "2", "--bad-lines", "skip", "--json"]);
    assert_eq!(ran.code, 1);
    let found = ran.json();
    assert_eq!((&found["verdict"], &found["witness"]), (&json!("fails"), &json!({"lines_not_read": 1})));
    assert_eq!((&found["claims"][0]["verdict"], &found["person_column"]), (&json!("holds"), &json!("id")));
}

#[test]
fn the_columns_of_a_release_are_known_or_chosen() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", "who,what,when,row\na,x,1,1\nb,x,1,2\nc,y,2,3\nd,y,2,4\n");
    let columns = ["--column", "user=who", "query=what", "time=when"];
    sandbox.done(&[&["protect", "log.csv", "--out", "out", "--k", "2", "--min-persons", "1"], &columns[..]].concat());
    let found = sandbox.run(&["inspect", "out", "--json"]).json();
    assert_eq!(found["persons"], 4);
    let found = sandbox.run(&["check", "out", "--json"]).json();
    assert_eq!(found["person_column"], "who");
    // A certificate that names another column as the person's is overruled by what the auditor says.
    let certificate = sandbox.read("out/certificate.json").replace("\"user\": \"who\"", "\"user\": \"what\"");
    sandbox.write("out/certificate.json", certificate.replace("\"query\": \"what\"", "\"query\": \"who\""));
    let found = sandbox.run(&[&["check", "out", "--json"], &columns[..]].concat()).json();
    assert_eq!((&found["person_column"], &found["persons"]), (&json!("who"), &json!(4)));
}

#[test]
fn a_file_that_throng_did_not_make() {
    let sandbox = Sandbox::new();
    let model = ["--model", "user-k-anonymity", "--k", "2"];
    sandbox.write("good.csv", "id,q,t\nSECRETa,x,1\nSECRETb,y,2\nSECRETb,x,1\nSECRETa,y,2\n");
    sandbox.snapshot("check-foreign-holds", &[&["check", "good.csv"], &model[..]].concat());
    // A column without a role counts: here it tells them apart.
    sandbox.write("bad.csv", "id,q,t,town\nSECRETa,x,1,A\nSECRETb,x,1,B\nSECRETc,x,1,B\n");
    let hidden = sandbox.snapshot("check-foreign-fails", &[&["check", "bad.csv"], &model[..]].concat());
    assert!(hidden.code == 1 && hidden.stdout.contains("line 2") && !hidden.stdout.contains("SECRET"));
    let shown =
        sandbox.snapshot("check-foreign-fails-shown", &[&["check", "bad.csv", "--show-values"], &model[..]].concat());
    assert!(shown.stdout.contains("SECRETa"));
    sandbox.snapshot("check-no-model", &["check", "good.csv"]);
    sandbox.snapshot("check-unknown-model", &["check", "good.csv", "--model", "k-anonymity"]);
    sandbox.snapshot("check-k-1", &["check", "good.csv", "--model", "user-k-anonymity", "--k", "1"]);
}

// Bad input.

/// A file that cannot be read: every command that reads it exits 2, names the place, shows nothing and leaves nothing.
fn refused(name: &str, file: &str, bytes: &[u8], place: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.write(file, bytes);
    let before = sandbox.listing();
    let protect = ["protect", file, "--out", "out", "--k", "2", "--key", "key.csv"];
    let ran = sandbox.snapshot(&format!("bad-{name}"), &protect);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(place), "no {place} in {}", ran.stderr);
    assert!(ran.stderr.contains("\nhint: "), "nothing says what to do: {}", ran.stderr);
    assert!(!ran.stderr.contains("SECRET"), "{}", ran.stderr);
    assert_eq!(sandbox.listing(), before, "something was left behind");
    for args in [
        &["inspect", file][..],
        &["check", file, "--model", "user-k-anonymity", "--k", "2"],
        &["measure", file, file],
        &["inspect", file, "--distance", "SECRETann", "SECRETbob"],
    ] {
        let other = sandbox.run(args);
        assert_eq!((other.code, other.stdout.as_str()), (2, ""), "{args:?}: {}", other.stderr);
        assert!(other.stderr.contains(place) && !other.stderr.contains("SECRET"), "{args:?}: {}", other.stderr);
    }
    assert_eq!(sandbox.listing(), before);
    let shown = sandbox.run(&[&protect[..], &["--show-values"]].concat());
    assert_eq!(shown.code, 2);
    shown.stderr
}

/// The small log with one more line at the end, its 14th.
fn log_and(line: &[u8]) -> Vec<u8> {
    [LOG.as_bytes(), line, b"\n"].concat()
}

#[test]
fn malformed_lines() {
    refused("few-columns", "bad.tsv", &log_and(b"SECRETzoe\tSECRET query"), "bad.tsv:14");
    refused(
        "many-columns",
        "bad.tsv",
        &log_and(b"SECRETzoe\tSECRET\t2006-03-01 10:00:00\t1\tx.org\tSECRET"),
        "bad.tsv:14",
    );
    refused("no-id", "bad.tsv", &log_and(b"\tSECRET query\t2006-03-01 10:00:00"), "bad.tsv:14");
    let shown = refused("time", "bad.tsv", &log_and(b"SECRETzoe\tSECRET query\tSECRETday"), "bad.tsv:14");
    assert!(shown.contains("SECRETday") && !shown.contains("SECRETzoe"), "{shown}");
    let rank = b"SECRETzoe\tSECRET query\t2006-03-01 10:00:00\tSECRETrank\tx.org";
    let shown = refused("rank", "bad.tsv", &log_and(rank), "bad.tsv:14");
    assert!(shown.contains("SECRETrank"), "{shown}");
    refused("utf-8", "bad.tsv", &log_and(b"SECRETzoe\tSECRET \xff query\t2006-03-01 10:00:00"), "bad.tsv:14");
    refused("utf-8-id", "bad.tsv", &log_and(b"SECRET\xfe\troses\t2006-03-01 10:00:00"), "bad.tsv:14");
}

#[test]
fn malformed_lines_of_other_formats() {
    // Lines inside quotes count: the bad one is the sixth.
    let csv = "user,query,time\nann,\"two\nlines\",2006-03-01 10:00:00\nbob,x,2006-03-01 10:00:00\n\nSECRETzoe,\"SECRET\nx\",never\n";
    refused("csv", "bad.csv", csv.as_bytes(), "bad.csv:6");
    refused("csv-crlf", "bad.csv", csv.replace('\n', "\r\n").as_bytes(), "bad.csv:6");
    let json = "{\"user\":1,\"query\":\"x\",\"time\":1149116452}\n\n{\"user\":\"SECRET\",\"query\":\"SECRET\"";
    refused("jsonl", "bad.jsonl", json.as_bytes(), "bad.jsonl:3");
    let nested =
        "{\"user\":1,\"query\":\"x\",\"time\":1149116452}\n{\"user\":1,\"query\":[\"SECRET\"],\"time\":1149116452}\n";
    refused("jsonl-nested", "bad.jsonl", nested.as_bytes(), "bad.jsonl:2");
    refused("jsonl-first", "bad.jsonl", b"{\"user\": SECRET\n", "bad.jsonl:1");
    refused("json-array", "bad.json", b"[{\"user\":\"SECRET\",\"query\":\"x\",\"time\":1}]\n", "bad.json:1");
    let utf16: Vec<u8> = "\u{feff}user,query,time\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused("utf-16", "bad.csv", &utf16, "bad.csv");
}

#[test]
fn columns_that_are_not_there() {
    refused("no-time", "bad.csv", b"user,query\nSECRETann,roses\n", "bad.csv:1");
    refused("semicolons", "bad.csv", b"user;query;time\nSECRETann;SECRET roses;2006-03-01 10:00:00\n", "bad.csv:1");
    refused("one-column", "bad.tsv", b"SECRET roses\nSECRET cars\n", "bad.tsv:1");
    refused("no-header", "bad.csv", b"SECRETann,SECRET roses,SECRET,2006-03-01 10:00:00\n", "bad.csv:1");
    let sandbox = Sandbox::with_log();
    sandbox.snapshot("bad-column", &["inspect", "log.tsv", "--column", "user=nobody"]);
    sandbox.snapshot("bad-column-role", &["inspect", "log.tsv", "--column", "usr=AnonID"]);
    sandbox.snapshot("bad-column-form", &["inspect", "log.tsv", "--column", "AnonID"]);
}

#[test]
fn a_line_above_the_limit() {
    let mut line = b"SECRETzoe\t".to_vec();
    line.resize((16 << 20) + 100, b'a');
    line.extend_from_slice(b"\t2006-03-01 10:00:00\nSECRETann\tused cars\t2006-03-01 10:00:00");
    let shown = refused("long-line", "bad.tsv", &log_and(&line), "bad.tsv:14");
    assert!(shown.len() < 2000, "a long line is not shown whole");
    // It is one malformed line like any other; the line after it is read.
    let sandbox = Sandbox::new();
    sandbox.write("bad.tsv", log_and(&line));
    let found = sandbox.done(&["inspect", "bad.tsv", "--bad-lines", "skip", "--json"]).json();
    assert_eq!((&found["rows"], &found["rows_refused"]), (&json!(13), &json!(1)));
}

#[test]
fn damaged_compression() {
    let sandbox = Sandbox::new();
    for format in ["tsv.gz", "csv.zst", "parquet"] {
        let made = format!("made.{format}");
        sandbox.done(&["synth", "queries", "--persons", "30", "--out", &made]);
        let bytes = fs::read(sandbox.path(&made)).unwrap();
        for (which, keep) in [("half", bytes.len() / 2), ("end", bytes.len() - 3)] {
            let file = format!("cut.{format}");
            refused(&format!("cut-{which}-{format}"), &file, &bytes[..keep], &file);
        }
    }
}

#[test]
fn nobody_in_it() {
    refused("empty", "bad.tsv", b"", "bad.tsv");
    refused("header-only", "bad.tsv", b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", "bad.tsv");
    refused("header-only-csv", "bad.csv", b"user,query,time", "bad.csv");
}

#[test]
fn too_few_persons() {
    let sandbox = Sandbox::with_log();
    sandbox.write("one.tsv", LOG.lines().take(3).collect::<Vec<_>>().join("\n"));
    let before = sandbox.listing();
    for (name, args) in [
        ("one-person", ["protect", "one.tsv", "--out", "out", "--k", "2", "--key", "key.csv"]),
        ("fewer-than-k", ["protect", "log.tsv", "--out", "out", "--k", "8", "--key", "key.csv"]),
    ] {
        let ran = sandbox.snapshot(&format!("bad-{name}"), &args);
        assert!(ran.code == 2 && !ran.stderr.contains("SECRET") && ran.stderr.contains(args[1]), "{}", ran.stderr);
        assert_eq!(sandbox.listing(), before);
    }
    // One person can be looked at.
    sandbox.snapshot("inspect-one-person", &["inspect", "one.tsv"]);
}

#[test]
fn requests_that_are_refused() {
    let sandbox = Sandbox::with_log();
    fs::create_dir(sandbox.path("there")).unwrap();
    sandbox.write("there/file", "x");
    sandbox.write("key.csv", "x");
    sandbox.write("other.csv.json", "x");
    let before = sandbox.listing();
    let base = ["protect", "log.tsv", "--out", "out"];
    let cases: [(&str, &[&str]); 21] = [
        ("k-0", &["--k", "0"]),
        ("k-1", &["--k", "1"]),
        ("k-abc", &["--k", "abc"]),
        ("k-negative", &["--k=-3"]),
        (
            "k-and-more",
            &["--method", "user-microaggregation", "--k", "many", "--average", "mode", "--time-resolution", "soon"],
        ),
        ("time-resolution-0", &["--method", "user-microaggregation", "--time-resolution", "0s"]),
        ("min-persons-0", &["--min-persons", "0"]),
        ("weight-negative", &["--weight-words=-1"]),
        ("unknown-method", &["--method", "user-microagregation"]),
        ("unknown-measure", &["--measure", "sum-of-square"]),
        ("unknown-format", &["--format", "xlsx"]),
        ("unknown-kind", &["--kind", "querys"]),
        ("unknown-flag", &["--kk", "3"]),
        ("seed-abc", &["--seed", "abc"]),
        ("threads-0", &["--threads", "0"]),
        ("bad-lines-word", &["--bad-lines", "ignore"]),
        ("key-inside", &["--key", "out/key.csv"]),
        ("key-inside-dots", &["--key", "there/../out/key.csv"]),
        ("key-is-the-release", &["--key", "out"]),
        ("key-exists", &["--key", "key.csv"]),
        ("key-companion-exists", &["--key", "other.csv"]),
    ];
    for (name, flags) in cases {
        let ran = sandbox.snapshot(&format!("refused-{name}"), &[&base[..], flags].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        assert_eq!(sandbox.listing(), before, "{name} left something behind");
    }
    for (name, args) in [
        ("column-before-file", &["protect", "--column", "user=AnonID", "log.tsv", "--out", "out"][..]),
        ("no-parquet", &["inspect", "log.tsv", "--format", "parquet"]),
        ("key-nowhere", &["protect", "log.tsv", "--out", "out", "--key", "no/where.csv"]),
        ("out-exists", &["protect", "log.tsv", "--out", "there", "--k", "2"]),
        ("out-nowhere", &["protect", "log.tsv", "--out", "no/where", "--k", "2"]),
        ("no-file", &["protect", "nothing.tsv", "--out", "out"]),
        ("no-file-inspect", &["inspect", "nothing.tsv"]),
        ("folder-without-certificate", &["inspect", "there"]),
        ("no-out", &["protect", "log.tsv"]),
        ("key-of-another-release", &["measure", "log.tsv", "log.tsv", "--key", "key.csv"]),
        ("key-is-no-file", &["measure", "log.tsv", "log.tsv", "--key", "nokey.csv"]),
        ("json-and-stdout", &["synth", "queries", "--out", "-", "--json"]),
    ] {
        let ran = sandbox.snapshot(&format!("refused-{name}"), args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        assert_eq!(sandbox.listing(), before, "{name} left something behind");
    }
}

#[test]
fn comparisons_that_are_refused() {
    let sandbox = Sandbox::with_log();
    sandbox.write("baskets.dat", support::BASKETS);
    let before = sandbox.listing();
    let base = ["compare", "log.tsv", "--out", "out"];
    let methods = ["--methods", "user-microaggregation"];
    let cases: [(&str, &[&str]); 17] = [
        ("unknown-measure", &["--k", "2", "--measures", "sum-of-square"]),
        ("measure-of-another-kind", &["--k", "2", "--measures", "average-length"]),
        ("k-empty-range", &["--k", "5..2"]),
        ("k-empty", &["--k", ""]),
        ("k-word", &["--k", "2..many"]),
        ("k-too-many", &["--k", "2..2000"]),
        ("k-below-2", &["--k", "1..3"]),
        ("k-above-persons", &["--k", "2..8"]),
        ("sample-below-k", &["--k", "2..6", "--sample", "5"]),
        ("unknown-method", &["--k", "2", "--methods", "user-microagregation"]),
        ("unknown-parameter", &["--k", "2", "--methods", "user-microaggregation:avrage=medoid"]),
        ("bad-parameter", &["--k", "2", "--methods", "user-microaggregation:average=mode"]),
        ("k-as-parameter", &["--k", "2", "--methods", "user-microaggregation:k=3"]),
        ("method-twice", &["--k", "2", "--methods", "user-microaggregation,user-microaggregation"]),
        ("different-kinds", &["--k", "2", "--methods", "user-microaggregation,flock"]),
        ("held-out-other-measure", &["--k", "2", "--held-out", "--measures", "interests-kept,rare-content"]),
        // One person has lines on both.
        ("held-out-few", &["--k", "2", "--held-out"]),
    ];
    for (name, flags) in cases {
        let chosen = if flags.contains(&"--methods") { &[][..] } else { &methods };
        let ran = sandbox.snapshot(&format!("compare-refused-{name}"), &[&base[..], chosen, flags].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        let says_what_to_do = ran.stderr.contains("\nhint: ") || ran.stderr.contains("must be one of");
        assert!(says_what_to_do && !ran.stderr.contains("SECRET"), "{name}: {}", ran.stderr);
        assert_eq!(sandbox.listing(), before, "{name} left something behind");
    }
    for (name, args) in [
        (
            "method-of-another-kind",
            &["compare", "baskets.dat", "--out", "out", "--methods", "user-microaggregation"][..],
        ),
        ("standard-input", &["compare", "-", "--out", "out", "--methods", "user-microaggregation"]),
        ("out-nowhere", &["compare", "log.tsv", "--out", "no/where", "--methods", "user-microaggregation"]),
        ("held-out-baskets", &["compare", "baskets.dat", "--out", "out", "--methods", "flock", "--held-out"]),
    ] {
        let ran = sandbox.snapshot(&format!("compare-refused-{name}"), args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        assert_eq!(sandbox.listing(), before, "{name} left something behind");
    }
}

#[test]
fn a_comparison_on_held_out_days() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "60", "--mean-lines", "20", "--seed", "2", "--out", "log.tsv"]);
    let methods = ["--methods", "user-microaggregation,kindred:min-persons=1", "--k", "3,30"];
    sandbox
        .snapshot("compare-held-out", &[&["compare", "log.tsv", "--held-out", "--out", "out"], &methods[..]].concat());
    let comparison = sandbox.json("out/comparison.json");
    let [build, score, left_out] =
        ["build_rows", "score_rows", "persons_left_out"].map(|key| comparison["held_out"][key].as_u64().unwrap());
    let log = sandbox.read("log.tsv");
    assert_eq!(comparison["input"]["rows"], build + score);
    assert_eq!(comparison["input"]["persons"], 60 - left_out);
    assert!(left_out > 0 && build + score < log.lines().count() as u64 - 1, "{left_out}");
    let csv = sandbox.read("out/comparison.csv");
    assert!(
        csv.starts_with("method,k,persons_dropped,build_rows,score_rows,persons_left_out,interests-kept,"),
        "{csv}"
    );
    assert!(csv.contains(&format!(",0,{build},{score},{left_out},")), "{csv}");
    assert!(sandbox.read("out/comparison.html").contains("are judged by"));

    // The same as protecting the even days and measuring the release against the odd days, in files.
    let is_odd = |line: &&str| {
        let time = throng_core::data::time::parse_aol(line.split('\t').nth(2).unwrap()).unwrap();
        throng_core::data::time::day(time) % 2 == 1
    };
    let (odd, even): (Vec<&str>, Vec<&str>) = log.lines().skip(1).partition(is_odd);
    let persons = |lines: &[&str]| -> std::collections::BTreeSet<String> {
        lines.iter().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    };
    let both: Vec<String> = persons(&odd).intersection(&persons(&even)).cloned().collect();
    for (name, lines) in [("even.tsv", &even), ("odd.tsv", &odd)] {
        let own = lines.iter().filter(|line| both.iter().any(|person| line.split('\t').next() == Some(person)));
        sandbox.write(
            name,
            [log.lines().next().unwrap()].iter().chain(own).map(|line| format!("{line}\n")).collect::<String>(),
        );
    }
    let protect =
        ["--method", "user-microaggregation", "--k", "3", "--key", "key.csv", "--seed", "0", "--out", "release"];
    sandbox.done(&[&["protect", "even.tsv"], &protect[..]].concat());
    let measure = ["--key", "key.csv", "--measure", "interests-kept,held-out-linkage", "--k", "5", "--json"];
    let measured = sandbox.done(&[&["measure", "odd.tsv", "release"], &measure[..]].concat()).json();
    assert_eq!(measured["measures"], comparison["cells"][0]["measures"]);

    let sandbox = Sandbox::new();
    sandbox.write("one-day-each.tsv", support::LOG.replace("2006-03-05", "2006-03-04"));
    let nobody = ["compare", "one-day-each.tsv", "--held-out", "--out", "out"];
    assert_eq!(sandbox.snapshot("compare-refused-held-out-nobody", &[&nobody[..], &methods].concat()).code, 2);
}

#[test]
fn folders_in_which_no_comparison_goes_on() {
    let sandbox = Sandbox::with_log();
    let compare = ["compare", "log.tsv", "--out", "out", "--methods", "user-microaggregation", "--k", "2..3"];
    sandbox.done(&compare);
    sandbox.snapshot("compare-refused-finished", &compare);
    fs::remove_dir_all(sandbox.path("out")).unwrap();
    fs::create_dir_all(sandbox.path("out/unfinished")).unwrap();
    for (name, plan) in [
        ("another-version", "{\"format\": 1, \"throng\": \"0.0.1\", \"from\": \"long ago\"}"),
        ("damaged", "{\"format\": 1, \"thro"),
    ] {
        sandbox.write("out/unfinished/plan.json", plan);
        let ran = sandbox.snapshot(&format!("compare-refused-{name}"), &compare);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        assert_eq!(sandbox.read("out/unfinished/plan.json"), plan);
    }
    fs::remove_dir_all(sandbox.path("out/unfinished")).unwrap();
    sandbox.snapshot("compare-refused-exists", &compare);
}

#[test]
fn a_key_under_a_link_to_the_release_is_inside_it() {
    #[cfg(unix)]
    {
        let sandbox = Sandbox::with_log();
        std::os::unix::fs::symlink(".", sandbox.path("here")).unwrap();
        let ran = sandbox.run(&["protect", "log.tsv", "--out", "out", "--k", "2", "--key", "here/out/key.csv"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(!sandbox.path("out").exists() && ran.stderr.contains("inside the release folder"), "{}", ran.stderr);
    }
}

#[test]
fn bad_lines_can_be_skipped_and_are_counted() {
    let sandbox = Sandbox::new();
    let bad = b"SECRETzoe\tSECRET query\nSECRETzoe\tx\tnever\nSECRETzoe\tx\t2006-03-01 10:00:00\tfirst\nSECRET\xff\tx\t2006-03-01 10:00:00";
    sandbox.write("bad.tsv", log_and(bad));
    let args =
        ["protect", "bad.tsv", "--out", "out", "--min-persons", "1", "--k", "3", "--seed", "5", "--bad-lines", "skip"];
    let ran = sandbox.snapshot("bad-lines-skip", &args);
    assert_eq!(ran.code, 0);
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(certificate["accounting"]["rows_refused"], 4);
    assert_eq!(certificate["input"]["rows"], 12);
    // The first line of a file without a header is a line like any other.
    let good = "{\"user\":1,\"query\":\"x\",\"time\":1149116452}\n";
    sandbox.write("first.jsonl", format!("\n{{\"user\": SECRET\n{good}"));
    sandbox.write("first.tsv", "SECRETzoe\tx\tnever\nann\tx\t2006-03-01 10:00:00\n");
    for file in ["first.jsonl", "first.tsv"] {
        let found = sandbox.done(&["inspect", file, "--bad-lines", "skip", "--json"]).json();
        assert_eq!((&found["rows"], &found["rows_refused"]), (&json!(1), &json!(1)), "{file}");
        assert_eq!(sandbox.run(&["inspect", file]).code, 2, "{file}");
    }
    // Nothing but bad lines is an error again.
    sandbox.write("all.tsv", "AnonID\tQuery\tQueryTime\nSECRETzoe\tx\n");
    let ran = sandbox.snapshot("bad-lines-all", &["inspect", "all.tsv", "--bad-lines", "skip"]);
    assert_eq!(ran.code, 2);
}

// Ends that come early.

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

#[test]
fn memory_is_judged_at_the_start() {
    let sandbox = Sandbox::with_log();
    let protect = [
        "protect",
        "log.tsv",
        "--out",
        "out",
        "--method",
        "user-microaggregation",
        "--k",
        "2",
        "--seed",
        "5",
        "--threads",
        "2",
        "--memory",
    ];
    sandbox.snapshot("refused-memory", &[&protect[..], &["20M"]].concat());
    sandbox.snapshot("refused-memory-word", &[&protect[..], &["much"]].concat());
    let short = sandbox.done(&[&protect[..], &["110M", "--json"]].concat()).json();
    assert_eq!(short["skipped"][0]["name"], "semantic-loss");
    assert!(short["skipped"][0]["reason"].as_str().unwrap().ends_with("above what `--memory` allows"), "{short}");
    let with_enough = sandbox.done(&[
        "protect",
        "log.tsv",
        "--out",
        "enough",
        "--method",
        "user-microaggregation",
        "--k",
        "2",
        "--seed",
        "5",
        "--memory",
        "1G",
        "--quiet",
    ]);
    let without_limit = sandbox.done(&[
        "protect",
        "log.tsv",
        "--out",
        "none",
        "--method",
        "user-microaggregation",
        "--k",
        "2",
        "--seed",
        "5",
        "--quiet",
    ]);
    assert_eq!(with_enough.stderr, without_limit.stderr);
    for file in ["data.tsv", "report.json"] {
        assert_eq!(sandbox.read(&format!("enough/{file}")), sandbox.read(&format!("none/{file}")));
    }
    assert_eq!(sandbox.read("out/data.tsv"), sandbox.read("none/data.tsv"));
}

/// Waits until the command has begun to write its release, and interrupts it.
#[cfg(unix)]
fn interrupt(sandbox: &Sandbox, mut child: Child) -> (Option<i32>, String) {
    let end = Instant::now() + Duration::from_secs(30);
    while !sandbox.listing().iter().any(|name| name.starts_with(".throng-")) {
        assert!(Instant::now() < end && child.try_wait().unwrap().is_none(), "the command did not begin");
        std::thread::yield_now();
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let code = child.wait().unwrap().code();
    let mut words = String::new();
    child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
    (code, words)
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing() {
    let sandbox = Sandbox::new();
    // Enough persons for half a minute of distances.
    sandbox.done(&["synth", "queries", "--persons", "4000", "--mean-lines", "30", "--out", "log.tsv", "--quiet"]);
    let before = sandbox.listing();
    let child = sandbox.command(&["protect", "log.tsv", "--out", "out", "--key", "key.csv"]).spawn().unwrap();
    let (code, words) = interrupt(&sandbox, child);
    assert_eq!(code, Some(130), "{words}");
    assert!(words.contains("interrupted"), "{words}");
    assert_eq!(sandbox.listing(), before);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_its_checkpoint() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "2000", "--mean-lines", "30", "--out", "log.tsv", "--quiet"]);
    let child = sandbox.command(&["protect", "log.tsv", "--out", "out", "--checkpoint", "kept"]).spawn().unwrap();
    let (code, words) = interrupt(&sandbox, child);
    assert_eq!(code, Some(130), "{words}");
    assert!(words.contains("only the checkpoint stays"), "{words}");
    assert_eq!(sandbox.listing(), ["kept/", "kept/journal", "log.tsv"]);
}

#[cfg(unix)]
#[test]
fn a_run_that_waits_for_its_input_can_be_interrupted() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["protect", "-", "--out", "out"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(LOG.as_bytes()).unwrap();
    let (code, words) = interrupt(&sandbox, child);
    assert_eq!(code, Some(130), "{words}");
    assert!(sandbox.listing().is_empty(), "{:?}", sandbox.listing());
}

// Baskets.

#[test]
fn baskets_protect_check_measure_inspect() {
    let sandbox = Sandbox::with_baskets();
    sandbox.snapshot("baskets-inspect", &["inspect", "baskets.dat", "--taxonomy", "food.csv"]);
    let protect = ["protect", "baskets.dat", "--out", "out", "--k", "2", "--seed", "5", "--taxonomy", "food.csv"];
    sandbox.snapshot("baskets-protect", &[&protect[..], &["--key", "key.csv"]].concat());
    sandbox.snapshot("baskets-check-release", &["check", "out"]);
    sandbox
        .snapshot("baskets-check-fails", &["check", "baskets.dat", "--model", "transaction-k-anonymity", "--k", "2"]);
    sandbox.snapshot("baskets-check-km", &["check", "baskets.dat", "--model", "km-anonymity", "--k", "2", "--m", "2"]);
    let shown = ["check", "baskets.dat", "--model", "km-anonymity", "--k", "2", "--m", "9", "--show-values"];
    sandbox.snapshot("baskets-check-m-above-the-longest", &shown);
    let measure = ["measure", "baskets.dat", "out", "--key", "key.csv", "--taxonomy", "food.csv"];
    sandbox.snapshot("baskets-measure", &measure);
    sandbox.snapshot("baskets-measure-without-key-and-taxonomy", &["measure", "baskets.dat", "out"]);
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(certificate["input"], json!({"kind": "baskets", "persons": 7, "rows": 16}));
    assert_eq!((&certificate["ids"], &certificate["taxonomy"]["name"]), (&json!("none"), &json!("food.csv")));
    for file in ["out/certificate.json", "out/report.json", "out/report.html"] {
        assert!(!sandbox.read(file).contains("SECRET"), "{file}");
    }
    assert_eq!(sandbox.read("out/data.fimi").lines().count(), 7);
    assert!(sandbox.read("key.csv").starts_with("person,pseudonym,group\n1,"));
}

#[test]
fn baskets_with_sensitive_items() {
    let sandbox = Sandbox::with_baskets();
    let protect = ["protect", "baskets.dat", "--out", "out", "--method", "cahd", "--p", "2", "--seed", "5"];
    sandbox.snapshot("baskets-cahd", &[&protect[..], &["--sensitive", "sensitive.txt"]].concat());
    assert!(sandbox.read("out/data.jsonl").contains("\"sensitive\":{\"Beef\":"));
    sandbox.snapshot("baskets-cahd-check", &["check", "out"]);
    let rho = ["check", "baskets.dat", "--model", "rho-uncertainty", "--rho", "0.5"];
    sandbox.snapshot("baskets-no-sensitive-items", &rho);
    sandbox.write("other.txt", "Beef\nSECRETnobody\n");
    let missing =
        sandbox.snapshot("baskets-check-sensitive-missing", &[&rho[..], &["--sensitive", "other.txt"]].concat());
    assert!(!missing.stderr.contains("SECRET") && missing.stderr.contains("does not occur"));
    let refused =
        ["protect", "baskets.dat", "--out", "new", "--method", "cahd", "--p", "2", "--sensitive", "other.txt"];
    let refused = sandbox.snapshot("baskets-protect-sensitive-missing", &refused);
    assert!(refused.code == 2 && !refused.stderr.contains("SECRET"));
}

#[test]
fn baskets_that_are_refused() {
    let sandbox = Sandbox::with_baskets();
    let protect = |more: &[&'static str]| [&["protect", "baskets.dat", "--out", "out"], more].concat();
    sandbox.snapshot("baskets-refused-no-taxonomy", &protect(&[]));
    sandbox.snapshot("baskets-refused-k", &protect(&["--k", "8", "--taxonomy", "food.csv"]));
    sandbox.write("small.csv", "child,parent\nBeef,Food\nApple,Food\n");
    let unknown = sandbox.snapshot("baskets-refused-unknown-items", &protect(&["--taxonomy", "small.csv"]));
    assert!(!unknown.stderr.contains("SECRET"));
    sandbox.snapshot("baskets-unknown-rule", &protect(&["--taxonomy", "small.csv", "--unknown", "leaf"]));
    sandbox.write("rootless.csv", "child,parent\na,b\nb,a\n");
    sandbox.snapshot("baskets-refused-rootless", &protect(&["--taxonomy", "rootless.csv"]));
    sandbox.write("roots.csv", "child,parent\na,b\nc,d\n");
    sandbox.snapshot("baskets-refused-two-roots", &protect(&["--taxonomy", "roots.csv"]));
    sandbox.snapshot("baskets-refused-kind", &protect(&["--method", "user-microaggregation"]));
    sandbox.snapshot("baskets-refused-tsv", &protect(&["--format", "tsv", "--taxonomy", "food.csv", "--k", "2"]));
    sandbox.snapshot("baskets-not-a-log", &["inspect", "baskets.dat", "--kind", "queries"]);
    assert!(!sandbox.path("out").exists());
}

#[test]
fn baskets_of_words_and_made_up_ones() {
    let sandbox = Sandbox::with_log();
    sandbox.write("words.csv", "child,parent\ncars,thing\ncar,thing\ngarden,thing\nroses,thing\nweather,thing\n");
    let protect = ["protect", "log.tsv", "--out", "out", "--as", "baskets", "--taxonomy", "words.csv", "--k", "2"];
    sandbox.snapshot("words-protect", &[&protect[..], &["--seed", "5"]].concat());
    assert!(
        sandbox.read("out/data.tsv").starts_with("AnonID\titem\n") && !sandbox.read("out/data.tsv").contains("SECRET")
    );
    sandbox.snapshot("words-check", &["check", "out"]);
    sandbox.snapshot("words-forgotten", &["protect", "log.tsv", "--out", "new", "--method", "clump"]);
    let synth = ["synth", "baskets", "--persons", "20", "--taxonomy", "words.csv", "--seed", "3", "--out", "made.dat"];
    sandbox.snapshot("synth-baskets", &synth);
    assert_eq!(sandbox.read("made.dat").lines().count(), 20);
    assert_eq!(sandbox.done(&["inspect", "made.dat", "--json"]).json()["kind"], "baskets");
}

/// Documents on three topics, in a folder for each.
fn texts(sandbox: &Sandbox) {
    let topics = [
        ("animals", ["cat", "dog", "horse", "lion", "tiger", "monkey"]),
        ("plants", ["oak", "elm", "rose", "tulip", "fern", "moss"]),
        ("tools", ["hammer", "saw", "drill", "chisel", "wrench", "pliers"]),
    ];
    for (topic, nouns) in topics {
        std::fs::create_dir_all(sandbox.path(&format!("texts/{topic}"))).unwrap();
        for at in 0..6 {
            let (first, second, third) = (nouns[at], nouns[(at + 1) % 6], nouns[(at + 3) % 6]);
            let text = format!("The {first}s and a {second}, and the {first} of SECRETname{at} by the {third}.\n");
            sandbox.write(&format!("texts/{topic}/SECRET{at}.txt"), text);
        }
    }
    sandbox.write("texts/notes.doc", "no document");
}

#[test]
fn documents_protect_check_measure_inspect() {
    let sandbox = Sandbox::new();
    texts(&sandbox);
    sandbox.snapshot("documents-inspect", &["inspect", "texts"]);
    let protect = ["protect", "texts", "--out", "out", "--k", "3", "--seed", "5", "--key", "key.csv"];
    sandbox.snapshot("documents-protect", &protect);
    sandbox.snapshot("documents-check-release", &["check", "out"]);
    let fails = ["check", "texts", "--model", "record-k-anonymity", "--k", "2"];
    assert!(!sandbox.snapshot("documents-check-fails", &fails).stdout.contains("SECRET"));
    sandbox.snapshot("documents-measure", &["measure", "texts", "out", "--key", "key.csv"]);
    sandbox.snapshot("documents-measure-without-key", &["measure", "texts", "out"]);
    sandbox.snapshot("documents-inspect-release", &["inspect", "out"]);
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(certificate["input"], json!({"kind": "documents", "persons": 18, "rows": 55}));
    assert_eq!(certificate["output"]["columns"], json!({"id": "id", "terms": "terms"}));
    for file in ["out/certificate.json", "out/report.json", "out/report.html", "out/data.jsonl"] {
        let text = sandbox.read(file);
        assert!(!text.contains("SECRET") && !text.contains("animals") && !text.contains(".txt"), "{file}");
    }
    assert_eq!(sandbox.read("out/data.jsonl").lines().count(), 18);
    let csv = ["protect", "texts", "--out", "csv", "--k", "3", "--seed", "5", "--format", "csv", "--json"];
    assert_eq!(sandbox.done(&csv).json()["certificate"]["output"]["file"], "data.csv");
    assert!(sandbox.read("csv/data.csv").starts_with("id,term,weight\n"));
    assert_eq!(sandbox.done(&["check", "csv", "--json"]).json()["verdict"], "holds");
}

#[test]
fn documents_that_are_refused() {
    let sandbox = Sandbox::new();
    texts(&sandbox);
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.snapshot("documents-refused-empty-folder", &["inspect", "empty"]);
    sandbox.write("texts/animals/scan.pdf", "%PDF-1.4\nSECRET");
    sandbox.snapshot("documents-refused-damaged-pdf", &["inspect", "texts"]);
    sandbox.snapshot("documents-damaged-pdf-skipped", &["inspect", "texts", "--bad-lines", "skip"]);
    sandbox.write("d.jsonl", "{\"id\":1,\"text\":\"cat SECRET\"}\n{\"id\":1,\"text\":\"dog\"}\n");
    sandbox.snapshot("documents-refused-label-missing", &["inspect", "d.jsonl", "--column", "label=topic"]);
    sandbox.snapshot("documents-refused-two-of-one-id", &["inspect", "d.jsonl"]);
    sandbox.snapshot("documents-refused-few", &["protect", "d.jsonl", "--out", "out", "--bad-lines", "skip"]);
    sandbox.snapshot("documents-refused-kind", &["inspect", "texts", "--kind", "baskets"]);
    sandbox.snapshot("documents-refused-format", &["protect", "d.jsonl", "--out", "out", "--format", "parquet"]);
}

#[test]
fn documents_made_up() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("documents-synth", &["synth", "documents", "--persons", "30", "--seed", "3", "--out", "d.jsonl"]);
    sandbox.done(&["synth", "documents", "--persons", "30", "--seed", "3", "--out", "folder"]);
    let (file, folder) =
        (sandbox.done(&["inspect", "d.jsonl", "--json"]), sandbox.done(&["inspect", "folder", "--json"]));
    let (file, folder) = (file.json(), folder.json());
    for key in ["persons", "rows", "words", "distinct_terms", "labels", "lengths"] {
        assert_eq!(file[key], folder[key], "{key}");
    }
    sandbox.snapshot("documents-synth-refused", &["synth", "documents", "--out", "d.doc"]);
}

/// A log in which seven persons look for what WordNet knows, and one for what it does not.
fn log_with_meaning(sandbox: &Sandbox) {
    let mut log = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n".to_owned();
    let queries = [
        ("ann", "AC charger for a new phone"),
        ("ann", "SECRET clinic"),
        ("bob", "telephones"),
        ("bob", "weather"),
        ("cid", "jaguars"),
        ("cid", "weather"),
        ("dan", "leopard"),
        ("dan", "weather"),
        ("eve", "a tiger and some lions"),
        ("eve", "weather"),
        ("fay", "weather"),
        ("fay", "laptop"),
        ("gus", "weather"),
        ("gus", "notebook computers"),
        ("hal", "xqzzt"),
    ];
    for (at, (person, query)) in queries.iter().enumerate() {
        log.push_str(&format!("SECRET{person}\t{query}\t2006-03-01 10:{at:02}:00\t\t\n"));
    }
    sandbox.write("meant.tsv", log);
}

#[test]
fn meaning() {
    let sandbox = Sandbox::new();
    log_with_meaning(&sandbox);
    let shown = sandbox.snapshot("meaning-inspect", &["inspect", "meant.tsv", "--concepts"]);
    assert!(!shown.stdout.contains("SECRET") && shown.stdout.contains("weather"), "five persons share it");
    let method = |method: &'static str, out: &'static str| {
        ["protect", "meant.tsv", "--out", out, "--method", method, "--k", "2", "--seed", "1", "--key", out]
    };
    let mut semantic = method("semantic-microaggregation", "semantic");
    semantic[11] = "semantic.csv";
    sandbox.snapshot("meaning-protect", &semantic);
    let certificate = sandbox.json("semantic/certificate.json");
    assert_eq!(certificate["accounting"]["persons_dropped"], 1);
    assert_eq!(certificate["accounting"]["persons_without_concept"], 1);
    assert_eq!(certificate["taxonomy"]["by_phrase"], true);
    assert!(!sandbox.read("semantic/report.json").contains("SECRET"));
    sandbox.snapshot("meaning-measure", &["measure", "meant.tsv", "semantic", "--key", "semantic.csv"]);
    let mut interest = method("interest-microaggregation", "interest");
    interest[11] = "interest.csv";
    sandbox.snapshot("meaning-interest", &interest);
    sandbox.write("shop.csv", "child,parent\nscrew,hardware\nnail,hardware\n");
    let mut other = method("semantic-microaggregation", "none").to_vec();
    other.extend(["--taxonomy", "shop.csv"]);
    other[11] = "none.csv";
    sandbox.snapshot("meaning-refused-other-words", &other);
    other.extend(["--unknown", "error"]);
    sandbox.snapshot("meaning-refused-unknown", &other);
    other.pop();
    other.push("own-leaf");
    sandbox.snapshot("meaning-own-leaf", &other);
}
