//! `throng check`.

use throng::run::{self, CheckOutcome, CheckRequest};
use throng::words;
use throng_core::Result;

use super::{Done, note_refused, note_unmapped, note_unused};
use crate::args::Check;
use crate::printer::Printer;

pub(super) fn run(args: &Check, parameters: &[(String, String)], show_values: bool, printer: &Printer) -> Result<Done> {
    let mut typed = args.shared.parameters();
    typed.extend_from_slice(parameters);
    let request = CheckRequest {
        file: args.file.clone().into(),
        model: args.model.clone(),
        parameters: typed,
        original: args.shared.original(),
        only_checkable: args.only_checkable,
        show_values,
        ask: args.shared.ask(args.shared.format.as_deref())?,
    };
    let outcome = run::check(&request, printer.progress())?;
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

/// How a check ended.
pub(super) fn done(outcome: &CheckOutcome) -> Done {
    match outcome.verdict {
        "holds" => Done::Fine,
        "partly" => Done::Partly,
        _ => Done::Fails,
    }
}
