//! Sets of q-grams behind keyed hashes: two values are as alike as the largest set that they share.
//!
//! Paper      Churches, Christen. Some methods for blindfolded record linkage. BMC Medical Informatics and Decision Making 4, 2004.
//!
//! # Idea
//! Of each value all sets of its different q-grams that are large enough are hashed under a key that the matcher has not got. The largest hash that two values
//! have in common says how many q-grams they share, and so their Dice, exactly; below the least one that the holder chose it says nothing.
//!
//! # Formula
//! A value of n q-grams can reach a Dice of t only with a common set of t n / (2 − t) or more: sets from n down to that are hashed, or fewer where they would be too many.
//!
//! # Cost
//! Sets of a value: sums of binomials, thousands for a name of fifteen letters. For small data.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use super::hashing::keyed;
use crate::error::Result;

/// The most sets of a value.
const MOST: usize = 1 << 14;

/// A value: how many q-grams it has, and the hashes of their sets, the largest first, those of one size ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Set {
    /// How many different q-grams.
    pub grams: u32,
    /// The hashes of all sets of all q-grams, of all but one, and so on.
    pub subsets: Vec<Vec<u64>>,
}

/// The sets of a value's tokens, and whether some were left out because they are too many.
pub fn set_of(key: &[u8], tokens: &[String], least: f64) -> Result<(Set, bool)> {
    let mut grams: Vec<&str> = tokens.iter().map(String::as_str).collect();
    grams.sort_unstable();
    grams.dedup();
    let count = grams.len();
    let smallest = ((least * count as f64 / (2.0 - least)) - 1e-9).ceil().max(1.0) as usize;
    let (mut subsets, mut made) = (Vec::new(), 0usize);
    for size in (smallest.min(count)..=count).rev().filter(|&size| size > 0) {
        made = made.saturating_add(binomial(count, size));
        if made > MOST && size < count {
            return Ok((Set { grams: count as u32, subsets }, true));
        }
        let mut hashes = Vec::new();
        each_choice(count, size, &mut |chosen| {
            let texts: Vec<&str> = chosen.iter().map(|&at| grams[at]).collect();
            let hash = keyed(key, &texts)?;
            hashes.push(u64::from_be_bytes(std::array::from_fn(|at| hash[at])));
            Ok(())
        })?;
        hashes.sort_unstable();
        subsets.push(hashes);
    }
    Ok((Set { grams: count as u32, subsets }, false))
}

/// How many ways there are to choose, or very many.
fn binomial(count: usize, size: usize) -> usize {
    (1..=size.min(count - size)).fold(1, |ways: usize, at| match ways.checked_mul(count + 1 - at) {
        Some(product) => product / at,
        None => usize::MAX,
    })
}

/// All choices of so many places, in order.
fn each_choice(count: usize, size: usize, take: &mut dyn FnMut(&[usize]) -> Result<()>) -> Result<()> {
    let mut chosen: Vec<usize> = (0..size).collect();
    loop {
        take(&chosen)?;
        // The last place that can still move, and those behind it close to it.
        let Some(at) = (0..size).rev().find(|&at| chosen[at] < count - size + at) else { return Ok(()) };
        chosen[at] += 1;
        for behind in at + 1..size {
            chosen[behind] = chosen[behind - 1] + 1;
        }
    }
}

/// Which values have a set in common, and their Dice, by value of the first list and then of the second.
pub fn alike(one: &[&Set], other: &[&Set]) -> Vec<(u32, u32, f32)> {
    let mut with: HashMap<u64, Vec<u32>> = HashMap::new();
    for (value, set) in (0..).zip(other) {
        set.subsets.iter().flatten().for_each(|&hash| with.entry(hash).or_default().push(value));
    }
    let of_value = |(value, set): (usize, &&Set)| {
        let mut seen: BTreeMap<u32, f32> = BTreeMap::new();
        for (less, hashes) in (0u32..).zip(&set.subsets) {
            // A damaged file may say more sizes than there are q-grams.
            let common = f64::from(set.grams.saturating_sub(less));
            for beside in hashes.iter().filter_map(|hash| with.get(hash)).flatten() {
                let all = f64::from(set.grams + other[*beside as usize].grams);
                seen.entry(*beside).or_insert((2.0 * common / all).min(1.0) as f32);
            }
        }
        seen.into_iter().map(|(beside, dice)| (value as u32, beside, dice)).collect::<Vec<_>>()
    };
    one.par_iter().enumerate().map(of_value).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bigrams(text: &str) -> Vec<String> {
        let letters: Vec<char> = format!(" {text} ").chars().collect();
        letters.windows(2).map(|pair| pair.iter().collect()).collect()
    }

    fn dice(one: &str, other: &str) -> f64 {
        let set = |text: &str| bigrams(text).into_iter().collect::<std::collections::BTreeSet<_>>();
        let (one, other) = (set(one), set(other));
        2.0 * one.intersection(&other).count() as f64 / (one.len() + other.len()) as f64
    }

    #[test]
    fn peter_and_pete_by_hand() {
        // " p pe et te er r " and " p pe et te e ": 6 and 5 bigrams, 4 in common, Dice 8 / 11.
        let sets = ["peter", "pete"].map(|name| set_of(b"key", &bigrams(name), 0.7).unwrap().0);
        assert_eq!(sets.each_ref().map(|set| set.grams), [6, 5]);
        // From 0.7 * 6 / 1.3 = 3.2 on: sets of 6, 5 and 4.
        assert_eq!(sets[0].subsets.iter().map(Vec::len).collect::<Vec<_>>(), [1, 6, 15]);
        let found = alike(&[&sets[0]], &[&sets[1]]);
        assert!(found.len() == 1 && (f64::from(found[0].2) - 8.0 / 11.0).abs() < 1e-6, "{found:?}");
        // Another key: nothing in common.
        let other = set_of(b"another", &bigrams("pete"), 0.7).unwrap().0;
        assert!(alike(&[&sets[0]], &[&other]).is_empty());
    }

    #[test]
    fn too_many_sets_are_left_out_and_said() {
        let (set, is_cut) = set_of(b"key", &bigrams("abcdefghijklmnopqrstuvwxyz"), 0.5).unwrap();
        assert!(is_cut && set.grams == 27 && set.subsets.iter().map(Vec::len).sum::<usize>() <= MOST);
        assert_eq!(set_of(b"key", &[], 0.8).unwrap(), (Set::default(), false));
    }

    proptest! {
        /// Exactly the Dice of the q-grams from the least one on.
        #[test]
        fn the_largest_common_set_is_dice(one in "[a-d]{1,9}", other in "[a-d]{1,9}", least in 0.5..1.0f64) {
            let sets = [&one, &other].map(|text| set_of(b"key", &bigrams(text), least).unwrap());
            prop_assert!(sets.iter().all(|set| !set.1));
            let found = alike(&[&sets[0].0], &[&sets[1].0]).first().map(|pair| f64::from(pair.2));
            let expected = dice(&one, &other);
            if expected >= least {
                prop_assert!(found.is_some_and(|found| (found - expected).abs() < 1e-6), "{:?} {}", found, expected);
            }
            if let Some(found) = found {
                prop_assert!((found - expected).abs() < 1e-6);
            }
        }
    }
}
