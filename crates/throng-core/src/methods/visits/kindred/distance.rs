//! How like two visitors are: by where they were on the site, by their pages, and by how much they did.
//!
//! # Formula
//! distance(u, v)² = H²(nodes of the site's tree to depth 3) + 2 H²(paths) + (Δ ln lines)² + (Δ ln sessions)², H being Hellinger's distance of
//! the shares, H² = 1 - Σ √(p q), and the logarithms each over four times their standard deviation: sessions and lines come out right by
//! debts anyway, and pages only by likeness. Paths are taken as they may be published: what
//! cannot be kept is nothing to be alike by.
//!
//! # Cost
//! A comparison takes O(nodes + paths) of the two. All pairs up to 2,000 visitors of a stratum; above, in blocks.

use rayon::prelude::*;

use super::patterns::Patterns;
use crate::data::visits::Part;
use crate::data::{Interner, Visits};
use crate::distance::{DistanceMatrix, Pairwise};
use crate::error::Result;
use crate::partition::Partition;
use crate::partition::blocks::Sketches;
use crate::partition::grouping::{Comparable, How, microaggregated};
use crate::partition::mdav::medoid;
use crate::progress::Progress;

/// So deep the site's tree is looked at.
const DEPTH: usize = 3;
/// What nodes and paths weigh.
const NODES: f32 = 1.0;
const PATHS: f32 = 2.0;
/// So many numbers a mix has in a sketch.
const SKETCH: usize = 64;

/// All visitors, ready to be compared.
pub(super) struct Profiles {
    /// For each visitor the square roots of their shares of nodes and, above those, of paths, by number.
    mixes: Vec<Vec<(u32, f32)>>,
    /// The logarithms of their numbers of lines and sessions, over four times the standard deviation.
    activity: Vec<[f32; 2]>,
}

impl Profiles {
    pub(super) fn of(visits: &Visits, patterns: &Patterns) -> Self {
        let texts = patterns.texts();
        let mut interner = Interner::new();
        let nodes: Vec<Vec<u32>> = texts.iter().map(|text| nodes_of(text, &mut interner)).collect();
        let all_nodes = interner.strings().len() as u32;
        let mix = |person: usize| {
            let mut counts: Vec<u32> = Vec::new();
            let mut in_nodes = 0usize;
            let mut in_paths = 0usize;
            for &path in &visits.column(Part::Path)[visits.range(person)] {
                let text = patterns.published(path);
                if let Some(nodes) = nodes.get(text as usize) {
                    counts.extend(nodes);
                    in_nodes += nodes.len();
                    counts.push(all_nodes + text);
                    in_paths += 1;
                }
            }
            counts.sort_unstable();
            let share = |same: &[u32]| {
                let all = if same[0] < all_nodes { in_nodes } else { in_paths };
                let weight = if same[0] < all_nodes { NODES } else { PATHS };
                (same[0], (weight * same.len() as f32 / all as f32).sqrt())
            };
            counts.chunk_by(|left, right| left == right).map(share).collect::<Vec<_>>()
        };
        let persons = 0..visits.persons();
        let mixes = persons.clone().into_par_iter().map(mix).collect();
        let lines = normalised(persons.clone().map(|person| visits.range(person).len()).collect());
        let sessions = normalised(persons.map(|person| visits.sessions_of(person)).collect());
        let activity = lines.into_iter().zip(sessions).map(|(lines, sessions)| [lines, sessions]).collect();
        Self { mixes, activity }
    }

    fn distance(&self, left: usize, right: usize) -> f64 {
        let (own, other) = (&self.mixes[left], &self.mixes[right]);
        let (mut at, mut to, mut common) = (0, 0, 0.0f32);
        while at < own.len() && to < other.len() {
            match own[at].0.cmp(&other[to].0) {
                std::cmp::Ordering::Less => at += 1,
                std::cmp::Ordering::Greater => to += 1,
                std::cmp::Ordering::Equal => {
                    common += own[at].1 * other[to].1;
                    (at, to) = (at + 1, to + 1);
                }
            }
        }
        let mixes = match (own.is_empty(), other.is_empty()) {
            (true, true) => 0.0,
            (false, false) => (NODES + PATHS - common).max(0.0),
            _ => NODES + PATHS,
        };
        let activity: f32 = self.activity[left]
            .iter()
            .zip(&self.activity[right])
            .map(|(own, other)| (own - other) * (own - other))
            .sum();
        f64::from(mixes + activity).sqrt()
    }
}

/// The nodes of the site's tree that a path lies under, to the depth that is looked at, by number.
fn nodes_of(text: &str, interner: &mut Interner) -> Vec<u32> {
    let rest = text.strip_prefix('/').unwrap_or(text);
    let mut nodes = Vec::new();
    let ends = rest.match_indices('/').map(|(at, _)| at).chain([rest.len()]);
    for end in ends.take(DEPTH) {
        nodes.push(interner.intern(&rest[..end]));
    }
    nodes
}

/// The logarithms of some numbers over four times their standard deviation.
fn normalised(counts: Vec<usize>) -> Vec<f32> {
    let logs: Vec<f64> = counts.iter().map(|&count| (count.max(1) as f64).ln()).collect();
    let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    let variance = logs.iter().map(|log| (log - mean) * (log - mean)).sum::<f64>() / logs.len().max(1) as f64;
    let scale = if variance > 0.0 { 4.0 * variance.sqrt() } else { 1.0 };
    logs.into_iter().map(|log| (log / scale) as f32).collect()
}

impl Sketches for Profiles {
    fn len(&self) -> usize {
        self.mixes.len()
    }

    fn dimensions(&self) -> usize {
        SKETCH + 2
    }

    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        let mut buckets = [0.0f32; SKETCH];
        for &(number, root) in &self.mixes[record] {
            // A number spread over the buckets by a multiplicative hash; nothing depends on which.
            let bucket = number.wrapping_mul(0x9e37_79b1) >> 26;
            buckets[bucket as usize % SKETCH] += root * root;
        }
        into.extend((0..).zip(buckets).filter(|(_, share)| *share > 0.0).map(|(at, share)| (at, share.sqrt())));
        into.push((SKETCH as u32, self.activity[record][0]));
        into.push((SKETCH as u32 + 1, self.activity[record][1]));
    }

    fn work(&self, record: usize) -> u64 {
        self.mixes[record].len() as u64 + 8
    }
}

/// Some visitors, compared all with all.
struct Space<'a> {
    profiles: &'a Profiles,
    members: &'a [u32],
}

impl Pairwise for Space<'_> {
    type Scratch = ();

    fn len(&self) -> usize {
        self.members.len()
    }

    fn scratch(&self) {}

    fn distance(&self, left: usize, right: usize, _scratch: &mut ()) -> f64 {
        self.profiles.distance(self.members[left] as usize, self.members[right] as usize)
    }
}

impl Comparable for Profiles {
    type Compared = DistanceMatrix;

    const WHOLE: usize = 2_000;
    const BLOCK: usize = 384;
    const WORK: u64 = 8_000_000;
    const IS_REFINED: bool = true;

    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<DistanceMatrix> {
        let space = Space { profiles: self, members: block };
        Ok(if block.len() > Self::BLOCK * 2 {
            DistanceMatrix::compute(&space, progress)
        } else {
            DistanceMatrix::compute_here(&space)
        })
    }

    fn group(&self, compared: &DistanceMatrix, how: How<'_>, progress: &dyn Progress) -> Partition {
        microaggregated(compared, how, progress)
    }

    fn centre(&self, compared: &DistanceMatrix, members: &[u32]) -> u32 {
        medoid(compared, members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::VisitsBuilder;
    use crate::data::visits::Visit;

    #[test]
    fn by_hand() {
        let mut builder = VisitsBuilder::new();
        for (name, path) in [("a", "/x/y"), ("b", "/x/y"), ("c", "/x/z"), ("d", "/q"), ("d", "/x/y")] {
            let mut visit = Visit::default();
            visit.texts[Part::Path as usize] = Some(path);
            builder.push(name, &visit, 1);
        }
        let visits = builder.finish().0;
        let profiles = Profiles::of(&visits, &Patterns::of(&visits, 1));
        let squared = |left: usize, right: usize| profiles.distance(left, right).powi(2);
        assert!(squared(0, 1).abs() < 1e-6);
        // They share the node x, half of their nodes, and no path.
        assert!((squared(0, 2) - 2.5).abs() < 1e-6);
        // Nodes: x, x/y of one against q, x, x/y; paths: half. Lines: ln 2 over four times the deviation of (0, 0, 0, ln 2), which is √3/4 ln 2.
        let nodes = 2.0 * (1.0f64 / 2.0 * 1.0 / 3.0).sqrt();
        let activity = (1.0 / (4.0 * 3.0f64.sqrt() / 4.0)).powi(2);
        assert!((squared(0, 3) - (3.0 - nodes - 2.0 * 0.5f64.sqrt() + activity)).abs() < 1e-5, "{}", squared(0, 3));
    }
}
