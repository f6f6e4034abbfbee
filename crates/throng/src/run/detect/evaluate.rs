//! `throng detect evaluate MODEL… TEST`: how right models are on a labelled table, side by side.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::detectors::records::evaluate::{FamilyRecall, quality};
use throng_core::detectors::records::row_hashes;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::model::TableModel;
use super::table::{LabelledTable, TableReading, arranged};
use crate::words::counted;

/// Which models to judge, and on what.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluateModelsRequest {
    /// The models.
    pub models: Vec<PathBuf>,
    /// A labelled table that no model has seen.
    pub test: PathBuf,
    /// How it is read.
    pub reading: TableReading,
    /// Above what score a row is flagged, if not where each model says.
    pub threshold: Option<f64>,
    /// Whether a table with rows of a training table is refused.
    pub strict: bool,
}

/// Models side by side.
#[derive(Debug, Serialize)]
pub struct ModelsEvaluated {
    /// How many rows there are.
    pub rows: usize,
    /// In the order in which they were named.
    pub models: Vec<ModelQuality>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// How right a model was.
#[derive(Debug, Serialize)]
pub struct ModelQuality {
    /// Its file.
    pub model: String,
    /// Its detector.
    pub detector: &'static str,
    /// Right ones among all.
    pub accuracy: Option<f64>,
    /// Positive ones among those flagged.
    pub precision: Option<f64>,
    /// Flagged ones among the positive.
    pub recall: Option<f64>,
    /// The same for each family of attacks; of labels that are not KDD's, for each label.
    pub families: BTreeMap<String, FamilyRecall>,
    /// The chance that a positive row has the higher score.
    pub auc: Option<f64>,
    /// How many are flagged.
    pub flagged: usize,
    /// How many rows are also in the training table.
    pub known: usize,
}

/// Judges models.
pub fn evaluate_models(request: &EvaluateModelsRequest, progress: &dyn Progress) -> Result<ModelsEvaluated> {
    if request.models.is_empty() {
        return Err(Error::parameter("models", "names no model: `throng detect evaluate MODEL… TEST`"));
    }
    let models = request.models.iter().map(|path| TableModel::read(path)).collect::<Result<Vec<_>>>()?;
    let table = LabelledTable::read(&request.test, &request.reading, progress)?;
    let records = &table.records;
    let mut notes = table.notes.clone();
    let mut judged = Vec::new();
    for (path, model) in request.models.iter().zip(&models) {
        progress.go_on()?;
        let rule = &model.about.label;
        let placed = |error: Error| table.place(error);
        let truth = rule.truth(records).map_err(placed)?;
        let own = arranged(records, &model.learnt, &rule.column).map_err(placed)?;
        let trained: HashSet<&str> = model.about.known.iter().map(String::as_str).collect();
        let known = row_hashes(&own, records.len()).iter().filter(|hash| trained.contains(hash.as_str())).count();
        let (scores, _) = model.learnt.scores(records, &rule.column).map_err(placed)?;
        let threshold = request.threshold.unwrap_or_else(|| model.learnt.threshold());
        let flags: Vec<bool> = scores.iter().map(|&score| score > threshold).collect();
        let missing = || Error::internal("the label was there a moment ago");
        let column = records.column(&rule.column).ok_or_else(missing)?;
        let labels: Vec<&str> = (0..truth.len()).map(|row| column.text(row)).collect();
        let found = quality(&scores, &flags, &labels, rule);
        judged.push(ModelQuality {
            model: path.display().to_string(),
            detector: model.detector(),
            accuracy: found.accuracy,
            precision: found.precision,
            recall: found.recall,
            families: found.families,
            auc: found.auc,
            flagged: found.flagged,
            known,
        });
    }
    if let Some(most) = judged.iter().max_by_key(|judged| judged.known).filter(|judged| judged.known > 0) {
        let said =
            format!("{} also in the training table of a model", counted(most.known as u64, "row is", "rows are"));
        if request.strict {
            return Err(table.place(Error::refused(said).with_hint(
                "remove duplicates before a table is split, or leave `--strict` out: what was learnt by heart says nothing",
            )));
        }
        notes.push(format!("{said}: what was learnt by heart says nothing of other data"));
    }
    Ok(ModelsEvaluated { rows: records.len(), models: judged, notes })
}
