//! Matches among pairs of filters, without a threshold that somebody must know: the mixture of their similarities.
//!
//! # Idea
//! Only the most similar pairs matter: some fifteen for each record. Seen from their lower end, pairs of different persons die away
//! exponentially, whatever their bulk looks like (the tail of a light-tailed distribution); seen from 1, pairs of one person do. EM fits both
//! slopes and the share of matches, so the chance of a match never falls as the similarity rises.
//!
//! # Formula
//! x = (Dice − c) / (1 − c) for pairs from the cut c on; u(x) = λ e^(−λx) / (1 − e^(−λ)), m(x) = μ e^(−μ(1−x)) / (1 − e^(−μ)).
//! weight = log2 of m(x) by the chance that any pair of different persons lies at x; prior and probability as for open records.
//! One to one, the records that are matched leave; among those that are left a match is likelier than among all, so the prior is
//! fitted to them again, until nobody leaves any more.
//!
//! # Cost
//! All pairs once (see [`similar_pairs`](crate::link::bits::similar_pairs)), or those of the blocks.

use crate::error::{Error, Result};
use crate::link::bits::{Filters, Similar, dice, similar_pairs};
use crate::link::cluster::greedy_one_to_one;
use crate::link::estimate::{Captures, Estimated};
use crate::link::linking::{Class, Classify, Linked};
use crate::progress::Progress;
use crate::rng::Rng;
use rayon::prelude::*;

/// How filters are matched.
#[derive(Debug, Clone)]
pub struct Params {
    /// How pairs become classes.
    pub classify: Classify,
    /// From here on a pair is a match.
    pub upper: f64,
    /// From here on it is possible.
    pub lower: f64,
    /// Whether a record may be in one match only.
    pub one_to_one: bool,
    /// Pairs that somebody decided.
    pub decided: Vec<(u32, u32, bool)>,
}

/// What was found.
#[derive(Debug)]
pub struct Outcome {
    /// Matches and possible pairs: the row of each file.
    pub pairs: Vec<Linked>,
    /// How many pairs were compared.
    pub compared: u64,
    /// What the run thinks of itself; nothing where nothing was learned.
    pub estimated: Option<Estimated>,
}

/// A pair of rows that a block holds, and how many keys of blocks it agrees in.
pub type Candidate = (u32, u32, u8);

/// The mixture, fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mixture {
    cut: f64,
    falls: f64,
    rises: f64,
    /// The share of the pairs above the cut among all pairs that are no matches.
    tail: f64,
    /// How many matches there are.
    pub matches: f64,
    /// log2 of the odds against a pair.
    pub prior: f64,
}

/// How many pairs for each record the mixture is fitted to.
const FOR_EACH: usize = 15;
/// How many random pairs tell where the cut is.
const SAMPLE: usize = 1_000_000;
const BINS: usize = 2000;

/// The mean of a density that falls exponentially from 0 to 1.
fn mean(slope: f64) -> f64 {
    if slope.abs() < 1e-6 { 0.5 - slope / 12.0 } else { 1.0 / slope - 1.0 / slope.exp_m1() }
}

/// The slope whose mean this is, within limits.
fn slope_of(target: f64, [mut low, mut high]: [f64; 2]) -> f64 {
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if mean(middle) > target { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

fn density(slope: f64, x: f64) -> f64 {
    if slope < 1e-6 { 1.0 } else { slope * (-slope * x).exp() / -(-slope).exp_m1() }
}

impl Mixture {
    /// Fits the similarities from the cut on, of `pairs` in all.
    pub fn fit(similarities: impl Iterator<Item = f64>, cut: f64, pairs: u64) -> Self {
        let mut counts = vec![0.0; BINS];
        let of = |similarity: f64| ((similarity - cut) / (1.0 - cut).max(1e-9)).clamp(0.0, 1.0);
        similarities.for_each(|similarity| counts[((of(similarity) * BINS as f64) as usize).min(BINS - 1)] += 1.0);
        let count: f64 = counts.iter().sum();
        let at = |bin: usize| (bin as f64 + 0.5) / BINS as f64;
        let middle = counts.iter().enumerate().map(|(bin, count)| at(bin) * count).sum::<f64>() / count.max(1.0);
        let (mut falls, mut rises, mut share) = (slope_of(middle, [1.0, 2000.0]), 2.0, 0.05);
        for _ in 0..500 {
            let [mut weight, mut ups, mut downs] = [0.0; 3];
            for (bin, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
                let x = at(bin);
                let is = share * density(rises, 1.0 - x);
                let part = count * is / (is + (1.0 - share) * density(falls, x)).max(f64::MIN_POSITIVE);
                weight += part;
                ups += part * (1.0 - x);
                downs += (count - part) * x;
            }
            let before = share;
            share = ((weight + 0.5) / (count + 1.0)).clamp(1e-9, 1.0 - 1e-9);
            rises = slope_of((ups + 0.25) / (weight + 0.5), [0.0, 50.0]);
            falls = slope_of((downs + 1e-3) / (count - weight + 1e-2), [1.0, 2000.0]);
            if (share - before).abs() < 1e-9 {
                break;
            }
        }
        let matches = (share * count).max(0.5);
        let all = pairs as f64;
        let others = (all - matches).max(0.5);
        Self {
            cut,
            falls,
            rises,
            tail: ((count - matches) / others).max(1e-12),
            matches,
            prior: (others / matches).log2(),
        }
    }

    /// Bits of evidence of a similarity from the cut on.
    pub fn weight(&self, similarity: f64) -> f64 {
        let x = ((similarity - self.cut) / (1.0 - self.cut).max(1e-9)).clamp(0.0, 1.0);
        (density(self.rises, 1.0 - x) / (density(self.falls, x) * self.tail).max(1e-300)).log2()
    }

    /// The probability of a match.
    pub fn probability(&self, weight: f64) -> f64 {
        1.0 / (1.0 + (self.prior - weight).exp2())
    }
}

/// Matches two files of filters: all pairs, or those of blocks.
pub fn link(
    one: &Filters,
    other: &Filters,
    blocks: Option<&[Candidate]>,
    params: &Params,
    progress: &dyn Progress,
) -> Result<Outcome> {
    let all = one.len() as u64 * other.len() as u64;
    if all == 0 {
        return Err(Error::data("there is no pair of records to compare"));
    }
    progress.stage("comparing", 0);
    let compared = blocks.map_or(all, |blocks| blocks.len() as u64);
    let rows = one.len().max(other.len());
    let alike = |&(a, b, _): &Candidate| dice(one.get(a as usize), other.get(b as usize));
    // Everything from a similarity on.
    let from = |least: f64, most: usize, what: &str| -> Result<Vec<Similar>> {
        let found = match blocks {
            None => similar_pairs(one, other, least, most),
            Some(blocks) => {
                let found: Vec<Similar> = blocks
                    .par_iter()
                    .filter_map(|pair| Some((pair.0, pair.1, alike(pair))).filter(|found| found.2 >= least))
                    .map(|(a, b, dice)| (a, b, dice as f32))
                    .collect();
                (found.len() <= most).then_some(found)
            }
        };
        found.ok_or_else(|| {
            Error::refused(format!("more than {most} of {compared} pairs have a similarity of {least:.3} or more"))
                .with_hint(what)
        })
    };
    let (mut weighed, mixture): (Vec<Similar>, Option<Mixture>) = match params.classify {
        Classify::Threshold => {
            let most = usize::try_from(all / 100).unwrap_or(usize::MAX).max(rows.saturating_mul(20));
            (
                from(params.lower.min(params.upper), most, "raise `--lower` and `--upper`: so many cannot be matches")?,
                None,
            )
        }
        Classify::Em => {
            let sampled = sample(one, other, blocks);
            let wanted = (rows.saturating_mul(FOR_EACH) as f64 / compared.max(1) as f64).min(0.5);
            let at = ((1.0 - wanted) * sampled.len() as f64) as usize;
            let cut = sampled.get(at.min(sampled.len().saturating_sub(1))).copied().unwrap_or(0.0).min(0.999);
            let most = rows.saturating_mul(FOR_EACH * 40).max(10_000);
            let found = from(cut, most, "most filters are nearly the same: encode more columns, or set fewer bits")?;
            let mixture = Mixture::fit(found.iter().map(|pair| f64::from(pair.2)), cut, compared);
            let weigh = |(a, b, dice): Similar| (a, b, mixture.weight(f64::from(dice)) as f32);
            (found.into_iter().map(weigh).collect(), Some(mixture))
        }
    };
    progress.go_on()?;
    let estimated = mixture.map(|mixture| estimate(&weighed, blocks, &mixture, params));
    weighed.sort_unstable_by(|left, right| right.2.total_cmp(&left.2).then((left.0, left.1).cmp(&(right.0, right.1))));
    crate::link::linking::obey(&mut weighed, &params.decided);
    let priors = match &mixture {
        Some(mixture) if params.one_to_one => rounds(&mut weighed, mixture, params, [one.len(), other.len()], blocks),
        _ => Vec::new(),
    };
    if params.one_to_one {
        let keep = greedy_one_to_one(one.len(), other.len(), &weighed);
        let mut kept = keep.into_iter();
        weighed.retain(|_| kept.next().unwrap_or(false));
    }
    let is_decided = |a: u32, b: u32| params.decided.iter().any(|&(one, other, is)| is && (one, other) == (a, b));
    let mut pairs: Vec<Linked> = Vec::new();
    for (one, other, weight) in weighed {
        let weight = f64::from(weight);
        let probability = match &mixture {
            _ if is_decided(one, other) => 1.0,
            Some(mixture) => {
                // The first round that lets it through, else the last.
                let of = |prior: &f64| 1.0 / (1.0 + (prior - weight).exp2());
                let first = priors.iter().map(of).find(|probability| *probability >= params.upper);
                first.unwrap_or_else(|| of(priors.last().unwrap_or(&mixture.prior)))
            }
            None => weight.min(1.0),
        };
        // Similarities are kept in single precision: 0.8 must reach 0.8.
        let reaches = |limit: f64| probability + if mixture.is_some() { 0.0 } else { 1e-7 } >= limit;
        if reaches(params.lower.min(params.upper)) {
            let class = if reaches(params.upper) { Class::Match } else { Class::Possible };
            pairs.push(Linked { one, other, weight, probability, class });
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.one, pair.other));
    Ok(Outcome { pairs, compared, estimated })
}

/// The priors of one to one: among all records, then among those that are left, and so on.
fn rounds(
    weighed: &mut [Similar],
    mixture: &Mixture,
    params: &Params,
    sides: [usize; 2],
    blocks: Option<&[Candidate]>,
) -> Vec<f64> {
    let mut taken = [vec![false; sides[0]], vec![false; sides[1]]];
    let mut priors = vec![mixture.prior];
    let mut open: Vec<Similar> = weighed.to_vec();
    for _ in 0..20 {
        let prior = priors[priors.len() - 1];
        let mut has_left = false;
        open.retain(|&(a, b, weight)| {
            if taken[0][a as usize] || taken[1][b as usize] {
                return false;
            }
            let is_match = 1.0 / (1.0 + (prior - f64::from(weight)).exp2()) >= params.upper;
            if is_match {
                taken[0][a as usize] = true;
                taken[1][b as usize] = true;
                has_left = true;
            }
            !is_match
        });
        open.retain(|&(a, b, _)| !taken[0][a as usize] && !taken[1][b as usize]);
        let free = |side: usize| taken[side].iter().filter(|taken| !**taken).count() as f64;
        let pairs = match blocks {
            None => free(0) * free(1),
            Some(blocks) => {
                let is_free = |pair: &&Candidate| !taken[0][pair.0 as usize] && !taken[1][pair.1 as usize];
                blocks.iter().filter(is_free).count() as f64
            }
        };
        if !has_left || open.is_empty() || pairs < 1.0 {
            break;
        }
        // As many matches as the weights of the pairs that are left say.
        let most = free(0).min(free(1)).min(pairs * 0.999);
        let mut matches = most / 2.0;
        for _ in 0..200 {
            let prior = ((pairs - matches).max(0.5) / matches.max(1e-9)).log2();
            let next: f64 = open.iter().map(|pair| 1.0 / (1.0 + (prior - f64::from(pair.2)).exp2())).sum();
            matches = next.clamp(1e-6, most.max(1e-6));
        }
        // Never stricter than before: what was no match then does not become less of one by others' leaving.
        priors.push(((pairs - matches).max(0.5) / matches).log2().min(prior));
    }
    priors
}

/// Similarities of some pairs, ascending.
fn sample(one: &Filters, other: &Filters, blocks: Option<&[Candidate]>) -> Vec<f64> {
    let mut rng = Rng::seeded(23);
    let all = blocks.map_or(one.len() * other.len(), <[Candidate]>::len);
    let numbers: Vec<usize> =
        if all <= SAMPLE { (0..all).collect() } else { (0..SAMPLE).map(|_| rng.index(all)).collect() };
    let pair = |&number: &usize| match blocks {
        Some(blocks) => (blocks[number].0 as usize, blocks[number].1 as usize),
        None => (number / other.len(), number % other.len()),
    };
    let similarity = |(a, b): (usize, usize)| dice(one.get(a), other.get(b));
    let mut found: Vec<f64> = numbers.par_iter().map(pair).map(similarity).collect();
    found.par_sort_unstable_by(f64::total_cmp);
    found
}

fn estimate(weighed: &[Similar], blocks: Option<&[Candidate]>, mixture: &Mixture, params: &Params) -> Estimated {
    let probability = |weight: f32| mixture.probability(f64::from(weight));
    let (mut sum, mut count, mut all) = (0.0, 0u64, 0.0);
    for &(.., weight) in weighed {
        let own = probability(weight);
        all += own;
        if own >= params.upper {
            sum += own;
            count += 1;
        }
    }
    let (block_recall, block_recall_interval) = match blocks {
        None => (1.0, [1.0, 1.0]),
        Some(blocks) => {
            let shared: std::collections::HashMap<(u32, u32), u8> =
                blocks.iter().map(|&(a, b, shared)| ((a, b), shared)).collect();
            let mut captures = Captures::default();
            for &(a, b, weight) in weighed {
                let own = probability(weight);
                captures.seen += own;
                match shared.get(&(a, b)) {
                    Some(1) => captures.once += own,
                    Some(2) => captures.twice += own,
                    _ => {}
                }
            }
            captures.recall()
        }
    };
    Estimated {
        precision: if count > 0 { sum / count as f64 } else { 1.0 },
        recall_within_blocks: (sum / all.max(f64::MIN_POSITIVE)).min(1.0),
        block_recall,
        block_recall_interval,
        prior_bits: mixture.prior,
        matches: mixture.matches,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    /// Filters of so many records, a third of the bits set, and copies of them with every bit turned over with a chance.
    fn pair_of_files(rows: usize, noise: f64, rng: &mut Rng) -> [Filters; 2] {
        let mut bits =
            || (0..rows * 16).map(|_| rng.bits() & (rng.bits() | rng.bits() & rng.bits())).collect::<Vec<u64>>();
        let one = bits();
        let noisy = one
            .iter()
            .map(|word| (0..64).fold(*word, |word, place| word ^ (u64::from(rng.unit() < noise) << place)))
            .collect();
        [Filters { words: 16, bits: one }, Filters { words: 16, bits: noisy }]
    }

    fn params(one_to_one: bool) -> Params {
        Params { classify: Classify::Em, upper: 0.5, lower: 0.05, one_to_one, decided: Vec::new() }
    }

    #[test]
    fn matches_are_found_and_counted_without_a_threshold() {
        let mut rng = Rng::seeded(5);
        for noise in [0.0, 0.05, 0.15] {
            let [one, other] = pair_of_files(500, noise, &mut rng);
            let found = link(&one, &other, None, &params(false), &Silent).unwrap();
            let matches: Vec<&Linked> = found.pairs.iter().filter(|pair| pair.class == Class::Match).collect();
            let right = matches.iter().filter(|pair| pair.one == pair.other).count();
            assert!(right >= 495 && matches.len() <= right + 5, "{noise}: {right} of {}", matches.len());
            let estimated = found.estimated.unwrap();
            assert!((estimated.matches - 500.0).abs() < 50.0, "{}", estimated.matches);
        }
    }

    #[test]
    fn files_without_a_common_person_have_few_matches() {
        let mut rng = Rng::seeded(6);
        let [one, _] = pair_of_files(400, 0.0, &mut rng);
        let [other, _] = pair_of_files(400, 0.0, &mut rng);
        let found = link(&one, &other, None, &params(false), &Silent).unwrap();
        let matches = found.pairs.iter().filter(|pair| pair.class == Class::Match).count();
        assert!(matches <= 8, "{matches}");
    }

    #[test]
    fn the_order_of_rows_and_the_number_of_threads_change_nothing() {
        let mut rng = Rng::seeded(7);
        let [one, other] = pair_of_files(300, 0.1, &mut rng);
        let mut order: Vec<usize> = (0..300).collect();
        rng.shuffle(&mut order);
        let turned = Filters { words: 16, bits: order.iter().flat_map(|&row| other.get(row).to_vec()).collect() };
        let found = link(&one, &other, None, &params(false), &Silent).unwrap().pairs;
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut pairs = pool.install(|| link(&one, &turned, None, &params(false), &Silent)).unwrap().pairs;
            pairs.iter_mut().for_each(|pair| pair.other = order[pair.other as usize] as u32);
            pairs.sort_unstable_by_key(|pair| (pair.one, pair.other));
            pairs
        };
        assert_eq!(run(1), found);
        assert_eq!(run(4), found);
    }

    #[test]
    fn a_threshold_that_lets_everything_through_is_refused() {
        let mut rng = Rng::seeded(8);
        let [one, other] = pair_of_files(3000, 0.1, &mut rng);
        let params = Params { classify: Classify::Threshold, upper: 0.2, lower: 0.2, ..params(false) };
        let error = link(&one, &other, None, &params, &Silent).unwrap_err();
        assert!(error.hint().unwrap().contains("--lower"), "{error}");
    }

    #[test]
    fn blocks_compare_their_pairs_only() {
        let mut rng = Rng::seeded(9);
        let [one, other] = pair_of_files(200, 0.05, &mut rng);
        let blocks: Vec<Candidate> = (0..200u32)
            .flat_map(|a| (a / 10 * 10..a / 10 * 10 + 10).map(move |b| (a, b, 1)))
            .filter(|pair| pair.0 >= 20)
            .collect();
        let found = link(&one, &other, Some(&blocks), &params(true), &Silent).unwrap();
        assert_eq!(found.compared, 1800);
        let right = found.pairs.iter().filter(|pair| pair.one == pair.other && pair.class == Class::Match).count();
        assert_eq!((right, found.pairs.iter().filter(|pair| pair.one < 20).count()), (180, 0));
    }
}
