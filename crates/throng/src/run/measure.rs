//! `throng measure`: what a release keeps and what it gives away.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::measures::{Context, Pair};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::attack;
use super::attacked::{Released, before_and_after};
use super::certified::Certified;
use super::compare::held_out_measures;
use super::judged::{Exposed, Judges, MeasureOutcome, wants};
use super::linked::Linked;
use crate::inputs::Inputs;
use crate::io::{Location, Opened};
use crate::key;
use crate::kinds::{self, AnyKind, Ask, HeldApart, Kinded, Purpose, SettledBy};

/// What to measure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MeasureRequest {
    /// The original: files, which are one data set, or `-`.
    pub original: Inputs,
    /// The release: a file, a release folder, `-`, or one in memory.
    pub release: Inputs,
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
    /// Whether the release was made of the even days of the original, and is judged by its odd days.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub held_out: bool,
    /// Whether the attacks of every report are played too, where it is known who became whom.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub attacks: bool,
    /// The seed of samples.
    pub seed: u64,
    /// How to read and understand both.
    pub ask: Ask,
}

/// Measures a release against its original.
pub fn measure(request: &MeasureRequest, progress: &dyn Progress) -> Result<MeasureOutcome> {
    let OpenPair { kind, original, release, opened } = open_pair(&request.original, &request.release, &request.ask)?;
    if let (Some(key), false) = (&request.key, request.force) {
        // The key was written with a file of the even days alone.
        let compared = [Some(&original.location).filter(|_| !request.held_out), Some(&release.location)];
        refuse_other_files(key, compared, "`--force` measures these all the same")?;
    }
    let request = &MeasureRequest { ask: original.ask, ..request.clone() };
    kind.measure(request, &release, opened, progress)
}

/// An original and its release, opened and of one kind.
pub struct OpenPair {
    /// The kind.
    pub kind: &'static dyn AnyKind,
    /// The original.
    pub original: Certified,
    /// The release.
    pub release: Certified,
    /// Both files.
    pub opened: [Opened; 2],
}

/// Opens a release, and its original as the certificate says.
pub(super) fn open_pair(original: &Inputs, release: &Inputs, ask: &Ask) -> Result<OpenPair> {
    // The columns that were named are the original's; a release folder knows its own.
    let plain = Ask { columns: Vec::new(), table: None, ..ask.clone() };
    let certified = match Certified::open(release, &plain)? {
        Certified { certificate: None, location, .. } => Certified { location, certificate: None, ask: ask.clone() },
        certified => certified,
    };
    let original = certified.open_original(original, ask)?;
    if original.certificate.is_some() && certified.certificate.is_none() {
        return Err(Error::refused("the original is a release, and the release is none of throng's")
            .in_file(original.location.to_string())
            .with_hint("the original comes first, then the release; to compare them as they are give the data file in the folder"));
    }
    let (kind, opened) = kinds::open(&original.location, &original.ask)?;
    let mut certified = certified;
    if certified.certificate.is_none() && kind.card().release_has_own_columns && !certified.ask.columns.is_empty() {
        // A file of vectors beside texts has other columns.
        let unsaid = Ask { kind: None, ..plain };
        if certified.location != Location::Stdin && kinds::kind_of(&certified.location, &unsaid)? == kind.card().name {
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
    Ok(OpenPair { kind, original, release: certified, opened: [opened, released] })
}

/// Refuses files that a key was not written with: numbers about other people would look as good.
pub(super) fn refuse_other_files(key: &Path, [original, release]: [Option<&Location>; 2], force: &str) -> Result<()> {
    let known = key::hashes(key)?;
    for (what, location, known) in [("original", original, &known[0]), ("release", release, &known[1])] {
        let Some(location) = location else { continue };
        let found = if known.is_some() { crate::io::hash_of(location)? } else { None };
        if found.is_some() && found != *known {
            return Err(Error::refused(format!("the key was written with another {what}"))
                .in_file(location.to_string())
                .with_hint(format!("give the files of that run; {force}")));
        }
    }
    Ok(())
}

/// Refuses to compare items of an original with those of a taxonomy's that stand for them in the release, without the taxonomy: all
/// of them would seem lost.
fn refuse_without_taxonomy(ask: &Ask, certified: &Certified, force: bool) -> Result<()> {
    match certified.taxonomy() {
        Some(record) if !record.by_phrase && ask.taxonomies.is_empty() && !force => Err(Error::refused(format!(
            "the release was made with the taxonomy {}, without which its items cannot be compared with the original's",
            record.name
        ))
        .with_hint(
            "give that file: `--taxonomy FILE`; `--force` measures without it, as if its nodes were other items",
        )),
        _ => Ok(()),
    }
}

/// Refuses to divide days where rows have none.
fn refuse_without_days<D: Kinded>() -> Result<()> {
    match D::HELD_OUT {
        Some(HeldApart::Days) => Ok(()),
        _ => Err(Error::refused(format!("no days can be held out of {}", D::CARD.name)).with_hint(
            "leave out `--held-out`: it is for search logs, access logs and paths, whose rows have a time each",
        )),
    }
}

/// What to know of a release that was made of a sample, if nobody says of whom.
pub(super) const IS_OF_SAMPLE: &str = "the release was made of a sample of the original's persons: only the key says of whom \
                                       (`--key FILE`), and without it everybody else seems to be lost";

/// Measures data of a kind.
pub(crate) fn measure_as<D: Kinded>(
    request: &MeasureRequest,
    certified: &Certified,
    [opened, released]: [Opened; 2],
    progress: &dyn Progress,
) -> Result<MeasureOutcome> {
    if request.held_out {
        refuse_without_days::<D>()?;
    }
    let measures = match request.held_out {
        true => held_out_measures(&request.measures, &[])?,
        false => D::SHELF.measures(&request.measures, true)?,
    };
    // The original becomes what the release was made over.
    let ask = request.ask.as_certified(certified.taxonomy());
    refuse_without_taxonomy(&ask, certified, request.force)?;
    let mut original = D::read(opened, &ask, Purpose::Original, progress)?;
    let mut notes = Vec::new();
    match &request.key {
        Some(key) => {
            if let Some(protected) = key::protected(key, original.data.names())? {
                original.data = original.data.of_persons(&protected);
            }
        }
        None => notes.extend(certified.is_of_sample().then(|| IS_OF_SAMPLE.to_owned())),
    }
    if certified.merges_accounts() {
        original.data = original.data.settled(SettledBy::Merging).0;
    }
    if request.held_out {
        let odd = original.data.held_apart().map(|[_, odd]| odd);
        original.data =
            odd.ok_or_else(|| Error::refused("no row of the original has a time, so there are no odd days"))?;
    }
    let release = D::read(released, &certified.ask, Purpose::Release, progress)?;
    let links = link_of(request.key.as_deref(), &original.data, &release.data)?;
    let wants = wants(&measures, original.data.persons(), links.is_some());
    let ready = D::understand_pair(original, release, &request.ask, certified.taxonomy(), wants)?;
    let [original, release] = ready.parts.as_slice() else {
        return Err(Error::internal("an original and its release did not stay two"));
    };
    let attacks = match links.as_ref().filter(|_| request.attacks) {
        Some(links) => {
            let ones = vec![1; release.persons()];
            let released = Released { original, release, multiplicity: &ones, links };
            before_and_after(&released, attack::promises::<D>(None, certified), progress)?.0
        }
        None => Vec::new(),
    };
    let (release, multiplicity, link) = match links {
        Some(links) => {
            let all = vec![1; release.persons()];
            let Linked { release, multiplicity, link } = Linked::of(release.clone(), all, &links, original.persons())?;
            (Cow::Owned(release), multiplicity, Some(link))
        }
        None => (Cow::Borrowed(release), vec![1; release.persons()], None),
    };
    let release = release.as_ref();
    let k = request.k.or(certified.k()).unwrap_or(super::USUAL_K);
    let context = Context { k, shared_by: k, show_values: request.show_values, seed: request.seed, progress };
    let judges = Judges::new(&measures, original, link.is_some(), ready.knowledge.as_ref(), request.seed);
    let pair = Pair { original, release, multiplicity, link };
    let outcome = judges.run(&pair, &context)?;
    let exposed = if request.show_values { Exposed::of(&outcome.measures, &pair) } else { Vec::new() };
    notes.extend(ready.notes);
    Ok(MeasureOutcome { notes, exposed, attacks, ..outcome })
}

/// Who became whom: by the key, or by equal ids. Numbers of lines are no ids: they say nothing about who is who. A person may have
/// become several.
pub(super) fn link_of<D: Kinded>(key: Option<&Path>, original: &D, release: &D) -> Result<Option<Vec<(u32, u32)>>> {
    match key {
        Some(path) => key::read(path, original.names(), release.names()).map(Some),
        None if original.has_ids() && release.has_ids() => Ok(key::link_by_ids(original.names(), release.names())),
        None => Ok(None),
    }
}
