//! The charts of a comparison: for each promise those of the methods that make it, never of others.

use serde_json::Value;
use throng_core::measures::Drawn;

use super::super::chart::{Chart, Series, Shape, plain, shortened};
use super::words;
use crate::catalog;
use crate::run::{Cell, Comparison, Promised, Spread, drawn, of_measure, unit};

/// A chart with its name among files, and its numbers where they stand nowhere else.
pub(super) struct Drawing {
    pub(super) name: String,
    pub(super) chart: Chart,
    pub(super) numbers: Option<Numbers>,
}

/// The points of a chart as a table.
pub(super) struct Numbers {
    pub(super) head: [&'static str; 3],
    pub(super) rows: Vec<Vec<String>>,
}

/// What is below an axis of k.
const ACROSS: &str = "k, the size of the crowd";

/// The charts of the methods that make a promise.
pub(super) struct Drawings<'a> {
    pub(super) comparison: &'a Comparison,
    pub(super) promised: &'a Promised<'a>,
}

impl Drawings<'_> {
    /// All of them, risk against loss first.
    pub(super) fn all(&self) -> Vec<Drawing> {
        let mut all: Vec<Drawing> = self.risk_against_loss().into_iter().collect();
        for measure in self.comparison.measures() {
            all.push(self.over_k(measure));
            match drawn(measure) {
                Drawn::WithParts(parts) => all.extend(parts.iter().map(|part| self.part_over_k(measure, part))),
                Drawn::Tops => all.extend(self.tops_over_k(measure)),
                Drawn::Clusters => all.extend(["jaccard", "rand"].map(|index| self.over_clusters(measure, index))),
                Drawn::Headline | Drawn::Share => {}
            }
            let against = catalog::measure_card(measure).map_or(&[][..], |card| card.against);
            all.extend(against.iter().filter_map(|other| match catalog::measure_card(other) {
                Some(_) => self.against_measure(measure, other),
                None => self.against(measure, other),
            }));
        }
        all.retain(|drawing| !drawing.chart.is_empty());
        all
    }

    /// A line for each method through something of its cells, in the method's colour wherever it is drawn.
    fn lines(&self, of: impl Fn(&str, usize) -> Option<((f64, f64), Spread)>, with_marks: bool) -> Vec<Series> {
        let line = |(colour, method): (usize, &String)| {
            let mut series = Series { name: method.clone(), colour, ..Series::default() };
            for &k in &self.comparison.k {
                let Some((point, spread)) = of(method, k) else { continue };
                series.points.push(point);
                series.spreads.extend(spread.deviation);
                if with_marks {
                    series.marks.push(k.to_string());
                }
            }
            series
        };
        let all = self.comparison.methods.iter().enumerate();
        all.filter(|(_, method)| self.promised.methods.contains(&method.as_str())).map(line).collect()
    }

    /// Privacy against utility, k along each line.
    fn risk_against_loss(&self) -> Option<Drawing> {
        let methods = &self.promised.methods;
        let losses = self.comparison.losses(methods);
        let risk = self.comparison.risk(methods);
        let point = |method: &str, k: usize| {
            let risk = match risk {
                Some((name, _)) => self.comparison.spread(method, k, name)?.mean,
                None => 100.0 / k as f64,
            };
            let loss = self.comparison.lost(method, k, &losses)?;
            Some(((risk, loss.mean), loss))
        };
        let chart = Chart {
            title: "Risk against loss: a point for each k, whose number stands at it. Farther left is safer, lower keeps more"
                .to_owned(),
            across: risk.map_or("risk: chance to be picked out of k, %".to_owned(), |(_, word)| format!("risk: {word}, %")),
            up: match losses.as_slice() {
                [measure] => format!("loss by {}, %", words::spaced(measure)),
                several => format!("loss, the mean by {} measures, %", several.len()),
            },
            shape: Shape::Lines(self.lines(point, true)),
        };
        Some(Drawing { name: "risk-against-loss".to_owned(), chart, numbers: None })
    }

    /// A measure over k, beside the same number of the original where it has one.
    fn over_k(&self, measure: &str) -> Drawing {
        let of = |method: &str, k: usize| {
            let spread = self.comparison.spread(method, k, measure)?;
            Some(((k as f64, spread.mean), spread))
        };
        let mut series = self.lines(of, false);
        let mut measured = self.comparison.cells.iter().filter_map(|cell| of_measure(cell, measure));
        let original = measured.find_map(|measured| measured["parts"]["original"].as_f64());
        if let (Some(original), Some(&first), Some(&last)) =
            (original, self.comparison.k.first(), self.comparison.k.last())
        {
            let points = [first, last].map(|k| (k as f64, original)).into();
            series.push(Series {
                name: "the original".to_owned(),
                points,
                colour: self.comparison.methods.len(),
                ..Series::default()
            });
        }
        let chart = Chart {
            title: format!(
                "{}: {}",
                words::capitalised(&words::spaced(measure)),
                words::of_measure(self.comparison, measure)
            ),
            across: ACROSS.to_owned(),
            up: unit(self.comparison, measure).to_owned(),
            shape: Shape::OverCounts(series),
        };
        Drawing { name: format!("{measure}-over-k"), chart, numbers: None }
    }

    /// A measure against an attack by whoever knows most, k along each line: what it costs that a release keeps more.
    fn against(&self, measure: &str, attack: &str) -> Option<Drawing> {
        let of_attack = |label: &&str| self.comparison.attack(label).is_some_and(|found| found["name"] == attack);
        let label = self.comparison.measures().into_iter().rfind(of_attack)?;
        let point = |method: &str, k: usize| {
            let (risk, kept) = (self.comparison.spread(method, k, label)?, self.comparison.spread(method, k, measure)?);
            Some(((risk.mean, kept.mean), kept))
        };
        let name = words::capitalised(&words::spaced(measure));
        let chart = Chart {
            title: format!(
                "{name} and its price: a point for each k, whose number stands at it. Farther left is safer"
            ),
            across: format!("{}, %", words::of_measure(self.comparison, label).trim_end_matches(". Lower is better")),
            up: format!("{}, {}", words::spaced(measure), unit(self.comparison, measure)),
            shape: Shape::Lines(self.lines(point, true)),
        };
        Some(Drawing { name: format!("{measure}-against-{attack}"), chart, numbers: None })
    }

    /// A measure against another one, k along each line: how much of one is had for the other.
    fn against_measure(&self, measure: &str, other: &str) -> Option<Drawing> {
        self.comparison.measures().contains(&other).then_some(())?;
        let point = |method: &str, k: usize| {
            let [across, up] = [other, measure].map(|name| self.comparison.spread(method, k, name));
            let (across, up) = (across?, up?);
            Some(((across.mean, up.mean), up))
        };
        let axis = |name: &str| format!("{}, {}", words::spaced(name), unit(self.comparison, name));
        let chart = Chart {
            title: format!(
                "{} against {}: a point for each k, whose number stands at it",
                words::capitalised(&words::spaced(measure)),
                words::spaced(other)
            ),
            across: axis(other),
            up: axis(measure),
            shape: Shape::Lines(self.lines(point, true)),
        };
        Some(Drawing { name: format!("{measure}-against-{other}"), chart, numbers: None })
    }

    /// The mean of a part of a measure over k.
    fn part_over_k(&self, measure: &str, part: &str) -> Drawing {
        let mean = |cell: &Cell| of_measure(cell, measure)?["parts"][part]["mean"].as_f64();
        let of = |method: &str, k: usize| {
            let spread = self.comparison.spread_of(method, k, mean)?;
            Some(((k as f64, spread.mean), spread))
        };
        let title = format!("{}, the same by {part} instead", words::capitalised(&words::spaced(measure)));
        let shape = Shape::OverCounts(self.lines(of, false));
        let chart = Chart { title, across: ACROSS.to_owned(), up: unit(self.comparison, measure).to_owned(), shape };
        Drawing {
            name: format!("{measure}-{part}-over-k"),
            numbers: Some(Numbers::of(&chart, ["method", "k", "mean"])),
            chart,
        }
    }

    /// The method that one chart alone is drawn of, and its cells with the first seed.
    fn first(&self) -> (&str, impl Iterator<Item = &Cell>) {
        let method = self.promised.methods.first().copied().unwrap_or_default();
        let seed = self.comparison.seeds.first().copied().unwrap_or_default();
        (method, self.comparison.cells.iter().filter(move |cell| cell.method == method && cell.seed == seed))
    }

    /// How frequent the most frequent values are, over k; k = 1 is the original. Of the first method.
    fn tops_over_k(&self, measure: &str) -> Option<Drawing> {
        let (method, cells) = self.first();
        let tops: Vec<(usize, &[Value])> = cells
            .filter_map(|cell| Some((cell.k, of_measure(cell, measure)?["parts"]["top_before"].as_array()?.as_slice())))
            .collect();
        let (_, first) = tops.first()?;
        let line = |top: &Value| {
            let label = top["value"].as_str()?;
            let mut points = vec![(1.0, 100.0 * top["before"].as_f64()?)];
            for (k, values) in &tops {
                let same = values.iter().find(|value| value["value"] == label)?;
                points.push((*k as f64, 100.0 * same["after"].as_f64()?));
            }
            Some(Series { name: label.to_owned(), points, ..Series::default() })
        };
        let lines = first.iter().filter_map(line).take(6).enumerate();
        let series = lines.map(|(colour, series)| Series { colour, ..series }).collect();
        let chart = Chart {
            title: format!(
                "{}: how frequent the most popular of the original (k = 1) stay with {method}",
                words::capitalised(&words::spaced(measure))
            ),
            across: ACROSS.to_owned(),
            up: "% of all".to_owned(),
            shape: Shape::OverCounts(series),
        };
        let numbers = Some(Numbers::of(&chart, ["value", "k", "% of all"]));
        Some(Drawing { name: format!("{measure}-most-popular-over-k"), numbers, chart })
    }

    /// The agreement by the number of clusters, for the least and the greatest k of the first method.
    fn over_clusters(&self, measure: &str, index: &str) -> Drawing {
        let (method, cells) = self.first();
        let ends = [self.comparison.k.first(), self.comparison.k.last()];
        let line = |cell: &Cell| {
            let rows = of_measure(cell, measure)?["parts"]["by_clusters"].as_array()?;
            let points =
                rows.iter().filter_map(|row| Some((row["clusters"].as_f64()?, row[index].as_f64()?))).collect();
            Some(Series { name: format!("k = {}", cell.k), points, ..Series::default() })
        };
        let lines = cells.filter(|cell| ends.contains(&Some(&cell.k))).filter_map(line).enumerate();
        let series = lines.map(|(colour, series)| Series { colour, ..series }).collect();
        let chart = Chart {
            title: format!(
                "{}: whether people fall into the same clusters as before with {method}, by the {} index, from 0 to 1",
                words::capitalised(&words::spaced(measure)),
                words::capitalised(index)
            ),
            across: "number of clusters".to_owned(),
            up: "agreement".to_owned(),
            shape: Shape::OverCounts(series),
        };
        let numbers = Some(Numbers::of(&chart, ["k", "clusters", "agreement"]));
        Drawing { name: format!("{measure}-{index}-over-clusters"), numbers, chart }
    }
}

impl Numbers {
    fn of(chart: &Chart, head: [&'static str; 3]) -> Self {
        let (Shape::Lines(all) | Shape::OverCounts(all)) = &chart.shape else { return Self { head, rows: Vec::new() } };
        let row = |series: &Series, (x, y): (f64, f64)| vec![shortened(&series.name, 120), plain(x), plain(y)];
        let rows = all.iter().flat_map(|series| series.points.iter().map(move |&point| row(series, point))).collect();
        Self { head, rows }
    }
}

/// The name of a promise among files.
pub(super) fn file_name(promised: &Promised<'_>, drawing: &Drawing) -> String {
    let promise = promised.promise.as_typed();
    let safe = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    format!("{}-{}.svg", promise.chars().map(safe).collect::<String>(), drawing.name)
}

/// Whether a measure is one to choose by: such are shown first.
pub(super) fn is_headline(measure: &str) -> bool {
    catalog::measure_card(measure).is_some_and(|card| card.headline.is_some())
}
