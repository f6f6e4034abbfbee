//! Methods for baskets: sets of items.

pub mod apriori;
pub mod cahd;
pub mod clump;
pub mod coherence;
mod cover;
pub mod flock;
pub mod hghs;
pub mod optimal_km;
pub mod partition;
mod rare_combinations;
mod recoding;
pub mod rho_uncertainty;
mod top_down;

use std::sync::Arc;

use rayon::prelude::*;
use serde_json::json;

use crate::aggregate::baskets::least_common_generalisation;
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::models::k_anonymity;
use crate::partition::Partition;
use crate::release::{Claim, Protected};
use crate::taxonomy::Taxonomy;

/// The taxonomy of some baskets; an error says how to get one.
fn taxonomy_of<'a>(baskets: &'a Baskets, method: &str) -> Result<&'a Arc<Taxonomy>> {
    baskets.taxonomy().ok_or_else(|| {
        Error::refused(format!("`{method}` generalises items, but the items have no taxonomy")).with_hint(
            "give one with `--taxonomy wordnet` or `--taxonomy FILE`; `throng taxonomy generate` makes one from the items",
        )
    })
}

/// The least common generalisation of every group.
fn generalised(baskets: &Baskets, taxonomy: &Taxonomy, partition: &Partition) -> Vec<Vec<u32>> {
    let record = |members: &Vec<u32>| {
        least_common_generalisation(taxonomy, members.iter().map(|&member| baskets.basket(member as usize)))
    };
    partition.groups.par_iter().with_min_len(64).map(record).collect()
}

/// Groups and their records as a method gives them, with the claim that k persons share each.
fn protected(baskets: &Baskets, partition: &Partition, records: &[Vec<u32>], k: usize) -> Protected<Baskets> {
    let record_of = partition.group_of(baskets.persons()).into_iter().map(Some).collect();
    let claim = Claim::new(&k_anonymity::TRANSACTION, [("k", json!(k))]);
    Protected::new(baskets.records(records), record_of, vec![claim])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::aggregate::baskets::distortion;
    use crate::aggregate::baskets::tests::{generalised as all_generalised, tree};
    use crate::data::BasketsBuilder;
    use crate::methods::Method;
    use crate::progress::Silent;
    use crate::rng::Rng;
    use crate::taxonomy::tests::food;

    /// Table 5.1 of paper 002.
    pub(super) fn table_5_1() -> Baskets {
        let rows =
            ["Orange Chicken Beef", "Banana Beef Cheese", "Chicken Milk Butter", "Apple Chicken", "Chicken Beef"];
        crate::data::baskets::tests::baskets(&Arc::new(food()), &rows)
    }

    /// Everybody's record by name, in the order of the original, and the distortion of all in units.
    pub(super) fn released(method: &dyn Method<Baskets>, original: &Baskets) -> (Vec<String>, u64) {
        let protected = method.protect(original, &mut Rng::seeded(1), &Silent).unwrap();
        let record = |person: usize| protected.records.basket(protected.record_of[person].unwrap() as usize);
        let labels = |person: usize| {
            let labels: Vec<&str> = record(person).iter().map(|&item| original.label(item)).collect();
            labels.join(" ")
        };
        let taxonomy = original.taxonomy().unwrap();
        let distortions =
            (0..original.persons()).map(|person| distortion(taxonomy, original.basket(person).len(), record(person)));
        ((0..original.persons()).map(labels).collect(), distortions.sum())
    }

    /// Small random baskets over a small random tree.
    pub(super) fn small_baskets(persons: std::ops::Range<usize>) -> impl Strategy<Value = Baskets> {
        let parents = prop::collection::vec(any::<prop::sample::Index>(), 1..14);
        let rows = prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..5), persons);
        (parents, rows).prop_map(|(parents, rows)| {
            let taxonomy = Arc::new(tree(&parents));
            let mut builder = BasketsBuilder::new(Some(Arc::clone(&taxonomy)), false);
            for (line, row) in rows.iter().enumerate() {
                let person = builder.person(&line.to_string());
                row.iter().for_each(|item| builder.push(person, item.index(taxonomy.len()) as u32));
            }
            builder.finish()
        })
    }

    /// Every release is k-anonymous as bags, and every record generalises each of its persons. Gives the distortion.
    pub(super) fn assert_sound(method: &dyn Method<Baskets>, original: &Baskets, k: usize) -> u64 {
        let protected = method.protect(original, &mut Rng::seeded(1), &Silent).unwrap();
        let taxonomy = original.taxonomy().unwrap();
        let mut seen = std::collections::BTreeMap::new();
        let mut total = 0;
        for (person, record) in protected.record_of.iter().enumerate() {
            let record = protected.records.basket(record.unwrap() as usize);
            assert!(all_generalised(taxonomy, original.basket(person)).contains(record), "person {person}");
            *seen.entry(record.to_vec()).or_insert(0) += 1;
            total += distortion(taxonomy, original.basket(person).len(), record);
        }
        assert!(seen.values().all(|&persons| persons >= k), "{seen:?}");
        assert_eq!(protected.claims[0].model, "transaction-k-anonymity");
        assert_eq!(protected.claims[0].parameters["k"], k);
        total
    }

    /// What every method of this folder refuses.
    pub(super) fn assert_refusals<M: Method<Baskets>>(make: impl Fn(usize) -> Result<M>) {
        for k in [0, 1] {
            let Err(error) = make(k) else { panic!("k = {k} was accepted") };
            assert_eq!(error.to_string(), format!("`k` is {k}, but must be at least 2"));
        }
        let method = make(6).unwrap();
        let error = method.protect(&table_5_1(), &mut Rng::seeded(1), &Silent).unwrap_err();
        assert_eq!(error.to_string(), "there are 5 persons, fewer than k = 6");
        let mut builder = BasketsBuilder::new(None, true);
        let (person, item) = (builder.person("a"), builder.label("x"));
        builder.push(person, item);
        let error = method.protect(&builder.finish(), &mut Rng::seeded(1), &Silent).unwrap_err();
        assert!(error.to_string().ends_with("the items have no taxonomy"), "{error}");
        assert!(error.hint().unwrap().contains("throng taxonomy generate"));
    }
}
