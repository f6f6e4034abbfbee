//! Methods for baskets: sets of items.

pub mod apriori;
pub mod cahd;
pub mod coherence;
mod cover;
pub mod hghs;
pub mod optimal_km;
mod rare_combinations;
mod recoding;
pub mod rho_uncertainty;
mod top_down;
