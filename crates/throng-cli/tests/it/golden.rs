//! Whole reports and comparisons of small made-up data, as they are published. A change of any number shows here.
//!
//! `testdata/golden/NAME` holds the input, and the expected `report.json` and `comparison.json`. After a change that is meant,
//! `UPDATE=1 cargo test -p throng-cli --test it golden` writes them again; look at the difference before you keep it.

use std::fs;
use std::path::Path;

use crate::support::Sandbox;

const EXPECTED: [&str; 2] = ["report.json", "comparison.json"];

/// Runs `protect` and `compare` on the input of a golden folder, and compares what they write with what is expected.
fn golden(name: &str, protect: &[&str], compare: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden").join(name);
    let sandbox = Sandbox::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        if !EXPECTED.contains(&file.as_str()) {
            sandbox.write(&file, fs::read(folder.join(&file)).unwrap());
        }
    }
    // Attacks have goldens of their own, in the core.
    sandbox.done(&[&["protect"], protect, &["--seed", "1", "--no-attacks", "--out", "release"]].concat());
    sandbox.done(&[&["compare"], compare, &["--seed", "1", "--no-attacks", "--out", "comparison"]].concat());
    for (file, found) in EXPECTED.into_iter().zip(["release/report.json", "comparison/comparison.json"]) {
        // A new version alone changes nothing that is looked at here.
        let own = format!("\"throng\": \"{}\"", env!("CARGO_PKG_VERSION"));
        let found = sandbox.read(found).replace(&own, "\"throng\": \"[version]\"");
        let place = folder.join(file);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&place, &found).unwrap();
        }
        let expected = fs::read_to_string(&place).unwrap_or_default();
        let differing =
            expected.lines().zip(found.lines()).enumerate().find(|(_, (expected, found))| expected != found);
        assert!(
            expected == found,
            "{} is not what comes out; if that is right: UPDATE=1 cargo test -p throng-cli --test it golden\nfirst at {differing:#?}",
            place.display()
        );
    }
}

#[test]
fn queries() {
    golden(
        "queries",
        &["searches.tsv", "--k", "3", "--measure", &all("queries")],
        &[
            "searches.tsv",
            "--methods",
            "user-microaggregation,semantic-microaggregation",
            "--k",
            "2..3",
            "--measures",
            &all("queries"),
        ],
    );
}

#[test]
fn baskets() {
    let data = ["baskets.dat", "--taxonomy", "food.csv"];
    golden(
        "baskets",
        &[&data[..], &["--k", "3"]].concat(),
        &[&data[..], &["--methods", "flock,apriori", "--k", "2..3"]].concat(),
    );
}

/// Every measure of a kind of data, the costly ones too.
fn all(kind: &str) -> String {
    let own = throng::kinds::named(kind).unwrap().listed().into_iter();
    own.filter(|listed| listed.measure.is_some()).map(|listed| listed.info.name).collect::<Vec<_>>().join(",")
}
