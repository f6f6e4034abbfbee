//! `throng audit`: numbers counted by hand on small files of every kind, what people read, and how it ends.

use serde_json::{Value, json};

use crate::support::{LOG, Ran, Sandbox};

/// Ranges of sizes with somebody in them: from, to, persons.
fn crowds(found: &Value) -> Vec<(u64, Option<u64>, u64)> {
    let ranges = found["crowds"].as_array().unwrap();
    assert_eq!(ranges.len(), 8, "every range is in the JSON");
    let range =
        |range: &Value| (range["from"].as_u64().unwrap(), range["to"].as_u64(), range["persons"].as_u64().unwrap());
    ranges.iter().map(range).filter(|&(_, _, persons)| persons > 0).collect()
}

/// The shares of one sort of facts: alone, and among fewer than k, by one fact.
fn by_one(found: &Value, facts: &str) -> (f64, f64) {
    let sorts = found["singled_out"].as_array().unwrap();
    let sort = sorts.iter().find(|sort| sort["facts"] == facts).unwrap_or_else(|| panic!("no {facts}: {found}"));
    (sort["alone"]["1"].as_f64().unwrap(), sort["below_k"]["1"].as_f64().unwrap())
}

/// Six searchers: five with the same line, one with the same query at another hour and another site.
const SIX: &str = "\
user,query,time,url
1,flu,2024-03-01 10:00:00,http://www.health.example/flu
2,flu,2024-03-01 10:00:00,http://www.health.example/flu
3,flu,2024-03-01 10:00:00,http://www.health.example/flu
4,flu,2024-03-01 10:00:00,http://www.health.example/flu
5,flu,2024-03-01 10:00:00,http://www.health.example/flu
6,flu,2024-03-01 11:00:00,http://shop.example/
6,flu,2024-03-01 11:59:00,http://shop.example/tea
";

#[test]
fn a_search_log() {
    let sandbox = Sandbox::with_log();
    let ran = sandbox.snapshot("audit", &["audit", "log.tsv"]);
    assert!(ran.code == 1 && !ran.stdout.contains("SECRET"));
    sandbox.snapshot("audit-json", &["audit", "log.tsv", "--json"]);
    let shown = sandbox.run(&["audit", "log.tsv", "--show-values"]);
    assert!(shown.stdout.contains("the person SECRETann"), "{shown:?}");
    // The same draws as those of inspect.
    let found = sandbox.run(&["audit", "log.tsv", "--json"]).json();
    let inspected = sandbox.done(&["inspect", "log.tsv", "--json"]).json();
    assert_eq!(found["singled_out"][0]["alone"], inspected["unique_by"]);

    sandbox.write("six.csv", SIX);
    let ran = sandbox.run(&["audit", "six.csv", "--json", "--one-row-per-person"]);
    let found = ran.json();
    assert_eq!((ran.code, &found["verdict"], &found["persons_below_k"]), (1, &json!("fails"), &json!(1)));
    assert_eq!(crowds(&found), [(1, Some(1), 1), (5, Some(9), 5)]);
    let sixth = 1.0 / 6.0;
    assert_eq!(by_one(&found, "queries"), (0.0, 0.0));
    assert_eq!(by_one(&found, "times"), (sixth, sixth));
    assert_eq!(by_one(&found, "sites"), (sixth, sixth));
    // Without the sixth everybody is one of five, and nobody is found by anything.
    sandbox.write("five.csv", SIX.lines().take(6).map(|line| format!("{line}\n")).collect::<String>());
    let ran = sandbox.snapshot("audit-holds", &["audit", "five.csv", "--one-row-per-person"]);
    assert_eq!(ran.code, 0);
    assert_eq!(sandbox.run(&["audit", "five.csv", "--k", "6", "--one-row-per-person"]).code, 1);
}

#[test]
fn baskets() {
    let sandbox = Sandbox::with_baskets();
    sandbox.write("six.dat", "a b\nb a\na b\nc\nc\nd\n");
    let ran = sandbox.run(&["audit", "six.dat", "--k", "3", "--json"]);
    let found = ran.json();
    assert_eq!((ran.code, &found["smallest_crowd"], &found["persons_below_k"]), (1, &json!(1), &json!(3)));
    assert_eq!(crowds(&found), [(1, Some(1), 1), (2, Some(2), 2), (3, Some(4), 3)]);
    assert_eq!(by_one(&found, "items"), (1.0 / 6.0, 0.5));
    sandbox.write("five.dat", "a b\nb a\na b\nc\nc\n");
    sandbox.done(&["audit", "five.dat", "--k", "2"]);
    // Of very many a sample is looked at, and that is said.
    sandbox.write("many.dat", "a b\n".repeat(10_001));
    let ran = sandbox.done(&["audit", "many.dat"]);
    assert!(ran.stdout.contains("judged on 10,000 persons drawn at random"), "{ran:?}");
    assert!(ran.stdout.contains("one of 100 or more    10,001   100.0 %"), "{ran:?}");
    std::fs::remove_file(sandbox.path("many.dat")).unwrap();
    // Every model of the kind, and those about sensitive items where some are named.
    sandbox.snapshot("audit-baskets", &["audit", "baskets.dat", "--k", "2"]);
    let named = ["audit", "baskets.dat", "--k", "2", "--m", "3", "--sensitive", "sensitive.txt", "--json"];
    let found = sandbox.run(&named).json();
    let verdicts: Vec<(&str, &str)> = found["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| (model["model"].as_str().unwrap(), model["verdict"].as_str().unwrap()))
        .collect();
    let expected = ["transaction-k-anonymity", "km-anonymity", "coherence", "rho-uncertainty", "privacy-degree"]
        .map(|model| (model, "fails"));
    assert_eq!(verdicts, expected);
    assert_eq!(found["models"][1]["parameters"], json!({"k": 2, "m": 3}));
    // A column that nobody looked at may say anything.
    sandbox.write("rows.csv", "person,item,town\n1,tea,A\n2,tea,B\n3,tea,C\n");
    let ran = sandbox.snapshot("audit-not-compared", &["audit", "rows.csv", "--k", "3"]);
    assert!(ran.code == 1 && sandbox.run(&["audit", "rows.csv", "--k", "3", "--json"]).json()["persons_below_k"] == 0);
}

#[test]
fn documents() {
    let sandbox = Sandbox::new();
    sandbox.write("vectors.csv", "id,term,weight\n1,tea,0.5\n1,cup,0.5\n2,cup,0.5\n2,tea,0.5\n3,tea,0.5\n");
    let found = sandbox.run(&["audit", "vectors.csv", "--k", "2", "--json"]).json();
    assert_eq!(crowds(&found), [(1, Some(1), 1), (2, Some(2), 2)]);
    // A term or two are no more than others have too; the text of a document is.
    assert_eq!(by_one(&found, "terms").0, 0.0);
    let text = |name: &str| format!("{{\"id\": \"{name}\", \"text\": \"A letter from SECRET{name} about a cat.\"}}\n");
    sandbox.write("letters.jsonl", ["ann", "bob", "cid", "dan", "eve"].map(text).concat());
    let ran = sandbox.snapshot("audit-texts", &["audit", "letters.jsonl", "--html", "texts.html"]);
    assert!(ran.code == 1 && !ran.stdout.contains("SECRET") && !sandbox.read("texts.html").contains("SECRET"));
    let found = sandbox.run(&["audit", "letters.jsonl", "--json"]).json();
    assert!(found["crowds"].is_null() && found["unjudgeable"].is_string() && found["models"] == json!([]));
}

#[test]
fn a_release_and_its_certificate() {
    let sandbox = Sandbox::with_log();
    sandbox.done(&["protect", "log.tsv", "--out", "out", "--k", "3", "--seed", "5"]);
    let ran = sandbox.snapshot("audit-release", &["audit", "out", "--k", "3"]);
    assert_eq!(ran.code, 0);
    // Its own k is not the one that is asked for: five, unless something else is said.
    let ran = sandbox.run(&["audit", "out", "--json"]);
    let found = ran.json();
    assert_eq!((ran.code, &found["k"], &found["certificate"]["verdict"]), (1, &json!(5), &json!("partly")));
    // What check would fail on makes the answer a no.
    sandbox.write("out/key.csv", "person,pseudonym\n");
    let ran = sandbox.run(&["audit", "out", "--k", "3"]);
    assert!(ran.code == 1 && ran.stdout.contains("1 other file in the release folder"), "{ran:?}");
    std::fs::remove_file(sandbox.path("out/key.csv")).unwrap();
    let data = sandbox.read("out/data.tsv");
    let (header, rows) = data.split_once('\n').unwrap();
    sandbox.write("out/data.tsv", format!("{header}\n{}\n", rows.lines().rev().collect::<Vec<_>>().join("\n")));
    let ran = sandbox.snapshot("audit-release-tampered", &["audit", "out", "--k", "3"]);
    assert_eq!(ran.code, 1);
}

/// A file whose rows are all of other persons is rarely what somebody means, and protect would not take it.
#[test]
fn a_column_that_is_none_of_persons() {
    let sandbox = Sandbox::new();
    let rows: String = (0..20).map(|row| format!("{row},flu,2024-03-01 10:00:{row:02},town\n")).collect();
    sandbox.write("log.csv", format!("user,query,time,place\n{rows}"));
    let ran = sandbox.snapshot("audit-one-row-each", &["audit", "log.csv"]);
    assert!(ran.stderr.contains("nearly every row is another person") && ran.stdout.contains("--column user=NAME"));
    let meant = sandbox.run(&["audit", "log.csv", "--one-row-per-person"]);
    assert!(!meant.stderr.contains("nearly every row") && !meant.stdout.contains("--column"), "{meant:?}");
}

#[test]
fn standard_input_is_audited_like_a_file() {
    let sandbox = Sandbox::with_log();
    let from_file = sandbox.run(&["audit", "log.tsv", "--k", "3"]);
    let mut command = sandbox.command(&["audit", "-", "--k", "3"]);
    let piped = Ran::from(command.stdin(std::fs::File::open(sandbox.path("log.tsv")).unwrap()).output().unwrap());
    let as_file = piped.stdout.replace("standard input", "log.tsv").replace("protect - ", "protect log.tsv ");
    assert_eq!((piped.code, as_file), (1, from_file.stdout), "{}", piped.stderr);
}

#[test]
fn what_cannot_run() {
    let sandbox = Sandbox::with_log();
    sandbox.done(&["protect", "log.tsv", "--out", "out", "--k", "3", "--seed", "5"]);
    sandbox.snapshot("audit-stdin-empty", &["audit", "-"]);
    for (args, words) in [
        (&["audit", "gone.tsv"][..], "gone.tsv"),
        (&["audit", "log.tsv", "--k", "1"], "`k` is 1"),
        (&["audit", "log.tsv", "--html", "log.tsv"], "the page would replace the file"),
        (&["audit", "log.tsv", "--html", "out/audit.html"], "would lie inside the release"),
    ] {
        let ran = sandbox.run(args);
        assert!(ran.code == 2 && ran.stdout.is_empty() && ran.stderr.contains(words), "{args:?}: {ran:?}");
    }
    assert_eq!(sandbox.read("log.tsv"), LOG);
    // What means nothing to it is said.
    let noted = sandbox.run(&["audit", "log.tsv", "--rho", "0.5", "--original", "log.tsv"]);
    assert!(noted.stderr.contains("`--rho` means nothing") && noted.stderr.contains("`--original` means nothing"));
}
