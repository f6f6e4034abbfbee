//! What measures of tables have in common: the quasi columns of an original beside those of its release, cell by cell.

use std::collections::HashSet;

use crate::data::Dataset as _;
use crate::data::table::{Cell, Column, Table};
use crate::error::{Error, Result};
use crate::measures::Pair;

/// A quasi column of an original with what the release says in its place.
pub(super) struct Compared<'a> {
    /// The original's column.
    pub(super) original: &'a Column,
    /// The release's.
    pub(super) release: &'a Column,
    /// The least and the greatest number of the original.
    pub(super) range: (f64, f64),
    /// For each value of the release what it says.
    pub(super) says: Vec<Cell>,
}

impl<'a> Compared<'a> {
    /// The quasi columns of a pair.
    pub(super) fn all(pair: &Pair<'a, Table>) -> Result<Vec<Self>> {
        let quasi = pair.original.quasi()?;
        let compared = |at: usize| {
            let original = &pair.original.columns()[at];
            let found = pair.release.columns().iter().find(|column| column.name == original.name);
            let release = found.ok_or_else(|| {
                Error::refused("the release lacks a quasi column of the original")
                    .in_column(&original.name)
                    .with_hint("columns of both have the same names; `--column` names those that both have")
            })?;
            let numbers = original.numbers();
            let some = numbers.iter().copied().filter(|number| !number.is_nan());
            let own = (some.clone().fold(f64::INFINITY, f64::min), some.fold(f64::NEG_INFINITY, f64::max));
            let range = original.settings.whole.map_or(own, |whole| (whole.low, whole.high));
            let says = release.values.iter().map(|text| Cell::of(text, original)).collect();
            Ok(Self { original, release, range, says })
        };
        quasi.into_iter().map(compared).collect()
    }

    /// For each value of the release how much it leaves open.
    pub(super) fn penalties(&self) -> Vec<f64> {
        let hierarchy = self.original.hierarchy.as_deref();
        self.says.iter().map(|cell| cell.penalty(hierarchy, self.range)).collect()
    }

    /// What the column counts.
    pub(super) fn weight(&self) -> f64 {
        self.original.settings.weight
    }

    /// Whether a value of the release covers a value of the original, both by their numbers.
    pub(super) fn covering(&self) -> impl Fn(u32, u32) -> bool {
        let (numbers, hierarchy) = (self.original.numbers(), self.original.hierarchy.as_deref());
        move |value, became| {
            let text = self.original.values.get(value);
            let leaf = hierarchy.and_then(|hierarchy| hierarchy.leaf(text));
            self.release.values.get(became) == text
                || self.says[became as usize].covers(hierarchy, leaf, numbers[value as usize])
        }
    }

    /// Whether every published cell covers what it stands for, as a mean or a noisy number does not. Where it is not known what became
    /// of which row, whether it covers anything that the original has.
    pub(super) fn is_covering(&self, rows: Option<&[Option<usize>]>) -> bool {
        if let Some(rows) = rows {
            let became = rows.iter().map(|row| row.map(|row| self.release.cells[row]));
            let mut pairs: Vec<(u32, u32)> =
                self.original.cells.iter().zip(became).filter_map(|(&cell, became)| Some((cell, became?))).collect();
            pairs.sort_unstable();
            pairs.dedup();
            let covers = self.covering();
            return pairs.into_iter().all(|(value, became)| covers(value, became));
        }
        let texts: HashSet<&str> = self.original.values.iter().collect();
        let mut numbers = self.original.numbers();
        numbers.retain(|number| !number.is_nan());
        numbers.sort_by(f64::total_cmp);
        let has_some = |(text, cell): (&str, &Cell)| match cell {
            Cell::Interval(low, high) => {
                let first = numbers.partition_point(|number| number < low);
                numbers.get(first).is_some_and(|number| number <= high) || texts.contains(text)
            }
            Cell::Value => texts.contains(text),
            Cell::Node(..) | Cell::All => true,
        };
        self.release.values.iter().zip(&self.says).all(has_some)
    }

    /// For each value of the release the number in its middle; nothing for what is no number.
    pub(super) fn middles(&self) -> Vec<Option<f64>> {
        let middle = |cell: &Cell| match cell {
            Cell::Interval(low, high) => Some(low + (high - low) / 2.0),
            _ => None,
        };
        self.says.iter().map(middle).collect()
    }
}

/// For each row of the original the row of the release that it became; nothing where a person has several rows, for which of theirs
/// became which is not known.
pub(super) fn rows_of_rows(pair: &Pair<'_, Table>) -> Option<Vec<Option<usize>>> {
    let (original, release) = (pair.original, pair.release);
    let has_one = |table: &Table| !table.has_several_rows();
    let link = pair.link.as_ref().filter(|_| has_one(original) && has_one(release))?;
    let row = |person: usize| link.get(person).copied().flatten().map(|other| release.range(other as usize).start);
    Some((0..original.persons()).map(row).collect())
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::measures::{Context, Measure, Measured};
    use crate::progress::Silent;

    /// Measures a release whose row i is row i of the original, as far as it has rows.
    pub(crate) fn measure(measure: &dyn Measure<Table>, original: &Table, release: &Table) -> Measured {
        let rows = release.rows();
        let link = (0..original.persons()).map(|person| (person < rows).then_some(person as u32)).collect();
        with_link(measure, original, release, Some(link))
    }

    /// Measures a release of which nobody knows which row became which.
    pub(crate) fn unlinked(measure: &dyn Measure<Table>, original: &Table, release: &Table) -> Measured {
        with_link(measure, original, release, None)
    }

    fn with_link(
        measure: &dyn Measure<Table>,
        original: &Table,
        release: &Table,
        link: Option<Vec<Option<u32>>>,
    ) -> Measured {
        let pair = Pair { original, release, multiplicity: vec![1; release.persons()], link };
        let context = Context { k: 2, shared_by: 2, show_values: false, seed: 0, progress: &Silent };
        measure.measure(&pair, &context).unwrap()
    }
}
