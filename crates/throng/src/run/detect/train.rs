//! `throng detect train`: a model from a labelled table.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::detectors::records::association_rules::{self, AssociationModel, AssociationParams};
use throng_core::detectors::records::classification_rules::{self, RulesModel};
use throng_core::detectors::records::episodes::{Episode, episodes};
use throng_core::detectors::records::neural_network::{self, NetworkModel};
use throng_core::detectors::records::svm::SvmModel;
use throng_core::detectors::records::{LabelRule, Learnt, Records, number, row_hashes, svm};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::synth::refuse_existing;
use super::MachineSettings;
use super::model::{About, TableModel, sample_of};
use super::table::{LabelledTable, TableReading, label_column};
use crate::catalog;
use crate::io::hash_bytes;
use crate::pending;

/// How many cells are hidden, if nobody says.
const HIDDEN: usize = 16;

/// What to learn from, how, and where to write it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainTableRequest {
    /// Which detector learns.
    pub detector: String,
    /// The table.
    pub input: PathBuf,
    /// How it is read.
    pub reading: TableReading,
    /// The column of the label.
    pub label: Option<String>,
    /// What it says of positive rows.
    pub positive_label: Option<String>,
    /// What it says of rows in order: everything else is positive then.
    pub normal_label: Option<String>,
    /// How a support vector machine learns.
    pub machine: MachineSettings,
    /// How association rules are found.
    pub rules: RuleSettings,
    /// How many cells of a neural network are hidden.
    pub hidden: Option<usize>,
    /// Of everything that is drawn.
    pub seed: u64,
    /// The model to write.
    pub out: PathBuf,
}

/// How association rules are found; what is not given is as the detector has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleSettings {
    /// The least support.
    pub support: f64,
    /// The least confidence.
    pub confidence: f64,
    /// How many items a rule has at most.
    pub most_items: usize,
    /// Whether only rows in order are learnt from, without their label.
    pub only_normal: bool,
    /// Within how many seconds events of an episode follow each other; none are looked for without it.
    pub window: Option<f64>,
    /// The column that says when, in seconds.
    pub time: Option<String>,
    /// The column that says what happened; the label if none is named, `service` for rows in order.
    pub event: Option<String>,
}

impl Default for RuleSettings {
    fn default() -> Self {
        let AssociationParams { support, confidence, most_items, only_normal } = AssociationParams::default();
        Self { support, confidence, most_items, only_normal, window: None, time: None, event: None }
    }
}

impl RuleSettings {
    fn params(&self) -> AssociationParams {
        let Self { support, confidence, most_items, only_normal, .. } = *self;
        AssociationParams { support, confidence, most_items, only_normal }
    }
}

/// What was learnt.
#[derive(Debug, Serialize)]
pub struct TableTrained {
    /// The detector.
    pub detector: &'static str,
    /// How many rows there were.
    pub rows: usize,
    /// How many of them positive.
    pub positives: usize,
    /// How many columns were looked at.
    pub columns: usize,
    /// How large what was learnt is: its parts with their names.
    pub learnt: Vec<(&'static str, f64)>,
    /// The SHA-256 of the list of hashes.
    pub trained_on: String,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Learns a model from a table and writes it.
pub fn train_table(request: &TrainTableRequest, progress: &dyn Progress) -> Result<TableTrained> {
    let info = catalog::trained_detector(&request.detector)?;
    pending::refuse_stdout(&request.out)?;
    refuse_existing(&request.out)?;
    let params = request.machine.params(request.seed);
    params.check()?;
    let table = LabelledTable::read(&request.input, &request.reading, progress)?;
    let label = label_column(&table, request.label.as_deref())?;
    let (positive, normal) = (request.positive_label.as_deref(), request.normal_label.as_deref());
    let placed = |error: Error| table.place(error);
    let records = &table.records;
    let label = LabelRule::settle(records, &label, positive, normal).map_err(placed)?;
    let learnt = match info.name {
        name if name == svm::INFO.name => SvmModel::train(records, &label, &params, progress).map(Learnt::Svm),
        name if name == association_rules::INFO.name => {
            associations(&table.records, &label, &request.rules, progress).map(Learnt::AssociationRules)
        }
        name if name == classification_rules::INFO.name => {
            RulesModel::train(records, &label, request.seed, progress).map(Learnt::ClassificationRules)
        }
        name if name == neural_network::INFO.name => {
            let hidden = request.hidden.unwrap_or(HIDDEN);
            NetworkModel::train(records, &label, hidden, request.seed, progress).map(Learnt::NeuralNetwork)
        }
        _ => Err(Error::refused(format!("`{}` does not learn from a table", info.name))
            .with_hint(format!("`throng explain {}` says what it learns from", info.name))),
    };
    let learnt = learnt.map_err(placed)?;
    let mut known = row_hashes(&super::table::arranged(records, &learnt, &label.column)?, records.len());
    known.sort();
    let trained_on = hash_bytes(known.iter().map(|hash| format!("{hash}\n")).collect::<String>().as_bytes());
    known.dedup();
    let positives = label.truth(records)?.into_iter().filter(|&positive| positive).count();
    let sample = sample_of(&learnt, records);
    let mut notes = table.notes;
    if let Learnt::AssociationRules(model) = &learnt
        && request.rules.window.is_none()
        && !model.judges(&label.column)
    {
        notes.push("no rule was found without the label in it: this model flags nobody".to_owned());
    }
    let model = TableModel { learnt, about: About { label, known, trained_on: trained_on.clone(), sample } };
    pending::replace(&request.out, model.text()?.as_bytes(), true)?;
    Ok(TableTrained {
        detector: info.name,
        rows: table.records.len(),
        positives,
        columns: model.learnt.columns(&model.about.label.column).len(),
        learnt: model.learnt.sizes(),
        trained_on,
        notes,
    })
}

/// Association rules, and the episodes of a window. The time is no column of theirs.
fn associations(
    records: &Records,
    label: &LabelRule,
    settings: &RuleSettings,
    progress: &dyn Progress,
) -> Result<AssociationModel> {
    let Some(window) = settings.window else {
        return AssociationModel::train(records, label, settings.params(), progress);
    };
    let found = episodes_of(records, label, settings, window)?;
    let time = settings.time.as_deref();
    let timeless = records.without(time.unwrap_or_default());
    Ok(AssociationModel {
        episodes: found,
        ignored: time.map(str::to_owned),
        ..AssociationModel::train(&timeless, label, settings.params(), progress)?
    })
}

fn episodes_of(records: &Records, label: &LabelRule, settings: &RuleSettings, window: f64) -> Result<Vec<Episode>> {
    if !(window > 0.0 && window.is_finite()) {
        return Err(Error::parameter("window", "must be a span of time above 0"));
    }
    let time = settings.time.as_deref().ok_or_else(|| {
        Error::parameter("window", "needs to know when records were made").with_hint("`--column time=COLUMN`")
    })?;
    let event = match (&settings.event, settings.only_normal) {
        (Some(event), _) => event.as_str(),
        (None, true) => "service",
        (None, false) => label.column.as_str(),
    };
    let column = |name: &str| {
        let names = records.columns.iter().map(|column| column.name.as_str());
        records.column(name).ok_or_else(|| Error::unknown("column", name, names))
    };
    let (times, events) = (column(time)?, column(event)?);
    let truth = label.truth(records)?;
    let mut found: Vec<(f64, u32)> = Vec::new();
    for row in (0..records.len()).filter(|&row| !settings.only_normal || !truth[row]) {
        let seconds = number(times.text(row)).filter(|seconds| seconds.is_finite()).ok_or_else(|| {
            Error::data("the time is not a number of seconds").in_column(time).at_line(records.lines[row])
        })?;
        found.push((seconds, events.cells[row]));
    }
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    Ok(episodes(&found, &events.values, window, settings.support, settings.confidence))
}
