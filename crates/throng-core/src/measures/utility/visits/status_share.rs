//! Status share: whether a site's answers stay as frequent.
//!
//! Paper      Ours, after 000 (ARES report), chapter 3.
//!
//! # Formula
//! The largest difference of a status' share of all lines, in points.
//!
//! # Cost
//! Time O(lines log lines), memory O(different values).

use serde_json::{Map, Value, json};

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::{counts, once};
use crate::data::Visits;
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "status-share",
        summary: "the largest difference of a status' share of all lines",
        paper: "ours, after Navarro-Arribas, Torra. New privacy-preserving data mining techniques. Deliverable WP4.T2 of the ARES project (2010), \
                chapter 3",
        details: "The largest difference, in points, of the share of lines with a status between the original and the release. Parts: `half_sum`, half \
            of all differences; `statuses`, of every status that at least k lines of the original have its share before and after.",
        parameters: &[],
    },
    unit: "points",
    better: "lower",
    says: "",
    undefined: "no line has a status",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct StatusShare;

impl Measure<Visits> for StatusShare {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Visits>, context: &Context<'_>) -> Result<Measured> {
        let statuses = |visits: &Visits, weights: &[u32]| {
            counts(visits, weights, |person| visits.range(person).filter_map(|row| visits.status(row)).collect())
        };
        let (before, after) =
            (statuses(pair.original, &once(pair.original)), statuses(pair.release, &pair.multiplicity));
        let [all, others] = [&before, &after].map(|counts| counts.values().sum::<u64>() as f64);
        let mut both: Vec<u16> = before.keys().chain(after.keys()).copied().collect();
        both.sort_unstable();
        both.dedup();
        let share = |count: Option<&u64>, all: f64| count.map_or(0.0, |&count| 100.0 * count as f64 / all.max(1.0));
        let (mut most, mut sum, mut shown) = (0.0f64, 0.0, Map::new());
        for status in both {
            let (own, other) = (share(before.get(&status), all), share(after.get(&status), others));
            most = most.max((own - other).abs());
            sum += (own - other).abs();
            if before.get(&status).is_some_and(|&count| count >= context.k as u64) {
                shown.insert(status.to_string(), json!([own, other]));
            }
        }
        let parts = json!({"half_sum": sum / 2.0, "statuses": Value::Object(shown)});
        Ok(self.measured((all > 0.0).then_some(most), parts))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{log, measure};
    use super::*;

    #[test]
    fn by_hand() {
        let original = log(&[("a", 0, "/x"), ("b", 0, "/x")]);
        let found = measure(&StatusShare, &original, &original);
        assert_eq!((found.value, &found.parts["statuses"]["200"]), (Some(0.0), &json!([100.0, 100.0])));
        let none = Visits::default();
        assert_eq!(measure(&StatusShare, &none, &none).value, None);
    }
}
