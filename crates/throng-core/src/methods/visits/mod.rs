//! Methods for access logs.

pub mod mask;
pub mod visit_microaggregation;
