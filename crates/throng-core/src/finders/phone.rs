//! Telephone numbers: international, and in the shapes of many countries.
//!
//! Paper      ITU-T E.164, and national shapes as people write them.
//!
//! # Idea
//! 1. Groups of digits with blanks, dashes, dots, slashes or brackets between them, that are no part of a longer number.
//! 2. `+`, `00` or `011` and 8 to 15 digits are a number. Without them the lengths of the groups decide: 3-3-4, a leading zero with 9
//!    to 12 digits, an area in brackets, and some more ([`is_national`]).
//! 3. What a word before it says decides where the shape leaves it open: `call 555 1234`, `order 5551234567`.
//! 4. An extension (`x12`, `ext. 12`, `#12`) belongs to it.
//!
//! # Cost
//! At most seven groups from each group on.

use std::ops::Range;

use super::look::{Look, is_word};
use super::{Finder, Scrub};
use crate::info::Info;

pub(super) static FINDER: Finder = Finder {
    info: Info {
        name: "phone",
        summary: "telephone numbers: international, and in the shapes of many countries",
        paper: "ITU-T E.164, and national shapes as people write them.",
        details: "Groups of digits with blanks, dashes, dots, slashes or brackets between them: + or 00 and 8 to 15 digits; 3-3-4 \
                  digits; a leading zero with 9 to 12 digits; an area in brackets; shapes of single countries. A word before it \
                  (call, tel, order, isbn) decides where the shape does not. Extensions belong to it. Not precise: other \
                  numbers have such shapes too, so it is reported and not masked, unless somebody asks for it.",
        parameters: &[],
    },
    usual: Scrub::Report,
    even_if_shared: false,
    may_have: |shape| shape.has_digits(7),
    find,
};

fn find(look: &Look<'_>, places: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while at < look.groups.len() {
        match Candidate::begin(look, at).and_then(|candidate| candidate.longest()) {
            Some((start, last)) => {
                let (end, next) = with_extension(look, last);
                places.push(start..end);
                at = next;
            }
            None => at += 1,
        }
    }
}

/// The digits that tell a number from others: the last ten, without an extension.
pub(super) fn key(text: &str) -> String {
    let folded = super::look::Folded::of(text);
    let text = folded.as_ref().map_or(text, |folded| &folded.text);
    let own = text.split(|letter: char| letter.is_alphabetic() || letter == '#').next().unwrap_or(text);
    let digits: Vec<char> = own.chars().filter(char::is_ascii_digit).collect();
    digits[digits.len().saturating_sub(10)..].iter().collect()
}

/// What stands between two groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Blank,
    Dash,
    Dot,
    Slash,
    Open,
    Close,
}

impl Between {
    fn of(gap: &str) -> Option<Self> {
        Some(match gap {
            " " | "  " | "+" => Self::Blank,
            "-" | " - " | "- " | " -" => Self::Dash,
            "." | ". " => Self::Dot,
            "/" | " / " | "/ " => Self::Slash,
            " (" | "(" | "-(" | ".(" => Self::Open,
            ")" | ") " | ")-" | ") - " | ")." | ")/" | ") / " | ")  " => Self::Close,
            _ => return None,
        })
    }
}

/// The most groups of a number.
const MOST_GROUPS: usize = 7;

/// Groups that may be a number.
struct Candidate<'a, 'b> {
    look: &'a Look<'b>,
    first: usize,
    start: usize,
    has_plus: bool,
    is_open: bool,
}

impl<'a, 'b> Candidate<'a, 'b> {
    /// A number that begins with a group, unless what stands before makes it a part of something else.
    fn begin(look: &'a Look<'b>, first: usize) -> Option<Self> {
        let mut start = look.groups[first].start;
        let is_open = look.before(start) == b'(';
        start -= usize::from(is_open);
        let has_plus = look.before(start) == b'+';
        start -= usize::from(has_plus);
        let is_open_first = !is_open && has_plus && look.before(start) == b'(';
        let before = look.before(start);
        let is_part = match before {
            b'-' | b'.' | b',' | b'/' | b':' => start > 1 && look.at(start - 2).is_ascii_digit(),
            b'$' | b'*' | b'^' => true,
            // The sign of a pound or euro, and letters beyond ASCII.
            128.. => {
                look.text[..start].ends_with(['\u{20ac}', '\u{a3}', '\u{a5}'])
                    || look.text[..start].ends_with(char::is_alphanumeric)
            }
            _ => is_word(before),
        };
        let start = start - usize::from(is_open_first);
        (!is_part).then_some(Self { look, first, start, has_plus, is_open: is_open || is_open_first })
    }

    /// The place where the longest number begins, and its last group.
    fn longest(&self) -> Option<(usize, usize)> {
        let look = self.look;
        let mut between = Vec::new();
        let mut last = self.first;
        while between.len() + 1 < MOST_GROUPS
            && last + 1 < look.groups.len()
            && let Some(sort) = Between::of(look.gap(last))
        {
            between.push(sort);
            last += 1;
        }
        (self.first..=last)
            .rev()
            .find(|&last| self.is_end(last) && self.is_number(last, &between[..last - self.first]))
            .map(|last| {
                // A bracket that the number does not close was around something else.
                let is_closed = between[..last - self.first].contains(&Between::Close);
                (self.start + usize::from(self.is_open && !is_closed), last)
            })
    }

    /// Whether a number may end with a group.
    fn is_end(&self, last: usize) -> bool {
        let (look, end) = (self.look, self.look.groups[last].end);
        match look.at(end) {
            b'-' | b'.' | b'/' | b',' | b':' => !look.at(end + 1).is_ascii_digit(),
            b'%' => false,
            byte if is_word(byte) => extension(look, end).is_some(),
            _ => true,
        }
    }

    fn is_number(&self, last: usize, between: &[Between]) -> bool {
        let look = self.look;
        let groups = &look.groups[self.first..=last];
        let mut digits = Vec::with_capacity(20);
        for &group in groups {
            if digits.len() + group.len() > 17 {
                return false;
            }
            digits.extend_from_slice(look.digits(group));
        }
        let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let area = area_in_brackets(self.is_open, between).or_else(|| area_in_brackets(false, between));
        let Some(area) = area else { return false };
        let is_dotted = between.contains(&Between::Dot);
        if is_dotted && between.iter().any(|sort| !matches!(sort, Between::Dot | Between::Open | Between::Close)) {
            return false;
        }
        if digits.len() < 7 || digits.iter().all(|digit| *digit == digits[0]) {
            return false;
        }
        let shape = National { digits: &digits, lengths: &lengths, between, area };
        if self.has_plus {
            let zero = usize::from(area.is_some_and(|area| lengths[area] == 1));
            return (8..=15 + zero).contains(&digits.len()) && digits[0] != b'0';
        }
        if shape.is_dialled_abroad() {
            return true;
        }
        let said = says(look, self.start);
        match is_national(&shape) {
            Some(true) => said != Some(false) || shape.lengths.len() > 2,
            Some(false) => said == Some(true),
            None => false,
        }
    }
}

/// The group that stands in brackets, if one does; nothing where brackets do not fit.
fn area_in_brackets(is_open: bool, between: &[Between]) -> Option<Option<usize>> {
    let (mut open, mut area) = (is_open.then_some(0), None);
    for (at, sort) in between.iter().enumerate() {
        match (sort, open) {
            (Between::Open, None) if area.is_none() => open = Some(at + 1),
            (Between::Close, Some(begun)) => {
                // `(+44) 20` and `(020)`: one group in brackets, or two at the beginning.
                if at - begun > 1 {
                    return None;
                }
                area = Some(begun);
                open = None;
            }
            (Between::Open | Between::Close, _) => return None,
            _ => {}
        }
    }
    Some(area)
}

/// A number without `+`.
struct National<'a> {
    digits: &'a [u8],
    lengths: &'a [usize],
    between: &'a [Between],
    /// The group in brackets.
    area: Option<usize>,
}

impl National<'_> {
    /// `00` or `011` before the number of another country.
    fn is_dialled_abroad(&self) -> bool {
        let (digits, count) = (self.digits, self.digits.len());
        let is_zero_zero = digits.starts_with(b"00") && digits[2] != b'0' && (11..=17).contains(&count);
        let is_zero_one_one =
            self.lengths[0] == 3 && digits.starts_with(b"011") && self.lengths.len() >= 3 && count >= 11;
        if self.lengths.len() == 1 {
            is_zero_zero && count <= 15
        } else {
            is_zero_zero && self.lengths[0] <= 5 || is_zero_one_one
        }
    }

    fn has(&self, sort: Between) -> bool {
        self.between.contains(&sort)
    }

    fn is_all(&self, sort: Between) -> bool {
        self.between.iter().all(|other| *other == sort)
    }
}

/// Whether the groups are a number in some country's shape: `Some(true)` by themselves, `Some(false)` if a word says so.
fn is_national(shape: &National<'_>) -> Option<bool> {
    let National { digits, lengths, area, .. } = *shape;
    let count = digits.len();
    let first = digits[0];
    let from_two = |at: usize| digits[at] >= b'2';
    if is_date(digits, lengths) {
        return None;
    }
    if let Some(area) = area {
        // An area in brackets, and six to eight digits after it.
        let after: usize = lengths[area + 1..].iter().sum();
        let before: usize = lengths[..area].iter().sum();
        let is_area = (2..=5).contains(&lengths[area]) && (5..=9).contains(&after) && before <= 3 && lengths.len() <= 6;
        return is_area.then_some(true);
    }
    let by_itself = match lengths {
        [3, 3, 4] => !shape.has(Between::Slash) || shape.is_all(Between::Slash),
        [1, 3, 3, 4] => first == b'1',
        [1, 3, 3, 2, 2] => matches!(first, b'7' | b'8'),
        [3, 3, 2, 2] if first != b'0' => shape.has(Between::Dash),
        [1, 10] => first == b'1' && from_two(1),
        [3, 4] => shape.is_all(Between::Dash) && from_two(0),
        [10] => from_two(0) && (from_two(3) || first >= b'6') || first == b'0' && digits[1] != b'0',
        [11] => first == b'1' && from_two(1) || first == b'0' && digits[1] != b'0',
        // India, China, Spain, Brazil, Norway.
        [5, 5] if first != b'0' => first >= b'6' && !shape.has(Between::Dot),
        [3, 4, 4] if first == b'1' => digits[1] >= b'3',
        [3, 2, 2, 2] | [2, 3, 2, 2] if first != b'0' => first >= b'6' && !shape.has(Between::Dot),
        [2, 4, 4] | [2, 5, 4] if first != b'0' => shape.between[1] == Between::Dash && shape.between[0] != Between::Dot,
        _ => {
            // A leading zero is dialled, and part of no price or year.
            let is_grouped = lengths.iter().all(|length| (2..=8).contains(length)) && (2..=6).contains(&lengths.len());
            let is_dotted_well = !shape.has(Between::Dot) || lengths.len() >= 3;
            first == b'0'
                && digits[1] != b'0'
                && is_grouped
                && lengths[0] <= 5
                && (9..=12).contains(&count)
                && is_dotted_well
        }
    };
    if by_itself {
        return Some(true);
    }
    let is_open = (7..=12).contains(&count) && lengths.len() <= 5 && !(lengths.len() == 2 && shape.has(Between::Dot));
    is_open.then_some(false)
}

/// Days and years, with or without hours after them.
fn is_date(digits: &[u8], lengths: &[usize]) -> bool {
    let number = |from: usize, count: usize| {
        digits[from..from + count].iter().fold(0u32, |number, digit| 10 * number + u32::from(digit - b'0'))
    };
    let is_year = |from: usize| (1900..2100).contains(&number(from, 4));
    match lengths {
        [2, 2, 4, ..] => number(0, 2) <= 31 && number(2, 2) <= 31 && is_year(4),
        [4, 2, 2, ..] => is_year(0) && number(4, 2) <= 12 && number(6, 2) <= 31,
        [4, 4] => is_year(0) && is_year(4),
        [8] => is_year(0) && number(4, 2) <= 12 && number(6, 2) <= 31,
        _ => false,
    }
}

/// Words before a telephone number.
const PHONES: [&str; 24] = [
    "phone",
    "phones",
    "telephone",
    "telefon",
    "telefono",
    "tel",
    "call",
    "calls",
    "called",
    "fax",
    "cell",
    "cellphone",
    "mobile",
    "mob",
    "dial",
    "whatsapp",
    "sms",
    "hotline",
    "ring",
    "ph",
    "handy",
    "reach",
    "contact",
    "text",
];
/// Words before other numbers.
const OTHERS: [&str; 46] = [
    "order",
    "orders",
    "isbn",
    "issn",
    "invoice",
    "account",
    "acct",
    "item",
    "items",
    "sku",
    "part",
    "parts",
    "tracking",
    "ref",
    "reference",
    "case",
    "serial",
    "upc",
    "ean",
    "gtin",
    "ticket",
    "policy",
    "version",
    "build",
    "id",
    "ids",
    "patent",
    "routing",
    "model",
    "customer",
    "imei",
    "vin",
    "zip",
    "barcode",
    "population",
    "page",
    "article",
    "product",
    "lot",
    "batch",
    "transaction",
    "booking",
    "reservation",
    "confirmation",
    "timestamp",
    "receipt",
];

/// Whether the nearest word before a place that says anything says that a telephone number follows.
fn says(look: &Look<'_>, start: usize) -> Option<bool> {
    let before = look.lower_before(start, 28);
    let mut words = before.split(|letter: char| !letter.is_alphanumeric()).rev();
    words.find_map(|word| if PHONES.contains(&word) { Some(true) } else { OTHERS.contains(&word).then_some(false) })
}

/// Where a number ends that may have an extension, and the number of the next group.
fn with_extension(look: &Look<'_>, last: usize) -> (usize, usize) {
    let end = look.groups[last].end;
    match extension(look, end) {
        Some(extended) => (extended, last + 2),
        None => (end, last + 1),
    }
}

/// Where an extension ends that follows a place.
fn extension(look: &Look<'_>, end: usize) -> Option<usize> {
    let rest = &look.bytes()[end..];
    let blanks = rest.iter().take(2).take_while(|byte| matches!(byte, b' ' | b',')).count();
    let rest = &rest[blanks..];
    let words: [&[u8]; 5] = [b"extension", b"ext", b"xtn", b"x", b"#"];
    let word = words.iter().find(|word| rest.len() >= word.len() && rest[..word.len()].eq_ignore_ascii_case(word))?;
    let rest = &rest[word.len()..];
    let marks = rest.iter().take(2).take_while(|byte| matches!(byte, b' ' | b'.' | b':')).count();
    let digits = rest[marks..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = end + blanks + word.len() + marks + digits;
    ((1..=6).contains(&digits) && !is_word(look.at(after))).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finders::tests::{assert_finds, assert_none};

    #[test]
    fn numbers_of_many_countries() {
        let whole = [
            "001-555-123-4567x123",
            "(555)123-4567",
            "555.123.4567 x89",
            "+1-555-123-4567",
            "+1 (555) 123-4567",
            "1-800-555-1234",
            "555-123-4567",
            "555 123 4567",
            "5552234567",
            "555-1234",
            "+44 (0) 20 7946 0958",
            "+44 (0)20 7946 0958",
            "+442079460958",
            "020 7946 0958",
            "07700 900123",
            "(01632) 960001",
            "01 23 45 67 89",
            "01.23.45.67.89",
            "+33 1 23 45 67 89",
            "030 1234567",
            "0459.221.837",
            "03.8879.7761",
            "030/1234567",
            "(030) 123456",
            "+49 30 123456",
            "0049 30 123456",
            "03-1234-5678",
            "0412 345 678",
            "(02) 9876 5432",
            "612 34 56 78",
            "044 668 18 00",
            "(11) 91234-5678",
            "98765 43210",
            "138 1234 5678",
            "020-1234567",
            "8 (495) 123-45-67",
            "0212 123 45 67",
            "+1.555.123.4567",
            "(+44) 20 7946 0958",
            "011-44-20-7946-0958",
            "+1(555)123-4567 ext. 12",
            "555-123-4567 #12",
            "555-123-4567, ext 7",
            "+86 138 1234 5678",
            "1 (555) 123-4567",
            "00442079460958",
            "08-123 456 78",
            "+1-555-123-4567x00012",
            "(012)345-6789x1",
        ];
        for number in whole {
            assert_finds("phone", &[(&format!("reach me {number} today"), number), (number, number)]);
        }
        assert_finds(
            "phone",
            &[
                ("call 512 345 678", "512 345 678"),
                ("tel: 1234 5678.", "1234 5678"),
                ("order 12, call 5552234567", "5552234567"),
                ("tel=%2B15551234567&x", "%2B15551234567"),
                ("(555-1234)", "555-1234"),
                ("\u{ff15}\u{ff15}\u{ff15}-123-4567", "\u{ff15}\u{ff15}\u{ff15}-123-4567"),
            ],
        );
    }

    #[test]
    fn numbers_that_are_none() {
        assert_none(
            "phone",
            &[
                "$1,234,567.89",
                "2006-03-01 10:00:00",
                "01.02.2020 10:15",
                "01-02-2020",
                "order 5552234567",
                "isbn 0306406152",
                "978-0-306-40615-7",
                "40.71281, -74.00602",
                "1.2.3.4",
                "112-1234567-1234567",
                "2019-2020",
                "1500000000",
                "123456789",
                "$555-123-4567",
                "123,456,789",
                "x555-123-4567",
                "555-123-4567-8",
                "1555.123.4567",
                "3.1415926535",
                "100 200 300",
                "zip 12345-6789",
                "0000000000",
                "1-2-3",
                "12:34:56",
                "item 555-1234",
                "555-123-4567%",
                "1234567",
            ],
        );
    }

    #[test]
    fn one_number_has_one_key() {
        let keys = ["+1 (555) 123-4567", "001-555-123-4567x99", "555.123.4567", "5551234567 ext. 3"].map(key);
        assert!(keys.iter().all(|key| key == "5551234567"), "{keys:?}");
    }
}
