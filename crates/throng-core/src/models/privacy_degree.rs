//! Privacy degree p: in every group, each sensitive item belongs to at most one person in p.
//!
//! Paper      Ghinita, Tao, Kalnis. On the anonymization of sparse high-dimensional data. ICDE 2008; paper 002,
//!            section 2.4.
//! Promises   whoever knows a person's public items, and so their group, is right about a sensitive item with probability
//!            at most 1/p.
//! Does not   hide who is who, nor hold against someone who knows sensitive items of others in the group.
//!
//! # Idea
//! Sensitive items are published by group, with the number of persons who have each. For every group and item that number
//! is at most the size of the group over p, and no sensitive item stands in a person's own items. Without groups every
//! person is a group of one: the data hold only if no sensitive item occurs at all.
//!
//! # Cost
//! Time O(items), memory O(groups).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Model, Verdict, Witness};
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};

/// The card of the model.
pub const INFO: Info = Info {
    name: "privacy-degree",
    summary: "in every group, each sensitive item belongs to at most one person in p",
    paper: "Ghinita, Tao, Kalnis. On the anonymization of sparse high-dimensional data. ICDE 2008; as reviewed in \
            Milani Fard's thesis (Simon Fraser University, 2010), section 2.4",
    details: "Sensitive items are published by group: how many of its persons have each. For every group and every sensitive \
        item that number times p may be at most the number of persons in the group, and no sensitive item may stand among \
        a person's own items. Sensitive are the items of --sensitive and all that are published by group. A file without \
        groups is read as groups of one person: it holds only if no sensitive item occurs.\n\
        Achieved is the greatest p that holds, null where no sensitive item is published: then any p does.\n\
        Promises: whoever knows all public items of a person, and so their group, is right about a sensitive item with a \
        probability of at most 1/p.\n\
        Does not promise: that a person is one of k: public items are published as they are, and single people out; anything \
        against someone who knows the sensitive items of others in the group; nor that having some sensitive item is as \
        unlikely as having a given one.",
    parameters: &[Parameter {
        name: "p",
        summary: "one person in how many of a group may have a sensitive item, at most",
        kind: ParameterKind::Count,
        default: "5",
    }],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// One in how many may have a sensitive item, at most.
    pub p: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { p: 5 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct PrivacyDegree {
    p: usize,
}

impl PrivacyDegree {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.p < 2 {
            return Err(Error::parameter("p", format!("is {}, but must be at least 2", params.p))
                .with_hint("1/p is a probability: at p = 1 everything is allowed"));
        }
        Ok(Self { p: params.p })
    }
}

impl Model<Baskets> for PrivacyDegree {
    fn needs_sensitive(&self) -> bool {
        true
    }

    fn check(&self, data: &Baskets) -> Result<Verdict> {
        let worst = worst(data);
        // Exact: no division.
        let holds = worst.as_ref().is_none_or(|worst| worst.count * self.p as u64 <= worst.size);
        let achieved = worst.as_ref().map_or(Value::Null, |worst| json!(worst.size / worst.count));
        let witness = worst.filter(|_| !holds).map(|worst| Witness {
            person: worst.person,
            group_size: worst.size as usize,
            items: vec![worst.item],
            numbers: Map::from_iter([
                ("support".into(), json!(worst.count)),
                ("confidence".into(), json!((worst.count as f64 / worst.size.max(1) as f64).min(1.0))),
            ]),
        });
        Ok(Verdict { holds, achieved: Map::from_iter([("p".into(), achieved)]), witness })
    }
}

/// A sensitive item of a group.
struct Found {
    person: u32,
    item: u32,
    count: u64,
    size: u64,
}

/// The sensitive item that is most likely in its group; the first such.
fn worst(data: &Baskets) -> Option<Found> {
    let nobody = Vec::new();
    let (group_of, published) =
        data.grouping().map_or((&nobody, &[][..]), |grouping| (&grouping.group_of, &grouping.sensitive[..]));
    let mut sensitive = data.sensitive().to_vec();
    sensitive.extend(published.iter().flatten().map(|&(item, _)| item));
    sensitive.sort_unstable();
    sensitive.dedup();
    // An item that stands in a person's own basket is theirs for sure.
    for person in 0..data.persons() {
        let mut basket = data.basket(person).iter();
        if let Some(&item) = basket.find(|item| sensitive.binary_search(item).is_ok()) {
            return Some(Found { person: person as u32, item, count: 1, size: 1 });
        }
    }
    let mut groups: Vec<(u64, u32)> = vec![(0, 0); published.len()];
    for (person, &group) in group_of.iter().enumerate().rev() {
        if let Some(group) = groups.get_mut(group as usize) {
            *group = (group.0 + 1, person as u32);
        }
    }
    let mut worst: Option<Found> = None;
    for (&(size, person), items) in groups.iter().zip(published) {
        for &(item, count) in items.iter().filter(|&&(_, count)| count > 0) {
            let found = Found { person, item, count: u64::from(count), size };
            if worst.as_ref().is_none_or(|worst| found.count * worst.size > worst.count * found.size) {
                worst = Some(found);
            }
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::super::testing::baskets;
    use super::*;
    use crate::data::baskets::Grouping;
    use proptest::prelude::*;

    fn check(p: usize, data: &Baskets) -> Verdict {
        PrivacyDegree::new(Params { p }).unwrap().check(data).unwrap()
    }

    #[test]
    fn example_2_4_1() {
        // Two groups of two with one pregnancy test (t) and one viagra (v): half of those with beef and no milk have t.
        let rows = ["b", "b m", "m c", "c"];
        let grouping = Grouping { group_of: vec![0, 0, 1, 1], sensitive: vec![vec![(20, 1)], vec![(22, 1)]] };
        let data = baskets(&rows).with_sensitive(vec![20, 22]).with_grouping(grouping.clone());
        let verdict = check(2, &data);
        assert!(verdict.holds);
        assert_eq!(verdict.achieved["p"], 2);
        let witness = check(3, &data).witness.unwrap();
        assert_eq!((witness.person, witness.group_size, witness.items), (0, 2, vec![20]));
        assert_eq!((&witness.numbers["support"], &witness.numbers["confidence"]), (&json!(1), &json!(0.5)));
        // The original says of its first person that she has t, group or not.
        let open = ["b t", "b m", "m c v", "c"];
        let witness = check(2, &baskets(&open).with_sensitive(vec![20, 22])).witness.unwrap();
        assert_eq!((witness.person, witness.group_size, witness.items), (0, 1, vec![20]));
        assert_eq!(check(2, &baskets(&open).with_grouping(grouping)).achieved["p"], 1);
    }

    #[test]
    fn nothing_sensitive_holds_for_any_p() {
        let verdict = check(100, &baskets(&["a", "b"]).with_sensitive(vec![20]));
        assert!(verdict.holds);
        assert_eq!(verdict.achieved["p"], Value::Null);
        assert!(PrivacyDegree::new(Params { p: 1 }).is_err());
    }

    #[test]
    fn a_group_of_nobody_fails() {
        let grouping = Grouping { group_of: vec![0], sensitive: vec![vec![], vec![(20, 1)]] };
        let verdict = check(2, &baskets(&["a"]).with_grouping(grouping));
        assert!(!verdict.holds);
        assert_eq!((&verdict.achieved["p"], verdict.witness.unwrap().group_size), (&json!(0), 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn as_by_counting(
            group_of in prop::collection::vec(0..3u32, 1..12),
            counts in prop::collection::vec(prop::collection::vec(0..3u32, 2), 3),
            p in 2..5usize,
        ) {
            let size = |group: usize| group_of.iter().filter(|&&own| own as usize == group).count() as u32;
            let published = |group: usize| {
                let counts = counts[group].iter().map(|&count| count.min(size(group)));
                (20..).zip(counts).filter(|&(_, count)| count > 0).collect::<Vec<_>>()
            };
            let sensitive: Vec<Vec<(u32, u32)>> = (0..3).map(published).collect();
            let data = baskets(&vec!["a"; group_of.len()])
                .with_grouping(Grouping { group_of: group_of.clone(), sensitive: sensitive.clone() });
            let holds = |p: u32| (0..3).all(|group| sensitive[group].iter().all(|&(_, count)| count * p <= size(group)));
            let verdict = check(p, &data);
            prop_assert_eq!(verdict.holds, holds(p as u32));
            match verdict.achieved["p"].as_u64() {
                Some(best) => prop_assert!(holds(best as u32) && !holds(best as u32 + 1)),
                None => prop_assert!(holds(1_000_000)),
            }
        }
    }
}
