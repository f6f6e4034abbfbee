//! Page steps: whether the most frequent ways from page to page stay.
//!
//! Paper      Ours, after 000 (ARES report), chapter 3.
//!
//! # Formula
//! The share of the original's 50 most frequent steps that are among the release's 50. A step is two pages one after the other inside a
//! session; ties by the first, then the second. Pictures, style sheets, scripts and fonts are no pages.
//!
//! # Cost
//! Time O(lines log lines), memory O(different values).

use std::collections::BTreeMap;

use serde_json::json;

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::{counts, once};
use crate::data::Visits;
use crate::data::visits::Part;
use crate::data::visits::pattern::is_page;
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "page-steps",
        summary: "how many of the 50 most frequent steps from page to page stay among them",
        paper: "ours, after Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), \
                chapter 3",
        details: "A step is two pages one after the other inside a session; pictures, style sheets, scripts, fonts and films are no pages. The headline is \
            the share of the 50 most frequent steps of the original that are among the 50 most frequent of the release; ties by the first page, then \
            the second. Part `steps` is how many there are.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    says: "",
    undefined: "nobody goes from one page to another",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct PageSteps;

impl Measure<Visits> for PageSteps {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Visits>, _context: &Context<'_>) -> Result<Measured> {
        let (own, others) = (steps(pair.original, &once(pair.original)), steps(pair.release, &pair.multiplicity));
        let (before, after) = (top_of(&own), top_of(&others));
        let kept = before.iter().filter(|step| after.contains(step)).count();
        let value = (!before.is_empty()).then(|| kept as f64 / before.len() as f64);
        Ok(self.measured(value, json!({"steps": before.len()})))
    }
}

/// How many steps are looked at.
const TOP: usize = 50;

type Step = (String, String);

/// How often each step is made.
fn steps(visits: &Visits, weights: &[u32]) -> BTreeMap<Step, u64> {
    counts(visits, weights, |person| {
        let mut steps = Vec::new();
        for rows in visits.sessions(person) {
            let pages = rows.iter().filter_map(|&row| visits.text(Part::Path, row)).filter(|path| is_page(path));
            let pages: Vec<&str> = pages.collect();
            steps.extend(pages.windows(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())));
        }
        steps
    })
}

/// The most frequent steps.
fn top_of(steps: &BTreeMap<Step, u64>) -> Vec<&Step> {
    let mut all: Vec<(&Step, u64)> = steps.iter().map(|(step, &count)| (step, count)).collect();
    all.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(right.0)));
    all.into_iter().take(TOP).map(|(step, _)| step).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{log, measure};
    use super::*;

    #[test]
    fn by_hand() {
        let original =
            log(&[("a", 0, "/x"), ("a", 1, "/s.css"), ("a", 2, "/y"), ("a", 60, "/z"), ("b", 0, "/x"), ("b", 1, "/z")]);
        // x to y and x to z; what comes after a pause is no step.
        let found = measure(&PageSteps, &original, &original);
        assert_eq!((found.value, &found.parts["steps"]), (Some(1.0), &json!(2)));
        let release = log(&[("a", 0, "/x"), ("a", 1, "/y"), ("b", 0, "/q")]);
        assert_eq!(measure(&PageSteps, &original, &release).value, Some(0.5));
    }
}
