//! `throng check`.

use serde_json::json;
use throng::run::{self, CheckOutcome, CheckRequest};
use throng::words;
use throng_core::models::spatial_k_anonymity::INFO;
use throng_core::{Error, Result};

use super::{Done, note_refused, note_unmapped, note_unused};
use crate::args::Check;
use crate::printer::Printer;

pub(super) fn run(args: &Check, parameters: &[(String, String)], show_values: bool, printer: &Printer) -> Result<Done> {
    if super::paths::is_of_cube(args) {
        return super::paths::check(args, printer);
    }
    if args.model.iter().any(|said| said.split(':').next() == Some(INFO.name)) {
        return super::geocode::check(args, parameters, printer);
    }
    if args.reference.is_some() {
        return Err(Error::parameter("ref", format!("is for the model `{}`", INFO.name)));
    }
    let mut typed = args.shared.parameters();
    typed.extend_from_slice(parameters);
    let request = CheckRequest {
        file: args.file.clone().into(),
        model: args.model.first().cloned(),
        more_models: args.model.iter().skip(1).cloned().collect(),
        parameters: typed,
        original: args.shared.original(),
        key: args.shared.key.clone(),
        only_checkable: args.only_checkable,
        show_values,
        trusted: args.trusted.clone(),
        ledger: args.ledger.clone(),
        policy: args.policy.clone(),
        earlier: args.earlier.clone(),
        ask: args.shared.ask(args.shared.format.as_deref())?,
    };
    let outcome = run::check(&request, printer.progress())?;
    if outcome.kind.is_empty() {
        return untrusted(&outcome, printer);
    }
    note_unused("check", outcome.kind, &args.shared, &outcome.unused, printer);
    note_refused(outcome.kind, outcome.rows_refused, printer);
    let fate = if outcome.columns_not_read == 0 { "compared byte for byte" } else { "not looked at" };
    note_unmapped(&outcome.unmapped, fate, printer);
    outcome.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&outcome)?;
    } else {
        printer.text(&words::as_text(&outcome.words()))?;
    }
    Ok(done(&outcome))
}

/// A release whose certificate is not believed: nothing else was looked at.
fn untrusted(outcome: &CheckOutcome, printer: &Printer) -> Result<Done> {
    if printer.json {
        let CheckOutcome { model, verdict, achieved, witness, claims, signature, .. } = outcome;
        printer.json(&json!({
            "model": model, "verdict": verdict, "achieved": achieved, "witness": witness, "claims": claims, "signature": signature,
        }))?;
    } else {
        printer.text(&words::as_text(&outcome.words()))?;
    }
    Ok(Done::Fails)
}

/// How a check ended.
pub(super) fn done(outcome: &CheckOutcome) -> Done {
    match outcome.verdict {
        "holds" => Done::Fine,
        "partly" | "nothing claimed" => Done::Partly,
        _ => Done::Fails,
    }
}
