//! Measuring a search log of many persons: what takes long is measured on a sample of them.

use throng_core::data::{Dataset as _, QueryLog};
use throng_core::measures::{Context, Measure, Pair};
use throng_core::{Need, Result, Rng};

use super::MeasureOutcome;
use super::load::Knowledge;
use super::measure::{on_queries, run};
use crate::catalog::AnyMeasure;

/// Runs measures on a search log and its release. A measure for which there are too many persons sees a sample of them, drawn by
/// the seed, and says so; so it never needs to know what all strings mean.
pub(super) fn run_on_queries(
    measures: &[AnyMeasure],
    pair: &Pair<'_, QueryLog>,
    knowledge: Option<&Knowledge>,
    context: &Context<'_>,
) -> Result<MeasureOutcome> {
    let persons = pair.original.persons();
    let all = on_queries(measures);
    let (sampled, whole): (Vec<_>, Vec<_>) =
        all.iter().copied().partition(|measure| pair.link.is_some() && is_too_large(*measure, persons));
    let mut outcome = run(&whole, pair, context)?;
    let Some(most) = sampled.iter().map(|measure| measure.most_persons()).min() else { return Ok(outcome) };
    let mut sample = Sample::of(pair, &Rng::seeded(context.seed).sample(persons, most));
    if let Some(knowledge) = knowledge {
        sample = sample.with_meaning(knowledge)?;
    }
    let mut found = run(&sampled, &sample.pair(), context)?;
    for measured in &mut found.measures {
        measured.parts["sampled"] = serde_json::json!({"persons": most, "of": persons});
    }
    outcome.measures.append(&mut found.measures);
    outcome.skipped.append(&mut found.skipped);
    let place = |name: &str| all.iter().position(|measure| measure.info().info.name == name);
    outcome.measures.sort_by_key(|measured| place(measured.name));
    outcome.skipped.sort_by_key(|skipped| place(skipped.name));
    Ok(outcome)
}

/// Whether a measure must know what all strings of so many persons mean.
pub(super) fn needs_meaning_of_all(measures: &[AnyMeasure], persons: usize) -> bool {
    on_queries(measures)
        .iter()
        .any(|measure| measure.info().needs.contains(&Need::Meaning) && !is_too_large(*measure, persons))
}

fn is_too_large(measure: &dyn Measure<QueryLog>, persons: usize) -> bool {
    persons > measure.most_persons()
}

/// Some persons of an original with their records.
struct Sample {
    original: QueryLog,
    records: QueryLog,
    multiplicity: Vec<u32>,
    link: Vec<Option<u32>>,
}

impl Sample {
    fn of(pair: &Pair<'_, QueryLog>, persons: &[u32]) -> Self {
        let link = pair.link.as_deref().unwrap_or_default();
        let record_of = |person: &u32| link.get(*person as usize).copied().flatten();
        let mut records: Vec<u32> = persons.iter().filter_map(record_of).collect();
        records.sort_unstable();
        records.dedup();
        let place = |record: u32| records.partition_point(|&other| other < record) as u32;
        let link: Vec<Option<u32>> = persons.iter().map(|person| record_of(person).map(place)).collect();
        let mut multiplicity = vec![0; records.len()];
        for &record in link.iter().flatten() {
            multiplicity[record as usize] += 1;
        }
        Self {
            original: pair.original.of_persons(persons),
            records: pair.release.of_persons(&records),
            multiplicity,
            link,
        }
    }

    fn with_meaning(self, knowledge: &Knowledge) -> Result<Self> {
        let mut meanings = knowledge.of(&[self.original.queries(), self.records.queries()])?;
        let (own, records) = (meanings.swap_remove(0), meanings.swap_remove(0));
        Ok(Self { original: self.original.with_meaning(own), records: self.records.with_meaning(records), ..self })
    }

    fn pair(&self) -> Pair<'_, QueryLog> {
        Pair {
            original: &self.original,
            release: &self.records,
            multiplicity: self.multiplicity.clone(),
            link: Some(self.link.clone()),
        }
    }
}
