//! From the fields of a line to a row of a log: the same rules whatever the format.

use throng_core::{Error, Result};

use super::super::fields::Fields;
use super::{Role, Row, Times};

/// The row at a line; its time tells how times are written. `name_of` tells the column of a role, for errors.
#[inline]
pub(super) fn row<'a, 'n>(
    fields: Fields<'a, 6>,
    times: &mut Times,
    line: u64,
    name_of: impl Fn(usize) -> &'n str,
) -> Result<Row<'a>> {
    let Fields { texts: [person, query, time, rank, url, date], instant, rest, .. } = fields;
    if person.is_empty() {
        return Err(Error::data("the id of the person is missing")
            .in_column(name_of(Role::User as usize))
            .with_hint("`--bad-lines skip` leaves such lines out and counts them"));
    }
    let (time, local) =
        times.read(instant, date, time, line).map_err(|error| error.in_column(name_of(Role::Time as usize)))?;
    let rank = parse_rank(rank).map_err(|error| error.in_column(name_of(Role::Rank as usize)))?;
    Ok(Row { person, query, time, local, rank, url: (!url.is_empty()).then_some(url), rest })
}

/// A rank, or `None` if there is none. Tools whose columns with gaps are floating-point numbers write 3 as 3.0.
fn parse_rank(text: &str) -> Result<Option<u32>> {
    if text.is_empty() {
        return Ok(None);
    }
    // Up to nine digits are below any limit.
    if text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Some(text.bytes().fold(0, |rank, digit| 10 * rank + u32::from(digit - b'0'))));
    }
    let text = text.trim_ascii();
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => whole,
        _ => text,
    };
    match whole.parse() {
        Ok(rank) if rank < u32::MAX => Ok(Some(rank)),
        _ => Err(Error::data("the rank is no whole number")
            .with_value(text)
            .with_hint("leave it empty where nothing was clicked; `--bad-lines skip` leaves such lines out")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks() {
        for (text, rank) in [("", None), ("0", Some(0)), (" 7 ", Some(7)), ("3.0", Some(3)), ("12.000", Some(12))] {
            assert_eq!(parse_rank(text).unwrap(), rank, "{text}");
        }
        for text in [" ", "-1", "3.5", "3.", ".0", "4294967295", "4294967296", "1e3", "first", "0x1"] {
            assert!(parse_rank(text).is_err(), "{text}");
        }
    }
}
