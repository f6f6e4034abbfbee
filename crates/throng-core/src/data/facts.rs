//! Facts: what an attacker may know of persons, sort by sort: their queries, the hours at which they searched, the items they
//! have.
//!
//! A sort is a name and, for each person, a list of numbers: whoever judges how exposed people are needs no more, and knows no
//! kind of data.

use std::borrow::Cow;

/// A sort of facts in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactSort {
    /// What such facts are called: one, and many.
    pub names: [&'static str; 2],
    /// What exactly is known when one is known.
    pub means: &'static str,
}

/// The facts of one sort, of all persons of a data set.
pub struct Facts<'a> {
    count: usize,
    of: Box<dyn Fn(usize) -> Cow<'a, [u32]> + 'a>,
}

impl<'a> Facts<'a> {
    /// Facts below `count`, those of a person as `of` says, copies included.
    pub fn new(count: usize, of: impl Fn(usize) -> Cow<'a, [u32]> + 'a) -> Self {
        Self { count, of: Box::new(of) }
    }

    /// One more than the greatest fact; 0 if the data have none of this sort.
    pub fn count(&self) -> usize {
        self.count
    }

    /// What may be known of a person, copies included.
    pub fn of(&self, person: usize) -> Cow<'a, [u32]> {
        (self.of)(person)
    }
}
