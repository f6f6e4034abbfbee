//! Looking through data of any kind for what a policy names: once over the texts, once over the records.
//!
//! # Cost
//! Every different text once, in parallel; then one look at each row.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde_json::{Map, Value};
use throng_core::concepts::Scratch;
use throng_core::data::content::Field;
use throng_core::finders::mask::Form;
use throng_core::finders::traces::Traces;
use throng_core::models::content_threshold::ACCOUNTS;
use throng_core::{Error, Info, ParameterKind, Result};

use super::{Atom, Judged, Matcher, Policy, Rule, Verdict, What, Within, is_meant, plain};
use crate::catalog::{Judge, ModelEntry};
use crate::certificate::{Certificate, ClaimRecord};
use crate::kinds::{KINDS, Kinded};
use crate::words::counted;

/// What a release says, as far as a policy asks.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The kind of data.
    pub kind: &'static str,
    /// How many records there are: one for each person.
    pub records: u64,
    /// For each rule, how many records are against it, or, of what may not be said together in a whole release, are part of it.
    pub against: Vec<u64>,
    /// For each rule that cannot be judged on these data at all: why.
    pub unjudgeable: Vec<Option<String>>,
    /// What is said anywhere, of everything that is looked for.
    pub said: BTreeSet<Atom>,
    /// Everything that was looked for.
    pub looked_for: BTreeSet<Atom>,
    /// The fields that have a value: roles and names of columns.
    pub fields: BTreeSet<String>,
    /// For each rule that is a minimum of a model: what was found.
    pub models: Vec<Option<FoundModel>>,
}

/// What was found of a model that a policy asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundModel {
    /// It holds on the data.
    Holds,
    /// It does not; why, in words.
    Fails(String),
    /// It could not be looked at; why, in words.
    Unknown(String),
}

/// The columns of a file: those with a role, and the others.
pub(crate) struct ColumnsOf<'a> {
    pub(crate) mapped: &'a [(&'static str, String)],
    pub(crate) unmapped: &'a [String],
    /// What texts of the original mention by marks that are gone.
    traces: Option<Traces>,
}

/// What the texts of an original mention, in words that have lost their marks and their order.
fn traces_in<D: Kinded>(matcher: &Matcher, original: &D) -> Traces {
    let mut traces = Traces::default();
    for field in original.fields().iter().filter(|field| field.form == Form::Words) {
        // For each text its words, each with the number of what they mention.
        type Mentioned = Vec<(Vec<String>, u32)>;
        let found: Vec<(u32, Mentioned)> = (0..field.texts.len() as u32)
            .into_par_iter()
            .map_init(Scratch::default, |scratch, text| (text, matcher.traces_in(field.texts.get(text), scratch)))
            .filter(|(_, found)| !found.is_empty())
            .collect();
        for (text, found) in found {
            traces.add(field.texts.get(text), found.iter().map(|(words, atom)| (words.as_slice(), *atom)));
        }
    }
    traces
}

/// Looks through data. Columns are those of the file that holds them. Where texts have lost their marks, what they said with them is
/// known by the original.
pub fn look<D: Kinded>(
    policy: &Policy,
    matcher: &Matcher,
    data: &D,
    (mapped, unmapped): (&[(&'static str, String)], &[String]),
    original: Option<&D>,
) -> Seen {
    let columns = ColumnsOf { mapped, unmapped, traces: original.map(|original| traces_in(matcher, original)) };
    let mut seen = look_at(policy, matcher, data, &columns);
    // What is sealed in shares and opens to anybody is said, too.
    if let Some(Ok(opened)) = data.opened_shares()
        && opened.texts > 0
    {
        let inside = look_at(policy, matcher, &opened.data, &columns);
        seen.against.iter_mut().zip(inside.against).for_each(|(count, more)| *count = (*count).max(more));
        seen.said.extend(inside.said);
    }
    seen
}

fn look_at<D: Kinded>(policy: &Policy, matcher: &Matcher, data: &D, columns: &ColumnsOf<'_>) -> Seen {
    let fields = data.fields();
    let mentioned: Vec<Vec<Option<Box<[u32]>>>> =
        fields.iter().map(|field| in_texts(matcher, field, columns.traces.as_ref())).collect();
    let own_fields = FieldAtoms::of::<D>(matcher, &fields, columns);
    let atoms = matcher.atoms().len();
    let places: Vec<Vec<usize>> = policy
        .rules
        .iter()
        .map(|rule| rule.places().iter().filter_map(|place| matcher.number(&place.atom)).collect())
        .collect();
    let is_ours: Vec<bool> = policy.rules.iter().map(|rule| Policy::is_about(rule, D::CARD.name)).collect();
    let mut against = vec![0; policy.rules.len()];
    let (mut is_said, mut has_values) = (vec![false; atoms], vec![false; fields.len()]);
    let mut own = vec![false; atoms];
    for person in 0..data.persons() {
        own.fill(false);
        let note = |field: usize, text: u32, own: &mut Vec<bool>| {
            mentioned[field][text as usize]
                .iter()
                .flat_map(|numbers| numbers.iter())
                .for_each(|&at| own[at as usize] = true);
            own_fields.of_text[field].iter().for_each(|&at| own[at] = true);
        };
        for texts in data.texts_of_rows(person) {
            for (field, &text) in texts.as_ref().iter().enumerate().take(fields.len()) {
                // A field without a value says nothing.
                if (text as usize) < fields[field].texts.len() && !fields[field].texts.get(text).is_empty() {
                    has_values[field] = true;
                    note(field, text, &mut own);
                }
            }
        }
        for text in data.texts_beside_rows(person) {
            has_values[0] = true;
            note(0, text, &mut own);
        }
        own_fields.of_all.iter().for_each(|&at| own[at] = true);
        is_said.iter_mut().zip(&own).for_each(|(said, own)| *said |= own);
        for (at, rule) in policy.rules.iter().enumerate().filter(|(at, _)| is_ours[*at]) {
            against[at] += u64::from(is_against(rule, &places[at], &own));
        }
    }
    let said = matcher.atoms().iter().zip(&is_said).filter(|(_, said)| **said).map(|(atom, _)| atom.clone()).collect();
    let text_roles: Vec<&str> = fields.iter().map(|field| field.role).collect();
    let values = fields.iter().zip(&has_values).filter(|(_, has)| **has).map(|(field, _)| field.role.to_owned());
    let others =
        columns.mapped.iter().filter(|(role, _)| !text_roles.contains(role)).map(|(role, _)| (*role).to_owned());
    let unjudgeable = policy.rules.iter().map(|rule| unjudgeable::<D>(rule, matcher, &fields)).collect();
    Seen {
        kind: D::CARD.name,
        records: data.persons() as u64,
        against,
        unjudgeable,
        said,
        looked_for: matcher.atoms().iter().cloned().collect(),
        fields: values.chain(others).chain(columns.unmapped.iter().cloned()).collect(),
        models: vec![None; policy.rules.len()],
    }
}

/// Whether a record that says these things is against a rule.
fn is_against(rule: &Rule, places: &[usize], own: &[bool]) -> bool {
    match &rule.what {
        What::Never { .. } | What::Mentions { .. } => places.iter().any(|&at| own[at]),
        What::Together { within: Within::Record, .. } => !places.is_empty() && places.iter().all(|&at| own[at]),
        What::Together { .. } => places.iter().any(|&at| own[at]),
        What::Model { .. } | What::Attack { .. } | What::Randomness | What::Signed | What::SamePeople => false,
    }
}

/// What each text of a field mentions; nothing for most.
fn in_texts(matcher: &Matcher, field: &Field<'_>, traces: Option<&Traces>) -> Vec<Option<Box<[u32]>>> {
    let traces = traces.filter(|_| field.form == Form::Words);
    (0..field.texts.len() as u32)
        .into_par_iter()
        .map_init(Scratch::default, |scratch, text| {
            let mut found = matcher.mentioned(field.texts.get(text), scratch);
            if let Some(traces) = traces {
                traces.of(field.texts.get(text), |atom, _| found.push(atom));
                found.sort_unstable();
                found.dedup();
            }
            (!found.is_empty()).then(|| found.into_boxed_slice())
        })
        .collect()
}

/// Why a rule cannot be judged on such data at all.
fn unjudgeable<D: Kinded>(rule: &Rule, matcher: &Matcher, fields: &[Field<'_>]) -> Option<String> {
    let has_several = rule.places().iter().any(|place| matcher.has_several_words(&place.atom));
    let are_single = || !fields.iter().flat_map(|field| field.texts.iter()).any(|text| text.trim().contains(' '));
    (D::HAS_SINGLE_WORDS && Policy::is_about(rule, D::CARD.name) && has_several && are_single())
        .then(|| "it names several words, and the data have single ones, without their order".to_owned())
}

/// The fields among what is looked for: which of them a text of each field is, and which everybody has.
struct FieldAtoms {
    of_text: Vec<Vec<usize>>,
    of_all: Vec<usize>,
}

impl FieldAtoms {
    fn of<D: Kinded>(matcher: &Matcher, fields: &[Field<'_>], columns: &ColumnsOf<'_>) -> Self {
        let (mut of_text, mut of_all) = (vec![Vec::new(); fields.len()], Vec::new());
        for (at, atom) in matcher.atoms().iter().enumerate() {
            let Atom::Field(name) = atom else { continue };
            let own = plain(name);
            let column_of =
                |role: &str| columns.mapped.iter().find(|(other, _)| *other == role).map(|(_, name)| plain(name));
            for (field, texts) in fields.iter().zip(&mut of_text) {
                if is_meant(field.role, name) || column_of(field.role).as_ref() == Some(&own) {
                    texts.push(at);
                }
            }
            let is_text = |role: &str| fields.iter().any(|field| field.role == role);
            // Of several columns of one role, texts do not say which they are of.
            let is_one = |role: &str| columns.mapped.iter().filter(|(other, _)| *other == role).count() == 1;
            let is_mapped = |(role, column): &(&'static str, String)| {
                let is_called = plain(column) == own;
                if is_text(role) { is_called && !is_one(role) } else { is_called || is_meant(role, name) }
            };
            let is_there = columns.mapped.iter().any(is_mapped)
                || columns.unmapped.iter().any(|column| is_column(column, &own))
                || plain(D::CARD.name) == own;
            if is_there {
                of_all.push(at);
            }
        }
        Self { of_text, of_all }
    }
}

/// Whether a column without a role is meant by a plain name: it is called so, or as a column of the role of that name usually is.
fn is_column(column: &str, name: &str) -> bool {
    let cards = || KINDS.iter().flat_map(|kind| kind.recognition().roles.cards);
    plain(column) == name || cards().any(|card| plain(card.name) == name && card.knows(column))
}

/// Checks the models that a policy asks for on the data themselves. A model that needs the original is checked beside it, if it is at hand;
/// else the certificate is believed, if it was written for these data. Where accounts are probably one person's (`alike`), a claim that
/// counts each of them is none.
pub(crate) fn judge_models<D: Kinded>(
    policy: &Policy,
    claims: &[ClaimRecord],
    mut evidence: impl FnMut(bool) -> Result<std::rc::Rc<D::Evidence>>,
    beside: Option<(&D, &D)>,
    certificate: Option<(&Certificate, bool)>,
    alike: u64,
) -> Result<Vec<Option<FoundModel>>> {
    let mut found = vec![None; policy.rules.len()];
    for (at, model, parameters) in policy.models_for(D::CARD.name) {
        let entry = D::SHELF.model(model)?;
        let claim = claims.iter().find(|claim| claim.model == model);
        let claim_of_accounts = claim.filter(|claim| {
            alike > 0 && claim.parameters.get(ACCOUNTS.name).is_some_and(|accounts| accounts == "apart")
        });
        if claim_of_accounts.is_some() && beside.is_none() {
            found[at] = Some(FoundModel::Fails(format!(
                "it is claimed with `accounts` apart, and {} probably those of fewer persons",
                counted(alike, "account is", "accounts are")
            )));
            continue;
        }
        let judge = built(entry, claim, parameters, claim_of_accounts.is_some())?;
        found[at] = Some(match (&judge, beside) {
            (Judge::Alone(model), _) => match evidence(model.needs_sensitive()).and_then(|seen| model.check(&seen)) {
                Ok(verdict) if verdict.holds => FoundModel::Holds,
                Ok(verdict) => FoundModel::Fails(format!("the data achieve {}", Value::Object(verdict.achieved))),
                Err(error) if error.is_stopped() || error.is_internal() => return Err(error),
                Err(error) => FoundModel::Unknown(error.to_string()),
            },
            (Judge::Beside(model), Some((original, release))) => match model.check(original, release) {
                Ok(verdict) if verdict.holds => FoundModel::Holds,
                Ok(verdict) => FoundModel::Fails(format!("the data achieve {}", Value::Object(verdict.achieved))),
                Err(error) => FoundModel::Unknown(error.to_string()),
            },
            // Whoever is at the original has just held the claims against the written bytes, with the key in hand.
            (Judge::Keyed(_), Some(_)) => claimed(entry, claim, parameters),
            (Judge::Beside(_) | Judge::Keyed(_), None) => believed(entry, claim, parameters, certificate),
        });
    }
    Ok(found)
}

/// A model with its defaults, what is claimed, and what the policy asks for.
fn built<D: Kinded>(
    entry: &ModelEntry<D>,
    claim: Option<&ClaimRecord>,
    asked: &Map<String, Value>,
    counts_once: bool,
) -> Result<Judge<D>> {
    let mut parameters = claim.map(|claim| claim.parameters.clone()).unwrap_or_default();
    if counts_once {
        parameters.insert(ACCOUNTS.name.to_owned(), ACCOUNTS.default.into());
    }
    for known in entry.info.parameters {
        if let (false, true) =
            (parameters.contains_key(known.name), matches!(known.kind, ParameterKind::Count | ParameterKind::Share))
        {
            let value: Value = known.default.parse::<f64>().map_or(Value::Null, |number| match known.kind {
                ParameterKind::Count => (number as u64).into(),
                _ => number.into(),
            });
            parameters.insert(known.name.to_owned(), value);
        }
    }
    parameters.extend(asked.clone());
    (entry.build)(parameters)
}

/// What a certificate says of a model that the release alone does not show.
fn believed<D: Kinded>(
    entry: &ModelEntry<D>,
    claim: Option<&ClaimRecord>,
    asked: &Map<String, Value>,
    certificate: Option<(&Certificate, bool)>,
) -> FoundModel {
    let name = entry.info.name;
    match certificate {
        None => FoundModel::Unknown(format!("{name} needs the original, and there is no certificate")),
        Some((_, false)) => {
            FoundModel::Unknown(format!("{name} needs the original, and the data are not those of the certificate"))
        }
        Some((_, true)) => claimed(entry, claim, asked),
    }
}

/// Whether a claim that was found to hold is as much as the policy asks for.
fn claimed<D: Kinded>(entry: &ModelEntry<D>, claim: Option<&ClaimRecord>, asked: &Map<String, Value>) -> FoundModel {
    let Some(claim) = claim else {
        return FoundModel::Fails(format!("the certificate does not claim {}", entry.info.name));
    };
    if claim.verdict == "holds" && reaches(entry.info, &claim.parameters, asked) {
        FoundModel::Holds
    } else {
        FoundModel::Fails(format!("the certificate claims {}", Value::Object(claim.parameters.clone())))
    }
}

/// Whether parameters of a model that are claimed are as good as those that are asked for: shares and other limits are at most so large,
/// numbers at least, and words are the same.
pub(crate) fn reaches(model: &Info, claimed: &Map<String, Value>, asked: &Map<String, Value>) -> bool {
    let is_reached = |(parameter, asked): (&String, &Value)| {
        let known = model.parameters.iter().find(|known| known.name == parameter);
        let is_limit = known.is_some_and(|known| {
            known.kind == ParameterKind::Share || ["beta", "c", "delta", "max"].contains(&known.name)
        });
        let claimed = claimed.get(parameter);
        match (claimed.and_then(Value::as_f64), asked.as_f64()) {
            (Some(claimed), Some(most)) if is_limit => claimed <= most,
            (Some(claimed), Some(least)) => claimed >= least,
            _ => claimed == Some(asked),
        }
    };
    asked.iter().all(is_reached)
}

impl Seen {
    /// The same where a part of the file was not looked at: nothing can be said of rules that nothing was found against.
    pub(crate) fn without_having_seen(&mut self, policy: &Policy, what: &str) {
        for (rule, why) in policy.rules.iter().zip(&mut self.unjudgeable) {
            if !rule.places().is_empty() && Policy::is_about(rule, self.kind) {
                why.get_or_insert_with(|| format!("nothing can be said of {what}"));
            }
        }
    }

    /// The verdict on a rule that is about records alone.
    pub(super) fn on_records(&self, rule: &Rule, at: usize) -> Judged {
        match &self.unjudgeable[at] {
            _ if self.against[at] > 0 => Judged::of(rule, Verdict::Breaks, self.against[at], None),
            Some(why) => Judged::of(rule, Verdict::Unknown, 0, Some(why.clone())),
            None => Judged::of(rule, Verdict::Holds, 0, None),
        }
    }

    /// Refuses data that nobody looked through as this policy wants.
    pub(super) fn check_of(&self, policy: &Policy) -> Result<()> {
        if self.against.len() == policy.rules.len() && self.models.len() == policy.rules.len() {
            return Ok(());
        }
        Err(Error::internal("data were looked through for another policy"))
    }
}
