//! `report.html`: a report as a page that needs nothing else: no network, no script, light and dark, on a phone and on paper.
//!
//! The page is made of `report.json` and of nothing beside it, so it can be drawn again at any time, and holds no value that
//! the JSON does not hold. The number of the JSON stands in the `value` of its `data` element, whatever is shown of it.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;
use serde_json::{Map, Value};
use throng_core::{Error, Result};

use super::chart::{Bar, Chart, Dumbbell, Series, Shape, plain, shortened};
use super::promise;
use super::published::in_words;
use crate::catalog;
use crate::kinds;

/// What all pages look like.
pub(super) const STYLE: &str = include_str!("style.css");
const TEMPLATE: &str = include_str!("report.html");
/// How many letters of a value a table has room for.
const LONGEST: usize = 120;

/// A report as a page. `private` marks a version that may hold values of single persons.
pub fn html(report: &Value, private: bool) -> Result<String> {
    let page = Page::of(report, private)?;
    render(TEMPLATE, &page)
}

/// What to say of a file that is something else.
pub fn not_a_report() -> Error {
    Error::data("this is no report of throng's")
        .with_hint("a release folder has a report.json; `throng protect` writes it")
}

/// Fills a template. Every value in it is text unless it was made to be markup.
pub(super) fn render(template: &str, page: &impl Serialize) -> Result<String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment
        .render_str(template, minijinja::Value::from(Serde(page)))
        .map_err(|cause| Error::internal("the page cannot be made").with_cause(cause))
}

/// What the template shows.
#[derive(Debug, Serialize)]
struct Page {
    style: &'static str,
    private: bool,
    title: String,
    lead: String,
    cards: Vec<Fact>,
    what: Vec<Fact>,
    claims: Vec<Promise>,
    risk: Vec<Risk>,
    risk_note: String,
    measures: Vec<Section>,
    groups: Section,
    left_out: Vec<Fact>,
    skipped: Vec<(String, String)>,
    run: Vec<Fact>,
}

/// A name with a value.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Fact {
    name: String,
    text: String,
    /// The whole number, where the value is one.
    value: Option<String>,
}

/// A claim in words, and what it promises.
#[derive(Debug, Serialize)]
struct Promise {
    model: String,
    sentence: String,
    /// Markup of our own making.
    promise: Option<String>,
}

/// What an attacker who knows some facts makes of the data.
#[derive(Debug, Serialize)]
struct Risk {
    known: String,
    before: Fact,
    after: Option<Fact>,
}

/// A measure or another part of the report, with its pictures.
#[derive(Debug, Default, Serialize)]
struct Section {
    name: String,
    summary: String,
    headline: Option<Fact>,
    better: String,
    figures: Vec<Figure>,
    facts: Vec<Fact>,
}

/// A picture, and the same in numbers.
#[derive(Debug, Serialize)]
pub(super) struct Figure {
    pub(super) title: String,
    /// Markup of our own making.
    pub(super) svg: String,
    /// A colour of the style sheet, and what it stands for.
    pub(super) legend: Vec<(String, String)>,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Fact {
    fn text(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: shortened(&text.into(), LONGEST), value: None }
    }

    /// A value of the JSON; a number is shown rounded.
    fn of(name: impl Into<String>, value: &Value, unit: &str) -> Self {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        match value {
            Value::Number(number) => {
                Self { name: name.into(), text: format!("{}{unit}", shown(number)), value: Some(number.to_string()) }
            }
            Value::Null => Self::text(name, "not defined on these data"),
            Value::String(text) => Self::text(name, in_words(text).as_deref().unwrap_or(text)),
            Value::Bool(yes) => Self::text(name, if *yes { "yes" } else { "no" }),
            other => Self::text(name, other.to_string()),
        }
    }

    fn share(name: impl Into<String>, value: &Value) -> Self {
        let share = value.as_f64().map(|share| format!("{:.1} %", 100.0 * share));
        let text = share.or_else(|| in_words(value.as_str()?)).unwrap_or("not known".to_owned());
        Self { name: name.into(), text, value: value.as_number().map(ToString::to_string) }
    }
}

/// Whole numbers with their thousands apart, others with four places at most.
fn shown(number: &serde_json::Number) -> String {
    match (number.as_u64(), number.as_f64()) {
        (Some(whole), _) => thousands(whole),
        (None, Some(value)) => {
            let text = format!("{value:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => number.to_string(),
    }
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

impl Page {
    fn of(report: &Value, private: bool) -> Result<Self> {
        let certificate = &report["certificate"];
        if !certificate["method"]["name"].is_string() || !report["measures"].is_array() {
            return Err(not_a_report());
        }
        let k = certificate["method"]["parameters"]["k"].as_u64();
        let persons = certificate["output"]["persons"].as_u64().unwrap_or(0);
        let kind = certificate["input"]["kind"].as_str().unwrap_or("data");
        let card = kinds::card_of(certificate["output"]["kind"].as_str().unwrap_or(kind));
        let unit = card.person[1];
        let method = certificate["method"]["name"].as_str().unwrap_or_default();
        let measures: Vec<Section> =
            list(&report["measures"]).iter().map(Section::of_measure).collect::<Result<_>>()?;
        let unique = &report["exposure"]["unique_by"];
        let after = &report["exposure"]["unique_by_after"];
        let mut cards = vec![Fact::of(unit, &certificate["output"]["persons"], "")];
        cards.extend(k.map(|k| Fact::of("look the same, at least", &Value::from(k), "")));
        cards.push(Fact::share(format!("of {unit} singled out before by one fact"), &unique["1"]));
        cards.extend(
            measures
                .iter()
                .take(3)
                .filter_map(|section| Some(Fact { name: section.name.clone(), ..section.headline.clone()? })),
        );
        let claims: Vec<Promise> = list(&certificate["claims"]).iter().map(Promise::of).collect();
        let verdict = if claims.is_empty() { "nothing is claimed" } else { "checked on the published bytes" };
        Ok(Self {
            style: STYLE,
            private,
            title: match k {
                Some(k) => format!("{} {unit}, each one of at least {k}", thousands(persons)),
                None => format!("{} {unit}, protected", thousands(persons)),
            },
            lead: format!("A release of {kind}, made by throng with {method}; {verdict}."),
            cards,
            what: what(certificate),
            claims,
            risk: ["1", "2", "3"]
                .iter()
                .map(|&known| Risk {
                    known: format!("{known} fact{}", if known == "1" { "" } else { "s" }),
                    before: Fact::share("", &unique[known]),
                    after: after.get(known).map(|share| Fact::share("", share)),
                })
                .collect(),
            risk_note: format!(
                "The share of {unit} whom an attacker picks out by knowing this many facts of theirs, drawn at random: {}.",
                card.fact[1]
            ),
            measures,
            groups: groups(&report["groups"], unit)?,
            left_out: left_out(&certificate["accounting"]),
            skipped: list(&report["skipped"])
                .iter()
                .map(|skipped| (text(&skipped["name"]), text(&skipped["reason"])))
                .collect(),
            run: run_facts(report),
        })
    }
}

impl Promise {
    fn of(claim: &Value) -> Self {
        let model = text(&claim["model"]);
        let parameters = |values: &Value| {
            let empty = Map::new();
            let pairs = values.as_object().unwrap_or(&empty);
            pairs.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
        };
        let sentence = format!(
            "{model} ({}) {} on the published bytes; the check found {}.",
            parameters(&claim["parameters"]),
            text(&claim["verdict"]),
            parameters(&claim["achieved"]),
        );
        Self { promise: promise::of_model(&model), model, sentence }
    }
}

impl Section {
    fn of_measure(measured: &Value) -> Result<Self> {
        let name = text(&measured["name"]);
        let mut section = Self {
            summary: catalog::measure_card(&name).map(|card| card.info.summary.to_owned()).unwrap_or_default(),
            headline: Some(Fact::of("", &measured["value"], measured["unit"].as_str().unwrap_or_default())),
            better: text(&measured["better"]),
            name,
            ..Self::default()
        };
        section.add_parts("", &measured["parts"])?;
        Ok(section)
    }

    /// Pictures for what can be drawn, facts for single values.
    fn add_parts(&mut self, of: &str, parts: &Value) -> Result<()> {
        let Some(parts) = parts.as_object() else { return Ok(()) };
        if let Some(rows) = dumbbells(parts) {
            self.figures.push(Figure::dumbbells("Before and after", rows)?);
        }
        let titled = |name: &str| if of.is_empty() { words(name) } else { format!("{of}: {}", words(name)) };
        for (name, value) in parts {
            match value {
                Value::Object(inner) if name == "distribution" => {
                    let title =
                        if of.is_empty() { "Persons by value".to_owned() } else { format!("Persons by value, {of}") };
                    // A map, unlike a value, may not be asked for what it lacks.
                    let histogram = inner.get("histogram").unwrap_or(&Value::Null);
                    self.figures.extend(Figure::histogram(&title, histogram)?);
                }
                Value::Object(_) => self.add_parts(&words(name), value)?,
                Value::Array(rows) if name == "by_clusters" => self.figures.extend(Figure::by_clusters(rows)?),
                Value::Array(_) => {}
                scalar => self.facts.push(Fact::of(titled(name), scalar, "")),
            }
        }
        Ok(())
    }
}

impl Figure {
    /// The picture of a chart, and its numbers.
    pub(super) fn of(chart: &Chart, head: &[&str], rows: Vec<Vec<String>>) -> Result<Self> {
        Ok(Self {
            title: chart.title.clone(),
            svg: chart.svg()?,
            legend: chart.legend(),
            head: head.iter().map(|&name| name.to_owned()).collect(),
            rows,
        })
    }

    fn histogram(title: &str, histogram: &Value) -> Result<Option<Self>> {
        let bar = |bin: &Value| {
            let (from, to) = (bin["from"].as_f64().unwrap_or(0.0), bin["to"].as_f64());
            let label = format!("{} to {}", plain(from), to.map_or("more".to_owned(), plain));
            Bar { label, from, to, height: bin["persons"].as_f64().unwrap_or(0.0) }
        };
        let bars: Vec<Bar> = list(histogram).iter().map(bar).collect();
        if bars.is_empty() {
            return Ok(None);
        }
        let rows = bars.iter().map(|bar| vec![bar.label.clone(), plain(bar.height)]).collect();
        // A bar's width differs where bins were merged: its area, not its height, is its persons.
        let density = |bar: &Bar| bar.to.map_or(1.0, |to| ((to - bar.from) / 5.0).max(1.0));
        let drawn = bars.iter().map(|bar| Bar { height: bar.height / density(bar), ..bar.clone() }).collect();
        let chart = Chart {
            title: title.to_owned(),
            across: "%".to_owned(),
            up: "persons per 5 %".to_owned(),
            shape: Shape::Bars(drawn),
        };
        Self::of(&chart, &["from, to", "persons"], rows).map(Some)
    }

    fn dumbbells(title: &str, rows: Vec<Dumbbell>) -> Result<Self> {
        let table = rows
            .iter()
            .map(|row| {
                let share = |share: f64| format!("{:.3} %", share);
                vec![shortened(&row.label, LONGEST), share(row.before), share(row.after)]
            })
            .collect();
        let chart = Chart {
            title: title.to_owned(),
            across: "% of all".to_owned(),
            up: String::new(),
            shape: Shape::Dumbbells(rows),
        };
        Self::of(&chart, &["what", "before", "after"], table)
    }

    fn by_clusters(rows: &[Value]) -> Result<Option<Self>> {
        let line = |colour: usize, name: &str| Series {
            name: name.to_owned(),
            points: rows.iter().filter_map(|row| Some((row["clusters"].as_f64()?, row[name].as_f64()?))).collect(),
            colour,
            ..Series::default()
        };
        let chart = Chart {
            title: "Agreement by number of clusters".to_owned(),
            across: "clusters".to_owned(),
            up: "agreement".to_owned(),
            shape: Shape::OverCounts(vec![line(0, "jaccard"), line(1, "rand")]),
        };
        if chart.is_empty() {
            return Ok(None);
        }
        let cells = |row: &Value| ["clusters", "jaccard", "rand"].iter().map(|&name| number(&row[name])).collect();
        Self::of(&chart, &["clusters", "Jaccard", "Rand"], rows.iter().map(cells).collect()).map(Some)
    }
}

/// The most frequent values before and after, those that may be shown.
fn dumbbells(parts: &Map<String, Value>) -> Option<Vec<Dumbbell>> {
    let mut rows: Vec<Dumbbell> = Vec::new();
    for value in ["top_before", "top_after"].iter().flat_map(|&name| list(parts.get(name).unwrap_or(&Value::Null))) {
        let share = |name: &str| value[name].as_f64().map(|share| 100.0 * share);
        let (Some(label), Some(before), Some(after)) = (value["value"].as_str(), share("before"), share("after"))
        else {
            continue;
        };
        if rows.iter().all(|row| row.label != label) {
            rows.push(Dumbbell { label: label.to_owned(), before, after });
        }
    }
    (!rows.is_empty()).then_some(rows)
}

fn what(certificate: &Value) -> Vec<Fact> {
    let (input, output) = (&certificate["input"], &certificate["output"]);
    let mut facts = vec![
        Fact::of("kind of data", &input["kind"], ""),
        Fact::of("persons before", &input["persons"], ""),
        Fact::of("persons after", &output["persons"], ""),
        Fact::of("rows before", &input["rows"], ""),
        Fact::of("rows after", &output["rows"], ""),
        Fact::of("method", &certificate["method"]["name"], ""),
    ];
    for (name, value) in certificate["method"]["parameters"].as_object().into_iter().flatten() {
        facts.push(Fact::of(name.as_str(), value, ""));
    }
    let grouping = &certificate["method"]["grouping"];
    if grouping.is_object() {
        facts.push(Fact::of("blocks of like persons", &grouping["blocks"], ""));
        facts.push(Fact::of("persons in the largest block", &grouping["largest_block"], ""));
        facts.push(Fact::of("groups refined", &grouping["refined"], ""));
    }
    if certificate["taxonomy"].is_object() {
        facts.push(Fact::of("taxonomy", &certificate["taxonomy"]["name"], ""));
    }
    facts.push(Fact::of("data file", &output["file"], ""));
    facts.push(Fact::of("SHA-256 of the data", &output["sha256"], ""));
    facts
}

fn left_out(accounting: &Value) -> Vec<Fact> {
    let facts = accounting.as_object().into_iter().flatten();
    facts.map(|(name, value)| Fact::of(words(name), value, "")).collect()
}

fn groups(groups: &Value, unit: &str) -> Result<Section> {
    let sizes = list(&groups["sizes"]);
    let bars: Vec<Bar> = sizes
        .iter()
        .filter_map(|size| {
            let (at, count) = (size["size"].as_f64()?, size["groups"].as_f64()?);
            Some(Bar {
                label: format!("{} {unit}", number(&size["size"])),
                from: at - 0.5,
                to: Some(at + 0.5),
                height: count,
            })
        })
        .collect();
    let mut section = Section { facts: vec![Fact::of("groups", &groups["count"], "")], ..Section::default() };
    // Groups of one size, or of very different sizes, are better read than drawn.
    let is_narrow = bars.first().zip(bars.last()).is_some_and(|(first, last)| last.from - first.from < 60.0);
    if let [one] = sizes {
        section.facts.push(Fact::of(format!("{unit} in each"), &one["size"], ""));
    } else if let [smallest, .., greatest] = sizes {
        section.facts.push(Fact::of(format!("{unit} in the smallest"), &smallest["size"], ""));
        section.facts.push(Fact::of(format!("{unit} in the greatest"), &greatest["size"], ""));
    }
    if sizes.len() > 1 && is_narrow {
        let chart = Chart {
            title: "Groups by size".to_owned(),
            across: format!("{unit} in a group"),
            up: "groups".to_owned(),
            shape: Shape::Bars(bars),
        };
        let rows = sizes.iter().map(|size| vec![number(&size["size"]), number(&size["groups"])]).collect();
        section.figures.push(Figure::of(&chart, &[unit, "groups"], rows)?);
    }
    Ok(section)
}

fn run_facts(report: &Value) -> Vec<Fact> {
    let certificate = &report["certificate"];
    let mut facts = vec![
        Fact::of("throng", &certificate["throng"], ""),
        Fact::text(
            "randomness",
            match certificate["randomness"].as_str() {
                Some("secure") => "secure: drawn from the system, and gone",
                Some("seeded") => {
                    "seeded: whoever knows the seed can undo the pseudonyms. For research, not for publishing"
                }
                _ => "not known",
            },
        ),
        Fact::of("ids", &certificate["ids"], ""),
    ];
    let run = &report["run"];
    if run.is_object() {
        facts.push(Fact::of("time", &run["seconds"], "s"));
        facts.push(Fact::of("peak memory", &run["peak_memory_mb"], "MB"));
        facts.push(Fact::of("threads", &run["threads"], ""));
    }
    facts
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    shortened(value.as_str().unwrap_or_default(), 400)
}

fn number(value: &Value) -> String {
    value.as_number().map(shown).or_else(|| in_words(value.as_str()?)).unwrap_or_default()
}

/// A key of the JSON as words.
fn words(key: &str) -> String {
    key.replace(['_', '-'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::group_sizes;
    use serde_json::json;

    /// A report of as many persons as AOL's log had, with groups of all sizes that fit, every measure with every part that
    /// pages draw, and labels as long as a line may be.
    #[test]
    fn a_report_of_many_persons_is_small() {
        let persons = 650_000;
        let mut sizes: Vec<u32> = (5..)
            .scan(0, |sum, size| {
                *sum += size;
                (*sum < persons).then_some(size)
            })
            .collect();
        sizes.push(persons - sizes.iter().sum::<u32>());
        let label = "<wide> & ".repeat(10_000);
        let top: Vec<Value> =
            (0..10).map(|at| json!({"value": format!("{at} {label}"), "before": 0.01, "after": 0.02})).collect();
        let histogram: Vec<Value> =
            (0..20).map(|bin| json!({"from": 5 * bin, "to": 5 * bin + 5, "persons": persons / 20})).collect();
        let clusters: Vec<Value> =
            [2, 5, 10, 20, 50].map(|clusters| json!({"clusters": clusters, "jaccard": 0.5, "rand": 0.5})).into();
        let parts = json!({
            "distribution": {"percentiles": {"50": 1.5}, "histogram": histogram},
            "top_before": top, "top_after": top, "by_clusters": clusters, "share": 0.123_456_789,
        });
        let measures: Vec<Value> = catalog::measure_cards()
            .iter()
            .map(|card| {
                json!({"name": card.info.name, "value": 1.5, "unit": card.unit, "better": card.better, "parts": parts})
            })
            .collect();
        let report = json!({
            "certificate": {
                "input": {"kind": "queries", "persons": persons, "rows": 36_000_000},
                "output": {"persons": persons, "rows": 36_000_000},
                "method": {"name": "user-microaggregation", "parameters": {"k": 5}},
                "claims": [{"model": "user-k-anonymity", "parameters": {"k": 5}, "verdict": "holds", "achieved": {"k": 5}}],
            },
            "groups": group_sizes(&sizes),
            "measures": measures,
        });
        let page = html(&report, false).unwrap();
        assert!(page.len() < 5_000_000, "{} bytes", page.len());
        assert!(page.contains("650\u{2009}000 persons, each one of at least 5"));
        assert!(page.contains("persons in the greatest"));
    }
}
