//! The average size of classes.
//!
//! Paper      LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006; as ARX counts it.
//!
//! # Formula
//! All rows of the original by the number of classes of the release, rows that are left out being one class more.
//!
//! # Cost
//! Time O(rows x columns).

use serde_json::json;

use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::data::Dataset as _;
use crate::data::table::{Classes, Table};
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "average-class-size",
        summary: "how many rows a class has on average",
        paper: "LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006",
        details: "All rows of the original by the number of classes of the release; rows that are left out are one class more. The \
            best for a k is k; `parts.of_k` is the headline by k.",
        parameters: &[],
    },
    unit: "rows",
    better: "lower",
    undefined: "the release has no rows",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct AverageClassSize;

impl Measure<Table> for AverageClassSize {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Table>, context: &Context<'_>) -> Result<Measured> {
        let classes = Classes::of(pair.release, &pair.release.quasi()?).len();
        let is_whole = pair.release.rows() >= pair.original.rows();
        let all = classes + usize::from(!is_whole);
        let value = (all > 0).then(|| pair.original.rows() as f64 / all as f64);
        let of_k = value.map(|value| value / context.k.max(1) as f64);
        Ok(self.measured(value, json!({"classes": classes, "of_k": of_k})))
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
        assert_eq!(measure(&AverageClassSize, &original, &whole).value, Some(3.0));
        let kept = whole.retaining(|row| whole.columns()[1].text(row) == "m");
        assert_eq!(measure(&AverageClassSize, &original, &kept).value, Some(4.0));
    }
}
