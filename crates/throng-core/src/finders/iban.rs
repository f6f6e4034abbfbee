//! Numbers of bank accounts as IBAN.
//!
//! Paper      ISO 13616: the length of each country, and check digits modulo 97.
//!
//! # Idea
//! 1. Two letters and two digits that begin a word are an anchor; the country says how many letters and digits follow. Single
//!    blanks or dashes may stand between them.
//! 2. The first four moved to the end, letters as 10 to 35, the number is 1 modulo 97.
//!
//! # Cost
//! At most 34 characters from each anchor on.

use std::ops::Range;

use super::look::Look;
use super::{Finder, Scrub};
use crate::info::Info;

pub(super) static FINDER: Finder = Finder {
    info: Info {
        name: "iban",
        summary: "bank accounts as IBAN: the length of the country and right check digits",
        paper: "ISO 13616, with the lengths of its registry and of the countries that use the form without being in it.",
        details: "Two letters, two digits and what the country has, in upper or lower case, together or with single blanks or \
                  dashes; check digits modulo 97. Account numbers in national form are not found. Masked however many persons \
                  have it.",
        parameters: &[],
    },
    usual: Scrub::Mask,
    even_if_shared: true,
    may_have: |shape| shape.has_digits(6),
    find,
};

/// Countries by the length of their numbers.
const LENGTHS: [(usize, &str); 18] = [
    (15, "NO"),
    (16, "BE"),
    (18, "DK FI FK FO GL NL SD"),
    (19, "MK SI"),
    (20, "AT BA EE KZ LT LU MN XK"),
    (21, "CH HR LI LV"),
    (22, "BG BH CR DE GB GE IE ME RS VA"),
    (23, "AE GI IL IQ OM SO TL"),
    (24, "AD CZ ES MD PK RO SA SE SK TN VG"),
    (25, "AO CV GW LY MZ PT ST"),
    (26, "DZ IR IS TR"),
    (27, "BI CF CG CM DJ FR GA GQ GR IT KM MC MG MR SM TD"),
    (28, "AL AZ BF BJ BY CI CY DO GT HN HU LB MA ML NE NI PL SN SV TG"),
    (29, "BR EG PS QA UA"),
    (30, "JO KW MU YE"),
    (31, "MT SC"),
    (32, "LC"),
    (33, "RU"),
];

fn find(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    let mut last = 0;
    for group in look.groups {
        let Some(start) = group.start.checked_sub(2) else { continue };
        let is_anchor = start >= last
            && group.len() >= 2
            && look.bytes()[start..group.start].iter().all(u8::is_ascii_alphabetic)
            && !look.is_inside_word(start);
        if let Some(end) = is_anchor.then(|| end_of(look, start)).flatten() {
            places.push(start..end);
            last = end;
        }
    }
}

/// Where a number that begins here ends.
fn end_of(look: &Look<'_>, start: usize) -> Option<usize> {
    let country = look.text[start..start + 2].to_ascii_uppercase();
    let (length, _) = LENGTHS.iter().find(|(_, countries)| countries.split(' ').any(|other| other == country))?;
    let mut number = Vec::with_capacity(*length);
    let mut at = start;
    while number.len() < *length {
        match look.at(at) {
            byte if byte.is_ascii_alphanumeric() => number.push(byte.to_ascii_uppercase()),
            b' ' | b'-' if look.at(at + 1).is_ascii_alphanumeric() => {}
            _ => return None,
        }
        at += 1;
    }
    let is_end = !super::look::is_word(look.at(at));
    (is_end && number[2..4].iter().all(u8::is_ascii_digit) && remainder(&number) == 1).then_some(at)
}

/// The number modulo 97, its first four characters moved to the end.
fn remainder(number: &[u8]) -> u32 {
    let moved = number[4..].iter().chain(&number[..4]);
    moved.fold(0, |sum, &byte| match byte {
        b'0'..=b'9' => (10 * sum + u32::from(byte - b'0')) % 97,
        letter => (100 * sum + u32::from(letter - b'A') + 10) % 97,
    })
}

#[cfg(test)]
mod tests {
    use crate::finders::tests::{assert_finds, assert_none};

    #[test]
    fn accounts() {
        assert_finds(
            "iban",
            &[
                ("to GB82 WEST 1234 5698 7654 32 please", "GB82 WEST 1234 5698 7654 32"),
                ("gb82west12345698765432", "gb82west12345698765432"),
                ("iban=DE89370400440532013000&a", "DE89370400440532013000"),
                ("DE89-3704-0044-0532-0130-00", "DE89-3704-0044-0532-0130-00"),
                ("NO93 8601 1117 947.", "NO93 8601 1117 947"),
                ("MT84MALT011000012345MTLCAST001S", "MT84MALT011000012345MTLCAST001S"),
                ("FR14 2004 1010 0505 0001 3M02 606", "FR14 2004 1010 0505 0001 3M02 606"),
                (
                    "GB82\u{a0}WEST\u{a0}1234\u{a0}5698\u{a0}7654\u{a0}32",
                    "GB82\u{a0}WEST\u{a0}1234\u{a0}5698\u{a0}7654\u{a0}32",
                ),
            ],
        );
        assert_none(
            "iban",
            &[
                "GB82 WEST 1234 5698 7654 33",
                "GB82WEST123456987654321",
                "XX82WEST12345698765432",
                "xGB82WEST12345698765432",
                "GB82  WEST 1234 5698 7654 32",
                "DE8937040044053201300",
                "GB82",
            ],
        );
    }
}
