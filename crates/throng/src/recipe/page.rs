//! Pages of a recipe: what its steps found, and the graph of the run as a picture. They hold no time, so that equal runs give equal pages.

use std::fmt::Write as _;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;
use serde_json::{Value, json};

use super::commands::PHASES;
use super::graph::{Graph, Source};
use crate::words;

/// The page, as a template.
const TEMPLATE: &str = include_str!("page.html");
/// How pages of throng look.
const STYLE: &str = include_str!("../report/style.css");
/// How many numbers of a step are shown.
const MOST_NUMBERS: usize = 40;
/// How deep in what a step found they are looked for.
const DEEPEST: usize = 4;

/// Something on a page, with its numbers.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Shown {
    pub(super) name: String,
    pub(super) what: String,
    pub(super) numbers: Vec<Line>,
}

/// A number or word of what a step found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) value: String,
}

/// A step on the page of a run.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Section {
    #[serde(flatten)]
    pub(super) shown: Shown,
    pub(super) state: String,
    pub(super) is_failed: bool,
    pub(super) pages: Vec<Link>,
}

/// A page that a step made.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Link {
    pub(super) name: String,
    /// Where it lies, from the state folder.
    pub(super) place: String,
}

/// The numbers and words in what a step found, each under the name by which a `when` asks for it.
pub(super) fn numbers(found: &Value) -> Vec<Line> {
    let mut lines = Vec::new();
    collect(found, "", 0, &mut lines);
    lines
}

fn collect(value: &Value, name: &str, depth: usize, lines: &mut Vec<Line>) {
    if lines.len() >= MOST_NUMBERS || depth > DEEPEST {
        return;
    }
    let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        Value::Null => {}
        Value::Number(number) => {
            let value = number.as_f64().map_or_else(|| number.to_string(), words::number);
            lines.push(Line { name: name.to_owned(), value });
        }
        Value::Bool(yes) => {
            lines.push(Line { name: name.to_owned(), value: if *yes { "yes" } else { "no" }.to_owned() })
        }
        Value::String(text) => lines.push(Line { name: name.to_owned(), value: text.clone() }),
        Value::Array(several) => {
            for entry in several {
                let Some(own) = super::results::name_of(entry) else { continue };
                // The name of the list itself need not be said.
                let parent = name.rsplit_once('.').map_or("", |(parent, _)| parent);
                let name = if parent.is_empty() { own.to_owned() } else { format!("{parent}.{own}") };
                let Value::Object(entry) = entry else { continue };
                for (key, value) in
                    entry.iter().filter(|(key, value)| *key != "name" && *key != "model" && is_plain(value))
                {
                    collect(value, &format!("{name}.{key}"), depth + 1, lines);
                }
            }
        }
        Value::Object(object) => {
            // What a whole certificate says stands in the report of the release.
            let is_long = |key: &str| matches!(key, "certificate" | "skipped" | "sha256");
            for (key, value) in object.iter().filter(|(key, _)| !is_long(key)) {
                collect(value, &below(key), depth + 1, lines);
            }
        }
    }
}

fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Number(_) | Value::String(_) | Value::Bool(_))
}

/// A page with what steps found.
pub(super) fn findings(title: &str, date: Option<&str>, shown: &[Shown]) -> String {
    render(title, date, "", &json!(shown))
}

/// The page of a run.
pub(super) fn of_run(recipe: &str, graph: &Graph, sections: &[Section]) -> String {
    let picture = picture(graph, sections);
    render(recipe, None, &picture, &json!(sections))
}

fn render(title: &str, date: Option<&str>, graph: &str, sections: &Value) -> String {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let page = json!({"title": title, "date": date, "style": STYLE, "picture": graph, "sections": sections});
    let page = environment.render_str(TEMPLATE, minijinja::Value::from(Serde(page)));
    // The template is ours, and a test renders it.
    page.unwrap_or_else(|error| format!("<!doctype html><title>throng</title><p>{error}"))
}

/// How large a step is drawn, and how far apart.
const WIDTH: usize = 170;
const HEIGHT: usize = 44;
const ACROSS: usize = 50;
const DOWN: usize = 18;
const TOP: usize = 34;

/// The graph as a picture: phases from left to right, steps of a phase one below the other in the order in which they run.
fn picture(graph: &Graph, sections: &[Section]) -> String {
    let mut places: Vec<(usize, usize)> = vec![(0, 0); graph.steps.len()];
    let phases: Vec<&str> = PHASES.into_iter().filter(|phase| graph.of_phase(phase).next().is_some()).collect();
    let mut most = 1;
    for (column, phase) in phases.iter().enumerate() {
        for (row, step) in graph.of_phase(phase).enumerate() {
            most = most.max(row + 1);
            if let Some(number) = graph.step(&step.name) {
                places[number] = (10 + column * (WIDTH + ACROSS), TOP + row * (HEIGHT + DOWN));
            }
        }
    }
    let width = 20 + phases.len() * (WIDTH + ACROSS) - ACROSS.min(phases.len() * ACROSS);
    let height = TOP + most * (HEIGHT + DOWN);
    let mut svg = format!("<svg viewBox=\"0 0 {width} {height}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">");
    for (column, phase) in phases.iter().enumerate() {
        let _ = write!(svg, "<text class=\"head\" x=\"{}\" y=\"20\">{phase}</text>", 10 + column * (WIDTH + ACROSS));
    }
    for (number, step) in graph.steps.iter().enumerate() {
        for need in &step.needs {
            svg.push_str(&way(places[*need], places[number]));
        }
    }
    for (number, step) in graph.steps.iter().enumerate() {
        let (x, y) = places[number];
        let section = sections.iter().find(|section| section.shown.name == step.name);
        let look = match section {
            Some(section) if section.is_failed => "failed",
            Some(section) if section.state == "done" => "done",
            _ => "waits",
        };
        let _ = write!(
            svg,
            "<rect class=\"step {look}\" x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"/>\
             <text x=\"{}\" y=\"{}\">{}</text><text class=\"runs\" x=\"{}\" y=\"{}\">{}</text>",
            x + 10,
            y + 19,
            shortened(&step.name, 20),
            x + 10,
            y + 35,
            step.command.name
        );
    }
    svg.push_str("</svg>");
    // The name of the namespace is an address that nothing is fetched from; inside a page it need not be said.
    svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "")
}

/// A way from one step to another.
fn way((from_x, from_y): (usize, usize), (to_x, to_y): (usize, usize)) -> String {
    let (y, to_y) = (from_y + HEIGHT / 2, to_y + HEIGHT / 2);
    if from_x == to_x {
        // Around the steps between.
        let (x, out) = (from_x + WIDTH, from_x + WIDTH + 22);
        return format!("<path class=\"way\" d=\"M{x} {y}C{out} {y} {out} {to_y} {x} {to_y}\"/>");
    }
    let (x, to_x) = if from_x < to_x { (from_x + WIDTH, to_x) } else { (from_x, to_x + WIDTH) };
    let middle = usize::midpoint(x, to_x);
    format!("<path class=\"way\" d=\"M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}\"/>")
}

fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most { name.to_owned() } else { name.chars().take(most - 1).chain(['…']).collect() }
}

/// The graph in words, by phases.
pub(super) fn explained(graph: &Graph) -> String {
    let mut text = String::new();
    for data in &graph.data {
        let kind = data.kind.as_deref().unwrap_or("kind recognised from the file");
        let _ = writeln!(text, "data {}: {} ({kind})", data.name, data.named.join(", "));
    }
    for phase in PHASES {
        let mut steps = graph.of_phase(phase).peekable();
        if steps.peek().is_none() {
            continue;
        }
        let _ = writeln!(text, "\n{phase}");
        for step in steps {
            let takes: Vec<String> = step
                .joints
                .iter()
                .filter(|joint| joint.is_input)
                .map(|joint| {
                    let (sort, kind) = match &joint.source {
                        Source::Data(data) => ("data", graph.data[*data].kind.as_deref()),
                        Source::Step(from, part) => {
                            let from = &graph.steps[*from];
                            (from.sort_of(part.as_deref()).in_words(), from.kind.as_deref())
                        }
                    };
                    let kind = kind.map(|kind| format!(" of {kind}")).unwrap_or_default();
                    format!("{} ({sort}{kind})", joint.text)
                })
                .collect();
            let of = step.kind.as_deref().map(|kind| format!(" of {kind}")).unwrap_or_default();
            let gives = match step.sort_of(None) {
                super::commands::Sort::Nothing => {
                    format!("copies to {}", step.keys.get("to").and_then(Value::as_str).unwrap_or_default())
                }
                sort => format!("gives {}{of}", sort.in_words()),
            };
            let takes = if takes.is_empty() { String::new() } else { format!(" takes {};", takes.join(", ")) };
            let _ = writeln!(text, "  {}: {}:{takes} {gives}", step.name, step.command.name);
            if let Some(when) = &step.when {
                let _ = writeln!(text, "    when {}", when.text);
            }
        }
    }
    text
}
