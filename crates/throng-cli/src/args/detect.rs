//! What can be typed after `throng detect`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use throng::io::BadLines;
use throng::kinds::Ask;
use throng::run::{
    EvaluateModelsRequest, EvaluateProfilesRequest, MachineSettings, ReviewModelRequest, RuleSettings, ScoreRequest,
    ShillsRequest, TableReading, TrainFilesRequest, TrainTableRequest,
};
use throng_core::detectors::profiles;
use throng_core::learn::svm::{KernelName, Scaling};
use throng_core::{Error, Result};

use super::detect_files::{DetectAcquire, ExperimentArgs, FilesArgs, FilesExperiment, size};
use super::profile::ProfileTrial;
use super::recommend::{RatingsArgs, RatingsReading};
use super::role_and_column;

#[derive(Debug, Args)]
pub(crate) struct DetectArgs {
    #[command(subcommand)]
    pub(crate) command: DetectCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DetectCommand {
    /// Learn from labelled data what is out of place: a model file
    #[command(after_help = "Examples:\n  \
        throng detect train --detector svm train.csv --label class --positive-label attack --out model.json\n  \
        throng detect train --detector files --positive bad --negative good --out model.json\n  \
        throng detect score today.csv --model model.json --json\n\n\
        The model is JSON. It holds rows of the training data, and is as secret as they are. Files of KDD Cup 1999 need no --label; \
        whatever is not `normal` in them is positive.")]
    Train(Box<DetectTrain>),
    /// How much everything is out of place: everybody in ratings, or whatever a model was learnt for. Exit 0; with --alarm 1 if anything is flagged
    #[command(after_help = "Examples:\n  \
        throng detect score ratings.csv\n  \
        throng detect score u.data --detector twins --json\n  \
        throng detect score today.csv --model model.json\n\n\
        `throng list detectors` shows what there is, `throng explain crowd-fit` says what it does.")]
    Score(DetectScore),
    /// Fewer rules of many: like ones together, those of a form, or without those that shorter ones make idle
    #[command(after_help = "Examples:\n  \
        throng detect review rules.json --redundant --out fewer.json\n  \
        throng detect review rules.json --template \"* -> label=*\" --out labels.json\n  \
        throng detect review rules.json --group 0.7 --out grouped.json")]
    Review(DetectReview),
    /// Which files of a stream somebody should look at, in order
    #[command(after_help = "Examples:\n  \
        throng detect acquire incoming --model model.json --budget 15\n  \
        throng detect acquire incoming --model model.json --budget 5 --strategy error-reduction --positive bad --negative good\n\n\
        Files that the model learnt from are known by their SHA-256, counted, and never named.")]
    Acquire(DetectAcquire),
    /// How right detectors are where labels say what is true: of ratings, of models side by side, of files by the paper's experiments; and how well profiles tell persons apart
    #[command(after_help = "Examples:\n  \
        throng detect evaluate svm.json rules.json test.csv\n  \
        throng shill inject ratings.csv --attack average --target 242 --whole --out poisoned.csv --labels labels.csv\n  \
        throng detect evaluate poisoned.csv --labels labels.csv\n  \
        throng detect evaluate --detector files --positive bad --negative good --table 1\n  \
        throng detect evaluate --detector files --positive bad --negative good --days 10 --daily 100 --budget 15\n  \
        throng detect evaluate --detector profiles searches.tsv\n\n\
        profiles: the first half of the lines of everybody with at least 40 is compared with everybody's second half.")]
    Evaluate(Box<DetectEvaluate>),
}

#[derive(Debug, Args)]
pub(crate) struct DetectTrain {
    /// A labelled table, in any format with rows; files: a CSV `path,label` with positive or negative, instead of two folders
    #[arg(required_unless_present = "positive")]
    pub(crate) input: Option<PathBuf>,
    /// Which detector learns
    #[arg(long, value_name = "NAME")]
    pub(crate) detector: String,
    /// The column that says what is true
    #[arg(long, value_name = "COLUMN")]
    pub(crate) label: Option<String>,
    /// What it says of the rows that are to be found
    #[arg(long, value_name = "V")]
    pub(crate) positive_label: Option<String>,
    /// What it says of rows in order: all others are to be found then
    #[arg(long, value_name = "V", conflicts_with = "positive_label")]
    pub(crate) normal_label: Option<String>,
    /// Neural network: how many cells are hidden
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) hidden: usize,
    /// The same seed learns the same
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The model to write
    #[arg(long, value_name = "MODEL")]
    pub(crate) out: PathBuf,
    /// The format of the table, if it is not what it looks like
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// The first line is a row; columns have numbers for names then, from 1
    #[arg(long)]
    pub(crate) no_header: bool,
    /// Malformed lines, and files that cannot be read or are too long: stop, or leave them out and count them
    #[arg(long, value_name = "WHAT", value_parser = ["fail", "skip"], default_value = "fail")]
    pub(crate) bad_lines: String,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// Features with mean 0 and deviation 1, or as they are
    #[arg(long, value_name = "HOW", value_parser = ["standard", "none"], default_value = "standard", help_heading = "Support vector machine")]
    pub(crate) scale: String,
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    /// files: write the n-grams of the ranks, `rank,gram,files`
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub(crate) grams: Option<PathBuf>,
    /// files: write the features of the training files, unscaled, `sha256,label,…`
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub(crate) vectors: Option<PathBuf>,
}

/// How a support vector machine learns, but for the scale.
#[derive(Debug, Args)]
#[command(next_help_heading = "Support vector machine")]
pub(crate) struct MachineArgs {
    /// linear x'z, poly (gamma x'z)^degree or rbf exp(-gamma |x - z|^2)
    #[arg(long, value_name = "NAME", value_parser = ["linear", "poly", "rbf"], default_value = "rbf")]
    pub(crate) kernel: String,
    /// What an example on the wrong side costs
    #[arg(long, value_name = "C", default_value_t = 100.0, allow_negative_numbers = true)]
    pub(crate) cost: f64,
    /// The factor of the kernel [default: 1/(2 sigma^2)]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    pub(crate) gamma: Option<f64>,
    /// What distance is near [default: the median of 1,000 pairs of examples]
    #[arg(long, value_name = "D", allow_negative_numbers = true, conflicts_with = "gamma")]
    pub(crate) sigma: Option<f64>,
    /// The power of poly
    #[arg(long, value_name = "P", default_value_t = 2)]
    pub(crate) degree: u32,
    /// How much the conditions of the best may be missed by
    #[arg(long, value_name = "T", default_value_t = 0.001, allow_negative_numbers = true)]
    pub(crate) tolerance: f64,
    /// What kept rows of the kernel may take: 256M, 2G
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
}

/// How association rules are found.
#[derive(Debug, Args)]
#[command(next_help_heading = "Association rules")]
pub(crate) struct RuleArgs {
    /// The share of records with all items of a rule, at least
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, allow_negative_numbers = true)]
    pub(crate) support: f64,
    /// The share of records with the left side that have the right side, at least
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, allow_negative_numbers = true)]
    pub(crate) confidence: f64,
    /// How many items a rule has, at most
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) most_items: usize,
    /// Learn from the rows in order alone, without their label: what breaks the rules is an anomaly
    #[arg(long)]
    pub(crate) only_normal: bool,
    /// Look for events that follow each other within this time, too: 2s
    #[arg(long, value_name = "SPAN", requires = "column")]
    pub(crate) window: Option<String>,
    /// For --window: the column with seconds, time=COLUMN, and the one that says what happened, event=COLUMN [default: the label]
    #[arg(long, value_name = "ROLE=COLUMN", num_args = 1.., value_parser = role_and_column)]
    pub(crate) column: Vec<String>,
}

impl RuleArgs {
    pub(crate) fn settings(&self) -> Result<RuleSettings> {
        let (mut time, mut event) = (None, None);
        for text in &self.column {
            match text.split_once('=') {
                Some(("time", column)) => time = Some(column.to_owned()),
                Some(("event", column)) => event = Some(column.to_owned()),
                _ => {
                    return Err(Error::parameter("column", "gives another role than time or event")
                        .with_hint("for example `--column time=when`"));
                }
            }
        }
        let window = self.window.as_deref().map(|text| throng::parameters::span("window", text)).transpose()?;
        let window = window.map(|seconds| seconds as f64);
        Ok(RuleSettings {
            support: self.support,
            confidence: self.confidence,
            most_items: self.most_items,
            only_normal: self.only_normal,
            window,
            time,
            event,
        })
    }
}

impl MachineArgs {
    pub(crate) fn settings(&self, scale: Option<&str>) -> Result<MachineSettings> {
        let usual = MachineSettings::default();
        let memory = self.memory.as_deref().map(throng::memory::parse).transpose()?;
        Ok(MachineSettings {
            kernel: match self.kernel.as_str() {
                "linear" => KernelName::Linear,
                "poly" => KernelName::Poly,
                _ => KernelName::Rbf,
            },
            cost: self.cost,
            gamma: self.gamma,
            sigma: self.sigma,
            degree: self.degree,
            tolerance: self.tolerance,
            scale: match scale {
                Some("none") => Scaling::None,
                None | Some("standard") => Scaling::Standard,
                Some(_) => return Err(Error::parameter("scale", "of a machine is `standard` or `none`")),
            },
            memory: memory.map_or(usual.memory, |bytes| bytes as usize),
        })
    }
}

impl DetectTrain {
    /// Whether it is about files.
    pub(crate) fn is_files(&self) -> bool {
        self.detector == "files"
    }

    /// The files to learn from.
    pub(crate) fn files(&self) -> Result<TrainFilesRequest> {
        Ok(TrainFilesRequest {
            files: self.files.labelled(self.input.clone(), &self.bad_lines)?,
            settings: self.files.settings()?,
            machine: self.machine.settings(Some(&self.scale))?,
            out: self.out.clone(),
            grams: self.grams.clone(),
            vectors: self.vectors.clone(),
            seed: self.seed,
        })
    }

    pub(crate) fn request(&self) -> Result<TrainTableRequest> {
        let input = self.input.clone().ok_or_else(|| {
            Error::parameter(
                "detector",
                format!("`{}` learns from a table, and folders of files are named", self.detector),
            )
            .with_hint("name the table, or use `--detector files`")
        })?;
        Ok(TrainTableRequest {
            detector: self.detector.clone(),
            input,
            reading: TableReading {
                format: self.format.clone(),
                no_header: self.no_header,
                bad_lines: if self.bad_lines == "skip" { BadLines::Skip } else { BadLines::Fail },
            },
            label: self.label.clone(),
            positive_label: self.positive_label.clone(),
            normal_label: self.normal_label.clone(),
            machine: self.machine.settings(Some(&self.scale))?,
            rules: self.rules.settings()?,
            hidden: Some(self.hidden),
            seed: self.seed,
            out: self.out.clone(),
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct DetectScore {
    #[command(flatten)]
    pub(crate) ratings: RatingsArgs,
    /// By what [default: crowd-fit]
    #[arg(long, value_name = "NAME", conflicts_with = "model")]
    pub(crate) detector: Option<String>,
    /// A model that `throng detect train` wrote: FILE is what it was learnt for then
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,
    /// With --model: above what score something is flagged [default: where the model says]
    #[arg(long, value_name = "X", requires = "model", allow_negative_numbers = true)]
    pub(crate) threshold: Option<f64>,
    /// With --model, of files: how long a file may be [default: 64M]
    #[arg(long, value_name = "SIZE", requires = "model")]
    pub(crate) largest: Option<String>,
    /// Exit 1 if anybody is flagged
    #[arg(long)]
    pub(crate) alarm: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DetectReview {
    /// A model of association-rules or classification-rules
    pub(crate) model: PathBuf,
    /// Number groups of rules that cover the same records to this Jaccard coefficient and say the same
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) group: Option<f64>,
    /// For --group: a table of such records [default: up to 1,000 training rows that the model keeps]
    #[arg(long, value_name = "TABLE", requires = "group")]
    pub(crate) on: Option<PathBuf>,
    /// Keep rules with these items on their sides; * is anything: "service=* -> label=*"
    #[arg(long, value_name = "LEFT -> RIGHT")]
    pub(crate) template: Option<String>,
    /// Drop rules whose shorter parent is at least as good
    #[arg(long)]
    pub(crate) redundant: bool,
    /// The model to write
    #[arg(long, value_name = "MODEL")]
    pub(crate) out: PathBuf,
}

impl DetectReview {
    pub(crate) fn request(&self) -> ReviewModelRequest {
        ReviewModelRequest {
            model: self.model.clone(),
            group: self.group,
            on: self.on.clone(),
            reading: TableReading::default(),
            template: self.template.clone(),
            redundant: self.redundant,
            out: self.out.clone(),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DetectEvaluate {
    /// Ratings; or models that `throng detect train` wrote, and a labelled table that they have not seen; for files a CSV `path,label` instead of two folders
    #[arg(required_unless_present = "positive", value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Of ratings: a CSV `user,label` with `genuine` or `shill` for everybody, as `throng shill inject` makes it
    #[arg(long, value_name = "LABELS")]
    pub(crate) labels: Option<PathBuf>,
    /// Of ratings: which detectors, or all; or `files`; or profiles, for searches and visits
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_value = "all")]
    pub(crate) detector: Vec<String>,
    /// Of models: above what score a row is flagged [default: where each model says]
    #[arg(long, value_name = "X", allow_negative_numbers = true, conflicts_with = "labels")]
    pub(crate) threshold: Option<f64>,
    /// Of models: refuse a table with rows of a training table
    #[arg(long, conflicts_with = "labels")]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) reading: RatingsReading,
    #[command(flatten)]
    trial: ProfileTrial,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    #[command(flatten)]
    pub(crate) experiment: ExperimentArgs,
}

impl RatingsReading {
    /// The same for a table that a model looks at.
    fn of_table(&self) -> TableReading {
        TableReading {
            format: self.format.clone(),
            no_header: self.no_header,
            bad_lines: if self.bad_lines == "skip" { BadLines::Skip } else { BadLines::Fail },
        }
    }
}

impl DetectScore {
    /// What is to be scored by a model, if one is named.
    pub(crate) fn by_model(&self, show_values: bool) -> Result<Option<ScoreRequest>> {
        let Some(model) = self.model.clone() else { return Ok(None) };
        Ok(Some(ScoreRequest {
            model,
            input: vec![self.ratings.file.clone()],
            reading: self.ratings.reading.of_table(),
            threshold: self.threshold,
            largest: self.largest.as_deref().map(|text| size("largest", text)).transpose()?,
            show_values,
        }))
    }

    pub(crate) fn request(&self, show_values: bool) -> Result<ShillsRequest> {
        Ok(ShillsRequest {
            ratings: self.ratings.file()?,
            detectors: self.detector.clone().into_iter().collect(),
            show_values,
        })
    }
}

impl DetectEvaluate {
    /// On what profiles are to be tried, if they are.
    pub(crate) fn of_profiles(&self) -> Result<Option<EvaluateProfilesRequest>> {
        if self.detector != [profiles::INFO.name] {
            return Ok(None);
        }
        if self.labels.is_some() {
            return Err(Error::parameter(
                "labels",
                "is for made-up profiles in ratings: halves of lines say who is who",
            ));
        }
        let log =
            self.inputs.first().ok_or_else(|| Error::parameter("detector", "`profiles` needs a log to look at"))?;
        let options = self.reading.of(log)?.options;
        let ask = Ask {
            format: options.format,
            delimiter: options.delimiter,
            encoding: options.encoding,
            no_header: options.no_header,
            columns: options.columns,
            time_format: options.time_format,
            bad_lines: options.bad_lines,
            ..Ask::default()
        };
        Ok(Some(self.trial.request(&self.inputs, ask)))
    }

    pub(crate) fn request(&self) -> Result<ShillsRequest> {
        let [ratings] = &self.inputs[..] else {
            return Err(Error::parameter("labels", "are those of one file of ratings, and several are named"));
        };
        Ok(ShillsRequest { ratings: self.reading.of(ratings)?, detectors: self.detector.clone(), show_values: false })
    }

    /// Which models to judge, and on what.
    pub(crate) fn models(&self) -> Result<EvaluateModelsRequest> {
        let [models @ .., test] = &self.inputs[..] else {
            return Err(Error::parameter("models", "are not named"));
        };
        if models.is_empty() {
            return Err(Error::parameter("labels", "are not given, and neither is a model")
                .with_hint("of ratings `--labels LABELS`; of models `throng detect evaluate MODEL… TEST`"));
        }
        Ok(EvaluateModelsRequest {
            models: models.to_vec(),
            test: test.clone(),
            reading: self.reading.of_table(),
            threshold: self.threshold,
            strict: self.strict,
        })
    }

    /// Whether it is about files.
    pub(crate) fn is_files(&self) -> bool {
        self.detector == ["files"]
    }

    /// The experiment with files.
    pub(crate) fn experiment(&self) -> Result<FilesExperiment> {
        let list = match &self.inputs[..] {
            [] => None,
            [list] => Some(list.clone()),
            _ => return Err(Error::parameter("detector", "`files` takes one list of files, or two folders")),
        };
        self.experiment.request(
            self.files.labelled(list, &self.reading.bad_lines)?,
            self.files.settings()?,
            self.machine.settings(self.reading.scale.as_deref())?,
            self.trial.seed,
        )
    }
}
