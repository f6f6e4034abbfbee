//! Clusters by density: tracks with tracks of enough persons nearby, and whatever is near one of these.
//!
//! Paper      Ester, Kriegel, Sander, Xu. A density-based algorithm for discovering clusters in large spatial databases with noise. KDD 1996.
//!            Ankerst and others. OPTICS: ordering points to identify the clustering structure. SIGMOD 1999.
//!
//! # Idea
//! A track is dense if within the radius there are tracks of at least k persons, its own one of them. Dense tracks within the radius of
//! each other are one cluster. A track that is not dense joins the nearest dense one within the radius (of the lower number on ties).
//!
//! # Cost
//! Time O(n²), memory O(n) beside the distances.

use crate::data::paths::tracks::Tracks;
use crate::distance::DistanceMatrix;
use crate::partition::mdav;

/// For each track the distance within which there are tracks of k persons; infinite if it is more than the radius.
fn core_distances(distances: &DistanceMatrix, tracks: &Tracks, radius: f64, k: usize) -> Vec<f64> {
    use rayon::prelude::*;
    let core = |track: usize| {
        let mut near: Vec<(f64, u32)> = (0..tracks.len())
            .map(|other| (distances.get(track, other), tracks.person(other)))
            .filter(|(distance, _)| *distance <= radius)
            .collect();
        near.sort_unstable_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        let mut persons = std::collections::BTreeSet::new();
        let enough = near.into_iter().find(|&(_, person)| {
            persons.insert(person);
            persons.len() >= k
        });
        enough.map_or(f64::INFINITY, |(distance, _)| distance)
    };
    (0..tracks.len()).into_par_iter().map(core).collect()
}

/// The cluster of each track, numbered in the order of tracks; none where it is too empty.
pub fn clusters(distances: &DistanceMatrix, tracks: &Tracks, radius: f64, k: usize) -> Vec<Option<u32>> {
    let core = core_distances(distances, tracks, radius, k);
    let is_dense = |track: usize| core[track].is_finite();
    let mut labels: Vec<Option<u32>> = vec![None; tracks.len()];
    let mut count = 0;
    for start in 0..tracks.len() {
        if !is_dense(start) || labels[start].is_some() {
            continue;
        }
        let mut open = vec![start];
        labels[start] = Some(count);
        while let Some(track) = open.pop() {
            for other in (0..tracks.len()).filter(|&other| is_dense(other) && distances.get(track, other) <= radius) {
                if labels[other].is_none() {
                    labels[other] = Some(count);
                    open.push(other);
                }
            }
        }
        count += 1;
    }
    let joined = |track: usize| {
        let dense = (0..tracks.len()).filter(|&other| is_dense(other) && distances.get(track, other) <= radius);
        let nearest = dense.min_by(|&left, &right| distances.get(track, left).total_cmp(&distances.get(track, right)));
        nearest.and_then(|other| labels[other])
    };
    let all: Vec<Option<u32>> = (0..tracks.len()).map(|track| labels[track].or_else(|| joined(track))).collect();
    in_order(&all)
}

/// Labels numbered in the order in which they occur first.
fn in_order(labels: &[Option<u32>]) -> Vec<Option<u32>> {
    let mut seen = Vec::new();
    labels.iter().flatten().for_each(|label| {
        if !seen.contains(label) {
            seen.push(*label);
        }
    });
    let number = |label: u32| seen.iter().position(|&other| other == label).map(|number| number as u32);
    labels.iter().map(|label| label.and_then(number)).collect()
}

/// The track in the middle of each cluster.
pub fn medoids(distances: &DistanceMatrix, labels: &[Option<u32>]) -> Vec<u32> {
    let count = labels.iter().flatten().max().map_or(0, |most| most + 1);
    let members = |cluster: u32| -> Vec<u32> {
        labels.iter().zip(0..).filter(|(label, _)| **label == Some(cluster)).map(|(_, track)| track).collect()
    };
    (0..count).map(|cluster| mdav::medoid(distances, &members(cluster))).collect()
}

/// How far apart tracks lie in the order of OPTICS, on average: the distance at which each is reached, at least that within which there
/// are k persons. What is reached from nowhere within the radius counts with the radius, but for the first track of a cluster.
pub fn reachability(distances: &DistanceMatrix, tracks: &Tracks, radius: f64, k: usize) -> f64 {
    let core = core_distances(distances, tracks, radius, k);
    let len = tracks.len();
    let (mut reached, mut is_done) = (vec![f64::INFINITY; len], vec![false; len]);
    let (mut sum, mut counted) = (0.0, 0);
    for _ in 0..len {
        let open = (0..len).filter(|&track| !is_done[track]);
        let Some(next) = open.min_by(|&left, &right| reached[left].total_cmp(&reached[right])) else { break };
        is_done[next] = true;
        if reached[next].is_finite() || !core[next].is_finite() {
            sum += reached[next].min(radius);
            counted += 1;
        }
        for other in (0..len).filter(|&other| !is_done[other] && core[next].is_finite()) {
            let distance = distances.get(next, other);
            if distance <= radius {
                reached[other] = reached[other].min(distance.max(core[next]));
            }
        }
    }
    if counted == 0 { radius } else { sum / f64::from(counted) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::paths::{PathsBuilder, Point};

    fn line(points: &[(&str, f64)]) -> (DistanceMatrix, Tracks) {
        let mut builder = PathsBuilder::default();
        for (time, (person, _)) in (0..).zip(points) {
            let trip = time.to_string();
            builder.push(person, Point { time, lat: 0.0, lon: 0.0, marks: ["", "", &trip, ""] });
        }
        let distances = DistanceMatrix::from_fn(points.len(), |left, right| (points[left].1 - points[right].1).abs());
        (distances, Tracks::of_trips(&builder.finish()))
    }

    /// Two heaps, one track at the edge of the first, one alone. A heap of one person's tracks is none.
    #[test]
    fn by_hand() {
        let (distances, tracks) =
            line(&[("a", 0.0), ("b", 1.0), ("c", 2.0), ("d", 3.5), ("e", 50.0), ("f", 50.5), ("g", 51.0), ("h", 90.0)]);
        let labels = clusters(&distances, &tracks, 1.6, 3);
        assert_eq!(labels, [Some(0), Some(0), Some(0), Some(0), Some(1), Some(1), Some(1), None]);
        assert_eq!(medoids(&distances, &labels), [1, 5]);
        let (distances, tracks) = line(&[("a", 0.0), ("a", 1.0), ("a", 2.0), ("b", 1.0)]);
        assert_eq!(clusters(&distances, &tracks, 5.0, 3), [None; 4]);
        assert_eq!(clusters(&distances, &tracks, 5.0, 2), [Some(0); 4]);
    }

    /// Within 2 of 0, 1 and 2 there are three persons, the third 2, 1 and 1.5 away. From 0 the next is 1, reached at 2; from there 2, at 1;
    /// from there 3.5, at 1.5; 90 counts with the radius.
    #[test]
    fn reached() {
        let (distances, tracks) = line(&[("a", 0.0), ("b", 1.0), ("c", 2.0), ("d", 3.5), ("h", 90.0)]);
        assert_eq!(reachability(&distances, &tracks, 2.0, 3), (2.0 + 1.0 + 1.5 + 2.0) / 4.0);
        assert_eq!(reachability(&distances, &tracks, 0.5, 3), 0.5);
    }
}
