//! Methods for search logs.

pub mod drop_infrequent;
pub mod interest_microaggregation;
pub mod kindred;
mod lines;
pub mod query_threshold;
pub mod shorten_sessions;
pub mod split_personality;
pub mod token_hashing;
pub mod user_microaggregation;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::json;

use crate::accounts;
use crate::aggregate::content::{self, CutLog};
use crate::data::{Clusters, Dataset as _, QueryLog};
use crate::error::{Error, Result};
use crate::models::content_threshold::{self, Accounts};
use crate::progress::Progress;
use crate::release::{Claim, Protected};

/// What is wrong with a threshold on what lines say.
pub(super) fn check_min_persons(min_persons: usize) -> Option<Error> {
    (min_persons < 1).then(|| {
        Error::parameter("min-persons", "is 0, but must be at least 1")
            .with_hint("1 publishes what any one person said; `--min-persons 3` what at least three did")
    })
}

/// Which accounts count as one where a method counts persons: those that are alike, or none.
pub(super) fn clusters_of(original: &QueryLog, accounts: Accounts) -> Result<Arc<Clusters>> {
    refuse_unmerged(original, accounts)?;
    Ok(match accounts {
        Accounts::Once => original.clusters().cloned().unwrap_or_else(|| Arc::new(Clusters::alike(original))),
        Accounts::Merge | Accounts::Apart => Arc::new(Clusters::apart(original.persons())),
    })
}

/// Refuses a log whose accounts were to be merged and were not.
fn refuse_unmerged(original: &QueryLog, accounts: Accounts) -> Result<()> {
    if accounts != Accounts::Merge || original.accounts().is_some() {
        return Ok(());
    }
    Err(Error::refused("the accounts of the log were to be merged, and were not").with_hint(
        "`throng protect` merges them; as a library call `log.merged(&Clusters::alike(&log))` before the method; `compare` has \
         the same persons for all methods: name the column of persons, `--column person=…`",
    ))
}

/// What may be said: by how many persons, and who counts as one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Threshold {
    pub(super) min_persons: usize,
    pub(super) accounts: Accounts,
}

impl Threshold {
    /// The log that a method works on: with a threshold, one that was cut.
    pub(super) fn cut_to_content<'a>(
        self,
        original: &'a QueryLog,
        progress: &dyn Progress,
    ) -> Result<Cow<'a, QueryLog>> {
        match self.cut(original, progress)? {
            Some(cut) => Ok(Cow::Owned(cut.log.with_meaning_like(original)?)),
            None => Ok(Cow::Borrowed(original)),
        }
    }

    /// The log with all its queries and URLs cut to what so many persons say, without what these mean; `None` where there is no
    /// threshold.
    pub(super) fn cut(self, original: &QueryLog, progress: &dyn Progress) -> Result<Option<CutLog>> {
        refuse_unmerged(original, self.accounts)?;
        if self.min_persons <= 1 {
            return Ok(None);
        }
        let clusters = clusters_of(original, self.accounts)?;
        let cut = content::cut(original, self.min_persons, &clusters, progress);
        if cut.log.rows() == 0 {
            return Err(nothing_is_left(self.min_persons));
        }
        Ok(Some(cut))
    }

    /// What a method made of a log that was cut: groups of which nothing is left are left out, and the threshold is claimed. It is an
    /// error if nothing is left at all.
    pub(super) fn with_content_claim(
        self,
        protected: Protected<QueryLog>,
        original: &QueryLog,
        cut: &QueryLog,
    ) -> Result<Protected<QueryLog>> {
        if self.min_persons > 1 && protected.records.rows() == 0 {
            return Err(nothing_is_left(self.min_persons));
        }
        Ok(self.with_claim_of_part(protected, original, cut))
    }

    /// The same of some persons of many, of whom nothing may be left.
    pub(super) fn with_claim_of_part(
        self,
        mut protected: Protected<QueryLog>,
        original: &QueryLog,
        cut: &QueryLog,
    ) -> Protected<QueryLog> {
        if self.min_persons <= 1 {
            return protected;
        }
        let records = &protected.records;
        let all = records.persons();
        let kept: Vec<u32> = (0..all as u32).filter(|&record| !records.range(record as usize).is_empty()).collect();
        if kept.len() < all {
            protected.records = records.of_persons(&kept);
            for record in &mut protected.record_of {
                *record = record.and_then(|old| kept.binary_search(&old).ok()).map(|new| new as u32);
            }
        }
        let groups_empty = (all - kept.len()) as u64;
        protected.claims.push(self.claim());
        protected
            .counted(accounts::ROWS_DROPPED, (original.rows() - cut.rows()) as u64)
            .counted(accounts::GROUPS_EMPTY, groups_empty)
    }

    /// The claim that every line says what so many persons said.
    pub(super) fn claim(self) -> Claim {
        let parameters = [
            (content_threshold::MIN_PERSONS.name, json!(self.min_persons)),
            (content_threshold::ACCOUNTS.name, json!(self.accounts)),
        ];
        Claim::new(&content_threshold::INFO, parameters)
    }
}

fn nothing_is_left(min_persons: usize) -> Error {
    Error::data(format!("nothing is left to publish: no content word is in the queries of {min_persons} persons"))
        .with_hint("choose a smaller `--min-persons`, or a log of more persons")
}
