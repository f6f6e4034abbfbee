//! Paths as people meet them: logs of cells in every command, several files as one data set, days held out, and everything that can be wrong with
//! an input, one after the other.

use crate::support::Sandbox;

fn made_up() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "paths", "--persons", "60", "--days", "6", "--seed", "3", "--out", "paths.csv"]);
    sandbox
}

/// The made-up paths as a log of cells and its table; and the log in two parts.
fn with_cells() -> Sandbox {
    let sandbox = made_up();
    let (mut log, mut cells) = (Vec::new(), std::collections::BTreeSet::new());
    for line in sandbox.read("paths.csv").lines().skip(1) {
        let [user, time, lat, lon] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let [lat, lon] = [lat, lon].map(|degrees| (degrees.parse::<f64>().unwrap() * 50.0).round());
        cells.insert(format!("c{lat}/{lon},{},{}\n", lat / 50.0, lon / 50.0));
        log.push(format!("{user},{time},c{lat}/{lon}\n"));
    }
    let header = "user,time,cell\n";
    sandbox.write("cells.csv", "cell,lat,lon\n".to_owned() + &cells.into_iter().collect::<String>());
    sandbox.write("log.csv", header.to_owned() + &log.concat());
    let half = log.len() / 2;
    sandbox.write("part1.csv", header.to_owned() + &log[..half].concat());
    sandbox.write("part2.csv", header.to_owned() + &log[half..].concat());
    sandbox
}

#[test]
fn logs_of_cells_in_every_command() {
    let sandbox = with_cells();
    let cells = ["--cells", "cells.csv"];
    let with = |args: &[&'static str]| sandbox.run(&[args, &cells[..]].concat());
    for (args, code) in [
        (&["inspect", "log.csv"][..], 0),
        (&["audit", "log.csv"], 1),
        (&["protect", "log.csv", "--out", "release", "--seed", "1", "--key", "key.csv"], 0),
        (&["check", "release", "--original", "log.csv"], 0),
        (&["measure", "log.csv", "release", "--key", "key.csv"], 0),
        (&["attack", "log.csv", "release", "--key", "key.csv"], 0),
        (&["attack", "log.csv", "log.csv"], 0),
        (&["compare", "log.csv", "--out", "compared", "--methods", "kindred", "--k", "5"], 0),
        (&["paths", "reconstruct", "log.csv", "--out", "journeys.csv"], 0),
        (&["paths", "cube", "log.csv", "--out", "cube.csv"], 0),
        (&["check", "cube.csv", "--model", "cube-threshold", "--original", "log.csv"], 0),
        (&["paths", "cluster", "log.csv", "--clusters", "3", "--out", "labels.csv"], 0),
        (&["paths", "patterns", "log.csv", "--cell", "tile:12", "--support", "5"], 0),
    ] {
        let ran = with(args);
        assert_eq!(ran.code, code, "{args:?}: {ran:?}");
    }
    // What to do is said with the table.
    let audit = with(&["audit", "log.csv"]);
    assert!(audit.stdout.contains("throng protect log.csv --cells cells.csv"), "{audit:?}");
    // Without it, somebody says what is missing.
    let ran = sandbox.run(&["inspect", "log.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("--cells TABLE"), "{ran:?}");
}

/// Several files and patterns are the data set that one file with all rows is.
#[test]
fn several_files_are_one_data_set() {
    let sandbox = with_cells();
    let protect = |files: &[&'static str], out: &'static str| {
        let args = ["protect", "--cells", "cells.csv", "--seed", "1", "--out", out];
        sandbox.done(&[&args[..1], files, &args[1..]].concat());
        sandbox.read(&format!("{out}/data.csv"))
    };
    let one = protect(&["log.csv"], "one");
    assert!(one == protect(&["part1.csv", "part2.csv"], "two") && one == protect(&["part?.csv"], "pattern"));
    for (out, files) in [("j1.csv", &["log.csv"][..]), ("j2.csv", &["part1.csv", "part2.csv"])] {
        let args = ["paths", "reconstruct", "--cells", "cells.csv", "--out", out];
        sandbox.done(&[&args[..2], files, &args[2..]].concat());
    }
    assert_eq!(sandbox.read("j1.csv"), sandbox.read("j2.csv"));
}

/// A release of the even days is judged by the odd days: by `compare`, and by `measure` of files that somebody divided.
#[test]
fn days_held_out() {
    let sandbox = made_up();
    sandbox.done(&[
        "compare",
        "paths.csv",
        "--held-out",
        "--methods",
        "kindred",
        "--k",
        "5",
        "--seed",
        "1",
        "--out",
        "compared",
    ]);
    let compared: serde_json::Value = serde_json::from_str(&sandbox.read("compared/comparison.json")).unwrap();
    let value = |measures: &serde_json::Value, name: &str| {
        let found = measures.as_array().unwrap().iter().find(|one| one["name"] == name).cloned();
        found.and_then(|one| one["value"].as_f64()).unwrap_or_else(|| panic!("{name}"))
    };
    let text = sandbox.read("paths.csv");
    let days = |line: &str| line.split(',').nth(1).and_then(|time| time.get(8..10)?.parse::<u32>().ok());
    // The first of March 2024 is day 19,783 since 1970, an odd one: even days of the month are even ones.
    let even: Vec<&str> = text.lines().filter(|line| days(line).is_none_or(|day| day % 2 == 0)).collect();
    sandbox.write("even.csv", even.join("\n") + "\n");
    sandbox.done(&["protect", "even.csv", "--out", "release", "--seed", "1", "--key", "key.csv"]);
    let measure = ["measure", "paths.csv", "release", "--key", "key.csv", "--json"];
    let held_out = sandbox.done(&[&measure[..], &["--held-out"]].concat()).json();
    let own = sandbox.done(&["measure", "even.csv", "release", "--key", "key.csv", "--json"]).json();
    let (later, now) =
        (value(&held_out["measures"], "spatial-distortion"), value(&own["measures"], "spatial-distortion"));
    assert!(later > now, "{later} {now}");
    // Those who have no odd day are protected here and not there, so the two are only alike.
    let cell = value(&compared["cells"][0]["measures"], "spatial-distortion");
    assert!((later / cell - 1.0).abs() < 0.5, "{later} {cell}");
    let ran = sandbox.run(&["measure", "paths.csv", "release", "--held-out", "--measure", "unshared-exposure"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

/// The price stands in the comparison: distortion against the group and the points that are found.
#[test]
fn comparisons_draw_the_price() {
    let sandbox = made_up();
    let methods = "kindred,trajectory-microaggregation";
    sandbox.done(&[
        "compare",
        "paths.csv",
        "--methods",
        methods,
        "--k",
        "3,5",
        "--out",
        "compared",
        "--charts",
        "charts",
    ]);
    let charts = sandbox.listing().join("\n");
    for name in ["spatial-distortion-against-group.svg", "spatial-distortion-against-points.svg"] {
        assert!(charts.contains(name), "{charts}");
    }
    let table = sandbox.read("compared/comparison.csv");
    assert!(table.contains("group-4") && table.contains("points-1"), "{table}");
}

#[test]
fn models_of_other_files_are_listed_and_explained() {
    let sandbox = Sandbox::new();
    for (name, of) in [("cube-threshold", "cubes"), ("spatial-k-anonymity", "masked points")] {
        let listed = sandbox.done(&["list", "models", "--json"]).json();
        let models = listed["models"].as_array().unwrap().clone();
        assert!(models.iter().any(|model| model["name"] == name && model["kinds"][0] == of), "{name}");
        assert!(sandbox.done(&["explain", name]).stdout.contains(&format!("model for {of}")));
    }
}

const HEAD: &str = "user,time,lat,lon\n";

fn row(person: &str, minute: u32, lat: &str, lon: &str) -> String {
    format!("{person},2024-03-04T08:{minute:02}:00Z,{lat},{lon}\n")
}

/// What cannot be: one error that says what, where and what to do; no coordinate of anybody.
#[test]
fn coordinates_that_cannot_be() {
    let sandbox = Sandbox::new();
    for (name, lat, lon, says, column) in [
        ("swapped", "139.123456", "35.987654", "look swapped", "lat"),
        ("north", "200.123456", "35.987654", "beyond 90", "lat"),
        ("east", "12.567891", "190.253145", "beyond 180", "lon"),
        ("nan", "NaN", "35.987654", "no number", "lat"),
        ("inf", "35.987654", "inf", "no number", "lon"),
        ("word", "35.987654", "here", "no number", "lon"),
        ("none", "", "35.987654", "missing", "lat"),
    ] {
        let file = format!("{name}.csv");
        sandbox.write(&file, HEAD.to_owned() + &row("ann", 0, "1", "1") + &row("ann", 1, lat, lon));
        for args in [
            &["inspect", &file][..],
            &["protect", &file, "--out", "release"],
            &["paths", "reconstruct", &file, "--out", "journeys.csv"],
            &["paths", "cube", &file, "--out", "cube.csv"],
        ] {
            let ran = sandbox.run(args);
            assert!(ran.code == 2 && ran.stderr.contains(says) && ran.stderr.contains("hint: "), "{ran:?}");
            assert!(ran.stderr.contains(&format!("{file}:3, column `{column}`")), "{ran:?}");
            assert!(!ran.stderr.contains("35.987654") && !ran.stderr.contains("12.567891"), "{ran:?}");
        }
    }
    assert!(sandbox.listing().iter().all(|name| name.ends_with(".csv") && !name.starts_with("journeys")));
}

/// Odd points are read, counted and said; nothing falls over the date line or a pole.
#[test]
fn points_that_are_odd() {
    let sandbox = Sandbox::new();
    let rows = [
        row("ann", 5, "10.5", "179.9999"),
        row("ann", 9, "10.5", "-179.9999"),
        row("ben", 0, "89.9999", "2"),
        row("ben", 1, "-89.9999", "2"),
        row("cid", 7, "90", "180"),
        row("dan", 7, "1.5", "2.5"),
        row("dan", 6, "1.5", "2.5"),
        row("eve", 7, "1.5", "2.5"),
        row("eve", 7, "1.7", "2.5"),
        row("fay", 7, "0", "0"),
    ];
    sandbox.write("odd.csv", HEAD.to_owned() + &rows.concat());
    let ran = sandbox.done(&["inspect", "odd.csv", "--json"]);
    let found = ran.json();
    assert_eq!((found["persons_with_one_point"].as_u64(), found["resorted"].as_u64()), (Some(2), Some(1)));
    assert!(ran.stderr.contains("1 point lies at latitude 0 and longitude 0"), "{ran:?}");
    assert!(ran.stderr.contains("1 point came after a later one"), "{ran:?}");
    // Over the date line ann went twenty metres; from pole to pole ben did not.
    let made = sandbox.done(&["paths", "reconstruct", "odd.csv", "--out", "journeys.csv", "--json"]).json();
    let count = |name: &str| made[name].as_u64().unwrap();
    assert_eq!([count("points"), count("dropped_speed"), count("resorted"), count("persons")], [8, 2, 1, 6]);
    for cell in ["tile:8", "quad:0-8", "h3:4"] {
        let out = format!("{}.csv", cell.replace(':', "-"));
        let args = ["paths", "cube", "odd.csv", "--cell", cell, "--time", "all", "--k", "2", "--out", &out];
        sandbox.done(&args);
        let check = ["check", &out, "--model", "cube-threshold", "--original", "odd.csv"];
        assert!(sandbox.done(&check).stdout.contains("holds"), "{cell}");
    }
    for method in ["kindred", "trajectory-microaggregation", "nwa", "w4m", "swap", "generalise", "confuse"] {
        let args = ["protect", "odd.csv", "--k", "2", "--method", method, "--min-persons", "2", "--out", method];
        let ran = sandbox.run(&args);
        assert!(ran.code == 0 || (ran.code == 2 && !ran.stderr.contains("internal")), "{method}: {ran:?}");
    }
    for distance in ["synchronous", "route", "lcss", "edr"] {
        sandbox.done(&["paths", "cluster", "odd.csv", "--clusters", "2", "--distance", distance]);
    }
}

/// Where nobody was together with enough others, nothing can be published, and that is said.
#[test]
fn nothing_to_publish() {
    let sandbox = Sandbox::new();
    let rows: String = (0..6).map(|at| row(&format!("p{at}"), at, &format!("{}", 10 * at), "2.5")).collect();
    sandbox.write("apart.csv", HEAD.to_owned() + &rows);
    let ran = sandbox.run(&["protect", "apart.csv", "--out", "release"]);
    assert!(ran.code == 2 && ran.stderr.contains("nothing could be published"), "{ran:?}");
    assert!(ran.stderr.contains("--min-persons") && !sandbox.path("release").exists(), "{ran:?}");
    let ran = sandbox.run(&["protect", "apart.csv", "--k", "7", "--out", "release"]);
    assert!(ran.code == 2 && ran.stderr.contains("fewer than k = 7"), "{ran:?}");
}

/// Parameters that cannot be, in whatever command has them.
#[test]
fn parameters_that_cannot_be() {
    let sandbox = made_up();
    for (args, says) in [
        (&["protect", "paths.csv", "--out", "r", "--method", "nwa", "--delta", "0"][..], "`delta` is 0"),
        (&["protect", "paths.csv", "--out", "r", "--method", "w4m", "--delta", "0"], "`delta` is 0"),
        (&["paths", "cube", "paths.csv", "--out", "c.csv", "--cell", "tile:30"], "from 0 to 24"),
        (&["paths", "cube", "paths.csv", "--out", "c.csv", "--cell", "quad:9-3"], "comes first"),
        (&["attack", "paths.csv", "paths.csv", "--cell", "tile:30"], "from 0 to 24"),
        (&["paths", "patterns", "paths.csv", "--cell", "tile:30", "--support", "5"], "from 0 to 24"),
        (&["paths", "cluster", "paths.csv", "--clusters", "2", "--cells", "no.csv"], "no.csv"),
    ] {
        let ran = sandbox.run(args);
        assert!(ran.code == 2 && ran.stderr.contains(says), "{args:?}: {ran:?}");
    }
    assert_eq!(sandbox.listing(), ["paths.csv"]);
}

/// An edited cube fails with its row, also beside what it was counted with.
#[test]
fn a_cube_that_was_edited() {
    let sandbox = made_up();
    sandbox.done(&["paths", "cube", "paths.csv", "--cell", "quad:6-14", "--time", "7d", "--out", "cube.csv"]);
    let cube = sandbox.read("cube.csv");
    let third = cube.lines().nth(2).unwrap();
    let (start, exits) = third.rsplit_once(',').unwrap();
    let edited = format!("{start},{}", exits.parse::<u64>().unwrap() + 1);
    sandbox.write("cube.csv", cube.replacen(third, &edited, 1));
    let check = ["check", "cube.csv", "--model", "cube-threshold", "--json"];
    let ran = sandbox.run(&[&check[..], &["--original", "paths.csv"]].concat());
    let cell = third.split(',').next().unwrap();
    assert_eq!((ran.code, ran.json()["witness"]["line"].as_u64()), (1, Some(3)), "{ran:?}");
    assert_eq!(ran.json()["witness"]["cell"], cell, "{ran:?}");
    // Alone it is known not to be the one that was counted.
    let ran = sandbox.run(&check);
    assert!(ran.code == 1 && ran.json()["witness"]["problem"].as_str().unwrap().contains("beside it"), "{ran:?}");
}

/// Files that were cut off, folders of two kinds, headers that are not there.
#[test]
fn files_that_are_broken() {
    let sandbox = Sandbox::new();
    let gpx = "<?xml version=\"1.0\"?><gpx version=\"1.1\" creator=\"x\"><trk><name>ann</name><trkseg>\
               <trkpt lat=\"1.234567\" lon=\"2.5\"><time>2024-03-04T08:00:00Z</time></trkpt></trkseg></trk></gpx>";
    let geojson = "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{\"user\":\"a\",\
                   \"time\":\"2024-03-04T08:00:00Z\"},\"geometry\":{\"type\":\"Point\",\"coordinates\":[2.5,1.234567]}}]}";
    // Wherever it is cut, it is an error, and says nothing of where anybody was.
    for (name, whole, first) in [("cut.gpx", gpx, 40), ("cut.geojson", geojson, 40)] {
        for end in (first..whole.len() - 1).step_by(7) {
            sandbox.write(name, &whole[..end]);
            let ran = sandbox.run(&["inspect", name]);
            assert!(ran.code == 2 && !ran.stderr.contains("1.234567"), "{name} {end}: {ran:?}");
        }
        sandbox.write(name, &whole[..whole.len() - 4]);
        let ran = sandbox.run(&["inspect", name]);
        assert!(ran.stderr.contains("cut off"), "{name}: {ran:?}");
    }
    sandbox.write("still.gpx", gpx.replace("<time>2024-03-04T08:00:00Z</time>", ""));
    let ran = sandbox.run(&["protect", "still.gpx", "--out", "release"]);
    assert!(ran.code == 2 && ran.stderr.contains("have no times"), "{ran:?}");
    sandbox.write("a.plt", "39.9,116.3,0,492,39744.1,2008-10-23,02:53:04\n");
    let ran = sandbox.run(&["inspect", "a.plt"]);
    assert!(ran.code == 2 && ran.stderr.contains("six lines at the beginning"), "{ran:?}");
    std::fs::create_dir(sandbox.path("two")).unwrap();
    sandbox.write("two/a.gpx", gpx);
    sandbox.write("two/b.geojson", geojson);
    let ran = sandbox.run(&["inspect", "two"]);
    assert!(ran.code == 2 && ran.stderr.contains("two kinds of data"), "{ran:?}");
    sandbox.write("log.csv", "user,time,cell\nann,2024-03-04T08:00:00Z,A\nann,2024-03-04T08:10:00Z,B7\n");
    sandbox.write("cells.csv", "cell,lat,lon\nA,1.234567,2.5\n");
    let ran = sandbox.run(&["inspect", "log.csv", "--cells", "cells.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("log.csv:3, column `cell`"), "{ran:?}");
    assert!(!ran.stderr.contains("B7") && !ran.stderr.contains("1.234567"), "{ran:?}");
}
