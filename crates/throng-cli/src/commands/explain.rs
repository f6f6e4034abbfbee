//! `throng explain`.

use throng::cards;
use throng_core::Result;

use super::Done;
use crate::args::Explain;
use crate::printer::Printer;

pub(super) fn run(args: &Explain, printer: &Printer) -> Result<Done> {
    let (card, text) = cards::explained(&args.name)?;
    if printer.json {
        printer.json(&card)?;
    } else {
        printer.text(&text)?;
    }
    Ok(Done::Fine)
}
