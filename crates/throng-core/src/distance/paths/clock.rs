//! Synchronous distance: where two people were at the same moments of a common clock.
//!
//! Paper      Nanni, Pedreschi. Time-focused clustering of trajectories of moving objects. Journal of Intelligent Information Systems 27
//!            (2006): the mean distance over the common time. Squares, so that holders can compute it on shares, are ours.
//!
//! # Idea
//! 1. A clock is an interval and a number of moments, as far apart from its beginning to its end.
//! 2. A path's place at a moment is on the straight way between the points around it; before the first and after the last, there.
//! 3. Places are whole metres east and north of an origin. If somebody is a thousand kilometres away, all are whole metres of three
//!    directions through the earth instead.
//!
//! # Formula
//! sqrt(sum over D moments of the squared distance of both places / D), in metres. The sum is a whole number.
//!
//! # Cost
//! Time O(D) a pair, memory 24 · D bytes a path.

use super::super::Pairwise;
use crate::data::Paths;
use crate::data::paths::tracks::{Tracks, place_at};
use crate::geo::{RADIUS, Vector, plane};

/// Nobody is so many metres east or north of the origin of a plane.
pub const MOST_METRES: i64 = 1 << 20;
/// The most moments of a clock: with [`MOST_METRES`] sums stay below 2^62.
pub const MOST_MOMENTS: usize = 1024;

/// A common clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// The first moment, in milliseconds since 1970.
    pub from: i64,
    /// The last moment.
    pub to: i64,
    /// How many there are.
    pub moments: usize,
}

impl Clock {
    /// When a moment is, from 0.
    pub fn time(&self, moment: usize) -> i64 {
        let steps = self.moments.max(2) as i128 - 1;
        self.from + (i128::from(self.to - self.from) * moment as i128 / steps) as i64
    }
}

/// Metres east and north of an origin at each moment of a clock.
pub fn resampled(paths: &Paths, tracks: &Tracks, track: usize, clock: Clock, origin: (f64, f64)) -> Vec<[i64; 2]> {
    let place = |moment: usize| {
        let (east, north) = plane::metres(origin, place_at(paths, tracks.range(track), clock.time(moment)));
        [east.round() as i64, north.round() as i64]
    };
    (0..clock.moments).map(place).collect()
}

/// The distance that a sum of squares over so many moments stands for.
pub fn from_squares(sum: u64, moments: usize) -> f64 {
    (sum as f64 / moments.max(1) as f64).sqrt()
}

/// How far places reach, of one holder or of several together.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// The southernmost and the northernmost latitude.
    pub lats: (f64, f64),
    /// The sum of the directions of all places, which knows no date line.
    pub directions: Vector,
}

impl Extent {
    /// That of all points.
    pub fn of(paths: &Paths) -> Self {
        let mut extent = Self { lats: (f64::MAX, f64::MIN), directions: Vector([0.0; 3]) };
        for place in (0..paths.points()).map(|point| paths.place(point)) {
            extent.add(Self { lats: (place.0, place.0), directions: Vector::of(place) });
        }
        extent
    }

    /// Adds another one's.
    pub fn add(&mut self, other: Self) {
        self.lats = (self.lats.0.min(other.lats.0), self.lats.1.max(other.lats.1));
        self.directions.add(other.directions);
    }

    /// The origin that lies in the middle, in whole degrees: as good for holders who do not know each other's places.
    pub fn origin(self) -> (f64, f64) {
        (f64::midpoint(self.lats.0, self.lats.1).round(), self.directions.place().1.round())
    }
}

/// The origin that lies in the middle of all places, in whole degrees.
pub fn origin(paths: &Paths) -> (f64, f64) {
    if paths.points() == 0 { (0.0, 0.0) } else { Extent::of(paths).origin() }
}

/// Paths on a common clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnClock {
    moments: usize,
    /// Whole metres, moment by moment and path by path.
    places: Vec<[i64; 3]>,
}

impl OnClock {
    /// All tracks; metres of the plane around the origin if they fit there.
    pub fn of(paths: &Paths, tracks: &Tracks, clock: Clock, origin: (f64, f64)) -> Self {
        use rayon::prelude::*;
        let on_plane = |track: usize| resampled(paths, tracks, track, clock, origin);
        let flat: Vec<Vec<[i64; 2]>> = (0..tracks.len()).into_par_iter().map(on_plane).collect();
        let fits = flat.par_iter().flatten().all(|place| place.iter().all(|metres| metres.abs() < MOST_METRES));
        let places = if fits {
            flat.iter().flatten().map(|&[east, north]| [east, north, 0]).collect()
        } else {
            let on_sphere = |track: usize| {
                let place = move |moment: usize| {
                    let place = place_at(paths, tracks.range(track), clock.time(moment));
                    Vector::of(place).0.map(|share| (share * RADIUS * 1000.0).round() as i64)
                };
                (0..clock.moments).map(place).collect::<Vec<_>>()
            };
            (0..tracks.len()).into_par_iter().flat_map_iter(on_sphere).collect()
        };
        Self { moments: clock.moments, places }
    }

    /// The sum of the squared distances of two paths.
    pub fn squares(&self, left: usize, right: usize) -> u64 {
        let places = |path: usize| &self.places[path * self.moments..(path + 1) * self.moments];
        let square = |(own, other): (&[i64; 3], &[i64; 3])| -> u64 {
            own.iter().zip(other).map(|(own, other)| own.abs_diff(*other).pow(2)).sum()
        };
        places(left).iter().zip(places(right)).map(square).sum()
    }
}

impl Pairwise for OnClock {
    type Scratch = ();

    fn len(&self) -> usize {
        self.places.len() / self.moments.max(1)
    }

    fn scratch(&self) {}

    fn distance(&self, left: usize, right: usize, (): &mut ()) -> f64 {
        from_squares(self.squares(left, right), self.moments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::paths::{PathsBuilder, Point};

    fn paths(points: &[(&str, i64, f64, f64)]) -> Paths {
        let mut builder = PathsBuilder::default();
        for &(person, time, lat, lon) in points {
            builder.push(person, Point { time, lat, lon, marks: [""; 4] });
        }
        builder.finish()
    }

    /// Three moments: a stays, b walks away from it; 0, 500 and 1000 metres apart. A degree of latitude has 111,195.08 m.
    #[test]
    fn by_hand() {
        let paths = paths(&[("a", 0, 0.0, 0.0), ("b", 0, 0.0, 0.0), ("b", 100, 0.008_993_2, 0.0)]);
        let tracks = Tracks::of_persons(&paths);
        let clock = Clock { from: 0, to: 100, moments: 3 };
        assert_eq!(resampled(&paths, &tracks, 1, clock, (0.0, 0.0)), [[0, 0], [0, 500], [0, 1000]]);
        let space = OnClock::of(&paths, &tracks, clock, origin(&paths));
        assert_eq!(space.squares(0, 1), 1_250_000);
        assert_eq!(space.distance(0, 1, &mut ()), (1_250_000.0_f64 / 3.0).sqrt());
        assert_eq!(space.len(), 2);
    }

    /// Paths all over the world are as far apart as through the earth, also over the date line.
    #[test]
    fn the_whole_world() {
        let paths = paths(&[("a", 0, 0.0, 179.999), ("b", 0, 0.0, -179.999), ("c", 0, 0.0, 0.0)]);
        let space = OnClock::of(&paths, &Tracks::of_persons(&paths), Clock { from: 0, to: 0, moments: 1 }, (0.0, 0.0));
        assert!((space.distance(0, 1, &mut ()) - 222.39).abs() < 1.0);
        assert!((space.distance(0, 2, &mut ()) / (2000.0 * RADIUS) - 1.0).abs() < 1e-6);
    }
}
