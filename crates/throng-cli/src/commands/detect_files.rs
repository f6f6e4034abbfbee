//! `throng detect` with files: what was learnt, scored and acquired, and the paper's tables, in words.

use throng::run::{self, Acquired, DaysOutcome, FilesGridOutcome, FilesTable, FilesTrained};
use throng::words::{self, Line, counted};
use throng_core::Result;

use crate::args::FilesExperiment;
use crate::printer::Printer;

pub(super) fn trained(found: &FilesTrained) -> Vec<Line> {
    vec![
        Line::new("detector", found.detector),
        Line::new(
            "files",
            format!(
                "{}, {} positive, {} with the bytes of another",
                words::thousands(found.files as u64),
                words::thousands(found.positives as u64),
                words::thousands(found.copies as u64)
            ),
        ),
        Line::new("features", words::thousands(found.features as u64)),
        Line::new("support", counted(found.support as u64, "file", "files")),
    ]
}

pub(super) fn acquired(found: &Acquired) -> Vec<Line> {
    let mut lines = vec![
        Line::new("to look at", counted(found.acquired.len() as u64, "file", "files")),
        Line::new("seen before", words::thousands(found.seen_before as u64)),
    ];
    for file in &found.acquired {
        let path = file.path.as_ref().map_or_else(String::new, |path| format!(" ({path})"));
        lines.push(Line::more(format!("{}{path}: {}", file.sha256, words::number(file.score))));
    }
    lines
}

/// Runs an experiment and prints it.
pub(super) fn evaluate(experiment: &FilesExperiment, printer: &Printer) -> Result<()> {
    match experiment {
        FilesExperiment::Table(request) => {
            let found = run::evaluate_table(request, printer.progress())?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json { printer.json(&found) } else { printer.text(&table(&found)) }
        }
        FilesExperiment::Grid(request) => {
            let found = run::run_experiment(request, printer.progress())?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json { printer.json(&found) } else { printer.text(&words::as_text(&grid(&found))) }
        }
        FilesExperiment::Days(request) => {
            let found = run::evaluate_days(request, printer.progress())?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json { printer.json(&found) } else { printer.text(&days(&found)) }
        }
    }
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

fn name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn table(found: &FilesTable) -> String {
    let mut text = format!(
        "Table 1: {} files, {} positive, {} folds; {}-grams, {}, {} features by {}, cost {}\n\n{:8} {:>8} {:>8} {:>8}\n",
        words::thousands(found.files as u64),
        words::thousands(found.positives as u64),
        found.folds,
        found.settings.n,
        name(&found.settings.represent),
        found.settings.features,
        name(&found.settings.select),
        found.machine.cost,
        "kernel",
        "accuracy",
        "FP",
        "FN"
    );
    for of in &found.kernels {
        text.push_str(&format!(
            "{:8} {:>8} {:>8} {:>8}\n",
            name(&of.kernel),
            shown(of.accuracy),
            shown(of.false_positive_rate),
            shown(of.false_negative_rate)
        ));
    }
    text
}

fn grid(found: &FilesGridOutcome) -> Vec<Line> {
    let mut lines = vec![Line::new(
        "runs",
        format!(
            "{}, {} of them the paper's, {} done before",
            words::thousands(found.runs as u64),
            words::thousands(found.in_paper as u64),
            words::thousands(found.kept as u64)
        ),
    )];
    if let Some(best) = &found.best {
        lines.push(Line::new(
            "best",
            format!(
                "{}-grams, {}, ranks {}, {} features by {}, {}: accuracy {}",
                best.n,
                name(&best.represent),
                best.top,
                best.features,
                name(&best.select),
                name(&best.kernel),
                shown(best.accuracy)
            ),
        ));
    }
    lines
}

fn days(found: &DaysOutcome) -> String {
    let mut text = format!(
        "{} days, {} new files and {} looked at a day, {} known at first; means over {} folds\n\n{:32}",
        found.days, found.daily, found.budget, found.known, found.folds, ""
    );
    for of in &found.strategies {
        text.push_str(&format!(" {:>15}", of.strategy));
    }
    text.push('\n');
    let mut row = |label: &str, value: &dyn Fn(&run::StrategyOutcome) -> String| {
        text.push_str(&format!("{label:32}"));
        for of in &found.strategies {
            text.push_str(&format!(" {:>15}", value(of)));
        }
        text.push('\n');
    };
    row("precision benign", &|of| shown(of.precision_new_benign));
    row("precision malicious", &|of| shown(of.precision_new_malicious));
    row("recall benign", &|of| shown(of.recall_new_benign));
    row("recall malicious", &|of| shown(of.recall_new_malicious));
    row("accuracy of new, not acquired", &|of| shown(of.accuracy_not_acquired));
    row("accuracy of neither", &|of| shown(of.accuracy_known));
    row("initial accuracy", &|of| shown(of.initial_accuracy));
    row("final accuracy", &|of| shown(of.final_accuracy));
    row("final recall malicious", &|of| shown(of.final_recall));
    row("files in the stream", &|of| format!("{:.1}", of.stream));
    row("new files", &|of| format!("{:.1}", of.new));
    row("acquired", &|of| format!("{:.1}", of.acquired));
    row("acquired malicious", &|of| format!("{:.1}", of.acquired_malicious));
    text
}
