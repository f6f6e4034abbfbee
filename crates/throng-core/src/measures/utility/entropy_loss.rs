//! Entropy loss: how many bits of the quasi cells a release no longer tells.
//!
//! Paper      de Waal, Willenborg. Information loss through global recoding and local suppression. 1999; non-uniform entropy of
//!            Gionis, Tassa. IEEE TKDE 21 (2009).
//!
//! # Formula
//! For every row and quasi column - log2(n_a / n_c): n_a rows of the original have the row's value a, n_c have a value that the
//! published cell covers. A row that is left out says that its value is one of all. The sum over rows and columns; where whole
//! columns are generalised it is ARX's non-uniform entropy, suppression apart.
//!
//! # Cost
//! Time O(rows log rows x columns), memory O(values).

use serde_json::{Map, json};

use super::super::cells::{Compared, rows_of_rows};
use super::super::{Context, Drawn, Measure, MeasureInfo, Measured, Pair};
use crate::data::Dataset as _;
use crate::data::table::{Cell, Table};
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "entropy-loss",
        summary: "how many bits of the quasi cells a release no longer tells (non-uniform entropy)",
        paper: "de Waal, Willenborg. Information loss through global recoding and local suppression. 1999; Gionis, Tassa. IEEE TKDE \
                21 (2009)",
        details: "For every row and quasi column - log2(n_a / n_c), n_a the rows of the original with the row's value and n_c those with \
            a value that the published cell covers; a row that is left out may be any. `parts.share` is the share of the worst case, \
            in which every cell is `*`; `parts.columns` has it by column. Means of microaggregation cover no value, and have no \
            entropy.\n\
            Needs the link between rows (--key), and one row a person.",
        parameters: &[],
    },
    unit: "bits",
    better: "lower",
    undefined: "a published cell does not cover what it stands for, as a mean does not, or a person has several rows",
    needs: &[Need::Link],
    drawn: Drawn::Share,
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct EntropyLoss;

impl Measure<Table> for EntropyLoss {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Table>, _context: &Context<'_>) -> Result<Measured> {
        let Some(rows) = rows_of_rows(pair) else { return Ok(self.measured(None, json!({}))) };
        let all = pair.original.rows() as f64;
        let (mut sum, mut worst, mut by_column) = (0.0, 0.0, Map::new());
        for column in Compared::all(pair)? {
            let mut counts = vec![0u64; column.original.values.len()];
            column.original.cells.iter().for_each(|&cell| counts[cell as usize] += 1);
            let covered = covered(&column, &counts);
            let fits = column.covering();
            // How often each value became each cell, so that the sum does not depend on the order of rows.
            let mut pairs: Vec<(u32, Option<u32>)> = rows
                .iter()
                .zip(&column.original.cells)
                .map(|(row, &cell)| (cell, row.map(|row| column.release.cells[row])))
                .collect();
            pairs.sort_unstable();
            let mut parts = Vec::new();
            for run in pairs.chunk_by(|left, right| left == right) {
                let (value, became) = run[0];
                let own = counts[value as usize] as f64;
                let (among, fits) = match became {
                    Some(became) => (covered[became as usize] as f64, fits(value, became)),
                    None => (all, true),
                };
                if !fits {
                    return Ok(self.measured(None, json!({})));
                }
                parts.push(-(run.len() as f64) * (own / among).log2());
                worst += column.weight() * -(run.len() as f64) * (own / all).log2();
            }
            parts.sort_by(f64::total_cmp);
            let own: f64 = parts.iter().sum();
            by_column.insert(column.original.name.clone(), json!(own));
            sum += column.weight() * own;
        }
        let share = if worst > 0.0 { sum / worst } else { 0.0 };
        Ok(self.measured(Some(sum), json!({"share": share, "columns": by_column})))
    }
}

/// For each value of the release how many rows of the original it covers, given how many have each value of it.
fn covered(column: &Compared<'_>, counts: &[u64]) -> Vec<u64> {
    let values = &column.original.values;
    // Numbers in their order, with how many rows are below each.
    let numbers = column.original.numbers();
    let mut order: Vec<usize> = (0..counts.len()).filter(|&at| !numbers[at].is_nan()).collect();
    order.sort_by(|&left, &right| numbers[left].total_cmp(&numbers[right]));
    let mut below = vec![0];
    order.iter().for_each(|&at| below.push(below[below.len() - 1] + counts[at]));
    let rows_of_text =
        |text: &str| (0..counts.len()).find(|&at| values.get(at as u32) == text).map_or(0, |at| counts[at]);
    let hierarchy = column.original.hierarchy.as_deref();
    let by_leaf: Vec<(u32, u64)> = match hierarchy {
        Some(hierarchy) => {
            values.iter().zip(counts).filter_map(|(text, &count)| Some((hierarchy.leaf(text)?, count))).collect()
        }
        None => Vec::new(),
    };
    let one = |(cell, text): (&Cell, &str)| match (cell, hierarchy) {
        (Cell::Node(level, node), Some(hierarchy)) => {
            by_leaf.iter().filter(|(leaf, _)| hierarchy.node(*level, *leaf) == *node).map(|(_, count)| count).sum()
        }
        (Cell::Interval(low, high), _) => {
            let from = order.partition_point(|&at| numbers[at] < *low);
            let to = order.partition_point(|&at| numbers[at] <= *high);
            below[to.max(from)] - below[from]
        }
        (Cell::All, _) => counts.iter().sum(),
        _ => rows_of_text(text),
    };
    column.says.iter().zip(column.release.values.iter()).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::cells::testing::measure;
    use super::*;
    use crate::data::table::testing::{generalised, table, twelve};

    #[test]
    fn the_case_by_hand() {
        let original = twelve();
        let whole = generalised(&original, &[("zip", 1)]);
        let found = measure(&EntropyLoss, &original, &whole);
        assert!((found.value.unwrap() - 15.751_349_924_5).abs() < 1e-9);
        assert_eq!(measure(&EntropyLoss, &original, &original).value, Some(0.0));
        let all = generalised(&original, &[("zip", 2), ("sex", 1)]);
        assert!((measure(&EntropyLoss, &original, &all).parts["share"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_mean_has_no_entropy() {
        let found = measure(&EntropyLoss, &table("x:q", &["1", "2"]), &table("x:q", &["1.5", "1.5"]));
        assert!(found.value.is_none());
    }
}
