//! The Hausdorff distance over the lines of two persons, exact and fast.
//!
//! H(A, B) = max of max_a min_b line(a, b) and max_b min_a line(b, a).
//!
//! # Idea
//! 1. Only the farthest line counts. Lines that decided earlier comparisons of a person go first: they are outliers, and
//!    their distance to the other person is a floor that most other lines do not reach.
//! 2. A line is done as soon as one line of the other person is within the floor. For most lines time, rank, host and
//!    length prove it without a look at the words, with the line of the same class (click or none) nearest in time.
//! 3. For the few that are left, all lines of the other person are gone through by their numeric terms, and words are
//!    compared only where they could still lower the minimum, after bounds from lengths and letters.
//!
//! Bounds are never rounded to our favour: each carries a slack far above the rounding error, and what falls within the
//! slack is computed in full. So the result is equal, to the last bit, to that of the literal double loop.

use super::user_distance::{SpaceLine, UserSpace};
use crate::text::edit_distance::{Outline, Pattern};

/// Far above any rounding error in sums of six numbers of [0, 1], far below any difference that matters for speed.
const SLACK: f64 = 1e-9;
/// How many neighbours in time are tried by their numeric terms alone.
const UNREAD_NEIGHBOURS: usize = 8;
/// How many neighbours in time are then tried with their words, before the search goes through all lines.
const READ_NEIGHBOURS: usize = 6;
/// How many deciding lines are remembered for each person.
const REMEMBERED: usize = 4;

/// The line that decides a Hausdorff distance, and its nearest line at the other person.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    pub(super) from_left: bool,
    pub(super) line: usize,
    pub(super) nearest: usize,
    pub(super) distance: f64,
}

/// What one thread keeps between comparisons.
#[derive(Debug)]
pub struct Scratch {
    /// For each person the lines that decided earlier comparisons, the latest first. Order of work, never a result.
    outliers: Vec<[u32; REMEMBERED]>,
    /// The words of the own string, ready to be compared. A word that is loaded already costs nothing.
    patterns: Vec<Pattern>,
    /// Distances of the words of two strings; negative where not yet computed.
    table: Vec<f64>,
    /// Lines of the other person that may be near: the sum of their numeric terms, and which.
    candidates: Vec<(f64, u32)>,
}

impl Scratch {
    pub(super) fn new(persons: usize) -> Self {
        Self {
            outliers: vec![[u32::MAX; REMEMBERED]; persons],
            patterns: Vec::new(),
            table: Vec::new(),
            candidates: Vec::new(),
        }
    }

    fn remember(&mut self, person: usize, line: u32) {
        let lines = &mut self.outliers[person];
        let at = lines.iter().position(|&other| other == line).unwrap_or(REMEMBERED - 1);
        lines[..=at].rotate_right(1);
        lines[0] = line;
    }
}

/// The Hausdorff distance over the lines of two persons, and the pair of lines that decides it. No pair when it is 0.
pub(super) fn hausdorff(space: &UserSpace, left: usize, right: usize, scratch: &mut Scratch) -> (f64, Option<Nearest>) {
    let (own, other) = (space.person(left), space.person(right));
    if own.is_empty() || other.is_empty() {
        return (f64::from(u8::from(own.len() != other.len())), None);
    }
    let mut search = Search { space, floor: 0.0, witness: None, scratch };
    search.farthest_of(right, own, other, true);
    search.farthest_of(left, other, own, false);
    search.outliers_of(left, own, other, true);
    search.outliers_of(right, other, own, false);
    search.all_of(own, other, true);
    search.all_of(other, own, false);
    let (distance, witness) = (search.floor, search.witness);
    if let Some(Nearest { from_left, line, .. }) = witness {
        scratch.remember(if from_left { left } else { right }, line as u32);
    }
    (distance, witness)
}

/// A search for the greatest of the least distances; `floor` is the greatest so far.
struct Search<'a> {
    space: &'a UserSpace,
    floor: f64,
    witness: Option<Nearest>,
    scratch: &'a mut Scratch,
}

impl Search<'_> {
    /// Begins with the line that lies farthest outside of what the other person's lines span.
    fn farthest_of(&mut self, other_person: usize, own: &[SpaceLine], other: &[SpaceLine], from_left: bool) {
        let boxes = self.space.boxes(other_person);
        let (mut farthest, mut greatest) = (0, -1.0);
        for (line, a) in own.iter().enumerate() {
            let gap = boxes.iter().map(|lines| lines.gap(a)).fold(f64::INFINITY, f64::min);
            if gap > greatest {
                (farthest, greatest) = (line, gap);
            }
        }
        let cursor = other.partition_point(|b| own[farthest].comes_after(b));
        self.consider(own, other, farthest, cursor, from_left);
    }

    fn outliers_of(&mut self, person: usize, own: &[SpaceLine], other: &[SpaceLine], from_left: bool) {
        for line in self.scratch.outliers[person] {
            if line != u32::MAX {
                let a = &own[line as usize];
                let cursor = other.partition_point(|b| a.comes_after(b));
                self.consider(own, other, line as usize, cursor, from_left);
            }
        }
    }

    fn all_of(&mut self, own: &[SpaceLine], other: &[SpaceLine], from_left: bool) {
        // Both sides are in the same order: one cursor goes along the other side.
        let mut cursor = 0;
        for (line, a) in own.iter().enumerate() {
            while cursor < other.len() && a.comes_after(&other[cursor]) {
                cursor += 1;
            }
            self.consider(own, other, line, cursor, from_left);
        }
    }

    /// Raises the floor to the least distance of a line, if that is beyond; the cheapest proof that it is not comes first.
    fn consider(&mut self, own: &[SpaceLine], other: &[SpaceLine], line: usize, cursor: usize, from_left: bool) {
        let a = &own[line];
        if self.is_within_floor(a, other, cursor) || self.is_near_in_time(a, other, cursor) {
            return;
        }
        let (distance, nearest) = self.nearest(a, other);
        if distance > self.floor {
            self.floor = distance;
            self.witness = Some(Nearest { from_left, line, nearest, distance });
        }
    }

    /// Whether a neighbour in time proves, whatever its words, that the line cannot raise the floor.
    fn is_within_floor(&self, a: &SpaceLine, other: &[SpaceLine], cursor: usize) -> bool {
        let (terms_weight, words_weight) = self.space.sixth_weights();
        let limit = 6.0 * self.floor - words_weight - SLACK;
        if limit < 0.0 {
            return false;
        }
        neighbours(other, cursor, UNREAD_NEIGHBOURS).any(|b| {
            let cheap = (a.time - b.time).abs() + terms_weight * (a.terms - b.terms).abs();
            cheap <= limit && self.space.numeric(a, b) + terms_weight * (a.terms - b.terms).abs() <= limit
        })
    }

    /// Whether a neighbour in time is within the floor, words compared.
    fn is_near_in_time(&mut self, a: &SpaceLine, other: &[SpaceLine], cursor: usize) -> bool {
        let (terms_weight, words_weight) = self.space.sixth_weights();
        let limit = 6.0 * self.floor + SLACK;
        neighbours(other, cursor, READ_NEIGHBOURS).any(|b| {
            let sum = self.space.numeric(a, b) + terms_weight * (a.terms - b.terms).abs();
            let room = (limit - sum) / words_weight;
            room > 0.0
                && over_words_below(self.space, a.string, b.string, room, self.scratch)
                    .is_some_and(|words| self.exact(a, b, words) <= self.floor)
        })
    }

    fn exact(&self, a: &SpaceLine, b: &SpaceLine, words: f64) -> f64 {
        self.space.line_distance(self.space.numeric(a, b), (a.terms - b.terms).abs(), words)
    }

    /// The nearest line of the other side and its distance; any line that is within the floor, if there is one.
    fn nearest(&mut self, a: &SpaceLine, other: &[SpaceLine]) -> (f64, usize) {
        let (terms_weight, words_weight) = self.space.sixth_weights();
        let mut candidates = std::mem::take(&mut self.scratch.candidates);
        candidates.clear();
        let mut first = (0, f64::INFINITY);
        for (at, b) in (0u32..).zip(other) {
            let sum = self.space.numeric(a, b) + terms_weight * (a.terms - b.terms).abs();
            candidates.push((sum, at));
            if sum < first.1 {
                first = (at as usize, sum);
            }
        }
        candidates.swap(0, first.0);
        let (mut least, mut nearest) = (f64::INFINITY, 0);
        let mut rest = candidates.as_mut_slice();
        // The most promising first, in rounds: after each, most of the others are out of reach and need no order.
        let mut round = 1;
        while !rest.is_empty() && least > self.floor {
            let order = |left: &(f64, u32), right: &(f64, u32)| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1));
            let count = round.min(rest.len());
            if round > 1 && count < rest.len() {
                rest.select_nth_unstable_by(count, order);
            }
            let (first, others) = rest.split_at_mut(count);
            first.sort_unstable_by(order);
            for &(sum, at) in &*first {
                let room = (6.0 * least - sum + SLACK) / words_weight;
                if room <= 0.0 || least <= self.floor {
                    break;
                }
                let b = &other[at as usize];
                if let Some(words) = over_words_below(self.space, a.string, b.string, room, self.scratch) {
                    let distance = self.exact(a, b, words);
                    if distance < least {
                        (least, nearest) = (distance, at as usize);
                    }
                }
            }
            let limit = 6.0 * least + SLACK;
            let mut within = 0;
            for at in 0..others.len() {
                if others[at].0 < limit {
                    others.swap(within, at);
                    within += 1;
                }
            }
            rest = &mut others[..within];
            round *= 4;
        }
        self.scratch.candidates = candidates;
        (least, nearest)
    }
}

/// Lines around a place, the nearest first, half of them after it and half before.
fn neighbours(lines: &[SpaceLine], place: usize, count: usize) -> impl Iterator<Item = &SpaceLine> {
    let after = lines[place..].iter().take(count / 2);
    let before = lines[..place].iter().rev().take(count / 2);
    after.chain(before)
}

/// The Hausdorff distance over the words of two query strings (reading Q12 for empty ones).
pub(super) fn over_words(space: &UserSpace, left: u32, right: u32, scratch: &mut Scratch) -> f64 {
    over_words_below(space, left, right, f64::INFINITY, scratch).unwrap_or(1.0)
}

/// The Hausdorff distance over the words of two query strings, or `None` if it is not below `limit`.
fn over_words_below(space: &UserSpace, left: u32, right: u32, limit: f64, scratch: &mut Scratch) -> Option<f64> {
    if left == right {
        return Some(0.0);
    }
    let (own, other) = (space.string(left), space.string(right));
    if own.is_empty() || other.is_empty() {
        return Some(f64::from(u8::from(own.len() != other.len())));
    }
    // Each word needs one on the other side whose length and letters allow a distance below the limit.
    let hopeless = |words: &[Outline], others: &[Outline]| {
        words.iter().any(|word| !others.iter().any(|other| word.may_be_below(other, limit)))
    };
    if hopeless(own, other) || hopeless(other, own) {
        return None;
    }
    let words = &space.words;
    let width = other.len();
    let Scratch { table, patterns, .. } = scratch;
    if patterns.len() < own.len() {
        patterns.resize_with(own.len(), Pattern::default);
    }
    table.clear();
    table.resize(own.len() * width, -1.0);
    let mut greatest = 0.0f64;
    // For each own word the least distance to another; the search for it stops once it cannot raise the greatest.
    for ((a, pattern), distances) in own.iter().zip(patterns.iter_mut()).zip(table.chunks_exact_mut(width)) {
        pattern.load(words, a.word);
        let mut least = limit;
        for (b, distance) in other.iter().zip(distances) {
            if a.may_be_below(b, least) {
                *distance = pattern.distance(words, b.word);
                if *distance < least {
                    least = *distance;
                    if least <= greatest {
                        break;
                    }
                }
            }
        }
        if least >= limit {
            return None;
        }
        if least > greatest {
            greatest = least;
        }
    }
    // And the other way round, with what is known already.
    for (to, b) in other.iter().enumerate() {
        let mut least = limit;
        for ((a, pattern), distances) in own.iter().zip(patterns.iter()).zip(table.chunks_exact_mut(width)) {
            if distances[to] < 0.0 && b.may_be_below(a, least) {
                distances[to] = pattern.distance(words, b.word);
            }
            if distances[to] >= 0.0 && distances[to] < least {
                least = distances[to];
                if least <= greatest {
                    break;
                }
            }
        }
        if least >= limit {
            return None;
        }
        if least > greatest {
            greatest = least;
        }
    }
    Some(greatest)
}
