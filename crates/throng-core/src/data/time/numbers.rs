//! Times that are numbers: seconds, milliseconds, microseconds or nanoseconds since 1970, and the serial numbers of
//! spreadsheets, which count days.
//!
//! Which one it is shows in its size. A number without a point is
//! a serial number from 10,000 to 99,999 (the years 1927 to 2173; as seconds it would be the first day of 1970), seconds below
//! 100,000,000,000 (as milliseconds it would be before 1973), then milliseconds, then microseconds and nanoseconds, a thousand times each.
//! One with a point is a serial number in the same range, and seconds from 100,000,000 on (1973).

use super::{Instant, Misread};

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// Seconds since 1970, with so many digits after the point.
    Seconds(u8),
    /// Whole milliseconds since 1970.
    Millis,
    /// Whole microseconds since 1970.
    Micros,
    /// Whole nanoseconds since 1970.
    Nanos,
    /// Days since 1899-12-30, as spreadsheets count them, local time; with a part of a day or not.
    Excel(bool),
}

/// Serial numbers of spreadsheets that are taken for such.
const EXCEL: std::ops::Range<u64> = 10_000..100_000;
/// Seconds with a point are taken for such from here on.
const SECONDS_FROM: u64 = 100_000_000;
/// Whole numbers from here on are milliseconds; a thousand times as much are microseconds.
const MILLIS_FROM: u64 = 100_000_000_000;
/// The serial number of 1970-01-01.
const EXCEL_EPOCH: i64 = 25_569;
const DAY: i128 = 86_400_000;
/// Digits of a part of a day that are compared.
const EXCEL_DIGITS: usize = 12;
const EXCEL_UNIT: i128 = 1_000_000_000_000;

/// A number in figures.
struct Decimal<'a> {
    is_negative: bool,
    whole: u64,
    /// Digits after the point; none if there is no point.
    digits: &'a [u8],
}

impl<'a> Decimal<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, digits) = match unsigned.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (unsigned, ""),
        };
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(digits) {
            return None;
        }
        Some(Self { is_negative: unsigned.len() < text.len(), whole: whole.parse().ok()?, digits: digits.as_bytes() })
    }

    /// The digits after the point, as many as asked for.
    fn fraction(&self, count: usize) -> i128 {
        (0..count).fold(0, |sum, at| 10 * sum + i128::from(self.digits.get(at).map_or(0, |digit| digit - b'0')))
    }

    fn signed(&self, value: i128) -> i128 {
        if self.is_negative { -value } else { value }
    }
}

/// Reads a number, and what it counts by its size. The last says whether it has digits that are not looked at.
pub(super) fn parse(text: &str) -> Option<(Instant, Number, bool)> {
    let decimal = Decimal::parse(text)?;
    let has_point = !decimal.digits.is_empty();
    let number = match decimal.whole {
        whole if EXCEL.contains(&whole) && !decimal.is_negative => Number::Excel(has_point),
        whole if has_point => match whole {
            SECONDS_FROM..MILLIS_FROM => Number::Seconds(0),
            _ => return None,
        },
        0..MILLIS_FROM => Number::Seconds(0),
        whole if whole < MILLIS_FROM * 1000 => Number::Millis,
        whole if whole < MILLIS_FROM * 1_000_000 => Number::Micros,
        _ => Number::Nanos,
    };
    read(text, number).ok()
}

/// Reads a number that counts what is said. The number that comes back has the digits that the text has.
pub(super) fn read(text: &str, number: Number) -> Result<(Instant, Number, bool), Misread> {
    let decimal = Decimal::parse(text).ok_or(Misread::Form)?;
    let has_point = !decimal.digits.is_empty();
    if has_point && !matches!(number, Number::Seconds(_) | Number::Excel(_)) {
        return Err(Misread::Form);
    }
    let whole = i128::from(decimal.whole);
    let in_nanos = |nanos: i128| {
        let (millis, rest) = (nanos.div_euclid(1_000_000), nanos.rem_euclid(1_000_000));
        Ok(Instant { millis: i64::try_from(millis).map_err(|_| Misread::Form)?, nanos: rest as u32 })
    };
    let (instant, number) = match number {
        Number::Seconds(_) => (
            in_nanos(decimal.signed(whole * 1_000_000_000 + decimal.fraction(9)))?,
            Number::Seconds(decimal.digits.len().min(9) as u8),
        ),
        Number::Millis => (in_nanos(decimal.signed(whole * 1_000_000))?, number),
        Number::Micros => (in_nanos(decimal.signed(whole * 1000))?, number),
        Number::Nanos => (in_nanos(decimal.signed(whole))?, number),
        Number::Excel(_) => {
            let days = decimal.signed(whole * EXCEL_UNIT + decimal.fraction(EXCEL_DIGITS));
            // The nearest millisecond, and how far after the one before it the number is: different numbers stay different.
            let millis = (2 * days * DAY + EXCEL_UNIT).div_euclid(2 * EXCEL_UNIT);
            let rest = days - ((2 * millis - 1) * EXCEL_UNIT).div_euclid(2 * DAY);
            let millis = i64::try_from(millis - i128::from(EXCEL_EPOCH) * DAY).map_err(|_| Misread::Form)?;
            (Instant { millis, nanos: rest as u32 }, Number::Excel(has_point))
        }
    };
    let compared = if matches!(number, Number::Excel(_)) { EXCEL_DIGITS } else { 9 };
    Ok((instant, number, decimal.digits.len() > compared))
}

/// Writes a time. Milliseconds that a number has no digits for are cut off. A serial number has as many digits as it needs to
/// tell milliseconds apart, as in spreadsheets.
pub(super) fn write(millis: i64, number: Number, out: &mut Vec<u8>) {
    let wide = i128::from(millis);
    let text = match number {
        Number::Seconds(digits @ 0..3) => {
            let unit = 10i64.pow(u32::from(3 - digits));
            in_figures(i128::from(millis.div_euclid(unit)), usize::from(digits))
        }
        Number::Seconds(digits) => in_figures(wide * 10i128.pow(u32::from(digits) - 3), usize::from(digits)),
        Number::Millis => millis.to_string(),
        Number::Micros => (wide * 1000).to_string(),
        Number::Nanos => (wide * 1_000_000).to_string(),
        Number::Excel(false) => (wide.div_euclid(DAY) + i128::from(EXCEL_EPOCH)).to_string(),
        Number::Excel(true) => {
            const DIGITS: usize = 10;
            let days = wide + i128::from(EXCEL_EPOCH) * DAY;
            let text = in_figures((2 * days * 10i128.pow(DIGITS as u32) + DAY).div_euclid(2 * DAY), DIGITS);
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    out.extend_from_slice(text.as_bytes());
}

/// A number of so many digits after the point, given without it.
fn in_figures(value: i128, digits: usize) -> String {
    if digits == 0 {
        return value.to_string();
    }
    let unit = 10u128.pow(digits as u32);
    let sign = if value < 0 { "-" } else { "" };
    let (whole, fraction) = (value.unsigned_abs() / unit, value.unsigned_abs() % unit);
    format!("{sign}{whole}.{fraction:0digits$}")
}

impl Number {
    /// Whether two numbers count the same.
    pub(super) fn counts_like(self, other: Self) -> bool {
        self.name() == other.name()
    }

    /// What it counts, as `--time-format` takes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Seconds(_) => "seconds",
            Self::Millis => "milliseconds",
            Self::Micros => "microseconds",
            Self::Nanos => "nanoseconds",
            Self::Excel(_) => "excel",
        }
    }

    /// All of them, for their names.
    pub(super) const ALL: [Self; 5] = [Self::Seconds(0), Self::Millis, Self::Micros, Self::Nanos, Self::Excel(true)];

    /// What has the digits of both.
    pub(super) fn merge(self, other: Self) -> Self {
        match (self, other) {
            (Self::Seconds(digits), Self::Seconds(others)) => Self::Seconds(digits.max(others)),
            (Self::Excel(has_parts), Self::Excel(others)) => Self::Excel(has_parts | others),
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_size_says_what_is_counted() {
        for (text, millis, number) in [
            ("0", 0, Number::Seconds(0)),
            ("-1", -1000, Number::Seconds(0)),
            ("9999", 9_999_000, Number::Seconds(0)),
            ("100000", 100_000_000, Number::Seconds(0)),
            ("1149116452", 1_149_116_452_000, Number::Seconds(0)),
            ("1141234567.123", 1_141_234_567_123, Number::Seconds(3)),
            ("1149116452123", 1_149_116_452_123, Number::Millis),
            ("1149116452123456", 1_149_116_452_123, Number::Micros),
            ("1149116452123456789", 1_149_116_452_123, Number::Nanos),
            ("25569", 0, Number::Excel(false)),
            ("45291.99", 1_704_066_336_000, Number::Excel(true)),
            ("45291.5416666667", 1_704_027_600_000, Number::Excel(true)),
        ] {
            let (instant, found, _) = parse(text).unwrap();
            assert_eq!((instant.millis, found), (millis, number), "{text}");
        }
        for text in [
            "",
            "-",
            "1.",
            ".5",
            "0.5",
            "1234567.8",
            "-45291.5",
            "1e9",
            "+1",
            "1149116452123.5",
            "99999999999999999999",
        ] {
            assert!(parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn digits_beyond_the_millisecond_stay_apart() {
        let instant = |text: &str| parse(text).unwrap().0;
        assert_eq!(instant("1141234567.123456789").nanos, 456_789);
        assert_eq!(instant("1149116452123456789").nanos, 456_789);
        let near = (0..3000).map(|last| instant(&format!("45291.54166666{last:04}")));
        let mut seen: Vec<(i64, u32)> = near.map(|instant| (instant.millis, instant.nanos)).collect();
        seen.dedup();
        assert_eq!(seen.len(), 3000);
        assert!(parse("45291.1234567890123").unwrap().2);
        assert!(!parse("45291.123456789012").unwrap().2);
        assert!(parse("1141234567.1234567891").unwrap().2);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(millis in -9_200_000_000_000i64..9_200_000_000_000, at in 0usize..5, digits in 3u8..=9) {
            let number = match Number::ALL[at] {
                Number::Seconds(_) => Number::Seconds(digits),
                number => number,
            };
            let mut text = Vec::new();
            write(millis, number, &mut text);
            let text = String::from_utf8(text).unwrap();
            let (instant, _, is_finer) = read(&text, number).unwrap();
            prop_assert_eq!((instant.millis, is_finer), (millis, false), "{}", text);
        }

        #[test]
        fn cut_digits_are_those_of_the_time_before(millis: i32, digits in 0u8..3) {
            let mut text = Vec::new();
            write(millis.into(), Number::Seconds(digits), &mut text);
            let read = read(std::str::from_utf8(&text).unwrap(), Number::Seconds(0)).unwrap().0.millis;
            let unit = 10i64.pow(u32::from(3 - digits));
            prop_assert_eq!(read, i64::from(millis).div_euclid(unit) * unit);
        }
    }
}
