//! Access logs: bad input, releases, attacks, and what an analyser reads of them. Formats are in `visit_formats`.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::Sandbox;

/// How a log of some lines is read.
fn rows_read(text: &str, more: &[&str]) -> Vec<Value> {
    let sandbox = Sandbox::new();
    sandbox.write("some.log", text);
    let args = [&["inspect", "some.log", "--rows", "5", "--show-values", "--json"], more].concat();
    sandbox.done(&args).json()["rows_read"].as_array().unwrap().clone()
}

/// Roles of the only line of a log that are these.
fn read_as(text: &str, more: &[&str], expected: Value) {
    let rows = rows_read(text, more);
    assert_eq!(rows.len(), 1, "{text}");
    for (role, value) in expected.as_object().unwrap() {
        assert_eq!(&rows[0][role], value, "{role} of {text}\n{}", rows[0]);
    }
}

#[test]
fn lines_that_are_odd() {
    let begin = "192.0.2.7 - - [07/Mar/2024:12:00:01 +0100]";
    read_as(
        &format!("{begin} \"-\" 408 -\n"),
        &[],
        json!({"path": null, "method": null, "status": 408, "bytes": null}),
    );
    read_as(&format!("{begin} \"\\x16\\x03\\x01\" 400 0\n"), &[], json!({"path": null, "status": 400}));
    let sandbox = Sandbox::new();
    let good = format!("{begin} \"GET /a HTTP/1.1\" 200 1\n");
    sandbox.write("bad.log", format!("{}{begin} \"GET /secret-page\n", good.repeat(20)));
    let ran = sandbox.run(&["inspect", "bad.log"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("bad.log:21") && ran.stderr.contains("column") && !ran.stderr.contains("secret-page"),
        "{}",
        ran.stderr
    );
    let found = sandbox.done(&["inspect", "bad.log", "--bad-lines", "skip", "--json"]).json();
    assert_eq!((&found["rows"], &found["rows_refused"]), (&json!(20), &json!(1)));
    sandbox.write("words.log", "hello world and more\n".repeat(3));
    let ran = sandbox.run(&["inspect", "words.log", "--kind", "visits"]);
    assert!(ran.code == 2 && ran.stderr.matches(" fails at column ").count() == 3, "{}", ran.stderr);
}

/// Made up, protected, checked: every visitor has a fresh address, and nothing that names somebody is left.
#[test]
fn a_release_is_a_log_again() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "60", "--seed", "1", "--out", "access.log"]);
    for format in ["combined", "w3c", "jsonl", "csv", "elb"] {
        let out = format!("release-{format}");
        let args = ["protect", "access.log", "--out", &out, "--k", "3", "--seed", "1", "--format", format, "--key"];
        let key = format!("{out}.csv");
        sandbox.done(&[&args[..], &[&key]].concat());
        let certificate = sandbox.json(&format!("{out}/certificate.json"));
        assert_eq!(certificate["claims"][0]["model"], "user-k-anonymity", "{format}");
        let (input, output) = (&certificate["input"], &certificate["output"]);
        assert_eq!(
            input["humans"].as_u64().unwrap() + input["bots"].as_u64().unwrap(),
            input["persons"].as_u64().unwrap()
        );
        assert!(output["humans"].as_u64().unwrap() > 30, "{output}");
        sandbox.done(&["check", &out, "--original", "access.log"]);
        assert!(sandbox.read(&key).lines().skip(1).all(|line| line.contains(",2")), "fresh addresses");
    }
    let release = sandbox.read("release-combined/data.log");
    assert!(
        release.lines().all(|line| line.starts_with("24") || line.starts_with("25") || line.starts_with("2001:db8"))
    );
    sandbox.done(&["measure", "access.log", "release-combined", "--key", "release-combined.csv"]);
    sandbox.done(&["protect", "access.log", "--out", "masked", "--method", "mask", "--seed", "1"]);
    assert_eq!(sandbox.json("masked/certificate.json")["claims"], json!([]));
    assert_eq!(sandbox.run(&["check", "masked", "--model", "user-k-anonymity", "--k", "2"]).code, 1);
}

const BEGIN: &str = "192.0.2.7 - - [07/Mar/2024:12:00:01 +0100]";

/// The error for a file, which never has a text of it.
fn refused(files: &[(&str, String)], args: &[&str]) -> String {
    let sandbox = Sandbox::new();
    files.iter().for_each(|(name, text)| sandbox.write(name, text));
    let ran = sandbox.run(args);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    ran.stderr
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    let good = format!("{BEGIN} \"GET /a HTTP/1.1\" 200 1\n");
    let many = good.repeat(20);
    for (bad, expected) in [
        (format!("{BEGIN} \"GET /secret\n"), "a quote that ends what began in one is expected in column 56"),
        (
            "192.0.2.7 - - [07/Xxx/2024:12:00:01 +0100] \"GET /secret HTTP/1.1\" 200 1\n".to_owned(),
            "a time is expected",
        ),
        (format!("{BEGIN} \"GET /secret HTTP/1.1\" 2x0 1\n"), "a status of three digits is expected"),
        (format!("{BEGIN} \"GET /secret HTTP/1.1\" 200 1 2\n"), "the end of the line is expected"),
        ("secret\n".to_owned(), "is expected in column"),
    ] {
        let said = refused(&[("some.log", format!("{many}{bad}"))], &["inspect", "some.log"]);
        assert!(said.contains("some.log:21") && said.contains(expected), "{said}");
    }
    // W3C without its columns, with too few and too many cells.
    let w3c = "#Version: 1.0\n2024-03-07 11:00:01 192.0.2.7 /secret\n";
    let said = refused(&[("w3c.log", w3c.to_owned())], &["inspect", "w3c.log"]);
    assert!(said.contains("`#Fields:`"), "{said}");
    for cells in ["2024-03-07 11:00:01 192.0.2.7", "2024-03-07 11:00:01 192.0.2.7 /secret more"] {
        let text = format!("#Fields: date time c-ip cs-uri-stem\n2024-03-07 11:00:01 192.0.2.7 /a\n{cells}\n");
        let said = refused(&[("w3c.log", text)], &["inspect", "w3c.log"]);
        assert!(said.contains("w3c.log:3") && said.contains("4 columns, as `#Fields:` says"), "{said}");
    }
    let said = refused(&[("empty.log", String::new())], &["inspect", "empty.log", "--kind", "visits"]);
    assert!(said.contains("empty"), "{said}");
    // A format of its own: the nearest three, and where each fails.
    let own = "192.0.2.7 [07/Mar/2024:12:00:01 +0100] \"GET /secret HTTP/1.1\" 200\n".repeat(5);
    let said = refused(&[("own.log", own)], &["inspect", "own.log"]);
    assert_eq!(said.matches(" fails at column ").count(), 3, "{said}");
    // Two formats in one log.
    let combined = good.replace(" 1\n", " 1 \"-\" \"A\"\n");
    let files = [("a.log", good.clone()), ("b.log", combined.clone())];
    let said = refused(&files, &["inspect", "*.log"]);
    assert!(said.contains("common") && said.contains("combined") && said.contains("b.log"), "{said}");
    let json = "{\"ip\":\"192.0.2.7\",\"time\":\"2024-03-07T11:00:01Z\",\"request\":\"GET /a HTTP/1.1\"}\n".to_owned();
    let said = refused(&[("a.log", good), ("b.log", json)], &["inspect", "*.log"]);
    assert!(said.contains("common") && said.contains("json"), "{said}");
}

#[test]
fn odd_addresses_are_said() {
    let line =
        |address: &str| format!("{address} - - [07/Mar/2024:12:00:01 +0100] \"GET /a HTTP/1.1\" 200 1 \"-\" \"A\"\n");
    let sandbox = Sandbox::new();
    let addresses = ["192.0.2.7, 10.0.0.1", "host.example", "-", "unknown"];
    sandbox.write("some.log", addresses.map(line).concat());
    let ran = sandbox.done(&["inspect", "some.log", "--rows", "9", "--show-values", "--json"]);
    let found: Vec<Value> =
        ran.json()["rows_read"].as_array().unwrap().iter().map(|row| row["address"].clone()).collect();
    assert_eq!(found, [json!("192.0.2.7"), json!("host.example"), json!(null), json!(null)]);
    let said = sandbox.done(&["inspect", "some.log"]).stderr;
    for words in ["several addresses: the first was taken", "name of a host", "no address, or one that is unknown"] {
        assert!(said.contains(words), "{said}");
    }
    // Without agents visitors are told by their addresses, which is said.
    sandbox.write("common.log", line("192.0.2.7").replace(" \"-\" \"A\"", ""));
    assert!(sandbox.done(&["inspect", "common.log"]).stderr.contains("no line names its browser"));
    let ran = sandbox.run(&["protect", "common.log", "--out", "out", "--k", "2"]);
    assert!(ran.code == 2 && !sandbox.path("out").exists(), "one visitor cannot hide: {}", ran.stderr);
}

/// Rotated files are one log, whatever their order; lines that stand in both are counted, and stay.
#[test]
fn seams_of_rotated_files_are_reported() {
    let line = |second: usize| {
        format!("192.0.2.{second} - - [07/Mar/2024:12:00:{second:02} +0100] \"GET /a HTTP/1.1\" 200 1\n")
    };
    let of = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
    let sandbox = Sandbox::new();
    sandbox.write("access.log", of(7..12));
    sandbox.write("access.log.1", of(3..9));
    let found = sandbox.done(&["inspect", "access.log*", "--json"]).json();
    assert_eq!((&found["rows"], &found["rows_at_seams"], &found["persons"]), (&json!(11), &json!(2), &json!(9)));
    assert!(sandbox.done(&["inspect", "access.log*"]).stderr.contains("2 lines at the end of one file stand again"));
}

/// Sessions and lines: their claims, and the warning with the number of this log.
#[test]
fn units_of_microaggregation() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "80", "--seed", "1", "--out", "access.log"]);
    for (unit, claim) in
        [("visitor", "user-k-anonymity"), ("session", "session-k-anonymity"), ("line", "record-k-anonymity")]
    {
        let method = ["--method", "visit-microaggregation", "--unit", unit, "--k", "3", "--seed", "1"];
        let key = format!("{unit}.csv");
        let ran = sandbox.done(&[&["protect", "access.log", "--out", unit, "--key", &key], &method[..]].concat());
        let certificate = sandbox.json(&format!("{unit}/certificate.json"));
        assert_eq!(certificate["claims"][0]["model"], claim);
        assert_eq!(certificate["claims"][0]["verdict"], "holds");
        sandbox.done(&["check", unit]);
        let counted = &certificate["accounting"];
        let said = ran.stderr.clone() + &ran.stdout;
        if unit == "visitor" {
            assert!(counted.get("groups_of_one").is_none() && !said.contains("of one visitor"), "{said}");
        } else {
            let [one, all] = ["groups_of_one", "groups_made"].map(|name| counted[name].as_f64().unwrap());
            let share = format!("{:.1} % of the groups are {unit}s of one visitor", 100.0 * one / all);
            assert!(one > 0.0 && said.contains(&share), "{share}\n{said}");
        }
        sandbox.done(&["measure", "access.log", unit, "--key", &key]);
        // Nothing of the original is in it: no query string, no referrer, and of addresses no more than 16 bits.
        let release = sandbox.read(&format!("{unit}/data.log"));
        assert!(!release.contains('?') && release.lines().all(|line| line.contains(" \"-\" \"")), "{unit}");
        if unit == "line" {
            let address = |line: &str| line.split(' ').next().unwrap().to_owned();
            let is_cut = |address: String| address == "-" || address.ends_with(".0.0") || address.ends_with("::");
            assert!(release.lines().map(address).all(is_cut));
        }
    }
    // A network that k of the group share, and a model that says so.
    let prefix = ["--method", "visit-microaggregation", "--address", "prefix", "--k", "3", "--seed", "1"];
    sandbox.done(&[&["protect", "access.log", "--out", "prefix"], &prefix[..]].concat());
    let certificate = sandbox.json("prefix/certificate.json");
    assert_eq!(certificate["claims"][1]["model"], "network-k-anonymity");
    assert_eq!(certificate["claims"][1]["verdict"], "holds");
    sandbox.done(&["check", "prefix"]);
    assert!(sandbox.read("prefix/data.log").lines().any(|line| line.starts_with("10.")));
    // Bots among humans are warned of.
    let mix = ["--method", "visit-microaggregation", "--bots", "mix", "--k", "3", "--seed", "1"];
    let ran = sandbox.done(&[&["protect", "access.log", "--out", "mix"], &mix[..]].concat());
    assert!((ran.stderr + &ran.stdout).contains("a bot is no person to hide among"));
}

/// Somebody who knows pages: in `protect`, in `attack`, and by a file.
#[test]
fn known_pages() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "80", "--seed", "1", "--out", "access.log"]);
    let method = ["--method", "visit-microaggregation", "--k", "3", "--seed", "1"];
    sandbox.done(&[&["protect", "access.log", "--out", "out", "--key", "key.csv"], &method[..]].concat());
    let report = sandbox.json("out/report.json");
    let named: Vec<&Value> =
        report["attacks"].as_array().unwrap().iter().filter(|attack| attack["name"] == "known-pages").collect();
    assert_eq!(named.len(), 6, "1, 2, 3, 5 pages, 2 with times, 2 with the browser");
    assert_eq!(named[5]["knowledge"]["with"], json!(["browser"]));
    assert!(named.iter().all(|attack| attack["verdict"] == "below"));
    let attack = ["attack", "access.log", "out", "--key", "key.csv", "--json"];
    let found = sandbox.done(&[&attack[..], &["--p", "2", "--with", "times,browser"]].concat()).json();
    assert_eq!(found["attacks"][0]["knowledge"]["with"], json!(["times", "browser"]));
    assert!(found["attacks"][0]["rate"].as_f64().unwrap() <= 1.0 / 3.0);
    // The log itself: whoever knows a page and its browser is much surer.
    let itself =
        sandbox.done(&["attack", "access.log", "access.log", "--p", "2", "--with", "browser", "--json"]).json();
    assert!(itself["attacks"][0]["rate"].as_f64() > found["attacks"][0]["rate"].as_f64());
    let key = sandbox.read("key.csv");
    let person = key.lines().nth(1).unwrap().split_once(",2").unwrap().0.trim_matches('"').to_owned();
    let fact = json!({"person": person, "facts": [{"path": "/", "time": "2024-03-04T10:00:00Z", "browser": "Chrome"}]});
    sandbox.write("known.jsonl", format!("{fact}\n"));
    let found = sandbox.done(&[&attack[..], &["--knowledge", "known.jsonl", "--with", "browser"]].concat()).json();
    assert_eq!(found["attacks"][0]["knowledge"], json!({"given": true, "with": ["browser"]}));
    let ran = sandbox.run(&[&attack[..], &["--with", "clicks"]].concat());
    assert_eq!(ran.code, 2);
}

/// How shares of browsers move over k: slopes add up to 0.
#[test]
fn slopes_of_a_comparison() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "80", "--seed", "1", "--out", "access.log"]);
    let args = ["compare", "access.log", "--methods", "visit-microaggregation,mask", "--k", "2,4,6", "--seed", "1"];
    let found = sandbox.done(&[&args[..], &["--out", "compared", "--no-attacks", "--json"]].concat()).json();
    let trends = found["trends"].as_array().unwrap();
    assert_eq!(trends.len(), 1, "mask has no k");
    assert_eq!((&trends[0]["measure"], &trends[0]["k"]), (&json!("browser-usage"), &json!([1, 2, 4, 6])));
    let classes = trends[0]["classes"].as_object().unwrap();
    let sum: f64 = classes.values().map(|moved| moved["slope"].as_f64().unwrap()).sum();
    assert!(classes.len() > 3 && sum.abs() < 1e-9, "{sum}");
    assert!(sandbox.read("compared/comparison.html").contains("How shares move over k"));
}

/// What inspect says of the log as it is, and of what masking would leave.
#[test]
fn crowds_of_a_log_and_what_masking_leaves() {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "80", "--seed", "1", "--out", "access.log"]);
    let found = sandbox.done(&["inspect", "access.log", "--json"]).json();
    let known: Vec<&str> =
        found["known_by"].as_array().unwrap().iter().map(|row| row["known"].as_str().unwrap()).collect();
    let expected = [
        "agent",
        "/24",
        "/24 + agent",
        "/16 + agent",
        "set of paths",
        "set + agent",
        "one path",
        "two paths",
        "three paths",
        "one path and its minute",
    ];
    assert_eq!(known, expected);
    sandbox.done(&["protect", "access.log", "--out", "masked", "--method", "mask", "--seed", "1"]);
    let masked = sandbox.done(&["inspect", "masked", "--json"]).json();
    for (row, left) in found["known_by"].as_array().unwrap().iter().zip(masked["known_by"].as_array().unwrap()) {
        let near = |name: &str| (row["masked"][name].as_f64().unwrap() - left[name].as_f64().unwrap()).abs();
        // Paths are drawn; everything else is exactly what the masked release shows.
        let most = if row["known"].as_str().unwrap().contains("path") { 0.2 } else { 1e-12 };
        assert!(near("alone") <= most && near("below_5") <= most, "{row} {left}");
    }
}

/// Debian's `goaccess`, where it is installed, reads a release without a complaint, and finds its lines.
#[test]
fn goaccess_reads_a_release() {
    if Command::new("goaccess").arg("--version").output().is_err() {
        #[expect(clippy::print_stderr, reason = "a test that cannot ask says so")]
        {
            eprintln!("goaccess is not installed: no release was read by it");
        }
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "visits", "--persons", "120", "--seed", "1", "--out", "access.log"]);
    for method in ["default", "visit-microaggregation", "mask"] {
        let chosen: &[&str] = if method == "default" { &[] } else { &["--method", method] };
        let k: &[&str] = if method == "mask" { &[] } else { &["--k", "3"] };
        sandbox.done(&[&["protect", "access.log", "--out", method, "--seed", "1"], chosen, k].concat());
        let file = format!("{method}/data.log");
        let args = [file.as_str(), "--log-format=COMBINED", "-o", "out.json", "--no-global-config"];
        let ran = Command::new("goaccess").args(args).current_dir(sandbox.path("")).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let (found, certificate) = (sandbox.json("out.json"), sandbox.json(&format!("{method}/certificate.json")));
        let general = &found["general"];
        assert_eq!(general["failed_requests"], json!(0), "{general}");
        assert_eq!(general["valid_requests"], certificate["output"]["rows"], "{general}");
    }
}
