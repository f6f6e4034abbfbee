//! k-medoids: so many records in the middle, and everybody with the nearest of them.
//!
//! Paper      Kaufman, Rousseeuw. Clustering by means of medoids (1987), called PAM. The search over exchanges is that of Schubert,
//!            Rousseeuw. Fast and eager k-medoids clustering. Information Systems 101 (2021), FastPAM1.
//!
//! # Idea
//! 1. Build: the first medoid is the record with the least sum of distances to all; each next one lowers the sum of everybody's distance to
//!    the nearest medoid most.
//! 2. Swap: of all exchanges of a medoid for another record the one is made that lowers that sum most, until none does.
//! 3. Everybody belongs to the nearest medoid; a medoid to itself.
//!
//! Ties go to the lower number. Distances are whole numbers of the 2^40th of the greatest (a power of two of it), so that sums are exact and
//! the result does not depend on threads, nor on who adds.
//!
//! # Cost
//! Time O(n² · k) to build and O(n²) an exchange, memory O(n) beside the distances.

use rayon::prelude::*;

use crate::distance::DistanceMatrix;
use crate::progress::Progress;

/// Records in clusters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clusters {
    /// For each record the number of its cluster, from 0 in the order in which they occur first.
    pub cluster_of: Vec<u32>,
    /// The record in the middle of each cluster.
    pub medoids: Vec<u32>,
}

/// Clusters of records around `count` medoids, or as many as there are records. No cluster is empty: a medoid belongs to itself, even where
/// another one is equal to it.
pub fn k_medoids(distances: &DistanceMatrix, count: usize, progress: &dyn Progress) -> Clusters {
    let count = count.min(distances.len());
    if count == 0 {
        return Clusters { cluster_of: Vec::new(), medoids: Vec::new() };
    }
    progress.stage("clusters", 0);
    let costs = Costs::of(distances);
    let mut medoids = costs.built(count, progress);
    while !progress.is_stopped()
        && let Some((medoid, record)) = costs.best_exchange(&medoids)
    {
        medoids[medoid] = record;
    }
    medoids.sort_unstable();
    let nearest = costs.nearest(&medoids);
    renumbered(nearest.iter().map(|near| near.first.1), |medoid| medoids[medoid])
}

/// Clusters numbered in the order in which they occur first.
fn renumbered(cluster_of: impl Iterator<Item = usize>, medoid_of: impl Fn(usize) -> u32) -> Clusters {
    let mut old = Vec::new();
    let number = |cluster: usize| {
        let found = old.iter().position(|&other| other == cluster);
        found.unwrap_or_else(|| {
            old.push(cluster);
            old.len() - 1
        }) as u32
    };
    let cluster_of = cluster_of.map(number).collect();
    Clusters { cluster_of, medoids: old.into_iter().map(medoid_of).collect() }
}

/// Distances as whole numbers.
struct Costs<'a> {
    distances: &'a DistanceMatrix,
    scale: f64,
}

/// More than any distance.
const FAR: i64 = 1 << 41;

/// The nearest medoid of a record and the next: distance, and which of the medoids.
#[derive(Clone, Copy)]
struct Near {
    first: (i64, usize),
    second: i64,
}

impl<'a> Costs<'a> {
    fn of(distances: &'a DistanceMatrix) -> Self {
        let len = distances.len();
        let finite =
            |left: usize| (left + 1..len).map(move |right| distances.get(left, right)).filter(|far| far.is_finite());
        let greatest = (0..len).into_par_iter().map(|left| finite(left).fold(0.0, f64::max)).reduce(|| 0.0, f64::max);
        // The power of two above it, from the bits of the number.
        let exponent = (greatest.to_bits() >> 52) as i32 - 1022;
        Self { distances, scale: 2_f64.powi(if greatest > 0.0 { 40 - exponent } else { 0 }) }
    }

    fn len(&self) -> usize {
        self.distances.len()
    }

    fn get(&self, left: usize, right: usize) -> i64 {
        // A cast keeps within the numbers that there are, and takes what is infinite for the greatest.
        ((self.distances.get(left, right) * self.scale) as i64).min(FAR - 1)
    }

    fn built(&self, count: usize, progress: &dyn Progress) -> Vec<u32> {
        let mut medoids: Vec<u32> = Vec::with_capacity(count);
        let mut nearest = vec![FAR; self.len()];
        while medoids.len() < count && !progress.is_stopped() {
            let gain = |record: usize| -> i64 {
                (0..self.len()).map(|other| (nearest[other] - self.get(record, other)).max(0)).sum()
            };
            let candidates = (0..self.len()).into_par_iter().filter(|&record| !medoids.contains(&(record as u32)));
            let best = candidates.map(|record| (std::cmp::Reverse(gain(record)), record)).min();
            let Some((_, best)) = best else { break };
            medoids.push(best as u32);
            nearest.iter_mut().enumerate().for_each(|(other, near)| *near = (*near).min(self.get(best, other)));
        }
        medoids
    }

    /// What every record is near to. A medoid is nearest to itself; ties go to the medoid that comes first.
    fn nearest(&self, medoids: &[u32]) -> Vec<Near> {
        let near = |record: usize| {
            let mut near = Near { first: (FAR, 0), second: FAR };
            for (at, &medoid) in medoids.iter().enumerate() {
                let distance = if medoid as usize == record { -1 } else { self.get(record, medoid as usize) };
                if distance < near.first.0 {
                    near = Near { first: (distance, at), second: near.first.0 };
                } else {
                    near.second = near.second.min(distance);
                }
            }
            near.first.0 = near.first.0.max(0);
            near
        };
        (0..self.len()).into_par_iter().map(near).collect()
    }

    /// The exchange that lowers the sum most: which of the medoids, and for which record. None, if none does.
    fn best_exchange(&self, medoids: &[u32]) -> Option<(usize, u32)> {
        let nearest = self.nearest(medoids);
        // What everybody loses if a medoid goes.
        let mut losses = vec![0_i64; medoids.len()];
        nearest.iter().for_each(|near| losses[near.first.1] += near.second - near.first.0);
        let best_for = |record: usize| {
            let (mut changes, mut gained) = (losses.clone(), 0);
            for (other, near) in nearest.iter().enumerate() {
                let distance = self.get(record, other);
                if distance < near.first.0 {
                    gained += distance - near.first.0;
                    changes[near.first.1] += near.first.0 - near.second;
                } else if distance < near.second {
                    changes[near.first.1] += distance - near.second;
                }
            }
            let (least, medoid) = changes.into_iter().zip(0..).min()?;
            Some((least + gained, record as u32, medoid))
        };
        let candidates = (0..self.len()).into_par_iter().filter(|&record| !medoids.contains(&(record as u32)));
        let (change, record, medoid) = candidates.filter_map(best_for).min()?;
        (change < 0).then_some((medoid, record))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::progress::Silent;

    fn on_a_line(points: &[f64]) -> DistanceMatrix {
        DistanceMatrix::from_fn(points.len(), |left, right| (points[left] - points[right]).abs())
    }

    fn clusters(points: &[f64], count: usize) -> (Vec<u32>, Vec<u32>) {
        let found = k_medoids(&on_a_line(points), count, &Silent);
        (found.cluster_of, found.medoids)
    }

    /// Three heaps on a line, and a point far out that would be a cluster of its own if the farthest were taken first.
    #[test]
    fn on_paper() {
        let points = [50.0, 0.0, 1.0, 2.0, 51.0, 100.0, 101.0, 52.0, 130.0];
        assert_eq!(clusters(&points, 3), (vec![0, 1, 1, 1, 0, 2, 2, 0, 2], vec![4, 2, 6]));
        assert_eq!(clusters(&points, 1).1, [4]);
        assert_eq!(clusters(&points, 9).0, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn extremes() {
        assert_eq!(clusters(&[], 3), (vec![], vec![]));
        assert_eq!(clusters(&[1.0], 3), (vec![0], vec![0]));
        // Equal records are still as many clusters as were asked for: each medoid is with itself.
        assert_eq!(clusters(&[5.0; 4], 2), (vec![0, 1, 0, 0], vec![0, 1]));
        let far = DistanceMatrix::from_fn(3, |left, _| if left == 0 { f64::INFINITY } else { 1.0 });
        assert_eq!(k_medoids(&far, 2, &Silent).cluster_of, [0, 1, 1]);
    }

    /// The sum of distances to the nearest medoid, plainly.
    fn cost(points: &[f64], medoids: &[usize]) -> f64 {
        let near = |point: f64| medoids.iter().map(|&medoid| (points[medoid] - point).abs()).fold(f64::MAX, f64::min);
        points.iter().map(|&point| near(point)).sum()
    }

    proptest! {
        /// No exchange of one medoid for another record makes it better, tried one by one; everybody is with a nearest medoid.
        #[test]
        fn no_exchange_is_better(points in prop::collection::vec(0..1000_u32, 2..14), count in 1..5_usize) {
            let points: Vec<f64> = points.into_iter().map(f64::from).collect();
            let found = k_medoids(&on_a_line(&points), count, &Silent);
            let medoids: Vec<usize> = found.medoids.iter().map(|&medoid| medoid as usize).collect();
            prop_assert_eq!(medoids.len(), count.min(points.len()));
            let own = cost(&points, &medoids);
            for at in 0..medoids.len() {
                for record in 0..points.len() {
                    let mut changed = medoids.clone();
                    changed[at] = record;
                    prop_assert!(cost(&points, &changed) >= own - 1e-6);
                }
            }
            for (record, &cluster) in found.cluster_of.iter().enumerate() {
                let own = (points[record] - points[medoids[cluster as usize]]).abs();
                prop_assert!(medoids.iter().all(|&other| (points[record] - points[other]).abs() >= own));
            }
        }
    }
}
