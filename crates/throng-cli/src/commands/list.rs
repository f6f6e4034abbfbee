//! `throng list`.

use throng::cards;
use throng_core::Result;

use super::Done;
use crate::args::{List, Section};
use crate::printer::Printer;

pub(super) fn run(args: &List, printer: &Printer) -> Result<Done> {
    let listed = cards::listed(args.section.map(name))?;
    if printer.json {
        printer.json(&cards::as_json(&listed))?;
    } else {
        printer.text(&cards::as_text(&listed))?;
    }
    Ok(Done::Fine)
}

fn name(section: Section) -> &'static str {
    match section {
        Section::Methods => "methods",
        Section::Models => "models",
        Section::Measures => "measures",
        Section::Distances => "distances",
        Section::Attacks => "attacks",
        Section::Detectors => "detectors",
        Section::Finders => "finders",
        Section::Formats => "formats",
        Section::Kinds => "kinds",
    }
}
