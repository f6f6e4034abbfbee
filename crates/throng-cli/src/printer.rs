//! Printing: data on standard output, words on standard error, a bar when there is a terminal and something takes long.
//!
//! All text leaves here, and nothing in it that came from data or names acts on the terminal: see [`visible`].

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use throng_core::progress::Progress;
use throng_core::text::visible::{on_one_line, visible, visible_json};
use throng_core::{Error, Result};

use crate::args::Global;
use crate::settings::FromFile;

/// Where a command's words and data go.
pub(crate) struct Printer {
    pub(crate) json: bool,
    quiet: bool,
    /// Flags that were not typed.
    pub(crate) from_file: FromFile,
    bar: Bar,
}

impl Printer {
    pub(crate) fn new(global: &Global, from_file: FromFile) -> Self {
        let bar = Bar::new(!global.quiet && std::io::stderr().is_terminal(), global.watched);
        Self { json: global.json, quiet: global.quiet, from_file, bar }
    }

    /// Text for people on standard output.
    pub(crate) fn text(&self, text: &str) -> Result<()> {
        self.print(&visible(text))
    }

    fn print(&self, text: &str) -> Result<()> {
        self.finish();
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|cause| Error::io("print", cause))
    }

    /// One JSON document on standard output.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(value).map_err(|cause| Error::internal(cause.to_string()))?;
        self.print(&format!("{}\n", visible_json(&text)))
    }

    /// A remark on standard error.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.finish();
            say(&format!("note: {}", on_one_line(text)));
        }
    }

    /// Why a command that is done ends as one that failed: said whatever else is not.
    pub(crate) fn failing(&self, text: &str) {
        self.finish();
        say(&format!("note: {}", on_one_line(text)));
    }

    /// An error of a part of what a command did; the others are said as well.
    pub(crate) fn error(&self, text: &str) {
        self.finish();
        say(&format!("error: {text}"));
    }

    /// Whether a summary for people is wanted.
    pub(crate) fn wants_summary(&self) -> bool {
        !self.json && !self.quiet
    }

    /// Who listens to long computations.
    pub(crate) fn progress(&self) -> &dyn Progress {
        &self.bar
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.bar.finish_and_clear();
    }
}

/// A line on standard error. If nobody can read it, nothing can be done about it.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", visible(text));
}

/// A JSON document on standard output that says why there is no other. If nobody can read it, nothing can be done about it.
pub(crate) fn document(value: &serde_json::Value) {
    let _ = writeln!(std::io::stdout().lock(), "{}", visible_json(&format!("{value:#}")));
}

/// What the arguments are answered with: help, or what is wrong with them. In colours, unless an argument would bring its own.
pub(crate) fn answer(error: &clap::Error) {
    let text = error.render().to_string();
    if error.use_stderr() && visible(&text) != text {
        say(text.trim_end_matches('\n'));
    } else {
        // If nobody can read it, nothing can be done about it.
        let _ = error.print();
    }
}

/// A bar that shows itself after a second, on a terminal.
struct Bar {
    bar: ProgressBar,
    allowed: bool,
    shown: AtomicBool,
    start: Instant,
    /// Says the same in lines of JSON.
    told: Option<Told>,
}

/// How far the work is, for a program that watches.
#[derive(Default)]
struct Told {
    stage: Mutex<(String, u64)>,
    done: AtomicU64,
    /// When a line was written last, in milliseconds since the start, and 1.
    last: AtomicU64,
}

/// How long it is between two lines, in milliseconds.
const BETWEEN: u64 = 100;

impl Told {
    fn stage(&self, name: &str, total: u64) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = (name.to_owned(), total);
        self.done.store(0, Ordering::Relaxed);
        self.tell();
    }

    fn advance(&self, steps: u64, since: Duration) {
        self.done.fetch_add(steps, Ordering::Relaxed);
        let now = since.as_millis() as u64 + 1;
        let last = self.last.load(Ordering::Relaxed);
        // Of several threads one writes.
        let is_due = now >= last + BETWEEN;
        if is_due && self.last.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.tell();
        }
    }

    fn tell(&self) {
        let (stage, total) = self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let line = serde_json::json!({"stage": stage, "done": self.done.load(Ordering::Relaxed), "total": total});
        say(&line.to_string());
    }
}

impl Bar {
    fn new(allowed: bool, is_watched: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self {
            bar,
            allowed,
            shown: AtomicBool::new(false),
            start: Instant::now(),
            told: is_watched.then(Told::default),
        }
    }

    fn show_when_due(&self) {
        if self.allowed
            && !self.shown.load(Ordering::Relaxed)
            && self.start.elapsed() > Duration::from_secs(1)
            && !self.shown.swap(true, Ordering::Relaxed)
        {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(Duration::from_millis(200));
        }
    }
}

impl Progress for Bar {
    fn stage(&self, name: &str, total: u64) {
        if let Some(told) = &self.told {
            told.stage(name, total);
        }
        if !self.allowed {
            return;
        }
        let form = if total > 0 { "{msg:20} {bar:40} {percent:>3} % {eta:>5}" } else { "{msg:20} {spinner} {elapsed}" };
        let style = ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar.reset();
        self.bar.set_style(style);
        self.bar.set_message(name.to_owned());
        self.bar.set_length(total.max(1));
        self.show_when_due();
    }

    fn advance(&self, steps: u64) {
        if let Some(told) = &self.told {
            told.advance(steps, self.start.elapsed());
        }
        if self.allowed {
            self.bar.inc(steps);
            self.show_when_due();
        }
    }

    fn is_stopped(&self) -> bool {
        STOPPED.load(Ordering::Relaxed)
    }
}

/// Whether Ctrl-C was pressed.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Tells the run to end.
pub(crate) fn stop() {
    STOPPED.store(true, Ordering::Relaxed);
}
