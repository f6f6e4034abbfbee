//! Addresses of houses: a number and a street.
//!
//! Paper      Ours, after how addresses are written in English, French, Spanish, Italian, Portuguese, German and Dutch.
//!
//! # Idea
//! 1. A number, one to four words, and a word for a street: `12 north main st`. Or a number, a word for a street that comes first,
//!    and one or two words: `12 rue de la paix`. Or a word that ends like a German or Dutch street, and a number.
//! 2. A post office box.
//!
//! # Cost
//! At most 80 bytes around each number.

use std::ops::Range;

use super::look::{Look, class, is_word};
use super::{Finder, Scrub};
use crate::info::Info;

pub(super) static FINDER: Finder = Finder {
    info: Info {
        name: "street",
        summary: "addresses of houses: a number and a street, or a post office box",
        paper: "Ours, after how addresses are written.",
        details: "A number, one to four words and a word for a street (12 north main st); a number, a word for a street that comes \
                  first and what it is called (12 rue de la paix); a word that ends like a German or Dutch street, and a number; \
                  a post office box. Not precise: \"7 days drive\" is found, a farm without a street is not.",
        parameters: &[],
    },
    usual: Scrub::Report,
    even_if_shared: false,
    may_have: |shape| shape.has_digits(1) && shape.has(class::LETTER),
    find,
};

/// Words for a street that come last.
const LAST: [&str; 44] = [
    "street",
    "st",
    "avenue",
    "ave",
    "av",
    "road",
    "rd",
    "boulevard",
    "blvd",
    "lane",
    "ln",
    "drive",
    "dr",
    "court",
    "ct",
    "place",
    "pl",
    "square",
    "sq",
    "terrace",
    "ter",
    "way",
    "parkway",
    "pkwy",
    "circle",
    "cir",
    "highway",
    "hwy",
    "trail",
    "trl",
    "plaza",
    "crescent",
    "close",
    "mews",
    "grove",
    "row",
    "alley",
    "turnpike",
    "pike",
    "loop",
    "ridge",
    "crossing",
    "expressway",
    "gardens",
];

/// Words for a street that come first.
const FIRST: [&str; 14] = [
    "rue",
    "avenue",
    "av",
    "boulevard",
    "bd",
    "chemin",
    "impasse",
    "calle",
    "paseo",
    "via",
    "viale",
    "rua",
    "avenida",
    "piazza",
];

/// How streets of one word end.
const ENDINGS: [&str; 9] = ["strasse", "stra\u{df}e", "str", "weg", "gasse", "allee", "platz", "straat", "laan"];

/// Words that are no part of a street, whatever comes after them.
const NEVER: [&str; 12] =
    ["day", "days", "hour", "hours", "minute", "minutes", "mile", "miles", "km", "percent", "to", "and"];

fn find(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    for (at, group) in look.groups.iter().enumerate() {
        if group.len() > 6 || look.is_inside_word(group.start) || matches!(look.before(group.start), b'.' | b'$' | b',')
        {
            continue;
        }
        if let Some(end) = after(look, group.end) {
            places.push(group.start..end);
        } else if let Some(start) = before(look, group.start)
            && !is_word(look.at(group.end))
            && places.last().is_none_or(|place| place.end <= start)
        {
            places.push(start..look.groups[at].end);
        }
    }
}

/// The words from a place on, with their places: at most so many, of letters and digits, with blanks, commas or dots between.
fn words(look: &Look<'_>, from: usize, most: usize) -> Vec<(String, usize)> {
    const FAR: usize = 80;
    let (mut at, mut found) = (from, Vec::new());
    let last = (from + FAR).min(look.text.len());
    while found.len() < most {
        let gap = at;
        while at < last && matches!(look.at(at), b' ' | b'+' | b'.' | b'_' | b'\'' | b'-') {
            at += 1;
        }
        let start = at;
        while at < last && is_word(look.at(at)) && look.at(at) != b'_' {
            at += 1;
        }
        if start == at || at - gap > 40 || start - gap > 2 || (found.is_empty() && start == gap) {
            break;
        }
        // A text that is cut in the middle of a character has no more words.
        let Some(word) = look.text.get(start..at) else { break };
        found.push((word.to_lowercase(), at));
    }
    found
}

/// Where an address that begins with a number ends.
fn after(look: &Look<'_>, end: usize) -> Option<usize> {
    // A letter may belong to the number: 12b.
    let from = if look.at(end).is_ascii_alphabetic() && !is_word(look.at(end + 1)) { end + 1 } else { end };
    let words = words(look, from, 5);
    let is_name = |word: &str| word.chars().next().is_some_and(char::is_alphabetic) || is_ordinal(word);
    let (first, _) = words.first()?;
    if FIRST.contains(&first.as_str()) && words.len() > 1 {
        let named = words[1..].iter().take_while(|(word, _)| is_name(word)).take(4);
        let small = |word: &str| {
            matches!(
                word,
                "de" | "del" | "della" | "di" | "da" | "do" | "dos" | "la" | "le" | "les" | "des" | "du" | "l"
            )
        };
        let mut last = None;
        for (word, end) in named {
            last = Some(*end);
            if !small(word) {
                break;
            }
        }
        return last;
    }
    let street = words.iter().take_while(|(word, _)| is_name(word)).position(|(word, _)| LAST.contains(&word.as_str()));
    // One to four words are its name.
    let at = street.filter(|&at| at > 0)?;
    (!words[..at].iter().any(|(word, _)| NEVER.contains(&word.as_str()))).then_some(words[at].1)
}

/// `5th`, `42nd`.
fn is_ordinal(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && matches!(&word[digits..], "st" | "nd" | "rd" | "th")
}

/// Where an address begins that ends with a number.
fn before(look: &Look<'_>, start: usize) -> Option<usize> {
    let text = look.text[..start].strip_suffix([' ', '+', '.', '#'])?;
    let text = text.trim_end_matches(['.', ' ']);
    let length = text.bytes().rev().take(60).take_while(|&byte| is_word(byte)).count();
    let begin = text.ceil_char_boundary(text.len() - length);
    let word = text[begin..].to_lowercase();
    if word == "box" {
        let rest = text[..begin].trim_end_matches([' ', '+']);
        let lower = look.lower_before(rest.len(), 12);
        let office = ["p.o.", "po", "p.o", "post office"].iter().find(|office| lower.ends_with(**office))?;
        let begins = rest.len() - office.len();
        return (!look.is_inside_word(begins)).then_some(begins);
    }
    let is_street = |ending: &str| word.len() > ending.len() + 2 && word.ends_with(ending);
    ENDINGS.iter().any(|ending| is_street(ending)).then_some(begin)
}

#[cfg(test)]
mod tests {
    use crate::finders::tests::{assert_finds, assert_none};

    #[test]
    fn houses() {
        assert_finds(
            "street",
            &[
                ("home at 12 north main st springfield", "12 north main st"),
                ("1600 Pennsylvania Ave NW", "1600 Pennsylvania Ave"),
                ("350 5th avenue", "350 5th avenue"),
                ("221b baker street", "221b baker street"),
                ("12 rue de la paix paris", "12 rue de la paix"),
                ("hauptstra\u{df}e 12", "hauptstra\u{df}e 12"),
                ("Lindenweg 7, Berlin", "Lindenweg 7"),
                ("PO Box 123", "PO Box 123"),
                ("q=12+oak+road", "12+oak+road"),
            ],
        );
        assert_none(
            "street",
            &[
                "main street",
                "12 main",
                "7 days drive",
                "street 12",
                "2 street",
                "$12 main st",
                "one way street 2 b",
                "weg 2",
                // The sixtieth byte before the number is inside a character (found by fuzzing).
                &format!("{} 2", "\u{20ac}".repeat(30) + "aa"),
            ],
        );
    }
}
