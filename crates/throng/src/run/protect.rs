//! `throng protect`: read, protect, write beside, check the very bytes, measure, publish whole or not at all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throng_core::accounts::{
    ACCOUNTS_ALIKE, Accounts, IDENTIFIERS_LEFT_OUT, ITEMS_GENERALISED, PERSONS_DROPPED, PERSONS_HELD_OUT,
    PERSONS_NOT_SAMPLED, ROWS_REFUSED,
};
use throng_core::attacks::Promise;
use throng_core::data::{FactSort, Strings};
use throng_core::measures::risk::uniqueness;
use throng_core::measures::{Context, Measure, Measured, Pair};
use throng_core::methods::Method;
use throng_core::models::content_threshold::ACCOUNTS;
use throng_core::models::on_classes::{Asks, Demand};
use throng_core::models::personal_k_anonymity::K_COLUMN;
use throng_core::progress::Progress;
use throng_core::release::{Claim, Optimised, Published, Release, Search};
use throng_core::secret::Secret;
use throng_core::{Error, Result, Rng};

use super::USUAL_K;
use super::attack;
use super::attacked::{self, Attacked};
use super::certified::Certified;
use super::check::{as_said_of_model, on_request, refuse_unknown_parameters, said_model};
use super::judged::{self, Judges, MeasureOutcome, Skipped, wants};
use super::linked::Linked;
use super::policy as policy_of;
use super::recorded::{self, LedgerRequest, Recorded, Recording, SignRequest};
use super::requests::typed_parameters;
use super::written::{
    Sink, check_written, refuse_barred, refuse_barred_names, seen_by_policy, write_also, write_data, write_new,
};
use crate::catalog::{self, Judge};
use crate::certificate::{self, Certificate, ClaimRecord, Input, Output};
use crate::checkpoint::{Checkpoint, Plan, WithJournal};
use crate::content::{self, ContentAsk, FinderRecord, Scrubbing, Scrubs};
use crate::held_release::{HELD_FORMAT, HeldRelease};
use crate::inputs::Inputs;
use crate::io::{self, Format, Location, Opened, Person};
use crate::key::{self, NOISE_FILE, TOKEN_KEY};
use crate::kinds::{
    self, Ask, ColumnChoice, Kinded, Purpose, Read, SettledBy, TableRecord, TaxonomyRecord, Wants, Written,
};
use crate::ledger::{SamePeople, Says};
use crate::memory::Fit;
use crate::parameters::refuse_unheeded;
use crate::pending::{self, Pending};
use crate::policy::{Circumstances, Judgement, Known, Policy, Seen};
use crate::release_folder;
use crate::report::{self, Report};
use crate::signature::{self, SecretKey};
use crate::words::{counted, thousands};

/// What to protect, and how.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProtectRequest {
    /// The original: files or folders of documents, which are one data set, or `-`.
    pub file: Inputs,
    /// The release folder, which must not exist, or only as a release that may be replaced. `{date}` is today's.
    pub out: PathBuf,
    /// Whether the release is handed out in memory instead, as record batches; there is no folder then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_memory: bool,
    /// Whether the link between persons and pseudonyms is handed out with a release in memory.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub with_key: bool,
    /// Whether a release that is there is replaced, once the new one is whole.
    pub overwrite: bool,
    /// The method; the kind's default when not given.
    pub method: Option<String>,
    /// Parameters of the method as typed.
    #[serde(with = "typed_parameters")]
    pub parameters: Vec<(String, String)>,
    /// Models that the release must satisfy beside what the method promises, with their parameters: `l-diversity:l=3`.
    pub models: Vec<String>,
    /// The seed; secure randomness when not given.
    pub seed: Option<u64>,
    /// Whether to publish the original ids.
    pub keep_ids: bool,
    /// Where to write the link between persons and pseudonyms.
    pub key: Option<PathBuf>,
    /// Where to write the key of hashed words, for a method that has one.
    pub token_key: Option<PathBuf>,
    /// Where to write the parameters of noise, for a method that adds some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_file: Option<PathBuf>,
    /// The format of the release; the input's when not given.
    pub format: Option<Format>,
    /// Whether cells of CSV that a spreadsheet would take for formulas are published as they are.
    pub raw_cells: bool,
    /// What becomes of identifying content.
    pub content: ContentAsk,
    /// The measures; all that are not costly when empty.
    pub measures: Vec<String>,
    /// Whether the attacks of every report are left out.
    pub no_attacks: bool,
    /// What the data set is called, for the report.
    pub title: Option<String>,
    /// The day that the report names, as `YYYY-MM-DD`; today when not given, none of a seeded run.
    pub date: Option<String>,
    /// How to read and understand the original.
    pub ask: Ask,
    /// The ledger that it is written into.
    pub ledger: Option<LedgerRequest>,
    /// Earlier releases of that ledger, for a policy that asks what they say.
    pub earlier: Vec<PathBuf>,
    /// Who signs its certificate.
    pub sign: Option<SignRequest>,
    /// How many persons are drawn first; nobody else is protected: a share below 1, or at most so many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<f64>,
    /// An earlier release of the same persons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<PathBuf>,
    /// Its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_key: Option<PathBuf>,
    /// How many persons are held out before anything else, so that attacks can be tried on people who took no part: a share below 1, or
    /// so many. The key lists them.
    pub held_out_persons: Option<f64>,
    /// How many bytes of memory the run may take.
    pub memory: Option<u64>,
    /// The folder in which work is kept, so that the same request goes on after it was killed.
    pub checkpoint: Option<PathBuf>,
}

/// What was published.
#[derive(Debug)]
pub struct ProtectOutcome {
    /// The release folder; none of a release in memory.
    pub release: PathBuf,
    /// The release in memory, if that was asked for.
    pub held: Option<HeldRelease>,
    /// The key, if one was asked for.
    pub key: Option<PathBuf>,
    /// The key of hashed words, if one was asked for.
    pub token_key: Option<PathBuf>,
    /// The parameters of noise, if they were asked for.
    pub noise_file: Option<PathBuf>,
    /// The certificate.
    pub certificate: Certificate,
    /// What a policy says of it, if one was given.
    pub policy: Option<Judgement>,
    /// The line in the ledger, if there is one.
    pub ledger: Option<Recorded>,
    /// The id of the key that signed the certificate, if one did.
    pub signed_by: Option<String>,
    /// Every number that was measured.
    pub measures: Vec<Measured>,
    /// What was not measured, and why.
    pub skipped: Vec<Skipped>,
    /// What somebody who knows a little achieves.
    pub attacks: Vec<Attacked>,
    /// The share of persons singled out by 1, 2, 3 facts of each sort before.
    pub singled_out: Vec<SingledOutBefore>,
    /// Columns of the input that are not in the release.
    pub unmapped: Vec<String>,
    /// What the user should know beside it.
    pub notes: Vec<String>,
    /// Parameters that the method does not use.
    pub unused: Vec<String>,
}

/// How many persons of an original are found by somebody who knows facts of one sort.
#[derive(Debug, Clone, PartialEq)]
pub struct SingledOutBefore {
    /// The sort.
    pub sort: &'static FactSort,
    /// The share of persons whom 1, 2, 3 of them single out.
    pub alone: [f64; 3],
}

impl SingledOutBefore {
    /// Of each sort, in their order; of one that the data do not have too, where nobody is found by it.
    pub(crate) fn of<D: Kinded>(data: &D, seed: u64) -> Vec<Self> {
        let of_sort = |(number, sort): (usize, &'static FactSort)| {
            let found = uniqueness::exposure(&data.facts(number), data.persons(), 2, &mut Rng::seeded(seed));
            Self { sort, alone: found.alone }
        };
        D::FACTS.iter().enumerate().map(of_sort).collect()
    }
}

/// What is in the folder of a release before it gets its papers.
pub struct Staged {
    /// Where the data are.
    data: Location,
    method: certificate::Method,
    input: Input,
    output: Output,
    claims: Vec<ClaimRecord>,
    ids: &'static str,
    text: Option<&'static str>,
    taxonomy: Option<TaxonomyRecord>,
    table: Option<TableRecord>,
    search: Option<Search>,
    optimised: Option<Optimised>,
    sensitive_items: Option<u64>,
    accounts: Accounts,
    content: Vec<FinderRecord>,
    /// The policy, and what was found of it in the data.
    policy: Option<(Policy, Seen)>,
    /// Finders and what they did, for the values of the report.
    scrubbed: Option<(Scrubbing, Scrubs)>,
    /// The persons of the original, and who became whom, for the key.
    names: Strings,
    persons: Vec<Published>,
    /// The key that the method drew.
    secret: Option<Secret>,
    /// The parameters of the noise that it added.
    noise: Option<Vec<u8>>,
    held_out: Vec<String>,
    /// Everybody who was drawn, held out or not, where only a sample was.
    sampled: Option<Vec<String>>,
    /// The group of each of those, and how many persons each group has.
    group_of: Vec<u32>,
    /// Whether the release itself has a name for each group.
    groups_are_published: bool,
    sizes: Vec<u32>,
    measured: MeasureOutcome,
    attacks: Vec<Attacked>,
    example: Value,
    /// What maps show.
    maps: Value,
    /// What a masked network looks like.
    network: Value,
    singled_out: Vec<SingledOutBefore>,
    /// The same in the release.
    singled_out_after: Vec<[f64; 3]>,
    unmapped: Vec<String>,
    notes: Vec<String>,
    unused: Vec<String>,
}

/// What every kind of data needs for being staged.
pub struct Staging<'a> {
    request: &'a ProtectRequest,
    location: &'a Location,
    /// The folder; nothing if the release stays in memory.
    folder: Option<&'a Path>,
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
pub(crate) fn k_of(parameters: &Map<String, Value>) -> usize {
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
    let signer = request.sign.as_ref().map(SignRequest::open).transpose()?;
    let begun_before = checkpoint.as_ref().map_or(0, Checkpoint::pieces);
    let published = publish(request, &location, checkpoint.as_ref(), signer.as_ref(), progress, begun);
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
        let [key, token_key, noise_file] =
            [&self.key, &self.token_key, &self.noise_file].map(|place| place.as_deref().map(pending::dated));
        Self { out: pending::dated(&self.out), key, token_key, noise_file, ..self.clone() }
    }
}

/// Where the original is. Everything that can be refused is refused here, before a large file is read.
pub(crate) fn ready(request: &ProtectRequest) -> Result<Location> {
    let paths = request.file.paths()?;
    let location = Certified::open(&request.file, &request.ask)?.location;
    if let Some(name) = &request.method {
        let item = catalog::item(catalog::Role::Method, name)?;
        kinds::named(item.kinds[0])?.check_parameters(catalog::Role::Method, name, &request.parameters)?;
    }
    request.date.as_deref().map(report::check_date).transpose()?;
    request.held_out_persons.map(|share| refuse_held_out(share, request.key.is_some())).transpose()?;
    request.sample.map(|share| check_share("sample", share)).transpose()?;
    refuse_half_other(request)?;
    if request.in_memory {
        refuse_in_memory(request)?;
        request.ask.policy()?;
        return Ok(location);
    }
    if request.with_key {
        return Err(Error::parameter("with-key", "is for a release in memory")
            .with_hint("`key` names the file that the link is written to"));
    }
    pending::refuse_stdout(&request.out)?;
    if request.overwrite && request.out.symlink_metadata().is_ok() {
        pending::refuse_replacing_input(&request.out, &paths)?;
        release_folder::refuse_foreign(&request.out)?;
    } else {
        refuse_existing(&request.out)?;
    }
    let secrets = [(TOKEN_KEY, &request.token_key), (NOISE_FILE, &request.noise_file)];
    let others = [("key file", &request.key), ("checkpoint", &request.checkpoint)];
    let others = others.into_iter().chain(secrets.map(|(secret, place)| (secret.name, place)));
    let others = others.filter_map(|(what, place)| Some((what, place.as_ref()?)));
    for (what, place) in others.chain([("release folder", &request.out)]) {
        pending::refuse_inside(place, what, &paths)?;
    }
    if let Some(key) = &request.key {
        key::check_place(key, &request.out)?;
    }
    for (secret, place) in secrets {
        if let Some(place) = place {
            secret.check_place(place, &request.out, request.key.as_deref())?;
        }
    }
    if let (Some(token_key), Some(noise_file)) = (&request.token_key, &request.noise_file)
        && token_key == noise_file
    {
        return Err(Error::parameter("noise-file", "is the place of the token key, too"));
    }
    if let Some(folder) = &request.checkpoint {
        Checkpoint::check_place(folder, &request.out)?;
    }
    request.ask.policy()?;
    if !request.earlier.is_empty() && (request.ledger.is_none() || request.ask.policy.is_none()) {
        return Err(Error::parameter("earlier", "means nothing without a policy and a ledger")
            .with_hint("it shows a policy what an earlier release of the ledger says: `--policy FILE --ledger FILE`"));
    }
    if let Some(ledger) = &request.ledger {
        pending::refuse_inside(&ledger.file, "ledger", &paths)?;
        recorded::check_record(ledger, &request.out, request.key.as_deref())?;
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
    let others = request.ask.files().map(|path| io::hash_file(&path)).collect::<Result<_>>()?;
    // Where things lie does not change what is in them, nor does memory change who is with whom.
    let (file, out, overwrite, key, token_key, noise_file, checkpoint, memory) = Default::default();
    // A line and a signature come after all work is done, and so does what another release gives away.
    let (ledger, earlier, sign, other, other_key) = Default::default();
    let flags = ProtectRequest {
        file,
        out,
        overwrite,
        key,
        token_key,
        noise_file,
        checkpoint,
        memory,
        ledger,
        earlier,
        sign,
        other,
        other_key,
        ..request.clone()
    };
    let flags = serde_json::to_value(&flags).map_err(|cause| Error::internal(cause.to_string()))?;
    Ok(Plan::new(input, others, flags))
}

/// Protects, writes beside, checks, measures, and gives the release its name.
fn publish(
    request: &ProtectRequest,
    location: &Location,
    checkpoint: Option<&Checkpoint>,
    signer: Option<&SecretKey>,
    listener: &dyn Progress,
    begun: Instant,
) -> Result<ProtectOutcome> {
    let progress = &WithJournal { listener, checkpoint };
    let fresh = || request.seed.map_or_else(Rng::secure, |seed| Ok(Rng::seeded(seed)));
    let mut rng = checkpoint.map_or_else(fresh, |checkpoint| checkpoint.generator(fresh))?;
    // Before hidden folders are tidied away: what is in them says how far a run came.
    let settled = request.ledger.as_ref().map(recorded::settle).transpose()?.flatten();
    let folder = if request.in_memory { None } else { Some(staging_folder(&request.out)?) };
    let key = request.key.as_deref().map(key::begin).transpose()?;
    let token_key = request.token_key.as_deref().map(|place| TOKEN_KEY.begin(place)).transpose()?;
    let noise_file = request.noise_file.as_deref().map(|place| NOISE_FILE.begin(place)).transpose()?;
    let unfinished: Vec<&Pending> = (key.iter().flat_map(|key| key.unfinished()))
        .chain(token_key.iter().chain(&noise_file).map(|secret| secret.unfinished()))
        .chain(&folder)
        .collect();
    if let Some(checkpoint) = checkpoint {
        checkpoint.tidy_after(&unfinished)?;
    }
    let tidied = pending::tidy_beside(&unfinished);
    let (kind, opened) = kinds::open(location, &request.ask)?;
    let staging = Staging { request, location, folder: folder.as_ref().map(Pending::path), progress };
    let staged = kind.stage(&staging, opened, &mut rng)?;
    let matcher = request.ask.matcher(kind.card().name)?;

    let ids = || staged.persons.iter().map(|person| staged.names.get(person.person));
    let has_ids = staged.ids != "none";
    let recording = request.ledger.as_ref().map(|ledger| Recording::begin(ledger, has_ids.then(ids))).transpose()?;
    let mut certificate = Certificate {
        format: certificate::FORMAT,
        throng: env!("CARGO_PKG_VERSION").to_owned(),
        engine: None,
        input: staged.input,
        output: staged.output,
        method: staged.method,
        promise: staged.claims.is_empty().then(|| certificate::PROMISES_NOTHING.to_owned()),
        claims: staged.claims,
        randomness: if rng.is_seeded() { "seeded" } else { "secure" }.to_owned(),
        ids: staged.ids.to_owned(),
        text: staged.text.map(str::to_owned),
        taxonomy: staged.taxonomy,
        table: staged.table,
        search: staged.search,
        noise: staged.optimised,
        sensitive_items: staged.sensitive_items,
        accounting: staged.accounts,
        content: staged.content,
        policy: None,
        ledger: recording.as_ref().map(Recording::place),
        report_sha256: None,
    };
    let MeasureOutcome { measures, skipped, .. } = staged.measured;
    // The same seed gives the same bytes on any day.
    let date = request.date.clone().or_else(|| (!rng.is_seeded()).then(report::today));
    let run = (!rng.is_seeded()).then(|| report::RunFacts::since(begun));
    let groups = report::group_sizes(&staged.sizes);
    // The same seed gives the same bytes, so a seeded run says nothing of its time.
    let report = |certificate: &Certificate| -> Result<Value> {
        let report = Report {
            format: report::FORMAT,
            title: request.title.as_deref(),
            date: date.as_deref(),
            certificate,
            exposure: report::exposure(&staged.singled_out, &staged.singled_out_after),
            example: staged.example.clone(),
            groups: groups.clone(),
            measures: &measures,
            attacks: &staged.attacks,
            maps: staged.maps.clone(),
            network: staged.network.clone(),
            skipped: &skipped,
            run: run.clone(),
        };
        let mut report = serde_json::to_value(&report).map_err(|cause| Error::internal(cause.to_string()))?;
        if let Some((scrubbing, scrubs)) = &staged.scrubbed {
            scrubbing.clean(scrubs, &mut report);
        }
        // What a release may not mention, its report does not say of the original either.
        if let Some(matcher) = &matcher {
            content::clean(&mut report, &mut |text| matcher.forbids(text).then_some(Value::Null));
        }
        Ok(report::published(report, k_of(&certificate.method.parameters) as u64))
    };
    // A policy judges the report as it will be published, and then stands in it.
    let policy = match &staged.policy {
        Some((policy, seen)) => {
            let signed = match signer {
                Some(_) => Known::Yes,
                None => Known::No("nobody signs it: `--sign FILE`".to_owned()),
            };
            let ledgered = recording
                .as_ref()
                .map(|recording| policy_of::ledgered(policy, recording, request, progress))
                .transpose()?;
            let published = report(&certificate)?;
            let beside = Circumstances {
                certificate: Some(&certificate),
                attacks: Ok(&published["attacks"]),
                signed,
                ledger: ledgered.as_ref(),
            };
            let judgement = policy.judge(seen, &beside)?;
            if !judgement.allows() {
                let file = request.ask.policy.as_ref().map(|path| path.display().to_string());
                return Err(judgement.refusal().in_file(file.unwrap_or_default()));
            }
            certificate.policy = Some(judgement.record());
            Some(judgement)
        }
        None => None,
    };
    let report = report(&certificate)?;
    let text = certificate::json_text(&report)?;
    certificate.report_sha256 = Some(io::hash_bytes(&text));
    let page = report::html(&report, false)?;
    if let Some(folder) = &folder {
        write_papers(folder.path(), &certificate, (&text, &page), signer)?;
    }
    let who = key::Who {
        names: &staged.names,
        persons: &staged.persons,
        group_of: &staged.group_of,
        groups_are_published: staged.groups_are_published,
        held_out: &staged.held_out,
        sampled: staged.sampled.as_deref(),
    };
    let held = match staged.data {
        Location::Held(data) => {
            let key = request.with_key.then(|| who.text().into());
            Some(HeldRelease::new(data, certificate.clone(), (text, page), key))
        }
        _ => None,
    };

    // The key comes first, so that no release is ever without the link that was asked for.
    let mut finished = match key {
        Some(key) => {
            let input_hash = io::hash_of(location)?;
            key.write(&who, input_hash.as_deref(), &certificate.output.sha256)?
        }
        None => Vec::new(),
    };
    if let (Some(key), Some(secret)) = (token_key, &staged.secret) {
        finished.push(key.write_digits(secret)?);
    }
    if let (Some(file), Some(noise)) = (noise_file, &staged.noise) {
        finished.push(file.write(noise)?);
    }
    finished.extend(folder.map(|folder| (folder, request.out.clone())));
    progress.go_on()?;
    let over = (request.overwrite && request.out.symlink_metadata().is_ok()).then_some(request.out.as_path());
    if let Some(over) = over {
        // It may have changed since the run began.
        release_folder::refuse_foreign(over)?;
    }
    let ledger = match recording {
        Some(recording) => Some(recording.publish(
            &certificate,
            staged.policy.as_ref().map(|(_, seen)| Says::of_seen(seen)),
            finished,
            over,
        )?),
        None => {
            pending::publish_sealed(finished, over, || Ok(()))?;
            None
        }
    };
    let (singled_out, unmapped, mut notes, unused) = (staged.singled_out, staged.unmapped, staged.notes, staged.unused);
    notes.extend(tidied.into_iter().chain(settled));
    notes.extend(policy.iter().flat_map(|judgement| judgement.notes.iter().cloned()));
    if let Some(ledger) = &ledger {
        notes.extend(ledger.same_people.iter().filter(|same| !same.meant).map(SamePeople::says));
        notes.extend(ledger.unknown_people.clone());
    }
    let signed_by = signer.map(|signer| signer.public().id().to_string());
    let (release, key, token_key) = (request.out.clone(), request.key.clone(), request.token_key.clone());
    let noise_file = request.noise_file.clone();
    Ok(ProtectOutcome {
        release,
        held,
        key,
        token_key,
        noise_file,
        certificate,
        policy,
        ledger,
        signed_by,
        measures,
        skipped,
        attacks: staged.attacks,
        singled_out,
        unmapped,
        notes,
        unused,
    })
}

/// Writes what lies beside the data of a release: report, certificate, signature.
pub(super) fn write_papers(
    folder: &Path,
    certificate: &Certificate,
    (report, page): (&[u8], &str),
    signer: Option<&SecretKey>,
) -> Result<()> {
    write_new(&folder.join("report.json"), report)?;
    write_new(&folder.join("report.html"), page.as_bytes())?;
    let text = certificate.text()?;
    write_new(&Certificate::place(folder), &text)?;
    if let Some(signer) = signer {
        let signature = signer.sign(&text);
        // By the public key, as anybody would: what does not verify is not published.
        signer.public().verify(signature.as_bytes(), &text).map_err(|problem| Error::internal(problem.says()))?;
        write_new(&folder.join(signature::FILE), signature.as_bytes())?;
    }
    Ok(())
}

/// Refuses what a release in memory cannot have.
fn refuse_in_memory(request: &ProtectRequest) -> Result<()> {
    let files = [
        ("out", request.out != Path::new(""), "either a folder or memory"),
        ("overwrite", request.overwrite, "there is no folder"),
        ("key", request.key.is_some(), "`with_key` hands the link out beside it"),
        ("token-key", request.token_key.is_some(), "protect into a folder"),
        ("noise-file", request.noise_file.is_some(), "protect into a folder"),
        ("checkpoint", request.checkpoint.is_some(), "protect into a folder"),
        ("ledger", request.ledger.is_some(), "protect into a folder, or save it and add it to the ledger"),
        ("sign", request.sign.is_some(), "protect into a folder"),
    ];
    if let Some((name, _, hint)) = files.iter().find(|(_, given, _)| *given) {
        return Err(Error::parameter(*name, "means a file, and the release stays in memory").with_hint(*hint));
    }
    match request.format {
        Some(format) if format != HELD_FORMAT => {
            Err(Error::parameter("format", "is for files, and the release stays in memory")
                .with_hint("save it in that format"))
        }
        _ => Ok(()),
    }
}

/// What is asked of data of a kind.
pub(super) struct Asked<D: Kinded> {
    /// The name of the method.
    pub(super) name: &'static str,
    pub(super) method: Box<dyn Method<D>>,
    pub(super) measures: Vec<&'static dyn Measure<D>>,
    /// Parameters that the method does not use.
    pub(super) unused: Vec<String>,
    /// What becomes of accounts that are probably one person's.
    pub(super) accounts: SettledBy,
    /// How the original is read: with what persons ask for, where the method heeds it.
    pub(super) ask: Ask,
    /// The k that another release of the same persons claims, if that is known.
    pub(super) other_k: Option<f64>,
}

/// What is asked of data of a kind; whatever cannot be heeded is refused.
pub(super) fn asked<D: Kinded>(request: &ProtectRequest, input: Format) -> Result<Asked<D>> {
    let entry = D::SHELF.method(request.method.as_deref())?;
    let mut parameters = request.parameters.clone();
    let is_accounts = |(name, _): &&(String, String)| name == ACCOUNTS.name;
    let heeds_accounts = entry.info.parameters.iter().any(|known| known.name == ACCOUNTS.name);
    let knows_persons = kinds::knows_persons::<D>(&request.ask);
    let said = parameters.iter().find(is_accounts).map(|(_, said)| said.clone());
    let accounts = match said {
        None if knows_persons => SettledBy::Columns,
        said => SettledBy::of(heeds_accounts.then(|| said.as_deref().unwrap_or(ACCOUNTS.default))),
    };
    if accounts == SettledBy::Columns && heeds_accounts {
        // Whoever says who is who wants no guesses.
        parameters.push((ACCOUNTS.name.to_owned(), "apart".to_owned()));
    }
    // A project of ARX has a limit of its own, where nobody says another.
    let is_suppress = |name: &str| name == "suppress";
    let has_limit = entry.info.parameters.iter().any(|known| is_suppress(known.name));
    if has_limit && !parameters.iter().any(|(name, _)| is_suppress(name)) {
        parameters.extend(kinds::limit_of(&request.file)?.map(|share| ("suppress".to_owned(), share.to_string())));
    }
    let (mut method, mut unused) = entry.with(&parameters)?;
    unused.retain(|parameter| !D::HEEDED.contains(&parameter.as_str()));
    refuse_unheeded(entry.info, &unused)?;
    method.demand(demands::<D>(&request.models, entry.info.name)?)?;
    refuse_for_old_ways(method.as_ref(), entry.info.name, request, &unused)?;
    if request.ask.sensitive.is_some() && !D::CARD.has_sensitive {
        return Err(Error::parameter("sensitive", format!("names items, which {} do not have", D::CARD.name))
            .with_hint("leave it out: no method for this kind of data heeds it"));
    }
    let ask = &request.ask;
    let for_tables = [("round", ask.round), ("suppressed", ask.keep_suppressed), ("link-rows", ask.link_rows)];
    if let Some((flag, _)) = for_tables.iter().find(|(_, given)| *given && D::CARD.name != kinds::kind_of_schemas()) {
        return Err(Error::parameter(*flag, format!("is for tables, and this is of the kind {}", D::CARD.name)));
    }
    if ask.link_rows && !request.models.is_empty() {
        return Err(Error::refused("linked rows are made for k-anonymity alone, and a `--model` asks for more")
            .with_hint("leave out `--link-rows`, or check the release with `throng check --model`"));
    }
    let measures = D::SHELF.measures(&request.measures, false)?;
    request.content.modes()?;
    D::check_format(input, request.format)?;
    let wishes = parameters.iter().find(|(name, _)| name == K_COLUMN.name).map(|(_, column)| column.as_str());
    let ask = request.ask.with_wishes(wishes);
    let other_k = match (&request.other, &request.other_key) {
        (Some(other), Some(key)) => attack::other_k::<D>(other, key, "the keys of two releases have other names")?,
        _ => None,
    };
    Ok(Asked { name: entry.info.name, method, measures, unused, accounts, ask, other_k })
}

/// A method by its name, what it does not use, and why it is taken.
type Fitting<D> = (&'static str, Box<dyn Method<D>>, Vec<String>, &'static str);

/// The method that fits the data where nobody named one: what is asked of it must be what it can do, else the kind's default stays.
pub(super) fn fitting<D: Kinded>(request: &ProtectRequest, format: Format, data: &D) -> Option<Fitting<D>> {
    let (name, why) = data.fitting_method().filter(|_| request.method.is_none())?;
    let named = ProtectRequest { method: Some(name.to_owned()), ..request.clone() };
    let Asked { name, method, unused, .. } = asked::<D>(&named, format).ok()?;
    Some((name, method, unused, why))
}

/// What a release must satisfy beside what its method promises by itself.
pub(super) fn demands<D: Kinded>(models: &[String], method: &str) -> Result<Vec<Demand>> {
    let demand = |said: &String| {
        let (name, parameters) = said_model(said)?;
        let entry = D::SHELF.model(name)?;
        refuse_unknown_parameters(entry.info, &parameters)?;
        let (claim, _) = on_request(entry, &parameters, None).map_err(|error| as_said_of_model(error, entry.info))?;
        let cannot = || {
            Error::refused(format!("the method `{method}` cannot hold the model `{}`", entry.info.name)).with_hint(
                "it can be checked: `throng check RELEASE --model …`; `throng explain` says what a method claims",
            )
        };
        let asks = match &claim.judge {
            Judge::Alone(model) => Asks::OfRows(model.on_classes().ok_or_else(cannot)?),
            Judge::Beside(model) => Asks::OfPopulation(model.on_population().ok_or_else(cannot)?),
            Judge::Keyed(_) => return Err(cannot()),
        };
        Ok(Demand { claim: Claim { model: entry.info.name, parameters: claim.parameters }, asks })
    };
    models.iter().map(demand).collect()
}

/// Refuses a k for a method that has none and promises nothing, and a place for a key that no method draws.
fn refuse_for_old_ways<D>(
    method: &dyn Method<D>,
    name: &str,
    request: &ProtectRequest,
    unused: &[String],
) -> Result<()> {
    if !method.promises() && unused.iter().any(|parameter| parameter == "k") {
        return Err(Error::parameter(
            "k",
            format!("asks for a crowd that the method `{name}` does not give: it promises nothing"),
        )
        .with_hint(
            "leave it out, on the command line and in throng.toml, or choose a method that claims k-anonymity",
        ));
    }
    if !method.makes_crowds() && unused.iter().any(|parameter| parameter == "k") {
        return Err(Error::parameter("k", format!("asks for a crowd that the method `{name}` does not make"))
            .with_hint(
                "leave it out, on the command line and in throng.toml: `--distortion` says how much noise there is",
            ));
    }
    if request.noise_file.is_some() && !method.adds_noise() {
        return Err(Error::parameter(
            "noise-file",
            format!("names a place for the parameters of noise, and the method `{name}` adds none"),
        )
        .with_hint("`guessing-noise` and `probabilistic-noise` of tables do"));
    }
    if request.token_key.is_some() && !method.has_key() {
        return Err(Error::parameter(
            "token-key",
            format!("names a place for a key, and the method `{name}` draws none"),
        )
        .with_hint("only `token-hashing` has one; `--key` keeps who became whom"));
    }
    Ok(())
}

/// Protects data of a kind, writes and checks them, and measures what became of them.
pub(crate) fn stage<D: Kinded>(staging: &Staging<'_>, mut opened: Opened, rng: &mut Rng) -> Result<Staged> {
    let Staging { request, folder, progress, .. } = *staging;
    let format = opened.format;
    let Asked { mut name, mut method, mut measures, mut unused, accounts: settled_by, ask, other_k } =
        asked::<D>(request, format)?;
    let Fit { at_once, skipped } = match request.memory {
        Some(limit) => {
            progress.stage("judging the size", 0);
            D::fit(limit, &opened, &request.ask, method.as_ref(), &mut measures)?
        }
        None => Fit::default(),
    };
    opened.limit(at_once);
    let (dialect, doubt) = (opened.dialect(), opened.doubt.take());
    // What a policy names is looked up before a large file is read.
    let policy = request.ask.policy()?.zip(request.ask.matcher(D::CARD.name)?);

    if ask.drop_shills.is_some() && !D::MAY_HAVE_SHILLS {
        let problem = format!("is for ratings, and these are {}", D::CARD.name);
        return Err(Error::parameter("drop-shills", problem)
            .with_hint("`--drop FILE` names what may never be published, in data of any kind"));
    }
    let Read { data, about } =
        D::read(opened, &ask, Purpose::Original, progress).map_err(|error| staging.named(error))?;
    let mut notes = about.notes.clone();
    if let Some(fitting) = fitting(request, format, &data) {
        let why;
        (name, method, unused, why) = fitting;
        notes.push(why.to_owned());
    }
    kinds::refuse_doubtful(&data, &about, &request.ask).map_err(|error| staging.named(error))?;
    progress.stage("exposure", 0);
    // Of the file as it is: before anybody is held out, or accounts become one.
    let singled_out = SingledOutBefore::of(&data, 0);
    let (data, sampled, not_sampled) = draw_sample(data, request.sample, rng);
    // A release of groups is no original, and refused as such later.
    let held_out = match request.held_out_persons.filter(|_| data.group_of_records().is_none()) {
        Some(share) => draw_held_out(share, data.persons(), rng).map_err(|error| staging.named(error))?,
        None => Vec::new(),
    };
    let held_out_names = held_out.iter().map(|&person| data.names().get(person).to_owned()).collect();
    let data = if held_out.is_empty() {
        data
    } else {
        let is_in = |person: &u32| held_out.binary_search(person).is_err();
        data.of_persons(&(0..data.persons() as u32).filter(is_in).collect::<Vec<_>>())
    };
    if D::MAY_HAVE_SHILLS {
        progress.stage("made-up persons", 0);
        notes.extend(of_shills(&data, progress)?);
    }
    progress.stage("accounts", 0);
    let (data, alike) = data.settled(settled_by);
    progress.go_on()?;
    let wants = Wants { by_meaning: method.needs_meaning(), ..wants(&measures, data.persons(), true) };
    notes.extend(about.barred.notes.iter().cloned());
    notes.extend(about.oddities(&data));
    notes.extend(about.no_person());
    notes.extend(doubt);
    let ready = D::understand(vec![data], &about, &request.ask, wants).map_err(|error| staging.named(error))?;
    ready.refuse_nothing_known().map_err(|error| staging.named(error))?;
    let (original, ready) = ready.only()?;
    let (original, generalised) = match policy.as_ref().filter(|(_, matcher)| matcher.generalises_something()) {
        Some((_, matcher)) => original.generalised(&|text| matcher.generalises(text)),
        None => (original, 0),
    };
    let protected = D::protected(method.as_ref(), &original, &request.ask, rng, progress);
    // What a stopped method gives, good or bad, is nothing.
    progress.go_on()?;
    let mut protected = protected.map_err(|error| staging.named(error))?;
    // Records are changed as a whole, before anybody gets one: whoever shares one goes on sharing it.
    let scrubbing = request.content.scrubbing()?;
    let mut scrubs =
        scrubbing.as_ref().map(|scrubbing| scrubbing.apply(&original, &mut protected, progress)).transpose()?;
    notes.extend(scrubs.iter().flat_map(Scrubs::notes));
    let asked = request.format.or(request.in_memory.then_some(HELD_FORMAT));
    let (format, layout) = D::release_layout(&about, asked, &protected.records)?;
    if !dialect.is_empty() {
        let separated = if format.is_unusual() { format!("{}, ", format.delimiter.in_words()) } else { String::new() };
        notes.push(format!("the file is {dialect}; the release is {separated}UTF-8"));
    }
    let layout = D::with_raw_cells(layout, request.raw_cells);
    protected.records = D::laid_out(protected.records, &layout);
    let text = D::text_form(&protected.claims);
    let all_names = all_names(&original);
    let release = protected.disguise(all_names.as_ref().unwrap_or(original.names()), request.keep_ids, rng)?;
    let is_number =
        |person: &Published| person.pseudonym.parse::<i64>().is_ok_and(|id| id.to_string() == person.pseudonym);
    let layout = D::with_ids(layout, format, release.persons.iter().all(is_number));

    let file_name = D::data_file(format);
    let original = original.with_secrets_of(&release.records);
    if method.adds_noise() && request.noise_file.is_none() {
        notes.push(
            "nobody will be able to check the claim, or to attack the release as well as who knows the noise: `--noise-file FILE` keeps \
             its parameters, which are as secret as the key"
                .to_owned(),
        );
    }
    let sink = match folder {
        Some(folder) => Sink::file(folder.join(&file_name))?,
        None => Sink::Batches(Vec::new()),
    };
    progress.stage("writing", 0);
    let (location, rows, sha256) = {
        let persons: Vec<Person<'_>> = release
            .written()
            .into_iter()
            .map(|person| Person { name: &person.pseudonym, person: person.record })
            .collect();
        write_data(sink, |writer| D::write(writer, format, &layout, &release.records, &persons, progress))?
    };
    let also = D::also(&release, format, &layout, &request.ask, rng)?;
    let also = match folder {
        Some(folder) => write_also(folder, also)?,
        None if also.is_empty() => Vec::new(),
        None => {
            return Err(Error::refused(format!("a release of the kind {} has several files", D::CARD.name))
                .with_hint("it cannot stay in memory: protect into a folder"));
        }
    };
    let written = Written { location: &location, format, layout: &layout, release: &release, rows, at_once };
    let (claims, evidence) = check_written(&written, &original, progress)?;
    if let Some(list) = request.ask.drop_list()? {
        refuse_barred(&written, &list, progress)?;
        let taxonomy = ready.taxonomy.as_ref().map(|taxonomy| taxonomy.name.as_str());
        refuse_barred_names(&written, &list, request.keep_ids, taxonomy)?;
    }
    if let Some((scrubbing, scrubs)) = scrubbing.as_ref().zip(scrubs.as_mut()) {
        scrubbing.count_left(scrubs, &original, &written, progress)?;
    }
    let policy = match policy {
        Some((policy, matcher)) => {
            let accounts = alike.as_ref().map_or(0, |alike| alike.accounts as u64);
            let original = (&original, accounts);
            let seen = seen_by_policy(&written, original, (&policy, &matcher), (&claims, evidence), progress)?;
            Some((policy, seen))
        }
        None => None,
    };

    let sizes_of_records = release.persons_of_records();
    let (group_of, sizes) = groups(&release, &sizes_of_records);
    let mut links: Vec<(u32, u32)> = release.persons.iter().map(|person| (person.person, person.record)).collect();
    links.sort_unstable();
    let mut accounts = release.accounts.clone().and(ready.accounts).and(about.barred.accounts());
    accounts = accounts.and(scrubs.as_ref().map(Scrubs::accounts).unwrap_or_default());
    D::account(&original, &release, rows, &mut accounts);
    if let identifiers @ 1.. = D::identifiers_left_out(&layout) {
        accounts = accounts.with(IDENTIFIERS_LEFT_OUT, identifiers);
    }
    let protected_persons = original.persons() as u64 + about.barred.persons;
    let read_persons = protected_persons + held_out.len() as u64 + not_sampled;
    let dropped = protected_persons - links.chunk_by(|left, right| left.0 == right.0).count() as u64;
    if let Some(alike) = alike {
        accounts = accounts.with(ACCOUNTS_ALIKE, alike.accounts as u64);
        notes.extend(alike.in_words().map(|said| format!("{said}; {}", fate(settled_by, method.as_ref()))));
    }
    if generalised > 0 {
        accounts = accounts.with(ITEMS_GENERALISED, generalised);
        let items = counted(generalised, D::CARD.row[0], D::CARD.row[1]);
        notes.push(format!("made {items} more general, as the policy says"));
    }
    let accounts = if held_out.is_empty() { accounts } else { accounts.with(PERSONS_HELD_OUT, held_out.len() as u64) };
    let accounts = if sampled.is_none() { accounts } else { accounts.with(PERSONS_NOT_SAMPLED, not_sampled) };
    let accounts = accounts.with(PERSONS_DROPPED, dropped).with(ROWS_REFUSED, about.refused).complete();
    if dropped * 2 > protected_persons {
        notes.push(format!(
            "only {} of {} are in the release: hardly anything that they have may be published; a smaller `--min-persons`, another \
             method, or more data may keep more",
            thousands(protected_persons - dropped),
            counted(protected_persons, D::CARD.person[0], D::CARD.person[1])
        ));
    }
    notes.extend(D::remark(&release));
    let network = D::network(&release)?;
    let names_groups = release.records.names_records();
    let has_ids = release.records.has_ids();
    let record_of: Vec<u32> = release.persons.iter().map(|person| person.record).collect();
    let published = release.written().len() as u64;
    let of_input = original.humans_and_bots(&mut (0..original.persons() as u32));
    let has_own_names = release.records.has_own_names();
    let of_output = release.records.humans_and_bots(&mut release.written().iter().map(|person| person.record));
    let Release { records, persons, grouped, search, optimised, secret, .. } = release;

    let noise = original.noise_text()?.filter(|_| request.noise_file.is_some());
    let key_links = Links::of(&original, persons, group_of, names_groups);
    let records = D::understand_records(records, &original)?;
    let after =
        |sort: usize| uniqueness::exposure_of_records(&records.facts(sort), &record_of, 2, &mut Rng::seeded(0)).alone;
    let singled_out_after = (0..D::FACTS.len()).map(after).collect();
    // A report may be published: it never shows values that fewer than k persons share, or fewer than the release's own lines need.
    let shared_by = k_of(&method.parameters()).max(content::shared_by(&claims));
    let example = report::example(&original, &records, &sizes_of_records, shared_by);
    let maps = D::maps(&original, &records, &sizes_of_records, shared_by)?;
    let mut attacks_skipped = Vec::new();
    let promises = || -> Vec<Promise> {
        let promise =
            |claim: &ClaimRecord| Promise { model: claim.model.clone(), parameters: claim.parameters.clone() };
        claims.iter().map(promise).collect()
    };
    let mut attacks = match attacked::too_large(request.memory, original.rows()) {
        _ if request.no_attacks => Vec::new(),
        Some(reason) => {
            let names = attacked::in_reports::<D>().into_iter().map(|attack| attack.info().info.name);
            attacks_skipped.extend(names.map(|name| Skipped { name, reason: reason.to_owned() }));
            Vec::new()
        }
        None => {
            let released = attacked::Released {
                original: &original,
                release: &records,
                multiplicity: &sizes_of_records,
                links: &links,
            };
            let (attacks, skipped) = attacked::before_and_after(&released, promises(), progress)?;
            attacks_skipped = skipped;
            attacks
        }
    };
    if let Some(other_key) = &request.other_key {
        let groups = key::groups_beside(key_links.groups(), other_key)?;
        attacks.extend(attacked::beside_another(&original, &records, &groups, promises(), other_k, progress)?);
    }
    let Linked { release: records, multiplicity, link } =
        Linked::of(records, sizes_of_records, &links, original.persons())?;
    let pair = Pair { original: &original, release: &records, multiplicity, link: Some(link) };
    let parameters = method.parameters();
    let k = k_of(&parameters);
    let context = Context { k, shared_by, show_values: false, seed: judged::SEED, progress };
    let judges = Judges::new(&measures, &original, true, ready.knowledge.as_ref(), context.seed);
    let mut measured = judges.run(&pair, &context)?;
    measured.skipped.splice(0..0, skipped);
    measured.skipped.extend(attacks_skipped);
    notes.extend(ready.notes);
    let times = D::time_form(&layout);
    Ok(Staged {
        data: location,
        method: certificate::Method { name: name.to_owned(), parameters, grouping: grouped },
        input: Input {
            kind: about.file_kind.to_owned(),
            persons: read_persons,
            rows: about.rows,
            time_format: request.ask.time_format.clone(),
            person: D::said_person(&layout),
            columns: said_columns::<D>(&request.ask),
            log_format: request.ask.log_format.clone(),
            ipv6_prefix: request.ask.ipv6_prefix,
            humans: of_input.map(|[humans, _]| humans),
            bots: of_input.map(|[_, bots]| bots),
        },
        output: Output {
            kind: (about.file_kind != D::CARD.name).then(|| D::CARD.name.to_owned()),
            file: if folder.is_some() { file_name } else { String::new() },
            format: folder.is_none().then(|| format.to_string()),
            sha256,
            also,
            persons: published,
            rows,
            columns: kinds::column_map::<D>(&layout),
            delimiter: format.separator().filter(|_| format.is_unusual()),
            header: (!D::has_header(&layout)).then_some(false),
            time_format: times.format,
            time_zone: times.zone,
            log_format: D::log_format(&layout),
            timeout: D::timeout(&layout),
            humans: of_output.map(|[humans, _]| humans),
            bots: of_output.map(|[_, bots]| bots),
        },
        claims,
        ids: match (has_ids, request.keep_ids, has_own_names) {
            (false, ..) => "none",
            (true, false, false) => "pseudonyms",
            (true, false, true) => "masked",
            (true, true, _) => "kept",
        },
        text,
        taxonomy: ready.taxonomy,
        table: D::table_record(&layout),
        search,
        optimised,
        sensitive_items: ready.sensitive_items,
        accounts,
        content: match (&scrubbing, &scrubs) {
            (Some(scrubbing), Some(scrubs)) => scrubbing.records(scrubs, k as u64),
            _ => Vec::new(),
        },
        policy,
        scrubbed: scrubbing.zip(scrubs),
        names: key_links.names,
        persons: key_links.persons,
        secret,
        noise,
        held_out: held_out_names,
        sampled,
        group_of: key_links.group_of,
        groups_are_published: key_links.are_published,
        sizes,
        measured,
        attacks,
        example,
        maps,
        network,
        singled_out,
        singled_out_after,
        unmapped: about.unmapped,
        notes,
        unused,
    })
}

/// The columns that were named, where a release does not say by its own what those of the original are.
fn said_columns<D: Kinded>(ask: &Ask) -> BTreeMap<String, String> {
    let is_said = |choice: &&ColumnChoice| D::CARD.release_has_own_columns && choice.role != "person";
    ask.columns.iter().filter(is_said).map(|choice| (choice.role.clone(), choice.name.clone())).collect()
}

/// What becomes of accounts that are probably one person's, in words.
fn fate<D>(settled_by: SettledBy, method: &dyn Method<D>) -> &'static str {
    match settled_by {
        SettledBy::Merging => "each of these persons is one in the release",
        SettledBy::Noting if method.counts_accounts_once() => {
            "each of these persons counts once in what a line may say, and towards k (`--accounts merge` makes them one)"
        }
        SettledBy::Noting => {
            "each of these persons counts once in what a line may say, if it has a threshold, and every account towards k \
             (`--accounts merge` makes them one)"
        }
        SettledBy::Counting | SettledBy::Columns => "every account counts (`--accounts merge` makes them one person)",
    }
}

/// More than this share of persons are not made up by chance.
const MANY_SHILLS: f64 = 0.01;

/// What is to be said of persons whom somebody seems to have made up.
fn of_shills<D: Kinded>(data: &D, progress: &dyn Progress) -> Result<Option<String>> {
    let (flagged, all) = (data.shills(progress)?, data.persons() as u64);
    let is_many = flagged as f64 > MANY_SHILLS * all as f64;
    Ok(is_many.then(|| {
        format!(
            "{} of {} look as if somebody had made them up to push or nuke an item (crowd-fit); nobody hides among those. `throng detect score FILE` \
             says who they are, `--drop-shills LIST` leaves them out",
            thousands(flagged),
            counted(all, D::CARD.person[0], D::CARD.person[1])
        )
    }))
}

/// The names of persons, and after them those of their accounts, where accounts were merged: none of them is a pseudonym.
fn all_names<D: Kinded>(original: &D) -> Option<Strings> {
    let (accounts, _) = original.merged_accounts()?;
    let mut names = original.names().clone();
    names.append(accounts);
    Some(names)
}

/// Who became whom, for the key. Where accounts were merged every account stands there, with its person's pseudonym.
struct Links {
    names: Strings,
    persons: Vec<Published>,
    group_of: Vec<u32>,
    /// Whether the release itself has a name for each group, which is the pseudonym of its persons.
    are_published: bool,
}

impl Links {
    fn of<D: Kinded>(original: &D, persons: Vec<Published>, group_of: Vec<u32>, are_published: bool) -> Self {
        let Some((names, person_of)) = original.merged_accounts() else {
            return Self { names: original.names().clone(), persons, group_of, are_published };
        };
        let mut place = vec![None; original.persons()];
        persons.iter().enumerate().for_each(|(at, person)| place[person.person as usize] = Some(at));
        let (mut all, mut groups) = (Vec::new(), Vec::new());
        for (account, &person) in (0u32..).zip(person_of) {
            if let Some(at) = place[person as usize] {
                all.push(Published { person: account, ..persons[at].clone() });
                groups.push(group_of[at]);
            }
        }
        Self { names: names.clone(), persons: all, group_of: groups, are_published }
    }

    /// Persons by their ids, each with their group as a key names it.
    fn groups(&self) -> Vec<(String, String)> {
        let group = |(person, group): (&Published, &u32)| {
            let named = if self.are_published { person.pseudonym.clone() } else { (group + 1).to_string() };
            (self.names.get(person.person).to_owned(), named)
        };
        self.persons.iter().zip(&self.group_of).map(group).collect()
    }
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

/// Refuses what is neither a share of the persons nor a number of them.
fn check_share(flag: &str, share: f64) -> Result<()> {
    let is_whole = share >= 1.0 && share.fract() == 0.0 && share < 1e9;
    let is_share = share > 0.0 && share < 1.0;
    if is_whole || is_share {
        return Ok(());
    }
    let problem = format!("is {share}, but must be a share below 1, or a whole number of persons");
    Err(Error::parameter(flag, problem).with_hint(format!("for example `--{flag} 0.1`")))
}

/// Draws the persons who are protected, where not all are: the data of these, who they are, and how many others there are. A release of
/// groups is no original, and refused as such later.
pub(super) fn draw_sample<D: Kinded>(data: D, share: Option<f64>, rng: &mut Rng) -> (D, Option<Vec<String>>, u64) {
    let persons = data.persons();
    let Some(share) = share.filter(|_| data.group_of_records().is_none()) else { return (data, None, 0) };
    let most = if share < 1.0 { (share * persons as f64).round() } else { share } as usize;
    let mut drawn = rng.sample(persons, most.min(persons));
    drawn.sort_unstable();
    let names = drawn.iter().map(|&person| data.names().get(person).to_owned()).collect();
    let others = (persons - drawn.len()) as u64;
    (if others == 0 { data } else { data.of_persons(&drawn) }, Some(names), others)
}

/// Refuses another release without its key, and the other way round; and one that is to be attacked without attacks.
fn refuse_half_other(request: &ProtectRequest) -> Result<()> {
    if request.other.is_some() != request.other_key.is_some() {
        let (given, missing) = if request.other.is_some() {
            ("other", "needs `--other-key FILE`, the key of that release")
        } else {
            ("other-key", "needs `--other RELEASE`, the release that it is the key of")
        };
        return Err(Error::parameter(given, missing)
            .with_hint("only the keys of both releases say who is in the same two groups"));
    }
    if request.other.is_some() && request.no_attacks {
        return Err(Error::parameter("other", "asks for an attack, and `--no-attacks` leaves all of them out")
            .with_hint("leave out one of them"));
    }
    Ok(())
}

/// Refuses a number of persons to hold out that is none, or that nobody could use.
fn refuse_held_out(share: f64, has_key: bool) -> Result<()> {
    check_share("held-out-persons", share)?;
    if !has_key {
        return Err(Error::parameter("held-out-persons", "needs `--key FILE`")
            .with_hint("only the key says who was held out: without it they could not be told from the others"));
    }
    Ok(())
}

/// The persons who are held out, of so many, in rising order.
fn draw_held_out(share: f64, persons: usize, rng: &mut Rng) -> Result<Vec<u32>> {
    let count = if share < 1.0 { (share * persons as f64).round() } else { share } as usize;
    if count >= persons {
        let problem = format!("is {share}, which holds out all {persons} persons");
        return Err(Error::parameter("held-out-persons", problem));
    }
    Ok(rng.sample(persons, count))
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
    pending::refuse_in_release(out, "release")?;
    Pending::folder(out).map_err(|cause| {
        Error::io(format!("write into the folder {}", pending::folder_of(out).display()), cause)
            .with_hint("the folder that `--out` lies in must exist and be writable")
    })
}
