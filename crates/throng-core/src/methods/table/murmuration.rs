//! Murmuration: microaggregation of numbers that goes on where MDAV ends.
//!
//! Paper      Ours; see `partition/numbers.rs` for its parts.
//! Promises   k-anonymity, and models that are asked for, by joining groups. No row is left out.
//! Does not   handle texts, nor heed a hierarchy of numbers: `mdav` and `mondrian` do.
//!
//! # Idea
//! 1. Numbers are scaled as for MDAV. Above ten thousand rows they are cut into blocks of neighbours, at the median of the widest
//!    column, again and again.
//! 2. In each block groups of at least k are sought with the least sum of squares: from MDAV, from MDAV's order and a short path
//!    through all rows, both cut optimally, and from groups grown around their means; then by moves, exchanges, cuts, and by
//!    dissolving and making groups (`--effort` says how long).
//! 3. A group that does not satisfy a model that is asked for joins the group whose average is nearest, until all do.
//! 4. A group publishes the mean of its numbers.
//!
//! # Cost
//! Time O(n x block x columns) and some rounds over all rows; memory O(n x (columns + 40)).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::mdav::{self, Points};
use super::{Bound, Demands, Quasi, Shown, publish};
use crate::data::Dataset as _;
use crate::data::table::Table;
use crate::error::Result;
use crate::info::{self, Info, Parameter, ParameterKind};
use crate::methods::{Method, shown_parameters};
use crate::models::on_classes::Demand;
use crate::partition::numbers::{self, Cloud, Work};
use crate::progress::Progress;
use crate::release::Protected;
use crate::rng::Rng;

/// The card.
pub const INFO: Info = Info {
    name: "murmuration",
    summary: "groups of numbers with the least sum of squares that can be found, published as their means",
    paper: "Ours. Parts of it: Domingo-Ferrer, Mateo-Sanz 2002; Hansen, Mukherjee 2003; Laszlo, Mukherjee 2015",
    details: "Microaggregation: groups of at least k rows, published as the means of their numbers. It begins with MDAV, MDAV's order cut \
        optimally, a short path through all rows cut optimally, and groups grown around their means; then rows move and are exchanged, \
        large groups are cut, and groups are dissolved and made anew, and the best that is met is taken. One column is cut optimally. The number of groups is \
        free. `--effort fast`, `normal` or `high` says how many exchanges are weighed: a number, not a time, so that a run gives \
        the same bytes on every machine. Above ten thousand rows it works in blocks of neighbours.\n\
        Claims table-k-anonymity(k), and every `--model` that is asked for: groups are joined until they satisfy it. Needs one row a \
        person, and numbers in every quasi column; a hierarchy of them is not heeded.",
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
    /// Moves and exchanges only.
    Fast,
    /// Groups are also dissolved and made.
    #[default]
    Normal,
    /// The same, ten times as long.
    High,
}

impl Effort {
    /// Fewer steps a row where there are more rows: all of them together grow with the root of their number. Groups of more rows
    /// are weighed with less work a step, and need more of them.
    fn work(self, rows: usize, k: usize) -> Work {
        let usual = (2e6 / (rows.max(400) as f64).sqrt()) as u64 * (5 + k.min(20) as u64) / 8;
        Work {
            steps: match self {
                Self::Fast => 0,
                Self::Normal => usual,
                Self::High => 10 * usual,
            },
        }
    }
}

/// What the method can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons a group has, at least.
    pub k: usize,
    /// How long it tries.
    pub effort: Effort,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, effort: Effort::Normal }
    }
}

/// More rows are cut into blocks.
const BLOCK: usize = 10_000;

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Murmuration {
    params: Params,
    demands: Demands,
}

impl Murmuration {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        Ok(Self { demands: Demands::new(params.k)?, params })
    }
}

impl Method<Table> for Murmuration {
    fn protect(&self, original: &Table, _rng: &mut Rng, progress: &dyn Progress) -> Result<Protected<Table>> {
        let bound = self.demands.bind(original)?;
        mdav::refuse_several_rows(original)?;
        bound.refuse_impossible(original.rows())?;
        let quasi = Quasi::all_numbers(original)?;
        let points = Points::of(&quasi, original.rows());
        progress.stage("groups", original.rows() as u64);
        let mut blocks = Vec::new();
        into_blocks(&points, (0..original.rows() as u32).collect(), self.params.k, &mut blocks);
        let work = self.params.effort.work(original.rows(), self.params.k);
        let of_block = |rows: &Vec<u32>| {
            let numbers: Vec<f64> = rows.iter().flat_map(|&row| points.numbers(row).iter().copied()).collect();
            let cloud = Cloud::new(numbers, quasi.len());
            let start = mdav::groups(&points.of_rows(rows), self.params.k, &crate::progress::Silent);
            let found = numbers::groups(&cloud, self.params.k, start, work, progress);
            progress.advance(rows.len() as u64);
            found
                .into_iter()
                .map(|group| group.into_iter().map(|at| rows[at as usize]).collect())
                .collect::<Vec<Vec<u32>>>()
        };
        let groups: Vec<Vec<Vec<u32>>> = blocks.par_iter().map(of_block).collect();
        progress.go_on()?;
        let mut groups: Vec<Vec<u32>> = groups.into_iter().flatten().collect();
        join(&mut groups, &points, &bound);
        groups.iter_mut().for_each(|group| group.sort_unstable());
        let mean = |at: usize, group: &[u32]| Shown::Mean(mdav::mean(&quasi[at], group));
        let shown: Vec<Vec<Shown>> =
            groups.par_iter().map(|group| (0..quasi.len()).map(|at| mean(at, group)).collect()).collect();
        Ok(publish(original, &quasi, &groups, |class, at| shown[class][at].clone(), &self.demands))
    }

    fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        shown_parameters(&self.params)
    }

    fn demand(&mut self, demands: Vec<Demand>) -> Result<()> {
        self.demands.add(demands);
        self.demands.refuse_population(INFO.name)
    }
}

/// Cuts rows at the median of their widest column, until every part is a block.
fn into_blocks(points: &Points<'_>, rows: Vec<u32>, k: usize, blocks: &mut Vec<Vec<u32>>) {
    if rows.len() <= BLOCK.max(4 * k) {
        blocks.push(rows);
        return;
    }
    let width = points.numbers(0).len();
    let spread = |at: usize| {
        let numbers = rows.iter().map(|&row| points.numbers(row)[at]);
        numbers.clone().fold(f64::NEG_INFINITY, f64::max) - numbers.fold(f64::INFINITY, f64::min)
    };
    let widest =
        (0..width).max_by(|&one, &other| spread(one).total_cmp(&spread(other)).then(other.cmp(&one))).unwrap_or(0);
    let mut low = rows;
    low.sort_by(|&one, &other| {
        points.numbers(one)[widest].total_cmp(&points.numbers(other)[widest]).then(one.cmp(&other))
    });
    let high = low.split_off(low.len() / 2);
    into_blocks(points, low, k, blocks);
    into_blocks(points, high, k, blocks);
}

/// Joins groups that do not satisfy everything with the nearest, until all do.
fn join(groups: &mut Vec<Vec<u32>>, points: &Points<'_>, bound: &Bound<'_>) {
    let mut scratch = Vec::new();
    let centre = |group: &[u32]| {
        let mut sum = vec![0.0; points.numbers(0).len()];
        group.iter().for_each(|&row| sum.iter_mut().zip(points.numbers(row)).for_each(|(sum, number)| *sum += number));
        sum.iter().map(|sum| sum / group.len() as f64).collect::<Vec<f64>>()
    };
    let mut centres: Vec<Vec<f64>> = groups.iter().map(|group| centre(group)).collect();
    let mut at = 0;
    while at < groups.len() {
        if groups.len() < 2 || bound.holds(&groups[at], &mut scratch) {
            at += 1;
            continue;
        }
        let distance =
            |other: usize| centres[at].iter().zip(&centres[other]).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let others = (0..groups.len()).filter(|&other| other != at);
        let nearest = others.min_by(|&one, &other| distance(one).total_cmp(&distance(other)).then(one.cmp(&other)));
        let Some(nearest) = nearest else { return };
        let moved = groups.remove(nearest);
        centres.remove(nearest);
        // The group itself is looked at again.
        at -= usize::from(nearest < at);
        groups[at].extend(moved);
        centres[at] = centre(&groups[at]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::testing::table;
    use crate::data::table::{Column, ColumnRole};
    use crate::measures::Measure as _;
    use crate::models::Model as _;
    use crate::models::on_classes::Asks;
    use crate::models::table_k_anonymity::{self, TableKAnonymity};
    use crate::progress::Silent;
    use crate::synth::table as made_up;

    fn protect(table: &Table, k: usize, effort: Effort) -> Protected<Table> {
        Murmuration::new(Params { k, effort }).unwrap().protect(table, &mut Rng::seeded(1), &Silent).unwrap()
    }

    fn loss(table: &Table, release: &Protected<Table>) -> f64 {
        let link = release.record_of.clone();
        let pair = crate::measures::Pair {
            original: table,
            release: &release.records,
            multiplicity: vec![1; release.records.persons()],
            link: Some(link),
        };
        let context = crate::measures::Context { k: 2, shared_by: 2, show_values: false, seed: 0, progress: &Silent };
        crate::measures::utility::sum_of_squares_table::SumOfSquares.measure(&pair, &context).unwrap().value.unwrap()
    }

    fn numbers(persons: usize, seed: u64) -> Table {
        let made = made_up::table(&made_up::Params { persons, shape: "numeric".to_owned(), seed }).unwrap().table;
        let columns =
            made.columns().iter().map(|column| Column { role: ColumnRole::Quasi, ..column.clone() }).collect();
        made.with_columns(columns)
    }

    #[test]
    fn it_loses_less_than_mdav_and_more_effort_loses_no_more() {
        for seed in [1, 2] {
            let table = numbers(300, seed);
            for k in [3, 5] {
                let mdav = mdav::Mdav::new(mdav::Params { k }).unwrap();
                let before = loss(&table, &mdav.protect(&table, &mut Rng::seeded(1), &Silent).unwrap());
                let (fast, normal) = (protect(&table, k, Effort::Fast), protect(&table, k, Effort::Normal));
                let model = TableKAnonymity::new(table_k_anonymity::Params { k, linked: false }).unwrap();
                assert!(model.check(&normal.records).unwrap().holds);
                assert!(loss(&table, &fast) < before, "{seed} {k}");
                assert!(loss(&table, &normal) <= loss(&table, &fast) + 1e-9, "{seed} {k}");
            }
        }
    }

    #[test]
    fn models_are_held_by_joining() {
        let rows: Vec<String> = (0..12).map(|row| format!("{row} {}", if row < 6 { "a" } else { "b" })).collect();
        let table = table("x:q s:s", &rows.iter().map(String::as_str).collect::<Vec<_>>());
        let model = crate::models::l_diversity::LDiversity::new(Default::default()).unwrap();
        let claim = crate::release::Claim::new(&crate::models::l_diversity::INFO, []);
        let mut method = Murmuration::new(Params { k: 3, effort: Effort::Fast }).unwrap();
        method.demand(vec![Demand { claim, asks: Asks::OfRows(std::sync::Arc::new(model.clone())) }]).unwrap();
        let found = method.protect(&table, &mut Rng::seeded(1), &Silent).unwrap();
        assert!(model.check(&found.records).unwrap().holds);
    }
}
