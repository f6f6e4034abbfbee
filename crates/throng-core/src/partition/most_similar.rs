//! Groups of k around the most similar pairs.
//!
//! Paper      Erola, Castellà-Roca, Navarro-Arribas, Torra. Semantic microaggregation for the anonymization of query logs. PSD
//!            2010, as papers 001 and 004 cite it.
//!
//! # Idea
//! 1. While 2k or more records are left: the most similar two of them start a group. The record that is most similar to
//!    all members together, by the sum, joins it, until it has k.
//! 2. The rest is the last group: k to 2k - 1 records.
//!
//! # Readings
//! Every tie goes to the lower numbers (Q15a).
//!
//! # Cost
//! Time O(n²) beside the similarities, more where many records share their most similar one: each record's best partner
//! is kept, and looked for again only when it is gone and the record comes up. Memory 2 n² bytes for the similarities.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::Partition;
use crate::progress::Progress;

/// How similar records are: row `i` holds the similarities to `i + 1 ..`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Similarities {
    rows: Vec<Vec<u32>>,
}

impl Similarities {
    /// All rows; row `i` of n has `n - 1 - i` numbers.
    pub fn from_rows(rows: Vec<Vec<u32>>) -> Self {
        let len = rows.len();
        assert!(rows.iter().enumerate().all(|(at, row)| row.len() == len - 1 - at), "an upper triangle");
        Self { rows }
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many bytes the similarities of this many records take.
    pub fn bytes(records: usize) -> u64 {
        2 * records as u64 * records as u64
    }

    /// How similar two different records are.
    pub fn get(&self, left: u32, right: u32) -> u32 {
        let (low, high) = if left < right { (left, right) } else { (right, left) };
        self.rows[low as usize][(high - low - 1) as usize]
    }
}

/// Cuts records into groups of k to 2k - 1. There must be at least k records, and k at least 2.
pub fn most_similar(similarities: &Similarities, k: usize, progress: &dyn Progress) -> Partition {
    most_similar_of(similarities, (0..similarities.len() as u32).collect(), k, progress)
}

/// Cuts some of the records, in rising order, into groups of k to 2k - 1. There must be at least k of them, and k at least 2.
pub fn most_similar_of(similarities: &Similarities, records: Vec<u32>, k: usize, progress: &dyn Progress) -> Partition {
    assert!(k >= 2 && records.len() >= k, "a group needs at least k records, k at least 2");
    progress.stage("groups", records.len() as u64);
    let mut is_left = vec![false; similarities.len()];
    records.iter().for_each(|&record| is_left[record as usize] = true);
    let mut left = Left { similarities, is_left, records };
    let mut pairs: BinaryHeap<Candidate> =
        left.records.par_iter().filter_map(|&record| left.best_after(record)).collect::<Vec<_>>().into();
    let mut groups = Vec::new();
    while left.records.len() >= 2 * k && !progress.is_stopped() {
        let (first, second) = left.best_pair(&mut pairs);
        groups.push(left.take_group(first, second, k));
        progress.advance(k as u64);
    }
    progress.advance(left.records.len() as u64);
    groups.push(left.records);
    Partition { groups }
}

/// A record with the most similar of those after it: similarity, record, partner. The greatest is the one to take.
type Candidate = (u32, Reverse<u32>, Reverse<u32>);

/// The records that are not yet in a group, in rising order.
struct Left<'a> {
    similarities: &'a Similarities,
    is_left: Vec<bool>,
    records: Vec<u32>,
}

impl Left<'_> {
    /// The most similar of the records after one, the first on ties.
    fn best_after(&self, record: u32) -> Option<Candidate> {
        let after = record as usize + 1;
        let row = self.similarities.rows[record as usize].iter().zip(&self.is_left[after..]);
        let own = row.enumerate().filter(|(_, (_, is_left))| **is_left);
        let best = own.map(|(at, (&similarity, _))| (similarity, Reverse((after + at) as u32))).max()?;
        Some((best.0, Reverse(record), best.1))
    }

    /// The most similar two, the first on ties. At least two are left.
    fn best_pair(&self, pairs: &mut BinaryHeap<Candidate>) -> (u32, u32) {
        loop {
            let (_, Reverse(record), Reverse(partner)) = pairs.pop().expect("every record but the last has a partner");
            match (self.is_left[record as usize], self.is_left[partner as usize]) {
                (true, true) => return (record, partner),
                // What was found is at least as similar as anything that is still there.
                (true, false) => pairs.extend(self.best_after(record)),
                (false, _) => {}
            }
        }
    }

    /// Takes a group of k out of the records: these two and whoever is most similar to all in it.
    fn take_group(&mut self, first: u32, second: u32, k: usize) -> Vec<u32> {
        let mut group = vec![first, second];
        let mut sums = vec![0u64; self.records.len()];
        let mut is_summed = 0;
        while group.len() < k {
            for &member in &group[is_summed..] {
                self.is_left[member as usize] = false;
                for (sum, &record) in sums.iter_mut().zip(&self.records).filter(|(_, record)| **record != member) {
                    *sum += u64::from(self.similarities.get(record, member));
                }
            }
            is_summed = group.len();
            let others = sums.iter().zip(&self.records).filter(|(_, record)| self.is_left[**record as usize]);
            let (_, Reverse(best)) =
                others.map(|(&sum, &record)| (sum, Reverse(record))).max().expect("2k records were left");
            group.push(best);
        }
        group.iter().for_each(|&member| self.is_left[member as usize] = false);
        self.records.retain(|&record| self.is_left[record as usize]);
        group.sort_unstable();
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;
    use proptest::prelude::*;

    fn of(len: u32, similarity: impl Fn(u32, u32) -> u32) -> Similarities {
        let row = |left: u32| (left + 1..len).map(|right| similarity(left, right)).collect();
        Similarities::from_rows((0..len).map(row).collect())
    }

    /// The steps as they are written, everything computed anew each time.
    fn literal(similarities: &Similarities, k: usize) -> Vec<Vec<u32>> {
        let mut left: Vec<u32> = (0..similarities.len() as u32).collect();
        let mut groups = Vec::new();
        while left.len() >= 2 * k {
            let (mut best, mut group) = (None, Vec::new());
            for &first in &left {
                for &second in left.iter().filter(|&&second| second > first) {
                    let similarity = similarities.get(first, second);
                    if best.is_none_or(|best| similarity > best) {
                        (best, group) = (Some(similarity), vec![first, second]);
                    }
                }
            }
            while group.len() < k {
                let sum = |record: u32| group.iter().map(|&member| similarities.get(record, member)).sum::<u32>();
                let others: Vec<u32> = left.iter().copied().filter(|record| !group.contains(record)).collect();
                let most = others.iter().map(|&record| sum(record)).max().unwrap();
                let joins = others.iter().copied().find(|&record| sum(record) == most).unwrap();
                group.push(joins);
            }
            left.retain(|record| !group.contains(record));
            group.sort_unstable();
            groups.push(group);
        }
        groups.push(left);
        groups
    }

    #[test]
    fn by_hand() {
        // 1 and 4 are most similar; 2 has 3 + 3 with both, 0 has 5 + 0.
        let known = [((1, 4), 9), ((1, 2), 3), ((2, 4), 3), ((0, 1), 5), ((3, 5), 7)];
        let similarity = |left, right| known.iter().find(|(pair, _)| *pair == (left, right)).map_or(0, |(_, own)| *own);
        let similarities = of(6, similarity);
        assert_eq!(most_similar(&similarities, 3, &Silent).groups, [[1, 2, 4], [0, 3, 5]]);
        assert_eq!(most_similar(&similarities, 2, &Silent).groups, [[1, 4], [3, 5], [0, 2]]);
        assert_eq!(most_similar(&similarities, 4, &Silent).groups, [[0, 1, 2, 3, 4, 5]]);
        // Nothing in common: in the order of their numbers.
        assert_eq!(most_similar(&of(5, |_, _| 0), 2, &Silent).groups, [vec![0, 1], vec![2, 3, 4]]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn as_the_literal_steps(
            numbers in prop::collection::vec(prop_oneof![0..4u32, 0..60u32], 190), len in 2..=20u32, k in 2..7usize
        ) {
            prop_assume!(len as usize >= k);
            let similarities = of(len, |left, right| numbers[(right * (right - 1) / 2 + left) as usize]);
            let partition = most_similar(&similarities, k, &Silent);
            prop_assert_eq!(&partition.groups, &literal(&similarities, k));
            prop_assert!(partition.groups.iter().all(|group| (k..2 * k).contains(&group.len())));
            prop_assert!(partition.group_of(len as usize).iter().all(|&group| group != u32::MAX));
        }
    }
}
