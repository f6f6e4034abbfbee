//! Known items: somebody knows p items of a person, and looks for the basket that shows most of them.
//!
//! Paper      Ours; the attacker is that of Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data.
//!            PVLDB 1 (2008), who here knows as many items as is asked.
//!
//! # Idea
//! 1. Knowledge: p different items of the target, as written in the original.
//! 2. A basket matches an item if it holds the item or a node above it.
//! 3. An item that c of N persons match adds ln((N + 1)/c) to those; the greatest sum wins.
//!
//! # Formula
//! A guess among c candidates hits 1/c. Baseline 1/N. Bound 1/k where transaction-k-anonymity is claimed, or km-anonymity and p is at
//! most its m.
//!
//! # Cost
//! 4 bytes an item of each different basket; for each known item the baskets that hold it or what is above it.
//!
//! # Does not
//! use how often an item is in a basket, what other items say of it, or sensitive items that are published by group.

use std::sync::Arc;

use hashbrown::HashMap;

use super::candidates::{Candidates, Holders, Matched, Scores, Union};
use super::known::{self, Guess, Run};
use super::{Asked, Attack, AttackInfo, Outcome, Released, Scene};
use crate::data::queries::MISSING;
use crate::data::{Baskets, Interner};
use crate::error::Result;
use crate::info::{Info, Need};
use crate::models::k_anonymity::TRANSACTION;
use crate::models::km_anonymity;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "known-items",
        summary: "somebody knows a few items of a person, and looks for the basket that shows most of them",
        paper: "ours; the attacker is that of Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data. PVLDB 1 \
                (2008)",
        details: "Knows p different items of the target (--p). A basket matches an item if it holds the item or a node above it in the taxonomy. \
            What c of N persons match counts ln((N + 1)/c); the greatest sum wins, and a guess among c equals hits 1/c.\n\
            p = 1 is no sample: all different items of each target are tried. For more, --draws draws of each.\n\
            parts.exact is the plain attacker, who takes those who have all known items to the letter.\n\
            Baseline 1/N; bound 1/k where transaction-k-anonymity is claimed, or km-anonymity and p is at most its m. Needs the link \
            between persons (--key, or kept ids).",
        parameters: &[],
    },
    who: ["knows one item", "knows {} items"],
    needs: &[Need::Link],
    takes_given: true,
    in_reports: true,
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct KnownItems;

impl Attack<Baskets> for KnownItems {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Baskets>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.knowing(|source| {
            let original = source.original;
            if let Some(given) = &asked.given {
                let labels = Interner::from(original.labels());
                return Ok(known::given(given, |fact| labels.find(&fact.text).unwrap_or(MISSING)));
            }
            let settings: Vec<_> = asked.settings.iter().copied().filter(|one| one.with.is_nothing()).collect();
            let different = |person: u32| different_items(original.basket(person as usize));
            Ok(known::drawn(asked, &settings, original.persons(), different, |_, item, _, _| item))
        })?;
        knowing.looking(|released, _| Ok(BasketIndex::new(released)))?.all(
            |known| known.targets.len(),
            |index, known, target, say| {
                let mut union = Union::new(index.multiplicity.len());
                let mut scores = Scores::new(index.multiplicity.len(), index.persons);
                for items in known.targets[target].all_draws() {
                    for &item in items {
                        let matched = index.matched(item, &mut union);
                        scores.add(&matched.records, matched.persons);
                    }
                    say(Guess { best: scores.best(&index.multiplicity), exact: index.exact(items) });
                }
            },
            |truth, index, known, target, guess| {
                let record = truth.record_of(known.targets[target].person);
                guess.attempts(record.and_then(|record| index.record(record)), index.persons)
            },
            |index, known, attempts| known::outcomes(&INFO, known, attempts, index.persons, |run| bound(asked, run)),
        )
    }
}

/// What the claims promise: km-anonymity nothing to whoever knows more than m items.
fn bound(asked: &Asked, run: &Run) -> Option<f64> {
    let km = km_anonymity::INFO.name;
    let is_within = asked.promised(km, "m").is_some_and(|m| run.p as f64 <= m);
    asked.one_in_k(TRANSACTION.name).or_else(|| asked.one_in_k(km).filter(|_| is_within))
}

/// The different items of a basket.
pub(super) fn different_items(basket: &[u32]) -> Vec<u32> {
    let mut items = basket.to_vec();
    items.dedup();
    items
}

/// What an attacker makes of released baskets: who holds an item, or something above it.
pub(super) struct BasketIndex<'a> {
    data: &'a Baskets,
    /// The number of each basket among the different ones.
    record_of: Vec<u32>,
    pub(super) multiplicity: Vec<u32>,
    pub(super) persons: u64,
    holders: Holders,
}

impl<'a> BasketIndex<'a> {
    pub(super) fn new(released: Released<'a, Baskets>) -> Self {
        let data = released.data;
        let mut numbers: HashMap<&[u32], u32, foldhash::fast::FixedState> = HashMap::default();
        let (mut different, mut multiplicity, mut record_of) = (Vec::new(), Vec::new(), Vec::new());
        for (person, &stands_for) in released.multiplicity.iter().enumerate() {
            if stands_for == 0 {
                record_of.push(MISSING);
                continue;
            }
            let basket = data.basket(person);
            let number = *numbers.entry(basket).or_insert_with(|| {
                different.push(basket);
                multiplicity.push(0);
                different.len() as u32 - 1
            });
            multiplicity[number as usize] += stands_for;
            record_of.push(number);
        }
        let held = (0u32..).zip(&different).flat_map(|(record, basket)| basket.iter().map(move |&item| (item, record)));
        let holders = Holders::new(data.item_count(), held, &multiplicity);
        Self { data, record_of, persons: released.persons(), multiplicity, holders }
    }

    /// The number that a person or record of the release has here.
    pub(super) fn record(&self, released: u32) -> Option<u32> {
        self.record_of.get(released as usize).copied().filter(|&record| record != MISSING)
    }

    /// Whether nothing lies under an item.
    pub(super) fn is_leaf(&self, item: u32) -> bool {
        self.data.taxonomy().is_none_or(|taxonomy| taxonomy.is_leaf(item))
    }

    /// The records that hold an item as it is.
    pub(super) fn holding(&self, item: u32) -> &[u32] {
        if self.knows(item) { self.holders.of(item) } else { &[] }
    }

    /// The records that hold an item or a node above it.
    pub(super) fn matched(&self, item: u32, union: &mut Union) -> Matched {
        if !self.knows(item) {
            return Matched::default();
        }
        match self.data.taxonomy() {
            Some(taxonomy) => {
                let above = taxonomy.ancestors(item).flat_map(|node| self.holders.of(node).iter().copied());
                union.of(above, &self.multiplicity)
            }
            None => union.of(self.holders.of(item).iter().copied(), &self.multiplicity),
        }
    }

    /// The records that hold all of some items to the letter.
    pub(super) fn exact(&self, items: &[u32]) -> Candidates {
        let matched = if items.iter().all(|&item| self.knows(item)) {
            self.holders.of_all(items, &self.multiplicity)
        } else {
            Matched::default()
        };
        if matched.persons == 0 { Candidates::Everybody } else { Candidates::Singled(Arc::new(matched)) }
    }

    fn knows(&self, item: u32) -> bool {
        (item as usize) < self.data.item_count()
    }
}
