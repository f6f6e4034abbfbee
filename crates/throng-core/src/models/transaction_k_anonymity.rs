//! Transactional k-anonymity: every basket occurs at least k times.
//!
//! Paper      002 (thesis on Clump), section 2.6 and Definition 3.3.1; after He and Naughton 2009.
//! Promises   whoever knows a person's basket, or any part of it, as it stands in the release, is left with at least k
//!            persons.
//! Does not   hide what the baskets say: what all k have in common is out.
//!
//! # Idea
//! A basket is a bag: copies count, the order does not. Where sensitive items are published by group, the group belongs
//! to the record. Persons are sorted by record; the shortest run of equal ones is the k that the data achieve. An empty
//! basket is a record like any other.
//!
//! # Cost
//! Time O(n log n) comparisons of baskets, memory O(n) for n persons.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{Model, Verdict, Witness};
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::info::{self, Info, Kind};

/// The card of the model.
pub const INFO: Info = Info {
    name: "transaction-k-anonymity",
    summary: "every basket occurs at least k times",
    paper: "He, Naughton. Anonymization of set-valued data via top-down, local generalization. VLDB 2009; as reviewed in \
            Milani Fard's thesis (Simon Fraser University, 2010), section 2.6",
    details: "A basket is a bag of items as they stand in the file: copies count, the order does not. An empty basket is a \
        basket too. Where sensitive items are published by group, the number of the group belongs to the record. The k \
        achieved is the smallest number of persons with equal records.\n\
        It reads the file alone: who made it, and how, does not matter. With a taxonomy, a general item is one item like any \
        other.\n\
        Promises: whoever links a person to the release by any of their items, present or absent, is left with at least k \
        persons.\n\
        Does not promise: that the k persons of a group differ in anything else; what all of them have is known of each. It \
        promises nothing against someone who knows the link between persons and lines.",
    kinds: &[Kind::Baskets],
    parameters: &[info::K],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a basket, at least.
    pub k: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct TransactionKAnonymity {
    k: usize,
}

impl TransactionKAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.k < 2 {
            return Err(Error::parameter("k", format!("is {}, but must be at least 2", params.k))
                .with_hint("every file is 1-anonymous: there is nothing to check"));
        }
        Ok(Self { k: params.k })
    }
}

impl Model<Baskets> for TransactionKAnonymity {
    fn check(&self, data: &Baskets) -> Verdict {
        let group = |person: u32| data.grouping().map(|grouping| grouping.group_of[person as usize]);
        let record = |person: u32| (group(person), data.basket(person as usize));
        let mut persons: Vec<u32> = (0..data.persons() as u32).collect();
        persons.sort_unstable_by(|&left, &right| record(left).cmp(&record(right)).then(left.cmp(&right)));
        // Equal persons stand in rising order, so the first of a run is its witness; ties go to the lower number.
        let runs = persons.chunk_by(|&left, &right| record(left) == record(right));
        let smallest = runs.map(|run| (run.len(), run[0])).min();
        let achieved = smallest.map_or(0, |(size, _)| size);
        let holds = achieved >= self.k;
        let witness = smallest.filter(|_| !holds).map(|(size, person)| {
            let items = data.basket(person as usize).to_vec();
            Witness {
                items,
                numbers: Map::from_iter([("support".into(), json!(size))]),
                ..Witness::of_group(person, size)
            }
        });
        Verdict { holds, achieved: Map::from_iter([("k".into(), json!(achieved))]), witness }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{baskets, random};
    use super::*;
    use crate::data::baskets::Grouping;
    use proptest::prelude::*;

    fn check(k: usize, data: &Baskets) -> Verdict {
        TransactionKAnonymity::new(Params { k }).unwrap().check(data)
    }

    #[test]
    fn copies_count_and_the_order_does_not() {
        let verdict = check(2, &baskets(&["a a b", "c", "b a a", "c", "c"]));
        assert!(verdict.holds);
        assert_eq!((&verdict.achieved["k"], verdict.witness), (&json!(2), None));
        let verdict = check(2, &baskets(&["c", "a a b", "a b", "c", "a a b"]));
        let witness = verdict.witness.unwrap();
        assert_eq!((witness.person, witness.group_size, witness.items), (2, 1, vec![1, 2]));
        assert_eq!(witness.numbers["support"], 1);
    }

    #[test]
    fn a_group_tells_persons_apart() {
        let grouped = |group_of: Vec<u32>| {
            let sensitive = vec![Vec::new(); 2];
            baskets(&["a", "a", "a", "a"]).with_grouping(Grouping { group_of, sensitive })
        };
        assert_eq!(check(2, &grouped(vec![0, 1, 0, 1])).achieved["k"], 2);
        assert_eq!(check(2, &grouped(vec![0, 1, 0, 0])).witness.unwrap().person, 1);
    }

    #[test]
    fn empty_baskets_and_nobody() {
        assert!(check(2, &baskets(&["", "a", "", "a"])).holds);
        assert_eq!(check(2, &baskets(&["", "a", "a"])).witness.unwrap().person, 0);
        assert!(!check(2, &baskets(&[])).holds);
        let error = TransactionKAnonymity::new(Params { k: 1 }).unwrap_err();
        assert_eq!(error.to_string(), "`k` is 1, but must be at least 2");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn as_by_counting(data in random(8, 3, 3), k in 2..5usize) {
            let sizes: Vec<usize> = (0..data.persons())
                .map(|own| (0..data.persons()).filter(|&other| data.basket(own) == data.basket(other)).count())
                .collect();
            let achieved = sizes.iter().copied().min().unwrap_or(0);
            let verdict = check(k, &data);
            prop_assert_eq!(&verdict.achieved["k"], &json!(achieved));
            prop_assert_eq!(verdict.holds, achieved >= k);
            let expected = sizes.iter().position(|&size| size == achieved).filter(|_| achieved < k);
            prop_assert_eq!(verdict.witness.map(|witness| witness.person as usize), expected);
        }
    }
}
