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
//! Time O(a + b) for mixes of a and b things, one logarithm for each they share; memory 24 bytes a thing.

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
}

#[derive(Debug, Clone, Copy)]
struct Share {
    number: u32,
    share: f64,
    /// x log2 x of the share.
    weighted: f64,
}

impl Shares {
    /// No records yet.
    pub(crate) fn new() -> Self {
        Self { starts: vec![0], entries: Vec::new() }
    }

    /// Adds a record: things in rising order, and how often each occurs.
    pub(crate) fn push(&mut self, mix: impl Iterator<Item = (u32, u64)> + Clone) {
        let all: u64 = mix.clone().map(|(_, count)| count).sum();
        self.entries.extend(mix.map(|(number, count)| {
            let share = count as f64 / all as f64;
            Share { number, share, weighted: weighted_log(share) }
        }));
        self.starts.push(self.entries.len());
    }

    fn of(&self, record: usize) -> &[Share] {
        &self.entries[self.starts[record]..self.starts[record + 1]]
    }

    /// The divergence of two records.
    pub(crate) fn divergence(&self, left: usize, right: usize) -> f64 {
        let (left, right) = (self.of(left), self.of(right));
        if left.is_empty() || right.is_empty() {
            return if left.len() == right.len() { 0.0 } else { 1.0 };
        }
        let (mut own, mut other, mut sum) = (0, 0, 0.0);
        while own < left.len() && other < right.len() {
            let (first, second) = (left[own], right[other]);
            if first.number == second.number {
                sum += weighted_log(first.share + second.share) - (first.weighted + second.weighted);
            }
            own += usize::from(first.number <= second.number);
            other += usize::from(second.number <= first.number);
        }
        (1.0 - sum / 2.0).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shares(mixes: &[Vec<(u32, u64)>]) -> Shares {
        let mut shares = Shares::new();
        mixes.iter().for_each(|mix| shares.push(mix.iter().copied()));
        shares
    }

    #[test]
    fn by_hand() {
        // Equal: 0. Nothing shared: 1. (1/2, 1/2) and (1, 0): 1 - (1.5 log2 1.5 + 0.5) / 2 = 0.3113.
        let mixes = shares(&[vec![(1, 1), (2, 1)], vec![(1, 5), (2, 5)], vec![(3, 1)], vec![(1, 7)], vec![]]);
        assert_eq!(mixes.divergence(0, 1), 0.0);
        assert_eq!(mixes.divergence(0, 2), 1.0);
        assert!((mixes.divergence(0, 3) - 0.311_278_124_459_132_8).abs() < 1e-12);
        assert_eq!((mixes.divergence(0, 4), mixes.divergence(4, 4)), (1.0, 0.0));
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
            prop_assert!((shares(&mixes).divergence(0, 1) - expected).abs() < 1e-9);
        }
    }
}
