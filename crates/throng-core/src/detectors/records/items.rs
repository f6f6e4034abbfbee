//! Items for rules over tables: an item is column=value, at most one a column. Numbers with many values are cut at their terciles.
//!
//! The bins of a cut column are `below A`, `A to below B` and `from B`: the lowest value of the upper bin is included in it. A bin that
//! nothing would be in is left out. A column is one of numbers if all of its training texts are.

use serde::{Deserialize, Serialize};

use super::{Column, number};
use crate::error::{Error, Result};

/// Numbers with more different values than this are cut.
pub const MOST_VALUES: usize = 10;

/// How the cells of a column become items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemColumn {
    /// Its name.
    pub name: String,
    /// The lowest values of the bins but the first; nothing if values are taken as they are.
    pub cuts: Option<Vec<f64>>,
}

impl ItemColumn {
    /// That of a training column, of some of its rows.
    pub fn of(column: &Column, rows: &[u32], lines: &[u64]) -> Result<Self> {
        let mut used = vec![false; column.values.len()];
        rows.iter().for_each(|&row| used[column.cells[row as usize] as usize] = true);
        let texts = column.values.iter().zip(&used).filter(|(_, used)| **used).map(|(text, _)| text);
        let numbers: Option<Vec<f64>> = texts.map(|text| number(text)).collect();
        let mut cuts = None;
        if let Some(mut numbers) = numbers {
            if numbers.iter().any(|number| !number.is_finite()) {
                let is_bad = |row: &&u32| !number(column.text(**row as usize)).is_some_and(f64::is_finite);
                let row = rows.iter().find(is_bad).copied().unwrap_or_default() as usize;
                return Err(Error::data("not a finite number, in a column of numbers")
                    .in_column(&column.name)
                    .at_line(lines[row])
                    .with_value(column.text(row)));
            }
            numbers.sort_by(f64::total_cmp);
            numbers.dedup();
            if numbers.len() > MOST_VALUES {
                let of_cell: Vec<f64> = column.values.iter().map(|text| number(text).unwrap_or(0.0)).collect();
                let mut all: Vec<f64> = rows.iter().map(|&row| of_cell[column.cells[row as usize] as usize]).collect();
                all.sort_by(f64::total_cmp);
                let mut found = vec![all[all.len() / 3], all[2 * all.len() / 3]];
                found.dedup();
                found.retain(|&cut| cut > all[0]);
                cuts = Some(found);
            }
        }
        Ok(Self { name: column.name.clone(), cuts })
    }

    /// What a text is as an item.
    pub fn value(&self, text: &str) -> String {
        let text = text.trim();
        let (Some(cuts), Some(own)) = (&self.cuts, number(text)) else { return text.to_owned() };
        let bin = cuts.partition_point(|&cut| cut <= own);
        match (bin.checked_sub(1).map(|below| cuts[below]), cuts.get(bin)) {
            (None, None) => "any".to_owned(),
            (None, Some(high)) => format!("below {high}"),
            (Some(low), Some(high)) => format!("{low} to below {high}"),
            (Some(low), None) => format!("from {low}"),
        }
    }
}

/// A table as items.
#[derive(Debug, Clone, PartialEq)]
pub struct Items {
    /// Column and value of each item, in the order of columns, then of values.
    pub names: Vec<(usize, String)>,
    /// For each column the item of each row; nothing where it is none of the known.
    pub rows: Vec<Vec<Option<u32>>>,
}

impl Items {
    /// The items of the columns of a table; all values that occur, or those that are known.
    pub fn of(columns: &[(&ItemColumn, &Column)], known: Option<&[(usize, String)]>) -> Self {
        let mut names: Vec<(usize, String)> = Vec::new();
        let mut rows = Vec::new();
        for (at, (item, column)) in columns.iter().enumerate() {
            let values: Vec<String> = column.values.iter().map(|text| item.value(text)).collect();
            if known.is_none() {
                let mut used = vec![false; values.len()];
                column.cells.iter().for_each(|&cell| used[cell as usize] = true);
                let mut own: Vec<&String> =
                    values.iter().zip(&used).filter(|(_, used)| **used).map(|(text, _)| text).collect();
                own.sort();
                own.dedup();
                names.extend(own.into_iter().map(|value| (at, value.clone())));
            }
            let all = known.unwrap_or(&names);
            let place = |value: &String| {
                all.binary_search_by(|(column, name)| (*column, name.as_str()).cmp(&(at, value.as_str()))).ok()
            };
            let of_value: Vec<Option<u32>> =
                values.iter().map(|value| place(value).map(|place| place as u32)).collect();
            rows.push(column.cells.iter().map(|&cell| of_value[cell as usize]).collect());
        }
        Self { names: known.map_or(names, <[_]>::to_vec), rows }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which rows have each item, a bit a row.
    pub fn bits(&self) -> Vec<Bits> {
        let mut bits = vec![Bits::new(self.len()); self.names.len()];
        for column in &self.rows {
            for (row, item) in column.iter().enumerate() {
                if let Some(item) = item {
                    bits[*item as usize].set(row);
                }
            }
        }
        bits
    }

    /// Some rows only.
    pub fn some(&self, rows: &[u32]) -> Self {
        let of = |column: &Vec<Option<u32>>| rows.iter().map(|&row| column[row as usize]).collect();
        Self { names: self.names.clone(), rows: self.rows.iter().map(of).collect() }
    }
}

/// A set of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// No row of so many.
    pub fn new(rows: usize) -> Self {
        Self(vec![0; rows.div_ceil(64)])
    }

    /// Adds a row.
    pub fn set(&mut self, row: usize) {
        self.0[row / 64] |= 1 << (row % 64);
    }

    /// The rows of both.
    pub fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(one, other)| one & other).collect())
    }

    /// How many rows both have.
    pub fn count_and(&self, other: &Self) -> u64 {
        self.0.iter().zip(&other.0).map(|(one, other)| u64::from((one & other).count_ones())).sum()
    }

    /// How many rows it has.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The rows that it has and another has not.
    pub fn without(&self, other: &Self) -> impl Iterator<Item = usize> {
        self.0.iter().zip(&other.0).enumerate().flat_map(|(at, (one, other))| {
            let mut word = one & !other;
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros();
                    word &= word - 1;
                    at * 64 + bit as usize
                })
            })
        })
    }
}
