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
use crate::text::edit_distance::Pattern;

/// Far above any rounding error in sums of six numbers of [0, 1], far below any difference that matters for speed.
const SLACK: f64 = 1e-9;
/// How many neighbours in time are tried by their numeric terms alone.
const UNREAD_NEIGHBOURS: usize = 8;
/// Of so many neighbours in time …
const NEIGHBOURS: usize = 16;
/// … so many are then tried with their words, before the search goes through all lines.
const READ_NEIGHBOURS: usize = 3;
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
    /// The own string that was compared last, and the word of it that ended the comparison.
    breaker: (u32, usize),
    /// Distances of the words of two strings; negative where not yet computed.
    table: Vec<f64>,
    /// Lines of the other person that may be near: the sum of their numeric terms, and which.
    candidates: Vec<(f64, u32)>,
    /// Strings of the other person that were compared with the line at hand.
    seen: Vec<u32>,
}

impl Scratch {
    pub(super) fn new(persons: usize) -> Self {
        Self {
            outliers: vec![[u32::MAX; REMEMBERED]; persons],
            patterns: Vec::new(),
            breaker: (u32::MAX, 0),
            table: Vec::new(),
            candidates: Vec::new(),
            seen: Vec::new(),
        }
    }

    fn remember(&mut self, person: usize, line: u32) {
        let outliers = &mut self.outliers[person];
        let at = outliers.iter().position(|&other| other == line).unwrap_or(REMEMBERED - 1);
        outliers[..=at].rotate_right(1);
        outliers[0] = line;
    }
}

/// The Hausdorff distance over the lines of two persons, and the pair of lines that decides it. No pair when it is 0.
pub(super) fn hausdorff(space: &UserSpace, left: usize, right: usize, scratch: &mut Scratch) -> (f64, Option<Nearest>) {
    let (own, other) = (space.person(left), space.person(right));
    if own.is_empty() || other.is_empty() {
        return (f64::from(u8::from(own.len() != other.len())), None);
    }
    let mut search = Search { space, floor: 0.0, witness: None, scratch };
    search.outliers(left, right);
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
    /// Begins with the lines that are likely to be far from all others: those that lie farthest outside of what the
    /// other person's lines span, then those that decided earlier comparisons.
    fn outliers(&mut self, left: usize, right: usize) {
        let sides = [(left, right, true), (right, left, false)];
        for (person, other, from_left) in sides {
            let boxes = self.space.boxes(other);
            let (mut farthest, mut greatest) = (0, -1.0);
            for (line, a) in self.space.person(person).iter().enumerate() {
                let gap = boxes.iter().map(|lines| lines.gap(a)).fold(f64::INFINITY, f64::min);
                if gap > greatest {
                    (farthest, greatest) = (line, gap);
                }
            }
            self.consider_one(person, other, farthest, from_left);
        }
        for (person, other, from_left) in sides {
            for line in self.scratch.outliers[person] {
                if line != u32::MAX {
                    self.consider_one(person, other, line as usize, from_left);
                }
            }
        }
    }

    fn consider_one(&mut self, person: usize, other: usize, line: usize, from_left: bool) {
        let (own, other) = (self.space.person(person), self.space.person(other));
        let cursor = other.partition_point(|b| own[line].comes_after(b));
        self.consider(own, other, line, cursor, from_left);
    }

    fn all_of(&mut self, own: &[SpaceLine], other: &[SpaceLine], from_left: bool) {
        // Both sides are in the same order: one cursor goes along the other side.
        let mut cursor = 0;
        let mut last = 0;
        for (line, a) in own.iter().enumerate() {
            // The line that was near enough to the one before is likely to be near enough again.
            let limit = self.unread_limit();
            if self.is_within(a, &other[last], limit) {
                continue;
            }
            while cursor < other.len() && a.comes_after(&other[cursor]) {
                cursor += 1;
            }
            match self.neighbour_within(a, other, cursor, limit) {
                Some(near) => last = near,
                None => self.compare_words(own, other, line, cursor, from_left),
            }
        }
    }

    /// Raises the floor to the least distance of a line, if that is beyond; the cheapest proof that it is not comes first.
    fn consider(&mut self, own: &[SpaceLine], other: &[SpaceLine], line: usize, cursor: usize, from_left: bool) {
        if self.neighbour_within(&own[line], other, cursor, self.unread_limit()).is_none() {
            self.compare_words(own, other, line, cursor, from_left);
        }
    }

    /// The same, where only words can tell.
    fn compare_words(&mut self, own: &[SpaceLine], other: &[SpaceLine], line: usize, cursor: usize, from_left: bool) {
        let a = &own[line];
        if self.is_near_in_time(a, other, cursor) {
            return;
        }
        let (distance, nearest) = self.nearest(a, other);
        if distance > self.floor {
            self.floor = distance;
            self.witness = Some(Nearest { from_left, line, nearest, distance });
        }
    }

    /// Lines whose numeric terms add up to no more than this are within the floor, whatever their words.
    fn unread_limit(&self) -> f64 {
        let (_, words_weight) = self.space.sixth_weights();
        6.0 * self.floor - words_weight - SLACK
    }

    /// Whether the numeric terms of two lines are within a limit.
    fn is_within(&self, a: &SpaceLine, b: &SpaceLine, limit: f64) -> bool {
        let (terms_weight, _) = self.space.sixth_weights();
        let terms = terms_weight * (a.terms - b.terms).abs();
        (a.time - b.time).abs() + terms <= limit && self.space.numeric(a, b) + terms <= limit
    }

    /// A neighbour in time that proves, whatever its words, that the line cannot raise the floor.
    fn neighbour_within(&self, a: &SpaceLine, other: &[SpaceLine], cursor: usize, limit: f64) -> Option<usize> {
        if limit < 0.0 {
            return None;
        }
        let after = cursor..(cursor + UNREAD_NEIGHBOURS / 2).min(other.len());
        let before = (cursor.saturating_sub(UNREAD_NEIGHBOURS / 2)..cursor).rev();
        after.chain(before).find(|&at| self.is_within(a, &other[at], limit))
    }

    /// Whether one of the most promising neighbours in time is within the floor, words compared.
    fn is_near_in_time(&mut self, a: &SpaceLine, other: &[SpaceLine], cursor: usize) -> bool {
        let (terms_weight, words_weight) = self.space.sixth_weights();
        let limit = 6.0 * self.floor + SLACK;
        let mut promising = [(limit, 0); READ_NEIGHBOURS];
        let start = cursor.saturating_sub(NEIGHBOURS / 2);
        for (at, b) in other.iter().enumerate().take(cursor + NEIGHBOURS / 2).skip(start) {
            let sum = self.space.numeric(a, b) + terms_weight * (a.terms - b.terms).abs();
            if sum < promising[READ_NEIGHBOURS - 1].0 {
                let place = promising.partition_point(|&(other, _)| other <= sum);
                promising[place..].rotate_right(1);
                promising[place] = (sum, at);
            }
        }
        promising.iter().take_while(|&&(sum, _)| sum < limit).any(|&(sum, at)| {
            let b = &other[at];
            over_words_below(self.space, a.string, b.string, (limit - sum) / words_weight, self.scratch)
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
        let mut seen = std::mem::take(&mut self.scratch.seen);
        seen.clear();
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
                // A string that was compared with less in the way does not come nearer now.
                if seen.contains(&b.string) {
                    continue;
                }
                seen.push(b.string);
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
        self.scratch.seen = seen;
        (least, nearest)
    }
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
    let words = &space.words;
    let width = other.len();
    let Scratch { table, patterns, breaker, .. } = scratch;
    if patterns.len() < own.len() {
        patterns.resize_with(own.len(), Pattern::default);
    }
    table.clear();
    table.resize(own.len() * width, -1.0);
    let mut greatest = 0.0f64;
    // The least distance of an own word to another; the search for it stops once it cannot raise the greatest.
    let mut least_of = |at: usize, greatest: f64| {
        let (a, pattern) = (&own[at], &mut patterns[at]);
        pattern.load(words, a);
        let mut least = limit;
        for (b, distance) in other.iter().zip(&mut table[at * width..(at + 1) * width]) {
            if a.may_be_below(b, least) {
                *distance = pattern.distance(words, b);
                if *distance < least {
                    least = *distance;
                    if least <= greatest {
                        break;
                    }
                }
            }
        }
        least
    };
    // One string is compared with many: the word of it that was too far from the last one is likely to be again.
    let first = if breaker.0 == left { breaker.1 } else { 0 };
    for at in std::iter::once(first).chain((0..own.len()).filter(|&at| at != first)) {
        let least = least_of(at, greatest);
        if least >= limit {
            *breaker = (left, at);
            return None;
        }
        if least > greatest {
            greatest = least;
        }
        // Before the others are compared: each word of the other side needs one here whose letters allow it.
        if at == first && other.iter().any(|b| !own.iter().any(|a| b.may_be_below(a, limit))) {
            return None;
        }
    }
    // And the other way round, with what is known already.
    for (to, b) in other.iter().enumerate() {
        let mut least = limit;
        for ((a, pattern), distances) in own.iter().zip(patterns.iter()).zip(table.chunks_exact_mut(width)) {
            if distances[to] < 0.0 && b.may_be_below(a, least) {
                distances[to] = pattern.distance(words, b);
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
