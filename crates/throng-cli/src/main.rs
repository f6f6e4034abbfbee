//! The command `throng`: reads arguments, calls the library, prints, and exits 0, 1, 2 or 3.

mod args;
mod commands;
mod printer;

use std::process::ExitCode;
use std::time::Duration;

use printer::Printer;

/// What a program that Ctrl-C ended exits with, by custom.
const INTERRUPTED: i32 = 130;
/// How long a run may take to end by itself after Ctrl-C.
const GRACE: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let (cli, parameters) = match args::parse() {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are answers, not errors; everything else could not run.
            let code = if error.use_stderr() { 2 } else { 0 };
            printer::answer(&error);
            return ExitCode::from(code);
        }
    };
    let printer = Printer::new(&cli.global);
    let stays = match &cli.command {
        args::Command::Protect(protect) => protect.checkpoint.is_some(),
        _ => false,
    };
    let handler = ctrlc::set_handler(move || {
        // The run ends by itself, and this with it, unless it waits for something or is deep in work.
        printer::stop();
        std::thread::sleep(GRACE);
        throng::pending::remove_all();
        say_interrupted(stays);
        std::process::exit(INTERRUPTED);
    });
    if handler.is_err() {
        printer.note("Ctrl-C cannot be caught here; an interrupted run may leave a hidden folder behind");
    }
    match commands::run(&cli, &parameters, &printer) {
        Ok(done) => ExitCode::from(done.code()),
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) if error.is_stopped() => {
            printer.finish();
            say_interrupted(stays);
            ExitCode::from(INTERRUPTED as u8)
        }
        Err(error) => {
            printer.finish();
            printer::say(&format!("error: {}", error.describe(cli.global.show_values)));
            ExitCode::from(2)
        }
    }
}

fn say_interrupted(stays: bool) {
    printer::say(if stays {
        "\ninterrupted; only the checkpoint stays: the same command goes on from it"
    } else {
        "\ninterrupted; nothing was left behind"
    });
}
