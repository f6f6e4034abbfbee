//! `throng protect`: read, protect, write beside, check the very bytes, measure, publish whole or not at all.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Map, Value};
use throng_core::concepts::Texts;
use throng_core::data::{QueryLog, Strings};
use throng_core::measures::risk::uniqueness;
use throng_core::measures::{Context, Measured, Pair};
use throng_core::methods::Method;
use throng_core::partition::grouping::Grouped;
use throng_core::progress::Progress;
use throng_core::release::Published;
use throng_core::{Error, Kind, Need, Result, Rng};

use super::check::{Checking, another_kind, check_before_publishing, check_claims};
use super::fit::{Fit, fit};
use super::load::{BasketOptions, TaxonomyRecord};
use super::sample::{needs_meaning_of_all, run_on_queries};
use super::{MeasureOutcome, Skipped, protect_baskets, protect_documents};
use crate::catalog::{self, AnyMeasure, AnyMethod, AnyModel};
use crate::certificate::{self, Accounting, Certificate, ClaimRecord, Input, Output};
use crate::checkpoint::{Checkpoint, Plan, WithJournal};
use crate::io::{self, ColumnChoice, Format, HashingWriter, Layout, Location, Opened, Person, ReadOptions};
use crate::key;
use crate::pending::{self, Pending};
use crate::report::{self, Report};

/// What to protect, and how.
#[derive(Debug, Clone, Default)]
pub struct ProtectRequest {
    /// The original: a file or `-`.
    pub file: PathBuf,
    /// The release folder, which must not exist.
    pub out: PathBuf,
    /// The method; the kind's default when not given.
    pub method: Option<String>,
    /// Parameters of the method as typed.
    pub parameters: Vec<(String, String)>,
    /// The seed; secure randomness when not given.
    pub seed: Option<u64>,
    /// Whether to publish the original ids.
    pub keep_ids: bool,
    /// Where to write the link between persons and pseudonyms.
    pub key: Option<PathBuf>,
    /// The format of the release; the input's when not given.
    pub format: Option<Format>,
    /// The measures; all that are not costly when empty.
    pub measures: Vec<String>,
    /// How to read the original.
    pub options: ReadOptions,
    /// How to make baskets of it, where they are wanted.
    pub baskets: BasketOptions,
    /// How many bytes of memory the run may take.
    pub memory: Option<u64>,
    /// The folder in which work is kept, so that the same request goes on after it was killed.
    pub checkpoint: Option<PathBuf>,
}

/// What was published.
#[derive(Debug)]
pub struct ProtectOutcome {
    /// The certificate.
    pub certificate: Certificate,
    /// Every number that was measured.
    pub measures: Vec<Measured>,
    /// What was not measured, and why.
    pub skipped: Vec<Skipped>,
    /// The share of persons singled out by 1, 2, 3 of their queries or items before.
    pub unique_by: [f64; 3],
    /// Columns of the input that are not in the release.
    pub unmapped: Vec<String>,
    /// What the user should know beside it.
    pub notes: Vec<String>,
    /// Parameters that the method does not use.
    pub unused: Vec<String>,
}

/// What is in the folder of a release before it gets its papers.
pub(super) struct Staged {
    pub(super) input: Input,
    pub(super) output: Output,
    pub(super) claims: Vec<ClaimRecord>,
    pub(super) parameters: Map<String, Value>,
    pub(super) grouped: Option<Grouped>,
    pub(super) ids: &'static str,
    pub(super) taxonomy: Option<TaxonomyRecord>,
    pub(super) sensitive_items: Option<u64>,
    pub(super) accounting: Accounting,
    /// The persons of the original, and who became whom, for the key. Their records are the groups.
    pub(super) names: Strings,
    pub(super) persons: Vec<Published>,
    /// How many persons each group has.
    pub(super) sizes: Vec<u32>,
    pub(super) measured: MeasureOutcome,
    pub(super) unique_by: [f64; 3],
    pub(super) unique_by_after: [f64; 3],
    pub(super) unmapped: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// What every kind of data needs for being staged.
pub(super) struct Staging<'a> {
    pub(super) request: &'a ProtectRequest,
    pub(super) location: &'a Location,
    pub(super) measures: Vec<AnyMeasure>,
    pub(super) folder: &'a Path,
    /// How many blocks of text may be read at once, if that is limited.
    pub(super) at_once: Option<usize>,
    pub(super) progress: &'a dyn Progress,
}

impl Staging<'_> {
    /// Says which file the data are at fault in.
    pub(super) fn named(&self, error: Error) -> Error {
        if error.is_data() { error.in_file(self.location.to_string()) } else { error }
    }

    /// What a measure is told. A report may be published: it never shows values that fewer than k persons share, whatever
    /// was asked for.
    pub(super) fn context(&self, parameters: &Map<String, Value>) -> Context<'_> {
        let k = parameters.get("k").and_then(Value::as_u64).unwrap_or(5) as usize;
        Context { k, show_values: false, seed: 0, progress: self.progress }
    }
}

/// Protects a file and publishes the release.
pub fn protect(request: &ProtectRequest, progress: &dyn Progress) -> Result<ProtectOutcome> {
    let begun = Instant::now();
    let location = io::resolve(&request.file)?;
    // Everything that can be refused is refused before a large file is read.
    if let Some(name) = &request.method {
        let entry = catalog::method(name)?;
        (entry.build)(entry.info.kinds[0], catalog::parameters(entry.info, &request.parameters)?.0)?;
    }
    refuse_existing(&request.out)?;
    let others = [("key file", &request.key), ("checkpoint", &request.checkpoint)];
    let others = others.into_iter().filter_map(|(what, place)| Some((what, place.as_ref()?)));
    for (what, place) in others.chain([("release folder", &request.out)]) {
        pending::refuse_inside(place, what, &request.file)?;
    }
    if let Some(key) = &request.key {
        key::check_place(key, &request.out)?;
    }
    let checkpoint = match &request.checkpoint {
        Some(folder) => {
            Checkpoint::check_place(folder, &request.out)?;
            progress.stage("comparing hashes", 0);
            Some(Checkpoint::open(folder, &plan(request, &location)?)?)
        }
        None => None,
    };
    let begun_before = checkpoint.as_ref().map_or(0, Checkpoint::pieces);
    let published = publish(request, &location, checkpoint.as_ref(), progress, begun);
    match checkpoint {
        Some(checkpoint) if published.is_ok() || checkpoint.pieces() == 0 => {
            let removed = checkpoint.remove();
            let mut outcome = published?;
            if begun_before > 0 {
                outcome.notes.push(format!("went on from the checkpoint: {begun_before} pieces of work were done"));
            }
            if let Err(error) = removed {
                outcome.notes.push(format!("{error}; it is as secret as the original: remove it"));
            }
            Ok(outcome)
        }
        _ => published,
    }
}

/// What a run with a checkpoint is about: whatever its result depends on.
fn plan(request: &ProtectRequest, location: &Location) -> Result<Plan> {
    let Some(input) = hash_of(location)? else {
        return Err(Error::refused("a checkpoint needs a file, not standard input")
            .with_hint("the run may be killed, and goes on by reading the file again"));
    };
    let taxonomies = request.baskets.taxonomies.iter().map(Path::new);
    let others = taxonomies.chain(request.baskets.sensitive.as_deref()).filter(|path| path.is_file());
    let others = others.map(io::hash_file).collect::<Result<_>>()?;
    // Where things lie does not change what is in them, nor does memory change who is with whom.
    let (file, out, key, checkpoint, memory) = Default::default();
    let flags = ProtectRequest { file, out, key, checkpoint, memory, ..request.clone() };
    Ok(Plan::new(input, others, format!("{flags:?}")))
}

/// The SHA-256 of the original; `None` for standard input.
fn hash_of(location: &Location) -> Result<Option<String>> {
    match location {
        Location::File(file) => io::hash_file(file).map(Some),
        Location::Folder(folder) => io::hash_folder(folder).map(Some),
        Location::Stdin => Ok(None),
    }
}

/// Protects, writes beside, checks, measures, and gives the release its name.
fn publish(
    request: &ProtectRequest,
    location: &Location,
    checkpoint: Option<&Checkpoint>,
    listener: &dyn Progress,
    begun: Instant,
) -> Result<ProtectOutcome> {
    let progress = &WithJournal { listener, checkpoint };
    let fresh = || request.seed.map_or_else(Rng::secure, |seed| Ok(Rng::seeded(seed)));
    let mut rng = checkpoint.map_or_else(fresh, |checkpoint| checkpoint.generator(fresh))?;
    let folder = staging_folder(&request.out)?;
    let key = request.key.as_deref().map(key::begin).transpose()?;
    let unfinished: Vec<&Pending> = key.iter().flat_map(|key| key.unfinished()).chain([&folder]).collect();
    if let Some(checkpoint) = checkpoint {
        checkpoint.tidy_after(&unfinished)?;
    }
    let tidied = pending::tidy_beside(&unfinished);
    let mut opened = Opened::open(location, &request.options)?;
    let kind = request.baskets.kind_of(&opened);
    let entry = catalog::method_for(kind, request.method.as_deref())?;
    let (parameters, unused) = catalog::parameters(entry.info, &request.parameters)?;
    let method = (entry.build)(kind, parameters)?;
    let mut measures = catalog::measures_for(kind, &request.measures, false)?;
    let Fit { at_once, mut skipped } = match request.memory {
        Some(limit) => fit(limit, &opened, &request.options, &method, &mut measures, progress)?,
        None => Fit::default(),
    };
    opened.limit(at_once);

    let staging = Staging { request, location, measures, folder: folder.path(), at_once, progress };
    let staged = match method {
        AnyMethod::Queries(method) => stage_queries(&staging, opened, method.as_ref(), &mut rng)?,
        AnyMethod::Baskets(method) => protect_baskets::stage(&staging, opened, method.as_ref(), &mut rng)?,
        AnyMethod::Documents(method) => protect_documents::stage(&staging, opened, method.as_ref(), &mut rng)?,
    };

    let certificate = Certificate {
        format: certificate::FORMAT,
        throng: env!("CARGO_PKG_VERSION").to_owned(),
        input: staged.input,
        output: staged.output,
        method: certificate::Method {
            name: entry.info.name.to_owned(),
            parameters: staged.parameters,
            grouping: staged.grouped,
        },
        claims: staged.claims,
        randomness: if rng.is_seeded() { "seeded" } else { "secure" }.to_owned(),
        ids: staged.ids.to_owned(),
        taxonomy: staged.taxonomy,
        sensitive_items: staged.sensitive_items,
        accounting: staged.accounting,
    };
    let MeasureOutcome { measures, skipped: without, .. } = staged.measured;
    skipped.extend(without);
    let report = Report {
        format: report::FORMAT,
        certificate: &certificate,
        exposure: serde_json::json!({
            "unique_by": report::unique_by(staged.unique_by),
            "unique_by_after": report::unique_by(staged.unique_by_after),
        }),
        groups: report::group_sizes(&staged.sizes),
        measures: &measures,
        skipped: &skipped,
        // The same seed gives the same bytes, so a seeded run says nothing of its time.
        run: (!rng.is_seeded()).then(|| report::RunFacts::since(begun)),
    };
    write_json(&folder.path().join("certificate.json"), &certificate)?;
    let report = serde_json::to_value(&report).map_err(|cause| Error::internal(cause.to_string()))?;
    let report = report::published(report, staging.context(&certificate.method.parameters).k as u64);
    write_json(&folder.path().join("report.json"), &report)?;
    write_new(&folder.path().join("report.html"), report::html(&report, false)?.as_bytes())?;

    // The key comes first, so that no release is ever without the link that was asked for.
    let mut finished = match key {
        Some(key) => {
            let input_hash = hash_of(location)?;
            key.write(&staged.names, &staged.persons, input_hash.as_deref(), &certificate.output.sha256)?
        }
        None => Vec::new(),
    };
    finished.push((folder, request.out.clone()));
    pending::publish(finished)?;
    let (unique_by, unmapped, mut notes) = (staged.unique_by, staged.unmapped, staged.notes);
    notes.extend(tidied);
    Ok(ProtectOutcome { certificate, measures, skipped, unique_by, unmapped, notes, unused })
}

/// Protects a query log, writes and checks the data, and measures them.
fn stage_queries(
    staging: &Staging<'_>,
    opened: Opened,
    method: &dyn Method<QueryLog>,
    rng: &mut Rng,
) -> Result<Staged> {
    let (request, progress) = (staging.request, staging.progress);
    let read = io::read_opened_log(opened, &request.options, progress)?;
    let mut original = read.log;
    let by_meaning = method.needs_meaning();
    let knowledge =
        if by_meaning || needs_meaning(&staging.measures) { Some(request.baskets.knowledge()?) } else { None };
    if let Some(knowledge) = &knowledge
        && (by_meaning || needs_meaning_of_all(&staging.measures, original.persons()))
    {
        let meaning = knowledge.of(&[original.queries()]).map_err(|error| staging.named(error))?.remove(0);
        original = original.with_meaning(meaning);
    }
    let protected = method.protect(&original, rng, progress).map_err(|error| staging.named(error))?;
    let release = protected.disguise(original.names(), request.keep_ids, rng)?;

    let format = request.format.unwrap_or(read.scanned.format);
    let file_name = format!("data.{format}");
    let data = staging.folder.join(&file_name);
    let persons: Vec<Person<'_>> =
        release.persons.iter().map(|person| Person { name: &person.pseudonym, person: person.record }).collect();
    let layout = release_layout(read.scanned.layout, read.scanned.format, format, &persons);
    let rows: usize = persons.iter().map(|person| release.records.range(person.person as usize).len()).sum();
    progress.stage("writing", rows as u64);
    let (rows, sha256) =
        write_data(&data, |writer| io::write_persons(writer, format, &layout, &release.records, &persons, progress))?;

    let choices: Vec<ColumnChoice> =
        layout.columns.iter().map(|(role, name)| ColumnChoice { role: *role, name: name.clone() }).collect();
    let columns = if layout.header { choices } else { Vec::new() };
    let check_options = ReadOptions {
        format: Some(format),
        columns: columns.clone(),
        at_once: staging.at_once,
        ..ReadOptions::default()
    };
    let digests = check_before_publishing(&data, &check_options, (persons.len(), rows), progress)?;
    // The release as anybody would read it, for what is checked beside the original.
    let read_back = || io::read_log(&Location::File(data.clone()), &check_options, &Checking(progress));
    let claims = check_claims(&release.claims, |model| match model {
        AnyModel::Queries(check) => Ok(check(&digests)),
        AnyModel::QueriesWithOriginal(model) => Ok(model.check(&original, &read_back()?.log)),
        AnyModel::Baskets(_) | AnyModel::Documents(_) => Err(another_kind()),
    })?;
    drop(digests);

    let sizes = release.persons_of_records(release.records.persons());
    let mut link = vec![None; original.persons()];
    for person in &release.persons {
        link[person.person as usize] = Some(person.record);
    }
    let records = release.records.with_meaning_like(&original)?;
    let pair = Pair { original: &original, release: &records, multiplicity: sizes.clone(), link: Some(link) };
    let parameters = method.parameters();
    let measured = run_on_queries(&staging.measures, &pair, knowledge.as_ref(), &staging.context(&parameters))?;
    let unique_by = uniqueness::unique_by(&original, &mut Rng::seeded(0));
    let record_of: Vec<u32> = release.persons.iter().map(|person| person.record).collect();
    let unique_by_after = uniqueness::unique_by_records(&records, &record_of, &mut Rng::seeded(0));
    Ok(Staged {
        input: Input {
            kind: Kind::Queries.name().to_owned(),
            persons: original.persons() as u64,
            rows: original.rows() as u64,
        },
        output: Output {
            kind: None,
            file: file_name,
            sha256,
            persons: persons.len() as u64,
            rows,
            columns: columns.iter().map(|choice| (choice.role.name().to_owned(), choice.name.clone())).collect(),
        },
        claims,
        parameters,
        grouped: release.grouped,
        ids: if request.keep_ids { "kept" } else { "pseudonyms" },
        taxonomy: knowledge.filter(|_| by_meaning).map(|knowledge| knowledge.record()),
        sensitive_items: None,
        accounting: Accounting {
            persons_dropped: (original.persons() - persons.len()) as u64,
            rows_dropped: release.left_out.map_or(0, |left_out| left_out.rows),
            groups_empty: release.left_out.map(|left_out| left_out.groups),
            lines_above_cap: release.lines_above_cap,
            rows_refused: read.scanned.refused,
            ..if by_meaning { unknown_phrases(&original) } else { Accounting::default() }
        },
        names: original.names().clone(),
        persons: release.persons,
        sizes,
        measured,
        unique_by,
        unique_by_after,
        unmapped: layout.unmapped,
        notes: Vec::new(),
    })
}

/// Whether one of some measures must know what strings mean.
pub(super) fn needs_meaning(measures: &[AnyMeasure]) -> bool {
    measures.iter().any(|measure| measure.info().needs.contains(&Need::Meaning))
}

/// What a taxonomy does not know of some data, and the persons of whom it knows nothing.
pub(super) fn unknown_phrases(data: &impl Texts) -> Accounting {
    let Some(meaning) = data.meaning() else { return Accounting::default() };
    let without = |person: &usize| data.strings_of(*person).iter().all(|&string| meaning.concepts(string).is_empty());
    Accounting {
        persons_without_concept: Some((0..data.persons()).filter(without).count() as u64),
        items_unknown: Some(meaning.phrases_unknown()),
        occurrences_unknown: Some(meaning.occurrences_unknown(data)),
        ..Accounting::default()
    }
}

fn refuse_existing(out: &Path) -> Result<()> {
    if out.symlink_metadata().is_ok() {
        return Err(Error::refused(format!("the release folder {} exists already", out.display()))
            .with_hint("choose another name for `--out`, or remove the folder; throng never overwrites a release"));
    }
    Ok(())
}

/// A folder beside the release's place, readable by its owner only until it is published.
fn staging_folder(out: &Path) -> Result<Pending> {
    Pending::folder(out).map_err(|cause| {
        Error::io(format!("write into the folder {}", pending::folder_of(out).display()), cause)
            .with_hint("the folder that `--out` lies in must exist and be writable")
    })
}

/// The input's columns, header and time style; in another format, what fits that format.
fn release_layout(mut layout: Layout, input: Format, output: Format, persons: &[Person<'_>]) -> Layout {
    if input.kind != output.kind {
        layout.header |= output.kind != io::FormatKind::Tsv;
        layout.typed_person &= output.kind == io::FormatKind::JsonLines || output.kind == io::FormatKind::Parquet;
    }
    if output.kind == io::FormatKind::Parquet {
        layout.typed_time |= input.kind != output.kind;
        // A column has one type: kept ids are numbers there only if all of them are.
        let is_number = |person: &Person<'_>| person.name.parse::<i64>().is_ok_and(|id| id.to_string() == person.name);
        layout.typed_person &= persons.iter().all(is_number);
    }
    layout
}

/// Writes the data file. Gives the number of rows and the SHA-256.
pub(super) fn write_data(
    path: &Path,
    write: impl FnOnce(&mut HashingWriter<BufWriter<File>>) -> Result<u64>,
) -> Result<(u64, String)> {
    let failed = |cause| Error::io("write the data", cause);
    let file = pending::new_file(path).map_err(failed)?;
    let mut writer = HashingWriter::new(BufWriter::with_capacity(1 << 20, file));
    let rows = write(&mut writer)?;
    let (writer, hash) = writer.finish();
    let file: File = writer.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all().map_err(failed)?;
    Ok((rows, hash))
}

fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<()> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|cause| Error::internal(cause.to_string()))?;
    text.push(b'\n');
    write_new(path, &text)
}

fn write_new(path: &Path, text: &[u8]) -> Result<()> {
    let failed = |cause| Error::io(format!("write {}", path.file_name().unwrap_or_default().display()), cause);
    let mut file = pending::new_file(path).map_err(failed)?;
    file.write_all(text).and_then(|()| file.sync_all()).map_err(failed)
}
