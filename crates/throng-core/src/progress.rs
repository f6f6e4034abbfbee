//! How a long computation says how far it is, without knowing who listens.

/// Listens to stages and steps. The command line draws a bar; tests and libraries use [`Silent`].
pub trait Progress: Sync {
    /// A new stage begins; `total` steps are expected, 0 when that is not known.
    fn stage(&self, name: &str, total: u64);
    /// `steps` more are done. May be called from any thread.
    fn advance(&self, steps: u64);
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _steps: u64) {}
}
