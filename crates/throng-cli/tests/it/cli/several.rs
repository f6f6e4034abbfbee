//! Several files as one data set: whatever is asked of them, the answer is that of one file with all their rows.

use std::fs;

use serde_json::json;

use crate::support::{LOG, Sandbox};

/// The small log as one file, and its lines dealt out to three files of different formats.
fn dealt() -> Sandbox {
    let sandbox = Sandbox::with_log();
    let lines: Vec<&str> = LOG.lines().skip(1).collect();
    fs::create_dir(sandbox.path("parts")).unwrap();
    let header = LOG.lines().next().unwrap();
    sandbox.write("parts/1.tsv", format!("{header}\n{}\n", lines[..5].join("\n")));
    let cells = |line: &str, at: usize| line.split('\t').nth(at).unwrap_or_default().to_owned();
    let csv = |line: &&str| (0..5).map(|at| cells(line, at)).collect::<Vec<_>>().join(",");
    sandbox.write(
        "parts/2.csv",
        format!("user,query,time,rank,url\n{}\n", lines[5..9].iter().map(csv).collect::<Vec<_>>().join("\n")),
    );
    let json = |line: &&str| {
        let rank = cells(line, 3);
        let rank = if rank.is_empty() { json!(null) } else { json!(rank.parse::<u32>().unwrap()) };
        json!({"user": cells(line, 0), "query": cells(line, 1), "time": cells(line, 2), "rank": rank, "url": cells(line, 4)})
    };
    let third: String = lines[9..].iter().map(|line| format!("{}\n", json(line))).collect();
    sandbox.write("parts/3.jsonl", third);
    sandbox.write("parts/.hidden.tsv", "nobody reads this");
    sandbox
}

const PARTS: [&str; 3] = ["parts/1.tsv", "parts/2.csv", "parts/3.jsonl"];

#[test]
fn a_log_in_three_files_is_the_log_in_one() {
    let sandbox = dealt();
    let whole = sandbox.done(&["inspect", "log.tsv", "--json"]).json();
    for parts in [&PARTS[..], &["parts/*"]] {
        let found = sandbox.done(&[&["inspect", "--json"], parts].concat()).json();
        assert_eq!(found["files"], 3);
        for key in ["persons", "rows", "distinct_queries", "distinct_urls", "first_time", "unique_by"] {
            assert_eq!(found[key], whole[key], "{key}");
        }
    }
    let flags = ["--k", "2", "--seed", "5", "--min-persons", "1"];
    sandbox.done(&[&["protect", "log.tsv", "--out", "one"][..], &flags].concat());
    sandbox.done(&[&["protect", "parts/*", "--out", "three", "--key", "key.csv"][..], &flags].concat());
    let threads = [&["protect", "parts/*", "--out", "again", "--threads", "1"][..], &flags].concat();
    sandbox.done(&threads);
    assert_eq!(sandbox.read("one/data.tsv"), sandbox.read("three/data.tsv"));
    assert_eq!(sandbox.read("again/data.tsv"), sandbox.read("three/data.tsv"));
    // Judged beside all its files, and by no others.
    let judged = ["check", "three", "--original", "parts/1.tsv", "--original", "parts/[23].*"];
    sandbox.done(&judged);
    sandbox.done(&["measure", "parts/*", "three", "--key", "key.csv"]);
    sandbox.done(&[&["measure"][..], &PARTS, &["three", "--key", "key.csv"]].concat());
    let other = sandbox.run(&["measure", "parts/3.jsonl", "parts/1.tsv", "parts/2.csv", "three", "--key", "key.csv"]);
    assert!(other.code == 2 && other.stderr.contains("another original"), "{other:?}");
    let [one, three] =
        [&["log.tsv"][..], &["parts/*"]].map(|files| sandbox.run(&[&["audit", "--k", "2", "--json"], files].concat()));
    assert_eq!((one.code, three.code), (1, 1));
    for key in ["persons", "rows", "crowds", "singled_out", "persons_below_k"] {
        assert_eq!(one.json()[key], three.json()[key], "{key}");
    }
    assert!(three.json()["what_to_do"][0].as_str().unwrap().contains("throng protect 'parts/*' --out"), "{three:?}");
    let compared = ["--methods", "user-microaggregation", "--k", "2", "--measures", "query-frequency", "--seed", "0"];
    sandbox.done(&[&["compare", "log.tsv", "--out", "a"][..], &compared].concat());
    sandbox.done(&[&["compare", "parts/*", "--out", "b"][..], &compared].concat());
    assert_eq!(sandbox.json("a/comparison.json"), sandbox.json("b/comparison.json"));
}

#[test]
fn lines_are_those_of_their_file() {
    let sandbox = dealt();
    // The first who is alone stands in the second file.
    sandbox.write("a.csv", "user,query,time\nann,x,2006-03-01 10:00:00\nbob,x,2006-03-01 10:00:00\n");
    sandbox.write(
        "b.csv",
        "user,query,time\nann,y,2006-03-01 10:00:00\nbob,y,2006-03-01 10:00:00\ncid,z,2006-03-01 10:00:00\n",
    );
    let ran = sandbox.snapshot("several-check", &["check", "a.csv", "b.csv", "--k", "2"]);
    assert_eq!(ran.code, 1);
    let found = sandbox.run(&["check", "a.csv", "b.csv", "--k", "2", "--json"]).json();
    assert_eq!((&found["witness"]["file"], &found["witness"]["line"]), (&json!("b.csv"), &json!(4)));
    sandbox.write("c.csv", "user,query,time\nann,y,2006-03-01 10:00:00\nSECRET,y,never\n");
    let bad = sandbox.run(&["inspect", "a.csv", "c.csv", "--json"]);
    assert_eq!(bad.json()["error"]["place"], json!({"file": "c.csv", "line": 3, "column": "time"}));
}

#[test]
fn files_that_do_not_go_together() {
    let sandbox = dealt();
    sandbox.write("less.csv", "user,query,time\nann,y,2006-03-01 10:00:00\n");
    sandbox.write("baskets.dat", "a b\nb c\n");
    let refused = [
        ("several-roles", &["inspect", "parts/1.tsv", "less.csv"][..]),
        ("several-kinds", &["inspect", "parts/1.tsv", "baskets.dat"]),
        ("several-twice", &["protect", "parts/*.tsv", "parts/1.tsv", "--out", "out"]),
        ("several-no-match", &["protect", "parts/*.parquet", "--out", "out"]),
        ("several-stdin", &["inspect", "parts/1.tsv", "-"]),
    ];
    for (name, args) in refused {
        let ran = sandbox.snapshot(name, args);
        assert!(ran.code == 2 && !ran.stderr.contains("SECRET"), "{ran:?}");
    }
    sandbox.done(&["protect", "log.tsv", "--out", "out", "--k", "2", "--seed", "5"]);
    assert_eq!(sandbox.run(&["inspect", "parts/1.tsv", "out"]).code, 2);
}

#[test]
fn baskets_in_several_files() {
    let sandbox = Sandbox::new();
    sandbox.write("one.csv", "person,item\nann,milk\nbob,milk\nann,bread\nbob,bread\ncid,milk\ncid,bread\n");
    sandbox.write("a.csv", "person,item\nann,milk\nbob,milk\nann,bread\n");
    sandbox.write(
        "b.jsonl",
        "{\"person\":\"bob\",\"items\":[\"bread\"]}\n{\"person\":\"cid\",\"items\":[\"milk\",\"bread\"]}\n",
    );
    let found = sandbox.done(&["inspect", "a.csv", "b.jsonl", "--json"]).json();
    assert_eq!((&found["persons"], &found["rows"]), (&json!(3), &json!(6)));
    let flags = ["--k", "3", "--seed", "1", "--taxonomy", "wordnet"];
    sandbox.done(&[&["protect", "one.csv", "--out", "one"][..], &flags].concat());
    sandbox.done(&[&["protect", "a.csv", "b.jsonl", "--out", "two"][..], &flags].concat());
    assert_eq!(sandbox.read("one/data.csv"), sandbox.read("two/data.csv"));
    // Without ids a person is a line, counted on from file to file.
    sandbox.write("a.dat", "milk bread\nmilk\n");
    sandbox.write("b.dat", "bread\nmilk bread\n");
    sandbox.done(&[
        "protect",
        "a.dat",
        "b.dat",
        "--out",
        "lines",
        "--k",
        "2",
        "--taxonomy",
        "wordnet",
        "--key",
        "key.csv",
    ]);
    let key = sandbox.read("key.csv");
    let persons: Vec<&str> = key.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(persons, ["1", "2", "3", "4"]);
    let fails = sandbox.run(&["check", "a.dat", "b.dat", "--k", "3", "--json"]).json();
    assert_eq!(fails["witness"]["file"], "a.dat");
}

#[test]
fn documents_in_several_files_and_folders() {
    let sandbox = Sandbox::new();
    for (folder, text) in [("x", "the dog and the cat"), ("y", "a horse, a dog")] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
        sandbox.write(&format!("{folder}/1.txt"), text);
        sandbox.write(&format!("{folder}/2.txt"), text);
    }
    let found = sandbox.done(&["inspect", "x", "y", "--json"]).json();
    assert_eq!((&found["persons"], &found["distinct_terms"]), (&json!(4), &json!(3)));
    sandbox.done(&["protect", "x", "y", "--out", "out", "--k", "2", "--seed", "1", "--key", "key.csv"]);
    assert!(sandbox.read("key.csv").contains("\nx/1.txt,") && sandbox.read("key.csv").contains("\ny/1.txt,"));
    assert_eq!(sandbox.run(&["protect", "x", "y", "--out", "y/out", "--k", "2"]).code, 2);
    sandbox.write("a.jsonl", "{\"id\":\"SECRET\",\"text\":\"dog\"}\n");
    sandbox.write("b.jsonl", "{\"id\":\"b\",\"text\":\"cat\"}\n{\"id\":\"SECRET\",\"text\":\"cat\"}\n");
    let ran = sandbox.snapshot("several-documents", &["inspect", "a.jsonl", "b.jsonl"]);
    assert!(ran.code == 2 && !ran.stderr.contains("SECRET"));
    let found = sandbox.done(&["inspect", "a.jsonl", "b.jsonl", "--bad-lines", "skip", "--json"]).json();
    assert_eq!((&found["persons"], &found["rows_refused"]), (&json!(2), &json!(1)));
}

#[test]
fn memory_and_checkpoints_know_all_files() {
    let sandbox = dealt();
    let small = sandbox.run(&["protect", "parts/*", "--out", "out", "--k", "2", "--memory", "1K"]);
    assert_eq!(small.code, 2);
    sandbox.done(&["protect", "parts/*", "--out", "out", "--k", "2", "--memory", "4G", "--checkpoint", "keep"]);
}

/// A column of one file is none of another with another name, wherever it stands.
#[test]
fn columns_without_a_role_are_compared_by_name() {
    let sandbox = Sandbox::new();
    let rows = |from: usize| -> String {
        (from..from + 3).map(|person| format!("p{person},roses,2006-03-01 10:00:00,yes,no\n")).collect()
    };
    let check = ["check", "a.csv", "b.csv", "--model", "user-k-anonymity", "--k", "4", "--json"];
    for (header, code) in [("hiv,smokes", 0), ("healthy,smokes", 1), ("smokes,hiv", 1)] {
        sandbox.write("a.csv", format!("user,query,time,hiv,smokes\n{}", rows(0)));
        sandbox.write("b.csv", format!("user,query,time,{header}\n{}", rows(3)));
        let ran = sandbox.run(&check);
        assert_eq!(ran.code, code, "{header}: {ran:?}");
    }
}
