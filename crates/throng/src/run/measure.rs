//! `throng measure`: what a release keeps and what it gives away.

use std::path::{Path, PathBuf};

use serde::Serialize;
use throng_core::Result;
use throng_core::data::QueryLog;
use throng_core::measures::{Context, Measure, Measured, Pair};
use throng_core::progress::Progress;

use super::Skipped;
use crate::io::{self, ReadOptions};
use crate::{catalog, key};

/// What to measure.
#[derive(Debug, Clone)]
pub struct MeasureRequest {
    /// The original: a file or `-`.
    pub original: PathBuf,
    /// The release: a file, a release folder or `-`.
    pub release: PathBuf,
    /// The measures; all that can be run when empty.
    pub measures: Vec<String>,
    /// The key file.
    pub key: Option<PathBuf>,
    /// Values that fewer persons share are not shown; the certificate's k, else 5, if not given.
    pub k: Option<usize>,
    /// Whether to show them all the same.
    pub show_values: bool,
    /// The seed of samples.
    pub seed: u64,
    /// How to read both files.
    pub options: ReadOptions,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct MeasureOutcome {
    /// Every number.
    pub measures: Vec<Measured>,
    /// What was not measured, and why.
    pub skipped: Vec<Skipped>,
}

/// Measures a release against its original.
pub fn measure(request: &MeasureRequest, progress: &dyn Progress) -> Result<MeasureOutcome> {
    let chosen = choose(&request.measures, true)?;
    let original = io::read_log(&io::resolve(&request.original)?, &request.options, progress)?.log;
    let (release_options, certified_k) = release_options(&request.release, &request.options)?;
    let release = io::read_log(&io::resolve(&request.release)?, &release_options, progress)?.log;
    let link = match &request.key {
        Some(path) => Some(key::read(path, original.names(), release.names())?),
        None => key::link_by_ids(original.names(), release.names()),
    };
    let pair = Pair { original: &original, release: &release, multiplicity: vec![1; release.persons()], link };
    let context = Context {
        k: request.k.or(certified_k).unwrap_or(5),
        show_values: request.show_values,
        seed: request.seed,
        progress,
    };
    run(&chosen, &pair, &context)
}

/// The measures with these names; all of them, or all that are not costly, when no name is given.
pub(super) fn choose(names: &[String], with_costly: bool) -> Result<Vec<&'static dyn Measure<QueryLog>>> {
    if names.is_empty() {
        let all = catalog::MEASURES.iter().copied();
        return Ok(all.filter(|measure| with_costly || !measure.info().costly).collect());
    }
    names.iter().map(|name| catalog::measure(name)).collect()
}

/// Runs measures on a pair.
pub(super) fn run(
    measures: &[&'static dyn Measure<QueryLog>],
    pair: &Pair<'_, QueryLog>,
    context: &Context<'_>,
) -> Result<MeasureOutcome> {
    let mut outcome = MeasureOutcome { measures: Vec::new(), skipped: Vec::new() };
    for measure in measures {
        let card = measure.info();
        if card.needs_link && pair.link.is_none() {
            let reason = "needs the link between persons: give `--key FILE`, or a release that kept its ids".to_owned();
            outcome.skipped.push(Skipped { name: card.info.name, reason });
            continue;
        }
        context.progress.stage(card.info.name, 0);
        outcome.measures.push(measure.measure(pair, context)?);
    }
    Ok(outcome)
}

/// How to read a release: a folder's certificate knows its columns and its k.
pub fn release_options(release: &Path, options: &ReadOptions) -> Result<(ReadOptions, Option<usize>)> {
    let mut options = options.clone();
    if !release.is_dir() {
        return Ok((options, None));
    }
    let certificate = io::read_release_certificate(release)?;
    options.format = None;
    // What the user says overrules the certificate.
    let certified = certificate["output"]["columns"].as_object().filter(|_| options.columns.is_empty()).cloned();
    for (role, name) in certified.iter().flatten() {
        options.columns.push(io::ColumnChoice::parse(&format!("{role}={}", name.as_str().unwrap_or_default()))?);
    }
    let k = certificate["method"]["parameters"]["k"].as_u64().map(|k| k as usize);
    Ok((options, k))
}
