//! What every data set can say of itself, whatever its kind: who is in it, what an attacker may know of them, what it has.
//!
//! Kinds differ in what a person's record is. What samples persons, publishes records, runs measures or judges how exposed
//! people are works on this alone, so that a new kind gets it by implementing one trait. What most code of a kind asks for, its
//! persons, rows and names, is a method of the kind's own type too, under the same name.

use std::fmt::Debug;

use super::{FactSort, Facts, Strings};
use crate::error::Result;
use crate::info::Need;
use crate::rng::Rng;

/// Persons with a record each.
pub trait Dataset: Sized + Clone + Debug + Send + Sync + 'static {
    /// What an attacker may know of persons, sort by sort; never empty, what people are mostly known by first.
    const FACTS: &'static [FactSort];

    /// The number of persons; of documents, for a document stands for a person.
    fn persons(&self) -> usize;

    /// The number of rows of all persons together: lines, items with their copies, terms.
    fn rows(&self) -> usize;

    /// The persons' ids.
    fn names(&self) -> &Strings;

    /// Whether persons have ids. Without, a person is a line of the file.
    fn has_ids(&self) -> bool {
        true
    }

    /// For each person among how many they ask to be, 0 if they do not say; `None` where nobody was asked.
    fn wishes(&self) -> Option<&[u32]> {
        None
    }

    /// Some of the persons, in the order in which they are given.
    fn of_persons(&self, persons: &[u32]) -> Self;

    /// The data with some persons taken as one, who were one person under several pseudonyms: person `p` becomes part of
    /// `owners[p]`, of so many. `None` for a kind whose persons cannot be put together.
    fn joined(&self, _owners: &[u32], _persons: usize) -> Option<Self> {
        None
    }

    /// The same records, what is inside each ordered by its values, so that the order says nothing about where it comes from.
    fn in_release_order(self) -> Self {
        self
    }

    /// The facts of the sort with this number in [`Self::FACTS`].
    fn facts(&self, sort: usize) -> Facts<'_>;

    /// Whether it has what a measure needs. The link between persons is the pair's, never a data set's.
    fn has(&self, need: Need) -> bool;

    /// What persons with these records are called in a release, where they are not called by numbers: pairs of a person of the
    /// original, whose names are given, and a record.
    fn published_names(&self, _given: &[(u32, u32)], _names: &Strings, _rng: &mut Rng) -> Option<Result<Vec<String>>> {
        None
    }

    /// Whether a record stands in a release once, under a name of its own, for all persons who have it: no person's id can be that name.
    fn names_records(&self) -> bool {
        false
    }

    /// Whether those were made by the method out of the original's, one for each record: persons with the same record are one in the
    /// file.
    fn has_own_names(&self) -> bool {
        false
    }
}
