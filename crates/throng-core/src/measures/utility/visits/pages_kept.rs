//! Pages kept: how much of their mix of pages visitors keep.
//!
//! Paper      Ours, after 000 (ARES report), chapter 3.
//!
//! # Formula
//! 1 - sqrt(JSD), base 2, of the visitor's shares of paths and those of their record; the mean over visitors who have any. Whoever
//! is left out counts 0.
//!
//! # Cost
//! Time O(lines log lines), memory O(different values).

use super::super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use super::{by_person, kept, paths_of};
use crate::data::Visits;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "pages-kept",
        summary: "how much of their mix of paths visitors keep",
        paper: "ours, after Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), \
                chapter 3",
        details: "1 less the square root of the Jensen-Shannon divergence, base 2, of a visitor's shares of paths and those of their record: 1 if \
            they are the same, 0 if they have nothing in common. The headline is the mean over visitors; whoever is left out counts 0. Part \
            `p10` is the tenth percentile.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    judges_held_out: true,
    says: "Of the mix of paths of a visitor, {%} is kept on average.",
    undefined: "nobody has any",
    needs: &[Need::Link],
    by_person: true,
    headline: Some(Headline::Loss(Lost::Kept)),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct PagesKept;

impl Measure<Visits> for PagesKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Visits>, context: &Context<'_>) -> Result<Measured> {
        let (value, parts, each) = kept(pair, context, paths_of);
        Ok(by_person(self.measured(value, parts), each))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{log, measure};
    use super::*;

    #[test]
    fn by_hand() {
        let original = log(&[("a", 0, "/x"), ("b", 0, "/x"), ("c", 0, "/y")]);
        let release = log(&[("a", 0, "/x"), ("b", 0, "/z")]);
        let found = measure(&PagesKept, &original, &release);
        // The first keeps all, the second nothing, the third is left out.
        assert!((found.value.unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(found.by_person["kept"], [Some(1.0), Some(0.0), Some(0.0)]);
    }
}
