//! `throng measure`.

use std::fmt::Write as _;

use throng::run::{self, MeasureRequest, Skipped};
use throng_core::measures::Measured;
use throng_core::{Error, Result};

use super::{Done, note_unused, number};
use crate::args::MeasureArgs;
use crate::printer::Printer;

pub(super) fn run(args: &MeasureArgs, show_values: bool, printer: &Printer) -> Result<Done> {
    let parse_k = |text: &String| {
        let bad = || Error::parameter("k", format!("is `{text}`, but must be a whole number of at least 1"));
        text.parse::<usize>().ok().filter(|&k| k >= 1).ok_or_else(bad)
    };
    let request = MeasureRequest {
        original: args.before.clone(),
        release: args.release.clone(),
        measures: args.measure.clone(),
        key: args.shared.key.clone(),
        k: args.shared.k.as_ref().map(parse_k).transpose()?,
        show_values,
        seed: args.shared.seed.unwrap_or(0),
        options: args.shared.read_options(args.shared.format.as_deref())?,
        baskets: args.shared.basket_options()?,
    };
    let unused = args.shared.parameters().into_iter().map(|(name, _)| name).filter(|name| name != "k");
    let outcome = run::measure(&request, printer.progress())?;
    note_unused("measure", outcome.kind, &args.shared, &unused.collect::<Vec<_>>(), printer);
    outcome.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&outcome)?;
    } else {
        printer.text(&text(&outcome.measures, &outcome.skipped))?;
    }
    Ok(Done::FINE)
}

/// Measured numbers in words.
pub(super) fn text(measures: &[Measured], skipped: &[Skipped]) -> String {
    let mut text = String::new();
    let names = measures.iter().map(|measure| measure.name).chain(skipped.iter().map(|skipped| skipped.name));
    let width = names.map(str::len).max().unwrap_or_default().max(24);
    let unit_width = measures.iter().map(|measure| measure.unit.len()).max().unwrap_or_default().max(6);
    for measure in measures {
        let value = measure.value.map_or("undefined".to_owned(), number);
        let (name, unit) = (measure.name, measure.unit);
        let _ = writeln!(text, "{name:width$} {value:>9} {unit:unit_width$} {} is better", measure.better);
    }
    for skipped in skipped {
        let _ = writeln!(text, "{:width$} skipped: {}", skipped.name, skipped.reason);
    }
    text
}
