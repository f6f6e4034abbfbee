//! `throng detect train --detector files`: a model from labelled files.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::Result;
use throng_core::detectors::files::hexadecimal;
use throng_core::detectors::files::selection::Representation;
use throng_core::learn::svm::ScaledSvm;
use throng_core::progress::Progress;

use super::super::super::synth::refuse_existing;
use super::corpus::{Corpus, Counted};
use super::model::FilesModel;
use super::{FilesSettings, LabelledFiles, MachineSettings};
use crate::pending;

/// What to learn from, how, and where to write it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainFilesRequest {
    /// The files.
    pub files: LabelledFiles,
    /// How they are looked at.
    pub settings: FilesSettings,
    /// How is learnt.
    pub machine: MachineSettings,
    /// The model to write.
    pub out: PathBuf,
    /// Where the n-grams of the ranks are to be written: `rank,gram,files`.
    pub grams: Option<PathBuf>,
    /// Where the features of the training files are to be written, unscaled: `sha256,label,…`.
    pub vectors: Option<PathBuf>,
    /// Of everything that is drawn.
    pub seed: u64,
}

/// What was learnt.
#[derive(Debug, Serialize)]
pub struct FilesTrained {
    /// The detector.
    pub detector: &'static str,
    /// How many files there were.
    pub files: usize,
    /// How many of them positive.
    pub positives: usize,
    /// How many have the bytes of another one.
    pub copies: usize,
    /// How many are shorter than an n-gram.
    pub short: u64,
    /// How many were left out, because they cannot be read or are too long.
    pub skipped: u64,
    /// How many links were not followed.
    pub links: u64,
    /// How many features were chosen.
    pub features: usize,
    /// How many examples hold the border.
    pub support: usize,
    /// 1/2 sum of alpha alpha y y K - sum of alpha.
    pub objective: f64,
    /// The SHA-256 of the list of hashes.
    pub trained_on: String,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Learns a model and writes it.
pub fn train_files(request: &TrainFilesRequest, progress: &dyn Progress) -> Result<FilesTrained> {
    let TrainFilesRequest { settings, .. } = request;
    let range = settings.range()?;
    let params = request.machine.params(request.seed);
    params.check()?;
    let mut places = vec![&request.out];
    places.extend(request.grams.iter().chain(&request.vectors));
    for place in &places {
        pending::refuse_stdout(place)?;
        refuse_existing(place)?;
    }
    let corpus = request.files.read(progress)?;
    let counted = corpus.count(settings.n, range.end, progress)?;
    let weights = counted.weights(settings.represent);
    progress.stage("learning", 0);
    let chosen = counted.select(settings, &weights, &corpus.all(), &corpus.is_positive)?;
    let rows = counted.rows(&weights, &corpus.all(), &chosen)?;
    let machine = ScaledSvm::learn(&rows, &corpus.is_positive, &params, progress)?;
    let known = corpus.known();
    let model = FilesModel {
        n: settings.n,
        represent: settings.represent,
        grams: chosen.iter().map(|&place| counted.list[place].gram).collect(),
        weights: (settings.represent == Representation::Tfidf)
            .then(|| chosen.iter().map(|&place| weights[place]).collect()),
        cost: params.cost,
        tolerance: params.tolerance,
        machine,
        known,
    };
    if let Some(place) = &request.grams {
        pending::replace(place, grams_file(&counted, settings.n, range).as_bytes(), false)?;
    }
    if let Some(place) = &request.vectors {
        let text = vectors_file(&corpus, &counted, settings.n, &chosen, &rows);
        pending::replace(place, text.as_bytes(), false)?;
    }
    pending::replace(&request.out, model.text()?.as_bytes(), true)?;
    Ok(FilesTrained {
        detector: super::model::DETECTOR,
        files: corpus.len(),
        positives: corpus.positives(),
        copies: corpus.len() - model.known.len(),
        short: corpus.files.shorter_than(settings.n),
        skipped: corpus.files.skipped,
        links: corpus.files.links,
        features: chosen.len(),
        support: model.machine.svm.support().len(),
        objective: model.machine.svm.objective(),
        trained_on: model.trained_on(),
        notes: corpus.notes(settings.n),
    })
}

fn grams_file(counted: &Counted, n: usize, range: std::ops::Range<usize>) -> String {
    let mut text = "rank,gram,files\n".to_owned();
    for (place, ranked) in counted.list.iter().enumerate().skip(range.start).take(range.len()) {
        text.push_str(&format!("{},{},{}\n", place + 1, hexadecimal(ranked.gram, n), ranked.files));
    }
    text
}

fn vectors_file(
    corpus: &Corpus,
    counted: &Counted,
    n: usize,
    chosen: &[usize],
    rows: &throng_core::learn::svm::Rows,
) -> String {
    let mut text = "sha256,label".to_owned();
    for &place in chosen {
        text.push_str(&format!(",{}", hexadecimal(counted.list[place].gram, n)));
    }
    text.push('\n');
    for ((file, &is_positive), row) in corpus.files.files.iter().zip(&corpus.is_positive).zip(rows.iter()) {
        text.push_str(&format!("{},{}", file.sha256, u8::from(is_positive)));
        for value in row {
            text.push_str(&format!(",{value}"));
        }
        text.push('\n');
    }
    text
}
