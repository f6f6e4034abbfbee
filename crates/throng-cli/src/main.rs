//! The command `throng`: reads arguments, calls the library, prints, and exits 0, 1, 2 or 3.

mod args;
mod commands;
mod failure;
mod printer;
mod settings;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use args::Cli;
use printer::Printer;
use settings::{FromFile, Settled};
use throng_core::Error;
use throng_core::text::visible::on_one_line;

/// What a program that Ctrl-C ended exits with, by custom.
const INTERRUPTED: i32 = 130;
/// How long a run may take to end by itself after Ctrl-C.
const GRACE: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let (cli, parameters, from_file) = match understand(std::env::args_os().collect()) {
        Ok(understood) => understood,
        Err(code) => return code,
    };
    let printer = Printer::new(&cli.global, from_file);
    let json = cli.global.json;
    let stays = match &cli.command {
        args::Command::Protect(protect) if protect.checkpoint.is_some() && !protect.dry_run => {
            Some("only the checkpoint stays: the same command goes on from it")
        }
        args::Command::Run(run) if !run.dry_run && !run.explain => {
            Some("the steps that are done stay: the same command goes on from them")
        }
        _ => None,
    };
    let handler = ctrlc::set_handler(move || {
        // The run ends by itself, and this with it, unless it waits for something or is deep in work.
        printer::stop();
        std::thread::sleep(GRACE);
        throng::pending::remove_all();
        say_interrupted(stays, json);
        std::process::exit(INTERRUPTED);
    });
    if handler.is_err() {
        printer.note("Ctrl-C cannot be caught here; an interrupted run may leave a hidden folder behind");
    }
    if cli.global.watched {
        std::thread::spawn(end_with_input);
    }
    match commands::run(&cli, &parameters, &printer) {
        Ok(done) => ExitCode::from(done.code()),
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) if error.is_stopped() => {
            printer.finish();
            say_interrupted(stays, json);
            ExitCode::from(INTERRUPTED as u8)
        }
        Err(error) => {
            printer.finish();
            could_not_run(&error, json, cli.global.show_values)
        }
    }
}

/// Ends the program when whoever watches it is gone.
#[expect(clippy::exit, reason = "nobody is there who could be answered")]
fn end_with_input() {
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    printer::stop();
    std::thread::sleep(GRACE);
    throng::pending::remove_all();
    std::process::exit(INTERRUPTED);
}

/// The command, its parameters, and which of its flags were not typed.
type Understood = (Cli, Vec<(String, String)>, FromFile);

/// The command and its parameters, with the settings that were not typed; or how the program ends.
fn understand(typed: Vec<OsString>) -> Result<Understood, ExitCode> {
    let json = args::have(&typed, "--json");
    let Settled { args, note, must_be_said, from_file } =
        settings::settled(typed).map_err(|error| could_not_run(&error, json, false))?;
    let quiet = args::have(&args, "--quiet");
    let understood = args::parse(args);
    let is_wrong = understood.as_ref().is_err_and(clap::Error::use_stderr);
    if let Some(note) = note.filter(|_| must_be_said || is_wrong || !quiet) {
        printer::say(&format!("note: {}", on_one_line(&note)));
    }
    understood.map(|(cli, parameters)| (cli, parameters, from_file)).map_err(|error| {
        // Help and version are answers, not errors; everything else could not run.
        if is_wrong && json {
            printer::document(&failure::of_arguments(&error));
        }
        printer::answer(&error);
        ExitCode::from(if is_wrong { 2 } else { 0 })
    })
}

fn could_not_run(error: &Error, json: bool, show_values: bool) -> ExitCode {
    if json {
        printer::document(&failure::of_run(error, show_values));
    }
    printer::say(&format!("error: {}", error.describe(show_values)));
    // A release was made and judged, and is not published: that is an answer.
    ExitCode::from(if error.is_policy() { 1 } else { 2 })
}

fn say_interrupted(stays: Option<&str>, json: bool) {
    if json {
        printer::document(&failure::of_run(&Error::stopped(), false));
    }
    printer::say(&format!("\ninterrupted; {}", stays.unwrap_or("nothing was left behind")));
}
