//! The ledger: what has left the house, one line a release, each chained to the line before.
//!
//! # Form
//! A line is one JSON object in its canonical form ([`crate::canonical`]). `hash` is the SHA-256, in hex, of the canonical line without
//! `hash`; `previous` is the hash of the line before, and 64 zeros in the first. `people` is a keyed sketch of who is in the release
//! ([`people`]), `null` where the data have no ids or nobody knows them. `continues` is there only where somebody said so. `mac` is
//! HMAC-SHA-256, in hex, of the canonical line without `hash` and `mac`, under a key that is HMAC-SHA-256 of `throng ledger line` under the
//! ledger's key; lines of earlier versions have none.
//!
//! # Guarantee
//! No byte of a line can be changed, and no line taken out, moved or put in between, without [`verify`] naming a line. Lines cut off at the
//! end leave a chain that is whole: the certificate of a release names its line and the hash before it, so whoever has that release shows
//! the cut ([`find`]). With the ledger's key nobody else can write a line anew, not even the last: [`Contents::verify`]; after a line
//! with a `mac` none is without.
//!
//! Does not   keep its owner, who has the key, from writing the whole chain anew; only certificates that are out already, or a copy
//! elsewhere, show that.

mod pending_line;
pub mod people;
mod writing;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throng_core::text::alike::is_unseen;
use throng_core::{Error, Result};

use crate::certificate::{Certificate, ClaimRecord};
use crate::policy::{Atom, Seen, finders_of, is_meant};
use crate::{canonical, io, limits, pending};

pub use pending_line::PendingLine;
pub use people::{InCommon, People, PeopleKey};
pub use writing::Writing;

/// What stands before the first line.
pub const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// How times are written.
const TIME_FORM: &str = "%Y-%m-%dT%H:%M:%SZ";
/// How long a run waits for another one that writes into the same ledger.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its number, from 1.
    pub n: u64,
    /// When it was written, in UTC, as `2026-11-17T21:30:00Z`.
    pub time: String,
    /// What the data set is called.
    pub dataset: String,
    /// The SHA-256 of the release's `certificate.json`.
    pub certificate_sha256: String,
    /// The SHA-256 of its data.
    pub data_sha256: String,
    /// The method, by name.
    pub method: String,
    /// What is claimed.
    pub claims: Vec<LineClaim>,
    /// Who is in it.
    pub people: Option<People>,
    /// The lines whose releases this one is meant to go on from: a number where it is one, a list where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "one_or_several")]
    pub continues: Vec<u64>,
    /// What it says, where a policy asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<Says>,
    /// The hash of the line before.
    pub previous: String,
    /// What only the owner of the ledger's key can have written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mac: Option<String>,
    /// The hash of this one.
    pub hash: String,
}

/// One number, as it has always been written, or a list of several.
mod one_or_several {
    use serde::{Deserialize, Deserializer, Serialize as _, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Numbers {
        One(u64),
        Several(Vec<u64>),
    }

    pub(super) fn serialize<S: Serializer>(numbers: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
        match numbers {
            [only] => only.serialize(serializer),
            several => several.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
        Ok(match Numbers::deserialize(deserializer)? {
            Numbers::One(only) => vec![only],
            Numbers::Several(several) => several,
        })
    }
}

/// What a release says, as far as a policy asked: for rules on what may leave after it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Says {
    /// The fields that have a value.
    pub fields: BTreeSet<String>,
    /// What it mentions, as `concept disease.n.01`.
    pub mentions: BTreeSet<String>,
    /// What was looked for, and is not in it.
    pub lacks: BTreeSet<String>,
}

impl Says {
    /// What a policy found.
    pub fn of_seen(seen: &Seen) -> Self {
        let texts = |is_said: bool| {
            seen.looked_for.iter().filter(move |atom| seen.said.contains(atom) == is_said).map(ToString::to_string)
        };
        Self { fields: seen.fields.clone(), mentions: texts(true).collect(), lacks: texts(false).collect() }
    }

    /// Whether it says something, if somebody looked. Fields are known without.
    pub fn of(&self, atom: &Atom) -> Option<bool> {
        let text = atom.to_string();
        if self.mentions.contains(&text) {
            return Some(true);
        }
        match atom {
            Atom::Field(name) => Some(self.fields.iter().any(|field| is_meant(field, name)))
                .filter(|is_there| *is_there || self.lacks.contains(&text) || finders_of(name).is_empty()),
            _ => self.lacks.contains(&text).then_some(false),
        }
    }

    /// The same with what somebody else found in it.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.fields.extend(other.fields);
        self.mentions.extend(other.mentions);
        self.lacks.extend(other.lacks);
        self
    }
}

/// A claim of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LineClaim {
    /// The model.
    pub model: String,
    /// Its parameters.
    pub parameters: Map<String, Value>,
}

impl LineClaim {
    /// The claims of a certificate.
    fn all_of(certificate: &Certificate) -> Vec<Self> {
        let claim = |claim: &ClaimRecord| Self { model: claim.model.clone(), parameters: claim.parameters.clone() };
        certificate.claims.iter().map(claim).collect()
    }
}

/// Where a release stands in a ledger, as its certificate says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerPlace {
    /// The number of its line.
    pub n: u64,
    /// The hash of the line before.
    pub previous: String,
}

/// What is wrong with a ledger, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The line, from 1.
    pub line: u64,
    /// The byte of the file at which it begins.
    pub offset: u64,
    /// What is wrong, as the end of a sentence.
    pub problem: String,
    /// Whether it is the end of the file that is missing.
    pub is_torn: bool,
}

impl Broken {
    /// In a sentence.
    pub fn says(&self) -> String {
        format!("line {} (at byte {}) {}", self.line, self.offset, self.problem)
    }

    /// For whoever cannot go on.
    pub fn error(&self, path: &Path) -> Error {
        let hint = if self.is_torn {
            format!(
                "a run or the machine ended while it was written: keep a copy, cut the file to {} bytes (`truncate -s {}`), and \
                 add the release whose line it was with `throng ledger add`",
                self.offset, self.offset
            )
        } else if self.line == 1 {
            "is this file a ledger? A ledger is what `protect --ledger FILE` writes. If it was one, somebody changed it: take the last copy that \
             `throng ledger verify` finds whole"
                .to_owned()
        } else {
            "somebody changed the ledger: nothing is added to it. Take the last copy that `throng ledger verify` finds whole".to_owned()
        };
        let what = if self.is_torn { "the ledger is torn" } else { "the ledger is not whole" };
        Error::data(format!("{what}: {}", self.says()))
            .at_line(self.line)
            .in_file(path.display().to_string())
            .with_hint(hint)
    }
}

impl Line {
    /// The line of a release, hashed.
    pub fn of(
        certificate: &Certificate,
        certificate_sha256: String,
        place: LedgerPlace,
        dataset: &str,
        people: Option<People>,
        continues: &[u64],
        says: Option<Says>,
    ) -> Result<Self> {
        let line = Self {
            n: place.n,
            time: now(),
            dataset: dataset.to_owned(),
            certificate_sha256,
            data_sha256: certificate.output.sha256.clone(),
            method: certificate.method.name.clone(),
            claims: LineClaim::all_of(certificate),
            people,
            continues: continues.to_vec(),
            says,
            previous: place.previous,
            mac: None,
            hash: String::new(),
        };
        let hash = hash_of(line.value()?);
        Ok(Self { hash, ..line })
    }

    /// The same under the key of the ledger.
    pub fn under(self, key: &PeopleKey) -> Result<Self> {
        let line = Self { mac: Some(mac_of(self.value()?, key)), ..self };
        let hash = hash_of(line.value()?);
        Ok(Self { hash, ..line })
    }

    /// What it says of the release, and the certificate does not.
    fn belies(&self, certificate: &Certificate) -> Option<String> {
        let what = match (self.method == certificate.method.name, self.claims == LineClaim::all_of(certificate)) {
            (true, true) => return None,
            (false, _) => "another method",
            (true, false) => "other claims",
        };
        Some(format!("line {} of the ledger names {what} than the certificate: it was changed", self.n))
    }

    /// The text, without its end.
    pub fn text(&self) -> Result<String> {
        Ok(canonical::text(&self.value()?))
    }

    fn value(&self) -> Result<Value> {
        serde_json::to_value(self).map_err(|cause| Error::internal(cause.to_string()))
    }
}

fn now() -> String {
    chrono::Utc::now().format(TIME_FORM).to_string()
}

/// The hash of a line: of everything in it but the hash.
fn hash_of(mut line: Value) -> String {
    if let Some(line) = line.as_object_mut() {
        line.remove("hash");
    }
    io::hash_bytes(canonical::text(&line).as_bytes())
}

/// The code of a line under the ledger's key: of everything in it but the code and the hash.
fn mac_of(mut line: Value, key: &PeopleKey) -> String {
    if let Some(line) = line.as_object_mut() {
        line.remove("hash");
        line.remove("mac");
    }
    // Persons have the key itself: nobody's id can be taken for a line.
    let own = people::code(key, b"throng ledger line");
    people::code(&own, canonical::text(&line).as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The place after some lines.
pub fn next_place(lines: &[Line]) -> LedgerPlace {
    let previous = lines.last().map_or(BEGINNING, |line| &line.hash).to_owned();
    LedgerPlace { n: lines.len() as u64 + 1, previous }
}

/// The lines of a ledger, if all of it is as it was written, as far as that can be told without its key.
pub fn verify(bytes: &[u8]) -> std::result::Result<Vec<Line>, Broken> {
    verify_under(bytes, None)
}

/// The same with the ledger's key, if it is there.
fn verify_under(bytes: &[u8], key: Option<&PeopleKey>) -> std::result::Result<Vec<Line>, Broken> {
    let mut lines: Vec<Line> = Vec::new();
    let mut offset = 0;
    while offset < bytes.len() {
        let number = lines.len() as u64 + 1;
        let broken = |problem: String, is_torn| Broken { line: number, offset: offset as u64, problem, is_torn };
        let Some(length) = bytes[offset..].iter().position(|&byte| byte == b'\n') else {
            return Err(broken("is torn: the file ends in the middle of it".to_owned(), true));
        };
        let must_have_mac = lines.last().is_some_and(|line| line.mac.is_some());
        let line =
            verify_line(&bytes[offset..offset + length], &next_place(&lines), key)
                .and_then(|line| match must_have_mac && line.mac.is_none() {
                    true => Err("has no `mac`, and the line before has one: it was not written with the ledger's key"
                        .to_owned()),
                    false => Ok(line),
                })
                .map_err(|problem| broken(problem, false))?;
        lines.push(line);
        offset += length + 1;
    }
    Ok(lines)
}

fn verify_line(bytes: &[u8], place: &LedgerPlace, key: Option<&PeopleKey>) -> std::result::Result<Line, String> {
    // Keys that a later version adds are hashed with the rest.
    let value: Value = serde_json::from_slice(bytes).map_err(|_| "is not JSON".to_owned())?;
    if canonical::text(&value).as_bytes() != bytes {
        return Err("is not in its canonical form".to_owned());
    }
    let line: Line = Line::deserialize(&value).map_err(|cause| format!("is no line of a ledger: {cause}"))?;
    if line.n != place.n {
        return Err(format!("has the number {}", line.n));
    }
    if line.previous != place.previous {
        return Err("does not follow the line before: its `previous` is another hash".to_owned());
    }
    if line.hash != hash_of(value.clone()) {
        return Err("was changed: its `hash` is not that of the line".to_owned());
    }
    if let (Some(mac), Some(key)) = (&line.mac, key)
        && *mac != mac_of(value, key)
    {
        return Err("was not written with the ledger's key: its `mac` is another".to_owned());
    }
    if chrono::NaiveDateTime::parse_from_str(&line.time, TIME_FORM).is_err() {
        return Err("has no time in UTC, as `2026-11-17T21:30:00Z`".to_owned());
    }
    if line.dataset.chars().chain(line.method.chars()).any(|letter| letter.is_control() || is_unseen(letter)) {
        return Err("has characters that are not seen in a name".to_owned());
    }
    if line.continues.iter().any(|&n| n == 0 || n >= line.n) {
        return Err("continues a line that is not before it".to_owned());
    }
    Ok(line)
}

/// A ledger as it lies there: its bytes, and the line that a run which ended early has left beside it.
#[derive(Debug)]
pub struct Contents {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What was about to be written.
    pub pending: Option<PendingLine>,
    /// The key beside it, if it is there and may be read.
    pub key: Option<PeopleKey>,
}

impl Contents {
    /// The lines, if all of it is as it was written: under the key, if it is there.
    pub fn verify(&self) -> std::result::Result<Vec<Line>, Broken> {
        verify_under(&self.bytes, self.key.as_ref())
    }
}

/// Reads a ledger, and waits a little if somebody is in the middle of a line.
pub fn read(path: &Path) -> Result<Contents> {
    let read = || limits::read_file(path, "the ledger ", limits::MOST_LEDGER_BYTES);
    let mut bytes = read()?;
    let begun = std::time::Instant::now();
    while bytes.last().is_some_and(|&byte| byte != b'\n') && begun.elapsed() < PATIENCE && writing::is_written(path) {
        std::thread::sleep(Duration::from_millis(20));
        bytes = read()?;
    }
    let pending = PendingLine::read(path)?.filter(|pending| !pending.is_written(&bytes) && !writing::is_written(path));
    Ok(Contents { bytes, pending, key: writing::key_beside(path)? })
}

/// The lines of a ledger that must be whole.
pub fn lines(path: &Path) -> Result<Vec<Line>> {
    read(path)?.verify().map_err(|broken| broken.error(path))
}

/// The releases of a data set, in the order in which they left.
pub fn of_dataset<'a>(lines: &'a [Line], dataset: &str) -> Vec<&'a Line> {
    lines.iter().filter(|line| line.dataset == dataset).collect()
}

/// An earlier release with which a new one has people in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SamePeople {
    /// Its line.
    pub n: u64,
    /// Its data set.
    pub dataset: String,
    /// How many people.
    #[serde(flatten)]
    pub in_common: InCommon,
    /// Whether `--continues` said that this is meant: of that line, or of one that it continues itself.
    pub meant: bool,
}

impl SamePeople {
    /// A sentence for the custodian.
    pub fn says(&self) -> String {
        let InCommon { overlap, of_smaller, .. } = self.in_common;
        let Self { n, dataset, .. } = self;
        let share = |share: f64| format!("{:.0} %", 100.0 * share);
        format!(
            "the same people again: about {} of the people of this release and of line {n} of the ledger (`{dataset}`) are in both, \
             {} of those in the smaller one. Two releases of the same people can undo each other: whoever finds somebody's group in \
             both looks only among those who share both. `--continues {n}` says that it is meant",
            share(overlap),
            share(of_smaller)
        )
    }
}

/// The earlier lines with the same people as a new release, from one person in ten on.
pub fn same_people(lines: &[Line], people: Option<&People>, continues: &[u64]) -> Vec<SamePeople> {
    let Some(people) = people else { return Vec::new() };
    let mut meant = BTreeSet::new();
    let mut next = continues.to_vec();
    while let Some(n) = next.pop() {
        // Each line is followed once, so this ends.
        if meant.insert(n) {
            next.extend(lines.iter().filter(|line| line.n == n).flat_map(|line| &line.continues));
        }
    }
    let common = |line: &Line| {
        let in_common = people.in_common(line.people.as_ref()?);
        let (n, dataset) = (line.n, line.dataset.clone());
        in_common.is_same_people().then(|| SamePeople { n, dataset, in_common, meant: meant.contains(&n) })
    };
    lines.iter().filter_map(common).collect()
}

/// What to say of a release whose rows have no ids, if the same data set has left before: nobody can tell whether the same people did.
pub fn unknown_people(lines: &[Line], dataset: &str, continues: &[u64]) -> Option<String> {
    let before: Vec<String> = lines
        .iter()
        .filter(|line| line.dataset == dataset && !continues.contains(&line.n))
        .map(|line| line.n.to_string())
        .collect();
    let last = before.last()?;
    Some(format!(
        "the data set `{dataset}` is in the ledger already (line {}), and nothing in this release says who is in it: whether the same people \
         are in both cannot be told. Two releases of the same people can undo each other. `--continues {last}` says that it is meant",
        before.join(", ")
    ))
}

/// How a release was found in a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It has this line, and its certificate says so.
    Chained(u64),
    /// This line names it, but its certificate knows of no ledger: it was added later.
    Added(u64),
    /// It is not there as it should be, in a sentence.
    Missing(String),
}

/// Looks for a release in a ledger.
pub fn find(contents: &Contents, certificate: &Certificate, certificate_sha256: &str) -> Found {
    let lines = match contents.verify() {
        Ok(lines) => lines,
        Err(broken) => return Found::Missing(format!("the ledger is not whole: {}", broken.says())),
    };
    let is_pending = contents.pending.as_ref().is_some_and(|pending| pending.is_of(certificate_sha256));
    let Some(place) = &certificate.ledger else {
        let line = lines.iter().find(|line| line.certificate_sha256 == certificate_sha256);
        return match line {
            Some(line) if line.data_sha256 == certificate.output.sha256 => match line.belies(certificate) {
                Some(says) => Found::Missing(says),
                None => Found::Added(line.n),
            },
            _ => Found::Missing("no line of the ledger names this certificate".to_owned()),
        };
    };
    let n = place.n;
    let index = n.checked_sub(1).and_then(|index| usize::try_from(index).ok());
    let Some(line) = index.and_then(|index| lines.get(index)) else {
        return Found::Missing(if is_pending {
            format!(
                "line {n} is not written yet: the run that published this release ended early; the next `protect --ledger` or \
                 `ledger add` writes it"
            )
        } else {
            format!(
                "the certificate is that of line {n}, and the ledger ends at line {}: it was cut, or is another one",
                lines.len()
            )
        });
    };
    if line.previous != place.previous {
        return Found::Missing(format!(
            "the certificate follows another line than line {n} does: the ledger was written anew, or is another one"
        ));
    }
    if line.certificate_sha256 != certificate_sha256 || line.data_sha256 != certificate.output.sha256 {
        return Found::Missing(format!("line {n} of the ledger names another certificate"));
    }
    if let Some(says) = line.belies(certificate) {
        return Found::Missing(says);
    }
    Found::Chained(n)
}

/// The place of the key that makes people comparable within a ledger.
pub fn key_place(ledger: &Path) -> PathBuf {
    beside(ledger, ".key")
}

fn beside(ledger: &Path, ending: &str) -> PathBuf {
    let mut name = ledger.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Refuses a name that cannot stand for a data set.
pub fn check_dataset(name: &str) -> Result<()> {
    let problem = if name.is_empty() {
        "is empty"
    } else if name.chars().count() > 200 {
        "is longer than 200 characters"
    } else if name.chars().any(|letter| letter.is_control() || is_unseen(letter)) || name.trim() != name {
        "has characters that are not seen, or blanks around it"
    } else {
        return Ok(());
    };
    Err(Error::parameter("dataset", problem)
        .with_hint("a short name that stays the same from release to release, as shop-2026"))
}

/// Refuses a place where a ledger cannot be, and one that is not whole or cannot be written. Writes nothing.
pub fn check_place(ledger: &Path, release: &Path) -> Result<()> {
    if pending::lies_inside(ledger, release) {
        return Err(Error::refused("the ledger would lie inside the release folder and be published with it")
            .with_hint("put it, and its key, where you keep the original"));
    }
    pending::refuse_in_release(ledger, "ledger")?;
    match ledger.metadata() {
        Ok(_) => {
            writing::open_to_append(ledger)?;
            lines_or_pending(ledger)
        }
        Err(_) => {
            let folder = pending::folder_of(ledger);
            if folder.is_dir() {
                return Ok(());
            }
            Err(Error::refused(format!("the folder of the ledger, {}, does not exist", folder.display()))
                .with_hint("make it, or choose another place for `--ledger`"))
        }
    }
}

/// A ledger whose last line is torn is mended by the line that was pending; every other damage is an error.
fn lines_or_pending(ledger: &Path) -> Result<()> {
    let contents = read(ledger)?;
    match contents.verify() {
        Err(broken) if broken.is_torn && contents.pending.is_some() => Ok(()),
        found => found.map(drop).map_err(|broken| broken.error(ledger)),
    }
}

#[cfg(test)]
mod tests;
