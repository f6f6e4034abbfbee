//! `throng completions` and `throng man`.

use throng_core::{Error, Result};

use super::Done;
use crate::args::{self, Completions};
use crate::printer::Printer;

pub(super) fn completions(args: &Completions, printer: &Printer) -> Result<Done> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "throng", &mut script);
    printer.text(&String::from_utf8_lossy(&script))?;
    Ok(Done::Fine)
}

pub(super) fn man(printer: &Printer) -> Result<Done> {
    let mut page = Vec::new();
    let failed = |cause| Error::io("make the manual page", cause);
    let mut command = args::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(failed)?;
    for subcommand in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        clap_mangen::Man::new(subcommand.clone()).render(&mut page).map_err(failed)?;
    }
    printer.text(&String::from_utf8_lossy(&page))?;
    Ok(Done::Fine)
}
