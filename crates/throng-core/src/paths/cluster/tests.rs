//! Clusters of made-up paths whose clusters are known.

use super::*;
use crate::data::PathsBuilder;
use crate::data::paths::Point;
use crate::progress::Silent;

/// So many persons on each of three ways, north, east and a ring, interleaved: person i is on way i mod 3. All meet at the end.
fn ways(each: usize) -> Paths {
    let mut builder = PathsBuilder::default();
    for person in 0..3 * each {
        let shift = (person / 3) as f64 * 1e-4;
        for step in 0..10_i64 {
            let way = step as f64 / 100.0;
            let (lat, lon) = match person % 3 {
                0 => (47.0 + way, 8.0 + shift),
                1 => (47.0 + shift, 8.0 + way),
                _ => (46.9 + way, 7.9 - way + shift),
            };
            let (lat, lon) = if step == 9 { (48.0, 9.0) } else { (lat, lon) };
            let trip = if step < 9 { "1" } else { "" };
            builder.push(&person.to_string(), Point { time: step * 60_000, lat, lon, marks: ["", "", trip, ""] });
        }
    }
    builder.finish()
}

fn labels(found: &Clustering) -> Vec<Option<u32>> {
    found.labels.clone()
}

fn in_turn(each: usize) -> Vec<Option<u32>> {
    (0..3 * each as u32).map(|person| Some(person % 3)).collect()
}

#[test]
fn around_medoids_by_every_distance() {
    let paths = ways(6);
    for (_, distance) in PathDistance::NAMES {
        for by_trip in [false, true] {
            let params = Params { how: How::Clusters(3), distance, by_trip, ..Params::default() };
            let found = cluster(&paths, &params, &Silent).unwrap();
            assert_eq!(labels(&found), in_turn(6), "{distance:?}");
            assert!(found.clusters.iter().all(|cluster| cluster.persons == 6 && cluster.summary.is_some()));
            assert_eq!(found.interval.is_some(), distance == PathDistance::Synchronous);
        }
    }
}

#[test]
fn by_density() {
    let paths = ways(6);
    for (distance, radius) in [
        (PathDistance::Synchronous, 60.0),
        (PathDistance::Route, 60.0),
        (PathDistance::Lcss, 0.3),
        (PathDistance::Edr, 0.3),
    ] {
        let params = Params { how: How::Radius(radius), distance, ..Params::default() };
        let found = cluster(&paths, &params, &Silent).unwrap();
        assert_eq!(labels(&found), in_turn(6), "{distance:?}");
    }
    let lonely = Params { how: How::Radius(60.0), k: 7, ..Params::default() };
    let found = cluster(&paths, &lonely, &Silent).unwrap();
    assert!(found.clusters.is_empty() && found.labels.iter().all(Option::is_none));
}

/// A cluster of too few persons has no summary; the mean of the others is on their way.
#[test]
fn summaries() {
    let params = Params { how: How::Clusters(3), moments: 10, ..Params::default() };
    let found = cluster(&ways(6), &params, &Silent).unwrap();
    let north = found.clusters[0].summary.as_ref().unwrap();
    assert_eq!((north.len(), north[3].time), (10, Some(180_000)));
    assert!((north[3].lat - 47.03).abs() < 1e-6 && (north[3].lon - 8.00025).abs() < 1e-6, "{:?}", north[3]);
    let few = cluster(&ways(4), &params, &Silent).unwrap();
    assert!(few.clusters.iter().all(|cluster| cluster.summary.is_none() && cluster.persons == 4));
}

/// Only at the end do all meet: over the whole time there are three clusters, in the best interval one.
#[test]
fn in_an_interval() {
    let mut builder = PathsBuilder::default();
    for person in 0..12_u32 {
        for step in 0..=16_i64 {
            let apart = if step < 8 { f64::from(person) / 10.0 } else { 0.0 };
            builder.push(&person.to_string(), Point { time: step * 1000, lat: 47.0 + apart, lon: 8.0, marks: [""; 4] });
        }
    }
    let paths = builder.finish();
    let params = Params { how: How::Radius(500.0), moments: 17, ..Params::default() };
    assert!(cluster(&paths, &params, &Silent).unwrap().clusters.is_empty());
    let best = cluster(&paths, &Params { interval: Interval::Best, ..params }, &Silent).unwrap();
    assert_eq!((best.interval, best.clusters.len()), (Some((8000, 16_000)), 1));
    let given = cluster(&paths, &Params { interval: Interval::Given(9000, 12_000), ..params }, &Silent).unwrap();
    assert_eq!(given.labels, vec![Some(0); 12]);
}

#[test]
fn refused() {
    let paths = ways(2);
    for (params, says) in [
        (Params { how: How::Clusters(0), ..Params::default() }, "`clusters`"),
        (Params { how: How::Radius(f64::NAN), ..Params::default() }, "`radius`"),
        (Params { how: How::Radius(2.0), distance: PathDistance::Lcss, ..Params::default() }, "share of points"),
        (Params { moments: 0, ..Params::default() }, "`points`"),
        (Params { k: 1, match_within: 0.0, ..Params::default() }, "`match-within`"),
        (Params { interval: Interval::Given(5, 5), ..Params::default() }, "ends before it begins"),
        (Params { interval: Interval::Best, ..Params::default() }, "by density only"),
        (
            Params {
                interval: Interval::Best,
                distance: PathDistance::Route,
                how: How::Radius(1.0),
                ..Params::default()
            },
            "ignores time",
        ),
    ] {
        let said = cluster(&paths, &params, &Silent).unwrap_err().to_string();
        assert!(said.contains(says), "{said}");
    }
}
