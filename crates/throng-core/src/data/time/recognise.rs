//! The pattern that a time is written by, found from the time alone.
//!
//! Known are dates as `2025-12-31` (also with `/` or `.`), `20251231`, `2025-365`, `2025-W01-3`, `31.12.2025`, `31/12/2025` or
//! `12/31/2025` (also with `-`), `31 Dec 2025` (also with `/` or `-`) and `Dec 31, 2025`, with or without the day of the week
//! before them; then, maybe, a time of day with or without seconds, their digits, AM or PM, and a zone. All of it may stand in
//! brackets. Whether day or month comes first where both are numbers below 13 cannot be told from one time.

use super::Misread;
use super::pattern::{Case, Item, MONTHS, Name, OffsetForm, Pad, Pattern, UTC, WEEKDAYS};

/// A pattern, and whether day and month could as well stand in each other's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Recognised {
    pub(super) pattern: Pattern,
    pub(super) is_open: bool,
}

/// Finds the pattern of a time.
pub(super) fn recognise(text: &str) -> Result<Recognised, Misread> {
    let mut cursor = Cursor { rest: text.as_bytes(), items: Vec::new(), offset: 0 };
    cursor.literal(b"[");
    cursor.weekday();
    let is_open = cursor.date()?;
    let has_clock = cursor.separator() && cursor.clock()?;
    if has_clock {
        cursor.zone()?;
    }
    cursor.literal(b"]");
    if !cursor.rest.is_empty() {
        return Err(Misread::Form);
    }
    let pattern = Pattern::new(&cursor.items, cursor.offset).ok_or(Misread::Form)?;
    Ok(Recognised { pattern, is_open })
}

struct Cursor<'t> {
    rest: &'t [u8],
    items: Vec<Item>,
    offset: i16,
}

impl<'t> Cursor<'t> {
    /// Takes fixed characters if they come next.
    fn literal(&mut self, text: &[u8]) -> bool {
        let Some(rest) = self.rest.strip_prefix(text) else { return false };
        self.rest = rest;
        self.items.extend(text.iter().map(|byte| Item::Byte(*byte)));
        true
    }

    /// How many digits come next.
    fn digits(&self) -> usize {
        self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    /// The character after those digits.
    fn after(&self, digits: usize) -> Option<u8> {
        self.rest.get(digits).copied()
    }

    /// Takes a number of so many digits as a field.
    fn number(&mut self, digits: usize, item: impl FnOnce(&[u8]) -> Item) -> Result<(), Misread> {
        let (number, rest) = self.rest.split_at_checked(digits).ok_or(Misread::Form)?;
        if !number.iter().all(u8::is_ascii_digit) {
            return Err(Misread::Form);
        }
        self.items.push(item(number));
        self.rest = rest;
        Ok(())
    }

    /// Takes a number of one or two digits as a field.
    fn pair(&mut self, item: impl FnOnce(Pad) -> Item) -> Result<(), Misread> {
        match self.digits() {
            digits @ 1..=2 => self.number(digits, |number| item(Pad::of(number))),
            _ => Err(Misread::Form),
        }
    }

    /// Takes a name if one comes next.
    fn name(&mut self, names: &[&str], item: impl FnOnce(Name) -> Item) -> bool {
        let word = &self.rest[..self.rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()];
        let is_short = word.len() == 3;
        let is_it =
            |name: &&str| word.eq_ignore_ascii_case(if is_short { &name.as_bytes()[..3] } else { name.as_bytes() });
        if !names.iter().any(is_it) {
            return false;
        }
        let case = match word {
            [_, second, ..] if second.is_ascii_uppercase() => Case::Upper,
            [first, ..] if first.is_ascii_lowercase() => Case::Lower,
            _ => Case::Title,
        };
        self.items.push(item(Name { is_short, case }));
        self.rest = &self.rest[word.len()..];
        true
    }

    fn weekday(&mut self) {
        if self.name(&WEEKDAYS, Item::WeekdayName) {
            let _ = self.literal(b", ") || self.literal(b" ") || self.literal(b",");
        }
    }

    /// Takes the date. Gives whether day and month could as well stand in each other's place.
    fn date(&mut self) -> Result<bool, Misread> {
        match (self.digits(), self.after(self.digits())) {
            (4, Some(separator @ (b'-' | b'/' | b'.'))) => self.year_first(separator),
            (8 | 12 | 14, _) => self.together(),
            (1 | 2, Some(separator @ (b'-' | b'/' | b'.' | b' '))) => self.year_last(separator),
            (0, _) if self.name(&MONTHS, Item::MonthName) => {
                self.literal(b" ");
                self.pair(Item::Day)?;
                let _ = self.literal(b", ") || self.literal(b" ");
                self.year()?;
                Ok(false)
            }
            _ => Err(Misread::Form),
        }
    }

    fn year(&mut self) -> Result<(), Misread> {
        match self.digits() {
            4 => self.number(4, |_| Item::Year),
            2 => Err(Misread::ShortYear),
            _ => Err(Misread::Form),
        }
    }

    fn year_first(&mut self, separator: u8) -> Result<bool, Misread> {
        if separator == b'-' && self.rest.get(5) == Some(&b'W') {
            self.number(4, |_| Item::WeekYear)?;
            self.literal(b"-W");
            self.number(2, |_| Item::Week)?;
            self.literal(b"-");
            self.number(1, |_| Item::Weekday)?;
            return Ok(false);
        }
        self.year()?;
        self.literal(&[separator]);
        if separator == b'-' && self.digits() == 3 {
            self.number(3, |_| Item::DayOfYear)?;
            return Ok(false);
        }
        self.pair(Item::Month)?;
        if !self.literal(&[separator]) {
            return Err(Misread::Form);
        }
        self.pair(Item::Day)?;
        Ok(false)
    }

    /// `20251231`, and maybe the time of day right after it.
    fn together(&mut self) -> Result<bool, Misread> {
        let digits = self.digits();
        self.number(4, |_| Item::Year)?;
        self.number(2, |_| Item::Month(Pad::Zero))?;
        self.number(2, |_| Item::Day(Pad::Zero))?;
        if digits > 8 {
            self.number(2, |_| Item::Hour(Pad::Zero))?;
            self.number(2, |_| Item::Minute)?;
        }
        if digits > 12 {
            self.number(2, |_| Item::Second)?;
        }
        Ok(false)
    }

    fn year_last(&mut self, separator: u8) -> Result<bool, Misread> {
        let month_at = self.digits() + 1;
        if self.rest.get(month_at).is_some_and(u8::is_ascii_alphabetic) {
            self.pair(Item::Day)?;
            self.literal(&[separator]);
            if !self.name(&MONTHS, Item::MonthName) || !self.literal(&[separator]) {
                return Err(Misread::Form);
            }
            self.year()?;
            return Ok(false);
        }
        if separator == b' ' {
            return Err(Misread::Form);
        }
        self.pair(Item::Day)?;
        self.literal(&[separator]);
        self.pair(Item::Month)?;
        if !self.literal(&[separator]) {
            return Err(Misread::Form);
        }
        self.year()?;
        // Nobody puts points after a month that comes first.
        Ok(separator != b'.')
    }

    /// Takes what stands between a date and a time of day. Whether there is a time of day.
    fn separator(&mut self) -> bool {
        let is_clock = |text: &[u8]| text.first().is_some_and(u8::is_ascii_digit);
        for separator in [&b" "[..], b"T", b", ", b":", b"t", b"  "] {
            if self.rest.strip_prefix(separator).is_some_and(is_clock) {
                return self.literal(separator);
            }
        }
        false
    }

    /// Takes the time of day.
    fn clock(&mut self) -> Result<bool, Misread> {
        let at = self.items.len();
        match self.digits() {
            // Without colons, after a date without dashes.
            digits @ (4 | 6) => {
                self.number(2, |_| Item::Hour(Pad::Zero))?;
                self.number(2, |_| Item::Minute)?;
                if digits == 6 {
                    self.number(2, |_| Item::Second)?;
                }
            }
            _ => {
                self.pair(Item::Hour)?;
                if !self.literal(b":") {
                    return Err(Misread::Form);
                }
                self.number(2, |_| Item::Minute)?;
                if self.literal(b":") {
                    self.number(2, |_| Item::Second)?;
                }
            }
        }
        if self.items.last() == Some(&Item::Second) && (self.literal(b".") || self.literal(b",")) {
            let digits = self.digits();
            self.number(digits, |digits| Item::Fraction(digits.len().min(9) as u8, digits.len() > 9))?;
            if digits == 0 {
                return Err(Misread::Form);
            }
        }
        self.half(at);
        Ok(true)
    }

    /// Takes AM or PM, which makes the hour, the item at a place, one up to 12.
    fn half(&mut self, hour: usize) {
        let blank = usize::from(self.rest.first() == Some(&b' '));
        let case = match &self.rest[blank..] {
            [b'A' | b'P', b'M', ..] => Case::Upper,
            [b'a' | b'p', b'm', ..] => Case::Lower,
            _ => return,
        };
        if blank == 1 {
            self.literal(b" ");
        }
        self.items.push(Item::Half(case));
        self.rest = &self.rest[2..];
        if let Item::Hour(pad) = self.items[hour] {
            self.items[hour] = Item::HalfHour(pad);
        }
    }

    fn zone(&mut self) -> Result<(), Misread> {
        if self.rest.first() == Some(&b' ') {
            self.literal(b" ");
        }
        if let Some(at) = UTC.iter().position(|name| self.rest.starts_with(name.as_bytes())) {
            self.items.push(Item::Utc(at as u8));
            self.rest = &self.rest[UTC[at].len()..];
            return Ok(());
        }
        let [b'+' | b'-', after @ ..] = self.rest else { return Ok(()) };
        let form = match after {
            [_, _, b':', ..] => OffsetForm::Colon,
            [_, _, next, ..] if next.is_ascii_digit() => OffsetForm::Plain,
            _ => OffsetForm::Hours,
        };
        let item = Item::Offset(form);
        let offset_alone = Pattern::new(&[item], 0).ok_or(Misread::Form)?;
        let length = match form {
            OffsetForm::Colon => 6,
            OffsetForm::Plain => 5,
            OffsetForm::Hours => 3,
        };
        let (offset, rest) = self.rest.split_at_checked(length).ok_or(Misread::Form)?;
        let offset = std::str::from_utf8(offset).map_err(|_| Misread::Form)?;
        self.offset = offset_alone.fields(offset)?.offset;
        self.items.push(item);
        self.rest = rest;
        Ok(())
    }
}
