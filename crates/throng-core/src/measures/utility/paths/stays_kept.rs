//! Stays kept: whether a record still shows where a person stayed.
//!
//! Paper      Ours.
//!
//! # Formula
//! The stays of the original are found as `throng paths reconstruct` finds them, with its usual rules. A stay is kept if the person's record
//! has a point within 1 km of its middle. The mean over persons with stays of the share of their stays that are kept; none without a record.
//! Part `in_time`: and one of these points is in an hour (of UTC) into which the stay falls.
//!
//! # Cost
//! Time O(stays of a person x points of their record).

use rayon::prelude::*;
use serde_json::json;

use super::super::super::{Context, Headline, Lost, Measure, MeasureInfo, Measured, Pair, mean};
use crate::data::Paths;
use crate::data::time::HOUR;
use crate::error::Result;
use crate::geo::distance;
use crate::info::{Info, Need};
use crate::paths::reconstruct::{Params, Stay, reconstruct};

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "stays-kept",
        summary: "how many of the stays of persons their record still shows",
        paper: "Ours",
        details: "Stays of the original are found as `throng paths reconstruct` finds them: 20 minutes within 200 m, without a gap of more than 30 \
            minutes. One is kept if the person's record has a point within 1 km of its middle; the headline is the mean over persons of the share \
            of their stays that are. Part `in_time` asks for such a point in an hour of the stay, too.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    says: "Of the stays of a person, their record shows {%}.",
    undefined: "nobody stays anywhere: that takes points at least every 30 minutes",
    needs: &[Need::Link],
    judges_held_out: true,
    headline: Some(Headline::Loss(Lost::Kept)),
    ..MeasureInfo::DEFAULT
};

/// How near a point of the record must be, in kilometres.
const NEAR: f64 = 1.0;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct StaysKept;

impl Measure<Paths> for StaysKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Paths>, context: &Context<'_>) -> Result<Measured> {
        let link = pair.link.as_deref().unwrap_or_default();
        let stays = reconstruct(pair.original, &Params::default())?.stays;
        context.progress.go_on()?;
        let of_person = |own: &&[Stay]| -> [f64; 2] {
            let record = link.get(own[0].person as usize).copied().flatten();
            let Some(record) = record else { return [0.0; 2] };
            let kept = |is_timed: bool| own.iter().filter(|stay| is_kept(stay, pair.release, record, is_timed)).count();
            [false, true].map(|is_timed| kept(is_timed) as f64 / own.len() as f64)
        };
        let persons: Vec<&[Stay]> = stays.chunk_by(|left, right| left.person == right.person).collect();
        let shares: Vec<[f64; 2]> = persons.par_iter().map(of_person).collect();
        let side = |at: usize| mean(&shares.iter().map(|share| share[at]).collect::<Vec<f64>>());
        let parts = json!({"in_time": side(1), "stays": stays.len(), "persons": persons.len()});
        Ok(self.measured(side(0), parts))
    }
}

fn is_kept(stay: &Stay, release: &Paths, record: u32, is_timed: bool) -> bool {
    let hours = stay.from.div_euclid(HOUR)..=stay.to.div_euclid(HOUR);
    release.range(record as usize).any(|point| {
        let is_then = !is_timed || hours.contains(&release.time(point).div_euclid(HOUR));
        is_then && distance((stay.lat, stay.lon), release.place(point)) <= NEAR
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{measure, paths};
    use super::*;
    use crate::data::PathsBuilder;
    use crate::data::paths::Point;

    /// Ann stays half an hour at two places, of which her record shows one, at another time; ben stays and has no record.
    #[test]
    fn by_hand() {
        let mut builder = PathsBuilder::default();
        for (person, minute, lat) in [
            ("a", 0, 1.0),
            ("a", 25, 1.0),
            ("a", 100, 2.0),
            ("a", 125, 2.0),
            ("b", 0, 3.0),
            ("b", 21, 3.0),
            ("c", 0, 1.0),
        ] {
            builder.push(person, Point { time: minute * 60_000, lat, lon: 0.0, marks: [""; 4] });
        }
        let original = builder.finish();
        let release = paths(&[("a", 9.0, 9.0), ("a", 9.0, 9.0), ("a", 9.0, 9.0), ("a", 1.005, 0.0)]);
        let found = measure(&StaysKept, &original, &release);
        assert_eq!(found.value, Some((0.5 + 0.0) / 2.0));
        assert_eq!(
            (&found.parts["in_time"], &found.parts["stays"], &found.parts["persons"]),
            (&json!(0.0), &json!(3), &json!(2))
        );
        assert_eq!(measure(&StaysKept, &original, &original).value, Some(1.0));
        assert_eq!(measure(&StaysKept, &original, &original).parts["in_time"], 1.0);
        assert_eq!(measure(&StaysKept, &release, &release).value, None);
    }
}
