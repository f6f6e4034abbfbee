//! What user-microaggregation promises, on any log and for any k: the independent model agrees, nobody is lost, and the
//! result depends on nothing but the data, the parameters and the seed.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng_core::Rng;
use throng_core::data::{QueryLog, QueryLogBuilder};
use throng_core::methods::Method as _;
use throng_core::methods::queries::user_microaggregation::{AverageRecord, Params, UserMicroaggregation};
use throng_core::models::Model as _;
use throng_core::models::digests::{DigestKey, Digests};
use throng_core::models::k_anonymity::{self, KAnonymity};
use throng_core::progress::Silent;
use throng_core::release::Release;
use throng_core::synth::queries::{Params as SynthParams, QueriesSynth};

use crate::support::logs::{Persons, build, name, persons};

/// A log and a k from 2 to its number of persons.
fn log_and_k() -> impl Strategy<Value = (Persons, usize)> {
    persons(2..=24, 1..=6).prop_flat_map(|persons| {
        let most = persons.len();
        (Just(persons), 2..=most)
    })
}

fn protect(log: &QueryLog, params: Params, keep_ids: bool, seed: u64) -> Release<QueryLog> {
    let mut rng = Rng::seeded(seed);
    let method = UserMicroaggregation::new(params).unwrap();
    let protected = method.protect(log, &mut rng, &Silent).unwrap();
    protected.disguise(log.names(), keep_ids, &mut rng).unwrap()
}

/// The release as it is published: every person with the lines of their record.
fn expand(release: &Release<QueryLog>) -> QueryLog {
    let mut builder = QueryLogBuilder::new();
    let records = &release.records;
    for person in &release.persons {
        for line in records.lines(person.record as usize) {
            let url = line.url.map(|url| records.urls().get(url));
            builder.push(&person.pseudonym, records.queries().get(line.query), line.time, line.rank, url);
        }
    }
    builder.finish()
}

/// The k that the independent model finds, and its verdict on the k that was asked for.
fn achieved(log: &QueryLog, k: usize) -> (bool, u64) {
    let model = KAnonymity::new(k_anonymity::Params { k }).unwrap();
    let digests = Digests::of(log, &DigestKey::new(&mut Rng::secure().unwrap()));
    let verdict = model.check(&digests).unwrap();
    (verdict.holds, verdict.achieved["k"].as_u64().unwrap())
}

/// Everything that must be true of a release.
fn check(log: &QueryLog, k: usize, release: &Release<QueryLog>) {
    let published = expand(release);
    let (holds, reached) = achieved(&published, k);
    assert!(holds, "only {reached} of k = {k}");
    assert_eq!((published.persons(), release.persons.len()), (log.persons(), log.persons()));

    let mut people: Vec<u32> = release.persons.iter().map(|person| person.person).collect();
    people.sort_unstable();
    assert_eq!(people, (0..log.persons() as u32).collect::<Vec<_>>(), "each person exactly once");

    let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for person in &release.persons {
        groups.entry(person.record).or_default().push(person.person as usize);
    }
    for (&record, members) in &groups {
        assert!((k..2 * k).contains(&members.len()), "{} persons in a group, k = {k}", members.len());
        // Q16: the mean of the members' numbers of lines, rounded half up, at least 1.
        let lines: usize = members.iter().map(|&member| log.range(member).len()).sum();
        let mean = ((lines as f64 / members.len() as f64) + 0.5).floor().max(1.0) as usize;
        assert_eq!(release.records.range(record as usize).len(), mean, "{lines} lines of {} members", members.len());
        // Every published string is one of a member's.
        for line in release.records.lines(record as usize) {
            let query = release.records.queries().get(line.query);
            let issued = |&member: &usize| log.lines(member).any(|own| log.queries().get(own.query) == query);
            assert!(members.iter().any(issued));
        }
    }
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn any_log_any_k((persons, k) in log_and_k(), seed in any::<u64>()) {
        let log = build(&persons);
        for average in [AverageRecord::Medoid, AverageRecord::Aggregate] {
            let params = Params { k, average, ..Params::default() };
            let release = protect(&log, params.clone(), false, seed);
            check(&log, k, &release);
            let names: Vec<String> = (0..persons.len()).map(name).collect();
            prop_assert!(release.persons.iter().all(|person| !names.contains(&person.pseudonym)));
            let again = protect(&log, params, false, seed);
            prop_assert_eq!(&again.persons, &release.persons);
            prop_assert_eq!(&again.records, &release.records);
        }
    }

    #[test]
    fn times_are_multiples_of_the_resolution((persons, k) in log_and_k(), resolution in 1u64..90_000) {
        let log = build(&persons);
        let release = protect(&log, Params { k, time_resolution: resolution, ..Params::default() }, true, 1);
        check(&log, k, &release);
        let step = resolution as i64 * 1000;
        let (first, last) = log.time_span().unwrap();
        for person in 0..release.records.persons() {
            for line in release.records.lines(person) {
                prop_assert_eq!(line.time.rem_euclid(step), 0);
                prop_assert!((first - step..=last + step).contains(&line.time));
            }
        }
    }

    #[test]
    fn threads_change_nothing((persons, k) in log_and_k()) {
        let log = build(&persons);
        let run = |threads| {
            on_threads(threads, || protect(&log, Params { k, ..Params::default() }, false, 7))
        };
        let (one, two) = (run(1), run(2));
        prop_assert_eq!(one.persons, two.persons);
        prop_assert_eq!(one.records, two.records);
    }
}

#[test]
fn made_up_searches_for_many_k() {
    let log = QueriesSynth::new(SynthParams { persons: 120, mean_lines: 25.0, seed: 5, ..SynthParams::default() })
        .unwrap()
        .block(0..120);
    assert!(!achieved(&log, 2).0, "the original hides nobody");
    for k in [2, 3, 5, 17, 60, 119, 120] {
        let run = |threads| on_threads(threads, || protect(&log, Params { k, ..Params::default() }, false, 9));
        let (one, two) = (run(1), run(2));
        check(&log, k, &one);
        assert_eq!(one.persons, two.persons, "k = {k}");
        assert_eq!(one.records, two.records, "k = {k}");
    }
}

#[test]
fn another_seed_changes_pseudonyms_and_nothing_else() {
    let log = QueriesSynth::new(SynthParams { persons: 30, mean_lines: 8.0, seed: 6, ..SynthParams::default() })
        .unwrap()
        .block(0..30);
    let [one, two] = [1, 2].map(|seed| protect(&log, Params { k: 3, ..Params::default() }, false, seed));
    assert_eq!(one.records, two.records);
    let record_of = |release: &Release<QueryLog>| {
        let mut records: Vec<(u32, u32)> =
            release.persons.iter().map(|person| (person.person, person.record)).collect();
        records.sort_unstable();
        records
    };
    assert_eq!(record_of(&one), record_of(&two));
    assert_ne!(one.persons, two.persons);
}

#[test]
fn blocks_keep_the_promise() {
    let log = QueriesSynth::new(SynthParams { persons: 400, mean_lines: 10.0, seed: 8, ..SynthParams::default() })
        .unwrap()
        .block(0..400);
    for (k, block_size) in [(2, 4), (2, 33), (5, 10), (5, 64), (5, 399), (50, 120), (200, 400)] {
        let params = Params { k, block_size, ..Params::default() };
        let run = |threads| on_threads(threads, || protect(&log, params.clone(), false, 9));
        let (one, two) = (run(1), run(2));
        check(&log, k, &one);
        assert_eq!((one.persons, one.records), (two.persons, two.records), "k = {k}, blocks of {block_size}");
        let grouped = one.grouped.unwrap();
        let is_cut = block_size < 400 && 4 * k <= 400;
        assert_eq!(grouped.blocks > 1, is_cut, "k = {k}, blocks of {block_size}");
        assert!(!is_cut || grouped.largest_block <= block_size + 2 * k, "{grouped:?}");
    }
}

#[test]
fn many_persons_are_cut_into_blocks_unless_the_paper_is_asked_for() {
    let log = QueriesSynth::new(SynthParams { persons: 2_100, mean_lines: 3.0, seed: 8, ..SynthParams::default() })
        .unwrap()
        .block(0..2_100);
    let release = protect(&log, Params::default(), false, 1);
    check(&log, 5, &release);
    let grouped = release.grouped.unwrap();
    assert!(grouped.blocks > 30 && grouped.refined, "{grouped:?}");
    let exact = protect(&log, Params { exact: true, ..Params::default() }, false, 1).grouped.unwrap();
    assert_eq!((exact.blocks, exact.largest_block, exact.refined), (1, 2_100, false));
    for (params, problem) in [
        (Params { exact: true, block_size: 100, ..Params::default() }, "`--exact` means no blocks"),
        (Params { block_size: 9, ..Params::default() }, "at least 2 k = 10"),
        (Params { block_size: 5_001, ..Params::default() }, "at most 5000"),
    ] {
        let error = UserMicroaggregation::new(params).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
    }
}
