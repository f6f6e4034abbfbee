//! Methods for ratings.

pub mod kindred;
pub mod rating_microaggregation;
mod record;
mod tastes;
