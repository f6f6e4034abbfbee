//! Edges kept: how many of the true edges are in a random graph with the published counts.
//!
//! Paper      Ours.
//!
//! # Formula
//! In every expansion, each node of a cluster may be each of its persons: of the e true edges of a block with p pairs of which x are
//! published as edges, e x / p are expected in it. The sum over blocks by all edges. Every expansion has the same counts, so this is
//! its mean over all of them, and nothing need be drawn.
//!
//! # Cost
//! Time O(edges log edges).

use serde_json::json;

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::data::Graph;
use crate::data::graph::masked::pairs_of;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "edges-kept",
        summary: "the share of true edges that a random graph with the published counts has",
        paper: "ours",
        details: "A random graph with the published counts has so many of the true edges, on average over all such graphs and over who of a cluster \
            is which node of it: sum over blocks of true edges x published edges / pairs, by all edges. Exact: no graph is drawn for it. \
            Where no count is lowered it is 1 - SIL / (2 edges). Needs the link between persons (--key).",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    says: "Of the true edges {%} are in a graph drawn from the counts.",
    undefined: "there are no edges",
    needs: &[Need::Link],
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct EdgesKept;

impl Measure<Graph> for EdgesKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Graph>, _context: &Context<'_>) -> Result<Measured> {
        pair.original.refuse_masked()?;
        let masked = pair.release.as_masked()?;
        masked.refuse_fault()?;
        let link = pair.link.as_deref().unwrap_or_default();
        let cluster = |node: u32| link.get(node as usize).copied().flatten();
        let block = |(left, right): (u32, u32)| {
            let (left, right) = (cluster(left)?, cluster(right)?);
            Some([left.min(right), left.max(right)])
        };
        let mut blocks: Vec<[u32; 2]> = pair.original.pairs().filter_map(block).collect();
        blocks.sort_unstable();
        let mut published: Vec<([u32; 2], u64)> = masked
            .between
            .iter()
            .map(|between| {
                let [left, right] = between.clusters;
                ([left.min(right), left.max(right)], between.edges)
            })
            .collect();
        published.sort_unstable();
        let size = |cluster: u32| u64::from(masked.sizes[cluster as usize]);
        let share = |[left, right]: [u32; 2]| {
            let (edges, pairs) = if left == right {
                (masked.inner[left as usize], pairs_of(size(left)))
            } else {
                let at = published.binary_search_by_key(&[left, right], |(clusters, _)| *clusters);
                (at.map_or(0, |at| published[at].1), size(left) * size(right))
            };
            if pairs == 0 { 0.0 } else { edges as f64 / pairs as f64 }
        };
        let kept: f64 = blocks.chunk_by(|one, other| one == other).map(|same| same.len() as f64 * share(same[0])).sum();
        let edges = pair.original.edges();
        let value = (edges > 0).then(|| kept / edges as f64);
        Ok(self.measured(value, json!({"edges": kept})))
    }
}
