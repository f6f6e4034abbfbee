//! Points: somebody knows p times that a person was somewhere, and looks for the records that were there too.
//!
//! Paper      de Montjoye, Hidalgo, Verleysen, Blondel. Unique in the Crowd: The privacy bounds of human mobility. Scientific Reports 3
//!            (2013).
//!
//! # Formula
//! A fact is a cell with a bin of time. p different facts of the target are drawn; candidates are the records that have all of them.
//! `unique` is the share of draws with exactly one candidate, `rate` the mean of 1 / candidates over draws in which the person's record is
//! one of them. Persons with fewer than p facts are left out, and counted.
//!
//! # Readings
//! Ours: where a person's facts can be drawn in no more ways than draws are asked for, each way is one draw, so that nothing is left to chance.
//!
//! # Cost
//! Time O(draws x p x records that have the rarest fact).

use serde_json::json;

use super::super::{Asked, Attack, AttackInfo, Outcome, Scene, Setting};
use super::{Drawn, Fact, Index, Numbering, compared, draws, facts_of, outcomes};
use crate::data::Paths;
use crate::error::Result;
use crate::info::Info;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "points",
        summary: "somebody who knows a few times that a person was somewhere looks for whoever was there too",
        paper: "de Montjoye, Hidalgo, Verleysen, Blondel. Unique in the Crowd: The privacy bounds of human mobility. Scientific Reports 3 (2013)",
        details: "A fact is a cell in which the person was (--cell tile:15, h3:R or place) with the hour or day (--time hour, day or none). \
            The attacker knows p different facts of the target, drawn at random (--draws, 20 of each person; all there are, if they are no \
            more), and the candidates are the records that have all of them. `unique` is the share of draws with exactly one candidate, the \
            rate the mean of 1 / candidates where the person's record is one of them; every person has one voice. Whoever has fewer than p facts \
            is left out of that p, and counted in `left_out`.\n\
            user-k-anonymity(k) promises at most 1 / k. ORIGINAL given twice shows what an attacker achieves today.",
        parameters: &[],
    },
    who: ["knows one place where somebody was", "knows {} places where somebody was"],
    in_reports: true,
    is_exposure: true,
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Points;

/// Who is attacked, and for each p the draws of facts.
struct Known {
    numbering: Numbering,
    targets: Vec<(u32, Vec<Vec<Vec<Fact>>>)>,
}

impl Attack<Paths> for Points {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Paths>, asked: &Asked) -> Result<Vec<Outcome>> {
        let settings = asked.heeded(&INFO);
        let places = asked.places;
        let knowing = scene.knowing(|source| {
            let original = source.original;
            let numbering = Numbering::of(original, places.cell)?;
            let target = |person: u32| {
                let facts = facts_of(original, person as usize, places.time, |point| numbering.before(original, point));
                let of = |&setting: &Setting| {
                    let chosen = draws(facts.len(), setting.p, asked.draws, &mut asked.rng(person, setting));
                    chosen.into_iter().map(|draw| draw.into_iter().map(|at| facts[at as usize]).collect()).collect()
                };
                (person, settings.iter().map(of).collect())
            };
            let targets = asked.targets_of(original.persons()).into_iter().map(target).collect();
            Ok(Known { numbering, targets })
        })?;
        knowing
            .looking(|released, known| {
                let cell = known.numbering.after(released.data);
                let facts = |record: usize| facts_of(released.data, record, places.time, &cell);
                Ok((Index::new(released, facts), released.persons()))
            })?
            .all(
                |known| known.targets.len(),
                |(index, _), known, target, say| {
                    for facts in known.targets[target].1.iter().flatten() {
                        say(index.candidates(facts));
                    }
                },
                |truth, (index, _), known, target, candidates| {
                    Drawn::of(truth, known.targets[target].0, &candidates, &index.multiplicity)
                },
                |(_, persons), known, drawn| {
                    let counts = |target: usize, setting: usize| known.targets[target].1[setting].len();
                    let knowledge =
                        |p: usize| json!({"points": p, "cell": places.cell.to_string(), "time": places.time.name()});
                    let found = outcomes(&INFO, &settings, drawn, counts, knowledge);
                    found.into_iter().map(|outcome| compared(outcome, *persons, asked)).collect()
                },
            )
    }
}
