//! What a file holds beside its rows: comments, names, padding. Nobody compares it, so the checker must know of it.
//!
//! It is counted while the file is read, by whoever comes upon it, and put into words at the end. A release of ours has
//! none of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What was found so far, each sort in words for a single one, with how often. Copies count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Uncompared(Arc<Mutex<BTreeMap<&'static str, u64>>>);

impl Uncompared {
    /// Notes one thing, in words such as `a comment line`.
    pub(super) fn note(&self, what: &'static str) {
        self.note_many(what, 1);
    }

    /// Notes so many of a sort; none if it is 0.
    pub(super) fn note_many(&self, what: &'static str, count: u64) {
        if count > 0 {
            *self.found().entry(what).or_default() += count;
        }
    }

    /// A line for each sort, such as `a comment line (3 times)`. No value of the file is in them.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let words = |(what, count): (&&str, &u64)| match count {
            1 => (*what).to_owned(),
            _ => format!("{what} ({count} times)"),
        };
        self.found().iter().map(words).collect()
    }

    fn found(&self) -> MutexGuard<'_, BTreeMap<&'static str, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
