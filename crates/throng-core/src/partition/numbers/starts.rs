//! Groupings to begin with: optimal cuts of an order of the rows, a short path as such an order, groups grown around centroids.

use rayon::prelude::*;

use super::{Cloud, add, squared};

/// How often a path is looked over.
const PATH_ROUNDS: usize = 30;
/// How many nearest rows a part of a path may be turned to.
const PATH_NEAR: usize = 10;

/// Rows by their first number.
pub(super) fn sorted(cloud: &Cloud) -> Vec<u32> {
    let mut order: Vec<u32> = (0..cloud.len() as u32).collect();
    order.sort_by(|&left, &right| cloud.at(left)[0].total_cmp(&cloud.at(right)[0]).then(left.cmp(&right)));
    order
}

/// For each row its nearest rows, the nearest first.
pub(super) fn nearest(cloud: &Cloud, most: usize) -> Vec<Vec<u32>> {
    let rows = cloud.len() as u32;
    let count = most.min(rows as usize - 1);
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
pub(super) fn path(cloud: &Cloud, near: &[Vec<u32>]) -> Vec<u32> {
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
            for &other in near[from as usize].iter().take(PATH_NEAR) {
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
pub(super) fn cut(cloud: &Cloud, order: &[u32], k: usize) -> Vec<Vec<u32>> {
    let rows = order.len();
    if rows < 2 * k {
        return vec![order.to_vec()];
    }
    let width = cloud.stride;
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

/// Groups grown one by one: the row farthest from the average of all, then, k - 1 times, the row nearest to the average of the
/// group so far. What is left in the end goes where its average is nearest.
pub(super) fn grown(cloud: &Cloud, k: usize) -> Vec<Vec<u32>> {
    let rows = cloud.len();
    let mut mean = vec![0.0; cloud.stride];
    (0..rows as u32).for_each(|row| add(&mut mean, cloud.at(row), 1.0 / rows as f64));
    let mut far: Vec<(f64, u32)> = (0..rows as u32).map(|row| (squared(cloud.at(row), &mean), row)).collect();
    // The farthest last, of equal ones the lower row.
    far.sort_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(&left.1)));
    let mut left: Vec<u32> = (0..rows as u32).collect();
    let mut is_left = vec![true; rows];
    let (mut groups, mut means): (Vec<Vec<u32>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    while left.len() >= k {
        while far.last().is_some_and(|&(_, row)| !is_left[row as usize]) {
            far.pop();
        }
        let Some((_, first)) = far.pop() else { break };
        let mut group = vec![first];
        let mut sum = cloud.at(first).to_vec();
        left.retain(|&row| row != first);
        while group.len() < k {
            let centre: Vec<f64> = sum.iter().map(|sum| sum / group.len() as f64).collect();
            let mut best = (f64::INFINITY, 0);
            for (at, &row) in left.iter().enumerate() {
                let distance = squared(cloud.at(row), &centre);
                if distance < best.0 {
                    best = (distance, at);
                }
            }
            let row = left.remove(best.1);
            add(&mut sum, cloud.at(row), 1.0);
            group.push(row);
        }
        group.iter().for_each(|&row| is_left[row as usize] = false);
        means.push(sum.iter().map(|sum| sum / k as f64).collect());
        groups.push(group);
    }
    for row in left {
        let distance = |group: &usize| squared(cloud.at(row), &means[*group]);
        let nearest =
            (0..means.len()).min_by(|one, other| distance(one).total_cmp(&distance(other)).then(one.cmp(other)));
        if let Some(nearest) = nearest {
            groups[nearest].push(row);
        }
    }
    groups
}
