//! The rest of all records: points by which places keep their visits and moves keep their numbers, over all records together.
//!
//! # Idea
//! 1. A record that was begun (`choice`) lacks some points. They are taken one after the other, always the one that the release lacks most:
//!    whose tiles of zoom 15, 13 and 11 are behind their visits in the original, and which makes moves between tiles of zoom 13 of which
//!    there are too few, and breaks one of which there are too many.
//! 2. Records are filled in their order, and each is told what those before it have. Then once more: every point so taken is taken back, and
//!    the one that is lacked most now takes its place. With many points that changes little, and is left out.
//!
//! So what one group cannot show, another does; groups alone would all leave out what is rare.
//!
//! # Formula
//! lack(x) = (original(x) · release points / original points − release(x)) / persons of the group, at least −1 and at most 1, where each point
//! of a record counts once for each of its persons. The score of a candidate c between the points a and b of the record is
//! Σ over the three zooms of lack(tile of c) + lack(a → c) + lack(c → b) − lack(a → b without this record).
//!
//! # Cost
//! Time O(candidates) for each point that is taken; memory a number for each tile and each move.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;

use crate::data::Paths;
use crate::geo::tile::Tile;
use crate::progress::Progress;

/// The zooms whose tiles are to keep their visits.
const ZOOMS: [u8; 3] = [15, 13, 11];
/// Which of them moves are counted between.
const MOVES: usize = 1;
/// Up to so many points of the original records are filled a second time.
const AGAIN: usize = 2_000_000;

/// A point that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    /// The point.
    pub(super) point: u32,
    /// Whose it is, by number in the group.
    pub(super) member: u32,
    /// The tile as whose centre it is published.
    pub(super) tile: Tile,
}

/// A record that was begun.
#[derive(Debug, Clone, Default)]
pub(super) struct Begun {
    /// In the order that a record has.
    pub(super) candidates: Vec<Candidate>,
    /// Those that are in it, in rising order.
    pub(super) record: Vec<u32>,
    /// How many more points may come from each member.
    pub(super) left: Vec<usize>,
    /// How many points it is to have.
    pub(super) length: usize,
}

/// Fills all records.
pub(super) fn fill(original: &Paths, begun: &mut [Begun], progress: &dyn Progress) {
    let mut tallies = Tallies::of(original, begun);
    let mut filling: Vec<Filling<'_>> = begun.iter_mut().map(|record| Filling::of(record, &tallies)).collect();
    filling.iter().for_each(|record| record.count(&mut tallies));
    progress.stage("filling records", filling.len() as u64);
    for record in &mut filling {
        if progress.is_stopped() {
            return;
        }
        while record.begun.record.len() < record.begun.length
            && let Some(best) = record.best(&tallies)
        {
            record.take(best, &mut tallies);
            record.taken.push(best);
        }
        progress.advance(1);
    }
    if original.points() > AGAIN {
        return;
    }
    for record in &mut filling {
        for at in 0..record.taken.len() {
            if progress.is_stopped() {
                return;
            }
            record.give_back(record.taken[at], &mut tallies);
            if let Some(best) = record.best(&tallies) {
                record.take(best, &mut tallies);
                record.taken[at] = best;
            }
        }
    }
}

/// How often something is in the original and in the release.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    original: u32,
    release: i64,
}

/// Visits and moves, of the original and of the release so far.
struct Tallies {
    /// The codes of the tiles of each zoom, in rising order; their places are their numbers.
    tiles: [Vec<u64>; ZOOMS.len()],
    visits: [Vec<Tally>; ZOOMS.len()],
    moves: HashMap<(u32, u32), Tally, FixedState>,
    /// The points of the release, when it is done, by those of the original.
    scale: f64,
}

impl Tallies {
    fn of(original: &Paths, begun: &[Begun]) -> Self {
        let published = || begun.par_iter().flat_map_iter(|record| record.candidates.iter().map(Candidate::published));
        let own = || (0..original.points()).into_par_iter().map(|point| original.place(point));
        let tiles = ZOOMS.map(|zoom| {
            let code = |(lat, lon)| Tile::at(lat, lon, zoom).code();
            let mut codes: Vec<u64> = own().map(code).chain(published().map(code)).collect();
            codes.par_sort_unstable();
            codes.dedup();
            codes
        });
        let mut tallies = Self {
            visits: std::array::from_fn(|zoom| vec![Tally::default(); tiles[zoom].len()]),
            tiles,
            moves: HashMap::default(),
            scale: 0.0,
        };
        for person in 0..original.persons() {
            let mut before = None;
            for point in original.range(person) {
                let tiles = tallies.numbers(original.place(point));
                tallies.visits.iter_mut().zip(tiles).for_each(|(visits, tile)| visits[tile as usize].original += 1);
                if let Some(before) = before.filter(|&before| before != tiles[MOVES]) {
                    tallies.moves.entry((before, tiles[MOVES])).or_default().original += 1;
                }
                before = Some(tiles[MOVES]);
            }
        }
        let all: usize = begun.iter().map(|record| record.length * record.left.len()).sum();
        tallies.scale = all as f64 / original.points().max(1) as f64;
        tallies
    }

    /// The numbers of the tiles of a place.
    fn numbers(&self, (lat, lon): (f64, f64)) -> [u32; ZOOMS.len()] {
        let finest = Tile::at(lat, lon, ZOOMS[0]);
        std::array::from_fn(|at| {
            let code = finest.inside(ZOOMS[at]).code();
            self.tiles[at].partition_point(|&other| other < code) as u32
        })
    }

    /// How far something is behind, for a group of so many persons, of whom so much is not counted.
    fn lack(&self, tally: Tally, uncounted: i64, persons: i64) -> f64 {
        let behind = f64::from(tally.original) * self.scale - (tally.release - uncounted) as f64;
        (behind / persons as f64).clamp(-1.0, 1.0)
    }

    /// The same of a move; staying is none.
    fn lack_of_move(&self, from: Option<u32>, to: Option<u32>, uncounted: i64, persons: i64) -> f64 {
        match (from, to) {
            (Some(from), Some(to)) if from != to => {
                self.lack(self.moves.get(&(from, to)).copied().unwrap_or_default(), uncounted, persons)
            }
            _ => 0.0,
        }
    }

    fn count_move(&mut self, from: Option<u32>, to: Option<u32>, persons: i64) {
        if let (Some(from), Some(to)) = (from, to)
            && from != to
        {
            self.moves.entry((from, to)).or_default().release += persons;
        }
    }
}

/// A record while it is filled.
struct Filling<'b> {
    begun: &'b mut Begun,
    /// The tiles of the candidates.
    tiles: Vec<[u32; ZOOMS.len()]>,
    /// Which candidates are in the record.
    is_in: Vec<bool>,
    /// What was taken here, in order.
    taken: Vec<u32>,
}

impl<'b> Filling<'b> {
    fn of(begun: &'b mut Begun, tallies: &Tallies) -> Self {
        let tiles = begun.candidates.iter().map(|candidate| tallies.numbers(candidate.published())).collect();
        let mut is_in = vec![false; begun.candidates.len()];
        begun.record.iter().for_each(|&candidate| is_in[candidate as usize] = true);
        Self { begun, tiles, is_in, taken: Vec::new() }
    }

    fn persons(&self) -> i64 {
        self.begun.left.len() as i64
    }

    /// Counts what the record was begun with.
    fn count(&self, tallies: &mut Tallies) {
        let mut before = None;
        for &candidate in &self.begun.record {
            let tiles = self.tiles[candidate as usize];
            for (visits, tile) in tallies.visits.iter_mut().zip(tiles) {
                visits[tile as usize].release += self.persons();
            }
            tallies.count_move(before, Some(tiles[MOVES]), self.persons());
            before = Some(tiles[MOVES]);
        }
    }

    /// The tile between whose moves the candidate at a place of the record is, if there is one.
    fn stop(&self, at: Option<usize>) -> Option<u32> {
        self.begun.record.get(at?).map(|&candidate| self.tiles[candidate as usize][MOVES])
    }

    /// The candidate that is lacked most; of equal ones that of the member with the most left, then the first.
    fn best(&self, tallies: &Tallies) -> Option<u32> {
        let persons = self.persons();
        let mut best: Option<(f64, usize, u32)> = None;
        // Both are in the same order: where a candidate would stand moves along with it.
        let mut at = 0_usize;
        let mut gap: Option<(Option<u32>, Option<u32>, f64)> = None;
        let mut last: Option<(u32, f64)> = None;
        for (number, candidate) in (0_u32..).zip(&self.begun.candidates) {
            if self.is_in[number as usize] {
                at += 1;
                (gap, last) = (None, None);
                continue;
            }
            let left = self.begun.left[candidate.member as usize];
            if left == 0 {
                continue;
            }
            let (before, after, broken) = *gap.get_or_insert_with(|| {
                let (before, after) = (self.stop(at.checked_sub(1)), self.stop(Some(at)));
                (before, after, tallies.lack_of_move(before, after, persons, persons))
            });
            let tiles = self.tiles[number as usize];
            let own = Some(tiles[MOVES]);
            let moves = match last {
                Some((tile, moves)) if tile == tiles[MOVES] => moves,
                _ => {
                    tallies.lack_of_move(before, own, 0, persons) + tallies.lack_of_move(own, after, 0, persons)
                        - broken
                }
            };
            last = Some((tiles[MOVES], moves));
            let visits: f64 = tallies
                .visits
                .iter()
                .zip(tiles)
                .map(|(visits, tile)| tallies.lack(visits[tile as usize], 0, persons))
                .sum();
            let score = visits + moves;
            let is_better = best.is_none_or(|(other, most, _)| score.total_cmp(&other).then(left.cmp(&most)).is_gt());
            if is_better {
                best = Some((score, left, number));
            }
        }
        best.map(|(_, _, number)| number)
    }

    fn take(&mut self, candidate: u32, tallies: &mut Tallies) {
        let at = self.begun.record.partition_point(|&other| other < candidate);
        self.change(candidate, at, at, 1, tallies);
        self.begun.record.insert(at, candidate);
    }

    fn give_back(&mut self, candidate: u32, tallies: &mut Tallies) {
        let at = self.begun.record.partition_point(|&other| other < candidate);
        self.change(candidate, at, at + 1, -1, tallies);
        self.begun.record.remove(at);
    }

    /// Counts that a candidate comes or goes between the points before one place of the record and from another one on.
    fn change(&mut self, candidate: u32, at: usize, from: usize, sign: i64, tallies: &mut Tallies) {
        let number = candidate as usize;
        let persons = sign * self.persons();
        let (before, own, after) =
            (self.stop(at.checked_sub(1)), Some(self.tiles[number][MOVES]), self.stop(Some(from)));
        for (visits, tile) in tallies.visits.iter_mut().zip(self.tiles[number]) {
            visits[tile as usize].release += persons;
        }
        tallies.count_move(before, own, persons);
        tallies.count_move(own, after, persons);
        tallies.count_move(before, after, -persons);
        self.is_in[number] = sign > 0;
        let left = &mut self.begun.left[self.begun.candidates[number].member as usize];
        *left = left.saturating_add_signed(-sign as isize);
    }
}

impl Candidate {
    /// The place as it is published, with seven decimals.
    pub(super) fn published(&self) -> (f64, f64) {
        let (lat, lon) = self.tile.centre();
        let written = |degrees: f64| (degrees * 1e7).round() / 1e7;
        (written(lat), written(lon))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::choice::{Allowed, begin};
    use super::*;
    use crate::data::PathsBuilder;
    use crate::data::paths::Point;
    use crate::progress::Silent;
    use crate::rng::Rng;

    type Counts = (Vec<BTreeMap<u64, i64>>, BTreeMap<(u64, u64), i64>);

    fn add(counts: &mut Counts, places: &[(f64, f64)], times: i64) {
        for (at, zoom) in ZOOMS.iter().enumerate() {
            places
                .iter()
                .for_each(|&(lat, lon)| *counts.0[at].entry(Tile::at(lat, lon, *zoom).code()).or_default() += times);
        }
        let tiles: Vec<u64> = places.iter().map(|&(lat, lon)| Tile::at(lat, lon, ZOOMS[MOVES]).code()).collect();
        for pair in tiles.windows(2).filter(|pair| pair[0] != pair[1]) {
            *counts.1.entry((pair[0], pair[1])).or_default() += times;
        }
    }

    fn none() -> Counts {
        (vec![BTreeMap::new(); ZOOMS.len()], BTreeMap::new())
    }

    fn places(begun: &Begun, record: &[u32]) -> Vec<(f64, f64)> {
        record.iter().map(|&at| begun.candidates[at as usize].published()).collect()
    }

    /// The same, with everything counted anew for each candidate.
    fn plainly(original: &Paths, begun: &mut [Begun]) {
        let mut before = none();
        for person in 0..original.persons() {
            let own: Vec<(f64, f64)> = original.range(person).map(|point| original.place(point)).collect();
            add(&mut before, &own, 1);
        }
        let all: usize = begun.iter().map(|record| record.length * record.left.len()).sum();
        let scale = all as f64 / original.points().max(1) as f64;
        let step = |begun: &mut [Begun], at: usize| -> Option<u32> {
            let persons = begun[at].left.len() as i64;
            let mut after = none();
            begun.iter().for_each(|record| add(&mut after, &places(record, &record.record), record.left.len() as i64));
            let lack = |original: Option<&i64>, release: i64| {
                let behind = original.copied().unwrap_or_default() as f64 * scale - release as f64;
                (behind / persons as f64).clamp(-1.0, 1.0)
            };
            let mut best: Option<(f64, usize, u32)> = None;
            for (number, candidate) in (0..).zip(&begun[at].candidates) {
                let left = begun[at].left[candidate.member as usize];
                if left == 0 || begun[at].record.contains(&number) {
                    continue;
                }
                let (lat, lon) = candidate.published();
                let visits: f64 = (0..ZOOMS.len())
                    .map(|zoom| {
                        let tile = Tile::at(lat, lon, ZOOMS[zoom]).code();
                        lack(before.0[zoom].get(&tile), after.0[zoom].get(&tile).copied().unwrap_or_default())
                    })
                    .sum();
                let code = |at: Option<&u32>, begun: &Begun| {
                    at.map(|&at| begun.candidates[at as usize].published())
                        .map(|(lat, lon)| Tile::at(lat, lon, ZOOMS[MOVES]).code())
                };
                let record = &begun[at].record;
                let place = record.partition_point(|&other| other < number);
                let sides = [place.checked_sub(1).and_then(|at| record.get(at)), record.get(place)]
                    .map(|side| code(side, &begun[at]));
                let of_move = |from: Option<u64>, to: Option<u64>, uncounted: i64| match (from, to) {
                    (Some(from), Some(to)) if from != to => {
                        let pair = (from, to);
                        lack(before.1.get(&pair), after.1.get(&pair).copied().unwrap_or_default() - uncounted)
                    }
                    _ => 0.0,
                };
                let own = Some(Tile::at(lat, lon, ZOOMS[MOVES]).code());
                let moves =
                    of_move(sides[0], own, 0) + of_move(own, sides[1], 0) - of_move(sides[0], sides[1], persons);
                let score = visits + moves;
                if best.is_none_or(|(other, most, _)| score.total_cmp(&other).then(left.cmp(&most)).is_gt()) {
                    best = Some((score, left, number));
                }
            }
            let best = best?.2;
            let record = &mut begun[at];
            record.record.push(best);
            record.record.sort_unstable();
            record.left[record.candidates[best as usize].member as usize] -= 1;
            Some(best)
        };
        let mut taken: Vec<Vec<u32>> = vec![Vec::new(); begun.len()];
        for at in 0..begun.len() {
            while begun[at].record.len() < begun[at].length
                && let Some(best) = step(begun, at)
            {
                taken[at].push(best);
            }
        }
        for (at, taken) in taken.into_iter().enumerate() {
            for own in taken {
                begun[at].record.retain(|&other| other != own);
                begun[at].left[begun[at].candidates[own as usize].member as usize] += 1;
                step(begun, at);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// As the plain way finds, which counts everything anew; nobody gives more than their cap, and records have their length.
        #[test]
        fn as_counted_anew(
            points in prop::collection::vec((0..9_usize, 0..60_u32, 0..60_u32, 0..30_i64), 9..60),
            seed: u64,
        ) {
            let mut builder = PathsBuilder::default();
            for person in 0..9 {
                builder.push(&person.to_string(), Point { time: 0, lat: 47.0, lon: 8.0, marks: [""; 4] });
            }
            for &(person, lat, lon, hour) in &points {
                let (lat, lon) = (47.0 + f64::from(lat) / 200.0, 8.0 + f64::from(lon) / 200.0);
                builder.push(&person.to_string(), Point { time: hour * 3_600_000, lat, lon, marks: [""; 4] });
            }
            let paths = builder.finish();
            let allowed = Allowed::of(&paths, 2);
            let groups: [&[u32]; 3] = [&[0, 1, 2], &[3, 4], &[5, 6, 7, 8]];
            let start: Vec<Begun> = groups.iter().zip(0..)
                .map(|(members, group)| begin(&paths, members, &allowed, (2, 3600), &mut Rng::seeded_stream(seed, group)))
                .collect();
            let (mut found, mut plain) = (start.clone(), start.clone());
            fill(&paths, &mut found, &Silent);
            plainly(&paths, &mut plain);
            for (found, plain) in found.iter().zip(&plain) {
                prop_assert_eq!(&found.record, &plain.record);
                prop_assert_eq!(&found.left, &plain.left);
                prop_assert!(found.record.len() <= found.length);
                let most: usize = found.left.iter().sum();
                prop_assert!(found.record.len() == found.length || most == 0 || found.record.len() == found.candidates.len()
                    || found.candidates.iter().zip(0..).all(|(own, at)| found.left[own.member as usize] == 0 || found.record.contains(&at)));
            }
        }
    }
}
