//! Groups of points with the least sum of squares: starts, moves and exchanges by sums, groups dissolved and made anew.
//!
//! Paper      Ours. Parts of it: Domingo-Ferrer, Mateo-Sanz 2002 (MDAV); Hansen, Mukherjee. A polynomial algorithm for optimal
//!            univariate microaggregation. IEEE TKDE 15 (2003), for cuts; Laszlo, Mukherjee 2015, for dissolving and repairing;
//!            Kirkpatrick et al. 1983, for taking a worse grouping now and then.
//!
//! # Idea
//! 1. Several groupings to begin with ([`starts`]): MDAV, MDAV's order and a short path through all rows, both cut optimally, and
//!    groups grown around their centroids. Each is settled by moves and exchanges of single rows ([`search`]); the best goes on.
//! 2. Again and again a group is dissolved, or a new one is made of a row and its neighbours, and what was touched is settled. If
//!    that is better it stays so; if it is worse it may stay with a likelihood that falls to nothing. The best grouping on the way
//!    goes on.
//! 3. It is annealed: single rows move and are exchanged by chance, ever colder. Then the second step once more.
//!
//! Work is counted in changes that were weighed or drawn, never in time; chance comes from a fixed seed; ties go to the lower number.
//!
//! # Cost
//! Time O(n^2 x columns) for nearest rows and paths, then what `Work` allows. Memory O(n x (columns + near)).

mod search;
mod starts;

use crate::progress::Progress;
use search::State;

/// How many nearest rows say which groups are near.
const NEAR: usize = 40;

/// Points, row by row; the numbers of a row are filled up with zeros to a whole number of lanes.
pub(crate) struct Cloud {
    numbers: Vec<f64>,
    /// How many numbers a row has, zeros included.
    stride: usize,
    width: usize,
}

/// So many numbers are added side by side.
const LANES: usize = 4;

impl Cloud {
    /// Points of so many numbers each.
    pub(crate) fn new(numbers: Vec<f64>, width: usize) -> Self {
        let stride = width.next_multiple_of(LANES);
        if stride == width {
            return Self { numbers, stride, width };
        }
        let mut filled = Vec::with_capacity(numbers.len() / width * stride);
        for row in numbers.chunks_exact(width) {
            filled.extend_from_slice(row);
            filled.resize(filled.len() + stride - width, 0.0);
        }
        Self { numbers: filled, stride, width }
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len().checked_div(self.stride).unwrap_or(0)
    }

    fn at(&self, row: u32) -> &[f64] {
        &self.numbers[row as usize * self.stride..][..self.stride]
    }

    fn distance(&self, left: u32, right: u32) -> f64 {
        squared(self.at(left), self.at(right))
    }

    /// The sum of squares of some groups.
    pub(crate) fn loss(&self, groups: &[Vec<u32>]) -> f64 {
        let of = |group: &Vec<u32>| {
            let mut mean = vec![0.0; self.stride];
            group.iter().for_each(|&row| add(&mut mean, self.at(row), 1.0));
            mean.iter_mut().for_each(|sum| *sum /= group.len() as f64);
            group.iter().map(|&row| squared(self.at(row), &mean)).sum::<f64>()
        };
        groups.iter().map(of).sum()
    }
}

/// Adds up what a function says of each pair of numbers; the sums of lanes are added last.
#[inline]
fn lanes(left: &[f64], right: &[f64], of: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    for (left, right) in left.chunks_exact(LANES).zip(right.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += of(left[lane], right[lane]);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[inline]
fn squared(left: &[f64], right: &[f64]) -> f64 {
    lanes(left, right, |left, right| (left - right) * (left - right))
}

#[inline]
fn dot(left: &[f64], right: &[f64]) -> f64 {
    lanes(left, right, |left, right| left * right)
}

fn add(sum: &mut [f64], point: &[f64], times: f64) {
    sum.iter_mut().zip(point).for_each(|(sum, number)| *sum += times * number);
}

/// How much work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Work {
    /// How many exchanges are weighed or drawn for each row after the start was settled, about.
    pub(crate) steps: u64,
}

/// Groups of at least k rows, of which there must be k. No worse than the start, which has groups of at least k.
pub(crate) fn groups(
    cloud: &Cloud,
    k: usize,
    start: Vec<Vec<u32>>,
    work: Work,
    progress: &dyn Progress,
) -> Vec<Vec<u32>> {
    let rows = cloud.len();
    if cloud.width == 1 {
        return starts::cut(cloud, &starts::sorted(cloud), k);
    }
    if rows < 2 * k || cloud.width == 0 {
        return vec![(0..rows as u32).collect()];
    }
    let near = starts::nearest(cloud, NEAR);
    let order: Vec<u32> = start.iter().flatten().copied().collect();
    let by_order = starts::cut(cloud, &order, k);
    let by_path = starts::cut(cloud, &starts::path(cloud, &near), k);
    let grown = starts::grown(cloud, k);
    let mut best: Option<(f64, Vec<Vec<u32>>)> = None;
    for start in [start, by_order, by_path, grown] {
        let mut state = State::new(cloud, &near, k, start);
        state.settle_all();
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
    // Wandering finds about how many groups are best, annealing where the rows belong, and wandering what was overlooked.
    let steps = work.steps.saturating_mul(rows as u64);
    if steps > 0 {
        state.wander(steps / 4, progress);
        state.anneal(steps / 5 * 2, progress);
        state.wander(steps / 4, progress);
    }
    state.finish()
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
        let found = groups(&one, 2, plain(8, 2), Work { steps: 0 }, &Silent);
        // {1, 2, 5} {10, 11, 12} {30, 31}: 8.667 + 2 + 0.5.
        assert!((one.loss(&found) - (26.0 / 3.0 + 2.0 + 0.5)).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn clumps_are_found() {
        let centres = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]];
        let points: Vec<[f64; 2]> =
            (0..12).map(|at| [centres[at % 3][0] + at as f64 * 0.01, centres[at % 3][1] - at as f64 * 0.02]).collect();
        let cloud = cloud(&points);
        let found = groups(&cloud, 4, plain(12, 4), Work { steps: 2000 }, &Silent);
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
            let found = groups(&cloud, k, start, Work { steps: 2000 }, &Silent);
            let mut rows: Vec<u32> = found.iter().flatten().copied().collect();
            rows.sort_unstable();
            prop_assert_eq!(rows, (0..points.len() as u32).collect::<Vec<_>>());
            prop_assert!(found.iter().all(|group| group.len() >= k));
            prop_assert!(cloud.loss(&found) <= before + 1e-9);
        }
    }
}
