//! Points in time: reading the forms that logs use, and writing them back in the form they came in.
//!
//! A point in time is a number of milliseconds since 1970-01-01T00:00:00Z. Most logs write it as AOL's `YYYY-MM-DD hh:mm:ss`
//! or as ISO 8601, which are read and written here; other calendar forms have a [`Pattern`], and numbers are in `numbers`.
//! `column` learns how a whole column is written, since one time alone may not tell. A time without a zone is taken as
//! UTC (reading Q29). A leap second is the first second after its minute, as in every POSIX clock, and stays apart from it.

mod civil;
mod column;
mod numbers;
mod pattern;
mod recognise;

use std::fmt::Write as _;

use civil::{civil_from_days, days_from_civil, is_date};

pub use column::{Read, Settled, TimeColumn, Undecided, exchange};
pub use numbers::Number;
pub use pattern::Pattern;

/// A point in time as read: milliseconds, and what a finer clock said beyond them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub millis: i64,
    /// What lies beyond the millisecond, in nanoseconds; of a serial number, in smaller parts; a million more in a leap
    /// second. throng works with milliseconds; the checker compares this too.
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

/// The day of a time, as 2024-03-31.
pub fn day_text(millis: i64) -> String {
    let (year, month, day) = civil_from_days(millis.div_euclid(86_400_000));
    format!("{year:04}-{month:02}-{day:02}")
}

/// When the year began, or the span of so many years, counted from 1970.
pub fn year_start(millis: i64, years: i64) -> i64 {
    let (year, _, _) = civil_from_days(day(millis));
    let year = 1970 + (year - 1970).div_euclid(years.max(1)) * years.max(1);
    // From one leap rule to the next the same days come again.
    let (cycles, within) = ((year - 1970).div_euclid(400), (year - 1970).rem_euclid(400));
    (days_from_civil(1970 + within as u32, 1, 1) + cycles * 146_097) * 86_400_000
}

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
    /// Date and time in another form.
    Pattern(Pattern),
    /// A number.
    Number(Number),
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

    /// What is written like both, for a column that has times of both: the finer one if they differ in more than zeros and
    /// digits. Offsets that differ become UTC, so that no line's own zone is published for another.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (
                Self::Calendar { separator, zone, fraction },
                Self::Calendar { zone: other_zone, fraction: other_fraction, .. },
            ) => {
                let are_named = zone != Zone::Unnamed && other_zone != Zone::Unnamed;
                let zone = if are_named && zone != other_zone { Zone::Offset(0) } else { zone };
                Self::Calendar { separator, zone, fraction: fraction.max(other_fraction) }
            }
            (Self::Pattern(pattern), Self::Pattern(other)) => Self::Pattern(pattern.merge(other)),
            (Self::Number(number), Self::Number(other)) => Self::Number(number.merge(other)),
            (Self::Calendar { .. } | Self::Pattern(_), Self::Calendar { .. } | Self::Pattern(_)) => {
                if other.fineness() > self.fineness() { other } else { self }
            }
            _ => self,
        }
    }

    /// How fine its times are: 0 for days, 1 for minutes, 2 for seconds, 3 and more for digits after their point.
    fn fineness(self) -> u8 {
        match self {
            Self::Calendar { fraction, .. } => 2 + fraction,
            Self::Pattern(pattern) => pattern.fineness(),
            Self::Number(_) => 0,
        }
    }

    /// The zone that it names.
    pub fn zone(self) -> Zone {
        match self {
            Self::Calendar { zone, .. } => zone,
            Self::Pattern(pattern) => pattern.zone(),
            Self::Number(Number::Excel(_)) => Zone::Unnamed,
            Self::Number(_) => Zone::Utc,
        }
    }

    /// The same with another offset from UTC, in minutes, where it writes one.
    #[must_use]
    pub fn with_offset(self, minutes: i16) -> Self {
        match self {
            Self::Calendar { separator, zone: Zone::Offset(_), fraction } => {
                Self::Calendar { separator, zone: Zone::Offset(minutes), fraction }
            }
            Self::Pattern(pattern) => Self::Pattern(pattern.with_offset(minutes)),
            style => style,
        }
    }

    /// Whether its times are numbers with a point.
    pub fn has_point(self) -> bool {
        matches!(self, Self::Number(Number::Seconds(1..) | Number::Excel(true)))
    }

    /// The format that says it: directives, or what a number counts.
    pub fn to_format(self) -> String {
        match self {
            Self::Calendar { separator, zone, fraction } => {
                let zone = match zone {
                    Zone::Unnamed => "",
                    Zone::Utc => "Z",
                    Zone::Offset(_) => "%:z",
                };
                let fraction = if fraction > 0 { format!(".%{fraction}f") } else { String::new() };
                format!("%Y-%m-%d{}%H:%M:%S{fraction}{zone}", char::from(separator))
            }
            Self::Pattern(pattern) => pattern.to_format(),
            Self::Number(number) => number.name().to_owned(),
        }
    }

    /// Reads a format: directives, or what a number counts. The error says what is wrong with it.
    pub fn parse_format(format: &str) -> std::result::Result<Self, String> {
        if format == "%s" {
            return Ok(Self::Number(Number::Seconds(0)));
        }
        match Number::ALL.into_iter().find(|number| number.name() == format) {
            Some(number) => Ok(Self::Number(number)),
            None => Pattern::parse(format).map(Self::Pattern),
        }
    }

    /// What may be said in a format, in a sentence.
    pub const FORMATS: &'static str = "%Y %m %d (%-d: no zero), %H %M %S %f, %I %p, %b %B %a %A, %y %j, %G %V %u, %z %:z %Z, %F %T %R, \
         or one of seconds, milliseconds, microseconds, nanoseconds (since 1970), excel";
}

/// Why a text is no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misread {
    /// It is written in no known way, or not as was said.
    Form,
    /// The year has two digits.
    ShortYear,
    /// There is no such day.
    Day,
    /// It is not that day of the week.
    Weekday,
    /// There is no such time of day.
    Clock,
}

/// A time as read.
#[derive(Debug, Clone, Copy)]
struct Told {
    instant: Instant,
    style: TimeStyle,
    /// Whether day and month could as well stand in each other's place.
    is_open: bool,
    /// Whether it has digits that are not looked at.
    is_finer: bool,
}

/// Reads a time, and how it was written; where it can be either, the day comes before the month. `None` if it is not a time.
pub fn parse(text: &str) -> Option<(Instant, TimeStyle)> {
    tell(text.trim_ascii()).ok().map(|told| (told.instant, told.style))
}

/// Reads a time without blanks around it, however it is written.
fn tell(text: &str) -> std::result::Result<Told, Misread> {
    let plain = |instant, style| Told { instant, style, is_open: false, is_finer: false };
    if let Some(millis) = parse_aol(text) {
        return Ok(plain(Instant { millis, nanos: 0 }, TimeStyle::AOL));
    }
    let is_number = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-'));
    if is_number
        && !is_date_together(text)
        && let Some((instant, number, is_finer)) = numbers::parse(text)
    {
        return Ok(Told { is_finer, ..plain(instant, TimeStyle::Number(number)) });
    }
    if let Some((instant, style)) = calendar(text.as_bytes()) {
        return Ok(plain(instant, style));
    }
    let recognised = recognise::recognise(text)?;
    let fields = recognised.pattern.fields(text)?;
    let is_swapped = recognised.is_open && fields.month > Some(12) && fields.day <= Some(12);
    let pattern = if is_swapped { recognised.pattern.exchanged() } else { recognised.pattern };
    let fields = if is_swapped { pattern.fields(text)? } else { fields };
    let is_open = recognised.is_open && fields.day <= Some(12);
    Ok(Told { instant: fields.instant()?, style: TimeStyle::Pattern(pattern), is_open, is_finer: fields.is_finer })
}

/// Whether figures alone are a day of this century or the last one, with or without a time of day.
fn is_date_together(text: &str) -> bool {
    let is_year = text.starts_with("19") || text.starts_with("20");
    let is_date = || recognise::recognise(text).and_then(|found| found.pattern.fields(text)?.instant()).is_ok();
    is_year && matches!(text.len(), 8 | 12 | 14) && is_date()
}

/// A point in time from a day and a time of day; `None` if there is no such time of day.
fn instant(days: i64, hour: u32, minute: u32, second: u32, nanos: u32, offset: i16) -> Option<Instant> {
    // Leap seconds come at the end of a quarter of an hour, wherever one is.
    let is_leap = second == 60 && minute % 15 == 14;
    if hour > 23 || minute > 59 || second > 59 && !is_leap {
        return None;
    }
    let seconds = days * 86_400 + i64::from(hour * 3600 + minute * 60 + second) - i64::from(offset) * 60;
    let beyond = nanos % 1_000_000 + if is_leap { 1_000_000 } else { 0 };
    Some(Instant { millis: seconds * 1000 + i64::from(nanos / 1_000_000), nanos: beyond })
}

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
    (fits && is_date(year, month, day) && hour < 24 && minute < 60 && second < 60).then(|| {
        let seconds = days_from_civil(year, month, day) * 86_400 + i64::from(hour * 3600 + minute * 60 + second);
        seconds * 1000
    })
}

/// Reads a time of ISO 8601 with seconds, in the forms that [`TimeStyle::Calendar`] writes.
fn calendar(bytes: &[u8]) -> Option<(Instant, TimeStyle)> {
    let (head, mut rest) = bytes.split_at_checked(19)?;
    let separator = head[10];
    let is_fixed = head[4] == b'-' && head[7] == b'-' && head[13] == b':' && head[16] == b':';
    if !is_fixed || !matches!(separator, b' ' | b'T') {
        return None;
    }
    let (year, month, day) = (two(head, 0)? * 100 + two(head, 2)?, two(head, 5)?, two(head, 8)?);
    let (mut nanos, mut fraction) = (0, 0);
    if rest.first() == Some(&b'.') {
        let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=9).contains(&digits) {
            return None;
        }
        let digit = |at: usize| if at < digits { u32::from(rest[1 + at] - b'0') } else { 0 };
        nanos = (0..9).fold(0, |nanos, at| 10 * nanos + digit(at));
        fraction = digits as u8;
        rest = &rest[1 + digits..];
    }
    let (zone, offset) = match rest {
        [] => (Zone::Unnamed, 0),
        [b'Z'] => (Zone::Utc, 0),
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (two(rest, 1)?, two(rest, 4)?);
            if hours > 18 || minutes > 59 {
                return None;
            }
            let offset = (hours * 60 + minutes) as i16;
            let offset = if *sign == b'-' { -offset } else { offset };
            (Zone::Offset(offset), offset)
        }
        _ => return None,
    };
    let days = is_date(year, month, day).then(|| days_from_civil(year, month, day))?;
    let instant = instant(days, two(head, 11)?, two(head, 14)?, two(head, 17)?, nanos, offset)?;
    Some((instant, TimeStyle::Calendar { separator, zone, fraction }))
}

/// Two digits as a number.
fn two(bytes: &[u8], at: usize) -> Option<u32> {
    let (tens, units) = (bytes.get(at)?.wrapping_sub(b'0'), bytes.get(at + 1)?.wrapping_sub(b'0'));
    (tens < 10 && units < 10).then(|| u32::from(tens) * 10 + u32::from(units))
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
    let (separator, zone, fraction) = match style {
        TimeStyle::Calendar { separator, zone, fraction } => (separator, zone, fraction),
        TimeStyle::Pattern(pattern) => return pattern.write(millis, out),
        TimeStyle::Number(number) => return numbers::write(millis, number, out),
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
            "31.05.06",
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
