//! One file a command: reads its arguments, calls the library, prints what it found.

mod check;
mod compare;
mod demo;
mod explain;
mod inspect;
mod list;
mod measure;
mod protect;
mod report;
mod shell;
mod synth;
mod taxonomy;

use throng_core::{Error, Result};

use crate::args::{Cli, Command, Shared};
use crate::printer::Printer;

/// A command that ran.
pub(crate) struct Done {
    /// Whether every check holds.
    pub(crate) holds: bool,
}

impl Done {
    pub(crate) const FINE: Self = Self { holds: true };
}

/// Runs a command.
pub(crate) fn run(cli: &Cli, parameters: &[(String, String)], printer: &Printer) -> Result<Done> {
    set_threads(cli.global.threads.as_deref())?;
    match &cli.command {
        Command::Demo(args) => demo::run(args, printer),
        Command::Inspect(args) => inspect::run(args, printer),
        Command::Protect(args) => protect::run(args, parameters, printer),
        Command::Check(args) => check::run(args, parameters, cli.global.show_values, printer),
        Command::Measure(args) => measure::run(args, cli.global.show_values, printer),
        Command::Compare(args) => compare::run(args, printer),
        Command::Report(args) => report::run(args, printer),
        Command::List(args) => list::run(args, printer),
        Command::Explain(args) => explain::run(args, printer),
        Command::Synth(args) => synth::run(args, printer),
        Command::Taxonomy(args) => taxonomy::run(args, printer),
        Command::Completions(args) => shell::completions(args, printer),
        Command::Man(_) => shell::man(printer),
    }
}

fn set_threads(threads: Option<&str>) -> Result<()> {
    let Some(text) = threads else { return Ok(()) };
    let number = text.parse::<usize>().ok().filter(|&number| (1..=1024).contains(&number));
    let number = number.ok_or_else(|| {
        Error::parameter("threads", format!("is `{text}`, but must be a whole number from 1 to 1024"))
    })?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(number)
        .build_global()
        .map_err(|cause| Error::refused(format!("{number} threads cannot be started")).with_cause(cause))
}

/// Says which flags were given for nothing.
fn note_unused(command: &str, kind: &str, shared: &Shared, unused: &[String], printer: &Printer) {
    for name in shared.unused(command, kind).into_iter().chain(unused.iter().map(String::as_str)) {
        printer.note(&format!("`--{name}` means nothing here and is ignored"));
    }
}

/// Says which columns a release will not have.
fn note_unmapped(unmapped: &[String], what_happens: &str, printer: &Printer) {
    if !unmapped.is_empty() {
        let count = unmapped.len();
        let columns = if count == 1 { "1 column has".to_owned() } else { format!("{count} columns have") };
        printer.note(&format!("{columns} no role ({}): {what_happens}", unmapped.join(", ")));
    }
}

/// Says how many malformed lines, or documents that could not be read, were left out.
fn note_refused(kind: &str, refused: u64, printer: &Printer) {
    let (one, many) = match kind {
        "documents" => ("document that could not be read was", "documents that could not be read were"),
        _ => ("malformed line was", "malformed lines were"),
    };
    if refused > 0 {
        printer.note(&format!("{refused} {} left out", if refused == 1 { one } else { many }));
    }
}

/// A number for people: at most four digits after the point.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.to_owned()
}

/// A share as a percentage for people.
fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A whole number with commas between thousands.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
