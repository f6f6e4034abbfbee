//! The program `throng-serve`: the local page. `throng serve` runs it. It prints one line, the address, and ends 0; 130 when it is interrupted.

#[path = "args/serve.rs"]
mod args;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Parser as _;
use serde_json::json;
use throng_core::text::visible::{visible, visible_json};
use throng_core::{Error, Result};
use throng_serve::{Ended, Settings, Stopper};

/// What a program that Ctrl-C ended exits with, by custom.
const INTERRUPTED: u8 = 130;
/// How long everything may take to end by itself.
const GRACE: Duration = Duration::from_secs(3);

/// The local page of throng: `throng serve`.
#[derive(Debug, clap::Parser)]
#[command(name = "throng-serve", version, max_term_width = 110)]
struct Typed {
    #[command(flatten)]
    serve: args::Serve,
    /// Print the address as one JSON document
    #[arg(long)]
    json: bool,
    /// Print the address and nothing else
    #[arg(long)]
    quiet: bool,
    /// How many threads a run takes; results never depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

fn main() -> ExitCode {
    let typed = Typed::parse();
    match serve(&typed) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            if typed.json {
                let place =
                    error.place().map(|place| json!({"file": place.file, "line": place.line, "column": place.column}));
                let known =
                    json!({"code": error.code(), "message": error.message(), "place": place, "hint": error.hint()});
                print(&format!("{:#}", json!({"error": known})));
            }
            say(&format!("error: {}", error.describe(false)));
            ExitCode::from(2)
        }
    }
}

fn serve(typed: &Typed) -> Result<u8> {
    let settings = Settings {
        folder: typed.serve.dir.clone(),
        port: typed.serve.port,
        idle: Duration::from_secs(throng::parameters::span("idle", &typed.serve.idle)?.max(1)),
        largest: throng::memory::parse(&typed.serve.largest).map_err(|_| {
            Error::parameter("largest", format!("is `{}`, but must be a size such as 4G or 500M", typed.serve.largest))
        })?,
        threads: typed.threads.map(|number| number.to_string()),
        program: program()?,
    };
    let (stopper, interrupted) = (Stopper::default(), Arc::new(AtomicBool::new(false)));
    let (own, was) = (stopper.clone(), Arc::clone(&interrupted));
    let handler = ctrlc::set_handler(move || {
        was.store(true, Ordering::Relaxed);
        own.stop();
        std::thread::sleep(GRACE);
        throng::pending::remove_all();
        #[expect(clippy::exit, reason = "the program did not end by itself")]
        std::process::exit(INTERRUPTED.into());
    });
    let server = throng_serve::start(&settings, stopper)?;
    if handler.is_err() && !typed.quiet {
        say(
            "note: Ctrl-C cannot be caught here; an interrupted server leaves a hidden folder behind, which the next one removes",
        );
    }
    if let Some(note) = server.note().filter(|_| !typed.quiet) {
        say(&format!("note: {note}"));
    }
    let address = server.address().to_owned();
    print(&if typed.json { json!({"address": address}).to_string() } else { address.clone() });
    if !typed.serve.no_open && !open(&address) && !typed.quiet {
        say("note: no browser could be opened; give the address to one on this machine");
    }
    let ended = server.serve();
    if ended == Ended::Idle && !typed.quiet {
        say("note: nobody asked for anything for a while: the page has ended, and everything in it is gone");
    }
    Ok(if interrupted.load(Ordering::Relaxed) { INTERRUPTED } else { 0 })
}

/// The program `throng`: beside this one, else on the path.
fn program() -> Result<PathBuf> {
    let name = format!("throng{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(&name));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = beside.into_iter().chain(std::env::split_paths(&path).map(|folder| folder.join(&name)));
    places.find(|place| place.is_file()).ok_or_else(|| {
        Error::refused("the program `throng` is not there: neither beside `throng-serve` nor on the path")
            .with_hint("`cargo install --path crates/throng-cli` installs both")
    })
}

/// Opens the browser of the desktop, if there is one.
fn open(address: &str) -> bool {
    let has = |variable: &str| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if has("DISPLAY") || has("WAYLAND_DISPLAY") {
        ("xdg-open", &[])
    } else {
        return false;
    };
    let mut command = Command::new(program);
    command.args(before).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    // It may stay as long as the browser does.
    std::thread::spawn(move || child.wait());
    true
}

/// A line on standard output. If nobody can read it, nothing can be done about it.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{}", visible_json(text)).and_then(|()| out.flush());
}

/// A line on standard error.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", visible(text));
}
