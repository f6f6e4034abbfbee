//! `throng protect`.

use std::fmt::Write as _;

use serde_json::json;
use throng::run::{self, ProtectOutcome, ProtectRequest};
use throng_core::Result;

use super::{Done, measure, note_refused, note_unmapped, note_unused, percent, thousands};
use crate::args::Protect;
use crate::printer::Printer;

pub(super) fn run(args: &Protect, parameters: &[(String, String)], printer: &Printer) -> Result<Done> {
    args.shared.check_kind()?;
    let mut typed = args.shared.parameters();
    typed.extend_from_slice(parameters);
    let request = ProtectRequest {
        file: args.file.clone(),
        out: args.out.clone(),
        method: args.method.clone(),
        parameters: typed,
        seed: args.shared.seed,
        keep_ids: args.keep_ids,
        key: args.shared.key.clone(),
        format: args.shared.format.as_deref().map(throng::io::Format::parse).transpose()?,
        measures: args.measure.clone(),
        options: args.shared.read_options(args.input_format.as_deref())?,
    };
    let outcome = run::protect(&request, printer.progress())?;
    note_unused("protect", &args.shared, &outcome.unused, printer);
    note_refused(outcome.certificate.accounting.rows_refused, printer);
    note_unmapped(&outcome.unmapped, "not in the release", printer);
    if args.shared.seed.is_some() {
        printer.note(
            "a seeded release can be undone by whoever learns the seed: publish only releases made without `--seed`",
        );
    }
    if args.keep_ids {
        printer.note("the release shows the original ids, as asked with `--keep-ids`");
    }
    if printer.json {
        printer.json(&json!({
            "release": args.out.display().to_string(),
            "certificate": outcome.certificate,
            "measures": outcome.measures,
            "skipped": outcome.skipped,
        }))?;
    } else if printer.wants_summary() {
        let mut text = text(&outcome, &args.out.display().to_string());
        if let Some(key) = &args.shared.key {
            let _ = writeln!(text, "key         {}: who became whom; never publish it", key.display());
        }
        printer.text(&text)?;
    }
    Ok(Done::FINE)
}

/// What was published, in words.
pub(super) fn text(outcome: &ProtectOutcome, out: &str) -> String {
    let mut text = String::new();
    let certificate = &outcome.certificate;
    let (input, output) = (&certificate.input, &certificate.output);
    let _ = writeln!(text, "published   {out}/{}", output.file);
    let _ = writeln!(text, "method      {}, k = {}", certificate.method.name, certificate.method.parameters["k"]);
    let _ = writeln!(text, "persons     {} of {}", thousands(output.persons), thousands(input.persons));
    let _ = writeln!(text, "rows        {} (the original has {})", thousands(output.rows), thousands(input.rows));
    for claim in &certificate.claims {
        let achieved = claim.achieved.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>();
        let _ = writeln!(text, "checked     {} holds on the published bytes ({})", claim.model, achieved.join(", "));
    }
    let _ = writeln!(text, "before      one known query singled out {} of the persons", percent(outcome.unique_by[0]));
    text.push_str(&measure::text(&outcome.measures, &outcome.skipped));
    text
}
