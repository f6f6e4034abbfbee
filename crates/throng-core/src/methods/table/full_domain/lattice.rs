//! The lattice of all generalisations of whole columns, and the classes of its nodes.
//!
//! A class is a number with a few bits for each column, and a node's classes are made from those of a node below it in one pass, or from
//! the classes of equal rows.

use super::super::quality::{self, Class, ColumnLevels, Quality};
use super::super::{Bound, Quasi, population};
use crate::data::Dataset as _;
use crate::data::table::{Classes, Hierarchy, Table};
use crate::error::{Error, Result};

/// More nodes are refused.
const MOST_NODES: u64 = 1 << 31;

/// A node that may be published.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) value: f64,
    pub(super) levels: Vec<usize>,
    pub(super) suppressed: u64,
}

impl Node {
    pub(super) fn is_better(&self, other: &Self) -> bool {
        self.value < other.value || (self.value == other.value && self.levels < other.levels)
    }
}

pub(super) fn better(one: Option<Node>, other: Option<Node>) -> Option<Node> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.is_better(&one) { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// All generalisations of a table.
pub(super) struct Lattice<'a> {
    pub(super) quasi: Vec<Quasi<'a>>,
    pub(super) bound: Bound<'a>,
    pub(super) rows: u64,
    pub(super) columns: Vec<ColumnLevels>,
    /// For each column, for each level but the last, for each node the node above it.
    parents: Vec<Vec<Vec<u32>>>,
    /// For each column where its bits begin in the number of a class, and how many it has.
    bits: Vec<(u32, u32)>,
    /// Rows that are equal in all quasi columns; with a population, those of the population.
    base: Groups,
    /// For each of them its rows of the table.
    equal: Classes,
    /// For each condition, for each class of equal rows how often each sensitive value comes.
    tallies: Vec<Tally>,
    pub(super) nodes: u64,
}

/// How often values come in each class of equal rows.
struct Tally {
    starts: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    values: usize,
}

/// Classes of a node.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    /// The node of every column, in the column's bits.
    keys: Vec<u128>,
    rows: Vec<u32>,
    /// How many rows of the population; empty where nobody asks.
    population: Vec<u32>,
    /// For each class of equal rows the group that it is in; empty where nobody asks.
    of: Vec<u32>,
}

/// The highest level that a column may be generalised to.
fn highest(quasi: &Quasi<'_>, tree: &Hierarchy) -> usize {
    let allowed = quasi.column.settings.levels.map_or(tree.height(), |(_, highest)| highest);
    allowed.min(tree.height())
}

impl<'a> Lattice<'a> {
    pub(super) fn of(table: &'a Table, bound: Bound<'a>) -> Result<Self> {
        let quasi = Quasi::all(table)?;
        if let Some(without) = quasi.iter().find(|quasi| quasi.tree.is_none()) {
            return Err(Error::refused("full-domain generalisation needs a hierarchy of every quasi column")
                .in_column(&without.column.name)
                .with_hint(format!(
                    "give one: `--hierarchy {}=FILE`; make one: `throng taxonomy generate`; or choose `--method flock`, which \
                     makes intervals of numbers",
                    without.column.name
                )));
        }
        let trees: Vec<_> = quasi.iter().filter_map(|quasi| quasi.tree.as_ref()).collect();
        let mut heights = quasi.iter().zip(&trees).map(|(quasi, (tree, _))| highest(quasi, tree) as u64);
        let nodes = heights.try_fold(1u64, |nodes, height| nodes.checked_mul(height + 1));
        let nodes = nodes.filter(|&nodes| nodes <= MOST_NODES).ok_or_else(|| {
            Error::refused("there are more than 2^31 ways to generalise these columns").with_hint(
                "choose `--method flock`, which generalises each class for itself, or hierarchies with fewer levels",
            )
        })?;
        let mut bits = Vec::new();
        let mut next = 0;
        for (tree, _) in &trees {
            let width = 32 - (tree.leaves().max(2) - 1).leading_zeros();
            bits.push((next, width));
            next += width;
        }
        if next > 128 {
            return Err(Error::refused(
                "the quasi columns have too many values together for a search over whole columns",
            )
            .with_hint("choose `--method flock`, or name fewer quasi columns"));
        }
        let (base, equal) = equal_rows(table, &quasi, &bits, &bound)?;
        let tally = |cells: &[u32]| {
            let values = cells.iter().max().map_or(0, |&most| most as usize + 1);
            let mut tally = Tally { starts: vec![0], pairs: Vec::new(), values };
            let mut scratch = Vec::new();
            for class in 0..equal.len() {
                let own = equal.rows(class).iter().map(|&row| cells[row as usize]);
                tally.pairs.extend(crate::data::table::classes::counts(own, &mut scratch));
                tally.starts.push(tally.pairs.len() as u32);
            }
            tally
        };
        let tallies = bound.conditions.iter().map(|condition| tally(condition.cells)).collect();
        let weights: f64 = quasi.iter().map(Quasi::weight).sum();
        let columns = quasi.iter().zip(&trees).map(|(quasi, (tree, leaves))| {
            let mut rows_of = vec![0u64; tree.leaves() as usize];
            quasi.column.cells.iter().for_each(|&cell| rows_of[leaves[cell as usize] as usize] += 1);
            let rows = quasi.column.cells.len().max(1) as f64;
            let node_of = |level: usize| (0..tree.leaves()).map(|leaf| tree.node(level, leaf)).collect::<Vec<u32>>();
            let mean = |level: usize, counts_one: bool| {
                let share = |(leaf, &count): (u32, &u64)| {
                    let under = tree.leaves_under(level, tree.node(level, leaf));
                    if under == 1 && !counts_one { 0.0 } else { count as f64 * f64::from(under) }
                };
                (0..).zip(&rows_of).map(share).sum::<f64>() / f64::from(tree.leaves()) / rows
            };
            let levels = 0..=tree.height();
            ColumnLevels {
                factor: quasi.weight() * trees.len() as f64 / weights,
                leaves: tree.leaves(),
                under: levels
                    .clone()
                    .map(|level| (0..tree.nodes(level) as u32).map(|node| tree.leaves_under(level, node)).collect())
                    .collect(),
                entropy: levels
                    .clone()
                    .map(|level| quality::lost(&rows_of, &node_of(level), tree.nodes(level)))
                    .collect(),
                share: levels.clone().map(|level| mean(level, true)).collect(),
                penalty: levels.map(|level| mean(level, false)).collect(),
            }
        });
        let columns = columns.collect();
        let parents = quasi
            .iter()
            .zip(&trees)
            .map(|(quasi, (tree, _))| (0..highest(quasi, tree)).map(|level| tree.parents(level)).collect())
            .collect();
        let rows = table.rows() as u64;
        Ok(Self { bound, rows, columns, parents, bits, base, equal, tallies, nodes, quasi })
    }

    /// Whether no level is below the lowest that somebody allows for its column.
    pub(super) fn is_allowed(&self, levels: &[usize]) -> bool {
        let lowest = |quasi: &Quasi<'_>| quasi.column.settings.levels.map_or(0, |(lowest, _)| lowest);
        self.quasi.iter().zip(levels).all(|(quasi, &level)| level >= lowest(quasi))
    }

    /// The highest level of a column.
    pub(super) fn height(&self, at: usize) -> usize {
        self.parents[at].len()
    }

    /// Columns with most values in the data first: where these are coarse enough, the others matter less.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(self.quasi[at].column.values.len()));
        order
    }

    /// The groups that classes fall together to, given the number of each.
    fn together(&self, groups: &Groups, of: impl Fn(u128) -> u128) -> Groups {
        let mut meeting = Meeting::new(groups.keys.len());
        let mut rows: Vec<u32> = Vec::new();
        let mut population: Vec<u32> = Vec::new();
        let mut new_of = vec![0u32; if groups.of.is_empty() { 0 } else { groups.keys.len() }];
        for (old, (&key, &count)) in groups.keys.iter().zip(&groups.rows).enumerate() {
            let group = meeting.place(of(key));
            if group == rows.len() {
                rows.push(0);
                population.extend((!groups.population.is_empty()).then_some(0));
            }
            rows[group] += count;
            if let Some(covered) = groups.population.get(old) {
                population[group] += covered;
            }
            if let Some(new) = new_of.get_mut(old) {
                *new = group as u32;
            }
        }
        let of = groups.of.iter().map(|&group| new_of[group as usize]).collect();
        Groups { keys: meeting.keys, rows, population, of }
    }

    /// The groups with one column one level higher.
    pub(super) fn rolled(&self, groups: &Groups, at: usize, level: usize) -> Groups {
        let (shift, width) = self.bits[at];
        let mask = ((1u128 << width) - 1) << shift;
        let parents = &self.parents[at][level];
        self.together(groups, |key| (key & !mask) | u128::from(parents[((key & mask) >> shift) as usize]) << shift)
    }

    /// The groups of a node.
    pub(super) fn groups(&self, levels: &[usize]) -> Groups {
        self.groups_of(&self.base, levels)
    }

    fn groups_of(&self, base: &Groups, levels: &[usize]) -> Groups {
        let raised: Vec<(usize, usize)> = levels.iter().copied().enumerate().filter(|&(_, level)| level > 0).collect();
        self.together(base, |key| {
            raised.iter().fold(key, |key, &(at, level)| {
                let (shift, width) = self.bits[at];
                let leaf = (key >> shift & ((1u128 << width) - 1)) as u32;
                let node = self.quasi[at].tree.as_ref().map_or(0, |(tree, _)| tree.node(level, leaf));
                (key & !(((1u128 << width) - 1) << shift)) | u128::from(node) << shift
            })
        })
    }

    /// Whether more rows than the limit would be in classes of fewer than k if all columns but these stood at their tops: then so
    /// they are below.
    pub(super) fn is_too_fine(&self, groups: &Groups, columns: &[usize], limit: u64) -> bool {
        let mask = columns.iter().fold(0u128, |mask, &at| {
            let (shift, width) = self.bits[at];
            mask | ((1u128 << width) - 1) << shift
        });
        let mut meeting = Meeting::new(groups.keys.len());
        let mut rows: Vec<u32> = Vec::new();
        for (&key, &count) in groups.keys.iter().zip(&groups.rows) {
            let group = meeting.place(key & mask);
            if group == rows.len() {
                rows.push(0);
            }
            rows[group] += count;
        }
        let k = self.bound.k as u32;
        rows.iter().filter(|&&rows| rows < k).map(|&rows| u64::from(rows)).sum::<u64>() > limit
    }

    fn node_at(&self, key: u128, at: usize) -> u32 {
        let (shift, width) = self.bits[at];
        (key >> shift & ((1u128 << width) - 1)) as u32
    }

    /// Which classes satisfy everything, and how many rows do not; nothing if these are more than the limit.
    pub(super) fn judged(&self, groups: &Groups, limit: u64) -> Option<(Vec<bool>, u64)> {
        let k = self.bound.k as u32;
        // A class that is left out is one that the release lacks.
        let needs_all = self.bound.needs_every_class();
        if needs_all && groups.rows.contains(&0) {
            return None;
        }
        let limit = if needs_all { 0 } else { limit };
        let may_cover = |group: usize| {
            let covered = groups.population.get(group).copied().unwrap_or(0);
            self.bound.may_cover(u64::from(groups.rows[group]), u64::from(covered))
        };
        let is_large = |group: usize| groups.rows[group] >= k && may_cover(group);
        let mut is_ok: Vec<bool> = (0..groups.rows.len()).map(is_large).collect();
        let lost = |is_ok: &[bool]| -> u64 {
            groups.rows.iter().zip(is_ok).filter(|(_, is_ok)| !**is_ok).map(|(&rows, _)| u64::from(rows)).sum()
        };
        let mut suppressed = lost(&is_ok);
        if suppressed > limit {
            return None;
        }
        if !groups.of.is_empty() {
            let members = Classes::new(groups.of.clone(), groups.keys.len());
            let mut judge = Judge::new(self);
            for (group, is_ok) in is_ok.iter_mut().enumerate().filter(|(_, is_ok)| **is_ok) {
                *is_ok = judge.holds(members.rows(group), groups.rows[group]);
                suppressed += if *is_ok { 0 } else { u64::from(groups.rows[group]) };
                if suppressed > limit {
                    return None;
                }
            }
        }
        // Somebody must be left.
        (suppressed < self.rows).then_some((is_ok, suppressed))
    }

    /// A node with its value, if it is allowed.
    pub(super) fn look(&self, groups: &Groups, levels: &[usize], quality: Quality, limit: u64) -> Option<Node> {
        if !self.is_allowed(levels) {
            return None;
        }
        let (is_ok, suppressed) = self.judged(groups, limit)?;
        let count = self.columns.len();
        let nodes: Vec<u32> = if quality.looks_at_nodes() {
            groups.keys.iter().flat_map(|&key| (0..count).map(move |at| self.node_at(key, at))).collect()
        } else {
            Vec::new()
        };
        let class = |group: usize| Class {
            nodes: nodes.get(group * count..(group + 1) * count).unwrap_or(&[]),
            rows: groups.rows[group],
            is_ok: is_ok[group],
        };
        // Classes of the population alone are no classes of the table.
        let own = (0..groups.keys.len()).filter(|&group| groups.rows[group] > 0);
        let value = quality.value(&self.columns, levels, self.rows, own.map(class));
        Some(Node { value, levels: levels.to_vec(), suppressed })
    }

    /// A value that no node at or above one with these groups falls below, as far as sizes of classes say it.
    pub(super) fn least(&self, groups: &Groups, quality: Quality) -> f64 {
        quality.least_by_sizes(groups.rows.iter().copied().filter(|&rows| rows > 0), self.rows)
    }

    /// The classes of a node that are published, as rows, with the node of every column.
    pub(super) fn published(&self, levels: &[usize]) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
        let base = Groups { of: (0..self.equal.len() as u32).collect(), ..self.base.clone() };
        let groups = self.groups_of(&base, levels);
        let members = Classes::new(groups.of.clone(), groups.keys.len());
        let (mut classes, mut nodes) = (Vec::new(), Vec::new());
        let Some((is_ok, _)) = self.judged(&groups, self.rows) else { return (classes, nodes) };
        for (group, &key) in groups.keys.iter().enumerate().filter(|(group, _)| is_ok[*group]) {
            let mut rows: Vec<u32> = Vec::new();
            members.rows(group).iter().for_each(|&equal| rows.extend_from_slice(self.equal.rows(equal as usize)));
            if !rows.is_empty() {
                rows.sort_unstable();
                classes.push(rows);
                nodes.push((0..self.columns.len()).map(|at| self.node_at(key, at)).collect());
            }
        }
        (classes, nodes)
    }
}

/// Judges groups of classes of equal rows by everything that is not their size.
struct Judge<'l> {
    lattice: &'l Lattice<'l>,
    /// For each value of a sensitive column how often it comes, for those that were met.
    counts: Vec<u32>,
    met: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    rows: Vec<u32>,
    scratch: Vec<u32>,
}

impl<'l> Judge<'l> {
    fn new(lattice: &'l Lattice<'l>) -> Self {
        let values = lattice.tallies.iter().map(|tally| tally.values).max().unwrap_or(0);
        let (met, pairs, rows, scratch) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { lattice, counts: vec![0; values], met, pairs, rows, scratch }
    }

    fn holds(&mut self, equal: &[u32], rows: u32) -> bool {
        let bound = &self.lattice.bound;
        if bound.counts_persons() {
            self.rows.clear();
            equal.iter().for_each(|&class| self.rows.extend_from_slice(self.lattice.equal.rows(class as usize)));
            if bound.persons(&self.rows, &mut self.scratch) < bound.k {
                return false;
            }
        }
        bound.conditions.iter().zip(&self.lattice.tallies).all(|(condition, tally)| {
            for &class in equal {
                let own = tally.starts[class as usize] as usize..tally.starts[class as usize + 1] as usize;
                for &(value, count) in &tally.pairs[own] {
                    if self.counts[value as usize] == 0 {
                        self.met.push(value);
                    }
                    self.counts[value as usize] += count;
                }
            }
            self.met.sort_unstable();
            self.pairs.clear();
            for value in self.met.drain(..) {
                self.pairs.push((value, std::mem::take(&mut self.counts[value as usize])));
            }
            condition.condition.holds(condition.condition.reach(&self.pairs, rows))
        })
    }
}

/// The classes of equal rows with their numbers, and the rows of each; with a population those of the population, of which some have
/// no rows of the table.
fn equal_rows(table: &Table, quasi: &[Quasi<'_>], bits: &[(u32, u32)], bound: &Bound<'_>) -> Result<(Groups, Classes)> {
    let equal = Classes::of(table, &table.quasi()?);
    let key_of = |leaf: &dyn Fn(usize) -> u32| {
        bits.iter().enumerate().fold(0u128, |key, (at, &(shift, _))| key | u128::from(leaf(at)) << shift)
    };
    let own_leaf = |class: usize, at: usize| {
        let cell = quasi[at].column.cells[equal.rows(class)[0] as usize];
        quasi[at].tree.as_ref().map_or(0, |(_, leaves)| leaves[cell as usize])
    };
    let keys: Vec<u128> = (0..equal.len()).map(|class| key_of(&|at| own_leaf(class, at))).collect();
    let rows: Vec<u32> = (0..equal.len()).map(|class| equal.size(class) as u32).collect();
    let wants_members = bound.counts_persons() || !bound.conditions.is_empty();
    let of = |count: usize| if wants_members { (0..count as u32).collect() } else { Vec::new() };
    if bound.of_population.is_empty() {
        return Ok((Groups { of: of(keys.len()), keys, rows, population: Vec::new() }, equal));
    }
    let whole = population::population_of(table)?;
    let mut leaves = Vec::new();
    let mut places = Vec::new();
    for quasi in quasi {
        let place = whole.find(&quasi.column.name)?;
        places.push(place);
        leaves.push(match &quasi.tree {
            Some((tree, _)) => whole.columns()[place].leaves(tree)?,
            None => Vec::new(),
        });
    }
    let alike = Classes::of(whole, &places);
    let mut meeting = Meeting::new(keys.len() + alike.len());
    keys.iter().for_each(|&key| {
        meeting.place(key);
    });
    let mut covered = vec![0u32; keys.len()];
    for class in 0..alike.len() {
        let row = alike.rows(class)[0] as usize;
        let leaf = |at: usize| leaves[at][whole.columns()[places[at]].cells[row] as usize];
        let group = meeting.place(key_of(&leaf));
        if group == covered.len() {
            covered.push(0);
        }
        covered[group] += alike.size(class) as u32;
    }
    let count = meeting.keys.len();
    let rows = rows.into_iter().chain(std::iter::repeat(0)).take(count).collect();
    let equal = Classes::new(equal.of, count);
    Ok((Groups { keys: meeting.keys, rows, population: covered, of: of(count) }, equal))
}

/// Numbers of classes, each with its place in the order in which they come.
struct Meeting {
    keys: Vec<u128>,
    places: Vec<u32>,
}

impl Meeting {
    fn new(most: usize) -> Self {
        Self { keys: Vec::new(), places: vec![u32::MAX; (2 * most.max(1)).next_power_of_two()] }
    }

    fn place(&mut self, key: u128) -> usize {
        let folded = (key as u64) ^ ((key >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = folded.wrapping_mul(0xff51_afd7_ed55_8ccd);
        let mut at = (mixed ^ mixed >> 32) as usize & (self.places.len() - 1);
        loop {
            match self.places[at] {
                u32::MAX => {
                    self.places[at] = self.keys.len() as u32;
                    self.keys.push(key);
                    return self.keys.len() - 1;
                }
                group if self.keys[group as usize] == key => return group as usize,
                _ => at = (at + 1) & (self.places.len() - 1),
            }
        }
    }
}
