//! Facts that an attacker knows of persons: drawn from the original by a seeded rule, or given; and what comes of it.
//!
//! Shared by all attacks that know something of a target and look for their record.

use std::collections::BTreeMap;

use serde_json::json;

use super::candidates::Candidates;
use super::statistics::{Attempt, Outcome};
use super::{Asked, AttackInfo, Given, GivenFact, Setting, With, knowledge};
use crate::rng::Rng;

/// Who is attacked, and what is known of each.
pub(super) struct Known<F> {
    /// One outcome each.
    pub(super) runs: Vec<Run>,
    pub(super) targets: Vec<Target<F>>,
}

/// How much is known in all draws of an outcome.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// `None` where knowledge was given.
    pub(super) setting: Option<Setting>,
    pub(super) with: With,
    /// How many facts, at most.
    pub(super) p: usize,
}

/// A target, and for each run some draws of facts.
pub(super) struct Target<F> {
    pub(super) person: u32,
    pub(super) draws: Vec<Vec<Vec<F>>>,
}

impl<F> Target<F> {
    /// All draws of all runs, one after the other.
    pub(super) fn all_draws(&self) -> impl Iterator<Item = &[F]> {
        self.draws.iter().flatten().map(Vec::as_slice)
    }
}

impl<F> Known<F> {
    /// How many facts are known on average, to one decimal place, where some targets have fewer than asked for.
    fn fewer_than_asked(&self, number: usize, run: &Run) -> Option<f64> {
        run.setting?;
        let known = |target: &Target<F>| target.draws[number].first().map_or(0, Vec::len);
        let is_fewer = self.targets.iter().any(|target| known(target) < run.p);
        let mean = self.targets.iter().map(known).sum::<usize>() as f64 / self.targets.len().max(1) as f64;
        is_fewer.then(|| (10.0 * mean).round() / 10.0)
    }
}

/// Draws facts of targets. One fact is no sample: every different fact of the target is a draw of its own. Several are drawn
/// uniformly among the different ones, as often as asked; all of them where there are no more.
pub(super) fn drawn<F>(
    asked: &Asked,
    settings: &[Setting],
    persons: usize,
    different: impl Fn(u32) -> Vec<u32>,
    mut fact: impl FnMut(u32, u32, With, &mut Rng) -> F,
) -> Known<F> {
    let run = |&setting: &Setting| Run { setting: Some(setting), with: setting.with, p: setting.p };
    let mut target = |person: u32| {
        let different = different(person);
        let mut draws_of = |&setting: &Setting| -> Vec<Vec<F>> {
            let rng = &mut asked.rng(person, setting);
            let mut facts = |chosen: &[u32], rng: &mut Rng| -> Vec<F> {
                chosen.iter().map(|&at| fact(person, different[at as usize], setting.with, rng)).collect()
            };
            let count = different.len() as u32;
            if setting.p == 1 && count > 0 {
                return (0..count).map(|at| facts(&[at], rng)).collect();
            }
            // Draws of all there is are alike, unless something is drawn beside.
            let is_all = different.len() <= setting.p && setting.with.is_nothing();
            let draws = if is_all || count == 0 { 1 } else { asked.draws };
            let draw = |_| {
                let chosen = rng.sample(different.len(), setting.p);
                facts(&chosen, rng)
            };
            (0..draws).map(draw).collect()
        };
        Target { person, draws: settings.iter().map(&mut draws_of).collect() }
    };
    let targets = asked.targets_of(persons).into_iter().map(&mut target).collect();
    Known { runs: settings.iter().map(run).collect(), targets }
}

/// Facts that are given: all their persons are attacked, several lines of a person are several draws.
pub(super) fn given<F>(given: &Given, mut fact: impl FnMut(&GivenFact) -> F) -> Known<F> {
    let mut draws_of: BTreeMap<u32, Vec<Vec<F>>> = BTreeMap::new();
    for (person, facts) in &given.draws {
        draws_of.entry(*person).or_default().push(facts.iter().map(&mut fact).collect());
    }
    let p = given.draws.iter().map(|(_, facts)| facts.len()).max().unwrap_or(0);
    let targets = draws_of.into_iter().map(|(person, draws)| Target { person, draws: vec![draws] }).collect();
    Known { runs: vec![Run { setting: None, with: given.with, p }], targets }
}

/// Two guesses from one draw: those whom the facts lead to best, and those who have all of them to the letter.
pub(super) struct Guess {
    pub(super) best: Candidates,
    pub(super) exact: Candidates,
}

impl Guess {
    /// What both achieve.
    pub(super) fn attempts(&self, record: Option<u32>, persons: u64) -> [Attempt; 2] {
        [&self.best, &self.exact].map(|candidates| candidates.attempt(record, persons))
    }

    /// What both achieve on a target who has several records: each of them is a hit.
    pub(super) fn attempts_on(&self, records: impl Iterator<Item = u32>, persons: u64) -> [Attempt; 2] {
        records.fold([Attempt::default(); 2], |sums, record| {
            let own = self.attempts(Some(record), persons);
            [0, 1].map(|at| Attempt { hit: sums[at].hit + own[at].hit, found: sums[at].found.max(own[at].found) })
        })
    }
}

/// The outcomes of attempts on all targets, the draws of each in the order of [`Target::all_draws`], in a release of so many persons.
pub(super) fn outcomes<F>(
    card: &AttackInfo,
    known: &Known<F>,
    attempts: &[Vec<[Attempt; 2]>],
    persons: u64,
    bound: impl Fn(&Run) -> Option<f64>,
) -> Vec<Outcome> {
    let mut starts = vec![0; known.targets.len()];
    let outcome = |(number, run): (usize, &Run)| {
        let mut of_persons = [Vec::new(), Vec::new()];
        for (at, target) in known.targets.iter().enumerate() {
            let end = starts[at] + target.draws[number].len();
            let draws = &attempts[at][starts[at]..end];
            for (attacker, of_persons) in of_persons.iter_mut().enumerate() {
                of_persons.push(Attempt::mean(draws.iter().map(|draw| draw[attacker])));
            }
            starts[at] = end;
        }
        let mut knowledge = knowledge(run.setting, run.with);
        if let Some(mean) = known.fewer_than_asked(number, run) {
            knowledge["known_mean"] = json!(mean);
        }
        let [best, exact] = of_persons.map(|of_persons| Outcome::of(card, &of_persons));
        best.with_baseline((persons > 0).then(|| 1.0 / persons as f64))
            .with_bound(bound(run))
            .with_knowledge(knowledge)
            .with_parts(json!({"exact": {"rate": exact.rate, "found": exact.found}}))
    };
    known.runs.iter().enumerate().map(outcome).collect()
}
