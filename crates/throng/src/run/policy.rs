//! `throng policy check`, and what `check` and `protect` ask a policy: a release judged by everything that lies beside it, its certificate,
//! its report, its signature and a ledger.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throng_core::accounts::ACCOUNTS_ALIKE;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::certified::{Certified, is_release};
use super::protect::ProtectRequest;
use super::recorded::Recording;
use super::vouched;
use crate::certificate::Certificate;
use crate::io::{self, Location, Opened};
use crate::kinds::{self, Ask, Kinded, Purpose};
use crate::ledger::{self, Line, People, SamePeople, Says};
use crate::policy::{self, Circumstances, Earlier, Judgement, Known, Ledgered, Matcher, Policy, Seen, Verdict};
use crate::words::counted;
use crate::{limits, pending, signature};

/// What a policy says, and of what.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyRequest {
    /// The policy.
    pub policy: PathBuf,
    /// A release folder or a file; without one the policy itself is checked.
    pub release: Option<PathBuf>,
    /// The ledger of what has left.
    pub ledger: Option<PathBuf>,
    /// What the data set is called, of a release that is not in the ledger.
    pub dataset: Option<String>,
    /// Earlier releases of that ledger.
    pub earlier: Vec<PathBuf>,
    /// The public key that must have signed the certificate.
    pub trusted: Option<PathBuf>,
    /// How to read and understand the file.
    pub ask: Ask,
}

/// What a policy says of a release, or of itself.
#[derive(Debug, Clone, Serialize)]
pub struct PolicyOutcome {
    /// Over all rules; nothing where there is no release.
    pub verdict: Option<Verdict>,
    /// The SHA-256 of the policy.
    pub sha256: String,
    /// Every rule.
    pub rules: Vec<RuleOutcome>,
    /// What the custodian should know beside it.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// What is found of a rule.
#[derive(Debug, Clone, Serialize)]
pub struct RuleOutcome {
    /// Its name.
    pub name: String,
    /// Its line in the policy.
    pub line: u64,
    /// The verdict; nothing where there is no release.
    pub verdict: Option<Verdict>,
    /// How many records break it.
    pub records: u64,
    /// What is to be said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl PolicyOutcome {
    /// Whether nothing is against it.
    pub fn allows(&self) -> bool {
        self.verdict.is_none_or(|verdict| verdict == Verdict::Holds)
    }
}

impl From<Judgement> for PolicyOutcome {
    fn from(judgement: Judgement) -> Self {
        let Judgement { verdict, sha256, rules, notes } = judgement;
        let rule = |judged: policy::Judged| {
            let policy::Judged { name, line, verdict, records, why } = judged;
            RuleOutcome { name, line, verdict: Some(verdict), records, why }
        };
        Self { verdict: Some(verdict), sha256, rules: rules.into_iter().map(rule).collect(), notes }
    }
}

/// Judges a release by a policy; without one, says whether the policy can be understood.
pub fn policy_check(request: &PolicyRequest, progress: &dyn Progress) -> Result<PolicyOutcome> {
    let policy = Policy::read(&request.policy)?;
    let Some(release) = &request.release else {
        refuse_without_release(request)?;
        let named = |error: Error| error.in_file(request.policy.display().to_string());
        Matcher::of(&policy, None, &request.ask).map_err(named)?;
        let rule = |rule: &policy::Rule| RuleOutcome {
            name: rule.name.clone(),
            line: rule.line,
            verdict: None,
            records: 0,
            why: None,
        };
        let rules = policy.rules.iter().map(rule).collect();
        return Ok(PolicyOutcome { verdict: None, sha256: policy.sha256, rules, notes: policy.notes });
    };
    let certified = Certified::open_one(release, &request.ask)?;
    let beside = Beside {
        file: &request.policy,
        ledger: request.ledger.as_deref(),
        dataset: request.dataset.as_deref(),
        earlier: &request.earlier,
        trusted: request.trusted.as_deref(),
    };
    judge(&policy, &certified, &beside, progress).map(PolicyOutcome::from)
}

fn refuse_without_release(request: &PolicyRequest) -> Result<()> {
    let given = [
        ("ledger", request.ledger.is_some()),
        ("dataset", request.dataset.is_some()),
        ("earlier", !request.earlier.is_empty()),
        ("trusted", request.trusted.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(Error::parameter(*name, "means nothing without a release")
            .with_hint("name one: `throng policy check POLICY RELEASE`")),
    }
}

/// What lies beside a release that is judged.
pub(super) struct Beside<'a> {
    /// The policy.
    pub(super) file: &'a Path,
    pub(super) ledger: Option<&'a Path>,
    pub(super) dataset: Option<&'a str>,
    pub(super) earlier: &'a [PathBuf],
    pub(super) trusted: Option<&'a Path>,
}

/// The verdict on every rule, for a file or a release folder.
pub(super) fn judge(
    policy: &Policy,
    certified: &Certified,
    beside: &Beside<'_>,
    progress: &dyn Progress,
) -> Result<Judgement> {
    if matches!(certified.location, Location::Stdin) {
        return Err(Error::refused("a release is read more than once to be judged by a policy")
            .with_hint("standard input can be read once: save it to a file"));
    }
    if !beside.earlier.is_empty() && beside.ledger.is_none() {
        return Err(Error::parameter("earlier", "means nothing without a ledger").with_hint("name it: `--ledger FILE`"));
    }
    if let Some(name) = beside.dataset {
        ledger::check_dataset(name)?;
    }
    // A word of the policy that nobody knows has its line already.
    let named = |error: Error| match error.place() {
        Some(place) if error.is_parameter() && place.line.is_some() => error.in_file(beside.file.display().to_string()),
        _ => error,
    };
    let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
    let seen = kind.policy_seen(policy, certified, opened, progress).map_err(named)?;
    let folder = match (&certified.certificate, &certified.location) {
        (Some(_), Location::File(data)) => Some(pending::folder_of(data)),
        _ => None,
    };
    // A certificate that was written for other data says nothing of these.
    let certificate = match &certified.certificate {
        Some(certificate) if is_of_data(certified)? => Some(certificate),
        _ => None,
    };
    let attacks = attacks_of(folder, certificate)?;
    let signed = match (folder, certificate) {
        (Some(folder), Some(_)) => signed(folder, beside.trusted)?,
        _ => Known::Unknown("there is no certificate of these data".to_owned()),
    };
    let ledgered = match beside.ledger {
        Some(place) => Some(in_ledger(policy, place, folder, (beside, &certified.ask), progress)?),
        None => None,
    };
    let circumstances = Circumstances {
        certificate,
        attacks: attacks.as_ref().map_err(Clone::clone),
        signed,
        ledger: ledgered.as_ref(),
    };
    let mut judgement = policy.judge(&seen, &circumstances)?;
    if certificate.and_then(|certificate| certificate.policy.as_ref()).is_some_and(|own| own.sha256 != policy.sha256) {
        judgement
            .notes
            .push("the release was made with another policy than this one, or an earlier version of it".to_owned());
    }
    Ok(judgement)
}

/// Whether the data of a release are those of its certificate.
fn is_of_data(certified: &Certified) -> Result<bool> {
    match (&certified.certificate, &certified.location) {
        (Some(certificate), location @ Location::File(_)) => certificate.output.is_of(location),
        _ => Ok(false),
    }
}

/// The attacks of a release's report, if it is the one that the certificate was written with.
fn attacks_of(folder: Option<&Path>, certificate: Option<&Certificate>) -> Result<std::result::Result<Value, String>> {
    let (Some(folder), Some(certificate)) = (folder, certificate) else {
        return Ok(Err("there is no certificate of these data, and so no report".to_owned()));
    };
    let place = folder.join("report.json");
    if !place.is_file() {
        return Ok(Err("the release has no report.json".to_owned()));
    }
    let text = limits::read_file(&place, "", limits::MOST_REPORT_BYTES)?;
    if Some(io::hash_bytes(&text)) != certificate.report_sha256 {
        return Ok(Err("report.json is not the one that the certificate was written with".to_owned()));
    }
    let report: Value = serde_json::from_slice(&text).map_err(|cause| {
        Error::data("the report is not JSON").with_cause(cause).in_file(place.display().to_string())
    })?;
    Ok(Ok(report["attacks"].clone()))
}

/// Whether somebody who is trusted signed a certificate.
fn signed(folder: &Path, trusted: Option<&Path>) -> Result<Known> {
    if !folder.join(signature::FILE).is_file() {
        return Ok(Known::No("the release has no signature".to_owned()));
    }
    let Some(trusted) = trusted else {
        return Ok(Known::Unknown("there is a signature, and `--trusted FILE` says whose is trusted".to_owned()));
    };
    let found = vouched::signature(folder, trusted)?;
    Ok(if found.verdict == "holds" { Known::Yes } else { Known::No(found.says) })
}

/// What has left before a release, as a ledger says it.
fn in_ledger(
    policy: &Policy,
    place: &Path,
    folder: Option<&Path>,
    (beside, ask): (&Beside<'_>, &Ask),
    progress: &dyn Progress,
) -> Result<Ledgered> {
    let contents = ledger::read(place)?;
    let mut lines = contents.verify().map_err(|broken| broken.error(place))?;
    // A release that has its name and waits for its line has left.
    lines.extend(contents.pending.map(|pending| pending.line));
    let hash = folder.map(|folder| io::hash_file(&Certificate::place(folder))).transpose()?;
    let own = lines.iter().position(|line| Some(&line.certificate_sha256) == hash.as_ref());
    let earlier = &lines[..own.unwrap_or(lines.len())];
    let says = what_releases_say(policy, (beside.earlier, ask), &lines, progress)?;
    let (dataset, other_people) = match own.map(|at| &lines[at]) {
        Some(line) => {
            let same = ledger::same_people(earlier, line.people.as_ref(), &line.continues);
            (Some(line.dataset.clone()), other_people(earlier, &line.dataset, line.people.as_ref(), &same))
        }
        None => {
            let unknown = Known::Unknown("the release is not in the ledger, so nobody knows who is in it".to_owned());
            (beside.dataset.map(str::to_owned), unknown)
        }
    };
    Ok(Ledgered { dataset, earlier: Earlier::of(earlier, says), other_people })
}

/// What has left before a release that is about to be put on record.
pub(super) fn ledgered(
    policy: &Policy,
    recording: &Recording<'_>,
    request: &ProtectRequest,
    progress: &dyn Progress,
) -> Result<Ledgered> {
    let dataset = request.ledger.as_ref().map(|ledger| ledger.dataset.clone()).unwrap_or_default();
    let lines = recording.lines();
    let other_people = other_people(lines, &dataset, recording.people(), &recording.same_people);
    let says = what_releases_say(policy, (&request.earlier, &request.ask), lines, progress)?;
    Ok(Ledgered { dataset: Some(dataset), earlier: Earlier::of(lines, says), other_people })
}

/// Whether no earlier release is of the same people, but for those where that is meant.
fn other_people(lines: &[Line], dataset: &str, people: Option<&People>, same: &[SamePeople]) -> Known {
    let Some(_) = people else {
        return Known::Unknown("nobody knows who is in this release: it has no ids".to_owned());
    };
    let unmeant: Vec<&SamePeople> = same.iter().filter(|same| !same.meant).collect();
    if let Some(first) = unmeant.first() {
        let share = 100.0 * first.in_common.overlap;
        let all = unmeant.iter().map(|same| same.n.to_string()).collect::<Vec<_>>().join(",");
        return Known::No(format!(
            "about {share:.0} % of the people of this release and of line {} of the ledger are in both; `--continues {all}` says that it is meant",
            first.n
        ));
    }
    match ledger::of_dataset(lines, dataset).into_iter().find(|line| line.people.is_none()) {
        Some(line) => Known::Unknown(format!("nobody knows who is in the release of line {} of the ledger", line.n)),
        None => Known::Yes,
    }
}

/// What earlier releases say that are at hand, by their line in the ledger. Concepts are looked up in the same taxonomies.
fn what_releases_say(
    policy: &Policy,
    (releases, ask): (&[PathBuf], &Ask),
    lines: &[Line],
    progress: &dyn Progress,
) -> Result<BTreeMap<u64, Says>> {
    let mut found = BTreeMap::new();
    for release in releases {
        let refused = |problem: &str, hint: &str| {
            Error::refused(problem.to_owned()).in_file(release.display().to_string()).with_hint(hint)
        };
        if !is_release(release) {
            return Err(refused("this is no release folder", "`--earlier` names a folder that `throng protect` made"));
        }
        let only = Ask { taxonomies: ask.taxonomies.clone(), ..Ask::default() };
        let certified = Certified::open_release(release, &only)?;
        let hash = io::hash_file(&Certificate::place(release))?;
        let Some(line) = lines.iter().find(|line| line.certificate_sha256 == hash) else {
            return Err(refused("no line of the ledger names this release", "`throng ledger add` puts it there"));
        };
        if !is_of_data(&certified)? {
            return Err(refused(
                "the data are not those of the certificate",
                "`throng check` says what is wrong with it",
            ));
        }
        let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
        found.insert(line.n, Says::of_seen(&kind.policy_seen(policy, &certified, opened, progress)?));
    }
    Ok(found)
}

/// What a release of a kind says, as far as a policy asks.
pub(crate) fn policy_seen_as<D: Kinded>(
    policy: &Policy,
    certified: &Certified,
    opened: Opened,
    progress: &dyn Progress,
) -> Result<Seen> {
    let ask = certified.ask.as_certified(certified.taxonomy());
    let matcher = Matcher::of(policy, Some(D::CARD.name), &ask)?;
    let read = D::read(opened, &certified.ask, Purpose::Release, progress)?;
    let about = &read.about;
    let mut seen = policy::look(policy, &matcher, &read.data, (&D::named_fields(&about.layout), &about.unmapped), None);
    if about.refused > 0 {
        seen.without_having_seen(policy, &counted(about.refused, "malformed line", "malformed lines"));
    }
    if let Some(first) = about.uncompared.first() {
        seen.without_having_seen(policy, first);
    }
    if !about.unmapped.is_empty() {
        seen.without_having_seen(
            policy,
            &counted(about.unmapped.len() as u64, "column without a role", "columns without a role"),
        );
    }
    let certificate = match &certified.certificate {
        Some(certificate) => Some((certificate, is_of_data(certified)?)),
        None => None,
    };
    let claims = certificate.map(|(certificate, _)| certificate.claims.as_slice()).unwrap_or_default();
    let evidence = |needs_sensitive: bool| {
        let (_, opened) = kinds::open(&certified.location, &certified.ask)?;
        let seen = D::evidence(opened, &certified.ask, certified, needs_sensitive, progress)?;
        Ok(Rc::new(seen.evidence))
    };
    let alike = certificate.and_then(|(certificate, _)| certificate.accounting.get(ACCOUNTS_ALIKE)).unwrap_or_default();
    seen.models = policy::judge_models::<D>(policy, claims, evidence, None, certificate, alike)?;
    Ok(seen)
}
