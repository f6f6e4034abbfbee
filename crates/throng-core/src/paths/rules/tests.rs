//! Rules that are known beforehand.

use super::*;
use crate::data::PathsBuilder;
use crate::data::paths::Point;
use crate::rng::Rng;

/// So many persons with a walk and a ride each, of about 1 km in 15 minutes, and 10 km in 20 minutes; all begin in one place.
fn trips(persons: usize) -> Paths {
    let mut builder = PathsBuilder::default();
    for person in 0..persons {
        for (trip, label, minutes, degrees) in [("1", "walk", 15, 0.009), ("2", "bus", 20, 0.09)] {
            let start = if trip == "1" { 0 } else { 600 };
            for step in 0..=5_i64 {
                let share = step as f64 / 5.0 * (1.0 + person as f64 / 100.0);
                let time = (start + step * minutes / 5) * 60_000;
                let point = Point { time, lat: 47.0 + share * degrees, lon: 8.0, marks: ["", "", trip, label] };
                builder.push(&person.to_string(), point);
            }
        }
    }
    builder.finish()
}

#[test]
fn walks_and_rides() {
    let paths = trips(12);
    let rules = train(&paths, &Params::default()).unwrap();
    assert!(rules.by_trip && rules.left_out == 0 && rules.rules.len() == 2, "{rules:?}");
    for rule in &rules.rules {
        assert_eq!((rule.tracks, rule.persons, rule.right), (12, 12, 12));
    }
    let Condition::Number { feature: Feature::LengthKm, at_most: Some(most), above: None } =
        &rules.rules[0].conditions[0]
    else {
        panic!("{:?}", rules.rules[0]);
    };
    assert!(*most >= 1.0 && *most < 10.0 && rules.rules[0].label == "walk");
    assert_eq!(rules.rules[0].conditions[0].to_string(), format!("length at most {most} km"));
    // They come back from JSON, and are right about others.
    let text = serde_json::to_string(&rules).unwrap();
    assert_eq!(serde_json::from_str::<Rules>(&text).unwrap(), rules);
    assert!(serde_json::from_str::<Rules>(&text.replacen("\"at_most\"", "\"most\"", 1)).is_err());
    let labels: Vec<String> = apply(&trips(3), &rules).unwrap().into_iter().map(|(_, label)| label).collect();
    assert_eq!(labels, ["walk", "bus", "walk", "bus", "walk", "bus"]);
    let worth = evaluate(&paths, &Params::default(), &mut Rng::seeded(1)).unwrap();
    assert_eq!((worth.accuracy, worth.baseline, worth.tracks, worth.persons, worth.folds), (1.0, 0.5, 24, 12, 10));
}

/// No rule, label or cell of fewer than k persons: with k = 7 the six persons of one label teach nothing.
#[test]
fn only_of_many() {
    let mut builder = PathsBuilder::default();
    for person in 0..20 {
        let label = if person < 6 { "rare" } else { "common" };
        let lat = if person < 6 { 47.0 } else { 10.0 };
        builder.push(&person.to_string(), Point { time: 0, lat, lon: 8.0, marks: ["", "", "", label] });
    }
    let paths = builder.finish();
    let rules = train(&paths, &Params { k: 7, ..Params::default() }).unwrap();
    assert_eq!((rules.rules.len(), rules.otherwise.as_str(), rules.left_out), (1, "common", 6));
    let rules = train(&paths, &Params { k: 6, ..Params::default() }).unwrap();
    assert_eq!(rules.rules.iter().map(|rule| rule.persons).collect::<Vec<_>>(), [14, 6]);
    assert!(matches!(&rules.rules[0].conditions[0], Condition::Cell { part: features::Part::From, .. }), "{rules:?}");
    assert!(train(&paths, &Params { k: 15, ..Params::default() }).is_err());
}

/// Copies of one path are in one part: nobody is judged by a twin.
#[test]
fn twins_are_dealt_together() {
    let mut builder = PathsBuilder::default();
    for person in 0..40_u32 {
        // Ten crowds of four; every crowd a place of its own, and labels that say nothing but who it is.
        let crowd = person / 4;
        let label = if crowd % 2 == 0 { "x" } else { "y" };
        let point = Point { time: 0, lat: f64::from(crowd * 7 % 10), lon: 8.0, marks: ["", "", "", label] };
        builder.push(&person.to_string(), point);
    }
    let worth = evaluate(&builder.finish(), &Params { k: 2, ..Params::default() }, &mut Rng::seeded(1)).unwrap();
    assert!(worth.accuracy < 0.8 && worth.folds == 10, "{worth:?}");
}

#[test]
fn numbers_of_a_trip() {
    let mut builder = PathsBuilder::default();
    let minute = 60_000;
    // Monday, 5 January 1970, at half past seven: a kilometre in ten minutes, five minutes there, another kilometre in ten.
    let start = 4 * 86_400_000 + 450 * minute;
    let degree = 1.0 / 111.195_08;
    for (time, lat) in [(0, 0.0), (10, 1.0), (15, 1.0), (25, 2.0)] {
        builder.push("a", Point { time: start + time * minute, lat: lat * degree, lon: 0.001, marks: [""; 4] });
    }
    let paths = builder.finish();
    let keys = CellKeys::of(&paths, Cells::Tile(14)).unwrap();
    let found = Example::of(&paths, &Tracks::of_persons(&paths), 0, &keys).numbers;
    let expected = [2.0, 25.0, 4.8, 6.0, 1.0, 2.0, 7.5, 7.5 + 25.0 / 60.0, 1.0];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }
}

#[test]
fn refused() {
    let unlabelled = {
        let mut builder = PathsBuilder::default();
        builder.push("a", Point { time: 0, lat: 0.0, lon: 0.0, marks: [""; 4] });
        builder.finish()
    };
    assert!(train(&unlabelled, &Params::default()).unwrap_err().to_string().contains("`label`"));
    assert!(train(&trips(4), &Params::default()).is_err());
    assert!(
        train(&trips(9), &Params { k: 1, depth: 0, ..Params::default() }).unwrap_err().to_string().contains("`depth`")
    );
    let rules = train(&trips(9), &Params::default()).unwrap();
    assert!(apply(&unlabelled, &rules).unwrap_err().to_string().contains("there are none"));
}
