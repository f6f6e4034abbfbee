//! Hours kept: how much of their mix of hours of the day visitors keep.
//!
//! Paper      Ours, after 000 (ARES report), chapter 3.
//!
//! # Formula
//! 1 - sqrt(JSD), base 2, of the visitor's shares of hours of the day and those of their record; the mean over visitors who have any. Whoever
//! is left out counts 0.
//!
//! # Cost
//! Time O(lines log lines), memory O(different values).

use std::collections::BTreeMap;

use super::super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use super::{by_person, kept};
use crate::data::Visits;
use crate::data::time::HOUR;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "hours-kept",
        summary: "how much of their mix of hours of the day visitors keep",
        paper: "ours, after Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), \
                chapter 3",
        details: "1 less the square root of the Jensen-Shannon divergence, base 2, of a visitor's shares of hours of the day and those of their record: 1 if \
            they are the same, 0 if they have nothing in common. The headline is the mean over visitors; whoever is left out counts 0. Part \
            `p10` is the tenth percentile.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    says: "Of the mix of hours of the day of a visitor, {%} is kept on average.",
    undefined: "nobody has any",
    needs: &[Need::Link],
    by_person: true,
    headline: Some(Headline::Loss(Lost::Kept)),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct HoursKept;

impl Measure<Visits> for HoursKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Visits>, context: &Context<'_>) -> Result<Measured> {
        let (value, parts, each) = kept(pair, context, hours_of);
        Ok(by_person(self.measured(value, parts), each))
    }
}

/// How often a visitor came in each hour of the day, in UTC.
fn hours_of(visits: &Visits, person: usize) -> BTreeMap<i64, u64> {
    let mut counts = BTreeMap::new();
    for row in visits.range(person) {
        *counts.entry(visits.time(row).div_euclid(HOUR).rem_euclid(24)).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::super::testing::{log, measure};
    use super::*;

    #[test]
    fn by_hand() {
        let original = log(&[("a", 0, "/"), ("b", 59, "/")]);
        let release = log(&[("a", 24 * 60, "/"), ("b", 60, "/")]);
        let found = measure(&HoursKept, &original, &release);
        assert_eq!(found.by_person["kept"], [Some(1.0), Some(0.0)]);
    }
}
