//! Runs: commands that somebody asked for, two at once, the others in a queue, the last twenty kept.
//!
//! # Idea
//! 1. A run is the program `throng` itself, with the very arguments that are shown, beside places of its own. So what the page does is what the
//!    command does; memory goes back to the system when it ends; and the process that reads people's data has no network code.
//! 2. It says on its error stream how far it is, a line of JSON at a time, and its result goes into a file.
//! 3. To stop it, it is killed: everything it makes lies in the folder of its run, which is then removed.
//! 4. It ends by itself when its standard input ends, that is when this server is gone.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throng::pending;

use crate::zip;

/// How many run at once.
const AT_ONCE: usize = 2;
/// How many are kept.
const KEPT: usize = 20;
/// How many remarks of a run are kept, and how long one may be.
const MOST_NOTES: usize = 50;
const LONGEST_NOTE: usize = 2000;

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Waiting,
    Running,
    Done,
    Failed,
    Stopped,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }

    pub(crate) fn is_over(self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }
}

/// A run.
#[derive(Debug)]
struct Run {
    number: usize,
    args: Vec<String>,
    shown: String,
    /// What its release or comparison is called when it leaves.
    name: String,
    /// The places of files, and what their owner calls them.
    names: Vec<(String, String)>,
    folder: PathBuf,
    state: State,
    stage: String,
    done: u64,
    total: u64,
    exit: Option<i32>,
    error: Value,
    notes: Vec<String>,
    started: Option<Instant>,
    seconds: f64,
    /// When somebody last asked about it.
    asked: Instant,
    process: Option<Process>,
}

/// The command at work. Its standard input stays open as long as this lives.
#[derive(Debug)]
struct Process {
    child: Child,
    _input: Option<ChildStdin>,
}

/// What there is to run.
#[derive(Debug)]
pub(crate) struct Order {
    /// Its number and folder, from [`Runs::place`].
    pub(crate) number: usize,
    pub(crate) folder: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) shown: String,
    pub(crate) name: String,
    pub(crate) names: Vec<(String, String)>,
}

/// All runs.
#[derive(Debug)]
pub(crate) struct Runs {
    /// The program.
    program: PathBuf,
    /// Where runs have their folders, and where they put what is for a moment.
    folder: PathBuf,
    scratch: PathBuf,
    shelf: Mutex<Shelf>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Shelf {
    runs: VecDeque<Run>,
    given: usize,
    is_closed: bool,
}

impl Runs {
    /// Runs of a program, below a private folder.
    pub(crate) fn new(program: PathBuf, private: &Path) -> std::io::Result<Self> {
        let (folder, scratch) = (private.join("runs"), private.join("scratch"));
        pending::new_folder(&folder)?;
        pending::new_folder(&scratch)?;
        Ok(Self { program, folder, scratch, shelf: Mutex::default(), changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program, as it is run for this server.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .current_dir(&self.scratch)
            .env("TMPDIR", &self.scratch)
            .env("TMP", &self.scratch)
            .env("TEMP", &self.scratch);
        command
    }

    /// A number and a new folder for a run; nothing if too many are at work or waiting.
    pub(crate) fn place(&self) -> std::io::Result<Option<(usize, PathBuf)>> {
        let mut shelf = self.lock();
        while shelf.runs.len() >= KEPT {
            let Some(oldest) = shelf.runs.iter().position(|run| run.state.is_over()) else { return Ok(None) };
            if let Some(run) = shelf.runs.remove(oldest) {
                let _ = fs::remove_dir_all(run.folder);
            }
        }
        shelf.given += 1;
        let folder = self.folder.join(format!("r{}", shelf.given));
        pending::new_folder(&folder)?;
        Ok(Some((shelf.given, folder)))
    }

    /// Puts a run into the queue.
    pub(crate) fn begin(self: &Arc<Self>, order: Order) {
        let Order { number, folder, args, shown, name, names } = order;
        let mut shelf = self.lock();
        shelf.runs.push_back(Run {
            number,
            args,
            shown,
            name,
            names,
            folder,
            state: State::Waiting,
            stage: String::new(),
            done: 0,
            total: 0,
            exit: None,
            error: Value::Null,
            notes: Vec::new(),
            started: None,
            seconds: 0.0,
            asked: Instant::now(),
            process: None,
        });
        self.start_next(&mut shelf);
    }

    /// Starts what waits, as far as there is room.
    fn start_next(self: &Arc<Self>, shelf: &mut Shelf) {
        loop {
            let busy = shelf.runs.iter().filter(|run| run.state == State::Running).count();
            if busy >= AT_ONCE || shelf.is_closed {
                break;
            }
            let Some(run) = shelf.runs.iter_mut().find(|run| run.state == State::Waiting) else { break };
            match self.start(run) {
                Ok(()) => run.state = State::Running,
                Err(cause) => {
                    run.state = State::Failed;
                    run.error = error("io", &format!("could not start the command: {cause}"), None);
                }
            }
        }
        self.changed.notify_all();
    }

    fn start(self: &Arc<Self>, run: &mut Run) -> std::io::Result<()> {
        let result = pending::new_file(&result_of(&run.folder))?;
        let mut command = self.command();
        command.args(&run.args).stdin(Stdio::piped()).stdout(result).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let input = child.stdin.take();
        let said = child.stderr.take().ok_or_else(|| std::io::Error::other("its error stream is no pipe"))?;
        run.process = Some(Process { child, _input: input });
        run.started = Some(Instant::now());
        let (runs, number) = (Arc::clone(self), run.number);
        thread::Builder::new().stack_size(256 << 10).spawn(move || {
            let mut said = BufReader::new(said);
            let mut line = Vec::new();
            // One that is cut where it is too long is no JSON, and a remark as far as it goes.
            while std::io::Read::take(&mut said, 64 << 10).read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                runs.heard(number, &String::from_utf8_lossy(&line));
                line.clear();
            }
            runs.ended(number);
        })?;
        Ok(())
    }

    /// A line of a run's error stream.
    fn heard(&self, number: usize, line: &str) {
        let mut shelf = self.lock();
        let Some(run) = shelf.runs.iter_mut().find(|run| run.number == number) else { return };
        if let Some(progress) = serde_json::from_str::<Value>(line).ok().filter(|value| value["stage"].is_string()) {
            run.stage = progress["stage"].as_str().unwrap_or_default().to_owned();
            run.done = progress["done"].as_u64().unwrap_or_default();
            run.total = progress["total"].as_u64().unwrap_or_default();
            self.changed.notify_all();
        } else if let Some(note) = line.trim_end().strip_prefix("note: ").filter(|_| run.notes.len() < MOST_NOTES) {
            run.notes.push(note.chars().take(LONGEST_NOTE).collect());
        }
    }

    /// A run closed its error stream: it is over.
    fn ended(self: &Arc<Self>, number: usize) {
        let process = {
            let mut shelf = self.lock();
            shelf.runs.iter_mut().find(|run| run.number == number).and_then(|run| run.process.take())
        };
        let Some(mut process) = process else { return };
        let status = process.child.wait();
        let mut shelf = self.lock();
        if let Some(run) = shelf.runs.iter_mut().find(|run| run.number == number)
            && run.state == State::Running
        {
            run.seconds = run.started.map_or(0.0, |start| start.elapsed().as_secs_f64());
            run.exit = status.ok().and_then(|status| status.code());
            run.state = if matches!(run.exit, Some(0 | 1 | 3)) { State::Done } else { State::Failed };
            if run.state == State::Failed || !is_document(&result_of(&run.folder)) {
                run.state = State::Failed;
                run.error = said_of(&run.folder);
                // A release that a policy does not allow is judged and not written: that ends with 1 and an error.
                clear(&run.folder);
            }
        }
        self.start_next(&mut shelf);
    }

    /// Stops a run. It is over when this returns.
    pub(crate) fn stop(self: &Arc<Self>, number: usize) -> Option<State> {
        let (process, folder) = {
            let mut shelf = self.lock();
            let run = shelf.runs.iter_mut().find(|run| run.number == number)?;
            if run.state.is_over() {
                return Some(run.state);
            }
            run.state = State::Stopped;
            run.seconds = run.started.map_or(0.0, |start| start.elapsed().as_secs_f64());
            (run.process.take(), run.folder.clone())
        };
        if let Some(mut process) = process {
            let _ = process.child.kill();
            let _ = process.child.wait();
        }
        clear(&folder);
        self.start_next(&mut self.lock());
        Some(State::Stopped)
    }

    /// Stops all, and lets none begin.
    pub(crate) fn close(self: &Arc<Self>) {
        let numbers: Vec<usize> = {
            let mut shelf = self.lock();
            shelf.is_closed = true;
            shelf.runs.iter().map(|run| run.number).collect()
        };
        for number in numbers {
            self.stop(number);
        }
    }

    /// Whether any is waiting or at work.
    pub(crate) fn is_busy(&self) -> bool {
        self.lock().runs.iter().any(|run| !run.state.is_over())
    }

    /// Stops those that nobody asked about for so long.
    pub(crate) fn stop_forgotten(self: &Arc<Self>, idle: Duration) {
        let forgotten: Vec<usize> = {
            let shelf = self.lock();
            let is_forgotten = |run: &&Run| !run.state.is_over() && run.asked.elapsed() >= idle;
            shelf.runs.iter().filter(is_forgotten).map(|run| run.number).collect()
        };
        for number in forgotten {
            self.stop(number);
        }
    }

    /// All that are kept, the oldest first.
    pub(crate) fn listed(&self) -> Value {
        let one = |run: &Run| json!({"run": format!("r{}", run.number), "state": run.state.word(), "shown": run.shown});
        self.lock().runs.iter().map(one).collect()
    }

    /// A run as its door answers.
    pub(crate) fn shown(&self, number: usize) -> Option<String> {
        let mut shelf = self.lock();
        let run = shelf.runs.iter_mut().find(|run| run.number == number)?;
        run.asked = Instant::now();
        Some(document(run))
    }

    /// A run as soon as it differs from what was seen, or after a while; and whether there is more to come.
    pub(crate) fn next(&self, number: usize, seen: &str, patience: Duration) -> Option<(String, bool)> {
        let start = Instant::now();
        let mut shelf = self.lock();
        loop {
            let run = shelf.runs.iter_mut().find(|run| run.number == number)?;
            run.asked = Instant::now();
            let (now, is_over) = (document(run), run.state.is_over());
            let left = patience.saturating_sub(start.elapsed());
            if now != seen || left.is_zero() {
                return Some((now, !is_over));
            }
            shelf = self.changed.wait_timeout(shelf, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The folder of a run that is done, and the name of what it made.
    pub(crate) fn made(&self, number: usize) -> Option<(PathBuf, String)> {
        let mut shelf = self.lock();
        let run = shelf.runs.iter_mut().find(|run| run.number == number && run.state == State::Done)?;
        run.asked = Instant::now();
        Some((run.folder.clone(), run.name.clone()))
    }
}

/// Where the result of a run lies.
fn result_of(folder: &Path) -> PathBuf {
    folder.join("result.json")
}

/// Removes what a run made, its folder too.
fn clear(folder: &Path) {
    // What is still being written by a process that is just ending may be there again.
    for _ in 0..50 {
        if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a file holds a whole JSON document, and none that says why there is no other.
fn is_document(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let read: Result<Outcome, _> = serde_json::from_reader(BufReader::new(file));
    read.is_ok_and(|outcome| outcome == Outcome::Result)
}

/// What a document is, without its content.
#[derive(PartialEq)]
enum Outcome {
    Result,
    Error,
}

impl<'de> serde::Deserialize<'de> for Outcome {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> serde::de::Visitor<'de> for Keys {
            type Value = Outcome;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Outcome, A::Error> {
                let mut outcome = Outcome::Result;
                while let Some(key) = map.next_key::<String>()? {
                    map.next_value::<serde::de::IgnoredAny>()?;
                    if key == "error" {
                        outcome = Outcome::Error;
                    }
                }
                Ok(outcome)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// The error that a command printed.
fn said_of(folder: &Path) -> Value {
    let said = File::open(result_of(folder)).ok();
    let said = said.and_then(|file| serde_json::from_reader::<_, Value>(BufReader::new(file)).ok());
    match said.map(|mut said| said["error"].take()).filter(Value::is_object) {
        Some(error) => error,
        None => error(
            "internal",
            "the command ended without a result",
            Some("it may have run out of memory; run the shown command in a terminal to see more"),
        ),
    }
}

/// An error as the commands print them.
pub(crate) fn error(code: &str, message: &str, hint: Option<&str>) -> Value {
    json!({"code": code, "message": message, "place": null, "hint": hint})
}

/// A run as JSON. Its result is put in as it was printed.
fn document(run: &Run) -> String {
    let result = match run.state {
        State::Done => fs::read_to_string(result_of(&run.folder)).unwrap_or_default(),
        _ => String::new(),
    };
    let result = result.trim();
    let seconds = match run.state {
        State::Running => run.started.map_or(0.0, |start| start.elapsed().as_secs_f64()),
        _ => run.seconds,
    };
    let has = |name: &str| run.state == State::Done && run.folder.join(name).exists();
    let known = json!({
        "run": format!("r{}", run.number),
        "state": run.state.word(),
        "stage": run.stage,
        "done": if run.total > 0 { run.done.min(run.total) } else { run.done },
        "total": run.total,
        "exit": run.exit,
        "error": run.error,
        "notes": run.notes,
        "shown": run.shown,
        "name": run.name,
        // Whole seconds while it runs: a document that differs is sent anew.
        "seconds": if run.state == State::Running { seconds.floor() } else { seconds },
        "report": has("release/report.html") || has("audit.html"),
        "comparison": has("comparison/comparison.html"),
        "release": has("release"),
        "key": has("key.csv"),
    })
    .to_string();
    let result = if result.is_empty() { "null" } else { result };
    let document = format!("{},\"result\":{result}}}", known.strip_suffix('}').unwrap_or(&known));
    // Files are called as their owner calls them: where they lie here is nothing to anybody.
    run.names.iter().fold(document, |text, (place, name)| {
        let [place, name] = [place, name].map(|text| json!(text).to_string());
        let inside = |quoted: &str| quoted[1..quoted.len() - 1].to_owned();
        text.replace(&inside(&place), &inside(&name))
    })
}

/// Everything of a release, for an archive: names with the folder's in front, and where the bytes are.
pub(crate) fn contents(folder: &Path, name: &str) -> std::io::Result<Vec<zip::Entry>> {
    let mut entries = Vec::new();
    let mut folders = vec![(folder.to_owned(), name.to_owned())];
    while let Some((folder, name)) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (kind, own) = (entry.file_type()?, entry.file_name().to_string_lossy().into_owned());
            let inside = format!("{name}/{own}");
            if kind.is_dir() {
                folders.push((entry.path(), inside));
            } else if kind.is_file() {
                entries.push(zip::Entry { name: inside, path: entry.path() });
            }
        }
    }
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(entries)
}
