//! MDAV microaggregation of tables: groups of k around the rows farthest from the average, published as their average.
//!
//! Paper      Domingo-Ferrer, Mateo-Sanz. IEEE TKDE 14 (2002); Domingo-Ferrer, Torra. DMKD 11 (2005), for columns that are no
//!            numbers; printed in appendix A of the first paper.
//! Promises   k-anonymity. No row is left out.
//! Does not   make the best groups: `throng explain` names methods that lose less.
//!
//! # Idea
//! 1. Numbers are brought to one scale by the mean and the sample deviation (n - 1) of their column; a constant column counts
//!    nothing. The distance is Euclidean. In a column with a hierarchy two values are as far apart as the share of leaves under the
//!    lowest label above both, 0 if they are the same.
//! 2. While 3k or more rows are left: the row farthest from the average of those left, with its k - 1 nearest, is a group; the row
//!    farthest from that one, with its k - 1 nearest, another.
//! 3. If 2k or more are left, one more such group. The rest is the last: k to 2k - 1 rows.
//! 4. A group publishes the mean of its numbers, and the lowest label above its values. The average of rows is made the same way.
//!
//! # Readings
//! Every tie goes to the lower row. What is left of equal distances in the last digit is decided by exact comparison.
//!
//! # Cost
//! Time O(n^2 / k x columns), memory O(n x columns).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Demands, Quasi, Shown, publish};
use crate::data::Dataset as _;
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::info::{self, Info};
use crate::methods::{Method, shown_parameters};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card.
pub const INFO: Info = Info {
    name: "mdav",
    summary: "groups of k around the rows farthest from the average, published as their average",
    paper: "Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure control. IEEE TKDE 14 \
            (2002)",
    details: "Numbers are scaled by mean and sample deviation; a constant column counts nothing. While 3k rows are left, the row \
        farthest from their average and its k - 1 nearest are a group, and the row farthest from that one with its k - 1 nearest \
        another; the rest is one group or two. A group publishes the mean of each quasi column of numbers, written with the fewest \
        digits that read back as the same, and the lowest label above its values in a column with a hierarchy. Every tie goes to the \
        lower row.\n\
        Claims table-k-anonymity(k). Groups have k to 2k - 1 rows. Needs one row a person, and numbers or a hierarchy in every quasi \
        column.\n\
        Time O(n^2 / k).",
    parameters: &[info::K],
};

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons a group has, at least.
    pub k: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5 }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Mdav {
    params: Params,
    demands: Demands,
}

impl Mdav {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        Ok(Self { demands: Demands::new(params.k)?, params })
    }
}

impl Method<Table> for Mdav {
    fn protect(&self, original: &Table, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Table>> {
        self.demands.bind(original)?;
        refuse_several_rows(original)?;
        let quasi = Quasi::all_averaged(original)?;
        let points = Points::of(&quasi, original.rows());
        progress.stage("groups", original.rows() as u64);
        let mut groups = groups(&points, self.params.k, progress);
        progress.go_on()?;
        groups.iter_mut().for_each(|group| group.sort_unstable());
        let of_group = |at: usize, group: &[u32]| match &quasi[at].tree {
            Some(_) => quasi[at].shown(group),
            None => Shown::Mean(self::mean(&quasi[at], group)),
        };
        let shown: Vec<Vec<Shown>> =
            groups.par_iter().map(|group| (0..quasi.len()).map(|at| of_group(at, group)).collect()).collect();
        Ok(publish(original, &quasi, &groups, |class, at| shown[class][at].clone(), &self.demands))
    }

    fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        shown_parameters(&self.params)
    }
}

/// Refuses a table in which a person has several rows.
pub(super) fn refuse_several_rows(table: &Table) -> Result<()> {
    if !table.has_several_rows() {
        return Ok(());
    }
    Err(Error::refused("microaggregation makes groups of rows, and a person here has several")
        .with_hint("choose `--method mondrian`, which counts persons, or leave out `--column person=…`"))
}

/// The mean of a column of numbers over some rows.
pub(super) fn mean(quasi: &Quasi<'_>, group: &[u32]) -> f64 {
    let number = |row: &u32| quasi.numbers[quasi.column.cells[*row as usize] as usize];
    group.iter().map(number).sum::<f64>() / group.len() as f64
}

/// Rows as points: scaled numbers, and leaves of hierarchies.
pub(crate) struct Points<'a> {
    /// Scaled numbers, row by row.
    numbers: Vec<f64>,
    width: usize,
    /// For each column with a hierarchy the leaf of every row.
    trees: Vec<(&'a Quasi<'a>, Vec<u32>)>,
    rows: usize,
}

/// What points are compared with: numbers, and for each tree a node as its level and a leaf under it.
struct Centre {
    numbers: Vec<f64>,
    nodes: Vec<(usize, u32)>,
}

impl<'a> Points<'a> {
    pub(crate) fn of(quasi: &'a [Quasi<'a>], rows: usize) -> Self {
        let numeric: Vec<&Quasi<'_>> = quasi.iter().filter(|quasi| quasi.tree.is_none()).collect();
        let width = numeric.len();
        let mut numbers = vec![0.0; rows * width];
        for (at, quasi) in numeric.iter().enumerate() {
            let number = |row: usize| quasi.numbers[quasi.column.cells[row] as usize];
            let whole = quasi.column.settings.whole;
            let (mean, deviation) =
                whole.map_or_else(|| mean_and_deviation((0..rows).map(number)), |whole| (whole.mean, whole.deviation));
            let deviation = deviation / quasi.weight().sqrt();
            for row in 0..rows {
                numbers[row * width + at] = if deviation > 0.0 { (number(row) - mean) / deviation } else { 0.0 };
            }
        }
        let leaves = |quasi: &'a Quasi<'a>| {
            let (_, leaves) = quasi.tree.as_ref()?;
            Some((quasi, quasi.column.cells.iter().map(|&cell| leaves[cell as usize]).collect()))
        };
        Self { numbers, width, trees: quasi.iter().filter_map(leaves).collect(), rows }
    }

    /// Some of the rows, numbered in their order.
    pub(super) fn of_rows(&self, rows: &[u32]) -> Self {
        let tree = |(quasi, leaves): &(&'a Quasi<'a>, Vec<u32>)| {
            (*quasi, rows.iter().map(|&row| leaves[row as usize]).collect())
        };
        Self {
            numbers: rows.iter().flat_map(|&row| self.numbers(row).iter().copied()).collect(),
            width: self.width,
            trees: self.trees.iter().map(tree).collect(),
            rows: rows.len(),
        }
    }

    pub(super) fn numbers(&self, row: u32) -> &[f64] {
        &self.numbers[row as usize * self.width..][..self.width]
    }

    fn centre(&self, row: u32) -> Centre {
        let nodes = self.trees.iter().map(|(_, leaves)| (0, leaves[row as usize])).collect();
        Centre { numbers: self.numbers(row).to_vec(), nodes }
    }

    fn average(&self, rows: &[u32], sums: &[f64]) -> Centre {
        let node = |(quasi, leaves): &(&Quasi<'_>, Vec<u32>)| {
            let level = quasi
                .tree
                .as_ref()
                .map_or(0, |(tree, _)| tree.common_level(rows.iter().map(|&row| leaves[row as usize])));
            (level, leaves[rows[0] as usize])
        };
        Centre {
            numbers: sums.iter().map(|sum| sum / rows.len() as f64).collect(),
            nodes: self.trees.iter().map(node).collect(),
        }
    }

    /// The squared distance of a row from a centre in columns with a hierarchy.
    fn distance_by_trees(&self, row: u32, centre: &Centre) -> f64 {
        let mut sum = 0.0;
        for ((quasi, leaves), &(level, leaf)) in self.trees.iter().zip(&centre.nodes) {
            if let Some((tree, _)) = &quasi.tree {
                let own = leaves[row as usize];
                let meeting = tree.meeting(own, leaf).max(level);
                let under = tree.leaves_under(meeting, tree.node(meeting, own));
                let share = if meeting == 0 { 0.0 } else { f64::from(under) / f64::from(tree.leaves()) };
                sum += quasi.weight() * share * share;
            }
        }
        sum
    }
}

/// The mean of some numbers, and their deviation as a sample.
pub(crate) fn mean_and_deviation(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = numbers.clone().count();
    if count == 0 {
        return (0.0, 0.0);
    }
    let mean = numbers.clone().sum::<f64>() / count as f64;
    let squares: f64 = numbers.map(|number| (number - mean).powi(2)).sum();
    (mean, if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 })
}

/// Cuts rows into groups of k to 2k - 1. There must be at least k rows.
pub(super) fn groups(points: &Points<'_>, k: usize, progress: &dyn Progress) -> Vec<Vec<u32>> {
    let mut left = Left::new(points);
    let mut groups = Vec::with_capacity(points.rows / k + 1);
    while left.rows.len() >= 3 * k && !progress.is_stopped() {
        left.measure(&left.average());
        let first = left.farthest();
        left.measure(&points.centre(left.rows[first]));
        groups.push(left.take(first, k));
        // The second is the farthest from the first of those that are left then, as the algorithm is printed.
        let second = left.farthest();
        left.measure(&points.centre(left.rows[second]));
        groups.push(left.take(second, k));
        left.close_up();
        progress.advance(2 * k as u64);
    }
    if left.rows.len() >= 2 * k {
        left.measure(&left.average());
        let first = left.farthest();
        left.measure(&points.centre(left.rows[first]));
        groups.push(left.take(first, k));
        left.close_up();
    }
    progress.advance(left.rows.len() as u64);
    groups.push(left.rows);
    groups
}

/// So many rows are measured at a time, column by column, while their distances are at hand.
const CHUNK: usize = 1024;

/// Rows that are in no group yet, in rising order, column by column.
struct Left<'p> {
    points: &'p Points<'p>,
    rows: Vec<u32>,
    columns: Vec<Vec<f64>>,
    /// The distance of each row from where it was last measured; not a number for those that were taken since.
    distances: Vec<f64>,
    /// The places of rows that were taken and still stand here.
    taken: Vec<usize>,
}

impl<'p> Left<'p> {
    fn new(points: &'p Points<'p>) -> Self {
        let rows: Vec<u32> = (0..points.rows as u32).collect();
        let column = |at: usize| rows.iter().map(|&row| points.numbers(row)[at]).collect();
        let columns = (0..points.width).map(column).collect();
        Self { points, columns, distances: vec![0.0; rows.len()], taken: Vec::new(), rows }
    }

    fn average(&self) -> Centre {
        let sums: Vec<f64> = self.columns.iter().map(|column| column.iter().sum()).collect();
        self.points.average(&self.rows, &sums)
    }

    /// The squared distance of every row from a centre.
    fn measure(&mut self, centre: &Centre) {
        for (chunk, distances) in self.distances.chunks_mut(CHUNK).enumerate() {
            distances.fill(0.0);
            for (column, from) in self.columns.iter().zip(&centre.numbers) {
                for (distance, number) in distances.iter_mut().zip(&column[chunk * CHUNK..]) {
                    *distance += (number - from) * (number - from);
                }
            }
            if !self.points.trees.is_empty() {
                for (distance, &row) in distances.iter_mut().zip(&self.rows[chunk * CHUNK..]) {
                    *distance += self.points.distance_by_trees(row, centre);
                }
            }
        }
        self.taken.iter().for_each(|&at| self.distances[at] = f64::NAN);
    }

    /// The place of the first row of those that are farthest from where they were measured.
    fn farthest(&self) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (at, &distance) in self.distances.iter().enumerate() {
            if distance > best.0 {
                best = (distance, at);
            }
        }
        best.1
    }

    /// Takes a row and the k - 1 nearest to where rows were measured, the first ones of those that are equally near.
    fn take(&mut self, at: usize, k: usize) -> Vec<u32> {
        self.distances[at] = f64::NAN;
        let mut nearest: Vec<(f64, usize)> = Vec::with_capacity(k);
        let mut limit = if k > 1 { f64::INFINITY } else { f64::NEG_INFINITY };
        for (at, &distance) in self.distances.iter().enumerate() {
            if distance < limit {
                if nearest.len() == k - 1 {
                    nearest.pop();
                }
                nearest.insert(nearest.partition_point(|&(known, _)| known <= distance), (distance, at));
                if nearest.len() == k - 1 {
                    limit = nearest[k - 2].0;
                }
            }
        }
        self.taken.push(at);
        let mut group = vec![self.rows[at]];
        for (_, at) in nearest {
            self.distances[at] = f64::NAN;
            self.taken.push(at);
            group.push(self.rows[at]);
        }
        group.sort_unstable();
        group
    }

    /// Lets the others stand side by side again.
    fn close_up(&mut self) {
        self.taken.sort_unstable();
        let taken = std::mem::take(&mut self.taken);
        let mut ends = taken.iter().skip(1).copied().chain([self.rows.len()]);
        let mut to = taken.first().copied().unwrap_or(self.rows.len());
        for &gap in &taken {
            let from = gap + 1;
            let end = ends.next().unwrap_or(self.rows.len());
            self.rows.copy_within(from..end, to);
            self.columns.iter_mut().for_each(|column| column.copy_within(from..end, to));
            to += end - from;
        }
        self.rows.truncate(to);
        self.columns.iter_mut().for_each(|column| column.truncate(to));
        self.distances.truncate(to);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::table::testing::{table, twelve};
    use crate::progress::Silent;

    fn protect(table: &Table, k: usize) -> Table {
        Mdav::new(Params { k }).unwrap().protect(table, &mut crate::rng::Rng::seeded(1), &Silent).unwrap().records
    }

    fn column(table: &Table, at: usize) -> Vec<&str> {
        (0..table.rows()).map(|row| table.columns()[at].text(row)).collect()
    }

    /// By hand, k = 2, six rows: 1 2 10 11 20 30. Mean 12.33: the farthest is 30, with 20. Of the rest the farthest from 30 is 1,
    /// with 2. Two are left: 10 and 11.
    #[test]
    fn a_case_on_paper() {
        let found = protect(&table("x:q", &["1", "2", "10", "11", "20", "30"]), 2);
        assert_eq!(column(&found, 0), ["1.5", "1.5", "10.5", "10.5", "25", "25"]);
    }

    #[test]
    fn labels_meet_and_constants_count_nothing() {
        let found = protect(&twelve(), 4);
        assert!(column(&found, 0).iter().all(|zip| ["410**", "482**", "*"].contains(zip) || zip.len() == 5));
        let found = protect(&table("x:q y:q", &["1 7", "2 7", "8 7", "9 7"]), 2);
        assert_eq!(column(&found, 0), ["1.5", "1.5", "8.5", "8.5"]);
        assert_eq!(column(&found, 1), ["7"; 4]);
    }

    /// The algorithm as it is printed, without any care for speed.
    fn literal(rows: &[Vec<f64>], k: usize) -> Vec<Vec<u32>> {
        let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let mut left: Vec<u32> = (0..rows.len() as u32).collect();
        let mut groups = Vec::new();
        let mean = |left: &[u32]| -> Vec<f64> {
            (0..rows[0].len())
                .map(|at| left.iter().map(|&row| rows[row as usize][at]).sum::<f64>() / left.len() as f64)
                .collect()
        };
        let farthest = |left: &[u32], from: &[f64]| {
            *left
                .iter()
                .rev()
                .max_by(|a, b| distance(&rows[**a as usize], from).total_cmp(&distance(&rows[**b as usize], from)))
                .unwrap()
        };
        let take = |left: &mut Vec<u32>, row: u32| {
            let mut order = left.clone();
            order.sort_by(|a, b| {
                let of = |r: u32| if r == row { -1.0 } else { distance(&rows[r as usize], &rows[row as usize]) };
                of(*a).total_cmp(&of(*b)).then(a.cmp(b))
            });
            let mut group = order[..k].to_vec();
            group.sort_unstable();
            left.retain(|row| !group.contains(row));
            group
        };
        while left.len() >= 3 * k {
            let first = farthest(&left, &mean(&left));
            groups.push(take(&mut left, first));
            let second = farthest(&left, &rows[first as usize]);
            groups.push(take(&mut left, second));
        }
        if left.len() >= 2 * k {
            let first = farthest(&left, &mean(&left));
            groups.push(take(&mut left, first));
        }
        groups.push(left);
        groups
    }

    proptest! {
        #[test]
        fn it_is_the_printed_algorithm(rows in prop::collection::vec((0i32..20, 0i32..20), 6..40), k in 2usize..4) {
            let lines: Vec<String> = rows.iter().map(|(x, y)| format!("{x} {y}")).collect();
            let table = table("x:q y:q", &lines.iter().map(String::as_str).collect::<Vec<_>>());
            let quasi = Quasi::all(&table).unwrap();
            let points = Points::of(&quasi, table.rows());
            let plain: Vec<Vec<f64>> = (0..table.rows() as u32).map(|row| points.numbers(row).to_vec()).collect();
            prop_assert_eq!(groups(&points, k, &Silent), literal(&plain, k));
        }
    }
}
