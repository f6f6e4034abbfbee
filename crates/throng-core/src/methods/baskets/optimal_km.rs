//! Optimal k^m: the cheapest cut through the taxonomy that makes every combination of up to m items common enough.
//!
//! Paper      Terrovitis, Mamoulis, Kalnis. Privacy-preserving Anonymization of Set-valued Data. VLDB 2008 (Optimal
//!            Anonymization); paper 002, section 2.5.
//! Claims     km-anonymity(k, m).
//! Does not   work on large data: it refuses above [`MOST_WORK`], and `apriori` is for those. Nor protect against who knows
//!            that a person does *not* have an item.
//!
//! # Idea
//! 1. Start with everything at the root, which is always good. 2. Go through the nodes from above: open one, so that its
//!    children stand for themselves, or leave it closed for ever. 3. Go on below only if the cut is still good: if it is
//!    not, no cut below it is. 4. Nor if the cheapest conceivable end costs as much as the best cut so far.
//!
//! # Readings
//! C16: generalised data are sets. C18: the cost is NCP by occurrences. Of equal costs the cut found first stays, open
//! nodes tried before closed ones.
//!
//! # Cost
//! Time O(cuts × occurrences) at worst, exponential in the size of the tree; mostly far less.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::recoding::{Recoding, at_least, bad_count, check_crowd, longest, rare_subset, recoded};
use super::taxonomy_of;
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::info::{self, Info};
use crate::methods::refusals::check_k;
use crate::methods::{Method, shown_parameters};
use crate::models;
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;
use crate::taxonomy::ROOT;

/// The card of the method.
pub const INFO: Info = Info {
    name: "optimal-km",
    summary: "any m items are had by k persons, by the cheapest cut through the taxonomy; small data only",
    paper: "Terrovitis, Mamoulis, Kalnis. Privacy-preserving Anonymization of Set-valued Data. VLDB 2008",
    details: "All cuts through the taxonomy are gone through from the root downwards, without those that cannot be good \
        or cheap enough, and the cheapest that makes every combination of up to m items common to at least k persons is \
        taken.\n\
        The cost is NCP: the share of all leaves that lie under what an item becomes, 0 for a leaf. Records are sets. \
        Nothing is suppressed.\n\
        Claims km-anonymity(k, m). It does not protect against who knows that a person does not have an item.\n\
        Small data only: the number of cuts grows exponentially with the taxonomy. It refuses data that are too large; \
        `apriori` takes those.",
    parameters: &[info::K, info::M],
};

/// The number of cuts times the number of items of all persons, at most.
pub const MOST_WORK: u64 = 1_000_000_000;

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons have any combination, at least.
    pub k: usize,
    /// How many items an attacker knows, at most.
    pub m: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, m: 2 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct OptimalKm {
    params: Params,
}

impl OptimalKm {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let errors: Vec<Error> = [check_k(params.k), bad_count("m", params.m, 1)].into_iter().flatten().collect();
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Baskets> for OptimalKm {
    fn protect(&self, original: &Baskets, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Baskets>> {
        let Params { k, m } = self.params;
        let taxonomy = taxonomy_of(original, INFO.name)?;
        check_crowd(original, k)?;
        let recoding = Recoding::new(original, taxonomy, |_| true);
        let root = Branch::new(&recoding, ROOT);
        if root.cuts().saturating_mul(original.rows() as u64) > MOST_WORK {
            let cuts = if root.cuts() == u64::MAX { "far too many".to_owned() } else { root.cuts().to_string() };
            return Err(Error::refused(format!(
                "the best cut is found by going through all of them: {cuts} cuts for {} items are too much work",
                original.rows()
            ))
            .with_hint(
                "`apriori` finds a good cut of large data; this method is for small data and small taxonomies",
            ));
        }
        let mut search = Search {
            original,
            recoding: &recoding,
            k,
            size: m.min(longest(original)),
            image: vec![root.label; taxonomy.len()],
            best: (u64::MAX, Vec::new()),
            persons: vec![None; recoding.labels()],
            known: HashMap::default(),
            progress,
        };
        search.go(0, vec![&root])?;
        let (_, image) = search.best;
        let claims = vec![Claim::new(&models::km_anonymity::INFO, [("k", json!(k)), ("m", json!(m))])];
        Ok(recoded(original, |item| Some(recoding.node(image[item as usize])), claims))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

/// A label that merges some items, and what it falls into: labels that merge fewer, down to single items.
///
/// Nodes with nothing to merge are passed over: to close them costs more than to close what is below, and helps nobody.
struct Branch {
    label: u32,
    /// What it costs closed, and what its items cost as they are.
    closed: u64,
    least: u64,
    parts: Vec<Branch>,
}

impl Branch {
    fn new(recoding: &Recoding<'_>, label: u32) -> Self {
        let taxonomy = recoding.taxonomy();
        let node = recoding.node(label);
        let mut parts = Vec::new();
        if label == node && !taxonomy.is_leaf(node) {
            let below = std::iter::once(recoding.own(node)).chain(taxonomy.children(node));
            parts.extend(below.filter(|&part| recoding.occurrences(part) > 0).map(|part| Branch::new(recoding, part)));
        }
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let closed = recoding.cost(label);
        let least = if parts.is_empty() { closed } else { parts.iter().map(|part| part.least).sum() };
        Self { label, closed, least, parts }
    }

    fn cuts(&self) -> u64 {
        if self.parts.is_empty() {
            return 1;
        }
        self.parts.iter().fold(1u64, |cuts, part| cuts.saturating_mul(part.cuts())).saturating_add(1)
    }
}

struct Search<'a> {
    original: &'a Baskets,
    recoding: &'a Recoding<'a>,
    k: usize,
    size: usize,
    /// The label of each item; branches that are not decided are closed.
    image: Vec<u32>,
    best: (u64, Vec<u32>),
    /// Who has a label, and whether at least k persons have some labels, where that was asked.
    persons: Vec<Option<Vec<u32>>>,
    known: HashMap<Box<[u32]>, bool, FixedState>,
    progress: &'a dyn Progress,
}

impl Search<'_> {
    /// Looks for the best cut when what is decided costs `cost` and some branches are left to decide, the last first.
    fn go(&mut self, cost: u64, mut left: Vec<&Branch>) -> Result<()> {
        self.progress.go_on()?;
        let closed: u64 = left.iter().map(|branch| branch.closed).sum();
        if cost + closed < self.best.0 {
            self.best = (cost + closed, self.image.clone());
        }
        let least: u64 = left.iter().map(|branch| branch.least).sum();
        if cost + least >= self.best.0 {
            return Ok(());
        }
        let Some(branch) = left.pop() else { return Ok(()) };
        if !branch.parts.is_empty() {
            for part in &branch.parts {
                self.label(part.label, part.label);
            }
            if self.is_good(branch) {
                let parts = branch.parts.iter().rev();
                self.go(cost, left.iter().copied().chain(parts).collect())?;
            }
            self.label(branch.label, branch.label);
        }
        self.go(cost + branch.closed, left)
    }

    /// Everything that lies under a label becomes another.
    fn label(&mut self, items: u32, label: u32) {
        let (first, end) = self.recoding.items(items);
        self.image[first as usize..end as usize].fill(label);
    }

    /// Whether a cut stays good when a branch was opened: only those who have something of it can tell.
    fn is_good(&mut self, opened: &Branch) -> bool {
        let (original, size) = (self.original, self.size);
        self.ask_persons(opened.label);
        let persons = self.persons[opened.label as usize].take().unwrap_or_default();
        let good = persons.iter().all(|&person| {
            let basket = original.basket(person as usize);
            let mut labels: Vec<u32> = basket.iter().map(|&item| self.image[item as usize]).collect();
            labels.sort_unstable();
            labels.dedup();
            rare_subset(&labels, size, &mut |set: &[u32]| self.is_common(set)).is_none()
        });
        self.persons[opened.label as usize] = Some(persons);
        good
    }

    fn is_common(&mut self, set: &[u32]) -> bool {
        if let Some(&known) = self.known.get(set) {
            return known;
        }
        for &label in set {
            self.ask_persons(label);
        }
        let mut lists: Vec<&[u32]> = set.iter().filter_map(|&label| self.persons[label as usize].as_deref()).collect();
        let common = at_least(&mut lists, self.k);
        self.known.insert(set.into(), common);
        common
    }

    fn ask_persons(&mut self, label: u32) {
        if self.persons[label as usize].is_none() {
            self.persons[label as usize] = Some(self.recoding.persons(label, |_| false));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::apriori::{self, Apriori};
    use super::super::recoding::tests::{all_words, assert_generalised, km_violation, published_cost, random_baskets};
    use super::*;
    use crate::data::baskets::tests::baskets;
    use crate::progress::Silent;
    use crate::taxonomy::Taxonomy;

    fn protect(original: &Baskets, k: usize, m: usize) -> Baskets {
        OptimalKm::new(Params { k, m }).unwrap().protect(original, &mut Rng::seeded(1), &Silent).unwrap().records
    }

    /// All cuts under a node, as the labels of all items: closed, or open with any cut of every child.
    fn all_cuts(taxonomy: &Taxonomy, node: u32, image: &[u32]) -> Vec<Vec<u32>> {
        let mut closed = image.to_vec();
        closed[node as usize..taxonomy.end(node) as usize].fill(node);
        if taxonomy.is_leaf(node) {
            return vec![closed];
        }
        let mut open = vec![image.to_vec()];
        for child in taxonomy.children(node) {
            open = open.iter().flat_map(|image| all_cuts(taxonomy, child, image)).collect();
        }
        open.push(closed);
        open
    }

    #[test]
    fn the_rule_of_example_2_5_1() {
        let food = Arc::new(crate::taxonomy::tests::food());
        let rows = ["Orange Beef Cheese", "Apple Beef Cheese", "Banana Beef Cheese", "Beef Cheese Banana"];
        assert_eq!(all_words(&protect(&baskets(&food, &rows), 3, 2)), ["Fruit Beef Cheese"; 4]);
    }

    #[test]
    fn it_is_the_best_of_all_cuts_and_apriori_is_never_better() {
        let mut rng = Rng::seeded(5);
        for _ in 0..300 {
            let (nodes, persons) = (2 + rng.index(12), 4 + rng.index(40));
            let original = random_baskets(&mut rng, nodes, persons, 5);
            let (k, m) = (2 + rng.index(3), 1 + rng.index(4));
            if check_crowd(&original, k).is_err() {
                continue;
            }
            let taxonomy = original.taxonomy().unwrap();
            let records = protect(&original, k, m);
            assert_generalised(&original, &records);
            assert_eq!(km_violation(&records, k, m), None);
            let as_they_are: Vec<u32> = (0..nodes as u32).collect();
            let best = all_cuts(taxonomy, ROOT, &as_they_are)
                .into_iter()
                .map(|image| recoded(&original, |item| Some(image[item as usize]), Vec::new()).records)
                .filter(|records| km_violation(records, k, m).is_none())
                .map(|records| published_cost(&original, &records))
                .min();
            let cost = published_cost(&original, &records);
            assert_eq!(Some(cost), best);
            let method = Apriori::new(apriori::Params { k, m, without_suppression: true }).unwrap();
            let apriori = method.protect(&original, &mut Rng::seeded(1), &Silent).unwrap().records;
            assert!(published_cost(&original, &apriori) >= cost);
        }
    }

    #[test]
    fn large_data_are_refused() {
        let mut rng = Rng::seeded(5);
        let original = random_baskets(&mut rng, 2000, 500, 30);
        let error =
            OptimalKm::new(Params::default()).unwrap().protect(&original, &mut Rng::seeded(1), &Silent).unwrap_err();
        assert!(error.to_string().contains("too much work"));
        assert!(error.hint().unwrap().contains("`apriori`"));
        assert!(OptimalKm::new(Params { k: 0, m: 0 }).is_err());
    }
}
