//! Clustering kept: whether friends of somebody still know each other in a random graph with the published counts.
//!
//! Paper      Watts, Strogatz. Collective dynamics of small-world networks. Nature 1998, for the coefficients.
//!
//! # Formula
//! Local clustering of a node of d neighbours: edges among them by d (d - 1) / 2, 0 for fewer than two. Transitivity: closed pairs of
//! neighbours by all pairs of neighbours, over all nodes. Kept: the smaller of before and after by the greater; after is the mean over
//! expansions.
//!
//! # Cost
//! Time O(expansions x edges x the square root of edges). Above 100,000 nodes a sample of so many.

use serde_json::json;

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::expanded::{MOST_NODES, kept, mean, of_each, sampled};
use crate::data::Graph;
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "clustering-kept",
        summary: "whether friends of somebody still know each other in a random graph with the published counts",
        paper: "ours; clustering is that of Watts, Strogatz. Collective dynamics of small-world networks. Nature 1998",
        details: "The mean local clustering of the original and of random graphs with exactly the published counts (`--expansions`, 5, by the seed): \
            the smaller by the greater. `parts.local` and `parts.transitivity` have both numbers, before and after. Of more than 100,000 persons \
            a sample of so many is looked at (`parts.sampled`).",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    says: "Of how much friends of somebody know each other, {%} is kept in a graph drawn from the counts.",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct ClusteringKept;

impl Measure<Graph> for ClusteringKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Graph>, context: &Context<'_>) -> Result<Measured> {
        let of = |graph: &Graph| graph.clustering(sampled(graph, context, MOST_NODES).as_deref());
        let found = of_each(pair, context, |_, expansion, _| of(&expansion.graph))?;
        let before = of(pair.original);
        let after = [0, 1].map(|at| mean(found.iter().map(|both| both[at])));
        let value = (!found.is_empty()).then(|| kept(before[0], after[0]));
        let is_sampled = pair.original.nodes() > MOST_NODES as u64;
        let parts = json!({
            "local": {"before": before[0], "after": after[0]},
            "transitivity": {"before": before[1], "after": after[1], "kept": kept(before[1], after[1])},
            "expansions": found.len(),
            "sampled": is_sampled.then_some(MOST_NODES),
        });
        Ok(self.measured(value, parts))
    }
}
