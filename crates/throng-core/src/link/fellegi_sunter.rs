//! Fellegi-Sunter: how many bits of evidence a pair of records has for being one person's, learned without any truth.
//!
//! Papers     Fellegi, Sunter. A Theory for Record Linkage. JASA 64, 1969.
//!            Winkler. Using the EM Algorithm for Weight Computation in the Fellegi-Sunter Model of Record Linkage. 1988.
//!            Winkler. Frequency-Based Matching in Fellegi-Sunter Model of Record Linkage. 1989 (term frequencies).
//!
//! # Idea
//! 1. u, the chance of a level among pairs of different persons, comes from random pairs; that two values are equal from how often
//!    each value occurs. 2. m, the same among pairs of one person, comes from EM inside the blocks of a key, and only for fields that the
//!    key does not use: inside a block the fields of its key agree for everybody, which says nothing. 3. What the keys say of a field is
//!    joined, by the number of matches that each saw. 4. The prior is fitted to the weights of all pairs that are compared.
//!
//! Fields of an address change together: somebody who moved disagrees in all of them at once, which is no more telling than one. So
//! among matches there are those who moved, with a share that is learned, whose address says nothing.
//!
//! # Formula
//! weight = Σ log2(m/u) over the fields that both records have; where values are equal, u is how often that value occurs.
//! For the fields of an address together: log2((1 − π) · 2^(their sum) + π), where π is the share of matches that moved.
//! probability = 1 / (1 + 2^(prior − weight)), prior = log2((1 − λ)/λ), λ = matches / pairs.
//!
//! # Cost
//! A million pairs are compared for u, a hundred thousand a key for m; the EM itself works on patterns of levels.
//!
//! Does not   know that fields depend on each other: a family that shares surname and address counts both. Weights of a
//!            field are cut at 25 bits.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::block::Blocks;
use super::key::Key;
use super::records::{MISSING, Records};
use crate::rng::Rng;

/// The level of a field that either record lacks.
pub const NOTHING: u8 = u8::MAX;
/// How many random pairs u is learned from.
const RANDOM_PAIRS: u64 = 400_000;
/// How many pairs of a key's blocks m is learned from.
const BLOCK_PAIRS: usize = 60_000;
/// A field has at most so many bits, for and against.
const MOST_BITS: f64 = 25.0;
/// A model that has seen fewer matches in a block than this learns nothing there.
const FEWEST_MATCHES: f64 = 5.0;

/// The levels of a pair, a field each.
pub type Levels = Vec<u8>;

/// A fitted model.
#[derive(Debug, Clone)]
pub struct Model {
    /// The chance of each level among matches, by field.
    pub m: Vec<Vec<f64>>,
    /// The chance of each level among non-matches, by field.
    pub u: Vec<Vec<f64>>,
    /// How many bits each value is rarer than the usual one of its field: added where it is equal. Empty without term frequencies.
    rarer: Vec<Vec<f32>>,
    /// The share of matches whose address changed between their records; 0 where there are too few fields to tell.
    pub moved: f64,
    /// log2(m/u), by field and level.
    bits: Vec<Vec<f64>>,
    /// Which fields are of an address.
    moves: Vec<bool>,
}

/// Compares a pair.
pub fn levels(records: &Records, one: u32, other: u32) -> Levels {
    records.fields.iter().map(|field| field.level(one, other).unwrap_or(NOTHING)).collect()
}

/// How often each pattern of levels occurs.
pub type Patterns = BTreeMap<Levels, u64>;

/// What EM found.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The chance of each level among matches, by field; only those of the fields learned mean something.
    pub m: Vec<Vec<f64>>,
    /// The share of matches.
    pub share: f64,
    /// The share of them that moved.
    pub moved: f64,
}

/// EM over patterns of levels: u fixed, m and the share of matches free, only for the fields that `learns` names. `moves` are the
/// fields of an address; a share of the matches that moved is learned if there are any.
pub fn fit(patterns: &Patterns, u: &[Vec<f64>], learns: &[bool], moves: &[bool]) -> Fitted {
    const ROUNDS: usize = 200;
    let fields = u.len();
    // Matches mostly agree: from there EM cannot exchange the two classes.
    let mut m: Vec<Vec<f64>> = u.iter().map(|u| first_guess(u.len())).collect();
    let mut share = 0.2;
    let mut moved = if moves.iter().any(|&moves| moves) { 0.05 } else { 0.0 };
    let all: u64 = patterns.values().sum();
    if all == 0 {
        return Fitted { m, share: 0.0, moved: 0.0 };
    }
    for _ in 0..ROUNDS {
        let mut sums: Vec<Vec<f64>> = u.iter().map(|u| vec![0.0; u.len()]).collect();
        let (mut matches, mut movers) = (0.0, 0.0);
        for (levels, &count) in patterns {
            let (mut odds, mut address) = (share / (1.0 - share), 1.0);
            for field in (0..fields).filter(|&field| learns[field] && levels[field] != NOTHING) {
                let level = levels[field] as usize;
                let ratio = m[field][level] / u[field][level];
                if moves[field] { address *= ratio } else { odds *= ratio }
            }
            let both = (1.0 - moved) * address + moved;
            odds *= both;
            let expected = count as f64 * if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 };
            let stayed = expected * if both.is_finite() { (1.0 - moved) * address / both } else { 1.0 };
            matches += expected;
            movers += expected - stayed;
            for field in (0..fields).filter(|&field| learns[field] && levels[field] != NOTHING) {
                sums[field][levels[field] as usize] += if moves[field] { stayed } else { expected };
            }
        }
        let mut change: f64 = 0.0;
        for field in (0..fields).filter(|&field| learns[field]) {
            let total: f64 = sums[field].iter().sum();
            let levels = sums[field].len() as f64;
            for (m, sum) in m[field].iter_mut().zip(&sums[field]) {
                // A tenth of a match on every level: no level is impossible because it was not seen.
                let next = (sum + 0.1) / (total + 0.1 * levels);
                change = change.max((next - *m).abs());
                *m = next;
            }
        }
        share = (matches / all as f64).clamp(1e-9, 0.999_999);
        if moved > 0.0 {
            moved = (movers / matches.max(f64::MIN_POSITIVE)).clamp(1e-4, 0.5);
        }
        if change < 1e-6 {
            break;
        }
    }
    Fitted { m, share, moved }
}

/// Matches agree with .8, and the other levels share the rest.
fn first_guess(levels: usize) -> Vec<f64> {
    let mut guess = vec![0.2 / (levels - 1) as f64; levels];
    guess[levels - 1] = 0.8;
    guess
}

/// u of every field: from random pairs, and from how often each value occurs.
pub fn learn_u(records: &Records) -> Vec<Vec<f64>> {
    let [left, right] = records.sides();
    let pairs: Vec<(u32, u32)> = if records.pairs() <= RANDOM_PAIRS {
        left.clone()
            .flat_map(|one| {
                let from = if records.first.is_some() { right.start } else { one + 1 };
                (from..right.end).map(move |other| (one as u32, other as u32))
            })
            .collect()
    } else {
        let mut rng = Rng::seeded(17);
        let draw = |rng: &mut Rng, side: &std::ops::Range<usize>| (side.start + rng.index(side.len())) as u32;
        (0..RANDOM_PAIRS)
            .map(|_| (draw(&mut rng, &left), draw(&mut rng, &right)))
            .filter(|(one, other)| one != other)
            .collect()
    };
    records
        .fields
        .par_iter()
        .map(|field| {
            let mut counts = vec![0u64; field.levels()];
            for &(one, other) in &pairs {
                if let Some(level) = field.level(one, other) {
                    counts[level as usize] += 1;
                }
            }
            let (ones, others) = (field.counts(left.clone()), field.counts(right.clone()));
            let sum = |counts: &[u32]| counts.iter().map(|&count| f64::from(count)).sum::<f64>();
            let (all_ones, all_others) = (sum(&ones), sum(&others));
            let mut equal: f64 = ones.iter().zip(&others).map(|(&one, &other)| f64::from(one) * f64::from(other)).sum();
            let mut all = all_ones * all_others;
            if records.first.is_none() {
                // Not a record with itself.
                equal -= all_ones;
                all -= all_ones;
            }
            let top = counts.len() - 1;
            let unequal: u64 = counts[..top].iter().sum();
            let equal = if all > 0.0 { (equal / all).clamp(1e-7, 0.999) } else { 0.5 };
            let mut u: Vec<f64> = counts[..top]
                .iter()
                .map(|&count| (1.0 - equal) * (count as f64 + 0.5) / (unequal as f64 + 0.5 * top as f64))
                .collect();
            u.push(equal);
            u
        })
        .collect()
}

/// What the blocks of one key say.
struct Seen {
    m: Vec<Vec<f64>>,
    matches: f64,
    learns: Vec<bool>,
    /// The share that moved, from keys without an address.
    moved: Option<f64>,
}

impl Model {
    /// Learns a model from the blocks of some keys.
    pub fn learn(records: &Records, keys: &[Key], blocks: &Blocks, with_frequencies: bool) -> Self {
        let random = learn_u(records);
        let samples = samples(records, blocks);
        let moves = moving(records);
        let mut moved = 0.0;
        let mut u = random.clone();
        let mut m: Vec<Vec<f64>> = u.iter().map(|u| first_guess(u.len())).collect();
        // Random pairs of small files hold matches: what they say of u is put right by what was learned of m, once.
        for round in 0..2 {
            let seen: Vec<Seen> = samples
                .par_iter()
                .zip(keys)
                .map(|((patterns, pairs), key)| {
                    let learns: Vec<bool> = (0..u.len()).map(|field| !key.uses(field)).collect();
                    // Whoever agrees in a key with a part of an address did not move.
                    let is_still = (0..u.len()).any(|field| key.uses(field) && moves[field]);
                    let own = if is_still { vec![false; u.len()] } else { moves.clone() };
                    let Fitted { m, share, moved } = fit(patterns, &u, &learns, &own);
                    let moved = (!is_still && own.contains(&true)).then_some(moved);
                    Seen { m, matches: share * *pairs as f64, learns, moved }
                })
                .collect();
            for (field, levels) in m.iter_mut().enumerate() {
                let sayers: Vec<&Seen> =
                    seen.iter().filter(|seen| seen.learns[field] && seen.matches >= FEWEST_MATCHES).collect();
                let weight: f64 = sayers.iter().map(|seen| seen.matches).sum();
                if weight > 0.0 {
                    for (level, own) in levels.iter_mut().enumerate() {
                        *own = sayers.iter().map(|seen| seen.m[field][level] * seen.matches).sum::<f64>() / weight;
                    }
                }
            }
            let seers = seen
                .iter()
                .filter(|seen| seen.matches >= FEWEST_MATCHES)
                .filter_map(|seen| Some((seen.moved?, seen.matches)));
            let (sum, weight) =
                seers.fold((0.0, 0.0), |(sum, all), (moved, matches)| (sum + moved * matches, all + matches));
            moved = if weight > 0.0 { sum / weight } else { 0.0 };
            if round == 0 {
                let most = seen.iter().map(|seen| seen.matches).fold(0.0, f64::max);
                let share = (most / records.pairs().max(1) as f64).min(0.5);
                for field in 0..u.len() {
                    for level in 0..u[field].len() {
                        let other = (random[field][level] - share * m[field][level]) / (1.0 - share);
                        u[field][level] = other.max(random[field][level] * 0.1);
                    }
                    let sum: f64 = u[field].iter().sum();
                    u[field].iter_mut().for_each(|u| *u /= sum);
                }
            }
        }
        Self::of(records, m, u, moved, with_frequencies)
    }

    /// A model with these chances.
    pub fn of(records: &Records, m: Vec<Vec<f64>>, u: Vec<Vec<f64>>, moved: f64, with_frequencies: bool) -> Self {
        let bits: Vec<Vec<f64>> = m
            .iter()
            .zip(&u)
            .map(|(m, u)| m.iter().zip(u).map(|(m, u)| (m / u).log2().clamp(-MOST_BITS, MOST_BITS)).collect())
            .collect();
        let rarer = if with_frequencies {
            let of_field = |(field, u): (&super::records::Field, &Vec<f64>)| {
                let counts = field.counts(0..records.rows);
                let all: f64 = counts.iter().map(|&count| f64::from(count)).sum();
                let usual = u[u.len() - 1];
                // A value of one pair is taken to occur twice: the rarest are not infinitely telling.
                let rare = |&count: &u32| (usual / (f64::from(count.max(2)) / all.max(2.0))).log2() as f32;
                counts.iter().map(rare).collect()
            };
            records.fields.iter().zip(&u).map(of_field).collect()
        } else {
            Vec::new()
        };
        Self { m, u, rarer, moved, bits, moves: moving(records) }
    }

    /// The weight of a pair in bits, without the prior.
    pub fn weight(&self, records: &Records, one: u32, other: u32) -> f64 {
        let (mut weight, mut address) = (0.0, 0.0);
        for (at, field) in records.fields.iter().enumerate() {
            let (cell, beside) = (field.cells[one as usize], field.cells[other as usize]);
            if cell == MISSING || beside == MISSING {
                continue;
            }
            let bits = &self.bits[at];
            let sum = if self.moves[at] { &mut address } else { &mut weight };
            if cell == beside {
                let rarer = self.rarer.get(at).map_or(0.0, |rarer| f64::from(rarer[cell as usize]));
                *sum += (bits[bits.len() - 1] + rarer).clamp(-MOST_BITS, MOST_BITS);
            } else if let Some(level) = field.level(one, other) {
                *sum += bits[level as usize];
            }
        }
        if self.moved > 0.0 {
            weight + ((1.0 - self.moved) * address.exp2() + self.moved).log2()
        } else {
            weight + address
        }
    }
}

/// Which fields are of an address, where at least two are and two are not: else nothing tells who moved.
fn moving(records: &Records) -> Vec<bool> {
    let moves: Vec<bool> = records.fields.iter().map(|field| field.moves).collect();
    let count = moves.iter().filter(|&&moves| moves).count();
    if count >= 2 && moves.len() - count >= 2 { moves } else { vec![false; moves.len()] }
}

/// Patterns of levels among pairs of each key's blocks, at most so many, and how many pairs there are.
fn samples(records: &Records, blocks: &Blocks) -> Vec<(Patterns, u64)> {
    (0..blocks.of.len())
        .map(|at| {
            // Every key by itself: a pair that another key has too is among its pairs all the same.
            let own = Blocks { of: vec![blocks.of[at].clone()], used: Vec::new() };
            let mut pairs = 0u64;
            own.each_pair(records, |pairs| pairs.len() as u64, |_, count| pairs += count);
            let step = (pairs / BLOCK_PAIRS as u64).max(1) as usize;
            let mut patterns = Patterns::new();
            own.each_pair(
                records,
                |pairs| {
                    let mut patterns = Patterns::new();
                    for &(one, other) in pairs.iter().filter(|&&(one, other)| drawn(one, other, step)) {
                        *patterns.entry(levels(records, one, other)).or_default() += 1;
                    }
                    patterns
                },
                |_, some| some.into_iter().for_each(|(levels, count)| *patterns.entry(levels).or_default() += count),
            );
            (patterns, pairs)
        })
        .collect()
}

/// Whether a pair is one of those drawn, one of `step`, whatever piece it stands in.
fn drawn(one: u32, other: u32, step: usize) -> bool {
    step == 1 || super::key::mix(super::key::mix(5, one), other).is_multiple_of(step as u64)
}

/// What a naive EM learns: m of all fields over all compared pairs at once, the fields of the keys among them. It calls everything a
/// match; a test holds that the model above does not.
#[cfg(test)]
pub(super) fn learn_naively(records: &Records, blocks: &Blocks) -> (Model, f64) {
    let u = learn_u(records);
    let mut patterns = Patterns::new();
    blocks.each_pair(
        records,
        |pairs| pairs.iter().map(|&(one, other)| levels(records, one, other)).collect::<Vec<_>>(),
        |_, some| some.into_iter().for_each(|levels| *patterns.entry(levels).or_default() += 1),
    );
    let Fitted { m, share, .. } = fit(&patterns, &u, &vec![true; u.len()], &vec![false; u.len()]);
    (Model::of(records, m, u, 0.0, false), share)
}
