//! Flock: groups of the most alike baskets, improved by exchanges on the exact distortion.
//!
//! Paper      ours; the distortion is that of paper 002, Definition 3.2.3.
//! Claims     transaction-k-anonymity(k).
//! Does not   find the best groups there are (that is NP-hard); on small data it is within a few per cent of them.
//!
//! # Idea
//! 1. A basket is the set of its marks (`aggregate/marks.rs`), so that the distortion of a group is a weighted intersection.
//! 2. Persons with the same marks are groups for free. 3. Nearest neighbours in regions of a random tree make groups of k.
//! 4. Persons are exchanged between near groups as long as it helps (`partition/flock`). 5. A group is published as its
//!    least common generalisation.
//!
//! # Cost
//! Time O(n log n · items · height) for n baskets, memory O(n · items · height).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{generalised, protected, taxonomy_of};
use crate::aggregate::marks::Marks;
use crate::data::Baskets;
use crate::error::Result;
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::refusals::{PERSONS, check_enough, check_k};
use crate::methods::{Method, shown_parameters};
use crate::partition::flock::{Work, flock};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "flock",
    summary: "groups of the k most alike baskets, improved by exchanges, published as their least common generalisation",
    paper: "throng's own; the distortion is that of Milani Fard. Clustering-based Web Query Log Anonymization. Thesis, \
            Simon Fraser University (2010)",
    details: "1. Baskets that are the same, as far as k persons can share it, are groups without loss.\n\
        2. All others are cut into regions of those alike, by a random tree. In a region the largest basket takes the \
        k - 1 that make the group's distortion least, and so on.\n\
        3. Again and again, near groups give one basket each, and these are given back in the best way there is; groups \
        whose members do better elsewhere are dissolved. The distortion never grows.\n\
        4. Every member of a group is published with the group's least common generalisation.\n\
        Distortion (GGD) is the loss metric of every item published, for every member, and 1 for every item left out.\n\
        Claims transaction-k-anonymity(k). The same seed gives the same groups for any number of threads.\n\
        Cost: a little more than linear in the items and their ancestors; `--effort` says how long it tries.",
    parameters: &[info::K, EFFORT],
};

const EFFORT: Parameter = Parameter {
    name: "effort",
    summary: "how long groups are improved: less loss for more time",
    kind: ParameterKind::Choice(&["fast", "normal", "high"]),
    default: "normal",
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
    /// How long groups are improved.
    pub effort: Effort,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, effort: Effort::Normal }
    }
}

/// How long groups are improved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// Hardly.
    Fast,
    /// As long as it helps much.
    #[default]
    Normal,
    /// Several times as long.
    High,
}

impl Effort {
    fn work(self) -> Work {
        match self {
            Effort::Fast => Work { region: 1000, sweeps: 1, groups: 48, turns: 1 },
            Effort::Normal => Work { region: 1500, sweeps: 10, groups: 48, turns: 1 },
            Effort::High => Work { region: 4000, sweeps: 60, groups: 64, turns: 2 },
        }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Flock {
    params: Params,
}

impl Flock {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        check_k(params.k).map_or(Ok(Self { params }), Err)
    }
}

impl Method<Baskets> for Flock {
    fn protect(&self, original: &Baskets, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Baskets>> {
        let Params { k, effort } = self.params;
        let taxonomy = taxonomy_of(original, INFO.name)?;
        check_enough(original.persons(), k, PERSONS)?;
        let marks = Marks::new(original, taxonomy, k);
        let partition = flock(&marks, original.persons(), k, effort.work(), rng, progress);
        progress.go_on()?;
        let records = generalised(original, taxonomy, &partition);
        Ok(protected(original, &partition, &records, k))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::tests::{assert_refusals, assert_sound, released, small_baskets, table_5_1};
    use super::*;
    use crate::aggregate::baskets::{distortion, least_common_generalisation};

    fn made(k: usize, effort: Effort) -> Flock {
        Flock::new(Params { k, effort }).unwrap()
    }

    /// The least distortion of any partition into groups of at least k, by trying all.
    fn optimum(original: &Baskets, k: usize) -> u64 {
        let taxonomy = original.taxonomy().unwrap();
        let cost = |set: usize| {
            let baskets = || {
                (0..original.persons()).filter(|person| set >> person & 1 == 1).map(|person| original.basket(person))
            };
            let record = least_common_generalisation(taxonomy, baskets());
            baskets().map(|basket| distortion(taxonomy, basket.len(), &record)).sum::<u64>()
        };
        let all = (1usize << original.persons()) - 1;
        // Groups of 2k or more can be cut in two without loss.
        let is_group = |set: usize| (k..2 * k).contains(&(set.count_ones() as usize));
        let costs: Vec<u64> = (0..=all).map(|set| if is_group(set) { cost(set) } else { u64::MAX }).collect();
        let mut best = vec![u64::MAX; all + 1];
        best[0] = 0;
        for set in 1..=all {
            let lowest = set & set.wrapping_neg();
            let others = set ^ lowest;
            let mut some = others;
            loop {
                let group = some | lowest;
                if costs[group] != u64::MAX && best[set ^ group] != u64::MAX {
                    best[set] = best[set].min(costs[group] + best[set ^ group]);
                }
                if some == 0 {
                    break;
                }
                some = (some - 1) & others;
            }
        }
        best[all]
    }

    #[test]
    fn the_example_of_the_thesis_at_its_best() {
        let (_, distortion) = released(&made(2, Effort::Normal), &table_5_1());
        // Clump has 46/7.
        assert_eq!(distortion, optimum(&table_5_1(), 2));
        assert!(distortion <= 46);
    }

    #[test]
    fn within_five_per_cent_of_the_optimum_on_sixteen() {
        use crate::synth::baskets::{BasketsSynth, Params, Style};
        let edges: Vec<(String, String)> =
            (1..200).map(|node: u32| (node.to_string(), ((node - 1) / 3).to_string())).collect();
        let edges = edges.iter().map(|(child, parent)| (child.as_str(), parent.as_str()));
        let taxonomy = std::sync::Arc::new(crate::taxonomy::Taxonomy::from_edges(edges).unwrap());
        for (seed, k, style) in
            [(1, 2, Style::Shopping), (2, 3, Style::Searches), (3, 4, Style::Shopping), (4, 5, Style::Searches)]
        {
            let params = Params { persons: 16, mean_items: 5.0, seed, style };
            let original = BasketsSynth::new(params, std::sync::Arc::clone(&taxonomy)).unwrap().block(0..16);
            let best = optimum(&original, k);
            let found = released(&made(k, Effort::Normal), &original).1;
            assert!(found >= best && found as f64 <= 1.05 * best as f64, "k = {k}: {found} for {best}");
        }
    }

    #[test]
    fn far_better_than_clump() {
        use crate::methods::baskets::clump::{self, Clump};
        use crate::synth::baskets::{BasketsSynth, Params, Style};
        let edges: Vec<(String, String)> =
            (1..3000).map(|node: u32| (node.to_string(), ((node - 1) / 6).to_string())).collect();
        let edges = edges.iter().map(|(child, parent)| (child.as_str(), parent.as_str()));
        let taxonomy = std::sync::Arc::new(crate::taxonomy::Taxonomy::from_edges(edges).unwrap());
        let params = Params { persons: 3000, mean_items: 6.0, seed: 1, style: Style::Searches };
        let original = BasketsSynth::new(params, taxonomy).unwrap().block(0..3000);
        for k in [5, 15] {
            let clump = released(&Clump::new(clump::Params { k, ..clump::Params::default() }).unwrap(), &original).1;
            let fast = released(&made(k, Effort::Fast), &original).1;
            let normal = released(&made(k, Effort::Normal), &original).1;
            assert!(normal < fast && fast as f64 <= 0.65 * clump as f64, "k = {k}: {clump}, {fast}, {normal}");
        }
    }

    #[test]
    fn refusals() {
        assert_refusals(|k| Flock::new(Params { k, effort: Effort::Fast }));
    }

    #[test]
    fn only_what_was_changed_is_shown() {
        assert_eq!(Value::Object(made(7, Effort::Normal).parameters()), json!({"k": 7}));
        assert_eq!(Value::Object(made(5, Effort::High).parameters()), json!({"k": 5, "effort": "high"}));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn releases_are_sound_and_never_better_than_the_best(original in small_baskets(2..11), k in 2usize..5) {
            prop_assume!(original.persons() >= k);
            let normal = assert_sound(&made(k, Effort::Normal), &original, k);
            assert_sound(&made(k, Effort::Fast), &original, k);
            prop_assert!(normal >= optimum(&original, k));
        }
    }
}
