//! What generalises a concept: itself and everything above it that says something.
//!
//! Paper      004 (Batet et al. 2014), equation 1: T(c).
//!
//! # Readings
//! S5: a root that only holds a taxonomy together generalises nothing, so concepts that share no more are unrelated. Such
//! roots are told by their names: `Top` of ODP, `all` above joined taxonomies, `*` of ARX, `any`, `root`. WordNet's `entity`
//! is a real one. Ours: in WordNet all hypernyms count, not only the first, for all of them generalise.

use super::{ROOT, Taxonomy};

/// Names of roots that hold a taxonomy together and say nothing.
const ARTIFICIAL: [&str; 5] = ["top", "all", "*", "any", "root"];

impl Taxonomy {
    /// Whether a node only holds a taxonomy together: its root, or the root of a joined one, with a name that says nothing.
    pub fn is_artificial(&self, node: u32) -> bool {
        let says_nothing = |node: u32| {
            // A joined taxonomy has `Top (odp)` where another has `Top` too.
            let label = self.label(node).split(" (").next().unwrap_or_default();
            ARTIFICIAL.iter().any(|name| name.eq_ignore_ascii_case(label))
        };
        match node {
            ROOT => says_nothing(ROOT),
            _ => self.parent(node) == ROOT && self.is_joined() && says_nothing(node),
        }
    }

    /// A concept and everything that generalises it, each once, in rising order. An artificial root is only in that of its own.
    pub fn generalisations(&self, concept: u32) -> Vec<u32> {
        let mut above: Vec<u32> = match self.wordnet() {
            Some((net, root)) if concept >= root && ((concept - root) as usize) < net.synsets() => {
                let mut closure: Vec<u32> =
                    net.closure(concept - root).into_iter().map(|synset| root + synset).collect();
                // Above WordNet there may be the root of a joined taxonomy.
                closure.extend(self.ancestors(root).skip(1));
                closure
            }
            _ => self.ancestors(concept).collect(),
        };
        above.retain(|&node| node == concept || !self.is_artificial(node));
        above.sort_unstable();
        above
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(tree: &Taxonomy, word: &str) -> Vec<String> {
        let all = tree.generalisations(tree.find(word).unwrap());
        all.into_iter().map(|node| tree.label(node).to_owned()).collect()
    }

    #[test]
    fn an_artificial_root_generalises_nothing() {
        let directory = Taxonomy::from_edges([
            ("Sports", "Top"),
            ("Water Sports", "Sports"),
            ("Swimming", "Water Sports"),
            ("Regional", "Top"),
        ])
        .unwrap();
        assert_eq!(labels(&directory, "Swimming"), ["Sports", "Water Sports", "Swimming"]);
        assert_eq!(labels(&directory, "Top"), ["Top"]);
        let food = super::super::tests::food();
        assert_eq!(labels(&food, "Beef"), ["Food", "Meat", "Beef"]);
        let joined = Taxonomy::join([("food", &food), ("odp", &directory)]);
        assert_eq!(labels(&joined, "Beef"), ["Food", "Meat", "Beef"]);
        assert_eq!(labels(&joined, "Swimming"), ["Sports", "Water Sports", "Swimming"]);
    }
}
