//! Quality without truth: what a fitted model says of its own result.
//!
//! Paper      Chao. Estimating the population size for capture-recapture data with unequal catchability. Biometrics 43, 1987.
//!
//! # Formula
//! precision = mean probability of the pairs that are called matches; recall within blocks = their sum of probabilities by that of all
//! compared pairs. Blocks: f1 matches lie in one key only, f2 in two, S in at least one; f1² / (2 f2) are in none, at the least. Block
//! recall = S / (S + unseen).
//!
//! Does not   see matches that agree in nothing: Chao's number of unseen ones is a lower bound, so block recall is an upper one.

use serde::Serialize;

/// What a run estimates of itself.
#[derive(Debug, Clone, Serialize)]
pub struct Estimated {
    /// The share of pairs called matches that are.
    pub precision: f64,
    /// The share of the matches among the compared pairs that are called so.
    pub recall_within_blocks: f64,
    /// The share of all matches that was compared.
    pub block_recall: f64,
    /// From and to, 95 of 100 times.
    pub block_recall_interval: [f64; 2],
    /// log2 of the odds against a pair of any two records.
    pub prior_bits: f64,
    /// How many matches there are among all pairs.
    pub matches: f64,
}

/// How many matches lie in exactly one key, in exactly two, and in at least one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Captures {
    /// In exactly one.
    pub once: f64,
    /// In exactly two.
    pub twice: f64,
    /// In at least one.
    pub seen: f64,
}

impl Captures {
    /// Block recall, and its interval.
    pub fn recall(&self) -> (f64, [f64; 2]) {
        if self.seen <= 0.0 {
            return (1.0, [0.0, 1.0]);
        }
        let Self { once, twice, seen } = *self;
        // With bias correction: none in two keys is no infinity.
        let unseen = once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0));
        let ratio = once / twice.max(1.0);
        let variance = twice * (ratio.powi(4) / 4.0 + ratio.powi(3) + ratio.powi(2) / 2.0);
        let recall = |unseen: f64| seen / (seen + unseen);
        if unseen <= 0.0 {
            return (1.0, [recall(3.0), 1.0]);
        }
        // Chao's interval: log-normal in the number unseen.
        let spread = (1.96 * (1.0 + variance / (unseen * unseen)).ln().sqrt()).exp();
        (recall(unseen), [recall(unseen * spread), recall(unseen / spread)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_by_hand() {
        // 30 in one key, 44 in two, 100 in all: 30·29/(2·45) = 9.67 unseen.
        let (recall, [low, high]) = Captures { once: 30.0, twice: 44.0, seen: 100.0 }.recall();
        assert!((recall - 100.0 / (100.0 + 870.0 / 90.0)).abs() < 1e-12);
        assert!(low < recall && recall < high && high <= 1.0);
    }
}
