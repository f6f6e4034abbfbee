//! Threats to k^m-anonymity: combinations of up to m labels that fewer than k persons have.
//!
//! For m up to the longest row, combinations grow one label at a time from a fresh one, and only common ones grow on: how
//! many persons have each extension is counted in one walk over the rows of those who have the combination. For larger m
//! it is enough that k persons have *all* labels of a row, for then they have every part of it.

use foldhash::fast::FixedState;
use hashbrown::HashSet;

use super::cover::Sets;
use super::recoding::at_least;
use super::top_down::{State, Threats};

/// The number of threats to be satisfied with.
const ENOUGH: usize = 1_000_000;

/// Finds combinations of up to m labels that fewer than k persons have.
pub(super) struct RareCombinations {
    k: usize,
    m: usize,
    /// Persons by label, all 0 between calls.
    counts: Vec<u32>,
}

impl RareCombinations {
    /// For combinations of up to m labels among `labels`.
    pub(super) fn new(k: usize, m: usize, labels: usize) -> Self {
        Self { k, m, counts: vec![0; labels] }
    }

    /// Extends a combination by labels that may follow, and adds the rare ones.
    fn extend(
        &mut self,
        state: &State<'_>,
        combination: &mut Vec<u32>,
        persons: &[u32],
        may_follow: &dyn Fn(u32) -> bool,
        rare: &mut Sets,
    ) {
        let mut seen = Vec::new();
        for &person in persons {
            for label in state.row(person) {
                if self.counts[label as usize] == 0 {
                    seen.push(label);
                }
                self.counts[label as usize] += 1;
            }
        }
        seen.sort_unstable();
        let mut common = Vec::new();
        for label in seen {
            let count = std::mem::take(&mut self.counts[label as usize]) as usize;
            if combination.contains(&label) || !may_follow(label) {
                continue;
            } else if count < self.k {
                combination.push(label);
                rare.push(combination);
                combination.pop();
            } else {
                common.push(label);
            }
        }
        if combination.len() + 1 < self.m {
            for (place, &label) in common.iter().enumerate() {
                if rare.len() >= ENOUGH {
                    return;
                }
                let theirs = state.persons(label);
                let both: Vec<u32> =
                    persons.iter().copied().filter(|person| theirs.binary_search(person).is_ok()).collect();
                let later = &common[place + 1..];
                combination.push(label);
                self.extend(state, combination, &both, &|label| later.binary_search(&label).is_ok(), rare);
                combination.pop();
            }
        }
    }

    /// Adds a smallest rare part of every row that is rare as a whole and holds a label.
    fn rare_rows(&self, state: &State<'_>, label: u32, common: &mut HashSet<Vec<u32>, FixedState>, rare: &mut Sets) {
        let is_common = |labels: &[u32]| {
            let mut lists: Vec<&[u32]> = labels.iter().map(|&label| state.persons(label)).collect();
            at_least(&mut lists, self.k)
        };
        for &person in state.persons(label) {
            let mut row = state.sorted_row(person);
            if common.contains(&row) {
                continue;
            }
            common.insert(row.clone());
            if is_common(&row) {
                continue;
            }
            let mut place = 0;
            while place < row.len() && row.len() > 1 {
                let label = row.remove(place);
                if is_common(&row) {
                    row.insert(place, label);
                    place += 1;
                }
            }
            rare.push(&row);
        }
    }
}

impl Threats for RareCombinations {
    fn find(&mut self, state: &State<'_>, fresh: &[u32]) -> Sets {
        let mut rare = Sets::default();
        let mut fresh: Vec<u32> = fresh.iter().copied().filter(|&label| state.is_kept(label)).collect();
        fresh.retain(|&label| {
            let common = state.persons(label).len() >= self.k;
            if !common {
                rare.push(&[label]);
            }
            common
        });
        // Rare labels go first: no combination with one is smallest.
        if self.m < 2 || !rare.is_empty() {
            return rare;
        }
        let longest = || {
            let persons = fresh.iter().flat_map(|&label| state.persons(label));
            persons.map(|&person| state.row(person).count()).max().unwrap_or(0)
        };
        if self.m > 2 && self.m >= longest() {
            let mut looked_at = HashSet::default();
            for &label in &fresh {
                self.rare_rows(state, label, &mut looked_at, &mut rare);
            }
            return rare;
        }
        for &label in &fresh {
            // A pair of fresh labels is found at the lower one.
            let may_follow = |other: u32| other > label || fresh.binary_search(&other).is_err();
            self.extend(state, &mut vec![label], state.persons(label), &may_follow, &mut rare);
            if rare.len() >= ENOUGH {
                break;
            }
        }
        rare
    }
}
