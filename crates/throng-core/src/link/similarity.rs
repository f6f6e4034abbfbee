//! How alike two values are, from 0 to 1: the comparisons of record linkage under one name each.
//!
//! Papers     Jaro. Advances in record-linkage methodology. JASA 84, 1989. Winkler. String Comparator Metrics. ASA 1990.
//!            Christen. Data Matching. Springer 2012, chapter 5.
//! Cost       Jaro, Jaro-Winkler and edit distance linear in practice (bit-parallel), Dice linear in the bigrams.
//! Does not   know what a value means: a name that somebody changed at a marriage is a different text.

use serde::{Deserialize, Serialize};

use super::phonetic::{nysiis, soundex};
use crate::error::{Error, Result};

/// How two values of a field are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// Equal or not.
    Exact,
    /// Jaro.
    Jaro,
    /// Jaro with Winkler's bonus for an equal beginning.
    JaroWinkler,
    /// One minus the edit distance by the longer length.
    Edit,
    /// Dice of the bigrams, with a blank before and behind.
    Dice,
    /// Dates as `2001-02-28`: day and month exchanged, one digit, two parts of three.
    Date,
    /// Numbers: one minus their difference by the larger of them.
    Number,
    /// Equal Soundex codes.
    Soundex,
    /// Equal NYSIIS codes.
    Nysiis,
}

impl Comparison {
    /// All of them with their names.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("exact", Self::Exact),
        ("jaro", Self::Jaro),
        ("jaro-winkler", Self::JaroWinkler),
        ("edit", Self::Edit),
        ("dice", Self::Dice),
        ("date", Self::Date),
        ("number", Self::Number),
        ("soundex", Self::Soundex),
        ("nysiis", Self::Nysiis),
    ];

    /// The comparison of that name.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, comparison)| comparison)
            .ok_or_else(|| Error::unknown("comparison", name, Self::ALL.iter().map(|&(name, _)| name)))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, comparison)| *comparison == self).map_or("", |&(name, _)| name)
    }

    /// How alike two values are, from 0 to 1; 1 for equal ones, and 0 if either is empty.
    pub fn of(self, one: &str, other: &str) -> f64 {
        if one.is_empty() || other.is_empty() {
            return 0.0;
        }
        if one == other {
            return 1.0;
        }
        match self {
            Self::Exact => 0.0,
            Self::Jaro if one.is_ascii() && other.is_ascii() => {
                rapidfuzz::distance::jaro::similarity(one.bytes(), other.bytes())
            }
            Self::Jaro => rapidfuzz::distance::jaro::similarity(one.chars(), other.chars()),
            Self::JaroWinkler if one.is_ascii() && other.is_ascii() => {
                rapidfuzz::distance::jaro_winkler::similarity(one.bytes(), other.bytes())
            }
            Self::JaroWinkler => rapidfuzz::distance::jaro_winkler::similarity(one.chars(), other.chars()),
            Self::Edit => rapidfuzz::distance::levenshtein::normalized_similarity(one.chars(), other.chars()),
            Self::Dice => dice(&bigrams(one), &bigrams(other)),
            Self::Date => date(one, other),
            Self::Number => number(one, other),
            Self::Soundex => f64::from(!soundex(one).is_empty() && soundex(one) == soundex(other)),
            Self::Nysiis => f64::from(!nysiis(one).is_empty() && nysiis(one) == nysiis(other)),
        }
    }

    /// The cut points between levels, the highest first: a pair is on the level of the first one that it reaches. Equal values
    /// are a level above all of them, and one that reaches none is on level 0.
    pub fn cuts(self) -> &'static [f64] {
        match self {
            Self::Exact | Self::Soundex | Self::Nysiis => &[],
            Self::Dice => &[0.85, 0.7, 0.5],
            Self::Number => &[0.99, 0.95, 0.85],
            Self::Jaro | Self::JaroWinkler | Self::Edit | Self::Date => &[0.92, 0.85, 0.7],
        }
    }
}

/// The bigrams of a text with a blank before and behind, sorted, with repeats.
pub fn bigrams(text: &str) -> Vec<(char, char)> {
    let padded: Vec<char> = std::iter::once(' ').chain(text.chars()).chain([' ']).collect();
    let mut grams: Vec<(char, char)> = padded.windows(2).map(|pair| (pair[0], pair[1])).collect();
    grams.sort_unstable();
    grams
}

/// Twice the number of common elements of two sorted lists, by the sum of their lengths.
pub fn dice<T: Ord>(one: &[T], other: &[T]) -> f64 {
    if one.is_empty() && other.is_empty() {
        return 0.0;
    }
    let (mut left, mut right, mut common) = (0, 0, 0u32);
    while left < one.len() && right < other.len() {
        match one[left].cmp(&other[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                left += 1;
                right += 1;
            }
        }
    }
    2.0 * f64::from(common) / (one.len() + other.len()) as f64
}

/// Year, month and day of a date as `2001-02-28` or `20010228`.
pub fn date_parts(text: &str) -> Option<[&str; 3]> {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
    match text.len() {
        10 if text.is_ascii() && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-' => {
            let parts = [&text[..4], &text[5..7], &text[8..]];
            parts.iter().all(|part| is_digits(part)).then_some(parts)
        }
        8 if is_digits(text) => Some([&text[..4], &text[4..6], &text[6..]]),
        _ => None,
    }
}

fn date(one: &str, other: &str) -> f64 {
    let (Some(one), Some(other)) = (date_parts(one), date_parts(other)) else { return 0.0 };
    let differing =
        |left: &str, right: &str| left.bytes().zip(right.bytes()).filter(|(left, right)| left != right).count();
    let digits: usize = (0..3).map(|part| differing(one[part], other[part])).sum();
    let equal = (0..3).filter(|&part| one[part] == other[part]).count();
    if digits == 0 {
        1.0
    } else if digits == 1 || (one[0] == other[0] && one[1] == other[2] && one[2] == other[1]) {
        0.93
    } else if equal == 2 {
        0.86
    } else if one[0] == other[0] {
        0.71
    } else {
        0.0
    }
}

fn number(one: &str, other: &str) -> f64 {
    let (Ok(one), Ok(other)) = (one.parse::<f64>(), other.parse::<f64>()) else { return 0.0 };
    let larger = one.abs().max(other.abs());
    if !larger.is_finite() {
        return 0.0;
    }
    if one == other { 1.0 } else { (1.0 - (one - other).abs() / larger).max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pairs_of_the_literature() {
        let near = |left: f64, right: f64| assert!((left - right).abs() < 5e-5, "{left} {right}");
        near(Comparison::JaroWinkler.of("MARTHA", "MARHTA"), 0.9611);
        near(Comparison::Jaro.of("MARTHA", "MARHTA"), 0.9444);
        near(Comparison::Jaro.of("DIXON", "DICKSONX"), 0.7667);
        near(Comparison::JaroWinkler.of("DIXON", "DICKSONX"), 0.8133);
        near(Comparison::JaroWinkler.of("DWAYNE", "DUANE"), 0.84);
        // Six and eight edits: `kitten` to `sitting` takes three.
        near(Comparison::Edit.of("kitten", "sitting"), 1.0 - 3.0 / 7.0);
        // Bigrams of " night " and " nacht ": " n", "ht" and "t " of six each.
        near(Comparison::Dice.of("night", "nacht"), 0.5);
    }

    #[test]
    fn dates_and_numbers() {
        let date = |one, other| Comparison::Date.of(one, other);
        assert_eq!(date("1970-03-12", "1970-03-12"), 1.0);
        assert_eq!(date("1970-03-12", "1970-12-03"), 0.93);
        assert_eq!(date("1970-03-12", "1970-03-13"), 0.93);
        assert_eq!(date("1970-03-12", "1981-03-12"), 0.86);
        assert_eq!(date("1970-03-12", "1970-05-20"), 0.71);
        assert_eq!(date("1970-03-12", "1981-05-20"), 0.0);
        assert_eq!(Comparison::Number.of("100", "90"), 0.9);
        assert_eq!(Comparison::Number.of("1.0", "1"), 1.0);
    }

    #[test]
    fn every_comparison_is_symmetric_and_between_0_and_1() {
        let values = ["", "a", "ab", "smith", "smyth", "Müller", "1970-01-02", "1970-02-01", "12", "13.5", "-3"];
        for &(name, comparison) in Comparison::ALL {
            for one in values {
                for other in values {
                    let similarity = comparison.of(one, other);
                    assert!((0.0..=1.0).contains(&similarity), "{name} {one} {other}");
                    assert_eq!(similarity, comparison.of(other, one), "{name} {one} {other}");
                }
            }
        }
    }
}
