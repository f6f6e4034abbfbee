//! The numbers of a report's page: every measure with its charts and parts, groups, counts, and what the run took.

use serde::Serialize;
use serde_json::{Map, Value};
use throng_core::Result;
use throng_core::accounts;

use super::chart::{Bar, Chart, Dumbbell, Shape, plain, shortened};
use super::page::{Figure, capitalised, list, text};
use super::published::{in_words, three_digits};
use crate::catalog;
use crate::kinds::KindCard;
use crate::words::thousands;

/// How many letters of a value a table has room for.
const LONGEST: usize = 120;

/// A name with a value.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Fact {
    name: String,
    text: String,
    /// The whole number, where the value is one.
    value: Option<String>,
}

/// A measure or another part of the report, with its pictures.
#[derive(Debug, Default, Serialize)]
pub(super) struct Section {
    name: String,
    summary: String,
    headline: Option<Fact>,
    better: String,
    figures: Vec<Figure>,
    facts: Vec<Fact>,
}

impl Fact {
    pub(super) fn text(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: shortened(&text.into(), LONGEST), value: None }
    }

    /// A value of the JSON; a number is shown rounded.
    pub(super) fn of(name: impl Into<String>, value: &Value, unit: &str) -> Self {
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

    pub(super) fn share(name: impl Into<String>, value: &Value) -> Self {
        let share = value.as_f64().map(percent);
        let text = share.or_else(|| in_words(value.as_str()?)).unwrap_or("not known".to_owned());
        Self { name: name.into(), text, value: value.as_number().map(ToString::to_string) }
    }
}

/// A whole number as it is, another with three significant digits.
fn shown(number: &serde_json::Number) -> String {
    match (number.as_u64(), number.as_f64()) {
        (Some(whole), _) => thousands(whole),
        (None, Some(value)) => rounded(value),
        _ => number.to_string(),
    }
}

/// A number with three significant digits, thousands apart.
pub(super) fn rounded(value: f64) -> String {
    let value = three_digits(value);
    if value.abs() >= 1000.0 && value.abs() < 1e15 {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", thousands(value.abs() as u64));
    }
    if value.abs() >= 1e15 { format!("{value:e}") } else { format!("{value}") }
}

/// A share as a percentage: whole, but for small ones and those that are nearly everything.
pub(super) fn percent(share: f64) -> String {
    let hundredths = 100.0 * share;
    let is_near_an_end = hundredths.abs() < 10.0 || (hundredths > 99.0 && hundredths < 100.0);
    let text = if is_near_an_end { format!("{hundredths:.1}") } else { hundredths.round().to_string() };
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// Names of parts that say less than one wants to know; the others are read as they are.
const LABELS: [(&str, &str); 24] = [
    ("above", "share of persons above the limit"),
    ("cap", "limit: 100 / k, in %"),
    ("undefined", "for how many it is not defined"),
    ("undefined_share", "share for whom it is not defined"),
    ("persons", "for how many it is defined"),
    ("p10", "a tenth have less than"),
    ("random", "if records were dealt out at random"),
    ("depth", "level of the taxonomy"),
    ("rank_correlation", "rank correlation of the most frequent"),
    ("compared", "values compared"),
    ("total_before", "occurrences before"),
    ("total_after", "occurrences after"),
    ("total_variation", "difference of the frequencies (total variation)"),
    ("sse", "sum of squares within groups"),
    ("ssa", "sum of squares between groups"),
    ("sst", "sum of squares in all"),
    ("baseline", "by guessing blindly"),
    ("printed", "square of the summed distances"),
    ("root_share", "share of items that became the root"),
    ("original_distinct", "different ones before"),
    ("distinct", "different ones"),
    ("distinct_share", "share of the different ones"),
    ("by_group", "published for a group instead"),
    ("bound", "smaller counts are taken for this one"),
];
/// Parts that say again what the headline says.
const SAID: [&str; 2] = ["l", "rate"];

/// A key of the JSON as words.
pub(super) fn words(key: &str) -> String {
    let label = LABELS.iter().find(|(name, _)| *name == key).map(|&(_, label)| label.to_owned());
    label.unwrap_or_else(|| key.replace(['_', '-'], " "))
}

impl Section {
    pub(super) fn of_measure(measured: &Value, card: &KindCard) -> Result<Self> {
        let name = text(&measured["name"]);
        let info = catalog::info_for(card.name, catalog::Role::Measure, &name);
        let summary = info.map(|info| info.summary).unwrap_or_default();
        let reason = measured["reason"].as_str();
        let mut section = Self {
            summary: format!("{}.", capitalised(summary)),
            headline: Some(match reason {
                Some(reason) => Fact::text("", format!("not defined: {reason}")),
                None => Fact::of("", &measured["value"], measured["unit"].as_str().unwrap_or_default()),
            }),
            better: if measured["value"].is_null() { String::new() } else { text(&measured["better"]) },
            name: capitalised(&words(&name)),
            ..Self::default()
        };
        section.add_parts("", &measured["parts"], card)?;
        Ok(section)
    }

    /// Pictures for what can be drawn, facts for single values.
    fn add_parts(&mut self, of: &str, parts: &Value, card: &KindCard) -> Result<()> {
        let Some(parts) = parts.as_object() else { return Ok(()) };
        if let Some(rows) = dumbbells(parts) {
            let title = format!("The most frequent, before and after ({})", self.name.to_lowercase());
            self.figures.push(dumbbell_figure(&title, rows)?);
        }
        let titled = |name: &str| match (of.is_empty(), name.parse::<u32>().is_ok()) {
            (true, _) => words(name),
            (false, true) => format!("{of} {name}"),
            (false, false) => format!("{of}: {}", words(name)),
        };
        for (name, value) in parts {
            match value {
                Value::Object(inner) if name == "distribution" => {
                    // A map, unlike a value, may not be asked for what it lacks.
                    let histogram = inner.get("histogram").unwrap_or(&Value::Null);
                    let of = if of.is_empty() { self.name.clone() } else { format!("{}, {of}", self.name) };
                    let figure = histogram_figure(&of, histogram, card)?;
                    let is_new = |figure: &Figure| self.figures.iter().all(|other| other.rows != figure.rows);
                    self.figures.extend(figure.filter(is_new));
                }
                Value::Object(_) => self.add_parts(&words(name), value, card)?,
                Value::Array(rows) if name == "by_clusters" => self.add_clusters(rows),
                Value::Array(_) => {}
                _ if SAID.contains(&name.as_str()) => {}
                scalar => self.facts.push(Fact::of(titled(name), scalar, "")),
            }
        }
        Ok(())
    }

    fn add_clusters(&mut self, rows: &[Value]) {
        for row in rows {
            let (jaccard, rand) = (&row["jaccard"], &row["rand"]);
            if let (Some(clusters), Some(jaccard), Some(rand)) =
                (row["clusters"].as_u64(), jaccard.as_f64(), rand.as_f64())
            {
                let agreement = format!("Jaccard {}, Rand {}", rounded(jaccard), rounded(rand));
                self.facts.push(Fact::text(format!("with {clusters} clusters"), agreement));
            }
        }
    }
}

fn histogram_figure(of: &str, histogram: &Value, card: &KindCard) -> Result<Option<Figure>> {
    let bar = |bin: &Value| {
        let (from, to) = (bin["from"].as_f64().unwrap_or(0.0), bin["to"].as_f64());
        let label = format!("{} to {}", plain(from), to.map_or("more".to_owned(), plain));
        Bar { label, from, to, height: bin["persons"].as_f64().unwrap_or(0.0) }
    };
    let bars: Vec<Bar> = list(histogram).iter().map(bar).collect();
    // One bar says nothing that its number does not say.
    if bars.len() < 2 {
        return Ok(None);
    }
    let rows = bars.iter().map(|bar| vec![bar.label.clone(), rounded(bar.height)]).collect();
    // A bar's width differs where bins were merged: its area, not its height, is its persons.
    let density = |bar: &Bar| bar.to.map_or(1.0, |to| ((to - bar.from) / 5.0).max(1.0));
    let drawn = bars.iter().map(|bar| Bar { height: bar.height / density(bar), ..bar.clone() }).collect();
    let chart = Chart {
        title: format!("How many {} have which {}", card.person[1], of.to_lowercase()),
        across: format!("{of}, in %"),
        up: format!("{} per 5 %", card.person[1]),
        shape: Shape::Bars(drawn),
    };
    Figure::of(&chart, &["%, from and to", card.person[1]], rows).map(Some)
}

fn dumbbell_figure(title: &str, rows: Vec<Dumbbell>) -> Result<Figure> {
    let table = rows
        .iter()
        .map(|row| vec![shortened(&row.label, LONGEST), percent(row.before / 100.0), percent(row.after / 100.0)])
        .collect();
    let chart = Chart {
        title: title.to_owned(),
        across: "% of all".to_owned(),
        up: String::new(),
        shape: Shape::Dumbbells(rows),
    };
    Figure::of(&chart, &["what", "before", "after"], table)
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

/// What was protected, and how.
pub(super) fn what(certificate: &Value, card: &KindCard) -> Vec<Fact> {
    let (input, output) = (&certificate["input"], &certificate["output"]);
    let mut facts = vec![
        Fact::text("kind of data", card.name),
        Fact::of(format!("{} before", card.person[1]), &input["persons"], ""),
        Fact::of(format!("{} in the release", card.person[1]), &output["persons"], ""),
        Fact::of("rows before", &input["rows"], ""),
        Fact::of("rows in the release", &output["rows"], ""),
        Fact::of("method", &certificate["method"]["name"], ""),
    ];
    for (name, value) in certificate["method"]["parameters"].as_object().into_iter().flatten() {
        facts.push(Fact::of(words(name), value, ""));
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

/// Everything that was counted.
pub(super) fn counted(accounting: &Value) -> Vec<Fact> {
    let facts = accounting.as_object().into_iter().flatten();
    let label = |name: &str| accounts::ALL.iter().find(|account| account.name == name).map(|account| account.summary);
    facts.map(|(name, value)| Fact::of(label(name).map_or_else(|| words(name), str::to_owned), value, "")).collect()
}

/// What a finder found, and what became of it.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    name: String,
    scrub: String,
    counts: Vec<Fact>,
}

/// What finders found, as far as one found anything.
pub(super) fn content(found: &Value) -> Vec<Finding> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let finding = |each: &Value| {
        let counts = ["rows", "after_threshold", "masked", "left"];
        Finding {
            name: text(&each["finder"]),
            scrub: text(&each["scrub"]),
            counts: counts.iter().map(|name| Fact::of("", &each[*name], "")).collect(),
        }
    };
    list(found).iter().filter(|each| each["rows"] != 0 || each["left"] != 0).map(finding).collect()
}

/// How many groups there are, and how large they are.
pub(super) fn groups(groups: &Value, unit: &str) -> Result<Section> {
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
            title: format!("How many groups have how many {unit}"),
            across: format!("{unit} in a group"),
            up: "groups".to_owned(),
            shape: Shape::Bars(bars),
        };
        let rows = sizes.iter().map(|size| vec![number(&size["size"]), number(&size["groups"])]).collect();
        section.figures.push(Figure::of(&chart, &[unit, "groups"], rows)?);
    }
    Ok(section)
}

/// What the run took.
pub(super) fn run(report: &Value) -> Vec<Fact> {
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

fn number(value: &Value) -> String {
    value.as_number().map(shown).or_else(|| in_words(value.as_str()?)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds;
    use serde_json::json;

    #[test]
    fn numbers_have_sensible_digits() {
        let shown: Vec<String> = [0.0, 0.1234, 2.5, 33.333, 1234.5, -98765.4, 0.000_123_4].map(rounded).into();
        assert_eq!(shown, ["0", "0.123", "2.5", "33.3", "1,230", "-98,800", "0.000123"]);
        let shares: Vec<String> = [0.0, 0.004, 0.05, 0.105, 0.996, 1.0].map(percent).into();
        assert_eq!(shares, ["0 %", "0.4 %", "5 %", "11 %", "99.6 %", "100 %"]);
    }

    #[test]
    fn a_histogram_stands_once_and_what_is_not_defined_says_why() {
        let bins = json!({"histogram": [{"from": 0, "to": 5, "persons": 7}, {"from": 5, "to": 10, "persons": 9}]});
        let card = kinds::card_of("queries");
        let measured = json!({"name": "interests-kept", "value": 0.5, "unit": "", "better": "higher",
            "parts": {"distribution": bins, "concepts": {"distribution": bins, "mean": 0.5}}});
        let section = Section::of_measure(&measured, card).unwrap();
        assert_eq!(section.figures.len(), 1);
        let measured = json!({"name": "page-frequency", "value": null, "reason": "there are none", "parts": {}});
        let section = Section::of_measure(&measured, card).unwrap();
        assert_eq!(section.headline.unwrap().text, "not defined: there are none");
        assert_eq!(section.better, "");
    }
}
