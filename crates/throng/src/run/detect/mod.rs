//! `throng detect`: what is out of place in data, and how right detectors are.
//!
//! `shills` looks at ratings as they are. The others learn first: `train` from a labelled `table`, whose `model` is a file; `score` takes the
//! model of any detector.

mod evaluate;
mod files;
mod machine;
mod model;
mod review;
mod score;
mod shills;
mod table;
mod train;

pub use evaluate::{EvaluateModelsRequest, ModelQuality, ModelsEvaluated, evaluate_models};
pub use files::{
    AcquireRequest, Acquired, AcquiredFile, DaysOutcome, DaysRequest, FileScore, FileScores, FilesGridOutcome,
    FilesGridRequest, FilesSettings, FilesTable, FilesTableRequest, FilesTrained, KernelOutcome, LabelledFiles,
    ScoreFilesRequest, StrategyOutcome, TrainFilesRequest, acquire, evaluate_days, evaluate_table, run_experiment,
    score_files, train_files,
};
pub use machine::MachineSettings;
pub use review::{ModelReviewed, ReviewModelRequest, review_model};
pub use score::{RowScore, RowScores, ScoreRequest, Scored, score};
pub use shills::{
    DetectedTarget, DetectorOutcome, ShillScore, ShillScores, ShillsEvaluated, ShillsRequest, evaluate_shills,
    score_shills,
};
pub use table::TableReading;
pub use train::{RuleSettings, TableTrained, TrainTableRequest, train_table};
