//! Detector `files`: learns from labelled files which others are like them, by n-grams of bytes and a support vector machine; chooses the files
//! of a stream that somebody should look at; and repeats the experiments of the paper on one's own folders.
//!
//! `corpus` reads labelled files, `train` learns a model, `model` is its file, `score` and `acquire` use it, `evaluate`, `experiment` and `days`
//! are the paper's tables.

mod acquire;
mod corpus;
mod days;
mod evaluate;
mod experiment;
mod model;
mod score;
mod train;

use serde::{Deserialize, Serialize};
use throng_core::detectors::files::selection::{Representation, Selection};
use throng_core::detectors::files::{check_length, ranking};
use throng_core::{Error, Result};

use super::MachineSettings;

pub use acquire::{AcquireRequest, Acquired, AcquiredFile, acquire};
pub use corpus::LabelledFiles;
pub use days::{DaysOutcome, DaysRequest, StrategyOutcome, evaluate_days};
pub use evaluate::{FilesTable, FilesTableRequest, KernelOutcome, evaluate_table};
pub use experiment::{FilesGridOutcome, FilesGridRequest, run_experiment};
pub use score::{FileScore, FileScores, ScoreFilesRequest, score_files};
pub use train::{FilesTrained, TrainFilesRequest, train_files};

/// The most n-grams that a list has: one byte of each of their counts is kept for each file.
const LONGEST_LIST: usize = 1_000_000;

/// How files are looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FilesSettings {
    /// How many bytes an n-gram has.
    pub n: usize,
    /// What a feature is.
    pub represent: Representation,
    /// Which ranks by document frequency are looked at, the first and the last: `1..5500`.
    pub top: String,
    /// What features are chosen by.
    pub select: Selection,
    /// How many.
    pub features: usize,
}

impl Default for FilesSettings {
    fn default() -> Self {
        Self {
            n: 5,
            represent: Representation::Tf,
            top: "1..5500".to_owned(),
            select: Selection::Fisher,
            features: 300,
        }
    }
}

impl FilesSettings {
    /// The places in the list, from 0.
    pub(super) fn range(&self) -> Result<std::ops::Range<usize>> {
        check_length(self.n)?;
        if self.features == 0 {
            return Err(Error::parameter("features", "is 0, but at least one is needed to tell files apart"));
        }
        let ranks = self
            .top
            .split_once("..")
            .and_then(|(first, last)| Some((first.trim().parse::<usize>().ok()?, last.trim().parse::<usize>().ok()?)));
        match ranks {
            Some((first, last)) if first >= 1 && last >= first && last <= LONGEST_LIST => Ok(first - 1..last),
            _ => Err(Error::parameter(
                "top",
                format!("is `{}`, but must be the first and the last rank of at most {LONGEST_LIST}", self.top),
            )
            .with_hint("for example `--top 1..5500` or `--top 1001..6500`")),
        }
    }
}

/// The n-grams of a list.
fn grams_of(list: &[ranking::Ranked]) -> Vec<u64> {
    list.iter().map(|ranked| ranked.gram).collect()
}
