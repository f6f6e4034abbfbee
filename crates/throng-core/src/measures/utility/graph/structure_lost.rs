//! How much of a graph's structure a masked network loses: the share of the worst that could be done to it.
//!
//! Paper      Ours, on the losses of Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008.
//!
//! # Formula
//! SIL / SIL of the partition into one cluster = SIL / (2m (1 - m / (n (n - 1) / 2))); 0 where that is 0. One cluster is the worst
//! partition (Cauchy and Schwarz), so this lies between 0 and 1 on any graph.
//!
//! # Cost
//! Time O(blocks).

use serde_json::json;

use super::super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use super::Structure;
use crate::data::Graph;
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "structure-lost",
        summary: "what is lost of the edges, as a share of what one cluster of everybody would lose",
        paper: "ours; SIL is that of Campan, Truta. PinKDD 2008",
        details: "SIL of the release by SIL of one cluster of all persons, the worst partition there is: 0 is nothing lost, 1 everything, on \
            any graph, dense or sparse. Read it instead of NSIL (`structural-loss`), whose greatest value depends on how many edges a graph \
            has: on a sparse one every release looks good by it. `parts.worst` is the SIL of one cluster.",
        parameters: &[],
    },
    unit: "share",
    better: "lower",
    says: "Of what the edges say, {%} is lost.",
    headline: Some(Headline::Loss(Lost::Share)),
    undefined: "there are no pairs of persons",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct StructureLost;

impl Measure<Graph> for StructureLost {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Graph>, _context: &Context<'_>) -> Result<Measured> {
        let found = Structure::of(pair.original, pair.release)?;
        Ok(self.measured(Some(found.lost()), json!({"sil": found.sil(), "worst": found.worst()})))
    }
}
