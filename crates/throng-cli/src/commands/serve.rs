//! `throng serve`: runs the program `throng-serve`, which lies beside this one or on the path. This program has no network code.

use std::io::ErrorKind;
use std::process::Command;

use throng_core::{Error, Result};

use super::Done;
use crate::args::{Global, Serve};

/// The program.
const PROGRAM: &str = "throng-serve";

pub(super) fn run(args: &Serve, global: &Global) -> Result<Done> {
    let beside = std::env::current_exe()
        .ok()
        .map(|own| own.with_file_name(format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX)));
    let mut command = match beside.filter(|program| program.is_file()) {
        Some(program) => Command::new(program),
        None => Command::new(PROGRAM),
    };
    command.args(["--port", &args.port.to_string(), "--idle", &args.idle, "--largest", &args.largest]);
    let switches = [("--no-open", args.no_open), ("--json", global.json), ("--quiet", global.quiet)];
    command.args(switches.iter().filter(|(_, is_on)| *is_on).map(|(switch, _)| switch));
    if let Some(threads) = &global.threads {
        command.args(["--threads", threads]);
    }
    if let Some(folder) = &args.dir {
        command.arg("--").arg(folder);
    }
    run_instead(command)
}

/// What cannot be started.
fn cannot(cause: std::io::Error) -> Error {
    match cause.kind() {
        ErrorKind::NotFound => Error::refused(format!(
            "the program `{PROGRAM}` is not there: neither beside `throng` nor on the path"
        ))
        .with_hint(format!(
            "`cargo install --path crates/throng-cli` installs both; a copy of `{PROGRAM}` beside `throng` does as well"
        )),
        _ => Error::io(format!("start `{PROGRAM}`"), cause),
    }
}

/// The other program takes the place of this one: signals, output and the exit code are its own.
#[cfg(unix)]
fn run_instead(mut command: Command) -> Result<Done> {
    Err(cannot(std::os::unix::process::CommandExt::exec(&mut command)))
}

#[cfg(not(unix))]
fn run_instead(mut command: Command) -> Result<Done> {
    let status = command.status().map_err(cannot)?;
    Ok(if status.success() { Done::Fine } else { Done::Fails })
}
