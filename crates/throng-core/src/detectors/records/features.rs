//! Numbers for machines that take numbers: a column of numbers is a feature as it is, another column one feature a value.
//!
//! Values are in order; one that was not seen in training is none of them. A column is one of numbers if all of its training texts are.

use serde::{Deserialize, Serialize};

use super::{Column, Records, number};
use crate::error::{Error, Result};
use crate::learn::svm::Rows;

/// What is made of each column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureColumn {
    /// Its name.
    pub name: String,
    /// Its values in order, one feature each; nothing if it is one of numbers.
    pub values: Option<Vec<String>>,
}

/// The columns that features are made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Features {
    /// In the order of the training table.
    pub columns: Vec<FeatureColumn>,
}

impl Features {
    /// Those of a training table, without its label.
    pub fn of(records: &Records, label: &str) -> Result<Self> {
        let mut columns = Vec::new();
        for column in records.columns.iter().filter(|column| column.name != label) {
            let mut used = vec![false; column.values.len()];
            column.cells.iter().for_each(|&cell| used[cell as usize] = true);
            let texts = || column.values.iter().zip(&used).filter(|(_, used)| **used).map(|(text, _)| text.trim());
            let numbers = texts().filter(|text| number(text).is_some()).count();
            let all = texts().count();
            let empty = texts().filter(|text| text.is_empty()).count();
            let values = if numbers == all {
                finite(column, &records.lines)?;
                None
            } else if numbers > 0 && numbers + empty == all {
                return Err(missing(column, &records.lines));
            } else {
                let mut values: Vec<String> = texts().map(str::to_owned).collect();
                values.sort();
                values.dedup();
                Some(values)
            };
            columns.push(FeatureColumn { name: column.name.clone(), values });
        }
        if columns.is_empty() {
            return Err(Error::data("the table has no column but the label")
                .with_hint("a detector learns from the other columns"));
        }
        Ok(Self { columns })
    }

    /// The names of the columns.
    pub fn column_names(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// The names of the features: `duration`, `service=http`.
    pub fn names(&self) -> Vec<String> {
        let of = |column: &FeatureColumn| match &column.values {
            None => vec![column.name.clone()],
            Some(values) => values.iter().map(|value| format!("{}={value}", column.name)).collect(),
        };
        self.columns.iter().flat_map(of).collect()
    }

    /// How many features there are.
    pub fn len(&self) -> usize {
        self.columns.iter().map(|column| column.values.as_ref().map_or(1, Vec::len)).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The features of a table, and how many of its cells have a value that no training row had.
    pub fn rows(&self, records: &Records, label: &str) -> Result<(Rows, u64)> {
        let columns = records.arranged(&self.column_names(), label)?;
        let width = self.len();
        let mut values = vec![0.0; width * records.len()];
        let mut unseen = 0;
        let mut at = 0;
        for (column, own) in columns.iter().zip(&self.columns) {
            match &own.values {
                None => {
                    finite(column, &records.lines)?;
                    let numbers: Vec<f64> = column.values.iter().map(|text| number(text).unwrap_or(0.0)).collect();
                    for (row, &cell) in column.cells.iter().enumerate() {
                        values[row * width + at] = numbers[cell as usize];
                    }
                    at += 1;
                }
                Some(known) => {
                    let find = |text: &String| known.binary_search_by(|known| known.as_str().cmp(text.trim())).ok();
                    let places: Vec<Option<usize>> = column.values.iter().map(find).collect();
                    for (row, &cell) in column.cells.iter().enumerate() {
                        match places[cell as usize] {
                            Some(place) => values[row * width + at + place] = 1.0,
                            None => unseen += 1,
                        }
                    }
                    at += known.len();
                }
            }
        }
        Ok((Rows::new(width, values)?, unseen))
    }
}

/// Refuses what is no finite number in a column of numbers.
fn finite(column: &Column, lines: &[u64]) -> Result<()> {
    let is_bad: Vec<bool> = column.values.iter().map(|text| !number(text).is_some_and(f64::is_finite)).collect();
    let Some(row) = column.cells.iter().position(|&cell| is_bad[cell as usize]) else { return Ok(()) };
    if column.text(row).trim().is_empty() {
        return Err(missing(column, lines));
    }
    Err(Error::data("not a finite number, in a column of numbers")
        .in_column(&column.name)
        .at_line(lines[row])
        .with_value(column.text(row))
        .with_hint("mend the cell, or leave the column out"))
}

fn missing(column: &Column, lines: &[u64]) -> Error {
    let row = (0..column.cells.len()).find(|&row| column.text(row).trim().is_empty()).unwrap_or_default();
    Error::data("a cell is empty in a column of numbers")
        .in_column(&column.name)
        .at_line(lines.get(row).copied().unwrap_or_default())
        .with_hint("fill it, leave the row out, or leave the column out")
}
