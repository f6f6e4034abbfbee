//! The run of a recipe: wave after wave, the steps of one side by side, each output whole before the lock says so.
//!
//! A wave holds the steps whose inputs earlier waves gave. What fails in one lets the others of its wave end, and no later wave begins: so what
//! has run after a failure is the same for any number of threads.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Instant;

use serde_json::{Map, Value};
use throng_core::progress::{Progress, Quiet};
use throng_core::{Error, Result};

use super::commands::FOUND;
use super::graph::{Graph, Step, When};
use super::limits::MOST_STATE_BYTES;
use super::page::{self, Link, Section, Shown};
use super::results::worst;
use super::settling::Settling;
use super::state::{FAILED, Record, State, files_below};
use super::steps::{Copied, Did, Input, LearntBy, Verdict, Work};
use super::{Read, RunOutcome, RunRequest, StepOutcome, StepState};
use crate::limits;
use crate::pending::{self, Pending};

/// The page of a run, in the state folder.
const PAGE: &str = "run.html";
/// How many bytes of memory a step takes for each of its input, about, and beside it.
const MEMORY_A_BYTE: u64 = 10;
const MEMORY_BESIDE: u64 = 64 << 20;

/// A recipe that runs.
struct Running<'a> {
    read: &'a Read,
    request: &'a RunRequest,
    state: State,
    /// Steps that may run; others are left as they are.
    chosen: BTreeSet<usize>,
    /// Steps that run whatever was done before.
    forced: BTreeSet<usize>,
    /// What became of each step.
    outcomes: Vec<Option<StepOutcome>>,
    errors: Vec<(String, Error)>,
    notes: Vec<String>,
    /// The first step that failed, for those that do not run because of it.
    stopped_by: Option<String>,
    partly: bool,
    fails: bool,
}

/// A step that is to run.
struct Ready {
    step: usize,
    record: Record,
    reason: String,
    told: Map<String, Value>,
    /// Of a model that is assessed: what it was told, and what it learnt from.
    learnt_by: Option<LearntBy>,
    inputs: Vec<Input>,
    unfinished: Pending,
    copied: Vec<String>,
    memory: u64,
}

/// Runs a recipe, or says what would run.
pub(super) fn run(request: &RunRequest, read: Read, progress: &dyn Progress) -> Result<RunOutcome> {
    let state = match request.dry_run {
        true => State::look(&read.places, request.fresh)?,
        false => State::open(&read.places, request.fresh)?,
    };
    let graph = &read.graph;
    let named = |name: &Option<String>| -> Result<Option<usize>> {
        let Some(name) = name else { return Ok(None) };
        let known = graph.steps.iter().map(|step| step.name.as_str());
        graph.step(name).map(Some).ok_or_else(|| Error::unknown("step", name, known))
    };
    let all: BTreeSet<usize> = (0..graph.steps.len()).collect();
    let (chosen, forced) = match (named(&request.only)?, named(&request.from)?) {
        (Some(_), Some(_)) => {
            return Err(Error::parameter("only", "and `from` do not go together: one step runs, or all from one on"));
        }
        (Some(only), None) => (BTreeSet::from([only]), BTreeSet::new()),
        (None, Some(from)) => (graph.after(from), graph.after(from)),
        (None, None) => (all, BTreeSet::new()),
    };
    let mut running = Running {
        read: &read,
        request,
        state,
        chosen,
        forced,
        outcomes: vec![None; graph.steps.len()],
        errors: Vec::new(),
        notes: Vec::new(),
        stopped_by: None,
        partly: false,
        fails: false,
    };
    running.inputs_are_there()?;
    for wave in &graph.waves {
        progress.go_on()?;
        running.wave(wave, progress)?;
    }
    running.finish()
}

impl Running<'_> {
    fn graph(&self) -> &Graph {
        &self.read.graph
    }

    fn settling(&self) -> Settling<'_> {
        Settling { graph: &self.read.graph, state: &self.state, base: &self.read.base }
    }

    /// Steps that are not asked for must have run where others take what they give.
    fn inputs_are_there(&self) -> Result<()> {
        for &number in &self.chosen {
            let step = &self.graph().steps[number];
            for &need in step.needs.iter().filter(|need| !self.chosen.contains(need)) {
                let name = &self.graph().steps[need].name;
                let has_run = self.state.lock.steps.get(name).is_some_and(|record| record.output != FAILED);
                if !has_run || !self.state.places.step(name).is_dir() {
                    return Err(Error::refused(format!(
                        "the step `{}` takes what `{name}` gives, which has not run",
                        step.name
                    ))
                    .with_hint("run the whole recipe first: leave out `--only` and `--from`"));
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, step: usize, state: StepState, reason: impl Into<String>, seconds: f64) {
        let of = &self.read.graph.steps[step];
        self.outcomes[step] = Some(StepOutcome {
            name: of.name.clone(),
            run: of.command.name.to_owned(),
            phase: of.phase.clone(),
            state,
            reason: reason.into(),
            seconds,
        });
    }

    fn state_of(&self, step: usize) -> Option<StepState> {
        self.outcomes[step].as_ref().map(|outcome| outcome.state)
    }

    /// Runs the steps of a wave that must run.
    fn wave(&mut self, wave: &[usize], progress: &dyn Progress) -> Result<()> {
        if !self.request.dry_run && self.stopped_by.is_none() && !self.is_same_recipe() {
            let error = Error::refused("the recipe was changed while it ran")
                .in_file(self.read.places.recipe.display().to_string())
                .with_hint("what was done stays; run it again, and the changes count");
            self.errors.push(("the recipe".to_owned(), error));
            self.stopped_by = Some("the recipe was changed while it ran".to_owned());
        }
        let mut ready = VecDeque::new();
        for &number in wave {
            let decided = self.decide(number);
            if let Some(one) = self.told_of(number, decided)? {
                ready.push_back(one);
            }
        }
        self.side_by_side(ready, progress)
    }

    /// Keeps what went wrong before a step could run; only what ends the whole run is given back.
    fn told_of(&mut self, number: usize, decided: Result<Option<Ready>>) -> Result<Option<Ready>> {
        match decided {
            Err(error) if error.is_stopped() => Err(error),
            Err(error) => {
                self.failed(number, error, 0.0);
                Ok(None)
            }
            Ok(ready) => Ok(ready),
        }
    }

    fn failed(&mut self, number: usize, error: Error, seconds: f64) {
        let name = self.graph().steps[number].name.clone();
        self.set(number, StepState::Failed, error.message(), seconds);
        // A policy judged what was made: that is an answer.
        if error.is_policy() {
            self.fails = true;
        }
        self.stopped_by.get_or_insert_with(|| format!("step {name} failed"));
        self.errors.push((name, error));
    }

    /// Whether the recipe is still what was read.
    fn is_same_recipe(&self) -> bool {
        fs::read(&self.read.places.recipe).is_ok_and(|text| text == self.read.text)
    }

    /// What becomes of a step; if it is to run, all that it needs for that.
    fn decide(&mut self, number: usize) -> Result<Option<Ready>> {
        let read = self.read;
        let step = &read.graph.steps[number];
        if let Some(reason) = self.stopped_by.clone() {
            self.set(number, StepState::NotRun, reason, 0.0);
            return Ok(None);
        }
        if !self.chosen.contains(&number) {
            self.set(number, StepState::NotRun, "not asked for", 0.0);
            return Ok(None);
        }
        let needs_in = |state: StepState| step.needs.iter().copied().find(|&need| self.state_of(need) == Some(state));
        if let Some(skipped) = needs_in(StepState::Skipped) {
            let reason = format!("step {} is skipped", read.graph.steps[skipped].name);
            self.set(number, StepState::Skipped, reason, 0.0);
            return Ok(None);
        }
        let runs_before: Vec<&str> = step
            .needs
            .iter()
            .filter(|&&need| self.state_of(need) == Some(StepState::WouldRun))
            .map(|&need| read.graph.steps[need].name.as_str())
            .collect();
        if let Some(when) = &step.when {
            let asks =
                |name: &str| when.condition.names().iter().any(|(asked, _)| asked.split('.').next() == Some(name));
            if !runs_before.iter().any(|name| asks(name)) && !self.holds(when)? {
                self.set(number, StepState::Skipped, format!("its condition does not hold: {}", when.text), 0.0);
                return Ok(None);
            }
        }
        let record = self.settling().record(step)?;
        let mut reasons = self.settling().reasons(step, &record, &runs_before)?;
        if reasons.is_empty() && self.forced.contains(&number) {
            reasons.push("asked for with --from".to_owned());
        }
        if reasons.is_empty() {
            if let Some(why) = self.state.lock.steps.get(&step.name).and_then(|record| record.partly.clone()) {
                self.partly = true;
                self.set(number, StepState::Unchanged, format!("nothing changed; {why}"), 0.0);
            } else {
                self.set(number, StepState::Unchanged, "nothing changed", 0.0);
            }
            return Ok(None);
        }
        let reason = reasons.join("; ");
        if self.request.dry_run {
            self.set(number, StepState::WouldRun, reason, 0.0);
            return Ok(None);
        }
        let place = self.state.places.step(&step.name);
        let failed = |cause| Error::io(format!("write into {}", self.state.places.state.display()), cause);
        let unfinished = Pending::folder(&place).map_err(failed)?.with_own_modes();
        pending::tidy_beside(&[&unfinished]);
        let inputs = self.settling().inputs(step)?;
        let told = self.settling().told(step, &inputs, unfinished.path());
        let learnt_by = self.settling().learnt_by(step)?;
        let size: u64 = inputs.iter().flat_map(|input| &input.paths).map(|path| size_of(path)).sum();
        let memory = MEMORY_BESIDE + MEMORY_A_BYTE * size;
        let copied = self.copied_before(step);
        Ok(Some(Ready { step: number, record, reason, told, learnt_by, inputs, unfinished, copied, memory }))
    }

    /// Whether the condition of a step holds for what others found.
    fn holds(&self, when: &When) -> Result<bool> {
        let mut found: Vec<(String, Value)> = Vec::new();
        for (name, _) in when.condition.names() {
            let step = name.split('.').next().unwrap_or_default();
            if found.iter().all(|(known, _)| known != step) {
                found.push((step.to_owned(), read_found(&self.state.places.step(step))?));
            }
        }
        when.condition.holds(&|name| {
            let mut path = name.split('.');
            let step = path.next().unwrap_or_default();
            let (_, found) = found
                .iter()
                .find(|(known, _)| known == step)
                .ok_or_else(|| Error::internal("a condition asks for a step that was not read"))?;
            worst(found, step, &path.collect::<Vec<_>>())
        })
    }

    /// Hashes of what an earlier run of the step copied, as the lock and, after a kill, the step's folder say it.
    fn copied_before(&self, step: &Step) -> Vec<String> {
        let in_lock = self.state.lock.steps.get(&step.name).and_then(|record| record.copied.clone());
        let found = read_found(&self.state.places.step(&step.name)).ok();
        let in_folder = found.and_then(|found| found["sha256"].as_str().map(str::to_owned));
        in_lock.into_iter().chain(in_folder.filter(|_| step.command.name == "copy")).collect()
    }

    /// Runs steps, as many at once as there are threads and as memory is allowed for.
    fn side_by_side(&mut self, mut ready: VecDeque<Ready>, progress: &dyn Progress) -> Result<()> {
        let most = rayon::current_num_threads().max(1);
        let allowed = self.request.memory.unwrap_or(u64::MAX);
        let is_alone = ready.len() == 1;
        let quiet = Quiet(progress);
        let read = self.read;
        let (send, receive) = mpsc::channel::<(Ready, Result<Did>, f64)>();
        std::thread::scope(|scope| {
            let (mut at_work, mut memory, mut ended) = (0, 0_u64, Ok(()));
            loop {
                while let Some(next) = ready.front() {
                    let has_room = at_work == 0 || at_work < most && memory.saturating_add(next.memory) <= allowed;
                    let Some(next) = (if has_room { ready.pop_front() } else { None }) else { break };
                    at_work += 1;
                    memory += next.memory;
                    let send = send.clone();
                    let listener: &dyn Progress = if is_alone { progress } else { &quiet };
                    scope.spawn(move || {
                        let begun = Instant::now();
                        let did = perform(read, &next, listener);
                        // The receiver lives as long as the scope.
                        let _ = send.send((next, did, begun.elapsed().as_secs_f64()));
                    });
                }
                if at_work == 0 {
                    return ended;
                }
                let Ok((done, did, seconds)) = receive.recv() else { return ended };
                at_work -= 1;
                memory -= done.memory;
                let step = done.step;
                let kept = did.and_then(|did| self.keep(done, did, seconds));
                match kept {
                    Ok(()) => {}
                    Err(error) if error.is_stopped() => {
                        // Those at work hear of it themselves.
                        ready.clear();
                        ended = Err(error);
                    }
                    Err(error) => self.failed(step, error, seconds),
                }
            }
        })
    }

    /// Gives what a step made its name, and says so in the lock.
    fn keep(&mut self, done: Ready, did: Did, seconds: f64) -> Result<()> {
        let step = &self.read.graph.steps[done.step];
        let Did { found, verdict, notes, copied } = did;
        self.notes.extend(notes.into_iter().map(|note| format!("{}: {note}", step.name)));
        let now = self.settling().record(step)?;
        if let Some((name, _)) = done.record.inputs.iter().find(|(name, hash)| now.inputs.get(*name) != Some(hash)) {
            return Err(Error::refused(format!("the input {name} changed while the step ran"))
                .with_hint("what it made was thrown away; run again once nobody writes there"));
        }
        let place = self.state.places.step(&step.name);
        write_found(done.unfinished.path(), &found)?;
        publish(done.unfinished, &place)?;
        let mut record = done.record;
        if let Some(Copied { made, to, sha256 }) = copied {
            let there = self.state.hashing.hash(&to)?;
            if there.as_ref() != Some(&sha256) {
                publish(made, &to)?;
            }
            record.copied = Some(sha256);
        }
        let hash = self.state.hashing.hash(&place)?;
        record.output = hash.ok_or_else(|| Error::internal("what a step made is not there"))?;
        match verdict {
            Verdict::Fine => self.set(done.step, StepState::Done, done.reason, seconds),
            Verdict::Partly(why) => {
                self.partly = true;
                self.set(done.step, StepState::Done, format!("{}; {why}", done.reason), seconds);
                record.partly = Some(why);
            }
            Verdict::Fails(why) => {
                record.output = FAILED.to_owned();
                self.fails = true;
                self.stopped_by.get_or_insert_with(|| format!("step {} failed", step.name));
                self.set(done.step, StepState::Failed, why, seconds);
            }
        }
        self.state.lock.steps.insert(step.name.clone(), record);
        self.state.write_lock()
    }

    /// The end of a run.
    fn finish(mut self) -> Result<RunOutcome> {
        let mut page = None;
        if !self.request.dry_run {
            // Steps that the recipe does not have any more are forgotten; their folders stay.
            let names: BTreeSet<&str> = self.read.graph.steps.iter().map(|step| step.name.as_str()).collect();
            let before = self.state.lock.steps.len();
            self.state.lock.steps.retain(|name, _| names.contains(name.as_str()));
            if self.state.lock.steps.len() != before {
                self.state.write_lock()?;
            }
            self.state.write_hashes()?;
            page = Some(self.write_page()?);
        }
        let could_not = self.errors.iter().any(|(_, error)| !error.is_policy());
        let exit = match (could_not, self.fails, self.partly) {
            (true, ..) => 2,
            (_, true, _) => 1,
            (_, _, true) => 3,
            _ => 0,
        };
        let order: Vec<usize> = self.read.graph.waves.iter().flatten().copied().collect();
        let steps = order.into_iter().filter_map(|step| self.outcomes[step].take()).collect();
        let recipe = self.read.places.recipe.display().to_string();
        Ok(RunOutcome { recipe, steps, exit, errors: self.errors, notes: self.notes, page })
    }

    /// Writes the page, unless it is the same.
    fn write_page(&self) -> Result<PathBuf> {
        let mut sections = Vec::new();
        for &number in self.read.graph.waves.iter().flatten() {
            let step = &self.read.graph.steps[number];
            let folder = self.state.places.step(&step.name);
            let outcome = self.outcomes[number].as_ref();
            let state = outcome.map_or(StepState::NotRun, |outcome| outcome.state);
            let is_there = matches!(state, StepState::Done | StepState::Unchanged | StepState::Failed);
            let found = if is_there { read_found(&folder).unwrap_or(Value::Null) } else { Value::Null };
            let said = match (state, outcome) {
                // That something ran before is no matter of what was made.
                (StepState::Done | StepState::Unchanged, _) => "done".to_owned(),
                (_, Some(outcome)) => format!("{}: {}", outcome.state.in_words(), outcome.reason),
                (_, None) => state.in_words().to_owned(),
            };
            sections.push(Section {
                shown: Shown {
                    name: step.name.clone(),
                    what: step.command.name.to_owned(),
                    numbers: page::numbers(&found),
                },
                state: said,
                is_failed: state == StepState::Failed,
                pages: if is_there { pages_below(&folder, &step.name) } else { Vec::new() },
            });
        }
        let text = page::of_run(&self.read.places.name(), &self.read.graph, &sections);
        let place = self.state.places.state.join(PAGE);
        if fs::read(&place).is_ok_and(|before| before == text.as_bytes()) {
            return Ok(place);
        }
        pending::replace_page(&place, &text, "page", true)?;
        Ok(place)
    }
}

/// Runs a step in its unfinished folder.
fn perform(read: &Read, ready: &Ready, progress: &dyn Progress) -> Result<Did> {
    let step = &read.graph.steps[ready.step];
    progress.stage(&step.name, 0);
    let work = Work {
        command: step.command.of_keys(&step.keys),
        keys: ready.told.clone(),
        inputs: ready.inputs.clone(),
        learnt_by: ready.learnt_by.clone(),
        folder: ready.unfinished.path(),
        base: &read.base,
        copied: ready.copied.clone(),
        progress,
    };
    let did = (step.command.does)(&work)?;
    progress.go_on()?;
    Ok(did)
}

/// Gives something finished its place, whatever of the same step stood there.
fn publish(made: Pending, place: &Path) -> Result<()> {
    match place.symlink_metadata().is_ok() {
        true => pending::publish_over(vec![(made, place.to_owned())], place),
        false => pending::publish(vec![(made, place.to_owned())]),
    }
}

fn write_found(folder: &Path, found: &Value) -> Result<()> {
    let place = folder.join(FOUND);
    let failed = |cause| Error::io(format!("write {}", place.display()), cause);
    let text = serde_json::to_string_pretty(found).map_err(|cause| Error::internal(cause.to_string()))?;
    let mut file = pending::new_file(&place).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.write_all(b"\n")).map_err(failed)
}

/// What a step found.
fn read_found(folder: &Path) -> Result<Value> {
    let place = folder.join(FOUND);
    let bytes = limits::read_file(&place, "", MOST_STATE_BYTES)?;
    serde_json::from_slice(&bytes).map_err(|cause| {
        Error::data("what the step found cannot be read").with_cause(cause).in_file(place.display().to_string())
    })
}

/// Pages that a step made, by their places.
fn pages_below(folder: &Path, step: &str) -> Vec<Link> {
    let mut files = Vec::new();
    if files_below(folder, folder, &mut files).is_err() {
        return Vec::new();
    }
    files.sort();
    let pages = files.into_iter().filter(|(name, _)| name.ends_with(".html"));
    pages.map(|(name, _)| Link { place: format!("{step}/{name}"), name }).collect()
}

/// How many bytes a file or the files of a folder have.
fn size_of(path: &Path) -> u64 {
    match path.metadata() {
        Ok(about) if about.is_file() => about.len(),
        Ok(about) if about.is_dir() => {
            let mut files = Vec::new();
            let _ = files_below(path, path, &mut files);
            files.iter().filter_map(|(_, path)| path.metadata().ok()).map(|about| about.len()).sum()
        }
        _ => 0,
    }
}
