//! LCSS and EDR: how much of one path is the other, point by point in order, whenever it was.
//!
//! Paper      Vlachos, Kollios, Gunopulos. Discovering similar multidimensional trajectories. ICDE 2002 (LCSS). Chen, Özsu, Oria. Robust and
//!            fast similarity search for moving object trajectories. SIGMOD 2005 (EDR).
//!
//! # Idea
//! Two points match if they are at most so many metres apart to the north, at most so many to the east, and at most so
//! long in time, where that matters. LCSS is the greatest number of
//! pairs of matching points in the order of both paths. EDR is the least number of points to insert, delete or replace, where a point that
//! matches need not be replaced.
//!
//! # Formula
//! lcss = 1 - LCSS / the points of the shorter path; edr = EDR / the points of the longer path. Both are in 0 … 1.
//!
//! # Cost
//! Time O(points · points / 64) steps and as many comparisons a pair: whole columns of the table of 64 rows at a time (Hyyrö 2003, after
//! Myers). Memory 24 bytes a point.

use super::super::Pairwise;
use crate::data::Paths;
use crate::data::paths::tracks::Tracks;
use crate::geo::RADIUS;

/// How many metres a degree has on a great circle.
const DEGREE: f64 = RADIUS * 1000.0 * std::f64::consts::PI / 180.0;

/// How far apart points that match may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Within {
    /// So many metres to the north, and to the east.
    pub metres: f64,
    /// So many milliseconds; [`i64::MAX`] where time does not matter.
    pub millis: i64,
}

impl Within {
    /// Points that may be so many metres apart, whenever they are.
    pub fn metres(metres: f64) -> Self {
        Self { metres, millis: i64::MAX }
    }
}

/// A point as it is matched: degrees, the cosine of its latitude, and when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    lat: f64,
    lon: f64,
    cosine: f64,
    time: i64,
}

impl Spot {
    /// That of a place at a time.
    pub fn of((lat, lon): (f64, f64), time: i64) -> Self {
        Self { lat, lon, cosine: lat.to_radians().cos(), time }
    }

    /// Whether two points are near enough.
    pub fn matches(&self, other: &Self, within: Within) -> bool {
        let north = (self.lat - other.lat).abs() * DEGREE;
        let across = (self.lon - other.lon).abs();
        let east = across.min(360.0 - across) * DEGREE * f64::midpoint(self.cosine, other.cosine);
        north <= within.metres && east <= within.metres && self.time.abs_diff(other.time) <= within.millis as u64
    }
}

/// The longest common sequence of two paths.
pub fn lcss(left: &[Spot], right: &[Spot], within: Within, scratch: &mut Scratch) -> usize {
    let words = left.len().div_ceil(64);
    // A bit that is not set says that the sequence grows in this row.
    scratch.reset(words);
    let Scratch { matching, up, .. } = scratch;
    for point in right {
        mark_matching(left, point, within, matching);
        let mut carry = false;
        for (row, matching) in up.iter_mut().zip(&*matching) {
            let both = *row & matching;
            let (sum, first) = row.overflowing_add(both);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            *row = sum | (*row & !matching);
        }
    }
    let unset: u32 = up.iter().map(|row| row.count_zeros()).sum();
    unset as usize
}

/// How many points of two paths must be inserted, deleted or replaced.
pub fn edr(left: &[Spot], right: &[Spot], within: Within, scratch: &mut Scratch) -> usize {
    if left.is_empty() {
        return right.len();
    }
    let words = left.len().div_ceil(64);
    scratch.reset(words);
    let Scratch { matching, up, down } = scratch;
    let last = 1_u64 << ((left.len() - 1) % 64);
    let mut edits = left.len();
    for point in right {
        mark_matching(left, point, within, matching);
        // The first row of the table grows by one in every column.
        let mut came = 1_i8;
        for word in 0..words {
            let top = if word + 1 == words { last } else { 1 << 63 };
            let (was_up, was_down) = (up[word], down[word]);
            let equal = matching[word] | u64::from(came < 0);
            let vertical = matching[word] | was_down;
            let horizontal = ((equal & was_up).wrapping_add(was_up) ^ was_up) | equal;
            let mut more = was_down | !(horizontal | was_up);
            let mut less = was_up & horizontal;
            let goes = i8::from(more & top != 0) - i8::from(less & top != 0);
            more = more << 1 | u64::from(came > 0);
            less = less << 1 | u64::from(came < 0);
            up[word] = less | !(vertical | more);
            down[word] = more & vertical;
            came = goes;
        }
        edits = edits.wrapping_add_signed(came.into());
    }
    edits
}

/// A bit for each point of a path that matches a point.
fn mark_matching(path: &[Spot], point: &Spot, within: Within, into: &mut [u64]) {
    for (word, points) in into.iter_mut().zip(path.chunks(64)) {
        *word = points.iter().zip(0..).map(|(own, bit)| u64::from(own.matches(point, within)) << bit).sum();
    }
}

/// Rows of bits that one thread keeps between two pairs.
#[derive(Debug, Default)]
pub struct Scratch {
    matching: Vec<u64>,
    up: Vec<u64>,
    down: Vec<u64>,
}

impl Scratch {
    fn reset(&mut self, words: usize) {
        for (rows, value) in [(&mut self.matching, 0), (&mut self.up, u64::MAX), (&mut self.down, 0)] {
            rows.clear();
            rows.resize(words, value);
        }
    }
}

/// A step of the way from one path to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// These points match.
    Match(usize, usize),
    /// This point takes the place of that one.
    Replace(usize, usize),
    /// This point of the first path goes.
    Delete(usize),
    /// This point of the second path comes, before that one of the first.
    Insert(usize, usize),
}

/// The fewest edits that make one path another, in the order of both; by the full table. Where several ways are equally short, points are
/// matched or replaced rather than deleted, and deleted rather than inserted, from the ends of the paths on.
pub fn script(left: &[Spot], right: &[Spot], within: Within) -> Vec<Edit> {
    let table = edr_table(left, right, within);
    let (mut row, mut column) = (left.len(), right.len());
    let mut edits = Vec::with_capacity(row.max(column));
    while row > 0 || column > 0 {
        let cost = table[row][column];
        if row > 0 && column > 0 {
            let matches = left[row - 1].matches(&right[column - 1], within);
            if cost == table[row - 1][column - 1] + u32::from(!matches) {
                (row, column) = (row - 1, column - 1);
                edits.push(if matches { Edit::Match(row, column) } else { Edit::Replace(row, column) });
                continue;
            }
        }
        if row > 0 && cost == table[row - 1][column] + 1 {
            row -= 1;
            edits.push(Edit::Delete(row));
        } else {
            column -= 1;
            edits.push(Edit::Insert(row, column));
        }
    }
    edits.reverse();
    edits
}

/// For each number of points from the beginning of both paths how many edits they need.
fn edr_table(left: &[Spot], right: &[Spot], within: Within) -> Vec<Vec<u32>> {
    let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
    for row in 0..=left.len() {
        for column in 0..=right.len() {
            table[row][column] = if row == 0 || column == 0 {
                (row + column) as u32
            } else {
                let differs = u32::from(!left[row - 1].matches(&right[column - 1], within));
                (table[row - 1][column - 1] + differs).min(table[row - 1][column] + 1).min(table[row][column - 1] + 1)
            };
        }
    }
    table
}

/// Which of the two it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// The share of the shorter path that is not common.
    Lcss,
    /// The share of the longer path that must be edited.
    Edr,
}

/// Paths as points that match.
#[derive(Debug)]
pub struct Edits {
    sort: Sort,
    within: Within,
    paths: Vec<Vec<Spot>>,
}

impl Edits {
    /// All tracks. With how near points are that match.
    pub fn of(paths: &Paths, tracks: &Tracks, sort: Sort, within: Within) -> Self {
        let spots =
            |track: usize| tracks.range(track).map(|point| Spot::of(paths.place(point), paths.time(point))).collect();
        Self { sort, within, paths: (0..tracks.len()).map(spots).collect() }
    }

    /// The points of a path.
    pub fn spots(&self, path: usize) -> &[Spot] {
        &self.paths[path]
    }
}

impl Pairwise for Edits {
    type Scratch = Scratch;

    fn len(&self) -> usize {
        self.paths.len()
    }

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn distance(&self, left: usize, right: usize, scratch: &mut Scratch) -> f64 {
        let (left, right) = (&self.paths[left.min(right)], &self.paths[left.max(right)]);
        let (shorter, longer) = (left.len().min(right.len()), left.len().max(right.len()));
        match self.sort {
            Sort::Lcss if shorter == 0 => f64::from(u8::from(longer > 0)),
            Sort::Lcss => 1.0 - lcss(left, right, self.within, scratch) as f64 / shorter as f64,
            Sort::Edr if longer == 0 => 0.0,
            Sort::Edr => edr(left, right, self.within, scratch) as f64 / longer as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Points on a line to the north, in metres.
    fn line(metres: &[f64]) -> Vec<Spot> {
        metres.iter().map(|metres| Spot::of((metres / DEGREE, 8.0), 0)).collect()
    }

    /// The longest common sequence by the full table.
    fn plain_lcss(left: &[Spot], right: &[Spot], within: Within) -> usize {
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for row in 1..=left.len() {
            for column in 1..=right.len() {
                table[row][column] = if left[row - 1].matches(&right[column - 1], within) {
                    table[row - 1][column - 1] + 1
                } else {
                    table[row - 1][column].max(table[row][column - 1])
                };
            }
        }
        table[left.len()][right.len()]
    }

    /// 0 100 200 300 and 10 500 190 310 within 20 m: the first, third and fourth match, one is replaced.
    #[test]
    fn by_hand() {
        let (left, right) = (line(&[0.0, 100.0, 200.0, 300.0]), line(&[10.0, 500.0, 190.0, 310.0]));
        let (scratch, within) = (&mut Scratch::default(), Within::metres(20.0));
        assert_eq!((lcss(&left, &right, within, scratch), edr(&left, &right, within, scratch)), (3, 1));
        assert_eq!((lcss(&left, &right[1..], within, scratch), edr(&left, &right[1..], within, scratch)), (2, 2));
        assert_eq!((lcss(&left, &[], within, scratch), edr(&left, &[], within, scratch)), (0, 4));
        assert_eq!((lcss(&[], &left, within, scratch), edr(&[], &left, within, scratch)), (0, 4));
        assert_eq!(
            script(&left, &right[2..], within),
            [Edit::Delete(0), Edit::Delete(1), Edit::Match(2, 0), Edit::Match(3, 1)]
        );
        assert_eq!(script(&left[..1], &right[..2], within), [Edit::Match(0, 0), Edit::Insert(1, 1)]);
    }

    /// East and north each on their own, and over the date line.
    #[test]
    fn matching() {
        let at = |lat: f64, lon: f64| Spot::of((lat, lon), 0);
        assert!(at(0.0, 0.0).matches(&at(0.0009, 0.0009), Within::metres(101.0)));
        assert!(!at(0.0, 0.0).matches(&at(0.0009, 0.0009), Within::metres(99.0)));
        assert!(
            at(60.0, 0.0).matches(&at(60.0, 0.0018), Within::metres(101.0))
                && !at(60.0, 0.0).matches(&at(60.0, 0.0019), Within::metres(101.0))
        );
        assert!(at(0.0, 179.9999).matches(&at(0.0, -179.9999), Within::metres(30.0)));
        let later = Spot::of((0.0, 0.0), 60_000);
        assert!(at(0.0, 0.0).matches(&later, Within { metres: 1.0, millis: 60_000 }));
        assert!(!later.matches(&at(0.0, 0.0), Within { metres: 1.0, millis: 59_999 }));
    }

    proptest! {
        /// As by the full tables, also where a column of the table takes several words.
        #[test]
        fn as_by_the_full_table(
            left in prop::collection::vec(0..6_u8, 0..150),
            right in prop::collection::vec(0..6_u8, 0..150),
            metres in 0..3_u8,
        ) {
            let spots = |values: &[u8]| line(&values.iter().map(|&value| f64::from(value)).collect::<Vec<_>>());
            let (left, right) = (spots(&left), spots(&right));
            let within = Within::metres(f64::from(metres) + 0.5);
            let scratch = &mut Scratch::default();
            prop_assert_eq!(lcss(&left, &right, within, scratch), plain_lcss(&left, &right, within));
            let edits = edr(&left, &right, within, scratch);
            prop_assert_eq!(edits, edr_table(&left, &right, within)[left.len()][right.len()] as usize);
            let script = script(&left, &right, within);
            prop_assert_eq!(script.iter().filter(|edit| !matches!(edit, Edit::Match(..))).count(), edits);
        }
    }
}
