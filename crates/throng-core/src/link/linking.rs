//! Linking two files, or one with itself: block, compare, classify, and what the result is worth.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::block::{self, Blocks};
use super::cluster::{clusters, one_to_one};
use super::estimate::{Captures, Estimated};
use super::fellegi_sunter::{Model, NOTHING, levels};
use super::key::{Codes, Key, KeyPart, KeyUsed};
use super::records::Records;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// What a pair is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// One person.
    Match,
    /// Perhaps; for somebody to look at.
    Possible,
}

/// How pairs become classes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Classify {
    /// Fellegi-Sunter, learned by EM: by probability.
    Em,
    /// The mean similarity of the fields that both have.
    Threshold,
}

/// Which pairs are compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Blocking {
    /// Keys that are chosen from the data.
    Auto,
    /// These keys.
    Keys(Vec<Key>),
    /// All pairs.
    None,
}

/// How to link.
#[derive(Debug, Clone)]
pub struct Params {
    /// How pairs become classes.
    pub classify: Classify,
    /// From here on a pair is a match.
    pub upper: f64,
    /// From here on it is possible.
    pub lower: f64,
    /// Which pairs are compared.
    pub blocking: Blocking,
    /// How many records a block may have.
    pub max_block: usize,
    /// Whether a record may be in one match only; two files.
    pub one_to_one: bool,
    /// Whether rare values count for more.
    pub frequencies: bool,
    /// Whether clusters are made.
    pub clusters: bool,
    /// Pairs that somebody decided: the records and whether they are one person's.
    pub decided: Vec<(u32, u32, bool)>,
}

/// A pair that is called something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linked {
    /// A record of the left side.
    pub one: u32,
    /// A record of the right side.
    pub other: u32,
    /// Bits, or the similarity.
    pub weight: f64,
    /// The probability that they are one person's.
    pub probability: f64,
    /// What it is called.
    pub class: Class,
}

/// What a field's levels are worth.
#[derive(Debug, Clone, Serialize)]
pub struct FieldWeights {
    /// The field.
    pub field: String,
    /// How it was compared.
    pub comparison: &'static str,
    /// The least similarity of each level, from the lowest; the last is of equal values.
    pub levels: Vec<f64>,
    /// The chance of each level among matches.
    pub m: Vec<f64>,
    /// The chance of each level among non-matches.
    pub u: Vec<f64>,
    /// The bits of each level.
    pub bits: Vec<f64>,
}

/// What was found.
#[derive(Debug)]
pub struct Outcome {
    /// Matches and possible pairs, by their records.
    pub pairs: Vec<Linked>,
    /// For each record the lowest of its cluster, where clusters were asked for.
    pub clusters: Option<Vec<u32>>,
    /// How many pairs were compared.
    pub compared: u64,
    /// The keys.
    pub keys: Vec<KeyUsed>,
    /// What the run thinks of itself; nothing where nothing was learned.
    pub estimated: Option<Estimated>,
    /// What was learned.
    pub weights: Vec<FieldWeights>,
}

/// Links.
pub fn link(records: &Records, params: &Params, progress: &dyn Progress) -> Result<Outcome> {
    if records.fields.is_empty() {
        return Err(Error::data("there is no column to compare by"));
    }
    let all = records.pairs();
    if all == 0 {
        return Err(Error::data("there is no pair of records to compare"));
    }
    progress.stage("choosing blocks", 0);
    let (keys, model) = keys_and_model(records, params, progress)?;
    let blocks = Blocks::new(records, &keys, params.max_block);
    progress.go_on()?;
    match (params.classify, model) {
        (Classify::Em, Some(model)) => {
            let model = match &params.blocking {
                Blocking::Auto => relearned(records, &keys, &blocks, model, params),
                _ => model,
            };
            by_weight(records, params, &keys, blocks, &model, progress)
        }
        _ => by_similarity(records, params, blocks, progress),
    }
}

/// Keys, and a first model where weights are learned.
fn keys_and_model(records: &Records, params: &Params, progress: &dyn Progress) -> Result<(Vec<Key>, Option<Model>)> {
    let is_learned = params.classify == Classify::Em;
    match &params.blocking {
        Blocking::Keys(keys) => {
            if keys.len() > block::MOST_KEYS {
                return Err(Error::parameter(
                    "block",
                    format!("has {} keys, but at most {} are used", keys.len(), block::MOST_KEYS),
                ));
            }
            let model = is_learned.then(|| {
                // What the given keys all use is learned inside the blocks of keys found beside them.
                let teachers = teachers(records, params, keys);
                let blocks = Blocks::new(records, &teachers, params.max_block);
                Model::learn(records, &teachers, &blocks, params.frequencies)
            });
            Ok((keys.clone(), model))
        }
        Blocking::None => {
            if records.pairs() > 2_000_000_000 {
                return Err(Error::refused(format!("{} pairs are too many to compare all of them", records.pairs()))
                    .with_hint("`--block auto` chooses those that are worth it"));
            }
            let model = is_learned.then(|| {
                let teachers = teachers(records, params, &[]);
                let blocks = Blocks::new(records, &teachers, params.max_block);
                Model::learn(records, &teachers, &blocks, params.frequencies)
            });
            Ok((Vec::new(), model))
        }
        Blocking::Auto => {
            let most = most_pairs(records);
            let candidates = block::candidates(records, params.max_block, most);
            if candidates.is_empty() {
                return Err(Error::data("no two records agree in anything that could be a key of blocks")
                    .with_hint("are these the right columns? `--block none` compares all pairs"));
            }
            progress.go_on()?;
            let first = block::first_keys(records, &candidates);
            let blocks = Blocks::new(records, &first, params.max_block);
            let model = Model::learn(records, &first, &blocks, params.frequencies);
            progress.go_on()?;
            let agreement = agreements(records, &first, &blocks, &model, &candidates);
            let chance =
                |part: KeyPart| agreement.iter().find(|(known, _)| *known == part).map_or(0.0, |&(_, chance)| chance);
            let keys = block::choose(records, &candidates, chance, most);
            let keys = if keys.is_empty() { first } else { keys };
            Ok((keys, is_learned.then_some(model)))
        }
    }
}

/// Keys to learn by: those given, and those of the automatic choice where a field is in all of them.
fn teachers(records: &Records, params: &Params, keys: &[Key]) -> Vec<Key> {
    let is_left_out = |field: usize| keys.iter().any(|key| !key.uses(field));
    let mut teachers = keys.to_vec();
    if !(0..records.fields.len()).all(is_left_out) {
        let candidates = block::candidates(records, params.max_block, most_pairs(records));
        teachers.extend(block::first_keys(records, &candidates));
    }
    teachers.truncate(block::MOST_KEYS);
    teachers
}

/// How many pairs are worth comparing.
fn most_pairs(records: &Records) -> u64 {
    let rows = records.rows as u64;
    (rows * 100).min(20_000_000).max(rows * 30).max(10_000)
}

/// The chance with which each part of a match agrees: among pairs that are probably matches, in blocks of keys that do not use its field.
fn agreements(
    records: &Records,
    keys: &[Key],
    blocks: &Blocks,
    model: &Model,
    candidates: &[block::Candidate],
) -> Vec<(KeyPart, f64)> {
    let mut codes = Codes::default();
    let all: Vec<Key> = candidates.iter().map(|candidate| candidate.key.clone()).collect();
    codes.add(records, &all);
    let mut parts: Vec<KeyPart> = all.iter().flat_map(|key| key.0.iter().copied()).collect();
    parts.sort_unstable();
    parts.dedup();
    let mut matches: Vec<(usize, u32, u32)> = Vec::new();
    for at in 0..keys.len() {
        let own = Blocks { of: vec![blocks.of[at].clone()], used: Vec::new() };
        let mut found: Vec<(u32, u32)> = Vec::new();
        // The prior is not known yet: a pair that is 2^4 times likelier a match than a random pair of as many as there are records.
        let least = (records.pairs() as f64 / records.rows as f64).log2() + 4.0;
        own.each_pair(
            records,
            |pairs| {
                let likely = |&&(one, other): &&(u32, u32)| model.weight(records, one, other) >= least;
                pairs.iter().filter(likely).copied().collect::<Vec<_>>()
            },
            |_, some| found.extend(some),
        );
        let step = found.len().div_ceil(20_000).max(1);
        matches.extend(found.into_iter().step_by(step).map(|(one, other)| (at, one, other)));
    }
    parts
        .par_iter()
        .map(|&part| {
            let cells = &records.fields[part.field].cells;
            let by_value = codes.of(part);
            let code = |record: u32| by_value.get(cells[record as usize] as usize).copied().unwrap_or(0);
            let (mut agree, mut all) = (0u64, 0u64);
            for &(at, one, other) in matches.iter().filter(|(at, ..)| !keys[*at].uses(part.field)) {
                debug_assert!(at < keys.len());
                all += 1;
                agree += u64::from(code(one) != 0 && code(one) == code(other));
            }
            (part, (agree as f64 + 0.5) / (all as f64 + 1.0))
        })
        .collect()
}

/// The model once more, from the blocks that were chosen: more matches teach it.
fn relearned(records: &Records, keys: &[Key], blocks: &Blocks, first: Model, params: &Params) -> Model {
    let is_left_out = |field: usize| keys.iter().any(|key| !key.uses(field));
    if !(0..records.fields.len()).all(is_left_out) {
        return first;
    }
    Model::learn(records, keys, blocks, params.frequencies)
}

/// Weights in sixteenths of a bit, counted: enough to fit the prior by, and the same however the work is split.
const BINS: usize = 1 << 14;
const OF_A_BIT: f64 = 16.0;

fn bin(weight: f64) -> usize {
    ((weight * OF_A_BIT).round() + (BINS / 2) as f64).clamp(0.0, (BINS - 1) as f64) as usize
}

fn weight_of(bin: usize) -> f64 {
    (bin as f64 - (BINS / 2) as f64) / OF_A_BIT
}

/// A pair with a weight, and how many keys hold it.
type Weighed = (u32, u32, f32, u8);

#[derive(Default)]
struct Weighing {
    kept: Vec<Weighed>,
    /// How many pairs have a weight, by bin.
    counts: Vec<u64>,
}

fn by_weight(
    records: &Records,
    params: &Params,
    keys: &[Key],
    mut blocks: Blocks,
    model: &Model,
    progress: &dyn Progress,
) -> Result<Outcome> {
    let all = records.pairs();
    // Nobody has more than a few hundred records: no prior can be below this, and what lies far below it is never called anything.
    let least_prior = (all as f64 / (records.rows as f64 * 500.0)).log2();
    let least = least_prior.max(0.0) - 4.0;
    let weigh = |pairs: &mut Vec<(u32, u32)>| {
        let mut own = Weighing { kept: Vec::new(), counts: vec![0; 0] };
        let mut bins: Vec<u32> = Vec::with_capacity(pairs.len());
        for &(one, other) in pairs.iter() {
            let weight = model.weight(records, one, other);
            bins.push(bin(weight) as u32);
            if weight >= least {
                let shared = blocks.shared(one, other).count_ones() as u8;
                own.kept.push((one, other, weight as f32, shared));
            }
        }
        (own, bins)
    };
    progress.stage("comparing", 0);
    let mut whole = Weighing { kept: Vec::new(), counts: vec![0; BINS] };
    let mut brought = vec![0u64; blocks.of.len()];
    let mut compared = 0u64;
    let mut take = |at: usize, (own, bins): (Weighing, Vec<u32>)| {
        if let Some(brought) = brought.get_mut(at) {
            *brought += bins.len() as u64;
        }
        compared += bins.len() as u64;
        bins.iter().for_each(|&bin| whole.counts[bin as usize] += 1);
        whole.kept.extend(own.kept);
    };
    if keys.is_empty() {
        each_of_all(records, weigh, |made| take(0, made), progress)?;
    } else {
        blocks.each_pair(records, weigh, take);
    }
    progress.go_on()?;
    for (used, brought) in blocks.used.iter_mut().zip(&brought) {
        used.pairs = *brought;
    }
    let Weighing { mut kept, counts } = whole;

    // The prior: as many matches as the weights say, where as many are taken to be missed as the keys say.
    let probability = |weight: f64, prior: f64| 1.0 / (1.0 + (prior - weight).exp2());
    let expected = |prior: f64| -> f64 {
        let each = |(bin, &count): (usize, &u64)| count as f64 * probability(weight_of(bin), prior);
        counts.iter().enumerate().filter(|(_, count)| **count > 0).map(each).sum()
    };
    let mut matches = (records.rows as f64 / 2.0).min(all as f64 / 2.0);
    let mut recall = 1.0;
    let mut interval = [1.0, 1.0];
    let mut prior = least_prior;
    for _ in 0..3 {
        for _ in 0..60 {
            prior = ((all as f64 - matches).max(0.5) / matches.max(0.5)).log2();
            let next = (expected(prior) / recall).clamp(0.5, all as f64 * 0.999);
            let is_still = (next - matches).abs() < 1e-3 * matches.max(1.0);
            matches = next;
            if is_still {
                break;
            }
        }
        if !keys.is_empty() {
            let mut captures = Captures::default();
            for &(.., weight, shared) in &kept {
                let probability = probability(f64::from(weight), prior);
                captures.seen += probability;
                captures.once += if shared == 1 { probability } else { 0.0 };
                captures.twice += if shared == 2 { probability } else { 0.0 };
            }
            (recall, interval) = captures.recall();
        }
    }

    kept.sort_unstable_by(|left, right| right.2.total_cmp(&left.2).then((left.0, left.1).cmp(&(right.0, right.1))));
    let mut weighed: Vec<(u32, u32, f32)> =
        kept.into_iter().map(|(one, other, weight, _)| (one, other, weight)).collect();
    obey(&mut weighed, &params.decided);
    let is_decided =
        |one: u32, other: u32| params.decided.iter().any(|&(left, right, is)| is && (left, right) == (one, other));
    let found_clusters = params.clusters.then(|| {
        let above = weighed.partition_point(|&(.., weight)| f64::from(weight) > prior - 1.0);
        let decided: std::collections::HashMap<(u32, u32), bool> =
            params.decided.iter().map(|&(one, other, is)| ((one, other), is)).collect();
        clusters(records.rows, &weighed[..above], prior, |one, other| match decided.get(&(one, other)) {
            Some(true) => f64::from(f32::MAX),
            Some(false) => f64::from(f32::MIN),
            None => model.weight(records, one, other),
        })
    });
    if params.one_to_one && records.first.is_some() {
        let keep = one_to_one(records, &weighed);
        let mut at = 0;
        weighed.retain(|_| {
            at += 1;
            keep[at - 1]
        });
    }
    let mut pairs: Vec<Linked> = Vec::new();
    for &(one, other, weight) in &weighed {
        let weight = f64::from(weight);
        let probability = if is_decided(one, other) { 1.0 } else { probability(weight, prior) };
        if probability < params.lower {
            continue;
        }
        let class = if probability >= params.upper { Class::Match } else { Class::Possible };
        pairs.push(Linked { one, other, weight, probability, class });
    }
    let called = pairs.iter().filter(|pair| pair.class == Class::Match);
    let (sum, count) = called.fold((0.0, 0u64), |(sum, count), pair| (sum + pair.probability, count + 1));
    let estimated = Estimated {
        precision: if count > 0 { sum / count as f64 } else { 1.0 },
        recall_within_blocks: (sum / expected(prior).max(f64::MIN_POSITIVE)).min(1.0),
        block_recall: recall,
        block_recall_interval: interval,
        prior_bits: prior,
        matches,
    };
    pairs.sort_unstable_by_key(|pair| (pair.one, pair.other));
    Ok(Outcome {
        pairs,
        clusters: found_clusters,
        compared,
        keys: blocks.used,
        estimated: Some(estimated),
        weights: weights(records, model),
    })
}

/// What somebody decided goes before what was learned.
pub(super) fn obey(weighed: &mut Vec<(u32, u32, f32)>, decided: &[(u32, u32, bool)]) {
    if decided.is_empty() {
        return;
    }
    let known: std::collections::HashSet<(u32, u32)> = decided.iter().map(|&(one, other, _)| (one, other)).collect();
    weighed.retain(|&(one, other, _)| !known.contains(&(one, other)));
    let mut first: Vec<(u32, u32, f32)> =
        decided.iter().filter(|(.., is)| *is).map(|&(one, other, _)| (one, other, f32::from(i16::MAX))).collect();
    first.sort_unstable_by_key(|&(one, other, _)| (one, other));
    first.append(weighed);
    *weighed = first;
}

/// Every pair of records, in pieces.
fn each_of_all<T: Send>(
    records: &Records,
    make: impl Fn(&mut Vec<(u32, u32)>) -> T + Sync,
    mut take: impl FnMut(T),
    progress: &dyn Progress,
) -> Result<()> {
    let [left, right] = records.sides();
    let rows: Vec<usize> = left.collect();
    for some in rows.chunks(64) {
        progress.go_on()?;
        let made: Vec<T> = some
            .par_iter()
            .map(|&one| {
                let from = if records.first.is_some() { right.start } else { one + 1 };
                let mut pairs: Vec<(u32, u32)> = (from..right.end).map(|other| (one as u32, other as u32)).collect();
                make(&mut pairs)
            })
            .collect();
        made.into_iter().for_each(&mut take);
    }
    Ok(())
}

fn by_similarity(records: &Records, params: &Params, mut blocks: Blocks, progress: &dyn Progress) -> Result<Outcome> {
    let least = params.lower.min(params.upper);
    let make = |pairs: &mut Vec<(u32, u32)>| {
        let alike = |&(one, other): &(u32, u32)| {
            let similarity = mean_similarity(records, one, other)?;
            (similarity >= least).then_some((one, other, similarity as f32))
        };
        (pairs.len() as u64, pairs.iter().filter_map(alike).collect::<Vec<_>>())
    };
    progress.stage("comparing", 0);
    let mut weighed = Vec::new();
    let mut compared = 0;
    let mut brought = vec![0u64; blocks.of.len()];
    let mut take = |at: usize, (count, some): (u64, Vec<(u32, u32, f32)>)| {
        compared += count;
        if let Some(brought) = brought.get_mut(at) {
            *brought += count;
        }
        weighed.extend(some);
    };
    if blocks.of.is_empty() {
        each_of_all(records, make, |made| take(0, made), progress)?;
    } else {
        blocks.each_pair(records, make, take);
    }
    progress.go_on()?;
    for (used, brought) in blocks.used.iter_mut().zip(&brought) {
        used.pairs = *brought;
    }
    weighed.sort_unstable_by(|left, right| right.2.total_cmp(&left.2).then((left.0, left.1).cmp(&(right.0, right.1))));
    obey(&mut weighed, &params.decided);
    let found_clusters = params.clusters.then(|| {
        let above = weighed.partition_point(|&(.., weight)| f64::from(weight) >= params.upper);
        // A similarity has no bits: what lies above the threshold speaks for, what lies below against.
        let weigh = |one, other| mean_similarity(records, one, other).unwrap_or(params.upper);
        clusters(records.rows, &weighed[..above], params.upper - 1e-9, weigh)
    });
    if params.one_to_one && records.first.is_some() {
        let keep = one_to_one(records, &weighed);
        let mut at = 0;
        weighed.retain(|_| {
            at += 1;
            keep[at - 1]
        });
    }
    let mut pairs: Vec<Linked> = weighed
        .iter()
        .map(|&(one, other, weight)| {
            let weight = f64::from(weight).min(1.0);
            let class = if weight + 1e-7 >= params.upper { Class::Match } else { Class::Possible };
            Linked { one, other, weight, probability: weight, class }
        })
        .collect();
    pairs.sort_unstable_by_key(|pair| (pair.one, pair.other));
    Ok(Outcome { pairs, clusters: found_clusters, compared, keys: blocks.used, estimated: None, weights: Vec::new() })
}

/// The mean similarity of the fields that both records have.
fn mean_similarity(records: &Records, one: u32, other: u32) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u32);
    for field in &records.fields {
        let (cell, beside) = (field.cells[one as usize], field.cells[other as usize]);
        if cell != super::records::MISSING && beside != super::records::MISSING {
            sum += field.similarity(cell, beside);
            count += 1;
        }
    }
    (count > 0).then(|| sum / f64::from(count))
}

fn weights(records: &Records, model: &Model) -> Vec<FieldWeights> {
    let of_field = |(at, field): (usize, &super::records::Field)| {
        let mut levels = vec![0.0];
        levels.extend(field.cuts().iter().rev());
        levels.push(1.0);
        let bits = model.m[at].iter().zip(&model.u[at]).map(|(m, u)| (m / u).log2()).collect();
        FieldWeights {
            field: field.name.clone(),
            comparison: field.comparison.name(),
            levels,
            m: model.m[at].clone(),
            u: model.u[at].clone(),
            bits,
        }
    };
    records.fields.iter().enumerate().map(of_field).collect()
}

/// The levels of a pair by field, `None` where either has no value: for whoever decides what a possible pair is.
pub fn shown_levels(records: &Records, one: u32, other: u32) -> Vec<Option<u8>> {
    levels(records, one, other).into_iter().map(|level| (level != NOTHING).then_some(level)).collect()
}
