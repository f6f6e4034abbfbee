//! User k-anonymity: every person has the same record as at least k - 1 others.
//!
//! Paper      001 (Navarro-Arribas et al. 2012), section 2.1; k-anonymity after Samarati 2001 and Sweeney 2002.
//! Promises   whoever knows a person's record, or any part of it, as it stands in the release, is left with at least k
//!            persons.
//! Does not   hide what the records say. If a query names its writer, it still does; if all k share a secret, it is out.
//!
//! # Idea
//! A record is the multiset of a person's rows, all values but the person's own id. Persons are counted by equal record;
//! the smallest such count is the k that the data achieve.
//!
//! # Cost
//! Time O(n log n), memory O(n) for n persons, after one reading of the file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::digests::Digests;
use super::{Model, Verdict, Witness};
use crate::error::{Error, Result};
use crate::info::{self, Info, Kind};

/// The card of the model.
pub const INFO: Info = Info {
    name: "user-k-anonymity",
    summary: "every person has exactly the same record as at least k - 1 others",
    paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of query \
            logs. Information Processing and Management 48 (2012), section 2.1",
    details: "A record is all rows of a person, in any order, with every value but the person's id. The k achieved is \
        the smallest number of persons with equal records.\n\
        It reads the file alone: who made it, and how, does not matter. Rows are compared by keyed 128-bit hashes with a \
        fresh key each time, so two different records cannot be made to look equal.\n\
        Promises: whoever links a person to the release by what their record says is left with at least k persons.\n\
        Does not promise: that queries do not name people, that k persons of a group differ in anything else, or \
        anything against someone who knows the link between persons and pseudonyms.",
    kinds: &[Kind::Queries],
    parameters: &[info::K],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct UserKAnonymity {
    k: usize,
}

impl UserKAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.k < 2 {
            return Err(Error::parameter("k", format!("is {}, but must be at least 2", params.k))
                .with_hint("every file is 1-anonymous: there is nothing to check"));
        }
        Ok(Self { k: params.k })
    }
}

impl Model<Digests> for UserKAnonymity {
    fn check(&self, digests: &Digests) -> Verdict {
        // The group of the lowest person comes first, so the witness is the first person of the smallest group.
        let smallest = digests.groups().into_iter().min_by_key(Vec::len);
        let achieved = smallest.as_ref().map_or(0, Vec::len);
        let holds = achieved >= self.k;
        let witness = smallest.filter(|_| !holds).map(|group| Witness::of_group(group[0], group.len()));
        Verdict { holds, achieved: Map::from_iter([("k".into(), json!(achieved))]), witness }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(records: &[u128]) -> Digests {
        let mut digests = Digests::new();
        for (person, &record) in records.iter().enumerate() {
            digests.add(&person.to_string(), record, person as u64 + 1);
        }
        digests
    }

    fn check(k: usize, records: &[u128]) -> Verdict {
        UserKAnonymity::new(Params { k }).unwrap().check(&digests(records))
    }

    #[test]
    fn holds_when_every_record_is_shared() {
        let verdict = check(2, &[7, 8, 7, 8, 8]);
        assert!(verdict.holds);
        assert_eq!(verdict.achieved["k"], 2);
        assert_eq!(verdict.witness, None);
    }

    #[test]
    fn fails_with_the_first_person_of_the_smallest_group() {
        let verdict = check(3, &[7, 8, 9, 7, 8, 8, 7, 9, 5, 6]);
        assert!(!verdict.holds);
        assert_eq!(verdict.witness, Some(Witness::of_group(8, 1)));
        assert_eq!(verdict.achieved["k"], 1);
    }

    #[test]
    fn nobody_achieves_nothing() {
        assert_eq!(check(2, &[]).achieved["k"], 0);
        assert!(!check(2, &[]).holds);
    }

    #[test]
    fn k_below_two_is_refused() {
        assert_eq!(UserKAnonymity::new(Params { k: 1 }).unwrap_err().to_string(), "`k` is 1, but must be at least 2");
    }
}
