//! The fast user distance and MDAV against a literal implementation, bit for bit, and both against cases done by hand.

use proptest::prelude::*;
use throng_core::data::QueryLog;
use throng_core::distance::user_distance::{Hosts, LineParts, QueryWeights, Scales, UserParts, UserSpace};
use throng_core::distance::{DistanceMatrix, Pairwise as _};
use throng_core::partition::mdav::{Average, mdav};
use throng_core::progress::Silent;
use throng_core::synth::queries::{Params, QueriesSynth};

use crate::support::literal::{self, Literal};
use crate::support::logs::{Line, Persons, build, persons, plain};

/// All distances by the literal way, which is symmetric as it is written.
fn literal_distances(persons: &Persons, weights: QueryWeights) -> Vec<Vec<f64>> {
    let literal = Literal::of(persons, weights == QueryWeights::Printed);
    let mut distances = vec![vec![0.0; persons.len()]; persons.len()];
    for left in 0..persons.len() {
        for right in left..persons.len() {
            distances[left][right] = literal.user(&persons[left], &persons[right]);
            distances[right][left] = distances[left][right];
        }
    }
    distances
}

/// Every property of the distances of a log, against the literal way; gives the literal distances.
fn check_distances(persons: &Persons, log: &QueryLog, weights: QueryWeights) -> Vec<Vec<f64>> {
    let expected = literal_distances(persons, weights);
    let space = UserSpace::new(Scales::of(log), weights, &[log]);
    let matrix = DistanceMatrix::compute(&space, &Silent);
    let mut scratch = space.scratch();
    assert_eq!((space.len(), matrix.len()), (persons.len(), persons.len()));
    for left in 0..persons.len() {
        for right in 0..persons.len() {
            let distance = space.distance(left, right, &mut scratch);
            assert_eq!(distance, expected[left][right], "persons {left} and {right}, {weights:?}");
            assert_eq!(distance, expected[right][left], "not symmetric: {left} and {right}");
            assert_eq!(matrix.get(left, right), distance);
            assert!((0.0..=1.0).contains(&distance), "{distance}");
            let mut sorted = [persons[left].clone(), persons[right].clone()];
            sorted.iter_mut().for_each(|lines| lines.sort());
            if sorted[0] == sorted[1] {
                assert_eq!(distance, 0.0, "equal records");
            }
            let (whole, parts) = space.parts(left, right);
            assert_eq!(whole, distance);
            check_parts(whole, &parts, weights);
        }
    }
    expected
}

/// The parts of a distance make it up.
fn check_parts(whole: f64, parts: &UserParts, weights: QueryWeights) {
    assert_eq!(whole, (parts.activity + parts.lines) / 2.0);
    let Some(line) = parts.deciding else { return assert_eq!(parts.lines, 0.0) };
    assert_eq!(line.distance, parts.lines);
    let query = match weights {
        QueryWeights::Text => (line.terms + 2.0 * line.words) / 3.0,
        QueryWeights::Printed => (2.0 * line.terms + line.words) / 3.0,
    };
    assert_eq!(line.query, query);
    assert_eq!(line.distance, (line.time + line.rank + line.url + 3.0 * query) / 6.0);
}

fn check_groups(persons: &Persons, expected: &[Vec<f64>], log: &QueryLog, weights: QueryWeights, ks: &[usize]) {
    let space = UserSpace::new(Scales::of(log), weights, &[log]);
    let matrix = DistanceMatrix::compute(&space, &Silent);
    for &k in ks.iter().filter(|&&k| k <= persons.len()) {
        let groups = mdav(&matrix, k, Average::Medoid, &Silent).groups;
        assert_eq!(groups, literal::mdav(expected, k), "k = {k}");
    }
}

fn check_everything(persons: &Persons) {
    let log = build(persons);
    for weights in [QueryWeights::Text, QueryWeights::Printed] {
        let expected = check_distances(persons, &log, weights);
        check_groups(persons, &expected, &log, weights, &[2, 3, 5]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn few_lines(persons in persons(1..=14, 1..=5)) {
        check_everything(&persons);
    }

    #[test]
    fn equal_records_are_at_distance_0(mut some in persons(2..=5, 1..=8)) {
        // The first person again with their lines the other way round, and with every line of the second twice.
        let reversed: Vec<Line> = some[0].iter().rev().cloned().collect();
        let doubled = some[1].iter().chain(&some[1]).cloned().collect();
        some.push(reversed);
        some.push(doubled);
        let log = build(&some);
        let expected = check_distances(&some, &log, QueryWeights::Text);
        prop_assert_eq!(expected[0][some.len() - 2], 0.0);
    }

    /// A space of some persons has the distances of the whole, also to a log that is added to it.
    #[test]
    fn some_persons(all in persons(3..=8, 1..=6), others in persons(1..=3, 1..=6), start in 0usize..3, step in 1usize..3) {
        let (log, more) = (build(&all), build(&others));
        let scales = Scales::of(&log);
        let chosen: Vec<u32> = (start as u32..all.len() as u32).rev().step_by(step).collect();
        let whole = UserSpace::new(scales, QueryWeights::Text, &[&log, &more]);
        let mut some = UserSpace::of_persons(scales, QueryWeights::Text, &log, &Hosts::of(&log), &chosen);
        some.add(&more);
        prop_assert_eq!(some.len(), chosen.len() + others.len());
        let places: Vec<usize> =
            chosen.iter().map(|&person| person as usize).chain(all.len()..whole.len()).collect();
        for (left, &left_of_all) in places.iter().enumerate() {
            for (right, &right_of_all) in places.iter().enumerate() {
                prop_assert_eq!(some.parts(left, right).0, whole.parts(left_of_all, right_of_all).0);
            }
        }
    }

    /// A space of two logs has the scales of the first: as an original and its release are compared.
    #[test]
    fn two_logs_in_one_space(first in persons(1..=5, 1..=8), second in persons(1..=5, 1..=8)) {
        let literal = Literal::of(&first, false);
        let (left, right) = (build(&first), build(&second));
        let space = UserSpace::new(Scales::of(&left), QueryWeights::Text, &[&left, &right]);
        let mut scratch = space.scratch();
        for (a, lines) in first.iter().enumerate() {
            for (b, others) in second.iter().enumerate() {
                let distance = space.distance(a, first.len() + b, &mut scratch);
                prop_assert_eq!(distance, literal.user(lines, others));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn many_lines(mut some in persons(2..=3, 10..=35), few in persons(0..=3, 1..=2)) {
        some.extend(few);
        check_everything(&some);
    }
}

proptest! {
    /// Points of a grid, so that many distances are equal.
    #[test]
    fn groups_of_points(points in prop::collection::vec((0u8..20, 0u8..20), 1..40), k in 1usize..8) {
        prop_assume!(points.len() >= k);
        let coordinate = |a: u8, b: u8| f64::from(a.abs_diff(b)) / 20.0;
        let distance = |left: usize, right: usize| {
            let (a, b) = (points[left], points[right]);
            (coordinate(a.0, b.0) + coordinate(a.1, b.1)) / 2.0
        };
        let distances: Vec<Vec<f64>> =
            (0..points.len()).map(|left| (0..points.len()).map(|right| distance(left, right)).collect()).collect();
        let partition = mdav(&DistanceMatrix::from_fn(points.len(), distance), k, Average::Medoid, &Silent);
        prop_assert_eq!(&partition.groups, &literal::mdav(&distances, k));
        prop_assert!(partition.groups.iter().all(|group| (k..2 * k).contains(&group.len())));
        let mut all: Vec<u32> = partition.groups.concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..points.len() as u32).collect::<Vec<_>>());
    }
}

proptest! {
    /// Hosts of many labels, where the weights no longer fit the digits of a float.
    #[test]
    fn long_hosts(left in prop::collection::vec("[xy]", 45..70), right in prop::collection::vec("[xy]", 1..70)) {
        let line = |labels: &[String]| {
            let url = Some(labels.join("."));
            vec![Line { query: "x".to_owned(), time: 0, rank: None, url }]
        };
        let persons = vec![line(&left), line(&right)];
        check_distances(&persons, &build(&persons), QueryWeights::Text);
    }
}

#[test]
fn made_up_searches() {
    for (seed, weights) in [(3, QueryWeights::Text), (4, QueryWeights::Printed)] {
        let synth = QueriesSynth::new(Params { persons: 40, mean_lines: 15.0, seed, ..Params::default() }).unwrap();
        let log = synth.block(0..40);
        let persons = plain(&log);
        let expected = check_distances(&persons, &log, weights);
        check_groups(&persons, &expected, &log, weights, &[2, 3, 4, 5, 7, 10, 20, 40]);
    }
}

// By hand. Person 0 and 1 are compared; more persons only widen the scales.

/// `query`, seconds, rank, URL.
type Values<'a> = (&'a str, i64, Option<u32>, Option<&'a str>);

fn compare(weights: QueryWeights, persons: &[&[Values<'_>]]) -> (f64, UserParts) {
    let line = |&(query, seconds, rank, url): &Values<'_>| Line {
        query: query.to_owned(),
        time: seconds * 1000,
        rank,
        url: url.map(str::to_owned),
    };
    let log = build(&persons.iter().map(|lines| lines.iter().map(line).collect()).collect::<Vec<_>>());
    UserSpace::new(Scales::of(&log), weights, &[&log]).parts(0, 1)
}

/// The parts of the distance of two lines, the text's weights.
fn lines(first: Values<'_>, second: Values<'_>, others: &[Values<'_>]) -> LineParts {
    let others: Vec<[Values<'_>; 1]> = others.iter().map(|&other| [other]).collect();
    let mut persons: Vec<&[Values<'_>]> = vec![];
    let (first, second) = ([first], [second]);
    persons.extend([first.as_slice(), second.as_slice()]);
    persons.extend(others.iter().map(<[_; 1]>::as_slice));
    let (_, parts) = compare(QueryWeights::Text, &persons);
    let nothing = LineParts {
        from_first: true,
        distance: 0.0,
        time: 0.0,
        rank: 0.0,
        url: 0.0,
        query: 0.0,
        terms: 0.0,
        words: 0.0,
    };
    parts.deciding.unwrap_or(nothing)
}

#[test]
fn time_by_hand() {
    // 25 of the 100 seconds between the first and the last line of the log.
    let parts = lines(("x", 10, None, None), ("x", 35, None, None), &[("x", 10, None, None), ("x", 110, None, None)]);
    assert_eq!((parts.time, parts.distance), (0.25, 0.25 / 6.0));
    assert_eq!((parts.rank, parts.url, parts.query), (0.0, 0.0, 0.0));
    // Q2: all at the same time.
    assert_eq!(lines(("x", 7, None, None), ("y", 7, None, None), &[]).time, 0.0);
}

#[test]
fn rank_by_hand() {
    let clicked = |rank| ("x", 0, rank, Some("a.com"));
    let parts = lines(clicked(Some(3)), clicked(Some(5)), &[clicked(Some(1)), clicked(Some(9)), clicked(None)]);
    assert_eq!((parts.rank, parts.distance), (0.25, 0.25 / 6.0));
    // Q10: missing on one side 1, on both 0.
    assert_eq!(lines(clicked(None), clicked(Some(5)), &[]).rank, 1.0);
    assert_eq!(lines(clicked(None), ("y", 0, None, Some("a.com")), &[]).rank, 0.0);
    // The least rank is a rank, not a missing one.
    assert_eq!(lines(clicked(Some(1)), clicked(None), &[clicked(Some(9))]).rank, 1.0);
}

#[test]
fn url_by_hand() {
    let distance =
        |left: Option<&str>, right: Option<&str>| lines(("x", 0, None, left), ("x", 0, None, right), &[]).url;
    let named = |left, right| distance(Some(left), Some(right));
    // Three labels weigh 4, 2 and 1 of 7 from the right.
    assert_eq!(named("http://www.a.com", "http://www.b.com/x"), 2.0 / 7.0);
    assert_eq!(named("http://www.a.com", "http://a.com"), 1.0 / 7.0);
    assert_eq!(named("http://www.a.com", "http://a.org"), 5.0 / 7.0);
    assert_eq!(named("http://www.a.com", "http://www.a.org"), 4.0 / 7.0);
    assert_eq!(named("a.com", "b.com"), 1.0 / 3.0);
    assert_eq!(named("a.com", "com"), 1.0 / 3.0);
    assert_eq!(named("a", "b"), 1.0);
    // Scheme, user, port, path and case do not count; `www` does (Q5, Q15a).
    assert_eq!(named("https://me@A.com:80/x", "http://a.COM/y?z"), 0.0);
    // Q10.
    assert_eq!(distance(None, Some("a.com")), 1.0);
    assert_eq!(distance(None, None), 0.0);
}

#[test]
fn words_by_hand() {
    let distance = |left, right| {
        // The scale of terms is constant in none of these: a third person has ten.
        lines((left, 0, None, None), (right, 0, None, None), &[("a a a a a a a a a a", 0, None, None)]).words
    };
    assert_eq!(distance("kitten", "sitting"), 3.0 / 7.0);
    assert_eq!(distance("garden roses", "garden rose"), 1.0 / 5.0);
    // Hausdorff: `b` is 1 from its nearest, `a`.
    assert_eq!(distance("a b", "a"), 1.0);
    assert_eq!(distance("über", "uber"), 0.25);
    // Case is kept, order and repeats do not count.
    assert_eq!(distance("Rose", "rose"), 0.25);
    assert_eq!(distance("a b b", "b a"), 0.0);
    // Q12.
    assert_eq!(distance("", "a"), 1.0);
}

#[test]
fn terms_by_hand() {
    // One to five words in the log: three against one is 2/4. Repeats count (Q11).
    let others = [("a a a a a", 0, None, None)];
    let parts = lines(("a a a", 0, None, None), ("a", 0, None, None), &others);
    assert_eq!((parts.terms, parts.words), (0.5, 0.0));
    assert_eq!((parts.query, parts.distance), (0.5 / 3.0, 3.0 * (0.5 / 3.0) / 6.0));
}

#[test]
fn query_by_hand() {
    // Terms: 2 and 1 of 1 to 3, so 0.5; words: `roses` is 1/5 from `rose`, `old` 3/4 from `rose`.
    let first: &[Values<'_>] = &[("old roses", 0, None, None)];
    let second: &[Values<'_>] = &[("rose", 0, None, None)];
    let third: &[Values<'_>] = &[("a b c", 0, None, None)];
    let query = |weights| {
        let parts = compare(weights, &[first, second, third]).1.deciding.unwrap();
        assert_eq!((parts.terms, parts.words), (0.5, 0.75));
        parts.query
    };
    assert_eq!(query(QueryWeights::Text), (0.5 + 1.5) / 3.0);
    assert_eq!(query(QueryWeights::Printed), (1.0 + 0.75) / 3.0);
}

#[test]
fn user_by_hand() {
    // Lines: 1 and 3 of 1 to 5, so activity 0.5. Times 0, 8, 2, 4 of 0 to 8 (the fourth person has the fifth line at 8).
    // Of the second person's lines the one at 4 is farthest from the first's at 0: 4/8, no other difference.
    let first: &[Values<'_>] = &[("x", 0, None, None)];
    let second: &[Values<'_>] = &[("x", 0, None, None), ("x", 2, None, None), ("x", 4, None, None)];
    let third: &[Values<'_>] = &[("x", 8, None, None); 5];
    let (distance, parts) = compare(QueryWeights::Text, &[first, second, third]);
    assert_eq!((parts.activity, parts.lines), (0.5, 0.5 / 6.0));
    assert_eq!(distance, (0.5 + 0.5 / 6.0) / 2.0);
    let deciding = parts.deciding.unwrap();
    assert!(!deciding.from_first, "the line at 4 is the second person's");
    assert_eq!(deciding.time, 0.5);
    // The same lines three times over: only the activity differs.
    let (distance, parts) = compare(QueryWeights::Text, &[first, &[("x", 0, None, None); 3], third]);
    assert_eq!((distance, parts.deciding), (0.25, None));
}

#[test]
fn everything_different_is_1() {
    let first: &[Values<'_>] = &[("aaa", 0, Some(1), Some("a.com"))];
    let second: &[Values<'_>] = &[("bbb b", 9, Some(5), Some("b.org")); 2];
    assert_eq!(compare(QueryWeights::Text, &[first, second]).0, 1.0);
    assert_eq!(compare(QueryWeights::Printed, &[first, second]).0, 1.0);
}
