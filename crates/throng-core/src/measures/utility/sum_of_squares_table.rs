//! Sum of squares of tables: how far published numbers lie from those of the original, as a share of how far apart these are.
//!
//! Paper      Domingo-Ferrer, Mateo-Sanz. IEEE TKDE 14 (2002).
//!
//! # Formula
//! Every quasi column of numbers without a hierarchy is scaled by the mean and the sample deviation (n - 1) of the original. SSE is
//! the sum of the squared differences of rows from what they became, SST that from the mean; L = 100 SSE / SST. An interval counts as
//! its middle, a row that is left out as the mean.
//!
//! # Cost
//! Time O(rows x columns).

use serde_json::json;

use super::super::cells::{Compared, rows_of_rows};
use super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use crate::data::table::Table;
use crate::error::Result;
use crate::info::{Info, Need};
use crate::methods::table::mean_and_deviation;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "sum-of-squares",
        summary: "squared differences of published numbers from the original's, as a share of the worst case (L)",
        paper: "Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure control. IEEE TKDE \
                14 (2002)",
        details: "Quasi columns of numbers without a hierarchy are scaled by the mean and the sample deviation of the original. `sse` is \
            the sum of squared differences between rows and what they became, `sst` between rows and the mean, `ssa` the difference \
            of the two; the headline is 100 sse / sst. An interval counts as its middle, a row that is left out as the mean.\n\
            Needs the link between rows (--key), and one row a person.",
        parameters: &[],
    },
    unit: "%",
    better: "lower",
    says: "Of how people differ in the columns of numbers, {} is lost.",
    undefined: "no quasi column has numbers that differ, or a person has several rows",
    needs: &[Need::Link],
    headline: Some(Headline::Loss(Lost::Percent)),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct SumOfSquares;

/// A column of numbers: each row's own, what it became if that is a number, and the mean and deviation of the original.
pub(super) struct Numbers {
    pub(super) own: Vec<f64>,
    pub(super) became: Vec<Option<f64>>,
    pub(super) mean: f64,
    pub(super) deviation: f64,
    /// What the column counts.
    pub(super) weight: f64,
}

/// The quasi columns of numbers without a hierarchy whose published cells are numbers; nothing where rows are not linked.
pub(super) fn numbers(pair: &Pair<'_, Table>) -> Result<Option<Vec<Numbers>>> {
    let Some(rows) = rows_of_rows(pair) else { return Ok(None) };
    let is_numeric =
        |column: &Compared<'_>| column.original.kind.is_numeric() && column.original.generalised_by().is_none();
    let column = |column: Compared<'_>| {
        let (values, middles) = (column.original.numbers(), column.middles());
        let own: Vec<f64> = column.original.cells.iter().map(|&cell| values[cell as usize]).collect();
        let became = rows.iter().map(|row| row.and_then(|row| middles[column.release.cells[row] as usize])).collect();
        let (mean, deviation) = column.original.settings.whole.map_or_else(
            || mean_and_deviation(own.iter().copied().filter(|number| !number.is_nan())),
            |whole| (whole.mean, whole.deviation),
        );
        Numbers { own, became, mean, deviation, weight: column.weight() }
    };
    Ok(Some(Compared::all(pair)?.into_iter().filter(is_numeric).map(column).collect()))
}

impl Measure<Table> for SumOfSquares {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Table>, _context: &Context<'_>) -> Result<Measured> {
        let Some(columns) = numbers(pair)? else { return Ok(self.measured(None, json!({}))) };
        let (mut error, mut total) = (0.0, 0.0);
        for Numbers { own, became, mean, deviation, weight } in columns.iter().filter(|column| column.deviation > 0.0) {
            for (own, became) in own.iter().zip(became).filter(|(own, _)| !own.is_nan()) {
                error += weight * ((own - became.unwrap_or(*mean)) / deviation).powi(2);
                total += weight * ((own - mean) / deviation).powi(2);
            }
        }
        let value = (total > 0.0).then(|| 100.0 * error / total);
        Ok(self.measured(value, json!({"sse": error, "sst": total, "ssa": total - error})))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::cells::testing::measure;
    use super::*;
    use crate::data::table::testing::table;

    /// 1 2 10 11 20 30 by mdav, k = 2: 1.5 twice, 10.5 twice, 25 twice. SSE = 0.5 + 0.5 + 50 = 51 in raw units.
    #[test]
    fn a_case_on_paper() {
        let original = table("x:q", &["1", "2", "10", "11", "20", "30"]);
        let release = table("x:q", &["1.5", "1.5", "10.5", "10.5", "25", "25"]);
        let found = measure(&SumOfSquares, &original, &release);
        // Mean 37 / 3; squares 1626 - 6 (37/3)^2 = 713.333...
        let total: f64 = 1.0 + 4.0 + 100.0 + 121.0 + 400.0 + 900.0 - 6.0 * (74.0f64 / 6.0).powi(2);
        assert!((found.value.unwrap() - 100.0 * 51.0 / total).abs() < 1e-9, "{:?}", found.value);
        assert!((found.parts["sst"].as_f64().unwrap() - 5.0).abs() < 1e-9);
    }

    #[test]
    fn missing_rows_are_the_mean_and_intervals_their_middle() {
        let original = table("x:q", &["0", "10"]);
        let found = measure(&SumOfSquares, &original, &table("x:q", &["0..10"]));
        assert!((found.value.unwrap() - 100.0).abs() < 1e-9);
        let texts = measure(&SumOfSquares, &table("x:q", &["a", "b"]), &table("x:q", &["a", "b"]));
        assert!(texts.value.is_none() && texts.reason.is_some());
    }
}
