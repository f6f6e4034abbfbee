//! Small files as strangers have them, each with the answer that it must get.
//!
//! `testdata/strangers/answers.tsv` has a line for each file and set of flags: what `inspect` finds in it or answers, and what
//! becomes of it when it is protected (k = 2) and the release checked. All of it is made up. To add a file, put it into the folder;
//! to try flags, add a line with them. `UPDATE=1 cargo test -p throng-cli --test it corpus` writes the answers again, with
//! a line for every new file; read the difference before you keep it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Ran, Sandbox};

const ANSWERS: &str = "answers.tsv";
const HEADER: &str = "file\tflags\texit\tanswer\trelease";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/strangers")
}

#[test]
fn every_file_gets_its_answer() {
    let sandbox = Sandbox::new();
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name != ANSWERS {
            sandbox.write(&name, fs::read(folder().join(&name)).unwrap());
            files.insert(name);
        }
    }
    let expected = fs::read_to_string(folder().join(ANSWERS)).unwrap_or_default();
    let mut cases: BTreeSet<(String, String)> = BTreeSet::new();
    for line in expected.lines().skip(1) {
        let mut cells = line.split('\t').map(str::to_owned);
        cases.insert((cells.next().unwrap(), cells.next().unwrap_or_default()));
    }
    let is_update = std::env::var_os("UPDATE").is_some();
    if is_update {
        cases.retain(|(file, _)| files.contains(file));
        let known: BTreeSet<String> = cases.iter().map(|(file, _)| file.clone()).collect();
        cases.extend(files.difference(&known).map(|file| (file.clone(), String::new())));
    }
    let mut found = format!("{HEADER}\n");
    for (number, (file, flags)) in cases.iter().enumerate() {
        let _ = writeln!(found, "{}", answer(&sandbox, number, file, flags));
    }
    if is_update {
        fs::write(folder().join(ANSWERS), &found).unwrap();
        return;
    }
    let differing: Vec<String> = expected
        .lines()
        .zip(found.lines())
        .filter(|(expected, found)| expected != found)
        .map(|(expected, found)| format!("expected {expected}\nfound    {found}\n"))
        .collect();
    assert!(
        expected == found,
        "{}if these answers are right: UPDATE=1 cargo test -p throng-cli --test it corpus",
        differing.join("\n")
    );
    let known: BTreeSet<&String> = cases.iter().map(|(file, _)| file).collect();
    let unknown: Vec<&String> = files.iter().filter(|file| !known.contains(file)).collect();
    assert!(unknown.is_empty(), "these have no answer yet, UPDATE=1 writes them: {unknown:?}");
}

/// A line of the table: what a file with some flags is found to be, and what its release is.
fn answer(sandbox: &Sandbox, number: usize, file: &str, flags: &str) -> String {
    let flags: Vec<&str> = flags.split_ascii_whitespace().collect();
    let ran = sandbox.run(&[&["inspect", file, "--json"], &flags[..]].concat());
    let said = said(&ran);
    let (answer, release) = if ran.code == 0 {
        let json = ran.json();
        let release = released(sandbox, number, json["kind"].as_str().unwrap(), file, &flags);
        let found = found(&json);
        (if said.is_empty() { found } else { format!("{found} | {said}") }, release)
    } else {
        (said, String::new())
    };
    format!("{file}\t{}\t{}\t{answer}\t{release}", flags.join(" "), ran.code)
}

/// What a command said on standard error, in one line.
fn said(ran: &Ran) -> String {
    let lines: Vec<&str> = ran.stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" | ").replace('\t', " ")
}

/// What `inspect` found, in one line.
fn found(json: &Value) -> String {
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
    let column = |(role, name): (&String, &Value)| format!("{role}={}", name.as_str().unwrap_or_default());
    let columns: Vec<String> = json["columns"].as_object().into_iter().flatten().map(column).collect();
    let mut found = format!("{}, {}", text("kind"), text("format"));
    for (key, usual) in [("delimiter", ","), ("encoding", "UTF-8")] {
        if json[key].is_string() && json[key] != usual && !(text("format").starts_with("tsv") && key == "delimiter") {
            let _ = write!(found, " {key} `{}`", text(key).replace('\t', "→"));
        }
    }
    let _ = write!(found, "; {}", text("because"));
    if !columns.is_empty() {
        let _ = write!(found, "; {}", columns.join(" "));
    }
    let _ = write!(found, "; {} persons, {} rows", json["persons"], json["rows"]);
    if json["first_time"].is_string() {
        let _ = write!(found, "; {} to {}", text("first_time"), text("last_time"));
    }
    found.replace('\t', " ")
}

/// What becomes of the file: the name and the first line of the release, and whether it stands a check without any flag.
fn released(sandbox: &Sandbox, number: usize, kind: &str, file: &str, flags: &[&str]) -> String {
    let out = format!("out-{number}");
    // One measure that costs little; baskets need a taxonomy.
    let of_kind: &[&str] = match kind {
        "queries" => &["--method", "user-microaggregation", "--measure", "query-frequency"],
        "baskets" => &["--measure", "item-frequency", "--taxonomy", "wordnet", "--unknown", "own-leaf"],
        _ => &[],
    };
    // What has the flags of `inspect` for a file has other ones for its format.
    let flags: Vec<&str> = flags.iter().map(|flag| if *flag == "--format" { "--input-format" } else { flag }).collect();
    let protect = ["protect", file, "--out", &out, "--k", "2", "--seed", "1", "--quiet"];
    let ran = sandbox.run(&[&protect[..], of_kind, &flags].concat());
    if ran.code != 0 {
        return format!("refused: {}", said(&ran));
    }
    let data = sandbox.json(&format!("{out}/certificate.json"))["output"]["file"].as_str().unwrap().to_owned();
    let checked = sandbox.run(&["check", &out, "--only-checkable", "--json"]).json();
    let bytes = fs::read(sandbox.path(&format!("{out}/{data}"))).unwrap();
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let first = match std::str::from_utf8(first) {
        Ok(line) if line.is_ascii() && !line.contains('\0') => format!(" `{}`", line.replace('\t', "→")),
        _ => String::new(),
    };
    format!("{data}{first}: {}", checked["verdict"].as_str().unwrap_or_default())
}
