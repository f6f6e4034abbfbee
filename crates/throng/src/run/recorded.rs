//! What a release is put on record with: its line in a ledger, and the signature of its certificate.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::{Error, Result};

use crate::certificate::Certificate;
use crate::io;
use crate::ledger::{self, LedgerPlace, Line, PATIENCE, People, PeopleKey, SamePeople, Says, Writing};
use crate::limits;
use crate::pending::{self, Pending};
use crate::signature::SecretKey;

/// The ledger that a release is written into.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LedgerRequest {
    /// The file; it is begun if it is not there.
    pub file: PathBuf,
    /// What the data set is called.
    pub dataset: String,
    /// The lines whose releases this one is meant to go on from.
    pub continues: Vec<u64>,
}

/// Who signs a certificate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SignRequest {
    /// The secret key.
    pub key: PathBuf,
    /// A file whose first line is its password.
    pub password_file: Option<PathBuf>,
}

/// What was written into a ledger.
#[derive(Debug, Clone, Serialize)]
pub struct Recorded {
    /// The number of the line.
    pub n: u64,
    /// The hash of the line before.
    pub previous: String,
    /// Its own.
    pub hash: String,
    /// Earlier lines with the same people.
    pub same_people: Vec<SamePeople>,
    /// What to say if nobody can tell whether earlier lines have the same people.
    pub unknown_people: Option<String>,
}

impl SignRequest {
    /// The key, opened.
    pub fn open(&self) -> Result<SecretKey> {
        let password = self.password_file.as_deref().map(password).transpose()?;
        SecretKey::read(&self.key, password.as_deref())
    }
}

/// The password that is the first line of a file.
pub(super) fn password(path: &Path) -> Result<Vec<u8>> {
    let text = limits::read_file(path, "the password ", limits::MOST_LIST_BYTES)?;
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        return Err(Error::data("the password is empty").in_file(path.display().to_string()).with_hint(
            "the first line of `--password-file` is the password; leave the flag out for a key without one",
        ));
    }
    Ok(line.to_vec())
}

/// Refuses, before anything is read or written, what could not be put on record at the end.
pub(super) fn check_record(request: &LedgerRequest, release: &Path, key: Option<&Path>) -> Result<()> {
    ledger::check_dataset(&request.dataset)?;
    ledger::check_place(&request.file, release)?;
    let own = [
        (request.file.clone(), "is the ledger itself"),
        (ledger::key_place(&request.file), "is the place of the ledger's own key"),
        (ledger::PendingLine::place(&request.file), "is where the ledger puts a line that is about to be written"),
    ];
    for (place, problem) in own {
        if key.is_some_and(|key| pending::is_same_place(key, &place)) {
            return Err(Error::parameter("key", problem).with_hint("give it another name"));
        }
    }
    if request.file.exists() {
        check_continues(&ledger::read(&request.file)?, &request.continues)
    } else {
        known_line(0, &request.continues)
    }
}

/// A line that is torn is mended later: what cannot be told now is looked at again then.
fn check_continues(contents: &ledger::Contents, continues: &[u64]) -> Result<()> {
    match contents.verify() {
        Ok(lines) => known_line(lines.len() + usize::from(contents.pending.is_some()), continues),
        Err(_) => Ok(()),
    }
}

fn known_line(lines: usize, continues: &[u64]) -> Result<()> {
    match continues.iter().find(|&&n| n == 0 || n > lines as u64) {
        Some(n) => Err(Error::parameter("continues", format!("is {n}, but the ledger has {lines} lines"))
            .with_hint("`throng ledger show LEDGER` lists them")),
        None => Ok(()),
    }
}

/// Finishes what a run that was killed left of a ledger, before its hidden folder is tidied away.
pub(super) fn settle(request: &LedgerRequest) -> Result<Option<String>> {
    if !request.file.exists() {
        return Ok(None);
    }
    Writing::begin(&request.file, PATIENCE).map(|(_, note)| note)
}

/// A release on its way into a ledger. Nobody else writes into it meanwhile.
pub(super) struct Recording<'a> {
    request: &'a LedgerRequest,
    writing: Writing,
    people: Option<People>,
    key: PeopleKey,
    new_key: Option<(Pending, PathBuf)>,
    /// Earlier lines with the same people.
    pub(super) same_people: Vec<SamePeople>,
    unknown_people: Option<String>,
}

impl<'a> Recording<'a> {
    /// Takes the next line of a ledger for a release of some persons; nobody knows who they are if there are no ids.
    pub(super) fn begin<'b>(
        request: &'a LedgerRequest,
        ids: Option<impl IntoIterator<Item = &'b str>>,
    ) -> Result<Self> {
        let (writing, _) = Writing::begin(&request.file, PATIENCE)?;
        known_line(writing.lines().len(), &request.continues)?;
        // Lines are written under it, be it known who is in a release or not.
        let (key, new_key) = writing.people_key()?;
        let people = ids.map(|ids| People::of(ids, &key));
        let same_people = ledger::same_people(writing.lines(), people.as_ref(), &request.continues);
        let unknown_people = match people {
            None => ledger::unknown_people(writing.lines(), &request.dataset, &request.continues),
            Some(_) => None,
        };
        Ok(Self { request, writing, people, key, new_key, same_people, unknown_people })
    }

    /// The place of the line, for the certificate.
    pub(super) fn place(&self) -> LedgerPlace {
        self.writing.place()
    }

    /// Who is in the release, if that is known.
    pub(super) fn people(&self) -> Option<&People> {
        self.people.as_ref()
    }

    /// What has left before.
    pub(super) fn lines(&self) -> &[Line] {
        self.writing.lines()
    }

    /// Gives the release its name and the ledger its line: both or neither. The release is the last of what is finished.
    pub(super) fn publish(
        mut self,
        certificate: &Certificate,
        says: Option<Says>,
        mut finished: Vec<(Pending, PathBuf)>,
        over: Option<&Path>,
    ) -> Result<Recorded> {
        let text = certificate.text()?;
        let LedgerRequest { dataset, continues, .. } = self.request;
        let line = Line::of(certificate, io::hash_bytes(&text), self.place(), dataset, self.people, continues, says)?
            .under(&self.key)?;
        let Some((unpublished, release)) = finished.last() else {
            return Err(Error::internal("nothing is published"));
        };
        let release = release.clone();
        self.writing.announce(&line, &release, unpublished.path())?;
        if let Some(key) = self.new_key {
            finished.insert(0, key);
        }
        pending::publish_sealed(finished, over, || self.writing.append(&line, &release))?;
        let (same_people, unknown_people) = (self.same_people, self.unknown_people);
        Ok(Recorded { n: line.n, previous: line.previous, hash: line.hash, same_people, unknown_people })
    }

    /// Writes the line of a release that has its name already.
    pub(super) fn add(
        mut self,
        certificate: &Certificate,
        certificate_sha256: String,
        release: &Path,
    ) -> Result<Recorded> {
        let LedgerRequest { dataset, continues, .. } = self.request;
        let line = Line::of(certificate, certificate_sha256, self.place(), dataset, self.people, continues, None)?
            .under(&self.key)?;
        if let Some(key) = self.new_key {
            pending::publish_sealed(vec![key], None, || self.writing.append(&line, release))?;
        } else {
            self.writing.append(&line, release)?;
        }
        let (same_people, unknown_people) = (self.same_people, self.unknown_people);
        Ok(Recorded { n: line.n, previous: line.previous, hash: line.hash, same_people, unknown_people })
    }
}
