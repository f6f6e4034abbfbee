//! MDAV: groups of k around the records farthest from the average, then from each other.
//!
//! Paper      Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure control.
//!            IEEE TKDE 14 (2002). The variant for any distance: Domingo-Ferrer, Torra, DMKD 11 (2005). Printed as
//!            Algorithm 1 of Navarro-Arribas et al. 2012.
//!
//! # Idea
//! 1. While 3k or more records are left: take the one farthest from the average record, with its k - 1 nearest, as a
//!    group; take the one farthest from that first record, with its k - 1 nearest, as another.
//! 2. If 2k or more are left, one more such group. The rest is the last group: k to 2k - 1 records.
//!
//! # Readings
//! Q14: the average record is the medoid (least sum of distances to all records left), or whatever the caller averages.
//! A record may lie apart from itself (S3): its own distance is part of its sum (S4), and of what is farthest from the medoid.
//! Q15: fewer than k records are refused by the caller. Q15a: every tie goes to the lower number.
//!
//! # Cost
//! Time O(n² / k) beside the distances, since the sums of distances are kept up to date; memory O(n). Sums are whole
//! numbers of 2^-64, so that they do not depend on the order of additions and equal sums stay equal.

use super::Partition;
use crate::distance::DistanceMatrix;
use crate::progress::Progress;

/// What the average record is.
pub enum Average<'a> {
    /// The record with the least sum of distances to all that are left.
    Medoid,
    /// A record that the caller makes: given the records left, their distances to it, in the same order.
    Made(&'a mut dyn FnMut(&[u32]) -> Vec<f64>),
}

/// Cuts records into groups of k to 2k - 1. There must be at least k records, and k at least 1.
pub fn mdav(distances: &DistanceMatrix, k: usize, average: Average<'_>, progress: &dyn Progress) -> Partition {
    mdav_of(distances, (0..distances.len() as u32).collect(), k, average, progress)
}

/// Cuts some of the records, in rising order, into groups of k to 2k - 1. There must be at least k of them, and k at least 1.
pub fn mdav_of(
    distances: &DistanceMatrix,
    records: Vec<u32>,
    k: usize,
    mut average: Average<'_>,
    progress: &dyn Progress,
) -> Partition {
    assert!(k >= 1 && records.len() >= k, "MDAV needs at least k records, k at least 1");
    progress.stage("groups", records.len() as u64);
    let mut left = Left::new(distances, records, matches!(average, Average::Medoid));
    let mut groups = Vec::new();
    let mut close = |left: &mut Left<'_>, centre: u32| {
        let group = left.take_nearest(centre, k);
        progress.advance(group.len() as u64);
        groups.push(group);
    };
    while left.records.len() >= 3 * k && !progress.is_stopped() {
        let first = left.farthest_from_average(&mut average);
        close(&mut left, first);
        let second = left.farthest_from(first);
        close(&mut left, second);
    }
    if left.records.len() >= 2 * k {
        let first = left.farthest_from_average(&mut average);
        close(&mut left, first);
    }
    progress.advance(left.records.len() as u64);
    groups.push(left.records);
    Partition { groups }
}

/// The record with the least sum of distances to all of some records, itself included; the lowest number on ties. They come in
/// rising order, at least one.
pub fn medoid(distances: &DistanceMatrix, records: &[u32]) -> u32 {
    let sum = |&record: &u32| -> u128 {
        records.iter().map(|&other| fixed(distances.get(record as usize, other as usize))).sum()
    };
    records.iter().copied().min_by_key(sum).expect("at least one record")
}

/// The records that are not yet in a group, in rising order.
struct Left<'a> {
    distances: &'a DistanceMatrix,
    records: Vec<u32>,
    /// For every record the sum of its distances to the records left; empty when nobody asks for the medoid.
    sums: Vec<u128>,
}

impl<'a> Left<'a> {
    fn new(distances: &'a DistanceMatrix, records: Vec<u32>, with_sums: bool) -> Self {
        use rayon::prelude::*;
        let sum = |record: usize| records.iter().map(|&other| fixed(distances.get(record, other as usize))).sum();
        let sums = if with_sums { (0..distances.len()).into_par_iter().map(sum).collect() } else { Vec::new() };
        Self { distances, records, sums }
    }

    fn farthest_from_average(&self, average: &mut Average<'_>) -> u32 {
        match average {
            Average::Medoid => {
                let medoid = self.records.iter().copied().min_by_key(|&record| self.sums[record as usize]);
                self.farthest_from(medoid.expect("records are left"))
            }
            Average::Made(distances_to_average) => {
                let distances = distances_to_average(&self.records);
                let pairs = self.records.iter().copied().zip(distances);
                farthest(pairs)
            }
        }
    }

    fn farthest_from(&self, centre: u32) -> u32 {
        farthest(self.records.iter().map(|&record| (record, self.distances.get(centre as usize, record as usize))))
    }

    /// Takes a record and its k - 1 nearest out of what is left.
    fn take_nearest(&mut self, centre: u32, k: usize) -> Vec<u32> {
        let mut others: Vec<(f64, u32)> = self
            .records
            .iter()
            .filter(|&&record| record != centre)
            .map(|&record| (self.distances.get(centre as usize, record as usize), record))
            .collect();
        let order = |left: &(f64, u32), right: &(f64, u32)| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1));
        if k - 1 < others.len() {
            others.select_nth_unstable_by(k - 1, order);
            others.truncate(k - 1);
        }
        let mut group: Vec<u32> = others.into_iter().map(|(_, record)| record).chain([centre]).collect();
        group.sort_unstable();
        self.records.retain(|record| group.binary_search(record).is_err());
        if !self.sums.is_empty() {
            for &record in &self.records {
                let gone: u128 =
                    group.iter().map(|&member| fixed(self.distances.get(record as usize, member as usize))).sum();
                self.sums[record as usize] -= gone;
            }
        }
        group
    }
}

/// The record with the greatest distance, the lowest number on ties. Records come in rising order.
fn farthest(records: impl Iterator<Item = (u32, f64)>) -> u32 {
    let mut best: Option<(u32, f64)> = None;
    for (record, distance) in records {
        if best.is_none_or(|(_, greatest)| distance > greatest) {
            best = Some((record, distance));
        }
    }
    best.expect("records are left").0
}

/// A distance as a whole number of 2^-64: exact for every distance of at least 2^-11, and sums are exact in any order.
fn fixed(distance: f64) -> u128 {
    (distance * 18_446_744_073_709_551_616.0) as u128
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    fn on_a_line(points: &[f64]) -> DistanceMatrix {
        DistanceMatrix::from_fn(points.len(), |left, right| (points[left] - points[right]).abs())
    }

    fn groups(points: &[f64], k: usize) -> Vec<Vec<u32>> {
        mdav(&on_a_line(points), k, Average::Medoid, &Silent).groups
    }

    #[test]
    fn on_paper() {
        // Seven points, k = 2: 0 1 10 11 12 20 23. The medoid is 11; farthest is 23 (12 away, 0 is 11 away): {20, 23}.
        // Farthest from 23 among the rest is 0: {0, 1}. Three are left, fewer than 2k: {10, 11, 12}.
        let points = [0.0, 1.0, 10.0, 11.0, 12.0, 20.0, 23.0];
        assert_eq!(groups(&points, 2), [vec![5, 6], vec![0, 1], vec![2, 3, 4]]);
    }

    #[test]
    fn ties_go_to_the_lower_number() {
        // 0 and 4 are equally far from the medoid 2: record 0 is taken, and 1 is its nearest.
        assert_eq!(groups(&[0.0, 1.0, 2.0, 3.0, 4.0], 2), [vec![0, 1], vec![2, 3, 4]]);
        // All equal: the lowest numbers first.
        assert_eq!(groups(&[5.0; 6], 2), [vec![0, 1], vec![2, 3], vec![4, 5]]);
    }

    #[test]
    fn extremes() {
        assert_eq!(groups(&[1.0, 2.0, 3.0], 3), [vec![0, 1, 2]]);
        assert_eq!(groups(&[1.0, 2.0, 9.0, 4.0, 5.0], 3), [vec![0, 1, 2, 3, 4]]);
        assert_eq!(groups(&[3.0, 1.0], 1).len(), 2);
    }

    #[test]
    fn a_made_average_is_used() {
        // The average record is the point 0 of the line: 23 is farthest, then 0 is farthest from 23.
        let points = [0.0, 1.0, 10.0, 11.0, 12.0, 20.0, 23.0];
        let mut to_origin = |left: &[u32]| left.iter().map(|&record| points[record as usize]).collect::<Vec<_>>();
        let partition = mdav(&on_a_line(&points), 2, Average::Made(&mut to_origin), &Silent);
        assert_eq!(partition.groups, [vec![5, 6], vec![0, 1], vec![2, 3, 4]]);
    }
}
