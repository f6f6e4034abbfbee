//! `throng detect evaluate --detector files --days N`: what a person gains who looks at a few files of each day's stream (the paper's second
//! experiment, Tables 2 and 3).
//!
//! # How
//! A fold of the files is only tested on. Of the rest some are known with their classes, as many of each class as there are in all; the others arrive as new
//! files, so many a day, and with them a third as many that are known. Each day the detector learns anew, features included, chooses files
//! by a strategy, and is told their classes. Every strategy has the same days. Numbers are means over the folds.
//! n-grams are listed once, over all files and without looking at classes; a known file is recognised by its hash and never acquired, so precision
//! is 1 wherever anything was acquired: the paper's learner had no such list.

use std::path::PathBuf;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use throng_core::detectors::files::acquisition::{self, MOST_CANDIDATES, Strategy};
use throng_core::detectors::files::assessment::{Asked, Confusion};
use throng_core::learn::svm::{ScaledSvm, SvmParams};
use throng_core::progress::{Progress, Quiet};
use throng_core::{Error, Result, Rng};

use super::super::super::synth::refuse_existing;
use super::acquire::{Known, diverse};
use super::corpus::{Corpus, Counted};
use super::evaluate::fold_of;
use super::{FilesSettings, LabelledFiles, MachineSettings};
use crate::pending;
use crate::report::chart::{Chart, Series, Shape};

/// What to try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DaysRequest {
    /// The files.
    pub files: LabelledFiles,
    /// How they are looked at.
    pub settings: FilesSettings,
    /// How is learnt.
    pub machine: MachineSettings,
    /// How many days.
    pub days: usize,
    /// How many new files a day.
    pub daily: usize,
    /// How many of them are looked at.
    pub budget: usize,
    /// How many files are known on the first day.
    pub known: usize,
    /// Whether the simple margin takes files that are not like one another.
    pub diverse: bool,
    /// Into how many parts the files are cut.
    pub folds: usize,
    /// Where the curves are to be drawn.
    pub chart: Option<PathBuf>,
    /// Of everything that is drawn.
    pub seed: u64,
}

impl Default for DaysRequest {
    fn default() -> Self {
        Self {
            files: LabelledFiles::default(),
            settings: FilesSettings::default(),
            machine: MachineSettings::default(),
            days: 10,
            daily: 100,
            budget: 10,
            known: 100,
            diverse: false,
            folds: 5,
            chart: None,
            seed: 0,
        }
    }
}

/// The paper's Tables 2 and 3.
#[derive(Debug, Serialize)]
pub struct DaysOutcome {
    /// How many days.
    pub days: usize,
    /// How many new files a day.
    pub daily: usize,
    /// How many of them were looked at.
    pub budget: usize,
    /// How many files were known on the first day.
    pub known: usize,
    /// How many parts.
    pub folds: usize,
    /// How many files there were.
    pub files: usize,
    /// How many of them positive.
    pub positives: usize,
    /// How files were looked at.
    pub settings: FilesSettings,
    /// How was learnt.
    pub machine: MachineSettings,
    /// One a strategy.
    pub strategies: Vec<StrategyOutcome>,
    /// The accuracy over the days.
    pub curves: Chart,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// How well files were asked for: means over the folds.
#[derive(Debug, Clone, Serialize)]
pub struct StrategyOutcome {
    /// `simple-margin`, `error-reduction`, `random` or `everything`.
    pub strategy: &'static str,
    /// Eq 14: the share of the acquired negatives that were new.
    pub precision_new_benign: Option<f64>,
    /// Eq 15: the share of the acquired positives that were new.
    pub precision_new_malicious: Option<f64>,
    /// Eq 16: the share of the new negatives that were acquired.
    pub recall_new_benign: Option<f64>,
    /// Eq 17: the share of the new positives that were acquired.
    pub recall_new_malicious: Option<f64>,
    /// Of the new files that were not acquired.
    pub accuracy_not_acquired: Option<f64>,
    /// Of the files that were neither new nor acquired (M9).
    pub accuracy_known: Option<f64>,
    /// On files that never were in the stream, before the first day.
    pub initial_accuracy: Option<f64>,
    /// And after the last.
    pub final_accuracy: Option<f64>,
    /// The share of the positives among them that was found after the last day.
    pub final_recall: Option<f64>,
    /// How many files were in the stream.
    pub stream: f64,
    /// How many of them new.
    pub new: f64,
    /// How many were acquired.
    pub acquired: f64,
    /// How many of these were positive.
    pub acquired_malicious: f64,
    /// The accuracy before each day, and after the last.
    pub accuracy: Vec<f64>,
}

/// Who chooses: a strategy, or nobody (everything).
const CHOOSERS: [(&str, Option<Strategy>); 4] = [
    ("simple-margin", Some(Strategy::SimpleMargin)),
    ("error-reduction", Some(Strategy::ErrorReduction)),
    ("random", Some(Strategy::Random)),
    ("everything", None),
];

/// Lets days pass.
pub fn evaluate_days(request: &DaysRequest, progress: &dyn Progress) -> Result<DaysOutcome> {
    let DaysRequest { settings, .. } = request;
    let range = settings.range()?;
    let params = request.machine.params(request.seed);
    params.check()?;
    for (name, value, least) in [
        ("days", request.days, 1),
        ("daily", request.daily, 1),
        ("budget", request.budget, 1),
        ("known", request.known, 2),
    ] {
        if value < least {
            return Err(Error::parameter(name, format!("is {value}, but must be at least {least}")));
        }
    }
    if let Some(chart) = &request.chart {
        pending::refuse_stdout(chart)?;
        refuse_existing(chart)?;
    }
    let corpus = request.files.read(progress)?;
    let fold_of = fold_of(&corpus, request.folds, request.seed)?;
    let years: Vec<Year> =
        (0..request.folds).map(|fold| Year::draw(request, &corpus, &fold_of, fold)).collect::<Result<_>>()?;
    let counted = corpus.count(settings.n, range.end, progress)?;
    let weights = counted.weights(settings.represent);
    progress.stage("letting days pass", (CHOOSERS.len() * request.folds * (request.days + 1)) as u64);
    let trial = Trial { request, corpus: &corpus, counted: &counted, weights: &weights, params, progress };
    let pairs: Vec<(usize, usize)> =
        (0..CHOOSERS.len()).flat_map(|chooser| (0..request.folds).map(move |fold| (chooser, fold))).collect();
    let passed: Vec<Passed> = pairs
        .par_iter()
        .map(|&(chooser, fold)| trial.pass(CHOOSERS[chooser].1, &years[fold], fold as u64))
        .collect::<Result<_>>()?;
    let strategies: Vec<StrategyOutcome> =
        CHOOSERS.iter().zip(passed.chunks(request.folds)).map(|(&(name, _), folds)| outcome(name, folds)).collect();
    let curves = curves(&strategies);
    if let Some(chart) = &request.chart {
        pending::replace(chart, curves.file()?.as_bytes(), false)?;
    }
    Ok(DaysOutcome {
        days: request.days,
        daily: request.daily,
        budget: request.budget,
        known: request.known,
        folds: request.folds,
        files: corpus.len(),
        positives: corpus.positives(),
        settings: settings.clone(),
        machine: request.machine.clone(),
        strategies,
        curves,
        notes: corpus.notes(settings.n),
    })
}

/// What happens to one fold, whoever chooses.
struct Year {
    known: Vec<u32>,
    /// The new files of each day.
    days: Vec<Vec<u32>>,
    /// How many known files come with them.
    old: Vec<u32>,
    test: Vec<u32>,
}

impl Year {
    fn draw(request: &DaysRequest, corpus: &Corpus, fold_of: &[u32], fold: usize) -> Result<Self> {
        let contents = corpus.files.contents();
        let is_first = |file: u32| file == 0 || contents[file as usize] != contents[file as usize - 1];
        let (test, rest): (Vec<u32>, Vec<u32>) = corpus
            .all()
            .into_iter()
            .filter(|&file| is_first(file))
            .partition(|&file| fold_of[file as usize] == fold as u32);
        let needed = request.known + request.days * request.daily;
        if rest.len() < needed {
            return Err(Error::parameter(
                "daily",
                format!(
                    "and `days` and `known` take {needed} files, but only {} different ones are left beside the tested fold",
                    rest.len()
                ),
            )
            .with_hint(format!(
                "`--daily {}` would do",
                rest.len().saturating_sub(request.known) / request.days
            )));
        }
        let mut rng = Rng::seeded_stream(request.seed, fold as u64 + 1);
        let (mut ones, mut others): (Vec<u32>, Vec<u32>) =
            rest.iter().partition(|&&file| corpus.is_positive[file as usize]);
        rng.shuffle(&mut ones);
        rng.shuffle(&mut others);
        let share = (request.known * ones.len() + rest.len() / 2) / rest.len();
        let positives = share.clamp(1, request.known - 1).min(ones.len());
        let negatives = (request.known - positives).min(others.len());
        let mut known: Vec<u32> = ones.drain(..positives).chain(others.drain(..negatives)).collect();
        known.sort_unstable();
        let mut stream: Vec<u32> = ones.into_iter().chain(others).collect();
        stream.sort_unstable();
        rng.shuffle(&mut stream);
        let mut days: Vec<Vec<u32>> = stream.chunks(request.daily).take(request.days).map(<[u32]>::to_vec).collect();
        days.iter_mut().for_each(|day| day.sort_unstable());
        let mut old = Vec::new();
        for _ in 0..request.days {
            old.extend(rng.sample(known.len(), request.daily / 3).into_iter().map(|place| known[place as usize]));
        }
        Ok(Self { known, days, old, test })
    }
}

/// How a year went.
struct Passed {
    asked: Asked,
    stream: u64,
    not_acquired: Option<f64>,
    known: Option<f64>,
    accuracy: Vec<Option<f64>>,
    final_recall: Option<f64>,
}

struct Trial<'a> {
    request: &'a DaysRequest,
    corpus: &'a Corpus,
    counted: &'a Counted,
    weights: &'a [f64],
    params: SvmParams,
    progress: &'a dyn Progress,
}

/// What is known on a day.
struct Learnt {
    chosen: Vec<usize>,
    machine: ScaledSvm,
}

impl Trial<'_> {
    fn pass(&self, strategy: Option<Strategy>, year: &Year, fold: u64) -> Result<Passed> {
        let mut rng = Rng::seeded_stream(self.request.seed, (1 << 32) + fold);
        let (mut train, mut accuracy) = (year.known.clone(), Vec::new());
        let (mut asked, mut left) = (Asked::default(), Vec::new());
        let is_positive = |file: u32| self.corpus.is_positive[file as usize];
        for day in &year.days {
            let learnt = self.learn(&train)?;
            accuracy.push(self.judge(&learnt, &year.test)?.accuracy());
            let chosen = self.choose(strategy, &learnt, &train, day, &mut rng)?;
            for &file in day {
                let is_acquired = chosen.binary_search(&file).is_ok();
                asked.count(is_positive(file), true, is_acquired);
                if !is_acquired {
                    left.push(file);
                }
            }
            train.extend(chosen);
            train.sort_unstable();
            self.progress.advance(1);
        }
        year.old.iter().for_each(|&file| asked.count(is_positive(file), false, false));
        let learnt = self.learn(&train)?;
        let last = self.judge(&learnt, &year.test)?;
        accuracy.push(last.accuracy());
        self.progress.advance(1);
        Ok(Passed {
            asked,
            stream: asked.new_files() + year.old.len() as u64,
            not_acquired: self.judge(&learnt, &left)?.accuracy(),
            known: self.judge(&learnt, &year.known)?.accuracy(),
            accuracy,
            final_recall: last.true_positive_rate(),
        })
    }

    fn learn(&self, train: &[u32]) -> Result<Learnt> {
        self.progress.go_on()?;
        let classes = self.corpus.classes(train);
        let chosen = self.counted.select(&self.request.settings, self.weights, train, &classes)?;
        let rows = self.counted.rows(self.weights, train, &chosen)?;
        let machine = ScaledSvm::learn(&rows, &classes, &self.params, &Quiet(self.progress))?;
        Ok(Learnt { chosen, machine })
    }

    fn judge(&self, learnt: &Learnt, files: &[u32]) -> Result<Confusion> {
        let scores = learnt.machine.scores(&self.counted.rows(self.weights, files, &learnt.chosen)?);
        Ok(Confusion::of(scores, self.corpus.classes(files)))
    }

    /// The files of a day that somebody looks at, in the order of their numbers.
    fn choose(
        &self,
        strategy: Option<Strategy>,
        learnt: &Learnt,
        train: &[u32],
        day: &[u32],
        rng: &mut Rng,
    ) -> Result<Vec<u32>> {
        let Some(strategy) = strategy else { return Ok(day.to_vec()) };
        let scaled = |files: &[u32]| -> Result<_> {
            Ok(learnt.machine.scale.apply(&self.counted.rows(self.weights, files, &learnt.chosen)?))
        };
        let (svm, budget) = (&learnt.machine.svm, self.request.budget);
        let mut chosen: Vec<u32> = match strategy {
            Strategy::Random => {
                acquisition::random(day.len(), budget, rng).into_iter().map(|place| day[place]).collect()
            }
            Strategy::SimpleMargin => {
                let rows = scaled(day)?;
                let scores = svm.scores(&rows);
                let places = if self.request.diverse {
                    diverse(svm.kernel(), &rows, &scores, budget, false)
                } else {
                    acquisition::simple_margin(&scores, budget, false)
                };
                places.into_iter().map(|place| day[place]).collect()
            }
            Strategy::ErrorReduction => {
                let pool: Vec<u32> =
                    rng.sample(day.len(), MOST_CANDIDATES).into_iter().map(|place| day[place as usize]).collect();
                let is_positive = self.corpus.classes(train);
                let known = Known { rows: scaled(train)?, is_positive, svm, params: self.params };
                let errors = known.errors(&scaled(&pool)?, &Quiet(self.progress))?;
                acquisition::least(&errors, budget).into_iter().map(|place| pool[place]).collect()
            }
        };
        chosen.sort_unstable();
        Ok(chosen)
    }
}

fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (sum, count) = values.flatten().fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn outcome(strategy: &'static str, folds: &[Passed]) -> StrategyOutcome {
    let of = |value: &dyn Fn(&Passed) -> Option<f64>| mean(folds.iter().map(value));
    let count = |value: &dyn Fn(&Passed) -> u64| {
        folds.iter().map(|passed| value(passed) as f64).sum::<f64>() / folds.len().max(1) as f64
    };
    let days = folds.first().map_or(0, |passed| passed.accuracy.len());
    let accuracy: Vec<f64> = (0..days).filter_map(|day| of(&|passed| passed.accuracy[day])).collect();
    StrategyOutcome {
        strategy,
        precision_new_benign: of(&|passed| passed.asked.precision(false)),
        precision_new_malicious: of(&|passed| passed.asked.precision(true)),
        recall_new_benign: of(&|passed| passed.asked.recall(false)),
        recall_new_malicious: of(&|passed| passed.asked.recall(true)),
        accuracy_not_acquired: of(&|passed| passed.not_acquired),
        accuracy_known: of(&|passed| passed.known),
        initial_accuracy: accuracy.first().copied(),
        final_accuracy: accuracy.last().copied(),
        final_recall: of(&|passed| passed.final_recall),
        stream: count(&|passed| passed.stream),
        new: count(&|passed| passed.asked.new_files()),
        acquired: count(&|passed| passed.asked.acquired()),
        acquired_malicious: count(&|passed| passed.asked.acquired_positives()),
        accuracy,
    }
}

fn curves(strategies: &[StrategyOutcome]) -> Chart {
    let line = |(colour, of): (usize, &StrategyOutcome)| Series {
        name: of.strategy.to_owned(),
        points: of.accuracy.iter().enumerate().map(|(day, &accuracy)| (day as f64, accuracy)).collect(),
        colour,
        ..Series::default()
    };
    Chart {
        title: "Accuracy on files that are never in the stream".to_owned(),
        across: "days".to_owned(),
        up: "accuracy".to_owned(),
        shape: Shape::OverCounts(strategies.iter().enumerate().map(line).collect()),
    }
}
