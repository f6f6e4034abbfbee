//! Structural loss of a masked network: how many pairs somebody gets wrong who guesses edges by the published shares.
//!
//! Paper      Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008, definitions 6 to 8.
//!
//! # Formula
//! intraSIL = 2 e (1 - e / pairs) of a cluster, interSIL the same of two clusters; SIL their sum, which is 2m - 2 sum of e^2 / pairs;
//! NSIL = SIL / (n (n - 1) / 4). Edges that a lowered count does not show add 2 each.
//!
//! # Cost
//! Time O(blocks).

use serde_json::json;

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::Structure;
use crate::data::Graph;
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "structural-loss",
        summary: "expected wrong pairs if edges are guessed by the published counts, by half of all pairs (NSIL)",
        paper: "Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008",
        details: "SIL is the expected number of wrong pairs (an edge taken for none, or the other way round) if pairs of every block are \
            guessed by its share of edges; `parts.intra` inside clusters, `parts.inter` between them, `parts.withheld` for edges that lowered \
            counts do not show. NSIL is SIL / (n (n - 1) / 4), the loss of a half-full graph.\n\
            On a sparse graph NSIL cannot be read: a graph of 4,000 persons with 44 neighbours each can lose at most 0.043 of it, whatever is \
            done. Read `structure-lost` instead.",
        parameters: &[],
    },
    unit: "share",
    better: "lower",
    undefined: "there are no pairs of persons",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct StructuralLoss;

impl Measure<Graph> for StructuralLoss {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Graph>, _context: &Context<'_>) -> Result<Measured> {
        let found = Structure::of(pair.original, pair.release)?;
        let parts = json!({"sil": found.sil(), "intra": found.intra, "inter": found.inter, "withheld": found.withheld});
        Ok(self.measured(Some(found.nsil()), parts))
    }
}
