//! Places on the earth as coordinates.
//!
//! Paper      ISO 6709 and RFC 5870, as maps write them.
//!
//! # Idea
//! Two decimals with at least four places side by side, the first from -90 to 90, the second from -180 to 180. Between them stand
//! marks, letters of directions, or the name of the second (`&lon=`): nothing else.
//!
//! # Cost
//! Each group is looked at once.

use std::ops::Range;

use super::look::{Group, Look, class};
use super::{Finder, Scrub};
use crate::info::Info;

pub(super) static FINDER: Finder = Finder {
    info: Info {
        name: "coordinates",
        summary: "places on the earth: two decimals with at least four places, in range",
        paper: "ISO 6709 and RFC 5870, as maps write them.",
        details: "Two decimals with at least four places, the first from -90 to 90, the second from -180 to 180, with marks, \
                  directions (N, W) or the name of the second (lon=) between them. Degrees with minutes and seconds, and \
                  coordinates with fewer than four places (about 100 metres), are not found.",
        parameters: &[],
    },
    usual: Scrub::Mask,
    even_if_shared: false,
    may_have: |shape| shape.has_digits(10) && shape.has(class::DOT),
    find,
};

const LEAST_PLACES: usize = 4;
const MOST_PLACES: usize = 15;

fn find(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while at + 3 < look.groups.len() {
        if is_decimal(look, at, 90)
            && is_decimal(look, at + 2, 180)
            && is_between(look.gap(at + 1))
            && !goes_on(look, at)
        {
            let (start, end) = (look.groups[at].start, look.groups[at + 3].end);
            let sign = usize::from(matches!(look.before(start), b'-' | b'+'));
            places.push(start - sign..end);
            at += 4;
        } else {
            at += 1;
        }
    }
}

/// Whether a group and the next one are a number with enough places, up to some degrees.
fn is_decimal(look: &Look<'_>, at: usize, most: u32) -> bool {
    let (whole, part): (Group, Group) = (look.groups[at], look.groups[at + 1]);
    let degrees = || look.digits(whole).iter().fold(0u32, |number, digit| 10 * number + u32::from(digit - b'0'));
    look.gap(at) == "." && whole.len() <= 3 && (LEAST_PLACES..=MOST_PLACES).contains(&part.len()) && degrees() <= most
}

/// Whether nothing but marks, a direction or the name of the second number stands between.
fn is_between(gap: &str) -> bool {
    const LONGEST: usize = 24;
    if gap.is_empty() || gap.len() > LONGEST {
        return false;
    }
    let is_mark = |letter: char| {
        matches!(letter, ' ' | ',' | ';' | '/' | '&' | '=' | ':' | '+' | '-' | '|' | '\u{b0}' | '"' | '\'' | '_')
    };
    let mut words = gap.split(is_mark).filter(|word| !word.is_empty());
    let is_word = |word: &str| {
        let word = word.to_ascii_lowercase();
        matches!(&*word, "n" | "s" | "lon" | "lng" | "long" | "longitude" | "and" | "x" | "!4d" | "mlon")
    };
    words.all(is_word)
}

/// Whether the numbers are parts of longer ones.
fn goes_on(look: &Look<'_>, at: usize) -> bool {
    let (start, end) = (look.groups[at].start, look.groups[at + 3].end);
    let is_part_before =
        look.before(start) == b'.' || look.before(start).is_ascii_alphabetic() && look.before(start) != b'd';
    let is_part_after = look.at(end) == b'.' && look.at(end + 1).is_ascii_digit();
    is_part_before || is_part_after
}

#[cfg(test)]
mod tests {
    use crate::finders::tests::{assert_finds, assert_none};

    #[test]
    fn places() {
        assert_finds(
            "coordinates",
            &[
                ("at 40.71281, -74.00602 now", "40.71281, -74.00602"),
                ("maps/@-33.86880,151.20930,15z", "-33.86880,151.20930"),
                ("40.7128\u{b0} N, 74.0060\u{b0} W", "40.7128\u{b0} N, 74.0060"),
                ("?lat=48.8566&lon=2.3522", "48.8566&lon=2.3522"),
                ("ll=48.8566%2C2.3522", "48.8566%2C2.3522"),
                ("48.8566 2.3522", "48.8566 2.3522"),
            ],
        );
        assert_none(
            "coordinates",
            &[
                "40.71, -74.00",
                "95.1234, 10.1234",
                "40.7128, 190.1234",
                "1.12345.67890",
                "40.7128 to 41.7128",
                "40.7128",
            ],
        );
    }
}
