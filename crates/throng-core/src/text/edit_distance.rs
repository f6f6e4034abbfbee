//! Normalised edit distance between words, fast enough for billions of pairs.
//!
//! Paper      Levenshtein 1966; Myers, A fast bit-vector algorithm for approximate string matching, J. ACM 1999;
//!            Hyyrö, Explaining and extending the bit-parallel approximate string matching algorithm of Myers, 2001.
//!
//! # Idea
//! 1. Words are interned; every character (Unicode scalar value) is a small number of the vocabulary's own alphabet.
//! 2. A word of at most 64 characters is a pattern: for each character one 64-bit mask of its positions.
//! 3. Running the other word through the pattern costs a handful of instructions a character.
//! 4. Words of one query, of at most 64 characters together, are one pattern: they lie side by side in the mask, and another
//!    word runs through all of them at once.
//! 5. Before that, two bounds from below: the difference in length, and the characters one word has and the other
//!    lacks (each edit mends one at the most).
//! 6. Words above 64 characters on both sides, and characters beyond the first 256 of the alphabet, go to `rapidfuzz`.
//!
//! # Formula
//! d(x, y) = edits(x, y) / max(|x|, |y|), in [0, 1]; 0 for two empty words. Not a metric: the triangle inequality fails
//! (reading Q13).
//!
//! # Cost
//! O(|y|) for a pattern of at most 64 characters.

use hashbrown::HashMap;

use crate::data::{Interner, Strings};

/// The number of characters that patterns know; later ones take the slow way.
const ALPHABET: usize = 256;

/// A vocabulary: interned words, ready to be compared.
#[derive(Debug, Clone, Default)]
pub struct Words {
    words: Interner,
    alphabet: HashMap<char, u32, foldhash::fast::FixedState>,
    /// The characters of all plain words one after the other, as numbers of the alphabet.
    symbols: Vec<u8>,
    outlines: Vec<Outline>,
}

/// Rounding may not decide where only a bound is asked for: a hair of room is given.
const HAIR: f64 = 1.0 + 1e-12;

/// What the bounds and the kernel need to know of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outline {
    /// One bit for each character that occurs, characters sharing bits where there are more than 64.
    letters: u64,
    /// Where its characters begin; [`NOT_PLAIN`] if some are not among the first [`ALPHABET`].
    start: u32,
    length: u32,
    /// The word.
    pub word: u32,
}

/// The start of a word whose characters are not all among the first [`ALPHABET`].
const NOT_PLAIN: u32 = u32::MAX;

impl Words {
    /// An empty vocabulary.
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of a word, new if it was not there.
    pub fn intern(&mut self, word: &str) -> u32 {
        let id = self.words.intern(word);
        if id as usize == self.outlines.len() {
            let start = self.symbols.len();
            let (mut letters, mut length, mut plain) = (0u64, 0u32, start < NOT_PLAIN as usize);
            for character in word.chars() {
                let next = self.alphabet.len() as u32;
                let symbol = *self.alphabet.entry(character).or_insert(next);
                letters |= 1 << (symbol % 64);
                length += 1;
                plain &= (symbol as usize) < ALPHABET;
                self.symbols.push(symbol as u8);
            }
            if !plain {
                self.symbols.truncate(start);
            }
            let start = if plain { start as u32 } else { NOT_PLAIN };
            self.outlines.push(Outline { letters, start, length, word: id });
        }
        id
    }

    /// The words by id.
    pub fn strings(&self) -> &Strings {
        self.words.strings()
    }

    fn symbols(&self, word: &Outline) -> &[u8] {
        &self.symbols[word.start as usize..word.start as usize + word.length as usize]
    }

    /// The characters of a word as numbers of the alphabet, if all are among the first [`ALPHABET`].
    pub(crate) fn letters(&self, word: &Outline) -> Option<&[u8]> {
        (word.start != NOT_PLAIN).then(|| self.symbols(word))
    }

    /// What can be said of a word's distance to others without a look at its letters' order.
    pub fn outline(&self, word: u32) -> Outline {
        self.outlines[word as usize]
    }

    /// The distance of two words.
    pub fn distance(&self, left: u32, right: u32) -> f64 {
        let mut pattern = Pattern::default();
        pattern.load(self, &self.outline(left));
        pattern.distance(self, &self.outline(right))
    }

    /// Edits between two words by the general library: long words and rare characters.
    fn edits_general(&self, left: u32, right: u32) -> u32 {
        let (left, right) = (self.strings().get(left), self.strings().get(right));
        rapidfuzz::distance::levenshtein::distance(left.chars(), right.chars()) as u32
    }
}

impl Outline {
    /// Whether it is short and plain enough for a pattern.
    fn is_pattern(&self) -> bool {
        self.start != NOT_PLAIN && (1..=64).contains(&self.length)
    }

    /// The distance of two words with so many edits between them.
    fn share(&self, other: &Self, edits: u32) -> f64 {
        f64::from(edits) / f64::from(self.length.max(other.length))
    }

    /// Whether the distance of two words may be below a limit, by their lengths and letters. Never wrongly no.
    pub fn may_be_below(&self, other: &Self, limit: f64) -> bool {
        // An edit removes at most one character from what one word has beyond the other, and one the other way.
        let lacking = (self.letters & !other.letters).count_ones().max((other.letters & !self.letters).count_ones());
        let longer = self.length.max(other.length);
        f64::from(lacking.max(self.length.abs_diff(other.length))) < limit * f64::from(longer) * HAIR
    }
}

/// A word made ready to be compared with many others.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// For each character the positions at which it stands in the word. Zero for characters the word lacks.
    positions: Box<[u64; ALPHABET]>,
    own: Outline,
    /// Whether `positions` describes the word; else the comparison takes the general way.
    loaded: bool,
}

impl Default for Pattern {
    fn default() -> Self {
        let nobody = Outline { letters: 0, start: NOT_PLAIN, length: 0, word: u32::MAX };
        Self { positions: Box::new([0; ALPHABET]), own: nobody, loaded: false }
    }
}

impl Pattern {
    /// Makes this the pattern of a word, which must belong to the same vocabulary as the one before.
    pub fn load(&mut self, words: &Words, word: &Outline) {
        if self.own.word == word.word {
            return;
        }
        if self.loaded {
            for &symbol in words.symbols(&self.own) {
                self.positions[usize::from(symbol)] = 0;
            }
        }
        self.own = *word;
        self.loaded = word.is_pattern();
        if self.loaded {
            for (position, &symbol) in words.symbols(word).iter().enumerate() {
                self.positions[usize::from(symbol)] |= 1 << position;
            }
        }
    }

    /// The distance of the loaded word and another of the same vocabulary.
    pub fn distance(&self, words: &Words, other: &Outline) -> f64 {
        if self.own.word == other.word {
            return 0.0;
        }
        let edits = if self.loaded && other.start != NOT_PLAIN {
            self.edits(words.symbols(other))
        } else if other.is_pattern() && self.own.start != NOT_PLAIN {
            // The other word is the short one: let it be the pattern.
            let mut pattern = Self::default();
            pattern.load(words, other);
            pattern.edits(words.symbols(&self.own))
        } else {
            words.edits_general(self.own.word, other.word)
        };
        self.own.share(other, edits)
    }

    /// Myers' bit-vector recurrence in Hyyrö's form for the distance of whole strings.
    fn edits(&self, text: &[u8]) -> u32 {
        let length = self.own.length;
        let last = 1u64 << (length - 1);
        let (mut plus, mut minus) = (!0u64, 0u64);
        let mut edits = length;
        for &symbol in text {
            let equal = self.positions[usize::from(symbol)];
            let diagonal = (((equal & plus).wrapping_add(plus)) ^ plus) | equal | minus;
            let mut up = minus | !(diagonal | plus);
            let mut down = plus & diagonal;
            edits += u32::from(up & last != 0);
            edits -= u32::from(down & last != 0);
            up = up << 1 | 1;
            down <<= 1;
            plus = down | !(diagonal | up);
            minus = up & diagonal;
        }
        edits
    }
}

/// The distinct words of a query made ready to be compared with other words, all of them at once.
#[derive(Debug, Default)]
pub struct QueryPattern {
    own: Vec<Outline>,
    /// As in [`Pattern`], the words one after the other.
    positions: Vec<u64>,
    /// Which of the positions are each word's.
    places: Vec<u64>,
    /// The first and the last positions of all words.
    firsts: u64,
    lasts: u64,
    /// One pattern for each word, where they do not go into one.
    apart: Vec<Pattern>,
    is_apart: bool,
}

impl QueryPattern {
    /// Makes this the pattern of some words, which must belong to the same vocabulary as those before.
    pub fn load(&mut self, words: &Words, own: &[Outline]) {
        if !self.is_apart {
            for word in &self.own {
                for &symbol in words.symbols(word) {
                    self.positions[usize::from(symbol)] = 0;
                }
            }
        }
        self.own.clear();
        self.own.extend_from_slice(own);
        self.is_apart = !own.iter().all(Outline::is_pattern) || own.iter().map(|word| word.length).sum::<u32>() > 64;
        if self.is_apart {
            self.apart.resize_with(own.len().max(self.apart.len()), Pattern::default);
            self.apart.iter_mut().zip(own).for_each(|(pattern, word)| pattern.load(words, word));
            return;
        }
        self.positions.resize(ALPHABET, 0);
        self.places.clear();
        (self.firsts, self.lasts) = (0, 0);
        let mut at = 0;
        for word in own {
            self.firsts |= 1 << at;
            let start = at;
            for &symbol in words.symbols(word) {
                self.positions[usize::from(symbol)] |= 1 << at;
                at += 1;
            }
            self.lasts |= 1 << (at - 1);
            self.places.push((u64::MAX >> (64 - (at - start))) << start);
        }
    }

    /// The distances of the loaded words to another of the same vocabulary, one after the other.
    pub fn distances(&self, words: &Words, other: &Outline, mut each: impl FnMut(usize, f64)) {
        if self.is_apart || other.start == NOT_PLAIN {
            for (at, own) in self.own.iter().enumerate() {
                let distance = match self.apart.get(at) {
                    Some(pattern) if self.is_apart => pattern.distance(words, other),
                    _ => words.distance(own.word, other.word),
                };
                each(at, distance);
            }
            return;
        }
        let (plus, minus) = self.last_column(words.symbols(other));
        for (at, (own, places)) in self.own.iter().zip(&self.places).enumerate() {
            // Down the last column of the table of edits, each letter adds one, takes one away, or does neither.
            let edits = other.length + (plus & places).count_ones() - (minus & places).count_ones();
            each(at, own.share(other, edits));
        }
    }

    /// The recurrence of [`Pattern::edits`] for words side by side: nothing goes over from one to the next.
    fn last_column(&self, text: &[u8]) -> (u64, u64) {
        let (firsts, lasts) = (self.firsts, self.lasts);
        let (mut plus, mut minus) = (!0u64, 0u64);
        for &symbol in text {
            let equal = self.positions[usize::from(symbol)];
            let both = equal & plus;
            let sum = ((both & !lasts).wrapping_add(plus & !lasts)) ^ ((both ^ plus) & lasts);
            let diagonal = (sum ^ plus) | equal | minus;
            let up = (minus | !(diagonal | plus)) << 1 | firsts;
            let down = ((plus & diagonal) << 1) & !firsts;
            plus = down | !(diagonal | up);
            minus = up & diagonal;
        }
        (plus, minus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook table, the obvious reference.
    fn reference(left: &str, right: &str) -> f64 {
        let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
        if left.is_empty() && right.is_empty() {
            return 0.0;
        }
        let mut row: Vec<usize> = (0..=right.len()).collect();
        for (i, a) in left.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, b) in right.iter().enumerate() {
                let cost = (diagonal + usize::from(a != b)).min(row[j] + 1).min(row[j + 1] + 1);
                diagonal = row[j + 1];
                row[j + 1] = cost;
            }
        }
        row[right.len()] as f64 / left.len().max(right.len()) as f64
    }

    fn check(left: &str, right: &str) {
        let mut words = Words::new();
        let (a, b) = (words.intern(left), words.intern(right));
        let expected = reference(left, right);
        assert_eq!(words.distance(a, b), expected, "{left} {right}");
        assert_eq!(words.distance(b, a), expected, "{right} {left}");
        if left != right && expected < 1.0 {
            assert!(words.outline(a).may_be_below(&words.outline(b), expected + 1e-9), "{left} {right}");
        }
    }

    #[test]
    fn by_hand() {
        let mut words = Words::new();
        let mut distance = |left, right| {
            let (left, right) = (words.intern(left), words.intern(right));
            words.distance(left, right)
        };
        assert_eq!(distance("kitten", "sitting"), 3.0 / 7.0);
        assert_eq!(distance("jaguar", "jaguars"), 1.0 / 7.0);
        assert_eq!(distance("abc", "xyz"), 1.0);
        assert_eq!(distance("abc", "abc"), 0.0);
        assert_eq!(distance("", "abc"), 1.0);
        assert_eq!(distance("", ""), 0.0);
        assert_eq!(distance("Abc", "abc"), 1.0 / 3.0);
        assert_eq!(distance("über", "uber"), 0.25);
    }

    #[test]
    fn at_the_word_size_and_beyond() {
        let long = |length: usize, seed: usize| -> String {
            (0..length).map(|at| char::from(b'a' + ((at * 7 + seed * at * at) % 5) as u8)).collect()
        };
        for (left, right) in [(63, 64), (64, 64), (64, 65), (65, 65), (65, 3), (200, 64), (200, 130)] {
            check(&long(left, 1), &long(right, 2));
        }
        let many: String = (0..700).filter_map(|code| char::from_u32(0x4e00 + code)).collect();
        check(&many, "abc");
        check(&many[..many.len() - 9], &many);
        check(&many[600..660], &many[630..690]);
    }

    #[test]
    fn a_pattern_can_be_loaded_again() {
        let mut words = Words::new();
        let ids: Vec<u32> = ["garden", "guardian", "", "gradient"].iter().map(|word| words.intern(word)).collect();
        let mut pattern = Pattern::default();
        for &left in &ids {
            pattern.load(&words, &words.outline(left));
            for &right in &ids {
                let (a, b) = (words.strings().get(left), words.strings().get(right));
                assert_eq!(pattern.distance(&words, &words.outline(right)), reference(a, b), "{a} {b}");
            }
        }
    }

    proptest! {
        #[test]
        fn words_side_by_side(queries in prop::collection::vec("([a-d]{1,9} ?){1,6}|[a-z ]{1,90}|\\PC{1,8}", 2..5)) {
            let mut words = Words::new();
            let queries: Vec<Vec<u32>> = (queries.iter())
                .map(|query| query.split_whitespace().map(|word| words.intern(word)).collect())
                .collect();
            let queries: Vec<Vec<Outline>> =
                queries.iter().map(|ids| ids.iter().map(|&word| words.outline(word)).collect()).collect();
            let mut pattern = QueryPattern::default();
            for own in &queries {
                pattern.load(&words, own);
                for other in queries.iter().flatten() {
                    let mut distances = Vec::new();
                    pattern.distances(&words, other, |_, distance| distances.push(distance));
                    let expected: Vec<f64> = own.iter().map(|word| words.distance(word.word, other.word)).collect();
                    prop_assert_eq!(distances, expected);
                }
            }
        }

        #[test]
        fn equals_the_reference(left in "[a-d]{0,12}|[a-z]{0,70}|\\PC{0,8}", right in "[a-d]{0,12}|[a-z]{0,70}|\\PC{0,8}") {
            check(&left, &right);
        }
    }
}
