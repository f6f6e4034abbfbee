//! Groups while they change: moves, exchanges, cuts, groups dissolved and made, each known from the sums of the groups.
//!
//! # Formula
//! The loss of groups is a constant less their worth, the sum of |S|^2 / n over groups, S the sum of a group's points and n their
//! number. With m the mean of a group:
//! a row x leaves a and comes to b    worth grows by n_a / (n_a - 1) |x - m_a|^2 - n_b / (n_b + 1) |x - m_b|^2
//! x of a for y of b                  worth grows by 2 (m_a - m_b)(y - x) + (1 / n_a + 1 / n_b) |y - x|^2
//! The second is one product of y with a vector that is the same for all y of b.

mod anneal;

use std::collections::VecDeque;

use super::{Cloud, add, dot, squared};
use crate::progress::Progress;
use crate::rng::Rng;

/// What is no more than this is the last digit of a sum.
const NOTHING: f64 = 1e-9;

/// How worse a grouping may be that is taken at first, by what the groups lost that were changed.
const WARMTH: f64 = 0.05;
/// The share of steps that dissolve a group; the others make one.
const DISSOLVES: f64 = 0.2;

/// A group as it was: its number, rows and sum.
type Before = (u32, Vec<u32>, Vec<f64>);

/// A change for a row: how much better, to which group, for whom in exchange.
type Change = (f64, u32, Option<u32>);

/// Groups while they change.
pub(super) struct State<'a> {
    cloud: &'a Cloud,
    near: &'a [Vec<u32>],
    k: usize,
    /// For each row its squared length.
    lengths: Vec<f64>,
    group_of: Vec<u32>,
    /// The rows of each group; empty for one that was dissolved.
    members: Vec<Vec<u32>>,
    sums: Vec<Vec<f64>>,
    /// Numbers of groups that have no rows.
    free: Vec<u32>,
    /// What changed groups were since a step began, and for each group the last step that it was noted in.
    before: Vec<Before>,
    noted_in: Vec<u32>,
    step: u32,
    /// Rows to look at, and whether a row is among them.
    queue: VecDeque<u32>,
    is_waiting: Vec<bool>,
    /// For each group the last look that met it.
    met_in: Vec<u32>,
    look: u32,
    /// How many exchanges were weighed.
    weighed: u64,
}

impl<'a> State<'a> {
    pub(super) fn new(cloud: &'a Cloud, near: &'a [Vec<u32>], k: usize, groups: Vec<Vec<u32>>) -> Self {
        let mut group_of = vec![0; cloud.len()];
        let mut sums = Vec::with_capacity(groups.len());
        for (number, group) in (0u32..).zip(&groups) {
            let mut sum = vec![0.0; cloud.stride];
            for &row in group {
                group_of[row as usize] = number;
                add(&mut sum, cloud.at(row), 1.0);
            }
            sums.push(sum);
        }
        Self {
            lengths: (0..cloud.len() as u32).map(|row| dot(cloud.at(row), cloud.at(row))).collect(),
            group_of,
            noted_in: vec![0; groups.len()],
            met_in: vec![0; groups.len()],
            members: groups,
            sums,
            free: Vec::new(),
            before: Vec::new(),
            step: 0,
            queue: VecDeque::new(),
            is_waiting: vec![false; cloud.len()],
            look: 0,
            weighed: 0,
            cloud,
            near,
            k,
        }
    }

    /// The groups, by their first rows.
    pub(super) fn finish(self) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = self.members.into_iter().filter(|group| !group.is_empty()).collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable_by_key(|group| group[0]);
        groups
    }

    /// Moves and exchanges rows until nothing gets better, and cuts what is large.
    pub(super) fn settle_all(&mut self) {
        (0..self.cloud.len() as u32).for_each(|row| self.wait(row));
        self.settle();
        for group in 0..self.members.len() as u32 {
            self.split(group);
        }
        self.settle();
        self.step += 1;
        self.before.clear();
    }

    /// Dissolves and makes groups, so long as about so many exchanges are weighed, and ends with the best that was met.
    pub(super) fn wander(&mut self, most: u64, progress: &dyn Progress) {
        let mut rng = Rng::seeded(0);
        self.weighed = 0;
        let (mut ahead, mut best) = (0.0, 0.0);
        let mut best_of = self.group_of.clone();
        while self.weighed < most && !progress.is_stopped() {
            // A step that weighs nothing still counts.
            self.weighed += 64;
            let cold = self.weighed as f64 / most as f64;
            let row = self.lossy(&mut rng);
            let is_whole =
                if rng.unit() < DISSOLVES { self.dissolve(self.group_of[row as usize]) } else { self.seed(row) };
            if is_whole {
                self.settle();
            } else {
                self.forget_waiting();
            }
            let gain = if is_whole { self.gain() } else { f64::NEG_INFINITY };
            let heat = WARMTH * (1.0 - cold).max(0.0) * self.usual_loss();
            if gain > NOTHING || (heat > 0.0 && gain > heat * rng.unit().max(f64::MIN_POSITIVE).ln()) {
                ahead += gain;
                self.keep();
                if ahead > best + NOTHING {
                    best = ahead;
                    best_of.clone_from(&self.group_of);
                }
            } else {
                self.undo();
            }
        }
        self.restore(best_of);
    }

    /// What the groups that a step changed lost before it, on average.
    fn usual_loss(&self) -> f64 {
        let loss = |(_, members, sum): &Before| {
            let all: f64 = members.iter().map(|&row| self.lengths[row as usize]).sum();
            (all - worth(members, sum)).max(0.0)
        };
        self.before.iter().map(loss).sum::<f64>() / self.before.len().max(1) as f64
    }

    /// A row by chance: one, or of two the one that is farther from the mean of its group.
    fn lossy(&self, rng: &mut Rng) -> u32 {
        let mut best = (f64::NEG_INFINITY, 0);
        for _ in 0..1 + rng.index(2) {
            let row = rng.index(self.cloud.len()) as u32;
            let group = self.group_of[row as usize] as usize;
            let size = self.members[group].len() as f64;
            let apart: f64 =
                self.cloud.at(row).iter().zip(&self.sums[group]).map(|(own, sum)| (own - sum / size).powi(2)).sum();
            if apart > best.0 {
                best = (apart, row);
            }
        }
        best.1
    }

    fn restore(&mut self, group_of: Vec<u32>) {
        self.members.iter_mut().for_each(Vec::clear);
        self.sums.iter_mut().for_each(|sum| sum.fill(0.0));
        for (row, &group) in (0u32..).zip(&group_of) {
            self.members[group as usize].push(row);
            add(&mut self.sums[group as usize], self.cloud.at(row), 1.0);
        }
        self.group_of = group_of;
        self.free =
            (0u32..).zip(&self.members).filter(|(_, group)| group.is_empty()).map(|(number, _)| number).collect();
    }

    fn note(&mut self, group: u32) {
        if self.noted_in[group as usize] != self.step {
            self.noted_in[group as usize] = self.step;
            self.before.push((group, self.members[group as usize].clone(), self.sums[group as usize].clone()));
        }
    }

    /// How much more groups are worth than when the step began.
    fn gain(&self) -> f64 {
        let of = |(group, members, sum): &Before| {
            worth(&self.members[*group as usize], &self.sums[*group as usize]) - worth(members, sum)
        };
        self.before.iter().map(of).sum()
    }

    fn keep(&mut self) {
        self.step += 1;
        for (group, ..) in self.before.drain(..) {
            if self.members[group as usize].is_empty() {
                self.free.push(group);
            }
        }
    }

    fn undo(&mut self) {
        self.step += 1;
        while let Some((group, members, sum)) = self.before.pop() {
            members.iter().for_each(|&row| self.group_of[row as usize] = group);
            if members.is_empty() {
                self.free.push(group);
            }
            self.members[group as usize] = members;
            self.sums[group as usize] = sum;
        }
    }

    fn new_group(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.members.push(Vec::new());
            self.sums.push(vec![0.0; self.cloud.stride]);
            self.noted_in.push(u32::MAX);
            self.met_in.push(0);
            self.members.len() as u32 - 1
        })
    }

    fn wait(&mut self, row: u32) {
        if !std::mem::replace(&mut self.is_waiting[row as usize], true) {
            self.queue.push_back(row);
        }
    }

    fn wait_group(&mut self, group: u32) {
        for at in 0..self.members[group as usize].len() {
            self.wait(self.members[group as usize][at]);
        }
    }

    fn forget_waiting(&mut self) {
        while let Some(row) = self.queue.pop_front() {
            self.is_waiting[row as usize] = false;
        }
    }

    fn put(&mut self, row: u32, to: u32) {
        let from = self.group_of[row as usize];
        self.note(from);
        self.note(to);
        let members = &mut self.members[from as usize];
        if let Some(at) = members.iter().position(|&other| other == row) {
            members.swap_remove(at);
        }
        if members.is_empty() {
            self.sums[from as usize].fill(0.0);
        } else {
            add(&mut self.sums[from as usize], self.cloud.at(row), -1.0);
        }
        self.members[to as usize].push(row);
        add(&mut self.sums[to as usize], self.cloud.at(row), 1.0);
        self.group_of[row as usize] = to;
    }

    /// The groups of a row's nearest rows, each once, without its own.
    fn near_groups(&mut self, row: u32, groups: &mut Vec<u32>) {
        groups.clear();
        self.look = self.look.wrapping_add(1);
        self.met_in[self.group_of[row as usize] as usize] = self.look;
        for &other in &self.near[row as usize] {
            let group = self.group_of[other as usize];
            if std::mem::replace(&mut self.met_in[group as usize], self.look) != self.look {
                groups.push(group);
            }
        }
    }

    /// The best change for a row.
    fn best_change(&mut self, row: u32, groups: &mut Vec<u32>, scratch: &mut [Vec<f64>; 2]) -> Option<Change> {
        self.near_groups(row, groups);
        let own = self.group_of[row as usize];
        let point = self.cloud.at(row);
        let own_size = self.members[own as usize].len() as f64;
        let [own_mean, along] = scratch;
        own_mean.iter_mut().zip(&self.sums[own as usize]).for_each(|(mean, sum)| *mean = sum / own_size);
        let length = self.lengths[row as usize];
        let may_leave = self.members[own as usize].len() > self.k;
        let leaves = if may_leave { own_size / (own_size - 1.0) * squared(point, own_mean) } else { 0.0 };
        let mut best: Option<Change> = None;
        let mut most = NOTHING;
        let mut weighed = 0;
        for &group in groups.iter() {
            let members = &self.members[group as usize];
            let size = members.len() as f64;
            let sum = &self.sums[group as usize];
            let both = 1.0 / own_size + 1.0 / size;
            let mut fixed = 0.0;
            let mut apart = 0.0;
            for at in 0..along.len() {
                let mean = sum[at] / size;
                let twice = 2.0 * (own_mean[at] - mean);
                along[at] = twice - 2.0 * both * point[at];
                fixed -= twice * point[at];
                apart += (point[at] - mean) * (point[at] - mean);
            }
            fixed += both * length;
            if may_leave {
                let gain = leaves - size / (size + 1.0) * apart;
                if gain > most {
                    (most, best) = (gain, Some((gain, group, None)));
                }
            }
            weighed += members.len() as u64 + 1;
            for &other in members {
                let gain = dot(along, self.cloud.at(other)) + both * self.lengths[other as usize] + fixed;
                if gain > most {
                    (most, best) = (gain, Some((gain, group, Some(other))));
                }
            }
        }
        self.weighed += weighed;
        best
    }

    /// Looks at waiting rows until nothing gets better. Groups that become large are cut.
    fn settle(&mut self) {
        let mut groups = Vec::new();
        let mut scratch = [vec![0.0; self.cloud.stride], vec![0.0; self.cloud.stride]];
        // Sums of last digits could go round for ever.
        let mut left = 60 * self.cloud.len() + 1000;
        while let Some(row) = self.queue.pop_front() {
            self.is_waiting[row as usize] = false;
            let Some((_, group, other)) = self.best_change(row, &mut groups, &mut scratch) else { continue };
            left -= 1;
            if left == 0 {
                self.forget_waiting();
                return;
            }
            let own = self.group_of[row as usize];
            self.put(row, group);
            if let Some(other) = other {
                self.put(other, own);
            }
            let new = self.split(group);
            for touched in [Some(own), Some(group), new].into_iter().flatten() {
                self.wait_group(touched);
            }
        }
    }

    /// Cuts a group of 2k rows or more along the line between its far ends, where that is best, and again while it is so large.
    /// Gives the last new group.
    fn split(&mut self, group: u32) -> Option<u32> {
        let size = self.members[group as usize].len();
        if size < 2 * self.k {
            return None;
        }
        let members = &self.members[group as usize];
        let whole = &self.sums[group as usize];
        let mean: Vec<f64> = whole.iter().map(|sum| sum / size as f64).collect();
        let farthest = |from: &[f64]| {
            let mut best = (f64::NEG_INFINITY, members[0]);
            for &row in members {
                let distance = squared(self.cloud.at(row), from);
                if distance > best.0 || (distance == best.0 && row < best.1) {
                    best = (distance, row);
                }
            }
            best.1
        };
        let first = farthest(&mean);
        let second = farthest(self.cloud.at(first));
        let line: Vec<f64> =
            self.cloud.at(second).iter().zip(self.cloud.at(first)).map(|(to, from)| to - from).collect();
        let mut order: Vec<(f64, u32)> = members.iter().map(|&row| (dot(self.cloud.at(row), &line), row)).collect();
        order.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        let mut sum = vec![0.0; self.cloud.stride];
        let mut best = (f64::NEG_INFINITY, self.k);
        for (at, &(_, row)) in order.iter().enumerate() {
            add(&mut sum, self.cloud.at(row), 1.0);
            let left = at + 1;
            if left < self.k || size - left < self.k {
                continue;
            }
            let rest: f64 = whole.iter().zip(&sum).map(|(all, sum)| (all - sum).powi(2)).sum();
            let worth = dot(&sum, &sum) / left as f64 + rest / (size - left) as f64;
            if worth > best.0 {
                best = (worth, left);
            }
        }
        let new = self.new_group();
        order[best.1..].iter().for_each(|&(_, row)| self.put(row, new));
        self.wait_group(new);
        if let Some(more) = self.split(group) {
            self.wait_group(more);
        }
        if let Some(more) = self.split(new) {
            self.wait_group(more);
        }
        Some(new)
    }

    /// Dissolves a group: each row goes to the near group that it fits best. Whether all could go.
    fn dissolve(&mut self, group: u32) -> bool {
        let mut groups = Vec::new();
        let mut rows = self.members[group as usize].clone();
        rows.sort_unstable();
        for row in rows {
            self.near_groups(row, &mut groups);
            let point = self.cloud.at(row);
            let mut best: Option<(f64, u32)> = None;
            for &to in &groups {
                let size = self.members[to as usize].len() as f64;
                let sum = &self.sums[to as usize];
                let apart: f64 = point.iter().zip(sum).map(|(own, sum)| (own - sum / size) * (own - sum / size)).sum();
                let cost = size / (size + 1.0) * apart;
                if best.is_none_or(|(least, known)| cost < least || (cost == least && to < known)) {
                    best = Some((cost, to));
                }
            }
            self.weighed += groups.len() as u64;
            let Some((_, to)) = best else { return false };
            self.put(row, to);
            self.split(to);
            self.wait_group(to);
        }
        true
    }

    /// Makes a group of a row and its nearest. Groups of which too few are left are dissolved. Whether that could be done.
    fn seed(&mut self, row: u32) -> bool {
        if self.near[row as usize].len() + 1 < self.k {
            return false;
        }
        let taken: Vec<u32> = [row].into_iter().chain(self.near[row as usize][..self.k - 1].iter().copied()).collect();
        let own = self.group_of[row as usize];
        if taken.iter().all(|&other| self.group_of[other as usize] == own) {
            return false;
        }
        let new = self.new_group();
        let mut donors: Vec<u32> = taken.iter().map(|&row| self.group_of[row as usize]).collect();
        donors.sort_unstable();
        donors.dedup();
        taken.into_iter().for_each(|row| self.put(row, new));
        self.wait_group(new);
        for donor in donors {
            let size = self.members[donor as usize].len();
            if size > 0 && size < self.k {
                if !self.dissolve(donor) {
                    return false;
                }
            } else {
                self.wait_group(donor);
            }
        }
        true
    }
}

/// What a group is worth.
fn worth(members: &[u32], sum: &[f64]) -> f64 {
    if members.is_empty() { 0.0 } else { dot(sum, sum) / members.len() as f64 }
}
