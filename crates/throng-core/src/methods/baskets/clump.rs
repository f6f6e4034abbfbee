//! Clump: groups of at least k baskets, each basket put where the enlarged group's distortion is smallest.
//!
//! Paper      002 (the Clump thesis), Algorithm 4.5.
//! Claims     transaction-k-anonymity(k).
//! Does not   find baskets that are alike unless their lengths are: only the first r open groups are looked at. On short
//!            baskets `flock` loses far less.
//!
//! # Idea
//! 1. Order the baskets by falling length. Every k-th of them, as long as there are k for each, begins a group.
//! 2. Every other basket in this order goes to one of the first r groups that are not full: the one whose distortion
//!    with it is smallest. 3. When all groups are full, each basket left goes to any group by the same rule.
//! 4. A group is published as its least common generalisation.
//!
//! # Readings
//! C1 (the least common generalisation by definition), C4 (smallest distortion of the enlarged group, not its increase),
//! C5 (first r open groups by number; all groups for baskets left over), C6 (stable order), C9 (`--without-duplicates`
//! removes copies from the record afterwards: the thesis' Clump2). Ties go to the group with the lower number.
//!
//! # Cost
//! Time O(n · r · items · height), memory O(n · items · height), for n baskets.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{generalised, protected, taxonomy_of};
use crate::aggregate::marks::Marks;
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::refusals::{PERSONS, check_enough, check_k};
use crate::methods::{Method, shown_parameters};
use crate::partition::Partition;
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "clump",
    summary: "groups of k baskets in the order of their lengths, published as their least common generalisation",
    paper: "Milani Fard. Clustering-based Web Query Log Anonymization. Thesis, Simon Fraser University (2010), \
            Algorithm 4.5",
    details: "1. Baskets are ordered by falling length; every k-th begins a group.\n\
        2. Each other basket goes to one of the first r groups that are not full, the one whose distortion with it is \
        smallest. Baskets left over go to any group by the same rule.\n\
        3. Every member of a group is published with the group's least common generalisation: the most special basket \
        that generalises all of them.\n\
        Distortion (GGD) is the loss metric of every item published, for every member, and 1 for every item left out.\n\
        Claims transaction-k-anonymity(k). It compares a basket with r groups only, so it does not find those most like \
        it: `flock` loses less.\n\
        Cost: n · r comparisons for n baskets, each linear in the items and their ancestors.",
    parameters: &[info::K, R, WITHOUT_DUPLICATES],
};

const R: Parameter = Parameter {
    name: "r",
    summary: "with how many open groups a basket is compared",
    kind: ParameterKind::Count,
    default: "10",
};

const WITHOUT_DUPLICATES: Parameter = Parameter {
    name: "without-duplicates",
    summary: "publishes each item of a record once: the variant Clump2",
    kind: ParameterKind::Switch,
    default: "false",
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons share a record, at least.
    pub k: usize,
    /// With how many open groups a basket is compared.
    pub r: usize,
    /// Whether a record has each item once (C9).
    pub without_duplicates: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, r: 10, without_duplicates: false }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Clump {
    params: Params,
}

impl Clump {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let mut errors: Vec<Error> = check_k(params.k).into_iter().collect();
        if params.r == 0 {
            errors.push(
                Error::parameter("r", "is 0, but must be at least 1")
                    .with_hint("a basket must be compared with at least one group; Milani Fard's thesis takes 10"),
            );
        }
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Baskets> for Clump {
    fn protect(&self, original: &Baskets, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Baskets>> {
        let Params { k, r, without_duplicates } = self.params;
        let taxonomy = taxonomy_of(original, INFO.name)?;
        check_enough(original.persons(), k, PERSONS)?;
        // Groups of two are compared, so every mark of two persons counts.
        let marks = Marks::new(original, taxonomy, 2);
        let partition = clusters(original, &marks, u64::from(taxonomy.loss_unit()), k, r, progress);
        progress.go_on()?;
        let mut records = generalised(original, taxonomy, &partition);
        if without_duplicates {
            records.iter_mut().for_each(Vec::dedup);
        }
        Ok(protected(original, &partition, &records, k))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

/// A group that is being filled.
#[derive(Debug)]
struct Cluster {
    members: Vec<u32>,
    length: u64,
    /// The marks that all members have, with their weights.
    common: Vec<(u32, u32)>,
    /// What they weigh together.
    weight: u64,
}

/// Marks of one person, a bit each.
struct Shown(Vec<u64>);

impl Shown {
    fn flip(&mut self, marks: &[u32]) {
        for &mark in marks {
            self.0[mark as usize / 64] ^= 1 << (mark % 64);
        }
    }

    fn bit(&self, mark: u32) -> u64 {
        self.0[mark as usize / 64] >> (mark % 64) & 1
    }

    /// What the person has of some marks.
    fn weigh(&self, marks: &[(u32, u32)]) -> u64 {
        marks.iter().map(|&(mark, weight)| u64::from(weight) & self.bit(mark).wrapping_neg()).sum()
    }
}

/// The groups of Algorithm 4.5.
fn clusters(baskets: &Baskets, marks: &Marks, unit: u64, k: usize, r: usize, progress: &dyn Progress) -> Partition {
    let persons = baskets.persons();
    let mut order: Vec<u32> = (0..persons as u32).collect();
    order.sort_by_key(|&person| Reverse(baskets.basket(person as usize).len()));
    let weights = marks.weights();
    let first = |number: usize| {
        let person = order[number * k];
        let common: Vec<_> = marks.of(person).iter().map(|&mark| (mark, weights[mark as usize])).collect();
        Cluster {
            members: vec![person],
            length: baskets.basket(person as usize).len() as u64,
            weight: common.iter().map(|&(_, weight)| u64::from(weight)).sum(),
            common,
        }
    };
    let mut clusters: Vec<Cluster> = (0..persons / k).map(first).collect();
    let mut rest = (0..persons).filter(|&at| at % k != 0 || at / k >= persons / k).map(|at| order[at]);

    let mut shown = Shown(vec![0; weights.len().div_ceil(64)]);
    let mut bounds: Vec<(i64, u32)> = Vec::new();
    let mut place = |clusters: &mut [Cluster], among: &[u32], person: u32| {
        shown.flip(marks.of(person));
        let length = baskets.basket(person as usize).len() as u64;
        let distortion = |cluster: &Cluster, saved: u64| {
            let saved = (cluster.members.len() as u64 + 1) * (marks.everybody() + saved);
            ((cluster.length + length) * unit) as i64 - saved as i64
        };
        // A group keeps at most what it has: a bound, below 0 for a small basket and a large group. Begin with the most promising, and stop where nothing better can come.
        bounds.clear();
        bounds.extend(among.iter().map(|&number| {
            let cluster = &clusters[number as usize];
            (distortion(cluster, cluster.weight), number)
        }));
        bounds.sort_unstable();
        let mut best = (i64::MAX, u32::MAX);
        for &(bound, number) in &bounds {
            if (bound, number) > best {
                break;
            }
            let cluster = &clusters[number as usize];
            best = best.min((distortion(cluster, shown.weigh(&cluster.common)), number));
        }
        let cluster = &mut clusters[best.1 as usize];
        cluster.members.push(person);
        cluster.length += length;
        cluster.common.retain(|&(mark, _)| shown.bit(mark) == 1);
        cluster.weight = cluster.common.iter().map(|&(_, weight)| u64::from(weight)).sum();
        shown.flip(marks.of(person));
        best.1
    };

    progress.stage("grouping", persons as u64);
    let mut open: Vec<u32> = (0..clusters.len().min(r) as u32).collect();
    let mut next = open.len() as u32;
    while !open.is_empty()
        && !progress.is_stopped()
        && let Some(person) = rest.next()
    {
        let chosen = place(&mut clusters, &open, person);
        if clusters[chosen as usize].members.len() == k {
            open.retain(|&number| number != chosen);
            if (next as usize) < clusters.len() {
                open.push(next);
                next += 1;
            }
        }
        progress.advance(1);
    }
    let all: Vec<u32> = (0..clusters.len() as u32).collect();
    for person in rest.take_while(|_| !progress.is_stopped()) {
        place(&mut clusters, &all, person);
    }
    let members = |mut cluster: Cluster| {
        cluster.members.sort_unstable();
        cluster.members
    };
    Partition { groups: clusters.into_iter().map(members).collect() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::tests::{assert_refusals, assert_sound, released, small_baskets, table_5_1};
    use super::*;
    use crate::aggregate::baskets::{distortion, least_common_generalisation};
    use crate::progress::Silent;

    fn clump(params: Params) -> Clump {
        Clump::new(params).unwrap()
    }

    #[test]
    fn table_5_1_of_the_thesis() {
        let (records, distortion) = released(&clump(Params { k: 2, ..Params::default() }), &table_5_1());
        let (first, second) = ("Food Fruit Beef", "Food Chicken");
        assert_eq!(records, [first, first, second, second, second]);
        // 46/7 = 6.571; printed truncated, 6.57.
        assert_eq!(distortion, 46);
    }

    #[test]
    fn the_steps_of_section_5_2() {
        // t2 in the first group costs 18/7, in the second 20/7: with r = 1 or more it goes to the first.
        let original = table_5_1();
        let taxonomy = original.taxonomy().unwrap();
        let cost = |members: &[usize]| {
            let baskets = || members.iter().map(|&member| original.basket(member));
            let record = least_common_generalisation(taxonomy, baskets());
            baskets().map(|basket| distortion(taxonomy, basket.len(), &record)).sum::<u64>()
        };
        assert_eq!([cost(&[0, 1]), cost(&[2, 1])], [18, 20]);
    }

    #[test]
    fn duplicates_can_be_removed() {
        let rows = ["Apple Orange Milk", "Banana Apple Milk", "Orange Banana Milk"];
        let original = crate::data::baskets::tests::baskets(table_5_1().taxonomy().unwrap(), &rows);
        let all = released(&clump(Params { k: 3, ..Params::default() }), &original);
        assert_eq!((all.0[0].as_str(), all.1), ("Fruit Fruit Milk", 12));
        let once = released(&clump(Params { k: 3, without_duplicates: true, ..Params::default() }), &original);
        // C9: the second Fruit of each becomes a suppressed item, 1 instead of 2/7.
        assert_eq!((once.0[0].as_str(), once.1), ("Fruit Milk", 27));
    }

    #[test]
    fn refusals() {
        assert_refusals(|k| Clump::new(Params { k, ..Params::default() }));
        let error = Clump::new(Params { k: 1, r: 0, ..Params::default() }).unwrap_err();
        assert_eq!(error.to_string(), "`k` is 1, but must be at least 2; `r` is 0, but must be at least 1");
    }

    #[test]
    fn only_what_was_changed_is_shown() {
        let method = clump(Params { without_duplicates: true, ..Params::default() });
        assert_eq!(Value::Object(method.parameters()), json!({"k": 5, "without-duplicates": true}));
    }

    /// Algorithm 4.5 word by word.
    fn literal(original: &Baskets, k: usize, r: usize) -> Vec<Vec<u32>> {
        let taxonomy = original.taxonomy().unwrap();
        let cost = |members: &[u32]| {
            let baskets = || members.iter().map(|&member| original.basket(member as usize));
            let record = least_common_generalisation(taxonomy, baskets());
            baskets().map(|basket| distortion(taxonomy, basket.len(), &record)).sum::<u64>()
        };
        let mut order: Vec<u32> = (0..original.persons() as u32).collect();
        order.sort_by_key(|&person| Reverse(original.basket(person as usize).len()));
        let count = order.len() / k;
        let mut groups: Vec<Vec<u32>> = (0..count).map(|number| vec![order[number * k]]).collect();
        let begun: Vec<u32> = groups.concat();
        for &person in order.iter().filter(|person| !begun.contains(person)) {
            let with = |group: &[u32]| cost(&[group, &[person]].concat());
            let open: Vec<usize> = (0..count).filter(|&number| groups[number].len() < k).take(r).collect();
            let among = if open.is_empty() { (0..count).collect() } else { open };
            let best = among.into_iter().min_by_key(|&number| (with(&groups[number]), number)).unwrap();
            groups[best].push(person);
        }
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups
    }

    proptest! {
        #[test]
        fn releases_are_sound_and_as_printed(original in small_baskets(2..24), k in 2usize..5, r in 1usize..5) {
            prop_assume!(original.persons() >= k);
            assert_sound(&clump(Params { k, r, without_duplicates: false }), &original, k);
            assert_sound(&clump(Params { k, r, without_duplicates: true }), &original, k);
            let taxonomy = original.taxonomy().unwrap();
            let marks = Marks::new(&original, taxonomy, 2);
            let found = clusters(&original, &marks, u64::from(taxonomy.loss_unit()), k, r, &Silent);
            prop_assert_eq!(found.groups, literal(&original, k, r));
        }
    }
}
