//! The parameters of noise: by how much each quasi column was disturbed, and in which units. As secret as the key.
//!
//! # Form
//! `{"format": 1, "scale": "standard", "real": [{"column", "mean", "deviation"}], "categorical": [{"column", "values"}],
//! "variances": [[…]], "flips": […]}`. A number x became x + deviation x sqrt(variance) x a standard normal number; `variances` has
//! one line, or one for each row of the original, with one number for each column of `real`. A value became one of the others of
//! `values`, all alike, with the probability that stands in `flips`.
//!
//! # Does not
//! say which row became which: that is in the key.

use serde::{Deserialize, Serialize};

use super::{Column, Table};
use crate::data::Dataset as _;
use crate::error::{Error, Result};
use crate::methods::table::mean_and_deviation;

/// The form of the file.
pub const FORMAT: u32 = 1;

/// In which units distances and distortion are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// By the mean and the sample deviation of each column.
    #[default]
    Standard,
    /// As they are.
    Raw,
}

/// A column of numbers, and its units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RealColumn {
    /// Its name.
    pub column: String,
    /// What is taken off first; 0 in raw units.
    pub mean: f64,
    /// What is divided by then; 1 in raw units, and for a column that says the same in every row.
    pub deviation: f64,
}

/// A column of values, and which there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CategoricalColumn {
    /// Its name.
    pub column: String,
    /// All values, in their order as texts.
    pub values: Vec<String>,
}

/// How the quasi columns of a table were disturbed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noise {
    /// The form, 1.
    pub format: u32,
    /// The units.
    pub scale: Scale,
    /// Columns of numbers.
    pub real: Vec<RealColumn>,
    /// Columns of other values.
    pub categorical: Vec<CategoricalColumn>,
    /// For each column of numbers a variance in these units: one line for all rows, or one for each row of the original.
    pub variances: Vec<Vec<f64>>,
    /// For each other column how likely another value is published.
    pub flips: Vec<f64>,
}

impl Noise {
    /// The units of a table's quasi columns, and no noise yet. A number that is missing is refused.
    pub fn units(table: &Table, scale: Scale) -> Result<Self> {
        let (mut real, mut categorical) = (Vec::new(), Vec::new());
        for at in table.quasi()? {
            let column = &table.columns()[at];
            let name = column.name.clone();
            if column.kind.is_numeric() {
                let numbers = column.numbers();
                refuse_missing(column, &numbers)?;
                let (mean, deviation) = match scale {
                    Scale::Standard => mean_and_deviation(column.cells.iter().map(|&cell| numbers[cell as usize])),
                    Scale::Raw => (0.0, 1.0),
                };
                real.push(RealColumn { column: name, mean, deviation: if deviation > 0.0 { deviation } else { 1.0 } });
            } else {
                let mut held: Vec<bool> = vec![false; column.values.len()];
                column.cells.iter().for_each(|&cell| held[cell as usize] = true);
                let mut values: Vec<String> = (0u32..)
                    .zip(&held)
                    .filter(|(_, held)| **held)
                    .map(|(value, _)| column.values.get(value).to_owned())
                    .collect();
                values.sort_unstable();
                categorical.push(CategoricalColumn { column: name, values });
            }
        }
        let (variances, flips) = (vec![vec![0.0; real.len()]], vec![0.0; categorical.len()]);
        Ok(Self { format: FORMAT, scale, real, categorical, variances, flips })
    }

    /// The variances of a row.
    pub fn line(&self, row: usize) -> &[f64] {
        if self.variances.len() == 1 { &self.variances[0] } else { &self.variances[row] }
    }

    /// Whether every row has variances of its own.
    pub fn is_by_row(&self) -> bool {
        self.variances.len() > 1
    }

    /// The same for some of the rows, in the order in which they are given.
    #[must_use]
    pub fn of_rows(&self, rows: &[usize]) -> Self {
        if !self.is_by_row() || rows.iter().any(|&row| row >= self.variances.len()) {
            return self.clone();
        }
        Self { variances: rows.iter().map(|&row| self.variances[row].clone()).collect(), ..self.clone() }
    }

    /// Refuses numbers that are no noise.
    pub fn refuse_damaged(&self) -> Result<()> {
        let problem = if self.format != FORMAT {
            Some("it is of another form than 1")
        } else if self.real.is_empty() && self.categorical.is_empty() {
            Some("it names no column")
        } else if self.flips.len() != self.categorical.len() {
            Some("it has not one flip for each categorical column")
        } else if self.variances.is_empty() || self.variances.iter().any(|line| line.len() != self.real.len()) {
            Some("a line of variances has not one number for each real column")
        } else if self.variances.iter().flatten().any(|variance| !variance.is_finite() || *variance < 0.0) {
            Some("a variance is no number, or below 0")
        } else if self.flips.iter().any(|flip| !(0.0..=1.0).contains(flip)) {
            Some("a flip is no probability")
        } else if self
            .real
            .iter()
            .any(|own| !own.mean.is_finite() || !own.deviation.is_finite() || own.deviation <= 0.0)
        {
            Some("a mean or deviation is no number, or a deviation not above 0")
        } else if self.categorical.iter().any(|own| own.values.is_empty()) {
            Some("a categorical column has no values")
        } else {
            None
        };
        match problem {
            None => Ok(()),
            Some(problem) => Err(Error::data(format!("the noise file cannot be used: {problem}"))
                .with_hint("give the file that `throng protect --noise-file` wrote with the release")),
        }
    }

    /// Refuses the noise of another original: other columns, other rows, other units.
    pub fn refuse_foreign(&self, original: &Table) -> Result<()> {
        let foreign = |why: String| {
            Error::refused(format!("the noise file is of another original: {why}")).with_hint(
                "give the file that `throng protect --noise-file` wrote with this release, and its own original",
            )
        };
        let own = Self::units(original, self.scale)?;
        let names = |noise: &Self| {
            let real = noise.real.iter().map(|own| own.column.clone()).collect::<Vec<_>>();
            (real, noise.categorical.iter().map(|own| own.column.clone()).collect::<Vec<_>>())
        };
        if names(&own) != names(self) {
            return Err(foreign("its columns are not the quasi columns of this one".to_owned()));
        }
        if self.is_by_row() && self.variances.len() != original.rows() {
            let (lines, rows) = (self.variances.len(), original.rows());
            return Err(foreign(format!("it has variances of {lines} rows, and there are {rows}")));
        }
        let is_near = |one: f64, other: f64, unit: f64| (one - other).abs() <= 1e-9 * unit.abs().max(one.abs());
        for (own, said) in own.real.iter().zip(&self.real) {
            let is_same =
                is_near(own.mean, said.mean, own.deviation) && is_near(own.deviation, said.deviation, own.deviation);
            if !is_same {
                return Err(foreign("the mean or the deviation of a column differs".to_owned()).in_column(&own.column));
            }
        }
        for (own, said) in own.categorical.iter().zip(&self.categorical) {
            if own.values != said.values {
                return Err(foreign("a column has other values".to_owned()).in_column(&own.column));
            }
        }
        Ok(())
    }
}

/// Refuses a column of numbers in which some are missing.
fn refuse_missing(column: &Column, numbers: &[f64]) -> Result<()> {
    let Some(value) = numbers.iter().position(|number| number.is_nan()) else { return Ok(()) };
    let Some(row) = column.cells.iter().position(|&cell| cell as usize == value) else { return Ok(()) };
    Err(Error::data(format!("a number is missing, first in row {}", row + 1))
        .in_column(&column.name)
        .with_hint("noise cannot be added to a missing number: take such rows out of the file (they are counted without its header), or give the column \
             another role"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::testing::table;

    fn small() -> Table {
        table("x:q c:q s:s", &["1 b u", "3 a v", "5 a u"])
    }

    #[test]
    fn units_are_those_of_the_columns() {
        let noise = Noise::units(&small(), Scale::Standard).unwrap();
        assert_eq!((noise.real[0].mean, noise.real[0].deviation), (3.0, 2.0));
        assert_eq!(noise.categorical[0].values, ["a", "b"]);
        let raw = Noise::units(&small(), Scale::Raw).unwrap();
        assert_eq!((raw.real[0].mean, raw.real[0].deviation), (0.0, 1.0));
        let constant = Noise::units(&table("x:q", &["4", "4"]), Scale::Standard).unwrap();
        assert_eq!((constant.real[0].mean, constant.real[0].deviation), (4.0, 1.0));
        let error = Noise::units(&table("x:q y:q", &["4 1", "- 2"]), Scale::Standard).unwrap_err();
        assert!(error.describe(false).contains("row 2"), "{error}");
    }

    #[test]
    fn the_form_is_the_contract() {
        let noise = Noise::units(&small(), Scale::Standard).unwrap();
        let json = serde_json::to_string(&noise).unwrap();
        assert_eq!(
            json,
            "{\"format\":1,\"scale\":\"standard\",\"real\":[{\"column\":\"x\",\"mean\":3.0,\"deviation\":2.0}],\
             \"categorical\":[{\"column\":\"c\",\"values\":[\"a\",\"b\"]}],\"variances\":[[0.0]],\"flips\":[0.0]}"
        );
        assert_eq!(serde_json::from_str::<Noise>(&json).unwrap(), noise);
        assert!(serde_json::from_str::<Noise>(&json.replace("\"flips\"", "\"flip\"")).is_err());
    }

    #[test]
    fn what_is_damaged_or_foreign_is_refused() {
        let noise = Noise::units(&small(), Scale::Standard).unwrap();
        assert!(noise.refuse_damaged().is_ok() && noise.refuse_foreign(&small()).is_ok());
        for damaged in [
            Noise { format: 2, ..noise.clone() },
            Noise { flips: vec![], ..noise.clone() },
            Noise { flips: vec![1.5], ..noise.clone() },
            Noise { variances: vec![], ..noise.clone() },
            Noise { variances: vec![vec![-1.0]], ..noise.clone() },
            Noise { variances: vec![vec![1.0, 1.0]], ..noise.clone() },
        ] {
            assert!(damaged.refuse_damaged().is_err(), "{damaged:?}");
        }
        for other in
            [table("x:q c:q", &["1 b", "3 a", "6 a"]), table("x:q c:q", &["1 b", "3 a", "5 z"]), table("x:q", &["1"])]
        {
            let error = noise.refuse_foreign(&other).unwrap_err();
            assert!(error.to_string().contains("another original"), "{error}");
        }
        let by_row = Noise { variances: vec![vec![1.0]; 2], ..noise };
        assert!(by_row.refuse_foreign(&small()).unwrap_err().to_string().contains("2 rows, and there are 3"));
    }
}
