//! Rows of the kernel, worked out when they are asked for and kept as long as there is room.
//!
//! A row holds the kernels of an example with the examples at the first places; it may be shorter than it is asked for, and is then
//! made longer. When the room is used up the row goes that was not asked for the longest. The kernel is symmetric to the last bit, so
//! that what a kept row knows of another example is not worked out twice.

use rayon::prelude::*;

use super::{Kernel, Rows, product};

/// Products of numbers from which on a row is worked out by several threads.
const WORTH_THREADS: usize = 1 << 21;
/// So many kernels each of them takes at once.
const PART: usize = 1_024;
/// Features from which on looking a kernel up in another row is quicker than working it out.
const WORTH_LOOKING: usize = 48;

/// The rows that are kept.
pub(super) struct Cache<'a> {
    rows: &'a Rows,
    kernel: Kernel,
    /// x'x of each example.
    squares: Vec<f64>,
    /// The row of each example, empty if it is not kept.
    kept: Vec<Vec<f64>>,
    /// When the row of each example was asked for.
    asked: Vec<u64>,
    /// The examples whose rows are kept.
    holders: Vec<u32>,
    now: u64,
    /// So many kernels are kept, and may be.
    used: usize,
    most: usize,
}

impl<'a> Cache<'a> {
    pub(super) fn new(rows: &'a Rows, kernel: Kernel, memory: usize) -> Self {
        let count = rows.len();
        Self {
            rows,
            kernel,
            squares: rows.iter().map(|row| product(row, row)).collect(),
            kept: vec![Vec::new(); count],
            asked: vec![0; count],
            holders: Vec::new(),
            now: 0,
            used: 0,
            most: (memory / size_of::<f64>()).max(2 * count),
        }
    }

    /// The kernel of an example with itself.
    pub(super) fn own(&self, example: u32) -> f64 {
        let square = self.squares[example as usize];
        self.kernel.of_products(square, square, square)
    }

    /// Sees to it that the row of the example at a place reaches over the first `length` places of an order. The row of `beside` stays.
    pub(super) fn ask(&mut self, place: usize, beside: Option<u32>, order: &[u32], length: usize) {
        let example = order[place];
        self.now += 1;
        self.asked[example as usize] = self.now;
        let from = self.kept[example as usize].len();
        if from >= length {
            return;
        }
        if from == 0 {
            self.holders.push(example);
        }
        self.make_room(length - from, example, beside);
        let mut row = std::mem::take(&mut self.kept[example as usize]);
        row.reserve_exact(length - from);
        row.resize(length, 0.0);
        self.fill(place, order, from, &mut row[from..]);
        self.used += length - from;
        self.kept[example as usize] = row;
    }

    /// A row that was asked for.
    pub(super) fn row(&self, example: u32) -> &[f64] {
        &self.kept[example as usize]
    }

    fn make_room(&mut self, wanted: usize, example: u32, beside: Option<u32>) {
        while self.used + wanted > self.most {
            let may_go = |holder: &&u32| **holder != example && Some(**holder) != beside;
            let Some(&oldest) = self.holders.iter().filter(may_go).min_by_key(|holder| self.asked[**holder as usize])
            else {
                return;
            };
            self.forget(oldest);
        }
    }

    fn forget(&mut self, example: u32) {
        self.used -= self.kept[example as usize].len();
        self.kept[example as usize] = Vec::new();
        self.holders.retain(|holder| *holder != example);
    }

    /// Works out kernels of the example at a place with those at the places from `from` on.
    fn fill(&self, place: usize, order: &[u32], from: usize, into: &mut [f64]) {
        let example = order[place] as usize;
        let (own, square) = (self.rows.row(example), self.squares[example]);
        let may_look = self.rows.features() >= WORTH_LOOKING;
        let one = |at: usize| {
            let other = order[at] as usize;
            match self.kept[other].get(place) {
                Some(&known) if may_look && at != place => known,
                _ => self.kernel.of_products(product(own, self.rows.row(other)), square, self.squares[other]),
            }
        };
        let some = |(part, into): (usize, &mut [f64])| {
            into.iter_mut().enumerate().for_each(|(at, value)| *value = one(from + part * PART + at));
        };
        if into.len() * self.rows.features() < WORTH_THREADS {
            into.chunks_mut(PART).enumerate().for_each(some);
        } else {
            into.par_chunks_mut(PART).enumerate().for_each(some);
        }
    }

    /// Kernels of the example at a place with those at the places from `from` on, without keeping them.
    pub(super) fn beyond(&self, place: usize, order: &[u32], from: usize, into: &mut [f64]) {
        let row = &self.kept[order[place] as usize];
        let known = row.len().clamp(from, from + into.len()) - from;
        into[..known].copy_from_slice(&row[from.min(row.len())..][..known]);
        self.fill(place, order, from + known, &mut into[known..]);
    }

    /// Two places change their examples: every row follows, or forgets what it cannot know.
    pub(super) fn swap(&mut self, one: usize, other: usize) {
        let (low, high) = (one.min(other), one.max(other));
        for at in 0..self.holders.len() {
            let row = &mut self.kept[self.holders[at] as usize];
            if high < row.len() {
                row.swap(low, high);
            } else if low < row.len() {
                self.used -= row.len() - low;
                row.truncate(low);
            }
        }
        // A row that lost all of it is nobody's.
        let kept = &self.kept;
        self.holders.retain(|holder| !kept[*holder as usize].is_empty());
    }
}
