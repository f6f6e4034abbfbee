//! Taxonomies: is-a hierarchies of items, as a compact tree.
//!
//! # Idea
//! 1. Nodes are numbered in pre-order, the root is 0: what lies under a node is a range, and "is under" two comparisons.
//! 2. Children stand in the order in which they were given, so the same file gives the same numbers on every machine.
//! 3. The lowest common ancestor of two nodes is the parent of the highest node between them in pre-order: a range
//!    minimum, answered from a sparse table in two looks.
//!
//! # Formula
//! LM(p) = (leaves under p - 1) / (all leaves - 1), the loss metric of paper 002; 0 where there is one leaf (reading C7).
//! The level of the root is 1 (reading C11).
//!
//! # Cost
//! Memory 16 bytes a node, its label, and 4 log2(n) bytes for common ancestors.

pub mod arx;
mod builder;
pub mod child_parent;
pub mod co_occurrence;
pub mod fit;
mod generalisations;
pub mod generate;
mod join;
pub mod json;
pub mod odp;
pub mod own;
pub mod paths;
pub(crate) mod separated;
pub mod wordnet;

use std::sync::Arc;

use crate::data::{Interner, Strings};
use crate::error::Result;

pub use builder::{MOST_LABEL_BYTES, MOST_LEVELS, TaxonomyBuilder};
use wordnet::WordNet;

/// The root of every taxonomy.
pub const ROOT: u32 = 0;

/// An is-a hierarchy of items.
#[derive(Debug, Clone)]
pub struct Taxonomy {
    labels: Interner,
    parents: Vec<u32>,
    levels: Vec<u32>,
    /// What lies under node `n`, itself included, is `n..ends[n]`.
    ends: Vec<u32>,
    leaves: Vec<u32>,
    /// Row `r` holds, for each node, the highest of the `2^r` nodes that begin with it.
    highest: Vec<Vec<u32>>,
    /// Other words for a node.
    aliases: Interner,
    alias_nodes: Vec<u32>,
    /// WordNet, if it is part of the tree, and the node of its root.
    wordnet: Option<(Arc<WordNet>, u32)>,
    /// Whether the root was put above several taxonomies.
    joined: bool,
}

impl Taxonomy {
    /// The tree over child-parent pairs: every label is one node, exactly one has no parent.
    ///
    /// A label with two parents, a cycle, no root or several roots are errors that name what is wrong.
    pub fn from_edges<'a>(edges: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let mut builder = TaxonomyBuilder::new();
        for (child, parent) in edges {
            builder.add(child, parent)?;
        }
        builder.finish()
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is only a root.
    pub fn is_empty(&self) -> bool {
        self.parents.len() <= 1
    }

    /// The labels by node.
    pub fn labels(&self) -> &Strings {
        self.labels.strings()
    }

    /// The label of a node.
    pub fn label(&self, node: u32) -> &str {
        self.labels.strings().get(node)
    }

    /// The node that a word means: its label, another name of it, or in WordNet a form of one of its words.
    pub fn find(&self, word: &str) -> Option<u32> {
        self.find_name(word).or_else(|| self.wordnet.as_ref().and_then(|(net, root)| Some(root + net.find(word)?)))
    }

    /// The node with this label, or with this other name. Forms of words such as plurals are not tried.
    pub fn find_name(&self, word: &str) -> Option<u32> {
        let alias = || self.aliases.find(word).map(|alias| self.alias_nodes[alias as usize]);
        let in_wordnet = || self.wordnet.as_ref().and_then(|(net, root)| Some(root + net.find_name(word)?));
        self.labels.find(word).or_else(alias).or_else(in_wordnet)
    }

    /// WordNet, if it is part of the tree, and the node of its root: synset `s` is the node that many after it.
    pub fn wordnet(&self) -> Option<(&Arc<WordNet>, u32)> {
        self.wordnet.as_ref().map(|(net, root)| (net, *root))
    }

    /// Whether the root was put above several taxonomies, which begin right under it.
    pub fn is_joined(&self) -> bool {
        self.joined
    }

    /// The names of a node beside its label.
    pub fn other_names(&self, node: u32) -> Vec<&str> {
        let mut names: Vec<&str> = self.aliases().filter(|&(_, other)| other == node).map(|(name, _)| name).collect();
        if let Some((net, root)) = &self.wordnet
            && let Some(synset) = node.checked_sub(*root)
            && (synset as usize) < net.synsets()
        {
            names.extend(net.other_names(synset).filter(|name| self.find_name(name) == Some(node)));
        }
        names
    }

    /// Other names of nodes, in the order in which they were given. Those of WordNet are not among them.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, u32)> {
        self.aliases.strings().iter().zip(self.alias_nodes.iter().copied())
    }

    /// Gives a node another name. Labels and names that are taken stay what they are.
    pub fn add_alias(&mut self, word: &str, node: u32) {
        if self.aliases.intern(word) as usize == self.alias_nodes.len() {
            self.alias_nodes.push(node);
        }
    }

    /// The parent; the root is its own.
    pub fn parent(&self, node: u32) -> u32 {
        self.parents[node as usize]
    }

    /// The level: 1 for the root.
    pub fn level(&self, node: u32) -> u32 {
        self.levels[node as usize]
    }

    /// The greatest level.
    pub fn height(&self) -> u32 {
        self.levels.iter().copied().max().unwrap_or(1)
    }

    /// One beyond the last node under this one.
    pub fn end(&self, node: u32) -> u32 {
        self.ends[node as usize]
    }

    /// Whether a node is another, or lies under it.
    pub fn is_under(&self, node: u32, ancestor: u32) -> bool {
        ancestor <= node && node < self.ends[ancestor as usize]
    }

    /// Whether nothing lies under a node.
    pub fn is_leaf(&self, node: u32) -> bool {
        self.ends[node as usize] == node + 1
    }

    /// The number of leaves under a node; 1 for a leaf.
    pub fn leaves(&self, node: u32) -> u32 {
        self.leaves[node as usize]
    }

    /// The children in order.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.end(node);
        let first = Some(node + 1).filter(|&child| child < end);
        std::iter::successors(first, move |&child| Some(self.end(child)).filter(|&next| next < end))
    }

    /// The node, its parent and so on up to the root.
    pub fn ancestors(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(node), move |&node| (node != ROOT).then(|| self.parent(node)))
    }

    /// The loss metric as a fraction: what stands above the line. Below it is [`Self::loss_unit`].
    pub fn loss_count(&self, node: u32) -> u32 {
        self.leaves[node as usize] - 1
    }

    /// All leaves but one: the loss metric of a node is [`Self::loss_count`] over this; at least 1.
    pub fn loss_unit(&self) -> u32 {
        (self.leaves[ROOT as usize] - 1).max(1)
    }

    /// The loss metric of a node: 0 for a leaf, 1 for the root.
    pub fn loss(&self, node: u32) -> f64 {
        f64::from(self.loss_count(node)) / f64::from(self.loss_unit())
    }

    /// The lowest node that both are, or lie under.
    pub fn common_ancestor(&self, left: u32, right: u32) -> u32 {
        let (low, high) = (left.min(right), left.max(right));
        if high < self.ends[low as usize] {
            return low;
        }
        // The highest node after `low`, up to `high`, is a child of the common ancestor.
        let (start, count) = (low as usize + 1, (high - low) as usize);
        let row = count.ilog2() as usize;
        let candidates = [self.highest[row][start], self.highest[row][start + count - (1 << row)]];
        let highest = if self.level(candidates[1]) < self.level(candidates[0]) { candidates[1] } else { candidates[0] };
        self.parent(highest)
    }

    /// The same tree with more leaves right under the root. Labels that are there already are left as they are.
    pub fn with_leaves<'a>(&self, labels: impl IntoIterator<Item = &'a str>) -> Self {
        let mut parents = self.parents.clone();
        let mut names = self.labels.clone();
        for label in labels {
            if names.intern(label) as usize == parents.len() {
                parents.push(ROOT);
            }
        }
        let mut tree = Self::from_pre_order(names, parents);
        tree.aliases = self.aliases.clone();
        tree.alias_nodes = self.alias_nodes.clone();
        tree.wordnet = self.wordnet.clone();
        tree.joined = self.joined;
        tree
    }

    /// A tree whose nodes are in pre-order already, each parent before its children.
    fn from_pre_order(labels: Interner, parents: Vec<u32>) -> Self {
        let count = parents.len();
        let mut levels = vec![1; count];
        for node in 1..count {
            levels[node] = levels[parents[node] as usize] + 1;
        }
        let mut ends: Vec<u32> = (1..=count as u32).collect();
        let mut leaves = vec![0; count];
        for node in (0..count).rev() {
            leaves[node] = leaves[node].max(1);
            if node > 0 {
                let parent = parents[node] as usize;
                ends[parent] = ends[parent].max(ends[node]);
                leaves[parent] += leaves[node];
            }
        }
        let mut highest: Vec<Vec<u32>> = vec![(0..count as u32).collect()];
        let mut width = 1;
        while 2 * width <= count {
            let last = &highest[highest.len() - 1];
            let higher =
                |left: u32, right: u32| if levels[right as usize] < levels[left as usize] { right } else { left };
            let next = (0..=count - 2 * width).map(|start| higher(last[start], last[start + width])).collect();
            highest.push(next);
            width *= 2;
        }
        let (aliases, alias_nodes) = (Interner::new(), Vec::new());
        Self { labels, parents, levels, ends, leaves, highest, aliases, alias_nodes, wordnet: None, joined: false }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Figure 1.3 of paper 002 (reading C26).
    pub(crate) fn food() -> Taxonomy {
        let kinds = [
            ("Fruit", &["Apple", "Orange", "Banana"][..]),
            ("Meat", &["Beef", "Chicken"]),
            ("Dairy", &["Milk", "Cheese", "Butter"]),
        ];
        let edges = kinds.iter().flat_map(|(kind, items)| {
            std::iter::once((*kind, "Food")).chain(items.iter().map(move |item| (*item, *kind)))
        });
        Taxonomy::from_edges(edges).unwrap()
    }

    /// A tree of any shape with labels of any letters.
    pub(crate) fn some_tree() -> impl Strategy<Value = Taxonomy> {
        let node = (any::<prop::sample::Index>(), "[ab ,;\"\\\\/\n\r\t#>é0]{0,6}");
        prop::collection::vec(node, 1..40).prop_map(|nodes| {
            let mut builder = TaxonomyBuilder::new();
            let labels: Vec<String> =
                nodes.iter().enumerate().map(|(id, (_, text))| format!("{text}{id}{text}")).collect();
            builder.node(&labels[0]);
            for (id, (parent, _)) in nodes.iter().enumerate().skip(1) {
                builder.add(&labels[id], &labels[parent.index(id)]).unwrap();
            }
            builder.finish().unwrap()
        })
    }

    /// Same nodes, same labels, same parents, same other names.
    pub(crate) fn assert_same(left: &Taxonomy, right: &Taxonomy) {
        assert_eq!((left.labels(), &left.parents), (right.labels(), &right.parents));
        assert_eq!((left.aliases.strings(), &left.alias_nodes), (right.aliases.strings(), &right.alias_nodes));
    }

    #[test]
    fn the_loss_metric_of_the_thesis() {
        let food = food();
        let loss = |label: &str| food.loss(food.find(label).unwrap());
        assert_eq!([loss("Fruit"), loss("Meat"), loss("Dairy")], [2.0 / 7.0, 1.0 / 7.0, 2.0 / 7.0]);
        assert_eq!([loss("Food"), loss("Beef")], [1.0, 0.0]);
        assert_eq!(food.level(ROOT), 1);
        assert_eq!(food.height(), 3);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |edges: &[(&'static str, &'static str)]| {
            Taxonomy::from_edges(edges.iter().copied()).unwrap_err().to_string()
        };
        assert!(error(&[]).contains("empty"));
        assert!(error(&[("a", "a")]).contains("its own parent"));
        assert!(error(&[("a", "b"), ("a", "c")]).contains("two parents"));
        assert!(error(&[("a", "b"), ("b", "a")]).contains("no root"));
        assert!(error(&[("a", "r"), ("b", "c"), ("c", "b")]).contains("circle"));
        assert!(error(&[("a", "r"), ("b", "s")]).contains("2 roots"));
    }

    #[test]
    fn one_node_is_a_tree() {
        let mut builder = TaxonomyBuilder::new();
        builder.node("all");
        let tree = builder.finish().unwrap();
        assert_eq!((tree.len(), tree.leaves(ROOT), tree.loss(ROOT)), (1, 1, 0.0));
        let tree = tree.with_leaves(["x", "y", "x"]);
        assert_eq!(tree.children(ROOT).map(|node| tree.label(node)).collect::<Vec<_>>(), ["x", "y"]);
    }

    proptest! {
        #[test]
        fn common_ancestors_are_those_of_the_paths(parents in prop::collection::vec(any::<prop::sample::Index>(), 0..60)) {
            let mut builder = TaxonomyBuilder::new();
            builder.node("0");
            for (child, parent) in parents.iter().enumerate() {
                builder.add(&(child + 1).to_string(), &parent.index(child + 1).to_string()).unwrap();
            }
            let tree = builder.finish().unwrap();
            let nodes = tree.len() as u32;
            for left in 0..nodes {
                let own: Vec<u32> = tree.ancestors(left).collect();
                prop_assert_eq!(own.len() as u32, tree.level(left));
                let under = (0..nodes).filter(|&node| tree.ancestors(node).any(|other| other == left));
                prop_assert_eq!(under.collect::<Vec<_>>(), (left..tree.end(left)).collect::<Vec<_>>());
                let leaves = (left..tree.end(left)).filter(|&node| tree.is_leaf(node)).count();
                prop_assert_eq!(leaves as u32, tree.leaves(left));
                for right in 0..nodes {
                    let expected = tree.ancestors(right).find(|node| own.contains(node));
                    prop_assert_eq!(Some(tree.common_ancestor(left, right)), expected);
                }
            }
        }
    }
}
