//! Hierarchy loss: how many leaves published cells leave open, by ARX's loss with a balance of one half.
//!
//! Paper      Iyengar. Transforming data to satisfy privacy constraints. KDD 2002; as ARX computes it.
//!
//! # Formula
//! A column with a hierarchy of D leaves: max(0, (T - n / D) / (n - n / D)), T the sum over rows of leaves under the published
//! value / D, 1 for a row that is left out. A column of numbers without a hierarchy: the mean width of its intervals by the range, 1
//! for a row that is left out. The parts are floored at 10 decimals; the headline is the product of (1 + part)^(1 / columns), less 1.
//!
//! # Cost
//! Time O(rows x columns).

use serde_json::{Map, json};

use super::super::cells::{Compared, rows_of_rows};
use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::data::Dataset as _;
use crate::data::table::{Cell, Table};
use crate::error::Result;
use crate::info::Info;
use crate::methods::table::quality::floored;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "hierarchy-loss",
        summary: "how many leaves published cells leave open, geometric mean over columns (ARX's loss)",
        paper: "Iyengar. Transforming data to satisfy privacy constraints. KDD 2002",
        details: "ARX's loss with a balance of one half. A column with a hierarchy of D leaves: (T - n / D) / (n - n / D), T the sum over \
            rows of the share of leaves under the published value, 1 for a row that is left out; a column of intervals: their mean \
            width by the range. The headline is the geometric mean of 1 + part over columns, less 1. Means and noisy numbers cover no value, and have no \
            loss of this sort.",
        parameters: &[],
    },
    unit: "share",
    better: "lower",
    undefined: "a published cell does not cover what it stands for, as a mean does not, or the original has no rows",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct HierarchyLoss;

impl Measure<Table> for HierarchyLoss {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Table>, _context: &Context<'_>) -> Result<Measured> {
        let columns = Compared::all(pair)?;
        let became = rows_of_rows(pair);
        if !columns.iter().all(|column| column.is_covering(became.as_deref())) {
            return Ok(self.measured(None, json!({})));
        }
        let rows = pair.original.rows() as f64;
        let missing = pair.original.rows().saturating_sub(pair.release.rows()) as f64;
        let (mut product, mut by_column) = (1.0, Map::new());
        let weights: f64 = columns.iter().map(Compared::weight).sum();
        for column in &columns {
            let hierarchy = column.original.hierarchy.as_deref();
            let share = |cell: &Cell| match (cell, hierarchy) {
                (Cell::Node(level, node), Some(hierarchy)) => {
                    f64::from(hierarchy.leaves_under(*level, *node)) / f64::from(hierarchy.leaves())
                }
                (cell, hierarchy) => cell.penalty(hierarchy, column.range),
            };
            let shares: Vec<f64> = column.says.iter().map(share).collect();
            let mut counts = vec![0u64; shares.len()];
            column.release.cells.iter().for_each(|&cell| counts[cell as usize] += 1);
            let mut parts: Vec<f64> = counts.iter().zip(&shares).map(|(&count, share)| count as f64 * share).collect();
            parts.sort_by(f64::total_cmp);
            let sum = parts.iter().sum::<f64>() + missing;
            let least = hierarchy.map_or(0.0, |hierarchy| rows / f64::from(hierarchy.leaves()));
            let part = if rows > least { floored(((sum - least) / (rows - least)).max(0.0)) } else { 0.0 };
            by_column.insert(column.original.name.clone(), json!(part));
            product *= (1.0 + part).powf(column.weight() / weights);
        }
        Ok(self.measured((rows > 0.0).then_some(product - 1.0), json!({"columns": by_column})))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::cells::testing::{measure, unlinked};
    use super::*;
    use crate::data::table::testing::{generalised, twelve};

    #[test]
    fn the_case_by_hand() {
        let original = twelve();
        let whole = generalised(&original, &[("zip", 1)]);
        let kept = whole.retaining(|row| whole.columns()[1].text(row) == "m");
        let value = unlinked(&HierarchyLoss, &original, &kept).value.unwrap();
        assert!((value - 0.462_494_064_516_682_85).abs() < 1e-9, "{value}");
        assert_eq!(measure(&HierarchyLoss, &original, &original).value, Some(0.0));
    }
}
