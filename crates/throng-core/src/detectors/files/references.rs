//! What the fast ways are held to, word by word.

use std::collections::{BTreeMap, BTreeSet};

use super::ranking::Ranked;

fn grams(file: &[u8], n: usize) -> impl Iterator<Item = u64> {
    file.windows(n).map(|window| window.iter().fold(0, |gram, &byte| gram << 8 | u64::from(byte)))
}

/// The n-grams that the most files have.
pub(super) fn most_frequent(files: &[Vec<u8>], n: usize, most: usize) -> Vec<Ranked> {
    let mut of: BTreeMap<u64, u32> = BTreeMap::new();
    for file in files {
        for gram in grams(file, n).collect::<BTreeSet<_>>() {
            *of.entry(gram).or_default() += 1;
        }
    }
    let mut list: Vec<Ranked> = of.into_iter().map(|(gram, files)| Ranked { gram, files }).collect();
    list.sort_by_key(|ranked| std::cmp::Reverse(ranked.files));
    list.truncate(most);
    list
}

/// How often a file has some n-grams, and its most frequent one.
pub(super) fn counts(file: &[u8], n: usize, wanted: &[u64]) -> (Vec<u32>, u32) {
    let mut of: BTreeMap<u64, u32> = BTreeMap::new();
    for gram in grams(file, n) {
        *of.entry(gram).or_default() += 1;
    }
    let counts = wanted.iter().map(|gram| of.get(gram).copied().unwrap_or(0)).collect();
    (counts, of.values().copied().max().unwrap_or(0))
}
