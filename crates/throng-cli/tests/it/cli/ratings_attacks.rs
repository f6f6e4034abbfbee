//! The attack on ratings from the command line: a file against itself, a release with its key, and what inspect, audit and reports show.

use serde_json::{Value, json};

use crate::support::Sandbox;

fn scoreboards(found: &Value) -> Vec<Value> {
    found["attacks"].as_array().unwrap().iter().filter(|one| one["name"] == "scoreboard").cloned().collect()
}

#[test]
fn who_knows_a_few_ratings_finds_people_in_the_file_and_not_in_its_release() {
    let sandbox = Sandbox::new();
    let made = [
        "synth",
        "ratings",
        "--persons",
        "120",
        "--items",
        "150",
        "--mean-ratings",
        "30",
        "--seed",
        "3",
        "--out",
        "r.csv",
    ];
    sandbox.done(&made);
    let itself = scoreboards(&sandbox.done(&["attack", "r.csv", "r.csv", "--attack", "scoreboard", "--json"]).json());
    let known: Vec<&Value> = itself.iter().map(|one| &one["knowledge"]).collect();
    let expected: Vec<Value> = [2, 4, 8, 16].iter().map(|p| json!({"p": p, "with": [], "noise": 1})).collect();
    assert_eq!(known, expected.iter().collect::<Vec<_>>());
    let number = |one: &Value, name: &str| one[name].as_f64().unwrap();
    assert!(number(&itself[2], "rate") > 0.8 && number(&itself[2], "claimed_right") > 0.2, "{}", itself[2]);
    assert_eq!(itself[3]["attempts"].as_u64().unwrap() + itself[3]["left_out"].as_u64().unwrap(), 120);
    let flags =
        ["--attack", "scoreboard", "--known", "4", "--noise", "0", "--with", "dates", "--targets", "50", "--json"];
    let dated = scoreboards(&sandbox.done(&[&["attack", "r.csv", "r.csv"][..], &flags].concat()).json());
    assert_eq!(
        (&dated[0]["knowledge"], &dated[0]["attempts"]),
        (&json!({"p": 4, "with": ["dates"], "noise": 0}), &json!(50))
    );
    assert!(number(&dated[0], "rate") > number(&itself[1], "rate"));
    let protect = ["protect", "r.csv", "--k", "5", "--out", "release", "--seed", "1", "--key", "key.csv"];
    sandbox.done(&protect);
    let found = scoreboards(&sandbox.done(&["attack", "r.csv", "release", "--key", "key.csv", "--json"]).json());
    for one in &found {
        assert!(one["bound"] == 0.2 && one["verdict"] == "below" && number(one, "rate") <= 0.2, "{one}");
    }
    let report: Value = serde_json::from_str(&sandbox.read("release/report.json")).unwrap();
    let published = scoreboards(&report);
    assert_eq!(published.len(), 4);
    assert!(number(&published[2]["unprotected"], "rate") > 0.8, "{}", published[2]);
    assert_eq!(sandbox.run(&["check", "release", "--original", "r.csv"]).code, 0);
    for args in [&["inspect", "r.csv", "--json"][..], &["audit", "r.csv", "--json"]] {
        assert_eq!(scoreboards(&sandbox.run(args).json()).len(), 4, "{args:?}");
    }
    let shown = sandbox.done(&["attack", "r.csv", "release", "--key", "key.csv"]).stdout;
    assert!(shown.contains("knows 8 ratings, roughly"), "{shown}");
    // A release has no times, whatever the file has.
    let with_dates = ["attack", "r.csv", "release", "--key", "key.csv", "--attack", "scoreboard", "--with", "dates"];
    let ran = sandbox.run(&with_dates);
    assert!(ran.code == 2 && ran.stderr.contains("the release says of no rating when it was"), "{}", ran.stderr);
    for wrong in [["--noise", "-1"], ["--noise", "NaN"], ["--with", "clicks"], ["--targets", "0"], ["--cell", "place"]]
    {
        let ran = sandbox.run(&[&["attack", "r.csv", "r.csv"][..], &wrong].concat());
        assert_eq!(ran.code, 2, "{wrong:?}: {ran:?}");
    }
}
