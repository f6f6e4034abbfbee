//! Measures that are means over persons, as sums that can be put together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Piece;
use crate::measures::Measured;

/// Sums are whole numbers of this part of 1, so that their order is nothing.
const UNIT: f64 = (1u64 << 40) as f64;

/// The sums of some measures over some persons.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasurePart(BTreeMap<String, Sum>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sum {
    sum: i128,
    /// For how many persons it is defined.
    persons: u64,
    /// For how many it is not.
    undefined: u64,
}

impl MeasurePart {
    /// Adds what was measured on so many persons, a mean over those for whom it is defined.
    pub fn add(&mut self, measured: &Measured, persons: u64) {
        let undefined = measured.parts.get("undefined").and_then(serde_json::Value::as_u64).unwrap_or(0).min(persons);
        let own = self.0.entry(measured.name.to_owned()).or_default();
        match measured.value {
            Some(value) => {
                own.sum += (value * (persons - undefined) as f64 * UNIT).round() as i128;
                own.persons += persons - undefined;
                own.undefined += undefined;
            }
            None => own.undefined += persons,
        }
    }

    /// Adds to a sum that is no mean.
    pub fn add_sum(&mut self, name: &str, more: f64) {
        self.0.entry(name.to_owned()).or_default().sum += (more * UNIT).round() as i128;
    }

    /// A sum that is no mean.
    pub fn sum(&self, name: &str) -> Option<f64> {
        self.0.get(name).map(|own| own.sum as f64 / UNIT)
    }

    /// The mean of a measure, for how many persons it is defined, and for how many not.
    pub fn finish(&self, name: &str) -> Option<(Option<f64>, u64, u64)> {
        let Sum { sum, persons, undefined } = *self.0.get(name)?;
        let mean = (persons > 0).then(|| sum as f64 / UNIT / persons as f64);
        Some((mean, persons, undefined))
    }
}

impl Piece for MeasurePart {
    const NAME: &'static str = "measures";

    fn merge(mut self, other: Self) -> Self {
        for (name, other) in other.0 {
            let own = self.0.entry(name).or_default();
            own.sum += other.sum;
            own.persons += other.persons;
            own.undefined += other.undefined;
        }
        self
    }
}
