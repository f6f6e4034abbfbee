//! `throng compare`.

use std::fmt::Write as _;

use throng::catalog;
use throng::report::comparison::in_words;
use throng::run::{self, CompareRequest, Comparison, parse_ks};
use throng::words::number;
use throng_core::Result;

use super::{Done, note_unused};
use crate::args::CompareArgs;
use crate::printer::Printer;

pub(super) fn run(args: &CompareArgs, printer: &Printer) -> Result<Done> {
    let request = CompareRequest {
        file: args.file.clone(),
        out: args.out.clone(),
        methods: args
            .methods
            .iter()
            .map(|method| if args.shared.exact { exactly(method) } else { method.clone() })
            .collect(),
        ks: parse_ks(args.shared.k.as_deref().unwrap_or("2..10"))?,
        measures: args.measures.clone(),
        held_out: args.held_out,
        sample: args.sample,
        seed: args.shared.seed.unwrap_or(0),
        ask: args.shared.ask(args.shared.format.as_deref())?,
    };
    let unused =
        args.shared.parameters().into_iter().map(|(name, _)| name).filter(|name| name != "k" && name != "exact");
    let comparison = run::compare(&request, printer.progress())?;
    note_unused("compare", &comparison.input.kind, &args.shared, &unused.collect::<Vec<_>>(), printer);
    if printer.json {
        printer.json(&comparison)?;
    } else {
        printer.text(&text(&comparison))?;
        if printer.wants_summary() {
            printer.text(&format!("compared    {}\n", args.out.join("comparison.html").display()))?;
        }
    }
    Ok(Done::Fine)
}

/// A method as typed, as the paper has it where there is a choice.
fn exactly(typed: &str) -> String {
    let name = typed.split(':').next().unwrap_or_default();
    let has_choice = catalog::item(catalog::Role::Method, name)
        .is_ok_and(|item| item.info().parameters.iter().any(|parameter| parameter.name == "exact"));
    if has_choice { format!("{typed}:exact") } else { typed.to_owned() }
}

/// Every cell with its first numbers, and what to choose.
fn text(comparison: &Comparison) -> String {
    let mut text = String::new();
    let names: Vec<&str> = comparison.cells.first().map_or(Vec::new(), |cell| {
        cell.measures.iter().filter_map(|measured| measured["name"].as_str()).take(3).collect()
    });
    let width = comparison.methods.iter().map(String::len).max().unwrap_or_default().max(6);
    let _ = write!(text, "{:width$} {:>4}", "method", "k");
    for name in &names {
        let _ = write!(text, " {name:>22}");
    }
    text.push('\n');
    for cell in &comparison.cells {
        let _ = write!(text, "{:width$} {:>4}", cell.method, cell.k);
        for name in &names {
            let measured = cell.measures.iter().find(|measured| measured["name"] == *name);
            let value = measured.and_then(|measured| measured["value"].as_f64()).map_or("–".to_owned(), number);
            let _ = write!(text, " {value:>22}");
        }
        text.push('\n');
    }
    if let Some(held_out) = &comparison.held_out {
        let _ = writeln!(text, "\nheld out    {}", in_words(held_out));
    }
    if let Some(recommendation) = &comparison.recommendation {
        let _ = writeln!(text, "\nrecommended {} with k = {}", recommendation.method, recommendation.k);
        let _ = writeln!(text, "            {}", recommendation.reason);
    }
    text
}
