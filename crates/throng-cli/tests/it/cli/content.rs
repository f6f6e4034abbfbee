//! Identifying content: what finders find in a file, and that it does not leave the house.

use std::fs;

use serde_json::{Value, json};

use crate::support::Sandbox;

/// A log of twelve persons who search for roses and cars, four of whom write what names them, all of whom know one pharmacy.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut log = "user,query,time,url\n".to_owned();
    for person in 0..12 {
        let at = |minute: usize| format!("2006-03-01 10:{:02}:00", (person + minute) % 60);
        log += &format!("p{person},roses 123-45-6789,{},http://roses.example\n", at(0));
        log += &format!("p{person},pharmacy 555-123-4567 info@pharmacy.example,{},\n", at(1));
        if person < 4 {
            log += &format!("p{person},write to person{person}@mail.example,{},\n", at(2));
            log += &format!("p{person},person{person}@mail.example,{},\n", at(3));
            log +=
                &format!("p{person},used cars,{},http://cars.example/?who=person{person}%40mail.example&x=1\n", at(4));
            log += &format!("p{person},ping 10.0.0.{person},{},\n", at(5));
        }
    }
    sandbox.write("log.csv", log);
    sandbox
}

/// Every line of everybody is published: no threshold, groups of two.
const PROTECT: [&str; 10] =
    ["protect", "log.csv", "--method", "user-microaggregation", "--min-persons", "1", "--k", "2", "--seed", "5"];

fn protect(sandbox: &Sandbox, out: &str, flags: &[&str]) -> Value {
    let ran = sandbox.run(&[&PROTECT[..], &["--out", out, "--json", "--measure", "query-frequency"], flags].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    sandbox.json(&format!("{out}/certificate.json"))
}

fn of<'a>(certificate: &'a Value, finder: &str) -> &'a Value {
    let list = certificate["content"].as_array().unwrap();
    list.iter().find(|each| each["finder"] == finder).unwrap()
}

#[test]
fn what_names_one_person_does_not_leave() {
    let sandbox = sandbox();
    let plain = protect(&sandbox, "off", &["--scrub", "off"]);
    assert!(plain.get("content").is_none(), "nobody looked");
    let published = sandbox.read("off/data.csv");
    assert!(published.contains("mail.example") && published.contains("123-45-"), "{published}");

    let usual = protect(&sandbox, "usual", &[]);
    let data = sandbox.read("usual/data.csv");
    assert!(!data.contains("mail.example") && !data.contains("123-45-"), "{data}");
    // What twelve persons have is nobody's; a telephone number is only reported.
    assert!(data.contains("pharmacy 555-123-4567 info@pharmacy.example"), "{data}");
    assert_eq!((&of(&usual, "email")["scrub"], &of(&usual, "phone")["scrub"]), (&json!("mask"), &json!("report")));
    assert_eq!(of(&usual, "email")["rows"], 24);
    assert_eq!(of(&usual, "phone")["left"], of(&usual, "phone")["after_threshold"]);
    assert!(usual["accounting"]["rows_masked"].as_u64() > Some(0), "{usual}");
    // No value is in the papers.
    for file in ["certificate.json", "report.json", "report.html"] {
        let text = sandbox.read(&format!("usual/{file}"));
        assert!(!text.contains("@mail") && !text.contains("123-45-6789"), "{file}");
    }
    assert_eq!(sandbox.run(&["check", "usual"]).code, 0);

    protect(&sandbox, "shared", &["--scrub", "mask", "--scrub-shared"]);
    let data = sandbox.read("shared/data.csv");
    assert!(!data.contains("pharmacy.example") && !data.contains("555") && data.contains("pharmacy"), "{data}");

    protect(&sandbox, "some", &["--scrub", "off,ssn=mask"]);
    let data = sandbox.read("some/data.csv");
    assert!(data.contains("mail.example") && !data.contains("123-45-"), "{data}");
}

#[test]
fn small_counts_are_hidden_in_what_is_published() {
    let sandbox = sandbox();
    let ran = sandbox.run(&[&PROTECT[..6], &["--k", "5", "--seed", "5", "--out", "five"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let certificate = sandbox.json("five/certificate.json");
    assert_eq!(of(&certificate, "ip")["rows"], "<5", "four rows");
    assert_eq!(sandbox.json("five/report.json")["certificate"]["content"], certificate["content"]);
    assert!(sandbox.read("five/report.html").contains("finders"));
}

#[test]
fn inspect_says_how_much_and_where() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["inspect", "log.csv", "--content", "--json", "--positions", "where.csv"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let content = found["content"].as_array().unwrap();
    let email = content.iter().find(|each| each["finder"] == "email").unwrap();
    assert_eq!(email, &json!({"finder": "email", "rows": 24, "persons": 12}));
    let places = sandbox.read("where.csv");
    let lines: Vec<&str> = places.lines().collect();
    // The second row is the third line: `pharmacy 555-123-4567 info@pharmacy.example`.
    assert_eq!(lines[..3], ["line,field,finder,start,end", "2,query,ssn,6,17", "3,query,phone,9,21"]);
    assert!(lines.contains(&"6,url,email,25,47"), "{places}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(sandbox.path("where.csv")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    sandbox.snapshot("inspect-content", &["inspect", "log.csv", "--content"]);
}

#[test]
fn places_are_characters_of_the_field() {
    let sandbox = Sandbox::new();
    sandbox.write("items.csv", "user,item\nann,\u{fc}\u{1f697} a@x.example\nbob,bread\ncid,\"10.0.0.1, b\"\n");
    let run = |file: &str, kind: &str| {
        let ran = sandbox.run(&["inspect", file, "--kind", kind, "--content", "--positions", "where.csv"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        sandbox.read("where.csv").lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(run("items.csv", "baskets"), ["2,item,email,3,14", "4,item,ip,0,8"]);
    sandbox.write(
        "lines.jsonl",
        "{\"person\":\"ann\",\"items\":[\"bread\",\"a@x.example\"]}\n{\"person\":\"bob\",\"items\":[\"milk\"]}\n",
    );
    assert_eq!(run("lines.jsonl", "baskets"), ["1,item,email,0,11"]);
    sandbox.write(
        "texts.jsonl",
        "{\"id\":\"a\",\"text\":\"cats\"}\n{\"id\":\"b\",\"text\":\"a dog, ask \u{e4}@x.example\"}\n",
    );
    assert_eq!(run("texts.jsonl", "documents"), ["2,text,email,11,22"]);
    let ran = sandbox.run(&["inspect", "texts.jsonl", "--content", "--json"]);
    assert!(ran.stdout.contains("\"rows\": 1"), "a document is looked at as it is written: {ran:?}");
}

#[test]
fn items_without_what_names_somebody() {
    let sandbox = Sandbox::new();
    let mut rows = "user,item\n".to_owned();
    for person in 0..8 {
        rows += &format!("p{person},bread\np{person},card for person{}@mail.example\np{person},milk\n", person / 4);
    }
    sandbox.write("items.csv", rows);
    let protect =
        ["protect", "items.csv", "--kind", "baskets", "--method", "clump", "--k", "2", "--seed", "1", "--out", "out"];
    let taxonomy =
        "child,parent\nbread,food\nmilk,food\ncard for person0@mail.example,food\ncard for person1@mail.example,food\n";
    sandbox.write("food.csv", taxonomy);
    let ran = sandbox.run(&[&protect[..], &["--taxonomy", "food.csv", "--scrub-shared"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let data = sandbox.read("out/data.csv");
    assert!(!data.contains("mail.example") && data.contains("bread"), "{data}");
}

#[test]
fn what_cannot_be_heeded_is_refused() {
    let sandbox = sandbox();
    let protect = |flags: &[&str]| sandbox.run(&[&PROTECT[..], &["--out", "out"], flags].concat());
    for (flags, says) in [
        (vec!["--scrub", "hide"], "no way to scrub called `hide`"),
        (vec!["--scrub", "phon=mask"], "did you mean `phone`?"),
        (vec!["--scrub", "report", "--scrub-shared"], "nothing is masked"),
    ] {
        let ran = protect(&flags);
        assert!(ran.code == 2 && ran.stderr.contains(says), "{ran:?}");
    }
    assert_eq!(protect(&[]).code, 0);
    let refused = |positions: &str, says: &str| {
        let ran = sandbox.run(&["inspect", "log.csv", "--content", "--positions", positions]);
        assert!(ran.code == 2 && ran.stderr.contains(says), "{positions}: {ran:?}");
    };
    refused("out/where.csv", "inside the release");
    refused("log.csv", "would replace the data");
    assert_eq!(sandbox.run(&["inspect", "log.csv", "--positions", "x.csv"]).code, 2, "without --content");
}

#[test]
fn finders_are_listed_and_explained() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("list-finders", &["list", "finders"]);
    sandbox.snapshot("explain-finder", &["explain", "email"]);
}

/// Under a threshold: six persons share a key, six a mail address and a number, two a mail address of their own. Everybody's accounts are
/// unlike.
fn shared_secrets() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut log = "user,query,time\n".to_owned();
    let mut minute = 0;
    let mut line = |person: usize, query: &str| {
        minute += 1;
        log += &format!("p{person},{query},2006-03-01 {:02}:{:02}:00\n", 8 + minute / 60 % 12, minute % 60);
    };
    for person in 0..24 {
        for topic in ["garden roses", "used cars", "cheap flights", "weather today"] {
            line(person, topic);
        }
        match person {
            0..6 => line(person, "login 550e8400-e29b-41d4-a716-446655440000"),
            6..12 => line(person, "info@pharmacy.example"),
            12..14 => line(person, "mail ann.berg@mail.example"),
            14..17 => line(person, "ping 10.20.30.40"),
            _ => line(person, "DE89 3704 0044 0532 0130 00"),
        }
    }
    sandbox.write("log.csv", log);
    sandbox
}

#[test]
fn what_lost_its_marks_does_not_leave_either() {
    let sandbox = shared_secrets();
    let flags = ["protect", "log.csv", "--k", "2", "--min-persons", "2", "--seed", "5", "--measure", "query-frequency"];
    let run = |out: &str, more: &[&str]| {
        let ran = sandbox.run(&[&flags[..], &["--out", out, "--no-attacks"], more].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        sandbox.json(&format!("{out}/certificate.json"))
    };
    for method in ["kindred", "query-threshold"] {
        let off = format!("{method}-off");
        run(&off, &["--method", method, "--scrub", "off"]);
        let published = sandbox.read(&format!("{off}/data.csv"));
        assert!(published.contains("a716") && published.contains("ann berg example"), "{method}: {published}");

        let certificate = run(method, &["--method", method]);
        let published = sandbox.read(&format!("{method}/data.csv"));
        for secret in ["a716", "446655440000", "ann", "berg", "3704", "0130"] {
            assert!(!published.contains(secret), "{method}: {secret} in {published}");
        }
        // What six or three persons share may stay, and is counted.
        assert!(published.contains("info pharmacy example"), "{method}: {published}");
        let count = |finder: &str, what: &str| of(&certificate, finder)[what].as_u64().unwrap_or(1);
        assert!(count("email", "left") > 0 && count("email", "masked") > 0, "{method}: {certificate}");
        assert!(count("token", "after_threshold") > 0 && count("token", "left") == 0, "{method}: {certificate}");
        assert!(count("iban", "masked") > 0 && count("iban", "left") == 0, "{method}: {certificate}");
        sandbox.done(&["check", method, "--original", "log.csv"]);

        let all = format!("{method}-shared");
        let certificate = run(&all, &["--method", method, "--scrub-shared"]);
        assert_eq!(of(&certificate, "email")["left"], 0, "{method}");
        assert!(!sandbox.read(&format!("{all}/data.csv")).contains("pharmacy"), "{method}");
    }
}

/// A release in which the words are left, and a certificate that says that they are not: whoever has the original sees it.
#[test]
fn a_certificate_that_is_wrong_about_what_is_left_fails_beside_the_original() {
    let sandbox = shared_secrets();
    let flags = ["protect", "log.csv", "--k", "2", "--min-persons", "2", "--seed", "5", "--measure", "query-frequency"];
    let protect = |out: &str, more: &[&str]| {
        assert_eq!(sandbox.run(&[&flags[..], &["--out", out, "--no-attacks"], more].concat()).code, 0);
    };
    protect("honest", &["--scrub", "report"]);
    sandbox.done(&["check", "honest", "--original", "log.csv"]);
    let forged = |change: &dyn Fn(&mut Value)| {
        let mut certificate = sandbox.json("honest/certificate.json");
        certificate["content"].as_array_mut().unwrap().iter_mut().for_each(change);
        let mut report = sandbox.json("honest/report.json");
        report["certificate"]["content"] = certificate["content"].clone();
        let text = |value: &Value| format!("{}\n", serde_json::to_string_pretty(value).unwrap());
        sandbox.write("honest/report.json", text(&report));
        certificate["report_sha256"] = throng::io::hash_file(&sandbox.path("honest/report.json")).unwrap().into();
        sandbox.write("honest/certificate.json", text(&certificate));
        sandbox.run(&["check", "honest", "--original", "log.csv"])
    };
    let ran = forged(&|finder| finder["scrub"] = json!("mask"));
    assert!(ran.code == 1 && ran.stdout.contains("token finds in the original"), "{ran:?}");
    let ran = forged(&|finder| {
        finder["scrub"] = json!("report");
        finder["left"] = json!(0);
    });
    assert!(ran.code == 1 && ran.stdout.contains("says otherwise"), "{ran:?}");
}

/// A report says nothing of the original that fewer persons share than the lines of the release need.
#[test]
fn a_report_says_no_more_of_the_original_than_the_release_may() {
    let sandbox = Sandbox::new();
    let mut log = "user,query,time\n".to_owned();
    for person in 0..30 {
        for line in 0..2 {
            let topic = ["garden roses", "used cars", "cheap flights"][(person + line) % 3];
            log += &format!("p{person},{topic},2006-03-01 10:{:02}:0{line}\n", person);
        }
        for line in 0..9 {
            match person {
                0..3 => log += &format!("p{person},zebra stripes,2006-03-02 11:{:02}:0{line}\n", person),
                3..15 => log += &format!("p{person},influenza,2006-03-03 12:{:02}:0{line}\n", person),
                _ => {}
            }
        }
    }
    sandbox.write("log.csv", log);
    let protect = ["protect", "log.csv", "--k", "2", "--min-persons", "8", "--seed", "5", "--no-attacks"];
    sandbox.done(&[&protect[..], &["--out", "out"]].concat());
    let report = sandbox.read("out/report.json");
    assert!(!sandbox.read("out/data.csv").contains("zebra") && !report.contains("zebra"), "{report}");
    assert!(report.contains("influenza"), "twelve persons share it: {report}");
}
