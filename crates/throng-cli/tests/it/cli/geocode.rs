//! `throng geocode` and `throng synth town`.

use std::io::Write as _;
use std::process::Stdio;

use crate::support::Sandbox;

/// A town with two streets of one name, houses of a side 22 m apart.
const REFERENCE: &str = "\
id,number,street,suburb,postcode,lat,lon
a1,1,Smith Street,Aville,1000,0.0001,0.0001
a3,3,Smith Street,Aville,1000,0.0001,0.0003
a7,7,Smith Street,Aville,1000,0.0001,0.0007
a7a,7a,Smith Street,Aville,1000,0.0001,0.00075
a2,2,Smith Street,Aville,1000,-0.0001,0.0002
a4,4,Smith Street,Aville,1000,-0.0001,0.0004
b1,1,Smith Street,Beeton,1001,0.0021,0.0001
b3,3,Smith Street,Beeton,1001,0.0021,0.0003
c5,5,Mount Road,Beeton,1001,0.0031,0.0003
";

fn with_reference() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("reference.csv", REFERENCE);
    sandbox
}

#[test]
fn help_of_geocode() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("help-geocode", &["geocode", "--help"]);
    for command in ["index", "match", "reverse", "mask"] {
        sandbox.snapshot(&format!("help-geocode-{command}"), &["geocode", command, "--help"]);
    }
}

/// Levels and places by hand: 5 lies half of the way from 3 to 7.
#[test]
fn addresses_are_found() {
    let sandbox = with_reference();
    sandbox.write(
        "addresses.csv",
        "id,address\np1,\"7a Smith St, Aville 1000\"\np2,\"5 smith street aville 1000\"\np3,\"3 Smiht St, Aville, 1001\"\n\
         p4,\"9 Smith St, Beeton 1001\"\np5,\"99 Mt Road, Beeton, 1001\"\np6,\"1 Other Lane, Beeton 1001\"\np7,nothing\n",
    );
    sandbox.snapshot(
        "geocode-match",
        &["geocode", "match", "addresses.csv", "--ref", "reference.csv", "--out", "places.csv"],
    );
    let places = sandbox.read("places.csv");
    let rows: Vec<Vec<&str>> = places.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let levels: Vec<(&str, &str)> = rows.iter().map(|row| (row[3], row[6])).collect();
    assert_eq!(
        levels,
        [
            ("exact", "a7a"),
            ("interpolated", ""),
            ("neighbour", "a3"),
            ("extrapolated", ""),
            ("street", ""),
            ("area", ""),
            ("none", "")
        ]
    );
    assert_eq!(rows[1][1..3], ["0.0001000", "0.0005000"]);
    assert_eq!(rows[1][5], "11.12");
    // The same through a .geo file, in parts, and line by line.
    sandbox.done(&["geocode", "index", "reference.csv", "--out", "town.geo"]);
    sandbox.done(&["geocode", "match", "addresses.csv", "--ref", "town.geo", "--out", "again.csv", "--threads", "1"]);
    assert_eq!(sandbox.read("again.csv"), places);
    let mut command = sandbox.command(&["geocode", "match", "-", "--ref", "town.geo", "--stream"]);
    let mut running = command.stdin(Stdio::piped()).spawn().unwrap();
    running.stdin.take().unwrap().write_all(sandbox.read("addresses.csv").as_bytes()).unwrap();
    let output = running.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), places);
}

#[test]
fn places_have_addresses() {
    let sandbox = with_reference();
    sandbox.write("points.csv", "id,lat,lon\nx,0.0001,0.00031\ny,-0.0002,0.0004\n");
    sandbox.done(&["geocode", "reverse", "points.csv", "--ref", "reference.csv", "--out", "found.csv"]);
    assert_eq!(
        sandbox.read("found.csv"),
        "id,ref,number,street,suburb,postcode,distance_m\nx,a3,3,Smith Street,Aville,1000,1.11\ny,a4,4,Smith Street,Aville,1000,11.12\n"
    );
}

#[test]
fn a_town_is_found() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "town", "--addresses", "2000", "--persons", "300", "--seed", "7", "--out", "town"]);
    for (file, reference) in [("addresses", "reference"), ("lines", "reference")] {
        let (file, reference) = (format!("town/{file}.csv"), format!("town/{reference}.csv"));
        sandbox.done(&["geocode", "match", &file, "--ref", &reference, "--out", "found.csv"]);
        let (found, truth) = (sandbox.read("found.csv"), sandbox.read("town/truth.csv"));
        let of = |line: &str, at: usize| line.split(',').nth(at).unwrap_or_default().to_owned();
        let known: Vec<bool> = found
            .lines()
            .zip(truth.lines())
            .skip(1)
            .filter(|(_, truth)| !of(truth, 1).is_empty())
            .map(|(found, truth)| of(found, 6) == of(truth, 1))
            .collect();
        let right = known.iter().filter(|&&right| right).count();
        assert!(right * 100 >= known.len() * 98, "{file}: {right} of {}", known.len());
        std::fs::remove_file(sandbox.path("found.csv")).unwrap();
    }
    let found = sandbox
        .done(&["geocode", "index", "town/streets.csv", "--offset", "12", "--out", "streets.geo", "--json"])
        .json();
    assert_eq!((found["level"].as_str(), found["turned"].as_u64()), (Some("street"), Some(0)));
    let found = sandbox
        .done(&["geocode", "match", "town/addresses.csv", "--ref", "streets.geo", "--out", "on-streets.csv", "--json"])
        .json();
    assert!(found["levels"]["interpolated"].as_u64().unwrap() > 280, "{found}");
}

/// A mask holds by the model, with any number of threads and whatever else is in the file; with a foreign column, or back where it was, it does not.
#[test]
fn points_are_hidden() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "town", "--addresses", "2000", "--persons", "60", "--seed", "7", "--out", "town"]);
    sandbox.write("secret", "a secret of more than sixteen bytes\n");
    let (points, reference) = ("town/points.csv", "town/reference.csv");
    let mask = |from: &str, method: &str, out: &str| {
        let args = [
            "geocode",
            "mask",
            from,
            "--ref",
            reference,
            "--method",
            method,
            "--k",
            "10",
            "--secret-file",
            "secret",
            "--out",
            out,
            "--json",
        ];
        sandbox.done(&args).json()
    };
    let check = |file: &str| {
        sandbox.run(&[
            "check",
            file,
            "--model",
            "spatial-k-anonymity",
            "--k",
            "10",
            "--original",
            points,
            "--ref",
            reference,
            "--json",
        ])
    };
    for method in ["adaptive-donut", "donut", "street"] {
        let out = format!("{method}.csv");
        let found = mask(points, method, &out);
        assert_eq!(
            (found["verdict"].as_str(), found["measures"]["below-k"].as_u64()),
            (Some("holds"), Some(0)),
            "{found}"
        );
        assert_eq!(check(&out).code, 0, "{method}");
    }
    assert_eq!(mask(points, "voronoi", "voronoi.csv")["verdict"], "fails");
    let failing = check("voronoi.csv");
    assert_eq!((failing.code, failing.json()["verdict"].as_str()), (1, Some("fails")));
    // A part of the file gets the same masks.
    let some: Vec<String> = sandbox.read(points).lines().take(11).map(str::to_owned).collect();
    sandbox.write("some.csv", some.join("\n") + "\n");
    mask("some.csv", "adaptive-donut", "some-masked.csv");
    let masked = sandbox.read("adaptive-donut.csv");
    assert!(masked.starts_with(&sandbox.read("some-masked.csv")));
    let with_column: String = masked
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{line},{}\n", if at == 0 { "home" } else { "x" }))
        .collect();
    sandbox.write("more.csv", with_column);
    assert_eq!(check("more.csv").code, 1);
    sandbox.write("twice.csv", format!("{masked}{}\n", masked.lines().nth(1).unwrap()));
    assert_eq!(check("twice.csv").code, 1);
    assert_eq!(check(points).code, 1);
    let found = sandbox
        .done(&["geocode", "attack", "mask", points, "adaptive-donut.csv", "--ref", reference, "--k", "10", "--json"])
        .json();
    assert!(
        found["attacks"].as_array().unwrap().iter().all(|attack| attack["rate"].as_f64().unwrap() < 0.2),
        "{found}"
    );
    let unmasked = sandbox.done(&["geocode", "attack", "mask", points, points, "--ref", reference, "--json"]).json();
    assert_eq!(unmasked["attacks"][0]["rate"], 1.0, "{unmasked}");
    sandbox.write("secret", "short\n");
    let ran =
        sandbox.run(&["geocode", "mask", points, "--ref", reference, "--secret-file", "secret", "--out", "no.csv"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(!ran.stderr.contains("short\n") && !sandbox.path("no.csv").exists());
}

/// A map of pins is read as its front doors.
#[test]
fn pins_are_front_doors() {
    let sandbox = with_reference();
    // 0.001 degrees are 100 units: the pin is at house 7, at 0.0001, 0.0007.
    let pin = |y: f64| format!("<svg viewBox='0 0 100 100'><circle cx='70' cy='{y}' r='2' fill='#ff0000'/></svg>");
    sandbox.write("map.svg", pin(90.0));
    sandbox.write("truth.csv", "id,lat,lon\nx,0.0001,0.0007\n");
    let bounds = ["--bounds", "0,0,0.001,0.001", "--marker", "ff0000"];
    let args = [
        "geocode",
        "attack",
        "pin-map",
        "map.svg",
        "--ref",
        "reference.csv",
        "--truth",
        "truth.csv",
        "--out",
        "pins.csv",
        "--json",
    ];
    let found = sandbox.done(&[&args[..], &bounds[..]].concat()).json();
    assert_eq!((found["pins"].as_u64(), found["right"].as_f64()), (Some(1), Some(1.0)));
    assert_eq!(sandbox.read("pins.csv"), "pin,x,y,lat,lon,ref,distance_m\n1,70.00,90.00,0.0001000,0.0007000,a7,0.00\n");
    for turned in ["0.001,0,0,0.001", "0,0,1", "0,0,91,1"] {
        let ran = sandbox.run(&[
            "geocode",
            "attack",
            "pin-map",
            "map.svg",
            "--ref",
            "reference.csv",
            "--bounds",
            turned,
            "--marker",
            "ff0000",
            "--out",
            "no.csv",
        ]);
        assert_eq!(ran.code, 2, "{ran:?}");
    }
    let other = [
        "geocode",
        "attack",
        "pin-map",
        "map.svg",
        "--ref",
        "reference.csv",
        "--bounds",
        "0,0,1,1",
        "--marker",
        "00ff00",
        "--out",
        "no.csv",
    ];
    assert_eq!(sandbox.run(&other).code, 2);
    sandbox.write("map.png", b"\x89PNG\r\n\x1a\nnot an image");
    let damaged = [
        "geocode",
        "attack",
        "pin-map",
        "map.png",
        "--ref",
        "reference.csv",
        "--bounds",
        "0,0,1,1",
        "--marker",
        "00ff00",
        "--out",
        "no.csv",
    ];
    assert_eq!(sandbox.run(&damaged).code, 2);
    assert!(!sandbox.path("no.csv").exists());
}

/// Every mistake is an error with its place, and nothing is left behind.
#[test]
fn bad_references_and_addresses() {
    let sandbox = with_reference();
    sandbox.write("addresses.csv", "id,address\np1,7 Smith St\n");
    let header = "id,number,street,suburb,postcode,lat,lon\n";
    let cases = [
        ("none.csv", "id,number,street,suburb,postcode\n1,1,a,b,c\n".to_owned(), "no coordinates"),
        ("beyond.csv", format!("{header}1,1,a,b,c,90.5,0\n"), "beyond.csv:2"),
        ("text.csv", format!("{header}1,1,a,b,c,north,0\n"), "not a number"),
        ("empty.csv", header.to_owned(), "no rows"),
        ("damaged.geo", "throng geo 1\nnot much".to_owned(), "damaged"),
        ("other.geo", "something else".to_owned(), "not a reference"),
    ];
    for (name, text, says) in cases {
        sandbox.write(name, text);
        let ran = sandbox.run(&["geocode", "match", "addresses.csv", "--ref", name, "--out", "places.csv"]);
        assert_eq!(ran.code, 2, "{name}: {ran:?}");
        assert!(ran.stderr.contains(says), "{name}: {ran:?}");
        assert!(!sandbox.path("places.csv").exists());
    }
    sandbox.snapshot(
        "geocode-no-columns",
        &["geocode", "reverse", "addresses.csv", "--ref", "reference.csv", "--out", "o.csv"],
    );
    // Segments whose numbers fall are turned.
    sandbox.write(
        "streets.csv",
        "from,to,side,street,suburb,postcode,lat1,lon1,lat2,lon2\n9,1,left,Long Road,Aville,1000,0,0.0008,0,0\n",
    );
    let ran = sandbox.done(&["geocode", "index", "streets.csv", "--out", "streets.geo"]);
    assert!(ran.stderr.contains("turned"), "{ran:?}");
}
