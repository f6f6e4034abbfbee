//! Several accounts of one person, and text in normal form: what one person wrote is not published because they wrote it three times.

use std::fmt::Write as _;

use serde_json::json;

use crate::support::Sandbox;

/// What planted persons searched for: a name, an address, a telephone number, an illness.
fn facts(person: u32) -> [String; 4] {
    [
        format!("zelda{person} quorn{person}"),
        format!("{person}7 vexley{person} lane"),
        format!("555 01{person}4{person}"),
        format!("zelda{person} quorn{person} lupus{person}"),
    ]
}

/// Thirty ordinary persons who look for the same few things, and three planted ones with three accounts each.
fn planted() -> String {
    let mut log = "AnonID\tQuery\tQueryTime\tWho\n".to_owned();
    let mut add = |account: &str, who: &str, minute: usize, query: &str| {
        writeln!(log, "{account}\t{query}\t2024-03-01 09:{:02}:00\t{who}", minute % 60).unwrap();
    };
    let common = ["red car", "Used CAR parts", "tulip bulbs", "garden tulip", "boat sail", "old boat"];
    for person in 0..30 {
        for at in 0..5 {
            add(&format!("acc{person}"), &format!("p{person}"), at, common[(person + at) % common.len()]);
        }
    }
    for person in 1..=3u32 {
        for account in 0..3 {
            for (at, fact) in facts(person).iter().chain([&"red car".to_owned()]).enumerate() {
                add(&format!("alias{person}{account}"), &format!("q{person}"), at, fact);
            }
        }
    }
    log
}

/// Words that only planted persons have.
fn gives_away(released: &str) -> bool {
    ["zelda", "quorn", "vexley", "lupus"].iter().any(|word| released.contains(word))
}

#[test]
fn three_accounts_of_one_person_are_no_three_persons() {
    let sandbox = Sandbox::new();
    sandbox.write("log.tsv", planted());
    sandbox.snapshot(
        "accounts-protect",
        &["protect", "log.tsv", "--out", "out", "--seed", "1", "--measure", "rare-content"],
    );
    assert!(!gives_away(&sandbox.read("out/data.tsv")));
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(
        (&certificate["text"], &certificate["accounting"]["accounts_alike"]),
        (&json!("normal form"), &json!(9))
    );
    assert_eq!(certificate["claims"][1]["parameters"], json!({"min-persons": 3, "accounts": "once"}));
    assert_eq!(sandbox.done(&["check", "out", "--original", "log.tsv", "--json"]).json()["verdict"], "holds");
    // As before: three accounts pass a threshold of three, and the model that counts persons says so.
    let apart = ["--accounts", "apart", "--k", "3", "--seed", "1", "--measure", "rare-content"];
    sandbox.done(&[&["protect", "log.tsv", "--out", "apart"], &apart[..]].concat());
    assert!(gives_away(&sandbox.read("apart/data.tsv")));
    sandbox.done(&["check", "apart", "--original", "log.tsv"]);
    let checked = sandbox.run(&["check", "apart", "--original", "log.tsv", "--accounts", "once"]);
    assert_eq!(checked.code, 1, "{}", checked.stderr);
    // Other methods with a threshold count them once too.
    for method in ["user-microaggregation", "semantic-microaggregation"] {
        let out = format!("out-{method}");
        let threshold = ["--method", method, "--min-persons", "3", "--seed", "1", "--measure", "rare-content"];
        sandbox.done(&[&["protect", "log.tsv", "--out", &out], &threshold[..]].concat());
        assert!(!gives_away(&sandbox.read(&format!("{out}/data.tsv"))), "{method}");
    }
}

#[test]
fn every_group_has_k_persons() {
    let sandbox = Sandbox::new();
    sandbox.write("log.tsv", planted());
    let protect = ["protect", "log.tsv", "--k", "3", "--seed", "1", "--key", "key.csv", "--measure", "rare-content"];
    sandbox.done(&[&protect[..], &["--out", "out"]].concat());
    let mut groups: std::collections::BTreeMap<String, std::collections::BTreeSet<String>> = Default::default();
    for row in sandbox.read("key.csv").lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let person = cells[0].strip_prefix("alias").map_or(cells[0], |alias| &alias[..1]);
        groups.entry(cells[2].to_owned()).or_default().insert(person.to_owned());
    }
    assert!(groups.values().all(|persons| persons.len() >= 3), "{groups:?}");
}

#[test]
fn a_cluster_is_one_person() {
    let sandbox = Sandbox::new();
    sandbox.write("log.tsv", planted());
    let protect = ["protect", "log.tsv", "--out", "out", "--accounts", "merge", "--seed", "1", "--key", "key.csv"];
    let ran = sandbox.done(&[&protect[..], &["--measure", "rare-content"]].concat());
    assert!(ran.stderr.contains("each of these persons is one in the release"), "{}", ran.stderr);
    assert!(!gives_away(&sandbox.read("out/data.tsv")));
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!((&certificate["input"]["persons"], &certificate["output"]["persons"]), (&json!(33), &json!(33)));
    assert_eq!(certificate["claims"][1]["parameters"]["accounts"], "merge");
    assert_eq!(certificate["method"]["parameters"]["accounts"], "merge");
    // The key has every account, those of a person with one pseudonym.
    let key = sandbox.read("key.csv");
    let pseudonym = |account: &str| {
        let row = key.lines().find(|row| row.split(',').next() == Some(account)).unwrap();
        row.split(',').nth(1).unwrap().to_owned()
    };
    assert_eq!(key.lines().count(), 1 + 39);
    assert_eq!(pseudonym("alias10"), pseudonym("alias12"));
    assert_ne!(pseudonym("alias10"), pseudonym("alias20"));
    sandbox.done(&["check", "out", "--original", "log.tsv"]);
    // Measures see the same persons.
    let measured = sandbox.done(&[
        "measure",
        "log.tsv",
        "out",
        "--key",
        "key.csv",
        "--measure",
        "profile-exposure-level",
        "--json",
    ]);
    let parts = &measured.json()["measures"][0]["parts"];
    assert!(parts["persons"].as_u64().unwrap() + parts["undefined"].as_u64().unwrap_or(0) == 33, "{parts}");
    // Interest-microaggregation has no threshold, and merges all the same.
    let method = ["--method", "interest-microaggregation", "--accounts", "merge", "--measure", "rare-content"];
    sandbox.done(&[&["protect", "log.tsv", "--out", "interest"], &method[..]].concat());
    assert_eq!(sandbox.json("interest/certificate.json")["output"]["persons"], 33);
}

#[test]
fn a_column_says_who_is_who() {
    let sandbox = Sandbox::new();
    sandbox.write("log.tsv", planted());
    let columns = ["--column", "person=Who", "user=AnonID"];
    let protect =
        ["protect", "log.tsv", "--out", "out", "--seed", "1", "--key", "key.csv", "--measure", "rare-content"];
    sandbox.snapshot("accounts-person-column", &[&protect[..], &columns].concat());
    let released = sandbox.read("out/data.tsv");
    assert!(released.starts_with("Query\tQueryTime\tWho\n"), "{released}");
    assert!(!gives_away(&released) && !released.contains("alias") && !released.contains("acc"));
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(certificate["input"]["persons"], 33);
    assert_eq!(certificate["claims"][1]["parameters"]["accounts"], "apart");
    assert!(certificate["accounting"]["accounts_alike"].is_null());
    assert!(sandbox.read("key.csv").starts_with("person,pseudonym,group\np0,"));
    sandbox.done(&["check", "out", "--original", "log.tsv"]);
    // Nobody is left without a name.
    sandbox.write("gap.tsv", planted().replacen("\tp7\n", "\t\n", 1));
    let gap = ["protect", "gap.tsv", "--out", "gap"];
    sandbox.snapshot("accounts-person-missing", &[&gap[..], &columns].concat());
    let missing = ["--column", "person=Who", "user=Nobody"];
    assert_eq!(sandbox.run(&[&["inspect", "log.tsv"], &missing[..]].concat()).code, 2);
}

#[test]
fn whoever_looks_is_told() {
    let sandbox = Sandbox::new();
    sandbox.write("log.tsv", planted());
    let said = "9 accounts are probably those of 3 persons";
    let inspected = sandbox.done(&["inspect", "log.tsv", "--json"]);
    assert_eq!(inspected.json()["accounts_alike"], 9);
    assert!(sandbox.run(&["inspect", "log.tsv"]).stderr.contains(said));
    let audited = sandbox.run(&["audit", "log.tsv", "--json"]);
    assert_eq!(audited.json()["accounts_alike"], 9);
    assert!(sandbox.run(&["audit", "log.tsv"]).stderr.contains(said));
    let told = sandbox.done(&["inspect", "log.tsv", "--column", "person=Who", "user=AnonID"]);
    assert!(!told.stderr.contains("probably"), "{}", told.stderr);
    // A method that knows nothing of it refuses.
    sandbox.write("items.csv", "person,item\n1,milk\n1,bread\n2,milk\n2,bread\n");
    let refused = sandbox.run(&["protect", "items.csv", "--out", "no", "--k", "2", "--accounts", "merge"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("asks for protection"), "{}", refused.stderr);
}

#[test]
fn nobodys_way_of_writing_is_published() {
    let sandbox = Sandbox::new();
    let mut log = "user,query,time\n".to_owned();
    for person in 0..12 {
        writeln!(log, "u{person},red car parts,2024-03-01 09:00:00\nu{person},tulip{person},2024-03-01 10:00:00")
            .unwrap();
    }
    for query in [
        "RED car parts",
        "parts car red",
        "red  car\u{200b} parts!",
        "red car parts red",
        "r\u{ff45}d car \u{1f697} parts",
    ] {
        writeln!(log, "u3,{query},2024-03-01 11:00:00").unwrap();
    }
    sandbox.write("log.csv", &log);
    let measure = ["--measure", "rare-content", "--seed", "1"];
    sandbox.done(&[&["protect", "log.csv", "--out", "out"], &measure[..]].concat());
    let released = sandbox.read("out/data.csv");
    assert!(released.lines().skip(1).all(|line| line.contains(",red car parts,")), "{released}");
    // The same text as somebody wrote it fails.
    sandbox.write("written.csv", released.replacen("red car parts", "red Car parts", 1));
    let model = ["--model", "content-threshold", "--original", "log.csv"];
    sandbox.snapshot("accounts-not-normal", &[&["check", "written.csv"], &model[..]].concat());
    let order = released.replacen("red car parts", "car red parts", 1);
    sandbox.write("order.csv", order);
    assert_eq!(sandbox.run(&[&["check", "order.csv"], &model[..]].concat()).code, 1);
    // Without a threshold text stays as it was written, and the certificate says so.
    sandbox.done(&[&["protect", "log.csv", "--out", "as-written", "--min-persons", "1"], &measure[..]].concat());
    assert_eq!(sandbox.json("as-written/certificate.json")["text"], "as written");
}
