//! `throng shill`.

use throng::run::{self, Injected, ShiftFound};
use throng::words::{self, Line, counted};
use throng_core::Result;

use super::Done;
use crate::args::{ShillArgs, ShillCommand};
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
        ShillCommand::Measure(args) => {
            let found = run::shift(&args.request()?, printer.progress())?;
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json { printer.json(&found)? } else { printer.text(&words::as_text(&shifted(&found)))? }
        }
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
