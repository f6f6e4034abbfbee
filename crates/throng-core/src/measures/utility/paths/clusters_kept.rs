//! Clusters kept: whether persons who moved alike still do.
//!
//! Paper      Ours; the indices are those of Rand (1971) and Jaccard over pairs of persons.
//!
//! # Idea
//! 1. At most 1,000 persons who are in both, a seeded sample if there are more. 2. k-medoids of them before and after, as `throng paths
//!    cluster` does by default: positions at 64 moments from the first to the last point of all, for 2, 4, 8 and 16 clusters. 3. For every
//!    pair of persons: together in both (r), only before (s), only after (t), in neither (u).
//!
//! # Formula
//! Jaccard = r / (r + s + t), Rand = (r + u) / (r + s + t + u); 0/0 is 1. Means over the numbers of clusters.
//!
//! # Cost
//! Two matrices of 500,000 distances at 64 moments.

use serde_json::{Value, json};

use super::super::super::{Context, Measure, MeasureInfo, Measured, Pair, mean};
use super::super::clustering_agreement::agreement;
use crate::data::Paths;
use crate::data::paths::tracks::Tracks;
use crate::distance::DistanceMatrix;
use crate::distance::paths::clock::{Clock, OnClock, origin};
use crate::error::Result;
use crate::info::{Info, Need};
use crate::partition::k_medoids::k_medoids;
use crate::progress::Quiet;
use crate::rng::Rng;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "clusters-kept",
        summary: "whether persons who moved alike still do: clusters before and after, Jaccard index",
        paper: "Ours",
        details: "At most 1,000 persons who are in both (a seeded sample) are put into 2, 4, 8 and 16 clusters, before and after, as `throng paths \
            cluster` does: around medoids, by where they were at 64 moments of the whole time. Pairs of persons together in both, in one, in none \
            give the Jaccard and the Rand index (part `rand`). 1: the same clusters. The headline is the mean Jaccard index.",
        parameters: &[],
    },
    unit: "of 1",
    better: "higher",
    says: "Of the pairs of persons who moved alike before or after, {%} do so in both.",
    undefined: "too few persons are in both to be told apart by clusters",
    needs: &[Need::Link],
    judges_held_out: true,
    ..MeasureInfo::DEFAULT
};

const CLUSTERS: [usize; 4] = [2, 4, 8, 16];
const MOMENTS: usize = 64;
const MOST_PERSONS: usize = 1000;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct ClustersKept;

impl Measure<Paths> for ClustersKept {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, Paths>, context: &Context<'_>) -> Result<Measured> {
        let has_points = |&(own, other): &(usize, usize)| {
            !pair.original.range(own).is_empty() && !pair.release.range(other).is_empty()
        };
        let linked: Vec<(usize, usize)> = pair.linked().into_iter().filter(has_points).collect();
        let sample = Rng::seeded(context.seed).sample(linked.len(), MOST_PERSONS);
        let (own, other): (Vec<u32>, Vec<u32>) =
            sample.iter().map(|&at| linked[at as usize]).map(|(own, other)| (own as u32, other as u32)).unzip();
        // One origin for both: that of a release would depend on how often its records stand there.
        let origin = origin(pair.original);
        let before = distances(pair.original, &own, origin, context);
        let after = distances(pair.release, &other, origin, context);
        context.progress.go_on()?;
        let counts = CLUSTERS.into_iter().filter(|&count| count < own.len());
        let results: Vec<(usize, f64, f64)> = counts
            .map(|count| {
                let labels = |distances| k_medoids(distances, count, &Quiet(context.progress)).cluster_of;
                let [left, right] = [labels(&before), labels(&after)]
                    .map(|labels| labels.into_iter().map(|label| label as usize).collect::<Vec<_>>());
                let (jaccard, rand) = agreement(&left, &right);
                (count, jaccard, rand)
            })
            .collect();
        context.progress.go_on()?;
        let by_count: Vec<Value> = results
            .iter()
            .map(|&(clusters, jaccard, rand)| json!({"clusters": clusters, "jaccard": jaccard, "rand": rand}))
            .collect();
        let jaccard = mean(&results.iter().map(|result| result.1).collect::<Vec<_>>());
        let rand = mean(&results.iter().map(|result| result.2).collect::<Vec<_>>());
        let parts = json!({"persons": own.len(), "by_clusters": by_count, "jaccard": jaccard, "rand": rand});
        Ok(self.measured(jaccard, parts))
    }
}

/// The distances of some persons, of whom several may have one record: each different one is compared once.
fn distances(paths: &Paths, persons: &[u32], origin: (f64, f64), context: &Context<'_>) -> DistanceMatrix {
    let mut different = persons.to_vec();
    different.sort_unstable();
    different.dedup();
    let (from, to) = paths.time_span().unwrap_or_default();
    let clock = Clock { from, to, moments: MOMENTS };
    let space = OnClock::of(paths, &Tracks::of(paths, &different), clock, origin);
    let between = DistanceMatrix::compute(&space, &Quiet(context.progress));
    let place: Vec<usize> = persons.iter().map(|person| different.partition_point(|other| other < person)).collect();
    DistanceMatrix::from_fn(persons.len(), |left, right| between.get(place[left], place[right]))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{measure, paths};
    use super::*;

    /// Two pairs of neighbours stay two pairs; if a and c change places, every pair that was together is not.
    #[test]
    fn by_hand() {
        let at = |lats: [f64; 4]| {
            paths(&[("a", lats[0], 8.0), ("b", lats[1], 8.0), ("c", lats[2], 8.0), ("d", lats[3], 8.0)])
        };
        let original = at([47.0, 47.001, 48.0, 48.001]);
        let same = measure(&ClustersKept, &original, &at([10.0, 10.002, 20.0, 20.002]));
        assert_eq!((same.value, same.parts["rand"].as_f64()), (Some(1.0), Some(1.0)));
        // Of six pairs, two are together before, two others after, two never.
        let other = measure(&ClustersKept, &original, &at([48.0, 47.001, 47.0, 48.001]));
        assert_eq!((other.value, other.parts["rand"].as_f64()), (Some(0.0), Some(2.0 / 6.0)));
        assert_eq!(measure(&ClustersKept, &paths(&[("a", 1.0, 1.0)]), &original).value, None);
    }
}
