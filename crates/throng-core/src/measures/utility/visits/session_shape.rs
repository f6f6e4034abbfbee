//! Session shape: whether sessions stay as many, as long, and begin at the same pages.
//!
//! Paper      Ours, after 000 (ARES report), chapter 3.
//!
//! # Formula
//! The headline is the Kolmogorov-Smirnov distance of the numbers of lines of sessions.
//!
//! # Cost
//! Time O(lines log lines), memory O(different values).

use std::collections::BTreeMap;

use serde_json::json;

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::{counts, kolmogorov_smirnov, once, spearman};
use crate::data::Visits;
use crate::data::visits::Part;
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "session-shape",
        summary: "how far the lengths of sessions are from those of the original",
        paper: "ours, after Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), \
                chapter 3",
        details: "The headline is the Kolmogorov-Smirnov distance of the lengths of sessions in lines: 0 if they are spread the same. Parts: `sessions`, \
            the number of sessions as a share of the original's; `duration_ks`, the same distance for their durations; `entry_rho`, Spearman's rank \
            correlation of how often sessions begin with each of the 100 most frequent first paths of the original.",
        parameters: &[],
    },
    unit: "",
    better: "lower",
    says: "",
    undefined: "there are no sessions",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct SessionShape;

impl Measure<Visits> for SessionShape {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Visits>, _context: &Context<'_>) -> Result<Measured> {
        let (own, weights) = (once(pair.original), &pair.multiplicity);
        let lengths = |visits: &Visits, weights: &[u32]| {
            counts(visits, weights, |person| visits.sessions(person).iter().map(|rows| rows.len() as i64).collect())
        };
        let durations = |visits: &Visits, weights: &[u32]| {
            counts(visits, weights, |person| {
                visits.sessions(person).iter().map(|rows| duration(visits, rows)).collect()
            })
        };
        let entries = |visits: &Visits, weights: &[u32]| -> BTreeMap<String, u64> {
            counts(visits, weights, |person| {
                visits.sessions(person).iter().filter_map(|rows| entry(visits, rows).map(str::to_owned)).collect()
            })
        };
        let (before, after) = (lengths(pair.original, &own), lengths(pair.release, weights));
        let sessions = |counts: &BTreeMap<i64, u64>| counts.values().sum::<u64>() as f64;
        let (first, later) = (entries(pair.original, &own), entries(pair.release, weights));
        let mut top: Vec<(&String, u64)> = first.iter().map(|(path, &count)| (path, count)).collect();
        top.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(right.0)));
        top.truncate(100);
        let numbers: Vec<u64> = top.iter().map(|&(_, count)| count).collect();
        let others: Vec<u64> = top.iter().map(|(path, _)| later.get(*path).copied().unwrap_or(0)).collect();
        let parts = json!({
            "sessions": sessions(&after) / sessions(&before).max(1.0),
            "duration_ks": kolmogorov_smirnov(&durations(pair.original, &own), &durations(pair.release, weights)),
            "entry_rho": spearman(&numbers, &others),
        });
        Ok(self.measured(kolmogorov_smirnov(&before, &after), parts))
    }
}

/// How long a session is, in seconds.
fn duration(visits: &Visits, rows: &[usize]) -> i64 {
    let times = || rows.iter().map(|&row| visits.time(row));
    times().max().zip(times().min()).map_or(0, |(last, first)| (last - first).div_euclid(1000))
}

/// The path that a session begins with.
fn entry<'v>(visits: &'v Visits, rows: &[usize]) -> Option<&'v str> {
    rows.iter().find_map(|&row| visits.text(Part::Path, row))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{log, measure};
    use super::*;

    #[test]
    fn by_hand() {
        let original = log(&[("a", 0, "/x"), ("a", 1, "/y"), ("b", 0, "/x"), ("c", 0, "/z")]);
        let same = measure(&SessionShape, &original, &original);
        assert_eq!(
            (same.value, &same.parts["sessions"], &same.parts["duration_ks"]),
            (Some(0.0), &json!(1.0), &json!(0.0))
        );
        // Three sessions of 2, 1 and 1 lines become two of 2.
        let release = log(&[("a", 0, "/x"), ("a", 2, "/y"), ("b", 0, "/x"), ("b", 2, "/y")]);
        let found = measure(&SessionShape, &original, &release);
        assert!((found.value.unwrap() - 2.0 / 3.0).abs() < 1e-12);
        assert!((found.parts["sessions"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(found.parts["entry_rho"], json!(1.0));
    }
}
