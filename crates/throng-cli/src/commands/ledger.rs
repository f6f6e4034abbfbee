//! `throng ledger`.

use std::fmt::Write as _;

use serde_json::json;
use throng::ledger::{Line, SamePeople};
use throng::run::{self, LedgerAddRequest, LedgerAdded, LedgerRequest};
use throng::words::{self, counted};
use throng_core::Result;

use super::Done;
use crate::args::{LedgerAdd, LedgerArgs, LedgerCommand, LedgerFile};
use crate::printer::Printer;

pub(super) fn run(args: &LedgerArgs, printer: &Printer) -> Result<Done> {
    match &args.command {
        LedgerCommand::Show(args) => show(args, printer),
        LedgerCommand::Verify(args) => verify(args, printer),
        LedgerCommand::Add(args) => add(args, printer),
    }
}

fn show(args: &LedgerFile, printer: &Printer) -> Result<Done> {
    let shown = run::ledger_show(&args.ledger)?;
    if let Some(pending) = &shown.pending {
        printer.note(pending);
    }
    if printer.json {
        printer.json(&shown)?;
        return Ok(Done::Fine);
    }
    let mut text = String::new();
    for line in &shown.lines {
        let Line { n, time, dataset, method, .. } = line;
        let claims: Vec<String> = line.claims.iter().map(claim).collect();
        let lines: Vec<String> = line.continues.iter().map(ToString::to_string).collect();
        let continues = if lines.is_empty() { String::new() } else { format!(", continues {}", lines.join(", ")) };
        let _ = writeln!(text, "{n:>4}  {time}  {dataset}{continues}");
        let _ = writeln!(
            text,
            "      {method}: {}",
            if claims.is_empty() { "promises nothing".to_owned() } else { claims.join(", ") }
        );
        let _ = writeln!(text, "      certificate {}", line.certificate_sha256);
    }
    let _ = writeln!(text, "{}", counted(shown.lines.len() as u64, "release", "releases"));
    printer.text(&text)?;
    Ok(Done::Fine)
}

fn claim(claim: &throng::ledger::LineClaim) -> String {
    let parameters = claim.parameters.iter().map(|(name, value)| format!("{name} = {value}"));
    format!("{}({})", claim.model, parameters.collect::<Vec<_>>().join(", "))
}

fn verify(args: &LedgerFile, printer: &Printer) -> Result<Done> {
    let found = run::ledger_verify(&args.ledger)?;
    if printer.json {
        printer.json(&found)?;
    } else {
        let lines = counted(found.lines, "line", "lines");
        let text = match &found.problem {
            None => format!(
                "{lines}, each as it was written and chained to the one before; the last hash is\n{}\n",
                found.last
            ),
            Some(problem) => format!("FAILS: {problem}; {lines} whole before it\n"),
        };
        let text = match found.under_key.filter(|count| *count > 0) {
            Some(count) => format!("{text}{} written with the ledger's key\n", counted(count, "line is", "lines are")),
            None => text,
        };
        let text = match &found.not_verified {
            Some(not) => format!("{text}not verified: {not}\n"),
            None => text,
        };
        printer.text(&text)?;
    }
    Ok(if found.problem.is_none() { Done::Fine } else { Done::Fails })
}

fn add(args: &LedgerAdd, printer: &Printer) -> Result<Done> {
    let LedgerAdd { ledger: file, release, dataset, continues, key } = args;
    let ledger = LedgerRequest { file: file.clone(), dataset: dataset.clone(), continues: continues.clone() };
    let request = LedgerAddRequest { ledger, release: release.clone(), key: key.clone() };
    let LedgerAdded { recorded, notes } = run::ledger_add(&request, printer.progress())?;
    notes.iter().for_each(|note| printer.note(note));
    recorded.same_people.iter().filter(|same| !same.meant).map(SamePeople::says).for_each(|note| printer.note(&note));
    if printer.json {
        printer.json(&json!({"ledger": recorded}))?;
    } else if printer.wants_summary() {
        let line = words::Line::new("ledger", format!("line {} of {}", recorded.n, file.display()));
        printer.text(&words::as_text(&[line]))?;
    }
    Ok(Done::Fine)
}
