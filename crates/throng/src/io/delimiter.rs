//! What stands between the cells of a line, found out from the first lines of a file.

use std::fmt;

use serde::{Deserialize, Serialize};
use throng_core::{Error, Result};

use super::fields::delimited::each_record;

/// What stands between cells. Written down as the character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Delimiter(u8);

/// What usually stands between cells, with its word. The earlier ones are taken where two would do.
const USUAL: [(Delimiter, &str); 4] = [
    (Delimiter::COMMA, "comma"),
    (Delimiter::TAB, "tab"),
    (Delimiter::SEMICOLON, "semicolon"),
    (Delimiter::PIPE, "pipe"),
];

/// How many lines are looked at.
const LINES: usize = 50;

impl Delimiter {
    /// That of CSV.
    pub const COMMA: Self = Self(b',');
    /// That of TSV.
    pub const TAB: Self = Self(b'\t');
    const SEMICOLON: Self = Self(b';');
    const PIPE: Self = Self(b'|');

    /// Reads a character, or the word for one.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some((delimiter, _)) = USUAL.iter().find(|(_, word)| *word == text) {
            return Ok(*delimiter);
        }
        match text.as_bytes() {
            b"\\t" => Ok(Self::TAB),
            &[byte] if Self::can_be(byte) => Ok(Self(byte)),
            _ => Err(Error::parameter("delimiter", format!("is `{text}`, but must be one character between cells"))
                .with_hint("for example `--delimiter ';'`, `--delimiter tab` or `--delimiter pipe`")),
        }
    }

    fn can_be(byte: u8) -> bool {
        byte == b'\t'
            || (byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'"' | b'\'' | b'\n' | b'\r' | 0))
    }

    /// The byte.
    pub(super) fn byte(self) -> u8 {
        self.0
    }

    /// How a text is called that has it between cells.
    pub fn in_words(self) -> String {
        match USUAL.iter().find(|(usual, _)| *usual == self) {
            Some((_, word)) => format!("{word}-separated"),
            None => format!("separated by `{self}`"),
        }
    }

    /// What a first line `sep=;` says, which Excel understands, and how many bytes it has.
    pub(super) fn of_first_line(text: &[u8]) -> Option<(Self, usize)> {
        let length = memchr::memchr(b'\n', text)?;
        let line = text[..length].trim_ascii_end();
        let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
        // A tab was trimmed away.
        let is_tab = text[..length].trim_ascii_end().eq_ignore_ascii_case(b"sep=") && text[..length].contains(&b'\t');
        match line {
            [s, e, p, b'=', byte] if [*s, *e, *p].eq_ignore_ascii_case(b"sep") && Self::can_be(*byte) => {
                Some((Self(*byte), length + 1))
            }
            _ => is_tab.then_some((Self::TAB, length + 1)),
        }
    }

    /// What stands between the cells of a text that begins so; `None` if nothing usual does.
    ///
    /// It stands in the first line. Where several do, all lines have as many cells by the right one, and the most. Where none
    /// does, as in a first basket of one item, it is the one that most other lines have.
    pub(super) fn sniff(text: &[u8]) -> Option<Self> {
        let mut best: Option<((bool, bool, usize), Self)> = None;
        for (delimiter, _) in USUAL {
            let counts = delimiter.cells_of_lines(text);
            let Some((&first, rest)) = counts.split_first() else { continue };
            let cells = if first > 1 { first } else { rest.iter().filter(|&&count| count > 1).count() };
            let rank = (first > 1, are_even(&counts), cells);
            if cells > 0 && best.is_none_or(|(other, _)| rank > other) {
                best = Some((rank, delimiter));
            }
        }
        best.map(|(_, delimiter)| delimiter)
    }

    /// Whether all lines of a text that begins so have as many cells, several of both.
    pub(super) fn is_even(self, text: &[u8]) -> bool {
        are_even(&self.cells_of_lines(text))
    }

    /// How many cells each of the first lines has.
    fn cells_of_lines(self, text: &[u8]) -> Vec<usize> {
        let mut counts = Vec::new();
        each_record(self, text, |cells, _, _| {
            counts.push(cells.len());
            counts.len() < LINES
        });
        counts
    }
}

fn are_even(counts: &[usize]) -> bool {
    counts.len() > 1 && counts[0] > 1 && counts.iter().all(|count| *count == counts[0])
}

impl TryFrom<String> for Delimiter {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<Delimiter> for String {
    fn from(delimiter: Delimiter) -> Self {
        delimiter.to_string()
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_told_apart() {
        for (text, delimiter) in [
            ("user,query,time\n1,a;b,2024-03-07\n", Some(',')),
            ("user;query;time\n1;a, b;3,5\n", Some(';')),
            ("user|query|time\n1|a, b; c|2024-03-07\n", Some('|')),
            ("user\tquery\ttime\n1\ta, b; c\t2024-03-07\n", Some('\t')),
            ("1;\"a,\n b\";x\n2;c;d\n", Some(';')),
            // Both are in the first line: the one by which all lines have as many cells.
            ("1,a;b,2024\n2,c,2025\n", Some(',')),
            ("1;a,b;2024\n2;c;2025\n", Some(';')),
            ("bread;milk\nbeer;wine;chips\n", Some(';')),
            ("bread\nbeer,wine\n", Some(',')),
            ("bread milk\nbeer\n", None),
            ("", None),
        ] {
            assert_eq!(Delimiter::sniff(text.as_bytes()).map(|found| char::from(found.byte())), delimiter, "{text}");
        }
    }

    #[test]
    fn the_line_of_excel() {
        let found =
            |text: &str| Delimiter::of_first_line(text.as_bytes()).map(|(found, bytes)| (found.to_string(), bytes));
        assert_eq!(found("sep=;\r\nuser;query\n"), Some((";".to_owned(), 7)));
        assert_eq!(found("SEP=|\na|b\n"), Some(("|".to_owned(), 6)));
        assert_eq!(found("\"sep=,\"\na,b\n"), Some((",".to_owned(), 8)));
        assert_eq!(found("sep=\t\na\tb\n"), Some(("\t".to_owned(), 6)));
        assert_eq!(found("sep=;;\n"), None);
        assert_eq!(found("sep;a\n"), None);
    }

    #[test]
    fn delimiters_as_typed() {
        for (text, delimiter) in [(";", ";"), ("tab", "\t"), ("\\t", "\t"), ("pipe", "|"), ("^", "^")] {
            assert_eq!(Delimiter::parse(text).unwrap().to_string(), delimiter);
        }
        for text in ["", "::", "a", "\"", "ä"] {
            assert!(Delimiter::parse(text).is_err(), "{text}");
        }
    }
}
