//! Several taxonomies under one new root.

use std::sync::Arc;

use super::wordnet::WordNet;
use super::{ROOT, Taxonomy};
use crate::data::Interner;

/// The root above joined taxonomies.
const ALL: &str = "all";

impl Taxonomy {
    /// Several taxonomies under one new root `all`, each with a name that tells it from the others.
    ///
    /// A name that is in several belongs to the first: the later item is called `item (name)` from then on.
    pub fn join<'a>(parts: impl IntoIterator<Item = (&'a str, &'a Taxonomy)>) -> Self {
        let (mut labels, mut parents) = (Interner::new(), vec![ROOT]);
        labels.intern(ALL);
        let (mut aliases, mut alias_nodes) = (Interner::new(), Vec::new());
        let mut wordnet: Option<(Arc<WordNet>, u32)> = None;
        for (name, part) in parts {
            let start = parents.len() as u32;
            // What the names of this part must give way to: everything of the parts before.
            let (earlier_labels, earlier_aliases) = (labels.clone(), aliases.clone());
            let taken = |label: &str| {
                let in_wordnet = || wordnet.as_ref().and_then(|(net, _)| net.find_name(label));
                earlier_labels.find(label).or_else(|| earlier_aliases.find(label)).or_else(in_wordnet).is_some()
            };
            for node in 0..part.len() as u32 {
                let label = part.label(node);
                let mut own = label.to_owned();
                let mut copy = 1;
                while taken(&own) || labels.find(&own).is_some() || (copy > 1 && part.find_name(&own).is_some()) {
                    own = if copy == 1 { format!("{label} ({name})") } else { format!("{label} ({name} {copy})") };
                    copy += 1;
                }
                labels.intern(&own);
                parents.push(if node == ROOT { ROOT } else { start + part.parent(node) });
            }
            for (alias, node) in part.aliases() {
                if !taken(alias) && aliases.intern(alias) as usize == alias_nodes.len() {
                    alias_nodes.push(start + node);
                }
            }
            if let (None, Some((net, root))) = (&wordnet, part.wordnet()) {
                wordnet = Some((net.clone(), start + root));
            }
        }
        let mut joined = Self::from_pre_order(labels, parents);
        (joined.aliases, joined.alias_nodes, joined.wordnet) = (aliases, alias_nodes, wordnet);
        joined.joined = true;
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::food;
    use super::*;

    #[test]
    fn a_name_in_several_belongs_to_the_first() {
        let mut shop = Taxonomy::from_edges([("Fruit", "Shop"), ("Kiwi", "Fruit"), ("Soap", "Shop")]).unwrap();
        let mut food = food();
        food.add_alias("Goods", food.find("Meat").unwrap());
        food.add_alias("Soap", food.find("Butter").unwrap());
        shop.add_alias("Apple", shop.find("Kiwi").unwrap());
        shop.add_alias("Bar", shop.find("Soap").unwrap());
        let joined = Taxonomy::join([("food", &food), ("shop", &shop)]);
        assert_eq!(joined.len(), 1 + food.len() + shop.len());
        let path = |word: &str| {
            let node = joined.find(word).unwrap();
            joined.ancestors(node).map(|node| joined.label(node)).collect::<Vec<_>>().join(" < ")
        };
        assert_eq!(path("Apple"), "Apple < Fruit < Food < all");
        assert_eq!(path("Goods"), "Meat < Food < all");
        assert_eq!(path("Soap"), "Butter < Dairy < Food < all");
        assert_eq!(path("Bar"), "Soap (shop) < Shop < all");
        assert_eq!(path("Kiwi"), "Kiwi < Fruit (shop) < Shop < all");
    }

    #[test]
    fn the_same_twice_has_every_name_twice() {
        let food = food();
        let joined = Taxonomy::join([("food", &food), ("food", &food), ("food", &food)]);
        assert_eq!(joined.len(), 1 + 3 * food.len());
        assert_eq!(joined.label(1 + 2 * food.len() as u32), "Food (food 2)");
    }
}
