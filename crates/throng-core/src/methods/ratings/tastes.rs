//! Persons as points: what they rated, and how, in as few numbers as tell them apart.
//!
//! # Idea
//! 1. *How*: each rating above what the bias model expects of it; the 24 directions in which persons differ most.
//! 2. *What*: which items a person rated, whatever they gave them; 24 directions again, which weigh half as much more.
//! 3. *How much*: the logarithm of the number of ratings.
//! 4. Each block is centred and scaled to a mean square of 1, so that none drowns the others.
//!
//! # Cost
//! That of two sets of singular vectors (`learn::singular`); 49 numbers a person.

use crate::data::Ratings;
use crate::distance::{DistanceMatrix, Pairwise};
use crate::error::Result;
use crate::learn::singular::{Sparse, coordinates};
use crate::partition::Partition;
use crate::partition::blocks::Sketches;
use crate::partition::grouping::{Comparable, How, microaggregated_around};
use crate::partition::mdav::{Average, medoid};
use crate::progress::Progress;
use crate::recommenders::Bias;

/// How many directions each of both blocks has.
const DIRECTIONS: usize = 24;
/// What the second block weighs.
const WHAT: f64 = 1.5;
/// How many numbers a person is.
const WIDTH: usize = 2 * DIRECTIONS + 1;

/// Persons as points; groups of them are refined, or left as MDAV makes them.
pub(super) struct Tastes<const REFINED: bool> {
    points: Vec<f32>,
}

impl<const REFINED: bool> Tastes<REFINED> {
    /// Looks at everybody.
    pub(super) fn of(ratings: &Ratings, bias: &Bias) -> Self {
        let how = Entries { ratings, value: |person, item, value| value - bias.predict(person, item) };
        let what = Entries { ratings, value: |_, _, _| 1.0 };
        let much: Vec<f64> =
            (0..ratings.persons() as u32).map(|person| (1.0 + ratings.count_of_person(person) as f64).ln()).collect();
        let blocks = [(coordinates(&how, DIRECTIONS), 1.0), (coordinates(&what, DIRECTIONS), WHAT), (much, 1.0)];
        let mut points = vec![0.0; ratings.persons() * WIDTH];
        let mut from = 0;
        for (mut block, weight) in blocks {
            let width = block.len() / ratings.persons().max(1);
            scale(&mut block, width, weight);
            for (point, own) in points.chunks_exact_mut(WIDTH).zip(block.chunks_exact(width.max(1))) {
                point[from..from + width].iter_mut().zip(own).for_each(|(to, &own)| *to = own as f32);
            }
            from += width;
        }
        Self { points }
    }

    fn point(&self, person: usize) -> &[f32] {
        &self.points[person * WIDTH..][..WIDTH]
    }
}

/// Centres a block, and scales it to a mean square of `weight` squared a row.
fn scale(block: &mut [f64], width: usize, weight: f64) {
    let rows = block.len() / width.max(1);
    if rows == 0 {
        return;
    }
    for at in 0..width {
        let mean = block.iter().skip(at).step_by(width).sum::<f64>() / rows as f64;
        block.iter_mut().skip(at).step_by(width).for_each(|value| *value -= mean);
    }
    let square = block.iter().map(|value| value * value).sum::<f64>() / rows as f64;
    if square > 0.0 {
        let factor = weight / square.sqrt();
        block.iter_mut().for_each(|value| *value *= factor);
    }
}

/// Ratings as a matrix of something.
struct Entries<'a, F> {
    ratings: &'a Ratings,
    value: F,
}

impl<F: Fn(u32, u32, f64) -> f64 + Sync> Sparse for Entries<'_, F> {
    fn rows(&self) -> usize {
        self.ratings.persons()
    }

    fn columns(&self) -> usize {
        self.ratings.items()
    }

    fn row(&self, row: usize, take: &mut dyn FnMut(usize, f64)) {
        let person = row as u32;
        self.ratings.of_person(person).for_each(|(item, value)| take(item as usize, (self.value)(person, item, value)));
    }

    fn column(&self, column: usize, take: &mut dyn FnMut(usize, f64)) {
        let item = column as u32;
        self.ratings.of_item(item).for_each(|(person, value)| take(person as usize, (self.value)(person, item, value)));
    }
}

fn apart(left: &[f32], right: &[f32]) -> f64 {
    let squares: f32 = left.iter().zip(right).map(|(left, right)| (left - right) * (left - right)).sum();
    f64::from(squares).sqrt()
}

/// Some persons, to be compared with each other.
struct Space<'a, const REFINED: bool> {
    tastes: &'a Tastes<REFINED>,
    members: &'a [u32],
}

impl<const REFINED: bool> Space<'_, REFINED> {
    fn point(&self, at: usize) -> &[f32] {
        self.tastes.point(self.members[at] as usize)
    }
}

impl<const REFINED: bool> Pairwise for Space<'_, REFINED> {
    type Scratch = ();

    fn len(&self) -> usize {
        self.members.len()
    }

    fn scratch(&self) {}

    fn distance(&self, left: usize, right: usize, (): &mut ()) -> f64 {
        apart(self.point(left), self.point(right))
    }
}

/// The distances of a block, and its points: MDAV goes by their mean.
pub(super) struct Compared {
    distances: DistanceMatrix,
    points: Vec<f32>,
}

impl<const REFINED: bool> Sketches for Tastes<REFINED> {
    fn len(&self) -> usize {
        self.points.len() / WIDTH
    }

    fn dimensions(&self) -> usize {
        WIDTH
    }

    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        into.extend((0..).zip(self.point(record).iter().copied()).filter(|(_, value)| *value != 0.0));
    }

    fn work(&self, _record: usize) -> u64 {
        1
    }
}

impl<const REFINED: bool> Comparable for Tastes<REFINED> {
    type Compared = Compared;

    const WHOLE: usize = 4_000;
    const BLOCK: usize = 1_000;
    const WORK: u64 = u64::MAX;
    const IS_REFINED: bool = REFINED;

    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<Compared> {
        let space = Space { tastes: self, members: block };
        let distances = if block.len() > 2 * Self::BLOCK {
            DistanceMatrix::compute(&space, progress)
        } else {
            DistanceMatrix::compute_here(&space)
        };
        Ok(Compared { distances, points: (0..block.len()).flat_map(|at| space.point(at).iter().copied()).collect() })
    }

    fn group(&self, compared: &Compared, how: How<'_>, progress: &dyn Progress) -> Partition {
        let point = |at: u32| &compared.points[at as usize * WIDTH..][..WIDTH];
        let mut to_mean = |left: &[u32]| {
            let mut mean = vec![0.0f64; WIDTH];
            for &at in left {
                mean.iter_mut().zip(point(at)).for_each(|(mean, &own)| *mean += f64::from(own));
            }
            let mean: Vec<f32> = mean.into_iter().map(|sum| (sum / left.len() as f64) as f32).collect();
            left.iter().map(|&at| apart(point(at), &mean)).collect()
        };
        microaggregated_around(Average::Made(&mut to_mean), &compared.distances, how, progress)
    }

    fn centre(&self, compared: &Compared, members: &[u32]) -> u32 {
        medoid(&compared.distances, members)
    }
}
