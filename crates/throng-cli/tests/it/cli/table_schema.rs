//! Schemas, missing values, linked rows, projects of ARX, and what is refused of tables.

use serde_json::{Value, json};

use crate::support::{Ran, Sandbox};

const PEOPLE: &str = "pid,age,zip,illness,score
p1,30,41075,none,1.25
p2,31,41075,mild,2.50
p3,32,41076,severe,3.75
p4,33,41076,none,1.00
p5,40,48201,mild,2.00
p6,41,48201,severe,3.00
p7,42,48202,none,4.00
p8,43,48202,mild,5.00
";
const ZIP: &str = "41075;410**;*\n41076;410**;*\n48201;482**;*\n48202;482**;*\n";
const SCHEMA: &str = r#"[table]
missing = "own"
missing_values = ["?", "NA"]

[columns.pid]
role = "identifier"

[columns.age]
role = "quasi"
type = "integer"

[columns.zip]
role = "quasi"
hierarchy = "zip.csv"
generalise = "hierarchy"
weight = 2.0
levels = [1, 2]

[columns.illness]
role = "sensitive"
distance = "ordered"
order = ["none", "mild", "severe"]

[columns.score]
role = "plain"
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("people.csv", PEOPLE);
    sandbox.write("zip.csv", ZIP);
    sandbox.write("table.toml", SCHEMA);
    sandbox
}

fn achieved(ran: &Ran) -> Value {
    assert!(ran.code < 2, "{} {}", ran.stdout, ran.stderr);
    ran.json()["achieved"].clone()
}

#[test]
fn a_schema_says_all_and_flags_overrule_it() {
    let sandbox = sandbox();
    let protect = ["protect", "people.csv", "--schema", "table.toml", "--k", "2", "--seed", "1", "--out"];
    let ran = sandbox.run(&[&protect[..], &["out", "--model", "t-closeness:t=0.5"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let table = sandbox.json("out/certificate.json")["table"].clone();
    assert_eq!((&table["missing"], &table["missing_values"]), (&json!("own"), &json!(["?", "NA"])));
    let columns = table["columns"].as_array().unwrap();
    let column = |name: &str| columns.iter().find(|column| column["name"] == name).unwrap().clone();
    assert_eq!(column("zip"), json!({"name": "zip", "role": "quasi", "type": "integer", "weight": 2.0}));
    assert_eq!(column("illness")["order"], json!(["none", "mild", "severe"]));
    assert_eq!(sandbox.run(&["check", "out"]).code, 0);
    // What is published of the hierarchy alone: levels, weights and the order are heeded.
    let full = ["--method", "full-domain", "--column", "plain=age", "--suppress", "0"];
    let ran = sandbox.run(&[&protect[..], &["full"], &full].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let certificate = sandbox.json("full/certificate.json");
    assert_eq!(certificate["search"]["levels"], json!({"zip": 1}), "level 0 would do, but is not allowed");
    assert!(sandbox.read("full/data.csv").contains("410**"));
    // The order of the schema, not the alphabet's: by hand 13 / 42, and 11 / 42 with mild before none.
    sandbox.write("sick.csv", "zip,illness\na,none\na,none\na,none\na,mild\nb,none\nb,severe\nb,severe\n");
    let order = "order = [\"none\", \"mild\", \"severe\"]";
    sandbox.write("sick.toml", format!("[columns.illness]\nrole = \"sensitive\"\ndistance = \"ordered\"\n{order}\n"));
    let check = ["check", "sick.csv", "--kind", "table", "--json", "--column", "quasi=zip", "sensitive=illness"];
    let by = |more: &[&'static str]| achieved(&sandbox.run(&[&check[..], more].concat()))["t"].as_f64().unwrap();
    for (model, schema, expected) in [
        ("t-closeness:t=1", &["--schema", "sick.toml"][..], 13.0 / 42.0),
        ("t-closeness:t=1,distance=ordered", &["--schema", "sick.toml"], 13.0 / 42.0),
        ("t-closeness:t=1,distance=ordered", &[], 11.0 / 42.0),
        ("t-closeness:t=1,distance=equal", &["--schema", "sick.toml"], 8.0 / 21.0),
        ("t-closeness:t=1", &[], 8.0 / 21.0),
    ] {
        let found = by(&[&["--model", model][..], schema].concat());
        assert!((found - expected).abs() < 1e-12, "{model} {schema:?}: {found}");
    }
}

#[test]
fn weights_move_groups_and_losses() {
    let sandbox = Sandbox::new();
    // Near in x and far in y, or the other way round.
    sandbox.write("points.csv", "x,y\n0,0\n1,10\n0,11\n1,1\n");
    let groups = |out: &'static str, weight: &str| {
        let (x, y) = ("[columns.x]\nrole = \"quasi\"\n", "[columns.y]\nrole = \"quasi\"\n");
        sandbox.write("w.toml", format!("{x}weight = {weight}\n{y}"));
        let protect = ["protect", "points.csv", "--schema", "w.toml", "--k", "2", "--method", "mdav", "--out", out];
        let ran = sandbox.run(&protect);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let mut lines: Vec<String> =
            sandbox.read(&format!("{out}/data.csv")).lines().skip(1).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(groups("by-x", "100.0"), ["0,5.5", "0,5.5", "1,5.5", "1,5.5"]);
    assert_eq!(groups("by-y", "0.01"), ["0.5,0.5", "0.5,0.5", "0.5,10.5", "0.5,10.5"]);
    let measures = sandbox.json("by-x/report.json")["measures"].clone();
    assert!(measures.as_array().unwrap().iter().any(|found| found["name"] == "sum-of-squares"));
    // The mean over columns is by weight: 3/4 of the one, 1/4 of the other.
    let schema = "[columns.x]\nrole = \"quasi\"\nweight = 3\n[columns.y]\nrole = \"quasi\"\n";
    sandbox.write("w.toml", schema);
    sandbox.write("release.csv", "x,y\n0..1,0\n0..1,10\n0..1,11\n0..1,1\n");
    let ran = sandbox.run(&["measure", "points.csv", "release.csv", "--schema", "w.toml", "--json"]);
    let found = ran.json();
    let ncp =
        found["measures"].as_array().unwrap().iter().find(|found| found["name"] == "normalised-certainty-penalty");
    assert_eq!(ncp.unwrap()["value"], 0.75, "{found}");
}

#[test]
fn a_guess_of_a_schema_reads_back() {
    let sandbox = sandbox();
    assert_eq!(sandbox.run(&["inspect", "people.csv", "--kind", "table", "--schema-out", "guess.toml"]).code, 0);
    let guess = sandbox.read("guess.toml");
    for said in ["[columns.\"age\"]\nrole = \"quasi\"  # ", "type = \"integer\"  # ", "type = \"real\"  # "] {
        assert!(guess.contains(said), "{guess}");
    }
    let found = sandbox.run(&["inspect", "people.csv", "--schema", "guess.toml", "--json"]).json();
    let columns = found["table"]["columns"].as_array().unwrap();
    assert!(columns.iter().all(|column| column["because"] == "as said"), "{columns:?}");
    let again = sandbox.run(&["inspect", "people.csv", "--kind", "table", "--schema-out", "guess.toml"]);
    assert_eq!(again.code, 2, "a file is not written over");
}

#[test]
fn missing_values_are_values_or_anything() {
    let sandbox = Sandbox::new();
    sandbox.write("gaps.csv", "age,zip,illness\n30,a,flu\n30,a,flu\n30,a,cold\n30,?,cold\n30,?,\n");
    sandbox.write("gaps.toml", "[table]\nmissing_values = [\"?\"]\n");
    let check =
        ["check", "gaps.csv", "--schema", "gaps.toml", "--column", "quasi=age,zip", "sensitive=illness", "--json"];
    let with = |more: &[&'static str]| achieved(&sandbox.run(&[&check[..], more].concat()));
    assert_eq!(with(&["--model", "k-anonymity:k=2"])["k"], 2);
    assert_eq!(with(&["--model", "l-diversity:l=2"])["l"], 2);
    // Whoever is `a` hides among five; of the two that say nothing, both may have a cold.
    assert_eq!(with(&["--model", "k-anonymity:k=2", "--missing", "wild"])["k"], 2);
    assert_eq!(with(&["--model", "l-diversity:l=2", "--missing", "wild"])["l"], 1);
    assert_eq!(with(&["--model", "confidence:h=0.9", "--missing", "wild"])["h"], 1);
}

#[test]
fn linked_rows_kept_rows_and_rounded_numbers() {
    let sandbox = sandbox();
    let synth = ["synth", "table", "--shape", "patients", "--persons", "60", "--seed", "2", "--out", "visits.csv"];
    assert_eq!(sandbox.run(&[&synth[..], &["--hierarchies-out", "trees"]].concat()).code, 0);
    let roles = ["--column", "person=patient_id", "quasi=birth_year,sex,zip", "sensitive=illness"];
    let protect =
        ["protect", "visits.csv", "--k", "3", "--hierarchies", "trees", "--link-rows", "--key", "key.csv", "--out"];
    let ran = sandbox.run(&[&protect[..], &["linked"], &roles].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let claim = sandbox.json("linked/certificate.json")["claims"][0].clone();
    assert_eq!(claim["parameters"], json!({"k": 3, "linked": true}));
    assert!(claim["achieved"]["linked_k"].as_u64().unwrap() >= 3, "{claim}");
    assert_eq!(sandbox.run(&["check", "linked"]).code, 0);
    let data = sandbox.read("linked/data.csv");
    assert!(data.starts_with("patient_id,") && !data.contains("P1000"), "{data}");
    let alone = ["protect", "people.csv", "--k", "2", "--link-rows", "--out", "no", "--column", "quasi=age"];
    assert_eq!(sandbox.run(&alone).code, 2);

    sandbox.write("towns.csv", format!("zip\n{}{}c\nc\nd\nd\n", "a\n".repeat(4), "b\n".repeat(4)));
    // Two towns have four rows each, two have two: these four become one class that says nothing.
    let kept =
        ["protect", "towns.csv", "--k", "4", "--method", "full-domain", "--suppress", "0.5", "--suppressed", "keep"];
    let more = [
        "--kind",
        "table",
        "--quality",
        "entropy",
        "--hierarchy",
        "zip=flat",
        "--column",
        "quasi=zip",
        "--out",
        "kept",
    ];
    let ran = sandbox.run(&[&kept[..], &more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let data = sandbox.read("kept/data.csv");
    assert_eq!((data.lines().count(), data.matches('*').count()), (13, 4), "{data}");
    let accounting = sandbox.json("kept/certificate.json")["accounting"].clone();
    assert_eq!((&accounting["rows_suppressed"], &accounting["rows_dropped"]), (&json!(4), &json!(0)));
    assert_eq!(sandbox.run(&["check", "kept"]).code, 0);

    let mean = ["protect", "people.csv", "--k", "3", "--method", "mdav", "--column", "quasi=age,score", "--seed", "1"];
    assert_eq!(sandbox.run(&[&mean[..], &["--round", "--out", "rounded"]].concat()).code, 0);
    for line in sandbox.read("rounded/data.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(!cells[0].contains('.') && cells[1].split_once('.').unwrap().1.len() == 2, "{line}");
    }
}

/// A zip whose members are stored as they are.
fn zip(members: &[(&str, &str)]) -> Vec<u8> {
    let crc = |bytes: &[u8]| {
        !bytes.iter().fold(!0u32, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
        })
    };
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let at = bytes.len() as u32;
        let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        for number in [crc(content.as_bytes()), content.len() as u32, content.len() as u32] {
            common.extend(number.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        bytes.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), content.as_bytes()].concat());
        directory.extend([&b"PK\x01\x02\x14\x00"[..], &common, &[0; 10], &at.to_le_bytes(), name.as_bytes()].concat());
    }
    let count = (members.len() as u16).to_le_bytes();
    let (size, begin) = ((directory.len() as u32).to_le_bytes(), (bytes.len() as u32).to_le_bytes());
    [&bytes[..], &directory, b"PK\x05\x06\0\0\0\0", &count, &count, &size, &begin, &[0, 0]].concat()
}

fn column(name: &str, role: &str, datatype: &str, more: &str) -> String {
    format!("<assigment><name>{name}</name><type>{role}</type><datatype>{datatype}</datatype>{more}</assigment>")
}

#[test]
fn a_project_of_arx_is_a_format() {
    let sandbox = sandbox();
    let definition = [
        "<?xml version=\"1.0\"?><definition>".to_owned(),
        column("pid", "IDENTIFYING_ATTRIBUTE", "String", ""),
        column("age", "INSENSITIVE_ATTRIBUTE", "Integer", ""),
        column(
            "zip",
            "QUASI_IDENTIFYING_ATTRIBUTE",
            "String",
            "<ref>hierarchies/zip.csv</ref><min>1</min><max>All</max>",
        ),
        column("illness", "SENSITIVE_ATTRIBUTE", "String", ""),
        column("score", "INSENSITIVE_ATTRIBUTE", "Decimal", ""),
        "</definition>".to_owned(),
    ]
    .concat();
    let rows = PEOPLE.replace(',', ";");
    let members = [
        ("input/definition.xml", definition.as_str()),
        ("input/hierarchies/zip.csv", ZIP),
        ("data/input.csv", rows.as_str()),
        ("clipboard.dat", "never opened"),
    ];
    std::fs::write(sandbox.path("town.deid"), zip(&members)).unwrap();
    let ran = sandbox.run(&[
        "protect",
        "town.deid",
        "--k",
        "2",
        "--method",
        "full-domain",
        "--out",
        "out",
        "--key",
        "key.csv",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(sandbox.json("out/certificate.json")["search"]["levels"], json!({"zip": 1}));
    assert!(!sandbox.read("out/data.csv").contains("p1"));
    assert_eq!(sandbox.run(&["check", "out"]).code, 0);
    let measured = sandbox.run(&["measure", "town.deid", "out", "--key", "key.csv", "--json"]);
    assert_eq!(measured.code, 0, "{}", measured.stderr);
    let achieved = achieved(&sandbox.run(&["check", "town.deid", "--model", "k-anonymity:k=2", "--json"]));
    assert_eq!(achieved["k"], 2);
    // The limit of a project is that of the run, unless a flag says another; its models are for somebody to say again.
    let config = "<config><relativeMaxOutliers>0.25</relativeMaxOutliers><criteria><criterion>2-anonymity</criterion></criteria></config>";
    let limited = [&members[..], &[("input/config.xml", config)]].concat();
    std::fs::write(sandbox.path("limited.deid"), zip(&limited)).unwrap();
    let protect = |out: &'static str, more: &[&'static str]| {
        let first = ["protect", "limited.deid", "--k", "2", "--method", "full-domain", "--out", out];
        let ran = sandbox.run(&[&first[..], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains("the project asks ARX for 1 model, which is not taken over"), "{}", ran.stderr);
        sandbox.json(&format!("{out}/certificate.json"))["method"]["parameters"]["suppress"].clone()
    };
    assert_eq!(protect("limited", &[]), 0.25);
    assert_eq!(protect("said", &["--suppress", "0.5"]), 0.5);

    for (name, bytes, problem) in [
        ("text", b"age,zip\n".to_vec(), "no zip"),
        ("none", zip(&[("a", "b")]), "missing"),
        ("up", zip(&[members[0], members[2], ("../x", "")]), "goes up"),
        ("twice", zip(&[members[0], members[0], members[2]]), "same name"),
        ("entity", zip(&[("input/definition.xml", "<!DOCTYPE a><a/>"), members[2]]), "declares"),
        ("no-ref", zip(&[members[0], members[2]]), "missing"),
    ] {
        let file = format!("{name}.deid");
        std::fs::write(sandbox.path(&file), bytes).unwrap();
        let ran = sandbox.run(&["protect", &file, "--k", "2", "--out", "no"]);
        assert!(
            ran.code == 2 && ran.stderr.contains(problem) && !sandbox.path("no").exists(),
            "{name}: {}",
            ran.stderr
        );
    }
}

#[test]
fn bad_tables_are_refused_with_one_clear_error() {
    let sandbox = sandbox();
    let refused = |name: &str, args: &[&str], says: &str| {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, 2, "{name}: {} {}", ran.stdout, ran.stderr);
        assert_eq!(ran.stderr.matches("error:").count(), 1, "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(says), "{name}: {}", ran.stderr);
        assert!(!ran.stderr.contains("41075") && !ran.stderr.contains("SECRET"), "{name}: {}", ran.stderr);
        assert!(!sandbox.path("out").exists(), "{name}");
    };
    let protect = |more: &[&'static str]| {
        [&["protect", "people.csv", "--out", "out", "--k", "2", "--kind", "table"], more].concat()
    };
    let schema = |text: &str, says: &str| {
        sandbox.write("bad.toml", text);
        refused(text, &protect(&["--schema", "bad.toml", "--column", "quasi=age"]), says);
    };
    schema("[columns.age]\nrol = \"quasi\"\n", "`role`");
    schema("[columns.ag]\nrole = \"quasi\"\n", "`age`");
    schema("[columns.zip]\nrole = \"quasi\"\nhierarchy = \"none.csv\"\n", "none.csv");
    schema("[columns.zip]\nlevels = [0, 9]\nhierarchy = \"zip.csv\"\nrole = \"quasi\"\n", "levels");
    schema("[columns.zip]\nrole = \"quasi\"\ngeneralise = \"hierarchy\"\n", "has none");
    schema("[columns.illness]\nrole = \"quasi\"\ngeneralise = \"interval\"\n", "has texts");
    schema("[columns.illness]\ntype = \"integer\"\n", "row 1");
    schema("[columns.score]\ntype = \"date\"\n", "no day");
    sandbox.write("inf.csv", "age,pay\n30,inf\n31,2\n32,3\n33,1\n");
    refused("inf", &["protect", "inf.csv", "--out", "out", "--k", "2", "--column", "quasi=age,pay"], "row 1");
    sandbox.write("nofunction.csv", "41075;a;*\n41076;a;+\n48201;b;*\n48202;b;*\n");
    refused(
        "no function",
        &protect(&["--hierarchy", "zip=nofunction.csv", "--column", "quasi=zip"]),
        "under two labels",
    );
    refused("column twice", &protect(&["--column", "quasi=age,age"]), "twice");
    refused("role twice", &protect(&["--column", "quasi=age", "quasi=zip"]), "the role quasi twice");
    refused("both", &protect(&["--column", "quasi=age", "sensitive=age"]), "twice");
    refused("persons", &protect(&["--column", "person=pid,age", "quasi=zip"]), "several columns of persons");
    let nine = ["protect", "people.csv", "--out", "out", "--k", "9", "--kind", "table", "--column", "quasi=age"];
    refused("k", &nine, "9");
    let check =
        |model: &'static str| ["check", "people.csv", "--column", "quasi=zip", "sensitive=illness", "--model", model];
    for (model, says) in [
        ("t-closeness:t=0", "`t`"),
        ("t-closeness:t=1.5", "`t`"),
        ("confidence:h=0", "`h`"),
        ("confidence:h=2", "`h`"),
        ("l-diversity:l=0.5", "`l`"),
        ("presence:min=0.5,max=0.2", "`max`"),
    ] {
        refused(model, &check(model), says);
    }
    sandbox.write("other.csv", "zip,illness\n99999,flu\n");
    let foreign = [&check("k-map:k=2")[..], &["--population", "other.csv", "--original", "people.csv"]].concat();
    let ran = sandbox.run(&foreign);
    assert!(ran.code == 2 || ran.code == 1, "{}", ran.stderr);
    let foreign = ["--population", "other.csv", "--column", "quasi=zip", "--hierarchy", "zip=zip.csv"];
    refused("population", &protect(&foreign), "population");
    // More ways to generalise than 2^31: eleven columns with eight levels each.
    let names: Vec<String> = (0..11).map(|column| format!("c{column}")).collect();
    sandbox.write("wide.csv", format!("{0}\n{1}\n{1}\n", names.join(","), ["1"; 11].join(",")));
    sandbox.write("tall.csv", "1;a;b;c;d;e;f;*\n");
    let trees: Vec<String> =
        names.iter().flat_map(|name| ["--hierarchy".to_owned(), format!("{name}=tall.csv")]).collect();
    let wide = ["protect", "wide.csv", "--out", "out", "--k", "2", "--method", "full-domain", "--kind", "table"];
    let args: Vec<&str> =
        wide.iter().copied().chain(trees.iter().map(String::as_str)).chain(["--column", "quasi=*"]).collect();
    refused("lattice", &args, "2^31");
    let noted =
        sandbox.run(&["protect", "wide.csv", "--out", "fine", "--k", "2", "--kind", "table", "--column", "quasi=*"]);
    assert!(noted.stderr.contains("says the same in every row"), "{}", noted.stderr);
}
