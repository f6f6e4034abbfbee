//! Mixes: what a person's strings are made of, words or concepts, each as often as it occurs.

use super::{Meaning, Texts};
use crate::data::string_words::StringWords;
use crate::data::{Interner, Strings};
use crate::taxonomy::Taxonomy;
use crate::text::stop_words::is_stop_word;
use crate::text::{lowered, written_words};

/// How deep a concept may lie before its ancestor takes its place; the root is at 1.
pub(crate) const DEPTH: u32 = 6;

/// How often each of some concepts or words occurs, by number in rising order.
pub(crate) type Mix = Vec<(u32, u64)>;

/// A concept, or its ancestor at a level if it lies deeper.
pub(crate) fn at_depth(taxonomy: &Taxonomy, concept: u32, depth: u32) -> u32 {
    let mut concept = concept;
    while taxonomy.level(concept) > depth {
        concept = taxonomy.parent(concept);
    }
    concept
}

/// How often each number occurs.
pub(crate) fn mix_of(mut numbers: Vec<u32>) -> Mix {
    numbers.sort_unstable();
    numbers.chunk_by(|left, right| left == right).map(|same| (same[0], same.len() as u64)).collect()
}

/// The concepts of a person, down to a depth, each as often as they occur.
pub(crate) fn concept_mix<D: Texts>(data: &D, meaning: &Meaning, person: usize, depth: u32) -> Mix {
    let concepts = data.strings_of(person).iter().flat_map(|&string| meaning.concepts(string));
    mix_of(concepts.map(|&concept| at_depth(meaning.taxonomy(), concept, depth)).collect())
}

/// The words of each string of a data set that somebody has, in lower case, stop words left out.
pub(crate) struct Words(StringWords);

impl Words {
    /// No string yet.
    pub(crate) fn new() -> Self {
        Self(StringWords::new())
    }

    /// The words of a data set, under the numbers of a vocabulary that grows.
    pub(crate) fn of<D: Texts>(data: &D, vocabulary: &mut Interner) -> Self {
        let strings: &Strings = data.strings();
        let mut is_used = vec![false; strings.len()];
        for person in 0..data.persons() {
            data.strings_of(person).iter().for_each(|&string| is_used[string as usize] = true);
        }
        Self(StringWords::of(strings, vocabulary, |string, each| {
            if is_used[string as usize] {
                each_word(strings.get(string), each);
            }
        }))
    }

    /// The words of each of some strings.
    pub(crate) fn of_strings(strings: &Strings, vocabulary: &mut Interner) -> Self {
        Self(StringWords::of(strings, vocabulary, |string, each| each_word(strings.get(string), each)))
    }

    /// Adds the words of a string, which comes next, by their numbers.
    pub(crate) fn push_like(&mut self, words: &[u32]) {
        self.0.push(words.iter().copied());
    }

    /// The words of a string, in the order in which they stand there.
    pub(crate) fn of_string(&self, string: u32) -> &[u32] {
        self.0.of_string(string)
    }

    /// The words of a person, each as often as it occurs.
    pub(crate) fn mix<D: Texts>(&self, data: &D, person: usize) -> Mix {
        let own = data.strings_of(person).iter().flat_map(|&string| self.of_string(string));
        mix_of(own.copied().collect())
    }
}

/// The words of a text in lower case, stop words left out.
pub(crate) fn each_word(text: &str, each: &mut dyn FnMut(&str)) {
    written_words(text).map(lowered).filter(|word| !is_stop_word(word)).for_each(|word| each(&word));
}
