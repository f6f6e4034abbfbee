//! (X, Y)-anonymity: every value of X comes with at least k values of Y.
//!
//! Paper      Wang, Fung. Anonymizing sequential releases. KDD 2006; as chapter 1 of the second paper has it.
//! Promises   whoever knows somebody's X is left with at least k values of Y.
//! Does not   say how those values are spread.
//!
//! # Idea
//! X and Y are any columns, whatever their role. k-anonymity by person is X the quasi columns and Y the column of persons, which is
//! called `person`.
//!
//! # Cost
//! Time O(rows log rows).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::on_classes::{ClassCondition, ClassModel, SensitiveValues};
use super::{Model, Verdict, Witness};
use crate::data::table::{Classes, ColumnRole, Table, classes, wild};
use crate::error::{Error, Result};
use crate::info::{self, Info, Parameter, ParameterKind};

/// The card.
pub const INFO: Info = Info {
    name: "xy-anonymity",
    summary: "every value of the columns x comes with at least k values of the columns y",
    paper: "Wang, Fung. Anonymizing sequential releases. KDD 2006",
    details: "x=age+zip and y=disease name columns, whatever their role; `y=person` is the column of persons, or the row where there is \
        none. Every combination of values of x comes with at least k combinations of values of y. k-anonymity is x = the quasi \
        columns and y = person; distinct l-diversity is x = the quasi columns and y = the sensitive one.\n\
        Promises: whoever knows a person's x is left with at least k values of y.\n\
        Does not promise: that these are equally likely (confidence).",
    parameters: &[
        info::K,
        Parameter {
            name: "x",
            summary: "the columns that are known, joined by +",
            kind: ParameterKind::Text,
            default: "none",
        },
        Parameter {
            name: "y",
            summary: "the columns that are looked for, joined by +",
            kind: ParameterKind::Text,
            default: "none",
        },
    ],
};

/// What the model can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many values of Y, at least.
    pub k: usize,
    /// The columns X, joined by `+`.
    pub x: String,
    /// The columns Y, joined by `+`.
    pub y: String,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5, x: String::new(), y: String::new() }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone)]
pub struct XyAnonymity(Params);

/// What the column of persons is called.
const PERSON: &str = "person";

impl XyAnonymity {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.k < 1 {
            return Err(Error::parameter("k", "is 0, but must be at least 1"));
        }
        Ok(Self(params))
    }

    fn columns(&self, table: &Table, name: &str, list: &str) -> Result<Vec<usize>> {
        if list.is_empty() {
            return Err(Error::parameter(name, "names no column").with_hint("for example `x=age+zip,y=disease`"));
        }
        // A column may have a plus in its name.
        match table.find(list) {
            Ok(at) => Ok(vec![at]),
            Err(_) => list.split('+').map(|column| table.find(column)).collect(),
        }
    }
}

/// A class with k values of one column y: whoever knows some quasi columns is left with several classes at best, and so with no fewer.
impl ClassModel for XyAnonymity {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn key(&self) -> &'static str {
        "k"
    }

    fn column(&self) -> &str {
        &self.0.y
    }

    fn refuse(&self, table: &Table) -> Result<()> {
        let known = self.columns(table, "x", &self.0.x)?;
        match known.into_iter().find(|&at| table.columns()[at].role != ColumnRole::Quasi) {
            None => Ok(()),
            Some(at) => Err(Error::parameter("x", "names a column that is not quasi, which no method changes")
                .in_column(&table.columns()[at].name)
                .with_hint("a method can hold it for quasi columns; `throng check` takes any columns")),
        }
    }

    fn bind(&self, _values: &SensitiveValues<'_>) -> Result<Box<dyn ClassCondition>> {
        Ok(Box::new(Different(self.0.k as f64)))
    }
}

/// At least so many different values.
struct Different(f64);

impl ClassCondition for Different {
    fn reach(&self, counts: &[(u32, u32)], _rows: u32) -> f64 {
        counts.len() as f64
    }

    fn holds(&self, reach: f64) -> bool {
        reach >= self.0
    }

    fn is_worse(&self, reach: f64, other: f64) -> bool {
        reach < other
    }
}

impl Model<Table> for XyAnonymity {
    fn on_classes(&self) -> Option<Arc<dyn ClassModel>> {
        let is_one = !self.0.y.is_empty() && self.0.y != PERSON && !self.0.y.contains('+');
        is_one.then(|| Arc::new(self.clone()) as Arc<dyn ClassModel>)
    }

    fn check(&self, table: &Table) -> Result<Verdict> {
        let Params { k, x, y } = &self.0;
        // Any column may be meant, whatever its role.
        let table = &table.with_all_columns();
        let known = wild::classes(table, &self.columns(table, "x", x)?)?;
        let person_of = table.person_of_rows();
        let sought = match y.as_str() {
            PERSON => person_of.clone(),
            _ => Classes::of(table, &self.columns(table, "y", y)?).of,
        };
        let mut sorted = Vec::new();
        let mut count = |class: usize| {
            classes::counts(known.rows(class).iter().map(|&row| sought[row as usize]), &mut sorted).len()
        };
        let fewest = (0..known.len()).map(|class| (count(class), class)).min();
        let achieved = fewest.map_or(0, |(count, _)| count);
        let holds = achieved >= *k;
        let witness = fewest.filter(|_| !holds).map(|(count, class)| {
            let rows = known.rows(class);
            let mut witness = Witness::of_group(person_of[rows[0] as usize], classes::persons(rows, &person_of));
            witness.numbers.insert("values".into(), json!(count));
            witness
        });
        Ok(Verdict { holds, achieved: Map::from_iter([("k".to_owned(), json!(achieved))]), witness })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::Column;
    use crate::data::table::testing::{generalised, twelve};

    fn check(k: usize, x: &str, y: &str) -> Result<Verdict> {
        let model = XyAnonymity::new(Params { k, x: x.to_owned(), y: y.to_owned() }).unwrap();
        model.check(&generalised(&twelve(), &[("zip", 1)]))
    }

    /// Columns that name persons are no part of the data, and can be asked about all the same.
    #[test]
    fn any_column_can_be_named() {
        let column = |name: &str, role, cells: [&str; 4]| Column::new(name, role, cells.into_iter());
        let age = column("age", ColumnRole::Quasi, ["30", "40", "30", "40"]);
        let persons = ["a", "a", "b", "a"];
        let (table, order) = Table::of_persons(vec![age], persons.into_iter());
        let beside = [
            column("who", ColumnRole::Person, persons),
            column("name", ColumnRole::Identifier, ["n1", "n2", "n3", "n4"]),
        ];
        let table = table.with_beside(&beside, &order);
        let achieved = |x: &str, y: &str| {
            let params = Params { k: 1, x: x.to_owned(), y: y.to_owned() };
            XyAnonymity::new(params).unwrap().check(&table).unwrap().achieved["k"].clone()
        };
        // 30 is a's and b's, 40 is a's twice, under two names.
        assert_eq!((achieved("age", "who"), achieved("age", "person")), (json!(1), json!(1)));
        assert_eq!((achieved("age", "name"), achieved("who", "name")), (json!(2), json!(1)));
    }

    #[test]
    fn it_is_k_anonymity_and_diversity() {
        assert_eq!(check(2, "zip+sex", "person").unwrap().achieved["k"], 2);
        assert_eq!(check(2, "zip+sex", "illness").unwrap().achieved["k"], 1);
        assert!(check(3, "zip", "illness").unwrap().holds);
        let failed = check(4, "sex", "illness").unwrap();
        assert_eq!(failed.witness.unwrap().numbers["values"], 2);
        assert!(
            check(2, "", "illness").is_err() && check(2, "zp", "illness").unwrap_err().hint().unwrap().contains("zip")
        );
    }
}
