//! Homogeneity of tables: whoever has found a person's class names its most frequent sensitive value.
//!
//! Paper      Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam. l-diversity: privacy beyond k-anonymity. TKDD 1 (2007).
//!
//! # Idea
//! The attacker has found the class of the target, the rows that agree with theirs in all quasi columns. They name, for each
//! sensitive column, its most frequent value there, the lower of equally frequent ones.
//!
//! # Formula
//! hits = the targets for whom it is true, mean over sensitive columns; baseline = the same with the whole release as one class;
//! parts.certain = the share of targets whose class has one value. Bound: h of confidence.
//!
//! # Cost
//! Time O(rows log rows).
//!
//! # Does not
//! weigh values that mean nearly the same.

use serde_json::json;

use super::homogeneity::INFO;
use super::{Asked, Attack, AttackInfo, Outcome, Scene};
use crate::data::Dataset as _;
use crate::data::table::{Classes, ColumnRole, Table, classes};
use crate::error::Result;
use crate::models::confidence;

/// The attack.
#[derive(Debug, Clone, Copy)]
pub struct Homogeneity;

/// What is guessed in a sensitive column: for each class a value and whether it is the only one, and the same of the whole.
struct Guesses {
    column: String,
    by_class: Vec<(String, bool)>,
    of_all: String,
}

impl Attack<Table> for Homogeneity {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn attack(&self, scene: &Scene<'_, Table>, asked: &Asked) -> Result<Vec<Outcome>> {
        let knowing = scene.having_found(|truth| {
            let targets = asked.targets_of(truth.original.persons());
            let found = |person: u32| (person, truth.records_of(person).collect::<Vec<u32>>());
            Ok(targets.into_iter().map(found).collect::<Vec<_>>())
        })?;
        let looking = knowing.looking(|released, _| {
            let table = released.data;
            let classes = Classes::of(table, &table.quasi()?);
            let mut scratch = Vec::new();
            let mut guesses = Vec::new();
            for at in table.of_role(ColumnRole::Sensitive) {
                let column = &table.columns()[at];
                let mut most = |rows: &mut dyn Iterator<Item = u32>| {
                    let counts = classes::counts(rows.map(|row| column.cells[row as usize]), &mut scratch);
                    let text = |value: u32| column.values.get(value);
                    let best = counts
                        .iter()
                        .max_by(|one, other| one.1.cmp(&other.1).then_with(|| text(other.0).cmp(text(one.0))));
                    (best.map_or(String::new(), |&(value, _)| text(value).to_owned()), counts.len() == 1)
                };
                let by_class = (0..classes.len()).map(|class| most(&mut classes.rows(class).iter().copied())).collect();
                let (of_all, _) = most(&mut (0..table.rows() as u32));
                guesses.push(Guesses { column: column.name.clone(), by_class, of_all });
            }
            let class_of: Vec<u32> = (0..table.persons()).map(|record| classes.of[table.range(record).start]).collect();
            Ok((guesses, class_of))
        })?;
        looking.once(
            |_, _| Ok(()),
            |truth, (guesses, class_of), targets, ()| {
                if guesses.is_empty() {
                    return Vec::new();
                }
                let (mut hits, mut anyway, mut certain) = (0.0, 0.0, 0.0);
                for Guesses { column, by_class, of_all } in guesses {
                    let Ok(at) = truth.original.find(column) else { continue };
                    let column = &truth.original.columns()[at];
                    for (person, records) in targets {
                        let range = truth.original.range(*person as usize);
                        let has = |value: &str| range.clone().any(|row| column.text(row) == value);
                        anyway += f64::from(u8::from(has(of_all)));
                        let Some(&record) = records.first() else { continue };
                        let (value, is_only) = &by_class[class_of[record as usize] as usize];
                        hits += f64::from(u8::from(has(value)));
                        certain += f64::from(u8::from(*is_only));
                    }
                }
                let columns = guesses.len() as f64;
                let attempts = targets.len() as f64;
                let bound = asked.promised(confidence::INFO.name, "h");
                let outcome = Outcome::new(&INFO, targets.len() as u64, hits / columns)
                    .with_baseline((attempts > 0.0).then(|| anyway / columns / attempts))
                    .with_bound(bound);
                let parts = json!({"certain": certain / columns / attempts.max(1.0)});
                vec![Outcome { parts, ..outcome }]
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::asked;
    use super::*;
    use crate::data::table::testing::{generalised, twelve};
    use crate::progress::Silent;

    /// Classes: flu flu; ulcer flu gout gout ulcer; flu gout; gout flu ulcer. The guesses flu, gout, flu, flu are right for 2, 2, 1
    /// and 1; in the whole flu is right for 5 of 12.
    #[test]
    fn the_twelve_rows() {
        let original = twelve();
        let release = generalised(&original, &[("zip", 1)]);
        let multiplicity = vec![1; 12];
        let link: Vec<Option<u32>> = (0..12).map(Some).collect();
        let scene = Scene::new(&original, &release, &multiplicity, Some(&link), &Silent);
        let outcome = Homogeneity.attack(&scene, &asked()).unwrap().remove(0);
        assert!((outcome.hits - 6.0).abs() < 1e-9, "{outcome:?}");
        assert!((outcome.baseline.unwrap() - 5.0 / 12.0).abs() < 1e-9);
        assert!((outcome.parts["certain"].as_f64().unwrap() - 2.0 / 12.0).abs() < 1e-9);
    }
}
