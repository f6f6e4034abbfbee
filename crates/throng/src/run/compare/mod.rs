//! `throng compare`: several methods with several k on the same data, every measure side by side.
//!
//! # Idea
//! 1. The data are read once. What a method works out that does not depend on k, its distances, is worked out once.
//! 2. A method with a k and a seed is a cell. Cells run in parallel; each is kept in a file as soon as it is done, so a
//!    run that was stopped goes on where it was.
//! 3. When all are there, methods are compared person by person, the best of those that promise the same is found,
//!    `comparison.json`, `comparison.csv` and `comparison.html` are written, and the files of the cells go away.
//! 4. A finished comparison is extended in its folder: cells that are there stay, missing ones are added, and all is drawn again.
//! 5. With held-out days, methods are given the lines of each person's even days, and measures the lines of their odd days
//!    with the records that were made of the even ones: no method is judged by what it saw.
//!
//! Nothing is published: records are measured where they are made, and never written.

mod asked;
mod curve;
mod folder;
mod grid;
#[cfg(test)]
pub(crate) mod made_up;
mod numbers;
mod pairs;
mod promises;
mod recommend;
mod trends;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throng_core::attacks::profile_linkage;
use throng_core::measures::{ByPerson, Measure};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

pub(crate) use self::asked::Choice;
pub use self::asked::{CompareRequest, LEAST_K, parse_ks, parse_numbers};
pub use self::grid::{Filled, Work};
pub use self::numbers::Mean;
pub(crate) use self::numbers::{Spread, drawn, of_measure, unit};
pub use self::pairs::MethodPair;
pub use self::promises::Promise;
pub(crate) use self::promises::Promised;
pub use self::recommend::Recommendation;
pub(crate) use self::recommend::chance;
pub use self::trends::{Moved, Trend};
use super::certified::Certified;
use crate::catalog;
use crate::io::Location;
use crate::kinds::{self, HeldApart, Kinded};
use crate::pending::{self, Pending};
use crate::report;

/// A finished comparison.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Comparison {
    /// The version of this form.
    pub format: u32,
    /// The version of throng.
    pub throng: String,
    /// What the data set is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The day, as `YYYY-MM-DD`; none in a run whose seed was given, unless it was given too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// What was compared on.
    pub input: Input,
    /// How the days were divided, if some were held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// The methods, in the order in which they were given.
    pub methods: Vec<String>,
    /// The values of k, rising.
    pub k: Vec<usize>,
    /// The seeds, rising.
    pub seeds: Vec<u64>,
    /// The smallest k that may be recommended.
    pub least_k: usize,
    /// Every method with every k and every seed.
    pub cells: Vec<Cell>,
    /// Every headline over the seeds, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub means: Vec<Mean>,
    /// Methods person by person with the first seed, where there are several and it was measured what persons keep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<MethodPair>,
    /// How the parts of measures move over k, of those that have such.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trends: Vec<Trend>,
    /// What to choose, one for each promise.
    pub recommendations: Vec<Recommendation>,
    /// The one for the first promise that all methods make; `None` if they have none in common.
    pub recommendation: Option<Recommendation>,
}

/// What was compared on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The kind of data.
    pub kind: String,
    /// How many persons were protected.
    pub persons: u64,
    /// How many rows they have.
    pub rows: u64,
    /// How many persons the file has, if only a sample was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled_from: Option<u64>,
}

/// What was held out: methods are given even days, counted from 1970-01-01 in UTC, and judged by odd days; or four fifths of what every person
/// has, and judged by the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The lines that methods are given.
    pub build_rows: u64,
    /// The lines that they are judged by.
    pub score_rows: u64,
    /// Persons without lines on even days, or without lines on odd days. They are in neither.
    pub persons_left_out: u64,
    /// What it was.
    #[serde(default, skip_serializing_if = "HeldApart::is_days")]
    pub what: HeldApart,
}

/// A method with a k and a seed, and what was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The method as typed.
    pub method: String,
    /// k; [`NO_K`], as JSON `null`, for a method that has none and promises nothing: it runs once.
    #[serde(with = "k_or_null")]
    pub k: usize,
    /// The seed.
    pub seed: u64,
    /// What the method promises. A comparison does not check it: `protect` does, on the bytes that it writes.
    pub claims: Vec<Promise>,
    /// Persons of the original who got no record.
    pub persons_dropped: u64,
    /// How long protecting took; not in a run whose seed was given. What all k have in common counts in full for each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Every number: see `throng measure --json`.
    pub measures: Vec<Value>,
    /// What attackers achieve: see `throng attack --json`; `label` is what a column calls it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<Value>,
    /// What was not measured, and why.
    pub skipped: Vec<Value>,
}

/// The k of a method that has none.
pub(crate) const NO_K: usize = 0;

impl Cell {
    /// Whether it says what a method does with a k: of a method without one, with any.
    pub(crate) fn is_of(&self, method: &str, k: usize) -> bool {
        self.method == method && (self.k == k || self.k == NO_K)
    }
}

/// A k as JSON: `null` if there is none.
mod k_or_null {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::NO_K;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    pub(super) fn serialize<S: Serializer>(k: &usize, serializer: S) -> Result<S::Ok, S::Error> {
        Some(*k).filter(|&k| k != NO_K).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
        Ok(Option::<usize>::deserialize(deserializer)?.unwrap_or(NO_K))
    }
}

/// A cell as it is kept until the comparison is finished: beside it what single persons keep of their interests, which is
/// never published.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    cell: Cell,
    by_person: ByPerson,
}

/// How many persons must share what the cells of a k show. A comparison of small k is read by the same people: at least five.
fn shared_by(k: usize) -> usize {
    k.max(5)
}

/// The version of the form of a comparison.
const FORMAT: u32 = 1;

/// Compares methods and values of k on one file, and writes the comparison.
pub fn compare(request: &CompareRequest, progress: &dyn Progress) -> Result<Comparison> {
    let request = &CompareRequest { out: pending::dated(&request.out), ..request.clone() };
    // One that was stopped goes on, whether it may be replaced or not.
    if !request.overwrite || request.out.symlink_metadata().is_err() || folder::is_unfinished(&request.out) {
        return write_comparison(request, progress);
    }
    folder::refuse_foreign(&request.out)?;
    pending::refuse_replacing_input(&request.out, &request.file.paths()?)?;
    let failed = |cause| Error::io(format!("write into {}", pending::folder_of(&request.out).display()), cause);
    // Its files get their modes one by one: not all of them are for everybody.
    let unfinished = Pending::folder(&request.out).map_err(failed)?.with_own_modes();
    std::fs::remove_dir(unfinished.path()).map_err(failed)?;
    let beside = CompareRequest { out: unfinished.path().to_owned(), overwrite: false, ..request.clone() };
    let comparison = write_comparison(&beside, progress)?;
    folder::refuse_foreign(&request.out)?;
    pending::publish_over(vec![(unfinished, request.out.clone())], &request.out)?;
    Ok(comparison)
}

/// Compares, and writes the comparison into a folder that is new, unfinished, or to be extended.
fn write_comparison(request: &CompareRequest, progress: &dyn Progress) -> Result<Comparison> {
    let paths = request.file.paths()?;
    request.date.as_deref().map(report::check_date).transpose()?;
    asked::refuse_places(request, &paths)?;
    let finished = folder::finished(&request.out)?;
    let request = &finished.as_ref().map_or_else(|| request.clone(), |finished| request.joined(finished));
    let methods = request.methods.iter().map(|typed| Choice::parse(typed)).collect::<Result<Vec<_>>>()?;
    asked::refuse_impossible(request, &methods)?;
    let certified = Certified::open(&request.file, &request.ask)?;
    if matches!(certified.location, Location::Stdin) {
        return Err(Error::refused("a comparison needs a file, not standard input")
            .with_hint("it may be stopped, and goes on by reading the file again"));
    }
    let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
    let work = Work {
        request,
        ask: &certified.ask,
        location: &certified.location,
        methods: &methods,
        finished: finished.as_ref(),
        progress,
    };
    let Filled { input, held_out, cells, folder } = kind.compare(&work, opened)?;
    let old_pairs = finished.map(|finished| finished.pairs).unwrap_or_default();
    let mut comparison = Comparison {
        format: FORMAT,
        throng: env!("CARGO_PKG_VERSION").to_owned(),
        title: request.title.clone(),
        date: request.date.clone().or_else(|| request.seed.is_none().then(report::today)),
        input,
        held_out,
        methods: request.methods.clone(),
        k: request.ks.clone(),
        seeds: request.seeds(),
        least_k: request.least_k,
        means: Vec::new(),
        pairs: pairs::of(&cells, old_pairs, request.first_seed()),
        cells: cells.into_iter().map(|kept| kept.cell).collect(),
        trends: Vec::new(),
        recommendations: Vec::new(),
        recommendation: None,
    };
    comparison.trends = trends::of(&comparison);
    comparison.means = numbers::means(&comparison);
    comparison.recommendations = recommend::recommendations(&comparison);
    comparison.recommendation = recommend::for_all_methods(&comparison);
    folder.finish(&comparison, request.charts.as_deref())?;
    Ok(comparison)
}

/// Whether a name among the measures means the attack on held-out days; it was a measure once.
fn is_linkage(name: &str) -> bool {
    catalog::formerly(name).unwrap_or(name) == profile_linkage::INFO.info.name
}

/// Whether a comparison attacks releases with held-out days.
fn wants_linkage(request: &CompareRequest) -> bool {
    request.held_out && (request.measures.is_empty() || request.measures.iter().any(|name| is_linkage(name)))
}

/// The measures of a comparison: those with these names, else all that are not costly; of held-out days all that judge such.
fn measures_for<D: Kinded>(request: &CompareRequest) -> Result<Vec<&'static dyn Measure<D>>> {
    if !request.held_out {
        return D::SHELF.measures(&request.measures, false);
    }
    let names: Vec<String> = request.measures.iter().filter(|name| !is_linkage(name)).cloned().collect();
    if names.is_empty() && !request.measures.is_empty() {
        return Ok(Vec::new());
    }
    held_out_measures(&names, &[profile_linkage::INFO.info.name])
}

/// The measures that judge held-out days: those with these names, else all; beside them there is more to ask for.
pub(super) fn held_out_measures<D: Kinded>(
    names: &[String],
    more: &[&'static str],
) -> Result<Vec<&'static dyn Measure<D>>> {
    let mut all: Vec<_> = D::SHELF.measures.iter().copied().filter(|measure| measure.info().judges_held_out).collect();
    // Those that run without being asked for come first.
    all.sort_by_key(|measure| measure.info().on_request);
    if names.is_empty() {
        return Ok(all);
    }
    let measures = D::SHELF.measures(names, true)?;
    match measures.iter().map(|measure| measure.info()).find(|card| !card.judges_held_out) {
        Some(card) => {
            let names = all.iter().map(|measure| measure.info().info.name);
            let names: Vec<&str> = names.chain(more.iter().copied()).collect();
            let problem = format!("the measure `{}` does not judge what was held out", card.info.name);
            let hint = format!("with `--held-out` there are {}; leave it out for the others", names.join(" and "));
            Err(Error::refused(problem).with_hint(hint))
        }
        None => Ok(measures),
    }
}
