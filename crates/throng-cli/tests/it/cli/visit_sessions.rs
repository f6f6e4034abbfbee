//! Visitors and sessions of access logs: who is one, when one ends, and what a session column says.

use serde_json::{Value, json};

use crate::support::Sandbox;

fn line(address: &str, user: &str, time: &str, path: &str, agent: &str) -> String {
    format!("{address} - {user} [{time}] \"GET {path} HTTP/1.1\" 200 1 \"-\" \"{agent}\"\n")
}

/// Visitors and sessions of a log.
fn counts(text: &str, more: &[&str]) -> (Value, Value) {
    let sandbox = Sandbox::new();
    sandbox.write("some.log", text);
    let found = sandbox.done(&[&["inspect", "some.log", "--json"], more].concat()).json();
    (found["persons"].clone(), found["sessions"].clone())
}

#[test]
fn pauses_midnight_summer_time_and_the_order_of_lines() {
    let at = |time: &str| line("192.0.2.7", "-", time, "/a", "A");
    let is = |times: &[&str], more: &[&str], sessions: u64| {
        let text: String = times.iter().map(|time| at(time)).collect();
        assert_eq!(counts(&text, more), (json!(1), json!(sessions)), "{times:?} {more:?}");
    };
    is(&["07/Mar/2024:12:00:00 +0000", "07/Mar/2024:12:30:00 +0000"], &[], 1);
    is(&["07/Mar/2024:12:00:00 +0000", "07/Mar/2024:12:30:01 +0000"], &[], 2);
    is(&["07/Mar/2024:12:40:00 +0000", "07/Mar/2024:12:00:00 +0000", "07/Mar/2024:12:20:00 +0000"], &[], 1);
    is(&["07/Mar/2024:23:50:00 +0000", "08/Mar/2024:00:10:00 +0000"], &[], 1);
    // Clocks go forward at 2: an hour that never was. The offset of a line says when it was.
    is(&["31/Mar/2024:01:50:00 +0100", "31/Mar/2024:03:10:00 +0200"], &[], 1);
    is(&["27/Oct/2024:02:50:00 +0200", "27/Oct/2024:02:10:00 +0100"], &[], 1);
    is(&["27/Oct/2024:02:10:00 +0200", "27/Oct/2024:02:50:00 +0100"], &[], 2);
    is(&["07/Mar/2024:12:00:00 +0000", "07/Mar/2024:12:30:00 +0000"], &["--timeout", "29m"], 2);
    is(&["07/Mar/2024:12:00:00 +0000", "07/Mar/2024:14:00:00 +0000"], &["--timeout", "2h"], 1);
    // A leap second, and a time that is not yet.
    is(&["31/Dec/2016:23:59:60 +0000", "01/Jan/2017:00:00:00 +0000"], &[], 1);
    is(&["07/Mar/2999:12:00:00 +0000"], &[], 1);
}

#[test]
fn who_a_visitor_is() {
    let text = [
        line("192.0.2.7", "ann", "07/Mar/2024:12:00:00 +0000", "/a", "A"),
        line("192.0.2.7", "-", "07/Mar/2024:12:00:01 +0000", "/a", "B"),
        line("192.0.2.8", "ann", "07/Mar/2024:12:00:02 +0000", "/a", "A"),
        line("2001:db8:1:2::1", "-", "07/Mar/2024:12:00:03 +0000", "/a", "A"),
        line("2001:db8:1:2::2", "-", "07/Mar/2024:12:00:04 +0000", "/a", "A"),
    ]
    .concat();
    for (more, persons) in [
        (&[][..], 4),
        (&["--person", "address+agent"], 4),
        (&["--person", "address"], 3),
        (&["--column", "person=address"], 3),
        (&["--person", "user"], 3),
        (&["--person", "address", "--ipv6-prefix", "128"], 4),
        (&["--person", "address", "--ipv6-prefix", "32"], 3),
    ] {
        assert_eq!(counts(&text, more).0, json!(persons), "{more:?}");
    }
}

/// The key calls a visitor by address, blank, agent, and their pseudonym is the published address. Who had logged in is nowhere.
#[test]
fn the_key_and_users() {
    let sandbox = Sandbox::new();
    let text: String = (0..6)
        .map(|at| line(&format!("192.0.2.{at}"), "ann-the-user", "07/Mar/2024:12:00:00 +0000", "/a", "Made Up/1.0"))
        .chain([line("192.0.2.9", "-", "07/Mar/2024:12:00:00 +0000", "/a", "-")])
        .collect();
    sandbox.write("some.log", &text);
    let ran = sandbox.done(&["inspect", "some.log"]);
    assert!(ran.stderr.contains("6 lines name who had logged in: that is never published"), "{}", ran.stderr);
    let method = ["--method", "visit-microaggregation", "--k", "3", "--seed", "1"];
    sandbox.done(&[&["protect", "some.log", "--out", "out", "--key", "key.csv"], &method[..]].concat());
    let (key, release) = (sandbox.read("key.csv"), sandbox.read("out/data.log"));
    let mut lines = key.lines();
    assert_eq!(lines.next(), Some("person,pseudonym,group"));
    for line in lines {
        let (person, rest) = line.split_once(",2").unwrap_or_else(|| panic!("{line}"));
        assert!(person.ends_with(" Made Up/1.0") || person == "192.0.2.9 -", "{line}");
        let pseudonym = format!("2{} ", rest.split(',').next().unwrap());
        assert!(release.lines().any(|line| line.starts_with(&pseudonym)), "{line}");
    }
    assert!(!release.contains("ann-the-user"));
    // By users too, whose names are in the key alone.
    sandbox.write(
        "users.log",
        text.replace("ann-the-user [", "u [").replacen(" u [", " v [", 2).replacen(" u [", " w [", 2),
    );
    let by = ["--person", "user", "--key", "users.csv"];
    sandbox.done(
        &[
            &["protect", "users.log", "--out", "by-user"],
            &by[..],
            &["--method", "visit-microaggregation", "--k", "2", "--seed", "1"],
        ]
        .concat(),
    );
    assert!(sandbox.read("users.csv").lines().any(|line| line.starts_with("v,")));
    assert!(sandbox.read("by-user/data.log").lines().all(|line| line.contains(" - - [")));
    // Its certificate says who a visitor is, so that nobody must say it again.
    sandbox.done(&["measure", "users.log", "by-user", "--key", "users.csv"]);
    sandbox.done(&["check", "by-user"]);
}

/// Sessions of the file are believed, published under ids of their own, and keep their number.
#[test]
fn a_session_column() {
    let sandbox = Sandbox::new();
    let mut text = "ip,time,request,status,user_agent,session\n".to_owned();
    for visitor in 0..40 {
        for session in 0..1 + visitor % 3 {
            for click in 0..3 {
                let time = format!("2024-03-07T{:02}:{:02}:00Z", 8 + session, 10 * click + session);
                text += &format!("192.0.2.{visitor},{time},GET /p{click} HTTP/1.1,200,A,sid-{visitor}-{session}\n");
            }
        }
    }
    sandbox.write("rows.csv", &text);
    let sessions = |file: &str| sandbox.done(&["inspect", file, "--json"]).json()["sessions"].as_u64().unwrap();
    let before = sessions("rows.csv");
    assert_eq!(before, (0..40).map(|visitor| 1 + visitor % 3).sum::<u64>());
    for unit in ["visitor", "session"] {
        for k in ["3", "10"] {
            let out = format!("{unit}-{k}");
            let method = ["--method", "visit-microaggregation", "--unit", unit, "--k", k, "--seed", "1"];
            sandbox.done(&[&["protect", "rows.csv", "--out", &out], &method[..]].concat());
            let after = sessions(&out);
            assert!((after as f64 / before as f64 - 1.0).abs() <= 0.05, "{unit} {k}: {after} of {before}");
            let release = sandbox.read(&format!("{out}/data.csv"));
            assert!(release.lines().next().unwrap().ends_with(",session") && !release.contains("sid-"), "{release}");
            sandbox.done(&["check", &out]);
        }
    }
    let by_session = sandbox.done(&["inspect", "rows.csv", "--person", "session", "--json"]).json();
    assert_eq!(by_session["persons"], json!(before));
}
