//! Top-down search: open the nodes of a cut one after the other, suppress what that makes dangerous, close again what that
//! makes dear.
//!
//! What is dangerous is for the method to say: it finds *threats*, sets of labels that must not be published together.
//! Suppressing any one label of a threat, for everybody, removes it and makes no new one; opening a label can only make
//! threats that hold one of its parts, and closing a node only such as hold it. So only those are looked for.
//!
//! # Idea
//! 1. Take the label whose opening saves most: its items become those parts of it that are as low as can be without
//!    changing who has them.
//! 2. Find the threats that hold a part; suppress greedily the label in most threats for its cost, until none is left.
//! 3. If all that is cheaper than before, keep it; else undo it and leave the label closed.
//! 4. Take the node that saves most when everything under it, suppressed or not, is published as it; keep that if it is
//!    cheaper together with what must be suppressed then.
//! 5. Open and close in turn until nothing changes. At the end, publish again what is suppressed and has become harmless.
//!
//! What a change saves is bounded by what it saves without threats, so that most are never tried: the next one is taken
//! when it saves at least as much as the bounds of all others. Every change saves something, so that there is an end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cover::{Sets, cheapest_cover};
use crate::data::Baskets;
use crate::error::Result;
use crate::progress::Progress;
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
    /// Sensitive items: nothing may be generalised to them.
    sensitive: Vec<u32>,
    /// How many times dearer than others they are to suppress.
    dearness: u64,
    item_persons: Vec<Vec<u32>>,
    item_occurrences: Vec<u64>,
    label_of: Vec<u32>,
    /// The items that each label stands for, in rising order, and who has them.
    items: Vec<Vec<u32>>,
    persons: Vec<Vec<u32>>,
    kept: Vec<bool>,
    /// The labels of each person, in no order.
    rows: Vec<Vec<u32>>,
}

impl<'a> State<'a> {
    /// Every item with a label and whether it is kept. Nothing is generalised to sensitive items, and to suppress them is
    /// `dearness` times as dear as for others.
    pub(super) fn new(
        original: &'a Baskets,
        sensitive: &[u32],
        dearness: u64,
        label_of: impl Fn(u32) -> (u32, bool),
    ) -> Self {
        let count = original.item_count();
        let mut state = Self {
            taxonomy: original.taxonomy().map(AsRef::as_ref),
            count: count as u32,
            sensitive: sensitive.to_vec(),
            dearness,
            item_persons: vec![Vec::new(); count],
            item_occurrences: vec![0; count],
            label_of: vec![0; count],
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
        for item in 0..count as u32 {
            if state.item_occurrences[item as usize] > 0 {
                let (label, kept) = label_of(item);
                state.items[label as usize].push(item);
                state.kept[label as usize] = kept;
            }
        }
        for label in state.labels() {
            let items = std::mem::take(&mut state.items[label as usize]);
            state.enter(label, items, state.kept[label as usize]);
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
    pub(super) fn improve(&mut self, threats: &mut dyn Threats, progress: &dyn Progress) -> Result<()> {
        let all: Vec<u32> = self.labels().into_iter().filter(|&label| self.is_kept(label)).collect();
        self.disarm(threats, &all);
        self.open_labels(threats, progress)?;
        while self.close_nodes(threats, progress)? && self.open_labels(threats, progress)? {}
        self.restore(threats, progress)
    }

    /// Opens labels while that saves anything; says whether it did.
    fn open_labels(&mut self, threats: &mut dyn Threats, progress: &dyn Progress) -> Result<bool> {
        let bounds = |state: &Self, label: u32| state.bound(label).map(|bound| (bound, Reverse(label)));
        let mut open: BinaryHeap<(u64, Reverse<u32>)> =
            self.labels().into_iter().filter_map(|label| bounds(self, label)).collect();
        let mut changed = false;
        while let Some((_, Reverse(label))) = open.pop() {
            progress.go_on()?;
            if self.items[label as usize].is_empty() {
                continue;
            }
            let parts = self.parts(label);
            let fresh: Vec<u32> = parts.iter().map(|&(part, _)| part).collect();
            let (saved, change) = self.try_change(threats, vec![label], parts);
            if saved == 0 {
                self.undo(change);
            } else if open.peek().is_some_and(|&(bound, _)| saved < bound) {
                // Others may save more: wait.
                self.undo(change);
                open.push((saved, Reverse(label)));
            } else {
                changed = true;
                open.extend(fresh.into_iter().chain(change.suppressed).filter_map(|label| bounds(self, label)));
            }
        }
        Ok(changed)
    }

    /// Closes nodes while that saves anything; says whether it did.
    fn close_nodes(&mut self, threats: &mut dyn Threats, progress: &dyn Progress) -> Result<bool> {
        let Some(taxonomy) = self.taxonomy else { return Ok(false) };
        let is_item = |&item: &u32| self.item_occurrences[item as usize] > 0 && !self.is_sensitive(item);
        let items: Vec<u32> = (0..self.count).filter(is_item).collect();
        let mut nodes: Vec<u32> = items.windows(2).map(|pair| taxonomy.common_ancestor(pair[0], pair[1])).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.retain(|&node| !self.is_sensitive(node));
        // What everything before an item costs, to see at once what a node could save.
        let (mut costs, mut occurrences) = (vec![0], vec![0]);
        for &item in &items {
            costs.push(costs[costs.len() - 1] + self.item_cost(item));
            occurrences.push(occurrences[occurrences.len() - 1] + self.item_occurrences[item as usize]);
        }
        let under = |node: u32| {
            let place = |bound: u32| items.partition_point(|&item| item < bound);
            place(node)..place(taxonomy.end(node))
        };
        let mut open: BinaryHeap<(u64, Reverse<u32>)> = BinaryHeap::new();
        for node in nodes {
            let range = under(node);
            let closed = (occurrences[range.end] - occurrences[range.start]) * self.weight(node);
            let saved = (costs[range.end] - costs[range.start]).saturating_sub(closed);
            if saved > 0 {
                open.push((saved, Reverse(node)));
            }
        }
        let mut changed = false;
        while let Some((_, Reverse(node))) = open.pop() {
            progress.go_on()?;
            let items = &items[under(node)];
            let mut labels: Vec<u32> = items.iter().map(|&item| self.label_of[item as usize]).collect();
            labels.sort_unstable();
            labels.dedup();
            let is_above = |label: &u32| self.node(*label) < node;
            if labels.len() < 2 || labels.iter().any(is_above) {
                continue;
            }
            let (saved, change) = self.try_change(threats, labels, vec![(node, items.to_vec())]);
            if saved == 0 {
                self.undo(change);
            } else if open.peek().is_some_and(|&(bound, _)| saved < bound) {
                self.undo(change);
                open.push((saved, Reverse(node)));
            } else {
                changed = true;
            }
        }
        Ok(changed)
    }

    /// Puts labels in the place of others that stand for the same items, and suppresses what that makes dangerous; gives what
    /// it saves, if anything.
    fn try_change(&mut self, threats: &mut dyn Threats, old: Vec<u32>, new: Vec<(u32, Vec<u32>)>) -> (u64, Change) {
        let before: u64 = old.iter().map(|&label| self.cost(label)).sum();
        let mut removed = Vec::new();
        for label in old {
            let kept = self.is_kept(label);
            removed.push((label, self.leave(label), kept));
        }
        let mut fresh = Vec::new();
        for (label, items) in new {
            self.enter(label, items, true);
            fresh.push(label);
        }
        let suppressed = self.disarm(threats, &fresh);
        let after: u64 = fresh.iter().map(|&label| self.cost(label)).sum();
        let others = suppressed.iter().filter(|other| fresh.binary_search(other).is_err());
        let after = after + others.map(|&other| self.suppression_cost(other)).sum::<u64>();
        (before.saturating_sub(after), Change { removed, fresh, suppressed })
    }

    fn undo(&mut self, change: Change) {
        for label in change.suppressed {
            self.kept[label as usize] = true;
        }
        for label in change.fresh {
            self.leave(label);
        }
        for (label, items, kept) in change.removed {
            self.enter(label, items, kept);
        }
    }

    /// Publishes what is suppressed and harmless by now, the most frequent first.
    fn restore(&mut self, threats: &mut dyn Threats, progress: &dyn Progress) -> Result<()> {
        let mut suppressed: Vec<u32> = self.labels().into_iter().filter(|&label| !self.is_kept(label)).collect();
        suppressed.sort_by_key(|&label| (Reverse(self.suppression_cost(label)), label));
        for label in suppressed {
            progress.go_on()?;
            self.kept[label as usize] = true;
            self.kept[label as usize] = threats.find(self, &[label]).is_empty();
        }
        Ok(())
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

    fn suppressed_weight(&self, label: u32) -> u64 {
        let weight = self.taxonomy.map_or(1, |taxonomy| u64::from(taxonomy.leaves(ROOT)));
        if self.is_sensitive(self.node(label)) { weight * self.dearness } else { weight }
    }

    /// What an item costs as it is, published or suppressed.
    fn item_cost(&self, item: u32) -> u64 {
        let label = self.label_of[item as usize];
        let weight = if self.is_kept(label) { self.weight(label) } else { self.suppressed_weight(label) };
        self.item_occurrences[item as usize] * weight
    }

    /// What a label costs as it is, published or suppressed.
    fn cost(&self, label: u32) -> u64 {
        self.items[label as usize].iter().map(|&item| self.item_cost(item)).sum()
    }

    /// What it costs more to suppress a label than to publish it.
    fn suppression_cost(&self, label: u32) -> u64 {
        self.occurrences(label) * (self.suppressed_weight(label) - self.weight(label))
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
                        if self.is_sensitive(lowest) {
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

    fn persons_with(&self, items: &[u32]) -> Vec<u32> {
        let mut persons: Vec<u32> =
            items.iter().flat_map(|&item| self.item_persons[item as usize].iter().copied()).collect();
        if items.len() > 1 {
            persons.sort_unstable();
            persons.dedup();
        }
        persons
    }

    /// Lets a label stand for some items.
    fn enter(&mut self, label: u32, items: Vec<u32>, kept: bool) {
        let persons = self.persons_with(&items);
        for &person in &persons {
            self.rows[person as usize].push(label);
        }
        for &item in &items {
            self.label_of[item as usize] = label;
        }
        self.persons[label as usize] = persons;
        self.items[label as usize] = items;
        self.kept[label as usize] = kept;
    }

    /// Takes a label out; gives the items that it stood for.
    fn leave(&mut self, label: u32) -> Vec<u32> {
        for person in std::mem::take(&mut self.persons[label as usize]) {
            let row = &mut self.rows[person as usize];
            if let Some(place) = row.iter().position(|&other| other == label) {
                row.swap_remove(place);
            }
        }
        std::mem::take(&mut self.items[label as usize])
    }

    fn is_sensitive(&self, node: u32) -> bool {
        self.sensitive.binary_search(&node).is_ok()
    }
}

/// What was changed, to take it back.
struct Change {
    removed: Vec<(u32, Vec<u32>, bool)>,
    fresh: Vec<u32>,
    suppressed: Vec<u32>,
}
