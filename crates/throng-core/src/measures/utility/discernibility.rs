//! Discernibility: how many rows every row looks like, summed over rows.
//!
//! Paper      Bayardo, Agrawal. Data privacy through optimal k-anonymization. ICDE 2005.
//!
//! # Formula
//! The sum of the squared sizes of the classes of the release, plus for each row that is left out the number of all rows.
//!
//! # Cost
//! Time O(rows x columns).

use serde_json::json;

use super::super::{Context, Drawn, Measure, MeasureInfo, Measured, Pair};
use crate::data::Dataset as _;
use crate::data::table::{Classes, Table};
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "discernibility",
        summary: "squared sizes of classes, and all rows for each that is left out",
        paper: "Bayardo, Agrawal. Data privacy through optimal k-anonymization. ICDE 2005",
        details: "The sum of the squared sizes of the classes of the release, plus the number of all rows for each row that is left \
            out. `parts.share` is its share of the worst case, in which all rows look the same.",
        parameters: &[],
    },
    unit: "rows squared",
    better: "lower",
    undefined: "the original has no rows",
    drawn: Drawn::Share,
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct Discernibility;

impl Measure<Table> for Discernibility {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Table>, _context: &Context<'_>) -> Result<Measured> {
        let classes = Classes::of(pair.release, &pair.release.quasi()?);
        let rows = pair.original.rows() as f64;
        let missing = pair.original.rows().saturating_sub(pair.release.rows()) as f64;
        let squares: f64 = (0..classes.len()).map(|class| (classes.size(class) as f64).powi(2)).sum();
        let sum = squares + missing * rows;
        let share = sum / (rows * rows).max(1.0);
        Ok(self.measured((rows > 0.0).then_some(sum), json!({"share": share, "classes": classes.len()})))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::cells::testing::measure;
    use super::*;
    use crate::data::table::testing::{generalised, twelve};

    #[test]
    fn the_case_by_hand() {
        let original = twelve();
        let whole = generalised(&original, &[("zip", 1)]);
        assert_eq!(measure(&Discernibility, &original, &whole).value, Some(42.0));
        let kept = whole.retaining(|row| whole.columns()[1].text(row) == "m");
        assert_eq!(measure(&Discernibility, &original, &kept).value, Some(82.0));
    }
}
