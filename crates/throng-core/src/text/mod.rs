//! Words of a query, normal form, what reads alike, host names and their sites, edit distance, accents, stop words, what a terminal
//! may be shown.

pub mod accents;
pub mod alike;
pub mod edit_distance;
pub mod host;
pub mod normal;
pub mod punycode;
pub mod site;
pub mod stem;
pub mod stop_words;
pub mod visible;

use std::borrow::Cow;

/// The words of a query: split on white space, case and punctuation kept (reading Q11).
pub fn words(query: &str) -> impl Iterator<Item = &str> {
    query.split_whitespace()
}

/// The nouns and other words in a query, whatever stands between them: runs of letters, digits and accents, in lower case.
pub fn lower_words(query: &str) -> impl Iterator<Item = String> {
    written_words(query).map(str::to_lowercase)
}

/// A word in lower case, as [`lower_words`] has it. One that is in lower case, as nearly all words of queries are, is not copied.
pub fn lowered(word: &str) -> Cow<'_, str> {
    let is_lower = word.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    if is_lower { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
}

/// Whether a query has a word that says something: one that is no stop word.
pub fn has_content_word(query: &str) -> bool {
    lower_words(query).any(|word| !stop_words::is_stop_word(&word))
}

/// The words of [`lower_words`] as they are written.
pub fn written_words(query: &str) -> impl Iterator<Item = &str> {
    let is_inside = |letter: char| letter.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&letter);
    query.split(move |letter| !is_inside(letter)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_case_and_punctuation() {
        let words = |query: &str| lower_words(query).collect::<Vec<_>>();
        assert_eq!(words("Used CARS, www.cars.example?"), ["used", "cars", "www", "cars", "example"]);
        assert_eq!(words("  \u{c4}pfel e\u{301}te\u{301} "), ["\u{e4}pfel", "e\u{301}te\u{301}"]);
        assert!(words("-- ' ").is_empty());
        for text in ["used CARS 9", "\u{c4}pfel \u{130}", "e\u{301}t\u{e9}"] {
            assert!(written_words(text).map(lowered).eq(lower_words(text)), "{text}");
        }
    }
}
