//! Rho-uncertainty: nothing that is known of a person leads to a sensitive item of theirs with a confidence above rho.
//!
//! Paper      Cao, Karras, Raïssi, Tan. ρ-uncertainty: Inference-Proof Transaction Anonymization. VLDB 2010 (TDControl with
//!            SuppressControl); paper 002, section 2.8.
//! Claims     rho-uncertainty(rho).
//! Does not   hide who is who: an attacker may find a person's record, and learns no sensitive item from it for sure.
//!
//! # Idea
//! 1. Start with all public items at the root of the taxonomy; sensitive items are never generalised. 2. Open the node that
//!    saves most. 3. Suppress, for everybody, the labels that are in most rules with a confidence above rho for what they
//!    cost; sensitive items too. 4. Go on while that saves anything. Without a taxonomy only step 3 is done.
//!
//! # Formula
//! conf(X → s) = persons with X and s / persons with X, for any set X of other items that some person has together with s.
//!
//! # Readings
//! C21: X may hold sensitive items; it is not empty unless `--empty-antecedent`; a confidence of exactly rho is allowed.
//! The cost is NCP by occurrences, 1 for a suppressed item. Nothing is generalised to a node that is itself sensitive.
//! Records are sets. Where few items are sensitive it is often cheapest to suppress them all, and that is what the printed
//! measure leads to; `--keep-sensitive` makes them dear, so that public items give way wherever they can.
//!
//! # Cost
//! For each sensitive item only sets that are the whole of what some of its owners have in common need a look: any other
//! set has a larger one with the same owners of the item and fewer others. And whoever has all that an owner has, has
//! every part of it: if those are many, no set that this owner has needs a look. Exponential at worst all the same.

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::cover::Sets;
use super::recoding::{bad_share, in_common, recoded, sensitive_of};
use super::top_down::{State, Threats};
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::models;
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;
use crate::taxonomy::ROOT;

/// The card of the method.
pub const INFO: Info = Info {
    name: "rho-uncertainty",
    summary: "no rule leads to a sensitive item with a confidence above rho: generalisation and suppression, top-down",
    paper: "Cao, Karras, Raïssi, Tan. ρ-uncertainty: Inference-Proof Transaction Anonymization. VLDB 2010",
    details: "1. All public items start as the root of the taxonomy; sensitive items are never generalised.\n\
        2. The node whose opening saves most is opened. Labels that are in most rules with a confidence above rho for \
        what they cost are suppressed for everybody, sensitive ones too, until no such rule is left.\n\
        3. That goes on while it saves anything. Without a taxonomy items are only suppressed.\n\
        A rule says that whoever has some items has a sensitive one too; its confidence is the share of those who do. \
        The cost is NCP: the share of all leaves that lie under what an item becomes, 0 for a leaf, 1 for a suppressed \
        item. Records are sets.\n\
        Where few items are sensitive it is often cheapest to suppress them all; --keep-sensitive lets public items give \
        way instead.\n\
        Claims rho-uncertainty(rho). It does not hide who is who.",
    parameters: &[info::RHO, EMPTY_ANTECEDENT, KEEP_SENSITIVE],
};

const EMPTY_ANTECEDENT: Parameter = Parameter {
    name: "empty-antecedent",
    summary: "an attacker who knows nothing counts too: no sensitive item with more than a share rho of all persons",
    kind: ParameterKind::Switch,
    default: "false",
};

const KEEP_SENSITIVE: Parameter = Parameter {
    name: "keep-sensitive",
    summary: "suppress and generalise public items rather than suppress sensitive ones",
    kind: ParameterKind::Switch,
    default: "false",
};

/// How many times dearer a sensitive item is than another when it is to be kept.
const KEPT: u64 = 1 << 20;

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The confidence of a rule, at most.
    pub rho: f64,
    /// Whether rules from nothing count (C21).
    pub empty_antecedent: bool,
    /// Whether public items are suppressed rather than sensitive ones.
    pub keep_sensitive: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { rho: 0.5, empty_antecedent: false, keep_sensitive: false }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct RhoUncertainty {
    params: Params,
}

impl RhoUncertainty {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        match bad_share("rho", params.rho) {
            Some(error) => Err(error),
            None => Ok(Self { params }),
        }
    }
}

impl Method<Baskets> for RhoUncertainty {
    fn protect(&self, original: &Baskets, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Baskets>> {
        let Params { rho, empty_antecedent, keep_sensitive } = self.params;
        let sensitive = sensitive_of(original, INFO.name)?;
        let taxonomy = original.taxonomy();
        if taxonomy.is_some() && original.is_sensitive(ROOT) {
            return Err(Error::data(
                "the root of the taxonomy is a sensitive item, so nothing can be generalised to it",
            )
            .with_value(original.label(ROOT))
            .with_hint("name the sensitive items under it instead"));
        }
        let own = |item: u32| match taxonomy {
            Some(taxonomy) if !taxonomy.is_leaf(item) => item + original.item_count() as u32,
            _ => item,
        };
        let is_general = |item: u32| taxonomy.is_some() && !original.is_sensitive(item);
        let label = |item: u32| (if is_general(item) { ROOT } else { own(item) }, true);
        progress.stage("opening and closing nodes", 0);
        let dearness = if keep_sensitive { KEPT } else { 1 };
        let mut state = State::new(original, sensitive, dearness, label);
        let mut rules = SensitiveRules {
            rho,
            empty_antecedent,
            persons: original.persons(),
            sensitive: sensitive.iter().map(|&item| own(item)).collect(),
            counts: vec![0; state.label_count()],
            having_all: vec![0; original.persons()],
        };
        state.improve(&mut rules, progress)?;
        let image = state.image();
        let mut claim = Claim::new(&models::rho_uncertainty::INFO, [("rho", json!(rho))]);
        if empty_antecedent {
            claim.parameters.insert("empty-antecedent".to_owned(), json!(true));
        }
        Ok(recoded(original, |item| image[item as usize], vec![claim]))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

/// The number of rules to be satisfied with in one go.
const ENOUGH: usize = 10_000;

/// Finds rules with a confidence above rho; a threat is all labels of such a rule.
struct SensitiveRules {
    rho: f64,
    empty_antecedent: bool,
    persons: usize,
    /// The labels of sensitive items.
    sensitive: Vec<u32>,
    /// Persons by label, all 0 between calls.
    counts: Vec<u32>,
    /// For owners of the item at hand, how many persons have all their other labels, or so many that it does not matter.
    having_all: Vec<u32>,
}

impl SensitiveRules {
    fn is_too_sure(&self, owners: usize, all: usize) -> bool {
        owners > 0 && owners as f64 / all as f64 > self.rho
    }

    /// How many persons must have what some owners have in common, so that it does not give them away.
    fn enough(&self, owners: usize) -> usize {
        let mut enough = (owners as f64 / self.rho) as usize;
        while self.is_too_sure(owners, enough.max(1)) {
            enough += 1;
        }
        enough
    }

    /// Whether some labels lead to the target; they are some owner's.
    fn is_rule(&self, state: &State<'_>, labels: &[u32], target: u32) -> bool {
        let mut lists: Vec<&[u32]> = labels.iter().map(|&label| state.persons(label)).collect();
        lists.push(state.persons(target));
        let owners = in_common(&mut lists, usize::MAX);
        self.leads(state, labels, owners)
    }

    /// Whether some labels, which so many owners have, lead to the sensitive item.
    fn leads(&self, state: &State<'_>, labels: &[u32], owners: usize) -> bool {
        let mut lists: Vec<&[u32]> = labels.iter().map(|&label| state.persons(label)).collect();
        let enough = self.enough(owners);
        in_common(&mut lists, enough) < enough
    }

    /// Adds a smallest rule of some labels that lead to the target.
    fn push_smallest(&self, state: &State<'_>, mut labels: Vec<u32>, target: u32, rules: &mut Sets) {
        let mut place = 0;
        while place < labels.len() && labels.len() > 1 {
            let label = labels.remove(place);
            if !self.is_rule(state, &labels, target) {
                labels.insert(place, label);
                place += 1;
            }
        }
        labels.push(target);
        rules.push(&labels);
    }

    /// Adds rules from all that an owner has, and notes how many persons have all that.
    fn rules_of_owners(&mut self, state: &State<'_>, owners: &[u32], target: u32, rules: &mut Sets) {
        let plenty = self.enough(state.persons(target).len());
        let mut looked_at: HashSet<Vec<u32>, FixedState> = HashSet::default();
        for &person in owners {
            let mut row = state.sorted_row(person);
            row.retain(|&label| label != target);
            let mut lists: Vec<&[u32]> = row.iter().map(|&label| state.persons(label)).collect();
            let all = if row.is_empty() { plenty } else { in_common(&mut lists, plenty) };
            self.having_all[person as usize] = all as u32;
            if all < plenty && !looked_at.contains(&row) {
                if self.is_rule(state, &row, target) {
                    self.push_smallest(state, row.clone(), target, rules);
                }
                looked_at.insert(row);
            }
        }
    }

    /// Adds rules whose antecedent extends some labels, which the owners have, unless by a label up to `last`.
    fn extend(
        &mut self,
        state: &State<'_>,
        (mut labels, owners): (Vec<u32>, Vec<u32>),
        last: Option<u32>,
        target: u32,
        rules: &mut Sets,
    ) {
        // Owners who can be among those that a rule gives away. What others have is harmless, whatever part of it is known.
        let mut exposed = owners.len();
        loop {
            let is_exposed = |person: &&u32| self.is_too_sure(exposed, self.having_all[**person as usize] as usize);
            let count = owners.iter().filter(is_exposed).count();
            if count == exposed {
                break;
            }
            exposed = count;
        }
        if exposed == 0 {
            return;
        }
        let mut seen = Vec::new();
        for &person in &owners {
            for label in state.row(person) {
                if self.counts[label as usize] == 0 {
                    seen.push(label);
                }
                self.counts[label as usize] += 1;
            }
        }
        seen.sort_unstable();
        let counted: Vec<(u32, u32)> =
            seen.iter().map(|&label| (label, std::mem::take(&mut self.counts[label as usize]))).collect();
        let mut further = Vec::new();
        for (label, count) in counted {
            if label == target || labels.contains(&label) {
                continue;
            } else if (count as usize) < owners.len() {
                further.push(label);
            } else if last.is_some_and(|last| label < last) {
                // The same set is reached by way of that label.
                return;
            } else {
                labels.push(label);
            }
        }
        if !labels.is_empty() && self.leads(state, &labels, owners.len()) {
            return self.push_smallest(state, labels, target, rules);
        }
        for label in further {
            if last.is_none_or(|last| label > last) && rules.len() < ENOUGH {
                let mut longer = labels.clone();
                longer.push(label);
                self.extend(state, (longer, both(&owners, state.persons(label))), Some(label), target, rules);
            }
        }
    }
}

/// Who is in both of two rising lists.
fn both(left: &[u32], right: &[u32]) -> Vec<u32> {
    left.iter().copied().filter(|person| right.binary_search(person).is_ok()).collect()
}

impl Threats for SensitiveRules {
    fn find(&mut self, state: &State<'_>, fresh: &[u32]) -> Sets {
        let mut rules = Sets::default();
        for target in self.sensitive.clone() {
            if !state.is_kept(target) {
                continue;
            }
            let is_fresh = fresh.binary_search(&target).is_ok();
            let owners = state.persons(target);
            if is_fresh && self.empty_antecedent && self.is_too_sure(owners.len(), self.persons) {
                rules.push(&[target]);
                continue;
            }
            // What is known: anything, or something that holds a fresh label.
            let mut starts: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
            if is_fresh {
                starts.push((Vec::new(), owners.to_vec()));
            } else {
                let kept = fresh.iter().filter(|&&label| state.is_kept(label));
                starts.extend(kept.map(|&label| (vec![label], both(owners, state.persons(label)))));
            }
            starts.retain(|(_, owners)| !owners.is_empty());
            let mut concerned: Vec<u32> = starts.iter().flat_map(|(_, owners)| owners.iter().copied()).collect();
            concerned.sort_unstable();
            concerned.dedup();
            let before = rules.len();
            self.rules_of_owners(state, &concerned, target, &mut rules);
            if rules.len() == before {
                for start in starts {
                    self.extend(state, start, None, target, &mut rules);
                }
            }
            if rules.len() >= ENOUGH {
                break;
            }
        }
        rules
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::super::recoding::tests::{all_words, assert_generalised, random_baskets, subsets, support};
    use super::*;
    use crate::data::BasketsBuilder;
    use crate::data::baskets::tests::baskets;
    use crate::progress::Silent;
    use crate::taxonomy::Taxonomy;

    fn protect(original: &Baskets, rho: f64, empty_antecedent: bool) -> Baskets {
        protect_with(original, Params { rho, empty_antecedent, keep_sensitive: false })
    }

    fn protect_with(original: &Baskets, params: Params) -> Baskets {
        let method = RhoUncertainty::new(params).unwrap();
        method.protect(original, &mut Rng::seeded(1), &Silent).unwrap().records
    }

    /// A rule with a confidence above rho: what is known, and the sensitive item.
    fn violation(baskets: &Baskets, rho: f64, empty_antecedent: bool) -> Option<(Vec<u32>, u32)> {
        let sets: BTreeSet<Vec<u32>> =
            (0..baskets.persons()).flat_map(|person| subsets(baskets.basket(person), usize::MAX)).collect();
        let too_sure = |set: &[u32], item: u32| {
            let mut both = set.to_vec();
            both.push(item);
            support(baskets, &both) as f64 / support(baskets, set) as f64 > rho
        };
        sets.into_iter().filter(|set| empty_antecedent || !set.is_empty()).find_map(|set| {
            let items = baskets.sensitive().iter().filter(|item| !set.contains(item));
            items.copied().find(|&item| too_sure(&set, item)).map(|item| (set, item))
        })
    }

    /// The thesis has no example. Here a1 and b1 together lead to s for certain. With A and B both open, s would have to
    /// go, at a cost of 1; B closed costs 4 times 2/9.
    #[test]
    fn a_rule_is_hidden_by_generalising() {
        let under = |parent: &'static str, items: &'static str| items.split(' ').map(move |item| (item, parent));
        let edges = under("T", "A B s t u v w").chain(under("A", "a1 a2")).chain(under("B", "b1 b2"));
        let taxonomy = Arc::new(Taxonomy::from_edges(edges).unwrap());
        let original = baskets(&taxonomy, &["a1 b1 s", "a2 b1", "a1 b2", "a2 b2"]);
        let original = original.with_sensitive(vec![taxonomy.find("s").unwrap()]);
        assert!(violation(&original, 0.5, false).is_some());
        assert_eq!(all_words(&protect(&original, 0.5, false)), ["a1 B s", "a2 B", "a1 B", "a2 B"]);
        // One person in four has s: too many even for who knows nothing.
        assert_eq!(all_words(&protect(&original, 0.2, true)), ["a1 b1", "a2 b1", "a1 b2", "a2 b2"]);
        assert_eq!(all_words(&protect(&original, 1.0, true)), all_words(&original));
    }

    #[test]
    fn sensitive_items_can_be_kept() {
        let edges = [("A", "T"), ("s", "T"), ("a1", "A"), ("a2", "A")];
        let taxonomy = Arc::new(Taxonomy::from_edges(edges).unwrap());
        let original = baskets(&taxonomy, &["a1 a1 s", "a2", "a2", "a2"]);
        let original = original.with_sensitive(vec![taxonomy.find("s").unwrap()]);
        assert_eq!(all_words(&protect(&original, 0.5, false)), ["a1", "a2", "a2", "a2"]);
        let keep = Params { keep_sensitive: true, ..Params::default() };
        assert_eq!(all_words(&protect_with(&original, keep)), ["s", "a2", "a2", "a2"]);
    }

    #[test]
    fn without_a_taxonomy_items_are_suppressed() {
        let mut builder = BasketsBuilder::new(None, false);
        for (line, row) in ["a b s", "a c", "a b", "c", "a c s"].iter().enumerate() {
            let person = builder.person(&(line + 1).to_string());
            for label in row.split(' ') {
                let item = builder.label(label);
                builder.push(person, item);
            }
        }
        let original = builder.finish().with_sensitive(vec![2]);
        assert_eq!(violation(&original, 0.5, false), None);
        assert_eq!(all_words(&protect(&original, 0.5, false)), all_words(&original));
        let records = protect(&original, 0.4, false);
        assert_eq!(violation(&records, 0.4, false), None);
        assert_ne!(all_words(&records), all_words(&original));
    }

    #[test]
    fn every_result_keeps_its_promise() {
        let mut rng = Rng::seeded(2);
        for _ in 0..400 {
            let (nodes, persons) = (3 + rng.index(16), 4 + rng.index(20));
            let original = random_baskets(&mut rng, nodes, persons, 6);
            let mut sensitive: Vec<u32> = original.items().iter().copied().filter(|&item| item != ROOT).collect();
            rng.shuffle(&mut sensitive);
            sensitive.truncate(1 + rng.index(4));
            if sensitive.is_empty() {
                continue;
            }
            let original = original.with_sensitive(sensitive);
            let (rho, empty) = ([0.2, 0.4, 0.5, 0.7][rng.index(4)], rng.index(2) == 0);
            let params = Params { rho, empty_antecedent: empty, keep_sensitive: rng.index(2) == 0 };
            let records = protect_with(&original, params.clone());
            assert_eq!(violation(&records, rho, empty), None);
            assert_generalised(&original, &records);
            for person in 0..persons {
                // Sensitive items are published as they are or not at all.
                let invented = |&item: &u32| original.is_sensitive(item) && !original.basket(person).contains(&item);
                assert!(!records.basket(person).iter().any(invented));
            }
            assert_eq!(all_words(&protect_with(&original, params)), all_words(&records));
        }
    }

    #[test]
    fn larger_results_keep_their_promise() {
        let mut rng = Rng::seeded(12);
        for keep_sensitive in [false, true] {
            let original = random_baskets(&mut rng, 60, 300, 7);
            let leaves = (0..60).filter(|&node| original.taxonomy().unwrap().is_leaf(node));
            let sensitive: Vec<u32> = leaves.filter(|node| original.items().contains(node)).step_by(7).collect();
            let original = original.with_sensitive(sensitive);
            let records = protect_with(&original, Params { rho: 0.4, empty_antecedent: false, keep_sensitive });
            assert_eq!(violation(&records, 0.4, false), None);
            assert_generalised(&original, &records);
        }
    }

    #[test]
    fn refusals() {
        for rho in [0.0, 1.5, f64::NAN] {
            assert!(RhoUncertainty::new(Params { rho, ..Params::default() }).is_err());
        }
        let food = Arc::new(crate::taxonomy::tests::food());
        let original = baskets(&food, &["Apple Food", "Beef"]).with_sensitive(vec![ROOT]);
        let method = RhoUncertainty::new(Params::default()).unwrap();
        let error = method.protect(&original, &mut Rng::seeded(1), &Silent).unwrap_err();
        assert!(error.to_string().contains("root of the taxonomy"));
    }
}
