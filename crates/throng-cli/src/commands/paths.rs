//! `throng paths`, and `throng check --model cube-threshold`.

use std::fmt::Write as _;

use serde_json::json;
use throng::run::{self, CubeCheckOutcome, CubeCheckRequest, CubeMade, Reconstructed};
use throng::words::{self, Line, counted, percent};
use throng_core::data::time::{TimeStyle, to_text};
use throng_core::models::cube_threshold;
use throng_core::paths::cube::Row;
use throng_core::{Error, Result};

use super::{Done, knowledge, note_refused, note_unmapped};
use crate::args::{Check, Cube, PathsArgs, PathsCommand, threshold};
use crate::printer::Printer;

pub(super) fn run(args: &PathsArgs, printer: &Printer) -> Result<Done> {
    match &args.command {
        PathsCommand::Reconstruct(args) => {
            let found = run::reconstruct(&args.request()?, printer.progress())?;
            note_refused(found.kind, found.rows_refused, printer);
            note_unmapped(&found.unmapped, "left out", printer);
            found.notes.iter().for_each(|note| printer.note(note));
            if printer.json {
                printer.json(&found)?;
            } else if printer.wants_summary() {
                printer.text(&words::as_text(&reconstructed(&found)))?;
            }
        }
        PathsCommand::Cube(args) => cube(args, printer)?,
        PathsCommand::Cluster(args) => knowledge::cluster(args, printer)?,
        PathsCommand::Patterns(args) => knowledge::patterns(args, printer)?,
        PathsCommand::Classify(args) => knowledge::classify(args, printer)?,
    }
    Ok(Done::Fine)
}

fn cube(args: &Cube, printer: &Printer) -> Result<()> {
    let one = || match &args.file[..] {
        [file] => Ok(file),
        _ => Err(Error::refused("one cube is asked at a time")),
    };
    if let Some(page) = &args.page {
        let rows = run::draw_cube(one()?, page)?;
        return if printer.json {
            printer.json(&json!({"page": page.display().to_string(), "rows": rows}))
        } else if printer.wants_summary() {
            let drawn = format!("{}, {}", page.display(), counted(rows as u64, "row", "rows"));
            printer.text(&words::as_text(&[Line::new("page", drawn)]))
        } else {
            Ok(())
        };
    }
    if let Some(question) = args.question() {
        let file = one()?;
        let rows = run::ask_cube(file, &question)?;
        return if printer.json { printer.json(&json!({"rows": shown(&rows)})) } else { printer.text(&table(&rows)) };
    }
    let made = run::make_cube(&args.request()?, printer.progress())?;
    made.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&made)
    } else if printer.wants_summary() {
        printer.text(&words::as_text(&counted_cube(&made)))
    } else {
        Ok(())
    }
}

fn reconstructed(found: &Reconstructed) -> Vec<Line> {
    let counts = &found.counts;
    let dropped = format!(
        "{} of repeats, {} of impossible speed, {} of the same cell",
        counts.dropped_repeats, counts.dropped_speed, counts.merged_cells
    );
    vec![
        Line::new("points", format!("{} of {}", counts.points, counted(counts.persons, "person", "persons"))),
        Line::new("trips", counts.trips.to_string()),
        Line::new("stays", counts.stays.to_string()),
        Line::new("gaps", counts.gaps.to_string()),
        Line::new("dropped", dropped),
        Line::new("resorted", counts.resorted.to_string()),
    ]
}

fn counted_cube(made: &CubeMade) -> Vec<Line> {
    let mut lines = vec![
        Line::new("rows", made.rows.to_string()),
        Line::new("points", format!("{} are in a row", percent(made.observations_kept))),
    ];
    if let Some(zoom) = made.mean_zoom {
        lines.push(Line::new("zoom", format!("{zoom:.2} on average")));
    }
    let left_out = &made.left_out;
    lines.push(Line::new(
        "left out",
        format!(
            "{}, {} with too few people, {} that would give something away",
            counted(left_out.observations, "point", "points"),
            counted(left_out.cells, "cell", "cells"),
            counted(left_out.totals, "total", "totals")
        ),
    ));
    lines
}

/// Rows as JSON, times as text.
fn shown(rows: &[Row]) -> Vec<serde_json::Value> {
    let row = |row: &Row| {
        json!({
            "cell": row.cell,
            "part": row.part.name(),
            "time": row.time.map(|time| to_text(time, TimeStyle::ISO)),
            "persons": row.persons,
            "observations": row.observations,
            "entries": row.entries,
            "exits": row.exits,
        })
    };
    rows.iter().map(row).collect()
}

/// Rows as CSV, in the columns of a cube.
fn table(rows: &[Row]) -> String {
    let mut text = "cell,part,time,persons,observations,entries,exits\n".to_owned();
    for row in rows {
        let mut cell = Vec::new();
        throng::io::csv_field(row.cell.as_bytes(), &mut cell);
        let time = row.time.map_or_else(String::new, |time| to_text(time, TimeStyle::ISO));
        let persons = row.persons.map_or_else(String::new, |persons| persons.to_string());
        let _ = writeln!(
            text,
            "{},{},{time},{persons},{},{},{}",
            String::from_utf8_lossy(&cell),
            row.part.name(),
            row.observations,
            row.entries,
            row.exits
        );
    }
    text
}

/// Whether a cube is to be checked.
pub(super) fn is_of_cube(args: &Check) -> bool {
    args.model.iter().any(|model| model.split(':').next() == Some(cube_threshold::NAME))
}

/// Checks a cube beside its original.
pub(super) fn check(args: &Check, printer: &Printer) -> Result<Done> {
    let ([file], [_]) = (&args.file[..], &args.model[..]) else {
        return Err(Error::refused("one cube is checked at a time, with one model"));
    };
    let request = CubeCheckRequest {
        file: file.clone(),
        original: args.shared.original(),
        ask: args.shared.ask(args.shared.format.as_deref())?,
        k: threshold(&args.shared)?,
        cell: args.cell.clone(),
        time: args.time.clone(),
    };
    let outcome = run::check_cube(&request, printer.progress())?;
    if printer.json {
        printer.json(&outcome)?;
    } else {
        printer.text(&words::as_text(&checked(&outcome)))?;
    }
    Ok(match outcome.verdict {
        "holds" => Done::Fine,
        "partly" => Done::Partly,
        _ => Done::Fails,
    })
}

fn checked(outcome: &CubeCheckOutcome) -> Vec<Line> {
    let rows = counted(outcome.rows as u64, "row", "rows");
    let mut lines = vec![Line::new(
        outcome.model,
        match outcome.verdict {
            "holds" => match outcome.achieved.get("k") {
                Some(least) => format!("holds: {rows} of at least {least} persons"),
                None => "holds: nothing is published".to_owned(),
            },
            "partly" => format!("not checked: {rows} can be judged beside their original only (`--original FILE`)"),
            _ => "fails".to_owned(),
        },
    )];
    if let Some(witness) = &outcome.witness {
        let text = |key: &str| witness[key].as_str().unwrap_or_default().to_owned();
        let line = witness["line"].as_u64().map_or_else(String::new, |line| format!("line {line}: "));
        let cell = match (text("cell"), text("time")) {
            (cell, _) if cell.is_empty() => String::new(),
            (cell, time) if time.is_empty() => format!("cell {cell}: "),
            (cell, time) => format!("cell {cell} at {time}: "),
        };
        lines.push(Line::new("witness", format!("{line}{cell}{}", text("problem"))));
    }
    lines
}
