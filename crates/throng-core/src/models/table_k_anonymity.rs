//! k-anonymity of tables: every class has at least k persons.
//!
//! Paper      Samarati, Sweeney. Protecting privacy when disclosing information. 1998; as chapter 1 of the second paper has it.
//! Promises   whoever looks a person up by the quasi columns is left with at least k persons.
//! Does not   hide what all of a class have in common, nor whether several rows are one person's where ids are published.
//!
//! # Idea
//! A class is the set of rows that agree in all quasi columns. With a column of persons, different persons are counted; who could
//! tell which rows are one person's would see more, so what the whole sets of rows achieve is said beside it (`linked_k`).
//!
//! # Cost
//! Time and memory O(rows x quasi columns).

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::k_anonymity::{EqualRecords, Params as KParams, groups_by};
use super::{Model, Verdict, Witness};
use crate::data::Dataset as _;
use crate::data::table::{Classes, Table, classes, wild};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};

/// The card.
pub const INFO: Info = Info {
    name: "table-k-anonymity",
    summary: "every combination of quasi cells is that of at least k persons",
    paper: "Samarati, Sweeney. Protecting privacy when disclosing information: k-anonymity and its enforcement through \
            generalization and suppression. SRI, 1998",
    details: "Rows that agree in all quasi columns are a class. The k achieved is the smallest number of persons in a class: of rows, \
        or, where a column says whose rows they are, of different persons. There `linked_k` is what is left if somebody can tell which \
        rows are one person's: the smallest number of persons whose rows, all together, are the same.\n\
        It reads the file alone: who made it, and how, does not matter. A missing value is a value like others.\n\
        Promises: whoever looks a person up by any of the quasi columns is left with at least k persons.\n\
        Does not promise: that the persons of a class differ in what is sensitive (see l-diversity, confidence and t-closeness), nor \
        anything of columns that were not named as quasi and that somebody knows all the same.",
    parameters: &[
        info::K,
        Parameter {
            name: "linked",
            summary: "whether the rows of a person, all together, must be those of k persons",
            kind: ParameterKind::Switch,
            default: "false",
        },
    ],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many persons a class has, at least.
    pub k: usize,
    /// Whether the rows of a person are shared as a whole.
    pub linked: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: KParams::default().k, linked: false }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct TableKAnonymity {
    k: usize,
    linked: bool,
}

impl TableKAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.k < 2 {
            return Err(Error::parameter("k", format!("is {}, but must be at least 2", params.k))
                .with_hint("every file is 1-anonymous: there is nothing to check"));
        }
        Ok(Self { k: params.k, linked: params.linked })
    }
}

impl Model<Table> for TableKAnonymity {
    fn check(&self, table: &Table) -> Result<Verdict> {
        let classes = wild::classes(table, &table.quasi()?)?;
        let person_of = table.person_of_rows();
        let size = |class: usize| classes::persons(classes.rows(class), &person_of);
        let smallest = (0..classes.len()).map(|class| (size(class), class)).min();
        let k = smallest.map_or(0, |(size, _)| size);
        let mut achieved = Map::from_iter([("k".to_owned(), json!(k))]);
        let fewest = (table.has_several_rows() || table.has_ids())
            .then(|| table.groups().iter().map(|group| (group.len(), group[0])).min().unwrap_or_default());
        if let Some((linked, _)) = fewest {
            achieved.insert("linked_k".to_owned(), json!(linked));
        }
        // Where nobody has an id, a row is all of a person.
        let shared = fewest.filter(|_| self.linked);
        let holds = k >= self.k && shared.is_none_or(|(linked, _)| linked >= self.k);
        let witness = match shared {
            _ if holds => None,
            Some((size, person)) => Some(Witness::of_group(person, size)),
            None => smallest.map(|(size, class)| Witness::of_group(person_of[classes.rows(class)[0] as usize], size)),
        };
        Ok(Verdict { holds, achieved, witness })
    }
}

/// Persons whose rows are of the same classes, all together.
impl EqualRecords for Table {
    fn groups(&self) -> Vec<Vec<u32>> {
        let Ok(quasi) = self.quasi() else { return (0..self.persons() as u32).map(|person| vec![person]).collect() };
        let classes = Classes::of(self, &quasi);
        let record = |person: usize| {
            let mut own: Vec<u32> = self.range(person).map(|row| classes.of[row]).collect();
            own.sort_unstable();
            own
        };
        let records: Vec<Vec<u32>> = (0..self.persons()).map(record).collect();
        groups_by(self.persons(), |left, right| records[left as usize].cmp(&records[right as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::testing::{generalised, table, twelve};
    use crate::data::table::{Column, ColumnRole};

    fn check(k: usize, table: &Table) -> Verdict {
        TableKAnonymity::new(Params { k, linked: false }).unwrap().check(table).unwrap()
    }

    #[test]
    fn the_smallest_class_decides() {
        let table = generalised(&twelve(), &[("zip", 1)]);
        assert!(check(2, &table).holds);
        let verdict = check(3, &table);
        assert!(!verdict.holds);
        assert_eq!(verdict.achieved["k"], 2);
        assert_eq!(verdict.witness, Some(Witness::of_group(0, 2)));
        assert_eq!(verdict.achieved.get("linked_k"), None);
        assert_eq!(check(2, &twelve()).achieved["k"], 1);
    }

    #[test]
    fn persons_are_counted_and_not_rows() {
        let column = Column::new("age", ColumnRole::Quasi, ["30", "30", "30", "40", "40"].into_iter());
        let (table, _) = Table::of_persons(vec![column], ["a", "a", "b", "a", "b"].into_iter());
        let verdict = check(2, &table);
        assert!(verdict.holds);
        // a has 30 twice and 40, b has 30 and 40.
        assert_eq!((&verdict.achieved["k"], &verdict.achieved["linked_k"]), (&json!(2), &json!(1)));
    }

    #[test]
    fn without_a_quasi_column_there_is_nothing_to_check() {
        let model = TableKAnonymity::new(Params { k: 2, linked: false }).unwrap();
        assert!(model.check(&table("a:p", &["1", "1"])).unwrap_err().hint().unwrap().contains("--column quasi="));
    }
}
