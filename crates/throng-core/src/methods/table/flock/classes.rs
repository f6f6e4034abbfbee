//! Classes while they join, move and dissolve.

use rayon::prelude::*;

use super::super::Bound;
use super::spans::{Blocks, Hull};
use crate::progress::Progress;

/// A class while it grows.
#[derive(Debug, Clone)]
pub(super) struct Class {
    pub(super) blocks: Vec<u32>,
    rows: u32,
    hull: Hull,
    /// The penalty of the hull.
    open: f64,
    is_fine: bool,
}

impl Class {
    fn cost(&self) -> f64 {
        f64::from(self.rows) * self.open
    }
}

/// A join: what it costs for each row of the smaller class, what in all, and the classes.
type Offer = (f64, f64, u32, u32);

pub(super) struct Flocking<'a> {
    blocks: &'a Blocks,
    bound: &'a Bound<'a>,
    /// How many neighbours are looked at on each side in an order.
    neighbours: usize,
    /// Classes by their numbers; nothing for one that joined another, or was left out.
    classes: Vec<Option<Class>>,
    /// For each block its class.
    class_of: Vec<u32>,
    /// How many rows may still be left out.
    spare: u32,
    /// For each order the blocks in it, and for each block its place.
    orders: Orders,
}

/// With fewer classes in need, all classes are candidates.
const FEW: usize = 400;
/// So many of the cheapest joins are tried where a join may break what was asked.
const TRIES: usize = 6;
/// A class is dissolved on trial if its blocks cost at most so much elsewhere, each for itself, by what it costs.
const SLACK: f64 = 1.2;
/// What is no more than this is the last digit of a sum.
const NOTHING: f64 = 1e-9;

impl<'a> Flocking<'a> {
    /// Every block is a class.
    pub(super) fn new(blocks: &'a Blocks, bound: &'a Bound<'a>, neighbours: usize, spare: u32) -> Self {
        Self::of(blocks, bound, neighbours, spare, (0..blocks.len() as u32).map(|block| vec![block]).collect())
    }

    /// These classes.
    pub(super) fn of(
        blocks: &'a Blocks,
        bound: &'a Bound<'a>,
        neighbours: usize,
        spare: u32,
        classes: Vec<Vec<u32>>,
    ) -> Self {
        let mut class_of = vec![0; blocks.len()];
        (0u32..).zip(&classes).for_each(|(class, own)| own.iter().for_each(|&block| class_of[block as usize] = class));
        let mut flocking = Self { blocks, bound, neighbours, classes: Vec::new(), class_of, spare, orders: Vec::new() };
        flocking.classes = classes.into_par_iter().map(|own| Some(flocking.made(own))).collect();
        flocking
    }

    fn made(&self, blocks: Vec<u32>) -> Class {
        let hull = self.blocks.hull(&blocks);
        let rows = blocks.iter().map(|&block| self.blocks.size(block)).sum();
        let is_fine = self.is_fine(&blocks, rows);
        Class { open: self.blocks.open(&hull), blocks, rows, hull, is_fine }
    }

    fn is_fine(&self, blocks: &[u32], rows: u32) -> bool {
        rows as usize >= self.bound.k
            && (!(self.bound.asks_more() || self.bound.counts_persons())
                || self.bound.holds(&self.blocks.rows_of(blocks), &mut Vec::new()))
    }

    /// The classes as blocks; those that are not as they must be are none.
    pub(super) fn finish(self) -> Vec<Vec<u32>> {
        self.classes.into_iter().flatten().filter(|class| class.is_fine).map(|class| class.blocks).collect()
    }

    /// What all classes leave open, and rows that were left out.
    pub(super) fn cost(&self) -> f64 {
        let kept: Vec<&Class> = self.classes.iter().flatten().collect();
        let rows: u64 = kept.iter().map(|class| u64::from(class.rows)).sum();
        let lost = self.blocks.equal.rows.len() as u64 - rows;
        kept.iter().map(|class| class.cost()).sum::<f64>() + lost as f64 * self.blocks.nothing_said
    }

    /// Rows of classes that are not as they must be.
    pub(super) fn stranded(&self) -> u64 {
        self.classes.iter().flatten().filter(|class| !class.is_fine).map(|class| u64::from(class.rows)).sum()
    }

    fn live(&self) -> Vec<u32> {
        (0..self.classes.len() as u32).filter(|&class| self.classes[class as usize].is_some()).collect()
    }

    /// Joins classes until all satisfy what is asked, or what does not is left out.
    pub(super) fn join_all(&mut self, progress: &dyn Progress) {
        loop {
            let live = self.live();
            let is_needy = |&class: &u32| self.classes[class as usize].as_ref().is_some_and(|own| !own.is_fine);
            let needy: Vec<u32> = live.iter().copied().filter(is_needy).collect();
            if needy.is_empty() || progress.is_stopped() {
                return;
            }
            if live.len() < 2 {
                self.leave_out(needy[0]);
                return;
            }
            let offers: Vec<(u32, Option<Offer>)> = if needy.len() < FEW {
                needy.par_iter().map(|&class| (class, self.offer(class, &live))).collect()
            } else {
                let hulls: Vec<Option<&Hull>> =
                    self.classes.iter().map(|own| own.as_ref().map(|own| &own.hull)).collect();
                let nowhere = &self.blocks.hulls[0];
                let orders =
                    in_orders(self.blocks, &live, self.classes.len(), |class| hulls[class as usize].unwrap_or(nowhere));
                let near = |class: u32| around(&orders, class, self.neighbours);
                needy.par_iter().map(|&class| (class, self.offer(class, &near(class)))).collect()
            };
            self.make(offers);
        }
    }

    /// The cheapest join of a class with one of some others that does not make a fine class worse than fine.
    fn offer(&self, class: u32, others: &[u32]) -> Option<Offer> {
        let own = self.classes[class as usize].as_ref()?;
        let growth = |other: u32| {
            let candidate = self.classes[other as usize].as_ref()?;
            let together = self.blocks.open_together(&own.hull, &candidate.hull);
            let more = f64::from(own.rows + candidate.rows) * together - own.cost() - candidate.cost();
            Some((more / f64::from(own.rows.min(candidate.rows)), more, class, other))
        };
        let is_less = |one: &Offer, other: &Offer| one.0.total_cmp(&other.0).then(one.3.cmp(&other.3)).is_lt();
        let others = others.iter().copied().filter(|&other| other != class).filter_map(growth);
        if !self.bound.asks_more() {
            return others.reduce(|best, found| if is_less(&found, &best) { found } else { best });
        }
        let mut all: Vec<Offer> = others.collect();
        all.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.3.cmp(&other.3)));
        all.dedup_by_key(|offer| offer.3);
        let breaks = |offer: &&Offer| {
            let Some(candidate) = &self.classes[offer.3 as usize] else { return true };
            candidate.is_fine
                && !self.is_fine(&[own.blocks.as_slice(), &candidate.blocks].concat(), own.rows + candidate.rows)
        };
        let first = all.first().copied();
        all.iter().take(TRIES).find(|offer| !breaks(offer)).copied().or_else(|| {
            // It breaks another class: rather than that, it is left out, if that is allowed.
            first.map(|(each, _, class, other)| (each, f64::INFINITY, class, other))
        })
    }

    /// Makes the cheapest third of some joins, each class in one; leaves out classes whose rows cost more than they are worth.
    fn make(&mut self, offers: Vec<(u32, Option<Offer>)>) {
        let width = self.blocks.nothing_said;
        let mut joins: Vec<Offer> = Vec::with_capacity(offers.len());
        for (class, offer) in offers {
            let rows = self.classes[class as usize].as_ref().map_or(0, |own| own.rows);
            match offer {
                Some(offer) if !self.bound.asks_more() || offer.1 < f64::from(rows) * width => joins.push(offer),
                Some(offer) if rows > self.spare => joins.push(offer),
                _ => self.leave_out(class),
            }
        }
        joins
            .sort_unstable_by(|left, right| left.0.total_cmp(&right.0).then((left.2, left.3).cmp(&(right.2, right.3))));
        let most = joins.len().div_ceil(3);
        let mut is_taken = vec![false; self.classes.len()];
        let mut pairs = Vec::new();
        for (.., one, other) in joins {
            let are_there = self.classes[one as usize].is_some() && self.classes[other as usize].is_some();
            if pairs.len() < most && are_there && !is_taken[one as usize] && !is_taken[other as usize] {
                (is_taken[one as usize], is_taken[other as usize]) = (true, true);
                pairs.push((one.min(other), one.max(other)));
            }
        }
        for (keeps, goes) in pairs {
            let (Some(mut own), Some(other)) =
                (self.classes[keeps as usize].take(), self.classes[goes as usize].take())
            else {
                continue;
            };
            other.blocks.iter().for_each(|&block| self.class_of[block as usize] = keeps);
            own.blocks.extend(other.blocks);
            own.rows += other.rows;
            self.blocks.join(&mut own.hull, &other.hull);
            own.open = self.blocks.open(&own.hull);
            own.is_fine = self.is_fine(&own.blocks, own.rows);
            self.classes[keeps as usize] = Some(own);
        }
    }

    /// Leaves a class out if that is still allowed.
    fn leave_out(&mut self, class: u32) {
        let rows = self.classes[class as usize].as_ref().map_or(0, |own| own.rows);
        if rows <= self.spare {
            self.spare -= rows;
            self.classes[class as usize] = None;
        }
    }

    /// One pass of moves and dissolving. Whether anything changed.
    pub(super) fn move_blocks(&mut self, progress: &dyn Progress) -> bool {
        if self.orders.is_empty() {
            let all: Vec<u32> = (0..self.blocks.len() as u32).collect();
            self.orders = in_orders(self.blocks, &all, all.len(), |block| &self.blocks.hulls[block as usize]);
        }
        let mut met = (vec![0u32; self.classes.len()], 0u32);
        let mut near = Vec::new();
        let mut has_changed = false;
        for number in self.live() {
            if progress.is_stopped() {
                return has_changed;
            }
            let Some(class) = self.classes[number as usize].clone() else { continue };
            // What each block costs in the class that it fits best.
            let mut best: Vec<Option<(f64, u32)>> = Vec::with_capacity(class.blocks.len());
            for &block in &class.blocks {
                self.near_classes(block, number, &mut met, &mut near);
                best.push(self.cheapest(block, &near));
            }
            // Blocks that go to one class together cost no more than each for itself, and are counted as if they did.
            let elsewhere: f64 = best.iter().map(|best| best.map_or(f64::INFINITY, |(cost, _)| cost)).sum();
            if elsewhere < class.cost() * SLACK && self.try_to_dissolve(number, &best) {
                has_changed = true;
                continue;
            }
            for (&block, best) in class.blocks.iter().zip(&best) {
                has_changed |= best.is_some_and(|(_, to)| self.try_to_move(number, block, to));
            }
        }
        has_changed
    }

    /// The classes of blocks near a block in the orders, each once, without its own.
    fn near_classes(&self, block: u32, own: u32, met: &mut (Vec<u32>, u32), near: &mut Vec<u32>) {
        near.clear();
        let (met, look) = met;
        *look += 1;
        met[own as usize] = *look;
        for (order, places) in &self.orders {
            let at = places[block as usize] as usize;
            for &other in &order[at.saturating_sub(self.neighbours)..(at + self.neighbours + 1).min(order.len())] {
                let class = self.class_of[other as usize];
                if std::mem::replace(&mut met[class as usize], *look) != *look && self.classes[class as usize].is_some()
                {
                    near.push(class);
                }
            }
        }
    }

    fn cheapest(&self, block: u32, near: &[u32]) -> Option<(f64, u32)> {
        let mut best: Option<(f64, u32)> = None;
        for &to in near {
            let Some(class) = &self.classes[to as usize] else { continue };
            let cost = self.cost_of_adding(block, class);
            if best.is_none_or(|(least, known)| cost < least || (cost == least && to < known)) {
                best = Some((cost, to));
            }
        }
        best
    }

    /// What a class costs more with a block.
    fn cost_of_adding(&self, block: u32, class: &Class) -> f64 {
        let together = self.blocks.open_together(&class.hull, &self.blocks.hulls[block as usize]);
        f64::from(class.rows + self.blocks.size(block)) * together - class.cost()
    }

    fn put(&mut self, block: u32, class: u32) {
        self.class_of[block as usize] = class;
        if let Some(own) = &mut self.classes[class as usize] {
            own.blocks.push(block);
            own.rows += self.blocks.size(block);
            self.blocks.join(&mut own.hull, &self.blocks.hulls[block as usize]);
            own.open = self.blocks.open(&own.hull);
        }
    }

    fn try_to_dissolve(&mut self, number: u32, best: &[Option<(f64, u32)>]) -> bool {
        let Some(targets) = best.iter().map(|best| best.map(|(_, to)| to)).collect::<Option<Vec<u32>>>() else {
            return false;
        };
        let Some(class) = self.classes[number as usize].take() else { return false };
        let mut touched = targets.clone();
        touched.sort_unstable();
        touched.dedup();
        let before: Vec<(u32, Option<Class>)> =
            touched.iter().map(|&to| (to, self.classes[to as usize].clone())).collect();
        let cost = |class: &Option<Class>| class.as_ref().map_or(0.0, Class::cost);
        let cost_before: f64 = class.cost() + before.iter().map(|(_, class)| cost(class)).sum::<f64>();
        class.blocks.iter().zip(&targets).for_each(|(&block, &to)| self.put(block, to));
        let cost_after: f64 = touched.iter().map(|&to| cost(&self.classes[to as usize])).sum();
        let are_fine = || {
            let is_fine = |&to: &u32| {
                self.classes[to as usize].as_ref().is_some_and(|class| self.is_fine(&class.blocks, class.rows))
            };
            touched.iter().all(is_fine)
        };
        if cost_after < cost_before - NOTHING && are_fine() {
            return true;
        }
        before.into_iter().for_each(|(to, class)| self.classes[to as usize] = class);
        class.blocks.iter().for_each(|&block| self.class_of[block as usize] = number);
        self.classes[number as usize] = Some(class);
        false
    }

    fn try_to_move(&mut self, number: u32, block: u32, to: u32) -> bool {
        let (Some(own), Some(other)) = (&self.classes[number as usize], &self.classes[to as usize]) else {
            return false;
        };
        let size = self.blocks.size(block);
        if own.blocks.len() < 2 || ((own.rows - size) as usize) < self.bound.k {
            return false;
        }
        let rest: Vec<u32> = own.blocks.iter().copied().filter(|&known| known != block).collect();
        let hull = self.blocks.hull(&rest);
        let open = self.blocks.open(&hull);
        let rows = own.rows - size;
        let saved = own.cost() - f64::from(rows) * open;
        if self.cost_of_adding(block, other) >= saved - NOTHING || !self.is_fine(&rest, rows) {
            return false;
        }
        if self.bound.asks_more() && !self.is_fine(&[other.blocks.as_slice(), &[block]].concat(), other.rows + size) {
            return false;
        }
        self.classes[number as usize] = Some(Class { blocks: rest, rows, hull, open, is_fine: true });
        self.put(block, to);
        true
    }

    /// Cuts classes of which two or more can be made. Whether there were any.
    pub(super) fn cut(&mut self, cut: impl Fn(Vec<u32>) -> Vec<Vec<u32>> + Sync) -> bool {
        let is_large = |&class: &u32| {
            let own = self.classes[class as usize].as_ref();
            own.is_some_and(|own| own.is_fine && own.rows as usize >= 2 * self.bound.k && own.blocks.len() > 1)
        };
        let large: Vec<u32> = self.live().into_iter().filter(is_large).collect();
        let parts_of = |&class: &u32| {
            let blocks = self.classes[class as usize].as_ref().map(|own| own.blocks.clone()).unwrap_or_default();
            let mut rows = self.blocks.rows_of(&blocks);
            rows.sort_unstable();
            let parts: Vec<Vec<u32>> = cut(rows);
            let parts = self.blocks.in_classes(&parts).into_iter().map(|blocks| self.made(blocks));
            (class, parts.collect::<Vec<Class>>())
        };
        let parts: Vec<(u32, Vec<Class>)> =
            large.par_iter().map(parts_of).filter(|(_, parts)| parts.len() > 1).collect();
        let has_parts = !parts.is_empty();
        for (class, parts) in parts {
            for (at, part) in parts.into_iter().enumerate() {
                let number = if at == 0 { class } else { self.classes.len() as u32 };
                part.blocks.iter().for_each(|&block| self.class_of[block as usize] = number);
                match at {
                    0 => self.classes[class as usize] = Some(part),
                    _ => self.classes.push(Some(part)),
                }
            }
        }
        has_parts
    }

    /// Makes one class of those that publish the same. Whether one of these is not as it must be.
    pub(super) fn merge_equal(&mut self) -> bool {
        let mut live = self.live();
        let key = |class: &u32| self.classes[*class as usize].as_ref().map(|own| self.blocks.key(&own.hull));
        live.sort_by_cached_key(|class| (key(class), *class));
        let runs: Vec<Vec<u32>> = live
            .chunk_by(|one, other| key(one) == key(other))
            .filter(|run| run.len() > 1)
            .map(<[u32]>::to_vec)
            .collect();
        let mut has_broken = false;
        for run in runs {
            let blocks: Vec<u32> = run
                .iter()
                .flat_map(|&class| self.classes[class as usize].take().map(|own| own.blocks).unwrap_or_default())
                .collect();
            blocks.iter().for_each(|&block| self.class_of[block as usize] = run[0]);
            let made = self.made(blocks);
            has_broken |= !made.is_fine;
            self.classes[run[0] as usize] = Some(made);
        }
        has_broken
    }
}

/// For each order things in it, and for each thing its place.
type Orders = Vec<(Vec<u32>, Vec<u32>)>;

/// Things with numbers below a count, in all orders.
fn in_orders<'h>(blocks: &Blocks, things: &[u32], count: usize, hull: impl Fn(u32) -> &'h Hull + Sync) -> Orders {
    let order = |order: usize| {
        let mut keyed: Vec<(u128, u32)> =
            things.par_iter().map(|&thing| (blocks.place(hull(thing), order), thing)).collect();
        keyed.par_sort_unstable();
        let mut places = vec![0u32; count];
        (0u32..).zip(&keyed).for_each(|(at, &(_, thing))| places[thing as usize] = at);
        (keyed.into_iter().map(|(_, thing)| thing).collect(), places)
    };
    (0..blocks.orders()).map(order).collect()
}

/// What stands near a thing in some orders, so many on each side; a thing may come several times.
fn around(orders: &Orders, thing: u32, neighbours: usize) -> Vec<u32> {
    let mut near = Vec::with_capacity(orders.len() * (2 * neighbours + 1));
    for (order, places) in orders {
        let at = places[thing as usize] as usize;
        near.extend_from_slice(&order[at.saturating_sub(neighbours)..(at + neighbours + 1).min(order.len())]);
    }
    near
}
