//! Classes: rows that agree in some columns, and what is in each.
//!
//! # Idea
//! Classes are made finer column by column: a class and a value of the next column are a new class. New classes are numbered by
//! the first row that is in them, so the result depends on nothing but the cells.
//!
//! # Cost
//! Time and memory O(rows) a column.

use std::collections::HashMap;

use super::Table;
use crate::data::Dataset as _;

/// Rows by class.
#[derive(Debug, Clone)]
pub struct Classes {
    /// For each row its class; classes are numbered by their first rows.
    pub of: Vec<u32>,
    /// The rows by class: those of class `c` are `rows[starts[c]..starts[c + 1]]`, in rising order.
    pub rows: Vec<u32>,
    /// Where the rows of each class begin, and where the last one's end.
    pub starts: Vec<u32>,
}

/// As many pairs of class and value have a place of their own without a search.
const DENSE: usize = 1 << 22;

impl Classes {
    /// The classes of a table's rows by some of its columns.
    pub fn of(table: &Table, columns: &[usize]) -> Self {
        let cells = columns.iter().map(|&at| (table.columns()[at].cells.as_slice(), table.columns()[at].values.len()));
        Self::by(table.rows(), cells)
    }

    /// The classes of so many rows by columns of numbers, each with one more than its greatest number.
    pub fn by<'a>(rows: usize, columns: impl Iterator<Item = (&'a [u32], usize)>) -> Self {
        let mut of = vec![0u32; rows];
        let mut count = usize::from(rows > 0);
        for (cells, values) in columns {
            count = refine(&mut of, count, cells, values);
        }
        Self::new(of, count)
    }

    /// Rows whose classes are known, of which there are so many.
    pub fn new(of: Vec<u32>, count: usize) -> Self {
        let mut starts = vec![0u32; count + 1];
        of.iter().for_each(|&class| starts[class as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let mut next = starts.clone();
        let mut rows = vec![0; of.len()];
        for (row, &class) in (0u32..).zip(&of) {
            rows[next[class as usize] as usize] = row;
            next[class as usize] += 1;
        }
        Self { of, rows, starts }
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of a class.
    pub fn rows(&self, class: usize) -> &[u32] {
        &self.rows[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    /// How many rows a class has.
    pub fn size(&self, class: usize) -> usize {
        (self.starts[class + 1] - self.starts[class]) as usize
    }
}

/// Makes classes finer by one column. Gives how many there are then.
fn refine(of: &mut [u32], count: usize, cells: &[u32], values: usize) -> usize {
    let mut next = 0u32;
    let mut number = |slot: &mut u32| {
        if *slot == u32::MAX {
            *slot = next;
            next += 1;
        }
        *slot
    };
    if count.saturating_mul(values) <= DENSE {
        let mut places = vec![u32::MAX; count * values];
        for (class, &cell) in of.iter_mut().zip(cells) {
            *class = number(&mut places[*class as usize * values + cell as usize]);
        }
    } else {
        let mut places: HashMap<u64, u32> = HashMap::with_capacity(2 * count);
        for (class, &cell) in of.iter_mut().zip(cells) {
            let key = u64::from(*class) << 32 | u64::from(cell);
            *class = number(places.entry(key).or_insert(u32::MAX));
        }
    }
    next as usize
}

/// How often each value comes among some cells, by value.
pub fn counts(values: impl Iterator<Item = u32>, sorted: &mut Vec<u32>) -> Vec<(u32, u32)> {
    sorted.clear();
    sorted.extend(values);
    sorted.sort_unstable();
    sorted.chunk_by(|left, right| left == right).map(|run| (run[0], run.len() as u32)).collect()
}

/// How many different persons some rows have, which come in rising order and stand person by person.
pub fn persons(rows: &[u32], person_of: &[u32]) -> usize {
    let of = |row: &u32| person_of[*row as usize];
    rows.chunk_by(|left, right| of(left) == of(right)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::table::testing::{generalised, twelve};

    #[test]
    fn the_twelve_rows() {
        let table = generalised(&twelve(), &[("zip", 1)]);
        let classes = Classes::of(&table, &[0, 1]);
        let sizes: Vec<usize> = (0..classes.len()).map(|class| classes.size(class)).collect();
        assert_eq!(sizes, [2, 5, 2, 3]);
        assert_eq!(classes.rows(2), [7, 11]);
        assert_eq!(Classes::of(&table, &[]).len(), 1);
    }

    proptest! {
        /// Many values take the way with a search; both ways give what comparing all rows gives.
        #[test]
        fn rows_are_in_one_class_iff_they_agree(rows in prop::collection::vec((0u32..4, 0u32..3), 0..40), many: bool) {
            let (left, right): (Vec<u32>, Vec<u32>) = rows.iter().copied().unzip();
            let values = if many { DENSE } else { 4 };
            let classes = Classes::by(rows.len(), [(left.as_slice(), 4), (right.as_slice(), values)].into_iter());
            for (at, own) in rows.iter().enumerate() {
                for (other_at, other) in rows.iter().enumerate() {
                    prop_assert_eq!(own == other, classes.of[at] == classes.of[other_at]);
                }
                prop_assert!(classes.rows(classes.of[at] as usize).contains(&(at as u32)));
            }
        }
    }
}
