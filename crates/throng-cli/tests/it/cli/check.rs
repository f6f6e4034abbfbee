//! `throng check`: releases that were changed, and files that throng did not make.

use std::fs;

use serde_json::{Value, json};
use throng::certificate::Certificate;
use throng::io;

use crate::support::{Ran, Sandbox};

#[test]
fn a_tampered_release_fails() {
    let sandbox = Sandbox::with_log();
    sandbox.done(&[
        "protect",
        "log.tsv",
        "--out",
        "out",
        "--method",
        "user-microaggregation",
        "--k",
        "3",
        "--seed",
        "5",
    ]);
    let data = sandbox.read("out/data.tsv");
    // A row twice: the hash differs, and one person's record is no longer that of the others.
    let last = data.lines().last().unwrap();
    sandbox.write("out/data.tsv", format!("{data}{last}\n"));
    let ran = sandbox.snapshot("check-tampered", &["check", "out"]);
    assert_eq!(ran.code, 1);
    let found = sandbox.run(&["check", "out", "--json"]).json();
    assert_eq!((&found["verdict"], &found["hash_matches"]), (&json!("fails"), &json!(false)));
    assert_eq!(found["witness"]["pseudonym"].as_str(), last.split('\t').next());
    // Rows in another order: every claim holds, but these are not the certified bytes.
    let (header, rows) = data.split_once('\n').unwrap();
    let reversed: Vec<&str> = rows.lines().rev().collect();
    sandbox.write("out/data.tsv", format!("{header}\n{}\n", reversed.join("\n")));
    let ran = sandbox.snapshot("check-reordered", &["check", "out"]);
    assert_eq!(ran.code, 1);
    sandbox.write("out/certificate.json", "{");
    sandbox.snapshot("check-certificate-damaged", &["check", "out"]);
    fs::remove_file(sandbox.path("out/certificate.json")).unwrap();
    sandbox.snapshot("check-certificate-gone", &["check", "out"]);
}

#[test]
fn a_check_does_not_vouch_for_lines_it_could_not_read() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", "id,q,t\na,x,1\nb,x,1\nc,a name,no time\n");
    let ran =
        sandbox.run(&["check", "log.csv", "--model", "user-k-anonymity", "--k", "2", "--bad-lines", "skip", "--json"]);
    assert_eq!(ran.code, 1);
    let found = ran.json();
    assert_eq!((&found["verdict"], &found["witness"]), (&json!("fails"), &json!({"lines_not_read": 1})));
    assert_eq!((&found["claims"][0]["verdict"], &found["person_column"]), (&json!("holds"), &json!("id")));
}

#[test]
fn the_columns_of_a_release_are_known_or_chosen() {
    let sandbox = Sandbox::new();
    sandbox.write("log.csv", "who,what,when,row\na,x,1,1\nb,x,1,2\nc,y,2,3\nd,y,2,4\n");
    let columns = ["--column", "user=who", "query=what", "time=when"];
    sandbox.done(&[&["protect", "log.csv", "--out", "out", "--k", "2", "--min-persons", "1"], &columns[..]].concat());
    let found = sandbox.run(&["inspect", "out", "--json"]).json();
    assert_eq!(found["persons"], 4);
    let found = sandbox.run(&["check", "out", "--json"]).json();
    assert_eq!(found["person_column"], "who");
    // A certificate that names another column as the person's is overruled by what the auditor says.
    let certificate = sandbox.read("out/certificate.json").replace("\"user\": \"who\"", "\"user\": \"what\"");
    sandbox.write("out/certificate.json", certificate.replace("\"query\": \"what\"", "\"query\": \"who\""));
    let found = sandbox.run(&[&["check", "out", "--json"], &columns[..]].concat()).json();
    assert_eq!((&found["person_column"], &found["persons"]), (&json!("who"), &json!(4)));
}

#[test]
fn a_file_that_throng_did_not_make() {
    let sandbox = Sandbox::new();
    let model = ["--model", "user-k-anonymity", "--k", "2"];
    sandbox.write("good.csv", "id,q,t\nSECRETa,x,1\nSECRETb,y,2\nSECRETb,x,1\nSECRETa,y,2\n");
    sandbox.snapshot("check-foreign-holds", &[&["check", "good.csv"], &model[..]].concat());
    // A column without a role counts: here it tells them apart.
    sandbox.write("bad.csv", "id,q,t,town\nSECRETa,x,1,A\nSECRETb,x,1,B\nSECRETc,x,1,B\n");
    let hidden = sandbox.snapshot("check-foreign-fails", &[&["check", "bad.csv"], &model[..]].concat());
    assert!(hidden.code == 1 && hidden.stdout.contains("line 2") && !hidden.stdout.contains("SECRET"));
    let shown =
        sandbox.snapshot("check-foreign-fails-shown", &[&["check", "bad.csv", "--show-values"], &model[..]].concat());
    assert!(shown.stdout.contains("SECRETa"));
    sandbox.snapshot("check-no-model", &["check", "good.csv"]);
    sandbox.snapshot("check-unknown-model", &["check", "good.csv", "--model", "user-anonymity"]);
    sandbox.snapshot("check-k-1", &["check", "good.csv", "--model", "user-k-anonymity", "--k", "1"]);
}

/// A model about queries and hosts says nothing of another column, whatever is in it.
#[test]
fn columns_that_a_model_does_not_look_at() {
    let sandbox = Sandbox::new();
    let row = |user: usize| format!("{user},flu symptoms,2024-03-07 12:20:02");
    let rows = |note: &str| (1..4).map(|user| format!("{}{note}\n", row(user))).collect::<String>();
    sandbox.write("log.csv", format!("user,query,time\n{}", rows("")));
    let model = ["--model", "content-threshold", "--min-persons", "3", "--original", "log.csv"];
    sandbox.done(&[&["check", "log.csv"], &model[..]].concat());
    sandbox.write("more.csv", format!("user,query,time,note\n{}", rows(",ann lind")));
    let ran = sandbox.run(&[&["check", "more.csv"], &model[..]].concat());
    assert!(
        ran.code == 1 && ran.stdout.contains("1 column without a role, of which content-threshold says nothing"),
        "{ran:?}"
    );
}

/// Ids that look alike are said wherever persons are counted.
#[test]
fn ids_that_look_alike_are_said() {
    let sandbox = Sandbox::new();
    let rows: String =
        ["ann", "Ann", "bob", "bob ", "eve"].map(|id| format!("{id},flu,2024-03-07 12:20:02\n")).concat();
    sandbox.write("log.csv", format!("user,query,time\n{rows}"));
    let protect = ["protect", "log.csv", "--out", "out", "--k", "2", "--method", "user-microaggregation"];
    for args in
        [&["inspect", "log.csv"][..], &["check", "log.csv", "--model", "user-k-anonymity", "--k", "2"], &protect]
    {
        let ran = sandbox.run(args);
        assert!(ran.code == 0 && ran.stderr.contains("2 ids differ from another only in"), "{ran:?}");
    }
}

/// A certificate and a report that agree with each other, hashes and page included, are held against the data and against what throng
/// knows.
#[test]
fn forged_certificates_fail() {
    let sandbox = Sandbox::with_log();
    let protect =
        ["protect", "log.tsv", "--out", "out", "--method", "user-microaggregation", "--k", "3", "--seed", "5"];
    sandbox.done(&protect);
    let (certificate, report) = (sandbox.json("out/certificate.json"), sandbox.json("out/report.json"));
    let forge = |pointer: &str, value: Value| -> Ran {
        let put = |into: &mut Value| {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            into.pointer_mut(parent).unwrap()[key] = value.clone();
        };
        let (mut certificate, mut report) = (certificate.clone(), report.clone());
        put(&mut certificate);
        put(&mut report["certificate"]);
        sandbox.write("out/report.json", format!("{report:#}\n"));
        certificate["report_sha256"] = io::hash_file(&sandbox.path("out/report.json")).unwrap().into();
        let certificate: Certificate = serde_json::from_value(certificate).unwrap();
        sandbox.write("out/certificate.json", String::from_utf8(certificate.text().unwrap()).unwrap());
        // A report whose numbers cannot be those of its certificate is not drawn.
        let is_drawn = pointer != "/output/persons";
        assert_eq!(sandbox.run(&["report", "out"]).code, if is_drawn { 0 } else { 2 }, "{pointer}");
        sandbox.run(&["check", "out"])
    };
    let unchanged = forge("/ids", json!("pseudonyms"));
    assert!(unchanged.code == 0 && unchanged.stdout.contains("holds"), "{unchanged:?}");
    // What nobody can see is not affirmed.
    assert!(
        unchanged.stdout.contains("input, method, randomness, ids, accounting, content and report are the word of"),
        "{unchanged:?}"
    );
    let kept = forge("/ids", json!("kept"));
    assert!(kept.code == 0 && kept.stderr.contains("the certificate says that the ids are those"), "{kept:?}");
    for (pointer, value, says) in [
        ("/output/persons", json!(99), "says that the data have 99 persons"),
        ("/output/rows", json!(99), "says that the data have 99 rows"),
        ("/claims/0/verdict", json!("certified by nobody"), "a verdict that no release has"),
        ("/claims/0/achieved", json!({"k": 77}), "what the data achieve"),
        ("/claims/0/achieved/note", json!("ann"), "what the data achieve"),
        ("/claims/0/needs", json!("original"), "needs"),
        ("/promise", json!("nobody is here"), "promises something else"),
        ("/randomness", json!("lol"), "`randomness`"),
        ("/ids", json!("ann's"), "`ids`"),
        ("/ids", json!("none"), "of ids"),
        ("/text", json!("ann's"), "`text`"),
        ("/method/name", json!("ann"), "names a method or parameters"),
        ("/method/parameters/note", json!("ann"), "names a method or parameters"),
        (
            "/content",
            json!([{"finder": "ann", "scrub": "off", "rows": 0, "after_threshold": 0, "masked": 0, "left": 0}]),
            "`content`",
        ),
        ("/accounting/ann_is_123", json!(4000), "counts something"),
        ("/accounting/persons_dropped", json!(1), "does not add up"),
        ("/accounting/persons_held_out", json!(2), "does not add up"),
        ("/input/persons", json!(99), "does not add up"),
        ("/accounting/rows_dropped", json!(4000), "in `rows_dropped`, and there can be at most 12"),
        ("/accounting/groups_empty", json!(1), "in `groups_empty`, and there can be at most 0"),
        ("/accounting/rows_emptied", json!(1), "in `rows_emptied`, and there can be at most 0"),
        ("/throng", json!("ann"), "version of throng"),
    ] {
        let ran = forge(pointer, value);
        assert!(ran.code == 1 && ran.stdout.contains(says) && !ran.stdout.contains("ann"), "{pointer}: {ran:?}");
    }
    // What a newer throng writes cannot all be judged, and that is said; what can be is.
    let newer = forge("/throng", json!("99.0.0"));
    assert!(newer.code == 3 && newer.stderr.contains("newer throng"), "{newer:?}");
    sandbox.write("out/certificate.json", sandbox.read("out/certificate.json").replace("\"rows\": ", "\"rows\": 9"));
    assert_eq!(sandbox.run(&["check", "out"]).code, 1);
}

/// Ids of the original do not pass for pseudonyms.
#[test]
fn kept_ids_are_no_pseudonyms() {
    let sandbox = Sandbox::with_log();
    let protect = ["protect", "log.tsv", "--method", "user-microaggregation", "--k", "3", "--keep-ids", "--out", "out"];
    sandbox.done(&protect);
    sandbox.done(&["check", "out"]);
    for file in ["out/report.json", "out/certificate.json"] {
        let text = sandbox.read(file).replace("\"ids\": \"kept\"", "\"ids\": \"pseudonyms\"");
        sandbox.write(file, text);
    }
    let mut certificate: Certificate = serde_json::from_value(sandbox.json("out/certificate.json")).unwrap();
    certificate.report_sha256 = Some(io::hash_file(&sandbox.path("out/report.json")).unwrap());
    sandbox.write("out/certificate.json", certificate.text().unwrap());
    sandbox.done(&["report", "out"]);
    let ran = sandbox.run(&["check", "out"]);
    assert!(ran.code == 1 && ran.stdout.contains("says that the ids are pseudonyms, and they are none"), "{ran:?}");
    assert!(!ran.stdout.contains("SECRET"), "{ran:?}");
}

/// A report carries nothing along, whatever hash the certificate has.
#[test]
fn forged_reports_fail() {
    let sandbox = Sandbox::with_log();
    let protect = ["protect", "log.tsv", "--out", "out", "--method", "user-microaggregation", "--k", "3"];
    sandbox.done(&protect);
    let (certificate, report) = (sandbox.json("out/certificate.json"), sandbox.json("out/report.json"));
    for (pointer, key) in [
        ("", "key"),
        ("/run", "by"),
        ("/measures/0", "note"),
        ("/groups", "key"),
        ("/attacks/0", "note"),
        ("/attacks/0", "verdict"),
        ("/attacks/0/parts", "note"),
        ("/attacks/0/knowledge", "p"),
        ("/measures/0", "value"),
        ("/exposure/singled_out/0", "facts"),
        ("/exposure", "unique_by"),
        ("/groups/sizes/0", "groups"),
    ] {
        let (mut certificate, mut report) = (certificate.clone(), report.clone());
        report.pointer_mut(pointer).unwrap()[key] = json!({"1": "ann"});
        sandbox.write("out/report.json", format!("{report:#}\n"));
        certificate["report_sha256"] = io::hash_file(&sandbox.path("out/report.json")).unwrap().into();
        let certificate: Certificate = serde_json::from_value(certificate).unwrap();
        sandbox.write("out/certificate.json", String::from_utf8(certificate.text().unwrap()).unwrap());
        let ran = sandbox.run(&["check", "out"]);
        assert!(ran.code == 1 && ran.stdout.contains("report.json, which has more in it"), "{pointer}: {ran:?}");
        assert_eq!(sandbox.run(&["report", "out"]).code, 2, "{pointer}");
    }
}
