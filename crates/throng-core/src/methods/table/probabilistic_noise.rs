//! Probabilistic noise: for each row as much noise as it takes that k others are expected to fit better.
//!
//! Paper      Aggarwal. On unifying privacy and uncertain data models. ICDE 2008; the rival in Rachlin, Probst, Ghani 2008.
//! Promises   guessing anonymity with the f that its noise gives.
//! Does not   promise k-anonymity, although it has a k; limit distortion: a row far from all others gets as much as it takes. Handles
//!            quasi columns of numbers and one row a person only.
//!
//! # Idea
//! A published row is one of a normal cloud around its own. Another row fits it better if the noise went more than half of the way
//! towards it, which happens with the probability Q(d / 2s). The expected number of such rows grows with s: bisection.
//!
//! # Formula
//! The smallest s_i with the sum over j other than i of Q(d_ij / (2 s_i)) >= k, Q the upper tail of the normal distribution, d_ij the
//! Euclidean distance in standard units.
//!
//! # Readings
//! Q(0) is a half, so that at most (n - 1) / 2 rows can be expected to fit better: a greater k is refused. Above 2,000 rows a sample
//! of others counts, each for as many as it stands for.
//!
//! # Cost
//! Time O(rows x min(rows, 2,000) x (columns + 60)).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::noise::{publish, refuse_unfit};
use crate::data::Dataset as _;
use crate::data::table::Table;
use crate::data::table::noise::{Noise, Scale};
use crate::error::{Error, Result};
use crate::guessing::{Points, SAMPLE};
use crate::info::{Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::models::personal_k_anonymity::K_COLUMN;
use crate::progress::Progress;
use crate::release::{Optimised, Protected};
use crate::rng::Rng;

/// The card.
pub const INFO: Info = Info {
    name: "probabilistic-noise",
    summary: "for each row as much noise as it takes that k others are expected to fit better",
    paper: "Aggarwal. On unifying privacy and uncertain data models. ICDE 2008",
    details: "Every row gets normal noise of one variance in all quasi columns, scaled by mean and sample deviation: the smallest for \
        which the expected number of other rows that fit what is published better than its own, the sum of Q(d / 2 sigma), is at least \
        k. `--k-column COLUMN` names a column with a k for each row, which need not be whole, and is not published. k is below (rows - \
        1) / 2: more cannot be expected, whatever the noise.\n\
        Above 2,000 rows a sample of the others counts. `--noise-file FILE` keeps the variances, as secret as the key.\n\
        Claims guessing-anonymity(f), which needs the original and the noise file to be checked; never k-anonymity. Needs quasi columns \
        of numbers, and one row a person.",
    parameters: &[
        Parameter {
            name: "k",
            summary: "how many other rows are expected to fit better, at least",
            kind: ParameterKind::Count,
            default: "5",
        },
        K_COLUMN,
    ],
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many other rows are expected to fit better, at least.
    pub k: usize,
    /// The column that says it for each row.
    pub k_column: Option<String>,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, k_column: None }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct ProbabilisticNoise(Params);

/// A smaller deviation than this is none.
const LEAST: f64 = 1e-6;

impl ProbabilisticNoise {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.k < 2 {
            return Err(Error::parameter("k", format!("is {}, but must be at least 2", params.k)));
        }
        Ok(Self(params))
    }

    /// For each row how many others are to fit better.
    fn wishes(&self, table: &Table) -> Result<Vec<f64>> {
        let Some(name) = &self.0.k_column else { return Ok(vec![self.0.k as f64; table.rows()]) };
        let column = &table.columns()[table.find(name)?];
        let numbers = column.numbers();
        let wish = |(row, &cell): (usize, &u32)| {
            let wish = numbers[cell as usize];
            if wish.is_finite() && wish >= 0.0 {
                return Ok(wish);
            }
            Err(Error::data(format!("row {} asks for something that is no number of rows", row + 1)).in_column(name))
        };
        column.cells.iter().enumerate().map(wish).collect()
    }
}

/// The noise with which so many others are expected to fit each row better.
pub fn noise_for(table: &Table, wishes: &[f64], without: Option<&str>) -> Result<(Noise, Points)> {
    let mut units = Noise::units(table, Scale::Standard)?;
    if let Some(own) = units.categorical.iter().find(|own| without != Some(own.column.as_str())) {
        return Err(Error::refused("a quasi column has texts, to which no number can be added")
            .in_column(&own.column)
            .with_hint("choose `--method guessing-noise`, which also takes texts, or give the column another role"));
    }
    let points = Points::of(table, &units)?;
    let rows = table.rows();
    if let Some(row) = wishes.iter().position(|&wish| wish > 0.5 * (rows - 1) as f64 - 1e-9) {
        return Err(Error::parameter(
            "k",
            format!(
                "is {}, but of {rows} rows fewer than {} can be expected to fit better",
                wishes[row],
                0.5 * (rows - 1) as f64
            ),
        )
        .with_hint("however much noise there is, every other row fits better with a chance of at most one half"));
    }
    let others: Vec<usize> = Rng::seeded(0).sample(rows, SAMPLE).into_iter().map(|row| row as usize).collect();
    let variance = |row: usize| {
        let others = others.iter().filter(|&&other| other != row);
        let apart = |other: &usize| {
            let squares =
                points.numbers(row).iter().zip(points.numbers(*other)).map(|(one, other)| (one - other).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let distances: Vec<f64> = others.map(apart).collect();
        let stands_for = (rows - 1) as f64 / distances.len().max(1) as f64;
        deviation(&distances, wishes[row], stands_for).powi(2)
    };
    let variances: Vec<f64> = (0..rows).into_par_iter().map(variance).collect();
    units.variances = variances.into_iter().map(|variance| vec![variance; units.real.len()]).collect();
    Ok((units, points))
}

/// The smallest deviation for which so many others are expected to fit better, each of which stands for some.
fn deviation(distances: &[f64], wish: f64, stands_for: f64) -> f64 {
    let expected =
        |deviation: f64| stands_for * distances.iter().map(|apart| tail(apart / (2.0 * deviation))).sum::<f64>();
    if expected(LEAST) >= wish {
        return LEAST;
    }
    let mut high = LEAST;
    while expected(high) < wish && high < 1e12 {
        high *= 4.0;
    }
    let mut low = high / 4.0;
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if expected(middle) >= wish {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// The upper tail of the normal distribution, to 1e-7 of itself (Numerical Recipes' erfc).
pub(crate) fn tail(x: f64) -> f64 {
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.5 * z);
    let terms = [
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let sum = terms.iter().rev().fold(0.0, |sum, term| sum * t + term);
    let upper = 0.5 * t * (-z * z - 1.265_512_23 + t * sum).exp();
    if x >= 0.0 { upper } else { 1.0 - upper }
}

impl Method<Table> for ProbabilisticNoise {
    fn protect(&self, original: &Table, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Table>> {
        refuse_unfit(original)?;
        let wishes = self.wishes(original)?;
        progress.stage("noise", 0);
        let without = self.0.k_column.as_deref();
        let (noise, points) = noise_for(original, &wishes, without)?;
        progress.go_on()?;
        let rows = original.rows();
        let distortion = noise.variances.iter().flatten().sum::<f64>() / rows as f64;
        let optimised = Optimised { sample: rows.min(SAMPLE) as u64, rows: rows as u64, evaluations: 0, distortion };
        let protected = publish(original, noise, &points, without, rng)?;
        Ok(Protected { optimised: Some(optimised), ..protected })
    }

    fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        shown_parameters(&self.0)
    }

    fn adds_noise(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::testing::table;
    use crate::progress::Silent;

    #[test]
    fn tails_are_those_of_the_tables() {
        for (x, expected) in [(0.0, 0.5), (1.0, 0.158_655_253_9), (2.0, 0.022_750_131_9), (3.0, 0.001_349_898_0)] {
            assert!((tail(x) - expected).abs() < 1e-6 * expected, "{x}: {}", tail(x));
            assert!((tail(-x) - (1.0 - expected)).abs() < 1e-6);
        }
    }

    /// Three others at distances 1, 2 and 3: the smallest deviation for which the tails add up to 1, by plain search.
    #[test]
    fn the_smallest_that_is_enough() {
        let distances = [1.0, 2.0, 3.0];
        let found = deviation(&distances, 1.0, 1.0);
        let expected = |s: f64| distances.iter().map(|d| tail(d / (2.0 * s))).sum::<f64>();
        assert!(expected(found) >= 1.0 && expected(found * 0.999) < 1.0);
        // Rows that are alike fit better half of the time, without any noise.
        assert_eq!(deviation(&[0.0; 4], 2.0, 1.0), LEAST);
    }

    #[test]
    fn every_row_gets_what_it_asks_for() {
        let rows: Vec<String> = (0..30).map(|row| format!("{} {} {}", row * row % 31, row % 7, 1 + row % 4)).collect();
        let table = table("x:q y:q want:p", &rows.iter().map(String::as_str).collect::<Vec<_>>());
        let method = ProbabilisticNoise::new(Params { k: 5, k_column: Some("want".to_owned()) }).unwrap();
        let found = method.protect(&table, &mut Rng::seeded(1), &Silent).unwrap();
        assert!(found.records.find("want").is_err());
        let noise = found.records.noise().unwrap();
        let points = Points::of(&table, noise).unwrap();
        for row in 0..30 {
            let apart = |other: usize| {
                let pairs = points.numbers(row).iter().zip(points.numbers(other));
                pairs.map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
            };
            let deviation = noise.line(row)[0].sqrt();
            let others = (0..30).filter(|&other| other != row);
            let expected: f64 = others.map(|other| tail(apart(other) / (2.0 * deviation))).sum();
            assert!((expected - (1 + row % 4) as f64).abs() < 1e-3, "{row}: {expected}");
        }
        assert_eq!(found.claims[0].model, "guessing-anonymity");
    }

    #[test]
    fn too_much_is_refused() {
        let small = table("x:q", &["1", "2", "3", "4", "5"]);
        let protect = |k| {
            ProbabilisticNoise::new(Params { k, k_column: None }).unwrap().protect(&small, &mut Rng::seeded(1), &Silent)
        };
        assert!(protect(2).is_err() && ProbabilisticNoise::new(Params { k: 1, k_column: None }).is_err());
        let texts = table("x:q c:q", &["1 a", "2 b", "3 a", "4 b", "5 a", "6 b"]);
        let refused = ProbabilisticNoise::new(Params { k: 2, k_column: None }).unwrap().protect(
            &texts,
            &mut Rng::seeded(1),
            &Silent,
        );
        assert!(refused.unwrap_err().to_string().contains("texts"));
    }
}
