//! Making the groups of a region better by exchanging persons, on the exact distortion.
//!
//! # Idea
//! 1. One person of every group is taken out. What a group saves with each of these persons instead is known exactly: the
//!    weight of the marks common to those who stayed and to the person. 2. Who goes where is a problem of assignment, and is
//!    solved to the best: every swap and every circle of exchanges between the groups is among its answers, and so is to
//!    leave everything as it is. 3. Again with other persons. 4. A group is dissolved if its members do better each in
//!    another group, and a person of a group of more than k moves if that is better.
//!
//! # Cost
//! One round takes O(g² · marks + g³) time for g groups.

use super::local::Local;
use crate::aggregate::marks::Marks;
use crate::distance::assignment::assign;
use crate::rng::Rng;

/// A region has no more groups than this.
pub(super) const MOST_GROUPS: usize = 64;

/// Makes the groups of a region better, never worse. All have from k to 2k - 1 persons, before and after.
pub(super) fn exchange(
    marks: &Marks,
    groups: Vec<Vec<u32>>,
    k: usize,
    rounds: usize,
    rng: &mut Rng,
    scratch: &mut [u32],
) -> Vec<Vec<u32>> {
    let persons = groups.concat();
    let local = Local::new(marks.weights(), |person| marks.of(person), &persons, k, scratch);
    let mut next = 0..persons.len();
    let groups = groups.iter().map(|group| next.by_ref().take(group.len()).collect()).collect();
    let count = local.weights().len();
    let mut region = Region { local, groups, k, counts: vec![0; count], shown: vec![0; count] };
    for round in 0..rounds {
        if region.groups.len() < 2 {
            break;
        }
        region.round(round, rng);
    }
    region.dissolve();
    region.groups.into_iter().map(|group| group.into_iter().map(|at| persons[at]).collect()).collect()
}

struct Region {
    local: Local,
    /// Members by their places in `local`.
    groups: Vec<Vec<usize>>,
    k: usize,
    /// 0 for every mark while nobody counts.
    counts: Vec<u32>,
    /// For each mark a bit for each person shown who has it.
    shown: Vec<u64>,
}

impl Region {
    /// Takes a person out of each group and gives all of them to groups in the best way.
    fn round(&mut self, round: usize, rng: &mut Rng) {
        let n = self.groups.len();
        for group in &mut self.groups {
            // Every member gets its turn, in an order drawn anew every k rounds.
            let turn = round % group.len();
            let other = turn + rng.index(group.len() - turn);
            group.swap(turn, other);
            let last = group.len() - 1;
            group.swap(turn, last);
        }
        let out: Vec<usize> = self.groups.iter().map(|group| group[group.len() - 1]).collect();
        self.show(&out);
        let mut gains = vec![0i64; n * n];
        for place in 0..n {
            let group = std::mem::take(&mut self.groups[place]);
            let common = self.common(&group[..group.len() - 1]);
            let gains = &mut gains[place * n..(place + 1) * n];
            self.shared(&common, gains);
            gains.iter_mut().for_each(|gain| *gain *= group.len() as i64);
            self.groups[place] = group;
        }
        self.hide(&out);
        for (group, person) in self.groups.iter_mut().zip(assign(&gains, n)) {
            let last = group.len() - 1;
            group[last] = out[person];
            group.swap(last, round % (last + 1));
        }
    }

    /// Dissolves groups and moves persons where that is better.
    fn dissolve(&mut self) {
        let mut commons: Vec<Vec<u32>> =
            (0..self.groups.len()).map(|at| self.common(&self.groups[at].clone())).collect();
        let mut saved: Vec<i64> = commons.iter().map(|common| self.weigh(common)).collect();
        let mut at = 0;
        while at < self.groups.len() {
            if self.groups.len() > 1 {
                self.dissolve_one(at, &mut commons, &mut saved);
            }
            if self.groups[at].is_empty() {
                self.groups.swap_remove(at);
                commons.swap_remove(at);
                saved.swap_remove(at);
            } else {
                at += 1;
            }
        }
    }

    fn dissolve_one(&mut self, at: usize, commons: &mut [Vec<u32>], saved: &mut [i64]) {
        let members = self.groups[at].clone();
        let own = members.len() as i64 * saved[at];
        // What each member could add to each other group at most: no group can do better than this by the sum.
        let mut joins: Vec<(i64, usize)> = vec![(i64::MIN, usize::MAX); members.len()];
        for (members, joins) in members.chunks(MOST_GROUPS).zip(joins.chunks_mut(MOST_GROUPS)) {
            self.show(members);
            let mut shared = vec![0; members.len()];
            for other in 0..self.groups.len() {
                let size = self.groups[other].len();
                if other == at || size >= 2 * self.k - 1 {
                    continue;
                }
                shared.fill(0);
                self.shared(&commons[other], &mut shared);
                for (join, &shared) in joins.iter_mut().zip(&shared) {
                    let gain = (size as i64 + 1) * shared - size as i64 * saved[other];
                    if gain > join.0 {
                        *join = (gain, other);
                    }
                }
            }
            self.hide(members);
        }
        if joins.iter().any(|join| join.1 == usize::MAX) {
            return;
        }
        if joins.iter().map(|join| join.0).sum::<i64>() > own {
            // The sum may promise too much where two join the same group: join one after the other, and see.
            let before = (self.groups.clone(), commons.to_vec(), saved.to_vec());
            let total = |region: &Self, saved: &[i64]| -> i64 {
                region.groups.iter().zip(saved).map(|(group, saved)| group.len() as i64 * saved).sum()
            };
            let old = total(self, saved);
            self.groups[at].clear();
            for (member, (_, other)) in members.iter().zip(&joins) {
                self.join(*member, *other, commons, saved);
            }
            let fits = self.groups.iter().all(|group| group.len() < 2 * self.k);
            if fits && total(self, saved) > old {
                return;
            }
            self.groups = before.0;
            commons.clone_from_slice(&before.1);
            saved.copy_from_slice(&before.2);
        }
        if members.len() > self.k {
            let mut best = (0, usize::MAX);
            for (turn, join) in joins.iter().enumerate() {
                let stay: Vec<usize> = members.iter().copied().filter(|&member| member != members[turn]).collect();
                let common = self.common(&stay);
                let gain = join.0 + stay.len() as i64 * self.weigh(&common) - own;
                if gain > best.0 {
                    best = (gain, turn);
                }
            }
            if best.1 != usize::MAX {
                let turn = best.1;
                self.join(members[turn], joins[turn].1, commons, saved);
                self.groups[at].retain(|&member| member != members[turn]);
                commons[at] = self.common(&self.groups[at].clone());
                saved[at] = self.weigh(&commons[at]);
            }
        }
    }

    fn join(&mut self, member: usize, group: usize, commons: &mut [Vec<u32>], saved: &mut [i64]) {
        self.groups[group].push(member);
        for &mark in self.local.of(member) {
            self.counts[mark as usize] = 1;
        }
        commons[group].retain(|&mark| self.counts[mark as usize] == 1);
        for &mark in self.local.of(member) {
            self.counts[mark as usize] = 0;
        }
        saved[group] = self.weigh(&commons[group]);
    }

    /// The marks that all of some persons have.
    fn common(&mut self, members: &[usize]) -> Vec<u32> {
        for &member in members {
            for &mark in self.local.of(member) {
                self.counts[mark as usize] += 1;
            }
        }
        let all = members.len() as u32;
        let common = self.local.of(members[0]).iter().copied().filter(|&mark| self.counts[mark as usize] == all);
        let common = common.collect();
        for &member in members {
            for &mark in self.local.of(member) {
                self.counts[mark as usize] = 0;
            }
        }
        common
    }

    fn weigh(&self, marks: &[u32]) -> i64 {
        marks.iter().map(|&mark| i64::from(self.local.weights()[mark as usize])).sum()
    }

    /// Notes who of some persons, at most [`MOST_GROUPS`], has which mark.
    fn show(&mut self, persons: &[usize]) {
        for (number, &person) in persons.iter().enumerate() {
            for &mark in self.local.of(person) {
                self.shown[mark as usize] |= 1 << number;
            }
        }
    }

    /// Forgets what was shown.
    fn hide(&mut self, persons: &[usize]) {
        for &person in persons {
            for &mark in self.local.of(person) {
                self.shown[mark as usize] = 0;
            }
        }
    }

    /// Adds to each person shown what it has of some marks.
    fn shared(&self, marks: &[u32], sums: &mut [i64]) {
        for &mark in marks {
            let weight = i64::from(self.local.weights()[mark as usize]);
            let mut persons = self.shown[mark as usize];
            while persons != 0 {
                sums[persons.trailing_zeros() as usize] += weight;
                persons &= persons - 1;
            }
        }
    }
}
