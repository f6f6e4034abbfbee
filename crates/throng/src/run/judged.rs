//! Running measures, the same way for every kind of data and every command. What takes long is measured on a sample of many
//! persons, drawn by the seed, and says so; so it need not be known what all strings mean.

use std::collections::BTreeMap;

use serde::Serialize;
use throng_core::measures::{Context, Measure, Measured, Pair};
use throng_core::{Need, Result, Rng};

use super::attacked::Attacked;
use crate::kinds::{Kinded, Knowledge, Wants};

/// What was measured.
#[derive(Debug, Default, Serialize)]
pub struct MeasureOutcome {
    /// Every number.
    pub measures: Vec<Measured>,
    /// What was not measured, and why.
    pub skipped: Vec<Skipped>,
    /// The kind of data.
    #[serde(skip)]
    pub kind: &'static str,
    /// What the user should know beside it.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// Whose records show most of what is theirs, where values may be shown; only the custodian may see it.
    #[serde(skip)]
    pub exposed: Vec<Exposed>,
    /// What the attacks of every report achieve, where they were asked for.
    #[serde(skip)]
    pub attacks: Vec<Attacked>,
}

/// How many of the most exposed are named.
const MOST_EXPOSED: usize = 10;

/// A person whose record shows much of what is theirs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exposed {
    /// Their id, or the number of their line where there are no ids.
    pub person: String,
    /// How much of it, in per cent.
    pub level: f64,
    /// How many others have the same record.
    pub others: u64,
}

impl Exposed {
    /// The most exposed persons of an original, by the first measure that knows; nobody without a link.
    pub(super) fn of<D: Kinded>(measures: &[Measured], pair: &Pair<'_, D>) -> Vec<Self> {
        let (Some(link), Some(measured)) =
            (&pair.link, measures.iter().find(|measured| measured.exposed.len() == pair.original.persons()))
        else {
            return Vec::new();
        };
        // Equal records of a file are different persons of the release: they are told apart by what they say.
        let facts = pair.release.facts(0);
        let said = |record: usize| {
            let mut said: Vec<String> = facts.of(record).iter().map(|&fact| pair.release.fact(fact)).collect();
            said.sort_unstable();
            said
        };
        let mut crowd: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for record in 0..pair.release.persons() {
            *crowd.entry(said(record)).or_default() += u64::from(pair.multiplicity[record]);
        }
        let mut persons: Vec<(f64, usize)> =
            measured.exposed.iter().enumerate().filter_map(|(person, level)| Some(((*level)?, person))).collect();
        persons.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        let exposed = |(level, person): (f64, usize)| {
            let record = link.get(person).copied().flatten()?;
            let others = crowd.get(&said(record as usize)).map_or(0, |crowd| crowd.saturating_sub(1));
            Some(Self { person: pair.original.names().get(person as u32).to_owned(), level, others })
        };
        persons.into_iter().filter_map(exposed).take(MOST_EXPOSED).collect()
    }
}

/// A measure that was not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Its name.
    pub name: &'static str,
    /// Why.
    pub reason: String,
}

/// The seed of whatever measures draw, unless another is asked for: `protect`, `measure` and `compare` draw alike, so that the same measure
/// of the same release is one number.
pub(super) const SEED: u64 = 0;

/// Measures for several releases of one original.
pub(super) struct Judges<'a, D: Kinded> {
    /// In the order of the report.
    all: Vec<&'static dyn Measure<D>>,
    whole: Vec<Prepared<'a, D>>,
    sampled: Option<Sampled<'a, D>>,
}

/// A measure, with everything worked out that depends on the original alone, where there is such a thing.
struct Prepared<'a, D: Kinded> {
    plain: &'static dyn Measure<D>,
    prepared: Option<Box<dyn Measure<D> + 'a>>,
}

impl<D: Kinded> Prepared<'_, D> {
    fn measure(&self) -> &dyn Measure<D> {
        self.prepared.as_deref().unwrap_or(self.plain)
    }
}

struct Sampled<'a, D: Kinded> {
    measures: Vec<&'static dyn Measure<D>>,
    persons: Vec<u32>,
    knowledge: Option<&'a Knowledge>,
}

/// Whether a measure sees a sample of so many persons only.
fn is_sampled<D>(measure: &dyn Measure<D>, persons: usize) -> bool {
    persons > measure.most_persons()
}

/// What measures want to know of the data of so many persons. Without a link between them nobody is drawn.
pub(super) fn wants<D: Kinded>(measures: &[&'static dyn Measure<D>], persons: usize, has_link: bool) -> Wants {
    let by_meaning = |measure: &&&'static dyn Measure<D>| measure.info().needs.contains(&Need::Meaning);
    let of_all = |measure: &&'static dyn Measure<D>| !has_link || !is_sampled(*measure, persons);
    Wants {
        by_meaning: false,
        to_measure: measures.iter().any(|measure| by_meaning(&measure)),
        of_all: measures.iter().filter(by_meaning).any(of_all),
    }
}

/// What something with such needs wants to know of the data of all persons.
pub(super) fn wants_of<'n>(mut needs: impl Iterator<Item = &'n Need>) -> Wants {
    let by_meaning = needs.any(|need| *need == Need::Meaning);
    Wants { by_meaning: false, to_measure: by_meaning, of_all: by_meaning }
}

impl<'a, D: Kinded> Judges<'a, D> {
    /// Measures for one release.
    pub(super) fn new(
        measures: &[&'static dyn Measure<D>],
        original: &D,
        has_link: bool,
        knowledge: Option<&'a Knowledge>,
        seed: u64,
    ) -> Self {
        let persons = original.persons();
        let (sampled, whole): (Vec<_>, Vec<_>) = measures
            .iter()
            .copied()
            .partition(|measure: &&'static dyn Measure<D>| has_link && is_sampled(*measure, persons));
        let most = sampled.iter().map(|measure| measure.most_persons()).min();
        let sampled =
            most.map(|most| Sampled { measures: sampled, persons: Rng::seeded(seed).sample(persons, most), knowledge });
        let whole = whole.into_iter().map(|plain| Prepared { plain, prepared: None }).collect();
        Self { all: measures.to_vec(), whole, sampled }
    }

    /// The same for several releases of this original: what depends on it alone is worked out once.
    pub(super) fn prepared(mut self, original: &'a D, context: &Context<'_>) -> Result<Self> {
        for measure in &mut self.whole {
            measure.prepared = measure.plain.prepared(original, context)?;
        }
        Ok(self)
    }

    /// Measures a release. Measures that lack something are skipped, with the reason.
    pub(super) fn run(&self, pair: &Pair<'_, D>, context: &Context<'_>) -> Result<MeasureOutcome> {
        let mut outcome = MeasureOutcome { kind: D::CARD.name, ..MeasureOutcome::default() };
        let whole: Vec<&dyn Measure<D>> = self.whole.iter().map(Prepared::measure).collect();
        outcome.measure(&whole, pair, context)?;
        let Some(sampled) = &self.sampled else { return Ok(outcome) };
        let sample = Sample::of(pair, &sampled.persons, sampled.knowledge)?;
        let mut found = MeasureOutcome::default();
        let measures: Vec<&dyn Measure<D>> = sampled.measures.iter().map(|&measure| measure as _).collect();
        found.measure(&measures, &sample.pair(), context)?;
        for measured in &mut found.measures {
            let persons = serde_json::json!({"persons": sampled.persons.len(), "of": pair.original.persons()});
            measured.parts["sampled"] = persons;
        }
        outcome.measures.append(&mut found.measures);
        outcome.skipped.append(&mut found.skipped);
        let place = |name: &str| self.all.iter().position(|measure| measure.info().info.name == name);
        outcome.measures.sort_by_key(|measured| place(measured.name));
        outcome.skipped.sort_by_key(|skipped| place(skipped.name));
        Ok(outcome)
    }
}

impl MeasureOutcome {
    fn measure<D: Kinded>(
        &mut self,
        measures: &[&dyn Measure<D>],
        pair: &Pair<'_, D>,
        context: &Context<'_>,
    ) -> Result<()> {
        for measure in measures {
            let card = measure.info();
            if let Some(need) = pair.lacks(card) {
                self.skipped.push(Skipped { name: card.info.name, reason: need.reason().to_owned() });
                continue;
            }
            context.progress.stage(card.info.name, 0);
            let measured = measure.measure(pair, context);
            context.progress.go_on()?;
            self.measures.push(measured?);
        }
        Ok(())
    }
}

/// Some persons of an original with their records.
struct Sample<D> {
    original: D,
    records: D,
    multiplicity: Vec<u32>,
    link: Vec<Option<u32>>,
}

impl<D: Kinded> Sample<D> {
    fn of(pair: &Pair<'_, D>, persons: &[u32], knowledge: Option<&Knowledge>) -> Result<Self> {
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
        let parts = vec![pair.original.of_persons(persons), pair.release.of_persons(&records)];
        let mut parts = D::understand_samples(parts, knowledge)?;
        let records = parts.pop();
        match (parts.pop(), records) {
            (Some(original), Some(records)) => Ok(Self { original, records, multiplicity, link }),
            _ => Err(throng_core::Error::internal("two samples did not become two")),
        }
    }

    fn pair(&self) -> Pair<'_, D> {
        Pair {
            original: &self.original,
            release: &self.records,
            multiplicity: self.multiplicity.clone(),
            link: Some(self.link.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use throng_core::data::{Baskets, BasketsBuilder};
    use throng_core::measures::MeasureInfo;
    use throng_core::progress::Silent;

    use super::*;

    /// Counts the persons that it sees, of whom it can bear three.
    struct Few;

    const CARD: MeasureInfo = MeasureInfo { unit: "persons", ..MeasureInfo::DEFAULT };

    impl Measure<Baskets> for Few {
        fn info(&self) -> &'static MeasureInfo {
            &CARD
        }

        fn most_persons(&self) -> usize {
            3
        }

        fn measure(&self, pair: &Pair<'_, Baskets>, _context: &Context<'_>) -> Result<Measured> {
            Ok(self.measured(Some(pair.original.persons() as f64), serde_json::json!({})))
        }
    }

    #[test]
    fn many_persons_are_sampled_for_one_release_and_for_several() {
        let mut builder = BasketsBuilder::new(None, true);
        let item = builder.label("bread");
        for person in 0..8 {
            let person = builder.person(&person.to_string());
            builder.push(person, item);
        }
        let data = builder.finish();
        let link: Vec<Option<u32>> = (0..8).map(Some).collect();
        let context = Context { k: 2, shared_by: 2, show_values: false, seed: 1, progress: &Silent };
        for (has_link, expected) in [(true, 3.0), (false, 8.0)] {
            let link = has_link.then(|| link.clone());
            let pair = Pair { original: &data, release: &data, multiplicity: vec![1; 8], link };
            let one = Judges::new(&[&Few], &data, has_link, None, 1);
            let several = Judges::new(&[&Few], &data, has_link, None, 1).prepared(&data, &context).unwrap();
            for judges in [one, several] {
                let found = judges.run(&pair, &context).unwrap().measures.remove(0);
                assert_eq!(found.value, Some(expected));
                assert_eq!(found.parts["sampled"].is_object(), has_link);
            }
        }
    }
}
