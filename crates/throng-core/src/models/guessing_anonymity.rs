//! Guessing anonymity: whoever knows all original rows and the noise needs f guesses a row in the mean, at least.
//!
//! Paper      Rachlin, Probst, Ghani. Maximizing privacy under data distortion constraints in noise perturbation methods. PinKDD 2008.
//! Promises   that the mean rank of the true row, in the order in which such an attacker guesses, is expected to be f or more.
//! Does not   promise anything of a single row: a few may be guessed at once while others make up for it.
//!
//! # Formula
//! The bound of `guessing/mod.rs` for the original and its noise, at least f. Beside it what this very release gives: the mean rank and
//! the share that is guessed first; by the key where there is one, else as the attacker expects them.
//!
//! # Readings
//! The noise in a release must be that of the file. Who has the key can see it: squared differences by their variances are 1 in the
//! mean. Less than that by six standard deviations fails.
//!
//! # Cost
//! As `guessing/mod.rs`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{ModelWithOriginal, Verdict, Witness};
use crate::data::table::{Noise, Table};
use crate::error::{Error, Result};
use crate::guessing::ranks::{Guessed, expected, known};
use crate::guessing::{Bound, MOST_EXACT, Points, SAMPLE};
use crate::info::{Info, Need, Parameter, ParameterKind};
use crate::rng::Rng;

/// The card.
pub const INFO: Info = Info {
    name: "guessing-anonymity",
    summary: "whoever knows all original rows and the noise needs f guesses a row in the mean, at least",
    paper: "Rachlin, Probst, Ghani. Maximizing privacy under data distortion constraints in noise perturbation methods. PinKDD 2008",
    details: "The attacker has all quasi cells of the original and the parameters of the noise (`--original`, `--noise-file`), and asks of \
        one original row after another, the likeliest first, whether it became a published one. Arikan's inequality bounds the mean \
        number of guesses from below: 1 / (M (1 + ln M)) times the sum over all pairs of rows of how much their clouds of noise overlap. It \
        holds if that is at least f. Above 20,000 different rows it is estimated by 2,000 of them, and three standard errors are taken \
        off (`achieved.sampled`).\n\
        `achieved.mean_rank` and `achieved.guessed_first` are of this very release: by the key (`--key`), or, without it, as the \
        attacker expects them (`achieved.ranks`).\n\
        Promises: a mean of f guesses. Does not promise: that nobody is guessed at once. Most people can be well hidden and a few stand \
        alone: look at the share that is guessed first.",
    parameters: &[Parameter {
        name: "f",
        summary: "how many guesses a row takes in the mean, at least",
        kind: ParameterKind::Weight,
        default: "1",
    }],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many guesses a row takes in the mean, at least.
    pub f: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { f: 1.0 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct GuessingAnonymity(Params);

impl GuessingAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if !params.f.is_finite() || params.f < 0.0 {
            return Err(Error::parameter("f", format!("is {}, but must be a number of guesses, 0 or more", params.f)));
        }
        Ok(Self(params))
    }

    fn judge(&self, original: &Table, release: &Table, links: Option<&[(u32, u32)]>) -> Result<Verdict> {
        let noise = original.noise().ok_or_else(|| Error::refused(Need::Noise.reason()))?;
        if original.has_several_rows() {
            return Err(Error::refused("guessing anonymity is of rows, and a person here has several")
                .with_hint("leave out `--column person=…` if rows are persons"));
        }
        noise.refuse_foreign(original)?;
        let own = Points::of(original, noise)?;
        let published = Points::of(release, noise)?;
        let bound = Bound::of(&own, noise);
        let guessed = match links {
            // Of many rows a sample, as for the bound.
            Some(links) if links.len() > MOST_EXACT => {
                let drawn = Rng::seeded(0).sample(links.len(), SAMPLE).into_iter().map(|at| links[at as usize]);
                known(&own, &published, noise, &drawn.collect::<Vec<_>>())
            }
            Some(links) => known(&own, &published, noise, links),
            None => expected(&own, &published, noise),
        };
        let size = links.and_then(|links| relative_noise(&own, &published, noise, links));
        let is_too_little = size.is_some_and(|(_, deviations)| deviations < -6.0);
        let holds = bound.sure() >= self.0.f && !is_too_little;
        let mut achieved = Map::from_iter([("f".to_owned(), json!(bound.sure()))]);
        let Guessed { mean_rank, first } = guessed.unwrap_or(Guessed { mean_rank: f64::NAN, first: f64::NAN });
        achieved.insert("mean_rank".to_owned(), number(mean_rank));
        achieved.insert("guessed_first".to_owned(), number(first));
        achieved.insert("ranks".to_owned(), json!(if links.is_some() { "key" } else { "expected" }));
        if let Some(sampled) = bound.sampled {
            achieved.insert("sampled".to_owned(), json!(sampled));
        }
        let witness = (!holds).then(|| {
            let mut numbers = Map::from_iter([("f".to_owned(), json!(bound.sure()))]);
            if let Some((size, _)) = size.filter(|_| is_too_little) {
                numbers.insert("noise_by_file".to_owned(), json!(size));
            }
            Witness { numbers, ..Witness::of_group(0, 1) }
        });
        Ok(Verdict { holds, achieved, witness })
    }
}

fn number(number: f64) -> Value {
    if number.is_nan() { Value::Null } else { json!(number) }
}

/// The mean of squared differences by their variances, which is 1 where the noise is that of the file, and how many standard deviations
/// it lies above that: the cube root of such a mean is nearly normal (Wilson and Hilferty 1931).
fn relative_noise(own: &Points, published: &Points, noise: &Noise, links: &[(u32, u32)]) -> Option<(f64, f64)> {
    let (mut sum, mut count) = (0.0, 0u64);
    for &(original, record) in links {
        let numbers = own.numbers(original as usize).iter().zip(published.numbers(record as usize));
        for ((own, other), variance) in numbers.zip(noise.line(original as usize)) {
            // What is next to nothing is lost in the digits of the numbers.
            if *variance > 1e-9 {
                sum += (own - other) * (own - other) / variance;
                count += 1;
            }
        }
    }
    let (size, spread) = (sum / count as f64, 2.0 / (9.0 * count as f64));
    (count > 0).then(|| (size, (size.cbrt() - (1.0 - spread)) / spread.sqrt()))
}

impl ModelWithOriginal<Table> for GuessingAnonymity {
    fn check(&self, original: &Table, release: &Table) -> Result<Verdict> {
        self.judge(original, release, None)
    }

    fn check_linked(&self, original: &Table, release: &Table, links: &[(u32, u32)]) -> Result<Verdict> {
        self.judge(original, release, Some(links))
    }

    fn value<'a>(&self, _release: &'a Table, _witness: &Witness) -> Option<&'a str> {
        None
    }

    fn beside(&self) -> &'static str {
        "noise-file"
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::table::noise::Scale;
    use crate::data::table::testing::table;

    fn original() -> Table {
        let own = table("age:q", &["19", "15", "52", "25"]);
        let noise = Noise { variances: vec![vec![16.0]], ..Noise::units(&own, Scale::Raw).unwrap() };
        own.with_noise(Some(Arc::new(noise)))
    }

    /// Tables 1 and 2 of the paper: ranks 2, 2, 1, 2.
    #[test]
    fn the_papers_own_table() {
        let release = table("age:q", &["23.1", "19.4", "49.3", "21.1"]);
        let links = [(0, 0), (1, 1), (2, 2), (3, 3)];
        let found =
            GuessingAnonymity::new(Params { f: 0.5 }).unwrap().check_linked(&original(), &release, &links).unwrap();
        assert!(found.holds);
        assert_eq!((&found.achieved["mean_rank"], &found.achieved["guessed_first"]), (&json!(1.75), &json!(0.25)));
        // 1 / (4 (1 + ln 4)) x the sum of exp(-d^2 / 128) over all pairs.
        let ages = [19.0, 15.0, 52.0, 25.0];
        let pairs =
            ages.iter().flat_map(|one| ages.iter().map(move |other: &f64| (-(one - other).powi(2) / 128.0).exp()));
        let bound = pairs.sum::<f64>() / (4.0 * (1.0 + 4f64.ln()));
        assert!((found.achieved["f"].as_f64().unwrap() - bound).abs() < 1e-12);
        let more = GuessingAnonymity::new(Params { f: bound + 0.01 }).unwrap();
        let failed = more.check(&original(), &release).unwrap();
        assert!(!failed.holds && failed.witness.is_some() && failed.achieved["ranks"] == "expected");
    }

    #[test]
    fn who_has_the_key_sees_that_noise_is_missing() {
        let rows: Vec<String> = (0..60).map(|row| (row * 7 % 60).to_string()).collect();
        let own = table("x:q", &rows.iter().map(String::as_str).collect::<Vec<_>>());
        let noise = Noise { variances: vec![vec![16.0]], ..Noise::units(&own, Scale::Raw).unwrap() };
        let own = own.with_noise(Some(Arc::new(noise)));
        let links: Vec<(u32, u32)> = (0..60).map(|row| (row, row)).collect();
        let model = GuessingAnonymity::new(Params { f: 0.5 }).unwrap();
        let bare = model.check_linked(&own, &own, &links).unwrap();
        assert!(!bare.holds && bare.witness.unwrap().numbers.contains_key("noise_by_file"));
    }

    #[test]
    fn what_it_needs_is_asked_for() {
        let release = table("age:q", &["23.1", "19.4", "49.3", "21.1"]);
        let bare = original().with_noise(None);
        let model = GuessingAnonymity::new(Params::default()).unwrap();
        assert!(model.check(&bare, &release).unwrap_err().to_string().contains("noise"));
        assert!(GuessingAnonymity::new(Params { f: -1.0 }).is_err());
    }
}
