//! `throng link`, and `throng synth records`.

use crate::support::Sandbox;

fn with_people(records: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.done(&["synth", "records", "--records", records, "--seed", "1", "--out", "people"]);
    sandbox
}

#[test]
fn help_of_link() {
    let sandbox = Sandbox::new();
    sandbox.snapshot("help-link", &["link", "--help"]);
    for command in ["clean", "match", "dedupe", "compare", "party", "certificate", "evaluate"] {
        sandbox.snapshot(&format!("help-link-{command}"), &["link", command, "--help"]);
    }
}

#[test]
fn two_files_are_linked_and_evaluated() {
    let sandbox = with_people("400");
    let files = ["people/a.csv", "people/b.csv"];
    sandbox.snapshot("link-match", &["link", "match", files[0], files[1], "--out", "pairs.csv", "--one-to-one"]);
    let ran =
        sandbox.snapshot("link-evaluate", &["link", "evaluate", "pairs.csv", "--truth", "people/truth.csv", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(found["f1"].as_f64().unwrap() > 0.97, "{found}");
    assert_eq!(found["true_pairs"], 400);
    // The same bytes again, with one thread.
    sandbox.done(&["link", "match", files[0], files[1], "--out", "again.csv", "--one-to-one", "--threads", "1"]);
    assert_eq!(sandbox.read("pairs.csv"), sandbox.read("again.csv"));
    // What somebody decided is obeyed.
    let first = sandbox.read("pairs.csv").lines().nth(1).unwrap().split(',').take(2).collect::<Vec<_>>().join(",");
    sandbox.write("decided.csv", format!("a,b,same\n{first},no\n"));
    let decided =
        ["link", "match", files[0], files[1], "--out", "decided-pairs.csv", "--one-to-one", "--decided", "decided.csv"];
    sandbox.done(&decided);
    assert!(!sandbox.read("decided-pairs.csv").contains(&format!("\n{first},")));
}

#[test]
fn one_file_is_linked_with_itself() {
    let sandbox = Sandbox::new();
    let made =
        ["synth", "records", "--records", "600", "--copies", "4", "--changed", "0.3", "--seed", "2", "--out", "people"];
    sandbox.done(&made);
    sandbox.snapshot(
        "link-dedupe",
        &["link", "dedupe", "people/a.csv", "--out", "pairs.csv", "--clusters", "persons.csv"],
    );
    assert_eq!(sandbox.read("persons.csv").lines().count(), 601);
    let truth = ["link", "evaluate", "pairs.csv", "--clusters", "persons.csv", "--truth", "people/truth.csv", "--json"];
    let found: serde_json::Value = serde_json::from_str(&sandbox.done(&truth).stdout).unwrap();
    assert!(found["precision"].as_f64().unwrap() > 0.9 && found["recall"].as_f64().unwrap() > 0.8, "{found}");
}

#[test]
fn cleaning_counts_what_it_changed() {
    let sandbox = Sandbox::new();
    let text = "id,name,born,tel\n1,\"Dr. O'Brien, BOB\",28.2.2001,(02) 9999\n2,mary  smith,1.3.1999,1234\n";
    sandbox.write("raw.csv", text);
    sandbox.snapshot("link-clean", &["link", "clean", "raw.csv", "--out", "clean.csv"]);
    assert_eq!(
        sandbox.read("clean.csv"),
        "id,given_name,surname,born,tel\n1,robert,o'brien,2001-02-28,029999\n2,mary,smith,1999-03-01,1234\n"
    );
}

#[test]
fn one_comparison() {
    let sandbox = Sandbox::new();
    let ran = sandbox.done(&["link", "compare", "martha", "marhta", "--by", "jaro-winkler"]);
    assert_eq!(ran.stdout, "0.9611\n");
    sandbox.snapshot("link-compare-unknown", &["link", "compare", "a", "b", "--by", "jaro-winkle"]);
}

#[test]
fn what_cannot_be_linked_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("a.csv", "id,surname\n1,SECRETsmith\n1,SECRETjones\n");
    sandbox.write("b.csv", "id,town\n1,SECRETville\n");
    sandbox.write("c.csv", "id,surname\n1,SECRETsmith\n2,SECRETjones\n");
    sandbox.snapshot("link-repeated-id", &["link", "match", "a.csv", "b.csv", "--out", "pairs.csv"]);
    sandbox.snapshot("link-no-common-column", &["link", "match", "c.csv", "b.csv", "--out", "pairs.csv"]);
    sandbox.snapshot(
        "link-block-unknown",
        &["link", "match", "c.csv", "c.csv", "--out", "pairs.csv", "--block", "surnam"],
    );
    sandbox.snapshot(
        "link-thresholds",
        &["link", "match", "c.csv", "c.csv", "--out", "p.csv", "--upper", "0.2", "--lower", "0.4"],
    );
    sandbox.snapshot(
        "synth-records-refused",
        &["synth", "records", "--records", "10", "--changed", "2", "--out", "people"],
    );
}
