//! Sections kept: how much of their mix of sections, the first segments of paths, visitors keep.
//!
//! Paper      Ours, after 000 (ARES report), chapter 3.
//!
//! # Formula
//! 1 - sqrt(JSD), base 2, of the visitor's shares of sections and those of their record; the mean over visitors who have any. Whoever
//! is left out counts 0.
//!
//! # Cost
//! Time O(lines log lines), memory O(different values).

use std::collections::BTreeMap;

use super::super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use super::{by_person, kept};
use crate::data::Visits;
use crate::data::visits::Part;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "sections-kept",
        summary: "how much of their mix of sections visitors keep",
        paper: "ours, after Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), \
                chapter 3",
        details: "1 less the square root of the Jensen-Shannon divergence, base 2, of a visitor's shares of sections and those of their record: 1 if \
            they are the same, 0 if they have nothing in common. The headline is the mean over visitors; whoever is left out counts 0. Part \
            `p10` is the tenth percentile.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    judges_held_out: true,
    says: "Of the mix of sections of a visitor, {%} is kept on average.",
    undefined: "nobody has any",
    needs: &[Need::Link],
    by_person: true,
    headline: Some(Headline::Loss(Lost::Kept)),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct SectionsKept;

impl Measure<Visits> for SectionsKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Visits>, context: &Context<'_>) -> Result<Measured> {
        let (value, parts, each) = kept(pair, context, sections_of);
        Ok(by_person(self.measured(value, parts), each))
    }
}

/// How often a visitor has each section: the first segment of a path.
fn sections_of(visits: &Visits, person: usize) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for path in visits.range(person).filter_map(|row| visits.text(Part::Path, row)) {
        let section = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        *counts.entry(section).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::super::testing::{log, measure};
    use super::*;

    #[test]
    fn by_hand() {
        let original = log(&[("a", 0, "/blog/1"), ("b", 0, "/"), ("c", 0, "/shop?")]);
        let release = log(&[("a", 0, "/blog/2"), ("b", 0, "/about"), ("c", 0, "/shop?")]);
        let found = measure(&SectionsKept, &original, &release);
        assert_eq!(found.by_person["kept"], [Some(1.0), Some(0.0), Some(1.0)]);
    }
}
