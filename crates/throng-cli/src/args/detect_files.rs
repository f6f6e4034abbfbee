//! What can be typed after `throng detect` for files.

use std::path::PathBuf;

use clap::Args;
use serde::de::DeserializeOwned;
use throng::io::BadLines;
use throng::run::{
    AcquireRequest, DaysRequest, FilesGridRequest, FilesSettings, FilesTableRequest, LabelledFiles, MachineSettings,
};
use throng_core::{Error, Result};

/// Files with their classes, and how they are looked at.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub(crate) struct FilesArgs {
    /// files: the folder of the positive (malicious) ones; everything below it, links not followed
    #[arg(long, value_name = "DIR")]
    pub(crate) positive: Option<PathBuf>,
    /// files: the folder of the negative (benign) ones
    #[arg(long, value_name = "DIR")]
    pub(crate) negative: Option<PathBuf>,
    /// files: how long a file may be
    #[arg(long, value_name = "SIZE", default_value = "64M")]
    pub(crate) largest: String,
    /// files: how many bytes an n-gram has, 3 to 6
    #[arg(long = "n", value_name = "N", default_value_t = 5)]
    pub(crate) n: usize,
    /// files: what a feature is, the frequency of an n-gram or that with the inverse document frequency
    #[arg(long, value_name = "HOW", value_parser = ["tf", "tfidf"], default_value = "tf")]
    pub(crate) represent: String,
    /// files: which ranks by document frequency are looked at
    #[arg(long, value_name = "FIRST..LAST", default_value = "1..5500")]
    pub(crate) top: String,
    /// files: what features are chosen by
    #[arg(long, value_name = "BY", value_parser = ["fisher", "gain-ratio", "information-gain", "df"], default_value = "fisher")]
    pub(crate) select: String,
    /// files: how many features are chosen
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(crate) features: usize,
}

impl FilesArgs {
    /// Where the labelled files are.
    pub(crate) fn labelled(&self, list: Option<PathBuf>, bad_lines: &str) -> Result<LabelledFiles> {
        Ok(LabelledFiles {
            positive: self.positive.clone(),
            negative: self.negative.clone(),
            train: list,
            largest: size("largest", &self.largest)?,
            bad_lines: bad(bad_lines),
        })
    }

    /// How they are looked at.
    pub(crate) fn settings(&self) -> Result<FilesSettings> {
        Ok(FilesSettings {
            n: self.n,
            represent: choice(&self.represent)?,
            top: self.top.clone(),
            select: choice(&self.select)?,
            features: self.features,
        })
    }
}

/// Which of the paper's experiments.
#[derive(Debug, Args)]
#[command(next_help_heading = "Experiments with files")]
pub(crate) struct ExperimentArgs {
    /// files: the paper's table of this number: 1, how right the three kernels are
    #[arg(long, value_name = "N", value_parser = ["1"], conflicts_with_all = ["experiment", "days"])]
    pub(crate) table: Option<String>,
    /// files: the paper's experiment of this number: 1, all 1,536 ways of looking at files
    #[arg(long, value_name = "N", value_parser = ["1"], requires = "out", conflicts_with = "days")]
    pub(crate) experiment: Option<String>,
    /// --experiment: the table to write, a line a run; two pictures beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// files: what is gained in so many days by looking at a few files of a stream
    #[arg(long, value_name = "N", requires = "daily", requires = "budget")]
    pub(crate) days: Option<usize>,
    /// --days: how many new files a day
    #[arg(long, value_name = "N")]
    pub(crate) daily: Option<usize>,
    /// --days: how many of them somebody looks at
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
    /// --days: how many files are known on the first day
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) known: usize,
    /// --days: the simple margin takes files that are not like one another
    #[arg(long)]
    pub(crate) diverse: bool,
    /// --days: where the curves are to be drawn, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,
    /// files: into how many parts they are cut, each of which is tested once
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) folds: usize,
}

/// What `evaluate` does with files.
#[derive(Debug)]
pub(crate) enum FilesExperiment {
    Table(FilesTableRequest),
    Grid(FilesGridRequest),
    Days(DaysRequest),
}

impl ExperimentArgs {
    /// The request that was typed; table 1 if none was named.
    pub(crate) fn request(
        &self,
        files: LabelledFiles,
        settings: FilesSettings,
        machine: MachineSettings,
        seed: u64,
    ) -> Result<FilesExperiment> {
        Ok(match (&self.experiment, &self.out, self.days) {
            (Some(_), Some(out), _) => {
                FilesExperiment::Grid(FilesGridRequest { files, machine, out: out.clone(), seed })
            }
            (_, _, Some(days)) => FilesExperiment::Days(DaysRequest {
                files,
                settings,
                machine,
                days,
                daily: self.daily.unwrap_or_default(),
                budget: self.budget.unwrap_or_default(),
                known: self.known,
                diverse: self.diverse,
                folds: self.folds,
                chart: self.chart.clone(),
                seed,
            }),
            _ => FilesExperiment::Table(FilesTableRequest { files, settings, machine, folds: self.folds, seed }),
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct DetectAcquire {
    /// Files, and folders of files
    #[arg(required = true, value_name = "STREAM")]
    pub(crate) stream: Vec<PathBuf>,
    /// A model that `throng detect train --detector files` wrote
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// How many files somebody has time for
    #[arg(long, value_name = "N", required_unless_present = "margin")]
    pub(crate) budget: Option<usize>,
    /// The nearest to the border, those whose class would teach the most, or any
    #[arg(long, value_name = "HOW", value_parser = ["simple-margin", "error-reduction", "random"], default_value = "simple-margin")]
    pub(crate) strategy: String,
    /// simple-margin: files that are not like one another
    #[arg(long)]
    pub(crate) diverse: bool,
    /// simple-margin: all files with a score between -1 and 1, however many
    #[arg(long, conflicts_with = "budget")]
    pub(crate) margin: bool,
    /// error-reduction: the folder of the positive files that the model learnt from
    #[arg(long, value_name = "DIR", requires = "negative")]
    pub(crate) positive: Option<PathBuf>,
    /// error-reduction: the folder of the negative ones
    #[arg(long, value_name = "DIR", requires = "positive")]
    pub(crate) negative: Option<PathBuf>,
    /// error-reduction: or a CSV `path,label` of them
    #[arg(long, value_name = "FILE", conflicts_with = "positive")]
    pub(crate) train: Option<PathBuf>,
    /// How long a file may be
    #[arg(long, value_name = "SIZE", default_value = "64M")]
    pub(crate) largest: String,
    /// Files that cannot be read or are too long: stop, or leave them out and count them
    #[arg(long, value_name = "WHAT", value_parser = ["fail", "skip"], default_value = "fail")]
    pub(crate) bad_lines: String,
    /// Repeat the same run: the same seed draws the same files
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

impl DetectAcquire {
    pub(crate) fn request(&self, show_values: bool) -> Result<AcquireRequest> {
        Ok(AcquireRequest {
            stream: self.stream.clone(),
            model: self.model.clone(),
            files: LabelledFiles {
                positive: self.positive.clone(),
                negative: self.negative.clone(),
                train: self.train.clone(),
                largest: size("largest", &self.largest)?,
                bad_lines: bad(&self.bad_lines),
            },
            budget: self.budget.unwrap_or_default(),
            strategy: choice(&self.strategy)?,
            diverse: self.diverse,
            margin: self.margin,
            seed: self.seed,
            show_values,
        })
    }
}

/// Whether files that cannot be read are left out.
fn bad(word: &str) -> BadLines {
    if word == "skip" { BadLines::Skip } else { BadLines::Fail }
}

/// A number of bytes.
pub(crate) fn size(flag: &str, text: &str) -> Result<u64> {
    throng::memory::parse(text).map_err(|_| {
        Error::parameter(flag, format!("is `{text}`, but must be a number of bytes"))
            .with_hint(format!("for example `--{flag} 64M`"))
    })
}

/// One of some words, which the command line has checked already.
fn choice<T: DeserializeOwned>(word: &str) -> Result<T> {
    serde_json::from_value(word.into()).map_err(|cause| Error::internal(cause.to_string()))
}
