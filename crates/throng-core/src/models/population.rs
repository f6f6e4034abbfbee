//! Models that look at a release beside the population that its rows are a part of: k-map and delta-presence.
//!
//! A population is a table with the same quasi columns that has the original's rows among its own. A row of it belongs to the class
//! whose published cells cover its own: the label of a hierarchy above them, or the interval that they lie in.

use std::collections::{HashMap, HashSet};

use crate::data::table::{Cell, Classes, Column, ColumnRole, Hierarchy, Missing, Table};
use crate::data::{Dataset as _, Strings};
use crate::error::{Error, Result};

/// A model that judges every class by its rows and by the rows of the population that it covers: methods can heed it.
pub trait PopulationModel: std::fmt::Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Whether a class of so many rows may cover so many of the population.
    fn holds(&self, rows: u64, covered: u64) -> bool;
    /// Whether a release may lack no class of the population: only a method that generalises whole columns knows them all.
    fn needs_every_class(&self) -> bool {
        false
    }
}

/// How many rows of the population every class of a release has, and how many classes of it belong to none.
pub struct InPopulation {
    /// The classes of the release.
    pub classes: Classes,
    /// For each how many rows of the population it covers.
    pub covered: Vec<u64>,
    /// How many classes of the population no class covers. Where the cells of a column are all of one level, so are those of the
    /// population.
    pub absent: u64,
}

impl InPopulation {
    /// Counts them. Where a row fits several classes, it counts for each.
    pub fn of(population: &Table, release: &Table) -> Result<Self> {
        let quasi = release.quasi()?;
        let classes = Classes::of(release, &quasi);
        let mut axes = quasi
            .iter()
            .map(|&at| Axis::of(&release.columns()[at], at, population, release))
            .collect::<Result<Vec<_>>>()?;
        // What has few different cells is decided first.
        axes.sort_by_key(|axis| axis.cells.len());
        let key_of = |class: usize| -> Vec<u32> {
            let row = classes.rows(class)[0] as usize;
            axes.iter().map(|axis| release.columns()[axis.own].cells[row]).collect()
        };
        let mut keys: Vec<(Vec<u32>, usize)> = (0..classes.len()).map(|class| (key_of(class), class)).collect();
        keys.sort_unstable();
        let mut covered = vec![0; classes.len()];
        let mut absent: HashSet<Vec<u32>> = HashSet::new();
        // Equal rows of the population are looked at once.
        let places: Vec<usize> = axes.iter().map(|axis| axis.place).collect();
        let alike = Classes::of(population, &places);
        let mut hits = Vec::new();
        for group in 0..alike.len() {
            let row = alike.rows(group)[0] as usize;
            let values: Vec<u32> = places.iter().map(|&place| population.columns()[place].cells[row]).collect();
            hits.clear();
            fits(&axes, &values, 0, &keys, &mut hits);
            if hits.is_empty() {
                absent.insert(axes.iter().zip(&values).map(|(axis, &value)| axis.seen(value)).collect());
            }
            hits.iter().for_each(|&class| covered[class] += alike.size(group) as u64);
        }
        Ok(Self { classes, covered, absent: absent.len() as u64 })
    }
}

/// A quasi column of a release beside that of the population.
struct Axis<'a> {
    /// The places of the column in the release and in the population.
    own: usize,
    place: usize,
    /// What each value of the release says.
    cells: Vec<Cell>,
    texts: &'a Strings,
    /// The values of the population, their leaves and numbers.
    others: &'a Strings,
    hierarchy: Option<&'a Hierarchy>,
    leaves: Vec<Option<u32>>,
    numbers: Vec<f64>,
    /// Whether a cell covers a value, cell by cell, where there are not too many of them.
    known: Vec<bool>,
    /// The level that all cells are of.
    level: Option<usize>,
}

/// As many answers are worked out before they are asked for.
const KNOWN: usize = 1 << 22;

impl<'a> Axis<'a> {
    fn of(column: &'a Column, own: usize, population: &'a Table, release: &Table) -> Result<Self> {
        let found = population.columns().iter().position(|other| other.name == column.name);
        let place = found.ok_or_else(|| {
            Error::refused("the population lacks a quasi column of the release")
                .in_column(&column.name)
                .with_hint("it is a table with the same columns, of which the original is a part")
        })?;
        let other = &population.columns()[place];
        let is_wild = |text: &str| release.settings().missing == Missing::Wild && column.settings.is_missing(text);
        let said = |text: &str| if is_wild(text) { Cell::All } else { Cell::of(text, other) };
        let cells: Vec<Cell> = column.values.iter().map(said).collect();
        let hierarchy = other.hierarchy.as_deref();
        let level = |cell: &Cell| match cell {
            Cell::Node(level, _) => Some(*level),
            _ => None,
        };
        let first = cells.first().and_then(level);
        let mut axis = Self {
            own,
            place,
            level: first.filter(|_| cells.iter().all(|cell| level(cell) == first)),
            texts: column.values.as_ref(),
            others: other.values.as_ref(),
            leaves: other.values.iter().map(|text| hierarchy?.leaf(text)).collect(),
            numbers: other.numbers(),
            known: Vec::new(),
            hierarchy,
            cells,
        };
        let values = axis.leaves.len() as u32;
        if axis.cells.len().saturating_mul(values as usize) <= KNOWN {
            let all = (0..axis.cells.len() as u32).flat_map(|cell| (0..values).map(move |value| (cell, value)));
            axis.known = all.map(|(cell, value)| axis.is_covered(cell, value)).collect();
        }
        Ok(axis)
    }

    fn is_covered(&self, cell: u32, value: u32) -> bool {
        let at = value as usize;
        self.cells[cell as usize].covers(self.hierarchy, self.leaves[at], self.numbers[at])
            || self.texts.get(cell) == self.others.get(value)
    }

    /// Whether a published cell covers a value of the population.
    fn covers(&self, cell: u32, value: u32) -> bool {
        match self.known.get(cell as usize * self.leaves.len() + value as usize) {
            Some(&known) => known,
            None => self.is_covered(cell, value),
        }
    }

    /// A value of the population as the release would show it.
    fn seen(&self, value: u32) -> u32 {
        match (self.hierarchy, self.level, self.leaves[value as usize]) {
            (Some(hierarchy), Some(level), Some(leaf)) => hierarchy.node(level, leaf),
            _ => value,
        }
    }
}

/// All classes that cover the values of a row. Their keys are sorted, so that those which begin with the same cells stand together.
fn fits(axes: &[Axis<'_>], values: &[u32], at: usize, keys: &[(Vec<u32>, usize)], hits: &mut Vec<usize>) {
    let Some(axis) = axes.get(at) else {
        hits.extend(keys.iter().map(|(_, class)| class));
        return;
    };
    let mut rest = keys;
    while let Some((key, _)) = rest.first() {
        let cell = key[at];
        let (alike, others) = rest.split_at(rest.partition_point(|(key, _)| key[at] == cell));
        if axis.covers(cell, values[at]) {
            fits(axes, values, at + 1, alike, hits);
        }
        rest = others;
    }
}

/// Refuses a population that does not have all rows of an original, by their quasi cells.
pub fn refuse_foreign(population: &Table, original: &Table) -> Result<()> {
    let quasi = original.of_role(ColumnRole::Quasi);
    let mut places = Vec::new();
    for &at in &quasi {
        places.push(population.find(&original.columns()[at].name)?);
    }
    let key = |table: &Table, columns: &[usize], row: usize| -> Vec<String> {
        columns.iter().map(|&at| table.columns()[at].text(row).to_owned()).collect()
    };
    let mut left: HashMap<Vec<String>, usize> = HashMap::new();
    for row in 0..population.rows() {
        *left.entry(key(population, &places, row)).or_default() += 1;
    }
    for row in 0..original.rows() {
        match left.get_mut(&key(original, &quasi, row)) {
            Some(count @ 1..) => *count -= 1,
            _ => {
                return Err(Error::refused(format!("row {} of the data is not in the population", row + 1)).with_hint(
                    "a population has all rows of the original among its own: is it the right file, with the same columns?",
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::table::testing::{generalised, table, twelve};

    /// Every row of the population against every class, and the rows that fit none.
    fn slowly(population: &Table, release: &Table) -> (Vec<u64>, usize) {
        let quasi = release.quasi().unwrap();
        let classes = Classes::of(release, &quasi);
        let covers = |class: usize, row: usize| {
            quasi.iter().all(|&at| {
                let own = &release.columns()[at];
                let other = &population.columns()[population.find(&own.name).unwrap()];
                let (text, value) = (own.text(classes.rows(class)[0] as usize), other.text(row));
                let leaf = other.hierarchy.as_deref().and_then(|hierarchy| hierarchy.leaf(value));
                let number = other.kind.number(value).unwrap_or(f64::NAN);
                text == value || Cell::of(text, other).covers(other.hierarchy.as_deref(), leaf, number)
            })
        };
        let rows = 0..population.rows();
        let covered = |class: usize| rows.clone().filter(|&row| covers(class, row)).count() as u64;
        let alone = rows.clone().filter(|&row| (0..classes.len()).all(|class| !covers(class, row)));
        ((0..classes.len()).map(covered).collect(), alone.count())
    }

    #[test]
    fn classes_are_counted_as_the_release_would_show_them() {
        let population = twelve();
        let part = population.retaining(|row| matches!(row, 0 | 2 | 3));
        // 41099 m, 48201 f, 48201 m, 48202 m and 48202 f as they are; 482** f and 482** m of whole areas.
        assert_eq!(InPopulation::of(&population, &part).unwrap().absent, 5);
        assert_eq!(InPopulation::of(&population, &generalised(&part, &[("zip", 1)])).unwrap().absent, 2);
    }

    /// Intervals that overlap: as many combinations of cells as there are fit a row, and only those that are published are tried.
    #[test]
    fn many_cells_that_cover_a_value_cost_little() {
        let lines: Vec<String> = (0..400)
            .map(|at| {
                let ends = |by: usize| format!("{}..{}", (at * by) % 20, 80 + (at * by) % 19);
                format!("{} {} {} {} {}", ends(1), ends(3), ends(7), ends(11), ends(13))
            })
            .collect();
        let release = table("a:q b:q c:q d:q e:q", &lines.iter().map(String::as_str).collect::<Vec<_>>());
        let lines: Vec<String> = (20..80).map(|at| format!("{at} {at} {at} {at} {at}")).collect();
        let population = table("a:q b:q c:q d:q e:q", &lines.iter().map(String::as_str).collect::<Vec<_>>());
        let found = InPopulation::of(&population, &release).unwrap();
        assert!(found.covered.iter().all(|&rows| rows == 60));
    }

    proptest! {
        #[test]
        fn it_is_what_comparing_all_gives(
            rows in prop::collection::vec((0u32..9, 0u32..9, 0u32..3), 1..12),
            others in prop::collection::vec((0u32..9, 0u32..3), 1..12),
        ) {
            let cell = |low: u32, high: u32| if low < high { format!("{low}..{high}") } else { low.to_string() };
            let lines: Vec<String> = rows.iter().map(|&(low, high, sex)| format!("{} {sex}", cell(low, high))).collect();
            let release = table("age:q sex:q", &lines.iter().map(String::as_str).collect::<Vec<_>>());
            let lines: Vec<String> = others.iter().map(|(age, sex)| format!("{age} {sex}")).collect();
            let population = table("age:q sex:q", &lines.iter().map(String::as_str).collect::<Vec<_>>());
            let found = InPopulation::of(&population, &release).unwrap();
            let (covered, alone) = slowly(&population, &release);
            prop_assert_eq!(found.covered, covered);
            prop_assert_eq!(found.absent == 0, alone == 0);
        }
    }
}
