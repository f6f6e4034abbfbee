//! HgHs: heuristic generalisation with heuristic suppression.
//!
//! Paper      Liu, Wang. Anonymizing Transaction Data by Integrating Suppression and Generalization. PAKDD 2010; paper
//!            002, section 2.7.
//! Claims     km-anonymity(k, m); an m at or above the longest basket stands for any number of items.
//! Does not   protect against who knows that a person does *not* have an item.
//!
//! # Idea
//! 1. Start with everything at the root. 2. Open the node of the cut that saves most, and suppress the labels that this
//!    makes dangerous: those in most rare combinations for what they cost. 3. Go on while that saves anything.
//!
//! # Readings
//! C16: generalised data are sets. C18: the cost is NCP by occurrences, 1 for a suppressed item. C20: Figure 2.3 is not in
//! the text. The paper searches a suppression scenario for each cut anew; ours keeps what is suppressed when a node is
//! opened, adds to it, closes nodes again where that is cheaper than what is suppressed under them, and at the end
//! publishes again what has become harmless.
//!
//! # Cost
//! Time O(occurrences × depth × length of a basket) for m = 2 and few retries; memory O(occurrences).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::rare_combinations::RareCombinations;
use super::recoding::{bad_count, check_crowd, recoded};
use super::taxonomy_of;
use super::top_down::State;
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
    name: "hghs",
    summary: "any m items are had by k persons: a cut found top-down, with outliers suppressed",
    paper: "Liu, Wang. Anonymizing Transaction Data by Integrating Suppression and Generalization. PAKDD 2010",
    details: "1. Everything starts as the root of the taxonomy.\n\
        2. The node whose opening saves most is opened; labels that are in most rare combinations for what they cost \
        are suppressed for everybody, until no combination of up to m labels is rare.\n\
        3. That goes on while it saves anything.\n\
        The cost is NCP: the share of all leaves that lie under what an item becomes, 0 for a leaf, 1 for a suppressed \
        item. Records are sets.\n\
        Claims km-anonymity(k, m); an m at or above the longest basket stands for any number of items. It does not \
        protect against who knows that a person does not have an item.",
    parameters: &[info::K, info::M],
};

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
pub struct Hghs {
    params: Params,
}

impl Hghs {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let errors: Vec<Error> = [check_k(params.k), bad_count("m", params.m, 1)].into_iter().flatten().collect();
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Baskets> for Hghs {
    fn protect(&self, original: &Baskets, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Baskets>> {
        let Params { k, m } = self.params;
        taxonomy_of(original, INFO.name)?;
        check_crowd(original, k)?;
        progress.stage("opening and closing nodes", 0);
        let mut state = State::new(original, &[], 1, |_| (ROOT, true));
        state.improve(&mut RareCombinations::new(k, m, state.label_count()), progress)?;
        let image = state.image();
        let claims = vec![Claim::new(&models::km_anonymity::INFO, [("k", json!(k)), ("m", json!(m))])];
        Ok(recoded(original, |item| image[item as usize], claims))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
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

    fn protect(original: &Baskets, k: usize, m: usize) -> Baskets {
        Hghs::new(Params { k, m }).unwrap().protect(original, &mut Rng::seeded(1), &Silent).unwrap().records
    }

    /// Table 2.2. The figure of the taxonomy is not in the text (C20): what the cut does not put under P or M lies right
    /// under T here, i before e, for of the two, equally dear, the first is suppressed and the table suppresses i.
    #[test]
    fn example_2_7_1() {
        let under = |parent: &'static str, items: &'static str| items.split(' ').map(move |item| (item, parent));
        let edges = under("T", "P M f g i e").chain(under("P", "a b c d")).chain(under("M", "x y z"));
        let taxonomy = Arc::new(Taxonomy::from_edges(edges).unwrap());
        let rows = ["b c d", "a f g", "d f y z", "c d f x", "a b c f g", "e i", "e", "i"];
        let original = baskets(&taxonomy, &rows);
        let records = protect(&original, 2, usize::MAX);
        assert_eq!(all_words(&records), ["P", "P f g", "P M f", "P M f", "P f g", "e", "e", ""]);
        assert_eq!(km_violation(&original, 2, 9).map(|set| set.len()), Some(2));
        assert_eq!(km_violation(&records, 2, 9), None);
    }

    #[test]
    fn common_baskets_stay_and_unique_ones_become_the_root() {
        let food = Arc::new(crate::taxonomy::tests::food());
        let same = baskets(&food, &["Apple Milk", "Apple Milk"]);
        assert_eq!(all_words(&protect(&same, 2, 2)), ["Apple Milk"; 2]);
        let unlike = baskets(&food, &["Apple", "Beef", "Cheese Cheese"]);
        assert_eq!(all_words(&protect(&unlike, 3, 2)), ["Food"; 3]);
    }

    #[test]
    fn every_result_keeps_its_promise() {
        let mut rng = Rng::seeded(9);
        for _ in 0..400 {
            let (nodes, persons) = (2 + rng.index(20), 4 + rng.index(14));
            let original = random_baskets(&mut rng, nodes, persons, 6);
            let (k, m) = (2 + rng.index(3), 1 + rng.index(5));
            if check_crowd(&original, k).is_err() {
                continue;
            }
            let m = if m == 5 { usize::MAX } else { m };
            let records = protect(&original, k, m);
            assert_eq!(km_violation(&records, k, m), None);
            assert_generalised(&original, &records);
            // Never dearer than everything at the root.
            let taxonomy = original.taxonomy().unwrap();
            let root = u64::from(taxonomy.leaves(ROOT)) * original.rows() as u64;
            assert!(published_cost(&original, &records) <= root);
            assert_eq!(all_words(&protect(&original, k, m)), all_words(&records));
        }
    }

    #[test]
    fn larger_results_keep_their_promise() {
        let mut rng = Rng::seeded(11);
        for m in [2, 3, 4, usize::MAX] {
            let original = random_baskets(&mut rng, 120, 300, 9);
            let records = protect(&original, 4, m);
            assert_eq!(km_violation(&records, 4, m), None);
            assert_generalised(&original, &records);
        }
    }

    #[test]
    fn refusals() {
        let error = Hghs::new(Params { k: 1, m: 0 }).unwrap_err();
        assert_eq!(error.to_string(), "`k` is 1, but must be at least 2; `m` is 0, but must be at least 1");
    }
}
