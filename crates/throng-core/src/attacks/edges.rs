//! Edges: somebody who reads a masked network knows for certain who is whose neighbour where a block is full.
//!
//! Paper      Ours: Campan and Truta do not mention it.
//!
//! # Formula
//! attempts = edges of the original; hits = edges in blocks whose pairs are all published as edges. A count at a cap that the certificate
//! names may be any greater one: it is not certain, and counts as full in `above_90`.
//!
//! # Cost
//! Time O(blocks).

use serde_json::json;

use super::structure::upper;
use super::{Asked, Attack, AttackInfo, Outcome, Scene};
use crate::data::Graph;
use crate::data::graph::masked::pairs_of;
use crate::error::Result;
use crate::info::Info;
use crate::methods::graph::most_edges;
use crate::models::edge_confidence;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "edges",
        summary: "somebody who reads a masked network takes every pair of a full block for an edge",
        paper: "ours",
        details: "A masked network says of every block (a cluster with itself, or two clusters) how many of its pairs are edges. Of a full \
            block every edge is known, of an empty one that there is none; who is in which cluster need not be known for that. attempts are \
            the edges of the original, hits those that are certain; `parts.above_90` is the share of published edges in blocks of density 0.9 \
            and more, `parts.non_edges_certain` the share of pairs without an edge that lie in empty blocks.\n\
            edge-confidence(c) below 1 leaves none: a count at its cap may stand for more edges, and is not certain. Needs no link.",
        parameters: &[],
    },
    who: ["reads which pairs must be edges", "reads which pairs must be edges"],
    needs: &[],
    in_reports: true,
    no_promise: "k-anonymity of graphs promises nothing about edges: edge-confidence does (`--max-confidence`)",
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Edges;

/// What is known for certain.
#[derive(Debug, Default)]
struct Certain {
    edges: u64,
    published: u64,
    above_90: u64,
    /// Pairs of which it is known that they are none.
    none: u64,
    pairs: u64,
}

impl Attack<Graph> for Edges {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Graph>, asked: &Asked) -> Result<Vec<Outcome>> {
        let cap = asked.promised(edge_confidence::INFO.name, "c").filter(|cap| *cap < 1.0);
        let looking = scene.knowing_nothing().looking(|released, ()| {
            let data = released.data;
            let (nodes, edges) = (data.nodes(), data.edges());
            let mut found = Certain { pairs: pairs_of(nodes), published: edges, ..Certain::default() };
            let Some(masked) = data.masked() else {
                return Ok(Certain { edges, above_90: edges, none: found.pairs.saturating_sub(edges), ..found });
            };
            let mut open = 0;
            for block in masked.blocks().filter(|block| block.pairs > 0) {
                let is_capped = cap.is_some_and(|cap| block.edges >= most_edges(block.pairs, cap));
                let most = upper(block.edges, block.pairs, cap);
                found.edges += if block.edges >= block.pairs && !is_capped { block.edges } else { 0 };
                found.above_90 += if most as f64 >= 0.9 * block.pairs as f64 { block.edges } else { 0 };
                open += if block.edges > 0 || is_capped { block.pairs } else { 0 };
            }
            // A cap that allows nothing hides whether there is something, in every block.
            let is_hidden =
                cap.is_some_and(|cap| masked.sizes.iter().any(|&size| most_edges(u64::from(size).pow(2), cap) == 0));
            found.none = if is_hidden { 0 } else { found.pairs.saturating_sub(open) };
            Ok(found)
        })?;
        looking.once(
            |_, ()| Ok(()),
            |truth, found, (), ()| {
                let edges = truth.original.edges();
                let none = found.pairs.saturating_sub(edges).max(1);
                let bound = cap.map(|_| 0.0);
                let outcome = Outcome::new(&INFO, edges, found.edges.min(edges) as f64)
                    .with_baseline(Some(0.0))
                    .with_bound(bound);
                let parts = json!({
                    "above_90": found.above_90 as f64 / found.published.max(1) as f64,
                    "non_edges_certain": (found.none as f64 / none as f64).min(1.0),
                });
                vec![Outcome { parts, ..outcome }]
            },
        )
    }
}
