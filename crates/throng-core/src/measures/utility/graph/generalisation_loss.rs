//! Generalisation loss of a masked network: how much less its cells say than those of the nodes.
//!
//! Paper      Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008, definitions 4 and 5.
//!
//! # Formula
//! GIL = sum over clusters of size x sum over columns of (width of the interval by the range over all nodes; of a label, the height of
//! the tree under it by that of the whole). NGIL = GIL / (nodes x columns). A range or a height of 0 loses nothing.
//!
//! # Cost
//! Time O(clusters x columns).

use serde_json::{Map, json};

use super::super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use crate::data::Graph;
use crate::data::table::{Cell, cell};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::methods::graph::label_costs;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "generalisation-loss",
        summary: "how much less the cells of clusters say than those of their persons (NGIL)",
        paper: "Campan, Truta. Data and structural k-anonymity in social networks. PinKDD 2008",
        details: "NGIL: the mean over persons and quasi columns of what the cell of their cluster leaves open: an interval by the range over \
            all persons, a label by the height of the tree under it. 0 is nothing lost, 1 everything. `parts.gil` is the sum, \
            `parts.by_column` the mean of each column. Needs the original with its hierarchies, no key.",
        parameters: &[],
    },
    unit: "share",
    better: "lower",
    says: "Of what the columns said, {%} is left open.",
    headline: Some(Headline::Loss(Lost::Share)),
    undefined: "the persons have no quasi columns",
    against: &["structure-lost"],
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct GeneralisationLoss;

impl Measure<Graph> for GeneralisationLoss {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Graph>, _context: &Context<'_>) -> Result<Measured> {
        let masked = pair.release.as_masked()?;
        let nodes = masked.nodes().max(1) as f64;
        let (mut gil, mut by_column) = (0.0, Map::new());
        for own in &masked.cells {
            let table = pair.original.attributes().ok_or_else(|| {
                Error::refused("the release has quasi columns, and the original's nodes have none")
                    .with_hint("give the file of nodes: `--nodes FILE`")
            })?;
            let column = &table.columns()[table.find(&own.name)?];
            let costs = column.hierarchy.as_deref().map(label_costs);
            let is_flat = costs.as_ref().is_some_and(|costs| costs.iter().flatten().all(|&cost| cost == 0.0));
            let numbers = column.numbers();
            let known = numbers.iter().copied().filter(|number| !number.is_nan());
            let range = (known.clone().fold(f64::INFINITY, f64::min), known.fold(f64::NEG_INFINITY, f64::max));
            let loss = |text: &str| match (Cell::of(text, column), &costs) {
                (Cell::Node(level, node), Some(costs)) => costs[level][node as usize],
                (Cell::Interval(low, high), _) => cell::width(low, high, range),
                (Cell::Value, _) => 0.0,
                _ if is_flat => 0.0,
                (Cell::All | Cell::Node(..), _) => 1.0,
            };
            let of_value: Vec<f64> = own.values.iter().map(loss).collect();
            let sizes = masked.sizes.iter().zip(&own.cells);
            let sum: f64 = sizes.map(|(&size, &cell)| f64::from(size) * of_value[cell as usize]).sum();
            gil += sum;
            by_column.insert(own.name.clone(), json!(sum / nodes));
        }
        let columns = masked.cells.len();
        let value = (columns > 0).then(|| gil / (nodes * columns as f64));
        Ok(self.measured(value, json!({"gil": gil, "by_column": by_column})))
    }
}
