//! Coherence: who knows up to p public items of a person finds k persons, and no sensitive item with certainty above h.
//!
//! Paper      Xu, Wang, Fu, Yu. Anonymizing Transaction Databases for Publication. KDD 2008; paper 002, section 2.3.
//! Claims     coherence(h, k, p).
//! Does not   generalise: on sparse data much is lost. Nor protect against who knows that a person does *not* have an item.
//!
//! # Idea
//! 1. A mole is a set of up to p public items that some, but fewer than k, persons have, or of whose owners more than a
//!    share h have the same sensitive item. 2. Suppress, for everybody, every item that is a mole by itself. 3. Find all
//!    smallest moles. 4. Suppress the public item that is in most of them for its number of occurrences, until none is
//!    left. Suppressing an item leaves the support of all other sets as it was, so that no mole is ever new.
//!
//! # Readings
//! C13: h is about single sensitive items. C14: ties go to the lower number; sensitive items are never suppressed, and a
//! share of exactly h is allowed. C15: in Table 2.1, x, y and z are moles by themselves. A mole has at least one item.
//! Occurrences are counted with copies; records are sets, for how often a person has an item is knowledge that no claim
//! covers.
//!
//! # Cost
//! Time O(sum of squares of the lengths) for p = 2, and the number of smallest moles; memory 20 bytes a mole. Pairs are
//! counted item by item in one array: no table of pairs is ever made.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::cover::{Sets, cheapest_cover};
use super::recoding::{bad_count, bad_share, check_crowd, recoded, sensitive_of};
use crate::data::Baskets;
use crate::error::{Error, Result};
use crate::info::{self, Info};
use crate::methods::refusals::check_k;
use crate::methods::{Method, shown_parameters};
use crate::models;
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// The card of the method.
pub const INFO: Info = Info {
    name: "coherence",
    summary: "up to p known items lead to k persons, and to no sensitive item for more than a share h of them",
    paper: "Xu, Wang, Fu, Yu. Anonymizing Transaction Databases for Publication. KDD 2008",
    details: "A mole is a set of up to p public items that some, but fewer than k, persons have, or of whose owners more \
        than a share h have the same sensitive item.\n\
        1. Items that are moles by themselves are suppressed for everybody.\n\
        2. All smallest moles are found.\n\
        3. The public item in most of them for its number of occurrences is suppressed for everybody, until no mole is \
        left.\n\
        Sensitive items are never suppressed. What is left has exactly the support it had. Records are sets.\n\
        Claims coherence(h, k, p). It does not generalise: on sparse data a large part of all items goes.",
    parameters: &[info::H, info::K, info::P],
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How sure of a sensitive item an attacker may become, at most.
    pub h: f64,
    /// How many persons have what an attacker knows, at least.
    pub k: usize,
    /// How many public items an attacker knows, at most.
    pub p: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { h: 0.8, k: 5, p: 2 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Coherence {
    params: Params,
}

impl Coherence {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let errors = [bad_share("h", params.h), check_k(params.k), bad_count("p", params.p, 1)];
        let errors: Vec<Error> = errors.into_iter().flatten().collect();
        if errors.is_empty() { Ok(Self { params }) } else { Err(Error::parameters(errors)) }
    }
}

impl Method<Baskets> for Coherence {
    fn protect(&self, original: &Baskets, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Baskets>> {
        let Params { h, k, p } = self.params;
        sensitive_of(original, INFO.name)?;
        check_crowd(original, k)?;
        let mut suppressed = vec![false; original.item_count()];
        let mut occurrences = vec![0u64; original.item_count()];
        for &item in original.items() {
            occurrences[item as usize] += 1;
        }
        let mut search = Search::new(original, h, k);
        for item in search.moles_of_one() {
            suppressed[item as usize] = true;
        }
        search.leave_out(&suppressed);
        let mut moles = Moles::default();
        for size in 2..=p.min(search.longest()) {
            progress.stage("looking for moles", search.persons_of.len() as u64);
            search.moles_of(size, &mut moles, progress);
            progress.go_on()?;
        }
        let moles = std::mem::take(&mut moles.all);
        drop(search);
        for item in cheapest_cover(moles, |item| occurrences[item as usize]) {
            suppressed[item as usize] = true;
        }
        let claims = vec![Claim::new(&models::coherence::INFO, [("h", json!(h)), ("k", json!(k)), ("p", json!(p))])];
        Ok(recoded(original, |item| (!suppressed[item as usize]).then_some(item), claims))
    }

    fn parameters(&self) -> Map<String, Value> {
        shown_parameters(&self.params)
    }
}

/// The smallest moles of two and more items, found in lexicographic order for each size.
#[derive(Default)]
struct Moles {
    all: Sets,
    /// For each size from 2 on the moles of that size, one after the other.
    by_size: Vec<Vec<u32>>,
}

impl Moles {
    fn push(&mut self, mole: &[u32]) {
        self.all.push(mole);
        self.by_size[mole.len() - 2].extend_from_slice(mole);
    }

    fn contains(&self, set: &[u32]) -> bool {
        let size = set.len();
        let Some(moles) = size.checked_sub(2).and_then(|place| self.by_size.get(place)) else { return false };
        let (mut low, mut high) = (0, moles.len() / size);
        while low < high {
            let middle = usize::midpoint(low, high);
            if moles[middle * size..][..size] < *set {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        moles[low * size..].starts_with(set)
    }
}

/// Public items by person and persons by public item.
struct Search {
    h: f64,
    k: usize,
    /// For each person their public items in rising order, and their sensitive ones.
    public: Vec<Vec<u32>>,
    sensitive: Vec<Vec<u32>>,
    /// For each item who has it; only public ones.
    persons_of: Vec<Vec<u32>>,
    /// Persons by item, all 0 between calls.
    counts: Vec<u32>,
    sensitive_counts: Vec<u32>,
}

impl Search {
    fn new(original: &Baskets, h: f64, k: usize) -> Self {
        let mut search = Self {
            h,
            k,
            public: Vec::with_capacity(original.persons()),
            sensitive: Vec::with_capacity(original.persons()),
            persons_of: vec![Vec::new(); original.item_count()],
            counts: vec![0; original.item_count()],
            sensitive_counts: vec![0; original.item_count()],
        };
        for person in 0..original.persons() {
            let mut items = original.basket(person).to_vec();
            items.dedup();
            let (sensitive, public): (Vec<u32>, Vec<u32>) =
                items.into_iter().partition(|&item| original.is_sensitive(item));
            for &item in &public {
                search.persons_of[item as usize].push(person as u32);
            }
            search.public.push(public);
            search.sensitive.push(sensitive);
        }
        search
    }

    fn longest(&self) -> usize {
        self.public.iter().map(Vec::len).max().unwrap_or(0)
    }

    fn moles_of_one(&mut self) -> Vec<u32> {
        let mut moles = Vec::new();
        for item in 0..self.persons_of.len() {
            let persons = std::mem::take(&mut self.persons_of[item]);
            if !persons.is_empty() && (persons.len() < self.k || self.is_breach(&persons)) {
                moles.push(item as u32);
            }
            self.persons_of[item] = persons;
        }
        moles
    }

    fn leave_out(&mut self, suppressed: &[bool]) {
        for items in &mut self.public {
            items.retain(|&item| !suppressed[item as usize]);
        }
        for (persons, _) in self.persons_of.iter_mut().zip(suppressed).filter(|(_, suppressed)| **suppressed) {
            *persons = Vec::new();
        }
    }

    /// Whether more than a share h of some persons have the same sensitive item.
    fn is_breach(&mut self, persons: &[u32]) -> bool {
        let mut most = 0;
        for &person in persons {
            for &item in &self.sensitive[person as usize] {
                self.sensitive_counts[item as usize] += 1;
                most = most.max(self.sensitive_counts[item as usize]);
            }
        }
        for &person in persons {
            for &item in &self.sensitive[person as usize] {
                self.sensitive_counts[item as usize] = 0;
            }
        }
        exceeds(most, persons.len() as u32, self.h)
    }

    /// Adds all smallest moles of some size, two at least, when the smaller ones are known.
    fn moles_of(&mut self, size: usize, moles: &mut Moles, progress: &dyn Progress) {
        moles.by_size.push(Vec::new());
        for item in 0..self.persons_of.len() {
            let persons = std::mem::take(&mut self.persons_of[item]);
            if !persons.is_empty() && !progress.is_stopped() {
                self.extend(&mut vec![item as u32], &persons, size, moles);
            }
            self.persons_of[item] = persons;
            progress.advance(1);
        }
    }

    /// Adds the smallest moles of some size that begin with a set that holds no mole, and that some persons have.
    fn extend(&mut self, set: &mut Vec<u32>, persons: &[u32], size: usize, moles: &mut Moles) {
        let last = set[set.len() - 1];
        let mut seen = Vec::new();
        for &person in persons {
            let items = &self.public[person as usize];
            for &item in &items[items.partition_point(|&item| item <= last)..] {
                if self.counts[item as usize] == 0 {
                    seen.push(item);
                }
                self.counts[item as usize] += 1;
            }
        }
        seen.sort_unstable();
        if set.len() + 1 == size {
            self.add_moles(set, persons, &seen, moles);
        }
        for &item in &seen {
            self.counts[item as usize] = 0;
        }
        if set.len() + 1 < size {
            for item in seen {
                set.push(item);
                if !holds_mole(set, moles) {
                    let has = |person: &u32| self.public[*person as usize].binary_search(&item).is_ok();
                    let both: Vec<u32> = persons.iter().copied().filter(has).collect();
                    self.extend(set, &both, size, moles);
                }
                set.pop();
            }
        }
    }

    /// Adds the set with one of the items seen, wherever that is a mole and holds no smaller one.
    fn add_moles(&mut self, set: &mut Vec<u32>, persons: &[u32], seen: &[u32], moles: &mut Moles) {
        // Owners of each sensitive item among the persons, to count pairs with it apart.
        let mut owners: Vec<(u32, u32)> = persons
            .iter()
            .flat_map(|&person| self.sensitive[person as usize].iter().map(move |&item| (item, person)))
            .collect();
        owners.sort_unstable();
        let last = set[set.len() - 1];
        let mut breaches: Vec<u32> = Vec::new();
        for owners in owners.chunk_by(|left, right| left.0 == right.0) {
            let mut touched = Vec::new();
            for &(_, person) in owners {
                let items = &self.public[person as usize];
                for &item in &items[items.partition_point(|&item| item <= last)..] {
                    if self.sensitive_counts[item as usize] == 0 {
                        touched.push(item);
                    }
                    self.sensitive_counts[item as usize] += 1;
                }
            }
            for item in touched {
                let having = std::mem::take(&mut self.sensitive_counts[item as usize]);
                if exceeds(having, self.counts[item as usize], self.h) {
                    breaches.push(item);
                }
            }
        }
        breaches.sort_unstable();
        for &item in seen {
            if self.counts[item as usize] as usize >= self.k && breaches.binary_search(&item).is_err() {
                continue;
            }
            set.push(item);
            if set.len() == 2 || !holds_mole(set, moles) {
                moles.push(set);
            }
            set.pop();
        }
    }
}

/// Whether a share is above h; exactly h is not. The quotient rounds as h itself was rounded when it was read.
fn exceeds(part: u32, all: u32, h: f64) -> bool {
    f64::from(part) / f64::from(all) > h
}

/// Whether a set holds a mole with its last item, when it holds none without.
fn holds_mole(set: &[u32], moles: &Moles) -> bool {
    let Some((&last, rest)) = set.split_last() else { return false };
    let mut chosen = vec![Vec::new()];
    for &item in rest {
        for place in 0..chosen.len() {
            let mut other = chosen[place].clone();
            other.push(item);
            chosen.push(other);
        }
    }
    chosen.iter_mut().any(|part| {
        part.push(last);
        part.len() > 1 && moles.contains(part)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::recoding::tests::{all_words, random_baskets, subsets, support};
    use super::*;
    use crate::data::BasketsBuilder;
    use crate::progress::Silent;

    fn protect(original: &Baskets, h: f64, k: usize, p: usize) -> Baskets {
        let method = Coherence::new(Params { h, k, p }).unwrap();
        method.protect(original, &mut Rng::seeded(1), &Silent).unwrap().records
    }

    /// Table 2.1; labels are numbered in alphabetical order, illnesses last.
    fn life_styles() -> Baskets {
        let mut builder = BasketsBuilder::new(None, false);
        for label in "a b c d f g x y z Diabetes Hepatitis HIV".split(' ') {
            builder.label(label);
        }
        let rows = ["a c d f g Diabetes", "a b c f Hepatitis", "b d f x Hepatitis", "b c g y z HIV", "a c f g HIV"];
        for (line, row) in rows.iter().enumerate() {
            let person = builder.person(&(line + 1).to_string());
            for label in row.split(' ') {
                let item = builder.label(label);
                builder.push(person, item);
            }
        }
        builder.finish().with_sensitive(vec![9, 10, 11])
    }

    fn is_mole(baskets: &Baskets, set: &[u32], h: f64, k: usize) -> bool {
        let all = support(baskets, set);
        let having = |&item: &u32| {
            let mut both = set.to_vec();
            both.push(item);
            support(baskets, &both)
        };
        let most = baskets.sensitive().iter().map(having).max().unwrap_or(0);
        all < k || most as f64 / all as f64 > h
    }

    fn all_moles(baskets: &Baskets, h: f64, k: usize, p: usize) -> Vec<Vec<u32>> {
        let public = |person: usize| -> Vec<u32> {
            let mut items = baskets.basket(person).to_vec();
            items.dedup();
            items.retain(|&item| !baskets.is_sensitive(item));
            items
        };
        let sets: BTreeSet<Vec<u32>> = (0..baskets.persons()).flat_map(|person| subsets(&public(person), p)).collect();
        sets.into_iter().filter(|set| !set.is_empty() && is_mole(baskets, set, h, k)).collect()
    }

    /// Example 2.3.1. By itself each of x, y and z is a mole (C15). Of the moles ab, ad, bd, bf, bg, cd and dg, d is in
    /// four and occurs twice; b is in the three left and occurs three times.
    #[test]
    fn example_2_3_1() {
        let original = life_styles();
        let label = |text: &str| original.labels().iter().position(|label| label == text).unwrap() as u32;
        let moles = all_moles(&original, 0.8, 2, 2);
        assert!(moles.contains(&vec![label("a"), label("b")]) && moles.contains(&vec![label("b"), label("f")]));
        let expected = ["a c f g Diabetes", "a c f Hepatitis", "f Hepatitis", "c g HIV", "a c f g HIV"];
        assert_eq!(all_words(&protect(&original, 0.8, 2, 2)), expected);
        let expected = ["a c d f g Diabetes", "a b c f Hepatitis", "b d f Hepatitis", "b c g HIV", "a c f g HIV"];
        assert_eq!(all_words(&protect(&original, 0.8, 2, 1)), expected);
    }

    /// The paper's algorithm word for word: all smallest moles looked for anew after each item.
    fn literal(original: &Baskets, h: f64, k: usize, p: usize) -> Vec<u32> {
        let mut gone: Vec<u32> = all_moles(original, h, k, 1).into_iter().flatten().collect();
        loop {
            let left = original.records((0..original.persons()).map(|person| {
                let items = original.basket(person).iter().copied();
                items.filter(|item| !gone.contains(item)).collect::<Vec<u32>>()
            }));
            let moles = all_moles(&left, h, k, p);
            let is_part = |small: &Vec<u32>, large: &Vec<u32>| {
                small.len() < large.len() && small.iter().all(|item| large.contains(item))
            };
            let smallest: Vec<&Vec<u32>> =
                moles.iter().filter(|mole| !moles.iter().any(|other| is_part(other, mole))).collect();
            let count = |item: u32| smallest.iter().filter(|mole| mole.contains(&item)).count();
            let occurrences = |item: u32| original.items().iter().filter(|&&other| other == item).count().max(1);
            let better = |best: u32, item: u32| {
                let ahead = count(item) * occurrences(best) > count(best) * occurrences(item);
                if ahead { item } else { best }
            };
            match (0..original.item_count() as u32).reduce(better) {
                Some(item) if count(item) > 0 => gone.push(item),
                _ => return gone,
            }
        }
    }

    #[test]
    fn it_does_what_the_paper_says_and_leaves_no_mole() {
        let mut rng = Rng::seeded(6);
        for _ in 0..200 {
            let persons = 4 + rng.index(20);
            let original = random_baskets(&mut rng, 14, persons, 6);
            let mut sensitive = original.items().to_vec();
            rng.shuffle(&mut sensitive);
            sensitive.truncate(1 + rng.index(3));
            let original = original.with_sensitive(sensitive);
            let (h, k, p) = ([0.3, 0.5, 0.8, 1.0][rng.index(4)], 2 + rng.index(2), 1 + rng.index(4));
            if original.sensitive().is_empty() || check_crowd(&original, k).is_err() {
                continue;
            }
            let records = protect(&original, h, k, p);
            assert!(all_moles(&records, h, k, p).is_empty());
            let gone = literal(&original, h, k, p);
            for person in 0..persons {
                let mut expected = original.basket(person).to_vec();
                expected.dedup();
                expected.retain(|item| !gone.contains(item));
                assert_eq!(records.basket(person), expected);
            }
        }
    }

    #[test]
    fn refusals() {
        let error = Coherence::new(Params { h: 1.5, k: 1, p: 0 }).unwrap_err().to_string();
        assert!(error.contains("`h` is 1.5") && error.contains("`k` is 1") && error.contains("`p` is 0"));
        let method = Coherence::new(Params::default()).unwrap();
        let original = life_styles().with_sensitive(Vec::new());
        let error = method.protect(&original, &mut Rng::seeded(1), &Silent).unwrap_err();
        assert_eq!(error.to_string(), "`coherence` protects sensitive items, and none are named");
        let original = life_styles();
        let error = Coherence::new(Params { k: 6, ..Params::default() })
            .unwrap()
            .protect(&original, &mut Rng::seeded(1), &Silent)
            .unwrap_err();
        assert_eq!(error.to_string(), "there are 5 persons, fewer than k = 6");
    }
}
