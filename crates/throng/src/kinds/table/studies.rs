//! Papers' evaluations of tables, as tables of numbers and charts.

use throng_core::Result;
use throng_core::data::Table;
use throng_core::guessing::study::{self, At, Rival};
use throng_core::progress::Progress;

use crate::report::chart::{Bar, Chart, Series, Shape};
use crate::run::StudyPart;

/// The evaluation of guessing anonymity: table 5 and figures 6 to 8.
pub(super) fn guessing(table: &Table, draws: usize, seed: u64, progress: &dyn Progress) -> Result<Vec<StudyPart>> {
    let found = study::study(table, draws, seed, progress)?;
    let target = table.target().unwrap_or_default();
    let predicted = found.fitted.as_deref().unwrap_or("nothing");
    Ok(vec![
        rivals(&found.rivals),
        figure(
            "figure-6",
            "bound",
            "The bound of the mean number of guesses, by distortion".to_owned(),
            "guesses",
            &found.bounds,
        ),
        figure(
            "figure-7",
            "accuracy",
            format!("How often a decision tree predicts {target}, by distortion"),
            "share that is right",
            &found.accuracies,
        ),
        figure(
            "figure-8",
            "correlation",
            format!("How well a linear fit predicts {predicted}, by distortion"),
            "correlation",
            &found.correlations,
        ),
    ])
}

fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A figure over distortion, the original as a line.
fn figure(name: &'static str, value: &'static str, title: String, up: &str, points: &[At]) -> StudyPart {
    let has_third = points.iter().any(|at| at.on_originals.is_some());
    let mut head = vec!["distortion", value, "original"];
    head.extend(has_third.then_some("on_originals"));
    let row = |at: &At| {
        let mut row = vec![at.distortion.to_string(), number(at.value), number(at.original)];
        row.extend(has_third.then(|| number(at.on_originals)));
        row
    };
    let line = |name: &str, colour: usize, of: fn(&At) -> Option<f64>| Series {
        name: name.to_owned(),
        points: points.iter().filter_map(|at| Some((at.distortion, of(at)?))).collect(),
        colour,
        ..Series::default()
    };
    let mut lines = vec![line("release", 0, |at| at.value), line("original", 1, |at| at.original)];
    if has_third {
        lines.push(line("learnt from the release, tested on the original", 2, |at| at.on_originals));
    }
    lines.retain(|line| !line.points.is_empty());
    let chart = Chart {
        title,
        across: "expected distortion of a row".to_owned(),
        up: up.to_owned(),
        shape: Shape::Lines(lines),
    };
    StudyPart { name, head, rows: points.iter().map(row).collect(), chart }
}

/// Table 5.
fn rivals(rivals: &[Rival]) -> StudyPart {
    let row = |rival: &Rival| {
        let numbers = [rival.unprotected, rival.mean_guesses, rival.mean_variance].map(|number| number.to_string());
        let words = [rival.method.to_owned(), rival.objective.to_owned()];
        words.into_iter().chain(numbers).chain([rival.records.to_string()]).collect()
    };
    let bar = |(at, rival): (usize, &Rival)| Bar {
        label: format!("{}, {}", rival.method, rival.objective),
        from: at as f64,
        to: Some(at as f64 + 1.0),
        height: rival.unprotected,
    };
    let chart = Chart {
        title: "Rows that are guessed first: guessing-noise and probabilistic-noise, for the objectives bound and log"
            .to_owned(),
        across: "guessing-noise, probabilistic-noise (bound); the same (log)".to_owned(),
        up: "rows".to_owned(),
        shape: Shape::Bars(rivals.iter().enumerate().map(bar).collect()),
    };
    StudyPart {
        name: "table-5",
        head: vec!["method", "objective", "unprotected", "mean_guesses", "mean_variance", "records"],
        rows: rivals.iter().map(row).collect(),
        chart,
    }
}
