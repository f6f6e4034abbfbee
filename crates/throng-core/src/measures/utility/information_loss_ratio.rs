//! Information loss ratio: how far the entropy of a person's queries moved.
//!
//! Paper      001 (Navarro-Arribas et al. 2012), section 4.2, after Lixia and Jianmin 2009.
//!
//! # Formula
//! ILR = 100 |H - H'| / H, with H and H' the entropy of the query strings of a person's original and released lines.
//! It can exceed 100, since entropy can grow (Q24). A person with one distinct string has H = 0 and no ILR (Q23).
//!
//! # Cost
//! Time O(l log l) for l lines.

use rayon::prelude::*;

use super::super::{
    Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair, entropy, frequencies, mean, over_persons,
};
use crate::data::QueryLog;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "information-loss-ratio",
        summary: "how much more or less varied a person's queries became (their entropy), mean over persons",
        paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of \
                query logs. Information Processing and Management 48 (2012), section 4.2",
        details: "ILR = 100 |H - H'| / H for each person, with H and H' the entropy of their query strings before and after.\n\
            0: as varied as before. It can exceed 100, since entropy can grow.\n\
            Persons with a single distinct query have no ILR; parts.undefined_share says how many. Needs the link between \
            persons (--key, or kept ids).",
        parameters: &[],
    },
    unit: "%",
    better: "lower",
    undefined: "nobody of the release has two different queries, and one query is no profile",
    needs: &[Need::Link],
    headline: Some(Headline::Loss(Lost::PercentOfReleased)),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct InformationLossRatio;

impl Measure<QueryLog> for InformationLossRatio {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, context: &Context<'_>) -> Result<Measured> {
        let linked = pair.linked();
        let ratios: Vec<f64> = linked
            .par_iter()
            .filter_map(|&(own, released)| {
                let before = entropy(&frequencies(pair.original, own));
                let after = entropy(&frequencies(pair.release, released));
                (before > 0.0).then(|| 100.0 * (before - after).abs() / before)
            })
            .collect();
        let parts = over_persons(&ratios, linked.len(), context.shared_by);
        Ok(self.measured(mean(&ratios), parts))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{log, measure};
    use super::*;

    #[test]
    fn by_hand() {
        let ratio =
            |before: &[&str], after: &[&str]| measure(&InformationLossRatio, &log(&[before]), &log(&[after])).value;
        // Two bits before, one bit after: half is lost.
        assert_eq!(ratio(&["a", "b", "c", "d"], &["x", "y"]), Some(50.0));
        assert_eq!(ratio(&["a", "b"], &["x", "y"]), Some(0.0));
        assert_eq!(ratio(&["a", "b"], &["x"]), Some(100.0));
        // One bit before, two after: entropy grew by a hundred per cent.
        assert_eq!(ratio(&["a", "b"], &["w", "x", "y", "z"]), Some(100.0));
        assert_eq!(ratio(&["a", "a"], &["x"]), None);
    }
}
