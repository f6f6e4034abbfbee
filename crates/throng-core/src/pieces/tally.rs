//! How many persons of a release have each record, of the files that were written and read back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Piece;
use crate::models::digests::Digests;

/// What was found in some of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    rows: u64,
    /// How many persons have the record of a digest.
    records: BTreeMap<Digest, u64>,
    /// The first and last name of each file that has one, in rising order.
    names: Vec<(String, String)>,
}

/// A digest, in decimal: what is written down as text has no numbers of 128 bits for names.
type Digest = String;

/// What all files show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tallied {
    /// The number of persons.
    pub persons: u64,
    /// The number of rows.
    pub rows: u64,
    /// The fewest persons who have the same record.
    pub k: u64,
    /// How many groups there are of each size.
    pub sizes: BTreeMap<u64, u64>,
    /// Whether every person is in one file, and in one place of the order of all.
    pub is_in_order: bool,
}

impl Tally {
    /// Of the persons of one file, whose digests were made with the key of the check.
    pub fn of(digests: &Digests) -> Self {
        let mut tally = Self { rows: digests.rows(), ..Self::default() };
        for own in digests.tallies() {
            *tally.records.entry(own.digest.to_string()).or_default() += 1;
        }
        let names = || digests.names().iter();
        if let Some((first, last)) = names().min().zip(names().max()) {
            tally.names.push((first.to_owned(), last.to_owned()));
        }
        tally
    }

    /// Of the records of persons whom no name tells apart, by their digests, with so many rows.
    pub fn of_records(digests: impl IntoIterator<Item = u128>, rows: u64) -> Self {
        let mut tally = Self { rows, ..Self::default() };
        for digest in digests {
            *tally.records.entry(digest.to_string()).or_default() += 1;
        }
        tally
    }

    /// The same of persons who have names, and stand in one place of the order of all.
    #[must_use]
    pub fn between(mut self, first: &str, last: &str) -> Self {
        self.names.push((first.to_owned(), last.to_owned()));
        self
    }

    /// What it says once all files are in it.
    pub fn verdict(&self) -> Tallied {
        let mut sizes = BTreeMap::new();
        for &size in self.records.values() {
            *sizes.entry(size).or_default() += 1;
        }
        Tallied {
            persons: self.records.values().sum(),
            rows: self.rows,
            k: sizes.keys().next().copied().unwrap_or(0),
            sizes,
            is_in_order: self.names.windows(2).all(|pair| pair[0].1 < pair[1].0),
        }
    }
}

impl Piece for Tally {
    const NAME: &'static str = "tally";

    fn merge(mut self, other: Self) -> Self {
        self.rows += other.rows;
        for (digest, persons) in other.records {
            *self.records.entry(digest).or_default() += persons;
        }
        self.names.extend(other.names);
        self.names.sort_unstable();
        self
    }
}
