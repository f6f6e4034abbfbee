//! How much of a recipe is read, and of what belongs to one.

/// The text of a recipe.
pub(super) const MOST_RECIPE_BYTES: u64 = 1 << 20;
/// Its steps.
pub(super) const MOST_STEPS: usize = 1000;
/// A name.
pub(super) const LONGEST_NAME: usize = 64;
/// How deep lists and tables of a value lie in each other.
pub(super) const DEEPEST: usize = 8;
/// How deep a condition lies in parentheses and `not`.
pub(super) const DEEPEST_CONDITION: usize = 64;
/// A condition.
pub(super) const LONGEST_CONDITION: usize = 4096;
/// The lock, what is remembered of hashes, and what a step found.
pub(super) const MOST_STATE_BYTES: u64 = 256 << 20;
/// Files of a folder that a step reads or makes.
pub(super) const MOST_FILES: usize = 1_000_000;
