//! The way through the lattice: column by column, without what cannot be better or cannot be allowed.

use std::borrow::Cow;

use rayon::prelude::*;

use super::super::quality::Quality;
use super::lattice::{Groups, Lattice, Node, better};
use crate::progress::Progress;

/// What was found.
pub(super) struct Found {
    pub(super) best: Option<Node>,
    pub(super) looked_at: u64,
    /// Whether nodes were left out because there were too many.
    pub(super) is_cut: bool,
}

/// What somebody looks for in a lattice.
trait Seeker {
    /// The most rows that may be left out.
    fn limit(&self) -> u64;
    /// Whether nothing at or above these levels, which have these groups, can be better.
    fn is_hopeless(&self, lattice: &Lattice<'_>, levels: &[usize], groups: Option<&Groups>) -> bool;
    fn look(&mut self, lattice: &Lattice<'_>, groups: &Groups, levels: &[usize]);
}

/// Looks for the best node.
struct Best {
    quality: Quality,
    limit: u64,
    best: Option<Node>,
}

impl Seeker for Best {
    fn limit(&self) -> u64 {
        self.limit
    }

    fn is_hopeless(&self, lattice: &Lattice<'_>, levels: &[usize], groups: Option<&Groups>) -> bool {
        let by_groups = groups.map_or(0.0, |groups| lattice.least(groups, self.quality));
        let least = self.quality.least(&lattice.columns, levels).max(by_groups);
        // Sums in another order may differ in their last digits.
        self.best.as_ref().is_some_and(|best| least > best.value + best.value.abs() * 1e-12)
    }

    fn look(&mut self, lattice: &Lattice<'_>, groups: &Groups, levels: &[usize]) {
        self.best = better(self.best.take(), lattice.look(groups, levels, self.quality, self.limit));
    }
}

/// Looks for the node that leaves out fewest rows.
#[derive(Default)]
struct Fewest(Option<u64>);

impl Seeker for Fewest {
    fn limit(&self) -> u64 {
        self.0.map_or(u64::MAX, |fewest| fewest.saturating_sub(1))
    }

    fn is_hopeless(&self, _lattice: &Lattice<'_>, _levels: &[usize], _groups: Option<&Groups>) -> bool {
        self.0 == Some(0)
    }

    fn look(&mut self, lattice: &Lattice<'_>, groups: &Groups, levels: &[usize]) {
        let judged = lattice.is_allowed(levels).then(|| lattice.judged(groups, self.limit())).flatten();
        if let Some((_, suppressed)) = judged {
            self.0 = Some(suppressed);
        }
    }
}

/// So many nodes are looked at, at most, to say what would be allowed.
const MOST_TO_EXPLAIN: u64 = 50_000;

impl Lattice<'_> {
    /// The best node; of as many as may be looked at.
    pub(super) fn best(&self, quality: Quality, limit: u64, most: u64, progress: &dyn Progress) -> Found {
        let (first, looked_at) = self.first(quality, limit, most);
        let order = self.order();
        let walk = |left: u64| Walk { lattice: self, order: &order, looked_at: 0, left, is_cut: false, progress };
        let seeker = || Best { quality, limit, best: first.clone() };
        if most < u64::MAX {
            // What is looked at within a limit must not depend on threads.
            let (mut walk, mut seeker) = (walk(most.saturating_sub(looked_at)), seeker());
            walk.from(0, &mut vec![0; order.len()], &self.groups(&vec![0; order.len()]), &mut seeker);
            progress.advance(self.nodes);
            return Found { best: seeker.best, looked_at: looked_at + walk.looked_at, is_cut: walk.is_cut };
        }
        // The levels of the first two columns cut the work, whatever the number of threads.
        let outer = order.len().min(2);
        let mut starts: Vec<Vec<usize>> = vec![Vec::new()];
        for &at in &order[..outer] {
            starts = starts
                .into_iter()
                .flat_map(|levels| (0..=self.height(at)).map(move |level| [levels.clone(), vec![level]].concat()))
                .collect();
        }
        let each = self.nodes / starts.len() as u64;
        let work = |start: &Vec<usize>| {
            let mut levels = vec![0; order.len()];
            order.iter().zip(start).for_each(|(&at, &level)| levels[at] = level);
            let (mut walk, mut seeker) = (walk(u64::MAX), seeker());
            if !seeker.is_hopeless(self, &levels, None) {
                let groups = self.groups(&levels);
                if !self.is_too_fine(&groups, &order[..outer], limit) {
                    walk.from(outer, &mut levels, &groups, &mut seeker);
                }
            }
            progress.advance(each);
            (seeker.best, walk.looked_at)
        };
        let (best, looked) =
            starts.par_iter().map(work).reduce(|| (None, 0), |one, other| (better(one.0, other.0), one.1 + other.1));
        Found { best: better(first.clone(), best), looked_at: looked_at + looked, is_cut: false }
    }

    /// Something allowed, found by going down from the top, each time by the best step; and how many nodes were looked at.
    fn first(&self, quality: Quality, limit: u64, most: u64) -> (Option<Node>, u64) {
        let top: Vec<usize> = (0..self.columns.len()).map(|at| self.height(at)).collect();
        let mut looked_at = 1;
        let Some(mut best) = self.look(&self.groups(&top), &top, quality, limit) else { return (None, looked_at) };
        loop {
            let steps: Vec<usize> = (0..top.len()).filter(|&at| best.levels[at] > 0).collect();
            if looked_at + steps.len() as u64 > most {
                return (Some(best), looked_at);
            }
            looked_at += steps.len() as u64;
            let below = steps.into_par_iter().map(|at| {
                let mut levels = best.levels.clone();
                levels[at] -= 1;
                self.look(&self.groups(&levels), &levels, quality, limit)
            });
            match below.reduce(|| None, better) {
                Some(found) if found.is_better(&best) => best = found,
                _ => return (Some(best), looked_at),
            }
        }
    }

    /// The fewest rows that some node leaves out, of those that leave some; of a large lattice, of its first nodes.
    pub(super) fn fewest_suppressed(&self, progress: &dyn Progress) -> Option<u64> {
        let order = self.order();
        let mut walk =
            Walk { lattice: self, order: &order, looked_at: 0, left: MOST_TO_EXPLAIN, is_cut: false, progress };
        let mut fewest = Fewest::default();
        let top: Vec<usize> = (0..order.len()).map(|at| self.height(at)).collect();
        fewest.look(self, &self.groups(&top), &top);
        walk.from(0, &mut vec![0; order.len()], &self.groups(&vec![0; order.len()]), &mut fewest);
        fewest.0
    }
}

/// One way through a part of the lattice.
struct Walk<'a> {
    lattice: &'a Lattice<'a>,
    order: &'a [usize],
    looked_at: u64,
    /// How many nodes may still be looked at.
    left: u64,
    is_cut: bool,
    progress: &'a dyn Progress,
}

impl Walk<'_> {
    /// Goes through all nodes with the levels of the columns that come before.
    fn from(&mut self, depth: usize, levels: &mut Vec<usize>, groups: &Groups, seeker: &mut impl Seeker) {
        let Some(&at) = self.order.get(depth) else {
            if self.left == 0 {
                self.is_cut = true;
                return;
            }
            self.left -= 1;
            self.looked_at += 1;
            return seeker.look(self.lattice, groups, levels);
        };
        let mut groups = Cow::Borrowed(groups);
        for level in 0..=self.lattice.height(at) {
            if self.is_cut || self.progress.is_stopped() {
                break;
            }
            levels[at] = level;
            if level > 0 {
                groups = Cow::Owned(self.lattice.rolled(&groups, at, level - 1));
            }
            if seeker.is_hopeless(self.lattice, levels, Some(&groups)) {
                break;
            }
            // Of the last column the look itself says so.
            let is_last = depth + 1 == self.order.len();
            if !is_last && self.lattice.is_too_fine(&groups, &self.order[..=depth], seeker.limit()) {
                continue;
            }
            self.from(depth + 1, levels, &groups, seeker);
        }
        levels[at] = 0;
    }
}
