//! Page units: which assets a page pulls, and which steps from page to page are made, learned from the log.
//!
//! # Idea
//! A page pulls an asset if at least 3 visitors asked for it within 5 seconds after the page, before any other page. A step is two pages one
//! after the other inside a session; those that fewer than m visitors make are not known. Both are about texts as they may be published.
//!
//! # Cost
//! O(lines).

use std::collections::HashMap;

use super::patterns::Patterns;
use crate::data::Visits;
use crate::data::queries::MISSING;
use crate::data::visits::Part;

/// Within so many milliseconds after a page.
const SOON: i64 = 5_000;
/// So many visitors pull an asset with a page, at least.
const PULLED_BY: u32 = 3;

/// What was learned.
#[derive(Debug)]
pub(super) struct Units {
    /// For each text, as a page, the assets that it pulls, in rising order.
    pulls: Vec<Vec<u32>>,
    /// For each step what is owed of it.
    steps: HashMap<(u32, u32), i64>,
    /// The pauses between a page and its assets, and between pages, in milliseconds, in rising order.
    delays: Vec<i64>,
    pauses: Vec<i64>,
}

/// How often something was seen, by how many visitors, and by whom last.
#[derive(Clone, Copy)]
struct Seen {
    visitors: u32,
    last: u32,
}

impl Units {
    pub(super) fn of(visits: &Visits, patterns: &Patterns, min_persons: usize) -> Self {
        let mut pulled: HashMap<(u32, u32), Seen> = HashMap::new();
        let mut stepped: HashMap<(u32, u32), Seen> = HashMap::new();
        let (mut order, mut ways) = (Vec::new(), Vec::new());
        let (mut delays, mut pauses) = (Vec::new(), Vec::new());
        let sight =
            |all: &mut HashMap<(u32, u32), Seen>, pair: (u32, u32), person: usize, new: &mut Vec<(u32, u32)>| {
                let seen = all.entry(pair).or_insert_with(|| {
                    new.push(pair);
                    Seen { visitors: 0, last: MISSING }
                });
                if seen.last != person as u32 {
                    *seen = Seen { visitors: seen.visitors + 1, last: person as u32 };
                }
            };
        for person in 0..visits.persons() {
            let mut page: Option<(u32, i64, u32)> = None;
            for row in visits.range(person) {
                let text = patterns.published(visits.column(Part::Path)[row]);
                let (time, session) = (visits.time(row), visits.session(row));
                if text == MISSING {
                    continue;
                }
                let before = page.filter(|&(_, _, own)| own == session);
                if patterns.is_asset(text) {
                    if let Some((from, since, _)) = before.filter(|&(_, since, _)| time - since <= SOON) {
                        sight(&mut pulled, (from, text), person, &mut order);
                        delays.push(time - since);
                    }
                    continue;
                }
                if let Some((from, since, _)) = before {
                    sight(&mut stepped, (from, text), person, &mut ways);
                    pauses.push(time - since);
                }
                page = Some((text, time, session));
            }
        }
        let mut pulls: Vec<Vec<u32>> = vec![Vec::new(); patterns.texts().len()];
        for pair in order.iter().filter(|pair| pulled[pair].visitors >= PULLED_BY) {
            pulls[pair.0 as usize].push(pair.1);
        }
        pulls.iter_mut().for_each(|assets| assets.sort_unstable());
        let steps = ways.into_iter().filter(|pair| stepped[pair].visitors as usize >= min_persons);
        delays.sort_unstable();
        pauses.sort_unstable();
        Self { pulls, steps: steps.map(|pair| (pair, 0)).collect(), delays, pauses }
    }

    /// Whether a page pulls an asset.
    pub(super) fn pulls(&self, page: u32, asset: u32) -> bool {
        page != MISSING && self.pulls[page as usize].binary_search(&asset).is_ok()
    }

    /// A step was made in the original, or so often in the release.
    pub(super) fn owe(&mut self, step: (u32, u32), count: i64) {
        if let Some(owed) = self.steps.get_mut(&step) {
            *owed += count;
        }
    }

    /// What is owed of a step; `None` of one that is not known.
    pub(super) fn owed(&self, step: (u32, u32)) -> Option<i64> {
        self.steps.get(&step).copied()
    }

    /// A quantile of the pauses between a page and its assets.
    pub(super) fn delay(&self, share: f64) -> i64 {
        quantile(&self.delays, share).unwrap_or(1000)
    }

    /// A quantile of the pauses between pages.
    pub(super) fn pause(&self, share: f64) -> i64 {
        quantile(&self.pauses, share).unwrap_or(30_000)
    }
}

/// A quantile of numbers in rising order.
fn quantile(sorted: &[i64], share: f64) -> Option<i64> {
    sorted.get(((sorted.len() as f64 * share) as usize).min(sorted.len().checked_sub(1)?)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::VisitsBuilder;
    use crate::data::visits::Visit;

    #[test]
    fn pages_pull_assets_by_hand() {
        let mut builder = VisitsBuilder::new();
        for who in 0..3 {
            // The third visitor waits too long for the picture.
            let picture = if who == 2 { 9 } else { 2 };
            for (second, path) in [(0, "/a"), (1, "/s.css"), (picture, "/p.png"), (20, "/b"), (40, "/a")] {
                let mut visit = Visit { time: second * 1000, ..Visit::default() };
                visit.texts[Part::Path as usize] = Some(path);
                builder.push(&who.to_string(), &visit, 1);
            }
        }
        let visits = builder.finish().0;
        let patterns = Patterns::of(&visits, 1);
        let units = Units::of(&visits, &patterns, 3);
        let text = |path: &str| patterns.texts().iter().position(|own| own == path).unwrap() as u32;
        let [a, b, css, png] = ["/a", "/b", "/s.css", "/p.png"].map(text);
        assert!(units.pulls(a, css) && !units.pulls(a, png) && !units.pulls(b, css));
        assert_eq!((units.owed((a, b)), units.owed((b, a)), units.owed((b, b))), (Some(0), Some(0), None));
        assert_eq!((units.pause(0.5), units.delay(0.0)), (20_000, 1000));
    }
}
