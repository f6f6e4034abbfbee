//! `throng inspect`.

use throng::run::{self, DistanceRequest, InspectRequest};
use throng::words;
use throng_core::{Error, Result};

use super::{Done, note_refused, note_unmapped, note_unused};
use crate::args::Inspect;
use crate::printer::Printer;

pub(super) fn run(args: &Inspect, show_values: bool, printer: &Printer) -> Result<Done> {
    let mut ask = args.shared.ask(args.shared.format.as_deref())?;
    if args.rows.is_some() && !(show_values && printer.json) {
        return Err(Error::parameter("rows", "shows values of single persons: say `--show-values --json` too"));
    }
    ask.rows = args.rows;
    let concepts = args.concepts.then(|| least_persons(args)).transpose()?;
    let used = |name: &String| name == "k" && concepts.is_some();
    let parameters: Vec<String> =
        args.shared.parameters().into_iter().map(|(name, _)| name).filter(|name| !used(name)).collect();
    if let Some([first, second]) = args.distance.as_deref() {
        let request = DistanceRequest {
            file: args.file.clone().into(),
            persons: [first.clone(), second.clone()],
            printed_weights: args.query_weights == "printed",
            ask,
        };
        let outcome = run::distance(&request, printer.progress())?;
        note_unused("inspect", "", &args.shared, &parameters, printer);
        if printer.json {
            printer.json(&outcome)?;
        } else {
            printer.text(&outcome.words())?;
        }
        return Ok(Done::Fine);
    }
    let request = InspectRequest {
        file: args.file.clone().into(),
        concepts,
        content: args.content,
        positions: args.positions.clone(),
        schema_out: args.schema_out.clone(),
        seed: args.shared.seed.unwrap_or(0),
        ask,
    };
    let found = run::inspect(&request, printer.progress())?;
    note_unused("inspect", found.kind, &args.shared, &parameters, printer);
    note_refused(found.kind, found.rows_refused, printer);
    note_unmapped(&found.unmapped, "not part of a release", printer);
    found.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&found)?;
    } else {
        printer.text(&words::as_text(&found.words()))?;
    }
    Ok(Done::Fine)
}

/// How many persons share each sample.
fn least_persons(args: &Inspect) -> Result<usize> {
    const USUAL: usize = 5;
    let Some(text) = &args.shared.k else { return Ok(USUAL) };
    let number = text.parse::<usize>().ok().filter(|&k| k >= 2);
    number.ok_or_else(|| Error::parameter("k", format!("is `{text}`, but must be a whole number of at least 2")))
}
