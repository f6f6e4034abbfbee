//! `throng detect train`: a model from a labelled table.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::detectors::records::svm::SvmModel;
use throng_core::detectors::records::{LabelRule, Learnt, row_hashes, svm};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::synth::refuse_existing;
use super::MachineSettings;
use super::model::{About, TableModel};
use super::table::{LabelledTable, TableReading, label_column};
use crate::catalog;
use crate::io::hash_bytes;
use crate::pending;

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
    /// Of everything that is drawn.
    pub seed: u64,
    /// The model to write.
    pub out: PathBuf,
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
        _ => Err(Error::refused(format!("`{}` does not learn from a table", info.name))
            .with_hint(format!("`throng explain {}` says what it learns from", info.name))),
    };
    let learnt = learnt.map_err(placed)?;
    let mut known = row_hashes(&records.arranged(&learnt.columns(), &label.column)?, records.len());
    known.sort();
    let trained_on = hash_bytes(known.iter().map(|hash| format!("{hash}\n")).collect::<String>().as_bytes());
    known.dedup();
    let positives = label.truth(records)?.into_iter().filter(|&positive| positive).count();
    let model = TableModel { learnt, about: About { label, known, trained_on: trained_on.clone() } };
    pending::replace(&request.out, model.text()?.as_bytes(), true)?;
    Ok(TableTrained {
        detector: info.name,
        rows: table.records.len(),
        positives,
        columns: model.learnt.columns().len(),
        learnt: model.learnt.sizes(),
        trained_on,
        notes: table.notes,
    })
}
