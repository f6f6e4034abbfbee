//! Re-identification risk of tables: how likely somebody is found by their quasi cells, and which cells make people rare.
//!
//! Paper      Dankar, El Emam. A method for evaluating marketer re-identification risk. PAIS 2010.
//!
//! # Formula, s the number of persons in a class of the release
//! prosecutor  the attacker knows that the person is in the release: 1 / s; the headline is the greatest
//! marketer    the attacker looks everybody up: the mean of 1 / s over rows, classes by rows
//! journalist  the attacker does not know it: 1 / (rows of the population that the class covers), the greatest
//! By column: what the marketer's risk would be without it. By value: the mean of 1 / s over the rows that have it.
//!
//! # Cost
//! Time O(rows x columns^2).

use serde_json::{Map, Value, json};

use super::super::cells::rows_of_rows;
use super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use crate::data::Dataset as _;
use crate::data::table::{Classes, Table, classes};
use crate::error::Result;
use crate::info::Info;
use crate::measures::Headline;
use crate::models::population::InPopulation;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "reidentification-risk",
        summary: "how likely somebody is found by their quasi cells, and which cells make people rare",
        paper: "Dankar, El Emam. A method for evaluating marketer re-identification risk. PAIS 2010",
        details: "The headline is the prosecutor's: 100 by the size of the smallest class, for somebody who knows that the person is in \
            the release. `parts.marketer` is the share of persons whom somebody finds who looks up everybody, classes by rows; \
            `parts.journalist`, where a population is given, is 100 by the fewest rows of it that a class covers; `parts.unique` the \
            share of persons who are alone in their class. `parts.before` has the same of the original. `parts.columns` says for each \
            quasi column what the marketer's share would be without it, before and after; `parts.values` the values of the original, \
            each of at least k persons, whose persons are found most often.",
        parameters: &[],
    },
    unit: "%",
    better: "lower",
    undefined: "the release has no rows",
    headline: Some(Headline::Risk { word: "the greatest likelihood of being found" }),
    ..MeasureInfo::DEFAULT
};

/// How many values are named.
const VALUES: usize = 5;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct ReidentificationRisk;

impl Measure<Table> for ReidentificationRisk {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Table>, context: &Context<'_>) -> Result<Measured> {
        let (before, after) = (Risks::of(pair.original)?, Risks::of(pair.release)?);
        let mut parts = json!({
            "marketer": after.marketer,
            "unique": after.unique,
            "before": {"prosecutor": before.prosecutor, "marketer": before.marketer, "unique": before.unique},
            "columns": by_column(pair)?,
            "values": by_value(pair, &before, &after, context)?,
        });
        if let Some(population) = pair.original.population() {
            let covered = InPopulation::of(population, pair.release)?.covered;
            parts["journalist"] = json!(covered.iter().min().map(|&rows| 100.0 / rows.max(1) as f64));
        }
        Ok(self.measured(after.prosecutor, parts))
    }
}

/// The risks of a table, in per cent.
struct Risks {
    prosecutor: Option<f64>,
    marketer: f64,
    unique: f64,
    /// For each row that of its person.
    of_rows: Vec<f64>,
}

impl Risks {
    fn of(table: &Table) -> Result<Self> {
        Ok(Self::by(table, &table.quasi()?))
    }

    fn by(table: &Table, columns: &[usize]) -> Self {
        let found = Classes::of(table, columns);
        let person_of = table.person_of_rows();
        let sizes: Vec<usize> = (0..found.len()).map(|class| classes::persons(found.rows(class), &person_of)).collect();
        let rows = table.rows().max(1) as f64;
        let of_rows: Vec<f64> = found.of.iter().map(|&class| 100.0 / sizes[class as usize] as f64).collect();
        let unique: usize =
            sizes.iter().enumerate().filter(|(_, size)| **size == 1).map(|(class, _)| found.size(class)).sum();
        let marketer =
            sizes.iter().enumerate().map(|(class, &size)| found.size(class) as f64 / size as f64).sum::<f64>();
        Self {
            prosecutor: sizes.iter().min().map(|&least| 100.0 / least as f64),
            marketer: 100.0 * marketer / rows,
            unique: 100.0 * unique as f64 / rows,
            of_rows,
        }
    }
}

/// For each quasi column the marketer's share without it.
fn by_column(pair: &Pair<'_, Table>) -> Result<Value> {
    let without = |table: &Table, name: &str| -> Result<f64> {
        let rest: Vec<usize> = table.quasi()?.into_iter().filter(|&at| table.columns()[at].name != name).collect();
        Ok(Risks::by(table, &rest).marketer)
    };
    let mut columns = Map::new();
    for at in pair.original.quasi()? {
        let name = &pair.original.columns()[at].name;
        columns.insert(
            name.clone(),
            json!({"before_without": without(pair.original, name)?, "after_without": without(pair.release, name)?}),
        );
    }
    Ok(Value::Object(columns))
}

/// The values whose persons are found most often, of those that enough persons share.
fn by_value(pair: &Pair<'_, Table>, risks: &Risks, after: &Risks, context: &Context<'_>) -> Result<Value> {
    let original = pair.original;
    let became = rows_of_rows(pair);
    let person_of = original.person_of_rows();
    let mut found: Vec<(f64, Option<f64>, usize, String, String)> = Vec::new();
    for at in original.quasi()? {
        let column = &original.columns()[at];
        let by_value = Classes::by(original.rows(), std::iter::once((column.cells.as_slice(), column.values.len())));
        for class in 0..by_value.len() {
            let rows = by_value.rows(class);
            let persons = classes::persons(rows, &person_of);
            if persons < context.shared_by.max(1) && !context.show_values {
                continue;
            }
            let mean = rows.iter().map(|&row| risks.of_rows[row as usize]).sum::<f64>() / rows.len() as f64;
            // Of those that are in the release.
            let now = became.as_ref().and_then(|became| {
                let now: Vec<f64> = rows.iter().filter_map(|&row| Some(after.of_rows[became[row as usize]?])).collect();
                (!now.is_empty()).then(|| now.iter().sum::<f64>() / now.len() as f64)
            });
            found.push((mean, now, persons, column.name.clone(), column.text(rows[0] as usize).to_owned()));
        }
    }
    found.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| (&left.3, &left.4).cmp(&(&right.3, &right.4))));
    let value = |(risk, now, persons, column, value): (f64, Option<f64>, usize, String, String)| json!({"column": column, "value": value, "persons": persons, "risk": risk, "risk_after": now});
    Ok(Value::Array(found.into_iter().take(VALUES).map(value).collect()))
}

#[cfg(test)]
mod tests {
    use super::super::super::cells::testing::measure;
    use super::*;
    use crate::data::table::testing::{generalised, twelve};

    #[test]
    fn the_case_by_hand() {
        let original = twelve();
        let release = generalised(&original, &[("zip", 1)]);
        let found = measure(&ReidentificationRisk, &original, &release);
        // Classes of 2, 5, 2 and 3 rows.
        assert_eq!(found.value, Some(50.0));
        assert!((found.parts["marketer"].as_f64().unwrap() - 100.0 * 4.0 / 12.0).abs() < 1e-9);
        assert_eq!(found.parts["unique"], 0.0);
        // 48201 f, 48201 m and 48202 f are alone.
        assert_eq!(found.parts["before"]["unique"], 25.0);
        // Without the sex two zips of 7 and 5 rows are left.
        assert!((found.parts["columns"]["sex"]["after_without"].as_f64().unwrap() - 100.0 * 2.0 / 12.0).abs() < 1e-9);
        assert_eq!(found.parts["values"][0]["value"], "48201");
    }
}
