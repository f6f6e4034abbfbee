//! Dropping infrequent queries: what was typed fewer than five times leaves. An old way, and why it fails.
//!
//! Paper      Adar. User 4XXXXX9: anonymizing query logs. Query Log Analysis Workshop, WWW 2007; Cooper. A survey of query log
//!            privacy-enhancing techniques from a policy perspective. ACM Transactions on the Web 2 (2008); chapter 2 of the thesis.
//! Claims     nothing.
//! Does not   keep out what one person typed again and again: lines are counted, not persons. The lines that stay are as they were, with
//!            second, rank and URL, under one pseudonym a person.
//!
//! # Idea
//! 1. Count the lines of each different query, whoever wrote them. 2. Lines of a query with fewer than `--min-count` leave.
//!
//! # Cost
//! One pass over the lines.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::lines::{in_parts, refuse_nothing_left};
use crate::accounts;
use crate::data::QueryLog;
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "drop-infrequent",
    summary: "an old way that promises nothing: queries that occur too few times leave, whoever wrote them",
    paper: "Cooper. A survey of query log privacy-enhancing techniques from a policy perspective. ACM Transactions on the Web 2 (2008)",
    details: "1. The lines of each different query are counted, whoever wrote them.\n\
        2. Lines of a query that occurs fewer than `--min-count` times leave. All others stay as they are, with their times, ranks and \
        URLs; persons get pseudonyms.\n\
        It promises nothing, and claims nothing. One person who types her own name five times passes: lines are counted, not persons \
        (`query-threshold` counts persons). The frequent queries of a person, with their times, single that person out as before.\n\
        It has no k.",
    parameters: &[MIN_COUNT],
};

const MIN_COUNT: Parameter = Parameter {
    name: "min-count",
    summary: "queries that occur fewer times than this leave, whoever wrote them",
    kind: ParameterKind::Count,
    default: "5",
};

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// Queries that occur fewer times leave.
    pub min_count: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { min_count: 5 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct DropInfrequent {
    params: Params,
}

impl DropInfrequent {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.min_count < 2 {
            let problem = format!("is {}, but must be at least 2", params.min_count);
            return Err(
                Error::parameter("min-count", problem).with_hint("every query occurs once: nothing would leave")
            );
        }
        Ok(Self { params })
    }
}

impl Method<QueryLog> for DropInfrequent {
    fn protect(&self, original: &QueryLog, _rng: &mut Rng, _progress: &dyn Progress) -> Result<Protected<QueryLog>> {
        let mut count = vec![0usize; original.queries().len()];
        original.query_ids(0..original.rows()).iter().for_each(|&query| count[query as usize] += 1);
        let stays = |row: &usize| count[original.line(*row).query as usize] >= self.params.min_count;
        let protected = in_parts(original, |person| vec![original.range(person).filter(stays).collect()]);
        let dropped = (original.rows() - protected.records.rows()) as u64;
        let why = format!("no query occurs {} times", self.params.min_count);
        refuse_nothing_left(
            protected.counted(accounts::ROWS_DROPPED, dropped),
            &why,
            "choose a smaller `--min-count`, or a longer log",
        )
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }

    fn promises(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lines::testing::{log, records};
    use super::*;
    use crate::progress::Silent;
    use crate::rng::Rng;

    fn dropped(rows: &[(&str, &str, i64)], min_count: usize) -> Result<Protected<QueryLog>> {
        let method = DropInfrequent::new(Params { min_count }).unwrap();
        method.protect(&log(rows), &mut Rng::seeded(1), &Silent)
    }

    /// Why it fails: she alone typed it, and it is published.
    #[test]
    fn one_person_who_repeats_herself_passes() {
        let mut rows = vec![("ann", "ann made-up 12 rose lane", 1); 5];
        rows.extend([("bob", "weather", 2), ("cid", "weather", 3), ("cid", "my own", 4)]);
        let protected = dropped(&rows, 5).unwrap();
        assert_eq!(records(&protected), [(0, vec![("ann made-up 12 rose lane".to_owned(), 1); 5])]);
        assert_eq!(protected.record_of, [Some(0), None, None]);
        assert!(protected.claims.is_empty());
        assert_eq!(protected.accounts.get(accounts::ROWS_DROPPED), Some(3));
        // What two persons wrote leaves.
        assert_eq!(records(&dropped(&rows, 2).unwrap()).len(), 3);
    }

    #[test]
    fn refusals() {
        let error = DropInfrequent::new(Params { min_count: 1 }).unwrap_err();
        assert_eq!(error.to_string(), "`min-count` is 1, but must be at least 2");
        let error = dropped(&[("ann", "rose", 1)], 5).unwrap_err();
        assert_eq!(error.to_string(), "nothing is left to publish: no query occurs 5 times");
    }

    proptest! {
        #[test]
        fn as_it_is_defined(rows in prop::collection::vec((0..4usize, 0..6usize), 1..40), min_count in 2..6usize) {
            let names = ["ann", "bob", "cid", "dan"];
            let texts = ["a", "b", "c", "d", "e", "f"];
            let rows: Vec<(&str, &str, i64)> =
                rows.iter().enumerate().map(|(at, &(person, text))| (names[person], texts[text], at as i64)).collect();
            let often = |text: &str| rows.iter().filter(|row| row.1 == text).count() >= min_count;
            let mut expected: Vec<(String, i64)> =
                rows.iter().filter(|row| often(row.1)).map(|row| (row.1.to_owned(), row.2)).collect();
            match dropped(&rows, min_count) {
                Err(_) => prop_assert!(expected.is_empty()),
                Ok(protected) => {
                    let mut found: Vec<(String, i64)> = records(&protected).into_iter().flat_map(|(_, lines)| lines).collect();
                    found.sort();
                    expected.sort();
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}
