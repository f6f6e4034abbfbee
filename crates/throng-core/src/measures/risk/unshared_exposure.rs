//! Unshared exposure: how much of a visitor's lines their record shows with paths that few of their group have.
//!
//! Paper      Ours.
//!
//! # Formula
//! A group is all visitors with the same record. For each of its g members: the sum over the record's paths that fewer than min(3, g) members have,
//! of min(the member's lines with it, the record's lines with it), over the member's lines. Who has a path that a pattern covers has the pattern.
//! The value is the mean over visitors; `above` the share of those for whom it is above 1/k.
//!
//! # Cost
//! Time O(l log l) for l lines, and for each pattern of a record one look at the different paths of its members.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde_json::json;

use super::super::utility::visits::paths_of;
use super::super::{Context, Measure, MeasureInfo, Measured, Pair, mean, over_persons};
use crate::data::Visits;
use crate::data::visits::pattern::{covers, is_pattern};
use crate::error::Result;
use crate::info::{Info, Need};
use crate::models::k_anonymity::EqualRecords as _;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "unshared-exposure",
        summary: "share of a visitor's lines that their record shows with paths that few of their group have",
        paper: "Ours: the cap that `kindred` keeps for access logs, measured",
        details: "Visitors with the same record are a group. For every member the lines of paths that fewer than min(3, size) members have are added up, each path as often as both \
            the member and the record have it, and divided by the member's lines. A pattern is had by everybody who has a path that it covers. The value is the mean over \
            visitors; parts.above is the share of visitors above 1/k, which is 0 for releases of `kindred`.\n\
            Pages that many share say nothing of one, so this says more of what a record tells than `profile-exposure-level`. Needs the link between visitors (--key).",
        parameters: &[],
    },
    unit: "of 1",
    better: "lower",
    undefined: "nobody is in the release",
    needs: &[Need::Link],
    ..MeasureInfo::DEFAULT
};

/// A path that fewer members have is not shared, unless a group is smaller.
const FEW: usize = 3;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct UnsharedExposure;

impl Measure<Visits> for UnsharedExposure {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Visits>, context: &Context<'_>) -> Result<Measured> {
        let groups = pair.release.groups();
        let mut group_of = vec![0; pair.release.persons()];
        for (group, persons) in groups.iter().enumerate() {
            persons.iter().for_each(|&person| group_of[person as usize] = group);
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
        pair.linked().iter().for_each(|&(own, released)| members[group_of[released]].push(own));
        let of_group = |(members, persons): (&Vec<usize>, &Vec<u32>)| {
            let record = persons.first().map(|&person| paths_of(pair.release, person as usize)).unwrap_or_default();
            exposed(pair.original, members, &record)
        };
        let found: Vec<Vec<u64>> = members.par_iter().zip(&groups).map(of_group).collect();
        let (mut shares, mut above) = (Vec::new(), 0usize);
        for (&person, &exposed) in members.iter().flatten().zip(found.iter().flatten()) {
            let lines = pair.original.range(person).len().max(1);
            let share = exposed as f64 / lines as f64;
            above += usize::from(exposed * context.k as u64 > lines as u64);
            shares.push(share);
        }
        let percent: Vec<f64> = shares.iter().map(|share| 100.0 * share).collect();
        let mut parts = over_persons(&percent, shares.len(), context.shared_by);
        parts["cap"] = json!(1.0 / context.k as f64);
        parts["above"] = json!(above as f64 / shares.len().max(1) as f64);
        Ok(self.measured(mean(&shares), parts))
    }
}

/// For each member of a group how many lines a record shows of theirs with paths that few have.
fn exposed(visits: &Visits, members: &[usize], record: &BTreeMap<&str, u64>) -> Vec<u64> {
    let own: Vec<BTreeMap<&str, u64>> = members.iter().map(|&member| paths_of(visits, member)).collect();
    let mut exposed = vec![0; members.len()];
    for (text, &count) in record {
        let lines = |own: &BTreeMap<&str, u64>| -> u64 {
            match is_pattern(text) || text.contains("%2A") {
                true => own.iter().filter(|(path, _)| covers(text, path)).map(|(_, &count)| count).sum(),
                false => own.get(text).copied().unwrap_or(0),
            }
        };
        let lines: Vec<u64> = own.iter().map(lines).collect();
        if lines.iter().filter(|&&count| count > 0).count() < FEW.min(members.len()) {
            exposed.iter_mut().zip(&lines).for_each(|(sum, &lines)| *sum += lines.min(count));
        }
    }
    exposed
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::CONTEXT;
    use super::*;
    use crate::data::VisitsBuilder;
    use crate::data::visits::{Part, Visit};

    fn log(lines: &[(usize, &[&str])]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for &(who, paths) in lines {
            for path in paths {
                let mut visit = Visit::default();
                visit.texts[Part::Path as usize] = Some(path);
                builder.push(&who.to_string(), &visit, 1);
            }
        }
        builder.finish().0
    }

    #[test]
    fn by_hand() {
        let original = log(&[
            (0, &["/", "/own", "/own", "/own"]),
            (1, &["/", "/user/1"]),
            (2, &["/", "/user/2", "/x"]),
            (3, &["/", "/else"]),
            (4, &["/", "/else"]),
        ]);
        // The first three share a record: / is shared; of /own the record has two; the pattern covers lines of two of three; the last two
        // are two, and both have /else.
        let first: &[&str] = &["/", "/own", "/own", "/user/*"];
        let release = log(&[(0, first), (1, first), (2, first), (3, &["/else"]), (4, &["/else"])]);
        let link = Some((0..5).map(Some).collect());
        let pair = Pair { original: &original, release: &release, multiplicity: vec![1; 5], link };
        let found = UnsharedExposure.measure(&pair, &CONTEXT).unwrap();
        let expected = (2.0 / 4.0 + 1.0 / 2.0 + 1.0 / 3.0 + 0.0 + 0.0) / 5.0;
        assert!((found.value.unwrap() - expected).abs() < 1e-12);
        // With k = 2 nobody is above one half.
        assert_eq!((&found.parts["above"], &found.parts["cap"]), (&json!(0.0), &json!(0.5)));
    }
}
