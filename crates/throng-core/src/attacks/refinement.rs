//! Refinement: who generalised as little as possible gives away what was not so.
//!
//! Paper      Ours, after downcoding (Cohen. Attacks on Deidentification's Defenses. USENIX Security 2022) and combinatorial
//!            refinement (arXiv 2509.03350): minimality is knowledge.
//!
//! # Idea
//! 1. A class is n equal baskets. An item v of it that is no leaf stands for one leaf under v of each of the n persons: a multiset of size n
//!    over the L leaves under v.
//! 2. A method that generalises no more than it must would have published a child of v, had all n leaves been under that child. So those
//!    multisets are out.
//! 3. What is left over is what the attacker must guess among. One way left: all n items are known.
//!
//! # Formula
//! B = C(L + n − 1, n); A = B − the sum over the children c of v of C(L_c + n − 1, n); log2(B/A) bits are given away. A ≤ 0, which a minimal
//! method never publishes (one child, or n = 1), counts 0 bits. Exact, with integers of any size.
//! Global recoding with m = 1: a published node that is no leaf was refused a finer cut, so that a leaf under it has a support in
//! [1, k − 1]; `parts.recoding` counts such nodes and the leaves under them.
//!
//! # Readings
//! Ours: an item that a basket has twice is two positions, each for itself. A release is global recoding if no published item lies under
//! another, and its claim is km-anonymity; for m of 2 and more a finer cut may have been refused for a combination of items, each of
//! which is frequent, so that nothing must be rare.
//!
//! # Cost
//! For each different (n, v) its children; for each different (n, L) min(n, L − 1) multiplications of a number of as many digits as it has.
//!
//! # Does not
//! guess with frequencies of items, nor put positions together. Where a method is not minimal (leftovers of `partition`; one cut for everybody, which is
//! about other classes, too; several items under one node, as `flock`'s exchanges bring together) the premise fails, and what the attacker excludes
//! may be the truth: `docs/attacks.md` says where.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use num_bigint::BigUint;
use serde_json::{Value, json};

use super::{Asked, Attack, AttackInfo, Outcome, Released, Scene};
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::info::{Info, Need};
use crate::models::km_anonymity;
use crate::taxonomy::Taxonomy;

/// The card of the attack.
pub const INFO: AttackInfo = AttackInfo {
    info: Info {
        name: "refinement",
        summary: "somebody who knows that no item was generalised more than it had to be counts what can still stand behind it",
        paper: "ours, after Cohen. Attacks on Deidentification's Defenses. USENIX Security 2022, and combinatorial refinement (arXiv 2509.03350)",
        details: "For each class of n equal baskets and each item v in it that is no leaf: B multisets of size n over the L leaves under v \
            could stand behind it; those that lie under one child of v could not, or the child would have been published; A are left. \
            A position with A = 1 is recovered whole.\n\
            attempts are positions, one for each class and item; hits those with A = 1; parts.bits is the mean of log2(B/A): what minimality \
            gives away. parts.recoding, where one cut through the taxonomy was published for everybody: nodes under which a leaf must be rarer \
            than k.\n\
            No bound: no model promises anything here. Needs a taxonomy, and neither the original nor a key.",
        parameters: &[],
    },
    who: [
        "knows that nothing was generalised more than it had to be",
        "knows that nothing was generalised more than it had to be",
    ],
    needs: &[Need::Taxonomy],
    in_reports: true,
    no_promise: "no model promises anything against who knows how little a method generalises",
    ..AttackInfo::DEFAULT
};

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Refinement;

impl Attack<Baskets> for Refinement {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Baskets>, asked: &Asked) -> Result<Vec<Outcome>> {
        let global = asked.promised(km_anonymity::INFO.name, "k").zip(asked.promised(km_anonymity::INFO.name, "m"));
        let looking = scene.knowing_nothing().looking(|released, ()| {
            let taxonomy = released.data.taxonomy().ok_or_else(|| Error::refused(Need::Taxonomy.reason()))?;
            let recoding = global.map(|(_, m)| recoding(&released, taxonomy, m)).unwrap_or(Value::Null);
            Ok((refined(&released, taxonomy), recoding))
        })?;
        looking.once(
            |_, ()| Ok(()),
            |_, (found, recoding), (), ()| {
                let bits = (found.positions > 0).then(|| found.bits / found.positions as f64);
                vec![
                    Outcome::new(&INFO, found.positions, found.recovered as f64)
                        .with_knowledge(json!({"minimal": true}))
                        .with_parts(json!({"bits": bits, "recoding": recoding})),
                ]
            },
        )
    }
}

/// What minimality gives away of a release.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Refined {
    /// Items that are no leaves, once for each class.
    positions: u64,
    /// Those behind which one multiset is left.
    recovered: u64,
    /// The sum of log2(B/A).
    bits: f64,
}

/// What is given away of each position, added up in the order of classes.
fn refined(released: &Released<'_, Baskets>, taxonomy: &Taxonomy) -> Refined {
    let mut classes: BTreeMap<&[u32], u64> = BTreeMap::new();
    for (record, &persons) in released.multiplicity.iter().enumerate().filter(|(_, persons)| **persons > 0) {
        *classes.entry(released.data.basket(record)).or_default() += u64::from(persons);
    }
    let mut found = Refined::default();
    let (mut ways, mut known) = (Ways::default(), HashMap::<_, _, foldhash::fast::FixedState>::default());
    for (basket, persons) in classes {
        for &item in basket.iter().filter(|item| !taxonomy.is_leaf(**item)) {
            let (recovered, bits) =
                *known.entry((persons, item)).or_insert_with(|| ways.given_away(persons, taxonomy, item));
            found.positions += 1;
            found.recovered += u64::from(recovered);
            found.bits += bits;
        }
    }
    found
}

/// Numbers of multisets, each computed once.
#[derive(Default)]
pub(super) struct Ways {
    of: HashMap<(u64, u32), BigUint, foldhash::fast::FixedState>,
}

impl Ways {
    /// Whether one multiset is left behind a node of n persons, and the bits given away.
    fn given_away(&mut self, n: u64, taxonomy: &Taxonomy, node: u32) -> (bool, f64) {
        let children: Vec<u32> = taxonomy.children(node).map(|child| taxonomy.leaves(child)).collect();
        self.not_under_one(n, taxonomy.leaves(node), &children)
    }

    /// The same by how many leaves are under the node, and under each of its children.
    pub(super) fn not_under_one(&mut self, n: u64, leaves: u32, children: &[u32]) -> (bool, f64) {
        let all = self.multisets(n, leaves).clone();
        let mut under_one = BigUint::ZERO;
        for &child in children {
            under_one += self.multisets(n, child);
        }
        if under_one >= all {
            return (false, 0.0);
        }
        let left = &all - &under_one;
        let share = ratio(&under_one, &all);
        // Where little is excluded the difference of two logarithms would be noise.
        let bits = if share < 0.5 { -(-share).ln_1p() / std::f64::consts::LN_2 } else { log2(&all) - log2(&left) };
        (left == BigUint::from(1u32), bits)
    }

    /// How many multisets of size n there are over so many leaves: C(leaves + n − 1, n).
    fn multisets(&mut self, n: u64, leaves: u32) -> &BigUint {
        self.of.entry((n, leaves)).or_insert_with(|| {
            // C(top, steps), step by step: after i steps it is C(top − steps + i, i), a whole number.
            let others = u64::from(leaves.max(1)) - 1;
            let steps = n.min(others);
            let rest = n + others - steps;
            let mut ways = BigUint::from(1u32);
            for step in 1..=steps {
                ways *= rest + step;
                ways /= step;
            }
            ways
        })
    }
}

/// The logarithm of a number above 0, to the digits of a float.
fn log2(number: &BigUint) -> f64 {
    let shift = number.bits().saturating_sub(64);
    (head(number, shift) as f64).log2() + shift as f64
}

/// A share of a number that is not below it.
fn ratio(part: &BigUint, whole: &BigUint) -> f64 {
    let shift = whole.bits().saturating_sub(64);
    head(part, shift) as f64 / head(whole, shift) as f64
}

/// The digits before the last `shift`, of which there must be 64 at most.
fn head(number: &BigUint, shift: u64) -> u64 {
    (number >> shift).iter_u64_digits().next().unwrap_or(0)
}

/// What one cut for everybody gives away: nodes that were refused a finer cut, the leaves under them, and how many leaves must be rarer
/// than k. Nothing of a release in which an item lies under another.
fn recoding(released: &Released<'_, Baskets>, taxonomy: &Taxonomy, m: f64) -> Value {
    let is_shown = |(_, persons): &(usize, &u32)| **persons > 0;
    let shown = released.multiplicity.iter().enumerate().filter(is_shown);
    let mut items: Vec<u32> = shown.flat_map(|(record, _)| released.data.basket(record)).copied().collect();
    items.sort_unstable();
    items.dedup();
    // In pre-order whatever lies between a node and another under it lies under it, too.
    if items.windows(2).any(|pair| taxonomy.is_under(pair[1], pair[0])) {
        return Value::Null;
    }
    let cut: Vec<u32> = items.into_iter().filter(|&item| taxonomy.children(item).nth(1).is_some()).collect();
    let leaves: u64 = cut.iter().map(|&item| u64::from(taxonomy.leaves(item))).sum();
    let rare = if m <= 1.0 { cut.len() } else { 0 };
    json!({"nodes": cut.len(), "leaves": leaves, "rare_at_least": rare})
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::Promise;
    use super::super::testing::asked;
    use super::*;
    use crate::aggregate::baskets::tests::tree;
    use crate::data::BasketsBuilder;
    use crate::data::baskets::tests::baskets;
    use crate::methods::Method as _;
    use crate::methods::baskets::clump::{Clump, Params};
    use crate::progress::Silent;
    use crate::rng::Rng;

    fn fruit() -> Arc<Taxonomy> {
        let edges = [("Fruit", "Food"), ("Apple", "Fruit"), ("Orange", "Fruit"), ("Meat", "Food"), ("Beef", "Meat")];
        Arc::new(Taxonomy::from_edges(edges).unwrap())
    }

    fn outcome(release: &Baskets, promises: Vec<Promise>) -> Outcome {
        let multiplicity = vec![1; release.persons()];
        let scene = Scene::new(release, release, &multiplicity, None, &Silent);
        assert!(scene.lacks(&INFO).is_none());
        Refinement.attack(&scene, &super::super::Asked { promises, ..asked() }).unwrap().remove(0)
    }

    /// The case of the issue: two persons with ⟨Fruit⟩. {Apple, Apple}, {Apple, Orange}, {Orange, Orange}: B = 3. Two of them lie under one
    /// child, so A = 1: one has an apple and one an orange.
    #[test]
    fn fruit_by_hand() {
        let found = outcome(&baskets(&fruit(), &["Fruit", "Fruit"]), Vec::new());
        assert_eq!((found.attempts, found.hits, found.rate, found.verdict), (1, 1.0, Some(1.0), "none"));
        assert!((found.parts["bits"].as_f64().unwrap() - 3f64.log2()).abs() < 1e-12, "{}", found.parts);
        assert_eq!((found.bound, found.found, &found.parts["recoding"]), (None, None, &Value::Null));
    }

    #[test]
    fn more_by_hand() {
        // Three persons with Fruit: B = 4, A = 2: 1 bit. Food over three leaves, two under Fruit and one under Meat: B = C(5, 3) = 10,
        // A = 10 − 4 − 1 = 5: 1 bit. Meat has one child: A = 0. Alone with Fruit: B = 2 = 1 + 1, A = 0. Leaves are no positions.
        let rows = ["Fruit Food", "Fruit Food", "Fruit Food", "Meat", "Meat", "Fruit Beef", "Apple", ""];
        let found = outcome(&baskets(&fruit(), &rows), Vec::new());
        assert_eq!((found.attempts, found.hits), (4, 0.0));
        assert!((found.parts["bits"].as_f64().unwrap() - 2.0 / 4.0).abs() < 1e-12, "{}", found.parts);
        let nothing = outcome(&baskets(&fruit(), &["Apple", "Beef"]), Vec::new());
        assert_eq!((nothing.attempts, nothing.rate, &nothing.parts["bits"]), (0, None, &Value::Null));
    }

    #[test]
    fn an_item_twice_is_two_positions() {
        let found = outcome(&baskets(&fruit(), &["Fruit Fruit", "Fruit Fruit", "Fruit"]), Vec::new());
        assert_eq!((found.attempts, found.hits), (3, 2.0));
    }

    #[test]
    fn a_refused_cut_means_a_rare_leaf() {
        let claim = |m: u32| {
            let parameters = [("k".to_owned(), json!(2)), ("m".to_owned(), json!(m))].into_iter().collect();
            vec![Promise { model: "km-anonymity".to_owned(), parameters }]
        };
        let release = baskets(&fruit(), &["Fruit Beef", "Fruit", "Beef"]);
        assert_eq!(outcome(&release, claim(1)).parts["recoding"], json!({"nodes": 1, "leaves": 2, "rare_at_least": 1}));
        assert_eq!(outcome(&release, claim(2)).parts["recoding"]["rare_at_least"], 0);
        // An apple beside fruit: everybody has a cut of their own.
        assert_eq!(outcome(&baskets(&fruit(), &["Fruit", "Apple"]), claim(1)).parts["recoding"], Value::Null);
    }

    /// All multisets of size n over leaves `from..`, each as the list of its leaves.
    fn all(n: usize, leaves: &[u32]) -> Vec<Vec<u32>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let with_first =
            |at: usize| all(n - 1, &leaves[at..]).into_iter().map(move |rest| [vec![leaves[at]], rest].concat());
        (0..leaves.len()).flat_map(with_first).collect()
    }

    #[test]
    fn large_numbers_stay_exact() {
        let mut ways = Ways::default();
        // C(100, 50), by the tables.
        assert_eq!(ways.multisets(50, 51).to_string(), "100891344545564193334812497256");
        assert_eq!(ways.multisets(1_000_000, 2), &BigUint::from(1_000_001u32));
        assert_eq!(ways.multisets(5, 1), &BigUint::from(1u32));
        let big = ways.multisets(3000, 80_000).clone();
        assert!(big.bits() > 15_000 && (log2(&big) - big.bits() as f64).abs() <= 1.0);
        assert_eq!((log2(&BigUint::from(1u32)), log2(&BigUint::from(8u32))), (0.0, 3.0));
    }

    proptest! {
        /// Every multiset of leaves is written down, and looked at.
        #[test]
        fn equals_writing_all_down(parents in prop::collection::vec(any::<prop::sample::Index>(), 1..9), n in 1usize..5) {
            let taxonomy = tree(&parents);
            for node in 0..taxonomy.len() as u32 {
                let leaves: Vec<u32> = (node..taxonomy.end(node)).filter(|&under| taxonomy.is_leaf(under)).collect();
                if taxonomy.is_leaf(node) {
                    continue;
                }
                let every = all(n, &leaves);
                let is_left = |ways: &&Vec<u32>| {
                    !taxonomy.children(node).any(|child| ways.iter().all(|&leaf| taxonomy.is_under(leaf, child)))
                };
                let left = every.iter().filter(is_left).count();
                let bits = if left == 0 { 0.0 } else { (every.len() as f64 / left as f64).log2() };
                let (recovered, found) = Ways::default().given_away(n as u64, &taxonomy, node);
                prop_assert!((found - bits).abs() < 1e-9, "{found} {bits}");
                prop_assert_eq!(recovered, left == 1);
            }
        }

        /// What is counted as recovered is the truth for a method that generalises groups as little as possible.
        #[test]
        fn what_is_recovered_is_true(rows in prop::collection::vec(0u32..2, 2..9)) {
            let taxonomy = fruit();
            let leaf = |item: &u32| taxonomy.find(if *item == 0 { "Apple" } else { "Orange" }).unwrap();
            let mut builder = BasketsBuilder::new(Some(Arc::clone(&taxonomy)), false);
            for (line, item) in rows.iter().enumerate() {
                let person = builder.person(&line.to_string());
                builder.push(person, leaf(item));
            }
            let original = builder.finish();
            let protected = Clump::new(Params { k: 2, ..Params::default() }).unwrap().protect(&original, &mut Rng::seeded(1), &Silent).unwrap();
            let fruit = taxonomy.find("Fruit").unwrap();
            for record in 0..protected.records.persons() {
                let members: Vec<usize> = (0..rows.len()).filter(|&person| protected.record_of[person] == Some(record as u32)).collect();
                if protected.records.basket(record) == [fruit] && members.len() == 2 {
                    prop_assert_ne!(rows[members[0]], rows[members[1]]);
                }
            }
        }
    }
}
