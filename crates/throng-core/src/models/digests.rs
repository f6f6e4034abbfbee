//! What models of the k-anonymity family need of a file: one number for each person that stands for their whole record.
//!
//! Every row gives a keyed 128-bit hash (SipHash-2-4 with a key drawn afresh for each check) of all its values but the
//! person's; a person's digest is the sum of their rows' hashes, so the order of rows does not matter and repeated rows
//! count. Who does not know the key cannot make two different records with the same digest, and by chance it happens
//! with probability 2^-128 a pair: equal digests are equal records.
//!
//! # Cost
//! Time at reading speed; memory O(persons), whatever the number of rows.

use std::hash::Hasher as _;
use std::ops::Range;

use siphasher::sip128::{Hasher128 as _, SipHasher24};

use super::k_anonymity::groups_by;
use crate::data::{Dataset, Interner, QueryLog, Strings};
use crate::release::Release;
use crate::rng::Rng;

/// The key of one check.
#[derive(Debug, Clone, Copy)]
pub struct DigestKey([u8; 16]);

/// The digest of each person.
#[derive(Debug, Default)]
pub struct Digests {
    persons: Interner,
    tallies: Vec<Tally>,
    rows: u64,
}

/// What is known of one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// The sum of the hashes of their rows.
    pub digest: u128,
    /// The number of their rows.
    pub rows: u64,
    /// The line of the file at which they first appear, counted from 1.
    pub first_line: u64,
}

/// A row while its values come in, and, again and again, the next.
#[derive(Debug)]
pub struct RowHasher {
    key: DigestKey,
    /// The values so far: hashing them at once is several times faster than one by one.
    bytes: Vec<u8>,
}

impl DigestKey {
    /// A fresh key.
    pub fn new(rng: &mut Rng) -> Self {
        Self(rng.key())
    }

    /// A hasher of rows.
    pub fn hasher(&self) -> RowHasher {
        RowHasher { key: *self, bytes: Vec::new() }
    }
}

impl RowHasher {
    /// The next value; what is missing is told apart from what is empty.
    pub fn value(&mut self, bytes: Option<&[u8]>) {
        match bytes {
            None => self.bytes.push(0),
            Some(bytes) => {
                self.bytes.push(1);
                self.bytes.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
                self.bytes.extend_from_slice(bytes);
            }
        }
    }

    /// The next value, a number.
    pub fn number(&mut self, number: Option<i64>) {
        self.value(number.map(i64::to_le_bytes).as_ref().map(<[u8; 8]>::as_slice));
    }

    /// The hash of the row. The next value begins another.
    pub fn finish(&mut self) -> u128 {
        let mut hasher = SipHasher24::new_with_key(&self.key.0);
        hasher.write(&self.bytes);
        self.bytes.clear();
        hasher.finish128().as_u128()
    }
}

impl Digests {
    /// Nobody yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a row of a person.
    pub fn add(&mut self, person: &str, row: u128, line: u64) {
        self.add_tally(person, Tally { digest: row, rows: 1, first_line: line });
    }

    /// Adds what another part of the file, further on, knows of a person.
    pub fn add_tally(&mut self, person: &str, other: Tally) {
        let id = self.persons.intern(person) as usize;
        self.rows += other.rows;
        match self.tallies.get_mut(id) {
            None => self.tallies.push(other),
            Some(tally) => {
                tally.digest = tally.digest.wrapping_add(other.digest);
                tally.rows += other.rows;
                tally.first_line = tally.first_line.min(other.first_line);
            }
        }
    }

    /// Adds all persons of a part of the file whose lines begin after `lines_before` lines.
    pub fn append(&mut self, part: &Digests, lines_before: u64) {
        for (name, tally) in part.persons.strings().iter().zip(&part.tallies) {
            self.add_tally(name, Tally { first_line: tally.first_line + lines_before, ..*tally });
        }
    }

    /// The digests of a release in memory, with a fresh key: its persons by their pseudonyms, each with their record.
    pub fn of_release<D: Rows>(release: &Release<D>, rng: &mut Rng) -> Self {
        let records = Self::of(&release.records, &DigestKey::new(rng));
        let mut digests = Self::new();
        for person in &release.persons {
            digests.add_tally(&person.pseudonym, records.tallies()[person.record as usize]);
        }
        digests
    }

    /// The digests of data that are in memory; lines are counted from 1 in the order of persons.
    pub fn of<D: Rows>(data: &D, key: &DigestKey) -> Self {
        let mut digests = Self::new();
        let mut hasher = key.hasher();
        for person in 0..data.persons() {
            for row in data.rows_of(person) {
                data.hash(row, &mut hasher);
                digests.add(data.names().get(person as u32), hasher.finish(), row as u64 + 1);
            }
        }
        digests
    }

    /// The persons' names, in the order of first appearance.
    pub fn names(&self) -> &Strings {
        self.persons.strings()
    }

    /// What is known of each person.
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// The number of rows of all persons.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Groups of persons with equal records, as lists of person numbers in rising order; the group of the lowest
    /// person first.
    pub fn groups(&self) -> Vec<Vec<u32>> {
        let record = |person: u32| {
            let tally = &self.tallies[person as usize];
            (tally.digest, tally.rows)
        };
        groups_by(self.tallies.len(), |left, right| record(left).cmp(&record(right)))
    }
}

/// Data in memory whose records are rows. A kind that has them gets its digests, and with them k-anonymity, for nothing.
pub trait Rows: Dataset {
    /// The numbers of a person's rows.
    fn rows_of(&self, person: usize) -> Range<usize>;

    /// Gives the hasher all values of a row but the person's.
    fn hash(&self, row: usize, hasher: &mut RowHasher);
}

impl Rows for QueryLog {
    fn rows_of(&self, person: usize) -> Range<usize> {
        self.range(person)
    }

    fn hash(&self, row: usize, hasher: &mut RowHasher) {
        let line = self.line(row);
        hasher.value(Some(self.queries().get(line.query).as_bytes()));
        hasher.number(Some(line.time));
        hasher.number(line.rank.map(i64::from));
        hasher.value(line.url.map(|url| self.urls().get(url).as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::QueryLogBuilder;

    /// Person, query, time, rank, URL.
    type Values<'a> = (&'a str, &'a str, i64, Option<u32>, Option<&'a str>);

    fn groups(lines: &[Values<'_>]) -> Vec<Vec<u32>> {
        let mut builder = QueryLogBuilder::new();
        for &(person, query, time, rank, url) in lines {
            builder.push(person, query, time, rank, url);
        }
        Digests::of(&builder.finish(), &DigestKey::new(&mut Rng::seeded(1))).groups()
    }

    #[test]
    fn order_does_not_matter_and_repeats_count() {
        let same = groups(&[
            ("a", "x", 1, None, None),
            ("a", "y", 2, None, None),
            ("b", "y", 2, None, None),
            ("b", "x", 1, None, None),
        ]);
        assert_eq!(same, [vec![0, 1]]);
        let repeated = groups(&[("a", "x", 1, None, None), ("a", "x", 1, None, None), ("b", "x", 1, None, None)]);
        assert_eq!(repeated, [vec![0], vec![1]]);
    }

    #[test]
    fn every_value_counts() {
        let base = ("a", "x", 1, Some(1), Some("u"));
        for other in [
            ("b", "y", 1, Some(1), Some("u")),
            ("b", "x", 2, Some(1), Some("u")),
            ("b", "x", 1, Some(2), Some("u")),
            ("b", "x", 1, None, Some("u")),
            ("b", "x", 1, Some(1), Some("v")),
            ("b", "x", 1, Some(1), None),
            ("b", "x", 1, Some(1), Some("")),
        ] {
            assert_eq!(groups(&[base, other]).len(), 2, "{other:?}");
        }
    }

    #[test]
    fn the_key_is_fresh_each_time() {
        let mut log = QueryLogBuilder::new();
        log.push("a", "x", 1, None, None);
        let log = log.finish();
        let mut rng = Rng::secure().unwrap();
        let digest = |rng: &mut Rng| Digests::of(&log, &DigestKey::new(rng)).tallies()[0].digest;
        assert_ne!(digest(&mut rng), digest(&mut rng));
    }
}
