//! Words that are misspelt by one letter.
//!
//! # Idea
//! 1. A word is corrected if it is long, nobody knows it, and exactly one known word is one edit away: a letter too many, one
//!    missing, one wrong, or two neighbours swapped.
//! 2. Two words that are one edit apart become the same when the right letter is left out of one or both. So every known word
//!    is filed under itself and under all that is left of it without one letter; a look at the same places for the misspelt
//!    word finds all candidates.
//!
//! # Cost
//! For WordNet's 50 thousand single words half a million entries of 4 bytes; a look takes a few steps for each letter.

use crate::data::{Interner, Strings};

/// The fewest letters a word has that is corrected. With six, `iphone` would be a phone.
pub(super) const SHORTEST: usize = 7;
/// The most letters a word has that is corrected.
const LONGEST: usize = 40;

/// Known words, filed under what is left of them without a letter.
#[derive(Debug, Clone)]
pub(super) struct Spelling {
    /// Every word of every name.
    known: Interner,
    words: Strings,
    /// Drawer `d` holds `drawers[starts[d]..starts[d + 1]]`, numbers of `words`.
    starts: Vec<u32>,
    drawers: Vec<u32>,
    /// How far a hash is shifted to be the number of a drawer.
    shift: u32,
}

impl Spelling {
    /// Files the names of one word; the words of all names are known.
    pub(super) fn of(names: &Strings) -> Self {
        let mut known = Interner::new();
        let mut words = Strings::new();
        for name in names.iter() {
            for word in name.split(' ') {
                known.intern(word);
            }
            if name.len() + 1 >= SHORTEST && is_candidate(name) {
                words.push(name);
            }
        }
        let places: usize = words.iter().map(|word| word.len() + 1).sum();
        let bits = (places.max(2) as u64).next_power_of_two().ilog2();
        let shift = u64::BITS - bits;
        let mut counts = vec![0u32; (1 << bits) + 1];
        let mut buffer = Vec::new();
        for word in words.iter() {
            neighbours(word.as_bytes(), &mut buffer, |hash| counts[(hash >> shift) as usize + 1] += 1);
        }
        for drawer in 1..counts.len() {
            counts[drawer] += counts[drawer - 1];
        }
        let mut next = counts.clone();
        let mut drawers = vec![0; places];
        for (word, id) in words.iter().zip(0..) {
            neighbours(word.as_bytes(), &mut buffer, |hash| {
                let place = &mut next[(hash >> shift) as usize];
                drawers[*place as usize] = id;
                *place += 1;
            });
        }
        Self { known, words, starts: counts, drawers, shift }
    }

    /// Whether a word is part of a name.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.known.find(word).is_some()
    }

    /// The one known word that is one edit away from a word that is not known.
    pub(super) fn correct(&self, word: &str) -> Option<&str> {
        if word.len() < SHORTEST || !is_candidate(word) {
            return None;
        }
        let mut found: Option<u32> = None;
        let mut several = false;
        neighbours(word.as_bytes(), &mut Vec::new(), |hash| {
            let drawer = (hash >> self.shift) as usize;
            for &id in &self.drawers[self.starts[drawer] as usize..self.starts[drawer + 1] as usize] {
                if found != Some(id) && is_one_edit(word.as_bytes(), self.words.get(id).as_bytes()) {
                    several |= found.is_some();
                    found = Some(id);
                }
            }
        });
        found.filter(|_| !several).map(|id| self.words.get(id))
    }
}

/// Only letters a to z, not too many.
fn is_candidate(word: &str) -> bool {
    word.len() <= LONGEST && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The hashes of a word and of what is left of it without each of its letters.
///
/// A text is a number whose digits are its letters, so that what is left is put together from a beginning and an end, each of which is
/// one step longer or shorter than the one before.
fn neighbours(word: &[u8], ends: &mut Vec<(u64, u64)>, mut each: impl FnMut(u64)) {
    // For each place the number of what comes after it, and the power of the base that is as long.
    ends.clear();
    ends.resize(word.len(), (0, 1));
    for at in (1..word.len()).rev() {
        let (end, power) = ends[at];
        ends[at - 1] = (u64::from(word[at]).wrapping_mul(power).wrapping_add(end), power.wrapping_mul(BASE));
    }
    let mut beginning = 0u64;
    for (&letter, &(end, power)) in word.iter().zip(ends.iter()) {
        each(spread(beginning.wrapping_mul(power).wrapping_add(end)));
        beginning = beginning.wrapping_mul(BASE).wrapping_add(u64::from(letter));
    }
    each(spread(beginning));
}

/// An odd number, all of whose bits are mixed: it is the base of texts as numbers.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// Brings what differs in low bits into the high ones, which number the drawers.
fn spread(number: u64) -> u64 {
    (number ^ (number >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// Whether one letter more, less or other, or two neighbours swapped, make two words the same.
fn is_one_edit(left: &[u8], right: &[u8]) -> bool {
    let same = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let (left, right) = (&left[same..], &right[same..]);
    match (left, right) {
        ([], []) => false,
        ([_, left @ ..], right_all) if left.len() == right_all.len() => left == right_all,
        (left_all, [_, right @ ..]) if left_all.len() == right.len() => left_all == right,
        ([a, left @ ..], [b, right @ ..]) if left.len() == right.len() => {
            left == right || (left.first() == Some(b) && right.first() == Some(a) && left.get(1..) == right.get(1..))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_one_known_word_corrects() {
        let spelling =
            Spelling::of(&["restaurant", "weather", "leather", "receiver", "new yorker"].into_iter().collect());
        for (word, expected) in [
            ("resturant", Some("restaurant")),
            ("restaurants", Some("restaurant")),
            ("restaraunt", None),
            ("reciever", Some("receiver")),
            ("xeather", None),
            ("wetherr", None),
            ("weathers", Some("weather")),
            ("weathr", None),
            ("yorkr", None),
            ("r\u{e9}staurant", None),
            ("restaurant5", None),
        ] {
            assert_eq!(spelling.correct(word), expected, "{word}");
        }
        assert!(spelling.knows("yorker") && !spelling.knows("york"));
        assert_eq!(Spelling::of(&Strings::new()).correct("nothing"), None);
    }

    /// Every known word, tried with the plain definition.
    fn reference<'a>(words: &'a [String], word: &str) -> Option<&'a str> {
        let near = |other: &str| {
            let (a, b): (Vec<char>, Vec<char>) = (word.chars().collect(), other.chars().collect());
            let swapped = (1..a.len()).any(|at| {
                let mut c = a.clone();
                c.swap(at - 1, at);
                c == b
            });
            rapidfuzz::distance::levenshtein::distance(word.chars(), other.chars()) == 1 || (swapped && a != b)
        };
        let mut found = words.iter().filter(|other| other.len() + 1 >= SHORTEST && near(other));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    proptest! {
        #[test]
        fn the_index_finds_what_a_search_finds(
            words in prop::collection::btree_set("[ab]{5,9}", 0..30),
            word in "[abc]{7,9}",
        ) {
            let words: Vec<String> = words.into_iter().collect();
            let spelling = Spelling::of(&words.iter().map(String::as_str).collect());
            prop_assert_eq!(spelling.correct(&word), reference(&words, &word));
        }
    }
}
