use serde_json::json;
use throng_core::Error;

use super::*;
use crate::run::{AttackRequest, CheckRequest, ProtectRequest};

fn keys(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn flat_keys_become_the_request_of_the_command() {
    let given = keys(json!({
        "in": "searches.tsv", "out": "release", "kind": "queries", "method": "user-microaggregation", "k": 7, "seed": 3,
        "exact": true, "column": {"user": "who", "url": null}, "no-attacks": true, "measure": ["profile-exposure-level"],
        "ledger": "all.ledger", "time-resolution": "1h", "timeout": "15m",
    }));
    let request: ProtectRequest = asked("protect", given.clone()).unwrap();
    assert_eq!(request.file.as_named(), ["searches.tsv"]);
    assert_eq!((request.method.as_deref(), request.seed), (Some("user-microaggregation"), Some(3)));
    let told = |name: &str| request.parameters.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str());
    assert_eq!((told("k"), told("exact"), told("time-resolution")), (Some("7"), Some("true"), Some("1h")));
    assert_eq!(request.ask.timeout, Some(900));
    let columns: Vec<(&str, &str)> =
        request.ask.columns.iter().map(|choice| (choice.role.as_str(), choice.name.as_str())).collect();
    assert_eq!(columns, [("url", ""), ("user", "who")]);
    assert_eq!(request.ledger.unwrap().file.to_str(), Some("all.ledger"));
    assert_eq!(
        command_line("protect", &given),
        "throng protect searches.tsv --out release --method user-microaggregation --seed 3 \
         --measure profile-exposure-level --no-attacks --ledger all.ledger --kind queries --column url= user=who --timeout 15m \
         --k 7 --time-resolution 1h --exact"
    );
}

#[test]
fn several_models_and_files_and_a_person() {
    let given = keys(json!({
        "in": ["a b.csv", "c.csv"], "model": ["k-anonymity:k=3", "l-diversity:l=2"], "column": ["user=who"], "person": "visitor",
    }));
    let request: CheckRequest = asked("check", given.clone()).unwrap();
    assert_eq!(request.model.as_deref(), Some("k-anonymity:k=3"));
    assert_eq!(request.more_models, ["l-diversity:l=2"]);
    assert_eq!(request.file.as_named(), ["a b.csv", "c.csv"]);
    let roles: Vec<&str> = request.ask.columns.iter().map(|choice| choice.role.as_str()).collect();
    assert_eq!(roles, ["user", "person"]);
    assert_eq!(
        command_line("check", &given),
        "throng check 'a b.csv' c.csv --model k-anonymity:k=3 --model l-diversity:l=2 --column user=who --person visitor"
    );
    let given = keys(json!({"original": "log.csv", "release": "release", "p": "1..3", "with": ["times", "clicks"]}));
    let request: AttackRequest = asked("attack", given.clone()).unwrap();
    assert_eq!((request.p, request.with), (vec![1, 2, 3], vec!["times".to_owned(), "clicks".to_owned()]));
    assert_eq!(command_line("attack", &given), "throng attack log.csv release --p 1..3 --with times,clicks");
}

#[test]
fn everything_that_is_wrong_is_said_with_its_key() {
    let said = |command: &str, given: Value| -> Vec<String> {
        let describe = |(key, error): (String, Error)| format!("{key}: {}", error.describe(false).replace("\n\n", " "));
        problems(command, &keys(given)).into_iter().map(describe).collect()
    };
    assert_eq!(
        said("protect", json!({"in": "a", "exactly": true, "seed": "many", "measures": "x", "k": 5})),
        [
            "exactly: `exactly` is no key of `protect` hint: did you mean `exact`?",
            "measures: `measures` is no key of `protect` hint: did you mean `measure`?",
            "seed: `seed` is `many`, but must be a whole number, 0 or greater",
        ]
    );
    assert_eq!(
        said("protect", json!({"method": "kindrd"})),
        ["method: there is no method called `kindrd` hint: did you mean `kindred`?"]
    );
    assert_eq!(
        said("protect", json!({"method": "kindred", "k": "many"})),
        ["k: `k` is `many`, but must be a whole number hint: for example `--k 5`"]
    );
    assert_eq!(said("check", json!({"model": "k-anonymity", "k": 5})), Vec::<String>::new());
    assert!(said("protect", json!({"no_attacks": true}))[0].ends_with("did you mean `no-attacks`?"));
}

#[test]
fn every_key_stands_where_its_request_has_room() {
    // A value of the right form for each key; the requests refuse keys that they do not know.
    for command in COMMANDS {
        for keyword in of(command, Tongue::Flags) {
            let value = match keyword.shape {
                Shape::Text
                | Shape::Path
                | Shape::Person
                | Shape::Models
                | Shape::Texts
                | Shape::List
                | Shape::Paths => json!("x"),
                Shape::Switch => json!(true),
                Shape::Count | Shape::Counts | Shape::Span | Shape::Memory => json!(3),
                Shape::Number => json!(0.5),
                Shape::Choice(choices) => json!(choices[0]),
                Shape::Kind | Shape::MadeUp => json!("queries"),
                Shape::Columns | Shape::Named => json!({"a": "b"}),
                Shape::Format => json!("csv"),
                Shape::Delimiter => json!(";"),
                Shape::Encoding => json!("utf-8"),
                Shape::Unknown => json!("drop"),
                Shape::Parameter(_) => json!("5"),
            };
            let made = request(command, keys(json!({ keyword.name.clone(): value })), Tongue::Flags).unwrap();
            let read = match command {
                "protect" => serde_json::from_value::<ProtectRequest>(made).map(drop),
                "check" => serde_json::from_value::<CheckRequest>(made).map(drop),
                "attack" => serde_json::from_value::<AttackRequest>(made).map(drop),
                "measure" => serde_json::from_value::<crate::run::MeasureRequest>(made).map(drop),
                "inspect" => serde_json::from_value::<crate::run::InspectRequest>(made).map(drop),
                "audit" => serde_json::from_value::<crate::run::AuditRequest>(made).map(drop),
                "compare" => serde_json::from_value::<crate::run::CompareRequest>(made).map(drop),
                _ => serde_json::from_value::<crate::run::SynthRequest>(made).map(drop),
            };
            assert!(read.is_ok(), "{command} {}: {read:?}", keyword.name);
        }
    }
}
