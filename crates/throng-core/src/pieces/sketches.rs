//! Sketches of baskets and of rows of tables: short vectors that are near where records are like each other, the same on every machine.
//!
//! # Idea
//! A basket is its items with everything above them but the root: a node counts the root of what it saves if a group has it in common,
//! so that the product of two sketches is about what the two save together. A row is its numbers, each less its mean and by its
//! deviation, and the labels above its other values. Nodes and labels are hashed to coordinates by their **bytes**, never by numbers
//! that depend on what a machine saw first.

use std::hash::Hasher as _;

use siphasher::sip::SipHasher13;

use super::blocks::Coordinates;
use crate::data::table::{Column, Table};
use crate::data::{Baskets, Dataset as _};
use crate::error::Result;
use crate::taxonomy::{ROOT, Taxonomy};

/// How many coordinates a sketch has.
pub const DIMENSIONS: usize = 512;

/// The coordinate of a label.
fn coordinate(column: &str, label: &str, from: usize) -> u32 {
    let mut hasher = SipHasher13::new();
    hasher.write(column.as_bytes());
    hasher.write_u8(0xff);
    hasher.write(label.as_bytes());
    (from as u64 + hasher.finish() % (DIMENSIONS - from) as u64) as u32
}

/// Coordinates of which some stand twice, each once.
fn added(mut coordinates: Coordinates) -> Coordinates {
    coordinates.sort_by_key(|&(at, _)| at);
    let mut each: Coordinates = Vec::with_capacity(coordinates.len());
    for (at, value) in coordinates {
        match each.last_mut() {
            Some(last) if last.0 == at => last.1 += value,
            _ => each.push((at, value)),
        }
    }
    each
}

/// The sketch of each person.
pub fn of_baskets(baskets: &Baskets, taxonomy: &Taxonomy) -> Vec<Coordinates> {
    let all = taxonomy.leaves(ROOT) as f32;
    let nodes: Vec<(u32, f32)> = (0..taxonomy.len() as u32)
        .map(|node| {
            let saved = taxonomy.leaves(taxonomy.parent(node)) - taxonomy.leaves(node);
            (coordinate("", taxonomy.label(node), 0), (saved as f32 / all).sqrt())
        })
        .collect();
    let of = |person: usize| {
        let items = baskets.basket(person).iter();
        let above = items.flat_map(|&item| taxonomy.ancestors(item).filter(|&node| node != ROOT));
        added(above.map(|node| nodes[node as usize]).collect())
    };
    (0..baskets.persons()).map(of).collect()
}

/// The sketch of the first row of each person, by the quasi columns. Numbers are scaled by what is known of the whole table.
pub fn of_rows(table: &Table) -> Result<Vec<Coordinates>> {
    let quasi: Vec<&Column> = table.quasi()?.into_iter().map(|at| &table.columns()[at]).collect();
    let numbers = quasi.len().min(DIMENSIONS / 2);
    let of_column = |(at, column): (usize, &&Column)| -> Vec<Coordinates> {
        let weight = column.settings.weight.sqrt() as f32;
        match (column.generalised_by(), column.settings.whole) {
            (Some(hierarchy), _) => {
                let height = hierarchy.height().max(1);
                let of_value = |text: &str| {
                    let Some(leaf) = hierarchy.leaf(text) else { return Vec::new() };
                    let label = |level: usize| {
                        let label = hierarchy.label(level, hierarchy.node(level, leaf));
                        (coordinate(&column.name, label, numbers), weight / (height as f32).sqrt())
                    };
                    (0..height).map(label).collect()
                };
                column.values.iter().map(of_value).collect()
            }
            (None, Some(whole)) if whole.deviation > 0.0 && at < numbers => {
                let place = |number: f64| {
                    let scaled = ((number - whole.mean) / whole.deviation) as f32 * weight;
                    if scaled.is_finite() { vec![(at as u32, scaled)] } else { Vec::new() }
                };
                column.numbers().into_iter().map(place).collect()
            }
            _ => vec![Vec::new(); column.values.len()],
        }
    };
    let values: Vec<Vec<Coordinates>> = quasi.iter().enumerate().map(of_column).collect();
    let of = |person: usize| {
        let row = table.range(person).start;
        let cells = quasi.iter().zip(&values).flat_map(|(column, values)| &values[column.cells[row] as usize]);
        added(cells.copied().collect())
    };
    Ok((0..table.persons()).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::baskets::tests::baskets;
    use crate::data::table::testing::{table, twelve};
    use crate::data::table::{ColumnSettings, Whole};
    use crate::taxonomy::tests::food;
    use std::sync::Arc;

    fn product(left: &Coordinates, right: &Coordinates) -> f32 {
        let of = |at: u32| right.iter().find(|(other, _)| *other == at).map_or(0.0, |(_, value)| *value);
        left.iter().map(|&(at, value)| value * of(at)).sum()
    }

    #[test]
    fn like_baskets_are_near() {
        let food = Arc::new(food());
        let labels: Vec<&str> =
            (0..food.len() as u32).filter(|&node| food.is_leaf(node)).map(|node| food.label(node)).collect();
        let lines = [labels[0], labels[1], labels[labels.len() - 1]];
        let own = of_baskets(&baskets(&food, &lines), &food);
        assert!(product(&own[0], &own[0]) > product(&own[0], &own[2]));
        // What another basket has does not matter.
        assert_eq!(of_baskets(&baskets(&food, &lines[2..]), &food)[0], own[2]);
    }

    #[test]
    fn a_row_is_its_scaled_numbers_and_its_labels() {
        let mut columns = table("x:q", &["1", "3"]).columns().to_vec();
        let whole = Whole { mean: 2.0, deviation: 0.5, low: 0.0, high: 4.0 };
        columns[0].settings = Arc::new(ColumnSettings { whole: Some(whole), ..ColumnSettings::default() });
        let found = of_rows(&Table::of_rows(columns)).unwrap();
        assert_eq!(found, [vec![(0, -2.0)], vec![(0, 2.0)]]);
        let labelled = of_rows(&twelve()).unwrap();
        assert!(labelled.iter().all(|own| !own.is_empty()));
    }
}
