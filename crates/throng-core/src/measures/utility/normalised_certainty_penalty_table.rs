//! Normalised certainty penalty of tables: how much the published cells leave open, mean over rows and quasi columns.
//!
//! Paper      Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. KDD 2006.
//!
//! # Formula
//! A label: leaves under it / all leaves, 0 for one leaf. An interval: its width / the range of the original. `*`, and every cell
//! of a row that is left out: 1. The mean over all rows of the original and all quasi columns.
//!
//! # Cost
//! Time O(rows x columns).

use serde_json::{Map, json};

use super::super::cells::{Compared, rows_of_rows};
use super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use crate::data::Dataset as _;
use crate::data::table::{Cell, Table};
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "normalised-certainty-penalty",
        summary: "how much published cells leave open, mean over rows and quasi columns (NCP)",
        paper: "Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. KDD 2006",
        details: "A label of a hierarchy counts the leaves under it by all leaves, one leaf 0; an interval its width by the range of the \
            original; `*`, and every cell of a row that is left out, 1. The headline is the mean over all rows of the original and all \
            quasi columns, by the weights of a schema; `parts.columns` has it by column. A hierarchy that the release was made with must be given again \
            (`--hierarchy`). Means and noisy numbers cover no value, and have no penalty.",
        parameters: &[],
    },
    unit: "share",
    better: "lower",
    says: "{%} of what the quasi columns said is left open",
    undefined: "a published cell does not cover what it stands for, as a mean does not, or the original has no rows",
    headline: Some(Headline::Loss(Lost::Share)),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct NormalisedCertaintyPenalty;

impl Measure<Table> for NormalisedCertaintyPenalty {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Table>, _context: &Context<'_>) -> Result<Measured> {
        let columns = Compared::all(pair)?;
        let became = rows_of_rows(pair);
        if !columns.iter().all(|column| column.is_covering(became.as_deref())) {
            return Ok(self.measured(None, json!({})));
        }
        let rows = pair.original.rows();
        let missing = rows.saturating_sub(pair.release.rows()) as f64;
        let (mut by_column, mut by_level) = (Map::new(), Map::new());
        let (mut sum, mut weights) = (0.0, 0.0);
        for column in &columns {
            let penalties = column.penalties();
            let mut counts = vec![0u64; penalties.len()];
            column.release.cells.iter().for_each(|&cell| counts[cell as usize] += 1);
            // By size, so that the sum does not depend on the order of rows.
            let mut parts: Vec<f64> =
                counts.iter().zip(&penalties).map(|(&count, penalty)| count as f64 * penalty).collect();
            parts.sort_by(f64::total_cmp);
            let own = (parts.iter().sum::<f64>() + missing) / rows.max(1) as f64;
            // The mean step up the hierarchy, where all cells are labels of one.
            let level = |cell: &Cell| match cell {
                Cell::Node(level, _) => Some(*level as f64),
                _ => None,
            };
            let levels: Option<Vec<f64>> = column.says.iter().map(level).collect();
            let published: u64 = counts.iter().sum();
            if let Some(levels) = levels.filter(|_| published > 0) {
                let sum: f64 = counts.iter().zip(&levels).map(|(&count, level)| count as f64 * level).sum();
                by_level.insert(column.original.name.clone(), json!(sum / published as f64));
            }
            by_column.insert(column.original.name.clone(), json!(own));
            sum += column.weight() * own;
            weights += column.weight();
        }
        let value = (rows > 0).then(|| sum / weights);
        Ok(self.measured(value, json!({"columns": by_column, "levels": by_level, "rows_missing": missing})))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::cells::testing::{measure, unlinked};
    use super::*;
    use crate::data::table::testing::{generalised, table, twelve};

    #[test]
    fn the_case_by_hand() {
        let original = twelve();
        let whole = generalised(&original, &[("zip", 1)]);
        // The classes with f have two rows each and are left out at k = 3: (8.2 / 12 + 4 / 12) / 2.
        let kept = whole.retaining(|row| whole.columns()[1].text(row) == "m");
        let value = unlinked(&NormalisedCertaintyPenalty, &original, &kept).value.unwrap();
        assert!((value - 0.508_333_333_333).abs() < 1e-9, "{value}");
        assert_eq!(measure(&NormalisedCertaintyPenalty, &original, &original).value, Some(0.0));
    }

    /// A mean leaves nothing open by the look of it, and says nothing of its rows: it is not 0.
    #[test]
    fn means_have_no_penalty() {
        let original = table("a:q", &["0", "5", "10", "5"]);
        for release in [table("a:q", &["2.5", "2.5", "7.5", "7.5"]), table("a:q", &["5", "5", "5", "5"])] {
            assert_eq!(measure(&NormalisedCertaintyPenalty, &original, &release).value, None);
        }
        // Who does not know which row became which sees it where a cell is nobody's.
        let unlinked = |release: &Table| unlinked(&NormalisedCertaintyPenalty, &original, release).value;
        assert_eq!(unlinked(&table("a:q", &["2.5", "2.5", "7.5", "7.5"])), None);
        assert_eq!(unlinked(&table("a:q", &["0..5", "0..5", "5..10", "5..10"])), Some(0.5));
    }

    #[test]
    fn intervals_by_their_width() {
        let (original, release) = (table("a:q", &["0", "5", "10"]), table("a:q", &["0..5", "0..5", "*"]));
        let value = measure(&NormalisedCertaintyPenalty, &original, &release).value.unwrap();
        assert!((value - 2.0 / 3.0).abs() < 1e-12, "{value}");
    }
}
