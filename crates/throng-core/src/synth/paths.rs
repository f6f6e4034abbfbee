//! Made-up paths: homes, work places and haunts in made-up towns, trips between them along a net of streets, holidays, gaps and noise.
//! Nobody in them is real, and the towns lie in the sea.
//!
//! # Idea
//! 1. Towns of different sizes lie within some hundred kilometres; each has homes spread around its middle, and places where people work,
//!    shop and meet, a few of them popular.
//! 2. A person has a home, a place of work or none, and some haunts, most of them in their town. Some have one point only, some hardly any.
//! 3. On a day they are at home, go to work and come back, or to a haunt; a trip follows the net, first to the east or west, then to the
//!    north or south, at a speed of its own, with a point every few minutes. A device is off at times, and wrong by some metres. Some are away
//!    for several days.
//!
//! # Cost
//! O(points).

use crate::data::paths::Point;
use crate::data::time::HOUR;
use crate::data::{Paths, PathsBuilder};
use crate::error::{Error, Result};
use crate::geo::rounded;
use crate::rng::Rng;

/// What is made up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// How many persons.
    pub persons: usize,
    /// Over how many days.
    pub days: u32,
    /// The same seed makes up the same paths.
    pub seed: u64,
}

/// Makes up paths.
#[derive(Debug, Clone)]
pub struct PathsSynth {
    params: Params,
    towns: Vec<Town>,
}

/// A town: its middle, how far homes lie from it in degrees, how many live there of all, and its places.
#[derive(Debug, Clone)]
struct Town {
    middle: (f64, f64),
    size: f64,
    people: f64,
    places: Vec<(f64, f64)>,
}

/// The first moment: 2024-03-04T00:00:00Z, a Monday.
const START: i64 = 1_709_510_400_000;
const MINUTE: i64 = HOUR / 60;
/// In the middle of the Atlantic.
const MIDDLE: (f64, f64) = (38.5, -45.0);
/// Streets lie so far apart, in degrees.
const STREETS: f64 = 0.002;

impl PathsSynth {
    /// Checks the parameters, and makes up the towns.
    pub fn new(params: Params) -> Result<Self> {
        let wrong = [
            ("persons", !(1..=50_000_000).contains(&params.persons), "must be 1 to 50 million"),
            ("days", !(1..=3650).contains(&params.days), "must be 1 to 3650"),
        ];
        let wrong: Vec<Error> = wrong
            .iter()
            .filter(|(_, is_wrong, _)| *is_wrong)
            .map(|(name, _, problem)| Error::parameter(*name, *problem))
            .collect();
        if !wrong.is_empty() {
            return Err(Error::parameters(wrong));
        }
        let mut rng = Rng::seeded_stream(params.seed, u64::MAX);
        let town = |number: usize, rng: &mut Rng| {
            // The first is a city, the others are ever smaller.
            let size = 0.06 / (1.0 + number as f64).sqrt();
            let away = if number == 0 { 0.0 } else { 0.15 + 0.5 * rng.unit() };
            let angle = rng.unit() * std::f64::consts::TAU;
            let middle = (MIDDLE.0 + away * angle.sin(), MIDDLE.1 + 1.3 * away * angle.cos());
            let count = 12 + (160.0 / (1.0 + number as f64)) as usize + (params.persons as f64).sqrt() as usize;
            let places = (0..count).map(|_| around(middle, 0.7 * size, rng)).collect();
            Town { middle, size, people: 1.0 / (1.0 + number as f64), places }
        };
        let towns = (0..8).map(|number| town(number, &mut rng)).collect();
        Ok(Self { params, towns })
    }

    /// How many persons there are.
    pub fn persons(&self) -> usize {
        self.params.persons
    }

    /// Some of the persons, whose numbers are in a range: the same whatever else is made up.
    pub fn block(&self, persons: std::ops::Range<usize>) -> Paths {
        let mut builder = PathsBuilder::default();
        for person in persons {
            let mut rng = Rng::seeded_stream(self.params.seed, person as u64);
            let name = format!("{}", 100_000 + person);
            for (time, (lat, lon)) in self.person(&mut rng) {
                builder.push(&name, Point { time, lat: rounded(lat), lon: rounded(lon), marks: [""; 4] });
            }
        }
        builder.finish()
    }

    fn person(&self, rng: &mut Rng) -> Vec<(i64, (f64, f64))> {
        let home_town = self.town(rng);
        let home = around(home_town.middle, home_town.size, rng);
        let work_town = if rng.unit() < 0.8 { home_town } else { self.town(rng) };
        let work = (rng.unit() < 0.75).then(|| popular(&work_town.places, rng));
        let haunts: Vec<(f64, f64)> = (0..2 + rng.index(4))
            .map(|_| popular(&if rng.unit() < 0.85 { home_town } else { self.town(rng) }.places, rng))
            .collect();
        // How often the device says where it is, from hardly ever to every few minutes.
        let (every, is_used) = ((2 + rng.index(15)) as i64 * MINUTE, (rng.unit() + rng.unit()) / 2.0);
        if rng.unit() < 0.03 {
            return vec![(START + rng.below(u64::from(self.params.days) * 24 * 60) as i64 * MINUTE, noisy(home, rng))];
        }
        let mut points = Vec::new();
        let mut away_until = -1_i64;
        for day in 0..i64::from(self.params.days) {
            if rng.unit() < 0.01 {
                away_until = day + 2 + rng.below(8) as i64;
            }
            let is_weekend = day % 7 >= 5;
            if rng.unit() > is_used {
                continue;
            }
            let start = START + day * 24 * HOUR;
            if day < away_until {
                let there = popular(&self.towns[(day as usize + haunts.len()) % self.towns.len()].places, rng);
                points.push((
                    start + (10 + rng.below(8) as i64) * HOUR + rng.below(60) as i64 * MINUTE,
                    noisy(there, rng),
                ));
                continue;
            }
            let mut way =
                Walk { points: &mut points, every, at: home, time: start + 7 * HOUR + rng.below(150) as i64 * MINUTE };
            way.stay(rng.below(30) as i64 * MINUTE, rng);
            if let Some(work) = work.filter(|_| !is_weekend) {
                way.go(work, rng);
                way.stay(7 * HOUR + rng.below(120) as i64 * MINUTE, rng);
            }
            if rng.unit() < if is_weekend { 0.7 } else { 0.3 } {
                let haunt = haunts[rng.index(haunts.len())];
                way.go(haunt, rng);
                way.stay(HOUR + rng.below(120) as i64 * MINUTE, rng);
            }
            way.go(home, rng);
            way.stay(rng.below(120) as i64 * MINUTE, rng);
        }
        if points.is_empty() {
            points.push((START + rng.below(u64::from(self.params.days) * 24 * 60) as i64 * MINUTE, noisy(home, rng)));
        }
        points
    }

    fn town(&self, rng: &mut Rng) -> &Town {
        let all: f64 = self.towns.iter().map(|town| town.people).sum();
        let mut left = rng.unit() * all;
        for town in &self.towns {
            if left < town.people {
                return town;
            }
            left -= town.people;
        }
        &self.towns[0]
    }
}

/// Somebody on their way.
struct Walk<'p> {
    points: &'p mut Vec<(i64, (f64, f64))>,
    every: i64,
    at: (f64, f64),
    time: i64,
}

impl Walk<'_> {
    /// Stays for a time; the device is off for parts of it.
    fn stay(&mut self, length: i64, rng: &mut Rng) {
        let end = self.time + length;
        // Who stays is seen less often than who moves.
        let every = 4 * self.every;
        while self.time <= end {
            if rng.unit() < 0.5 {
                self.points.push((self.time, noisy(self.at, rng)));
            }
            self.time += every / 2 + rng.below(every as u64) as i64;
        }
        self.time = end;
    }

    /// Goes along the streets to a place.
    fn go(&mut self, to: (f64, f64), rng: &mut Rng) {
        let street = |degrees: f64| (degrees / STREETS).round() * STREETS;
        let corner = (street(self.at.0), to.1);
        // From 12 to 60 kilometres an hour.
        let speed = 12.0 + 48.0 * rng.unit();
        for end in [corner, to] {
            let length = crate::geo::distance(self.at, end);
            let time = (length / speed * HOUR as f64) as i64;
            let (from, start) = (self.at, self.time);
            let mut passed = self.every;
            while passed < time {
                let share = passed as f64 / time as f64;
                let place = (from.0 + share * (end.0 - from.0), from.1 + share * (end.1 - from.1));
                // A tunnel, or an empty battery.
                if rng.unit() < 0.85 {
                    self.points.push((start + passed, noisy(place, rng)));
                }
                passed += self.every;
            }
            (self.at, self.time) = (end, start + time);
        }
    }
}

/// A place around another one, on a street.
fn around(middle: (f64, f64), size: f64, rng: &mut Rng) -> (f64, f64) {
    let street = |degrees: f64| (degrees / STREETS).round() * STREETS;
    (street(middle.0 + size * rng.normal()), middle.1 + 1.3 * size * rng.normal())
}

/// One of some places, the first of them far more often.
fn popular(places: &[(f64, f64)], rng: &mut Rng) -> (f64, f64) {
    let share = rng.unit();
    places[((share * share * share) * places.len() as f64) as usize]
}

/// Where a device says that it is: wrong by about ten metres.
fn noisy((lat, lon): (f64, f64), rng: &mut Rng) -> (f64, f64) {
    (lat + 0.0001 * rng.normal(), lon + 0.0001 * rng.normal())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same persons whatever block they are in; somebody has one point, and everybody has one at least.
    #[test]
    fn blocks() {
        let synth = PathsSynth::new(Params { persons: 300, days: 14, seed: 4 }).unwrap();
        let (all, part) = (synth.block(0..300), synth.block(120..150));
        assert_eq!(all.of(120..150), part.of(0..30));
        let lengths: Vec<usize> = (0..300).map(|person| all.range(person).len()).collect();
        assert!(lengths.contains(&1) && lengths.iter().all(|&length| length > 0));
        assert!(all.points() > 300 * 14);
        let (first, last) = all.time_span().unwrap();
        assert!(first >= START && last < START + 15 * 24 * HOUR);
    }

    impl Paths {
        fn of(&self, persons: std::ops::Range<usize>) -> Self {
            let persons: Vec<u32> = persons.map(|person| person as u32).collect();
            crate::data::Dataset::of_persons(self, &persons)
        }
    }

    #[test]
    fn refused() {
        let said = PathsSynth::new(Params { persons: 0, days: 0, seed: 0 }).unwrap_err().to_string();
        assert!(said.contains("persons") && said.contains("days"), "{said}");
    }
}
