//! Greedy cover: suppress the item that is in most sets for its cost, until every set has lost one.
//!
//! Scores only fall when sets go, so that a heap of scores that may be out of date finds the greatest all the same.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Sets of items, one after the other.
#[derive(Debug, Default)]
pub(super) struct Sets {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Sets {
    /// Adds a set of distinct items.
    pub(super) fn push(&mut self, set: &[u32]) {
        self.items.extend_from_slice(set);
        self.ends.push(self.items.len() as u32);
    }

    /// The number of sets.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn get(&self, place: usize) -> std::ops::Range<usize> {
        let start = if place == 0 { 0 } else { self.ends[place - 1] as usize };
        start..self.ends[place] as usize
    }
}

/// How many sets an item is in, for its cost. Of equal scores the lower item is the greater.
#[derive(Debug, PartialEq, Eq)]
struct Score {
    sets: u32,
    cost: u64,
    item: u32,
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        let [mine, theirs] = [(self, other), (other, self)].map(|(a, b)| u128::from(a.sets) * u128::from(b.cost));
        mine.cmp(&theirs).then(other.item.cmp(&self.item))
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Items that every set has one of, chosen by the number of sets for the cost. Sets of one item leave no choice, and come
/// first.
pub(super) fn cheapest_cover(mut sets: Sets, cost: impl Fn(u32) -> u64) -> Vec<u32> {
    let mut items = sets.items.clone();
    items.sort_unstable();
    items.dedup();
    for item in &mut sets.items {
        *item = items.partition_point(|other| other < item) as u32;
    }
    let (mut starts, mut counts) = (vec![0u32; items.len() + 1], vec![0u32; items.len()]);
    for &item in &sets.items {
        starts[item as usize + 1] += 1;
        counts[item as usize] += 1;
    }
    for item in 0..items.len() {
        starts[item + 1] += starts[item];
    }
    let (mut next, mut sets_of) = (starts.clone(), vec![0u32; sets.items.len()]);
    for set in 0..sets.len() {
        for &item in &sets.items[sets.get(set)] {
            sets_of[next[item as usize] as usize] = set as u32;
            next[item as usize] += 1;
        }
    }
    drop(next);
    let mut covered = vec![false; sets.len()];
    let mut chosen = Vec::new();
    let mut choose = |item: u32, counts: &mut [u32]| {
        chosen.push(items[item as usize]);
        for &set in &sets_of[starts[item as usize] as usize..starts[item as usize + 1] as usize] {
            if !std::mem::replace(&mut covered[set as usize], true) {
                for &other in &sets.items[sets.get(set as usize)] {
                    counts[other as usize] -= 1;
                }
            }
        }
    };
    for set in 0..sets.len() {
        let range = sets.get(set);
        if range.len() == 1 && counts[sets.items[range.start] as usize] > 0 {
            choose(sets.items[range.start], &mut counts);
        }
    }
    let score = |item: u32, sets: u32| Score { sets, cost: cost(items[item as usize]).max(1), item };
    let mut heap: BinaryHeap<Score> = (0..items.len() as u32).map(|item| score(item, counts[item as usize])).collect();
    while let Some(best) = heap.pop() {
        let now = counts[best.item as usize];
        if now > 0 && now == best.sets {
            choose(best.item, &mut counts);
        } else if now > 0 {
            heap.push(Score { sets: now, ..best });
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn it_chooses_as_looking_at_all_scores_does() {
        let mut rng = Rng::seeded(4);
        for _ in 0..200 {
            let costs: Vec<u64> = (0..12).map(|_| 1 + rng.below(5)).collect();
            let mut sets = Sets::default();
            let mut left: Vec<Vec<u32>> = Vec::new();
            for _ in 0..rng.index(30) {
                let count = 1 + rng.index(3);
                left.push(rng.sample(12, count));
                sets.push(&left[left.len() - 1]);
            }
            let mut expected = Vec::new();
            for set in left.clone() {
                if set.len() == 1 && !expected.contains(&set[0]) {
                    expected.push(set[0]);
                }
            }
            left.retain(|set| !set.iter().any(|item| expected.contains(item)));
            while !left.is_empty() {
                let count = |item: u32| left.iter().filter(|set| set.contains(&item)).count() as u64;
                let better = |best: u32, item: u32| {
                    let ahead = count(item) * costs[best as usize] > count(best) * costs[item as usize];
                    if ahead { item } else { best }
                };
                let best = (0..12).reduce(better).unwrap();
                expected.push(best);
                left.retain(|set| !set.contains(&best));
            }
            assert_eq!(cheapest_cover(sets, |item| costs[item as usize]), expected);
        }
    }
}
