//! The file of a model that was learnt from a table: JSON with everything that is needed to score a row, and a hash, so that a change by
//! hand is noticed. It has no path and no id; that it holds numbers of training rows makes it as secret as they are.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use throng_core::detectors::records::{FORMAT, LabelRule, Learnt};
use throng_core::{Error, Result};

use crate::canonical;
use crate::io::hash_bytes;
use crate::limits;

/// The longest model that is read.
const MOST_BYTES: u64 = 1 << 30;
const AGAIN: &str = "train it again: `throng detect train`";

/// What was learnt from a table, and from which.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TableModel {
    pub(super) learnt: Learnt,
    pub(super) about: About,
}

/// What every such model says beside what it learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct About {
    /// Which rows are positive.
    pub(super) label: LabelRule,
    /// The beginnings of the hashes of the training rows, in order, each once.
    pub(super) known: Vec<String>,
    /// The SHA-256 of the list of those of all rows, one a line.
    pub(super) trained_on: String,
}

const ABOUT: [&str; 3] = ["label", "known", "trained_on"];

/// What the model of any detector says of itself first.
#[derive(Deserialize)]
pub(super) struct Head {
    format: u32,
    pub(super) detector: String,
}

impl Head {
    /// Reads the head of a model, whatever its detector.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let bytes = limits::read_file(path, "the model ", MOST_BYTES)?;
        Self::of(&bytes).map_err(|error| error.in_file(path.display().to_string()))
    }

    fn of(bytes: &[u8]) -> Result<Self> {
        let head: Self = serde_json::from_slice(bytes)
            .map_err(|cause| Error::data("this is no model of a detector").with_cause(cause).with_hint(AGAIN))?;
        if head.format != FORMAT {
            return Err(
                Error::data(format!("the model has the form {}, and {FORMAT} is known", head.format)).with_hint(AGAIN)
            );
        }
        Ok(head)
    }
}

impl TableModel {
    /// The text of its file.
    pub(super) fn text(&self) -> Result<String> {
        let internal = |cause: serde_json::Error| Error::internal(cause.to_string());
        let mut form = object(serde_json::to_value(&self.learnt).map_err(internal)?)?;
        form.insert("format".to_owned(), FORMAT.into());
        form.extend(object(serde_json::to_value(&self.about).map_err(internal)?)?);
        let whole = Value::Object(form.clone());
        form.insert("sha256".to_owned(), hash_bytes(canonical::text(&whole).as_bytes()).into());
        Ok(serde_json::to_string(&form).map_err(internal)? + "\n")
    }

    /// Reads a model.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let bytes = limits::read_file(path, "the model ", MOST_BYTES)?;
        Self::of(&bytes).map_err(|error| error.in_file(path.display().to_string()))
    }

    fn of(bytes: &[u8]) -> Result<Self> {
        let head = Head::of(bytes)?;
        let damaged = |what: &str| Error::data(format!("the model is damaged: {what}")).with_hint(AGAIN);
        let mut form =
            object(serde_json::from_slice(bytes).map_err(|cause| damaged("it is no JSON").with_cause(cause))?)?;
        let said = form.remove("sha256");
        let whole = Value::Object(form.clone());
        if said.as_ref().and_then(Value::as_str) != Some(&hash_bytes(canonical::text(&whole).as_bytes())) {
            return Err(damaged("it was changed after it was written"));
        }
        form.remove("format");
        let about: Map<String, Value> =
            ABOUT.iter().filter_map(|&key| Some((key.to_owned(), form.remove(key)?))).collect();
        let about = serde_json::from_value(Value::Object(about))
            .map_err(|cause| damaged("a key is wrong").with_cause(cause))?;
        let learnt = serde_json::from_value(Value::Object(form)).map_err(|cause| {
            Error::data(format!("the model of `{}` cannot be understood", head.detector))
                .with_cause(cause)
                .with_hint(AGAIN)
        })?;
        Ok(Self { learnt, about })
    }

    /// The name of its detector.
    pub(super) fn detector(&self) -> &'static str {
        self.learnt.info().name
    }
}

fn object(value: Value) -> Result<Map<String, Value>> {
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(Error::data("this is no model of a detector").with_hint(AGAIN)),
    }
}
