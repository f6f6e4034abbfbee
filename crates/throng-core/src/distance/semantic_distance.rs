//! The semantic distance: how different two sets of concepts are, from what they have in common above them.
//!
//! Paper      Batet, Erola, Sánchez, Castellà-Roca. Semantic anonymisation of set-valued data. ICAART 2014 (paper 004).
//!            Section 3.1.1.
//!
//! # Idea
//! 1. Two concepts: the share of what generalises one of them and not both.
//! 2. Two sets of concepts: all pairs, put together by one of five aggregations.
//! 3. Plain, for comparison: the same over strings, which are equal (0) or not (1).
//!
//! # Formula
//! delta(c, d) = 1 - |T(c) ∩ T(d)| / |T(c) ∪ T(d)|, T(c) being c and all that generalises it.
//! average: the mean of delta over A × B. minimum, maximum: the least, the greatest of them.
//! minimum-sum: (sum over a of min over b + sum over b of min over a) / (|A| + |B|). maximum-sum: the same with max.
//!
//! # Readings
//! S1: the second sum of minimum-sum runs over the second set. S3: average, maximum and maximum-sum are not 0 from a set to
//! itself. S5: an artificial root is in no T. S6: sets, so what occurs twice counts once. S11: two empty sets 0, an empty
//! and another 1.
//!
//! # Cost
//! Two sets: |A| · |B| intersections of two short lists. All pairs of n persons with s concepts in all, D of them different:
//! time O(s · (D + n)), memory 4 n² bytes, and 512 D beside the lists. Batches of 64 persons: for each concept of the batch, how
//! many generalisations it shares with all others is counted over ranges (what lies under a concept lies side by side); that
//! gives what each person of the batch is away from each concept, and from there each other person is one pass over their
//! concepts, 64 distances at a time. Distances of concepts are whole numbers of 2^-42, so sums are exact in any order.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{DistanceMatrix, rows_of};
use crate::error::{Error, Result};
use crate::info::{Info, Parameter, ParameterKind};
use crate::progress::Progress;
use crate::taxonomy::Taxonomy;

/// The card of the semantic distance.
pub const INFO: Info = Info {
    name: "semantic-distance",
    summary: "how different two persons' words are in meaning: what generalises their concepts, shared or not",
    paper: "Batet, Erola, Sánchez, Castellà-Roca. Semantic anonymisation of set-valued data. ICAART 2014, section 3.1.1",
    details: "Two concepts: 1 - |T ∩ T'| / |T ∪ T'|, with T a concept and all that generalises it in the taxonomy. A root that only \
        holds the taxonomy together (Top of ODP) does not count.\n\
        Two sets of concepts A and B, by `--distance`:\n\
        average: the mean over all pairs.\n\
        minimum, maximum: the least, the greatest of all pairs.\n\
        minimum-sum: for each concept of either set the nearest of the other set, summed, over |A| + |B|.\n\
        maximum-sum: the same with the farthest.\n\
        Two empty sets are 0 apart, an empty and another 1. Every number lies in [0, 1]. Under average, maximum and maximum-sum \
        a set of several concepts is not 0 from itself.\n\
        `--plain` compares strings instead, which are equal or not.\n\
        It compares meaning, not letters: `jaguar` is near `leopard`.",
    parameters: &[DISTANCE],
};

/// The parameter that chooses how distances of concepts become a distance of sets.
pub const DISTANCE: Parameter = Parameter {
    name: "distance",
    summary: "how distances of concepts become a distance of persons",
    kind: ParameterKind::Choice(&["average", "minimum", "maximum", "minimum-sum", "maximum-sum"]),
    default: "minimum-sum",
};

/// How distances of concepts become a distance of sets (equations 2 to 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetDistance {
    /// The mean over all pairs (equation 4).
    Average,
    /// The least of all pairs (equation 2).
    Minimum,
    /// The greatest of all pairs (equation 3).
    Maximum,
    /// The nearest for each concept of both sets, summed, over the number of concepts (equation 5).
    #[default]
    MinimumSum,
    /// The farthest for each concept of both sets, summed, over the number of concepts (equation 6).
    MaximumSum,
}

/// A distance of two concepts is a whole number of 2^-42: sums over up to 2^21 concepts are exact in 64 bits.
const UNIT: f64 = (1u64 << 42) as f64;
/// A float from here to its double holds a whole number in its last 52 bits.
const BIAS: f64 = (1u64 << 52) as f64;
const WHOLE: u64 = (1 << 52) - 1;
/// More concepts than this of one person are refused.
const MOST_CONCEPTS: usize = 1 << 21;

/// The distance of two concepts with so many generalisations in common and in all: [`BIAS`] more than the number of units,
/// so that they compare as floats and add up as whole numbers.
#[inline]
fn biased_delta(common: f64, all: f64) -> f64 {
    (all - common) / all * UNIT + BIAS
}

/// The number of units in a biased distance.
#[inline]
fn units(biased: f64) -> u64 {
    biased.to_bits() & WHOLE
}

/// How several distances become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fold {
    Least,
    Greatest,
    Sum,
}

impl SetDistance {
    /// Every one, in the order of the command line.
    pub const ALL: [Self; 5] = [Self::Average, Self::Minimum, Self::Maximum, Self::MinimumSum, Self::MaximumSum];

    /// Over the concepts of one set, then over those of the other.
    fn folds(self) -> (Fold, Fold) {
        match self {
            Self::Average => (Fold::Sum, Fold::Sum),
            Self::Minimum => (Fold::Least, Fold::Least),
            Self::Maximum => (Fold::Greatest, Fold::Greatest),
            Self::MinimumSum => (Fold::Least, Fold::Sum),
            Self::MaximumSum => (Fold::Greatest, Fold::Sum),
        }
    }

    /// Whether both directions are different numbers, and added.
    fn has_two_sides(self) -> bool {
        matches!(self, Self::MinimumSum | Self::MaximumSum)
    }

    /// The distance of two sets of these sizes, from the units of all (both sides, where there are two).
    fn of_units(self, units: u128, left: usize, right: usize) -> f64 {
        if left == 0 || right == 0 {
            return if left == right { 0.0 } else { 1.0 };
        }
        let count = match self {
            Self::Average => left as u128 * right as u128,
            Self::Minimum | Self::Maximum => 1,
            Self::MinimumSum | Self::MaximumSum => left as u128 + right as u128,
        };
        units as f64 / UNIT / count as f64
    }

    /// The distance of two sets of strings that are equal or not, from their sizes and how many they share (equation 9).
    pub fn plain(self, common: usize, left: usize, right: usize) -> f64 {
        if left == 0 || right == 0 {
            return if left == right { 0.0 } else { 1.0 };
        }
        let pairs = left as u64 * right as u64;
        let is_one_and_the_same = pairs == 1 && common == 1;
        match self {
            Self::Average => (pairs - common as u64) as f64 / pairs as f64,
            Self::Minimum => f64::from(u8::from(common == 0)),
            Self::Maximum => f64::from(u8::from(!is_one_and_the_same)),
            Self::MinimumSum => (left + right - 2 * common) as f64 / (left + right) as f64,
            // The farthest of a string is 1 away, unless the other set is that string alone.
            Self::MaximumSum => {
                let near = usize::from(common == 1 && right == 1) + usize::from(common == 1 && left == 1);
                (left + right - near) as f64 / (left + right) as f64
            }
        }
    }
}

/// Some concepts of a taxonomy, ready to be compared.
#[derive(Debug)]
pub struct SemanticDistance {
    /// The concepts in rising order: concept `c` has the place of its number here.
    concepts: Vec<u32>,
    /// The concept at place `p` has the generalisations `above[starts[p]..starts[p + 1]]`, in rising order.
    starts: Vec<usize>,
    above: Vec<u32>,
    /// What lies under generalisation `g`, as ranges of places: `under[under_starts[g]..under_starts[g + 1]]`.
    under_starts: Vec<usize>,
    under: Vec<Range<u32>>,
    units: Units,
}

/// The units of every small number of generalisations in common and in all: looking up is faster than dividing.
#[derive(Debug)]
struct Units {
    side: usize,
    table: Vec<u64>,
}

impl Units {
    /// More generalisations than these are divided.
    const MOST: usize = 64;

    fn up_to(most: usize) -> Self {
        let side = most.min(Self::MOST) + 1;
        let cell = |at: usize| units(biased_delta((at % side) as f64, (at / side) as f64));
        Self { side, table: (0..2 * side * side).map(cell).collect() }
    }

    fn of(&self, common: usize, all: usize) -> u64 {
        if all < 2 * self.side && common < self.side {
            self.table[all * self.side + common]
        } else {
            units(biased_delta(common as f64, all as f64))
        }
    }
}

impl SemanticDistance {
    /// Looks up what generalises these concepts. Only they can be compared.
    pub fn new(taxonomy: &Taxonomy, concepts: impl IntoIterator<Item = u32>) -> Self {
        let mut concepts: Vec<u32> = concepts.into_iter().collect();
        concepts.sort_unstable();
        concepts.dedup();
        let all: Vec<Vec<u32>> = concepts.par_iter().map(|&concept| taxonomy.generalisations(concept)).collect();
        // Generalisations get dense numbers, in the order of their nodes.
        let mut nodes: Vec<u32> = all.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let (mut starts, mut above) = (vec![0], Vec::new());
        let mut ranges: Vec<Vec<Range<u32>>> = vec![Vec::new(); nodes.len()];
        for (place, own) in (0u32..).zip(&all) {
            for node in own {
                let dense = nodes.binary_search(node).expect("every generalisation was collected");
                above.push(dense as u32);
                match ranges[dense].last_mut() {
                    Some(last) if last.end == place => last.end += 1,
                    _ => ranges[dense].push(place..place + 1),
                }
            }
            starts.push(above.len());
        }
        let mut under_starts = vec![0];
        under_starts.extend(ranges.iter().scan(0, |end, own| {
            *end += own.len();
            Some(*end)
        }));
        let units = Units::up_to(all.iter().map(Vec::len).max().unwrap_or(0));
        Self { concepts, starts, above, under_starts, under: ranges.into_iter().flatten().collect(), units }
    }

    fn place(&self, concept: u32) -> u32 {
        self.concepts.binary_search(&concept).expect("a concept that was given") as u32
    }

    fn above(&self, place: u32) -> &[u32] {
        &self.above[self.starts[place as usize]..self.starts[place as usize + 1]]
    }

    /// The distance of two sets of concepts; no concept stands twice in one.
    pub fn set_distance(&self, kind: SetDistance, left: &[u32], right: &[u32]) -> f64 {
        self.set_distances(left, right)[kind as usize]
    }

    /// The distance of two sets of concepts under each of [`SetDistance::ALL`], in one pass; no concept stands twice in one.
    pub fn set_distances(&self, left: &[u32], right: &[u32]) -> [f64; 5] {
        let places = |set: &[u32]| set.iter().map(|&concept| self.place(concept)).collect::<Vec<u32>>();
        let (own, others) = (places(left), places(right));
        let (mut sum, mut nearest, mut farthest) = (0u128, 0u128, 0u128);
        let mut columns = vec![(u64::MAX, 0u64); others.len()];
        // Under each generalisation the others that lie there, side by side: a pair is looked at as often as it has one in common, not as
        // often as it has one.
        const NONE: u32 = u32::MAX;
        let mut spans = vec![(NONE, 0u32); self.under_starts.len() - 1];
        let mut all = 0;
        for &above in others.iter().flat_map(|&to| self.above(to)) {
            spans[above as usize].1 += 1;
            all += 1;
        }
        let (mut under, mut free) = (vec![0u32; all], 0);
        for (column, &to) in (0u32..).zip(&others) {
            for &above in self.above(to) {
                let (start, end) = &mut spans[above as usize];
                if *start == NONE {
                    let count = *end;
                    (*start, *end) = (free, free);
                    free += count;
                }
                under[*end as usize] = column;
                *end += 1;
            }
        }
        let sizes: Vec<usize> = others.iter().map(|&to| self.above(to).len()).collect();
        let mut in_common = vec![0u32; others.len()];
        for &from in &own {
            let above = self.above(from);
            in_common.fill(0);
            for &above in above {
                let (start, end) = spans[above as usize];
                if start != NONE {
                    under[start as usize..end as usize].iter().for_each(|&column| in_common[column as usize] += 1);
                }
            }
            let mut row = (u64::MAX, 0, 0);
            for ((&common, &size), column) in in_common.iter().zip(&sizes).zip(&mut columns) {
                let common = common as usize;
                let units = self.units.of(common, above.len() + size - common);
                row = (row.0.min(units), row.1.max(units), row.2 + units);
                *column = (column.0.min(units), column.1.max(units));
            }
            nearest += u128::from(row.0);
            farthest += u128::from(row.1);
            sum += u128::from(row.2);
        }
        let (least, greatest) =
            (columns.iter().map(|column| column.0).min(), columns.iter().map(|column| column.1).max());
        nearest += columns.iter().map(|column| u128::from(column.0)).sum::<u128>();
        farthest += columns.iter().map(|column| u128::from(column.1)).sum::<u128>();
        SetDistance::ALL.map(|kind| {
            let units = match kind {
                SetDistance::Average => sum,
                SetDistance::Minimum => u128::from(least.unwrap_or(0)),
                SetDistance::Maximum => u128::from(greatest.unwrap_or(0)),
                SetDistance::MinimumSum => nearest,
                SetDistance::MaximumSum => farthest,
            };
            kind.of_units(units, left.len(), right.len())
        })
    }

    /// All distances between some sets of concepts; no concept stands twice in one.
    pub fn matrix<S: AsRef<[u32]> + Sync>(
        &self,
        kind: SetDistance,
        sets: &[S],
        progress: &dyn Progress,
    ) -> Result<DistanceMatrix> {
        if sets.iter().any(|set| set.as_ref().len() > MOST_CONCEPTS) {
            return Err(Error::refused(format!("a person has more than {MOST_CONCEPTS} different concepts")));
        }
        let places = |set: &S| set.as_ref().iter().map(|&concept| self.place(concept)).collect::<Vec<u32>>();
        let sets: Vec<Vec<u32>> = sets.par_iter().map(places).collect();
        let len = sets.len();
        // A cell holds the units of one side until both are there, then the bits of the distance.
        let mut cells = vec![0u64; len * len.saturating_sub(1) / 2];
        let mut diagonal = vec![0.0; len];
        progress.stage("distances", cells.len() as u64);
        let mut rows = rows_of(len, &mut cells);
        for start in (0..len).step_by(LANES) {
            progress.go_on()?;
            let batch = Batch::new(self, kind, &sets, start);
            let own = batch.size;
            let (before, from) = rows.split_at_mut(start);
            if kind.has_two_sides() {
                // The batch's side of pairs whose other side is there already.
                before.par_iter_mut().enumerate().for_each(|(person, row)| {
                    let side = batch.distances_to(&sets[person]);
                    for (lane, cell) in row[start - person - 1..][..own].iter_mut().enumerate() {
                        let units = u128::from(*cell) + side[lane];
                        *cell = kind.of_units(units, sets[start + lane].len(), sets[person].len()).to_bits();
                    }
                });
            }
            let sides: Vec<[u128; LANES]> = sets[start..].par_iter().map(|set| batch.distances_to(set)).collect();
            from[..own].par_iter_mut().enumerate().for_each(|(lane, row)| {
                let left = sets[start + lane].len();
                for (offset, cell) in row.iter_mut().enumerate() {
                    let other = lane + 1 + offset;
                    let (units, right) = (sides[other][lane], sets[start + other].len());
                    *cell = match kind.has_two_sides() {
                        false => kind.of_units(units, left, right).to_bits(),
                        true if other < own => kind.of_units(units + sides[lane][other], left, right).to_bits(),
                        true => units as u64,
                    };
                }
            });
            for lane in 0..own {
                let size = sets[start + lane].len();
                let sides_to_itself = if kind.has_two_sides() { 2 } else { 1 };
                diagonal[start + lane] = kind.of_units(sides_to_itself * sides[lane][lane], size, size);
            }
            progress.advance((own * (start + own) - own * (own + 1) / 2) as u64);
        }
        let upper = cells.into_iter().map(f64::from_bits).collect();
        Ok(DistanceMatrix { len, upper, diagonal })
    }
}

/// All distances between some sets of strings, which are equal or not; no string stands twice in a set, and they are in rising
/// order.
pub fn plain_matrix(kind: SetDistance, sets: &[&[u32]], progress: &dyn Progress) -> DistanceMatrix {
    // Who has each string, in rising order.
    let mut pairs: Vec<(u32, u32)> =
        (0u32..).zip(sets).flat_map(|(person, set)| set.iter().map(move |&string| (string, person))).collect();
    pairs.par_sort_unstable();
    let diagonal = sets.iter().map(|set| kind.plain(set.len(), set.len(), set.len())).collect();
    DistanceMatrix::from_rows(diagonal, progress, |person, row| {
        for &string in sets[person] {
            let next = pairs.partition_point(|&pair| pair <= (string, person as u32));
            for &(_, other) in pairs[next..].iter().take_while(|pair| pair.0 == string) {
                row[other as usize - person - 1] += 1.0;
            }
        }
        for (offset, cell) in row.iter_mut().enumerate() {
            *cell = kind.plain(*cell as usize, sets[person].len(), sets[person + 1 + offset].len());
        }
    })
}

/// Persons of a batch: their distances are computed side by side.
const LANES: usize = 64;
/// Concepts that a task looks at.
const BLOCK: usize = 512;

/// How far some persons are from every concept.
struct Batch {
    kind: SetDistance,
    /// How many of the lanes are persons.
    size: usize,
    /// For each concept the fold over the concepts of each person: units where they are added up afterwards, else biased.
    to_concept: Vec<[u64; LANES]>,
    /// So many of these can be added up in 64 bits.
    room: usize,
}

impl Batch {
    /// The persons from `start` on, at most as many as there are lanes.
    fn new(space: &SemanticDistance, kind: SetDistance, sets: &[Vec<u32>], start: usize) -> Self {
        let persons = &sets[start..sets.len().min(start + LANES)];
        // Who has each concept of the batch.
        let mut pairs: Vec<(u32, usize)> =
            persons.iter().enumerate().flat_map(|(lane, set)| set.iter().map(move |&place| (place, lane))).collect();
        pairs.sort_unstable();
        let (inner, outer) = kind.folds();
        let mut to_concept = vec![[0; LANES]; space.concepts.len()];
        to_concept.par_chunks_mut(BLOCK).enumerate().for_each(|(block, into)| {
            let mut lanes = vec![[start_of(inner); BLOCK]; persons.len()];
            let mut deltas = [0.0; BLOCK];
            for same in pairs.chunk_by(|left, right| left.0 == right.0) {
                space.deltas_to_block(same[0].0, block * BLOCK, &mut deltas[..into.len()]);
                for &(_, lane) in same {
                    fold_into(inner, &mut lanes[lane], &deltas);
                }
            }
            for (at, cells) in into.iter_mut().enumerate() {
                for (cell, lane) in cells.iter_mut().zip(&lanes) {
                    *cell = if inner != Fold::Sum && outer == Fold::Sum { lane[at] & WHOLE } else { lane[at] };
                }
            }
        });
        let longest = persons.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let room = if inner == Fold::Sum { (2 * MOST_CONCEPTS / longest).max(1) } else { 2 * MOST_CONCEPTS };
        Self { kind, size: persons.len(), to_concept, room }
    }

    /// One side of the distance between each person of the batch and a set, in units. Means nothing where one has no concept.
    fn distances_to(&self, set: &[u32]) -> [u128; LANES] {
        let (_, outer) = self.kind.folds();
        let mut all = [0; LANES];
        for part in set.chunks(self.room) {
            let mut folded = [start_of(outer); LANES];
            for &place in part {
                let row: &[u64; LANES] = &self.to_concept[place as usize];
                match outer {
                    Fold::Least => fold_lanes(&mut folded, row, |own, other| other < own),
                    Fold::Greatest => fold_lanes(&mut folded, row, |own, other| other > own),
                    Fold::Sum => folded.iter_mut().zip(row).for_each(|(own, other)| *own += other),
                }
            }
            let is_sum = outer == Fold::Sum;
            all.iter_mut()
                .zip(folded)
                .for_each(|(all, own)| *all += u128::from(if is_sum { own } else { own & WHOLE }));
        }
        all
    }
}

impl SemanticDistance {
    /// The biased distances of a concept to those at the places from `start` on.
    fn deltas_to_block(&self, place: u32, start: usize, deltas: &mut [f64]) {
        let mut common = [0i32; BLOCK];
        let (first, end) = (start as u32, (start + deltas.len()) as u32);
        let above = self.above(place);
        for &generalisation in above {
            let own = generalisation as usize;
            let ranges = &self.under[self.under_starts[own]..self.under_starts[own + 1]];
            let from = ranges.partition_point(|range| range.end <= first);
            for range in ranges[from..].iter().take_while(|range| range.start < end) {
                let inside = range.start.max(first) - first..range.end.min(end) - first;
                common[inside.start as usize..inside.end as usize].iter_mut().for_each(|count| *count += 1);
            }
        }
        let starts = &self.starts[start..=start + deltas.len()];
        for ((delta, &common), bounds) in deltas.iter_mut().zip(&common).zip(starts.windows(2)) {
            let both = (above.len() + bounds[1] - bounds[0]) as i32;
            *delta = biased_delta(f64::from(common), f64::from(both - common));
        }
    }
}

/// What a fold begins with: nothing added, or further away than anything, or nearer.
fn start_of(fold: Fold) -> u64 {
    match fold {
        Fold::Least => f64::INFINITY.to_bits(),
        Fold::Greatest | Fold::Sum => 0,
    }
}

/// Folds biased distances into cells that are such ones too, or whole numbers where they are added up.
fn fold_into(fold: Fold, into: &mut [u64; BLOCK], deltas: &[f64; BLOCK]) {
    match fold {
        Fold::Sum => into.iter_mut().zip(deltas).for_each(|(cell, &delta)| *cell += units(delta)),
        Fold::Least => into.iter_mut().zip(deltas).for_each(|(cell, &delta)| {
            let own = f64::from_bits(*cell);
            *cell = if delta < own { delta } else { own }.to_bits();
        }),
        Fold::Greatest => into.iter_mut().zip(deltas).for_each(|(cell, &delta)| {
            let own = f64::from_bits(*cell);
            *cell = if delta > own { delta } else { own }.to_bits();
        }),
    }
}

fn fold_lanes(into: &mut [u64; LANES], row: &[u64; LANES], is_better: impl Fn(f64, f64) -> bool) {
    for (cell, &other) in into.iter_mut().zip(row) {
        let (own, other) = (f64::from_bits(*cell), f64::from_bits(other));
        *cell = if is_better(own, other) { other } else { own }.to_bits();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::progress::Silent;
    use crate::taxonomy::tests::some_tree;

    /// The taxonomy of the paper's example, under an artificial root.
    fn directory() -> Taxonomy {
        Taxonomy::from_edges([
            ("Sports", "Top"),
            ("Water Sports", "Sports"),
            ("Swimming", "Water Sports"),
            ("Windsurfing", "Water Sports"),
            ("Regional", "Top"),
            ("Europe", "Regional"),
            ("Regions", "Europe"),
            ("Mediterranean", "Regions"),
        ])
        .unwrap()
    }

    fn sets(taxonomy: &Taxonomy, sets: &[&[&str]]) -> Vec<Vec<u32>> {
        sets.iter().map(|set| set.iter().map(|label| taxonomy.find(label).unwrap()).collect()).collect()
    }

    /// The distance of two concepts (equation 1): that of sets of one each.
    fn concept_distance(space: &SemanticDistance, left: u32, right: u32) -> f64 {
        space.set_distance(SetDistance::MinimumSum, &[left], &[right])
    }

    #[test]
    fn the_example_of_the_paper() {
        let tree = directory();
        let sets = sets(&tree, &[&["Swimming", "Mediterranean"], &["Windsurfing", "Mediterranean"]]);
        let space = SemanticDistance::new(&tree, sets.iter().flatten().copied());
        assert_eq!(concept_distance(&space, sets[0][0], sets[1][0]), 0.5);
        assert_eq!(space.set_distance(SetDistance::MinimumSum, &sets[0], &sets[1]), 0.25);
        let matrix = space.matrix(SetDistance::MinimumSum, &sets, &Silent).unwrap();
        assert_eq!((matrix.get(0, 1), matrix.get(1, 0), matrix.get(0, 0)), (0.25, 0.25, 0.0));
    }

    #[test]
    fn a_set_is_not_always_0_from_itself() {
        // Reading S3: Swimming and Mediterranean share nothing, and two of the four pairs are those two.
        let tree = directory();
        let sets = sets(&tree, &[&["Swimming", "Mediterranean"], &["Swimming"]]);
        let space = SemanticDistance::new(&tree, sets.iter().flatten().copied());
        for (kind, expected) in SetDistance::ALL.into_iter().zip([0.5, 0.0, 1.0, 0.0, 1.0]) {
            let matrix = space.matrix(kind, &sets, &Silent).unwrap();
            assert_eq!((matrix.get(0, 0), matrix.get(1, 1)), (expected, 0.0), "{kind:?}");
            assert_eq!(space.set_distance(kind, &sets[0], &sets[0]), expected, "{kind:?}");
        }
    }

    #[test]
    fn concepts_that_share_nothing_are_1_apart_and_a_real_root_counts() {
        let tree = directory();
        let space = SemanticDistance::new(&tree, 0..tree.len() as u32);
        let distance =
            |left: &str, right: &str| concept_distance(&space, tree.find(left).unwrap(), tree.find(right).unwrap());
        assert_eq!(distance("Swimming", "Mediterranean"), 1.0);
        assert_eq!(distance("Top", "Sports"), 1.0);
        let food = crate::taxonomy::tests::food();
        let space = SemanticDistance::new(&food, 0..food.len() as u32);
        let (apple, milk) = (food.find("Apple").unwrap(), food.find("Milk").unwrap());
        assert_eq!(concept_distance(&space, apple, milk), units(biased_delta(1.0, 5.0)) as f64 / UNIT);
    }

    /// Equations 1 to 6 and 9 word for word, in floats; `above` is T of a concept.
    fn literal(kind: SetDistance, left: &[u32], right: &[u32], above: &dyn Fn(u32) -> BTreeSet<u32>) -> f64 {
        if left.is_empty() || right.is_empty() {
            return if left.is_empty() && right.is_empty() { 0.0 } else { 1.0 };
        }
        let delta = |left: u32, right: u32| {
            let (left, right) = (above(left), above(right));
            let (common, all) = (left.intersection(&right).count() as f64, left.union(&right).count() as f64);
            (all - common) / all
        };
        let least = |from: u32, to: &[u32]| to.iter().map(|&to| delta(from, to)).fold(f64::INFINITY, f64::min);
        let greatest = |from: u32, to: &[u32]| to.iter().map(|&to| delta(from, to)).fold(0.0, f64::max);
        let (m, n) = (left.len() as f64, right.len() as f64);
        match kind {
            SetDistance::Average => {
                let pairs = left.iter().flat_map(|&left| right.iter().map(move |&right| delta(left, right)));
                pairs.sum::<f64>() / (m * n)
            }
            SetDistance::Minimum => left.iter().map(|&from| least(from, right)).fold(f64::INFINITY, f64::min),
            SetDistance::Maximum => left.iter().map(|&from| greatest(from, right)).fold(0.0, f64::max),
            SetDistance::MinimumSum => {
                let there: f64 = left.iter().map(|&from| least(from, right)).sum();
                let back: f64 = right.iter().map(|&from| least(from, left)).sum();
                (there + back) / (m + n)
            }
            SetDistance::MaximumSum => {
                let there: f64 = left.iter().map(|&from| greatest(from, right)).sum();
                let back: f64 = right.iter().map(|&from| greatest(from, left)).sum();
                (there + back) / (m + n)
            }
        }
    }

    /// A tree, and sets of its nodes: few and large, or more than a batch of small ones.
    fn some_sets() -> impl Strategy<Value = (Taxonomy, Vec<Vec<u32>>)> {
        let of = |most: usize, persons: usize| {
            prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..most), 1..persons)
        };
        (some_tree(), prop_oneof![3 => of(12, 8), 1 => of(4, 160)]).prop_map(|(tree, sets)| {
            let set = |set: Vec<prop::sample::Index>| {
                set.iter().map(|node| node.index(tree.len()) as u32).collect::<BTreeSet<u32>>().into_iter().collect()
            };
            let sets = sets.into_iter().map(set).collect();
            (tree, sets)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn as_by_a_double_loop((tree, sets) in some_sets()) {
            let space = SemanticDistance::new(&tree, sets.iter().flatten().copied());
            let above = |concept: u32| tree.generalisations(concept).into_iter().collect::<BTreeSet<u32>>();
            let alone = |concept: u32| BTreeSet::from([concept]);
            for kind in SetDistance::ALL {
                let matrix = space.matrix(kind, &sets, &Silent).unwrap();
                let slices: Vec<&[u32]> = sets.iter().map(Vec::as_slice).collect();
                let plain = plain_matrix(kind, &slices, &Silent);
                // All pairs of the first few, and of the last few with them: batches of their own where there are many.
                let some: Vec<usize> = (0..sets.len()).filter(|&at| at < 6 || at + 4 > sets.len()).collect();
                for &left in &some {
                    for &right in &some {
                        let (own, other) = (&sets[left], &sets[right]);
                        let expected = literal(kind, own, other, &above);
                        prop_assert!((matrix.get(left, right) - expected).abs() < 1e-12, "{kind:?} {left} {right}");
                        prop_assert_eq!(matrix.get(left, right), space.set_distance(kind, own, other));
                        let expected = literal(kind, own, other, &alone);
                        prop_assert!((plain.get(left, right) - expected).abs() < 1e-12, "plain {kind:?} {left} {right}");
                    }
                }
            }
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let tree = crate::taxonomy::generate::balanced(
            (0..1500).map(|leaf| leaf.to_string()).collect::<Vec<_>>().iter().map(String::as_str),
            4,
        )
        .unwrap();
        let mut rng = crate::Rng::seeded(4);
        let sets: Vec<Vec<u32>> = (0..150).map(|person| rng.sample(tree.len(), 1 + person % 40)).collect();
        let space = SemanticDistance::new(&tree, sets.iter().flatten().copied());
        assert!(space.concepts.len() > BLOCK);
        for kind in SetDistance::ALL {
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| space.matrix(kind, &sets, &Silent).unwrap())
            };
            let (one, two) = (run(1), run(2));
            assert!(one.upper == two.upper && one.diagonal == two.diagonal, "{kind:?}");
            for (left, right) in [(0, 149), (63, 64), (64, 63), (70, 70), (128, 3)] {
                assert_eq!(one.get(left, right), space.set_distance(kind, &sets[left], &sets[right]), "{kind:?}");
            }
        }
    }

    #[test]
    fn sums_of_many_concepts_do_not_overflow() {
        // 3,000 concepts that share nothing: 9 million pairs at a distance of 1, more than fit at once.
        let labels: Vec<String> = (0..6000).map(|label| label.to_string()).collect();
        let tree = Taxonomy::from_edges(labels.iter().map(|label| (label.as_str(), "Top"))).unwrap();
        let sets = [(1..3001).collect(), (3001..6001).collect::<Vec<u32>>()];
        let space = SemanticDistance::new(&tree, 1..6001);
        let matrix = space.matrix(SetDistance::Average, &sets, &Silent).unwrap();
        assert_eq!(matrix.get(0, 1), 1.0);
        assert!((matrix.get(0, 0) - 2999.0 / 3000.0).abs() < 1e-12);
    }
}
