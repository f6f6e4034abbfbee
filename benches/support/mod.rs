//! What both benchmarks need: a child process with its cost, the machine, the table.
//!
//! The cost of a child is read from `/proc` while it runs, so there is nothing to install; elsewhere than on Linux only
//! the wall time is known.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Linux counts the time of a process in these, whatever the kernel's own clock.
const TICKS_A_SECOND: f64 = 100.0;

/// How often a child is looked at. The wall time is too long by at most this.
const POLL: Duration = Duration::from_millis(5);

/// What a child process took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Seconds on the clock.
    pub(crate) wall: f64,
    /// Seconds of all threads, in the program and in the kernel for it.
    pub(crate) cpu: Option<f64>,
    /// The most bytes it held at once.
    pub(crate) memory: Option<u64>,
}

impl Cost {
    /// The run with the shorter wall time.
    pub(crate) fn best(self, other: Self) -> Self {
        if other.wall < self.wall { other } else { self }
    }

    /// Wall time, CPU time and memory as cells of a Markdown table.
    pub(crate) fn cells(&self) -> String {
        let cpu = self.cpu.map_or("?".into(), |cpu| format!("{cpu:.2} s"));
        let memory = self.memory.map_or("?".into(), |bytes| format!("{:.0} MB", bytes as f64 / 1e6));
        format!("{:.2} s | {cpu} | {memory}", self.wall)
    }
}

/// Runs a program to its end. Panics if it ends with a code that is not in `good`.
pub(crate) fn run(program: impl AsRef<Path>, arguments: &[&str], good: &[i32]) -> Cost {
    let program = program.as_ref();
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap_or_else(|cause| panic!("start {}: {cause}", program.display()));
    let (cpu, memory) = watch(&child);
    let wall = start.elapsed().as_secs_f64();
    let status = child.wait().expect("the child was started here");
    let wall = if cpu.is_some() { wall } else { start.elapsed().as_secs_f64() };
    assert!(status.code().is_some_and(|code| good.contains(&code)), "{} {arguments:?}: {status}", program.display());
    Cost { wall, cpu, memory }
}

/// Looks at a child until it has ended but is not yet waited for: its times stay readable until then, so they are whole.
/// Its memory is gone by then, so what it held at the last look counts, which is the most up to then.
fn watch(child: &Child) -> (Option<f64>, Option<u64>) {
    let (mut cpu, mut memory) = (None, None);
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{}/{name}", child.id())).ok();
    while let Some(stat) = read("stat") {
        // Fields follow the name, which is in parentheses: state is the first, user and system ticks are 12th and 13th.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
        cpu = ticks(11).zip(ticks(12)).map(|(user, system)| (user + system) / TICKS_A_SECOND);
        if cpu.is_none() || fields[0] == "Z" {
            break;
        }
        memory = peak(&read("status").unwrap_or_default()).or(memory);
        thread::sleep(POLL);
    }
    (cpu, memory)
}

/// The most bytes that a process held, from what Linux says of it.
fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

/// The most bytes that this process held so far.
#[allow(dead_code, reason = "most benchmarks look at children")]
pub(crate) fn most_memory() -> Option<u64> {
    peak(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// CPU seconds of this process so far; 0 elsewhere than on Linux.
#[allow(dead_code, reason = "most benchmarks look at children")]
pub(crate) fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / TICKS_A_SECOND
}

/// The model of the processor and the number of cores.
pub(crate) fn machine() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or("unknown processor", |(_, model)| model.trim());
    let cores = thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} cores")
}

/// Whether `cargo bench` started this. `cargo test --all-targets` starts benchmarks too, and does not want to wait.
pub(crate) fn asked_for() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// The head of the table. `docs/speed.md` has the same.
pub(crate) const HEAD: &str = "| what | size | wall | CPU | memory | ratio |\n| --- | --- | --- | --- | --- | --- |\n";

/// A whole number with its thousands set apart.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        let comma = if at > 0 && (digits.len() - at).is_multiple_of(3) { "," } else { "" };
        let _ = write!(text, "{comma}{digit}");
    }
    text
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("the folder of the benchmark has a name in UTF-8")
}
