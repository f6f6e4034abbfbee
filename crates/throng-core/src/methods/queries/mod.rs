//! Methods for search logs.

pub mod interest_microaggregation;
pub mod kindred;
pub mod user_microaggregation;

use std::borrow::Cow;

use serde_json::json;

use crate::accounts;
use crate::aggregate::content::{self, CutLog};
use crate::data::{Dataset as _, QueryLog};
use crate::error::{Error, Result};
use crate::models::content_threshold;
use crate::progress::Progress;
use crate::release::{Claim, Protected};

/// What is wrong with a threshold on what lines say.
pub(super) fn check_min_persons(min_persons: usize) -> Option<Error> {
    (min_persons < 1).then(|| {
        Error::parameter("min-persons", "is 0, but must be at least 1")
            .with_hint("1 publishes what any one person said; `--min-persons 3` what at least three did")
    })
}

/// The log that a method works on: with a threshold, one that was cut.
pub(super) fn cut_to_content<'a>(
    original: &'a QueryLog,
    min_persons: usize,
    progress: &dyn Progress,
) -> Result<Cow<'a, QueryLog>> {
    match cut(original, min_persons, progress)? {
        Some(cut) => Ok(Cow::Owned(cut.log.with_meaning_like(original)?)),
        None => Ok(Cow::Borrowed(original)),
    }
}

/// The log with all its queries and URLs cut to what so many persons say, without what these mean; `None` where there is no threshold.
pub(super) fn cut(original: &QueryLog, min_persons: usize, progress: &dyn Progress) -> Result<Option<CutLog>> {
    if min_persons <= 1 {
        return Ok(None);
    }
    let cut = content::cut(original, min_persons, progress);
    if cut.log.rows() == 0 {
        return Err(nothing_is_left(min_persons));
    }
    Ok(Some(cut))
}

/// What a method made of a log that was cut: groups of which nothing is left are left out, and the threshold is claimed.
pub(super) fn with_content_claim(
    mut protected: Protected<QueryLog>,
    original: &QueryLog,
    cut: &QueryLog,
    min_persons: usize,
) -> Result<Protected<QueryLog>> {
    if min_persons <= 1 {
        return Ok(protected);
    }
    let records = &protected.records;
    if records.rows() == 0 {
        return Err(nothing_is_left(min_persons));
    }
    let all = records.persons();
    let kept: Vec<u32> = (0..all as u32).filter(|&record| !records.range(record as usize).is_empty()).collect();
    if kept.len() < all {
        protected.records = records.of_persons(&kept);
        for record in &mut protected.record_of {
            *record = record.and_then(|old| kept.binary_search(&old).ok()).map(|new| new as u32);
        }
    }
    let threshold = [(content_threshold::MIN_PERSONS.name, json!(min_persons))];
    let groups_empty = (all - kept.len()) as u64;
    protected.claims.push(Claim::new(&content_threshold::INFO, threshold));
    Ok(protected
        .counted(accounts::ROWS_DROPPED, (original.rows() - cut.rows()) as u64)
        .counted(accounts::GROUPS_EMPTY, groups_empty))
}

fn nothing_is_left(min_persons: usize) -> Error {
    Error::data(format!("nothing is left to publish: no content word is in the queries of {min_persons} persons"))
        .with_hint("choose a smaller `--min-persons`, or a log of more persons")
}
