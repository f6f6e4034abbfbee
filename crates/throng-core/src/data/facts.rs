//! Facts: what an attacker may know of persons, sort by sort: their queries, the hours at which they searched, the items they
//! have.
//!
//! A sort is a name and, for each person, a list of numbers: whoever judges how exposed people are needs no more, and knows no
//! kind of data.

use std::borrow::Cow;
use std::cmp::Ordering;

/// A sort of facts in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactSort {
    /// What such facts are called: one, and many.
    pub names: [&'static str; 2],
    /// What exactly is known when one is known.
    pub means: &'static str,
    /// What somebody knows who knows one, and who knows several of them: `{}` stands for how many.
    pub known: [&'static str; 2],
}

/// The facts of one sort, of all persons of a data set.
pub struct Facts<'a> {
    count: usize,
    of: Box<dyn Fn(usize) -> Cow<'a, [u32]> + Sync + 'a>,
    order: Box<dyn Fn(u32, u32) -> Ordering + Sync + 'a>,
}

impl<'a> Facts<'a> {
    /// Facts below `count`, those of a person as `of` says, copies included. They are ordered as their numbers are.
    pub fn new(count: usize, of: impl Fn(usize) -> Cow<'a, [u32]> + Sync + 'a) -> Self {
        Self { count, of: Box::new(of), order: Box::new(|left, right| left.cmp(&right)) }
    }

    /// The same, in an order of their own. Numbers differ between files that hold the same: what is drawn of facts in an order that
    /// goes by what they say is the same for both.
    #[must_use]
    pub fn ordered(self, order: impl Fn(u32, u32) -> Ordering + Sync + 'a) -> Self {
        Self { order: Box::new(order), ..self }
    }

    /// Which of two facts comes first.
    pub fn compare(&self, left: u32, right: u32) -> Ordering {
        (self.order)(left, right)
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
