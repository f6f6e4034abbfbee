//! `throng protect`.

use serde_json::json;
use throng::content::ContentAsk;
use throng::kinds::Ask;
use throng::run::{self, Attacked, ProtectRequest};
use throng::words;
use throng_core::Result;
use throng_core::accounts::ROWS_REFUSED;

use super::{Done, note_refused, note_unmapped, note_unused};
use crate::args::Protect;
use crate::printer::Printer;

pub(super) fn run(args: &Protect, parameters: &[(String, String)], printer: &Printer) -> Result<Done> {
    let mut typed = args.shared.parameters();
    typed.extend_from_slice(parameters);
    let request = ProtectRequest {
        file: args.file.clone().into(),
        in_memory: false,
        with_key: false,
        out: args.out.clone(),
        overwrite: args.overwrite,
        method: args.method.clone(),
        parameters: typed,
        models: args.model.clone(),
        seed: args.shared.seed,
        keep_ids: args.keep_ids,
        key: args.shared.key.clone(),
        token_key: args.token_key.clone(),
        noise_file: args.shared.noise_file.clone(),
        format: args.shared.format.as_deref().map(throng::io::Format::parse).transpose()?,
        raw_cells: args.raw_cells,
        content: ContentAsk { scrub: args.scrub.clone(), shared: args.scrub_shared },
        measures: args.measure.clone(),
        no_attacks: args.no_attacks,
        title: args.title.clone(),
        date: args.date.clone(),
        ask: Ask {
            expand: args.expand.map(usize::from),
            round: args.round.as_deref() == Some("true"),
            keep_suppressed: args.suppressed == "keep",
            link_rows: args.link_rows,
            drop: args.drop.clone(),
            drop_shills: args.drop_shills.clone(),
            policy: args.policy.clone(),
            // Here it is a place to write to.
            noise_file: None,
            ..args.shared.ask(args.input_format.as_deref())?
        },
        ledger: args.recording.ledger()?,
        earlier: args.recording.earlier.clone(),
        sign: args.recording.sign()?,
        sample: args.sample,
        other: args.other.clone(),
        other_key: args.other_key.clone(),
        held_out_persons: args.held_out_persons,
        memory: args.memory.as_deref().map(throng::memory::parse).transpose()?,
        checkpoint: args.checkpoint.clone(),
    };
    if args.dry_run {
        return dry_run(&request, args, printer);
    }
    let outcome = run::protect(&request, printer.progress())?;
    let output = &outcome.certificate.output;
    let kind = output.kind.as_ref().unwrap_or(&outcome.certificate.input.kind);
    note_unused("protect", kind, &args.shared, &outcome.unused, printer);
    note_refused(kind, outcome.certificate.accounting.get(ROWS_REFUSED).unwrap_or_default(), printer);
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
        let mut document = json!({
            "release": outcome.release.display().to_string(),
            "certificate": outcome.certificate,
            "measures": outcome.measures,
            "attacks": outcome.attacks,
            "skipped": outcome.skipped,
        });
        if let Some(policy) = &outcome.policy {
            document["policy"] = json!(policy);
        }
        if let Some(recorded) = &outcome.ledger {
            document["ledger"] = json!(recorded);
        }
        if let Some(key) = &outcome.signed_by {
            document["signed_by"] = json!(key);
        }
        printer.json(&document)?;
    } else if printer.wants_summary() {
        let mut text = words::as_text(&outcome.words(&outcome.release.display().to_string()));
        text.push_str(&words::measures(&outcome.measures, &outcome.skipped));
        if let Some(key) = &outcome.key {
            let line = words::Line::new("key", format!("{}: who became whom; never publish it", key.display()));
            text.push_str(&words::as_text(&[line]));
        }
        let recorded = outcome.ledger.as_ref().zip(request.ledger.as_ref());
        let line = recorded
            .map(|(line, ledger)| words::Line::new("ledger", format!("line {} of {}", line.n, ledger.file.display())));
        let signed = outcome.signed_by.as_ref();
        let signed = signed.map(|key| words::Line::new("signed", format!("with key {key}")));
        text.push_str(&words::as_text(&line.into_iter().chain(signed).collect::<Vec<_>>()));
        if let Some(file) = &outcome.noise_file {
            let text_of_file = format!("{}: what the noise is like; never publish it", file.display());
            text.push_str(&words::as_text(&[words::Line::new("noise file", text_of_file)]));
        }
        if let Some(key) = &outcome.token_key {
            let text_of_key = format!("{}: undoes every token; never publish it", key.display());
            text.push_str(&words::as_text(&[words::Line::new("token key", text_of_key)]));
        }
        printer.text(&text)?;
    }
    Ok(if warn_above(&outcome.attacks, printer) { Done::Fails } else { Done::Fine })
}

/// Says which attacks achieve more than was promised, and whether there are any.
fn warn_above(attacks: &[Attacked], printer: &Printer) -> bool {
    let mut above = attacks.iter().filter(|attacked| attacked.outcome.is_above()).peekable();
    let is_any = above.peek().is_some();
    for attacked in above {
        let what = attacked.in_words().unwrap_or_default();
        printer.failing(&format!(
            "an attack achieves MORE than the release promises: {what}; look at it before you publish"
        ));
    }
    is_any
}

/// Says what would be done.
fn dry_run(request: &ProtectRequest, args: &Protect, printer: &Printer) -> Result<Done> {
    let planned = run::dry_run(request, printer.progress())?;
    note_unused("protect", planned.kind, &args.shared, &planned.unused, printer);
    note_refused(planned.kind, planned.rows_refused, printer);
    note_unmapped(&planned.unmapped, "not in the release", printer);
    planned.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&planned)?;
    } else {
        printer.text(&words::as_text(&planned.words()))?;
    }
    Ok(Done::Fine)
}
