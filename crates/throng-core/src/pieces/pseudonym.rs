//! Pseudonyms without looking at anybody else: a keyed function of a person's id.
//!
//! # Idea
//! SipHash-2-4 with 128 bits and a key that is drawn for the run and never written: who does not know it learns nothing of ids. Its
//! value becomes a decimal number of one width which no id of the original has, so that none is an id. Two persons have one with
//! probability below n² / 10^37; the check of the written files would see it and refuse the release.

use std::collections::BTreeSet;

use super::Key;
use crate::error::{Error, Result};

/// The digits of a pseudonym, unless ids have as many.
pub const WIDEST: usize = 38;
/// Fewer digits are too few for as many persons as there may be.
const NARROWEST: usize = 30;

/// The greatest number of digits that no id has; `digits` are those of ids that are nothing but digits.
pub fn free_width(digits: &BTreeSet<usize>) -> Result<usize> {
    (NARROWEST..=WIDEST).rev().find(|width| !digits.contains(width)).ok_or_else(|| {
        Error::refused(format!("no pseudonyms are left: ids of {NARROWEST} to {WIDEST} digits are in the original"))
            .with_hint("give the ids of the original a letter")
    })
}

/// The pseudonym of a person: decimal, of so many digits.
pub fn pseudonym(key: &Key, person: &str, width: usize) -> String {
    let least = 10u128.pow(width as u32 - 1);
    (least + key.hash(person.as_bytes()) % (9 * least)).to_string()
}
