//! `throng list`.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use throng::catalog::{self, Item};
use throng::io;
use throng_core::{Info, Kind, Result};

use super::Done;
use crate::args::{List, Section};
use crate::printer::Printer;

pub(super) fn run(args: &List, printer: &Printer) -> Result<Done> {
    // A measure of several kinds of data is one measure.
    let measures: Vec<Item> = catalog::items().into_iter().filter(|item| item.role() == "measure").collect();
    let sections = [
        (Section::Methods, "methods", cards(catalog::METHODS.iter().map(|entry| entry.info))),
        (Section::Models, "models", cards(catalog::MODELS.iter().map(|entry| entry.info))),
        (Section::Measures, "measures", cards(measures.iter().map(|item| item.info()))),
        (Section::Distances, "distances", cards(catalog::DISTANCES.iter().copied())),
        (Section::Attacks, "attacks", Vec::new()),
        (Section::Formats, "formats", io::FORMATS.to_vec()),
        (Section::Kinds, "kinds", Kind::ALL.iter().map(|kind| (kind.name(), kind.summary())).collect()),
    ];
    let wanted = sections.iter().filter(|(section, ..)| args.section.is_none_or(|only| only == *section));
    if printer.json {
        let entry = |&(name, summary): &(&str, &str)| json!({"name": name, "summary": summary});
        let map: Map<String, Value> =
            wanted.map(|(_, title, items)| ((*title).to_owned(), items.iter().map(entry).collect())).collect();
        printer.json(&map)?;
        return Ok(Done::FINE);
    }
    let mut text = String::new();
    for (_, title, items) in wanted {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "{title}");
        if items.is_empty() {
            text.push_str("  none yet\n");
        }
        let width = items.iter().map(|(name, _)| name.len()).max().unwrap_or_default().max(24);
        for (name, summary) in items {
            let _ = writeln!(text, "  {name:width$} {summary}");
        }
    }
    printer.text(&text)?;
    Ok(Done::FINE)
}

fn cards(infos: impl Iterator<Item = &'static Info>) -> Vec<(&'static str, &'static str)> {
    infos.map(|info| (info.name, info.summary)).collect()
}
