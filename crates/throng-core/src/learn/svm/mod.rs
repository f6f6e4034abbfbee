//! Support vector machines: the border between two classes that leaves the widest margin, in the space of a kernel.
//!
//! Papers     Cortes, Vapnik. Support-Vector Networks. 1995. Platt. Sequential Minimal Optimization. 1998.
//!            Fan, Chen, Lin. Working Set Selection Using Second Order Information. 2005.
//!
//! # Idea
//! 1. [`Scale`] brings features to one measure, [`SvmParams::kernel_for`] settles the kernel.
//! 2. `solver` finds the weights of the examples, two at a time; those whose weight is not 0 are the support.
//! 3. An example is judged by its kernels with the support.
//!
//! # Formula
//! Least of 1/2 sum of alpha_s alpha_t y_s y_t K(x_s, x_t) - sum of alpha, with 0 <= alpha <= C and sum of alpha y = 0.
//! Score: sum of alpha_s y_s K(x_s, x) - rho. Kernels: x'z; (gamma x'z)^degree; exp(-gamma |x - z|^2).
//! Without gamma and sigma: gamma = 1/(2 sigma^2), sigma the median distance of [`PAIRS`] pairs of examples.
//!
//! # Cost
//! Kernels are worked out a row at a time, when the solver asks, and rows are kept as long as there is room: time
//! O(rows x examples x features), rows about as many as the support; memory as allowed.
//!
//! # What it does not do
//! Two classes only, no probabilities, and no kernel of one's own. A score is a distance in a space that nobody sees, not a chance.

mod cache;
mod scale;
mod solver;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use scale::{Scale, Scaling};

use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::rng::Rng;

/// How many pairs of examples say what distance is usual.
pub const PAIRS: usize = 1_000;
/// What rows of the kernel may take, in bytes, if nobody says otherwise.
pub const MEMORY: usize = 256 << 20;

/// Examples: numbers, row by row, the same count in each.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    features: usize,
    values: Vec<f64>,
}

impl Rows {
    /// Rows of so many features each. A number that is not finite is an error, and so is a row that is cut off.
    pub fn new(features: usize, values: Vec<f64>) -> Result<Self> {
        if features == 0 || !values.len().is_multiple_of(features) {
            return Err(Error::data(
                "the examples have no features, or not all of them have the same number of features",
            ));
        }
        if values.iter().any(|value| !value.is_finite()) {
            return Err(Error::data("a feature of an example is not a finite number"));
        }
        Ok(Self { features, values })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len() / self.features
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How many numbers each has.
    pub fn features(&self) -> usize {
        self.features
    }

    /// One of them.
    pub fn row(&self, at: usize) -> &[f64] {
        &self.values[at * self.features..][..self.features]
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.features)
    }

    /// Some of them, in the order in which they are named.
    pub fn of(&self, rows: &[u32]) -> Self {
        let values = rows.iter().flat_map(|&row| self.row(row as usize)).copied().collect();
        Self { features: self.features, values }
    }
}

/// The names of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelName {
    /// x'z.
    Linear,
    /// (gamma x'z)^degree.
    Poly,
    /// exp(-gamma |x - z|^2).
    Rbf,
}

/// How alike two examples are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "KernelForm", into = "KernelForm")]
pub enum Kernel {
    /// x'z.
    Linear,
    /// (gamma x'z)^degree.
    Polynomial {
        /// The factor.
        gamma: f64,
        /// The power.
        degree: u32,
    },
    /// exp(-gamma |x - z|^2).
    Radial {
        /// The factor.
        gamma: f64,
    },
}

/// A kernel as a model file has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KernelForm {
    name: KernelName,
    gamma: Option<f64>,
    degree: Option<u32>,
}

impl From<Kernel> for KernelForm {
    fn from(kernel: Kernel) -> Self {
        match kernel {
            Kernel::Linear => Self { name: KernelName::Linear, gamma: None, degree: None },
            Kernel::Polynomial { gamma, degree } => {
                Self { name: KernelName::Poly, gamma: Some(gamma), degree: Some(degree) }
            }
            Kernel::Radial { gamma } => Self { name: KernelName::Rbf, gamma: Some(gamma), degree: None },
        }
    }
}

impl TryFrom<KernelForm> for Kernel {
    type Error = String;

    fn try_from(form: KernelForm) -> std::result::Result<Self, String> {
        let is_good = |gamma: f64| gamma > 0.0 && gamma.is_finite();
        match (form.name, form.gamma, form.degree) {
            (KernelName::Linear, None, None) => Ok(Self::Linear),
            (KernelName::Poly, Some(gamma), Some(degree)) if is_good(gamma) && degree > 0 => {
                Ok(Self::Polynomial { gamma, degree })
            }
            (KernelName::Rbf, Some(gamma), None) if is_good(gamma) => Ok(Self::Radial { gamma }),
            _ => Err("a kernel needs its own gamma above 0 and degree of at least 1, and nothing else".to_owned()),
        }
    }
}

impl Kernel {
    /// The kernel of two examples, from their product and the squares of their lengths.
    fn of_products(self, product: f64, one: f64, other: f64) -> f64 {
        match self {
            Self::Linear => product,
            Self::Polynomial { gamma, degree } => (gamma * product).powi(degree as i32),
            Self::Radial { gamma } => (-gamma * (one + other - 2.0 * product).max(0.0)).exp(),
        }
    }

    /// The kernel of two examples.
    pub fn of(self, one: &[f64], other: &[f64]) -> f64 {
        self.of_products(product(one, other), product(one, one), product(other, other))
    }
}

/// The sum of products, always in the same order: the same for any threads, and for both orders of the two.
fn product(one: &[f64], other: &[f64]) -> f64 {
    let ((ones, rest), (others, other_rest)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    let rest: f64 = rest.iter().zip(other_rest).map(|(one, other)| one * other).sum();
    let mut sums = [0.0; 8];
    for (one, other) in ones.iter().zip(others) {
        sums = std::array::from_fn(|lane| sums[lane] + one[lane] * other[lane]);
    }
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])) + rest
}

/// How to learn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SvmParams {
    /// Which kernel.
    pub kernel: KernelName,
    /// What an example on the wrong side costs: C.
    pub cost: f64,
    /// The factor of the kernel; `sigma` or the usual distance if none is given.
    pub gamma: Option<f64>,
    /// gamma = 1/(2 sigma^2).
    pub sigma: Option<f64>,
    /// The power of a polynomial.
    pub degree: u32,
    /// How much the conditions of the best may be missed by.
    pub tolerance: f64,
    /// How features are brought to one measure.
    pub scaling: Scaling,
    /// What rows of the kernel may take, in bytes.
    pub memory: usize,
    /// Of the pairs that say what distance is usual.
    pub seed: u64,
}

impl Default for SvmParams {
    fn default() -> Self {
        Self {
            kernel: KernelName::Rbf,
            cost: 100.0,
            gamma: None,
            sigma: None,
            degree: 2,
            tolerance: 0.001,
            scaling: Scaling::Standard,
            memory: MEMORY,
            seed: 0,
        }
    }
}

impl SvmParams {
    /// Checks them all.
    pub fn check(&self) -> Result<()> {
        let mut errors = Vec::new();
        let mut must = |name: &str, value: f64, problem: &str| {
            if !(value > 0.0 && value.is_finite()) {
                errors.push(Error::parameter(name, format!("must be {problem}, and is {value}")));
            }
        };
        must("cost", self.cost, "a number above 0");
        must("tolerance", self.tolerance, "a number above 0, 0.001 for example");
        must("gamma", self.gamma.unwrap_or(1.0), "a number above 0");
        must("sigma", self.sigma.unwrap_or(1.0), "a number above 0");
        if self.gamma.is_some() && self.sigma.is_some() {
            errors.push(Error::parameter("sigma", "says the same as `gamma`: give one of them"));
        }
        if !(1..=16).contains(&self.degree) {
            errors.push(Error::parameter("degree", format!("must be from 1 to 16, and is {}", self.degree)));
        }
        if errors.is_empty() { Ok(()) } else { Err(Error::parameters(errors)) }
    }

    /// The kernel for some examples, which are scaled already.
    pub fn kernel_for(&self, rows: &Rows) -> Kernel {
        let gamma = || match (self.gamma, self.sigma) {
            (Some(gamma), _) => gamma,
            (None, Some(sigma)) => 1.0 / (2.0 * sigma * sigma),
            (None, None) => usual_gamma(rows, self.seed),
        };
        match self.kernel {
            KernelName::Linear => Kernel::Linear,
            KernelName::Poly => Kernel::Polynomial { gamma: gamma(), degree: self.degree },
            KernelName::Rbf => Kernel::Radial { gamma: gamma() },
        }
    }
}

/// 1/(2 sigma^2), sigma the median distance of pairs of examples; of those that differ if most pairs do not, and 1 if none does.
pub fn usual_gamma(rows: &Rows, seed: u64) -> f64 {
    if rows.len() < 2 {
        return 1.0;
    }
    let mut rng = Rng::seeded(seed);
    let mut squares: Vec<f64> = (0..PAIRS)
        .map(|_| {
            let one = rng.index(rows.len());
            let other = (one + 1 + rng.index(rows.len() - 1)) % rows.len();
            rows.row(one).iter().zip(rows.row(other)).map(|(one, other)| (one - other).powi(2)).sum()
        })
        .collect();
    squares.sort_by(f64::total_cmp);
    if median(&squares) <= 0.0 {
        squares.retain(|&square| square > 0.0);
    }
    let usual = median(&squares);
    if usual > 0.0 { 1.0 / (2.0 * usual) } else { 1.0 }
}

/// The middle of numbers in order, by their roots: the square of the median distance.
fn median(squares: &[f64]) -> f64 {
    let Some(last) = squares.len().checked_sub(1) else { return 0.0 };
    let (low, high) = (squares[last / 2], squares[last.div_ceil(2)]);
    ((low.sqrt() + high.sqrt()) / 2.0).powi(2)
}

/// What was learnt.
#[derive(Debug, Clone, PartialEq)]
pub struct Svm {
    kernel: Kernel,
    support: Rows,
    squares: Vec<f64>,
    coefficients: Vec<f64>,
    rho: f64,
    objective: f64,
}

impl Svm {
    /// Learns from examples that are scaled already: `is_positive` says which side each is on.
    pub fn learn(
        rows: &Rows,
        is_positive: &[bool],
        kernel: Kernel,
        params: &SvmParams,
        progress: &dyn Progress,
    ) -> Result<Self> {
        params.check()?;
        let positive = is_positive.iter().filter(|&&positive| positive).count();
        if positive == 0 || positive == rows.len() {
            return Err(Error::data("all examples are on one side: there is nothing to tell apart")
                .with_hint("give examples of both classes"));
        }
        let solved = solver::solve(rows, is_positive, kernel, params, progress)?;
        let is_support = |&row: &u32| solved.weights[row as usize] != 0.0;
        let support: Vec<u32> = (0..rows.len() as u32).filter(is_support).collect();
        let coefficients = support.iter().map(|&row| solved.weights[row as usize]).collect();
        Ok(Self::build(kernel, rows.of(&support), coefficients, solved.rho, solved.objective))
    }

    /// One that was learnt before, from its parts; what does not fit together is an error.
    pub fn from_parts(kernel: Kernel, support: Rows, coefficients: Vec<f64>, rho: f64, objective: f64) -> Result<Self> {
        if support.len() != coefficients.len() {
            return Err(Error::data("a support vector machine needs one coefficient for each support vector"));
        }
        if coefficients.iter().chain([&rho, &objective]).any(|value| !value.is_finite()) {
            return Err(Error::data("a coefficient of a support vector machine is not a finite number"));
        }
        Ok(Self::build(kernel, support, coefficients, rho, objective))
    }

    fn build(kernel: Kernel, support: Rows, coefficients: Vec<f64>, rho: f64, objective: f64) -> Self {
        let squares = support.iter().map(|row| product(row, row)).collect();
        Self { kernel, support, squares, coefficients, rho, objective }
    }

    /// How far on the positive side an example is, scaled as those it was learnt from.
    pub fn score(&self, row: &[f64]) -> f64 {
        let square = product(row, row);
        let parts = self.support.iter().zip(&self.squares).zip(&self.coefficients);
        let sum: f64 = parts
            .map(|((support, &of_support), weight)| {
                weight * self.kernel.of_products(product(support, row), of_support, square)
            })
            .sum();
        sum - self.rho
    }

    /// The scores of many.
    pub fn scores(&self, rows: &Rows) -> Vec<f64> {
        (0..rows.len()).into_par_iter().map(|row| self.score(rows.row(row))).collect()
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The examples that say where the border is, scaled.
    pub fn support(&self) -> &Rows {
        &self.support
    }

    /// alpha y of each.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// What is taken off at the end.
    pub fn rho(&self) -> f64 {
        self.rho
    }

    /// 1/2 sum of alpha alpha y y K - sum of alpha.
    pub fn objective(&self) -> f64 {
        self.objective
    }
}

/// A scale and a machine: learns from examples as they are, and judges them as they are.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaledSvm {
    /// What features are divided by.
    pub scale: Scale,
    /// Learnt behind the scale.
    pub svm: Svm,
}

impl ScaledSvm {
    /// Learns from examples as they are.
    pub fn learn(rows: &Rows, is_positive: &[bool], params: &SvmParams, progress: &dyn Progress) -> Result<Self> {
        params.check()?;
        let scale = Scale::of(rows, params.scaling);
        let scaled = scale.apply(rows);
        let kernel = params.kernel_for(&scaled);
        Ok(Self { svm: Svm::learn(&scaled, is_positive, kernel, params, progress)?, scale })
    }

    /// The scores of examples as they are.
    pub fn scores(&self, rows: &Rows) -> Vec<f64> {
        self.svm.scores(&self.scale.apply(rows))
    }
}

#[cfg(test)]
mod tests;
