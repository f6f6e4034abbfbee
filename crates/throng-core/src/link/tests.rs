//! Linking as a whole: against all pairs, against a naive EM, by a table of eight pairs by hand, in any order and with any threads.

use std::collections::{BTreeSet, HashMap};

use super::block::Blocks;
use super::fellegi_sunter::{self, Fitted, Model, Patterns, fit};
use super::key::Key;
use super::linking::{Blocking, Class, Classify, Outcome, Params, link};
use super::records::{Field, MISSING, Records, Values, guess_comparison, moves};
use crate::progress::Silent;
use crate::rng::Rng;
use crate::synth::records::{self as made, COLUMNS, MadeUp, Record};

fn of(rows: &[&Record], first: Option<usize>) -> Records {
    let field = |(at, name): (usize, &&str)| {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut values: Vec<String> = Vec::new();
        let mut cells = Vec::new();
        for (_, row) in rows {
            let text = row[at].as_str();
            cells.push(if text.is_empty() {
                MISSING
            } else {
                *numbers.entry(text).or_insert_with(|| {
                    values.push(text.to_owned());
                    values.len() as u32 - 1
                })
            });
        }
        let comparison = guess_comparison(&values);
        Field { name: (*name).to_owned(), comparison, values: Values::Text(values), cells, moves: moves(name) }
    };
    Records { fields: COLUMNS.iter().enumerate().map(field).collect(), rows: rows.len(), first }
}

fn usual() -> Params {
    Params {
        classify: Classify::Em,
        upper: 0.5,
        lower: 0.05,
        blocking: Blocking::Auto,
        max_block: 1000,
        one_to_one: false,
        frequencies: true,
        clusters: false,
        decided: Vec::new(),
    }
}

fn two(count: usize, changed: f64, seed: u64) -> (Vec<Record>, Vec<Record>, BTreeSet<(String, String)>) {
    match made::records(&made::Params { records: count, copies: 1, changed }, &mut Rng::seeded(seed)) {
        MadeUp::Two { a, b, truth } => (a, b, truth.into_iter().collect()),
        MadeUp::One { .. } => panic!("two files were asked for"),
    }
}

fn quality(outcome: &Outcome, rows: &[&Record], truth: &BTreeSet<(String, String)>) -> (f64, f64) {
    let matches: Vec<_> = outcome.pairs.iter().filter(|pair| pair.class == Class::Match).collect();
    let is_true =
        |one: u32, other: u32| truth.contains(&(rows[one as usize].0.clone(), rows[other as usize].0.clone()));
    let right = matches.iter().filter(|pair| is_true(pair.one, pair.other)).count() as f64;
    (right / matches.len().max(1) as f64, right / truth.len() as f64)
}

#[test]
fn em_of_eight_pairs_by_hand() {
    // Two fields of two levels; u of equality is .1 and .2. Four pairs agree in both, one in the first, one in the second, two in none.
    let u = vec![vec![0.9, 0.1], vec![0.8, 0.2]];
    let patterns: Patterns = [(vec![1, 1], 4), (vec![1, 0], 1), (vec![0, 1], 1), (vec![0, 0], 2)].into_iter().collect();
    let Fitted { m, share, moved } = fit(&patterns, &u, &[true, true], &[false, false]);
    assert_eq!(moved, 0.0);
    // One step of EM from what it gave must give the same: it is a fixed point, by sums written out here.
    let mut sums = [0.0; 4];
    let mut agree = [0.0; 2];
    for (at, (levels, count)) in [([1, 1], 4.0), ([1, 0], 1.0), ([0, 1], 1.0), ([0, 0], 2.0)].into_iter().enumerate() {
        let likely = share * m[0][levels[0]] * m[1][levels[1]];
        let other = (1.0 - share) * u[0][levels[0]] * u[1][levels[1]];
        sums[at] = count * likely / (likely + other);
        for field in 0..2 {
            agree[field] += if levels[field] == 1 { sums[at] } else { 0.0 };
        }
    }
    let matches: f64 = sums.iter().sum();
    assert!((share - matches / 8.0).abs() < 1e-4, "{share}");
    for field in 0..2 {
        assert!((m[field][1] - (agree[field] + 0.1) / (matches + 0.2)).abs() < 1e-4);
    }
    // What agrees in both is a match, what agrees in none is not.
    assert!(sums[0] > 3.9 && sums[3] < 0.2, "{sums:?}");
    // The weight of full agreement: log2(m1/u1) + log2(m2/u2), without frequencies.
    let text = |name: &str| Field {
        name: name.to_owned(),
        comparison: super::similarity::Comparison::Exact,
        values: Values::Text(vec!["x".to_owned(), "y".to_owned()]),
        cells: vec![0, 0, 1],
        moves: false,
    };
    let records = Records { fields: vec![text("one"), text("two")], rows: 3, first: None };
    let model = Model::of(&records, m.clone(), u.clone(), 0.0, false);
    let by_hand = (m[0][1] / 0.1).log2() + (m[1][1] / 0.2).log2();
    assert!((model.weight(&records, 0, 1) - by_hand).abs() < 1e-12);
    let against = (m[0][0] / 0.9).log2() + (m[1][0] / 0.8).log2();
    assert!((model.weight(&records, 0, 2) - against).abs() < 1e-12);
}

#[test]
fn a_naive_em_calls_everything_a_match_and_ours_does_not() {
    let (a, b, truth) = two(1500, 0.4, 5);
    let rows: Vec<&Record> = a.iter().chain(&b).collect();
    let records = of(&rows, Some(a.len()));
    let keys: Vec<Key> = ["surname", "suburb", "given_name", "birth:year"]
        .into_iter()
        .map(|text| Key::parse(text, &records.fields).unwrap())
        .collect();
    let blocks = Blocks::new(&records, &keys, 1000);
    let (naive, share) = fellegi_sunter::learn_naively(&records, &blocks);
    // A pair is a match for it from 2^0 on after its own prior.
    let prior = ((1.0 - share) / share).log2();
    let (mut found, mut right) = (0.0, 0.0);
    blocks.each_pair(
        &records,
        |pairs| {
            pairs
                .iter()
                .filter(|&&(one, other)| naive.weight(&records, one, other) > prior)
                .copied()
                .collect::<Vec<_>>()
        },
        |_, some| {
            for (one, other) in some {
                found += 1.0;
                right += f64::from(truth.contains(&(rows[one as usize].0.clone(), rows[other as usize].0.clone())));
            }
        },
    );
    let naive_precision = right / found;
    let outcome = link(&records, &Params { blocking: Blocking::Keys(keys), ..usual() }, &Silent).unwrap();
    let (precision, recall) = quality(&outcome, &rows, &truth);
    assert!(naive_precision < 0.75, "the naive EM is right: {naive_precision}");
    assert!(precision > 0.93 && recall > 0.7, "{precision} {recall}");
}

#[test]
fn chosen_blocks_find_what_all_pairs_find() {
    let (a, b, truth) = two(400, 0.15, 2);
    let rows: Vec<&Record> = a.iter().chain(&b).collect();
    let records = of(&rows, Some(a.len()));
    let all = link(&records, &Params { blocking: Blocking::None, one_to_one: true, ..usual() }, &Silent).unwrap();
    let chosen = link(&records, &Params { one_to_one: true, ..usual() }, &Silent).unwrap();
    assert_eq!(all.compared, 160_000);
    assert!(chosen.compared < 16_000, "{}", chosen.compared);
    let (all, chosen) = (quality(&all, &rows, &truth), quality(&chosen, &rows, &truth));
    assert!(all.0 > 0.99 && all.1 > 0.97, "{all:?}");
    assert!(chosen.0 > 0.99 && chosen.1 > all.1 - 0.015, "{chosen:?} {all:?}");
}

#[test]
fn threads_and_the_order_of_records_change_nothing() {
    let (a, b, _) = two(200, 0.2, 9);
    let found = |a: &[Record], b: &[Record], threads: usize| {
        let rows: Vec<&Record> = a.iter().chain(b).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let params = Params { blocking: Blocking::None, ..usual() };
        let outcome = pool.install(|| link(&of(&rows, Some(a.len())), &params, &Silent).unwrap());
        let named =
            |pair: &super::linking::Linked| (rows[pair.one as usize].0.clone(), rows[pair.other as usize].0.clone());
        outcome.pairs.iter().map(|pair| (named(pair), pair.class == Class::Match)).collect::<BTreeSet<_>>()
    };
    let once = found(&a, &b, 1);
    assert_eq!(once, found(&a, &b, 3));
    let (mut turned, mut other) = (a.clone(), b.clone());
    turned.reverse();
    other.rotate_left(50);
    // All pairs are compared and u is learned from all of them: the classes are those of the records, wherever they stand.
    assert_eq!(once, found(&turned, &other, 2));
}

#[test]
fn clusters_find_persons_of_many_records() {
    let made = made::records(&made::Params { records: 2000, copies: 8, changed: 0.4 }, &mut Rng::seeded(4));
    let MadeUp::One { a, truth } = made else { panic!("one file was asked for") };
    let rows: Vec<&Record> = a.iter().collect();
    let outcome = link(&of(&rows, None), &Params { clusters: true, ..usual() }, &Silent).unwrap();
    let clusters = outcome.clusters.unwrap();
    let pairs = |sizes: HashMap<(u32, &str), u64>| {
        let mut sizes: Vec<u64> = sizes.into_values().collect();
        sizes.sort_unstable();
        sizes.iter().map(|size| size * (size - 1) / 2).sum::<u64>() as f64
    };
    let mut by = [HashMap::new(), HashMap::new(), HashMap::new()];
    for (at, &cluster) in clusters.iter().enumerate() {
        let person = truth[at].1.as_str();
        *by[0].entry((cluster, "")).or_default() += 1;
        *by[1].entry((0, person)).or_default() += 1;
        *by[2].entry((cluster, person)).or_default() += 1;
    }
    let [found, true_pairs, right] = by.map(pairs);
    assert!(right / found > 0.9 && right / true_pairs > 0.8, "{found} {true_pairs} {right}");
    // The estimate says about what the truth says.
    let estimated = outcome.estimated.unwrap();
    assert!((estimated.matches / true_pairs - 1.0).abs() < 0.5, "{} {true_pairs}", estimated.matches);
}

#[test]
fn what_somebody_decided_is_obeyed() {
    let (a, b, _) = two(100, 0.1, 3);
    let rows: Vec<&Record> = a.iter().chain(&b).collect();
    let records = of(&rows, Some(a.len()));
    let params = Params { blocking: Blocking::None, ..usual() };
    let first = link(&records, &params, &Silent).unwrap();
    let taken = first.pairs[0];
    let decided = vec![(taken.one, taken.other, false), (1, 100, true)];
    let second = link(&records, &Params { decided, ..params }, &Silent).unwrap();
    assert!(!second.pairs.iter().any(|pair| (pair.one, pair.other) == (taken.one, taken.other)));
    assert!(second.pairs.iter().any(|pair| (pair.one, pair.other) == (1, 100) && pair.class == Class::Match));
}
