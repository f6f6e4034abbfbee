//! The steps: what each makes of its keys and inputs, in a folder of its own. None knows of others, of the lock, or of time.

pub(super) mod deliver;
pub(super) mod detection;
pub(super) mod learning;
pub(super) mod people;
pub(super) mod rows;
pub(super) mod synth;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::commands::Sort;
use crate::keywords;
use crate::pending::Pending;

/// What a model was told, and the files that it learnt from.
pub(super) type LearntBy = (Map<String, Value>, Vec<PathBuf>);

/// What a step is given.
pub(super) struct Work<'a> {
    /// The command that it runs.
    pub(super) command: &'a str,
    /// Its keys: joints and paths are those of files as the program sees them.
    pub(super) keys: Map<String, Value>,
    /// What it takes, in the order of its keys.
    pub(super) inputs: Vec<Input>,
    /// Of a model that is assessed: what it was told, and what it learnt from.
    pub(super) learnt_by: Option<LearntBy>,
    /// The folder that it makes its output in.
    pub(super) folder: &'a Path,
    /// The folder that paths of the recipe are meant from.
    pub(super) base: &'a Path,
    /// Hashes of what an earlier run of the step copied out of the state folder.
    pub(super) copied: Vec<String>,
    pub(super) progress: &'a dyn Progress,
}

/// Something that a step takes.
#[derive(Debug, Clone)]
pub(super) struct Input {
    /// The key that names it.
    pub(super) key: String,
    /// Its name in the recipe.
    pub(super) name: String,
    pub(super) sort: Sort,
    pub(super) paths: Vec<PathBuf>,
    /// What the step found that made it.
    pub(super) found: Option<PathBuf>,
}

/// What a step did.
#[derive(Debug)]
pub(super) struct Did {
    /// What it found, as its command says it.
    pub(super) found: Value,
    pub(super) verdict: Verdict,
    /// What the user should know beside it.
    pub(super) notes: Vec<String>,
    /// What is to appear outside of the state folder, with its hash.
    pub(super) copied: Option<Copied>,
}

/// Something that is to appear outside of the state folder.
#[derive(Debug)]
pub(super) struct Copied {
    pub(super) made: Pending,
    pub(super) to: PathBuf,
    pub(super) sha256: String,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Fine,
    /// A claim could not be checked.
    Partly(String),
    /// A check, a threshold or a bound failed.
    Fails(String),
}

impl Work<'_> {
    /// The request of the step's command.
    pub(super) fn request<R: DeserializeOwned>(&self) -> Result<R> {
        keywords::asked(self.command, self.keys.clone())
    }

    /// A text among its keys.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.keys.get(key).and_then(Value::as_str)
    }

    /// Inputs of a key.
    pub(super) fn inputs_of<'w>(&'w self, key: &'w str) -> impl Iterator<Item = &'w Input> {
        self.inputs.iter().filter(move |input| input.key == key)
    }
}

impl Did {
    /// A step that found something and checked nothing.
    pub(super) fn fine(found: Value) -> Self {
        Self { found, verdict: Verdict::Fine, notes: Vec::new(), copied: None }
    }

    #[must_use]
    pub(super) fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.notes = notes;
        self
    }
}

/// What was found, as JSON.
pub(super) fn as_json(found: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(found).map_err(|cause| Error::internal(cause.to_string()))
}
