//! `throng link`.

use serde_json::json;
use throng::party::Steps;
use throng::run::{self, Cleaned, LinkFound, LinkRequest};
use throng::words::{self, Line, counted, percent, thousands};
use throng_core::Result;

use super::Done;
use crate::args::{LinkArgs, LinkClean, LinkCommand, LinkEncode, LinkEvaluate, LinkExtract, LinkReview};
use crate::printer::Printer;

pub(super) fn run(args: &LinkArgs, printer: &Printer) -> Result<Done> {
    match &args.command {
        LinkCommand::Clean(args) => clean(args, printer),
        LinkCommand::Encode(args) => encode(args, printer),
        LinkCommand::Match(args) => link(&args.request()?, printer),
        LinkCommand::Dedupe(args) => link(&args.request()?, printer),
        LinkCommand::Review(args) => review(args, printer),
        LinkCommand::Translate(args) => {
            let found = run::translate(&args.request())?;
            said(&found, printer, || {
                let pairs = counted(found.pairs, "pair", "pairs");
                let mut lines = vec![Line::new("translated", format!("{pairs}: {}", found.file))];
                if found.left_out > 0 {
                    let left_out = counted(found.left_out, "pair", "pairs");
                    lines.push(Line::new("left out", format!("{left_out} of rows that are nobody's")));
                }
                lines
            })
        }
        LinkCommand::Extract(command) => {
            let (word, found) = match command {
                LinkExtract::Pack(args) => ("packed", run::extract_pack(&args.request()?, printer.progress())?),
                LinkExtract::Choose(args) => ("chosen", run::extract_choose(&args.request())?),
                LinkExtract::Open(args) => ("opened", run::extract_open(&args.request())?),
            };
            said(&found, printer, || {
                let what = if word == "packed" { ["record", "records"] } else { ["pair", "pairs"] };
                vec![Line::new(word, format!("{}: {}", counted(found.records, what[0], what[1]), found.file))]
            })
        }
        LinkCommand::Compare(args) => {
            let similarity = run::compare_texts(&args.one, &args.other, &args.by)?;
            if printer.json {
                printer.json(&json!({"by": args.by, "similarity": similarity}))?;
            } else {
                printer.text(&format!("{similarity:.4}\n"))?;
            }
            Ok(Done::Fine)
        }
        LinkCommand::Party(args) => {
            steps(&run::link_party(&args.request()?, printer.progress())?, printer)?;
            Ok(Done::Fine)
        }
        LinkCommand::Certificate(args) => {
            let made = throng::party::certificate(&args.name, &args.out)?.map(|place| place.display().to_string());
            if printer.json {
                printer.json(&json!({"certificate": made[0], "key": made[1]}))?;
            } else if printer.wants_summary() {
                printer.text(&words::as_text(&[
                    Line::new("certificate", format!("{}: give it to the other party", made[0])),
                    Line::new("key", format!("{}: it stays with you", made[1])),
                ]))?;
            }
            Ok(Done::Fine)
        }
        LinkCommand::Evaluate(args) => evaluate(args, printer),
    }
}

/// Prints what a party's step did.
pub(super) fn steps(found: &Steps, printer: &Printer) -> Result<()> {
    found.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        return printer.json(found);
    }
    if !printer.wants_summary() {
        return Ok(());
    }
    let mut lines = vec![Line::new("protocol", format!("{}, {}", found.protocol, found.role))];
    for (name, value) in &found.found {
        let shown = value.as_u64().map_or_else(|| value.to_string(), thousands);
        lines.push(Line::new(name.replace('_', " "), shown));
    }
    for sent in &found.sent {
        let place = sent["file"].as_str().map(|file| format!(": {file}")).unwrap_or_default();
        let to = sent["to"].as_str().unwrap_or_default();
        lines.push(Line::new("sent", format!("step {} to {to}{place}", sent["step"])));
    }
    lines.extend(found.out.as_deref().map(|out| Line::new("result", out)));
    lines.push(match &found.waiting_for {
        Some(next) => {
            Line::new("next", format!("step {} of {}", next["step"], next["from"].as_str().unwrap_or_default()))
        }
        None => Line::new("next", "nothing: this party is done"),
    });
    printer.text(&words::as_text(&lines))
}

fn clean(args: &LinkClean, printer: &Printer) -> Result<Done> {
    let found = run::clean(&args.request()?, printer.progress())?;
    if printer.json {
        printer.json(&found)?;
    } else if printer.wants_summary() {
        printer.text(&words::as_text(&cleaned(&found)))?;
    }
    Ok(Done::Fine)
}

fn cleaned(found: &Cleaned) -> Vec<Line> {
    let mut lines =
        vec![Line::new("cleaned", format!("{}: {}", found.file, counted(found.records, "record", "records")))];
    for column in &found.columns {
        let guessed = if column.guessed { ", a guess" } else { "" };
        let mut text = format!("{}{guessed}", column.holds.name());
        if !column.parts.is_empty() {
            text.push_str(&format!("; became {}", column.parts.join(", ")));
        }
        let changes: Vec<String> =
            column.changes.iter().map(|(step, count)| format!("{step} {}", thousands(*count))).collect();
        if !changes.is_empty() {
            text.push_str(&format!("; changed: {}", changes.join(", ")));
        }
        lines.push(Line::new(column.column.as_str(), text));
    }
    lines
}

fn encode(args: &LinkEncode, printer: &Printer) -> Result<Done> {
    let found = run::encode_records(&args.request()?, printer.progress())?;
    found.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&found)?;
    } else if printer.wants_summary() {
        let mut lines = vec![
            Line::new("encoded", format!("{}: {}", found.file, counted(found.records, "record", "records"))),
            Line::new(
                "filters",
                format!(
                    "{} bits, {} of them set before hardening",
                    thousands(found.length as u64),
                    percent(found.bits_set)
                ),
            ),
            Line::new("hardened", found.harden.as_str()),
        ];
        if found.blocks > 0 {
            let filling = counted(found.filling, "row is", "rows are");
            lines.push(Line::new("blocks", format!("{}; {filling} nobody's", thousands(found.blocks))));
        }
        printer.text(&words::as_text(&lines))?;
    }
    Ok(Done::Fine)
}

/// Prints what was found, as JSON or in lines.
fn said<T: serde::Serialize>(found: &T, printer: &Printer, lines: impl FnOnce() -> Vec<Line>) -> Result<Done> {
    if printer.json {
        printer.json(found)?;
    } else if printer.wants_summary() {
        printer.text(&words::as_text(&lines()))?;
    }
    Ok(Done::Fine)
}

fn review(args: &LinkReview, printer: &Printer) -> Result<Done> {
    // With --json standard output is for the document alone.
    let mut page: Box<dyn std::io::Write> =
        if printer.json { Box::new(std::io::stderr()) } else { Box::new(std::io::stdout()) };
    let found = run::review(&args.request()?, &mut std::io::stdin().lock(), &mut page, printer.progress())?;
    said(&found, printer, || {
        vec![
            Line::new(
                "decided",
                format!("{} now, {} before: {}", thousands(found.decided), thousands(found.before), found.file),
            ),
            Line::new(
                "left",
                format!("{} of {}", thousands(found.left), counted(found.possible, "possible pair", "possible pairs")),
            ),
        ]
    })
}

fn link(request: &LinkRequest, printer: &Printer) -> Result<Done> {
    let found = run::link_match(request, printer.progress())?;
    found.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&found)?;
    } else if printer.wants_summary() {
        printer.text(&words::as_text(&linked(&found)))?;
    }
    Ok(Done::Fine)
}

fn linked(found: &LinkFound) -> Vec<Line> {
    let records: Vec<String> = found.records.iter().map(|&count| thousands(count)).collect();
    let mut lines = vec![
        Line::new("records", records.join(" and ")),
        Line::new("compared", format!("{} of {} pairs", thousands(found.compared), thousands(found.pairs))),
        Line::new(
            "found",
            format!(
                "{}, {}: {}",
                counted(found.matches, "match", "matches"),
                counted(found.possible, "possible pair", "possible pairs"),
                found.file
            ),
        ),
    ];
    if let Some(clusters) = found.clusters {
        lines.push(Line::new("persons", thousands(clusters)));
    }
    if let Some(estimated) = &found.estimated {
        let [low, high] = estimated.block_recall_interval;
        lines.push(Line::new(
            "estimated",
            format!(
                "{} of the matches are right, and they are {} of those among the compared pairs; {} of all ({} to {}) were compared",
                percent(estimated.precision),
                percent(estimated.recall_within_blocks),
                percent(estimated.block_recall),
                percent(low),
                percent(high)
            ),
        ));
    }
    lines
}

fn evaluate(args: &LinkEvaluate, printer: &Printer) -> Result<Done> {
    let found = run::evaluate_link(&args.request())?;
    if printer.json {
        printer.json(&found)?;
    } else {
        let shown = |value: Option<f64>| value.map_or_else(|| "not defined".to_owned(), |value| format!("{value:.4}"));
        printer.text(&words::as_text(&[
            Line::new("precision", shown(found.precision)),
            Line::new("recall", shown(found.recall)),
            Line::new("f1", shown(found.f1)),
            Line::new("true pairs", thousands(found.true_pairs)),
            Line::new("found pairs", thousands(found.found_pairs)),
        ]))?;
    }
    Ok(Done::Fine)
}
