//! `throng shill`.

use throng::run::{self, ExperimentFound, Injected, ShiftFound};
use throng::words::{self, Line, counted};
use throng_core::Result;

use super::Done;
use crate::args::{Measuring, ShillArgs, ShillCommand};
use crate::printer::Printer;

pub(super) fn run(args: &ShillArgs, printer: &Printer) -> Result<Done> {
    match &args.command {
        ShillCommand::Inject(args) => {
            let found = run::inject(&args.request()?, printer.progress())?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&found)?;
            } else if printer.wants_summary() {
                printer.text(&words::as_text(&injected(&found)))?;
            }
        }
        ShillCommand::Measure(args) => match args.request()? {
            Measuring::Files(request) => {
                let found = run::shift(&request, printer.progress())?;
                found.notes.iter().for_each(|note| printer.note(note));
                if printer.json { printer.json(&found)? } else { printer.text(&words::as_text(&shifted(&found)))? }
            }
            Measuring::Experiment(request) => {
                let found = run::shill_experiment(&request, printer.progress())?;
                found.notes.iter().for_each(|note| printer.note(note));
                if printer.json {
                    printer.json(&found)?;
                } else if printer.wants_summary() {
                    let place = request.out.join("shilling.html");
                    printer.text(&words::as_text(&tried(&found, &place.display().to_string())))?;
                }
            }
        },
    }
    Ok(Done::Fine)
}

fn injected(found: &Injected) -> Vec<Line> {
    let mut lines = vec![
        Line::new("profiles", counted(found.profiles as u64, "made-up person", "made-up persons")),
        Line::new("fillers", format!("{} a profile", found.fillers)),
    ];
    if !found.selected.is_empty() {
        lines.push(Line::new("selected", found.selected.join(", ")));
    }
    if let Some(class) = found.class {
        lines.push(Line::new("target", format!("most of its ratings are {}", class.name())));
    }
    lines
}

fn shifted(found: &ShiftFound) -> Vec<Line> {
    let shown = |value: Option<f64>| value.map_or_else(|| "not defined".to_owned(), |value| format!("{value:+.4}"));
    let mut lines = vec![
        Line::new("shift", shown(found.shift)),
        Line::new("high range", format!("{} of the predictions", shown(found.hit_shift))),
        Line::new(
            "compared",
            format!("{}, {} not defined", counted(found.pairs as u64, "pair", "pairs"), found.undefined),
        ),
    ];
    for item in &found.items {
        lines.push(Line::new(format!("item {}", item.item), shown(item.shift)));
    }
    lines
}

/// The strongest attack of the largest size for each figure, and what became of the paper's findings.
fn tried(found: &ExperimentFound, page: &str) -> Vec<Line> {
    let largest = found.settings.sizes.iter().copied().fold(0.0, f64::max);
    let mut lines = Vec::new();
    let place = |one: &throng::run::ExperimentShift| (one.recommender, one.class);
    for curves in found.shifts.chunk_by(|left, right| place(left) == place(right)) {
        let sign = if found.settings.direction == throng_core::shilling::Direction::Push { 1.0 } else { -1.0 };
        let of_largest = curves.iter().filter(|one| one.size == largest && one.shift.is_some());
        let far = |one: &&throng::run::ExperimentShift| sign * one.shift.unwrap_or(0.0);
        let strongest = of_largest.reduce(|best, one| if far(&one) > far(&best) { one } else { best });
        let said = strongest.and_then(|one| Some((one.attack.name(), one.shift?))).map_or_else(
            || "nothing can be predicted".to_owned(),
            |(attack, shift)| {
                format!("{shift:+.2} by {attack} with {} %", throng::report::chart::plain(100.0 * largest))
            },
        );
        lines.push(Line::new(format!("{}, {}", curves[0].recommender.name(), curves[0].class.name()), said));
    }
    for finding in &found.findings {
        if finding.holds.is_some() {
            lines.push(Line::new(
                format!("figure {}", finding.figure),
                format!("{}: {}", finding.says, finding.verdict()),
            ));
        }
    }
    lines.push(Line::new("page", page));
    lines
}
