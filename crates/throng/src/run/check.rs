//! `throng check`: does a claim hold for this file, whoever made it?

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};
use throng_core::data::{Baskets, Dataset as _, QueryLog};
use throng_core::models::digests::Digests;
use throng_core::models::{ModelWithOriginal, Verdict, Witness};
use throng_core::progress::Progress;
use throng_core::taxonomy::fit::{Unknown, fit};
use throng_core::{Error, Kind, Result, Rng};

use super::load::{BasketOptions, load_baskets, load_documents, with_sensitive};
use super::measure::{Certified, release_options, taxonomy_note};
use crate::catalog::{self, AnyModel};
use crate::certificate::ClaimRecord;
use crate::io::{self, Checked, Opened, ReadOptions, Role};
use crate::release_folder;

/// What to check.
#[derive(Debug, Clone)]
pub struct CheckRequest {
    /// A file, a release folder or `-`.
    pub file: PathBuf,
    /// The model; every claim of the certificate when not given.
    pub model: Option<String>,
    /// Parameters of the model as typed.
    pub parameters: Vec<(String, String)>,
    /// The original, for models that need it.
    pub original: Option<PathBuf>,
    /// Whether a witness may be named by their id.
    pub show_values: bool,
    /// How to read the file.
    pub options: ReadOptions,
    /// How to make baskets of it, where they are wanted.
    pub baskets: BasketOptions,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct CheckOutcome {
    /// The model of the first claim.
    pub model: Option<String>,
    /// `holds` or `fails`, over everything.
    pub verdict: &'static str,
    /// What the data achieve for the first claim.
    pub achieved: Map<String, Value>,
    /// When something fails: what shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Value>,
    /// Every claim that was checked.
    pub claims: Vec<ClaimOutcome>,
    /// For a release folder: whether the data are those of the certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash_matches: Option<bool>,
    /// For a release folder: what else lies in it. Nobody checked it, and it would be published as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_files: Vec<String>,
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
    /// Columns without a role: of a query log they were compared byte for byte, of baskets they were not looked at.
    pub unmapped: Vec<String>,
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
    /// `original` where the release alone cannot show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<&'static str>,
}

impl CheckOutcome {
    /// Whether everything holds.
    pub fn holds(&self) -> bool {
        self.verdict == "holds"
    }
}

/// Checks a file or a release folder.
pub fn check(request: &CheckRequest, progress: &dyn Progress) -> Result<CheckOutcome> {
    let location = io::resolve(&request.file)?;
    // A folder is a release if it has a certificate; if no model is named, it is meant to have one.
    let is_release = io::is_release(&request.file) || (request.file.is_dir() && request.model.is_none());
    let certificate = is_release.then(|| io::read_release_certificate(&request.file)).transpose()?;
    let (claims, mut unused) = claims(request, certificate.as_ref())?;
    // All parameters are checked before a large file is read.
    let models = claims
        .iter()
        .map(|(model, parameters)| (catalog::model(model)?.build)(parameters.clone()))
        .collect::<Result<Vec<_>>>()?;
    let is_checked = |model: &AnyModel| model.needs().is_none() || request.original.is_some();
    if !models.iter().any(is_checked) {
        return Err(Error::refused(format!("{} needs the original", claims[0].0))
            .with_hint("name the file that the release was made of: `--original FILE`"));
    }
    match (&request.original, &location, models.iter().find_map(AnyModel::needs)) {
        (Some(_), _, None) => unused.push("original".to_owned()),
        (Some(_), io::Location::Stdin, Some(_)) => {
            return Err(Error::refused("a release is read twice to be checked beside its original")
                .with_hint("standard input can be read once: save it to a file"));
        }
        _ => {}
    }
    let certified = release_options(&request.file, &request.options)?;
    let hash_matches = match (&certificate, &location) {
        (Some(certificate), io::Location::File(path)) => {
            Some(certificate["output"]["sha256"].as_str() == Some(io::hash_file(path)?.as_str()))
        }
        _ => None,
    };
    let strangers = certificate.as_ref().map(|certificate| release_folder::strangers(&request.file, certificate));
    let other_files = strangers.transpose()?.unwrap_or_default();
    let opened = Opened::open(&location, &certified.options)?;
    let kind = request.baskets.kind_of(&opened);
    for (model, _) in &claims {
        catalog::refuse_other_kind("model", catalog::model(model)?.info, kind)?;
    }
    let has_pseudonyms = |certificate: &Value| certificate["ids"].as_str().is_none_or(|ids| ids == "pseudonyms");
    let pseudonyms = certificate.as_ref().is_some_and(has_pseudonyms);
    let names = Naming { pseudonyms, show_values: request.show_values };
    let looked = match kind {
        Kind::Baskets => look_at_baskets(request, &certified, opened, &models, &names, progress)?,
        Kind::Documents => look_at_documents(request, &certified, opened, &models, &names, progress)?,
        _ => look_at_queries(request, &certified, opened, &models, &names, progress)?,
    };
    let outcomes: Vec<ClaimOutcome> = claims
        .into_iter()
        .zip(models.iter().map(AnyModel::needs))
        .zip(looked.verdicts)
        .map(|(((model, parameters), needs), looked)| {
            let (word, achieved, witness) = match looked {
                Some((verdict, witness)) => (if verdict.holds { "holds" } else { "fails" }, verdict.achieved, witness),
                None => ("unchecked", Map::new(), None),
            };
            ClaimOutcome { model, parameters, verdict: word, achieved, witness, needs }
        })
        .collect();
    // Nothing can be said of lines and columns that were not read: they may hold anything.
    let columns_not_read = if kind == Kind::Queries { 0 } else { looked.unmapped.len() };
    let holds = hash_matches != Some(false)
        && other_files.is_empty()
        && looked.refused == 0
        && columns_not_read == 0
        && outcomes.iter().all(|outcome| outcome.verdict != "fails");
    let failing = outcomes.iter().find(|outcome| outcome.verdict == "fails");
    let witness = match failing {
        Some(outcome) => outcome.witness.clone(),
        None if hash_matches == Some(false) => Some(json!({"sha256": "differs from the certificate's"})),
        None if !other_files.is_empty() => Some(json!({"other_files": other_files.len()})),
        None if looked.refused > 0 => Some(json!({"lines_not_read": looked.refused})),
        None => (columns_not_read > 0).then(|| json!({"columns_not_read": columns_not_read})),
    };
    let first = failing.or_else(|| outcomes.iter().find(|outcome| outcome.verdict == "holds"));
    Ok(CheckOutcome {
        model: first.map(|outcome| outcome.model.clone()),
        verdict: if holds { "holds" } else { "fails" },
        achieved: first.map(|outcome| outcome.achieved.clone()).unwrap_or_default(),
        witness,
        claims: outcomes,
        hash_matches,
        other_files,
        persons: looked.persons,
        rows: looked.rows,
        rows_refused: looked.refused,
        kind: kind.name(),
        person_column: looked.person_column,
        unmapped: looked.unmapped,
        notes: looked.notes,
        unused,
    })
}

/// What was seen of a file.
struct Looked {
    /// For each model its verdict, and the witness in words that may be shown; `None` if what it needs is not at hand.
    verdicts: Vec<Option<(Verdict, Option<Value>)>>,
    persons: usize,
    rows: u64,
    refused: u64,
    person_column: String,
    unmapped: Vec<String>,
    notes: Vec<String>,
}

fn look_at_queries(
    request: &CheckRequest,
    certified: &Certified,
    opened: Opened,
    models: &[AnyModel],
    names: &Naming,
    progress: &dyn Progress,
) -> Result<Looked> {
    let location = opened.location().clone();
    let original = models.iter().find_map(AnyModel::needs).and(request.original.as_deref());
    let beside =
        original.map(|original| Beside::read(request, original, &location, certified, progress)).transpose()?;
    let Checked { digests, scanned } =
        io::read_opened_digests(opened, &certified.options, &mut Rng::secure()?, progress)?;
    let verdict = |model: &AnyModel| match model {
        AnyModel::Queries(check) => {
            let verdict = check(&digests);
            let witness = verdict.witness.as_ref().map(|witness| names.of_log(&digests, witness));
            Ok(Some((verdict, witness)))
        }
        AnyModel::QueriesWithOriginal(model) => {
            beside.as_ref().map(|beside| beside.look(model.as_ref(), names, progress)).transpose()
        }
        AnyModel::Baskets(_) | AnyModel::Documents(_) => Err(another_kind()),
    };
    Ok(Looked {
        verdicts: models.iter().map(verdict).collect::<Result<_>>()?,
        persons: digests.names().len(),
        rows: digests.rows(),
        refused: scanned.refused,
        person_column: scanned.layout.name_of(io::Role::User).to_owned(),
        unmapped: scanned.layout.unmapped,
        notes: Vec::new(),
    })
}

/// A release beside its original.
struct Beside<'a> {
    location: &'a io::Location,
    options: &'a ReadOptions,
    original: QueryLog,
    release: QueryLog,
}

impl<'a> Beside<'a> {
    fn read(
        request: &CheckRequest,
        original: &Path,
        location: &'a io::Location,
        certified: &'a Certified,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let opened = Opened::open(&io::resolve(original)?, &request.options)?;
        if opened.kind != Kind::Queries {
            return Err(Error::refused(format!("the release is queries, and the original is {}", opened.kind))
                .with_hint("name the file that the release was made of; `--kind` overrules what a file is taken for"));
        }
        Ok(Self {
            location,
            options: &certified.options,
            original: io::read_opened_log(opened, &request.options, progress)?.log,
            release: io::read_log(location, &certified.options, progress)?.log,
        })
    }

    /// The verdict of a model, and the witness in words that may be shown.
    fn look(
        &self,
        model: &dyn ModelWithOriginal<QueryLog>,
        names: &Naming,
        progress: &dyn Progress,
    ) -> Result<(Verdict, Option<Value>)> {
        let verdict = model.check(&self.original, &self.release);
        let Some(witness) = &verdict.witness else { return Ok((verdict, None)) };
        let value = model.value(&self.release, witness).unwrap_or_default();
        let role = if witness.numbers["column"] == "url" { Role::Url } else { Role::Query };
        let line = io::first_line_with(self.location, self.options, role, value, progress)?;
        let mut named = json!({"persons": witness.group_size, "column": witness.numbers["column"], "line": line});
        if names.show_values {
            named["value"] = json!(value);
        }
        Ok((verdict, Some(named)))
    }
}

fn look_at_baskets(
    request: &CheckRequest,
    certified: &Certified,
    opened: Opened,
    models: &[AnyModel],
    names: &Naming,
    progress: &dyn Progress,
) -> Result<Looked> {
    let options = &request.baskets;
    let sensitive = options.sensitive()?;
    let mut notes = Vec::new();
    let loaded = load_baskets(opened, &certified.options, progress)?;
    let mut baskets = loaded.baskets;
    // The file is judged as it stands; a taxonomy adds what lies under what.
    if let Some(taxonomy) = options.taxonomy()? {
        notes.extend(certified.taxonomy.as_ref().and_then(|record| taxonomy_note(Some(&taxonomy), Some(record))));
        let rule = if options.as_baskets { options.rule() } else { options.unknown.unwrap_or(Unknown::OwnLeaf) };
        baskets = fit(&[&baskets], &taxonomy.taxonomy, rule)?.remove(0).baskets;
    }
    if let Some(labels) = &sensitive {
        let missing;
        (baskets, missing) = with_sensitive(baskets, labels);
        let count = missing.len();
        if count > 0 {
            let items =
                if count == 1 { "1 sensitive item does".to_owned() } else { format!("{count} sensitive items do") };
            notes.push(format!("{items} not occur in the file"));
        }
    }
    let needs_sensitive = |model: &AnyModel| matches!(model, AnyModel::Baskets(model) if model.needs_sensitive());
    if models.iter().any(needs_sensitive) {
        let hint = "name them: `--sensitive FILE`, one item a line";
        match (certified.sensitive_items, baskets.sensitive().len() as u64) {
            // Whether nothing sensitive is known of anybody cannot be said without knowing what is.
            (_, 0) if sensitive.is_none() => {
                return Err(Error::refused("the model is about sensitive items, and none are named").with_hint(hint));
            }
            (Some(count), named) if count != named => notes.push(format!(
                "the release was made for {count} sensitive items, and it was checked for {named} of those named"
            )),
            _ => {}
        }
    }
    let verdict = |model: &AnyModel| match model {
        AnyModel::Baskets(model) => {
            let verdict = model.check(&baskets);
            let witness =
                verdict.witness.as_ref().map(|witness| names.of_baskets(&baskets, &loaded.first_lines, witness));
            Ok(Some((verdict, witness)))
        }
        AnyModel::Queries(_) | AnyModel::QueriesWithOriginal(_) | AnyModel::Documents(_) => Err(another_kind()),
    };
    Ok(Looked {
        verdicts: models.iter().map(verdict).collect::<Result<_>>()?,
        persons: baskets.persons(),
        rows: baskets.rows() as u64,
        refused: loaded.refused,
        person_column: loaded.layout.person.unwrap_or_default(),
        unmapped: loaded.layout.unmapped,
        notes,
    })
}

/// Documents are judged as they stand: of texts, the vectors that they become.
fn look_at_documents(
    request: &CheckRequest,
    certified: &Certified,
    opened: Opened,
    models: &[AnyModel],
    names: &Naming,
    progress: &dyn Progress,
) -> Result<Looked> {
    let loaded = load_documents(opened, &certified.options, &request.baskets, false, progress)?;
    let read = loaded.read;
    let documents = &read.documents;
    let verdict = |model: &AnyModel| match model {
        AnyModel::Documents(model) => {
            let verdict = model.check(documents);
            let witness = verdict.witness.as_ref().map(|witness| {
                let line = read.first_lines.get(witness.person as usize).copied();
                names.name(documents.names().get(witness.person), line, true, witness)
            });
            Ok(Some((verdict, witness)))
        }
        AnyModel::Queries(_) | AnyModel::QueriesWithOriginal(_) | AnyModel::Baskets(_) => Err(another_kind()),
    };
    let id = read.columns.iter().find(|(role, _)| *role == io::DocumentRole::Id);
    Ok(Looked {
        verdicts: models.iter().map(verdict).collect::<Result<_>>()?,
        persons: documents.persons(),
        rows: documents.rows() as u64,
        refused: read.refused,
        person_column: id.map(|(_, name)| name.clone()).unwrap_or_default(),
        unmapped: read.unmapped,
        notes: Vec::new(),
    })
}

type Claims = Vec<(String, Map<String, Value>)>;

/// What is to be checked, and the parameters that nothing uses.
fn claims(request: &CheckRequest, certificate: Option<&Value>) -> Result<(Claims, Vec<String>)> {
    let certified: Claims = certificate
        .and_then(|certificate| certificate["claims"].as_array())
        .into_iter()
        .flatten()
        .filter_map(|claim| Some((claim["model"].as_str()?.to_owned(), claim["parameters"].as_object()?.clone())))
        .collect();
    let Some(model) = &request.model else {
        if certified.is_empty() {
            let problem =
                if certificate.is_some() { "the certificate claims nothing" } else { "no model to check was named" };
            return Err(Error::refused(problem)
                .with_hint("say which: `--model user-k-anonymity --k 5`; `throng list models` shows them all"));
        }
        // Parameters given by hand overrule the certificate's.
        let mut claims = Claims::new();
        let mut unused: Vec<String> = request.parameters.iter().map(|(name, _)| name.clone()).collect();
        for (model, mut parameters) in certified {
            let (typed, rest) = catalog::parameters(catalog::model(&model)?.info, &request.parameters)?;
            parameters.extend(typed);
            unused.retain(|name| rest.contains(name));
            claims.push((model, parameters));
        }
        return Ok((claims, unused));
    };
    let entry = catalog::model(model)?;
    let (typed, unused) = catalog::parameters(entry.info, &request.parameters)?;
    let defaults =
        entry.info.parameters.iter().map(|parameter| (parameter.name.to_owned(), parameter.default.to_owned()));
    let (mut parameters, _) = catalog::parameters(entry.info, &defaults.collect::<Vec<_>>())?;
    let certified: Map<String, Value> =
        certified.into_iter().find(|(name, _)| name == model).map(|(_, parameters)| parameters).unwrap_or_default();
    parameters.extend(certified);
    parameters.extend(typed);
    Ok((vec![(model.clone(), parameters)], unused))
}

/// How a witness may be named: by pseudonym where ids are pseudonyms, else by the number of their first line; by id, and
/// by their items, only on request.
struct Naming {
    pseudonyms: bool,
    show_values: bool,
}

impl Naming {
    fn of_log(&self, digests: &Digests, witness: &Witness) -> Value {
        let line = digests.tallies()[witness.person as usize].first_line;
        self.name(digests.names().get(witness.person), Some(line), true, witness)
    }

    fn of_baskets(&self, baskets: &Baskets, first_lines: &[u64], witness: &Witness) -> Value {
        let line = first_lines.get(witness.person as usize).copied();
        let mut named = self.name(baskets.names().get(witness.person), line, baskets.has_ids(), witness);
        if !witness.items.is_empty() {
            named["item_count"] = json!(witness.items.len());
        }
        if self.show_values {
            named["items"] = witness.items.iter().map(|&item| baskets.label(item)).collect();
        }
        named
    }

    fn name(&self, name: &str, line: Option<u64>, has_ids: bool, witness: &Witness) -> Value {
        let mut named = json!({"group_size": witness.group_size});
        if self.pseudonyms {
            named["pseudonym"] = json!(name);
        } else {
            if let Some(line) = line {
                named["line"] = json!(line);
            }
            if self.show_values && has_ids {
                named["person"] = json!(name);
            }
        }
        for (name, number) in &witness.numbers {
            named[name.as_str()] = number.clone();
        }
        named
    }
}

/// Reads the digests of a query log that is about to be published.
pub(super) fn check_before_publishing(
    data: &Path,
    options: &ReadOptions,
    expected: (usize, u64),
    progress: &dyn Progress,
) -> Result<Digests> {
    let location = io::Location::File(data.to_owned());
    let Checked { digests, scanned } =
        io::read_digests(&location, options, &mut Rng::secure()?, &Checking(progress))
            .map_err(|cause| Error::internal("the release cannot be read back").with_cause(cause))?;
    if (digests.names().len(), digests.rows()) != expected || scanned.refused > 0 {
        return Err(Error::internal("the release does not hold the persons and rows that were written"));
    }
    Ok(digests)
}

/// Somebody who listens to a file that is read to be checked.
pub(super) struct Checking<'a>(pub(super) &'a dyn Progress);

impl Progress for Checking<'_> {
    fn stage(&self, _name: &str, total: u64) {
        self.0.stage("checking", total);
    }

    fn advance(&self, steps: u64) {
        self.0.advance(steps);
    }
}

/// A model was to look at a kind of data that is not its own: those are refused long before.
pub(super) fn another_kind() -> Error {
    Error::internal("a claim about another kind of data")
}

/// Checks the claims of data that are about to be published. Anything that does not hold is an error.
pub(super) fn check_claims(
    claims: &[throng_core::release::Claim],
    check: impl Fn(&AnyModel) -> Result<Verdict>,
) -> Result<Vec<ClaimRecord>> {
    let record = |claim: &throng_core::release::Claim| {
        let model = (catalog::model(claim.model)?.build)(claim.parameters.clone())?;
        let verdict = check(&model)?;
        if !verdict.holds {
            return Err(Error::internal(format!(
                "the release does not satisfy {}, so it was not published: {}",
                claim.model,
                Value::Object(verdict.achieved)
            )));
        }
        Ok(ClaimRecord {
            model: claim.model.to_owned(),
            parameters: claim.parameters.clone(),
            verdict: "holds".to_owned(),
            achieved: verdict.achieved,
            needs: model.needs().map(str::to_owned),
        })
    };
    claims.iter().map(record).collect()
}
