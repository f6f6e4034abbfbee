//! The Jensen-Shannon divergence of two mixes, fast for many pairs.
//!
//! Paper      Lin. Divergence measures based on the Shannon entropy. IEEE Transactions on Information Theory 37 (1991).
//!
//! # Formula
//! JSD(p, q) = (KL(p | m) + KL(q | m)) / 2 in bits, with m = (p + q) / 2. Only what both have counts:
//! JSD(p, q) = 1 - (sum over x in both of common(p(x), q(x))) / 2, with
//! common(a, b) = f(a + b) - f(a) - f(b) and f(x) = x log2 x. It lies in [0, 1]; its square root is a distance. Nothing has
//! nothing in common with anything, and is equal to nothing.
//!
//! # Cost
//! One logarithm for each thing that two records share: a thing knows who has it, and nothing else is looked at. Memory 64 bytes
//! a thing of a record.

/// What two shares of the same thing have in common.
pub(crate) fn common(left: f64, right: f64) -> f64 {
    weighted_log(left + right) - weighted_log(left) - weighted_log(right)
}

/// x log2 x, 0 for 0.
pub(crate) fn weighted_log(share: f64) -> f64 {
    if share > 0.0 { share * share.log2() } else { 0.0 }
}

/// Mixes of several records, as shares.
#[derive(Debug, Clone)]
pub(crate) struct Shares {
    /// Record `r` has `entries[starts[r]..starts[r + 1]]`.
    starts: Vec<usize>,
    entries: Vec<Share>,
    /// The shares of all records by thing, then by record.
    by_thing: Vec<Share>,
}

#[derive(Debug, Clone, Copy)]
struct Share {
    record: u32,
    share: f64,
    /// x log2 x of the share.
    weighted: f64,
    /// Where in `by_thing` those of later records for the same thing begin, and end.
    later: (u32, u32),
}

impl Shares {
    /// Of records with things in rising order, and how often each occurs.
    pub(crate) fn of<M: AsRef<[(u32, u64)]>>(mixes: impl IntoIterator<Item = M>) -> Self {
        let (mut starts, mut entries, mut things) = (vec![0], Vec::new(), Vec::new());
        for (record, mix) in (0u32..).zip(mixes) {
            let mix = mix.as_ref();
            let all: u64 = mix.iter().map(|&(_, count)| count).sum();
            for &(thing, count) in mix {
                things.push((thing, entries.len() as u32));
                let share = count as f64 / all as f64;
                entries.push(Share { record, share, weighted: weighted_log(share), later: (0, 0) });
            }
            starts.push(entries.len());
        }
        things.sort_unstable();
        let mut by_thing = Vec::with_capacity(entries.len());
        for same in things.chunk_by(|left, right| left.0 == right.0) {
            let end = (by_thing.len() + same.len()) as u32;
            for &(_, entry) in same {
                let share = &mut entries[entry as usize];
                share.later = (by_thing.len() as u32 + 1, end);
                by_thing.push(*share);
            }
        }
        Self { starts, entries, by_thing }
    }

    fn entries(&self, record: usize) -> &[Share] {
        &self.entries[self.starts[record]..self.starts[record + 1]]
    }

    /// The divergences of a record from those that come after it, for all that there is room for. Only what they share is
    /// looked at.
    pub(crate) fn divergences_after(&self, record: usize, into: &mut [f64]) {
        let entries = self.entries(record);
        into.fill(0.0);
        for own in entries {
            for other in &self.by_thing[own.later.0 as usize..own.later.1 as usize] {
                if let Some(sum) = into.get_mut(other.record as usize - record - 1) {
                    *sum += weighted_log(own.share + other.share) - (own.weighted + other.weighted);
                }
            }
        }
        for (sum, other) in into.iter_mut().zip(record + 1..) {
            *sum = match [entries, self.entries(other)].map(<[Share]>::is_empty) {
                [true, true] => 0.0,
                [false, false] => (1.0 - *sum / 2.0).clamp(0.0, 1.0),
                _ => 1.0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The divergence of two of some records, the first before the second.
    fn divergence(mixes: &[Vec<(u32, u64)>], left: usize, right: usize) -> f64 {
        let mut all = vec![0.0; right - left];
        Shares::of(mixes).divergences_after(left, &mut all);
        all[right - left - 1]
    }

    #[test]
    fn by_hand() {
        // Equal: 0. Nothing shared: 1. (1/2, 1/2) and (1, 0): 1 - (1.5 log2 1.5 + 0.5) / 2 = 0.3113.
        let mixes = [vec![(1, 1), (2, 1)], vec![(1, 5), (2, 5)], vec![(3, 1)], vec![(1, 7)], vec![], vec![]];
        let divergence = |left, right| divergence(&mixes, left, right);
        assert_eq!((divergence(0, 1), divergence(0, 2)), (0.0, 1.0));
        assert!((divergence(0, 3) - 0.311_278_124_459_132_8).abs() < 1e-12);
        assert!((divergence(1, 3) - 0.311_278_124_459_132_8).abs() < 1e-12);
        assert_eq!((divergence(0, 4), divergence(4, 5)), (1.0, 0.0));
    }

    proptest! {
        #[test]
        fn as_the_formula(
            left in prop::collection::btree_map(0..12u32, 1..20u64, 1..8),
            right in prop::collection::btree_map(0..12u32, 1..20u64, 1..8),
        ) {
            let mixes = [left.clone().into_iter().collect::<Vec<_>>(), right.clone().into_iter().collect()];
            let share = |mix: &std::collections::BTreeMap<u32, u64>, thing: u32| {
                mix.get(&thing).map_or(0.0, |&count| count as f64 / mix.values().sum::<u64>() as f64)
            };
            let to_middle = |own: &std::collections::BTreeMap<u32, u64>| -> f64 {
                own.keys().map(|&thing| {
                    let middle = (share(&left, thing) + share(&right, thing)) / 2.0;
                    share(own, thing) * (share(own, thing) / middle).log2()
                }).sum()
            };
            let expected = (to_middle(&left) + to_middle(&right)) / 2.0;
            prop_assert!((divergence(&mixes, 0, 1) - expected).abs() < 1e-9);
        }
    }
}
