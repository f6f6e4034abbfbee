//! `throng check`.

use std::fmt::Write as _;

use serde_json::Value;
use throng::run::{self, CheckOutcome, CheckRequest};
use throng_core::{Kind, Result};

use super::{Done, note_refused, note_unmapped, note_unused, thousands};
use crate::args::Check;
use crate::printer::Printer;

pub(super) fn run(args: &Check, parameters: &[(String, String)], show_values: bool, printer: &Printer) -> Result<Done> {
    let mut typed = args.shared.parameters();
    typed.extend_from_slice(parameters);
    let request = CheckRequest {
        file: args.file.clone(),
        model: args.model.clone(),
        parameters: typed,
        original: args.shared.original.clone(),
        show_values,
        options: args.shared.read_options(args.shared.format.as_deref())?,
        baskets: args.shared.basket_options()?,
    };
    let outcome = run::check(&request, printer.progress())?;
    note_unused("check", outcome.kind, &args.shared, &outcome.unused, printer);
    note_refused(outcome.kind, outcome.rows_refused, printer);
    let is_log = outcome.kind == Kind::Queries.name();
    note_unmapped(&outcome.unmapped, if is_log { "compared byte for byte" } else { "not looked at" }, printer);
    outcome.notes.iter().for_each(|note| printer.note(note));
    if printer.json {
        printer.json(&outcome)?;
    } else {
        printer.text(&text(&outcome))?;
    }
    Ok(Done { holds: outcome.holds() })
}

/// How many names of strange files are shown.
const SHOWN: usize = 5;

/// What was found, in words.
pub(super) fn text(outcome: &CheckOutcome) -> String {
    let mut text = String::new();
    let is_baskets = outcome.kind == Kind::Baskets.name();
    let is_documents = outcome.kind == Kind::Documents.name();
    let who = match outcome.person_column.as_str() {
        "" if is_documents => "one a file or line".to_owned(),
        "" => "one a line".to_owned(),
        column => format!("column {column}"),
    };
    let (persons, rows) = match outcome.kind {
        "documents" => ("documents", "terms"),
        "baskets" => ("persons", "items"),
        _ => ("persons", "rows"),
    };
    let _ = writeln!(text, "{persons:11} {} ({who})", thousands(outcome.persons as u64));
    let _ = writeln!(text, "{rows:11} {}", thousands(outcome.rows));
    match outcome.hash_matches {
        Some(true) => text.push_str("hash        the data are those of the certificate\n"),
        Some(false) => text.push_str("hash        FAILS: the data are not those of the certificate\n"),
        None => {}
    }
    if !outcome.other_files.is_empty() {
        let (names, more) = (&outcome.other_files, outcome.other_files.len().saturating_sub(SHOWN));
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let names = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "strange     FAILS: nobody checked what else is in the folder: {names}{more}");
    }
    if outcome.rows_refused > 0 {
        let _ = writeln!(
            text,
            "unread      FAILS: nothing can be said of {} malformed lines",
            thousands(outcome.rows_refused)
        );
    }
    if (is_baskets || is_documents) && !outcome.unmapped.is_empty() {
        let count = outcome.unmapped.len();
        let _ = writeln!(text, "unread      FAILS: nothing can be said of what is in {count} other columns");
    }
    for claim in &outcome.claims {
        let list = |map: &serde_json::Map<String, Value>| {
            map.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
        };
        let (asked, achieved) = (list(&claim.parameters), list(&claim.achieved));
        let found = match claim.verdict {
            "holds" => format!("holds, achieved {achieved}"),
            "unchecked" => format!("not checked: needs the {0} (--{0} FILE)", claim.needs.unwrap_or_default()),
            _ => format!("FAILS, achieved {achieved}"),
        };
        let _ = writeln!(text, "{}({asked})  {found}", claim.model);
        if let Some(witness) = &claim.witness {
            let witness = match is_baskets {
                true => in_basket(witness),
                false if is_documents => in_log(witness, "document"),
                false if claim.needs.is_some() => in_line(witness),
                false => in_log(witness, "person"),
            };
            let _ = writeln!(text, "            {witness}");
        }
    }
    text
}

fn who(witness: &Value, what: &str) -> String {
    let line = &witness["line"];
    if let Some(pseudonym) = witness["pseudonym"].as_str() {
        format!("the {what} with pseudonym {pseudonym}")
    } else if let Some(person) = witness["person"].as_str() {
        if line.is_null() {
            format!("the {what} {person}")
        } else {
            format!("the {what} {person}, first in line {line}")
        }
    } else if line.is_null() {
        format!("a {what}")
    } else if what == "person" {
        format!("the person who first appears in line {line}")
    } else {
        format!("the {what} that first appears in line {line}")
    }
}

fn in_log(witness: &Value, what: &str) -> String {
    let others = match witness["group_size"].as_u64().unwrap_or_default() {
        1 if what != "person" => format!("has a record that no other {what} has"),
        1 => "has a record that nobody else has".to_owned(),
        2 => "shares a record with one other only".to_owned(),
        size => format!("shares a record with {} others only", size - 1),
    };
    format!("{} {others}", who(witness, what))
}

/// A line of a release that says what too few persons of the original said.
fn in_line(witness: &Value) -> String {
    let persons = match witness["persons"].as_u64().unwrap_or_default() {
        0 => "nobody".to_owned(),
        1 => "only 1 person".to_owned(),
        count => format!("only {count} persons"),
    };
    let line = &witness["line"];
    let mut text = if witness["column"] == "url" {
        format!("the URL in line {line} is what {persons} clicked")
    } else {
        let or_nothing = if witness["persons"] == 0 { ", or has no content word" } else { "" };
        format!("the query in line {line} says what {persons} said{or_nothing}")
    };
    if let Some(value) = witness["value"].as_str() {
        let _ = write!(text, ": {value}");
    }
    text
}

/// A witness of baskets: who, by how many items, how many others, and the model's own numbers.
fn in_basket(witness: &Value) -> String {
    let others = match witness["group_size"].as_u64().unwrap_or_default() {
        0 | 1 => "nobody else".to_owned(),
        2 => "one other".to_owned(),
        size => format!("{} others", size - 1),
    };
    let items = match (witness["items"].as_array(), witness["item_count"].as_u64()) {
        (Some(items), _) if !items.is_empty() => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            format!(" by the items {}", items.join(", "))
        }
        (_, Some(1)) => " by 1 item".to_owned(),
        (_, Some(count)) => format!(" by {count} items"),
        _ => String::new(),
    };
    const KNOWN: [&str; 6] = ["group_size", "pseudonym", "person", "line", "items", "item_count"];
    let numbers = witness.as_object().into_iter().flatten().filter(|(name, _)| !KNOWN.contains(&name.as_str()));
    let numbers: Vec<String> = numbers.map(|(name, value)| format!("{name} = {value}")).collect();
    let numbers = if numbers.is_empty() { String::new() } else { format!(" ({})", numbers.join(", ")) };
    format!("{}{items}: {others} looks the same{numbers}", who(witness, "person"))
}
