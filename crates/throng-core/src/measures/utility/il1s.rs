//! IL1s: the mean absolute difference of published numbers from the original's, in units of their deviation.
//!
//! Paper      Yancey, Winkler, Creecy. Disclosure risk assessment in perturbative microdata protection. 2002; as sdcMicro sums it.
//!
//! # Formula
//! The sum over rows and quasi columns of numbers of |x - x'| / (sqrt 2 deviation), deviation that of the original's column as a
//! sample. An interval counts as its middle, a row that is left out as the mean.
//!
//! # Cost
//! Time O(rows x columns).

use serde_json::json;

use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::sum_of_squares_table::{Numbers, numbers};
use crate::data::table::Table;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "il1s",
        summary: "absolute differences of published numbers from the original's, in units of their deviation (IL1s)",
        paper: "Yancey, Winkler, Creecy. Disclosure risk assessment in perturbative microdata protection. 2002",
        details: "The sum over rows and quasi columns of numbers of |x - x'| / (sqrt 2 deviation), as sdcMicro has it, with the sample \
            deviation of the original's column; constant columns count nothing. An interval counts as its middle, a row that is left \
            out as the mean. `parts.mean` is the same by row and column.\n\
            Needs the link between rows (--key), and one row a person.",
        parameters: &[],
    },
    unit: "",
    better: "lower",
    undefined: "no quasi column has numbers that differ, or a person has several rows",
    needs: &[Need::Link],
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct Il1s;

impl Measure<Table> for Il1s {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Table>, _context: &Context<'_>) -> Result<Measured> {
        let Some(columns) = numbers(pair)? else { return Ok(self.measured(None, json!({}))) };
        let (mut sum, mut cells) = (0.0, 0u64);
        for Numbers { own, became, mean, deviation, weight } in columns.iter().filter(|column| column.deviation > 0.0) {
            for (own, became) in own.iter().zip(became).filter(|(own, _)| !own.is_nan()) {
                sum += weight * (own - became.unwrap_or(*mean)).abs() / (std::f64::consts::SQRT_2 * deviation);
                cells += 1;
            }
        }
        Ok(self.measured((cells > 0).then_some(sum), json!({"mean": sum / cells.max(1) as f64})))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::cells::testing::measure;
    use super::*;
    use crate::data::table::testing::table;

    /// 0 and 2 have the deviation sqrt 2, so that each difference of 1 counts a half.
    #[test]
    fn a_case_on_paper() {
        let found = measure(&Il1s, &table("x:q", &["0", "2"]), &table("x:q", &["1", "1"]));
        assert!((found.value.unwrap() - 1.0).abs() < 1e-12);
        assert!((found.parts["mean"].as_f64().unwrap() - 0.5).abs() < 1e-12);
    }
}
