//! What there is, for people and programs: the catalogue, finders, formats and kinds as JSON and in words. `throng list` and `throng
//! explain` print it; Python shows it.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use throng_core::finders::{FINDERS, Finder};
use throng_core::{Error, Parameter, ParameterKind, Result};

use crate::catalog::{self, Item, Role};
use crate::io;
use crate::kinds::KINDS;

/// A name, what it is, and the kinds of data that it is for, where it is for some only.
type Entry = (&'static str, &'static str, Vec<&'static str>);

/// The sections of what there is, in their order.
pub const SECTIONS: [&str; 9] =
    ["methods", "models", "measures", "distances", "attacks", "detectors", "finders", "formats", "kinds"];

/// The sections with everything in them; only one, if it is named.
pub fn listed(only: Option<&str>) -> Result<Vec<(&'static str, Vec<Entry>)>> {
    if let Some(name) = only.filter(|name| !SECTIONS.contains(name)) {
        return Err(Error::unknown("section", name, SECTIONS));
    }
    let entries = |section: &str| match section {
        "methods" => cards(Role::Method),
        "models" => cards(Role::Model),
        "measures" => cards(Role::Measure),
        "distances" => cards(Role::Distance),
        "attacks" => cards(Role::Attack),
        "detectors" => cards(Role::Detector),
        "finders" => plain(FINDERS.iter().map(|finder| (finder.info.name, finder.info.summary))),
        "formats" => plain(io::FORMATS.iter().copied()),
        _ => plain(KINDS.iter().map(|kind| (kind.card().name, kind.card().summary))),
    };
    let wanted = SECTIONS.into_iter().filter(|section| only.is_none_or(|only| only == *section));
    Ok(wanted.map(|section| (section, entries(section))).collect())
}

fn cards(role: Role) -> Vec<Entry> {
    catalog::items_of(role).iter().map(|item| (item.info().name, item.info().summary, item.kinds.clone())).collect()
}

fn plain(entries: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<Entry> {
    entries.map(|(name, summary)| (name, summary, Vec::new())).collect()
}

/// Sections as JSON.
pub fn as_json(sections: &[(&'static str, Vec<Entry>)]) -> Map<String, Value> {
    let entry = |(name, summary, kinds): &Entry| match &kinds[..] {
        [] => json!({"name": name, "summary": summary}),
        kinds => json!({"name": name, "summary": summary, "kinds": kinds}),
    };
    sections.iter().map(|(title, items)| ((*title).to_owned(), items.iter().map(entry).collect())).collect()
}

/// Sections in words.
pub fn as_text(sections: &[(&'static str, Vec<Entry>)]) -> String {
    let mut text = String::new();
    for (title, items) in sections {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "{title}");
        if items.is_empty() {
            text.push_str("  none yet\n");
        }
        let width = items.iter().map(|(name, ..)| name.len()).max().unwrap_or_default().max(24);
        let of_kinds: Vec<String> = items.iter().map(|(.., kinds)| kinds.join(", ")).collect();
        let kinds_width = of_kinds.iter().map(String::len).max().unwrap_or_default();
        for ((name, summary, _), kinds) in items.iter().zip(&of_kinds) {
            let kinds = if kinds_width == 0 { String::new() } else { format!("{kinds:kinds_width$}  ") };
            let _ = writeln!(text, "  {name:width$} {kinds}{summary}");
        }
    }
    text
}

/// What something is, as JSON and in words. A method and the model that it claims may have one name: then it is a list.
pub fn explained(name: &str) -> Result<(Value, String)> {
    let items = catalog::items();
    let now = catalog::formerly(name).unwrap_or(name);
    let found = items.iter().filter(|item| item.info().name == now);
    let found: Vec<Item> = found.flat_map(catalog::variants).collect();
    Ok(match found.as_slice() {
        [] => {
            let Some(finder) = FINDERS.iter().find(|finder| finder.info.name == name) else {
                let names = items.iter().map(|item| item.info().name).chain(FINDERS.map(|finder| finder.info.name));
                return Err(Error::unknown(
                    "method, model, measure, attack, detector, distance or finder",
                    name,
                    names,
                ));
            };
            (finder_card(finder), finder_text(finder))
        }
        [item] => (card(item), text(item)),
        several => (several.iter().map(card).collect(), several.iter().map(text).collect::<Vec<_>>().join("\n")),
    })
}

fn card(item: &Item) -> Value {
    let info = item.info();
    let parameter = |parameter: &Parameter| json!({"name": parameter.name, "summary": parameter.summary, "default": parameter.default});
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
