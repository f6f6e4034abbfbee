//! `throng policy`.

use throng::run;
use throng::words;
use throng_core::Result;

use super::Done;
use crate::args::{PolicyArgs, PolicyCommand};
use crate::printer::Printer;

pub(super) fn run(args: &PolicyArgs, printer: &Printer) -> Result<Done> {
    let PolicyCommand::Check(args) = &args.command;
    let outcome = run::policy_check(&args.request()?, printer.progress())?;
    outcome.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&outcome)?;
    } else {
        printer.text(&words::as_text(&outcome.words()))?;
    }
    Ok(if outcome.allows() { Done::Fine } else { Done::Fails })
}
