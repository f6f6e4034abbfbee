//! Models: each checks a claim on data alone, knowing nothing of the method that made them.

mod accounts;
pub mod beta_likeness;
pub mod coherence;
pub mod confidence;
pub mod content_threshold;
pub mod content_threshold_paths;
pub mod content_threshold_ratings;
pub mod content_threshold_visits;
pub mod crowds;
pub mod cube_threshold;
pub mod delta_disclosure;
pub mod digests;
pub mod edge_confidence;
pub mod graph_classes;
pub mod graph_k_anonymity;
pub mod guessing_anonymity;
mod itemsets;
pub mod k_anonymity;
pub mod k_delta_anonymity;
pub mod k_map;
pub mod km_anonymity;
pub mod l_diversity;
mod moles;
pub mod on_classes;
pub mod personal_k_anonymity;
pub mod population;
pub mod presence;
pub mod privacy_degree;
pub mod rho_uncertainty;
pub(crate) mod sharing;
pub mod spatial_k_anonymity;
pub mod t_closeness;
pub mod table_k_anonymity;
pub mod visit_k_anonymity;
pub mod written_paths;
pub mod xy_anonymity;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::data::Baskets;
use crate::error::{Error, Result};

/// The most work of a search that must decide a claim: some minutes.
const MOST_STEPS: u64 = 20_000_000_000;

/// The error for data on which a claim cannot be decided.
fn undecided(model: &str) -> Error {
    Error::refused(format!("whether {model} holds cannot be decided in a reasonable time: the baskets are too long"))
        .with_hint(
            "ask for less knowledge of the attacker, or publish shorter baskets; `throng explain` says what it costs",
        )
}

/// Refuses baskets whose sensitive items are published by group: a model about the items of single persons does not see them.
fn refuse_groups(data: &Baskets, model: &str) -> Result<()> {
    if data.grouping().is_none() {
        return Ok(());
    }
    let problem =
        format!("{model} is about the items of single persons, and here sensitive ones are published by group");
    Err(Error::refused(problem).with_hint("`--model privacy-degree` is the claim about such data"))
}

/// What a model found.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether the claim holds.
    pub holds: bool,
    /// How far the data go beyond or fall short of the claim, e.g. the k that is reached.
    pub achieved: Map<String, Value>,
    /// When it fails: who shows it.
    pub witness: Option<Witness>,
}

/// What shows that a claim fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Witness {
    /// The first person that shows it: their number in the digests or data that were checked.
    pub person: u32,
    /// How many persons cannot be told from this one by what the witness says, this one included: those with the same
    /// record, or with the same items.
    pub group_size: usize,
    /// The items that single the person out, where the model is about items. Shown only on request: they may be rare.
    pub items: Vec<u32>,
    /// More numbers under names of their own.
    pub numbers: Map<String, Value>,
}

impl Witness {
    /// Persons who share a record.
    pub fn of_group(person: u32, group_size: usize) -> Self {
        Self { person, group_size, items: Vec::new(), numbers: Map::new() }
    }
}

/// Checks a claim on data in memory.
pub trait Model<D>: Send + Sync {
    /// Whether the claim holds, and what shows it if it does not. Refuses data on which that cannot be decided.
    fn check(&self, data: &D) -> Result<Verdict>;

    /// Whether it says nothing unless the data know which items are sensitive.
    fn needs_sensitive(&self) -> bool {
        false
    }

    /// What it asks of every class of a table, where that is all that it asks: methods can heed it then.
    fn on_classes(&self) -> Option<Arc<dyn on_classes::ClassModel>> {
        None
    }
}

/// Checks a claim on a release that the release alone cannot show: the original must be at hand.
pub trait ModelWithOriginal<D>: Send + Sync {
    /// Whether the claim holds, and what shows it if it does not. Refuses data on which that cannot be decided.
    fn check(&self, original: &D, release: &D) -> Result<Verdict>;

    /// The same by somebody who knows who became whom, as pairs of numbers; whatever needs that is then exact.
    fn check_linked(&self, original: &D, release: &D, _links: &[(u32, u32)]) -> Result<Verdict> {
        self.check(original, release)
    }

    /// The value of the release that a witness of a failed check is about. Shown only on request: it may be rare.
    fn value<'a>(&self, release: &'a D, witness: &Witness) -> Option<&'a str>;

    /// What must be at hand, in a word: the original, or the population that it is a part of, which is given in its place.
    fn beside(&self) -> &'static str {
        "original"
    }

    /// What it asks of every class and of the population that it covers, where that is all that it asks: methods can heed it.
    fn on_population(&self) -> Option<Arc<dyn population::PopulationModel>> {
        None
    }
}

/// Checks a claim on a release for which the original must be at hand, and who became whom.
pub trait ModelWithKey<D>: Send + Sync {
    /// Whether the claim holds, and what shows it if it does not. `links` are all persons of the original, each with who they are in the
    /// release: several of them may be one there.
    fn check(&self, original: &D, release: &D, links: &[(u32, u32)]) -> Verdict;

    /// The column of the original that says what persons ask for.
    fn column(&self) -> Option<&str>;
}

#[cfg(test)]
pub(crate) mod testing {
    //! Small baskets for the tests of the models.

    use proptest::prelude::*;

    use crate::data::{Baskets, BasketsBuilder};

    /// Baskets without ids, each a list of one-letter labels with blanks between. `a` is item 1, `b` item 2 and so on.
    pub(crate) fn baskets(rows: &[&str]) -> Baskets {
        let item = |label: &str| u32::from(label.as_bytes()[0] - b'a') + 1;
        of_items(rows.iter().map(|row| row.split_whitespace().map(item).collect()))
    }

    /// Up to `persons` baskets of up to `length` of the items 1 to `items`, copies included.
    pub(crate) fn random(persons: usize, items: u32, length: usize) -> impl Strategy<Value = Baskets> {
        prop::collection::vec(prop::collection::vec(1..=items, 0..=length), 0..=persons).prop_map(of_items)
    }

    /// All subsets of a basket, each as a set in rising order.
    pub(crate) fn subsets(basket: &[u32]) -> Vec<Vec<u32>> {
        let mut set = basket.to_vec();
        set.dedup();
        let chosen = |mask: u32| (0..set.len()).filter(|at| mask >> at & 1 == 1).map(|at| set[at]).collect();
        (0..1 << set.len()).map(chosen).collect()
    }

    /// How many persons have all of these items.
    pub(crate) fn support(data: &Baskets, set: &[u32]) -> usize {
        let has = |person: &usize| set.iter().all(|item| data.basket(*person).contains(item));
        (0..data.persons()).filter(has).count()
    }

    /// Baskets of these items.
    pub(crate) fn of_items(rows: impl IntoIterator<Item = Vec<u32>>) -> Baskets {
        let mut builder = BasketsBuilder::new(None, false);
        for label in 0..=26 {
            builder.label(&label.to_string());
        }
        for (line, row) in rows.into_iter().enumerate() {
            let person = builder.person(&(line + 1).to_string());
            for item in row {
                builder.push(person, item);
            }
        }
        builder.finish()
    }
}
