//! A plain page of one run: facts, pictures and tables, in one file that needs nothing else. For links, masks and attacks on files that are no release.

use std::fmt::Write as _;

use minijinja::HtmlEscape;
use serde::Serialize;
use serde_json::Value;
use throng_core::Result;

use super::chart::{Bar, Chart, Series, Shape, plain, shortened};
use super::page::{Figure, STYLE, render};
use crate::run::LinkFound;
use crate::words::{counted, percent, thousands};

const TEMPLATE: &str = include_str!("sheet.html");
/// How many letters of a name or a sentence there is room for.
const LONGEST: usize = 400;

/// What the template shows.
#[derive(Debug, Default, Serialize)]
struct Page {
    style: &'static str,
    title: String,
    date: String,
    lead: String,
    facts: Vec<(String, String)>,
    sections: Vec<Section>,
    foot: String,
    version: &'static str,
}

/// A heading with what stands under it.
#[derive(Debug, Default, Serialize)]
struct Section {
    heading: String,
    says: String,
    figures: Vec<Figure>,
    /// Markup of our own making.
    map: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Page {
    fn new(title: &str, date: Option<&str>) -> Self {
        Self {
            style: STYLE,
            title: title.to_owned(),
            date: date.unwrap_or_default().to_owned(),
            version: env!("CARGO_PKG_VERSION"),
            ..Self::default()
        }
    }

    fn render(&self) -> Result<String> {
        render(TEMPLATE, self)
    }
}

fn texts<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).into()
}

/// How many values fall into each of some equally wide bars.
fn histogram(title: &str, across: &str, up: &str, values: &[f64]) -> Option<Chart> {
    const BARS: usize = 24;
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)));
    if values.is_empty() || !(high - low).is_finite() {
        return None;
    }
    let width = if high > low { (high - low) / BARS as f64 } else { 1.0 };
    let mut heights = [0u64; BARS];
    values.iter().for_each(|value| heights[(((value - low) / width) as usize).min(BARS - 1)] += 1);
    let bars = heights.iter().enumerate().map(|(at, &height)| {
        let from = low + at as f64 * width;
        Bar {
            label: format!("{} to {}", plain(from), plain(from + width)),
            from,
            to: Some(from + width),
            height: height as f64,
        }
    });
    Some(Chart {
        title: title.to_owned(),
        across: across.to_owned(),
        up: up.to_owned(),
        shape: Shape::Bars(bars.collect()),
    })
}

/// A link as a page: what was learned of each field, how likely pairs are, and what the run thinks of itself. It names nobody.
pub fn link_page(found: &LinkFound, weights: &[f64]) -> Result<String> {
    let mut page = Page::new("Which records are the same persons'", None);
    let records: Vec<String> = found.records.iter().map(|&records| thousands(records)).collect();
    page.lead = format!(
        "{} records; {} of {} pairs were compared.",
        records.join(" and "),
        thousands(found.compared),
        thousands(found.pairs)
    );
    page.facts = vec![
        ("matches".to_owned(), thousands(found.matches)),
        ("possible pairs".to_owned(), thousands(found.possible)),
        ("compared columns".to_owned(), shortened(&found.columns.join(", "), LONGEST)),
    ];
    page.facts.extend(found.clusters.map(|clusters| ("persons".to_owned(), thousands(clusters))));
    if let Some(own) = &found.estimated {
        let [from, to] = own.block_recall_interval.map(percent);
        page.sections.push(Section {
            heading: "How right it thinks it is".to_owned(),
            says: "Nobody told it the truth: these are the model's own opinion, and the best case. Matches that agree in no key at all leave no trace.".to_owned(),
            head: texts(["", "estimated"]),
            rows: vec![
                texts(["pairs called matches that are", &percent(own.precision)]),
                texts(["matches among the compared pairs that are called so", &percent(own.recall_within_blocks)]),
                texts(["matches that were compared at all", &format!("{} ({from} to {to})", percent(own.block_recall))]),
                texts(["matches there are", &thousands(own.matches.round() as u64)]),
                texts(["odds against any two records", &format!("{} bits", plain(own.prior_bits))]),
            ],
            ..Section::default()
        });
    }
    if let Some(chart) = histogram("How much speaks for the pairs that are kept", "weight", "pairs", weights) {
        page.sections.push(Section {
            heading: "Weights".to_owned(),
            says: "Matches and possible pairs by their weight; all others were left out.".to_owned(),
            figures: vec![Figure::of(&chart, &[], Vec::new())?],
            ..Section::default()
        });
    }
    if !found.fields.is_empty() {
        page.sections.push(fields(found)?);
    }
    if !found.blocks.is_empty() {
        page.sections.push(Section {
            heading: "Which pairs were compared".to_owned(),
            says: "Records that agree in one of these keys.".to_owned(),
            head: texts(["key", "new pairs", "blocks cut", "blocks left out"]),
            rows: found
                .blocks
                .iter()
                .map(|key| {
                    texts([
                        &shortened(&key.key, LONGEST),
                        &thousands(key.pairs),
                        &thousands(key.cut),
                        &thousands(key.dropped),
                    ])
                })
                .collect(),
            ..Section::default()
        });
    }
    page.foot =
        "Matched records say more of a person than either file did: publish them through throng protect --kind table."
            .to_owned();
    page.render()
}

/// What each field says of a pair, level by level.
fn fields(found: &LinkFound) -> Result<Section> {
    let line = |(colour, field): (usize, &throng_core::link::linking::FieldWeights)| Series {
        name: field.field.clone(),
        points: field.bits.iter().enumerate().map(|(level, &bits)| (level as f64, bits)).collect(),
        colour,
        ..Series::default()
    };
    let chart = Chart {
        title: "What each level of agreement says, from different to equal".to_owned(),
        across: "level".to_owned(),
        up: "bits".to_owned(),
        shape: Shape::OverCounts(found.fields.iter().take(super::chart::COLOURS).enumerate().map(line).collect()),
    };
    let mut rows = Vec::new();
    for field in &found.fields {
        for (level, bits) in field.bits.iter().enumerate() {
            let least = field.levels.get(level).map_or_else(String::new, |least| format!("from {}", plain(*least)));
            let share = |shares: &[f64]| shares.get(level).map_or_else(String::new, |&share| percent(share));
            rows.push(texts([
                &shortened(&field.field, LONGEST),
                field.comparison,
                &least,
                &share(&field.m),
                &share(&field.u),
                &format!("{bits:+.2}"),
            ]));
        }
    }
    Ok(Section {
        heading: "What was learned of each column".to_owned(),
        says: "How often a pair of one person's records, and a pair of different persons', is that alike, and what that says in bits. A missing value says nothing.".to_owned(),
        figures: vec![Figure::of(&chart, &[], Vec::new())?],
        head: texts(["column", "compared by", "similarity", "of one person", "of different ones", "bits"]),
        rows,
        ..Section::default()
    })
}

/// What a page of a mask shows.
pub struct MaskSheet<'a> {
    /// The method.
    pub method: &'a str,
    /// How many addresses were asked for.
    pub k: usize,
    /// `holds` or `fails`.
    pub verdict: &'a str,
    /// The measures.
    pub measures: &'a Value,
    /// Where points were written.
    pub written: &'a [(f64, f64)],
    /// The addresses.
    pub addresses: &'a [(f64, f64)],
    /// How far each point was moved, in metres, and how many addresses are around it.
    pub moved: &'a [(f64, f64)],
}

/// A mask as a page: a map without tiles of what was written, and what it hides. No true position is drawn.
pub fn mask_page(mask: &MaskSheet<'_>) -> Result<String> {
    let mut page = Page::new("Points hidden among addresses", None);
    page.lead = format!(
        "{}, masked by {}: spatial-k-anonymity with k = {} {}.",
        counted(mask.written.len() as u64, "point", "points"),
        mask.method,
        mask.k,
        mask.verdict
    );
    let number = |name: &str, part: &str| mask.measures[name][part].as_f64().map(plain).unwrap_or_default();
    page.facts = vec![
        (
            "moved by, metres".to_owned(),
            format!(
                "{} (middle), {} (mean), {} (most)",
                number("shift", "median"),
                number("shift", "mean"),
                number("shift", "most")
            ),
        ),
        (
            "addresses around a point".to_owned(),
            format!("{} (least), {} (middle)", number("local-k", "least"), number("local-k", "median")),
        ),
        ("points with fewer than k".to_owned(), mask.measures["below-k"].as_u64().map(thousands).unwrap_or_default()),
        ("clusters kept".to_owned(), mask.measures["clusters-kept"].as_f64().map_or("no cluster".to_owned(), percent)),
    ];
    page.sections.push(Section {
        heading: "What is published".to_owned(),
        says: "Points as they were written (dark), and addresses (light; some of them, if there are many). North is up; there are no tiles, and no true position.".to_owned(),
        map: map(mask.written, mask.addresses),
        ..Section::default()
    });
    let [shift, around]: [Vec<f64>; 2] =
        [mask.moved.iter().map(|one| one.0).collect(), mask.moved.iter().map(|one| one.1).collect()];
    let charts = [
        histogram("How far points were moved", "metres", "points", &shift),
        histogram("How many addresses are no farther than the true one", "addresses", "points", &around),
    ];
    let figures =
        charts.into_iter().flatten().map(|chart| Figure::of(&chart, &[], Vec::new())).collect::<Result<_>>()?;
    page.sections.push(Section { heading: "How well they are hidden".to_owned(), figures, ..Section::default() });
    page.foot = "These numbers are about the true positions: keep the page with whoever has them.".to_owned();
    page.render()
}

/// Points among addresses: degrees, with a degree of longitude as wide as it is in the middle.
fn map(written: &[(f64, f64)], addresses: &[(f64, f64)]) -> String {
    const WIDTH: f64 = 460.0;
    const MOST_HEIGHT: f64 = 620.0;
    const MOST_DRAWN: usize = 4000;
    const MARGIN: f64 = 8.0;
    let all = || written.iter().chain(addresses);
    let fold = |pick: fn(f64, f64) -> f64, from: f64, of: fn(&(f64, f64)) -> f64| all().map(of).fold(from, pick);
    let [south, north] =
        [fold(f64::min, f64::INFINITY, |place| place.0), fold(f64::max, f64::NEG_INFINITY, |place| place.0)];
    let [west, east] =
        [fold(f64::min, f64::INFINITY, |place| place.1), fold(f64::max, f64::NEG_INFINITY, |place| place.1)];
    if !(south <= north && west <= east) {
        return String::new();
    }
    let narrow = ((south + north) / 2.0).to_radians().cos().max(0.01);
    let (wide, high) = (((east - west) * narrow).max(1e-9), (north - south).max(1e-9));
    let scale = ((WIDTH - 2.0 * MARGIN) / wide).min((MOST_HEIGHT - 2.0 * MARGIN) / high);
    let (width, height) = (wide * scale + 2.0 * MARGIN, high * scale + 2.0 * MARGIN);
    let at = |&(lat, lon): &(f64, f64)| (MARGIN + (lon - west) * narrow * scale, MARGIN + (north - lat) * scale);
    let mut picture = format!(
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\"><title>{}</title><rect class=\"sea\" width=\"{width:.0}\" height=\"{height:.0}\"/>",
        HtmlEscape("Published points among addresses")
    );
    for (places, class, radius) in [(addresses, "hidden", 1.5), (written, "point", 3.0)] {
        for place in places.iter().step_by(places.len().div_ceil(MOST_DRAWN).max(1)) {
            let (x, y) = at(place);
            let _ = write!(picture, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
        }
    }
    picture.push_str("</svg>");
    picture
}

/// Attacks as a page: who was attacked, what the attacker knew, how often they were right, and on which day. `attacks` are as commands print
/// them: `name`, `knowledge`, `attempts`, `rate`, `baseline`.
pub fn attacks_page(of: &str, attacks: &[Value], date: &str) -> Result<String> {
    let mut page = Page::new("What attackers can read off", Some(date));
    page.lead = format!("{}: what these attacks gave back, by what the attacker knew.", shortened(of, LONGEST));
    let share = |value: &Value| value.as_f64().map_or("not defined".to_owned(), percent);
    let row = |attack: &Value| {
        let interval =
            attack["interval"].as_array().map(|ends| ends.iter().map(share).collect::<Vec<_>>().join(" to "));
        let rate =
            interval.map_or_else(|| share(&attack["rate"]), |ends| format!("{} ({ends})", share(&attack["rate"])));
        texts([
            attack["name"].as_str().unwrap_or_default(),
            &knowledge(&attack["knowledge"]),
            &attack["attempts"].as_u64().map(thousands).unwrap_or_default(),
            &rate,
            &share(&attack["baseline"]),
        ])
    };
    let points: Vec<super::chart::Dumbbell> = attacks
        .iter()
        .filter_map(|attack| {
            Some(super::chart::Dumbbell {
                label: attack["name"].as_str()?.to_owned(),
                before: attack["rate"].as_f64()? * 100.0,
                after: attack["baseline"].as_f64().unwrap_or(0.0) * 100.0,
            })
        })
        .collect();
    let chart = Chart {
        title: "How often the guess is right".to_owned(),
        across: "%".to_owned(),
        up: String::new(),
        shape: Shape::Dumbbells(points),
    };
    let mut figures = Vec::new();
    if !chart.is_empty() {
        let mut figure = Figure::of(&chart, &[], Vec::new())?;
        // The two ends of a row are other things here.
        for (legend, name) in figure.legend.iter_mut().zip(["the attack", "a blind guess"]) {
            legend.1 = name.to_owned();
        }
        figure.svg = figure.svg.replace(", before: ", ", the attack: ").replace(", after: ", ", a blind guess: ");
        figures.push(figure);
    }
    page.sections.push(Section {
        heading: "Attacks".to_owned(),
        figures,
        head: texts(["attack", "knows", "attempts", "right", "a blind guess"]),
        rows: attacks.iter().map(row).collect(),
        ..Section::default()
    });
    page.foot = "A low rate bounds these attacks, with this knowledge, on these data; others may do better.".to_owned();
    page.render()
}

/// What an attacker knows, in words.
fn knowledge(known: &Value) -> String {
    let Some(known) = known.as_object() else { return known.as_str().unwrap_or_default().to_owned() };
    let one = |(name, value): (&String, &Value)| match value {
        Value::String(text) if name == "knows" => Some(text.clone()),
        Value::Null => None,
        Value::Array(list) if list.is_empty() => None,
        Value::String(text) => Some(format!("{name}: {text}")),
        other => Some(format!("{name}: {other}")),
    };
    shortened(&known.iter().filter_map(one).collect::<Vec<_>>().join("; "), LONGEST)
}
