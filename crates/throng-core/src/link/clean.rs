//! Cleaning: values of persons in one form, every change counted.
//!
//! Paper      Christen. Geocode Matching and Privacy Preservation. PinKDD 2008, section 2: cleaning and standardisation.
//!
//! # Idea
//! A column is a name, a whole name, an address, a date, a telephone, a number or any text. All are brought to NFKC, lower case and single
//! blanks; then a name loses its titles and punctuation and becomes the name that its nickname stands for, a date becomes
//! `2001-02-28`, a telephone digits, a number its shortest form; whole names and addresses are cut into parts.
//!
//! Does not   guess an order of day and month that the column does not show: see [`DateOrder`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use crate::error::{Error, Result};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// A given name or a surname.
    Name,
    /// A whole name, to be cut into given name and surname.
    FullName,
    /// An address on one line, to be cut into number, street, suburb and postcode.
    Address,
    /// A date.
    Date,
    /// A telephone number.
    Phone,
    /// A number.
    Number,
    /// Anything else.
    Text,
    /// Left as it is.
    Id,
}

impl Holds {
    /// All with their names.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("name", Self::Name),
        ("full-name", Self::FullName),
        ("address", Self::Address),
        ("date", Self::Date),
        ("phone", Self::Phone),
        ("number", Self::Number),
        ("text", Self::Text),
        ("id", Self::Id),
    ];

    /// The one of that name.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, holds)| holds)
            .ok_or_else(|| Error::unknown("form of a column", name, Self::ALL.iter().map(|&(name, _)| name)))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, holds)| *holds == self).map_or("", |&(name, _)| name)
    }

    /// What a column probably holds, by its name.
    pub fn guess(column: &str, values: &[&str]) -> Self {
        let plain: String =
            column.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let dates =
            values.iter().filter(|value| DateOrder::all().iter().any(|&order| date(value, order).is_some())).count();
        match plain.as_str() {
            "id" | "recid" | "uniqueid" | "recordid" => Self::Id,
            "name" | "fullname" => Self::FullName,
            "address" | "addr" => Self::Address,
            _ if plain.contains("phone") || plain.contains("mobile") || plain == "tel" || plain == "fax" => Self::Phone,
            _ if plain.ends_with("name") || plain == "given" || plain == "first" || plain == "last" => Self::Name,
            _ if !values.is_empty() && dates * 2 > values.len() => Self::Date,
            _ => Self::Text,
        }
    }

    /// The endings of the columns that it is cut into; none if it stays one.
    pub fn parts(self) -> &'static [&'static str] {
        match self {
            Self::FullName => &["given_name", "surname"],
            Self::Address => &["number", "street", "suburb", "postcode"],
            _ => &[],
        }
    }
}

/// In which order a date of numbers has its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// 2001-02-28.
    Year,
    /// 28.02.2001.
    Day,
    /// 02/28/2001.
    Month,
}

impl DateOrder {
    /// All of them, the least doubtful first.
    pub fn all() -> [Self; 3] {
        [Self::Year, Self::Day, Self::Month]
    }

    /// The order that reads most values of a column.
    pub fn of(values: &[&str]) -> Self {
        let read = |order: Self| values.iter().filter(|value| date(value, order).is_some()).count();
        let mut best = Self::Year;
        for order in Self::all() {
            if read(order) > read(best) {
                best = order;
            }
        }
        best
    }
}

/// A date in the form `2001-02-28`.
pub fn date(text: &str, order: DateOrder) -> Option<String> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let lower = text.trim().to_lowercase();
    let is_plain = lower.len() == 8 && lower.bytes().all(|digit| digit.is_ascii_digit());
    let pieces: Vec<String> = if is_plain {
        match order {
            DateOrder::Year => vec![lower[..4].to_owned(), lower[4..6].to_owned(), lower[6..].to_owned()],
            _ => vec![lower[..2].to_owned(), lower[2..4].to_owned(), lower[4..].to_owned()],
        }
    } else {
        lower.split(['-', '/', '.', ' ', ',']).filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
    };
    let [first, second, third] = pieces.as_slice() else { return None };
    let month_of =
        |text: &str| MONTHS.iter().position(|month| text.len() >= 3 && text.starts_with(month)).map(|at| at as u32 + 1);
    let number = |text: &str| text.parse::<u32>().ok();
    let (year, month, day) = match (month_of(first), month_of(second), order) {
        (Some(month), _, _) => (third, month, number(second)?),
        (_, Some(month), _) if first.len() == 4 => (first, month, number(third)?),
        (_, Some(month), _) => (third, month, number(first)?),
        (_, _, DateOrder::Year) => (first, number(second)?, number(third)?),
        (_, _, DateOrder::Day) => (third, number(second)?, number(first)?),
        (_, _, DateOrder::Month) => (third, number(first)?, number(second)?),
    };
    if year.len() != 4 {
        return None;
    }
    let year = number(year)?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1000..=2999).contains(&year).then_some(())?;
    (1..=days).contains(&day).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// Tables that can be replaced.
#[derive(Debug, Clone)]
pub struct Tables {
    /// Nickname to name.
    pub nicknames: BTreeMap<String, String>,
    /// Titles that are taken off names.
    pub titles: Vec<String>,
}

impl Default for Tables {
    fn default() -> Self {
        const TITLES: &str = "mr mrs ms miss dr prof professor sir madam herr frau rev hon jr sr";
        let mut nicknames = BTreeMap::new();
        for (name, nickname) in crate::synth::records::NICKNAMES {
            // A nickname of several names stands for the first of them.
            nicknames.entry((*nickname).to_owned()).or_insert_with(|| (*name).to_owned());
        }
        Self { nicknames, titles: TITLES.split(' ').map(str::to_owned).collect() }
    }
}

/// How many values each step changed.
pub type Changes = BTreeMap<&'static str, u64>;

/// A cleaned value: one text, or a text for each part.
pub fn clean(text: &str, holds: Holds, order: DateOrder, tables: &Tables, changes: &mut Changes) -> Vec<String> {
    if holds == Holds::Id {
        return vec![text.to_owned()];
    }
    let mut value = text.to_owned();
    let mut step = |name: &'static str, value: &mut String, next: String| {
        if *value != next {
            *changes.entry(name).or_default() += 1;
            *value = next;
        }
    };
    let next = value.nfkc().collect();
    step("unicode", &mut value, next);
    let next = value.split_whitespace().collect::<Vec<_>>().join(" ");
    step("blanks", &mut value, next);
    let next = value.to_lowercase();
    step("case", &mut value, next);
    match holds {
        Holds::Date => {
            let next = date(&value, order).unwrap_or_else(|| value.clone());
            step("date", &mut value, next);
        }
        Holds::Phone => {
            let international = value.starts_with('+');
            let digits: String = value.chars().filter(char::is_ascii_digit).collect();
            let next = if international && !digits.is_empty() { format!("+{digits}") } else { digits };
            step("phone", &mut value, next);
        }
        Holds::Number => {
            let next = value
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .map_or(value.clone(), |number| number.to_string());
            step("number", &mut value, next);
        }
        Holds::Name | Holds::FullName => {
            // `surname, given name` in the other order.
            if let (Holds::FullName, Some((surname, given))) = (holds, value.clone().split_once(',')) {
                step("order", &mut value, format!("{} {}", given.trim(), surname.trim()));
            }
            let next = unpunctuated(&value, &['\'', '-']);
            step("punctuation", &mut value, next);
            let without = |word: &&str| !tables.titles.iter().any(|title| title == word);
            let next = value.split(' ').filter(without).collect::<Vec<_>>().join(" ");
            if !next.is_empty() {
                step("titles", &mut value, next);
            }
            let known = |word: &str| tables.nicknames.get(word).cloned();
            let first = value.split(' ').next().unwrap_or_default();
            if let Some(name) = known(first) {
                let next = format!("{name}{}", &value[first.len()..]);
                step("nicknames", &mut value, next);
            }
        }
        Holds::Address => {
            let next = unpunctuated(&value, &['\'', '-', '/', ',']);
            step("punctuation", &mut value, next);
        }
        Holds::Text => {
            let next = unpunctuated(&value, &['\'', '-', '/', '@', '.', '+']);
            step("punctuation", &mut value, next);
        }
        Holds::Id => {}
    }
    match holds {
        Holds::FullName => {
            let (given, surname) = value.rsplit_once(' ').unwrap_or(("", value.as_str()));
            vec![given.to_owned(), surname.to_owned()]
        }
        Holds::Address => address_parts(&value),
        _ => vec![value],
    }
}

/// A text without marks other than those that belong into it, with single blanks.
fn unpunctuated(text: &str, kept: &[char]) -> String {
    let plain: String = text
        .chars()
        .map(
            |letter| if letter.is_alphanumeric() || kept.contains(&letter) || is_accent(letter) { letter } else { ' ' },
        )
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_accent(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

/// Number, street, suburb and postcode of `12a high street, newtown 2042`; what is not there is empty.
fn address_parts(text: &str) -> Vec<String> {
    let mut words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let has_digit = |word: &str| word.bytes().any(|letter| letter.is_ascii_digit());
    let number = if words.first().is_some_and(|word| has_digit(word)) { words.remove(0) } else { "" };
    let is_postcode = |word: &&str| (4..=6).contains(&word.len()) && word.bytes().all(|letter| letter.is_ascii_digit());
    let postcode = if words.last().is_some_and(is_postcode) { words.pop().unwrap_or_default() } else { "" };
    let street_words = text
        .split_once(',')
        .map(|(street, _)| street.split(' ').filter(|word| !word.is_empty()).count() - usize::from(!number.is_empty()));
    const SORTS: [&str; 22] = [
        "street", "st", "road", "rd", "avenue", "ave", "lane", "ln", "drive", "dr", "court", "ct", "place", "pl",
        "close", "way", "crescent", "cres", "terrace", "parade", "highway", "square",
    ];
    let by_sort = words.iter().position(|word| SORTS.contains(word)).map(|at| at + 1);
    let cut = street_words.or(by_sort).unwrap_or(words.len()).min(words.len());
    vec![number.to_owned(), words[..cut].join(" "), words[cut..].join(" "), postcode.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str, holds: Holds) -> (Vec<String>, Changes) {
        let mut changes = Changes::new();
        (clean(text, holds, DateOrder::Day, &Tables::default(), &mut changes), changes)
    }

    #[test]
    fn names_lose_titles_and_nicknames() {
        let (value, changes) = cleaned("  Dr.  BOB ", Holds::Name);
        assert_eq!(value, ["robert"]);
        let steps: Vec<&str> = changes.keys().copied().collect();
        assert_eq!(steps, ["blanks", "case", "nicknames", "punctuation", "titles"]);
        assert_eq!(cleaned("O'Brien, Liz", Holds::FullName).0, ["elizabeth", "o'brien"]);
        assert_eq!(cleaned("smith", Holds::Name), (vec!["smith".to_owned()], Changes::new()));
        // A full-width letter is an ordinary one.
        assert_eq!(cleaned("\u{ff33}mith", Holds::Name).0, ["smith"]);
    }

    #[test]
    fn dates_numbers_telephones() {
        assert_eq!(cleaned("28.2.2001", Holds::Date).0, ["2001-02-28"]);
        assert_eq!(cleaned("28 Feb 2001", Holds::Date).0, ["2001-02-28"]);
        assert_eq!(cleaned("30.2.2001", Holds::Date).0, ["30.2.2001"]);
        assert_eq!(cleaned("+61 (2) 9999-1234", Holds::Phone).0, ["+61299991234"]);
        assert_eq!(cleaned("007.50", Holds::Number).0, ["7.5"]);
        assert_eq!(DateOrder::of(&["02/28/2001", "01/02/2003"]), DateOrder::Month);
        assert_eq!(DateOrder::of(&["28/02/2001", "01/02/2003"]), DateOrder::Day);
        assert_eq!(DateOrder::of(&["2001-02-28"]), DateOrder::Year);
    }

    #[test]
    fn addresses_are_cut() {
        assert_eq!(
            cleaned("12A High Street, Newtown 2042", Holds::Address).0,
            ["12a", "high street", "newtown", "2042"]
        );
        assert_eq!(cleaned("12 High Street Newtown", Holds::Address).0, ["12", "high street", "newtown", ""]);
        assert_eq!(cleaned("Newtown", Holds::Address).0, ["", "newtown", "", ""]);
    }
}
