//! `throng inspect`.

use std::fmt::Write as _;

use throng::io::Role;
use throng::{io, run};
use throng_core::Result;
use throng_core::distance::user_distance::QueryWeights;

use super::{Done, note_refused, note_unmapped, note_unused, number, percent, thousands};
use crate::args::Inspect;
use crate::printer::Printer;

pub(super) fn run(args: &Inspect, printer: &Printer) -> Result<Done> {
    args.shared.check_kind()?;
    let (options, _) = run::release_options(&args.file, &args.shared.read_options(args.shared.format.as_deref())?)?;
    let location = io::resolve(&args.file)?;
    let unused: Vec<String> = args.shared.parameters().into_iter().map(|(name, _)| name).collect();
    note_unused("inspect", &args.shared, &unused, printer);
    if let Some([first, second]) = args.distance.as_deref() {
        let weights = if args.query_weights == "printed" { QueryWeights::Printed } else { QueryWeights::Text };
        let outcome = run::distance(&location, &options, [first, second], weights, printer.progress())?;
        if printer.json {
            printer.json(&outcome)?;
        } else {
            printer.text(&distance_text(&outcome))?;
        }
        return Ok(Done::FINE);
    }
    let found = run::inspect(&location, &options, args.shared.seed.unwrap_or(0), printer.progress())?;
    note_refused(found.rows_refused, printer);
    note_unmapped(&found.unmapped, "not part of a release", printer);
    if printer.json {
        printer.json(&found)?;
    } else {
        printer.text(&text(&found))?;
    }
    Ok(Done::FINE)
}

/// What a file is, in words.
pub(super) fn text(found: &run::Inspected) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "kind        {} ({})", found.kind, found.format);
    let column = |role: &Role| Some(format!("{} = {}", role.name(), found.columns.get(role.name())?.as_str()?));
    let columns: Vec<String> = Role::ALL.iter().filter_map(column).collect();
    let _ = writeln!(text, "columns     {}", columns.join(", "));
    let _ = writeln!(text, "persons     {}", thousands(found.persons as u64));
    let clicked = found.rows_with_click as f64 / found.rows.max(1) as f64;
    let _ = writeln!(text, "rows        {} ({} with a click)", thousands(found.rows as u64), percent(clicked));
    let _ = writeln!(text, "queries     {} different strings", thousands(found.distinct_queries as u64));
    let _ = writeln!(text, "times       {} to {}", found.first_time, found.last_time);
    let _ = writeln!(text, "exposure    share of persons singled out by knowing this many of their queries:");
    for known in ["1", "2", "3"] {
        let share = found.unique_by[known].as_f64().unwrap_or_default();
        let _ = writeln!(text, "            {known}: {}", percent(share));
    }
    text
}

fn distance_text(outcome: &run::DistanceOutcome) -> String {
    let mut text = String::new();
    let parts = &outcome.parts;
    let _ = writeln!(text, "user distance    {}   = (activity + lines) / 2", number(outcome.distance));
    let _ = writeln!(text, "  activity       {}   difference in the number of lines", number(parts.activity));
    let _ = writeln!(text, "  lines          {}   Hausdorff distance over the lines", number(parts.lines));
    let Some(line) = &parts.deciding else {
        text.push_str("  both have the same lines\n");
        return text;
    };
    let whose = if line.from_first { "first" } else { "second" };
    let _ = writeln!(text, "  decided by a line of the {whose} person and its nearest at the other:");
    let _ = writeln!(text, "    time         {}", number(line.time));
    let _ = writeln!(text, "    rank         {}", number(line.rank));
    let _ = writeln!(text, "    url          {}", number(line.url));
    let _ = writeln!(text, "    query        {}   counts three times", number(line.query));
    let _ = writeln!(text, "      terms      {}   difference in the number of words", number(line.terms));
    let _ = writeln!(text, "      words      {}   Hausdorff distance over the words", number(line.words));
    text
}
