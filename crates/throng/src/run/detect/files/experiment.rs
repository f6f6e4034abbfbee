//! `throng detect evaluate --detector files --experiment 1`: every way of looking at files that the paper tried, in one grid.
//!
//! The stated grid has 1,008 runs and the printed number is 1,536: with a fourth selection and an eighth size, both of Kolter and Maloof whom
//! the paper cites, it has exactly so many. Those of the paper are marked.
//!
//! n-grams are counted once for each n. A run that was killed goes on: what is finished is kept in a folder beside the table, which is gone at
//! the end.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throng_core::detectors::files::selection::{Representation, Selection};
use throng_core::learn::svm::KernelName;
use throng_core::progress::{Journal as _, Progress};
use throng_core::{Error, Result};

use super::super::super::synth::refuse_existing;
use super::evaluate::{Cut, KERNELS, KernelOutcome, fold_of};
use super::{FilesSettings, LabelledFiles, MachineSettings};
use crate::checkpoint::{Checkpoint, Plan};
use crate::io::hash_bytes;
use crate::pending;
use crate::report::chart::{Chart, Series, Shape};

const LENGTHS: [usize; 4] = [3, 4, 5, 6];
const REPRESENTATIONS: [Representation; 2] = [Representation::Tf, Representation::Tfidf];
const RANGES: [&str; 2] = ["1..5500", "1001..6500"];
const SELECTIONS: [Selection; 4] = [Selection::Df, Selection::Fisher, Selection::GainRatio, Selection::InformationGain];
const SIZES: [usize; 8] = [50, 100, 200, 300, 500, 1000, 1500, 2000];
/// What the paper did not name.
const OWN_SELECTION: Selection = Selection::InformationGain;
const OWN_SIZE: usize = 500;

/// What to try it on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FilesGridRequest {
    /// The files.
    pub files: LabelledFiles,
    /// How is learnt; all kernels are tried.
    pub machine: MachineSettings,
    /// The table to write.
    pub out: PathBuf,
    /// Of everything that is drawn.
    pub seed: u64,
}

/// The grid in short; all of it is in the table.
#[derive(Debug, Serialize)]
pub struct FilesGridOutcome {
    /// Which one.
    pub experiment: u8,
    /// How many files there were.
    pub files: usize,
    /// How many of them positive.
    pub positives: usize,
    /// How many runs the table has.
    pub runs: usize,
    /// How many of them are the paper's.
    pub in_paper: usize,
    /// How many were done before this run of the command.
    pub kept: usize,
    /// The best.
    pub best: Option<FilesGridRun>,
    /// Figure 3: the mean accuracy of an n, a representation and a range.
    pub figure_3: Chart,
    /// Figure 4: the mean accuracy of a selection and a number of features.
    pub figure_4: Chart,
    /// The pictures that were written.
    pub charts: Vec<PathBuf>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilesGridRun {
    /// How many bytes an n-gram has.
    pub n: usize,
    /// What a feature is.
    pub represent: Representation,
    /// Which ranks are looked at.
    pub top: String,
    /// What features are chosen by.
    pub select: Selection,
    /// How many.
    pub features: usize,
    /// The kernel.
    pub kernel: KernelName,
    /// Whether it is a run of the paper.
    pub in_paper: bool,
    /// The share of all files that was right.
    pub accuracy: Option<f64>,
    /// The share of the negatives that was called positive.
    pub false_positive_rate: Option<f64>,
    /// The share of the positives that was not found.
    pub false_negative_rate: Option<f64>,
}

/// Runs the grid.
pub fn run_experiment(request: &FilesGridRequest, progress: &dyn Progress) -> Result<FilesGridOutcome> {
    run_grid(request, &LENGTHS, &SIZES, progress)
}

fn run_grid(
    request: &FilesGridRequest,
    lengths: &[usize],
    sizes: &[usize],
    progress: &dyn Progress,
) -> Result<FilesGridOutcome> {
    const FOLDS: usize = 5;
    request.machine.params(request.seed).check()?;
    pending::refuse_stdout(&request.out)?;
    refuse_existing(&request.out)?;
    let corpus = request.files.read(progress)?;
    let fold_of = fold_of(&corpus, FOLDS, request.seed)?;
    let folder = beside(&request.out, ".checkpoint");
    let checkpoint = Checkpoint::open(&folder, &plan(request, &corpus)?)?;
    let kept = checkpoint.pieces();
    let mut runs = Vec::new();
    for &n in lengths {
        let mut counted = None;
        for represent in REPRESENTATIONS {
            for top in RANGES {
                for select in SELECTIONS {
                    for &features in sizes {
                        let settings = FilesSettings { n, represent, top: top.to_owned(), select, features };
                        let key = serde_json::to_string(&settings).map_err(internal)?;
                        let known = checkpoint.recall(&key).and_then(|text| serde_json::from_slice(&text).ok());
                        let done: Vec<FilesGridRun> = match known {
                            Some(done) => done,
                            None => {
                                if counted.is_none() {
                                    let last = FilesSettings { top: RANGES[1].to_owned(), ..settings.clone() };
                                    counted = Some(corpus.count(n, last.range()?.end, progress)?);
                                    progress.stage(&format!("{n}-grams"), 0);
                                }
                                let counted = counted.as_ref().expect("was counted");
                                let seed = request.seed;
                                let cut = Cut { corpus: &corpus, counted, fold_of: &fold_of, folds: FOLDS, seed };
                                let outcomes = cut.outcomes(&settings, &request.machine, progress)?;
                                let done: Vec<_> = outcomes.iter().map(|one| run_of(&settings, one)).collect();
                                checkpoint.keep(&key, &serde_json::to_vec(&done).map_err(internal)?)?;
                                done
                            }
                        };
                        runs.extend(done);
                    }
                }
            }
        }
    }
    pending::replace(&request.out, table(&runs).as_bytes(), false)?;
    let (figure_3, figure_4) = (figure_3(&runs, lengths), figure_4(&runs, sizes));
    let mut charts = Vec::new();
    for (name, chart) in [("-figure-3.svg", &figure_3), ("-figure-4.svg", &figure_4)] {
        let place = beside(&request.out.with_extension(""), name);
        pending::replace(&place, chart.file()?.as_bytes(), false)?;
        charts.push(place);
    }
    checkpoint.remove()?;
    let mut best: Option<&FilesGridRun> = None;
    for run in &runs {
        if best.is_none_or(|best| run.accuracy > best.accuracy) {
            best = Some(run);
        }
    }
    Ok(FilesGridOutcome {
        experiment: 1,
        files: corpus.len(),
        positives: corpus.positives(),
        runs: runs.len(),
        in_paper: runs.iter().filter(|run| run.in_paper).count(),
        kept: kept * KERNELS.len(),
        best: best.cloned(),
        figure_3,
        figure_4,
        charts,
        notes: corpus.notes(lengths.iter().copied().max().unwrap_or(0)),
    })
}

fn internal(cause: serde_json::Error) -> Error {
    Error::internal(cause.to_string())
}

/// The files with their classes, and everything but where the table is to be.
fn plan(request: &FilesGridRequest, corpus: &super::corpus::Corpus) -> Result<Plan> {
    let files = corpus.files.files.iter().zip(&corpus.is_positive);
    let list: String = files.map(|(file, is_positive)| format!("{} {is_positive}\n", file.sha256)).collect();
    let what = serde_json::json!({ "experiment": 1, "machine": request.machine, "seed": request.seed });
    Ok(Plan::new(hash_bytes(list.as_bytes()), Vec::new(), what))
}

/// A path with something behind its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn run_of(settings: &FilesSettings, outcome: &KernelOutcome) -> FilesGridRun {
    FilesGridRun {
        n: settings.n,
        represent: settings.represent,
        top: settings.top.clone(),
        select: settings.select,
        features: settings.features,
        kernel: outcome.kernel,
        in_paper: settings.select != OWN_SELECTION && settings.features != OWN_SIZE,
        accuracy: outcome.accuracy,
        false_positive_rate: outcome.false_positive_rate,
        false_negative_rate: outcome.false_negative_rate,
    }
}

fn table(runs: &[FilesGridRun]) -> String {
    let mut text =
        "n,represent,top,select,features,kernel,paper,accuracy,false_positive_rate,false_negative_rate\n".to_owned();
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for run in runs {
        let cells = [
            run.n.to_string(),
            word(&run.represent),
            run.top.clone(),
            word(&run.select),
            run.features.to_string(),
            word(&run.kernel),
            u8::from(run.in_paper).to_string(),
            number(run.accuracy),
            number(run.false_positive_rate),
            number(run.false_negative_rate),
        ];
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

/// What serde calls a choice.
pub(super) fn word(choice: &impl Serialize) -> String {
    match serde_json::to_value(choice) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn mean<'a>(runs: impl Iterator<Item = &'a FilesGridRun>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for accuracy in runs.filter_map(|run| run.accuracy) {
        sum += accuracy;
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

fn figure_3(runs: &[FilesGridRun], lengths: &[usize]) -> Chart {
    let mut lines = Vec::new();
    for represent in REPRESENTATIONS {
        for top in RANGES {
            let of = |&n: &usize| {
                let those = runs.iter().filter(|run| run.n == n && run.represent == represent && run.top == top);
                (n as f64, mean(those))
            };
            let (points, colour) = (lengths.iter().map(of).collect(), lines.len());
            lines.push(Series { name: format!("{} {top}", word(&represent)), points, colour, ..Series::default() });
        }
    }
    Chart {
        title: "Figure 3: ranks, representation and n".to_owned(),
        across: "bytes of an n-gram".to_owned(),
        up: "mean accuracy".to_owned(),
        shape: Shape::OverCounts(lines),
    }
}

fn figure_4(runs: &[FilesGridRun], sizes: &[usize]) -> Chart {
    let line = |(colour, &select): (usize, &Selection)| {
        let of = |&features: &usize| {
            (features as f64, mean(runs.iter().filter(|run| run.select == select && run.features == features)))
        };
        Series { name: word(&select), points: sizes.iter().map(of).collect(), colour, ..Series::default() }
    };
    Chart {
        title: "Figure 4: selections and numbers of features".to_owned(),
        across: "features".to_owned(),
        up: "mean accuracy".to_owned(),
        shape: Shape::Lines(SELECTIONS.iter().enumerate().map(line).collect()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use throng_core::Rng;
    use throng_core::progress::Silent;

    use super::*;

    /// Ends a run after some steps.
    struct EndsAfter(AtomicU64);

    impl Progress for EndsAfter {
        fn stage(&self, _name: &str, _total: u64) {}
        fn advance(&self, steps: u64) {
            let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(steps)));
        }
        fn is_stopped(&self) -> bool {
            self.0.load(Ordering::Relaxed) == 0
        }
    }

    fn request(folder: &Path) -> FilesGridRequest {
        let mut rng = Rng::seeded(5);
        for (class, count) in [("positive", 8), ("negative", 12)] {
            std::fs::create_dir_all(folder.join(class)).unwrap();
            for file in 0..count {
                let own = if class == "positive" { 3 } else { 11 };
                let bytes: Vec<u8> = (0..400).map(|_| (rng.index(30) * rng.index(own)) as u8).collect();
                std::fs::write(folder.join(class).join(file.to_string()), bytes).unwrap();
            }
        }
        let files = LabelledFiles {
            positive: Some(folder.join("positive")),
            negative: Some(folder.join("negative")),
            ..LabelledFiles::default()
        };
        FilesGridRequest { files, out: folder.join("runs.csv"), ..FilesGridRequest::default() }
    }

    #[test]
    fn the_grid_has_the_printed_number_and_marks_the_stated_one() {
        let all = LENGTHS.len() * REPRESENTATIONS.len() * RANGES.len() * SELECTIONS.len() * SIZES.len() * KERNELS.len();
        let own = LENGTHS.len() * REPRESENTATIONS.len() * RANGES.len() * KERNELS.len();
        assert_eq!((all, own * (SELECTIONS.len() - 1) * (SIZES.len() - 1)), (1536, 1008));
    }

    #[test]
    fn a_run_that_was_ended_goes_on_to_the_same_bytes() {
        let whole = tempfile::tempdir().unwrap();
        let found = run_grid(&request(whole.path()), &[3], &[4, 500], &Silent).unwrap();
        assert_eq!((found.runs, found.in_paper, found.kept), (96, 36, 0));
        let wanted = std::fs::read(whole.path().join("runs.csv")).unwrap();
        assert_eq!(wanted.iter().filter(|&&byte| byte == b'\n').count(), 97);

        let folder = tempfile::tempdir().unwrap();
        let request = request(folder.path());
        // Reading, two passes over 8,000 bytes, and some of the 16 combinations with 15 fits each.
        for steps in [20, 16_060, 16_080] {
            let ended = run_grid(&request, &[3], &[4, 500], &EndsAfter(AtomicU64::new(steps)));
            assert!(ended.unwrap_err().is_stopped());
            assert!(!folder.path().join("runs.csv").exists());
        }
        let other = FilesGridRequest { seed: 1, ..request.clone() };
        assert!(run_grid(&other, &[3], &[4, 500], &Silent).unwrap_err().is_refused());
        let last = run_grid(&request, &[3], &[4, 500], &Silent).unwrap();
        assert!(last.kept > 0 && last.kept < 96, "{}", last.kept);
        assert_eq!(std::fs::read(folder.path().join("runs.csv")).unwrap(), wanted);
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 5, "{left:?}");
    }
}
