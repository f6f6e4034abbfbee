//! Measures of access logs: what analysers show of a release, and what visitors keep.

pub mod browser_usage;
pub mod hours_kept;
pub mod page_popularity;
pub mod page_steps;
pub mod pages_kept;
pub mod sections_kept;
pub mod session_shape;
pub mod status_share;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::{Context, Measured, Pair, mean, percentile};
use crate::data::Visits;
use crate::data::visits::Part;

/// How many sessions, or whatever is counted, a release has of each value, given how often it stands for somebody.
fn counts<K: Ord>(visits: &Visits, weights: &[u32], of: impl Fn(usize) -> Vec<K>) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    for (person, &weight) in weights.iter().enumerate().take(visits.persons()) {
        for value in of(person) {
            *counts.entry(value).or_default() += u64::from(weight);
        }
    }
    counts
}

/// Everybody once.
fn once(visits: &Visits) -> Vec<u32> {
    vec![1; visits.persons()]
}

/// The greatest distance of two distributions of numbers, each with how often they occur; `None` if one is empty.
fn kolmogorov_smirnov(left: &BTreeMap<i64, u64>, right: &BTreeMap<i64, u64>) -> Option<f64> {
    let [all, others] = [left, right].map(|counts| counts.values().sum::<u64>() as f64);
    if all == 0.0 || others == 0.0 {
        return None;
    }
    let mut values: Vec<i64> = left.keys().chain(right.keys()).copied().collect();
    values.sort_unstable();
    values.dedup();
    let (mut own, mut other, mut most) = (0, 0, 0.0f64);
    for value in values {
        own += left.get(&value).copied().unwrap_or(0);
        other += right.get(&value).copied().unwrap_or(0);
        most = most.max((own as f64 / all - other as f64 / others).abs());
    }
    Some(most)
}

/// Spearman's rank correlation with average ranks; `None` where one side is constant.
fn spearman(left: &[u64], right: &[u64]) -> Option<f64> {
    let (left, right) = (ranks(left), ranks(right));
    let count = left.len() as f64;
    let [own, other] = [&left, &right].map(|ranks| ranks.iter().sum::<f64>() / count);
    let (mut both, mut first, mut second) = (0.0, 0.0, 0.0);
    for (left, right) in left.iter().zip(&right) {
        both += (left - own) * (right - other);
        first += (left - own) * (left - own);
        second += (right - other) * (right - other);
    }
    (first > 0.0 && second > 0.0).then(|| both / (first * second).sqrt())
}

/// Ranks from 1, equal values sharing the mean of theirs.
fn ranks(values: &[u64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|&at| values[at]);
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for same in order.chunk_by(|&left, &right| values[left] == values[right]) {
        let rank = start as f64 + (same.len() as f64 + 1.0) / 2.0;
        same.iter().for_each(|&at| ranks[at] = rank);
        start += same.len();
    }
    ranks
}

/// 1 less the square root of the Jensen-Shannon divergence, base 2, of two mixes given as counts; 0 if the second is empty.
fn likeness<K: Ord>(own: &BTreeMap<K, u64>, other: &BTreeMap<K, u64>) -> f64 {
    let [all, others] = [own, other].map(|counts| counts.values().sum::<u64>() as f64);
    if all == 0.0 || others == 0.0 {
        return 0.0;
    }
    let part = |share: f64, middle: f64| if share > 0.0 { share * (share / middle).log2() } else { 0.0 };
    let mut divergence = 0.0;
    for (value, &count) in own {
        let (left, right) = (count as f64 / all, other.get(value).copied().unwrap_or(0) as f64 / others);
        let middle = (left + right) / 2.0;
        divergence += (part(left, middle) + part(right, middle)) / 2.0;
    }
    for (_, &count) in other.iter().filter(|(value, _)| !own.contains_key(value)) {
        let right = count as f64 / others;
        divergence += part(right, right / 2.0) / 2.0;
    }
    1.0 - divergence.clamp(0.0, 1.0).sqrt()
}

/// How much of their mix of something visitors keep: the mean over those who have any, and how it is spread. Who is left out keeps nothing.
fn kept<'p, K: Ord>(
    pair: &Pair<'p, Visits>,
    context: &Context<'_>,
    of: impl Fn(&'p Visits, usize) -> BTreeMap<K, u64>,
) -> (Option<f64>, Value, Vec<Option<f64>>) {
    let link = pair.link.as_deref().unwrap_or_default();
    let value = |person: usize| {
        let own = of(pair.original, person);
        (!own.is_empty()).then(|| match link[person] {
            Some(record) => likeness(&own, &of(pair.release, record as usize)),
            None => 0.0,
        })
    };
    let each: Vec<Option<f64>> = (0..pair.original.persons().min(link.len())).map(value).collect();
    let values: Vec<f64> = each.iter().copied().flatten().collect();
    let parts = json!({"p10": percentile(&values, 0.1, context.k), "persons": values.len()});
    (mean(&values), parts, each)
}

/// How often a visitor has each path.
pub(crate) fn paths_of(visits: &Visits, person: usize) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for path in visits.range(person).filter_map(|row| visits.text(Part::Path, row)) {
        *counts.entry(path).or_default() += 1;
    }
    counts
}

/// A measure of what visitors keep, by person.
fn by_person(mut measured: Measured, each: Vec<Option<f64>>) -> Measured {
    measured.by_person.insert("kept".to_owned(), each);
    measured
}

#[cfg(test)]
mod testing {
    use super::super::super::{Measure, Measured, Pair, testing::CONTEXT};
    use crate::data::visits::{Part, Visit};
    use crate::data::{Visits, VisitsBuilder};

    /// A log of lines: visitor, minute, path.
    pub(super) fn log(lines: &[(&str, i64, &str)]) -> Visits {
        let mut builder = VisitsBuilder::new();
        for &(name, minute, path) in lines {
            let mut visit = Visit { time: minute * 60_000, status: Some(200), ..Visit::default() };
            visit.texts[Part::Address as usize] = Some(name);
            visit.texts[Part::Path as usize] = Some(path);
            builder.push(name, &visit, 1);
        }
        builder.finish().0
    }

    /// Measures a release whose visitor i is visitor i of the original.
    pub(super) fn measure(measure: &dyn Measure<Visits>, original: &Visits, release: &Visits) -> Measured {
        let link =
            (0..original.persons()).map(|person| (person < release.persons()).then_some(person as u32)).collect();
        let pair = Pair { original, release, multiplicity: vec![1; release.persons()], link: Some(link) };
        measure.measure(&pair, &CONTEXT).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_share_their_mean() {
        assert_eq!(ranks(&[5, 1, 5, 9]), [2.5, 1.0, 2.5, 4.0]);
        assert_eq!(spearman(&[1, 2, 3], &[10, 20, 30]), Some(1.0));
        assert_eq!(spearman(&[1, 2, 3], &[3, 2, 1]), Some(-1.0));
        assert_eq!(spearman(&[1, 1], &[1, 2]), None);
    }

    #[test]
    fn mixes() {
        let of = |pairs: &[(&'static str, u64)]| pairs.iter().copied().collect::<BTreeMap<_, _>>();
        assert_eq!(likeness(&of(&[("a", 1), ("b", 1)]), &of(&[("a", 2), ("b", 2)])), 1.0);
        assert_eq!(likeness(&of(&[("a", 1)]), &of(&[("b", 1)])), 0.0);
        // JSD of (1, 0) and (1/2, 1/2) in bits: 0.3112781244591328.
        let found = likeness(&of(&[("a", 1)]), &of(&[("a", 1), ("b", 1)]));
        assert!((found - (1.0 - 0.311_278_124_459_132_8f64.sqrt())).abs() < 1e-12, "{found}");
    }

    #[test]
    fn distributions() {
        let of = |pairs: &[(i64, u64)]| pairs.iter().copied().collect::<BTreeMap<_, _>>();
        assert_eq!(kolmogorov_smirnov(&of(&[(1, 1), (2, 1)]), &of(&[(2, 1), (3, 1)])), Some(0.5));
        assert_eq!(kolmogorov_smirnov(&of(&[]), &of(&[(2, 1)])), None);
    }
}
