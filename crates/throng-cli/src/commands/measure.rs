//! `throng measure`.

use throng::kinds::Ask;
use throng::run::{self, MeasureRequest};
use throng::words;
use throng_core::{Error, Result};

use super::{Done, note_unused};
use crate::args::MeasureArgs;
use crate::printer::Printer;

pub(super) fn run(args: &MeasureArgs, show_values: bool, printer: &Printer) -> Result<Done> {
    let parse_k = |text: &String| {
        let bad = || Error::parameter("k", format!("is `{text}`, but must be a whole number of at least 1"));
        text.parse::<usize>().ok().filter(|&k| k >= 1).ok_or_else(bad)
    };
    let request = MeasureRequest {
        original: args.before.clone().into(),
        release: args.release.as_path().into(),
        measures: args.measure.clone(),
        key: args.shared.key.clone(),
        k: args.shared.k.as_ref().map(parse_k).transpose()?,
        show_values,
        force: args.force,
        held_out: args.held_out,
        attacks: false,
        seed: args.shared.seed.unwrap_or(0),
        ask: Ask { expansions: args.expansions.map(usize::from), ..args.shared.ask(args.shared.format.as_deref())? },
    };
    let unused = args.shared.parameters().into_iter().map(|(name, _)| name).filter(|name| name != "k");
    let outcome = run::measure(&request, printer.progress())?;
    note_unused("measure", outcome.kind, &args.shared, &unused.collect::<Vec<_>>(), printer);
    outcome.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&outcome)?;
    } else {
        printer.text(&words::measures(&outcome.measures, &outcome.skipped))?;
    }
    Ok(Done::Fine)
}
