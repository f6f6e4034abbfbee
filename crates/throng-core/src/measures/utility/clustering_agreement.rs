//! Clustering agreement: whether persons fall into the same clusters before and after.
//!
//! Paper      001 (Navarro-Arribas et al. 2012), section 4.4; readings Q26 and Q26a.
//!
//! # Idea
//! 1. At most 1,000 persons, a seeded sample if there are more. 2. k-medoids under the user distance, before and after:
//!    farthest-first start from the first person, at most 20 rounds, ties to the lower number. 3. For every pair of persons:
//!    together in both (r), only before (s), only after (t), in neither (u).
//!
//! # Formula
//! Jaccard = r / (r + s + t), Rand = (r + u) / (r + s + t + u); 0/0 is 1. For 2, 5, 10, 20 and 50 clusters.
//!
//! # Cost
//! Two matrices of distances: costly, `protect` runs it only on request.

use serde_json::{Value, json};

use super::super::{Context, Drawn, Measure, MeasureInfo, Measured, Pair, mean};
use crate::data::QueryLog;
use crate::distance::DistanceMatrix;
use crate::distance::user_distance::{QueryWeights, Scales, UserSpace};
use crate::distance::{Pairwise, user_distance};
use crate::error::Result;
use crate::info::{Info, Need};
use crate::rng::Rng;

/// The card of the measure.
pub const INFO: MeasureInfo = MeasureInfo {
    info: Info {
        name: "clustering-agreement",
        summary: "whether persons fall into the same clusters before and after, Jaccard index, mean over cluster counts",
        paper: "Navarro-Arribas, Torra, Erola, Castellà-Roca. User k-anonymity for privacy preserving data mining of \
                query logs. Information Processing and Management 48 (2012), section 4.4",
        details: "k-medoids of at most 1,000 persons (seeded sample) under the user distance, before and after, for 2, 5, 10, \
            20 and 50 clusters; farthest-first start, at most 20 rounds. Pairs of persons together in both clusterings, in \
            one, in none give the Jaccard and the Rand index.\n\
            1: the same clusters. The headline is the mean Jaccard index. Costly: two matrices of distances. Needs the link \
            between persons (--key, or kept ids).",
        parameters: &[],
    },
    unit: "",
    better: "higher",
    undefined: "too few persons are in the release to be told apart by clusters",
    needs: &[Need::Link],
    costly: true,
    drawn: Drawn::Clusters,
    ..MeasureInfo::DEFAULT
};

const CLUSTERS: [usize; 5] = [2, 5, 10, 20, 50];
const ROUNDS: usize = 20;
const MOST_PERSONS: usize = 1000;

/// The measure.
#[derive(Debug, Clone, Copy)]
pub struct ClusteringAgreement;

impl Measure<QueryLog> for ClusteringAgreement {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, context: &Context<'_>) -> Result<Measured> {
        let own = sampled(&pair.linked(), context).iter().map(|&(own, _)| own).collect();
        Clustered::new(pair.original, own, context).measure(pair, context)
    }

    fn prepared<'a>(
        &self,
        original: &'a QueryLog,
        context: &Context<'_>,
    ) -> Result<Option<Box<dyn Measure<QueryLog> + 'a>>> {
        let everybody: Vec<(usize, usize)> = (0..original.persons()).map(|person| (person, person)).collect();
        let own = sampled(&everybody, context).iter().map(|&(own, _)| own).collect();
        Ok(Some(Box::new(Clustered::new(original, own, context))))
    }
}

/// The persons who are clustered: their numbers in the original and in the release.
fn sampled(linked: &[(usize, usize)], context: &Context<'_>) -> Vec<(usize, usize)> {
    let sample = Rng::seeded(context.seed).sample(linked.len(), MOST_PERSONS);
    sample.into_iter().map(|at| linked[at as usize]).collect()
}

/// The measure with some persons of the original in their clusters.
struct Clustered {
    persons: Vec<usize>,
    scales: Scales,
    /// Numbers of clusters, and the cluster of each person.
    clusterings: Vec<(usize, Vec<usize>)>,
}

impl Clustered {
    fn new(original: &QueryLog, persons: Vec<usize>, context: &Context<'_>) -> Self {
        let scales = Scales::of(original);
        let space = UserSpace::new(scales, QueryWeights::Text, &[original]);
        let distances = Selected::new(&space, &persons).matrix(context);
        let clusterings = CLUSTERS
            .into_iter()
            .filter(|&count| count <= persons.len())
            .map(|count| (count, k_medoids(persons.len(), count, |left, right| distances.get(left, right))))
            .collect();
        Self { persons, scales, clusterings }
    }
}

impl Measure<QueryLog> for Clustered {
    fn info(&self) -> &'static MeasureInfo {
        &INFO
    }

    fn measure(&self, pair: &Pair<'_, QueryLog>, context: &Context<'_>) -> Result<Measured> {
        let persons = sampled(&pair.linked(), context);
        if !persons.iter().map(|&(own, _)| own).eq(self.persons.iter().copied()) {
            // Some are not in this release.
            return ClusteringAgreement.measure(pair, context);
        }
        let space = UserSpace::new(self.scales, QueryWeights::Text, &[pair.release]);
        // Records that several persons share are compared once.
        let released: Vec<usize> = persons.iter().map(|&(_, released)| released).collect();
        let mut records = released.clone();
        records.sort_unstable();
        records.dedup();
        let between = Selected::new(&space, &records).matrix(context);
        let record: Vec<usize> =
            released.iter().map(|person| records.partition_point(|record| record < person)).collect();
        let after = |left: usize, right: usize| between.get(record[left], record[right]);
        let results: Vec<(usize, f64, f64)> = self
            .clusterings
            .iter()
            .map(|(count, before)| {
                let (jaccard, rand) = agreement(before, &k_medoids(persons.len(), *count, after));
                (*count, jaccard, rand)
            })
            .collect();
        let by_count: Vec<Value> = results
            .iter()
            .map(|&(clusters, jaccard, rand)| json!({"clusters": clusters, "jaccard": jaccard, "rand": rand}))
            .collect();
        let jaccard = mean(&results.iter().map(|result| result.1).collect::<Vec<_>>());
        let rand = mean(&results.iter().map(|result| result.2).collect::<Vec<_>>());
        let parts = json!({"persons": persons.len(), "by_clusters": by_count, "jaccard": jaccard, "rand": rand});
        Ok(self.measured(jaccard, parts))
    }
}

/// Some persons of a space.
struct Selected<'a> {
    space: &'a UserSpace,
    persons: &'a [usize],
}

impl<'a> Selected<'a> {
    fn new(space: &'a UserSpace, persons: &'a [usize]) -> Self {
        Self { space, persons }
    }

    fn matrix(&self, context: &Context<'_>) -> DistanceMatrix {
        DistanceMatrix::compute(self, context.progress)
    }
}

impl Pairwise for Selected<'_> {
    type Scratch = <user_distance::UserSpace as Pairwise>::Scratch;

    fn len(&self) -> usize {
        self.persons.len()
    }

    fn scratch(&self) -> Self::Scratch {
        self.space.scratch()
    }

    fn distance(&self, left: usize, right: usize, scratch: &mut Self::Scratch) -> f64 {
        self.space.distance(self.persons[left], self.persons[right], scratch)
    }
}

/// The cluster of each of `len` persons.
fn k_medoids(len: usize, count: usize, distance: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    // Farthest first: each new medoid is the person farthest from those chosen.
    let mut medoids = vec![0];
    let mut nearest: Vec<f64> = (0..len).map(|person| distance(0, person)).collect();
    while medoids.len() < count {
        let mut farthest = 0;
        for person in 1..len {
            if nearest[person] > nearest[farthest] {
                farthest = person;
            }
        }
        medoids.push(farthest);
        for (person, nearest) in nearest.iter_mut().enumerate() {
            *nearest = nearest.min(distance(farthest, person));
        }
    }
    let assign = |medoids: &[usize]| -> Vec<usize> {
        let cluster = |person: usize| {
            let mut best = 0;
            for cluster in 1..medoids.len() {
                let (new, old) = (distance(medoids[cluster], person), distance(medoids[best], person));
                // Ties go to the medoid with the lower number.
                if new < old || (new == old && medoids[cluster] < medoids[best]) {
                    best = cluster;
                }
            }
            best
        };
        (0..len).map(cluster).collect()
    };
    let mut clusters = assign(&medoids);
    for _ in 0..ROUNDS {
        let mut members = vec![Vec::new(); count];
        for (person, &cluster) in clusters.iter().enumerate() {
            members[cluster].push(person);
        }
        let medoid = |members: &[usize]| {
            let sum = |person: usize| members.iter().map(|&other| distance(person, other)).sum::<f64>();
            let mut best: Option<(usize, f64)> = None;
            for &person in members {
                let sum = sum(person);
                if best.is_none_or(|(_, least)| sum < least) {
                    best = Some((person, sum));
                }
            }
            best.map(|(person, _)| person)
        };
        // A cluster whose members all lie nearer to another medoid (equal records) keeps its own.
        let moved: Vec<usize> =
            members.iter().zip(&medoids).map(|(members, &old)| medoid(members).unwrap_or(old)).collect();
        if moved == medoids {
            break;
        }
        medoids = moved;
        clusters = assign(&medoids);
    }
    clusters
}

/// Jaccard and Rand index of two clusterings of the same persons.
pub(super) fn agreement(left: &[usize], right: &[usize]) -> (f64, f64) {
    let pairs = |count: u64| count * count.saturating_sub(1) / 2;
    let together = |keys: &mut Vec<(usize, usize)>| {
        keys.sort_unstable();
        keys.chunk_by(|a, b| a == b).map(|same| pairs(same.len() as u64)).sum::<u64>()
    };
    let both = together(&mut left.iter().copied().zip(right.iter().copied()).collect());
    let before = together(&mut left.iter().map(|&cluster| (cluster, 0)).collect());
    let after = together(&mut right.iter().map(|&cluster| (cluster, 0)).collect());
    let all = pairs(left.len() as u64);
    let either = before + after - both;
    let share = |part: u64, whole: u64| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    (share(both, either), share(all - either + both, all))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{CONTEXT, log, measure};
    use super::*;

    #[test]
    fn indexes_by_hand() {
        // {1 2} {3 4} against {1 2 3} {4}: together in both 12; only before 34; only after 13, 23; in neither 14, 24.
        assert_eq!(agreement(&[0, 0, 1, 1], &[5, 5, 5, 7]), (1.0 / 4.0, 3.0 / 6.0));
        assert_eq!(agreement(&[0, 0, 1], &[2, 2, 0]), (1.0, 1.0));
        // No pair together in either: Jaccard 0/0 is 1.
        assert_eq!(agreement(&[0, 1], &[1, 0]), (1.0, 1.0));
    }

    #[test]
    fn medoids_by_hand() {
        // Points 0 1 2 10 11: farthest from 0 is 11; clusters {0 1 2} and {10 11}.
        let points = [0.0f64, 1.0, 2.0, 10.0, 11.0];
        let distance = |left: usize, right: usize| (points[left] - points[right]).abs();
        let clusters = k_medoids(5, 2, distance);
        assert_eq!(clusters, [0, 0, 0, 1, 1]);
        // As many clusters as distinct points, two of them equal: nobody is lost.
        assert_eq!(
            k_medoids(3, 3, |left, right| if left + right == 1 { 0.0 } else { f64::from(left != right) }).len(),
            3
        );
    }

    #[test]
    fn untouched_data_agree() {
        let original = log(&[&["aaa", "bbb"], &["ccc"], &["ddd", "eee"], &["fff"], &["ggg"], &["hhh iii"]]);
        let result = measure(&ClusteringAgreement, &original, &original);
        assert_eq!(result.value, Some(1.0));
        assert_eq!(result.parts["by_clusters"][1]["clusters"], 5);
        assert_eq!(result.parts["by_clusters"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn prepared_it_gives_the_same() {
        let original = log(&[&["aaa", "bbb"], &["ccc"], &["ddd", "eee"], &["fff"], &["ggg"], &["hhh iii"]]);
        let release = log(&[&["aaa"], &["ddd", "fff"], &["hhh"]]);
        let prepared = ClusteringAgreement.prepared(&original, &CONTEXT).unwrap().unwrap();
        for dropped in [None, Some(3)] {
            let link = (0..6u32).map(|person| (Some(person) != dropped).then_some(person / 2)).collect();
            let pair = Pair { original: &original, release: &release, multiplicity: vec![2, 2, 2], link: Some(link) };
            let plain = ClusteringAgreement.measure(&pair, &CONTEXT).unwrap();
            assert_eq!(prepared.measure(&pair, &CONTEXT).unwrap(), plain);
            assert_eq!(plain.parts["persons"], 6 - usize::from(dropped.is_some()));
        }
    }
}
