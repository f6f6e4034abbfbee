//! Numbers of passports, where something says what they are, and the lines that machines read.
//!
//! Paper      ICAO Doc 9303.
//!
//! # Idea
//! 1. After a word for a passport, and at most a few more: 6 to 9 letters and digits with at least four digits.
//! 2. The second line of a passport: number, country, birth, sex and expiry with their check digits.
//!
//! # Cost
//! Linear: each run of letters and digits is looked at once.

use std::ops::Range;

use super::look::{Look, runs};
use super::{Finder, Scrub};
use crate::info::Info;

pub(super) static FINDER: Finder = Finder {
    info: Info {
        name: "passport",
        summary: "passport numbers after a word that says so, and lines that machines read",
        paper: "ICAO Doc 9303.",
        details: "6 to 9 letters and digits, at least four of them digits, shortly after a word for a passport; or the second line \
                  of one that machines read, with a right check digit. Without such a word a passport number looks like any other \
                  number, and is not found.",
        parameters: &[],
    },
    usual: Scrub::Report,
    even_if_shared: false,
    may_have: |shape| shape.has_digits(4),
    find,
};

const WORDS: [&str; 8] =
    ["passport", "passports", "passeport", "pasaporte", "passaporto", "passaporte", "reisepass", "paspoort"];

fn find(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    for run in runs(look.bytes(), |byte| byte.is_ascii_alphanumeric() || byte == b'<') {
        let text = &look.bytes()[run.clone()];
        let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
        let is_number = (6..=9).contains(&text.len()) && digits >= 4 && text.iter().all(u8::is_ascii_alphanumeric);
        if is_number && look.is_after_word(run.start, 32, &WORDS) || is_machine_readable(text) {
            places.push(run);
        }
    }
}

/// The second line of a passport: nine characters and their check digit, three letters, six digits and their check digit, …
fn is_machine_readable(text: &[u8]) -> bool {
    text.len() == 44
        && text[10..13].iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'<')
        && text[9] == check_digit(&text[..9])
        && text[19] == check_digit(&text[13..19])
}

/// Weights 7, 3, 1, again and again; letters are 10 to 35.
fn check_digit(text: &[u8]) -> u8 {
    let value = |byte: u8| match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        b'A'..=b'Z' => u32::from(byte - b'A') + 10,
        _ => 0,
    };
    let sum: u32 = text.iter().zip([7, 3, 1].into_iter().cycle()).map(|(&byte, weight)| weight * value(byte)).sum();
    b'0' + (sum % 10) as u8
}

#[cfg(test)]
mod tests {
    use crate::finders::tests::{assert_finds, assert_none};

    #[test]
    fn numbers() {
        assert_finds(
            "passport",
            &[
                ("passport number L8988901", "L8988901"),
                ("Reisepass C01X00T47", "C01X00T47"),
                ("US passport no. 123456789", "123456789"),
                // The example of the standard.
                ("L898902C36UTO7408122F1204159ZE184226B<<<<<10", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"),
            ],
        );
        assert_none(
            "passport",
            &["L8988901", "passport photos 35", "passport renewal", "L898902C37UTO7408122F1204159ZE184226B<<<<<10"],
        );
    }
}
