//! Papers' evaluations of graphs, as tables of numbers and charts.

use throng_core::data::graph::Masked;
use throng_core::data::{Dataset as _, Graph};
use throng_core::measures::utility::graph::{generalisation_loss, structural_loss, structure_lost};
use throng_core::measures::{Context, Measure, Pair};
use throng_core::methods::Method as _;
use throng_core::methods::graph::sangreea::{Params, Sangreea};
use throng_core::progress::{Progress, Quiet};
use throng_core::{Error, Result, Rng};

use super::masked::certain_edges;
use crate::report::chart::{Chart, Series, Shape};
use crate::run::StudyPart;

/// The k and the weights (alpha, beta) of the paper's figures.
const KS: [usize; 5] = [2, 3, 5, 6, 10];
const WEIGHTS: [(f64, f64); 3] = [(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)];

/// What is drawn: the name of the files, the column of the value, the title, and what it is a share of.
const FIGURES: [(&str, &str, &str, &str); 4] = [
    ("ngil", "ngil", "Generalisation loss (NGIL) of the printed SaNGreeA, by k", "NGIL"),
    ("nsil", "nsil", "Structural loss (NSIL) of the printed SaNGreeA, by k", "NSIL"),
    ("structure-lost", "structure_lost", "Structure lost, a share of the worst, by k", "structure-lost"),
    ("certain-edges", "certain_edges", "Edges that everybody knows for certain, by k", "share of edges"),
];

/// A release of one k and weights: the value of each figure.
struct At {
    k: usize,
    weights: usize,
    values: [Option<f64>; 4],
}

/// The evaluation of SaNGreeA: NGIL and NSIL over k (figures 7 to 9, each of another graph), and beside them what NSIL does not show.
pub(super) fn sangreea(graph: &Graph, seed: u64, progress: &dyn Progress) -> Result<Vec<StudyPart>> {
    graph.refuse_masked()?;
    let has_columns = graph.attributes().is_some_and(|table| !table.columns().is_empty());
    let mut all = Vec::new();
    for (weights, &(alpha, beta)) in WEIGHTS.iter().enumerate() {
        // Without attributes alpha is taken as 0: all weights would be one line.
        if !has_columns && alpha > 0.0 {
            continue;
        }
        for k in KS.into_iter().filter(|&k| k <= graph.persons()) {
            progress.go_on()?;
            let method = Sangreea::new(Params { k, alpha, beta, exact: true })?;
            let release = method.protect(graph, &mut Rng::seeded(seed), &Quiet(progress))?.records;
            let values = values(graph, &release, seed, progress)?;
            all.push(At { k, weights, values });
        }
    }
    if all.is_empty() {
        return Err(Error::refused("there are too few persons for the study").with_hint("its smallest k is 2"));
    }
    Ok(FIGURES.iter().enumerate().map(|(at, figure)| part(at, figure, &all)).collect())
}

fn values(graph: &Graph, release: &Graph, seed: u64, progress: &dyn Progress) -> Result<[Option<f64>; 4]> {
    let pair = Pair { original: graph, release, multiplicity: Vec::new(), link: None };
    let quiet = Quiet(progress);
    let context = Context { k: 2, shared_by: 2, show_values: false, seed, progress: &quiet };
    let value = |measure: &dyn Measure<Graph>| Ok(measure.measure(&pair, &context)?.value);
    let certain = |masked: &Masked| certain_edges(masked) as f64 / masked.edges().max(1) as f64;
    Ok([
        value(&generalisation_loss::GeneralisationLoss)?,
        value(&structural_loss::StructuralLoss)?,
        value(&structure_lost::StructureLost)?,
        release.masked().map(certain),
    ])
}

fn part(at: usize, &(name, column, title, up): &(&'static str, &'static str, &str, &str), all: &[At]) -> StudyPart {
    let line = |(number, (alpha, beta)): (usize, &(f64, f64))| Series {
        name: format!("alpha {alpha}, beta {beta}"),
        points: all
            .iter()
            .filter(|one| one.weights == number)
            .filter_map(|one| Some((one.k as f64, one.values[at]?)))
            .collect(),
        colour: number,
        ..Series::default()
    };
    let lines = WEIGHTS.iter().enumerate().map(line).filter(|line| !line.points.is_empty()).collect();
    let row = |one: &At| {
        let (alpha, beta) = WEIGHTS[one.weights];
        let value = one.values[at].map(|value| value.to_string()).unwrap_or_default();
        vec![one.k.to_string(), alpha.to_string(), beta.to_string(), value]
    };
    let chart =
        Chart { title: title.to_owned(), across: "k".to_owned(), up: up.to_owned(), shape: Shape::OverCounts(lines) };
    StudyPart { name, head: vec!["k", "alpha", "beta", column], rows: all.iter().map(row).collect(), chart }
}
