//! Absence: somebody knows an item that a person has, and p items that they have not.
//!
//! Paper      Ours; that k^m-anonymity and coherence promise nothing against whoever knows what a person has not is said by Milani Fard
//!            in the thesis of 2010 that docs/promise.md names, section 2.9.
//!
//! # Idea
//! 1. Knowledge: one different item of the target, and p items that they have not, drawn from the leaves that at least one person in
//!    twenty has.
//! 2. A record that shows such an item as a leaf is not the target's. What stands for several items rules nobody out.
//! 3. Among the rest those who hold the known item or a node above it; all of the rest if nobody does; everybody if nobody is left.
//!
//! # Formula
//! A guess among c candidates hits 1/c. Baseline 1/N. Bound 1/k where transaction-k-anonymity is claimed: who looks the same is ruled out
//! together. km-anonymity and coherence count who *has* items, and promise nothing here.
//!
//! # Cost
//! That of known-items, and for each item that the target has not the baskets that show it.

use std::sync::Arc;

use serde_json::json;

use super::candidates::{Candidates, Matched, Union};
use super::known_items::{BasketIndex, different_items};
use super::statistics::Attempt;
use super::{Asked, Attack, AttackInfo, Outcome, Scene, Setting};
use crate::data::Baskets;
use crate::error::Result;
use crate::info::{Info, Need};
use crate::models::k_anonymity::TRANSACTION;
use crate::rng::Rng;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "absence",
        summary: "somebody knows an item that a person has and a few that they have not, and rules out who shows those",
        paper: "ours",
        details: "Knows one item of the target, and p items (--p) that they have not, of those that at least one person in twenty has. A basket that \
            shows such an item, not something above it, is not the target's. Among the rest those who hold the known item or a node \
            above it; a guess among c hits 1/c.\n\
            Baseline 1/N; bound 1/k where transaction-k-anonymity is claimed. km-anonymity and coherence count who has items, and promise \
            nothing against what is known to be absent. Needs the link between persons (--key, or kept ids).",
        parameters: &[],
    },
    who: ["knows one item, and one that is not there", "knows one item, and {} that are not there"],
    needs: &[Need::Link],
    no_promise: "k^m-anonymity and coherence promise nothing against what is known to be absent",
    ..AttackInfo::DEFAULT
};

/// One person in so many must have an item that an attacker may know to be absent.
const ONE_IN: usize = 20;

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Absence;

/// What is known of a target in one draw: an item that they have, if any, and items that they have not.
struct Known {
    has: Option<u32>,
    has_not: Vec<u32>,
}

/// A target with draws for each setting.
struct Target {
    person: u32,
    draws: Vec<Vec<Known>>,
}

impl Attack<Baskets> for Absence {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Baskets>, asked: &Asked) -> Result<Vec<Outcome>> {
        let settings: Vec<Setting> = asked.settings.iter().copied().filter(|one| one.with.is_nothing()).collect();
        let knowing = scene.knowing(|source| Ok(draw(source.original, asked, &settings)))?;
        knowing.looking(|released, _| Ok(BasketIndex::new(released)))?.all(
            Vec::len,
            |index, targets, target, say| {
                let mut union = Union::new(index.multiplicity.len());
                targets[target].draws.iter().flatten().for_each(|known| say(candidates(index, known, &mut union)));
            },
            |truth, index, targets, target, candidates: Candidates| {
                let record = truth.record_of(targets[target].person);
                candidates.attempt(record.and_then(|record| index.record(record)), index.persons)
            },
            |index, _, attempts| {
                let outcome = |(number, setting): (usize, &Setting)| {
                    let draws = |of_person: &Vec<Attempt>| {
                        Attempt::mean(of_person.chunks(asked.draws).nth(number).into_iter().flatten().copied())
                    };
                    let persons: Vec<Attempt> = attempts.iter().map(draws).collect();
                    Outcome::of(&INFO, &persons)
                        .with_baseline((index.persons > 0).then(|| 1.0 / index.persons as f64))
                        .with_bound(asked.one_in_k(TRANSACTION.name))
                        .with_knowledge(json!({"q": 1, "p": setting.p, "with": []}))
                };
                settings.iter().enumerate().map(outcome).collect()
            },
        )
    }
}

fn draw(original: &Baskets, asked: &Asked, settings: &[Setting]) -> Vec<Target> {
    let mut persons_with = vec![0usize; original.item_count()];
    for person in 0..original.persons() {
        different_items(original.basket(person)).into_iter().for_each(|item| persons_with[item as usize] += 1);
    }
    let is_leaf = |item: u32| original.taxonomy().is_none_or(|taxonomy| taxonomy.is_leaf(item));
    let is_frequent = |item: &u32| {
        let with = persons_with[*item as usize];
        with > 0 && with * ONE_IN >= original.persons() && is_leaf(*item)
    };
    let frequent: Vec<u32> = (0..original.item_count() as u32).filter(is_frequent).collect();
    let target = |person: u32| {
        let own = different_items(original.basket(person as usize));
        let absent: Vec<u32> = frequent.iter().copied().filter(|item| own.binary_search(item).is_err()).collect();
        let known = |setting: Setting, rng: &mut Rng| Known {
            has: (!own.is_empty()).then(|| own[rng.index(own.len())]),
            has_not: rng.sample(absent.len(), setting.p).into_iter().map(|at| absent[at as usize]).collect(),
        };
        let draws = |&setting: &Setting| {
            let rng = &mut asked.rng(person, setting);
            (0..asked.draws).map(|_| known(setting, rng)).collect()
        };
        Target { person, draws: settings.iter().map(draws).collect() }
    };
    asked.targets_of(original.persons()).into_iter().map(target).collect()
}

/// Whom the knowledge leads to.
fn candidates(index: &BasketIndex<'_>, known: &Known, union: &mut Union) -> Candidates {
    let shown = known.has_not.iter().filter(|&&item| index.is_leaf(item));
    let mut out = union.of(shown.flat_map(|&item| index.holding(item).iter().copied()), &index.multiplicity).records;
    out.sort_unstable();
    let rest = |records: Vec<u32>| {
        let left = records.into_iter().filter(|record| out.binary_search(record).is_err()).collect();
        Arc::new(Matched::new(left, &index.multiplicity))
    };
    let matched = known.has.map(|item| index.matched(item, union)).unwrap_or_default();
    let singled = rest(matched.records);
    if singled.persons > 0 {
        return Candidates::Singled(singled);
    }
    let left = rest((0..index.multiplicity.len() as u32).collect());
    if left.persons > 0 { Candidates::Left(left) } else { Candidates::Everybody }
}
