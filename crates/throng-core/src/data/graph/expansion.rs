//! Expansions: random graphs with exactly the counts of a masked network, so that what is known of graphs can be worked out on it.
//!
//! # Idea
//! Every cluster gets its nodes; of the pairs of a block as many are drawn, all alike, as it has edges.
//!
//! # Cost
//! Time O(edges log edges), memory O(nodes + edges).
//!
//! A network of more than [`MOST_NODES`] nodes or [`MOST_EDGES`] edges is refused: a line of a file may say of a cluster that it has four
//! billion, and the graph would be held as a whole.
//!
//! # Does not
//! know which pairs were edges: whoever draws one is right of a pair with the density of its block.

use super::masked::pairs_of;
use super::{Graph, Masked};
use crate::data::Strings;
use crate::error::{Error, Result};
use crate::rng::Rng;

/// Of more nodes than this no random graph is drawn.
pub const MOST_NODES: u64 = 50_000_000;
/// Of more edges than this no random graph is drawn.
pub const MOST_EDGES: u64 = 200_000_000;

/// A random graph with the counts of a masked network. Nodes stand cluster by cluster.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// The graph; its nodes have made-up names, `node1`, `node2` and so on.
    pub graph: Graph,
    /// For each cluster its first node, and after the last one the number of nodes.
    pub starts: Vec<u32>,
}

impl Expansion {
    /// Draws one. Refuses counts that cannot be, and more nodes or edges than fit into a memory.
    pub fn draw(masked: &Masked, rng: &mut Rng) -> Result<Self> {
        masked.refuse_fault()?;
        if masked.nodes() > MOST_NODES || masked.edges() > MOST_EDGES {
            return Err(Error::refused(format!(
                "the masked network has {} persons and {} edges, and no random graph is drawn of more than {MOST_NODES} and {MOST_EDGES}",
                masked.nodes(),
                masked.edges()
            ))
            .with_hint("`check` needs none; of a protected graph of this size leave `--expand` and measures over expansions out"));
        }
        let mut starts = vec![0u32];
        for &size in &masked.sizes {
            starts.push(starts[starts.len() - 1] + size);
        }
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(masked.edges() as usize);
        for (cluster, (&size, &edges)) in masked.sizes.iter().zip(&masked.inner).enumerate() {
            let first = starts[cluster];
            for pair in drawn(pairs_of(u64::from(size)), edges, rng) {
                let (low, high) = inside(pair);
                pairs.push((first + low, first + high));
            }
        }
        for between in &masked.between {
            let [left, right] = between.clusters.map(|cluster| cluster as usize);
            let width = u64::from(masked.sizes[right]);
            for pair in drawn(u64::from(masked.sizes[left]) * width, between.edges, rng) {
                pairs.push((starts[left] + (pair / width) as u32, starts[right] + (pair % width) as u32));
            }
        }
        let nodes = starts[starts.len() - 1];
        let mut names = Strings::new();
        (1..=nodes).for_each(|node| _ = names.push(&format!("node{node}")));
        Ok(Self { graph: Graph::of_pairs(names, pairs).0, starts })
    }
}

/// So many different numbers below `pairs`.
fn drawn(pairs: u64, count: u64, rng: &mut Rng) -> Vec<u64> {
    if count == pairs {
        return (0..pairs).collect();
    }
    if pairs <= u64::from(u32::MAX) {
        return rng.sample(pairs as usize, count as usize).into_iter().map(u64::from).collect();
    }
    // Floyd's algorithm: one draw for each number kept.
    let mut chosen = std::collections::BTreeSet::new();
    for last in pairs - count..pairs {
        let candidate = rng.below(last + 1);
        if !chosen.insert(candidate) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

/// The pair of nodes of a cluster with this number: (0, 1), (0, 2), (1, 2), (0, 3) and so on.
fn inside(pair: u64) -> (u32, u32) {
    let mut high = ((1.0 + (1.0 + 8.0 * pair as f64).sqrt()) / 2.0) as u64;
    while pairs_of(high) > pair {
        high -= 1;
    }
    while pairs_of(high + 1) <= pair {
        high += 1;
    }
    ((pair - pairs_of(high)) as u32, high as u32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Between;
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn pairs_have_numbers() {
        let all: Vec<(u32, u32)> = (0..6).map(inside).collect();
        assert_eq!(all, [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]);
        for pair in [1 << 40, (1 << 40) + 12345] {
            let (low, high) = inside(pair);
            assert_eq!(pairs_of(u64::from(high)) + u64::from(low), pair);
        }
    }

    /// Four clusters on a way, of which two are told apart only by what lies two steps away.
    #[test]
    fn the_order_of_counts_is_not_that_of_the_file() {
        let between = |clusters: [u32; 2], edges| Between { clusters, edges };
        let one = Masked {
            sizes: vec![3, 3, 3, 4],
            inner: vec![1, 0, 0, 2],
            between: vec![between([0, 1], 2), between([1, 2], 2), between([2, 3], 2)],
            ..Masked::default()
        };
        let other = Masked {
            sizes: vec![4, 3, 3, 3],
            inner: vec![2, 0, 1, 0],
            between: vec![between([3, 2], 2), between([0, 1], 2), between([3, 1], 2)],
            ..Masked::default()
        };
        let [(one, places), (other, others)] = [&one, &other].map(Masked::in_order_of_counts);
        assert_eq!((&one.sizes, &one.inner, &one.between), (&other.sizes, &other.inner, &other.between));
        let same = [(0, 2), (1, 3), (2, 1), (3, 0)];
        assert!(
            same.iter().all(|&(left, right): &(usize, usize)| places[left] == others[right]),
            "{places:?} {others:?}"
        );
    }

    /// Sizes whose sum is more than 32 bits have, and counts that no memory holds.
    #[test]
    fn what_is_too_large_is_refused() {
        let whole = |size: u32| pairs_of(u64::from(size));
        for (sizes, inner) in [
            (vec![u32::MAX, u32::MAX], vec![5, 5]),
            (vec![u32::MAX; 3], vec![whole(u32::MAX); 3]),
            (vec![60_000], vec![whole(60_000)]),
            (vec![2_000_000_000], vec![0]),
        ] {
            let masked = Masked { sizes, inner, ..Masked::default() };
            let error = Expansion::draw(&masked, &mut Rng::seeded(1)).unwrap_err().describe(false);
            assert!(error.contains("no random graph is drawn"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn an_expansion_has_exactly_the_counts(
            sizes in prop::collection::vec(1u32..6, 1..6), shares in prop::collection::vec(0u64..=10, 21), seed: u64,
        ) {
            let count = sizes.len();
            let mut shares = shares.into_iter();
            let mut edges = |pairs: u64| pairs * shares.next().unwrap_or(0) / 10;
            let inner: Vec<u64> = sizes.iter().map(|&size| edges(pairs_of(u64::from(size)))).collect();
            let mut between = Vec::new();
            for left in 0..count {
                for right in left + 1..count {
                    let edges = edges(u64::from(sizes[left] * sizes[right]));
                    between.push(Between { clusters: [right as u32, left as u32], edges });
                }
            }
            let masked = Masked { sizes, inner, between, ..Masked::default() };
            let expansion = Expansion::draw(&masked, &mut Rng::seeded(seed)).unwrap();
            let cluster = |node: u32| expansion.starts.partition_point(|&start| start <= node) as u32 - 1;
            let mut counts = std::collections::BTreeMap::new();
            for (left, right) in expansion.graph.pairs() {
                *counts.entry([cluster(left), cluster(right)]).or_insert(0u64) += 1;
            }
            for block in masked.blocks() {
                let [left, right] = block.clusters;
                let found = counts.get(&[left.min(right), left.max(right)]).copied().unwrap_or(0);
                prop_assert_eq!(found, block.edges);
            }
            prop_assert_eq!(expansion.graph.edges(), masked.edges());
        }
    }
}
