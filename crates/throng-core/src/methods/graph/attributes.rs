//! The quasi columns of nodes, and what a cluster of nodes loses in them.
//!
//! # Formula
//! What a cluster loses in a column is, for numbers, its interval by the range over all nodes; for a hierarchy the height of the tree under
//! the lowest label above its values by the height of the whole. A range or a height of 0 loses nothing. GIL of a cluster is its size
//! times the sum over columns, NGIL the sum over clusters by nodes and columns.

use crate::data::table::{ColumnRole, Hierarchy, Table};
use crate::error::Result;
use crate::methods::table::Quasi;

/// What some nodes have in common in a column: an interval, or a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    low: f64,
    high: f64,
    leaf: u32,
    level: u32,
}

/// The quasi columns of nodes.
pub(super) struct Attributes<'a> {
    /// As methods for tables see them.
    pub(super) quasi: Vec<Quasi<'a>>,
    columns: Vec<Loss>,
}

/// How a column loses.
enum Loss {
    /// The range over all nodes.
    Number(f64),
    Tree {
        /// For each leaf its node on each level.
        nodes: Vec<u32>,
        levels: usize,
        /// For each level and node of it what it loses.
        costs: Vec<Vec<f64>>,
    },
}

impl<'a> Attributes<'a> {
    /// The quasi columns of a table; none of no table.
    pub(super) fn of(table: Option<&'a Table>) -> Result<Self> {
        let quasi = match table.filter(|table| !table.of_role(ColumnRole::Quasi).is_empty()) {
            Some(table) => Quasi::all(table)?,
            None => Vec::new(),
        };
        let loss = |quasi: &Quasi<'_>| match &quasi.tree {
            None => Loss::Number(quasi.range.1 - quasi.range.0),
            Some((hierarchy, _)) => {
                let levels = hierarchy.height() + 1;
                let paths = (0..hierarchy.leaves()).flat_map(|leaf| (0..levels).map(move |level| (level, leaf)));
                Loss::Tree {
                    nodes: paths.map(|(level, leaf)| hierarchy.node(level, leaf)).collect(),
                    levels,
                    costs: costs(hierarchy),
                }
            }
        };
        let columns = quasi.iter().map(loss).collect();
        Ok(Self { quasi, columns })
    }

    /// How many columns there are.
    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// What a single value says.
    pub(super) fn of_value(&self, column: usize, value: u32) -> Span {
        let quasi = &self.quasi[column];
        match &quasi.tree {
            None => {
                let number = quasi.numbers[value as usize];
                Span { low: number, high: number, leaf: 0, level: 0 }
            }
            Some((_, leaves)) => Span { low: 0.0, high: 0.0, leaf: leaves[value as usize], level: 0 },
        }
    }

    /// What a single node says.
    pub(super) fn of_node(&self, column: usize, node: u32) -> Span {
        self.of_value(column, self.quasi[column].column.cells[node as usize])
    }

    /// What two say together.
    pub(super) fn joined(&self, column: usize, one: Span, other: Span) -> Span {
        match &self.columns[column] {
            Loss::Number(_) => Span { low: one.low.min(other.low), high: one.high.max(other.high), ..one },
            Loss::Tree { nodes, levels, .. } => {
                let mut level = one.level.max(other.level) as usize;
                let (own, others) = (one.leaf as usize * levels, other.leaf as usize * levels);
                while nodes[own + level] != nodes[others + level] {
                    level += 1;
                }
                Span { level: level as u32, ..one }
            }
        }
    }

    /// What that loses.
    pub(super) fn cost(&self, column: usize, span: Span) -> f64 {
        match &self.columns[column] {
            Loss::Number(range) if *range > 0.0 => (span.high - span.low) / range,
            Loss::Number(_) => 0.0,
            Loss::Tree { nodes, levels, costs } => {
                let level = span.level as usize;
                costs[level][nodes[span.leaf as usize * levels + level] as usize]
            }
        }
    }

    /// What some nodes lose in all columns, each of them.
    pub(super) fn cost_of(&self, nodes: &[u32]) -> f64 {
        (0..self.columns())
            .map(|column| {
                let all = nodes.iter().map(|&node| self.of_node(column, node));
                all.reduce(|one, other| self.joined(column, one, other)).map_or(0.0, |span| self.cost(column, span))
            })
            .sum()
    }

    /// Nodes in an order in which those that say much the same are near each other: by the labels of every hierarchy from the top, and
    /// then by numbers.
    pub(super) fn order(&self, nodes: usize) -> Vec<u32> {
        let trees = self.columns.iter().enumerate().filter_map(|(at, loss)| match loss {
            Loss::Tree { nodes, levels, .. } => Some((at, nodes, *levels)),
            Loss::Number(_) => None,
        });
        let trees: Vec<_> = trees.collect();
        let most = trees.iter().map(|(.., levels)| *levels).max().unwrap_or(0);
        let key = |node: u32| {
            let mut key: Vec<u64> = Vec::new();
            // All columns on their second level from the top first: near are those that meet low in most columns.
            for down in 1..most {
                for &(at, paths, levels) in &trees {
                    if let Some(level) = (levels - 1).checked_sub(down) {
                        let leaf = self.of_node(at, node).leaf as usize;
                        key.push(u64::from(paths[leaf * levels + level]));
                    }
                }
            }
            for (at, loss) in self.columns.iter().enumerate() {
                if let Loss::Number(_) = loss {
                    // Bits of a number in the order of numbers.
                    let bits = self.of_node(at, node).low.to_bits();
                    key.push(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 });
                }
            }
            key
        };
        let mut order: Vec<(Vec<u64>, u32)> = (0..nodes as u32).map(|node| (key(node), node)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, node)| node).collect()
    }
}

/// For each level and node of it the height of the tree under it, by the height of the whole. A label that goes up as itself is one node.
pub(crate) fn costs(hierarchy: &Hierarchy) -> Vec<Vec<f64>> {
    let mut heights: Vec<Vec<u32>> = vec![vec![0; hierarchy.nodes(0)]];
    for level in 1..=hierarchy.height() {
        let parents = hierarchy.parents(level - 1);
        let mut own = vec![0u32; hierarchy.nodes(level)];
        let mut children = vec![0u32; hierarchy.nodes(level)];
        parents.iter().for_each(|&parent| children[parent as usize] += 1);
        for (child, &parent) in (0u32..).zip(&parents) {
            let is_itself =
                children[parent as usize] == 1 && hierarchy.label(level - 1, child) == hierarchy.label(level, parent);
            let height = heights[level - 1][child as usize] + u32::from(!is_itself);
            own[parent as usize] = own[parent as usize].max(height);
        }
        heights.push(own);
    }
    let whole = match hierarchy.is_without_levels() {
        true => 0,
        false => heights[hierarchy.height()].first().map_or(0, |&height| height),
    };
    let share = |height: &u32| if whole == 0 { 0.0 } else { f64::from(*height) / f64::from(whole) };
    heights.iter().map(|level| level.iter().map(share).collect()).collect()
}

/// Whether nothing can be lost by a hierarchy: its height is 0.
pub fn loses_nothing(hierarchy: &Hierarchy) -> bool {
    costs(hierarchy).iter().flatten().all(|&cost| cost == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_goes_up_as_itself_is_one_node() {
        let uneven = Hierarchy::of_text("p;p;z;*\nq;q;z;*\nr;s;t;*\n").unwrap();
        let third = 1.0 / 3.0;
        assert_eq!(costs(&uneven), [vec![0.0; 3], vec![0.0, 0.0, third], vec![third, 2.0 * third], vec![1.0]]);
        assert_eq!(costs(&Hierarchy::of_text("a;a\n").unwrap()), [[0.0], [0.0]]);
        let bare = Hierarchy::without_levels("a\nb\n").unwrap().unwrap();
        assert_eq!(costs(&bare), [vec![0.0; 2], vec![0.0]]);
        assert!(loses_nothing(&bare) && !loses_nothing(&uneven));
    }
}
