//! Tables through every command.

use serde_json::{Value, json};

use crate::support::Sandbox;

const PATIENTS: &str = "name,zip,sex,illness,ward
SECRETann,41075,f,flu,A
SECRETbea,41075,f,flu,A
SECRETcid,41076,m,ulcer,B
SECRETdan,41076,m,flu,B
SECRETeli,41099,m,gout,A
SECRETfay,41099,m,gout,B
SECRETgus,41099,m,ulcer,A
SECREThal,48201,f,flu,A
SECRETivy,48201,m,gout,B
SECRETjon,48202,m,flu,A
SECRETkim,48202,m,ulcer,B
SECRETlea,48202,f,gout,A
";
const ZIP: &str = "41075;410**;*\n41076;410**;*\n41099;410**;*\n48201;482**;*\n48202;482**;*\n";
const ROLES: [&str; 4] = ["--column", "quasi=zip,sex", "sensitive=illness", "identifier=name"];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("patients.csv", PATIENTS);
    std::fs::create_dir(sandbox.path("trees")).unwrap();
    sandbox.write("trees/zip.csv", ZIP);
    sandbox.write("trees/data_hierarchy_sex.csv", "f;*\nm;*\n");
    sandbox
}

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

#[test]
fn tables_protect_check_measure_inspect() {
    let sandbox = sandbox();
    sandbox.snapshot("table-inspect", &with(&["inspect", "patients.csv"], &["--kind", "table"]));
    let protect = ["protect", "patients.csv", "--out", "out", "--k", "3", "--seed", "5", "--key", "key.csv"];
    let method = ["--method", "full-domain", "--quality", "entropy", "--suppress", "0.34", "--hierarchies", "trees"];
    sandbox.snapshot("table-protect", &[&protect[..], &method, &ROLES].concat());
    let certificate = sandbox.json("out/certificate.json");
    let search = &certificate["search"];
    assert_eq!(search["levels"], json!({"sex": 0, "zip": 1}));
    assert!((search["value"].as_f64().unwrap() - 15.751_349_924_5).abs() < 1e-9);
    assert_eq!((&search["suppressed_rows"], &search["nodes"]), (&json!(4), &json!(6)));
    let columns = &certificate["table"]["columns"];
    assert_eq!(columns[0], json!({"name": "zip", "role": "quasi", "type": "integer"}));
    assert_eq!(columns[3], json!({"name": "name", "role": "identifier", "type": "text"}));
    assert_eq!(certificate["accounting"]["rows_suppressed"], 4);
    assert_eq!(certificate["ids"], "none");
    let data = sandbox.read("out/data.csv");
    assert!(data.starts_with("zip,sex,illness\n") && data.lines().count() == 9, "{data}");
    for file in ["out/certificate.json", "out/report.json", "out/report.html", "out/data.csv"] {
        assert!(!sandbox.read(file).contains("SECRET"), "{file}");
    }
    sandbox.snapshot("table-check-release", &["check", "out"]);
    let measure = ["measure", "patients.csv", "out", "--key", "key.csv", "--hierarchies", "trees"];
    sandbox.snapshot("table-measure", &measure);
    let found = sandbox.run(&with(&measure, &["--json"])).json();
    let value = |name: &str| {
        let measures = found["measures"].as_array().unwrap();
        measures.iter().find(|measured| measured["name"] == name).unwrap()["value"].as_f64().unwrap()
    };
    assert!((value("normalised-certainty-penalty") - 0.508_333_333_3).abs() < 1e-9);
    assert!((value("hierarchy-loss") - 0.462_494_064_516_682_85).abs() < 1e-9);
    assert_eq!((value("discernibility"), value("average-class-size")), (82.0, 4.0));
}

#[test]
fn every_model_of_the_case_by_hand() {
    let sandbox = sandbox();
    let text: String = PATIENTS.replace("41075", "410**").replace("41076", "410**").replace("41099", "410**");
    sandbox.write("release.csv", text.replace("48201", "482**").replace("48202", "482**"));
    let model = |model: &str| {
        let ran = sandbox.run(&[&["check", "release.csv", "--json", "--model", model][..], &ROLES].concat());
        assert!(ran.code < 2, "{model}: {}", ran.stderr);
        ran.json()["achieved"].clone()
    };
    let number = |said: &str, key: &str| model(said)[key].as_f64().unwrap_or(f64::NAN);
    assert_eq!(number("k-anonymity:k=2", "k"), 2.0);
    assert_eq!(number("confidence:h=0.5", "h"), 1.0);
    assert_eq!(number("l-diversity:l=2", "l"), 1.0);
    assert!((number("t-closeness:t=0.1", "t") - 7.0 / 12.0).abs() < 1e-9);
    assert!((number("t-closeness:t=0.1,distance=ordered", "t") - 5.0 / 12.0).abs() < 1e-9);
    assert!((number("beta-likeness:beta=1", "beta") - 1.4).abs() < 1e-9);
    assert!((number("delta-disclosure:delta=1", "delta") - 0.875_468_737).abs() < 1e-8);
    assert_eq!(number("xy-anonymity:k=2,x=zip,y=illness", "k"), 3.0);
    // Any column, also one that names persons: each class has as many names as rows.
    assert_eq!(number("xy-anonymity:k=2,x=zip+sex,y=name", "k"), 2.0);
    assert_eq!(model("beta-likeness:kind=enhanced")["beta"], Value::Null);
    // The whole town beside one part of it.
    let whole = ["--population", "patients.csv", "--hierarchies", "trees"];
    let beside = |model: &str| {
        let ran = sandbox.run(&[&["check", "release.csv", "--json", "--model", model][..], &whole, &ROLES].concat());
        ran.json()["achieved"].clone()
    };
    assert_eq!(beside("k-map:k=2"), json!({"k": 2}));
    assert_eq!(beside("presence:max=1"), json!({"min": 1.0, "max": 1.0, "absent": 0}));
    let several = ["check", "release.csv", "--model", "k-anonymity:k=2", "--model", "l-diversity:l=2"];
    sandbox.snapshot("table-check-several-models", &[&several[..], &ROLES].concat());
}

#[test]
fn models_are_held_or_refused() {
    let sandbox = sandbox();
    let protect = |out: &'static str, more: &[&'static str]| {
        let first = ["protect", "patients.csv", "--out", out, "--seed", "1", "--hierarchies", "trees"];
        sandbox.run(&[&first[..], more, &ROLES].concat())
    };
    let ran = protect("diverse", &["--k", "2", "--model", "l-diversity:l=2"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let claims = sandbox.json("diverse/certificate.json")["claims"].clone();
    assert_eq!((&claims[0]["model"], &claims[1]["model"]), (&json!("table-k-anonymity"), &json!("l-diversity")));
    assert_eq!(sandbox.run(&["check", "diverse"]).code, 0);
    // Shares are those of all rows: if some are left out, only the original shows them.
    let close = [
        "--k",
        "1",
        "--method",
        "full-domain",
        "--suppress",
        "0.5",
        "--model",
        "t-closeness:t=0.3",
        "--quality",
        "loss:balance=0.1",
    ];
    let ran = protect("close", &close);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let claim = sandbox.json("close/certificate.json")["claims"][0].clone();
    if sandbox.json("close/certificate.json")["search"]["suppressed_rows"] != 0 {
        assert_eq!(claim["needs"], "original");
        assert_eq!(sandbox.run(&["check", "close"]).code, 3);
    }
    assert_eq!(sandbox.run(&["check", "close", "--original", "patients.csv"]).code, 0);
    for (name, more) in [
        ("mdav", &["--k", "2", "--method", "mdav", "--model", "l-diversity:l=2"][..]),
        ("k-map", &["--k", "2", "--model", "k-map:k=2"]),
        ("four-values", &["--k", "2", "--model", "l-diversity:l=4"]),
        ("k-1", &["--k", "1"]),
        ("k-many", &["--k", "13"]),
        ("no-such-parameter", &["--model", "l-diversity:m=3"]),
    ] {
        let ran = protect("no", more);
        assert_eq!(ran.code, 2, "{name}: {} {}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.contains("SECRET") && !sandbox.path("no").exists(), "{name}");
    }
}

#[test]
fn persons_with_several_rows() {
    let sandbox = Sandbox::new();
    let synth = [
        "synth",
        "table",
        "--shape",
        "patients",
        "--persons",
        "60",
        "--seed",
        "2",
        "--out",
        "visits.csv",
        "--hierarchies-out",
        "trees",
    ];
    assert_eq!(sandbox.run(&synth).code, 0);
    let roles = ["--column", "person=patient_id", "quasi=birth_year,sex,zip", "sensitive=illness"];
    let protect = [
        "protect",
        "visits.csv",
        "--out",
        "out",
        "--k",
        "3",
        "--key",
        "key.csv",
        "--hierarchies",
        "trees",
        "--format",
        "parquet",
    ];
    let ran = sandbox.run(&[&protect[..], &roles].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("60 of 60, whose rows nothing links"), "{}", ran.stdout);
    let rows = sandbox.read("visits.csv").lines().count() - 1;
    assert_eq!(sandbox.read("key.csv").lines().count() - 1, rows);
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!((&certificate["input"]["persons"], &certificate["output"]["rows"]), (&json!(60), &json!(rows)));
    assert_eq!(sandbox.run(&["check", "out"]).code, 0);
    let measured =
        sandbox.run(&["measure", "visits.csv", "out", "--key", "key.csv", "--hierarchies", "trees", "--json"]);
    assert_eq!(measured.code, 0, "{}", measured.stderr);
    // Of a file with a column of persons it is also said what whole sets of rows achieve.
    let check = [&["check", "visits.csv", "--model", "k-anonymity:k=2", "--json"][..], &roles].concat();
    let achieved = sandbox.run(&check).json()["achieved"].clone();
    assert!(achieved["k"].is_u64() && achieved["linked_k"].is_u64(), "{achieved}");
    let unsaid = sandbox.run(&["inspect", "visits.csv", "--column", "quasi=sex"]);
    assert!(unsaid.stderr.contains("--column person=patient_id"), "{}", unsaid.stderr);
}

#[test]
fn what_is_wrong_is_said() {
    let sandbox = sandbox();
    let refused = |name: &str, args: &[&str]| {
        let ran = sandbox.snapshot(name, args);
        assert_eq!(ran.code, 2, "{name}");
        assert!(!ran.stderr.contains("SECRET") && !sandbox.path("out").exists(), "{name}");
    };
    let protect =
        |more: &[&'static str]| [&["protect", "patients.csv", "--out", "out", "--kind", "table"], more].concat();
    refused("table-refused-no-role", &protect(&[]));
    refused("table-refused-no-quasi", &protect(&["--column", "plain=*"]));
    refused("table-refused-unknown-column", &protect(&["--column", "quasi=zipp"]));
    refused("table-refused-twice", &protect(&["--column", "quasi=zip", "sensitive=zip"]));
    refused("table-refused-no-hierarchy", &protect(&["--column", "quasi=sex"]));
    sandbox.write("short.csv", "41075;410**;*\n");
    refused("table-refused-value-missing", &protect(&["--hierarchy", "zip=short.csv", "--column", "quasi=zip"]));
    sandbox.write("uneven.csv", "41075;410**;*\n41076;*\n");
    refused("table-refused-uneven", &protect(&["--hierarchy", "zip=uneven.csv", "--column", "quasi=zip"]));
    refused(
        "table-refused-t",
        &["check", "patients.csv", "--model", "t-closeness:t=2", "--column", "quasi=zip", "sensitive=illness"],
    );
    let none = [
        "--method",
        "full-domain",
        "--k",
        "2",
        "--model",
        "confidence:h=0.3",
        "--hierarchies",
        "trees",
        "--column",
        "quasi=zip,sex",
        "sensitive=illness",
    ];
    refused("table-refused-no-node", &protect(&none));
}
