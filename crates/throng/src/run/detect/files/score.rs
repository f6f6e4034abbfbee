//! `throng detect score` with a model of files.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::corpus::notes;
use super::model::{DETECTOR, FilesModel};
use crate::io::{BadLines, ByteFileOptions, ByteFiles};

/// Which files to score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScoreFilesRequest {
    /// Files, and folders of files.
    pub input: Vec<PathBuf>,
    /// The model.
    pub model: PathBuf,
    /// Above what score a file is flagged.
    pub threshold: f64,
    /// How many bytes a file may have.
    pub largest: u64,
    /// Whether to stop at a file that cannot be read.
    pub bad_lines: BadLines,
    /// Whether paths are shown.
    pub show_values: bool,
}

impl Default for ScoreFilesRequest {
    fn default() -> Self {
        Self {
            input: Vec::new(),
            model: PathBuf::new(),
            threshold: 0.0,
            largest: 64 << 20,
            bad_lines: BadLines::Fail,
            show_values: false,
        }
    }
}

/// The scores of files.
#[derive(Debug, Serialize)]
pub struct FileScores {
    /// By what.
    pub detector: &'static str,
    /// How many files there are.
    pub scored: usize,
    /// How many are flagged.
    pub flagged: usize,
    /// In the order of their hashes.
    pub scores: Vec<FileScore>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// The score of a file.
#[derive(Debug, Serialize)]
pub struct FileScore {
    /// The SHA-256 of its bytes.
    pub sha256: String,
    /// Where it is; only if that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How far on the positive side it is.
    pub score: f64,
    /// Whether it is beyond the threshold.
    pub flag: bool,
}

/// Scores files.
pub fn score_files(request: &ScoreFilesRequest, progress: &dyn Progress) -> Result<FileScores> {
    let model = FilesModel::read(&request.model)?;
    let options = ByteFileOptions { largest: request.largest, bad: request.bad_lines };
    let files = ByteFiles::below(&request.input, options, progress)?;
    if files.files.is_empty() && files.skipped == 0 {
        let place = request.input.first().map_or_else(String::new, |place| place.display().to_string());
        return Err(Error::data("there is no file in it")
            .in_file(place)
            .with_hint("name files, or folders that have some"));
    }
    let scores = if files.files.is_empty() { Vec::new() } else { model.machine.scores(&model.rows(&files, progress)?) };
    let scores: Vec<FileScore> = files
        .files
        .iter()
        .zip(scores)
        .map(|(file, score)| FileScore {
            sha256: file.sha256.clone(),
            path: request.show_values.then(|| file.path.display().to_string()),
            score,
            flag: score > request.threshold,
        })
        .collect();
    Ok(FileScores {
        detector: DETECTOR,
        scored: scores.len(),
        flagged: scores.iter().filter(|score| score.flag).count(),
        scores,
        notes: notes(&files, model.n),
    })
}
