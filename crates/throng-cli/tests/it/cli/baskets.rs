//! Baskets through every command.

use serde_json::json;

use crate::support::Sandbox;

#[test]
fn baskets_protect_check_measure_inspect() {
    let sandbox = Sandbox::with_baskets();
    sandbox.snapshot("baskets-inspect", &["inspect", "baskets.dat", "--taxonomy", "food.csv"]);
    let protect = ["protect", "baskets.dat", "--out", "out", "--k", "2", "--seed", "5", "--taxonomy", "food.csv"];
    let shown = ["--key", "key.csv", "--measure", "group-generalisation-distortion,average-length,item-frequency"];
    sandbox.snapshot("baskets-protect", &[&protect[..], &shown].concat());
    sandbox.snapshot("baskets-check-release", &["check", "out"]);
    sandbox
        .snapshot("baskets-check-fails", &["check", "baskets.dat", "--model", "transaction-k-anonymity", "--k", "2"]);
    sandbox.snapshot("baskets-check-km", &["check", "baskets.dat", "--model", "km-anonymity", "--k", "2", "--m", "2"]);
    let shown = ["check", "baskets.dat", "--model", "km-anonymity", "--k", "2", "--m", "9", "--show-values"];
    sandbox.snapshot("baskets-check-m-above-the-longest", &shown);
    let measure = ["measure", "baskets.dat", "out", "--key", "key.csv", "--taxonomy", "food.csv"];
    sandbox.snapshot("baskets-measure", &measure);
    sandbox.snapshot("baskets-measure-without-key-and-taxonomy", &["measure", "baskets.dat", "out"]);
    let certificate = sandbox.json("out/certificate.json");
    assert_eq!(certificate["input"], json!({"kind": "baskets", "persons": 7, "rows": 16}));
    assert_eq!((&certificate["ids"], &certificate["taxonomy"]["name"]), (&json!("none"), &json!("food.csv")));
    for file in ["out/certificate.json", "out/report.json", "out/report.html"] {
        assert!(!sandbox.read(file).contains("SECRET"), "{file}");
    }
    assert_eq!(sandbox.read("out/data.fimi").lines().count(), 7);
    assert!(sandbox.read("key.csv").starts_with("person,pseudonym,group\n1,"));
}

#[test]
fn baskets_with_sensitive_items() {
    let sandbox = Sandbox::with_baskets();
    let protect = ["protect", "baskets.dat", "--out", "out", "--method", "cahd", "--p", "2", "--seed", "5"];
    let sensitive = ["--sensitive", "sensitive.txt", "--measure", "item-frequency"];
    sandbox.snapshot("baskets-cahd", &[&protect[..], &sensitive].concat());
    assert!(sandbox.read("out/data.jsonl").contains("\"sensitive\":{\"Beef\":"));
    sandbox.snapshot("baskets-cahd-check", &["check", "out"]);
    let rho = ["check", "baskets.dat", "--model", "rho-uncertainty", "--rho", "0.5"];
    sandbox.snapshot("baskets-no-sensitive-items", &rho);
    sandbox.write("other.txt", "Beef\nSECRETnobody\n");
    let missing =
        sandbox.snapshot("baskets-check-sensitive-missing", &[&rho[..], &["--sensitive", "other.txt"]].concat());
    assert!(!missing.stderr.contains("SECRET") && missing.stderr.contains("does not occur"));
    let refused =
        ["protect", "baskets.dat", "--out", "new", "--method", "cahd", "--p", "2", "--sensitive", "other.txt"];
    let refused = sandbox.snapshot("baskets-protect-sensitive-missing", &refused);
    assert!(refused.code == 2 && !refused.stderr.contains("SECRET"));
}

#[test]
fn baskets_that_are_refused() {
    let sandbox = Sandbox::with_baskets();
    let protect = |more: &[&'static str]| [&["protect", "baskets.dat", "--out", "out"], more].concat();
    sandbox.snapshot("baskets-refused-no-taxonomy", &protect(&[]));
    sandbox.snapshot("baskets-refused-k", &protect(&["--k", "8", "--taxonomy", "food.csv"]));
    sandbox.write("small.csv", "child,parent\nBeef,Food\nApple,Food\n");
    let unknown = sandbox.snapshot("baskets-refused-unknown-items", &protect(&["--taxonomy", "small.csv"]));
    assert!(!unknown.stderr.contains("SECRET"));
    sandbox.snapshot("baskets-unknown-rule", &protect(&["--taxonomy", "small.csv", "--unknown", "leaf"]));
    sandbox.write("rootless.csv", "child,parent\na,b\nb,a\n");
    sandbox.snapshot("baskets-refused-rootless", &protect(&["--taxonomy", "rootless.csv"]));
    sandbox.write("roots.csv", "child,parent\na,b\nc,d\n");
    sandbox.snapshot("baskets-refused-two-roots", &protect(&["--taxonomy", "roots.csv"]));
    sandbox.snapshot("baskets-refused-kind", &protect(&["--method", "user-microaggregation"]));
    sandbox.snapshot("baskets-refused-tsv", &protect(&["--format", "tsv", "--taxonomy", "food.csv", "--k", "2"]));
    sandbox.snapshot("baskets-not-a-log", &["inspect", "baskets.dat", "--kind", "queries"]);
    assert!(!sandbox.path("out").exists());
}

#[test]
fn baskets_of_words_and_made_up_ones() {
    let sandbox = Sandbox::with_log();
    sandbox.write("words.csv", "child,parent\ncars,thing\ncar,thing\ngarden,thing\nroses,thing\nweather,thing\n");
    let protect = ["protect", "log.tsv", "--out", "out", "--as", "baskets", "--taxonomy", "words.csv", "--k", "2"];
    sandbox.snapshot("words-protect", &[&protect[..], &["--seed", "5", "--measure", "item-frequency"]].concat());
    assert!(
        sandbox.read("out/data.tsv").starts_with("AnonID\titem\n") && !sandbox.read("out/data.tsv").contains("SECRET")
    );
    sandbox.snapshot("words-check", &["check", "out"]);
    sandbox.snapshot("words-forgotten", &["protect", "log.tsv", "--out", "new", "--method", "clump"]);
    let synth = ["synth", "baskets", "--persons", "20", "--taxonomy", "words.csv", "--seed", "3", "--out", "made.dat"];
    sandbox.snapshot("synth-baskets", &synth);
    assert_eq!(sandbox.read("made.dat").lines().count(), 20);
    assert_eq!(sandbox.done(&["inspect", "made.dat", "--json"]).json()["kind"], "baskets");
}

/// Items without a name are compared by nobody, and how many somebody has may tell who it is.
#[test]
fn items_without_a_name() {
    let sandbox = Sandbox::new();
    let model = ["--model", "transaction-k-anonymity", "--k", "3"];
    sandbox.write("same.csv", "person,item\n0,a\n1,a\n2,a\n3,\n4,\n5,\n");
    assert_eq!(sandbox.run(&[&["check", "same.csv"], &model[..]].concat()).code, 0);
    for more in ["2,\n", "3,\n"] {
        sandbox.write("more.csv", format!("person,item\n0,a\n1,a\n2,a\n3,\n4,\n5,\n{more}"));
        let ran = sandbox.run(&[&["check", "more.csv"], &model[..]].concat());
        assert!(ran.code == 1 && ran.stdout.contains("an item without a name"), "{ran:?}");
    }
}
