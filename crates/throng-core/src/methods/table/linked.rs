//! Linked rows: which rows are one person's is published, and whole sets of rows are shared by k persons.
//!
//! Claims     k-anonymity of linked rows: the rows of a person, all together, are those of k persons.
//! Does not   hide how many rows of a group somebody has: all of them have as many.
//!
//! # Idea
//! 1. Persons with as many rows are cut together. Where there are fewer than k, they join those with fewer rows, and what they have
//!    beyond that is left out; whoever remains in the end is left out.
//! 2. A person with r rows becomes one row with r times as many columns, rows in the order of their quasi cells.
//! 3. Any method for one row a person makes classes of these. What a class publishes is cut into r rows again, which are put into
//!    an order that says nothing.
//!
//! # Cost
//! That of the method on r times as many columns.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use crate::accounts::ROWS_SUPPRESSED;
use crate::data::Dataset as _;
use crate::data::table::{Column, ColumnRole, Table};
use crate::error::{Error, Result};
use crate::methods::Method;
use crate::models::table_k_anonymity;
use crate::progress::Progress;
use crate::release::{Claim, Protected};
use crate::rng::Rng;

/// Protects a table so that the rows of a person may be linked.
pub fn protect(
    method: &dyn Method<Table>,
    original: &Table,
    k: usize,
    rng: &mut Rng,
    progress: &dyn Progress,
) -> Result<Protected<Table>> {
    if !original.has_ids() {
        return Err(Error::parameter("link-rows", "links the rows of a person, and no column says whose a row is")
            .with_hint("name it: `--column person=patient_id`"));
    }
    let quasi = original.quasi()?;
    let places = places(original, &quasi);
    let rows_of = |person: u32| {
        let mut rows: Vec<usize> = original.range(person as usize).collect();
        rows.sort_by(|&left, &right| {
            let key = |row: usize| quasi.iter().zip(&places).map(move |(&at, places)| places[cell(original, at, row)]);
            key(left).cmp(key(right)).then(left.cmp(&right))
        });
        rows
    };
    let columns: Vec<&Column> = original
        .columns()
        .iter()
        .filter(|column| matches!(column.role, ColumnRole::Quasi | ColumnRole::Sensitive | ColumnRole::Plain))
        .collect();
    // For each person who is published: who, their group, and the texts of their rows.
    let mut published: Vec<(u32, u32, Vec<Vec<String>>)> = Vec::new();
    let mut groups = 0;
    for (length, persons) in lengths(original, k) {
        let rows: Vec<Vec<usize>> = persons.iter().map(|&person| rows_of(person)).collect();
        let wide = wide(&columns, &rows, length).with_settings(original.settings());
        let protected = method.protect(&wide, rng, progress)?;
        if protected.search.is_some() {
            return Err(Error::refused(
                "a generalisation of whole columns cannot link rows: each row would have its own levels",
            )
            .with_hint("choose `--method flock` or `--method mondrian`"));
        }
        let records = &protected.records;
        let group_of = records.group_of();
        let mut highest = 0;
        for (&person, record) in persons.iter().zip(&protected.record_of) {
            let Some(record) = *record else { continue };
            let row = records.range(record as usize).start;
            let text = |at: usize| records.columns()[at].text(row).to_owned();
            let mut own: Vec<Vec<String>> = (0..length)
                .map(|part| (0..columns.len()).map(|at| text(part * columns.len() + at)).collect())
                .collect();
            own.sort_unstable();
            let group = group_of.map_or(record, |of| of[record as usize]);
            highest = highest.max(group + 1);
            published.push((person, groups + group, own));
        }
        groups += highest;
    }
    published.sort_unstable_by_key(|(person, ..)| *person);
    let rows: Vec<&Vec<String>> = published.iter().flat_map(|(_, _, rows)| rows).collect();
    let column = |(at, column): (usize, &&Column)| {
        let own = Column::new(&column.name, column.role, rows.iter().map(|row| row[at].as_str()));
        Column { values: own.values, cells: own.cells, ..(*column).clone() }
    };
    let new_columns = columns.iter().enumerate().map(column).collect();
    let names: Vec<String> = (0..published.len()).map(|person| person.to_string()).collect();
    let owners = published.iter().zip(&names).flat_map(|((_, _, rows), name)| rows.iter().map(move |_| name.as_str()));
    let (records, _) = Table::of_persons(new_columns, owners);
    let records = records.with_settings(original.settings());
    let records = records.with_groups(published.iter().map(|(_, group, _)| *group).collect());
    let mut record_of = vec![None; original.persons()];
    for (record, (person, ..)) in (0u32..).zip(&published) {
        record_of[*person as usize] = Some(record);
    }
    let suppressed = (original.rows() - rows.len()) as u64;
    let claim = Claim::new(&table_k_anonymity::INFO, [("k", json!(k)), ("linked", json!(true))]);
    Ok(Protected::new(records, record_of, vec![claim]).counted(ROWS_SUPPRESSED, suppressed))
}

fn cell(table: &Table, column: usize, row: usize) -> usize {
    table.columns()[column].cells[row] as usize
}

/// For each of some columns, for each of its values its place: numbers by value, texts alphabetically.
fn places(table: &Table, columns: &[usize]) -> Vec<Vec<usize>> {
    let of_column = |&at: &usize| {
        let column = &table.columns()[at];
        let numbers = column.numbers();
        let mut order: Vec<usize> = (0..column.values.len()).collect();
        let text = |value: usize| column.values.get(value as u32);
        order.sort_by(|&left, &right| {
            numbers[left].total_cmp(&numbers[right]).then_with(|| text(left).cmp(text(right)))
        });
        let mut places = vec![0; order.len()];
        order.into_iter().enumerate().for_each(|(place, value)| places[value] = place);
        places
    };
    columns.iter().map(of_column).collect()
}

/// How many rows persons keep, the most first, and who: at least k of each number.
fn lengths(table: &Table, k: usize) -> Vec<(usize, Vec<u32>)> {
    let mut by_length: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for person in 0..table.persons() as u32 {
        by_length.entry(table.range(person as usize).len()).or_default().push(person);
    }
    let (mut found, mut waiting): (Vec<(usize, Vec<u32>)>, Vec<u32>) = (Vec::new(), Vec::new());
    for (length, persons) in by_length.into_iter().rev().filter(|(length, _)| *length > 0) {
        waiting.extend(persons);
        if waiting.len() >= k {
            let mut persons = std::mem::take(&mut waiting);
            persons.sort_unstable();
            found.push((length, persons));
        }
    }
    found
}

/// Persons as rows, with so many of their rows side by side.
fn wide(columns: &[&Column], rows: &[Vec<usize>], length: usize) -> Table {
    let mut wide: Vec<Column> = Vec::with_capacity(columns.len() * length);
    for part in 0..length {
        for &column in columns {
            let mut name = column.name.clone();
            if part > 0 {
                name = format!("{name} (row {})", part + 1);
            }
            // Columns are told apart by their names.
            while wide.iter().any(|other| other.name == name) {
                name.push('\'');
            }
            let cells = rows.iter().map(|rows| column.cells[rows[part]]).collect();
            wide.push(Column { name, values: Arc::clone(&column.values), cells, ..column.clone() });
        }
    }
    Table::of_rows(wide)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::methods::table::mondrian::{Mondrian, Params};
    use crate::models::Model as _;
    use crate::models::table_k_anonymity::{Params as ModelParams, TableKAnonymity};
    use crate::progress::Silent;
    use crate::rng::Rng;

    proptest! {
        /// However many rows people have, all rows of everybody are those of k persons, and no cell says less than the truth.
        #[test]
        fn whole_sets_of_rows_are_shared(rows in prop::collection::vec((0u32..12, 0u32..40, 0u32..3), 12..60), k in 2usize..4) {
            let texts: Vec<(String, String, String)> =
                rows.iter().map(|(person, age, ill)| (format!("p{person}"), age.to_string(), format!("s{ill}"))).collect();
            let columns = vec![
                Column::new("age", ColumnRole::Quasi, texts.iter().map(|row| row.1.as_str())),
                Column::new("ill", ColumnRole::Sensitive, texts.iter().map(|row| row.2.as_str())),
            ];
            let (table, _) = Table::of_persons(columns, texts.iter().map(|row| row.0.as_str()));
            prop_assume!(table.persons() >= 2 * k);
            let method = Mondrian::new(Params { k, ..Params::default() }).unwrap();
            let found = protect(&method, &table, k, &mut Rng::seeded(1), &Silent).unwrap();
            let model = TableKAnonymity::new(ModelParams { k, linked: true }).unwrap();
            let verdict = model.check(&found.records).unwrap();
            prop_assert!(found.records.rows() == 0 || verdict.holds, "{:?}", verdict.achieved);
            for (person, record) in found.record_of.iter().enumerate() {
                let Some(record) = record else { continue };
                prop_assert!(found.records.range(*record as usize).len() <= table.range(person).len());
                for row in found.records.range(*record as usize) {
                    let cell = crate::data::table::Cell::of(found.records.columns()[0].text(row), &table.columns()[0]);
                    let numbers = table.columns()[0].numbers();
                    let covers = |own: usize| cell.covers(None, None, numbers[table.columns()[0].cells[own] as usize]);
                    prop_assert!(table.range(person).any(covers));
                }
            }
        }
    }

    #[test]
    fn without_a_column_of_persons_nothing_is_linked() {
        let table = crate::data::table::testing::table("age:q", &["1", "1", "2", "2"]);
        let method = Mondrian::new(Params { k: 2, ..Params::default() }).unwrap();
        let error = protect(&method, &table, 2, &mut Rng::seeded(1), &Silent).unwrap_err();
        assert!(error.hint().unwrap().contains("person="));
    }
}
