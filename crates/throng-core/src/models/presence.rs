//! delta-presence: whether a person of the population is in the release at all is neither likely nor unlikely.
//!
//! Paper      Nergiz, Atzori, Clifton. Hiding the presence of individuals from shared databases. SIGMOD 2007.
//! Promises   whoever finds a person's class believes that they are in the release with a likelihood between min and max.
//! Does not   say anything of those whose class the release lacks, unless strict.
//!
//! # Formula
//! (rows of the release in the class) / (rows of the population that the class covers) lies in [min, max].
//!
//! # Cost
//! As `population`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::population::{InPopulation, PopulationModel};
use super::{ModelWithOriginal, Verdict, Witness};
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};

/// The card.
pub const INFO: Info = Info {
    name: "presence",
    summary: "a person of the population is in the release with a likelihood between min and max",
    paper: "Nergiz, Atzori, Clifton. Hiding the presence of individuals from shared databases. SIGMOD 2007",
    details: "`--population FILE` is a table with the same columns that has the original's rows among its own. For every class of the \
        release: its rows, by the rows of the population that it covers, lie between min and max. Classes of the population that no \
        class of the release covers are counted in `achieved.absent`; they fail only with strict=true, for whoever finds nobody like \
        them knows that they are not in the release. `full-domain` can hold the strict form, which is how ARX counts where min is above \
        0: then it leaves out no row, and takes no levels at which a class of the population has nobody in the release.\n\
        Promises: whoever finds a person's class believes that they are in the release with a likelihood in [min, max].\n\
        Does not promise: anything of what is said of those who are in it.",
    parameters: &[
        Parameter { name: "min", summary: "the least likelihood", kind: ParameterKind::Weight, default: "0" },
        Parameter { name: "max", summary: "the greatest likelihood", kind: ParameterKind::Weight, default: "0.5" },
        Parameter {
            name: "strict",
            summary: "whether values that a class lacks count, or classes that a release lacks",
            kind: ParameterKind::Switch,
            default: "false",
        },
    ],
};

/// What the model can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Params {
    /// The least likelihood.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// Whether classes of the population that the release lacks fail it.
    pub strict: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { min: 0.0, max: 0.5, strict: false }
    }
}

/// The model with checked parameters.
#[derive(Debug, Clone, Copy)]
pub struct Presence(Params);

impl Presence {
    /// Checks the parameters.
    pub fn new(params: Params) -> Result<Self> {
        let Params { min, max, .. } = params;
        if !(0.0..=1.0).contains(&min) || !(0.0..=1.0).contains(&max) || min > max {
            return Err(Error::parameter(
                "max",
                format!("is {max}, and min is {min}: they must be fractions, min at most max"),
            ));
        }
        Ok(Self(params))
    }
}

/// The share of a class that is in the release. Rows that are not in the population are in the release for sure.
fn share(rows: u64, covered: u64) -> f64 {
    if covered == 0 { 1.0 } else { rows as f64 / covered as f64 }
}

impl PopulationModel for Presence {
    fn name(&self) -> &'static str {
        INFO.name
    }

    fn holds(&self, rows: u64, covered: u64) -> bool {
        (self.0.min..=self.0.max).contains(&share(rows, covered))
    }

    fn needs_every_class(&self) -> bool {
        self.0.strict
    }
}

impl ModelWithOriginal<Table> for Presence {
    fn check(&self, population: &Table, release: &Table) -> Result<Verdict> {
        let Params { min, max, strict } = self.0;
        let population = population.population().unwrap_or(population);
        let InPopulation { classes, covered, absent } = InPopulation::of(population, release)?;
        let share = |class: usize| share(classes.size(class) as u64, covered[class]);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut witness = None;
        for (class, &rows) in covered.iter().enumerate() {
            let share = share(class);
            (least, most) = (least.min(share), most.max(share));
            if witness.is_none() && (share < min || share > max) {
                let mut found =
                    Witness::of_group(release.person_of_rows()[classes.rows(class)[0] as usize], classes.size(class));
                found.numbers.insert("population".into(), json!(rows));
                witness = Some(found);
            }
        }
        let holds = witness.is_none() && !(strict && absent > 0);
        if witness.is_none() && !holds {
            witness = Some(Witness {
                numbers: Map::from_iter([("absent".into(), json!(absent))]),
                ..Witness::of_group(0, 0)
            });
        }
        let achieved = Map::from_iter([
            ("min".to_owned(), json!(if least.is_finite() { least } else { 0.0 })),
            ("max".to_owned(), json!(if most.is_finite() { most } else { 0.0 })),
            ("absent".to_owned(), json!(absent)),
        ]);
        Ok(Verdict { holds, achieved, witness })
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
    use crate::data::table::testing::{generalised, twelve};

    fn check(min: f64, max: f64, strict: bool) -> Verdict {
        let population = twelve();
        let part = Table::retaining(&population, |row| matches!(row, 0 | 2 | 3));
        let release = generalised(&part, &[("zip", 1)]);
        Presence::new(Params { min, max, strict }).unwrap().check(&population, &release).unwrap()
    }

    #[test]
    fn shares_of_the_population() {
        // 410** f: one of two; 410** m: two of five. 482** f and 482** m, with five rows, are lacking.
        let verdict = check(0.4, 0.5, false);
        assert!(verdict.holds);
        assert_eq!(
            verdict.achieved,
            Map::from_iter([("min".into(), json!(0.4)), ("max".into(), json!(0.5)), ("absent".into(), json!(2))])
        );
        assert!(!check(0.4, 0.5, true).holds && !check(0.45, 0.5, false).holds && !check(0.0, 0.4, false).holds);
        assert!(Presence::new(Params { min: 0.5, max: 0.4, strict: false }).is_err());
    }
}
