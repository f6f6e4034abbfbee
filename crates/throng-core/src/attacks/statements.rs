//! Statements that a record makes of its persons, and of how many they are true.
//!
//! # Idea
//! 1. A crowd is what an attacker cannot tell apart: some places of a release. It makes statements, numbered in any way.
//! 2. Each different statement is looked up once: of whom is it true? Then every crowd that makes it is judged.
//!
//! # Cost
//! One list of persons at a time for each thread; for each crowd that makes a statement a look at its members.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;
use rayon::prelude::*;
use serde_json::json;

use super::candidates::Holders;
use super::{Asked, AttackInfo, Outcome, Truth};
use crate::data::string_words::StringWords;
use crate::data::{Baskets, Dataset, Interner, QueryLog};
use crate::taxonomy::Taxonomy;
use crate::text::{lower_words, lowered, written_words};

/// A target, and their record in the release, if they have one.
pub(super) struct Found {
    pub(super) person: u32,
    pub(super) record: Option<u32>,
}

impl Found {
    /// All targets.
    pub(super) fn all<D: Dataset>(truth: Truth<'_, D>, asked: &Asked) -> Vec<Self> {
        let found = |person: u32| Self { person, record: truth.record_of(person) };
        asked.targets_of(truth.original.persons()).into_iter().map(found).collect()
    }
}

/// What was found, and believed.
pub(super) struct Guess {
    pub(super) crowds: Crowds,
    /// The crowd of each target; `None` for one who is not in the release.
    pub(super) crowd_of: Vec<Option<usize>>,
    /// The crowd to which each person of the control is led, if there is one; `None` for one who is led to nobody.
    pub(super) led: Option<Vec<Option<usize>>>,
}

/// Different crowds: places that the attacker cannot tell apart, and what is said there.
#[derive(Default)]
pub(super) struct Crowds {
    number_of: HashMap<Vec<u32>, usize, foldhash::fast::FixedState>,
    all: Vec<Crowd>,
}

struct Crowd {
    places: Vec<u32>,
    /// What is said of its members, each once.
    statements: Vec<u32>,
    /// Persons of the original: known to nobody before the score.
    members: Vec<u32>,
}

impl Crowds {
    /// The number of the crowd at some places, and what it says if it is new.
    pub(super) fn add(&mut self, places: Vec<u32>, statements: impl FnOnce(&[u32]) -> Vec<u32>) -> usize {
        if let Some(&number) = self.number_of.get(&places) {
            return number;
        }
        let statements = statements(&places);
        self.number_of.insert(places.clone(), self.all.len());
        self.all.push(Crowd { places, statements, members: Vec::new() });
        self.all.len() - 1
    }

    /// Says who the members of each crowd are: those whose record is at one of its places.
    pub(super) fn fill<D: Dataset>(&mut self, truth: Truth<'_, D>, place: impl Fn(u32) -> Option<u32>) {
        let mut crowds_at: HashMap<u32, Vec<usize>, foldhash::fast::FixedState> = HashMap::default();
        for (number, crowd) in self.all.iter().enumerate() {
            crowd.places.iter().for_each(|&place| crowds_at.entry(place).or_default().push(number));
        }
        for person in 0..truth.original.persons() as u32 {
            let crowds = truth.record_of(person).and_then(&place).and_then(|place| crowds_at.get(&place));
            crowds.into_iter().flatten().for_each(|&crowd| self.all[crowd].members.push(person));
        }
    }
}

/// What became of all statements.
pub(super) struct Score {
    attempts: u64,
    hits: f64,
    baseline: Option<f64>,
    control: Option<f64>,
    silent: u64,
    statements: u64,
    of_all: u64,
    of_one: u64,
    of_none: u64,
}

/// What a statement says of the crowds that make it.
struct Judged {
    /// The share of all persons of whom it is true.
    share: f64,
    /// For each crowd that makes it: of which targets it is true, of which persons of the control, and of how many members.
    crowds: Vec<(usize, Vec<usize>, Vec<usize>, usize)>,
}

impl Score {
    /// Judges all statements: of whom each is true, among so many persons and among those of the control.
    pub(super) fn of(
        guess: &Guess,
        found: &[Found],
        others: &[u32],
        persons: usize,
        sayers: impl Fn(u32) -> Vec<u32> + Sync,
        of_others: impl Fn(u32) -> Vec<u32> + Sync,
    ) -> Self {
        let crowds = &guess.crowds.all;
        let mut made_by: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, crowd) in crowds.iter().enumerate() {
            crowd.statements.iter().for_each(|&statement| made_by.entry(statement).or_default().push(number));
        }
        let (mut targets_of, mut others_of) = (vec![Vec::new(); crowds.len()], vec![Vec::new(); crowds.len()]);
        let led = guess.led.as_deref().unwrap_or_default();
        for (targets_of, crowd_of) in [(&mut targets_of, guess.crowd_of.as_slice()), (&mut others_of, led)] {
            for (target, crowd) in crowd_of.iter().enumerate() {
                crowd.iter().for_each(|&crowd| targets_of[crowd].push(target));
            }
        }
        let made_by: Vec<(u32, Vec<usize>)> = made_by.into_iter().collect();
        let judge = |(statement, made_by): &(u32, Vec<usize>)| {
            let true_of = sayers(*statement);
            let is_led = made_by.iter().any(|&crowd| !others_of[crowd].is_empty());
            let true_of_others = if is_led { of_others(*statement) } else { Vec::new() };
            let has = |true_of: &[u32], person: u32| true_of.binary_search(&person).is_ok();
            let crowd = |&crowd: &usize| {
                let targets = targets_of[crowd].iter().copied().filter(|&target| has(&true_of, found[target].person));
                let led = others_of[crowd].iter().copied().filter(|&other| has(&true_of_others, others[other]));
                let members = crowds[crowd].members.iter().filter(|&&member| has(&true_of, member)).count();
                (crowd, targets.collect(), led.collect(), members)
            };
            Judged { share: true_of.len() as f64 / persons as f64, crowds: made_by.iter().map(crowd).collect() }
        };
        let judged: Vec<Judged> = made_by.par_iter().map(judge).collect();

        let (mut trues, mut trues_of_others) = (vec![0u64; found.len()], vec![0u64; others.len()]);
        let mut shares = vec![0.0; crowds.len()];
        let (mut statements, mut of_all, mut of_one, mut of_none) = (0, 0, 0, 0);
        for Judged { share, crowds: made_by } in judged {
            for (crowd, targets, led, members) in made_by {
                targets.iter().for_each(|&target| trues[target] += 1);
                led.iter().for_each(|&other| trues_of_others[other] += 1);
                shares[crowd] += share;
                // A record to which only others are led has no target to speak of.
                if !targets_of[crowd].is_empty() {
                    statements += 1;
                    of_all += u64::from(members == crowds[crowd].members.len());
                    of_one += u64::from(members == 1);
                    of_none += u64::from(members == 0);
                }
            }
        }
        let said = |crowd: usize| crowds[crowd].statements.len() as f64;
        let (mut attempts, mut hits, mut silent, mut shares_of_targets, mut heard) = (0, 0.0, 0, 0.0, 0u64);
        for (target, crowd) in guess.crowd_of.iter().enumerate() {
            match *crowd {
                Some(crowd) if crowds[crowd].statements.is_empty() => silent += 1,
                Some(crowd) => {
                    attempts += 1;
                    heard += 1;
                    hits += trues[target] as f64 / said(crowd);
                    shares_of_targets += shares[crowd] / said(crowd);
                }
                None => attempts += 1,
            }
        }
        let control: Vec<f64> = led
            .iter()
            .zip(&trues_of_others)
            .filter_map(|(crowd, &trues)| {
                Some((*crowd)?).filter(|&crowd| said(crowd) > 0.0).map(|crowd| trues as f64 / said(crowd))
            })
            .collect();
        Self {
            attempts,
            hits,
            baseline: (heard > 0).then(|| shares_of_targets / heard as f64),
            control: (!control.is_empty()).then(|| control.iter().sum::<f64>() / control.len() as f64),
            silent,
            statements,
            of_all,
            of_one,
            of_none,
        }
    }

    /// The outcome, with what is promised.
    pub(super) fn outcome(self, card: &AttackInfo, bound: Option<f64>, sensitive: bool) -> Outcome {
        let share = |count: u64| (self.statements > 0).then(|| count as f64 / self.statements as f64);
        let parts = json!({
            "all": share(self.of_all), "one": share(self.of_one), "none": share(self.of_none),
            "statements": self.statements, "silent": self.silent,
        });
        Outcome::new(card, self.attempts, self.hits)
            .with_baseline(self.baseline)
            .with_control(self.control)
            .with_bound(bound)
            .with_knowledge(json!({"record": true, "sensitive": sensitive}))
            .with_parts(parts)
    }
}

/// The different words of a text, in order.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let mut words: Vec<String> = lower_words(text).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Who has a query that holds some words.
pub(super) struct Sayers {
    vocabulary: Interner,
    /// For each word the strings that have it, in rising order.
    strings: StringWords,
    /// For each string the persons who have it.
    persons: Holders,
}

impl Sayers {
    pub(super) fn new(log: &QueryLog) -> Self {
        let mut vocabulary = Interner::new();
        let queries = log.queries();
        let words = StringWords::of(queries, &mut vocabulary, |query, each| {
            written_words(queries.get(query)).for_each(|word| each(&lowered(word)));
        });
        let strings = words.different().turned(vocabulary.strings().len());
        let of_person =
            |person: usize| log.query_ids(log.range(person)).iter().map(move |&query| (query, person as u32));
        let pairs = (0..log.persons()).flat_map(of_person);
        let persons = Holders::new(log.queries().len(), pairs, &vec![1; log.persons()]);
        Self { vocabulary, strings, persons }
    }

    /// The persons, in rising order.
    pub(super) fn of(&self, text: &str) -> Vec<u32> {
        let words: Option<Vec<&[u32]>> =
            lower_words(text).map(|word| Some(self.strings.of_string(self.vocabulary.find(&word)?))).collect();
        let Some(mut words) = words else { return Vec::new() };
        words.sort_by_key(|strings| strings.len());
        let Some((rarest, others)) = words.split_first() else { return Vec::new() };
        let has_all = |string: &&u32| others.iter().all(|strings| strings.binary_search(string).is_ok());
        let mut persons: Vec<u32> =
            rarest.iter().filter(has_all).flat_map(|&string| self.persons.of(string)).copied().collect();
        persons.sort_unstable();
        persons.dedup();
        persons
    }
}

/// Who has an item or one under it.
pub(super) struct Owners {
    labels: Interner,
    taxonomy: Option<Arc<Taxonomy>>,
    persons: Holders,
}

impl Owners {
    pub(super) fn new(baskets: &Baskets) -> Self {
        let of_person = |person: usize| baskets.basket(person).iter().map(move |&item| (item, person as u32));
        let pairs = (0..baskets.persons()).flat_map(of_person);
        let persons = Holders::new(baskets.item_count(), pairs, &vec![1; baskets.persons()]);
        Self { labels: Interner::from(baskets.labels()), taxonomy: baskets.taxonomy().cloned(), persons }
    }

    /// The persons, in rising order.
    pub(super) fn of(&self, label: &str) -> Vec<u32> {
        let Some(item) = self.labels.find(label) else { return Vec::new() };
        let end = self.taxonomy.as_ref().map_or(item + 1, |taxonomy| taxonomy.end(item));
        let mut persons: Vec<u32> = (item..end).flat_map(|item| self.persons.of(item)).copied().collect();
        persons.sort_unstable();
        persons.dedup();
        persons
    }
}
