//! Paths: what they teach (clusters, patterns, rules), and releases in which nobody walks alone, from the command line.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::Sandbox;

/// Twelve persons on two ways, six on each, with a walk and a ride a day: way, trips and labels.
fn commuters() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut rows = "user,time,lat,lon,trip,mode\n".to_owned();
    for person in 0..12_u32 {
        let (shift, way) = (f64::from(person) * 1e-5, f64::from(person % 2) * 0.2);
        for (trip, hour, mode, speed) in [(1, 7, "foot", 0.001), (2, 8, "train", 0.02)] {
            for step in 0..8_u32 {
                let lat = 47.0 + way + shift + f64::from(step) * speed;
                let _ =
                    writeln!(rows, "p{person:02},2024-03-04T0{hour}:{:02}:00Z,{lat:.6},8.5,{trip},{mode}", step * 3);
            }
        }
    }
    sandbox.write("journeys.csv", rows);
    sandbox
}

/// The columns of a small CSV file without quotes.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

#[test]
fn clusters() {
    let sandbox = commuters();
    for distance in ["synchronous", "route", "lcss", "edr"] {
        let ran = sandbox.done(&["paths", "cluster", "journeys.csv", "--clusters", "2", "--distance", distance]);
        let found = rows(&ran.stdout);
        assert_eq!(found.len(), 12, "{ran:?}");
        for (person, row) in found.iter().enumerate() {
            assert_eq!(row[..], [format!("p{person:02}"), (person % 2 + 1).to_string()], "{distance}");
        }
    }
    let args = [
        "paths",
        "cluster",
        "journeys.csv",
        "--clusters",
        "2",
        "--out",
        "labels.csv",
        "--summary",
        "sum.csv",
        "--json",
    ];
    let made = sandbox.done(&args).json();
    assert_eq!((made["clusters"][0]["persons"].as_u64(), made["unclustered"].as_u64()), (Some(6), Some(0)));
    assert!(made["labels"].is_null() && made["clusters"][1]["summary"].as_array().unwrap().len() == 64);
    assert!(sandbox.read("labels.csv").starts_with("user,cluster\np00,1\np01,2\n"));
    let summary = sandbox.read("sum.csv");
    assert!(
        summary.starts_with("cluster,persons,point,time,lat,lon\n1,6,1,2024-03-04T07:00:00Z,47.0000500,8.5000000\n"),
        "{summary}"
    );
    // Fewer persons than k have no summary.
    let args = ["paths", "cluster", "journeys.csv", "--clusters", "2", "--k", "7", "--json"];
    let few = sandbox.done(&args).json();
    assert!(few["clusters"].as_array().unwrap().iter().all(|cluster| cluster["summary"].is_null()));
    assert_eq!(few["labels"][11]["cluster"], 2);
}

#[test]
fn clusters_by_density_and_trip() {
    let sandbox = commuters();
    let args = ["paths", "cluster", "journeys.csv", "--by", "trip", "--distance", "route", "--radius", "300", "--json"];
    let made = sandbox.done(&args).json();
    // Walks and rides of two ways.
    assert_eq!((made["tracks"].as_u64(), made["clusters"].as_array().unwrap().len()), (Some(24), 4));
    assert_eq!(made["labels"][1], serde_json::json!({"user": "p00", "trip": "2", "cluster": 2}));
    let args = ["paths", "cluster", "journeys.csv", "--radius", "100", "--interval", "best", "--json"];
    let best = sandbox.done(&args).json();
    assert_eq!((best["clusters"].as_array().unwrap().len(), best["interval"].as_array().unwrap().len()), (2, 2));
    for wrong in [
        &["--clusters", "0"][..],
        &["--radius", "-1"],
        &["--clusters", "2", "--radius", "5"],
        &["--distance", "euclid"],
        &["--interval", "noon"],
        &["--interval", "best"],
        &["--points", "0"],
        &["--origin", "91,0"],
        &["--k", "1"],
        &["--match-within", "far"],
    ] {
        let args: Vec<&str> =
            ["paths", "cluster", "journeys.csv", "--out", "no.csv"].iter().chain(wrong).copied().collect();
        assert_eq!(sandbox.run(&args).code, 2, "{wrong:?}");
    }
    assert!(!sandbox.path("no.csv").exists());
}

/// The same bytes for any number of threads, and on a release.
#[test]
fn of_a_release() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "paths", "--persons", "40", "--days", "5", "--seed", "4", "--out", "paths.csv"]);
    sandbox.done(&["protect", "paths.csv", "--out", "release", "--seed", "1"]);
    for (name, command) in [
        ("c", &["cluster", "--clusters", "4"][..]),
        ("d", &["cluster", "--radius", "3000", "--distance", "route"]),
        ("e", &["cluster", "--clusters", "3", "--distance", "edr"]),
        ("p", &["patterns", "--cell", "tile:12", "--support", "5"]),
    ] {
        for file in ["paths.csv", "release"] {
            let made = |threads: &str| {
                let out = format!("{name}-{file}-{threads}");
                let args: Vec<&str> = ["paths", command[0], file, "--out", &out, "--threads", threads]
                    .iter()
                    .chain(&command[1..])
                    .copied()
                    .collect();
                sandbox.done(&args);
                sandbox.read(&out)
            };
            assert!(made("1") == made("3"), "{name} {file}");
        }
    }
}

#[test]
fn patterns() {
    let sandbox = commuters();
    let args = ["paths", "patterns", "journeys.csv", "--cell", "tile:9", "--support", "0.5", "--json"];
    let found = sandbox.done(&args).json();
    assert_eq!((found["support"].as_u64(), found["tracks"].as_u64()), (Some(6), Some(24)));
    let args = [
        "paths",
        "patterns",
        "journeys.csv",
        "--cell",
        "tile:13",
        "--support",
        "6",
        "--longest",
        "3",
        "--out",
        "patterns.csv",
        "--json",
    ];
    let found = sandbox.done(&args).json();
    let patterns = found["patterns"].as_array().unwrap();
    assert!(!patterns.is_empty());
    for pattern in patterns {
        let cells: Vec<&str> = pattern["cells"].as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect();
        assert!(pattern["persons"].as_u64() >= Some(6) && (2..=3).contains(&cells.len()), "{pattern}");
        // Everybody of a way goes at the same times.
        assert_eq!(pattern["timed_persons"], pattern["persons"]);
        assert_eq!(pattern["transitions"].as_array().map(Vec::len), Some(cells.len() - 1));
    }
    let file = sandbox.read("patterns.csv");
    assert!(
        file.starts_with("cells,persons,timed_persons,from_s,to_s,typical_s\n")
            && file.lines().count() == patterns.len() + 1
    );
    assert!(sandbox.done(&["paths", "patterns", "journeys.csv", "--cell", "tile:13"]).stdout.contains("min"));
    for wrong in [
        &["--cell", "quad:3-4"][..],
        &["--cell", "tile:30"],
        &["--support", "0"],
        &["--support", "many"],
        &["--longest", "1"],
        &["--within", "soon"],
    ] {
        let args: Vec<&str> = ["paths", "patterns", "journeys.csv"].iter().chain(wrong).copied().collect();
        assert_eq!(sandbox.run(&args).code, 2, "{wrong:?}");
    }
}

#[test]
fn rules() {
    let sandbox = commuters();
    let ran = sandbox.done(&["paths", "classify", "train", "journeys.csv", "--label", "mode", "--out", "rules.json"]);
    assert!(ran.stdout.contains("if length at most") && ran.stdout.contains("12 of 12 right"), "{ran:?}");
    let rules: Value = serde_json::from_str(&sandbox.read("rules.json")).unwrap();
    assert_eq!((rules["by_trip"].as_bool(), rules["rules"].as_array().map(Vec::len)), (Some(true), Some(2)));
    let ran =
        sandbox.done(&["paths", "classify", "apply", "journeys.csv", "--rules", "rules.json", "--out", "said.csv"]);
    assert!(ran.stdout.contains("foot") && ran.stdout.contains("train"), "{ran:?}");
    assert!(sandbox.read("said.csv").starts_with("user,trip,label\np00,1,foot\np00,2,train\n"));
    let worth = sandbox.done(&["paths", "classify", "evaluate", "journeys.csv", "--label", "mode", "--json"]).json();
    assert_eq!(
        (worth["accuracy"].as_f64(), worth["baseline"].as_f64(), worth["folds"].as_u64()),
        (Some(1.0), Some(0.5), Some(10))
    );
    sandbox.write("broken.json", "{\"version\": 1}");
    for args in [
        &["paths", "classify", "train", "journeys.csv", "--label", "colour"][..],
        &["paths", "classify", "train", "journeys.csv", "--label", "mode", "--k", "13"],
        &["paths", "classify", "apply", "journeys.csv", "--rules", "broken.json"],
        &["paths", "classify", "apply", "journeys.csv", "--rules", "none.json"],
    ] {
        assert_eq!(sandbox.run(args).code, 2, "{args:?}");
    }
}

/// A release by `nwa` and `w4m` holds, a point that is moved out of the cylinder fails; `swap` claims nothing.
#[test]
fn nobody_walks_alone() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "paths", "--persons", "40", "--days", "3", "--seed", "9", "--out", "paths.csv"]);
    for method in ["nwa", "w4m"] {
        let args = ["protect", "paths.csv", "--out", method, "--method", method, "--delta", "1500", "--seed", "1"];
        sandbox.done(&args);
        let checked = sandbox.done(&["check", method, "--json"]).json();
        assert_eq!(
            (checked["verdict"].as_str(), checked["achieved"]["k"].as_u64() >= Some(5)),
            (Some("holds"), true),
            "{method}"
        );
        let data = format!("{method}/data.csv");
        let model = ["check", &data, "--model", "k-delta-anonymity", "--k", "5", "--delta"];
        let check = |file: &str, delta: &str| {
            let args: Vec<&str> = [model[0], file].iter().chain(&model[2..]).chain(&[delta]).copied().collect();
            sandbox.run(&args).code
        };
        assert_eq!((check(&data, "1500"), check(&data, "40")), (0, 1), "{method}");
        let text = sandbox.read(&data);
        let first = text.lines().nth(1).unwrap();
        let cells: Vec<&str> = first.split(',').collect();
        sandbox
            .write("moved.csv", text.replacen(first, &format!("{},{},1.0000000,{}", cells[0], cells[1], cells[3]), 1));
        assert_eq!(check("moved.csv", "1500"), 1, "{method}");
    }
    sandbox.done(&["protect", "paths.csv", "--out", "swapped", "--method", "swap", "--seed", "1"]);
    assert_eq!(sandbox.run(&["check", "swapped"]).code, 3);
    for args in [
        &["--method", "nwa", "--delta", "0"][..],
        &["--method", "w4m", "--trash", "2"],
        &["--method", "nwa", "--k", "41"],
        &["--method", "swap", "--meet", "near"],
        &["--method", "swap", "--k", "5"],
    ] {
        let all: Vec<&str> = ["protect", "paths.csv", "--out", "no"].iter().chain(args).copied().collect();
        assert_eq!(sandbox.run(&all).code, 2, "{args:?}");
    }
    assert!(!sandbox.path("no").exists());
}
