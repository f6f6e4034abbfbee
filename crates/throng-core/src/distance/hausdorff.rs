//! The Hausdorff distance over the lines of two persons, exact and fast.
//!
//! H(A, B) = max of max_a min_b line(a, b) and max_b min_a line(b, a).
//!
//! # Idea
//! 1. Only the farthest line counts. Lines that decided earlier comparisons of a person, and those outside of what the
//!    other person's lines span, go first, the remotest in front: their distance is a floor that most others do not reach.
//! 2. A line is done as soon as one line of the other person is within the floor. For most lines time, rank, host and
//!    length prove it without a look at the words: for a whole run of lines at once, with the line that was near enough to
//!    those before, or with the neighbours in time of the same class (click or none).
//! 3. Of the rest, most are within the floor of one of a few promising neighbours when their words are compared.
//! 4. For the few that are left, the numeric terms and the words of all lines of the other person are compared, column by
//!    column and all words at once, those of the same class first; the nearest is then computed in full.
//!
//! Bounds are never rounded to our favour: each carries a slack far above the rounding error, and what falls within the
//! slack is computed in full. So the result is equal, to the last bit, to that of the literal double loop.

use std::ops::Range;

use super::user_distance::{LineBox, SpaceLine, UserSpace};
use super::vocabulary::{Distances, UNCERTAIN, UNIT};
use crate::text::edit_distance::{Outline, QueryPattern};

/// Far above any rounding error in sums of six numbers of [0, 1], far below any difference that matters for speed.
const SLACK: f64 = 1e-9;
/// So many neighbours in time are tried by their numeric terms alone.
const NEIGHBOURS: usize = 16;
/// So many of them are then tried with their words, before the search goes through all lines …
const READ_NEIGHBOURS: usize = 3;
/// … if they may be as far as this. Words are seldom nearer.
const PROMISING: f64 = 0.75;
/// In more lines than these it pays to try the most promising alone before all.
const MANY: usize = 64;
/// How many deciding lines are remembered for each person.
const REMEMBERED: usize = 4;

/// The least of some numbers, several of them at a time.
fn least_of(numbers: &[f64]) -> f64 {
    // One instruction, where `f64::min` takes several for the sake of what is not a number.
    let lesser = |left: f64, right: f64| if left < right { left } else { right };
    let mut least = [f64::INFINITY; 4];
    let fours = numbers.chunks_exact(4);
    let rest = fours.remainder().iter().copied().fold(f64::INFINITY, lesser);
    for four in fours {
        for (least, &number) in least.iter_mut().zip(four) {
            *least = lesser(number, *least);
        }
    }
    least.into_iter().fold(rest, lesser)
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
    remote: Vec<Remote>,
    /// Lines of the two persons at hand that were compared already, with whether they are the left person's.
    done: Vec<(bool, usize)>,
    own: OwnString,
    /// How far lines of the other person are, but for their words.
    sums: Vec<f64>,
    /// How far the strings of the other person are.
    strings: Distances,
}

/// A query string that is compared with many.
#[derive(Debug)]
struct OwnString {
    string: u32,
    pattern: QueryPattern,
    /// The least distances of its words to those of another string.
    least: Vec<f64>,
}

impl Scratch {
    pub(super) fn new(persons: usize) -> Self {
        Self {
            outliers: vec![[u32::MAX; REMEMBERED]; persons],
            remote: Vec::new(),
            done: Vec::new(),
            own: OwnString { string: u32::MAX, pattern: QueryPattern::default(), least: Vec::new() },
            sums: Vec::new(),
            strings: Distances::default(),
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

/// A line that is likely to be far from all lines of the other person.
#[derive(Debug, Clone, Copy)]
struct Remote {
    side: Side,
    line: usize,
    /// How near the nearest of its neighbours in time is, but for the words.
    least: f64,
    /// Where it would stand among the lines of the other person.
    cursor: usize,
}

/// A search for the greatest of the least distances; `floor` is the greatest so far.
struct Search<'a> {
    space: &'a UserSpace,
    floor: f64,
    witness: Option<Nearest>,
    scratch: &'a mut Scratch,
}

impl Search<'_> {
    /// Begins with lines that are likely to be far from all others: those that lie farthest outside of what the other
    /// person's lines span, and those that decided earlier comparisons. The remotest of them go first.
    fn outliers(&mut self, sides: &[Side; 2]) {
        let mut outliers = std::mem::take(&mut self.scratch.remote);
        outliers.clear();
        for &side in sides {
            let remembered = self.scratch.outliers[side.own];
            let (farthest, _) = self.farthest_outside(side);
            for line in remembered.into_iter().filter(|&line| line != u32::MAX && line as usize != farthest) {
                outliers.push(self.remote(side, line as usize));
            }
            outliers.push(self.remote(side, farthest));
        }
        outliers.sort_unstable_by(|left, right| right.least.total_cmp(&left.least));
        for &Remote { side, line, least, cursor } in &outliers {
            if least > self.unread_limit() {
                self.consider(side, line, cursor);
                self.scratch.done.push((side.from_left, line));
            }
        }
        self.scratch.remote = outliers;
    }

    /// How far a line is from its neighbours in time, but for the words.
    fn remote(&mut self, side: Side, line: usize) -> Remote {
        let (a, other) = (&self.space.person(side.own)[line], self.space.person(side.other));
        let cursor = other.partition_point(|b| a.comes_after(b));
        self.look_at_neighbours(a, side.other, cursor);
        let least = least_of(&self.scratch.sums);
        Remote { side, line, least, cursor }
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

    /// Raises the floor to the least distances of all lines of one side; the cheapest proof that a line does not raise the floor comes first.
    fn all_of(&mut self, side: Side) {
        let (own, other) = (self.space.person(side.own), self.space.person(side.other));
        // Both sides are in the same order: one cursor goes along the other side.
        let mut cursor = 0;
        let mut last = 0;
        for run in self.space.runs(side.own) {
            // The line that was near enough to those before is likely to be near enough again.
            if self.space.most_unread(run, &other[last]) <= self.unread_limit() {
                continue;
            }
            for (line, a) in run.lines.clone().zip(&own[run.lines.clone()]) {
                let limit = self.unread_limit();
                if self.space.is_within(a, &other[last], limit) {
                    continue;
                }
                while cursor < other.len() && a.comes_after(&other[cursor]) {
                    cursor += 1;
                }
                if let Some(near) = self.consider(side, line, cursor) {
                    last = near;
                }
            }
        }
    }

    /// Raises the floor to the least distance of a line, if that is beyond. Gives a line of the other person that proves,
    /// whatever its words, that it is not, if there is one nearby.
    fn consider(&mut self, side: Side, line: usize, cursor: usize) -> Option<usize> {
        if self.scratch.done.contains(&(side.from_left, line)) {
            return None;
        }
        let a = &self.space.person(side.own)[line];
        let near = self.look_at_neighbours(a, side.other, cursor);
        let unread_limit = self.unread_limit();
        if let Some(at) = self.scratch.sums.iter().position(|&sum| sum <= unread_limit) {
            return Some(near.start + at);
        }
        if !self.is_near(a, side.other, near)
            && let Some((distance, nearest)) = self.nearest(a, side.other)
        {
            self.floor = distance;
            self.witness = Some(Nearest { from_left: side.from_left, line, nearest, distance });
        }
        None
    }

    /// Finds out how far a line is from its neighbours in time, of those that have, or lack, the same, but for the words.
    fn look_at_neighbours(&mut self, a: &SpaceLine, other: usize, cursor: usize) -> Range<usize> {
        let Some(alike) = self.space.boxes(other).iter().find(|lines| lines.lacking(a) == 0.0) else {
            self.scratch.sums.clear();
            return 0..0;
        };
        let start = cursor.saturating_sub(NEIGHBOURS / 2).max(alike.lines.start);
        let end = (cursor + NEIGHBOURS / 2).min(alike.lines.end);
        self.space.unread(a, other, alike, start..end, &mut self.scratch.sums);
        start..end
    }

    /// Lines whose numeric terms add up to no more than this are within the floor, whatever their words.
    fn unread_limit(&self) -> f64 {
        let (_, words_weight) = self.space.sixth_weights();
        6.0 * self.floor - words_weight - SLACK
    }

    /// Whether one of the most promising of some lines, whose sums are known, is within the floor, words compared.
    fn is_near(&mut self, a: &SpaceLine, other: usize, near: Range<usize>) -> bool {
        let (_, words_weight) = self.space.sixth_weights();
        let limit = 6.0 * self.floor - SLACK;
        let mut promising = [(limit - words_weight * PROMISING, 0); READ_NEIGHBOURS];
        for (&sum, at) in self.scratch.sums.iter().zip(near) {
            if sum < promising[READ_NEIGHBOURS - 1].0 {
                let place = promising.iter().take_while(|&&(other, _)| other <= sum).count();
                promising.copy_within(place..READ_NEIGHBOURS - 1, place + 1);
                promising[place] = (sum, at);
            }
        }
        promising.iter().take_while(|&&(sum, _)| sum < limit - words_weight * PROMISING).any(|&(sum, at)| {
            let string = self.space.person(other)[at].string;
            self.scratch.own.below(self.space, a.string, string, (limit - sum) / words_weight).is_some()
        })
    }

    /// The nearest line of the other person and its distance, if that is beyond the floor.
    fn nearest(&mut self, a: &SpaceLine, other: usize) -> Option<(f64, usize)> {
        let mut nearest = (f64::INFINITY, 0);
        let mut read = false;
        // Lines that have, or lack, the same first: they are hardly ever beaten by lines of the other classes.
        for lacking in [0.0, 1.0, 2.0] {
            for alike in self.space.boxes(other).iter().filter(|lines| lines.lacking(a) == lacking) {
                if lacking >= 6.0 * nearest.0 + SLACK {
                    break;
                }
                self.space.unread(a, other, alike, alike.lines.clone(), &mut self.scratch.sums);
                let sums = &self.scratch.sums;
                let least = least_of(sums);
                if least <= self.unread_limit() {
                    return None;
                }
                if sums.len() > MANY
                    && let Some(at) = sums.iter().position(|&sum| sum == least)
                {
                    self.compare(a, other, alike.lines.start + at, &mut nearest)?;
                }
                self.nearest_of(a, other, alike, &mut read, &mut nearest)?;
            }
        }
        Some(nearest)
    }

    /// The same among lines of one class, when their sums are known; what was found before is to be beaten.
    fn nearest_of(
        &mut self,
        a: &SpaceLine,
        other: usize,
        alike: &LineBox,
        read: &mut bool,
        nearest: &mut (f64, usize),
    ) -> Option<()> {
        let (_, words_weight) = self.space.sixth_weights();
        let vocabulary = self.space.vocabulary(other);
        let Scratch { own, strings, sums, .. } = &mut *self.scratch;
        if !*read {
            own.load(self.space, a.string);
            vocabulary.distances(&self.space.words, self.space.string(a.string), &own.pattern, strings);
            *read = true;
        }
        for (sum, &string) in sums.iter_mut().zip(&vocabulary.strings()[alike.lines.clone()]) {
            *sum += words_weight * UNIT * f64::from(strings.strings[string as usize]);
        }
        let limit = least_of(sums).min(6.0 * nearest.0) + words_weight * UNCERTAIN + SLACK;
        for at in 0..sums.len() {
            if self.scratch.sums[at] <= limit {
                self.compare(a, other, alike.lines.start + at, nearest)?;
            }
        }
        Some(())
    }

    /// Compares two lines, exactly. `None` if the distance is not beyond the floor.
    fn compare(&mut self, a: &SpaceLine, other: usize, at: usize, nearest: &mut (f64, usize)) -> Option<()> {
        let b = &self.space.person(other)[at];
        let words = self.scratch.own.below(self.space, a.string, b.string, f64::INFINITY)?;
        let distance = self.space.line_distance(self.space.numeric(a, b), (a.terms - b.terms).abs(), words);
        if distance < nearest.0 {
            *nearest = (distance, at);
        }
        (distance > self.floor).then_some(())
    }
}

/// The Hausdorff distance over the words of two query strings (reading Q12 for empty ones).
pub(super) fn over_words(space: &UserSpace, left: u32, right: u32, scratch: &mut Scratch) -> f64 {
    scratch.own.below(space, left, right, f64::INFINITY).unwrap_or(1.0)
}

impl OwnString {
    fn load(&mut self, space: &UserSpace, string: u32) {
        if self.string != string {
            self.string = string;
            self.pattern.load(&space.words, space.string(string));
        }
    }

    /// The Hausdorff distance over the words of two query strings, or `None` if it is not below `limit`.
    fn below(&mut self, space: &UserSpace, own: u32, other: u32, limit: f64) -> Option<f64> {
        if own == other {
            return Some(0.0);
        }
        let (own_words, words) = (space.string(own), space.string(other));
        if own_words.is_empty() || words.is_empty() {
            let distance = f64::from(u8::from(own_words.len() != words.len()));
            return (distance < limit).then_some(distance);
        }
        // Each word needs one on the other side whose letters allow it.
        let allowed =
            |left: &[Outline], right: &[Outline]| left.iter().all(|a| right.iter().any(|b| a.may_be_below(b, limit)));
        if limit <= 1.0 && !(allowed(words, own_words) && allowed(own_words, words)) {
            return None;
        }
        self.load(space, own);
        self.least.clear();
        self.least.resize(own_words.len(), f64::INFINITY);
        let mut greatest = 0.0f64;
        for word in words {
            let mut least = f64::INFINITY;
            self.pattern.distances(&space.words, word, |at, distance| {
                least = least.min(distance);
                self.least[at] = self.least[at].min(distance);
            });
            if least >= limit {
                return None;
            }
            greatest = greatest.max(least);
        }
        let distance = self.least.iter().fold(greatest, |greatest, &least| greatest.max(least));
        (distance < limit).then_some(distance)
    }
}
