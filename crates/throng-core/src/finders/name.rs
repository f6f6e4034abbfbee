//! Names of people: a first and a last name side by side, from lists.
//!
//! Paper      United States census of 1990: first and last names with how many people have them.
//! Does not   find most names. The lists are one country's: of labelled names of many countries they find a fifth. So names are
//!            reported, not masked, unless somebody asks for it.
//!
//! # Idea
//! 1. A first name, perhaps an initial, and a last name, with a blank or a mark of a file name between; or `Last, First`.
//! 2. Both are commoner as names than as English words: the share of people with the name is above the share of the word among the
//!    words of texts. `May White` is none.
//!
//! # File
//! The first line is `throng-names 1`. Then a line for each name: `f` or `l`, the name in lower case, of 100,000 people how many
//! have it (of first names, of both sexes together), and of 100,000 words of English texts how many it is, rounded up.
//!
//! # Cost
//! About 0.6 MB in memory. A look at a word is one in a table of three letters and a length; few words need a second.

use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashSet;

use super::look::Look;
use super::{Finder, Scrub};
use crate::error::{Error, Result};
use crate::info::Info;

pub(super) static FINDER: Finder = Finder {
    info: Info {
        name: "name",
        summary: "names of people: a first and a last name of the United States census side by side",
        paper: "United States census of 1990, frequently occurring names (public domain).",
        details: "A first name, perhaps an initial, and a last name beside each other, or Last, First; both commoner as names than as \
                  English words. Lists of names fail: of labelled names of many countries these find about a fifth, and some \
                  of what they find is none. What protects names is that a text is published only if several persons share it.",
        parameters: &[],
    },
    usual: Scrub::Report,
    even_if_shared: false,
    may_have: |shape| shape.may_have_names(),
    find,
};

const HEADER: &str = "throng-names 1";
/// The longest name of the lists.
const LONGEST: usize = 15;

/// First and last names that are commoner as names than as words.
#[derive(Debug, Default)]
pub struct Names {
    first: List,
    last: List,
}

/// Names as numbers of sixteen bytes.
#[derive(Debug, Default)]
struct List {
    names: HashSet<u128, FixedState>,
    /// For every three letters the lengths of the names that begin with them, a bit each.
    beginnings: Vec<u16>,
}

impl Names {
    /// No names: nobody is found.
    pub fn none() -> Self {
        Self::default()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.names.is_empty()
    }

    /// How many first and how many last names there are.
    pub fn count(&self) -> (usize, usize) {
        (self.first.names.len(), self.last.names.len())
    }

    /// Reads lists of names; those that are commoner as words are left out.
    pub fn read(text: &str) -> Result<Self> {
        let wrong = |line: u64| Error::data("the lists of names are damaged").at_line(line);
        let mut lines = (1u64..).zip(text.lines());
        if lines.next().is_none_or(|(_, header)| header != HEADER) {
            return Err(wrong(1));
        }
        let mut names = Self { first: List::new(), last: List::new() };
        for (number, line) in lines {
            let mut parts = line.split(' ');
            let (Some(sort), Some(name), Some(people), Some(words), None) =
                (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
            else {
                return Err(wrong(number));
            };
            let list = match sort {
                "f" => &mut names.first,
                "l" => &mut names.last,
                _ => return Err(wrong(number)),
            };
            let (Ok(people), Ok(words)) = (people.parse::<u32>(), words.parse::<u32>()) else {
                return Err(wrong(number));
            };
            let is_name = (2..=LONGEST).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_lowercase());
            if !is_name {
                return Err(wrong(number));
            }
            if people > words {
                list.add(name.as_bytes());
            }
        }
        Ok(names)
    }
}

impl List {
    fn new() -> Self {
        Self { names: HashSet::default(), beginnings: vec![0; 27 * 27 * 27] }
    }

    fn add(&mut self, name: &[u8]) {
        self.names.insert(packed(name));
        self.beginnings[beginning(name)] |= 1 << name.len();
    }

    /// Whether a word of letters alone is a name.
    #[inline]
    fn has(&self, word: &[u8]) -> bool {
        (2..=LONGEST).contains(&word.len())
            && self.beginnings[beginning(word)] >> word.len() & 1 == 1
            && self.names.contains(&packed(word))
    }
}

/// The first three letters as a number.
#[inline]
fn beginning(word: &[u8]) -> usize {
    let letter = |at: usize| usize::from(word.get(at).map_or(0, |byte| byte & 31).min(26));
    (letter(0) * 27 + letter(1)) * 27 + letter(2)
}

/// A word in lower case as a number.
#[inline]
fn packed(word: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[..word.len()].copy_from_slice(word);
    u128::from_le_bytes(bytes.map(|byte| byte | if byte == 0 { 0 } else { 0x20 }))
}

fn find(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    let (bytes, mut from) = (look.bytes(), 0);
    while let Some(place) = next(bytes, from, look.names) {
        from = place.end;
        places.push(place);
    }
}

/// Where the first name begins in a text of nothing but words, if there is one: quick where there is none.
#[inline]
pub(super) fn first(text: &str, shape: &super::Shape, names: &Names) -> Option<usize> {
    let bytes = text.as_bytes();
    let Some(mut letters) = shape.letters() else { return next(bytes, 0, names).map(|place| place.start) };
    // Word by word: the letters are bits, and words runs of them. A first name has a last one behind it, and a last name that comes first a
    // comma: most words are looked up once.
    while letters != 0 {
        let start = letters.trailing_zeros();
        let end = start + (letters >> start).trailing_ones();
        let word = start as usize..end as usize;
        if names.first.has(&bytes[word.clone()]) && last_name(bytes, &word, names).is_some() {
            return Some(word.start);
        }
        if bytes[word.end..].starts_with(b", ")
            && names.last.has(&bytes[word.clone()])
            && let Some(place) = next(bytes, word.start, names)
        {
            return Some(place.start);
        }
        letters = if end >= 64 { 0 } else { letters >> end << end };
    }
    None
}

/// The next name from a place on.
fn next(bytes: &[u8], from: usize, names: &Names) -> Option<Range<usize>> {
    let mut word = word_from(bytes, from)?;
    loop {
        let following = word_from(bytes, word.end);
        if names.first.has(&bytes[word.clone()])
            && let Some(last) = last_name(bytes, &word, names)
        {
            return Some(word.start..last);
        }
        let following = following?;
        // `Last, First`.
        if bytes[word.end..following.start] == *b", "
            && names.last.has(&bytes[word.clone()])
            && names.first.has(&bytes[following.clone()])
        {
            return Some(word.start..following.end);
        }
        word = following;
    }
}

/// Where a last name ends that comes after a first one.
fn last_name(bytes: &[u8], first: &Range<usize>, names: &Names) -> Option<usize> {
    let second = word_from(bytes, first.end)?;
    if !is_gap(&bytes[first.end..second.start]) {
        return None;
    }
    if second.len() == 1 {
        let third = word_from(bytes, second.end)?;
        let gap = &bytes[second.end..third.start];
        let is_next = is_gap(gap.strip_prefix(b".").filter(|rest| !rest.is_empty()).unwrap_or(gap));
        return (is_next && names.last.has(&bytes[third.clone()])).then_some(third.end);
    }
    names.last.has(&bytes[second.clone()]).then_some(second.end)
}

fn is_gap(gap: &[u8]) -> bool {
    matches!(gap, b" " | b"+" | b"-" | b"_" | b"." | b"  ")
}

/// The next run of letters that is a word of its own: no digit, and no letter beyond ASCII, touches it.
fn word_from(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 128;
    let mut at = from;
    loop {
        while at < bytes.len() && !is_inside(bytes[at]) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && is_inside(bytes[at]) {
            at += 1;
        }
        if start == at {
            return None;
        }
        if bytes[start..at].iter().all(u8::is_ascii_alphabetic) {
            return Some(start..at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finders::tests::{assert_finds, assert_none};

    #[test]
    fn names() {
        assert_finds(
            "name",
            &[
                ("who is mary smith", "mary smith"),
                ("JOHN Q. SMITH", "JOHN Q. SMITH"),
                ("/people/john-jones.html", "john-jones"),
                ("Jones, Mary", "Jones, Mary"),
                ("mary  smith", "mary  smith"),
                ("12 mary smith 4 a very long line that goes on and on and on, longer than any word", "mary smith"),
                ("a very long line that goes on and on and on, longer than sixty four bytes: mary smith", "mary smith"),
            ],
        );
        assert_none(
            "name",
            &["mary", "smith mary", "may white", "mary xsmith", "mary smith2", "mary, smith", "mary \u{e9}smith"],
        );
    }

    #[test]
    fn damaged_lists_are_errors() {
        for text in [
            "",
            "throng-names 2\n",
            "throng-names 1\nf mary\n",
            "throng-names 1\nx mary 1 0\n",
            "throng-names 1\nf Mary 1 0\n",
        ] {
            assert!(Names::read(text).is_err(), "{text}");
        }
        assert_eq!(Names::read("throng-names 1\nf mary 5 5\nl smith 5 4\n").unwrap().count(), (0, 1));
    }
}
