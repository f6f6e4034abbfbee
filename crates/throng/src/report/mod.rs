//! `report.json`: the certificate, how exposed people were, how large the groups are, and every measure.
//!
//! It may be published with the data: no value that fewer than k persons share is in it, and bins with fewer than k persons
//! are merged. It holds no time of day and no duration, so that the same seed gives the same bytes.

pub mod chart;
pub mod comparison;
mod page;
mod promise;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use throng_core::measures::Measured;

pub use page::html;

use crate::certificate::Certificate;
use crate::run::Skipped;

/// The version of the report's form.
pub const FORMAT: u32 = 1;

/// What a report says.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// The version of this form.
    pub format: u32,
    /// The certificate.
    pub certificate: &'a Certificate,
    /// How exposed people were before.
    pub exposure: Value,
    /// How large the groups are.
    pub groups: Value,
    /// Every number that was measured.
    pub measures: &'a [Measured],
    /// What was not measured, and why.
    pub skipped: &'a [Skipped],
}

/// The share of persons singled out by 1, 2 and 3 of their queries, as in `throng inspect`.
pub fn unique_by(shares: [f64; 3]) -> Value {
    json!({"1": shares[0], "2": shares[1], "3": shares[2]})
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
