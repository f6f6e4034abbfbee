//! What models see of paths in a file: a digest of each person's rows as they are written, and the points as they are read.

use super::digests::Digests;
use super::k_anonymity::EqualRecords;
use crate::data::Paths;

/// Paths as a file has them. Persons have the same numbers in both.
#[derive(Debug)]
pub struct WrittenPaths {
    /// For each person what their rows say, to the letter but for how times are written.
    pub digests: Digests,
    /// The points.
    pub paths: Paths,
}

impl EqualRecords for WrittenPaths {
    fn groups(&self) -> Vec<Vec<u32>> {
        self.digests.groups()
    }
}
