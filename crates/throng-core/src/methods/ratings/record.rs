//! The record of a group: which items are in it, what they were given, and when; what both methods for ratings share.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::accounts::GROUPS_EMPTY;
use crate::data::ratings::{Rating, Ratings, Scale};
use crate::data::{Strings, time};
use crate::error::{Error, Result};
use crate::info::{Parameter, ParameterKind};
use crate::models::{content_threshold, content_threshold_ratings, k_anonymity};
use crate::partition::grouping::Groups;
use crate::progress::Progress;
use crate::release::{Claim, Protected};

/// The parameter that keeps back what few rated.
pub(super) const MIN_PERSONS: Parameter = Parameter {
    summary: "an item that fewer persons of the original rated is never published; 1 publishes all",
    default: "3",
    ..content_threshold::MIN_PERSONS
};

/// The parameter that rounds.
pub(super) const ROUND: Parameter = Parameter {
    name: "round",
    summary: "published ratings are multiples of this, or means with at most four decimals",
    kind: ParameterKind::Choice(&["none", "0.5", "1"]),
    default: "none",
};

/// The parameter that publishes years.
pub(super) const TIME_RESOLUTION: Parameter = Parameter {
    name: "time-resolution",
    summary: "publish the year that an item was rated in, `1y`, or the span of several; `0s` publishes no times",
    kind: ParameterKind::Duration,
    default: "0s",
};

/// A year, as `1y` is read, in seconds.
const YEAR: u64 = 365 * 86_400;

/// To what published ratings are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Round {
    /// Four decimals.
    #[default]
    #[serde(rename = "none")]
    None,
    /// Halves.
    #[serde(rename = "0.5")]
    Halves,
    /// Whole numbers.
    #[serde(rename = "1")]
    Whole,
}

impl Round {
    /// The nearest that is published, on the scale.
    fn of(self, value: f64, scale: Scale) -> f64 {
        let to = |step: f64| scale.clamp((value / step).round() * step);
        match self {
            Self::None => scale.clamp((value * 1e4).round() / 1e4),
            Self::Halves => to(0.5),
            Self::Whole => to(1.0),
        }
    }
}

/// What every method for ratings heeds when it publishes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Publishing {
    pub(super) k: usize,
    pub(super) min_persons: usize,
    pub(super) round: Round,
    /// In seconds; 0 for no times.
    pub(super) time_resolution: u64,
}

impl Publishing {
    /// What is wrong with it.
    pub(super) fn errors(&self) -> Vec<Error> {
        let mut errors = Vec::new();
        if self.min_persons < 1 {
            errors.push(
                Error::parameter("min-persons", "is 0, but must be at least 1")
                    .with_hint("1 publishes what any one person rated; `--min-persons 3` what at least three did"),
            );
        }
        if self.time_resolution > 0 && self.time_resolution < YEAR {
            errors.push(
                Error::parameter("time-resolution", "must be a year, or several: `1y`, `2y`").with_hint(
                    "whoever knows in which week somebody rated a few items finds them; leave it out and no time is published",
                ),
            );
        }
        errors
    }

    fn years(&self) -> i64 {
        ((self.time_resolution + YEAR / 2) / YEAR) as i64
    }

    fn claims(&self) -> Vec<Claim> {
        let mut claims = vec![Claim::new(&k_anonymity::USER, [("k", json!(self.k))])];
        if self.min_persons > 1 {
            claims.push(Claim::new(&content_threshold_ratings::INFO, [("min-persons", json!(self.min_persons))]));
        }
        claims
    }

    /// Publishes groups, each with the record that `choose` makes of its items: what stays of them, with its value. A group of which
    /// nothing stays is left out with its members.
    pub(super) fn publish(
        &self,
        original: &Ratings,
        groups: &Groups,
        choose: impl Fn(&[u32], Vec<Told>) -> Vec<(Told, f64)> + Sync,
        progress: &dyn Progress,
    ) -> Result<Protected<Ratings>> {
        progress.stage("records", groups.members.len() as u64);
        let record = |members: &Vec<u32>| -> Vec<Rating> {
            let told: Vec<Told> = told(original, members)
                .into_iter()
                .filter(|told| original.count_of_item(told.item) >= self.min_persons)
                .collect();
            let rating = |(told, value): (Told, f64)| Rating {
                item: told.item,
                value: self.round.of(value, original.scale()),
                time: told.time().filter(|_| self.time_resolution > 0).map(|at| time::year_start(at, self.years())),
            };
            progress.advance(1);
            choose(members, told).into_iter().map(rating).collect()
        };
        let records: Vec<Vec<Rating>> = groups.members.par_iter().map(record).collect();
        progress.go_on()?;
        let empty = records.iter().filter(|record| record.is_empty()).count();
        if empty == records.len() {
            return Err(Error::refused("nothing could be published: no group has an item that enough of its members rated")
                .with_hint("`--method rating-microaggregation --publish all` publishes what any member rated; `--min-persons` says how many of all must have"));
        }
        let mut number = 0;
        let numbers: Vec<Option<u32>> = records
            .iter()
            .map(|record| {
                let own = (!record.is_empty()).then_some(number);
                number += u32::from(own.is_some());
                own
            })
            .collect();
        let record_of: Vec<Option<u32>> =
            groups.record_of(original.persons()).into_iter().map(|group| numbers[group? as usize]).collect();
        let records: Vec<Vec<Rating>> = records.into_iter().filter(|record| !record.is_empty()).collect();
        let names: Vec<String> = (0..records.len()).map(|record| record.to_string()).collect();
        let names: Strings = names.iter().map(String::as_str).collect();
        let Scale { low, high, .. } = original.scale();
        let values: Vec<f64> = records.iter().flatten().map(|rating| rating.value).collect();
        let scale = Scale::of(&values, Some((low, high)));
        let protected = Protected::new(original.records(names, &records, scale), record_of, self.claims());
        let protected = protected.grouped(groups.grouped);
        Ok(if empty > 0 { protected.counted(GROUPS_EMPTY, empty as u64) } else { protected })
    }
}

/// What the members of a group say of an item.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    pub(super) item: u32,
    /// The members who rated it, with their ratings.
    pub(super) by: Vec<(u32, f64)>,
    times: Vec<i64>,
}

impl Told {
    pub(super) fn sum(&self) -> f64 {
        self.by.iter().map(|(_, value)| value).sum()
    }

    pub(super) fn mean(&self) -> f64 {
        self.sum() / self.by.len() as f64
    }

    /// The middle of the times.
    fn time(&self) -> Option<i64> {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied()
    }
}

/// What the members of a group rated, by item.
pub(super) fn told(ratings: &Ratings, members: &[u32]) -> Vec<Told> {
    let mut all: Vec<(u32, u32, Rating)> = members
        .iter()
        .flat_map(|&member| ratings.timed_of_person(member).map(move |rating| (rating.item, member, rating)))
        .collect();
    all.sort_by_key(|&(item, member, _)| (item, member));
    all.chunk_by(|left, right| left.0 == right.0)
        .map(|same| Told {
            item: same[0].0,
            by: same.iter().map(|(_, member, rating)| (*member, rating.value)).collect(),
            times: same.iter().filter_map(|(_, _, rating)| rating.time).collect(),
        })
        .collect()
}
