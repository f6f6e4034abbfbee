//! Spending a budget of distortion on noise, so that rows are as hard to guess as can be.
//!
//! Paper      Rachlin, Probst, Ghani 2008, equations 8 to 10; the objective `log` and the way of solving are ours.
//!
//! # Idea
//! 1. The budget C is shared: a part for each variance and flip. Shares are a softmax of free numbers, so that all of the budget is
//!    spent whatever those are, and the free numbers climb by L-BFGS (`learn/lbfgs.rs`).
//! 2. `bound` climbs the bound of the mean rank, `log` the mean over rows of ln(the sum over j of B_ij): one row that is hidden among
//!    thousands cannot make up for ten that stand alone.
//! 3. The problem has several summits. One variance a column is tried from several starts, equal noise and each column favoured in
//!    turn, on at most 400 rows; the best go on with all of the sample. A variance for each row starts from one a column.
//! 4. A flip ends where the published value says nothing of the true one, (V - 1) / V; what it cannot spend goes to the others.
//!
//! # Readings
//! Above [`SAMPLE`] rows a sample of so many is climbed with; another row then counts as many as it stands for. A row that is not in
//! the sample gets the variances of the nearest that is, and all of them are brought to the budget.
//!
//! # Cost
//! Time O(sample^2 x columns) an evaluation; 20 to 100 evaluations. Memory O(sample^2) for a variance a row.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{FAR, Points, SAMPLE, mismatch};
use crate::learn::lbfgs::{Until, climb};
use crate::rng::Rng;

/// What has a variance of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// All numbers together.
    One,
    /// Every column.
    #[default]
    Attribute,
    /// Every column of every row.
    Record,
}

/// What is made as great as can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// The mean logarithm of how much a row's cloud overlaps with the others'.
    #[default]
    Log,
    /// The bound of the mean rank.
    Bound,
}

/// What may be spent, and on what.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    /// The expected distortion of a row: the weighted sum of variances and flips.
    pub distortion: f64,
    /// What has a variance of its own.
    pub spread: Spread,
    /// What is made as great as can be.
    pub objective: Objective,
    /// The weight of each column of numbers.
    pub real_weights: Vec<f64>,
    /// The weight of each other column.
    pub other_weights: Vec<f64>,
    /// How many values each other column has.
    pub values: Vec<usize>,
}

/// How it was spent.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// The variances: one line, or one for each row.
    pub variances: Vec<Vec<f64>>,
    /// The flips.
    pub flips: Vec<f64>,
    /// The expected distortion of a row.
    pub distortion: f64,
    /// How many rows were looked at, where not all were.
    pub sample: Option<usize>,
    /// How often the objective was worked out.
    pub evaluations: usize,
}

/// The least share of the budget that anything gets, by the number of shares.
const LEAST: f64 = 1e-6;
/// Starts are compared on so many rows, at most.
const FEW: usize = 400;
/// So many evaluations a climb, at most.
const MOST_EVALUATIONS: usize = 150;

/// Spends a budget on the noise of some rows.
pub fn spend(points: &Points, budget: &Budget) -> Spent {
    let rows = points.rows();
    let drawn: Vec<usize> = Rng::seeded(0).sample(rows, SAMPLE).into_iter().map(|row| row as usize).collect();
    let sample = points.of_rows(&drawn);
    let stands_for = stands_for(rows, drawn.len());
    let mut flips = vec![None; budget.values.len()];
    // A column with one value cannot say another.
    flips.iter_mut().zip(&budget.values).filter(|(_, values)| **values < 2).for_each(|(flip, _)| *flip = Some(0.0));
    let mut evaluations = 0;
    let lines = loop {
        let left = budget.left(&flips);
        let task = Task { points: &sample, budget, fixed: &flips, left, stands_for };
        let found = task.lines(&mut evaluations);
        let full: Vec<usize> = (0..flips.len())
            .filter(|&at| flips[at].is_none() && found.1[at] >= most(budget.values[at]) * (1.0 - 1e-9))
            .collect();
        if full.is_empty() {
            let is_by_row = budget.spread == Spread::Record && !budget.real_weights.is_empty() && left > 0.0;
            break if is_by_row { task.by_row(found, &mut evaluations) } else { found };
        }
        full.into_iter().for_each(|at| flips[at] = Some(most(budget.values[at])));
    };
    let (mut variances, flips) = lines;
    if variances.len() > 1 && rows > drawn.len() {
        variances = (0..rows).into_par_iter().map(|row| variances[nearest(points, row, &sample)].clone()).collect();
    }
    // What is left of the budget, to the last digit and not beyond.
    let left = budget.left(&flips.iter().copied().map(Some).collect::<Vec<_>>());
    let spent = budget.cost(&variances, &[]);
    if spent > 0.0 {
        variances.iter_mut().flatten().for_each(|variance| *variance *= left / spent * (1.0 - 1e-12));
    }
    let distortion = budget.cost(&variances, &flips);
    Spent { variances, flips, distortion, sample: (drawn.len() < rows).then_some(drawn.len()), evaluations }
}

/// How many other rows a row of a sample stands for, as one of the others.
fn stands_for(rows: usize, sample: usize) -> f64 {
    if sample > 1 { (rows - 1) as f64 / (sample - 1) as f64 } else { 1.0 }
}

/// The flip at which a published value says nothing of the true one.
fn most(values: usize) -> f64 {
    if values < 2 { 0.0 } else { (values - 1) as f64 / values as f64 }
}

impl Budget {
    /// The expected distortion of a row.
    pub fn cost(&self, variances: &[Vec<f64>], flips: &[f64]) -> f64 {
        let line =
            |line: &Vec<f64>| line.iter().zip(&self.real_weights).map(|(variance, weight)| variance * weight).sum();
        let real: f64 = variances.iter().map(line).collect::<Vec<f64>>().iter().sum::<f64>() / variances.len() as f64;
        real + flips.iter().zip(&self.other_weights).map(|(flip, weight)| flip * weight).sum::<f64>()
    }

    /// What is left of the budget beside flips that are settled.
    fn left(&self, flips: &[Option<f64>]) -> f64 {
        let spent = flips.iter().zip(&self.other_weights).map(|(flip, weight)| flip.unwrap_or(0.0) * weight);
        (self.distortion - spent.sum::<f64>()).max(0.0)
    }
}

/// The row of a sample that is nearest to a row.
fn nearest(points: &Points, row: usize, sample: &Points) -> usize {
    let mut best = (f64::INFINITY, 0);
    for other in 0..sample.rows() {
        let numbers = points.numbers(row).iter().zip(sample.numbers(other));
        let labels = points.labels(row).iter().zip(sample.labels(other)).filter(|(own, other)| own != other).count();
        let apart = labels as f64 + numbers.map(|(own, other)| (own - other) * (own - other)).sum::<f64>();
        if apart < best.0 {
            best = (apart, other);
        }
    }
    best.1
}

/// Variances, as one line or one a row, and flips.
type Lines = (Vec<Vec<f64>>, Vec<f64>);

/// One climb's rows and what is left to spend on them.
struct Task<'a> {
    points: &'a Points,
    budget: &'a Budget,
    /// Flips that are settled.
    fixed: &'a [Option<f64>],
    left: f64,
    /// How many rows each other row stands for.
    stands_for: f64,
}

/// What a share of the budget buys.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Good {
    /// All variances.
    All,
    /// The variance of a column.
    Column(usize),
    /// The flip of a column.
    Flip(usize),
}

impl Task<'_> {
    /// What shares buy, each with how much of it the whole budget buys.
    fn goods(&self) -> Vec<(Good, f64)> {
        let Budget { spread, real_weights, other_weights, .. } = self.budget;
        let mut goods: Vec<(Good, f64)> = match spread {
            _ if real_weights.is_empty() => Vec::new(),
            Spread::One => vec![(Good::All, self.left / real_weights.iter().sum::<f64>())],
            Spread::Attribute | Spread::Record => {
                real_weights.iter().enumerate().map(|(at, weight)| (Good::Column(at), self.left / weight)).collect()
            }
        };
        let free = (0..self.fixed.len()).filter(|&at| self.fixed[at].is_none());
        goods.extend(free.map(|at| (Good::Flip(at), self.left / other_weights[at])));
        goods
    }

    /// One line of variances for all rows, and flips.
    fn lines(&self, evaluations: &mut usize) -> Lines {
        let goods = self.goods();
        if goods.is_empty() || self.left <= 0.0 {
            let settled = self.fixed.iter().map(|flip| flip.unwrap_or(0.0)).collect();
            return (vec![vec![0.0; self.budget.real_weights.len()]], settled);
        }
        let until = Until { slope: 1e-8, gain: 1e-10, evaluations: MOST_EVALUATIONS };
        let climb_on = |points: &Points, start: Vec<f64>, stands_for: f64, evaluations: &mut usize| {
            let own = Task { points, stands_for, ..*self };
            let crowd = Crowd::of(points);
            let found = climb(start, until, |free, slope| own.evaluate_lines(&goods, &crowd, free, slope));
            *evaluations += found.evaluations;
            found
        };
        let mut starts = vec![vec![0.0; goods.len()]];
        if goods.len() > 1 {
            // Each good is favoured in turn, and each left out.
            for (favoured, by) in (0..goods.len()).flat_map(|at| [(at, 3.0), (at, -3.0)]) {
                starts.push((0..goods.len()).map(|at| if at == favoured { by } else { 0.0 }).collect());
            }
        }
        let rows = self.points.rows();
        let few: Vec<usize> = Rng::seeded(1).sample(rows, FEW).into_iter().map(|row| row as usize).collect();
        let some = self.points.of_rows(&few);
        let of_few = self.stands_for * stands_for(rows, few.len());
        let mut found: Vec<_> = starts.into_iter().map(|start| climb_on(&some, start, of_few, evaluations)).collect();
        // The first of equal ones.
        found.sort_by(|one, other| other.value.total_cmp(&one.value));
        if few.len() < rows {
            found.truncate(2);
            found =
                found.into_iter().map(|best| climb_on(self.points, best.at, self.stands_for, evaluations)).collect();
            found.sort_by(|one, other| other.value.total_cmp(&one.value));
        }
        let (line, flips) = self.bought(&goods, &shares(&found[0].at).0);
        (vec![line], flips)
    }

    /// A line of variances and flips that shares buy.
    fn bought(&self, goods: &[(Good, f64)], shares: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut line = vec![0.0; self.budget.real_weights.len()];
        let mut flips: Vec<f64> = self.fixed.iter().map(|flip| flip.unwrap_or(0.0)).collect();
        for (&(good, price), share) in goods.iter().zip(shares) {
            match good {
                Good::All => line.iter_mut().for_each(|variance| *variance = price * share),
                Good::Column(at) => line[at] = price * share,
                Good::Flip(at) => flips[at] = (price * share).min(most(self.budget.values[at])),
            }
        }
        (line, flips)
    }

    /// The objective of one line for all rows, and its slope.
    fn evaluate_lines(&self, goods: &[(Good, f64)], crowd: &Crowd, free: &[f64], slope: &mut [f64]) -> f64 {
        let (shares, soft) = shares(free);
        let (line, flips) = self.bought(goods, &shares);
        let others = Others::of(&flips, &self.budget.values);
        let rates: Vec<f64> = line.iter().map(|variance| 1.0 / (8.0 * variance)).collect();
        let (reals, labels) = (line.len(), flips.len());
        // For each row the sum of overlaps with the others, and the same by squared distances and by differing values.
        let row = |one: usize| {
            let mut sums = vec![0.0; 1 + reals + labels];
            let (own, own_labels) = (self.points.numbers(crowd.rows[one]), self.points.labels(crowd.rows[one]));
            for (other, &row) in crowd.rows.iter().enumerate() {
                let mut far = 0.0;
                for ((own, number), rate) in own.iter().zip(self.points.numbers(row)).zip(&rates) {
                    far += (own - number) * (own - number) * rate;
                }
                if far > FAR {
                    continue;
                }
                let mut factor = crowd.counts[other] - f64::from(u8::from(other == one));
                let other_labels = self.points.labels(row);
                for at in 0..labels {
                    if own_labels[at] != other_labels[at] {
                        factor *= others.overlap[at];
                    }
                }
                let overlap = factor * (-far).exp();
                sums[0] += overlap;
                for (at, (own, number)) in own.iter().zip(self.points.numbers(row)).enumerate() {
                    sums[1 + at] += overlap * (own - number) * (own - number);
                }
                for at in 0..labels {
                    if own_labels[at] != other_labels[at] {
                        sums[1 + reals + at] += overlap;
                    }
                }
            }
            sums
        };
        let sums: Vec<Vec<f64>> = (0..crowd.rows.len()).into_par_iter().map(row).collect();
        let rows: f64 = crowd.counts.iter().sum();
        let whole = |one: usize| 1.0 + self.stands_for * sums[one][0];
        let all: f64 = (0..sums.len()).map(|one| crowd.counts[one] * whole(one)).sum();
        let value = match self.budget.objective {
            Objective::Log => (0..sums.len()).map(|one| crowd.counts[one] * whole(one).ln()).sum::<f64>() / rows,
            Objective::Bound => all.ln(),
        };
        let mut by_kind = vec![0.0; reals + labels];
        for (one, sums) in sums.iter().enumerate() {
            let weight = self.stands_for
                * crowd.counts[one]
                * match self.budget.objective {
                    Objective::Log => 1.0 / (whole(one) * rows),
                    Objective::Bound => 1.0 / all,
                };
            by_kind.iter_mut().zip(&sums[1..]).for_each(|(sum, own)| *sum += weight * own);
        }
        let of_column = |at: usize| by_kind[at] / (8.0 * line[at] * line[at]);
        let by_share: Vec<f64> = goods
            .iter()
            .map(|&(good, price)| match good {
                Good::All => price * (0..reals).map(of_column).sum::<f64>(),
                Good::Column(at) => price * of_column(at),
                Good::Flip(at) => price * by_kind[reals + at] * others.slope[at],
            })
            .collect();
        into_slope(&by_share, &soft, slope);
        value
    }

    /// A line of variances for each row, and flips, from one line for all.
    fn by_row(&self, (start, flips): Lines, evaluations: &mut usize) -> Lines {
        let (rows, reals) = (self.points.rows(), self.budget.real_weights.len());
        let flips_free: Vec<usize> = (0..flips.len()).filter(|&at| self.fixed[at].is_none()).collect();
        // What each share costs: the mean over rows is what counts.
        let price = |at: usize| self.left * rows as f64 / self.budget.real_weights[at];
        let prices: Vec<f64> = (0..rows).flat_map(|_| (0..reals).map(price)).collect();
        let flip_prices: Vec<f64> = flips_free.iter().map(|&at| self.left / self.budget.other_weights[at]).collect();
        let logarithm = |amount: f64, price: f64| (amount / price).max(1e-12).ln();
        let mut free: Vec<f64> =
            (0..rows).flat_map(|_| start[0].clone()).zip(&prices).map(|(v, &p)| logarithm(v, p)).collect();
        free.extend(flips_free.iter().zip(&flip_prices).map(|(&at, &price)| logarithm(flips[at], price)));
        let mut overlaps = vec![0.0f64; rows * rows];
        let bought = |shares: &[f64]| {
            let variances: Vec<f64> = shares.iter().zip(&prices).map(|(share, price)| share * price).collect();
            let mut own = flips.clone();
            for ((&at, price), share) in flips_free.iter().zip(&flip_prices).zip(&shares[prices.len()..]) {
                own[at] = (share * price).min(most(self.budget.values[at]));
            }
            (variances, own)
        };
        let evaluate = |free: &[f64], slope: &mut [f64]| {
            let (shares, soft) = shares(free);
            let (variances, own) = bought(&shares);
            let others = Others::of(&own, &self.budget.values);
            let sums: Vec<f64> = overlaps
                .par_chunks_mut(rows)
                .enumerate()
                .map(|(one, overlaps)| self.fill(one, &variances, &others.overlap, overlaps))
                .collect();
            let whole: Vec<f64> = sums.iter().map(|sum| 1.0 + self.stands_for * sum).collect();
            let all: f64 = whole.iter().sum();
            let value = match self.budget.objective {
                Objective::Log => whole.iter().map(|whole| whole.ln()).sum::<f64>() / rows as f64,
                Objective::Bound => all.ln(),
            };
            let weights: Vec<f64> = match self.budget.objective {
                Objective::Log => whole.iter().map(|whole| self.stands_for / (whole * rows as f64)).collect(),
                Objective::Bound => vec![self.stands_for / all; rows],
            };
            let by_row: Vec<Vec<f64>> = overlaps
                .par_chunks(rows)
                .enumerate()
                .map(|(one, overlaps)| self.slope_of_row(one, &variances, overlaps, &weights))
                .collect();
            let mut by_share = Vec::with_capacity(free.len());
            for (one, by_row) in by_row.iter().enumerate() {
                by_share.extend(by_row[..reals].iter().zip(&prices[one * reals..]).map(|(slope, price)| slope * price));
            }
            for (&at, price) in flips_free.iter().zip(&flip_prices) {
                let sum: f64 = by_row.iter().map(|by_row| by_row[reals + at]).sum();
                by_share.push(price * sum * others.slope[at]);
            }
            into_slope(&by_share, &soft, slope);
            value
        };
        let until = Until { slope: 1e-9, gain: 1e-5, evaluations: MOST_EVALUATIONS };
        let found = climb(free, until, evaluate);
        *evaluations += found.evaluations;
        let (variances, own) = bought(&shares(&found.at).0);
        let mut lines: Vec<Vec<f64>> = variances.chunks(reals).map(<[f64]>::to_vec).collect();
        alike_for_equal_rows(self.points, &mut lines);
        (lines, own)
    }

    /// Works out the overlaps of a row with all others. Gives their sum.
    fn fill(&self, one: usize, variances: &[f64], mismatches: &[f64], overlaps: &mut [f64]) -> f64 {
        let reals = self.budget.real_weights.len();
        let (own, own_labels) = (self.points.numbers(one), self.points.labels(one));
        let own_line = &variances[one * reals..][..reals];
        let mut sum = 0.0;
        for (other, overlap) in overlaps.iter_mut().enumerate() {
            *overlap = 0.0;
            if other == one {
                continue;
            }
            let (numbers, line) = (self.points.numbers(other), &variances[other * reals..][..reals]);
            let (mut far, mut ratio) = (0.0, 1.0);
            for at in 0..reals {
                let (apart, inverse) = (own[at] - numbers[at], 1.0 / (own_line[at] + line[at]));
                far += apart * apart * inverse;
                ratio *= own_line[at] * inverse * line[at] * inverse * 4.0;
            }
            if far > 4.0 * FAR {
                continue;
            }
            let mut factor = 1.0;
            for ((own, label), mismatch) in own_labels.iter().zip(self.points.labels(other)).zip(mismatches) {
                if own != label {
                    factor *= mismatch;
                }
            }
            *overlap = factor * ratio.sqrt().sqrt() * (-0.25 * far).exp();
            sum += *overlap;
        }
        sum
    }

    /// The slope of the objective by a row's variances, and the row's part of that by flips.
    fn slope_of_row(&self, one: usize, variances: &[f64], overlaps: &[f64], weights: &[f64]) -> Vec<f64> {
        let (reals, labels) = (self.budget.real_weights.len(), self.fixed.len());
        let mut slope = vec![0.0; reals + labels];
        let (own, own_labels) = (self.points.numbers(one), self.points.labels(one));
        let own_line = &variances[one * reals..][..reals];
        for (other, &overlap) in overlaps.iter().enumerate() {
            if overlap <= 1e-14 {
                continue;
            }
            // A pair counts in the row's own sum and in the other's.
            let weight = overlap * (weights[one] + weights[other]);
            let (numbers, line) = (self.points.numbers(other), &variances[other * reals..][..reals]);
            for at in 0..reals {
                let (apart, inverse) = (own[at] - numbers[at], 1.0 / (own_line[at] + line[at]));
                slope[at] += weight * inverse * (0.25 * apart * apart * inverse - 0.5);
                slope[at] += weight * 0.25 / own_line[at];
            }
            for ((at, own), label) in own_labels.iter().enumerate().zip(self.points.labels(other)) {
                if own != label {
                    slope[reals + at] += overlap * weights[one];
                }
            }
        }
        slope
    }
}

/// Gives equal rows one line of variances: climbing leaves them apart in the last digits, and they would not be equally likely.
fn alike_for_equal_rows(points: &Points, lines: &mut [Vec<f64>]) {
    for run in points.equal() {
        let mut mean = vec![0.0; lines[run[0]].len()];
        run.iter().for_each(|&row| mean.iter_mut().zip(&lines[row]).for_each(|(sum, own)| *sum += own));
        mean.iter_mut().for_each(|sum| *sum /= run.len() as f64);
        run.iter().for_each(|&row| lines[row].clone_from(&mean));
    }
}

/// Different rows with how often each comes.
struct Crowd {
    rows: Vec<usize>,
    counts: Vec<f64>,
}

impl Crowd {
    fn of(points: &Points) -> Self {
        let (rows, counts) = points.different();
        Self { rows, counts }
    }
}

/// For each column that is not of numbers how much two different values overlap, and the slope of its logarithm by the flip.
struct Others {
    overlap: Vec<f64>,
    slope: Vec<f64>,
}

impl Others {
    fn of(flips: &[f64], values: &[usize]) -> Self {
        let overlap = |(&flip, &values): (&f64, &usize)| mismatch(flip, values);
        let slope = |(&flip, &values): (&f64, &usize)| {
            if values < 2 || flip <= 0.0 || flip >= most(values) {
                return 0.0;
            }
            let others = (values - 1) as f64;
            let root = ((1.0 - flip) * flip / others).sqrt();
            ((1.0 - 2.0 * flip) / (others * root) + (values - 2) as f64 / others) / mismatch(flip, values)
        };
        Self {
            overlap: flips.iter().zip(values).map(overlap).collect(),
            slope: flips.iter().zip(values).map(slope).collect(),
        }
    }
}

/// Shares of the budget that add up to 1, none of them nothing; and their softmax before that.
fn shares(free: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let most = free.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raw: Vec<f64> = free.iter().map(|number| (number - most).exp()).collect();
    let whole: f64 = raw.iter().sum();
    let soft: Vec<f64> = raw.iter().map(|number| number / whole).collect();
    let least = LEAST / free.len() as f64;
    (soft.iter().map(|share| least + (1.0 - LEAST) * share).collect(), soft)
}

/// The slope by shares as that by the free numbers.
fn into_slope(by_share: &[f64], soft: &[f64], slope: &mut [f64]) {
    let mean: f64 = by_share.iter().zip(soft).map(|(slope, share)| slope * share).sum();
    for ((slope, by_share), share) in slope.iter_mut().zip(by_share).zip(soft) {
        *slope = (1.0 - LEAST) * share * (by_share - mean);
    }
}

#[cfg(test)]
mod tests;
