//! Semantic microaggregation against paper 004 word for word, and what it promises on any log and any baskets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use throng_core::Rng;
use throng_core::concepts::{Mapper, Meaning, Texts as _};
use throng_core::data::{Baskets, BasketsBuilder, QueryLog};
use throng_core::distance::semantic_distance::SetDistance;
use throng_core::methods::Method;
use throng_core::methods::semantic_microaggregation::{Params, SemanticMicroaggregation};
use throng_core::progress::Silent;
use throng_core::release::Protected;
use throng_core::taxonomy::Taxonomy;
use throng_core::taxonomy::fit::Unknown;
use throng_core::text::site::is_site;

use crate::support::literal;
use crate::support::logs::{self, Line};

/// Sports and regions as in the paper, some with two names, under a root that says nothing.
fn mapper() -> Mapper {
    let mut tree = Taxonomy::from_edges([
        ("sports", "Top"),
        ("water sports", "sports"),
        ("swimming", "water sports"),
        ("windsurfing", "water sports"),
        ("football", "sports"),
        ("regional", "Top"),
        ("europe", "regional"),
        ("mediterranean", "europe"),
        ("alps", "europe"),
        ("africa", "regional"),
    ])
    .unwrap();
    for (name, label) in [("soccer", "football"), ("surfing", "windsurfing"), ("crawl", "swimming")] {
        tree.add_alias(name, tree.find(label).unwrap());
    }
    Mapper::new(Arc::new(tree))
}

const WORDS: [&str; 15] = [
    "swimming",
    "crawl",
    "windsurfing",
    "surfing",
    "football",
    "soccer",
    "mediterranean",
    "alps",
    "africa",
    "europe",
    "sports",
    "top",
    "xyzzy",
    "best swimming",
    "new football",
];

/// One or two words, so that some texts have two concepts, some none.
fn text() -> impl Strategy<Value = String> {
    let word = || prop::sample::select(&WORDS[..]);
    prop_oneof![
        6 => word().prop_map(str::to_owned),
        2 => (word(), word()).prop_map(|(left, right)| format!("{left} for {right}")),
        1 => Just(String::new()),
    ]
}

fn line() -> impl Strategy<Value = Line> {
    let url = prop_oneof![
        Just(None),
        prop::sample::select(&["http://www.sea.com", "http://m.sea.com/x", "http://sea.org"][..]).prop_map(Some)
    ];
    (text(), 0i64..5000, prop::option::of(1u32..9), url).prop_map(|(query, minute, rank, url)| Line {
        query,
        time: 1_140_000_000_000 + minute * 1_001,
        rank,
        url: url.map(str::to_owned),
    })
}

fn params() -> impl Strategy<Value = Params> {
    let distance = prop::sample::select(&SetDistance::ALL[..]);
    let plain = prop_oneof![3 => Just(false), 1 => Just(true)];
    let resolution = prop::sample::select(&[1u64, 3600][..]);
    (2..6usize, distance, plain, resolution).prop_map(|(k, distance, plain, time_resolution)| Params {
        k,
        distance,
        plain,
        time_resolution,
        // The reference is the paper's method.
        exact: true,
        ..Params::default()
    })
}

fn log_of(persons: &[Vec<Line>]) -> QueryLog {
    let log = logs::build(persons);
    let meaning = Meaning::of(&mapper(), &[log.queries()], Unknown::Drop).unwrap().remove(0);
    log.with_meaning(Arc::new(meaning))
}

fn baskets_of(persons: &[Vec<String>]) -> Baskets {
    let mut builder = BasketsBuilder::new(None, true);
    for (person, items) in persons.iter().enumerate() {
        let person = builder.person(&logs::name(person));
        for item in items {
            let item = builder.label(item);
            builder.push(person, item);
        }
    }
    let baskets = builder.finish();
    let meaning = Meaning::of(&mapper(), &[baskets.labels()], Unknown::Drop).unwrap().remove(0);
    baskets.with_meaning(Arc::new(meaning))
}

/// The phrases of a text with their concepts, as text and node.
fn phrases(mapper: &Mapper, text: &str) -> Vec<(String, u32)> {
    let known = |phrase: throng_core::concepts::Phrase<'_>| Some((phrase.term.into_owned(), phrase.concept?));
    mapper.phrases(text).into_iter().filter_map(known).collect()
}

/// Equations 1 to 6 and 9 in whole numbers of 2^-42, so that equal sums are equal. With `plain`, T of a string is itself.
fn distance(kind: SetDistance, tree: Option<&Taxonomy>, left: &[u32], right: &[u32]) -> f64 {
    let above = |concept: u32| -> BTreeSet<u32> {
        tree.map_or_else(|| BTreeSet::from([concept]), |tree| tree.generalisations(concept).into_iter().collect())
    };
    let delta = |left: u32, right: u32| -> u128 {
        let (left, right) = (above(left), above(right));
        let (common, all) = (left.intersection(&right).count() as u128, left.union(&right).count() as u128);
        (((all - common) << 43) + all) / (2 * all)
    };
    let all = |left: &[u32], right: &[u32]| -> Vec<Vec<u128>> {
        left.iter().map(|&left| right.iter().map(|&right| delta(left, right)).collect()).collect()
    };
    let (there, back) = (all(left, right), all(right, left));
    let least = |rows: &[Vec<u128>]| rows.iter().map(|row| *row.iter().min().unwrap()).collect::<Vec<u128>>();
    let greatest = |rows: &[Vec<u128>]| rows.iter().map(|row| *row.iter().max().unwrap()).collect::<Vec<u128>>();
    let sum = |both: [Vec<u128>; 2]| both.iter().flatten().sum::<u128>();
    let (units, count) = match kind {
        SetDistance::Average => (there.iter().flatten().sum(), left.len() * right.len()),
        SetDistance::Minimum => (*least(&there).iter().min().unwrap(), 1),
        SetDistance::Maximum => (*greatest(&there).iter().max().unwrap(), 1),
        SetDistance::MinimumSum => (sum([least(&there), least(&back)]), left.len() + right.len()),
        SetDistance::MaximumSum => (sum([greatest(&there), greatest(&back)]), left.len() + right.len()),
    };
    units as f64 / 2f64.powi(42) / count as f64
}

/// The groups by their members, and the medoid's concepts or strings; `None` if there are fewer than k persons to group.
fn groups(sets: &[BTreeSet<u32>], params: Params, tree: &Taxonomy) -> Option<Vec<(Vec<usize>, Vec<u32>)>> {
    let persons: Vec<usize> = (0..sets.len()).filter(|&person| !sets[person].is_empty()).collect();
    if persons.len() < params.k {
        return None;
    }
    let set = |at: usize| sets[persons[at]].iter().copied().collect::<Vec<u32>>();
    let tree = (!params.plain).then_some(tree);
    let distances: Vec<Vec<f64>> = (0..persons.len())
        .map(|left| (0..persons.len()).map(|right| distance(params.distance, tree, &set(left), &set(right))).collect())
        .collect();
    let group = |members: Vec<u32>| {
        // Equation 7, the candidate included (S4).
        let sum = |&candidate: &u32| {
            let exact = |member: &u32| (distances[candidate as usize][*member as usize] * 2f64.powi(100)) as u128;
            members.iter().map(exact).sum::<u128>()
        };
        let medoid = *members.iter().min_by_key(|&member| (sum(member), *member)).unwrap();
        (members.iter().map(|&member| persons[member as usize]).collect(), set(medoid as usize))
    };
    Some(literal::mdav(&distances, params.k).into_iter().map(group).collect())
}

fn mean(values: &[i128], step: i128) -> i128 {
    let (sum, count) = (values.iter().sum::<i128>(), values.len() as i128 * step);
    (2 * sum + count).div_euclid(2 * count) * step
}

/// What of some hosts is common from the right.
fn common_host(urls: &[&str]) -> Option<String> {
    let labels = |url: &&str| {
        let host = url.trim_start_matches("http://").split('/').next().unwrap();
        host.rsplit('.').map(str::to_owned).collect::<Vec<String>>()
    };
    let all: Vec<Vec<String>> = urls.iter().map(labels).collect();
    let first = all.first()?;
    let mut common: Vec<&str> = (0..first.len())
        .take_while(|&at| all.iter().all(|labels| labels.get(at) == first.get(at)))
        .map(|at| first[at].as_str())
        .collect();
    common.reverse();
    (!common.is_empty()).then(|| common.join("."))
}

/// Records, and for each person the number of theirs.
type Records = (Vec<Vec<Line>>, Vec<Option<u32>>);

/// Section 3 word for word; `None` if there are fewer than k persons to group.
fn literal_records(persons: &[Vec<Line>], params: Params, rng: &mut Rng) -> Option<Records> {
    let mapper = mapper();
    // Strings and terms in the order of first appearance.
    let (mut strings, mut terms): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for line in persons.iter().flatten() {
        if !strings.contains(&line.query) {
            strings.push(line.query.clone());
        }
    }
    for string in &strings {
        for (term, _) in phrases(&mapper, string) {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
    }
    let keys = |query: &str| -> BTreeSet<u32> {
        if params.plain {
            return BTreeSet::from([strings.iter().position(|string| string == query).unwrap() as u32]);
        }
        phrases(&mapper, query).into_iter().map(|(_, concept)| concept).collect()
    };
    let sets: Vec<BTreeSet<u32>> =
        persons.iter().map(|lines| lines.iter().flat_map(|line| keys(&line.query)).collect()).collect();
    let groups = groups(&sets, params.clone(), mapper.taxonomy())?;
    let mut record_of = vec![None; persons.len()];
    let mut records = Vec::new();
    for (number, (members, concepts)) in groups.into_iter().enumerate() {
        members.iter().for_each(|&member| record_of[member] = Some(number as u32));
        let record = concepts.into_iter().map(|concept| {
            let own: Vec<&Line> = members
                .iter()
                .flat_map(|&member| &persons[member])
                .filter(|line| keys(&line.query).contains(&concept))
                .collect();
            let query = if params.plain {
                strings[concept as usize].clone()
            } else {
                let all = persons.iter().flatten().flat_map(|line| phrases(&mapper, &line.query));
                let mut pool: Vec<usize> = all
                    .filter(|(_, other)| *other == concept)
                    .map(|(term, _)| terms.iter().position(|other| *other == term).unwrap())
                    .collect();
                pool.sort_unstable();
                terms[pool[rng.index(pool.len())]].clone()
            };
            // A click if at least half have one, and their pages, where they have some, have a site in common.
            let clicked: Vec<&&Line> = own.iter().filter(|line| line.rank.is_some() || line.url.is_some()).collect();
            let urls: Vec<&str> = clicked.iter().filter_map(|line| line.url.as_deref()).collect();
            let site = common_host(&urls).filter(|host| is_site(host));
            let has_click = 2 * clicked.len() >= own.len() && (urls.is_empty() || site.is_some());
            let ranks: Vec<i128> = clicked.iter().filter_map(|line| line.rank).map(i128::from).collect();
            let times: Vec<i128> = own.iter().map(|line| i128::from(line.time)).collect();
            Line {
                query,
                time: mean(&times, i128::from(params.time_resolution) * 1000) as i64,
                rank: (has_click && !ranks.is_empty()).then(|| mean(&ranks, 1) as u32),
                url: site.filter(|_| has_click),
            }
        });
        records.push(record.collect());
    }
    Some((records, record_of))
}

fn for_queries(params: Params) -> SemanticMicroaggregation {
    SemanticMicroaggregation::for_queries(params).unwrap()
}

fn for_baskets(params: Params) -> SemanticMicroaggregation {
    SemanticMicroaggregation::for_baskets(params).unwrap()
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// At least k persons share every record that somebody has, and records are not empty.
fn assert_shared<R: Ord>(record_of: &[Option<u32>], record: impl Fn(usize) -> Vec<R>, k: usize) {
    let mut shared = BTreeMap::new();
    for &number in record_of.iter().flatten() {
        *shared.entry(record(number as usize)).or_insert(0) += 1;
    }
    assert!(shared.iter().all(|(record, &persons)| !record.is_empty() && persons >= k));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn logs_as_in_the_paper(
        persons in prop::collection::vec(prop::collection::vec(line(), 1..6), 1..24),
        params in params(),
        seed in 0..3u64,
    ) {
        let log = log_of(&persons);
        let protect = || Method::<QueryLog>::protect(&for_queries(params.clone()), &log, &mut Rng::seeded(seed), &Silent);
        let Some((records, record_of)) = literal_records(&persons, params.clone(), &mut Rng::seeded(seed)) else {
            prop_assert!(protect().unwrap_err().is_data());
            return Ok(());
        };
        let protected: Protected<QueryLog> = on_threads(2, protect).unwrap();
        prop_assert_eq!(&protected.record_of, &record_of);
        prop_assert_eq!(logs::plain(&protected.records), records);
        prop_assert_eq!(&protected.claims[0].parameters["k"], params.k);
        assert_shared(&record_of, |record| logs::plain(&protected.records)[record].clone(), params.k);
        let again = on_threads(1, protect).unwrap();
        prop_assert_eq!(logs::plain(&again.records), logs::plain(&protected.records));
        // Only those without a concept are left out, with `plain` nobody.
        for person in 0..persons.len() {
            let has_something = params.plain || !log.concepts_of(person).is_empty();
            prop_assert_eq!(protected.record_of[person].is_some(), has_something);
        }
    }

    #[test]
    fn terms_come_from_the_data_and_mean_what_the_medoid_means(
        persons in prop::collection::vec(prop::collection::vec(line(), 1..6), 6..24),
        params in params(),
    ) {
        let params = Params { plain: false, ..params };
        let (log, mapper) = (log_of(&persons), mapper());
        let method = for_queries(params.clone());
        let Ok(protected) = Method::<QueryLog>::protect(&method, &log, &mut Rng::seeded(1), &Silent) else { return Ok(()) };
        let terms: BTreeSet<String> =
            log.queries().iter().flat_map(|query| phrases(&mapper, query)).map(|(term, _)| term).collect();
        for (number, record) in logs::plain(&protected.records).iter().enumerate() {
            let concept = |line: &Line| {
                let found = phrases(&mapper, &line.query);
                assert!(found.len() == 1 && terms.contains(&line.query), "{}", line.query);
                found[0].1
            };
            let concepts: BTreeSet<u32> = record.iter().map(concept).collect();
            // One term for each concept of one of the members, and no other.
            prop_assert_eq!(concepts.len(), record.len());
            let members = (0..persons.len()).filter(|&person| protected.record_of[person] == Some(number as u32));
            let is_medoid = |person: usize| log.concepts_of(person) == concepts.iter().copied().collect::<Vec<_>>();
            prop_assert!(members.clone().any(is_medoid));
            prop_assert!(members.count() >= params.k);
        }
    }

    #[test]
    fn baskets_as_in_the_paper(
        persons in prop::collection::vec(prop::collection::vec(text(), 0..6), 1..24),
        params in params(),
    ) {
        let params = Params { time_resolution: 1, ..params };
        let (baskets, mapper) = (baskets_of(&persons), mapper());
        let method = for_baskets(params.clone());
        let protect = || Method::<Baskets>::protect(&method, &baskets, &mut Rng::seeded(7), &Silent);
        let keys = |item: u32| -> BTreeSet<u32> {
            if params.plain {
                return BTreeSet::from([item]);
            }
            phrases(&mapper, baskets.label(item)).into_iter().map(|(_, concept)| concept).collect()
        };
        let sets: Vec<BTreeSet<u32>> =
            (0..persons.len()).map(|person| baskets.basket(person).iter().flat_map(|&item| keys(item)).collect()).collect();
        let Some(groups) = groups(&sets, params.clone(), mapper.taxonomy()) else {
            prop_assert!(protect().unwrap_err().is_data());
            return Ok(());
        };
        let protected = protect().unwrap();
        let mut rng = Rng::seeded(7);
        for (number, (members, concepts)) in groups.into_iter().enumerate() {
            prop_assert!(members.iter().all(|&member| protected.record_of[member] == Some(number as u32)));
            let mut draw = |concept: u32| {
                let mut pool: Vec<u32> =
                    baskets.items().iter().copied().filter(|&item| keys(item).contains(&concept)).collect();
                pool.sort_unstable();
                if params.plain { concept } else { pool[rng.index(pool.len())] }
            };
            let record: BTreeSet<u32> = concepts.into_iter().map(&mut draw).collect();
            prop_assert_eq!(protected.records.basket(number), record.into_iter().collect::<Vec<_>>());
        }
        assert_shared(&protected.record_of, |record| protected.records.basket(record).to_vec(), params.k);
        prop_assert_eq!(protected.claims[0].model, "transaction-k-anonymity");
        let left_out = protected.record_of.iter().filter(|record| record.is_none()).count();
        prop_assert_eq!(left_out, sets.iter().filter(|set| set.is_empty()).count());
    }
}

#[test]
fn terms_are_drawn_as_often_as_they_occur() {
    // Three of four occurrences of football are soccer: both come up, and soccer more often.
    let persons: Vec<Vec<Line>> = ["soccer", "football", "soccer", "soccer"]
        .iter()
        .map(|query| vec![Line { query: (*query).to_owned(), time: 0, rank: None, url: None }])
        .collect();
    let (log, method) = (log_of(&persons), for_queries(Params { k: 4, ..Params::default() }));
    let drawn = |seed: u64| {
        let protected = Method::<QueryLog>::protect(&method, &log, &mut Rng::seeded(seed), &Silent).unwrap();
        logs::plain(&protected.records)[0][0].query.clone()
    };
    let soccer = (0..400).filter(|&seed| drawn(seed) == "soccer").count();
    assert!((260..340).contains(&soccer), "{soccer} of 400");
}

#[test]
fn refusals() {
    let line = |query: &str| Line { query: query.to_owned(), time: 0, rank: None, url: None };
    let error = |queries: &[&str], plain: bool| {
        let log = log_of(&queries.iter().map(|query| vec![line(query)]).collect::<Vec<_>>());
        let method = for_queries(Params { k: 3, plain, ..Params::default() });
        Method::<QueryLog>::protect(&method, &log, &mut Rng::seeded(1), &Silent).unwrap_err()
    };
    let few = error(&["alps", "xyzzy", "soccer"], false);
    assert_eq!(few.to_string(), "of 3 persons only 2 have a word that is in the taxonomy, fewer than k = 3");
    assert!(few.is_data() && few.hint().unwrap().contains("throng inspect FILE --concepts"));
    let none = error(&["xyzzy", "plugh", "quux"], false);
    assert_eq!(none.to_string(), "the taxonomy has none of the words of the 3 persons");
    assert!(none.hint().unwrap().contains("--taxonomy"));
    assert_eq!(error(&["alps", "xyzzy"], true).to_string(), "there are 2 persons, fewer than k = 3");
    for k in [0, 1] {
        let error = SemanticMicroaggregation::for_queries(Params { k, ..Params::default() }).unwrap_err();
        assert_eq!(error.to_string(), format!("`k` is {k}, but must be at least 2"));
    }
    let params = Params { time_resolution: 60, ..Params::default() };
    let error = SemanticMicroaggregation::for_baskets(params.clone()).unwrap_err();
    assert!(error.is_parameter() && error.to_string().contains("baskets have no times"));
    assert!(SemanticMicroaggregation::for_queries(params).is_ok());
}
