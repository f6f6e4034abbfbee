//! Methods for search logs.

pub mod user_microaggregation;
