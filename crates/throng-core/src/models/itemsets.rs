//! Which baskets hold which items: an index over distinct sets of items, for the models about itemsets.
//!
//! # Idea
//! 1. A basket is read as a set, and persons with equal sets are one class with a weight. 2. Items are ranked, rarest
//!    first, so that a search that goes by rank has short lists where it is wide. Where sensitive items are set apart,
//!    they come after all public ones. 3. Every item has the list of its classes: a support is a walk along the list of
//!    the rarest item, which stops as soon as enough persons are found. Long lists are kept as bitmaps too, and where all
//!    lists of a set are long, its support comes from their intersection, 64 classes at a time.
//!
//! # Cost
//! Time O(n log n) to build, memory at most 12 bytes an item, and 28 a class.

use crate::data::Baskets;

/// Distinct sets of items with the lists of their items.
pub(super) struct Index {
    /// The item of each rank.
    items: Vec<u32>,
    /// Ranks from here on are sensitive items.
    publics: u32,
    starts: Vec<usize>,
    ranks: Vec<u32>,
    /// Where the sensitive items of a class begin among its own.
    public_lengths: Vec<u32>,
    weights: Vec<u64>,
    first_persons: Vec<u32>,
    list_starts: Vec<usize>,
    lists: Vec<u32>,
    /// Where the bitmap of a rank begins, for those that have one.
    bitmap_starts: Vec<Option<usize>>,
    bitmaps: Vec<u64>,
}

/// An item that more than one class in so many has, has a bitmap.
const DENSE: usize = 32;
/// Looking something up in a row takes about so many steps.
const BINARY: usize = 16;
/// A list that is shorter has none.
const SHORT: usize = 4;

impl Index {
    /// The index of these baskets; sensitive items are set apart on request.
    pub(super) fn new(data: &Baskets, apart: bool) -> Self {
        let mut counts = vec![0u32; data.item_count()];
        let mut sets: Vec<Vec<u32>> = Vec::with_capacity(data.persons());
        for person in 0..data.persons() {
            let mut set = data.basket(person).to_vec();
            set.dedup();
            for &item in &set {
                counts[item as usize] += 1;
            }
            sets.push(set);
        }
        let mut items: Vec<u32> = (0..counts.len() as u32).filter(|&item| counts[item as usize] > 0).collect();
        let hidden = |item: u32| apart && data.is_sensitive(item);
        items.sort_by_cached_key(|&item| (hidden(item), counts[item as usize], item));
        let publics = items.partition_point(|&item| !hidden(item)) as u32;
        let mut rank_of = vec![0; counts.len()];
        for (rank, &item) in items.iter().enumerate() {
            rank_of[item as usize] = rank as u32;
        }
        for set in &mut sets {
            for item in set.iter_mut() {
                *item = rank_of[*item as usize];
            }
            set.sort_unstable();
        }
        let mut persons: Vec<u32> = (0..sets.len() as u32).collect();
        persons.sort_by(|&left, &right| sets[left as usize].cmp(&sets[right as usize]));
        let mut index = Self {
            items,
            publics,
            starts: vec![0],
            ranks: Vec::new(),
            public_lengths: Vec::new(),
            weights: Vec::new(),
            first_persons: Vec::new(),
            list_starts: Vec::new(),
            lists: Vec::new(),
            bitmap_starts: Vec::new(),
            bitmaps: Vec::new(),
        };
        for class in persons.chunk_by(|&left, &right| sets[left as usize] == sets[right as usize]) {
            let set = &sets[class[0] as usize];
            index.ranks.extend_from_slice(set);
            index.starts.push(index.ranks.len());
            index.public_lengths.push(set.partition_point(|&rank| rank < publics) as u32);
            index.weights.push(class.len() as u64);
            index.first_persons.push(class[0]);
        }
        let mut starts = vec![0usize; index.items.len() + 1];
        for &rank in &index.ranks {
            starts[rank as usize + 1] += 1;
        }
        for rank in 1..starts.len() {
            starts[rank] += starts[rank - 1];
        }
        let mut next = starts.clone();
        index.lists = vec![0; index.ranks.len()];
        for class in 0..index.weights.len() {
            for at in index.starts[class]..index.starts[class + 1] {
                let place = &mut next[index.ranks[at] as usize];
                index.lists[*place] = class as u32;
                *place += 1;
            }
        }
        index.list_starts = starts;
        for rank in 0..index.items() {
            let list = index.list(rank);
            let is_dense = list.len() >= SHORT && list.len() * DENSE > index.weights.len();
            let start = index.bitmaps.len();
            if is_dense {
                let mut bitmap = vec![0u64; index.words()];
                for &class in list {
                    bitmap[class as usize / 64] |= 1 << (class % 64);
                }
                index.bitmaps.extend(bitmap);
            }
            index.bitmap_starts.push(is_dense.then_some(start));
        }
        index
    }

    /// The number of distinct sets.
    pub(super) fn classes(&self) -> u32 {
        self.weights.len() as u32
    }

    /// The number of items that occur.
    pub(super) fn items(&self) -> u32 {
        self.items.len() as u32
    }

    /// The number of public items that occur: ranks below are public, the others sensitive.
    pub(super) fn publics(&self) -> u32 {
        self.publics
    }

    /// The items of a class by rank, in rising order.
    pub(super) fn row(&self, class: u32) -> &[u32] {
        &self.ranks[self.starts[class as usize]..self.starts[class as usize + 1]]
    }

    /// The public items of a class.
    pub(super) fn public(&self, class: u32) -> &[u32] {
        &self.row(class)[..self.public_lengths[class as usize] as usize]
    }

    /// The sensitive items of a class.
    pub(super) fn sensitive(&self, class: u32) -> &[u32] {
        &self.row(class)[self.public_lengths[class as usize] as usize..]
    }

    /// How many persons are in a class.
    pub(super) fn weight(&self, class: u32) -> u64 {
        self.weights[class as usize]
    }

    /// The classes with an item, in rising order.
    pub(super) fn list(&self, rank: u32) -> &[u32] {
        &self.lists[self.list_starts[rank as usize]..self.list_starts[rank as usize + 1]]
    }

    /// The number of persons who have all of these items, counted up to `limit` and not on. `ranks` is in rising order.
    /// `steps` grows by the work done.
    pub(super) fn support(&self, ranks: &[u32], limit: u64, steps: &mut u64) -> u64 {
        let mut support = 0;
        self.walk(ranks, steps, |class| {
            support += self.weight(class);
            support < limit
        });
        support
    }

    /// The number of persons who have all of these items.
    pub(super) fn whole_support(&self, ranks: &[u32]) -> u64 {
        self.support(ranks, u64::MAX, &mut 0)
    }

    /// The first person who has all of these items.
    pub(super) fn first_person(&self, ranks: &[u32]) -> u32 {
        let mut first = u32::MAX;
        self.walk(ranks, &mut 0, |class| {
            first = first.min(self.first_persons[class as usize]);
            true
        });
        first
    }

    /// The items of these ranks, in rising order.
    pub(super) fn named(&self, ranks: &[u32]) -> Vec<u32> {
        let mut items: Vec<u32> = ranks.iter().map(|&rank| self.items[rank as usize]).collect();
        items.sort_unstable();
        items
    }

    /// The set without the items that can be left out, one after the other, so that `still` holds.
    pub(super) fn without_needless(&self, mut set: Vec<u32>, still: impl Fn(&[u32]) -> bool) -> Vec<u32> {
        for at in (0..set.len()).rev() {
            let rank = set.remove(at);
            if !still(&set) {
                set.insert(at, rank);
            }
        }
        set
    }

    /// How many persons have exactly these items, in rising order of rank. Classes stand in the order of their items.
    pub(super) fn exact(&self, ranks: &[u32]) -> u64 {
        let (mut low, mut high) = (0, self.classes());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.row(middle) < ranks { low = middle + 1 } else { high = middle }
        }
        if low < self.classes() && self.row(low) == ranks { self.weight(low) } else { 0 }
    }

    /// The length of a bitmap.
    fn words(&self) -> usize {
        self.weights.len().div_ceil(64)
    }

    /// Visits the classes that hold all of these items, in rising order, until `visit` says no.
    fn walk(&self, ranks: &[u32], steps: &mut u64, mut visit: impl FnMut(u32) -> bool) {
        // Sensitive items come last whatever their number: the shortest list may be one of theirs.
        let Some(shortest) = ranks.iter().copied().min_by_key(|&rank| self.list(rank).len()) else {
            (0..self.classes()).all(visit);
            return;
        };
        if ranks.len() == 1 {
            *steps += self.list(shortest).len() as u64;
            self.list(shortest).iter().copied().all(visit);
            return;
        }
        if self.bitmap_starts[shortest as usize].is_some() {
            let starts = ranks.iter().filter_map(|&rank| self.bitmap_starts[rank as usize]);
            let bitmaps: Vec<&[u64]> = starts.map(|start| &self.bitmaps[start..start + self.words()]).collect();
            for word in 0..self.words() {
                let mut classes = u64::MAX;
                for bitmap in &bitmaps {
                    classes &= bitmap[word];
                    *steps += 1;
                    if classes == 0 {
                        break;
                    }
                }
                while classes != 0 {
                    if !visit(word as u32 * 64 + classes.trailing_zeros()) {
                        return;
                    }
                    classes &= classes - 1;
                }
            }
            return;
        }
        for &class in self.list(shortest) {
            let row = self.row(class);
            *steps += row.len().min(ranks.len() * BINARY) as u64;
            if holds_all(row, ranks) && !visit(class) {
                return;
            }
        }
    }
}

/// Whether a row holds all of these, both in rising order.
fn holds_all(row: &[u32], ranks: &[u32]) -> bool {
    if ranks.len() * BINARY < row.len() {
        return ranks.iter().all(|rank| row.binary_search(rank).is_ok());
    }
    let mut rest = row.iter();
    ranks.iter().all(|rank| rest.find(|&item| item >= rank) == Some(rank))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{of_items, support};
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn supports_by_lists_and_by_bitmaps() {
        // Item i is in about one of i * i / 4 + 1 baskets: there are long lists and short ones, over several words.
        let mut rng = Rng::seeded(3);
        let basket = |rng: &mut Rng| {
            (0..27).filter(|&item| rng.index((item * item / 4 + 1) as usize) == 0).collect::<Vec<u32>>()
        };
        let data = of_items((0..400).map(|_| basket(&mut rng))).with_sensitive(vec![2, 20]);
        for apart in [false, true] {
            let index = Index::new(&data, apart);
            assert!(index.bitmap_starts.iter().any(Option::is_some) && index.bitmap_starts.iter().any(Option::is_none));
            assert_eq!((0..index.classes()).map(|class| index.weight(class)).sum::<u64>(), 400);
            for _ in 0..2000 {
                let count = 1 + rng.index(4);
                let set = rng.sample(index.items() as usize, count);
                let items = index.named(&set);
                assert_eq!(index.whole_support(&set), support(&data, &items) as u64);
                let holds = |person: &usize| items.iter().all(|item| data.basket(*person).contains(item));
                let first = (0..data.persons()).find(holds).map_or(u32::MAX, |person| person as u32);
                assert_eq!(index.first_person(&set), first);
                assert!(index.support(&set, 3, &mut 0) >= index.whole_support(&set).min(3));
            }
            for person in 0..data.persons() {
                let same = (0..data.persons()).filter(|&other| data.basket(other) == data.basket(person)).count();
                let class = (0..index.classes()).find(|&class| index.named(index.row(class)) == data.basket(person));
                assert_eq!(class.map(|class| index.exact(index.row(class))), Some(same as u64));
            }
        }
    }
}
