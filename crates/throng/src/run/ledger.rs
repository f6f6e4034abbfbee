//! `throng ledger`: what was released before, that nobody changed the list, and a release that is not in it yet.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::certified::Certified;
use super::recorded::{LedgerRequest, Recorded, Recording};
use crate::certificate::Certificate;
use crate::io::{self, Location, csv_records};
use crate::kinds::{self, Ask};
use crate::ledger::{self, Line};
use crate::limits;
use crate::words::counted;

/// What a ledger holds.
#[derive(Debug, Serialize)]
pub struct LedgerShown {
    /// Its lines.
    pub lines: Vec<Line>,
    /// What a run that ended early left to be written, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<String>,
}

/// Whether a ledger is whole.
#[derive(Debug, Serialize)]
pub struct LedgerVerified {
    /// `holds` or `fails`.
    pub verdict: &'static str,
    /// How many lines are whole, from the first on.
    pub lines: u64,
    /// The hash of the last of them, to compare with a copy.
    pub last: String,
    /// How many of these lines only the owner of the ledger's key can have written; nothing is known of that without the key.
    pub under_key: Option<u64>,
    /// What could not be verified, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_verified: Option<String>,
    /// The line that is not whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The byte at which it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// What is wrong, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A release that is put into a ledger after it was made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LedgerAddRequest {
    /// The ledger, the data set, and what is continued.
    pub ledger: LedgerRequest,
    /// The release folder.
    pub release: PathBuf,
    /// The link between its persons and pseudonyms, to know who is in it.
    pub key: Option<PathBuf>,
}

/// The lines of a ledger, which must be whole.
pub fn ledger_show(path: &Path) -> Result<LedgerShown> {
    let contents = ledger::read(path)?;
    let lines = contents.verify().map_err(|broken| broken.error(path))?;
    Ok(LedgerShown { lines, pending: contents.pending.map(|pending| pending.says()) })
}

/// Whether every line is its own canonical form, numbered and chained, and none is missing that a release waits for.
pub fn ledger_verify(path: &Path) -> Result<LedgerVerified> {
    let contents = ledger::read(path)?;
    let (lines, broken) = match contents.verify() {
        Ok(lines) => (lines, None),
        Err(broken) => (ledger::verify(&contents.bytes[..broken.offset as usize]).unwrap_or_default(), Some(broken)),
    };
    let with_mac = lines.iter().filter(|line| line.mac.is_some()).count() as u64;
    let without = lines.len() as u64 - with_mac;
    let not_verified = match &contents.key {
        _ if lines.is_empty() => None,
        None => Some(format!(
            "whether the owner of the ledger wrote its last lines as they are (who is in a release, of which data set): the key {} is not \
             there",
            ledger::key_place(path).display()
        )),
        Some(_) if without > 0 => Some(format!(
            "{} without a `mac`, as earlier versions wrote them: only the chain speaks for them",
            counted(without, "line", "lines")
        )),
        Some(_) => None,
    };
    let (line, offset, problem) = match (broken, &contents.pending) {
        (Some(broken), _) => (Some(broken.line), Some(broken.offset), Some(broken.says())),
        (None, Some(pending)) => (
            Some(pending.line.n),
            Some(contents.bytes.len() as u64),
            Some(format!("line {} is pending: {}", pending.line.n, pending.says())),
        ),
        (None, None) => (None, None, None),
    };
    Ok(LedgerVerified {
        verdict: if problem.is_none() { "holds" } else { "fails" },
        lines: lines.len() as u64,
        last: ledger::next_place(&lines).previous,
        under_key: contents.key.is_some().then_some(with_mac),
        not_verified,
        line,
        offset,
        problem,
    })
}

/// What was added, and what the custodian should know.
#[derive(Debug)]
pub struct LedgerAdded {
    /// The line.
    pub recorded: Recorded,
    /// What else there is to know.
    pub notes: Vec<String>,
}

/// Writes the line of a release that is there already.
pub fn ledger_add(request: &LedgerAddRequest, progress: &dyn Progress) -> Result<LedgerAdded> {
    let LedgerAddRequest { ledger: LedgerRequest { file, dataset, .. }, release, .. } = request;
    ledger::check_dataset(dataset)?;
    let certified = Certified::open_release(release, &Ask::default())?;
    let (Some(certificate), Location::File(data)) = (&certified.certificate, &certified.location) else {
        return Err(Error::internal("a release without a certificate was opened"));
    };
    ledger::check_place(file, release)?;
    if !certificate.output.is_of(&certified.location)? {
        return Err(Error::refused("the data are not those that the certificate was written for")
            .in_file(data.display().to_string())
            .with_hint("a ledger says what has left: `throng check` says what is wrong with the release"));
    }
    let mut notes: Vec<String> = super::recorded::settle(&request.ledger)?.into_iter().collect();
    let hash = io::hash_file(&Certificate::place(release))?;
    let ids = ids_of(request, &certified, certificate, progress)?;
    if ids.is_none() && certificate.ids == "pseudonyms" {
        notes.push(
            "nobody knows who is in this release, so later releases of the same people are not noticed: `--key FILE` names its key".to_owned(),
        );
    }
    let recording = Recording::begin(&request.ledger, ids.as_ref().map(|ids| ids.iter().map(String::as_str)))?;
    if let Some(line) = recording.lines().iter().find(|line| line.certificate_sha256 == hash) {
        return Err(Error::refused(format!("the release is in the ledger already, as line {}", line.n))
            .with_hint("`throng check RELEASE --ledger FILE` compares the two"));
    }
    let place = recording.place();
    if let Some(own) = certificate.ledger.as_ref().filter(|own| **own != place) {
        return Err(Error::refused(format!(
            "the certificate is that of line {} of a ledger, and the next line of this one is {}, after another line",
            own.n, place.n
        ))
        .with_hint("it belongs to another ledger, or lines were added or cut off since: nothing was written"));
    }
    let recorded = recording.add(certificate, hash, release)?;
    Ok(LedgerAdded { recorded, notes })
}

/// The ids that the persons of a release had: those of its key, or its own if they were kept.
fn ids_of(
    request: &LedgerAddRequest,
    certified: &Certified,
    certificate: &Certificate,
    progress: &dyn Progress,
) -> Result<Option<Vec<String>>> {
    match (&request.key, certificate.ids.as_str()) {
        (Some(key), _) => {
            if let [_, Some(hash)] = crate::key::hashes(key)?
                && hash != certificate.output.sha256
            {
                return Err(Error::refused("the key was written with another release")
                    .in_file(key.display().to_string())
                    .with_hint("`FILE.json` beside a key names the hash of its release"));
            }
            persons_of(key).map(Some)
        }
        (None, "kept") => {
            let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
            kind.person_ids(opened, &certified.ask, progress).map(Some)
        }
        (None, _) => Ok(None),
    }
}

/// The persons that a key names with a pseudonym.
fn persons_of(key: &Path) -> Result<Vec<String>> {
    let bytes = limits::read_file(key, "the key file ", limits::MOST_KEY_BYTES)?;
    let wrong = |problem: &str, line: u64| Error::data(problem).at_line(line).in_file(key.display().to_string());
    let records = csv_records(&bytes);
    let Some(((_, header), rows)) = records.split_first() else { return Err(wrong("the key file is empty", 1)) };
    let column = |name: &str| header.iter().position(|field| field == name.as_bytes());
    let (Some(person), Some(pseudonym)) = (column("person"), column("pseudonym")) else {
        return Err(wrong("this is no key file: its header must be `person,pseudonym,group`", 1));
    };
    let mut persons = Vec::new();
    for (line, row) in rows {
        let field = |column: usize| row.get(column).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let (Some(person), Some(pseudonym)) = (field(person), field(pseudonym)) else {
            return Err(wrong("the line of the key file lacks a column", *line));
        };
        // Persons who were held out have no pseudonym, and are not in the release.
        if !pseudonym.is_empty() {
            persons.push(person.to_owned());
        }
    }
    Ok(persons)
}
