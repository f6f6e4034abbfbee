//! Rotated files overlap: lines at the end of one stand again at the beginning of another. They are counted, and stay.
//!
//! # Idea
//! Of every file the first and the last lines are kept as hashes of their values. Two files overlap by the largest number of lines that end one
//! and begin the other; names say nothing of their order, so every two are compared both ways.
//!
//! # Cost
//! Memory O(files), for a fixed number of lines each; time O(files^2) where nothing overlaps.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// So many lines of an edge are looked at.
const MOST: usize = 1000;

/// The first and the last lines of a file, or of a block of one.
#[derive(Debug, Default, Clone)]
pub(super) struct Edges {
    first: Vec<u64>,
    last: VecDeque<u64>,
    /// How many lines there are, and a hash of all of them in any order.
    lines: u64,
    sum: u64,
}

impl Edges {
    /// Adds a line, by its values.
    pub(super) fn add(&mut self, values: &impl Hash) {
        let mut hasher = DefaultHasher::new();
        values.hash(&mut hasher);
        self.push(hasher.finish());
    }

    fn push(&mut self, line: u64) {
        (self.lines, self.sum) = (self.lines + 1, self.sum.wrapping_add(line));
        if self.first.len() < MOST {
            self.first.push(line);
        }
        if self.last.len() == MOST {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }

    /// Adds the lines after these.
    pub(super) fn absorb(&mut self, next: Self) {
        (self.lines, self.sum) = (self.lines + next.lines, self.sum.wrapping_add(next.sum));
        let room = MOST - self.first.len();
        self.first.extend(next.first.iter().take(room));
        self.last.extend(next.last);
        self.last.drain(..self.last.len().saturating_sub(MOST));
    }

    /// How many lines end this and begin another.
    fn overlap(&self, next: &Self) -> usize {
        let most = self.last.len().min(next.first.len());
        let is_same = |count: &usize| self.last.iter().skip(self.last.len() - count).eq(next.first[..*count].iter());
        (1..=most).rev().find(is_same).unwrap_or(0)
    }
}

/// The files without those that have the very lines of an earlier one, and how many these are.
pub(super) fn without_copies(files: Vec<Edges>) -> (Vec<Edges>, u64) {
    let mut different: Vec<Edges> = Vec::with_capacity(files.len());
    let mut copies = 0;
    for file in files {
        let is_same = |other: &Edges| {
            file.lines > 0 && (file.lines, file.sum, &file.first) == (other.lines, other.sum, &other.first)
        };
        if different.iter().any(is_same) {
            copies += 1;
        } else {
            different.push(file);
        }
    }
    (different, copies)
}

/// How many lines at the end of a file stand again at the beginning of another.
pub(super) fn equal_lines(files: &[Edges]) -> u64 {
    let pairs = (0..files.len()).flat_map(|one| (0..files.len()).map(move |other| (one, other)));
    let different = pairs.filter(|(one, other)| one != other);
    different.map(|(one, other)| files[one].overlap(&files[other]) as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(lines: &[u64]) -> Edges {
        let mut edges = Edges::default();
        lines.iter().for_each(|&line| edges.push(line));
        edges
    }

    #[test]
    fn the_largest_overlap_counts() {
        assert_eq!(equal_lines(&[edges(&[1, 2, 3]), edges(&[2, 3, 4])]), 2);
        // Whichever comes first.
        assert_eq!(equal_lines(&[edges(&[2, 3, 4]), edges(&[1, 2, 3]), edges(&[4, 5])]), 3);
        assert_eq!(equal_lines(&[edges(&[1, 1, 1]), edges(&[1, 1, 2])]), 2);
        assert_eq!(equal_lines(&[edges(&[1, 2, 3]), edges(&[3, 2])]), 1);
        // All of a file may begin another.
        assert_eq!(equal_lines(&[edges(&[1, 2, 3]), edges(&[1, 2])]), 2);
        assert_eq!(equal_lines(&[edges(&[1, 2, 3]), edges(&[1, 4])]), 0);
        assert_eq!(equal_lines(&[edges(&[1, 2, 3])]), 0);
    }

    #[test]
    fn copies_are_told_from_overlaps() {
        let (different, copies) =
            without_copies(vec![edges(&[1, 2, 3]), edges(&[3, 4]), edges(&[1, 2, 3]), edges(&[]), edges(&[])]);
        assert_eq!((different.len(), copies, equal_lines(&different)), (4, 1, 1));
    }

    #[test]
    fn blocks_are_one_file() {
        let all: Vec<u64> = (0..5000).collect();
        let mut joined = Edges::default();
        all.chunks(700).for_each(|part| joined.absorb(edges(part)));
        let whole = edges(&all);
        assert_eq!((joined.lines, joined.sum), (whole.lines, whole.sum));
        assert_eq!((joined.first, joined.last), (whole.first, whole.last));
    }
}
