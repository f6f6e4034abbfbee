//! Normal form of published text: whoever typed it, and however, the same words are the same text.
//!
//! Paper      Ours; NFKC is Unicode Standard Annex 15.
//! Promises   a text in normal form has nothing but its words, so that marks, emoji, zero-width and tag characters, case, blanks and
//!            repeats say nothing of who wrote it.
//! Does not   say in which order the words of several persons stand: `aggregate/normal.rs` asks most of them. Nor does it keep a
//!            rare spelling out: that is a word, and words have their own threshold.
//!
//! # Idea
//! 1. NFKC: letters that are written in several ways become one (`ﬁ` is `fi`, `Ａ` is `A`, e with an accent is one letter).
//! 2. The words: runs of letters, digits and combining marks (U+0300 to U+036F). All else is left out.
//! 3. Lower case, each word once, one blank between.
//! 4. Lower case may undo what 1 did: again, until nothing changes.
//!
//! # Cost
//! Linear in the text; one pass for ASCII, two for most of the rest.

use std::collections::HashSet;

use unicode_normalization::{UnicodeNormalization as _, is_nfkc};

use super::{lowered, written_words};

/// The words of a text in normal form: each once, in the order in which they stand first.
pub fn normal_words(text: &str) -> Vec<String> {
    let mut words = lower_once(text);
    if text.is_ascii() {
        return words;
    }
    words = lower_once(&text.nfkc().collect::<String>());
    for _ in 0..ROUNDS {
        if words.iter().all(|word| is_nfkc(word)) {
            break;
        }
        let joined: String = words.join(" ").nfkc().collect();
        words = lower_once(&joined);
    }
    words
}

/// A text in normal form, its words in its own order. Empty if it has none.
pub fn normal_form(text: &str) -> String {
    normal_words(text).join(" ")
}

/// So many rounds are more than any text needs; a test tries all letters.
const ROUNDS: usize = 4;

/// From so many words on, words are not compared one by one.
const MANY: usize = 24;

/// The words of a text in lower case, each once.
fn lower_once(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    // A text of many words may be as long as somebody likes.
    let mut many: HashSet<String> = HashSet::new();
    for word in written_words(text) {
        let lower = lowered(word).into_owned();
        let is_new = if words.len() < MANY { !words.contains(&lower) } else { many.insert(lower.clone()) };
        if is_new {
            words.push(lower);
            if words.len() == MANY {
                many.extend(words.iter().cloned());
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        for (text, expected) in [
            ("Red  CAR, red!", "red car"),
            ("car red", "car red"),
            ("\u{fb01}nd e\u{301}te\u{301}", "find \u{e9}t\u{e9}"),
            ("\u{ff32}\u{ff25}\u{ff24} c\u{ad}ar", "red c ar"),
            ("red\u{200b} \u{1f697} car\u{e0041}\u{fe0f}", "red car"),
            ("\u{130}zmir \u{3a3}\u{3a3}", "i\u{307}zmir \u{3c3}\u{3c2}"),
            ("\u{2460}\u{bd}", "11 2"),
            ("\u{2800}\u{2801} -- \u{1f600}", ""),
            ("", ""),
        ] {
            assert_eq!(normal_form(text), expected, "{text}");
        }
    }

    /// Each word once in its first place, however many there are.
    #[test]
    fn many_words() {
        let text: String = (0..200).map(|word| format!("w{} ", word % 60)).collect();
        let expected: Vec<String> = (0..60).map(|word| format!("w{word}")).collect();
        assert_eq!(normal_words(&text), expected);
        let long: String = (0..200_000).map(|word| format!("w{word} ")).collect();
        assert_eq!(normal_words(&long).len(), 200_000);
    }

    /// As a reader would check it: nothing else is in the text than its words.
    fn is_settled(text: &str) -> bool {
        let words: Vec<&str> = if text.is_empty() { Vec::new() } else { text.split(' ').collect() };
        let mut once = words.clone();
        once.sort_unstable();
        once.dedup();
        let is_inside = |letter: char| letter.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&letter);
        is_nfkc(text)
            && text.to_lowercase() == text
            && once.len() == words.len()
            && words.iter().all(|word| !word.is_empty() && word.chars().all(is_inside))
    }

    #[test]
    fn every_letter_settles() {
        for letter in '\0'..=char::MAX {
            for text in [format!("{letter}"), format!("a{letter}\u{301}b"), format!("I{letter}{letter}\u{307}")] {
                let form = normal_form(&text);
                assert!(is_settled(&form), "{letter:?}: {form:?}");
                assert_eq!(normal_form(&form), form, "{letter:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_settles_at_once(text in "\\PC{0,12}", marks in "[\u{300}-\u{36f}\u{200b}-\u{200f}\u{1c4}-\u{1cc}\u{1e9e}\u{130}A-C ]{0,8}") {
            let both: String = text.chars().zip(marks.chars().chain(" ".chars().cycle())).flat_map(|(left, right)| [left, right]).collect();
            for text in [text.clone() + &marks, marks + &text, both] {
                let form = normal_form(&text);
                prop_assert!(is_settled(&form), "{:?}", form);
                prop_assert_eq!(normal_form(&form), form);
            }
        }

        #[test]
        fn what_stands_around_words_says_nothing(
            words in prop::collection::vec("[a-zà-þ0-9]{1,5}", 1..5),
            between in prop::collection::vec("[ \\-.,!?'\u{200b}\u{200d}\u{fe0f}\u{e0041}\u{1f600}\u{2800}]{1,3}", 5),
            upper in prop::collection::vec(any::<bool>(), 5),
            again in 0..5usize,
        ) {
            let mut written = String::new();
            for (at, word) in words.iter().enumerate() {
                written += &between[at];
                written += &if upper[at] { word.to_uppercase() } else { word.clone() };
            }
            let last = &words[again.min(words.len() - 1)];
            written = written + &between[4] + last + &between[0];
            // Upper case of sharp s is two letters: no word of its own.
            prop_assume!(!words.iter().any(|word| word.contains('ß')));
            prop_assert_eq!(normal_form(&written), normal_form(&words.join(" ")));
        }
    }
}
