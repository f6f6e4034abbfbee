//! The façade: the example runs, requests are values, and a caller can write them down.

use serde_json::json;
use throng::prelude::*;

#[path = "../../examples/library.rs"]
mod example;

#[test]
fn the_example_protects_checks_and_measures_in_memory() {
    example::main().unwrap();
}

#[test]
fn requests_are_values_and_unknown_keys_are_refused() {
    let text = json!({
        "file": "log.tsv", "out": "release", "method": "kindred", "parameters": {"k": 5, "exact": true},
        "format": "csv.gz", "ask": {"columns": [{"role": "user", "name": "who"}], "bad_lines": "skip", "as": "baskets"},
    });
    let request: ProtectRequest = serde_json::from_value(text.clone()).unwrap();
    let typed = [("exact", "true"), ("k", "5")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(request.parameters, typed);
    assert_eq!(request.ask.columns, [ColumnChoice::parse("user=who").unwrap()]);
    let again: ProtectRequest = serde_json::from_value(serde_json::to_value(&request).unwrap()).unwrap();
    assert_eq!(again, request);
    for (key, value) in [("metod", json!("kindred")), ("parameters", json!({"k": [5]})), ("format", json!("docx"))] {
        let mut wrong = text.clone();
        wrong[key] = value;
        assert!(serde_json::from_value::<ProtectRequest>(wrong).is_err(), "{key}");
    }
    let mut wrong = text;
    wrong["ask"]["kindd"] = json!("queries");
    assert!(serde_json::from_value::<ProtectRequest>(wrong).is_err());
    let empty = json!({"surprise": 1});
    assert!(serde_json::from_value::<CheckRequest>(empty.clone()).is_err());
    assert!(serde_json::from_value::<MeasureRequest>(empty.clone()).is_err());
    assert!(serde_json::from_value::<CompareRequest>(empty.clone()).is_err());
    assert!(serde_json::from_value::<InspectRequest>(empty.clone()).is_err());
    assert!(serde_json::from_value::<SynthRequest>(empty).is_err());
}
