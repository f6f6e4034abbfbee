//! Attacks on paths from the command line: a file against itself, a release with its key, and what inspect and audit show.

use crate::support::Sandbox;

#[test]
fn attacks_on_a_file_and_on_its_release() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "paths", "--persons", "60", "--days", "6", "--seed", "3", "--out", "paths.csv"]);
    let itself = sandbox.done(&["attack", "paths.csv", "paths.csv", "--json"]).json();
    let of = |found: &serde_json::Value, name: &str| -> Vec<serde_json::Value> {
        found["attacks"].as_array().unwrap().iter().filter(|one| one["name"] == name).cloned().collect()
    };
    for (name, entries) in [("points", 4), ("home-work", 1), ("sequence", 4), ("group", 4), ("trip-link", 1)] {
        assert_eq!(of(&itself, name).len(), entries, "{name}");
    }
    let points = of(&itself, "points");
    assert_eq!(points[3]["knowledge"], serde_json::json!({"points": 4, "cell": "tile:15", "time": "day"}));
    assert!(points[3]["unique"].as_f64().unwrap() > 0.5 && points[3]["left_out"].is_u64(), "{points:?}");
    let finer = [
        "attack",
        "paths.csv",
        "paths.csv",
        "--attack",
        "points",
        "--known",
        "2",
        "--cell",
        "tile:12",
        "--time",
        "none",
        "--json",
    ];
    let coarse = sandbox.done(&finer).json();
    assert_eq!(coarse["attacks"][0]["knowledge"], serde_json::json!({"points": 2, "cell": "tile:12", "time": "none"}));
    assert!(coarse["attacks"][0]["rate"].as_f64() < points[1]["rate"].as_f64());
    sandbox.done(&["protect", "paths.csv", "--out", "release", "--seed", "1", "--key", "key.csv"]);
    let found = sandbox.done(&["attack", "paths.csv", "release", "--key", "key.csv", "--json"]).json();
    for name in ["points", "home-work", "sequence", "trip-link"] {
        for one in of(&found, name) {
            assert!(one["bound"] == 0.2 && one["rate"].as_f64().unwrap_or(0.0) <= 0.2, "{one}");
        }
    }
    let group = of(&found, "group");
    assert!(group[3]["bound"].is_null() && group[3]["rate"].as_f64().unwrap() > group[3]["baseline"].as_f64().unwrap());
    // The published report has the attacks, with what is known as it is.
    let report: serde_json::Value = serde_json::from_str(&sandbox.read("release/report.json")).unwrap();
    let known: Vec<u64> =
        of(&report, "points").iter().map(|one| one["knowledge"]["points"].as_u64().unwrap()).collect();
    assert_eq!(known, [1, 2, 3, 4]);
    for args in [&["inspect", "paths.csv", "--json"][..], &["audit", "paths.csv", "--json"]] {
        let ran = sandbox.run(args).json();
        assert_eq!((of(&ran, "points").len(), of(&ran, "home-work").len()), (4, 1), "{args:?}");
    }
    for wrong in [["--cell", "quad:1-3"], ["--time", "week"], ["--known", "0"], ["--draws", "0"], ["--cell", "place"]] {
        let ran = sandbox.run(&[&["attack", "paths.csv", "paths.csv"][..], &wrong].concat());
        assert_eq!(ran.code, 2, "{wrong:?}: {ran:?}");
    }
}
