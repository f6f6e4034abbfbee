//! What masks keep and hide: how far points were moved, how many addresses are around them, and whether clusters are still there.
//!
//! # Formula
//! `shift` is the way from the true to the written point. `local-k` is the number of addresses no farther from the written point than the
//! true position. `clusters-kept` is the share of pairs of points in one cluster of the original that are in one cluster of the masked
//! points: a cluster has at least five points, each with a link to another that is no longer than half of the median way to the fifth
//! nearest point of the original.

use super::mask::local_k;
use super::places::Places;
use crate::geo;

/// The least, the middle, the mean and the most of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The least.
    pub least: f64,
    /// The middle.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// The most.
    pub most: f64,
}

/// What was measured of a mask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// How far points were moved, in metres.
    pub shift: Summary,
    /// How many addresses are around them.
    pub local_k: Summary,
    /// How many points have fewer than k.
    pub below_k: usize,
    /// The share of pairs in clusters that is kept; none where the original has no cluster.
    pub clusters_kept: Option<f64>,
}

/// A true point and where it was written: latitude, longitude.
pub type Pair = ((f64, f64), (f64, f64));

/// Measures pairs of a true and a written point; nothing where there is none.
pub fn measure(pairs: &[Pair], addresses: &Places, k: usize) -> Option<Measured> {
    let shift: Vec<f64> = pairs.iter().map(|&(truth, written)| geo::distance(truth, written) * 1000.0).collect();
    let around: Vec<f64> = pairs.iter().map(|&(truth, written)| local_k(addresses, written, truth) as f64).collect();
    Some(Measured {
        shift: summary(&shift)?,
        local_k: summary(&around)?,
        below_k: around.iter().filter(|&&around| around < k as f64).count(),
        clusters_kept: clusters_kept(pairs),
    })
}

fn summary(values: &[f64]) -> Option<Summary> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (least, most) = (*sorted.first()?, *sorted.last()?);
    Some(Summary {
        least,
        median: sorted[sorted.len() / 2],
        mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
        most,
    })
}

/// The least points of a cluster.
const OF_CLUSTER: usize = 5;

fn clusters_kept(pairs: &[Pair]) -> Option<f64> {
    let (before, after): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    let (before, after) = (Places::new(before), Places::new(after));
    let number = |at: usize| before.nearest_few(before.get(at as u32), OF_CLUSTER + 1).get(OF_CLUSTER).map(|far| far.1);
    let mut ways: Vec<f64> = (0..before.len()).filter_map(number).collect();
    ways.sort_by(f64::total_cmp);
    let link = ways.get(ways.len() / 2)? / 2.0;
    let (before, after) = (clusters(&before, link), clusters(&after, link));
    let mut of_both: std::collections::BTreeMap<(usize, Option<usize>), u64> = std::collections::BTreeMap::new();
    let mut of_one: std::collections::BTreeMap<usize, u64> = std::collections::BTreeMap::new();
    for (one, other) in before.iter().zip(&after) {
        if let Some(one) = one {
            *of_both.entry((*one, *other)).or_default() += 1;
            *of_one.entry(*one).or_default() += 1;
        }
    }
    let pairs_of = |count: &u64| count * (count - 1) / 2;
    let all: u64 = of_one.values().map(pairs_of).sum();
    let kept: u64 = of_both.iter().filter(|((_, other), _)| other.is_some()).map(|(_, count)| pairs_of(count)).sum();
    (all > 0).then(|| kept as f64 / all as f64)
}

/// The cluster of each point: the smallest number of a point in it.
fn clusters(places: &Places, link: f64) -> Vec<Option<usize>> {
    let mut cluster: Vec<Option<usize>> = vec![None; places.len()];
    let mut is_seen = vec![false; places.len()];
    for start in 0..places.len() {
        if is_seen[start] {
            continue;
        }
        is_seen[start] = true;
        let mut members = vec![start];
        let mut at = 0;
        while let Some(&member) = members.get(at) {
            for other in places.within(places.get(member as u32), link) {
                if !std::mem::replace(&mut is_seen[other as usize], true) {
                    members.push(other as usize);
                }
            }
            at += 1;
        }
        if members.len() >= OF_CLUSTER {
            members.iter().for_each(|&member| cluster[member] = Some(start));
        }
    }
    cluster
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two heaps of six points a metre apart and four far ones: all pairs stay if nothing moves, none if all go apart.
    #[test]
    fn clusters_by_hand() {
        let heap = |lon: f64| (0..6).map(move |at| (0.0, lon + f64::from(at) * 1e-5));
        let mut points: Vec<(f64, f64)> = heap(0.0).chain(heap(0.1)).collect();
        points.extend((0..4).map(|at| (1.0, f64::from(at) * 10.0)));
        let same: Vec<_> = points.iter().map(|&point| (point, point)).collect();
        let houses = Places::new(points.clone());
        let measured = measure(&same, &houses, 2).unwrap();
        assert_eq!((measured.shift.most, measured.clusters_kept, measured.below_k), (0.0, Some(1.0), points.len()));
        // The second heap goes apart: half of the pairs are left.
        let apart: Vec<_> = points
            .iter()
            .enumerate()
            .map(|(at, &point)| {
                (point, if (6..12).contains(&at) { (point.0 - 5.0 - at as f64, point.1) } else { point })
            })
            .collect();
        assert_eq!(measure(&apart, &houses, 2).unwrap().clusters_kept, Some(0.5));
        assert_eq!(measure(&[], &houses, 2), None);
    }
}
