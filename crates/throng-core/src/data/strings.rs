//! Strings interned once at the door into dense `u32` ids.
//!
//! [`Strings`] is the finished table: all bytes in one piece, an id is an index. [`Interner`] is the table while it
//! grows. Ids are given in the order of first appearance, so they are the same on every run and machine.
//!
//! # Cost
//! 4 bytes a string beside its own bytes, and about 12 more while interning.

use std::hash::BuildHasher as _;
use std::hint::black_box;
use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// The length up to which a string is short: most queries and URLs are.
const SHORT: usize = 32;

/// A table of strings with dense ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strings {
    bytes: String,
    /// Where each string ends, without the multiples of 4 GiB.
    ends: Vec<u32>,
    /// The ids of the first strings that end beyond 4 GiB, 8 GiB, and so on; nearly always empty.
    beyond: Vec<u32>,
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
        &self.bytes[self.place(id)]
    }

    fn bytes(&self, id: u32) -> &[u8] {
        &self.bytes.as_bytes()[self.place(id)]
    }

    fn place(&self, id: u32) -> Range<usize> {
        let start = if id == 0 { 0 } else { self.end(id - 1) };
        start..self.end(id)
    }

    fn end(&self, id: u32) -> usize {
        let end = self.ends[id as usize] as usize;
        if self.beyond.is_empty() { end } else { end + (self.beyond.partition_point(|&first| first <= id) << 32) }
    }

    /// Notes where the next string ends.
    fn push_end(&mut self, end: usize) {
        while self.beyond.len() < end >> 32 {
            self.beyond.push(self.ends.len() as u32);
        }
        self.ends.push(end as u32);
    }

    /// Adds the string with this id to a text.
    pub fn push_to(&self, id: u32, text: &mut Vec<u8>) {
        let place = self.place(id);
        // A short string is copied with what comes after it, which is cut off again: a copy whose length is known
        // beforehand is a few instructions, any other is a call.
        if place.len() <= SHORT
            && let Some(window) = self.bytes.as_bytes()[place.start..].first_chunk::<SHORT>()
        {
            let length = text.len() + place.len();
            text.extend_from_slice(window);
            text.truncate(length);
        } else {
            text.extend_from_slice(&self.bytes.as_bytes()[place]);
        }
    }

    /// All strings one after the other, in the order of their ids.
    pub fn text(&self) -> &str {
        &self.bytes
    }

    /// Reads a little of each of some strings that are about to be used. The processor then waits for all of them at
    /// once; one used after the other, each would be waited for.
    pub fn touch(&self, ids: impl Iterator<Item = u32>) {
        let bytes = self.bytes.as_bytes();
        let byte = |at: usize| bytes.get(at).map_or(0, |&byte| u32::from(byte));
        let read = ids.map(|id| {
            let start = self.place(id).start;
            byte(start) + byte(start + SHORT - 1)
        });
        black_box(read.fold(0, u32::wrapping_add));
    }

    /// All strings in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|id| self.get(id))
    }

    /// Adds a string without looking whether it is there already, and gives its id.
    pub fn push(&mut self, text: &str) -> u32 {
        let id = u32::try_from(self.ends.len()).expect("more than four billion distinct strings");
        self.bytes.push_str(text);
        self.push_end(self.bytes.len());
        id
    }

    /// Adds all strings of another table after the own ones: id `i` there becomes `len + i`.
    pub fn append(&mut self, other: &Strings) {
        let base = self.bytes.len();
        self.bytes.push_str(&other.bytes);
        (0..other.len() as u32).for_each(|id| self.push_end(base + other.end(id)));
    }

    /// For each of these strings, which are all different, its id in another table, if it is there. Needs memory for a
    /// hash of each of these, and none for the table.
    pub fn ids_in(&self, table: &Strings) -> Vec<Option<u32>> {
        let mut own: HashTable<(u32, u32)> = HashTable::with_capacity(self.len());
        for (id, text) in (0..).zip(self.iter()) {
            let tag = tag(Interner::hash(text));
            own.insert_unique(spread(tag), (tag, id), |&(tag, _)| spread(tag));
        }
        let mut found = vec![None; self.len()];
        for (id, text) in (0..).zip(table.iter()) {
            let tag = tag(Interner::hash(text));
            let same = |&(other, own): &(u32, u32)| other == tag && self.bytes(own) == text.as_bytes();
            if let Some(&(_, own)) = own.find(spread(tag), same) {
                found[own as usize] = Some(id);
            }
        }
        found
    }

    /// Makes room for strings to come.
    pub fn reserve(&mut self, strings: usize, bytes: usize) {
        self.ends.reserve_exact(strings);
        self.bytes.reserve_exact(bytes);
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

    /// An empty table with room for some strings.
    pub fn with_capacity(strings: usize, bytes: usize) -> Self {
        let mut interner = Self { table: HashTable::with_capacity(strings), ..Self::default() };
        interner.strings.reserve(strings, bytes);
        interner
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
        self.find_hashed(text, Self::hash(text))
    }

    /// The id of a string whose hash is known already, if it is there.
    pub fn find_hashed(&self, text: &str, hash: u64) -> Option<u32> {
        let tag = tag(hash);
        let same = |&(other, id): &(u32, u32)| other == tag && self.strings.bytes(id) == text.as_bytes();
        self.table.find(spread(tag), same).map(|&(_, id)| id)
    }

    /// Reads a little of what is known of some hashes that are about to be interned: see [`Strings::touch`].
    pub fn touch(&self, hashes: &[u64]) {
        let candidate = |&hash: &u64| {
            let tag = tag(hash);
            self.table.find(spread(tag), |&(other, _)| other == tag).map(|&(_, id)| id)
        };
        self.strings.touch(hashes.iter().filter_map(candidate));
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
    fn ends_may_lie_beyond_four_gibibytes() {
        let mut strings = Strings::new();
        let ends = [1, 5, u32::MAX as usize, 1 << 32, (1 << 32) + 1, (3 << 32) + 7, (3 << 32) + 9];
        ends.iter().for_each(|&end| strings.push_end(end));
        assert_eq!((0..7).map(|id| strings.end(id)).collect::<Vec<_>>(), ends);
        assert_eq!(strings.place(5), (1 << 32) + 1..(3 << 32) + 7);
    }

    #[test]
    fn ids_in_another_table() {
        let table: Strings = ["a", "b", "", "c"].into_iter().collect();
        let strings: Strings = ["c", "d", "", "ab"].into_iter().collect();
        assert_eq!(strings.ids_in(&table), [Some(3), None, Some(2), None]);
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
