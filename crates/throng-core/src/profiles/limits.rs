//! How far a person may be from their profile before it is an alarm: as far as their own earlier windows were, but for a share of false
//! alarms.
//!
//! # Idea
//! 1. The lines of a person are cut into windows of 20, 40, 80, … lines, one after the other; each window is compared with the other lines of
//!    the same person. Few lines are farther from a profile than many, so windows of one length have a list of their own.
//! 2. A later window is held against the longest windows that are not longer than it is.
//! 3. With too few windows of their own a person is held against those of everybody.
//!
//! # Formula
//! Of n distances in rising order the limit is that with the number ⌈(n + 1)(1 − share)⌉: one more of the same kind is beyond it with at most
//! that chance. With n < 1/share − 1 there is none.
//!
//! # Cost
//! Each line is counted once for each length.

use super::lines::LineWords;
use super::{Distance, LEAST_LINES, Profile};

/// The share of false alarms, where nobody says otherwise.
pub const FALSE_ALARMS: f64 = 0.05;
/// The band of tolerance, where nobody says otherwise.
pub const TOLERANCE: f64 = 0.1;

/// For windows of 20, 40, 80, … lines how far each was from the other lines of the same person.
pub type Windows = Vec<Vec<f64>>;

/// The windows of a person; only those beside which there are as many other lines.
pub fn windows(words: &LineWords, person: usize, topic_of: &(dyn Fn(u32) -> u32 + Sync)) -> Windows {
    let lines = words.lines(person);
    let all = words.counts(person, 0..lines, topic_of);
    let mut windows = Vec::new();
    let mut size = LEAST_LINES;
    while 2 * size <= lines {
        let mut own = Vec::new();
        for start in (0..=lines - size).step_by(size) {
            let counts = words.counts(person, start..start + size, topic_of);
            let others = without(&all, &counts);
            if let (Some(window), Some(others)) = (Profile::of(&counts), Profile::of(&others)) {
                own.push(Distance::Jsd.of(&window, &others));
            }
        }
        windows.push(own);
        size *= 2;
    }
    windows
}

/// Occurrences without some of them.
fn without(all: &[(u32, u64)], some: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut some = some.iter().peekable();
    let left = |&(topic, count): &(u32, u64)| {
        let taken = some.next_if(|&&(other, _)| other == topic).map_or(0, |&(_, count)| count);
        (topic, count - taken)
    };
    all.iter().map(left).collect()
}

/// The list of windows that so many lines are held against: the longest that are not longer.
pub fn length_of(lines: usize) -> usize {
    (lines / LEAST_LINES).max(1).ilog2() as usize
}

/// Whose windows a limit comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The person's own.
    Own,
    /// Everybody's.
    Everybodys,
}

/// Limits of persons, of whom everybody's windows are known.
#[derive(Debug, Clone)]
pub struct Limits {
    everybodys: Windows,
    false_alarms: f64,
}

impl Limits {
    /// With at most so many false alarms.
    pub fn new<'a>(all: impl IntoIterator<Item = &'a Windows>, false_alarms: f64) -> Self {
        let mut everybodys: Windows = Vec::new();
        for own in all {
            everybodys.resize(everybodys.len().max(own.len()), Vec::new());
            everybodys.iter_mut().zip(own).for_each(|(all, own)| all.extend(own));
        }
        everybodys.iter_mut().for_each(|all| all.sort_by(f64::total_cmp));
        Self { everybodys, false_alarms }
    }

    /// How far so many lines of a person with these windows may be; nothing if too few windows are known of anybody.
    pub fn of(&self, own: &Windows, lines: usize) -> Option<(f64, Whose)> {
        (0..=length_of(lines)).rev().find_map(|length| {
            let of_own = own.get(length).and_then(|own| {
                let mut own = own.clone();
                own.sort_by(f64::total_cmp);
                self.quantile(&own)
            });
            let of_all = || self.everybodys.get(length).and_then(|all| self.quantile(all));
            of_own.map(|limit| (limit, Whose::Own)).or_else(|| of_all().map(|limit| (limit, Whose::Everybodys)))
        })
    }

    fn quantile(&self, sorted: &[f64]) -> Option<f64> {
        // What is a last digit above a whole number is that number.
        let number = ((sorted.len() + 1) as f64 * (1.0 - self.false_alarms) - 1e-9).ceil() as usize;
        sorted.get(number.max(1) - 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::QueryLogBuilder;
    use crate::profiles::lines::Pages;

    #[test]
    fn limits_by_hand() {
        let nineteen: Vec<f64> = (1..=19).map(|at| f64::from(at) / 100.0).collect();
        let limits = Limits::new([&vec![nineteen.clone()]], 0.05);
        // ⌈20 · .95⌉ = 19: the greatest of 19.
        assert_eq!(limits.of(&vec![nineteen.clone()], 20), Some((0.19, Whose::Own)));
        assert_eq!(limits.of(&vec![nineteen[1..].to_vec()], 20), Some((0.19, Whose::Everybodys)));
        assert_eq!(limits.of(&Vec::new(), 500), Some((0.19, Whose::Everybodys)));
        let some = Limits::new([&vec![nineteen[1..].to_vec()]], 0.05);
        assert_eq!(some.of(&Vec::new(), 20), None);
        // ⌈20 · .5⌉ = 10.
        assert_eq!(Limits::new([&vec![nineteen]], 0.5).of(&Vec::new(), 20), Some((0.1, Whose::Everybodys)));
        assert_eq!([20, 39, 40, 79, 80, 160].map(length_of), [0, 0, 1, 1, 2, 3]);
    }

    #[test]
    fn windows_by_hand() {
        let mut builder = QueryLogBuilder::new();
        for line in 0..45 {
            builder.push("1", if line < 20 { "ant" } else { "bee" }, line * 1000, None, None);
        }
        let words = LineWords::of(&builder.finish(), &Pages::new());
        // 20 of ant beside 25 of bee: 1. 20 of bee beside 20 of ant and 5 of bee: (1/5, 4/5) and (1, 0).
        let found = windows(&words, 0, &|word| word);
        let shared = Distance::Jsd.of(&Profile::of(&[(0, 4), (1, 1)]).unwrap(), &Profile::of(&[(1, 1)]).unwrap());
        assert_eq!(found, [vec![1.0, shared]]);
    }
}
