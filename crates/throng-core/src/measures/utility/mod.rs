//! Measures of what the release is still good for.

pub mod clustering_agreement;
mod frequency;
pub mod information_loss_ratio;
pub mod query_frequency;
pub mod sum_of_squares;
pub mod word_frequency;
