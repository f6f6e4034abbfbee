//! Apriori: every combination of up to m items is had by at least k persons, by one cut through the taxonomy for all.
//!
//! Paper      Terrovitis, Mamoulis, Kalnis. Privacy-preserving Anonymization of Set-valued Data. VLDB 2008; paper 002,
//!            section 2.5.
//! Claims     km-anonymity(k, m).
//! Does not   protect against who knows that a person does *not* have an item, nor hide what all k have in common.
//!
//! # Idea
//! 1. For sizes 1 to m, and every combination of that many items of a person: if fewer than k persons have it, generalise
//!    some of its items, for everybody and with all their siblings, in the cheapest way that makes it common enough.
//! 2. The same once more with a third choice: an item of the cut is suppressed, for everybody.
//! 3. Keep the cheaper of the two; without suppression if they cost the same.
//! 4. Going up cannot be taken back, and what was cheap early is dear later: open and close nodes of the cut from there,
//!    suppressing where needed, while that saves anything (as `hghs` does, starting from the root).
//!
//! Generalising and suppressing only make what is left more common, so that in 1 and 2 what was looked at once stays good.
//!
//! # Readings
//! C16: generalised data are sets. C18: the cost is NCP by occurrences, and a suppressed item costs 1. C19: the cheapest
//! way is searched for each combination on its own, over all pairs (triples, …) of ancestors, in order of cost. What is
//! suppressed in step 2 stays so, also if a node above it is published later. `--without-suppression` is the paper's method:
//! step 1 alone.
//!
//! # Cost
//! Memory O(occurrences × depth) at worst. No count tree: how many persons have a combination is asked when needed, by
//! intersecting lists of persons up to the k-th, and remembered if there are k.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::rare_combinations::RareCombinations;
use super::recoding::{Recoding, at_least, bad_count, check_crowd, longest, rare_subset, recoded};
use super::taxonomy_of;
use super::top_down::State;
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::refusals::check_k;
use crate::methods::{Method, shown_parameters};
use crate::models;
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "apriori",
    summary: "any m items are had by k persons: one cut through the taxonomy for all, found bottom-up",
    paper: "Terrovitis, Mamoulis, Kalnis. Privacy-preserving Anonymization of Set-valued Data. VLDB 2008",
    details: "1. For sizes 1 to m, every combination of that many items of a person is looked at. If fewer than k persons \
        have it, some of its items are generalised, for everybody and together with their siblings, in the cheapest way \
        that makes it common enough.\n\
        2. The same once more with a third choice: an item is suppressed for everybody.\n\
        3. The cheaper result is kept, and improved by opening and closing nodes of the cut while that saves anything.\n\
        The cost is NCP: the share of all leaves that lie under what an item becomes, 0 for a leaf, 1 for a suppressed \
        item. Records are sets.\n\
        Claims km-anonymity(k, m). It does not protect against who knows that a person does not have an item, nor hide \
        what all k persons have in common.",
    parameters: &[info::K, info::M, WITHOUT_SUPPRESSION],
};

const WITHOUT_SUPPRESSION: Parameter = Parameter {
    name: "without-suppression",
    summary: "only generalise, as the paper does; one rare item near the root can then cost everything",
    kind: ParameterKind::Switch,
    default: "false",
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons have any combination, at least.
    pub k: usize,
    /// How many items an attacker knows, at most.
    pub m: usize,
    /// Only generalise.
    pub without_suppression: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, m: 2, without_suppression: false }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Apriori {
    params: Params,
}

impl Apriori {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let errors: Vec<Error> = [check_k(params.k), bad_count("m", params.m, 1)].into_iter().flatten().collect();
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Baskets> for Apriori {
    fn protect(&self, original: &Baskets, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Baskets>> {
        let Params { k, m, without_suppression } = self.params;
        let taxonomy = taxonomy_of(original, INFO.name)?;
        check_crowd(original, k)?;
        let recoding = Recoding::new(original, taxonomy, |_| true);
        let levels = m.min(longest(original));
        let search = |suppression: bool| -> Result<Search<'_>> {
            let mut search = Search::new(&recoding, k, suppression);
            for level in 1..=levels {
                progress.stage("looking for rare combinations", original.persons() as u64);
                for person in 0..original.persons() {
                    progress.go_on()?;
                    search.settle(original.basket(person), level);
                    progress.advance(1);
                }
            }
            Ok(search)
        };
        let mut best = search(false)?;
        if !without_suppression {
            let other = search(true)?;
            if other.cost < best.cost {
                best = other;
            }
        }
        let mut image: Vec<Option<u32>> = best.published();
        if !without_suppression {
            progress.stage("opening and closing nodes", 0);
            let mut state = State::new(original, &[], 1, |item| best.label(item));
            state.improve(&mut RareCombinations::new(k, m, state.label_count()), progress)?;
            image = state.image();
        }
        let claims = vec![Claim::new(&models::km_anonymity::INFO, [("k", json!(k)), ("m", json!(m))])];
        Ok(recoded(original, |item| image[item as usize], claims))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

const SUPPRESSED: u32 = u32::MAX;

/// A cut that only moves upwards.
struct Search<'a> {
    recoding: &'a Recoding<'a>,
    k: usize,
    suppression: bool,
    /// The label of each item, or that it is suppressed, and then as part of which label.
    image: Vec<u32>,
    suppressed_as: Vec<u32>,
    /// For each node, what is not suppressed at or under it: occurrences, and their cost. Right at and above the cut.
    occurrences: Vec<u64>,
    costs: Vec<u64>,
    /// Cost of everything, suppressed items included.
    cost: u64,
    /// Who has a label, where that was asked.
    persons: Vec<Option<Vec<u32>>>,
    /// Pairs, and larger sets, of labels that at least k persons have.
    known_pairs: HashSet<u64, FixedState>,
    known_sets: HashSet<Box<[u32]>, FixedState>,
    labels: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(recoding: &'a Recoding<'a>, k: usize, suppression: bool) -> Self {
        let taxonomy = recoding.taxonomy();
        let nodes = taxonomy.len() as u32;
        let image: Vec<u32> = (0..nodes).map(|item| recoding.own(item)).collect();
        let mut costs: Vec<u64> = image.iter().map(|&label| recoding.cost(label)).collect();
        for node in (1..nodes).rev() {
            costs[taxonomy.parent(node) as usize] += costs[node as usize];
        }
        Self {
            recoding,
            k,
            suppression,
            suppressed_as: image.clone(),
            image,
            occurrences: (0..nodes).map(|node| recoding.occurrences(node)).collect(),
            cost: costs[0],
            costs,
            persons: vec![None; recoding.labels()],
            known_pairs: HashSet::default(),
            known_sets: HashSet::default(),
            labels: Vec::new(),
        }
    }

    /// The label of an item, and whether it is kept.
    fn label(&self, item: u32) -> (u32, bool) {
        match self.image[item as usize] {
            SUPPRESSED => (self.suppressed_as[item as usize], false),
            label => (label, true),
        }
    }

    /// For each item what it is published as, if it is.
    fn published(&self) -> Vec<Option<u32>> {
        let node = |&label: &u32| (label != SUPPRESSED).then(|| self.recoding.node(label));
        self.image.iter().map(node).collect()
    }

    /// Makes every combination of `size` items of a basket common enough.
    fn settle(&mut self, basket: &[u32], size: usize) {
        loop {
            let mut labels = std::mem::take(&mut self.labels);
            labels.clear();
            labels.extend(basket.iter().map(|&item| self.image[item as usize]).filter(|&label| label != SUPPRESSED));
            labels.sort_unstable();
            labels.dedup();
            let rare = if labels.len() < size {
                None
            } else {
                rare_subset(&labels, size, &mut |set: &[u32]| self.is_common(set))
            };
            self.labels = labels;
            match rare {
                Some(set) => self.mend(&set),
                None => return,
            }
        }
    }

    /// Whether at least k persons have all of some labels of the cut; remembers those.
    fn is_common(&mut self, set: &[u32]) -> bool {
        let pair = if let [left, right] = *set { Some(u64::from(left) << 32 | u64::from(right)) } else { None };
        let known = pair.map_or_else(|| self.known_sets.contains(set), |pair| self.known_pairs.contains(&pair));
        if known {
            return true;
        }
        let common = self.has_crowd(set);
        if common {
            match pair {
                Some(pair) => _ = self.known_pairs.insert(pair),
                None => _ = self.known_sets.insert(set.into()),
            }
        }
        common
    }

    /// Whether at least k persons have all of some labels, at or above the cut.
    fn has_crowd(&mut self, set: &[u32]) -> bool {
        for &label in set {
            if self.persons[label as usize].is_none() {
                let image = &self.image;
                let left_out = |item: u32| image[item as usize] == SUPPRESSED;
                self.persons[label as usize] = Some(self.recoding.persons(label, left_out));
            }
        }
        let mut lists: Vec<&[u32]> = set.iter().filter_map(|&label| self.persons[label as usize].as_deref()).collect();
        at_least(&mut lists, self.k)
    }

    /// Generalises, or suppresses one of, some labels in the cheapest way that leaves them common enough.
    ///
    /// Ways are looked at in order of cost; of equal ones suppression comes last, and the lower number of steps of the
    /// first label first.
    fn mend(&mut self, set: &[u32]) {
        let paths: Vec<Vec<u32>> = set
            .iter()
            .map(|&label| std::iter::successors(Some(label), |&label| self.recoding.parent(label)).collect())
            .collect();
        let suppress =
            set.iter().map(|&label| (self.suppression_cost(label), label)).min().filter(|_| self.suppression);
        let mut open = BinaryHeap::from([Reverse((0, vec![0; set.len()]))]);
        let mut seen: HashSet<Vec<usize>, FixedState> = HashSet::default();
        while let Some(Reverse((cost, steps))) = open.pop() {
            if let Some((limit, label)) = suppress
                && limit < cost
            {
                return self.suppress(label);
            }
            let labels = self.joined(&paths, &steps);
            if self.has_crowd(&labels) {
                for label in labels {
                    self.raise(label);
                }
                return;
            }
            for place in 0..steps.len() {
                let mut next = steps.clone();
                next[place] += 1;
                if next[place] < paths[place].len() && seen.insert(next.clone()) {
                    let cost = self.joined(&paths, &next).iter().map(|&label| self.raise_cost(label)).sum();
                    open.push(Reverse((cost, next)));
                }
            }
        }
        // Only the root is left and too few have it: everybody else's items are suppressed already.
        self.suppress(set[0]);
    }

    /// The labels after some steps up, without those under others.
    fn joined(&self, paths: &[Vec<u32>], steps: &[usize]) -> Vec<u32> {
        let mut labels: Vec<u32> = paths.iter().zip(steps).map(|(path, &step)| path[step]).collect();
        labels.sort_unstable();
        labels.dedup();
        let (all, recoding) = (labels.clone(), self.recoding);
        labels.retain(|&label| {
            let (first, _) = recoding.items(label);
            let covers = |&other: &u32| {
                let (start, end) = recoding.items(other);
                other != label && start <= first && first < end && (start < first || other < label)
            };
            !all.iter().any(covers)
        });
        labels
    }

    fn raise_cost(&self, label: u32) -> u64 {
        if self.is_own(label) {
            return 0;
        }
        self.occurrences[label as usize] * self.recoding.weight(label) - self.costs[label as usize]
    }

    fn suppression_cost(&self, label: u32) -> u64 {
        let (occurrences, cost) = self.totals(label);
        occurrences * self.recoding.suppressed_weight() - cost
    }

    fn is_own(&self, label: u32) -> bool {
        self.recoding.node(label) != label
    }

    /// Occurrences and cost of a label of the cut.
    fn totals(&self, label: u32) -> (u64, u64) {
        if self.is_own(label) {
            (self.recoding.occurrences(label), self.recoding.cost(label))
        } else {
            (self.occurrences[label as usize], self.costs[label as usize])
        }
    }

    /// Publishes everything at and under a label as it.
    fn raise(&mut self, label: u32) {
        let (first, end) = self.recoding.items(label);
        if self.image[first as usize..end as usize].iter().all(|&image| image == label || image == SUPPRESSED) {
            return;
        }
        let cost = self.raise_cost(label);
        for image in &mut self.image[first as usize..end as usize] {
            if *image != SUPPRESSED {
                *image = label;
            }
        }
        for below in first + 1..end {
            self.persons[below as usize] = None;
        }
        self.cost += cost;
        for node in self.recoding.taxonomy().ancestors(label) {
            self.costs[node as usize] += cost;
        }
    }

    /// Publishes nothing of a label of the cut.
    fn suppress(&mut self, label: u32) {
        let (occurrences, cost) = self.totals(label);
        self.cost += self.suppression_cost(label);
        let (first, end) = self.recoding.items(label);
        for item in first as usize..end as usize {
            if self.image[item] != SUPPRESSED {
                (self.image[item], self.suppressed_as[item]) = (SUPPRESSED, label);
            }
        }
        for node in self.recoding.taxonomy().ancestors(self.recoding.node(label)) {
            self.occurrences[node as usize] -= occurrences;
            self.costs[node as usize] -= cost;
            self.persons[node as usize] = None;
        }
        self.persons[label as usize] = None;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::recoding::tests::{all_words, assert_generalised, km_violation, published_cost, random_baskets};
    use super::*;
    use crate::data::baskets::tests::baskets;
    use crate::progress::Silent;
    use crate::taxonomy::Taxonomy;

    fn protect(original: &Baskets, params: Params) -> Baskets {
        Apriori::new(params).unwrap().protect(original, &mut Rng::seeded(1), &Silent).unwrap().records
    }

    fn generalise(k: usize, m: usize) -> Params {
        Params { k, m, without_suppression: true }
    }

    #[test]
    fn the_rule_of_example_2_5_1() {
        let food = Arc::new(crate::taxonomy::tests::food());
        let rows = ["Orange Beef Cheese", "Apple Beef Cheese", "Banana Beef Cheese", "Beef Cheese Banana"];
        let original = baskets(&food, &rows);
        let records = protect(&original, generalise(3, 2));
        assert_eq!(all_words(&records), ["Fruit Beef Cheese"; 4]);
    }

    /// Figures 1 and 2 of Terrovitis, Mamoulis and Kalnis: {a1, a2} become A.
    #[test]
    fn the_example_of_its_paper() {
        let edges = [("A", "T"), ("B", "T"), ("a1", "A"), ("a2", "A"), ("b1", "B"), ("b2", "B")];
        let taxonomy = Arc::new(Taxonomy::from_edges(edges).unwrap());
        let original = baskets(&taxonomy, &["a1 b1 b2", "a2 b1", "a2 b1 b2", "a1 a2 b2"]);
        let records = protect(&original, generalise(2, 2));
        assert_eq!(all_words(&records), ["A b1 b2", "A b1", "A b1 b2", "A b2"]);
        // Without a1, two of ten items, it is cheaper still: 2 instead of 5 times 2/4.
        let records = protect(&original, Params { k: 2, ..Params::default() });
        assert_eq!(all_words(&records), ["b1 b2", "a2 b1", "a2 b1 b2", "a2 b2"]);
    }

    #[test]
    fn everything_is_the_root_when_k_is_everybody() {
        let food = Arc::new(crate::taxonomy::tests::food());
        let original = baskets(&food, &["Apple Milk", "Beef", "Cheese Cheese"]);
        assert_eq!(all_words(&protect(&original, generalise(3, 9))), ["Food"; 3]);
        let same = baskets(&food, &["Apple Milk", "Apple Milk"]);
        assert_eq!(all_words(&protect(&same, Params { k: 2, ..Params::default() })), ["Apple Milk"; 2]);
    }

    #[test]
    fn every_result_keeps_its_promise() {
        let mut rng = Rng::seeded(7);
        for _ in 0..300 {
            let (nodes, persons) = (2 + rng.index(20), 4 + rng.index(14));
            let original = random_baskets(&mut rng, nodes, persons, 6);
            let (k, m) = (2 + rng.index(3), 1 + rng.index(4));
            if check_crowd(&original, k).is_err() {
                continue;
            }
            let only = protect(&original, generalise(k, m));
            let both = protect(&original, Params { k, m, without_suppression: false });
            for records in [&only, &both] {
                assert_eq!(km_violation(records, k, m), None);
                assert_generalised(&original, records);
            }
            assert!(published_cost(&original, &both) <= published_cost(&original, &only));
            // Without suppression nobody loses all of their items.
            assert!((0..persons).all(|person| only.basket(person).is_empty() == original.basket(person).is_empty()));
            let again = protect(&original, Params { k, m, without_suppression: false });
            assert_eq!(all_words(&again), all_words(&both));
        }
    }

    #[test]
    fn larger_results_keep_their_promise() {
        let mut rng = Rng::seeded(11);
        for m in [2, 2, 3, 4] {
            let original = random_baskets(&mut rng, 120, 300, 9);
            for without_suppression in [false, true] {
                let records = protect(&original, Params { k: 4, m, without_suppression });
                assert_eq!(km_violation(&records, 4, m), None);
                assert_generalised(&original, &records);
            }
        }
    }

    #[test]
    fn refusals() {
        let error = Apriori::new(Params { k: 1, m: 0, ..Params::default() }).unwrap_err();
        assert_eq!(error.to_string(), "`k` is 1, but must be at least 2; `m` is 0, but must be at least 1");
        let food = Arc::new(crate::taxonomy::tests::food());
        let original = baskets(&food, &["Apple Milk", "Beef", ""]);
        let method = Apriori::new(generalise(3, 2)).unwrap();
        let error = method.protect(&original, &mut Rng::seeded(1), &Silent).unwrap_err();
        assert_eq!(error.to_string(), "of 3 persons only 2 have an item, fewer than k = 3");
        let mut labels = crate::data::BasketsBuilder::new(None, false);
        labels.person("1");
        let error = method.protect(&labels.finish(), &mut Rng::seeded(1), &Silent).unwrap_err();
        assert!(error.to_string().contains("no taxonomy"));
    }
}
