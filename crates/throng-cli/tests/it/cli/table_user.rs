//! What somebody who was new to tables stumbled over.

use serde_json::{Value, json};

use crate::support::{Ran, Sandbox};

/// Fifty persons in classes of five, each with a name of their own.
fn named() -> Sandbox {
    let sandbox = Sandbox::new();
    let row = |at: usize| format!("SECRET{at},{},10115,{}\n", 30 + at / 5, ["flu", "gout", "ulcer"][at % 3]);
    sandbox.write("named.csv", format!("name,age,zip,illness\n{}", (0..50).map(row).collect::<String>()));
    sandbox
}

fn fails(ran: &Ran, code: i32, words: &[&str]) {
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, code, "{said}");
    words.iter().for_each(|word| assert!(said.contains(word), "{word} is not in {said}"));
    assert!(!said.contains("SECRET"), "{said}");
}

const KNOWN: [&str; 3] = ["--column", "quasi=age,zip", "sensitive=illness"];

#[test]
fn a_file_with_names_is_not_anonymous() {
    let sandbox = named();
    let look = |command: &str, more: &[&str]| sandbox.run(&[&[command, "named.csv"], &KNOWN[..], more].concat());
    for (more, role) in [(&["identifier=name"][..], "an identifier"), (&["plain=name"], "plain"), (&[], "no role")] {
        fails(&look("audit", more), 1, &["NO", "`name`", role, "50 of 50 persons have a value of their own"]);
        let model = [more, &["--model", "k-anonymity"]].concat();
        fails(&look("check", &model), 1, &["`name`", role]);
        let found = look("check", &[&model[..], &["--json"]].concat()).json();
        // The model holds; the file does not.
        assert_eq!((&found["verdict"], &found["claims"][0]["verdict"]), (&json!("fails"), &json!("holds")));
    }
    // Nothing was said of a column, and one person is alone by it.
    sandbox.write("rare.csv", sandbox.read("named.csv").replace("SECRET0,", "SECRET1,").replace("name", "ward"));
    let text = sandbox.read("rare.csv");
    let rare: String = text.lines().enumerate().map(|(at, line)| rename(at, line)).collect();
    sandbox.write("rare.csv", rare);
    let audit = |more: &[&str]| sandbox.run(&[&["audit", "rare.csv"], &KNOWN[..], more].concat());
    fails(&audit(&[]), 1, &["NO", "`ward`, which has no role: 1 of 50 persons has a value of their own there"]);
    // Somebody said that nobody knows it.
    fails(&audit(&["plain=ward"]), 0, &["YES"]);
}

/// A ward for all but one.
fn rename(at: usize, line: &str) -> String {
    let rest = line.split_once(',').map_or("", |(_, rest)| rest);
    match at {
        0 => format!("{line}\n"),
        1 => format!("attic,{rest}\n"),
        _ => format!("cellar,{rest}\n"),
    }
}

#[test]
fn names_are_not_published_as_plain() {
    let sandbox = named();
    for role in ["plain=*", "plain=name"] {
        let ran = sandbox.run(&[&["protect", "named.csv", "--out", "out"], &KNOWN[..], &[role]].concat());
        fails(&ran, 2, &["`name`", "50 of 50 persons", "identifier=name", "quasi=name", "sensitive=name"]);
        assert!(!sandbox.path("out").exists());
        let dry = sandbox.run(&[&["protect", "named.csv", "--out", "out", "--dry-run"], &KNOWN[..], &[role]].concat());
        fails(&dry, 2, &["`name`"]);
    }
}

/// Thirty patients with three rows each; the first ones have more rows than others in a class.
fn visits() -> Sandbox {
    let sandbox = Sandbox::new();
    let row = |at: usize| format!("p{},{},{}\n", at % 30, 30 + at % 30 / 6, ["flu", "gout", "ulcer"][at % 7 % 3]);
    sandbox.write("visits.csv", format!("patient_id,age,illness\n{}", (0..90).map(row).collect::<String>()));
    sandbox
}

#[test]
fn an_identifier_that_repeats_is_a_person() {
    let sandbox = visits();
    let protect = |out: &str, more: &[&str]| {
        let first =
            ["protect", "visits.csv", "--out", out, "--seed", "1", "--column", "quasi=age", "sensitive=illness"];
        sandbox.run(&[&first[..], more].concat())
    };
    let ran = protect("out", &["identifier=patient_id"]);
    fails(&ran, 2, &["patient_id", "person=patient_id", "--one-row-per-person"]);
    assert_eq!(protect("meant", &["identifier=patient_id", "--one-row-per-person"]).code, 0);
}

#[test]
fn persons_are_counted_wherever_rows_are_published() {
    let sandbox = visits();
    let first = ["protect", "visits.csv", "--out", "out", "--seed", "1", "--k", "5", "--column"];
    let ran = sandbox.run(&[&first[..], &["quasi=age", "sensitive=illness", "person=patient_id"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // Six persons have each age, and three rows each.
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(certificate["claims"][0]["achieved"], json!({"k": 6}));
    let report = sandbox.json("out/report.json");
    let of = |list: &str, name: &str| -> Value {
        let found = report[list].as_array().unwrap().iter().find(|found| found["name"] == name);
        found.unwrap_or_else(|| panic!("{report}")).clone()
    };
    let risk = of("measures", "reidentification-risk")["value"].as_f64().unwrap();
    assert!((risk - 100.0 / 6.0).abs() < 0.05, "{risk}");
    let linkage = of("attacks", "record-linkage");
    let [before, now] = [&linkage["unprotected"]["rate"], &linkage["rate"]].map(|rate| rate.as_f64().unwrap());
    assert!((before - 1.0 / 6.0).abs() < 0.001 && (now - 1.0 / 6.0).abs() < 0.001, "{linkage}");
    // The release alone shows rows, and says so.
    let ran = sandbox.run(&["check", "out"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("counts rows") && ran.stdout.contains("achieved k = 18"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    // More persons than there are rows in a class are a lie.
    let lie = sandbox.read("out/certificate.json").replace("\"k\": 6", "\"k\": 20");
    sandbox.write("out/certificate.json", lie);
    assert_eq!(sandbox.run(&["check", "out"]).code, 1);
}

#[test]
fn codes_are_not_averaged() {
    let sandbox = Sandbox::new();
    let row = |at: usize| format!("{},{:05},{}\n", 20 + at % 9, 1060 + at % 11, ["flu", "gout"][at % 2]);
    let text = format!("age,zip,illness\n{}", (0..60).map(row).collect::<String>());
    sandbox.write("zips.csv", &text);
    sandbox.write("codes.csv", text.replace("zip", "office"));
    sandbox.write("numbers.csv", text.replace("zip", "office").replace(",010", ",10"));
    let protect = |file: &str, out: &str, more: &[&str]| {
        let quasi = if file == "zips.csv" { "quasi=age,zip" } else { "quasi=age,office" };
        sandbox.run(
            &[&["protect", file, "--out", out, "--seed", "1", "--column", quasi, "sensitive=illness"], more].concat(),
        )
    };
    for (file, method) in [("zips.csv", "flock"), ("codes.csv", "flock"), ("numbers.csv", "murmuration")] {
        let ran = protect(file, method, &["--overwrite"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(sandbox.json(&format!("{method}/certificate.json"))["method"]["name"], method, "{file}");
        assert_eq!(
            ran.stderr.contains("`--method flock` publishes intervals"),
            method == "murmuration",
            "{}",
            ran.stderr
        );
    }
    for method in ["murmuration", "mdav"] {
        fails(&protect("codes.csv", "out", &["--method", method]), 2, &["`office`", "codes", "flock"]);
    }
}

#[test]
fn a_plain_hospital_table_is_a_table() {
    let sandbox = Sandbox::new();
    let sex = |at: usize| ["F", "M"][at % 2];
    let row = |at: usize| format!("{},1011{},{},{}\n", 20 + at, at % 3, sex(at), ["flu", "gout"][at % 2]);
    let rows: String = (0..30).map(row).collect();
    sandbox.write("ward.csv", format!("age,zip,sex,diagnosis\n{rows}"));
    let people: String = rows.lines().enumerate().map(|(at, line)| format!("N{at},{line}\n")).collect();
    sandbox.write("people.csv", format!("name,age,zip,sex,product\n{people}"));
    for file in ["ward.csv", "people.csv"] {
        let found = sandbox.run(&["inspect", file, "--json"]);
        assert_eq!(found.code, 0, "{}", found.stderr);
        assert_eq!(found.json()["kind"], "table");
    }
    // Somebody's name twice: those may be baskets.
    sandbox.write("till.csv", "receipt,amount,price,product\n1,2,3,milk\n1,1,2,bread\n2,1,1,milk\n");
    fails(&sandbox.run(&["inspect", "till.csv"]), 2, &["--kind table"]);
}

#[test]
fn names_are_guessed_as_identifiers() {
    let sandbox = Sandbox::new();
    let row = |at: usize| format!("Ann{},{},{},case{at}\n", at % 9, 20 + at % 7, at % 5);
    sandbox.write("table.csv", format!("name,age,stay,case\n{}", (0..40).map(row).collect::<String>()));
    let found = sandbox.run(&["inspect", "table.csv", "--kind", "table", "--json"]).json();
    let columns = found["table"]["columns"].as_array().unwrap();
    let guess = |name: &str| columns.iter().find(|column| column["name"] == name).unwrap()["guess"].clone();
    assert_eq!(
        [guess("name"), guess("age"), guess("case")],
        [json!("identifier"), json!("quasi"), json!("identifier")]
    );
}

#[test]
fn a_minimum_of_every_table_model() {
    let sandbox = named();
    let check = |minimum: &str| {
        sandbox.write("policy.toml", format!("format = 1\n[minimum]\ntable = {{ {minimum} }}\n"));
        sandbox.run(&["policy", "check", "policy.toml"])
    };
    for minimum in [
        "l-diversity = 2",
        "l-diversity = { l = 2 }",
        "l-diversity = { l = 2.5, kind = \"entropy\" }",
        "confidence = 0.5",
        "t-closeness = 0.2",
        "t-closeness = { t = 0.2, distance = \"ordered\" }",
        "beta-likeness = 1",
        "beta-likeness = { beta = 1 }",
        "delta-disclosure = 1.5",
        "delta-disclosure = { delta = 1.5, strict = true }",
        "k-map = 3",
        "presence = { max = 0.5 }",
        "guessing-anonymity = 2",
        "xy-anonymity = { k = 3, x = \"zip\", y = \"illness\" }",
        "table-k-anonymity = 5",
    ] {
        let ran = check(minimum);
        assert_eq!(ran.code, 0, "{minimum}: {}", ran.stderr);
    }
    fails(&check("presence = 0.5"), 2, &["min = …, max = …"]);
    fails(&check("l-diversity = { m = 2 }"), 2, &["called `m`", "l"]);
    fails(&check("delta-disclosure = { delta = 1, strict = 1 }"), 2, &["true or false"]);
    // And it is heeded.
    let protect = |out: &str| {
        let protect =
            ["protect", "named.csv", "--out", out, "--policy", "policy.toml", "--seed", "1", "--method", "flock"];
        sandbox.run(&[&protect[..], &KNOWN, &["identifier=name"]].concat())
    };
    check("l-diversity = 2");
    assert_eq!(protect("two").code, 0);
    check("l-diversity = 4");
    fails(&protect("four"), 1, &["l-diversity"]);
}

#[test]
fn the_command_that_audit_prints_runs() {
    let sandbox = Sandbox::new();
    let row = |at: usize| format!("{},{},{}\n", 20 + at, ["F", "M"][at % 2], ["flu", "gout"][at % 2]);
    sandbox.write("ward.csv", format!("age,sex,illness\n{}", (0..30).map(row).collect::<String>()));
    let ran = sandbox.run(&["audit", "ward.csv", "--column", "quasi=age,sex", "sensitive=illness"]);
    let (_, command) = ran.stdout.split_once("`throng protect ").unwrap();
    let (command, _) = command.split_once('`').unwrap();
    assert!(command.contains("--hierarchy sex=flat"), "{command}");
    let ran = sandbox.run(&["protect"].into_iter().chain(command.split(' ')).collect::<Vec<_>>());
    assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
    // What was said is said again.
    sandbox.write("sex.csv", "F;*\nM;*\n");
    let own = ["audit", "ward.csv", "--hierarchy", "sex=sex.csv", "--column", "quasi=age,sex", "sensitive=illness"];
    let ran = sandbox.run(&own);
    assert!(ran.stdout.contains("--hierarchy sex=sex.csv") && !ran.stdout.contains("flat"), "{}", ran.stdout);
    // What a model needs is named, and it is no original.
    assert!(ran.stdout.contains("`throng check --population FILE`"), "{}", ran.stdout);
}

#[test]
fn a_cell_that_is_no_number_is_named_by_its_line() {
    let sandbox = named();
    let text = sandbox.read("named.csv");
    let protect = |text: String, quasi: &str| {
        sandbox.write("odd.csv", text);
        sandbox.run(&["protect", "odd.csv", "--out", "out", "--column", quasi, "sensitive=illness"])
    };
    let ran = protect(text.replacen("SECRET19,33,", "SECRET19,SECRETold,", 1), "quasi=age");
    fails(&ran, 2, &["49 of 50 values are numbers, and 1 is not, first in row 20", "odd.csv:21", "`age`"]);
    let ran = protect(text.replacen("SECRET19,33,", "SECRET19,,", 1), "quasi=age");
    fails(&ran, 2, &["a number is missing, first in row 20", "without the header"]);
    let days = |at: usize| format!("{:02}.0{}.1980,flu\n", 1 + at % 28, 1 + at % 9);
    let days: String = format!("born,illness\n{}", (0..40).map(days).collect::<String>());
    fails(&protect(days, "quasi=born"), 2, &["2024-03-31", "`born`", "--hierarchy born=FILE"]);
    let generate =
        ["taxonomy", "generate", "odd.csv", "--column", "born", "--date", "year,month,day", "--out", "b.csv"];
    fails(&sandbox.run(&generate), 2, &["hyphens"]);
}

#[test]
fn numbers_have_as_many_digits_as_say_something() {
    let sandbox = named();
    let protect = ["protect", "named.csv", "--out", "out", "--seed", "1", "--k", "5", "--method", "flock"];
    let models =
        ["--model", "l-diversity:l=2", "--model", "t-closeness:t=0.5", "--model", "l-diversity:l=2,kind=entropy"];
    let ran = sandbox.run(&[&protect[..], &models, &KNOWN, &["identifier=name"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = sandbox.read("out/report.html");
    for said in [&ran.stdout, &page] {
        let long = said.split(|letter: char| !letter.is_ascii_digit() && letter != '.').find(|word| {
            word.split_once('.')
                .is_some_and(|(_, digits)| digits.len() > 9 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        });
        assert_eq!(long, None);
    }
    assert!(ran.stdout.contains("l = 2)") && page.contains("at least 2 sensitive values"), "{}", ran.stdout);
    assert!(!page.contains("well spread") && !page.contains("knows all rows and how"));
}

#[test]
fn hints_name_flags_that_there_are() {
    let sandbox = named();
    let model = ["--model", "t-closeness:t=0"];
    let protect =
        sandbox.run(&[&["protect", "named.csv", "--out", "out"], &KNOWN[..], &["identifier=name"], &model].concat());
    fails(&protect, 2, &["`--model t-closeness:t=0.2`"]);
    fails(&sandbox.run(&[&["check", "named.csv"], &KNOWN[..], &model].concat()), 2, &["`--model t-closeness:t=0.2`"]);
    let compare = ["compare", "named.csv", "--out", "c", "--model", "l-diversity:l=2"];
    fails(&sandbox.run(&[&compare[..], &KNOWN].concat()), 2, &["means nothing to compare", "throng protect --model"]);
}

#[test]
fn a_data_set_that_left_before_is_pointed_out() {
    let sandbox = named();
    let protect = |out: &str, more: &[&str]| {
        let protect = ["protect", "named.csv", "--out", out, "--ledger", "ledger.jsonl", "--dataset", "ward"];
        sandbox.run(&[&protect[..], &KNOWN, &["identifier=name"], more].concat())
    };
    let first = protect("one", &[]);
    assert!(first.code == 0 && !first.stderr.contains("cannot be told"), "{}", first.stderr);
    let again = protect("two", &[]);
    assert!(again.stderr.contains("(line 1)") && again.stderr.contains("cannot be told"), "{}", again.stderr);
    let meant = protect("three", &["--continues", "1,2"]);
    assert!(meant.code == 0 && !meant.stderr.contains("cannot be told"), "{}", meant.stderr);
}
