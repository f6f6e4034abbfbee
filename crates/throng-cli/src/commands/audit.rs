//! `throng audit`.

use throng::run::{self, AuditRequest};
use throng::words;
use throng_core::Result;

use super::{Done, note_refused, note_unused};
use crate::args::AuditArgs;
use crate::printer::Printer;

pub(super) fn run(args: &AuditArgs, show_values: bool, printer: &Printer) -> Result<Done> {
    let request = AuditRequest {
        file: args.file.clone().into(),
        parameters: args.shared.parameters(),
        html: args.html.clone(),
        seed: args.shared.seed.unwrap_or(0),
        show_values,
        ask: args.shared.ask(args.shared.format.as_deref())?,
    };
    let found = run::audit(&request, printer.progress())?;
    note_unused("audit", found.kind, &args.shared, &found.unused, printer);
    note_refused(found.kind, found.rows_refused, printer);
    found.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&found)?;
    } else {
        printer.text(&words::as_text(&found.words()))?;
    }
    Ok(if found.holds() { Done::Fine } else { Done::Fails })
}
