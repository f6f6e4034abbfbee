//! What models of tables have in common that look at every class: at its size, and at the sensitive values in it.
//!
//! A class is the set of rows that agree in all quasi columns. A [`ClassModel`] is bound to one sensitive column, which makes it a
//! [`ClassCondition`]: a number for each class, and whether it is good enough. Models check all classes of a table by it; methods
//! ask it of the classes that they make, before a model ever sees them.
//!
//! Some models compare a class with the whole: with the share that a value has in a *reference*, the file itself or the original
//! that it was made of.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::population::PopulationModel;
use super::{Verdict, Witness};
use crate::data::Interner;
use crate::data::table::{ColumnRole, ColumnSettings, Hierarchy, Missing, Table, classes, wild};
use crate::error::{Error, Result};
use crate::info::{Parameter, ParameterKind};
use crate::release::Claim;

/// A model that judges every class by the values of one sensitive column in it.
pub trait ClassModel: std::fmt::Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// What its number is called.
    fn key(&self) -> &'static str;
    /// The column that it is about; empty for every sensitive one.
    fn column(&self) -> &str;
    /// The condition on the classes of a column with these values.
    fn bind(&self, values: &SensitiveValues<'_>) -> Result<Box<dyn ClassCondition>>;
    /// Refuses a table of which no class can show it.
    fn refuse(&self, _table: &Table) -> Result<()> {
        Ok(())
    }
    /// Whether what it says depends on the shares of values in the whole table.
    fn has_reference(&self) -> bool {
        false
    }
}

/// A model that a release must satisfy, and the claim that says so.
#[derive(Debug, Clone)]
pub struct Demand {
    /// The model with its parameters, as a certificate has it.
    pub claim: Claim,
    /// What it asks of every class.
    pub asks: Asks,
}

/// What a model asks of every class.
#[derive(Debug, Clone)]
pub enum Asks {
    /// Something of its rows and their sensitive values.
    OfRows(Arc<dyn ClassModel>),
    /// Something of how many rows it has, and how many of the population it covers.
    OfPopulation(Arc<dyn PopulationModel>),
}

/// Whether a sum of fractions is at most a limit, whatever the order in which they were added: a last digit is no breach.
pub(super) fn at_most(reach: f64, limit: f64) -> bool {
    reach <= limit * (1.0 + 1e-12)
}

/// What a model asks of a class.
pub trait ClassCondition: Send + Sync {
    /// How far a class goes, by how often each value comes in its rows; infinite if there is no such number.
    fn reach(&self, counts: &[(u32, u32)], rows: u32) -> f64;
    /// Whether that is good enough.
    fn holds(&self, reach: f64) -> bool;
    /// Whether one number is worse than another.
    fn is_worse(&self, reach: f64, other: f64) -> bool;
}

/// The values of a sensitive column, with their shares in the reference. Values of the reference that the column does not have
/// come after its own.
pub struct SensitiveValues<'a> {
    /// The texts.
    pub texts: Vec<&'a str>,
    /// The share of each in the reference.
    pub shares: Vec<f64>,
    /// For each what it is as a number; not a number for a text.
    pub numbers: Vec<f64>,
    /// What lies above them.
    pub hierarchy: Option<&'a Hierarchy>,
    /// The name of the column.
    pub column: &'a str,
    /// What was said of it.
    pub settings: &'a ColumnSettings,
    /// For each whether it is missing and may be anything.
    pub wild: Vec<bool>,
}

impl<'a> SensitiveValues<'a> {
    /// The values of a column of a table, beside the column of that name in the reference.
    pub fn of(checked: &'a Table, column: usize, reference: &'a Table) -> Result<Self> {
        let own = &checked.columns()[column];
        let other = &reference.columns()[reference.find(&own.name)?];
        let mut joint = Interner::from(own.values.as_ref());
        let mut texts: Vec<&str> = own.values.iter().collect();
        let number_of: Vec<u32> = other
            .values
            .iter()
            .map(|text| {
                let number = joint.intern(text);
                if number as usize == texts.len() {
                    texts.push(text);
                }
                number
            })
            .collect();
        let said = [own, other].into_iter().find(|column| column.settings.distance.is_some());
        let settings = said.unwrap_or(if own.settings.order.is_empty() { other } else { own }).settings.as_ref();
        let is_wild = checked.settings().missing == Missing::Wild;
        let wild: Vec<bool> = texts
            .iter()
            .map(|text| is_wild && (own.settings.is_missing(text) || other.settings.is_missing(text)))
            .collect();
        let mut counts = vec![0u32; texts.len()];
        other.cells.iter().for_each(|&cell| counts[number_of[cell as usize] as usize] += 1);
        // What may be anything is no value of its own: shares are those of what is known.
        counts.iter_mut().zip(&wild).filter(|(_, wild)| **wild).for_each(|(count, _)| *count = 0);
        let rows = counts.iter().map(|&count| f64::from(count)).sum::<f64>().max(1.0);
        let kind = other.kind;
        Ok(Self {
            settings,
            wild,
            shares: counts.iter().map(|&count| f64::from(count) / rows).collect(),
            numbers: texts.iter().map(|text| kind.number(text).unwrap_or(f64::NAN)).collect(),
            texts,
            hierarchy: other.hierarchy.as_deref().or(own.hierarchy.as_deref()),
            column: &own.name,
        })
    }

    /// The place of each value in their order: as somebody said, numbers by value, texts alphabetically. What may be anything comes
    /// last.
    pub fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.texts.len() as u32).collect();
        let said = &self.settings.order;
        let place = |text: &str| said.iter().position(|named| named == text).unwrap_or(said.len());
        let places: Vec<(bool, usize)> =
            self.texts.iter().zip(&self.wild).map(|(text, &wild)| (wild, place(text))).collect();
        let key = |value: u32| (places[value as usize], self.numbers[value as usize], self.texts[value as usize]);
        order.sort_by(|&left, &right| {
            let (left, right) = (key(left), key(right));
            left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)).then(left.2.cmp(right.2))
        });
        let mut ranks = vec![0; order.len()];
        (0u32..).zip(order).for_each(|(rank, value)| ranks[value as usize] = rank);
        ranks
    }
}

/// The condition on the classes of a column. Where sensitive values are missing and may be anything, those of a class are taken as
/// the one known value for which the class goes least far; or one of them as a value that the class does not have yet and the others
/// as another one, for a model may mind what is rare in a class as well as what is frequent.
pub fn condition(model: &dyn ClassModel, values: &SensitiveValues<'_>) -> Result<Box<dyn ClassCondition>> {
    let inner = model.bind(values)?;
    if !values.wild.contains(&true) {
        return Ok(inner);
    }
    let known = (0..values.texts.len() as u32).filter(|&value| values.shares[value as usize] > 0.0).collect();
    Ok(Box::new(WorstCase { inner, wild: values.wild.clone(), known }))
}

struct WorstCase {
    inner: Box<dyn ClassCondition>,
    wild: Vec<bool>,
    /// Values that a missing one may be.
    known: Vec<u32>,
}

impl ClassCondition for WorstCase {
    fn reach(&self, counts: &[(u32, u32)], rows: u32) -> f64 {
        let (wild, known): (Vec<_>, Vec<_>) = counts.iter().partition(|(value, _)| self.wild[*value as usize]);
        let missing: u32 = wild.iter().map(|(_, count)| count).sum();
        if missing == 0 {
            return self.inner.reach(counts, rows);
        }
        let add = |counts: &mut Vec<(u32, u32)>, value: u32, times: u32| match counts
            .binary_search_by_key(&value, |&(own, _)| own)
        {
            Ok(at) => counts[at].1 += times,
            Err(at) => counts.insert(at, (value, times)),
        };
        let all_as = |value: u32| {
            let mut counts: Vec<(u32, u32)> = known.clone();
            add(&mut counts, value, missing);
            self.inner.reach(&counts, rows)
        };
        let one_as = |value: u32| {
            let is_new = known.binary_search_by_key(&value, |&(own, _)| own).is_err();
            let other = self.known.iter().find(|other| **other != value).filter(|_| is_new && missing > 1)?;
            let mut counts: Vec<(u32, u32)> = known.clone();
            add(&mut counts, value, 1);
            add(&mut counts, *other, missing - 1);
            Some(self.inner.reach(&counts, rows))
        };
        let all = self.known.iter().flat_map(|&value| [Some(all_as(value)), one_as(value)]).flatten();
        let worst = all.reduce(|worst, own| if self.inner.is_worse(own, worst) { own } else { worst });
        worst.unwrap_or_else(|| self.inner.reach(counts, rows))
    }

    fn holds(&self, reach: f64) -> bool {
        self.inner.holds(reach)
    }

    fn is_worse(&self, reach: f64, other: f64) -> bool {
        self.inner.is_worse(reach, other)
    }
}

/// The sensitive columns that a model is about.
pub fn columns_of(table: &Table, name: &str, model: &str) -> Result<Vec<usize>> {
    if !name.is_empty() {
        let at = table.find(name)?;
        if table.columns()[at].role == ColumnRole::Quasi {
            return Err(Error::refused(format!("{model} is about a sensitive column, and `{name}` is a quasi column"))
                .with_hint("a column is one or the other: `--column sensitive=…`"));
        }
        return Ok(vec![at]);
    }
    let all = table.of_role(ColumnRole::Sensitive);
    if all.is_empty() {
        return Err(Error::refused(format!("{model} is about sensitive columns, and none is named"))
            .with_hint("name them: `--column sensitive=disease`"));
    }
    Ok(all)
}

/// Checks a model on all classes of a table; shares are those of the reference.
pub fn check(model: &dyn ClassModel, checked: &Table, reference: &Table) -> Result<Verdict> {
    let quasi = checked.quasi()?;
    let columns = columns_of(checked, model.column(), model.name())?;
    let classes = wild::classes(checked, &quasi)?;
    let person_of = checked.person_of_rows();
    let mut sorted = Vec::new();
    // The first of the worst classes, over all columns.
    let mut worst: Option<(f64, usize, usize)> = None;
    let mut holds = true;
    for at in columns {
        let condition = condition(model, &SensitiveValues::of(checked, at, reference)?)?;
        let cells = &checked.columns()[at].cells;
        for class in 0..classes.len() {
            let rows = classes.rows(class);
            let counts = classes::counts(rows.iter().map(|&row| cells[row as usize]), &mut sorted);
            let reach = condition.reach(&counts, rows.len() as u32);
            holds &= condition.holds(reach);
            if worst.is_none_or(|(other, ..)| condition.is_worse(reach, other)) {
                worst = Some((reach, class, at));
            }
        }
    }
    let reach = worst.map(|(reach, ..)| number(reach));
    let witness = worst.filter(|_| !holds).map(|(reach, class, at)| {
        let rows = classes.rows(class);
        let first = person_of[rows[0] as usize];
        let mut witness = Witness::of_group(first, classes::persons(rows, &person_of));
        witness.numbers.insert("sensitive".into(), json!(checked.columns()[at].name));
        witness.numbers.insert(model.key().into(), number(reach));
        witness
    });
    Ok(Verdict { holds, achieved: Map::from_iter([(model.key().to_owned(), reach.unwrap_or(Value::Null))]), witness })
}

/// A number as a certificate has it; a whole one without a point, nothing for one that is infinite.
fn number(reach: f64) -> Value {
    match reach {
        reach if !reach.is_finite() => Value::Null,
        reach if reach.fract() == 0.0 && reach.abs() < 1e15 => json!(reach as i64),
        reach => json!(reach),
    }
}

/// The parameter that names one of several sensitive columns.
pub const COLUMN: Parameter = Parameter {
    name: "column",
    summary: "the sensitive column, if it is not about all of them",
    kind: ParameterKind::Text,
    default: "all",
};

/// The parameter that says what classes are compared with.
pub const REFERENCE: Parameter = Parameter {
    name: "reference",
    summary: "whose shares of values classes are compared with: the file's own, or the original's",
    kind: ParameterKind::Choice(&["file", "original"]),
    default: "file",
};

/// What classes are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reference {
    /// The file itself.
    #[default]
    File,
    /// The original.
    Original,
}

/// Implements the roles of a model for a class model: on a table alone, and beside its original.
macro_rules! class_model {
    ($model:ident) => {
        impl crate::models::Model<crate::data::Table> for $model {
            fn check(&self, data: &crate::data::Table) -> crate::error::Result<crate::models::Verdict> {
                crate::models::on_classes::check(self, data, data)
            }

            fn on_classes(&self) -> Option<std::sync::Arc<dyn crate::models::on_classes::ClassModel>> {
                Some(std::sync::Arc::new(self.clone()))
            }
        }

        impl crate::models::ModelWithOriginal<crate::data::Table> for $model {
            fn check(
                &self,
                original: &crate::data::Table,
                release: &crate::data::Table,
            ) -> crate::error::Result<crate::models::Verdict> {
                crate::models::on_classes::check(self, release, original)
            }

            fn value<'a>(
                &self,
                _release: &'a crate::data::Table,
                _witness: &crate::models::Witness,
            ) -> Option<&'a str> {
                None
            }
        }
    };
}
pub(super) use class_model;

/// Refuses a number that is no share.
pub(super) fn check_share(name: &str, share: f64) -> Result<()> {
    if share > 0.0 && share <= 1.0 {
        return Ok(());
    }
    Err(Error::parameter(name, format!("is {share}, but must be a fraction above 0, at most 1")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::table::testing::table;
    use crate::data::table::{Missing, TableSettings};
    use crate::models::{beta_likeness, confidence, delta_disclosure, l_diversity, t_closeness};

    fn wild(lines: &[String]) -> Table {
        table("q:q s:s", &lines.iter().map(String::as_str).collect::<Vec<_>>())
            .with_settings(TableSettings { missing: Missing::Wild, ..TableSettings::default() })
    }

    fn models() -> Vec<Box<dyn ClassModel>> {
        let entropy = l_diversity::Params { kind: l_diversity::Kind::Entropy, ..Default::default() };
        let ordered = t_closeness::Params { distance: t_closeness::Distance::Ordered, ..Default::default() };
        vec![
            Box::new(l_diversity::LDiversity::new(Default::default()).unwrap()),
            Box::new(l_diversity::LDiversity::new(entropy).unwrap()),
            Box::new(confidence::Confidence::new(Default::default()).unwrap()),
            Box::new(t_closeness::TCloseness::new(Default::default()).unwrap()),
            Box::new(t_closeness::TCloseness::new(ordered).unwrap()),
            Box::new(beta_likeness::BetaLikeness::new(Default::default()).unwrap()),
            Box::new(delta_disclosure::DeltaDisclosure::new(Default::default()).unwrap()),
        ]
    }

    /// One of two missing values as one that the class lacks is as rare there as it can be.
    #[test]
    fn what_is_rare_in_a_class_can_be_the_worst() {
        let mut lines: Vec<String> = (0..20).map(|at| format!("x {}", if at < 18 { "a" } else { "b" })).collect();
        lines.extend((0..10).map(|at| format!("y {}", if at < 8 { "b" } else { "-" })));
        let table = wild(&lines);
        let delta = delta_disclosure::DeltaDisclosure::new(Default::default()).unwrap();
        // 18 of 28 known values are a: one of the ten in y may be.
        let expected = (0.1f64 / (18.0 / 28.0)).ln().abs();
        let found = check(&delta, &table, &table).unwrap().achieved["delta"].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} and not {expected}");
    }

    proptest! {
        /// Tries every way to fill the gaps of a class.
        #[test]
        fn missing_values_are_taken_at_their_worst(
            class in prop::collection::vec(0usize..3, 1..6),
            gaps in 1usize..4,
            others in prop::collection::vec(0usize..3, 1..8),
        ) {
            let name = ["a", "b", "c"];
            let line = |class: &str, value: usize| format!("{class} {}", name[value]);
            let mut lines: Vec<String> = class.iter().map(|&value| line("x", value)).collect();
            lines.extend((0..gaps).map(|_| "x -".to_owned()));
            lines.extend(others.iter().map(|&value| line("y", value)));
            let table = wild(&lines);
            for model in models() {
                let values = SensitiveValues::of(&table, 1, &table).unwrap();
                let (tried, inner) = (condition(model.as_ref(), &values).unwrap(), model.bind(&values).unwrap());
                let known: Vec<u32> = (0..values.texts.len() as u32).filter(|&at| values.shares[at as usize] > 0.0).collect();
                let cells = &table.columns()[1].cells;
                let rows = class.len() + gaps;
                let mut worst: Option<f64> = None;
                for choice in 0..known.len().pow(gaps as u32) {
                    let filled = (0..gaps).map(|gap| known[choice / known.len().pow(gap as u32) % known.len()]);
                    let all = cells[..class.len()].iter().copied().chain(filled);
                    let reach = inner.reach(&classes::counts(all, &mut Vec::new()), rows as u32);
                    if worst.is_none_or(|worst| inner.is_worse(reach, worst)) {
                        worst = Some(reach);
                    }
                }
                let counts = classes::counts(cells[..rows].iter().copied(), &mut Vec::new());
                let (found, worst) = (tried.reach(&counts, rows as u32), worst.unwrap());
                prop_assert!(found == worst || (found - worst).abs() < 1e-9, "{}: {found} and not {worst}", model.name());
            }
        }
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::data::table::testing::table;

    /// Checks a model on one class of these values of a table in which all these values are.
    pub(crate) fn of_class(model: &dyn ClassModel, class: &[&str], whole: &[&str]) -> Verdict {
        let lines = |values: &[&str]| values.iter().map(|value| format!("x {value}")).collect::<Vec<_>>();
        let rows = |lines: &[String]| table("q:q s:s", &lines.iter().map(String::as_str).collect::<Vec<_>>());
        check(model, &rows(&lines(class)), &rows(&lines(whole))).unwrap()
    }
}
