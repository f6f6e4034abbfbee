//! `throng detect score INPUT --model MODEL`: what a model that was learnt says of data, whatever its detector.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::detectors::files;
use throng_core::detectors::records::RECORD_DETECTORS;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::files::{FileScores, ScoreFilesRequest, score_files};
use super::model::{Head, TableModel};
use super::table::{LabelledTable, TableReading, only};
use crate::catalog;
use crate::words::counted;

/// What to score, and by which model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScoreRequest {
    /// A table; for a model of files, files and folders of files.
    pub input: Vec<PathBuf>,
    /// How a table is read.
    pub reading: TableReading,
    /// The model.
    pub model: PathBuf,
    /// Above what score something is flagged, if not where the model says.
    pub threshold: Option<f64>,
    /// How many bytes a file may have, if not 64 MiB.
    pub largest: Option<u64>,
    /// Whether paths and ids are shown.
    pub show_values: bool,
}

/// What a model says.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Scored {
    /// Of the rows of a table.
    Rows(RowScores),
    /// Of files.
    Files(FileScores),
}

/// The scores of rows.
#[derive(Debug, Serialize)]
pub struct RowScores {
    /// By what.
    pub detector: &'static str,
    /// How many rows there are.
    pub scored: usize,
    /// How many are flagged.
    pub flagged: usize,
    /// The score above which they are.
    pub threshold: f64,
    /// In the order of the table.
    pub scores: Vec<RowScore>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// The score of a row.
#[derive(Debug, Serialize)]
pub struct RowScore {
    /// Where it stands.
    pub line: u64,
    /// How much it is like what is looked for.
    pub score: f64,
    /// Whether it is beyond the threshold.
    pub flag: bool,
}

impl Scored {
    /// By what.
    pub fn detector(&self) -> &'static str {
        match self {
            Self::Rows(rows) => rows.detector,
            Self::Files(files) => files.detector,
        }
    }

    /// How many there are, and how many are flagged.
    pub fn counts(&self) -> (usize, usize) {
        match self {
            Self::Rows(rows) => (rows.scored, rows.flagged),
            Self::Files(files) => (files.scored, files.flagged),
        }
    }

    /// What should be said.
    pub fn notes(&self) -> &[String] {
        match self {
            Self::Rows(rows) => &rows.notes,
            Self::Files(files) => &files.notes,
        }
    }
}

/// Scores data by a model.
pub fn score(request: &ScoreRequest, progress: &dyn Progress) -> Result<Scored> {
    let head = Head::read(&request.model)?;
    // Whose models are not of tables, has a line here.
    let detector = catalog::trained_detector(&head.detector).map_err(|error| {
        error.in_file(request.model.display().to_string()).with_hint("train a model with this version of throng")
    })?;
    match detector.name {
        name if RECORD_DETECTORS.contains(&name) => score_rows(request, progress).map(Scored::Rows),
        name if name == files::INFO.name => score_files(&of_files(request), progress).map(Scored::Files),
        name => Err(Error::refused(format!("a model of `{name}` does not score data by itself"))
            .with_hint(format!("`throng explain {name}` says how it is used"))),
    }
}

fn of_files(request: &ScoreRequest) -> ScoreFilesRequest {
    let usual = ScoreFilesRequest::default();
    ScoreFilesRequest {
        input: request.input.clone(),
        model: request.model.clone(),
        threshold: request.threshold.unwrap_or(usual.threshold),
        largest: request.largest.unwrap_or(usual.largest),
        bad_lines: request.reading.bad_lines,
        show_values: request.show_values,
    }
}

fn score_rows(request: &ScoreRequest, progress: &dyn Progress) -> Result<RowScores> {
    let model = TableModel::read(&request.model)?;
    let table = LabelledTable::read(only(&request.input)?, &request.reading, progress)?;
    let label = &model.about.label.column;
    let (scores, unseen) = model.learnt.scores(&table.records, label).map_err(|error| table.place(error))?;
    let threshold = request.threshold.unwrap_or_else(|| model.learnt.threshold());
    let lines = table.records.lines.iter();
    let scores: Vec<RowScore> =
        lines.zip(scores).map(|(&line, score)| RowScore { line, score, flag: score > threshold }).collect();
    let mut notes = table.notes;
    if unseen > 0 {
        notes.push(format!("{} a value that no training row had", counted(unseen, "cell has", "cells have")));
    }
    Ok(RowScores {
        detector: model.detector(),
        scored: scores.len(),
        flagged: scores.iter().filter(|score| score.flag).count(),
        threshold,
        scores,
        notes,
    })
}
