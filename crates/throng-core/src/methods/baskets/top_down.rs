//! Top-down search: open the nodes of a cut one after the other, and suppress what that makes dangerous.
//!
//! What is dangerous is for the method to say: it finds *threats*, sets of labels that must not be published together.
//! Suppressing any one label of a threat, for everybody, removes it and makes no new one; opening a label can only make
//! threats that hold one of its parts. So only those are looked for.
//!
//! # Idea
//! 1. Take the label whose opening saves most: its items become those parts of it that are as low as can be without
//!    changing who has them.
//! 2. Find the threats that hold a part; suppress greedily the label in most threats for its cost, until none is left.
//! 3. If all that is cheaper than before, keep it; else undo it and leave the label closed.
//! 4. At the end, publish again what is suppressed and has become harmless.
//!
//! What a label saves is bounded by what it saves without threats, so that most are never tried: the next one is taken
//! when it saves at least as much as the bounds of all others.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cover::{Sets, cheapest_cover};
use crate::data::Baskets;
use crate::taxonomy::{ROOT, Taxonomy};

/// Finds what must not be published together.
pub(super) trait Threats {
    /// Sets of kept labels that must not be published together and hold one of the fresh ones, which are in rising
    /// order. None only if there is none; where there are very many, some are enough.
    fn find(&mut self, state: &State<'_>, fresh: &[u32]) -> Sets;
}

/// Labels, who has them, and which are published. Labels are numbered as in [`super::recoding`].
pub(super) struct State<'a> {
    taxonomy: Option<&'a Taxonomy>,
    /// Number of items; an inner node as an item of its own is this much more than the node.
    count: u32,
    /// Nodes that nothing may be generalised to.
    barred: Vec<u32>,
    item_persons: Vec<Vec<u32>>,
    item_occurrences: Vec<u64>,
    /// The items that each label stands for, in rising order, and who has them.
    items: Vec<Vec<u32>>,
    persons: Vec<Vec<u32>>,
    kept: Vec<bool>,
    /// The labels of each person, in no order.
    rows: Vec<Vec<u32>>,
}

impl<'a> State<'a> {
    /// Every item with a label and whether it is kept. `barred` are nodes that nothing may be generalised to.
    pub(super) fn new(original: &'a Baskets, barred: &[u32], label_of: impl Fn(u32) -> (u32, bool)) -> Self {
        let count = original.item_count();
        let mut state = Self {
            taxonomy: original.taxonomy().map(AsRef::as_ref),
            count: count as u32,
            barred: barred.to_vec(),
            item_persons: vec![Vec::new(); count],
            item_occurrences: vec![0; count],
            items: vec![Vec::new(); 2 * count],
            persons: vec![Vec::new(); 2 * count],
            kept: vec![false; 2 * count],
            rows: vec![Vec::new(); original.persons()],
        };
        for person in 0..original.persons() {
            for copies in original.basket(person).chunk_by(|left, right| left == right) {
                state.item_persons[copies[0] as usize].push(person as u32);
                state.item_occurrences[copies[0] as usize] += copies.len() as u64;
            }
        }
        let mut labels = Vec::new();
        for item in 0..count as u32 {
            if state.item_occurrences[item as usize] > 0 {
                let (label, kept) = label_of(item);
                state.items[label as usize].push(item);
                state.kept[label as usize] = kept;
                labels.push(label);
            }
        }
        labels.sort_unstable();
        labels.dedup();
        for label in labels {
            state.persons[label as usize] = state.persons_with(&state.items[label as usize]);
            state.enter(label);
        }
        state
    }

    /// The label of an item that is not generalised.
    pub(super) fn own(&self, item: u32) -> u32 {
        match self.taxonomy {
            Some(taxonomy) if !taxonomy.is_leaf(item) => item + self.count,
            _ => item,
        }
    }

    /// What a label is published as.
    pub(super) fn node(&self, label: u32) -> u32 {
        if label < self.count { label } else { label - self.count }
    }

    /// Labels that stand for something.
    pub(super) fn labels(&self) -> Vec<u32> {
        (0..2 * self.count).filter(|&label| !self.items[label as usize].is_empty()).collect()
    }

    /// One more than the greatest label.
    pub(super) fn label_count(&self) -> usize {
        2 * self.count as usize
    }

    /// Who has a label, in rising order.
    pub(super) fn persons(&self, label: u32) -> &[u32] {
        &self.persons[label as usize]
    }

    /// Whether a label is published.
    pub(super) fn is_kept(&self, label: u32) -> bool {
        self.kept[label as usize]
    }

    /// The published labels of a person, in no order.
    pub(super) fn row(&self, person: u32) -> impl Iterator<Item = u32> + '_ {
        self.rows[person as usize].iter().copied().filter(|&label| self.is_kept(label))
    }

    /// The published labels of a person in rising order.
    pub(super) fn sorted_row(&self, person: u32) -> Vec<u32> {
        let mut labels: Vec<u32> = self.row(person).collect();
        labels.sort_unstable();
        labels
    }

    /// For each item what it is published as, if it is.
    pub(super) fn image(&self) -> Vec<Option<u32>> {
        let mut image = vec![None; self.count as usize];
        for label in self.labels() {
            for &item in &self.items[label as usize] {
                image[item as usize] = self.is_kept(label).then(|| self.node(label));
            }
        }
        image
    }

    /// Makes the state harmless and as cheap as the search can.
    pub(super) fn improve(&mut self, threats: &mut dyn Threats) {
        let all: Vec<u32> = self.labels().into_iter().filter(|&label| self.is_kept(label)).collect();
        self.disarm(threats, &all);
        // What opening a label saves at most, and after how many changes that was found by trying.
        let mut open: BinaryHeap<(u64, Reverse<u32>, u64)> = BinaryHeap::new();
        for label in self.labels() {
            open.extend(self.bound(label).map(|bound| (bound, Reverse(label), u64::MAX)));
        }
        let mut changes = 0;
        while let Some((_, Reverse(label), tried)) = open.pop() {
            if self.items[label as usize].is_empty() {
                continue;
            }
            let was_kept = self.is_kept(label);
            let before = self.cost(label);
            let parts = self.open(label);
            let mut after: u64 = 0;
            // Suppressing others costs too.
            let suppressed = self.disarm(threats, &parts);
            for &part in &parts {
                after += self.cost(part);
            }
            for &other in &suppressed {
                if parts.binary_search(&other).is_err() {
                    after += self.suppression_cost(other);
                }
            }
            let saved = before.saturating_sub(after);
            let next = open.peek().map_or(0, |&(bound, _, _)| bound);
            if saved > 0 && (saved >= next || tried == changes) {
                changes += 1;
                let fresh = parts.iter().chain(&suppressed).copied().collect::<Vec<u32>>();
                for label in fresh {
                    open.extend(self.bound(label).map(|bound| (bound, Reverse(label), u64::MAX)));
                }
                continue;
            }
            for other in suppressed {
                self.kept[other as usize] = true;
            }
            self.close(label, &parts, was_kept);
            if saved > 0 {
                open.push((saved, Reverse(label), changes));
            }
        }
        self.restore(threats);
    }

    /// Publishes what is suppressed and harmless by now, the most frequent first.
    fn restore(&mut self, threats: &mut dyn Threats) {
        let mut suppressed: Vec<u32> = self.labels().into_iter().filter(|&label| !self.is_kept(label)).collect();
        suppressed.sort_by_key(|&label| (Reverse(self.suppression_cost(label)), label));
        for label in suppressed {
            self.kept[label as usize] = true;
            self.kept[label as usize] = threats.find(self, &[label]).is_empty();
        }
    }

    /// Suppresses labels until no threat holds a fresh one; gives what it suppressed.
    fn disarm(&mut self, threats: &mut dyn Threats, fresh: &[u32]) -> Vec<u32> {
        let mut suppressed = Vec::new();
        loop {
            let found = threats.find(self, fresh);
            if found.is_empty() {
                return suppressed;
            }
            for label in cheapest_cover(found, |label| self.suppression_cost(label)) {
                self.kept[label as usize] = false;
                suppressed.push(label);
            }
        }
    }

    fn occurrences(&self, label: u32) -> u64 {
        self.items[label as usize].iter().map(|&item| self.item_occurrences[item as usize]).sum()
    }

    fn weight(&self, label: u32) -> u64 {
        let node = self.node(label);
        match self.taxonomy {
            Some(taxonomy) if !taxonomy.is_leaf(node) => u64::from(taxonomy.leaves(node)),
            _ => 0,
        }
    }

    fn suppressed_weight(&self) -> u64 {
        self.taxonomy.map_or(1, |taxonomy| u64::from(taxonomy.leaves(ROOT)))
    }

    /// What a label costs as it is, published or suppressed.
    fn cost(&self, label: u32) -> u64 {
        let weight = if self.is_kept(label) { self.weight(label) } else { self.suppressed_weight() };
        self.occurrences(label) * weight
    }

    /// What it costs more to suppress a label than to publish it.
    fn suppression_cost(&self, label: u32) -> u64 {
        self.occurrences(label) * (self.suppressed_weight() - self.weight(label))
    }

    /// What opening a label saves at most: nothing if it cannot be opened.
    fn bound(&self, label: u32) -> Option<u64> {
        if self.items[label as usize].len() < 2 {
            return None;
        }
        let parts = self.parts(label);
        let weight = |(part, items): &(u32, Vec<u32>)| -> u64 {
            items.iter().map(|&item| self.item_occurrences[item as usize] * self.weight(*part)).sum()
        };
        Some(self.cost(label).saturating_sub(parts.iter().map(weight).sum())).filter(|&bound| bound > 0)
    }

    /// What a label falls into: one part for each child of its node, as low as can be; items of their own otherwise.
    fn parts(&self, label: u32) -> Vec<(u32, Vec<u32>)> {
        let Some(taxonomy) = self.taxonomy else { return Vec::new() };
        let mut parts = Vec::new();
        let mut open = vec![(self.node(label), self.items[label as usize].as_slice())];
        while let Some((node, items)) = open.pop() {
            let mut items = items;
            while let Some(&first) = items.first() {
                let child = if first == node {
                    node
                } else {
                    taxonomy.ancestors(first).find(|&above| taxonomy.parent(above) == node).unwrap_or(first)
                };
                let end = if child == node { node + 1 } else { taxonomy.end(child) };
                let (mine, others) = items.split_at(items.partition_point(|&item| item < end));
                items = others;
                match *mine {
                    [item] => parts.push((self.own(item), vec![item])),
                    [first, .., last] => {
                        let lowest = taxonomy.common_ancestor(first, last);
                        if self.barred.binary_search(&lowest).is_ok() {
                            open.push((lowest, mine));
                        } else {
                            parts.push((lowest, mine.to_vec()));
                        }
                    }
                    [] => {}
                }
            }
        }
        parts.sort_unstable();
        parts
    }

    /// Puts the parts of a label in its place; gives them in rising order.
    fn open(&mut self, label: u32) -> Vec<u32> {
        let parts = self.parts(label);
        self.leave(label);
        self.items[label as usize].clear();
        let labels = parts.iter().map(|&(part, _)| part).collect();
        for (part, items) in parts {
            self.persons[part as usize] = self.persons_with(&items);
            self.items[part as usize] = items;
            self.kept[part as usize] = true;
            self.enter(part);
        }
        labels
    }

    /// Takes [`Self::open`] back.
    fn close(&mut self, label: u32, parts: &[u32], kept: bool) {
        let mut all = Vec::new();
        for &part in parts {
            self.leave(part);
            all.append(&mut self.items[part as usize]);
            self.persons[part as usize] = Vec::new();
        }
        all.sort_unstable();
        self.persons[label as usize] = self.persons_with(&all);
        self.items[label as usize] = all;
        self.kept[label as usize] = kept;
        self.enter(label);
    }

    fn persons_with(&self, items: &[u32]) -> Vec<u32> {
        let mut persons: Vec<u32> =
            items.iter().flat_map(|&item| self.item_persons[item as usize].iter().copied()).collect();
        if items.len() > 1 {
            persons.sort_unstable();
            persons.dedup();
        }
        persons
    }

    fn enter(&mut self, label: u32) {
        for &person in &self.persons[label as usize] {
            self.rows[person as usize].push(label);
        }
    }

    fn leave(&mut self, label: u32) {
        for &person in &self.persons[label as usize] {
            let row = &mut self.rows[person as usize];
            if let Some(place) = row.iter().position(|&other| other == label) {
                row.swap_remove(place);
            }
        }
    }
}
