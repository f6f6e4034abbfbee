//! How a long computation says how far it is, and keeps what it has done, without knowing who listens.

use crate::error::Result;

/// Listens to stages and steps. The command line draws a bar; tests and libraries use [`Silent`].
pub trait Progress: Sync {
    /// A new stage begins; `total` steps are expected, 0 when that is not known.
    fn stage(&self, name: &str, total: u64);
    /// `steps` more are done. May be called from any thread.
    fn advance(&self, steps: u64);
    /// Where results are kept for a run that goes on after this one was ended; `None` if nobody wants that.
    fn journal(&self) -> Option<&dyn Journal> {
        None
    }
}

/// Keeps finished pieces of work, so that a run that was ended can go on from them.
///
/// What is recalled was kept by a run of the same data, parameters and randomness: a piece of work that is recalled must be
/// what doing it again would give. Values are as secret as the original.
pub trait Journal: Sync {
    /// What was kept under a key, by this run or the ended one.
    fn recall(&self, key: &str) -> Option<Vec<u8>>;
    /// Keeps a value; a later value of the same key takes the place of the earlier. May be called from any thread.
    fn keep(&self, key: &str, value: &[u8]) -> Result<()>;
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _steps: u64) {}
}
