//! What the tests share.

pub(crate) mod fixtures;
pub(crate) mod fuzz;
pub(crate) mod literal_wu_palmer;
