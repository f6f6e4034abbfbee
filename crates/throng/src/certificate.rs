//! `certificate.json`: what was done, what is claimed, and that it was checked on the very bytes.
//!
//! Stable from its first version: keys may be added, never changed. It holds no hash of the original (small files could be
//! guessed and confirmed by it) and never the seed (it would undo the pseudonyms).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throng_core::partition::grouping::Grouped;

use crate::run::TaxonomyRecord;

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
    /// `pseudonyms`, `kept` where the original ids were published on request, or `none` where the file has none.
    #[serde(default = "pseudonyms")]
    pub ids: String,
    /// Where items are nodes of a taxonomy: which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taxonomy: Option<TaxonomyRecord>,
    /// How many items were named as sensitive, where some were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive_items: Option<u64>,
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
    /// How many rows; of baskets, how many items all persons have together; of documents, how many terms.
    pub rows: u64,
}

/// What was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The kind of data, where it is not that of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
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
    /// How groups were made, where that may be in blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grouping: Option<Grouped>,
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
    /// `original` where the release alone cannot show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
}

/// What was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Accounting {
    /// Persons of the original that are not in the release.
    pub persons_dropped: u64,
    /// Of those, persons in whose data no concept was found, where a method goes by meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persons_without_concept: Option<u64>,
    /// Groups of which nothing could be published, where what lines say has a threshold. Their persons are not in the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups_empty: Option<u64>,
    /// Lines of records that expose a member above 100 / k, where a record is too short to avoid it. Each group's record counts once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_above_cap: Option<u64>,
    /// Rows that the method suppressed.
    pub rows_dropped: u64,
    /// Malformed lines that were skipped on request.
    pub rows_refused: u64,
    /// Different items, or phrases where a method goes by meaning, that the taxonomy does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items_unknown: Option<u64>,
    /// How often those occur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrences_unknown: Option<u64>,
    /// Items of persons, copies included, that have none in their place in the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrences_suppressed: Option<u64>,
}

impl Accounting {
    /// The same, with what is known of phrases, if a method went by them.
    pub(crate) fn with_phrases(self, phrases: Option<Self>) -> Self {
        let Some(phrases) = phrases else { return self };
        Self {
            persons_without_concept: phrases.persons_without_concept,
            items_unknown: phrases.items_unknown,
            occurrences_unknown: phrases.occurrences_unknown,
            ..self
        }
    }
}
