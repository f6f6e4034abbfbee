//! What can be typed after `throng detect`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use throng::run::ShillsRequest;
use throng_core::Result;

use super::recommend::RatingsArgs;

#[derive(Debug, Args)]
pub(crate) struct DetectArgs {
    #[command(subcommand)]
    pub(crate) command: DetectCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DetectCommand {
    /// How much everybody in ratings is out of place, and who is flagged. Exit 0; with --alarm 1 if anybody is
    #[command(after_help = "Examples:\n  \
        throng detect score ratings.csv\n  \
        throng detect score u.data --detector twins --json\n\n\
        `throng list detectors` shows what there is, `throng explain crowd-fit` says what it does.")]
    Score(DetectScore),
    /// How right detectors are where labels say who is made up
    #[command(after_help = "Example:\n  \
        throng shill inject ratings.csv --attack average --target 242 --whole --out poisoned.csv --labels labels.csv\n  \
        throng detect evaluate poisoned.csv --labels labels.csv")]
    Evaluate(DetectEvaluate),
}

#[derive(Debug, Args)]
pub(crate) struct DetectScore {
    #[command(flatten)]
    pub(crate) ratings: RatingsArgs,
    /// By what [default: crowd-fit]
    #[arg(long, value_name = "NAME")]
    pub(crate) detector: Option<String>,
    /// Exit 1 if anybody is flagged
    #[arg(long)]
    pub(crate) alarm: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DetectEvaluate {
    #[command(flatten)]
    pub(crate) ratings: RatingsArgs,
    /// A CSV `user,label` with `genuine` or `shill` for everybody, as `throng shill inject` makes it
    #[arg(long, value_name = "LABELS")]
    pub(crate) labels: PathBuf,
    /// Which detectors, or all
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_value = "all")]
    pub(crate) detector: Vec<String>,
}

impl DetectScore {
    pub(crate) fn request(&self, show_values: bool) -> Result<ShillsRequest> {
        Ok(ShillsRequest {
            ratings: self.ratings.file()?,
            detectors: self.detector.clone().into_iter().collect(),
            show_values,
        })
    }
}

impl DetectEvaluate {
    pub(crate) fn request(&self) -> Result<ShillsRequest> {
        Ok(ShillsRequest { ratings: self.ratings.file()?, detectors: self.detector.clone(), show_values: false })
    }
}
