//! `throng compare --study`: a paper's own evaluation, repeated on one's own data, as CSV files and charts.
//!
//! What is computed is the kind's (`Kinded::studied`); here files are read and a folder is written, whole or not at all.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::certified::Certified;
use super::written::write_new;
use crate::inputs::Inputs;
use crate::io::{Location, Opened};
use crate::kinds::{self, Ask, Kinded, Purpose, Read};
use crate::pending::{self, Pending};
use crate::report::chart::Chart;

/// The studies that there are.
pub const STUDIES: [&str; 2] = ["guessing", "sangreea"];

/// Which of them predict a column.
const PREDICTING: [&str; 1] = ["guessing"];

/// Of more rows so many are drawn, unless it is said how many.
const SAMPLE: usize = 5_000;

/// What to evaluate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StudyRequest {
    /// The original: files, which are one data set.
    pub file: Inputs,
    /// The folder to make.
    pub out: PathBuf,
    /// Which study.
    pub study: String,
    /// At most this many persons, drawn at random.
    pub sample: Option<usize>,
    /// How often everything that is drawn is drawn; numbers are means.
    pub repeat: usize,
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// How to read and understand the original.
    pub ask: Ask,
}

/// A table of numbers with a chart of them.
#[derive(Debug, Clone, Serialize)]
pub struct StudyPart {
    /// What its files are called, without their ends.
    pub name: &'static str,
    /// The names of its columns.
    pub head: Vec<&'static str>,
    /// Its rows, as they stand in the file.
    pub rows: Vec<Vec<String>>,
    /// Its chart.
    pub chart: Chart,
}

/// What was evaluated.
#[derive(Debug, Serialize)]
pub struct Studied {
    /// The folder.
    pub folder: PathBuf,
    /// The kind of data.
    pub kind: &'static str,
    /// How many persons it was evaluated on.
    pub persons: usize,
    /// How many the file has.
    pub of: usize,
    /// Its tables.
    pub parts: Vec<StudyPart>,
}

/// A study of data of some kind.
pub struct StudyWork<'a> {
    request: &'a StudyRequest,
    ask: &'a Ask,
    progress: &'a dyn Progress,
}

impl StudyWork<'_> {
    /// Evaluates data of a kind.
    pub(crate) fn on<D: Kinded>(&self, opened: Opened) -> Result<Studied> {
        let Self { request, ask, progress } = self;
        let Read { data, .. } = D::read(opened, ask, Purpose::Original, *progress)?;
        let of = data.persons();
        let drawn = Rng::seeded(request.seed).sample(of, request.sample.unwrap_or(SAMPLE));
        let data = if drawn.len() < of { data.of_persons(&drawn) } else { data };
        let parts = data.studied(&request.study, request.repeat.max(1), request.seed, *progress)?.ok_or_else(|| {
            Error::refused(format!("the study `{}` is not of {}", request.study, D::CARD.name))
                .with_hint("guessing is of tables, sangreea of graphs; `--kind` says what a file is")
        })?;
        Ok(Studied { folder: request.out.clone(), kind: D::CARD.name, persons: data.persons(), of, parts })
    }
}

/// Repeats a paper's evaluation on a file, and writes its tables and charts into a folder.
pub fn study(request: &StudyRequest, progress: &dyn Progress) -> Result<Studied> {
    let request = &StudyRequest { out: pending::dated(&request.out), ..request.clone() };
    if !STUDIES.contains(&request.study.as_str()) {
        return Err(Error::unknown("study", &request.study, STUDIES));
    }
    let paths = request.file.paths()?;
    pending::refuse_stdout(&request.out)?;
    pending::refuse_inside(&request.out, "study", &paths)?;
    pending::refuse_in_release(&request.out, "study")?;
    super::refuse_existing(&request.out)?;
    if request.ask.target.is_none() && PREDICTING.contains(&request.study.as_str()) {
        return Err(Error::parameter("target", "is missing, and the study predicts a column")
            .with_hint("name one that others may depend on: `--target income`"));
    }
    let certified = Certified::open(&request.file, &request.ask)?;
    if matches!(certified.location, Location::Stdin) {
        return Err(Error::refused("a study needs a file, not standard input"));
    }
    let (kind, opened) = kinds::open(&certified.location, &certified.ask)?;
    let studied = kind.study(&StudyWork { request, ask: &certified.ask, progress }, opened)?;
    let failed = |cause| Error::io(format!("write into {}", pending::folder_of(&request.out).display()), cause);
    let folder = Pending::folder(&request.out).map_err(failed)?;
    for part in &studied.parts {
        write_new(&folder.path().join(format!("{}.csv", part.name)), part.csv().as_bytes())?;
        write_new(&folder.path().join(format!("{}.svg", part.name)), part.chart.file()?.as_bytes())?;
    }
    pending::publish_sealed(vec![(folder, request.out.clone())], None, || Ok(()))?;
    Ok(studied)
}

impl StudyPart {
    /// The file of its numbers.
    fn csv(&self) -> String {
        let mut text = self.head.join(",") + "\n";
        for row in &self.rows {
            text.push_str(&row.join(","));
            text.push('\n');
        }
        text
    }
}
