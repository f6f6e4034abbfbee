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
    let bytes = text.as_bytes();
    // The form of nearly every line of a large log comes first.
    if bytes.len() == 19
        && bytes[10] == b' '
        && let Some(seconds) = date_and_time(bytes)
    {
        return Some((Instant { millis: seconds * 1000, nanos: 0 }, TimeStyle::AOL));
    }
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

/// `YYYY-MM-DD?hh:mm:ss` as seconds since 1970.
fn date_and_time(bytes: &[u8]) -> Option<i64> {
    let days = date(bytes)?;
    if bytes[13] != b':' || bytes[16] != b':' {
        return None;
    }
    let (hour, minute, second) = (two(bytes, 11)?, two(bytes, 14)?, two(bytes, 17)?);
    // A leap second is the first second after the minute, as in every POSIX clock.
    (hour < 24 && minute < 60 && second <= 60).then(|| days * 86_400 + i64::from(hour * 3600 + minute * 60 + second))
}

/// `YYYY-MM-DD` as days since 1970.
fn date(bytes: &[u8]) -> Option<i64> {
    if bytes.len() < 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let year = two(bytes, 0)? * 100 + two(bytes, 2)?;
    let (month, day) = (two(bytes, 5)?, two(bytes, 8)?);
    ((1..=12).contains(&month) && day >= 1 && day <= days_in_month(year, month))
        .then(|| days_from_civil(year, month, day))
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

fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar, counted in eras of 400 years that begin in March.
fn days_from_civil(year: u32, month: u32, day: u32) -> i64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (i64::from(month) + if month > 2 { -3 } else { 9 }) + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01: the inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Writes a time in a style. Milliseconds that the style has no digits for are cut off.
pub fn format(millis: i64, style: TimeStyle, out: &mut Vec<u8>) {
    let TimeStyle::Calendar { separator, zone, fraction } = style else {
        let number = if style == TimeStyle::EpochSeconds { millis.div_euclid(1000) } else { millis };
        out.extend_from_slice(number.to_string().as_bytes());
        return;
    };
    let offset = if let Zone::Offset(minutes) = zone { i64::from(minutes) } else { 0 };
    let local = millis + offset * 60_000;
    let (seconds, rest) = (local.div_euclid(1000), local.rem_euclid(1000));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    let pair = |number: i64| [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
    if (0..=9999).contains(&year) {
        out.extend_from_slice(&pair(year / 100));
        out.extend_from_slice(&pair(year % 100));
    } else {
        out.extend_from_slice(year.to_string().as_bytes());
    }
    out.push(b'-');
    out.extend_from_slice(&pair(i64::from(month)));
    out.push(b'-');
    out.extend_from_slice(&pair(i64::from(day)));
    out.push(separator);
    out.extend_from_slice(&pair(second / 3600));
    out.push(b':');
    out.extend_from_slice(&pair(second / 60 % 60));
    out.push(b':');
    out.extend_from_slice(&pair(second % 60));
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
            let minutes = i64::from(minutes.unsigned_abs());
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
    fn every_day_of_eight_centuries_comes_back() {
        for days in days_from_civil(1600, 1, 1)..days_from_civil(2400, 1, 1) {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year as u32, month, day), days);
        }
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2000, 3, 1), 11_017);
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
