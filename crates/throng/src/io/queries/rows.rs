//! From the fields of a line to a row of a log: the same rules whatever the format.

use throng_core::{Error, Result};

use super::super::fields::Fields;
use super::{Role, Row, Times};

/// The row at a line; its time tells how times are written. `name_of` tells the column of a role, for errors.
#[inline]
pub(super) fn row<'a, 'n>(
    fields: Fields<'a, 7>,
    times: &mut Times,
    line: u64,
    name_of: impl Fn(usize) -> &'n str,
) -> Result<Row<'a>> {
    let Fields { texts: [person, query, time, rank, url, date, wish], instant, rest, .. } = fields;
    if person.is_empty() {
        return Err(Error::data("the id of the person is missing")
            .in_column(name_of(Role::User as usize))
            .with_hint("`--bad-lines skip` leaves such lines out and counts them"));
    }
    let (time, local) =
        times.read(instant, date, time, line).map_err(|error| error.in_column(name_of(Role::Time as usize)))?;
    let rank = parse_rank(rank).map_err(|error| error.in_column(name_of(Role::Rank as usize)))?;
    let wish = parse_wish(wish).map_err(|error| error.in_column(name_of(Role::Wish as usize)))?;
    Ok(Row { person, query, time, local, rank, url: (!url.is_empty()).then_some(url), wish, rest })
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
    match whole_number(text) {
        Some(rank) => Ok(Some(rank)),
        None => Err(Error::data("the rank is no whole number")
            .with_value(text)
            .with_hint("leave it empty where nothing was clicked; `--bad-lines skip` leaves such lines out")),
    }
}

/// A whole number, maybe with zeros behind a point.
fn whole_number(text: &str) -> Option<u32> {
    let text = text.trim_ascii();
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => whole,
        _ => text,
    };
    whole.parse().ok().filter(|&number| number < u32::MAX)
}

/// Among how many persons somebody asks to be, or `None` if they do not say.
fn parse_wish(text: &str) -> Result<Option<u32>> {
    let problem = match text.trim_ascii() {
        "" => return Ok(None),
        text => match whole_number(text) {
            Some(wish) if wish >= 2 => return Ok(Some(wish)),
            Some(_) => "the number of persons that somebody asks to be among is below 2",
            None => "the number of persons that somebody asks to be among is no whole number",
        },
    };
    Err(Error::data(problem)
        .with_value(text)
        .with_hint("`--k-column` names a column of whole numbers from 2 on; an empty cell asks for nothing"))
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

    #[test]
    fn wishes() {
        for (text, wish) in [("", None), (" ", None), ("2", Some(2)), (" 70 ", Some(70)), ("3.0", Some(3))] {
            assert_eq!(parse_wish(text).unwrap(), wish, "{text}");
        }
        for text in ["0", "1", "-2", "2.5", "many", "4294967295", "1e3"] {
            let said = parse_wish(text).unwrap_err().describe(false);
            assert!(!said.contains(text), "{said}");
        }
    }
}
