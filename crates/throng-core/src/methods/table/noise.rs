//! What methods that add noise have in common: drawing it, and publishing what comes out.

use std::sync::Arc;

use serde_json::json;

use crate::data::table::cell::{date, shortest};
use crate::data::table::{Column, ColumnRole, ColumnType, Noise, Table};
use crate::data::{Dataset as _, Interner};
use crate::error::{Error, Result};
use crate::guessing::{Bound, Points};
use crate::models::guessing_anonymity;
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// Refuses a table in which a person has several rows, and one of a single row.
pub(super) fn refuse_unfit(table: &Table) -> Result<()> {
    if table.has_several_rows() {
        return Err(Error::refused("noise hides rows among rows, and a person here has several")
            .with_hint("several noisy rows of one person can be put together: leave out `--column person=…` only if rows are persons"));
    }
    if table.rows() < 2 {
        return Err(Error::refused("there is one row, and nobody whom it could be mistaken for"));
    }
    Ok(())
}

/// The rows with noise drawn for them, and the claim that the noise gives; columns that are named are left out.
pub(super) fn publish(
    table: &Table,
    noise: Noise,
    points: &Points,
    without: Option<&str>,
    rng: &mut Rng,
) -> Result<Protected<Table>> {
    let rows = table.rows();
    let mut cells: Vec<Vec<String>> = vec![Vec::with_capacity(rows); noise.real.len() + noise.categorical.len()];
    let kind_of = |name: &str| table.find(name).map(|at| table.columns()[at].kind);
    let kinds: Vec<ColumnType> = noise.real.iter().map(|own| kind_of(&own.column)).collect::<Result<_>>()?;
    let drawn = points.disturbed(&noise, rng);
    for row in 0..rows {
        for (at, own) in noise.real.iter().enumerate() {
            cells[at].push(text(own.mean + own.deviation * drawn.numbers(row)[at], kinds[at]));
        }
        for (at, own) in noise.categorical.iter().enumerate() {
            cells[noise.real.len() + at].push(own.values[drawn.labels(row)[at] as usize].clone());
        }
    }
    let names = noise.real.iter().map(|own| &own.column).chain(noise.categorical.iter().map(|own| &own.column));
    let names: Vec<&String> = names.collect();
    let mut columns = Vec::new();
    for column in table.columns().iter().filter(|column| without != Some(column.name.as_str())) {
        if let Some(at) = names.iter().position(|name| **name == column.name) {
            let mut values = Interner::new();
            let cells = cells[at].iter().map(|text| values.intern(text)).collect();
            columns.push(Column { values: Arc::new(values.into_strings()), cells, ..column.clone() });
        } else if matches!(column.role, ColumnRole::Sensitive | ColumnRole::Plain) {
            columns.push(column.clone());
        }
    }
    let claim = Claim::new(&guessing_anonymity::INFO, [("f", json!(rounded_down(Bound::of(points, &noise).sure())))]);
    let records = Table::of_rows(columns).with_groups((0..rows as u32).collect()).with_noise(Some(Arc::new(noise)));
    Ok(Protected::new(records, (0..rows as u32).map(Some).collect(), vec![claim]))
}

/// A number as it is published: with the fewest digits that read back as the same; a day as a day, where its year has four digits.
fn text(number: f64, kind: ColumnType) -> String {
    match kind {
        ColumnType::Date if (-719_162.0..2_932_896.0).contains(&number) => date(number),
        ColumnType::Date => shortest(number.round()),
        _ => shortest(number),
    }
}

/// Four digits, never more than the number: what is claimed is on the safe side of the last bit.
fn rounded_down(number: f64) -> f64 {
    if number <= 0.0 || !number.is_finite() {
        return 0.0;
    }
    let unit = 10f64.powi(number.log10().floor() as i32 - 3);
    let digits = (number / unit).floor();
    // Written and read again, so that it has no more digits than meant.
    let text = format!("{:.*}", (-(unit.log10().round() as i32)).max(0) as usize, digits * unit);
    text.parse::<f64>().map_or(0.0, |rounded| if rounded <= number { rounded } else { (digits - 1.0) * unit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_have_four_digits_and_are_never_too_high() {
        assert_eq!(rounded_down(12.34567), 12.34);
        assert_eq!(rounded_down(0.1234999), 0.1234);
        assert_eq!(rounded_down(123_456.0), 123_400.0);
        assert_eq!(rounded_down(1.0), 1.0);
        assert_eq!(rounded_down(0.0), 0.0);
        for number in [0.999_999, 3.000_01, 9.999_9, 1e-5] {
            assert!(rounded_down(number) <= number && rounded_down(number) > 0.998 * number, "{number}");
        }
    }

    #[test]
    fn days_stay_days() {
        assert_eq!(text(0.4, ColumnType::Date), "1970-01-01");
        assert_eq!(text(19_813.0, ColumnType::Date), "2024-03-31");
        assert_eq!(text(0.5, ColumnType::Real), "0.5");
    }
}
