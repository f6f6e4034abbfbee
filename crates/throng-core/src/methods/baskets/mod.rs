//! Methods for baskets: sets of items.

pub mod apriori;
pub mod cahd;
pub mod coherence;
mod cover;
pub mod hghs;
pub mod optimal_km;
mod rare_combinations;
mod recoding;
mod top_down;
