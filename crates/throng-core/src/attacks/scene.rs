//! The scene of an attack: who may see what, held by types.
//!
//! # Idea
//! An attack is three steps, and each is given only what it may see:
//! 1. [`Scene::knowing`]: what the attacker knows is drawn from the original. What they have found beforehand (the record or the
//!    group of a target, for attacks that assume it) comes from [`Scene::having_found`] alone.
//! 2. [`Knowing::looking`] and the guesses of [`Looking`]: the procedure. It is given that knowledge and what is [`Released`]:
//!    never the key, the original or the numbers of groups.
//! 3. The score, last: whether a guess is right is seen in the [`Truth`], by the link.
//!
//! The scene gives nobody a reference that lives longer than a step, so a procedure cannot hold the original: what a closure
//! returns cannot borrow what it was given.

use rayon::prelude::*;

use super::AttackInfo;
use crate::data::Dataset;
use crate::error::Result;
use crate::info::Need;
use crate::progress::Progress;

/// An original, its release, and whatever else an attack may need; nothing of it can be seen but step by step.
pub struct Scene<'a, D> {
    truth: Truth<'a, D>,
    released: Released<'a, D>,
    progress: &'a dyn Progress,
}

/// What the attacker may see.
#[derive(Debug)]
pub struct Released<'a, D> {
    /// The data as published. A record that several persons share may stand for all of them.
    pub data: &'a D,
    /// For each record how many persons it stands for.
    pub multiplicity: &'a [u32],
    /// Other data of the same kind that the attacker has.
    pub reference: Option<&'a D>,
}

impl<D> Clone for Released<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Released<'_, D> {}

impl<D> Released<'_, D> {
    /// How many persons there are.
    pub fn persons(&self) -> u64 {
        self.multiplicity.iter().map(|&persons| u64::from(persons)).sum()
    }
}

/// Where knowledge is drawn from.
#[derive(Debug)]
pub struct Source<'a, D> {
    /// The data as they were.
    pub original: &'a D,
    /// Persons who are not in the release.
    pub control: Option<&'a D>,
}

/// What decides whether a guess is right, and what an attacker is assumed to have found.
#[derive(Debug)]
pub struct Truth<'a, D> {
    /// The data as they were.
    pub original: &'a D,
    /// Persons who are not in the release.
    pub control: Option<&'a D>,
    /// For each person of the original their record in the release; `None` for one who is not in it.
    pub link: Option<&'a [Option<u32>]>,
    /// Further records of persons who have several pseudonyms, by person: person and record.
    pub further: &'a [(u32, u32)],
    /// For each person of the original their group in this release and in another, where there are two.
    pub groups: Option<&'a [[Option<u32>; 2]]>,
}

impl<D> Clone for Truth<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for Truth<'_, D> {}

impl<D> Truth<'_, D> {
    /// The records of a person: several, if the release gives them several pseudonyms.
    pub fn records_of(&self, person: u32) -> impl Iterator<Item = u32> {
        let start = self.further.partition_point(|&(other, _)| other < person);
        let further = self.further[start..].iter().take_while(move |&&(other, _)| other == person);
        self.record_of(person).into_iter().chain(further.map(|&(_, record)| record))
    }

    /// The record of a person, if they are in the release.
    pub fn record_of(&self, person: u32) -> Option<u32> {
        self.link?.get(person as usize).copied().flatten()
    }
}

impl<'a, D: Dataset> Scene<'a, D> {
    /// An original and its release.
    pub fn new(
        original: &'a D,
        release: &'a D,
        multiplicity: &'a [u32],
        link: Option<&'a [Option<u32>]>,
        progress: &'a dyn Progress,
    ) -> Self {
        Self {
            truth: Truth { original, control: None, link, further: &[], groups: None },
            released: Released { data: release, multiplicity, reference: None },
            progress,
        }
    }

    /// The same with further records of persons who have several pseudonyms: person and record, by person.
    #[must_use]
    pub fn with_further(mut self, further: &'a [(u32, u32)]) -> Self {
        self.truth.further = further;
        self
    }

    /// The same with other data that the attacker has.
    #[must_use]
    pub fn with_reference(mut self, reference: Option<&'a D>) -> Self {
        self.released.reference = reference;
        self
    }

    /// The same with persons who are not in the release.
    #[must_use]
    pub fn with_control(mut self, control: Option<&'a D>) -> Self {
        self.truth.control = control;
        self
    }

    /// The same with the groups of each person of the original, in this release and in another.
    #[must_use]
    pub fn with_groups(mut self, groups: Option<&'a [[Option<u32>; 2]]>) -> Self {
        self.truth.groups = groups;
        self
    }

    /// The first thing that an attack needs and that is not there.
    pub fn lacks(&self, card: &AttackInfo) -> Option<Need> {
        let is_there = |need: Need| match need {
            Need::Link => self.truth.link.is_some(),
            Need::Reference => self.released.reference.is_some(),
            Need::Control => self.truth.control.is_some(),
            Need::HashedWords => self.released.data.has(need),
            Need::OtherRelease => self.truth.groups.is_some(),
            _ => self.truth.original.has(need) && self.released.data.has(need),
        };
        card.needs.iter().copied().find(|&need| !is_there(need))
    }

    /// How many persons may be attacked, and how many are not in the release.
    pub fn persons(&self) -> [usize; 2] {
        [self.truth.original.persons(), self.truth.control.map_or(0, Dataset::persons)]
    }

    /// The first step: what the attacker knows.
    pub fn knowing<K>(&self, draw: impl FnOnce(Source<'_, D>) -> Result<K>) -> Result<Knowing<'a, D, K>> {
        let Truth { original, control, .. } = self.truth;
        Ok(self.with(draw(Source { original, control })?))
    }

    /// The first step of an attacker who is assumed to have found the record or the group of each target.
    pub fn having_found<K>(&self, draw: impl FnOnce(Truth<'_, D>) -> Result<K>) -> Result<Knowing<'a, D, K>> {
        Ok(self.with(draw(self.truth)?))
    }

    /// The first step of an attacker who knows nothing but the release.
    pub fn knowing_nothing(&self) -> Knowing<'a, D, ()> {
        self.with(())
    }

    fn with<K>(&self, knowledge: K) -> Knowing<'a, D, K> {
        Knowing { truth: self.truth, released: self.released, progress: self.progress, knowledge }
    }
}

/// An attacker with knowledge, before they look at the release.
pub struct Knowing<'a, D, K> {
    truth: Truth<'a, D>,
    released: Released<'a, D>,
    progress: &'a dyn Progress,
    knowledge: K,
}

impl<'a, D: Dataset, K> Knowing<'a, D, K> {
    /// The second step: what the attacker makes of the release before they think of anybody, as an index of it.
    pub fn looking<S>(self, look: impl FnOnce(Released<'a, D>, &K) -> Result<S>) -> Result<Looking<'a, D, K, S>> {
        let seen = look(self.released, &self.knowledge)?;
        let Self { truth, progress, knowledge, .. } = self;
        Ok(Looking { truth, progress, knowledge, seen })
    }
}

/// An attacker who has looked at the release.
pub struct Looking<'a, D, K, S> {
    truth: Truth<'a, D>,
    progress: &'a dyn Progress,
    knowledge: K,
    seen: S,
}

impl<D: Dataset, K: Sync, S: Sync> Looking<'_, D, K, S> {
    /// One guess about everything, and its score.
    pub fn once<G, R>(
        self,
        guess: impl FnOnce(&S, &K) -> Result<G>,
        score: impl FnOnce(Truth<'_, D>, &S, &K, G) -> R,
    ) -> Result<R> {
        let guess = guess(&self.seen, &self.knowledge)?;
        self.progress.go_on()?;
        Ok(score(self.truth, &self.seen, &self.knowledge, guess))
    }

    /// Guesses about some targets, side by side. The procedure says as many guesses about each as it likes; each is scored as it is
    /// said. The scores of each target, in that order, become the result.
    pub fn all<G, R: Send, T>(
        self,
        count: impl FnOnce(&K) -> usize,
        guess: impl Fn(&S, &K, usize, &mut dyn FnMut(G)) + Sync,
        score: impl Fn(Truth<'_, D>, &S, &K, usize, G) -> R + Sync,
        result: impl FnOnce(&S, &K, &[Vec<R>]) -> T,
    ) -> Result<T> {
        let attack = |target: usize| -> Vec<R> {
            let mut scores = Vec::new();
            if !self.progress.is_stopped() {
                let say = &mut |said: G| scores.push(score(self.truth, &self.seen, &self.knowledge, target, said));
                guess(&self.seen, &self.knowledge, target, say);
                self.progress.advance(1);
            }
            scores
        };
        let scores: Vec<Vec<R>> = (0..count(&self.knowledge)).into_par_iter().map(attack).collect();
        self.progress.go_on()?;
        Ok(result(&self.seen, &self.knowledge, &scores))
    }
}
