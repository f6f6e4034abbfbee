//! Degree change: how far numbers of neighbours in a random graph with the published counts are from the true ones.
//!
//! Paper      Ours.
//!
//! # Formula
//! With the key: the mean over persons of |degree - degree of a node of their cluster in an expansion|, the mean over all nodes of the
//! cluster, since each may be theirs. Without: the distance of both distributions of degrees, the sum over d of |F(d) - G(d)| (earth
//! mover's). Means over expansions.
//!
//! # Cost
//! Time O(expansions x (edges + nodes log nodes)).

use serde_json::{Value, json};

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair};
use super::expanded::{mean, of_each};
use crate::data::graph::Expansion;
use crate::data::{Dataset as _, Graph};
use crate::error::Result;
use crate::info::Info;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "degree-change",
        summary: "how far numbers of neighbours in a random graph with the published counts are from the true ones",
        paper: "ours",
        details: "Random graphs with exactly the published counts are drawn (`--expansions`, 5, by the seed). With the key: by how many neighbours \
            a node of a person's cluster differs from the person, on average (`parts.by_person`). Without: by how many neighbours both \
            distributions of degrees differ, on average (`parts.distributions`), which is never more. `parts.degrees` are persons by their number of \
            neighbours, before and after; no bin has fewer than k persons of the original.",
        parameters: &[],
    },
    unit: "neighbours",
    better: "lower",
    says: "In a graph drawn from the counts, somebody has {} more or fewer.",
    undefined: "there are no persons",
    ..MeasureInfo::DEFAULT
};

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct DegreeChange;

impl Measure<Graph> for DegreeChange {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Graph>, context: &Context<'_>) -> Result<Measured> {
        let before = degrees(pair.original);
        let found = of_each(pair, context, |_, expansion, places| {
            let after = degrees(&expansion.graph);
            let by_person = pair.link.as_deref().map(|link| by_person(&before, link, (expansion, places), &after));
            (by_person, apart(&before, &after), histogram(&after))
        })?;
        let distributions = mean(found.iter().map(|(_, apart, _)| *apart));
        let by_person: Vec<f64> = found.iter().filter_map(|(by_person, ..)| *by_person).collect();
        let by_person = (!by_person.is_empty()).then(|| mean(by_person.into_iter()));
        let value = (!before.is_empty() && !found.is_empty()).then(|| by_person.unwrap_or(distributions));
        let parts = json!({
            "by_person": by_person,
            "distributions": distributions,
            "expansions": found.len(),
            "degrees": bins(&histogram(&before), &found.iter().map(|(.., after)| after.as_slice()).collect::<Vec<_>>(), context.k),
        });
        Ok(self.measured(value, parts))
    }
}

fn degrees(graph: &Graph) -> Vec<usize> {
    (0..graph.persons() as u32).map(|node| graph.degree(node)).collect()
}

/// The mean over persons of how far they are from the nodes of their cluster.
fn by_person(
    before: &[usize],
    link: &[Option<u32>],
    (expansion, places): (&Expansion, &[u32]),
    after: &[usize],
) -> f64 {
    // The degrees in each cluster in rising order, and their sums up to each.
    let clusters: Vec<(Vec<usize>, Vec<usize>)> = expansion
        .starts
        .windows(2)
        .map(|ends| {
            let mut own = after[ends[0] as usize..ends[1] as usize].to_vec();
            own.sort_unstable();
            let sums = own.iter().scan(0, |sum, degree| {
                *sum += degree;
                Some(*sum)
            });
            let sums = std::iter::once(0).chain(sums).collect();
            (own, sums)
        })
        .collect();
    let of = |(&degree, cluster): (&usize, &Option<u32>)| {
        let (own, sums) =
            clusters.get(*places.get((*cluster)? as usize)? as usize).filter(|(own, _)| !own.is_empty())?;
        let below = own.partition_point(|&other| other < degree);
        let over = (sums[own.len()] - sums[below]) - (own.len() - below) * degree;
        Some((below * degree - sums[below] + over) as f64 / own.len() as f64)
    };
    let all: Vec<f64> = before.iter().zip(link).filter_map(of).collect();
    mean(all.into_iter())
}

/// How many have each number of neighbours.
fn histogram(degrees: &[usize]) -> Vec<usize> {
    let mut counts = vec![0; degrees.iter().max().map_or(0, |most| most + 1)];
    degrees.iter().for_each(|&degree| counts[degree] += 1);
    counts
}

/// How far two distributions are apart, in neighbours.
fn apart(one: &[usize], other: &[usize]) -> f64 {
    let [left, right] = [one, other].map(histogram);
    let (mut upto_left, mut upto_right, mut apart) = (0.0, 0.0, 0.0);
    for degree in 0..left.len().max(right.len()) {
        upto_left += left.get(degree).copied().unwrap_or(0) as f64 / one.len().max(1) as f64;
        upto_right += right.get(degree).copied().unwrap_or(0) as f64 / other.len().max(1) as f64;
        apart += (upto_left - upto_right).abs();
    }
    apart
}

/// Persons by their number of neighbours, before and after (the mean over expansions): 0, 1, 2 to 3, 4 to 7 and so on, with at least k persons
/// before in each. The numbers of neighbours are a text: they count no persons, and are not to be hidden as if they did.
fn bins(before: &[usize], after: &[&[usize]], k: usize) -> Value {
    let longest = after.iter().map(|after| after.len()).max().unwrap_or(0).max(before.len());
    let sum = |counts: &[usize], from: usize, to: usize| -> usize { counts.iter().take(to).skip(from).sum() };
    let mut bins: Vec<[usize; 3]> = Vec::new();
    let (mut from, mut to) = (0, 1);
    while from < longest {
        let count = sum(before, from, to);
        if count >= k.max(1) {
            bins.push([from, to, count]);
            from = to;
        } else if to >= longest {
            // What is left at the end is too few for a bin of its own.
            let Some(last) = bins.last_mut() else { break };
            *last = [last[0], to, last[2] + count];
            break;
        }
        to *= 2;
    }
    let last = bins.len();
    let shown = |(at, &[from, to, count]): (usize, &[usize; 3])| {
        // Who has the most neighbours of all is nobody's business.
        let (to, neighbours) = match to - 1 {
            _ if at + 1 == last => (longest, format!("{from} or more")),
            end if end == from => (to, from.to_string()),
            end => (to, format!("{from} to {end}")),
        };
        let mean = mean(after.iter().map(|after| sum(after, from, to) as f64));
        json!({"neighbours": neighbours, "before": count, "after": mean})
    };
    bins.iter().enumerate().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_are_as_far_apart_as_what_must_be_moved() {
        assert_eq!(apart(&[1, 2, 3], &[1, 2, 3]), 0.0);
        assert!((apart(&[0, 0], &[3, 1]) - 2.0).abs() < 1e-12);
        assert!((apart(&[5, 1], &[1, 4]) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn no_bin_shows_few() {
        let before = [0, 3, 1, 2, 0, 0, 0, 0, 0, 1];
        let shown = bins(&before, &[&[0, 1, 6], &[0, 3, 4]], 3);
        let expected = json!([
            {"neighbours": "0 to 1", "before": 3, "after": 2.0}, {"neighbours": "2 or more", "before": 4, "after": 5.0}
        ]);
        assert_eq!(shown, expected);
        assert_eq!(bins(&[1, 1], &[&[2]], 3), json!([]));
    }
}
