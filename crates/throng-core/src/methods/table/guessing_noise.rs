//! Guessing noise: noise that makes rows as hard to guess as a budget of distortion allows.
//!
//! Paper      Rachlin, Probst, Ghani. Maximizing privacy under data distortion constraints in noise perturbation methods. PinKDD 2008.
//! Promises   guessing anonymity: whoever knows all original rows and the noise needs f guesses a row in the mean, at least.
//! Does not   promise anything of a single row, nor k-anonymity: some rows are guessed at once. Handles one row a person only.
//!
//! # Idea
//! 1. Numbers get normal noise, other values become one of the others with some probability. The expected distortion, a weighted sum
//!    of variances and of probabilities, is C.
//! 2. How the budget is shared between columns, or between columns of every row, is optimised (`guessing/spend.rs`).
//! 3. The noise is drawn, a row after another. What it was like is written with `--noise-file`, as secret as the key.
//!
//! # Formula
//! E[distortion] = mean over rows of (the sum of w_k variance_ik + the sum of w_c flip_c) <= C (equations 8 to 10).
//!
//! # Cost
//! As `guessing/spend.rs`; then O(rows x columns), and the bound for its claim.

use serde::{Deserialize, Serialize};

use super::noise::{publish, refuse_unfit};
use crate::data::Dataset as _;
use crate::data::table::Table;
use crate::data::table::noise::{Noise, Scale};
use crate::error::{Error, Result};
use crate::guessing::Points;
use crate::guessing::spend::{Budget, Objective, Spread, spend};
use crate::info::{Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::progress::Progress;
use crate::release::{Optimised, Protected};
use crate::rng::Rng;

/// The card.
pub const INFO: Info = Info {
    name: "guessing-noise",
    summary: "noise by which rows are as hard to guess as a budget of distortion allows",
    paper: "Rachlin, Probst, Ghani. Maximizing privacy under data distortion constraints in noise perturbation methods. PinKDD 2008; \
            the objective log is ours",
    details: "Quasi columns of numbers get normal noise; in other quasi columns a value becomes one of the others, all alike, with some \
        probability. `--distortion C` is the expected distortion of a row: the sum of variances and of those probabilities, all of which \
        is spent. `--noise one` has one variance for all numbers, `attribute` one for each column, `record` one for each column of each \
        row; probabilities are one for each column. `--objective bound` makes the bound of the mean rank as great as can be, as the paper \
        does; `log` the mean logarithm of what a row overlaps with, which leaves fewer people alone. `--scale standard` measures \
        distortion by the deviation of each column, `raw` as the numbers are: a column that is zero for nearly everybody then gets hardly \
        any noise, and the few others stay naked.\n\
        Above 2,000 rows a sample is optimised on; the certificate says so (`noise`). `--noise-file FILE` keeps the parameters of the \
        noise, as secret as the key.\n\
        Claims guessing-anonymity(f), which needs the original and the noise file to be checked; never k-anonymity. Needs one row a person.",
    parameters: &[
        Parameter {
            name: "distortion",
            summary: "the expected distortion of a row: variances and flips together",
            kind: ParameterKind::Weight,
            default: "1",
        },
        Parameter {
            name: "noise",
            summary: "what has a variance of its own",
            kind: ParameterKind::Choice(&["one", "attribute", "record"]),
            default: "attribute",
        },
        Parameter {
            name: "objective",
            summary: "what is made as great as can be: the mean logarithm of overlaps, or the bound of the mean rank",
            kind: ParameterKind::Choice(&["log", "bound"]),
            default: "log",
        },
        Parameter {
            name: "scale",
            summary: "the units of distortion: by mean and sample deviation, or as they are",
            kind: ParameterKind::Choice(&["standard", "raw"]),
            default: "standard",
        },
    ],
};

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The expected distortion of a row.
    pub distortion: f64,
    /// What has a variance of its own.
    pub noise: Spread,
    /// What is made as great as can be.
    pub objective: Objective,
    /// The units of distortion.
    pub scale: Scale,
}

impl Default for Params {
    fn default() -> Self {
        let (noise, objective, scale) = Default::default();
        Self { distortion: 1.0, noise, objective, scale }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct GuessingNoise(Params);

impl GuessingNoise {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if !params.distortion.is_finite() || params.distortion <= 0.0 {
            return Err(Error::parameter("distortion", format!("is {}, but must be above 0", params.distortion))
                .with_hint("in standard units 1 is as much noise, over all columns, as one column varies by itself"));
        }
        Ok(Self(params))
    }

    /// The noise of a table, and how it was found.
    pub fn noise(&self, table: &Table) -> Result<(Noise, Points, Optimised)> {
        let units = Noise::units(table, self.0.scale)?;
        let points = Points::of(table, &units)?;
        let budget = Budget {
            distortion: self.0.distortion,
            spread: self.0.noise,
            objective: self.0.objective,
            real_weights: weights(table, units.real.iter().map(|own| own.column.as_str()))?,
            other_weights: weights(table, units.categorical.iter().map(|own| own.column.as_str()))?,
            values: units.categorical.iter().map(|own| own.values.len()).collect(),
        };
        let spent = spend(&points, &budget);
        let optimised = Optimised {
            sample: spent.sample.unwrap_or(table.rows()) as u64,
            rows: table.rows() as u64,
            evaluations: spent.evaluations as u64,
            distortion: spent.distortion,
        };
        Ok((Noise { variances: spent.variances, flips: spent.flips, ..units }, points, optimised))
    }
}

/// What the distortion of each column weighs; next to nothing for one that is said to weigh nothing.
fn weights<'a>(table: &Table, names: impl Iterator<Item = &'a str>) -> Result<Vec<f64>> {
    names.map(|name| Ok(table.columns()[table.find(name)?].settings.weight.max(1e-6))).collect()
}

impl Method<Table> for GuessingNoise {
    fn protect(&self, original: &Table, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Table>> {
        refuse_unfit(original)?;
        progress.stage("noise", 0);
        let (noise, points, optimised) = self.noise(original)?;
        progress.go_on()?;
        let protected = publish(original, noise, &points, None, rng)?;
        Ok(Protected { optimised: Some(optimised), ..protected })
    }

    fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        shown_parameters(&self.0)
    }

    fn makes_crowds(&self) -> bool {
        false
    }

    fn adds_noise(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::testing::table;
    use crate::data::table::{Column, ColumnRole};
    use crate::guessing::ranks::known;
    use crate::models::ModelWithOriginal as _;
    use crate::models::guessing_anonymity::{self, GuessingAnonymity};
    use crate::progress::Silent;
    use crate::synth::table as made_up;

    fn made(shape: &str, persons: usize, seed: u64) -> Table {
        let made = made_up::table(&made_up::Params { persons, shape: shape.to_owned(), seed }).unwrap().table;
        let role = |column: &Column| if column.name == "income" { ColumnRole::Sensitive } else { ColumnRole::Quasi };
        let columns = made.columns().iter().map(|column| Column { role: role(column), ..column.clone() }).collect();
        made.with_columns(columns)
    }

    fn protect(table: &Table, params: Params, seed: u64) -> Protected<Table> {
        GuessingNoise::new(params).unwrap().protect(table, &mut Rng::seeded(seed), &Silent).unwrap()
    }

    #[test]
    fn what_is_claimed_holds_and_other_columns_stay() {
        for shape in ["numeric", "census"] {
            let table = made(shape, 100, 1);
            for noise in [Spread::One, Spread::Attribute, Spread::Record] {
                let found = protect(&table, Params { distortion: 0.5, noise, ..Params::default() }, 2);
                let claim = &found.claims[0];
                assert_eq!((claim.model, found.claims.len()), ("guessing-anonymity", 1));
                let params: guessing_anonymity::Params =
                    serde_json::from_value(serde_json::Value::Object(claim.parameters.clone())).unwrap();
                let own = table.clone().with_noise(found.records.noise().cloned());
                let verdict = GuessingAnonymity::new(params).unwrap().check(&own, &found.records).unwrap();
                assert!(verdict.holds, "{verdict:?}");
                for column in table.columns().iter().filter(|column| column.role == ColumnRole::Sensitive) {
                    let at = found.records.find(&column.name).unwrap();
                    assert_eq!(found.records.columns()[at].cells, column.cells);
                }
                assert!((found.optimised.unwrap().distortion - 0.5).abs() < 1e-6);
            }
        }
    }

    /// The mean squared distance of what is published, in standard units, is the budget.
    #[test]
    fn the_budget_is_what_the_noise_costs() {
        let table = made("numeric", 300, 5);
        for noise in [Spread::One, Spread::Attribute, Spread::Record] {
            let found = protect(&table, Params { distortion: 0.7, noise, ..Params::default() }, 3);
            let noise = found.records.noise().unwrap();
            let (own, published) = (Points::of(&table, noise).unwrap(), Points::of(&found.records, noise).unwrap());
            let squared = |row: usize| {
                own.numbers(row)
                    .iter()
                    .zip(published.numbers(row))
                    .map(|(own, other)| (own - other).powi(2))
                    .sum::<f64>()
            };
            let mean = (0..table.rows()).map(squared).sum::<f64>() / table.rows() as f64;
            assert!((mean - 0.7).abs() < 0.12, "{mean}");
        }
    }

    /// In raw units a column that is zero for nearly everybody gets hardly any noise.
    #[test]
    fn raw_units_leave_the_few_naked() {
        let rows: Vec<String> =
            (0..60).map(|row| format!("{} {}", row % 12, if row % 15 == 0 { 900 + row } else { 0 })).collect();
        let table = table("age:q gain:q", &rows.iter().map(String::as_str).collect::<Vec<_>>());
        let params = Params { distortion: 4.0, objective: Objective::Bound, scale: Scale::Raw, ..Params::default() };
        let found = protect(&table, params, 1);
        let line = found.records.noise().unwrap().variances[0].clone();
        assert!(line[1] < 0.01 * line[0], "{line:?}");
    }

    /// Fewer people are guessed first than with equal noise, paired over samples and draws: a small edition of the comparison in
    /// `docs/methods.md`.
    #[test]
    fn a_variance_a_record_leaves_fewer_alone() {
        let (mut ours, mut equal) = (0.0, 0.0);
        for seed in 1..=2 {
            let table = made("numeric", 150, seed);
            for (noise, sum) in [(Spread::Record, &mut ours), (Spread::One, &mut equal)] {
                let params = Params { distortion: 0.2, noise, ..Params::default() };
                for draw in 0..4 {
                    let found = protect(&table, params, draw);
                    let noise = found.records.noise().unwrap();
                    let (own, published) =
                        (Points::of(&table, noise).unwrap(), Points::of(&found.records, noise).unwrap());
                    let links: Vec<(u32, u32)> = (0..150).map(|row| (row, row)).collect();
                    *sum += known(&own, &published, noise, &links).unwrap().first / 8.0;
                }
            }
        }
        assert!(ours + 0.03 < equal, "{ours} {equal}");
    }

    #[test]
    fn what_cannot_be_disturbed_is_refused() {
        for distortion in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(GuessingNoise::new(Params { distortion, ..Params::default() }).is_err());
        }
        let one = table("x:q", &["1"]);
        let refused = GuessingNoise::new(Params::default()).unwrap().protect(&one, &mut Rng::seeded(1), &Silent);
        assert!(refused.is_err());
    }
}
