//! Methods for search logs.

pub mod interest_microaggregation;
pub mod kindred;
pub mod user_microaggregation;
