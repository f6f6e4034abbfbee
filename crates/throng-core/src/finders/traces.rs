//! Traces: what was found in a text, in words that have lost their marks.
//!
//! Paper      Ours.
//! Promises   a text that has all words of a hit, and none but words of the text that the hit was found in, is known for it.
//! Does not   know a hit of which a word is missing: a part of an address is a name, or nothing.
//!
//! # Idea
//! 1. Under a threshold texts are published in normal form, as words without marks. `ann@x.example` leaves as `ann x example`, and
//!    nobody who looks for an `@` finds it. The original has it: for each hit there, its words are kept, and all words of its text.
//! 2. What is published is cut out of a text of the original. So a text shows a hit if it has all its words, and if all its words
//!    are in the text with that hit. `1 0 dns` shows `dns 1.0.0.1`, but `route 1 0` does not.
//!
//! # Cost
//! For each text that is asked about, the texts with hits that hold its rarest word. Memory 4 bytes a word of a text with hits,
//! twice.

use super::Hit;
use crate::data::Interner;
use crate::text::normal::normal_words;

/// Texts with hits, by their words.
#[derive(Debug, Default)]
pub struct Traces {
    words: Interner,
    /// The texts that hold each word.
    holders: Vec<Vec<u32>>,
    texts: Vec<Marked>,
}

/// A text with hits.
#[derive(Debug)]
struct Marked {
    /// Its words, in rising order.
    words: Box<[u32]>,
    /// The words of each hit in rising order, and what the hit is.
    hits: Vec<(Box<[u32]>, u32)>,
}

impl Traces {
    /// Adds a text with the words of its hits, each with a number that says what it is. Hits without a word leave none.
    pub fn add<'a>(&mut self, text: &str, hits: impl Iterator<Item = (&'a [String], u32)>) {
        let words = normal_words(text);
        let number = self.texts.len() as u32;
        let mut numbers = |words: &[String]| -> Box<[u32]> {
            let mut numbers: Vec<u32> = words.iter().map(|word| self.words.intern(word)).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers.into_boxed_slice()
        };
        let own = numbers(&words);
        let hits: Vec<(Box<[u32]>, u32)> =
            hits.filter(|(words, _)| !words.is_empty()).map(|(words, what)| (numbers(words), what)).collect();
        if own.is_empty() || hits.is_empty() {
            return;
        }
        self.holders.resize_with(self.words.strings().len(), Vec::new);
        own.iter().for_each(|&word| self.holders[word as usize].push(number));
        self.texts.push(Marked { words: own, hits });
    }

    /// Whether there is nothing to be found.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Calls `each` with what a text shows: what each hit is, and its words. The same may come several times.
    pub fn of(&self, text: &str, mut each: impl FnMut(u32, &[u32])) {
        if self.is_empty() {
            return;
        }
        let Some(words) = self.known(text) else { return };
        let Some(rarest) = words.iter().min_by_key(|word| self.holders[**word as usize].len()) else { return };
        for &holder in &self.holders[*rarest as usize] {
            let marked = &self.texts[holder as usize];
            if is_inside(&words, &marked.words) {
                let shown = marked.hits.iter().filter(|(own, _)| is_inside(own, &words));
                shown.for_each(|(own, what)| each(*what, own));
            }
        }
    }

    /// A text without some words, in the order that it has; nothing if no word is left.
    pub fn without(&self, text: &str, words: &[u32]) -> Option<String> {
        let is_left = |word: &String| self.words.find(word).is_none_or(|number| !words.contains(&number));
        let left: Vec<String> = normal_words(text).into_iter().filter(is_left).collect();
        (!left.is_empty()).then(|| left.join(" "))
    }

    /// The words of a text in rising order; nothing if one of them is in no text with a hit.
    fn known(&self, text: &str) -> Option<Vec<u32>> {
        let mut words: Vec<u32> =
            normal_words(text).iter().map(|word| self.words.find(word)).collect::<Option<Vec<u32>>>()?;
        words.sort_unstable();
        Some(words)
    }
}

/// The words of a hit as a text in normal form has them: whole words, also where the hit begins or ends inside one.
pub fn words_of(hit: &Hit, text: &str) -> Vec<String> {
    let is_word = |letter: char| letter.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&letter);
    let start = text[..hit.start].char_indices().rev().take_while(|(_, letter)| is_word(*letter)).last();
    let end = text[hit.end..].char_indices().find(|(_, letter)| !is_word(*letter));
    // A mark at the edge is part of no word, and neither is what stands beyond it.
    let (first, last) = (text[hit.start..].chars().next(), text[..hit.end].chars().next_back());
    let start = start.filter(|_| first.is_some_and(is_word)).map_or(hit.start, |(at, _)| at);
    let end = if last.is_some_and(is_word) { end.map_or(text.len(), |(at, _)| hit.end + at) } else { hit.end };
    normal_words(&text[start..end])
}

/// Whether all numbers of a rising list are in another one.
fn is_inside(few: &[u32], many: &[u32]) -> bool {
    let mut rest = many.iter();
    few.len() <= many.len() && few.iter().all(|own| rest.find(|other| *other >= own).is_some_and(|other| other == own))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn traces(texts: &[(&str, &[&str])]) -> Traces {
        let mut traces = Traces::default();
        for (text, hits) in texts {
            let hits: Vec<Vec<String>> = hits.iter().map(|hit| normal_words(hit)).collect();
            traces.add(text, hits.iter().zip(0..).map(|(words, number)| (words.as_slice(), number)));
        }
        traces
    }

    fn shown(traces: &Traces, text: &str) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        traces.of(text, |what, _| {
            found.insert(what);
        });
        found
    }

    #[test]
    fn by_hand() {
        let traces = traces(&[
            ("mail Ann@x.example or bob@x.example today", &["Ann@x.example", "bob@x.example"]),
            ("dns 1.0.0.1", &["1.0.0.1"]),
            ("!", &["!"]),
        ]);
        assert_eq!(shown(&traces, "ann x example"), BTreeSet::from([0]));
        assert_eq!(shown(&traces, "example x ann mail"), BTreeSet::from([0]));
        assert_eq!(shown(&traces, "ann bob x example"), BTreeSet::from([0, 1]));
        assert_eq!(shown(&traces, "1 0"), BTreeSet::from([0]));
        for other in ["ann example", "ann x example tomorrow", "route 1 0", "dns 1", "", "mail today"] {
            assert_eq!(shown(&traces, other), BTreeSet::new(), "{other}");
        }
        let mut words = Vec::new();
        traces.of("mail ann x example", |_, own| words = own.to_vec());
        assert_eq!(traces.without("mail ann x example", &words).as_deref(), Some("mail"));
        assert_eq!(traces.without("x ann example", &words), None);
    }

    #[test]
    fn hits_that_end_inside_words() {
        let words = |text: &str, start: usize, end: usize| words_of(&Hit { start, end, finder: 0 }, text).join(" ");
        assert_eq!(words("to xann@y.examplez now", 4, 17), "xann y examplez");
        assert_eq!(words("t=ab.cd, e", 2, 8), "ab cd");
        assert_eq!(words("t=ab.cd", 2, 7), "ab cd");
        assert_eq!(words("ab", 0, 2), "ab");
    }

    proptest! {
        /// As anybody would say it: a hit is shown by a text that has all its words, and no word that its own text has not.
        #[test]
        fn the_same_as_by_comparing_all_with_all(
            texts in prop::collection::vec((prop::collection::vec(0..8u8, 1..6), 0..4usize, 1..4usize), 0..8),
            asked in prop::collection::vec(0..9u8, 0..6),
        ) {
            let written = |words: &[u8]| words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>();
            let mut traces = Traces::default();
            let mut expected = BTreeSet::new();
            let own: BTreeSet<String> = written(&asked).into_iter().collect();
            for (number, (text, from, length)) in (0..).zip(&texts) {
                let all = written(text);
                let from = *from.min(&(all.len() - 1));
                let hit = all[from..(from + length).min(all.len())].to_vec();
                let (all_set, hit_set): (BTreeSet<_>, BTreeSet<_>) = (all.iter().cloned().collect(), hit.iter().cloned().collect());
                if hit_set.is_subset(&own) && own.is_subset(&all_set) {
                    expected.insert(number);
                }
                traces.add(&all.join(" "), std::iter::once((hit.as_slice(), number)));
            }
            prop_assert_eq!(shown(&traces, &written(&asked).join(" ")), expected);
        }
    }
}
