//! Steps that learn from labelled data, judge what was learnt, and put rules in order: train, assess, evaluate, review.
//!
//! `assess` is cross-validation on the training set of a model: its rows are drawn into folds, each is judged by a model of the same
//! settings that learnt from the others, and the numbers are means over the folds.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use throng_core::progress::Quiet;
use throng_core::{Error, Result, Rng};

use super::rows::{self, Rows};
use super::{Did, Work, as_json};
use crate::inputs::Inputs;
use crate::io::BadLines;
use crate::keywords;
use crate::kinds::Ask;
use crate::run::{
    self, BuildProfilesRequest, CompareProfilesRequest, EvaluateModelsRequest, ReviewModelRequest, TableReading,
    TrainTableRequest,
};

/// Where profiles lie.
const PROFILES: &str = "profiles.json";
/// Where a model lies.
const MODEL: &str = "model.json";
/// Numbers of a judged model, of which there is a mean.
const NUMBERS: [&str; 4] = ["accuracy", "precision", "recall", "auc"];
/// How many folds, if nobody says.
const FOLDS: usize = 5;

/// What `assess` is told, with what its model was told.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AssessRequest {
    #[serde(rename = "model")]
    _model: Inputs,
    folds: Option<usize>,
    seed: u64,
}

pub(in super::super) fn train(work: &Work<'_>) -> Result<Did> {
    let request = TrainTableRequest { out: work.folder.join(MODEL), ..work.request()? };
    let trained = run::train_table(&request, work.progress)?;
    Ok(Did::fine(as_json(&trained)?).with_notes(trained.notes))
}

pub(in super::super) fn review(work: &Work<'_>) -> Result<Did> {
    let request = ReviewModelRequest { out: work.folder.join(MODEL), ..work.request()? };
    Ok(Did::fine(as_json(&run::review_model(&request, work.progress)?)?))
}

/// Judges models on data that they have not seen.
pub(super) fn evaluate(work: &Work<'_>, file: &Inputs, threshold: Option<f64>, strict: bool) -> Result<Did> {
    let models: Vec<_> = work.inputs_of("model").flat_map(|input| input.paths.clone()).collect();
    let request = EvaluateModelsRequest { models, test: one(file)?, reading: reading(work), threshold, strict };
    let evaluated = run::evaluate_models(&request, work.progress)?;
    let mut found = as_json(&evaluated)?;
    // Models are called as their steps, wherever they lie.
    let named = found["models"].as_array_mut().into_iter().flatten();
    for (model, input) in named.zip(work.inputs_of("model")) {
        model["model"] = input.name.clone().into();
    }
    if let [only] = found["models"].as_array().map_or(&[][..], Vec::as_slice) {
        let only = only.clone();
        for (key, value) in only.as_object().into_iter().flatten().filter(|(key, _)| *key != "model") {
            found[key.as_str()] = value.clone();
        }
    }
    Ok(Did::fine(found).with_notes(evaluated.notes))
}

pub(in super::super) fn assess(work: &Work<'_>) -> Result<Did> {
    let asked: AssessRequest = work.request()?;
    let (keys, data) = work.learnt_by.as_ref().ok_or_else(|| Error::internal("a model that no step has learnt"))?;
    let request: TrainTableRequest = keywords::asked("train", keys.clone())?;
    let text = |key: &str| keys.get(key).and_then(Value::as_str);
    let ask = Ask {
        format: text("format").map(crate::io::Format::parse).transpose()?,
        no_header: request.reading.no_header,
        bad_lines: request.reading.bad_lines,
        ..Ask::default()
    };
    let table = rows::read_all(data, &ask, work.progress)?;
    let folds = asked.folds.unwrap_or(FOLDS);
    if folds < 2 || folds > table.len() {
        return Err(Error::parameter(
            "folds",
            format!("is {folds}, but must be from 2 to the number of rows, {}", table.len()),
        ));
    }
    let mut order: Vec<u32> = (0..table.len() as u32).collect();
    Rng::seeded(asked.seed).shuffle(&mut order);
    let each = (0..folds)
        .map(|fold| {
            work.progress.go_on()?;
            judged_fold(work, &request, &table, &order, [fold, folds])
        })
        .collect::<Result<Vec<Value>>>()?;
    let mut found = json!({"detector": request.detector, "folds": folds, "rows": table.len()});
    for name in NUMBERS {
        let numbers: Vec<f64> = each.iter().filter_map(|one| one[name].as_f64()).collect();
        found[name] = match numbers.len() {
            0 => Value::Null,
            count => (numbers.iter().sum::<f64>() / count as f64).into(),
        };
    }
    found["each"] = each.into();
    Ok(Did::fine(found))
}

/// How right a model is on one fold that learnt from the others.
fn judged_fold(
    work: &Work<'_>,
    request: &TrainTableRequest,
    table: &Rows,
    order: &[u32],
    [fold, folds]: [usize; 2],
) -> Result<Value> {
    let place = work.folder.join("fold");
    let failed = |cause| Error::io(format!("write into {}", work.folder.display()), cause);
    crate::pending::new_folder(&place).map_err(failed)?;
    let part = |is_test: bool| {
        let rows = order.iter().enumerate().filter(|(at, _)| (at % folds == fold) == is_test);
        let mut kept: Vec<u32> = rows.map(|(_, row)| *row).collect();
        kept.sort_unstable();
        kept
    };
    let (train, test, out) = (place.join("train.csv"), place.join("test.csv"), place.join(MODEL));
    table.write_all(&train, &part(false))?;
    table.write_all(&test, &part(true))?;
    let reading = TableReading::default();
    let quiet = Quiet(work.progress);
    let request = TrainTableRequest { input: train, out: out.clone(), reading: reading.clone(), ..request.clone() };
    run::train_table(&request, &quiet)?;
    let request = EvaluateModelsRequest { models: vec![out], test, reading, threshold: None, strict: false };
    let found = as_json(&run::evaluate_models(&request, &quiet)?)?;
    std::fs::remove_dir_all(&place).map_err(failed)?;
    let judged = &found["models"][0];
    let numbers = NUMBERS.into_iter().map(|name| (name.to_owned(), judged[name].clone()));
    Ok(Value::Object(numbers.collect::<Map<_, _>>()))
}

/// The one table that is meant.
fn one(file: &Inputs) -> Result<std::path::PathBuf> {
    let mut paths = file.paths()?;
    match paths.len() {
        1 => Ok(paths.remove(0)),
        _ => Err(Error::refused("models are judged on one table").with_hint("a step `integrate` makes one of several")),
    }
}

/// How a table is read, as the keys of a step say it.
pub(super) fn reading(work: &Work<'_>) -> TableReading {
    TableReading {
        format: work.text("format").map(str::to_owned),
        no_header: work.keys.get("no-header").is_some_and(|said| *said == true),
        bad_lines: if work.text("bad-lines") == Some("skip") { BadLines::Skip } else { BadLines::Fail },
    }
}

/// Makes profiles of a log, or holds a log against some.
pub(in super::super) fn profile(work: &Work<'_>) -> Result<Did> {
    if work.command != "profile compare" {
        let request = BuildProfilesRequest { out: work.folder.join(PROFILES), ..work.request()? };
        let built = run::build_profiles(&request, work.progress)?;
        return Ok(Did::fine(as_json(&built)?).with_notes(built.notes));
    }
    let mut keys = work.keys.clone();
    let is_asked = keys.remove("alarm").is_some_and(|said| said == true);
    let request: CompareProfilesRequest = keywords::asked(work.command, keys)?;
    let compared = run::compare_profiles(&request, work.progress)?;
    let verdict = super::detection::alarm(is_asked, compared.alarms as u64);
    Ok(Did { verdict, ..Did::fine(as_json(&compared)?).with_notes(compared.notes) })
}
