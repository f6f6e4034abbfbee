//! Blocking: which pairs are compared at all, by keys that are given, or chosen from the data.
//!
//! Idea       Keys are chosen greedily. What a key would bring is estimated before it is tried: simulated matches agree in each field's
//!            part with the chance that fitted matches do, independently from field to field; the gain is the share of those that
//!            no chosen key holds. The next key is the one with the largest gain for its pairs, until no key gains much.
//! Cost       Trying a key hashes all records once; pairs are listed by sorting the records by their block.
//! Does not   find what agrees in no key: [`super::estimate`] says how much that is.

use rayon::prelude::*;

use super::key::{Codes, Key, KeyPart, KeyUsed, Part, mix};
use super::records::{MISSING, Records};
use crate::rng::Rng;

/// More keys than this are of no use.
pub const MOST_KEYS: usize = 40;
/// How many matches are simulated.
const SIMULATED: usize = 20_000;
/// A key that gains less than this share of the matches is not worth its pairs.
const LEAST_GAIN: f64 = 0.001;
/// How often every match is to be covered, where that is cheap.
const ROUNDS: usize = 4;

/// The blocks of all records under some keys.
#[derive(Debug, Default)]
pub struct Blocks {
    /// The block of every record, a list a key; 0 is none.
    pub of: Vec<Vec<u32>>,
    /// What became of each key.
    pub used: Vec<KeyUsed>,
}

impl Blocks {
    /// Puts the records into the blocks of some keys. Blocks with more than `max_block` records are cut by one more column, the first
    /// that helps; those that stay too large are dropped.
    pub fn new(records: &Records, keys: &[Key], max_block: usize) -> Self {
        let mut codes = Codes::default();
        codes.add(records, keys);
        let made: Vec<(Vec<u32>, KeyUsed)> = keys
            .par_iter()
            .map(|key| {
                let mut of = codes.blocks(records, key, 0..records.rows);
                let mut used = KeyUsed { key: key.words(&records.fields), pairs: 0, cut: 0, dropped: 0 };
                let mut order = sorted(&of);
                for round in 0..2 {
                    let mut too_large = Vec::new();
                    each_block(&of, &order, |block| {
                        if block.len() > max_block {
                            too_large.push(block.to_vec());
                        }
                    });
                    if too_large.is_empty() {
                        break;
                    }
                    for block in too_large {
                        let by = (round == 0).then(|| cutting_field(records, key, &block)).flatten();
                        used.cut += u64::from(by.is_some());
                        used.dropped += u64::from(by.is_none());
                        for &record in &block {
                            let record = record as usize;
                            of[record] = match by.map(|field| records.fields[field].cells[record]) {
                                None | Some(MISSING) => 0,
                                Some(cell) => ((mix(u64::from(of[record]), cell.wrapping_add(1)) >> 32) as u32).max(1),
                            };
                        }
                    }
                    order = sorted(&of);
                }
                (of, used)
            })
            .collect();
        let mut blocks = Self::default();
        for (of, used) in made {
            blocks.of.push(of);
            blocks.used.push(used);
        }
        blocks
    }

    /// The keys in which a pair agrees, a bit each.
    pub fn shared(&self, one: u32, other: u32) -> u64 {
        self.of.iter().enumerate().fold(0, |mask, (at, of)| {
            let block = of[one as usize];
            if block != 0 && block == of[other as usize] { mask | 1 << at } else { mask }
        })
    }

    /// The pairs of every key that no key before it has, in pieces that can be worked on side by side. A piece is given the pairs and
    /// what it makes of them; pieces come in their order.
    pub fn each_pair<T: Send>(
        &self,
        records: &Records,
        make: impl Fn(&mut Vec<(u32, u32)>) -> T + Sync,
        mut take: impl FnMut(usize, T),
    ) {
        const PIECE: usize = 1 << 15;
        const AT_ONCE: usize = 64;
        for (at, of) in self.of.iter().enumerate() {
            let order = sorted(of);
            let mut pieces: Vec<std::ops::Range<usize>> = Vec::new();
            let (mut start, mut from, mut weight) = (0, 0, 0usize);
            each_range(of, &order, |range| {
                weight += range.len() * (range.len() - 1) / 2;
                if weight >= PIECE {
                    pieces.push(from..range.end);
                    from = range.end;
                    weight = 0;
                }
                start = range.end;
            });
            if from < start {
                pieces.push(from..start);
            }
            for some in pieces.chunks(AT_ONCE) {
                let made: Vec<T> = some
                    .par_iter()
                    .map(|piece| {
                        let mut pairs = Vec::new();
                        each_block(of, &order[piece.clone()], |block| self.pairs_of(records, at, block, &mut pairs));
                        make(&mut pairs)
                    })
                    .collect();
                made.into_iter().for_each(|made| take(at, made));
            }
        }
    }

    fn pairs_of(&self, records: &Records, at: usize, block: &[u32], pairs: &mut Vec<(u32, u32)>) {
        let is_new = |one: u32, other: u32| {
            self.of[..at].iter().all(|of| {
                let own = of[one as usize];
                own == 0 || own != of[other as usize]
            })
        };
        match records.first {
            Some(first) => {
                // Records of the first file have the lower numbers, and blocks are sorted.
                let border = block.partition_point(|&record| (record as usize) < first);
                for &one in &block[..border] {
                    pairs
                        .extend(block[border..].iter().filter(|&&other| is_new(one, other)).map(|&other| (one, other)));
                }
            }
            None => {
                for (place, &one) in block.iter().enumerate() {
                    pairs.extend(
                        block[place + 1..].iter().filter(|&&other| is_new(one, other)).map(|&other| (one, other)),
                    );
                }
            }
        }
    }
}

/// Records that are in a block, by block and then by number.
fn sorted(of: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..of.len() as u32).filter(|&record| of[record as usize] != 0).collect();
    order.par_sort_unstable_by_key(|&record| (of[record as usize], record));
    order
}

/// Blocks of two records and more, as ranges of an order.
fn each_range(of: &[u32], order: &[u32], mut take: impl FnMut(std::ops::Range<usize>)) {
    let mut from = 0;
    while from < order.len() {
        let block = of[order[from] as usize];
        let mut to = from + 1;
        while to < order.len() && of[order[to] as usize] == block {
            to += 1;
        }
        if to - from > 1 {
            take(from..to);
        }
        from = to;
    }
}

fn each_block(of: &[u32], order: &[u32], mut take: impl FnMut(&[u32])) {
    each_range(of, order, |range| take(&order[range]));
}

/// The field that cuts a block into the most pieces and that most of its records have.
fn cutting_field(records: &Records, key: &Key, block: &[u32]) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    for (at, field) in records.fields.iter().enumerate() {
        if key.0.iter().any(|part| part.field == at && part.part == Part::Whole) {
            continue;
        }
        let mut cells: Vec<u32> =
            block.iter().map(|&record| field.cells[record as usize]).filter(|&cell| cell != MISSING).collect();
        if cells.len() * 2 < block.len() {
            continue;
        }
        cells.sort_unstable();
        cells.dedup();
        if cells.len() > 1 && best.is_none_or(|(different, _)| cells.len() > different) {
            best = Some((cells.len(), at));
        }
    }
    best.map(|(_, at)| at)
}

/// About how many pairs a key has; blocks that are too large count as far as they would be cut.
pub fn estimated_pairs(records: &Records, codes: &Codes, key: &Key, max_block: usize) -> u64 {
    // Of many records those whose block has a number of one sixteenth: blocks are whole or out.
    const FEW: usize = 200_000;
    let mask = if records.rows > FEW { 15 } else { 0 };
    let [left, right] = records.sides();
    let blocks = |side: std::ops::Range<usize>| {
        let mut own: Vec<u32> =
            codes.blocks(records, key, side).into_iter().filter(|&block| block != 0 && block & mask == 0).collect();
        own.sort_unstable();
        own
    };
    let ones = blocks(left);
    let others = if records.first.is_some() { Some(blocks(right)) } else { None };
    let mut pairs = 0u64;
    let (mut at, mut beside) = (0, 0);
    while at < ones.len() {
        let block = ones[at];
        let own = ones[at..].iter().take_while(|&&other| other == block).count();
        at += own;
        let (count, size) = match &others {
            None => (own * (own - 1) / 2, own),
            Some(others) => {
                while beside < others.len() && others[beside] < block {
                    beside += 1;
                }
                let theirs = others[beside..].iter().take_while(|&&other| other == block).count();
                (own * theirs, own + theirs)
            }
        };
        pairs += if size > max_block {
            (count as u64 * max_block as u64 / size as u64).max(size as u64)
        } else {
            count as u64
        };
    }
    pairs * u64::from(mask + 1)
}

/// A key that may be used, with about how many pairs it has.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The key.
    pub key: Key,
    /// About how many pairs.
    pub pairs: u64,
}

/// All keys of one part and of two that have no more pairs than a limit, by their pairs.
pub fn candidates(records: &Records, max_block: usize, most_pairs: u64) -> Vec<Candidate> {
    let parts: Vec<KeyPart> = (0..records.fields.len())
        .flat_map(|field| Part::of_field(&records.fields[field]).into_iter().map(move |part| KeyPart { field, part }))
        .collect();
    let mut keys: Vec<Key> = parts.iter().map(|&part| Key(vec![part])).collect();
    for (at, &one) in parts.iter().enumerate() {
        keys.extend(
            parts[at + 1..].iter().filter(|other| other.field != one.field).map(|&other| Key(vec![one, other])),
        );
    }
    let mut codes = Codes::default();
    codes.add(records, &keys);
    let counted: Vec<u64> = keys.par_iter().map(|key| estimated_pairs(records, &codes, key, max_block)).collect();
    let mut found: Vec<Candidate> = keys
        .into_iter()
        .zip(counted)
        .filter(|&(_, pairs)| pairs > 0 && pairs <= most_pairs)
        .map(|(key, pairs)| Candidate { key, pairs })
        .collect();
    // Stable: keys of equally many pairs stay in the order of the fields.
    found.sort_by_key(|candidate| candidate.pairs);
    found
}

/// A few cheap keys that leave every field out at least once, to fit a first model by.
pub fn first_keys(records: &Records, candidates: &[Candidate]) -> Vec<Key> {
    let least = (records.rows as u64 / 50).max(1);
    let mut chosen: Vec<Key> = Vec::new();
    let mut left_out = vec![0u32; records.fields.len()];
    let mut used = vec![0u32; records.fields.len()];
    for candidate in candidates.iter().filter(|candidate| candidate.pairs >= least) {
        let key = &candidate.key;
        let is_plain = key.0.len() == 2 && key.0.iter().all(|part| matches!(part.part, Part::Whole | Part::Sample(_)));
        if !is_plain || key.0.iter().any(|part| used[part.field] >= 2) {
            continue;
        }
        (0..left_out.len()).filter(|&field| !key.uses(field)).for_each(|field| left_out[field] += 1);
        key.0.iter().for_each(|part| used[part.field] += 1);
        chosen.push(key.clone());
        if chosen.len() >= 6 || (chosen.len() >= 4 && left_out.iter().all(|&count| count >= 2)) {
            break;
        }
    }
    if chosen.is_empty() {
        chosen.extend(candidates.iter().take(3).map(|candidate| candidate.key.clone()));
    }
    chosen
}

/// Chooses keys by what they gain, given the chance with which each part of a match agrees.
pub fn choose(
    records: &Records,
    candidates: &[Candidate],
    agreement: impl Fn(KeyPart) -> f64 + Sync,
    most_pairs: u64,
) -> Vec<Key> {
    let fields = records.fields.len();
    let mut rng = Rng::seeded(23);
    let luck: Vec<f64> = (0..SIMULATED * fields).map(|_| rng.unit()).collect();
    let holds: Vec<Vec<u64>> = candidates
        .par_iter()
        .map(|candidate| {
            let parts: Vec<(usize, f64)> = candidate.key.0.iter().map(|&part| (part.field, agreement(part))).collect();
            let mut bits = vec![0u64; SIMULATED.div_ceil(64)];
            for (at, own) in luck.chunks_exact(fields).enumerate() {
                if parts.iter().all(|&(field, chance)| own[field] < chance) {
                    bits[at / 64] |= 1 << (at % 64);
                }
            }
            bits
        })
        .collect();
    let mut chosen: Vec<Key> = Vec::new();
    let mut is_chosen = vec![false; candidates.len()];
    let mut left = most_pairs;
    // Fields of a match depend on each other, as an address and a telephone do after a move: every match is covered again by other
    // keys while that is cheap.
    for round in 0..ROUNDS {
        let mut covered = vec![0u64; SIMULATED.div_ceil(64)];
        if round > 0 {
            left = left.min(most_pairs / 4);
        }
        while chosen.len() < MOST_KEYS {
            let mut best: Option<(f64, usize)> = None;
            for (at, candidate) in candidates.iter().enumerate() {
                if candidate.pairs > left || is_chosen[at] {
                    continue;
                }
                let gain: u32 =
                    holds[at].iter().zip(&covered).map(|(own, covered)| (own & !covered).count_ones()).sum();
                if f64::from(gain) < LEAST_GAIN * SIMULATED as f64 {
                    continue;
                }
                let worth = f64::from(gain) / (candidate.pairs as f64 + records.rows as f64);
                if best.is_none_or(|(most, _)| worth > most) {
                    best = Some((worth, at));
                }
            }
            let Some((_, at)) = best else { break };
            covered.iter_mut().zip(&holds[at]).for_each(|(covered, own)| *covered |= own);
            left -= candidates[at].pairs;
            is_chosen[at] = true;
            chosen.push(candidates[at].key.clone());
        }
    }
    chosen
}
