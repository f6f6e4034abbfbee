//! House numbers: `83` before `83a`, odd and even sides apart.

use std::fmt::{self, Display};

/// The number of a house, with what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HouseNumber {
    /// The number.
    pub value: u32,
    /// The letter behind it, in lower case.
    pub letter: Option<char>,
}

/// Numbers above are no house's.
const HIGHEST: u32 = 99_999;

impl HouseNumber {
    /// A number without a letter.
    pub fn plain(value: u32) -> Self {
        Self { value, letter: None }
    }

    /// Reads `83`, `83a`, `83 A`, `5/83` (flat 5 at 83), `83-85` and `83a-c` (the first); nothing if it is no number.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('#');
        let text = text.rsplit_once('/').map_or(text, |(_, behind)| behind);
        let text = text.split(['-', '–']).next().unwrap_or_default().trim();
        let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
        let value = text[..digits].parse().ok().filter(|&value| value <= HIGHEST)?;
        let mut rest = text[digits..].trim_start().chars();
        match (rest.next(), rest.next()) {
            (None, _) => Some(Self::plain(value)),
            (Some(letter), None) if letter.is_alphabetic() => {
                Some(Self { value, letter: letter.to_lowercase().next() })
            }
            _ => None,
        }
    }

    /// Whether it is on the side of odd numbers.
    pub fn is_odd(self) -> bool {
        self.value % 2 == 1
    }
}

impl Display for HouseNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.value)?;
        self.letter.map_or(Ok(()), |letter| write!(formatter, "{letter}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        let read = |text: &str| HouseNumber::parse(text).map(|number| number.to_string());
        for (text, expected) in [
            ("83", "83"),
            (" 83A ", "83a"),
            ("83 b", "83b"),
            ("5/83", "83"),
            ("83-85", "83"),
            ("#7", "7"),
            ("007", "7"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "a", "83ab", "8x3", "123456", "4294967296"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn plain_numbers_come_first() {
        let mut numbers: Vec<HouseNumber> =
            ["83b", "84", "83", "83a"].iter().filter_map(|text| HouseNumber::parse(text)).collect();
        numbers.sort_unstable();
        assert_eq!(numbers.iter().map(ToString::to_string).collect::<Vec<_>>(), ["83", "83a", "83b", "84"]);
    }
}
