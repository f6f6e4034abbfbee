//! `throng protect`.

use std::fmt::Write as _;

use serde_json::json;
use throng::certificate::Certificate;
use throng::run::{self, ProtectOutcome, ProtectRequest};
use throng_core::taxonomy::fit::Unknown;
use throng_core::{Kind, Result};

use super::{Done, measure, note_refused, note_unmapped, note_unused, percent, thousands};
use crate::args::Protect;
use crate::printer::Printer;

pub(super) fn run(args: &Protect, parameters: &[(String, String)], printer: &Printer) -> Result<Done> {
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
        baskets: args.shared.basket_options()?,
        memory: args.memory.as_deref().map(throng::memory::parse).transpose()?,
        checkpoint: args.checkpoint.clone(),
    };
    let outcome = run::protect(&request, printer.progress())?;
    let output = &outcome.certificate.output;
    let kind = output.kind.as_ref().unwrap_or(&outcome.certificate.input.kind);
    note_unused("protect", kind, &args.shared, &outcome.unused, printer);
    note_refused(kind, outcome.certificate.accounting.rows_refused, printer);
    note_unmapped(&outcome.unmapped, "not in the release", printer);
    outcome.notes.iter().for_each(|note| printer.note(note));
    if args.shared.seed.is_some() {
        printer.note(
            "a seeded release can be undone by whoever learns the seed: publish only releases made without `--seed`",
        );
    }
    if args.keep_ids {
        printer.note(if outcome.certificate.ids == "kept" {
            "the release shows the original ids, as asked with `--keep-ids`"
        } else {
            "there are no ids to keep: one basket a line has none, and lines are shuffled"
        });
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
    let parameters = certificate.method.parameters.iter().map(|(name, value)| format!(", {name} = {value}"));
    let _ = writeln!(text, "method      {}{}", certificate.method.name, parameters.collect::<String>());
    let kind = output.kind.as_ref().unwrap_or(&input.kind);
    let (is_baskets, is_documents) = (kind == Kind::Baskets.name(), kind == Kind::Documents.name());
    let who = if is_documents { "documents" } else { "persons" };
    let _ = writeln!(text, "{who:11} {} of {}", thousands(output.persons), thousands(input.persons));
    if is_baskets {
        baskets_text(certificate, &mut text);
    } else if is_documents {
        let _ = writeln!(text, "terms       {} (the original has {})", thousands(output.rows), thousands(input.rows));
        taxonomy_text(certificate, "words", &mut text);
    } else {
        let _ = writeln!(text, "rows        {} (the original has {})", thousands(output.rows), thousands(input.rows));
        if let Some(groups) = certificate.accounting.groups_empty {
            let rows = thousands(certificate.accounting.rows_dropped);
            let groups = if groups == 1 { "1 group".to_owned() } else { format!("{} groups", thousands(groups)) };
            let _ =
                writeln!(text, "left out    {rows} rows without a word that enough persons share; {groups} left empty");
        }
        taxonomy_text(certificate, "phrases", &mut text);
    }
    let without = certificate.accounting.persons_without_concept.unwrap_or_default();
    if without > 0 {
        let _ = writeln!(text, "concepts    none were found for {} of the {who}", thousands(without));
    }
    for claim in &certificate.claims {
        let achieved = claim.achieved.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>();
        let _ = writeln!(text, "checked     {} holds on the published bytes ({})", claim.model, achieved.join(", "));
    }
    let known = match (is_baskets, is_documents) {
        (true, _) => "item",
        (_, true) => "term",
        _ => "query",
    };
    let share = percent(outcome.unique_by[0]);
    let _ = writeln!(text, "before      one known {known} singled out {share} of the {who}");
    text.push_str(&measure::text(&outcome.measures, &outcome.skipped));
    text
}

/// What became of the items, in words.
fn baskets_text(certificate: &Certificate, text: &mut String) {
    let accounting = &certificate.accounting;
    let count = |number: Option<u64>| thousands(number.unwrap_or_default());
    let _ = writeln!(
        text,
        "items       {} ({} were suppressed)",
        thousands(certificate.output.rows),
        count(accounting.occurrences_suppressed)
    );
    taxonomy_text(certificate, "items", text);
}

/// The taxonomy, and what became of what it does not know.
fn taxonomy_text(certificate: &Certificate, what: &str, text: &mut String) {
    let accounting = &certificate.accounting;
    let count = |number: Option<u64>| thousands(number.unwrap_or_default());
    if let Some(taxonomy) = &certificate.taxonomy {
        let fate = match taxonomy.unknown {
            Unknown::Drop => "left out",
            Unknown::Root => "generalised to the root",
            Unknown::OwnLeaf => "leaves of their own",
            Unknown::Error => "refused",
        };
        let _ = writeln!(text, "taxonomy    {}", taxonomy.name);
        if accounting.items_unknown.unwrap_or_default() > 0 {
            let (items, occurrences) = (count(accounting.items_unknown), count(accounting.occurrences_unknown));
            let _ = writeln!(text, "unknown     {items} {what} of {occurrences} occurrences: {fate}");
        }
    }
}
