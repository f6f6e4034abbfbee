//! Values as tokens: checked against the format, brought into one form, and cut.

use num_bigint::BigInt;

use super::schema::{Case, Cut, Encoding, Format, Hashing, rounded};

/// Why a value cannot be encoded, in words that do not hold it.
pub type Wrong = &'static str;

impl Hashing {
    /// The tokens of a value, in their order, with repeats. A missing value is replaced first; what is empty has none.
    pub fn tokens(&self, value: &str) -> Result<Vec<String>, Wrong> {
        let plain = self.plain(value)?;
        let tokens = self.cut.tokens(&plain)?;
        if self.encoding == Encoding::Ascii && !plain.is_ascii() {
            return Err("has characters that are not ASCII");
        }
        Ok(tokens)
    }

    /// The form in which a value is hashed.
    pub fn plain(&self, value: &str) -> Result<String, Wrong> {
        if let Some((sentinel, with)) = &self.missing
            && sentinel == value
        {
            return Ok(with.clone());
        }
        if self.encoding == Encoding::Ascii && !value.is_ascii() {
            return Err("has characters that are not ASCII");
        }
        let is = |holds: bool, wrong: Wrong| if holds { Ok(()) } else { Err(wrong) };
        match &self.format {
            Format::Text { case, least, most } => {
                let length = value.chars().count();
                is(least.is_none_or(|least| length >= least), "is shorter than the schema allows")?;
                is(most.is_none_or(|most| length <= most), "is longer than the schema allows")?;
                match case {
                    Some(Case::Upper) => is(value.to_uppercase() == value, "is not in upper case")?,
                    Some(Case::Lower) => is(value.to_lowercase() == value, "is not in lower case")?,
                    None => {}
                }
                Ok(value.to_owned())
            }
            Format::Pattern(pattern) => {
                is(pattern.is_match(value), "does not fit the schema's pattern").map(|()| value.to_owned())
            }
            Format::Integer { least, most } => {
                let number = integer(value).ok_or("is no whole number")?;
                is(least.as_ref().is_none_or(|least| number >= *least), "is below the schema's minimum")?;
                is(most.as_ref().is_none_or(|most| number <= *most), "is above the schema's maximum")?;
                Ok(number.to_string())
            }
            Format::Date(pattern) => pattern.plain(value).ok_or("is no date in the schema's form"),
            Format::OneOf(values) => {
                is(values.iter().any(|one| one == value), "is none of the schema's values").map(|()| value.to_owned())
            }
        }
    }
}

impl Cut {
    fn tokens(&self, word: &str) -> Result<Vec<String>, Wrong> {
        if word.is_empty() {
            return Ok(Vec::new());
        }
        match self {
            Self::Whole => Ok(vec![word.to_owned()]),
            Self::Ngrams { n, positional } => {
                let blanks = std::iter::repeat_n(' ', n.saturating_sub(1));
                let letters: Vec<char> = blanks.clone().chain(word.chars()).chain(blanks).collect();
                let gram = |at: usize| letters[at..at + n].iter().collect::<String>();
                let places = 0..(letters.len() + 1).saturating_sub(*n);
                Ok(match positional {
                    true => places.map(|at| format!("{} {}", at + 1, gram(at))).collect(),
                    false => places.map(gram).collect(),
                })
            }
            Self::Numbers { distance, resolution, precision } => {
                let number = match integer(word) {
                    Some(whole) => whole * BigInt::from(10).pow(*precision),
                    None => {
                        let number = decimal(word).ok_or("is no number")?;
                        let number = if *precision > 0 { number } else { number.trunc() };
                        rounded(number, *precision).ok_or("is too large a number")?
                    }
                };
                let number = number * 2 * resolution;
                // As Python's %: never negative.
                let rest = ((&number % distance) + distance) % distance;
                let middle = if &rest * 2 < *distance { number - rest } else { number - rest + distance };
                let token = |step: i64| -> BigInt { &middle + distance * step };
                Ok((-resolution..=*resolution).map(|step| token(step).to_string()).collect())
            }
        }
    }
}

/// A whole number as Python reads one: blanks around, a sign, underscores between digits.
fn integer(text: &str) -> Option<BigInt> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_fine = digits.split('_').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let number: BigInt = is_fine.then(|| digits.replace('_', "").parse().ok())??;
    Some(if text.starts_with('-') { -number } else { number })
}

/// A number as Python reads one.
fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        if byte == b'_' && !(is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))) {
            return None;
        }
    }
    text.replace('_', "").parse().ok().filter(|number: &f64| number.is_finite())
}

impl Encoding {
    /// The bytes of a token.
    pub(super) fn bytes(self, token: &str) -> Vec<u8> {
        match self {
            Self::Ascii | Self::Utf8 => token.as_bytes().to_vec(),
            Self::Utf16 => [0xfeff].into_iter().chain(token.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
            Self::Utf32 => {
                [0xfeff].into_iter().chain(token.chars().map(u32::from)).flat_map(u32::to_le_bytes).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(distance: i32, resolution: i64, precision: u32) -> Cut {
        Cut::Numbers { distance: BigInt::from(distance), resolution, precision }
    }

    #[test]
    fn values_become_clkhashs_tokens() {
        let bigrams = Cut::Ngrams { n: 2, positional: false };
        assert_eq!(bigrams.tokens("ann").unwrap(), [" a", "an", "nn", "n "]);
        let positional = Cut::Ngrams { n: 2, positional: true };
        assert_eq!(positional.tokens("né").unwrap(), ["1  n", "2 né", "3 é "]);
        assert_eq!(Cut::Ngrams { n: 1, positional: false }.tokens("ab").unwrap(), ["a", "b"]);
        assert_eq!(Cut::Ngrams { n: 0, positional: false }.tokens("ab").unwrap(), ["", "", ""]);
        assert_eq!(Cut::Whole.tokens("ab c").unwrap(), ["ab c"]);
        assert!(Cut::Whole.tokens("").unwrap().is_empty());
        // The example of clkhash's own documentation: 25 with distance 8 and resolution 2.
        assert_eq!(numbers(8, 2, 0).tokens("25").unwrap(), ["88", "96", "104", "112", "120"]);
        assert_eq!(numbers(10, 1, 0).tokens("-3").unwrap(), ["-20", "-10", "0"]);
        assert_eq!(numbers(5, 1, 1).tokens("0.25").unwrap(), ["0", "5", "10"]);
        assert_eq!(numbers(8, 2, 0).tokens("x"), Err("is no number"));
        assert_eq!(numbers(8, 2, 0).tokens("inf"), Err("is no number"));
    }

    #[test]
    fn numbers_are_read_as_python_reads_them() {
        for (text, number) in [(" 007", Some(7)), ("+1_000", Some(1000)), ("-0", Some(0)), ("1__0", None), ("_1", None)]
        {
            assert_eq!(integer(text), number.map(BigInt::from), "{text}");
        }
        assert_eq!(decimal(" 1_0.5e1 "), Some(105.0));
        assert_eq!(decimal("1_.5"), None);
        assert_eq!(Encoding::Utf16.bytes("é"), [0xff, 0xfe, 0xe9, 0]);
        assert_eq!(Encoding::Utf32.bytes("a"), [0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]);
    }
}
