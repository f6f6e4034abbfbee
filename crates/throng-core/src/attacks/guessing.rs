//! Guessing: whoever knows all original rows guesses which of them became a published one, the likeliest first.
//!
//! Paper      Rachlin, Probst, Ghani. Maximizing privacy under data distortion constraints in noise perturbation methods. PinKDD 2008.
//!
//! # Idea
//! 1. The attacker has all quasi cells of all rows of the original, and the parameters of the noise where they are given.
//! 2. For each published row all original rows are candidates, in order of likelihood; without the noise the nearest in standard units
//!    come first, a published label or interval that covers a value being no distance at all.
//! 3. The first is the guess; the rank of the true row is how many guesses it takes.
//!
//! # Formula
//! hits = the sum over published rows of 1 / c if the true row is among the c that are equally best; parts.mean_rank and
//! parts.median_rank count rows that are as likely with the middle of their ranks, parts.best and parts.worst the mean with the
//! first and the last of them. Baseline 1 / rows.
//!
//! # Readings
//! G1: all original rows are candidates, whoever the attacker is after. G2: ties as above.
//!
//! # Cost
//! Time O(rows^2 x columns). Where there are more than [`MOST_PAIRS`] pairs of rows, above 20,000 rows, fewer published rows are drawn.

use serde_json::json;

use super::{Asked, Attack, AttackInfo, Outcome, Scene};
use crate::data::Dataset as _;
use crate::data::table::{Cell, Column, Table};
use crate::error::Result;
use crate::guessing::ranks::{Likelihood, Rank};
use crate::guessing::{MOST_EXACT, Points};
use crate::info::{Info, Need};
use crate::methods::table::mean_and_deviation;
use crate::rng::Rng;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "guessing",
        summary: "somebody who knows all rows and the noise guesses which row became a published one, the likeliest first",
        paper: "Rachlin, Probst, Ghani. Maximizing privacy under data distortion constraints in noise perturbation methods. PinKDD 2008",
        details: "For every published row all original rows are candidates, in order of likelihood under the noise (--noise-file), or, \
            without it, of distance in standard units; a published label or interval that covers a value is no distance. attempts are \
            published rows (above 20,000 a draw of them), hits adds up 1 / c where the true row is among the c equally best: the rate is the share that \
            is guessed first. parts.mean_rank and parts.median_rank are ranks of the true row, ties in the middle; parts.best and \
            parts.worst the mean rank with ties for and against the attacker.\n\
            guessing-anonymity promises a mean of f guesses, and nothing about the share that is guessed first. Needs the link between \
            rows (--key), and one row a person.",
        parameters: &[],
    },
    who: ["knows all rows", "knows all rows and how noise was added"],
    needs: &[Need::Link],
    in_reports: true,
    no_promise: "guessing anonymity promises a mean number of guesses, not how many persons are guessed at once",
    ..AttackInfo::DEFAULT
};

/// So many pairs of rows are looked at, about: of more published rows some are drawn.
const MOST_PAIRS: usize = MOST_EXACT * MOST_EXACT;

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Guessing;

/// What the attacker knows: all quasi cells of so many rows, and the noise or the units of distances.
struct Known {
    rows: usize,
    by: By,
}

enum By {
    Likelihood(Likelihood),
    Distance(Vec<Quasi>),
}

/// A quasi column of the original, and the unit of its distances.
struct Quasi {
    column: Column,
    deviation: f64,
}

/// The release as the attacker sees it: the rows that are guessed, and what all say.
struct Seen {
    drawn: Vec<u32>,
    says: Says,
}

enum Says {
    Points(Points),
    /// For each quasi column, for each published value how far each original value is from it, squared; and the cells.
    Columns(Vec<(Vec<Vec<f64>>, Vec<u32>)>),
}

impl Attack<Table> for Guessing {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Table>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.knowing(|source| known(source.original))?;
        let looking = knowing.looking(|released, known| {
            let table = released.data;
            let says = match &known.by {
                By::Likelihood(likelihood) => Says::Points(Points::of(table, likelihood.noise())?),
                By::Distance(quasi) => {
                    let column = |quasi: &Quasi| {
                        let column = &table.columns()[table.find(&quasi.column.name)?];
                        let distances = column.values.iter().map(|text| distances(text, quasi)).collect();
                        Ok((distances, column.cells.clone()))
                    };
                    Says::Columns(quasi.iter().map(column).collect::<Result<_>>()?)
                }
            };
            Ok(Seen { drawn: Rng::seeded(asked.seed).sample(table.rows(), MOST_PAIRS / known.rows.max(1)), says })
        })?;
        looking.all(
            |known| known.rows,
            |seen, known, target, say| {
                if let Some(&row) = seen.drawn.get(target) {
                    say(scores(seen, known, row as usize));
                }
            },
            |truth, seen, _, target, scores: Vec<f64>| {
                let record = seen.drawn[target];
                let is_own = |person: &u32| truth.records_of(*person).any(|own| own == record);
                let owner = truth.link.and_then(|link| {
                    let first = link.iter().position(|own| *own == Some(record)).map(|person| person as u32);
                    first.or_else(|| (0..link.len() as u32).find(is_own))
                })?;
                // Of several rows of a person the likeliest counts.
                let rows = truth.original.range(owner as usize);
                let best = rows.max_by(|&one, &other| scores[one].total_cmp(&scores[other]).then(other.cmp(&one)))?;
                Some(Rank::of(&scores, best))
            },
            |_, known, ranks| {
                let ranks: Vec<Rank> = ranks.iter().flatten().flatten().copied().collect();
                let count = ranks.len().max(1) as f64;
                let mean = |of: fn(Rank) -> f64| ranks.iter().map(|&rank| of(rank)).sum::<f64>() / count;
                let mut middles: Vec<f64> = ranks.iter().map(|rank| rank.middle()).collect();
                middles.sort_unstable_by(f64::total_cmp);
                let median = match middles.len() {
                    0 => None,
                    many => Some(0.5 * (middles[(many - 1) / 2] + middles[many / 2])),
                };
                let some = |value: f64| (!ranks.is_empty()).then_some(value);
                let hits = ranks.iter().map(|rank| rank.first()).sum();
                let has_noise = matches!(known.by, By::Likelihood(_));
                vec![
                    Outcome::new(&INFO, ranks.len() as u64, hits)
                        .with_baseline((known.rows > 0).then(|| 1.0 / known.rows as f64))
                        .with_knowledge(json!({"rows": "all", "noise": has_noise}))
                        .with_parts(json!({
                            "mean_rank": some(mean(Rank::middle)),
                            "median_rank": median,
                            "best": some(mean(|rank| rank.before as f64 + 1.0)),
                            "worst": some(mean(|rank| (rank.before + rank.alike) as f64)),
                        })),
                ]
            },
        )
    }
}

/// What somebody knows who has all rows.
fn known(table: &Table) -> Result<Known> {
    let rows = table.rows();
    if let Some(noise) = table.noise() {
        noise.refuse_foreign(table)?;
        return Ok(Known { rows, by: By::Likelihood(Likelihood::new(&Points::of(table, noise)?, noise)) });
    }
    let quasi = |at: usize| {
        let column = table.columns()[at].clone();
        let numbers = column.numbers();
        let cells = column.cells.iter().map(|&cell| numbers[cell as usize]).filter(|number| !number.is_nan());
        let (_, deviation) = mean_and_deviation(cells.collect::<Vec<_>>().into_iter());
        Quasi { column, deviation: if deviation > 0.0 { deviation } else { 1.0 } }
    };
    Ok(Known { rows, by: By::Distance(table.quasi()?.into_iter().map(quasi).collect()) })
}

/// How good a guess each original row is for a published one; the greatest is the best.
fn scores(seen: &Seen, known: &Known, row: usize) -> Vec<f64> {
    match (&seen.says, &known.by) {
        (Says::Points(published), By::Likelihood(likelihood)) => likelihood.scores(published, row),
        (Says::Columns(columns), By::Distance(quasi)) => {
            let mut scores = vec![0.0; known.rows];
            for ((distances, cells), quasi) in columns.iter().zip(quasi) {
                let far = &distances[cells[row] as usize];
                for (score, &cell) in scores.iter_mut().zip(&quasi.column.cells) {
                    *score -= far[cell as usize];
                }
            }
            scores
        }
        _ => vec![0.0; known.rows],
    }
}

/// How far each value of a column is from what is published, squared and in standard units: nothing if that covers it; for numbers
/// the distance from the interval, for anything else 1.
fn distances(text: &str, quasi: &Quasi) -> Vec<f64> {
    let Quasi { column, deviation } = quasi;
    let cell = Cell::of(text, column);
    let hierarchy = column.hierarchy.as_deref();
    let far = |value: &str| {
        let (leaf, number) = (hierarchy.and_then(|tree| tree.leaf(value)), column.kind.number(value));
        if value == text || cell.covers(hierarchy, leaf, number.unwrap_or(f64::NAN)) {
            return 0.0;
        }
        match (cell, number) {
            (Cell::Interval(low, high), Some(number)) => {
                ((low - number).max(number - high).max(0.0) / deviation).powi(2)
            }
            _ => 1.0,
        }
    };
    column.values.iter().map(far).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::testing::asked;
    use super::*;
    use crate::data::table::noise::{Noise, Scale};
    use crate::data::table::testing::{generalised, table, twelve};
    use crate::progress::Silent;

    fn attack(original: &Table, release: &Table) -> Outcome {
        let multiplicity = vec![1; release.persons()];
        let link: Vec<Option<u32>> = (0..original.persons() as u32).map(Some).collect();
        let scene = Scene::new(original, release, &multiplicity, Some(&link), &Silent);
        Guessing.attack(&scene, &asked()).unwrap().remove(0)
    }

    /// Tables 1 and 2 of the paper: ranks 2, 2, 1, 2, with the noise and without.
    #[test]
    fn the_papers_own_table() {
        let original = table("age:q drug:s", &["19 a", "15 b", "52 c", "25 d"]);
        let release = table("age:q drug:s", &["23.1 a", "19.4 b", "49.3 c", "21.1 d"]);
        let noise = Noise { variances: vec![vec![16.0]], ..Noise::units(&original, Scale::Raw).unwrap() };
        for own in [original.clone(), original.with_noise(Some(Arc::new(noise)))] {
            let found = attack(&own, &release);
            assert_eq!((found.attempts, found.hits, found.baseline), (4, 1.0, Some(0.25)));
            let part = |name: &str| found.parts[name].as_f64().unwrap();
            assert_eq!((part("mean_rank"), part("median_rank"), part("best"), part("worst")), (1.75, 2.0, 1.75, 1.75));
        }
    }

    /// Classes of 2, 5, 2 and 3 rows that cover their own: a row is one of its class, the first guess is right for one of each.
    #[test]
    fn classes_are_ties() {
        let original = twelve();
        let found = attack(&original, &generalised(&original, &[("zip", 1)]));
        assert!((found.hits - 4.0).abs() < 1e-9, "{found:?}");
        let part = |name: &str| found.parts[name].as_f64().unwrap();
        let expected =
            |of: fn(f64) -> f64| [2.0, 5.0, 2.0, 3.0].map(|size: f64| size * of(size)).iter().sum::<f64>() / 12.0;
        assert!((part("mean_rank") - expected(|size| (size + 1.0) / 2.0)).abs() < 1e-9);
        assert!((part("worst") - expected(|size| size)).abs() < 1e-9 && part("best") == 1.0);
    }
}
