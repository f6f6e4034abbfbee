//! Addresses of machines: IPv4 and IPv6, and no versions of programs.
//!
//! Paper      RFC 791 and 4291.
//!
//! # Idea
//! 1. IPv4: four numbers up to 255 without leading zeros, dots between them, no part of a longer dotted number, and not after a word
//!    or mark that makes it a version (`v1.2.3.4`, `Firefox/3.0.0.1`, `version 1.2.3.4`).
//! 2. IPv6: a run of hexadecimal digits and colons that is an address, with a digit in it; `std::abs` is none.
//!
//! # Cost
//! Linear: each group and each run is looked at once.

use std::net::Ipv6Addr;
use std::ops::Range;

use super::look::{Look, class, is_word, runs};
use super::{Finder, Scrub};
use crate::info::Info;

pub(super) static FINDER: Finder = Finder {
    info: Info {
        name: "ip",
        summary: "addresses of machines: IPv4 and IPv6, but no versions of programs",
        paper: "RFC 791 and RFC 4291.",
        details: "IPv4: four numbers up to 255 without leading zeros, not inside a longer dotted number, not after a version's v, \
                  word or name. IPv6: all forms, compressed or with an IPv4 address at the end, with at least one digit. A \
                  version of four parts that nothing marks as one is found as an address.",
        parameters: &[],
    },
    usual: Scrub::Mask,
    even_if_shared: false,
    may_have: |shape| shape.has_digits(4) && shape.has(class::DOT) || shape.has_digits(1) && shape.has(class::COLON),
    find,
};

fn find(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    if look.shape.has(class::COLON) {
        find_long(look, places);
    }
    let long = places.len();
    let mut at = 0;
    while at + 3 < look.groups.len() {
        let four = &look.groups[at..at + 4];
        if (at..at + 3).all(|at| look.gap(at) == ".")
            && four.iter().all(|&group| is_part(look.digits(group)))
            && !is_version(look, four[0].start)
            && is_end(look, four[3].end)
        {
            places.push(four[0].start..four[3].end);
            at += 4;
        } else {
            at += 1;
        }
    }
    if long > 0 {
        places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    }
}

/// A number up to 255 without a leading zero.
fn is_part(digits: &[u8]) -> bool {
    let number = || digits.iter().fold(0u32, |number, digit| 10 * number + u32::from(digit - b'0'));
    digits.len() <= 3 && (digits.len() == 1 || digits[0] != b'0') && number() <= 255
}

/// Words before a version.
const VERSIONS: [&str; 11] =
    ["version", "versions", "ver", "v", "release", "build", "firmware", "revision", "rev", "patch", "section"];

/// Whether what stands before makes it a part of something else.
fn is_version(look: &Look<'_>, start: usize) -> bool {
    match look.before(start) {
        b'.' | b'-' | b'+' => start > 1 && is_word(look.at(start - 2)),
        b'/' => {
            // A product and its version, not a part of a path.
            let name = look.bytes()[..start - 1].iter().rev().take(40).take_while(|&&byte| is_word(byte)).count();
            name > 0
                && matches!(look.before(start - 1 - name), 0..=b' ' | b'(' | b';')
                && look.at(start - 2).is_ascii_alphabetic()
        }
        byte if is_word(byte) => true,
        _ => {
            let before = look.lower_before(start, 16);
            let mut words = before.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
            words.next_back().is_some_and(|word| VERSIONS.contains(&word))
        }
    }
}

fn is_end(look: &Look<'_>, end: usize) -> bool {
    match look.at(end) {
        b'.' => !is_word(look.at(end + 1)) || !look.at(end + 1).is_ascii_digit(),
        b'-' => !look.at(end + 1).is_ascii_alphabetic(),
        byte => !is_word(byte),
    }
}

/// The longest address has this many bytes.
const LONGEST: usize = 45;

fn find_long(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    for run in runs(look.bytes(), |byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.')) {
        let (mut start, mut end) = (run.start, run.end);
        // Marks of a sentence around it; a double colon belongs to it.
        while start < end && (look.at(start) == b'.' || look.at(start) == b':' && look.at(start + 1) != b':') {
            start += 1;
        }
        while start < end && (look.at(end - 1) == b'.' || look.at(end - 1) == b':' && look.before(end - 1) != b':') {
            end -= 1;
        }
        let text = &look.text[start..end];
        if text.len() < 3 || text.len() > LONGEST || is_word(look.before(start)) || is_word(look.at(end)) {
            continue;
        }
        let colons = text.bytes().filter(|byte| *byte == b':').count();
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if colons >= 2 && has_digit && text.parse::<Ipv6Addr>().is_ok() {
            places.push(start..end);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::finders::tests::{assert_finds, assert_none};

    #[test]
    fn addresses() {
        assert_finds(
            "ip",
            &[
                ("ping 192.168.0.1.", "192.168.0.1"),
                ("http://10.0.0.1:8080/x", "10.0.0.1"),
                ("8.8.8.8/24", "8.8.8.8"),
                ("whois.example/1.2.3.4", "1.2.3.4"),
                ("[2001:db8::1]:80", "2001:db8::1"),
                ("2001:0db8:0000:0000:0000:ff00:0042:8329", "2001:0db8:0000:0000:0000:ff00:0042:8329"),
                ("from ::ffff:192.0.2.1, yes", "::ffff:192.0.2.1"),
                ("localhost is ::1", "::1"),
                ("fe80::1%eth0", "fe80::1"),
                ("at 2001:db8::.", "2001:db8::"),
                ("1\u{ff0e}2.3.4", "1\u{ff0e}2.3.4"),
            ],
        );
        assert_none(
            "ip",
            &[
                "v1.2.3.4",
                "version 1.2.3.4",
                "firefox/3.0.0.10",
                "1.2.3.4.5",
                "0.1.2.3.4",
                "256.1.1.1",
                "1.2.3",
                "01.23.45.67",
                "1.2.3.4-beta",
                "12:34:56",
                "00:11:22:33:44:55",
                "std::abs",
                "a::b",
                "::",
                "chrome 91.0.4472.124",
                "x1.2.3.4",
                "1.2.3.4x",
            ],
        );
    }
}
