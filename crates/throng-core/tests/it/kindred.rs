//! What kindred promises, on made-up logs: groups of k, times to the hour, nobody exposed above 100 / k, the same for any number of
//! threads, in blocks or not, with words alone or with concepts.

use std::collections::BTreeMap;
use std::sync::Arc;

use throng_core::Rng;
use throng_core::accounts::LINES_ABOVE_CAP;
use throng_core::concepts::{Mapper, Meaning};
use throng_core::data::{QueryLog, QueryLogBuilder};
use throng_core::methods::Method as _;
use throng_core::methods::queries::kindred::{Kindred, Params, Representative};
use throng_core::models::content_threshold::Accounts;
use throng_core::progress::Silent;
use throng_core::release::Protected;
use throng_core::synth::queries::{Params as SynthParams, QueriesSynth};
use throng_core::taxonomy::Taxonomy;
use throng_core::taxonomy::fit::Unknown;

fn made_up(persons: usize, seed: u64) -> QueryLog {
    QueriesSynth::new(SynthParams { persons, mean_lines: 20.0, seed, ..SynthParams::default() })
        .unwrap()
        .block(0..persons)
}

fn protect(log: &QueryLog, params: Params, threads: usize) -> Protected<QueryLog> {
    let method = Kindred::new(params).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| method.protect(log, &mut Rng::seeded(1), &Silent)).unwrap()
}

/// Words alone, nothing cut.
fn words_alone(k: usize) -> Params {
    Params { k, weight_concepts: 0.0, min_persons: 1, ..Params::default() }
}

/// The exposure of a person by their record, as Navarro-Arribas et al. 2012 have it; `None` for one with a single string.
fn exposure(log: &QueryLog, person: usize, records: &QueryLog, record: usize) -> Option<f64> {
    let shares = |log: &QueryLog, person: usize| -> BTreeMap<String, f64> {
        let lines = log.range(person).len() as f64;
        let counts = log.query_counts(person).into_iter();
        counts.map(|(query, count)| (log.queries().get(query).to_owned(), count as f64 / lines)).collect()
    };
    let (own, released) = (shares(log, person), shares(records, record));
    let entropy: f64 = own.values().map(|share| -share * share.log2()).sum();
    let common =
        |(query, share): (&String, &f64)| share.min(released.get(query).copied().unwrap_or(0.0)) * -share.log2();
    (entropy > 0.0).then(|| own.iter().map(common).sum::<f64>() / entropy)
}

/// The release says nothing of days on which nobody searched: its times lie in the period of the original.
#[test]
fn times_lie_in_the_period_of_the_original() {
    const HOUR: i64 = 3_600_000;
    let hours = |log: &QueryLog| {
        let all = || (0..log.persons()).flat_map(|person| log.lines(person)).map(|line| line.time.div_euclid(HOUR));
        (all().min().unwrap(), all().max().unwrap())
    };
    // Less than a week, and two: the hours of the week of a group are seldom those of the day of a line.
    for days in [6, 14] {
        let mut builder = QueryLogBuilder::new();
        for at in 0..400_i64 {
            let time = 1_709_251_200_000 + (at * 7_919 * HOUR / 13) % (days * 24 * HOUR);
            builder.push(&format!("p{}", at % 20), &format!("query {}", at % 97), time, None, None);
        }
        let log = builder.finish();
        for k in [3, 5] {
            // They all ask for much the same: apart, or the twenty would be taken for one.
            let params = Params { accounts: Accounts::Apart, ..words_alone(k) };
            let (first, last) = hours(&protect(&log, params, 1).records);
            let (earliest, latest) = hours(&log);
            assert!(
                earliest <= first && last <= latest,
                "{days} days, k = {k}: {first} to {last}, {earliest} to {latest}"
            );
        }
    }
}

#[test]
fn groups_hours_and_the_cap() {
    let log = made_up(150, 3);
    for (k, block_size) in [(2, 0), (3, 0), (5, 0), (5, 30), (10, 40), (150, 0)] {
        let params = Params { block_size, ..words_alone(k) };
        let protected = protect(&log, params.clone(), 1);
        let again = protect(&log, params, 2);
        assert_eq!((&protected.records, &protected.record_of), (&again.records, &again.record_of), "k = {k}");
        let mut sizes = vec![0; protected.records.persons()];
        for record in &protected.record_of {
            sizes[record.unwrap() as usize] += 1;
        }
        assert!(sizes.iter().all(|size| (k..2 * k).contains(size)), "k = {k}: {sizes:?}");
        for record in 0..sizes.len() {
            assert!(protected.records.lines(record).all(|line| line.time % 3_600_000 == 0));
            let members = (0..log.persons()).filter(|&person| protected.record_of[person] == Some(record as u32));
            let lines: Vec<usize> = members.map(|member| log.range(member).len()).collect();
            let mean = (lines.iter().sum::<usize>() as f64 / lines.len() as f64 + 0.5).floor().max(1.0) as usize;
            // Longer only where a record of so many lines would expose somebody too much.
            assert!((mean..=3 * mean).contains(&protected.records.range(record).len()));
        }
        let exposed: Vec<f64> = (0..log.persons())
            .filter_map(|person| {
                exposure(&log, person, &protected.records, protected.record_of[person].unwrap() as usize)
            })
            .collect();
        let above = exposed.iter().filter(|&&exposed| exposed > 1.0 / k as f64 + 1e-9).count();
        // Records of a line or two expose whom they are taken from: that is counted, and rare.
        let most = if k < 10 { 0.05 } else { 0.08 };
        assert!(above as f64 <= most * exposed.len() as f64, "k = {k}: {above} of {}", exposed.len());
    }
}

#[test]
fn the_like_minded_come_together() {
    // Gardeners, drivers and sailors, as busy as each other, at all times.
    let themes = [
        ["red roses", "rose garden", "garden soil"],
        ["car parts", "used car", "car motor"],
        ["boat sail", "sail repair", "old boat"],
    ];
    let mut builder = QueryLogBuilder::new();
    for person in 0..12u32 {
        for (at, query) in themes[person as usize % 3].iter().enumerate() {
            builder.push(&person.to_string(), query, i64::from(person * 7 + at as u32) * 3_600_000, None, None);
        }
    }
    let log = builder.finish();
    for representative in [Representative::Chosen, Representative::Quota] {
        let protected = protect(&log, Params { representative, accounts: Accounts::Apart, ..words_alone(4) }, 1);
        for person in 3..12 {
            assert_eq!(protected.record_of[person], protected.record_of[person % 3]);
        }
    }
}

#[test]
fn concepts_bring_other_words_together() {
    let edges =
        [("flower", "plant"), ("rose", "flower"), ("tulip", "flower"), ("vehicle", "thing"), ("plant", "thing")];
    let more = [("car", "vehicle"), ("lorry", "vehicle")];
    let tree = Arc::new(Taxonomy::from_edges(edges.into_iter().chain(more)).unwrap());
    let mut builder = QueryLogBuilder::new();
    for (person, query) in ["rose", "car", "tulip", "lorry"].into_iter().enumerate() {
        builder.push(&person.to_string(), query, 0, None, None);
    }
    let log = builder.finish();
    let meaning = Meaning::of(&Mapper::new(tree), &[log.queries()], Unknown::Drop).unwrap().remove(0);
    let log = log.with_meaning(Arc::new(meaning));
    let protected = protect(&log, Params { k: 2, depth: 3, min_persons: 1, ..Params::default() }, 1);
    assert_eq!(protected.record_of[0], protected.record_of[2]);
    assert_eq!(protected.record_of[1], protected.record_of[3]);
    assert_ne!(protected.record_of[0], protected.record_of[1]);
}

#[test]
fn what_is_published_three_persons_said() {
    let log = made_up(200, 5);
    let protected = protect(&log, Params { weight_concepts: 0.0, ..Params::default() }, 2);
    assert_eq!(protected.claims.len(), 2);
    assert_eq!(protected.claims[1].model, "content-threshold");
    let words = |query: &str| {
        let lower = query.to_lowercase();
        let parts = lower.split(|letter: char| !letter.is_alphanumeric());
        parts.filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    for query in protected.records.queries().iter() {
        let own = words(query);
        let says = |person: &usize| {
            log.lines(*person).any(|line| {
                let others = words(log.queries().get(line.query));
                own.iter().all(|word| others.contains(word))
            })
        };
        assert!((0..log.persons()).filter(says).count() >= 3, "{query}");
    }
}

#[test]
fn what_exposes_too_much_is_counted() {
    // Two lines each, all different. Of k = 3 a record of two lines would expose somebody's half, where a third is allowed; with three
    // lines nobody is exposed too much. Of k = 10 even the longest, with six, would expose a sixth.
    let log_of = |persons: usize| {
        let mut builder = QueryLogBuilder::new();
        for person in 0..persons {
            for line in 0..2 {
                builder.push(&format!("p{person}"), &format!("word{person}{line}"), line * 1000, None, None);
            }
        }
        builder.finish()
    };
    let above_cap = |persons: usize, params: Params| {
        let protected = protect(&log_of(persons), params, 1);
        (protected.records.rows(), protected.accounts.get(LINES_ABOVE_CAP))
    };
    assert_eq!(above_cap(3, words_alone(3)), (3, Some(0)));
    assert_eq!(above_cap(10, words_alone(10)), (2, Some(1)));
    // With quotas there is no cap.
    let quota = Params { representative: Representative::Quota, ..words_alone(3) };
    assert_eq!(above_cap(3, quota), (2, None));
}

#[test]
fn refusals() {
    let refused = |params: Params| Kindred::new(params).unwrap_err().to_string();
    assert!(refused(Params { k: 1, ..Params::default() }).contains("`k` is 1"));
    assert!(refused(Params { depth: 0, ..Params::default() }).contains("`depth` is 0"));
    let none = Params { weight_words: 0.0, weight_concepts: 0.0, weight_activity: 0.0, ..Params::default() };
    assert!(refused(none).contains("all other weights"));
    let error = Kindred::new(words_alone(9)).unwrap().protect(&made_up(5, 1), &mut Rng::seeded(1), &Silent);
    assert_eq!(error.unwrap_err().to_string(), "there are 5 persons, fewer than k = 9");
}

#[test]
fn few_phrases_are_not_repeated_for_ever() {
    // Twelve lines each, of which three persons share one: of the others nothing may be published.
    let mut builder = QueryLogBuilder::new();
    for person in 0..3 {
        builder.push(&format!("p{person}"), "train to the coast", 0, None, None);
        for line in 1..12 {
            builder.push(&format!("p{person}"), &format!("own{person}x{line}"), line * 1000, None, None);
        }
    }
    let protected = protect(&builder.finish(), Params { k: 3, min_persons: 3, ..words_alone(3) }, 1);
    assert_eq!(protected.records.rows(), 2);
}
