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
        let data_files = outcome.certificate.output.files().into_iter().map(str::to_owned);
        assert_eq!(names(&out), expected.into_iter().chain(data_files).collect());

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
        let request = MeasureRequest {
            original: file.into(),
            release: out.into(),
            key: Some(key),
            ask,
            ..MeasureRequest::default()
        };
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

/// Every attack of every shelf is played on a release of its kind, with all that an attacker may be given: what it says of itself agrees, and
/// only two releases together break a promise. What does not run says why; no attack stays unplayed.
#[test]
fn every_attack_is_played_and_its_numbers_agree() {
    let (mut listed, mut played) = (BTreeSet::new(), BTreeSet::new());
    for kind in KINDS {
        let shelf = kind.listed();
        let attacks: BTreeSet<&'static str> =
            shelf.iter().filter(|listed| listed.role == Role::Attack).map(|listed| listed.info.name).collect();
        // The default, and what other attacks are about.
        let methods: Vec<&str> =
            kind.listed().iter().filter(|listed| listed.role == Role::Method).map(|listed| listed.info.name).collect();
        let also = ["token-hashing", "guessing-noise", "mondrian", "clump"]
            .into_iter()
            .filter(|method| methods.contains(method));
        for method in [methods[0]].into_iter().chain(also) {
            let label = format!("{} by {method}", kind.card().name);
            let folder = tempfile::tempdir().unwrap();
            let (file, ask) = data(kind.card().name, folder.path());
            let noise = kind.adds_noise(method).unwrap().then(|| folder.path().join("noise.json"));
            let release = |name: &str, k: &str| {
                let (out, key) = (folder.path().join(name), folder.path().join(format!("{name}.csv")));
                let request = ProtectRequest {
                    file: file.clone().into(),
                    out: out.clone(),
                    method: Some(method.to_owned()),
                    parameters: parameters(method, &[("k", k)]),
                    key: Some(key.clone()),
                    noise_file: noise.clone().filter(|_| name == "one"),
                    ask: ask.clone(),
                    ..ProtectRequest::default()
                };
                protect(&request, &Silent).unwrap_or_else(|error| panic!("{label}: {}", error.describe(true)));
                (out, key)
            };
            let ((one, one_key), (two, two_key)) = (release("one", "4"), release("two", "5"));
            let request = AttackRequest {
                original: file.clone().into(),
                release: one.into(),
                key: Some(one_key),
                reference: (method == "token-hashing").then(|| file.clone()),
                other: Some(two),
                other_key: Some(two_key),
                p: vec![1, 2],
                ask: Ask { noise_file: noise.clone(), ..ask.clone() },
                ..AttackRequest::default()
            };
            let outcome = attack(&request, &Silent).unwrap_or_else(|error| panic!("{label}: {}", error.describe(true)));
            for result in &outcome.attacks {
                let (name, [low, high]) = (result.name, result.interval);
                assert!(attacks.contains(name), "{label}: {name} is on no shelf");
                assert!(result.hits <= result.attempts as f64 + 1e-9, "{label}: {name}");
                // Nothing to attack: nothing was generalised, for one.
                let Some(rate) = result.rate else {
                    assert_eq!((result.attempts, result.verdict), (0, "none"), "{label}: {name}");
                    continue;
                };
                assert!((rate - result.hits / result.attempts as f64).abs() < 1e-12, "{label}: {name}");
                assert!(low <= rate + 1e-12 && rate <= high + 1e-12 && low >= 0.0 && high <= 1.0, "{label}: {name}");
                let verdict = match result.bound {
                    None => "none",
                    Some(bound) if low > bound => "above",
                    Some(_) => "below",
                };
                assert_eq!(result.verdict, verdict, "{label}: {name}");
                assert!(verdict != "above" || name == "intersection", "{label}: {name}: {result:?}");
                played.insert(name);
            }
            let said: BTreeSet<&str> = outcome
                .attacks
                .iter()
                .map(|result| result.name)
                .chain(outcome.skipped.iter().map(|skipped| skipped.name))
                .collect();
            assert_eq!(said, attacks, "{label}: played, or said why not");
            assert!(outcome.skipped.iter().all(|skipped| !skipped.reason.is_empty()), "{label}");
        }
        listed.extend(attacks);
    }
    // Those need people or days that are not in the release, and have tests of their own.
    let elsewhere = BTreeSet::from(["membership", "profile-linkage"]);
    let missing: Vec<_> = listed.difference(&played).filter(|name| !elsewhere.contains(*name)).collect();
    assert!(missing.is_empty(), "never played: {missing:?}");
}
