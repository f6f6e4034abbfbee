//! `throng paths classify`: rules that say a trip's label, learnt, applied and judged.

use std::path::{Path, PathBuf};

use serde::Serialize;
use throng_core::paths::rules::{self, Evaluation, Params, Rules, VERSION};
use throng_core::progress::Progress;
use throng_core::{Error, Result, Rng};

use super::cluster::trip_of;
use super::{pending_file, read, refuse_places};
use crate::inputs::Inputs;
use crate::io::csv_field;
use crate::kinds::Ask;
use crate::limits;
use crate::pending;

/// What to learn from.
#[derive(Debug, Clone)]
pub struct TrainRequest {
    /// The paths, with labels.
    pub file: Inputs,
    /// How to read them.
    pub ask: Ask,
    /// How to learn.
    pub params: Params,
    /// The file of rules to make, if one is wanted.
    pub out: Option<PathBuf>,
}

/// What was learnt.
#[derive(Debug, Serialize)]
pub struct Trained {
    /// The rules.
    #[serde(flatten)]
    pub rules: Rules,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Learns rules, and writes them.
pub fn train_rules(request: &TrainRequest, progress: &dyn Progress) -> Result<Trained> {
    let places: Vec<&PathBuf> = request.out.iter().collect();
    refuse_places(&places, &request.file)?;
    let (found, notes) = read(&request.file, &request.ask, progress)?;
    progress.stage("rules", 0);
    let rules = rules::train(&found.paths, &request.params)?;
    progress.go_on()?;
    if let Some(out) = &request.out {
        let mut text = serde_json::to_vec_pretty(&rules).map_err(|cause| Error::internal("JSON").with_cause(cause))?;
        text.push(b'\n');
        pending::publish(vec![pending_file(out, |write| write(&text))?])?;
    }
    Ok(Trained { rules, notes })
}

/// What to label.
#[derive(Debug, Clone)]
pub struct ApplyRequest {
    /// The paths, or a release of some.
    pub file: Inputs,
    /// How to read them.
    pub ask: Ask,
    /// The file of rules.
    pub rules: PathBuf,
    /// The file of labels to make, if one is wanted.
    pub out: Option<PathBuf>,
}

/// What the rules say.
#[derive(Debug, Serialize)]
pub struct Applied {
    /// How many tracks have each label, the most frequent first.
    pub counts: Vec<(String, usize)>,
    /// The label of each track, where no file was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<Said>>,
    /// The labels as a CSV file.
    #[serde(skip)]
    pub text: String,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// What the rules say of a track.
#[derive(Debug, Serialize)]
pub struct Said {
    /// Whose it is.
    pub user: String,
    /// Which of their trips.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trip: Option<String>,
    /// The label.
    pub label: String,
}

/// Applies rules, and writes labels.
pub fn apply_rules(request: &ApplyRequest, progress: &dyn Progress) -> Result<Applied> {
    let places: Vec<&PathBuf> = request.out.iter().collect();
    refuse_places(&places, &request.file)?;
    let rules = read_rules(&request.rules)?;
    let (found, notes) = read(&request.file, &request.ask, progress)?;
    let tracks = rules.tracks_of(&found.paths)?;
    let said = |(track, label): (usize, String)| Said {
        user: found.paths.names().get(tracks.person(track)).to_owned(),
        trip: rules.by_trip.then(|| trip_of(&found, tracks.range(track).start)),
        label,
    };
    let labels: Vec<Said> = rules::apply(&found.paths, &rules)?.into_iter().map(said).collect();
    progress.go_on()?;
    let text = text_of(&labels, rules.by_trip);
    if let Some(out) = &request.out {
        pending::publish(vec![pending_file(out, |write| write(&text))?])?;
    }
    let mut names: Vec<&str> = labels.iter().map(|said| said.label.as_str()).collect();
    names.sort_unstable();
    let mut counts: Vec<(String, usize)> =
        names.chunk_by(|left, right| left == right).map(|same| (same[0].to_owned(), same.len())).collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    Ok(Applied {
        counts,
        labels: request.out.is_none().then_some(labels),
        text: String::from_utf8_lossy(&text).into_owned(),
        notes,
    })
}

fn text_of(labels: &[Said], by_trip: bool) -> Vec<u8> {
    let mut text = if by_trip { b"user,trip,label\n".to_vec() } else { b"user,label\n".to_vec() };
    for said in labels {
        let cells = [Some(&said.user), said.trip.as_ref(), Some(&said.label)];
        for (at, cell) in cells.into_iter().flatten().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            csv_field(cell.as_bytes(), &mut text);
        }
        text.push(b'\n');
    }
    text
}

fn read_rules(place: &Path) -> Result<Rules> {
    let named = |error: Error| error.in_file(place.display().to_string());
    let bytes = limits::read_file(place, "", limits::MOST_LIST_BYTES)?;
    let rules: Rules = serde_json::from_slice(&bytes).map_err(|cause| {
        named(Error::data("these are no rules of throng's").with_cause(cause))
            .with_hint("`throng paths classify train … --out RULES.json` makes some")
    })?;
    if rules.version != VERSION {
        return Err(named(Error::data(format!("rules of version {} are not known here", rules.version)))
            .with_hint("use a newer throng"));
    }
    Ok(rules)
}

/// What to judge.
#[derive(Debug, Clone)]
pub struct JudgeRequest {
    /// The paths, with labels.
    pub file: Inputs,
    /// How to read them.
    pub ask: Ask,
    /// How to learn.
    pub params: Params,
    /// How persons are dealt.
    pub seed: u64,
}

/// What rules are worth.
#[derive(Debug, Serialize)]
pub struct Judged {
    /// The numbers.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Judges rules by people who did not teach them.
pub fn judge_rules(request: &JudgeRequest, progress: &dyn Progress) -> Result<Judged> {
    let (found, notes) = read(&request.file, &request.ask, progress)?;
    progress.stage("rules of ten parts", 0);
    let evaluation = rules::evaluate(&found.paths, &request.params, &mut Rng::seeded(request.seed))?;
    Ok(Judged { evaluation, notes })
}
