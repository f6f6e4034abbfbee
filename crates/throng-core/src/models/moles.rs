//! The search behind `km-anonymity` and `coherence`: the rarest itemset, and the one that says most of a secret.
//!
//! # Idea
//! 1. Itemsets grow by rank. A node holds the classes that contain its items, with the place where each goes on; one walk
//!    over what follows gives the supports of all sets that are one item longer, and, class by sensitive item, how many of
//!    their persons have it.
//! 2. The support of a set falls as it grows, so a basket whose whole public part enough persons share has nothing to
//!    show, and one that is no longer than the limit is settled by its whole public part. Only what lies in another basket
//!    is grown for the sake of support.
//! 3. With all supports at least k, a set can say more than h of a secret only if more than h k persons of the set it grew
//!    from have it.
//!
//! A search without bounds finds both extremes exactly; it ends when they cannot get worse. Points 2 and 3 come in where the
//! baskets have more itemsets than can be tried in about a second. Where even so it takes too many steps, a search with
//! the bounds k and h decides, within a limit.

use super::MOST_STEPS;
use super::itemsets::Index;

/// About a second of work.
const BUDGET: u64 = 200_000_000;

/// What is the worst about the public itemsets of a limited size.
#[derive(Debug, Clone, Default)]
pub(super) struct Worst {
    /// The smallest support and, by rank, a set that has it.
    pub(super) support: Option<(u64, Vec<u32>)>,
    /// The greatest share of persons with one sensitive item, the set, and that item.
    pub(super) breach: Option<(f64, Vec<u32>, u32)>,
    /// Whether both are known to be the extremes. If not, they are what decides: a set beyond k or h, if there is one.
    pub(super) exact: bool,
}

/// The worst public itemsets of 1 to `size` items, with respect to k and h.
pub(super) fn worst(index: &Index, size: usize, k: u64, h: f64) -> Option<Worst> {
    worst_within(index, size, k, h, [BUDGET, MOST_STEPS])
}

/// The same with so many steps for the extremes, and then to decide; nothing if those do not suffice either.
fn worst_within(index: &Index, size: usize, k: u64, h: f64, [budget, limit]: [u64; 2]) -> Option<Worst> {
    // No smallest support is above that of the rarest item.
    let rarest = (0..index.publics()).map(|rank| index.whole_support(&[rank])).min().unwrap_or(0);
    let mut search = Search::new(index, size, rarest + 1, 0.0, budget);
    search.run();
    if !search.out_of_steps {
        return Some(Worst { exact: true, ..search.worst });
    }
    if search.worst.violates(k, h) {
        return Some(search.worst);
    }
    let mut search = Search { decides: true, ..Search::new(index, size, k, h, limit) };
    search.run();
    (search.worst.violates(k, h) || !search.out_of_steps).then_some(search.worst)
}

impl Worst {
    /// Whether a set is rarer than k, or says more than h.
    pub(super) fn violates(&self, k: u64, h: f64) -> bool {
        self.is_rare(k) || self.breach.as_ref().is_some_and(|&(breach, ..)| breach > h)
    }

    /// Whether a set is rarer than k.
    pub(super) fn is_rare(&self, k: u64) -> bool {
        self.support.as_ref().is_some_and(|&(support, _)| support < k)
    }
}

struct Search<'a> {
    index: &'a Index,
    size: usize,
    /// Where a class is not risky, all its subsets have at least this support.
    floor: u64,
    risky: Vec<bool>,
    /// Only what is below, and beyond, is of interest.
    support_bound: u64,
    breach_bound: f64,
    worst: Worst,
    /// Whether the first find ends the search.
    decides: bool,
    budget: u64,
    steps: u64,
    out_of_steps: bool,
    /// Scratch, by rank: all zero between two uses.
    counts: Vec<u64>,
    with_secret: Vec<u64>,
    /// Where the bucket of a rank is.
    places: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(index: &'a Index, size: usize, support_bound: u64, breach_bound: f64, budget: u64) -> Self {
        Self {
            index,
            size,
            floor: support_bound,
            risky: Vec::new(),
            support_bound,
            breach_bound,
            worst: Worst::default(),
            decides: false,
            budget,
            steps: 0,
            out_of_steps: false,
            counts: vec![0; index.publics() as usize],
            with_secret: vec![0; index.publics() as usize],
            places: vec![0; index.publics() as usize],
        }
    }

    fn run(&mut self) {
        let index = self.index;
        // Where all itemsets can be tried, nothing is quicker.
        let is_small = self.size <= 2 || (!self.decides && self.itemsets() <= self.budget);
        self.risky = vec![is_small; index.classes() as usize];
        if !is_small {
            for class in 0..index.classes() {
                let row = index.public(class);
                // What is not below the bound now will not be below a lower one.
                if row.is_empty() || index.weight(class) >= self.support_bound {
                    continue;
                }
                let bound = self.support_bound;
                let support = index.support(row, bound, &mut self.steps);
                if row.len() <= self.size {
                    self.see_support(support, row);
                }
                // With secrets about, what is rare must be looked at however short it is.
                self.risky[class as usize] = support < bound && (row.len() > self.size || self.has_secrets());
                if self.is_over() {
                    return;
                }
            }
        }
        self.floor = self.support_bound;
        let everything: Vec<(u32, u32)> = (0..index.classes()).map(|class| (class, 0)).collect();
        self.grow(&mut Vec::new(), &everything);
    }

    /// How many itemsets of the limited size the classes have, each counted in every class.
    fn itemsets(&self) -> u64 {
        let of_length = |length: u64| {
            let longer = (1..=self.size as u64).scan(1u64, |sets, size| {
                *sets = sets.checked_mul(length.checked_sub(size - 1)?)? / size;
                Some(*sets)
            });
            // Stopped by an overflow: too many in any case.
            let (count, sum) = longer.fold((0, 0u64), |(count, sum), sets| (count + 1, sum.saturating_add(sets)));
            if count < length.min(self.size as u64) { u64::MAX } else { sum }
        };
        let classes = 0..self.index.classes();
        classes.map(|class| of_length(self.index.public(class).len() as u64)).fold(0, u64::saturating_add)
    }

    fn is_over(&mut self) -> bool {
        let worst = self.support_bound <= 1 && (self.breach_bound >= 1.0 || !self.has_secrets());
        let is_found = self.decides && (self.worst.support.is_some() || self.worst.breach.is_some());
        self.out_of_steps |= !worst && self.steps > self.budget;
        worst || is_found || self.out_of_steps
    }

    fn has_secrets(&self) -> bool {
        self.index.publics() < self.index.items()
    }

    fn see_support(&mut self, support: u64, set: &[u32]) {
        if support < self.support_bound {
            self.support_bound = support;
            self.worst.support = Some((support, set.to_vec()));
        }
    }

    fn see_breach(&mut self, breach: f64, set: &[u32], last: u32, secret: u32) {
        if breach > self.breach_bound {
            self.breach_bound = breach;
            self.worst.breach = Some((breach, set.iter().copied().chain([last]).collect(), secret));
        }
    }

    /// Looks at every set that is one item longer than `set`, and grows those that may lead on. `node` holds the classes
    /// that contain the set, each with the place after its last item.
    fn grow(&mut self, set: &mut Vec<u32>, node: &[(u32, u32)]) {
        let index = self.index;
        let mut longer: Vec<u32> = Vec::new();
        for &(class, at) in node {
            for &rank in &index.public(class)[at as usize..] {
                if self.counts[rank as usize] == 0 {
                    longer.push(rank);
                }
                self.counts[rank as usize] += index.weight(class);
                self.steps += 1;
            }
        }
        longer.sort_unstable();
        for &rank in &longer {
            let support = self.counts[rank as usize];
            if support < self.support_bound {
                set.push(rank);
                self.see_support(support, set);
                set.pop();
            }
        }
        let secrets = self.look_for_secrets(set, node);
        if set.len() + 1 >= self.size || self.is_over() {
            longer.iter().for_each(|&rank| self.counts[rank as usize] = 0);
            return;
        }
        // One bucket for each longer set that may lead on.
        let mut worth = vec![false; longer.len()];
        for (place, &rank) in longer.iter().enumerate() {
            self.counts[rank as usize] = 0;
            self.places[rank as usize] = place;
        }
        for &(class, at) in node.iter().filter(|&&(class, _)| self.risky[class as usize]) {
            for &rank in &index.public(class)[at as usize..] {
                worth[self.places[rank as usize]] = true;
            }
        }
        for (rank, persons) in secrets {
            worth[self.places[rank as usize]] |= persons as f64 / self.floor as f64 > self.breach_bound;
        }
        let mut buckets: Vec<Vec<(u32, u32)>> = vec![Vec::new(); longer.len()];
        for &(class, at) in node {
            for (next, &rank) in index.public(class).iter().enumerate().skip(at as usize) {
                let bucket = self.places[rank as usize];
                if worth[bucket] {
                    buckets[bucket].push((class, next as u32 + 1));
                }
            }
        }
        for (&rank, bucket) in longer.iter().zip(buckets) {
            if !bucket.is_empty() {
                set.push(rank);
                self.grow(set, &bucket);
                set.pop();
                if self.is_over() {
                    return;
                }
            }
        }
    }

    /// The breach of every set that is one item longer, with `counts` their supports. Gives, for each of them that has
    /// one, the greatest number of persons with a sensitive item; several times for several items.
    fn look_for_secrets(&mut self, set: &[u32], node: &[(u32, u32)]) -> Vec<(u32, u64)> {
        let index = self.index;
        let mut carriers: Vec<(u32, u32, u32)> = Vec::new();
        for &(class, at) in node {
            carriers.extend(index.sensitive(class).iter().map(|&secret| (secret, class, at)));
        }
        carriers.sort_unstable();
        let mut found = Vec::new();
        let mut touched = Vec::new();
        for group in carriers.chunk_by(|left, right| left.0 == right.0) {
            for &(_, class, at) in group {
                for &rank in &index.public(class)[at as usize..] {
                    if self.with_secret[rank as usize] == 0 {
                        touched.push(rank);
                    }
                    self.with_secret[rank as usize] += index.weight(class);
                    self.steps += 1;
                }
            }
            touched.sort_unstable();
            for rank in touched.drain(..) {
                let persons = std::mem::take(&mut self.with_secret[rank as usize]);
                self.see_breach(persons as f64 / self.counts[rank as usize] as f64, set, rank, group[0].0);
                found.push((rank, persons));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::random;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn bounds_decide_as_the_extremes_do(
            data in random(12, 7, 7), k in 1..6u64, size in 1..7usize, tenths in 1..=10u32, secrets in 0..=2u32,
        ) {
            let index = Index::new(&data.with_sensitive((1..=secrets).collect()), true);
            let h = f64::from(tenths) / 10.0;
            let exact = worst_within(&index, size, k, h, [u64::MAX; 2]).unwrap();
            prop_assert!(exact.exact);
            prop_assert_eq!(worst_within(&index, size, k, h, [0, u64::MAX]).unwrap().violates(k, h), exact.violates(k, h));
            prop_assert_eq!(worst_within(&index, size, k, h, [40, u64::MAX]).unwrap().violates(k, h), exact.violates(k, h));
            // What is decided in too short a time is decided rightly.
            if let Some(found) = worst_within(&index, size, k, h, [0, 20]) {
                prop_assert_eq!(found.violates(k, h), exact.violates(k, h));
            }
        }
    }
}
