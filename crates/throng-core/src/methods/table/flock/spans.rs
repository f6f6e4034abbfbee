//! What classes span: in a column with a hierarchy a node, in a column of numbers an interval; and how much that leaves open.
//!
//! Nodes of a hierarchy are numbered over all levels, so that what two of them leave open together is one look into a table.

use super::super::Quasi;
use crate::data::table::{Classes, Hierarchy, Table, cell};
use crate::error::Result;

/// Hierarchies with more nodes have no table of pairs.
const MOST_PAIRS: usize = 600;
/// Places in an order are cut to so many bits, so many columns at most.
const BITS: u32 = 16;
const MOST_COLUMNS: usize = 8;

/// A hierarchy by the numbers of its nodes.
struct Tree {
    parents: Vec<u32>,
    levels: Vec<u32>,
    penalties: Vec<f64>,
    /// For each node the place of its first leaf, leaves under one label side by side.
    places: Vec<u32>,
    /// For each pair of nodes the lowest above both; empty where these would be too many.
    above: Vec<u32>,
}

impl Tree {
    fn of(hierarchy: &Hierarchy, weight: f64) -> Self {
        let mut starts = vec![0u32];
        for level in 0..=hierarchy.height() {
            starts.push(starts[level] + hierarchy.nodes(level) as u32);
        }
        let count = starts[hierarchy.height() + 1] as usize;
        let mut tree = Self {
            parents: (0..count as u32).collect(),
            levels: Vec::new(),
            penalties: Vec::new(),
            places: vec![u32::MAX; count],
            above: Vec::new(),
        };
        for level in 0..=hierarchy.height() {
            for node in 0..hierarchy.nodes(level) as u32 {
                tree.levels.push(level as u32);
                tree.penalties.push(weight * cell::Cell::Node(level, node).penalty(Some(hierarchy), (0.0, 0.0)));
            }
            if level < hierarchy.height() {
                for (node, parent) in hierarchy.parents(level).into_iter().enumerate() {
                    tree.parents[starts[level] as usize + node] = starts[level + 1] + parent;
                }
            }
        }
        let way = |leaf: u32| -> Vec<u32> {
            (0..=hierarchy.height()).rev().map(|level| hierarchy.node(level, leaf)).collect()
        };
        let mut leaves: Vec<(Vec<u32>, u32)> = (0..hierarchy.leaves()).map(|leaf| (way(leaf), leaf)).collect();
        leaves.sort_unstable();
        for (place, (_, leaf)) in (0u32..).zip(leaves) {
            for (level, start) in starts.iter().enumerate().take(hierarchy.height() + 1) {
                let node = (start + hierarchy.node(level, leaf)) as usize;
                tree.places[node] = tree.places[node].min(place);
            }
        }
        if count <= MOST_PAIRS {
            let pairs = (0..count as u32).flat_map(|one| (0..count as u32).map(move |other| (one, other)));
            tree.above = pairs.map(|(one, other)| tree.climb(one, other)).collect();
        }
        tree
    }

    fn climb(&self, mut one: u32, mut other: u32) -> u32 {
        while one != other {
            if self.levels[one as usize] <= self.levels[other as usize] {
                one = self.parents[one as usize];
            } else {
                other = self.parents[other as usize];
            }
        }
        one
    }

    fn above(&self, one: u32, other: u32) -> u32 {
        if one == other {
            one
        } else if self.above.is_empty() {
            self.climb(one, other)
        } else {
            self.above[one as usize * self.parents.len() + other as usize]
        }
    }
}

/// A column of numbers.
struct Line {
    numbers: Vec<f64>,
    /// What one unit of width leaves open.
    per_width: f64,
}

/// What a class spans: for each column with a hierarchy a node, for each column of numbers an interval.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hull {
    nodes: Vec<u32>,
    intervals: Vec<(f64, f64)>,
}

/// Rows that are equal, and how spans are measured.
pub(super) struct Blocks {
    trees: Vec<Tree>,
    lines: Vec<Line>,
    /// For each column whether it is a tree, and its number there.
    columns: Vec<(bool, usize)>,
    pub(super) equal: Classes,
    /// For each block what it spans.
    pub(super) hulls: Vec<Hull>,
    /// What a row leaves open that says nothing.
    pub(super) nothing_said: f64,
}

impl Blocks {
    pub(super) fn of(table: &Table, quasi: &[Quasi<'_>]) -> Result<Self> {
        let equal = Classes::of(table, &table.quasi()?);
        let (mut trees, mut lines, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for quasi in quasi {
            match &quasi.tree {
                Some((hierarchy, _)) => {
                    columns.push((true, trees.len()));
                    trees.push(Tree::of(hierarchy, quasi.weight()));
                }
                None => {
                    columns.push((false, lines.len()));
                    let mut numbers = quasi.numbers.clone();
                    numbers.sort_by(f64::total_cmp);
                    numbers.dedup();
                    let range = quasi.range.1 - quasi.range.0;
                    lines.push(Line { numbers, per_width: if range > 0.0 { quasi.weight() / range } else { 0.0 } });
                }
            }
        }
        let hull = |block: usize| {
            let row = equal.rows(block)[0] as usize;
            let (mut nodes, mut intervals) = (Vec::new(), Vec::new());
            for quasi in quasi {
                let cell = quasi.column.cells[row] as usize;
                match &quasi.tree {
                    // Leaves come first among the nodes.
                    Some((hierarchy, leaves)) => nodes.push(hierarchy.node(0, leaves[cell])),
                    None => intervals.push((quasi.numbers[cell], quasi.numbers[cell])),
                }
            }
            Hull { nodes, intervals }
        };
        let hulls = (0..equal.len()).map(hull).collect();
        let nothing_said = quasi.iter().map(Quasi::weight).sum();
        Ok(Self { trees, lines, columns, equal, hulls, nothing_said })
    }

    pub(super) fn len(&self) -> usize {
        self.hulls.len()
    }

    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn size(&self, block: u32) -> u32 {
        self.equal.size(block as usize) as u32
    }

    pub(super) fn rows_of(&self, blocks: &[u32]) -> Vec<u32> {
        blocks.iter().flat_map(|&block| self.equal.rows(block as usize).iter().copied()).collect()
    }

    /// Classes of rows as classes of blocks; equal rows are in one class.
    pub(super) fn in_classes(&self, classes: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let of_class = |class: &Vec<u32>| {
            let mut own: Vec<u32> = class.iter().map(|&row| self.equal.of[row as usize]).collect();
            own.sort_unstable();
            own.dedup();
            own
        };
        classes.iter().map(of_class).collect()
    }

    /// The penalties of a hull, summed over columns.
    pub(super) fn open(&self, hull: &Hull) -> f64 {
        let by_trees: f64 = self.trees.iter().zip(&hull.nodes).map(|(tree, &node)| tree.penalties[node as usize]).sum();
        let by_lines: f64 =
            self.lines.iter().zip(&hull.intervals).map(|(line, &(low, high))| line.width(low, high)).sum();
        by_trees + by_lines
    }

    /// The same of two hulls together.
    #[inline]
    pub(super) fn open_together(&self, one: &Hull, other: &Hull) -> f64 {
        let mut sum = 0.0;
        for (tree, (&one, &other)) in self.trees.iter().zip(one.nodes.iter().zip(&other.nodes)) {
            sum += tree.penalties[tree.above(one, other) as usize];
        }
        for (line, (one, other)) in self.lines.iter().zip(one.intervals.iter().zip(&other.intervals)) {
            sum += line.width(one.0.min(other.0), one.1.max(other.1));
        }
        sum
    }

    pub(super) fn join(&self, hull: &mut Hull, other: &Hull) {
        for (tree, (own, &other)) in self.trees.iter().zip(hull.nodes.iter_mut().zip(&other.nodes)) {
            *own = tree.above(*own, other);
        }
        for (own, other) in hull.intervals.iter_mut().zip(&other.intervals) {
            *own = (own.0.min(other.0), own.1.max(other.1));
        }
    }

    /// A hull in a form that can be sorted.
    pub(super) fn key(&self, hull: &Hull) -> (Vec<u32>, Vec<(u64, u64)>) {
        let bits = |&(low, high): &(f64, f64)| (low.to_bits(), high.to_bits());
        (hull.nodes.clone(), hull.intervals.iter().map(bits).collect())
    }

    pub(super) fn hull(&self, blocks: &[u32]) -> Hull {
        let mut hull = self.hulls[blocks[0] as usize].clone();
        blocks[1..].iter().for_each(|&block| self.join(&mut hull, &self.hulls[block as usize]));
        hull
    }

    /// How many orders there are.
    pub(super) fn orders(&self) -> usize {
        self.width().min(MOST_COLUMNS) + 2 * usize::from(self.width() > 1)
    }

    /// Where a hull stands in an order: of the first ones each begins with another column; in the last two coarse places of all columns
    /// come before fine ones of any, in the second of them with other borders.
    pub(super) fn place(&self, hull: &Hull, order: usize) -> u128 {
        let plain = self.width().min(MOST_COLUMNS);
        if order < plain {
            let columns = (0..plain).map(|step| (order + step) % self.width());
            return columns.fold(0, |key, at| key << BITS | u128::from(self.rank(hull, at)));
        }
        let aside = if order == plain { 0 } else { 1 << BITS >> 3 };
        let ranks: Vec<u32> = (0..plain).map(|at| self.rank(hull, at) + aside).collect();
        let mut key = 0;
        for bit in (0..=BITS).rev().take(128 / plain) {
            for rank in &ranks {
                key = key << 1 | u128::from(rank >> bit & 1);
            }
        }
        key
    }

    /// The place of a hull among all values of a column, below 2^16: its first leaf, or its middle.
    fn rank(&self, hull: &Hull, column: usize) -> u32 {
        let (place, count) = match self.columns[column] {
            (true, at) => {
                let tree = &self.trees[at];
                (tree.places[hull.nodes[at] as usize] as usize, tree.parents.len())
            }
            (false, at) => {
                let (low, high) = hull.intervals[at];
                let middle = low + (high - low) / 2.0;
                (self.lines[at].numbers.partition_point(|&number| number < middle), self.lines[at].numbers.len())
            }
        };
        if count < 1 << BITS {
            place as u32 * ((1 << BITS) / count.max(1) as u32)
        } else {
            (place as u64 * (1 << BITS) / count as u64) as u32
        }
    }
}

impl Line {
    #[inline]
    fn width(&self, low: f64, high: f64) -> f64 {
        (high - low) * self.per_width
    }
}
