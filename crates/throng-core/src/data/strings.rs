//! Strings interned once at the door into dense `u32` ids.
//!
//! [`Strings`] is the finished table: all bytes in one piece, an id is an index. [`Interner`] is the table while it
//! grows. Ids are given in the order of first appearance, so they are the same on every run and machine.
//!
//! # Cost
//! 8 bytes a string beside its own bytes, and about 12 more while interning.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// A table of strings with dense ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strings {
    bytes: String,
    ends: Vec<usize>,
}

impl Strings {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no string.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string with this id.
    pub fn get(&self, id: u32) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes[start..self.ends[id]]
    }

    fn bytes(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes.as_bytes()[start..self.ends[id]]
    }

    /// All strings in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|id| self.get(id))
    }

    /// Adds a string without looking whether it is there already, and gives its id.
    pub fn push(&mut self, text: &str) -> u32 {
        let id = u32::try_from(self.ends.len()).expect("more than four billion distinct strings");
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
        id
    }

    /// Adds all strings of another table after the own ones: id `i` there becomes `len + i`.
    pub fn append(&mut self, other: &Strings) {
        let base = self.bytes.len();
        self.bytes.push_str(&other.bytes);
        self.ends.extend(other.ends.iter().map(|end| base + end));
    }

    /// Makes room for strings to come.
    pub fn reserve(&mut self, strings: usize, bytes: usize) {
        self.ends.reserve_exact(strings);
        self.bytes.reserve_exact(bytes);
    }

    /// The number of bytes of all strings together.
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }
}

impl<'a> FromIterator<&'a str> for Strings {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut strings = Self::new();
        for text in texts {
            strings.push(text);
        }
        strings
    }
}

/// A table of strings that grows, each string once.
#[derive(Debug, Clone, Default)]
pub struct Interner {
    strings: Strings,
    /// Half of each string's hash beside its id: most mismatches end there, and the table grows, without a look at the
    /// strings.
    table: HashTable<(u32, u32)>,
}

impl Interner {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The hash that [`Self::intern_hashed`] expects. It is the same on every run: ids never depend on it, but where
    /// work is shared out by hash, the shares must not change.
    pub fn hash(text: &str) -> u64 {
        FixedState::default().hash_one(text)
    }

    /// The id of a string, new if it was not there.
    pub fn intern(&mut self, text: &str) -> u32 {
        self.intern_hashed(text, Self::hash(text))
    }

    /// The id of a string whose hash is known already.
    pub fn intern_hashed(&mut self, text: &str, hash: u64) -> u32 {
        let tag = tag(hash);
        let strings = &mut self.strings;
        let found = self.table.entry(
            spread(tag),
            |&(other, id)| other == tag && strings.bytes(id) == text.as_bytes(),
            |&(tag, _)| spread(tag),
        );
        match found {
            hashbrown::hash_table::Entry::Occupied(entry) => entry.get().1,
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let id = u32::try_from(strings.len()).expect("more than four billion distinct strings");
                entry.insert((tag, id));
                strings.push(text)
            }
        }
    }

    /// The id of a string, if it is there.
    pub fn find(&self, text: &str) -> Option<u32> {
        let tag = tag(Self::hash(text));
        let same = |&(other, id): &(u32, u32)| other == tag && self.strings.bytes(id) == text.as_bytes();
        self.table.find(spread(tag), same).map(|&(_, id)| id)
    }

    /// The strings so far.
    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    /// The finished table.
    pub fn into_strings(self) -> Strings {
        self.strings
    }
}

/// The half of a hash that the table keeps.
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// A hash of 64 bits from half of one: the table wants both ends of it to vary.
fn spread(tag: u32) -> u64 {
    u64::from(tag).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl From<&Strings> for Interner {
    fn from(strings: &Strings) -> Self {
        let mut interner = Self::new();
        for text in strings.iter() {
            interner.intern(text);
        }
        interner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_first_appearance() {
        let mut interner = Interner::new();
        let ids: Vec<u32> = ["a", "", "b", "a", "", "ä"].iter().map(|text| interner.intern(text)).collect();
        assert_eq!(ids, [0, 1, 2, 0, 1, 3]);
        assert_eq!(interner.find("ä"), Some(3));
        assert_eq!(interner.find("c"), None);
        let strings = interner.into_strings();
        assert_eq!(strings.iter().collect::<Vec<_>>(), ["a", "", "b", "ä"]);
    }

    #[test]
    fn many_strings_survive_growth() {
        let mut interner = Interner::new();
        for round in 0..2 {
            for number in 0..20_000u32 {
                assert_eq!(interner.intern(&number.to_string()), number, "round {round}");
            }
        }
    }
}
