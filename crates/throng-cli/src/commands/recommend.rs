//! `throng recommend`.

use std::fmt::Write as _;

use throng::run::{self, Evaluated, Predicted, SimilarFound, TopFound};
use throng::words::counted;
use throng_core::Result;
use throng_core::recommenders::FellBack;

use super::Done;
use crate::args::{RecommendArgs, RecommendCommand};
use crate::printer::Printer;

pub(super) fn run(args: &RecommendArgs, show_values: bool, printer: &Printer) -> Result<Done> {
    let progress = printer.progress();
    match &args.command {
        RecommendCommand::Predict(args) => {
            let found = run::predict(&args.request(show_values)?, progress)?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json { printer.json(&found)? } else { printer.text(&predicted(&found))? }
        }
        RecommendCommand::Evaluate(args) => {
            let found = run::evaluate(&args.request()?, progress)?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json { printer.json(&found)? } else { printer.text(&evaluated(&found))? }
        }
        RecommendCommand::Similar(args) => {
            let found = run::similar(&args.request()?, progress)?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json { printer.json(&found)? } else { printer.text(&similar(&found))? }
        }
        RecommendCommand::Top(args) => {
            let found = run::top(&args.request()?, progress)?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json { printer.json(&found)? } else { printer.text(&top(&found))? }
        }
    }
    Ok(Done::Fine)
}

fn predicted(found: &Predicted) -> String {
    let mut text = String::new();
    for line in &found.predictions {
        let ids: String = [&line.user, &line.item].into_iter().flatten().map(|id| format!("  {id}")).collect();
        let prediction = line.prediction.map_or_else(|| "none".to_owned(), |value| format!("{value:.4}"));
        let by = match line.fallback {
            None => counted(line.neighbours as u64, "neighbour", "neighbours"),
            Some(FellBack::UserMean) => "the mean of the person".to_owned(),
            Some(FellBack::GlobalMean) => "the mean of all ratings".to_owned(),
        };
        let _ = writeln!(text, "line {}{ids}  {prediction}  ({by})", line.line);
    }
    let _ = write!(
        text,
        "{}, {} means that stand in",
        counted(found.pairs as u64, "prediction", "predictions"),
        found.fallbacks
    );
    if found.undefined > 0 {
        let _ = write!(text, ", {} not defined", found.undefined);
    }
    if let (Some(mae), Some(rmse)) = (found.mae, found.rmse) {
        let _ = write!(text, "; mean absolute error {mae:.4}, root of the mean squared error {rmse:.4}");
    }
    text + "\n"
}

fn evaluated(found: &Evaluated) -> String {
    let mut text = format!("{:<22}{:>9}{:>9}{:>12}{:>10}\n", "recommender", "MAE", "RMSE", "fallbacks", "seconds");
    for recommender in &found.recommenders {
        let error = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.4}"));
        let _ = writeln!(
            text,
            "{:<22}{:>9}{:>9}{:>12}{:>10.2}",
            recommender.name,
            error(recommender.mae),
            error(recommender.rmse),
            recommender.fallbacks,
            recommender.seconds
        );
    }
    let _ = write!(
        text,
        "{} each",
        counted(found.predicted as u64, "rating was predicted by", "ratings were predicted by")
    );
    if let Some(memory) = found.peak_memory_mb {
        let _ = write!(text, "; {memory} MB of memory at most");
    }
    text + "\n"
}

fn similar(found: &SimilarFound) -> String {
    let mut text = String::new();
    for one in &found.similar {
        let id = one.user.as_ref().or(one.item.as_ref()).map_or("", String::as_str);
        let common = counted(u64::from(one.common), "rating", "ratings");
        let _ = writeln!(text, "{:>8.4}  {id}  ({common} in common)", one.similarity);
    }
    text
}

fn top(found: &TopFound) -> String {
    let mut text = String::new();
    for item in &found.items {
        let title = item.title.as_ref().map_or_else(String::new, |title| format!("  {title}"));
        let _ = writeln!(text, "{:>8.4}  {}{title}", item.prediction, item.item);
    }
    text
}
