//! Numbers of payment cards.
//!
//! Paper      ISO/IEC 7812: the check digit of Luhn, and the prefixes of the known networks.
//!
//! # Idea
//! 1. Groups of digits with nothing, one blank or one dash between them, the same everywhere, 12 to 19 digits together.
//! 2. The prefix is one of a known network, the length one that it gives out, and the check digit is right.
//!
//! # Cost
//! At most 19 digits from each group on.

use std::ops::Range;

use super::look::Look;
use super::{Finder, Scrub};
use crate::info::Info;

pub(super) static FINDER: Finder = Finder {
    info: Info {
        name: "card",
        summary: "numbers of payment cards: 12 to 19 digits, a known prefix, a right check digit",
        paper: "ISO/IEC 7812, with the prefixes that networks publish.",
        details: "12 to 19 digits, together or in groups with one blank or dash between them; the prefix of a known network, a \
                  length that it gives out, and the check digit of Luhn. One in ten of all numbers has a right check digit by \
                  chance, so an order number can be found as well. Masked however many persons have it.",
        parameters: &[],
    },
    usual: Scrub::Mask,
    even_if_shared: true,
    may_have: |shape| shape.has_digits(LEAST),
    find,
};

const LEAST: usize = 12;
const MOST: usize = 19;

fn find(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while at < look.groups.len() {
        match card_at(look, at) {
            Some(last) => {
                places.push(look.groups[at].start..look.groups[last].end);
                at = last + 1;
            }
            None => at += 1,
        }
    }
}

/// The last group of a card that begins with this one.
fn card_at(look: &Look<'_>, first: usize) -> Option<usize> {
    let start = look.groups[first].start;
    if look.is_inside_word(start) || (start > 1 && look.before(start) == b'.' && look.at(start - 2).is_ascii_digit()) {
        return None;
    }
    let mut digits: Vec<u8> = Vec::with_capacity(MOST);
    let mut found: Option<(usize, bool)> = None;
    for last in first..look.groups.len() {
        let group = look.groups[last];
        if digits.len() + group.len() > MOST {
            break;
        }
        digits.extend(look.digits(group).iter().map(|digit| digit - b'0'));
        let is_fraction = look.at(group.end) == b'.' && look.at(group.end + 1).is_ascii_digit();
        let is_end = !is_fraction && !look.at(group.end).is_ascii_alphabetic();
        if digits.len() >= LEAST && is_end && has_right_check_digit(&digits) {
            // The usual length of a network, else the longest that it gives out.
            match network(&digits) {
                Some(true) => found = Some((last, true)),
                Some(false) if !found.is_some_and(|(_, is_usual)| is_usual) => found = Some((last, false)),
                _ => {}
            }
        }
        // Cards are written in groups that begin with four digits, or six.
        if last == first && !matches!(group.len(), 4 | 6) {
            break;
        }
        let gap = look.gap(last);
        let is_same = last == first || gap == look.gap(first);
        if !matches!(gap, " " | "-") || !is_same {
            break;
        }
    }
    found.map(|(last, _)| last)
}

/// Luhn: every second digit from the right is doubled, and the digits of all add up to a multiple of ten.
fn has_right_check_digit(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, &digit)| match u32::from(digit) << (at % 2) {
            double @ 10.. => double - 9,
            digit => digit,
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|&digit| digit != digits[0])
}

/// Whether the number has the usual length of the network of its prefix, or another that it gives out.
fn network(digits: &[u8]) -> Option<bool> {
    let first = |count: usize| digits[..count].iter().fold(0u32, |number, &digit| 10 * number + u32::from(digit));
    let (two, three, four, six) = (first(2), first(3), first(4), first(6));
    let (usual, others): (usize, &[usize]) = match two {
        34 | 37 => (15, &[]),
        30 if matches!(three, 300..=305 | 309) => (14, &[15, 16, 17, 18, 19]),
        36 | 38 | 39 => (14, &[15, 16, 17, 18, 19]),
        // 3528 to 3589 are given out; made-up cards have any of them, and so have typing errors.
        35 => (16, &[17, 18, 19]),
        40..=49 => (16, &[13, 19]),
        51..=55 => (16, &[]),
        22..=27 if (2221..=2720).contains(&four) => (16, &[]),
        22 if (2200..=2204).contains(&four) => (16, &[17, 18, 19]),
        21 | 18 if matches!(four, 2131 | 1800) => (15, &[]),
        60 | 64 | 65 if four == 6011 || (644..=659).contains(&three) => (16, &[17, 18, 19]),
        62 | 81 => (16, &[17, 18, 19]),
        50 | 56..=69 => (16, &[12, 13, 14, 15, 17, 18, 19]),
        82 if six >= 820_000 => (16, &[]),
        97 if four == 9792 => (16, &[]),
        _ => return None,
    };
    if digits.len() == usual { Some(true) } else { others.contains(&digits.len()).then_some(false) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finders::tests::{assert_finds, assert_none};

    #[test]
    fn check_digits_by_hand() {
        // 4 1 1 1: doubled from the right but one: 1*2, 4*2... 4111111111111111: eight ones and the 4 twice: 8 + 7*2 + 8*1 = 30.
        let digits = |text: &str| text.bytes().map(|byte| byte - b'0').collect::<Vec<_>>();
        assert!(has_right_check_digit(&digits("4111111111111111")));
        assert!(has_right_check_digit(&digits("79927398713")));
        assert!(!has_right_check_digit(&digits("79927398714")));
        assert!(!has_right_check_digit(&digits("0000000000000000")));
    }

    #[test]
    fn cards() {
        assert_finds(
            "card",
            &[
                ("pay with 4111 1111 1111 1111 now", "4111 1111 1111 1111"),
                ("4111-1111-1111-1111", "4111-1111-1111-1111"),
                ("cc=5555555555554444&x", "5555555555554444"),
                ("amex 3782 822463 10005", "3782 822463 10005"),
                ("6011111111111117.", "6011111111111117"),
                ("30569309025904 diners", "30569309025904"),
                ("3530111333300000", "3530111333300000"),
                ("3519876155282198", "3519876155282198"),
                ("2223003122003222", "2223003122003222"),
                ("4222222222222", "4222222222222"),
                ("card 4111 1111 1111 1111 exp 12 25", "4111 1111 1111 1111"),
                ("\u{ff14}111111111111111", "\u{ff14}111111111111111"),
            ],
        );
        assert_none(
            "card",
            &[
                "4111 1111 1111 1112",
                "4111.1111.1111.1111",
                "4111 1111-1111 1111",
                "41111111111111112222",
                "9999999999999995",
                "x4111111111111111",
                "4111111111111111a",
                "411111111111",
                "0.4111111111111111",
                "4111  1111  1111  1111",
            ],
        );
    }
}
