//! How the parts of a measure move over k: their spread, and the slope of the line through them, as in Table 3.1 of the ARES report.
//!
//! # Formula
//! Over k = 1, which is the original, and every k that was tried: sigma is the standard deviation of a class's share (of a sample, n - 1), the
//! slope is that of the least-squares line of shares over k. Shares add up to 100 for every k, so slopes add up to 0.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Cell, Comparison, NO_K};
use crate::catalog;

/// How the classes of a measure move over k with a method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    /// The method as typed.
    pub method: String,
    /// The measure.
    pub measure: String,
    /// The values of k, beginning with 1, the original.
    pub k: Vec<usize>,
    /// Each class.
    pub classes: BTreeMap<String, Moved>,
}

/// How a class moves over k.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// The standard deviation of its share, in points.
    pub sigma: f64,
    /// How its share changes with k, in points for one more.
    pub slope: f64,
}

/// The trends of a comparison, with its first seed.
pub(super) fn of(comparison: &Comparison) -> Vec<Trend> {
    let seed = comparison.seeds.first().copied();
    let mut trends = Vec::new();
    for method in &comparison.methods {
        let is_own = |cell: &&Cell| cell.method == *method && Some(cell.seed) == seed && cell.k != NO_K;
        let mut cells: Vec<&Cell> = comparison.cells.iter().filter(is_own).collect();
        cells.sort_by_key(|cell| cell.k);
        let names = cells.first().map(|cell| cell.measures.as_slice()).unwrap_or_default();
        for name in names.iter().filter_map(|measure| measure["name"].as_str()) {
            let part = catalog::measure_card(name).map_or("", |card| card.trend);
            if !part.is_empty() {
                trends.extend(trend(method, name, part, &cells));
            }
        }
    }
    trends
}

fn trend(method: &str, measure: &str, part: &str, cells: &[&Cell]) -> Option<Trend> {
    let found: Vec<(usize, &Value)> = cells
        .iter()
        .filter_map(|cell| {
            let own = cell.measures.iter().find(|own| own["name"] == measure)?;
            Some((cell.k, &own["parts"][part]))
        })
        .collect();
    let (_, first) = found.first()?;
    let mut names: Vec<&String> =
        found.iter().flat_map(|(_, part)| part.as_object()).flat_map(|own| own.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let share = |part: &Value, name: &str, at: usize| part[name][at].as_f64().unwrap_or(0.0);
    let ks: Vec<usize> = std::iter::once(1).chain(found.iter().map(|(k, _)| *k)).collect();
    let moved = |name: &String| {
        let own = std::iter::once(share(first, name, 0)).chain(found.iter().map(|(_, part)| share(part, name, 1)));
        let points: Vec<(f64, f64)> = ks.iter().map(|&k| k as f64).zip(own).collect();
        (name.clone(), moved(&points))
    };
    Some(Trend {
        method: method.to_owned(),
        measure: measure.to_owned(),
        classes: names.into_iter().map(moved).collect(),
        k: ks,
    })
}

/// The spread of some numbers over k, and the slope of the line through them.
fn moved(points: &[(f64, f64)]) -> Moved {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (k, share) = (mean(|point| point.0), mean(|point| point.1));
    let squares = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let spread = squares(&|point| (point.1 - share).powi(2));
    let width = squares(&|point| (point.0 - k).powi(2));
    let both = squares(&|point| (point.0 - k) * (point.1 - share));
    Moved {
        sigma: if points.len() > 1 { (spread / (count - 1.0)).sqrt() } else { 0.0 },
        slope: if width > 0.0 { both / width } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Shares of three browsers with k = 1, 2 and 3, by hand: 60, 50, 55; 30, 40, 40; 10, 10, 5.
    #[test]
    fn slopes_add_up_to_nothing() {
        let cell = |k: usize, after: [f64; 3]| Cell {
            method: "m".to_owned(),
            k,
            seed: 1,
            claims: Vec::new(),
            persons_dropped: 0,
            seconds: None,
            measures: vec![json!({"name": "browser-usage", "parts": {"classes": {
                "chrome": [60.0, after[0]], "firefox": [30.0, after[1]], "other": [10.0, after[2]],
            }}})],
            attacks: Vec::new(),
            skipped: Vec::new(),
        };
        let cells = [cell(2, [50.0, 40.0, 10.0]), cell(3, [55.0, 40.0, 5.0])];
        let found = trend("m", "browser-usage", "classes", &cells.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(found.k, [1, 2, 3]);
        let is = |name: &str, sigma: f64, slope: f64| {
            let moved = found.classes[name];
            assert!((moved.sigma - sigma).abs() < 1e-12 && (moved.slope - slope).abs() < 1e-12, "{name} {moved:?}");
        };
        is("chrome", 5.0, -2.5);
        is("firefox", (100.0f64 / 3.0).sqrt(), 5.0);
        is("other", (25.0f64 / 3.0).sqrt(), -2.5);
        let sum: f64 = found.classes.values().map(|moved| moved.slope).sum();
        assert!(sum.abs() < 1e-9);
    }
}
