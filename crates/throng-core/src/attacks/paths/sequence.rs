//! Sequence: somebody knows p cells through which a person went one after the other, and no time.
//!
//! Paper      Ours; after Terrovitis, Mamoulis. Privacy preservation in the publication of trajectories. MDM 2008.
//!
//! # Formula
//! A person's cells in the order of their points, repeated ones merged; p in a row are drawn, from any place of them. Candidates are the
//! records that have these p in a row. Whoever has fewer than p is left out.
//!
//! # Readings
//! Ours: where there are no more places to begin than draws are asked for, each is one draw.
//!
//! # Cost
//! Time O(points x p) for each p.

use std::collections::HashMap;

use serde_json::json;

use super::super::{Asked, Attack, AttackInfo, Outcome, Scene, Setting};
use super::{Drawn, Index, Numbering, compared, draws, outcomes};
use crate::data::Paths;
use crate::error::Result;
use crate::info::Info;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "sequence",
        summary: "somebody who knows a few cells that a person went through in a row looks for whoever did so too",
        paper: "Ours, after Terrovitis, Mamoulis. Privacy preservation in the publication of trajectories. MDM 2008",
        details: "The attacker knows p cells (--cell, tile:15) in a row of the target, repeated ones merged, and no time: drawn from any place of \
            their path (--draws, 20 of each person; all there are, if they are no more). Candidates are the records that have these p in a row. \
            `unique` is the share of draws with exactly one candidate; the rate the mean of 1 / candidates where the person's record is one of \
            them. Whoever has fewer than p cells is left out, and counted in `left_out`.\n\
            user-k-anonymity(k) promises at most 1 / k.",
        parameters: &[],
    },
    who: ["knows one place", "knows {} places in a row"],
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Sequence;

/// The cells of a person in order, repeated ones merged.
fn cells_of(paths: &Paths, person: usize, cell: impl Fn(usize) -> Option<u64>) -> Vec<u64> {
    let mut cells: Vec<u64> = paths.range(person).filter_map(cell).collect();
    cells.dedup();
    cells
}

/// Who is attacked, and for each p the runs of cells that are known, by their numbers.
struct Known {
    numbering: Numbering,
    targets: Vec<(u32, Vec<Vec<u32>>)>,
    runs: HashMap<Vec<u64>, u32>,
}

impl Attack<Paths> for Sequence {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Paths>, asked: &Asked) -> Result<Vec<Outcome>> {
        let settings = asked.heeded(&INFO);
        let cells = asked.places.cell;
        let knowing = scene.knowing(|source| {
            let original = source.original;
            let numbering = Numbering::of(original, cells)?;
            let mut runs: HashMap<Vec<u64>, u32> = HashMap::new();
            let mut target = |person: u32| {
                let own = cells_of(original, person as usize, |point| numbering.before(original, point));
                let mut of = |&setting: &Setting| {
                    let starts = (own.len() + 1).saturating_sub(setting.p);
                    let chosen = draws(starts, 1, asked.draws, &mut asked.rng(person, setting));
                    let mut number = |start: usize| {
                        let next = runs.len() as u32;
                        *runs.entry(own[start..start + setting.p].to_vec()).or_insert(next)
                    };
                    chosen.into_iter().map(|draw| number(draw[0] as usize)).collect()
                };
                (person, settings.iter().map(&mut of).collect())
            };
            let targets = asked.targets_of(original.persons()).into_iter().map(&mut target).collect();
            Ok(Known { numbering, targets, runs })
        })?;
        knowing
            .looking(|released, known| {
                let cell = known.numbering.after(released.data);
                let own = |record: usize| {
                    let cells = cells_of(released.data, record, &cell);
                    let known_runs = |setting: &Setting| {
                        let found: Vec<u32> =
                            cells.windows(setting.p).filter_map(|run| known.runs.get(run).copied()).collect();
                        found
                    };
                    settings.iter().flat_map(known_runs).collect()
                };
                Ok((Index::new(released, own), released.persons()))
            })?
            .all(
                |known| known.targets.len(),
                |(index, _), known, target, say| {
                    for &run in known.targets[target].1.iter().flatten() {
                        say(index.candidates(&[run]));
                    }
                },
                |truth, (index, _), known, target, candidates| {
                    Drawn::of(truth, known.targets[target].0, &candidates, &index.multiplicity)
                },
                |(_, persons), known, drawn| {
                    let counts = |target: usize, setting: usize| known.targets[target].1[setting].len();
                    let knowledge = |p: usize| json!({"cells": p, "cell": cells.to_string()});
                    let found = outcomes(&INFO, &settings, drawn, counts, knowledge);
                    found.into_iter().map(|outcome| compared(outcome, *persons, asked)).collect()
                },
            )
    }
}
