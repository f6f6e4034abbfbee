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
/// How many neighbours in time are tried before the search goes through all lines.
const NEIGHBOURS: usize = 4;
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
    /// The string whose words are loaded into `patterns`.
    loaded: u32,
    patterns: Vec<Pattern>,
    /// Distances of the words of two strings; negative where not yet computed.
    table: Vec<f64>,
    bounds: Vec<f64>,
    numeric: Vec<f64>,
}

impl Scratch {
    pub(super) fn new(persons: usize) -> Self {
        Self {
            outliers: vec![[u32::MAX; REMEMBERED]; persons],
            loaded: u32::MAX,
            patterns: Vec::new(),
            table: Vec::new(),
            bounds: Vec::new(),
            numeric: Vec::new(),
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
    search.outliers_of(left, own, other, true);
    search.outliers_of(right, other, own, false);
    search.all_of(left, own, other, true);
    search.all_of(right, other, own, false);
    (search.floor, search.witness)
}

/// A search for the greatest of the least distances; `floor` is the greatest so far.
struct Search<'a> {
    space: &'a UserSpace,
    floor: f64,
    witness: Option<Nearest>,
    scratch: &'a mut Scratch,
}

impl Search<'_> {
    fn outliers_of(&mut self, person: usize, own: &[SpaceLine], other: &[SpaceLine], from_left: bool) {
        for line in self.scratch.outliers[person] {
            if line != u32::MAX {
                self.raise(person, own, other, line as usize, from_left);
            }
        }
    }

    fn all_of(&mut self, person: usize, own: &[SpaceLine], other: &[SpaceLine], from_left: bool) {
        // Both sides are ordered by class, then time: one cursor goes along the other side.
        let mut cursor = 0;
        for (line, a) in own.iter().enumerate() {
            let class = a.class();
            while cursor < other.len()
                && (other[cursor].class() < class || (other[cursor].class() == class && other[cursor].time < a.time))
            {
                cursor += 1;
            }
            if !self.is_within_floor(a, other, cursor) {
                self.raise(person, own, other, line, from_left);
            }
        }
    }

    /// Whether a neighbour in time proves, whatever its words, that the line cannot raise the floor.
    fn is_within_floor(&self, a: &SpaceLine, other: &[SpaceLine], cursor: usize) -> bool {
        let (terms_weight, words_weight) = self.space.sixth_weights();
        let limit = 6.0 * self.floor - words_weight - SLACK;
        if limit < 0.0 {
            return false;
        }
        let after = other[cursor..].iter().take(NEIGHBOURS / 2);
        let before = other[..cursor].iter().rev().take(NEIGHBOURS / 2);
        after.chain(before).any(|b| {
            let cheap = (a.time - b.time).abs() + terms_weight * (a.terms - b.terms).abs();
            cheap <= limit && self.space.numeric(a, b) + terms_weight * (a.terms - b.terms).abs() <= limit
        })
    }

    /// Finds the nearest line on the other side, and raises the floor to it if it is beyond.
    fn raise(&mut self, person: usize, own: &[SpaceLine], other: &[SpaceLine], line: usize, from_left: bool) {
        let (distance, nearest) = self.nearest(&own[line], other);
        if distance > self.floor {
            self.floor = distance;
            self.witness = Some(Nearest { from_left, line, nearest, distance });
            self.scratch.remember(person, line as u32);
        }
    }

    /// The nearest line of the other side and its distance; any line that is within the floor, if there is one.
    fn nearest(&mut self, a: &SpaceLine, other: &[SpaceLine]) -> (f64, usize) {
        let space = self.space;
        let (terms_weight, words_weight) = space.sixth_weights();
        let mut numeric = std::mem::take(&mut self.scratch.numeric);
        numeric.clear();
        let mut first = 0;
        for (at, b) in other.iter().enumerate() {
            let sum = space.numeric(a, b) + terms_weight * (a.terms - b.terms).abs();
            numeric.push(sum);
            if sum < numeric[first] {
                first = at;
            }
        }
        let exact =
            |b: &SpaceLine, words: f64| space.line_distance(space.numeric(a, b), (a.terms - b.terms).abs(), words);
        let words = over_words(space, a.string, other[first].string, self.scratch);
        let (mut least, mut nearest) = (exact(&other[first], words), first);
        for (at, &sum) in numeric.iter().enumerate() {
            if least <= self.floor {
                break;
            }
            let room = (6.0 * least - sum + SLACK) / words_weight;
            if room <= 0.0 || at == first {
                continue;
            }
            if let Some(words) = over_words_below(space, a.string, other[at].string, room, self.scratch) {
                let distance = exact(&other[at], words);
                if distance < least {
                    (least, nearest) = (distance, at);
                }
            }
        }
        self.scratch.numeric = numeric;
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
    let Scratch { bounds, table, patterns, loaded, .. } = scratch;
    bounds.clear();
    let mut bound = 0.0f64;
    for &a in own {
        let row = bounds.len();
        bounds.extend(other.iter().map(|&b| if a == b { 0.0 } else { words.at_least(a, b) }));
        bound = bound.max(bounds[row..].iter().copied().fold(f64::INFINITY, f64::min));
        if bound >= limit {
            return None;
        }
    }
    if *loaded != left {
        *loaded = left;
        patterns.resize_with(patterns.len().max(own.len()), Pattern::default);
        for (pattern, &word) in patterns.iter_mut().zip(own) {
            pattern.load(words, word);
        }
    }
    table.clear();
    table.resize(bounds.len(), -1.0);
    let mut greatest = 0.0f64;
    // From the left: for each own word the least distance to another; it can stop once that is within the greatest.
    let width = other.len();
    for at in 0..own.len() {
        let least = least_of(
            (0..width).map(|to| at * width + to),
            |cell| patterns[at].distance(words, other[cell - at * width]),
            bounds,
            table,
            greatest,
        );
        greatest = greatest.max(least);
        if greatest >= limit {
            return None;
        }
    }
    for to in 0..width {
        let least = least_of(
            (0..own.len()).map(|at| at * width + to),
            |cell| patterns[cell / width].distance(words, other[to]),
            bounds,
            table,
            greatest,
        );
        greatest = greatest.max(least);
        if greatest >= limit {
            return None;
        }
    }
    Some(greatest)
}

/// The least distance over some cells of the table, or any that is not above `enough`.
fn least_of(
    cells: impl Iterator<Item = usize>,
    distance: impl Fn(usize) -> f64,
    bounds: &[f64],
    table: &mut [f64],
    enough: f64,
) -> f64 {
    let mut least = f64::INFINITY;
    for cell in cells {
        if bounds[cell] >= least {
            continue;
        }
        if table[cell] < 0.0 {
            table[cell] = distance(cell);
        }
        least = least.min(table[cell]);
        if least <= enough {
            break;
        }
    }
    least
}
