//! Guessing anonymity: how many guesses an attacker needs who knows all original rows and how noise was added.
//!
//! Paper      Rachlin, Probst, Ghani. Maximizing privacy under data distortion constraints in noise perturbation methods. PinKDD 2008.
//!
//! # Idea
//! The attacker takes a published row and asks of one original row after another, the likeliest first, whether it became this one.
//! The rank of the true row is its guessing anonymity. Arikan's inequality bounds the mean rank from below by how much the clouds
//! of noise around the rows overlap.
//!
//! # Formula
//! bound = 1 / (M (1 + ln M)) x the sum over i and j of B_ij, B_ij the overlap of rows i and j: the product
//! over columns of numbers of sqrt(2 s_i s_j / (s_i^2 + s_j^2)) exp(-(r_i - r_j)^2 / (4 (s_i^2 + s_j^2)))   (equations 4 to 6),
//! over other columns, where the values differ, of 2 sqrt((1 - p) p / (V - 1)) + (V - 2) p / (V - 1)         (equation 7).
//!
//! # Readings
//! G1: all original rows are candidates. G6: the bound can be below 1, and bounds the mean, not anybody's rank.
//!
//! # Cost
//! Time O(rows^2 x columns) for up to [`MOST_EXACT`] different rows; above that [`SAMPLE`] of them beside all, which is said.

pub mod ranks;
pub mod spend;
pub mod study;

use rayon::prelude::*;

use crate::data::Dataset as _;
use crate::data::table::Table;
use crate::data::table::noise::Noise;
use crate::error::{Error, Result};
use crate::rng::Rng;

/// Up to so many different rows the bound is exact.
pub const MOST_EXACT: usize = 20_000;
/// Of more rows so many are drawn and held against all.
pub const SAMPLE: usize = 2_000;

/// Rows in the units of their noise: numbers, and values of other columns by their places in the noise's lists.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    rows: usize,
    reals: usize,
    others: usize,
    numbers: Vec<f64>,
    labels: Vec<u32>,
}

impl Points {
    /// The rows of an original, or of its release, under the columns of a noise. A cell that such noise cannot make is refused.
    pub fn of(table: &Table, noise: &Noise) -> Result<Self> {
        let (rows, reals, others) = (table.rows(), noise.real.len(), noise.categorical.len());
        let mut points = Self { rows, reals, others, numbers: vec![0.0; rows * reals], labels: vec![0; rows * others] };
        let strange = |column: &str, row: usize| {
            Error::refused(format!("row {} has a cell that this noise cannot make", row + 1))
                .in_column(column)
                .with_hint("the noise file is that of another release: give the one that was written with it")
        };
        for (at, own) in noise.real.iter().enumerate() {
            let column = &table.columns()[table.find(&own.column)?];
            let number = |text: &str| column.kind.number(text).or_else(|| crate::data::table::cell::number(text));
            let numbers: Vec<f64> = column
                .values
                .iter()
                .map(|text| number(text).map_or(f64::NAN, |number| (number - own.mean) / own.deviation))
                .collect();
            for (row, &cell) in column.cells.iter().enumerate() {
                let number = numbers[cell as usize];
                if number.is_nan() {
                    return Err(strange(&own.column, row));
                }
                points.numbers[row * reals + at] = number;
            }
        }
        for (at, own) in noise.categorical.iter().enumerate() {
            let column = &table.columns()[table.find(&own.column)?];
            let place = |text: &str| own.values.binary_search_by(|value| value.as_str().cmp(text)).ok();
            let places: Vec<Option<usize>> = column.values.iter().map(place).collect();
            for (row, &cell) in column.cells.iter().enumerate() {
                let place = places[cell as usize].ok_or_else(|| strange(&own.column, row))?;
                points.labels[row * others + at] = place as u32;
            }
        }
        Ok(points)
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The numbers of a row.
    #[inline]
    pub fn numbers(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.reals..][..self.reals]
    }

    /// The other values of a row.
    #[inline]
    pub fn labels(&self, row: usize) -> &[u32] {
        &self.labels[row * self.others..][..self.others]
    }

    /// Some of the rows, in the order in which they are given.
    #[must_use]
    pub fn of_rows(&self, rows: &[usize]) -> Self {
        Self {
            rows: rows.len(),
            numbers: rows.iter().flat_map(|&row| self.numbers(row).iter().copied()).collect(),
            labels: rows.iter().flat_map(|&row| self.labels(row).iter().copied()).collect(),
            ..*self
        }
    }

    /// The rows with noise drawn for them: for each row its numbers, then its other values.
    #[must_use]
    pub fn disturbed(&self, noise: &Noise, rng: &mut Rng) -> Self {
        let mut drawn = self.clone();
        for row in 0..self.rows {
            for (at, variance) in noise.line(row).iter().enumerate() {
                drawn.numbers[row * self.reals + at] += variance.sqrt() * rng.normal();
            }
            for (at, own) in noise.categorical.iter().enumerate() {
                if rng.unit() < noise.flips[at] {
                    // One of the others, all alike.
                    let other = rng.index(own.values.len() - 1) as u32;
                    let label = &mut drawn.labels[row * self.others + at];
                    *label = other + u32::from(other >= *label);
                }
            }
        }
        drawn
    }

    /// Different rows, the first of each by its number, and how often each comes.
    fn different(&self) -> (Vec<usize>, Vec<f64>) {
        let runs = self.equal();
        let mut found: Vec<(usize, f64)> = runs.iter().map(|run| (run[0], run.len() as f64)).collect();
        found.sort_unstable_by_key(|&(row, _)| row);
        found.into_iter().unzip()
    }

    /// Rows that are equal, by their numbers.
    fn equal(&self) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.rows).collect();
        let compare = |one: &usize, other: &usize| {
            let numbers = self.numbers(*one).iter().zip(self.numbers(*other));
            let by_number = numbers.map(|(one, other)| one.total_cmp(other)).find(|order| order.is_ne());
            by_number.unwrap_or_else(|| self.labels(*one).cmp(self.labels(*other)))
        };
        order.sort_by(|one, other| compare(one, other).then(one.cmp(other)));
        order.chunk_by(|one, other| compare(one, other).is_eq()).map(<[usize]>::to_vec).collect()
    }
}

/// For each column that is not of numbers how much the clouds of two different values overlap.
pub fn mismatches(noise: &Noise) -> Vec<f64> {
    let overlap =
        |(own, &flip): (&crate::data::table::noise::CategoricalColumn, &f64)| mismatch(flip, own.values.len());
    noise.categorical.iter().zip(&noise.flips).map(overlap).collect()
}

/// The overlap of two different values of so many, if each becomes another one with this probability.
pub(crate) fn mismatch(flip: f64, values: usize) -> f64 {
    if values < 2 {
        return 1.0;
    }
    let each = flip / (values - 1) as f64;
    2.0 * ((1.0 - flip).max(0.0) * each).sqrt() + (values - 2) as f64 * each
}

/// No pair that is farther apart than this overlaps by anything that counts.
const FAR: f64 = 60.0;

/// The overlap of two rows.
#[inline]
fn overlap(points: &Points, mismatches: &[f64], one: (usize, &[f64]), other: (usize, &[f64])) -> f64 {
    let ((one, one_line), (other, other_line)) = (one, other);
    let mut factor = 1.0;
    for ((own, label), mismatch) in points.labels(one).iter().zip(points.labels(other)).zip(mismatches) {
        if own != label {
            factor *= mismatch;
        }
    }
    let (mut far, mut ratio) = (0.0, 1.0);
    let numbers = points.numbers(one).iter().zip(points.numbers(other));
    for ((own, number), (own_variance, variance)) in numbers.zip(one_line.iter().zip(other_line)) {
        let (both, apart) = (own_variance + variance, own - number);
        if both > 0.0 {
            far += apart * apart / (4.0 * both);
            ratio *= 4.0 * own_variance * variance / (both * both);
        } else if apart != 0.0 {
            return 0.0;
        }
    }
    if far > FAR { 0.0 } else { factor * ratio.sqrt().sqrt() * (-far).exp() }
}

/// The lower bound of the mean rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// The bound; of a sample the estimate.
    pub value: f64,
    /// How many rows there are.
    pub rows: usize,
    /// How many of them were held against all, where not all were.
    pub sampled: Option<usize>,
    /// The standard error of the estimate; 0 where all rows were looked at.
    pub error: f64,
}

impl Bound {
    /// The bound of rows under a noise.
    pub fn of(points: &Points, noise: &Noise) -> Self {
        let rows = points.rows;
        if rows == 0 {
            return Self { value: 0.0, rows, sampled: None, error: 0.0 };
        }
        let mismatches = mismatches(noise);
        // Rows that are alike are one with a weight, unless each has noise of its own.
        let (places, weights) =
            if noise.is_by_row() { ((0..rows).collect(), vec![1.0; rows]) } else { points.different() };
        let between = |one: usize, other: usize| {
            let (one, other) = (places[one], places[other]);
            overlap(points, &mismatches, (one, noise.line(one)), (other, noise.line(other)))
        };
        let share = 1.0 / (rows as f64 * (1.0 + (rows as f64).ln()));
        if places.len() <= MOST_EXACT {
            let row = |one: usize| {
                let others: f64 = (0..one).map(|other| weights[other] * between(one, other)).sum();
                weights[one] * (weights[one] + 2.0 * others)
            };
            let sums: Vec<f64> = (0..places.len()).into_par_iter().map(row).collect();
            return Self { value: share * sums.iter().sum::<f64>(), rows, sampled: None, error: 0.0 };
        }
        // Every row is as likely to be drawn: of rows that are alike, one of them.
        let mut place_of = vec![0u32; rows];
        if noise.is_by_row() {
            place_of.iter_mut().enumerate().for_each(|(row, place)| *place = row as u32);
        } else {
            let mut ends = Vec::with_capacity(places.len());
            weights.iter().for_each(|weight| ends.push(ends.last().copied().unwrap_or(0.0) + weight));
            place_of.iter_mut().enumerate().for_each(|(at, place)| {
                *place = ends.partition_point(|&end: &f64| end <= at as f64) as u32;
            });
        }
        let drawn = Rng::seeded(0).sample(rows, SAMPLE);
        let row = |&at: &u32| {
            let one = place_of[at as usize] as usize;
            let others = (0..places.len()).filter(|&other| other != one);
            weights[one] + others.map(|other| weights[other] * between(one, other)).sum::<f64>()
        };
        let sums: Vec<f64> = drawn.par_iter().map(row).collect();
        let (mean, deviation) = crate::methods::table::mean_and_deviation(sums.iter().copied());
        let scale = share * rows as f64;
        let error = scale * deviation / (drawn.len() as f64).sqrt();
        Self { value: scale * mean, rows, sampled: Some(drawn.len()), error }
    }

    /// What can be relied on: the bound, less three standard errors where it is an estimate.
    pub fn sure(&self) -> f64 {
        (self.value - 3.0 * self.error).max(0.0)
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Equations 4 to 7 as they are printed, without any care for speed.

    use super::*;

    /// Equations 4, 5 and 6: numbers, with a variance for each row and column.
    pub(crate) fn literal_reals(rows: &[Vec<f64>], variances: &[Vec<f64>]) -> f64 {
        let m = rows.len() as f64;
        let mut sum = 0.0;
        for i in 0..rows.len() {
            for j in 0..rows.len() {
                let mut product = 1.0;
                for k in 0..rows[i].len() {
                    let (vi, vj) = (variances[i][k], variances[j][k]);
                    product *= (2.0 * vi.sqrt() * vj.sqrt() / (vi + vj)).sqrt()
                        * (-(rows[i][k] - rows[j][k]).powi(2) / (4.0 * (vi + vj))).exp();
                }
                sum += product;
            }
        }
        sum / (m * (1.0 + m.ln()))
    }

    /// Equation 7 beside equation 6: the sum over all published values of the roots of both probabilities.
    pub(crate) fn literal(points: &Points, noise: &Noise) -> f64 {
        let m = points.rows() as f64;
        let mut sum = 0.0;
        for i in 0..points.rows() {
            for j in 0..points.rows() {
                let mut product = 1.0;
                for k in 0..noise.real.len() {
                    let (vi, vj) = (noise.line(i)[k], noise.line(j)[k]);
                    product *= (2.0 * (vi * vj).sqrt() / (vi + vj)).sqrt()
                        * (-(points.numbers(i)[k] - points.numbers(j)[k]).powi(2) / (4.0 * (vi + vj))).exp();
                }
                for (k, own) in noise.categorical.iter().enumerate() {
                    let values = own.values.len();
                    let probability = |published: usize, own: u32| match published == own as usize {
                        true => 1.0 - noise.flips[k],
                        false => noise.flips[k] / (values - 1) as f64,
                    };
                    product *= (0..values)
                        .map(|s| (probability(s, points.labels(i)[k]) * probability(s, points.labels(j)[k])).sqrt())
                        .sum::<f64>();
                }
                sum += product;
            }
        }
        sum / (m * (1.0 + m.ln()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::testing::{literal, literal_reals};
    use super::*;
    use crate::data::table::noise::Scale;
    use crate::data::table::testing::table;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-12 * one.abs().max(other.abs()).max(1.0)
    }

    /// Two rows a distance of 2 apart, variance 1: 2 (1 + e^-0.5) / (2 (1 + ln 2)).
    #[test]
    fn by_hand() {
        let small = table("x:q", &["0", "2"]);
        let noise = Noise { variances: vec![vec![1.0]], ..Noise::units(&small, Scale::Raw).unwrap() };
        let found = Bound::of(&Points::of(&small, &noise).unwrap(), &noise);
        assert!(near(found.value, (1.0 + (-0.5f64).exp()) / (1.0 + 2.0f64.ln())));
        // Without noise nobody overlaps: 1 / (1 + ln M).
        let none = Noise::units(&small, Scale::Raw).unwrap();
        assert!(near(Bound::of(&Points::of(&small, &none).unwrap(), &none).value, 1.0 / (1.0 + 2.0f64.ln())));
    }

    #[test]
    fn a_value_that_noise_cannot_make_is_refused() {
        let small = table("x:q c:q", &["0 a", "2 b"]);
        let noise = Noise::units(&small, Scale::Raw).unwrap();
        for strange in ["0 z", "0..1 a"] {
            let error = Points::of(&table("x:q c:q", &[strange]), &noise).unwrap_err();
            assert!(error.to_string().contains("row 1"), "{error}");
        }
    }

    /// More rows than are held against each other: the estimate is within its error of the exact bound, and says so.
    #[test]
    fn many_rows_are_sampled() {
        let rows: Vec<String> = (0..=MOST_EXACT).map(|row| (row * 3 + row % 2).to_string()).collect();
        let many = table("x:q", &rows.iter().map(String::as_str).collect::<Vec<_>>());
        let units = Noise::units(&many, Scale::Standard).unwrap();
        let noise = Noise { variances: vec![vec![1e-4]], ..units };
        let points = Points::of(&many, &noise).unwrap();
        assert!(points.different().0.len() > MOST_EXACT);
        let found = Bound::of(&points, &noise);
        assert_eq!(found.sampled, Some(SAMPLE));
        let all: Vec<usize> = (0..MOST_EXACT).collect();
        let exact = Bound::of(&points.of_rows(&all), &noise);
        assert!(exact.sampled.is_none() && (found.value - exact.value).abs() < 4.0 * found.error + 0.01 * exact.value);
        assert!(found.sure() < found.value);
    }

    proptest! {
        #[test]
        fn the_fast_bound_is_that_of_the_equations(
            rows in prop::collection::vec((0i32..6, 0i32..6, 0u8..3), 1..20),
            variance in 0.01f64..4.0, flip in 0.0f64..0.66, by_row: bool,
        ) {
            let lines: Vec<String> = rows.iter().map(|(x, y, c)| format!("{x} {y} {}", ["a", "b", "c"][*c as usize])).collect();
            let table = table("x:q y:q c:q", &lines.iter().map(String::as_str).collect::<Vec<_>>());
            let units = Noise::units(&table, Scale::Raw).unwrap();
            let line = |row: usize| vec![variance * (1 + row % 3) as f64, variance / 2.0];
            let lines = if by_row { rows.len() } else { 1 };
            let flips = vec![if units.categorical[0].values.len() > 1 { flip } else { 0.0 }];
            let noise = Noise { variances: (0..lines).map(line).collect(), flips, ..units };
            let points = Points::of(&table, &noise).unwrap();
            let found = Bound::of(&points, &noise).value;
            prop_assert!(near(found, literal(&points, &noise)), "{} {}", found, literal(&points, &noise));
            if noise.categorical[0].values.len() == 1 {
                let numbers: Vec<Vec<f64>> = (0..rows.len()).map(|row| points.numbers(row).to_vec()).collect();
                let variances: Vec<Vec<f64>> = (0..rows.len()).map(|row| noise.line(row).to_vec()).collect();
                prop_assert!(near(found, literal_reals(&numbers, &variances)));
            }
        }
    }
}
