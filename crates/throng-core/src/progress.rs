//! How a long computation says how far it is, keeps what it has done, and learns that nobody wants it any more, without knowing
//! who listens.
//!
//! # Stopping
//! A caller stops a run by answering `true` to [`Progress::is_stopped`], from any moment on and then for good. Loops that take long
//! ask between their steps. One that can fail fails with [`Error::stopped`]; one that cannot leaves the rest of its work undone, and
//! whoever called it asks [`Progress::go_on`] before the result is used. So a result that is not whole never gets anywhere.

use crate::error::{Error, Result};

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
    /// Whether the run is to end. Once it is, it stays so. May be called from any thread, often.
    fn is_stopped(&self) -> bool {
        false
    }
    /// Fails if the run is to end.
    fn go_on(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::stopped()) } else { Ok(()) }
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

/// Somebody who does not want to hear of the steps of one piece of many, but may stop it.
#[derive(Clone, Copy)]
pub struct Quiet<'a>(pub &'a dyn Progress);

impl Progress for Quiet<'_> {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _steps: u64) {}
    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}
