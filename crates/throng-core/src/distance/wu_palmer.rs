//! Wu-Palmer: how much of the way to the root two words share, over all their senses.
//!
//! Paper      Wu, Palmer. Verb semantics and lexical selection. ACL 1994; as used by paper 000 (ARES report), section 2.3.
//!
//! # Formula
//! sim(s, t) = 2 depth(c) / (depth(s) + depth(t)) for two senses, c their deepest common hypernym, depth(root) = 1; of two
//! words, the greatest over all pairs of senses.
//!
//! # Idea
//! A word is everything above its senses, each node with the least depth of a sense under it: a [`Profile`]. The greatest
//! 2 depth(a) / (least(a) + least'(a)) over the nodes a that both words have is the same number, for under a fixed a the best
//! pair is the two shallowest senses, and for a fixed pair the best a is the deepest. So nobody loops over pairs of senses.
//!
//! # Readings
//! D2: depth is the number of nodes on the longest way to the root. D3: all senses count. Ours: in a taxonomy that is not
//! WordNet a word has one sense, the node of that name, and its depth is its level. A word that several joined taxonomies
//! have, means all of it. Similarities are whole numbers of 1 / [`UNIT`]: exact as long as two depths add up to 40 at most,
//! which holds in WordNet; beyond they are rounded down, equal fractions still being equal.
//!
//! # Cost
//! One look for each node above the second word, some dozens.

use std::sync::Arc;

use crate::taxonomy::Taxonomy;

/// A similarity of 1: the least common multiple of 1 to 40.
pub const UNIT: i64 = 5_342_931_457_063_200;

/// Meanings in a taxonomy.
#[derive(Debug, Clone)]
pub struct WuPalmer {
    tree: Arc<Taxonomy>,
}

/// A word as everything above its senses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// In rising order of nodes.
    above: Vec<Above>,
}

/// A node above a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Above {
    /// The node.
    pub node: u32,
    /// Its depth.
    pub depth: u32,
    /// The least depth of a sense under it.
    pub least: u32,
}

impl WuPalmer {
    /// Meanings in this taxonomy.
    pub fn new(tree: Arc<Taxonomy>) -> Self {
        Self { tree }
    }

    /// The taxonomy.
    pub fn taxonomy(&self) -> &Arc<Taxonomy> {
        &self.tree
    }

    /// The nodes that a word means, the most frequent sense first; none if the taxonomy does not know it.
    pub fn senses(&self, word: &str) -> Vec<u32> {
        let named = self.tree.find_name(word);
        let mut senses: Vec<u32> = named.into_iter().filter(|&node| self.synset(node).is_none()).collect();
        if let Some((net, root)) = self.tree.wordnet() {
            senses.extend(net.senses_of_any_form(word).iter().map(|&synset| root + synset));
        }
        if senses.is_empty() {
            // A numbered sense, `dog#2`, or another name.
            senses.extend(self.tree.find(word));
        }
        senses
    }

    /// The synset of WordNet that a node is.
    fn synset(&self, node: u32) -> Option<u32> {
        let (net, root) = self.tree.wordnet()?;
        node.checked_sub(root).filter(|&synset| (synset as usize) < net.synsets())
    }

    /// The number of nodes on the longest way up to the root; 1 for the root.
    pub fn depth(&self, node: u32) -> u32 {
        match (self.tree.wordnet(), self.synset(node)) {
            (Some((net, root)), Some(synset)) => net.longest_depth(synset) + self.tree.level(root) - 1,
            _ => self.tree.level(node),
        }
    }

    /// A node and everything above it, in rising order.
    pub fn above(&self, node: u32) -> Vec<u32> {
        let mut above: Vec<u32> = match (self.tree.wordnet(), self.synset(node)) {
            (Some((net, root)), Some(synset)) => {
                let own = net.closure(synset).into_iter().map(|synset| root + synset);
                own.chain(self.tree.ancestors(root).skip(1)).collect()
            }
            _ => self.tree.ancestors(node).collect(),
        };
        above.sort_unstable();
        above
    }

    /// What a node is called in a release: the first word of a synset as WordNet writes it, else its label.
    pub fn name(&self, node: u32) -> &str {
        let first = |synset: u32| self.tree.wordnet().and_then(|(net, _)| net.words(synset).next());
        self.synset(node).and_then(first).unwrap_or_else(|| self.tree.label(node))
    }

    /// Everything above some senses.
    pub fn profile(&self, senses: &[u32]) -> Profile {
        let mut above: Vec<Above> = Vec::new();
        for &sense in senses {
            let least = self.depth(sense);
            above.extend(self.above(sense).into_iter().map(|node| Above { node, depth: self.depth(node), least }));
        }
        above.sort_unstable_by_key(|above| (above.node, above.least));
        above.dedup_by_key(|above| above.node);
        Profile { above }
    }

    /// The deepest common hypernym of the most similar of two lists of senses: of equally similar pairs the one with the
    /// earlier first sense, then second sense; of equally deep hypernyms the one with the lower number.
    pub fn common_hypernym(&self, left: &[u32], right: &[u32]) -> Option<u32> {
        let sense = |&sense: &u32| (self.depth(sense), self.above(sense));
        let right: Vec<(u32, Vec<u32>)> = right.iter().map(sense).collect();
        let mut best: Option<(u32, u32, u32)> = None;
        for (left_depth, left) in left.iter().map(sense) {
            for (right_depth, right) in &right {
                let Some((depth, node)) = self.deepest_common(&left, right) else { continue };
                let sum = left_depth + right_depth;
                if best.is_none_or(|(best, best_sum, _)| is_more(depth, sum, best, best_sum)) {
                    best = Some((depth, sum, node));
                }
            }
        }
        best.map(|(_, _, node)| node)
    }

    /// The deepest node of two lists in rising order, with its depth.
    fn deepest_common(&self, left: &[u32], right: &[u32]) -> Option<(u32, u32)> {
        let mut best: Option<(u32, u32)> = None;
        let mut others = right.iter().peekable();
        for &node in left {
            while others.next_if(|&&other| other < node).is_some() {}
            if others.peek() == Some(&&node) {
                let depth = self.depth(node);
                if best.is_none_or(|(deepest, _)| depth > deepest) {
                    best = Some((depth, node));
                }
            }
        }
        best
    }
}

impl Profile {
    /// Everything above the word, in rising order of nodes.
    pub fn above(&self) -> &[Above] {
        &self.above
    }

    /// Whether the word means nothing.
    pub fn is_empty(&self) -> bool {
        self.above.is_empty()
    }
}

/// One profile laid out by node, to be compared with many.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The least depth of a sense under each node; 0 where the word has none.
    least: Vec<u32>,
}

impl Layout {
    /// Room for profiles of a taxonomy.
    pub fn new(meanings: &WuPalmer) -> Self {
        Self { least: vec![0; meanings.tree.len()] }
    }

    /// The similarity of one word with each of others, in units of 1 / [`UNIT`]; 0 if they have nothing in common.
    pub fn similarities<'p>(&mut self, word: &Profile, others: impl Iterator<Item = &'p Profile>, out: &mut Vec<i64>) {
        self.with(word, |least| {
            out.extend(others.map(|other| {
                let (mut depth, mut sum) = (0, 1);
                for above in other.above() {
                    let own = least[above.node as usize];
                    if own > 0 && is_more(above.depth, own + above.least, depth, sum) {
                        (depth, sum) = (above.depth, own + above.least);
                    }
                }
                similarity(depth, sum)
            }));
        });
    }

    /// Lays out a word for as long as `work` takes.
    pub(super) fn with(&mut self, word: &Profile, work: impl FnOnce(&[u32])) {
        for above in word.above() {
            self.least[above.node as usize] = above.least;
        }
        work(&self.least);
        for above in word.above() {
            self.least[above.node as usize] = 0;
        }
    }
}

/// 2 depth / sum in units of 1 / [`UNIT`].
pub fn similarity(depth: u32, sum: u32) -> i64 {
    (i128::from(UNIT) * 2 * i128::from(depth) / i128::from(sum)) as i64
}

/// Whether depth / sum is more than another.
fn is_more(depth: u32, sum: u32, other_depth: u32, other_sum: u32) -> bool {
    u64::from(depth) * u64::from(other_sum) > u64::from(other_depth) * u64::from(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::tests::{food, some_tree};
    use proptest::prelude::*;

    fn of(meanings: &WuPalmer, left: &str, right: &str) -> i64 {
        let profile = |word: &str| meanings.profile(&meanings.senses(word));
        let mut out = Vec::new();
        Layout::new(meanings).similarities(&profile(left), [&profile(right)].into_iter(), &mut out);
        out[0]
    }

    #[test]
    fn the_unit_divides_every_sum_of_depths() {
        assert!((1..=40).all(|sum| UNIT % sum == 0));
    }

    #[test]
    fn in_a_tree() {
        let meanings = WuPalmer::new(Arc::new(food()));
        // Beef and Chicken, both of level 3, share Meat of level 2: 4/6. Beef and Milk share the root: 2/6.
        assert_eq!(of(&meanings, "Beef", "Chicken"), UNIT / 3 * 2);
        assert_eq!(of(&meanings, "Beef", "Milk"), UNIT / 3);
        assert_eq!(of(&meanings, "Meat", "Beef"), UNIT / 5 * 4);
        assert_eq!(of(&meanings, "Beef", "Beef"), UNIT);
        assert!(meanings.senses("spam").is_empty());
        assert_eq!(of(&meanings, "Beef", "spam"), 0);
        let common = |left: &str, right: &str| {
            meanings.common_hypernym(&meanings.senses(left), &meanings.senses(right)).map(|node| meanings.name(node))
        };
        assert_eq!(common("Beef", "Chicken"), Some("Meat"));
        assert_eq!(common("Beef", "Butter"), Some("Food"));
        assert_eq!(common("Beef", "spam"), None);
    }

    proptest! {
        /// A node is at least as deep as what is above it, so a word is most similar to itself.
        #[test]
        fn in_any_tree(tree in some_tree(), left: prop::sample::Index, right: prop::sample::Index) {
            let (left, right) = (left.index(tree.len()) as u32, right.index(tree.len()) as u32);
            let meanings = WuPalmer::new(Arc::new(tree));
            let tree = meanings.taxonomy();
            let common = tree.common_ancestor(left, right);
            prop_assert_eq!(meanings.common_hypernym(&[left], &[right]), Some(common));
            let mut out = Vec::new();
            let others = [meanings.profile(&[right]), meanings.profile(&[left])];
            Layout::new(&meanings).similarities(&meanings.profile(&[left]), others.iter(), &mut out);
            prop_assert_eq!(out, [similarity(tree.level(common), tree.level(left) + tree.level(right)), UNIT]);
        }
    }
}
