//! Measures of what an attacker learns.

pub mod guessing_bound;
pub mod profile_exposure_level;
pub mod rare_content;
pub mod reidentification_risk;
pub mod uniqueness;
