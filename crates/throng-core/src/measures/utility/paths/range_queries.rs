//! Range queries: how wrong the share of points within a circle becomes.
//!
//! Paper      Ours; counts within ranges are how the literature on published paths judges what is left.
//!
//! # Formula
//! 300 circles are drawn by the seed: around an original point, with a radius from 0.5 to 5 km. For each |share before − share after| /
//! max(share before, 0.01); the mean.
//!
//! # Cost
//! Time O(circles · points near them in latitude), memory O(points).

use rayon::prelude::*;
use serde_json::json;

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::Rng;
use crate::data::Paths;
use crate::error::Result;
use crate::geo::{RADIUS, distance};
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "range-queries",
        summary: "how wrong the share of points within a circle of some kilometres becomes",
        paper: "Ours, after the range queries by which published paths are judged in the literature",
        details: "300 circles are drawn by the seed, around original points, with radii from 0.5 to 5 km. For each the absolute difference of the \
            shares of all points that lie in it before and after, over the share before, or over 0.01 if that is less; the headline is the mean.",
        parameters: &[],
    },
    unit: "",
    better: "lower",
    says: "How many points lie within a circle is wrong by {%} on average.",
    undefined: "there are no points",
    judges_held_out: true,
    ..MeasureInfo::DEFAULT
};

const CIRCLES: usize = 300;
const LEAST_SHARE: f64 = 0.01;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct RangeQueries;

impl Measure<Paths> for RangeQueries {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Paths>, context: &Context<'_>) -> Result<Measured> {
        if pair.original.points() == 0 {
            return Ok(self.measured(None, json!({"circles": 0})));
        }
        let mut rng = Rng::seeded(context.seed);
        let circle = |_| {
            let centre = pair.original.place(rng.index(pair.original.points()));
            (centre, 0.5 + 4.5 * rng.unit())
        };
        let circles: Vec<((f64, f64), f64)> = (0..CIRCLES).map(circle).collect();
        let before = Weighed::of(pair.original, None);
        let after = Weighed::of(pair.release, Some(&pair.multiplicity));
        let error = |&(centre, radius): &((f64, f64), f64)| {
            let share = before.share_within(centre, radius);
            (share - after.share_within(centre, radius)).abs() / share.max(LEAST_SHARE)
        };
        let errors: Vec<f64> = circles.par_iter().map(error).collect();
        Ok(self.measured(super::super::super::mean(&errors), json!({"circles": CIRCLES})))
    }
}

/// Points from south to north, with how often they count.
struct Weighed {
    points: Vec<(f64, f64, f64)>,
    all: f64,
}

impl Weighed {
    fn of(paths: &Paths, multiplicity: Option<&[u32]>) -> Self {
        let mut points = Vec::with_capacity(paths.points());
        for person in 0..paths.persons() {
            let times = multiplicity.map_or(1.0, |multiplicity| f64::from(multiplicity[person]));
            points.extend(paths.range(person).map(|point| {
                let (lat, lon) = paths.place(point);
                (lat, lon, times)
            }));
        }
        points.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1)));
        let all = points.iter().map(|point| point.2).sum();
        Self { points, all }
    }

    fn share_within(&self, centre: (f64, f64), radius: f64) -> f64 {
        let reach = (radius / RADIUS).to_degrees() * 1.000_001;
        let start = self.points.partition_point(|point| point.0 < centre.0 - reach);
        let near = self.points[start..].iter().take_while(|point| point.0 <= centre.0 + reach);
        let inside: f64 =
            near.filter(|&&(lat, lon, _)| distance(centre, (lat, lon)) <= radius).map(|point| point.2).sum();
        if self.all > 0.0 { inside / self.all } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{measure, paths};
    use super::*;

    /// All circles are around one place where everything was: half of it is elsewhere now.
    #[test]
    fn by_hand() {
        let original = paths(&[("a", 10.0, 0.1), ("a", 10.0, 0.1)]);
        let release = paths(&[("a", 10.0, 0.1), ("a", 30.0, 0.1)]);
        assert_eq!(measure(&RangeQueries, &original, &release).value, Some(0.5));
        assert_eq!(measure(&RangeQueries, &original, &original).value, Some(0.0));
    }

    /// As a look at all points finds.
    #[test]
    fn within_circles() {
        let mut rng = Rng::seeded(8);
        let points: Vec<(&str, f64, f64)> =
            (0..300).map(|_| ("a", 50.0 + rng.unit() / 10.0, 7.0 + rng.unit() / 5.0)).collect();
        let weighed = Weighed::of(&paths(&points), None);
        for &(_, lat, lon) in &points[..20] {
            for radius in [0.1, 1.0, 4.0] {
                let plain = points.iter().filter(|point| distance((lat, lon), (point.1, point.2)) <= radius).count();
                assert_eq!(weighed.share_within((lat, lon), radius), plain as f64 / 300.0);
            }
        }
    }
}
