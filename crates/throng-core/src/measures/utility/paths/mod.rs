//! What a release of paths keeps.

pub mod clusters_kept;
pub mod heat_map;
pub mod od_flows;
pub mod patterns_kept;
pub mod range_queries;
pub mod spatial_distortion;
pub mod stays_kept;

use std::collections::BTreeMap;

use crate::data::Paths;
use crate::geo::tile::Tile;

/// The points of each tile of a zoom; each record as often as it stands for persons.
fn tile_counts(paths: &Paths, multiplicity: Option<&[u32]>, zoom: u8) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    for person in 0..paths.persons() {
        let times = multiplicity.map_or(1, |multiplicity| u64::from(multiplicity[person]));
        for point in paths.range(person) {
            let (lat, lon) = paths.place(point);
            *counts.entry(Tile::at(lat, lon, zoom).code()).or_default() += times;
        }
    }
    counts
}

/// The sum of the smaller shares of what two sides count; `None` if one of them counts nothing.
fn shared_mass<K: Ord>(before: &BTreeMap<K, u64>, after: &BTreeMap<K, u64>) -> Option<f64> {
    let sum = |counts: &BTreeMap<K, u64>| counts.values().sum::<u64>() as f64;
    let (all_before, all_after) = (sum(before), sum(after));
    if all_before == 0.0 || all_after == 0.0 {
        return None;
    }
    let least = |(key, &count): (&K, &u64)| {
        let other = after.get(key).copied().unwrap_or(0) as f64 / all_after;
        (count as f64 / all_before).min(other)
    };
    Some(before.iter().map(least).sum())
}

#[cfg(test)]
pub(crate) mod testing {
    //! Small paths for the tests of these measures.

    use crate::data::paths::Point;
    use crate::data::{Paths, PathsBuilder};
    use crate::measures::testing::CONTEXT;
    use crate::measures::{Measure, Measured, Pair};

    /// Points of persons, an hour apart in the order given.
    pub(crate) fn paths(points: &[(&str, f64, f64)]) -> Paths {
        let mut builder = PathsBuilder::default();
        for (hour, &(person, lat, lon)) in (0..).zip(points) {
            builder.push(person, Point { time: hour * 3_600_000, lat, lon, marks: [""; 4] });
        }
        builder.finish()
    }

    /// Measures a release whose person i is person i of the original.
    pub(crate) fn measure(measure: &dyn Measure<Paths>, original: &Paths, release: &Paths) -> Measured {
        let in_release = |person: usize| (person < release.persons()).then_some(person as u32);
        let pair = Pair {
            original,
            release,
            multiplicity: vec![1; release.persons()],
            link: Some((0..original.persons()).map(in_release).collect()),
        };
        measure.measure(&pair, &CONTEXT).unwrap()
    }
}
