//! `report.json`: the certificate, how exposed people were, how large the groups are, every measure and the attacks.
//!
//! It may be published with the data: no value that fewer than k persons share is in it, bins with fewer than k persons are
//! merged, and [`published`] rounds measures and hides counts below k. It holds no time of day, and of a seeded run no date and no
//! duration, so that the same seed gives the same bytes.

mod audit;
pub mod chart;
pub mod comparison;
pub(crate) mod cube;
mod example;
mod keys;
pub(crate) mod maps;
pub(crate) mod network;
mod numbers;
mod page;
mod picture;
mod promise;
mod published;
mod ratings;
mod sheet;
mod shilling;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use throng_core::measures::Measured;
use throng_core::{Error, Result};

pub use audit::audit_page;
pub use example::example;
pub(crate) use keys::has_more;
pub use page::{html, not_a_report};
pub use promise::in_short as promise_in_short;
pub use published::published;
pub use sheet::{MaskSheet, attacks_page, link_page, mask_page};
pub use shilling::shilling_page;

use crate::certificate::Certificate;
use crate::run::{Attacked, SingledOutBefore, Skipped};

/// The version of the report's form.
pub const FORMAT: u32 = 1;

/// What a report says.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// The version of this form.
    pub format: u32,
    /// What the data set is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<&'a str>,
    /// The day of the release, as `YYYY-MM-DD`; not of a seeded run unless it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<&'a str>,
    /// The certificate.
    pub certificate: &'a Certificate,
    /// How exposed people were before.
    pub exposure: Value,
    /// One record before and after, made up; `null` if no values are shared by enough persons.
    pub example: Value,
    /// How large the groups are.
    pub groups: Value,
    /// Every number that was measured.
    pub measures: &'a [Measured],
    /// What somebody who knows a little achieves, before and now.
    #[serde(skip_serializing_if = "<[Attacked]>::is_empty")]
    pub attacks: &'a [Attacked],
    /// What maps show, of paths.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub maps: Value,
    /// What a masked network looks like.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub network: Value,
    /// What was not measured, and why.
    pub skipped: &'a [Skipped],
    /// What the run took; not in a seeded run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunFacts>,
}

/// Today, where the machine stands, as `YYYY-MM-DD`.
pub fn today() -> String {
    chrono::Local::now().date_naive().to_string()
}

/// Refuses what is not a day as `YYYY-MM-DD`.
pub fn check_date(date: &str) -> Result<()> {
    match chrono::NaiveDate::parse_from_str(date, "%Y-%m-%d") {
        Ok(day) if day.to_string() == date => Ok(()),
        _ => Err(Error::parameter("date", format!("is `{date}`, which is no day")).with_hint("write it as 2024-03-31")),
    }
}

/// What a run took.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunFacts {
    /// Seconds from its beginning until the report was written.
    pub seconds: f64,
    /// The greatest memory it had, in millions of bytes, where the system says so.
    pub peak_memory_mb: Option<u64>,
    /// How many threads it used.
    pub threads: usize,
}

impl RunFacts {
    /// The facts of a run that began then and is about to end.
    pub fn since(begun: std::time::Instant) -> Self {
        // Linux says it in units of 1,024 bytes; elsewhere it is not known.
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
        Self {
            seconds: (begun.elapsed().as_secs_f64() * 100.0).round() / 100.0,
            peak_memory_mb: peak.map(|kib| kib * 1024 / 1_000_000),
            threads: rayon::current_num_threads(),
        }
    }
}

/// The share of persons singled out by 1, 2 and 3 of their queries, as in `throng inspect`.
pub fn unique_by(shares: [f64; 3]) -> Value {
    json!({"1": shares[0], "2": shares[1], "3": shares[2]})
}

/// How many persons are found before and after by facts of each sort; of the first sort also under the keys that it always had.
pub(crate) fn exposure(before: &[SingledOutBefore], after: &[[f64; 3]]) -> Value {
    let first = |shares: Option<[f64; 3]>| unique_by(shares.unwrap_or_default());
    let is_known = |(before, after): &(&SingledOutBefore, &[f64; 3])| before.alone != [0.0; 3] || **after != [0.0; 3];
    let sort = |(before, after): (&SingledOutBefore, &[f64; 3])| json!({"facts": before.sort.names[1], "before": unique_by(before.alone), "after": unique_by(*after)});
    let by_sort: Vec<Value> = before.iter().zip(after).filter(is_known).map(sort).collect();
    json!({
        "unique_by": first(before.first().map(|first| first.alone)),
        "unique_by_after": first(after.first().copied()),
        "singled_out": by_sort,
    })
}

/// How many persons are found by facts of each sort that somebody has.
pub(crate) fn singled_out(found: &[SingledOutBefore]) -> Value {
    let is_known = |found: &&SingledOutBefore| found.alone != [0.0; 3];
    let sort = |found: &SingledOutBefore| json!({"facts": found.sort.names[1], "alone": unique_by(found.alone)});
    found.iter().filter(is_known).map(sort).collect()
}

/// How many groups there are of each size.
pub fn group_sizes(persons_of_records: &[u32]) -> Value {
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    for &size in persons_of_records.iter().filter(|&&size| size > 0) {
        *sizes.entry(size).or_default() += 1;
    }
    let list: Vec<Value> = sizes.iter().map(|(size, groups)| json!({"size": size, "groups": groups})).collect();
    json!({"count": sizes.values().sum::<u64>(), "sizes": list})
}
