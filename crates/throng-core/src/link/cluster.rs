//! Clusters of records that are one person's, from weighted pairs.
//!
//! Idea       Never the closure: one wrong pair would chain two persons together, and then everybody. Pairs are taken by descending
//!            weight, and two clusters become one while the sum over all cross pairs of (weight − prior) stays above 0. Pairs that
//!            no block had are compared then: they are evidence like all others.
//! Cost       Pairs that are tried, times the sizes of the two clusters; a weight is cut at [`CAP`] bits.
//! Does not   take back a merger.

use std::collections::HashMap;

use super::records::Records;

/// No pair counts for more bits than this.
pub const CAP: f64 = 25.0;
/// Nor against: one record that went wrong does not outvote several that agree.
pub const FLOOR: f64 = -12.0;
/// Of two large clusters so many cross pairs are looked at, evenly spread.
const MOST_CROSS_PAIRS: usize = 400;

/// Clusters of `rows` records: for each the lowest record of its cluster. Pairs are in descending order of their weight, `weigh` gives
/// that of any pair.
pub fn clusters(rows: usize, pairs: &[(u32, u32, f32)], prior: f64, weigh: impl Fn(u32, u32) -> f64) -> Vec<u32> {
    let mut of: Vec<u32> = (0..rows as u32).collect();
    let mut members: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut refused: HashMap<(u32, u32), (usize, usize)> = HashMap::new();
    for &(one, other, _) in pairs {
        let (low, high) = (of[one as usize].min(of[other as usize]), of[one as usize].max(of[other as usize]));
        if low == high {
            continue;
        }
        let own = members.get(&low).cloned().unwrap_or_else(|| vec![low]);
        let theirs = members.get(&high).cloned().unwrap_or_else(|| vec![high]);
        // Nothing changed since they were refused.
        if refused.get(&(low, high)) == Some(&(own.len(), theirs.len())) {
            continue;
        }
        let all = own.len() * theirs.len();
        let step = all.div_ceil(MOST_CROSS_PAIRS);
        let mut sum = 0.0;
        for at in (0..all).step_by(step) {
            let (left, right) = (own[at / theirs.len()], theirs[at % theirs.len()]);
            let (left, right) = (left.min(right), left.max(right));
            sum += (weigh(left, right) - prior).clamp(FLOOR, CAP);
        }
        if sum > 0.0 {
            for &record in &theirs {
                of[record as usize] = low;
            }
            members.remove(&high);
            let merged = members.entry(low).or_insert(own);
            merged.extend(theirs);
        } else {
            refused.insert((low, high), (own.len(), theirs.len()));
        }
    }
    of
}

/// The pairs of two files, one to one: by descending weight, ties to the earlier records.
pub fn one_to_one(records: &Records, pairs: &[(u32, u32, f32)]) -> Vec<bool> {
    keep_free(pairs, &mut vec![false; records.rows], 0)
}

/// The same for two files whose rows both count from 0.
pub fn greedy_one_to_one(left: usize, right: usize, pairs: &[(u32, u32, f32)]) -> Vec<bool> {
    keep_free(pairs, &mut vec![false; left + right], left)
}

fn keep_free(pairs: &[(u32, u32, f32)], taken: &mut [bool], offset: usize) -> Vec<bool> {
    pairs
        .iter()
        .map(|&(one, other, _)| {
            let (one, other) = (one as usize, other as usize + offset);
            let is_free = !taken[one] && !taken[other];
            if is_free {
                taken[one] = true;
                taken[other] = true;
            }
            is_free
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_pair_does_not_chain_two_persons() {
        // Two persons of three records each; all true pairs have weight 20, one wrong pair 14, the other cross pairs −8. The prior is 10.
        let weigh = |one: u32, other: u32| match (one / 3 == other / 3, (one, other)) {
            (true, _) => 20.0,
            (false, (2, 3)) => 14.0,
            _ => -8.0,
        };
        let mut pairs = Vec::new();
        for one in 0..6u32 {
            pairs.extend((one + 1..6).map(|other| (one, other, weigh(one, other) as f32)));
        }
        pairs.sort_by(|left, right| right.2.total_cmp(&left.2).then((left.0, left.1).cmp(&(right.0, right.1))));
        assert_eq!(clusters(6, &pairs, 10.0, weigh), [0, 0, 0, 3, 3, 3]);
        // Its closure would be one cluster: the wrong pair is above the prior.
        assert!(weigh(2, 3) > 10.0);
    }
}
