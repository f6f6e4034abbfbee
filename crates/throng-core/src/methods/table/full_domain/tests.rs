//! The case that the study does by hand, exhaustive search as an oracle, and the optima of ARX.

use proptest::prelude::*;

use super::super::quality::{self, Class};
use super::lattice::{Node, better};
use super::*;
use crate::data::table::testing::{twelve, with_hierarchies};
use crate::data::table::{Classes, Column, ColumnRole};
use crate::models::on_classes::Asks;
use crate::models::on_classes::ClassModel;
use crate::models::{beta_likeness, confidence, delta_disclosure, l_diversity, presence, t_closeness};
use crate::progress::Silent;
use crate::release::Claim;

fn search(table: &Table, k: usize, suppress: f64, quality: &str) -> Search {
    let method = FullDomain::new(Params { k, suppress, quality: quality.to_owned(), max_nodes: 0 }).unwrap();
    method.protect(table, &mut crate::rng::Rng::seeded(1), &Silent).unwrap().search.unwrap()
}

/// The value of one node of the twelve rows.
fn value(levels: &[usize], quality: &str) -> f64 {
    let table = twelve();
    let lattice = Lattice::of(&table, Demands::new(3).unwrap().bind(&table).unwrap()).unwrap();
    let quality = Quality::parse(quality).unwrap();
    let node = lattice.look(&lattice.groups(levels), levels, quality, 12).unwrap();
    assert_eq!(node.suppressed, 4);
    node.value
}

#[test]
fn every_value_of_the_case_by_hand() {
    for (quality, expected) in [
        ("entropy", 15.751_349_924_5),
        ("entropy-suppressed", 19.751_349_924_5),
        ("loss", 0.462_494_064_516_682_85),
        ("loss:balance=0.1", 0.238_278_374_695_084_28),
        ("loss:balance=0.8", 0.379_630_980_498_921_3),
        ("discernibility", 42.0),
        ("discernibility-suppressed", 82.0),
        ("classes", 4.0),
        ("ncp", 0.508_333_333_333),
    ] {
        let found = value(&[1, 0], quality);
        assert!((found - expected).abs() < 1e-9 * expected, "{quality}: {found}");
    }
}

#[test]
fn every_optimum_of_the_case_by_hand() {
    for (limit, quality, value, levels) in [
        (0.0, "entropy", Some(26.770_899_933_1), [1, 1]),
        (0.0, "loss", Some(0.414_213_562_37), [2, 0]),
        (0.0, "discernibility", Some(74.0), [1, 1]),
        (0.0, "ncp", Some(0.5), [2, 0]),
        (0.34, "entropy", None, [1, 0]),
        (0.34, "loss", None, [2, 0]),
        (0.34, "ncp", None, [2, 0]),
        (0.34, "loss:balance=0.1", None, [1, 0]),
        (0.34, "discernibility-suppressed", None, [1, 1]),
    ] {
        let found = search(&twelve(), 3, limit, quality);
        assert_eq!([found.levels["zip"], found.levels["sex"]], levels, "{limit} {quality}");
        if let Some(value) = value {
            assert!((found.value - value).abs() < 1e-9 * value, "{quality}: {}", found.value);
        }
        assert_eq!(found.nodes, 6);
    }
}

#[test]
fn what_cannot_be_is_said_with_what_would_do() {
    let mut method = FullDomain::new(Params { k: 2, ..Params::default() }).unwrap();
    let model = l_diversity::LDiversity::new(l_diversity::Params { l: 4.0, ..Default::default() }).unwrap();
    let claim = Claim::new(&l_diversity::INFO, []);
    method.demand(vec![Demand { claim, asks: Asks::OfRows(std::sync::Arc::new(model)) }]).unwrap();
    let error = method.protect(&twelve(), &mut crate::rng::Rng::seeded(1), &Silent).unwrap_err().describe(false);
    assert!(error.contains("the model `l-diversity` fails even at the top"), "{error}");
}

/// Random tables with two trees of three levels.
fn tables() -> impl Strategy<Value = Table> {
    prop::collection::vec((0usize..6, 0usize..4, 0usize..3), 2..30).prop_map(|rows| {
        let column = |name: &str, role, texts: Vec<String>| Column::new(name, role, texts.iter().map(String::as_str));
        let a = column("a", ColumnRole::Quasi, rows.iter().map(|row| format!("a{}", row.0)).collect());
        let b = column("b", ColumnRole::Quasi, rows.iter().map(|row| format!("b{}", row.1)).collect());
        let s = column("s", ColumnRole::Sensitive, rows.iter().map(|row| format!("s{}", row.2)).collect());
        let tree = |letter: char, leaves: usize| {
            (0..leaves)
                .map(|leaf| format!("{letter}{leaf};{letter}x{};{letter}y{};*\n", leaf / 2, leaf / 4))
                .collect::<String>()
        };
        with_hierarchies(Table::of_rows(vec![a, b, s]), &[("a", &tree('a', 6)), ("b", &tree('b', 5))])
    })
}

fn models() -> Vec<std::sync::Arc<dyn ClassModel>> {
    use std::sync::Arc;
    let diversity = |kind, l| {
        let params = l_diversity::Params { kind, l, c: 2.0, ..Default::default() };
        Arc::new(l_diversity::LDiversity::new(params).unwrap())
    };
    vec![
        diversity(l_diversity::Kind::Distinct, 2.0),
        diversity(l_diversity::Kind::Entropy, 1.8),
        diversity(l_diversity::Kind::Recursive, 2.0),
        Arc::new(t_closeness::TCloseness::new(t_closeness::Params { t: 0.4, ..Default::default() }).unwrap()),
        Arc::new(confidence::Confidence::new(confidence::Params { h: 0.6, ..Default::default() }).unwrap()),
        Arc::new(beta_likeness::BetaLikeness::new(beta_likeness::Params { beta: 1.0, ..Default::default() }).unwrap()),
        Arc::new(
            delta_disclosure::DeltaDisclosure::new(delta_disclosure::Params { delta: 0.8, ..Default::default() })
                .unwrap(),
        ),
    ]
}

/// Presence on the twelve rows, of which four are published: 410** has three of seven, 482** one of five.
#[test]
fn presence_counts_the_population() {
    let population = twelve();
    let part = Table::retaining(&population, |row| matches!(row, 0 | 2 | 3 | 7)).within(population.clone().into());
    let found = |min: f64, max: f64, strict: bool| {
        let mut method = FullDomain::new(Params { k: 1, quality: "classes".to_owned(), ..Params::default() }).unwrap();
        let model = presence::Presence::new(presence::Params { min, max, strict }).unwrap();
        let asks = Asks::OfPopulation(std::sync::Arc::new(model));
        method.demand(vec![Demand { claim: Claim::new(&presence::INFO, []), asks }]).unwrap();
        let found = method.protect(&part, &mut crate::rng::Rng::seeded(1), &Silent);
        found.map(|found| {
            use crate::models::ModelWithOriginal as _;
            assert!(model.check(&population, &found.records).unwrap().holds);
            found.search.unwrap().levels
        })
    };
    assert_eq!(found(0.0, 0.43, false).unwrap()["zip"], 1);
    assert_eq!(found(0.3, 0.35, false).unwrap()["zip"], 2);
    // 410** f has one of two, 410** m two of five, 482** f one of two; 482** m, with three of the population, has none.
    assert_eq!(found(0.1, 0.5, false).unwrap(), [("sex".to_owned(), 0), ("zip".to_owned(), 1)].into());
    assert_eq!(found(0.1, 0.5, true).unwrap(), [("sex".to_owned(), 1), ("zip".to_owned(), 1)].into());
    let error = found(0.5, 0.6, false).unwrap_err().describe(false);
    assert!(error.contains("`presence` fails even at the top"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The search finds what looking at every node from its rows finds, for every quality and model.
    #[test]
    fn it_is_exhaustive_search(table in tables(), k in 1usize..4, quality in 0..quality::NAMES.len(), model in 0usize..8, limit in 0u64..6) {
        let quality = Quality::parse(quality::NAMES[quality]).unwrap();
        let mut demands = Demands::new(k.min(table.persons())).unwrap();
        let claim = Claim::new(&INFO, []);
        if let Some(model) = models().get(model) {
            demands.add(vec![Demand { claim, asks: Asks::OfRows(std::sync::Arc::clone(model)) }]);
        }
        let Ok(bound) = demands.bind(&table) else { return Ok(()) };
        let lattice = Lattice::of(&table, bound).unwrap();
        let mut expected = None;
        for a in 0..=3 {
            for b in 0..=3 {
                let levels = [a, b];
                let released = crate::data::table::testing::generalised(&table, &[("a", a), ("b", b)]);
                let classes = Classes::of(&released, &[0, 1]);
                let is_ok: Vec<bool> = (0..classes.len()).map(|class| lattice.bound.holds(classes.rows(class), &mut Vec::new())).collect();
                let suppressed: usize = (0..classes.len()).filter(|&class| !is_ok[class]).map(|class| classes.size(class)).sum();
                if suppressed as u64 > limit || suppressed == table.rows() {
                    continue;
                }
                let node_of = |class: usize, at: usize| {
                    let (tree, leaves) = lattice.quasi[at].tree.as_ref().unwrap();
                    tree.node(levels[at], leaves[table.columns()[at].cells[classes.rows(class)[0] as usize] as usize])
                };
                let nodes: Vec<[u32; 2]> = (0..classes.len()).map(|class| [node_of(class, 0), node_of(class, 1)]).collect();
                let class = |class: usize| Class { nodes: &nodes[class], rows: classes.size(class) as u32, is_ok: is_ok[class] };
                let value = quality.value(&lattice.columns, &levels, table.rows() as u64, (0..classes.len()).map(class));
                expected = better(expected, Some(Node { value, levels: levels.to_vec(), suppressed: suppressed as u64 }));
            }
        }
        let found = lattice.best(quality, limit, u64::MAX, &Silent).best;
        match (&found, &expected) {
            (Some(found), Some(expected)) => prop_assert!((found.value - expected.value).abs() <= 1e-9 * expected.value.abs()),
            _ => prop_assert_eq!(found, expected),
        }
    }
}
