//! Methods for access logs.

pub mod kindred;
pub mod mask;
pub mod visit_microaggregation;
