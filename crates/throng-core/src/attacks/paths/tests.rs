//! Attacks on paths: small cases by hand, and the slow way for every fast one.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::testing::asked;
use super::super::{Asked, Attack, Promise, Setting};
use super::group::Group;
use super::home_work::HomeWork;
use super::points::Points;
use super::sequence::Sequence;
use super::trip_link::TripLink;
use super::*;
use crate::Rng;
use crate::attacks::Scene;
use crate::data::PathsBuilder;
use crate::data::paths::Point;
use crate::geo::distance;
use crate::progress::Silent;

/// Persons with points: an hour, a latitude and a longitude.
fn paths(points: &[(u8, i64, i8, i8)]) -> Paths {
    let mut builder = PathsBuilder::default();
    for &(person, hour, lat, lon) in points {
        let (lat, lon) = (f64::from(lat), f64::from(lon));
        builder.push(&person.to_string(), Point { time: hour * HOUR, lat, lon, marks: [""; 4] });
    }
    builder.finish()
}

fn settings(p: &[usize]) -> Vec<Setting> {
    p.iter().map(|&p| Setting::plain(p)).collect()
}

/// A file attacked with itself: everybody is their own record.
fn on_itself(attack: &dyn Attack<Paths>, paths: &Paths, asked: &Asked) -> Vec<Outcome> {
    let ones = vec![1; paths.persons()];
    let link: Vec<Option<u32>> = (0..paths.persons() as u32).map(Some).collect();
    attack.attack(&Scene::new(paths, paths, &ones, Some(&link), &Silent), asked).unwrap()
}

/// Ann and ben share cell and day once; cid was alone.
#[test]
fn points_by_hand() {
    let paths = paths(&[(1, 0, 10, 10), (1, 30, 20, 20), (2, 5, 10, 10), (3, 0, 50, 50)]);
    let found = on_itself(&Points, &paths, &Asked { settings: settings(&[1, 2]), ..asked() });
    // Ann: one draw of two leads to her alone, the other to two; ben: two; cid: alone.
    assert_eq!(found[0].own["unique"], json!((0.5 + 0.0 + 1.0) / 3.0));
    assert_eq!((found[0].attempts, found[0].rate), (3, Some((0.75 + 0.5 + 1.0) / 3.0)));
    assert_eq!(found[0].knowledge, json!({"points": 1, "cell": "tile:15", "time": "day"}));
    // Two facts has ann alone.
    assert_eq!((found[1].attempts, found[1].rate, &found[1].own["left_out"]), (1, Some(1.0), &json!(2)));
    // Without the time, the same.
    let places = PlacesKnown::parse(Some("tile:1"), Some("none")).unwrap();
    let found = on_itself(&Points, &paths, &Asked { settings: settings(&[1]), places, ..asked() });
    assert_eq!((found[0].rate, &found[0].own["unique"]), (Some(1.0 / 3.0), &json!(0.0)));
    for (cell, time) in [(Some("quad:1-4"), None), (Some("tile:30"), None), (None, Some("week"))] {
        assert!(PlacesKnown::parse(cell, time).is_err());
    }
    let named = PlacesKnown::parse(Some("place"), None).unwrap();
    let ones = vec![1; 3];
    let scene = Scene::new(&paths, &paths, &ones, None, &Silent);
    assert!(Points.attack(&scene, &Asked { places: named, ..asked() }).is_err());
}

/// A claim is a bound, and k equal records keep it.
#[test]
fn equal_records_keep_the_bound() {
    let original = paths(&[(1, 0, 10, 10), (2, 0, 20, 20), (3, 0, 30, 30), (4, 0, 40, 40)]);
    let release = paths(&[(1, 0, 10, 10), (2, 0, 10, 10), (3, 0, 40, 40), (4, 0, 40, 40)]);
    let parameters = Map::from_iter([("k".to_owned(), json!(2))]);
    let promises = vec![Promise { model: "user-k-anonymity".to_owned(), parameters }];
    let asked = Asked { settings: settings(&[1]), promises, ..asked() };
    let link: Vec<Option<u32>> = (0..4).map(Some).collect();
    let scene = Scene::new(&original, &release, &[1; 4], Some(&link), &Silent);
    let found = Points.attack(&scene, &asked).unwrap().remove(0);
    assert_eq!((found.rate, found.bound, found.verdict), (Some(0.25), Some(0.5), "below"));
    let found = Group.attack(&scene, &asked).unwrap().remove(0);
    // 20 is nearer to 10, 30 to 40: everybody's own record, which two have.
    assert_eq!((found.rate, found.baseline, found.bound), (Some(1.0), Some(0.5), None));
    assert!(found.own.get("unique").is_none());
    let found = TripLink.attack(&scene, &asked).unwrap().remove(0);
    assert_eq!((found.attempts, &found.own["left_out"]), (0, &json!(4)));
}

/// Home is where most points of the night are; who has none is left out.
#[test]
fn home_and_work_by_hand() {
    let night_and_day = [
        (1, 22, 10, 10),
        (1, 23, 10, 10),
        (1, 21, 11, 10),
        (1, 12, 20, 20),
        (2, 3, 10, 10),
        (2, 8, 20, 20),
        (3, 9, 20, 20),
    ];
    let found = on_itself(&HomeWork, &paths(&night_and_day), &asked()).remove(0);
    assert_eq!((found.attempts, found.rate), (2, Some(0.5)));
    assert_eq!((&found.own["unique"], &found.own["left_out"]), (&json!(0.0), &json!(1)));
}

/// Cells in a row, repeated ones merged: 10, 20, 10 of ann, and 20, 10 of ben.
#[test]
fn sequence_by_hand() {
    let rows = [(1, 0, 10, 0), (1, 1, 10, 0), (1, 2, 20, 0), (1, 3, 10, 0), (2, 0, 20, 0), (2, 9, 10, 0)];
    let found = on_itself(&Sequence, &paths(&rows), &Asked { settings: settings(&[1, 2, 3]), ..asked() });
    // Ann's two runs of two: one is hers alone, one is ben's too.
    assert_eq!((found[1].rate, &found[1].own["unique"]), (Some((0.75 + 0.5) / 2.0), &json!(0.25)));
    assert_eq!((found[0].rate, &found[0].own["unique"]), (Some(0.5), &json!(0.0)));
    assert_eq!((found[2].attempts, &found[2].own["left_out"]), (1, &json!(1)));
}

/// Four days: ann and ben keep to their places, cid has points in the first half alone.
#[test]
fn trip_link_by_hand() {
    let rows =
        [(1, 0, 10, 0), (1, 80, 10, 0), (2, 1, 20, 0), (2, 81, 20, 0), (3, 2, 30, 0), (4, 3, 40, 0), (4, 90, 50, 0)];
    let found = on_itself(&TripLink, &paths(&rows), &asked()).remove(0);
    // Whoever was at 40 has nothing in common with anybody: one of three.
    assert_eq!((found.attempts, found.rate), (3, Some((1.0 + 1.0 + 1.0 / 3.0) / 3.0)));
    assert_eq!(found.own["left_out"], json!(1));
}

#[test]
fn all_draws_where_they_are_few() {
    assert_eq!(combinations(4, 2), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    assert_eq!(combinations(3, 3), [[0, 1, 2]]);
    let rng = &mut Rng::seeded(1);
    assert_eq!(draws(5, 2, 10, rng).len(), 10);
    assert_eq!(draws(5, 2, 9, rng).len(), 9);
    assert_eq!((draws(2, 3, 9, rng).len(), draws(0, 1, 9, rng).len(), draws(60, 30, 20, rng).len()), (0, 0, 20));
}

proptest! {
    /// Unicity by enumeration: every choice of facts of everybody, every record compared with it.
    #[test]
    fn points_by_enumeration(
        before in prop::collection::vec((0..6_u8, 0..80_i64, 0..3_i8, 0..3_i8), 1..40),
        after in prop::collection::vec((0..6_u8, 0..80_i64, 0..3_i8, 0..3_i8), 1..40),
        p in 1..4_usize,
        time in prop::sample::select(vec![TimeKnown::Hour, TimeKnown::Day, TimeKnown::None]),
    ) {
        let (original, release) = (paths(&before), paths(&after));
        let link: Vec<Option<u32>> =
            original.names().iter().map(|name| release.names().iter().position(|other| other == name).map(|at| at as u32)).collect();
        let ones = vec![1; release.persons()];
        let places = PlacesKnown { cell: Cells::Tile(12), time };
        let asked = Asked { settings: settings(&[p]), draws: 100_000, places, ..asked() };
        let scene = Scene::new(&original, &release, &ones, Some(&link), &Silent);
        let found = Points.attack(&scene, &asked).unwrap().remove(0);
        let length = match time { TimeKnown::Hour => 1, TimeKnown::Day => 24, TimeKnown::None => 1000 };
        let facts = |paths: &Paths, person: usize| -> BTreeSet<(u64, i64)> {
            paths.range(person).map(|point| {
                let (lat, lon) = paths.place(point);
                (crate::geo::tile::Tile::at(lat, lon, 12).code(), paths.time(point) / HOUR / length)
            }).collect()
        };
        let (mut rates, mut uniques, mut left_out) = (Vec::new(), Vec::new(), 0);
        for (person, &own_record) in link.iter().enumerate() {
            let own: Vec<(u64, i64)> = facts(&original, person).into_iter().collect();
            if own.len() < p {
                left_out += 1;
                continue;
            }
            let (mut hits, mut alone, mut all) = (0.0, 0.0, 0.0);
            for chosen in (0..1_u32 << own.len()).filter(|chosen| chosen.count_ones() as usize == p) {
                let known: Vec<(u64, i64)> = (0..own.len()).filter(|at| chosen >> at & 1 == 1).map(|at| own[at]).collect();
                let candidates: Vec<usize> =
                    (0..release.persons()).filter(|&record| { let has = facts(&release, record); known.iter().all(|fact| has.contains(fact)) }).collect();
                all += 1.0;
                if candidates.len() == 1 { alone += 1.0; }
                if own_record.is_some_and(|record| candidates.contains(&(record as usize))) { hits += 1.0 / candidates.len() as f64; }
            }
            rates.push(hits / all);
            uniques.push(alone / all);
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        prop_assert_eq!(&found.own["left_out"], &json!(left_out));
        match found.rate {
            Some(rate) => {
                prop_assert!((rate - mean(&rates)).abs() < 1e-9, "{} {}", rate, mean(&rates));
                prop_assert!((found.own["unique"].as_f64().unwrap() - mean(&uniques)).abs() < 1e-9);
            }
            None => prop_assert!(rates.is_empty()),
        }
    }

    /// The nearest record by looking at all of them.
    #[test]
    fn group_by_looking_at_all(
        before in prop::collection::vec((0..6_u8, 0..80_i64, -80..80_i8, -80..80_i8), 1..40),
        after in prop::collection::vec((0..6_u8, 0..9_i64, -80..80_i8, -80..80_i8), 1..40),
    ) {
        let (original, release) = (paths(&before), paths(&after));
        let link: Vec<Option<u32>> =
            original.names().iter().map(|name| release.names().iter().position(|other| other == name).map(|at| at as u32)).collect();
        let ones = vec![1; release.persons()];
        let scene = Scene::new(&original, &release, &ones, Some(&link), &Silent);
        let found = Group.attack(&scene, &Asked { settings: settings(&[1]), draws: 1000, ..asked() }).unwrap().remove(0);
        let mut hits = 0.0;
        for (person, &own_record) in link.iter().enumerate() {
            let mut own = 0.0;
            for point in original.range(person) {
                let to = |record: usize| {
                    release.range(record).map(|other| distance(original.place(point), release.place(other))).fold(f64::INFINITY, f64::min)
                };
                let least = (0..release.persons()).map(to).fold(f64::INFINITY, f64::min);
                let nearest: BTreeSet<Vec<(i64, String)>> = (0..release.persons())
                    .filter(|&record| to(record) < least + 1e-6)
                    .map(|record| release.range(record).map(|at| (release.time(at), format!("{:?}", release.place(at)))).collect())
                    .collect();
                if own_record.is_some_and(|record| to(record as usize) < least + 1e-6) { own += 1.0 / nearest.len() as f64; }
            }
            hits += own / original.range(person).len() as f64;
        }
        prop_assert!((found.hits - hits).abs() < 1e-6, "{} {}", found.hits, hits);
    }
}
