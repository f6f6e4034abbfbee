//! Made-up comparisons for tests: numbers as they are given, nothing is protected.

use serde_json::{Value, json};

use super::{Cell, Comparison, Input, Promise};

/// A cell with these numbers of measures.
pub(crate) fn cell(method: &str, k: usize, seed: u64, claims: &[Value], measures: &[(&str, Option<f64>)]) -> Cell {
    let measured =
        |(name, value): &(&str, Option<f64>)| json!({"name": name, "value": value, "unit": "%", "parts": {}});
    Cell {
        method: method.to_owned(),
        k,
        seed,
        claims: claims.iter().map(|claim| serde_json::from_value::<Promise>(claim.clone()).unwrap()).collect(),
        persons_dropped: 0,
        seconds: None,
        measures: measures.iter().map(measured).collect(),
        attacks: Vec::new(),
        skipped: Vec::new(),
    }
}

/// A comparison of these cells.
pub(crate) fn comparison(cells: Vec<Cell>) -> Comparison {
    let (mut methods, mut k, mut seeds) = (Vec::new(), Vec::new(), Vec::new());
    for cell in &cells {
        if !methods.contains(&cell.method) {
            methods.push(cell.method.clone());
        }
        k.push(cell.k);
        seeds.push(cell.seed);
    }
    k.sort_unstable();
    k.dedup();
    seeds.sort_unstable();
    seeds.dedup();
    let mut comparison = Comparison {
        format: super::FORMAT,
        throng: "test".to_owned(),
        title: None,
        date: None,
        input: Input { kind: "people".to_owned(), persons: 1_000_000, rows: 10_000_000, sampled_from: None },
        held_out: None,
        methods,
        k,
        seeds,
        least_k: super::LEAST_K,
        cells,
        means: Vec::new(),
        pairs: Vec::new(),
        trends: Vec::new(),
        recommendations: Vec::new(),
        recommendation: None,
    };
    comparison.means = super::numbers::means(&comparison);
    comparison.recommendations = super::recommend::recommendations(&comparison);
    comparison.recommendation = super::recommend::for_all_methods(&comparison);
    comparison
}
