//! Who is in a release, so that only its custodian can tell: a keyed sketch, and how many people two releases have in common.
//!
//! Source     Broder, On the resemblance and containment of documents, 1997; Beyer et al., On synopses for distinct-value estimation under
//!            multiset operations, SIGMOD 2007 (bottom-k sketches). HMAC: RFC 2104.
//!
//! # Idea
//! Each person id becomes the first 64 bits of HMAC-SHA-256 under a key that stays beside the ledger. The 256 least of these numbers are
//! a fair draw of the persons, and the same persons are drawn every time.
//!
//! # Formula
//! Of the 256 least numbers of both sketches together, the share that is in both estimates |A ∩ B| / |A ∪ B|, to about 6 points
//! (95 %). The size of a set of more than 256 is 255 / (its 256th least number / 2^64); so |A ∩ B| / min(|A|, |B|) follows, less exactly.
//!
//! # Cost
//! One HMAC a person; 4 kB a release.
//!
//! Does not   see that one person has two ids, nor that two data sets give one id to two persons.

use std::collections::BTreeSet;

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// How many numbers are kept.
pub const SIZE: usize = 256;
/// So many persons must be found in both sketches before the share of the smaller release is believed.
const FEWEST_IN_COMMON: usize = 3;
/// From this share on two releases are of the same people.
pub const SAME_PEOPLE: f64 = 0.1;

/// What makes numbers of ids.
pub type PeopleKey = [u8; 32];

/// The least numbers of the persons of a release, rising.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct People(Vec<u64>);

/// How many people two releases have in common, estimated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct InCommon {
    /// Of all people in either, the share that is in both.
    pub overlap: f64,
    /// Of the people of the smaller release, the share that is in the other.
    pub of_smaller: f64,
    /// How many were found in both sketches.
    #[serde(skip)]
    pub found: usize,
}

impl InCommon {
    /// Whether these are the same people, as far as a custodian must be told.
    pub fn is_same_people(&self) -> bool {
        self.overlap >= SAME_PEOPLE || (self.found >= FEWEST_IN_COMMON && self.of_smaller >= SAME_PEOPLE)
    }
}

/// HMAC-SHA-256 of a text under a key.
pub(super) fn code(key: &PeopleKey, text: &[u8]) -> [u8; 32] {
    let Ok(keyed) = Hmac::<Sha256>::new_from_slice(key) else { unreachable!("HMAC takes keys of any length") };
    keyed.chain_update(text).finalize().into_bytes().into()
}

impl People {
    /// The sketch of persons by their ids.
    pub fn of<'a>(ids: impl IntoIterator<Item = &'a str>, key: &PeopleKey) -> Self {
        let mut least = BTreeSet::new();
        let keyed = Hmac::<Sha256>::new_from_slice(key);
        let Ok(keyed) = keyed else { unreachable!("HMAC takes keys of any length") };
        for id in ids {
            let code = keyed.clone().chain_update(id.as_bytes()).finalize().into_bytes();
            let number = u64::from_be_bytes(std::array::from_fn(|at| code[at]));
            if least.len() < SIZE || least.last().is_some_and(|&last| number < last) {
                least.insert(number);
            }
            if least.len() > SIZE {
                least.pop_last();
            }
        }
        Self(least.into_iter().collect())
    }

    /// What two releases have in common.
    pub fn in_common(&self, other: &Self) -> InCommon {
        let both: BTreeSet<u64> = self.0.iter().chain(&other.0).copied().collect();
        let drawn = Self(both.into_iter().take(SIZE).collect());
        let is_in = |people: &Self, number: &u64| people.0.binary_search(number).is_ok();
        let found = drawn.0.iter().filter(|number| is_in(self, number) && is_in(other, number)).count();
        let overlap = found as f64 / drawn.0.len().max(1) as f64;
        let smaller = self.size().min(other.size());
        let of_smaller = if smaller > 0.0 { (overlap * drawn.size() / smaller).min(1.0) } else { 0.0 };
        InCommon { overlap, of_smaller, found }
    }

    /// About how many persons there are.
    fn size(&self) -> f64 {
        match self.0.last() {
            Some(&last) if self.0.len() == SIZE => (SIZE - 1) as f64 / ((last as f64 + 1.0) / 2f64.powi(64)),
            _ => self.0.len() as f64,
        }
    }
}

impl From<People> for Vec<String> {
    fn from(people: People) -> Self {
        people.0.iter().map(|number| format!("{number:016x}")).collect()
    }
}

impl TryFrom<Vec<String>> for People {
    type Error = &'static str;

    fn try_from(texts: Vec<String>) -> Result<Self, Self::Error> {
        let number =
            |text: &String| u64::from_str_radix(text, 16).ok().filter(|number| format!("{number:016x}") == *text);
        let numbers: Option<Vec<u64>> = texts.iter().map(number).collect();
        let numbers = numbers.ok_or("`people` are not numbers of sixteen digits")?;
        if numbers.len() > SIZE || !numbers.is_sorted_by(|one, next| one < next) {
            return Err("`people` are not at most 256 rising numbers");
        }
        Ok(Self(numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: PeopleKey = [7; 32];

    fn people(range: std::ops::Range<u32>) -> People {
        let ids: Vec<String> = range.map(|id| id.to_string()).collect();
        People::of(ids.iter().map(String::as_str), &KEY)
    }

    /// Python: `hmac.new(bytes([7])*32, b'ann', 'sha256').hexdigest()[:16]`, and so for bob and cid.
    #[test]
    fn numbers_are_the_beginnings_of_codes() {
        let found: Vec<String> = People::of(["ann", "bob", "cid", "ann"], &KEY).into();
        assert_eq!(found, GOLDEN);
    }

    const GOLDEN: [&str; 3] = ["b86f6e0b902d4113", "d18babfe387bec3a", "f92b65beffd1a3bf"];

    #[test]
    fn only_the_least_are_kept_whatever_the_order() {
        let all: Vec<String> = (0..2000).map(|id| id.to_string()).collect();
        let mut slow: Vec<u64> = all.iter().map(|id| People::of([id.as_str()], &KEY).0[0]).collect();
        slow.sort_unstable();
        slow.truncate(SIZE);
        assert_eq!(people(0..2000).0, slow);
        assert_eq!(People::of(all.iter().rev().map(String::as_str), &KEY).0, slow);
    }

    #[test]
    fn overlaps_are_estimated() {
        let near = |found: f64, truth: f64, within: f64| assert!((found - truth).abs() < within, "{found} {truth}");
        let all = people(0..5000);
        assert_eq!(all.in_common(&all).overlap, 1.0);
        let none = all.in_common(&people(10_000..15_000));
        assert_eq!((none.overlap, none.of_smaller, none.is_same_people()), (0.0, 0.0, false));
        // 2,500 of 7,500, and of 5,000.
        let half = all.in_common(&people(2500..7500));
        near(half.overlap, 1.0 / 3.0, 0.09);
        near(half.of_smaller, 0.5, 0.15);
        // 250 of 9,750: below the limit.
        assert!(!all.in_common(&people(4750..9750)).is_same_people());
        // A small release of people who are all in a large one.
        let part = all.in_common(&people(0..400));
        near(part.overlap, 0.08, 0.06);
        assert!(part.is_same_people() && part.of_smaller > 0.5, "{part:?}");
        // Few people are counted, not estimated.
        let few = people(0..10).in_common(&people(8..18));
        assert_eq!((few.overlap, few.of_smaller), (2.0 / 18.0, 0.2));
        assert!(!people(0..0).in_common(&people(0..0)).is_same_people());
    }

    #[test]
    fn another_key_shows_nothing() {
        let others =
            People::of((0..300).map(|id| id.to_string()).collect::<Vec<_>>().iter().map(String::as_str), &[8; 32]);
        assert_eq!(people(0..300).in_common(&others).found, 0);
    }
}
