//! Full-domain generalisation: every quasi column is published on one level of its hierarchy, the best that there is.
//!
//! Paper      Samarati. Protecting respondents' identities in microdata release. IEEE TKDE 13 (2001); optimal by quality as in
//!            Prasser et al., ARX, AMIA 2014.
//! Promises   k-anonymity, and every model that is asked for; rows of classes that do not satisfy them are left out, at most the
//!            share `suppress` of all.
//! Does not   fit levels to places: where few rows are alike, the whole column becomes coarse. Local methods lose far less.
//!
//! # Idea
//! 1. A *node* gives every column a level. Rows with the same labels are a class; those that satisfy all models are published.
//! 2. Nodes are gone through column by column. The classes of a node are made from those of the node one level below in one
//!    column, never from rows: a class is a number with a few bits for each column, and merging is one search for each class.
//! 3. A node whose value is known to be no better than the best so far, whatever its classes are, is not looked at; nor is what
//!    lies above it. The first best is found by going down from the top, one level at a time, as long as that is allowed.
//! 4. Of nodes with the same value the one with the lower levels, in the order of columns, is taken.
//!
//! # Cost
//! Time O(nodes x classes of the node below), over all threads. Memory: the classes of as many nodes as there are columns, for
//! each thread.

use std::borrow::Cow;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::quality::{self, Class, ColumnLevels, Quality};
use super::{Bound, Demands, Quasi, Shown, publish};
use crate::data::Dataset as _;
use crate::data::table::{Classes, Table};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::models::on_classes::Demand;
use crate::progress::Progress;
use crate::release::{Protected, Search};
use crate::rng::Rng;

/// The card.
pub const INFO: Info = Info {
    name: "full-domain",
    summary: "every quasi column on one level of its hierarchy, the optimal ones",
    paper: "Samarati. Protecting respondents' identities in microdata release. IEEE TKDE 13 (2001); Prasser et al. ARX. AMIA 2014",
    details: "A node of the lattice gives every quasi column a level of its hierarchy; every column needs one. Rows of classes that \
        satisfy all models are published, the others left out, at most the share `suppress` of all rows. Of all nodes that are \
        allowed it takes the one with the least value of the quality, and the certificate's `search` says which, and how many there \
        were. The values are those that ARX computes.\n\
        Claims table-k-anonymity(k), unless k is 1, and every `--model` that is asked for.\n\
        It keeps columns whole, so that a column means the same in every row; what is lost is far more than by methods that \
        generalise each class for itself.",
    parameters: &[
        info::K,
        Parameter {
            name: "suppress",
            summary: "the share of rows that may be left out, at most",
            kind: ParameterKind::Weight,
            default: "0",
        },
        Parameter {
            name: "quality",
            summary: "what the best is: ncp, loss, loss:balance=0.1, entropy, entropy-suppressed, discernibility, \
                      discernibility-suppressed or classes",
            kind: ParameterKind::Text,
            default: "ncp",
        },
        Parameter {
            name: "max-nodes",
            summary: "how many generalisations are looked at, at most; 0 for all",
            kind: ParameterKind::Count,
            default: "0",
        },
    ],
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons a class has, at least.
    pub k: usize,
    /// The share of rows that may be left out.
    pub suppress: f64,
    /// What the best is.
    pub quality: String,
    /// How many nodes are looked at; 0 for all.
    pub max_nodes: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, suppress: 0.0, quality: "ncp".to_owned(), max_nodes: 0 }
    }
}

/// More nodes are refused.
const MOST_NODES: u64 = 1 << 31;

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct FullDomain {
    params: Params,
    quality: Quality,
    demands: Demands,
}

impl FullDomain {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if !(0.0..=1.0).contains(&params.suppress) {
            return Err(Error::parameter(
                "suppress",
                format!("is {}, but must be a share from 0 to 1", params.suppress),
            ));
        }
        let quality = Quality::parse(&params.quality)?;
        Ok(Self { quality, demands: Demands::new(params.k)?, params })
    }
}

impl Method<Table> for FullDomain {
    fn protect(&self, original: &Table, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Table>> {
        let bound = self.demands.bind(original)?;
        let lattice = Lattice::of(original, bound)?;
        // A hundredth of a hundred rows is one of them, also where it is no whole number of halves.
        let limit = (self.params.suppress * original.rows() as f64 + 1e-9).floor() as u64;
        let most = if self.params.max_nodes == 0 { u64::MAX } else { self.params.max_nodes };
        progress.stage("generalisations", lattice.nodes);
        let found = lattice.best(self.quality, limit, most, progress);
        progress.go_on()?;
        let Some(best) = found.best else { return Err(lattice.impossible(limit, progress)) };
        let (classes, nodes) = lattice.published(&best.levels);
        let levels = &best.levels;
        let mut protected = publish(
            original,
            &lattice.quasi,
            &classes,
            |class, at| Shown::Label(levels[at], nodes[class][at]),
            &self.demands,
        );
        let names = lattice.quasi.iter().map(|quasi| quasi.column.name.clone());
        protected.search = Some(Search {
            levels: names.zip(levels.iter().copied()).collect(),
            quality: self.params.quality.clone(),
            value: best.value,
            suppressed_rows: best.suppressed,
            nodes: lattice.nodes,
            looked_at: found.looked_at,
            optimal: (most < lattice.nodes).then_some(false),
        });
        Ok(protected)
    }

    fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        shown_parameters(&self.params)
    }

    fn demand(&mut self, demands: Vec<Demand>) -> Result<()> {
        self.demands.add(demands);
        Ok(())
    }
}

/// A node that may be published.
#[derive(Debug, Clone, PartialEq)]
struct Node {
    value: f64,
    levels: Vec<usize>,
    suppressed: u64,
}

impl Node {
    fn is_better(&self, other: &Self) -> bool {
        self.value < other.value || (self.value == other.value && self.levels < other.levels)
    }
}

fn better(one: Option<Node>, other: Option<Node>) -> Option<Node> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.is_better(&one) { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// What was found.
struct Found {
    best: Option<Node>,
    looked_at: u64,
}

/// All generalisations of a table.
struct Lattice<'a> {
    quasi: Vec<Quasi<'a>>,
    bound: Bound<'a>,
    rows: u64,
    columns: Vec<ColumnLevels>,
    /// For each column, for each level but the last, for each node the node above it.
    parents: Vec<Vec<Vec<u32>>>,
    /// For each column where its bits begin in the number of a class, and how many it has.
    bits: Vec<(u32, u32)>,
    /// Rows that are equal in all quasi columns.
    base: Groups,
    equal: Classes,
    nodes: u64,
}

/// Classes of a node.
#[derive(Debug, Clone)]
struct Groups {
    /// The node of every column, in the column's bits.
    keys: Vec<u128>,
    rows: Vec<u32>,
    /// For each class of equal rows the group that it is in; empty where nobody asks.
    of: Vec<u32>,
}

impl<'a> Lattice<'a> {
    fn of(table: &'a Table, bound: Bound<'a>) -> Result<Self> {
        let quasi = Quasi::all(table)?;
        if let Some(without) = quasi.iter().find(|quasi| quasi.tree.is_none()) {
            return Err(Error::refused("full-domain generalisation needs a hierarchy of every quasi column")
                .in_column(&without.column.name)
                .with_hint(format!(
                    "give one: `--hierarchy {}=FILE`; make one: `throng taxonomy generate`; or choose `--method mondrian`, which \
                     makes intervals of numbers",
                    without.column.name
                )));
        }
        let trees: Vec<_> = quasi.iter().filter_map(|quasi| quasi.tree.as_ref()).collect();
        let nodes = trees.iter().try_fold(1u64, |nodes, (tree, _)| nodes.checked_mul(tree.height() as u64 + 1));
        let nodes = nodes.filter(|&nodes| nodes <= MOST_NODES).ok_or_else(|| {
            Error::refused("there are more than 2^31 ways to generalise these columns").with_hint(
                "choose `--method mondrian`, which generalises each class for itself, or hierarchies with fewer levels",
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
            .with_hint("choose `--method mondrian`, or name fewer quasi columns"));
        }
        let equal = Classes::of(table, &table.quasi()?);
        let key = |class: usize| {
            let row = equal.rows(class)[0] as usize;
            quasi.iter().zip(&trees).zip(&bits).fold(0u128, |key, ((quasi, (_, leaves)), &(shift, _))| {
                key | u128::from(leaves[quasi.column.cells[row] as usize]) << shift
            })
        };
        let wants_members = bound.counts_persons() || !bound.conditions.is_empty();
        let base = Groups {
            keys: (0..equal.len()).map(key).collect(),
            rows: (0..equal.len()).map(|class| equal.size(class) as u32).collect(),
            of: if wants_members { (0..equal.len() as u32).collect() } else { Vec::new() },
        };
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
        let parents =
            trees.iter().map(|(tree, _)| (0..tree.height()).map(|level| tree.parents(level)).collect()).collect();
        let rows = table.rows() as u64;
        Ok(Self { bound, rows, columns, parents, bits, base, equal, nodes, quasi })
    }

    fn height(&self, at: usize) -> usize {
        self.parents[at].len()
    }

    /// The groups with one column one level higher.
    fn rolled(&self, groups: &Groups, at: usize, level: usize) -> Groups {
        let (shift, width) = self.bits[at];
        let mask = ((1u128 << width) - 1) << shift;
        let parents = &self.parents[at][level];
        let mut places = vec![u32::MAX; (2 * groups.keys.len()).next_power_of_two()];
        let (mut keys, mut rows): (Vec<u128>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut new_of = vec![0u32; if groups.of.is_empty() { 0 } else { groups.keys.len() }];
        for (old, (&key, &count)) in groups.keys.iter().zip(&groups.rows).enumerate() {
            let node = parents[((key & mask) >> shift) as usize];
            let key = (key & !mask) | u128::from(node) << shift;
            let mut place = place_of(key, places.len());
            let group = loop {
                match places[place] {
                    u32::MAX => {
                        places[place] = keys.len() as u32;
                        keys.push(key);
                        rows.push(0);
                        break keys.len() - 1;
                    }
                    group if keys[group as usize] == key => break group as usize,
                    _ => place = (place + 1) & (places.len() - 1),
                }
            };
            rows[group] += count;
            if let Some(new) = new_of.get_mut(old) {
                *new = group as u32;
            }
        }
        Groups { keys, rows, of: groups.of.iter().map(|&group| new_of[group as usize]).collect() }
    }

    /// The groups of a node.
    fn groups(&self, levels: &[usize]) -> Groups {
        let mut groups = self.base.clone();
        for (at, &level) in levels.iter().enumerate() {
            for below in 0..level {
                groups = self.rolled(&groups, at, below);
            }
        }
        groups
    }

    fn node_at(&self, key: u128, at: usize) -> u32 {
        let (shift, width) = self.bits[at];
        (key >> shift & ((1u128 << width) - 1)) as u32
    }

    /// Which classes satisfy everything, and how many rows do not; nothing if these are more than the limit.
    fn judged(&self, groups: &Groups, limit: u64) -> Option<(Vec<bool>, u64)> {
        let k = self.bound.k as u32;
        let mut is_ok: Vec<bool> = groups.rows.iter().map(|&rows| rows >= k).collect();
        let mut suppressed: u64 = groups.rows.iter().filter(|rows| **rows < k).map(|&rows| u64::from(rows)).sum();
        if suppressed > limit {
            return None;
        }
        if !groups.of.is_empty() {
            let members = Classes::new(groups.of.clone(), groups.keys.len());
            let mut scratch = Vec::new();
            let mut rows = Vec::new();
            for (group, is_ok) in is_ok.iter_mut().enumerate().filter(|(_, is_ok)| **is_ok) {
                rows.clear();
                members.rows(group).iter().for_each(|&equal| rows.extend_from_slice(self.equal.rows(equal as usize)));
                *is_ok = self.bound.holds(&rows, &mut scratch);
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
    fn look(&self, groups: &Groups, levels: &[usize], quality: Quality, limit: u64) -> Option<Node> {
        let (is_ok, suppressed) = self.judged(groups, limit)?;
        let count = self.columns.len();
        let nodes: Vec<u32> =
            groups.keys.iter().flat_map(|&key| (0..count).map(move |at| self.node_at(key, at))).collect();
        let class = |group: usize| Class {
            nodes: &nodes[group * count..(group + 1) * count],
            rows: groups.rows[group],
            is_ok: is_ok[group],
        };
        let value = quality.value(&self.columns, levels, self.rows, (0..groups.keys.len()).map(class));
        Some(Node { value, levels: levels.to_vec(), suppressed })
    }

    /// Something allowed, found by going down from the top, each time by the best step.
    fn first(&self, quality: Quality, limit: u64) -> Option<Node> {
        let top: Vec<usize> = (0..self.columns.len()).map(|at| self.height(at)).collect();
        let mut best = self.look(&self.groups(&top), &top, quality, limit)?;
        loop {
            let below = (0..top.len()).into_par_iter().filter(|&at| best.levels[at] > 0).map(|at| {
                let mut levels = best.levels.clone();
                levels[at] -= 1;
                self.look(&self.groups(&levels), &levels, quality, limit)
            });
            match below.reduce(|| None, better) {
                Some(found) if found.is_better(&best) => best = found,
                _ => return Some(best),
            }
        }
    }

    /// The best node, of the first so many.
    fn best(&self, quality: Quality, limit: u64, most: u64, progress: &dyn Progress) -> Found {
        let first = if most < self.nodes { None } else { self.first(quality, limit) };
        // The levels of the first two columns cut the work, whatever the number of threads.
        let outer = self.columns.len().min(2);
        let mut starts: Vec<Vec<usize>> = vec![Vec::new()];
        for at in 0..outer {
            starts = starts
                .into_iter()
                .flat_map(|levels| (0..=self.height(at)).map(move |level| [levels.clone(), vec![level]].concat()))
                .collect();
        }
        let each = self.nodes / starts.len() as u64;
        let work = |(number, start): (usize, &Vec<usize>)| {
            let before = number as u64 * each;
            let mut walk = Walk {
                lattice: self,
                quality,
                limit,
                best: first.clone(),
                looked_at: 0,
                left: most.saturating_sub(before).min(each),
                progress,
            };
            let mut levels = start.clone();
            levels.resize(self.columns.len(), 0);
            if walk.left > 0 && !walk.is_hopeless(&levels) {
                walk.from(outer, &mut levels, &self.groups(start));
            }
            progress.advance(each);
            (walk.best, walk.looked_at)
        };
        let (best, looked_at) = starts
            .par_iter()
            .enumerate()
            .map(work)
            .reduce(|| (None, 0), |one, other| (better(one.0, other.0), one.1 + other.1));
        Found { best, looked_at }
    }

    /// Why nothing is allowed, and what would be.
    fn impossible(&self, limit: u64, progress: &dyn Progress) -> Error {
        let failing = self.bound.refuse_impossible(self.rows as usize).err();
        let says = match &failing {
            Some(error) => error.to_string(),
            None => format!("each would leave out more than {limit} rows"),
        };
        let fewest = self.fewest_suppressed(progress);
        let error = Error::refused(format!("no generalisation of whole columns satisfies the models: {says}"));
        match fewest {
            Some(rows) => {
                // Rounded up, so that it is enough.
                let share = (rows as f64 / self.rows as f64 * 1e4).ceil() / 1e4;
                error.with_hint(format!("`--suppress {share}` would do: it leaves out {rows} rows"))
            }
            None => error.with_hint("leaving rows out does not help either: ask for less"),
        }
    }

    /// The fewest rows that some node leaves out, of those that leave some.
    fn fewest_suppressed(&self, progress: &dyn Progress) -> Option<u64> {
        let mut fewest: Option<u64> = None;
        let mut levels = vec![0; self.columns.len()];
        loop {
            if progress.is_stopped() {
                return fewest;
            }
            let limit = fewest.map_or(self.rows, |fewest| fewest.saturating_sub(1));
            if let Some((_, suppressed)) = self.judged(&self.groups(&levels), limit) {
                fewest = Some(suppressed);
            }
            let Some(at) = (0..levels.len()).rev().find(|&at| levels[at] < self.height(at)) else { return fewest };
            levels[at] += 1;
            levels[at + 1..].fill(0);
        }
    }

    /// The classes of a node that are published, as rows, with the node of every column.
    fn published(&self, levels: &[usize]) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
        let mut groups = self.base.clone();
        groups.of = (0..self.equal.len() as u32).collect();
        for (at, &level) in levels.iter().enumerate() {
            for below in 0..level {
                groups = self.rolled(&groups, at, below);
            }
        }
        let members = Classes::new(groups.of.clone(), groups.keys.len());
        let mut scratch = Vec::new();
        let (mut classes, mut nodes) = (Vec::new(), Vec::new());
        for (group, &key) in groups.keys.iter().enumerate() {
            let mut rows: Vec<u32> = Vec::new();
            members.rows(group).iter().for_each(|&equal| rows.extend_from_slice(self.equal.rows(equal as usize)));
            rows.sort_unstable();
            if self.bound.holds(&rows, &mut scratch) {
                classes.push(rows);
                nodes.push((0..self.columns.len()).map(|at| self.node_at(key, at)).collect());
            }
        }
        (classes, nodes)
    }
}

/// The place of a number among so many, a power of two.
fn place_of(key: u128, places: usize) -> usize {
    let folded = (key as u64) ^ ((key >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = folded.wrapping_mul(0xff51_afd7_ed55_8ccd);
    (mixed ^ mixed >> 32) as usize & (places - 1)
}

/// One way through a part of the lattice.
struct Walk<'a> {
    lattice: &'a Lattice<'a>,
    quality: Quality,
    limit: u64,
    best: Option<Node>,
    looked_at: u64,
    /// How many nodes may still be gone through.
    left: u64,
    progress: &'a dyn Progress,
}

impl Walk<'_> {
    /// Whether nothing at or above these levels can be better than the best.
    fn is_hopeless(&self, levels: &[usize]) -> bool {
        let least = self.quality.least(&self.lattice.columns, levels);
        // Sums in another order may differ in their last digits.
        self.best.as_ref().is_some_and(|best| least > best.value + best.value.abs() * 1e-12)
    }

    /// Goes through all nodes with the levels of the columns before `at`.
    fn from(&mut self, at: usize, levels: &mut Vec<usize>, groups: &Groups) {
        if at == levels.len() {
            self.left = self.left.saturating_sub(1);
            self.looked_at += 1;
            let found = self.lattice.look(groups, levels, self.quality, self.limit);
            self.best = better(self.best.take(), found);
            return;
        }
        let mut groups = Cow::Borrowed(groups);
        for level in 0..=self.lattice.height(at) {
            if self.left == 0 || self.progress.is_stopped() {
                break;
            }
            levels[at] = level;
            if level > 0 {
                groups = Cow::Owned(self.lattice.rolled(&groups, at, level - 1));
            }
            if self.is_hopeless(levels) {
                break;
            }
            self.from(at + 1, levels, &groups);
        }
        levels[at] = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::table::testing::{twelve, with_hierarchies};
    use crate::data::table::{Column, ColumnRole};
    use crate::models::on_classes::ClassModel;
    use crate::models::{l_diversity, t_closeness};
    use crate::progress::Silent;
    use crate::release::Claim;

    fn search(table: &Table, k: usize, suppress: f64, quality: &str) -> Search {
        let method = FullDomain::new(Params { k, suppress, quality: quality.to_owned(), max_nodes: 0 }).unwrap();
        method.protect(table, &mut crate::rng::Rng::seeded(1), &Silent).unwrap().search.unwrap()
    }

    /// The value of one node of the twelve rows.
    fn value(levels: &[usize], quality: &str) -> f64 {
        let table = twelve();
        let lattice = Lattice::of(&table, Demands::new(3).unwrap().bind(&table).unwrap()).unwrap();
        let quality = Quality::parse(quality).unwrap();
        let node = lattice.look(&lattice.groups(levels), levels, quality, 12).unwrap();
        assert_eq!(node.suppressed, 4);
        node.value
    }

    #[test]
    fn every_value_of_the_case_by_hand() {
        for (quality, expected) in [
            ("entropy", 15.751_349_924_5),
            ("entropy-suppressed", 19.751_349_924_5),
            ("loss", 0.462_494_064_516_682_85),
            ("loss:balance=0.1", 0.238_278_374_695_084_28),
            ("loss:balance=0.8", 0.379_630_980_498_921_3),
            ("discernibility", 42.0),
            ("discernibility-suppressed", 82.0),
            ("classes", 4.0),
            ("ncp", 0.508_333_333_333),
        ] {
            let found = value(&[1, 0], quality);
            assert!((found - expected).abs() < 1e-9 * expected, "{quality}: {found}");
        }
    }

    #[test]
    fn every_optimum_of_the_case_by_hand() {
        for (limit, quality, value, levels) in [
            (0.0, "entropy", Some(26.770_899_933_1), [1, 1]),
            (0.0, "loss", Some(0.414_213_562_37), [2, 0]),
            (0.0, "discernibility", Some(74.0), [1, 1]),
            (0.0, "ncp", Some(0.5), [2, 0]),
            (0.34, "entropy", None, [1, 0]),
            (0.34, "loss", None, [2, 0]),
            (0.34, "ncp", None, [2, 0]),
            (0.34, "loss:balance=0.1", None, [1, 0]),
            (0.34, "discernibility-suppressed", None, [1, 1]),
        ] {
            let found = search(&twelve(), 3, limit, quality);
            assert_eq!([found.levels["zip"], found.levels["sex"]], levels, "{limit} {quality}");
            if let Some(value) = value {
                assert!((found.value - value).abs() < 1e-9 * value, "{quality}: {}", found.value);
            }
            assert_eq!(found.nodes, 6);
        }
    }

    #[test]
    fn what_cannot_be_is_said_with_what_would_do() {
        let mut method = FullDomain::new(Params { k: 2, ..Params::default() }).unwrap();
        let model = l_diversity::LDiversity::new(l_diversity::Params { l: 4.0, ..Default::default() }).unwrap();
        let claim = Claim::new(&l_diversity::INFO, []);
        method.demand(vec![Demand { claim, model: std::sync::Arc::new(model) }]).unwrap();
        let error = method.protect(&twelve(), &mut crate::rng::Rng::seeded(1), &Silent).unwrap_err().describe(false);
        assert!(error.contains("the model `l-diversity` fails even if all rows look the same"), "{error}");
    }

    /// Random tables with two trees of three levels.
    fn tables() -> impl Strategy<Value = Table> {
        prop::collection::vec((0usize..6, 0usize..4, 0usize..3), 2..30).prop_map(|rows| {
            let column =
                |name: &str, role, texts: Vec<String>| Column::new(name, role, texts.iter().map(String::as_str));
            let a = column("a", ColumnRole::Quasi, rows.iter().map(|row| format!("a{}", row.0)).collect());
            let b = column("b", ColumnRole::Quasi, rows.iter().map(|row| format!("b{}", row.1)).collect());
            let s = column("s", ColumnRole::Sensitive, rows.iter().map(|row| format!("s{}", row.2)).collect());
            let tree = |letter: char, leaves: usize| {
                (0..leaves)
                    .map(|leaf| format!("{letter}{leaf};{letter}x{};{letter}y{};*\n", leaf / 2, leaf / 4))
                    .collect::<String>()
            };
            with_hierarchies(Table::of_rows(vec![a, b, s]), &[("a", &tree('a', 6)), ("b", &tree('b', 5))])
        })
    }

    fn models() -> Vec<std::sync::Arc<dyn ClassModel>> {
        vec![
            std::sync::Arc::new(l_diversity::LDiversity::new(l_diversity::Params::default()).unwrap()),
            std::sync::Arc::new(
                t_closeness::TCloseness::new(t_closeness::Params { t: 0.4, ..Default::default() }).unwrap(),
            ),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The search finds what looking at every node from its rows finds, for every quality and model.
        #[test]
        fn it_is_exhaustive_search(table in tables(), k in 1usize..4, quality in 0..quality::NAMES.len(), model in 0usize..3, limit in 0u64..6) {
            let quality = Quality::parse(quality::NAMES[quality]).unwrap();
            let mut demands = Demands::new(k.min(table.persons())).unwrap();
            let claim = Claim::new(&INFO, []);
            if let Some(model) = models().get(model) {
                demands.add(vec![Demand { claim, model: std::sync::Arc::clone(model) }]);
            }
            let Ok(bound) = demands.bind(&table) else { return Ok(()) };
            let lattice = Lattice::of(&table, bound).unwrap();
            let mut expected = None;
            for a in 0..=3 {
                for b in 0..=3 {
                    let levels = [a, b];
                    let released = crate::data::table::testing::generalised(&table, &[("a", a), ("b", b)]);
                    let classes = Classes::of(&released, &[0, 1]);
                    let is_ok: Vec<bool> = (0..classes.len()).map(|class| lattice.bound.holds(classes.rows(class), &mut Vec::new())).collect();
                    let suppressed: usize = (0..classes.len()).filter(|&class| !is_ok[class]).map(|class| classes.size(class)).sum();
                    if suppressed as u64 > limit || suppressed == table.rows() {
                        continue;
                    }
                    let node_of = |class: usize, at: usize| {
                        let (tree, leaves) = lattice.quasi[at].tree.as_ref().unwrap();
                        tree.node(levels[at], leaves[table.columns()[at].cells[classes.rows(class)[0] as usize] as usize])
                    };
                    let nodes: Vec<[u32; 2]> = (0..classes.len()).map(|class| [node_of(class, 0), node_of(class, 1)]).collect();
                    let class = |class: usize| Class { nodes: &nodes[class], rows: classes.size(class) as u32, is_ok: is_ok[class] };
                    let value = quality.value(&lattice.columns, &levels, table.rows() as u64, (0..classes.len()).map(class));
                    expected = better(expected, Some(Node { value, levels: levels.to_vec(), suppressed: suppressed as u64 }));
                }
            }
            let found = lattice.best(quality, limit, u64::MAX, &Silent).best;
            match (&found, &expected) {
                (Some(found), Some(expected)) => prop_assert!((found.value - expected.value).abs() <= 1e-9 * expected.value.abs()),
                _ => prop_assert_eq!(found, expected),
            }
        }
    }
}
