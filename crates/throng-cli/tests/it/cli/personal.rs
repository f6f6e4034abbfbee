//! What persons ask for themselves (`--k-column`), a sample of the persons (`--sample`), and a second release of the same people
//! (`--other`).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::json;

use crate::support::{LOG, Sandbox};

/// Forty persons with three lines each, of whom every eighth asks to be one of twelve, in one of their lines, and for four in another.
fn wishing() -> String {
    let common = ["red car", "used car parts", "tulip bulbs", "garden tulip", "boat sail", "old boat"];
    let mut log = "AnonID\tQuery\tQueryTime\tSECRETwish\n".to_owned();
    for person in 0..40 {
        for at in 0..3 {
            let wish = match (person % 8, at) {
                (5, 0) => "4",
                (5, 2) => "12",
                _ => "",
            };
            let query = common[(person + at) % common.len()];
            writeln!(log, "SECRET{person}\t{query}\t2024-03-0{} 09:{at}0:00\t{wish}", 1 + person % 9).unwrap();
        }
    }
    log
}

/// The size of the group of each person, by the key.
fn group_sizes(sandbox: &Sandbox, key: &str) -> BTreeMap<String, usize> {
    let key = sandbox.read(key);
    let rows: Vec<Vec<&str>> = key.lines().skip(1).map(|row| row.split(',').collect()).collect();
    let size = |group: &str| rows.iter().filter(|row| row[2] == group && !group.is_empty()).count();
    rows.iter().map(|row| (row[0].to_owned(), size(row[2]))).collect()
}

const QUICK: [&str; 5] = ["--seed", "1", "--no-attacks", "--measure", "rare-content"];

#[test]
fn everybody_is_one_of_as_many_as_they_ask_for() {
    for method in ["kindred", "user-microaggregation", "interest-microaggregation", "semantic-microaggregation"] {
        let sandbox = Sandbox::new();
        sandbox.write("log.tsv", wishing());
        let protect =
            ["protect", "log.tsv", "--out", "out", "--method", method, "--k", "3", "--k-column", "SECRETwish"];
        let ran = sandbox.done(&[&protect[..], &["--key", "key.csv"], &QUICK].concat());
        let sizes = group_sizes(&sandbox, "key.csv");
        for (person, size) in &sizes {
            let number: usize = person.strip_prefix("SECRET").unwrap().parse().unwrap();
            assert!(*size >= if number % 8 == 5 { 12 } else { 3 }, "{method} {person} {size}");
        }
        assert!(sizes.values().any(|&size| size < 12), "{method}: {ran:?}");
        // The column is not published, and its values neither.
        assert!(!sandbox.read("out/data.tsv").contains("SECRET"));
        assert!(sandbox.read("out/data.tsv").starts_with("AnonID\tQuery\tQueryTime\n"));
        let claim = &sandbox.json("out/certificate.json")["claims"][1];
        assert_eq!((&claim["model"], &claim["needs"]), (&json!("personal-k-anonymity"), &json!("key")));
        assert_eq!(claim["parameters"], json!({"k": 3, "k-column": "SECRETwish"}));
        assert_eq!((&claim["achieved"]["asking"], &claim["achieved"]["short"]), (&json!(5), &json!(0)));
        // With both at hand it is checked; without them it is not, and nobody is told that it holds.
        let both = ["check", "out", "--original", "log.tsv", "--key", "key.csv", "--json"];
        assert_eq!(sandbox.done(&both).json()["verdict"], "holds");
        for lacking in [&both[..2], &both[..4]] {
            let checked = sandbox.run(&[lacking, &["--json"]].concat());
            assert_eq!((checked.code, &checked.json()["verdict"]), (3, &json!("partly")), "{lacking:?}");
        }
    }
}

#[test]
fn a_wish_that_is_not_met_is_found() {
    let sandbox = Sandbox::new();
    sandbox.write("log.tsv", wishing());
    // The same persons, protected as if they had not asked.
    sandbox.done(&[&["protect", "log.tsv", "--out", "out", "--k", "3", "--key", "key.csv"][..], &QUICK].concat());
    let model = ["check", "out", "--model", "personal-k-anonymity", "--k", "3", "--k-column", "SECRETwish"];
    sandbox.snapshot("personal-k-fails", &[&model[..], &["--original", "log.tsv", "--key", "key.csv"]].concat());
    let shown = [&model[..], &["--original", "log.tsv", "--key", "key.csv", "--show-values", "--json"]].concat();
    assert_eq!(sandbox.run(&shown).json()["witness"]["asked"], 12);
    // Whoever asks for the model must give what it needs.
    sandbox.snapshot("personal-k-needs-key", &[&model[..], &["--original", "log.tsv"]].concat());
    let unnamed = ["check", "out", "--model", "personal-k-anonymity", "--original", "log.tsv", "--key", "key.csv"];
    let ran = sandbox.run(&unnamed);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("needs the column of what persons ask for"), "{}", ran.stderr);
    // The key of another release.
    sandbox.done(&[&["protect", "log.tsv", "--out", "two", "--k", "4", "--key", "two.csv"][..], &QUICK].concat());
    let other = sandbox.run(&[&model[..], &["--original", "log.tsv", "--key", "two.csv"]].concat());
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("the key was written with another release"), "{}", other.stderr);
}

#[test]
fn wishes_that_cannot_be_heeded() {
    let sandbox = Sandbox::new();
    let protect = |name: &str, log: &str, more: &[&str]| {
        sandbox.write("log.tsv", log);
        sandbox.snapshot(name, &[&["protect", "log.tsv", "--out", "out", "--k", "2"][..], more].concat());
    };
    let with = |cell: &str| LOG.replacen("\t1\t", &format!("\t{cell}\t"), 1);
    let column = ["--k-column", "ItemRank", "--column", "user=AnonID", "query=Query", "time=QueryTime"];
    protect("personal-k-refused-one", &with("1"), &column);
    protect("personal-k-refused-word", &with("SECRETmany"), &column);
    protect("personal-k-refused-too-many", &LOG.replace("\t1\t", "\t99\t"), &column);
    protect("personal-k-refused-no-column", LOG, &["--k-column", "Wish"]);
    protect("personal-k-refused-method", LOG, &["--k-column", "ItemRank", "--method", "query-threshold"]);
    let empty = sandbox.run(&["protect", "log.tsv", "--out", "out", "--k-column", ""]);
    assert_eq!(empty.code, 2);
    // Other kinds of data have no such column.
    let baskets = Sandbox::with_baskets();
    for method in ["flock", "semantic-microaggregation"] {
        let base = ["protect", "baskets.dat", "--out", "out", "--taxonomy", "food.csv", "--k-column", "x"];
        let ran = baskets.run(&[&base[..], &["--method", method]].concat());
        assert_eq!(ran.code, 2, "{method}");
        assert!(ran.stderr.contains("asks for protection that the method"), "{}", ran.stderr);
    }
    // A comparison has one k for everybody.
    let compared =
        sandbox.run(&["compare", "log.tsv", "--methods", "kindred:k-column=ItemRank", "--k", "2", "--out", "c"]);
    assert_eq!(compared.code, 2);
    assert!(compared.stderr.contains("was not read"), "{}", compared.stderr);
    // The role is that flag's, and nobody's who types a role.
    let role = sandbox.run(&["protect", "log.tsv", "--out", "out", "--column", "k-column=ItemRank"]);
    assert_eq!(role.code, 2);
    assert!(role.stderr.contains("column role"), "{}", role.stderr);
}

#[test]
fn wishes_in_other_formats() {
    let sandbox = Sandbox::new();
    sandbox.write("log.tsv", wishing());
    let json: String = wishing()
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let wish = cells[3].parse::<u32>().ok();
            json!({"user": cells[0], "query": cells[1], "time": cells[2], "wish": wish}).to_string() + "\n"
        })
        .collect();
    sandbox.write("log.jsonl", json);
    let protect = ["protect", "log.jsonl", "--out", "out", "--k", "3", "--k-column", "wish", "--key", "key.csv"];
    sandbox.done(&[&protect[..], &QUICK].concat());
    assert!(!sandbox.read("out/data.jsonl").contains("wish"));
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(certificate["claims"][1]["achieved"]["asking"], 5);
    sandbox.done(&["check", "out", "--original", "log.jsonl", "--key", "key.csv"]);
    let missing = sandbox.run(&["protect", "log.jsonl", "--out", "other", "--k-column", "Wish"]);
    assert_eq!(missing.code, 2, "{}", missing.stderr);
}

#[test]
fn a_sample_of_the_persons() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "300", "--mean-lines", "8", "--out", "log.tsv"]);
    let protect = ["protect", "log.tsv", "--k", "3", "--key", "key.csv", "--out", "out", "--sample", "0.4"];
    let protect =
        [&protect[..], &["--held-out-persons", "0.25", "--measure", "rare-content"], &["--seed", "1"]].concat();
    sandbox.done(&protect);
    let certificate = sandbox.json("out/certificate.json");
    let (input, accounting) = (&certificate["input"], &certificate["accounting"]);
    assert_eq!((&input["persons"], &accounting["persons_not_sampled"]), (&json!(300), &json!(180)));
    assert_eq!(accounting["persons_held_out"], 30);
    let published = certificate["output"]["persons"].as_u64().unwrap();
    assert_eq!(published + accounting["persons_dropped"].as_u64().unwrap(), 90);
    // The key has those who are in it and those who were held out of it; nobody else.
    let key = sandbox.read("key.csv");
    assert_eq!(key.lines().count() as u64, 1 + published + 30);
    assert_eq!(sandbox.json("key.csv.json")["sampled"].as_array().unwrap().len(), 120);
    assert!(sandbox.read("out/report.html").contains("only a sample of all was drawn"));
    // Whoever has the key checks and attacks it beside those who were drawn; without it, what needs the original cannot be checked.
    let both = ["check", "out", "--original", "log.tsv", "--key", "key.csv"];
    sandbox.done(&both);
    let unknown = sandbox.run(&both[..4]);
    assert_eq!(unknown.code, 3, "{unknown:?}");
    assert!(unknown.stderr.contains("made of a sample"), "{}", unknown.stderr);
    let named = sandbox.run(&["check", "out", "--model", "content-threshold", "--original", "log.tsv"]);
    assert_eq!(named.code, 2);
    let attacked =
        sandbox.done(&["attack", "log.tsv", "out", "--key", "key.csv", "--attack", "known-queries", "--json"]);
    assert_eq!(attacked.json()["attacks"][0]["attempts"], 90);
    let membership = ["attack", "log.tsv", "out", "--key", "key.csv", "--attack", "membership", "--json"];
    assert_eq!(sandbox.run(&membership).json()["attacks"][0]["name"], "membership");
    let measured =
        sandbox.done(&["measure", "log.tsv", "out", "--key", "key.csv", "--measure", "rare-content", "--json"]);
    let report = sandbox.json("out/report.json");
    assert_eq!(measured.json()["measures"][0]["parts"]["persons"], report["measures"][0]["parts"]["persons"]);
}

#[test]
fn samples_by_number_and_none() {
    let sandbox = Sandbox::with_log();
    let protect = |more: &[&str]| {
        let base = ["protect", "log.tsv", "--k", "2", "--min-persons", "1", "--seed", "1", "--no-attacks"];
        sandbox.run(&[&base[..], &["--measure", "rare-content"], more].concat())
    };
    assert_eq!(protect(&["--out", "four", "--sample", "4"]).code, 0);
    let certificate = sandbox.json("four/certificate.json");
    assert_eq!(
        (&certificate["output"]["persons"], &certificate["accounting"]["persons_not_sampled"]),
        (&json!(4), &json!(3))
    );
    assert_eq!(protect(&["--out", "same", "--sample", "4"]).code, 0);
    assert_eq!(sandbox.read("four/data.tsv"), sandbox.read("same/data.tsv"));
    assert_eq!(protect(&["--out", "all", "--sample", "70"]).code, 0);
    assert_eq!(sandbox.json("all/certificate.json")["accounting"]["persons_not_sampled"], 0);
    assert_eq!(protect(&["--out", "kept", "--sample", "4", "--checkpoint", "work"]).code, 0);
    assert_eq!(sandbox.read("four/data.tsv"), sandbox.read("kept/data.tsv"));
    for wrong in ["0", "-1", "2.5", "nan"] {
        let ran = protect(&["--out", "no", "--sample", wrong]);
        assert_eq!(ran.code, 2, "{wrong}");
        assert!(ran.stderr.contains("must be a share below 1, or a whole number of persons"), "{}", ran.stderr);
    }
    // One person is no crowd.
    assert!(protect(&["--out", "no", "--sample", "1"]).stderr.contains("fewer than k = 2"));
    let planned = protect(&["--out", "no", "--sample", "4", "--dry-run"]);
    assert!(planned.stdout.contains("7, of whom 4 are drawn"), "{}", planned.stdout);
}

#[test]
fn a_second_release_of_the_same_people() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "300", "--mean-lines", "8", "--out", "log.tsv"]);
    let first =
        ["protect", "log.tsv", "--k", "5", "--out", "one", "--key", "one.csv", "--ledger", "ledger", "--dataset", "d"];
    sandbox.done(&[&first[..], &QUICK].concat());
    let second = [
        "protect",
        "log.tsv",
        "--k",
        "4",
        "--ledger",
        "ledger",
        "--dataset",
        "d",
        "--continues",
        "1",
        "--key",
        "two.csv",
    ];
    let seeded = ["--seed", "2", "--measure", "rare-content", "--method", "user-microaggregation"];
    let other = ["--other", "one", "--other-key", "one.csv"];
    let ran = sandbox.run(&[&second[..], &seeded, &other, &["--out", "two", "--json"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    let found = ran.json();
    let is_it = |attack: &&serde_json::Value| attack["name"] == "intersection";
    let attack = found["attacks"].as_array().unwrap().iter().find(is_it).unwrap().clone();
    assert_eq!((&attack["verdict"], &attack["bound"]), (&json!("above"), &json!(0.25)));
    assert!(ran.stderr.contains("MORE than the release promises"), "{}", ran.stderr);
    let report = sandbox.json("two/report.json");
    assert!(report["attacks"].as_array().unwrap().iter().any(|attack| attack["name"] == "intersection"));
    // The same as the attack by itself.
    let alone = ["attack", "log.tsv", "two", "--key", "two.csv", "--attack", "intersection", "--json"];
    let alone = sandbox.run(&[&alone[..], &other].concat()).json();
    for number in ["attempts", "hits", "rate", "interval", "bound", "verdict", "parts"] {
        assert_eq!(alone["attacks"][0][number], attack[number], "{number}");
    }
    // A key of another release, one without the other, and an attack that is not to be played.
    let wrong =
        |more: &[&str]| sandbox.run(&[&["protect", "log.tsv", "--k", "4", "--out", "no"], &seeded[..], more].concat());
    let other_key = wrong(&["--other", "one", "--other-key", "two.csv"]);
    assert_eq!(other_key.code, 2);
    assert!(other_key.stderr.contains("the key was written with another release"), "{}", other_key.stderr);
    for more in [&other[..2], &other[2..], &[&other[..], &["--no-attacks"]].concat()] {
        assert_eq!(wrong(more).code, 2, "{more:?}");
    }
    sandbox.write("stranger.csv", "person,pseudonym,group\nnobody,1,1\n");
    let stranger = wrong(&["--other", "one/data.tsv", "--other-key", "stranger.csv"]);
    assert!(stranger.stderr.contains("have no person in common"), "{}", stranger.stderr);
    assert!(
        !sandbox.listing().iter().any(|name| name.starts_with("no/") || name.starts_with(".no")),
        "nothing is left"
    );
}
