//! `throng measure`: what a release keeps and what it gives away.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::measures::{Context, Pair};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::certified::Certified;
use super::judged::{Exposed, Judges, MeasureOutcome, wants};
use crate::inputs::Inputs;
use crate::io::{Location, Opened};
use crate::key;
use crate::kinds::{self, Ask, Kinded, Purpose};

/// What to measure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MeasureRequest {
    /// The original: files, which are one data set, or `-`.
    pub original: Inputs,
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
    /// Whether to go on with a key that was written for other files.
    pub force: bool,
    /// The seed of samples.
    pub seed: u64,
    /// How to read and understand both.
    pub ask: Ask,
}

/// Measures a release against its original.
pub fn measure(request: &MeasureRequest, progress: &dyn Progress) -> Result<MeasureOutcome> {
    // The columns that were named are the original's; a release folder knows its own.
    let plain = Ask { columns: Vec::new(), ..request.ask.clone() };
    let certified = match Certified::open_one(&request.release, &plain)? {
        Certified { certificate: None, location, .. } => {
            Certified { location, certificate: None, ask: request.ask.clone() }
        }
        certified => certified,
    };
    let original = certified.open_original(&request.original.paths()?, &request.ask)?;
    let (kind, opened) = kinds::open(&original.location, &original.ask)?;
    let mut certified = certified;
    if certified.certificate.is_none() && kind.card().release_has_own_columns && !certified.ask.columns.is_empty() {
        // A file of vectors beside texts has other columns.
        let unsaid = Ask { kind: None, ..plain };
        if request.release != Path::new("-") && kinds::kind_of(&certified.location, &unsaid)? == kind.card().name {
            certified.ask.columns = Vec::new();
        }
    }
    let as_it_is = Ask { as_kind: None, ..certified.ask.clone() };
    let (release_kind, released) = kinds::open(&certified.location, &as_it_is)?;
    let found = release_kind.card();
    if found.name != kind.card().name {
        let is_made_of = found.made_of.contains(&kind.card().name);
        let problem = format!("the original is {}, and the release is {}", kind.card().name, found.name);
        return Err(Error::refused(problem).with_hint(if is_made_of {
            format!("`--as {}` takes the words of a search log as {}", found.name, found.name)
        } else {
            "they can only be compared if they are of one kind; `--kind` overrules what a file is taken for".to_owned()
        }));
    }
    if let (Some(key), false) = (&request.key, request.force) {
        refuse_other_files(key, [&original.location, &certified.location])?;
    }
    let request = &MeasureRequest { ask: original.ask, ..request.clone() };
    kind.measure(request, &certified, [opened, released], progress)
}

/// Refuses files that a key was not written with: numbers about other people would look as good.
fn refuse_other_files(key: &Path, [original, release]: [&Location; 2]) -> Result<()> {
    let known = key::hashes(key)?;
    for (what, location, known) in [("original", original, &known[0]), ("release", release, &known[1])] {
        let found = if known.is_some() { crate::io::hash_of(location)? } else { None };
        if found.is_some() && found != *known {
            return Err(Error::refused(format!("the key was written with another {what}"))
                .in_file(location.to_string())
                .with_hint("give the files of that run; `--force` measures these all the same"));
        }
    }
    Ok(())
}

/// Measures data of a kind.
pub(crate) fn measure_as<D: Kinded>(
    request: &MeasureRequest,
    certified: &Certified,
    [opened, released]: [Opened; 2],
    progress: &dyn Progress,
) -> Result<MeasureOutcome> {
    let measures = D::SHELF.measures(&request.measures, true)?;
    // The original becomes what the release was made over.
    let ask = request.ask.as_certified(certified.taxonomy());
    let original = D::read(opened, &ask, Purpose::Original, progress)?;
    let release = D::read(released, &certified.ask, Purpose::Release, progress)?;
    let link = match &request.key {
        Some(path) => Some(key::read(path, original.data.names(), release.data.names())?),
        // Numbers of lines are no ids: they say nothing about who is who.
        None if original.data.has_ids() && release.data.has_ids() => {
            key::link_by_ids(original.data.names(), release.data.names())
        }
        None => None,
    };
    let wants = wants(&measures, original.data.persons(), link.is_some());
    let ready = D::understand_pair(original, release, &request.ask, certified.taxonomy(), wants)?;
    let [original, release] = ready.parts.as_slice() else {
        return Err(Error::internal("an original and its release did not stay two"));
    };
    let k = request.k.or(certified.k()).unwrap_or(super::USUAL_K);
    let context = Context { k, shared_by: k, show_values: request.show_values, seed: request.seed, progress };
    let judges = Judges::new(&measures, original, link.is_some(), ready.knowledge.as_ref(), request.seed);
    let pair = Pair { original, release, multiplicity: vec![1; release.persons()], link };
    let outcome = judges.run(&pair, &context)?;
    let exposed = if request.show_values { Exposed::of(&outcome.measures, &pair) } else { Vec::new() };
    Ok(MeasureOutcome { notes: ready.notes, exposed, ..outcome })
}
