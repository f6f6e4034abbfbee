//! `throng detect acquire`: which files of a stream somebody should look at, in order.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::detectors::files::acquisition::{
    self, Chance, MOST_CANDIDATES, NEAREST, PLATT, Strategy, expected_errors,
};
use throng_core::learn::svm::{Kernel, Rows, Svm, SvmParams};
use throng_core::progress::{Progress, Quiet};
use throng_core::{Error, Result, Rng};

use super::LabelledFiles;
use super::corpus::notes;
use super::model::FilesModel;
use crate::io::ByteFiles;
use crate::words::counted;

/// Which files to choose from, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcquireRequest {
    /// Files, and folders of files.
    pub stream: Vec<PathBuf>,
    /// The model.
    pub model: PathBuf,
    /// The files that it learnt from, for `error-reduction`; and what may be read.
    #[serde(default)]
    pub files: LabelledFiles,
    /// How many.
    #[serde(default)]
    pub budget: usize,
    /// How they are chosen.
    pub strategy: Strategy,
    /// Not those that are like one another.
    #[serde(default)]
    pub diverse: bool,
    /// Instead of so many all with a score between -1 and 1.
    #[serde(default)]
    pub margin: bool,
    /// Of what is drawn.
    #[serde(default)]
    pub seed: u64,
    /// Whether paths are shown.
    #[serde(default)]
    pub show_values: bool,
}

/// What somebody should look at.
#[derive(Debug, Serialize)]
pub struct Acquired {
    /// How they were chosen.
    pub strategy: Strategy,
    /// The first is the one to begin with.
    pub acquired: Vec<AcquiredFile>,
    /// How many files of the stream the model learnt from.
    pub seen_before: usize,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A file to look at.
#[derive(Debug, Serialize)]
pub struct AcquiredFile {
    /// The SHA-256 of its bytes.
    pub sha256: String,
    /// Where it is; only if that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The score of the model.
    pub score: f64,
}

/// Chooses files of a stream.
pub fn acquire(request: &AcquireRequest, progress: &dyn Progress) -> Result<Acquired> {
    refuse_what_does_not_fit(request)?;
    let model = FilesModel::read(&request.model)?;
    let mut stream = ByteFiles::below(&request.stream, request.files.options(), progress)?;
    let all = stream.files.len();
    stream.files.retain(|file| model.known.binary_search(&file.sha256).is_err());
    let seen_before = all - stream.files.len();
    // The same bytes need be looked at once.
    stream.files.dedup_by(|later, first| later.sha256 == first.sha256);
    let mut notes = notes(&stream, model.n);
    let mut acquired = Vec::new();
    if !stream.files.is_empty() {
        let rows = model.machine.scale.apply(&model.rows(&stream, progress)?);
        let svm = &model.machine.svm;
        let scores = svm.scores(&rows);
        let mut rng = Rng::seeded(request.seed);
        let order = match request.strategy {
            Strategy::Random => acquisition::random(scores.len(), request.budget, &mut rng),
            Strategy::SimpleMargin if request.diverse => {
                diverse(svm.kernel(), &rows, &scores, request.budget, request.margin)
            }
            Strategy::SimpleMargin => acquisition::simple_margin(&scores, request.budget, request.margin),
            Strategy::ErrorReduction => {
                let known = known(&model, request, progress)?;
                let pool = rng.sample(scores.len(), MOST_CANDIDATES);
                if pool.len() < scores.len() {
                    notes.push(format!(
                        "{} of {} were drawn as candidates: each takes two fits",
                        pool.len(),
                        counted(scores.len() as u64, "file", "files")
                    ));
                }
                let errors = known.errors(&rows.of(&pool), progress)?;
                let best = acquisition::least(&errors, request.budget);
                best.into_iter().map(|place| pool[place] as usize).collect()
            }
        };
        acquired = order
            .into_iter()
            .map(|file| AcquiredFile {
                sha256: stream.files[file].sha256.clone(),
                path: request.show_values.then(|| stream.files[file].path.display().to_string()),
                score: scores[file],
            })
            .collect();
    }
    Ok(Acquired { strategy: request.strategy, acquired, seen_before, notes })
}

fn refuse_what_does_not_fit(request: &AcquireRequest) -> Result<()> {
    let mut errors = Vec::new();
    let is_margin = request.strategy == Strategy::SimpleMargin;
    if request.budget == 0 && !(request.margin && is_margin) {
        errors.push(
            Error::parameter("budget", "is 0: nobody would look at anything")
                .with_hint("say how many files somebody has time for, `--budget 15`, or `--margin`"),
        );
    }
    for (name, is_given) in [("margin", request.margin), ("diverse", request.diverse)] {
        if is_given && !is_margin {
            errors.push(Error::parameter(name, "belongs to the strategy `simple-margin`"));
        }
    }
    if request.strategy == Strategy::ErrorReduction && !request.files.is_named() {
        errors.push(
            Error::parameter(
                "strategy",
                "`error-reduction` learns again, and needs the files that the model learnt from",
            )
            .with_hint("give `--positive DIR --negative DIR`, or the list: `--train FILE.csv`"),
        );
    }
    if errors.is_empty() { Ok(()) } else { Err(Error::parameters(errors)) }
}

/// The nearest to the border that are not like each other.
pub(super) fn diverse(kernel: Kernel, rows: &Rows, scores: &[f64], budget: usize, within_margin: bool) -> Vec<usize> {
    let near = acquisition::simple_margin(scores, budget.saturating_mul(NEAREST), within_margin);
    let budget = if within_margin { near.len() } else { budget };
    let own = |file: usize| kernel.of(rows.row(file), rows.row(file)).sqrt();
    acquisition::diverse(&near, scores, budget, |one, other| {
        let lengths = own(one) * own(other);
        if lengths > 0.0 { kernel.of(rows.row(one), rows.row(other)) / lengths } else { 0.0 }
    })
}

/// What the model learnt from, to learn again with one file more.
pub(super) struct Known<'a> {
    /// On the scale of the model.
    pub(super) rows: Rows,
    pub(super) is_positive: Vec<bool>,
    pub(super) svm: &'a Svm,
    pub(super) params: SvmParams,
}

fn known<'a>(model: &'a FilesModel, request: &AcquireRequest, progress: &dyn Progress) -> Result<Known<'a>> {
    let corpus = request.files.read(progress)?;
    if corpus.known() != model.known {
        return Err(Error::data("these are not the files that the model learnt from")
            .in_file(request.model.display().to_string())
            .with_hint("`error-reduction` learns again with one file more: give the files that it was trained on"));
    }
    let rows = model.machine.scale.apply(&model.rows(&corpus.files, progress)?);
    let params = SvmParams { cost: model.cost, tolerance: model.tolerance, ..SvmParams::default() };
    Ok(Known { rows, is_positive: corpus.is_positive, svm: &model.machine.svm, params })
}

impl Known<'_> {
    /// The error that is expected for each file of a pool, on the same scale. Scale and kernel stay those of the model.
    pub(super) fn errors(&self, pool: &Rows, progress: &dyn Progress) -> Result<Vec<f64>> {
        let chance = self.chance(progress)?;
        progress.stage("learning again", 2 * pool.len() as u64);
        expected_errors(pool.len(), chance, |with| {
            progress.go_on()?;
            let Some((file, label)) = with else { return Ok(self.svm.scores(pool)) };
            let mut values: Vec<f64> = self.rows.iter().flatten().copied().collect();
            values.extend(pool.row(file));
            let mut is_positive = self.is_positive.clone();
            is_positive.push(label);
            let scores = self.learnt(&Rows::new(pool.features(), values)?, &is_positive, progress)?.scores(pool);
            progress.advance(1);
            Ok(scores)
        })
    }

    fn learnt(&self, rows: &Rows, is_positive: &[bool], progress: &dyn Progress) -> Result<Svm> {
        Svm::learn(rows, is_positive, self.svm.kernel(), &self.params, &Quiet(progress))
    }

    /// From scores to chances (M15): Platt's fit to scores of files that were held out, a third at a time, where each class has enough of
    /// them.
    fn chance(&self, progress: &dyn Progress) -> Result<Chance> {
        const PARTS: usize = 3;
        let positives = self.is_positive.iter().filter(|&&is| is).count();
        if positives < PLATT || self.is_positive.len() - positives < PLATT {
            return Ok(Chance::default());
        }
        let mut seen = [0; 2];
        let part_of: Vec<usize> = self
            .is_positive
            .iter()
            .map(|&is| {
                seen[usize::from(is)] += 1;
                seen[usize::from(is)] % PARTS
            })
            .collect();
        let mut scores = vec![0.0; part_of.len()];
        for part in 0..PARTS {
            let (held, rest): (Vec<u32>, Vec<u32>) =
                (0..part_of.len() as u32).partition(|&file| part_of[file as usize] == part);
            let classes: Vec<bool> = rest.iter().map(|&file| self.is_positive[file as usize]).collect();
            let svm = self.learnt(&self.rows.of(&rest), &classes, progress)?;
            for (&file, score) in held.iter().zip(svm.scores(&self.rows.of(&held))) {
                scores[file as usize] = score;
            }
        }
        Ok(Chance::fit(&scores, &self.is_positive))
    }
}
