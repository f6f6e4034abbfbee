//! What the data and steps of a recipe mean together: who takes what from whom. All that is wrong is found before anything runs.

mod joints;
mod places;
mod wholes;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use throng_core::{Error, Result};

use super::commands::{self, Command, PHASES, Sort};
use super::condition::Condition;
use super::reading::{self, Entry, Key, Written, Wrongs};
use crate::keywords;
use crate::placed_toml::Reader;

pub(super) use joints::{Joint, Source};
pub(super) use places::named_files;

/// Keys of every step.
const RUN: &str = "run";
const PHASE: &str = "phase";
const WHEN: &str = "when";

/// A recipe whose parts fit together.
pub(super) struct Graph {
    pub(super) data: Vec<Data>,
    /// The steps, in the order of the file.
    pub(super) steps: Vec<Step>,
    /// Steps by how many others must run one after the other before them; those of one wave run side by side.
    pub(super) waves: Vec<Vec<usize>>,
}

/// Data that the recipe begins with.
pub(super) struct Data {
    pub(super) name: String,
    /// The files, as they were named.
    pub(super) named: Vec<String>,
    /// The same from where the program runs.
    pub(super) files: Vec<PathBuf>,
    /// The kind, if it is said.
    pub(super) kind: Option<String>,
    /// How it is read.
    pub(super) keys: Map<String, Value>,
}

/// A step.
pub(super) struct Step {
    pub(super) name: String,
    pub(super) command: &'static Command,
    pub(super) phase: String,
    /// Its keys as written, but for `run`, `phase` and `when`.
    pub(super) keys: Map<String, Value>,
    pub(super) when: Option<When>,
    pub(super) joints: Vec<Joint>,
    /// The steps that must be done before it.
    pub(super) needs: BTreeSet<usize>,
    /// The kind of what it gives, if that is known.
    pub(super) kind: Option<String>,
}

impl Step {
    /// The sort of an output.
    pub(super) fn sort_of(&self, part: Option<&str>) -> Sort {
        self.command.sort_of(part, |key| self.keys.contains_key(key))
    }
}

/// When a step runs.
pub(super) struct When {
    pub(super) text: String,
    pub(super) condition: Condition,
}

impl Graph {
    /// Reads a recipe and puts it together; `folder` is where its paths are meant from. All that is wrong is one error.
    pub(super) fn read(text: &str, file: &Path, folder: &Path) -> Result<Self> {
        let reader = Reader { text };
        let shown = file.display().to_string();
        let mut wrongs = Wrongs::default();
        let written = reading::read(&reader, &mut wrongs).map_err(|error| error.in_file(shown.clone()))?;
        let graph = Builder { reader: &reader, folder, written: &written }.build(&mut wrongs);
        wrongs.into_result(&shown)?;
        graph.ok_or_else(|| Error::internal("a recipe without errors has no graph"))
    }

    /// The number of a step.
    pub(super) fn step(&self, name: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.name == name)
    }

    /// The steps that come after some, these included.
    pub(super) fn after(&self, first: usize) -> BTreeSet<usize> {
        let mut after = BTreeSet::from([first]);
        for wave in &self.waves {
            for &step in wave {
                if self.steps[step].needs.iter().any(|need| after.contains(need)) {
                    after.insert(step);
                }
            }
        }
        after
    }

    /// The steps of a phase, in the order in which they run.
    pub(super) fn of_phase<'g>(&'g self, phase: &'g str) -> impl Iterator<Item = &'g Step> {
        self.waves.iter().flatten().map(|&step| &self.steps[step]).filter(move |step| step.phase == phase)
    }
}

/// Puts a recipe together.
struct Builder<'a> {
    reader: &'a Reader<'a>,
    folder: &'a Path,
    written: &'a Written,
}

impl Builder<'_> {
    /// The graph; none if something is wrong with it.
    fn build(&self, wrongs: &mut Wrongs) -> Option<Graph> {
        let data = self.data(wrongs);
        for step in &self.written.steps {
            if let Some(other) = self.written.data.iter().find(|data| data.name == step.name) {
                let (line, _) = self.reader.place(other.at.start);
                let error = Error::data(format!("`{}` is the name of data and of a step", step.name))
                    .with_hint(format!("call one of them otherwise; the data stand in line {line}"));
                wrongs.add(self.reader, &step.at, error);
            }
        }
        let known: Vec<Option<&'static Command>> =
            self.written.steps.iter().map(|entry| self.command(entry, wrongs)).collect();
        let mut steps = Vec::new();
        for (entry, command) in self.written.steps.iter().zip(&known) {
            // A step that runs nothing known is said, and nothing more of it.
            let Some(command) = command else { continue };
            steps.push((entry, self.step(entry, command, &known, wrongs)));
        }
        if steps.len() < self.written.steps.len() {
            return None;
        }
        let mut built: Vec<Step> = Vec::new();
        let entries: Vec<&Entry> = steps.iter().map(|(entry, _)| *entry).collect();
        built.extend(steps.into_iter().map(|(_, step)| step));
        let waves = self.waves(&mut built, wrongs)?;
        self.kinds(&data, &mut built, &waves, wrongs);
        self.places(&data, &built, &entries, wrongs);
        Some(Graph { data, steps: built, waves })
    }

    fn data(&self, wrongs: &mut Wrongs) -> Vec<Data> {
        let mut data = Vec::new();
        for entry in &self.written.data {
            let mut keys: Map<String, Value> =
                entry.keys.iter().map(|key| (key.name.clone(), key.value.clone())).collect();
            let file = keys.remove("file");
            self.keys_known(entry, "data", &keys, &["file"], wrongs);
            let texts = match (&file, entry.key("file").map(|key| (key, key.texts()))) {
                (Some(_), Some((_, Some(texts)))) if !texts.is_empty() => texts,
                (_, Some((key, _))) => {
                    let error = Error::data("`file` must be the name of a file, or a list of names");
                    wrongs.add(self.reader, &key.value_at, error);
                    continue;
                }
                _ => {
                    let error = Error::data(format!("the data `{}` have no file", entry.name))
                        .with_hint("`file = \"searches.tsv\"`, or a pattern, `\"logs/*.tsv\"`");
                    wrongs.add(self.reader, &entry.at, error);
                    continue;
                }
            };
            let mut files = Vec::new();
            for (text, at) in &texts {
                let path = self.folder.join(text);
                if *text == "-" {
                    let error = Error::data("standard input cannot be read twice, as a recipe must")
                        .with_hint("write it into a file first");
                    wrongs.add(self.reader, at, error);
                } else if let Err(error) =
                    crate::inputs::Inputs::from(path.clone()).paths().and_then(|paths| there(&paths))
                {
                    wrongs.add(self.reader, at, unplaced(error, &path));
                }
                files.push(path);
            }
            let kind = entry.text("as").or_else(|| entry.text("kind")).map(str::to_owned);
            let named = texts.iter().map(|(text, _)| (*text).to_owned()).collect();
            self.files_there(entry, None, &keys, wrongs);
            data.push(Data { name: entry.name.clone(), named, files, kind, keys });
        }
        data
    }

    /// What a step runs.
    fn command(&self, entry: &Entry, wrongs: &mut Wrongs) -> Option<&'static Command> {
        let Some(key) = entry.key(RUN) else {
            let error = Error::data(format!("the step `{}` does not say what it runs", entry.name))
                .with_hint("for example `run = \"protect\"`");
            wrongs.add(self.reader, &entry.at, error);
            return None;
        };
        let found = key.value.as_str().and_then(commands::named);
        if found.is_none() {
            let name = key.value.as_str().unwrap_or_default();
            let error = Error::unknown("step", name, commands::COMMANDS.iter().map(|command| command.name));
            wrongs.add(self.reader, &key.value_at, error);
        }
        found
    }

    fn step(
        &self,
        entry: &Entry,
        command: &'static Command,
        known: &[Option<&'static Command>],
        wrongs: &mut Wrongs,
    ) -> Step {
        let mut keys: Map<String, Value> = entry.keys.iter().map(|key| (key.name.clone(), key.value.clone())).collect();
        keys.retain(|name, _| ![RUN, PHASE, WHEN].contains(&name.as_str()));
        let mut set = Vec::new();
        for (name, reason) in command.set {
            if let Some(key) = entry.key(name) {
                let error = Error::parameter(*name, "is nothing that a step says").with_hint(*reason);
                wrongs.add(self.reader, &key.at, error);
                set.push(*name);
            }
        }
        self.keys_known(entry, command.of_keys(&keys), &keys, &set, wrongs);
        for name in command.needs.iter().filter(|name| !keys.contains_key(**name)) {
            let error = Error::data(format!("the step `{}` needs `{name}`", entry.name))
                .with_hint(format!("{} cannot run without it", command.name));
            wrongs.add(self.reader, &entry.at, error);
        }
        if !command.needs_one.is_empty() && command.needs_one.iter().all(|name| !keys.contains_key(*name)) {
            let names: Vec<String> = command.needs_one.iter().map(|name| format!("`{name}`")).collect();
            let error = Error::data(format!("the step `{}` needs {}", entry.name, names.join(" or ")))
                .with_hint(format!("{} cannot run without one of them", command.name));
            wrongs.add(self.reader, &entry.at, error);
        }
        self.own_files(entry, command, wrongs);
        self.conditions_of_rows(entry, command, wrongs);
        let joints = self.joints(entry, command, known, wrongs);
        self.files_there(entry, Some(command), &keys, wrongs);
        let when = self.when(entry, known, wrongs);
        let mut needs: BTreeSet<usize> = joints.iter().filter_map(|joint| joint.source.step()).collect();
        for (name, _) in when.iter().flat_map(|when| when.condition.names()) {
            let first = name.split('.').next().unwrap_or_default();
            needs.extend(self.written.steps.iter().position(|step| step.name == first));
        }
        Step {
            name: entry.name.clone(),
            command,
            phase: self.phase(entry, command, wrongs),
            keys,
            when,
            joints,
            needs,
            kind: None,
        }
    }

    fn phase(&self, entry: &Entry, command: &Command, wrongs: &mut Wrongs) -> String {
        let Some(key) = entry.key(PHASE) else { return command.phase.to_owned() };
        match key.value.as_str().filter(|phase| PHASES.contains(phase)) {
            Some(phase) => phase.to_owned(),
            None => {
                let error = Error::unknown("phase", key.value.as_str().unwrap_or_default(), PHASES);
                wrongs.add(self.reader, &key.value_at, error);
                command.phase.to_owned()
            }
        }
    }

    /// Says which keys a command does not have, and which values it cannot take.
    fn keys_known(
        &self,
        entry: &Entry,
        command: &str,
        keys: &Map<String, Value>,
        said_already: &[&str],
        wrongs: &mut Wrongs,
    ) {
        for (name, error) in keywords::problems(command, keys) {
            let Some(key) = entry.key(&name).filter(|key| !said_already.contains(&key.name.as_str())) else { continue };
            let at = if is_of_name(&error) { &key.at } else { &key.value_at };
            wrongs.add(self.reader, at, error);
        }
    }

    /// Files that a step makes lie in its own folder.
    fn own_files(&self, entry: &Entry, command: &Command, wrongs: &mut Wrongs) {
        for key in entry.keys.iter().filter(|key| command.writes.iter().any(|writes| writes.key == key.name)) {
            let Some(text) = key.value.as_str() else { continue };
            let is_plain = !text.is_empty() && !text.contains(['/', '\\']) && !text.starts_with('.');
            let is_taken = [commands::FOUND, commands::SECRET].contains(&text)
                || command.place(None, &Map::new()).is_some_and(|place| place == text);
            if !is_plain || is_taken {
                let error = Error::parameter(
                    &key.name,
                    format!("is `{text}`, but must be a name of its own in the step's folder"),
                )
                .with_hint(format!(
                    "other steps take it as `{}.{}`, and a step `copy` with `to` brings it out of there",
                    entry.name, key.name
                ));
                wrongs.add(self.reader, &key.value_at, error);
            }
        }
    }

    /// What can be understood of conditions over rows before there are any.
    fn conditions_of_rows(&self, entry: &Entry, command: &Command, wrongs: &mut Wrongs) {
        if !["select", "filter"].contains(&command.name) {
            return;
        }
        if let Some(key) = entry.key("where")
            && let Some(text) = key.value.as_str()
            && let Err((at, error)) = Condition::read(text)
        {
            wrongs.add(self.reader, &self.inside(key, text, &at), error);
        }
    }

    /// Where a part of a text stands, as far as it is written as it reads.
    fn inside(&self, key: &Key, text: &str, at: &Range<usize>) -> Range<usize> {
        let written = self.reader.text.get(key.value_at.clone()).unwrap_or_default();
        match written.find(text) {
            Some(begin) => key.value_at.start + begin + at.start..key.value_at.start + begin + at.end,
            None => key.value_at.clone(),
        }
    }
}

/// Whether an error is about the name of a key, not its value.
fn is_of_name(error: &Error) -> bool {
    error.to_string().contains("is no key of")
}

/// Refuses files that are not there.
fn there(paths: &[PathBuf]) -> Result<()> {
    match paths.iter().find(|path| !path.exists()) {
        None => Ok(()),
        Some(path) => Err(missing(path)),
    }
}

/// A file that is not there.
fn missing(path: &Path) -> Error {
    Error::data(format!("there is no file {}", path.display())).with_hint("paths are meant from where the recipe lies")
}

/// The same error with its file in words, for its place is the recipe's.
fn unplaced(error: Error, path: &Path) -> Error {
    match error.place() {
        None => error,
        Some(_) => {
            let said = Error::data(format!("{}: {}", path.display(), error.message()));
            match error.hint() {
                Some(hint) => said.with_hint(hint),
                None => said,
            }
        }
    }
}

/// The sorts of some inputs, in words.
fn in_words(sorts: &[Sort]) -> String {
    let words: Vec<&str> = sorts.iter().map(|sort| sort.in_words()).collect();
    words.join(" or ")
}
