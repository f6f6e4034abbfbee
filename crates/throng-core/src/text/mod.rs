//! Words of a query, host names, edit distance, stop words.

pub mod edit_distance;
pub mod host;
pub mod stop_words;

/// The words of a query: split on white space, case and punctuation kept (reading Q11).
pub fn words(query: &str) -> impl Iterator<Item = &str> {
    query.split_whitespace()
}
