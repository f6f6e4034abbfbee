//! What published totals say of cells that are not published, exactly.
//!
//! # Idea
//! The unpublished points of each published total are known. Every table of whole numbers from 0 on that has them could be the right
//! one; those of them are looked at that have points only where there are some, for a reader who knows more than that is told less
//! by nobody. A cell of 1 to k − 1 persons is endangered if its number is below k in all of them, or the same in all.
//!
//! The right table is one of them. Another one in which a cell has d points more is reached along steps: its bin then has d too many, so
//! that another cell of the bin gets fewer, whose row then has too few, so that another cell of that row gets more, and so on, until
//! the row of the cell is right again. Rows whose total is not published are one row that needs not be right, and so are bins; but
//! where the total of everything is published, what they have together is known too, and they are one row and one bin that
//! must be right. So "how much more" is the flow through a network in which a cell can pass on what it has to its row, and a row anything to the bins
//! of its cells; k of it is enough to know.
//!
//! # Cost
//! For each different question a few searches through the network, which end as soon as they arrive; nearly always after a step or two.

use std::collections::HashMap;

use rayon::prelude::*;

/// A cell in a bin that is not published, and has points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hidden {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) observations: u64,
}

/// Which totals are published: of rows, of columns, of everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) rows: Vec<bool>,
    pub(super) columns: Vec<bool>,
    pub(super) all: bool,
}

/// Leaves out totals until no hidden cell is endangered: of the totals of an endangered one, that with the fewest points first.
pub(super) fn leave_out(
    known: &mut Known,
    hidden: &[Hidden],
    (of_rows, of_columns, of_all): (&[u64], &[u64], u64),
    k: u64,
) {
    loop {
        let endangered = endangered(known, hidden, k);
        if endangered.is_empty() {
            return;
        }
        for at in endangered {
            let Hidden { row, column, .. } = hidden[at];
            let (row, column) = (row as usize, column as usize);
            let totals = [
                known.rows[row].then_some((of_rows[row], 0)),
                known.columns[column].then_some((of_columns[column], 1)),
                known.all.then_some((of_all, 2)),
            ];
            match totals.into_iter().flatten().min() {
                Some((_, 0)) => known.rows[row] = false,
                Some((_, 1)) => known.columns[column] = false,
                Some(_) => known.all = false,
                // Another endangered cell of its row and column was before it.
                None => {}
            }
        }
    }
}

/// The hidden cells of which too much is known, by their numbers. A hidden cell with points has 1 to k − 1 persons.
pub(super) fn endangered(known: &Known, hidden: &[Hidden], k: u64) -> Vec<usize> {
    let network = Network::new(known, hidden);
    let question = |cell: &Hidden| {
        let (row, column) = network.nodes(cell);
        (row, column, cell.observations)
    };
    let mut questions: Vec<(u32, u32, u64)> = hidden.iter().map(question).collect();
    questions.sort_unstable();
    questions.dedup();
    let is_safe: Vec<bool> = questions
        .par_iter()
        .with_min_len(16)
        .map_init(|| Search::new(&network), |search, &(row, column, own)| search.is_safe(row, column, own, k))
        .collect();
    let answer = |cell: &Hidden| questions.binary_search(&question(cell)).is_ok_and(|at| is_safe[at]);
    (0..hidden.len()).filter(|&at| !answer(&hidden[at])).collect()
}

/// Rows and columns with what is between them. Those without a published total are one, the last of each.
struct Network {
    /// For each row its columns, and for each column its rows, with the points of the hidden cells between them.
    rows: Vec<Vec<(u32, u64)>>,
    columns: Vec<Vec<(u32, u64)>>,
    row_of: Vec<u32>,
    column_of: Vec<u32>,
    knows_all: bool,
}

impl Network {
    fn new(known: &Known, hidden: &[Hidden]) -> Self {
        let numbered = |flags: &[bool]| {
            let count = flags.iter().filter(|flag| **flag).count() as u32;
            let mut next = 0;
            let number = |flag: &bool| {
                if !flag {
                    return count;
                }
                next += 1;
                next - 1
            };
            (flags.iter().map(number).collect::<Vec<u32>>(), count as usize + 1)
        };
        let ((row_of, rows), (column_of, columns)) = (numbered(&known.rows), numbered(&known.columns));
        let node = |cell: &Hidden| (row_of[cell.row as usize], column_of[cell.column as usize], cell.observations);
        let mut between: Vec<(u32, u32, u64)> = hidden.iter().map(node).collect();
        between.sort_unstable();
        between.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same {
                kept.2 += next.2;
            }
            is_same
        });
        let (mut of_rows, mut of_columns) = (vec![Vec::new(); rows], vec![Vec::new(); columns]);
        for (row, column, points) in between {
            of_rows[row as usize].push((column, points));
            of_columns[column as usize].push((row, points));
        }
        Self { rows: of_rows, columns: of_columns, row_of, column_of, knows_all: known.all }
    }

    fn nodes(&self, cell: &Hidden) -> (u32, u32) {
        (self.row_of[cell.row as usize], self.column_of[cell.column as usize])
    }

    fn free_row(&self) -> u32 {
        self.rows.len() as u32 - 1
    }

    fn free_column(&self) -> u32 {
        self.columns.len() as u32 - 1
    }
}

/// A search for another table, one question after the other.
struct Search<'n> {
    network: &'n Network,
    /// How much more or less than in the right table there is between a row and a column.
    changed: HashMap<(u32, u32), i64>,
    /// From where each row and each column was reached, and when.
    row_from: Vec<(u32, u32)>,
    column_from: Vec<(u32, u32)>,
    now: u32,
}

/// Rows and columns on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Node {
    Row(u32),
    Column(u32),
}

impl<'n> Search<'n> {
    fn new(network: &'n Network) -> Self {
        Self {
            network,
            changed: HashMap::new(),
            row_from: vec![(0, 0); network.rows.len()],
            column_from: vec![(0, 0); network.columns.len()],
            now: 0,
        }
    }

    /// Whether a cell with so many points of its own between a row and a column may have k or more, and may have another number.
    fn is_safe(&mut self, row: u32, column: u32, own: u64, k: u64) -> bool {
        let network = self.network;
        if !network.knows_all && row == network.free_row() && column == network.free_column() {
            return true;
        }
        let needed = k.saturating_sub(own).max(1);
        self.flows(Node::Column(column), Node::Row(row), (row, column, own), needed)
            || (own >= k && self.flows(Node::Row(row), Node::Column(column), (row, column, own), 1))
    }

    /// Whether so much can be passed on from a node to another without the own points of a cell.
    fn flows(&mut self, from: Node, to: Node, own: (u32, u32, u64), needed: u64) -> bool {
        self.changed.clear();
        let mut still = needed;
        while still > 0 {
            match self.path(from, to, own) {
                Some(least) => still = still.saturating_sub(self.pass_on(from, to, least.min(still))),
                None => return false,
            }
        }
        true
    }

    /// What a cell between a row and a column can pass on, but for the own points.
    fn room(&self, row: u32, column: u32, points: u64, own: (u32, u32, u64)) -> u64 {
        let other = if (row, column) == (own.0, own.1) { points - own.2 } else { points };
        let changed = self.changed.get(&(row, column)).copied().unwrap_or(0);
        other.saturating_add_signed(changed)
    }

    /// A shortest way; gives how much it can pass on.
    fn path(&mut self, from: Node, to: Node, own: (u32, u32, u64)) -> Option<u64> {
        self.now += 1;
        let (now, network) = (self.now, self.network);
        // A way never goes into its beginning.
        match from {
            Node::Row(row) => self.row_from[row as usize] = (now, u32::MAX),
            Node::Column(column) => self.column_from[column as usize] = (now, u32::MAX),
        }
        let mut waiting = vec![(from, u64::MAX)];
        let mut at = 0;
        while let Some(&(node, least)) = waiting.get(at) {
            at += 1;
            match node {
                Node::Column(column) => {
                    let is_free = !network.knows_all && column == network.free_column();
                    let cells = network.columns[column as usize].iter();
                    let lower = cells.map(|&(row, points)| (row, self.room(row, column, points, own)));
                    let next: Vec<(u32, u64)> =
                        lower.chain(is_free.then_some((network.free_row(), u64::MAX))).collect();
                    for (row, room) in next {
                        if room > 0 && self.row_from[row as usize].0 != now {
                            self.row_from[row as usize] = (now, column);
                            if to == Node::Row(row) {
                                return Some(least.min(room));
                            }
                            waiting.push((Node::Row(row), least.min(room)));
                        }
                    }
                }
                Node::Row(row) => {
                    let is_free = !network.knows_all && row == network.free_row();
                    let cells = network.rows[row as usize].iter();
                    // A row passes on to every column that it has another cell in.
                    let has_other =
                        |&&(column, points): &&(u32, u64)| (row, column) != (own.0, own.1) || points > own.2;
                    let next = cells.filter(has_other).map(|&(column, _)| column);
                    for column in next.chain(is_free.then_some(network.free_column())) {
                        if self.column_from[column as usize].0 != now {
                            self.column_from[column as usize] = (now, row);
                            if to == Node::Column(column) {
                                return Some(least);
                            }
                            waiting.push((Node::Column(column), least));
                        }
                    }
                }
            }
        }
        None
    }

    /// Changes the table along the way that was found.
    fn pass_on(&mut self, from: Node, to: Node, much: u64) -> u64 {
        let network = self.network;
        let is_outside =
            |row: u32, column: u32| !network.knows_all && row == network.free_row() && column == network.free_column();
        let much = much.min(i64::MAX as u64);
        let mut node = to;
        while node != from {
            let (row, column, sign) = match node {
                Node::Row(row) => (row, self.row_from[row as usize].1, -1),
                Node::Column(column) => (self.column_from[column as usize].1, column, 1),
            };
            if !is_outside(row, column) {
                *self.changed.entry((row, column)).or_insert(0) += sign * much as i64;
            }
            node = match node {
                Node::Row(_) => Node::Column(column),
                Node::Column(_) => Node::Row(row),
            };
        }
        much
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The smallest and the largest number of each hidden cell over all tables of whole numbers that have the published totals, by
    /// trying all of them up to a limit above which nothing changes.
    fn intervals(known: &Known, hidden: &[Hidden], most: u64) -> Vec<(u64, u64)> {
        fn tables(known: &Known, hidden: &[Hidden], table: &mut Vec<u64>, most: u64, found: &mut Vec<(u64, u64)>) {
            if table.len() == hidden.len() {
                let agrees = |is_known: bool, is_of: &dyn Fn(&Hidden) -> bool| {
                    let sum = |values: &mut dyn Iterator<Item = u64>| values.sum::<u64>();
                    let right = sum(&mut hidden.iter().filter(|cell| is_of(cell)).map(|cell| cell.observations));
                    let tried = hidden.iter().zip(table.iter()).filter(|(cell, _)| is_of(cell));
                    !is_known || sum(&mut tried.map(|(_, value)| *value)) == right
                };
                let rows = (0..).zip(&known.rows).all(|(row, &flag)| agrees(flag, &|cell| cell.row == row));
                let columns =
                    (0..).zip(&known.columns).all(|(column, &flag)| agrees(flag, &|cell| cell.column == column));
                if rows && columns && agrees(known.all, &|_| true) {
                    for (interval, &value) in found.iter_mut().zip(table.iter()) {
                        *interval = (interval.0.min(value), interval.1.max(value));
                    }
                }
                return;
            }
            for value in 0..=most {
                table.push(value);
                tables(known, hidden, table, most, found);
                table.pop();
            }
        }
        let mut found = vec![(u64::MAX, 0); hidden.len()];
        tables(known, hidden, &mut Vec::new(), most, &mut found);
        found
    }

    /// One row with its total: what one cell has, the other has not. Two rows and two columns with all totals: the numbers can go
    /// around.
    #[test]
    fn by_hand() {
        let cell = |row, column, observations| Hidden { row, column, observations };
        let known =
            |rows: &[bool], columns: &[bool], all| Known { rows: rows.to_vec(), columns: columns.to_vec(), all };
        // Alone in its row: known exactly.
        assert_eq!(endangered(&known(&[true], &[false], false), &[cell(0, 0, 3)], 3), [0]);
        // With another of 2: up to 5, so that 5 is safe and 6 is not.
        let two = [cell(0, 0, 3), cell(0, 1, 2)];
        assert!(endangered(&known(&[true], &[false, false], false), &two, 5).is_empty());
        assert_eq!(endangered(&known(&[true], &[false, false], false), &two, 6), [0, 1]);
        // All totals known: nothing can move in one row, and everything in a square.
        assert_eq!(endangered(&known(&[true], &[true, true], true), &two, 2), [0, 1]);
        let square = [cell(0, 0, 1), cell(0, 1, 1), cell(1, 0, 1), cell(1, 1, 1)];
        assert!(endangered(&known(&[true; 2], &[true; 2], true), &square, 2).is_empty());
        assert_eq!(endangered(&known(&[true; 2], &[true; 2], true), &square, 3).len(), 4);
        // Only everything is known.
        assert!(endangered(&known(&[false; 2], &[false; 2], true), &square, 4).is_empty());
        assert_eq!(endangered(&known(&[false; 2], &[false; 2], true), &square, 5).len(), 4);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// As by trying all tables; and nothing is endangered once totals were left out.
        #[test]
        fn as_by_trying_all(
            cells in prop::collection::btree_map((0..3_u32, 0..3_u32), 1..4_u64, 1..6),
            rows in prop::collection::vec(any::<bool>(), 3),
            columns in prop::collection::vec(any::<bool>(), 3),
            all: bool,
            k in 2..5_u64,
        ) {
            let hidden: Vec<Hidden> =
                cells.iter().map(|(&(row, column), &observations)| Hidden { row, column, observations }).collect();
            let mut known = Known { rows, columns, all };
            let most = 6;
            let is_bad = |(low, high): (u64, u64)| high < k || low == high;
            let tried: Vec<usize> =
                (0..).zip(intervals(&known, &hidden, most)).filter(|(_, own)| is_bad(*own)).map(|(at, _)| at).collect();
            prop_assert_eq!(endangered(&known, &hidden, k), tried);
            leave_out(&mut known, &hidden, (&[9, 8, 7], &[6, 5, 4], 20), k);
            prop_assert!(!intervals(&known, &hidden, most).into_iter().any(is_bad));
        }
    }
}
