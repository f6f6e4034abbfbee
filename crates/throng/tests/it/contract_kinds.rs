//! What every method of every kind of data must satisfy, over `KINDS`: a new kind is tested by being listed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use throng::catalog::Role;
use throng::kinds::{AnyKind, KINDS};
use throng::prelude::*;
use throng::report::published;

use crate::support::fixtures::{PARAMETERS, PERSONS, data, parameters};

/// Every method of every kind.
fn every_method(mut with: impl FnMut(&dyn AnyKind, &'static str)) {
    for kind in KINDS {
        let methods: Vec<&'static str> =
            kind.listed().iter().filter(|listed| listed.role == Role::Method).map(|listed| listed.info.name).collect();
        assert!(!methods.is_empty(), "{} has no method", kind.card().name);
        methods.into_iter().for_each(|method| with(*kind, method));
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().into_owned();
    fs::read_dir(folder).unwrap().map(name).collect()
}

#[test]
fn claims_hold_ids_are_gone_and_measures_agree() {
    every_method(|kind, method| {
        let folder = tempfile::tempdir().unwrap();
        let (file, ask) = data(kind.card().name, folder.path());
        let (out, key) = (folder.path().join("out"), folder.path().join("key.csv"));
        // Whoever judges noise must know what it was like.
        let noise = kind.adds_noise(method).unwrap().then(|| folder.path().join("noise.json"));
        let request = ProtectRequest {
            file: file.clone().into(),
            out: out.clone(),
            method: Some(method.to_owned()),
            parameters: parameters(method, &PARAMETERS),
            key: Some(key.clone()),
            noise_file: noise.clone(),
            ask: ask.clone(),
            ..ProtectRequest::default()
        };
        let outcome = protect(&request, &Silent).unwrap_or_else(|error| panic!("{method}: {}", error.describe(true)));
        assert_eq!(outcome.certificate.input.persons, PERSONS as u64, "{method}");
        // An old way says that it promises nothing, and a check of it never says that something holds.
        let promises_nothing = kind.promises_nothing(method).unwrap();
        assert_eq!(outcome.certificate.claims.is_empty(), promises_nothing, "{method}");
        assert_eq!(outcome.certificate.promise.is_some(), promises_nothing, "{method}");
        let fine = if promises_nothing { "nothing claimed" } else { "holds" };
        let expected = ["certificate.json", "report.html", "report.json"].map(str::to_owned);
        assert_eq!(names(&out), expected.into_iter().chain([outcome.certificate.output.file.clone()]).collect());

        // The release is judged as it stands: its items are those of the file.
        let ask = Ask { noise_file: noise, ..ask };
        let judged = Ask { taxonomies: Vec::new(), unknown: None, ..ask.clone() };
        let check_request = CheckRequest {
            file: out.clone().into(),
            original: Some(file.clone().into()),
            ask: judged,
            ..CheckRequest::default()
        };
        let checked =
            check(&check_request, &Silent).unwrap_or_else(|error| panic!("{method}: {}", error.describe(true)));
        assert!(checked.verdict == fine && checked.hash_matches == Some(true), "{method}: {checked:?}");
        assert_eq!(checked.kind, kind.card().name);

        // Without the original nothing fails, and what needs it is said not to be checked.
        let alone = check(&CheckRequest { original: None, ..check_request }, &Silent).unwrap();
        let needs = outcome.certificate.claims.iter().any(|claim| claim.needs.is_some());
        assert_eq!(alone.verdict, if needs { "partly" } else { fine }, "{method}");

        // What the report says is what anybody measures who has the key.
        let request =
            MeasureRequest { original: file.into(), release: out, key: Some(key), ask, ..MeasureRequest::default() };
        let measured = measure(&request, &Silent).unwrap_or_else(|error| panic!("{method}: {}", error.describe(true)));
        for own in &outcome.measures {
            let other = measured.measures.iter().find(|other| other.name == own.name);
            let other = other.unwrap_or_else(|| panic!("{method}: {} is not measured", own.name));
            let rounded = |measured: &Measured| published(serde_json::json!({"measures": [measured.value]}), 4);
            assert_eq!(rounded(own), rounded(other), "{method}: {}", own.name);
        }
    });
}

#[test]
fn what_is_refused_leaves_nothing() {
    every_method(|kind, method| {
        let folder = tempfile::tempdir().unwrap();
        let (file, ask) = data(kind.card().name, folder.path());
        let before = names(folder.path());
        let out = folder.path().join("out");
        let request = |k: &str| ProtectRequest {
            file: file.clone().into(),
            out: out.clone(),
            method: Some(method.to_owned()),
            parameters: vec![("k".to_owned(), k.to_owned())],
            ask: ask.clone(),
            ..ProtectRequest::default()
        };
        let info = kind.listed().iter().find(|listed| listed.info.name == method).unwrap().info;
        if info.parameters.iter().any(|parameter| parameter.name == "k") {
            for k in ["0", "1", "100000"] {
                assert!(protect(&request(k), &Silent).is_err(), "{method} k = {k}");
            }
        }
        let unknown = ProtectRequest { measures: vec!["no-such-measure".to_owned()], ..request("2") };
        assert!(protect(&unknown, &Silent).is_err(), "{method}");
        assert_eq!(names(folder.path()), before, "{method}");
    });
}

#[test]
fn every_kind_is_inspected_and_made_up_as_itself() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let (file, _) = data(kind.card().name, folder.path());
        let found = inspect(&InspectRequest { file: file.into(), ..InspectRequest::default() }, &Silent).unwrap();
        assert_eq!(found.kind, kind.card().name);
        assert_eq!(found.value("persons").and_then(serde_json::Value::as_u64), Some(PERSONS as u64));
        for known in ["1", "2", "3"] {
            assert!(found.value("unique_by").is_some_and(|shares| shares[known].is_f64()), "{}", kind.card().name);
        }
        assert!(found.words().iter().any(|line| line.text.contains(kind.card().fact[1])), "{}", kind.card().name);
    }
}

/// Of every kind an original is judged and its release too; nobody is lost between the crowds.
#[test]
fn every_kind_is_audited() {
    for kind in KINDS {
        let name = kind.card().name;
        let folder = tempfile::tempdir().unwrap();
        let (file, ask) = data(name, folder.path());
        let out = folder.path().join("out");
        let request = |file: &Path, ask: Ask| AuditRequest {
            file: file.into(),
            parameters: vec![("k".to_owned(), "3".to_owned())],
            ask,
            ..AuditRequest::default()
        };
        let before = audit(&request(&file, Ask { taxonomies: Vec::new(), ..ask.clone() }), &Silent).unwrap();
        assert_eq!((before.kind, before.persons, before.verdict), (name, PERSONS, "fails"), "{name}");
        assert!(before.singled_out.iter().all(|facts| facts.alone.len() == 3), "{name}");
        let protected = ProtectRequest {
            file: file.into(),
            out: out.clone(),
            parameters: request(&out, Ask::default()).parameters,
            ask,
            ..ProtectRequest::default()
        };
        protect(&protected, &Silent).unwrap();
        let after = audit(&request(&out, Ask::default()), &Silent).unwrap();
        assert!(after.holds() && after.smallest_crowd >= Some(3), "{name}: {after:?}");
        let inside: usize = after.crowds.iter().flatten().map(|range| range.persons).sum();
        assert_eq!(inside, after.persons, "{name}");
        assert!(after.singled_out.iter().all(|facts| facts.below_k.values().all(|&share| share == 0.0)), "{name}");
    }
}
