//! `throng detect`.

use throng::run::{
    self, DetectorOutcome, ModelQuality, ModelReviewed, ModelsEvaluated, Scored, ShillScores, ShillsEvaluated,
    TableTrained,
};
use throng::words::{self, Line, counted};
use throng_core::Result;

use super::{Done, detect_files};
use crate::args::{DetectArgs, DetectCommand};
use crate::printer::Printer;

/// How many of those flagged are shown in words.
const SHOWN: usize = 20;

pub(super) fn run(args: &DetectArgs, show_values: bool, printer: &Printer) -> Result<Done> {
    match &args.command {
        DetectCommand::Train(args) if args.is_files() => {
            let trained = run::train_files(&args.files()?, printer.progress())?;
            trained.notes.iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&trained)?
            } else if printer.wants_summary() {
                printer.text(&words::as_text(&detect_files::trained(&trained)))?
            }
            Ok(Done::Fine)
        }
        DetectCommand::Train(args) => {
            let trained = run::train_table(&args.request()?, printer.progress())?;
            trained.notes.iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&trained)?
            } else if printer.wants_summary() {
                printer.text(&words::as_text(&learnt(&trained)))?
            }
            Ok(Done::Fine)
        }
        DetectCommand::Score(args) if args.model.is_some() => {
            let Some(request) = args.by_model(show_values)? else { return Ok(Done::Fine) };
            let found = run::score(&request, printer.progress())?;
            found.notes().iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&found)?
            } else {
                printer.text(&words::as_text(&by_model(&found)))?
            }
            Ok(if args.alarm && found.counts().1 > 0 { Done::Fails } else { Done::Fine })
        }
        DetectCommand::Score(args) => {
            let found = run::score_shills(&args.request(show_values)?, printer.progress())?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&found)?
            } else {
                printer.text(&words::as_text(&scored(&found)))?
            }
            Ok(if args.alarm && found.flagged > 0 { Done::Fails } else { Done::Fine })
        }
        DetectCommand::Acquire(args) => {
            let found = run::acquire(&args.request(show_values)?, printer.progress())?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&found)?
            } else {
                printer.text(&words::as_text(&detect_files::acquired(&found)))?
            }
            Ok(Done::Fine)
        }
        DetectCommand::Evaluate(args) if args.is_files() => {
            detect_files::evaluate(&args.experiment()?, printer)?;
            Ok(Done::Fine)
        }
        DetectCommand::Review(args) => {
            let found = run::review_model(&args.request(), printer.progress())?;
            if printer.json {
                printer.json(&found)?
            } else if printer.wants_summary() {
                printer.text(&words::as_text(&reviewed(&found)))?
            }
            Ok(Done::Fine)
        }
        DetectCommand::Evaluate(args) => {
            if let Some(request) = args.of_profiles()? {
                return super::profile::evaluate(&request, printer);
            }
            let Some(labels) = &args.labels else {
                let found = run::evaluate_models(&args.models()?, printer.progress())?;
                found.notes.iter().for_each(|note| printer.note(note));
                if printer.json {
                    printer.json(&found)?
                } else {
                    printer.text(&side_by_side(&found))?
                }
                return Ok(Done::Fine);
            };
            let found = run::evaluate_shills(&args.request()?, labels, printer.progress())?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&found)?
            } else {
                printer.text(&evaluated(&found))?
            }
            Ok(Done::Fine)
        }
    }
}

fn learnt(trained: &TableTrained) -> Vec<Line> {
    let mut lines = vec![
        Line::new("detector", trained.detector),
        Line::new("rows", words::thousands(trained.rows as u64)),
        Line::new("positive", words::thousands(trained.positives as u64)),
        Line::new("columns", words::thousands(trained.columns as u64)),
    ];
    lines.extend(trained.learnt.iter().map(|(name, size)| Line::new(*name, words::number(*size))));
    lines
}

fn by_model(found: &Scored) -> Vec<Line> {
    let (scored, flagged) = found.counts();
    let mut lines = vec![
        Line::new("detector", found.detector()),
        Line::new("scored", words::thousands(scored as u64)),
        Line::new("flagged", share_of(flagged, scored)),
    ];
    match found {
        Scored::Files(files) => {
            let flagged = files.scores.iter().filter(|score| score.flag);
            let more = flagged.clone().count().saturating_sub(SHOWN);
            lines.extend(flagged.take(SHOWN).map(|file| {
                let path = file.path.as_ref().map_or_else(String::new, |path| format!(" ({path})"));
                Line::more(format!("{}{path}: {}", file.sha256, words::number(file.score)))
            }));
            if more > 0 {
                lines.push(Line::more(format!("and {more} more; --json shows all")));
            }
        }
        Scored::Rows(rows) => {
            let flagged = rows.scores.iter().filter(|score| score.flag);
            let more = flagged.clone().count().saturating_sub(SHOWN);
            lines.extend(
                flagged.take(SHOWN).map(|row| Line::more(format!("line {}: {}", row.line, words::number(row.score)))),
            );
            if more > 0 {
                lines.push(Line::more(format!("and {more} more; --json shows all")));
            }
        }
    }
    lines
}

fn reviewed(found: &ModelReviewed) -> Vec<Line> {
    let mut lines = vec![
        Line::new("detector", found.detector),
        Line::new(
            "rules",
            format!("{} of {}", words::thousands(found.rules as u64), words::thousands(found.before as u64)),
        ),
    ];
    lines.extend(found.groups.map(|groups| Line::new("groups", words::thousands(groups as u64))));
    lines.extend(found.first.iter().map(|rule| Line::more(rule.as_str())));
    lines
}

/// A table of models, then the recall of each family.
fn side_by_side(found: &ModelsEvaluated) -> String {
    let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
    let mut text = format!(
        "{}\n\n{:22} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        counted(found.rows as u64, "row", "rows"),
        "detector",
        "accuracy",
        "precision",
        "recall",
        "auc",
        "flagged",
        "known"
    );
    for model in &found.models {
        text.push_str(&format!(
            "{:22} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
            model.detector,
            shown(model.accuracy),
            shown(model.precision),
            shown(model.recall),
            shown(model.auc),
            model.flagged,
            model.known
        ));
    }
    let families = found.models.iter().flat_map(|model| model.families.keys());
    let mut families: Vec<&String> = families.collect();
    families.sort();
    families.dedup();
    if !families.is_empty() {
        text.push_str("\nrecall of each family\n");
    }
    for family in families {
        let of = |model: &ModelQuality| shown(model.families.get(family).map(|family| family.recall));
        let recalls: Vec<String> = found.models.iter().map(of).collect();
        text.push_str(&format!("{family:22} {}\n", recalls.join("  ")));
    }
    text
}

fn share_of(some: usize, all: usize) -> String {
    format!("{} ({:.2} %)", words::thousands(some as u64), 100.0 * some as f64 / all.max(1) as f64)
}

fn scored(found: &ShillScores) -> Vec<Line> {
    let mut lines = vec![
        Line::new("detector", found.detector),
        Line::new("persons", words::thousands(found.scored as u64)),
        Line::new("flagged", share_of(found.flagged, found.scored)),
    ];
    if let Some(target) = &found.target {
        let direction = if target.direction == throng_core::shilling::Direction::Push { "up" } else { "down" };
        let item = target.item.as_ref().map_or_else(String::new, |item| format!(" ({item})"));
        lines.push(Line::new("target", format!("the item of line {}{item} is to go {direction}", target.line)));
    }
    let flagged: Vec<_> = found.scores.iter().filter(|score| score.flag).collect();
    for score in flagged.iter().take(SHOWN) {
        let reasons: Vec<String> = score.reasons.iter().map(|reason| format!("{reason:?}").to_lowercase()).collect();
        let id = score.id.as_ref().map_or_else(String::new, |id| format!(" ({id})"));
        lines.push(Line::more(
            format!("line {}{id}: {} {}", score.line, words::number(score.score), reasons.join(", ")).trim_end(),
        ));
    }
    if flagged.len() > SHOWN {
        lines.push(Line::more(format!("and {} more; --json shows all", flagged.len() - SHOWN)));
    }
    lines
}

fn evaluated(found: &ShillsEvaluated) -> String {
    let mut text = format!(
        "{} among {} genuine\n\n{:16} {:>9} {:>9} {:>12} {:>8} {:>8}\n",
        counted(found.shills as u64, "shill", "shills"),
        words::thousands(found.genuine as u64),
        "detector",
        "precision",
        "recall",
        "false alarms",
        "flagged",
        "at count"
    );
    let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    for DetectorOutcome { name, precision, recall, false_alarms, flagged, at_count } in &found.detectors {
        text.push_str(&format!(
            "{name:16} {:>9} {:>9} {:>12} {flagged:>8} {:>8}\n",
            shown(*precision),
            shown(*recall),
            shown(*false_alarms),
            shown(*at_count)
        ));
    }
    text
}
