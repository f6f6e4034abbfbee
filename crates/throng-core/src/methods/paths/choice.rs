//! The beginning of the record of a group: real points of its members, each published as the centre of a tile that enough persons visited.
//!
//! # Idea
//! 1. A point may be published as the centre of the finest tile of zoom 16, 14, 12, 10 that at least so many persons visited, else not.
//! 2. A record has the members' mean number of points, half up, at least one; at most ceil(that / k) come from one member.
//! 3. Points are taken one after the other: always the one by which the members' summed mean distance to the nearest chosen point,
//!    capped at 10 km, falls most. Every member has one voice, however many points they have.
//! 4. Where hardly anything is gained any more (50 metres a member), the rest is left to what the release as a whole lacks (`fill`).
//!
//! # Formula
//! gain(c) = Σ over members i of mean over i's points p of max(0, D(p) − d(c, p)), D(p) the distance to the nearest chosen one so far.
//! It only falls, so a gain worked out before bounds it: only those at the top are worked out again.
//!
//! # Cost
//! For a group of n points with t tiles: O(t · n) distances.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};

use rayon::prelude::*;

use super::fill::{Begun, Candidate};
use super::floored;
use crate::data::Paths;
use crate::data::paths::{MISSING, Mark};
use crate::geo::Vector;
use crate::geo::tile::Tile;
use crate::rng::Rng;

/// The zooms of tiles whose centres are published, the finest first.
pub(super) const ZOOMS: [u8; 4] = [16, 14, 12, 10];
/// A member's distance to the nearest chosen point counts so many kilometres, at most.
const FAR: f64 = 10.0;
/// The mean gain of a member in kilometres below which frequencies decide.
const LITTLE: f64 = 0.05;
/// Of a member so many times their cap are candidates, or if that is many, so many times.
const CANDIDATES: [usize; 2] = [9, 3];
/// More candidates of a member than these are many.
const MANY: usize = 60;
/// The points of a member within a tile of this zoom are seen as one, at their mean.
const SEEN_ZOOM: u8 = 17;

/// What may be published.
pub(super) struct Allowed {
    /// For each of [`ZOOMS`] the tiles that enough persons visited.
    tiles: Vec<HashSet<u64>>,
    /// For each name of a place whether enough persons have it.
    places: Vec<bool>,
}

impl Allowed {
    pub(super) fn of(paths: &Paths, min_persons: usize) -> Self {
        let tiles = ZOOMS.iter().map(|&zoom| {
            let codes = |person: usize| {
                let code = |point: usize| {
                    let (lat, lon) = paths.place(point);
                    Tile::at(lat, lon, zoom).code()
                };
                let mut own: Vec<u64> = paths.range(person).map(code).collect();
                own.sort_unstable();
                own.dedup();
                own
            };
            let mut codes: Vec<u64> =
                (0..paths.persons()).into_par_iter().with_min_len(64).flat_map_iter(codes).collect();
            codes.par_sort_unstable();
            let same = codes.chunk_by(|left, right| left == right);
            same.filter(|same| same.len() >= min_persons).map(|same| same[0]).collect()
        });
        let tiles = tiles.collect();
        let mut persons_with = vec![0_usize; paths.texts(Mark::Place).len()];
        for person in 0..paths.persons() {
            let mut own: Vec<u32> = paths.range(person).map(|point| paths.mark(Mark::Place, point)).collect();
            own.sort_unstable();
            own.dedup();
            own.iter().filter(|&&place| place != MISSING).for_each(|&place| persons_with[place as usize] += 1);
        }
        Self { tiles, places: persons_with.iter().map(|&persons| persons >= min_persons).collect() }
    }

    /// The tile as whose centre a point may be published.
    pub(super) fn tile(&self, (lat, lon): (f64, f64)) -> Option<Tile> {
        let finest = Tile::at(lat, lon, ZOOMS[0]);
        let tile = |(zoom, tiles): (&u8, &HashSet<u64>)| {
            let tile = finest.inside(*zoom);
            tiles.contains(&tile.code()).then_some(tile)
        };
        ZOOMS.iter().zip(&self.tiles).find_map(tile)
    }

    /// The name of the place of a point, if it may be published.
    pub(super) fn place<'p>(&self, paths: &'p Paths, point: usize) -> &'p str {
        match paths.mark(Mark::Place, point) {
            MISSING => "",
            place if self.places[place as usize] => paths.texts(Mark::Place).get(place),
            _ => "",
        }
    }
}

/// Begins the record of a group, whose times are rounded down to so many seconds.
pub(super) fn begin(
    paths: &Paths,
    members: &[u32],
    allowed: &Allowed,
    (k, resolution): (usize, u64),
    rng: &mut Rng,
) -> Begun {
    let points: usize = members.iter().map(|&member| paths.range(member as usize).len()).sum();
    let length = ((2 * points + members.len()) / (2 * members.len())).max(1);
    let cap = length.div_ceil(k);
    let candidates = candidates(paths, members, allowed, (cap, resolution), rng);
    let mut choosing = Choosing::of(paths, members, &candidates, cap, rng);
    let mut record = Vec::new();
    let least = LITTLE * members.len() as f64;
    let mut heap: BinaryHeap<Gain> =
        (0..choosing.places.len()).map(|place| Gain { gain: choosing.gain(place), place }).collect();
    while record.len() < length
        && let Some(top) = heap.pop()
    {
        if !choosing.is_left(top.place) {
            continue;
        }
        let now = Gain { gain: choosing.gain(top.place), ..top };
        if heap.peek().is_some_and(|next| *next > now) {
            heap.push(now);
            continue;
        }
        if now.gain < least && !record.is_empty() {
            break;
        }
        record.extend(choosing.take(now.place));
        choosing.see(now.place);
    }
    record.sort_unstable();
    Begun { candidates, record, left: choosing.left, length }
}

/// The candidates of a group, in the order that a record has: by time, then latitude and longitude.
fn candidates(
    paths: &Paths,
    members: &[u32],
    allowed: &Allowed,
    (cap, resolution): (usize, u64),
    rng: &mut Rng,
) -> Vec<Candidate> {
    let most = (CANDIDATES[0] * cap).min((CANDIDATES[1] * cap).max(MANY));
    let mut all = Vec::new();
    for (number, &member) in members.iter().enumerate() {
        let range = paths.range(member as usize);
        let own: Vec<Candidate> = range
            .filter_map(|point| {
                let tile = allowed.tile(paths.place(point))?;
                Some(Candidate { point: point as u32, member: number as u32, tile })
            })
            .collect();
        all.extend(rng.sample(own.len(), most).into_iter().map(|at| own[at as usize]));
    }
    all.sort_by_cached_key(|candidate| {
        let (lat, lon) = candidate.published();
        let whole = |degrees: f64| (degrees * 1e7).round() as i64;
        (floored(paths.time(candidate.point as usize), resolution), whole(lat), whole(lon), candidate.point)
    });
    all
}

/// A place that may be chosen: what is gained, ties to the lower number.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Gain {
    gain: f64,
    place: usize,
}

impl Eq for Gain {}

impl PartialOrd for Gain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Gain {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.place.cmp(&self.place))
    }
}

/// The places of a group while they are chosen.
struct Choosing {
    places: Vec<Place>,
    /// What members see: where, and what share of a member's points it is, with the distance to the nearest chosen place so far.
    seen: Vec<(Vector, f64, f64)>,
    /// How many points may still come from each member.
    left: Vec<usize>,
}

struct Place {
    centre: Vector,
    /// Candidates, by member.
    candidates: Vec<(usize, Vec<u32>)>,
}

impl Choosing {
    fn of(paths: &Paths, members: &[u32], candidates: &[Candidate], cap: usize, rng: &mut Rng) -> Self {
        let mut seen = Vec::new();
        for &member in members {
            let range = paths.range(member as usize);
            let all = range.len() as f64;
            let mut near: Vec<(u64, usize)> = range.map(|point| (tile_of(paths, point, SEEN_ZOOM), point)).collect();
            near.sort_unstable();
            for same in near.chunk_by(|left, right| left.0 == right.0) {
                let mut sum = Vector([0.0; 3]);
                same.iter().for_each(|&(_, point)| sum.add(Vector::of(paths.place(point))));
                let count = same.len() as f64;
                seen.push((Vector(sum.0.map(|axis| axis / count)), count / all, FAR));
            }
        }
        let mut by_tile: Vec<(Tile, u32, u32)> =
            (0..).zip(candidates).map(|(number, candidate)| (candidate.tile, candidate.member, number)).collect();
        by_tile.sort_unstable();
        let mut places = Vec::new();
        for same in by_tile.chunk_by(|left, right| left.0 == right.0) {
            let by_member = same.chunk_by(|left, right| left.1 == right.1);
            let own = by_member.map(|own| {
                let mut numbers: Vec<u32> = own.iter().map(|own| own.2).collect();
                // Which of several visits is published is drawn.
                rng.shuffle(&mut numbers);
                (own[0].1 as usize, numbers)
            });
            places.push(Place { centre: Vector::of(same[0].0.centre()), candidates: own.collect() });
        }
        Self { places, seen, left: vec![cap; members.len()] }
    }

    fn gain(&self, place: usize) -> f64 {
        let centre = self.places[place].centre;
        self.seen.iter().map(|&(at, weight, nearest)| weight * (nearest - centre.chord(at)).max(0.0)).sum()
    }

    fn see(&mut self, place: usize) {
        let centre = self.places[place].centre;
        self.seen.iter_mut().for_each(|(at, _, nearest)| *nearest = nearest.min(centre.chord(*at)));
    }

    /// The member from whom a point of a place may come: the one with the most left, then the lower number.
    fn giver(&self, place: usize) -> Option<usize> {
        let candidates = &self.places[place].candidates;
        let can = |at: &usize| {
            let (member, points) = &candidates[*at];
            self.left[*member] > 0 && !points.is_empty()
        };
        (0..candidates.len()).filter(can).max_by_key(|&at| (self.left[candidates[at].0], std::cmp::Reverse(at)))
    }

    fn is_left(&self, place: usize) -> bool {
        self.giver(place).is_some()
    }

    fn take(&mut self, place: usize) -> Option<u32> {
        let giver = self.giver(place)?;
        let (member, numbers) = &mut self.places[place].candidates[giver];
        self.left[*member] -= 1;
        numbers.pop()
    }
}

fn tile_of(paths: &Paths, point: usize, zoom: u8) -> u64 {
    let (lat, lon) = paths.place(point);
    Tile::at(lat, lon, zoom).code()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::paths::{PathsBuilder, Point};
    use crate::rng::Rng;

    fn paths(points: &[(usize, f64, f64)]) -> Paths {
        let mut builder = PathsBuilder::default();
        for (time, &(person, lat, lon)) in (0..).zip(points) {
            builder.push(&person.to_string(), Point { time, lat, lon, marks: [""; 4] });
        }
        builder.finish()
    }

    /// A point where one alone was goes up to the tile that enough share, or is none.
    #[test]
    fn tiles_that_enough_visited() {
        let paths = paths(&[(0, 47.0, 8.0), (1, 47.0, 8.0), (2, 47.01, 8.01), (3, 10.0, 10.0)]);
        let zoom = |at, min_persons| Allowed::of(&paths, min_persons).tile(at).map(Tile::zoom);
        assert_eq!((zoom((47.0, 8.0), 1), zoom((47.0, 8.0), 2)), (Some(16), Some(16)));
        let coarser = zoom((47.0, 8.0), 3).unwrap();
        assert!(coarser < 16 && Tile::at(47.0, 8.0, coarser) == Tile::at(47.01, 8.01, coarser));
        assert_eq!((zoom((10.0, 10.0), 1), zoom((10.0, 10.0), 2), zoom((47.0, 8.0), 4)), (Some(16), None, None));
    }

    proptest! {
        /// As the plain greedy choice, which works every gain out anew; never more of a member than their cap.
        #[test]
        fn as_the_plain_choice(
            points in prop::collection::vec((0..4_usize, 0..40_u32, 0..40_u32), 4..60),
            k in 2..5_usize,
            seed: u64,
        ) {
            let points: Vec<(usize, f64, f64)> = (0..4).map(|person| (person, 47.0, 8.0)).chain(points.into_iter()
                .map(|(person, lat, lon)| (person, 47.0 + f64::from(lat) / 150.0, 8.0 + f64::from(lon) / 150.0))).collect();
            let paths = paths(&points);
            let members: Vec<u32> = (0..paths.persons() as u32).collect();
            let allowed = Allowed::of(&paths, 2);
            let found = begin(&paths, &members, &allowed, (k, 3600), &mut Rng::seeded(seed));
            let length = ((2 * points.len() + members.len()) / (2 * members.len())).max(1);
            let cap = length.div_ceil(k);
            let mut rng = Rng::seeded(seed);
            let all = candidates(&paths, &members, &allowed, (cap, 3600), &mut rng);
            let mut choosing = Choosing::of(&paths, &members, &all, cap, &mut rng);
            let mut plain: Vec<u32> = Vec::new();
            while plain.len() < length {
                let best = (0..choosing.places.len()).filter(|&place| choosing.is_left(place))
                    .max_by(|&left, &right| choosing.gain(left).total_cmp(&choosing.gain(right)).then(right.cmp(&left)));
                let Some(best) = best else { break };
                if choosing.gain(best) < LITTLE * members.len() as f64 && !plain.is_empty() {
                    break;
                }
                plain.extend(choosing.take(best));
                choosing.see(best);
            }
            plain.sort_unstable();
            prop_assert_eq!(&found.record, &plain);
            prop_assert_eq!(&found.left, &choosing.left);
            prop_assert_eq!(found.length, length);
            let of_member = |member: usize| {
                found.record.iter().filter(|&&at| found.candidates[at as usize].member as usize == member).count()
            };
            for member in 0..members.len() {
                prop_assert_eq!(of_member(member) + found.left[member], cap);
            }
            let mut different = plain.clone();
            different.dedup();
            prop_assert_eq!(different.len(), plain.len());
            let place = |candidate: &Candidate| allowed.tile(paths.place(candidate.point as usize));
            prop_assert!(found.candidates.iter().all(|candidate| place(candidate) == Some(candidate.tile)));
        }
    }
}
