//! Home and work: somebody knows the two cells in which a person was most, at night and by day.
//!
//! Paper      Golle, Partridge. On the Anonymity of Home/Work Location Pairs. Pervasive 2009.
//!
//! # Formula
//! Home is the cell with most points of the person from 20 to 8 o'clock, work that from 8 to 20 o'clock, the smaller cell where several have as
//! many. Candidates are the records with the same home and work. Whoever has no point in one of the halves of the day is left out.
//!
//! # Cost
//! Time O(points).

use std::collections::BTreeMap;

use serde_json::json;

use super::super::{Asked, Attack, AttackInfo, Outcome, Scene};
use super::{Drawn, Index, Numbering, compared, outcome};
use crate::data::Paths;
use crate::data::time::HOUR;
use crate::error::Result;
use crate::info::Info;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "home-work",
        summary: "somebody who knows where a person is most at night and by day looks for whoever is too",
        paper: "Golle, Partridge. On the Anonymity of Home/Work Location Pairs. Pervasive 2009",
        details: "Home is the cell (--cell, tile:15) with most of the person's points from 20 to 8 o'clock, work the one from 8 to 20 o'clock, as \
            the times of the file have it. Candidates are the records with the same two. `unique` is the share of persons with exactly one \
            candidate; the rate the mean of 1 / candidates where the person's record is one of them. Whoever has no points in one half of the day \
            is left out, and counted in `left_out`.\n\
            user-k-anonymity(k) promises at most 1 / k.",
        parameters: &[],
    },
    who: ["knows where somebody lives and works", "knows where somebody lives and works"],
    in_reports: true,
    is_exposure: true,
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct HomeWork;

/// The cells of home and work.
fn home_and_work(paths: &Paths, person: usize, cell: impl Fn(usize) -> Option<u64>) -> Option<[u64; 2]> {
    let mut counts = [BTreeMap::new(), BTreeMap::new()];
    for point in paths.range(person) {
        let hour = paths.time(point).div_euclid(HOUR).rem_euclid(24);
        if let Some(cell) = cell(point) {
            *counts[usize::from((8..20).contains(&hour))].entry(cell).or_insert(0_u32) += 1;
        }
    }
    // The first of equals in rising order: the smaller cell.
    let most =
        |counts: &BTreeMap<u64, u32>| counts.iter().rev().max_by_key(|(_, count)| **count).map(|(cell, _)| *cell);
    Some([most(&counts[0])?, most(&counts[1])?])
}

impl Attack<Paths> for HomeWork {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Paths>, asked: &Asked) -> Result<Vec<Outcome>> {
        let cells = asked.places.cell;
        let knowing = scene.knowing(|source| {
            let original = source.original;
            let numbering = Numbering::of(original, cells)?;
            let known = |person: u32| {
                (person, home_and_work(original, person as usize, |point| numbering.before(original, point)))
            };
            let targets: Vec<(u32, Option<[u64; 2]>)> =
                asked.targets_of(original.persons()).into_iter().map(known).collect();
            Ok((numbering, targets))
        })?;
        knowing
            .looking(|released, (numbering, _)| {
                let cell = numbering.after(released.data);
                let own = |record: usize| home_and_work(released.data, record, &cell).into_iter().collect();
                Ok((Index::new(released, own), released.persons()))
            })?
            .all(
                |(_, targets)| targets.len(),
                |(index, _), (_, targets), target, say| {
                    if let Some(known) = targets[target].1 {
                        say(index.candidates(&[known]));
                    }
                },
                |truth, (index, _), (_, targets), target, candidates| {
                    Drawn::of(truth, targets[target].0, &candidates, &index.multiplicity)
                },
                |(_, persons), _, drawn| {
                    let known: Vec<&[Drawn]> = drawn.iter().filter(|own| !own.is_empty()).map(Vec::as_slice).collect();
                    let knowledge = json!({"places": ["home", "work"], "cell": cells.to_string()});
                    vec![compared(outcome(&INFO, &known, drawn.len() - known.len(), knowledge), *persons, asked)]
                },
            )
    }
}
