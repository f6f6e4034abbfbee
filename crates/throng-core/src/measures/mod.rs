//! Measures: numbers that compare an original with its release.
//!
//! A measure sees a [`Pair`] and nothing of the method: any other tool's output can be judged the same way.

mod card;
mod cells;
mod holders;
mod items;
pub(crate) mod meanings;
pub mod risk;
pub mod utility;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

pub use card::{Drawn, Headline, Lost, MeasureInfo, Memory};

use crate::data::{Dataset, QueryLog};
use crate::error::Result;
use crate::info::{Info, Need};
use crate::progress::Progress;

/// What compares persons by distance or by meaning takes long: of more persons than this it sees a sample.
pub const MOST_COMPARED: usize = 10_000;

/// An original and its release.
#[derive(Debug)]
pub struct Pair<'a, D> {
    /// The data as they were.
    pub original: &'a D,
    /// The data as published. A record that several persons share may stand for all of them.
    pub release: &'a D,
    /// For each person of the release how many persons they stand for.
    pub multiplicity: Vec<u32>,
    /// For each person of the original their number in the release; `None` for one who is not in it. No link at all
    /// when nobody knows who became whom.
    pub link: Option<Vec<Option<u32>>>,
}

impl<D> Pair<'_, D> {
    /// The persons who are in both: numbers in the original and in the release. Empty without a link.
    pub fn linked(&self) -> Vec<(usize, usize)> {
        let link = self.link.as_deref().unwrap_or_default();
        link.iter().enumerate().filter_map(|(own, other)| other.map(|other| (own, other as usize))).collect()
    }
}

impl<D: Dataset> Pair<'_, D> {
    /// The first thing that a measure needs and that is not there.
    pub fn lacks(&self, card: &MeasureInfo) -> Option<Need> {
        let is_there = |need: Need| match need {
            Need::Link => self.link.is_some(),
            _ => self.original.has(need),
        };
        card.needs.iter().copied().find(|&need| !is_there(need))
    }
}

/// What a measure may be told, and whom it tells how far it is.
pub struct Context<'a> {
    /// How many persons look the same in the release, as far as it was asked.
    pub k: usize,
    /// Values that fewer persons of the original share are not shown.
    pub shared_by: usize,
    /// Whether to show values that fewer persons share.
    pub show_values: bool,
    /// The seed of samples.
    pub seed: u64,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

/// A measured number with its parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// The measure's name.
    pub name: &'static str,
    /// The headline; `None` when it is not defined on these data.
    pub value: Option<f64>,
    /// Why it is not defined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its unit.
    pub unit: &'static str,
    /// Which direction is better: `lower` or `higher`.
    pub better: &'static str,
    /// Everything else.
    pub parts: Value,
    /// For some parts the value of each person of the original, `None` where it is not defined, so that two releases can be
    /// compared person by person. Never shown.
    #[serde(skip)]
    pub by_person: ByPerson,
    /// For each person of the original how much of what they have their record shows, in per cent; `None` where it is not
    /// defined. Empty for a measure that does not know. Only the custodian may see it.
    #[serde(skip)]
    pub exposed: Vec<Option<f64>>,
}

/// For some parts of a measure the value of each person of the original; `None` where it is not defined.
pub type ByPerson = BTreeMap<String, Vec<Option<f64>>>;

/// Compares an original with its release.
pub trait Measure<D>: Send + Sync {
    /// The card.
    fn info(&self) -> &'static MeasureInfo;
    /// More persons than this are measured by a sample of so many, drawn at random.
    fn most_persons(&self) -> usize {
        usize::MAX
    }
    /// The number with its parts. Called only with a link if the measure needs one; without a taxonomy that it needs it
    /// is refused.
    fn measure(&self, pair: &Pair<'_, D>, context: &Context<'_>) -> Result<Measured>;

    /// The same measure for several releases of one original, with everything worked out that depends on the original
    /// alone; `None` if there is nothing to share. What it gives for a pair with this original is what [`Self::measure`]
    /// gives.
    fn prepared<'a>(&self, _original: &'a D, _context: &Context<'_>) -> Result<Option<Box<dyn Measure<D> + 'a>>> {
        Ok(None)
    }

    /// A result under the name of this measure.
    fn measured(&self, value: Option<f64>, parts: Value) -> Measured {
        let card = self.info();
        let by_person = ByPerson::new();
        let reason = value.is_none().then(|| card.undefined.to_owned());
        let Info { name, .. } = card.info;
        Measured { name, value, reason, unit: card.unit, better: card.better, parts, by_person, exposed: Vec::new() }
    }
}

/// The mean, or `None` of nothing.
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The parts of a measure that some of `persons` persons have: how many, how many not, and how it is distributed.
fn over_persons(values: &[f64], persons: usize, k: usize) -> Value {
    let undefined = persons - values.len();
    json!({
        "persons": values.len(),
        "undefined": undefined,
        "undefined_share": undefined as f64 / persons.max(1) as f64,
        "distribution": distribution(values, k),
    })
}

/// A distribution over persons that gives nobody away: percentiles, and a histogram whose bins hold at least k persons.
///
/// Bins are twenty equal parts of 0 to 100, and one beyond; a bin with fewer than k persons is merged with the next, the
/// last with the one before it.
fn distribution(values: &[f64], k: usize) -> Value {
    // A foreign certificate may name any k.
    let k = k.max(1);
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    if sorted.len() < k {
        return json!({"percentiles": {}, "histogram": []});
    }
    let percentile = |share: f64| percentile_among(&sorted, share, k);
    let mut bins: Vec<(f64, f64, usize)> = Vec::new();
    let mut open = (0.0, 0);
    for bin in 1..=21 {
        let end = if bin == 21 { f64::INFINITY } else { f64::from(bin) * 5.0 };
        // A value on an edge belongs to the bin above it, except 100, the greatest share there is.
        let below = |&value: &f64| if bin == 20 { value <= 100.0 } else { value < end };
        let count = sorted.partition_point(below) - bins.iter().map(|bin| bin.2).sum::<usize>();
        open.1 = count;
        if open.1 >= k {
            bins.push((open.0, end, open.1));
            open = (end, 0);
        }
    }
    if open.1 > 0
        && let Some(last) = bins.last_mut()
    {
        *last = (last.0, f64::INFINITY, last.2 + open.1);
    }
    let histogram: Vec<Value> = bins
        .iter()
        .map(|&(from, to, persons)| {
            let to = if to.is_finite() { json!(to) } else { Value::Null };
            json!({"from": from, "to": to, "persons": persons})
        })
        .collect();
    json!({
        "percentiles": {"10": percentile(0.1), "25": percentile(0.25), "50": percentile(0.5), "75": percentile(0.75),
                        "90": percentile(0.9)},
        "histogram": histogram,
    })
}

/// A percentile of some persons' values that gives nobody away; `None` of fewer than k persons.
fn percentile(values: &[f64], share: f64, k: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    percentile_among(&sorted, share, k.max(1))
}

/// The mean of the k values around a percentile, all in rising order: no number is one person's.
fn percentile_among(sorted: &[f64], share: f64, k: usize) -> Option<f64> {
    if sorted.len() < k {
        return None;
    }
    let centre = ((sorted.len() - 1) as f64 * share).round() as usize;
    let start = centre.saturating_sub(k / 2).min(sorted.len() - k);
    mean(&sorted[start..start + k])
}

/// Relative frequencies of the query strings of a person, by string id in rising order.
fn frequencies(log: &QueryLog, person: usize) -> Vec<(u32, f64)> {
    let mut counts = log.query_counts(person);
    counts.sort_unstable();
    let lines = log.range(person).len() as f64;
    counts.into_iter().map(|(query, count)| (query, count as f64 / lines)).collect()
}

/// Entropy of a distribution in bits. Summed in the order of shares: ids differ between files that hold the same lines.
fn entropy(frequencies: &[(u32, f64)]) -> f64 {
    let mut shares: Vec<f64> = frequencies.iter().map(|&(_, share)| share).collect();
    shares.sort_unstable_by(f64::total_cmp);
    shares.into_iter().map(|share| share * (1.0 / share).log2()).sum()
}

#[cfg(test)]
pub(crate) mod testing {
    //! Small logs and pairs for the tests of the measures.

    use super::*;
    use crate::data::{Baskets, QueryLogBuilder};
    use crate::progress::Silent;

    pub(crate) const CONTEXT: Context<'static> =
        Context { k: 2, shared_by: 2, show_values: false, seed: 0, progress: &Silent };

    /// A log in which each person issues the given strings, one a minute.
    pub(crate) fn log(persons: &[&[&str]]) -> QueryLog {
        let mut builder = QueryLogBuilder::new();
        for (person, queries) in persons.iter().enumerate() {
            for (minute, query) in queries.iter().enumerate() {
                builder.push(&person.to_string(), query, minute as i64 * 60_000, None, None);
            }
        }
        builder.finish()
    }

    /// Measures a release whose person i is person i of the original.
    pub(crate) fn measure(measure: &dyn Measure<QueryLog>, original: &QueryLog, release: &QueryLog) -> Measured {
        let pair = Pair {
            original,
            release,
            multiplicity: vec![1; release.persons()],
            link: Some((0..original.persons() as u32).map(Some).collect()),
        };
        measure.measure(&pair, &CONTEXT).unwrap()
    }

    /// Measures baskets whose person i is person i of the original, or, without a link, anybody.
    pub(crate) fn measure_baskets(
        measure: &dyn Measure<Baskets>,
        original: &Baskets,
        release: &Baskets,
        linked: bool,
    ) -> Result<Measured> {
        let in_release = |person: usize| (person < release.persons()).then_some(person as u32);
        let pair = Pair {
            original,
            release,
            multiplicity: vec![1; release.persons()],
            link: linked.then(|| (0..original.persons()).map(in_release).collect()),
        };
        measure.measure(&pair, &CONTEXT)
    }

    #[test]
    fn small_bins_are_merged() {
        let values = [1.0, 2.0, 12.0, 33.0, 34.0, 100.0, 130.0];
        let shown = distribution(&values, 2);
        let bins: Vec<(f64, Option<f64>, u64)> = shown["histogram"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bin| (bin["from"].as_f64().unwrap(), bin["to"].as_f64(), bin["persons"].as_u64().unwrap()))
            .collect();
        assert_eq!(bins, [(0.0, Some(5.0), 2), (5.0, Some(35.0), 3), (35.0, None, 2)]);
        assert_eq!(distribution(&values, 8)["histogram"], json!([]));
        assert_eq!(distribution(&[], 0)["histogram"], json!([]));
        // What is left at the end joins the last bin.
        let shown = distribution(&[1.0, 2.0, 50.0], 2);
        assert_eq!(shown["histogram"], json!([{"from": 0.0, "to": null, "persons": 3}]));
    }
}
