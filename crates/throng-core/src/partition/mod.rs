//! Cutting persons into groups.

pub mod blocks;
pub(crate) mod flock;
pub mod grouping;
pub mod k_medoids;
pub mod mdav;
pub mod most_similar;
pub(crate) mod numbers;
pub mod refine;
pub mod wishes;

/// Groups of records, each record in exactly one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Partition {
    /// The groups in the order they were formed; the members of a group in rising order.
    pub groups: Vec<Vec<u32>>,
}

impl Partition {
    /// For each of `records` records the number of its group.
    pub fn group_of(&self, records: usize) -> Vec<u32> {
        let mut group_of = vec![u32::MAX; records];
        for (group, members) in self.groups.iter().enumerate() {
            for &member in members {
                group_of[member as usize] = group as u32;
            }
        }
        group_of
    }
}
