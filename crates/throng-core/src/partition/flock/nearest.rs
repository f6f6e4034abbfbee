//! Groups of k in a region: the person with the heaviest marks takes those nearest to it, and so on.
//!
//! # Idea
//! 1. The free person whose marks weigh most begins a group. 2. What it shares with every other free person comes from
//!    lists of persons by mark; for a mark of more than half of them, from the list of those who have it not.
//! 3. The nearest six times k are looked at more closely: k - 1 times, the one joins that makes the group's
//!    distortion grow least. 4. Who is left over when fewer than k are free is given back.
//!
//! # Formula
//! With W the weight of marks and C those common to S: joining x changes distortion by W(x) + |S| W(C) - (|S| + 1) W(C ∩ x),
//! and S = {s} makes this the distance of s and x.

use std::cmp::Reverse;

use super::local::Local;
use crate::aggregate::marks::Marks;

/// How many candidates there are for each of the first places in a group, and one for each place.
const CANDIDATES: usize = 5;

/// Groups of k persons of a region, and fewer than k who are left over.
pub(super) fn nearest(marks: &Marks, mut region: Vec<u32>, k: usize, scratch: &mut [u32]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let weight = |person: u32| -> u64 {
        marks.heavy(person).iter().map(|&mark| u64::from(marks.weights()[mark as usize])).sum()
    };
    region.sort_by_cached_key(|&person| (Reverse(weight(person)), person));
    let mut groups = Vec::with_capacity(region.len() / k);
    while region.len() >= k {
        // Lists get short when half of the region is taken; then they are made anew.
        let mut index = Index::new(marks, &region, k, scratch);
        let until = if region.len() < 8 * k { k - 1 } else { region.len() / 2 };
        while index.free.len() > until.max(k - 1) {
            groups.push(index.group(k).into_iter().map(|at| region[at]).collect());
        }
        region = index.free.iter().map(|&at| region[at as usize]).collect();
    }
    (groups, region)
}

/// Who has which mark.
struct Index {
    local: Local,
    /// Mark `m` has the list `persons[starts[m]..starts[m + 1]]`.
    starts: Vec<u32>,
    persons: Vec<u32>,
    /// Whether the list of a mark has those who have it not.
    without: Vec<bool>,
    weights: Vec<i64>,
    /// In the order of the region.
    free: Vec<u32>,
    shared: Vec<i64>,
    /// Weights of the marks common to a group, 0 for others.
    common: Vec<u32>,
}

impl Index {
    fn new(marks: &Marks, region: &[u32], k: usize, scratch: &mut [u32]) -> Self {
        let local = Local::new(marks.weights(), |person| marks.heavy(person), region, k, scratch);
        let count = local.weights().len();
        let mut supports = vec![0u32; count];
        for at in 0..region.len() {
            local.of(at).iter().for_each(|&mark| supports[mark as usize] += 1);
        }
        let without: Vec<bool> = supports.iter().map(|&support| 2 * support as usize > region.len()).collect();
        let mut starts = vec![0u32; count + 1];
        for mark in 0..count {
            let length = if without[mark] { region.len() as u32 - supports[mark] } else { supports[mark] };
            starts[mark + 1] = starts[mark] + length;
        }
        let mut next = starts.clone();
        let mut persons = vec![0u32; starts[count] as usize];
        let frequent: Vec<u32> = (0..count as u32).filter(|&mark| without[mark as usize]).collect();
        let mut seen = vec![u32::MAX; count];
        for at in 0..region.len() {
            for &mark in local.of(at) {
                seen[mark as usize] = at as u32;
                if !without[mark as usize] {
                    persons[next[mark as usize] as usize] = at as u32;
                    next[mark as usize] += 1;
                }
            }
            for &mark in frequent.iter().filter(|&&mark| seen[mark as usize] != at as u32) {
                persons[next[mark as usize] as usize] = at as u32;
                next[mark as usize] += 1;
            }
        }
        let weights = (0..region.len()).map(|at| local.weight(at)).collect();
        let free = (0..region.len() as u32).collect();
        Self { starts, persons, without, weights, free, shared: vec![0; region.len()], common: vec![0; count], local }
    }

    /// The first free person and k - 1 near ones, who are then free no more.
    fn group(&mut self, k: usize) -> Vec<usize> {
        let first = self.free[0] as usize;
        let mut candidates = self.candidates(first, k);
        let local = &self.local;
        let mut members = vec![first];
        let mut common: Vec<u32> = local.of(first).to_vec();
        for &mark in &common {
            self.common[mark as usize] = local.weights()[mark as usize];
        }
        while members.len() < k {
            let growth = |at: usize| self.weights[at] - (members.len() as i64 + 1) * local.sum(at, &self.common);
            let best = (0..candidates.len()).min_by_key(|&number| {
                let at = candidates[number] as usize;
                (growth(at), at)
            });
            let chosen = candidates.swap_remove(best.expect("enough persons are free")) as usize;
            members.push(chosen);
            let kept: Vec<u32> =
                local.of(chosen).iter().copied().filter(|&mark| self.common[mark as usize] != 0).collect();
            common.iter().for_each(|&mark| self.common[mark as usize] = 0);
            common = kept;
            common.iter().for_each(|&mark| self.common[mark as usize] = local.weights()[mark as usize]);
        }
        for &mark in &common {
            self.common[mark as usize] = 0;
        }
        self.free.retain(|&at| !members.contains(&(at as usize)));
        members
    }

    /// The free persons nearest to one.
    fn candidates(&mut self, first: usize, k: usize) -> Vec<u32> {
        for &at in &self.free {
            self.shared[at as usize] = 0;
        }
        for &mark in self.local.of(first) {
            let mark = mark as usize;
            let weight = i64::from(self.local.weights()[mark]);
            let weight = if self.without[mark] { -weight } else { weight };
            for &at in &self.persons[self.starts[mark] as usize..self.starts[mark + 1] as usize] {
                self.shared[at as usize] += weight;
            }
        }
        let distance = |&at: &u32| (self.weights[at as usize] - 2 * self.shared[at as usize], at);
        let mut others: Vec<(i64, u32)> = self.free[1..].iter().map(distance).collect();
        let wanted = k + CANDIDATES * k.min(64);
        if others.len() > wanted {
            others.select_nth_unstable(wanted);
            others.truncate(wanted);
        }
        others.into_iter().map(|(_, at)| at).collect()
    }
}
