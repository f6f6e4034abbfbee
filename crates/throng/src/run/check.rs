//! `throng check`: does a claim hold for this file, whoever made it?
//!
//! Whatever is in the file, or beside it in a release folder, and was not compared fails the check; a claim that could not be
//! checked leaves it at `partly`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use throng_core::models::{Model, ModelWithKey, ModelWithOriginal, Verdict, Witness};
use throng_core::progress::Progress;
use throng_core::{Error, Info, Parameter, ParameterKind, Result};

use super::borne_out;
use super::certified::{Certified, is_release};
use super::measure::refuse_other_files;
use super::policy;
use super::requests::typed_parameters;
use super::vouched::{self, LedgerOutcome, SignatureOutcome};
use crate::catalog::{Judge, ModelEntry, NATURAL_MODEL};
use crate::certificate::Certificate;
use crate::content;
use crate::inputs::Inputs;
use crate::io::{Location, Opened};
use crate::key;
use crate::kinds::{self, Ask, Evidenced, Kinded, Naming, Purpose};
use crate::parameters::typed;
use crate::pending;
use crate::policy::{Judgement, Policy};
use crate::release_folder;
use crate::words::counted;

/// What to check.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CheckRequest {
    /// Files, which are one data set; a release folder or `-`.
    pub file: Inputs,
    /// The model, with parameters of its own if it has some: `l-diversity:l=3`; every claim of the certificate when not given.
    pub model: Option<String>,
    /// Further models, in the same form.
    pub more_models: Vec<String>,
    /// Parameters of the model as typed.
    #[serde(with = "typed_parameters")]
    pub parameters: Vec<(String, String)>,
    /// The original, for models that need it.
    pub original: Option<Inputs>,
    /// The key, for models that must know who became whom.
    pub key: Option<PathBuf>,
    /// Whether claims that need the original are passed over if it is not given.
    pub only_checkable: bool,
    /// Whether a witness may be named by their id.
    pub show_values: bool,
    /// The public key that must have signed the certificate.
    pub trusted: Option<PathBuf>,
    /// The ledger that must name it.
    pub ledger: Option<PathBuf>,
    /// The policy that it must keep to.
    pub policy: Option<PathBuf>,
    /// Earlier releases of the ledger, for a policy that asks what they say.
    pub earlier: Vec<PathBuf>,
    /// How to read and understand the file.
    pub ask: Ask,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct CheckOutcome {
    /// The model of the first claim.
    pub model: Option<String>,
    /// `holds`, `fails`, `partly` if nothing fails but a claim could not be checked, or `nothing claimed`: over everything.
    pub verdict: &'static str,
    /// What the data achieve for the first claim.
    pub achieved: Map<String, Value>,
    /// When something fails: what shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Value>,
    /// Every claim.
    pub claims: Vec<ClaimOutcome>,
    /// For a release folder: whether the data are those of the certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash_matches: Option<bool>,
    /// For a release folder: what else lies in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_files: Vec<String>,
    /// Whatever is in the file and was not compared, but for columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_compared: Vec<String>,
    /// For a release folder: parts of the certificate that the release alone cannot show, and are their writer's word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on_trust: Vec<&'static str>,
    /// What the signature is worth, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureOutcome>,
    /// What the ledger says, where one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerOutcome>,
    /// What the policy says, where one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Judgement>,
    /// How many persons the file has.
    pub persons: usize,
    /// How many rows.
    pub rows: u64,
    /// Malformed lines that were skipped.
    pub rows_refused: u64,
    /// The kind of data.
    pub kind: &'static str,
    /// The column that tells persons apart; empty where a person is a line.
    pub person_column: String,
    /// Columns without a role: compared byte for byte where records are rows, else not looked at.
    pub unmapped: Vec<String>,
    /// How many of those were not looked at.
    #[serde(skip)]
    pub columns_not_read: usize,
    /// What the user should know beside it.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// Parameters that no model used.
    #[serde(skip)]
    pub unused: Vec<String>,
}

/// One claim and what was found.
#[derive(Debug, Clone, Serialize)]
pub struct ClaimOutcome {
    /// The model.
    pub model: String,
    /// Its parameters.
    pub parameters: Map<String, Value>,
    /// `holds`, `fails`, or `unchecked` if what it needs is not at hand.
    pub verdict: &'static str,
    /// What the data achieve.
    pub achieved: Map<String, Value>,
    /// When it fails: who shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Value>,
    /// The same in words.
    #[serde(skip)]
    pub witness_in_words: Option<String>,
    /// `original` where the release alone cannot show it, `key` where it needs the original and the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<&'static str>,
}

/// The verdict of a check that had nothing to check: it never says that something holds.
pub(crate) const NOTHING_CLAIMED: &str = "nothing claimed";

impl CheckOutcome {
    /// Whether everything was checked and holds.
    pub fn holds(&self) -> bool {
        self.verdict == "holds"
    }
}

/// Checks a file or a release folder.
pub fn check(request: &CheckRequest, progress: &dyn Progress) -> Result<CheckOutcome> {
    // A folder is a release if it has a certificate; if no model is named, it is meant to have one.
    let paths = request.file.paths()?;
    let folder = paths.first().filter(|only| paths.len() == 1 && is_release(only));
    let vouches = request.trusted.is_some() || request.ledger.is_some();
    let folder = if vouches { Some(folder.ok_or_else(vouched::refuse_no_release)?) } else { None };
    let signature = match (folder, &request.trusted) {
        (Some(folder), Some(trusted)) => Some(vouched::signature(folder, trusted)?),
        _ => None,
    };
    // What an untrusted certificate says is not even read.
    if let Some(signature) = signature.clone().filter(|signature| signature.verdict == "fails") {
        return Ok(CheckOutcome::untrusted(signature));
    }
    let certified = match paths.as_slice() {
        [only] if is_release(only) || (only.is_dir() && request.model.is_none()) => {
            Certified::open_release(only, &request.ask)?
        }
        _ => Certified::open(&request.file, &request.ask)?,
    };
    for said in request.model.iter().chain(&request.more_models) {
        // A name that nobody has is refused before a file is opened.
        let (name, _) = said_model(said)?;
        if name != NATURAL_MODEL {
            crate::catalog::item(crate::catalog::Role::Model, name)?;
        }
    }
    if let (Some(_), Location::Stdin) = (&request.original, &certified.location) {
        return Err(Error::refused("a release is read twice to be checked beside its original")
            .with_hint("standard input can be read once: save it to a file"));
    }
    if let (Some(signature), Some(certificate)) = (&signature, &certified.certificate)
        && !certificate.output.is_of(&certified.location)?
    {
        return Ok(CheckOutcome::untrusted(signature.clone().with_other_data()));
    }
    let ledger = match (folder, &request.ledger, &certified.certificate) {
        (Some(folder), Some(ledger), Some(certificate)) => Some(vouched::line(folder, certificate, ledger)?),
        _ => None,
    };
    let policy = request.policy.as_deref().map(|path| judged_by(path, request, &certified, progress)).transpose()?;
    let checked = kinds::open(&certified.location, &certified.ask)
        .and_then(|(kind, opened)| kind.check(request, &certified, opened, progress));
    let checked = match (checked, &certified.certificate) {
        // What somebody did to a release is a finding, also where nobody can read it any more.
        (Err(error), Some(certificate)) if error.is_data() && !certificate.output.is_of(&certified.location)? => {
            let kind = certificate.output.kind.as_ref().unwrap_or(&certificate.input.kind);
            CheckOutcome::altered(kinds::card_of(kind).name, certificate, &error)
        }
        (checked, _) => checked?,
    };
    Ok(checked.vouched(signature, ledger).judged(policy))
}

/// What a policy says of the file.
fn judged_by(file: &Path, request: &CheckRequest, certified: &Certified, progress: &dyn Progress) -> Result<Judgement> {
    let beside = policy::Beside {
        file,
        ledger: request.ledger.as_deref(),
        dataset: None,
        earlier: &request.earlier,
        trusted: request.trusted.as_deref(),
    };
    policy::judge(&Policy::read(file)?, certified, &beside, progress)
}

/// A claim that is to be checked.
pub(super) struct Asked<D: Kinded> {
    pub(super) model: &'static str,
    pub(super) parameters: Map<String, Value>,
    pub(super) judge: Judge<D>,
}

/// Checks data of a kind.
pub(crate) fn check_as<D: Kinded>(
    request: &CheckRequest,
    certified: &Certified,
    opened: Opened,
    progress: &dyn Progress,
) -> Result<CheckOutcome> {
    // All parameters are checked before a large file is read.
    let (asked, mut unused) = asked::<D>(request, certified)?;
    let needs: Vec<&str> =
        asked.iter().filter_map(|claim| claim.judge.needs()).filter(|needs| *needs != POPULATION).collect();
    if request.model.is_some() {
        asked.iter().try_for_each(|claim| refuse_without(request, certified, claim))?;
    }
    for (name, is_unused) in [
        ("original", request.original.is_some() && needs.is_empty()),
        ("key", request.key.is_some() && needs.is_empty()),
        ("noise-file", request.ask.noise_file.is_some() && !needs.contains(&NOISE)),
    ] {
        if is_unused {
            unused.push(name.to_owned());
        }
    }
    // Beside persons whom it was not made of, a release looks other than it is.
    let is_unknown = certified.is_of_sample() && request.key.is_none();
    let original = match request.original.as_ref().filter(|_| !needs.is_empty() && !is_unknown) {
        Some(original) => {
            let wishes = asked.iter().find_map(|claim| claim.judge.column()).filter(|_| request.key.is_some());
            Some(Beside::<D>::read(request, original, certified, wishes, progress)?)
        }
        None => None,
    };
    // The population is given in the place of an original, and has no key.
    let needs_population = asked.iter().any(|claim| claim.judge.needs() == Some(POPULATION));
    let population = match certified.ask.population.clone().filter(|_| needs_population) {
        Some(file) => {
            let ask = Ask { population: None, ..request.ask.clone() };
            let keyless = CheckRequest { key: None, ask, ..request.clone() };
            Some(Beside::<D>::read(&keyless, &Inputs::from(file), certified, None, progress)?)
        }
        None => None,
    };
    let beside = |what: &str| if what == POPULATION { population.as_ref() } else { original.as_ref() };
    let needs_sensitive =
        asked.iter().any(|claim| matches!(&claim.judge, Judge::Alone(model) if model.needs_sensitive()));
    let mut looked = Looked::<D>::at(certified, opened, needs_sensitive, progress)?;
    let seen = &mut looked.seen;
    if (original.is_some() || population.is_some()) && !seen.unmapped.is_empty() {
        seen.uncompared.push(format!(
            "{}, of which {} says nothing",
            counted(seen.unmapped.len() as u64, "column without a role", "columns without a role"),
            asked.iter().find(|claim| claim.judge.needs().is_some()).map_or("the model", |claim| claim.model),
        ));
    }
    if is_unknown && request.original.is_some() && !needs.is_empty() {
        seen.notes.push(
            "the release was made of a sample of the original's persons, and only the key says of whom (`--key FILE`): what needs the \
             original was not checked"
                .to_owned(),
        );
    }
    let naming = Naming { pseudonyms: certified.has_pseudonyms(), show_values: request.show_values };
    let mut claims = Vec::new();
    for claim in asked {
        let found = match (&claim.judge, &original) {
            (Judge::Alone(model), _) => Some(looked.look(model.as_ref(), &naming)?),
            (Judge::Beside(model), _) if model.beside() == NOISE && certified.ask.noise_file.is_none() => None,
            (Judge::Beside(model), _) => match beside(model.beside()) {
                Some(beside) => Some(beside.look(model.as_ref(), &looked, &naming, progress)?),
                None => None,
            },
            (Judge::Keyed(model), Some(beside)) => beside.look_with_key(model.as_ref(), &naming)?,
            (Judge::Keyed(_), None) => None,
        };
        claims.push(claim.outcome(found));
    }
    // Somebody who reads it otherwise than the certificate says sees something else.
    let is_read_as_certified = looked.hash_matches == Some(true) && request.ask.reads_as_certified();
    let wrong = borne_out::contradictions(certified, &looked.seen, &claims, is_read_as_certified);
    looked.seen.uncompared.extend(wrong);
    // Words that have lost their marks are known beside the original alone.
    if let (Some(beside), Some(certificate)) = (&original, &certified.certificate) {
        looked.seen.uncompared.extend(content::beside_original(certificate, &beside.original, &beside.release)?);
    }
    Ok(looked.outcome(claims, unused, request.only_checkable))
}

impl<D: Kinded> Asked<D> {
    /// The claim with what was found, if it could be looked at.
    pub(super) fn outcome(self, found: Option<(Verdict, Option<Value>)>) -> ClaimOutcome {
        let needs = self.judge.needs();
        let (verdict, achieved, witness) = match found {
            Some((verdict, witness)) => (if verdict.holds { "holds" } else { "fails" }, verdict.achieved, witness),
            None => ("unchecked", Map::new(), None),
        };
        let witness_in_words = witness.as_ref().map(D::witness_in_words);
        let (model, parameters) = (self.model.to_owned(), self.parameters);
        ClaimOutcome { model, parameters, verdict, achieved, witness, witness_in_words, needs }
    }
}

/// A file as a check sees it: what models look at, and of a release whether it is what its certificate was written for.
pub(super) struct Looked<D: Kinded> {
    pub(super) seen: Evidenced<D>,
    hash_matches: Option<bool>,
    other_files: Vec<String>,
    /// Whether a newer throng wrote the certificate.
    is_newer: bool,
    /// What the certificate says that the release alone cannot show.
    on_trust: Vec<&'static str>,
}

impl<D: Kinded> Looked<D> {
    /// Looks at a file, or at the data of a release folder and at what lies beside them.
    pub(super) fn at(
        certified: &Certified,
        mut opened: Opened,
        needs_sensitive: bool,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let hash_matches = match &certified.certificate {
            Some(certificate) => Some(certificate.output.is_of(&certified.location)?),
            None => None,
        };
        let (other_files, altered) = match (&certified.certificate, &certified.location) {
            (Some(certificate), Location::File(data)) => {
                let folder = pending::folder_of(data);
                let strangers = release_folder::strangers(folder, &certificate.output.files())?;
                (strangers, release_folder::altered(folder, certificate)?)
            }
            _ => (Vec::new(), Vec::new()),
        };
        let (dialect, doubt) = (opened.dialect(), opened.doubt.take());
        let more = match &certified.certificate {
            Some(certificate) if !certificate.is_of_a_newer_throng() => opened.more_than_throng_writes()?,
            _ => Vec::new(),
        };
        let mut seen = D::evidence(opened, &certified.ask, certified, needs_sensitive, progress)?;
        seen.uncompared.extend(altered);
        if certified.keeps_ids() {
            seen.notes.push(
                "the certificate says that the ids are those of the original (`--keep-ids`): whoever has them knows who is who"
                    .to_owned(),
            );
        }
        if certified.masks_ids() {
            seen.notes.push(
                "the certificate says that addresses are networks of the original's: whoever knows somebody's looks there"
                    .to_owned(),
            );
        }
        if certified.certificate.as_ref().is_some_and(Certificate::has_several_rows_unlinked) {
            seen.notes.push(
                "persons of the original have several rows, and nothing links them here: what is achieved counts rows, and the certificate \
                 persons"
                    .to_owned(),
            );
        }
        seen.uncompared.extend(more.into_iter().map(str::to_owned));
        if certified.certificate.is_none() && !dialect.is_empty() {
            seen.notes.push(format!("the file is {dialect}"));
        }
        if certified.certificate.is_none() {
            seen.notes.extend(kinds::no_person(&seen.person_column, &seen.unmapped));
            seen.notes.extend(doubt);
        }
        if certified.certificate.is_none()
            && let Some(odd) = kinds::one_row_each(&D::CARD, &certified.ask, seen.persons, seen.rows)
        {
            seen.notes.push(format!("{odd}; {}", kinds::say_who(&seen.unmapped)));
        }
        let is_newer = certified.certificate.as_ref().is_some_and(Certificate::is_of_a_newer_throng);
        if is_newer {
            seen.notes.push(
                "the certificate is of a newer throng: what is new in it and in the report was not compared".to_owned(),
            );
        }
        let on_trust = certified.certificate.as_ref().map(borne_out::on_trust).unwrap_or_default();
        Ok(Self { seen, hash_matches, other_files, is_newer, on_trust })
    }

    /// The verdict of a model that needs nothing else, and the witness as it may be shown.
    pub(super) fn look(&self, model: &dyn Model<D::Evidence>, naming: &Naming) -> Result<(Verdict, Option<Value>)> {
        let verdict = model.check(&self.seen.evidence)?;
        let witness = verdict.witness.as_ref().map(|witness| D::witness(&self.seen, witness, naming));
        Ok((verdict, witness))
    }

    /// Everything together. Nothing can be said of what was not compared: it may be anything.
    pub(super) fn outcome(&self, claims: Vec<ClaimOutcome>, unused: Vec<String>, only_checkable: bool) -> CheckOutcome {
        let seen = &self.seen;
        let columns_not_read = if seen.unmapped_count { 0 } else { seen.unmapped.len() };
        let failing = claims.iter().find(|claim| claim.verdict == "fails");
        let not_compared = [
            ("lines_not_read", seen.refused),
            ("columns_not_read", columns_not_read as u64),
            ("not_compared", seen.uncompared.len() as u64),
            ("other_files", self.other_files.len() as u64),
        ];
        let witness = match failing {
            Some(claim) => claim.witness.clone(),
            None if self.hash_matches == Some(false) => Some(json!({"sha256": "differs from the certificate's"})),
            None => {
                let first = not_compared.iter().find(|(_, count)| *count > 0);
                first.map(|&(name, count)| Value::Object(Map::from_iter([(name.to_owned(), count.into())])))
            }
        };
        let fails = failing.is_some() || witness.is_some();
        let is_fine =
            |claim: &ClaimOutcome| claim.verdict == "holds" || (only_checkable && claim.verdict == "unchecked");
        let verdict = match (fails, claims.iter().all(is_fine)) {
            (true, _) => "fails",
            _ if claims.is_empty() => NOTHING_CLAIMED,
            (false, true) if self.is_newer => "partly",
            (false, true) => "holds",
            (false, false) => "partly",
        };
        let first = failing.or_else(|| claims.iter().find(|claim| claim.verdict == "holds"));
        CheckOutcome {
            model: first.map(|claim| claim.model.clone()),
            verdict,
            achieved: first.map(|claim| claim.achieved.clone()).unwrap_or_default(),
            witness,
            claims,
            hash_matches: self.hash_matches,
            other_files: self.other_files.clone(),
            not_compared: seen.uncompared.clone(),
            on_trust: self.on_trust.clone(),
            signature: None,
            ledger: None,
            policy: None,
            persons: seen.persons,
            rows: seen.rows,
            rows_refused: seen.refused,
            kind: D::CARD.name,
            person_column: seen.person_column.clone(),
            unmapped: seen.unmapped.clone(),
            columns_not_read,
            notes: seen.notes.clone(),
            unused,
        }
    }
}

/// What is to be checked, and the parameters that nothing uses.
pub(super) fn asked<D: Kinded>(request: &CheckRequest, certified: &Certified) -> Result<(Vec<Asked<D>>, Vec<String>)> {
    let claimed: Vec<(&str, &Map<String, Value>)> = certified
        .certificate
        .iter()
        .flat_map(|certificate| &certificate.claims)
        .map(|claim| (claim.model.as_str(), &claim.parameters))
        .collect();
    let built = |entry: &'static ModelEntry<D>, parameters: Map<String, Value>| -> Result<Asked<D>> {
        let judge = (entry.build)(parameters.clone())?;
        Ok(Asked { model: entry.info.name, parameters, judge })
    };
    let Some(model) = &request.model else {
        if claimed.is_empty() && certified.certificate.is_some() {
            // Nothing is judged but whether the release is what its certificate was written for.
            return Ok((Vec::new(), request.parameters.iter().map(|(name, _)| name.clone()).collect()));
        }
        if claimed.is_empty() {
            let (asked, unused) = on_request(D::SHELF.model(NATURAL_MODEL)?, &request.parameters, None)?;
            return Ok((vec![asked], unused));
        }
        // Parameters given by hand overrule the certificate's.
        let mut unused: Vec<String> = request.parameters.iter().map(|(name, _)| name.clone()).collect();
        let mut asked = Vec::new();
        for (model, parameters) in claimed {
            let entry = D::SHELF.model(model)?;
            let (given, rest) = typed(entry.info, &request.parameters)?;
            let mut parameters = parameters.clone();
            parameters.extend(given);
            unused.retain(|name| rest.contains(name));
            asked.push(built(entry, parameters)?);
        }
        return Ok((asked, unused));
    };
    let (mut asked, mut unused): (Vec<Asked<D>>, Option<Vec<String>>) = (Vec::new(), None);
    for said in std::iter::once(model).chain(&request.more_models) {
        let (name, mut parameters) = said_model(said)?;
        let entry = D::SHELF.model(name)?;
        refuse_unknown_parameters(entry.info, &parameters)?;
        let own = claimed.iter().find(|(name, _)| *name == entry.info.name).map(|(_, parameters)| *parameters);
        // Flags stand for all models, and what is said of one goes before them.
        let flags = request.parameters.iter().filter(|(name, _)| parameters.iter().all(|(other, _)| other != name));
        let flags: Vec<(String, String)> = flags.cloned().collect();
        parameters.extend(flags);
        let has_reference = entry.info.parameters.iter().any(|known| known.name == REFERENCE);
        if request.original.is_some() && has_reference && parameters.iter().all(|(name, _)| name != REFERENCE) {
            parameters.push((REFERENCE.to_owned(), ORIGINAL.to_owned()));
        }
        let (claim, rest) = on_request(entry, &parameters, own)
            .map_err(|error| if said.contains(':') { as_said_of_model(error, entry.info) } else { error })?;
        asked.push(claim);
        unused = Some(match unused {
            None => rest,
            Some(unused) => unused.into_iter().filter(|name| rest.contains(name)).collect(),
        });
    }
    Ok((asked, unused.unwrap_or_default()))
}

/// What may lie beside a release.
const ORIGINAL: &str = "original";
pub(super) const POPULATION: &str = "population";
pub(super) const NOISE: &str = "noise-file";
/// The parameter by which a model says that it needs the original.
const REFERENCE: &str = "reference";

/// A model as it is typed: its name, and parameters of its own.
pub(super) fn said_model(said: &str) -> Result<(&str, Vec<(String, String)>)> {
    let (name, rest) = said.split_once(':').unwrap_or((said, ""));
    let parameter = |part: &str| {
        let (name, value) = part.split_once('=').ok_or_else(|| {
            Error::parameter("model", format!("is `{said}`, but after the name come parameters with their values"))
                .with_hint("for example `--model l-diversity:l=3,kind=entropy`")
        })?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    let parts = rest.split(',').filter(|part| !part.trim().is_empty());
    Ok((name, parts.map(parameter).collect::<Result<_>>()?))
}

/// The error with a hint as parameters of a model are typed, which are no flags of every command.
pub(super) fn as_said_of_model(error: Error, info: &Info) -> Error {
    match info.parameters.iter().find(|parameter| !parameter.default.is_empty()) {
        Some(first) => error.with_hint(format!("for example `--model {}:{}={}`", info.name, first.name, first.default)),
        None => error,
    }
}

/// Refuses parameters that were said of a model itself, and that it does not have.
pub(super) fn refuse_unknown_parameters(info: &Info, parameters: &[(String, String)]) -> Result<()> {
    let known = |name: &str| info.parameters.iter().any(|parameter| parameter.name == name);
    match parameters.iter().find(|(name, _)| !known(name)) {
        None => Ok(()),
        Some((name, _)) => Err(Error::unknown(
            &format!("parameter of {}", info.name),
            name,
            info.parameters.iter().map(|parameter| parameter.name),
        )),
    }
}

/// A model that was asked for, or is the natural one: with its defaults, what a certificate claims, and what is given.
pub(super) fn on_request<D: Kinded>(
    entry: &'static ModelEntry<D>,
    typed_in: &[(String, String)],
    claimed: Option<&Map<String, Value>>,
) -> Result<(Asked<D>, Vec<String>)> {
    let (given, unused) = typed(entry.info, typed_in)?;
    // A switch that is off need not be said, and the name of a column is not known.
    let is_said = |known: &&Parameter| !matches!(known.kind, ParameterKind::Switch | ParameterKind::Text);
    let said = entry.info.parameters.iter().filter(is_said);
    let defaults: Vec<(String, String)> = said.map(|known| (known.name.to_owned(), known.default.to_owned())).collect();
    let (mut parameters, _) = typed(entry.info, &defaults)?;
    parameters.extend(claimed.cloned().unwrap_or_default());
    parameters.extend(given);
    let judge = (entry.build)(parameters.clone())?;
    Ok((Asked { model: entry.info.name, parameters, judge }, unused))
}

/// Refuses a model that was asked for, if what it needs is not at hand.
fn refuse_without<D: Kinded>(request: &CheckRequest, certified: &Certified, asked: &Asked<D>) -> Result<()> {
    let Some(needs) = asked.judge.needs() else { return Ok(()) };
    if needs == POPULATION {
        return match certified.ask.population {
            Some(_) => Ok(()),
            None => Err(Error::refused(format!("{} needs the {needs}", asked.model))
                .with_hint("name the table that the rows are a part of: `--population FILE`")),
        };
    }
    if certified.is_of_sample() && request.original.is_some() && request.key.is_none() {
        return Err(Error::refused(format!("{} needs the key: the release was made of a sample", asked.model))
            .with_hint("only the key says of whom: `--key FILE`"));
    }
    if let (Judge::Keyed(_), true) = (&asked.judge, request.original.is_none() || request.key.is_none()) {
        return Err(Error::refused(format!("{} needs the original and the key", asked.model)).with_hint(
            "name the file that the release was made of, and the key that was written with it: `--original FILE --key FILE`",
        ));
    }
    if needs == NOISE && (request.original.is_none() || certified.ask.noise_file.is_none()) {
        return Err(Error::refused(format!("{} needs the original and the noise file", asked.model)).with_hint(
            "name the file that the release was made of, and the parameters that were written with it: `--original FILE --noise-file FILE`",
        ));
    }
    if request.original.is_none() {
        return Err(Error::refused(format!("{} needs the {needs}", asked.model))
            .with_hint("name the file that the release was made of: `--original FILE`"));
    }
    if matches!(&asked.judge, Judge::Keyed(_)) && asked.judge.column().is_none() {
        return Err(Error::refused(format!("{} needs the column of what persons ask for", asked.model))
            .with_hint("name that column of the original: `--k-column NAME`"));
    }
    Ok(())
}

/// A release beside its original.
struct Beside<'a, D> {
    certified: &'a Certified,
    original: D,
    release: D,
    /// Who became whom, where that is known and what persons ask for is read.
    links: Option<Vec<(u32, u32)>>,
}

impl<'a, D: Kinded> Beside<'a, D> {
    fn read(
        request: &CheckRequest,
        original: &Inputs,
        certified: &'a Certified,
        wishes: Option<&str>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let place = certified.open_original(original, &request.ask)?;
        if let Some(key) = &request.key {
            let hint = "the file beside the key, `FILE.json`, has their hashes";
            refuse_other_files(key, [Some(&place.location), Some(&certified.location)], hint)?;
        }
        let (kind, opened) = kinds::open(&place.location, &place.ask)?;
        let kind = kind.card().name;
        if kind != D::CARD.name {
            return Err(Error::refused(format!("the release is {}, and the original is {kind}", D::CARD.name))
                .with_hint("name the file that the release was made of; `--kind` overrules what a file is taken for"));
        }
        let ask = place.ask.with_wishes(wishes);
        let mut original = D::read(opened, &ask, Purpose::Original, progress)?.data;
        if let Some(key) = &request.key
            && let Some(protected) = key::protected(key, original.names())?
        {
            original = original.of_persons(&protected);
        }
        let (_, opened) = kinds::open(&certified.location, &certified.ask)?;
        let release = D::read(opened, &certified.ask, Purpose::Release, progress)?.data;
        let links_by = |key: &Path| key::read(key, original.names(), release.names());
        let key = request.key.as_deref().filter(|_| wishes.is_some() || request.ask.noise_file.is_some());
        let links = key.map(links_by).transpose()?;
        Ok(Self { certified, original, release, links })
    }

    /// The verdict of a model that must know who became whom, and the witness as it may be shown; nothing if that is not known.
    fn look_with_key(&self, model: &dyn ModelWithKey<D>, naming: &Naming) -> Result<Option<(Verdict, Option<Value>)>> {
        let Some(links) = &self.links else { return Ok(None) };
        let verdict = model.check(&self.original, &self.release, links);
        let witness = verdict.witness.as_ref().map(|witness| {
            // What somebody asks for is theirs to tell.
            let numbers = if naming.show_values { witness.numbers.clone() } else { Map::new() };
            let witness = Witness { numbers, ..witness.clone() };
            naming.of(self.release.names().get(witness.person), None, self.release.has_ids(), &witness)
        });
        Ok(Some((verdict, witness)))
    }

    /// The verdict of a model, and the witness in words that may be shown.
    fn look(
        &self,
        model: &dyn ModelWithOriginal<D>,
        looked: &Looked<D>,
        naming: &Naming,
        progress: &dyn Progress,
    ) -> Result<(Verdict, Option<Value>)> {
        let verdict = match &self.links {
            Some(links) => model.check_linked(&self.original, &self.release, links)?,
            None => model.check(&self.original, &self.release)?,
        };
        let Some(witness) = &verdict.witness else { return Ok((verdict, None)) };
        // A witness that is no value is a person, as where the release is looked at alone.
        if witness.numbers.get("column").is_none() {
            let witness = D::witness(&looked.seen, witness, naming);
            return Ok((verdict, Some(witness)));
        }
        let value = model.value(&self.release, witness).unwrap_or_default();
        let column = witness.numbers.get("column").and_then(Value::as_str).unwrap_or_default();
        let place = D::line_of(&self.certified.location, &self.certified.ask, column, value, progress)?;
        let (file, line) = place.map_or((None, None), |(file, line)| (file, Some(line)));
        let mut named = json!({"persons": witness.group_size, "column": column, "line": line});
        if let Some(file) = file {
            named["file"] = json!(file);
        }
        if let Some(form) = witness.numbers.get("normal_form") {
            named["normal_form"] = form.clone();
        }
        if naming.show_values {
            named["value"] = json!(value);
        }
        Ok((verdict, Some(named)))
    }
}
