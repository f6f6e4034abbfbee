//! How a text is looked at: its shape in one pass, its groups of digits, and its characters as they look.

use std::ops::Range;

use super::Names;

/// What a text has in it, from one pass over its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shape {
    seen: u8,
    /// How many ASCII digits.
    pub digits: usize,
    /// Whether 16 bytes follow each other of which none is a blank.
    pub has_long_run: bool,
    /// The letters among the first 64 bytes, a bit each, where somebody looks for names.
    letters: u64,
    length: usize,
    has_names: bool,
}

/// The classes of bytes that shapes tell apart.
pub(super) mod class {
    /// A digit.
    pub(in super::super) const DIGIT: u8 = 1;
    /// `@`.
    pub(in super::super) const AT: u8 = 2;
    /// `%`, or a byte of a character beyond ASCII: what a text looks like is not what it is.
    pub(in super::super) const CODED: u8 = 4;
    /// `.`.
    pub(in super::super) const DOT: u8 = 8;
    /// `:`.
    pub(in super::super) const COLON: u8 = 16;
    /// `=`, which with `:` stands between a parameter and its value.
    pub(in super::super) const EQUALS: u8 = 32;
    /// A letter.
    pub(in super::super) const LETTER: u8 = 64;
    /// A blank.
    pub(in super::super) const BLANK: u8 = 128;
}

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'0'..=b'9' => class::DIGIT,
            b'@' => class::AT,
            b'%' | 128.. => class::CODED,
            b'.' => class::DOT,
            b':' => class::COLON,
            b'=' => class::EQUALS,
            b'a'..=b'z' | b'A'..=b'Z' => class::LETTER,
            0..=b' ' => class::BLANK,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

impl Shape {
    pub(super) fn of(text: &str, with_names: bool) -> Self {
        let mut shape = Self { length: text.len(), has_names: with_names, ..Self::default() };
        let mut solid_before = 0u32;
        for (at, chunk) in text.as_bytes().chunks(64).enumerate() {
            let (mut seen, mut letters, mut blanks, mut digits) = (0u8, 0u64, 0u64, 0usize);
            for (bit, &byte) in chunk.iter().enumerate() {
                let class = CLASSES[usize::from(byte)];
                seen |= class;
                letters |= u64::from(class >> 6 & 1) << bit;
                blanks |= u64::from(class >> 7) << bit;
                digits += usize::from(class & 1);
            }
            shape.seen |= seen;
            shape.digits += digits;
            if at == 0 {
                shape.letters = letters;
            }
            shape.has_long_run |= has_run(blanks, chunk.len() as u32, &mut solid_before);
        }
        shape
    }

    /// A text that may have anything in it.
    pub(super) fn anything(text: &str) -> Self {
        Self { seen: !0, digits: text.len(), has_long_run: true, letters: 0, length: text.len(), has_names: true }
    }

    /// Whether a text has all of some classes of bytes.
    #[inline]
    pub(super) fn has(&self, classes: u8) -> bool {
        self.seen & classes == classes
    }

    /// Whether it has at least so many digits.
    #[inline]
    pub(super) fn has_digits(&self, count: usize) -> bool {
        self.digits >= count
    }

    /// Whether names are looked for in it.
    #[inline]
    pub(super) fn may_have_names(&self) -> bool {
        self.has_names
    }

    /// Whether there is nothing but words and marks that mean nothing to finders.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.seen & (class::DIGIT | class::AT | class::CODED | class::COLON | class::EQUALS) == 0 && !self.has_long_run
    }

    /// Whether what it looks like is not what it is.
    #[inline]
    pub(super) fn must_be_folded(&self) -> bool {
        self.has(class::CODED)
    }

    /// The letters of a text of at most 64 bytes, a bit each.
    #[inline]
    pub(super) fn letters(&self) -> Option<u64> {
        (self.length <= 64 && self.seen != !0).then_some(self.letters)
    }
}

/// How many bytes without a blank are a long run.
const LONG: u32 = 16;

/// Whether 16 bytes follow each other in a chunk, or end in it, of which none is a blank.
#[inline]
fn has_run(blanks: u64, length: u32, before: &mut u32) -> bool {
    let inside = if length == 64 { !blanks } else { !blanks & ((1 << length) - 1) };
    let first = inside.trailing_ones();
    let is_long = *before + first >= LONG;
    let mut runs = inside;
    for shift in [1, 2, 4, 8] {
        runs &= runs >> shift;
    }
    *before = if first == length { *before + first } else { (inside << (64 - length)).leading_ones() };
    is_long || runs != 0
}

/// A text with what was already seen of it.
#[derive(Debug)]
pub struct Look<'a> {
    /// The text.
    pub(super) text: &'a str,
    pub(super) shape: &'a Shape,
    /// Its groups of digits.
    pub(super) groups: &'a [Group],
    /// The names that are known.
    pub(super) names: &'a Names,
}

/// Digits that stand side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Group {
    pub(super) fn len(self) -> usize {
        self.end - self.start
    }
}

/// The groups of digits of a text.
pub(super) fn groups_of(text: &str, groups: &mut Vec<Group>) {
    groups.clear();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_digit() {
            let start = at;
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                at += 1;
            }
            groups.push(Group { start, end: at });
        } else {
            at += 1;
        }
    }
}

impl<'a> Look<'a> {
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The byte before a place; 0 at the beginning.
    pub(super) fn before(&self, at: usize) -> u8 {
        if at == 0 { 0 } else { self.bytes()[at - 1] }
    }

    /// The byte at a place; 0 at the end.
    pub(super) fn at(&self, at: usize) -> u8 {
        self.bytes().get(at).copied().unwrap_or(0)
    }

    /// Whether a word goes on from before this place.
    pub(super) fn is_inside_word(&self, at: usize) -> bool {
        is_word(self.before(at))
    }

    /// The digits of a group as bytes.
    pub(super) fn digits(&self, group: Group) -> &'a [u8] {
        &self.bytes()[group.start..group.end]
    }

    /// What stands between a group and the next one; nothing after the last.
    pub(super) fn gap(&self, at: usize) -> &'a str {
        match self.groups.get(at + 1) {
            Some(next) => &self.text[self.groups[at].end..next.start],
            None => "",
        }
    }

    /// Up to so many bytes before a place, in whole characters, in lower case.
    pub(super) fn lower_before(&self, at: usize, most: usize) -> String {
        let mut start = at.saturating_sub(most);
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        self.text[start..at].to_ascii_lowercase()
    }

    /// Whether what stands shortly before a place has one of some words, as whole words.
    pub(super) fn is_after_word(&self, at: usize, most: usize, words: &[&str]) -> bool {
        let before = self.lower_before(at, most);
        let mut inside = before.split(|letter: char| !letter.is_alphanumeric());
        inside.any(|word| words.contains(&word))
    }
}

/// Whether a byte is part of a word: a letter, a digit, `_`, or part of a character beyond ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128
}

/// The parts of a text of some bytes alone: runs of them, in order.
pub(super) fn runs<'a>(
    bytes: &'a [u8],
    is_inside: impl Fn(u8) -> bool + 'a,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !is_inside(bytes[at]) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && is_inside(bytes[at]) {
            at += 1;
        }
        (start < at).then_some(start..at)
    })
}

/// A text as it looks: percent-encoding undone once, characters that are not seen left out, digits, dashes, blanks and the letters
/// of other widths as plain ones. One that is as it looks has none.
#[derive(Debug)]
pub(super) struct Folded {
    pub(super) text: String,
    /// For each byte, and for the end, the place in the text as it is.
    places: Vec<u32>,
}

impl Folded {
    pub(super) fn of(text: &str) -> Option<Self> {
        if !text.bytes().any(|byte| byte == b'%' || byte >= 128) || u32::try_from(text.len()).is_err() {
            return None;
        }
        let mut folded = Self { text: String::with_capacity(text.len()), places: Vec::with_capacity(text.len() + 1) };
        let mut at = 0;
        while at < text.len() {
            let (letter, length) = match decoded(&text.as_bytes()[at..]) {
                Some(decoded) => decoded,
                None => text[at..].chars().next().map_or(('\u{0}', 1), |letter| (letter, letter.len_utf8())),
            };
            if let Some(plain) = plain(letter) {
                folded.text.push(plain);
                folded.places.resize(folded.text.len(), at as u32);
            }
            at += length;
        }
        folded.places.push(text.len() as u32);
        Some(folded)
    }

    /// Where a place of the folded text is in the text as it is.
    pub(super) fn place(&self, at: usize) -> usize {
        self.places[at] as usize
    }

    /// Where something that ends at a place ends in the text as it is.
    pub(super) fn end(&self, at: usize) -> usize {
        self.place(at)
    }
}

/// The character that a percent-encoded one at the beginning stands for, and how many bytes it takes.
fn decoded(bytes: &[u8]) -> Option<(char, usize)> {
    let byte = |at: usize| -> Option<u8> {
        let [b'%', high, low] = *bytes.get(at..at + 3)? else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        Some((digit(high)? * 16 + digit(low)?) as u8)
    };
    let first = byte(0)?;
    let count = match first {
        0..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let mut encoded = [0; 4];
    for (at, place) in encoded[..count].iter_mut().enumerate() {
        *place = byte(3 * at)?;
    }
    let letter = std::str::from_utf8(&encoded[..count]).ok()?.chars().next()?;
    Some((letter, 3 * count))
}

/// A character as it looks; nothing where it is not seen.
fn plain(letter: char) -> Option<char> {
    let plain = match letter {
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {
            return None;
        }
        '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}' => return None,
        // Letters, digits and marks of full width.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        '\u{2024}' | '\u{3002}' => '.',
        '\u{660}'..='\u{669}' => digit(letter, 0x660),
        '\u{6f0}'..='\u{6f9}' => digit(letter, 0x6f0),
        '\u{966}'..='\u{96f}' => digit(letter, 0x966),
        '\u{1d7ce}'..='\u{1d7ff}' => char::from(b'0' + ((letter as u32 - 0x1d7ce) % 10) as u8),
        other => other,
    };
    Some(plain)
}

fn digit(letter: char, zero: u32) -> char {
    char::from(b'0' + (letter as u32 - zero) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_texts() {
        let shape = |text: &str| Shape::of(text, false);
        assert!(shape("red cars in springfield").is_plain());
        assert!(!shape("springfieldspringfield").is_plain(), "a long run may be a token");
        assert!(!shape("a@b").is_plain() && shape("a@b").has(class::AT));
        assert_eq!(shape("12 34 5").digits, 5);
        for (before, solid) in [(60, 3), (60, 12), (48, 16), (63, 15), (50, 15), (64, 15), (64, 16), (128, 14)] {
            let text = format!("{}{}{}", " ".repeat(before), "x".repeat(solid), " y");
            assert_eq!(shape(&text).has_long_run, solid >= 16, "{before} {solid}");
        }
    }

    #[test]
    fn texts_as_they_look() {
        let folded = |text: &str| Folded::of(text).map(|folded| folded.text);
        assert_eq!(folded("plain"), None);
        assert_eq!(folded("a%40b%2Fc").as_deref(), Some("a@b/c"));
        assert_eq!(folded("100% of %zz %4").as_deref(), Some("100% of %zz %4"));
        assert_eq!(folded("%c3%bc \u{ff11}\u{ff12}\u{2011}\u{663}").as_deref(), Some("\u{fc} 12-3"));
        assert_eq!(folded("ac\u{200b}me").as_deref(), Some("acme"));
        assert_eq!(folded("%ff").as_deref(), Some("%ff"), "no text is left as it is");
        let folded = Folded::of("\u{fc} a%40b").unwrap();
        assert_eq!((folded.place(0), folded.place(3), folded.place(4), folded.place(5)), (0, 3, 4, 7));
    }

    #[test]
    fn groups_of_digits() {
        let mut groups = Vec::new();
        groups_of("a12-3 b 456", &mut groups);
        assert_eq!(groups.iter().map(|group| group.len()).collect::<Vec<_>>(), [2, 1, 3]);
    }
}
