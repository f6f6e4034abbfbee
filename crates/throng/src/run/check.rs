//! `throng check`: does a claim hold for this file, whoever made it?

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};
use throng_core::models::digests::Digests;
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::measure::release_options;
use crate::catalog;
use crate::io::{self, Checked, ReadOptions};

/// What to check.
#[derive(Debug, Clone)]
pub struct CheckRequest {
    /// A file, a release folder or `-`.
    pub file: PathBuf,
    /// The model; every claim of the certificate when not given.
    pub model: Option<String>,
    /// Parameters of the model as typed.
    pub parameters: Vec<(String, String)>,
    /// Whether a witness may be named by their id.
    pub show_values: bool,
    /// How to read the file.
    pub options: ReadOptions,
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
    /// How many persons the file has.
    pub persons: usize,
    /// How many rows.
    pub rows: u64,
    /// Malformed lines that were skipped.
    pub rows_refused: u64,
    /// The column that tells persons apart.
    pub person_column: String,
    /// Columns without a role, which were compared byte for byte.
    pub unmapped: Vec<String>,
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
    /// `holds` or `fails`.
    pub verdict: &'static str,
    /// What the data achieve.
    pub achieved: Map<String, Value>,
    /// When it fails: who shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Value>,
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
    let certificate = request.file.is_dir().then(|| io::read_release_certificate(&request.file)).transpose()?;
    let (claims, unused) = claims(request, certificate.as_ref())?;
    // All parameters are checked before a large file is read.
    let checks = claims
        .iter()
        .map(|(model, parameters)| (catalog::model(model)?.build)(parameters.clone()))
        .collect::<Result<Vec<_>>>()?;
    let (options, _) = release_options(&request.file, &request.options)?;
    let hash_matches = match (&certificate, &location) {
        (Some(certificate), io::Location::File(path)) => {
            Some(certificate["output"]["sha256"].as_str() == Some(io::hash_file(path)?.as_str()))
        }
        _ => None,
    };
    let Checked { digests, scanned } = io::read_digests(&location, &options, &mut Rng::secure()?, progress)?;
    let ids_are_pseudonyms = certificate.as_ref().is_some_and(|certificate| certificate["ids"] != "kept");
    let outcomes: Vec<ClaimOutcome> = claims
        .into_iter()
        .zip(checks)
        .map(|((model, parameters), check)| {
            let verdict = check(&digests);
            let witness = verdict.witness.map(|witness| {
                name_witness(&digests, witness.person, witness.group_size, ids_are_pseudonyms, request.show_values)
            });
            let word = if verdict.holds { "holds" } else { "fails" };
            ClaimOutcome { model, parameters, verdict: word, achieved: verdict.achieved, witness }
        })
        .collect();
    // Nothing can be said of lines that were not read: they may hold anything.
    let holds = hash_matches != Some(false)
        && scanned.refused == 0
        && outcomes.iter().all(|outcome| outcome.verdict == "holds");
    let failing = outcomes.iter().find(|outcome| outcome.verdict == "fails");
    let witness = match failing {
        Some(outcome) => outcome.witness.clone(),
        None if hash_matches == Some(false) => Some(json!({"sha256": "differs from the certificate's"})),
        None => (scanned.refused > 0).then(|| json!({"lines_not_read": scanned.refused})),
    };
    let first = failing.or(outcomes.first());
    Ok(CheckOutcome {
        model: first.map(|outcome| outcome.model.clone()),
        verdict: if holds { "holds" } else { "fails" },
        achieved: first.map(|outcome| outcome.achieved.clone()).unwrap_or_default(),
        witness,
        claims: outcomes,
        hash_matches,
        persons: digests.names().len(),
        rows: digests.rows(),
        rows_refused: scanned.refused,
        person_column: scanned.layout.name_of(io::Role::User).to_owned(),
        unmapped: scanned.layout.unmapped,
        unused,
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
        let mut unused = Vec::new();
        for (model, mut parameters) in certified {
            let (typed, rest) = catalog::parameters(catalog::model(&model)?.info, &request.parameters)?;
            parameters.extend(typed);
            unused = rest;
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

/// Names a witness: by pseudonym where ids are pseudonyms, else by the number of their first line; by id only on request.
fn name_witness(digests: &Digests, person: u32, group_size: usize, pseudonyms: bool, show_values: bool) -> Value {
    let name = digests.names().get(person);
    let mut witness = json!({"group_size": group_size});
    if pseudonyms {
        witness["pseudonym"] = json!(name);
    } else {
        witness["line"] = json!(digests.tallies()[person as usize].first_line);
        if show_values {
            witness["person"] = json!(name);
        }
    }
    witness
}

/// Checks the claims of a file that is about to be published. Anything that does not hold is an error.
pub(super) fn check_before_publishing(
    data: &Path,
    options: &ReadOptions,
    claims: &[throng_core::release::Claim],
    expected: (usize, u64),
    progress: &dyn Progress,
) -> Result<Vec<crate::certificate::ClaimRecord>> {
    let location = io::Location::File(data.to_owned());
    let Checked { digests, scanned } = io::read_digests(&location, options, &mut Rng::secure()?, progress)
        .map_err(|cause| Error::internal("the release cannot be read back").with_cause(cause))?;
    if (digests.names().len(), digests.rows()) != expected || scanned.refused > 0 {
        return Err(Error::internal("the release does not hold the persons and rows that were written"));
    }
    claims
        .iter()
        .map(|claim| {
            let verdict = (catalog::model(claim.model)?.build)(claim.parameters.clone())?(&digests);
            if !verdict.holds {
                return Err(Error::internal(format!(
                    "the release does not satisfy {}, so it was not published: {}",
                    claim.model,
                    Value::Object(verdict.achieved)
                )));
            }
            Ok(crate::certificate::ClaimRecord {
                model: claim.model.to_owned(),
                parameters: claim.parameters.clone(),
                verdict: "holds".to_owned(),
                achieved: verdict.achieved,
            })
        })
        .collect()
}
