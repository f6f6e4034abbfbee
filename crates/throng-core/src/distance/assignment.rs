//! The best way to give each of some rows a column of its own: the Hungarian method with shortest augmenting paths.
//!
//! Paper      Jonker, Volgenant. A shortest augmenting path algorithm for dense and sparse linear assignment problems.
//!            Computing 38 (1987): the start by bids, and the paths.
//!
//! # Idea
//! 1. Columns have prices. A free row bids for the column that gains it most, so much that the second best is as good, and
//!    drives out who had it. A few bids a row settle most rows.
//! 2. Each row that is left looks for the cheapest chain of exchanges that ends at a free column.
//!
//! Gains are counted in anything that can be added, taken away and compared, so sums of whole numbers are exact, and pairs
//! of numbers give a second sum that decides where the first is equal.
//!
//! # Cost
//! Time O(n³) at worst, memory O(n) beside the gains.

use std::ops::{Add, Sub};

/// What gains are counted in.
pub trait Gain: Copy + Ord + Default + Add<Output = Self> + Sub<Output = Self> {}

impl<T: Copy + Ord + Default + Add<Output = T> + Sub<Output = T>> Gain for T {}

/// No row or no column.
const NONE: usize = usize::MAX;

/// How often a row may be driven out at once, on average, before it has to wait for a path.
const BIDS: usize = 3;

/// For each place (row of `gains`, n to a row) the person that it gets, such that the sum of gains is greatest. Where the
/// persons as they are, person p at place p, are the best already, they stay.
pub(crate) fn assign(gains: &[i64], n: usize) -> Vec<usize> {
    let mut assignment = Assignment::default();
    assignment.clear(n, n);
    for place in 0..n {
        let own = &gains[place * n..][..n];
        if own.iter().max() == Some(&own[place]) {
            assignment.take(place, place);
        }
    }
    assignment.augment(gains);
    assignment.column_of
}

/// Solves one problem after the other in the same space.
#[derive(Debug, Clone, Default)]
pub struct Assignment<G> {
    rows: usize,
    columns: usize,
    /// What a column costs. A row has its column where nothing gains it more after the price: there the two fit tightly.
    price: Vec<G>,
    row_of: Vec<usize>,
    column_of: Vec<usize>,
    /// The shortest way so far to each column, and the row it comes from.
    way: Vec<G>,
    from: Vec<usize>,
    /// Columns that no path has reached, in rising order.
    open: Vec<usize>,
    /// Columns reached by a path, with the way to each.
    reached: Vec<(usize, G)>,
    free: Vec<usize>,
    waiting: Vec<usize>,
    done: Vec<bool>,
}

impl<G: Gain> Assignment<G> {
    /// For each row the column that it gets, such that the sum of gains is greatest. There may be more columns than rows,
    /// not fewer; row `r` has the gains `r * columns..(r + 1) * columns`.
    pub fn solve(&mut self, gains: &[G], rows: usize, columns: usize) -> &[usize] {
        self.solve_from(gains, rows, columns, |_| ())
    }

    /// The same for as many rows as columns, with prices to begin with. The nearer they are to what columns are worth in the
    /// end, the less is to be done; the sum does not depend on them.
    pub fn solve_with_prices(&mut self, gains: &[G], side: usize, prices: impl FnOnce(&mut [G])) -> &[usize] {
        self.solve_from(gains, side, side, prices)
    }

    fn solve_from(&mut self, gains: &[G], rows: usize, columns: usize, prices: impl FnOnce(&mut [G])) -> &[usize] {
        assert!(rows <= columns && gains.len() == rows * columns, "every row needs a column");
        self.clear(rows, columns);
        prices(&mut self.price);
        self.bid(gains);
        self.augment(gains);
        &self.column_of
    }

    /// Of all solutions with the same sum the one in which row 0 has the lowest column, then row 1, and so on. After
    /// [`Self::solve`] of the same gains, with as many columns as rows.
    pub fn lowest(&mut self, gains: &[G]) -> &[usize] {
        assert!(self.rows == self.columns, "a column that stays free need not be tight");
        for row in 0..self.rows {
            let held = self.column_of[row];
            // Rows before this one are settled: their columns are not to be moved.
            let found = (0..held).find(|&column| {
                self.row_of[column] > row && self.is_tight(gains, row, column) && self.reroute(gains, row, column)
            });
            if let Some(column) = found {
                self.take(row, column);
            }
        }
        &self.column_of
    }

    fn clear(&mut self, rows: usize, columns: usize) {
        fn fill<T: Copy>(values: &mut Vec<T>, len: usize, value: T) {
            values.clear();
            values.resize(len, value);
        }
        (self.rows, self.columns) = (rows, columns);
        fill(&mut self.price, columns, G::default());
        fill(&mut self.row_of, columns, NONE);
        fill(&mut self.column_of, rows, NONE);
        fill(&mut self.way, columns, G::default());
        fill(&mut self.from, columns, NONE);
        fill(&mut self.done, columns, false);
        self.free.clear();
        self.waiting.clear();
    }

    fn take(&mut self, row: usize, column: usize) {
        self.row_of[column] = row;
        self.column_of[row] = column;
    }

    /// Whether a settled row would do as well with another column.
    fn is_tight(&self, gains: &[G], row: usize, column: usize) -> bool {
        let net = |column: usize| gains[row * self.columns + column] - self.price[column];
        net(column) == net(self.column_of[row])
    }

    /// Step 1. Prices rise only where a row is settled, so that, without prices to begin with, free columns cost nothing.
    fn bid(&mut self, gains: &[G]) {
        self.free.extend((0..self.rows).rev());
        let mut left = BIDS * self.rows;
        while let Some(row) = self.free.pop() {
            let own = &gains[row * self.columns..][..self.columns];
            let net = |column: usize| own[column] - self.price[column];
            let (mut best, mut value) = (0, net(0));
            let (mut second, mut second_value) = (NONE, value);
            for column in 1..self.columns {
                let candidate = net(column);
                if second == NONE || candidate > second_value {
                    if candidate > value {
                        (second, second_value) = (best, value);
                        (best, value) = (column, candidate);
                    } else {
                        (second, second_value) = (column, candidate);
                    }
                }
            }
            let is_better = value > second_value;
            if !is_better && second != NONE && self.row_of[best] != NONE {
                best = second;
            }
            self.price[best] = self.price[best] + (value - second_value);
            let driven_out = self.row_of[best];
            self.take(row, best);
            if driven_out != NONE {
                self.column_of[driven_out] = NONE;
                // Who was driven out at no cost would drive out the other again.
                if is_better && left > 0 {
                    left -= 1;
                    self.free.push(driven_out);
                }
            }
        }
    }

    /// Step 2, for all rows without a column.
    fn augment(&mut self, gains: &[G]) {
        for start in 0..self.rows {
            if self.column_of[start] == NONE {
                self.augment_from(gains, start);
            }
        }
    }

    fn augment_from(&mut self, gains: &[G], start: usize) {
        let columns = self.columns;
        let price = &mut self.price[..columns];
        let (way, from) = (&mut self.way[..columns], &mut self.from[..columns]);
        self.reached.clear();
        self.open.clear();
        self.open.extend(0..columns);
        for ((way, &price), &gain) in way.iter_mut().zip(&*price).zip(&gains[start * columns..]) {
            *way = price - gain;
        }
        from.fill(start);
        let (end, length) = loop {
            let (mut place, mut least) = (0, way[self.open[0]]);
            for (at, &column) in self.open.iter().enumerate().skip(1) {
                if way[column] < least {
                    (place, least) = (at, way[column]);
                }
            }
            let column = self.open.remove(place);
            let row = self.row_of[column];
            if row == NONE {
                break (column, least);
            }
            self.reached.push((column, least));
            let own = &gains[row * columns..][..columns];
            let base = price[column] - own[column] - least;
            // The way to a column that was reached is not longer than `least`, so it is never changed.
            for column in 0..columns {
                let through = price[column] - own[column] - base;
                let is_shorter = through < way[column];
                way[column] = if is_shorter { through } else { way[column] };
                from[column] = if is_shorter { row } else { from[column] };
            }
        };
        for &(column, at) in &self.reached {
            price[column] = price[column] + (length - at);
        }
        let mut column = end;
        loop {
            let row = from[column];
            let before = std::mem::replace(&mut self.column_of[row], column);
            self.row_of[column] = row;
            if row == start {
                break;
            }
            column = before;
        }
    }

    /// Moves who has `column` elsewhere, along tight columns, and others after them, until one takes what `row` has. Rows
    /// before `row` stay. Gives `false`, and moves nobody, if that cannot be.
    fn reroute(&mut self, gains: &[G], row: usize, column: usize) -> bool {
        self.done.fill(false);
        self.done[column] = true;
        self.waiting.clear();
        self.waiting.push(self.row_of[column]);
        let wanted = self.column_of[row];
        while let Some(mover) = self.waiting.pop() {
            for next in 0..self.columns {
                let owner = self.row_of[next];
                if self.done[next] || owner < row || !self.is_tight(gains, mover, next) {
                    continue;
                }
                self.done[next] = true;
                self.from[next] = mover;
                if next == wanted {
                    let mut to = wanted;
                    loop {
                        let mover = self.from[to];
                        let before = self.column_of[mover];
                        self.take(mover, to);
                        if before == column {
                            return true;
                        }
                        to = before;
                    }
                }
                self.waiting.push(owner);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn best(gains: &[i64], n: usize, place: usize, taken: u32) -> i64 {
        if place == n {
            return 0;
        }
        let free = (0..n).filter(|person| taken >> person & 1 == 0);
        free.map(|person| gains[place * n + person] + best(gains, n, place + 1, taken | 1 << person)).max().unwrap()
    }

    /// All ways to give each row a column, in the order of columns.
    fn all(rows: usize, columns: usize) -> Vec<Vec<usize>> {
        let mut ways = vec![Vec::new()];
        for _ in 0..rows {
            let longer = |way: &Vec<usize>| {
                let free = (0..columns).filter(|column| !way.contains(column)).collect::<Vec<_>>();
                let way = way.clone();
                free.into_iter().map(move |column| [way.clone(), vec![column]].concat())
            };
            ways = ways.iter().flat_map(longer).collect();
        }
        ways
    }

    proptest! {
        #[test]
        fn equals_all_permutations(n in 1usize..7, gains in prop::collection::vec(-20i64..20, 36)) {
            let found = assign(&gains, n);
            let mut persons = found.clone();
            persons.sort_unstable();
            prop_assert_eq!(persons, (0..n).collect::<Vec<_>>());
            let sum: i64 = found.iter().enumerate().map(|(place, person)| gains[place * n + person]).sum();
            prop_assert_eq!(sum, best(&gains, n, 0, 0));
        }

        #[test]
        fn rows_may_be_fewer(rows in 0usize..5, more in 0usize..3, gains in prop::collection::vec(0i64..6, 30)) {
            let columns = rows + more;
            let gains = &gains[..rows * columns];
            let sum = |way: &[usize]| way.iter().enumerate().map(|(row, column)| gains[row * columns + column]).sum::<i64>();
            let found = Assignment::default().solve(gains, rows, columns).to_vec();
            prop_assert!(all(rows, columns).contains(&found));
            prop_assert_eq!(Some(sum(&found)), all(rows, columns).iter().map(|way| sum(way)).max());
        }

        #[test]
        fn prices_change_nothing(n in 1usize..6, gains in prop::collection::vec(0i64..9, 25), prices in prop::collection::vec(-9i64..9, 5)) {
            let gains = &gains[..n * n];
            let sum = |way: &[usize]| way.iter().enumerate().map(|(row, column)| gains[row * n + column]).sum::<i64>();
            let mut assignment = Assignment::default();
            let found = assignment.solve_with_prices(gains, n, |own| own.copy_from_slice(&prices[..n])).to_vec();
            prop_assert_eq!(sum(&found), best(gains, n, 0, 0));
        }

        #[test]
        fn the_lowest_of_equals(n in 1usize..6, gains in prop::collection::vec(0i64..4, 25)) {
            let gains = &gains[..n * n];
            let sum = |way: &[usize]| way.iter().enumerate().map(|(row, column)| gains[row * n + column]).sum::<i64>();
            let mut assignment = Assignment::default();
            assignment.solve(gains, n, n);
            let ways = all(n, n);
            let greatest = ways.iter().map(|way| sum(way)).max();
            let first = ways.iter().find(|way| Some(sum(way)) == greatest).unwrap();
            prop_assert_eq!(assignment.lowest(gains), &first[..]);
        }
    }
}
