//! What a table teaches: its columns as features of a classifier or a fit, the same for an original and its release.
//!
//! # Idea
//! A column of numbers is a feature; a published interval counts as its middle, a label of a hierarchy as the mean of the numbers
//! under it, anything else as the mean of the original. Another column is a feature for each value, and for each label above the
//! values: whether a cell lies under it. So what was learnt from labels can be used on values.
//!
//! # Readings
//! Ours: only values and labels of enough rows are features, 60 of a column at most. Identifiers and columns that the release lacks
//! are none. Of more than [`MOST_ROWS`] rows a sample is taken.

use std::collections::HashMap;

use crate::data::Dataset as _;
use crate::data::table::{Cell, Column, Table};
use crate::error::{Error, Result};
use crate::measures::Pair;
use crate::rng::Rng;

/// More rows are sampled.
pub(super) const MOST_ROWS: usize = 50_000;
/// So many features has a column, at most.
const MOST_LABELS: usize = 60;
/// How many parts rows are cut into.
pub(super) const FOLDS: usize = 10;

/// The features of some rows, row by row, and what is to be predicted, as it stands there.
#[derive(Debug)]
pub(super) struct Lessons {
    pub(super) features: usize,
    pub(super) numbers: Vec<f64>,
    pub(super) targets: Vec<String>,
}

impl Lessons {
    /// The features of a row.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.features..][..self.features]
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.targets.len()
    }
}

/// An original and its release as lessons.
#[derive(Debug)]
pub(super) struct Taught {
    /// The original's rows.
    pub(super) original: Lessons,
    /// The release's, of those rows that are in it.
    pub(super) release: Lessons,
    /// For each row of the original its row among the release's, where it has one.
    pub(super) became: Vec<Option<usize>>,
    /// For each row of the original its part.
    pub(super) fold_of: Vec<usize>,
    /// The column that is predicted.
    pub(super) target: Column,
}

impl Taught {
    /// The lessons of a pair.
    pub(super) fn of(pair: &Pair<'_, Table>, seed: u64) -> Result<Option<Self>> {
        let Some(name) = pair.original.target() else { return Ok(None) };
        let target = &pair.original.columns()[pair.original.find(name)?];
        let lacks = || {
            Error::refused("the release lacks the column that is to be predicted")
                .in_column(name)
                .with_hint("`--target` names a column that is published: sensitive, plain or quasi, not an identifier")
        };
        let released_target = pair.release.columns().iter().find(|column| column.name == name).ok_or_else(lacks)?;
        let Some(became) = super::super::cells::rows_of_rows(pair) else { return Ok(None) };
        let mut rng = Rng::seeded(seed);
        let rows: Vec<usize> =
            rng.sample(pair.original.rows(), MOST_ROWS).into_iter().map(|row| row as usize).collect();
        let encoders: Vec<Encoder<'_>> = pair
            .original
            .columns()
            .iter()
            .filter(|column| column.name != name)
            .filter_map(|column| Some((column, pair.release.columns().iter().find(|other| other.name == column.name)?)))
            .map(|(column, other)| Encoder::of(column, other, &rows))
            .collect();
        let released: Vec<usize> = rows.iter().filter_map(|&row| became[row]).collect();
        let mut next = 0;
        let places = rows.iter().map(|&row| {
            became[row].map(|_| {
                next += 1;
                next - 1
            })
        });
        let became: Vec<Option<usize>> = places.collect();
        let features = encoders.iter().map(|encoder| encoder.features).sum();
        let lessons = |rows: &[usize], is_release: bool, target: &Column| {
            let mut numbers = Vec::with_capacity(rows.len() * features);
            for &row in rows {
                encoders.iter().for_each(|encoder| encoder.write(row, is_release, &mut numbers));
            }
            Lessons { features, numbers, targets: rows.iter().map(|&row| target.text(row).to_owned()).collect() }
        };
        let (original, release) = (lessons(&rows, false, target), lessons(&released, true, released_target));
        let mut order: Vec<usize> = (0..rows.len()).collect();
        rng.shuffle(&mut order);
        let mut fold_of = vec![0; rows.len()];
        order.iter().enumerate().for_each(|(at, &row)| fold_of[row] = at % FOLDS);
        Ok(Some(Self { original, release, became, fold_of, target: target.clone() }))
    }

    /// For each row of the release its part: that of the row it was.
    pub(super) fn fold_of_release(&self) -> Vec<usize> {
        let of = self.became.iter().zip(&self.fold_of).filter_map(|(became, fold)| became.map(|_| *fold));
        of.collect()
    }
}

/// A column as features.
struct Encoder<'a> {
    columns: [&'a Column; 2],
    features: usize,
    /// For each value of the original and of the release: a number, or the features that it has.
    values: [Vec<Shown>; 2],
}

#[derive(Debug, Clone)]
enum Shown {
    Number(f64),
    Labels(Vec<u32>),
}

impl<'a> Encoder<'a> {
    fn of(column: &'a Column, released: &'a Column, rows: &[usize]) -> Self {
        let columns = [column, released];
        if column.kind.is_numeric() {
            let values = columns.map(|own| own.values.iter().map(|text| Shown::Number(number(text, column))).collect());
            let encoder = Self { columns, features: 1, values };
            return encoder.with_means(rows);
        }
        // Values and labels above them, by the rows that lie under each.
        let labels: Vec<Vec<String>> = column.values.iter().map(|text| labels(text, column)).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for &row in rows {
            for label in &labels[column.cells[row] as usize] {
                *counts.entry(label).or_default() += 1;
            }
        }
        let enough = (rows.len() / 200).clamp(2, 20);
        let mut kept: Vec<(usize, &str)> =
            counts.into_iter().map(|(label, count)| (count, label)).filter(|(count, _)| *count >= enough).collect();
        kept.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
        kept.truncate(MOST_LABELS);
        let place: HashMap<String, u32> =
            kept.iter().zip(0u32..).map(|((_, label), at)| ((*label).to_owned(), at)).collect();
        let features = place.len();
        let own = |text: &str| {
            let mut found: Vec<u32> =
                self::labels(text, column).iter().filter_map(|label| place.get(label).copied()).collect();
            found.sort_unstable();
            found.dedup();
            Shown::Labels(found)
        };
        let values = columns.map(|column| column.values.iter().map(own).collect());
        Self { columns, features, values }
    }

    /// The same with the original's mean where there is no number.
    fn with_means(mut self, rows: &[usize]) -> Self {
        let number = |row: &usize| match self.values[0][self.columns[0].cells[*row] as usize] {
            Shown::Number(number) => number,
            Shown::Labels(_) => f64::NAN,
        };
        let known: Vec<f64> = rows.iter().map(number).filter(|number| !number.is_nan()).collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        for shown in self.values.iter_mut().flatten() {
            if let Shown::Number(number) = shown
                && number.is_nan()
            {
                *number = mean;
            }
        }
        self
    }

    fn write(&self, row: usize, is_release: bool, numbers: &mut Vec<f64>) {
        let which = usize::from(is_release);
        match &self.values[which][self.columns[which].cells[row] as usize] {
            Shown::Number(number) => numbers.push(*number),
            Shown::Labels(labels) => {
                let start = numbers.len();
                numbers.resize(start + self.features, 0.0);
                labels.iter().for_each(|&label| numbers[start + label as usize] = 1.0);
            }
        }
    }
}

/// What a cell is as a number, in a column like this one, which is the original's.
pub(super) fn number(text: &str, column: &Column) -> f64 {
    match (Cell::of(text, column), &column.hierarchy) {
        (Cell::Interval(low, high), _) => low + (high - low) / 2.0,
        (Cell::Node(level, node), Some(hierarchy)) => {
            let under = (0..hierarchy.leaves()).filter(|&leaf| hierarchy.node(level, leaf) == node);
            let numbers = under.filter_map(|leaf| column.kind.number(hierarchy.label(0, leaf)));
            let (sum, count) = numbers.fold((0.0, 0u32), |(sum, count), number| (sum + number, count + 1));
            if count > 0 { sum / f64::from(count) } else { f64::NAN }
        }
        _ => column.kind.number(text).unwrap_or(f64::NAN),
    }
}

/// What a cell lies under, itself first, without what everything lies under.
fn labels(text: &str, column: &Column) -> Vec<String> {
    let Some(hierarchy) = &column.hierarchy else { return vec![format!("0 {text}")] };
    let Some((level, node)) = hierarchy.leaf(text).map(|leaf| (0, leaf)).or_else(|| hierarchy.find(text)) else {
        return vec![format!("0 {text}")];
    };
    let Some(leaf) = (0..hierarchy.leaves()).find(|&leaf| hierarchy.node(level, leaf) == node) else {
        return Vec::new();
    };
    let above = (level..=hierarchy.height()).filter(|&level| hierarchy.nodes(level) > 1);
    above.map(|level| format!("{level} {}", hierarchy.label(level, hierarchy.node(level, leaf)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::testing::{generalised, twelve};

    #[test]
    fn labels_and_values_share_features() {
        let original = twelve();
        let release = generalised(&original, &[("zip", 1)]);
        let own = original.clone().with_target(Some("illness".to_owned()));
        let link = (0..12).map(Some).collect();
        let pair = Pair { original: &own, release: &release, multiplicity: vec![1; 12], link: Some(link) };
        let taught = Taught::of(&pair, 0).unwrap().unwrap();
        // zip reads as a number, sex is two values.
        assert_eq!(taught.original.features, 3);
        assert_eq!(taught.original.row(0)[0], 41075.0);
        // 410** stands for 41075, 41076 and 41099.
        assert!((taught.release.row(0)[0] - (41075.0 + 41076.0 + 41099.0) / 3.0).abs() < 1e-9);
        assert_eq!(taught.release.row(0)[1..], taught.original.row(0)[1..]);
        assert_eq!(taught.fold_of.len(), 12);
        assert!((0..FOLDS).all(|fold| taught.fold_of.contains(&fold)));
        assert_eq!(taught.fold_of_release(), taught.fold_of);
    }

    #[test]
    fn a_release_without_the_target_is_refused() {
        let own = twelve().with_target(Some("illness".to_owned()));
        let columns = own.columns()[..2].to_vec();
        let release = own.clone().with_columns(columns);
        let pair = Pair {
            original: &own,
            release: &release,
            multiplicity: vec![1; 12],
            link: Some((0..12).map(Some).collect()),
        };
        assert!(Taught::of(&pair, 0).unwrap_err().to_string().contains("lacks the column"));
    }
}
