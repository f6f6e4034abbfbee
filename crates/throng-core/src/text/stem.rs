//! The stem of an English word, so that `football`, `footballs` and `footballing` are one keyword.
//!
//! Paper      Porter. An algorithm for suffix stripping. Program 14 (1980): its five steps, as printed.
//!
//! # Idea
//! 1. A word is consonants and vowels in turn; its measure m is how many times vowels are followed by consonants.
//! 2. Step after step the longest ending of a list is replaced, where what is left is long enough: `relational`, `relate`, `relat`.
//!
//! # Does not
//! touch words of up to two letters, or with anything but the letters a to z.

/// The stem of a word in lower case.
pub fn stem(word: &str) -> String {
    if word.len() <= 2 || !word.bytes().all(|letter| letter.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut word = word.to_owned();
    plurals(&mut word);
    past(&mut word);
    if let Some(before) = word.strip_suffix('y').filter(|before| has_vowel(before)) {
        word = format!("{before}i");
    }
    replace(&mut word, DOUBLE_ENDINGS, 1);
    replace(&mut word, ENDINGS, 1);
    take_off(&mut word);
    last(&mut word);
    word
}

/// Step 2: the longest ending first among those that end alike.
const DOUBLE_ENDINGS: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];
/// Step 3.
const ENDINGS: &[(&str, &str)] =
    &[("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];
/// Step 4.
const TAKEN_OFF: &[&str] = &[
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
];

/// Whether the letter at a place is a vowel: a, e, i, o, u, and y after a consonant.
fn is_vowel(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => true,
        b'y' => at > 0 && !is_vowel(word, at - 1),
        _ => false,
    }
}

fn has_vowel(word: &str) -> bool {
    (0..word.len()).any(|at| is_vowel(word.as_bytes(), at))
}

/// How many times vowels are followed by consonants.
fn measure(word: &str) -> usize {
    let word = word.as_bytes();
    (1..word.len()).filter(|&at| is_vowel(word, at - 1) && !is_vowel(word, at)).count()
}

fn ends_double(word: &str) -> bool {
    let word = word.as_bytes();
    word.len() >= 2 && word[word.len() - 1] == word[word.len() - 2] && !is_vowel(word, word.len() - 1)
}

/// Consonant, vowel, consonant at the end, the last no w, x or y.
fn ends_short(word: &str) -> bool {
    let word = word.as_bytes();
    let Some(at) = word.len().checked_sub(3) else { return false };
    !is_vowel(word, at)
        && is_vowel(word, at + 1)
        && !is_vowel(word, at + 2)
        && !matches!(word[at + 2], b'w' | b'x' | b'y')
}

/// Step 1a.
fn plurals(word: &mut String) {
    if word.ends_with("sses") || word.ends_with("ies") {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
}

/// Step 1b.
fn past(word: &mut String) {
    if let Some(before) = word.strip_suffix("eed") {
        if measure(before) > 0 {
            word.pop();
        }
        return;
    }
    let before = word.strip_suffix("ed").or_else(|| word.strip_suffix("ing")).filter(|before| has_vowel(before));
    let Some(length) = before.map(str::len) else { return };
    word.truncate(length);
    if word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz") {
        word.push('e');
    } else if ends_double(word) && !word.ends_with(['l', 's', 'z']) {
        word.pop();
    } else if measure(word) == 1 && ends_short(word) {
        word.push('e');
    }
}

/// Steps 2 and 3: the longest ending of a list is replaced where the measure of the rest is at least so much.
fn replace(word: &mut String, endings: &[(&str, &str)], least: usize) {
    let longest = endings.iter().filter(|(ending, _)| word.ends_with(ending)).max_by_key(|(ending, _)| ending.len());
    if let Some(&(ending, instead)) = longest
        && measure(&word[..word.len() - ending.len()]) >= least
    {
        word.truncate(word.len() - ending.len());
        word.push_str(instead);
    }
}

/// Step 4.
fn take_off(word: &mut String) {
    let longest = TAKEN_OFF.iter().filter(|ending| word.ends_with(**ending)).max_by_key(|ending| ending.len());
    let Some(ending) = longest else { return };
    let before = &word[..word.len() - ending.len()];
    if measure(before) > 1 && (*ending != "ion" || before.ends_with(['s', 't'])) {
        word.truncate(before.len());
    }
}

/// Step 5.
fn last(word: &mut String) {
    if let Some(before) = word.strip_suffix('e') {
        let measure = measure(before);
        if measure > 1 || measure == 1 && !ends_short(before) {
            word.pop();
        }
    }
    if word.ends_with("ll") && measure(word) > 1 {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the paper, taken through all steps.
    #[test]
    fn words_of_the_paper() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("generalizations", "gener"),
            ("oscillators", "oscil"),
            ("hopefulness", "hope"),
            ("triplicate", "triplic"),
            ("electrical", "electr"),
            ("adjustment", "adjust"),
            ("adoption", "adopt"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("cease", "ceas"),
            ("controll", "control"),
            ("roll", "roll"),
            ("footballs", "footbal"),
            ("football", "footbal"),
            ("is", "is"),
            ("théâtres", "théâtres"),
            ("mp3s", "mp3s"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }
}
