//! What vouches for a release beside its own folder: a signature by a trusted key, and its line in a ledger.

use std::path::Path;

use serde::Serialize;
use throng_core::{Error, Result};

use super::check::{CheckOutcome, ClaimOutcome};
use crate::certificate::{Certificate, ClaimRecord};
use crate::ledger::{self, Found};
use crate::policy::Judgement;
use crate::signature::{self, Problem, PublicKey};
use crate::{io, limits};

/// What a signature is worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignatureOutcome {
    /// `holds` or `fails`.
    pub verdict: &'static str,
    /// The id of the trusted key.
    pub key: String,
    /// When it fails: `no-signature`, `form`, `other-key`, `certificate-changed` or `data-changed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<&'static str>,
    /// The same in a sentence.
    pub says: String,
}

/// What a ledger says of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LedgerOutcome {
    /// `holds` or `fails`.
    pub verdict: &'static str,
    /// The number of its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// In a sentence.
    pub says: String,
}

/// Refuses to look for a signature or a line of what is no release.
pub(super) fn refuse_no_release() -> Error {
    Error::refused("only a release folder has a signature and a line in a ledger")
        .with_hint("give the folder that `throng protect` made; leave `--trusted` and `--ledger` out for other files")
}

/// The certificate's signature, judged by a key before anything that the certificate says is believed.
pub(super) fn signature(folder: &Path, trusted: &Path) -> Result<SignatureOutcome> {
    let key = PublicKey::read(trusted)?;
    let certificate = limits::read_file(&Certificate::place(folder), "", limits::MOST_REPORT_BYTES)?;
    let place = folder.join(signature::FILE);
    let found = if place.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
        let text = limits::read_file(&place, "the signature ", limits::MOST_LIST_BYTES)?;
        key.verify(&text, &certificate)
    } else {
        Err(Problem::Absent)
    };
    let id = key.id().to_string();
    Ok(match found {
        Ok(()) => SignatureOutcome {
            verdict: "holds",
            says: format!("the certificate is signed with the trusted key {id}"),
            key: id,
            problem: None,
        },
        Err(problem) => {
            SignatureOutcome { verdict: "fails", key: id, problem: Some(problem.code()), says: problem.says() }
        }
    })
}

impl SignatureOutcome {
    /// The same if the data are not those of the certificate that was signed.
    pub(super) fn with_other_data(self) -> Self {
        let says = "the data are not those of the signed certificate: they were changed after it was signed".to_owned();
        Self { verdict: "fails", problem: Some("data-changed"), says, ..self }
    }
}

/// The line of a release in a ledger.
pub(super) fn line(folder: &Path, certificate: &Certificate, ledger: &Path) -> Result<LedgerOutcome> {
    let hash = io::hash_file(&Certificate::place(folder))?;
    Ok(match ledger::find(&ledger::read(ledger)?, certificate, &hash) {
        Found::Chained(n) => LedgerOutcome {
            verdict: "holds",
            n: Some(n),
            says: format!("line {n} names this certificate, and the certificate names the line before it"),
        },
        Found::Added(n) => LedgerOutcome {
            verdict: "holds",
            n: Some(n),
            says: format!("line {n} names this certificate, which was added later and names no line itself"),
        },
        Found::Missing(says) => LedgerOutcome { verdict: "fails", n: None, says },
    })
}

impl CheckOutcome {
    /// A release whose certificate is not believed: nothing else was looked at.
    pub(super) fn untrusted(signature: SignatureOutcome) -> Self {
        Self {
            hash_matches: (signature.problem == Some("data-changed")).then_some(false),
            witness: Some(serde_json::json!({"signature": signature.problem})),
            signature: Some(signature),
            ..Self::failed()
        }
    }

    /// A release whose data are not those of its certificate, and cannot even be read. The claims were not looked at.
    pub(super) fn altered(kind: &'static str, certificate: &Certificate, error: &Error) -> Self {
        let unchecked = |claim: &ClaimRecord| ClaimOutcome {
            model: claim.model.clone(),
            parameters: claim.parameters.clone(),
            verdict: "unchecked",
            achieved: serde_json::Map::new(),
            witness: None,
            witness_in_words: None,
            needs: None,
        };
        let claims: Vec<ClaimOutcome> = certificate.claims.iter().map(unchecked).collect();
        Self {
            model: claims.first().map(|claim| claim.model.clone()),
            claims,
            witness: Some(serde_json::json!({"sha256": "differs from the certificate's"})),
            hash_matches: Some(false),
            kind,
            notes: vec![format!("the data cannot be read: {error}")],
            ..Self::failed()
        }
    }

    fn failed() -> Self {
        Self {
            model: None,
            verdict: "fails",
            achieved: serde_json::Map::new(),
            witness: None,
            claims: Vec::new(),
            hash_matches: None,
            other_files: Vec::new(),
            not_compared: Vec::new(),
            on_trust: Vec::new(),
            signature: None,
            ledger: None,
            policy: None,
            persons: 0,
            rows: 0,
            rows_refused: 0,
            kind: "",
            person_column: String::new(),
            unmapped: Vec::new(),
            columns_not_read: 0,
            notes: Vec::new(),
            unused: Vec::new(),
        }
    }

    /// The same with what was found beside the folder.
    pub(super) fn vouched(mut self, signature: Option<SignatureOutcome>, ledger: Option<LedgerOutcome>) -> Self {
        if ledger.as_ref().is_some_and(|ledger| ledger.verdict == "fails") {
            self.verdict = "fails";
            self.witness.get_or_insert_with(|| serde_json::json!({"ledger": "does not have this release"}));
        }
        self.signature = signature;
        self.ledger = ledger;
        self
    }

    /// The same with what a policy says: what it does not allow fails.
    pub(super) fn judged(mut self, policy: Option<Judgement>) -> Self {
        if policy.as_ref().is_some_and(|policy| !policy.allows()) {
            self.verdict = "fails";
            self.witness.get_or_insert_with(|| serde_json::json!({"policy": "does not allow this release"}));
        }
        self.notes.extend(policy.iter().flat_map(|policy| policy.notes.iter().cloned()));
        self.policy = policy;
        self
    }
}
