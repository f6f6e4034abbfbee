//! Places on a sphere that can be searched by nearness.
//!
//! # Idea
//! A place is a point on the unit sphere, so that neither the date line nor a pole is anything special. The points are kept in a k-d
//! tree whose nodes lie in one array: the middle of a range is the node, what is before it lies to one side and what is behind it to the
//! other, cut along the widest axis. Chords only say where nothing can be nearer; what is compared are great circles ([`crate::geo`]).
//!
//! # Cost
//! Time O(n log² n) to build, O(log n) a search in the usual case; 36 bytes a place. Ties go to the lower number.

use crate::geo::{self, RADIUS};

/// Places by number, ready to be searched.
#[derive(Debug, Clone, Default)]
pub struct Places {
    places: Vec<(f64, f64)>,
    /// The numbers in the order of the tree.
    order: Vec<u32>,
    /// The axis that a node cuts, by its position in the order.
    axes: Vec<u8>,
}

/// Ranges that are not cut any more.
const LEAF: usize = 8;
/// A chord is computed with an error far below this share of it, or of the sphere.
const ROOM: f64 = 1e-6;

fn on_sphere((lat, lon): (f64, f64)) -> [f64; 3] {
    let (lat, lon) = (lat.to_radians(), lon.to_radians());
    [lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]
}

/// The longest chord, with room for rounding, that a distance in kilometres can have.
fn chord(kilometres: f64) -> f64 {
    2.0 * (kilometres / (2.0 * RADIUS)).min(std::f64::consts::FRAC_PI_2).sin() * (1.0 + ROOM) + 1e-12
}

impl Places {
    /// Places, each latitude and longitude in degrees; their numbers are their positions.
    pub fn new(places: Vec<(f64, f64)>) -> Self {
        let mut order: Vec<u32> = (0..places.len() as u32).collect();
        let mut axes = vec![0; order.len()];
        let points: Vec<[f64; 3]> = places.iter().map(|&place| on_sphere(place)).collect();
        cut(&points, &mut order, &mut axes);
        Self { places, order, axes }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// A place by its number.
    pub fn get(&self, number: u32) -> (f64, f64) {
        self.places[number as usize]
    }

    /// The nearest place and how far it is in kilometres.
    pub fn nearest(&self, place: (f64, f64)) -> Option<(u32, f64)> {
        self.nearest_few(place, 1).first().copied()
    }

    /// The nearest places and how far they are in kilometres, the nearest first.
    pub fn nearest_few(&self, place: (f64, f64), count: usize) -> Vec<(u32, f64)> {
        let mut found = Few { count, kept: Vec::with_capacity(count.min(self.len()) + 1) };
        if count > 0 {
            self.visit(on_sphere(place), (0, self.len()), &mut |number| {
                found.offer(number, geo::distance(self.get(number), place));
                chord(found.limit())
            });
        }
        found.kept
    }

    /// The numbers of all places that are no farther than so many kilometres, in rising order.
    pub fn within(&self, place: (f64, f64), kilometres: f64) -> Vec<u32> {
        let mut found = Vec::new();
        let limit = chord(kilometres);
        self.visit_within(place, limit, &mut |number| {
            if geo::distance(self.get(number), place) <= kilometres {
                found.push(number);
            }
        });
        found.sort_unstable();
        found
    }

    /// How many places are no farther than so many kilometres.
    pub fn count_within(&self, place: (f64, f64), kilometres: f64) -> usize {
        let mut count = 0;
        self.visit_within(place, chord(kilometres), &mut |number| {
            count += usize::from(geo::distance(self.get(number), place) <= kilometres);
        });
        count
    }

    fn visit_within(&self, place: (f64, f64), limit: f64, each: &mut impl FnMut(u32)) {
        self.visit(on_sphere(place), (0, self.len()), &mut |number| {
            each(number);
            limit
        });
    }

    /// Visits places, near ones first, and leaves out what is farther than the last returned chord.
    fn visit(&self, from: [f64; 3], (start, end): (usize, usize), each: &mut impl FnMut(u32) -> f64) -> f64 {
        let mut limit = f64::INFINITY;
        if end - start <= LEAF {
            for &number in &self.order[start..end] {
                limit = each(number);
            }
            return limit;
        }
        let middle = usize::midpoint(start, end);
        let axis = usize::from(self.axes[middle]);
        let number = self.order[middle];
        let beyond = from[axis] - on_sphere(self.get(number))[axis];
        let (near, far) =
            if beyond < 0.0 { ((start, middle), (middle + 1, end)) } else { ((middle + 1, end), (start, middle)) };
        self.visit(from, near, each);
        limit = each(number);
        if beyond.abs() <= limit {
            limit = self.visit(from, far, each).min(limit);
        }
        limit
    }
}

fn cut(points: &[[f64; 3]], order: &mut [u32], axes: &mut [u8]) {
    if order.len() <= LEAF {
        return;
    }
    let width = |axis: usize| {
        let of = |number: &u32| points[*number as usize][axis];
        let (low, high) = order
            .iter()
            .map(of)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        high - low
    };
    let widths = [0, 1, 2].map(width);
    let axis = (0..3).fold(0, |best, axis| if widths[axis] > widths[best] { axis } else { best });
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, |&left, &right| {
        points[left as usize][axis].total_cmp(&points[right as usize][axis]).then(left.cmp(&right))
    });
    axes[middle] = axis as u8;
    let (before, behind) = order.split_at_mut(middle);
    let (axes_before, axes_behind) = axes.split_at_mut(middle);
    cut(points, before, axes_before);
    cut(points, &mut behind[1..], &mut axes_behind[1..]);
}

/// The nearest so far, the nearest first.
struct Few {
    count: usize,
    kept: Vec<(u32, f64)>,
}

impl Few {
    fn offer(&mut self, number: u32, distance: f64) {
        let place =
            self.kept.partition_point(|&(other, far)| far.total_cmp(&distance).then(other.cmp(&number)).is_lt());
        if place < self.count {
            self.kept.truncate(self.count - 1);
            self.kept.insert(place.min(self.kept.len()), (number, distance));
        }
    }

    fn limit(&self) -> f64 {
        if self.kept.len() < self.count { f64::INFINITY } else { self.kept.last().map_or(f64::INFINITY, |last| last.1) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn anywhere() -> impl Strategy<Value = (f64, f64)> {
        prop_oneof![
            (-90.0..=90.0f64, -180.0..=180.0f64),
            // A town, by its numbers on a coarse grid, so that there are ties and copies.
            (0..6i32, 0..6i32).prop_map(|(up, along)| (48.0 + f64::from(up) * 1e-4, -30.0 + f64::from(along) * 1e-4)),
            (89.9..=90.0f64, -180.0..=180.0f64),
            (-1.0..=1.0f64, prop_oneof![179.9..=180.0f64, -180.0..=-179.9f64]),
        ]
    }

    proptest! {
        /// The tree finds what looking at every place finds.
        #[test]
        fn the_tree_is_the_plain_search(places in prop::collection::vec(anywhere(), 0..60), from in anywhere(), count in 0usize..12) {
            let tree = Places::new(places.clone());
            let mut plain: Vec<(u32, f64)> =
                places.iter().enumerate().map(|(number, &place)| (number as u32, geo::distance(place, from))).collect();
            plain.sort_by(|left, right| left.1.total_cmp(&right.1).then(left.0.cmp(&right.0)));
            let nearest: Vec<_> = plain.iter().take(count).copied().collect();
            prop_assert_eq!(tree.nearest_few(from, count), nearest);
            for &(_, limit) in plain.iter().take(5) {
                let mut expected: Vec<u32> = plain.iter().filter(|near| near.1 <= limit).map(|near| near.0).collect();
                expected.sort_unstable();
                prop_assert_eq!(tree.count_within(from, limit), expected.len());
                prop_assert_eq!(tree.within(from, limit), expected);
            }
        }
    }
}
