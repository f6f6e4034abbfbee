//! `throng link encode`, and what is done with encoded files: match, translate, extract, review, attack.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Stdio;

use crate::support::{Ran, Sandbox};

pub(crate) const SCHEMA: &str = r#"{"version": 3, "clkConfig": {"l": 1024, "kdf": {"type": "HKDF"}}, "features": [
  {"identifier": "id", "ignored": true},
  {"identifier": "given_name", "format": {"type": "string"}, "hashing": {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerFeature": 40}}},
  {"identifier": "surname", "format": {"type": "string"}, "hashing": {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerFeature": 50}}},
  {"identifier": "birth", "format": {"type": "string"}, "hashing": {"comparison": {"type": "ngram", "n": 1, "positional": true}, "strategy": {"bitsPerFeature": 50}}},
  {"identifier": "postcode", "format": {"type": "string"}, "hashing": {"comparison": {"type": "ngram", "n": 1, "positional": true}, "strategy": {"bitsPerFeature": 25}}}]}"#;
const SECRET: &str = "correct horse battery staple";

/// Made-up people in two files, a schema and a secret.
fn with_people(records: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "records", "--records", records, "--seed", "1", "--out", "people"]);
    sandbox.write("schema.json", SCHEMA);
    sandbox.write("secret", format!("{SECRET}\n"));
    sandbox
}

/// Runs a command that asks, with these answers.
fn answered(sandbox: &Sandbox, args: &[&str], answers: &str) -> Ran {
    let mut child = sandbox.command(args).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
    Ran::from(child.wait_with_output().unwrap())
}

/// The arguments that encode a file.
fn encode<'a>(file: &'a str, out: &'a str, key: &'a str) -> Vec<&'a str> {
    vec!["link", "encode", file, "--schema", "schema.json", "--secret-file", "secret", "--out", out, "--key", key]
}

fn encode_both(sandbox: &Sandbox, more: &[&str]) {
    for [file, out, key] in [["people/a.csv", "a.clk", "a.key"], ["people/b.csv", "b.clk", "b.key"]] {
        sandbox.done(&[&encode(file, out, key), more].concat());
    }
}

fn f1(sandbox: &Sandbox, pairs: &str) -> f64 {
    sandbox.done(&["link", "translate", pairs, "--a", "a.key", "--b", "b.key", "--out", &format!("{pairs}.ids")]);
    let args = ["link", "evaluate", &format!("{pairs}.ids"), "--truth", "people/truth.csv", "--json"];
    sandbox.done(&args).json()["f1"].as_f64().unwrap()
}

#[test]
fn help_of_encoded_linking() {
    let sandbox = Sandbox::new();
    for command in ["encode", "review", "translate", "extract"] {
        sandbox.snapshot(&format!("help-link-{command}"), &["link", command, "--help"]);
    }
    for command in ["pack", "choose", "open"] {
        sandbox.snapshot(&format!("help-link-extract-{command}"), &["link", "extract", command, "--help"]);
    }
}

#[test]
fn clkhashs_filters_in_the_order_of_the_file() {
    let sandbox = Sandbox::new();
    let cases: serde_json::Value =
        serde_json::from_str(include_str!("../../../../../testdata/clkhash/cases.json")).unwrap();
    let line = |row: &serde_json::Value| {
        let cells = row.as_array().unwrap().iter().map(|cell| format!("\"{}\"", cell.as_str().unwrap()));
        cells.collect::<Vec<_>>().join(",") + "\n"
    };
    let rows: String = cases["rows"].as_array().unwrap().iter().map(line).collect();
    sandbox.write("rows.csv", line(&cases["header"]) + &rows);
    sandbox.write("bare.csv", &rows);
    sandbox.write("secret", cases["secret"].as_str().unwrap());
    for (number, case) in cases["cases"].as_array().unwrap().iter().enumerate() {
        sandbox.write("schema.json", case["schema"].to_string());
        for (file, more) in [("rows.csv", &[][..]), ("bare.csv", &["--no-header"])] {
            let out = format!("{number}-{file}.json");
            let args = [
                "link",
                "encode",
                file,
                "--schema",
                "schema.json",
                "--secret-file",
                "secret",
                "--compat",
                "clkhash",
                "--out",
                &out,
            ];
            sandbox.done(&[&args, more].concat());
            let made: serde_json::Value = serde_json::from_str(&sandbox.read(&out)).unwrap();
            assert_eq!(made["clks"][0], case["first"], "{}", case["name"]);
            assert_eq!(made["clks"].as_array().unwrap().len(), 40);
        }
    }
}

#[test]
fn encoded_files_are_matched_by_who_has_no_secret() {
    let sandbox = with_people("300");
    let ran = sandbox.snapshot("link-encode", &encode("people/a.csv", "a.clk", "a.key"));
    assert!(ran.stdout.contains("a.clk"));
    sandbox.done(&encode("people/b.csv", "b.clk", "b.key"));
    sandbox.done(&["link", "match", "a.clk", "b.clk", "--out", "m.csv", "--one-to-one"]);
    let hardened = f1(&sandbox, "m.csv");
    assert!(hardened > 0.97, "{hardened}");
    // The same bytes with one thread.
    sandbox.done(&["link", "match", "a.clk", "b.clk", "--out", "m1.csv", "--one-to-one", "--threads", "1"]);
    assert_eq!(sandbox.read("m.csv"), sandbox.read("m1.csv"));
    // A holder translates its own side only.
    sandbox.done(&["link", "translate", "m.csv", "--a", "a.key", "--out", "mine.csv"]);
    assert!(sandbox.read("mine.csv").lines().nth(1).unwrap().starts_with('a'));
    sandbox.snapshot("link-translate-twice", &["link", "translate", "mine.csv", "--a", "a.key", "--out", "no.csv"]);
    // clkhash's files, with a threshold.
    for file in ["a", "b"] {
        let (from, out) = (format!("people/{file}.csv"), format!("{file}.json"));
        sandbox.done(&[
            "link",
            "encode",
            &from,
            "--schema",
            "schema.json",
            "--secret-file",
            "secret",
            "--compat",
            "clkhash",
            "--out",
            &out,
        ]);
    }
    sandbox.done(&[
        "link",
        "match",
        "a.json",
        "b.json",
        "--out",
        "mj.csv",
        "--classify",
        "threshold",
        "--upper",
        "0.7",
        "--lower",
        "0.7",
    ]);
    let first = sandbox.read("mj.csv").lines().nth(1).unwrap().to_owned();
    assert!(first.ends_with("match"), "{first}");
}

#[test]
fn each_encoding_and_block_tokens_find_the_same_people() {
    let sandbox = with_people("200");
    for (name, more, least) in [
        ("fields", &["--encoding", "fields"][..], 0.95),
        ("hash", &["--encoding", "hash", "--phonetic", "soundex"], 0.4),
        ("tokens", &["--block", "surname:nysiis,birth:year,given_name:nysiis", "--min-block", "3"], 0.95),
        ("mixed", &["--harden", "balance,diffusion=3,blip=0.01"], 0.9),
    ] {
        for file in ["a", "b"] {
            let (from, out, key) = (format!("people/{file}.csv"), format!("{file}-{name}.clk"), format!("{file}.key"));
            let _ = std::fs::remove_file(sandbox.path(&key));
            sandbox.done(&[&encode(&from, &out, &key), more].concat());
        }
        let pairs = format!("{name}.csv");
        let files = [format!("a-{name}.clk"), format!("b-{name}.clk")];
        let found =
            sandbox.done(&["link", "match", &files[0], &files[1], "--out", &pairs, "--one-to-one", "--json"]).json();
        let f1 = f1(&sandbox, &pairs);
        assert!(f1 > least, "{name}: {f1} {found}");
    }
    sandbox.snapshot("link-match-unlike", &["link", "match", "a-fields.clk", "b-hash.clk", "--out", "no.csv"]);
    sandbox.snapshot("link-match-hardening", &["link", "match", "a-mixed.clk", "b-tokens.clk", "--out", "no.csv"]);
    sandbox.snapshot("link-match-half-encoded", &["link", "match", "people/a.csv", "b-hash.clk", "--out", "no.csv"]);
    let damaged = sandbox.read("b-mixed.clk").replacen("A", "B", 40);
    sandbox.write("damaged.clk", damaged);
    let ran = sandbox.run(&["link", "match", "a-mixed.clk", "damaged.clk", "--out", "no.csv"]);
    assert_eq!((ran.code, sandbox.path("no.csv").exists()), (2, false), "{}", ran.stderr);
}

#[test]
fn encoding_does_not_depend_on_order_or_threads_and_tells_nothing() {
    let sandbox = with_people("150");
    let text = sandbox.read("people/a.csv");
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].reverse();
    sandbox.write("turned.csv", lines.join("\n") + "\n");
    sandbox.done(&encode("people/a.csv", "a.clk", "a.key"));
    sandbox.done(&[&encode("turned.csv", "t.clk", "t.key")[..], &["--threads", "1"]].concat());
    // Each id has the same filter in both, and the rows are in another order each time.
    let filters = |clk: &str, key: &str| -> BTreeSet<(String, String)> {
        let (clk, key) = (sandbox.read(clk), sandbox.read(key));
        let ids = key.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned());
        ids.zip(clk.lines().skip(1).map(str::to_owned)).collect()
    };
    assert_eq!(filters("a.clk", "a.key"), filters("t.clk", "t.key"));
    let ids: Vec<String> =
        sandbox.read("a.key").lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned()).collect();
    assert_ne!(ids, text.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned()).collect::<Vec<_>>());
    // With a seed, the very bytes.
    for out in ["one", "two"] {
        let threads = if out == "one" { "1" } else { "2" };
        sandbox.done(
            &[&encode("people/a.csv", out, &format!("{out}.key"))[..], &["--seed", "7", "--threads", threads]].concat(),
        );
    }
    assert_eq!(sandbox.read("one"), sandbox.read("two"));
    // No secret and no value in any file but their own.
    sandbox.done(&encode("people/b.csv", "b.clk", "b.key"));
    sandbox.done(&["link", "match", "a.clk", "b.clk", "--out", "m.csv"]);
    sandbox.done(&[
        "link",
        "extract",
        "pack",
        "people/a.csv",
        "--columns",
        "surname,birth",
        "--key",
        "a.key",
        "--out",
        "a.enc",
        "--keys",
        "a.keys",
    ]);
    let values: BTreeSet<String> = text
        .lines()
        .skip(1)
        .flat_map(|line| line.split(',').skip(1).filter(|cell| cell.len() > 6).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    for file in ["a.clk", "b.clk", "a.key", "m.csv", "a.enc", "a.keys"] {
        let bytes = sandbox.read(file);
        assert!(!bytes.contains(SECRET), "{file}");
        assert!(!bytes.contains("surname") || file == "a.enc", "{file}");
        for value in &values {
            assert!(!bytes.contains(value.as_str()), "{file} holds a value");
        }
    }
    for id in ["a1", "a77", "a150"] {
        assert!(!sandbox.read("a.clk").contains(&format!("\"{id}\"")));
    }
}

#[test]
fn a_cohort_is_opened_by_the_researcher_only() {
    let sandbox = with_people("120");
    encode_both(&sandbox, &[]);
    sandbox.done(&["link", "match", "a.clk", "b.clk", "--out", "m.csv", "--one-to-one"]);
    for (side, columns) in [("a", "id,surname"), ("b", "id,postcode,birth")] {
        let (file, key, out, keys) =
            (format!("people/{side}.csv"), format!("{side}.key"), format!("{side}.enc"), format!("{side}.keys"));
        sandbox.done(&[
            "link",
            "extract",
            "pack",
            &file,
            "--columns",
            columns,
            "--key",
            &key,
            "--out",
            &out,
            "--keys",
            &keys,
        ]);
        // All sealed payloads are of one length.
        let lengths: BTreeSet<usize> = sandbox.read(&out).lines().skip(1).map(str::len).collect();
        assert_eq!(lengths.len(), 1);
    }
    sandbox.snapshot(
        "link-extract-choose",
        &["link", "extract", "choose", "m.csv", "--keys", "a.keys", "b.keys", "--out", "chosen.keys"],
    );
    sandbox.done(&[
        "link",
        "extract",
        "open",
        "--payload",
        "a.enc",
        "b.enc",
        "--chosen",
        "chosen.keys",
        "--out",
        "cohort.csv",
    ]);
    f1(&sandbox, "m.csv");
    let pairs: BTreeSet<(String, String)> = sandbox
        .read("m.csv.ids")
        .lines()
        .skip(1)
        .filter(|line| line.ends_with(",match"))
        .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>())
        .map(|cells| (cells[0].clone(), cells[1].clone()))
        .collect();
    let cohort = sandbox.read("cohort.csv");
    assert_eq!(cohort.lines().next().unwrap(), "pair,a_id,a_surname,b_id,b_postcode,b_birth");
    let opened: BTreeSet<(String, String)> = cohort
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>())
        .map(|cells| (cells[1].clone(), cells[3].clone()))
        .collect();
    assert_eq!(opened, pairs);
    // Another key opens nothing, and the wrong order of files is told.
    sandbox.snapshot(
        "link-extract-turned",
        &["link", "extract", "open", "--payload", "b.enc", "a.enc", "--chosen", "chosen.keys", "--out", "no.csv"],
    );
    let lines: Vec<String> = sandbox.read("chosen.keys").lines().map(str::to_owned).collect();
    let turned = lines.iter().map(|line| match line.rsplit_once(',') {
        Some((start, key)) if key.len() == 64 => format!("{start},{}\n", key.chars().rev().collect::<String>()),
        _ => format!("{line}\n"),
    });
    sandbox.write("wrong.keys", turned.collect::<String>());
    let ran = sandbox.run(&[
        "link",
        "extract",
        "open",
        "--payload",
        "a.enc",
        "b.enc",
        "--chosen",
        "wrong.keys",
        "--out",
        "no.csv",
    ]);
    assert_eq!((ran.code, sandbox.path("no.csv").exists()), (2, false));
}

#[test]
fn possible_pairs_are_reviewed_and_obeyed() {
    let sandbox = Sandbox::new();
    sandbox.write("a.csv", "id,surname,given_name\n1,martin,anna\n2,marten,bob\n");
    sandbox.write("b.csv", "id,surname,given_name\n7,martyn,ana\n8,morten,rob\n");
    sandbox.write(
        "m.csv",
        "a,b,weight,probability,class\n1,7,3.0,0.4,possible\n2,8,2.0,0.3,possible\n2,7,9.0,0.9,match\n",
    );
    let args = ["link", "review", "m.csv", "--files", "a.csv", "b.csv", "--decided", "d.csv"];
    let ran = answered(&sandbox, &args, "x\ny\nq\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("martyn") && ran.stdout.contains("pair 1 of 2"), "{}", ran.stdout);
    assert_eq!(sandbox.read("d.csv"), "a,b,same\n1,7,yes\n");
    // The next time only what is left is asked.
    let ran = answered(&sandbox, &args, "n\n");
    assert!(ran.stdout.contains("pair 1 of 1"), "{}", ran.stdout);
    assert_eq!(sandbox.read("d.csv"), "a,b,same\n1,7,yes\n2,8,no\n");
    sandbox.done(&[
        "link",
        "match",
        "a.csv",
        "b.csv",
        "--out",
        "again.csv",
        "--block",
        "none",
        "--classify",
        "threshold",
        "--decided",
        "d.csv",
    ]);
    let again = sandbox.read("again.csv");
    assert!(again.contains("1,7,") && !again.contains("2,8,"), "{again}");
}

#[test]
fn encoded_pairs_are_reviewed_without_values() {
    let sandbox = with_people("60");
    encode_both(&sandbox, &["--encoding", "fields"]);
    sandbox.write("m.csv", "a,b,weight,probability,class\n1,2,3.0,0.4,possible\n");
    let ran =
        answered(&sandbox, &["link", "review", "m.csv", "--files", "a.clk", "b.clk", "--decided", "d.csv"], "n\n");
    assert!(ran.stdout.contains("column 1") && ran.stdout.contains("of 10"), "{}{}", ran.stdout, ran.stderr);
    sandbox.done(&["link", "match", "a.clk", "b.clk", "--out", "n.csv", "--decided", "d.csv"]);
    assert!(!sandbox.read("n.csv").contains("\n1,2,"));
}

#[test]
fn what_cannot_be_encoded_is_refused() {
    let sandbox = with_people("30");
    let out = ["a.clk", "a.key"];
    let run = |name: &str, more: &[&str]| {
        let ran = sandbox.snapshot(name, &[&encode("people/a.csv", out[0], out[1]), more].concat());
        assert_eq!(ran.code, 2);
        assert!(out.iter().all(|file| !sandbox.path(file).exists()));
    };
    run("link-encode-plain-fields", &["--encoding", "fields", "--harden", "none"]);
    run("link-encode-harden", &["--harden", "diffusion=1"]);
    run("link-encode-block", &["--block", "surnam:nysiis"]);
    sandbox.write("schema.json", SCHEMA.replace("{\"type\": \"string\"}", "{\"type\": \"string\", \"maxLength\": 3}"));
    run("link-encode-value", &[]);
    sandbox.write("schema.json", SCHEMA.replace("1024", "1000"));
    run("link-encode-length", &[]);
    sandbox.write("schema.json", SCHEMA);
    sandbox.write("secret", "short\n");
    run("link-encode-secret", &[]);
}

#[test]
fn who_has_no_secret_is_played() {
    let sandbox = with_people("150");
    let attack = |more: &[&str]| {
        let args = ["attack", "people/a.csv", "a.clk", "--schema", "schema.json", "--key", "a.key", "--json"];
        sandbox.done(&[&args, more].concat()).json()
    };
    encode_both(&sandbox, &["--harden", "none"]);
    let plain = attack(&[]);
    let rate = |found: &serde_json::Value, name: &str| {
        let attacks = found["attacks"].as_array().unwrap();
        attacks.iter().find(|attack| attack["name"] == name).unwrap()["rate"].as_f64().unwrap()
    };
    assert!(rate(&plain, "encoding-graph") > 0.9, "{plain}");
    assert_eq!(plain["attacks"].as_array().unwrap().len(), 3);
    assert_eq!(attack(&["--attack", "encoding-frequency"])["attacks"].as_array().unwrap().len(), 1);
    sandbox.snapshot(
        "attack-encoded-unknown",
        &["attack", "people/a.csv", "a.clk", "--schema", "schema.json", "--key", "a.key", "--attack", "graph"],
    );
    sandbox.snapshot("attack-encoded-no-key", &["attack", "people/a.csv", "a.clk", "--schema", "schema.json"]);
    for file in ["a.clk", "a.key", "b.clk", "b.key"] {
        std::fs::remove_file(sandbox.path(file)).unwrap();
    }
    encode_both(&sandbox, &[]);
    let hardened = attack(&["--attack", "encoding-graph"]);
    assert!(rate(&hardened, "encoding-graph") < 0.5 * rate(&plain, "encoding-graph"), "{hardened}");
}

/// Sets of q-grams are exact Dice a column: carol links them as records in the open, and holds no value.
#[test]
fn sets_of_q_grams_are_matched_and_hold_no_value() {
    let sandbox = with_people("60");
    encode_both(&sandbox, &["--encoding", "qgram-sets", "--seed", "1"]);
    let text = sandbox.read("a.clk");
    let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&header["encoding"], &header["least"], &header["length"]),
        (&"qgram-sets".into(), &0.8.into(), &64.into())
    );
    let people = sandbox.read("people/a.csv");
    let body = text.split_once('\n').unwrap().1.to_lowercase();
    let cells: BTreeSet<&str> = people.lines().skip(1).flat_map(|line| line.split(',')).collect();
    assert!(cells.iter().filter(|cell| cell.len() > 5).all(|cell| !body.contains(&cell.to_lowercase())));
    for (out, more) in [("em.csv", &[][..]), ("mean.csv", &["--classify", "threshold", "--upper", "0.5"])] {
        let matching = ["link", "match", "a.clk", "b.clk", "--out", out, "--one-to-one"];
        sandbox.done(&[&matching[..], more].concat());
        let found = f1(&sandbox, out);
        assert!(found > 0.8, "{out}: {found}");
    }
    // Rows are in the order of chance, pairs are told by them; the same whatever the order of a file.
    let attack = ["attack", "people/a.csv", "a.clk", "--schema", "schema.json", "--key", "a.key", "--json"];
    let attacked = sandbox.done(&attack).json();
    assert_eq!((attacked["attacks"].as_array().unwrap().len(), attacked["skipped"].as_array().unwrap().len()), (1, 2));
    for (more, says) in [
        (["--harden", "fold"], "harden"),
        (["--block", "tokens"], "sets of q-grams find"),
        (["--least", "0"], "least"),
        (["--phonetic", "soundex"], "phonetic"),
    ] {
        let wrong = [&encode("people/a.csv", "x.clk", "x.key")[..], &["--encoding", "qgram-sets"], &more].concat();
        let ran = sandbox.run(&wrong);
        assert!(
            ran.code == 2 && ran.stderr.contains(says) && !sandbox.path("x.clk").exists(),
            "{more:?}: {}",
            ran.stderr
        );
    }
    sandbox.done(
        &[&encode("people/b.csv", "other.clk", "other.key")[..], &["--encoding", "qgram-sets", "--least", "0.9"]]
            .concat(),
    );
    let ran = sandbox.run(&["link", "match", "a.clk", "other.clk", "--out", "x.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("another similarity"), "{}", ran.stderr);
    for (from, to) in [("|", "|!"), ("\n", "\n7|"), ("|", "||")] {
        let (head, rows) = text.split_once('\n').unwrap();
        let rows = rows.replacen(from, to, 1);
        let mut header: serde_json::Value = serde_json::from_str(head).unwrap();
        sandbox.write("rows", &rows);
        header["body_sha256"] = throng::io::hash_file(&sandbox.path("rows")).unwrap().into();
        sandbox.write("bad.clk", format!("{header}\n{rows}"));
        assert_eq!(sandbox.run(&["link", "match", "bad.clk", "b.clk", "--out", "x.csv"]).code, 2, "{to}");
    }
}

/// Duplicates of one encoded file, with clusters that its holder translates.
#[test]
fn encoded_files_with_columns_are_searched_for_duplicates() {
    let sandbox = with_people("150");
    let (a, b) = (sandbox.read("people/a.csv"), sandbox.read("people/b.csv"));
    let (head, rows) = a.split_once('\n').unwrap();
    sandbox.write("both.csv", format!("{head}\n{rows}{}", b.split_once('\n').unwrap().1));
    sandbox.done(&[&encode("both.csv", "both.clk", "both.key")[..], &["--encoding", "fields", "--seed", "1"]].concat());
    let dedupe = ["link", "dedupe", "both.clk", "--out", "pairs.csv", "--clusters", "clusters.csv", "--json"];
    let found = sandbox.done(&dedupe).json();
    assert_eq!((&found["records"], &found["pairs"]), (&serde_json::json!([300]), &(300 * 299 / 2).into()));
    sandbox.done(&["link", "translate", "pairs.csv", "--a", "both.key", "--b", "both.key", "--out", "ids.csv"]);
    sandbox.done(&["link", "translate", "clusters.csv", "--a", "both.key", "--out", "persons.csv"]);
    assert_eq!(sandbox.read("persons.csv").lines().count(), 301);
    // The truth as clusters: pairs are one person, everybody else is alone.
    let pairs: Vec<Vec<String>> = sandbox
        .read("people/truth.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect();
    let persons = sandbox.read("persons.csv");
    let mut truth = "id,cluster\n".to_owned();
    for (number, line) in persons.lines().skip(1).enumerate() {
        let id = line.split(',').next().unwrap();
        let pair = pairs.iter().position(|pair| pair[0] == id || pair[1] == id);
        truth += &format!("{id},{}\n", pair.map_or(1000 + number, |pair| pair));
    }
    sandbox.write("clusters-truth.csv", truth);
    let args = ["link", "evaluate", "ids.csv", "--clusters", "persons.csv", "--truth", "clusters-truth.csv", "--json"];
    let judged = sandbox.done(&args).json();
    assert!(judged["f1"].as_f64().unwrap() > 0.8, "{judged}");
    assert_eq!(sandbox.run(&["link", "translate", "clusters.csv", "--b", "both.key", "--out", "x.csv"]).code, 2);
    sandbox.done(&encode("both.csv", "one.clk", "one.key"));
    let ran = sandbox.run(&["link", "dedupe", "one.clk", "--out", "x.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("--encoding fields"), "{}", ran.stderr);
}

/// Nobody looks at what a header has beside what it must have, or at a filter that is of no record.
#[test]
fn encoded_files_carry_nothing_else() {
    let sandbox = with_people("60");
    encode_both(&sandbox, &[]);
    let text = sandbox.read("a.clk");
    sandbox.write("more.clk", text.replacen("{\"throng\":\"clk\",", "{\"throng\":\"clk\",\"note\":\"p001\",", 1));
    let ran = sandbox.run(&["link", "match", "more.clk", "b.clk", "--out", "more.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("first line") && !ran.stderr.contains("p001"), "{}", ran.stderr);
    let (header, body) = text.split_once('\n').unwrap();
    let first = body.lines().next().unwrap();
    let empty: String = first.chars().map(|sign| if sign == '=' { '=' } else { 'A' }).collect();
    let hash_of = |text: &str| {
        sandbox.write("body", text);
        throng::io::hash_file(&sandbox.path("body")).unwrap()
    };
    let emptied = body.replacen(first, &empty, 1);
    let header = header.replace(&hash_of(body), &hash_of(&emptied));
    sandbox.write("empty.clk", format!("{header}\n{emptied}"));
    let ran = sandbox.done(&["link", "match", "empty.clk", "b.clk", "--out", "empty.csv"]);
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("1 filter has no bit"), "{} {}", ran.stdout, ran.stderr);
}
