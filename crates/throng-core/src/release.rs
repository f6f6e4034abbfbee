//! From protected records to something that may be published: claims, fresh pseudonyms, an order that says nothing.
//!
//! A method gives a [`Protected`]: records, and who gets which. It is not publishable, for its persons still have the
//! numbers of the original. [`Protected::disguise`] makes the [`Release`]: every person gets a pseudonym drawn at random,
//! persons are ordered by it, and the lines of a record by their values. Neither says anything about the original
//! order or the groups.

pub mod addresses;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::accounts::{Account, Accounts};
use crate::data::{Dataset, Interner, Strings};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::partition::grouping::Grouped;
use crate::rng::Rng;
use crate::secret::Secret;

/// A model and its parameters, claimed by a method and to be checked by the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The model's name.
    pub model: &'static str,
    /// The model's parameters.
    pub parameters: Map<String, Value>,
}

/// How a generalisation of whole columns was found, for the certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// The level of each quasi column.
    pub levels: BTreeMap<String, usize>,
    /// The quality that it was chosen by.
    pub quality: String,
    /// Its value; less is better.
    pub value: f64,
    /// Rows that are left out.
    pub suppressed_rows: u64,
    /// How many generalisations there are.
    pub nodes: u64,
    /// How many of them were looked at.
    pub looked_at: u64,
    /// `false` if a better one may be among the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimal: Option<bool>,
}

/// How the amounts of noise were found, for the certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Optimised {
    /// How many rows were looked at.
    pub sample: u64,
    /// Of how many.
    pub rows: u64,
    /// How often the objective was worked out.
    pub evaluations: u64,
    /// The expected distortion of a row.
    pub distortion: f64,
}

/// What a method gives: records, and who gets which. Not publishable.
#[derive(Debug, Clone)]
pub struct Protected<D> {
    /// One record for each group; their names mean nothing.
    pub records: D,
    /// For each person of the original the number of their record; `None` for a person who is left out.
    pub record_of: Vec<Option<u32>>,
    /// Further records of persons who have several, with a pseudonym for each: person and record.
    pub further: Vec<(u32, u32)>,
    /// What the method says of it.
    pub claims: Vec<Claim>,
    /// How groups were made, by a method that can do it in blocks.
    pub grouped: Option<Grouped>,
    /// How the generalisation was found, by a method that searches for one.
    pub search: Option<Search>,
    /// How the amounts of noise were found, by a method that adds some.
    pub optimised: Option<Optimised>,
    /// What the method counted.
    pub accounts: Accounts,
    /// A key that the method drew and that somebody may ask to keep. Never published.
    pub secret: Option<Secret>,
}

/// What may be published, and, beside it, the link that may not.
#[derive(Debug, Clone)]
pub struct Release<D> {
    /// One record for each group, lines in the order of the release.
    pub records: D,
    /// The persons of the release in its order: pseudonym and record.
    pub persons: Vec<Published>,
    /// What the method says of it.
    pub claims: Vec<Claim>,
    /// How groups were made, by a method that can do it in blocks.
    pub grouped: Option<Grouped>,
    /// How the generalisation was found, by a method that searches for one.
    pub search: Option<Search>,
    /// How the amounts of noise were found, by a method that adds some.
    pub optimised: Option<Optimised>,
    /// What the method counted.
    pub accounts: Accounts,
    /// A key that the method drew and that somebody may ask to keep. Never published.
    pub secret: Option<Secret>,
}

/// A person of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The pseudonym, or the original id if ids are kept.
    pub pseudonym: String,
    /// The number of the record.
    pub record: u32,
    /// The number of the person in the original. Never published; `--key` writes it.
    pub person: u32,
}

impl Claim {
    /// Claims a model with these parameters.
    pub fn new<const N: usize>(model: &Info, parameters: [(&str, Value); N]) -> Self {
        let parameters = parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { model: model.name, parameters }
    }
}

impl<D> Protected<D> {
    /// Records, who gets which, and what is said of it.
    pub fn new(records: D, record_of: Vec<Option<u32>>, claims: Vec<Claim>) -> Self {
        Self {
            records,
            record_of,
            further: Vec::new(),
            claims,
            grouped: None,
            search: None,
            optimised: None,
            accounts: Accounts::new(),
            secret: None,
        }
    }

    /// Records of which a person may have several, or none: record `r` is that of person `owners[r]`, of so many. Nothing is
    /// claimed of them.
    pub fn of_parts(records: D, owners: &[u32], persons: usize) -> Self {
        let mut record_of = vec![None; persons];
        let mut further = Vec::new();
        for (record, &person) in (0u32..).zip(owners) {
            match &mut record_of[person as usize] {
                Some(_) => further.push((person, record)),
                none => *none = Some(record),
            }
        }
        Self { further, ..Self::new(records, record_of, Vec::new()) }
    }

    /// Every person of the release with each of their records, by person, then by record.
    pub fn given(&self) -> Vec<(u32, u32)> {
        let first = (0u32..).zip(&self.record_of).filter_map(|(person, record)| record.map(|record| (person, record)));
        let mut given: Vec<(u32, u32)> = first.chain(self.further.iter().copied()).collect();
        given.sort_unstable();
        given
    }

    /// The same, with a key that may be kept.
    #[must_use]
    pub fn with_secret(self, secret: Secret) -> Self {
        Self { secret: Some(secret), ..self }
    }

    /// The same, with how its groups were made.
    #[must_use]
    pub fn grouped(self, grouped: Grouped) -> Self {
        Self { grouped: Some(grouped), ..self }
    }

    /// The same, with something that was counted.
    #[must_use]
    pub fn counted(self, account: Account, count: u64) -> Self {
        Self { accounts: self.accounts.with(account, count), ..self }
    }
}

impl<D: Dataset> Protected<D> {
    /// Gives every person a fresh pseudonym, or their own id if `keep_ids`, and brings everything into an order that says
    /// nothing about the original order or the groups. Where persons have no ids their lines are shuffled, and the
    /// pseudonym is the number of the line, from 1.
    pub fn disguise(self, names: &Strings, keep_ids: bool, rng: &mut Rng) -> Result<Release<D>> {
        let kept = self.given();
        if keep_ids && !self.further.is_empty() {
            return Err(Error::parameter("keep-ids", "would give a person's several records one id again").with_hint(
                "this method hides which records are one person's: leave it out, or choose another method",
            ));
        }
        if keep_ids && self.records.names_records() {
            return Err(Error::parameter(
                "keep-ids",
                "would call what several persons are together by the id of one of them",
            )
            .with_hint("leave it out; `--key FILE` keeps who is where"));
        }
        if !self.records.has_ids() {
            return Ok(self.shuffled(kept, rng));
        }
        let pseudonyms: Vec<String> = if keep_ids {
            kept.iter().map(|&(person, _)| names.get(person).to_owned()).collect()
        } else {
            match self.records.published_names(&kept, names, rng) {
                Some(names) => names?,
                None => pseudonyms(kept.len(), names, rng)?,
            }
        };
        let mut persons: Vec<Published> = kept
            .into_iter()
            .zip(pseudonyms)
            .map(|((person, record), pseudonym)| Published { pseudonym, record, person })
            .collect();
        persons.sort_by(|left, right| left.pseudonym.cmp(&right.pseudonym));
        Ok(self.released(persons))
    }

    fn released(self, persons: Vec<Published>) -> Release<D> {
        let Self { records, claims, grouped, search, optimised, accounts, secret, .. } = self;
        let records = records.in_release_order();
        Release { records, persons, claims, grouped, search, optimised, accounts, secret }
    }

    fn shuffled(self, mut kept: Vec<(u32, u32)>, rng: &mut Rng) -> Release<D> {
        rng.shuffle(&mut kept);
        let published = |(line, (person, record)): (usize, (u32, u32))| Published {
            pseudonym: (line + 1).to_string(),
            record,
            person,
        };
        self.released(kept.into_iter().enumerate().map(published).collect())
    }
}

impl<D: Dataset> Release<D> {
    /// The persons that the file has: those who became one by a name of the method's own stand there once.
    pub fn written(&self) -> Vec<&Published> {
        let mut written: Vec<&Published> = self.persons.iter().collect();
        if self.records.has_own_names() {
            written.dedup_by(|left, right| left.pseudonym == right.pseudonym);
        }
        written
    }

    /// For each record how many persons of the file have it.
    pub fn persons_of_records(&self) -> Vec<u32> {
        let mut count = vec![0; self.records.persons()];
        for person in self.written() {
            count[person.record as usize] += 1;
        }
        count
    }
}

/// Distinct random decimal numbers of one width, none of them a name of the original.
///
/// Decimal, so that they fit wherever ids were numbers; at least eight digits and a hundred times more numbers than
/// persons, so that a pseudonym says nothing about how many there are and none is likely to be drawn twice.
pub(crate) fn pseudonyms(count: usize, taken: &Strings, rng: &mut Rng) -> Result<Vec<String>> {
    let mut taken = Interner::from(taken);
    let mut least = 10_000_000u64;
    while least < 100 * count as u64 {
        least *= 10;
    }
    let mut drawn = Vec::with_capacity(count);
    let mut tries = 0u64;
    while drawn.len() < count {
        tries += 1;
        if tries > 1000 * (count as u64 + 10) {
            return Err(Error::refused(
                "no pseudonyms are left: the original's ids take nearly all numbers of their width",
            )
            .with_hint("shorten the ids of the original, or give them a letter"));
        }
        let name = (least + rng.below(9 * least)).to_string();
        let known = taken.strings().len();
        if taken.intern(&name) as usize == known {
            drawn.push(name);
        }
    }
    Ok(drawn)
}

/// Whether all names could be pseudonyms that were drawn: decimal numbers of one width, of at least eight digits. Ids of an original
/// may look the same; what does not is none.
pub fn look_drawn(names: &Strings) -> bool {
    let width = names.iter().next().map_or(LEAST_WIDTH, str::len);
    let is_drawn =
        |name: &str| name.len() == width && name.bytes().all(|byte| byte.is_ascii_digit()) && !name.starts_with('0');
    width >= LEAST_WIDTH && names.iter().all(is_drawn)
}

/// The fewest digits of a pseudonym.
const LEAST_WIDTH: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{QueryLog, QueryLogBuilder};

    fn protected(persons: usize) -> (Protected<QueryLog>, Strings) {
        let mut builder = QueryLogBuilder::new();
        builder.push("0", "b", 2000, None, None);
        builder.push("0", "a", 2000, Some(1), None);
        builder.push("0", "a", 2000, None, Some("u"));
        builder.push("0", "z", 1000, None, None);
        let names: Vec<String> = (0..persons).map(|person| format!("{}", 10_000_000 + person)).collect();
        let names = names.iter().map(String::as_str).collect();
        (Protected::new(builder.finish(), vec![Some(0); persons], Vec::new()), names)
    }

    #[test]
    fn pseudonyms_are_fresh_and_of_one_width() {
        let (protected, names) = protected(2000);
        let release = protected.disguise(&names, false, &mut Rng::seeded(1)).unwrap();
        let width = release.persons[0].pseudonym.len();
        assert!(release.persons.iter().all(|person| person.pseudonym.len() == width));
        assert!(release.persons.windows(2).all(|pair| pair[0].pseudonym < pair[1].pseudonym));
        let mut known = Interner::from(&names);
        assert!(release.persons.iter().all(|person| known.intern(&person.pseudonym) as usize >= names.len()));
        assert!(look_drawn(&release.persons.iter().map(|person| person.pseudonym.as_str()).collect()));
        for other in [&["ann"][..], &["1234567"], &["12345678", "123456789"], &["01234567"], &["12345678", "1234567x"]]
        {
            assert!(!look_drawn(&other.iter().copied().collect()), "{other:?}");
        }
        // The order says nothing about the original: about half of the neighbours are the other way round.
        let rising = release.persons.windows(2).filter(|pair| pair[0].person < pair[1].person).count();
        assert!((850..1150).contains(&rising), "{rising}");
    }

    #[test]
    fn lines_are_ordered_by_their_values() {
        let (protected, names) = protected(3);
        let release = protected.disguise(&names, true, &mut Rng::seeded(1)).unwrap();
        let log = &release.records;
        let lines: Vec<_> =
            log.lines(0).map(|line| (line.time, log.queries().get(line.query).to_owned(), line.rank)).collect();
        let expected = [(1000, "z", None), (2000, "a", None), (2000, "a", Some(1)), (2000, "b", None)];
        assert_eq!(lines, expected.map(|(time, query, rank)| (time, query.to_owned(), rank)));
        assert_eq!(release.persons[0].pseudonym, "10000000");
    }

    #[test]
    fn a_person_may_have_several_pseudonyms() {
        let protected = || {
            let mut builder = QueryLogBuilder::new();
            for record in ["0", "1", "2", "3"] {
                builder.push(record, record, 0, None, None);
            }
            Protected::of_parts(builder.finish(), &[2, 0, 2, 2], 3)
        };
        let names: Strings = ["ann", "bob", "cid"].into_iter().collect();
        assert_eq!(protected().record_of, [Some(1), None, Some(0)]);
        assert_eq!(protected().given(), [(0, 1), (2, 0), (2, 2), (2, 3)]);
        let release = protected().disguise(&names, false, &mut Rng::seeded(1)).unwrap();
        let mut links: Vec<(u32, u32)> = release.persons.iter().map(|person| (person.person, person.record)).collect();
        links.sort_unstable();
        assert_eq!(links, [(0, 1), (2, 0), (2, 2), (2, 3)]);
        let mut pseudonyms: Vec<&str> = release.persons.iter().map(|person| person.pseudonym.as_str()).collect();
        pseudonyms.dedup();
        assert_eq!(pseudonyms.len(), 4);
        let error = protected().disguise(&names, true, &mut Rng::seeded(1)).unwrap_err();
        assert!(error.to_string().starts_with("`keep-ids` would give"), "{error}");
    }

    #[test]
    fn persons_left_out_are_not_published() {
        let (mut protected, names) = protected(3);
        protected.record_of[1] = None;
        let release = protected.disguise(&names, true, &mut Rng::seeded(1)).unwrap();
        assert_eq!(release.persons.iter().map(|person| person.person).collect::<Vec<_>>(), [0, 2]);
    }
}
