//! Made-up baskets over any taxonomy, realistic in shape and with no real person in them.
//!
//! Claims     the same seed and taxonomy give the same baskets, in whatever blocks they are made.
//! Does not   imitate any real data number by number: it is fitted to none.
//!
//! # Idea
//! 1. Every item has a popularity by Zipf's law, flatter for searches, whose tail is longer; which rank it has is drawn once for all
//!    persons.
//! 2. Person i is drawn from its own random stream (seed, i): one to six interests, and a number of items from a log-normal
//!    distribution. An interest is a subtree of some dozens of items around an item that is drawn by popularity.
//! 3. Most items come from an interest, the first most often; the rest from everything. Within a subtree items come by
//!    popularity. Nobody has an item twice.
//!
//! # Formula
//! items = median · exp(s · z) with z standard normal, cut to 1 .. 40 · mean; the median such that the mean comes out before copies
//! are drawn again. For shopping s is 0.7; for searches 1.27 above the median and 1.7 below, as different strings of searchers are spread
//! (`queries.rs`).
//!
//! # Cost
//! Time O(items · log of the nodes); memory O(items of the block) and 8 bytes a node.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::data::{Baskets, BasketsBuilder};
use crate::taxonomy::{ROOT, Taxonomy};
use crate::{Error, Result, Rng};

/// No person has more items than this many times the mean.
const MOST_ITEMS: f64 = 40.0;
/// The stream that ranks of items are drawn from; persons have the low ones.
const RANKS: u64 = u64::MAX;

/// What baskets look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Words that someone searched for: any item of the taxonomy but the root, many of them, interests far apart.
    Searches,
    /// Things that someone bought: leaves of the taxonomy.
    #[default]
    Shopping,
}

/// How many baskets, how large, and which ones of all possible.
#[derive(Debug, Clone)]
pub struct Params {
    /// The number of persons, at least 1.
    pub persons: usize,
    /// About how many items a person has on average, in 1..=10000.
    pub mean_items: f64,
    /// Which baskets: the same seed gives the same ones.
    pub seed: u64,
    /// What they look like.
    pub style: Style,
}

impl Default for Params {
    fn default() -> Self {
        Self { persons: 1000, mean_items: 5.0, seed: 0, style: Style::Shopping }
    }
}

/// A maker of made-up baskets.
#[derive(Debug)]
pub struct BasketsSynth {
    params: Params,
    taxonomy: Arc<Taxonomy>,
    /// The popularity of all nodes before each, in pre-order: a subtree is a range.
    popularity: Vec<f64>,
    /// How many items lie before each node.
    items_before: Vec<u32>,
}

impl BasketsSynth {
    /// Checks the parameters and draws how popular every item is.
    pub fn new(params: Params, taxonomy: Arc<Taxonomy>) -> Result<Self> {
        let mut errors = Vec::new();
        if params.persons == 0 {
            errors.push(Error::parameter("persons", "is 0, but must be at least 1"));
        }
        if !(1.0..=10_000.0).contains(&params.mean_items) {
            let problem = format!("is {}, but must be from 1 to 10000", params.mean_items);
            errors.push(Error::parameter("mean-items", problem));
        }
        if !errors.is_empty() {
            return Err(Error::parameters(errors));
        }
        let is_item = |node: &u32| match params.style {
            Style::Searches => *node != ROOT || taxonomy.is_leaf(*node),
            Style::Shopping => taxonomy.is_leaf(*node),
        };
        let mut ranked: Vec<u32> = (0..taxonomy.len() as u32).filter(is_item).collect();
        Rng::seeded_stream(params.seed, RANKS).shuffle(&mut ranked);
        let mut own = vec![0.0; taxonomy.len()];
        for (rank, &item) in ranked.iter().enumerate() {
            // A flat top, as in real words and goods: no item is in every basket.
            own[item as usize] = match params.style {
                Style::Searches => (rank as f64 + 40.0).powf(-0.8),
                Style::Shopping => 1.0 / (rank as f64 + 8.0),
            };
        }
        let (mut popularity, mut items_before) = (vec![0.0], vec![0]);
        let (mut sum, mut items) = (0.0, 0);
        for share in own {
            sum += share;
            items += u32::from(share > 0.0);
            popularity.push(sum);
            items_before.push(items);
        }
        Ok(Self { params, taxonomy, popularity, items_before })
    }

    /// The number of all persons.
    pub fn persons(&self) -> usize {
        self.params.persons
    }

    /// The baskets of some persons, who must be among all. Blocks put together are everybody. Persons have no ids.
    pub fn block(&self, persons: Range<usize>) -> Baskets {
        assert!(persons.end <= self.params.persons, "there is no such person");
        let first = persons.start;
        let made: Vec<Vec<u32>> = persons.into_par_iter().with_min_len(256).map(|person| self.basket(person)).collect();
        let mut builder = BasketsBuilder::new(Some(Arc::clone(&self.taxonomy)), false);
        for (person, items) in (first + 1..).zip(made) {
            let person = builder.person(&person.to_string());
            items.into_iter().for_each(|item| builder.push(person, item));
        }
        builder.finish()
    }

    fn basket(&self, person: usize) -> Vec<u32> {
        let mut rng = Rng::seeded_stream(self.params.seed, person as u64);
        let mean = self.params.mean_items;
        // The median over the mean, the spreads below and above it, and how many items come from interests.
        let (median, [below, above], from_interests) = match self.params.style {
            Style::Searches => (0.455, [1.7, 1.27], 0.55),
            Style::Shopping => (0.783, [0.7, 0.7], 0.85),
        };
        let deviation = rng.normal();
        let spread = if deviation > 0.0 { above } else { below };
        let length = (median * mean * (spread * deviation).exp()).round().clamp(1.0, MOST_ITEMS * mean) as usize;
        let interests: Vec<u32> =
            (0..1 + rng.index(if length < 10 { 3 } else { 6 })).map(|_| self.interest(&mut rng)).collect();
        let mut items = Vec::with_capacity(length);
        // Who has all of an interest already looks elsewhere, and in the end stays with fewer.
        for _ in 0..20 * length {
            let place = if rng.unit() < from_interests {
                // Each interest weighs half of the one before.
                let mut chosen = 0;
                while rng.unit() < 0.5 {
                    chosen += 1;
                }
                interests[chosen % interests.len()]
            } else {
                ROOT
            };
            let item = self.item_under(place, &mut rng);
            if !items.contains(&item) {
                items.push(item);
                if items.len() == length {
                    break;
                }
            }
        }
        items
    }

    /// A subtree of some dozens of items around a popular one.
    fn interest(&self, rng: &mut Rng) -> u32 {
        let wide = 8 + rng.index(56) as u32;
        let items = |node: u32| self.items_before[self.taxonomy.end(node) as usize] - self.items_before[node as usize];
        let item = self.item_under(ROOT, rng);
        self.taxonomy.ancestors(item).find(|&node| items(node) >= wide).unwrap_or(ROOT)
    }

    /// An item at or under a node, by popularity.
    fn item_under(&self, node: u32, rng: &mut Rng) -> u32 {
        let (from, to) = (node as usize, self.taxonomy.end(node) as usize);
        let share = self.popularity[from] + rng.unit() * (self.popularity[to] - self.popularity[from]);
        let beyond = self.popularity[from..=to].partition_point(|&before| before <= share);
        // Rounding may lead beyond the last item, or to a node that is none: the last item at or before it is meant.
        let mut at = (from + beyond).clamp(from + 1, to) - 1;
        while at > from && self.items_before[at] == self.items_before[at + 1] {
            at -= 1;
        }
        at as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset as _;
    use crate::taxonomy::tests::food;

    fn synth(persons: usize, mean_items: f64, style: Style) -> BasketsSynth {
        let edges: Vec<(String, String)> =
            (1..4000).map(|node: u32| (node.to_string(), ((node - 1) / 7).to_string())).collect();
        let taxonomy =
            Taxonomy::from_edges(edges.iter().map(|(child, parent)| (child.as_str(), parent.as_str()))).unwrap();
        BasketsSynth::new(Params { persons, mean_items, seed: 3, style }, Arc::new(taxonomy)).unwrap()
    }

    #[test]
    fn blocks_are_everybody() {
        let synth = synth(300, 5.0, Style::Shopping);
        let (all, start, end) = (synth.block(0..300), synth.block(0..120), synth.block(120..300));
        assert_eq!(all.items(), [start.items(), end.items()].concat());
        assert_eq!((all.names().get(150), end.names().get(30)), ("151", "151"));
        assert!(!all.has_ids());
    }

    #[test]
    fn baskets_look_as_they_should() {
        for (mean, style) in [(5.0, Style::Shopping), (21.0, Style::Searches)] {
            let baskets = synth(3000, mean, style).block(0..3000);
            let got = baskets.rows() as f64 / 3000.0;
            assert!((0.85 * mean..1.15 * mean).contains(&got), "{got}");
            let taxonomy = baskets.taxonomy().unwrap();
            for person in 0..3000 {
                let basket = baskets.basket(person);
                assert!(!basket.is_empty() && basket.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(style == Style::Searches || basket.iter().all(|&item| taxonomy.is_leaf(item)));
                assert!(!basket.contains(&ROOT));
            }
            let longest = (0..3000).map(|person| baskets.basket(person).len()).max().unwrap();
            assert!(longest as f64 > 4.0 * mean, "{longest}");
        }
    }

    #[test]
    fn small_trees_survive() {
        let params = Params { persons: 50, mean_items: 20.0, ..Params::default() };
        let baskets = BasketsSynth::new(params.clone(), Arc::new(food())).unwrap().block(0..50);
        assert!((0..50).all(|person| (1..=8).contains(&baskets.basket(person).len())));
        let one = Taxonomy::from_edges([("b", "a")]).unwrap();
        assert_eq!(BasketsSynth::new(params, Arc::new(one)).unwrap().block(0..50).rows(), 50);
    }

    #[test]
    fn bad_parameters_are_refused_together() {
        let params = Params { persons: 0, mean_items: f64::NAN, ..Params::default() };
        let error = BasketsSynth::new(params, Arc::new(food())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`persons` is 0, but must be at least 1; `mean-items` is NaN, but must be from 1 to 10000"
        );
    }
}
