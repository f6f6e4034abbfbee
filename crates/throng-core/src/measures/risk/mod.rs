//! Measures of what an attacker learns.

pub mod guessing_bound;
pub mod profile_exposure_level;
pub mod profile_exposure_level_visits;
pub mod rare_content;
pub mod rare_content_visits;
pub mod reidentification_risk;
pub mod uniqueness;
pub mod unshared_exposure;
