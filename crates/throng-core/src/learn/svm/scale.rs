//! Bringing features to one measure: mean 0 and deviation 1 over the examples that are learnt from.
//!
//! A feature that is the same in all of them says nothing, and is 0 from then on. Deviations are those of a population (divided by n).

use serde::{Deserialize, Serialize};

use super::Rows;

/// How features are brought to one measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// Mean 0, deviation 1; a feature that is always the same is 0.
    #[default]
    Standard,
    /// As they are.
    None,
}

/// What features are divided by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Scale {
    /// Mean 0, deviation 1.
    Standard {
        /// Of each feature.
        mean: Vec<f64>,
        /// Of each feature; 0 where it is always the same.
        deviation: Vec<f64>,
    },
    /// As they are.
    None,
}

impl Scale {
    /// The scale of some examples.
    pub fn of(rows: &Rows, scaling: Scaling) -> Self {
        if scaling == Scaling::None {
            return Self::None;
        }
        let count = rows.len().max(1) as f64;
        let mut mean = vec![0.0; rows.features()];
        rows.iter().for_each(|row| mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value));
        mean.iter_mut().for_each(|sum| *sum /= count);
        let mut deviation = vec![0.0; rows.features()];
        let mut varies = vec![false; rows.features()];
        for row in rows.iter() {
            let sums = deviation.iter_mut().zip(&mut varies);
            let values = row.iter().zip(rows.row(0)).zip(&mean);
            for ((sum, varies), ((value, first), mean)) in sums.zip(values) {
                *sum += (value - mean).powi(2);
                *varies |= value != first;
            }
        }
        let root = |(sum, varies): (&mut f64, bool)| *sum = if varies { (*sum / count).sqrt() } else { 0.0 };
        deviation.iter_mut().zip(varies).for_each(root);
        Self::Standard { mean, deviation }
    }

    /// Examples on the scale.
    pub fn apply(&self, rows: &Rows) -> Rows {
        let Self::Standard { mean, deviation } = self else { return rows.clone() };
        let mut scaled = rows.clone();
        for row in scaled.values.chunks_exact_mut(rows.features) {
            for ((value, mean), &deviation) in row.iter_mut().zip(mean).zip(deviation) {
                *value = if deviation > 0.0 { (*value - mean) / deviation } else { 0.0 };
            }
        }
        scaled
    }

    /// How many features it is for; `None` for any number.
    pub fn features(&self) -> Option<usize> {
        match self {
            Self::Standard { mean, deviation } => Some(mean.len().min(deviation.len())),
            Self::None => None,
        }
    }

    /// Whether no feature varied.
    pub fn is_constant(&self) -> bool {
        matches!(self, Self::Standard { deviation, .. } if deviation.iter().all(|&deviation| deviation == 0.0))
    }
}
