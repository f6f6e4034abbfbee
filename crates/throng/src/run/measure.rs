//! `throng measure`: what a release keeps and what it gives away.

use std::path::{Path, PathBuf};

use serde::Serialize;
use throng_core::data::{Baskets, Dataset, Documents, QueryLog};
use throng_core::measures::{Context, Measure, Measured, Pair};
use throng_core::progress::Progress;
use throng_core::taxonomy::fit::{Unknown, fit};
use throng_core::{Error, Kind, Result};

use super::Skipped;
use super::load::{BasketOptions, LoadedTaxonomy, TaxonomyRecord, load_baskets, load_documents, with_meaning_of_nodes};
use super::protect::needs_meaning;
use super::sample::{needs_meaning_of_all, run_on_queries};
use crate::catalog::{self, AnyMeasure};
use crate::io::{self, Format, Opened, ReadOptions};
use crate::key;

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
    /// How to make baskets of them, where they are wanted.
    pub baskets: BasketOptions,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct MeasureOutcome {
    /// Every number.
    pub measures: Vec<Measured>,
    /// What was not measured, and why.
    pub skipped: Vec<Skipped>,
    /// The kind of data.
    #[serde(skip)]
    pub kind: &'static str,
    /// What the user should know beside it.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Measures a release against its original.
pub fn measure(request: &MeasureRequest, progress: &dyn Progress) -> Result<MeasureOutcome> {
    let opened = Opened::open(&io::resolve(&request.original)?, &request.options)?;
    let kind = request.baskets.kind_of(&opened);
    let chosen = catalog::measures_for(kind, &request.measures, true)?;
    let mut certified = release_options(&request.release, &request.options)?;
    if kind == Kind::Documents && has_columns_of_its_own(request)? {
        certified.options.document_columns.clear();
    }
    let released = Opened::open(&io::resolve(&request.release)?, &certified.options)?;
    if released.kind != kind {
        let problem = format!("the original is {kind}, and the release is {}", released.kind);
        return Err(Error::refused(problem).with_hint(if released.kind == Kind::Baskets {
            "`--as baskets` takes the words of a query log as baskets"
        } else {
            "they can only be compared if they are of one kind; `--kind` overrules what a file is taken for"
        }));
    }
    let context = Context {
        k: request.k.or(certified.k).unwrap_or(5),
        show_values: request.show_values,
        seed: request.seed,
        progress,
    };
    if kind == Kind::Baskets {
        return measure_baskets(request, opened, released, &certified, &chosen, &context);
    }
    if kind == Kind::Documents {
        return measure_documents(request, opened, released, &certified, &chosen, &context);
    }
    let mut original = io::read_opened_log(opened, &request.options, progress)?.log;
    let mut release = io::read_opened_log(released, &certified.options, progress)?.log;
    let link = match &request.key {
        Some(path) => Some(key::read(path, original.names(), release.names())?),
        None => key::link_by_ids(original.names(), release.names()),
    };
    let mut notes = Vec::new();
    let mut knowledge = None;
    if needs_meaning(&chosen) {
        let knowledge = knowledge.insert(as_certified(&request.baskets, certified.taxonomy.as_ref()).knowledge()?);
        if link.is_none() || needs_meaning_of_all(&chosen, original.persons()) {
            let tables = [original.queries(), release.queries()];
            let [own, released] = <[_; 2]>::try_from(knowledge.of(&tables)?)
                .map_err(|_| Error::internal("two tables did not become two"))?;
            (original, release) = (original.with_meaning(own), release.with_meaning(released));
        }
        notes.extend(taxonomy_note(Some(&knowledge.taxonomy), certified.taxonomy.as_ref()));
    }
    let pair = Pair { original: &original, release: &release, multiplicity: vec![1; release.persons()], link };
    Ok(MeasureOutcome { notes, ..run_on_queries(&chosen, &pair, knowledge.as_ref(), &context)? })
}

/// Whether the columns that were named are the original's, and the release has others: a file of vectors beside texts.
fn has_columns_of_its_own(request: &MeasureRequest) -> Result<bool> {
    let is_file = request.release != Path::new("-") && !io::is_release(&request.release);
    if !is_file || request.options.document_columns.is_empty() {
        return Ok(false);
    }
    let plain = ReadOptions { document_columns: Vec::new(), kind: None, ..request.options.clone() };
    Ok(Opened::open(&io::resolve(&request.release)?, &plain)?.kind == Kind::Documents)
}

/// The taxonomy that a release was made with, if none is given and it is WordNet, which is always there; a file must be
/// given. Its rule for what it does not know, if none is given.
fn as_certified(options: &BasketOptions, certified: Option<&TaxonomyRecord>) -> BasketOptions {
    let mut options = options.clone();
    if let (true, Some(record)) = (options.taxonomies.is_empty(), certified) {
        options.unknown = options.unknown.or(Some(record.unknown));
        if record.name == "wordnet" {
            options.taxonomies = vec![record.name.clone()];
        }
    }
    options
}

fn measure_baskets(
    request: &MeasureRequest,
    opened: Opened,
    released: Opened,
    certified: &Certified,
    chosen: &[AnyMeasure],
    context: &Context<'_>,
) -> Result<MeasureOutcome> {
    let mut notes = Vec::new();
    let options = as_certified(&request.baskets, certified.taxonomy.as_ref());
    let by_phrase = certified.taxonomy.as_ref().is_some_and(|record| record.by_phrase);
    let taxonomy = options.taxonomy()?;
    notes.extend(taxonomy_note(taxonomy.as_ref(), certified.taxonomy.as_ref()));
    let original = load_baskets(opened, &request.options, context.progress)?.baskets;
    let release = load_baskets(released, &certified.options, context.progress)?.baskets;
    let rule = match (options.unknown, &certified.taxonomy) {
        (None, Some(record)) => record.unknown,
        _ => options.rule(),
    };
    let (original, release) = match &taxonomy {
        Some(_) if by_phrase => {
            let (original, release) = original.aligned(&release);
            let meaning = options.knowledge()?.of(&[original.labels()])?.remove(0);
            (original.with_meaning(meaning.clone()), release.with_meaning(meaning))
        }
        None => original.aligned(&release),
        Some(loaded) => {
            let (original, release) = fit_pair(&original, &release, loaded, rule)?;
            if needs_meaning(chosen) {
                (with_meaning_of_nodes(original), with_meaning_of_nodes(release))
            } else {
                (original, release)
            }
        }
    };
    let link = match &request.key {
        Some(path) => Some(key::read(path, original.names(), release.names())?),
        // Numbers of lines are no ids: they say nothing about who is who.
        None if original.has_ids() && release.has_ids() => key::link_by_ids(original.names(), release.names()),
        None => None,
    };
    let pair = Pair { original: &original, release: &release, multiplicity: vec![1; release.persons()], link };
    Ok(MeasureOutcome { kind: Kind::Baskets.name(), notes, ..run(&on_baskets(chosen), &pair, context)? })
}

/// The original becomes vectors over the taxonomy of the release; what the release holds is taken as it is.
fn measure_documents(
    request: &MeasureRequest,
    opened: Opened,
    released: Opened,
    certified: &Certified,
    chosen: &[AnyMeasure],
    context: &Context<'_>,
) -> Result<MeasureOutcome> {
    let options = as_certified(&request.baskets, certified.taxonomy.as_ref());
    let original = load_documents(opened, &request.options, &options, true, context.progress)?;
    // A release is read by its own columns, whatever those of the original are called.
    let release = load_documents(released, &certified.options, &options, false, context.progress)?;
    let notes = taxonomy_note(original.taxonomy.as_ref(), certified.taxonomy.as_ref()).into_iter().collect();
    let (original, taxonomy) = (original.read.documents, original.taxonomy);
    let mut release = release.read.documents;
    if let Some(loaded) = taxonomy {
        release = release.with_taxonomy(loaded.taxonomy);
    }
    let link = match &request.key {
        Some(path) => Some(key::read(path, original.names(), release.names())?),
        None => key::link_by_ids(original.names(), release.names()),
    };
    let pair = Pair { original: &original, release: &release, multiplicity: vec![1; release.persons()], link };
    Ok(MeasureOutcome { kind: Kind::Documents.name(), notes, ..run(&on_documents(chosen), &pair, context)? })
}

/// Both over the same nodes. What a release holds must be in the taxonomy, unless items have leaves of their own.
fn fit_pair(
    original: &Baskets,
    release: &Baskets,
    taxonomy: &LoadedTaxonomy,
    rule: Unknown,
) -> Result<(Baskets, Baskets)> {
    let mut fitted = if rule == Unknown::OwnLeaf {
        fit(&[original, release], &taxonomy.taxonomy, rule)?
    } else {
        let mut fitted = fit(&[original], &taxonomy.taxonomy, rule)?;
        fitted.extend(fit(&[release], &taxonomy.taxonomy, Unknown::Error)?);
        fitted
    };
    match (fitted.pop(), fitted.pop()) {
        (Some(release), Some(original)) => Ok((original.baskets, release.baskets)),
        _ => Err(Error::internal("two data sets did not become two")),
    }
}

/// What to say if the taxonomy is not the one that a release was made with.
pub(super) fn taxonomy_note(given: Option<&LoadedTaxonomy>, certified: Option<&TaxonomyRecord>) -> Option<String> {
    let certified = certified?;
    let Some(given) = given else {
        return Some(format!(
            "the release was made with the taxonomy {}; give it with `--taxonomy` for whatever needs one",
            certified.name
        ));
    };
    (given.sha256 != certified.sha256).then(|| {
        format!("the taxonomy {} is not the one that the release was made with, {}", given.name, certified.name)
    })
}

/// Those of some measures that are for query logs.
pub(super) fn on_queries(measures: &[AnyMeasure]) -> Vec<&'static dyn Measure<QueryLog>> {
    let own = |measure: &AnyMeasure| match measure {
        AnyMeasure::Queries(measure) => Some(*measure),
        AnyMeasure::Baskets(_) | AnyMeasure::Documents(_) => None,
    };
    measures.iter().filter_map(own).collect()
}

/// Those of some measures that are for baskets.
pub(super) fn on_baskets(measures: &[AnyMeasure]) -> Vec<&'static dyn Measure<Baskets>> {
    let own = |measure: &AnyMeasure| match measure {
        AnyMeasure::Baskets(measure) => Some(*measure),
        AnyMeasure::Queries(_) | AnyMeasure::Documents(_) => None,
    };
    measures.iter().filter_map(own).collect()
}

/// Those of some measures that are for documents.
pub(super) fn on_documents(measures: &[AnyMeasure]) -> Vec<&'static dyn Measure<Documents>> {
    let own = |measure: &AnyMeasure| match measure {
        AnyMeasure::Documents(measure) => Some(*measure),
        AnyMeasure::Queries(_) | AnyMeasure::Baskets(_) => None,
    };
    measures.iter().filter_map(own).collect()
}

/// Runs measures on a pair. Those that lack something are skipped, with the reason.
pub(super) fn run<D: Dataset>(
    measures: &[&dyn Measure<D>],
    pair: &Pair<'_, D>,
    context: &Context<'_>,
) -> Result<MeasureOutcome> {
    let mut outcome =
        MeasureOutcome { measures: Vec::new(), skipped: Vec::new(), kind: Kind::Queries.name(), notes: Vec::new() };
    for measure in measures {
        let card = measure.info();
        if let Some(need) = pair.lacks(card) {
            outcome.skipped.push(Skipped { name: card.info.name, reason: need.reason().to_owned() });
            continue;
        }
        context.progress.stage(card.info.name, 0);
        outcome.measures.push(measure.measure(pair, context)?);
    }
    Ok(outcome)
}

/// What a release's certificate says about how to read and judge it.
#[derive(Debug, Clone)]
pub struct Certified {
    /// How to read the data.
    pub options: ReadOptions,
    /// The k of the method.
    pub k: Option<usize>,
    /// The taxonomy that was used.
    pub taxonomy: Option<TaxonomyRecord>,
    /// How many items were named as sensitive.
    pub sensitive_items: Option<u64>,
}

/// How to read a release: a folder's certificate knows its kind, its columns and its k.
pub fn release_options(release: &Path, options: &ReadOptions) -> Result<Certified> {
    let mut options = options.clone();
    if !io::is_release(release) {
        return Ok(Certified { options, k: None, taxonomy: None, sensitive_items: None });
    }
    let certificate = io::read_release_certificate(release)?;
    options.format = certificate["output"]["file"].as_str().and_then(|name| Format::of_path(Path::new(name)));
    let kind = certificate["output"]["kind"].as_str().or(certificate["input"]["kind"].as_str());
    let kind = Kind::ALL.iter().copied().find(|known| Some(known.name()) == kind);
    options.kind = options.kind.or(kind);
    // What the user says overrules the certificate.
    let is_chosen = !options.columns.is_empty() || options.item_column.is_some();
    // Of documents a release has columns of its own.
    options.document_columns.clear();
    for (role, name) in certificate["output"]["columns"].as_object().filter(|_| !is_chosen).into_iter().flatten() {
        options.choose_column(&format!("{role}={}", name.as_str().unwrap_or_default()))?;
    }
    Ok(Certified {
        options,
        k: certificate["method"]["parameters"]["k"].as_u64().map(|k| k as usize),
        taxonomy: serde_json::from_value(certificate["taxonomy"].clone()).ok(),
        sensitive_items: certificate["sensitive_items"].as_u64(),
    })
}
