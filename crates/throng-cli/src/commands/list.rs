//! `throng list`.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use throng::catalog::{self, Role};
use throng::io;
use throng::kinds::KINDS;
use throng_core::Result;
use throng_core::finders::FINDERS;

use super::Done;
use crate::args::{List, Section};
use crate::printer::Printer;

pub(super) fn run(args: &List, printer: &Printer) -> Result<Done> {
    let sections = [
        (Section::Methods, "methods", cards(Role::Method)),
        (Section::Models, "models", cards(Role::Model)),
        (Section::Measures, "measures", cards(Role::Measure)),
        (Section::Distances, "distances", cards(Role::Distance)),
        (Section::Attacks, "attacks", cards(Role::Attack)),
        (Section::Finders, "finders", FINDERS.iter().map(|finder| (finder.info.name, finder.info.summary)).collect()),
        (Section::Formats, "formats", io::FORMATS.to_vec()),
        (Section::Kinds, "kinds", KINDS.iter().map(|kind| (kind.card().name, kind.card().summary)).collect()),
    ];
    let wanted = sections.iter().filter(|(section, ..)| args.section.is_none_or(|only| only == *section));
    if printer.json {
        let entry = |&(name, summary): &(&str, &str)| json!({"name": name, "summary": summary});
        let map: Map<String, Value> =
            wanted.map(|(_, title, items)| ((*title).to_owned(), items.iter().map(entry).collect())).collect();
        printer.json(&map)?;
        return Ok(Done::Fine);
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
    Ok(Done::Fine)
}

fn cards(role: Role) -> Vec<(&'static str, &'static str)> {
    catalog::items_of(role).iter().map(|item| (item.info().name, item.info().summary)).collect()
}
