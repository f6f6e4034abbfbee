//! The paper's own evaluation, on any table: how noise, guesses and use go together.
//!
//! Paper      Rachlin, Probst, Ghani. Maximizing privacy under data distortion constraints in noise perturbation methods. PinKDD 2008,
//!            table 5 and figures 6 to 8.
//!
//! # Idea
//! 1. Figures 6 to 8: over budgets of distortion, with one variance a column and the objective `bound` as the paper has them, the bound of
//!    the mean rank, the accuracy of a decision tree and the correlation of a linear fit; each beside the same on the original.
//! 2. Table 5: on columns of numbers of at most 500 rows, `guessing-noise` with a variance for each column of each row against
//!    `probabilistic-noise`, which is told for each row how many others fitted better there. An attacker who knows the noise of each
//!    guesses both.
//!
//! # Readings
//! Accuracy and correlation are of what is learnt from a release and tested on it, as in the paper; `on_originals` beside it is tested
//! on the original's rows. A column to predict that is not of numbers leaves the fit to `age`, or the first quasi column of numbers.
//! Ours beside the paper's: table 5 also with the objective `log`.
//!
//! # Cost
//! A climb, ten trees and ten fits a budget; two climbs by row for the table.

use super::ranks::{Likelihood, Rank};
use super::spend::{Objective, Spread};
use super::{Bound, Points};
use crate::data::Dataset as _;
use crate::data::table::noise::{Noise, Scale};
use crate::data::table::{Column, ColumnRole, Table};
use crate::error::{Error, Result};
use crate::measures::utility::{classification_kept_table, regression_kept};
use crate::measures::{Context, Measure, Measured, Pair};
use crate::methods::Method as _;
use crate::methods::table::guessing_noise::{GuessingNoise, Params};
use crate::methods::table::probabilistic_noise::noise_for;
use crate::progress::Progress;
use crate::rng::Rng;

/// The budgets of the figures, in standard units.
pub const DISTORTIONS: [f64; 9] = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0];
/// So many rows are in table 5, at most.
pub const RECORDS: usize = 500;
/// The budget of table 5.
pub const TABLE_DISTORTION: f64 = 1.0;

/// A number beside that of the original, at a budget; `None` where it is not defined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At {
    /// The budget.
    pub distortion: f64,
    /// On the release.
    pub value: Option<f64>,
    /// Learnt from the release, tested on the original.
    pub on_originals: Option<f64>,
    /// On the original.
    pub original: Option<f64>,
}

/// A row of table 5.
#[derive(Debug, Clone, PartialEq)]
pub struct Rival {
    /// The method.
    pub method: &'static str,
    /// The objective of the noise that it is, or that it was told about.
    pub objective: &'static str,
    /// Rows that are guessed first; one among several that are as likely is a part.
    pub unprotected: f64,
    /// The mean rank.
    pub mean_guesses: f64,
    /// The mean variance, in standard units.
    pub mean_variance: f64,
    /// How many rows there are.
    pub records: usize,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Table 5; nothing without columns of numbers.
    pub rivals: Vec<Rival>,
    /// Figure 6: the bound.
    pub bounds: Vec<At>,
    /// Figure 7: accuracy.
    pub accuracies: Vec<At>,
    /// Figure 8: correlation.
    pub correlations: Vec<At>,
    /// The column that figure 8 predicts.
    pub fitted: Option<String>,
}

/// Evaluates a table that has a target, with so many draws of each noise.
pub fn study(table: &Table, draws: usize, seed: u64, progress: &dyn Progress) -> Result<Study> {
    let target = table.target().ok_or_else(|| Error::refused(crate::info::Need::Target.reason()))?;
    if table.has_several_rows() {
        return Err(Error::refused("the study is of rows, and a person here has several")
            .with_hint("leave out `--column person=…` if rows are persons"));
    }
    let fitted = fitted(table, target)?;
    let with = |name: &str| table.clone().with_target(Some(name.to_owned()));
    let (classed, regressed) = (with(target), fitted.as_deref().map(with));
    let (mut bounds, mut accuracies, mut correlations) = (Vec::new(), Vec::new(), Vec::new());
    let bare = Noise::units(table, Scale::Standard)?;
    let without_noise = Bound::of(&Points::of(table, &bare)?, &bare).value;
    progress.stage("budgets", (DISTORTIONS.len() * draws) as u64);
    for distortion in DISTORTIONS {
        let params = Params { distortion, objective: Objective::Bound, ..Params::default() };
        let method = GuessingNoise::new(params)?;
        let (mut bound, mut accuracy, mut correlation) = (0.0, Means::default(), Means::default());
        for draw in 0..draws as u64 {
            let protected = method.protect(table, &mut Rng::seeded(seed.wrapping_add(draw)), progress)?;
            let noise = protected.records.noise().ok_or_else(|| Error::internal("noise without parameters"))?;
            if draw == 0 {
                bound = Bound::of(&Points::of(table, noise)?, noise).value;
            }
            let context = Context { k: 5, shared_by: 5, show_values: false, seed, progress };
            let link: Vec<Option<u32>> = (0..table.rows() as u32).map(Some).collect();
            let judged = |measure: &dyn Measure<Table>, original: &Table| {
                let multiplicity = vec![1; table.rows()];
                let pair = Pair { original, release: &protected.records, multiplicity, link: Some(link.clone()) };
                measure.measure(&pair, &context)
            };
            accuracy.add(&judged(&classification_kept_table::ClassificationKept, &classed)?);
            if let Some(regressed) = &regressed {
                correlation.add(&judged(&regression_kept::RegressionKept, regressed)?);
            }
            progress.advance(1);
            progress.go_on()?;
        }
        bounds.push(At { distortion, value: Some(bound), on_originals: None, original: Some(without_noise) });
        accuracies.push(accuracy.at(distortion));
        correlations.push(correlation.at(distortion));
    }
    Ok(Study { rivals: rivals(table, draws, seed, progress)?, bounds, accuracies, correlations, fitted })
}

/// The column of numbers that a fit predicts.
fn fitted(table: &Table, target: &str) -> Result<Option<String>> {
    let is_number = |column: &&Column| column.kind.is_numeric();
    let own = &table.columns()[table.find(target)?];
    if own.kind.is_numeric() {
        return Ok(Some(target.to_owned()));
    }
    let others = || table.columns().iter().filter(is_number);
    let found = others().find(|column| column.name.eq_ignore_ascii_case("age"));
    let found = found.or_else(|| others().find(|column| column.role == ColumnRole::Quasi)).or_else(|| others().next());
    Ok(found.map(|column| column.name.clone()))
}

/// Means of what a measure found, over draws.
#[derive(Debug, Default)]
struct Means {
    sums: [f64; 3],
    counts: [u32; 3],
}

impl Means {
    fn add(&mut self, measured: &Measured) {
        for (at, part) in ["after", "on_originals", "before"].into_iter().enumerate() {
            if let Some(value) = measured.parts[part].as_f64() {
                self.sums[at] += value;
                self.counts[at] += 1;
            }
        }
    }

    fn at(&self, distortion: f64) -> At {
        let mean = |at: usize| (self.counts[at] > 0).then(|| self.sums[at] / f64::from(self.counts[at]));
        At { distortion, value: mean(0), on_originals: mean(1), original: mean(2) }
    }
}

/// Table 5.
fn rivals(table: &Table, draws: usize, seed: u64, progress: &dyn Progress) -> Result<Vec<Rival>> {
    let is_number = |column: &Column| column.role == ColumnRole::Quasi && column.kind.is_numeric();
    let numbers: Vec<Column> = table.columns().iter().filter(|column| is_number(column)).cloned().collect();
    let drawn = Rng::seeded(seed).sample(table.rows(), RECORDS);
    if numbers.is_empty() || drawn.len() < 4 {
        return Ok(Vec::new());
    }
    let some = crate::data::Dataset::of_persons(&table.clone().with_columns(numbers), &drawn).with_target(None);
    let rows = some.rows();
    progress.stage("table 5", 2 * draws as u64);
    let mut found = Vec::new();
    for (objective, name) in [(Objective::Bound, "bound"), (Objective::Log, "log")] {
        let params = Params { distortion: TABLE_DISTORTION, noise: Spread::Record, objective, ..Params::default() };
        let (noise, points, _) = GuessingNoise::new(params)?.noise(&some)?;
        let mut ours = Played::default();
        let mut theirs = Played::default();
        for draw in 0..draws as u64 {
            let mut rng = Rng::seeded_stream(seed, draw);
            let ranks = ours.play(&points, &noise, &mut rng);
            let most = 0.5 * (rows - 1) as f64 - 0.01;
            let wishes: Vec<f64> = ranks.iter().map(|rank| (rank.before as f64).min(most)).collect();
            let (rival, _) = noise_for(&some, &wishes, None)?;
            theirs.play(&points, &rival, &mut rng);
            progress.advance(1);
            progress.go_on()?;
        }
        found.push(ours.rival("guessing-noise", name, rows));
        found.push(theirs.rival("probabilistic-noise", name, rows));
    }
    Ok(found)
}

/// What an attacker achieves against draws of a noise.
#[derive(Debug, Default)]
struct Played {
    draws: f64,
    unprotected: f64,
    ranks: f64,
    variance: f64,
}

impl Played {
    /// Draws the noise, and guesses every row.
    fn play(&mut self, points: &Points, noise: &Noise, rng: &mut Rng) -> Vec<Rank> {
        let published = points.disturbed(noise, rng);
        let likelihood = Likelihood::new(points, noise);
        let rows = points.rows();
        let ranks: Vec<Rank> = (0..rows).map(|row| Rank::of(&likelihood.scores(&published, row), row)).collect();
        self.draws += 1.0;
        self.unprotected += ranks.iter().map(|rank| rank.first()).sum::<f64>();
        self.ranks += ranks.iter().map(|rank| rank.middle()).sum::<f64>() / rows as f64;
        let all: Vec<f64> = noise.variances.iter().flatten().copied().collect();
        self.variance += all.iter().sum::<f64>() / all.len() as f64;
        ranks
    }

    fn rival(&self, method: &'static str, objective: &'static str, records: usize) -> Rival {
        let [unprotected, mean_guesses, mean_variance] =
            [self.unprotected, self.ranks, self.variance].map(|sum| sum / self.draws.max(1.0));
        Rival { method, objective, unprotected, mean_guesses, mean_variance, records }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use crate::synth::table as made_up;

    #[test]
    fn more_noise_hides_more_and_teaches_less() {
        let made =
            made_up::table(&made_up::Params { persons: 240, shape: "census".to_owned(), seed: 2 }).unwrap().table;
        let role = |column: &Column| match column.name.as_str() {
            "age" | "hours" | "sex" => ColumnRole::Quasi,
            _ => ColumnRole::Sensitive,
        };
        let columns: Vec<Column> =
            made.columns().iter().map(|column| Column { role: role(column), ..column.clone() }).collect();
        let table = made.with_columns(columns).with_target(Some("income".to_owned()));
        let found = study(&table, 1, 3, &Silent).unwrap();
        let values = |points: &[At]| points.iter().map(|point| point.value.unwrap()).collect::<Vec<f64>>();
        let bounds = values(&found.bounds);
        assert!(bounds.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9), "{bounds:?}");
        assert!(found.bounds.iter().all(|point| point.value >= point.original));
        assert_eq!((found.accuracies.len(), found.correlations.len()), (DISTORTIONS.len(), DISTORTIONS.len()));
        assert_eq!(found.fitted.as_deref(), Some("income"));
        assert_eq!(found.rivals.len(), 4);
        let [ours, theirs] = [&found.rivals[0], &found.rivals[1]];
        assert_eq!((ours.method, theirs.method, ours.records), ("guessing-noise", "probabilistic-noise", 240));
        // As in the paper: fewer rows are unprotected, and guesses take longer.
        assert!(ours.unprotected < theirs.unprotected && ours.mean_guesses > theirs.mean_guesses, "{:?}", found.rivals);
    }
}
