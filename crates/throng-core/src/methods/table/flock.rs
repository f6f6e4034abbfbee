//! Flock for tables: equal rows first, then classes join where that leaves least open, then rows move.
//!
//! Paper      Ours; bottom-up joins after Xu et al., KDD 2006 (local recoding), with exact penalties.
//! Promises   k-anonymity, and every model that is asked for. No row is left out.
//! Does not   try every join: candidates are neighbours in some orders of the rows.
//!
//! # Idea
//! 1. Rows that are equal in all quasi columns are one *block*, and a block is a class to begin with. What a class leaves open is its
//!    rows times the penalty of its hull: the lowest label above its values, or the interval that they lie in, column by column.
//! 2. In rounds, every class that does not yet satisfy what is asked looks for the class with which it grows least, by the smaller
//!    number of rows. The cheapest third of these joins is made, each class in one of them.
//! 3. Candidates are the neighbours in several sorted orders of the classes, each beginning with another column, coarse labels
//!    first; when few classes are left that need one, all classes are candidates.
//! 4. Then, pass by pass: a block moves to the class in which it costs less, if its own still satisfies everything; a class all of
//!    whose blocks cost less elsewhere is dissolved.
//!
//! # Cost
//! Time O(rounds x classes x candidates x columns); memory O(rows x columns).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Bound, Demands, Quasi, Shown, publish};
use crate::data::Dataset as _;
use crate::data::table::{Classes, Hierarchy, Table, cell};
use crate::error::Result;
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::models::on_classes::Demand;
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card.
pub const INFO: Info = Info {
    name: "flock",
    summary: "equal rows first, then classes join where that leaves least open, then rows move",
    paper: "Ours. Local recoding: Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. KDD 2006",
    details: "Rows that are equal in all quasi columns are a class to begin with. Classes that do not satisfy what is asked join the one \
        with which they grow least in what they leave open, the cheapest joins first; then rows move to classes in which they cost \
        less, and classes whose rows all fit better elsewhere are dissolved. A class publishes the lowest label above its values, or \
        the interval `lo..hi` of its numbers. Columns of texts need a hierarchy; numbers may have one.\n\
        Claims table-k-anonymity(k), unless k is 1, and every `--model` that is asked for. It leaves no row out. `--effort` says how \
        many neighbours are looked at and how often rows are moved.",
    parameters: &[
        info::K,
        Parameter {
            name: "effort",
            summary: "how long it tries",
            kind: ParameterKind::Choice(&["fast", "normal", "high"]),
            default: "normal",
        },
    ],
};

/// How long it tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// Few neighbours, one pass of moves.
    Fast,
    /// The usual.
    #[default]
    Normal,
    /// Many neighbours, many passes.
    High,
}

impl Effort {
    /// How many neighbours are looked at on each side in an order, and how many passes of moves are made.
    fn work(self) -> (usize, usize) {
        match self {
            Self::Fast => (4, 1),
            Self::Normal => (10, 4),
            Self::High => (24, 8),
        }
    }
}

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons a class has, at least.
    pub k: usize,
    /// How long it tries.
    pub effort: Effort,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, effort: Effort::Normal }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Flock {
    params: Params,
    demands: Demands,
}

impl Flock {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        Ok(Self { demands: Demands::new(params.k)?, params })
    }
}

impl Method<Table> for Flock {
    fn protect(&self, original: &Table, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Table>> {
        let bound = self.demands.bind(original)?;
        bound.refuse_impossible(original.rows())?;
        let quasi = Quasi::all(original)?;
        let (neighbours, passes) = self.params.effort.work();
        let blocks = Blocks::of(original, &quasi)?;
        let mut flocking = Flocking::new(&blocks, &bound, neighbours);
        progress.stage("joining classes", 0);
        flocking.join_all(progress);
        progress.go_on()?;
        progress.stage("moving rows", passes as u64);
        for _ in 0..passes {
            let has_changed = flocking.move_blocks(progress);
            progress.go_on()?;
            progress.advance(1);
            if !has_changed {
                break;
            }
        }
        let mut classes: Vec<Vec<u32>> =
            flocking.classes.iter().flatten().map(|class| blocks.rows_of(&class.blocks)).collect();
        classes.iter_mut().for_each(|class| class.sort_unstable());
        classes.sort_unstable_by_key(|class| class[0]);
        let shown: Vec<Vec<Shown>> =
            classes.par_iter().map(|class| quasi.iter().map(|quasi| quasi.shown(class)).collect()).collect();
        Ok(publish(original, &quasi, &classes, |class, at| shown[class][at].clone(), &self.demands))
    }

    fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        shown_parameters(&self.params)
    }

    fn demand(&mut self, demands: Vec<Demand>) -> Result<()> {
        self.demands.add(demands);
        Ok(())
    }
}

/// What a class spans in a column: a level and a leaf under its label, or an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Span {
    Node(u32, u32),
    Numbers(f64, f64),
}

/// A column as spans are measured in it.
enum Measure<'a> {
    Tree(&'a Hierarchy),
    Range((f64, f64)),
}

/// Rows that are equal, and how spans are measured.
struct Blocks<'a> {
    columns: Vec<Measure<'a>>,
    equal: Classes,
    /// For each block its span in every column.
    spans: Vec<Vec<Span>>,
}

impl<'a> Blocks<'a> {
    fn of(table: &Table, quasi: &'a [Quasi<'a>]) -> Result<Self> {
        let equal = Classes::of(table, &table.quasi()?);
        let span = |quasi: &Quasi<'_>, row: usize| {
            let cell = quasi.column.cells[row] as usize;
            match &quasi.tree {
                Some((_, leaves)) => Span::Node(0, leaves[cell]),
                None => Span::Numbers(quasi.numbers[cell], quasi.numbers[cell]),
            }
        };
        let spans = (0..equal.len())
            .map(|block| quasi.iter().map(|quasi| span(quasi, equal.rows(block)[0] as usize)).collect())
            .collect();
        let column = |quasi: &'a Quasi<'a>| match &quasi.tree {
            Some((tree, _)) => Measure::Tree(tree),
            None => Measure::Range(quasi.range),
        };
        Ok(Self { columns: quasi.iter().map(column).collect(), equal, spans })
    }

    fn rows_of(&self, blocks: &[u32]) -> Vec<u32> {
        blocks.iter().flat_map(|&block| self.equal.rows(block as usize).iter().copied()).collect()
    }

    fn joined(&self, at: usize, left: Span, right: Span) -> Span {
        match (left, right, &self.columns[at]) {
            (Span::Node(one, leaf), Span::Node(other, other_leaf), Measure::Tree(tree)) => {
                let level = (tree.meeting(leaf, other_leaf) as u32).max(one).max(other);
                Span::Node(level, leaf)
            }
            (Span::Numbers(low, high), Span::Numbers(other_low, other_high), _) => {
                Span::Numbers(low.min(other_low), high.max(other_high))
            }
            (left, ..) => left,
        }
    }

    fn penalty(&self, at: usize, span: Span) -> f64 {
        match (span, &self.columns[at]) {
            (Span::Node(level, leaf), Measure::Tree(tree)) => {
                let level = level as usize;
                match tree.leaves_under(level, tree.node(level, leaf)) {
                    1 => 0.0,
                    under => f64::from(under) / f64::from(tree.leaves()),
                }
            }
            (Span::Numbers(low, high), Measure::Range(range)) => cell::width(low, high, *range),
            _ => 1.0,
        }
    }

    /// The penalties of a hull, summed over columns.
    fn open(&self, hull: &[Span]) -> f64 {
        hull.iter().enumerate().map(|(at, &span)| self.penalty(at, span)).sum()
    }

    /// The same of two hulls together.
    fn open_together(&self, one: &[Span], other: &[Span]) -> f64 {
        one.iter()
            .zip(other)
            .enumerate()
            .map(|(at, (&one, &other))| self.penalty(at, self.joined(at, one, other)))
            .sum()
    }

    fn hull(&self, blocks: &[u32]) -> Vec<Span> {
        let mut hull = self.spans[blocks[0] as usize].clone();
        for &block in &blocks[1..] {
            for (at, span) in hull.iter_mut().enumerate() {
                *span = self.joined(at, *span, self.spans[block as usize][at]);
            }
        }
        hull
    }

    /// Where a hull stands in an order that begins with a column: coarse labels first, numbers by their middle.
    fn key(&self, hull: &[Span], first: usize) -> Vec<f64> {
        let width = hull.len();
        let mut key = Vec::with_capacity(2 * width);
        for step in 0..width {
            let at = (first + step) % width;
            match (hull[at], &self.columns[at]) {
                (Span::Node(level, leaf), Measure::Tree(tree)) => {
                    for above in (level as usize..tree.height()).rev() {
                        key.push(f64::from(tree.node(above, leaf)));
                    }
                }
                (Span::Numbers(low, high), _) => key.push(low + (high - low) / 2.0),
                _ => {}
            }
        }
        key
    }
}

/// A class while it grows.
#[derive(Debug, Clone)]
struct Class {
    blocks: Vec<u32>,
    rows: u32,
    hull: Vec<Span>,
    /// The penalty of the hull.
    open: f64,
    is_fine: bool,
}

struct Flocking<'a> {
    blocks: &'a Blocks<'a>,
    bound: &'a Bound<'a>,
    neighbours: usize,
    /// Classes by their numbers; nothing for one that joined another.
    classes: Vec<Option<Class>>,
}

/// With fewer classes in need, all classes are candidates.
const FEW: usize = 200;
/// How many orders are used, at most.
const ORDERS: usize = 8;

impl<'a> Flocking<'a> {
    fn new(blocks: &'a Blocks<'a>, bound: &'a Bound<'a>, neighbours: usize) -> Self {
        let class = |block: usize| {
            let rows = blocks.equal.rows(block);
            let hull = blocks.spans[block].clone();
            let is_fine = bound.holds(rows, &mut Vec::new());
            Some(Class { blocks: vec![block as u32], rows: rows.len() as u32, open: blocks.open(&hull), hull, is_fine })
        };
        let classes = (0..blocks.equal.len()).into_par_iter().map(class).collect();
        Self { blocks, bound, neighbours, classes }
    }

    fn is_fine(&self, blocks: &[u32]) -> bool {
        self.bound.holds(&self.blocks.rows_of(blocks), &mut Vec::new())
    }

    /// What two classes cost together beyond what each costs, by the smaller number of rows.
    fn growth(&self, one: &Class, other: &Class) -> f64 {
        let together = self.blocks.open_together(&one.hull, &other.hull);
        let rows = f64::from(one.rows + other.rows);
        let more = rows * together - f64::from(one.rows) * one.open - f64::from(other.rows) * other.open;
        more / f64::from(one.rows.min(other.rows))
    }

    /// For each class the classes near it in some orders, by their numbers.
    fn orders(&self, live: &[u32]) -> Vec<Vec<u32>> {
        let width = self.blocks.columns.len();
        let order = |first: usize| {
            let mut keyed: Vec<(Vec<f64>, u32)> = live
                .iter()
                .filter_map(|&class| {
                    Some((self.blocks.key(&self.classes[class as usize].as_ref()?.hull, first), class))
                })
                .collect();
            keyed.sort_by(|left, right| {
                let by_key =
                    left.0.iter().zip(&right.0).map(|(left, right)| left.total_cmp(right)).find(|order| order.is_ne());
                by_key.unwrap_or(left.0.len().cmp(&right.0.len())).then(left.1.cmp(&right.1))
            });
            keyed.into_iter().map(|(_, class)| class).collect()
        };
        (0..width.min(ORDERS)).into_par_iter().map(order).collect()
    }

    /// Joins classes until all satisfy what is asked.
    fn join_all(&mut self, progress: &dyn Progress) {
        loop {
            let live: Vec<u32> =
                (0..self.classes.len() as u32).filter(|&class| self.classes[class as usize].is_some()).collect();
            let needy: Vec<u32> = live
                .iter()
                .copied()
                .filter(|&class| self.classes[class as usize].as_ref().is_some_and(|own| !own.is_fine))
                .collect();
            if needy.is_empty() || live.len() < 2 || progress.is_stopped() {
                return;
            }
            let offers: Vec<(f64, u32, u32)> = if needy.len() < FEW {
                needy.par_iter().filter_map(|&class| self.best_of(class, live.iter().copied())).collect()
            } else {
                let orders = self.orders(&live);
                let mut places = vec![vec![0u32; self.classes.len()]; orders.len()];
                for (order, place) in orders.iter().zip(&mut places) {
                    order.iter().enumerate().for_each(|(at, &class)| place[class as usize] = at as u32);
                }
                let near = |class: u32| {
                    let around = |(order, place): (&Vec<u32>, &Vec<u32>)| {
                        let at = place[class as usize] as usize;
                        let (from, to) =
                            (at.saturating_sub(self.neighbours), (at + self.neighbours + 1).min(order.len()));
                        order[from..to].to_vec()
                    };
                    orders.iter().zip(&places).flat_map(around).collect::<Vec<u32>>()
                };
                needy.par_iter().filter_map(|&class| self.best_of(class, near(class).into_iter())).collect()
            };
            if offers.is_empty() {
                return;
            }
            self.make(offers);
        }
    }

    /// The cheapest join of a class with one of some others.
    fn best_of(&self, class: u32, others: impl Iterator<Item = u32>) -> Option<(f64, u32, u32)> {
        let own = self.classes[class as usize].as_ref()?;
        let mut best: Option<(f64, u32)> = None;
        for other in others.filter(|&other| other != class) {
            let Some(candidate) = &self.classes[other as usize] else { continue };
            let growth = self.growth(own, candidate);
            if best.is_none_or(|(least, known)| growth < least || (growth == least && other < known)) {
                best = Some((growth, other));
            }
        }
        best.map(|(growth, other)| (growth, class, other))
    }

    /// Makes the cheapest third of some joins, each class in one.
    fn make(&mut self, mut offers: Vec<(f64, u32, u32)>) {
        offers.sort_by(|left, right| left.0.total_cmp(&right.0).then((left.1, left.2).cmp(&(right.1, right.2))));
        let most = offers.len().div_ceil(3);
        let mut is_taken = vec![false; self.classes.len()];
        let mut pairs = Vec::new();
        for (_, one, other) in offers {
            if pairs.len() == most {
                break;
            }
            if !is_taken[one as usize] && !is_taken[other as usize] {
                (is_taken[one as usize], is_taken[other as usize]) = (true, true);
                pairs.push((one.min(other), one.max(other)));
            }
        }
        for (keeps, goes) in pairs {
            let (Some(own), Some(other)) = (self.classes[keeps as usize].take(), self.classes[goes as usize].take())
            else {
                continue;
            };
            let blocks = [own.blocks, other.blocks].concat();
            let hull: Vec<Span> = own
                .hull
                .iter()
                .zip(&other.hull)
                .enumerate()
                .map(|(at, (&one, &other))| self.blocks.joined(at, one, other))
                .collect();
            let is_fine = self.is_fine(&blocks);
            let open = self.blocks.open(&hull);
            self.classes[keeps as usize] = Some(Class { rows: own.rows + other.rows, blocks, hull, open, is_fine });
        }
    }

    /// One pass of moves and dissolving. Whether anything changed.
    fn move_blocks(&mut self, progress: &dyn Progress) -> bool {
        let live: Vec<u32> =
            (0..self.classes.len() as u32).filter(|&class| self.classes[class as usize].is_some()).collect();
        if live.len() < 2 {
            return false;
        }
        let orders = self.orders(&live);
        let mut places = vec![vec![0u32; self.classes.len()]; orders.len()];
        for (order, place) in orders.iter().zip(&mut places) {
            order.iter().enumerate().for_each(|(at, &class)| place[class as usize] = at as u32);
        }
        let mut has_changed = false;
        for &number in &live {
            if progress.is_stopped() {
                return has_changed;
            }
            let Some(class) = self.classes[number as usize].clone() else { continue };
            let mut near: Vec<u32> = Vec::new();
            for (order, place) in orders.iter().zip(&places) {
                let at = place[number as usize] as usize;
                let (from, to) = (at.saturating_sub(self.neighbours), (at + self.neighbours + 1).min(order.len()));
                near.extend(
                    order[from..to].iter().filter(|&&other| other != number && self.classes[other as usize].is_some()),
                );
            }
            near.sort_unstable();
            near.dedup();
            if near.is_empty() {
                continue;
            }
            // What each block costs in the class that it fits best.
            let best: Vec<(f64, u32)> = class
                .blocks
                .iter()
                .map(|&block| {
                    let cost = |other: u32| {
                        self.classes[other as usize]
                            .as_ref()
                            .map_or(f64::INFINITY, |other| self.cost_of_adding(block, other))
                    };
                    let mut best = (f64::INFINITY, near[0]);
                    for &other in &near {
                        let cost = cost(other);
                        if cost < best.0 {
                            best = (cost, other);
                        }
                    }
                    best
                })
                .collect();
            let own_cost = f64::from(class.rows) * class.open;
            // Blocks that go to one class together cost no more than each for itself, and are counted as if they did.
            if best.iter().map(|(cost, _)| cost).sum::<f64>() < own_cost - 1e-9
                && self.try_to_dissolve(number, &best, own_cost)
            {
                has_changed = true;
                continue;
            }
            for (at, &block) in class.blocks.iter().enumerate() {
                has_changed |= self.try_to_move(number, block, best[at].1);
            }
        }
        has_changed
    }

    /// What a class costs more with a block.
    fn cost_of_adding(&self, block: u32, class: &Class) -> f64 {
        let together = self.blocks.open_together(&class.hull, &self.blocks.spans[block as usize]);
        let rows = self.blocks.equal.size(block as usize) as f64;
        (f64::from(class.rows) + rows) * together - f64::from(class.rows) * class.open
    }

    fn put(&mut self, block: u32, class: u32) {
        let spans = &self.blocks.spans[block as usize];
        let rows = self.blocks.equal.size(block as usize) as u32;
        if let Some(own) = &mut self.classes[class as usize] {
            own.blocks.push(block);
            own.rows += rows;
            for (at, span) in own.hull.iter_mut().enumerate() {
                *span = self.blocks.joined(at, *span, spans[at]);
            }
            own.open = self.blocks.open(&own.hull);
        }
    }

    fn try_to_dissolve(&mut self, number: u32, best: &[(f64, u32)], own_cost: f64) -> bool {
        let Some(class) = self.classes[number as usize].take() else { return false };
        let mut touched: Vec<u32> = best.iter().map(|&(_, to)| to).collect();
        touched.sort_unstable();
        touched.dedup();
        let before: Vec<(u32, Option<Class>)> =
            touched.iter().map(|&to| (to, self.classes[to as usize].clone())).collect();
        let cost = |class: &Option<Class>| class.as_ref().map_or(0.0, |class| f64::from(class.rows) * class.open);
        let cost_before: f64 = own_cost + before.iter().map(|(_, class)| cost(class)).sum::<f64>();
        for (&block, &(_, to)) in class.blocks.iter().zip(best) {
            self.put(block, to);
        }
        let cost_after: f64 = touched.iter().map(|&to| cost(&self.classes[to as usize])).sum();
        let are_fine = touched
            .iter()
            .all(|&to| self.classes[to as usize].as_ref().is_some_and(|class| self.is_fine(&class.blocks)));
        if cost_after < cost_before - 1e-9 && are_fine {
            return true;
        }
        before.into_iter().for_each(|(to, class)| self.classes[to as usize] = class);
        self.classes[number as usize] = Some(class);
        false
    }

    fn try_to_move(&mut self, number: u32, block: u32, to: u32) -> bool {
        let (Some(own), Some(other)) = (&self.classes[number as usize], &self.classes[to as usize]) else {
            return false;
        };
        if own.blocks.len() < 2 {
            return false;
        }
        let rest: Vec<u32> = own.blocks.iter().copied().filter(|&known| known != block).collect();
        let hull = self.blocks.hull(&rest);
        let open = self.blocks.open(&hull);
        let rows = own.rows - self.blocks.equal.size(block as usize) as u32;
        let saved = f64::from(own.rows) * own.open - f64::from(rows) * open;
        if self.cost_of_adding(block, other) >= saved - 1e-9 || !self.is_fine(&rest) {
            return false;
        }
        let together = [other.blocks.as_slice(), &[block]].concat();
        if !self.is_fine(&together) {
            return false;
        }
        self.classes[number as usize] = Some(Class { blocks: rest, rows, hull, open, is_fine: true });
        self.put(block, to);
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::table::testing::{table, twelve, with_hierarchies};
    use crate::data::table::{Column, ColumnRole};
    use crate::models::Model as _;
    use crate::models::l_diversity::{self, LDiversity};
    use crate::models::table_k_anonymity::{self, TableKAnonymity};
    use crate::progress::Silent;
    use crate::release::Claim;

    fn protect(method: &dyn Method<Table>, table: &Table) -> Protected<Table> {
        method.protect(table, &mut crate::rng::Rng::seeded(1), &Silent).unwrap()
    }

    fn penalty(table: &Table, release: &Table) -> f64 {
        let quasi = Quasi::all(table).unwrap();
        let of = |quasi: &Quasi<'_>| {
            let at = release.find(&quasi.column.name).unwrap();
            let hierarchy = quasi.column.hierarchy.as_deref();
            let one = |row: usize| {
                cell::Cell::of(release.columns()[at].text(row), quasi.column).penalty(hierarchy, quasi.range)
            };
            (0..release.rows()).map(one).sum::<f64>()
        };
        quasi.iter().map(of).sum::<f64>() / (release.rows() * quasi.len()) as f64
    }

    /// 1 2 3 | 10 11 12: no other classes of three leave less open.
    #[test]
    fn neighbours_come_together() {
        let table = table("x:q", &["1", "10", "2", "11", "3", "12"]);
        let found = protect(&Flock::new(Params { k: 3, effort: Effort::Normal }).unwrap(), &table).records;
        let cells: Vec<&str> = (0..6).map(|row| found.columns()[0].text(row)).collect();
        assert_eq!(cells, ["1..3", "10..12", "1..3", "10..12", "1..3", "10..12"]);
    }

    #[test]
    fn it_leaves_less_open_than_mondrian_on_made_up_people() {
        let made =
            crate::synth::table::table(&crate::synth::table::Params { persons: 2000, shape: "census".into(), seed: 3 })
                .unwrap();
        let mut columns = made.table.columns().to_vec();
        for column in &mut columns {
            let lines = made.hierarchies.iter().find(|(name, _)| *name == column.name);
            column.hierarchy = lines.map(|(_, lines)| Hierarchy::new(lines).unwrap().into());
            if ["age", "sex", "zip", "education", "country", "marital_status"].contains(&column.name.as_str()) {
                column.role = ColumnRole::Quasi;
            }
        }
        let table = made.table.with_columns(columns);
        let flock = protect(&Flock::new(Params { k: 10, effort: Effort::Normal }).unwrap(), &table).records;
        let mondrian = protect(
            &super::super::mondrian::Mondrian::new(super::super::mondrian::Params { k: 10, relaxed: false }).unwrap(),
            &table,
        )
        .records;
        assert!(TableKAnonymity::new(table_k_anonymity::Params { k: 10 }).unwrap().check(&flock).unwrap().holds);
        let (flock, mondrian) = (penalty(&table, &flock), penalty(&table, &mondrian));
        assert!(flock < mondrian, "{flock} {mondrian}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Whatever the rows, models hold, cells cover what they stand for, and no row is lost.
        #[test]
        fn models_hold_and_cells_cover(rows in prop::collection::vec((0usize..6, 0i32..9, 0usize..3), 4..40), k in 1usize..4) {
            let column = |name: &str, role, texts: Vec<String>| Column::new(name, role, texts.iter().map(String::as_str));
            let table = Table::of_rows(vec![
                column("a", ColumnRole::Quasi, rows.iter().map(|row| format!("a{}", row.0)).collect()),
                column("n", ColumnRole::Quasi, rows.iter().map(|row| row.1.to_string()).collect()),
                column("s", ColumnRole::Sensitive, rows.iter().map(|row| format!("s{}", row.2)).collect()),
            ]);
            let tree: String = (0..6).map(|leaf| format!("a{leaf};x{};*\n", leaf / 2)).collect();
            let table = with_hierarchies(table, &[("a", &tree)]);
            let model = LDiversity::new(l_diversity::Params::default()).unwrap();
            let mut method = Flock::new(Params { k, effort: Effort::Normal }).unwrap();
            method.demand(vec![Demand { claim: Claim::new(&l_diversity::INFO, []), model: std::sync::Arc::new(model.clone()) }]).unwrap();
            let Ok(found) = method.protect(&table, &mut crate::rng::Rng::seeded(1), &Silent) else {
                // One value in the whole table.
                prop_assert!(rows.iter().all(|row| row.2 == rows[0].2));
                return Ok(());
            };
            prop_assert_eq!(found.records.rows(), table.rows());
            prop_assert!(model.check(&found.records).unwrap().holds);
            let crowds = TableKAnonymity::new(table_k_anonymity::Params { k: k.max(2) }).unwrap();
            let is_crowded = k < 2 || crowds.check(&found.records).unwrap().holds;
            prop_assert!(is_crowded);
            for at in 0..2 {
                let own = &table.columns()[at];
                let hierarchy = own.hierarchy.as_deref();
                for row in 0..table.rows() {
                    let says = cell::Cell::of(found.records.columns()[at].text(row), own);
                    let leaf = hierarchy.and_then(|tree| tree.leaf(own.text(row)));
                    prop_assert!(says.covers(hierarchy, leaf, cell::number(own.text(row)).unwrap_or(f64::NAN)));
                }
            }
        }
    }

    #[test]
    fn the_twelve_rows_hold() {
        let found = protect(&Flock::new(Params { k: 3, effort: Effort::High }).unwrap(), &twelve());
        assert!(TableKAnonymity::new(table_k_anonymity::Params { k: 3 }).unwrap().check(&found.records).unwrap().holds);
    }
}
