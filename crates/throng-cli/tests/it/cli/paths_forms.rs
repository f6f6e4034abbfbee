//! Paths in forms of their own: GPX, GeoJSON and the folders of GeoLife, read, protected, checked, and what is wrong with them.

use crate::support::Sandbox;

/// Six persons who walk about the same two places, as points: person, hour, latitude, longitude.
fn walks() -> Vec<(String, u32, f64, f64)> {
    let mut points = Vec::new();
    for person in 0..6 {
        for hour in 0..3 {
            points.push((
                format!("p{person}"),
                hour,
                47.0 + 0.05 * f64::from(hour % 2),
                8.0 + 0.0001 * f64::from(person),
            ));
        }
    }
    points
}

fn time(hour: u32) -> String {
    format!("2024-03-04T{:02}:00:00Z", 8 + hour)
}

fn gpx(points: &[(String, u32, f64, f64)]) -> String {
    let mut text = "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\" creator=\"a device\" xmlns=\"http://www.topografix.com/GPX/1/1\">\n\
                    <metadata><name>x</name></metadata>\n<rte><rtept lat=\"1\" lon=\"1\"/></rte>\n"
        .to_owned();
    for same in points.chunk_by(|left, right| left.0 == right.0) {
        text += &format!("<trk><name>{}</name><trkseg>", same[0].0);
        for (_, hour, lat, lon) in same {
            text += &format!("<trkpt lat=\"{lat}\" lon=\"{lon}\"><ele>400</ele><time>{}</time></trkpt>\n", time(*hour));
        }
        text += "</trkseg></trk>\n";
    }
    text + "</gpx>\n"
}

fn geojson(points: &[(String, u32, f64, f64)]) -> String {
    let feature = |(person, hour, lat, lon): &(String, u32, f64, f64)| {
        format!(
            "{{\"type\":\"Feature\",\"properties\":{{\"user\":\"{person}\",\"time\":\"{}\",\"mood\":3}},\
             \"geometry\":{{\"type\":\"Point\",\"coordinates\":[{lon},{lat},400]}}}}",
            time(*hour)
        )
    };
    let features: Vec<String> = points.iter().map(feature).collect();
    format!("{{\"type\":\"FeatureCollection\",\"features\":[\n{}\n]}}\n", features.join(",\n"))
}

fn lines(points: &[(String, u32, f64, f64)]) -> String {
    let feature = |same: &[(String, u32, f64, f64)]| {
        let times: Vec<String> = same.iter().map(|point| format!("\"{}\"", time(point.1))).collect();
        let places: Vec<String> = same.iter().map(|point| format!("[{},{}]", point.3, point.2)).collect();
        format!(
            "{{\"type\":\"Feature\",\"properties\":{{\"name\":\"{}\",\"coordTimes\":[{}]}},\
             \"geometry\":{{\"type\":\"LineString\",\"coordinates\":[{}]}}}}",
            same[0].0,
            times.join(","),
            places.join(",")
        )
    };
    let features: Vec<String> = points.chunk_by(|left, right| left.0 == right.0).map(feature).collect();
    format!("{{\"type\":\"FeatureCollection\",\"features\":[{}]}}", features.join(","))
}

const HEADER: &str = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track,0,0,2,8421376\n0\n";

/// The same points in every form are the same paths, and a release of each has its form, or CSV.
#[test]
fn every_form_is_read_protected_and_checked() {
    let sandbox = Sandbox::new();
    let points = walks();
    sandbox.write("walks.gpx", gpx(&points));
    sandbox.write("walks.geojson", geojson(&points));
    sandbox.write("lines.geojson", lines(&points));
    std::fs::create_dir(sandbox.path("Data")).unwrap();
    for same in points.chunk_by(|left, right| left.0 == right.0) {
        let folder = sandbox.path(&format!("Data/{}/Trajectory", same[0].0));
        std::fs::create_dir_all(&folder).unwrap();
        for (number, point) in same.iter().enumerate() {
            let row = format!("{},{},0,400,45355.3,2024-03-04,{:02}:00:00\r\n", point.2, point.3, 8 + point.1);
            std::fs::write(folder.join(format!("{number}.plt")), format!("{HEADER}{row}")).unwrap();
        }
    }
    let csv: String =
        points.iter().map(|(person, hour, lat, lon)| format!("{person},{},{lat},{lon}\n", time(*hour))).collect();
    sandbox.write("walks.csv", format!("user,time,lat,lon\n{csv}"));
    let mut cubes = Vec::new();
    for (file, ending) in [
        ("walks.csv", "csv"),
        ("walks.gpx", "gpx"),
        ("walks.geojson", "geojson"),
        ("lines.geojson", "geojson"),
        ("Data", "csv"),
    ] {
        let found = sandbox.done(&["inspect", file, "--json"]).json();
        assert_eq!(
            (found["kind"].as_str(), found["persons"].as_u64(), found["rows"].as_u64()),
            (Some("paths"), Some(6), Some(18)),
            "{file}"
        );
        let cube = format!("{file}.cube.csv");
        sandbox.done(&["paths", "cube", file, "--cell", "tile:10", "--time", "1h", "--k", "5", "--out", &cube]);
        cubes.push(sandbox.read(&cube));
        let out = format!("{file}.release");
        sandbox.done(&["protect", file, "--out", &out, "--seed", "1", "--min-persons", "2"]);
        let data = format!("{out}/data.{ending}");
        assert!(sandbox.path(&data).exists(), "{data}");
        let checked = sandbox.done(&["check", &out, "--original", file, "--json"]).json();
        assert_eq!(checked["verdict"], "holds", "{file}");
        // Without the certificate, and nothing in it that was no role.
        assert_eq!(sandbox.done(&["check", &data, "--k", "5", "--json"]).json()["verdict"], "holds", "{file}");
        let text = sandbox.read(&data);
        assert!(!text.contains("400") && !text.contains("mood") && !text.contains("p0"), "{text}");
    }
    assert!(cubes.iter().all(|cube| cube.lines().count() > 2 && *cube == cubes[0]), "{cubes:?}");
    assert!(sandbox.read("lines.geojson.release/data.geojson").contains("\"LineString\""));
    // Whatever is beside the points, or has no role, fails a check.
    for (file, beside) in [("walks.gpx", "of the whole file"), ("walks.geojson", "mood")] {
        let ran = sandbox.run(&["check", file, "--k", "2"]);
        assert!(ran.code == 1 && format!("{}{}", ran.stdout, ran.stderr).contains(beside), "{ran:?}");
    }
    // Other forms for the release.
    for format in ["gpx", "geojson", "gpx.gz", "csv"] {
        let out = format!("to-{format}");
        sandbox.done(&["protect", "walks.csv", "--out", &out, "--seed", "1", "--format", format]);
        assert_eq!(
            sandbox.done(&["check", &out, "--original", "walks.csv", "--json"]).json()["claims"][0]["verdict"],
            "holds",
            "{format}"
        );
    }
    // Several files are one data set; a person without a name is the file.
    let one: Vec<_> = points[..3].to_vec();
    sandbox.write("ann.gpx", gpx(&one).replace("<name>p0</name>", ""));
    sandbox.write("ben.gpx", gpx(&one).replace("<name>p0</name>", ""));
    assert_eq!(sandbox.done(&["inspect", "ann.gpx", "ben.gpx", "--json"]).json()["persons"], 2);
    let ran = sandbox.done(&["paths", "reconstruct", "walks.gpx", "--out", "journeys.csv", "--json"]).json();
    assert_eq!(ran["persons"], 6);
}

/// One error each: what, where, what to do; nothing of a person, and nothing is made.
#[test]
fn what_is_wrong_is_said() {
    let sandbox = Sandbox::new();
    let points = walks();
    let (good_gpx, good_json) = (gpx(&points), geojson(&points));
    let start = |text: &str| text[..text.len() / 2].to_owned();
    for (name, text, says) in [
        ("cut.gpx", start(&good_gpx), "no XML"),
        ("cut.geojson", start(&good_json), "ends too soon"),
        ("plan.gpx", good_gpx.replace("<time>", "<desc>").replace("</time>", "</desc>"), "have no times"),
        ("version.gpx", good_gpx.replace("\"1.1\"", "\"2.0\""), "not known"),
        ("far.gpx", good_gpx.replacen("lat=\"47", "lat=\"147", 1), "beyond 90"),
        ("far.geojson", good_json.replacen("[8.0", "[208.0", 1).replacen("[8,", "[208,", 1), "beyond 180"),
        ("nan.geojson", good_json.replacen("[8", "[\"8\"", 1), "ends too soon"),
        ("area.geojson", good_json.replacen("\"Point\"", "\"Polygon\"", 1), "neither a point nor a line"),
        ("none.geojson", "{\"type\":\"FeatureCollection\",\"features\":[]}".to_owned(), "has no points"),
        ("times.geojson", lines(&points).replacen("\"2024-03-04T08:00:00Z\",", "", 1), "as many times as points"),
        ("timeless.geojson", lines(&points).replacen("coordTimes", "hours", 1), "have no times"),
        ("bare.plt", "47.0,8.0,0,400,45355.3,2024-03-04,08:00:00\n".repeat(8), "six lines"),
        ("short.plt", format!("{HEADER}47.0,8.0,0\n"), "seven cells"),
    ] {
        sandbox.write(name, &text);
        let ran = sandbox.run(&["inspect", name]);
        let is_said = ran.stderr.contains(says) || name == "nan.geojson";
        assert!(ran.code == 2 && is_said && ran.stderr.contains(name), "{name}: {ran:?}");
        assert!(!ran.stderr.contains("47.0") && !ran.stderr.contains("p0"), "{ran:?}");
        let out = format!("{name}.release");
        assert_eq!(sandbox.run(&["protect", name, "--out", &out]).code, 2);
        assert!(!sandbox.path(&out).exists());
    }
    // A bad point can be left out.
    let ran = sandbox.done(&["inspect", "far.gpx", "--bad-lines", "skip", "--json"]).json();
    assert_eq!((ran["rows"].as_u64(), ran["rows_refused"].as_u64()), (Some(17), Some(1)));
    // A folder with two kinds.
    std::fs::create_dir(sandbox.path("mixed")).unwrap();
    sandbox.write("mixed/a.gpx", &good_gpx);
    sandbox.write("mixed/b.txt", "A text about something.\n");
    let ran = sandbox.run(&["inspect", "mixed"]);
    assert!(ran.code == 2 && ran.stderr.contains("two kinds"), "{ran:?}");
    assert_eq!(sandbox.done(&["inspect", "mixed/*.gpx", "--json"]).json()["persons"], 6);
    // Trips and stays are columns.
    assert_eq!(sandbox.run(&["paths", "reconstruct", "mixed/a.gpx", "--out", "j.gpx"]).code, 2);
}
