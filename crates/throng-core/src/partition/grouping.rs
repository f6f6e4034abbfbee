//! The stage that every grouping method goes through: the whole data set, or blocks of like records side by side.
//!
//! # Idea
//! 1. Up to a size that each method states, or with `--exact`, all pairs of records are compared and grouped at once.
//! 2. Above it records are cut into blocks of like ones (`blocks.rs`); the pairs of each block are compared, and grouped, on their
//!    own, many blocks at a time.
//! 3. Unless `--exact` is given, groups are refined where that pays (`refine.rs`).
//! 4. Where somebody asks to be one of more than k (`wishes.rs`), they are served first in each block; blocks are large enough for all.
//!
//! The guarantee does not depend on any of it: every group has at least k records, and the model checks the release as always.
//!
//! # Cost
//! Time and memory of the method's own comparisons for the whole; in blocks, those of a block times the number of blocks, and
//! memory of as many blocks as there are threads.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Partition;
use super::blocks::{Limits, Sketches, blocks};
use super::mdav::{Average, mdav_of};
use super::refine::refine;
use super::wishes::serve;
use crate::distance::DistanceMatrix;
use crate::error::{Error, Result};
use crate::info::{Parameter, ParameterKind};
use crate::progress::{Progress, Quiet};

/// The parameter that keeps the paper's method on the whole data.
pub const EXACT: Parameter = Parameter {
    name: "exact",
    summary: "the whole data at once: no blocks, no refinement",
    kind: ParameterKind::Switch,
    default: "false",
};

/// The parameter that sets how large blocks are.
pub const BLOCK_SIZE: Parameter = Parameter {
    name: "block-size",
    summary: "cut the data into blocks of at most about so many; 0 leaves it to throng",
    kind: ParameterKind::Count,
    default: "0",
};

/// More records than this are never compared all with all: the matrix of distances alone would take 5 GB.
pub const MOST_COMPARED: usize = 36_000;

/// About so many records a block has at most, unless groups are larger than half of it.
const LARGEST_BLOCK: usize = 5_000;

/// Records that a method compares and groups, block by block.
pub trait Comparable: Sketches {
    /// What comparing all pairs of a block gives.
    type Compared: Send + Sync;

    /// Up to so many records the default is the whole.
    const WHOLE: usize;
    /// About so many records a block has at most.
    const BLOCK: usize;
    /// A block's number of records times the sum of their work, at most.
    const WORK: u64;
    /// Whether refinement pays.
    const IS_REFINED: bool;

    /// Compares all pairs of some records, which come in rising order.
    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<Self::Compared>;

    /// Groups of at least k of the records of a block, by their places in it.
    fn group(&self, compared: &Self::Compared, how: How<'_>, progress: &dyn Progress) -> Partition;

    /// The place of the member that stands for a group.
    fn centre(&self, compared: &Self::Compared, members: &[u32]) -> u32;
}

/// How the records of a block are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct How<'a> {
    /// The least size of a group.
    pub k: usize,
    /// The least size of the group of each record of the block, k or more; empty if nobody asks for more than k.
    pub needs: &'a [usize],
    /// Whether groups are refined.
    pub is_refined: bool,
}

/// How large groups are, at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Least<'a> {
    /// What everybody gets.
    pub k: usize,
    /// What each record asks for, 0 if it does not; empty if nobody was asked.
    pub wishes: &'a [u32],
}

impl Least<'_> {
    /// The least size of groups that are large enough for everybody.
    pub fn greatest(&self) -> usize {
        self.wishes.iter().map(|&wish| wish as usize).fold(self.k, usize::max)
    }

    /// The least size of the group of each of some records; nothing where nobody asks for more than k.
    fn needs(&self, block: &[u32]) -> Vec<usize> {
        let need = |&record: &u32| self.wishes.get(record as usize).map_or(self.k, |&wish| self.k.max(wish as usize));
        let needs: Vec<usize> = block.iter().map(need).collect();
        if needs.iter().all(|&need| need == self.k) { Vec::new() } else { needs }
    }
}

/// Groups by MDAV around the medoid, refined if that is wanted.
pub fn microaggregated(distances: &DistanceMatrix, how: How<'_>, progress: &dyn Progress) -> Partition {
    microaggregated_around(Average::Medoid, distances, how, progress)
}

/// Groups by MDAV around an average, refined if that is wanted; whoever asks to be one of more is served first.
pub fn microaggregated_around(
    average: Average<'_>,
    distances: &DistanceMatrix,
    how: How<'_>,
    progress: &dyn Progress,
) -> Partition {
    let rest = |left: Vec<u32>| mdav_of(distances, left, how.k, average, progress);
    let partition = if how.needs.is_empty() {
        rest((0..distances.len() as u32).collect())
    } else {
        let between = |left: u32, right: u32| distances.get(left as usize, right as usize);
        serve(how.needs, how.k, between).and(how.k, between, rest)
    };
    if how.is_refined { refine(distances, partition, how.k, how.needs, progress) } else { partition }
}

/// What the user chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plan {
    /// The paper's method on the whole data.
    pub is_exact: bool,
    /// The size of blocks; 0 if it is left to us.
    pub block_size: usize,
}

/// How groups were made, for the certificate and the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grouped {
    /// The number of blocks; 1 is the whole.
    pub blocks: usize,
    /// The records of the largest block.
    pub largest_block: usize,
    /// Whether groups were refined.
    pub refined: bool,
}

impl Grouped {
    fn whole(records: usize, is_refined: bool) -> Self {
        Self { blocks: 1, largest_block: records, refined: is_refined }
    }
}

/// Groups of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    /// The members of each group in rising order.
    pub members: Vec<Vec<u32>>,
    /// The member that stands for each group.
    pub centres: Vec<u32>,
    /// How they were made.
    pub grouped: Grouped,
}

impl Groups {
    /// The group of each of so many records; `None` for those in none.
    pub fn record_of(&self, records: usize) -> Vec<Option<u32>> {
        let mut record_of = vec![None; records];
        for (group, members) in (0u32..).zip(&self.members) {
            members.iter().for_each(|&member| record_of[member as usize] = Some(group));
        }
        record_of
    }
}

/// Some of the records alone, each of which stands for others that go where it goes.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a, C> {
    /// All records.
    pub records: &'a C,
    /// Those that stand for all, in rising order.
    pub numbers: &'a [u32],
}

impl<C: Comparable> Sketches for Standing<'_, C> {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn dimensions(&self) -> usize {
        self.records.dimensions()
    }

    fn sketch(&self, record: usize, into: &mut Vec<(u32, f32)>) {
        self.records.sketch(self.numbers[record] as usize, into);
    }

    fn work(&self, record: usize) -> u64 {
        self.records.work(self.numbers[record] as usize)
    }
}

impl<C: Comparable> Comparable for Standing<'_, C> {
    type Compared = C::Compared;

    const WHOLE: usize = C::WHOLE;
    const BLOCK: usize = C::BLOCK;
    const WORK: u64 = C::WORK;
    const IS_REFINED: bool = C::IS_REFINED;

    fn compare(&self, block: &[u32], progress: &dyn Progress) -> Result<C::Compared> {
        let block: Vec<u32> = block.iter().map(|&record| self.numbers[record as usize]).collect();
        self.records.compare(&block, progress)
    }

    fn group(&self, compared: &C::Compared, how: How<'_>, progress: &dyn Progress) -> Partition {
        self.records.group(compared, how, progress)
    }

    fn centre(&self, compared: &C::Compared, members: &[u32]) -> u32 {
        self.records.centre(compared, members)
    }
}

impl Groups {
    /// Groups of those who stand for others, with all of these: `others` gives for each who stands those for whom they stand, them
    /// included.
    #[must_use]
    pub fn with_all(mut self, numbers: &[u32], others: &[Vec<u32>]) -> Self {
        for members in &mut self.members {
            *members = members.iter().flat_map(|&member| &others[member as usize]).copied().collect();
            members.sort_unstable();
        }
        self.centres.iter_mut().for_each(|centre| *centre = numbers[*centre as usize]);
        self
    }
}

impl Plan {
    /// Checks what the user chose, for groups of k.
    pub fn check(self, k: usize) -> Option<Error> {
        if self.is_exact && self.block_size > 0 {
            return Some(Error::parameter("block-size", "is given, but `--exact` means no blocks"));
        }
        if self.block_size > LARGEST_BLOCK {
            let problem = format!("is {}, but must be at most {LARGEST_BLOCK}", self.block_size);
            let hint = "all pairs of a block are compared; `--exact` compares all pairs of all";
            return Some(Error::parameter("block-size", problem).with_hint(hint));
        }
        (self.block_size > 0 && self.block_size < 2 * k).then(|| {
            Error::parameter("block-size", format!("is {}, but must be at least 2 k = {}", self.block_size, 2 * k))
                .with_hint("leave it out, and throng chooses")
        })
    }

    /// How large blocks are for groups of k; `None` for the whole.
    pub(crate) fn limits<C: Comparable>(self, records: usize, k: usize) -> Option<Limits> {
        if self.is_exact || records < 4 * k {
            return None;
        }
        if self.block_size > 0 {
            return (self.block_size < records).then_some(Limits { least: k, most: self.block_size, work: u64::MAX });
        }
        // A group needs several others around it to find its members among; groups of very many have to do with one.
        let most = C::BLOCK.max((8 * k).min(LARGEST_BLOCK)).max(2 * k);
        let limits = Limits { least: (3 * k).min(most / 2), most, work: C::WORK };
        (records > C::WHOLE.max(limits.most)).then_some(limits)
    }

    /// The plan inside of a block of so many records: one that is too large all the same is cut as finely as all of them would be.
    pub(crate) fn inside_of<C: Comparable>(self, records: usize, k: usize) -> Self {
        match self.limits::<C>(records, k) {
            Some(limits) if self.block_size == 0 => Self { block_size: limits.most, ..self },
            _ => self,
        }
    }

    /// Refuses to compare all pairs of more persons than there is memory for; `bytes` is what comparing so many takes.
    pub fn refuse_too_many<C: Comparable>(self, persons: usize, k: usize, bytes: fn(usize) -> u64) -> Result<()> {
        if persons <= MOST_COMPARED || !self.is_whole::<C>(persons, k) {
            return Ok(());
        }
        Err(Error::refused(format!(
            "all pairs of persons are to be compared: {persons} persons would need {} GB of memory",
            bytes(persons) / 1_000_000_000
        ))
        .with_hint("leave out `--exact`, and like persons are compared in blocks"))
    }

    /// Whether all pairs of so many records are compared for groups of k.
    pub fn is_whole<C: Comparable>(self, records: usize, k: usize) -> bool {
        self.limits::<C>(records, k).is_none()
    }

    fn is_refined<C: Comparable>(self) -> bool {
        C::IS_REFINED && !self.is_exact
    }

    /// Groups of all records, each as large as any of its members asks for and at least k. There are as many records as that.
    pub fn groups<C: Comparable>(self, records: &C, least: Least<'_>, progress: &dyn Progress) -> Result<Groups> {
        let (all, k, is_refined) = (records.len(), least.greatest(), self.is_refined::<C>());
        if k > least.k && self.block_size > 0 && self.block_size < 2 * k {
            let problem =
                format!("is {}, and somebody asks to be one of so many that blocks must be larger", self.block_size);
            return Err(Error::parameter("block-size", problem)
                .with_value((2 * k).to_string())
                .with_hint("leave it out, and throng chooses"));
        }
        let group = |compared: &C::Compared, block: &[u32], progress: &dyn Progress| {
            let needs = least.needs(block);
            named(records, compared, block, How { k: least.k, needs: &needs, is_refined }, progress)
        };
        let Some(limits) = self.limits::<C>(all, k) else {
            let everybody: Vec<u32> = (0..all as u32).collect();
            let (members, centres) = kept(progress, "whole", &everybody, || {
                let compared = records.compare(&everybody, progress)?;
                group(&compared, &everybody, progress)
            })?;
            return Ok(Groups { members, centres, grouped: Grouped::whole(all, is_refined) });
        };
        progress.stage("blocks", 0);
        let blocks = blocks(records, limits, progress);
        progress.go_on()?;
        let largest = blocks.iter().map(Vec::len).max().unwrap_or(0);
        if largest > MOST_COMPARED {
            let who = if k > least.k {
                "somebody who asks to be one of so many".to_owned()
            } else {
                format!("groups of {k}")
            };
            let need = if k > least.k { "needs" } else { "need" };
            return Err(Error::refused(format!(
                "{who} {need} blocks of {largest} records: comparing all pairs of one would need {} GB of memory",
                DistanceMatrix::bytes(largest) / 1_000_000_000
            ))
            .with_hint("choose a smaller k"));
        }
        progress.stage("groups", all as u64);
        let of_block = |(number, block): (usize, &Vec<u32>)| -> Result<(Vec<Vec<u32>>, Vec<u32>)> {
            progress.go_on()?;
            let found = kept(progress, &format!("block-{number}"), block, || {
                let quiet = Quiet(progress);
                let compared = records.compare(block, &quiet)?;
                group(&compared, block, &quiet)
            })?;
            progress.advance(block.len() as u64);
            Ok(found)
        };
        let found: Vec<(Vec<Vec<u32>>, Vec<u32>)> =
            blocks.par_iter().enumerate().map(of_block).collect::<Result<_>>()?;
        let grouped = Grouped { blocks: blocks.len(), largest_block: largest, refined: is_refined };
        let (members, centres): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        Ok(Groups { members: members.concat(), centres: centres.concat(), grouped })
    }

    /// All pairs of all records, for several k.
    pub fn whole<C: Comparable>(self, records: &C, progress: &dyn Progress) -> Result<C::Compared> {
        let all: Vec<u32> = (0..records.len() as u32).collect();
        let compared = records.compare(&all, progress)?;
        progress.go_on()?;
        Ok(compared)
    }

    /// Groups of all records, whose pairs are compared already.
    pub fn groups_of_whole<C: Comparable>(
        self,
        records: &C,
        compared: &C::Compared,
        least: Least<'_>,
        progress: &dyn Progress,
    ) -> Result<Groups> {
        let all: Vec<u32> = (0..records.len() as u32).collect();
        let (needs, is_refined) = (least.needs(&all), self.is_refined::<C>());
        let how = How { k: least.k, needs: &needs, is_refined };
        let (members, centres) = named(records, compared, &all, how, progress)?;
        Ok(Groups { members, centres, grouped: Grouped::whole(all.len(), is_refined) })
    }
}

/// The groups of a block and their centres, by the records' own numbers.
fn named<C: Comparable>(
    records: &C,
    compared: &C::Compared,
    block: &[u32],
    how: How<'_>,
    progress: &dyn Progress,
) -> Result<(Vec<Vec<u32>>, Vec<u32>)> {
    progress.go_on()?;
    let Partition { mut groups } = records.group(compared, how, progress);
    progress.go_on()?;
    let centres = groups.iter().map(|members| block[records.centre(compared, members) as usize]).collect();
    groups.iter_mut().flatten().for_each(|member| *member = block[*member as usize]);
    Ok((groups, centres))
}

/// The groups of a block as a run before kept them, or as they are found now, and kept for a run after.
///
/// In the journal they are numbers of 4 bytes: of each group the centre, the size and the members.
fn kept(
    progress: &dyn Progress,
    key: &str,
    block: &[u32],
    find: impl FnOnce() -> Result<(Vec<Vec<u32>>, Vec<u32>)>,
) -> Result<(Vec<Vec<u32>>, Vec<u32>)> {
    let Some(journal) = progress.journal() else { return find() };
    if let Some(groups) = journal.recall(key).and_then(|bytes| recalled(&bytes, block)) {
        return Ok(groups);
    }
    let (members, centres) = find()?;
    let numbers = members
        .iter()
        .zip(&centres)
        .flat_map(|(members, &centre)| [centre, members.len() as u32].into_iter().chain(members.iter().copied()));
    journal.keep(key, &numbers.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())?;
    Ok((members, centres))
}

/// What the journal has of a block; `None` if it is not a partition of it.
fn recalled(bytes: &[u8], block: &[u32]) -> Option<(Vec<Vec<u32>>, Vec<u32>)> {
    let mut numbers =
        bytes.chunks_exact(4).map(|number| u32::from_le_bytes([number[0], number[1], number[2], number[3]]));
    let (mut groups, mut centres) = (Vec::new(), Vec::new());
    while let Some(centre) = numbers.next() {
        let size = numbers.next()?;
        let members: Vec<u32> = numbers.by_ref().take(size as usize).collect();
        centres.push(members.contains(&centre).then_some(centre)?);
        groups.push(members);
    }
    let mut all = groups.concat();
    all.sort_unstable();
    (all == block).then_some((groups, centres))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_believed_only_if_it_fits() {
        let bytes = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let good = bytes(&[4, 2, 2, 4, 9, 3, 6, 8, 9]);
        let block = [2, 4, 6, 8, 9];
        assert_eq!(recalled(&good, &block), Some((vec![vec![2, 4], vec![6, 8, 9]], vec![4, 9])));
        assert_eq!(recalled(&good, &[2, 4, 6, 8]), None);
        assert_eq!(recalled(&good[..good.len() - 4], &block), None);
        assert_eq!(recalled(&bytes(&[5, 2, 2, 4, 9, 3, 6, 8, 9]), &block), None);
    }
}
