//! (h, k, p)-coherence: p known items leave at least k persons, of whom at most the share h has any one secret.
//!
//! Paper      Xu, Wang, Fu, Yu. Anonymizing transaction databases for publication. KDD 2008; paper 002, section 2.3;
//!            readings C13 and C15.
//! Promises   whoever knows at most p public items of a person is left with at least k persons, and is right about any
//!            one sensitive item with probability at most h.
//! Does not   hold against more than p items, absent items, or knowledge of a sensitive item.
//!
//! # Idea
//! Baskets are sets. A public itemset of 1 to p items that occurs is a mole if fewer than k persons have it, or if more than
//! the share h of them has the same sensitive item (Definition 2.3.1: the maximum over single items). Itemsets are grown
//! item by item along lists of baskets ([`super::moles`]).
//!
//! # Formula
//! P_breach(B) = max over sensitive e of Sup(B + e) / Sup(B).
//!
//! # Cost
//! For n baskets of l public and s sensitive items time O(n (s + 1) l^p / p!), less what is pruned, memory O(n l).

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::itemsets::Index;
use super::{Model, Verdict, Witness, moles};
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};

/// The card of the model.
pub const INFO: Info = Info {
    name: "coherence",
    summary: "p known items leave at least k persons, of whom at most the share h has any one secret",
    paper: "Xu, Wang, Fu, Yu. Anonymizing transaction databases for publication. KDD 2008; as reviewed in \
            Milani Fard's thesis (Simon Fraser University, 2010), section 2.3",
    details: "Baskets are read as sets. A public itemset of 1 to p items that occurs must occur in the baskets of at least k \
        persons, and of these at most the share h may have the same sensitive item (the greatest share over \
        single sensitive items, not that of having any). Knowing nothing is no itemset: how common a sensitive item is in \
        the whole file is not judged. A p above the longest basket means the longest.\n\
        Achieved are the smallest support k and the greatest share h; where the exact numbers would take too long, \
        those that were asked for and found to hold, and none where they were found to fail. A witness that breaks h names \
        the sensitive item last.\n\
        Items are read as they stand in the file; a general item is one item like any other.\n\
        Promises: whoever knows at most p public items of a person is left with at least k persons, and guesses any one \
        sensitive item of theirs with a probability of at most h.\n\
        Does not promise: anything against someone who knows more than p items, what a person does not have, or one of \
        their sensitive items; nor that having some sensitive item is as unlikely as having a given one.",
    parameters: &[
        Parameter {
            name: "h",
            summary: "which share of the persons with the known items may have the same sensitive item, at most",
            kind: ParameterKind::Share,
            default: "0.8",
        },
        info::K,
        Parameter {
            name: "p",
            summary: "how many public items of a person an attacker knows, at most",
            kind: ParameterKind::Count,
            default: "2",
        },
    ],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// Which share may have the same sensitive item, at most.
    pub h: f64,
    /// How many persons have the known items, at least.
    pub k: usize,
    /// How many items are known, at most.
    pub p: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { h: 0.8, k: 5, p: 2 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct Coherence {
    params: Params,
}

impl Coherence {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors = Vec::new();
        if !(params.h > 0.0 && params.h <= 1.0) {
            errors.push(Error::parameter("h", format!("is {}, but must be above 0 and at most 1", params.h)));
        }
        if params.k < 1 {
            errors.push(Error::parameter("k", "is 0, but must be at least 1"));
        }
        if params.p < 1 {
            errors.push(Error::parameter("p", "is 0, but must be at least 1"));
        }
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

impl Model<Baskets> for Coherence {
    fn needs_sensitive(&self) -> bool {
        true
    }

    fn check(&self, data: &Baskets) -> Result<Verdict> {
        super::refuse_groups(data, INFO.name)?;
        let index = Index::new(data, true);
        let longest = (0..index.classes()).map(|class| index.public(class).len()).max().unwrap_or(0);
        let (p, k, h) = (self.params.p.min(longest), self.params.k as u64, self.params.h);
        let worst = moles::worst(&index, p, k, h).ok_or_else(|| super::undecided(INFO.name))?;
        let holds = !worst.violates(k, h);
        let mut achieved = Map::from_iter([("p".into(), json!(p))]);
        if worst.exact {
            let support = worst.support.as_ref().map_or(data.persons() as u64, |&(support, _)| support);
            achieved.insert("k".into(), json!(support));
            achieved.insert("h".into(), json!(worst.breach.as_ref().map_or(0.0, |&(breach, ..)| breach)));
        } else if holds {
            achieved.extend([("k".into(), json!(k)), ("h".into(), json!(h))]);
        }
        Ok(Verdict { holds, achieved, witness: (!holds).then(|| witness(&index, worst, k)).flatten() })
    }
}

/// The rarest mole, or, where none is too rare, the one that says most.
fn witness(index: &Index, worst: moles::Worst, k: u64) -> Option<Witness> {
    let with = |set: &[u32], secret: u32| {
        let together: Vec<u32> = set.iter().copied().chain([secret]).collect();
        (index.whole_support(&together), together)
    };
    if worst.is_rare(k) {
        let (support, set) = worst.support?;
        let set = index.without_needless(set, |set| !set.is_empty() && index.whole_support(set) <= support);
        let breach = (index.publics()..index.items()).map(|secret| with(&set, secret).0).max().unwrap_or(0);
        return Some(Witness {
            person: index.first_person(&set),
            group_size: support as usize,
            items: index.named(&set),
            numbers: Map::from_iter([
                ("support".into(), json!(support)),
                ("breach".into(), json!(breach as f64 / support as f64)),
            ]),
        });
    }
    let (breach, set, secret) = worst.breach?;
    let share = |set: &[u32]| with(set, secret).0 as f64 / index.whole_support(set) as f64;
    let set = index.without_needless(set, |set| !set.is_empty() && share(set) >= breach);
    let support = index.whole_support(&set);
    let mut items = index.named(&set);
    items.extend(index.named(&[secret]));
    Some(Witness {
        person: index.first_person(&with(&set, secret).1),
        group_size: support as usize,
        items,
        numbers: Map::from_iter([("support".into(), json!(support)), ("breach".into(), json!(share(&set)))]),
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{baskets, random, subsets, support};
    use super::*;
    use proptest::prelude::*;

    fn check(h: f64, k: usize, p: usize, data: &Baskets) -> Verdict {
        Coherence::new(Params { h, k, p }).unwrap().check(data).unwrap()
    }

    /// Table 2.1 of the thesis; i stands for Diabetes, j for Hepatitis, k for HIV.
    const TABLE: [&str; 5] = ["a c d f g i", "a b c f j", "b d f x j", "b c g y z k", "a c f g k"];

    fn table(rows: &[&str]) -> Baskets {
        baskets(rows).with_sensitive(vec![9, 10, 11])
    }

    #[test]
    fn example_2_3_1() {
        // {a, b} is in t2 alone.
        let verdict = check(0.8, 2, 2, &table(&TABLE));
        assert!(!verdict.holds);
        assert_eq!(support(&table(&TABLE), &[1, 2]), 1);
        // Reading C15: x, y and z occur once each, so the table is not (80 %, 2, 1)-coherent as printed …
        let verdict = check(0.8, 2, 1, &table(&TABLE));
        let witness = verdict.witness.unwrap();
        assert_eq!((witness.person, witness.group_size, witness.items), (2, 1, vec![24]));
        assert_eq!(witness.numbers["breach"], 1.0);
        // … but is once they are suppressed; b -> Hepatitis and g -> HIV then say most.
        let suppressed = TABLE.map(|row| row.replace(['x', 'y', 'z'], ""));
        let data = table(&suppressed.each_ref().map(String::as_str));
        let verdict = check(0.8, 2, 1, &data);
        assert!(verdict.holds);
        assert_eq!((&verdict.achieved["k"], &verdict.achieved["h"]), (&json!(2), &json!(2.0 / 3.0)));
        // {b, f}: two transactions, both Hepatitis. At k = 1 nothing is too rare, and a breach is the witness.
        assert_eq!((support(&data, &[2, 6]), support(&data, &[2, 6, 10])), (2, 2));
        let witness = check(0.8, 1, 2, &data).witness.unwrap();
        assert_eq!(witness.numbers["breach"], 1.0);
        assert!(data.is_sensitive(*witness.items.last().unwrap()));
    }

    #[test]
    fn extremes() {
        assert!(check(0.5, 2, 2, &table(&[])).holds);
        // Nothing public is left: nothing can be known.
        assert!(check(0.5, 2, 2, &table(&["i", "i", "i"])).holds);
        assert!(check(0.5, 2, 2, &table(&["a i", "a"])).holds);
        assert!(!check(0.4, 2, 2, &table(&["a i", "a"])).holds);
        let error = Coherence::new(Params { h: 0.0, k: 0, p: 0 }).unwrap_err().to_string();
        assert!(["`h` is 0", "`k` is 0", "`p` is 0"].iter().all(|part| error.contains(part)), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn as_by_trying_all_itemsets(
            data in random(9, 6, 5), k in 1..5usize, p in 1..6usize, tenths in 1..=10u32, secrets in 0..=2u32,
        ) {
            let data = data.with_sensitive((1..=secrets).collect());
            let h = f64::from(tenths) / 10.0;
            let mut smallest = data.persons();
            let mut greatest: f64 = 0.0;
            for person in 0..data.persons() {
                for set in subsets(data.basket(person)) {
                    if set.is_empty() || set.len() > p || set.iter().any(|&item| data.is_sensitive(item)) {
                        continue;
                    }
                    let own = support(&data, &set);
                    smallest = smallest.min(own);
                    for secret in 1..=secrets {
                        let with: Vec<u32> = set.iter().copied().chain([secret]).collect();
                        greatest = greatest.max(support(&data, &with) as f64 / own as f64);
                    }
                }
            }
            let has_public = data.items().iter().any(|&item| !data.is_sensitive(item));
            let verdict = check(h, k, p, &data);
            prop_assert_eq!(&verdict.achieved["k"], &json!(smallest));
            prop_assert_eq!(&verdict.achieved["h"], &json!(greatest));
            prop_assert_eq!(verdict.holds, (smallest >= k || !has_public) && greatest <= h);
            prop_assert_eq!(verdict.witness.is_some(), !verdict.holds);
            if let Some(witness) = verdict.witness {
                let by_rarity = smallest < k;
                let known = if by_rarity { &witness.items[..] } else { &witness.items[..witness.items.len() - 1] };
                prop_assert!(known.len() <= p && !known.is_empty());
                prop_assert_eq!(support(&data, known), witness.group_size);
                if by_rarity {
                    prop_assert_eq!(witness.group_size, smallest);
                } else {
                    prop_assert_eq!(support(&data, &witness.items) as f64 / witness.group_size as f64, greatest);
                }
                prop_assert!(witness.items.iter().all(|item| data.basket(witness.person as usize).contains(item)));
            }
        }
    }
}
