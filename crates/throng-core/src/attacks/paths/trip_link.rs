//! Trip link: somebody knows where a person was in the first half of the days, and looks for their record in the second half.
//!
//! Paper      Ours, after De Mulder, Danezis, Batina, Preneel. Identification via location-profiling in GSM networks. WPES 2008.
//!
//! # Formula
//! The days of the original, from the first to the last, are cut in the middle; of an odd number, the middle day is in the second half.
//! Of the target the shares of points in cells in the first half are known, a(c); of each record the same in the second half, b(c). The
//! record with the greatest sum over cells of sqrt(a(c) b(c)) is taken; equal ones share; where nothing is in common with anybody, it is one
//! of all that have points there. Whoever has no points in one of the halves is left out.
//!
//! # Cost
//! For each target the records that share a cell with them, once a cell.

use std::collections::BTreeMap;

use serde_json::json;

use super::super::{Asked, Attack, AttackInfo, Outcome, Scene};
use super::{Drawn, Numbering, compared, outcome};
use crate::data::Paths;
use crate::data::time::HOUR;
use crate::error::Result;
use crate::info::Info;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "trip-link",
        summary: "somebody who knows where a person was in the first half of the days looks for them in the second half",
        paper: "Ours, after De Mulder, Danezis, Batina, Preneel. Identification via location-profiling in GSM networks. WPES 2008",
        details: "Of the target it is known how often they were in which cell (--cell, tile:15) in the first half of the days. The record with the \
            most alike shares of cells in the second half is taken, by the sum of the roots of their products; equal ones share, and where \
            nobody has anything in common, it is any of those who have points there. Whoever has no points in one of the halves is left out, \
            and counted in `left_out`.\n\
            user-k-anonymity(k) promises at most 1 / k.",
        parameters: &[],
    },
    who: ["knows the first half of the days", "knows the first half of the days"],
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct TripLink;

/// The roots of the shares of points in each cell.
type Shares = Vec<(u64, f64)>;

/// Sums that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// The first day of the second half.
fn middle(original: &Paths) -> i64 {
    let (first, last) = original.time_span().unwrap_or_default();
    let [first, last] = [first, last].map(|time| time.div_euclid(24 * HOUR));
    first + (last - first + 1) / 2
}

/// The shares of the points of a person on some days.
fn shares_of(
    paths: &Paths,
    person: usize,
    is_meant: impl Fn(i64) -> bool,
    cell: impl Fn(usize) -> Option<u64>,
) -> Shares {
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    let meant = paths.range(person).filter(|&point| is_meant(paths.time(point).div_euclid(24 * HOUR)));
    meant.filter_map(cell).for_each(|cell| *counts.entry(cell).or_default() += 1);
    let all = f64::from(counts.values().sum::<u32>());
    counts.into_iter().map(|(cell, count)| (cell, (f64::from(count) / all).sqrt())).collect()
}

/// What is known: the halves, and of each target the first; nothing of whoever has only one.
struct Known {
    numbering: Numbering,
    middle: i64,
    targets: Vec<(u32, Shares)>,
}

/// The second halves of records, by cells.
struct Seen {
    /// Cells with the records that have them.
    entries: Vec<(u64, u32, f64)>,
    /// Records with points there.
    present: Vec<u32>,
    multiplicity: Vec<u32>,
    persons: u64,
}

impl Seen {
    fn candidates(&self, known: &Shares) -> Vec<u32> {
        let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
        for &(cell, root) in known {
            let start = self.entries.partition_point(|entry| entry.0 < cell);
            for &(_, record, other) in self.entries[start..].iter().take_while(|entry| entry.0 == cell) {
                *sums.entry(record).or_default() += root * other;
            }
        }
        let most = sums.values().copied().fold(0.0, f64::max);
        if most == 0.0 {
            return self.present.clone();
        }
        sums.into_iter().filter(|(_, sum)| *sum >= most - EQUAL).map(|(record, _)| record).collect()
    }
}

impl Attack<Paths> for TripLink {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Paths>, asked: &Asked) -> Result<Vec<Outcome>> {
        let cells = asked.places.cell;
        let knowing = scene.knowing(|source| {
            let original = source.original;
            let numbering = Numbering::of(original, cells)?;
            let middle = middle(original);
            let known = |person: u32| {
                let half = |is_first: bool| {
                    let is_meant = |day: i64| (day < middle) == is_first;
                    shares_of(original, person as usize, is_meant, |point| numbering.before(original, point))
                };
                let is_in_both = !half(false).is_empty();
                (person, if is_in_both { half(true) } else { Vec::new() })
            };
            let targets = asked.targets_of(original.persons()).into_iter().map(known).collect();
            Ok(Known { numbering, middle, targets })
        })?;
        knowing
            .looking(|released, known| {
                let cell = known.numbering.after(released.data);
                let (mut entries, mut present) = (Vec::new(), Vec::new());
                for record in 0..released.data.persons() {
                    let shares = shares_of(released.data, record, |day| day >= known.middle, &cell);
                    present.extend((!shares.is_empty()).then_some(record as u32));
                    entries.extend(shares.into_iter().map(|(cell, root)| (cell, record as u32, root)));
                }
                entries.sort_unstable_by_key(|&(cell, record, _)| (cell, record));
                let multiplicity = released.multiplicity.to_vec();
                Ok(Seen { entries, present, multiplicity, persons: released.persons() })
            })?
            .all(
                |known| known.targets.len(),
                |seen, known, target, say| {
                    let shares = &known.targets[target].1;
                    if !shares.is_empty() {
                        say(seen.candidates(shares));
                    }
                },
                |truth, seen, known, target, candidates| {
                    Drawn::of(truth, known.targets[target].0, &candidates, &seen.multiplicity)
                },
                |seen, _, drawn| {
                    let known: Vec<&[Drawn]> = drawn.iter().filter(|own| !own.is_empty()).map(Vec::as_slice).collect();
                    let knowledge = json!({"days": "first half", "cell": cells.to_string()});
                    vec![compared(outcome(&INFO, &known, drawn.len() - known.len(), knowledge), seen.persons, asked)]
                },
            )
    }
}
