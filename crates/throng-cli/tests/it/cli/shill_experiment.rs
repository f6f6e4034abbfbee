//! `throng shill measure FILE --out DIR`: the experiment of the paper on one's own ratings.

use serde_json::{Value, json};

use crate::support::Sandbox;

fn made_up(sandbox: &Sandbox) {
    sandbox.done(&[
        "synth",
        "ratings",
        "--persons",
        "150",
        "--items",
        "120",
        "--mean-ratings",
        "30",
        "--seed",
        "2",
        "--out",
        "r.csv",
        "--items-file",
        "movies.csv",
    ]);
}

/// The columns of a CSV without quotes.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

#[test]
fn every_attack_is_tried_and_written_down() {
    let sandbox = Sandbox::new();
    made_up(&sandbox);
    let measure =
        ["shill", "measure", "r.csv", "--items", "movies.csv", "--attacks", "all", "--targets", "low:2,high:3"];
    let more = ["--target-ratings", "5", "--users", "10", "--sizes", "3%,0.1", "--draws", "2", "--seed", "4"];
    let out = |name: &'static str| [&measure[..], &more, &["--out", name]].concat();
    let found = sandbox.done(&[&out("shifts")[..], &["--json"]].concat()).json();
    let table = sandbox.read("shifts/shifts.csv");
    assert!(
        table.starts_with("recommender,class,attack,direction,size,draw,shift,hit_shift,pairs,undefined\n"),
        "{table}"
    );
    let rows = rows(&table);
    // Recommenders, classes, attacks, sizes and draws.
    assert_eq!(rows.len(), 2 * 2 * 8 * 2 * 2);
    assert_eq!(found, serde_json::from_str::<Value>(&sandbox.read("shifts/shilling.json")).unwrap());
    assert_eq!(found["settings"]["targets"], json!({"low": 2, "high": 3}));
    assert_eq!(found["settings"]["recommenders"][0]["amplification"], 1.0);
    let shifts = found["shifts"].as_array().unwrap();
    assert_eq!(shifts.len(), 2 * 2 * 8 * 2);
    // The mean of the draws, point by point.
    for point in shifts {
        let own: Vec<f64> = rows
            .iter()
            .filter(|row| {
                [row[0], row[1], row[2]].map(Value::from)
                    == ["recommender", "class", "attack"].map(|key| point[key].clone())
            })
            .filter(|row| row[4].parse::<f64>().ok() == point["size"].as_f64())
            .filter_map(|row| row[6].parse().ok())
            .collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        assert!((mean - point["shift"].as_f64().unwrap()).abs() < 1e-12, "{point}");
    }
    assert_eq!(found["findings"].as_array().unwrap().len(), 12);
    // The same again, whatever the number of threads.
    sandbox.done(&[&out("again")[..], &["--threads", "1", "--quiet"]].concat());
    for name in ["shifts.csv", "shilling.json", "shilling.html"] {
        assert_eq!(sandbox.read(&format!("shifts/{name}")), sandbox.read(&format!("again/{name}")), "{name}");
    }
    let page = sandbox.read("shifts/shilling.html");
    assert_eq!(page.matches("<svg").count(), 4);
    assert!(page.contains("figure 5 of the paper") && page.contains("the paper says"), "{page}");
}

/// One point by way of files: inject, then measure.
#[test]
fn a_point_is_what_two_files_give() {
    let sandbox = Sandbox::new();
    made_up(&sandbox);
    let flags = [
        "--attacks",
        "ul",
        "--targets",
        "high:1",
        "--target-ratings",
        "5",
        "--users",
        "150",
        "--sizes",
        "0.1",
        "--seed",
        "3",
    ];
    let tried =
        [&["shill", "measure", "r.csv", "--recommender", "item-cosine", "--out", "tried", "--json"][..], &flags]
            .concat();
    let found = sandbox.done(&tried).json();
    let target = found["targets"][0]["items"][0].as_str().unwrap();
    // The profiles are other ones; who could be predicted before is not.
    let inject = [
        "shill", "inject", "r.csv", "--attack", "ul", "--target", target, "--size", "0.1", "--out", "p.csv",
        "--labels", "l.csv",
    ];
    sandbox.done(&inject);
    let files = [
        "shill",
        "measure",
        "r.csv",
        "--after",
        "p.csv",
        "--target",
        target,
        "--users",
        "150",
        "--recommender",
        "item-cosine",
        "--json",
    ];
    let files = sandbox.done(&files).json();
    let point = &found["shifts"][0];
    assert_eq!(
        point["pairs"].as_u64().unwrap() + point["undefined"].as_u64().unwrap(),
        files["pairs"].as_u64().unwrap() + files["undefined"].as_u64().unwrap()
    );
    let (tried, by_files) = (point["shift"].as_f64().unwrap(), files["shift"].as_f64().unwrap());
    assert!((tried - by_files).abs() < 0.3 && tried * by_files >= 0.0, "{tried} {by_files}");
}

#[test]
fn the_papers_settings_and_what_is_refused() {
    let sandbox = Sandbox::new();
    made_up(&sandbox);
    let paper = ["shill", "measure", "r.csv", "--paper", "--target-ratings", "5", "--users", "5", "--targets", "low:1"];
    let ran = sandbox.done(&[&paper[..], &["--out", "paper", "--json"]].concat());
    assert!(ran.stderr.contains("segment was not tried"), "{}", ran.stderr);
    let settings = ran.json()["settings"].clone();
    assert_eq!(settings["sizes"], json!([0.01, 0.03, 0.06, 0.12, 0.15]));
    assert_eq!(settings["recommenders"][1]["name"], "item-adjusted-cosine");
    assert_eq!((&settings["recommenders"][0]["amplification"], &settings["filler"]), (&json!(10.0), &json!(0.03)));
    assert_eq!(settings["attacks"].as_array().unwrap().len(), 7);
    let shown = sandbox.done(&[&paper[..], &["--out", "shown"]].concat()).stdout;
    assert!(shown.contains("user-pearson, low") && shown.contains("shilling.html"), "{shown}");
    let tried = ["shill", "measure", "r.csv", "--out", "x"];
    for (more, says) in [
        (vec!["--attacks", "segment"], "--items"),
        (vec!["--attacks", "nothing"], "random"),
        (vec!["--attacks", "ul", "--targets", "low"], "low:10"),
        (vec!["--attacks", "ul", "--targets", "low:1,low:2"], "twice"),
        (vec!["--attacks", "ul", "--sizes", "2"], "sizes"),
        (vec!["--attacks", "ul", "--draws", "0"], "draws"),
        (vec!["--attacks", "ul", "--users", "somebody.txt"], "drawn"),
        (vec!["--attacks", "ul", "--target-ratings", "100000"], "--target-ratings"),
        (vec!["--paper", "--sizes", "0.1"], "--sizes"),
        (vec!["--attacks", "ul", "--after", "r.csv"], "--after"),
        (vec![], "--after"),
    ] {
        let ran = sandbox.run(&[&tried[..], &more].concat());
        assert!(ran.code == 2 && ran.stderr.contains(says), "{more:?}: {}", ran.stderr);
        assert!(!sandbox.path("x").exists(), "{more:?}");
    }
    let again = sandbox.run(&[&paper[..], &["--out", "paper"]].concat());
    assert_eq!(again.code, 2, "{}", again.stderr);
}
