//! Blocks of persons of whom no machine has all: sketches, cuts that were learned from some of them, leaves joined by their counts.

use serde::{Deserialize, Serialize};

use super::{Piece, Scales};
use crate::aggregate::content::CutLog;
use crate::data::QueryLog;
use crate::error::Result;
use crate::partition::blocks::Limits;
use crate::progress::Progress;
use crate::release::Protected;

/// The coordinates of a sketch that are not 0, each once.
pub type Coordinates = Vec<(u32, f32)>;

/// The sketch of a person, under a number that stands for who it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sketch {
    /// A hash of the person: sketches are sorted by it.
    pub person: u128,
    /// The coordinates that are not 0.
    pub coordinates: Coordinates,
    /// What it costs to compare the person with another.
    pub work: u64,
}

/// Sketches of some persons, sorted by person.
impl Piece for Vec<Sketch> {
    const NAME: &'static str = "sketches";

    fn merge(mut self, other: Self) -> Self {
        self.extend(other);
        self.sort_unstable_by_key(|sketch| sketch.person);
        self
    }
}

/// A method that protects persons block by block.
pub trait InBlocks: Sync {
    /// What may be published is said by at least so many persons; 1 for whatever somebody says.
    fn min_persons(&self) -> usize;

    /// How many coordinates a sketch has: of any log.
    fn dimensions(&self) -> usize;

    /// How large blocks are among so many persons; `None` for all in one.
    fn limits(&self, persons: usize) -> Option<Limits>;

    /// The sketches of the persons of a log: coordinates and work. They depend on nothing but the person and the scales.
    fn sketches(&self, log: &QueryLog, scales: &Scales) -> Result<Vec<(Coordinates, u64)>>;

    /// Protects the persons of a block, of which what may be published was decided, as one of so many. A block of which nothing may be
    /// published has no record, and its persons are left out.
    fn protect_block(
        &self,
        block: &QueryLog,
        cut: Option<CutLog>,
        scales: &Scales,
        progress: &dyn Progress,
    ) -> Result<Protected<QueryLog>>;
}

/// How many persons each leaf has, and how many rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaves(Vec<(u64, u64)>);

impl Leaves {
    /// Of so many leaves without anybody.
    pub fn none(leaves: usize) -> Self {
        Self(vec![(0, 0); leaves])
    }

    /// Adds a person with so many rows to a leaf.
    pub fn add(&mut self, leaf: u32, rows: u64) {
        self.0[leaf as usize].0 += 1;
        self.0[leaf as usize].1 += rows;
    }

    /// The block of each leaf, with at least so many persons: a smaller one joins the next, the last ones the one before.
    pub fn blocks(&self, least: usize) -> Vec<u32> {
        let (mut block_of, mut block, mut persons) = (Vec::with_capacity(self.0.len()), 0, 0);
        for &(own, _) in &self.0 {
            block_of.push(block);
            persons += own;
            if persons >= least as u64 {
                (block, persons) = (block + 1, 0);
            }
        }
        // What is left after the last whole block belongs to it.
        let last = if block == 0 { 0 } else { block - 1 };
        block_of.iter_mut().for_each(|own| *own = (*own).min(last));
        block_of
    }

    /// How many rows each of the blocks has, of so many.
    pub fn rows_of_blocks(&self, block_of: &[u32]) -> Vec<u64> {
        let mut rows = vec![0; block_of.iter().max().map_or(0, |&last| last as usize + 1)];
        block_of.iter().zip(&self.0).for_each(|(&block, &(_, own))| rows[block as usize] += own);
        rows
    }
}

impl Piece for Leaves {
    const NAME: &'static str = "leaves";

    fn merge(mut self, other: Self) -> Self {
        self.0.resize(self.0.len().max(other.0.len()), (0, 0));
        for (own, (persons, rows)) in self.0.iter_mut().zip(other.0) {
            own.0 += persons;
            own.1 += rows;
        }
        self
    }
}
