//! Methods for graphs, and what they have in common: how a partition of the nodes becomes a masked network.

mod attributes;
mod greedy;
pub mod sangreea;
pub mod shoal;

use std::sync::Arc;

use serde_json::json;

use self::attributes::Attributes;
pub(crate) use self::attributes::costs as label_costs;
pub use self::attributes::loses_nothing;
use crate::accounts::{BLOCKS_LOWERED, EDGES_WITHHELD};
use crate::data::graph::masked::{Block, pairs_of};
use crate::data::graph::{Between, Masked, ValueCounts};
use crate::data::table::{Column, ColumnRole};
use crate::data::{Dataset as _, Graph, Interner, Strings};
use crate::error::{Error, Result};
use crate::info::{Parameter, ParameterKind};
use crate::models::{edge_confidence, graph_k_anonymity};
use crate::release::{Claim, Protected};

const ALPHA: Parameter = Parameter {
    name: "alpha",
    summary: "what the loss of attributes weighs; alpha and beta are 1 together",
    kind: ParameterKind::Weight,
    default: "0.5",
};

const BETA: Parameter = Parameter {
    name: "beta",
    summary: "what the loss of structure weighs; alpha and beta are 1 together",
    kind: ParameterKind::Weight,
    default: "0.5",
};

/// Refuses weights that are not 1 together.
fn check_weights(alpha: f64, beta: f64) -> Result<()> {
    let are_weights = [alpha, beta].iter().all(|weight| (0.0..=1.0).contains(weight));
    if are_weights && (alpha + beta - 1.0).abs() <= 1e-9 {
        return Ok(());
    }
    Err(Error::parameter("alpha", format!("is {alpha} and beta {beta}, but together they must be 1"))
        .with_hint("for example `--alpha 0.25 --beta 0.75`; (0, 1) heeds nothing but structure"))
}

/// Refuses a k that is none.
fn check_k(k: usize) -> Result<()> {
    if k >= 2 {
        return Ok(());
    }
    Err(Error::parameter("k", format!("is {k}, but must be at least 2")).with_hint("one person alone is no crowd"))
}

/// Refuses what no method can protect.
fn refuse(graph: &Graph, k: usize) -> Result<()> {
    graph.refuse_masked()?;
    if graph.persons() < k {
        let problem = format!("is {k}, but there are only {} nodes", graph.persons());
        return Err(Error::parameter("k", problem)
            .with_hint("nobody can hide among more persons than there are: choose a smaller k"));
    }
    Ok(())
}

/// The greatest number of edges that a block of so many pairs may show.
pub(crate) fn most_edges(pairs: u64, share: f64) -> u64 {
    let mut most = (share * pairs as f64).floor() as u64;
    // The last digit of a product is no reason to show less, or more.
    while most < pairs && (most + 1) as f64 / pairs as f64 <= share {
        most += 1;
    }
    while most > 0 && most as f64 / pairs as f64 > share {
        most -= 1;
    }
    most.min(pairs)
}

/// The masked network of a partition, in which no block shows a greater share of edges than is allowed.
fn publish(
    graph: &Graph,
    attributes: &Attributes<'_>,
    clusters: &[Vec<u32>],
    k: usize,
    most: Option<f64>,
    asked: Vec<Claim>,
) -> Protected<Graph> {
    let mut of = vec![0u32; graph.persons()];
    for (at, cluster) in (0u32..).zip(clusters) {
        cluster.iter().for_each(|&node| of[node as usize] = at);
    }
    let mut masked = Masked {
        sizes: clusters.iter().map(|cluster| cluster.len() as u32).collect(),
        inner: vec![0; clusters.len()],
        ..Masked::default()
    };
    let mut crossing: Vec<[u32; 2]> = Vec::new();
    for (left, right) in graph.pairs() {
        let (left, right) = (of[left as usize], of[right as usize]);
        if left == right {
            masked.inner[left as usize] += 1;
        } else {
            crossing.push([left.min(right), left.max(right)]);
        }
    }
    crossing.sort_unstable();
    let pairs = crossing.chunk_by(|one, other| one == other);
    masked.between = pairs.map(|pair| Between { clusters: pair[0], edges: pair.len() as u64 }).collect();
    let (mut withheld, mut lowered) = (0, 0);
    if let Some(most) = most {
        let mut lower = |block: Block| {
            let shown = block.edges.min(most_edges(block.pairs, most));
            if shown < block.edges {
                withheld += block.edges - shown;
                lowered += 1;
            }
            shown
        };
        for (number, (cluster, inner)) in (0u32..).zip(clusters.iter().zip(&mut masked.inner)) {
            let pairs = pairs_of(cluster.len() as u64);
            *inner = lower(Block { clusters: [number; 2], edges: *inner, pairs });
        }
        let blocks: Vec<Block> = masked.between.iter().map(|between| masked.block(between)).collect();
        masked.between.iter_mut().zip(blocks).for_each(|(between, block)| between.edges = lower(block));
        masked.between.retain(|between| between.edges > 0);
    }
    for quasi in &attributes.quasi {
        let mut values = Interner::new();
        let cells = clusters.iter().map(|cluster| values.intern(&quasi.text(&quasi.shown(cluster)))).collect();
        masked.cells.push(Column { values: Arc::new(values.into_strings()), cells, ..quasi.column.clone() });
    }
    for column in graph.attributes().map(|table| table.columns()).unwrap_or_default() {
        if matches!(column.role, ColumnRole::Sensitive | ColumnRole::Plain) {
            let cells = column.cells.iter().enumerate();
            let counts = cells.map(|(node, &cell)| (of[node], cell, 1)).collect();
            masked.values.push(ValueCounts::new(column.clone(), counts));
        }
    }
    let names: Vec<String> = (1..=clusters.len()).map(|cluster| cluster.to_string()).collect();
    let names: Strings = names.iter().map(String::as_str).collect();
    let mut claims = vec![Claim::new(&graph_k_anonymity::INFO, [("k", json!(k))])];
    claims.extend(most.map(|most| Claim::new(&edge_confidence::INFO, [("c", json!(most))])));
    claims.extend(asked);
    let protected = Protected::new(Graph::of_masked(names, masked), of.into_iter().map(Some).collect(), claims);
    match most {
        None => protected,
        Some(_) => protected.counted(EDGES_WITHHELD, withheld).counted(BLOCKS_LOWERED, lowered),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_are_the_greatest_allowed() {
        for pairs in 1..200u64 {
            for share in [0.1, 0.29, 0.5, 0.7, 0.9, 0.99, 1.0] {
                let most = most_edges(pairs, share);
                assert!(most as f64 / pairs as f64 <= share);
                assert!(most == pairs || (most + 1) as f64 / pairs as f64 > share, "{pairs} {share}");
            }
        }
        assert_eq!((most_edges(100, 0.29), most_edges(10, 0.9), most_edges(0, 0.9)), (29, 9, 0));
    }
}
