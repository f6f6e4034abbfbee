//! Who has which item: distinct records with the lists of their items, for the measures that count persons.

use crate::data::Baskets;
use crate::taxonomy::Taxonomy;

/// An item of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The record.
    pub(super) record: u32,
    /// How often the item is in it.
    pub(super) copies: u32,
    /// How likely a person of the record has it: below 1 only where it is published for a group.
    pub(super) chance: f64,
}

/// Distinct records, and for each item those that have it.
pub(super) struct Holders<'a> {
    rows: Vec<&'a [u32]>,
    weights: Vec<u64>,
    /// Entries of item `i` are `entries[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    entries: Vec<Entry>,
    has_groups: bool,
}

impl<'a> Holders<'a> {
    /// The records, each as often as `copies` says.
    pub(super) fn new(data: &'a Baskets, copies: impl Fn(usize) -> u32) -> Self {
        let grouping = data.grouping();
        let group = |person: u32| grouping.map_or(0, |grouping| grouping.group_of[person as usize]);
        let record = |person: u32| (group(person), data.basket(person as usize));
        let mut persons: Vec<u32> = (0..data.persons() as u32).collect();
        persons.sort_unstable_by(|&left, &right| record(left).cmp(&record(right)).then(left.cmp(&right)));
        let (mut rows, mut weights, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for same in persons.chunk_by(|&left, &right| record(left) == record(right)) {
            rows.push(data.basket(same[0] as usize));
            weights.push(same.iter().map(|&person| u64::from(copies(person as usize))).sum::<u64>());
            groups.push(group(same[0]));
        }
        let mut placed: Vec<(u32, Entry)> = Vec::with_capacity(data.rows());
        for (record, row) in rows.iter().enumerate() {
            for same in row.chunk_by(|left, right| left == right) {
                placed.push((same[0], Entry { record: record as u32, copies: same.len() as u32, chance: 1.0 }));
            }
        }
        if let Some(grouping) = grouping {
            let mut sizes = vec![0u64; grouping.sensitive.len()];
            for (&group, &weight) in groups.iter().zip(&weights) {
                sizes.get_mut(group as usize).into_iter().for_each(|size| *size += weight);
            }
            for (record, &group) in groups.iter().enumerate() {
                for &(item, count) in grouping.sensitive.get(group as usize).into_iter().flatten() {
                    let chance = (f64::from(count) / sizes[group as usize].max(1) as f64).min(1.0);
                    placed.push((item, Entry { record: record as u32, copies: 1, chance }));
                }
            }
        }
        let items = placed.iter().map(|&(item, _)| item as usize + 1).max().unwrap_or(0).max(data.item_count());
        let mut starts = vec![0; items + 1];
        for &(item, _) in &placed {
            starts[item as usize + 1] += 1;
        }
        for item in 1..starts.len() {
            starts[item] += starts[item - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![Entry { record: 0, copies: 0, chance: 0.0 }; placed.len()];
        for (item, entry) in placed {
            entries[next[item as usize]] = entry;
            next[item as usize] += 1;
        }
        Self { rows, weights, starts, entries, has_groups: grouping.is_some() }
    }

    /// The distinct records.
    pub(super) fn rows(&self) -> &[&'a [u32]] {
        &self.rows
    }

    /// For each record how many persons it stands for.
    pub(super) fn weights(&self) -> &[u64] {
        &self.weights
    }

    /// Whether there are entries beside the items of the records themselves.
    pub(super) fn has_groups(&self) -> bool {
        self.has_groups
    }

    /// The entries of exactly this item.
    pub(super) fn exactly(&self, item: u32) -> &[Entry] {
        self.range(item, item + 1)
    }

    /// The entries of this item and of everything under it.
    pub(super) fn under(&self, taxonomy: Option<&Taxonomy>, item: u32) -> &[Entry] {
        self.range(item, super::items::end(taxonomy, item))
    }

    fn range(&self, from: u32, to: u32) -> &[Entry] {
        let start = |item: u32| self.starts[(item as usize).min(self.starts.len() - 1)];
        &self.entries[start(from)..start(to)]
    }
}
