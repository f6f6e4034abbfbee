//! Models: each checks a claim on data alone, knowing nothing of the method that made them.

pub mod digests;
pub mod user_k_anonymity;

use serde_json::{Map, Value};

/// What a model found.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether the claim holds.
    pub holds: bool,
    /// How far the data go beyond or fall short of the claim, e.g. the k that is reached.
    pub achieved: Map<String, Value>,
    /// When it fails: who shows it.
    pub witness: Option<Witness>,
}

/// Who shows that a claim fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Witness {
    /// The person's number in the digests or data that were checked.
    pub person: u32,
    /// How many persons have the same record, this one included.
    pub group_size: usize,
}
