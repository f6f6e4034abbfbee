//! `throng protect`: read, protect, write beside, check the very bytes, measure, publish whole or not at all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throng_core::accounts::{Accounts, PERSONS_DROPPED, ROWS_REFUSED};
use throng_core::data::Strings;
use throng_core::measures::risk::uniqueness;
use throng_core::measures::{Context, Measure, Measured, Pair};
use throng_core::methods::Method;
use throng_core::progress::Progress;
use throng_core::release::{Published, Release};
use throng_core::{Error, Result, Rng};

use super::USUAL_K;
use super::certified::Certified;
use super::judged::{Judges, MeasureOutcome, Skipped, wants};
use super::requests::typed_parameters;
use super::written::{check_written, refuse_barred, write_data, write_new};
use crate::catalog;
use crate::certificate::{self, Certificate, ClaimRecord, Input, Output};
use crate::checkpoint::{Checkpoint, Plan, WithJournal};
use crate::inputs::Inputs;
use crate::io::{self, Format, Location, Opened, Person};
use crate::key;
use crate::kinds::{self, Ask, Kinded, Purpose, Read, TaxonomyRecord, Wants, Written};
use crate::memory::Fit;
use crate::parameters::refuse_unheeded;
use crate::pending::{self, Pending};
use crate::release_folder;
use crate::report::{self, Report};

/// What to protect, and how.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProtectRequest {
    /// The original: files or folders of documents, which are one data set, or `-`.
    pub file: Inputs,
    /// The release folder, which must not exist, or only as a release that may be replaced. `{date}` is today's.
    pub out: PathBuf,
    /// Whether a release that is there is replaced, once the new one is whole.
    pub overwrite: bool,
    /// The method; the kind's default when not given.
    pub method: Option<String>,
    /// Parameters of the method as typed.
    #[serde(with = "typed_parameters")]
    pub parameters: Vec<(String, String)>,
    /// The seed; secure randomness when not given.
    pub seed: Option<u64>,
    /// Whether to publish the original ids.
    pub keep_ids: bool,
    /// Where to write the link between persons and pseudonyms.
    pub key: Option<PathBuf>,
    /// The format of the release; the input's when not given.
    pub format: Option<Format>,
    /// Whether cells of CSV that a spreadsheet would take for formulas are published as they are.
    pub raw_cells: bool,
    /// The measures; all that are not costly when empty.
    pub measures: Vec<String>,
    /// What the data set is called, for the report.
    pub title: Option<String>,
    /// The day that the report names, as `YYYY-MM-DD`; today when not given, none of a seeded run.
    pub date: Option<String>,
    /// How to read and understand the original.
    pub ask: Ask,
    /// How many bytes of memory the run may take.
    pub memory: Option<u64>,
    /// The folder in which work is kept, so that the same request goes on after it was killed.
    pub checkpoint: Option<PathBuf>,
}

/// What was published.
#[derive(Debug)]
pub struct ProtectOutcome {
    /// The release folder.
    pub release: PathBuf,
    /// The key, if one was asked for.
    pub key: Option<PathBuf>,
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
pub struct Staged {
    method: certificate::Method,
    input: Input,
    output: Output,
    claims: Vec<ClaimRecord>,
    ids: &'static str,
    taxonomy: Option<TaxonomyRecord>,
    sensitive_items: Option<u64>,
    accounts: Accounts,
    /// The persons of the original, and who became whom, for the key.
    names: Strings,
    persons: Vec<Published>,
    /// The group of each of those, and how many persons each group has.
    group_of: Vec<u32>,
    sizes: Vec<u32>,
    measured: MeasureOutcome,
    example: Value,
    unique_by: [f64; 3],
    unique_by_after: [f64; 3],
    unmapped: Vec<String>,
    notes: Vec<String>,
    unused: Vec<String>,
}

/// What every kind of data needs for being staged.
pub struct Staging<'a> {
    request: &'a ProtectRequest,
    location: &'a Location,
    folder: &'a Path,
    progress: &'a dyn Progress,
}

impl Staging<'_> {
    fn named(&self, error: Error) -> Error {
        named_in(self.location, error)
    }
}

/// Says which file the data are at fault in.
pub(super) fn named_in(location: &Location, error: Error) -> Error {
    if error.is_data() && error.place().is_none_or(|place| place.file.is_empty()) {
        error.in_file(location.to_string())
    } else {
        error
    }
}

/// The k below which nothing is shown.
pub(super) fn k_of(parameters: &Map<String, Value>) -> usize {
    parameters.get("k").and_then(Value::as_u64).map_or(USUAL_K, |k| k as usize)
}

/// Protects a file and publishes the release.
pub fn protect(request: &ProtectRequest, progress: &dyn Progress) -> Result<ProtectOutcome> {
    let begun = Instant::now();
    let request = &request.dated();
    let location = ready(request)?;
    let checkpoint = match &request.checkpoint {
        Some(folder) => {
            progress.stage("comparing hashes", 0);
            Some(Checkpoint::open(folder, &plan(request, &location)?)?)
        }
        None => None,
    };
    let begun_before = checkpoint.as_ref().map_or(0, Checkpoint::pieces);
    let published = publish(request, &location, checkpoint.as_ref(), progress, begun);
    match checkpoint {
        // A run that was stopped goes on later; one that was refused before it did anything leaves nothing.
        Some(checkpoint) if published.as_ref().map_or_else(|error| is_over(error, &checkpoint), |_| true) => {
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

impl ProtectRequest {
    /// The same with today's date in the names of what is made.
    pub(crate) fn dated(&self) -> Self {
        let key = self.key.as_deref().map(pending::dated);
        Self { out: pending::dated(&self.out), key, ..self.clone() }
    }
}

/// Where the original is. Everything that can be refused is refused here, before a large file is read.
pub(crate) fn ready(request: &ProtectRequest) -> Result<Location> {
    let paths = request.file.paths()?;
    let location = Certified::open(&paths, &request.ask)?.location;
    if let Some(name) = &request.method {
        let item = catalog::item(catalog::Role::Method, name)?;
        kinds::named(item.kinds[0])?.check_parameters(catalog::Role::Method, name, &request.parameters)?;
    }
    request.date.as_deref().map(report::check_date).transpose()?;
    pending::refuse_stdout(&request.out)?;
    if request.overwrite && request.out.symlink_metadata().is_ok() {
        pending::refuse_replacing_input(&request.out, &paths)?;
        release_folder::refuse_foreign(&request.out)?;
    } else {
        refuse_existing(&request.out)?;
    }
    let others = [("key file", &request.key), ("checkpoint", &request.checkpoint)];
    let others = others.into_iter().filter_map(|(what, place)| Some((what, place.as_ref()?)));
    for (what, place) in others.chain([("release folder", &request.out)]) {
        pending::refuse_inside(place, what, &paths)?;
    }
    if let Some(key) = &request.key {
        key::check_place(key, &request.out)?;
    }
    if let Some(folder) = &request.checkpoint {
        Checkpoint::check_place(folder, &request.out)?;
    }
    Ok(location)
}

/// Whether a run that failed leaves nothing to go on from.
fn is_over(error: &Error, checkpoint: &Checkpoint) -> bool {
    !error.is_stopped() && checkpoint.pieces() == 0
}

/// What a run with a checkpoint is about: whatever its result depends on.
fn plan(request: &ProtectRequest, location: &Location) -> Result<Plan> {
    let Some(input) = io::hash_of(location)? else {
        return Err(Error::refused("a checkpoint needs a file, not standard input")
            .with_hint("the run may be killed, and goes on by reading the file again"));
    };
    let others = request.ask.files().map(io::hash_file).collect::<Result<_>>()?;
    // Where things lie does not change what is in them, nor does memory change who is with whom.
    let (file, out, overwrite, key, checkpoint, memory) = Default::default();
    let flags = ProtectRequest { file, out, overwrite, key, checkpoint, memory, ..request.clone() };
    let flags = serde_json::to_value(&flags).map_err(|cause| Error::internal(cause.to_string()))?;
    Ok(Plan::new(input, others, flags))
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
    let (kind, opened) = kinds::open(location, &request.ask)?;
    let staging = Staging { request, location, folder: folder.path(), progress };
    let staged = kind.stage(&staging, opened, &mut rng)?;

    let mut certificate = Certificate {
        format: certificate::FORMAT,
        throng: env!("CARGO_PKG_VERSION").to_owned(),
        input: staged.input,
        output: staged.output,
        method: staged.method,
        claims: staged.claims,
        randomness: if rng.is_seeded() { "seeded" } else { "secure" }.to_owned(),
        ids: staged.ids.to_owned(),
        taxonomy: staged.taxonomy,
        sensitive_items: staged.sensitive_items,
        accounting: staged.accounts,
        report_sha256: None,
    };
    let MeasureOutcome { measures, skipped, .. } = staged.measured;
    // The same seed gives the same bytes on any day.
    let date = request.date.clone().or_else(|| (!rng.is_seeded()).then(report::today));
    let report = Report {
        format: report::FORMAT,
        title: request.title.as_deref(),
        date: date.as_deref(),
        certificate: &certificate,
        exposure: serde_json::json!({
            "unique_by": report::unique_by(staged.unique_by),
            "unique_by_after": report::unique_by(staged.unique_by_after),
        }),
        example: staged.example,
        groups: report::group_sizes(&staged.sizes),
        measures: &measures,
        skipped: &skipped,
        // The same seed gives the same bytes, so a seeded run says nothing of its time.
        run: (!rng.is_seeded()).then(|| report::RunFacts::since(begun)),
    };
    let report = serde_json::to_value(&report).map_err(|cause| Error::internal(cause.to_string()))?;
    let report = report::published(report, k_of(&certificate.method.parameters) as u64);
    let text = certificate::json_text(&report)?;
    certificate.report_sha256 = Some(io::hash_bytes(&text));
    write_new(&folder.path().join("report.json"), &text)?;
    write_new(&folder.path().join("report.html"), report::html(&report, false)?.as_bytes())?;
    write_new(&Certificate::place(folder.path()), &certificate.text()?)?;

    // The key comes first, so that no release is ever without the link that was asked for.
    let mut finished = match key {
        Some(key) => {
            let input_hash = io::hash_of(location)?;
            key.write(
                &staged.names,
                &staged.persons,
                &staged.group_of,
                input_hash.as_deref(),
                &certificate.output.sha256,
            )?
        }
        None => Vec::new(),
    };
    finished.push((folder, request.out.clone()));
    progress.go_on()?;
    if request.overwrite && request.out.symlink_metadata().is_ok() {
        // It may have changed since the run began.
        release_folder::refuse_foreign(&request.out)?;
        pending::publish_over(finished, &request.out)?;
    } else {
        pending::publish(finished)?;
    }
    let (unique_by, unmapped, mut notes, unused) = (staged.unique_by, staged.unmapped, staged.notes, staged.unused);
    notes.extend(tidied);
    let (release, key) = (request.out.clone(), request.key.clone());
    Ok(ProtectOutcome { release, key, certificate, measures, skipped, unique_by, unmapped, notes, unused })
}

/// What is asked of data of a kind.
pub(super) struct Asked<D: Kinded> {
    /// The name of the method.
    pub(super) name: &'static str,
    pub(super) method: Box<dyn Method<D>>,
    pub(super) measures: Vec<&'static dyn Measure<D>>,
    /// Parameters that the method does not use.
    pub(super) unused: Vec<String>,
}

/// What is asked of data of a kind; whatever cannot be heeded is refused.
pub(super) fn asked<D: Kinded>(request: &ProtectRequest, input: Format) -> Result<Asked<D>> {
    let entry = D::SHELF.method(request.method.as_deref())?;
    let (method, unused) = entry.with(&request.parameters)?;
    refuse_unheeded(entry.info, &unused)?;
    if request.ask.sensitive.is_some() && !D::CARD.has_sensitive {
        return Err(Error::parameter("sensitive", format!("names items, which {} do not have", D::CARD.name))
            .with_hint("leave it out: no method for this kind of data heeds it"));
    }
    let measures = D::SHELF.measures(&request.measures, false)?;
    D::check_format(input, request.format)?;
    Ok(Asked { name: entry.info.name, method, measures, unused })
}

/// Protects data of a kind, writes and checks them, and measures what became of them.
pub(crate) fn stage<D: Kinded>(staging: &Staging<'_>, mut opened: Opened, rng: &mut Rng) -> Result<Staged> {
    let Staging { request, folder, progress, .. } = *staging;
    let Asked { name, method, mut measures, unused } = asked::<D>(request, opened.format)?;
    let Fit { at_once, skipped } = match request.memory {
        Some(limit) => {
            progress.stage("judging the size", 0);
            D::fit(limit, &opened, &request.ask, method.as_ref(), &mut measures)?
        }
        None => Fit::default(),
    };
    opened.limit(at_once);
    let dialect = opened.dialect();

    let Read { data, about } = D::read(opened, &request.ask, Purpose::Original, progress)?;
    kinds::refuse_one_row_each(&data, &about, &request.ask).map_err(|error| staging.named(error))?;
    let wants = Wants { by_meaning: method.needs_meaning(), ..wants(&measures, data.persons(), true) };
    let mut notes = about.notes.clone();
    notes.extend(about.barred.notes.iter().cloned());
    notes.extend(about.oddities(&data));
    let ready = D::understand(vec![data], &about, &request.ask, wants).map_err(|error| staging.named(error))?;
    ready.refuse_nothing_known().map_err(|error| staging.named(error))?;
    let (original, ready) = ready.only()?;
    let protected = method.protect(&original, rng, progress);
    // What a stopped method gives, good or bad, is nothing.
    progress.go_on()?;
    let mut protected = protected.map_err(|error| staging.named(error))?;
    let (format, layout) = D::release_layout(&about, request.format, &protected.records)?;
    if !dialect.is_empty() {
        let separated = if format.is_unusual() { format!("{}, ", format.delimiter.in_words()) } else { String::new() };
        notes.push(format!("the file is {dialect}; the release is {separated}UTF-8"));
    }
    let layout = D::with_raw_cells(layout, request.raw_cells);
    protected.records = D::laid_out(protected.records, &layout);
    let release = protected.disguise(original.names(), request.keep_ids, rng)?;
    let is_number =
        |person: &Published| person.pseudonym.parse::<i64>().is_ok_and(|id| id.to_string() == person.pseudonym);
    let layout = D::with_ids(layout, format, release.persons.iter().all(is_number));

    let file_name = format!("data.{format}");
    let path = folder.join(&file_name);
    progress.stage("writing", 0);
    let (rows, sha256) = {
        let persons: Vec<Person<'_>> =
            release.persons.iter().map(|person| Person { name: &person.pseudonym, person: person.record }).collect();
        write_data(&path, |writer| D::write(writer, format, &layout, &release.records, &persons, progress))?
    };
    let written = Written { path: &path, format, layout: &layout, release: &release, rows, at_once };
    let claims = check_written(&written, &original, progress)?;
    if let Some(list) = request.ask.drop_list()? {
        refuse_barred(&written, &list, progress)?;
    }

    let sizes_of_records = release.persons_of_records(release.records.persons());
    let (group_of, sizes) = groups(&release, &sizes_of_records);
    let mut link = vec![None; original.persons()];
    for person in &release.persons {
        link[person.person as usize] = Some(person.record);
    }
    let mut accounts = release.accounts.clone().and(ready.accounts).and(about.barred.accounts());
    D::account(&original, &release, rows, &mut accounts);
    let read_persons = original.persons() as u64 + about.barred.persons;
    let dropped = read_persons - release.persons.len() as u64;
    let accounts = accounts.with(PERSONS_DROPPED, dropped).with(ROWS_REFUSED, about.refused).complete();
    notes.extend(D::remark(&release));
    let has_ids = release.records.has_ids();
    let record_of: Vec<u32> = release.persons.iter().map(|person| person.record).collect();
    let Release { records, persons, grouped, .. } = release;
    let records = D::understand_records(records, &original)?;
    let example = report::example(&original, &records, &sizes_of_records, k_of(&method.parameters()));
    let pair = Pair { original: &original, release: &records, multiplicity: sizes_of_records, link: Some(link) };
    let parameters = method.parameters();
    // A report may be published: it never shows values that fewer than k persons share, whatever was asked for.
    let k = k_of(&parameters);
    let context = Context { k, shared_by: k, show_values: false, seed: 0, progress };
    let judges = Judges::new(&measures, &original, true, ready.knowledge.as_ref(), context.seed);
    let mut measured = judges.run(&pair, &context)?;
    measured.skipped.splice(0..0, skipped);
    notes.extend(ready.notes);
    let times = D::time_form(&layout);
    Ok(Staged {
        method: certificate::Method { name: name.to_owned(), parameters, grouping: grouped },
        input: Input {
            kind: about.file_kind.to_owned(),
            persons: read_persons,
            rows: about.rows,
            time_format: request.ask.time_format.clone(),
        },
        output: Output {
            kind: (about.file_kind != D::CARD.name).then(|| D::CARD.name.to_owned()),
            file: file_name,
            sha256,
            persons: persons.len() as u64,
            rows,
            columns: kinds::column_map::<D>(&layout),
            delimiter: format.separator().filter(|_| format.is_unusual()),
            header: (!D::has_header(&layout)).then_some(false),
            time_format: times.format,
            time_zone: times.zone,
        },
        claims,
        ids: match (has_ids, request.keep_ids) {
            (false, _) => "none",
            (true, false) => "pseudonyms",
            (true, true) => "kept",
        },
        taxonomy: ready.taxonomy,
        sensitive_items: ready.sensitive_items,
        accounts,
        names: original.names().clone(),
        persons,
        group_of,
        sizes,
        measured,
        example,
        unique_by: uniqueness::unique_by(&original, &mut Rng::seeded(0)),
        unique_by_after: uniqueness::unique_by_records(&records, &record_of, &mut Rng::seeded(0)),
        unmapped: about.unmapped,
        notes,
        unused,
    })
}

/// The group of each person of a release, and how many persons each group has. A record is a group, unless groups are
/// published: those have the numbers that they have in the file, in the order of their first persons.
fn groups<D: Kinded>(release: &Release<D>, persons_of_records: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let record_of = release.persons.iter().map(|person| person.record);
    let Some(published) = release.records.group_of_records() else {
        return (record_of.collect(), persons_of_records.to_vec());
    };
    let (mut numbers, mut sizes) = (BTreeMap::new(), Vec::new());
    let number = |record: u32| {
        let next = numbers.len() as u32;
        let group = *numbers.entry(published[record as usize]).or_insert(next);
        sizes.resize(numbers.len(), 0);
        sizes[group as usize] += 1;
        group
    };
    (record_of.map(number).collect(), sizes)
}

fn refuse_existing(out: &Path) -> Result<()> {
    if out.symlink_metadata().is_ok() {
        return Err(Error::refused(format!("the release folder {} exists already", out.display())).with_hint(
            "choose another name for `--out`, perhaps with `{date}` in it, or replace the release with `--overwrite`",
        ));
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
