//! `throng shares`.

use throng::kinds::Ask;
use throng::run::{self, SharesRequest};
use throng::words::{self, Line, counted, thousands};
use throng_core::Result;

use super::Done;
use crate::args::{SharesArgs, SharesCommand, SharesOpen};
use crate::printer::Printer;

pub(super) fn run(args: &SharesArgs, printer: &Printer) -> Result<Done> {
    match &args.command {
        SharesCommand::Open(args) => open(args, printer),
    }
}

fn open(args: &SharesOpen, printer: &Printer) -> Result<Done> {
    let request = SharesRequest { release: args.release.clone(), out: args.out.clone(), ask: Ask::default() };
    let found = run::open_shares(&request, printer.progress())?;
    if found.texts == 0 {
        printer.note("nothing could be opened: no text has the shares of enough persons");
    }
    if printer.json {
        printer.json(&found)?;
    } else if printer.wants_summary() {
        let closed = counted(found.rows_closed, "row stays", "rows stay");
        printer.text(&words::as_text(&[
            Line::new("opened", found.file.as_str()),
            Line::new("texts", counted(found.texts as u64, "different text", "different texts")),
            Line::new("persons", thousands(found.persons as u64)),
            Line::new(
                "rows",
                format!("{} ({closed} closed: too few persons have the other shares)", thousands(found.rows)),
            ),
        ]))?;
    }
    Ok(Done::Fine)
}
