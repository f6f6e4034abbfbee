//! Classes where a missing cell may be anything: whom somebody finds who knows what a person's cells really are.
//!
//! # Idea
//! Somebody knows all quasi cells of a person. A row may be that person's if it says the same or nothing in every column. What a
//! missing cell really is is not known, so it is tried with everything: with each value that another row would fit, and with one that
//! nobody has. Every set of rows that fits what may so be known is a class, and a row may be in several.
//!
//! # How
//! What may be known is a row with some gaps filled; a gap that is left is filled with something that nobody else has. Two rows that
//! agree where both say something can be of the same person: together they say what would fit both. Beginning with the rows, all that
//! can be put together this way is listed; what fits a list's entry are the rows that say nothing else, found by a look-up for each
//! set of columns in which rows have gaps.
//!
//! # Cost
//! Time O(entries x sets of columns with gaps); there are at least as many entries as different rows, and [`MOST_ENTRIES`] at most.

use std::collections::HashMap;

use super::{Classes, Missing, Table};
use crate::data::Dataset as _;
use crate::error::{Error, Result};

/// The most sets of known cells that are tried.
pub const MOST_ENTRIES: usize = 1 << 20;

/// A cell that says nothing.
const GAP: u32 = u32::MAX;

/// The classes of a table's rows by some columns: rows that agree, or, where a missing cell may be anything and some are missing,
/// every set of rows that fits what may be known of somebody. Then a row may be in several, and `of` has one of them.
pub fn classes(table: &Table, columns: &[usize]) -> Result<Classes> {
    let own = || Classes::of(table, columns);
    if table.settings().missing == Missing::Own {
        return Ok(own());
    }
    let missing: Vec<Vec<bool>> = columns.iter().map(|&at| table.columns()[at].missing()).collect();
    let equal = own();
    let cell = |row: u32, (&at, missing): (&usize, &Vec<bool>)| {
        let cell = table.columns()[at].cells[row as usize];
        if missing[cell as usize] { GAP } else { cell }
    };
    let said = |class: usize| -> Vec<u32> {
        let row = equal.rows(class)[0];
        columns.iter().zip(&missing).map(|pair| cell(row, pair)).collect()
    };
    let rows: Vec<Vec<u32>> = (0..equal.len()).map(said).collect();
    if rows.iter().all(|row| !row.contains(&GAP)) {
        return Ok(equal);
    }
    let fitting = fitting(&rows)?;
    let mut found = Classes { of: vec![0; table.rows()], rows: Vec::new(), starts: vec![0] };
    for (class, members) in (0u32..).zip(&fitting) {
        let mut all: Vec<u32> = members.iter().flat_map(|&member| equal.rows(member as usize)).copied().collect();
        all.sort_unstable();
        all.iter().for_each(|&row| found.of[row as usize] = class);
        found.rows.extend(all);
        found.starts.push(found.rows.len() as u32);
    }
    Ok(found)
}

/// For everything that may be known of somebody the rows that fit it.
fn fitting(rows: &[Vec<u32>]) -> Result<Vec<Vec<u32>>> {
    let width = rows.first().map_or(0, Vec::len);
    let shape = |row: &[u32]| -> Vec<usize> { (0..width).filter(|&at| row[at] != GAP).collect() };
    // Rows by the columns in which they say something.
    let mut shapes: Vec<(Vec<usize>, Vec<u32>)> = Vec::new();
    for (number, row) in (0u32..).zip(rows) {
        let own = shape(row);
        match shapes.iter_mut().find(|(other, _)| *other == own) {
            Some((_, members)) => members.push(number),
            None => shapes.push((own, vec![number])),
        }
    }
    let cut = |row: &[u32], columns: &[usize]| -> Vec<u32> { columns.iter().map(|&at| row[at]).collect() };
    let by_cut = |members: &[u32], columns: &[usize]| {
        let mut places: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
        for &member in members {
            places.entry(cut(&rows[member as usize], columns)).or_default().push(member);
        }
        places
    };
    // Everything that can be put together, in the order in which it is found.
    let mut entries: Vec<Vec<u32>> = rows.to_vec();
    let mut known: HashMap<Vec<u32>, ()> = rows.iter().map(|row| (row.clone(), ())).collect();
    type ByCells = HashMap<Vec<u32>, Vec<u32>>;
    let mut tables: HashMap<(usize, Vec<usize>), ByCells> = HashMap::new();
    let mut at = 0;
    while at < entries.len() {
        let entry = entries[at].clone();
        let own = shape(&entry);
        for (number, (columns, members)) in shapes.iter().enumerate() {
            // What says nothing more adds nothing.
            if columns.iter().all(|column| own.contains(column)) {
                continue;
            }
            let both: Vec<usize> = columns.iter().copied().filter(|column| own.contains(column)).collect();
            let key = cut(&entry, &both);
            let table = tables.entry((number, both.clone())).or_insert_with(|| by_cut(members, &both));
            for &member in table.get(&key).into_iter().flatten() {
                let row = &rows[member as usize];
                let joined: Vec<u32> =
                    entry.iter().zip(row).map(|(&own, &other)| if own == GAP { other } else { own }).collect();
                if known.insert(joined.clone(), ()).is_none() {
                    entries.push(joined);
                }
            }
            if entries.len() > MOST_ENTRIES {
                return Err(Error::refused("too many cells are missing to try everything that they may be").with_hint(
                    "`--missing own` takes a missing cell as a value like others; or leave rows out that say too little",
                ));
            }
        }
        at += 1;
    }
    let whole: Vec<HashMap<Vec<u32>, Vec<u32>>> =
        shapes.iter().map(|(columns, members)| by_cut(members, columns)).collect();
    let fits = |entry: &Vec<u32>| {
        let mut found: Vec<u32> = Vec::new();
        for ((columns, _), places) in shapes.iter().zip(&whole) {
            if columns.iter().all(|&column| entry[column] != GAP) {
                found.extend(places.get(&cut(entry, columns)).into_iter().flatten());
            }
        }
        found.sort_unstable();
        found
    };
    Ok(entries.iter().map(fits).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::data::table::testing::table;
    use crate::data::table::{Column, ColumnRole, TableSettings};

    fn sets(classes: &Classes) -> BTreeSet<Vec<u32>> {
        (0..classes.len()).map(|class| classes.rows(class).to_vec()).collect()
    }

    fn wild(table: Table) -> Table {
        table.with_settings(TableSettings { missing: Missing::Wild, ..TableSettings::default() })
    }

    #[test]
    fn whoever_says_nothing_may_be_anybody_or_nobody_else() {
        // Four with `a`, one of whom nothing is known: they may be `a` as well, or alone.
        let five = wild(table("age:q zip:q", &["30 a", "30 a", "30 a", "30 a", "30 -"]));
        assert_eq!(sets(&classes(&five, &[0, 1]).unwrap()), BTreeSet::from([vec![0, 1, 2, 3, 4], vec![4]]));
        // Two that say nothing cannot be told apart by it, whatever they are.
        let two = wild(table("age:q zip:q", &["30 -", "30 -", "31 a"]));
        assert_eq!(sets(&classes(&two, &[0, 1]).unwrap()), BTreeSet::from([vec![0, 1], vec![2]]));
        // Two that each say half fit one person who is both.
        let halves = wild(table("age:q zip:q", &["30 -", "- a"]));
        assert_eq!(sets(&classes(&halves, &[0, 1]).unwrap()), BTreeSet::from([vec![0], vec![1], vec![0, 1]]));
    }

    proptest! {
        /// Tries every way to fill the gaps of every row, with all values and one that nobody has.
        #[test]
        fn it_is_what_trying_everything_gives(cells in prop::collection::vec((0u32..3, 0u32..3, 0u32..3), 1..9)) {
            let text = |value: u32| if value == 0 { String::new() } else { value.to_string() };
            let column = |name: &str, of: &dyn Fn(&(u32, u32, u32)) -> u32| {
                let texts: Vec<String> = cells.iter().map(|row| text(of(row))).collect();
                Column::new(name, ColumnRole::Quasi, texts.iter().map(String::as_str))
            };
            let columns = vec![column("a", &|row| row.0), column("b", &|row| row.1), column("c", &|row| row.2)];
            let found = sets(&classes(&wild(Table::of_rows(columns)), &[0, 1, 2]).unwrap());
            let mut expected = BTreeSet::new();
            for row in &cells {
                let choices = |value: u32| if value == 0 { vec![1, 2, 9] } else { vec![value] };
                for a in choices(row.0) {
                    for b in choices(row.1) {
                        for c in choices(row.2) {
                            let fits = |other: &(u32, u32, u32)| {
                                [(other.0, a), (other.1, b), (other.2, c)].iter().all(|&(own, known)| own == 0 || own == known)
                            };
                            expected.insert((0u32..).zip(&cells).filter(|(_, row)| fits(row)).map(|(at, _)| at).collect::<Vec<u32>>());
                        }
                    }
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
