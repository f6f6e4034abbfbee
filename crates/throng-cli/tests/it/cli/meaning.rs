//! Methods and measures that know what queries mean.

use crate::support::Sandbox;

/// A log in which seven persons look for what WordNet knows, and one for what it does not.
fn log_with_meaning(sandbox: &Sandbox) {
    let mut log = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n".to_owned();
    let queries = [
        ("ann", "AC charger for a new phone"),
        ("ann", "SECRET clinic"),
        ("bob", "telephones"),
        ("bob", "weather"),
        ("cid", "jaguars"),
        ("cid", "weather"),
        ("dan", "leopard"),
        ("dan", "weather"),
        ("eve", "a tiger and some lions"),
        ("eve", "weather"),
        ("fay", "weather"),
        ("fay", "laptop"),
        ("gus", "weather"),
        ("gus", "notebook computers"),
        ("hal", "xqzzt"),
    ];
    for (at, (person, query)) in queries.iter().enumerate() {
        log.push_str(&format!("SECRET{person}\t{query}\t2006-03-01 10:{at:02}:00\t\t\n"));
    }
    sandbox.write("meant.tsv", log);
}

#[test]
fn meaning() {
    let sandbox = Sandbox::new();
    log_with_meaning(&sandbox);
    let shown = sandbox.snapshot("meaning-inspect", &["inspect", "meant.tsv", "--concepts"]);
    assert!(!shown.stdout.contains("SECRET") && shown.stdout.contains("weather"), "five persons share it");
    let method = |method: &'static str, out: &'static str| {
        ["protect", "meant.tsv", "--out", out, "--method", method, "--k", "2", "--seed", "1", "--key", out]
    };
    let mut semantic = method("semantic-microaggregation", "semantic");
    semantic[11] = "semantic.csv";
    let shown = ["--measure", "semantic-loss,interests-kept"];
    sandbox.snapshot("meaning-protect", &[&semantic[..], &shown].concat());
    let certificate = sandbox.json("semantic/certificate.json");
    assert_eq!(certificate["accounting"]["persons_dropped"], 1);
    assert_eq!(certificate["accounting"]["persons_without_concept"], 1);
    assert_eq!(certificate["taxonomy"]["by_phrase"], true);
    assert!(!sandbox.read("semantic/report.json").contains("SECRET"));
    sandbox.snapshot("meaning-measure", &["measure", "meant.tsv", "semantic", "--key", "semantic.csv"]);
    let mut interest = method("interest-microaggregation", "interest");
    interest[11] = "interest.csv";
    sandbox.snapshot("meaning-interest", &[&interest[..], &shown].concat());
    sandbox.write("shop.csv", "child,parent\nscrew,hardware\nnail,hardware\n");
    let mut other = method("semantic-microaggregation", "none").to_vec();
    other.extend(["--taxonomy", "shop.csv"]);
    other[11] = "none.csv";
    sandbox.snapshot("meaning-refused-other-words", &other);
    other.extend(["--unknown", "error"]);
    sandbox.snapshot("meaning-refused-unknown", &other);
    other.pop();
    other.push("own-leaf");
    sandbox.snapshot("meaning-own-leaf", &[&other[..], &shown].concat());
}
