//! Paths: a release from the command line and its checks, journeys and cubes with small cases worked out by hand, and bad input.

use crate::support::Sandbox;

/// Made-up paths.
fn made_up(persons: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "paths", "--persons", persons, "--days", "7", "--seed", "3", "--out", "paths.csv"]);
    sandbox
}

#[test]
fn protected_checked_and_measured() {
    let sandbox = made_up("60");
    let found = sandbox.done(&["inspect", "paths.csv", "--json"]).json();
    assert_eq!((found["kind"].as_str(), found["persons"].as_u64()), (Some("paths"), Some(60)));
    for method in ["kindred", "trajectory-microaggregation", "generalise"] {
        let out = format!("release-{method}");
        sandbox.done(&[
            "protect",
            "paths.csv",
            "--out",
            &out,
            "--method",
            method,
            "--seed",
            "1",
            "--key",
            &format!("{method}.csv"),
        ]);
        let checked = sandbox.done(&["check", &out, "--original", "paths.csv", "--json"]).json();
        assert_eq!(checked["verdict"], "holds", "{method}");
        assert!(checked["achieved"]["k"].as_u64().unwrap() >= 5, "{method}");
        // Anybody's file: the same without the certificate.
        let data = format!("{out}/data.csv");
        let alone = sandbox.done(&["check", &data, "--model", "user-k-anonymity", "--k", "5", "--json"]).json();
        assert_eq!(alone["verdict"], "holds", "{method}");
        let measured =
            sandbox.done(&["measure", "paths.csv", &out, "--key", &format!("{method}.csv"), "--json"]).json();
        let names: Vec<&str> =
            measured["measures"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        for name in ["spatial-distortion", "heat-map", "od-flows", "range-queries", "clusters-kept", "patterns-kept"] {
            assert!(names.contains(&name), "{method}: {names:?}");
        }
    }
    // A point where nobody was, or that is moved by a hair, fails.
    let data = sandbox.read("release-kindred/data.csv");
    let lines: Vec<&str> = data.lines().collect();
    let cells: Vec<&str> = lines[1].split(',').collect();
    let moved = format!("{},{},1.2345678,{}", cells[0], cells[1], cells[3]);
    sandbox.write("moved.csv", data.replacen(lines[1], &moved, 1));
    let args = ["check", "moved.csv", "--model", "content-threshold", "--original", "paths.csv"];
    assert_eq!(sandbox.run(&args).code, 1);
    assert_eq!(sandbox.run(&["check", "moved.csv", "--model", "user-k-anonymity"]).code, 1);
}

/// The same seed gives the same bytes, for any number of threads.
#[test]
fn same_bytes() {
    let sandbox = made_up("40");
    for method in ["kindred", "trajectory-microaggregation", "nwa", "w4m", "swap", "generalise", "confuse"] {
        for threads in ["1", "3"] {
            let out = format!("{method}-{threads}");
            sandbox.done(&[
                "protect",
                "paths.csv",
                "--out",
                &out,
                "--method",
                method,
                "--seed",
                "1",
                "--threads",
                threads,
            ]);
        }
        let data = |threads: &str| sandbox.read(&format!("{method}-{threads}/data.csv"));
        assert!(data("1") == data("3"), "{method}");
    }
}

/// A trip, a stay from the 10th to the 30th minute, and a trip after a gap of 31 minutes.
#[test]
fn journeys() {
    let sandbox = Sandbox::new();
    let point =
        |minute: u32, lat: f64| format!("ann,2024-03-04T{:02}:{:02}:00Z,{lat},8\n", 8 + minute / 60, minute % 60);
    let minutes = [(0, 47.0), (5, 47.01), (10, 47.02), (20, 47.0201), (30, 47.02), (61, 47.03), (61, 47.03)];
    let rows: String = minutes.iter().map(|&(minute, lat)| point(minute, lat)).collect();
    sandbox.write("raw.csv", format!("user,time,lat,lon\n{rows}"));
    let found =
        sandbox.done(&["paths", "reconstruct", "raw.csv", "--out", "out.csv", "--stays", "stays.csv", "--json"]).json();
    let count = |name: &str| found[name].as_u64().unwrap();
    assert_eq!(
        [count("points"), count("trips"), count("stays"), count("gaps"), count("dropped_repeats")],
        [6, 2, 1, 1, 1]
    );
    let out = sandbox.read("out.csv");
    assert!(
        out.starts_with("user,time,lat,lon,trip,stay\nann,2024-03-04T08:00:00Z,47.0000000,8.0000000,1,\n"),
        "{out}"
    );
    assert!(
        out.contains("08:10:00Z,47.0200000,8.0000000,,1\n") && out.ends_with("09:01:00Z,47.0300000,8.0000000,2,\n"),
        "{out}"
    );
    let stays = sandbox.read("stays.csv");
    assert!(stays.contains("ann,1,2024-03-04T08:10:00Z,2024-03-04T08:30:00Z,47.0200333,8.0000000,3\n"), "{stays}");
    // Nothing is half-written, and nothing is replaced.
    assert_eq!(sandbox.run(&["paths", "reconstruct", "raw.csv", "--out", "out.csv"]).code, 2);
    assert_eq!(sandbox.run(&["paths", "reconstruct", "raw.csv", "--out", "other.csv", "--gap", "soon"]).code, 2);
    assert!(!sandbox.path("other.csv").exists());
}

#[test]
fn cells_of_telephones() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "log.csv",
        "user,time,cell\nann,2024-03-04T08:00:00Z,A\nann,2024-03-04T08:05:00Z,A\nann,2024-03-04T08:10:00Z,B\n",
    );
    sandbox.write("table.csv", "cell,lat,lon\nA,47.0,8.0\nB,47.1,8.0\n");
    let ran = sandbox.done(&["paths", "reconstruct", "log.csv", "--cells", "table.csv", "--out", "out.csv", "--json"]);
    assert_eq!(ran.json()["merged_cells"], 1);
    assert!(sandbox.read("out.csv").contains("47.1000000,8.0000000"));
    sandbox.write("short.csv", "cell,lat,lon\nA,47.0,8.0\n");
    let ran = sandbox.run(&["paths", "reconstruct", "log.csv", "--cells", "short.csv", "--out", "no.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("not in the table of cells"), "{ran:?}");
}

/// Ann and ben are in tile 0, cid alone in tile 3: tile 0 is published, and not the total of everything, which would tell of cid.
#[test]
fn a_cube_by_hand() {
    let sandbox = Sandbox::new();
    let rows = ["ann,10,-10", "ann,11,-10", "ben,12,-11", "cid,-10,10"].iter().enumerate();
    let rows: String =
        rows.map(|(at, row)| row.replacen(',', &format!(",2024-03-04T08:00:0{at}Z,"), 1) + "\n").collect();
    sandbox.write("paths.csv", format!("user,time,lat,lon\n{rows}"));
    let args =
        ["paths", "cube", "paths.csv", "--cell", "tile:1", "--time", "all", "--k", "2", "--out", "cube.csv", "--json"];
    let made = sandbox.done(&args).json();
    assert_eq!((made["rows"].as_u64(), made["observations_kept"].as_f64()), (Some(1), Some(0.75)));
    let cube = sandbox.read("cube.csv");
    assert_eq!(cube, "cell,part,time,persons,observations,entries,exits\n0,whole,,2,3,0,0\n");
    let check = ["check", "cube.csv", "--model", "cube-threshold", "--original", "paths.csv", "--json"];
    assert_eq!(sandbox.done(&check).json()["verdict"], "holds");
    assert_eq!(sandbox.run(&["check", "cube.csv", "--model", "cube-threshold"]).code, 3);
    // A row that was changed, one more, and a stricter threshold.
    for (from, to) in [("0,whole,,2,3,", "0,whole,,2,4,"), ("0,0\n", "0,0\n3,whole,,1,1,0,0\n"), ("2,3,0", "2,03,0")] {
        sandbox.write("edited.csv", cube.replacen(from, to, 1));
        let args = [
            "check",
            "edited.csv",
            "--model",
            "cube-threshold",
            "--original",
            "paths.csv",
            "--cell",
            "tile:1",
            "--time",
            "all",
            "--k",
            "2",
        ];
        let ran = sandbox.run(&args);
        assert_eq!(ran.code, 1, "{to}: {ran:?}");
    }
    let ran = sandbox.run(&["check", "cube.csv", "--model", "cube-threshold", "--original", "paths.csv", "--k", "3"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    // Edited beside what it was counted with.
    sandbox.write("cube.csv", cube.replace("2,3,", "2,4,"));
    assert_eq!(sandbox.run(&["paths", "cube", "cube.csv", "--slice", "cell=0"]).code, 2);
}

#[test]
fn questions_to_a_cube() {
    let sandbox = made_up("60");
    sandbox.done(&[
        "paths",
        "cube",
        "paths.csv",
        "--cell",
        "quad:4-14",
        "--time",
        "7d",
        "--k",
        "5",
        "--out",
        "cube.csv",
    ]);
    let checked = sandbox.done(&["check", "cube.csv", "--model", "cube-threshold", "--original", "paths.csv"]);
    assert!(checked.stdout.contains("holds"), "{checked:?}");
    let sum = |rows: &serde_json::Value| {
        rows["rows"].as_array().unwrap().iter().map(|row| row["observations"].as_u64().unwrap()).sum::<u64>()
    };
    let finest = sandbox.done(&["paths", "cube", "cube.csv", "--roll-up", "tile:14", "--json"]).json();
    let coarse = sandbox.done(&["paths", "cube", "cube.csv", "--roll-up", "tile:4", "--json"]).json();
    assert!(sum(&finest) > 0 && sum(&finest) == sum(&coarse));
    for (flag, wrong) in [("--roll-up", "3h"), ("--drill-down", "9"), ("--slice", "where=here")] {
        assert_eq!(sandbox.run(&["paths", "cube", "cube.csv", flag, wrong]).code, 2, "{flag}");
    }
}

/// A page of a cube is made of the published file alone: the original is gone, a frame a time, every row drawn; a file that was changed is
/// refused.
#[test]
fn a_cube_as_a_page() {
    let sandbox = made_up("60");
    let count = |cell: &str, out: &str| {
        sandbox.done(&[
            "paths",
            "cube",
            "paths.csv",
            "--cell",
            cell,
            "--time",
            "1d",
            "--k",
            "5",
            "--out",
            out,
            "--quiet",
        ]);
    };
    count("quad:4-14", "cube.csv");
    count("tile:11", "fixed.csv");
    count("h3:6", "h3.csv");
    std::fs::remove_file(sandbox.path("paths.csv")).unwrap();
    for name in ["cube", "fixed", "h3"] {
        let (file, page) = (format!("{name}.csv"), format!("{name}.html"));
        let said = sandbox.done(&["paths", "cube", &file, "--page", &page, "--json"]).json();
        let rows: Vec<String> = sandbox.read(&file).lines().skip(1).map(str::to_owned).collect();
        assert_eq!(said["rows"], rows.len());
        let of_cells = rows.iter().filter(|row| !row.starts_with(",total,")).count();
        let drawn = sandbox.read(&page);
        assert_eq!(drawn.matches("<path class=\"area ").count(), of_cells, "{name}");
        let mut times: Vec<&str> =
            rows.iter().filter(|row| !row.starts_with(",total,")).filter_map(|row| row.split(',').nth(2)).collect();
        times.sort_unstable();
        times.dedup();
        assert_eq!(drawn.matches("<g class=\"frame").count(), times.len(), "{name}");
        assert!(drawn.contains("type=\"range\"") && !drawn.contains("http://"), "{name}");
        // What is there stays.
        assert_eq!(sandbox.run(&["paths", "cube", &file, "--page", &page]).code, 2);
    }
    let changed = sandbox.read("cube.csv").replacen(",whole,", ",rest,", 1);
    sandbox.write("cube.csv", changed);
    let refused = sandbox.run(&["paths", "cube", "cube.csv", "--page", "other.html"]);
    assert!(refused.code == 2 && refused.stderr.contains("file beside it"), "{refused:?}");
    assert!(!sandbox.path("other.html").exists());
    assert_eq!(sandbox.run(&["paths", "cube", "fixed.csv", "--page", "a.html", "--slice", "cell=0"]).code, 2);
}

#[test]
fn bad_input() {
    let sandbox = Sandbox::new();
    let row = |lat: &str, lon: &str| format!("user,time,lat,lon\nann,2024-03-04T08:00:00Z,{lat},{lon}\n");
    for (name, lat, lon, says) in [
        ("swapped.csv", "139.123456", "35.987654", "look swapped"),
        ("far.csv", "12.5", "190.25", "beyond 180"),
        ("nan.csv", "NaN", "3", "no number"),
        ("none.csv", "", "3", "missing"),
    ] {
        sandbox.write(name, row(lat, lon));
        let ran = sandbox.run(&["inspect", name]);
        assert!(ran.code == 2 && ran.stderr.contains(says), "{ran:?}");
        // Never a coordinate of a person.
        assert!(lat.len() < 4 || !ran.stderr.contains(lat), "{ran:?}");
    }
    sandbox.write("few.csv", row("1", "1"));
    for args in [
        &["protect", "few.csv", "--out", "release"][..],
        &["paths", "cube", "few.csv", "--out", "c.csv"],
        &["paths", "cube", "few.csv", "--out", "c.csv", "--cell", "tile:30"],
        &["paths", "cube", "few.csv", "--out", "c.csv", "--cell", "quad:9-3"],
    ] {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, 2, "{ran:?}");
    }
    assert!(!sandbox.path("c.csv").exists() && !sandbox.path("release").exists());
    sandbox.write("zero.csv", row("0", "0"));
    assert!(sandbox.done(&["inspect", "zero.csv"]).stderr.contains("latitude 0 and longitude 0"));
}

#[test]
fn help_of_paths() {
    let sandbox = Sandbox::new();
    for (args, says) in [
        (&["paths", "--help"][..], "reconstruct"),
        (&["paths", "reconstruct", "--help"], "--max-speed"),
        (&["paths", "cube", "--help"], "--drill-down"),
    ] {
        assert!(sandbox.done(args).stdout.contains(says));
    }
}
