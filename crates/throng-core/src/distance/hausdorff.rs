//! The Hausdorff distance over the lines of two persons, exact and fast.
//!
//! H(A, B) = max of max_a min_b line(a, b) and max_b min_a line(b, a).
//!
//! # Idea
//! 1. Only the farthest line counts. Lines that decided earlier comparisons of a person go first: they are outliers, and
//!    their distance to the other person is a floor that most other lines do not reach.
//! 2. A line is done as soon as one line of the other person is within the floor. For most lines time, rank, host and
//!    length prove it without a look at the words, with the line of the same class (click or none) nearest in time.
//! 3. For the few that are left, all lines of the other person are gone through by their numeric terms, column by column,
//!    those of the same class first, and words are compared only where they could still lower the minimum, after bounds
//!    from lengths and letters. Mostly one word has no near one, and the comparison ends with it.
//!
//! Bounds are never rounded to our favour: each carries a slack far above the rounding error, and what falls within the
//! slack is computed in full. So the result is equal, to the last bit, to that of the literal double loop.

use super::user_distance::{SpaceLine, UserSpace};
use crate::text::edit_distance::{Outline, Pattern, Words};

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

/// The bits of a candidate that say which line it is.
const PLACES: u64 = (1 << 24) - 1;

/// A sum, rounded down, and the line that has it, in one number that sorts by the sum first.
fn candidate(sum: f64, place: u64) -> u64 {
    // Bits of floats that are not negative are in the order of the floats.
    sum.to_bits() & !PLACES | place
}

/// A candidate's sum, too small by less than one part in a hundred million.
fn sum_of(candidate: u64) -> f64 {
    f64::from_bits(candidate & !PLACES)
}

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
    /// Lines of the two persons at hand that were compared already, with whether they are the left person's.
    done: Vec<(bool, usize)>,
    own: OwnString,
    /// How far lines of the other person are, but for their words.
    sums: Vec<f64>,
    /// Lines of the other person that may be near; see [`candidate`].
    candidates: Vec<u64>,
    /// Strings of the other person that were compared with the line at hand.
    seen: Vec<u32>,
}

/// A query string that is compared with many.
#[derive(Debug)]
struct OwnString {
    string: u32,
    /// The word that was too far from the last string is likely to be too far from the next one.
    breaker: usize,
    /// Its words, ready to be compared. A word that is loaded already costs nothing.
    patterns: Vec<Pattern>,
    /// Distances of its words to those of another string; negative where not yet computed.
    table: Vec<f64>,
}

impl Scratch {
    pub(super) fn new(persons: usize) -> Self {
        Self {
            outliers: vec![[u32::MAX; REMEMBERED]; persons],
            done: Vec::new(),
            own: OwnString { string: u32::MAX, breaker: 0, patterns: Vec::new(), table: Vec::new() },
            sums: Vec::new(),
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
    scratch.done.clear();
    let mut search = Search { space, floor: 0.0, witness: None, scratch };
    let sides = [Side { own: left, other: right, from_left: true }, Side { own: right, other: left, from_left: false }];
    search.outliers(&sides);
    for side in sides {
        search.all_of(side);
    }
    let (distance, witness) = (search.floor, search.witness);
    if let Some(Nearest { from_left, line, .. }) = witness {
        scratch.remember(if from_left { left } else { right }, line as u32);
    }
    (distance, witness)
}

/// Whose lines look for their nearest at whom.
#[derive(Debug, Clone, Copy)]
struct Side {
    own: usize,
    other: usize,
    from_left: bool,
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
    fn outliers(&mut self, sides: &[Side; 2]) {
        let mut outside = sides.map(|side| (self.farthest_outside(side), side));
        if outside[0].0.1 < outside[1].0.1 {
            outside.swap(0, 1);
        }
        for ((line, _), side) in outside {
            self.consider(side, line);
        }
        for &side in sides {
            for line in self.scratch.outliers[side.own] {
                if line != u32::MAX {
                    self.consider(side, line as usize);
                }
            }
        }
    }

    /// The line that lies farthest outside of what the other person's lines span, and how far.
    fn farthest_outside(&self, side: Side) -> (usize, f64) {
        let boxes = self.space.boxes(side.other);
        let (mut farthest, mut greatest) = (0, -1.0);
        let own = self.space.person(side.own);
        for line in self.space.boxes(side.own).iter().flat_map(|lines| lines.extremes) {
            let a = &own[line as usize];
            let gap = boxes.iter().map(|lines| lines.gap(a)).fold(f64::INFINITY, f64::min);
            if gap > greatest {
                (farthest, greatest) = (line as usize, gap);
            }
        }
        (farthest, greatest)
    }

    /// Raises the floor to the least distance of a line, if that is beyond.
    fn consider(&mut self, side: Side, line: usize) {
        let (a, other) = (&self.space.person(side.own)[line], self.space.person(side.other));
        let cursor = other.partition_point(|b| a.comes_after(b));
        if self.neighbour_within(a, other, cursor, self.unread_limit()).is_none() {
            self.compare_words(side, line, cursor);
            self.scratch.done.push((side.from_left, line));
        }
    }

    /// The same for all lines of one side; the cheapest proof that a line does not raise the floor comes first.
    fn all_of(&mut self, side: Side) {
        let (own, other) = (self.space.person(side.own), self.space.person(side.other));
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
                None => self.compare_words(side, line, cursor),
            }
        }
    }

    /// Raises the floor to the least distance of a line, if that is beyond, where only words can tell.
    fn compare_words(&mut self, side: Side, line: usize, cursor: usize) {
        if self.scratch.done.contains(&(side.from_left, line)) {
            return;
        }
        let a = &self.space.person(side.own)[line];
        let mut sums = std::mem::take(&mut self.scratch.sums);
        if !self.is_near_in_time(a, side.other, cursor, &mut sums) {
            let (distance, nearest) = self.nearest(a, side.other, &mut sums);
            if distance > self.floor {
                self.floor = distance;
                self.witness = Some(Nearest { from_left: side.from_left, line, nearest, distance });
            }
        }
        self.scratch.sums = sums;
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
    fn is_near_in_time(&mut self, a: &SpaceLine, other: usize, cursor: usize, sums: &mut Vec<f64>) -> bool {
        let Some(alike) = self.space.boxes(other).iter().find(|lines| lines.lacking(a) == 0.0) else {
            return false;
        };
        let start = cursor.saturating_sub(NEIGHBOURS / 2).max(alike.lines.start);
        let end = (cursor + NEIGHBOURS / 2).min(alike.lines.end);
        self.space.unread(a, other, alike, start..end, sums);
        let (_, words_weight) = self.space.sixth_weights();
        let limit = 6.0 * self.floor - SLACK;
        let mut promising = [(limit, 0); READ_NEIGHBOURS];
        for (&sum, at) in sums.iter().zip(start..) {
            if sum < promising[READ_NEIGHBOURS - 1].0 {
                let place = promising.iter().take_while(|&&(other, _)| other <= sum).count();
                promising.copy_within(place..READ_NEIGHBOURS - 1, place + 1);
                promising[place] = (sum, at);
            }
        }
        promising.iter().take_while(|&&(sum, _)| sum < limit).any(|&(sum, at)| {
            let string = self.space.person(other)[at].string;
            self.scratch.own.is_within(self.space, a.string, string, (limit - sum) / words_weight)
        })
    }

    /// The nearest line of the other person and its distance; any line that is within the floor, if there is one.
    fn nearest(&mut self, a: &SpaceLine, other: usize, sums: &mut Vec<f64>) -> (f64, usize) {
        let mut nearest = (f64::INFINITY, 0);
        // Lines that have, or lack, the same first: they are hardly ever beaten by lines of the other classes.
        for lacking in [0.0, 1.0, 2.0] {
            for lines in self.space.boxes(other).iter().filter(|lines| lines.lacking(a) == lacking) {
                // A candidate has room for so many lines.
                for start in lines.lines.clone().step_by(PLACES as usize) {
                    if lacking >= 6.0 * nearest.0 + SLACK || nearest.0 <= self.floor {
                        break;
                    }
                    let part = start..lines.lines.end.min(start + PLACES as usize);
                    self.space.unread(a, other, lines, part.clone(), sums);
                    nearest = self.nearest_of(a, &self.space.person(other)[part], start, sums, nearest);
                }
            }
        }
        nearest
    }

    /// The same among lines of one class, when their sums are known; what was found before is to be beaten.
    fn nearest_of(
        &mut self,
        a: &SpaceLine,
        other: &[SpaceLine],
        start: usize,
        sums: &[f64],
        (mut least, mut nearest): (f64, usize),
    ) -> (f64, usize) {
        let (_, words_weight) = self.space.sixth_weights();
        let Scratch { candidates, seen, own, .. } = &mut *self.scratch;
        seen.clear();
        candidates.clear();
        let limit = 6.0 * least + SLACK;
        candidates.extend((0u64..).zip(sums).filter(|&(_, &sum)| sum < limit).map(|(at, &sum)| candidate(sum, at)));
        let Some(first) = candidates.iter().enumerate().min_by_key(|&(_, &candidate)| candidate) else {
            return (least, nearest);
        };
        let first = first.0;
        candidates.swap(0, first);
        let mut rest = candidates.as_mut_slice();
        // The most promising first, in rounds: after each, most of the others are out of reach and need no order.
        let mut round = 1;
        while !rest.is_empty() && least > self.floor {
            let count = round.min(rest.len());
            if round > 1 && count < rest.len() {
                rest.select_nth_unstable(count);
            }
            let (first, others) = rest.split_at_mut(count);
            first.sort_unstable();
            for &candidate in &*first {
                let room = (6.0 * least - sum_of(candidate) + SLACK) / words_weight;
                if room <= 0.0 || least <= self.floor {
                    break;
                }
                let at = (candidate & PLACES) as usize;
                let b = &other[at];
                // A string that was compared with less in the way does not come nearer now.
                if seen.contains(&b.string) {
                    continue;
                }
                seen.push(b.string);
                if let Some(words) = over_words_below(self.space, a.string, b.string, room, own) {
                    let distance = self.space.line_distance(self.space.numeric(a, b), (a.terms - b.terms).abs(), words);
                    if distance < least {
                        (least, nearest) = (distance, start + at);
                    }
                }
            }
            let limit = 6.0 * least + SLACK;
            let mut within = 0;
            for at in 0..others.len() {
                if sum_of(others[at]) < limit {
                    others.swap(within, at);
                    within += 1;
                }
            }
            rest = &mut others[..within];
            round *= 4;
        }
        (least, nearest)
    }
}

/// The Hausdorff distance over the words of two query strings (reading Q12 for empty ones).
pub(super) fn over_words(space: &UserSpace, left: u32, right: u32, scratch: &mut Scratch) -> f64 {
    over_words_below(space, left, right, f64::INFINITY, &mut scratch.own).unwrap_or(1.0)
}

/// The Hausdorff distance over the words of two query strings, or `None` if it is not below `limit`.
fn over_words_below(space: &UserSpace, left: u32, right: u32, limit: f64, own: &mut OwnString) -> Option<f64> {
    let (left_words, right_words) = (space.string(left), space.string(right));
    if let Some(distance) = without_words(left, left_words, right, right_words) {
        return Some(distance);
    }
    own.set(left, left_words);
    if limit <= 1.0 && !own.may_be_below(&space.words, left_words, right_words, limit) {
        return None;
    }
    let distance = own.over_words(&space.words, left_words, right_words);
    (distance < limit).then_some(distance)
}

/// The distance of equal strings, and of those without a word.
fn without_words(left: u32, left_words: &[Outline], right: u32, right_words: &[Outline]) -> Option<f64> {
    if left == right {
        return Some(0.0);
    }
    let empty = left_words.is_empty() || right_words.is_empty();
    empty.then(|| f64::from(u8::from(left_words.len() != right_words.len())))
}

impl OwnString {
    fn set(&mut self, string: u32, words: &[Outline]) {
        if self.string != string {
            self.string = string;
            self.breaker = 0;
            if self.patterns.len() < words.len() {
                self.patterns.resize_with(words.len(), Pattern::default);
            }
        }
    }

    /// Whether the Hausdorff distance over the words of two query strings is below `limit`, or beyond it by less than the
    /// slack.
    fn is_within(&mut self, space: &UserSpace, left: u32, right: u32, limit: f64) -> bool {
        let (left_words, right_words) = (space.string(left), space.string(right));
        if let Some(distance) = without_words(left, left_words, right, right_words) {
            return distance < limit;
        }
        self.set(left, left_words);
        self.may_be_below(&space.words, left_words, right_words, limit)
    }

    /// Whether every word has one near enough on the other side. Never wrongly no, and wrongly yes only by a
    /// hair; nearly always no, and then mostly at once.
    fn may_be_below(&mut self, words: &Words, left: &[Outline], right: &[Outline], limit: f64) -> bool {
        if !self.has_near(words, left, right, self.breaker, limit) {
            return false;
        }
        // Before the others are compared: each word of the other side needs one here whose letters allow it.
        if right.iter().any(|b| !left.iter().any(|a| b.may_be_below(a, limit))) {
            return false;
        }
        for at in 0..left.len() {
            if at != self.breaker && !self.has_near(words, left, right, at, limit) {
                self.breaker = at;
                return false;
            }
        }
        let patterns = &self.patterns[..left.len()];
        right.iter().all(|b| patterns.iter().any(|pattern| pattern.may_be_below(words, b, limit)))
    }

    /// Whether a word of the own string has one near enough on the other side.
    fn has_near(&mut self, words: &Words, left: &[Outline], right: &[Outline], at: usize, limit: f64) -> bool {
        let pattern = &mut self.patterns[at];
        pattern.load(words, &left[at]);
        right.iter().any(|b| pattern.may_be_below(words, b, limit))
    }

    /// The Hausdorff distance over the words of two strings.
    fn over_words(&mut self, words: &Words, left: &[Outline], right: &[Outline]) -> f64 {
        let Self { patterns, table, .. } = self;
        let width = right.len();
        table.clear();
        table.resize(left.len() * width, -1.0);
        let mut greatest = 0.0f64;
        for ((a, pattern), distances) in left.iter().zip(patterns.iter_mut()).zip(table.chunks_exact_mut(width)) {
            pattern.load(words, a);
            let mut least = f64::INFINITY;
            for (b, distance) in right.iter().zip(distances) {
                if a.may_be_below(b, least) {
                    *distance = pattern.distance(words, b);
                    least = least.min(*distance);
                    if least <= greatest {
                        break;
                    }
                }
            }
            greatest = greatest.max(least);
        }
        // And the other way round, with what is known already.
        for (to, b) in right.iter().enumerate() {
            let mut least = f64::INFINITY;
            for ((a, pattern), distances) in left.iter().zip(patterns.iter()).zip(table.chunks_exact_mut(width)) {
                if distances[to] < 0.0 && b.may_be_below(a, least) {
                    distances[to] = pattern.distance(words, b);
                }
                if distances[to] >= 0.0 {
                    least = least.min(distances[to]);
                    if least <= greatest {
                        break;
                    }
                }
            }
            greatest = greatest.max(least);
        }
        greatest
    }
}
