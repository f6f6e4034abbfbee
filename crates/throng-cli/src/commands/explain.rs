//! `throng explain`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use throng::catalog::{self, Item};
use throng_core::finders::{FINDERS, Finder};
use throng_core::{Error, ParameterKind, Result};

use super::Done;
use crate::args::Explain;
use crate::printer::Printer;

pub(super) fn run(args: &Explain, printer: &Printer) -> Result<Done> {
    let items = catalog::items();
    // A method and the model that it claims may have one name.
    let name = catalog::formerly(&args.name).unwrap_or(&args.name);
    let found = items.iter().filter(|item| item.info().name == name);
    let found: Vec<Item> = found.flat_map(catalog::variants).collect();
    match found.as_slice() {
        [] => {
            let Some(finder) = FINDERS.iter().find(|finder| finder.info.name == args.name) else {
                let names = items.iter().map(|item| item.info().name).chain(FINDERS.map(|finder| finder.info.name));
                return Err(Error::unknown("method, model, measure, attack, distance or finder", &args.name, names));
            };
            if printer.json {
                printer.json(&finder_card(finder))?;
            } else {
                printer.text(&finder_text(finder))?;
            }
        }
        [item] if printer.json => printer.json(&card(item))?,
        several if printer.json => printer.json(&several.iter().map(card).collect::<Vec<_>>())?,
        several => printer.text(&several.iter().map(text).collect::<Vec<_>>().join("\n"))?,
    }
    Ok(Done::Fine)
}

fn card(item: &Item) -> Value {
    let info = item.info();
    let parameter = |parameter: &throng_core::Parameter| json!({"name": parameter.name, "summary": parameter.summary, "default": parameter.default});
    json!({
        "name": info.name,
        "role": item.role(),
        "summary": info.summary,
        "paper": info.paper,
        "details": info.details,
        "kinds": item.kinds,
        "parameters": info.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}

fn finder_card(finder: &Finder) -> Value {
    let info = finder.info;
    json!({
        "name": info.name,
        "role": "finder",
        "summary": info.summary,
        "paper": info.paper,
        "details": info.details,
        "scrub": finder.usual,
    })
}

fn finder_text(finder: &Finder) -> String {
    let info = finder.info;
    let mut text = format!("{} (finder)\n\n{}.\n\n", info.name, capital(info.summary));
    text.push_str(&wrap(info.details, "", 100));
    let _ = writeln!(
        text,
        "\nUnless you say otherwise: {}. `throng protect --scrub {}=off|report|mask`.",
        finder.usual.name(),
        info.name
    );
    text.push_str("\nPaper\n");
    text + &wrap(info.paper, "  ", 100)
}

fn text(item: &Item) -> String {
    let info = item.info();
    let mut text = String::new();
    let _ = writeln!(text, "{} ({} for {})\n", info.name, item.role(), item.kinds.join(", "));
    let _ = writeln!(text, "{}.\n", capital(info.summary));
    for paragraph in info.details.lines() {
        text.push_str(&wrap(paragraph, "", 100));
    }
    if let Some(measure) = item.listed.measure {
        let unit = if measure.unit.is_empty() { "a number" } else { measure.unit };
        let _ = writeln!(text, "\nUnit: {unit}; {} is better.", measure.better);
    }
    if !info.parameters.is_empty() {
        text.push_str("\nParameters\n");
    }
    for parameter in info.parameters {
        let values = match parameter.kind {
            ParameterKind::Choice(choices) => choices.join("|"),
            ParameterKind::Duration => "1s, 15m, 1h, 1d, …".to_owned(),
            ParameterKind::Share => "a fraction in (0, 1]".to_owned(),
            ParameterKind::Weight => "a number, 0 or greater".to_owned(),
            ParameterKind::Text => "a name".to_owned(),
            ParameterKind::Switch => "true|false".to_owned(),
            _ => "a whole number".to_owned(),
        };
        let _ = writeln!(text, "  --{} ({values}; default {})", parameter.name, parameter.default);
        let _ = writeln!(text, "      {}", parameter.summary);
    }
    text.push_str("\nPaper\n");
    text.push_str(&wrap(info.paper, "  ", 100));
    text
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

/// Breaks a paragraph into lines of at most `width` characters.
fn wrap(paragraph: &str, indent: &str, width: usize) -> String {
    let mut text = String::new();
    let mut line = indent.to_owned();
    for word in paragraph.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > width && line.len() > indent.len() {
            text.push_str(&line);
            text.push('\n');
            indent.clone_into(&mut line);
        }
        if line.len() > indent.len() {
            line.push(' ');
        }
        line.push_str(word);
    }
    text + &line + "\n"
}
