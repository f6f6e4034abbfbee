//! The words of each string of a table, as numbers of a vocabulary that grows.
//!
//! # Idea
//! Pieces of the table are cut apart side by side, each with a vocabulary of its own, which then goes into that of all in the order of
//! the strings: numbers are those that one string after the other would give, and most words are looked up in a small table.
//!
//! # Cost
//! 4 bytes a string and 4 a word; some pieces beside it while it is made.

use rayon::prelude::*;

use super::strings::{Interner, Strings};

/// So many strings are cut apart at a time.
const PIECE: usize = 1 << 15;

/// The words of each string of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StringWords {
    /// String `s` has the words `words[starts[s]..starts[s + 1]]`.
    starts: Vec<u32>,
    words: Vec<u32>,
}

impl StringWords {
    /// No string yet.
    pub(crate) fn new() -> Self {
        Self { starts: vec![0], words: Vec::new() }
    }

    /// The words of all strings: `cut` gives those of a string, by its number, one after the other.
    pub(crate) fn of(
        strings: &Strings,
        vocabulary: &mut Interner,
        cut: impl Fn(u32, &mut dyn FnMut(&str)) + Sync,
    ) -> Self {
        let piece = |piece: usize| {
            let (mut vocabulary, mut own) = (Interner::new(), Self { starts: Vec::new(), words: Vec::new() });
            for string in piece * PIECE..strings.len().min((piece + 1) * PIECE) {
                cut(string as u32, &mut |word| own.words.push(vocabulary.intern(word)));
                own.end();
            }
            (vocabulary, own)
        };
        let mut all = Self::new();
        all.starts.reserve_exact(strings.len());
        let pieces: Vec<usize> = (0..strings.len().div_ceil(PIECE)).collect();
        for some in pieces.chunks(rayon::current_num_threads().max(8)) {
            for (words, own) in some.par_iter().map(|&at| piece(at)).collect::<Vec<_>>() {
                let numbers: Vec<u32> = words.strings().iter().map(|word| vocabulary.intern(word)).collect();
                let before = place(all.words.len());
                place(all.words.len() + own.words.len());
                all.words.extend(own.words.iter().map(|&word| numbers[word as usize]));
                all.starts.extend(own.starts.iter().map(|start| before + start));
            }
        }
        all
    }

    /// Adds the words of a string, which comes next.
    pub(crate) fn push(&mut self, words: impl IntoIterator<Item = u32>) {
        self.words.extend(words);
        self.end();
    }

    /// The string that comes next ends here.
    fn end(&mut self) {
        self.starts.push(place(self.words.len()));
    }

    /// The same, each word of a string once and in rising order.
    #[must_use]
    pub(crate) fn different(mut self) -> Self {
        let (mut from, mut kept) = (0, 0);
        for end in &mut self.starts[1..] {
            let to = *end as usize;
            self.words[from..to].sort_unstable();
            for at in from..to {
                if at == from || self.words[at] != self.words[kept - 1] {
                    self.words[kept] = self.words[at];
                    kept += 1;
                }
            }
            (from, *end) = (to, kept as u32);
        }
        self.words.truncate(kept);
        self
    }

    /// For each of `words` words the strings that have it, in rising order: of strings that have each word once.
    #[must_use]
    pub(crate) fn turned(&self, words: usize) -> Self {
        let mut starts = vec![0u32; words + 1];
        self.words.iter().for_each(|&word| starts[word as usize + 1] += 1);
        for word in 0..words {
            starts[word + 1] += starts[word];
        }
        let (mut next, mut strings) = (starts.clone(), vec![0; self.words.len()]);
        for string in 0..self.len() as u32 {
            for &word in self.of_string(string) {
                let place = &mut next[word as usize];
                strings[*place as usize] = string;
                *place += 1;
            }
        }
        Self { starts, words: strings }
    }

    /// The number of strings.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The words of a string, in the order in which they stand there.
    pub(crate) fn of_string(&self, string: u32) -> &[u32] {
        &self.words[self.starts[string as usize] as usize..self.starts[string as usize + 1] as usize]
    }

    /// The words of all strings, one after the other.
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }
}

fn place(words: usize) -> u32 {
    u32::try_from(words).expect("more than four billion words in distinct strings")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More strings than two pieces have, with words that come back in all of them.
    #[test]
    fn numbers_are_those_of_one_string_after_the_other() {
        let texts: Vec<String> =
            (0..2 * PIECE + 77).map(|at| format!("w{} w{} w{}", at % 7, at * at % 1013, at / 5)).collect();
        let strings: Strings = texts.iter().map(String::as_str).collect();
        let mut vocabulary = Interner::new();
        vocabulary.intern("w3");
        let mut expected = vocabulary.clone();
        let words = StringWords::of(&strings, &mut vocabulary, |at, each| strings.get(at).split(' ').for_each(each));
        assert_eq!(words.len(), texts.len());
        for (at, text) in (0..).zip(&texts) {
            let own: Vec<u32> = text.split(' ').map(|word| expected.intern(word)).collect();
            assert_eq!(words.of_string(at), own);
        }
        assert_eq!(vocabulary.into_strings(), expected.into_strings());
    }

    #[test]
    fn different_words_and_who_has_them() {
        let mut words = StringWords::new();
        words.push([3, 1, 3, 0]);
        words.push([]);
        words.push([1, 1]);
        words.push([1]);
        let words = words.different();
        assert_eq!((0..4).map(|at| words.of_string(at)).collect::<Vec<_>>(), [&[0, 1, 3][..], &[], &[1], &[1]]);
        assert_eq!(words.words(), [0, 1, 3, 1, 1]);
        let turned = words.turned(5);
        let of: Vec<&[u32]> = (0..5).map(|word| turned.of_string(word)).collect();
        assert_eq!(of, [&[0][..], &[0, 2, 3], &[], &[0], &[]]);
    }
}
