//! Flows: how much of the moves between places a release keeps.
//!
//! Paper      Ours; matrices of origins and destinations are how planners count moves.
//!
//! # Formula
//! A move is a step between consecutive points of a person's record that lie in different tiles of zoom 13. The number is the sum over
//! pairs of tiles of the smaller of their shares of all moves before and after.
//!
//! # Cost
//! Time O(points log points), memory O(different moves).

use std::collections::BTreeMap;

use serde_json::json;

use super::super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair};
use super::shared_mass;
use crate::data::Paths;
use crate::error::Result;
use crate::geo::tile::Tile;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "od-flows",
        summary: "how much of the moves between tiles of about four kilometres a release keeps",
        paper: "Ours",
        details: "A move is a step from one point of a person to their next one, if these are in different tiles of zoom 13. For each pair of tiles \
            the smaller of its shares of all moves before and after; the headline is their sum, 1 if both have the same flows.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    says: "Of the moves between places, {%} is kept.",
    undefined: "nobody moves",
    judges_held_out: true,
    headline: Some(Headline::Loss(Lost::Kept)),
    ..MeasureInfo::DEFAULT
};

const ZOOM: u8 = 13;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct OdFlows;

impl Measure<Paths> for OdFlows {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Paths>, _context: &Context<'_>) -> Result<Measured> {
        let before = moves(pair.original, None);
        let after = moves(pair.release, Some(&pair.multiplicity));
        let count = |moves: &BTreeMap<(u64, u64), u64>| moves.values().sum::<u64>();
        let parts = json!({"moves_before": count(&before), "moves_after": count(&after)});
        // Where nothing moves any more nothing is kept.
        let value = shared_mass(&before, &after).or((count(&before) > 0).then_some(0.0));
        Ok(self.measured(value, parts))
    }
}

fn moves(paths: &Paths, multiplicity: Option<&[u32]>) -> BTreeMap<(u64, u64), u64> {
    let tile = |point: usize| {
        let (lat, lon) = paths.place(point);
        Tile::at(lat, lon, ZOOM).code()
    };
    let mut moves = BTreeMap::new();
    for person in 0..paths.persons() {
        let times = multiplicity.map_or(1, |multiplicity| u64::from(multiplicity[person]));
        let tiles: Vec<u64> = paths.range(person).map(tile).collect();
        for pair in tiles.windows(2).filter(|pair| pair[0] != pair[1]) {
            *moves.entry((pair[0], pair[1])).or_default() += times;
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::super::testing::{measure, paths};
    use super::*;

    /// Three moves before: to 20 twice, back once. One of the two after is one of them.
    #[test]
    fn by_hand() {
        let original =
            paths(&[("a", 10.0, 0.1), ("a", 20.0, 0.1), ("a", 10.0, 0.1), ("a", 20.0, 0.1), ("a", 20.0, 0.1)]);
        let release = paths(&[("a", 10.0, 0.1), ("a", 20.0, 0.1), ("a", 30.0, 0.1)]);
        let found = measure(&OdFlows, &original, &release);
        assert!((found.value.unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(measure(&OdFlows, &original, &paths(&[("a", 1.0, 1.0)])).value, Some(0.0));
        assert_eq!(measure(&OdFlows, &release, &release).value, Some(1.0));
        assert_eq!(measure(&OdFlows, &paths(&[("a", 1.0, 1.0)]), &release).value, None);
    }
}
