//! Crowds: how many persons are alone, one of two, one of a few, one of many with the same record.
//!
//! A model of the k-anonymity family says how small the smallest crowd is; this says how all persons are spread over crowds of
//! every size.

use serde::Serialize;

/// Where the sizes of crowds are cut: each range begins with one of these, and ends before the next.
const CUTS: [usize; 8] = [1, 2, 3, 5, 10, 20, 50, 100];

/// The crowds of sizes from one number to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CrowdsOfSize {
    /// The smallest size.
    pub from: usize,
    /// The greatest; none where there is no limit.
    pub to: Option<usize>,
    /// How many persons are in them.
    pub persons: usize,
    /// How many such crowds there are.
    pub crowds: usize,
}

/// The crowds of some persons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crowds {
    /// By size, small ones first, each range even if nobody is in it.
    pub by_size: Vec<CrowdsOfSize>,
    /// The size of the smallest; 0 without persons.
    pub smallest: usize,
    /// How many persons are in crowds of fewer than k.
    pub below_k: usize,
}

impl Crowds {
    /// The crowds of these sizes.
    pub fn of(sizes: impl Iterator<Item = usize> + Clone, k: usize) -> Self {
        let range = |(at, &from): (usize, &usize)| {
            let to = CUTS.get(at + 1).map(|next| next - 1);
            let inside = sizes.clone().filter(|&size| size >= from && to.is_none_or(|to| size <= to));
            CrowdsOfSize { from, to, persons: inside.clone().sum(), crowds: inside.count() }
        };
        Self {
            by_size: CUTS.iter().enumerate().map(range).collect(),
            smallest: sizes.clone().min().unwrap_or(0),
            below_k: sizes.filter(|&size| size < k).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::k_anonymity::EqualRecords as _;
    use super::super::testing::random;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        let crowds = Crowds::of([1, 1, 2, 4, 9, 100, 250].into_iter(), 5);
        let seen: Vec<_> =
            crowds.by_size.iter().map(|range| (range.from, range.to, range.persons, range.crowds)).collect();
        assert_eq!(
            seen,
            [
                (1, Some(1), 2, 2),
                (2, Some(2), 2, 1),
                (3, Some(4), 4, 1),
                (5, Some(9), 9, 1),
                (10, Some(19), 0, 0),
                (20, Some(49), 0, 0),
                (50, Some(99), 0, 0),
                (100, None, 350, 2),
            ]
        );
        assert_eq!((crowds.smallest, crowds.below_k), (1, 8));
        assert_eq!(Crowds::of(std::iter::empty(), 5).smallest, 0);
    }

    proptest! {
        /// As by comparing everybody with everybody: nobody is lost, nobody is counted twice.
        #[test]
        fn as_by_comparing_all(data in random(30, 3, 2), k in 2..7usize) {
            let crowds = Crowds::of(data.groups().iter().map(Vec::len), k);
            let alike = |person: usize| {
                (0..data.persons()).filter(|&other| data.basket(other) == data.basket(person)).count()
            };
            let sizes: Vec<usize> = (0..data.persons()).map(alike).collect();
            prop_assert_eq!(crowds.by_size.iter().map(|range| range.persons).sum::<usize>(), data.persons());
            for range in &crowds.by_size {
                let inside = |size: &&usize| **size >= range.from && **size <= range.to.unwrap_or(usize::MAX);
                prop_assert_eq!(range.persons, sizes.iter().filter(inside).count());
            }
            prop_assert_eq!(crowds.below_k, sizes.iter().filter(|&&size| size < k).count());
            prop_assert_eq!(crowds.smallest, sizes.iter().min().copied().unwrap_or(0));
        }
    }
}
