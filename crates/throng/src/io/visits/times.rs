//! Times of access logs: those of Apache and nginx by hand, for nearly every line has one; others as in all kinds of data.

use throng_core::data::time::{self, TimeStyle, Zone};

use super::TimeZone;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A time in milliseconds since 1970; `None` if it is none. Without a zone it is local in the one given, else UTC.
pub(super) fn parse(text: &str, zone: Option<&TimeZone>) -> Option<i64> {
    if let Some((millis, offset)) = common(text) {
        return Some(match (offset, zone) {
            (None, Some(zone)) => zone.instant(millis),
            _ => millis,
        });
    }
    // Seconds since 1970, maybe with a point.
    if text.len() >= 9 && text.bytes().all(|b| b.is_ascii_digit() || b == b'.') && !text.contains('-') {
        let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
        let value: i64 = whole.parse().ok()?;
        let millis: i64 = format!("{rest:0<3}").get(..3)?.parse().ok()?;
        return Some(match whole.len() {
            0..=11 => value * 1000 + millis,
            12..=14 => value,
            _ => value / 1000,
        });
    }
    let (instant, style) = time::parse(text)?;
    Some(match (style.zone(), zone) {
        (Zone::Unnamed, Some(zone)) if !matches!(style, TimeStyle::Number(_)) => zone.instant(instant.millis),
        _ => instant.millis,
    })
}

/// The offset that a time names, in minutes.
pub(super) fn offset_of(text: &str) -> Option<i16> {
    match common(text) {
        Some((_, offset)) => offset,
        None => match time::parse(text)?.1.zone() {
            Zone::Offset(minutes) => Some(minutes),
            Zone::Utc => Some(0),
            Zone::Unnamed => None,
        },
    }
}

/// `10/Oct/2000:13:55:36 -0700`, also with a fraction, also without a zone: the time in UTC if there is one, and the offset in minutes.
fn common(text: &str) -> Option<(i64, Option<i16>)> {
    let bytes = text.as_bytes();
    let number = |at: usize, len: usize| -> Option<u32> {
        bytes
            .get(at..at + len)?
            .iter()
            .try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')))
    };
    let is = |at: usize, sign: u8| bytes.get(at) == Some(&sign);
    if !(is(2, b'/') && is(6, b'/') && is(11, b':') && is(14, b':') && is(17, b':')) {
        return None;
    }
    let month = MONTHS
        .iter()
        .position(|month| bytes.get(3..6).is_some_and(|own| own.eq_ignore_ascii_case(month.as_bytes())))?;
    let (day, year) = (number(0, 2)?, number(7, 4)?);
    let (hour, minute, second) = (number(12, 2)?, number(15, 2)?, number(18, 2)?);
    let days = days_of(year, month as u32 + 1, day)?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut at = 20;
    let mut millis = 0;
    if is(at, b'.') || is(at, b',') {
        let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let three: String = text.get(at + 1..at + 1 + digits.min(3))?.to_owned();
        millis = format!("{three:0<3}").parse().ok()?;
        at += 1 + digits;
    }
    let offset = match bytes.get(at..) {
        Some([]) => None,
        Some([b' ', sign @ (b'+' | b'-'), _, _, _, _]) => {
            let minutes = (number(at + 2, 2)? * 60 + number(at + 4, 2)?) as i16;
            Some(if *sign == b'-' { -minutes } else { minutes })
        }
        _ => return None,
    };
    let seconds = days * 86_400 + i64::from(hour * 3600 + minute * 60 + second) - i64::from(offset.unwrap_or(0)) * 60;
    Some((seconds * 1000 + millis, offset))
}

/// The number of a day since 1970; `None` if there is no such day.
fn days_of(year: u32, month: u32, day: u32) -> Option<i64> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if !(1..=length).contains(&day) || year == 0 {
        return None;
    }
    // Years that begin in March have the odd day at their end.
    let (year, month) = (i64::from(year) - i64::from(month <= 2), (i64::from(month) + 9) % 12);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Writes a time as Apache does, with the offset given, or without a zone.
pub(super) fn push_common(millis: i64, offset: Option<i16>, has_millis: bool, out: &mut Vec<u8>) {
    let local = millis + i64::from(offset.unwrap_or(0)) * 60_000;
    let text = time::to_text(local, TimeStyle::ISO);
    // 2000-10-10T13:55:36…
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    let month = part(5..7).parse::<usize>().ok().and_then(|month| MONTHS.get(month - 1)).copied().unwrap_or("Jan");
    out.extend_from_slice(format!("{}/{month}/{}:{}", part(8..10), part(0..4), part(11..19)).as_bytes());
    if has_millis {
        out.extend_from_slice(b".000");
    }
    if let Some(minutes) = offset {
        let sign = if minutes < 0 { '-' } else { '+' };
        let minutes = minutes.unsigned_abs();
        out.extend_from_slice(format!(" {sign}{:02}{:02}", minutes / 60, minutes % 60).as_bytes());
    }
}

/// A time in UTC, as RFC 3339 has it, to the second; with a fraction where it has one.
pub(crate) fn rfc3339(millis: i64) -> String {
    time::to_text(millis, TimeStyle::ISO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_logs() {
        for (text, expected) in [
            ("10/Oct/2000:13:55:36 -0700", "2000-10-10T20:55:36Z"),
            ("29/Feb/2024:00:00:00 +0000", "2024-02-29T00:00:00Z"),
            ("25/Sep/2018:06:05:27.584", "2018-09-25T06:05:27.584Z"),
            ("2015-05-13T23:39:43.945958Z", "2015-05-13T23:39:43.945Z"),
            ("2024-03-07 12:00:01", "2024-03-07T12:00:01Z"),
            ("1709812801", "2024-03-07T12:00:01Z"),
            ("1709812801.25", "2024-03-07T12:00:01.250Z"),
        ] {
            let millis = parse(text, None).unwrap_or_else(|| panic!("{text}"));
            let found = rfc3339(millis);
            let expected_millis = time::parse(expected).unwrap().0.millis;
            assert_eq!(millis, expected_millis, "{text}: {found}");
        }
        for text in ["31/Feb/2024:00:00:00 +0000", "10/Xxx/2000:13:55:36 -0700", "10/Oct/2000:25:55:36 -0700", "x", ""]
        {
            assert_eq!(parse(text, None), None, "{text}");
        }
        let berlin = TimeZone::named("Europe/Berlin").unwrap();
        assert_eq!(parse("25/Sep/2018:06:05:27", Some(&berlin)), parse("25/Sep/2018:04:05:27 +0000", None));
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in ["10/Oct/2000:13:55:36 -0700", "29/Feb/2024:23:59:59 +0530", "01/Jan/1970:00:00:00 +0000"] {
            let mut out = Vec::new();
            push_common(parse(text, None).unwrap(), offset_of(text), false, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }
}
