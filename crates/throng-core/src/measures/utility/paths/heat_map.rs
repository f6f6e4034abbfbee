//! Heat map: how alike the counts of points are, tile by tile.
//!
//! Paper      Ours.
//!
//! # Formula
//! Pearson's r of the counts of points before and after over the tiles of zoom 15 in which either has any; parts `shared_mass`, the sum
//! of the smaller shares (1 − half the sum of absolute differences), and `rank`, r of the ranks, equal counts having their mean rank.
//!
//! # Cost
//! Time O(points), memory O(tiles).

use serde_json::json;

use super::super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use super::{shared_mass, tile_counts};
use crate::data::Paths;
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "heat-map",
        summary: "how alike the counts of points before and after are, over tiles of about a kilometre",
        paper: "Ours",
        details: "Pearson's correlation of the counts of points over the tiles of zoom 15 in which the original or the release has any. Part \
            `shared_mass` is the sum of the smaller shares, 1 less half of the absolute differences; `rank` the correlation of ranks.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    says: "The map of where people are agrees with the original's with a correlation of {}.",
    undefined: "all tiles have the same count",
    judges_held_out: true,
    headline: Some(Headline::Loss(Lost::Kept)),
    ..MeasureInfo::DEFAULT
};

const ZOOM: u8 = 15;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct HeatMap;

impl Measure<Paths> for HeatMap {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Paths>, _context: &Context<'_>) -> Result<Measured> {
        let before = tile_counts(pair.original, None, ZOOM);
        let after = tile_counts(pair.release, Some(&pair.multiplicity), ZOOM);
        let mut tiles: Vec<u64> = before.keys().chain(after.keys()).copied().collect();
        tiles.sort_unstable();
        tiles.dedup();
        let counts: Vec<[f64; 2]> = tiles
            .iter()
            .map(|tile| [&before, &after].map(|counts| counts.get(tile).copied().unwrap_or(0) as f64))
            .collect();
        let ranked: Vec<Vec<f64>> = (0..2).map(|side| ranks(counts.iter().map(|pair| pair[side]).collect())).collect();
        let ranked: Vec<[f64; 2]> = ranked[0].iter().zip(&ranked[1]).map(|(&left, &right)| [left, right]).collect();
        let parts = json!({
            "shared_mass": shared_mass(&before, &after),
            "rank": correlation(&ranked),
            "tiles": tiles.len(),
        });
        Ok(self.measured(correlation(&counts), parts))
    }
}

/// Pearson's r; `None` where one side has no variance.
fn correlation(pairs: &[[f64; 2]]) -> Option<f64> {
    let count = pairs.len() as f64;
    let mean = |side: usize| pairs.iter().map(|pair| pair[side]).sum::<f64>() / count;
    let (left, right) = (mean(0), mean(1));
    let product = |own: usize, other: usize| {
        let means = [left, right];
        pairs.iter().map(|pair| (pair[own] - means[own]) * (pair[other] - means[other])).sum::<f64>()
    };
    let norm = (product(0, 0) * product(1, 1)).sqrt();
    (norm > 0.0).then(|| product(0, 1) / norm)
}

/// The rank of each value; equal ones have the mean of theirs.
fn ranks(values: Vec<f64>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&left, &right| values[left].total_cmp(&values[right]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for same in order.chunk_by(|&left, &right| values[left] == values[right]) {
        let rank = first as f64 + (same.len() as f64 - 1.0) / 2.0;
        same.iter().for_each(|&at| ranks[at] = rank);
        first += same.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::super::testing::{measure, paths};
    use super::*;

    /// Counts 2, 1, 0 before and 1, 1, 2 after: r = −1.0 / sqrt(2 · 2/3), shared mass 1/4 + 1/4, ranks 2, 1, 0 and 0.5, 0.5, 2.
    #[test]
    fn by_hand() {
        let original = paths(&[("a", 10.0, 0.1), ("a", 10.0, 0.1), ("a", 20.0, 0.1)]);
        let release = paths(&[("a", 10.0, 0.1), ("a", 20.0, 0.1), ("a", 30.0, 0.1), ("a", 30.0, 0.1)]);
        let found = measure(&HeatMap, &original, &release);
        assert!((found.value.unwrap() + 1.0 / (4.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((found.parts["shared_mass"].as_f64().unwrap() - 0.5).abs() < 1e-12);
        assert!((found.parts["rank"].as_f64().unwrap() + 1.5 / 3.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(measure(&HeatMap, &original, &original).value, Some(1.0));
    }
}
