//! Social security numbers of the United States.
//!
//! Paper      Social Security Administration: area not 000, 666 or from 900 on, group not 00, serial not 0000.
//!
//! # Idea
//! 1. Three groups of 3, 2 and 4 digits with the same dash, blank or dot between them.
//! 2. Nine digits together only after a word that says what they are.
//!
//! # Cost
//! Each group is looked at once.

use std::ops::Range;

use super::look::Look;
use super::{Finder, Scrub};
use crate::info::Info;

pub(super) static FINDER: Finder = Finder {
    info: Info {
        name: "ssn",
        summary: "social security numbers of the United States",
        paper: "Social Security Administration: which numbers are never given out.",
        details: "Three, two and four digits with the same dash, blank or dot between them; nine digits together only after a word \
                  that says what they are (ssn, social security). Area not 000, 666 or from 900 on, group not 00, serial not \
                  0000. Numbers of other countries are not found. Masked however many persons have it.",
        parameters: &[],
    },
    usual: Scrub::Mask,
    even_if_shared: true,
    may_have: |shape| shape.has_digits(9),
    find,
};

fn find(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    for (at, group) in look.groups.iter().enumerate() {
        let is_begun = look.is_inside_word(group.start)
            || matches!(look.before(group.start), b'-' | b'.' | b',' | b'/' | b'+')
                && group.start > 1
                && look.at(group.start - 2).is_ascii_digit();
        if is_begun {
            continue;
        }
        if let [area, middle, serial, ..] = look.groups[at..]
            && [area.len(), middle.len(), serial.len()] == [3, 2, 4]
            && matches!(look.gap(at), "-" | " " | ".")
            && look.gap(at) == look.gap(at + 1)
            && is_end(look, serial.end)
            && is_given_out([look.digits(area), look.digits(middle), look.digits(serial)])
        {
            places.push(area.start..serial.end);
        } else if group.len() == 9
            && is_end(look, group.end)
            && is_named(look, group.start)
            && let digits = look.digits(*group)
            && is_given_out([&digits[..3], &digits[3..5], &digits[5..]])
        {
            places.push(group.start..group.end);
        }
    }
}

fn is_end(look: &Look<'_>, end: usize) -> bool {
    let goes_on = matches!(look.at(end), b'-' | b'.' | b'/' | b',') && look.at(end + 1).is_ascii_digit();
    !goes_on && !super::look::is_word(look.at(end))
}

fn is_named(look: &Look<'_>, start: usize) -> bool {
    let before = look.lower_before(start, 40);
    ["social sec", "soc sec", "soc. sec", "ss#", "ss #", "s.s.n"].iter().any(|words| before.contains(words))
        || look.is_after_word(start, 24, &["ssn", "ssns", "itin"])
}

fn is_given_out([area, group, serial]: [&[u8]; 3]) -> bool {
    !matches!(area, b"000" | b"666" | [b'9', ..]) && group != b"00" && serial != b"0000"
}

#[cfg(test)]
mod tests {
    use crate::finders::tests::{assert_finds, assert_none};

    #[test]
    fn numbers() {
        assert_finds(
            "ssn",
            &[
                ("ssn 123-45-6789?", "123-45-6789"),
                ("123 45 6789", "123 45 6789"),
                ("my social security number is 123456789", "123456789"),
                ("SSN:123456789", "123456789"),
                ("078.05.1120", "078.05.1120"),
                ("123\u{2011}45\u{2011}6789", "123\u{2011}45\u{2011}6789"),
                ("ssn=123-45-6789&x=1", "123-45-6789"),
            ],
        );
        assert_none(
            "ssn",
            &[
                "000-45-6789",
                "666-45-6789",
                "912-45-6789",
                "123-00-6789",
                "123-45-0000",
                "123-45 6789",
                "1-123-45-6789",
                "123-45-6789-1",
                "123456789",
                "x123-45-6789",
                "123-45-67890",
                "1,123-45-6789",
            ],
        );
    }
}
