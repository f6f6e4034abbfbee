//! Whether a certificate is borne out: what it says of the data is what was just read, and whatever else is in it is something that
//! throng could have written. A certificate without a signature can be written by anybody; but it cannot say what is not so, or carry
//! words of somebody's own, and pass a check. What only the original could show must add up; it is its custodian's word all the same,
//! and a check says which parts are ([`on_trust`]).

use std::cmp::Ordering;

use serde_json::{Map, Value};
use throng_core::accounts::{
    self, ACCOUNTS_ALIKE, Account, GROUPS_EMPTY, ITEMS_UNKNOWN, LINES_ABOVE_CAP, OCCURRENCES_SUPPRESSED,
    OCCURRENCES_UNKNOWN, PERSONS_BARRED, PERSONS_DROPPED, PERSONS_HELD_OUT, PERSONS_NOT_SAMPLED,
    PERSONS_WITHOUT_CONCEPT, RANKS_LOST, ROWS_BARRED, ROWS_DROPPED, ROWS_EMPTIED, ROWS_MASKED, ROWS_UNREADABLE,
    SITES_LOST,
};
use throng_core::data::Graph;
use throng_core::data::table::ColumnRole;
use throng_core::finders::FINDERS;
use throng_core::models::visit_k_anonymity::{LINE, SESSION};

use super::certified::Certified;
use super::check::ClaimOutcome;
use crate::certificate::{Certificate, ClaimRecord, PROMISES_NOTHING};
use crate::content::FinderRecord;
use crate::kinds::{ColumnRecord, Evidenced, Kinded};
use crate::policy::PolicyRecord;
use crate::words::counted;

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
        if is_read_as_certified && certificate.ids == "pseudonyms" && !seen.ids_look_drawn {
            wrong.push("says that the ids are pseudonyms, and they are none that throng draws".to_owned());
        }
        wrong.extend(of_counts(certificate));
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

/// Counts that cannot be together: of the original, of what was left out of it, and of the release.
fn of_counts(certificate: &Certificate) -> Vec<String> {
    let (input, output, accounts) = (&certificate.input, &certificate.output, &certificate.accounting);
    let count = |account: Account| accounts.get(account).unwrap_or_default();
    let mut wrong = Vec::new();
    for account in accounts::ALL.iter().filter(|account| account.always && accounts.get(**account).is_none()) {
        wrong.push(format!("has no number of {}", account.name));
    }
    let left_out =
        [PERSONS_DROPPED, PERSONS_HELD_OUT, PERSONS_NOT_SAMPLED].map(count).into_iter().fold(0, u64::saturating_add);
    let stayed = input.persons.checked_sub(left_out);
    // Where nothing is claimed, one person may have several pseudonyms; of a table, several rows that nobody can put together.
    // Visitors of whom only sessions or lines are hidden have several addresses, or share those of their networks.
    let is_of_parts = |claim: &ClaimRecord| [SESSION.name, LINE.name].contains(&claim.model.as_str());
    let in_parts = input.humans.is_some() && certificate.claims.iter().all(is_of_parts);
    let is_several = certificate.claims.is_empty() || certificate.table.is_some() || in_parts;
    // Masked ids are those of the original, and several persons may have the same.
    let may_be_fewer =
        in_parts || (certificate.claims.is_empty() && ["kept", "masked"].contains(&certificate.ids.as_str()));
    let adds_up = |stayed: u64| match stayed.cmp(&output.persons) {
        Ordering::Equal => true,
        Ordering::Less => is_several,
        Ordering::Greater => may_be_fewer,
    };
    if !stayed.is_some_and(adds_up) {
        wrong.push(format!(
            "counts {} before, {left_out} left out and {} after, which does not add up",
            counted(input.persons, "person", "persons"),
            output.persons
        ));
    }
    let merges = certificate.method.parameters.get("accounts").is_some_and(|accounts| accounts == "merge");
    let alike = if merges { 0 } else { count(ACCOUNTS_ALIKE) };
    for (part, parts, whole) in [
        (PERSONS_BARRED.name, count(PERSONS_BARRED), count(PERSONS_DROPPED)),
        (GROUPS_EMPTY.name, count(GROUPS_EMPTY), count(PERSONS_DROPPED)),
        (PERSONS_WITHOUT_CONCEPT.name, count(PERSONS_WITHOUT_CONCEPT), input.persons),
        (ACCOUNTS_ALIKE.name, alike, input.persons),
        (ROWS_BARRED.name, count(ROWS_BARRED), input.rows),
        (ROWS_DROPPED.name, count(ROWS_DROPPED), input.rows),
        (ROWS_UNREADABLE.name, count(ROWS_UNREADABLE), input.rows),
        (SITES_LOST.name, count(SITES_LOST), input.rows),
        (RANKS_LOST.name, count(RANKS_LOST), input.rows),
        (LINES_ABOVE_CAP.name, count(LINES_ABOVE_CAP), output.rows),
        (ROWS_EMPTIED.name, count(ROWS_EMPTIED), count(ROWS_MASKED)),
        (ITEMS_UNKNOWN.name, count(ITEMS_UNKNOWN), count(OCCURRENCES_UNKNOWN)),
    ] {
        if parts > whole {
            wrong.push(format!("counts {parts} in `{part}`, and there can be at most {whole}"));
        }
    }
    if accounts.get(OCCURRENCES_SUPPRESSED).is_some_and(|suppressed| suppressed != count(ROWS_DROPPED)) {
        wrong.push("counts suppressed items and rows that were dropped, and they are not as many".to_owned());
    }
    wrong
}

/// The parts of a certificate that the release alone cannot show.
pub(super) fn on_trust(certificate: &Certificate) -> Vec<&'static str> {
    // Whether a text is a label of a hierarchy that a masked network does not bring along.
    let is_network = certificate.input.kind == Graph::CARD.name;
    let is_label = |column: &ColumnRecord| column.role == ColumnRole::Quasi && !column.is_of_numbers();
    let has_labels = certificate.table.as_ref().is_some_and(|table| table.columns.iter().any(is_label));
    let parts = [
        ("input", true),
        ("method", true),
        ("randomness", true),
        ("ids", certificate.ids != "none"),
        ("columns", certificate.table.is_some()),
        ("labels", is_network && has_labels),
        ("taxonomy", certificate.taxonomy.is_some()),
        ("accounting", true),
        ("content", !certificate.content.is_empty()),
        ("report", certificate.report_sha256.is_some()),
    ];
    parts.into_iter().filter(|(_, is_there)| *is_there).map(|(part, _)| part).collect()
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
        let is_other = match is_alone {
            true => found.achieved != claim.achieved && !is_by_persons(certificate, claim, found),
            false => !are_numbers(claim),
        };
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

/// Whether a certificate counts persons who have several rows that nothing links: the data show no fewer rows.
fn is_by_persons(certificate: &Certificate, claim: &ClaimRecord, found: &ClaimOutcome) -> bool {
    let k = |achieved: &Map<String, Value>| achieved.get("k").and_then(Value::as_u64);
    let is_k_alone = |achieved: &Map<String, Value>| achieved.len() == 1;
    certificate.has_several_rows_unlinked()
        && is_k_alone(&claim.achieved)
        && is_k_alone(&found.achieved)
        && k(&claim.parameters) <= k(&claim.achieved)
        && k(&claim.achieved).is_some_and(|k| k <= certificate.input.persons)
        && k(&claim.achieved) <= k(&found.achieved)
}

fn are_numbers(claim: &ClaimRecord) -> bool {
    let is_word = |key: &str, value: &Value| key == "ranks" && (value == "key" || value == "expected");
    let is_plain = |value: &Value| value.is_number() || value.is_boolean() || value.is_null();
    claim.achieved.iter().all(|(key, value)| is_plain(value) || is_word(key, value))
}

/// Words of which there are only a few.
fn of_words(certificate: &Certificate) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, said, known) in [
        ("randomness", Some(&certificate.randomness), &["secure", "seeded"][..]),
        ("ids", Some(&certificate.ids), &["pseudonyms", "kept", "masked", "none"]),
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
    if certificate.report_sha256.as_deref().is_some_and(|hash| !is_hash(hash)) {
        wrong.push("has something in `report_sha256` that is no hash".to_owned());
    }
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
