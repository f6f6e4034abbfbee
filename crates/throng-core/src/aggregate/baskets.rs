//! One basket for a group of baskets: their least common generalisation, and what it costs.
//!
//! Paper      002 (the Clump thesis), chapters 3 and 5; readings C1, C2, C7, C10.
//!
//! # Idea
//! 1. N_i(t) is the number of items of t at or under node i. Counts of a basket are a short list in pre-order.
//! 2. A basket g generalises t exactly if N_i(g) <= N_i(t) for every i. So the least common generalisation of a group has
//!    the element-wise minimum of its members' counts, and adding a member is one merge.
//! 3. Copies of i in it are the minimum at i less the minima at the children of i.
//!
//! # Formula
//! LM(i) = (leaves under i - 1) / (all leaves - 1). GGD(S, g) = |S| · sum of LM over the items of g + items suppressed.
//! All distortions here are GGD times [`Taxonomy::loss_unit`]: whole numbers, so that ties are ties.
//!
//! # Cost
//! Counts take O(items · height) time and memory; the minimum of two is linear in their lengths.

use crate::taxonomy::Taxonomy;

/// How many items of a basket lie at or under each node; only nodes that have some, in pre-order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    nodes: Vec<(u32, u32)>,
}

impl Counts {
    /// The counts of a basket, its items in rising order.
    pub fn of(taxonomy: &Taxonomy, basket: &[u32]) -> Self {
        let mut counter = Counter::default();
        counter.count(taxonomy, basket);
        Self { nodes: counter.nodes }
    }

    /// Nodes and their counts in pre-order.
    pub fn nodes(&self) -> &[(u32, u32)] {
        &self.nodes
    }

    /// Keeps what another basket has as well: the smaller count at every node.
    pub fn meet(&mut self, other: &[(u32, u32)]) {
        let (mut kept, mut at) = (0, 0);
        for mine in 0..self.nodes.len() {
            let (node, count) = self.nodes[mine];
            while at < other.len() && other[at].0 < node {
                at += 1;
            }
            if at == other.len() {
                break;
            }
            if other[at].0 == node {
                self.nodes[kept] = (node, count.min(other[at].1));
                kept += 1;
            }
        }
        self.nodes.truncate(kept);
    }

    /// The basket that has these counts, its items in rising order.
    pub fn basket(&self, taxonomy: &Taxonomy) -> Vec<u32> {
        let mut copies: Vec<u32> = self.nodes.iter().map(|&(_, count)| count).collect();
        let mut path: Vec<usize> = Vec::new();
        for (at, &(node, count)) in self.nodes.iter().enumerate() {
            while let Some(&above) = path.last()
                && !taxonomy.is_under(node, self.nodes[above].0)
            {
                path.pop();
            }
            if let Some(&above) = path.last() {
                copies[above] -= count;
            }
            path.push(at);
        }
        let items = self.nodes.iter().zip(copies);
        items.flat_map(|(&(node, _), copies)| std::iter::repeat_n(node, copies as usize)).collect()
    }
}

/// Counts baskets one after the other without new memory for each.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    nodes: Vec<(u32, u32)>,
    /// Where in `nodes` the nodes above the last item are, the root first.
    path: Vec<usize>,
}

impl Counter {
    /// The counts of a basket, its items in rising order.
    pub(crate) fn count(&mut self, taxonomy: &Taxonomy, basket: &[u32]) -> &[(u32, u32)] {
        self.nodes.clear();
        self.path.clear();
        for &item in basket {
            while let Some(&above) = self.path.last()
                && item >= taxonomy.end(self.nodes[above].0)
            {
                self.leave();
            }
            let above = self.path.last().map(|&at| self.nodes[at].0);
            if above != Some(item) {
                // All nodes between the last one above and the item, filled in from below.
                let level = above.map_or(0, |above| taxonomy.level(above));
                let first = self.nodes.len();
                self.nodes.resize(first + (taxonomy.level(item) - level) as usize, (0, 0));
                let mut node = item;
                for slot in self.nodes[first..].iter_mut().rev() {
                    slot.0 = node;
                    node = taxonomy.parent(node);
                }
                self.path.extend(first..self.nodes.len());
            }
            let last = self.nodes.len() - 1;
            self.nodes[last].1 += 1;
        }
        while !self.path.is_empty() {
            self.leave();
        }
        &self.nodes
    }

    /// Goes up one node, which gets what was counted below.
    fn leave(&mut self) {
        if let Some(below) = self.path.pop()
            && let Some(&above) = self.path.last()
        {
            self.nodes[above].1 += self.nodes[below].1;
        }
    }
}

/// The least common generalisation of a group, its items in rising order. Nobody has none.
pub fn least_common_generalisation<'a>(taxonomy: &Taxonomy, members: impl IntoIterator<Item = &'a [u32]>) -> Vec<u32> {
    let mut members = members.into_iter();
    let Some(first) = members.next() else { return Vec::new() };
    let mut common = Counts::of(taxonomy, first);
    let mut counter = Counter::default();
    for member in members {
        common.meet(counter.count(taxonomy, member));
    }
    common.basket(taxonomy)
}

/// The distortion of one basket of `length` items that is published as `record`, in units of the loss metric.
///
/// The record must generalise the basket, so it is not longer.
pub fn distortion(taxonomy: &Taxonomy, length: usize, record: &[u32]) -> u64 {
    let generalised: u64 = record.iter().map(|&item| u64::from(taxonomy.loss_count(item))).sum();
    generalised + (length - record.len()) as u64 * u64::from(taxonomy.loss_unit())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::taxonomy::TaxonomyBuilder;
    use crate::taxonomy::tests::food;

    fn nodes(taxonomy: &Taxonomy, row: &str) -> Vec<u32> {
        let mut items: Vec<u32> = row.split_whitespace().map(|label| taxonomy.find(label).unwrap()).collect();
        items.sort_unstable();
        items
    }

    /// The least common generalisation of some rows by name, and the group's distortion in units.
    fn lcg(taxonomy: &Taxonomy, rows: &[&str]) -> (String, u64) {
        let rows: Vec<Vec<u32>> = rows.iter().map(|row| nodes(taxonomy, row)).collect();
        let record = least_common_generalisation(taxonomy, rows.iter().map(Vec::as_slice));
        let labels: Vec<&str> = record.iter().map(|&item| taxonomy.label(item)).collect();
        let distortion = rows.iter().map(|row| distortion(taxonomy, row.len(), &record)).sum();
        (labels.join(" "), distortion)
    }

    #[test]
    fn the_examples_of_the_thesis() {
        let food = food();
        // Examples 3.2.1 and 3.2.3; one unit is a seventh.
        assert_eq!(lcg(&food, &["Orange Beef", "Apple Chicken Beef"]), ("Fruit Beef".into(), 11));
        assert_eq!(lcg(&food, &["Orange Milk", "Apple Cheese Butter"]).0, "Fruit Dairy");
        // Example 5.1.1 as well.
        let third = ["Orange Apple", "Orange Banana Milk", "Banana Apple Beef"];
        assert_eq!(lcg(&food, &third).0, "Fruit Fruit");
        assert_eq!(lcg(&food, &["Orange Beef", "Apple Milk"]).0, "Food Fruit");
        // Section 5.2: 2.57 and 2.857 (printed truncated, 2.85).
        assert_eq!(lcg(&food, &["Orange Chicken Beef", "Banana Beef Cheese"]), ("Food Fruit Beef".into(), 18));
        assert_eq!(lcg(&food, &["Chicken Milk Butter", "Banana Beef Cheese"]), ("Food Meat Dairy".into(), 20));
    }

    #[test]
    fn example_3_1_1_has_fifteen_generalised_transactions() {
        let food = food();
        assert_eq!(generalised(&food, &nodes(&food, "Orange Beef")).len(), 15);
    }

    #[test]
    fn where_the_printed_algorithm_errs() {
        // Reading C1: surplus items of a matched child go up.
        let tree = Taxonomy::from_edges(
            [("Fruit", "Food"), ("Citrus", "Fruit"), ("Apple", "Fruit"), ("Bread", "Food")].into_iter().chain([
                ("Orange", "Citrus"),
                ("Lemon", "Citrus"),
                ("Lime", "Citrus"),
            ]),
        )
        .unwrap();
        assert_eq!(lcg(&tree, &["Orange Lemon", "Lime Apple"]).0, "Fruit Citrus");
        assert_eq!(lcg(&food(), &["Apple Apple", "Apple Orange"]).0, "Fruit Apple");
    }

    #[test]
    fn nothing_and_one_leaf() {
        let food = food();
        assert_eq!(lcg(&food, &[]), (String::new(), 0));
        assert_eq!(lcg(&food, &["Apple Beef", ""]), (String::new(), 14));
        let chain = Taxonomy::from_edges([("b", "a"), ("c", "b")]).unwrap();
        assert_eq!(lcg(&chain, &["c c", "b"]), ("b".into(), 1));
    }

    /// A random tree: node n + 1 is put under one of the first n + 1.
    pub(crate) fn tree(parents: &[prop::sample::Index]) -> Taxonomy {
        let mut builder = TaxonomyBuilder::new();
        builder.node("0");
        for (child, parent) in parents.iter().enumerate() {
            builder.add(&(child + 1).to_string(), &parent.index(child + 1).to_string()).unwrap();
        }
        builder.finish().unwrap()
    }

    /// All generalised transactions of a basket by Definition 3.1.1: each item is left out or becomes one above it.
    pub(crate) fn generalised(taxonomy: &Taxonomy, basket: &[u32]) -> BTreeSet<Vec<u32>> {
        let mut all = BTreeSet::from([Vec::new()]);
        for &item in basket {
            let longer = all.iter().flat_map(|some: &Vec<u32>| {
                taxonomy.ancestors(item).map(|above| {
                    let mut more = some.clone();
                    more.push(above);
                    more.sort_unstable();
                    more
                })
            });
            let longer: Vec<Vec<u32>> = longer.collect();
            all.extend(longer);
        }
        all
    }

    proptest! {
        #[test]
        fn the_least_is_least_of_all_common_generalisations(
            parents in prop::collection::vec(any::<prop::sample::Index>(), 1..9),
            rows in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..5), 1..5),
        ) {
            let taxonomy = tree(&parents);
            let rows: Vec<Vec<u32>> = rows.iter().map(|row| {
                let mut items: Vec<u32> = row.iter().map(|item| item.index(taxonomy.len()) as u32).collect();
                items.sort_unstable();
                items
            }).collect();
            let mut common = generalised(&taxonomy, &rows[0]);
            for row in &rows[1..] {
                let others = generalised(&taxonomy, row);
                common.retain(|some| others.contains(some));
            }
            let least = least_common_generalisation(&taxonomy, rows.iter().map(Vec::as_slice));
            prop_assert!(common.contains(&least));
            // Reading C25: what is common to all is a generalisation of the least.
            let of_least = generalised(&taxonomy, &least);
            prop_assert!(common.iter().all(|some| of_least.contains(some)));
            let cost = |record: &[u32]| rows.iter().map(|row| distortion(&taxonomy, row.len(), record)).sum::<u64>();
            prop_assert_eq!(common.iter().map(|some| cost(some)).min(), Some(cost(&least)));
            // By counts: every node's count is the number of items under it.
            let counts = Counts::of(&taxonomy, &rows[0]);
            for node in 0..taxonomy.len() as u32 {
                let under = rows[0].iter().filter(|&&item| taxonomy.is_under(item, node)).count() as u32;
                let counted = counts.nodes().iter().find(|&&(other, _)| other == node).map_or(0, |&(_, count)| count);
                prop_assert_eq!(counted, under);
            }
        }
    }
}
