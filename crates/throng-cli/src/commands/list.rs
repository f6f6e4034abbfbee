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
        (Section::Finders, "finders", plain(FINDERS.iter().map(|finder| (finder.info.name, finder.info.summary)))),
        (Section::Formats, "formats", plain(io::FORMATS.iter().copied())),
        (Section::Kinds, "kinds", plain(KINDS.iter().map(|kind| (kind.card().name, kind.card().summary)))),
    ];
    let wanted = sections.iter().filter(|(section, ..)| args.section.is_none_or(|only| only == *section));
    if printer.json {
        let entry = |(name, summary, kinds): &Entry| match &kinds[..] {
            [] => json!({"name": name, "summary": summary}),
            kinds => json!({"name": name, "summary": summary, "kinds": kinds}),
        };
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
        let width = items.iter().map(|(name, ..)| name.len()).max().unwrap_or_default().max(24);
        let of_kinds: Vec<String> = items.iter().map(|(.., kinds)| kinds.join(", ")).collect();
        let kinds_width = of_kinds.iter().map(String::len).max().unwrap_or_default();
        for ((name, summary, _), kinds) in items.iter().zip(&of_kinds) {
            let kinds = if kinds_width == 0 { String::new() } else { format!("{kinds:kinds_width$}  ") };
            let _ = writeln!(text, "  {name:width$} {kinds}{summary}");
        }
    }
    printer.text(&text)?;
    Ok(Done::Fine)
}

/// A name, what it is, and the kinds of data that it is for, where it is for some only.
type Entry = (&'static str, &'static str, Vec<&'static str>);

fn cards(role: Role) -> Vec<Entry> {
    catalog::items_of(role).iter().map(|item| (item.info().name, item.info().summary, item.kinds.clone())).collect()
}

fn plain(entries: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<Entry> {
    entries.map(|(name, summary)| (name, summary, Vec::new())).collect()
}
