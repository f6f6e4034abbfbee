//! Page popularity: whether the pages with most lines stay those with most lines.
//!
//! Paper      Ours, after 000 (ARES report), chapter 3.
//!
//! # Formula
//! Spearman's rank correlation, average ranks, of line counts over the 100 paths with most lines in the original among those of at least 3
//! visitors, ties by path; a path that the release has not counts 0.
//!
//! # Cost
//! Time O(lines log lines), memory O(different values).

use std::collections::BTreeMap;

use serde_json::json;

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::{counts, once, spearman};
use crate::data::Visits;
use crate::data::visits::Part;
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "page-popularity",
        summary: "whether the pages with most lines stay those with most lines",
        paper: "ours, after Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), \
                chapter 3",
        details: "Spearman's rank correlation, with average ranks, of the numbers of lines of the 100 paths with most lines in the original among those of \
            at least 3 visitors; ties by path, and a path that the release does not have counts 0. Parts: `overlap`, the share of these paths that \
            are among as many paths with most lines of the release; `all`, the same correlation where one visitor is enough.",
        parameters: &[],
    },
    unit: "",
    better: "higher",
    says: "",
    undefined: "fewer than two pages differ in how often they are asked for",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct PagePopularity;

impl Measure<Visits> for PagePopularity {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Visits>, _context: &Context<'_>) -> Result<Measured> {
        let lines = |visits: &Visits, weights: &[u32]| {
            counts(visits, weights, |person| {
                visits.range(person).filter_map(|row| visits.text(Part::Path, row).map(str::to_owned)).collect()
            })
        };
        let (before, after) = (lines(pair.original, &once(pair.original)), lines(pair.release, &pair.multiplicity));
        let mut visitors = vec![0u32; pair.original.texts(Part::Path).len()];
        for person in 0..pair.original.persons() {
            pair.original.set_of(person, Part::Path).iter().for_each(|&path| visitors[path as usize] += 1);
        }
        let paths = pair.original.texts(Part::Path).iter().zip(&visitors);
        let shared: BTreeMap<&str, u32> = paths.map(|(path, &count)| (path, count)).collect();
        let rho = |top: &[&String]| {
            let counts = |counts: &BTreeMap<String, u64>| -> Vec<u64> {
                top.iter().map(|path| counts.get(*path).copied().unwrap_or(0)).collect()
            };
            spearman(&counts(&before), &counts(&after))
        };
        let all = top_of(&before, |_| true);
        let top = top_of(&before, |path| shared.get(path).is_some_and(|&count| count >= LEAST));
        let later = top_of(&after, |_| true);
        let overlap = top.iter().filter(|path| later.contains(path)).count() as f64 / top.len().max(1) as f64;
        Ok(self.measured(rho(&top), json!({"overlap": overlap, "all": rho(&all), "paths": top.len()})))
    }
}

/// How many paths are looked at.
const TOP: usize = 100;
/// How many visitors must have one.
const LEAST: u32 = 3;

/// The paths with most lines, of those that are taken; ties by path.
fn top_of(counts: &BTreeMap<String, u64>, is_taken: impl Fn(&str) -> bool) -> Vec<&String> {
    let mut paths: Vec<(&String, u64)> =
        counts.iter().filter(|(path, _)| is_taken(path)).map(|(path, &count)| (path, count)).collect();
    paths.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(right.0)));
    paths.into_iter().take(TOP).map(|(path, _)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{log, measure};
    use super::*;

    #[test]
    fn by_hand() {
        let all = |path: &'static str| ["a", "b", "c"].map(|who| (who, 0, path));
        let lines: Vec<_> = [all("/x"), all("/x"), all("/y")].concat().into_iter().chain([("a", 1, "/own")]).collect();
        let original = log(&lines);
        let found = measure(&PagePopularity, &original, &original);
        assert_eq!((found.value, &found.parts["paths"], &found.parts["overlap"]), (Some(1.0), &json!(2), &json!(1.0)));
        let release = log(&[("a", 0, "/y"), ("b", 0, "/y"), ("c", 0, "/x")]);
        let found = measure(&PagePopularity, &original, &release);
        assert_eq!(found.value, Some(-1.0));
        // Over all three: 6, 3, 1 lines against 1, 2, 0.
        assert_eq!(found.parts["all"], json!(0.5));
    }
}
