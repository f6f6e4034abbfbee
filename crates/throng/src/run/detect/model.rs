//! The file of a model that was learnt from a table: JSON with everything that is needed to score a row, and a hash, so that a change by
//! hand is noticed. It has no path and no id; that it holds numbers of training rows makes it as secret as they are.

use std::path::Path;

use serde::{Deserialize, Serialize};
use throng_core::detectors::records::{
    FORMAT, LabelRule, Learnt, Records, association_rules, classification_rules, neural_network, svm,
};
use throng_core::{Error, Result};

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
pub(super) struct About {
    /// Which rows are positive.
    pub(super) label: LabelRule,
    /// The beginnings of the hashes of the training rows, in order, each once.
    pub(super) known: Vec<String>,
    /// The SHA-256 of the list of those of all rows, one a line.
    pub(super) trained_on: String,
    /// Of rules, some rows of the training table, the names of its columns first: for a review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) sample: Vec<Vec<String>>,
}

/// So many rows are kept for a review, evenly from the whole table.
const SAMPLE: usize = 1_000;

/// Rows that show which records the rules of a model cover; none for a model without rules.
pub(super) fn sample_of(learnt: &Learnt, records: &Records) -> Vec<Vec<String>> {
    if !matches!(learnt, Learnt::AssociationRules(_) | Learnt::ClassificationRules(_)) {
        return Vec::new();
    }
    let count = records.len().min(SAMPLE);
    let row = |at: usize| -> Vec<String> {
        let row = at * records.len() / count.max(1);
        records.columns.iter().map(|column| column.text(row).to_owned()).collect()
    };
    let names: Vec<String> = records.columns.iter().map(|column| column.name.clone()).collect();
    std::iter::once(names).chain((0..count).map(row)).collect()
}

impl About {
    /// The rows that were kept for a review.
    pub(super) fn sample(&self) -> Result<Option<Records>> {
        let Some((names, rows)) = self.sample.split_first() else { return Ok(None) };
        if rows.iter().any(|row| row.len() != names.len()) {
            return Err(Error::data("the model is damaged: a row has another number of cells").with_hint(AGAIN));
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Ok(Some(Records::of_rows(&names, rows)))
    }
}

/// What stands before the hash, which is the last key: that of the text before it, closed.
const HASH: &str = "\"sha256\":\"";

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
        let learnt = serde_json::to_string(&self.learnt).map_err(internal)?;
        let about = serde_json::to_string(&self.about).map_err(internal)?;
        let (Some(learnt), Some(about)) =
            (learnt.strip_prefix('{').and_then(|text| text.strip_suffix('}')), about.strip_prefix('{'))
        else {
            return Err(Error::internal("a model is written as an object"));
        };
        let whole = format!("{{\"format\":{FORMAT},{learnt},{about}");
        let hash = hash_bytes(whole.as_bytes());
        Ok(format!("{},{HASH}{hash}\"}}\n", &whole[..whole.len() - 1]))
    }

    /// Reads a model.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let bytes = limits::read_file(path, "the model ", MOST_BYTES)?;
        Self::of(&bytes).map_err(|error| error.in_file(path.display().to_string()))
    }

    fn of(bytes: &[u8]) -> Result<Self> {
        let head = Head::of(bytes)?;
        let damaged = |what: &str| Error::data(format!("the model is damaged: {what}")).with_hint(AGAIN);
        let text = std::str::from_utf8(bytes).map_err(|cause| damaged("it is no text").with_cause(cause))?;
        if !is_as_written(text) {
            return Err(damaged("it was changed after it was written"));
        }
        let wrong = |cause: serde_json::Error| {
            Error::data(format!("the model of `{}` cannot be understood", head.detector))
                .with_cause(cause)
                .with_hint(AGAIN)
        };
        let about = serde_json::from_str(text).map_err(wrong)?;
        let learnt = match head.detector.as_str() {
            name if name == svm::INFO.name => Learnt::Svm(serde_json::from_str(text).map_err(wrong)?),
            name if name == association_rules::INFO.name => {
                Learnt::AssociationRules(serde_json::from_str(text).map_err(wrong)?)
            }
            name if name == classification_rules::INFO.name => {
                Learnt::ClassificationRules(serde_json::from_str(text).map_err(wrong)?)
            }
            name if name == neural_network::INFO.name => {
                Learnt::NeuralNetwork(serde_json::from_str(text).map_err(wrong)?)
            }
            name => {
                return Err(Error::data(format!("a model of `{name}` was not learnt from a table"))
                    .with_hint("give a model that `throng detect train` made of a table"));
            }
        };
        Ok(Self { learnt, about })
    }

    /// The name of its detector.
    pub(super) fn detector(&self) -> &'static str {
        self.learnt.info().name
    }
}

/// Whether the hash at the end of a model is that of everything before it.
fn is_as_written(text: &str) -> bool {
    let Some((before, said)) = text.trim_end().rsplit_once(HASH) else { return false };
    let whole = before.strip_suffix(',').map(|before| format!("{before}}}"));
    whole.is_some_and(|whole| said.strip_suffix("\"}") == Some(&hash_bytes(whole.as_bytes())))
}
