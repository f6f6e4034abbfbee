//! How many persons have each of some things, by keyed hashes of what these are.

use std::hash::Hasher as _;

use serde::{Deserialize, Serialize};
use siphasher::sip128::{Hasher128 as _, SipHasher24};

use super::Piece;

/// The key of the hashes of one run: who does not know it cannot make two things with one hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key(pub [u8; 16]);

impl Key {
    /// The hash of some bytes.
    pub fn hash(&self, bytes: &[u8]) -> u128 {
        let mut hasher = SipHasher24::new_with_key(&self.0);
        hasher.write(bytes);
        hasher.finish128().as_u128()
    }
}

/// Different hashes in rising order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys(Vec<u128>);

impl Keys {
    /// Whether it is one of them.
    pub fn has(&self, hash: u128) -> bool {
        self.0.binary_search(&hash).is_ok()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<u128> for Keys {
    fn from_iter<I: IntoIterator<Item = u128>>(hashes: I) -> Self {
        let mut hashes: Vec<u128> = hashes.into_iter().collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes)
    }
}

impl Piece for Keys {
    const NAME: &'static str = "keys";

    fn merge(self, other: Self) -> Self {
        self.0.into_iter().chain(other.0).collect()
    }
}

/// How many persons have each of some things, in rising order of their hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts(Vec<(u128, u32)>);

impl Counts {
    /// Of what each person has, in any order, some maybe twice.
    pub fn of_persons<T: IntoIterator<Item = u128>>(persons: impl IntoIterator<Item = T>) -> Self {
        let mut all = Vec::new();
        let mut own: Vec<u128> = Vec::new();
        for things in persons {
            own.clear();
            own.extend(things);
            own.sort_unstable();
            own.dedup();
            all.extend_from_slice(&own);
        }
        all.sort_unstable();
        Self(all.chunk_by(|left, right| left == right).map(|same| (same[0], same.len() as u32)).collect())
    }

    /// How many persons have a thing.
    pub fn of(&self, hash: u128) -> u32 {
        self.0.binary_search_by_key(&hash, |&(own, _)| own).map_or(0, |at| self.0[at].1)
    }

    /// Those that at least so many have.
    #[must_use]
    pub fn at_least(mut self, least: usize) -> Self {
        self.0.retain(|&(_, persons)| persons as usize >= least);
        self
    }

    /// The hashes.
    pub fn keys(&self) -> Keys {
        Keys(self.0.iter().map(|&(hash, _)| hash).collect())
    }

    /// Whether nobody has anything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Piece for Counts {
    const NAME: &'static str = "counts";

    fn merge(self, other: Self) -> Self {
        let mut all = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut left, mut right) = (self.0.into_iter().peekable(), other.0.into_iter().peekable());
        while let (Some(&(own, persons)), Some(&(others, more))) = (left.peek(), right.peek()) {
            if own <= others {
                left.next();
            }
            if others <= own {
                right.next();
            }
            all.push(match own.cmp(&others) {
                std::cmp::Ordering::Less => (own, persons),
                std::cmp::Ordering::Greater => (others, more),
                std::cmp::Ordering::Equal => (own, persons + more),
            });
        }
        all.extend(left.chain(right));
        Self(all)
    }
}
