//! Detector `neural-network`: one hidden layer over the same features as [`super::svm`], the third model of the paper.

use serde::{Deserialize, Serialize};

use super::features::Features;
use super::svm::refuse_constant;
use super::{LabelRule, Records};
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};
use crate::learn::perceptron::{Perceptron, PerceptronParams};
use crate::learn::svm::{Rows, Scale, Scaling};
use crate::progress::Progress;

/// The card.
pub const INFO: Info = Info {
    name: "neural-network",
    summary: "a hidden layer of bent sums that says how likely a row is positive",
    paper: "Castellano, Mastronardi, Aprile, Minardi, Catalano, Dicensi, Tarricone. Composing Miners to Develop an Intrusion Detection Solution.",
    details: "Idea: columns of numbers are features as they are, others one feature a value; each feature is brought to mean 0 and deviation 1, \
              and cut off where it is further than 8 from 0. Rows are weighted by one over the square root of how often their label occurs, so \
              that rare attacks count.\n\
              Formula: score = logistic(b + sum of v tanh(a + w'x)); flagged above 0.5.\n\
              Cost: time O(rounds x rows x features x hidden), on one thread.\n\
              Does not: say why. Another seed is another network.",
    parameters: &[Parameter {
        name: "hidden",
        summary: "how many cells are hidden",
        kind: ParameterKind::Count,
        default: "16",
    }],
};

/// So many times every row is seen, if there are few; never fewer than [`FEWEST_ROUNDS`] times.
const ROUNDS: usize = 300;
const FEWEST_ROUNDS: usize = 12;
/// About so many rows are seen in all.
const SEEN: usize = 1_000_000;
/// Scaled features end here.
const MOST: f64 = 8.0;

/// What was learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetworkModel {
    columns: Features,
    scale: Scale,
    hidden: usize,
    weights: Vec<f64>,
}

impl NetworkModel {
    /// Learns from a table.
    pub fn train(
        records: &Records,
        label: &LabelRule,
        hidden: usize,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Self> {
        if !(1..=1_000).contains(&hidden) {
            return Err(Error::parameter("hidden", format!("must be from 1 to 1000, and is {hidden}")));
        }
        let columns = Features::of(records, &label.column)?;
        let (rows, _) = columns.rows(records, &label.column)?;
        refuse_constant(&rows)?;
        let scale = Scale::of(&rows, Scaling::Standard);
        let rounds = (SEEN / records.len().max(1)).clamp(FEWEST_ROUNDS, ROUNDS);
        let params = PerceptronParams { hidden, rounds, seed };
        let weights = weights(records, &label.column);
        let network = Perceptron::learn(&cut(&scale, &rows)?, &label.truth(records)?, &weights, params, progress)?;
        Ok(Self { columns, scale, hidden, weights: network.weights().to_vec() })
    }

    /// The scores of a table, and how many cells have a value that no training row had.
    pub fn scores(&self, records: &Records, label: &str) -> Result<(Vec<f64>, u64)> {
        let (rows, unseen) = self.columns.rows(records, label)?;
        let fits = self.scale.features().is_none_or(|features| features == rows.features());
        let network = Perceptron::from_weights(rows.features(), self.weights.clone()).filter(|_| fits);
        let network = network.ok_or_else(|| Error::data("the parts of the model do not fit together"))?;
        Ok((cut(&self.scale, &rows)?.iter().map(|row| network.score(row)).collect(), unseen))
    }

    /// What features are made of.
    pub fn columns(&self) -> &Features {
        &self.columns
    }

    /// How many cells are hidden.
    pub fn hidden(&self) -> usize {
        self.hidden
    }
}

/// Scaled rows without extremes.
fn cut(scale: &Scale, rows: &Rows) -> Result<Rows> {
    let scaled = scale.apply(rows);
    let values = scaled.iter().flatten().map(|value| value.clamp(-MOST, MOST)).collect();
    Rows::new(rows.features(), values)
}

/// One over the square root of how often the label of a row occurs, 1 on average.
fn weights(records: &Records, label: &str) -> Vec<f64> {
    let Some(column) = records.column(label) else { return vec![1.0; records.len()] };
    let mut counts = vec![0u32; column.values.len()];
    column.cells.iter().for_each(|&cell| counts[cell as usize] += 1);
    let raw = |&cell: &u32| 1.0 / f64::from(counts[cell as usize]).sqrt();
    let sum: f64 = column.cells.iter().map(raw).sum();
    column.cells.iter().map(|cell| raw(cell) * records.len() as f64 / sum).collect()
}
