//! What stopped or misled people in their first hour, and does not any more.

use crate::support::{Ran, Sandbox};

/// A log of twelve persons with clicks.
fn log() -> String {
    let row = |at: usize| {
        let query = ["garden roses", "used cars"][at % 2];
        format!("k{},{query},2024-03-07 12:{at:02}:02,1,http://shop.example/a\n", at % 12)
    };
    format!("user,query,time,rank,url\n{}", (0..48).map(row).collect::<String>())
}

fn refused(ran: &Ran, words: &str) {
    assert!(ran.code == 2 && ran.stderr.contains(words) && ran.stderr.contains("hint: "), "{words}: {ran:?}");
}

/// A comparison of few persons names what it cannot tell apart, and says no more than its own table.
#[test]
fn few_persons_and_a_recommendation_that_holds() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "queries", "--persons", "40", "--mean-lines", "10", "--seed", "1", "--out", "few.tsv"]);
    let methods = "kindred,user-microaggregation,semantic-microaggregation";
    let ran = sandbox.done(&["compare", "few.tsv", "--methods", methods, "--k", "3..7", "--seed", "1", "--out", "c"]);
    let comparison = sandbox.json("c/comparison.json");
    let own = &comparison["recommendation"];
    let reason = own["reason"].as_str().unwrap();
    // Every number that it gives stands in the table, in the column of the loss.
    let (k, method) = (own["k"].as_u64().unwrap(), own["method"].as_str().unwrap());
    let row = ran.stdout.lines().find(|line| line.split_whitespace().take(2).eq([method, &k.to_string()])).unwrap();
    let loss = row.split_whitespace().nth(2).unwrap();
    assert!(reason.contains(&format!("The loss with {method} is {loss} %")), "{reason}\n{}", ran.stdout);
    // Who is left out is seen, and 35 of 40 persons are no small loss.
    assert!(ran.stdout.starts_with("method") && ran.stdout.lines().next().unwrap().contains("left-out"), "{ran:?}");
    assert!(reason.contains("Persons left out, whose loss counts as whole: "), "{reason}");
    let page = sandbox.read("c/comparison.html");
    assert!(page.contains("count as the same") && page.contains("7.9 points"), "the rule is in the page");
    // No measure alone decides.
    assert!(reason.contains("the mean by information loss ratio, sum of squares, "), "{reason}");
}

/// A dry run refuses what `protect` refuses for its places, and writes nothing.
#[test]
fn a_dry_run_refuses_places() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", log());
    let dry = |flags: &[&str]| {
        let command = ["protect", "log.csv", "--k", "3", "--dry-run"];
        let dry = sandbox.run(&[&command[..], flags].concat());
        let real = sandbox.run(&[&command[..4], flags].concat());
        assert_eq!((dry.code, &dry.stderr), (real.code, &real.stderr), "{flags:?}");
        dry
    };
    refused(&dry(&["--out", "missing/out"]), "write into the folder missing");
    refused(&dry(&["--out", "log.csv/out"]), "write into the folder log.csv");
    refused(&dry(&["--out", "out", "--key", "missing/key.csv"]), "write a key file into the folder missing");
    refused(&dry(&["--out", "."]), "exists already");
    sandbox.done(&["protect", "log.csv", "--k", "3", "--out", "release"]);
    refused(&dry(&["--out", "release/inside"]), "would lie inside the release");
    assert_eq!(sandbox.listing().iter().filter(|name| name.contains("inside") || name.contains("key")).count(), 0);
}

/// A dry run judges what a policy says of columns, claims, randomness and signatures, and says what is judged later.
#[test]
fn a_dry_run_judges_a_policy() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", log());
    let run = |policy: &str, flags: &[&str]| {
        sandbox.write("policy.toml", format!("format = 1\n{policy}"));
        let command = ["protect", "log.csv", "--out", "out", "--k", "3", "--policy", "policy.toml", "--dry-run"];
        sandbox.run(&[&command[..], flags].concat())
    };
    for (policy, flags, words) in [
        (
            "rule = [{ name = \"no clicks\", never = [\"url\"] }]\n",
            &[][..],
            "`no clicks` (line 2) breaks (the release would have such a column)",
        ),
        (
            "[minimum]\nqueries = { user-k-anonymity = 20 }\n",
            &[],
            "the release would claim user-k-anonymity with {\"k\":3}",
        ),
        ("[minimum]\nrandomness = \"secure\"\n", &["--seed", "1"], "made with a seed"),
        ("[minimum]\nsigned = true\n", &[], "nobody signs it"),
        ("[ledger]\nsame_people = \"refuse\"\n", &[], "no ledger is given"),
        ("[minimum]\nattacks = { known-queries = 0.2 }\n", &["--no-attacks"], "no attacks would be made"),
    ] {
        let ran = run(policy, flags);
        assert!(ran.code == 1 && ran.stderr.contains(words), "{words}: {ran:?}");
        assert!(ran.stderr.contains("the policy would not allow this release"), "{ran:?}");
        // As `protect` does.
        let command = ["protect", "log.csv", "--out", "out", "--k", "3", "--policy", "policy.toml"];
        assert_eq!(sandbox.run(&[&command[..], flags].concat()).code, 1, "{policy}");
    }
    // Without the column, and with enough protection, nothing is against it; what depends on records is judged later.
    let policy = "rule = [\n{ name = \"no clicks\", never = [\"url\"] },\n{ name = \"no roses\", mentions = { words = [\"roses\"] }, then = \"refuse\" },\n]\n\
                  [minimum]\nqueries = { user-k-anonymity = 3 }\n";
    let ran = run(policy, &["--method", "user-microaggregation", "--column", "url="]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("`no clicks` (line 3) holds"), "{ran:?}");
    assert!(
        ran.stdout.contains("`no roses` (line 4) is judged on the release (against it, of those that were tried: "),
        "{ran:?}"
    );
    let json = run(policy, &["--method", "user-microaggregation", "--column", "url=", "--json"]).json();
    assert_eq!(
        (&json["policy"][0]["verdict"], &json["policy"][1]["verdict"]),
        (&"holds".into(), &serde_json::Value::Null)
    );
    assert_eq!(sandbox.listing(), ["log.csv", "policy.toml"]);
}

/// A role with nothing after it has no column, though one of the file has a name that it usually has.
#[test]
fn a_column_that_is_known_can_be_left_out() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", log());
    let flags = ["--k", "3", "--seed", "5", "--method", "user-microaggregation", "--column", "url=", "rank="];
    let ran = sandbox.done(&[&["protect", "log.csv", "--out", "out"], &flags[..]].concat());
    assert!(ran.stderr.contains("2 columns have no role (rank, url): not in the release"), "{ran:?}");
    assert_eq!(sandbox.read("out/data.csv").lines().next(), Some("user,query,time"));
    // The same in JSON lines, and in AOL's form without a header.
    sandbox.write(
        "log.jsonl",
        "{\"user\":1,\"query\":\"a\",\"time\":\"2024-03-07 12:00:00\",\"url\":\"http://x.example\"}\n".repeat(3),
    );
    let ran = sandbox.done(&["inspect", "log.jsonl", "--column", "url="]);
    assert!(!ran.stdout.contains("url =") && ran.stderr.contains("1 column has no role"), "{ran:?}");
    sandbox.write("aol.tsv", "17\ttea\t2006-03-01 10:00:00\t1\thttp://x.example\n".repeat(3));
    let ran = sandbox.done(&["inspect", "aol.tsv", "--column", "url="]);
    assert!(ran.stdout.contains("time") && !ran.stdout.contains("url = 5"), "{ran:?}");
    refused(
        &sandbox.run(&["inspect", "log.csv", "--column", "query="]),
        "leaves out the query, which a query log cannot do without",
    );
    refused(&sandbox.run(&["inspect", "log.csv", "--column", "url=url", "url="]), "says that there is none");
}

/// Two earlier releases of the same people are both meant, where somebody says so.
#[test]
fn a_release_continues_several_lines() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", log());
    let protect = |out: &str, more: &[&str]| {
        let command =
            ["protect", "log.csv", "--out", out, "--k", "3", "--ledger", "l", "--dataset", "d", "--no-attacks"];
        sandbox.run(&[&command[..], more].concat())
    };
    assert_eq!((protect("one", &[]).code, protect("two", &[]).code), (0, 0));
    sandbox.write("policy.toml", "format = 1\n[ledger]\nsame_people = \"refuse\"\n");
    let policy = ["--policy", "policy.toml"];
    let ran = protect("three", &policy);
    assert!(ran.code == 1 && ran.stderr.contains("`--continues 1,2` says that it is meant"), "{ran:?}");
    assert_eq!(protect("three", &[&policy[..], &["--continues", "2"]].concat()).code, 1);
    assert_eq!(protect("three", &[&policy[..], &["--continues", "1,2"]].concat()).code, 0);
    // The fourth goes on from the third, and so from what that one goes on from; repeated flags are as good as commas.
    assert_eq!(protect("four", &[&policy[..], &["--continues", "3"]].concat()).code, 0);
    assert_eq!(protect("five", &[&policy[..], &["--continues", "4", "--continues", "3"]].concat()).code, 0);
    let shown = sandbox.done(&["ledger", "show", "l"]).stdout;
    assert!(shown.contains("d, continues 1, 2\n") && shown.contains("d, continues 3\n"), "{shown}");
    let lines: Vec<serde_json::Value> =
        sandbox.read("l").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[2]["continues"], &lines[3]["continues"]), (&serde_json::json!([1, 2]), &serde_json::json!(3)));
    sandbox.done(&["ledger", "verify", "l"]);
    let ran = protect("six", &["--continues", "1,9"]);
    refused(&ran, "`continues` is 9, but the ledger has 5 lines");
}

/// Who has fewer facts than asked for is known by all that they have, and that is said.
#[test]
fn more_facts_than_people_have() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", log());
    sandbox.done(&[
        "protect",
        "log.csv",
        "--out",
        "out",
        "--k",
        "3",
        "--seed",
        "5",
        "--key",
        "key.csv",
        "--no-attacks",
    ]);
    let attack = ["attack", "log.csv", "out", "--key", "key.csv", "--attack", "known-queries", "--p", "1,20"];
    let ran = sandbox.run(&attack);
    // Everybody has one query.
    assert!(ran.stdout.contains("knows up to 20 searches (1 on average)"), "{ran:?}");
    assert!(ran.stdout.contains("knows one search:"), "{ran:?}");
    let json = sandbox.run(&[&attack[..], &["--json"]].concat()).json();
    assert_eq!(json["attacks"][1]["knowledge"], serde_json::json!({"p": 20, "with": [], "known_mean": 1.0}));
    assert!(json["attacks"][0]["knowledge"]["known_mean"].is_null());
}

/// What a policy or a list removed is told in the report.
#[test]
fn what_was_removed_stands_in_the_report() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", log());
    sandbox.write("drop.txt", "roses\n");
    let command = ["protect", "log.csv", "--out", "out", "--k", "3", "--method", "user-microaggregation"];
    sandbox.done(&[&command[..], &["--drop", "drop.txt"]].concat());
    let page = sandbox.read("out/report.html");
    assert!(page.contains("24 rows are left out: the list of what may never be published, or the policy, names them."));
}

/// What people type when they look around.
#[test]
fn looking_around() {
    let sandbox = Sandbox::with_log();
    assert!(sandbox.done(&["list", "kinds"]).stdout.contains("queries"));
    assert!(sandbox.done(&["help", "--help"]).stdout.contains("Usage: throng"));
    let mut command = sandbox.command(&["audit", "-"]);
    command.stdin(std::fs::File::open(sandbox.path("log.tsv")).unwrap());
    let ran = Ran::from(command.output().unwrap());
    assert!(ran.code <= 1 && ran.stdout.contains("standard input"), "{ran:?}");
    let protect = ["protect", "log.tsv", "--out", "out", "--k", "3", "--quiet"];
    let ran = sandbox.done(&protect);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    let quiet = sandbox.done(&["protect", "log.tsv", "--out", "json", "--k", "3", "--quiet", "--json"]).json();
    assert_eq!(quiet["release"], "json");
    let compare = ["compare", "log.tsv", "--methods", "user-microaggregation", "--k", "3", "--seed", "1", "--out", "c"];
    sandbox.done(&[&compare[..], &["--title", "Our searches", "--date", "2024-03-31"]].concat());
    let page = sandbox.read("c/comparison.html");
    assert!(page.contains("Our searches") && page.contains("2024-03-31"));
}
