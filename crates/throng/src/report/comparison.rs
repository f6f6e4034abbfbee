//! A comparison in words, as a table, and as a page with pictures.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throng_core::Result;
use throng_core::measures::{Drawn, Headline};

use super::chart::{Chart, Series, Shape, plain, shortened};
use super::page::{self, Figure};
use crate::catalog;
use crate::io::csv_field;
use crate::run::{Cell, Comparison, HeldOut, MethodPair};

const TEMPLATE: &str = include_str!("comparison.html");

/// What to choose, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The method as typed.
    pub method: String,
    /// k.
    pub k: usize,
    /// The reason, in a sentence.
    pub reason: String,
}

/// A measure of a cell.
fn of_measure<'a>(cell: &'a Cell, name: &str) -> Option<&'a Value> {
    cell.measures.iter().find(|measured| measured["name"] == name)
}

/// The value of a measure in a cell: the headline, or its share of the worst case in per cent where that is what is drawn.
fn value(cell: &Cell, name: &str) -> Option<f64> {
    let measured = of_measure(cell, name)?;
    match drawn(name) {
        Drawn::Share => measured["parts"]["share"].as_f64().map(|share| 100.0 * share),
        _ => measured["value"].as_f64(),
    }
}

/// What is drawn of a measure. Of one that this version does not know, its headline.
fn drawn(name: &str) -> Drawn {
    catalog::measure_card(name).map_or(Drawn::Headline, |card| card.drawn)
}

/// A measure of risk.
#[derive(Clone, Copy)]
struct Risk {
    name: &'static str,
    word: &'static str,
    enough: f64,
}

/// The measure of risk that some cells have.
fn risk_of(comparison: &Comparison) -> Option<Risk> {
    let is_there = |name: &str| comparison.cells.iter().any(|cell| value(cell, name).is_some());
    catalog::measure_cards().into_iter().find_map(|card| match card.headline {
        Some(Headline::Risk { word, enough }) if is_there(card.info.name) => {
            Some(Risk { name: card.info.name, word, enough })
        }
        _ => None,
    })
}

/// The measure of loss that all cells have, and what is lost, in words: the first by rank.
fn loss_of(comparison: &Comparison) -> Option<(&'static str, &'static str)> {
    let everywhere = |name: &str| comparison.cells.iter().all(|cell| value(cell, name).is_some());
    let losses = catalog::measure_cards().into_iter().filter_map(|card| match card.headline {
        Some(Headline::Loss { word, rank }) => Some((rank, card.info.name, word)),
        _ => None,
    });
    let (_, name, word) = losses.filter(|(_, name, _)| everywhere(name)).min()?;
    Some((name, word))
}

/// The smallest k that protects enough and, with it, the method that loses least.
pub fn recommendation(comparison: &Comparison) -> Option<Recommendation> {
    let (loss, lost_word) = loss_of(comparison)?;
    let lost = |cell: &Cell| value(cell, loss).unwrap_or(0.0);
    let others = |best: &Cell| {
        let mut others: Vec<String> = comparison
            .cells
            .iter()
            .filter(|cell| cell.k == best.k && cell.method != best.method)
            .map(|cell| format!("{} {}", cell.method, plain(value(cell, loss).unwrap_or(0.0))))
            .collect();
        others.sort();
        if others.is_empty() { String::new() } else { format!(" (others at this k: {})", others.join(", ")) }
    };
    let risk = risk_of(comparison);
    if let Some(Risk { name, word, enough }) = risk {
        let is_enough = |cell: &&Cell| value(cell, name).is_some_and(|risk| risk < enough);
        if let Some(k) = comparison.cells.iter().filter(is_enough).map(|cell| cell.k).min() {
            let best = comparison.cells.iter().filter(|cell| cell.k == k && is_enough(cell));
            let best = best.min_by(|left, right| lost(left).total_cmp(&lost(right)))?;
            let reason = format!(
                "k = {k} is the smallest at which {word} falls below {enough} % ({} %); with {} it costs {} % of {lost_word}{}.",
                plain(value(best, name)?),
                best.method,
                plain(value(best, loss)?),
                others(best),
            );
            return Some(Recommendation { method: best.method.clone(), k, reason });
        }
    }
    let k = match risk {
        Some(_) => *comparison.k.last()?,
        None => *comparison.k.iter().find(|&&k| k >= 5).or(comparison.k.last())?,
    };
    let best = comparison.cells.iter().filter(|cell| cell.k == k);
    let best = best.min_by(|left, right| lost(left).total_cmp(&lost(right)))?;
    let why = match risk {
        Some(Risk { word, enough, .. }) => {
            format!("no k of these brings {word} below {enough} %; k = {k} comes nearest")
        }
        None if k >= 5 => format!("k = {k} is the usual size of a crowd"),
        None => format!("k = {k} is the greatest that was compared"),
    };
    let (method, costs) = (&best.method, plain(value(best, loss)?));
    let reason = format!("{why}; with {method} it costs {costs} of {lost_word}{}.", others(best));
    Some(Recommendation { method: method.clone(), k, reason })
}

/// Names of all measures of the cells, in the order of their first appearance.
fn names(comparison: &Comparison) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in comparison.cells.iter().flat_map(|cell| &cell.measures).filter_map(|measured| measured["name"].as_str())
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A row for each cell: method, k, persons dropped, how days were divided if some were held out, and the headline of every
/// measure.
pub fn csv(comparison: &Comparison) -> String {
    let names = names(comparison);
    let (mut days_head, mut days) = ("", String::new());
    if let Some(held_out) = &comparison.held_out {
        days_head = "build_rows,score_rows,persons_left_out,";
        days = format!(",{},{},{}", held_out.build_rows, held_out.score_rows, held_out.persons_left_out);
    }
    let mut table = format!("method,k,persons_dropped,{days_head}{}\n", names.join(","));
    for cell in &comparison.cells {
        let mut method = Vec::new();
        csv_field(cell.method.as_bytes(), &mut method);
        let _ = write!(table, "{},{},{}{days}", String::from_utf8_lossy(&method), cell.k, cell.persons_dropped);
        for name in &names {
            let measured = of_measure(cell, name);
            let headline = measured.and_then(|measured| measured["value"].as_number());
            let _ = write!(table, ",{}", headline.map(ToString::to_string).unwrap_or_default());
        }
        table.push('\n');
    }
    table
}

/// What the template shows.
#[derive(Debug, Serialize)]
struct Page<'a> {
    style: &'static str,
    title: String,
    lead: String,
    recommendation: Option<&'a Recommendation>,
    frontier: Option<Figure>,
    figures: Vec<Figure>,
    head: Vec<String>,
    rows: Vec<Row<'a>>,
    pairs: Vec<PairRow<'a>>,
    version: &'a str,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    method: &'a str,
    k: usize,
    dropped: u64,
    /// Shown, and the whole number.
    values: Vec<(String, String)>,
}

/// Two methods person by person.
#[derive(Debug, Serialize)]
struct PairRow<'a> {
    k: usize,
    method: &'a str,
    other: &'a str,
    /// By concepts and by words.
    shares: [String; 2],
}

impl<'a> PairRow<'a> {
    fn of(pair: &'a MethodPair) -> Self {
        let share = |part: &str| {
            let share = pair.keeps_less.get(part).copied().flatten();
            share.map_or("–".to_owned(), |share| format!("{} %", plain(100.0 * share)))
        };
        Self { k: pair.k, method: &pair.method, other: &pair.other, shares: ["concepts", "words"].map(share) }
    }
}

/// How days were divided, in a sentence.
pub fn in_words(held_out: &HeldOut) -> String {
    let HeldOut { build_rows, score_rows, persons_left_out } = held_out;
    format!(
        "Methods saw the {build_rows} rows of even days and are judged by the {score_rows} rows of odd days. \
         Persons without rows on both are left out: {persons_left_out}."
    )
}

/// A comparison as a page.
pub fn html(comparison: &Comparison) -> Result<String> {
    let names = names(comparison);
    let input = &comparison.input;
    let mut figures = Vec::new();
    for &name in &names {
        figures.extend(over_k(comparison, name)?);
        if let Drawn::WithParts(parts) = drawn(name) {
            for part in parts {
                figures.extend(part_over_k(comparison, name, part)?);
            }
        }
    }
    figures.extend(frequencies_over_k(comparison)?);
    figures.extend(clusters(comparison)?);
    let row = |cell: &Cell| -> Vec<(String, String)> {
        let shown = |name: &&str| {
            let measured = of_measure(cell, name);
            let number = measured.and_then(|measured| measured["value"].as_number());
            let shown = number.and_then(serde_json::Number::as_f64).map_or("–".to_owned(), four_places);
            (shown, number.map(ToString::to_string).unwrap_or_default())
        };
        names.iter().map(shown).collect()
    };
    let page = Page {
        style: page::STYLE,
        title: format!(
            "{} methods, k from {} to {}",
            comparison.methods.len(),
            first(&comparison.k),
            last(&comparison.k)
        ),
        lead: format!(
            "Compared on {} of {} persons with {} rows{}.{}",
            input.kind,
            input.persons,
            input.rows,
            input.sampled_from.map(|all| format!(", a sample of {all} persons")).unwrap_or_default(),
            comparison.held_out.as_ref().map(|held_out| format!(" {}", in_words(held_out))).unwrap_or_default()
        ),
        recommendation: comparison.recommendation.as_ref(),
        frontier: frontier(comparison)?,
        figures,
        head: names.iter().map(|&name| name.to_owned()).collect(),
        rows: comparison
            .cells
            .iter()
            .map(|cell| Row { method: &cell.method, k: cell.k, dropped: cell.persons_dropped, values: row(cell) })
            .collect(),
        pairs: comparison.pairs.iter().map(PairRow::of).collect(),
        version: &comparison.throng,
    };
    page::render(TEMPLATE, &page)
}

fn four_places(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn first(ks: &[usize]) -> usize {
    ks.first().copied().unwrap_or_default()
}

fn last(ks: &[usize]) -> usize {
    ks.last().copied().unwrap_or_default()
}

/// A line for each method through its cells.
fn lines(comparison: &Comparison, point: impl Fn(&Cell) -> Option<(f64, f64)>, with_marks: bool) -> Vec<Series> {
    let line = |method: &String| {
        let own: Vec<(&Cell, (f64, f64))> = comparison
            .cells
            .iter()
            .filter(|cell| cell.method == *method)
            .filter_map(|cell| Some((cell, point(cell)?)))
            .collect();
        Series {
            name: method.clone(),
            points: own.iter().map(|(_, point)| *point).collect(),
            marks: if with_marks { own.iter().map(|(cell, _)| cell.k.to_string()).collect() } else { Vec::new() },
        }
    };
    comparison.methods.iter().map(line).collect()
}

/// A chart of lines, and its points as a table.
fn figure(chart: &Chart, head: &[&str]) -> Result<Option<Figure>> {
    if chart.is_empty() {
        return Ok(None);
    }
    let Shape::Lines(series) = &chart.shape else { return Ok(None) };
    let rows = series
        .iter()
        .flat_map(|series| {
            series.points.iter().map(|&(x, y)| vec![shortened(&series.name, 120), four_places(x), four_places(y)])
        })
        .collect();
    Figure::of(chart, head, rows).map(Some)
}

/// Privacy against utility, k along each line.
fn frontier(comparison: &Comparison) -> Result<Option<Figure>> {
    let Some((loss, _)) = loss_of(comparison) else { return Ok(None) };
    let risk = risk_of(comparison).map(|risk| risk.name);
    let point = |cell: &Cell| {
        let risk = match risk {
            Some(name) => value(cell, name)?,
            None => 100.0 / cell.k as f64,
        };
        Some((risk, value(cell, loss)?))
    };
    let chart = Chart {
        title: "Privacy against utility: to the left is safer, below is more useful; the numbers are k".to_owned(),
        across: risk.map_or("chance to be picked out of k, %".to_owned(), |name| format!("{name}, %")),
        up: loss.to_owned(),
        shape: Shape::Lines(lines(comparison, point, true)),
    };
    figure(&chart, &["method", "risk", "loss"])
}

/// A measure over k, beside the same number of the original where it has one.
fn over_k(comparison: &Comparison, name: &str) -> Result<Option<Figure>> {
    let measured = || comparison.cells.iter().filter_map(|cell| of_measure(cell, name));
    let unit = match drawn(name) {
        Drawn::Share => "% of the worst case",
        _ => measured().next().and_then(|measured| measured["unit"].as_str()).unwrap_or_default(),
    };
    let mut series = lines(comparison, |cell| Some((cell.k as f64, value(cell, name)?)), false);
    if let Some(original) = measured().find_map(|measured| measured["parts"]["original"].as_f64()) {
        let ends = [first(&comparison.k), last(&comparison.k)];
        series.push(Series {
            name: "the original".to_owned(),
            points: ends.map(|k| (k as f64, original)).into(),
            marks: Vec::new(),
        });
    }
    figure(&chart_over_k(name, unit, series), &["method", "k", name])
}

/// The mean of a part of a measure over k.
fn part_over_k(comparison: &Comparison, name: &str, part: &str) -> Result<Option<Figure>> {
    let mean = |cell: &Cell| of_measure(cell, name)?["parts"][part]["mean"].as_f64();
    let series = lines(comparison, |cell| Some((cell.k as f64, mean(cell)?)), false);
    let what = format!("{name}, {part},");
    figure(&chart_over_k(&what, "", series), &["method", "k", part])
}

fn chart_over_k(what: &str, unit: &str, series: Vec<Series>) -> Chart {
    Chart { title: format!("{what} over k"), across: "k".to_owned(), up: unit.to_owned(), shape: Shape::Lines(series) }
}

/// The measures that are drawn in this way.
fn drawn_as(drawn: Drawn) -> impl Iterator<Item = &'static str> {
    catalog::measure_cards().into_iter().filter(move |card| card.drawn == drawn).map(|card| card.info.name)
}

/// How frequent the most frequent values are, over k; k = 1 is the original. Of the first method.
fn frequencies_over_k(comparison: &Comparison) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let Some(method) = comparison.methods.first() else { return Ok(figures) };
    let own: Vec<&Cell> = comparison.cells.iter().filter(|cell| cell.method == *method).collect();
    for name in drawn_as(Drawn::Tops) {
        let tops: Vec<(usize, &[Value])> = own
            .iter()
            .filter_map(|cell| {
                let measured = of_measure(cell, name)?;
                Some((cell.k, measured["parts"]["top_before"].as_array()?.as_slice()))
            })
            .collect();
        let Some((_, first)) = tops.first() else { continue };
        let series: Vec<Series> = first
            .iter()
            .filter_map(|top| {
                let label = top["value"].as_str()?;
                let mut points = vec![(1.0, 100.0 * top["before"].as_f64()?)];
                for (k, values) in &tops {
                    let same = values.iter().find(|value| value["value"] == label)?;
                    points.push((*k as f64, 100.0 * same["after"].as_f64()?));
                }
                Some(Series { name: label.to_owned(), points, marks: Vec::new() })
            })
            .take(6)
            .collect();
        let chart = Chart {
            title: format!("{name} over k, with {method} (k = 1 is the original)"),
            across: "k".to_owned(),
            up: "% of all".to_owned(),
            shape: Shape::Lines(series),
        };
        figures.extend(figure(&chart, &["value", "k", "%"])?);
    }
    Ok(figures)
}

/// Jaccard and Rand indexes over the number of clusters, for the least and the greatest k of the first method.
fn clusters(comparison: &Comparison) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let Some(method) = comparison.methods.first() else { return Ok(figures) };
    for (name, index) in drawn_as(Drawn::Clusters).flat_map(|name| ["jaccard", "rand"].map(|index| (name, index))) {
        let series: Vec<Series> = comparison
            .cells
            .iter()
            .filter(|cell| cell.method == *method && [first(&comparison.k), last(&comparison.k)].contains(&cell.k))
            .filter_map(|cell| {
                let measured = of_measure(cell, name)?;
                let rows = measured["parts"]["by_clusters"].as_array()?;
                let points =
                    rows.iter().filter_map(|row| Some((row["clusters"].as_f64()?, row[index].as_f64()?))).collect();
                Some(Series { name: format!("k = {}", cell.k), points, marks: Vec::new() })
            })
            .collect();
        let chart = Chart {
            title: format!("Clustering agreement ({index} index) over the number of clusters, with {method}"),
            across: "clusters".to_owned(),
            up: index.to_owned(),
            shape: Shape::Lines(series),
        };
        figures.extend(figure(&chart, &["k", "clusters", index])?);
    }
    Ok(figures)
}
