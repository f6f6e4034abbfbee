//! `throng run`.

use std::fmt::Write as _;

use throng::recipe::{self, RunOutcome, StepState};
use throng_core::Result;

use super::Done;
use crate::args::RunArgs;
use crate::printer::Printer;

pub(super) fn run(args: &RunArgs, show_values: bool, printer: &Printer) -> Result<Done> {
    if args.explain {
        let explained = recipe::explain(&args.recipe)?;
        if printer.json {
            printer.json(&explained.json)?;
        } else {
            printer.text(&explained.text)?;
        }
        return Ok(Done::Fine);
    }
    let outcome = recipe::run(&args.request()?, printer.progress())?;
    outcome.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&outcome)?;
    } else if printer.wants_summary() || args.dry_run {
        printer.text(&text(&outcome))?;
    }
    for (step, error) in &outcome.errors {
        printer.error(&format!("{step}: {}", error.describe(show_values)));
    }
    for step in outcome.steps.iter().filter(|step| step.state == StepState::Failed) {
        if outcome.errors.iter().all(|(name, _)| *name != step.name) {
            printer.failing(&format!("the step {} failed: {}", step.name, step.reason));
        }
    }
    Ok(match outcome.exit {
        0 => Done::Fine,
        1 => Done::Fails,
        3 => Done::Partly,
        _ => Done::CouldNot,
    })
}

/// What became of the steps, a line each.
fn text(outcome: &RunOutcome) -> String {
    let widest = outcome.steps.iter().map(|step| step.name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for step in &outcome.steps {
        let took = if step.seconds >= 0.05 { format!(" ({:.1} s)", step.seconds) } else { String::new() };
        let _ = writeln!(text, "{:<widest$}  {:<9}  {}{took}", step.name, step.state.in_words(), step.reason);
    }
    if let Some(page) = &outcome.page {
        let _ = writeln!(text, "page  {}", page.display());
    }
    text
}
