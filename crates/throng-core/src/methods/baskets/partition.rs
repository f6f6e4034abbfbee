//! Partition: all baskets start as the root, and what k of them share is made more special, step by step.
//!
//! Paper      He, Naughton. Anonymization of Set-Valued Data via Top-Down, Local Generalization. VLDB 2009; as told by
//!            paper 002, section 2.6, Algorithm 2.4.
//! Claims     transaction-k-anonymity(k).
//! Does not   keep copies: two items that become the same one are published once, the other counts as left out.
//!
//! # Idea
//! 1. All baskets are one part, represented by the root. 2. In a part, take the node of its representation with the
//!    greatest loss. Baskets that have items under the same children of it make a sub-part, represented by these.
//! 3. Sub-parts of fewer than k baskets are merged into a leftover that keeps the part's representation. 4. Repeat with
//!    every sub-part until no node can be taken.
//!
//! # Readings
//! C8: an item that is an inner node itself stays there; its sub-part keeps that node beside the children, and never takes
//! it again. C12: greatest loss first, ties to the lower node; the leftover never takes the node again; a leftover of
//! fewer than k is fed with the last baskets of the largest sub-part above k, else it swallows the smallest one, ties to
//! the first in the order of their children. Empty baskets are told from others first, by the same rules.
//!
//! # Cost
//! Time O(n · s · items) for n baskets and s steps on the longest way down; memory O(n).

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{protected, taxonomy_of};
use crate::data::Baskets;
use crate::error::Result;
use crate::info::{self, Info};
use crate::methods::refusals::{PERSONS, check_enough, check_k};
use crate::methods::{Method, shown_parameters};
use crate::partition::Partition as Groups;
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;
use crate::taxonomy::{ROOT, Taxonomy};

/// The card of the method.
pub const INFO: Info = Info {
    name: "partition",
    summary: "from the root down: a node becomes its children wherever k baskets go the same way",
    paper: "He, Naughton. Anonymization of Set-Valued Data via Top-Down, Local Generalization. VLDB (2009)",
    details: "1. All baskets are one part, represented by the root of the taxonomy.\n\
        2. In a part, the node with the greatest loss is made more special: baskets with items under the same of its \
        children make a sub-part, represented by these children.\n\
        3. Sub-parts of fewer than k baskets are merged; they keep the representation of the part.\n\
        4. So on with every sub-part, until nothing can be made more special. Each basket is published as the \
        representation of its part.\n\
        Claims transaction-k-anonymity(k). Copies are not kept: items that become the same one are published once.\n\
        Cost: about one look at every basket for each step down; memory linear in the data.",
    parameters: &[info::K],
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Partition {
    params: Params,
}

impl Partition {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        check_k(params.k).map_or(Ok(Self { params }), Err)
    }
}

impl Method<Baskets> for Partition {
    fn protect(&self, original: &Baskets, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Baskets>> {
        let k = self.params.k;
        let taxonomy = taxonomy_of(original, INFO.name)?;
        check_enough(original.persons(), k, PERSONS)?;
        progress.stage("grouping", original.persons() as u64);
        let is_empty = |person: &u32| original.basket(*person as usize).is_empty();
        let (empty, others) = (0..original.persons() as u32).partition(is_empty);
        let everybody = Part { members: Vec::new(), fixed: Vec::new(), open: Vec::new() };
        let below = BTreeMap::from([(Vec::new(), empty), (vec![ROOT], others)]);
        let (mut done, mut open): (Vec<Part>, Vec<Part>) =
            everybody.cut(below, &[], taxonomy, k).into_iter().partition(Part::is_done);
        while !open.is_empty() {
            progress.go_on()?;
            let steps: Vec<Vec<Part>> = open.into_par_iter().map(|part| part.step(original, taxonomy, k)).collect();
            let (finished, others): (Vec<Part>, Vec<Part>) = steps.into_iter().flatten().partition(Part::is_done);
            progress.advance(finished.iter().map(|part| part.members.len() as u64).sum());
            done.extend(finished);
            open = others;
        }
        let (groups, records) = done.into_iter().map(|part| (part.members, part.fixed)).unzip();
        let records: Vec<Vec<u32>> = records;
        Ok(protected(original, &Groups { groups }, &records, k))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

/// Baskets with one representation.
#[derive(Debug)]
struct Part {
    members: Vec<u32>,
    /// Nodes of the representation that are not taken any more.
    fixed: Vec<u32>,
    /// Those that can be.
    open: Vec<u32>,
}

impl Part {
    fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// Makes one node of the representation more special.
    fn step(mut self, baskets: &Baskets, taxonomy: &Taxonomy, k: usize) -> Vec<Part> {
        let greatest = |&at: &usize| (taxonomy.loss_count(self.open[at]), std::cmp::Reverse(self.open[at]));
        let Some(at) = (0..self.open.len()).max_by_key(greatest) else { return vec![self] };
        let node = self.open.swap_remove(at);
        let mut below: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        let mut way = Vec::new();
        for &member in &self.members {
            way_down(baskets.basket(member as usize), node, taxonomy, &mut way);
            if let Some(members) = below.get_mut(&way) {
                members.push(member);
            } else {
                below.insert(way.clone(), vec![member]);
            }
        }
        self.cut(below, &[node], taxonomy, k)
    }

    /// The sub-parts by their ways down, those that are too small merged into a leftover, which `keeps` the node taken.
    fn cut(self, below: BTreeMap<Vec<u32>, Vec<u32>>, keeps: &[u32], taxonomy: &Taxonomy, k: usize) -> Vec<Part> {
        let (mut large, small): (Vec<_>, Vec<_>) = below.into_iter().partition(|(_, members)| members.len() >= k);
        let mut leftover: Vec<u32> = small.into_iter().flat_map(|(_, members)| members).collect();
        while !leftover.is_empty() && leftover.len() < k {
            let largest = (0..large.len()).max_by_key(|&at| (large[at].1.len(), std::cmp::Reverse(at)));
            match largest {
                Some(at) if large[at].1.len() > k => leftover.extend(large[at].1.pop()),
                Some(_) => {
                    let smallest = (0..large.len()).min_by_key(|&at| (large[at].1.len(), at));
                    leftover.extend(large.remove(smallest.expect("there is a sub-part")).1);
                }
                None => break,
            }
        }
        leftover.sort_unstable();
        let mut parts = Vec::with_capacity(large.len() + 1);
        for (way, members) in large {
            let (stays, goes): (Vec<u32>, Vec<u32>) =
                way.into_iter().partition(|&node| keeps.contains(&node) || taxonomy.is_leaf(node));
            let (fixed, open) = ([&self.fixed[..], &stays].concat(), [&self.open[..], &goes].concat());
            parts.push(Part { members, fixed, open });
        }
        if !leftover.is_empty() {
            let fixed = [&self.fixed[..], keeps].concat();
            parts.push(Part { members: leftover, fixed, open: self.open });
        }
        parts
    }
}

/// The children of a node that have items of a basket, in rising order; before them the node itself if it is an item.
fn way_down(basket: &[u32], node: u32, taxonomy: &Taxonomy, way: &mut Vec<u32>) {
    way.clear();
    let mut at = basket.partition_point(|&item| item < node);
    while at < basket.len() && basket[at] < taxonomy.end(node) {
        let mut child = basket[at];
        while child != node && taxonomy.parent(child) != node {
            child = taxonomy.parent(child);
        }
        way.push(child);
        let end = if child == node { node + 1 } else { taxonomy.end(child) };
        while at < basket.len() && basket[at] < end {
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{assert_refusals, assert_sound, released, small_baskets, table_5_1};
    use super::*;

    #[test]
    fn table_5_1_of_the_thesis() {
        let (records, distortion) = released(&Partition::new(Params { k: 2 }).unwrap(), &table_5_1());
        assert_eq!(records, ["Fruit Meat", "Food", "Food", "Fruit Meat", "Food"]);
        // Reading C3: printed 8.85, but the printed expression is 69/7.
        assert_eq!(distortion, 69);
    }

    #[test]
    fn short_leftovers_are_fed_or_swallow() {
        let food = table_5_1();
        let food = food.taxonomy().unwrap();
        let records = |rows: &[&str]| {
            let original = crate::data::baskets::tests::baskets(food, rows);
            released(&Partition::new(Params { k: 2 }).unwrap(), &original).0
        };
        // One milk drinker alone: the last of three apple eaters joins.
        assert_eq!(records(&["Apple", "Apple", "Apple", "Milk"]), ["Apple", "Apple", "Food", "Food"]);
        // Nobody can be spared: the leftover swallows the first of the two smallest.
        let swallowed = records(&["Apple", "Apple", "Beef", "Beef", "Milk"]);
        assert_eq!(swallowed, ["Food", "Food", "Beef", "Beef", "Food"]);
        // Somebody with nothing.
        assert_eq!(records(&["Apple", "Apple", "Apple", ""]), ["Apple", "Apple", "", ""]);
    }

    #[test]
    fn an_item_that_is_an_inner_node_stays() {
        let food = table_5_1();
        let rows = ["Fruit Apple", "Fruit Apple", "Fruit", "Fruit"];
        let original = crate::data::baskets::tests::baskets(food.taxonomy().unwrap(), &rows);
        let (records, _) = released(&Partition::new(Params { k: 2 }).unwrap(), &original);
        assert_eq!(records, ["Fruit Apple", "Fruit Apple", "Fruit", "Fruit"]);
    }

    #[test]
    fn refusals() {
        assert_refusals(|k| Partition::new(Params { k }));
    }

    proptest! {
        #[test]
        fn releases_are_sound(original in small_baskets(2..24), k in 2usize..5) {
            prop_assume!(original.persons() >= k);
            assert_sound(&Partition::new(Params { k }).unwrap(), &original, k);
        }
    }
}
