//! Table 2 of the paper, and the printed algorithm with vectors of n and exact fractions as the oracle of the fast one.

use proptest::prelude::*;

use super::*;
use crate::data::graph::masked::Block;
use crate::data::graph::testing::{graph, nine, random};
use crate::data::table::testing::{table, with_hierarchies};
use crate::progress::Silent;
use crate::rng::Rng;

fn params(k: usize, alpha: f64, exact: bool) -> Params {
    Params { k, alpha, beta: 1.0 - alpha, exact }
}

fn partition(graph: &Graph, params: Params) -> Vec<Vec<u32>> {
    Sangreea::new(params).unwrap().partition(graph, &Silent).unwrap()
}

/// As printed: cut after three decimals (reading N8).
fn cut(value: f64) -> f64 {
    (value * 1000.0 + 1e-9).floor() / 1000.0
}

#[test]
fn table_2_of_the_paper() {
    let nine = nine();
    let thirds = |block: &Block| (9.0 * block.loss()).round() / 9.0;
    for (alpha, clusters, gil, ngil, intra, inter, sil, nsil) in [
        (1.0, [[4, 7, 8], [1, 2, 3], [5, 6, 9]], 7.730, 0.286, [12, 0, 12], [16, 36, 0], 8.444, 0.469),
        (0.0, [[4, 5, 6], [1, 2, 3], [7, 8, 9]], 14.307, 0.529, [0, 0, 0], [16, 36, 0], 5.777, 0.320),
    ] {
        let found = partition(&nine, params(3, alpha, true));
        // Members in the order of the file: the paper prints sets.
        let sets: Vec<Vec<u32>> = found
            .iter()
            .map(|cluster| {
                let mut set: Vec<u32> = cluster.iter().map(|node| node + 1).collect();
                set.sort_unstable();
                set
            })
            .collect();
        assert_eq!(sets, clusters);
        let attributes = Attributes::of(nine.attributes()).unwrap();
        let loss: f64 = found.iter().map(|cluster| cluster.len() as f64 * attributes.cost_of(cluster)).sum();
        assert_eq!((cut(loss), cut(loss / 27.0)), (gil, ngil));
        let method = Sangreea::new(params(3, alpha, true)).unwrap();
        let protected = method.protect(&nine, &mut Rng::seeded(1), &Silent).unwrap();
        let masked = protected.records.masked().unwrap();
        let inside: Vec<f64> = masked.blocks().take(3).map(|block| thirds(&block)).collect();
        assert_eq!(inside, intra.map(|ninths| f64::from(ninths) / 9.0));
        let of =
            |pair: [u32; 2]| masked.blocks().find(|block| block.clusters == pair).map_or(0.0, |block| thirds(&block));
        assert_eq!([of([0, 1]), of([0, 2]), of([1, 2])], inter.map(|ninths| f64::from(ninths) / 9.0));
        let whole: f64 = masked.blocks().map(|block| block.loss()).sum();
        assert_eq!((cut(whole), cut(whole / 18.0)), (sil, nsil));
        let second: Vec<&str> = masked.cells.iter().map(|column| column.text(1)).collect();
        assert_eq!(second, ["25..27", "410**", "male"]);
        assert_eq!(protected.record_of[0], Some(1));
    }
}

/// A fraction of whole numbers, never cut.
#[derive(Debug, Clone, Copy)]
struct Fraction(i128, i128);

impl Fraction {
    fn plus(self, other: Self) -> Self {
        let (top, bottom) = (self.0 * other.1 + other.0 * self.1, self.1 * other.1);
        let (mut a, mut b) = (top.abs(), bottom);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Self(top / a.max(1), bottom / a.max(1))
    }

    fn times(self, top: i128, bottom: i128) -> Self {
        Self(self.0 * top, self.1 * bottom).plus(Self(0, 1))
    }

    fn is_below(self, other: Self) -> bool {
        self.0 * other.1 < other.0 * self.1
    }
}

/// The pseudocode, line by line, with vectors of n bits. Attributes are whole numbers; weights quarters.
fn printed(graph: &Graph, rows: &[Vec<i128>], k: usize, quarters: i128) -> Vec<Vec<u32>> {
    let n = graph.persons();
    let vector = |node: usize| (0..n).map(|other| graph.has_edge(node as u32, other as u32)).collect::<Vec<bool>>();
    let vectors: Vec<Vec<bool>> = (0..n).map(vector).collect();
    let dist = |x: usize, y: usize| {
        let differ = (0..n).filter(|&l| l != x && l != y && vectors[x][l] != vectors[y][l]).count();
        if n == 2 { Fraction(0, 1) } else { Fraction(differ as i128, n as i128 - 2) }
    };
    let columns = rows.first().map_or(0, Vec::len);
    let range = |column: usize, nodes: &[usize]| {
        let all = || nodes.iter().map(|&node| rows[node][column]);
        all().max().unwrap() - all().min().unwrap()
    };
    let everybody: Vec<usize> = (0..n).collect();
    let cost = |x: usize, cluster: &[usize]| {
        let mut with: Vec<usize> = cluster.to_vec();
        with.push(x);
        let mut ngil = Fraction(0, 1);
        for column in 0..columns {
            let whole = range(column, &everybody);
            if whole > 0 {
                ngil = ngil.plus(Fraction(range(column, &with), whole * columns as i128));
            }
        }
        let mut apart = Fraction(0, 1);
        cluster.iter().for_each(|&y| apart = apart.plus(dist(x, y)));
        ngil.times(quarters, 4).plus(apart.times(4 - quarters, 4 * cluster.len() as i128))
    };
    let mut left: Vec<usize> = (0..n).collect();
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    while !left.is_empty() {
        let seed = *left.iter().max_by_key(|&&node| (graph.degree(node as u32), std::cmp::Reverse(node))).unwrap();
        left.retain(|&node| node != seed);
        let mut cluster = vec![seed];
        while cluster.len() < k && !left.is_empty() {
            let mut best = left[0];
            for &node in &left {
                if cost(node, &cluster).is_below(cost(best, &cluster)) {
                    best = node;
                }
            }
            left.retain(|&node| node != best);
            cluster.push(best);
        }
        if cluster.len() == k {
            clusters.push(cluster);
            continue;
        }
        for node in cluster {
            let mut best = 0;
            for at in 0..clusters.len() {
                if cost(node, &clusters[at]).is_below(cost(node, &clusters[best])) {
                    best = at;
                }
            }
            clusters[best].push(node);
        }
    }
    clusters.into_iter().map(|cluster| cluster.into_iter().map(|node| node as u32).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn the_fast_one_is_the_printed_one(
        bare in random(14),
        ages in prop::collection::vec((0i128..6, 0i128..3), 14),
        k in 2usize..5,
        quarters in 0i128..=4,
        with_attributes: bool,
    ) {
        let n = bare.persons();
        prop_assume!(n >= k);
        let rows: Vec<Vec<i128>> = ages[..n].iter().map(|&(age, height)| vec![age, height]).collect();
        let lines: Vec<String> = rows.iter().map(|row| format!("{} {}", row[0], row[1])).collect();
        let attributes = table("age:q height:q", &lines.iter().map(String::as_str).collect::<Vec<_>>());
        let graph = if with_attributes { bare.with_attributes(Some(attributes)).unwrap() } else { bare };
        let (rows, quarters) = if with_attributes { (rows, quarters) } else { (vec![Vec::new(); n], 0) };
        let expected = printed(&graph, &rows, k, quarters);
        let alpha = quarters as f64 / 4.0;
        prop_assert_eq!(partition(&graph, params(k, alpha, true)), expected);
    }
}

#[test]
fn extremes() {
    // All of them, none of the edges, all of the edges; a rest that is dispersed.
    let empty = graph(7, &[]);
    assert_eq!(partition(&empty, params(7, 0.5, false)).len(), 1);
    assert_eq!(partition(&empty, params(3, 0.5, false)), [vec![0, 1, 2, 6], vec![3, 4, 5]]);
    let all: Vec<(u32, u32)> = (0..6).flat_map(|left| (left + 1..6).map(move |right| (left, right))).collect();
    assert_eq!(partition(&graph(6, &all), params(2, 0.0, false)).len(), 3);
    assert_eq!(partition(&graph(2, &[(0, 1)]), params(2, 0.0, true)), [[0, 1]]);
    let error = Sangreea::new(params(3, 0.5, false)).unwrap().partition(&graph(2, &[]), &Silent).unwrap_err();
    assert!(error.to_string().contains("only 2 nodes"), "{error}");
    for (k, alpha, beta) in [(1, 0.5, 0.5), (3, 0.5, 0.6), (3, -0.5, 1.5), (3, f64::NAN, 0.5)] {
        assert!(Sangreea::new(Params { k, alpha, beta, exact: false }).is_err());
    }
}

/// A constant column and a value that its hierarchy does not have.
#[test]
fn columns_that_say_nothing_lose_nothing() {
    let constant = table("age:q", &["5", "5", "5", "5"]);
    let plain = graph(4, &[(0, 1), (2, 3)]);
    let with = plain.clone().with_attributes(Some(constant)).unwrap();
    assert_eq!(partition(&with, params(2, 0.0, true)), partition(&plain, params(2, 0.0, true)));
    let other = with_hierarchies(table("a:q", &["x", "x", "y", "y"]), &[("a", "x;*\n")]);
    let error = Sangreea::new(params(2, 0.5, true))
        .unwrap()
        .partition(&plain.with_attributes(Some(other)).unwrap(), &Silent)
        .unwrap_err();
    assert!(error.describe(false).contains("not in the hierarchy"), "{error}");
}
