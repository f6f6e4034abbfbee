//! What a policy says of a release that is not made yet: `throng protect --dry-run`.
//!
//! Only what cannot change any more is a verdict: columns, what the method claims, randomness, the signature, whether there is a ledger. All else
//! depends on records, attacks and people that are not there yet, and is said to be judged later.

use serde::Serialize;
use serde_json::Value;
use throng_core::{Error, Result};

use super::dry_run::PlannedClaim;
use super::protect::ProtectRequest;
use crate::catalog::{self, Judge};
use crate::kinds::Kinded;
use crate::policy::{self, Atom, Known, Matcher, Policy, Rule, Verdict, What, finder_of};
use crate::words::counted;

/// What can be said of a rule before a release is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Foreseen {
    /// The name of the rule.
    pub name: String,
    /// Its line in the policy.
    pub line: u64,
    /// The verdict; nothing where it is judged on the release only.
    pub verdict: Option<Verdict>,
    /// What is to be said of it. Never what a record says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A policy, and the records of some persons, as they would be published.
pub(super) struct Foresight<'a, D: Kinded> {
    pub(super) policy: &'a Policy,
    pub(super) matcher: &'a Matcher,
    pub(super) request: &'a ProtectRequest,
    pub(super) claims: &'a [PlannedClaim],
    pub(super) records: &'a D,
    /// The columns of the release.
    pub(super) columns: &'a [(&'static str, String)],
}

impl<D: Kinded> Foresight<'_, D> {
    /// Every rule; an error if the release would be refused whatever it says.
    pub(super) fn rules(&self) -> Result<Vec<Foreseen>> {
        let seen = policy::look(self.policy, self.matcher, self.records, (self.columns, &[]), None);
        let mut rules = Vec::new();
        for (rule, &against) in self.policy.rules.iter().zip(&seen.against) {
            let known =
                if Policy::is_about(rule, D::CARD.name) { self.known(rule, against)? } else { Some(Known::Yes) };
            let (verdict, why) = match known {
                Some(Known::Yes) => (Some(Verdict::Holds), None),
                Some(Known::No(why)) => (Some(Verdict::Breaks), Some(why)),
                Some(Known::Unknown(why)) => (Some(Verdict::Unknown), Some(why)),
                None => (None, tried(rule, against)),
            };
            rules.push(Foreseen { name: rule.name.clone(), line: rule.line, verdict, why });
        }
        let refused: Vec<String> = rules.iter().filter_map(Foreseen::refused).collect();
        if refused.is_empty() {
            return Ok(rules);
        }
        let file = self.request.ask.policy.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        Err(Error::policy(format!(
            "the policy would not allow this release: {}; nothing was written",
            refused.join("; ")
        ))
        .in_file(file)
        .with_hint("docs/policy.md says what each sort of rule asks for"))
    }

    /// What is sure of a rule; nothing where records decide.
    fn known(&self, rule: &Rule, against: u64) -> Result<Option<Known>> {
        let has_ledger = self.request.ledger.is_some();
        let no_ledger = || Some(Known::Unknown("it is about what has left before, and no ledger is given".to_owned()));
        Ok(match &rule.what {
            What::Never { fields, after } => {
                let is_column = |atom: &Atom| matches!(atom, Atom::Field(name) if finder_of(name).is_none());
                let are_columns = fields.iter().all(|place| is_column(&place.atom));
                match (are_columns, against, after) {
                    (true, 0, _) => Some(Known::Yes),
                    (true, _, None) => Some(Known::No("the release would have such a column".to_owned())),
                    (true, _, Some(_)) if !has_ledger => no_ledger(),
                    _ => None,
                }
            }
            What::Model { model, parameters } => self.minimum(model, parameters)?,
            What::Randomness if self.request.seed.is_some() => {
                Some(Known::No("the release would be made with a seed".to_owned()))
            }
            What::Signed if self.request.sign.is_none() => Some(Known::No("nobody signs it: `--sign FILE`".to_owned())),
            What::Randomness | What::Signed => Some(Known::Yes),
            What::SamePeople if !has_ledger => no_ledger(),
            What::Attack { attack, .. } => {
                let kinds = catalog::item(catalog::Role::Attack, attack).map(|item| item.kinds).unwrap_or_default();
                match (kinds.contains(&D::CARD.name), self.request.no_attacks) {
                    (false, _) => Some(Known::Yes),
                    (true, true) => Some(Known::Unknown("no attacks would be made: `--no-attacks`".to_owned())),
                    (true, false) => None,
                }
            }
            What::SamePeople | What::Mentions { .. } | What::Together { .. } => None,
        })
    }

    /// Whether what the method claims is as much as a policy asks for.
    fn minimum(&self, model: &'static str, asked: &serde_json::Map<String, Value>) -> Result<Option<Known>> {
        let entry = D::SHELF.model(model)?;
        let Some(claim) = self.claims.iter().find(|claim| claim.model == model) else {
            // Data may satisfy a model that nobody claims; what needs the original is believed only where it is claimed.
            let mut parameters = serde_json::Map::new();
            parameters.extend(asked.clone());
            let is_alone = (entry.build)(parameters).is_ok_and(|judge| matches!(judge, Judge::Alone(_)));
            return Ok((!is_alone).then(|| Known::No(format!("the method does not claim {model}"))));
        };
        Ok(Some(if policy::reaches(entry.info, &claim.parameters, asked) {
            Known::Yes
        } else {
            Known::No(format!("the release would claim {model} with {}", Value::Object(claim.parameters.clone())))
        }))
    }
}

/// What the persons who were tried say of a rule that is judged later; nothing of what finders find, for it may be masked until then.
fn tried(rule: &Rule, against: u64) -> Option<String> {
    let is_found = |atom: &Atom| matches!(atom, Atom::Field(name) if finder_of(name).is_some());
    if against == 0 || rule.places().iter().any(|place| is_found(&place.atom)) {
        return None;
    }
    Some(format!("against it, of those that were tried: {}", counted(against, "record", "records")))
}

impl Foreseen {
    /// For an error, if the release would be refused.
    fn refused(&self) -> Option<String> {
        let verdict = self.verdict.filter(|verdict| *verdict != Verdict::Holds)?;
        let why = self.why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        Some(format!("`{}` (line {}) {}{why}", self.name, self.line, verdict.name()))
    }

    /// In words.
    pub fn says(&self) -> String {
        let verdict = self.verdict.map_or("is judged on the release", Verdict::name);
        let why = self.why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        format!("`{}` (line {}) {verdict}{why}", self.name, self.line)
    }
}
