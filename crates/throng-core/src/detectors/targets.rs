//! Targets: an item to which suspects give the end of the scale far more often than chance.
//!
//! Idea       ours. Whoever is made up for an item gave it the end of the scale. Nobody says who is made up: the most suspect 2, 5,
//!            10 and 20 % are tried, and every item. Only a chance that is tiny beside the number of items is believed.
//!
//! # Formula
//! Among S suspects, x gave item i the end of the scale, which t(i) of all N persons gave. Two chances of x or more must both be below
//! 1e-8 / items: that of S draws with t(i) / N, and that of draws in which each suspect spends as many ends as they have, on items in
//! proportion to t (Chernoff's bound). Of those suspects who rated the item, so many must not have given it the end by chance
//! either, as others rate it.
//!
//! # Cost
//! Time O(ratings) for each order of suspects.

use super::FoundTarget;
use super::robust::{chance_of_hits, chance_of_sum};
use super::seen::Seen;
use crate::data::ratings::Ratings;
use crate::shilling::Direction;

/// Which shares of persons are looked at as suspects.
const SHARES: [f64; 4] = [0.02, 0.05, 0.1, 0.2];
/// How many suspects there are, at least.
const SUSPECTS: usize = 20;
/// A target is believed if it is less likely than this, divided by the number of items.
const CHANCE: f64 = 1e-8;

/// Suspects in an order.
pub struct Order {
    /// How suspect each person is; not at all at 0 and below.
    pub scores: Vec<f64>,
    /// How unlikely it must be that so many of those who rated the target gave it the end, as others rate it.
    pub among_raters: f64,
}

/// The least likely target of some orders of suspects, if any is believed; persons who are out are not looked at.
pub fn least_likely(ratings: &Ratings, orders: &[Order], is_out: &[bool]) -> Option<FoundTarget> {
    let seen = Seen::of(ratings);
    let mut best: Option<FoundTarget> = None;
    for direction in [Direction::Push, Direction::Nuke] {
        let ends = Ends::of(ratings, seen, direction, is_out);
        for order in orders {
            for suspects in groups(order, is_out) {
                if let Some(found) = ends.least_likely(ratings, &suspects, order.among_raters)
                    && best.is_none_or(|best| found.chance < best.chance)
                {
                    best = Some(found);
                }
            }
        }
    }
    best
}

/// The most suspect, by their shares; those with equal scores are all in.
fn groups(order: &Order, is_out: &[bool]) -> Vec<Vec<u32>> {
    let mut suspects: Vec<u32> = (0..order.scores.len() as u32)
        .filter(|&person| !is_out[person as usize] && order.scores[person as usize] > 0.0)
        .collect();
    suspects.sort_by(|&left, &right| {
        order.scores[right as usize].total_cmp(&order.scores[left as usize]).then(left.cmp(&right))
    });
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for share in SHARES {
        let size = SUSPECTS.max((share * order.scores.len() as f64).round() as usize).min(suspects.len());
        let Some(&last) = size.checked_sub(1).and_then(|last| suspects.get(last)) else { break };
        let limit = order.scores[last as usize];
        let group: Vec<u32> =
            suspects.iter().copied().take_while(|&person| order.scores[person as usize] >= limit).collect();
        if groups.last().is_none_or(|before| before.len() < group.len()) {
            groups.push(group);
        }
    }
    groups
}

/// Who gives what the end of the scale.
struct Ends {
    seen: Seen,
    direction: Direction,
    persons: f64,
    /// For each item how many gave it the end, and how many rated it.
    of_items: Vec<(usize, usize)>,
    /// For each person how many ends they gave.
    of_persons: Vec<usize>,
    all: usize,
}

impl Ends {
    fn of(ratings: &Ratings, seen: Seen, direction: Direction, is_out: &[bool]) -> Self {
        let mut of_items = vec![(0, 0); ratings.items()];
        let mut of_persons = vec![0; ratings.persons()];
        let mut all = 0;
        for person in (0..ratings.persons()).filter(|&person| !is_out[person]) {
            for (item, value) in ratings.of_person(person as u32) {
                let is_end = seen.is_end(value, direction == Direction::Push);
                of_items[item as usize].0 += usize::from(is_end);
                of_items[item as usize].1 += 1;
                of_persons[person] += usize::from(is_end);
                all += usize::from(is_end);
            }
        }
        let persons = is_out.iter().filter(|&&is_out| !is_out).count() as f64;
        Self { seen, direction, persons, of_items, of_persons, all }
    }

    fn least_likely(&self, ratings: &Ratings, suspects: &[u32], among_raters: f64) -> Option<FoundTarget> {
        let mut counts = vec![(0usize, 0usize); ratings.items()];
        let mut spent = 0;
        for &person in suspects {
            spent += self.of_persons[person as usize];
            for (item, value) in ratings.of_person(person) {
                let is_end = self.seen.is_end(value, self.direction == Direction::Push);
                counts[item as usize].0 += usize::from(is_end);
                counts[item as usize].1 += 1;
            }
        }
        let limit = (CHANCE / ratings.items() as f64).ln();
        let mut best: Option<FoundTarget> = None;
        for (item, &(hits, raters)) in (0..).zip(&counts) {
            let (ends, all_raters) = self.of_items[item as usize];
            let rate = ends as f64 / self.persons;
            if hits as f64 <= rate * suspects.len() as f64 || hits < 3 {
                continue;
            }
            let expected = spent as f64 * ends as f64 / self.all.max(1) as f64;
            let by_spending = chance_of_sum(hits as f64, expected, suspects.len() as f64);
            if by_spending > limit {
                continue;
            }
            let others = (ends - hits + 1) as f64 / (all_raters - raters + 2) as f64;
            if chance_of_hits(hits, raters, others) > among_raters.ln() {
                continue;
            }
            let chance = chance_of_hits(hits, suspects.len(), rate).max(by_spending);
            if chance < limit && best.is_none_or(|best| chance < best.chance) {
                best = Some(FoundTarget { item, direction: self.direction, chance });
            }
        }
        best
    }
}
