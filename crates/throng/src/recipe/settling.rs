//! What a step is told in the end: its keys with what comes with its data, the paths of its inputs; and why it must run again.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use throng_core::Result;

use super::commands::{FOUND, SECRET, Sort};
use super::graph::{Graph, Source, Step};
use super::state::{Record, State};
use super::steps::{Input, LearntBy};
use crate::inputs::Inputs;
use crate::keywords::{self, Keyword, Shape, Tongue};

/// How a file holds its rows: not so any more once a step wrote them again.
const LAYOUT: [&str; 5] = ["delimiter", "encoding", "no-header", "format", "bad-lines"];
/// Steps that write the rows of their input again.
const OF_ROWS: [&str; 5] = ["select", "integrate", "filter", "sample", "split"];
/// How many letters of a value are shown.
const LONGEST_SHOWN: usize = 40;

/// The steps of a recipe with what they have in common.
pub(super) struct Settling<'a> {
    pub(super) graph: &'a Graph,
    pub(super) state: &'a State,
    pub(super) base: &'a Path,
}

impl Settling<'_> {
    /// The keys of a step with those that come with its data.
    pub(super) fn parameters(&self, step: &Step) -> Map<String, Value> {
        let mut keys = step.keys.clone();
        let known = keywords::of(step.command.of_keys(&step.keys), Tongue::Flags);
        let looked_at = step.joints.iter().filter(|joint| joint.is_input);
        // A release says itself how it is read; what it is compared with is read as its data are.
        let of = looked_at.clone().find(|joint| joint.key == "original").or_else(|| looked_at.clone().next());
        for (name, value) in of.map(|joint| self.properties(&joint.source)).unwrap_or_default() {
            let name =
                if name == "format" && step.command.name == "protect" { "input-format".to_owned() } else { name };
            if known.iter().any(|keyword| keyword.name == name)
                && !keys.contains_key(&name)
                && step.command.name != "synth"
            {
                keys.insert(name, value);
            }
        }
        keys
    }

    /// How what a source gives is read.
    fn properties(&self, source: &Source) -> Map<String, Value> {
        match source {
            Source::Data(data) => self.graph.data[*data].keys.clone(),
            Source::Step(step, _) => {
                let step = &self.graph.steps[*step];
                let mut keys = Map::new();
                if OF_ROWS.contains(&step.command.name) {
                    if let Some(first) = step.joints.iter().find(|joint| joint.is_input) {
                        keys = self.properties(&first.source);
                    }
                    let reading = keywords::of("data", Tongue::Flags);
                    let is_reading = |name: &str| reading.iter().any(|keyword| keyword.name == name);
                    keys.extend(
                        step.keys
                            .iter()
                            .filter(|(name, _)| is_reading(name))
                            .map(|(name, value)| (name.clone(), value.clone())),
                    );
                    keys.retain(|name, _| !LAYOUT.contains(&name.as_str()));
                } else if step.command.name == "shill" {
                    // Its rows stand behind the bytes of the file that it was given.
                    if let Some(first) = step.joints.first() {
                        keys = self.properties(&first.source);
                    }
                } else if step.command.name == "synth"
                    && let Some(kind) = step
                        .keys
                        .get("kind")
                        .filter(|kind| crate::kinds::named(kind.as_str().unwrap_or_default()).is_ok())
                {
                    keys.insert("kind".to_owned(), kind.clone());
                }
                keys
            }
        }
    }

    /// Where what a source gives lies.
    pub(super) fn paths(&self, source: &Source) -> Result<Vec<PathBuf>> {
        match source {
            Source::Data(data) => Inputs::from(self.graph.data[*data].files.clone()).paths(),
            Source::Step(number, part) => {
                let step = &self.graph.steps[*number];
                let place = step.command.place(part.as_deref(), &step.keys).unwrap_or_else(|| FOUND.to_owned());
                Ok(vec![self.state.places.step(&step.name).join(place)])
            }
        }
    }

    /// What a step takes.
    pub(super) fn inputs(&self, step: &Step) -> Result<Vec<Input>> {
        let input = |joint: &super::graph::Joint| {
            let (sort, found) = match &joint.source {
                Source::Data(_) => (Sort::Data, None),
                Source::Step(from, part) => {
                    let from = &self.graph.steps[*from];
                    (from.sort_of(part.as_deref()), Some(self.state.places.step(&from.name).join(FOUND)))
                }
            };
            let (key, name) = (joint.key.clone(), joint.text.clone());
            Ok(Input { key, name, sort, paths: self.paths(&joint.source)?, found })
        };
        step.joints.iter().map(input).collect()
    }

    /// The key of the release that a step looks at, if the recipe made it of the very data that it is held against.
    fn key_of(&self, step: &Step) -> Option<PathBuf> {
        let made_by = |key: &str| {
            step.joints.iter().filter(|joint| joint.key == key).find_map(|joint| match &joint.source {
                Source::Step(from, None) if self.graph.steps[*from].command.name == "protect" => {
                    Some(&self.graph.steps[*from])
                }
                _ => None,
            })
        };
        let release = made_by("release").or_else(|| made_by("in"))?;
        let sources = |step: &Step, key: &str| -> Vec<String> {
            step.joints.iter().filter(|joint| joint.key == key).map(|joint| joint.text.clone()).collect()
        };
        let original = sources(step, "original");
        let is_same = !original.is_empty() && original == sources(release, "in");
        let takes_key = ["measure", "attack", "check"].contains(&step.command.name) && !step.keys.contains_key("key");
        (is_same && takes_key).then(|| self.state.places.step(&release.name).join(SECRET))
    }

    /// What the model that a step assesses was told, and what it learnt from.
    pub(super) fn learnt_by(&self, step: &Step) -> Result<Option<LearntBy>> {
        let source = step.joints.iter().find(|joint| joint.key == "model").map(|joint| &joint.source);
        let Some(Source::Step(from, _)) = source.filter(|_| step.command.name == "assess") else { return Ok(None) };
        let from = &self.graph.steps[*from];
        let inputs = self.inputs(from)?;
        let data = inputs.iter().flat_map(|input| input.paths.clone()).collect();
        Ok(Some((self.told(from, &inputs, Path::new("")), data)))
    }

    /// The keys of a step as its command takes them: paths as the program sees them, files that it makes in its folder.
    pub(super) fn told(&self, step: &Step, inputs: &[Input], folder: &Path) -> Map<String, Value> {
        let known = keywords::of(step.command.of_keys(&step.keys), Tongue::Flags);
        let mut told = Map::new();
        for (name, value) in self.parameters(step) {
            let keyword = known.iter().find(|keyword| keyword.name == name);
            let is_written = step.command.writes.iter().any(|writes| writes.key == name);
            let taken: Vec<&Input> = inputs.iter().filter(|input| input.key == name).collect();
            let value = if !taken.is_empty() {
                let paths = taken.iter().flat_map(|input| &input.paths).map(|path| path.display().to_string());
                let mut paths: Vec<Value> = paths.map(Value::from).collect();
                match keyword.map(|keyword| keyword.shape) {
                    Some(Shape::Path) if paths.len() == 1 => paths.remove(0),
                    _ => paths.into(),
                }
            } else if is_written {
                match value.as_str() {
                    Some(text) => folder.join(text).display().to_string().into(),
                    None => value,
                }
            } else if name == "to" {
                value
            } else {
                keyword.map_or(value.clone(), |keyword| self.located(keyword, value))
            };
            told.insert(name, value);
        }
        if let Some(key) = self.key_of(step) {
            told.insert("key".to_owned(), key.display().to_string().into());
        }
        told
    }

    /// A value whose files are named from where the program runs.
    fn located(&self, keyword: &Keyword, value: Value) -> Value {
        let from_here = |text: &str| self.base.join(text).display().to_string();
        let each = |value: Value, change: &dyn Fn(&str) -> String| match value {
            Value::String(text) => change(&text).into(),
            Value::Array(several) => {
                several.into_iter().map(|one| one.as_str().map(change).map_or(one.clone(), Value::from)).collect()
            }
            other => other,
        };
        match (keyword.shape, keyword.name.as_str()) {
            (Shape::Path | Shape::Paths, _) | (Shape::Text, "cells") => each(value, &from_here),
            (Shape::Texts, "taxonomy") => {
                each(value, &|text| if text == "wordnet" { text.to_owned() } else { from_here(text) })
            }
            (Shape::Named, _) => {
                let file = |text: &str| if text == "flat" { text.to_owned() } else { from_here(text) };
                match value {
                    Value::Object(named) => {
                        named.into_iter().map(|(name, value)| (name, each(value, &file))).collect::<Map<_, _>>().into()
                    }
                    other => each(other, &|text| match text.split_once('=') {
                        Some((name, path)) => format!("{name}={}", file(path)),
                        None => text.to_owned(),
                    }),
                }
            }
            _ => value,
        }
    }

    /// What a step would be made of now. An input that is not there has no hash.
    pub(super) fn record(&self, step: &Step) -> Result<Record> {
        let mut record = Record {
            run: step.command.name.to_owned(),
            version: step.command.version,
            parameters: self.parameters(step),
            ..Record::default()
        };
        for joint in &step.joints {
            let hash = self.state.hashing.hash_of_all(&self.paths(&joint.source)?)?;
            record.inputs.insert(joint.text.clone(), hash.unwrap_or_default());
        }
        if let Some(key) = self.key_of(step) {
            record.inputs.insert("the key".to_owned(), self.state.hashing.hash(&key)?.unwrap_or_default());
        }
        if let Some((_, data)) = self.learnt_by(step)? {
            record
                .inputs
                .insert("the training set".to_owned(), self.state.hashing.hash_of_all(&data)?.unwrap_or_default());
        }
        let known = keywords::of(step.command.of_keys(&step.keys), Tongue::Flags);
        let made = |name: &str| step.command.writes.iter().any(|writes| writes.key == name) || name == "to";
        for (name, value) in &record.parameters {
            let Some(keyword) = known.iter().find(|keyword| keyword.name == *name) else { continue };
            if made(name) || step.joints.iter().any(|joint| joint.key == *name) {
                continue;
            }
            for text in super::graph::named_files(name, keyword.shape, value) {
                let hash = self.state.hashing.hash(&self.base.join(&text))?;
                record.inputs.insert(text, hash.unwrap_or_default());
            }
        }
        Ok(record)
    }

    /// Why a step must run, if it must: `now` is what it would be made of. Steps that run before it are named, for what they make is not
    /// known yet.
    pub(super) fn reasons(&self, step: &Step, now: &Record, runs_before: &[&str]) -> Result<Vec<String>> {
        let Some(before) = self.state.lock.steps.get(&step.name) else {
            return Ok(vec!["never run".to_owned()]);
        };
        if before.version == 0 {
            return Ok(vec!["asked for with --fresh".to_owned()]);
        }
        if before.output == super::state::FAILED {
            return Ok(vec!["it failed the last time".to_owned()]);
        }
        let mut reasons = Vec::new();
        if before.run != now.run {
            return Ok(vec![format!("it runs {} now, not {}", now.run, before.run)]);
        }
        if before.version != now.version {
            reasons.push(format!("the version of {} changed ({} → {})", now.run, before.version, now.version));
        }
        let names =
            before.parameters.keys().chain(now.parameters.keys().filter(|name| !before.parameters.contains_key(*name)));
        for name in names {
            let (was, is) = (before.parameters.get(name), now.parameters.get(name));
            if was != is {
                reasons.push(format!("parameter {name} changed ({} → {})", shown(was), shown(is)));
            }
        }
        for name in runs_before {
            reasons.push(format!("step {name} runs before it"));
        }
        let made = |name: &str| runs_before.iter().any(|before| name.split('.').next() == Some(*before));
        for (name, hash) in
            now.inputs.iter().filter(|(name, _)| !made(name) && (runs_before.is_empty() || *name != "the key"))
        {
            match before.inputs.get(name) {
                Some(known) if known == hash => {}
                Some(_) => reasons.push(format!("input {name} changed")),
                // That a parameter names another file is said already.
                None if reasons.is_empty() => reasons.push(format!("input {name} is new")),
                None => {}
            }
        }
        if reasons.is_empty() && before.inputs.len() != now.inputs.len() {
            reasons.push("it takes other inputs".to_owned());
        }
        match self.state.hashing.hash(&self.state.places.step(&step.name))? {
            None => reasons.push("output is missing".to_owned()),
            Some(hash) if hash != before.output => reasons.push("output is changed".to_owned()),
            Some(_) => {}
        }
        if let (Some(copied), Some(to)) = (&before.copied, step.keys.get("to").and_then(Value::as_str)) {
            match self.state.hashing.hash(&crate::pending::dated(&self.base.join(to)))? {
                None => reasons.push("output is missing".to_owned()),
                Some(hash) if hash != *copied => reasons.push("output is changed".to_owned()),
                Some(_) => {}
            }
        }
        reasons.dedup();
        Ok(reasons)
    }
}

/// A value as a reason shows it.
fn shown(value: Option<&Value>) -> String {
    let text = match value {
        None => "none".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    if text.chars().count() <= LONGEST_SHOWN { text } else { text.chars().take(LONGEST_SHOWN).chain(['…']).collect() }
}
