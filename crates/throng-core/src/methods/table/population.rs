//! How many rows of the population a class covers: what models of presence ask methods for.
//!
//! A class publishes, column by column, the lowest label above its values or the interval that they lie in. It covers every row of the
//! population whose values lie below those labels and in those intervals.
//!
//! # Cost
//! A count looks at the rows of the population that fit in the column in which fewest do. Equal rows are one.

use std::sync::Arc;

use super::Quasi;
use crate::data::table::{Classes, Hierarchy, Table};
use crate::error::{Error, Result};

/// The population of a table, by its quasi columns.
pub(crate) struct Covering {
    columns: Vec<Axis>,
    /// How many rows of the population are equal to each of its different rows.
    rows: Vec<u32>,
}

/// A quasi column: what each row of the table is in it, and each different row of the population.
enum Axis {
    Tree {
        tree: Arc<Hierarchy>,
        /// For each row of the table its leaf.
        own: Vec<u32>,
        leaves: Vec<u32>,
        /// For each level, for each node the rows of the population under it.
        under: Vec<Vec<Vec<u32>>>,
    },
    Line {
        own: Vec<f64>,
        numbers: Vec<f64>,
        /// The rows of the population by their numbers.
        order: Vec<u32>,
    },
}

/// What a class says in a column.
enum Says {
    Node(usize, u32),
    Interval(f64, f64),
}

impl Covering {
    /// The population of a table with these quasi columns.
    pub(crate) fn of(table: &Table, quasi: &[Quasi<'_>]) -> Result<Self> {
        let population = population_of(table)?;
        let places: Vec<usize> =
            quasi.iter().map(|quasi| population.find(&quasi.column.name)).collect::<Result<_>>()?;
        let alike = Classes::of(population, &places);
        let axis = |(quasi, &place): (&Quasi<'_>, &usize)| -> Result<Axis> {
            let other = &population.columns()[place];
            let value = |class: usize| other.cells[alike.rows(class)[0] as usize] as usize;
            let own = &quasi.column.cells;
            Ok(match &quasi.tree {
                Some((tree, leaf_of)) => {
                    let of_values = other.leaves(tree)?;
                    let leaves: Vec<u32> = (0..alike.len()).map(|class| of_values[value(class)]).collect();
                    let level = |level: usize| {
                        let mut under = vec![Vec::new(); tree.nodes(level)];
                        (0u32..).zip(&leaves).for_each(|(row, &leaf)| under[tree.node(level, leaf) as usize].push(row));
                        under
                    };
                    Axis::Tree {
                        under: (0..=tree.height()).map(level).collect(),
                        own: own.iter().map(|&cell| leaf_of[cell as usize]).collect(),
                        tree: Arc::clone(tree),
                        leaves,
                    }
                }
                None => {
                    let of_values = other.numbers();
                    let numbers: Vec<f64> = (0..alike.len()).map(|class| of_values[value(class)]).collect();
                    // A row without a number is in no interval.
                    let mut order: Vec<u32> =
                        (0..alike.len() as u32).filter(|&row| !numbers[row as usize].is_nan()).collect();
                    order.sort_by(|&left, &right| numbers[left as usize].total_cmp(&numbers[right as usize]));
                    Axis::Line { own: own.iter().map(|&cell| quasi.numbers[cell as usize]).collect(), numbers, order }
                }
            })
        };
        Ok(Self {
            columns: quasi.iter().zip(&places).map(axis).collect::<Result<_>>()?,
            rows: (0..alike.len()).map(|class| alike.size(class) as u32).collect(),
        })
    }

    /// How many rows of the population a class of these rows of the table covers.
    pub(crate) fn covered(&self, rows: &[u32]) -> u64 {
        let says: Vec<Says> = self.columns.iter().map(|axis| axis.says(rows)).collect();
        let fitting = self.columns.iter().zip(&says).map(|(axis, says)| axis.fitting(says));
        let Some(fewest) = fitting.min_by_key(|fitting| fitting.len()) else { return 0 };
        let is_covered = |row: u32| self.columns.iter().zip(&says).all(|(axis, says)| axis.fits(says, row));
        fewest.iter().filter(|&&row| is_covered(row)).map(|&row| u64::from(self.rows[row as usize])).sum()
    }
}

impl Axis {
    fn says(&self, rows: &[u32]) -> Says {
        match self {
            Self::Tree { tree, own, .. } => {
                let level = tree.common_level(rows.iter().map(|&row| own[row as usize]));
                Says::Node(level, tree.node(level, own[rows[0] as usize]))
            }
            Self::Line { own, .. } => {
                let numbers = || rows.iter().map(|&row| own[row as usize]);
                Says::Interval(numbers().fold(f64::INFINITY, f64::min), numbers().fold(f64::NEG_INFINITY, f64::max))
            }
        }
    }

    /// Rows of the population that fit in this column.
    fn fitting(&self, says: &Says) -> &[u32] {
        match (self, says) {
            (Self::Tree { under, .. }, Says::Node(level, node)) => &under[*level][*node as usize],
            (Self::Line { numbers, order, .. }, Says::Interval(low, high)) => {
                let from = order.partition_point(|&row| numbers[row as usize] < *low);
                let to = order.partition_point(|&row| numbers[row as usize] <= *high);
                &order[from..to]
            }
            _ => &[],
        }
    }

    fn fits(&self, says: &Says, row: u32) -> bool {
        match (self, says) {
            (Self::Tree { tree, leaves, .. }, Says::Node(level, node)) => {
                tree.node(*level, leaves[row as usize]) == *node
            }
            (Self::Line { numbers, .. }, Says::Interval(low, high)) => (low..=high).contains(&&numbers[row as usize]),
            _ => false,
        }
    }
}

/// The population of a table; an error where none was given.
pub(super) fn population_of(table: &Table) -> Result<&Table> {
    table.population().ok_or_else(|| {
        Error::refused("a model is about the population that the rows are a part of, and none is given")
            .with_hint("name it: `--population FILE`, a table with the same columns that has these rows among its own")
    })
}
