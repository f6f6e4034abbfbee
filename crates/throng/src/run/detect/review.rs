//! `throng detect review MODEL`: fewer rules of many, as a new model.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::detectors::records::Learnt;
use throng_core::detectors::records::review::{Review, Template, review};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::synth::refuse_existing;
use super::model::TableModel;
use super::table::{LabelledTable, TableReading};
use crate::pending;

/// Which rules are kept, and where they are written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReviewModelRequest {
    /// The model.
    pub model: PathBuf,
    /// The Jaccard coefficient from which on rules are alike.
    pub group: Option<f64>,
    /// The table by whose records rules are alike; up to 1,000 rows of the training table, which the model keeps, without it.
    pub on: Option<PathBuf>,
    /// How it is read.
    pub reading: TableReading,
    /// What the sides of a rule must have: `* -> label=*`.
    pub template: Option<String>,
    /// Whether rules go that a shorter one makes idle.
    pub redundant: bool,
    /// The model to write.
    pub out: PathBuf,
}

/// What is left.
#[derive(Debug, Serialize)]
pub struct ModelReviewed {
    /// The detector.
    pub detector: &'static str,
    /// How many rules there were.
    pub before: usize,
    /// How many there are.
    pub rules: usize,
    /// How many groups of like rules.
    pub groups: Option<usize>,
    /// The first rules, in words.
    pub first: Vec<String>,
}

/// How many rules are shown.
const SHOWN: usize = 20;

/// Reviews the rules of a model and writes what is left.
pub fn review_model(request: &ReviewModelRequest, progress: &dyn Progress) -> Result<ModelReviewed> {
    pending::refuse_stdout(&request.out)?;
    refuse_existing(&request.out)?;
    let asked = Review {
        group: request.group,
        template: request.template.as_deref().map(Template::parse).transpose()?,
        redundant: request.redundant,
    };
    if asked == Review::default() {
        return Err(Error::parameter("review", "does nothing by itself: say what is to be done with the rules")
            .with_hint("`--group 0.7`, `--template \"* -> label=*\"` or `--redundant`"));
    }
    let mut model = TableModel::read(&request.model)?;
    let kept = model.about.sample()?;
    let table = request.on.as_ref().map(|path| LabelledTable::read(path, &request.reading, progress)).transpose()?;
    let label = model.about.label.column.clone();
    let records = table.as_ref().map(|table| &table.records).or(kept.as_ref());
    let left = review(&mut model.learnt, &asked, records, &label)?;
    pending::replace(&request.out, model.text()?.as_bytes(), true)?;
    let first = match &model.learnt {
        Learnt::AssociationRules(model) => model.rules.iter().take(SHOWN).map(|rule| rule.text()).collect(),
        Learnt::ClassificationRules(model) => model.rules.iter().take(SHOWN).map(|rule| rule.text()).collect(),
        Learnt::Svm(_) | Learnt::NeuralNetwork(_) => Vec::new(),
    };
    Ok(ModelReviewed { detector: model.detector(), before: left.before, rules: left.after, groups: left.groups, first })
}
