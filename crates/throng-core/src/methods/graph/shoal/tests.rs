//! Brute force over partitions, promises, and bytes.

use proptest::prelude::*;

use super::*;
use crate::data::graph::testing::{graph, nine, random as random_graph};
use crate::data::table::testing::table;
use crate::models::edge_confidence::{self, EdgeConfidence};
use crate::models::graph_k_anonymity::GraphKAnonymity;
use crate::models::l_diversity::{self, LDiversity};
use crate::models::{Model, k_anonymity};
use crate::progress::Silent;
use crate::release::Claim;
use crate::rng::Rng;

fn protect(graph: &Graph, params: Params) -> Protected<Graph> {
    Shoal::new(params).unwrap().protect(graph, &mut Rng::seeded(1), &Silent).unwrap()
}

fn params(k: usize, alpha: f64, max_confidence: f64) -> Params {
    Params { k, alpha, beta: 1.0 - alpha, max_confidence, ..Params::default() }
}

/// SIL by the definition, over all blocks.
fn structural_loss(graph: &Graph, clusters: &[Vec<u32>]) -> f64 {
    let edges = |left: &[u32], right: &[u32]| {
        let all = left.iter().flat_map(|&u| right.iter().map(move |&v| (u, v)));
        all.filter(|&(u, v)| graph.has_edge(u, v)).count() as f64
    };
    let loss = |edges: f64, pairs: f64| if pairs > 0.0 { 2.0 * edges * (1.0 - edges / pairs) } else { 0.0 };
    let mut sum = 0.0;
    for (at, own) in clusters.iter().enumerate() {
        let size = own.len() as f64;
        sum += loss(edges(own, own) / 2.0, size * (size - 1.0) / 2.0);
        for other in &clusters[at + 1..] {
            sum += loss(edges(own, other), size * other.len() as f64);
        }
    }
    sum
}

/// Every partition of some nodes into clusters of at least k.
fn partitions(nodes: u32, k: usize) -> Vec<Vec<Vec<u32>>> {
    fn place(node: u32, nodes: u32, k: usize, clusters: &mut Vec<Vec<u32>>, all: &mut Vec<Vec<Vec<u32>>>) {
        if node == nodes {
            if clusters.iter().all(|cluster| cluster.len() >= k) {
                all.push(clusters.clone());
            }
            return;
        }
        for at in 0..clusters.len() {
            clusters[at].push(node);
            place(node + 1, nodes, k, clusters, all);
            clusters[at].pop();
        }
        clusters.push(vec![node]);
        place(node + 1, nodes, k, clusters, all);
        clusters.pop();
    }
    let mut all = Vec::new();
    place(0, nodes, k, &mut Vec::new(), &mut all);
    all
}

/// Never below the optimum over all partitions, and within 3 % of it on average.
#[test]
fn nearly_as_good_as_the_best_partition() {
    let mut rng = Rng::seeded(7);
    let (mut over, mut count) = (0.0, 0);
    for nodes in 4..=8usize {
        for k in [2, 3] {
            if nodes < k {
                continue;
            }
            let all = partitions(nodes as u32, k);
            for _ in 0..12 {
                let pairs: Vec<(u32, u32)> = (0..nodes as u32)
                    .flat_map(|left| (left + 1..nodes as u32).map(move |right| (left, right)))
                    .filter(|_| rng.unit() < 0.4)
                    .collect();
                let graph = graph(nodes, &pairs);
                let best = all.iter().map(|one| structural_loss(&graph, one)).fold(f64::INFINITY, f64::min);
                let protected = protect(&graph, params(k, 0.0, 1.0));
                let masked = protected.records.masked().unwrap();
                let found: f64 = masked.blocks().map(|block| block.loss()).sum();
                // By the definition, and by the closed form.
                let m = graph.edges() as f64;
                let squares = |block: crate::data::graph::masked::Block| block.edges as f64 * block.density();
                let closed = 2.0 * m - 2.0 * masked.blocks().map(squares).sum::<f64>();
                assert!((found - closed).abs() < 1e-9);
                assert!(found >= best - 1e-9, "{found} below {best}");
                over += if best > 0.0 { found / best - 1.0 } else { found };
                count += 1;
            }
        }
    }
    let over = over / f64::from(count);
    assert!(over < 0.03, "{over}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Every cluster has k nodes, counts are true, models hold, and threads are nothing to the result.
    #[test]
    fn promises_hold(bare in random_graph(30), sick in prop::collection::vec(0usize..3, 30), k in 2usize..5, asks: bool) {
        let nodes = bare.persons();
        prop_assume!(nodes >= 2 * k);
        let words = ["flu", "gout", "cold"];
        let lines: Vec<String> = sick[..nodes].iter().enumerate().map(|(at, &sick)| format!("{at} {}", words[sick])).collect();
        let rows = table("age:q illness:s", &lines.iter().map(String::as_str).collect::<Vec<_>>());
        let graph = bare.with_attributes(Some(rows)).unwrap();
        let mut method = Shoal::new(params(k, 0.5, 0.9)).unwrap();
        let diverse = LDiversity::new(l_diversity::Params { l: 2.0, ..Default::default() }).unwrap();
        let is_possible = sick[..nodes].iter().any(|&one| one != sick[0]);
        if asks && is_possible {
            let claim = Claim::new(&l_diversity::INFO, [("l", serde_json::json!(2))]);
            let model = Model::<Graph>::on_classes(&diverse).unwrap();
            method.demand(vec![Demand { claim, asks: Asks::OfRows(model) }]).unwrap();
        }
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| method.protect(&graph, &mut Rng::seeded(1), &Silent).unwrap())
        };
        let (protected, other) = (run(1), run(2));
        prop_assert_eq!(&protected.record_of, &other.record_of);
        let masked = protected.records.masked().unwrap();
        let model = GraphKAnonymity::new(k_anonymity::Params { k }).unwrap();
        prop_assert!(model.check(&protected.records).unwrap().holds);
        let confidence = EdgeConfidence::new(edge_confidence::Params { c: 0.9 }).unwrap();
        prop_assert!(confidence.check(&protected.records).unwrap().holds);
        if asks && is_possible {
            prop_assert!(Model::<Graph>::check(&diverse, &protected.records).unwrap().holds);
        }
        let withheld = protected.accounts.get(crate::accounts::EDGES_WITHHELD).unwrap();
        prop_assert_eq!(masked.edges() + withheld, graph.edges());
        for (cluster, &size) in masked.sizes.iter().enumerate() {
            let members = protected.record_of.iter().filter(|of| **of == Some(cluster as u32)).count();
            prop_assert_eq!(members, size as usize);
        }
    }
}

/// Promises hold after annealing too, which small graphs do not have, and threads are nothing to the result.
#[test]
fn annealed() {
    let made = crate::synth::graph::Params { persons: SMALL + 5, degree: 9.0, shape: "friends".to_owned(), seed: 3 };
    let bare = crate::synth::graph::graph(&made).unwrap().graph;
    let words = ["flu", "gout", "cold"];
    let lines: Vec<String> = (0..bare.persons()).map(|at| format!("{} {}", at * 7 % 50, words[at % 3])).collect();
    let rows = table("age:q illness:s", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let graph = bare.with_attributes(Some(rows)).unwrap();
    let diverse = LDiversity::new(l_diversity::Params { l: 2.0, ..Default::default() }).unwrap();
    let run = |effort: Effort, threads: usize| {
        let mut method = Shoal::new(Params { effort, ..params(4, 0.25, 0.9) }).unwrap();
        let claim = Claim::new(&l_diversity::INFO, [("l", serde_json::json!(2))]);
        let model = Model::<Graph>::on_classes(&diverse).unwrap();
        method.demand(vec![Demand { claim, asks: Asks::OfRows(model) }]).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| method.protect(&graph, &mut Rng::seeded(1), &Silent).unwrap())
    };
    let (fast, one, two) = (run(Effort::Fast, 1), run(Effort::Normal, 1), run(Effort::Normal, 2));
    assert_eq!(one.record_of, two.record_of);
    assert_ne!(one.record_of, fast.record_of);
    let model = GraphKAnonymity::new(k_anonymity::Params { k: 4 }).unwrap();
    assert!(model.check(&one.records).unwrap().holds);
    assert!(Model::<Graph>::check(&diverse, &one.records).unwrap().holds);
    let confidence = EdgeConfidence::new(edge_confidence::Params { c: 0.9 }).unwrap();
    assert!(confidence.check(&one.records).unwrap().holds);
}

#[test]
fn extremes() {
    for (nodes, pairs) in [(2, vec![(0, 1)]), (5, vec![]), (3, vec![(0, 1), (1, 2), (0, 2)])] {
        let protected = protect(&graph(nodes, &pairs), params(2, 0.5, 1.0));
        assert!(protected.records.masked().unwrap().sizes.iter().all(|&size| size >= 2));
    }
    let all = protect(&nine(), params(9, 0.5, 1.0));
    assert_eq!(all.records.masked().unwrap().sizes, [9]);
    for bad in [params(1, 0.5, 1.0), params(3, 0.5, 0.0), params(3, 0.5, 1.1), params(3, 2.0, 1.0)] {
        assert!(Shoal::new(bad).is_err());
    }
}

/// Not worse than the printed method by its own measure.
#[test]
fn the_nine_nodes() {
    let masked = protect(&nine(), params(3, 0.0, 1.0));
    let loss: f64 = masked.records.masked().unwrap().blocks().map(|block| block.loss()).sum();
    assert!(loss <= 5.778, "{loss}");
}
