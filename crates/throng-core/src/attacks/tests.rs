//! Attacks worked by hand, and against slow and obvious references; what must hold of all of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::absence::Absence;
use super::known_items::KnownItems;
use super::known_queries::KnownQueries;
use super::*;
use crate::data::baskets::tests::baskets;
use crate::data::{Baskets, QueryLog, QueryLogBuilder};
use crate::progress::Silent;
use crate::text::host::host_of;
use crate::text::lower_words;

/// Person, query, minutes since 1970, URL.
type Row = (u32, &'static str, i64, Option<&'static str>);

fn log(rows: &[Row]) -> QueryLog {
    let mut builder = QueryLogBuilder::new();
    for &(person, query, minute, url) in rows {
        builder.push(&person.to_string(), query, minute * 60_000, None, url);
    }
    builder.finish()
}

fn asked(settings: &[Setting], k: Option<u64>) -> Asked {
    let promise = |k: u64| Promise {
        model: "user-k-anonymity".to_owned(),
        parameters: [("k".to_owned(), json!(k))].into_iter().collect(),
    };
    Asked {
        settings: settings.to_vec(),
        targets: 1000,
        draws: 4,
        seed: 0,
        given: None,
        promises: k.map(promise).into_iter().collect(),
        ..super::testing::asked()
    }
}

/// Attacks a release whose persons are `link` of the original's.
fn run<D: crate::data::Dataset>(
    attack: &dyn Attack<D>,
    [original, release]: [&D; 2],
    link: &[Option<u32>],
    asked: &Asked,
) -> Vec<Outcome> {
    let multiplicity = vec![1; release.persons()];
    let scene = Scene::new(original, release, &multiplicity, Some(link), &Silent);
    attack.attack(&scene, asked).unwrap()
}

fn itself(persons: usize) -> Vec<Option<u32>> {
    (0..persons as u32).map(Some).collect()
}

/// Six persons. "red car" is covered by lines of 0 (red car), 1 (red car, car), 3 (red); "car" by one of 1; "milk" by those of 0 and 4;
/// "blue car" by those of 2 (blue car) and 1 (car).
fn six() -> QueryLog {
    log(&[
        (0, "red car", 600, Some("http://www.cars.example/red")),
        (0, "Milk!", 605, None),
        (1, "car red", 660, Some("cars.example")),
        (1, "car", 661, None),
        (2, "blue car", 720, None),
        (3, "red", 780, None),
        (4, "milk", 840, None),
        (5, "dog", 900, None),
        (5, "--", 900, None),
    ])
}

#[test]
fn six_persons_by_hand() {
    let six = six();
    // One search, without the line that has no word, which leads nowhere: hits are
    // 0: (1/3 + 1/2)/2, 1: (1/3 + 1)/2, 2: 1/2, 3: 1, 4: 1/2, 5: (1 + 1/6)/2.
    let found = &run(&KnownQueries, [&six, &six], &itself(6), &asked(&[Setting::plain(1)], Some(2)))[0];
    let hits = 5.0 / 12.0 + 2.0 / 3.0 + 0.5 + 1.0 + 0.5 + 7.0 / 12.0;
    assert!((found.hits - hits).abs() < 1e-12, "{}", found.hits);
    assert_eq!((found.attempts, found.baseline, found.bound), (6, Some(1.0 / 6.0), Some(0.5)));
    assert!((found.found.unwrap() - 5.5 / 6.0).abs() < 1e-12);
    // To the letter everybody is alone with each string.
    assert_eq!(found.parts["exact"], json!({"rate": 1.0, "found": 1.0}));
    assert_eq!(found.knowledge, json!({"p": 1, "with": []}));
    // 3.67 of 6: the interval begins below 1/2.
    assert_eq!(found.verdict, "below");
}

#[test]
fn parts_by_hand() {
    let six = six();
    let given = |with: With, facts: &[(&str, Option<i64>, Option<&str>)]| {
        let fact = |&(text, minute, url): &(&str, Option<i64>, Option<&str>)| GivenFact {
            text: text.to_owned(),
            time: minute.map(|minute: i64| minute * 60_000 + 59_000),
            url: url.map(str::to_owned),
            browser: None,
        };
        let mut asked = asked(&[], None);
        // The same of everybody: the hits say who the candidates are.
        let draw = |person| (person, facts.iter().map(fact).collect());
        asked.given = Some(Given { with, draws: (0..6).map(draw).collect() });
        run(&KnownQueries, [&six, &six], &itself(6), &asked).remove(0)
    };
    let nothing = With::default();
    // "red car" leads to 0, 1 and 3, ln(7/3); with "milk", ln(7/2) for 0 and 4, to 0 alone.
    let (one, two) =
        (given(nothing, &[("red car", None, None)]), given(nothing, &[("red car", None, None), ("milk", None, None)]));
    assert_eq!((one.found, two.found), (Some(3.0 / 6.0), Some(1.0 / 6.0)));
    assert!((one.hits - 1.0).abs() < 1e-12 && (two.hits - 1.0).abs() < 1e-12);
    assert_eq!((one.knowledge, one.bound, one.verdict), (json!({"given": true, "with": []}), None, "none"));
    // ln(7/3) + ln(7/1) of a minute in which 4 alone searched is more for 4 than ln(7/3) for the others: the words miss, the time hits.
    let timed = given(With { times: true, ..With::default() }, &[("red car", Some(840), None)]);
    assert_eq!(timed.found, Some(1.0 / 6.0));
    // What is known of the site: www.cars.example is 0's host, cars.example a part of it, and 1's. 3 has the words only.
    let clicked =
        given(With { clicks: true, ..With::default() }, &[("red car", None, Some("https://www.cars.example/blue"))]);
    assert_eq!(clicked.found, Some(2.0 / 6.0));
    // A known page without a host is no part; what is not asked for is none either.
    for (with, facts) in [
        (With { clicks: true, ..With::default() }, ("red car", None, Some("http://"))),
        (nothing, ("red car", Some(840), Some("https://www.cars.example"))),
    ] {
        assert_eq!(given(with, &[facts]).found, Some(3.0 / 6.0));
    }
    // Nothing matches: everybody is a candidate, and nobody is found.
    let blind = given(nothing, &[("xyz", None, None)]);
    let is_a_sixth = |rate: Option<f64>| rate.is_some_and(|rate| (rate - 1.0 / 6.0).abs() < 1e-12);
    assert!(is_a_sixth(blind.rate) && blind.found == Some(0.0) && is_a_sixth(blind.parts["exact"]["rate"].as_f64()));
}

#[test]
fn the_window_is_the_coarsest_that_all_times_are_multiples_of() {
    // Both searched at other minutes of the hour, or hours of the day, than is known.
    for (step, known, found) in [(60, 61, 1.0), (60, 125, 0.0), (1440, 1501, 1.0), (1, 2, 0.0)] {
        let release = log(&[(0, "a", step, None), (1, "a", 5 * step, None), (2, "b", 7 * step, None)]);
        let mut asked = asked(&[], None);
        let fact = GivenFact { text: "zzz".to_owned(), time: Some(known * 60_000), ..GivenFact::default() };
        asked.given = Some(Given { with: With { times: true, ..With::default() }, draws: vec![(0, vec![fact])] });
        let outcome = &run(&KnownQueries, [&release, &release], &itself(3), &asked)[0];
        assert_eq!(outcome.found, Some(found), "{step} {known}");
    }
}

#[test]
fn who_was_left_out_is_an_attempt_without_a_hit_and_records_stand_for_several() {
    let six = six();
    // Persons 0 to 2 share the record of 0, 3 and 4 are left out, 5 has the record of 5.
    let release = log(&[(0, "red car", 600, None), (1, "dog", 900, None)]);
    let link = [Some(0), Some(0), Some(0), None, None, Some(1)];
    let scene = Scene::new(&six, &release, &[3, 1], Some(&link), &Silent);
    let found = &KnownQueries.attack(&scene, &asked(&[Setting::plain(1)], None)).unwrap()[0];
    // 0: red car 1/3, milk 1/4 blind; 1: "car red" 1/3, "car" 1/4; 2: "blue car" 1/4; 5: dog 1, "--" 1/4.
    let hits = (1.0 / 3.0 + 0.25) + 0.25 + (1.0 + 0.25) / 2.0;
    assert!((found.hits - hits).abs() < 1e-12, "{}", found.hits);
    assert_eq!((found.attempts, found.baseline), (6, Some(0.25)));
}

#[test]
fn draws_repeat_themselves_whatever_else_is_asked() {
    let log = log(&[(0, "a", 1, None), (0, "b", 2, None), (0, "c", 3, None), (1, "a", 1, None), (1, "d", 9, None)]);
    let of = |settings: &[Setting]| run(&KnownQueries, [&log, &log], &itself(2), &asked(settings, None));
    let all = of(&[Setting::plain(1), Setting::plain(2), Setting::timed(2)]);
    assert_eq!([&of(&[Setting::plain(2)])[0], &of(&[Setting::timed(2)])[0]], [&all[1], &all[2]]);
    assert_eq!(all[2].knowledge, json!({"p": 2, "with": ["times"]}));
    let fewer = Asked { targets: 1, ..asked(&[Setting::plain(1)], None) };
    assert_eq!(run(&KnownQueries, [&log, &log], &itself(2), &fewer)[0].attempts, 1);
}

// A slow and obvious reference.

/// For each person whether they match, part by part.
fn parts_of(release: &QueryLog, fact: &GivenFact, with: With) -> Vec<Vec<bool>> {
    let words = |text: &str| lower_words(text).collect::<BTreeSet<String>>();
    let known = words(&fact.text);
    let times: Vec<i64> = (0..release.rows()).map(|row| release.line(row).time).collect();
    let is_multiple = |of: i64| times.iter().all(|time| time % of == 0);
    let window = if is_multiple(86_400_000) {
        86_400_000
    } else if is_multiple(3_600_000) {
        3_600_000
    } else {
        60_000
    };
    let host = fact.url.as_deref().filter(|_| with.clicks).map(host_of).filter(|host| !host.is_empty());
    let by_words = |line: &crate::data::Line| {
        let own = words(release.queries().get(line.query));
        !own.is_empty() && own.is_subset(&known)
    };
    let by_time =
        |line: &crate::data::Line| line.time.div_euclid(window) == fact.time.unwrap_or_default().div_euclid(window);
    let by_site = |line: &crate::data::Line| {
        let own = line.url.map(|url| host_of(release.urls().get(url))).unwrap_or_default();
        let known = host.as_deref().unwrap_or_default();
        !own.is_empty() && (own == known || known.ends_with(&format!(".{own}")))
    };
    let mut tests: Vec<&dyn Fn(&crate::data::Line) -> bool> = vec![&by_words];
    if with.times {
        tests.push(&by_time);
    }
    if host.is_some() {
        tests.push(&by_site);
    }
    let any = |test: &dyn Fn(&crate::data::Line) -> bool| -> Vec<bool> {
        (0..release.persons()).map(|person| release.lines(person).any(|line| test(&line))).collect()
    };
    let mut parts: Vec<Vec<bool>> = tests.iter().map(|test| any(test)).collect();
    if tests.len() > 1 {
        parts.push(any(&|line| tests.iter().all(|test| test(line))));
    }
    parts
}

/// Whom parts lead to, and whether they lead to anybody.
fn best(parts: &[Vec<bool>], persons: usize) -> (Vec<usize>, bool) {
    let mut sums = vec![0.0; persons];
    for part in parts {
        let count = part.iter().filter(|matches| **matches).count();
        for person in (0..persons).filter(|&person| part[person]) {
            sums[person] += ((persons + 1) as f64 / count as f64).ln();
        }
    }
    let greatest = sums.iter().copied().fold(0.0, f64::max);
    ((0..persons).filter(|&person| sums[person] >= greatest - 1e-9).collect(), greatest > 0.0)
}

/// Hits and found of draws, averaged by person.
fn reference(draws: &[(u32, (Vec<usize>, bool))], link: &[Option<u32>]) -> [f64; 2] {
    let persons: BTreeSet<u32> = draws.iter().map(|draw| draw.0).collect();
    let mut sums = [0.0; 2];
    for person in persons {
        let own: Vec<_> = draws.iter().filter(|draw| draw.0 == person).collect();
        for (_, (candidates, is_found)) in &own {
            if link[person as usize].is_some_and(|record| candidates.contains(&(record as usize))) {
                sums[0] += 1.0 / candidates.len() as f64 / own.len() as f64;
                sums[1] += if *is_found { 1.0 } else { 0.0 } / own.len() as f64;
            }
        }
    }
    sums
}

fn everybody_if_nobody(candidates: Vec<usize>, persons: usize) -> (Vec<usize>, bool) {
    if candidates.is_empty() { ((0..persons).collect(), false) } else { (candidates, true) }
}

const QUERIES: [&str; 9] = ["a", "b", "a b", "B a", "c", "a c d", "d d", "--", "e\u{301} a"];
const URLS: [Option<&str>; 6] =
    [None, Some("http://www.x.org/1"), Some("x.org"), Some("org"), Some("y.net:80"), Some("http://")];

/// A log: of each person some lines.
fn logs(persons: usize) -> impl Strategy<Value = QueryLog> {
    let unit = prop_oneof![Just(1i64), Just(60), Just(1440)];
    let line = (0..QUERIES.len(), 0..4i64, 0..URLS.len());
    (unit, prop::collection::vec(prop::collection::vec(line, 1..5), 1..=persons)).prop_map(|(unit, persons)| {
        let rows = persons.into_iter().enumerate().flat_map(|(person, lines)| {
            lines.into_iter().map(move |(query, time, url)| (person as u32, QUERIES[query], time * unit, URLS[url]))
        });
        log(&rows.collect::<Vec<Row>>())
    })
}

fn draws_of(persons: usize) -> impl Strategy<Value = Vec<(u32, Vec<GivenFact>)>> {
    let fact = (0..QUERIES.len(), 0..3000i64, 0..URLS.len()).prop_map(|(query, minute, url)| GivenFact {
        text: QUERIES[query].to_owned(),
        time: Some(minute * 60_000),
        url: URLS[url].map(str::to_owned),
        browser: None,
    });
    prop::collection::vec((0..persons as u32, prop::collection::vec(fact, 1..4)), 1..8)
}

proptest! {
    #[test]
    fn known_queries_are_those_of_the_reference(
        release in logs(6), draws in draws_of(6), times: bool, clicks: bool, links in prop::collection::vec(0..8u32, 6),
    ) {
        let original = log(&(0..6).map(|person| (person, "a", 0, None)).collect::<Vec<Row>>());
        let persons = release.persons();
        let link: Vec<Option<u32>> = links.iter().map(|&at| Some(at).filter(|&at| (at as usize) < persons)).collect();
        let with = With { times, clicks, ..With::default() };
        let mut asked = asked(&[], None);
        asked.given = Some(Given { with, draws: draws.clone() });
        let found = run(&KnownQueries, [&original, &release], &link, &asked).remove(0);
        let by_sum = |(person, facts): &(u32, Vec<GivenFact>)| {
            let parts: Vec<Vec<bool>> = facts.iter().flat_map(|fact| parts_of(&release, fact, with)).collect();
            (*person, best(&parts, persons))
        };
        let [hits, share] = reference(&draws.iter().map(by_sum).collect::<Vec<_>>(), &link);
        prop_assert!((found.hits - hits).abs() < 1e-9, "{} {hits}", found.hits);
        prop_assert!((found.found.unwrap() * found.attempts as f64 - share).abs() < 1e-9);
        let has = |person: usize, text: &str| release.lines(person).any(|line| release.queries().get(line.query) == text);
        let exactly = |(person, facts): &(u32, Vec<GivenFact>)| {
            let all = (0..persons).filter(|&one| facts.iter().all(|fact| has(one, &fact.text))).collect();
            (*person, everybody_if_nobody(all, persons))
        };
        let [hits, _] = reference(&draws.iter().map(exactly).collect::<Vec<_>>(), &link);
        let rate = found.parts["exact"]["rate"].as_f64().unwrap();
        prop_assert!((rate * found.attempts as f64 - hits).abs() < 1e-9);
    }

    #[test]
    fn nobody_is_picked_out_of_k_equal_records(
        records in logs(5), k in 1..5u32, p in 1..4usize, times: bool, seed: u64,
    ) {
        // Everybody has one of the records, k times; the original is anything.
        let copies: Vec<u32> = (0..records.persons() as u32).flat_map(|record| (0..k).map(move |_| record)).collect();
        let release = crate::data::Dataset::of_persons(&records, &copies);
        let rows: Vec<Row> = (0..release.persons() as u32)
            .flat_map(|person| (0..3).map(move |line| (person, QUERIES[(seed as usize + person as usize * 5 + line) % 9], line as i64, None)))
            .collect();
        let original = log(&rows);
        let setting = Setting { p, with: With { times, ..With::default() } };
        let outcome = &run(&KnownQueries, [&original, &release], &itself(release.persons()), &asked(&[setting], Some(k.into())))[0];
        prop_assert!(outcome.rate.unwrap() <= 1.0 / f64::from(k) + 1e-12);
        prop_assert!(!outcome.is_above());
    }

    #[test]
    fn more_knowledge_never_lowers_the_chance_on_the_original(log in logs(6), p in 2..5usize) {
        let exact = |facts: usize| {
            let mut asked = asked(&[], None);
            let known = |person: u32| {
                let mut queries: Vec<u32> = log.query_ids(log.range(person as usize)).to_vec();
                queries.sort_unstable();
                queries.dedup();
                queries.truncate(facts);
                let fact = |query: &u32| GivenFact { text: log.queries().get(*query).to_owned(), ..GivenFact::default() };
                (person, queries.iter().map(fact).collect())
            };
            asked.given = Some(Given { with: With::default(), draws: (0..log.persons() as u32).map(known).collect() });
            let found = run(&KnownQueries, [&log, &log], &itself(log.persons()), &asked).remove(0);
            found.parts["exact"]["rate"].as_f64().unwrap()
        };
        prop_assert!(exact(p) >= exact(p - 1) - 1e-12);
    }
}

// Baskets.

const FOODS: [&str; 7] = ["Apple", "Orange", "Milk", "Cheese", "Fruit", "Dairy", "Food"];

fn food() -> Arc<crate::taxonomy::Taxonomy> {
    Arc::new(crate::taxonomy::tests::food())
}

#[test]
fn items_and_what_is_above_them_by_hand() {
    let food = food();
    let original = baskets(&food, &["Apple Milk", "Apple", "Milk"]);
    let release = baskets(&food, &["Fruit Milk", "Fruit", "Milk"]);
    let found =
        &run(&KnownItems, [&original, &release], &itself(3), &asked(&[Setting::plain(1), Setting::plain(2)], None));
    // One item: 0: 1/2 and 1/2; 1: 1/2; 2: 1/2. Two: 0 is alone with both.
    assert!((found[0].hits - 1.5).abs() < 1e-12 && (found[1].hits - 2.0).abs() < 1e-12);
    // To the letter Apple is nowhere: 0: (1/3 + 1/2)/2, 1: 1/3, 2: 1/2.
    let exact = (5.0 / 12.0 + 1.0 / 3.0 + 0.5) / 3.0;
    assert!((found[0].parts["exact"]["rate"].as_f64().unwrap() - exact).abs() < 1e-12);
    assert_eq!(run(&KnownItems, [&original, &release], &itself(3), &asked(&[Setting::timed(2)], None)), []);
}

#[test]
fn what_is_promised_for_items_depends_on_how_many_are_known() {
    let food = food();
    let data = baskets(&food, &["Apple Milk", "Apple Milk"]);
    let promise = |model: &str| Promise {
        model: model.to_owned(),
        parameters: [("k".to_owned(), json!(2)), ("m".to_owned(), json!(2))].into_iter().collect(),
    };
    for (model, attack, expected) in [
        ("transaction-k-anonymity", &KnownItems as &dyn Attack<Baskets>, [Some(0.5), Some(0.5)]),
        ("km-anonymity", &KnownItems, [Some(0.5), None]),
        ("transaction-k-anonymity", &Absence, [Some(0.5), Some(0.5)]),
        ("km-anonymity", &Absence, [None, None]),
        ("coherence", &Absence, [None, None]),
    ] {
        let asked = Asked { promises: vec![promise(model)], ..asked(&[Setting::plain(2), Setting::plain(3)], None) };
        let bounds: Vec<_> = run(attack, [&data, &data], &itself(2), &asked).iter().map(|one| one.bound).collect();
        assert_eq!(bounds, expected, "{model}");
    }
}

#[test]
fn what_is_absent_rules_out_by_hand() {
    let food = food();
    // Of person 1 it is known that they have an Apple and no Milk: 0 shows it and is out. Fruit of 2 may be an apple.
    let original = baskets(&food, &["Apple Milk", "Apple", "Apple"]);
    let release = baskets(&food, &["Apple Milk", "Apple", "Fruit"]);
    let found = &run(&Absence, [&original, &release], &itself(3), &asked(&[Setting::plain(1)], None))[0];
    // 0 lacks nothing that one in twenty has: 1/3 with Apple, 1 with Milk, as often as either is drawn. 1 and 2: 1/2.
    assert!(found.hits > 1.0 + 1.0 / 3.0 - 1e-12 && found.hits < 2.0 + 1e-12, "{}", found.hits);
    assert_eq!((found.found, found.knowledge.clone()), (Some(1.0), json!({"q": 1, "p": 1, "with": []})));
    // A record that shows Milk above a leaf rules nobody out.
    let general = baskets(&food, &["Food", "Food", "Food"]);
    let found = &run(&Absence, [&original, &general], &itself(3), &asked(&[Setting::plain(1)], None))[0];
    assert!((found.hits - 1.0).abs() < 1e-12);
}

proptest! {
    #[test]
    fn known_items_are_those_of_the_reference(
        rows in prop::collection::vec(prop::collection::vec(0..FOODS.len(), 0..4), 1..6),
        draws in prop::collection::vec((0..5u32, prop::collection::vec(0..FOODS.len(), 1..4)), 1..6),
    ) {
        let food = food();
        let text: Vec<String> = rows.iter().map(|row| row.iter().map(|&at| FOODS[at]).collect::<Vec<_>>().join(" ")).collect();
        let release = baskets(&food, &text.iter().map(String::as_str).collect::<Vec<_>>());
        let original = baskets(&food, &["Apple"; 5]);
        let persons = release.persons();
        let link: Vec<Option<u32>> = (0..5).map(|person| (person < persons as u32).then_some(person)).collect();
        let facts = |items: &Vec<usize>| -> Vec<GivenFact> {
            items.iter().map(|&at| GivenFact { text: FOODS[at].to_owned(), ..GivenFact::default() }).collect()
        };
        let mut asked = asked(&[], None);
        asked.given = Some(Given { with: With::default(), draws: draws.iter().map(|(one, items)| (*one, facts(items))).collect() });
        let found = run(&KnownItems, [&original, &release], &link, &asked).remove(0);
        let holds = |person: usize, item: u32| release.basket(person).iter().any(|&held| food.is_under(item, held));
        let by_sum = |(person, items): &(u32, Vec<usize>)| {
            let part = |&at: &usize| {
                let item = food.find(FOODS[at]).unwrap();
                (0..persons).map(|person| holds(person, item)).collect::<Vec<bool>>()
            };
            (*person, best(&items.iter().map(part).collect::<Vec<_>>(), persons))
        };
        let [hits, share] = reference(&draws.iter().map(by_sum).collect::<Vec<_>>(), &link);
        prop_assert!((found.hits - hits).abs() < 1e-9);
        prop_assert!((found.found.unwrap() * found.attempts as f64 - share).abs() < 1e-9);
    }

    #[test]
    fn nobody_is_picked_out_of_k_equal_baskets(
        rows in prop::collection::vec(prop::collection::vec(0..FOODS.len(), 0..4), 1..5), k in 1..4usize, p in 1..4usize,
    ) {
        let food = food();
        let text: Vec<String> = rows.iter().map(|row| row.iter().map(|&at| FOODS[at]).collect::<Vec<_>>().join(" ")).collect();
        let copies: Vec<&str> = text.iter().flat_map(|row| (0..k).map(move |_| row.as_str())).collect();
        let release = baskets(&food, &copies);
        let own: Vec<&str> = (0..copies.len()).map(|at| FOODS[at % FOODS.len()]).collect();
        let original = baskets(&food, &own);
        for attack in [&KnownItems as &dyn Attack<Baskets>, &Absence] {
            let outcome = &run(attack, [&original, &release], &itself(release.persons()), &asked(&[Setting::plain(p)], None))[0];
            prop_assert!(outcome.rate.unwrap() <= 1.0 / k as f64 + 1e-12, "{}", outcome.name);
        }
    }
}
