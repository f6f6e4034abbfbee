//! Guessing bound: how many guesses a row takes in the mean, at least, of whoever knows all original rows and the noise.
//!
//! Paper      Rachlin, Probst, Ghani. Maximizing privacy under data distortion constraints in noise perturbation methods. PinKDD 2008,
//!            equations 4 to 7 and mixed columns.
//!
//! # Formula
//! As `guessing/mod.rs`. Exact up to 20,000 different rows; above that an estimate by 2,000 of them, with its standard error.
//!
//! # Cost
//! Time O(rows^2 x columns).

use serde_json::json;

use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::data::Dataset as _;
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::guessing::{Bound, Points};
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "guessing-bound",
        summary: "how many guesses a row takes in the mean, at least, of who knows all rows and the noise",
        paper: "Rachlin, Probst, Ghani. Maximizing privacy under data distortion constraints in noise perturbation methods. PinKDD 2008",
        details: "The lower bound of the mean rank of the true row in the order of likelihood: 1 / (M (1 + ln M)) times the sum over all \
            pairs of rows of how much their clouds of noise overlap (equations 4 to 7, and mixed columns). It can be below 1, and says \
            nothing of a single row: `throng attack --attack guessing` shows the share that is guessed first.\n\
            Exact up to 20,000 different rows; of more 2,000 are drawn and held against all: `parts.sampled`, and `parts.standard_error`. \
            `parts.by_rows` is the bound by the number of rows.\n\
            Needs the parameters of the noise (--noise-file).",
        parameters: &[],
    },
    unit: "guesses",
    better: "higher",
    undefined: "there are no rows",
    needs: &[Need::Noise],
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct GuessingBound;

impl Measure<Table> for GuessingBound {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Table>, _context: &Context<'_>) -> Result<Measured> {
        let noise = pair.original.noise().ok_or_else(|| Error::refused(Need::Noise.reason()))?;
        noise.refuse_foreign(pair.original)?;
        let bound = Bound::of(&Points::of(pair.original, noise)?, noise);
        let parts = json!({
            "sampled": bound.sampled,
            "standard_error": bound.error,
            "by_rows": bound.value / pair.original.rows().max(1) as f64,
        });
        Ok(self.measured((bound.rows > 0).then_some(bound.value), parts))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::cells::testing::measure;
    use super::*;
    use crate::data::table::noise::{Noise, Scale};
    use crate::data::table::testing::table;

    /// Two values that are exchanged with the probability a half overlap wholly: 2 / (1 + ln 2).
    #[test]
    fn a_case_on_paper() {
        let own = table("c:q", &["a", "b"]);
        let noise = Noise { flips: vec![0.5], ..Noise::units(&own, Scale::Standard).unwrap() };
        let found = measure(&GuessingBound, &own.clone().with_noise(Some(Arc::new(noise))), &own);
        assert!((found.value.unwrap() - 2.0 / (1.0 + 2f64.ln())).abs() < 1e-12);
        assert_eq!(found.parts["sampled"], json!(null));
    }
}
