//! `throng geocode private`, and the attack on chaff.

use crate::support::Sandbox;

/// A made-up town, and some of its people's addresses with errors.
fn with_town() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "town", "--persons", "60", "--addresses", "900", "--seed", "3", "--out", "town"]);
    let reference = sandbox.read("town/reference.csv");
    let lines: Vec<&str> = reference.lines().collect();
    assert!(lines[0].starts_with("id,number,street,suburb,postcode,"), "{}", lines[0]);
    let (mut parts, mut whole) = ("id,number,street,suburb,postcode\n".to_owned(), "id,address\n".to_owned());
    for (person, line) in lines[1..].iter().step_by(lines.len() / 30).enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        // Every third street has a letter too many.
        let street = if person % 3 == 0 { cells[2].replacen('e', "ee", 1) } else { cells[2].to_owned() };
        parts.push_str(&format!("SECRET{person},{},{street},{},{}\n", cells[1], cells[3], cells[4]));
        whole.push_str(&format!("SECRET{person},\"{} {street}, {} {}\"\n", cells[1], cells[3], cells[4]));
    }
    sandbox.write("parts.csv", parts);
    sandbox.write("lines.csv", whole);
    sandbox
}

fn ids(text: &str) -> Vec<String> {
    text.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned()).collect()
}

#[test]
fn help_of_private_geocoding() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("help-geocode-private", &["geocode", "private", "--help"]);
    for command in ["chaff", "unchaff", "proxy", "encode", "match", "open"] {
        sandbox.snapshot(&format!("help-geocode-private-{command}"), &["geocode", "private", command, "--help"]);
    }
    sandbox.snapshot("help-geocode-attack-chaff", &["geocode", "attack", "chaff", "--help"]);
}

#[test]
fn chaff_hides_and_is_taken_away() {
    let sandbox = with_town();
    for file in ["parts.csv", "lines.csv"] {
        let chaff = [
            "geocode",
            "private",
            "chaff",
            file,
            "--ref",
            "town/reference.csv",
            "--chaff",
            "4",
            "--state",
            "s",
            "--out",
            "q.csv",
            "--json",
        ];
        let made = sandbox.done(&chaff).json();
        let records = ids(&sandbox.read(file)).len();
        assert_eq!(
            (made["records"].as_u64(), made["made_up"].as_u64()),
            (Some(records as u64), Some(4 * records as u64))
        );
        let sent = sandbox.read("q.csv");
        assert!(!sent.contains("SECRET") && sent.lines().count() == 1 + 5 * records);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(sandbox.path("s").metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        // Every postcode stands in what is sent five times as often as in the file.
        let count =
            |text: &str, code: &str| text.lines().filter(|line| line.trim_end_matches('"').ends_with(code)).count();
        let codes: std::collections::BTreeSet<String> = sandbox
            .read(file)
            .lines()
            .skip(1)
            .map(|line| line.trim_end_matches('"').chars().rev().take(4).collect::<String>().chars().rev().collect())
            .collect();
        for code in codes {
            assert_eq!(count(&sent, &code), 5 * count(&sandbox.read(file), &code), "{code}");
        }
        // The provider answers; what was really asked comes back under its ids and in its order.
        sandbox.done(&["geocode", "match", "q.csv", "--ref", "town/reference.csv", "--out", "answer.csv"]);
        sandbox.done(&["geocode", "private", "unchaff", "answer.csv", "--state", "s", "--out", "places.csv"]);
        assert_eq!(ids(&sandbox.read("places.csv")), ids(&sandbox.read(file)));
        let attack = ["geocode", "attack", "chaff", "q.csv", "--state", "s", "--ref", "town/reference.csv", "--json"];
        let attacks = sandbox.done(&attack).json();
        for attack in attacks["attacks"].as_array().unwrap() {
            assert_eq!((attack["baseline"].as_f64(), attack["attempts"].as_u64()), (Some(0.2), Some(records as u64)));
        }
        let lacking: String = sandbox.read("answer.csv").lines().take(3).map(|line| format!("{line}\n")).collect();
        sandbox.write("lacking.csv", lacking);
        let ran = sandbox.run(&["geocode", "private", "unchaff", "lacking.csv", "--state", "s", "--out", "x.csv"]);
        assert!(
            ran.code == 2
                && ran.stderr.contains("lacks an address")
                && !sandbox.listing().contains(&"x.csv".to_owned()),
            "{ran:?}"
        );
        for made in ["s", "q.csv", "answer.csv", "places.csv"] {
            std::fs::remove_file(sandbox.path(made)).unwrap();
        }
    }
}

/// Errors give real addresses away: sent as written, those are found; sent as the reference writes them, they are not.
#[test]
fn what_errors_give_away_is_measured() {
    let sandbox = with_town();
    let rate = |more: &[&str], state: &str, out: &str| {
        let mut args = vec![
            "geocode",
            "private",
            "chaff",
            "parts.csv",
            "--ref",
            "town/reference.csv",
            "--state",
            state,
            "--out",
            out,
        ];
        args.extend(more);
        sandbox.done(&args);
        let found = sandbox
            .done(&["geocode", "attack", "chaff", out, "--state", state, "--ref", "town/reference.csv", "--json"])
            .json();
        found["attacks"][0]["rate"].as_f64().unwrap()
    };
    let (written, known) = (rate(&["--as-written"], "s1", "q1.csv"), rate(&[], "s2", "q2.csv"));
    assert!(written > 0.35, "{written}");
    assert!(known < 0.35, "{known}");
}

#[test]
fn a_proxy_changes_ids_and_order() {
    let sandbox = with_town();
    sandbox.done(&["geocode", "private", "proxy", "lines.csv", "--state", "s", "--out", "q.csv"]);
    let sent = sandbox.read("q.csv");
    assert!(!sent.contains("SECRET"));
    let addresses =
        |text: &str| text.lines().skip(1).map(|line| line.split_once(',').unwrap().1.to_owned()).collect::<Vec<_>>();
    let (mut own, mut theirs) = (addresses(&sandbox.read("lines.csv")), addresses(&sent));
    assert_ne!(own, theirs);
    own.sort();
    theirs.sort();
    assert_eq!(own, theirs);
    sandbox.done(&["geocode", "match", "q.csv", "--ref", "town/reference.csv", "--out", "answer.csv"]);
    sandbox.done(&["geocode", "private", "unchaff", "answer.csv", "--state", "s", "--out", "places.csv"]);
    assert_eq!(ids(&sandbox.read("places.csv")), ids(&sandbox.read("lines.csv")));
}

#[test]
fn a_third_party_finds_places_that_it_cannot_read() {
    let sandbox = with_town();
    sandbox.write("secret", "a secret of more than sixteen bytes\n");
    sandbox.write("other", "another secret of sixteen bytes\n");
    let encode = |file: &str, secret: &str, out: &str, more: &[&str]| {
        let mut args = vec!["geocode", "private", "encode", file, "--secret-file", secret, "--out", out];
        args.extend(more);
        sandbox.run(&args)
    };
    assert_eq!(encode("parts.csv", "secret", "a.enc", &["--key", "rows.csv"]).code, 0);
    assert_eq!(encode("town/reference.csv", "secret", "r.enc", &["--reference"]).code, 0);
    assert_eq!(encode("town/reference.csv", "other", "o.enc", &["--reference"]).code, 0);
    // No value and no secret stands in what carol gets.
    let reference = sandbox.read("town/reference.csv");
    let street = reference.lines().nth(1).unwrap().split(',').nth(2).unwrap().to_lowercase();
    for file in ["a.enc", "r.enc"] {
        let text = sandbox.read(file);
        assert!(
            !text.contains("SECRET") && !text.to_lowercase().contains(&street) && !text.contains("sixteen"),
            "{file}"
        );
    }
    sandbox.done(&["geocode", "private", "match", "a.enc", "--ref", "r.enc", "--out", "m.csv"]);
    sandbox.done(&[
        "geocode",
        "private",
        "open",
        "m.csv",
        "--key",
        "rows.csv",
        "--secret-file",
        "secret",
        "--out",
        "places.csv",
    ]);
    // Each address has found the place of its own entry in the reference, errors or not.
    let of_reference = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<String>>();
    let rows: Vec<Vec<String>> = reference.lines().skip(1).map(of_reference).collect();
    let own: Vec<Vec<String>> = sandbox.read("parts.csv").lines().skip(1).map(of_reference).collect();
    let places: Vec<Vec<String>> = sandbox.read("places.csv").lines().skip(1).map(of_reference).collect();
    let right = places.iter().filter(|place| {
        let address = own.iter().find(|address| address[0] == place[0]).unwrap();
        rows.iter().any(|row| row[0] == place[4] && row[1] == address[1] && row[3..5] == address[3..5])
    });
    assert!(right.count() * 100 >= own.len() * 95, "{places:?}");

    sandbox.snapshot(
        "geocode-private-other-secret",
        &["geocode", "private", "match", "a.enc", "--ref", "o.enc", "--out", "x.csv"],
    );
    sandbox.snapshot(
        "geocode-private-swapped",
        &["geocode", "private", "match", "r.enc", "--ref", "a.enc", "--out", "x.csv"],
    );
    sandbox.write("cut.enc", &sandbox.read("a.enc")[..500]);
    sandbox.snapshot(
        "geocode-private-damaged",
        &["geocode", "private", "match", "cut.enc", "--ref", "r.enc", "--out", "x.csv"],
    );
    sandbox.snapshot(
        "geocode-private-wrong-secret",
        &["geocode", "private", "open", "m.csv", "--key", "rows.csv", "--secret-file", "other", "--out", "x.csv"],
    );
    sandbox.write("short", "short\n");
    let ran = encode("parts.csv", "short", "x.enc", &["--key", "x.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("at least 16"), "{ran:?}");
    let ran = encode("lines.csv", "secret", "x.enc", &["--key", "x.csv"]);
    assert!(ran.code == 2 && !sandbox.listing().iter().any(|name| name.starts_with("x.")), "{ran:?}");
}
