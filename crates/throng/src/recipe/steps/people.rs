//! Steps that run what throng does with data about people: protect, check, measure, attack, compare, audit, inspect.

use serde_json::{Value, json};
use throng_core::Result;

use super::super::commands::SECRET;
use super::{Did, Verdict, Work, as_json};
use crate::run::{
    self, AttackRequest, AuditRequest, CheckRequest, CompareRequest, InspectRequest, MeasureRequest, ProtectRequest,
};

pub(in super::super) fn protect(work: &Work<'_>) -> Result<Did> {
    let request =
        ProtectRequest { out: work.folder.join("release"), key: Some(work.folder.join(SECRET)), ..work.request()? };
    let outcome = run::protect(&request, work.progress)?;
    let above: Vec<String> = outcome
        .attacks
        .iter()
        .filter(|attacked| attacked.outcome.is_above())
        .map(|attacked| attacked.in_words().unwrap_or_default())
        .collect();
    let found = json!({
        "release": "release",
        "certificate": outcome.certificate,
        "measures": outcome.measures,
        "attacks": outcome.attacks,
        "skipped": outcome.skipped,
        "policy": outcome.policy,
        "signed_by": outcome.signed_by,
        "verdict": verdict_of(&json!(outcome.attacks)),
    });
    let mut notes = outcome.notes;
    notes.extend(outcome.unused.iter().map(|name| format!("{name} means nothing here and is ignored")));
    if request.seed.is_some() {
        notes.push("a seeded release can be undone by whoever learns the seed, which the recipe says".to_owned());
    }
    Ok(Did { verdict: of_attacks(&above), ..Did::fine(found).with_notes(notes) })
}

pub(in super::super) fn check(work: &Work<'_>) -> Result<Did> {
    let request: CheckRequest = work.request()?;
    let outcome = run::check(&request, work.progress)?;
    let mut found = as_json(&outcome)?;
    let claims = |word: &str| -> String {
        let is_it = |claim: &&Value| claim["verdict"] == word;
        let named =
            found["claims"].as_array().into_iter().flatten().filter(is_it).filter_map(|claim| claim["model"].as_str());
        named.collect::<Vec<_>>().join(", ")
    };
    let verdict = match outcome.verdict {
        "holds" => Verdict::Fine,
        "partly" | "nothing claimed" => match claims("unchecked") {
            none if none.is_empty() => Verdict::Partly("nothing that is claimed could be checked".to_owned()),
            some => Verdict::Partly(format!("not checked: {some}")),
        },
        _ => match claims("fails") {
            none if none.is_empty() => Verdict::Fails("the data are not what is said of them".to_owned()),
            some => Verdict::Fails(format!("does not hold: {some}")),
        },
    };
    if matches!(verdict, Verdict::Partly(_)) {
        found["verdict"] = "partly".into();
    }
    Ok(Did { verdict, ..Did::fine(found).with_notes(outcome.notes) })
}

pub(in super::super) fn measure(work: &Work<'_>) -> Result<Did> {
    let request: MeasureRequest = work.request()?;
    let outcome = run::measure(&request, work.progress)?;
    Ok(Did::fine(as_json(&outcome)?).with_notes(outcome.notes))
}

pub(in super::super) fn attack(work: &Work<'_>) -> Result<Did> {
    let request: AttackRequest = work.request()?;
    let outcome = run::attack(&request, work.progress)?;
    let above: Vec<String> =
        outcome.attacks.iter().filter(|attack| attack.is_above()).map(|attack| attack.name.to_string()).collect();
    let mut found = as_json(&outcome)?;
    found["verdict"] = verdict_of(&found["attacks"]).into();
    let verdict = match outcome.attacks.is_empty() {
        true => Verdict::Partly("no attack could be tried".to_owned()),
        false => of_attacks(&above),
    };
    Ok(Did { verdict, ..Did::fine(found).with_notes(outcome.notes) })
}

pub(in super::super) fn compare(work: &Work<'_>) -> Result<Did> {
    let request = CompareRequest { out: work.folder.join("comparison"), ..work.request()? };
    let comparison = run::compare(&request, work.progress)?;
    Ok(Did::fine(as_json(&comparison)?))
}

pub(in super::super) fn audit(work: &Work<'_>) -> Result<Did> {
    let request: AuditRequest = work.request()?;
    let outcome = run::audit(&request, work.progress)?;
    let mut found = as_json(&outcome)?;
    if let (Some(page), Some(name)) = (found.get_mut("page"), request.html.as_deref().and_then(|path| path.file_name()))
    {
        *page = name.to_string_lossy().into();
    }
    let verdict = match outcome.holds() {
        true => Verdict::Fine,
        false => Verdict::Fails(
            outcome.what_to_do.first().cloned().unwrap_or_else(|| "the file is not anonymous".to_owned()),
        ),
    };
    Ok(Did { verdict, ..Did::fine(found).with_notes(outcome.notes) })
}

pub(in super::super) fn inspect(work: &Work<'_>) -> Result<Did> {
    let request: InspectRequest = work.request()?;
    let found = run::inspect(&request, work.progress)?;
    Ok(Did::fine(as_json(&found)?).with_notes(found.notes))
}

/// The worst verdict of some attacks.
fn verdict_of(attacks: &Value) -> &'static str {
    let has = |word: &str| attacks.as_array().into_iter().flatten().any(|attack| attack["verdict"] == word);
    ["above", "below"].into_iter().find(|word| has(word)).unwrap_or("none")
}

fn of_attacks(above: &[String]) -> Verdict {
    match above {
        [] => Verdict::Fine,
        some => Verdict::Fails(format!("an attack achieves more than the release promises: {}", some.join("; "))),
    }
}
