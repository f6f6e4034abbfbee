//! Global recoding: items generalised to the nodes of a cut through the taxonomy, and what that costs.
//!
//! What items become are *labels*: a node of the taxonomy stands for everything at or under it. An item that is itself an
//! inner node (a word such as "fruit") has a label of its own beside, so that it can stay what it is while the nodes
//! under it stay what they are. A cut has no label above another. Published, both sorts are the node.
//!
//! # Formula
//! NCP(node) = leaves under it / all leaves, 0 for a leaf (reading C18); a suppressed item costs 1. The cost of a recoding
//! is the sum over all occurrences of items, copies included, counted in whole numbers: times the number of leaves.

use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::methods::refusals::{PERSONS, check_having};
use crate::release::{Claim, Protected};
use crate::taxonomy::{ROOT, Taxonomy};

/// Who has what, by node of the taxonomy.
#[derive(Debug)]
pub(super) struct Recoding<'a> {
    taxonomy: &'a Taxonomy,
    /// Item `n` is had by `persons[starts[n]..starts[n + 1]]`, in rising order.
    starts: Vec<usize>,
    persons: Vec<u32>,
    /// Occurrences of all items below `n`, copies included.
    before: Vec<u64>,
    count: usize,
}

impl<'a> Recoding<'a> {
    /// Looks at the wanted items of all persons.
    pub(super) fn new(original: &Baskets, taxonomy: &'a Taxonomy, wanted: impl Fn(u32) -> bool) -> Self {
        let nodes = taxonomy.len();
        let (mut starts, mut before) = (vec![0; nodes + 1], vec![0; nodes + 1]);
        for_each_item(original, |_, item, copies| {
            if wanted(item) {
                starts[item as usize + 1] += 1;
                before[item as usize + 1] += copies as u64;
            }
        });
        for node in 0..nodes {
            starts[node + 1] += starts[node];
            before[node + 1] += before[node];
        }
        let (mut next, mut persons) = (starts.clone(), vec![0; starts[nodes]]);
        for_each_item(original, |person, item, _| {
            if wanted(item) {
                let place = &mut next[item as usize];
                persons[*place] = person;
                *place += 1;
            }
        });
        Self { taxonomy, starts, persons, before, count: original.persons() }
    }

    pub(super) fn taxonomy(&self) -> &'a Taxonomy {
        self.taxonomy
    }

    /// The number of labels: nodes, and inner nodes as items of their own.
    pub(super) fn labels(&self) -> usize {
        2 * self.taxonomy.len()
    }

    /// The label of an item that is not generalised.
    pub(super) fn own(&self, item: u32) -> u32 {
        if self.taxonomy.is_leaf(item) { item } else { item + self.taxonomy.len() as u32 }
    }

    /// The node that a label is published as.
    pub(super) fn node(&self, label: u32) -> u32 {
        let nodes = self.taxonomy.len() as u32;
        if label < nodes { label } else { label - nodes }
    }

    /// The label right above, unless there is none.
    pub(super) fn parent(&self, label: u32) -> Option<u32> {
        let node = self.node(label);
        if label != node { Some(node) } else { (node != ROOT).then(|| self.taxonomy.parent(node)) }
    }

    /// The items that a label stands for are the nodes from the first up to, without, the second.
    pub(super) fn items(&self, label: u32) -> (u32, u32) {
        let node = self.node(label);
        (node, if label == node { self.taxonomy.end(node) } else { node + 1 })
    }

    /// How often the items of a label occur, copies included.
    pub(super) fn occurrences(&self, label: u32) -> u64 {
        let (first, end) = self.items(label);
        self.before[end as usize] - self.before[first as usize]
    }

    /// What an occurrence costs that is published as a label: NCP times the number of leaves.
    pub(super) fn weight(&self, label: u32) -> u64 {
        let node = self.node(label);
        if self.taxonomy.is_leaf(node) { 0 } else { u64::from(self.taxonomy.leaves(node)) }
    }

    /// What an occurrence costs that is suppressed.
    pub(super) fn suppressed_weight(&self) -> u64 {
        u64::from(self.taxonomy.leaves(ROOT))
    }

    /// What it costs to publish the items of a label as it.
    pub(super) fn cost(&self, label: u32) -> u64 {
        self.occurrences(label) * self.weight(label)
    }

    /// Who has an item of a label, in rising order; items for which `left_out` holds do not count.
    pub(super) fn persons(&self, label: u32, left_out: impl Fn(u32) -> bool) -> Vec<u32> {
        let (first, end) = self.items(label);
        let slice = |item: u32| &self.persons[self.starts[item as usize]..self.starts[item as usize + 1]];
        let all = self.starts[end as usize] - self.starts[first as usize];
        let items = (first..end).filter(|&item| !slice(item).is_empty() && !left_out(item));
        if all < self.count / 32 {
            let mut persons: Vec<u32> = items.flat_map(|item| slice(item).iter().copied()).collect();
            persons.sort_unstable();
            persons.dedup();
            return persons;
        }
        let mut has = vec![0u64; self.count.div_ceil(64)];
        for item in items {
            for &person in slice(item) {
                has[person as usize / 64] |= 1 << (person % 64);
            }
        }
        let mut persons = Vec::with_capacity(has.iter().map(|word| word.count_ones() as usize).sum());
        for (place, mut word) in has.into_iter().enumerate() {
            while word != 0 {
                persons.push(64 * place as u32 + word.trailing_zeros());
                word &= word - 1;
            }
        }
        persons
    }
}

/// Calls for every person and distinct item of theirs, with its number of copies.
fn for_each_item(baskets: &Baskets, mut call: impl FnMut(u32, u32, usize)) {
    for person in 0..baskets.persons() {
        for copies in baskets.basket(person).chunk_by(|left, right| left == right) {
            call(person as u32, copies[0], copies.len());
        }
    }
}

/// Whether at least k persons are in all of some rising lists.
pub(super) fn at_least(lists: &mut [&[u32]], k: usize) -> bool {
    lists.iter().all(|list| list.len() >= k) && in_common(lists, k) >= k
}

/// How many persons are in all of some rising lists, counted up to `most`.
pub(super) fn in_common(lists: &mut [&[u32]], most: usize) -> usize {
    lists.sort_unstable_by_key(|list| list.len());
    let Some((shortest, others)) = lists.split_first_mut() else { return 0 };
    let mut found = 0;
    'person: for &person in *shortest {
        if found >= most {
            break;
        }
        for list in &mut *others {
            *list = &list[first_not_below(list, person)..];
            if list.is_empty() {
                return found;
            }
            if list[0] != person {
                continue 'person;
            }
        }
        found += 1;
    }
    found
}

/// The place of the first number that is not below another, by steps that double and a bisection.
fn first_not_below(list: &[u32], bound: u32) -> usize {
    let mut reach = 1;
    while reach <= list.len() && list[reach - 1] < bound {
        reach *= 2;
    }
    let start = reach / 2;
    start + list[start..reach.min(list.len())].partition_point(|&other| other < bound)
}

/// Some `size` of the labels that too few persons have together, or all of them if they are no more than `size`.
pub(super) fn rare_subset(
    labels: &[u32],
    size: usize,
    is_frequent: &mut impl FnMut(&[u32]) -> bool,
) -> Option<Vec<u32>> {
    if labels.len() <= size || size > 2 {
        // What all labels together have, every part of them has.
        if labels.is_empty() || is_frequent(labels) {
            return None;
        } else if labels.len() <= size {
            return Some(labels.to_vec());
        }
    }
    let mut places: Vec<usize> = (0..size).collect();
    let mut subset: Vec<u32> = labels[..size].to_vec();
    loop {
        if !is_frequent(&subset) {
            return Some(subset);
        }
        let turn = (0..size).rev().find(|&turn| places[turn] < labels.len() - size + turn)?;
        let first = places[turn] + 1;
        for (place, value) in (turn..size).zip(first..) {
            places[place] = value;
            subset[place] = labels[value];
        }
    }
}

/// The greatest number of distinct items of a person.
pub(super) fn longest(baskets: &Baskets) -> usize {
    let length = |person: usize| baskets.basket(person).chunk_by(|left, right| left == right).count();
    (0..baskets.persons()).map(length).max().unwrap_or(0)
}

/// Refuses data in which fewer than k persons have any item: there is no crowd to hide in.
pub(super) fn check_crowd(original: &Baskets, k: usize) -> Result<()> {
    let persons = original.persons();
    let having = (0..persons).filter(|&person| !original.basket(person).is_empty()).count();
    check_having(having, persons, "an item", k, PERSONS)
}

/// What is wrong with a parameter that counts, if anything.
pub(super) fn bad_count(name: &str, value: usize, least: usize) -> Option<Error> {
    (value < least).then(|| Error::parameter(name, format!("is {value}, but must be at least {least}")))
}

/// What is wrong with a share, if anything.
pub(super) fn bad_share(name: &str, value: f64) -> Option<Error> {
    let good = value > 0.0 && value <= 1.0;
    (!good).then(|| Error::parameter(name, format!("is {value}, but must be above 0 and at most 1")))
}

/// The sensitive items, which must be named and must occur.
pub(super) fn sensitive_of<'a>(original: &'a Baskets, method: &str) -> Result<&'a [u32]> {
    let sensitive = original.sensitive();
    if sensitive.is_empty() {
        return Err(Error::parameter(method, "protects sensitive items, and none are named")
            .with_hint("name them with `--sensitive FILE`, one item a line"));
    }
    let mut occurs = vec![false; original.item_count()];
    for &item in original.items() {
        occurs[item as usize] = true;
    }
    let missing = |&&item: &&u32| !occurs.get(item as usize).is_some_and(|&occurs| occurs);
    let absent = sensitive.iter().filter(missing).count();
    if let Some(&item) = sensitive.iter().find(missing) {
        let (word, verb) = if absent == 1 { ("item", "does") } else { ("items", "do") };
        return Err(Error::data(format!("{absent} sensitive {word} {verb} not occur in the data"))
            .with_value(original.label(item))
            .with_hint("correct the file of sensitive items, or take them out of it"));
    }
    Ok(sensitive)
}

/// A record for each person: the distinct nodes that their items become, without those that become nothing.
pub(super) fn recoded(
    original: &Baskets,
    image: impl Fn(u32) -> Option<u32>,
    claims: Vec<Claim>,
) -> Protected<Baskets> {
    let record = |person: usize| {
        let mut nodes: Vec<u32> = original.basket(person).iter().filter_map(|&item| image(item)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    };
    let persons = original.persons();
    Protected::new(original.records((0..persons).map(record)), (0..persons as u32).map(Some).collect(), claims)
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::data::BasketsBuilder;
    use crate::rng::Rng;
    use crate::taxonomy::TaxonomyBuilder;

    /// A random tree, and baskets with some copies over any of its nodes.
    pub(in super::super) fn random_baskets(rng: &mut Rng, nodes: usize, persons: usize, longest: usize) -> Baskets {
        let mut builder = TaxonomyBuilder::new();
        builder.node("0");
        for child in 1..nodes {
            builder.add(&child.to_string(), &rng.index(child).to_string()).unwrap();
        }
        let taxonomy = Arc::new(builder.finish().unwrap());
        let mut builder = BasketsBuilder::new(Some(Arc::clone(&taxonomy)), false);
        for person in 0..persons {
            let person = builder.person(&(person + 1).to_string());
            for _ in 0..rng.index(longest + 1) {
                // Low numbers more often, inner nodes seldom.
                let draws = [rng.index(nodes), rng.index(nodes)];
                let node = draws[0].min(draws[1]) as u32;
                if taxonomy.is_leaf(node) || rng.index(4) == 0 {
                    builder.push(person, node);
                }
            }
        }
        builder.finish()
    }

    /// The labels of a person's items, with blanks between.
    pub(in super::super) fn words(baskets: &Baskets, person: usize) -> String {
        let labels: Vec<&str> = baskets.basket(person).iter().map(|&item| baskets.label(item)).collect();
        labels.join(" ")
    }

    /// The labels of all persons' items.
    pub(in super::super) fn all_words(baskets: &Baskets) -> Vec<String> {
        (0..baskets.persons()).map(|person| words(baskets, person)).collect()
    }

    /// All sets of up to `most` of some items, the empty one included.
    pub(in super::super) fn subsets(items: &[u32], most: usize) -> Vec<Vec<u32>> {
        let mut sets = vec![Vec::new()];
        for &item in items {
            for place in 0..sets.len() {
                if sets[place].len() < most {
                    let mut set = sets[place].clone();
                    set.push(item);
                    sets.push(set);
                }
            }
        }
        sets
    }

    /// How many persons have all of some items.
    pub(in super::super) fn support(baskets: &Baskets, items: &[u32]) -> usize {
        let has = |person: &usize| items.iter().all(|item| baskets.basket(*person).contains(item));
        (0..baskets.persons()).filter(has).count()
    }

    /// A set of up to m items that some, but fewer than k, persons have.
    pub(in super::super) fn km_violation(baskets: &Baskets, k: usize, m: usize) -> Option<Vec<u32>> {
        let sets: BTreeSet<Vec<u32>> =
            (0..baskets.persons()).flat_map(|person| subsets(baskets.basket(person), m)).collect();
        sets.into_iter().find(|set| !set.is_empty() && support(baskets, set) < k)
    }

    /// Whether every record is a set, and each of its items at or above an item of its person.
    pub(in super::super) fn assert_generalised(original: &Baskets, records: &Baskets) {
        let taxonomy = original.taxonomy().unwrap();
        assert_eq!(original.persons(), records.persons());
        for person in 0..original.persons() {
            let record = records.basket(person);
            assert!(record.windows(2).all(|pair| pair[0] < pair[1]));
            let is_truth = |&node: &u32| original.basket(person).iter().any(|&item| taxonomy.is_under(item, node));
            assert!(record.iter().all(is_truth));
        }
    }

    /// What a release costs, from what is published alone: each item at its lowest ancestor in the record, or 1.
    pub(in super::super) fn published_cost(original: &Baskets, records: &Baskets) -> u64 {
        let taxonomy = original.taxonomy().unwrap();
        let weight = |node: u32| if taxonomy.is_leaf(node) { 0 } else { u64::from(taxonomy.leaves(node)) };
        let item_cost = |person: usize, item: u32| {
            let above = taxonomy.ancestors(item).find(|node| records.basket(person).contains(node));
            above.map_or(u64::from(taxonomy.leaves(ROOT)), weight)
        };
        let person_cost =
            |person: usize| -> u64 { original.basket(person).iter().map(|&item| item_cost(person, item)).sum() };
        (0..original.persons()).map(person_cost).sum()
    }

    #[test]
    fn lists_are_intersected_as_sets_are() {
        let mut rng = Rng::seeded(3);
        for _ in 0..500 {
            let lists: Vec<Vec<u32>> = (0..1 + rng.index(3))
                .map(|_| {
                    let count = rng.index(40);
                    rng.sample(60, count)
                })
                .collect();
            let common = lists[0].iter().filter(|person| lists.iter().all(|list| list.contains(person))).count();
            for k in 1..12 {
                let mut slices: Vec<&[u32]> = lists.iter().map(Vec::as_slice).collect();
                assert_eq!(at_least(&mut slices, k), common >= k);
            }
        }
    }

    #[test]
    fn every_subset_is_looked_at() {
        for size in 1..6 {
            let mut seen = BTreeSet::new();
            let all = [1, 2, 3, 4, 5];
            let rare = rare_subset(&all, size, &mut |set: &[u32]| set.len() <= size && seen.insert(set.to_vec()));
            assert_eq!(rare, None);
            let expected = subsets(&all, size).into_iter().filter(|set| set.len() == size.min(5)).count();
            assert_eq!(seen.len(), expected);
        }
    }
}
