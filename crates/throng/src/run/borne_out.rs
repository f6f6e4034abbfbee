//! Whether a certificate is borne out: what it says of the data is what was just read, and whatever else is in it is something that
//! throng could have written. A certificate without a signature can be written by anybody; but it cannot say what is not so, or carry
//! words of somebody's own, and pass a check.

use serde_json::{Map, Value};
use throng_core::accounts;
use throng_core::finders::FINDERS;

use super::certified::Certified;
use super::check::ClaimOutcome;
use crate::certificate::{Certificate, ClaimRecord, PROMISES_NOTHING};
use crate::content::FinderRecord;
use crate::kinds::{Evidenced, Kinded};
use crate::policy::PolicyRecord;

/// What a certificate says, and is not so, in words. Of one that a newer throng wrote only what this one can judge.
pub(super) fn contradictions<D: Kinded>(
    certified: &Certified,
    seen: &Evidenced<D>,
    claims: &[ClaimOutcome],
    is_read_as_certified: bool,
) -> Vec<String> {
    let Some(certificate) = &certified.certificate else { return Vec::new() };
    let mut wrong = Vec::new();
    if is_read_as_certified {
        wrong.extend(of_data(certificate, seen));
    }
    wrong.extend(of_claims(certificate, claims, is_read_as_certified));
    if !certificate.is_of_a_newer_throng() {
        wrong.extend(of_words(certificate));
        wrong.extend(of_method::<D>(certificate));
    }
    wrong.into_iter().map(|wrong| format!("certificate.json, which {wrong}")).collect()
}

/// Counts and columns.
fn of_data<D: Kinded>(certificate: &Certificate, seen: &Evidenced<D>) -> Vec<String> {
    let output = &certificate.output;
    let mut wrong = Vec::new();
    for (what, said, found) in [("persons", output.persons, seen.persons as u64), ("rows", output.rows, seen.rows)] {
        if said != found {
            wrong.push(format!("says that the data have {said} {what}, and they have {found}"));
        }
    }
    if !seen.unmapped.is_empty() {
        wrong.push("does not name all columns of the data".to_owned());
    }
    if (certificate.ids == "none") != seen.person_column.is_empty() {
        let have = if seen.person_column.is_empty() { "none" } else { "some" };
        wrong.push(format!("says otherwise of ids than the data, which have {have}"));
    }
    wrong
}

/// Verdicts, and what the data achieve. What only the original shows is a number all the same.
fn of_claims(certificate: &Certificate, found: &[ClaimOutcome], is_read_as_certified: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    for claim in &certificate.claims {
        let model = &claim.model;
        if claim.verdict != "holds" {
            wrong.push(format!("claims {model} with a verdict that no release has"));
        }
        let is_it = |found: &&ClaimOutcome| found.model == *model && found.parameters == claim.parameters;
        let Some(found) = found.iter().find(is_it) else { continue };
        if found.needs != claim.needs.as_deref() {
            wrong.push(format!("says otherwise of what {model} needs"));
        }
        let is_alone = found.needs.is_none() && is_read_as_certified && found.verdict != "unchecked";
        let is_other = if is_alone { found.achieved != claim.achieved } else { !are_numbers(claim) };
        if is_other {
            wrong.push(format!("says otherwise of what the data achieve for {model}"));
        }
    }
    let promise = certificate.claims.is_empty().then_some(PROMISES_NOTHING);
    if certificate.promise.as_deref() != promise {
        wrong.push("promises something else than its claims".to_owned());
    }
    wrong
}

fn are_numbers(claim: &ClaimRecord) -> bool {
    claim.achieved.values().all(|value| value.is_number() || value.is_boolean() || value.is_null())
}

/// Words of which there are only a few.
fn of_words(certificate: &Certificate) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, said, known) in [
        ("randomness", Some(&certificate.randomness), &["secure", "seeded"][..]),
        ("ids", Some(&certificate.ids), &["pseudonyms", "kept", "none"]),
        ("text", certificate.text.as_ref(), &["normal form", "as written"]),
    ] {
        if said.is_some_and(|said| !known.contains(&said.as_str())) {
            wrong.push(format!("has something in `{name}` that throng does not write there"));
        }
    }
    if certificate.version().is_none() {
        wrong.push("has no version of throng in `throng`".to_owned());
    }
    let is_known = |name: &str| accounts::ALL.iter().any(|account| account.name == name);
    if certificate.accounting.iter().any(|(name, _)| !is_known(name)) {
        wrong.push("counts something that throng does not count".to_owned());
    }
    // Few are `<k`.
    let is_few = |text: &str| text.strip_prefix('<').is_some_and(|k| k.parse::<u64>().is_ok());
    let is_count = |value: &Value| value.is_u64() || value.as_str().is_some_and(is_few);
    let is_ours = |found: &FinderRecord| {
        let FinderRecord { finder, scrub: _, rows, after_threshold, masked, left } = found;
        FINDERS.iter().any(|known| known.info.name == finder)
            && [rows, after_threshold, masked, left].into_iter().all(is_count)
    };
    let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_kept =
        |policy: &PolicyRecord| is_hash(&policy.sha256) && policy.rules.iter().all(|rule| rule.verdict == "holds");
    if certificate.policy.as_ref().is_some_and(|policy| !is_kept(policy)) {
        wrong.push("has something in `policy` that throng does not write there".to_owned());
    }
    if !certificate.content.iter().all(is_ours) {
        wrong.push("has something in `content` that throng does not write there".to_owned());
    }
    wrong
}

/// The method with its parameters, as the method itself says them.
fn of_method<D: Kinded>(certificate: &Certificate) -> Option<String> {
    let method = &certificate.method;
    let own = |parameters: &Map<String, Value>| -> Option<Map<String, Value>> {
        let entry = D::SHELF.method(Some(&method.name)).ok()?;
        Some((entry.build)(parameters.clone()).ok()?.parameters())
    };
    // Of an older one, defaults may have been others.
    let is_of_this = certificate.throng == env!("CARGO_PKG_VERSION");
    match own(&method.parameters) {
        Some(parameters) if parameters == method.parameters || !is_of_this => None,
        _ => Some("names a method or parameters that throng does not have".to_owned()),
    }
}
