//! Mondrian: rows are cut in two, and again, as long as every part satisfies what is asked.
//!
//! Paper      LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006.
//! Promises   k-anonymity, and every model that is asked for. No row is left out.
//! Does not   look back: a cut that was good at the top may be bad for what comes under it.
//!
//! # Idea
//! 1. Begin with all rows as one part. Of a part, take the quasi column that leaves most open in it.
//! 2. Numbers are cut at their median: rows up to it, and rows above it. Relaxed, equal rows at the median go to either side, so
//!    that the sides are of one size.
//! 3. A column with a hierarchy is cut into the labels below the one that is above all of its values. Labels whose rows do not
//!    satisfy the models stay together at the label above; if those do not satisfy them either, the smallest of the others joins
//!    them, until they do.
//! 4. If a column cannot be cut so that all parts satisfy everything, try the next. A part that cannot be cut is a class: it
//!    publishes the interval from its least to its greatest number, and the lowest label above its values.
//!
//! # Cost
//! Time O(rows log rows x columns); parts are cut side by side on all threads.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Bound, Demands, Quasi, publish};
use crate::data::Dataset as _;
use crate::data::table::Table;
use crate::error::Result;
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::models::on_classes::Demand;
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card.
pub const INFO: Info = Info {
    name: "mondrian",
    summary: "rows cut in two, and again, as long as every part satisfies what is asked",
    paper: "LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006",
    details: "Begins with all rows and cuts them by the quasi column that leaves most open: numbers and days at their median, columns \
        with a hierarchy into the labels below the common one; labels whose rows are too few stay together at the label above. A part \
        that cannot be cut is a class: it publishes the interval `lo..hi` of its values, or the lowest label above them. Columns of \
        texts need a hierarchy; numbers may have one.\n\
        Claims table-k-anonymity(k), unless k is 1, and every `--model` that is asked for. It leaves no row out.\n\
        `--relaxed` cuts equal numbers at the median in two, so that parts are smaller and intervals may share their ends.",
    parameters: &[
        info::K,
        Parameter {
            name: "relaxed",
            summary: "whether rows that are equal at the median may go to either side",
            kind: ParameterKind::Switch,
            default: "false",
        },
    ],
};

/// What the method can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons a class has, at least.
    pub k: usize,
    /// Whether equal rows may go to either side of a cut.
    pub relaxed: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, relaxed: false }
    }
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Mondrian {
    params: Params,
    demands: Demands,
}

impl Mondrian {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        Ok(Self { demands: Demands::new(params.k)?, params })
    }
}

impl Method<Table> for Mondrian {
    fn protect(&self, original: &Table, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Table>> {
        let bound = self.demands.bind(original)?;
        bound.refuse_impossible(original.rows())?;
        let quasi = Quasi::all(original)?;
        progress.stage("classes", original.rows() as u64);
        let cutting = Cutting { quasi: &quasi, bound: &bound, is_relaxed: self.params.relaxed, progress };
        let mut classes = cutting.classes((0..original.rows() as u32).collect());
        progress.go_on()?;
        classes.iter_mut().for_each(|class| class.sort_unstable());
        let shown: Vec<Vec<_>> =
            classes.par_iter().map(|class| quasi.iter().map(|quasi| quasi.shown(class)).collect()).collect();
        Ok(publish(original, &quasi, &classes, |class, at| shown[class][at].clone(), &self.demands))
    }

    fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        shown_parameters(&self.params)
    }

    fn demand(&mut self, demands: Vec<Demand>) -> Result<()> {
        self.demands.add(demands);
        self.demands.refuse_every_class(INFO.name)
    }
}

/// Parts with fewer rows are cut on one thread.
const SMALL: usize = 4096;

/// Cuts parts of rows into classes.
pub(super) struct Cutting<'a> {
    pub(super) quasi: &'a [Quasi<'a>],
    pub(super) bound: &'a Bound<'a>,
    pub(super) is_relaxed: bool,
    pub(super) progress: &'a dyn Progress,
}

impl Cutting<'_> {
    /// The classes that a part is cut into, in the order of the cuts.
    pub(super) fn classes(&self, part: Vec<u32>) -> Vec<Vec<u32>> {
        let cut = if self.progress.is_stopped() { None } else { self.cut(&part) };
        match cut {
            None => {
                self.progress.advance(part.len() as u64);
                vec![part]
            }
            Some(parts) if part.len() < SMALL => parts.into_iter().flat_map(|part| self.classes(part)).collect(),
            Some(parts) => {
                let classes: Vec<Vec<Vec<u32>>> = parts.into_par_iter().map(|part| self.classes(part)).collect();
                classes.into_iter().flatten().collect()
            }
        }
    }

    /// The first allowed cut, by the column that leaves most open.
    fn cut(&self, part: &[u32]) -> Option<Vec<Vec<u32>>> {
        if part.len() < 2 * self.bound.k.max(1) {
            return None;
        }
        let mut open: Vec<(f64, usize)> = self
            .quasi
            .iter()
            .enumerate()
            .map(|(at, quasi)| (quasi.penalty(&quasi.shown(part)), at))
            .filter(|(penalty, _)| *penalty > 0.0)
            .collect();
        open.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        open.into_iter().find_map(|(_, at)| match self.quasi[at].tree {
            Some(_) => self.cut_by_labels(part, at),
            None => self.cut_at_median(part, at),
        })
    }

    fn cut_at_median(&self, part: &[u32], at: usize) -> Option<Vec<Vec<u32>>> {
        let quasi = &self.quasi[at];
        let number = |row: u32| quasi.numbers[quasi.column.cells[row as usize] as usize];
        let mut sorted = part.to_vec();
        let order = |left: &u32, right: &u32| number(*left).total_cmp(&number(*right)).then(left.cmp(right));
        let middle = part.len() / 2;
        sorted.select_nth_unstable_by(middle, order);
        let (mut low, mut high) = if self.is_relaxed {
            (sorted[..middle].to_vec(), sorted[middle..].to_vec())
        } else {
            // Up to the median, or below it where the median is the greatest.
            let median = number(sorted[middle]);
            let (low, high): (Vec<u32>, Vec<u32>) = part.iter().partition(|&&row| number(row) < median);
            if low.is_empty() { part.iter().partition(|&&row| number(row) <= median) } else { (low, high) }
        };
        low.sort_unstable();
        high.sort_unstable();
        let mut scratch = Vec::new();
        let is_fine = self.bound.holds(&low, &mut scratch) && self.bound.holds(&high, &mut scratch);
        is_fine.then(|| vec![low, high])
    }

    fn cut_by_labels(&self, part: &[u32], at: usize) -> Option<Vec<Vec<u32>>> {
        let quasi = &self.quasi[at];
        let (tree, leaves) = quasi.tree.as_ref()?;
        let leaf = |row: u32| leaves[quasi.column.cells[row as usize] as usize];
        let level = tree.common_level(part.iter().map(|&row| leaf(row))).checked_sub(1)?;
        let mut by_label: Vec<(u32, u32)> = part.iter().map(|&row| (tree.node(level, leaf(row)), row)).collect();
        by_label.sort_unstable();
        let parts = by_label.chunk_by(|left, right| left.0 == right.0);
        let parts = parts.map(|part| part.iter().map(|&(_, row)| row).collect::<Vec<u32>>());
        let mut scratch = Vec::new();
        let (mut fine, poor): (Vec<Vec<u32>>, Vec<Vec<u32>>) =
            parts.partition(|part| self.bound.holds(part, &mut scratch));
        let mut rest: Vec<u32> = poor.into_iter().flatten().collect();
        if !rest.is_empty() {
            // The smallest join the rest, the later of equal ones first.
            fine.sort_by_key(|part| std::cmp::Reverse(part.len()));
            while !self.bound.holds(&rest, &mut scratch) {
                rest.extend(fine.pop()?);
            }
            rest.sort_unstable();
        }
        let has_rest = !rest.is_empty();
        fine.extend(has_rest.then_some(rest));
        (fine.len() > 1).then_some(fine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::testing::{table, twelve};
    use crate::models::Model as _;
    use crate::models::table_k_anonymity::{self, TableKAnonymity};
    use crate::progress::Silent;

    fn protect(table: &Table, k: usize, relaxed: bool) -> Protected<Table> {
        Mondrian::new(Params { k, relaxed }).unwrap().protect(table, &mut Rng::seeded(1), &Silent).unwrap()
    }

    fn column(table: &Table, at: usize) -> Vec<&str> {
        (0..table.rows()).map(|row| table.columns()[at].text(row)).collect()
    }

    /// 1 2 3 4 5 6 7: the median is 4; below it three, from it four.
    #[test]
    fn numbers_are_cut_at_their_median() {
        let table = table("age:q ill:s", &["1 a", "2 b", "3 c", "4 d", "5 e", "6 f", "7 g"]);
        let found = protect(&table, 2, false);
        assert_eq!(column(&found.records, 0), ["1..3", "1..3", "1..3", "4..5", "4..5", "6..7", "6..7"]);
        assert_eq!(column(&found.records, 1), ["a", "b", "c", "d", "e", "f", "g"]);
        assert_eq!(found.records.group_of().unwrap(), [0, 0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn equal_numbers_stay_together_unless_relaxed() {
        let table = table("age:q", &["5", "5", "5", "5", "9", "5"]);
        assert_eq!(column(&protect(&table, 2, false).records, 0), ["5..9"; 6]);
        let relaxed = column(&protect(&table, 2, true).records, 0).iter().filter(|cell| **cell == "5").count();
        assert!(relaxed >= 3);
    }

    /// Children of `*` are 410** and 482**; below 410** the zips 41075 (2), 41076 (2), 41099 (3).
    #[test]
    fn labels_are_cut_and_the_rest_stays_above() {
        let found = protect(&twelve(), 3, false);
        let cells: Vec<String> = column(&found.records, 0)
            .iter()
            .zip(column(&found.records, 1))
            .map(|(zip, sex)| format!("{zip} {sex}"))
            .collect();
        assert!(
            TableKAnonymity::new(table_k_anonymity::Params { k: 3, linked: false })
                .unwrap()
                .check(&found.records)
                .unwrap()
                .holds
        );
        assert!(cells.iter().all(|cell| !cell.starts_with('*')), "{cells:?}");
    }
}
