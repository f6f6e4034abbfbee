//! The sketch of a searcher: a few numbers that are near where the user distance is small.
//!
//! The distance of two persons is ruled by what the most unusual line of one lacks in the other: a person of many lines has
//! unusual ones and misses few; the first and last line have nothing near them in a person of other days; a click is far from
//! persons who never click. So a sketch holds the number of lines, the span of time, and the extremes of the other attributes.
//! Words are not in it: on real logs a cut by activity and time beats every cut by words.

use super::user_distance::Scales;
use crate::data::QueryLog;
use crate::text::words;

/// How many numbers a sketch has.
pub const SKETCH: usize = 7;

/// What each number weighs.
const WEIGHTS: [f64; SKETCH] = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

impl Scales {
    /// The sketch of a person of the log that the scales are of.
    pub fn sketch(&self, log: &QueryLog, person: usize) -> [f32; SKETCH] {
        let lines = log.range(person).len();
        let (mut first, mut last, mut rank, mut terms) = (i64::MAX, i64::MIN, 0.0f64, 0.0f64);
        let mut clicks = 0usize;
        for line in log.lines(person) {
            first = first.min(line.time);
            last = last.max(line.time);
            if let Some(own) = line.rank {
                rank = rank.max(self.rank.norm(i64::from(own)));
            }
            clicks += usize::from(line.url.is_some());
            terms = terms.max(self.terms.norm(words(log.queries().get(line.query)).count() as i64));
        }
        if lines == 0 {
            return [0.0; SKETCH];
        }
        let numbers = [
            (lines as f64).ln(),
            self.time.norm(first),
            self.time.norm(last),
            f64::from(u8::from(clicks > 0)),
            f64::from(u8::from(clicks < lines)),
            rank,
            terms,
        ];
        std::array::from_fn(|at| (WEIGHTS[at] * numbers[at]) as f32)
    }
}
