//! Columns that say who somebody is, whatever role they were given: nearly every person has a value of their own there.
//!
//! Classes are made of quasi columns alone, so no model sees such a column. A file that has one is not anonymous, however large its
//! classes are.

use throng_core::data::Dataset as _;
use throng_core::data::table::{Column, ColumnRole, ColumnType, Table};
use throng_core::{Error, Result};

use crate::io::knows_person;
use crate::kinds::{About, Ask};
use crate::words::{counted, thousands};

/// Of fewer persons nothing can be told: few rows have few values twice.
const FEW_PERSONS: usize = 10;

/// A column, and how many persons have a value there that nobody else has.
pub(super) struct OwnValues<'a> {
    column: &'a Column,
    alone: usize,
    /// Persons who have a value there at all.
    persons: usize,
}

impl<'a> OwnValues<'a> {
    pub(super) fn of(table: &Table, column: &'a Column) -> Self {
        const NOBODY: u32 = u32::MAX;
        const SEVERAL: u32 = u32::MAX - 1;
        let missing = column.missing();
        let mut owner = vec![NOBODY; column.values.len()];
        for (&person, &cell) in table.person_of_rows().iter().zip(&column.cells) {
            let owner = &mut owner[cell as usize];
            *owner = if [NOBODY, person].contains(owner) { person } else { SEVERAL };
        }
        let (mut alone, mut persons) = (0, 0);
        for person in 0..table.persons() {
            let mut known = table.range(person).map(|row| column.cells[row] as usize).filter(|&cell| !missing[cell]);
            persons += usize::from(known.clone().next().is_some());
            alone += usize::from(known.any(|cell| owner[cell] == person as u32));
        }
        Self { column, alone, persons }
    }

    /// Whether nearly every person has a value of their own. Measured numbers with digits after their points are often all different,
    /// and name nobody for that.
    fn names_persons(&self) -> bool {
        self.persons > FEW_PERSONS && self.alone * 10 > self.persons * 9 && self.column.kind != ColumnType::Real
    }

    fn in_words(&self, role: &str) -> String {
        let Self { column, alone, persons } = self;
        let of_all = format!("{} of {}", thousands(*alone as u64), counted(*persons as u64, "person", "persons"));
        let have = if *alone == 1 { "has" } else { "have" };
        format!("the column `{}`, {role}: {of_all} {have} a value of their own there", column.name)
    }
}

/// Of a file that is judged: each column that says who somebody is, and that no model compared.
pub(super) fn not_compared(table: &Table, unmapped: &[String]) -> Vec<String> {
    let judged = |column: &Column| {
        let own = OwnValues::of(table, column);
        match column.role {
            ColumnRole::Identifier => (own.alone > 0).then(|| own.in_words("an identifier")),
            ColumnRole::Plain if own.names_persons() => {
                Some(own.in_words(if unmapped.contains(&column.name) { "which has no role" } else { "which is plain" }))
            }
            _ => None,
        }
    };
    table.columns().iter().chain(table.beside()).filter_map(judged).collect()
}

/// Of a file that is audited: each column of which nothing was said, and by which somebody is alone, few as they may be.
pub(super) fn singled_out_by_unmapped(table: &Table, unmapped: &[String]) -> Vec<String> {
    let untold = table.columns().iter().filter(|column| unmapped.contains(&column.name));
    let untold = untold.map(|column| OwnValues::of(table, column));
    untold.filter(|own| own.alone > 0 && !own.names_persons()).map(|own| own.in_words("which has no role")).collect()
}

/// Refuses a plain column in which nearly every person has a value of their own.
pub(super) fn refuse_own_values(table: &Table, column: &Column) -> Result<()> {
    let own = OwnValues::of(table, column);
    if !own.names_persons() {
        return Ok(());
    }
    let name = &own.column.name;
    Err(Error::refused(format!(
        "a plain column is published as it is, and {} of {} have a value of their own in this one: it says who is who",
        thousands(own.alone as u64),
        counted(own.persons as u64, "person", "persons")
    ))
    .in_column(name)
    .with_hint(format!(
        "`identifier={name}` leaves it out, `quasi={name}` hides it in the crowd, `sensitive={name}` publishes it as what is protected"
    )))
}

/// Refuses to publish a column as it is that says who somebody is.
pub(super) fn refuse_named(table: &Table, about: &About<Table>, ask: &Ask) -> Result<()> {
    // Without a quasi column nothing is published at all, and that is said first.
    table.quasi()?;
    for at in table.of_role(ColumnRole::Plain) {
        refuse_own_values(table, &table.columns()[at])?;
    }
    match &about.layout.repeated {
        Some(name) if !ask.one_row_per_person => Err(Error::refused(
            "an identifier has the same value in several rows, so rows are not persons: k rows may be of fewer than k persons",
        )
        .in_column(name)
        .with_hint(format!(
            "`--column person={name}` counts persons; or, if every row is another person all the same, `--one-row-per-person`"
        ))),
        _ => Ok(()),
    }
}

/// What is known of identifiers while columns are read: whether one tells every row apart, and which one has values that repeat.
#[derive(Default)]
pub(super) struct Identifiers {
    is_each_row_another: bool,
    repeated: Option<String>,
}

impl Identifiers {
    /// Takes a look at one, with so many different values in so many rows. Names of persons may be the same by chance, ids are not.
    pub(super) fn look(&mut self, name: &str, different: usize, rows: usize) {
        let is_id = knows_person(name);
        if different >= rows {
            self.is_each_row_another = true;
        } else if is_id || different * 3 <= rows * 2 {
            self.repeated.get_or_insert_with(|| name.to_owned());
        }
    }

    /// The identifier whose values repeat, where no other one tells every row apart.
    pub(super) fn repeated(self) -> Option<String> {
        self.repeated.filter(|_| !self.is_each_row_another)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_owned_by_persons_and_not_by_rows() {
        let column = Column::new("note", ColumnRole::Plain, ["a", "a", "b", "b", "", ""].into_iter());
        let (table, _) = Table::of_persons(vec![column], ["p", "p", "q", "r", "s", "t"].into_iter());
        let own = OwnValues::of(&table, &table.columns()[0]);
        // Both rows of p say a; q and r share b; s and t say nothing.
        assert_eq!((own.alone, own.persons), (1, 3));
    }

    #[test]
    fn ids_repeat_where_names_may() {
        let repeated = |looks: &[(&str, usize)]| {
            let mut identifiers = Identifiers::default();
            looks.iter().for_each(|(name, different)| identifiers.look(name, *different, 30));
            identifiers.repeated()
        };
        assert_eq!(repeated(&[("name", 29)]), None);
        assert_eq!(repeated(&[("patient_id", 29)]), Some("patient_id".to_owned()));
        assert_eq!(repeated(&[("name", 10)]), Some("name".to_owned()));
        assert_eq!(repeated(&[("name", 10), ("patient_id", 30)]), None);
        assert_eq!(repeated(&[]), None);
    }
}
