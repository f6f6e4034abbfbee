//! Ranks: in which order an attacker guesses original rows for a published one.
//!
//! # Formula
//! Under known noise the order is that of the likelihood: the sum over columns of numbers of -ln s_i - (x - r_i)^2 / (2 s_i^2), over
//! others of ln(1 - p) where the values agree and ln(p / (V - 1)) where not. The rank of a row is one more than the number of rows
//! that are likelier; rows that are as likely, but for the last digits of a sum, share the middle of theirs.
//!
//! # Cost
//! Time O(rows x columns) for each published row.

use rayon::prelude::*;

use super::{Points, SAMPLE};
use crate::data::table::noise::Noise;
use crate::rng::Rng;

/// Scores that differ by less, of their size, are the same: two ways to add up equal parts may differ in their last digits.
const SLACK: f64 = 1e-12;

/// The place of the true row among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// How many rows are guessed before it.
    pub before: usize,
    /// How many are as good, itself among them.
    pub alike: usize,
}

impl Rank {
    /// The rank of a row by how good each is; the greatest is guessed first.
    pub fn of(scores: &[f64], row: usize) -> Self {
        let own = scores[row];
        let slack = if own.is_finite() { SLACK * own.abs().max(1.0) } else { 0.0 };
        let mut rank = Self { before: 0, alike: 0 };
        for &score in scores {
            let is_alike = score == own || (score - own).abs() <= slack;
            rank.alike += usize::from(is_alike);
            rank.before += usize::from(!is_alike && score > own);
        }
        rank
    }

    /// The middle of the ranks that it may have.
    pub fn middle(self) -> f64 {
        self.before as f64 + (self.alike as f64 + 1.0) / 2.0
    }

    /// The chance that it is guessed first.
    pub fn first(self) -> f64 {
        if self.before == 0 { 1.0 / self.alike.max(1) as f64 } else { 0.0 }
    }
}

/// The likelihood of published rows, as far as it depends on the original row.
#[derive(Debug)]
pub struct Likelihood {
    original: Points,
    noise: Noise,
    /// For each row of the original, or for all, the sum of -ln s.
    spread: Vec<f64>,
    /// For each other column the logarithms of keeping a value and of becoming a given other one.
    flips: Vec<(f64, f64)>,
}

impl Likelihood {
    /// The likelihood under a noise.
    pub fn new(original: &Points, noise: &Noise) -> Self {
        let spread = |line: &Vec<f64>| line.iter().map(|variance| -0.5 * variance.max(f64::MIN_POSITIVE).ln()).sum();
        let flip = |(own, flip): (&crate::data::table::noise::CategoricalColumn, &f64)| {
            ((1.0 - flip).ln(), (flip / (own.values.len().max(2) - 1) as f64).ln())
        };
        Self {
            original: original.clone(),
            noise: noise.clone(),
            spread: noise.variances.iter().map(spread).collect(),
            flips: noise.categorical.iter().zip(&noise.flips).map(flip).collect(),
        }
    }

    /// The noise.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// The logarithm of the likelihood of a published row for each original one.
    pub fn scores(&self, published: &Points, row: usize) -> Vec<f64> {
        (0..self.original.rows()).map(|own| self.score(published, row, own)).collect()
    }

    fn score(&self, published: &Points, row: usize, own: usize) -> f64 {
        let mut score = if self.noise.is_by_row() { self.spread[own] } else { self.spread[0] };
        let numbers = published.numbers(row).iter().zip(self.original.numbers(own));
        for ((number, own), variance) in numbers.zip(self.noise.line(own)) {
            let apart = number - own;
            if apart != 0.0 {
                score -= apart * apart / (2.0 * variance.max(f64::MIN_POSITIVE));
            }
        }
        for ((label, own), (keep, become_other)) in
            published.labels(row).iter().zip(self.original.labels(own)).zip(&self.flips)
        {
            score += if label == own { keep } else { become_other };
        }
        score
    }
}

/// How hard it is to guess the rows of a release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guessed {
    /// The mean rank.
    pub mean_rank: f64,
    /// The share that is guessed first.
    pub first: f64,
}

/// The ranks of published rows whose original rows are known: pairs of original and published row. `None` of none.
pub fn known(original: &Points, published: &Points, noise: &Noise, links: &[(u32, u32)]) -> Option<Guessed> {
    let likelihood = Likelihood::new(original, noise);
    let rank = |&(own, row): &(u32, u32)| Rank::of(&likelihood.scores(published, row as usize), own as usize);
    let ranks: Vec<Rank> = links.par_iter().map(rank).collect();
    let mean = |of: fn(Rank) -> f64| ranks.iter().map(|&rank| of(rank)).sum::<f64>() / ranks.len() as f64;
    (!ranks.is_empty()).then(|| Guessed { mean_rank: mean(Rank::middle), first: mean(Rank::first) })
}

/// The ranks that published rows have in the mean if every original row may have become each of them: what the attacker expects, who
/// does not know the truth. Of many published rows a sample; `None` of none.
pub fn expected(original: &Points, published: &Points, noise: &Noise) -> Option<Guessed> {
    let likelihood = Likelihood::new(original, noise);
    let drawn = Rng::seeded(0).sample(published.rows(), SAMPLE);
    let guess = |&row: &u32| {
        let mut scores = likelihood.scores(published, row as usize);
        scores.sort_unstable_by(|one, other| other.total_cmp(one));
        let best = scores.first().copied().unwrap_or(0.0);
        let (mut whole, mut ranks) = (0.0, 0.0);
        for (at, score) in scores.iter().enumerate() {
            let chance = if score.is_finite() { (score - best).exp() } else { 0.0 };
            whole += chance;
            ranks += chance * (at + 1) as f64;
        }
        // A row that nothing can have become says nothing.
        if best.is_finite() { (ranks / whole, 1.0 / whole) } else { (f64::NAN, f64::NAN) }
    };
    let guesses: Vec<(f64, f64)> = drawn.par_iter().map(guess).filter(|(rank, _)| !rank.is_nan()).collect();
    let count = guesses.len() as f64;
    (!guesses.is_empty()).then(|| Guessed {
        mean_rank: guesses.iter().map(|(rank, _)| rank).sum::<f64>() / count,
        first: guesses.iter().map(|(_, first)| first).sum::<f64>() / count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::noise::Scale;
    use crate::data::table::testing::table;

    /// Tables 1 and 2 of the paper: ages 19, 15, 52, 25 became 23.1, 19.4, 49.3, 21.1; the ranks are 2, 2, 1, 2, their mean 1.75.
    /// With one variance the order does not depend on it.
    #[test]
    fn the_papers_own_table() {
        let original = table("age:q", &["19", "15", "52", "25"]);
        let release = table("age:q", &["23.1", "19.4", "49.3", "21.1"]);
        for variance in [0.1, 1.0, 30.0] {
            let noise = Noise { variances: vec![vec![variance]], ..Noise::units(&original, Scale::Raw).unwrap() };
            let (own, published) = (Points::of(&original, &noise).unwrap(), Points::of(&release, &noise).unwrap());
            let likelihood = Likelihood::new(&own, &noise);
            let ranks: Vec<f64> =
                (0..4).map(|row| Rank::of(&likelihood.scores(&published, row), row).middle()).collect();
            assert_eq!(ranks, [2.0, 2.0, 1.0, 2.0]);
            let found = known(&own, &published, &noise, &[(0, 0), (1, 1), (2, 2), (3, 3)]).unwrap();
            assert_eq!((found.mean_rank, found.first), (1.75, 0.25));
        }
    }

    #[test]
    fn rows_that_are_alike_share_the_middle() {
        let rank = Rank::of(&[1.0, 3.0, 1.0, 1.0, 0.0], 2);
        assert_eq!((rank.before, rank.alike, rank.middle(), rank.first()), (1, 3, 3.0, 0.0));
        assert_eq!(Rank::of(&[2.0, 2.0], 0).first(), 0.5);
        let impossible = Rank::of(&[f64::NEG_INFINITY, 1.0, f64::NEG_INFINITY], 0);
        assert_eq!((impossible.before, impossible.alike), (1, 2));
    }

    /// A flip at which a value says nothing: keeping it is as likely as each other one, whatever the last digits are.
    #[test]
    fn likelihoods_that_differ_in_their_last_digits_are_equal() {
        let original = table("c:q", &["a", "b", "c", "a"]);
        let noise =
            Noise { flips: vec![2.0 / 3.0], variances: vec![vec![]], ..Noise::units(&original, Scale::Raw).unwrap() };
        let own = Points::of(&original, &noise).unwrap();
        let scores = Likelihood::new(&own, &noise).scores(&own, 0);
        assert_eq!(Rank::of(&scores, 0), Rank { before: 0, alike: 4 });
        assert_eq!(Rank::of(&scores, 1), Rank { before: 0, alike: 4 });
    }

    /// With variances by row the order is by likelihood: a wide cloud far away beats a narrow one nearby.
    #[test]
    fn likelihood_is_not_distance() {
        let original = table("x:q", &["0", "10"]);
        let noise = Noise { variances: vec![vec![0.01], vec![100.0]], ..Noise::units(&original, Scale::Raw).unwrap() };
        let release = table("x:q", &["2"]);
        let (own, published) = (Points::of(&original, &noise).unwrap(), Points::of(&release, &noise).unwrap());
        let scores = Likelihood::new(&own, &noise).scores(&published, 0);
        assert!(scores[1] > scores[0]);
    }

    /// Many draws: what the attacker expects is, in the mean, what is.
    #[test]
    fn expectation_is_calibrated() {
        let values: Vec<String> = (0..60).map(|row| format!("{}", (row * row % 61) as f64 / 7.0)).collect();
        let original = table("x:q", &values.iter().map(String::as_str).collect::<Vec<_>>());
        let noise = Noise { variances: vec![vec![0.05]], ..Noise::units(&original, Scale::Raw).unwrap() };
        let own = Points::of(&original, &noise).unwrap();
        let mut rng = Rng::seeded(5);
        let (mut real, mut thought) = ((0.0, 0.0), (0.0, 0.0));
        for _ in 0..40 {
            let drawn: Vec<String> =
                (0..60).map(|row| (own.numbers(row)[0] + 0.05f64.sqrt() * rng.normal()).to_string()).collect();
            let release = table("x:q", &drawn.iter().map(String::as_str).collect::<Vec<_>>());
            let published = Points::of(&release, &noise).unwrap();
            let links: Vec<(u32, u32)> = (0..60).map(|row| (row, row)).collect();
            let known = known(&own, &published, &noise, &links).unwrap();
            let expected = expected(&own, &published, &noise).unwrap();
            real = (real.0 + known.mean_rank, real.1 + known.first);
            thought = (thought.0 + expected.mean_rank, thought.1 + expected.first);
        }
        assert!(
            (real.0 / thought.0 - 1.0).abs() < 0.03 && (real.1 / thought.1 - 1.0).abs() < 0.1,
            "{real:?} {thought:?}"
        );
    }
}
