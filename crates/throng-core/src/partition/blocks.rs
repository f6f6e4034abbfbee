//! Blocks of like records: cuts along principal directions, learned from a sample.
//!
//! # Idea
//! 1. Every record has a sketch: a short sparse vector that is near where records are like each other ([`Sketches`]).
//! 2. Cuts are learned from a sample. The direction in which its sketches differ most is found by power iteration; the sample is
//!    cut at the median along it, and so on, until what a leaf stands for is small enough, in records and in work.
//! 3. Every record falls through the cuts to a leaf, on its own: this part could run on many machines.
//! 4. A leaf that is still too large is cut in the same way by its own records; one that is too small joins the next.
//!
//! # Guarantee
//! Every record is in exactly one block; no block has fewer than `least` records (unless all have); none has more than `most`
//! and twice `least`. The blocks do not depend on the number of threads, and nothing is drawn.
//!
//! # Cost
//! Two sketches a record, time O(n log(n / block)) along directions; memory O(n), one direction a cut, and the sketches of the sample.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::progress::Progress;

/// Records with sketches.
pub trait Sketches: Sync {
    /// The number of records.
    fn len(&self) -> usize;
    /// Whether there is no record.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How many coordinates a sketch has.
    fn dimensions(&self) -> usize;
    /// Adds the coordinates of a record that are not 0, each once, to an empty list.
    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>);
    /// What it costs to compare a record with another, in any unit.
    fn work(&self, record: usize) -> u64;
}

/// How large blocks may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The least number of records.
    pub least: usize,
    /// The greatest number of records.
    pub most: usize,
    /// The greatest work: the number of records times the sum of their work. A block of twice `least` or fewer is never cut.
    pub work: u64,
}

impl Limits {
    fn hold(&self, records: f64, work: f64) -> bool {
        records < 2.0 * self.least as f64 + 1.0 || (records <= self.most as f64 && records * work <= self.work as f64)
    }
}

/// So many records teach where to cut first.
pub const SAMPLE: usize = 32_768;
/// So many sketches are drawn at once.
const AT_ONCE: usize = 4_096;
/// So many records are looked at for one direction.
const LOOKED_AT: usize = 1_024;
/// How often a direction is turned towards where records differ most.
const TURNS: usize = 8;

/// Cuts records into blocks: each in rising order, all in the order of the cuts. What a run that is stopped gives is not whole.
pub fn blocks(records: &impl Sketches, limits: Limits, progress: &dyn Progress) -> Vec<Vec<u32>> {
    assert!(limits.least >= 1 && limits.most >= limits.least, "limits that can hold");
    let all = records.len();
    let step = all.div_ceil(SAMPLE).max(1);
    let sample: Vec<u32> = (0..all as u32).step_by(step).collect();
    let cuts = Cuts::learn(&Drawn::of(records, &sample), step as f64, limits, progress);
    let leaves: Vec<u32> =
        (0..all).into_par_iter().map_init(Vec::new, |sketch, record| cuts.leaf_of(records, record, sketch)).collect();
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); cuts.leaves];
    for (record, &leaf) in (0u32..).zip(&leaves) {
        members[leaf as usize].push(record);
    }
    let cut: Vec<Vec<Vec<u32>>> =
        members.into_par_iter().map(|own| cut_further(records, own, limits, progress)).collect();
    joined(cut.into_iter().flatten(), limits.least)
}

/// Blocks of a leaf that is too large, by its own records.
fn cut_further(records: &impl Sketches, members: Vec<u32>, limits: Limits, progress: &dyn Progress) -> Vec<Vec<u32>> {
    let work: u64 = members.iter().map(|&member| records.work(member as usize)).sum();
    if limits.hold(members.len() as f64, work as f64) || progress.is_stopped() {
        return vec![members];
    }
    if members.len() > SAMPLE {
        let [low, high] = halves(records, &members);
        return [cut_further(records, low, limits, progress), cut_further(records, high, limits, progress)].concat();
    }
    let drawn = Drawn::of(records, &members);
    let mut blocks = cut_drawn(&drawn, (0..members.len() as u32).collect(), limits, progress);
    blocks.iter_mut().flatten().for_each(|place| *place = members[*place as usize]);
    blocks
}

fn cut_drawn(drawn: &Drawn, members: Vec<u32>, limits: Limits, progress: &dyn Progress) -> Vec<Vec<u32>> {
    let work: u64 = members.iter().map(|&member| drawn.work(member as usize)).sum();
    if limits.hold(members.len() as f64, work as f64) || progress.is_stopped() {
        return vec![members];
    }
    let [low, high] = halves(drawn, &members);
    let (mut blocks, others) =
        rayon::join(|| cut_drawn(drawn, low, limits, progress), || cut_drawn(drawn, high, limits, progress));
    blocks.extend(others);
    blocks
}

/// The halves of some records along the direction in which they differ most, each in rising order.
fn halves(records: &impl Sketches, members: &[u32]) -> [Vec<u32>; 2] {
    let mut by_place = places(records, members, &direction(records, members));
    by_place.sort_unstable_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
    let (low, high) = by_place.split_at(middle(&by_place));
    [low, high].map(|side| {
        let mut own: Vec<u32> = side.iter().map(|&(_, record)| record).collect();
        own.sort_unstable();
        own
    })
}

/// Some records with their sketches, which were drawn once.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// Record `r` has the sketch `coordinates[starts[r]..starts[r + 1]]`.
    starts: Vec<usize>,
    coordinates: Vec<(u32, f32)>,
    work: Vec<u64>,
    dimensions: usize,
}

impl Drawn {
    fn of(records: &impl Sketches, chosen: &[u32]) -> Self {
        let draw = |&record: &u32| {
            let mut sketch = Vec::new();
            records.sketch(record as usize, &mut sketch);
            sketch
        };
        let (mut starts, mut coordinates) = (vec![0], Vec::new());
        for some in chosen.chunks(AT_ONCE) {
            for sketch in some.par_iter().map(draw).collect::<Vec<_>>() {
                coordinates.extend(sketch);
                starts.push(coordinates.len());
            }
        }
        let work = chosen.iter().map(|&record| records.work(record as usize)).collect();
        Self { starts, coordinates, work, dimensions: records.dimensions() }
    }

    /// Sketches that were drawn elsewhere, each with its work.
    pub fn of_sketches<'s>(sketches: impl Iterator<Item = (&'s [(u32, f32)], u64)>, dimensions: usize) -> Self {
        let mut drawn = Self { starts: vec![0], coordinates: Vec::new(), work: Vec::new(), dimensions };
        for (sketch, work) in sketches {
            drawn.coordinates.extend_from_slice(sketch);
            drawn.starts.push(drawn.coordinates.len());
            drawn.work.push(work);
        }
        drawn
    }
}

impl Sketches for Drawn {
    fn len(&self) -> usize {
        self.work.len()
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        into.extend_from_slice(&self.coordinates[self.starts[record]..self.starts[record + 1]]);
    }

    fn work(&self, record: usize) -> u64 {
        self.work[record]
    }
}

/// Blocks of at least so many records: a smaller one joins the next, the last ones the one before.
fn joined(blocks: impl Iterator<Item = Vec<u32>>, least: usize) -> Vec<Vec<u32>> {
    let mut large: Vec<Vec<u32>> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    for block in blocks {
        open.extend(block);
        if open.len() >= least {
            large.push(std::mem::take(&mut open));
        }
    }
    match large.last_mut() {
        Some(last) => last.append(&mut open),
        None if !open.is_empty() => large.push(open),
        None => {}
    }
    large.iter_mut().for_each(|block| block.sort_unstable());
    large
}

/// Where to cut a list in order of place: in the middle, or as near to it as equal places allow; in the middle if all are equal.
fn middle(by_place: &[(f32, u32)]) -> usize {
    let half = by_place.len() / 2;
    let is_edge = |at: &usize| by_place[*at - 1].0 < by_place[*at].0;
    let above = (half.max(1)..by_place.len()).find(is_edge);
    let below = (1..half).rev().find(is_edge);
    match (below, above) {
        (Some(below), Some(above)) => {
            if half - below < above - half {
                below
            } else {
                above
            }
        }
        (Some(edge), None) | (None, Some(edge)) => edge,
        (None, None) => half,
    }
}

/// Cuts that any record can fall through, on its own and anywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cuts {
    nodes: Vec<Node>,
    leaves: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Node {
    Leaf(u32),
    /// Records at or above the threshold go to `high`, the others to the next node.
    Cut {
        direction: Vec<f32>,
        threshold: f32,
        high: usize,
    },
}

impl Cuts {
    /// Learns cuts from a sample in which a record stands for `weight` records.
    pub fn learn(sample: &Drawn, weight: f64, limits: Limits, progress: &dyn Progress) -> Self {
        let mut cuts = Self { nodes: Vec::new(), leaves: 0 };
        cuts.add(sample, (0..sample.len() as u32).collect(), weight, limits, progress);
        cuts
    }

    fn add(&mut self, records: &Drawn, sample: Vec<u32>, weight: f64, limits: Limits, progress: &dyn Progress) {
        let work: u64 = sample.iter().map(|&record| records.work(record as usize)).sum();
        // A sample of a few says nothing of where to cut: the leaf's own records will.
        let is_small = sample.len() < 32
            || limits.hold(weight * sample.len() as f64, weight * work as f64)
            || progress.is_stopped();
        let direction = if is_small { Vec::new() } else { direction(records, &sample) };
        let mut by_place = if is_small { Vec::new() } else { places(records, &sample, &direction) };
        by_place.sort_unstable_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        if is_small || by_place[0].0 == by_place[by_place.len() - 1].0 {
            self.nodes.push(Node::Leaf(self.leaves as u32));
            self.leaves += 1;
            return;
        }
        drop(sample);
        let (low, high) = by_place.split_at(middle(&by_place));
        let threshold = high[0].0;
        let numbers = |side: &[(f32, u32)]| side.iter().map(|&(_, record)| record).collect::<Vec<u32>>();
        let (low, high) = (numbers(low), numbers(high));
        drop(by_place);
        let own = self.nodes.len();
        self.nodes.push(Node::Cut { direction, threshold, high: 0 });
        self.add(records, low, weight, limits, progress);
        let after = self.nodes.len();
        if let Node::Cut { high, .. } = &mut self.nodes[own] {
            *high = after;
        }
        self.add(records, high, weight, limits, progress);
    }

    fn leaf_of(&self, records: &impl Sketches, record: usize, sketch: &mut Vec<(u32, f32)>) -> u32 {
        sketch.clear();
        records.sketch(record, sketch);
        self.leaf_of_sketch(sketch)
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// The leaf of a record with this sketch.
    pub fn leaf_of_sketch(&self, sketch: &[(u32, f32)]) -> u32 {
        let mut at = 0;
        loop {
            match &self.nodes[at] {
                Node::Leaf(leaf) => return *leaf,
                Node::Cut { direction, threshold, high } => {
                    at = if place(sketch, direction) >= *threshold { *high } else { at + 1 };
                }
            }
        }
    }
}

/// How far along a direction a sketch lies.
fn place(sketch: &[(u32, f32)], direction: &[f32]) -> f32 {
    sketch.iter().map(|&(coordinate, value)| value * direction[coordinate as usize]).sum()
}

fn places(records: &impl Sketches, members: &[u32], direction: &[f32]) -> Vec<(f32, u32)> {
    let of = |sketch: &mut Vec<(u32, f32)>, &member: &u32| {
        sketch.clear();
        records.sketch(member as usize, sketch);
        (place(sketch, direction), member)
    };
    members.par_iter().with_min_len(256).map_init(Vec::new, of).collect()
}

/// The direction in which some records differ most.
fn direction(records: &impl Sketches, members: &[u32]) -> Vec<f32> {
    let step = members.len().div_ceil(LOOKED_AT).max(1);
    let looked_at: Vec<Vec<(u32, f32)>> = members
        .iter()
        .step_by(step)
        .map(|&member| {
            let mut sketch = Vec::new();
            records.sketch(member as usize, &mut sketch);
            sketch
        })
        .collect();
    let mut mean = vec![0.0f32; records.dimensions()];
    add_scaled(&mut mean, looked_at.iter().map(|sketch| (sketch, 1.0 / looked_at.len() as f32)));
    // The start: the record that is farthest from the mean, seen from there.
    let squared = |sketch: &Vec<(u32, f32)>| -> f32 {
        sketch.iter().map(|&(at, value)| value * value - 2.0 * value * mean[at as usize]).sum()
    };
    let farthest = looked_at.iter().max_by(|left, right| squared(left).total_cmp(&squared(right)));
    let mut direction: Vec<f32> = mean.iter().map(|value| -value).collect();
    add_scaled(&mut direction, farthest.into_iter().map(|sketch| (sketch, 1.0)));
    normalise(&mut direction);
    for _ in 0..TURNS {
        let of_mean: f32 = mean.iter().zip(&direction).map(|(mean, own)| mean * own).sum();
        let mut turned = vec![0.0f32; direction.len()];
        let mut sum = 0.0;
        add_scaled(
            &mut turned,
            looked_at.iter().map(|sketch| {
                let along = place(sketch, &direction) - of_mean;
                sum += along;
                (sketch, along)
            }),
        );
        turned.iter_mut().zip(&mean).for_each(|(own, mean)| *own -= sum * mean);
        if !normalise(&mut turned) {
            break;
        }
        direction = turned;
    }
    direction
}

fn add_scaled<'a>(into: &mut [f32], sketches: impl Iterator<Item = (&'a Vec<(u32, f32)>, f32)>) {
    for (sketch, scale) in sketches {
        sketch.iter().for_each(|&(at, value)| into[at as usize] += scale * value);
    }
}

/// Brings a vector to length 1; `false` if it has none.
fn normalise(vector: &mut [f32]) -> bool {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    let is_there = length > 1e-12;
    if is_there {
        vector.iter_mut().for_each(|value| *value /= length);
    }
    is_there
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::progress::Silent;

    struct Points(Vec<[f32; 2]>, Vec<u64>);

    impl Sketches for Points {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn dimensions(&self) -> usize {
            2
        }
        fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
            into.extend((0..).zip(self.0[record]).filter(|&(_, value)| value != 0.0));
        }
        fn work(&self, record: usize) -> u64 {
            self.1[record]
        }
    }

    #[test]
    fn like_records_come_together() {
        // Two clouds far apart along the diagonal, taking turns.
        let point = |at: usize| [(at % 2) as f32 * 9.0 + at as f32 / 100.0, (at % 2) as f32 * 9.0 - at as f32 / 100.0];
        let points = Points((0..20).map(point).collect(), vec![1; 20]);
        let blocks = blocks(&points, Limits { least: 2, most: 10, work: u64::MAX }, &Silent);
        let even = (0..20).step_by(2).collect::<Vec<u32>>();
        let odd = (1..20).step_by(2).collect::<Vec<u32>>();
        assert!(blocks == [even.clone(), odd.clone()] || blocks == [odd, even], "{blocks:?}");
    }

    #[test]
    fn equal_records_are_cut_all_the_same() {
        let points = Points(vec![[1.0, 2.0]; 1000], vec![1; 1000]);
        let blocks = blocks(&points, Limits { least: 5, most: 100, work: u64::MAX }, &Silent);
        assert!(blocks.iter().all(|block| (5..=110).contains(&block.len())));
        assert_eq!(blocks.iter().map(Vec::len).sum::<usize>(), 1000);
    }

    #[test]
    fn costly_records_lie_in_small_blocks() {
        let place = |at: usize| [at as f32, 0.0];
        let work = |at: usize| if at < 500 { 1 } else { 1000 };
        let points = Points((0..1000).map(place).collect(), (0..1000).map(work).collect());
        let blocks = blocks(&points, Limits { least: 5, most: 200, work: 1_000_000 }, &Silent);
        let size_of = |record: u32| blocks.iter().find(|block| block.contains(&record)).unwrap().len();
        assert!(size_of(10) > 100 && size_of(990) < 40, "{} {}", size_of(10), size_of(990));
    }

    proptest! {
        #[test]
        fn nobody_is_lost_and_no_block_is_too_small(
            places in prop::collection::vec((0..20u8, 0..20u8, 1..50u64), 1..400),
            least in 1..12usize,
            more in 0..60usize,
            work in 1..100_000u64,
        ) {
            let points = Points(
                places.iter().map(|&(x, y, _)| [f32::from(x), f32::from(y)]).collect(),
                places.iter().map(|&(_, _, work)| work).collect(),
            );
            let limits = Limits { least, most: 2 * least + more, work };
            let cut = |threads: usize| {
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| blocks(&points, limits, &Silent))
            };
            let (one, two) = (cut(1), cut(2));
            prop_assert_eq!(&one, &two);
            let mut all: Vec<u32> = one.iter().flatten().copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..places.len() as u32).collect::<Vec<_>>());
            let enough = least.min(places.len());
            prop_assert!(one.iter().all(|block| block.len() >= enough && block.len() <= limits.most + 2 * least));
            prop_assert!(one.iter().all(|block| block.is_sorted()));
        }
    }
}
