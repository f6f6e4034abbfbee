//! Made-up profiles in ratings: whom a detector flags, and how right it is where labels say who is made up.

use std::path::Path;

use serde::Serialize;
use throng_core::data::ratings::Ratings;
use throng_core::data::{Interner, Strings};
use throng_core::detectors::{Detector, Found, Reason, twins};
use throng_core::progress::Progress;
use throng_core::shilling::Direction;
use throng_core::{Error, Result};

use super::super::certified::is_release;
use super::super::recommend::{RatingsFile, notes};
use crate::catalog;
use crate::io::csv_records;
use crate::io::ratings::ReadRatings;
use crate::limits;

/// How many persons a file has at least that is taken for a release because most of them are twins.
const CROWD: usize = 20;

/// Whom to look for.
#[derive(Debug, Clone)]
pub struct ShillsRequest {
    /// The ratings.
    pub ratings: RatingsFile,
    /// By what; the default detector if none is named. `all` is everyone, where several may stand side by side.
    pub detectors: Vec<String>,
    /// Whether ids are shown.
    pub show_values: bool,
}

/// How much every person is out of place.
#[derive(Debug, Serialize)]
pub struct ShillScores {
    /// By what.
    pub detector: &'static str,
    /// How many persons there are.
    pub scored: usize,
    /// How many are flagged.
    pub flagged: usize,
    /// The score beyond which they are.
    pub threshold: f64,
    /// Which side of the threshold is suspect: `high` or `low`.
    pub suspect: throng_core::detectors::Suspect,
    /// What those are after, if that was found.
    pub target: Option<DetectedTarget>,
    /// Everybody, in the order of the file.
    pub scores: Vec<ShillScore>,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// An item that flagged persons push or nuke.
#[derive(Debug, Serialize)]
pub struct DetectedTarget {
    /// The first line of the item.
    pub line: u64,
    /// Where it is to go.
    pub direction: Direction,
    /// Its id; only if ids are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
}

/// How much a person is out of place.
#[derive(Debug, Serialize)]
pub struct ShillScore {
    /// The first line of the person.
    pub line: u64,
    /// The person; only if ids are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// How much.
    pub score: f64,
    /// Whether somebody should look at them.
    pub flag: bool,
    /// Why.
    pub reasons: Vec<Reason>,
}

/// Scores everybody in a file of ratings.
pub fn score_shills(request: &ShillsRequest, progress: &dyn Progress) -> Result<ShillScores> {
    let detector = match &request.detectors[..] {
        [] => catalog::rating_detector(None)?,
        [one] => catalog::rating_detector(Some(one))?,
        _ => return Err(Error::parameter("detector", "names several, but scores are those of one")),
    };
    let read = read(&request.ratings, progress)?;
    let found = detect(detector, &read.ratings, progress)?;
    let ratings = &read.ratings;
    let target = found.target.map(|target| DetectedTarget {
        line: read.first_lines.items[target.item as usize],
        direction: target.direction,
        item: request.show_values.then(|| ratings.item_ids().get(target.item).to_owned()),
    });
    let scores = (0..ratings.persons()).map(|person| ShillScore {
        line: read.first_lines.persons[person],
        id: request.show_values.then(|| ratings.person_ids().get(person as u32).to_owned()),
        score: found.scores[person],
        flag: found.flags[person],
        reasons: found.reasons[person].clone(),
    });
    Ok(ShillScores {
        detector: detector.info().name,
        scored: ratings.persons(),
        flagged: found.flagged(),
        threshold: found.threshold,
        suspect: found.suspect,
        target,
        scores: scores.collect(),
        notes: notes(&read),
    })
}

/// Detectors side by side.
#[derive(Debug, Serialize)]
pub struct ShillsEvaluated {
    /// One after the other.
    pub detectors: Vec<DetectorOutcome>,
    /// How many persons are made up.
    pub shills: usize,
    /// How many are not.
    pub genuine: usize,
    /// What should be said.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// How right a detector was.
#[derive(Debug, Serialize)]
pub struct DetectorOutcome {
    /// Its name.
    pub name: &'static str,
    /// What share of those flagged are made up.
    pub precision: Option<f64>,
    /// What share of those made up are flagged.
    pub recall: Option<f64>,
    /// What share of genuine persons are flagged.
    pub false_alarms: Option<f64>,
    /// How many are flagged.
    pub flagged: usize,
    /// What share would be found if as many were flagged as are made up.
    pub at_count: Option<f64>,
}

/// Compares detectors on ratings of which it is known who is made up.
pub fn evaluate_shills(request: &ShillsRequest, labels: &Path, progress: &dyn Progress) -> Result<ShillsEvaluated> {
    let is_all = request.detectors.is_empty() || request.detectors.iter().any(|name| name == "all");
    let detectors: Vec<&dyn Detector<Ratings>> = if is_all {
        catalog::RATING_DETECTORS.to_vec()
    } else {
        request.detectors.iter().map(|name| catalog::rating_detector(Some(name))).collect::<Result<_>>()?
    };
    let read = read(&request.ratings, progress)?;
    let is_shill = read_labels(labels, read.ratings.person_ids())?;
    let shills = is_shill.iter().filter(|&&is_shill| is_shill).count();
    let genuine = is_shill.len() - shills;
    let mut outcomes = Vec::new();
    for detector in detectors {
        let found = detect(detector, &read.ratings, progress)?;
        let right = found.flags.iter().zip(&is_shill).filter(|&(&flag, &is_shill)| flag && is_shill).count();
        let flagged = found.flagged();
        let share = |some: usize, of: usize| (of > 0).then(|| some as f64 / of as f64);
        outcomes.push(DetectorOutcome {
            name: detector.info().name,
            precision: share(right, flagged),
            recall: share(right, shills),
            false_alarms: share(flagged - right, genuine),
            flagged,
            at_count: found.found_at_count(&is_shill),
        });
    }
    Ok(ShillsEvaluated { detectors: outcomes, shills, genuine, notes: notes(&read) })
}

/// Reads ratings that are no release: in one, persons look the same by construction.
fn read(file: &RatingsFile, progress: &dyn Progress) -> Result<ReadRatings> {
    let inside = file.file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if is_release(&file.file) || inside.is_some_and(is_release) {
        return Err(release(&file.file, "it has a certificate"));
    }
    file.read(progress)
}

fn release(file: &Path, why: &str) -> Error {
    Error::refused(format!(
        "this is a release, for {why}: its persons are twins by construction, and nothing about them is a sign of shilling"
    ))
    .in_file(file.display().to_string())
    .with_hint("look for made-up profiles in the original, before it is protected")
}

/// What a detector finds; refused where most persons are twins.
fn detect(detector: &dyn Detector<Ratings>, ratings: &Ratings, progress: &dyn Progress) -> Result<Found> {
    let found = detector.detect(ratings, progress)?;
    let is_twin = |person: &usize| {
        found.reasons[*person].contains(&Reason::Twins)
            || detector.info().name == twins::INFO.name && found.flags[*person]
    };
    let all = (0..ratings.persons()).filter(is_twin).count();
    if ratings.persons() >= CROWD && 2 * all > ratings.persons() {
        return Err(Error::refused(
            "most persons rate exactly as others do, as in a release with k-anonymity: twins are no sign of shilling there",
        )
        .with_hint("look for made-up profiles in the original, before it is protected"));
    }
    Ok(found)
}

/// Reads who is genuine and who a shill, for the persons of some ratings.
fn read_labels(path: &Path, persons: &Strings) -> Result<Vec<bool>> {
    let in_file = |error: Error| error.in_file(path.display().to_string());
    let bytes = limits::read_file(path, "the labels ", limits::MOST_KEY_BYTES)?;
    let records = csv_records(&bytes);
    let hint = "labels are a CSV with the header `user,label`, and `genuine` or `shill` for every person";
    let column = |header: &[Vec<u8>], name: &str| header.iter().position(|field| field == name.as_bytes());
    let (user, label) = match records.split_first() {
        Some(((_, header), _)) => match (column(header, "user"), column(header, "label")) {
            (Some(user), Some(label)) => (user, label),
            _ => return Err(in_file(Error::data("there is no header `user,label`").at_line(1).with_hint(hint))),
        },
        None => return Err(in_file(Error::data("the file of labels is empty").with_hint(hint))),
    };
    let names = Interner::from(persons);
    let mut found: Vec<Option<bool>> = vec![None; persons.len()];
    for (line, record) in &records[1..] {
        let field = |at: usize| record.get(at).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let (Some(id), Some(text)) = (field(user), field(label)) else {
            return Err(in_file(Error::data("the line lacks a cell").at_line(*line).with_hint(hint)));
        };
        let is_shill = match text.trim() {
            "shill" => true,
            "genuine" => false,
            _ => {
                return Err(in_file(
                    Error::data("the label is neither `genuine` nor `shill`").at_line(*line).with_hint(hint),
                ));
            }
        };
        let Some(person) = names.find(id) else {
            return Err(in_file(
                Error::data("the person is not in the ratings")
                    .at_line(*line)
                    .with_value(id)
                    .with_hint("are these the labels of another file?"),
            ));
        };
        if found[person as usize].replace(is_shill).is_some_and(|before| before != is_shill) {
            return Err(in_file(
                Error::data("the person has another label in a line before").at_line(*line).with_value(id),
            ));
        }
    }
    let missing = found.iter().filter(|label| label.is_none()).count();
    if missing > 0 {
        return Err(in_file(
            Error::data(format!(
                "{} of the ratings no label",
                crate::words::counted(missing as u64, "person has", "persons have")
            ))
            .with_hint(hint),
        ));
    }
    Ok(found.into_iter().map(|label| label == Some(true)).collect())
}
