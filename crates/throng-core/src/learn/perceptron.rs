//! A neural network with one hidden layer: a sum of bent sums, fitted by small steps against the error.
//!
//! Papers     Rumelhart, Hinton, Williams. Learning Representations by Back-Propagating Errors. 1986.
//!            Kingma, Ba. Adam: A Method for Stochastic Optimization. 2015 (the steps).
//!
//! # Formula
//! out = s(b + sum of v_h tanh(a_h + w_h'x)), s the logistic function; error: sum of weight (-y ln out - (1 - y) ln(1 - out)).
//!
//! # Idea
//! Rows come in an order that the seed draws anew for each round, [`BATCH`] at a time; the steps become smaller towards the end.
//!
//! # Cost
//! Time O(rounds x rows x features x hidden), one thread, so that the same seed learns the same.

use crate::error::Result;
use crate::learn::svm::Rows;
use crate::progress::Progress;
use crate::rng::Rng;

/// So many rows make one step.
pub const BATCH: usize = 32;
/// How large the first steps are.
const STEP: f64 = 0.01;
/// How much of earlier directions and of earlier squares is kept.
const KEPT: (f64, f64) = (0.9, 0.999);

/// What was learnt: for each hidden cell its constant and its weights, then the constant and the weights of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Perceptron {
    features: usize,
    weights: Vec<f64>,
}

/// How to learn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PerceptronParams {
    /// How many cells are hidden.
    pub hidden: usize,
    /// How many times every row is seen.
    pub rounds: usize,
    /// Of the first weights and the orders.
    pub seed: u64,
}

impl Perceptron {
    /// One that was learnt before; nothing if the number of weights fits no number of hidden cells.
    pub fn from_weights(features: usize, weights: Vec<f64>) -> Option<Self> {
        let fits = weights.len() > 1 && (weights.len() - 1).is_multiple_of(features + 2);
        (fits && weights.iter().all(|weight| weight.is_finite())).then_some(Self { features, weights })
    }

    /// Learns from scaled rows; each counts as much as its weight says.
    pub fn learn(
        rows: &Rows,
        is_positive: &[bool],
        weights: &[f64],
        params: PerceptronParams,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let features = rows.features();
        let mut rng = Rng::seeded(params.seed);
        let mut network = Self::drawn(features, params.hidden, &mut rng);
        let mut moves = Moves::new(network.weights.len());
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        let mut slope = vec![0.0; network.weights.len()];
        let mut bent = vec![0.0; params.hidden];
        progress.stage("neural network", params.rounds as u64);
        for round in 0..params.rounds {
            progress.go_on()?;
            rng.shuffle(&mut order);
            let step = STEP * (1.0 - round as f64 / params.rounds as f64).max(0.02);
            for batch in order.chunks(BATCH) {
                slope.fill(0.0);
                for &row in batch {
                    let row = row as usize;
                    let target = f64::from(u8::from(is_positive[row]));
                    network.add_slope(rows.row(row), target, weights[row], &mut bent, &mut slope);
                }
                slope.iter_mut().for_each(|part| *part /= batch.len() as f64);
                moves.apply(&mut network.weights, &slope, step);
            }
            progress.advance(1);
        }
        Ok(network)
    }

    /// Small weights that differ, so that cells learn different things.
    fn drawn(features: usize, hidden: usize, rng: &mut Rng) -> Self {
        let mut weights = Vec::with_capacity(hidden * (features + 2) + 1);
        for _ in 0..hidden {
            weights.push(0.0);
            weights.extend((0..features).map(|_| rng.normal() / (features as f64).sqrt()));
        }
        weights.push(0.0);
        weights.extend((0..hidden).map(|_| rng.normal() / (hidden as f64).sqrt()));
        Self { features, weights }
    }

    fn hidden(&self) -> usize {
        (self.weights.len() - 1) / (self.features + 2)
    }

    /// The answer before it is bent, and what the hidden cells say.
    fn forward(&self, row: &[f64], bent: &mut [f64]) -> f64 {
        let width = self.features + 1;
        let last = &self.weights[self.hidden() * width..];
        let mut answer = last[0];
        for (cell, bent) in bent.iter_mut().enumerate() {
            let own = &self.weights[cell * width..][..width];
            let sum: f64 = row.iter().zip(&own[1..]).map(|(value, weight)| value * weight).sum();
            *bent = (own[0] + sum).tanh();
            answer += last[1 + cell] * *bent;
        }
        answer
    }

    /// Adds how the error of a row grows with each weight.
    fn add_slope(&self, row: &[f64], target: f64, weight: f64, bent: &mut [f64], slope: &mut [f64]) {
        let width = self.features + 1;
        let from = self.hidden() * width;
        let error = weight * (logistic(self.forward(row, bent)) - target);
        slope[from] += error;
        for (cell, &bent) in bent.iter().enumerate() {
            slope[from + 1 + cell] += error * bent;
            let back = error * self.weights[from + 1 + cell] * (1.0 - bent * bent);
            let own = &mut slope[cell * width..][..width];
            own[0] += back;
            own[1..].iter_mut().zip(row).for_each(|(slope, value)| *slope += back * value);
        }
    }

    /// How likely a scaled row is positive.
    pub fn score(&self, row: &[f64]) -> f64 {
        logistic(self.forward(row, &mut vec![0.0; self.hidden()]))
    }

    /// All weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
}

fn logistic(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

/// Steps that heed how steep it was before.
struct Moves {
    direction: Vec<f64>,
    square: Vec<f64>,
    step: i32,
}

impl Moves {
    fn new(weights: usize) -> Self {
        Self { direction: vec![0.0; weights], square: vec![0.0; weights], step: 0 }
    }

    fn apply(&mut self, weights: &mut [f64], slope: &[f64], step: f64) {
        self.step += 1;
        let (first, second) = (1.0 - KEPT.0.powi(self.step), 1.0 - KEPT.1.powi(self.step));
        for (at, &slope) in slope.iter().enumerate() {
            self.direction[at] = KEPT.0 * self.direction[at] + (1.0 - KEPT.0) * slope;
            self.square[at] = KEPT.1 * self.square[at] + (1.0 - KEPT.1) * slope * slope;
            weights[at] -= step * (self.direction[at] / first) / ((self.square[at] / second).sqrt() + 1e-8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    /// The slope against differences of the error.
    #[test]
    fn the_slope_is_that_of_the_error() {
        let mut rng = Rng::seeded(3);
        let network = Perceptron::drawn(3, 2, &mut rng);
        let (row, target) = ([0.5, -1.0, 2.0], 1.0);
        let mut slope = vec![0.0; network.weights.len()];
        network.add_slope(&row, target, 2.0, &mut [0.0; 2], &mut slope);
        let error = |network: &Perceptron| -2.0 * network.score(&row).ln();
        for (at, found) in slope.iter().enumerate() {
            let mut moved = network.clone();
            moved.weights[at] += 1e-6;
            let expected = (error(&moved) - error(&network)) / 1e-6;
            assert!((found - expected).abs() < 1e-4, "{at}: {found} {expected}");
        }
    }

    /// What no line can cut: either, not both.
    #[test]
    fn either_and_not_both_is_learnt() {
        let rows = Rows::new(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]).unwrap();
        let positive = [false, true, true, false];
        let params = PerceptronParams { hidden: 6, rounds: 3_000, seed: 1 };
        let learn = || Perceptron::learn(&rows, &positive, &[1.0; 4], params, &Silent).unwrap();
        let network = learn();
        for (row, positive) in rows.iter().zip(positive) {
            assert_eq!(network.score(row) > 0.5, positive, "{row:?} {}", network.score(row));
        }
        assert_eq!(network, learn());
        let again = Perceptron::from_weights(2, network.weights().to_vec()).unwrap();
        assert_eq!(again, network);
        assert!(Perceptron::from_weights(3, network.weights().to_vec()).is_none());
    }
}
