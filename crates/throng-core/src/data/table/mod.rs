//! Tables: rows of cells under named columns, each with a role; a person has one row, or several.
//!
//! Every column interns its own values, so that a cell is a dense number and equal cells are equal numbers: classes of rows that
//! look the same are found without a look at a text. What a value is (a number, a day) is worked out once for each different
//! one. An original and its release have the same form; in a release a cell may also be a label of a hierarchy, an interval
//! `lo..hi`, or `*` ([`cell`]).
//!
//! A row belongs to a person, and rows of one person stand side by side. A release has one row a person, and no ids: which rows
//! were one person's is not published.

pub mod cell;
pub mod classes;
pub mod hierarchy;
pub mod levels;
pub mod noise;
pub mod settings;
pub mod wild;

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::content::{Content, Field, Replaced};
use super::queries::MISSING;
use super::{Dataset, FactSort, Facts, Interner, Strings};
use crate::error::{Error, Result};
use crate::finders::mask::Form;
use crate::info::Need;

pub use cell::{Cell, STAR};
pub use classes::Classes;
pub use hierarchy::Hierarchy;
pub use noise::Noise;
pub use settings::{ColumnSettings, Missing, TableSettings, ValueDistance, Whole};

/// What a column holds of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnRole {
    /// It can be looked up elsewhere: rows that agree in all such columns are a class.
    Quasi,
    /// What nobody should learn of a person.
    Sensitive,
    /// It names a person: never published.
    Identifier,
    /// Neither: published as it is.
    Plain,
    /// Whose row it is.
    Person,
}

impl ColumnRole {
    /// All roles.
    pub const ALL: [Self; 5] = [Self::Quasi, Self::Sensitive, Self::Identifier, Self::Plain, Self::Person];

    /// The role in a word, as in `--column quasi=…`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quasi => "quasi",
            Self::Sensitive => "sensitive",
            Self::Identifier => "identifier",
            Self::Plain => "plain",
            Self::Person => "person",
        }
    }

    /// The role with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Real,
    /// Days, as 2024-03-31.
    Date,
    /// Anything else.
    Text,
}

impl ColumnType {
    /// The type in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Real => "real",
            Self::Date => "date",
            Self::Text => "text",
        }
    }

    /// Whether values have a place on a line.
    pub fn is_numeric(self) -> bool {
        self != Self::Text
    }

    /// What a value of this type is as a number; a day by its number since 1970. Nothing for a missing one.
    pub fn number(self, text: &str) -> Option<f64> {
        match self {
            Self::Integer | Self::Real => cell::number(text),
            Self::Date => cell::day(text),
            Self::Text => None,
        }
    }

    /// The type that all of some values have; missing ones say nothing. Text where there are none.
    pub fn of<'a>(values: impl Iterator<Item = &'a str> + Clone) -> Self {
        let values = values.filter(|text| !text.is_empty());
        let is_whole = |text: &str| cell::number(text).is_some() && !text.contains(['.', 'e', 'E']);
        match values.clone().next() {
            None => Self::Text,
            Some(_) if values.clone().all(is_whole) => Self::Integer,
            Some(_) if values.clone().all(|text| cell::number(text).is_some()) => Self::Real,
            Some(_) if values.clone().all(|text| cell::day(text).is_some()) => Self::Date,
            Some(_) => Self::Text,
        }
    }
}

/// A column with its cells.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds of a person.
    pub role: ColumnRole,
    /// What its values are.
    pub kind: ColumnType,
    /// Its different values; an empty one is missing.
    pub values: Arc<Strings>,
    /// For each row the number of its value.
    pub cells: Vec<u32>,
    /// What lies above its values, where there is such a thing.
    pub hierarchy: Option<Arc<Hierarchy>>,
    /// What else was said of it.
    pub settings: Arc<ColumnSettings>,
}

impl Column {
    /// A column with these cells, its values numbered in the order in which they come.
    pub fn new<'a>(name: &str, role: ColumnRole, cells: impl Iterator<Item = &'a str>) -> Self {
        let mut values = Interner::new();
        let cells: Vec<u32> = cells.map(|cell| values.intern(cell)).collect();
        let values = values.into_strings();
        let kind = ColumnType::of(values.iter().collect::<Vec<_>>().into_iter());
        Self {
            name: name.to_owned(),
            role,
            kind,
            values: Arc::new(values),
            cells,
            hierarchy: None,
            settings: Arc::default(),
        }
    }

    /// The same with what lies above its values.
    #[must_use]
    pub fn with_hierarchy(self, hierarchy: Arc<Hierarchy>) -> Self {
        Self { hierarchy: Some(hierarchy), ..self }
    }

    /// The same with what else was said of it.
    #[must_use]
    pub fn with_settings(self, settings: ColumnSettings) -> Self {
        Self { settings: Arc::new(settings), ..self }
    }

    /// What lies above its values, where that is what they are generalised by.
    pub fn generalised_by(&self) -> Option<&Arc<Hierarchy>> {
        self.hierarchy.as_ref().filter(|_| !(self.settings.intervals && self.kind.is_numeric()))
    }

    /// For each different value whether it stands for a missing one.
    pub fn missing(&self) -> Vec<bool> {
        self.values.iter().map(|text| self.settings.is_missing(text)).collect()
    }

    /// The text of a row's cell.
    pub fn text(&self, row: usize) -> &str {
        self.values.get(self.cells[row])
    }

    /// For each different value what it is as a number; not a number where it is missing, or none.
    pub fn numbers(&self) -> Vec<f64> {
        self.values.iter().map(|text| self.kind.number(text).unwrap_or(f64::NAN)).collect()
    }

    /// Whether its whole numbers are codes, as postcodes are: one begins with a zero that no number needs.
    pub fn has_codes(&self) -> bool {
        let is_code = |text: &str| {
            let text = text.trim().as_bytes();
            text.len() > 1 && text[0] == b'0' && text.iter().all(u8::is_ascii_digit)
        };
        self.kind == ColumnType::Integer && self.values.iter().any(is_code)
    }

    /// For each different value the leaf of the hierarchy that it is.
    pub fn leaves(&self, hierarchy: &Hierarchy) -> Result<Vec<u32>> {
        let leaf = |(value, text): (u32, &str)| {
            hierarchy.leaf(text).ok_or_else(|| {
                let row = self.cells.iter().position(|&cell| cell == value).map_or(0, |row| row + 1);
                let what = if text.is_empty() { "a missing value" } else { "a value" };
                Error::data(format!("{what} is not in the hierarchy of its column, first in row {row}"))
                    .with_value(text)
                    .in_column(&self.name)
                    .with_hint("add a line for it to the hierarchy, or make one: `throng taxonomy generate`, or `--hierarchy COLUMN=flat`")
            })
        };
        (0..).zip(self.values.iter()).map(leaf).collect()
    }

    /// The cells of some rows, in the order in which they are given.
    fn of_rows(&self, rows: impl Iterator<Item = usize>) -> Self {
        Self { cells: rows.map(|row| self.cells[row]).collect(), ..self.clone() }
    }
}

/// Rows of cells.
#[derive(Debug, Clone)]
pub struct Table {
    names: Strings,
    has_ids: bool,
    /// Where the rows of each person begin, and where the last one's end.
    starts: Vec<u32>,
    columns: Vec<Column>,
    /// For each person of a release the class that was published together.
    group_of: Option<Vec<u32>>,
    /// Other rows of the same form that the rows are a part of.
    population: Option<Arc<Table>>,
    /// By how much quasi columns were disturbed, where that is known.
    noise: Option<Arc<Noise>>,
    /// The column that classifiers and fits are to predict, where one is named.
    target: Option<String>,
    settings: TableSettings,
    /// Columns of a file that is judged which are no part of the data: those that name persons.
    beside: Vec<Column>,
}

impl Table {
    /// A table in which every row is another person, numbered from 1. All columns have as many cells.
    pub fn of_rows(columns: Vec<Column>) -> Self {
        let rows = columns.first().map_or(0, |column| column.cells.len());
        let names = (1..=rows).map(|row| row.to_string()).collect::<Vec<_>>();
        Self {
            names: names.iter().map(String::as_str).collect(),
            has_ids: false,
            starts: (0..=rows as u32).collect(),
            columns,
            group_of: None,
            population: None,
            noise: None,
            target: None,
            settings: TableSettings::default(),
            beside: Vec::new(),
        }
    }

    /// A table whose rows are those of these persons, by name, in the order in which they first come; their rows are brought
    /// together. Gives the rows in their new order, by their old numbers.
    pub fn of_persons<'a>(columns: Vec<Column>, persons: impl Iterator<Item = &'a str>) -> (Self, Vec<u32>) {
        let mut names = Interner::new();
        let person_of: Vec<u32> = persons.map(|name| names.intern(name)).collect();
        let mut starts = vec![0u32; names.strings().len() + 1];
        person_of.iter().for_each(|&person| starts[person as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let mut next = starts.clone();
        let mut order = vec![0u32; person_of.len()];
        for (row, &person) in (0u32..).zip(&person_of) {
            order[next[person as usize] as usize] = row;
            next[person as usize] += 1;
        }
        let columns = columns.iter().map(|column| column.of_rows(order.iter().map(|&row| row as usize))).collect();
        let names = names.into_strings();
        let (group_of, population, noise, target, settings, beside) = Default::default();
        (Self { names, has_ids: true, starts, columns, group_of, population, noise, target, settings, beside }, order)
    }

    /// The columns, in the order of the file, without that of persons.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The same with columns that are no part of the data, in the order of the rows as they were before they were brought together.
    #[must_use]
    pub fn with_beside(self, beside: &[Column], order: &[u32]) -> Self {
        let column = |column: &Column| column.of_rows(order.iter().map(|&row| row as usize));
        Self { beside: beside.iter().map(column).collect(), ..self }
    }

    /// Columns of a file that is judged which are no part of the data: those that name persons.
    pub fn beside(&self) -> &[Column] {
        &self.beside
    }

    /// The table with all columns of its file, those that name persons too: for a model that is asked about any column.
    #[must_use]
    pub fn with_all_columns(&self) -> Self {
        let columns = self.columns.iter().chain(&self.beside).cloned().collect();
        Self { columns, beside: Vec::new(), ..self.clone() }
    }

    /// The columns with a role, by their numbers.
    pub fn of_role(&self, role: ColumnRole) -> Vec<usize> {
        (0..self.columns.len()).filter(|&at| self.columns[at].role == role).collect()
    }

    /// The column with this name.
    pub fn find(&self, name: &str) -> Result<usize> {
        let found = self.columns.iter().position(|column| column.name == name);
        found.ok_or_else(|| Error::unknown("column", name, self.columns.iter().map(|column| column.name.as_str())))
    }

    /// The quasi columns, by their numbers; an error where there are none.
    pub fn quasi(&self) -> Result<Vec<usize>> {
        let quasi = self.of_role(ColumnRole::Quasi);
        if quasi.is_empty() {
            return Err(Error::refused("no column is said to be one by which people can be looked up").with_hint(
                "name those that somebody may know of a person: `--column quasi=age,zip,sex`; `quasi=*` takes all that have no \
                 role",
            ));
        }
        Ok(quasi)
    }

    /// The rows of a person.
    pub fn range(&self, person: usize) -> std::ops::Range<usize> {
        self.starts[person] as usize..self.starts[person + 1] as usize
    }

    /// For each row its person.
    pub fn person_of_rows(&self) -> Vec<u32> {
        let mut of = Vec::with_capacity(self.rows());
        for person in 0..self.persons() {
            of.extend(self.range(person).map(|_| person as u32));
        }
        of
    }

    /// Whether some person has several rows.
    pub fn has_several_rows(&self) -> bool {
        self.rows() != self.persons()
    }

    /// For each person of a release the class that was published together.
    pub fn group_of(&self) -> Option<&[u32]> {
        self.group_of.as_deref()
    }

    /// The same with the class of each person.
    #[must_use]
    pub fn with_groups(self, group_of: Vec<u32>) -> Self {
        Self { group_of: Some(group_of), ..self }
    }

    /// Other rows that these are a part of.
    pub fn population(&self) -> Option<&Table> {
        self.population.as_deref()
    }

    /// The same as a part of other rows.
    #[must_use]
    pub fn within(self, population: Arc<Table>) -> Self {
        Self { population: Some(population), ..self }
    }

    /// By how much quasi columns were disturbed, where that is known.
    pub fn noise(&self) -> Option<&Arc<Noise>> {
        self.noise.as_ref()
    }

    /// The same with how quasi columns were disturbed.
    #[must_use]
    pub fn with_noise(self, noise: Option<Arc<Noise>>) -> Self {
        Self { noise, ..self }
    }

    /// The column that classifiers and fits are to predict, where one is named.
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// The same with a column to predict.
    #[must_use]
    pub fn with_target(self, target: Option<String>) -> Self {
        Self { target, ..self }
    }

    /// What was said of it as a whole.
    pub fn settings(&self) -> TableSettings {
        self.settings
    }

    /// The same with what was said of it as a whole.
    #[must_use]
    pub fn with_settings(self, settings: TableSettings) -> Self {
        Self { settings, ..self }
    }

    /// The same with other columns, which have as many cells.
    #[must_use]
    pub fn with_columns(self, columns: Vec<Column>) -> Self {
        Self { columns, ..self }
    }

    /// The same without rows, by their numbers, for which this is not true. A person without a row is gone.
    #[must_use]
    pub fn retaining(&self, keeps: impl Fn(usize) -> bool) -> Self {
        let (mut names, mut starts, mut rows) = (Strings::new(), vec![0], Vec::new());
        for person in 0..self.persons() {
            let before = rows.len();
            rows.extend(self.range(person).filter(|&row| keeps(row)));
            if rows.len() > before || self.range(person).is_empty() {
                names.push(self.names.get(person as u32));
                starts.push(rows.len() as u32);
            }
        }
        let columns = self.columns.iter().map(|column| column.of_rows(rows.iter().copied())).collect();
        let noise = self.noise.as_ref().map(|noise| Arc::new(noise.of_rows(&rows)));
        let beside = self.beside.iter().map(|column| column.of_rows(rows.iter().copied())).collect();
        Self { names, starts, columns, group_of: None, noise, beside, ..self.clone() }
    }

    /// The columns that people may be known by: quasi columns, or, where nothing is said, all.
    fn known(&self) -> impl Iterator<Item = usize> + '_ {
        let has_quasi = self.columns.iter().any(|column| column.role == ColumnRole::Quasi);
        let is_known = move |role: ColumnRole| role == ColumnRole::Quasi || !has_quasi;
        (0..self.columns.len()).filter(move |&at| is_known(self.columns[at].role))
    }

    /// The number of the first fact of each column, and one more than the last.
    fn fact_starts(&self) -> Vec<u32> {
        let mut starts = vec![0u32];
        for column in &self.columns {
            starts.push(starts[starts.len() - 1] + column.values.len() as u32);
        }
        starts
    }

    /// A fact as its column and value.
    pub fn fact_of(&self, fact: u32) -> (&Column, &str) {
        let starts = self.fact_starts();
        let at = starts.partition_point(|&start| start <= fact) - 1;
        (&self.columns[at], self.columns[at].values.get(fact - starts[at]))
    }
}

impl Dataset for Table {
    const FACTS: &'static [FactSort] = &[FactSort {
        names: ["cell", "cells"],
        means: "a column that people can be looked up by, and what it says of the person",
        known: ["one cell of a person's row", "{} cells of a person's row"],
    }];

    fn persons(&self) -> usize {
        self.names.len()
    }

    fn rows(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    fn names(&self) -> &Strings {
        &self.names
    }

    fn has_ids(&self) -> bool {
        self.has_ids
    }

    fn of_persons(&self, persons: &[u32]) -> Self {
        let rows: Vec<usize> = persons.iter().flat_map(|&person| self.range(person as usize)).collect();
        let mut starts = vec![0];
        for &person in persons {
            starts.push(starts[starts.len() - 1] + self.range(person as usize).len() as u32);
        }
        Self {
            names: persons.iter().map(|&person| self.names.get(person)).collect(),
            has_ids: self.has_ids,
            starts,
            columns: self.columns.iter().map(|column| column.of_rows(rows.iter().copied())).collect(),
            group_of: self.group_of.as_ref().map(|of| persons.iter().map(|&person| of[person as usize]).collect()),
            population: self.population.clone(),
            noise: self.noise.as_ref().map(|noise| Arc::new(noise.of_rows(&rows))),
            target: self.target.clone(),
            settings: self.settings,
            beside: self.beside.iter().map(|column| column.of_rows(rows.iter().copied())).collect(),
        }
    }

    /// Rows of one person stand side by side; the class of a person is that of their first row.
    fn joined(&self, owners: &[u32], persons: usize) -> Option<Self> {
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); persons];
        (0u32..).zip(owners).for_each(|(person, &owner)| parts[owner as usize].push(person));
        let order: Vec<u32> = parts.iter().flatten().copied().collect();
        let mut joined = <Self as Dataset>::of_persons(self, &order);
        let mut starts = vec![0];
        for part in &parts {
            let rows: usize = part.iter().map(|&person| self.range(person as usize).len()).sum();
            starts.push(starts[starts.len() - 1] + rows as u32);
        }
        let first = |part: &Vec<u32>| part.first().copied();
        joined.names = parts
            .iter()
            .enumerate()
            .map(|(at, part)| first(part).map_or(at.to_string(), |own| self.names.get(own).to_owned()))
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str)
            .collect();
        joined.group_of = self
            .group_of
            .as_ref()
            .and_then(|of| parts.iter().map(|part| first(part).map(|own| of[own as usize])).collect());
        joined.starts = starts;
        Some(joined)
    }

    fn facts(&self, _sort: usize) -> Facts<'_> {
        let starts = self.fact_starts();
        let known: Vec<usize> = self.known().collect();
        let count = starts[self.columns.len()] as usize;
        let of = move |person: usize| {
            let rows = self.range(person);
            let facts = rows.flat_map(|row| known.iter().map(move |&at| (at, row)));
            Cow::Owned(facts.map(|(at, row)| starts[at] + self.columns[at].cells[row]).collect())
        };
        let order = self.fact_starts();
        let said = move |fact: u32| {
            let at = order.partition_point(|&start| start <= fact) - 1;
            (at, self.columns[at].values.get(fact - order[at]))
        };
        Facts::new(count, of).ordered(move |left, right| said(left).cmp(&said(right)))
    }

    fn has(&self, need: Need) -> bool {
        match need {
            Need::Noise => self.noise.is_some(),
            Need::Target => self.target.is_some(),
            _ => false,
        }
    }
}

impl Content for Table {
    const ROWS_CAN_GO: bool = false;

    /// Texts that are published as they are: those of sensitive and plain columns.
    fn fields(&self) -> Vec<Field<'_>> {
        let fields = self.text_columns().into_iter().map(|at| &self.columns[at]);
        fields.map(|column| Field { role: column.role.name(), form: Form::Words, texts: &column.values }).collect()
    }

    fn texts_of_rows(&self, person: usize) -> impl Iterator<Item = impl AsRef<[u32]>> {
        let columns = self.text_columns();
        self.range(person).map(move |row| columns.iter().map(|&at| self.columns[at].cells[row]).collect::<Vec<u32>>())
    }

    /// A cell of which nothing is left is missing; its row stays.
    fn with_texts(&self, fields: Vec<Replaced>) -> Self {
        let mut columns = self.columns.clone();
        for (at, replaced) in self.text_columns().into_iter().zip(fields) {
            let mut values = Interner::from(&replaced.texts);
            let nothing = replaced.number_of.contains(&MISSING).then(|| values.intern(""));
            let column = &mut columns[at];
            let number = |cell: u32| match replaced.number_of[cell as usize] {
                MISSING => nothing.unwrap_or_default(),
                number => number,
            };
            column.cells = column.cells.iter().map(|&cell| number(cell)).collect();
            column.values = Arc::new(values.into_strings());
        }
        self.clone().with_columns(columns)
    }
}

impl Table {
    fn text_columns(&self) -> Vec<usize> {
        let is_text = |column: &Column| {
            matches!(column.role, ColumnRole::Sensitive | ColumnRole::Plain) && column.kind == ColumnType::Text
        };
        (0..self.columns.len()).filter(|&at| is_text(&self.columns[at])).collect()
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Small tables for tests, the twelve rows of the study among them.

    use super::*;

    /// A table of lines of cells with blanks between, under columns `name:role`.
    pub(crate) fn table(columns: &str, lines: &[&str]) -> Table {
        let cells: Vec<Vec<&str>> = lines.iter().map(|line| line.split(' ').collect()).collect();
        let column = |(at, spec): (usize, &str)| {
            let (name, role) = spec.split_once(':').unwrap();
            let role = match role {
                "q" => ColumnRole::Quasi,
                "s" => ColumnRole::Sensitive,
                _ => ColumnRole::Plain,
            };
            let text = |cell: &&str| if *cell == "-" { String::new() } else { (*cell).to_owned() };
            let texts: Vec<String> = cells.iter().map(|row| text(&row[at])).collect();
            Column::new(name, role, texts.iter().map(String::as_str))
        };
        Table::of_rows(columns.split(' ').enumerate().map(column).collect())
    }

    /// The case that the study does by hand.
    pub(crate) fn twelve() -> Table {
        let table = table(
            "zip:q sex:q illness:s",
            &[
                "41075 f flu",
                "41075 f flu",
                "41076 m ulcer",
                "41076 m flu",
                "41099 m gout",
                "41099 m gout",
                "41099 m ulcer",
                "48201 f flu",
                "48201 m gout",
                "48202 m flu",
                "48202 m ulcer",
                "48202 f gout",
            ],
        );
        let zip = "41075;410**;*\n41076;410**;*\n41099;410**;*\n48201;482**;*\n48202;482**;*\n";
        with_hierarchies(table, &[("zip", zip), ("sex", "f;*\nm;*\n")])
    }

    /// The table with hierarchies in ARX's form.
    pub(crate) fn with_hierarchies(table: Table, hierarchies: &[(&str, &str)]) -> Table {
        let mut columns = table.columns().to_vec();
        for (name, text) in hierarchies {
            let at = table.find(name).unwrap();
            columns[at].hierarchy = Some(Arc::new(Hierarchy::of_text(text).unwrap()));
        }
        table.with_columns(columns)
    }

    /// The table with its columns generalised to these levels.
    pub(crate) fn generalised(table: &Table, levels: &[(&str, usize)]) -> Table {
        let mut columns = table.columns().to_vec();
        for (name, level) in levels {
            let column = &mut columns[table.find(name).unwrap()];
            let hierarchy = column.hierarchy.clone().unwrap();
            let leaves = column.leaves(&hierarchy).unwrap();
            let texts: Vec<String> = column
                .cells
                .iter()
                .map(|&cell| hierarchy.label(*level, hierarchy.node(*level, leaves[cell as usize])).to_owned())
                .collect();
            *column = Column {
                hierarchy: column.hierarchy.clone(),
                ..Column::new(name, column.role, texts.iter().map(String::as_str))
            };
        }
        table.clone().with_columns(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{table, twelve};
    use super::*;

    #[test]
    fn types_are_those_of_all_values() {
        let of = |values: &[&str]| ColumnType::of(values.iter().copied());
        assert_eq!(of(&["1", "-2", ""]), ColumnType::Integer);
        assert_eq!(of(&["1", "2.50"]), ColumnType::Real);
        assert_eq!(of(&["2024-02-29", ""]), ColumnType::Date);
        assert_eq!(of(&["2023-02-29"]), ColumnType::Text);
        assert_eq!(of(&["1", "x"]), ColumnType::Text);
        assert_eq!(of(&["inf", "1"]), ColumnType::Text);
        assert_eq!(of(&["", ""]), ColumnType::Text);
    }

    #[test]
    fn rows_of_a_person_stand_side_by_side() {
        let columns = vec![Column::new("a", ColumnRole::Quasi, ["x", "y", "z"].into_iter())];
        let (table, order) = Table::of_persons(columns, ["p", "q", "p"].into_iter());
        assert_eq!((table.persons(), table.rows(), order), (2, 3, vec![0, 2, 1]));
        assert_eq!(table.columns()[0].text(1), "z");
        assert_eq!(table.person_of_rows(), [0, 0, 1]);
        let some = Dataset::of_persons(&table, &[1]);
        assert_eq!((some.rows(), some.columns()[0].text(0)), (1, "y"));
        let joined = Dataset::of_persons(&table, &[0, 1]).joined(&[0, 0], 1).unwrap();
        assert_eq!((joined.persons(), joined.rows()), (1, 3));
        let kept = table.retaining(|row| row == 1);
        assert_eq!((kept.persons(), kept.columns()[0].text(0)), (1, "z"));
    }

    #[test]
    fn facts_are_quasi_cells_or_all() {
        let twelve = twelve();
        let facts = twelve.facts(0);
        assert_eq!(facts.of(0).len(), 2);
        let (column, value) = twelve.fact_of(facts.of(11)[0]);
        assert_eq!((column.name.as_str(), value), ("zip", "48202"));
        assert_eq!(table("a:p b:p", &["1 2"]).facts(0).of(0).len(), 2);
    }

    #[test]
    fn a_value_outside_of_its_hierarchy_is_named_by_its_row() {
        let other = Hierarchy::of_text("41075;*\n").unwrap();
        let error = twelve().columns()[0].leaves(&other).unwrap_err().describe(false);
        assert!(error.contains("row 3") && !error.contains("41076"), "{error}");
    }
}
