//! English words that say nothing about a person's interests.
//!
//! Our own short list: the function words of English and the words that searchers put around what they look for
//! (`how`, `www`, `com`). Published lists of a thousand words and more also drop `computer` or `work`, which a query log
//! cannot spare.

/// Whether a word is on the list, whatever its case.
pub fn is_stop_word(word: &str) -> bool {
    const LONGEST: usize = 10;
    if word.len() > LONGEST || !word.is_ascii() {
        return false;
    }
    let mut room = [0; LONGEST];
    let lower = &mut room[..word.len()];
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    STOP_WORDS.binary_search_by(|stop| stop.as_bytes().cmp(lower)).is_ok()
}

/// Sorted, for binary search.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "before", "being", "between", "both", "but", "by", "can", "com", "could", "did", "do", "does", "doing", "each",
    "few", "for", "from", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his", "how", "http",
    "https", "i", "if", "in", "into", "is", "it", "its", "just", "me", "more", "most", "my", "net", "no", "nor", "not",
    "of", "off", "on", "once", "only", "or", "org", "other", "our", "ours", "out", "over", "own", "s", "same", "she",
    "should", "so", "some", "such", "t", "than", "that", "the", "their", "theirs", "them", "then", "there", "these",
    "they", "this", "those", "through", "to", "too", "under", "until", "up", "very", "vs", "was", "we", "were", "what",
    "when", "where", "which", "while", "who", "whom", "why", "will", "with", "would", "www", "you", "your", "yours",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_found() {
        assert!(STOP_WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(is_stop_word("The") && is_stop_word("www") && is_stop_word("yours"));
        assert!(!is_stop_word("computer") && !is_stop_word("") && !is_stop_word("théâtre"));
    }
}
