//! Profile exposure level of access logs: how much of a visitor's own paths their released record still tells.
//!
//! Paper      001 (Navarro-Arribas et al. 2012), section 4.1, for paths in the place of queries.
//!
//! # Formula
//! PEL = 100 I / H, with p, p' the relative frequencies of the paths in a visitor's original and released lines, H = sum of p log2(1/p), and
//! I = sum of min(p, p') log2(1/p) (reading Q22). A visitor with one path has H = 0 and no PEL; such are left out and counted (Q23).
//!
//! # Cost
//! Time O(l log l) for l lines.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde_json::json;

use super::super::utility::visits::paths_of;
use super::super::{Context, Headline, Measure, MeasureInfo, Measured, Pair, mean, over_persons};
use crate::data::Visits;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "profile-exposure-level",
        summary: "how much of a visitor's own paths their released record still tells, mean over visitors",
        paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of \
                query logs. Information Processing and Management 48 (2012), section 4.1",
        details: "PEL = 100 I / H for each visitor, with p and p' the relative frequencies of their paths before and after, H the entropy of p, and I = sum of \
            min(p, p') log2(1/p).\n\
            100: the record tells everything. 0: no path is shared. Paths that everybody has, as style sheets and the home page, count as any others: \
            `unshared-exposure` leaves them out. About 100/k is what k equal visitors leave: parts.cap; parts.above is the share of visitors above it.\n\
            Visitors with a single path have no PEL; parts.undefined_share says how many. Needs the link between visitors (--key).",
        parameters: &[],
    },
    unit: "%",
    better: "lower",
    undefined: "nobody of the release has two different paths, and one path is no profile",
    needs: &[Need::Link],
    headline: Some(Headline::Risk { word: "mean exposure" }),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct ProfileExposureLevelVisits;

impl Measure<Visits> for ProfileExposureLevelVisits {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Visits>, context: &Context<'_>) -> Result<Measured> {
        let linked = pair.linked();
        let level = |&(own, released): &(usize, usize)| {
            let (before, after) = (paths_of(pair.original, own), paths_of(pair.release, released));
            level(&before, &after)
        };
        let by_linked: Vec<Option<f64>> = linked.par_iter().map(level).collect();
        let levels: Vec<f64> = by_linked.iter().copied().flatten().collect();
        let mut parts = over_persons(&levels, linked.len(), context.shared_by);
        // What k equal visitors leave; rounding of the last digit is no exposure.
        let cap = 100.0 / context.k as f64;
        let above = levels.iter().filter(|&&level| level > cap + 1e-9).count();
        parts["cap"] = json!(cap);
        parts["above"] = json!(if levels.is_empty() { 0.0 } else { above as f64 / levels.len() as f64 });
        let mut exposed = vec![None; pair.original.persons()];
        for (&(own, _), level) in linked.iter().zip(by_linked) {
            exposed[own] = level;
        }
        Ok(Measured { exposed, ..self.measured(mean(&levels), parts) })
    }
}

fn level(before: &BTreeMap<&str, u64>, after: &BTreeMap<&str, u64>) -> Option<f64> {
    let [all, others] = [before, after].map(|counts| counts.values().sum::<u64>().max(1) as f64);
    let (mut entropy, mut information) = (0.0, 0.0);
    for (path, &count) in before {
        let share = count as f64 / all;
        let common = share.min(after.get(path).copied().unwrap_or(0) as f64 / others);
        entropy += share * (1.0 / share).log2();
        information += common * (1.0 / share).log2();
    }
    (entropy > 0.0).then(|| 100.0 * information / entropy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let of = |paths: &[&'static str]| {
            let mut counts = BTreeMap::new();
            paths.iter().for_each(|path| *counts.entry(*path).or_default() += 1);
            counts
        };
        let level = |before: &[&'static str], after: &[&'static str]| level(&of(before), &of(after));
        assert_eq!(level(&["a", "b"], &["b", "a"]), Some(100.0));
        assert_eq!(level(&["a", "b", "c", "d"], &["a", "x", "y", "z"]), Some(25.0));
        assert_eq!(level(&["a", "a", "b", "c"], &["b", "x"]), Some(100.0 / 3.0));
        assert_eq!(level(&["a", "b"], &[]), Some(0.0));
        assert_eq!(level(&["a"], &["a"]), None);
    }
}
