//! What the values of a table's columns are: numbers, days, or texts.

use throng_core::data::Strings;
use throng_core::data::table::{Column, ColumnRole, ColumnType, cell};
use throng_core::{Error, Result};

use super::schema::Schema;
use super::settings_of;
use crate::kinds::{Ask, Purpose};
use crate::words::thousands;

/// What the values of a column are: as a schema or a certificate says, or as they all are. A value that is none of what was said is
/// refused, and so is an infinite number among others.
pub(super) fn type_of(
    name: &str,
    (values, cells): (&Strings, &[u32]),
    ask: &Ask,
    schema: &Schema,
    purpose: Purpose,
) -> Result<ColumnType> {
    let settings = settings_of(name, ask, schema);
    let known = || values.iter().filter(|text| !settings.is_missing(text));
    let said = schema.column(name).and_then(|column| column.kind);
    let certified = ask.table.as_ref().and_then(|table| table.columns.iter().find(|column| column.name == name));
    let kind = said.or(certified.map(|column| column.kind));
    let kind = kind.unwrap_or_else(|| ColumnType::of(known().collect::<Vec<_>>().into_iter()));
    // A release has cells of its own, be it judged or only looked at.
    if purpose == Purpose::Release || (purpose == Purpose::Look && certified.is_some()) {
        return Ok(kind);
    }
    let row_of = |text: &str| {
        let value = values.iter().position(|other| other == text);
        cells.iter().position(|&cell| Some(cell as usize) == value).map_or(0, |row| row + 1)
    };
    let is_other = |text: &&str| match kind {
        ColumnType::Text => false,
        ColumnType::Integer => kind.number(text).is_none_or(|number| number.fract() != 0.0),
        ColumnType::Real | ColumnType::Date => kind.number(text).is_none(),
    };
    if let Some(text) = known().find(is_other) {
        let what = match kind {
            ColumnType::Integer => "whole number",
            ColumnType::Date => "day as 2024-03-31",
            _ => "number",
        };
        let source = if said.is_some() { "schema" } else { "certificate" };
        return Err(Error::data(format!("a value is no {what}, as the {source} says, first in row {}", row_of(text)))
            .with_value(text)
            .in_column(name)
            .with_hint("mend the value, name it in `missing_values`, or give the column another type"));
    }
    // Numbers, but for some that are written like none.
    let is_infinite = |text: &&str| cell::number(text).is_none() && text.trim().parse::<f64>().is_ok();
    let all_but = known().all(|text| cell::number(text).is_some() || is_infinite(&text));
    if said.is_none() && kind == ColumnType::Text && all_but && known().any(|text| cell::number(text).is_some()) {
        let text = known().find(is_infinite).unwrap_or_default();
        return Err(Error::data(format!("a number is infinite or none at all, first in row {}", row_of(text)))
            .with_value(text)
            .in_column(name)
            .with_hint("mend the value, name it in a schema's `missing_values`, or call the column text there"));
    }
    Ok(kind)
}

/// Refuses a quasi column of texts which looks like one of numbers or days with a few cells that are none: nobody means those to be
/// generalised as texts.
pub(super) fn refuse_nearly_numbers(column: &Column, lines: &[u64]) -> Result<()> {
    if column.role != ColumnRole::Quasi || column.kind != ColumnType::Text || column.hierarchy.is_some() {
        return Ok(());
    }
    let missing = column.missing();
    let rows = || (0..column.cells.len()).filter(|&row| !missing[column.cells[row] as usize]);
    for (what, is_it) in [
        ("numbers", &(|text: &str| cell::number(text).is_some()) as &dyn Fn(&str) -> bool),
        ("days", &|text: &str| cell::day(text).is_some()),
        ("days in another form", &is_other_day),
    ] {
        let are: Vec<bool> = column.values.iter().map(is_it).collect();
        let all = rows().count();
        let others = rows().filter(|&row| !are[column.cells[row] as usize]).count();
        if all == 0 || others * 10 > all {
            continue;
        }
        if what.ends_with("form") {
            return Err(Error::data("the column has days, and not as they are read in tables: 2024-03-31")
                .in_column(&column.name)
                .with_hint(format!(
                    "write them as year, month and day with hyphens; or give the column a hierarchy: `--hierarchy {}=FILE`",
                    column.name
                )));
        }
        let Some(first) = rows().find(|&row| !are[column.cells[row] as usize]) else { continue };
        let are_not = if others == 1 { "1 is not".to_owned() } else { format!("{} are not", thousands(others as u64)) };
        return Err(Error::data(format!("{} of {} values are {what}, and {are_not}, first in row {}", thousands((all - others) as u64), thousands(all as u64), first + 1))
            .at_line(lines[first])
            .with_value(column.text(first))
            .in_column(&column.name)
            .with_hint(
                "mend the value, name it in a schema's `missing_values`, or say there that the column is text, and give it a hierarchy",
            ));
    }
    Ok(())
}

/// Whether a text is a day with its year first or last, and not as 2024-03-31: 31.12.1980, 12/31/1980.
fn is_other_day(text: &str) -> bool {
    let text = text.trim();
    let between =
        text.chars().find(|letter| !letter.is_ascii_digit()).filter(|letter| ['.', '/', '-'].contains(letter));
    let Some(between) = between else { return false };
    let parts: Vec<&str> = text.split(between).collect();
    let is_short = |part: &str| part.len() <= 2 && part.parse::<u8>().is_ok_and(|number| (1..=31).contains(&number));
    let is_year = |part: &str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_day = match parts[..] {
        [first, middle, last] => {
            is_short(middle) && (is_year(first) && is_short(last) || is_short(first) && is_year(last))
        }
        _ => false,
    };
    is_day && cell::day(text).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_cells_do_not_make_a_column_of_texts() {
        let column = |cells: &[&str]| Column::new("age", ColumnRole::Quasi, cells.iter().copied());
        let lines: Vec<u64> = (2..32).collect();
        let said = |column: &Column| refuse_nearly_numbers(column, &lines).map_err(|error| error.describe(false));
        let mut cells = vec!["30"; 19];
        cells.push("unknown");
        let error = said(&column(&cells)).unwrap_err();
        assert!(error.contains("19 of 20 values are numbers, and 1 is not, first in row 20"), "{error}");
        assert!(!error.contains("unknown"), "{error}");
        cells[..5].fill("some");
        assert!(said(&column(&cells)).is_ok());
        let error = said(&column(&["31.12.1980"; 4])).unwrap_err();
        assert!(error.contains("2024-03-31"), "{error}");
        // Nobody generalises a plain column.
        assert!(said(&Column::new("age", ColumnRole::Plain, ["1"; 30].into_iter().chain(["x"]))).is_ok());
    }
}
