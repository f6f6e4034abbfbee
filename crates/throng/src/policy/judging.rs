//! The verdict on every rule: on what the data say, what the certificate and the report say, and what has left before.
//!
//! A rule holds, breaks, or cannot be judged, each by itself: no rule sees another, so their order is nothing and one more never allows
//! more. A release is allowed if every rule holds.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use throng_core::{Error, Result};

use super::looking::FoundModel;
use super::{Atom, Policy, PolicyRecord, Rule, RuleRecord, Seen, What, Within};
use crate::catalog;
use crate::certificate::Certificate;
use crate::ledger::{Line, Says};
use crate::words::counted;

/// What is found of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// The release keeps to it.
    #[serde(rename = "holds")]
    Holds,
    /// It does not.
    #[serde(rename = "breaks")]
    Breaks,
    /// Nobody can tell; it is refused like one that breaks it.
    #[serde(rename = "cannot be judged")]
    Unknown,
}

impl Verdict {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Breaks => "breaks",
            Self::Unknown => "cannot be judged",
        }
    }
}

/// A rule and its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// The name of the rule.
    pub name: String,
    /// Its line in the policy.
    pub line: u64,
    /// The verdict.
    pub verdict: Verdict,
    /// How many records break it; all of them where it is about the release as a whole.
    pub records: u64,
    /// What is to be said of it. Never what a record says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Judged {
    pub(super) fn of(rule: &Rule, verdict: Verdict, records: u64, why: Option<String>) -> Self {
        Self { name: rule.name.clone(), line: rule.line, verdict, records, why }
    }

    /// For an error: the rule, its line, and how many records.
    pub(crate) fn says(&self) -> String {
        let why = self.why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        let Self { name, line, .. } = self;
        match self.verdict {
            Verdict::Holds => format!("`{name}` (line {line}) holds"),
            Verdict::Breaks => {
                format!("`{name}` (line {line}) breaks in {}{why}", counted(self.records, "record", "records"))
            }
            Verdict::Unknown => format!("`{name}` (line {line}) cannot be judged{why}"),
        }
    }
}

/// The verdicts on all rules of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// `holds` if every rule does, `breaks` if one breaks, else `cannot be judged`.
    pub verdict: Verdict,
    /// The SHA-256 of the policy.
    pub sha256: String,
    /// Every rule.
    pub rules: Vec<Judged>,
    /// What the custodian should know beside it.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Judgement {
    /// Whether a release may leave.
    pub fn allows(&self) -> bool {
        self.verdict == Verdict::Holds
    }

    /// As a certificate has it.
    pub fn record(&self) -> PolicyRecord {
        let rule =
            |judged: &Judged| RuleRecord { name: judged.name.clone(), verdict: judged.verdict.name().to_owned() };
        PolicyRecord { sha256: self.sha256.clone(), rules: self.rules.iter().map(rule).collect() }
    }

    /// The error of a release that may not leave: rules, lines and numbers of records, never what they say.
    pub fn refusal(&self) -> Error {
        let refused = self.rules.iter().filter(|judged| judged.verdict != Verdict::Holds);
        let says: Vec<String> = refused.map(Judged::says).collect();
        Error::policy(format!("the policy does not allow this release: {}; nothing was written", says.join("; ")))
            .with_hint("docs/policy.md says what each sort of rule asks for; `throng policy check` judges a release that is there")
    }
}

/// What is known of whether something is so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// It is.
    Yes,
    /// It is not; why, in words.
    No(String),
    /// Nobody can tell; why, in words.
    Unknown(String),
}

/// What has left before a release.
#[derive(Debug, Clone)]
pub struct Ledgered {
    /// The data set that it is of, if that is known.
    pub dataset: Option<String>,
    /// Earlier lines.
    pub earlier: Vec<Earlier>,
    /// Whether none of them is of the same people, but for those where that is meant.
    pub other_people: Known,
}

/// An earlier release.
#[derive(Debug, Clone)]
pub struct Earlier {
    /// Its line.
    pub n: u64,
    /// Its data set.
    pub dataset: String,
    /// What it says, as far as somebody looked.
    pub says: Option<Says>,
}

impl Earlier {
    /// Earlier lines of a ledger, with what releases at hand say.
    pub fn of(lines: &[Line], mut at_hand: BTreeMap<u64, Says>) -> Vec<Self> {
        let earlier = |line: &Line| {
            let says = match (at_hand.remove(&line.n), line.says.clone()) {
                (Some(found), Some(noted)) => Some(found.and(noted)),
                (found, noted) => found.or(noted),
            };
            Self { n: line.n, dataset: line.dataset.clone(), says }
        };
        lines.iter().map(earlier).collect()
    }
}

/// Everything that rules are judged by, beside the data.
#[derive(Debug)]
pub struct Circumstances<'a> {
    /// The certificate.
    pub certificate: Option<&'a Certificate>,
    /// The attacks of its report, as published; an error in words if they cannot be believed.
    pub attacks: std::result::Result<&'a Value, String>,
    /// Whether the certificate is signed by somebody who is trusted.
    pub signed: Known,
    /// What has left before; nothing is known without a ledger.
    pub ledger: Option<&'a Ledgered>,
}

impl Policy {
    /// The verdict on every rule.
    pub fn judge(&self, seen: &Seen, beside: &Circumstances<'_>) -> Result<Judgement> {
        seen.check_of(self)?;
        let mut notes = self.notes.clone();
        let rules: Vec<Judged> =
            self.rules.iter().enumerate().map(|(at, rule)| beside.judge(rule, at, seen, &mut notes)).collect();
        let verdict = [Verdict::Breaks, Verdict::Unknown]
            .into_iter()
            .find(|verdict| rules.iter().any(|rule| rule.verdict == *verdict));
        Ok(Judgement { verdict: verdict.unwrap_or(Verdict::Holds), sha256: self.sha256.clone(), rules, notes })
    }
}

impl Circumstances<'_> {
    fn judge(&self, rule: &Rule, at: usize, seen: &Seen, notes: &mut Vec<String>) -> Judged {
        if !Policy::is_about(rule, seen.kind) {
            return Judged::of(rule, Verdict::Holds, 0, Some(format!("it is not about {}", seen.kind)));
        }
        let whole = |known: Known| match known {
            Known::Yes => Judged::of(rule, Verdict::Holds, 0, None),
            Known::No(why) => Judged::of(rule, Verdict::Breaks, seen.records, Some(why)),
            Known::Unknown(why) => Judged::of(rule, Verdict::Unknown, 0, Some(why)),
        };
        match &rule.what {
            What::Never { after: None, .. } | What::Mentions { .. } | What::Together { within: Within::Record, .. } => {
                seen.on_records(rule, at)
            }
            What::Never { after: Some(after), .. } => {
                let own = seen.on_records(rule, at);
                if own.verdict == Verdict::Holds {
                    return own;
                }
                if let Some(ledger) = self.ledger
                    && !ledger.earlier.iter().any(|line| line.dataset == after.dataset)
                {
                    notes.push(format!(
                        "the ledger has no release of `{}`, which the rule `{}` waits for",
                        after.dataset, rule.name
                    ));
                }
                match self.has_left(&after.dataset, &after.field.atom) {
                    Known::Yes => own,
                    Known::No(_) => Judged::of(rule, Verdict::Holds, 0, None),
                    Known::Unknown(why) => Judged::of(rule, Verdict::Unknown, 0, Some(why)),
                }
            }
            What::Together { all, within } => {
                let own = seen.on_records(rule, at);
                let missing: Vec<&Atom> =
                    all.iter().map(|place| &place.atom).filter(|atom| !seen.said.contains(atom)).collect();
                // What this release does not say at all, it adds nothing to.
                if own.verdict != Verdict::Breaks || missing.is_empty() {
                    return own;
                }
                if let Some(why) = &seen.unjudgeable[at] {
                    return whole(Known::Unknown(why.clone()));
                }
                if *within == Within::Release {
                    return Judged::of(rule, Verdict::Holds, 0, None);
                }
                let Some(dataset) = self.ledger.and_then(|ledger| ledger.dataset.as_deref()) else {
                    return whole(Known::Unknown(self.no_ledger()));
                };
                let left: Vec<Known> = missing.iter().map(|atom| self.has_left(dataset, atom)).collect();
                if left.iter().any(|left| matches!(left, Known::No(_))) {
                    return Judged::of(rule, Verdict::Holds, 0, None);
                }
                match left.into_iter().find(|left| *left != Known::Yes) {
                    Some(unknown) => whole(unknown),
                    None => own,
                }
            }
            What::Model { .. } => match &seen.models[at] {
                Some(FoundModel::Holds) => whole(Known::Yes),
                Some(FoundModel::Fails(why)) => whole(Known::No(why.clone())),
                Some(FoundModel::Unknown(why)) => whole(Known::Unknown(why.clone())),
                None => whole(Known::Unknown("nobody looked at it".to_owned())),
            },
            What::Attack { attack, part, most } => whole(self.attack(seen.kind, attack, part.as_deref(), *most)),
            What::Randomness => whole(match self.certificate {
                None => Known::Unknown("there is no certificate".to_owned()),
                Some(certificate) if certificate.randomness == "secure" => Known::Yes,
                Some(_) => Known::No("the release was made with a seed".to_owned()),
            }),
            What::Signed => whole(self.signed.clone()),
            What::SamePeople => whole(match self.ledger {
                None => Known::Unknown(self.no_ledger()),
                Some(ledger) => ledger.other_people.clone(),
            }),
        }
    }

    fn no_ledger(&self) -> String {
        match self.ledger {
            None => "it is about what has left before, and no ledger is given".to_owned(),
            Some(_) => "nobody says which data set this is: `--dataset NAME`".to_owned(),
        }
    }

    /// Whether an earlier release of a data set said something.
    fn has_left(&self, dataset: &str, atom: &Atom) -> Known {
        let Some(ledger) = self.ledger else { return Known::Unknown(self.no_ledger()) };
        let mut unknown = None;
        for line in ledger.earlier.iter().filter(|line| line.dataset == dataset) {
            match line.says.as_ref().and_then(|says| says.of(atom)) {
                Some(true) => return Known::Yes,
                Some(false) => {}
                None => unknown = unknown.or(Some(line.n)),
            }
        }
        match unknown {
            None => Known::No("it has not left".to_owned()),
            Some(n) => Known::Unknown(format!(
                "nobody looked for it in the release of line {n} of the ledger: give that release with `--earlier RELEASE`"
            )),
        }
    }

    /// Whether an attack achieves no more than this, in whatever was tried.
    fn attack(&self, kind: &str, attack: &str, part: Option<&str>, most: f64) -> Known {
        let kinds = catalog::item(catalog::Role::Attack, attack).map(|item| item.kinds).unwrap_or_default();
        if !kinds.contains(&kind) {
            return Known::Yes;
        }
        let list = match &self.attacks {
            Ok(list) => list.as_array().map(Vec::as_slice).unwrap_or_default(),
            Err(why) => return Known::Unknown(why.clone()),
        };
        let own: Vec<&Value> = list.iter().filter(|outcome| outcome["name"] == attack).collect();
        if own.is_empty() {
            return Known::Unknown(format!("the report has no result of {attack}"));
        }
        let number = |outcome: &&Value| match part {
            None => outcome["rate"].as_f64(),
            Some(part) => outcome["parts"][part].as_f64(),
        };
        let numbers: Vec<Option<f64>> = own.iter().map(number).collect();
        let Some(numbers) = numbers.into_iter().collect::<Option<Vec<f64>>>() else {
            return Known::Unknown(format!("the report has no such number of {attack}"));
        };
        let greatest = numbers.into_iter().fold(0.0, f64::max);
        if greatest <= most {
            Known::Yes
        } else {
            Known::No(format!("{attack} achieves {greatest}, and {most} is allowed"))
        }
    }
}
