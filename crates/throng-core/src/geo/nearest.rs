//! Places around a place, the nearest first, as far as somebody wants to know them.
//!
//! # Idea
//! A tree of boxes over points of the unit sphere, each box cut in two halves where it is longest. What comes next, a box or a place, is
//! always the nearest of all that are in sight.
//!
//! # Cost
//! Building O(n log n); a place more costs about O(log n). Memory 40 bytes a place.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{RADIUS, Vector};

/// So many places lie in a box that is not cut.
const FEW: usize = 8;

/// Places to look for.
#[derive(Debug)]
pub struct NearestPlaces {
    places: Vec<(Vector, u32)>,
    boxes: Vec<Box>,
}

#[derive(Debug)]
struct Box {
    low: [f64; 3],
    high: [f64; 3],
    start: usize,
    end: usize,
    /// Its halves, if it is cut.
    halves: Option<[usize; 2]>,
}

impl NearestPlaces {
    /// Makes some places ready.
    pub fn new(places: impl Iterator<Item = Vector>) -> Self {
        let places: Vec<(Vector, u32)> = places.zip(0..).collect();
        let mut made = Self { boxes: Vec::with_capacity(places.len() / FEW * 3), places };
        if !made.places.is_empty() {
            made.cut(0, made.places.len());
        }
        made
    }

    /// Makes a box of places, and gives its number.
    fn cut(&mut self, start: usize, end: usize) -> usize {
        let own = &mut self.places[start..end];
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (place, _) in own.iter() {
            for axis in 0..3 {
                low[axis] = low[axis].min(place.0[axis]);
                high[axis] = high[axis].max(place.0[axis]);
            }
        }
        let number = self.boxes.len();
        self.boxes.push(Box { low, high, start, end, halves: None });
        if own.len() > FEW {
            let length = |axis: &usize| high[*axis] - low[*axis];
            let axis = (0..3).max_by(|left, right| length(left).total_cmp(&length(right))).unwrap_or(0);
            let middle = own.len() / 2;
            own.select_nth_unstable_by(middle, |left, right| {
                left.0.0[axis].total_cmp(&right.0.0[axis]).then(left.1.cmp(&right.1))
            });
            let halves = [self.cut(start, start + middle), self.cut(start + middle, end)];
            self.boxes[number].halves = Some(halves);
        }
        number
    }

    /// All places by their distance in kilometres from one, with their numbers; of equally near ones the lower number first.
    pub fn from(&self, place: Vector) -> Around<'_> {
        let mut around = Around { places: self, place, next: BinaryHeap::new() };
        if !self.boxes.is_empty() {
            around.see(0);
        }
        around
    }
}

/// Places by their distance.
#[derive(Debug)]
pub struct Around<'p> {
    places: &'p NearestPlaces,
    place: Vector,
    /// Squares of distances as bits, which are in the order of the numbers; boxes before places.
    next: BinaryHeap<Reverse<(u64, bool, u32)>>,
}

impl Around<'_> {
    fn see(&mut self, number: usize) {
        let own = &self.places.boxes[number];
        let outside = |axis: usize| {
            let at = self.place.0[axis];
            (own.low[axis] - at).max(at - own.high[axis]).max(0.0).powi(2)
        };
        let square: f64 = outside(0) + outside(1) + outside(2);
        self.next.push(Reverse((square.to_bits(), false, number as u32)));
    }
}

/// The distance along the earth in kilometres, given the square of that through the unit sphere.
pub fn along(square: f64) -> f64 {
    2.0 * RADIUS * (square.sqrt() / 2.0).min(1.0).asin()
}

/// The square of the distance through the unit sphere.
pub fn square_between(from: Vector, to: Vector) -> f64 {
    (0..3).map(|axis| (from.0[axis] - to.0[axis]).powi(2)).sum()
}

impl Iterator for Around<'_> {
    type Item = (f64, u32);

    fn next(&mut self) -> Option<(f64, u32)> {
        loop {
            let Reverse((square, is_place, number)) = self.next.pop()?;
            if is_place {
                return Some((along(f64::from_bits(square)), number));
            }
            let Box { start, end, halves, .. } = self.places.boxes[number as usize];
            match halves {
                Some(halves) => halves.into_iter().for_each(|half| self.see(half)),
                None => {
                    let square = |place: Vector| square_between(self.place, place).to_bits();
                    let own = &self.places.places[start..end];
                    self.next.extend(own.iter().map(|&(place, number)| Reverse((square(place), true, number))));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::distance;
    use super::*;

    proptest! {
        /// As sorting all of them by their distances.
        #[test]
        fn by_distance(
            places in prop::collection::vec((-90.0..90.0_f64, -180.0..180.0_f64), 0..60),
            from in (-90.0..90.0_f64, -180.0..180.0_f64),
        ) {
            let found: Vec<(f64, u32)> =
                NearestPlaces::new(places.iter().map(|&place| Vector::of(place))).from(Vector::of(from)).collect();
            prop_assert_eq!(found.len(), places.len());
            let mut sorted: Vec<f64> = places.iter().map(|&place| distance(from, place)).collect();
            sorted.sort_by(f64::total_cmp);
            for ((found, number), expected) in found.into_iter().zip(sorted) {
                prop_assert!((found - expected).abs() < 1e-3);
                prop_assert!((found - distance(from, places[number as usize])).abs() < 1e-3);
            }
        }
    }
}
