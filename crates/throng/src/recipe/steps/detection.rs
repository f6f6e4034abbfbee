//! Steps that look for what is out of place, and the one that puts it there: shill, score, evaluate.

use serde::Deserialize;
use throng_core::shilling::{Attack, Direction, Params};
use throng_core::{Error, Result};

use super::{Did, Verdict, Work, as_json};
use crate::inputs::Inputs;
use crate::kinds::Ask;
use crate::run::{self, InjectRequest, RatingsFile, ScoreRequest, ShillsRequest};
use crate::words::counted;

/// Where poisoned ratings lie: they are written as the file was, whatever that is called.
pub(in super::super) const POISONED: &str = "poisoned";
/// Where it is said who is made up.
pub(in super::super) const LABELS: &str = "labels.csv";

/// What `shill` is told.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ShillRequest {
    file: Inputs,
    attack: String,
    item: String,
    direction: Option<String>,
    size: Option<f64>,
    filler: Option<f64>,
    selected: Option<usize>,
    segment: Vec<String>,
    count_at_least: Option<usize>,
    whole: bool,
    seed: u64,
    ask: Ask,
}

/// What `score` and `evaluate` are told of ratings.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RatingsRequest {
    file: Inputs,
    detectors: Vec<String>,
    labels: Option<std::path::PathBuf>,
    model: Option<std::path::PathBuf>,
    models: Vec<std::path::PathBuf>,
    strict: bool,
    threshold: Option<f64>,
    alarm: bool,
    ask: Ask,
}

/// The one file of ratings, and how it is read.
fn ratings(file: &Inputs, ask: &Ask) -> Result<RatingsFile> {
    let mut paths = file.paths()?;
    if paths.len() != 1 {
        return Err(Error::refused("ratings are one file").with_hint("a step `integrate` makes one of several"));
    }
    Ok(RatingsFile {
        file: paths.remove(0),
        items: ask.items.clone(),
        scale: ask.scale.clone(),
        options: ask.reading(),
    })
}

pub(in super::super) fn shill(work: &Work<'_>) -> Result<Did> {
    let asked: ShillRequest = work.request()?;
    let usual = Params::usual(Attack::parse(&asked.attack)?);
    let request = InjectRequest {
        ratings: ratings(&asked.file, &asked.ask)?,
        target: asked.item,
        attack: Params {
            direction: if asked.direction.as_deref() == Some("nuke") { Direction::Nuke } else { Direction::Push },
            size: asked.size.unwrap_or(usual.size),
            filler: asked.filler.unwrap_or(usual.filler),
            selected: asked.selected,
            count_at_least: asked.count_at_least.unwrap_or(usual.count_at_least),
            whole: asked.whole,
            ..usual
        },
        segment: asked.segment,
        out: work.folder.join(POISONED),
        labels: work.folder.join(LABELS),
        seed: asked.seed,
    };
    let injected = run::inject(&request, work.progress)?;
    Ok(Did::fine(as_json(&injected)?).with_notes(injected.notes))
}

pub(in super::super) fn score(work: &Work<'_>) -> Result<Did> {
    let asked: RatingsRequest = work.request()?;
    if let Some(model) = asked.model {
        let request = ScoreRequest {
            input: asked.file.paths()?,
            reading: super::learning::reading(work),
            model,
            threshold: asked.threshold,
            largest: None,
            show_values: false,
        };
        let found = as_json(&run::score(&request, work.progress)?)?;
        return Ok(Did {
            verdict: alarm(asked.alarm, found["flagged"].as_u64().unwrap_or_default()),
            ..Did::fine(found)
        });
    }
    let request =
        ShillsRequest { ratings: ratings(&asked.file, &asked.ask)?, detectors: asked.detectors, show_values: false };
    let found = run::score_shills(&request, work.progress)?;
    let verdict = alarm(asked.alarm, found.flagged as u64);
    Ok(Did { verdict, ..Did::fine(as_json(&found)?).with_notes(found.notes) })
}

/// Whether what is flagged is to end the run.
pub(super) fn alarm(is_asked: bool, flagged: u64) -> Verdict {
    match is_asked && flagged > 0 {
        true => Verdict::Fails(format!("{} flagged", counted(flagged, "one is", "are"))),
        false => Verdict::Fine,
    }
}

pub(in super::super) fn evaluate(work: &Work<'_>) -> Result<Did> {
    let asked: RatingsRequest = work.request()?;
    if !asked.models.is_empty() {
        return super::learning::evaluate(work, &asked.file, asked.threshold, asked.strict);
    }
    let labels = asked.labels.ok_or_else(|| {
        Error::parameter("labels", "must say who is made up").with_hint("of a step `shill` it is `NAME.labels`")
    })?;
    let detectors = if asked.detectors.is_empty() { vec!["all".to_owned()] } else { asked.detectors };
    let request = ShillsRequest { ratings: ratings(&asked.file, &asked.ask)?, detectors, show_values: false };
    let found = run::evaluate_shills(&request, &labels, work.progress)?;
    Ok(Did::fine(as_json(&found)?).with_notes(found.notes))
}
