//! Places: files that steps read beside their inputs, and where they write.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use throng_core::Error;

use super::super::commands::Command;
use super::super::reading::{Entry, Wrongs};
use super::super::state;
use super::{Builder, Data, Step, missing};
use crate::keywords::{self, Shape, Tongue};
use crate::pending;

impl Builder<'_> {
    /// Says which files that keys name are not there, unless something is made that is called so.
    pub(super) fn files_there(
        &self,
        entry: &Entry,
        step: Option<&Command>,
        keys: &Map<String, Value>,
        wrongs: &mut Wrongs,
    ) {
        let listed = keywords::of(step.map_or("data", |step| step.of_keys(keys)), Tongue::Flags);
        for (name, value) in keys {
            let Some(keyword) = listed.iter().find(|keyword| keyword.name == *name) else { continue };
            let is_made = step.is_some_and(|step| step.writes.iter().any(|writes| writes.key == name));
            let is_input = step.is_some_and(|step| step.takes.iter().any(|takes| takes.key == name));
            let is_set = step.is_some_and(|step| step.set.iter().any(|(set, _)| set == name));
            let is_other = is_made || is_input || is_set || name == "to";
            let Some(key) = entry.key(name).filter(|_| !is_other) else { continue };
            for text in named_files(name, keyword.shape, value) {
                let known = self.written.steps.iter().chain(&self.written.data);
                let is_joint = known
                    .map(|other| &other.name)
                    .any(|other| text == *other || text.split_once('.').is_some_and(|(step, _)| step == other));
                let path = self.folder.join(&text);
                if !path.exists() && !is_joint {
                    wrongs.add(self.reader, &key.value_at, missing(&path));
                }
            }
        }
    }

    /// Two steps that write one place, or one that others read.
    pub(super) fn places(&self, data: &[Data], steps: &[Step], entries: &[&Entry], wrongs: &mut Wrongs) {
        let mut places: Vec<(PathBuf, &str)> = Vec::new();
        for (step, entry) in steps.iter().zip(entries) {
            let mut own: Vec<&str> = Vec::new();
            for writes in step.command.writes {
                let Some(key) = entry.key(writes.key) else { continue };
                let Some(text) = key.value.as_str() else { continue };
                if own.contains(&text) {
                    let error = Error::data(format!("the step `{}` writes `{text}` twice", step.name))
                        .with_hint("give each file a name of its own");
                    wrongs.add(self.reader, &key.value_at, error);
                }
                own.push(text);
            }
            let Some(key) = entry.key("to").filter(|_| step.command.name == "copy") else { continue };
            let Some(text) = key.value.as_str() else { continue };
            let to = pending::dated(&self.folder.join(text));
            let mut wrong = |problem: String, hint: &str| {
                wrongs.add(self.reader, &key.value_at, Error::data(problem).with_hint(hint));
            };
            if text.is_empty() || text == "-" {
                wrong("`to` must name a place to copy to".to_owned(), "a folder or a file that throng makes");
                continue;
            }
            if pending::is_same_place(&to, self.folder) || pending::lies_inside(self.folder, &to) {
                wrong(
                    format!("`{text}` holds the recipe, and would be replaced"),
                    "give a name of its own to what is copied",
                );
            }
            if self.is_in_state(&to) {
                wrong(
                    format!("`{text}` lies in a state folder"),
                    "what is copied leaves that folder: choose another place",
                );
            }
            for read in data.iter().flat_map(|data| &data.files) {
                if overlap(&to, read) {
                    wrong(format!("`{text}` is what the recipe reads: {}", read.display()), "choose another place");
                }
            }
            for (other, name) in &places {
                if overlap(&to, other) {
                    wrong(
                        format!("the steps `{name}` and `{}` write one place, {text}", step.name),
                        "choose another place for one of them",
                    );
                }
            }
            places.push((to, &step.name));
        }
    }

    /// Whether a place is in the folder of any recipe's state.
    fn is_in_state(&self, to: &Path) -> bool {
        to.ancestors().any(state::is_state)
            || to.ancestors().any(|folder| {
                folder.parent() == Some(self.folder) && folder.extension().is_some_and(|end| end == "state")
            })
    }
}

fn overlap(one: &Path, other: &Path) -> bool {
    pending::lies_inside(one, other) || pending::lies_inside(other, one)
}

/// The files that the value of a key names.
pub(in super::super) fn named_files(name: &str, shape: Shape, value: &Value) -> Vec<String> {
    let texts = |value: &Value| -> Vec<String> {
        match value {
            Value::String(one) => vec![one.clone()],
            Value::Array(several) => several.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    };
    match (shape, name) {
        (Shape::Path | Shape::Paths, _) | (Shape::Text, "cells") => texts(value),
        // Names of taxonomies that are always there are no files.
        (Shape::Texts, "taxonomy") => texts(value).into_iter().filter(|text| text != "wordnet").collect(),
        (Shape::Named, _) => match value {
            Value::Object(named) => named.values().flat_map(texts).filter(|text| text != "flat").collect(),
            other => {
                let file = |said: String| said.split_once('=').map(|(_, file)| file.to_owned());
                texts(other).into_iter().filter_map(file).filter(|text| text != "flat").collect()
            }
        },
        _ => Vec::new(),
    }
}
