//! What the tests share.

pub(crate) mod literal_wu_palmer;
