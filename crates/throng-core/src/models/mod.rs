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

/// What shows that a claim fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Witness {
    /// The first person that shows it: their number in the digests or data that were checked.
    pub person: u32,
    /// How many persons cannot be told from this one by what the witness says, this one included: those with the same
    /// record, or with the same items.
    pub group_size: usize,
    /// The items that single the person out, where the model is about items. Shown only on request: they may be rare.
    pub items: Vec<u32>,
    /// More numbers under names of their own.
    pub numbers: Map<String, Value>,
}

impl Witness {
    /// Persons who share a record.
    pub fn of_group(person: u32, group_size: usize) -> Self {
        Self { person, group_size, items: Vec::new(), numbers: Map::new() }
    }
}

/// Checks a claim on data in memory.
pub trait Model<D>: Send + Sync {
    /// Whether the claim holds, and what shows it if it does not.
    fn check(&self, data: &D) -> Verdict;
}
