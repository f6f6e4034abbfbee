//! `throng check`.

use std::fmt::Write as _;

use serde_json::Value;
use throng::run::{self, CheckOutcome, CheckRequest};
use throng_core::Result;

use super::{Done, note_refused, note_unmapped, note_unused, thousands};
use crate::args::Check;
use crate::printer::Printer;

pub(super) fn run(args: &Check, show_values: bool, printer: &Printer) -> Result<Done> {
    args.shared.check_kind()?;
    let request = CheckRequest {
        file: args.file.clone(),
        model: args.model.clone(),
        parameters: args.shared.parameters(),
        show_values,
        options: args.shared.read_options(args.shared.format.as_deref())?,
    };
    let outcome = run::check(&request, printer.progress())?;
    note_unused("check", &args.shared, &outcome.unused, printer);
    note_refused(outcome.rows_refused, printer);
    note_unmapped(&outcome.unmapped, "compared byte for byte", printer);
    if printer.json {
        printer.json(&outcome)?;
    } else {
        printer.text(&text(&outcome))?;
    }
    Ok(Done { holds: outcome.holds() })
}

/// What was found, in words.
pub(super) fn text(outcome: &CheckOutcome) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "persons     {} (column {})", thousands(outcome.persons as u64), outcome.person_column);
    let _ = writeln!(text, "rows        {}", thousands(outcome.rows));
    match outcome.hash_matches {
        Some(true) => text.push_str("hash        the data are those of the certificate\n"),
        Some(false) => text.push_str("hash        FAILS: the data are not those of the certificate\n"),
        None => {}
    }
    if outcome.rows_refused > 0 {
        let _ = writeln!(
            text,
            "unread      FAILS: nothing can be said of {} malformed lines",
            thousands(outcome.rows_refused)
        );
    }
    for claim in &outcome.claims {
        let list = |map: &serde_json::Map<String, Value>| {
            map.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
        };
        let verdict = if claim.verdict == "holds" { "holds" } else { "FAILS" };
        let (asked, achieved) = (list(&claim.parameters), list(&claim.achieved));
        let _ = writeln!(text, "{}({asked})  {verdict}, achieved {achieved}", claim.model);
        if let Some(witness) = &claim.witness {
            let size = witness["group_size"].as_u64().unwrap_or_default();
            let who = if let Some(pseudonym) = witness["pseudonym"].as_str() {
                format!("the person with pseudonym {pseudonym}")
            } else if let Some(person) = witness["person"].as_str() {
                format!("the person {person}, first in line {}", witness["line"])
            } else {
                format!("the person who first appears in line {}", witness["line"])
            };
            let others = match size {
                1 => "has a record that nobody else has".to_owned(),
                2 => "shares a record with one other only".to_owned(),
                _ => format!("shares a record with {} others only", size - 1),
            };
            let _ = writeln!(text, "            {who} {others}");
        }
    }
    text
}
