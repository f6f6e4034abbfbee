//! Profile exposure level: how much of a person's own queries their released record still tells.
//!
//! Paper      001 (Navarro-Arribas et al. 2012), section 4.1, after Erola et al.
//!
//! # Formula
//! PEL = 100 I / H, with p, p' the relative frequencies of the query strings in a person's original and released lines,
//! H = sum of p log2(1/p), and I = sum of min(p, p') log2(1/p), the information both have in common (reading Q22).
//! 100 when the frequencies agree, 0 when no string is shared. A person with one distinct string has H = 0 and no PEL; such
//! persons are left out and counted (Q23).
//!
//! # Cost
//! Time O(l log l) for l lines.

use rayon::prelude::*;
use serde_json::json;

use super::super::{
    Context, Headline, Measure, MeasureInfo, Measured, Memory, Pair, entropy, frequencies, mean, over_persons,
};
use crate::data::QueryLog;
use crate::error::Result;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "profile-exposure-level",
        summary: "how much of a person's own queries their released record still tells, mean over persons",
        paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of \
                query logs. Information Processing and Management 48 (2012), section 4.1",
        details: "PEL = 100 I / H for each person, with p and p' the relative frequencies of their query strings before and \
            after, H the entropy of p, and I = sum of min(p, p') log2(1/p).\n\
            100: the record tells everything. 0: no string is shared. About 100/k is what k equal persons leave: parts.cap; \
            parts.above is the share of persons above it.\n\
            Persons with a single distinct query have no PEL; parts.undefined_share says how many. Needs the link between \
            persons (--key, or kept ids).",
        parameters: &[],
    },
    unit: "%",
    better: "lower",
    undefined: "nobody of the release has two different queries, and one query is no profile",
    needs: &[Need::Link],
    memory: Memory::Strings { original: 0, release: 8, hashed: true },
    headline: Some(Headline::Risk { word: "mean exposure" }),
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct ProfileExposureLevel;

impl Measure<QueryLog> for ProfileExposureLevel {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, context: &Context<'_>) -> Result<Measured> {
        // Strings of the release by their ids in the original; strings that are new there expose nothing.
        let original_id = pair.release.queries().ids_in(pair.original.queries());
        let linked = pair.linked();
        let by_linked: Vec<Option<f64>> = linked
            .par_iter()
            .map(|&(own, released)| {
                let before = frequencies(pair.original, own);
                let mut after: Vec<(u32, f64)> = frequencies(pair.release, released)
                    .into_iter()
                    .filter_map(|(query, share)| original_id[query as usize].map(|query| (query, share)))
                    .collect();
                after.sort_unstable_by_key(|&(query, _)| query);
                let entropy = entropy(&before);
                let common = |query: u32| after.binary_search_by_key(&query, |&(other, _)| other).map(|at| after[at].1);
                let information: f64 = before
                    .iter()
                    .map(|&(query, share)| share.min(common(query).unwrap_or(0.0)) * (1.0 / share).log2())
                    .sum();
                (entropy > 0.0).then(|| 100.0 * information / entropy)
            })
            .collect();
        let levels: Vec<f64> = by_linked.iter().copied().flatten().collect();
        let mut parts = over_persons(&levels, linked.len(), context.shared_by);
        // What k equal persons leave; rounding of the last digit is no exposure.
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

#[cfg(test)]
mod tests {
    use super::super::super::testing::{log, measure};
    use super::*;

    fn level(before: &[&str], after: &[&str]) -> Option<f64> {
        measure(&ProfileExposureLevel, &log(&[before]), &log(&[after])).value
    }

    #[test]
    fn by_hand() {
        // Equal frequencies: everything. Nothing shared: nothing.
        assert_eq!(level(&["a", "b"], &["b", "a"]), Some(100.0));
        assert_eq!(level(&["a", "b"], &["c", "d"]), Some(0.0));
        // Four distinct strings of which the record has one in four lines: 100/4 (Fig. 3 with k = 4).
        assert_eq!(level(&["a", "b", "c", "d"], &["a", "x", "y", "z"]), Some(25.0));
        // Repeats: p = (1/2, 1/4, 1/4), H = 1.5; p' of b is 1/2: I = min(1/4, 1/2) * 2 = 0.5; a third.
        assert_eq!(level(&["a", "a", "b", "c"], &["b", "x"]), Some(100.0 / 3.0));
    }

    #[test]
    fn one_distinct_query_has_no_level() {
        let original = log(&[&["a", "a"], &["a", "b"]]);
        let result = measure(&ProfileExposureLevel, &original, &original);
        assert_eq!(result.value, Some(100.0));
        assert_eq!(result.parts["undefined"], 1);
        assert_eq!(result.parts["undefined_share"], 0.5);
        assert_eq!(level(&["a"], &["a"]), None);
    }
}
