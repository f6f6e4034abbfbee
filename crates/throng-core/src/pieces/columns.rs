//! What is known of all rows of baskets or of a table before any is compared: how many there are, what the values of each column are,
//! between which numbers they lie, and how far these are apart.
//!
//! # Formula
//! With u = (x - low) / (high - low) for every number x, mean = low + (high - low) sum(u) / n and deviation = (high - low)
//! sqrt((sum(u²) - sum(u)² / n) / (n - 1)). Sums are whole numbers of a 2^-52nd part, so that their order is nothing.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Piece;
use crate::data::table::{Column, ColumnType, Whole};

/// Sums are whole numbers of this part of 1.
const UNIT: f64 = (1u64 << 52) as f64;

/// What some rows show.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    /// How many persons there are.
    pub persons: u64,
    /// How many rows, or items.
    pub rows: u64,
    /// The numbers of digits of those ids that are nothing but digits.
    pub digits: BTreeSet<usize>,
    /// What the values of each column are.
    pub columns: Vec<Kinds>,
}

/// What the values of a column are, and between which numbers they lie; nothing of a column without values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Kinds {
    kind: Option<ColumnType>,
    span: Option<(f64, f64)>,
}

impl Kinds {
    /// Of a column, with the type that its own values have.
    pub fn of(column: &Column) -> Self {
        let has_values = column.values.iter().any(|text| !column.settings.is_missing(text));
        if !has_values {
            return Self::default();
        }
        let numbers = column.numbers();
        let known = || numbers.iter().copied().filter(|number| !number.is_nan());
        let span = known().next().map(|first| (known().fold(first, f64::min), known().fold(first, f64::max)));
        Self { kind: Some(column.kind), span }
    }

    /// What the values of all rows are.
    pub fn kind(&self) -> ColumnType {
        self.kind.unwrap_or(ColumnType::Text)
    }

    fn merge(self, other: Self) -> Self {
        let (Some(own), Some(others)) = (self.kind, other.kind) else {
            return if self.kind.is_some() { self } else { other };
        };
        let is_number = |kind| matches!(kind, ColumnType::Integer | ColumnType::Real);
        let kind = match (own, others) {
            _ if own == others => own,
            _ if is_number(own) && is_number(others) => ColumnType::Real,
            _ => return Self { kind: Some(ColumnType::Text), span: None },
        };
        let span = match (self.span, other.span) {
            (Some((low, high)), Some((least, most))) => Some((low.min(least), high.max(most))),
            (own, others) => own.or(others),
        };
        Self { kind: Some(kind), span }
    }

    fn scaled(&self) -> Option<impl Fn(f64) -> f64 + use<>> {
        let (low, high) = self.span.filter(|(low, high)| low < high)?;
        Some(move |number: f64| ((number - low) / (high - low)).clamp(0.0, 1.0))
    }
}

impl Piece for Columns {
    const NAME: &'static str = "columns";

    fn merge(mut self, other: Self) -> Self {
        self.persons += other.persons;
        self.rows += other.rows;
        self.digits.extend(other.digits);
        self.columns.resize(self.columns.len().max(other.columns.len()), Kinds::default());
        self.columns.iter_mut().zip(other.columns).for_each(|(own, others)| *own = own.merge(others));
        self
    }
}

/// The sums of the numbers of each column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moments(Vec<Sums>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sums {
    count: u64,
    sum: i128,
    squares: i128,
}

impl Moments {
    /// Of columns whose values are what those of all rows are.
    pub fn of(columns: &[Column], known: &[Kinds]) -> Self {
        let whole = |part: f64| (part * UNIT).round() as i128;
        let sums = |(column, known): (&Column, &Kinds)| {
            let (Some(scaled), true) = (known.scaled(), known.kind().is_numeric()) else { return Sums::default() };
            let numbers: Vec<f64> = column.numbers().into_iter().map(scaled).collect();
            let cells = column.cells.iter().map(|&cell| numbers[cell as usize]).filter(|number| !number.is_nan());
            cells.fold(Sums::default(), |sums, number| Sums {
                count: sums.count + 1,
                sum: sums.sum + whole(number),
                squares: sums.squares + whole(number * number),
            })
        };
        Self(columns.iter().zip(known).map(sums).collect())
    }

    /// How the numbers of each column lie; nothing of a column that has none, or one only.
    pub fn wholes(&self, known: &[Kinds]) -> Vec<Option<Whole>> {
        let whole = |(at, known): (usize, &Kinds)| {
            let (low, high) = known.span.filter(|_| known.kind().is_numeric())?;
            let none = Whole { mean: low, deviation: 0.0, low, high };
            let Some(&Sums { count, sum, squares }) = self.0.get(at).filter(|sums| sums.count > 1) else {
                return Some(none);
            };
            let (count, sum, squares) = (count as f64, sum as f64 / UNIT, squares as f64 / UNIT);
            let variance = ((squares - sum * sum / count) / (count - 1.0)).max(0.0);
            Some(Whole { mean: low + (high - low) * sum / count, deviation: (high - low) * variance.sqrt(), low, high })
        };
        known.iter().enumerate().map(whole).collect()
    }
}

impl Piece for Moments {
    const NAME: &'static str = "moments";

    fn merge(mut self, other: Self) -> Self {
        self.0.resize(self.0.len().max(other.0.len()), Sums::default());
        for (own, other) in self.0.iter_mut().zip(other.0) {
            own.count += other.count;
            own.sum += other.sum;
            own.squares += other.squares;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::table::ColumnRole;
    use crate::methods::table::mean_and_deviation;

    fn column(cells: &[String]) -> Column {
        Column::new("x", ColumnRole::Quasi, cells.iter().map(String::as_str))
    }

    fn columns(cells: &[String]) -> Columns {
        Columns { persons: cells.len() as u64, columns: vec![Kinds::of(&column(cells))], ..Columns::default() }
    }

    proptest! {
        #[test]
        fn parts_give_the_whole(cells in prop::collection::vec(prop_oneof![
            "-?[0-9]{1,6}", "-?[0-9]{1,3}\\.[0-9]{1,4}", Just(String::new()),
        ], 1..40), cut in 0..40usize) {
            let (left, right) = cells.split_at(cut.min(cells.len()));
            let all = columns(&cells);
            let both = columns(left).merge(columns(right));
            prop_assert_eq!(&both, &all);
            prop_assert_eq!(&columns(right).merge(columns(left)), &all);
            prop_assert_eq!(Columns::from_bytes(&all.to_bytes().unwrap()).unwrap(), all.clone());
            let known = &all.columns;
            let typed = |cells: &[String]| Column { kind: known[0].kind(), ..column(cells) };
            let whole = Moments::of(&[typed(&cells)], known);
            let parts = Moments::of(&[typed(left)], known).merge(Moments::of(&[typed(right)], known));
            prop_assert_eq!(&parts, &whole);
            let own = typed(&cells);
            let numbers: Vec<f64> = own.numbers();
            let numbers = own.cells.iter().map(|&cell| numbers[cell as usize]).filter(|number| !number.is_nan());
            if let Some(found) = whole.wholes(known)[0] {
                let (mean, deviation) = mean_and_deviation(numbers);
                let range = (found.high - found.low).max(1.0);
                prop_assert!((found.mean - mean).abs() < 1e-9 * range, "{} {}", found.mean, mean);
                prop_assert!((found.deviation - deviation).abs() < 1e-6 * range, "{} {}", found.deviation, deviation);
            } else {
                prop_assert_eq!(numbers.count(), 0);
            }
        }
    }

    #[test]
    fn texts_among_numbers_are_texts() {
        let texts = |cells: &[&str]| columns(&cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>());
        let kind = |left: &[&str], right: &[&str]| texts(left).merge(texts(right)).columns[0].kind();
        assert_eq!(kind(&["1"], &["2.5"]), ColumnType::Real);
        assert_eq!(kind(&["1"], &["a"]), ColumnType::Text);
        assert_eq!(kind(&[""], &["7"]), ColumnType::Integer);
        assert_eq!(kind(&["2024-01-31"], &["2024-02-01"]), ColumnType::Date);
        assert_eq!(kind(&["2024-01-31"], &["3"]), ColumnType::Text);
    }
}
