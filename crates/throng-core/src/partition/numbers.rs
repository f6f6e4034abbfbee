//! Groups of points with the least sum of squares: starts, moves and exchanges by sums, groups dissolved and made anew.
//!
//! Paper      Ours. Parts of it: Domingo-Ferrer, Mateo-Sanz 2002 (MDAV); Hansen, Mukherjee. A polynomial algorithm for optimal
//!            univariate microaggregation. IEEE TKDE 15 (2003), for cuts; Laszlo, Mukherjee 2015, for dissolving and repairing.
//!
//! # Idea
//! The loss of groups is a constant less the sum of |S|^2 / n over groups, S the sum of a group's points and n their number: what a
//! change does is known from two sums. So many rounds of:
//! 1. A row moves to a group of one of its nearest rows, out of a group of more than k; or two rows are exchanged. Rows of changed
//!    groups are looked at again, until nothing gets better.
//! 2. A group of 2k rows or more is cut along the line between its two far ends, where that is best.
//! 3. A group is dissolved, each row to the group that it fits best, and what was touched is repaired by 1 and 2; if it is not better
//!    then, everything is as before.
//!
//! It begins with several groupings (MDAV, MDAV's order and a short path through all points, cut optimally) and keeps the best.
//! Work is counted in changes that were tried, never in time; all ties go to the lower number.
//!
//! # Cost
//! Time O(n^2 x columns) for nearest rows and paths, then O(rounds x n x near groups x k x columns). Memory O(n x (columns + near)).

use super::super::progress::Progress;

/// How many nearest rows say which groups are near.
const NEAR: usize = 32;
/// How often a path is looked over.
const PATH_ROUNDS: usize = 12;

/// Points, row by row.
pub(crate) struct Cloud {
    numbers: Vec<f64>,
    width: usize,
}

impl Cloud {
    /// Points of so many numbers each.
    pub(crate) fn new(numbers: Vec<f64>, width: usize) -> Self {
        Self { numbers, width }
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len().checked_div(self.width).unwrap_or(0)
    }

    fn at(&self, row: u32) -> &[f64] {
        &self.numbers[row as usize * self.width..][..self.width]
    }

    fn distance(&self, left: u32, right: u32) -> f64 {
        squared(self.at(left), self.at(right))
    }

    /// The sum of squares of some groups.
    pub(crate) fn loss(&self, groups: &[Vec<u32>]) -> f64 {
        let of = |group: &Vec<u32>| {
            let mut sum = vec![0.0; self.width];
            group.iter().for_each(|&row| add(&mut sum, self.at(row), 1.0));
            let mean: Vec<f64> = sum.iter().map(|sum| sum / group.len() as f64).collect();
            group.iter().map(|&row| squared(self.at(row), &mean)).sum::<f64>()
        };
        groups.iter().map(of).sum()
    }
}

fn squared(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| (left - right) * (left - right)).sum()
}

fn add(sum: &mut [f64], point: &[f64], times: f64) {
    sum.iter_mut().zip(point).for_each(|(sum, number)| *sum += times * number);
}

/// How much work is done: rounds in which every group is dissolved once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Work {
    /// Rounds of dissolving.
    pub(crate) rounds: usize,
}

/// Groups of at least k rows, of which there must be k.
pub(crate) fn groups(
    cloud: &Cloud,
    k: usize,
    start: Vec<Vec<u32>>,
    work: Work,
    progress: &dyn Progress,
) -> Vec<Vec<u32>> {
    let rows = cloud.len();
    if cloud.width == 1 {
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.sort_by(|&left, &right| cloud.at(left)[0].total_cmp(&cloud.at(right)[0]).then(left.cmp(&right)));
        return cut(cloud, &order, k);
    }
    if rows < 2 * k || cloud.width == 0 {
        return vec![(0..rows as u32).collect()];
    }
    let near = nearest(cloud);
    let order: Vec<u32> = start.iter().flatten().copied().collect();
    let starts = vec![start, cut(cloud, &order, k), cut(cloud, &path(cloud, &near), k)];
    let mut best: Option<(f64, Vec<Vec<u32>>)> = None;
    for start in starts {
        let mut state = State::new(cloud, &near, k, start);
        state.settle((0..rows as u32).collect());
        state.split_all();
        let found = state.finish();
        let loss = cloud.loss(&found);
        if best.as_ref().is_none_or(|(other, _)| loss < *other) {
            best = Some((loss, found));
        }
        if progress.is_stopped() {
            break;
        }
    }
    let (_, found) = best.unwrap_or_default();
    let mut state = State::new(cloud, &near, k, found);
    for _ in 0..work.rounds {
        let mut has_changed = false;
        for group in 0..state.members.len() {
            if progress.is_stopped() {
                return state.finish();
            }
            has_changed |= state.dissolve(group);
        }
        if !has_changed {
            break;
        }
    }
    state.finish()
}

/// For each row its nearest rows, the nearest first.
fn nearest(cloud: &Cloud) -> Vec<Vec<u32>> {
    use rayon::prelude::*;
    let rows = cloud.len() as u32;
    let count = NEAR.min(rows as usize - 1);
    let of = |row: u32| {
        let mut all: Vec<(f64, u32)> =
            (0..rows).filter(|&other| other != row).map(|other| (cloud.distance(row, other), other)).collect();
        let order = |left: &(f64, u32), right: &(f64, u32)| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1));
        if count < all.len() {
            all.select_nth_unstable_by(count, order);
            all.truncate(count);
        }
        all.sort_by(order);
        all.into_iter().map(|(_, other)| other).collect()
    };
    (0..rows).into_par_iter().map(of).collect()
}

/// A short path through all rows: always to the nearest that is left, then shortened by turning parts of it round.
fn path(cloud: &Cloud, near: &[Vec<u32>]) -> Vec<u32> {
    let rows = cloud.len();
    let mut is_left = vec![true; rows];
    let mut order = Vec::with_capacity(rows);
    let mut last = 0u32;
    is_left[0] = false;
    order.push(last);
    for _ in 1..rows {
        let close = near[last as usize].iter().copied().find(|&row| is_left[row as usize]);
        let next = close.unwrap_or_else(|| {
            let left = (0..rows as u32).filter(|&row| is_left[row as usize]);
            left.min_by(|&a, &b| cloud.distance(last, a).total_cmp(&cloud.distance(last, b)).then(a.cmp(&b)))
                .unwrap_or(0)
        });
        is_left[next as usize] = false;
        order.push(next);
        last = next;
    }
    let length = |left: u32, right: u32| cloud.distance(left, right).sqrt();
    let mut place = vec![0usize; rows];
    order.iter().enumerate().for_each(|(at, &row)| place[row as usize] = at);
    for _ in 0..PATH_ROUNDS {
        let mut has_changed = false;
        for at in 0..rows - 1 {
            let (from, to) = (order[at], order[at + 1]);
            let own = length(from, to);
            for &other in near[from as usize].iter().take(8) {
                let gain_most = own - length(from, other);
                if gain_most <= 0.0 {
                    break;
                }
                // from-to and other-next become from-other and to-next; what lies between is turned round.
                let other_at = place[other as usize];
                if other_at <= at + 1 || other_at + 1 >= rows {
                    continue;
                }
                let next = order[other_at + 1];
                if gain_most + length(other, next) - length(to, next) > 1e-12 {
                    order[at + 1..=other_at].reverse();
                    (at + 1..=other_at).for_each(|at| place[order[at] as usize] = at);
                    has_changed = true;
                    break;
                }
            }
        }
        if !has_changed {
            break;
        }
    }
    order
}

/// The best cut of rows in this order into groups of k to 2k - 1, or more where there are fewer than 2k.
fn cut(cloud: &Cloud, order: &[u32], k: usize) -> Vec<Vec<u32>> {
    let rows = order.len();
    if rows < 2 * k {
        return vec![order.to_vec()];
    }
    let width = cloud.width;
    let mut sums = vec![0.0; (rows + 1) * width];
    for (at, &row) in order.iter().enumerate() {
        for column in 0..width {
            sums[(at + 1) * width + column] = sums[at * width + column] + cloud.at(row)[column];
        }
    }
    // What a group of the rows from one place to another is worth: |S|^2 / n.
    let worth = |from: usize, to: usize| {
        let square = |column: usize| (sums[to * width + column] - sums[from * width + column]).powi(2);
        (0..width).map(square).sum::<f64>() / (to - from) as f64
    };
    let mut best = vec![f64::NEG_INFINITY; rows + 1];
    let mut from = vec![0usize; rows + 1];
    best[0] = 0.0;
    for to in k..=rows {
        for size in k..(2 * k).min(to + 1) {
            let begin = to - size;
            if best[begin].is_finite() {
                let found = best[begin] + worth(begin, to);
                if found > best[to] {
                    (best[to], from[to]) = (found, begin);
                }
            }
        }
    }
    let mut groups = Vec::new();
    let mut to = rows;
    while to > 0 {
        groups.push(order[from[to]..to].to_vec());
        to = from[to];
    }
    groups.reverse();
    groups
}

/// A group as it was: its number, rows and sum.
type Before = (u32, Vec<u32>, Vec<f64>);

/// Groups while they change.
struct State<'a> {
    cloud: &'a Cloud,
    near: &'a [Vec<u32>],
    k: usize,
    group_of: Vec<u32>,
    /// The rows of each group; empty for one that was dissolved.
    members: Vec<Vec<u32>>,
    sums: Vec<Vec<f64>>,
    /// What changed groups were, since somebody began to note it.
    before: Option<Vec<Before>>,
}

/// What is no more than this is the last digit of a sum.
const NOTHING: f64 = 1e-10;

impl<'a> State<'a> {
    fn new(cloud: &'a Cloud, near: &'a [Vec<u32>], k: usize, groups: Vec<Vec<u32>>) -> Self {
        let mut group_of = vec![0; cloud.len()];
        let mut sums = Vec::with_capacity(groups.len());
        for (number, group) in (0u32..).zip(&groups) {
            let mut sum = vec![0.0; cloud.width];
            for &row in group {
                group_of[row as usize] = number;
                add(&mut sum, cloud.at(row), 1.0);
            }
            sums.push(sum);
        }
        Self { cloud, near, k, group_of, members: groups, sums, before: None }
    }

    fn finish(self) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = self.members.into_iter().filter(|group| !group.is_empty()).collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable_by_key(|group| group[0]);
        groups
    }

    /// What a group is worth with a point more or less.
    fn worth_with(&self, group: u32, point: &[f64], times: f64) -> f64 {
        let sum = &self.sums[group as usize];
        let size = self.members[group as usize].len() as f64 + times;
        if size <= 0.0 {
            return 0.0;
        }
        sum.iter().zip(point).map(|(sum, number)| (sum + times * number).powi(2)).sum::<f64>() / size
    }

    fn worth(&self, group: u32) -> f64 {
        let size = self.members[group as usize].len() as f64;
        if size == 0.0 { 0.0 } else { self.sums[group as usize].iter().map(|sum| sum * sum).sum::<f64>() / size }
    }

    fn note(&mut self, group: u32) {
        if let Some(before) = &mut self.before
            && before.iter().all(|(known, ..)| *known != group)
        {
            before.push((group, self.members[group as usize].clone(), self.sums[group as usize].clone()));
        }
    }

    fn put(&mut self, row: u32, to: u32) {
        let from = self.group_of[row as usize];
        self.note(from);
        self.note(to);
        self.members[from as usize].retain(|&other| other != row);
        self.members[to as usize].push(row);
        add(&mut self.sums[from as usize], self.cloud.at(row), -1.0);
        add(&mut self.sums[to as usize], self.cloud.at(row), 1.0);
        self.group_of[row as usize] = to;
    }

    /// The groups of a row's nearest rows, each once, without its own.
    fn near_groups(&self, row: u32) -> Vec<u32> {
        let own = self.group_of[row as usize];
        let mut groups: Vec<u32> = Vec::with_capacity(12);
        for &other in &self.near[row as usize] {
            let group = self.group_of[other as usize];
            if group != own && !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups
    }

    /// The best change for a row: to which group, and for whom in exchange.
    fn best_change(&self, row: u32) -> Option<(f64, u32, Option<u32>)> {
        let own = self.group_of[row as usize];
        let point = self.cloud.at(row);
        let own_worth = self.worth(own);
        let without = self.worth_with(own, point, -1.0);
        let may_leave = self.members[own as usize].len() > self.k;
        let own_size = self.members[own as usize].len() as f64;
        let mut best: Option<(f64, u32, Option<u32>)> = None;
        let mut offer = |gain: f64, group: u32, other: Option<u32>| {
            if gain > NOTHING && best.is_none_or(|(most, ..)| gain > most) {
                best = Some((gain, group, other));
            }
        };
        for group in self.near_groups(row) {
            let worth = self.worth(group);
            if may_leave {
                offer(without + self.worth_with(group, point, 1.0) - own_worth - worth, group, None);
            }
            let size = self.members[group as usize].len() as f64;
            let (own_sum, sum) = (&self.sums[own as usize], &self.sums[group as usize]);
            for &other in &self.members[group as usize] {
                let (mut first, mut second) = (0.0, 0.0);
                for (((own, sum), left), right) in own_sum.iter().zip(sum).zip(point).zip(self.cloud.at(other)) {
                    let difference = right - left;
                    first += (own + difference) * (own + difference);
                    second += (sum - difference) * (sum - difference);
                }
                offer(first / own_size + second / size - own_worth - worth, group, Some(other));
            }
        }
        best
    }

    /// Looks at rows until nothing gets better. Groups that become large are cut.
    fn settle(&mut self, rows: Vec<u32>) {
        let mut queue: std::collections::VecDeque<u32> = rows.into();
        let mut is_waiting = vec![false; self.cloud.len()];
        queue.iter().for_each(|&row| is_waiting[row as usize] = true);
        // Sums of last digits could go round for ever.
        let mut left = 60 * self.cloud.len() + 1000;
        while let Some(row) = queue.pop_front() {
            is_waiting[row as usize] = false;
            let Some((_, group, other)) = self.best_change(row) else { continue };
            left -= 1;
            if left == 0 {
                break;
            }
            let own = self.group_of[row as usize];
            self.put(row, group);
            if let Some(other) = other {
                self.put(other, own);
            }
            let new = if self.members[group as usize].len() >= 2 * self.k { self.split(group) } else { None };
            for touched in [Some(own), Some(group), new].into_iter().flatten() {
                for &row in &self.members[touched as usize] {
                    if !std::mem::replace(&mut is_waiting[row as usize], true) {
                        queue.push_back(row);
                    }
                }
            }
        }
    }

    /// Cuts every group of 2k rows or more, as often as that can be done.
    fn split_all(&mut self) {
        let mut group = 0;
        while group < self.members.len() {
            if self.members[group].len() < 2 * self.k || self.split(group as u32).is_none() {
                group += 1;
            }
        }
    }

    /// Cuts a group along the line between its far ends. Gives the new group.
    fn split(&mut self, group: u32) -> Option<u32> {
        let members = &self.members[group as usize];
        let size = members.len();
        if size < 2 * self.k {
            return None;
        }
        let mean: Vec<f64> = self.sums[group as usize].iter().map(|sum| sum / size as f64).collect();
        let farthest = |from: &[f64]| {
            let farther = |one: &&u32, other: &&u32| {
                let of = |row: u32| squared(self.cloud.at(row), from);
                of(**one).total_cmp(&of(**other)).then(other.cmp(one))
            };
            *members.iter().max_by(farther).unwrap_or(&0)
        };
        let first = farthest(&mean);
        let second = farthest(self.cloud.at(first));
        let line: Vec<f64> =
            self.cloud.at(second).iter().zip(self.cloud.at(first)).map(|(to, from)| to - from).collect();
        let along = |row: u32| self.cloud.at(row).iter().zip(&line).map(|(number, step)| number * step).sum::<f64>();
        let mut order: Vec<(f64, u32)> = members.iter().map(|&row| (along(row), row)).collect();
        order.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        let mut sum = vec![0.0; self.cloud.width];
        let mut best = (f64::NEG_INFINITY, 0);
        for (at, &(_, row)) in order.iter().enumerate() {
            add(&mut sum, self.cloud.at(row), 1.0);
            let left = at + 1;
            if left < self.k || size - left < self.k {
                continue;
            }
            let whole = &self.sums[group as usize];
            let worth = sum.iter().map(|sum| sum * sum).sum::<f64>() / left as f64
                + whole.iter().zip(&sum).map(|(all, sum)| (all - sum).powi(2)).sum::<f64>() / (size - left) as f64;
            if worth > best.0 {
                best = (worth, left);
            }
        }
        let new = self.members.len() as u32;
        self.members.push(Vec::new());
        self.sums.push(vec![0.0; self.cloud.width]);
        order[best.1..].iter().for_each(|&(_, row)| self.put(row, new));
        Some(new)
    }

    /// Dissolves a group and repairs what was touched; everything is as before if that is not better.
    fn dissolve(&mut self, group: usize) -> bool {
        if self.members[group].is_empty() || self.members.iter().filter(|members| !members.is_empty()).count() < 2 {
            return false;
        }
        let groups_before = self.members.len();
        self.before = Some(Vec::new());
        let rows = self.members[group].clone();
        let mut touched = Vec::new();
        for row in rows {
            let point = self.cloud.at(row);
            let gain = |to: u32| self.worth_with(to, point, 1.0) - self.worth(to);
            let near = self.near_groups(row);
            let best = near
                .into_iter()
                .map(|to| (gain(to), to))
                .max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
            let Some((_, to)) = best else { continue };
            self.put(row, to);
            touched.push(to);
            if self.members[to as usize].len() >= 2 * self.k {
                touched.extend(self.split(to));
            }
        }
        let is_gone = self.members[group].is_empty();
        if is_gone {
            touched.sort_unstable();
            touched.dedup();
            let rows = touched.iter().flat_map(|&group| self.members[group as usize].clone()).collect();
            self.settle(rows);
        }
        let before = self.before.take().unwrap_or_default();
        let of = |members: &[u32], sum: &[f64]| match members.len() {
            0 => 0.0,
            size => sum.iter().map(|sum| sum * sum).sum::<f64>() / size as f64,
        };
        let worth_before: f64 = before.iter().map(|(_, members, sum)| of(members, sum)).sum();
        let worth_after: f64 = before.iter().map(|&(group, ..)| self.worth(group)).sum();
        if is_gone && worth_after > worth_before + NOTHING {
            return true;
        }
        for (group, members, sum) in before {
            members.iter().for_each(|&row| self.group_of[row as usize] = group);
            self.members[group as usize] = members;
            self.sums[group as usize] = sum;
        }
        self.members.truncate(groups_before);
        self.sums.truncate(groups_before);
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::progress::Silent;

    fn cloud(points: &[[f64; 2]]) -> Cloud {
        Cloud::new(points.concat(), 2)
    }

    fn plain(rows: usize, k: usize) -> Vec<Vec<u32>> {
        let groups = rows / k;
        let mut all: Vec<Vec<u32>> =
            (0..groups).map(|group| (group * k..(group + 1) * k).map(|row| row as u32).collect()).collect();
        all[groups - 1].extend((groups * k..rows).map(|row| row as u32));
        all
    }

    /// One column: no grouping has less loss, by trying all cuts of the sorted rows.
    #[test]
    fn one_column_is_optimal() {
        let numbers = vec![1.0, 2.0, 10.0, 11.0, 12.0, 30.0, 31.0, 5.0];
        let one = Cloud::new(numbers, 1);
        let found = groups(&one, 2, plain(8, 2), Work { rounds: 0 }, &Silent);
        // {1, 2, 5} {10, 11, 12} {30, 31}: 8.667 + 2 + 0.5.
        assert!((one.loss(&found) - (26.0 / 3.0 + 2.0 + 0.5)).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn clumps_are_found() {
        let centres = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]];
        let points: Vec<[f64; 2]> =
            (0..12).map(|at| [centres[at % 3][0] + at as f64 * 0.01, centres[at % 3][1] - at as f64 * 0.02]).collect();
        let cloud = cloud(&points);
        let found = groups(&cloud, 4, plain(12, 4), Work { rounds: 2 }, &Silent);
        assert_eq!(found, [vec![0, 3, 6, 9], vec![1, 4, 7, 10], vec![2, 5, 8, 11]]);
    }

    proptest! {
        /// Every row is in one group of at least k, and the result is no worse than the start.
        #[test]
        fn groups_are_whole_and_no_worse(points in prop::collection::vec((0i32..30, 0i32..30), 4..60), k in 2usize..5) {
            let points: Vec<[f64; 2]> = points.iter().map(|&(x, y)| [f64::from(x), f64::from(y)]).collect();
            prop_assume!(points.len() >= k);
            let cloud = cloud(&points);
            let start = plain(points.len(), k);
            let before = cloud.loss(&start);
            let found = groups(&cloud, k, start, Work { rounds: 2 }, &Silent);
            let mut rows: Vec<u32> = found.iter().flatten().copied().collect();
            rows.sort_unstable();
            prop_assert_eq!(rows, (0..points.len() as u32).collect::<Vec<_>>());
            prop_assert!(found.iter().all(|group| group.len() >= k));
            prop_assert!(cloud.loss(&found) <= before + 1e-9);
        }
    }
}
