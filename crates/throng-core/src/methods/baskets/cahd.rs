//! CAHD: sensitive items are published by group, so that nobody has one with a chance above 1/p.
//!
//! Paper      Ghinita, Tao, Kalnis. On the Anonymization of Sparse High-Dimensional Data. ICDE 2008; paper 002, section 2.4.
//! Claims     privacy-degree(p).
//! Does not   hide who is who: public items are published as they are. What it hides is who has a sensitive item.
//!
//! # Idea
//! 1. Order persons by reverse Cuthill-McKee on the graph of those who share public items: neighbours in that order are
//!    alike. 2. Take each person with sensitive items in that order; around them the nearest `alpha` × p before and as many
//!    after that have none of the same sensitive items; of those the p - 1 with most public items in common, no two with
//!    the same sensitive item, make a group. 3. A group that would leave too few others for a sensitive item is not made.
//!    4. Who is left is one group.
//!
//! # Readings
//! C22: `alpha` × p persons on each side; whether enough others are left is tested after the group has gone; each person is
//! tried once; conflicts are excluded between the chosen too. Ties go to who is earlier in the order. The degree of a
//! person in the graph is the number of items shared with others, summed over the others: counting each other once
//! would take quadratic time. Each part of the graph starts at a person of lowest degree. Numbers of groups are drawn
//! at random, so that they say nothing about the order. Public items keep their copies: here an attacker may know all.
//!
//! # Cost
//! Time O(occurrences + n log n) for the order and O(sensitive persons × alpha × p × length) for groups; memory
//! O(occurrences).

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::recoding::{bad_count, sensitive_of};
use crate::data::Baskets;
use crate::data::baskets::Grouping;
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::models::privacy_degree;
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "cahd",
    summary: "groups of like persons, sensitive items published by group: nobody has one with a chance above 1/p",
    paper: "Ghinita, Tao, Kalnis. On the Anonymization of Sparse High-Dimensional Data. ICDE 2008",
    details: "1. Persons are ordered by reverse Cuthill-McKee on the graph of those who share public items, so that \
        neighbours are alike.\n\
        2. Each person with sensitive items is grouped with p - 1 of the alpha × p persons before and after who have \
        none of the same sensitive items: those with most public items in common, no sensitive item twice.\n\
        3. A group that would leave too few others for some sensitive item is not made. Who is left is one group.\n\
        4. Everybody is published with their public items and the number of their group; each group with its sensitive \
        items and how many persons have them.\n\
        Claims privacy-degree(p). It does not hide who is who: public items are published as they are.",
    parameters: &[info::P, ALPHA],
};

const ALPHA: Parameter = Parameter {
    name: "alpha",
    summary: "how many times p persons are looked at on each side",
    kind: ParameterKind::Count,
    default: "3",
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// One person in p, at most, has a given sensitive item.
    pub p: usize,
    /// How many times p persons are looked at on each side.
    pub alpha: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { p: 2, alpha: 3 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Cahd {
    params: Params,
}

impl Cahd {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let errors = [bad_count("p", params.p, 2), bad_count("alpha", params.alpha, 1)];
        let errors: Vec<Error> = errors.into_iter().flatten().collect();
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Baskets> for Cahd {
    fn protect(&self, original: &Baskets, rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Baskets>> {
        let Params { p, alpha } = self.params;
        let sensitive_items = sensitive_of(original, INFO.name)?;
        let (public, sensitive) = split(original);
        let persons = original.persons();
        let mut owners = vec![0u32; sensitive_items.len()];
        for &place in sensitive.iter().flatten() {
            owners[place as usize] += 1;
        }
        if let Some((&most, &item)) =
            owners.iter().zip(sensitive_items).max_by_key(|&(&most, &item)| (most, Reverse(item)))
            && most as usize * p > persons
        {
            let error = Error::refused(format!(
                "a sensitive item occurs with {most} of {persons} persons, more than one in p = {p}: no grouping can hide it"
            ));
            let highest = persons / most as usize;
            let hint = if highest < 2 {
                "leave that item out of the data or of the sensitive items".to_owned()
            } else {
                format!("choose p = {highest} or lower, or leave that item out of the data or of the sensitive items")
            };
            return Err(error.with_value(original.label(item)).with_hint(hint));
        }
        progress.stage("grouping persons", persons as u64);
        let mut groups = Groups::new(&public, &sensitive, owners, band_order(&public, original.item_count()));
        let mut group_of = groups.form(p, alpha, progress);
        let mut numbers: Vec<u32> = (0..groups.count).collect();
        rng.shuffle(&mut numbers);
        for group in &mut group_of {
            *group = numbers[*group as usize];
        }
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for (person, places) in sensitive.iter().enumerate() {
            entries.extend(places.iter().map(|&place| (group_of[person], sensitive_items[place as usize])));
        }
        entries.sort_unstable();
        let mut published = vec![Vec::new(); groups.count as usize];
        for copies in entries.chunk_by(|left, right| left == right) {
            published[copies[0].0 as usize].push((copies[0].1, copies.len() as u32));
        }
        let record = |person: usize| {
            let items = original.basket(person).iter().copied();
            items.filter(|&item| !original.is_sensitive(item)).collect::<Vec<u32>>()
        };
        let records = original.records((0..persons).map(record));
        let records = records.with_grouping(Grouping { group_of, sensitive: published });
        let claim = Claim::new(&privacy_degree::INFO, [("p", json!(p))]);
        Ok(Protected::new(records, (0..persons as u32).map(Some).collect(), vec![claim]))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

/// For each person the distinct public items, and the places of the distinct sensitive ones among all sensitive items.
fn split(original: &Baskets) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let parts = |person: usize| {
        let (mut public, mut sensitive) = (Vec::new(), Vec::new());
        for copies in original.basket(person).chunk_by(|left, right| left == right) {
            match original.sensitive().binary_search(&copies[0]) {
                Ok(place) => sensitive.push(place as u32),
                Err(_) => public.push(copies[0]),
            }
        }
        (public, sensitive)
    };
    (0..original.persons()).map(parts).unzip()
}

/// Persons in the order of reverse Cuthill-McKee on the graph of those who share an item.
///
/// The graph is never made. When the first owner of an item is reached, all others come next, so that each item is gone
/// through once.
fn band_order(public: &[Vec<u32>], items: usize) -> Vec<u32> {
    let mut persons_of = vec![Vec::new(); items];
    for (person, items) in public.iter().enumerate() {
        for &item in items {
            persons_of[item as usize].push(person as u32);
        }
    }
    let degree = |items: &Vec<u32>| items.iter().map(|&item| persons_of[item as usize].len() as u64 - 1).sum::<u64>();
    let degrees: Vec<u64> = public.iter().map(degree).collect();
    let mut starts: Vec<u32> = (0..public.len() as u32).collect();
    starts.sort_by_key(|&person| degrees[person as usize]);
    let mut reached = vec![false; public.len()];
    let mut order: Vec<u32> = Vec::with_capacity(public.len());
    for start in starts {
        if std::mem::replace(&mut reached[start as usize], true) {
            continue;
        }
        let mut next = order.len();
        order.push(start);
        while next < order.len() {
            let first = order.len();
            for &item in &public[order[next] as usize] {
                for person in std::mem::take(&mut persons_of[item as usize]) {
                    if !std::mem::replace(&mut reached[person as usize], true) {
                        order.push(person);
                    }
                }
            }
            order[first..].sort_by_key(|&person| (degrees[person as usize], person));
            next += 1;
        }
    }
    order.reverse();
    order
}

/// Persons in their order, some of them in groups already.
struct Groups<'a> {
    public: &'a [Vec<u32>],
    sensitive: &'a [Vec<u32>],
    /// How many persons without a group have each sensitive item.
    owners: Vec<u32>,
    order: Vec<u32>,
    /// The place after and before in the order of those without a group; the number of persons stands for none.
    after: Vec<usize>,
    before: Vec<usize>,
    left: usize,
    count: u32,
}

const NO_GROUP: u32 = u32::MAX;

impl<'a> Groups<'a> {
    fn new(public: &'a [Vec<u32>], sensitive: &'a [Vec<u32>], owners: Vec<u32>, order: Vec<u32>) -> Self {
        let persons = order.len();
        let before = (0..=persons).map(|place| place.checked_sub(1).unwrap_or(persons)).collect();
        Self { public, sensitive, owners, order, after: (1..=persons + 1).collect(), before, left: persons, count: 0 }
    }

    /// Makes all groups; gives the group of each person.
    fn form(&mut self, p: usize, alpha: usize, progress: &dyn Progress) -> Vec<u32> {
        let persons = self.order.len();
        let mut group_of = vec![NO_GROUP; persons];
        for place in 0..persons {
            progress.advance(1);
            if progress.is_stopped() {
                break;
            }
            let person = self.order[place] as usize;
            if group_of[person] != NO_GROUP || self.sensitive[person].is_empty() {
                continue;
            }
            let Some(group) = self.group_around(place, p, alpha.saturating_mul(p)) else { continue };
            for &member in &group {
                group_of[self.order[member] as usize] = self.count;
                self.remove(member);
            }
            self.count += 1;
        }
        if self.left > 0 {
            for group in group_of.iter_mut().filter(|group| **group == NO_GROUP) {
                *group = self.count;
            }
            self.count += 1;
        }
        group_of
    }

    /// The places of a group around a person, unless there are too few others, now or for those left.
    fn group_around(&self, place: usize, p: usize, window: usize) -> Option<Vec<usize>> {
        let persons = self.order.len();
        let mut candidates = Vec::new();
        for steps in [&self.before, &self.after] {
            let mut other = steps[place];
            let mut found = 0;
            while other < persons && found < window {
                if !self.conflict(place, other) {
                    candidates.push((Reverse(self.common(place, other)), other));
                    found += 1;
                }
                other = steps[other];
            }
        }
        candidates.sort_unstable();
        let mut group = vec![place];
        for (_, other) in candidates {
            if group.len() < p && !group[1..].iter().any(|&member| self.conflict(member, other)) {
                group.push(other);
            }
        }
        if group.len() < p {
            return None;
        }
        let mut owners = self.owners.clone();
        for &member in &group {
            for &item in &self.sensitive[self.order[member] as usize] {
                owners[item as usize] -= 1;
            }
        }
        owners.iter().all(|&owners| owners as usize * p <= self.left - group.len()).then_some(group)
    }

    fn conflict(&self, left: usize, right: usize) -> bool {
        let [left, right] = [left, right].map(|place| &self.sensitive[self.order[place] as usize]);
        left.iter().any(|item| right.binary_search(item).is_ok())
    }

    /// How many public items two persons have in common.
    fn common(&self, left: usize, right: usize) -> usize {
        let [left, right] = [left, right].map(|place| &self.public[self.order[place] as usize]);
        left.iter().filter(|item| right.binary_search(item).is_ok()).count()
    }

    fn remove(&mut self, place: usize) {
        let (before, after) = (self.before[place], self.after[place]);
        if before < self.order.len() {
            self.after[before] = after;
        }
        if after < self.order.len() {
            self.before[after] = before;
        }
        for &item in &self.sensitive[self.order[place] as usize] {
            self.owners[item as usize] -= 1;
        }
        self.left -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::recoding::tests::{all_words, random_baskets};
    use super::*;
    use crate::data::BasketsBuilder;
    use crate::progress::Silent;

    fn protect(original: &Baskets, p: usize) -> Result<Protected<Baskets>> {
        Cahd::new(Params { p, ..Params::default() })?.protect(original, &mut Rng::seeded(1), &Silent)
    }

    fn shop(rows: &[&str], sensitive: &[&str]) -> Baskets {
        let mut builder = BasketsBuilder::new(None, false);
        let sensitive: Vec<u32> = sensitive.iter().map(|label| builder.label(label)).collect();
        for (line, row) in rows.iter().enumerate() {
            let person = builder.person(&(line + 1).to_string());
            for label in row.split(' ') {
                let item = builder.label(label);
                builder.push(person, item);
            }
        }
        builder.finish().with_sensitive(sensitive)
    }

    /// The promise by brute force: in every group one person in p, at most, has a given sensitive item.
    fn assert_private(original: &Baskets, records: &Baskets, p: usize) {
        let grouping = records.grouping().unwrap();
        let mut sizes = vec![0usize; grouping.sensitive.len()];
        for &group in &grouping.group_of {
            sizes[group as usize] += 1;
        }
        for (group, sensitive) in grouping.sensitive.iter().enumerate() {
            assert!(sizes[group] > 0);
            for &(item, count) in sensitive {
                let has = |person: &usize| {
                    grouping.group_of[*person] as usize == group && original.basket(*person).contains(&item)
                };
                assert_eq!((0..original.persons()).filter(has).count(), count as usize);
                assert!(count as usize * p <= sizes[group]);
            }
        }
        let published: u32 = grouping.sensitive.iter().flatten().map(|&(_, count)| count).sum();
        let mut all = 0;
        for person in 0..original.persons() {
            let (public, mut sensitive): (Vec<u32>, Vec<u32>) =
                original.basket(person).iter().partition(|&&item| !original.is_sensitive(item));
            assert_eq!(records.basket(person), public);
            sensitive.dedup();
            all += sensitive.len();
        }
        assert_eq!(published as usize, all);
    }

    /// Example 2.4.1. Figure 2.1 is not in the text; this shop fits what is said of it: two groups of privacy degree 2, and
    /// who bought beef and no milk bought a pregnancy test for certain before, and with a chance of one half after.
    #[test]
    fn example_2_4_1() {
        let rows = ["Wine Beef Test", "Milk Cream", "Wine Beef Milk", "Cream Milk Viagra", "Wine Beef Milk"];
        let original = shop(&rows, &["Test", "Viagra"]);
        let protected = protect(&original, 2).unwrap();
        let records = &protected.records;
        assert_eq!(all_words(records), ["Wine Beef", "Milk Cream", "Wine Beef Milk", "Milk Cream", "Wine Beef Milk"]);
        assert_private(&original, records, 2);
        let grouping = records.grouping().unwrap();
        let with_test = grouping.group_of[0];
        let others: Vec<usize> = (1..5).filter(|&person| grouping.group_of[person] == with_test).collect();
        assert!(others.iter().all(|&person| rows[person] == "Wine Beef Milk"));
        assert_eq!(grouping.sensitive[with_test as usize], [(0, 1)]);
        assert_eq!(grouping.group_of[1], grouping.group_of[3]);
    }

    #[test]
    fn neighbours_in_the_order_are_alike() {
        // A chain: each person shares an item with the next; told in a mixed order.
        let rows = ["b c", "d e", "a b", "c d", "e f"];
        let original = shop(&rows, &["s"]);
        let (public, _) = split(&original);
        let order: Vec<&str> =
            band_order(&public, original.item_count()).iter().map(|&person| rows[person as usize]).collect();
        assert!(order == ["a b", "b c", "c d", "d e", "e f"] || order == ["e f", "d e", "c d", "b c", "a b"]);
    }

    #[test]
    fn every_result_keeps_its_promise() {
        let mut rng = Rng::seeded(8);
        let mut refused = 0;
        for _ in 0..400 {
            let persons = 4 + rng.index(40);
            let original = random_baskets(&mut rng, 20, persons, 5);
            let mut sensitive = original.items().to_vec();
            rng.shuffle(&mut sensitive);
            sensitive.truncate(1 + rng.index(4));
            let original = original.with_sensitive(sensitive);
            if original.sensitive().is_empty() {
                continue;
            }
            let p = 2 + rng.index(4);
            let owners = |&item: &u32| (0..persons).filter(|&person| original.basket(person).contains(&item)).count();
            let feasible = original.sensitive().iter().map(owners).all(|owners| owners * p <= persons);
            match protect(&original, p) {
                Ok(protected) => {
                    assert!(feasible);
                    assert_private(&original, &protected.records, p);
                    let again = protect(&original, p).unwrap();
                    assert_eq!(again.records.grouping(), protected.records.grouping());
                }
                Err(error) => {
                    assert!(!feasible && error.to_string().contains("no grouping"));
                    refused += 1;
                }
            }
        }
        assert!((20..380).contains(&refused), "{refused}");
    }

    #[test]
    fn refusals() {
        assert_eq!(protect(&shop(&["a"], &[]), 1).unwrap_err().to_string(), "`p` is 1, but must be at least 2");
        let error = protect(&shop(&["a s", "b", "a b s"], &["s"]), 2).unwrap_err();
        let expected = "a sensitive item occurs with 2 of 3 persons, more than one in p = 2: no grouping can hide it";
        assert_eq!(error.to_string(), expected);
        assert!(error.describe(true).contains("`s`"));
        let error = protect(&shop(&["a", "b"], &["s"]), 2).unwrap_err();
        assert_eq!(error.to_string(), "1 sensitive item does not occur in the data");
        assert!(protect(&shop(&["a", "b"], &[]), 2).unwrap_err().to_string().contains("none are named"));
    }
}
