//! The n-grams that the most files have: a list by document frequency, equal ones in the order of their bytes.
//!
//! Paper      Moskovitch, Nissim, Elovici 2008, section 3.3, with readings M1 and M2. The way to it is ours; that no list item is lost is proved
//!            on each run by the counts themselves.
//!
//! # Idea
//! 1. Each n-gram is hashed to a bucket, and for each bucket it is counted how many files have any of its n-grams. A bitmap says
//!    which buckets a file had already. No n-gram is in more files than its bucket.
//! 2. n-grams whose buckets are in at least t files are counted exactly. Where the last one wanted is in t files or more, nothing
//!    outside can belong to the list. Else t is lowered to what was found, which is enough; with more buckets, if too many would have to be
//!    counted. 3-grams have a bucket each, and need no second look.
//! 3. Where the candidates are too many to be held, those that come later in the order of bytes are left for another pass. In that
//!    they must be in *more* files than the last one wanted, for what is equal comes later.
//!
//! # Cost
//! Two passes over the files, seldom more. Memory: the buckets, 4 bytes each, 16 to 256 MiB for all threads together, and at most
//! [`MOST_CANDIDATES`] candidates a thread, however many different n-grams there are. The list is the same for any number of threads and any order
//! of files.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{BLOCK, Files, check_length, in_blocks, over, workers};
use crate::error::Result;
use crate::progress::Progress;

/// How many candidates are held by one thread.
pub const MOST_CANDIDATES: usize = 1 << 20;
/// The fewest buckets: their bitmap stays near the processor.
const FEWEST_BITS: u32 = 22;
/// The most buckets.
const MOST_BITS: u32 = 26;
/// A golden ratio of 2^64, odd: spreads n-grams over buckets.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Another odd number, for a table inside of what the first let through.
const SPREAD_AGAIN: u64 = 0xd6e8_feb8_6659_fd93;
/// How many times as many buckets as there are places in the list are looked into at first.
const MORE: usize = 4;

/// An n-gram of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// Its bytes as a number, the first the highest.
    pub gram: u64,
    /// How many files have it.
    pub files: u32,
}

/// The `most` n-grams that the most files have, the most frequent first.
pub fn most_frequent(
    files: &(impl Files + ?Sized),
    n: usize,
    most: usize,
    progress: &dyn Progress,
) -> Result<Vec<Ranked>> {
    ranked(files, n, most, Limits { bits: fitting_bits(files), candidates: MOST_CANDIDATES }, progress)
}

/// How much is held at once.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// The logarithm of how many buckets there are at first.
    bits: u32,
    /// How many candidates a thread holds.
    candidates: usize,
}

/// As many buckets as files leave mostly free: each adds to a share of all buckets that is its length in them, at most.
fn fitting_bits(files: &(impl Files + ?Sized)) -> u32 {
    let noise = |bits: u32| -> f64 {
        let buckets = (1u64 << bits) as f64;
        (0..files.count()).map(|file| (files.length(file) as f64 / buckets).min(1.0)).sum::<f64>()
    };
    let limit = files.count() as f64 / 16.0;
    (FEWEST_BITS..MOST_BITS).find(|&bits| noise(bits) <= limit).unwrap_or(MOST_BITS)
}

fn ranked(
    files: &(impl Files + ?Sized),
    n: usize,
    most: usize,
    limits: Limits,
    progress: &dyn Progress,
) -> Result<Vec<Ranked>> {
    check_length(n)?;
    let bytes: u64 = (0..files.count()).map(|file| files.length(file)).sum();
    if most == 0 {
        return Ok(Vec::new());
    }
    let mut buckets = Buckets { n, shift: 64 - if n == 3 { 24 } else { limits.bits } };
    progress.stage("counting n-grams", bytes);
    let mut counts = buckets.count(files, progress)?;
    if n == 3 {
        return Ok(all_of(&counts, most));
    }
    let mut least = reached_by(&counts, most.saturating_mul(MORE));
    loop {
        progress.stage("counting candidates", bytes);
        let found = candidates(files, &buckets, &counts, least, most, limits.candidates, progress)?;
        let last = if found.len() < most { 0 } else { found[most - 1].files };
        if least <= 1 || last >= least {
            return Ok(found);
        }
        // As many are in `last` files or more, so the list ends there or above. Where it is not full, half is tried.
        least = if last > 0 { last } else { least / 2 };
        let hot = counts.iter().filter(|&&count| count >= least).count();
        if hot > counts.len() / 8 && buckets.bits() < MOST_BITS {
            buckets.shift = 64 - (buckets.bits() + 2).min(MOST_BITS);
            progress.stage("counting n-grams", bytes);
            counts = buckets.count(files, progress)?;
        }
    }
}

/// The list, where each n-gram has a bucket.
fn all_of(counts: &[u32], most: usize) -> Vec<Ranked> {
    let least = reached_by(counts, most).max(1);
    let of = |(gram, &files): (usize, &u32)| (files >= least).then_some(Ranked { gram: gram as u64, files });
    let mut list: Vec<Ranked> = counts.iter().enumerate().filter_map(of).collect();
    sort(&mut list, most);
    list
}

/// The greatest number that at least `most` counts reach, or 1.
fn reached_by(counts: &[u32], most: usize) -> u32 {
    let greatest = counts.iter().copied().max().unwrap_or(0);
    let mut with = vec![0usize; greatest as usize + 1];
    for &count in counts {
        with[count as usize] += 1;
    }
    let mut reached = 0;
    for count in (1..with.len()).rev() {
        reached += with[count];
        if reached >= most {
            return count as u32;
        }
    }
    1
}

fn sort(list: &mut Vec<Ranked>, most: usize) {
    list.sort_unstable_by(|left, right| right.files.cmp(&left.files).then(left.gram.cmp(&right.gram)));
    list.truncate(most);
}

/// Where n-grams are counted together.
#[derive(Debug, Clone, Copy)]
struct Buckets {
    n: usize,
    /// 64 less the logarithm of how many there are.
    shift: u32,
}

impl Buckets {
    fn bits(&self) -> u32 {
        64 - self.shift
    }

    fn len(&self) -> usize {
        1 << self.bits()
    }

    /// For each bucket in how many files any of its n-grams is.
    fn count(&self, files: &(impl Files + ?Sized), progress: &dyn Progress) -> Result<Vec<u32>> {
        let new = || (vec![0u32; self.len()], vec![0u64; self.len() / 64]);
        let shift = self.shift;
        let states = over(files, workers(4 * self.len()), progress, new, |(counts, seen), _, bytes| {
            if self.n == 3 {
                mark(bytes, 3, counts, seen, |gram| gram as usize);
            } else {
                mark(bytes, self.n, counts, seen, |gram| (gram.wrapping_mul(SPREAD) >> shift) as usize);
            }
            Ok(())
        })?;
        let mut states = states.into_iter();
        let (mut total, _) = states.next().expect("there is a worker");
        for (counts, _) in states {
            total.iter_mut().zip(&counts).for_each(|(total, count)| *total += count);
        }
        Ok(total)
    }

    fn of(&self, gram: u64) -> usize {
        (gram.wrapping_mul(SPREAD) >> self.shift) as usize
    }
}

/// Adds 1 to the buckets of the n-grams of a file.
fn mark(bytes: &[u8], n: usize, counts: &mut [u32], seen: &mut [u64], bucket: impl Fn(u64) -> usize) {
    let mut fresh = [0u32; BLOCK];
    in_blocks(bytes, n, |block| {
        let mut at = 0;
        for gram in block {
            let bucket = bucket(gram);
            let (word, bit) = (&mut seen[bucket >> 6], 1 << (bucket & 63));
            // Without a branch: which n-grams are new cannot be foreseen.
            fresh[at % BLOCK] = bucket as u32;
            at += usize::from(*word & bit == 0);
            *word |= bit;
        }
        for &bucket in &fresh[..at] {
            counts[bucket as usize] += 1;
        }
    });
    seen.fill(0);
}

/// The first `most` of all n-grams whose bucket is in at least `least` files, with exact counts.
fn candidates(
    files: &(impl Files + ?Sized),
    buckets: &Buckets,
    counts: &[u32],
    mut least: u32,
    most: usize,
    held: usize,
    progress: &dyn Progress,
) -> Result<Vec<Ranked>> {
    let mut list: Vec<Ranked> = Vec::new();
    let mut from = 0;
    loop {
        let mut hot = vec![0u64; counts.len() / 64];
        counts
            .iter()
            .enumerate()
            .filter(|&(_, &count)| count >= least)
            .for_each(|(bucket, _)| hot[bucket >> 6] |= 1 << (bucket & 63));
        let end = AtomicU64::new(u64::MAX);
        let new = || (Table::of(1 << 10), Vec::with_capacity(BLOCK));
        let states = over(files, workers(64 * held), progress, new, |(table, chosen), file, bytes| {
            in_blocks(bytes, buckets.n, |block| {
                choose(block, chosen, |gram| {
                    let bucket = buckets.of(gram);
                    hot[bucket >> 6] >> (bucket & 63) & 1
                });
                let mut until = end.load(Ordering::Relaxed);
                for &gram in chosen.iter() {
                    if gram < from || gram >= until {
                        continue;
                    }
                    table.meet(gram, file as u32);
                    if table.used > held {
                        until = table.halve(&end);
                    }
                }
            });
            Ok(())
        })?;
        let end = end.into_inner();
        let mut found: Vec<Ranked> = states.iter().flat_map(|(table, _)| table.all(end)).collect();
        found.sort_unstable_by_key(|ranked| ranked.gram);
        found.dedup_by(|later, first| {
            let is_same = later.gram == first.gram;
            if is_same {
                first.files += later.files;
            }
            is_same
        });
        list.append(&mut found);
        sort(&mut list, most);
        if end == u64::MAX {
            return Ok(list);
        }
        from = end;
        if list.len() == most {
            least = least.max(list[most - 1].files + 1);
        }
    }
}

/// Keeps the n-grams of a block that are chosen, but not one right behind itself.
fn choose(block: &mut dyn Iterator<Item = u64>, chosen: &mut Vec<u64>, is_chosen: impl Fn(u64) -> u64) {
    chosen.clear();
    chosen.resize(BLOCK, 0);
    let (mut at, mut before) = (0, u64::MAX);
    for gram in block {
        chosen[at % BLOCK] = gram;
        at += (is_chosen(gram) & u64::from(gram != before)) as usize;
        before = gram;
    }
    chosen.truncate(at);
}

/// Candidates with the number of files that have them.
#[derive(Debug)]
struct Table {
    slots: Vec<Slot>,
    used: usize,
    shift: u32,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    gram: u64,
    files: u32,
    /// The last file that had it.
    last: u32,
}

impl Slot {
    /// No n-gram has more than 48 bits.
    const FREE: Self = Self { gram: u64::MAX, files: 0, last: u32::MAX };
}

impl Table {
    fn of(slots: usize) -> Self {
        Self { slots: vec![Slot::FREE; slots], used: 0, shift: 64 - slots.trailing_zeros() }
    }

    /// A file has this n-gram.
    fn meet(&mut self, gram: u64, file: u32) {
        let mut at = (gram.wrapping_mul(SPREAD_AGAIN) >> self.shift) as usize;
        let last = self.slots.len() - 1;
        loop {
            let slot = &mut self.slots[at];
            if slot.gram == gram {
                slot.files += u32::from(slot.last != file);
                slot.last = file;
                return;
            }
            if slot.gram == u64::MAX {
                *slot = Slot { gram, files: 1, last: file };
                break;
            }
            at = (at + 1) & last;
        }
        self.used += 1;
        if 2 * self.used > self.slots.len() {
            self.rebuild(2 * self.slots.len(), u64::MAX);
        }
    }

    fn rebuild(&mut self, slots: usize, end: u64) {
        let old = std::mem::replace(self, Self::of(slots));
        for slot in old.slots.into_iter().filter(|slot| slot.gram < end) {
            let mut at = (slot.gram.wrapping_mul(SPREAD_AGAIN) >> self.shift) as usize;
            while self.slots[at].gram != u64::MAX {
                at = (at + 1) & (slots - 1);
            }
            self.slots[at] = slot;
            self.used += 1;
        }
    }

    /// Lets go of the later half in the order of bytes, and of what others have let go of; gives where what is held ends.
    fn halve(&mut self, end: &AtomicU64) -> u64 {
        let mut grams: Vec<u64> = self.slots.iter().map(|slot| slot.gram).filter(|&gram| gram < u64::MAX).collect();
        let middle = grams.len() / 2;
        let median = *grams.select_nth_unstable(middle).1;
        let until = end.fetch_min(median, Ordering::Relaxed).min(median);
        self.rebuild(self.slots.len(), until);
        until
    }

    /// All before an end.
    fn all(&self, end: u64) -> impl Iterator<Item = Ranked> {
        let held = self.slots.iter().filter(move |slot| slot.gram < end && slot.gram < u64::MAX);
        held.map(|slot| Ranked { gram: slot.gram, files: slot.files })
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
        // "abcabc" has abc, bca, cab; "xbca" has xbc, bca; "ab" is too short.
        let files = [&b"abcabc"[..], b"xbca", b"ab"];
        let list = most_frequent(&files[..], 3, 3, &Silent).unwrap();
        let of = |gram: &[u8; 3], files| Ranked {
            gram: u64::from_be_bytes([0, 0, 0, 0, 0, gram[0], gram[1], gram[2]]),
            files,
        };
        assert_eq!(list, [of(b"bca", 2), of(b"abc", 1), of(b"cab", 1)]);
        assert_eq!(most_frequent(&files[..], 3, 9, &Silent).unwrap().len(), 4);
        assert!(most_frequent(&files[..], 7, 3, &Silent).unwrap_err().describe(false).contains("3 to 6"));
        assert_eq!(most_frequent(&files[..], 5, 3, &Silent).unwrap()[0].files, 1);
    }

    #[test]
    fn three_bytes_have_a_bucket_each() {
        let mut rng = crate::rng::Rng::seeded(3);
        let files: Vec<Vec<u8>> = (0..9).map(|_| (0..200).map(|_| rng.index(5) as u8).collect()).collect();
        for most in [1, 30, 500] {
            let list = most_frequent(&files[..], 3, most, &Silent).unwrap();
            assert_eq!(list, references::most_frequent(&files, 3, most));
        }
    }

    proptest! {
        /// Also where buckets are few, and candidates more than are held.
        #[test]
        fn is_a_literal_count(
            files in prop::collection::vec(prop::collection::vec(0u8..4, 0..60), 1..12),
            n in 4usize..=6, most in 1usize..40, bits in 6u32..12, held in 2usize..30,
        ) {
            let list = ranked(&files[..], n, most, Limits { bits, candidates: held }, &Silent).unwrap();
            prop_assert_eq!(&list, &references::most_frequent(&files, n, most));
            let mut turned = files.clone();
            turned.reverse();
            let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let again = one.install(|| ranked(&turned[..], n, most, Limits { bits: 10, candidates: MOST_CANDIDATES }, &Silent));
            prop_assert_eq!(list, again.unwrap());
        }
    }
}
