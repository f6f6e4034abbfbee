//! Addresses of people, in parts or as one line, in the form in which references are searched.
//!
//! # Idea
//! A line is not cut by rules alone: the postcode is a word that the reference knows, or looks like one at the end; the house number
//! is the first number that is left; where the street ends and the suburb begins is not decided here. Every cut is a *reading*, and the
//! reading that the reference answers best is taken ([`super::matching`]). `flat 5`, `5/83` and what follows a number as a letter
//! are understood.
//!
//! Does not   know countries: orders like `postcode suburb street` are read as far as the rule above goes.

use super::number::HouseNumber;
use super::reference::{self, Reference};
use super::similar;
use super::words;

/// Lines with more words are cut off there.
const MOST_WORDS: usize = 16;
/// A last word that is so like a type of street may be one.
const TYPE_LIKE: f64 = 0.66;

/// The name of a street without its type, and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreetName {
    /// The name.
    pub name: String,
    /// The type in full.
    pub kind: Option<&'static str>,
    /// Whether it was understood as it stands: not where a type had to be guessed or was cut off.
    pub is_plain: bool,
}

/// An address in its parts; a part that is missing is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// The number.
    pub number: Option<HouseNumber>,
    /// What the street may be called; the first is as it stands.
    pub streets: Vec<StreetName>,
    /// The suburb.
    pub suburb: String,
    /// The postcode.
    pub postcode: String,
}

impl Address {
    /// An address whose parts are known. A number that stands in front of the street, or behind it, is found there.
    pub fn of_parts(number: &str, street: &str, suburb: &str, postcode: &str) -> Self {
        let mut number = HouseNumber::parse(number);
        let mut street = without_flat(words::words(street));
        if number.is_none() && street.len() > 1 {
            let last = street.len() - 1;
            if let Some(found) = HouseNumber::parse(&street[0]) {
                street.remove(0);
                number = Some(found);
            } else if let Some(found) = HouseNumber::parse(&street[last]) {
                street.pop();
                number = Some(found);
            }
        }
        Self {
            number,
            streets: street_names(&street),
            suburb: words::name(&words::words(suburb)),
            postcode: reference::postcode(postcode),
        }
    }
}

/// What a street may be called.
fn street_names(words: &[String]) -> Vec<StreetName> {
    if words.is_empty() {
        return Vec::new();
    }
    let (name, kind) = words::street(words);
    let mut names = vec![StreetName { name, kind, is_plain: true }];
    if let (None, Some((last, before))) = (kind, words.split_last())
        && !before.is_empty()
    {
        // The last word may be a type with a typing error.
        let kind = words::nearest_type(last).filter(|&(_, similarity)| similarity >= TYPE_LIKE).map(|(kind, _)| kind);
        names.push(StreetName { name: words::name(before), kind, is_plain: false });
    }
    names
}

/// Without `flat 5`, where a number follows it.
fn without_flat(mut words: Vec<String>) -> Vec<String> {
    let starts_with_digit = |word: &String| word.starts_with(|first: char| first.is_ascii_digit());
    if words.len() > 2
        && words::is_flat(&words[0])
        && words[1].chars().any(|character| character.is_ascii_digit())
        && words[2..].iter().any(starts_with_digit)
    {
        words.drain(..2);
    }
    words
}

/// Reads lines with the words of a reference.
#[derive(Debug, Clone, Copy)]
pub struct Parser<'a> {
    reference: &'a Reference,
}

impl<'a> Parser<'a> {
    /// A parser that knows the postcodes of a reference.
    pub fn new(reference: &'a Reference) -> Self {
        Self { reference }
    }

    /// Every way in which a line can be read.
    pub fn readings(&self, line: &str) -> Vec<Address> {
        let mut words = without_flat(words::words(line));
        words.truncate(MOST_WORDS);
        let postcode = self.take_postcode(&mut words);
        let (number, before, behind) = take_number(words);
        let mut readings = Vec::new();
        let mut add = |street: &[String], suburb: &[String]| {
            readings.push(Address {
                number,
                streets: street_names(street),
                suburb: words::name(suburb),
                postcode: postcode.clone(),
            });
        };
        if before.is_empty() {
            (0..=behind.len()).rev().for_each(|end| add(&behind[..end], &behind[end..]));
        } else {
            // A number that stands behind its street.
            add(&before, &behind);
            if behind.is_empty() {
                (1..before.len()).rev().for_each(|end| add(&before[..end], &before[end..]));
            }
        }
        readings
    }

    /// Takes the postcode out of the words: the last that is one, of one word or two; else the last word that looks like one.
    fn take_postcode(&self, words: &mut Vec<String>) -> String {
        let codes = &self.reference.postcodes;
        let is_first_number =
            |words: &[String], at: usize| !words[..at].iter().any(|word| HouseNumber::parse(word).is_some());
        for at in (0..words.len()).rev() {
            if at > 0 {
                let two = format!("{}{}", words[at - 1], words[at]);
                if codes.number(&two).is_some() && !words[at - 1].is_empty() {
                    words.drain(at - 1..=at);
                    return two;
                }
            }
            // The only number of `83 Smith St` is the house's, even where a postcode is called so.
            if codes.number(&words[at]).is_some()
                && (at + 1 == words.len() || !is_first_number(words, at))
                && words.len() > 1
            {
                return words.remove(at);
            }
        }
        let last = words.len().saturating_sub(1);
        let looks_like_one = words.last().is_some_and(|word| {
            word.len() >= 3
                && word.bytes().filter(u8::is_ascii_digit).count() * 2 > word.len()
                && !is_first_number(words, last)
        });
        if looks_like_one { words.remove(last) } else { String::new() }
    }
}

/// The first number, what stands before it and what stands behind. A letter behind a number belongs to it, where a name follows.
fn take_number(mut words: Vec<String>) -> (Option<HouseNumber>, Vec<String>, Vec<String>) {
    let found = words.iter().enumerate().find_map(|(at, word)| Some((at, HouseNumber::parse(word)?)));
    let Some((at, mut number)) = found else { return (None, Vec::new(), words) };
    let mut behind = words.split_off(at);
    behind.remove(0);
    if number.letter.is_none() && behind.len() > 1 && matches!(behind[0].as_str(), "a" | "b" | "c" | "d" | "f") {
        number.letter = behind.remove(0).chars().next();
    }
    (Some(number), words, behind)
}

/// How alike two streets are: by their names, and by their types.
pub(super) fn street_similarity(asked: &StreetName, name: f64, kind: Option<&'static str>) -> f64 {
    const OF_KIND: f64 = 0.25;
    let of_kind = match (asked.kind, kind) {
        (asked, kind) if asked == kind => 1.0,
        (Some(_), Some(_)) => 0.0,
        _ => 0.6,
    };
    let guessed = if asked.is_plain { 1.0 } else { 0.98 };
    ((1.0 - OF_KIND) * name + OF_KIND * of_kind) * guessed
}

/// How alike two names of suburbs are, those that are too unlike not at all.
pub(super) fn suburb_similarity(left: &str, right: &str) -> f64 {
    const LEAST: f64 = 0.6;
    let similarity = similar::similarity(left, right);
    if similarity >= LEAST { similarity } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geocode::reference::{ReferenceBuilder, Written};

    fn reference() -> Reference {
        let mut builder = ReferenceBuilder::default();
        for (postcode, along) in [("6012", 0.0), ("AB1 2CD", 0.01)] {
            let written =
                Written { street: "Smith Street".into(), suburb: "Mount Albert".into(), postcode: postcode.into() };
            builder.property("1", HouseNumber::plain(83), &written, (48.0, along)).unwrap();
        }
        builder.finish(0.0, None).unwrap()
    }

    fn has(line: &str, number: &str, street: (&str, Option<&str>), suburb: &str, postcode: &str) -> bool {
        let reference = reference();
        Parser::new(&reference).readings(line).iter().any(|address| {
            address.number.map(|number| number.to_string()).unwrap_or_default() == number
                && address.streets.iter().any(|name| (name.name.as_str(), name.kind) == street)
                && address.suburb == suburb
                && address.postcode == postcode
        })
    }

    #[test]
    fn lines_are_read_in_every_way() {
        assert!(has("83 Smith St, Mt Albert 6012", "83", ("smith", Some("street")), "mount albert", "6012"));
        assert!(has("83A Smith St Mt. Albert", "83a", ("smith", Some("street")), "mount albert", ""));
        assert!(has("83 a smith st mt albert 6012", "83a", ("smith", Some("street")), "mount albert", "6012"));
        assert!(has("Flat 5, 83 Smith St, Mt Albert, 6012", "83", ("smith", Some("street")), "mount albert", "6012"));
        assert!(has("5/83 Smith St AB1 2CD", "83", ("smith", Some("street")), "", "ab12cd"));
        assert!(has("Smith St 83, Mt Albert", "83", ("smith", Some("street")), "mount albert", ""));
        assert!(
            has("Smith St Mt Albert 6013", "6013", ("smith", Some("street")), "", "")
                || has("Smith St Mt Albert", "", ("smith", Some("street")), "mount albert", "")
        );
        assert!(has("83 Smith St Mt Albert 6021", "83", ("smith", Some("street")), "mount albert", "6021"));
        assert!(has("83 Smith Stret", "83", ("smith", Some("street")), "", ""));
        assert!(has("83 Smith Stxet", "83", ("smith", Some("street")), "", ""));
        // The only number is the house's.
        assert!(has("6012 Smith Street", "6012", ("smith", Some("street")), "", ""));
    }

    #[test]
    fn nothing_is_no_address() {
        let reference = reference();
        for line in ["", "   ", ",,,", "6012"] {
            for address in Parser::new(&reference).readings(line) {
                assert!(address.suburb.is_empty());
            }
        }
        assert_eq!(Address::of_parts("", "", "", ""), Address::default());
        assert_eq!(Address::of_parts("", "83 Smith St", "", "").number, Some(HouseNumber::plain(83)));
    }
}
