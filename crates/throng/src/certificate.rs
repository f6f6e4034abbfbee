//! `certificate.json`: what was done, what is claimed, and that it was checked on the very bytes.
//!
//! Stable from its first version: keys may be added, never changed. It holds no hash of the original (small files could be
//! guessed and confirmed by it) and never the seed (it would undo the pseudonyms).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the certificate's form.
pub const FORMAT: u32 = 1;

/// A certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The version of this form.
    pub format: u32,
    /// The version of throng that wrote it.
    pub throng: String,
    /// What was protected.
    pub input: Input,
    /// What was published.
    pub output: Output,
    /// How.
    pub method: Method,
    /// What is claimed, with the verdict of the check.
    pub claims: Vec<ClaimRecord>,
    /// `secure` or `seeded`.
    pub randomness: String,
    /// `pseudonyms`, or `kept` where the original ids were published on request.
    #[serde(default = "pseudonyms")]
    pub ids: String,
    /// What was left out.
    pub accounting: Accounting,
}

fn pseudonyms() -> String {
    "pseudonyms".into()
}

/// What was protected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The kind of data.
    pub kind: String,
    /// How many persons.
    pub persons: u64,
    /// How many rows.
    pub rows: u64,
}

/// What was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The data file beside the certificate.
    pub file: String,
    /// Its SHA-256.
    pub sha256: String,
    /// How many persons.
    pub persons: u64,
    /// How many rows.
    pub rows: u64,
    /// Which column of the file holds what, where its header has names.
    #[serde(default)]
    pub columns: BTreeMap<String, String>,
}

/// How it was protected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// The method's name.
    pub name: String,
    /// Its parameters: k, and what was not at its default.
    pub parameters: Map<String, Value>,
}

/// A claim and its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimRecord {
    /// The model.
    pub model: String,
    /// Its parameters.
    pub parameters: Map<String, Value>,
    /// `holds`: a release whose claims fail is never written.
    pub verdict: String,
    /// What the data achieve.
    pub achieved: Map<String, Value>,
}

/// What was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounting {
    /// Persons of the original that are not in the release.
    pub persons_dropped: u64,
    /// Rows that the method suppressed.
    pub rows_dropped: u64,
    /// Malformed lines that were skipped on request.
    pub rows_refused: u64,
}
