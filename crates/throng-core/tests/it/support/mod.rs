//! What the tests share.

pub(crate) mod literal;
pub(crate) mod logs;
