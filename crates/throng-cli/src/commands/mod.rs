//! One file a command: reads its arguments, calls the library, prints what it found.

mod attack;
mod audit;
mod check;
mod compare;
mod demo;
mod desk;
mod detect;
mod detect_files;
mod explain;
mod geocode;
mod inspect;
mod keys;
mod knowledge;
mod ledger;
mod link;
mod list;
mod measure;
mod paths;
mod policy;
mod profile;
mod protect;
mod recommend;
mod report;
mod run;
mod serve;
mod shares;
mod shell;
mod shill;
mod synth;
mod taxonomy;

use throng::{kinds, words};
use throng_core::{Error, Result};

use crate::args::{Cli, Command, Shared};
use crate::printer::Printer;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    /// Everything that was checked holds.
    Fine,
    /// Something that was checked fails.
    Fails,
    /// Nothing fails, but a claim could not be checked.
    Partly,
    /// Something could not run, which was said, and the rest was.
    CouldNot,
}

impl Done {
    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Fails => 1,
            Self::CouldNot => 2,
            Self::Partly => 3,
        }
    }
}

/// Runs a command.
pub(crate) fn run(cli: &Cli, parameters: &[(String, String)], printer: &Printer) -> Result<Done> {
    set_threads(cli.global.threads.as_deref())?;
    match &cli.command {
        Command::Demo(args) => demo::run(args, printer),
        Command::Inspect(args) => inspect::run(args, cli.global.show_values, printer),
        Command::Protect(args) => protect::run(args, parameters, printer),
        Command::Audit(args) => audit::run(args, cli.global.show_values, printer),
        Command::Check(args) => check::run(args, parameters, cli.global.show_values, printer),
        Command::Measure(args) => measure::run(args, cli.global.show_values, printer),
        Command::Attack(args) => attack::run(args, printer),
        Command::Compare(args) => compare::run(args, printer),
        Command::Report(args) => report::run(args, printer),
        Command::Run(args) => run::run(args, cli.global.show_values, printer),
        Command::Policy(args) => policy::run(args, printer),
        Command::Ledger(args) => ledger::run(args, printer),
        Command::Keys(args) => keys::run(args, printer),
        Command::Certificate(args) => keys::certificate(args, printer),
        Command::List(args) => list::run(args, printer),
        Command::Explain(args) => explain::run(args, printer),
        Command::Geocode(args) => geocode::run(args, printer),
        Command::Paths(args) => paths::run(args, printer),
        Command::Recommend(args) => recommend::run(args, cli.global.show_values, printer),
        Command::Shill(args) => shill::run(args, printer),
        Command::Detect(args) => detect::run(args, cli.global.show_values, printer),
        Command::Profile(args) => profile::run(args, cli.global.show_values, printer),
        Command::Link(args) => link::run(args, printer),
        Command::Shares(args) => shares::run(args, printer),
        Command::Synth(args) => synth::run(args, printer),
        Command::Taxonomy(args) => taxonomy::run(args, printer),
        Command::Serve(args) => serve::run(args, &cli.global),
        Command::Desk(args) => desk::run(args, printer),
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
        printer.note(&format!("{} means nothing here and is ignored", printer.from_file.called(name)));
    }
}

/// Says which columns a release will not have.
fn note_unmapped(unmapped: &[String], what_happens: &str, printer: &Printer) {
    if !unmapped.is_empty() {
        let columns = words::counted(unmapped.len() as u64, "column has", "columns have");
        printer.note(&format!("{columns} no role ({}): {what_happens}", unmapped.join(", ")));
    }
}

/// Says how many malformed lines, or documents that could not be read, were left out.
fn note_refused(kind: &str, refused: u64, printer: &Printer) {
    if let (Ok(kind), 1..) = (kinds::named(kind), refused) {
        let [one, many] = kind.card().refused;
        printer.note(&format!("{} left out", words::counted(refused, one, many)));
    }
}
