//! Spatial distortion: how far from where they were the record of a person is.
//!
//! Paper      Ours; the distance of sets of points is that of the k-median.
//!
//! # Formula
//! The mean over persons of the mean distance of their own points to the nearest one of their record, each at most 50 km; 50 km without
//! a record. Part `record_to_own` the other way.
//!
//! # Cost
//! Time O(points · points of the record) in the worst case; those far to the north and south are not looked at.

use rayon::prelude::*;
use serde_json::json;

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::data::Paths;
use crate::error::Result;
use crate::geo::Vector;
use crate::info::{Info, Need};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "spatial-distortion",
        summary: "how far the points of persons are from the nearest one of their record, in kilometres",
        paper: "Ours",
        details: "For each person the mean distance of their own points to the nearest point of their record, each at most 50 km, and 50 km for \
            whoever is left out; the headline is the mean over persons. Part `record_to_own` is the mean distance of the record's points to \
            the person's nearest one, over persons with a record. Times are not looked at.",
        parameters: &[],
    },
    unit: "km",
    better: "lower",
    says: "The places of a person are {} from the nearest one that their record shows, on average.",
    undefined: "nobody has a point",
    needs: &[Need::Link],
    judges_held_out: true,
    by_person: true,
    against: &["group", "points"],
    ..MeasureInfo::DEFAULT
};

/// Further than this counts as this, in kilometres.
const FAR: f64 = 50.0;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct SpatialDistortion;

impl Measure<Paths> for SpatialDistortion {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Paths>, context: &Context<'_>) -> Result<Measured> {
        let link = pair.link.as_deref().unwrap_or_default();
        let of_person = |person: usize| -> (f64, Option<f64>) {
            if context.progress.is_stopped() {
                return (FAR, None);
            }
            let Some(record) = link.get(person).copied().flatten() else { return (FAR, None) };
            let own = Places::of(pair.original, person);
            let other = Places::of(pair.release, record as usize);
            (other.mean_distance_of(&own).unwrap_or(FAR), own.mean_distance_of(&other))
        };
        let persons: Vec<usize> =
            (0..pair.original.persons()).filter(|&person| !pair.original.range(person).is_empty()).collect();
        let each: Vec<(f64, Option<f64>)> = persons.par_iter().map(|&person| of_person(person)).collect();
        context.progress.go_on()?;
        let own: Vec<f64> = each.iter().map(|distances| distances.0).collect();
        let back: Vec<f64> = each.iter().filter_map(|distances| distances.1).collect();
        let parts = json!({
            "record_to_own": super::super::super::mean(&back),
            "persons": own.len(),
            "without_record": each.iter().filter(|distances| distances.1.is_none()).count(),
            "percentiles": {
                "50": super::super::super::percentile(&own, 0.5, context.k),
                "90": super::super::super::percentile(&own, 0.9, context.k),
            },
        });
        let mut measured = self.measured(super::super::super::mean(&own), parts);
        let mut by_person = vec![None; pair.original.persons()];
        persons.iter().zip(&own).for_each(|(&person, &distance)| by_person[person] = Some(distance));
        measured.by_person.insert("own_to_record".to_owned(), by_person);
        Ok(measured)
    }
}

/// Different places of a person from south to north, with how often they were there.
struct Places(Vec<(f64, Vector, f64)>);

impl Places {
    fn of(paths: &Paths, person: usize) -> Self {
        let mut places: Vec<(f64, f64)> = paths.range(person).map(|point| paths.place(point)).collect();
        places.sort_unstable_by(|left, right| left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1)));
        let same = places.chunk_by(|left, right| left == right);
        Self(same.map(|same| (same[0].0, Vector::of(same[0]), same.len() as f64)).collect())
    }

    /// The mean distance of other places to the nearest one of these; `None` if one side has none.
    fn mean_distance_of(&self, others: &Self) -> Option<f64> {
        if self.0.is_empty() || others.0.is_empty() {
            return None;
        }
        let weights: f64 = others.0.iter().map(|place| place.2).sum();
        Some(others.0.iter().map(|&(lat, place, weight)| weight * self.nearest(lat, place)).sum::<f64>() / weights)
    }

    fn nearest(&self, lat: f64, place: Vector) -> f64 {
        let start = self.0.partition_point(|other| other.0 < lat);
        let mut nearest = FAR;
        // What is so far to the north or to the south is further than that.
        let is_near = |other: &&(f64, Vector, f64), nearest: f64| {
            (other.0 - lat).abs().to_radians() * crate::geo::RADIUS <= nearest
        };
        for other in &self.0[start..] {
            if !is_near(&other, nearest) {
                break;
            }
            nearest = nearest.min(along(place.chord(other.1)));
        }
        for other in self.0[..start].iter().rev() {
            if !is_near(&other, nearest) {
                break;
            }
            nearest = nearest.min(along(place.chord(other.1)));
        }
        nearest
    }
}

/// The distance along the earth of two places that are so far apart through it.
fn along(chord: f64) -> f64 {
    let radius = crate::geo::RADIUS;
    2.0 * radius * (chord / (2.0 * radius)).min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{measure, paths};
    use super::*;
    use crate::geo::distance;

    /// A degree of latitude is 111.195 km, a tenth of one 11.12; further than 50 km is 50.
    #[test]
    fn by_hand() {
        let original = paths(&[("a", 0.0, 0.0), ("a", 0.1, 0.0), ("b", 5.0, 0.0), ("c", 9.0, 9.0)]);
        let release = paths(&[("a", 0.0, 0.0), ("b", 6.0, 0.0)]);
        let found = measure(&SpatialDistortion, &original, &release);
        let tenth = distance((0.0, 0.0), (0.1, 0.0));
        let expected = (tenth / 2.0 + 50.0 + 50.0) / 3.0;
        assert!((found.value.unwrap() - expected).abs() < 1e-9, "{:?}", found.value);
        assert_eq!(found.parts["record_to_own"].as_f64().unwrap(), (0.0 + 50.0) / 2.0);
        assert_eq!(found.parts["without_record"], 1);
    }

    /// As a look at all pairs finds.
    #[test]
    fn nearest_of_all() {
        let mut rng = crate::Rng::seeded(3);
        let mut place = || (rng.unit() * 1.2 - 0.6, rng.unit() * 1.2 + 179.4);
        let wrap = |(lat, lon): (f64, f64)| (lat, if lon > 180.0 { lon - 360.0 } else { lon });
        let points: Vec<(&str, f64, f64)> = (0..80).map(|_| wrap(place())).map(|(lat, lon)| ("a", lat, lon)).collect();
        let (own, other) = points.split_at(50);
        let found = measure(&SpatialDistortion, &paths(own), &paths(other));
        let nearest = |point: &(&str, f64, f64)| {
            other.iter().map(|other| distance((point.1, point.2), (other.1, other.2))).fold(FAR, f64::min)
        };
        let plain = own.iter().map(nearest).sum::<f64>() / own.len() as f64;
        assert!((found.value.unwrap() - plain).abs() < 1e-6);
    }
}
