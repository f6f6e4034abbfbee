//! k-map: every class covers at least k rows of the population.
//!
//! Paper      Sweeney. Computational disclosure control. PhD thesis, MIT 2001; El Emam, Dankar. JAMIA 15 (2008).
//! Promises   whoever looks a person up in the population, and does not know that they are in the release, is left with k of them.
//! Does not   hold against somebody who knows that a person is in the release: that is k-anonymity.
//!
//! # Cost
//! Time O(different rows of the population x cells that cover them).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::population::{InPopulation, PopulationModel};
use super::{ModelWithOriginal, Verdict, Witness};
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::info::{self, Info};

/// The card.
pub const INFO: Info = Info {
    name: "k-map",
    summary: "every class covers at least k rows of the population",
    paper: "Sweeney. Computational disclosure control. PhD thesis, MIT 2001",
    details: "`--population FILE` is a table with the same columns that has the original's rows among its own. A row of it belongs to \
        the class whose cells cover its cells. Every class of the release covers at least k rows of the population.\n\
        Promises: whoever looks people up in the population is left with at least k of them, if they do not know who is in the \
        release.\n\
        Does not promise: anything against somebody who knows that a person is in it (k-anonymity does).",
    parameters: &[info::K],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// How many rows, at least.
    pub k: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 5 }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct KMap {
    k: u64,
}

impl KMap {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        if params.k < 2 {
            return Err(Error::parameter("k", format!("is {}, but must be at least 2", params.k)));
        }
        Ok(Self { k: params.k as u64 })
    }
}

impl PopulationModel for KMap {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn holds(&self, _rows: u64, covered: u64) -> bool {
        covered >= self.k
    }
}

impl ModelWithOriginal<Table> for KMap {
    fn check(&self, population: &Table, release: &Table) -> Result<Verdict> {
        let population = population.population().unwrap_or(population);
        let InPopulation { classes, covered, .. } = InPopulation::of(population, release)?;
        let fewest = covered.iter().enumerate().map(|(class, &rows)| (rows, class)).min();
        let achieved = fewest.map_or(0, |(rows, _)| rows);
        let holds = achieved >= self.k;
        let person_of = release.person_of_rows();
        let witness = fewest.filter(|_| !holds).map(|(rows, class)| {
            let mut witness = Witness::of_group(person_of[classes.rows(class)[0] as usize], classes.size(class));
            witness.numbers.insert("population".into(), json!(rows));
            witness
        });
        Ok(Verdict { holds, achieved: Map::from_iter([("k".to_owned(), json!(achieved))]), witness })
    }

    fn value<'a>(&self, _release: &'a Table, _witness: &Witness) -> Option<&'a str> {
        None
    }

    fn beside(&self) -> &'static str {
        "population"
    }

    fn on_population(&self) -> Option<Arc<dyn PopulationModel>> {
        Some(Arc::new(*self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::Table;
    use crate::data::table::testing::{generalised, table, twelve};

    #[test]
    fn rows_belong_to_the_class_that_covers_them() {
        let population = twelve();
        let part = Table::retaining(&population, |row| row < 4);
        let release = generalised(&part, &[("zip", 1)]);
        // 410** f covers two rows of the population, 410** m five.
        let verdict = KMap::new(Params { k: 2 }).unwrap().check(&population, &release).unwrap();
        assert!(verdict.holds);
        assert_eq!(verdict.achieved["k"], 2);
        assert!(!KMap::new(Params { k: 3 }).unwrap().check(&population, &release).unwrap().holds);
    }

    #[test]
    fn intervals_cover_numbers() {
        let population = table("age:q", &["20", "25", "30", "31"]);
        let release = table("age:q", &["20..30", "31"]);
        let verdict = KMap::new(Params { k: 2 }).unwrap().check(&population, &release).unwrap();
        assert_eq!(verdict.achieved["k"], 1);
        assert_eq!(verdict.witness.unwrap().person, 1);
    }
}
