//! A custodian's written policy: what may leave, judged on what was written.
//!
//! Paper      003, first paper (privacy constraints): simple, content-based, association-based and release constraints; minimums are
//! ours.
//!
//! # Idea
//! 1. A policy is a TOML file ([`Policy`], read in `reading.rs`): a list of rules, each with a name and a line.
//! 2. What rules look for in texts (concepts, words, paths, identifying content) is one list of [`Atom`]s; a [`Matcher`] says of a text which
//!    of them it mentions (`matching.rs`).
//! 3. Data of any kind are looked through once ([`Seen`], `looking.rs`): how many records are against each rule. A record is
//!    everything that a release says of one person.
//! 4. Every rule gets a verdict out of that, the certificate, the report and the ledger (`judging.rs`): it holds, it breaks, or it cannot
//!    be judged. Only `holds` allows: so a rule more never allows more, and the order of rules is nothing.
//!
//! # Does not
//! Say what could be derived from a release: that is undecidable (the paper says so). It judges what a release *says*. What an attacker
//! can find out beyond it is what attacks are for, and a policy can set limits to those.

mod judging;
mod looking;
mod matching;
mod reading;

use std::fmt::{self, Display};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throng_core::finders::number;
use throng_core::{Error, Result};

pub use judging::{Circumstances, Earlier, Judged, Judgement, Known, Ledgered, Verdict};
pub use looking::{FoundModel, Seen, look};
pub(crate) use looking::{judge_models, reaches};
pub use matching::{LeavesOut, Matcher};

use crate::kinds::KINDS;
use crate::{io, limits};

/// The version of the form of policies.
pub const FORMAT: i64 = 1;

/// Rules on what may leave.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The SHA-256 of the file.
    pub sha256: String,
    /// The rules, those of `[minimum]` and `[ledger]` after the others.
    pub rules: Vec<Rule>,
    /// What its custodian should know of it.
    pub notes: Vec<String>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// The line of the file in which it begins.
    pub line: u64,
    /// The kind of data that it is about; all kinds where none is named.
    pub kind: Option<&'static str>,
    /// What it says.
    pub what: What,
}

/// What a rule says.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// Fields, or sorts of identifying content, that may not be published; ever, or after something else has left.
    Never {
        /// The fields.
        fields: Vec<Place>,
        /// What must have left before.
        after: Option<After>,
    },
    /// What may not be mentioned.
    Mentions {
        /// Any of these.
        any: Vec<Place>,
        /// What becomes of it in an original. A release that mentions it breaks the rule whatever that is.
        then: Then,
    },
    /// What may not be said together.
    Together {
        /// All of these.
        all: Vec<Place>,
        /// Within what.
        within: Within,
    },
    /// What must hold at least, on the data.
    Model {
        /// The model.
        model: &'static str,
        /// Its parameters, as far as the policy names them.
        parameters: Map<String, Value>,
    },
    /// How much an attack may achieve.
    Attack {
        /// The attack.
        attack: &'static str,
        /// Which of its parts is meant, where it is not the rate.
        part: Option<String>,
        /// At most so much.
        most: f64,
    },
    /// Randomness must be secure.
    Randomness,
    /// The certificate must be signed.
    Signed,
    /// The same people may not be released again, unless that is meant.
    SamePeople,
}

/// Something that a rule names, and where it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What is named.
    pub atom: Atom,
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1, in characters.
    pub column: u64,
}

/// Something that a release may say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// A concept of the taxonomy, or something under it.
    Concept(String),
    /// Words, in the language of `--drop`.
    Word(String),
    /// A path of a web address.
    Path(String),
    /// A field, a column of that name, or what the finder of that name finds.
    Field(String),
}

impl Atom {
    /// The sort of it, as a policy names it.
    pub fn sort(&self) -> &'static str {
        match self {
            Self::Concept(_) => "concept",
            Self::Word(_) => "word",
            Self::Path(_) => "path",
            Self::Field(_) => "field",
        }
    }

    /// What is named.
    pub fn name(&self) -> &str {
        let (Self::Concept(name) | Self::Word(name) | Self::Path(name) | Self::Field(name)) = self;
        name
    }
}

/// The same in one text, as a ledger has it.
impl Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.sort(), self.name())
    }
}

/// What must have left before a rule applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct After {
    /// A release of this data set.
    pub dataset: String,
    /// With this field.
    pub field: Place,
}

/// What becomes of what is mentioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// It is removed from an original, before anything else.
    LeaveOut,
    /// Something more general takes its place, where items are nodes of a taxonomy.
    Generalise,
    /// Nothing: a release that mentions it is refused.
    Refuse,
}

impl Then {
    /// All of them, as a policy names them.
    pub const ALL: [(&'static str, Self); 3] =
        [("leave-out", Self::LeaveOut), ("generalise", Self::Generalise), ("refuse", Self::Refuse)];
}

/// Within what things may not be said together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// What a release says of one person.
    Record,
    /// A whole release.
    Release,
    /// All releases of a data set that are in the ledger.
    Dataset,
}

impl Within {
    /// All of them, as a policy names them.
    pub const ALL: [(&'static str, Self); 3] =
        [("record", Self::Record), ("release", Self::Release), ("dataset", Self::Dataset)];
}

/// A policy and its verdicts, as a certificate has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyRecord {
    /// The SHA-256 of the policy.
    pub sha256: String,
    /// Every rule.
    pub rules: Vec<RuleRecord>,
}

/// A rule and its verdict, as a certificate has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleRecord {
    /// The name of the rule.
    pub name: String,
    /// `holds`: a release that is refused has no certificate.
    pub verdict: String,
}

impl Policy {
    /// Reads a policy.
    pub fn read(path: &Path) -> Result<Self> {
        let named = |error: Error| error.in_file(path.display().to_string());
        let bytes = limits::read_file(path, "the policy ", limits::MOST_LIST_BYTES)?;
        let text = String::from_utf8(bytes).map_err(|_| named(Error::data("the policy is not UTF-8")))?;
        Self::parse(&text).map_err(named)
    }

    /// Understands the text of a policy.
    pub fn parse(text: &str) -> Result<Self> {
        let (rules, notes) = reading::rules(text.trim_start_matches('\u{feff}'))?;
        Ok(Self { sha256: io::hash_bytes(text.as_bytes()), rules, notes })
    }

    /// Whether a rule is about data of a kind.
    pub(crate) fn is_about(rule: &Rule, kind: &str) -> bool {
        rule.kind.is_none_or(|own| own == kind)
    }

    /// The minimums for data of a kind, with the number of the rule.
    pub(crate) fn models_for<'a>(
        &'a self,
        kind: &'a str,
    ) -> impl Iterator<Item = (usize, &'static str, &'a Map<String, Value>)> {
        let of = |(at, rule): (usize, &'a Rule)| match &rule.what {
            What::Model { model, parameters } if rule.kind == Some(kind) => Some((at, *model, parameters)),
            _ => None,
        };
        self.rules.iter().enumerate().filter_map(of)
    }
}

impl Rule {
    /// Everything that it names in texts and fields of the data that are judged.
    pub(crate) fn places(&self) -> &[Place] {
        match &self.what {
            What::Never { fields: places, .. }
            | What::Mentions { any: places, .. }
            | What::Together { all: places, .. } => places,
            What::Model { .. } | What::Attack { .. } | What::Randomness | What::Signed | What::SamePeople => &[],
        }
    }

    /// Everything that it names in texts and fields, of what left before, too.
    pub(crate) fn named(&self) -> impl Iterator<Item = &Place> {
        self.places().iter().chain(self.waits_for().map(|after| &after.field))
    }

    /// The field whose release is waited for, of a rule that waits for one.
    pub(crate) fn waits_for(&self) -> Option<&After> {
        match &self.what {
            What::Never { after, .. } => after.as_ref(),
            _ => None,
        }
    }
}

/// Whether the role or column of a name is meant by another name: it is called so, or as a column of that role usually is, in any kind. What
/// finders find is meant by their names, even where columns of persons are called so, too.
pub(crate) fn is_meant(field: &str, name: &str) -> bool {
    let own = plain(name);
    let cards = || KINDS.iter().flat_map(|kind| kind.recognition().roles.cards).filter(|card| card.name == field);
    plain(field) == own
        || cards().any(|card| card.other_name.is_some_and(|other| plain(other) == own))
        || (finder_of(name).is_none() && cards().any(|card| card.known_names.contains(&own.as_str())))
}

/// The finder that a field is the name of.
pub(crate) fn finder_of(name: &str) -> Option<usize> {
    number(&name.trim().to_lowercase())
}

/// What people call what finders find, beside the names of these, as [`plain`] has it.
const OTHER_NAMES: [(&str, &[&str]); 27] = [
    ("address", &["street", "email", "ip"]),
    ("addresses", &["street", "email", "ip"]),
    ("homeaddress", &["street"]),
    ("postaladdress", &["street"]),
    ("streetaddress", &["street"]),
    ("emails", &["email"]),
    ("mail", &["email"]),
    ("emailaddress", &["email"]),
    ("ipaddress", &["ip"]),
    ("telephone", &["phone"]),
    ("phonenumber", &["phone"]),
    ("telephonenumber", &["phone"]),
    ("mobile", &["phone"]),
    ("creditcard", &["card"]),
    ("cardnumber", &["card"]),
    ("creditcardnumber", &["card"]),
    ("bankaccount", &["iban"]),
    ("socialsecuritynumber", &["ssn"]),
    ("passportnumber", &["passport"]),
    ("password", &["token"]),
    ("apikey", &["token"]),
    ("location", &["coordinates"]),
    ("gps", &["coordinates"]),
    ("names", &["name"]),
    ("fullname", &["name"]),
    ("personname", &["name"]),
    ("uuid", &["token"]),
];

/// The finders that a field means: the one of that name, or those of what people call so. None for other fields.
pub(crate) fn finders_of(name: &str) -> Vec<usize> {
    if let Some(finder) = finder_of(name) {
        return vec![finder];
    }
    let own = plain(name);
    let others = OTHER_NAMES.iter().find(|(other, _)| *other == own).map(|(_, finders)| *finders).unwrap_or_default();
    let found = others.iter().filter_map(|name| number(name)).collect::<Vec<_>>();
    // A mark or two do not make another name: e-mail, E_Mail.
    if found.is_empty() { number(&own).into_iter().collect() } else { found }
}

/// Names of fields that finders look for, beside their own.
pub(crate) fn other_names() -> impl Iterator<Item = &'static str> {
    OTHER_NAMES.iter().map(|(name, _)| *name)
}

/// A name without case, blanks and marks, as columns are compared.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
