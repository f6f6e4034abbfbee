//! Models that look at a release beside the population that its rows are a part of: k-map and delta-presence.
//!
//! A population is a table with the same quasi columns that has the original's rows among its own. A row of it belongs to the class
//! whose published cells cover its own: the label of a hierarchy above them, or the interval that they lie in.

use std::collections::HashMap;

use crate::data::Dataset as _;
use crate::data::table::{Cell, Classes, ColumnRole, Missing, Table};
use crate::error::{Error, Result};

/// A model that judges every class by its rows and by the rows of the population that it covers: methods can heed it.
pub trait PopulationModel: std::fmt::Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Whether a class of so many rows may cover so many of the population.
    fn holds(&self, rows: u64, covered: u64) -> bool;
}

/// How many rows of the population every class of a release has, and how many belong to none.
pub struct InPopulation {
    /// The classes of the release.
    pub classes: Classes,
    /// For each how many rows of the population it covers.
    pub covered: Vec<u64>,
    /// How many rows no class covers.
    pub absent: u64,
}

impl InPopulation {
    /// Counts them. Where a row fits several classes, it counts for each.
    pub fn of(population: &Table, release: &Table) -> Result<Self> {
        let quasi = release.quasi()?;
        let classes = Classes::of(release, &quasi);
        // For each column, for each value of the release the values of the population that it covers.
        let mut places = Vec::new();
        let mut covered_by: Vec<Vec<Vec<u32>>> = Vec::new();
        for &at in &quasi {
            let own = &release.columns()[at];
            let found = population.columns().iter().position(|column| column.name == own.name);
            let place = found.ok_or_else(|| {
                Error::refused("the population lacks a quasi column of the release")
                    .in_column(&own.name)
                    .with_hint("it is a table with the same columns, of which the original is a part")
            })?;
            let other = &population.columns()[place];
            let numbers = other.numbers();
            let is_wild = |text: &str| release.settings().missing == Missing::Wild && own.settings.is_missing(text);
            let said = |text: &str| if is_wild(text) { Cell::All } else { Cell::of(text, other) };
            let cells: Vec<Cell> = own.values.iter().map(said).collect();
            let hierarchy = other.hierarchy.as_deref();
            let covers = |value: u32| {
                let text = other.values.get(value);
                let leaf = hierarchy.and_then(|hierarchy| hierarchy.leaf(text));
                let fits = |(at, cell): (usize, &Cell)| {
                    let same = own.values.get(at as u32) == text;
                    (same || cell.covers(hierarchy, leaf, numbers[value as usize])).then_some(at as u32)
                };
                cells.iter().enumerate().filter_map(fits).collect::<Vec<u32>>()
            };
            covered_by.push((0..other.values.len() as u32).map(covers).collect());
            places.push(place);
        }
        let key_of = |class: usize| -> Vec<u32> {
            let row = classes.rows(class)[0] as usize;
            quasi.iter().map(|&at| release.columns()[at].cells[row]).collect()
        };
        let number_of: HashMap<Vec<u32>, usize> = (0..classes.len()).map(|class| (key_of(class), class)).collect();
        let mut covered = vec![0; classes.len()];
        let mut absent = 0;
        // Equal rows of the population are looked at once.
        let alike = Classes::of(population, &places);
        for group in 0..alike.len() {
            let row = alike.rows(group)[0] as usize;
            let choices: Vec<&[u32]> = places
                .iter()
                .zip(&covered_by)
                .map(|(&place, covered_by)| covered_by[population.columns()[place].cells[row] as usize].as_slice())
                .collect();
            let mut hits = Vec::new();
            fits(&choices, &mut Vec::new(), &number_of, &mut hits);
            let rows = alike.size(group) as u64;
            absent += if hits.is_empty() { rows } else { 0 };
            hits.into_iter().for_each(|class| covered[class] += rows);
        }
        Ok(Self { classes, covered, absent })
    }
}

/// All classes whose cells are among the choices.
fn fits(choices: &[&[u32]], chosen: &mut Vec<u32>, number_of: &HashMap<Vec<u32>, usize>, hits: &mut Vec<usize>) {
    let Some(options) = choices.get(chosen.len()) else {
        hits.extend(number_of.get(chosen.as_slice()));
        return;
    };
    for &option in *options {
        chosen.push(option);
        fits(choices, chosen, number_of, hits);
        chosen.pop();
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
