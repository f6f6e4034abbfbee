//! `throng detect evaluate --detector files --table 1`: how right the three kernels are on files that were not learnt from.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use throng_core::detectors::files::assessment::{Confusion, folds};
use throng_core::learn::svm::{KernelName, ScaledSvm};
use throng_core::progress::{Progress, Quiet};
use throng_core::{Error, Result, Rng};

use super::corpus::{Corpus, Counted};
use super::{FilesSettings, LabelledFiles, MachineSettings};

/// The kernels, in the order of the paper's tables.
pub(super) const KERNELS: [KernelName; 3] = [KernelName::Linear, KernelName::Poly, KernelName::Rbf];

/// What to cross-validate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FilesTableRequest {
    /// The files.
    pub files: LabelledFiles,
    /// How they are looked at.
    pub settings: FilesSettings,
    /// How is learnt; all kernels are tried.
    pub machine: MachineSettings,
    /// Into how many parts the files are cut.
    pub folds: usize,
    /// Of everything that is drawn.
    pub seed: u64,
}

impl Default for FilesTableRequest {
    fn default() -> Self {
        Self {
            files: LabelledFiles::default(),
            settings: FilesSettings::default(),
            machine: MachineSettings::default(),
            folds: 5,
            seed: 0,
        }
    }
}

/// The paper's Table 1.
#[derive(Debug, Serialize)]
pub struct FilesTable {
    /// Which one.
    pub table: u8,
    /// How many files there were.
    pub files: usize,
    /// How many of them positive.
    pub positives: usize,
    /// How many parts.
    pub folds: usize,
    /// How files were looked at.
    pub settings: FilesSettings,
    /// How was learnt.
    pub machine: MachineSettings,
    /// One a kernel.
    pub kernels: Vec<KernelOutcome>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// How right a kernel was: every file was tested once.
#[derive(Debug, Clone, Serialize)]
pub struct KernelOutcome {
    /// Which one.
    pub kernel: KernelName,
    /// The share of all files that was right.
    pub accuracy: Option<f64>,
    /// The share of the negatives that was called positive.
    pub false_positive_rate: Option<f64>,
    /// The share of the positives that was not found.
    pub false_negative_rate: Option<f64>,
}

/// Cross-validates the three kernels.
pub fn evaluate_table(request: &FilesTableRequest, progress: &dyn Progress) -> Result<FilesTable> {
    let FilesTableRequest { settings, machine, .. } = request;
    let range = settings.range()?;
    machine.params(request.seed).check()?;
    let corpus = request.files.read(progress)?;
    let fold_of = fold_of(&corpus, request.folds, request.seed)?;
    let counted = corpus.count(settings.n, range.end, progress)?;
    progress.stage("learning", (request.folds * KERNELS.len()) as u64);
    let cut = Cut { corpus: &corpus, counted: &counted, fold_of: &fold_of, folds: request.folds, seed: request.seed };
    let kernels = cut.outcomes(settings, machine, progress)?;
    Ok(FilesTable {
        table: 1,
        files: corpus.len(),
        positives: corpus.positives(),
        folds: request.folds,
        settings: settings.clone(),
        machine: machine.clone(),
        kernels,
        notes: corpus.notes(settings.n),
    })
}

/// The fold of each file; those with the same bytes have the same.
pub(super) fn fold_of(corpus: &Corpus, count: usize, seed: u64) -> Result<Vec<u32>> {
    let contents = corpus.files.contents();
    let distinct = |positive: bool| {
        let mut of: Vec<u32> =
            contents.iter().zip(&corpus.is_positive).filter(|&(_, &is)| is == positive).map(|(&one, _)| one).collect();
        of.dedup();
        of.len()
    };
    if count < 2
        || distinct(true) < 2
        || distinct(false) < 2
        || contents.last().is_some_and(|&last| (last as usize) < count - 1)
    {
        return Err(Error::refused(format!("the files cannot be cut into {count} parts to learn from and to test"))
            .with_hint("at least two different files of each class are needed, and one for each part"));
    }
    Ok(folds(&contents, &corpus.is_positive, count, &mut Rng::seeded(seed)))
}

/// Counted files, cut into folds.
pub(super) struct Cut<'a> {
    pub(super) corpus: &'a Corpus,
    pub(super) counted: &'a Counted,
    pub(super) fold_of: &'a [u32],
    pub(super) folds: usize,
    pub(super) seed: u64,
}

impl Cut<'_> {
    /// The three kernels, each tested on every file. Features are chosen from the files that are learnt from.
    pub(super) fn outcomes(
        &self,
        settings: &FilesSettings,
        machine: &MachineSettings,
        progress: &dyn Progress,
    ) -> Result<Vec<KernelOutcome>> {
        let weights = self.counted.weights(settings.represent);
        let of_fold = |fold: usize| -> Result<Vec<Confusion>> {
            let (test, train): (Vec<u32>, Vec<u32>) =
                self.corpus.all().iter().partition(|&&file| self.fold_of[file as usize] == fold as u32);
            let (classes, truth) = (self.corpus.classes(&train), self.corpus.classes(&test));
            let chosen = self.counted.select(settings, &weights, &train, &classes)?;
            let rows = self.counted.rows(&weights, &train, &chosen)?;
            let unseen = self.counted.rows(&weights, &test, &chosen)?;
            let with = |kernel: &KernelName| {
                progress.go_on()?;
                let params = MachineSettings { kernel: *kernel, ..machine.clone() }.params(self.seed);
                let learnt = ScaledSvm::learn(&rows, &classes, &params, &Quiet(progress))?;
                progress.advance(1);
                Ok(Confusion::of(learnt.scores(&unseen), truth.iter().copied()))
            };
            KERNELS.par_iter().map(with).collect()
        };
        let folds: Vec<Vec<Confusion>> = (0..self.folds).into_par_iter().map(of_fold).collect::<Result<_>>()?;
        let outcome = |(place, &kernel): (usize, &KernelName)| {
            let all = folds.iter().fold(Confusion::default(), |all, of| all.and(of[place]));
            KernelOutcome {
                kernel,
                accuracy: all.accuracy(),
                false_positive_rate: all.false_positive_rate(),
                false_negative_rate: all.false_negative_rate(),
            }
        };
        Ok(KERNELS.iter().enumerate().map(outcome).collect())
    }
}
