use std::collections::BTreeSet;

use super::*;
use crate::detectors::records::kdd;

fn made(rows: usize, seed: u64) -> (Vec<Connection>, Vec<Traffic>) {
    let connections = connections(rows, &mut Rng::seeded(seed));
    let traffic = traffic(&connections);
    (connections, traffic)
}

/// The features of traffic word by word, from all records before each.
#[test]
fn the_traffic_is_true_of_the_records_before() {
    let (all, found) = made(3_000, 4);
    for (at, now) in all.iter().enumerate() {
        let before = &all[..=at];
        let rate = |some: usize, of: usize| if of == 0 { 0.0 } else { some as f64 / of as f64 };
        let count = |of: &[&Connection], is: &dyn Fn(&Connection) -> bool| of.iter().filter(|one| is(one)).count();
        let opening = |one: &Connection| ["S0", "S1", "S2", "S3"].contains(&one.flag);
        let refused = |one: &Connection| ["REJ", "RSTR"].contains(&one.flag);
        let recent: Vec<&Connection> = before.iter().filter(|one| one.time > now.time - 2.0).collect();
        let host: Vec<&Connection> = recent.iter().copied().filter(|one| one.host == now.host).collect();
        let service: Vec<&Connection> = recent.iter().copied().filter(|one| one.service == now.service).collect();
        let to_host: Vec<&Connection> = before.iter().filter(|one| one.host == now.host).collect();
        let last = &to_host[to_host.len().saturating_sub(100)..];
        let last_service: Vec<&Connection> = last.iter().copied().filter(|one| one.service == now.service).collect();
        let is_service = |one: &Connection| one.service == now.service;
        let expected = Traffic {
            counts: [host.len(), service.len()],
            rates: [
                rate(count(&host, &opening), host.len()),
                rate(count(&service, &opening), service.len()),
                rate(count(&host, &refused), host.len()),
                rate(count(&service, &refused), service.len()),
                rate(count(&host, &is_service), host.len()),
                rate(count(&host, &|one| !is_service(one)), host.len()),
                rate(count(&service, &|one| one.host != now.host), service.len()),
            ],
            host_counts: [last.len(), last_service.len()],
            host_rates: [
                rate(last_service.len(), last.len()),
                rate(count(last, &|one| !is_service(one)), last.len()),
                rate(count(last, &|one| one.port == now.port), last.len()),
                rate(count(&last_service, &|one| one.source != now.source), last_service.len()),
                rate(count(last, &opening), last.len()),
                rate(count(&last_service, &opening), last_service.len()),
                rate(count(last, &refused), last.len()),
                rate(count(&last_service, &refused), last_service.len()),
            ],
        };
        assert_eq!(found[at], expected, "record {at}");
    }
}

#[test]
fn a_tenth_are_attacks_of_all_families_and_few_are_duplicates() {
    let (all, traffic) = made(20_000, 1);
    assert_eq!(all.len(), 20_000);
    assert!(all.windows(2).all(|pair| pair[0].time <= pair[1].time));
    let count = |family: Option<Family>| all.iter().filter(|one| kdd::family(one.label) == family).count();
    let normal = count(None);
    assert_eq!(normal, 18_000);
    assert!(all.iter().all(|one| one.label == "normal" || kdd::family(one.label).is_some()));
    for (family, share) in FAMILIES {
        assert!((count(Some(family)) as f64 - 2_000.0 * share).abs() <= 1.0, "{family:?}");
    }
    let records: BTreeSet<Vec<String>> = all.iter().zip(&traffic).map(|(one, traffic)| cells(one, traffic)).collect();
    let duplicates = 1.0 - records.len() as f64 / all.len() as f64;
    assert!(duplicates < 0.05, "{duplicates}");
    assert!(records.iter().all(|cells| cells.len() == COLUMNS.len()));
    let record: Vec<&str> = records.iter().next().unwrap().iter().map(String::as_str).collect();
    assert_eq!(kdd::without_header(&record), Some(42));
}

#[test]
fn the_seed_says_it_all() {
    assert_eq!(made(500, 3), made(500, 3));
    assert_ne!(made(500, 3).0, made(500, 4).0);
    for rows in [0, 1, 7, 40] {
        assert_eq!(made(rows, 1).0.len(), rows);
    }
}
