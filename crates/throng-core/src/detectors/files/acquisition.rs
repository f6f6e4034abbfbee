//! Which unlabelled files somebody should look at.
//!
//! Papers     Tong, Koller. Support Vector Machine Active Learning. 2001: the simple margin. Roy, McCallum. Toward Optimal Active Learning. 2001: error
//!            reduction. Platt. Probabilistic Outputs for Support Vector Machines. 1999, by Newton's method as in Lin, Lin, Weng 2007. Brinker.
//!            Incorporating Diversity in Active Learning. 2003. Readings M7, M11 and M15.
//!
//! # Formula
//! Simple margin: the smallest |f| first. Diverse: the next is the one with the least (|f| + greatest |cosine| with those chosen before) / 2, in the
//! space of the kernel, among the [`NEAREST`] · N nearest.
//! Error reduction: for each x of the pool P and each label y, the classifier is learnt again with (x, y) (eq 8, 9):
//! E(x) = sum over y of p(y|x) · 1/|P| · sum over z in P and labels v of p'(v|z) |ln p'(v|z)|, p of the classifier as it is, p' of the one learnt again.
//! The least E first. p(+|x) = 1 / (1 + exp(a f + b)): a = -2, b = 0, or Platt's fit.
//!
//! # Cost
//! The margin is linear in the pool, and N times that if diverse. Error reduction learns twice for each x of the pool.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::rng::Rng;

/// How many times as many as are wanted are looked at for diversity.
pub const NEAREST: usize = 4;
/// How many files error reduction looks at.
pub const MOST_CANDIDATES: usize = 40;
/// From how many labelled files of each class on Platt's fit is made.
pub const PLATT: usize = 30;

/// How files are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Those nearest to the border.
    SimpleMargin,
    /// Those after whose label the classifier would be surest of the others.
    ErrorReduction,
    /// Any.
    Random,
}

/// The nearest to the border, the nearest first; equal ones by number. So many, or all within the margin.
pub fn simple_margin(scores: &[f64], budget: usize, within_margin: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&left, &right| scores[left].abs().total_cmp(&scores[right].abs()));
    if within_margin {
        order.retain(|&file| scores[file].abs() < 1.0);
    } else {
        order.truncate(budget);
    }
    order
}

/// Some near the border that are not like each other. `cosine` says how alike two are, at most 1.
pub fn diverse(order: &[usize], scores: &[f64], budget: usize, cosine: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let mut left: Vec<(usize, f64)> = order.iter().map(|&file| (file, 0.0)).collect();
    let mut chosen = Vec::with_capacity(budget.min(left.len()));
    while chosen.len() < budget && !left.is_empty() {
        let worth = |&(file, alike): &(usize, f64)| scores[file].abs() + alike;
        let best = (1..left.len()).fold(0, |best, at| if worth(&left[at]) < worth(&left[best]) { at } else { best });
        let (file, _) = left.remove(best);
        for (other, alike) in &mut left {
            *alike = alike.max(cosine(file, *other).abs());
        }
        chosen.push(file);
    }
    chosen
}

/// Any of so many.
pub fn random(files: usize, budget: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..files).collect();
    rng.shuffle(&mut order);
    order.truncate(budget);
    order
}

/// From scores to chances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// What the score is multiplied by.
    pub slope: f64,
    /// What is added.
    pub offset: f64,
}

impl Default for Chance {
    fn default() -> Self {
        Self { slope: -2.0, offset: 0.0 }
    }
}

impl Chance {
    /// The chance that a file with this score is positive.
    pub fn positive(self, score: f64) -> f64 {
        let exponent = self.slope * score + self.offset;
        if exponent >= 0.0 { (-exponent).exp() / (1.0 + (-exponent).exp()) } else { 1.0 / (1.0 + exponent.exp()) }
    }

    /// Platt's fit: the greatest likelihood of labels that are pulled a little towards each other.
    pub fn fit(scores: &[f64], is_positive: &[bool]) -> Self {
        const TURNS: usize = 100;
        const SMALL: f64 = 1e-12;
        let positive = is_positive.iter().filter(|&&is| is).count() as f64;
        let negative = scores.len() as f64 - positive;
        let targets: Vec<f64> = is_positive
            .iter()
            .map(|&is| if is { (positive + 1.0) / (positive + 2.0) } else { 1.0 / (negative + 2.0) })
            .collect();
        let loss = |of: Self| -> f64 {
            let one = |(&score, &target): (&f64, &f64)| {
                let exponent = of.slope * score + of.offset;
                // ln(1 + e^x), without an overflow.
                exponent.max(0.0) + (-exponent.abs()).exp().ln_1p() - (1.0 - target) * exponent
            };
            scores.iter().zip(&targets).map(one).sum()
        };
        let mut at = Self { slope: 0.0, offset: ((negative + 1.0) / (positive + 1.0)).ln() };
        let mut now = loss(at);
        for _ in 0..TURNS {
            let (mut first, mut second) = ([0.0; 2], [SMALL, 0.0, SMALL]);
            for (&score, &target) in scores.iter().zip(&targets) {
                let chance = at.positive(score);
                let (apart, curve) = (target - chance, chance * (1.0 - chance));
                first[0] += score * apart;
                first[1] += apart;
                second[0] += score * score * curve;
                second[1] += score * curve;
                second[2] += curve;
            }
            if first[0].abs() < 1e-9 && first[1].abs() < 1e-9 {
                break;
            }
            let determinant = second[0] * second[2] - second[1] * second[1];
            let step = [
                -(second[2] * first[0] - second[1] * first[1]) / determinant,
                -(second[0] * first[1] - second[1] * first[0]) / determinant,
            ];
            let slope = first[0] * step[0] + first[1] * step[1];
            let tried = (0..40).map(|halved| 0.5f64.powi(halved)).find_map(|part| {
                let next = Self { slope: at.slope + part * step[0], offset: at.offset + part * step[1] };
                let then = loss(next);
                (then < now + 1e-4 * part * slope).then_some((next, then))
            });
            let Some((next, then)) = tried else { break };
            (at, now) = (next, then);
        }
        at
    }
}

/// The error that is expected once a file of the pool has its label, for each file of it: eqs 8 and 9.
///
/// `scores_with` learns with one more file of the pool and its label, or with none, and scores the pool.
pub fn expected_errors(
    pool: usize,
    chance: Chance,
    scores_with: impl Fn(Option<(usize, bool)>) -> Result<Vec<f64>> + Sync,
) -> Result<Vec<f64>> {
    let now = scores_with(None)?;
    let error = |file: usize, label: bool| -> Result<f64> {
        let scores = scores_with(Some((file, label)))?;
        let of = |share: f64| if share > 0.0 { -share * share.ln() } else { 0.0 };
        let unsure = |&score: &f64| {
            let positive = chance.positive(score);
            of(positive) + of(1.0 - positive)
        };
        Ok(scores.iter().map(unsure).sum::<f64>() / pool as f64)
    };
    (0..pool)
        .into_par_iter()
        .map(|file| {
            let positive = chance.positive(now[file]);
            Ok(positive * error(file, true)? + (1.0 - positive) * error(file, false)?)
        })
        .collect()
}

/// Those with the least expected error, the least first; equal ones by number.
pub fn least(errors: &[f64], budget: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..errors.len()).collect();
    order.sort_by(|&left, &right| errors[left].total_cmp(&errors[right]));
    order.truncate(budget);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_by_hand() {
        let scores = [-1.5, 0.2, -0.1, 0.9, 0.1, -1.0];
        assert_eq!(simple_margin(&scores, 3, false), [2, 4, 1]);
        assert_eq!(simple_margin(&scores, 0, true), [2, 4, 1, 3]);
    }

    #[test]
    fn the_diverse_are_not_alike() {
        // 0 and 1 are the same file twice.
        let alike = |one: usize, other: usize| if one + other == 1 { 1.0 } else { 0.0 };
        assert_eq!(diverse(&[0, 1, 2], &[0.1, 0.1, 0.5], 2, alike), [0, 2]);
        assert_eq!(diverse(&[0, 1, 2], &[0.1, 0.1, 1.5], 2, alike), [0, 1]);
        assert_eq!(diverse(&[], &[], 2, alike), [0usize; 0]);
    }

    #[test]
    fn error_reduction_by_hand() {
        // A pool of two. Chances: 1/(1 + e^-2f).
        let chance = Chance::default();
        let scores = |with: Option<(usize, bool)>| {
            Ok(match with {
                None => vec![0.0, 3f64.ln() / 2.0],
                // p' = 9/10 for both; for the others 1/2: ln 2 of each.
                Some((0, true)) => vec![9f64.ln() / 2.0; 2],
                Some((0, false)) => vec![0.0, 0.0],
                Some((1, true)) => vec![9f64.ln() / 2.0, 0.0],
                Some(_) => vec![-9f64.ln() / 2.0, -9f64.ln() / 2.0],
            })
        };
        let errors = expected_errors(2, chance, scores).unwrap();
        // H(9/10) = 0.3250830 nats, H(1/2) = 0.6931472. File 0 is positive with 1/2: (0.3250830 + 0.6931472) / 2.
        assert!((errors[0] - 0.509_115_1).abs() < 1e-7, "{errors:?}");
        // File 1 with 3/4: 3/4 · (0.3250830 + 0.6931472) / 2 + 1/4 · 0.3250830.
        assert!((errors[1] - 0.463_107_1).abs() < 1e-7, "{errors:?}");
        assert_eq!(least(&errors, 1), [1]);
    }

    #[test]
    fn platt_finds_the_slope_that_made_the_labels() {
        // Of the files with score s, the share 1/(1 + e^(-2s)) is positive, each score 1,000 times.
        let (mut scores, mut labels) = (Vec::new(), Vec::new());
        for step in -4..=4 {
            let score = f64::from(step) / 2.0;
            let positive = (1000.0 * Chance::default().positive(score)).round() as usize;
            scores.extend([score; 1000]);
            labels.extend((0..1000).map(|at| at < positive));
        }
        let found = Chance::fit(&scores, &labels);
        assert!((found.slope + 2.0).abs() < 0.02 && found.offset.abs() < 0.02, "{found:?}");
        // Chances stay chances, however far a file is.
        assert_eq!(Chance::default().positive(1e6), 1.0);
        assert_eq!(Chance::default().positive(-1e6), 0.0);
        // All apart: the targets keep the slope finite.
        let apart = Chance::fit(&[-1.0, -1.0, 1.0, 1.0], &[false, false, true, true]);
        assert!((apart.positive(1.0) - 0.75).abs() < 1e-6, "{apart:?}");
    }
}
