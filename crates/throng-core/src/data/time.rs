//! Points in time: reading the forms that logs use, and writing them back in the form they came in.
//!
//! A point in time is a number of milliseconds since 1970-01-01T00:00:00Z. Read are ISO 8601 (date and time, `T` or a
//! blank between them, optional fraction, optional zone), AOL's `YYYY-MM-DD hh:mm:ss`, and whole numbers: seconds since
//! 1970, or milliseconds from 100,000,000,000 on (as seconds that would be the year 5138). A time without a zone is
//! taken as UTC (reading Q29).

use std::fmt::Write as _;

/// A point in time as read: milliseconds, and what a finer clock said beyond them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub millis: i64,
    /// Nanoseconds beyond the millisecond. throng works with milliseconds; the checker looks at these too.
    pub nanos: u32,
}

/// An hour in milliseconds.
pub const HOUR: i64 = 3_600_000;

/// The number of the day, in UTC, of a point in time. 1970-01-01 is 0.
pub fn day(millis: i64) -> i64 {
    millis.div_euclid(24 * HOUR)
}

/// How many hours a week has.
pub const HOURS_A_WEEK: i64 = 168;

/// The hour of the week, in UTC, of a point in time. The first hour is that of a Thursday, as 1970 began.
pub fn hour_of_week(millis: i64) -> u32 {
    millis.div_euclid(HOUR).rem_euclid(HOURS_A_WEEK) as u32
}

/// How a column writes its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeStyle {
    /// Date and time in figures.
    Calendar {
        /// `T` or a blank.
        separator: u8,
        /// How the zone is written.
        zone: Zone,
        /// Digits after the decimal point of the seconds.
        fraction: u8,
    },
    /// Whole seconds since 1970.
    EpochSeconds,
    /// Whole milliseconds since 1970.
    EpochMillis,
}

/// How a zone is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// Not at all; UTC is meant.
    Unnamed,
    /// `Z`.
    Utc,
    /// Minutes east of Greenwich, as `+02:00`.
    Offset(i16),
}

impl TimeStyle {
    /// AOL's `YYYY-MM-DD hh:mm:ss`.
    pub const AOL: Self = Self::Calendar { separator: b' ', zone: Zone::Unnamed, fraction: 0 };
    /// ISO 8601 in UTC, `YYYY-MM-DDThh:mm:ssZ`.
    pub const ISO: Self = Self::Calendar { separator: b'T', zone: Zone::Utc, fraction: 0 };

    /// The style of a column whose parts were written in these two styles: offsets that differ become UTC, so that
    /// no line's own zone is published for another.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Calendar { separator, zone: zone @ (Zone::Offset(_) | Zone::Utc), fraction },
                Self::Calendar { zone: other_zone @ (Zone::Offset(_) | Zone::Utc), .. },
            ) if zone != other_zone => Self::Calendar { separator, zone: Zone::Offset(0), fraction },
            _ => self,
        }
    }
}

/// Reads a time, and how it was written. `None` if it is not a time.
pub fn parse(text: &str) -> Option<(Instant, TimeStyle)> {
    let text = text.trim_ascii();
    if let Some(millis) = parse_aol(text) {
        return Some((Instant { millis, nanos: 0 }, TimeStyle::AOL));
    }
    let bytes = text.as_bytes();
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
        let number: i64 = text.parse().ok()?;
        return if number.unsigned_abs() < MILLIS_FROM {
            Some((Instant { millis: number * 1000, nanos: 0 }, TimeStyle::EpochSeconds))
        } else if number.unsigned_abs() < MILLIS_FROM * 1000 {
            Some((Instant { millis: number, nanos: 0 }, TimeStyle::EpochMillis))
        } else {
            None
        };
    }
    calendar(bytes)
}

/// Whole numbers from here on are milliseconds.
const MILLIS_FROM: u64 = 100_000_000_000;

/// Reads a time in [`TimeStyle::AOL`], that of nearly every line of a large log, as milliseconds since 1970.
pub fn parse_aol(text: &str) -> Option<i64> {
    const LEAST: &[u8; 19] = b"0000-00-00 00:00:00";
    const MOST: &[u8; 19] = b"9999-99-99 99:99:99";
    let bytes: &[u8; 19] = text.as_bytes().try_into().ok()?;
    // All characters are looked at before anything is decided: that is faster than to stop at the first bad one.
    let fits = (0..19).fold(true, |fits, at| fits & (bytes[at].wrapping_sub(LEAST[at]) <= MOST[at] - LEAST[at]));
    let two = |at: usize| u32::from(bytes[at] & 15) * 10 + u32::from(bytes[at + 1] & 15);
    let (year, month, day) = (two(0) * 100 + two(2), two(5), two(8));
    let (hour, minute, second) = (two(11), two(14), two(17));
    // A leap second is the first second after the minute, as in every POSIX clock.
    (fits && is_date(year, month, day) && hour < 24 && minute < 60 && second <= 60).then(|| {
        let seconds = days_from_civil(year, month, day) * 86_400 + i64::from(hour * 3600 + minute * 60 + second);
        seconds * 1000
    })
}

/// `YYYY-MM-DD` as days since 1970.
fn date(bytes: &[u8]) -> Option<i64> {
    if bytes.len() < 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let year = two(bytes, 0)? * 100 + two(bytes, 2)?;
    let (month, day) = (two(bytes, 5)?, two(bytes, 8)?);
    is_date(year, month, day).then(|| days_from_civil(year, month, day))
}

fn calendar(bytes: &[u8]) -> Option<(Instant, TimeStyle)> {
    let days = date(bytes)?;
    let mut rest = &bytes[10..];
    if rest.is_empty() {
        return Some((Instant { millis: days * 86_400_000, nanos: 0 }, TimeStyle::AOL));
    }
    let separator = if rest[0] == b' ' { b' ' } else { b'T' };
    if !matches!(rest[0], b' ' | b'T' | b't') || rest.len() < 6 || rest[3] != b':' {
        return None;
    }
    let (hour, minute) = (two(rest, 1)?, two(rest, 4)?);
    rest = &rest[6..];
    let mut second = 0;
    let (mut nanos, mut fraction) = (0u64, 0u8);
    if rest.first() == Some(&b':') {
        if rest.len() < 3 {
            return None;
        }
        second = two(rest, 1)?;
        rest = &rest[3..];
        if matches!(rest.first(), Some(b'.' | b',')) {
            let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return None;
            }
            for position in 0..9 {
                let digit = if position < digits { u64::from(rest[1 + position] - b'0') } else { 0 };
                nanos = nanos * 10 + digit;
            }
            fraction = digits.min(9) as u8;
            rest = &rest[1 + digits..];
        }
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (zone, offset) = zone(rest.trim_ascii_start())?;
    let seconds = days * 86_400 + i64::from(hour * 3600 + minute * 60 + second) - i64::from(offset) * 60;
    let instant = Instant { millis: seconds * 1000 + (nanos / 1_000_000) as i64, nanos: (nanos % 1_000_000) as u32 };
    Some((instant, TimeStyle::Calendar { separator, zone, fraction }))
}

fn zone(bytes: &[u8]) -> Option<(Zone, i16)> {
    match bytes {
        [] => Some((Zone::Unnamed, 0)),
        [b'Z' | b'z'] | b"UTC" => Some((Zone::Utc, 0)),
        [sign @ (b'+' | b'-'), rest @ ..] => {
            let (hours, minutes) = match rest.len() {
                2 => (two(rest, 0)?, 0),
                4 => (two(rest, 0)?, two(rest, 2)?),
                5 if rest[2] == b':' => (two(rest, 0)?, two(rest, 3)?),
                _ => return None,
            };
            if hours > 18 || minutes > 59 {
                return None;
            }
            let offset = (hours * 60 + minutes) as i16;
            let offset = if *sign == b'-' { -offset } else { offset };
            Some((Zone::Offset(offset), offset))
        }
        _ => None,
    }
}

/// Two digits as a number.
fn two(bytes: &[u8], at: usize) -> Option<u32> {
    let (tens, units) = (bytes.get(at)?.wrapping_sub(b'0'), bytes.get(at + 1)?.wrapping_sub(b'0'));
    (tens < 10 && units < 10).then(|| u32::from(tens) * 10 + u32::from(units))
}

fn is_date(year: u32, month: u32, day: u32) -> bool {
    (1..=12).contains(&month) && day >= 1 && (day <= 28 || day <= days_in_month(year, month))
}

fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar. The year begins in March here, and 400 years earlier than
/// it did, so that nothing is negative.
///
/// The paper of this and of [`civil_from_days`]: Neri, Schneider. Euclidean affine functions and their application to
/// calendar algorithms. Software: Practice and Experience 2023.
fn days_from_civil(year: u32, month: u32, day: u32) -> i64 {
    let is_early = month <= 2;
    let year = year + 400 - u32::from(is_early);
    let month = if is_early { month + 12 } else { month };
    let century = year / 100;
    let days = 1461 * year / 4 - century + century / 4 + (979 * month - 2919) / 32 + day - 1;
    i64::from(days) - 719_468 - 146_097
}

/// Year, month and day of a number of days since 1970-01-01: the inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, u32, u32) {
    /// So many times 400 years earlier nothing is negative that milliseconds in an `i64` can say.
    const ERAS: i64 = 1_000_000;
    let quarters = 4 * (days + 719_468 + ERAS * 146_097) as u64 + 3;
    let (century, day) = (quarters / 146_097, (quarters % 146_097) as u32 / 4);
    let scaled = 2_939_745 * u64::from(4 * day + 3);
    let (year, day_of_year) = (scaled >> 32, scaled as u32 / 2_939_745 / 4);
    let scaled = 2141 * day_of_year + 197_913;
    let (month, day) = (scaled >> 16, (scaled & 0xffff) / 2141 + 1);
    let is_early = day_of_year >= 306;
    let year = (100 * century + year) as i64 - 400 * ERAS + i64::from(is_early);
    (year, if is_early { month - 12 } else { month }, day)
}

/// The numbers below 100 with two digits each.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// Writes a time in a style. Milliseconds that the style has no digits for are cut off.
pub fn format(millis: i64, style: TimeStyle, out: &mut Vec<u8>) {
    let TimeStyle::Calendar { separator, zone, fraction } = style else {
        let number = if style == TimeStyle::EpochSeconds { millis.div_euclid(1000) } else { millis };
        out.extend_from_slice(number.to_string().as_bytes());
        return;
    };
    let offset = if let Zone::Offset(minutes) = zone { i64::from(minutes) } else { 0 };
    let local = millis + offset * 60_000;
    let (days, rest) = (local.div_euclid(86_400_000), local.rem_euclid(86_400_000) as u32);
    let (second, rest) = (rest / 1000, rest % 1000);
    let (year, month, day) = civil_from_days(days);
    let pair = |number: u32| PAIRS[number as usize];
    let mut text = *b"0000-00-00 00:00:00";
    text[5..7].copy_from_slice(&pair(month));
    text[8..10].copy_from_slice(&pair(day));
    text[10] = separator;
    text[11..13].copy_from_slice(&pair(second / 3600));
    text[14..16].copy_from_slice(&pair(second / 60 % 60));
    text[17..].copy_from_slice(&pair(second % 60));
    if (0..=9999).contains(&year) {
        text[..2].copy_from_slice(&pair(year as u32 / 100));
        text[2..4].copy_from_slice(&pair(year as u32 % 100));
        out.extend_from_slice(&text);
    } else {
        out.extend_from_slice(year.to_string().as_bytes());
        out.extend_from_slice(&text[4..]);
    }
    if fraction > 0 {
        let digits = format!("{rest:03}000000");
        out.push(b'.');
        out.extend_from_slice(&digits.as_bytes()[..usize::from(fraction)]);
    }
    match zone {
        Zone::Unnamed => {}
        Zone::Utc => out.push(b'Z'),
        Zone::Offset(minutes) => {
            let sign = if minutes < 0 { b'-' } else { b'+' };
            let minutes = u32::from(minutes.unsigned_abs());
            out.push(sign);
            out.extend_from_slice(&pair(minutes / 60));
            out.push(b':');
            out.extend_from_slice(&pair(minutes % 60));
        }
    }
}

/// A time as text, for people.
pub fn to_text(millis: i64, style: TimeStyle) -> String {
    let mut bytes = Vec::new();
    format(millis, style, &mut bytes);
    let mut text = String::new();
    let _ = write!(text, "{}", String::from_utf8_lossy(&bytes));
    text
}

/// Rounds a mean of times, given as sum and count, half up to a multiple of `resolution` milliseconds.
pub fn rounded_mean(sum: i128, count: usize, resolution: i64) -> i64 {
    // floor(sum / (count * resolution) + 1/2), in whole numbers.
    let step = count as i128 * i128::from(resolution);
    let multiple = (2 * sum + step).div_euclid(2 * step);
    multiple as i64 * resolution
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> Option<i64> {
        parse(text).map(|(instant, _)| instant.millis)
    }

    #[test]
    fn all_forms_of_one_second() {
        for text in [
            "2006-05-31 23:00:52",
            "2006-05-31T23:00:52",
            "2006-05-31T23:00:52Z",
            "2006-05-31T23:00:52.000Z",
            "2006-06-01T01:00:52+02:00",
            "2006-05-31T18:30:52-0430",
            "1149116452",
            "1149116452000",
        ] {
            assert_eq!(millis(text), Some(1_149_116_452_000), "{text}");
        }
        assert_eq!(millis("2006-05-31"), millis("2006-05-31T00:00"));
        assert_eq!(millis("1969-12-31 23:59:59"), Some(-1000));
    }

    #[test]
    fn what_is_not_a_time() {
        for text in [
            "",
            "-",
            "today",
            "2006-13-01 00:00:00",
            "2006-02-29",
            "2006-05-31 24:00:00",
            "2006-05-31 23:60:00",
            "2006-05-31 23:00:52+99",
            "2006-05-31T",
            "2006-05-31T23:00:5",
            "31.05.2006",
            "99999999999999999999",
            "1e5",
            "2006-05-31T23:00:52.Z",
            "2006-05-31T23:00:52 Europe",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn written_as_it_was_read() {
        for text in [
            "2006-05-31 23:00:52",
            "2004-02-29T00:00:00Z",
            "1969-12-31T23:59:59.250Z",
            "2006-06-01T01:00:52+02:00",
            "2006-06-01T01:00:52.5-04:30",
            "1149116452",
            "1149116452123",
            "0001-01-01 00:00:00",
        ] {
            let (instant, style) = parse(text).unwrap();
            assert_eq!(to_text(instant.millis, style), text);
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut days = days_from_civil(0, 1, 1);
        for year in 0..10_000 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    assert_eq!(days_from_civil(year, month, day), days);
                    assert_eq!(civil_from_days(days), (i64::from(year), month, day));
                    days += 1;
                }
            }
        }
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2000, 3, 1), 11_017);
    }

    #[test]
    fn years_beyond_four_digits() {
        assert_eq!(to_text(i64::MAX, TimeStyle::ISO), "292278994-08-17T07:12:55Z");
        assert_eq!(to_text(i64::MIN, TimeStyle::ISO), "-292275055-05-16T16:47:04Z");
    }

    #[test]
    fn fractions_keep_their_nanoseconds() {
        let (instant, _) = parse("2006-05-31T23:00:52.123456789Z").unwrap();
        assert_eq!((instant.millis % 1000, instant.nanos), (123, 456_789));
    }

    #[test]
    fn means_are_rounded_half_up() {
        assert_eq!(rounded_mean(1000 + 2000, 2, 1000), 2000); // 1.5 s
        assert_eq!(rounded_mean(1000 + 2000 + 1000, 3, 1000), 1000); // 1.33 s
        assert_eq!(rounded_mean(-1000 - 2000, 2, 1000), -1000); // -1.5 s, half up is towards +infinity
        assert_eq!(rounded_mean(5400 * 1000, 1, 3_600_000), 7_200_000); // 1:30 to the hour
    }

    #[test]
    fn different_zones_become_utc() {
        let style = |text| parse(text).unwrap().1;
        let merged = style("2006-06-01T01:00:52+02:00").merge(style("2006-06-01T01:00:52+01:00"));
        assert_eq!(merged, TimeStyle::Calendar { separator: b'T', zone: Zone::Offset(0), fraction: 0 });
        let same = style("2006-06-01T01:00:52+02:00").merge(style("2007-06-01T01:00:52+02:00"));
        assert_eq!(same, style("2006-06-01T01:00:52+02:00"));
    }
}
