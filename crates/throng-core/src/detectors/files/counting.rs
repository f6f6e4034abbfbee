//! How often a file has each n-gram of a list, and how often the most frequent of all its n-grams: what term frequencies are made of.
//!
//! Paper      Moskovitch, Nissim, Elovici 2008, equations 1 and 2, with readings M3 and M4.
//!
//! # Formula
//! TF = count of the n-gram / count of the file's most frequent n-gram, of the list or not. TF-IDF = TF · ln(N / n), where n of N files have it.
//! A file that is shorter than an n-gram has only zeros.
//!
//! # Idea
//! The greatest count is that of an n-gram of the list almost always. n-grams outside of it are counted in buckets; only where a
//! bucket has more than the best of the list, its n-grams are counted one by one.
//!
//! # Cost
//! One pass; about a byte for each n-gram and file, for most counts are below 128.

use super::{BLOCK, Files, check_length, in_blocks, over, workers};
use crate::error::Result;
use crate::progress::Progress;

/// Spreads n-grams over the places of a table.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// The logarithm of how many buckets there are for n-grams outside the list.
const BUCKET_BITS: u32 = 14;
/// How many n-grams are sorted at once.
const MOST_SORTED: u64 = 1 << 21;

/// The counts of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// How often it has the n-gram that it has most often; 0 if it has none.
    pub greatest: u32,
    /// Numbers of variable length: 7 bits a byte, the lowest first, the eighth bit says that there is more.
    packed: Box<[u8]>,
}

impl Counts {
    fn of(counts: &[u32], greatest: u32) -> Self {
        let mut packed = Vec::with_capacity(counts.len());
        for &count in counts {
            let mut rest = count;
            while rest > 0x7f {
                packed.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            packed.push(rest as u8);
        }
        Self { greatest, packed: packed.into_boxed_slice() }
    }

    /// How often it has each n-gram of the list, in its order.
    pub fn each(&self) -> impl Iterator<Item = u32> {
        let mut bytes = self.packed.iter();
        std::iter::from_fn(move || {
            let mut byte = *bytes.next()?;
            let mut count = u32::from(byte & 0x7f);
            let mut shift = 7;
            while byte & 0x80 != 0 {
                byte = *bytes.next().expect("a number ends");
                count |= u32::from(byte & 0x7f) << shift;
                shift += 7;
            }
            Some(count)
        })
    }

    /// The term frequencies, in the order of the list.
    pub fn term_frequencies(&self) -> impl Iterator<Item = f64> {
        let greatest = f64::from(self.greatest.max(1));
        self.each().map(move |count| f64::from(count) / greatest)
    }
}

/// What an n-gram that `files` of `all` files have is multiplied by.
pub fn inverse_document_frequency(files: u32, all: usize) -> f64 {
    (all as f64 / f64::from(files.max(1))).ln()
}

/// For each file the counts of some n-grams.
pub fn count(files: &(impl Files + ?Sized), n: usize, grams: &[u64], progress: &dyn Progress) -> Result<Vec<Counts>> {
    check_length(n)?;
    progress.stage("counting terms", (0..files.count()).map(|file| files.length(file)).sum());
    let table = Table::of(grams);
    let new = || Worker { known: vec![0; grams.len()], others: vec![0; 1 << BUCKET_BITS], done: Vec::new() };
    let states = over(files, workers(4 * grams.len() + (16 << 20)), progress, new, |worker, file, bytes| {
        let counts = worker.counts(bytes, n, &table);
        worker.done.push((file, counts));
        Ok(())
    })?;
    let mut all: Vec<(usize, Counts)> = states.into_iter().flat_map(|worker| worker.done).collect();
    all.sort_unstable_by_key(|&(file, _)| file);
    Ok(all.into_iter().map(|(_, counts)| counts).collect())
}

#[derive(Debug)]
struct Worker {
    known: Vec<u32>,
    others: Vec<u32>,
    done: Vec<(usize, Counts)>,
}

impl Worker {
    fn counts(&mut self, bytes: &[u8], n: usize, table: &Table) -> Counts {
        self.known.fill(0);
        self.others.fill(0);
        let mut likely = [0u64; BLOCK];
        in_blocks(bytes, n, |block| {
            let mut at = 0;
            for gram in block {
                let spread = gram.wrapping_mul(SPREAD);
                let is_likely = table.may_have(spread);
                likely[at % BLOCK] = gram;
                at += is_likely as usize;
                self.others[bucket(spread)] += 1 - is_likely as u32;
            }
            for &gram in &likely[..at] {
                match table.place(gram) {
                    Some(place) => self.known[place] += 1,
                    None => self.others[bucket(gram.wrapping_mul(SPREAD))] += 1,
                }
            }
        });
        let best = self.known.iter().copied().max().unwrap_or(0);
        let greatest = self.greatest(bytes, n, table, best);
        Counts::of(&self.known, greatest)
    }

    /// The count of the most frequent n-gram of all, if the best of the list is known.
    fn greatest(&self, bytes: &[u8], n: usize, table: &Table, best: u32) -> u32 {
        let left: u64 = self.others.iter().filter(|&&count| count > best).map(|&count| u64::from(count)).sum();
        if left == 0 {
            return best;
        }
        let parts = left.div_ceil(MOST_SORTED);
        let mut greatest = best;
        for part in 0..parts {
            let mut grams = Vec::new();
            in_blocks(bytes, n, |block| {
                grams.extend(block.filter(|&gram| {
                    let spread = gram.wrapping_mul(SPREAD);
                    self.others[bucket(spread)] > greatest
                        && (parts == 1 || (spread >> 20) % parts == part)
                        && table.place(gram).is_none()
                }));
            });
            grams.sort_unstable();
            let most = grams.chunk_by(|left, right| left == right).map(|same| same.len() as u32).max();
            greatest = greatest.max(most.unwrap_or(0));
        }
        greatest
    }
}

fn bucket(spread: u64) -> usize {
    (spread >> (64 - BUCKET_BITS)) as usize
}

/// The n-grams of the list with their places.
#[derive(Debug)]
struct Table {
    /// A bit for each hash that a listed n-gram has.
    likely: Vec<u64>,
    slots: Vec<(u64, u32)>,
    shift: u32,
}

impl Table {
    /// The logarithm of how many bits there are.
    const LIKELY_BITS: u32 = 19;

    fn of(grams: &[u64]) -> Self {
        let size = (4 * grams.len()).next_power_of_two().max(64);
        let mut table = Self {
            likely: vec![0; 1 << (Self::LIKELY_BITS - 6)],
            slots: vec![(u64::MAX, 0); size],
            shift: 64 - size.trailing_zeros(),
        };
        for (place, &gram) in grams.iter().enumerate() {
            let spread = gram.wrapping_mul(SPREAD);
            let bit = (spread >> (64 - Self::LIKELY_BITS)) as usize;
            table.likely[bit >> 6] |= 1 << (bit & 63);
            let mut at = (spread >> table.shift) as usize;
            while table.slots[at].0 != u64::MAX {
                at = (at + 1) & (size - 1);
            }
            table.slots[at] = (gram, place as u32);
        }
        table
    }

    fn may_have(&self, spread: u64) -> u64 {
        let bit = (spread >> (64 - Self::LIKELY_BITS)) as usize;
        self.likely[bit >> 6] >> (bit & 63) & 1
    }

    fn place(&self, gram: u64) -> Option<usize> {
        let mut at = (gram.wrapping_mul(SPREAD) >> self.shift) as usize;
        loop {
            let (held, place) = self.slots[at];
            if held == gram {
                return Some(place as usize);
            }
            if held == u64::MAX {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::references;
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn worked_by_hand() {
        // aaaa: aaa twice. aaabaaab: aaa, aab and abaa... each aab twice, baa, aba once.
        let files = [&b"aaaa"[..], b"xyaabaab", b"aa"];
        let gram = |text: &[u8]| text.iter().fold(0, |gram, &byte| gram << 8 | u64::from(byte));
        let rows = count(&files[..], 3, &[gram(b"aaa"), gram(b"baa")], &Silent).unwrap();
        assert_eq!(rows[0].greatest, 2);
        assert_eq!(rows[0].term_frequencies().collect::<Vec<_>>(), [1.0, 0.0]);
        // aab is in it twice, though nobody asked for it.
        assert_eq!(rows[1].greatest, 2);
        assert_eq!(rows[1].term_frequencies().collect::<Vec<_>>(), [0.0, 0.5]);
        assert_eq!(rows[2].greatest, 0);
        assert_eq!(rows[2].term_frequencies().collect::<Vec<_>>(), [0.0, 0.0]);
        // Two of three files have it: ln 1.5.
        assert!((inverse_document_frequency(2, 3) - 0.405_465_108_108_164_4).abs() < 1e-15);
        assert_eq!(inverse_document_frequency(3, 3), 0.0);
    }

    #[test]
    fn long_counts_are_kept() {
        let counts = [0, 127, 128, 300, 1 << 21, u32::MAX];
        assert_eq!(Counts::of(&counts, 7).each().collect::<Vec<_>>(), counts);
    }

    proptest! {
        #[test]
        fn is_a_literal_count(
            files in prop::collection::vec(prop::collection::vec(0u8..4, 0..300), 1..8), n in 3usize..=6, most in 0usize..20,
        ) {
            let grams: Vec<u64> = references::most_frequent(&files, n, most).iter().rev().map(|one| one.gram).collect();
            let rows = count(&files[..], n, &grams, &Silent).unwrap();
            for (file, row) in files.iter().zip(&rows) {
                let (counts, greatest) = references::counts(file, n, &grams);
                prop_assert_eq!(row.each().collect::<Vec<_>>(), counts);
                prop_assert_eq!(row.greatest, greatest);
            }
        }
    }
}
