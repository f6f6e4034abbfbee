//! Sets of records: a list where there are few, a bit for each record of the release where there are many.
//!
//! # Cost
//! Memory: 4 bytes a member or a bit a record, whichever is less. Intersection: the members of the smallest set with a look into each other, or
//! a word for each 64 records.

/// Different records of a release, and how many persons they stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Records {
    members: Members,
    count: usize,
    persons: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Members {
    /// In rising order.
    Few(Vec<u32>),
    Many(Vec<u64>),
}

/// A list takes 32 bits a member.
const BITS_OF_A_MEMBER: usize = 32;

impl Records {
    /// These records, in any order and as often as they come, of a release in which each stands for so many persons.
    pub(super) fn of(records: impl Iterator<Item = u32>, multiplicity: &[u32]) -> Self {
        let mut bits = vec![0u64; multiplicity.len().div_ceil(64)];
        records.for_each(|record| bits[record as usize / 64] |= 1 << (record % 64));
        Self::of_bits(bits, multiplicity)
    }

    fn of_bits(bits: Vec<u64>, multiplicity: &[u32]) -> Self {
        let count = bits.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let persons = ones(&bits).map(|record| u64::from(multiplicity[record as usize])).sum();
        let is_few = count * BITS_OF_A_MEMBER <= multiplicity.len();
        let members = if is_few { Members::Few(ones(&bits).collect()) } else { Members::Many(bits) };
        Self { members, count, persons }
    }

    /// The records that are in all of some sets; `None` if there are no sets.
    pub(super) fn all_of(sets: &[&Self], multiplicity: &[u32]) -> Option<Self> {
        let smallest = sets.iter().min_by_key(|set| set.count)?;
        Some(match &smallest.members {
            Members::Few(few) => {
                let in_all = |record: &u32| sets.iter().all(|set| set.has(*record));
                let records: Vec<u32> = few.iter().copied().filter(in_all).collect();
                let persons = records.iter().map(|&record| u64::from(multiplicity[record as usize])).sum();
                Self { count: records.len(), members: Members::Few(records), persons }
            }
            Members::Many(bits) => {
                let mut bits = bits.clone();
                for set in sets {
                    // The others have as many members, and so are bits, too.
                    if let Members::Many(others) = &set.members {
                        bits.iter_mut().zip(others).for_each(|(own, other)| *own &= other);
                    }
                }
                Self::of_bits(bits, multiplicity)
            }
        })
    }

    /// How many persons they stand for.
    pub(super) fn persons(&self) -> u64 {
        self.persons
    }

    /// Whether a record is among them.
    pub(super) fn has(&self, record: u32) -> bool {
        match &self.members {
            Members::Few(few) => few.binary_search(&record).is_ok(),
            Members::Many(bits) => bits[record as usize / 64] >> (record % 64) & 1 == 1,
        }
    }

    /// All of them, in rising order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        let (few, many): (&[u32], &[u64]) = match &self.members {
            Members::Few(few) => (few, &[]),
            Members::Many(bits) => (&[], bits),
        };
        few.iter().copied().chain(ones(many))
    }
}

/// The places of the bits that are set.
fn ones(bits: &[u64]) -> impl Iterator<Item = u32> {
    (0u32..).zip(bits).flat_map(|(at, &word)| {
        let rest = |word: &u64| Some(word & (word - 1)).filter(|rest| *rest != 0);
        let words = std::iter::successors(Some(word).filter(|word| *word != 0), rest);
        words.map(move |word| 64 * at + word.trailing_zeros())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn like_plain_sets(
            persons in prop::collection::vec(0..4u32, 1..200),
            lists in prop::collection::vec(prop::collection::vec(0..200u32, 0..300), 1..4),
        ) {
            let size = persons.len() as u32;
            let lists: Vec<BTreeSet<u32>> =
                lists.into_iter().map(|list| list.into_iter().filter(|&record| record < size).collect()).collect();
            let sets: Vec<Records> =
                lists.iter().map(|list| Records::of(list.iter().rev().copied(), &persons)).collect();
            for (list, set) in lists.iter().zip(&sets) {
                prop_assert_eq!(set.iter().collect::<Vec<_>>(), list.iter().copied().collect::<Vec<_>>());
                prop_assert!((0..size).all(|record| set.has(record) == list.contains(&record)));
            }
            let all = Records::all_of(&sets.iter().collect::<Vec<_>>(), &persons).unwrap();
            let expected: Vec<u32> = (0..size).filter(|record| lists.iter().all(|list| list.contains(record))).collect();
            prop_assert_eq!(all.iter().collect::<Vec<_>>(), &expected[..]);
            prop_assert_eq!(all.persons(), expected.iter().map(|&at| u64::from(persons[at as usize])).sum::<u64>());
            prop_assert_eq!(Records::all_of(&[], &persons), None);
        }
    }
}
