//! `throng detect`: what is out of place in data, and how right detectors are.

mod shills;

pub use shills::{
    DetectedTarget, DetectorOutcome, ShillScore, ShillScores, ShillsEvaluated, ShillsRequest, evaluate_shills,
    score_shills,
};
