//! A comparison as a page, as a table of its numbers, and as charts.
//!
//! The page begins with what to choose, and says why; a slider shows what any other k would bring. Methods stand beside each
//! other only where they promise the same.

mod figures;
mod table;
mod text;
mod words;

use std::borrow::Cow;

use serde::Serialize;
use throng_core::Result;

use self::figures::{Drawing, Drawings, file_name, is_headline};
pub use self::table::csv;
use super::chart::{COLOURS, plain, shortened};
use super::page::{self, Figure};
use crate::run::{
    Comparison, HeldOut, MethodPair, Moved, Promise, Promised, Recommendation, Spread, Trend, chance, of_measure, unit,
};
use crate::words::{counted, thousands};

const TEMPLATE: &str = include_str!("page.html");

/// How many tints there are for promises.
const TINTS: usize = 6;

/// What the template shows.
#[derive(Debug, Serialize)]
struct Page<'a> {
    style: &'static str,
    title: String,
    date: Option<&'a str>,
    lead: String,
    held_out: Option<String>,
    seeds: usize,
    least_k: usize,
    /// Losses that differ by no more points may do so by chance.
    chance: String,
    /// Whether some method does not make every promise.
    differ: bool,
    promises: Vec<PromiseSection>,
    methods: Vec<MethodRow<'a>>,
    panels: Vec<Panel<'a>>,
    /// The panel that is shown at first.
    shown: usize,
    skipped: Vec<(String, String)>,
    trends: Vec<TrendTable<'a>>,
    version: &'a str,
}

/// How the classes of a measure move over k.
#[derive(Debug, Serialize)]
struct TrendTable<'a> {
    method: &'a str,
    measure: &'a str,
    ks: String,
    /// Name, spread and slope.
    rows: Vec<(&'a str, String, String)>,
}

impl<'a> TrendTable<'a> {
    fn of(trend: &'a Trend) -> Self {
        let row = |(name, moved): (&'a String, &Moved)| (name.as_str(), plain(moved.sigma), plain(moved.slope));
        let ks: Vec<String> = trend.k.iter().map(usize::to_string).collect();
        let rows = trend.classes.iter().map(row).collect();
        Self { method: &trend.method, measure: &trend.measure, ks: ks.join(", "), rows }
    }
}

/// A promise: what to choose of the methods that make it, and their charts.
#[derive(Debug, Serialize)]
struct PromiseSection {
    chip: Chip,
    sentence: String,
    choice: Option<String>,
    /// Why, a sentence each.
    reason: Vec<String>,
    /// What the recommended methods do.
    does: Vec<(String, String)>,
    /// Promises of which the same is recommended, and their sentences.
    also: Vec<(Chip, String)>,
    /// Whether the same is recommended for an earlier promise.
    is_told: bool,
    figures: Vec<Figure>,
}

/// A promise in a few words, in its colour.
#[derive(Debug, Clone, Serialize)]
struct Chip {
    tint: usize,
    name: String,
}

#[derive(Debug, Serialize)]
struct MethodRow<'a> {
    name: &'a str,
    colour: usize,
    promises: Vec<Chip>,
    sentence: String,
}

/// Everything about a k.
#[derive(Debug, Serialize)]
struct Panel<'a> {
    k: usize,
    rows: Vec<MeasureRow>,
    pairs: Vec<PairRow<'a>>,
}

#[derive(Debug, Serialize)]
struct MeasureRow {
    name: String,
    sentence: String,
    unit: String,
    /// Shown, and the whole number where there is one, for each method.
    values: Vec<(String, Option<String>)>,
}

/// Two methods person by person.
#[derive(Debug, Serialize)]
struct PairRow<'a> {
    method: &'a str,
    other: &'a str,
    /// By concepts and by words.
    shares: [String; 2],
}

impl<'a> PairRow<'a> {
    fn of(pair: &'a MethodPair) -> Self {
        let share = |part: &str| {
            let share = pair.keeps_less.get(part).copied().flatten();
            share.map_or("not shown: too few people".to_owned(), |share| format!("{} %", plain(100.0 * share)))
        };
        Self { method: &pair.method, other: &pair.other, shares: ["concepts", "words"].map(share) }
    }
}

/// What was held out, in a sentence.
pub fn in_words(held_out: &HeldOut) -> String {
    let HeldOut { build_rows, score_rows, persons_left_out, what } = held_out;
    let [seen, held_out] = [*build_rows, *score_rows].map(|rows| counted(rows, "row", "rows"));
    if !what.is_days() {
        return format!(
            "Methods saw four fifths of what every person has, {seen}, and are judged by how well the rest is predicted: {held_out}."
        );
    }
    format!(
        "Methods saw the {seen} of even days and are judged by the {held_out} of odd days. Persons without rows on both are left out: {}.",
        thousands(*persons_left_out)
    )
}

/// A comparison as a page.
pub fn html(comparison: &Comparison) -> Result<String> {
    let promised = comparison.promised();
    let chips: Vec<Chip> = promised.iter().enumerate().map(|(at, promised)| Chip::of(at, &promised.promise)).collect();
    let mut promises = Vec::new();
    let twins = comparison.recommendations.iter().map(|own| twin(comparison, own)).collect::<Vec<_>>();
    for (at, (own, recommendation)) in promised.iter().zip(&comparison.recommendations).enumerate() {
        let drawings = drawings(comparison, &promised, at);
        let also = (at + 1..promised.len()).filter(|&other| twins[other] == Some(at));
        promises.push(PromiseSection {
            chip: chips[at].clone(),
            sentence: words::of_model(comparison, &own.promise.model),
            choice: recommendation.choice(),
            reason: words::sentences(&recommendation.reason),
            does: recommended(recommendation)
                .map(|method| (method.to_owned(), words::of_method(comparison, method)))
                .collect(),
            also: also
                .map(|other| (chips[other].clone(), words::of_model(comparison, &promised[other].promise.model)))
                .collect(),
            is_told: twins[at].is_some(),
            figures: drawings.iter().map(figure).collect::<Result<_>>()?,
        });
    }
    let promises_of = |method: &str| -> Vec<Chip> {
        let own = promised.iter().zip(&chips).filter(|(promised, _)| promised.methods.contains(&method));
        own.map(|(_, chip)| chip.clone()).collect()
    };
    let methods = comparison.methods.iter().enumerate().map(|(at, method)| MethodRow {
        name: method,
        colour: 1 + at % COLOURS,
        promises: promises_of(method),
        sentence: words::of_method(comparison, method),
    });
    let recommended_k = comparison.recommendations.iter().find_map(|recommendation| recommendation.k);
    let page = Page {
        style: page::STYLE,
        title: shortened(comparison.title.as_deref().unwrap_or_default(), 200),
        date: comparison.date.as_deref(),
        lead: lead(comparison),
        held_out: comparison.held_out.as_ref().map(in_words),
        seeds: comparison.seeds.len(),
        least_k: comparison.least_k,
        chance: plain(chance(comparison.input.persons)),
        differ: promised.iter().any(|promised| promised.methods.len() < comparison.methods.len()),
        promises,
        methods: methods.collect(),
        panels: comparison.k.iter().map(|&k| Panel::of(comparison, k)).collect(),
        shown: comparison.k.iter().position(|&k| Some(k) == recommended_k).unwrap_or(0),
        skipped: skipped(comparison),
        trends: comparison.trends.iter().map(TrendTable::of).collect(),
        version: &comparison.throng,
    };
    page::render(TEMPLATE, &page)
}

/// The first recommendation, if it comes before this one and says the same of another promise.
fn twin(comparison: &Comparison, own: &Recommendation) -> Option<usize> {
    let is_same = |other: &Recommendation| own.choice().is_some() && other.choice() == own.choice();
    let first = comparison.recommendations.iter().position(is_same)?;
    (comparison.recommendations[first] != *own).then_some(first)
}

/// The charts for a promise; none if those for an earlier one show all its methods already.
fn drawings(comparison: &Comparison, all: &[Promised<'_>], at: usize) -> Vec<Drawing> {
    let promised = &all[at];
    let shows_all = |other: &Promised<'_>| promised.methods.iter().all(|method| other.methods.contains(method));
    if all[..at].iter().any(shows_all) { Vec::new() } else { Drawings { comparison, promised }.all() }
}

/// Every chart of a comparison as a file: its name, and its picture.
pub fn charts(comparison: &Comparison) -> Result<Vec<(String, String)>> {
    let promised = comparison.promised();
    let mut files = Vec::new();
    for (at, own) in promised.iter().enumerate() {
        for drawing in drawings(comparison, &promised, at) {
            files.push((file_name(own, &drawing), drawing.chart.file()?));
        }
    }
    Ok(files)
}

fn lead(comparison: &Comparison) -> String {
    let (input, ks) = (&comparison.input, &comparison.k);
    let ks = match (ks.first(), ks.last()) {
        (Some(first), Some(last)) if first < last => format!("crowds of {first} to {last}"),
        (Some(only), _) => format!("crowds of {only}"),
        _ => String::new(),
    };
    let sample = input.sampled_from.map(|all| format!(", drawn from {}", thousands(all))).unwrap_or_default();
    let seeds = if comparison.seeds.len() > 1 {
        format!(", each with {} seeds", comparison.seeds.len())
    } else {
        String::new()
    };
    format!(
        "{} tried on {} with {}{sample}: {ks}{seeds}. Nothing was published.",
        counted(comparison.methods.len() as u64, "method", "methods"),
        counted(input.persons, "person", "persons"),
        counted(input.rows, "row", "rows"),
    )
}

fn recommended(recommendation: &Recommendation) -> impl Iterator<Item = &str> {
    recommendation.method.iter().chain(&recommendation.as_good).map(String::as_str)
}

/// What was not measured, and why.
fn skipped(comparison: &Comparison) -> Vec<(String, String)> {
    let first = comparison.cells.first().map(|cell| cell.skipped.as_slice()).unwrap_or_default();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    first.iter().map(|skipped| (words::spaced(&text(&skipped["name"])), text(&skipped["reason"]))).collect()
}

fn figure(drawing: &Drawing) -> Result<Figure> {
    let (head, rows) = match &drawing.numbers {
        Some(numbers) => (&numbers.head[..], numbers.rows.clone()),
        None => (&[][..], Vec::new()),
    };
    Figure::of(&drawing.chart, head, rows)
}

impl Chip {
    fn of(at: usize, promise: &Promise) -> Self {
        let parameters: Vec<String> = crate::words::worth_saying(&promise.parameters)
            .map(|(name, value)| format!("{} = {value}", words::spaced(name)))
            .collect();
        let name = match parameters.as_slice() {
            [] => Cow::Borrowed(promise.model.as_str()),
            parameters => Cow::Owned(format!("{}, {}", promise.model, parameters.join(", "))),
        };
        Self { tint: 1 + at % TINTS, name: name.into_owned() }
    }
}

impl<'a> Panel<'a> {
    /// Measures to choose by come first, then the others.
    fn of(comparison: &'a Comparison, k: usize) -> Self {
        let mut measures = comparison.measures();
        measures.sort_by_key(|measure| !is_headline(measure));
        let dropped = |method: &String| {
            let spread = comparison.spread_of(method, k, |cell| Some(cell.persons_dropped as f64));
            shown(spread)
        };
        let losses = comparison.losses(&[]);
        let lost = (!losses.is_empty()).then(|| MeasureRow {
            name: "Loss".to_owned(),
            sentence: format!(
                "the mean of what is lost by {}, each in per cent of everything; who is left out has lost everything. Lower is better",
                losses.iter().map(|measure| words::spaced(measure)).collect::<Vec<_>>().join(", ")
            ),
            unit: "%".to_owned(),
            values: comparison.methods.iter().map(|method| shown(comparison.lost(method, k, &losses))).collect(),
        });
        let mut rows: Vec<MeasureRow> = lost.into_iter().collect();
        rows.extend(measures.into_iter().map(|measure| MeasureRow::of(comparison, k, measure)));
        rows.push(MeasureRow {
            name: "Persons left out".to_owned(),
            sentence: "persons of whom nothing would be published".to_owned(),
            unit: "persons".to_owned(),
            values: comparison.methods.iter().map(dropped).collect(),
        });
        let pairs = comparison.pairs.iter().filter(|pair| pair.k == k).map(PairRow::of).collect();
        Self { k, rows, pairs }
    }
}

impl MeasureRow {
    fn of(comparison: &Comparison, k: usize, measure: &str) -> Self {
        let value = |method: &String| match comparison.spread(method, k, measure) {
            None => (not_defined(comparison, method, k, measure), None),
            spread => shown(spread),
        };
        Self {
            name: words::capitalised(&words::spaced(measure)),
            sentence: words::of_measure(comparison, measure),
            unit: unit(comparison, measure).to_owned(),
            values: comparison.methods.iter().map(value).collect(),
        }
    }
}

/// A number for people, and whole.
fn shown(spread: Option<Spread>) -> (String, Option<String>) {
    spread.map_or(("not defined".to_owned(), None), |spread| (spread.in_words(), Some(spread.mean.to_string())))
}

/// Why a measure has no number, as far as it says so.
fn not_defined(comparison: &Comparison, method: &str, k: usize, measure: &str) -> String {
    let own = comparison.cells.iter().filter(|cell| cell.is_of(method, k));
    let reason = own.filter_map(|cell| of_measure(cell, measure)?["reason"].as_str()).next();
    reason.map_or("not defined".to_owned(), |reason| format!("not defined: {reason}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::run::made_up;

    #[test]
    fn what_is_not_defined_is_drawn_and_tabulated_as_such() {
        let claim = |k: usize| [json!({"model": "user-k-anonymity", "parameters": {"k": k}})];
        let cell = |k: usize, pages: Option<f64>| {
            let mut cell = made_up::cell(
                "kindred",
                k,
                0,
                &claim(k),
                &[("information-loss-ratio", Some(20.0)), ("page-frequency", pages), ("query-frequency", None)],
            );
            cell.measures[2]["reason"] = json!("no query is shared");
            cell
        };
        let comparison = made_up::comparison(vec![cell(5, None), cell(6, Some(3.0))]);
        let page = html(&comparison).unwrap();
        assert_eq!(page.matches("<td class=\"number\">not defined</td>").count(), 1);
        assert_eq!(page.matches("<td class=\"number\">not defined: no query is shared</td>").count(), 2);
        // The measure that is defined nowhere has no chart; the other one has its one point.
        let names: Vec<String> = charts(&comparison).unwrap().into_iter().map(|(name, _)| name).collect();
        let drawn = ["risk-against-loss", "information-loss-ratio-over-k", "page-frequency-over-k"];
        assert_eq!(names, drawn.map(|name| format!("user-k-anonymity-{name}.svg")));
        let table = csv(&comparison);
        assert!(table.contains("\nkindred,,5,0,page-frequency,%,,user-k-anonymity:k=5,\n"), "{table}");
        assert!(comparison.text().contains("not defined"));
    }

    #[test]
    fn a_formula_is_no_formula_in_the_table() {
        let comparison = made_up::comparison(vec![made_up::cell("=cmd", 5, 0, &[], &[("-x", Some(-1.5))])]);
        let table = csv(&comparison);
        assert_eq!(table.lines().last(), Some("'=cmd,,5,0,'-x,%,-1.5,,"));
    }
}
