//! A report may be damaged, or somebody else's: that is an error or an empty chart, never a panic.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use throng::report;
use throng::run::Heading;

fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden").join(name).join("report.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The way to everything in a value: of long lists to the first entry.
fn ways(value: &Value) -> Vec<String> {
    fn walk(value: &Value, way: &str, into: &mut Vec<String>) {
        into.push(way.to_owned());
        match value {
            Value::Object(map) => {
                map.iter().for_each(|(name, inner)| walk(inner, &format!("{way}/{name}"), into));
            }
            Value::Array(list) => {
                list.iter().take(1).enumerate().for_each(|(at, inner)| walk(inner, &format!("{way}/{at}"), into));
            }
            _ => {}
        }
    }
    let mut ways = Vec::new();
    walk(value, "", &mut ways);
    ways
}

/// The report without something.
fn without(report: &Value, way: &str) -> Value {
    let mut damaged = report.clone();
    let Some((around, name)) = way.rsplit_once('/') else { return Value::Null };
    match damaged.pointer_mut(around) {
        Some(Value::Object(map)) => drop(map.remove(name)),
        Some(Value::Array(list)) => drop(list.remove(name.parse().unwrap())),
        _ => {}
    }
    damaged
}

#[test]
fn whatever_is_missing_or_something_else_nothing_panics() {
    // Smaller measures stand for the others: the page takes all of them in the same way.
    for (name, kept) in [
        ("queries", ["profile-exposure-level", "query-frequency", "interests-kept", "clustering-agreement"]),
        ("baskets", ["item-frequency", "itemsets-kept", "count-query-error", "group-generalisation-distortion"]),
    ] {
        let mut report = golden(name);
        report["run"] = json!({"seconds": 1.5, "peak_memory_mb": 20, "threads": 2});
        report["measures"].as_array_mut().unwrap().retain(|measured| kept.iter().any(|kept| measured["name"] == *kept));
        report["measures"].as_array_mut().unwrap().push(json!({
            "name": "clustering-agreement", "value": 0.5, "unit": "", "better": "higher",
            "parts": {"by_clusters": [{"clusters": 2, "jaccard": 0.5, "rand": 0.5}, {"clusters": 5, "jaccard": 0.4, "rand": 0.6}]},
        }));
        assert!(report::html(&report, false).is_ok());
        let others = [
            json!(null),
            json!("text"),
            json!(-1),
            json!(1.7e308),
            json!(-1e-308),
            json!(u64::MAX),
            json!([]),
            json!({}),
            json!([{}, null, 7, [1]]),
        ];
        for way in ways(&report) {
            // No panic is all that is asked for.
            let _ = report::html(&without(&report, &way), false);
            for other in &others {
                let mut damaged = report.clone();
                *damaged.pointer_mut(&way).unwrap() = other.clone();
                let _ = report::html(&damaged, true);
            }
        }
    }
}

#[test]
fn a_report_without_a_histogram_is_drawn_without_it() {
    let mut report = golden("queries");
    let distribution = report.pointer_mut("/measures/0/parts/distribution").unwrap().as_object_mut().unwrap();
    distribution.remove("histogram").unwrap();
    assert!(report::html(&report, false).unwrap().contains("Profile exposure level"));
}

#[test]
fn something_else_than_a_report_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for text in ["[]", "7", "null", "\"report\"", "{}", "{", "", &"[".repeat(100_000)] {
        fs::write(folder.path().join("report.json"), text).unwrap();
        let error =
            throng::run::report(folder.path(), &Heading::default(), None, &throng_core::progress::Silent).unwrap_err();
        // Whatever is a report needs its certificate too.
        assert!(error.is_data() || text == "{}", "{text:.20}: {error}");
        assert!(!folder.path().join("report.html").exists());
    }
}
