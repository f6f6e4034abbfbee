//! k^m-anonymity: whatever m items of a person somebody knows, at least k persons have them.
//!
//! Paper      Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data. VLDB 2008; paper 002,
//!            section 2.5; readings C16 and C17.
//! Promises   whoever knows at most m items that a person has is left with at least k persons.
//! Does not   hold against knowledge of what a person does not have, nor of more than m items.
//!
//! # Idea
//! Baskets are sets. An itemset of at most m items that somebody has, but fewer than k persons, is a violation. With m at
//! least the length of the longest basket only whole baskets need to be looked at: how many persons have all of it.
//! Otherwise itemsets are grown item by item along lists of baskets ([`super::moles`]).
//!
//! # Formula
//! k achieved = the smallest support of an itemset of at most m items that occurs; the empty set counts, so that it is the
//! number of persons where all baskets are empty.
//!
//! # Cost
//! For n baskets of l items time O(n l^m / m!), less what is pruned; m of at least the longest basket O(n) walks along the
//! list of a basket's rarest item. Memory O(n l).

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::itemsets::Index;
use super::{Model, Verdict, Witness, moles};
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::info::{self, Info};

/// The card of the model.
pub const INFO: Info = Info {
    name: "km-anonymity",
    summary: "whatever m items of a person somebody knows, at least k persons have them",
    paper: "Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data. VLDB 2008; as reviewed in \
            Milani Fard's thesis (Simon Fraser University, 2010), section 2.5",
    details: "Baskets are read as sets: copies do not count. An itemset of at most m items that occurs, but in \
        the baskets of fewer than k persons, is a violation. An m above the longest basket means the longest. The k \
        achieved is the smallest support of such an itemset; where the exact number would take too long, it is the k that was \
        asked for and found to hold, and left out where it was found to fail.\n\
        Items are read as they stand in the file. A general item is one item like any other: that somebody who knows an \
        apple finds it behind `Fruit` is not considered, as in the paper; a release in which every item is replaced by \
        the same more general one everywhere promises it all the same.\n\
        Promises: whoever knows at most m items that a person has is left with at least k persons.\n\
        Does not promise: anything against someone who knows what a person does not have, how often they have \
        something, or more than m items; nor that the k persons do not all have the same secret.",
    parameters: &[info::K, info::M],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons have the items, at least.
    pub k: usize,
    /// How many items are known, at most.
    pub m: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, m: 2 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct KmAnonymity {
    k: usize,
    m: usize,
}

impl KmAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors = Vec::new();
        if params.k < 2 {
            errors.push(
                Error::parameter("k", format!("is {}, but must be at least 2", params.k))
                    .with_hint("every itemset that occurs has one person: there is nothing to check"),
            );
        }
        if params.m < 1 {
            errors.push(Error::parameter("m", "is 0, but must be at least 1"));
        }
        if errors.is_empty() { Ok(Self { k: params.k, m: params.m }) } else { Err(Error::parameters(errors)) }
    }
}

impl Model<Baskets> for KmAnonymity {
    fn check(&self, data: &Baskets) -> Result<Verdict> {
        super::refuse_groups(data, INFO.name)?;
        let index = Index::new(data, false);
        let longest = (0..index.classes()).map(|class| index.row(class).len()).max().unwrap_or(0);
        let m = self.m.min(longest);
        let k = self.k as u64;
        let worst = moles::worst(&index, m, k, 1.0).ok_or_else(|| super::undecided(INFO.name))?;
        let (support, set) = worst.support.clone().unwrap_or((data.persons() as u64, Vec::new()));
        let holds = support >= k;
        let mut achieved = Map::from_iter([("m".into(), json!(m))]);
        if worst.exact || m == 0 {
            achieved.insert("k".into(), json!(support));
        } else if worst.support.is_none() {
            achieved.insert("k".into(), json!(k));
        }
        let witness = (!holds && data.persons() > 0).then(|| {
            let set = index.without_needless(set, |set| index.whole_support(set) <= support);
            Witness {
                person: index.first_person(&set),
                group_size: support as usize,
                items: index.named(&set),
                numbers: Map::from_iter([("support".into(), json!(support))]),
            }
        });
        Ok(Verdict { holds, achieved, witness })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{baskets, random, subsets, support};
    use super::*;
    use crate::data::baskets::Grouping;
    use proptest::prelude::*;

    fn check(k: usize, m: usize, data: &Baskets) -> Verdict {
        KmAnonymity::new(Params { k, m }).unwrap().check(data).unwrap()
    }

    #[test]
    fn absence_does_not_count() {
        // Example 2.6.1 with reading C17: o(range) and c(hicken) in three baskets, m(ilk) in two of them.
        let data = baskets(&["o c m", "o c m", "o c"]);
        let verdict = check(2, 3, &data);
        assert!(verdict.holds);
        assert_eq!((&verdict.achieved["k"], &verdict.achieved["m"]), (&json!(2), &json!(3)));
        assert!(check(2, 100, &data).holds);
        let verdict = check(3, 1, &data);
        assert_eq!((verdict.holds, verdict.witness.unwrap().items), (false, vec![13]));
    }

    #[test]
    fn the_outlier_of_table_2_2() {
        // Example 2.7.1 with reading C20: under the cut {P, f, g, M, e, i}, here p for P and m for M.
        let mut rows = vec!["p", "p f g", "p f m", "p f m", "p f g", "e i", "e", "i"];
        let witness = check(2, usize::MAX, &baskets(&rows)).witness.unwrap();
        assert_eq!((witness.person, witness.group_size, witness.items), (5, 1, vec![5, 9]));
        // With i suppressed it is 2^infinity-anonymous.
        (rows[5], rows[7]) = ("e", "");
        assert!(check(2, usize::MAX, &baskets(&rows)).holds);
    }

    /// What is published by group is an item of somebody too: nothing can be said of it here.
    #[test]
    fn secrets_by_group_are_refused() {
        let grouping = Grouping { group_of: vec![0, 1], sensitive: vec![vec![(8, 1)], vec![]] };
        let data = baskets(&["a", "a"]).with_grouping(grouping);
        let refused = KmAnonymity::new(Params { k: 2, m: 2 }).unwrap().check(&data).unwrap_err();
        assert!(refused.to_string().contains("published by group"), "{refused}");
    }

    #[test]
    fn extremes() {
        assert!(!check(2, 2, &baskets(&[])).holds);
        assert!(check(2, 2, &baskets(&["", ""])).holds);
        assert_eq!(check(3, 2, &baskets(&["", ""])).witness.unwrap().group_size, 2);
        // Copies do not count.
        assert!(check(2, 2, &baskets(&["a a", "a"])).holds);
        let error = KmAnonymity::new(Params { k: 1, m: 0 }).unwrap_err().to_string();
        assert!(error.contains("`k` is 1") && error.contains("`m` is 0"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn as_by_trying_all_itemsets(data in random(9, 5, 5), k in 2..5usize, m in 1..7usize) {
            let smallest = (0..data.persons())
                .flat_map(|person| subsets(data.basket(person)))
                .filter(|set| set.len() <= m)
                .map(|set| support(&data, &set))
                .min()
                .unwrap_or(0);
            let verdict = check(k, m, &data);
            prop_assert_eq!(&verdict.achieved["k"], &json!(smallest));
            prop_assert_eq!(verdict.holds, smallest >= k);
            prop_assert_eq!(verdict.witness.is_some(), smallest < k && data.persons() > 0);
            if let Some(witness) = verdict.witness {
                prop_assert!(witness.items.len() <= m);
                prop_assert_eq!(support(&data, &witness.items), smallest);
                let has = |person: &usize| witness.items.iter().all(|item| data.basket(*person).contains(item));
                prop_assert_eq!((0..data.persons()).find(has), Some(witness.person as usize));
            }
        }
    }
}
